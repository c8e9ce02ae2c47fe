// The program answers every malformed file with status 1 and one line on stderr.
#include "kit/bvh_files.h"
#include "kit/malformed.h"
#include "kit/program.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <cmocka.h>

enum { PATIENCE_S = 300 }; // a program that hangs is ended; a slow machine is not

// What it says on stderr; what it prints goes into a file. Leaks are looked for by the test of the library: that takes
// seconds per process.
static answer run_info(const char* path) {
    char command[2048];
    assert_true(snprintf(command, sizeof command,
                         "ASAN_OPTIONS=detect_leaks=0 timeout -s KILL %d \"%s\" info '%s' 2>&1 >printed", PATIENCE_S,
                         test_program(), path) < (int)sizeof command);
    return test_shell(command);
}

static bool printed_nothing(void) {
    struct stat file;
    return stat("printed", &file) == 0 && file.st_size == 0;
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
    char path[256];
    assert_int_equal(test_folder_enter(), 0);
    uint32_t wrong = 0;
    uint32_t gltf_count = malformed_count(), count = gltf_count + bvh_malformed_count();
    for (uint32_t i = 0; i < count; i++) {
        malformed_file file = i < gltf_count ? malformed_make(i) : bvh_malformed_make(i - gltf_count);
        snprintf(path, sizeof path, "%s%s", file.name, file.ending);
        write_file(path, &file);
        answer a = run_info(path);
        bool compressed = strcmp(file.name, "needs_meshopt") == 0 || strcmp(file.name, "needs_draco") == 0;
        bool may_be_read = compressed && a.status == 0; // by a program with that library
        bool good = may_be_read || (a.status == 1 && printed_nothing() && is_one_error_line(a.text, path));
        if (!good)
            print_error("%s: status %d, stderr '%s'\n", file.name, a.status, a.text);
        wrong += !good;
        remove(path);
        malformed_free(&file);
    }
    remove("printed");
    assert_int_equal(test_folder_leave(), 0);
    assert_int_equal(wrong, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(program_answers_each_malformed_file_with_one_line),
    };
    return cmocka_run_group_tests_name("cli malformed", tests, NULL, NULL);
}
