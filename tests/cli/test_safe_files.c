// What happens to files: those that are read are the ones a user meant, and those that are written keep what they had.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "kit/program.h"

static int make_files(void** state) {
    (void)state;
    return test_folder_enter() || test_tube_write("tube.glb", 3, 1, 24, false) ||
           test_limber("", "convert", "tube.glb -o tube.gltf --quiet").status;
}

static int remove_files(void** state) {
    (void)state;
    return test_shell("rm -f tube.glb tube.gltf tube.bin").status || test_folder_leave();
}

static void expect_shell(const char* command) {
    answer a = test_shell(command);
    if (a.status)
        fail_msg("%s: status %d, '%s'", command, a.status, a.text);
}

// --- out ---

static void outputs_keep_their_permissions(void** state) {
    (void)state;
    expect_shell("cp tube.glb own.glb && chmod 640 own.glb");
    test_succeeds("paint", "own.glb -o own.glb --layer floppy --auto height", "vertices");
    expect_shell("ls -l own.glb | grep -q '^-rw-r-----'");
    expect_shell("chmod 600 own.glb");
    test_succeeds("convert", "tube.glb -o own.glb", "");
    expect_shell("ls -l own.glb | grep -q '^-rw-------'; rm own.glb");
}

static void read_only_files_are_not_replaced(void** state) {
    (void)state;
    expect_shell("cp tube.glb own.glb && chmod 444 own.glb");
    test_fails("", "paint", "own.glb -o own.glb --layer floppy --auto height", 1, "read-only", 1);
    expect_shell("cmp tube.glb own.glb && rm -f own.glb");
}

static void a_link_to_nothing_is_not_replaced(void** state) {
    (void)state;
    expect_shell("ln -s nowhere/x.glb link.glb; ln -s there.glb good.glb; echo 1 >there.glb");
    test_fails("", "convert", "tube.glb -o link.glb", 1, "is a link to a file that is not there", 1);
    test_succeeds("convert", "tube.glb -o good.glb", "");
    expect_shell(
        "test -L link.glb && test -L good.glb && test $(wc -c <there.glb) -gt 100 && rm link.glb good.glb there.glb");
}

static void a_dump_keeps_its_folder_and_replaces_an_earlier_dump(void** state) {
    (void)state;
    expect_shell("mkdir -m 700 d && echo mine >d/notes.txt && echo old >d/rest.npy && echo old >d/contact.npy && "
                 "chmod 640 d/rest.npy");
    test_succeeds("dump", "tube.glb -o d/ --range 0:0", "");
    expect_shell("ls -ld d | grep -q '^drwx------' && ls -l d/rest.npy | grep -q '^-rw-r-----'");
    expect_shell("grep -q NUMPY d/rest.npy && grep -q mine d/notes.txt && test ! -e d/contact.npy");
    expect_shell("chmod 444 d/rest.npy; echo old >d/manifest.json");
    test_fails("", "dump", "tube.glb -o d --range 0:0", 1, "'d/rest.npy': it is read-only", 1);
    expect_shell("grep -q old d/manifest.json && ls d | grep -v tmp | wc -l | grep -qx ' *18' && rm -rf d");
    test_succeeds("dump", "tube.glb -o d/ --range 0:0", ""); // a slash at the end of a new one, too
    expect_shell("test -e d/manifest.json && rm -r d && ls | wc -l | grep -qx ' *3'");
}

// The input comes through a pipe: once the program reads it, it has seen what its output was.
static void what_another_program_wrote_stays(void** state) {
    (void)state;
    char command[1024];
    snprintf(command, sizeof command,
             "mkfifo in.glb; \"%s\" convert in.glb -o out.glb >said 2>&1 & exec 3>in.glb; echo other >out.glb; "
             "cat tube.glb >&3; exec 3>&-; wait $!; status=$?; cat said; rm in.glb said; exit $status",
             test_program());
    answer a = test_shell(command);
    assert_int_equal(a.status, 1);
    assert_non_null(strstr(a.text, "another program has written it since this run began"));
    expect_shell("echo other | cmp - out.glb && rm out.glb");
}

static void a_limit_of_the_system_is_an_error_and_leaves_nothing(void** state) {
    (void)state;
    test_fails("ulimit -f 1;", "convert", "tube.glb -o out.glb", 1, "cannot write 'out.glb'", 1);
    test_fails("ulimit -f 1;", "convert", "tube.glb -o out.gltf", 1, "cannot write", 1);
    test_succeeds("sample", "ball -o ball.glb", ""); // targets go into the file while they are made
    test_fails("ulimit -f 900;", "apply", "ball.glb --style cartoon --bake corrective -o out.glb --quiet", 1,
               "no room on the disk", 1);
    expect_shell("rm ball.glb");
    expect_shell("ls | wc -l | grep -qx ' *3'");
}

