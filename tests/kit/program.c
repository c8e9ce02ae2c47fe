// Runs the program as a user would, in a folder that is removed afterwards.
#include "kit/program.h"
#include "kit/models.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

const char* test_program(void) {
    const char* program = getenv("LIMBER_PROGRAM");
    assert_non_null(program);
    return program;
}

answer test_shell(const char* command) {
    answer a;
    memset(&a, 0, sizeof a);
    FILE* stream = popen(command, "r");
    assert_non_null(stream);
    size_t length = fread(a.text, 1, sizeof a.text - 1, stream);
    a.text[length] = 0;
    int status = pclose(stream);
    assert_true(WIFEXITED(status));
    a.status = WEXITSTATUS(status);
    return a;
}

answer test_limber(const char* prefix, const char* verb, const char* arguments) {
    char command[2048];
    assert_true(snprintf(command, sizeof command, "%s \"%s\" %s %s 2>&1", prefix, test_program(), verb, arguments) <
                (int)sizeof command);
    return test_shell(command);
}

void test_succeeds(const char* verb, const char* arguments, const char* words) {
    answer a = test_limber("", verb, arguments);
    if (a.status != 0 || !strstr(a.text, words))
        fail_msg("limber %s %s: status %d, '%s'", verb, arguments, a.status, a.text);
}

void test_fails(const char* prefix, const char* verb, const char* arguments, int status, const char* words, int lines) {
    answer a = test_limber(prefix, verb, arguments);
    int count = 0;
    for (const char* c = a.text; *c; c++)
        count += *c == '\n';
    size_t length = strlen(a.text);
    int whole = length > 0 && a.text[length - 1] == '\n';
    if (a.status != status || !strstr(a.text, words) || strncmp(a.text, "limber: ", 8) != 0 || !whole || count != lines)
        fail_msg("%s limber %s %s: status %d, '%s'", prefix, verb, arguments, a.status, a.text);
}

static char folder[32];

int test_folder_enter(void) {
    snprintf(folder, sizeof folder, "limber-test-XXXXXX");
    return !mkdtemp(folder) || chdir(folder) ? -1 : 0;
}

int test_folder_leave(void) {
    return chdir("..") || rmdir(folder) ? -1 : 0;
}

const char* test_folder_name(void) {
    return folder;
}

int test_tube_write(const char* path, uint32_t joint_count, float angle_rad, uint32_t fps, bool back_again) {
    limber_gltf* gltf;
    limber_asset* asset = test_tube_create(joint_count, angle_rad, fps, back_again);
    limber_result result = limber_gltf_from_asset(asset, &gltf, NULL);
    if (!result)
        result = limber_gltf_save_file(gltf, NULL, path, NULL);
    limber_gltf_destroy(gltf);
    limber_asset_destroy(asset);
    return result ? -1 : 0;
}
