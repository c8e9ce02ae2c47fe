// Names that would steer a terminal: none of their bytes is printed, wherever a name appears.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "kit/program.h"

// A title for the window, a red line and letters from right to left; ü and 猫 are names like others.
#define ESCAPE "\033]0;owned\007"
#define CONTROL "\302\23331m" // U+009B, which starts a sequence, too
#define TURNED "\342\200\256gnp.exe"
#define PLAIN "\303\274-\347\214\253"

static const char steering[][4] = {"\033",         "\007",         "\302\233", "\342\200\256", "\342\201\246",
                                   "\342\200\217", "\342\200\250", "\330\234", "\177"};

static int write_clip(const char* path, const char* name) {
    FILE* file = fopen(path, "wb");
    if (!file)
        return 1;
    fprintf(file,
            "HIERARCHY\nROOT %s\n{\nOFFSET 0 0 0\nCHANNELS 3 Zrotation Xrotation Yrotation\nEnd Site\n{\n"
            "OFFSET 0 1 0\n}\n}\nMOTION\nFrames: 2\nFrame Time: 0.1\n0 0 0\n9 0 0\n",
            name);
    return fclose(file);
}

static int make_files(void** state) {
    (void)state;
    return test_folder_enter() ||
           write_clip("evil.bvh", CONTROL TURNED PLAIN "\342\201\246\342\200\217\342\200\250\330\234\177");
}

static int remove_files(void** state) {
    (void)state;
    return unlink("evil.bvh") || test_folder_leave();
}

static answer expect_harmless(const char* verb, const char* arguments) {
    answer a = test_limber("", verb, arguments);
    for (size_t i = 0; i < sizeof steering / sizeof *steering; i++)
        if (strstr(a.text, steering[i]))
            fail_msg("limber %s %s prints character %zu: '%s'", verb, arguments, i, a.text);
    return a;
}

static void names_in_texts_are_harmless(void** state) {
    (void)state;
    answer a = expect_harmless("info", "evil.bvh");
    assert_int_equal(a.status, 0);
    assert_non_null(strstr(a.text, "?31m?gnp.exe" PLAIN "????"));
    expect_harmless("info", "evil.bvh --style jelly");
    expect_harmless("exaggerate", "evil.bvh --set exaggerate.filter.amount=1 -o out.bvh");
    assert_int_equal(unlink("out.bvh"), 0);
}

static void names_in_errors_and_warnings_are_harmless(void** state) {
    (void)state;
    assert_int_equal(expect_harmless("info", "'" ESCAPE TURNED "'").status, 1);
    assert_int_equal(expect_harmless("info", "evil.bvh --clip '" CONTROL TURNED "'").status, 2);
    assert_int_equal(expect_harmless("apply", "evil.bvh --clip '" CONTROL TURNED "' -o out.glb").status, 1);
    assert_int_equal(expect_harmless("apply", "evil.bvh --set 'joints={\"\\u202egn\":{\"*\":0}}' -o out.glb").status,
                     1);
    assert_int_equal(expect_harmless("apply", "evil.bvh --set '" CONTROL TURNED "=1' -o out.glb").status, 2);
    assert_int_equal(expect_harmless("'" ESCAPE TURNED "'", "").status, 2);
}

static void json_keeps_names_as_numbers(void** state) {
    (void)state;
    answer a = expect_harmless("info", "evil.bvh --json");
    assert_int_equal(a.status, 0);
    assert_non_null(strstr(a.text, "\\u009B31m\\u202Egnp.exe" PLAIN "\\u2066\\u200F\\u2028\\u061C"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_in_texts_are_harmless),
        cmocka_unit_test(names_in_errors_and_warnings_are_harmless),
        cmocka_unit_test(json_keeps_names_as_numbers),
    };
    return cmocka_run_group_tests(tests, make_files, remove_files);
}
