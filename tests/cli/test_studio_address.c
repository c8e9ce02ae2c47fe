// What the studio makes of the text of a request.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "cli/studio/studio.h"

static void plain_ways_down_are_decoded(void** state) {
    (void)state;
    static const char* const pairs[][2] = {
        {"index.html", "index.html"},
        {"assets/index-B3x.js", "assets/index-B3x.js"},
        {"file/a%20b.glb", "file/a b.glb"},
        {"file/100%25.glb", "file/100%.glb"},
        {"file/%c3%a4.glb", "file/\xc3\xa4.glb"},
        {"a..b", "a..b"},
        {"a.", "a."},
        {"%252e%252e", "%2e%2e"}, // once only
    };
    char out[64];
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        if (!studio_decode_path(pairs[i][0], out, sizeof out))
            fail_msg("%s", pairs[i][0]);
        assert_string_equal(out, pairs[i][1]);
    }
}

static void other_ways_are_refused(void** state) {
    (void)state;
    static const char* const paths[] = {
        "",      "/",     "//",   "..",     "../a",     "a/..",   "a/../b", "a/.",        "./a",    ".git/config",
        "a/.b",  "a//b",  "/a",   "a/",     "%2e%2e/a", "%2E%2E", ".%2e/a", "a/%2e.",     "..%2fa", "a%2fb",
        "a%2Fb", "..\\a", "a\\b", "..%5ca", "%5c",      "%",      "%2",     "%zz",        "%2 e",   "a%00b",
        "a%0ab", "a%7f",  "a\nb", "%00",    "a/%00",    "%2f",    "%2fetc", "a/%2e%2e/b",
    };
    char out[64];
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++)
        if (studio_decode_path(paths[i], out, sizeof out))
            fail_msg("'%s' became '%s'", paths[i], out);
}

static void paths_that_do_not_fit_are_refused(void** state) {
    (void)state;
    char out[5];
    assert_true(studio_decode_path("abcd", out, sizeof out));
    assert_false(studio_decode_path("abcde", out, sizeof out));
    assert_true(studio_decode_path("%61bcd", out, sizeof out));
    assert_false(studio_decode_path("a", out, 1));
    assert_false(studio_decode_path("a", out, 0));
}

// Whatever is let through leads down, and comes back from its own address.
static void no_text_gets_out_of_the_folder(void** state) {
    (void)state;
    static const char* const pieces[] = {"..",  ".",   "/", "\\", "%2e", "%2f", "%5c",
                                         "%00", "%25", "%", "2e", "a",   "\xff"};
    uint32_t random = 1;
    unsigned passed = 0;
    for (int round = 0; round < 300000; round++) {
        char raw[64] = "", out[64], encoded[256], again[64];
        for (int i = 0; i < 7; i++) {
            random = random * 1664525u + 1013904223u;
            strcat(raw, (random >> 16) % 3 ? pieces[(random >> 20) % (sizeof pieces / sizeof *pieces)] : "");
        }
        if (!studio_decode_path(raw, out, sizeof out))
            continue;
        passed++;
        if (out[0] == '/' || out[0] == '.' || strstr(out, "/.") || strstr(out, "//") || strchr(out, '\\') ||
            out[strlen(out) - 1] == '/')
            fail_msg("'%s' became '%s'", raw, out);
        if (strchr(out, '/'))
            continue;
        assert_true(studio_encode_name(out, encoded, sizeof encoded));
        assert_true(studio_decode_path(encoded, again, sizeof again));
        assert_string_equal(out, again);
    }
    assert_true(passed > 1000);
}

static void names_that_do_not_fit_are_refused(void** state) {
    (void)state;
    char out[8];
    assert_true(studio_encode_name("a b", out, sizeof out));
    assert_string_equal(out, "a%20b");
    assert_false(studio_encode_name("a b c", out, sizeof out));
    assert_false(studio_encode_name("a", out, 1));
}

static void only_this_machine_is_our_host(void** state) {
    (void)state;
    static const char* const foreign[] = {"",
                                          "127.0.0.1",
                                          "localhost",
                                          "127.0.0.1:8081",
                                          "127.0.0.1:808",
                                          "127.0.0.1:08080",
                                          "evil:8080",
                                          "localhost.evil:8080",
                                          "127.0.0.1.evil:8080",
                                          "evil@127.0.0.1:8080",
                                          "127.0.0.1:8080 ",
                                          "[::1]:8080",
                                          "127.1:8080",
                                          "0.0.0.0:8080",
                                          "127.0.0.1:8080.evil",
                                          "127.0.0.1:8080:8080",
                                          ":8080"};
    for (size_t i = 0; i < sizeof foreign / sizeof *foreign; i++)
        if (studio_is_our_host(foreign[i], 8080))
            fail_msg("%s", foreign[i]);
    assert_true(studio_is_our_host("127.0.0.1:8080", 8080));
    assert_true(studio_is_our_host("LocalHost:8080", 8080));
    assert_true(studio_is_our_host("localhost", 80));
    assert_true(studio_is_our_origin("http://localhost:8080", 8080));
    static const char* const origins[] = {
        "null",          "", "https://127.0.0.1:8080", "http://evil", "http://127.0.0.1:8080/", "http://127.0.0.1",
        "127.0.0.1:8080"};
    for (size_t i = 0; i < sizeof origins / sizeof *origins; i++)
        if (studio_is_our_origin(origins[i], 8080))
            fail_msg("%s", origins[i]);
}

static void the_token_is_compared_whole(void** state) {
    (void)state;
    static const char token[] = "0123456789abcdef0123456789abcdef";
    assert_string_equal(studio_after_token("/0123456789abcdef0123456789abcdef/a", token), "/a");
    assert_string_equal(studio_after_token("/0123456789abcdef0123456789abcdef", token), "");
    static const char* const wrong[] = {"",
                                        "/",
                                        "0123456789abcdef0123456789abcdef/a",
                                        "/0123456789abcdef0123456789abcde",
                                        "/0123456789abcdef0123456789abcdee/",
                                        "/1123456789abcdef0123456789abcdef/",
                                        "/0123456789abcdef0123456789abcdeff/",
                                        "/0123456789ABCDEF0123456789ABCDEF/",
                                        "//0123456789abcdef0123456789abcdef/",
                                        "/%30123456789abcdef0123456789abcdef/"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        assert_null(studio_after_token(wrong[i], token));
}

static void media_types_are_those_browsers_insist_on(void** state) {
    (void)state;
    assert_string_equal(studio_media_type("assets/limber-1.wasm"), "application/wasm");
    assert_string_equal(studio_media_type("a.js"), "text/javascript; charset=utf-8");
    assert_string_equal(studio_media_type("a.css"), "text/css; charset=utf-8");
    assert_string_equal(studio_media_type("A.GLB"), "model/gltf-binary");
    assert_string_equal(studio_media_type("a.js.exe"), "application/octet-stream");
    assert_string_equal(studio_media_type("js"), "application/octet-stream");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plain_ways_down_are_decoded),       cmocka_unit_test(other_ways_are_refused),
        cmocka_unit_test(paths_that_do_not_fit_are_refused), cmocka_unit_test(no_text_gets_out_of_the_folder),
        cmocka_unit_test(names_that_do_not_fit_are_refused), cmocka_unit_test(only_this_machine_is_our_host),
        cmocka_unit_test(the_token_is_compared_whole),       cmocka_unit_test(media_types_are_those_browsers_insist_on),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