// The targets are in the file already, which has no name yet, unless the bake was faster.
static void a_bake_that_is_ended_leaves_nothing(void** state) {
    (void)state;
    char command[1024];
    test_succeeds("sample", "ball -o ball.glb", "");
    snprintf(command, sizeof command,
             "\"%s\" apply ball.glb --style cartoon --bake corrective --fps 400 -o out.glb --quiet & "
             "until ls | grep -q out.glb; do sleep 0.01; done; kill -TERM $! 2>/dev/null; wait $!; "
             "{ test $? -gt 128 || rm out.glb; } && rm ball.glb && ls | wc -l | grep -qx ' *3'",
             test_program());
    expect_shell(command);
}

static void output_that_nobody_gets_is_an_error(void** state) {
    (void)state;
    static const char* const lines[] = {"info tube.glb", "info tube.glb --json", "--version", "--help",
                                        "apply --help",  "sample --list",        "help style"};
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        char command[1024];
        snprintf(command, sizeof command, "\"%s\" %s 2>&1 >/dev/full", test_program(), lines[i]);
        answer a = test_shell(command);
        assert_int_equal(a.status, 1);
        assert_non_null(strstr(a.text, "limber: cannot write to stdout: "));
    }
}

// --- in ---

#define REFUSED(words) test_fails("", "info", "d/a.gltf", 1, words, 1)

static void make_document(const char* uri) {
    char command[512];
    snprintf(command, sizeof command, "rm -rf d; mkdir -p d/e && sed 's:tube.bin:%s:' tube.gltf >d/a.gltf", uri);
    expect_shell(command);
}

static void only_plain_files_below_the_document_are_read(void** state) {
    (void)state;
    make_document("e/b.bin");
    expect_shell("cp tube.bin d/e/b.bin");
    test_succeeds("info", "d/a.gltf", "joints: 3");
    expect_shell("rm d/e/b.bin; ln -s ../../tube.bin d/e/b.bin");
    REFUSED("is a link or behind one");
    expect_shell("rm -r d/e; mkdir -p f; cp tube.bin f/b.bin; ln -s ../f d/e");
    REFUSED("is a link or behind one");
    expect_shell("rm -r f d/e; mkdir d/e; mkfifo d/e/b.bin");
    REFUSED("is not a plain file");
    expect_shell("rm d/e/b.bin; mkdir d/e/b.bin");
    REFUSED("is not a plain file");
    make_document("../tube.bin");
    REFUSED("in the document's folder or below");
    make_document("e/../../tube.bin");
    REFUSED("in the document's folder or below");
    expect_shell("rm -r d");
}

static void hidden_files_are_not_read(void** state) {
    (void)state;
    static const char* const names[] = {".b.bin", "e/.b.bin", ".e/b.bin", "%2Eb.bin", "e/%2e%2E/.b.bin"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        make_document(names[i]);
        expect_shell("mkdir d/.e; for f in d/.b.bin d/e/.b.bin d/.e/b.bin; do cp tube.bin $f; done");
        REFUSED("no hidden one");
    }
    make_document("./e/.././b.bin"); // is no such name
    expect_shell("cp tube.bin d/b.bin");
    test_succeeds("info", "d/a.gltf", "joints: 3");
    expect_shell("rm -r d");
}

// A buffer that no view uses would only carry somebody's file along.
static void buffers_that_nothing_uses_are_left_out(void** state) {
    (void)state;
    make_document("b.bin");
    expect_shell("cp tube.bin d/b.bin; echo secret >d/notes.txt; sed -i "
                 "'s:\"buffers\" *\\: *\\[:\"buffers\"\\:[{\"byteLength\"\\:7,\"uri\"\\:\"notes.txt\"},:; "
                 "s:\"buffer\" *\\: *0:\"buffer\"\\:1:g' d/a.gltf; grep -q notes d/a.gltf");
    test_succeeds("convert", "d/a.gltf -o d/b.glb", "");
    test_succeeds("info", "d/b.glb", "joints: 3");
    expect_shell("! grep -q secret d/b.glb");
    expect_shell("rm d/notes.txt"); // not even opened
    test_succeeds("info", "d/a.gltf", "joints: 3");
    expect_shell("rm -r d");
}

