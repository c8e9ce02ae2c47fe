// `limber batch` as a user meets it: what is run, skipped, refused and reported. Jobs are tiny.
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "kit/models.h"
#include "kit/program.h"
#include "kit/sanitized.h"

#define QUICK " --bake corrective "

static void shell(const char* command) {
    answer a = test_shell(command);
    if (a.status)
        fail_msg("%s: status %d, '%s'", command, a.status, a.text);
}

static void write_text(const char* path, const char* text) {
    FILE* file = fopen(path, "wb");
    assert_non_null(file);
    fputs(text, file);
    assert_int_equal(fclose(file), 0);
}

// Runs a batch; the numbers of its report.
static void expect_counts(const char* arguments, int status, int done, int current, int failed, int not_run) {
    char words[4][40], command[512];
    const int counts[4] = {done, current, failed, not_run};
    static const char* const names[4] = {"done", "up_to_date", "failed", "not_run"};
    snprintf(command, sizeof command, "%s > report.json", arguments);
    answer a = test_limber("", "batch --json", command);
    int ended = a.status;
    a = test_shell("head -c 600 report.json");
    bool right = ended == status;
    for (int i = 0; i < 4; i++) {
        snprintf(words[i], sizeof words[i], "\"%s\": %d%s", names[i], counts[i], i == 2 ? "\n" : ",");
        right = right && strstr(a.text, words[i]);
    }
    if (!right)
        fail_msg("limber batch %s: status %d, expected %d; %s %s %s %s; '%s'", arguments, ended, status, words[0],
                 words[1], words[2], words[3], a.text);
}

static void fails(const char* arguments, int status, const char* words) {
    test_fails("", "batch", arguments, status, words, 1);
    assert_int_not_equal(access("out", F_OK), 0);
}

static int make_inputs(void** state) {
    (void)state;
    return test_folder_enter() || mkdir("in", 0777) || test_tube_write("in/a.glb", 3, 1, 24, false) ||
           test_tube_write("in/b.glb", 4, 0.5f, 24, true) || test_tube_write("in/c.glb", 2, 1.5f, 12, false);
}

static int remove_inputs(void** state) {
    (void)state;
    return system("rm -rf in") || test_folder_leave();
}

static int remove_outputs(void** state) {
    (void)state;
    return system("rm -rf out other many *.json move.glb");
}

static void wrong_command_lines_end_with_2(void** state) {
    (void)state;
    fails("in/a.glb --style cartoon", 2, "-o DIR");
    fails("-o out", 2, "inputs");
    fails("in/a.glb -o out --styl cartoon", 2, "did you mean '--style'");
    fails("in/a.glb -o out --name '{nam}.glb'", 2, "did you mean 'name'");
    fails("in/a.glb -o out --name '{name.glb'", 2, "'}'");
    fails("in/a.glb -o out --name '../{name}.glb'", 2, "stay in the folder");
    fails("in/a.glb -o out --name /x/y.glb", 2, "stay in the folder");
    fails("in/a.glb -o out --name '{name}.txt'", 2, ".glb");
    fails("in/a.glb -o out --bake bakery", 2, "--bake must be");
    fails("in/a.glb -o out --fps 0.01", 2, "--fps");
    fails("in/a.glb -o out --memory 0", 2, "--memory");
    fails("in/a.glb -o out --list --slurm", 2, "exclude");
    fails("in/a.glb -o out --status", 2, "no inputs");
    fails("in/a.glb -o out --set x", 2, "PATH=VALUE");
    fails("--help-me", 2, "unknown option");
}

static void what_is_wrong_is_said_before_any_work(void** state) {
    (void)state;
    fails("in/nothing.glb -o out", 1, "does not exist");
    fails("'in/*.fbx' -o out", 1, "matches no character");
    fails("in -o out", 1, "is a folder");
    fails("in/a.glb -o out --style carton", 1, "did you mean 'cartoon'");
    fails("in/a.glb -o out --style missing.json", 1, "missing.json");
    fails("in/a.glb -o out --style cartoon --set strenght=2", 1, "did you mean 'strength'");
    fails("-o out --status", 1, "no jobs of Slurm");
    fails("-o out --collect", 1, "no jobs of Slurm");
    test_fails("", "batch", "in/a.glb -o in/a.glb/out", 1, "cannot make the folder", 1);
    test_fails("", "batch", "'in/*.glb' -o in", 1, "it is an input", 1);
}

