// The program answers every malformed file with status 1 and one line on stderr.
#include "kit/bvh_files.h"
#include "kit/malformed.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

enum { PATIENCE_S = 300 }; // a program that hangs is ended; a slow machine is not

typedef struct answer {
    int status; // exit status, or -1 when a signal ended it
    char out[4096], err[4096];
} answer;

static void redirect(const char* path, int stream) {
    int file = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    if (file < 0 || dup2(file, stream) < 0)
        _exit(126);
}

static void slurp(const char* path, char* text, size_t size) {
    FILE* file = fopen(path, "rb");
    assert_non_null(file);
    text[fread(text, 1, size - 1, file)] = 0;
    fclose(file);
}

static answer run_info(const char* program, const char* folder, const char* path) {
    answer result;
    char out[256], err[256];
    snprintf(out, sizeof out, "%s/out", folder);
    snprintf(err, sizeof err, "%s/err", folder);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        redirect(out, STDOUT_FILENO);
        redirect(err, STDERR_FILENO);
        setenv("ASAN_OPTIONS", "detect_leaks=0", 1); // seconds per process; the test of the library looks for leaks
        alarm(PATIENCE_S);
        execl(program, program, "info", path, (char*)NULL);
        _exit(127);
    }
    int status = 0;
    assert_int_equal(waitpid(child, &status, 0), child);
    result.status = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    slurp(out, result.out, sizeof result.out);
    slurp(err, result.err, sizeof result.err);
    return result;
}

// "limber: FILE: something\n" and nothing else.
static bool is_one_error_line(const char* text, const char* path) {
    size_t length = strlen(text), prefix = strlen("limber: "), name = strlen(path);
    const char* newline = strchr(text, '\n');
    return newline && newline == text + length - 1 && length > prefix + name + 4 &&
           strncmp(text, "limber: ", prefix) == 0 && strncmp(text + prefix, path, name) == 0 &&
           strncmp(text + prefix + name, ": ", 2) == 0;
}

static void write_file(const char* path, const malformed_file* file) {
    FILE* stream = fopen(path, "wb");
    assert_non_null(stream);
    assert_int_equal(fwrite(file->bytes, 1, file->size, stream), file->size);
    assert_int_equal(fclose(stream), 0);
}

static void program_answers_each_malformed_file_with_one_line(void** state) {
    (void)state;
    const char* program = getenv("LIMBER_PROGRAM");
    if (!program)
        skip();
    char folder[] = "/tmp/limber-malformed-XXXXXX", path[256];
    assert_non_null(mkdtemp(folder));
    uint32_t wrong = 0;
    uint32_t gltf_count = malformed_count(), count = gltf_count + bvh_malformed_count();
    for (uint32_t i = 0; i < count; i++) {
        malformed_file file = i < gltf_count ? malformed_make(i) : bvh_malformed_make(i - gltf_count);
        snprintf(path, sizeof path, "%s/%s%s", folder, file.name, file.ending);
        write_file(path, &file);
        answer result = run_info(program, folder, path);
        bool good = result.status == 1 && result.out[0] == 0 && is_one_error_line(result.err, path);
        if (!good)
            print_error("%s: status %d, stdout '%s', stderr '%s'\n", file.name, result.status, result.out, result.err);
        wrong += !good;
        remove(path);
        malformed_free(&file);
    }
    snprintf(path, sizeof path, "%s/out", folder);
    remove(path);
    snprintf(path, sizeof path, "%s/err", folder);
    remove(path);
    assert_int_equal(rmdir(folder), 0);
    assert_int_equal(wrong, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(program_answers_each_malformed_file_with_one_line),
    };
    return cmocka_run_group_tests_name("cli malformed", tests, NULL, NULL);
}