// A build without the library says so.
static void imports_wait_for_no_pipe_and_leave_nothing(void** state) {
    (void)state;
    expect_shell("mkdir d d/tmp; mkfifo d/pipe.png");
    assert_int_equal(test_dae_write("d/a.dae"), 0);
    answer a = test_limber("TMPDIR=$PWD/d/tmp", "info", "d/a.dae --json");
    if (a.status == 0)
        assert_true(strstr(a.text, "\"seccomp\": ") && strstr(a.text, "\"vertices\": 3"));
    else
        assert_non_null(strstr(a.text, "libassimp-dev"));
    expect_shell("rmdir d/tmp && rm -r d");
}

// Fingerprints are made of the same files that the reader opens: a pipe is not waited for, and what lies outside of the
// folder, or behind a link, is not looked at, so that the job stays up to date when it changes.
static void batches_open_only_what_readers_open(void** state) {
    (void)state;
    make_document("b.bin");
    expect_shell("cp tube.bin d/b.bin; mkfifo d/pipe.png; echo 1 >outside.png; ln -s ../outside.png d/link.png; sed -i "
                 "'s:\"buffers\":\"images\"\\:[{\"uri\"\\:\"pipe.png\"},{\"uri\"\\:\"../outside.png\"},"
                 "{\"uri\"\\:\"link.png\"},{\"uri\"\\:\"inside.png\"}],&:' d/a.gltf; grep -q pipe.png d/a.gltf");
    test_succeeds("batch", "d/a.gltf --style cartoon -o d/out --quiet", "");
    expect_shell("echo 22 >outside.png");
    test_succeeds("batch", "d/a.gltf --style cartoon -o d/out --json", "\"up_to_date\": 1");
    expect_shell("echo 1 >d/inside.png");
    test_succeeds("batch", "d/a.gltf --style cartoon -o d/out --json", "\"up_to_date\": 0");
    expect_shell("rm -r d outside.png");
}

static void write_slurm(const char* output, const char* options) {
    expect_shell("mkdir -p d/.limber");
    FILE* file = fopen("d/.limber/slurm.json", "w");
    assert_non_null(file);
    fprintf(file,
            "{\"tasks\": 1, \"jobs\": [{\"task\": 0, \"cost\": 1, \"memory\": 1, \"key\": "
            "\"0123456789abcdef0123456789abcdef\", \"style\": \"cartoon\", \"output\": \"%s\", \"words\": [\"apply\", "
            "\"tube.glb\", \"-o\", \"evil.glb\", \"--stamp\", \"evil.json\", %s\"--quiet\"]}]}",
            output, options);
    assert_int_equal(fclose(file), 0);
}

// A folder of jobs for Slurm may come from anybody.
static void jobs_of_slurm_write_only_below_their_folder(void** state) {
    (void)state;
    static const char* const outputs[] = {"../evil.glb", "/tmp/evil.glb", "a/../../evil.glb", ".evil.glb"};
    for (size_t i = 0; i < sizeof outputs / sizeof *outputs; i++) {
        write_slurm(outputs[i], "");
        test_fails("", "batch", "-o d --task 0", 1, "is damaged", 1);
    }
    write_slurm("a.glb", "\"--vat\", \"evil\", ");
    test_fails("", "batch", "-o d --task 0", 1, "is damaged", 1);
    write_slurm("a.glb", "\"--style\", \"cartoon\", ");
    test_succeeds("batch", "-o d --task 0", "");
    expect_shell("test -e d/a.glb && test ! -e evil.glb && test ! -e evil.json && test ! -e evil && rm -r d");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(outputs_keep_their_permissions),
        cmocka_unit_test(read_only_files_are_not_replaced),
        cmocka_unit_test(a_link_to_nothing_is_not_replaced),
        cmocka_unit_test(a_dump_keeps_its_folder_and_replaces_an_earlier_dump),
        cmocka_unit_test(what_another_program_wrote_stays),
        cmocka_unit_test(a_limit_of_the_system_is_an_error_and_leaves_nothing),
        cmocka_unit_test(a_bake_that_is_ended_leaves_nothing),
        cmocka_unit_test(output_that_nobody_gets_is_an_error),
        cmocka_unit_test(only_plain_files_below_the_document_are_read),
        cmocka_unit_test(hidden_files_are_not_read),
        cmocka_unit_test(buffers_that_nothing_uses_are_left_out),
        cmocka_unit_test(imports_wait_for_no_pipe_and_leave_nothing),
        cmocka_unit_test(jobs_of_slurm_write_only_below_their_folder),
        cmocka_unit_test(batches_open_only_what_readers_open),
    };
    return cmocka_run_group_tests(tests, make_files, remove_files);
}