static void outputs_are_those_of_apply_for_any_number_of_workers(void** state) {
    (void)state;
    static const char* const styles[] = {"cartoon", "jelly"};
    expect_counts("'in/*.glb' --style cartoon --style jelly --fps 10 -o out --workers 1", 0, 6, 0, 0, 0);
    expect_counts("'in/*.glb' --style cartoon --style jelly --fps 10 -o other --workers 3 --threads 2", 0, 6, 0, 0, 0);
    for (int i = 0; i < 6; i++) {
        char command[256];
        snprintf(command, sizeof command, "in/%c.glb --style %s --fps 10 -o one.glb --quiet", 'a' + i % 3,
                 styles[i / 3]);
        test_succeeds("apply", command, "");
        snprintf(command, sizeof command, "cmp one.glb out/%c-%s.glb && cmp one.glb other/%c-%s.glb && rm one.glb",
                 'a' + i % 3, styles[i / 3], 'a' + i % 3, styles[i / 3]);
        shell(command);
    }
}

static void a_changed_style_reruns_only_what_changed(void** state) {
    (void)state;
    write_text("s.json", "{\"limber\": 1, \"effects\": {\"floppy\": {\"linear\": 0.05}}}");
    write_text("t.json", "{\"limber\": 1, \"effects\": {\"floppy\": {\"linear\": 0.06}}}");
    const char* batch = "'in/*.glb' --style s.json --style t.json -o out" QUICK;
    expect_counts(batch, 0, 6, 0, 0, 0);
    expect_counts(batch, 0, 0, 6, 0, 0);
    write_text("t.json", "{\"limber\": 1, \"effects\": {\"floppy\": {\"linear\": 0.07}}}");
    expect_counts(batch, 0, 3, 3, 0, 0);
    write_text("t.json", "{\"limber\": 1, \"effects\": {\"floppy\": {\"linear\": 0.06}}}"); // as it was
    expect_counts(batch, 0, 3, 3, 0, 0);
    shell("cp in/a.glb keep.json && touch in/b.glb && cp in/c.glb in/a.glb"); // another input; a time alone is nothing
    expect_counts(batch, 0, 2, 4, 0, 0);
    shell("cp keep.json in/a.glb && printf x >> out/b-s.glb && rm out/c-t.glb"); // outputs damaged and gone
    expect_counts(batch, 0, 4, 2, 0, 0);
    expect_counts("'in/*.glb' --style s.json --style t.json -o out --fps 12" QUICK, 0, 6, 0, 0, 0);
}

static void buffers_beside_a_gltf_count(void** state) {
    (void)state;
    test_succeeds("convert", "in/a.glb -o many.gltf --quiet", "");
    expect_counts("many.gltf --style cartoon --name '{name}.gltf' -o out" QUICK, 0, 1, 0, 0, 0);
    expect_counts("many.gltf --style cartoon --name '{name}.gltf' -o out" QUICK, 0, 0, 1, 0, 0);
    shell("dd if=/dev/zero of=many.bin bs=1 count=4 conv=notrunc 2>/dev/null");
    expect_counts("many.gltf --style cartoon --name '{name}.gltf' -o out" QUICK, 0, 1, 0, 0, 0);
    shell("rm out/*.bin");
    expect_counts("many.gltf --style cartoon --name '{name}.gltf' -o out" QUICK, 0, 1, 0, 0, 0);
    shell("rm many.gltf many.bin");
}

// 500 jobs with --long.
static void many_jobs_and_one_damaged_file(void** state) {
    (void)state;
    const int count = getenv("LIMBER_TEST_LONG") && !TEST_SANITIZED ? 500 : 40;
    char command[128];
    snprintf(command, sizeof command, "mkdir many && for i in $(seq %d); do cp in/c.glb many/$i.glb; done", count);
    shell(command);
    shell("head -c 700 in/a.glb > many/7.glb");
    expect_counts("'many/*.glb' --style cartoon -o out" QUICK, 1, count - 1, 0, 1, 0);
    shell("test ! -e out/7.glb && test ! -e out/7.glb.*");
    shell("grep -A9 '\"output\": \"7.glb\"' out/limber-batch.json | grep -q '\"error\":.*7.glb'");
    expect_counts("'many/*.glb' --style cartoon -o out" QUICK, 1, 0, count - 1, 1, 0);
    shell("cp in/a.glb many/7.glb");
    expect_counts("'many/*.glb' --style cartoon -o out" QUICK, 0, 1, count - 1, 0, 0);
}

