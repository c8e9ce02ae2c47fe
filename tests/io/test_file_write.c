// Files that appear complete, together, and only where nobody else has written.
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "io/file_write.h"
#include "kit/program.h"

static int enter(void** state) {
    (void)state;
    return test_folder_enter();
}

static int leave(void** state) {
    (void)state;
    return test_folder_leave();
}

static void write_text(const char* path, const char* text) {
    FILE* file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    assert_int_equal(fclose(file), 0);
}

static void expect_text(const char* path, const char* text) {
    char found[64] = "";
    FILE* file = fopen(path, "r");
    assert_non_null(file);
    size_t length = fread(found, 1, sizeof found - 1, file);
    fclose(file);
    found[length] = 0;
    assert_string_equal(found, text);
}

static void expect_files(int count) {
    char command[64];
    snprintf(command, sizeof command, "ls -A | wc -l | grep -qx ' *%d'", count);
    assert_int_equal(test_shell(command).status, 0);
}

static void open_with(limberi_file* file, const char* path, const char* text) {
    limber_error error;
    assert_int_equal(limberi_file_open(file, path, &error), LIMBER_OK);
    limberi_file_put(file, text, strlen(text));
}

// A program that a signal ends while it has files and a folder open.
static int end_by(int number) {
    pid_t child = fork();
    if (child == 0) {
        limberi_file a, b;
        limber_error error;
        limberi_sweep_start();
        if (limberi_file_open(&a, "a", &error) || limberi_file_open(&b, "b", &error) || mkdir("c", 0777))
            _exit(1);
        limberi_sweep_add("c");
        limberi_file_put(&a, "some", 4);
        fflush(a.stream);
        limberi_file_discard(&b);
        if (limberi_file_open(&b, "again", &error))
            _exit(1);
        raise(number);
        _exit(2);
    }
    int status = 0;
    assert_int_equal(waitpid(child, &status, 0), child);
    return status;
}

static void temporary_files_go_when_a_signal_ends_the_program(void** state) {
    (void)state;
    static const int numbers[] = {SIGINT, SIGTERM, SIGHUP};
    for (int i = 0; i < 3; i++) {
        int status = end_by(numbers[i]);
        assert_true(WIFSIGNALED(status));
        assert_int_equal(WTERMSIG(status), numbers[i]);
        expect_files(0);
    }
    int status = end_by(SIGXFSZ); // is an error of write() instead
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 2);
    assert_int_equal(test_shell("rm -r *").status, 0);
}

static void files_appear_together(void** state) {
    (void)state;
    limberi_file files[3];
    limber_error error;
    write_text("b", "old");
    open_with(&files[0], "a", "new a");
    open_with(&files[1], "b", "new b");
    open_with(&files[2], "c", "new c");
    assert_int_equal(limberi_files_commit(files, 3, &error), LIMBER_OK);
    expect_text("a", "new a");
    expect_text("b", "new b");
    expect_text("c", "new c");
    expect_files(3);
    assert_int_equal(test_shell("rm a b c").status, 0);
}

static void files_that_cannot_appear_together_become_what_they_were(void** state) {
    (void)state;
    limberi_file files[3];
    limber_error error;
    write_text("b", "old");
    open_with(&files[0], "a", "new a");
    open_with(&files[1], "b", "new b");
    open_with(&files[2], "c", "new c");
    assert_int_equal(mkdir("c", 0777), 0); // meanwhile
    assert_int_equal(limberi_files_commit(files, 3, &error), LIMBER_ERROR_FILE);
    expect_text("b", "old");
    expect_files(2);
    assert_int_equal(rmdir("c") | unlink("b"), 0);
}

static void numbers_that_are_none_are_not_written(void** state) {
    (void)state;
    limberi_file file;
    limber_error error;
    const float values[3] = {1, (float)1e30 * (float)1e30, 2};
    open_with(&file, "a", "new");
    assert_true(limberi_file_check(&file, values, 1));
    assert_false(limberi_file_check(&file, values, 3));
    assert_int_equal(limberi_file_commit(&file, &error), LIMBER_ERROR_DATA);
    assert_non_null(strstr(error.message, "not finite"));
    expect_files(0);
}

static void expect_left_alone(limberi_file* file) {
    limber_error error;
    assert_int_equal(limberi_file_commit(file, &error), LIMBER_ERROR_FILE);
    assert_non_null(strstr(error.message, "another program"));
    expect_text("a", "theirs");
    expect_files(1);
}

static void files_of_others_are_left_alone(void** state) {
    (void)state;
    limberi_file file;
    limber_error error;
    open_with(&file, "a", "ours"); // not there, and then it is
    write_text("a", "theirs");
    expect_left_alone(&file);
    open_with(&file, "a", "ours"); // replaced
    write_text("b", "theirs");
    assert_int_equal(rename("b", "a"), 0);
    expect_left_alone(&file);
    limberi_file_watch("a"); // before it was opened
    write_text("b", "theirs");
    assert_int_equal(rename("b", "a"), 0);
    open_with(&file, "a", "ours");
    expect_left_alone(&file);
    limberi_file_watch("a");
    for (int i = 0; i < 2; i++) { // our own are no strangers
        open_with(&file, "a", "ours");
        assert_int_equal(limberi_file_commit(&file, &error), LIMBER_OK);
    }
    expect_text("a", "ours");
    assert_int_equal(unlink("a"), 0);
}

// Another run, in the middle of its renames: one file has its name, the other gets it a moment later.
static pid_t start_slow_run(void) {
    int ready[2];
    char byte = 0;
    assert_int_equal(pipe(ready), 0);
    pid_t child = fork();
    if (child == 0) {
        const struct timespec moment = {0, 200 * 1000 * 1000};
        int lock;
        bool locked = limberi_system_lock_folder("a", &lock) && lock >= 0;
        ssize_t sent = write(ready[1], &byte, 1);
        nanosleep(&moment, NULL);
        write_text("a", "theirs");
        write_text("b", "theirs");
        _exit(locked && sent == 1 ? 0 : 1);
    }
    assert_int_equal(read(ready[0], &byte, 1), 1);
    close(ready[0]);
    close(ready[1]);
    return child;
}

static void of_two_runs_at_once_one_has_all_files(void** state) {
    (void)state;
    for (size_t count = 1; count <= 2; count++) {
        limberi_file files[2];
        limber_error error;
        int status;
        open_with(&files[0], "a", "mine");
        open_with(&files[1], "b", "mine");
        pid_t other = start_slow_run();
        limber_result result =
            count == 1 ? limberi_file_commit(&files[0], &error) : limberi_files_commit(files, 2, &error);
        assert_int_equal(result, LIMBER_ERROR_FILE);
        assert_non_null(strstr(error.message, "another program has written it"));
        limberi_file_discard(&files[0]);
        limberi_file_discard(&files[1]);
        assert_true(waitpid(other, &status, 0) == other && WIFEXITED(status) && WEXITSTATUS(status) == 0);
        expect_text("a", "theirs");
        expect_text("b", "theirs");
        expect_files(2);
        assert_int_equal(unlink("a") | unlink("b"), 0);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(temporary_files_go_when_a_signal_ends_the_program),
        cmocka_unit_test(files_appear_together),
        cmocka_unit_test(files_that_cannot_appear_together_become_what_they_were),
        cmocka_unit_test(numbers_that_are_none_are_not_written),
        cmocka_unit_test(files_of_others_are_left_alone),
        cmocka_unit_test(of_two_runs_at_once_one_has_all_files),
    };
    return cmocka_run_group_tests(tests, enter, leave);
}