static void strict_stops_at_the_first_failure(void** state) {
    (void)state;
    shell("mkdir many && cp in/*.glb many && head -c 1000000 /dev/zero > many/zero.glb"); // the longest comes first
    expect_counts("'many/*.glb' --style cartoon -o out --strict --workers 1" QUICK, 1, 0, 0, 1, 3);
    expect_counts("'many/*.glb' --style cartoon -o out --workers 1" QUICK, 1, 3, 0, 1, 0);
}

// --- interrupted ---

static int count_outputs(void) {
    answer a = test_shell("ls out 2>/dev/null | grep -c 'glb$' || true");
    return atoi(a.text);
}

static void wait_for_outputs(int count, pid_t batch) {
    struct timespec moment = {0, 5000000};
    siginfo_t ended = {.si_pid = 0};
    while (count_outputs() < count && !waitid(P_PID, (id_t)batch, &ended, WEXITED | WNOHANG | WNOWAIT) && !ended.si_pid)
        nanosleep(&moment, NULL);
}

static pid_t start_batch(void) {
    pid_t process = fork();
    if (process == 0) {
        execl(test_program(), "limber", "batch", "many/*.glb", "--style", "cartoon", "--bake", "corrective", "-o",
              "out", "--quiet", (char*)NULL);
        _exit(127);
    }
    assert_true(process > 0);
    return process;
}

static void interrupt(int signal) {
    int status, before = count_outputs();
    pid_t batch = start_batch();
    wait_for_outputs(before + 3, batch);
    kill(batch, signal);
    assert_int_equal(waitpid(batch, &status, 0), batch);
}

static void an_interrupted_batch_goes_on(void** state) {
    (void)state;
    shell("mkdir many && for i in $(seq 60); do cp in/b.glb many/$i.glb; done");
    test_succeeds("apply", "in/b.glb --style cartoon -o b.json.glb --quiet" QUICK, "");
    interrupt(SIGKILL);
    assert_true(count_outputs() >= 3);
    interrupt(SIGINT); // goes on, and is stopped again
    test_succeeds("batch", "'many/*.glb' --style cartoon -o out" QUICK, " 0        0 "); // none failed, none left
    shell("for i in $(seq 60); do cmp b.json.glb out/$i.glb || exit 1; done; rm b.json.glb");
    shell("test -z \"$(find out -name '*.tmp')\"");
    expect_counts("'many/*.glb' --style cartoon -o out" QUICK, 0, 0, 60, 0, 0);
}

static void what_a_killed_job_left_is_removed(void** state) {
    (void)state;
    shell("mkdir out && touch out/a.glb.999999999.0.tmp out/a.glb.999999999.0.tmp.old out/mine.tmp out/else.1.1.tmp");
    expect_counts("in/a.glb --style cartoon -o out" QUICK, 0, 1, 0, 0, 0);
    shell("test -z \"$(ls out | grep 999999999)\" && test -e out/mine.tmp && test -e out/else.1.1.tmp");
}

// A lock of this process stands for one of another batch.
static void two_batches_do_not_share_a_folder(void** state) {
    (void)state;
    struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    shell("mkdir -p out/.limber");
    int descriptor = open("out/.limber/lock", O_RDWR | O_CREAT, 0666);
    assert_int_equal(fcntl(descriptor, F_SETLK, &lock), 0);
    test_fails("", "batch", "in/a.glb --style cartoon -o out", 1, "another batch (process", 1);
    assert_int_not_equal(access("out/a.glb", F_OK), 0);
    close(descriptor);
    expect_counts("in/a.glb --style cartoon -o out" QUICK, 0, 1, 0, 0, 0);
}

// --- lists ---

static void a_list_is_what_would_be_run(void** state) {
    (void)state;
    shell("mkdir many && cp in/a.glb \"many/it's a \\\"b\\\" \\$c.glb\" && cp in/b.glb \"$(printf "
          "'many/d\\ne\\047.glb')\"");
    const char* batch = "'many/*.glb' --style cartoon --style jelly --name '{style}/{name}.glb'" QUICK;
    char arguments[256], command[512];
    snprintf(arguments, sizeof arguments, "%s -o out --list > list.json", batch);
    test_succeeds("batch", arguments, "");
    shell("test $(wc -l < list.json) = 4");
    shell("test ! -e out && sh -e list.json && test -s out/cartoon/d_e\\'.glb"); // each makes its folders
    snprintf(arguments, sizeof arguments, "%s -o out", batch);
    expect_counts(arguments, 0, 0, 4, 0, 0);
    snprintf(arguments, sizeof arguments, "%s -o other", batch);
    expect_counts(arguments, 0, 4, 0, 0, 0);
    snprintf(command, sizeof command, "diff -r -x .limber -x limber-batch.json out other");
    shell(command);
    snprintf(arguments, sizeof arguments, "%s -o out --list", batch);
    answer nothing = test_limber("", "batch", arguments);
    assert_string_equal(nothing.text, "");
    assert_int_equal(nothing.status, 0);
}

// --- names ---

static void inputs_with_the_same_name_are_told_apart(void** state) {
    (void)state;
    shell("mkdir -p many/x/y many/z && cp in/a.glb many/x/y/a.glb && cp in/b.glb many/z/a.glb && ln -s .. many/z/up");
    fails("'many/**/*.glb' --style cartoon -o out", 1, "would be written by");
    expect_counts("'many/**/*.glb' --style cartoon --name '{folder}/{name}.glb' -o out" QUICK, 0, 2, 0, 0, 0);
    shell("test -s out/x/y/a.glb && test -s out/z/a.glb");
    expect_counts("many/x/y/a.glb 'many/x/*/a.glb' many/x/y/a.glb --style cartoon -o other" QUICK, 0, 1, 0, 0, 0);
}

static void outputs_are_no_inputs_of_the_next_batch(void** state) {
    (void)state;
    shell("mkdir many && cp in/a.glb in/b.glb many");
    expect_counts("'many/*.glb' --style cartoon --name '{name}-{style}.glb' -o many" QUICK, 0, 2, 0, 0, 0);
    expect_counts("'many/*.glb' --style cartoon --name '{name}-{style}.glb' -o many" QUICK, 0, 0, 2, 0, 0);
    shell("mkdir other && ln -s ../many/a.glb other/b.glb");
    test_fails("", "batch", "many/b.glb many/a.glb --style cartoon -o other", 1, "it is an input", 1);
}

static void each_clip_can_have_an_output(void** state) {
    (void)state;
    test_succeeds("sample", "ball -o many.glb", "");
    answer a = test_limber("", "batch --json", "many.glb --clip '*' --style cartoon -o out --fps 4" QUICK);
    assert_int_equal(a.status, 0);
    shell("ls out/many-*.glb | wc -l | grep -qx \"$(grep -c '\"output\"' out/limber-batch.json)\"");
    shell("test $(ls out/many-*.glb | wc -l) -ge 2");
    expect_counts("many.glb --clip nonesuch --style cartoon -o other", 1, 0, 0, 1, 0);
    shell("rm many.glb");
}

// --- JOBS.json ---

static void jobs_fail(const char* text, const char* words) {
    write_text("jobs.json", text);
    fails("jobs.json -o out", 1, words);
}

static void mistakes_in_a_jobs_file_have_a_place(void** state) {
    (void)state;
    jobs_fail("{\"inputs\": \"in/a.glb\", \"options\": {\"motion\": 3}}", "'motion' must be a text");
    jobs_fail("{\"inputs\": [\"in/a.glb\"],\n  \"stlyes\": [\"cartoon\"]}",
              "line 2, column 3: unknown key 'stlyes'; did you mean 'styles'?");
    jobs_fail("{\"inputs\": [\"in/a.glb\"], \"options\": {\"tolerence\": 1}}", "did you mean 'tolerance'");
    jobs_fail("{\"inputs\": [\"in/a.glb\"], \"options\": {\"fps\": \"24\"}}", "'fps' must be a number");
    jobs_fail("{\"inputs\": [\"in/a.glb\"], \"styles\": [{\"stile\": \"x\"}]}", "did you mean 'style'");
    jobs_fail("{\"inputs\": [\"in/a.glb\"], \"styles\": []}", "'styles' must be");
    jobs_fail("{\"inputs\": [3]}", "'inputs' must be a text, not the number 3");
    jobs_fail("{\"styles\": [\"cartoon\"]}", "\"inputs\" is missing");
    jobs_fail("{\"jobs\": [{\"inputs\": \"in/a.glb\"},\n{}]}", "line 2, column 1: \"inputs\" is missing");
    jobs_fail("{\"jobs\": {}}", "a list of objects");
    jobs_fail("{\"inputs\": [\"in/a.glb\"]", "line 1");
    jobs_fail("[]", "an object");
    jobs_fail("{\"inputs\": [\"in/a.glb\", \"in/b.glb\"], \"output\": \"same.glb\"}", "same.glb: would be written by");
    write_text("jobs.json", "{\"inputs\": [\"in/a.glb\"]}");
    fails("jobs.json -o out --style cartoon", 2, "belong into 'jobs.json'");
    fails("jobs.json in/a.glb -o out", 2, "either");
}

static void a_jobs_file_has_groups_of_jobs(void** state) {
    (void)state;
    write_text(
        "jobs.json",
        "{ // by hand\n"
        "  \"inputs\": [\"in/*.glb\"], \"options\": {\"bake\": \"corrective\", \"fps\": 12, \"normals\": false},\n"
        "  \"styles\": [\"cartoon\", {\"name\": \"wild\", \"style\": \"jelly\", \"set\": {\"strength\": 1.5}}],\n"
        "  \"output\": \"{style}/{name}.glb\",\n"
        "  \"jobs\": [{}, {\"inputs\": [\"in/a.glb\"], \"styles\": [\"subtle\"], \"options\": {\"fps\": 6}},]\n"
        "}\n");
    expect_counts("jobs.json -o out", 0, 7, 0, 0, 0);
    test_succeeds(
        "apply", "in/b.glb --style jelly --set strength=1.5 --bake corrective --fps 12 --no-normals -o one.glb --quiet",
        "");
    shell("cmp one.glb out/wild/b.glb && rm one.glb && test -s out/subtle/a.glb");
    shell("mkdir many && mv jobs.json many/jobs.json && cp -r in many && cd many && rm in/c.glb");
    expect_counts("many/jobs.json -o out", 0, 0, 5, 0, 0); // names are those beside it, bytes are what counts
}

static void help_shows_examples(void** state) {
    (void)state;
    test_succeeds("batch", "--help", "Examples:\n  limber batch ");
    test_succeeds("help", "batch", "--list");
}

// The same skeleton with another clip: its keys are taken as they are.
static void motions_come_along_and_count(void** state) {
    (void)state;
    assert_int_equal(test_tube_write("move.glb", 3, 0.7f, 24, false), 0);
    expect_counts("in/a.glb --motion move.glb@0:0.5 -o out" QUICK, 0, 1, 0, 0, 0);
    shell("\"$LIMBER_PROGRAM\" info out/a.glb | grep -q 'clips: 2'");
    expect_counts("in/a.glb --motion move.glb@0:0.5 -o out" QUICK, 0, 0, 1, 0, 0);
    expect_counts("in/a.glb --motion move.glb@0:0.25 -o out" QUICK, 0, 1, 0, 0, 0);
    assert_int_equal(test_tube_write("move.glb", 3, 0.2f, 24, false), 0);
    expect_counts("in/a.glb --motion move.glb@0:0.25 -o out" QUICK, 0, 1, 0, 0, 0);
    write_text("jobs.json", "{\"inputs\": \"in/a.glb\", \"options\": {\"motion\": \"move.glb@0:0.25\", "
                            "\"bake\": \"corrective\"}, \"output\": \"{name}.glb\"}");
    expect_counts("jobs.json -o out", 0, 0, 1, 0, 0);
    expect_counts("in/a.glb --motion none.glb -o other" QUICK, 1, 0, 0, 1, 0);
}

int main(void) {
#define BATCH_TEST(name) cmocka_unit_test_teardown(name, remove_outputs)
    const struct CMUnitTest tests[] = {
        BATCH_TEST(wrong_command_lines_end_with_2),
        BATCH_TEST(what_is_wrong_is_said_before_any_work),
        BATCH_TEST(outputs_are_those_of_apply_for_any_number_of_workers),
        BATCH_TEST(a_changed_style_reruns_only_what_changed),
        BATCH_TEST(buffers_beside_a_gltf_count),
        BATCH_TEST(many_jobs_and_one_damaged_file),
        BATCH_TEST(strict_stops_at_the_first_failure),
        BATCH_TEST(an_interrupted_batch_goes_on),
        BATCH_TEST(what_a_killed_job_left_is_removed),
        BATCH_TEST(two_batches_do_not_share_a_folder),
        BATCH_TEST(a_list_is_what_would_be_run),
        BATCH_TEST(inputs_with_the_same_name_are_told_apart),
        BATCH_TEST(outputs_are_no_inputs_of_the_next_batch),
        BATCH_TEST(each_clip_can_have_an_output),
        BATCH_TEST(mistakes_in_a_jobs_file_have_a_place),
        BATCH_TEST(a_jobs_file_has_groups_of_jobs),
        BATCH_TEST(motions_come_along_and_count),
        BATCH_TEST(help_shows_examples),
    };
    return cmocka_run_group_tests(tests, make_inputs, remove_inputs);
}
