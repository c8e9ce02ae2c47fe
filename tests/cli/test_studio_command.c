// `limber studio` as a command: what it hands to the page, where it finds its pages, whom it opens, what it refuses.
#include <dirent.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "io/file.h"
#include "kit/models.h"
#include "kit/program.h"
#include "kit/studio_kit.h"
#include "text/json.h"

#define SERVE "--no-open --files pages "

static char folder[] = "studio-command-XXXXXX";

static void write_file(const char* path, const char* text) {
    FILE* file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    assert_int_equal(fclose(file), 0);
}

static void write_figure(const char* path) {
    write_file(path, "HIERARCHY\nROOT Hips\n{\n  OFFSET 0 0 0\n"
                     "  CHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation Yrotation\n"
                     "  JOINT Chest\n  {\n    OFFSET 0 10 0\n    CHANNELS 3 Zrotation Xrotation Yrotation\n"
                     "    End Site\n    {\n      OFFSET 0 10 0\n    }\n  }\n}\n"
                     "MOTION\nFrames: 2\nFrame Time: 0.04\n0 0 0 0 0 0 0 0 0\n0 1 0 0 0 0 10 0 0\n");
}

static int set_up(void** state) {
    (void)state;
    static const char* const names[3] = {"tube.glb", "tube.gltf", "odd.glb"};
    if (!mkdtemp(folder) || chdir(folder) || mkdir("pages", 0700) || mkdir("temporary", 0700))
        return -1;
    setenv("TMPDIR", "temporary", 1);
    write_file("pages/index.html", "<title>the studio</title>");
    write_file("mine.json", "{\"limber\": 1, /* mine */ \"effects\": {\"squash\": {\"linear\": 0.25,},},}");
    write_file("joints.json", "{\"joints\": {\"Nobody\": {\"floppy\": 2}}}");
    write_file("broken.glb", "glTF and nothing else");
    write_figure("walk.bvh");
    for (int i = 0; i < 3; i++) {
        limber_gltf* gltf;
        limber_error error;
        limber_asset* asset = test_tube_create(3, 1.5f, 12, false);
        if (limber_gltf_from_asset(asset, &gltf, &error) || limber_gltf_save_file(gltf, NULL, names[i], &error))
            return -1;
        limber_gltf_destroy(gltf);
        limber_asset_destroy(asset);
    }
    return rename("odd.glb", "100%\xc3\xa4#?.GLB");
}

static int tear_down(void** state) {
    (void)state;
    return system("rm -rf pages temporary bin share elsewhere messages opened *.json *.glb *.GLB *.gltf *.bin *.bvh") ||
           chdir("..") || rmdir(folder);
}

static bool is_empty(const char* path) {
    DIR* listing = opendir(path);
    int count = 0;
    assert_non_null(listing);
    while (readdir(listing))
        count++;
    closedir(listing);
    return count == 2;
}

// --- session.json ---

static limberi_json_document session_of(const studio* s) {
    reply r = studio_get(s, "session.json");
    assert_int_equal(r.status, 200);
    assert_true(reply_has(&r, "Content-Type", "application/json"));
    limberi_json_rules rules = limberi_json_rules_exact();
    limberi_json_document session;
    assert_int_equal(limberi_json_read(r.body, r.body_size, &rules, &session, NULL), LIMBER_OK);
    assert_string_equal(limberi_json_as_text(limberi_json_get(session.root, "version")), limber_version());
    reply_free(&r);
    return session;
}

// The file the session names, under the name it should have.
static reply offered(const studio* s, const char* name) {
    limberi_json_document session = session_of(s);
    const char* url = limberi_json_as_text(limberi_json_get(session.root, "file"));
    assert_string_equal(limberi_json_as_text(limberi_json_get(session.root, "name")), name);
    assert_non_null(url);
    reply r = studio_get(s, url);
    assert_int_equal(r.status, 200);
    limberi_json_free(&session);
    return r;
}

static void expect_same(const reply* r, const char* path) {
    limberi_arena arena = {NULL, false};
    limberi_bytes bytes;
    limber_error error;
    assert_int_equal(limberi_file_read(path, 1u << 30, &arena, &bytes, &error), LIMBER_OK);
    assert_int_equal(r->body_size, bytes.size);
    assert_memory_equal(r->body, bytes.data, bytes.size);
    limberi_arena_free(&arena);
}

static void without_a_file_the_page_gets_none(void** state) {
    (void)state;
    studio s = studio_start(NULL, SERVE);
    limberi_json_document session = session_of(&s);
    assert_int_equal(limberi_json_count(session.root), 1);
    limberi_json_free(&session);
    assert_int_equal(studio_end(&s, SIGTERM), 0);
}

static void glb_and_bvh_are_handed_on_as_they_are(void** state) {
    (void)state;
    static const char* const names[2] = {"tube.glb", "walk.bvh"};
    for (int i = 0; i < 2; i++) {
        char arguments[64];
        snprintf(arguments, sizeof arguments, SERVE "./%s", names[i]);
        studio s = studio_start(NULL, arguments);
        reply r = offered(&s, names[i]);
        expect_same(&r, names[i]);
        reply_free(&r);
        r = studio_get(&s, "file/mine.json"); // this one file and no other
        assert_int_equal(r.status, 404);
        reply_free(&r);
        assert_int_equal(studio_end(&s, SIGTERM), 0);
    }
}

static void odd_names_find_their_way(void** state) {
    (void)state;
    studio s = studio_start(NULL, SERVE "100%\xc3\xa4#?.GLB");
    reply r = offered(&s, "100%\xc3\xa4#?.glb");
    expect_same(&r, "tube.glb");
    reply_free(&r);
    assert_int_equal(studio_end(&s, SIGTERM), 0);
    static const char* const names[3] = {"\xff.glb", ".glb.glb", "a\\b.glb"};
    for (int i = 0; i < 3; i++) {
        char arguments[64];
        snprintf(arguments, sizeof arguments, SERVE "%s", names[i]);
        assert_int_equal(link("tube.glb", names[i]), 0);
        s = studio_start(NULL, arguments);
        r = offered(&s, "character.glb");
        expect_same(&r, "tube.glb");
        reply_free(&r);
        assert_int_equal(studio_end(&s, SIGTERM), 0);
        unlink(names[i]);
    }
}

// Browsers could not load the .bin beside it. Under the address sanitizer this one run looks for leaks, which takes
// seconds.
static void gltf_comes_as_one_glb(void** state) {
    (void)state;
    char* options = strdup(getenv("ASAN_OPTIONS") ? getenv("ASAN_OPTIONS") : "");
    setenv("ASAN_OPTIONS", "detect_leaks=1", 1);
    studio s = studio_start(NULL, SERVE "tube.gltf --style cartoon");
    setenv("ASAN_OPTIONS", options, 1);
    free(options);
    assert_true(is_empty("temporary"));
    reply r = offered(&s, "tube.glb");
    assert_true(reply_has(&r, "Content-Type", "model/gltf-binary"));
    limber_gltf* gltf;
    limber_error error;
    assert_memory_equal(r.body, "glTF", 4);
    assert_int_equal(limber_gltf_load_memory(r.body, r.body_size, NULL, NULL, &gltf, &error), LIMBER_OK);
    assert_int_equal(limber_asset_model(limber_gltf_asset(gltf))->rig.joint_count, 3);
    limber_gltf_destroy(gltf);
    reply_free(&r);
    assert_int_equal(studio_end(&s, SIGTERM), 0);
}

static void a_page_loaded_again_reads_the_file_again(void** state) {
    (void)state;
    write_figure("again.bvh");
    studio s = studio_start(NULL, SERVE "again.bvh");
    write_file("other.bvh", "something else");
    assert_int_equal(rename("other.bvh", "again.bvh"), 0);
    reply r = offered(&s, "again.bvh");
    assert_string_equal(r.body, "something else");
    reply_free(&r);
    assert_int_equal(unlink("again.bvh"), 0);
    r = studio_get(&s, "file/again.bvh");
    assert_int_equal(r.status, 404);
    reply_free(&r);
    assert_int_equal(studio_end(&s, SIGTERM), 0);
}

static void styles_are_handed_along(void** state) {
    (void)state;
    static const char* const cases[][3] = {{SERVE "--style jelly", "jelly", NULL},
                                           {SERVE "tube.glb --style ./mine.json", "mine.json", "linear"}};
    for (int i = 0; i < 2; i++) {
        studio s = studio_start(NULL, cases[i][0]);
        limberi_json_document session = session_of(&s);
        limberi_json* effects = limberi_json_get(limberi_json_get(session.root, "style"), "effects");
        assert_true(limberi_json_count(effects) > 0);
        assert_string_equal(limberi_json_as_text(limberi_json_get(session.root, "styleName")), cases[i][1]);
        if (cases[i][2])
            assert_true(limberi_json_as_number(limberi_json_get(limberi_json_get(effects, "squash"), "linear")) ==
                        0.25);
        limberi_json_free(&session);
        assert_int_equal(studio_end(&s, SIGTERM), 0);
    }
}

// --- what it refuses ---

static void wrong_commands_are_told_before_anything_is_served(void** state) {
    (void)state;
    studio_expect_failure(NULL, SERVE "nothing.glb", 1, "nothing.glb: cannot be opened");
    studio_expect_failure(NULL, SERVE "pages", 2, ".glb, .gltf, .vrm and .bvh");
    studio_expect_failure(NULL, SERVE "mine.json", 2, ".glb, .gltf, .vrm and .bvh");
    studio_expect_failure(NULL, SERVE "broken.glb", 1, "broken.glb: ");
    studio_expect_failure(NULL, SERVE "tube.glb walk.bvh", 2, "unexpected argument");
    studio_expect_failure(NULL, SERVE "--style jely", 1, "did you mean 'jelly'?");
    studio_expect_failure(NULL, SERVE "--style nothing.json", 1, "nothing.json");
    studio_expect_failure(NULL, SERVE "tube.glb --style joints.json", 1, "Nobody");
    studio_expect_failure(NULL, SERVE "--port 65536", 2, "65535");
    studio_expect_failure(NULL, SERVE "--port -1", 2, "--port");
    studio_expect_failure(NULL, SERVE "--host 0.0.0.0", 2, "unknown option");
    studio_expect_failure(NULL, "--no-open --files temporary", 1, "temporary: has no readable index.html");
    studio_expect_failure(NULL, "--no-open --files nowhere", 1, "nowhere: has no readable index.html");
    assert_int_equal(mkdir("file.glb", 0700), 0);
    studio_expect_failure(NULL, SERVE "file.glb", 1, "file.glb: is a folder");
    assert_int_equal(rmdir("file.glb"), 0);
    if (geteuid() != 0) { // root reads everything
        assert_int_equal(chmod("broken.glb", 0), 0);
        studio_expect_failure(NULL, SERVE "broken.glb", 1, "broken.glb: cannot be opened");
    }
    assert_true(is_empty("temporary"));
}

// --- where its pages are ---

static void copy_program(const char* to) {
    char command[2048];
    snprintf(command, sizeof command, "cp \"%s\" %s", test_program(), to);
    assert_int_equal(system(command), 0);
}

static void expect_page(const char* program, const char* text) {
    studio s = studio_start(program, "--no-open");
    reply r = studio_get(&s, "");
    assert_string_equal(r.body, text);
    reply_free(&r);
    assert_int_equal(studio_end(&s, SIGTERM), 0);
}

static void pages_are_found_where_they_are_installed(void** state) {
    (void)state;
    assert_int_equal(system("mkdir -p bin elsewhere share/limber"), 0);
    copy_program("bin/limber");
    studio_expect_failure("bin/limber", "--no-open", 1, "./dev web");
    assert_int_equal(system("cp -r pages share/limber/studio"), 0);
    expect_page("bin/limber", "<title>the studio</title>");
    assert_int_equal(symlink("../bin/limber", "elsewhere/limber"), 0); // as a link on the PATH, too
    expect_page("elsewhere/limber", "<title>the studio</title>");
}

#define DEEP "elsewhere/1/2/3/4/5/6/7/8/build"

static void pages_of_a_build_are_for_its_program_only(void** state) {
    (void)state;
    assert_int_equal(system("mkdir -p " DEEP "; mkdir -p " DEEP "/" LIMBER_STUDIO_BUILT), 0);
    copy_program(DEEP "/limber");
    write_file(DEEP "/" LIMBER_STUDIO_BUILT "/index.html", "<title>the build</title>");
    studio_expect_failure(DEEP "/limber", "--no-open", 1, "./dev web");
    write_file(DEEP "/CMakeCache.txt", "");
    expect_page(DEEP "/limber", "<title>the build</title>");
}

// --- the browser ---

static void make_opener(const char* script) {
    write_file("temporary/xdg-open", script);
    assert_int_equal(chmod("temporary/xdg-open", 0700), 0);
}

typedef struct expected {
    const char *path, *words;
} expected;

static bool file_says(void* data) {
    const expected* e = data;
    char text[4096];
    FILE* file = fopen(e->path, "r");
    size_t length = file ? fread(text, 1, sizeof text - 1, file) : 0;
    text[length] = 0;
    if (file)
        fclose(file);
    return strstr(text, e->words) != NULL;
}

static void expect_file(const char* path, const char* words) {
    expected e = {path, words};
    if (!studio_wait(file_says, &e))
        fail_msg("%s never says '%s'", path, words);
}

// Only a moment: a browser that would be opened later than that is missed.
static void expect_no_browser(void) {
    expected e = {"opened", "\n"};
    nanosleep(&(struct timespec){0, 300000000}, NULL);
    assert_false(file_says(&e));
}

// The token is in a file that only its user can read, and in no argument; the file goes when the studio ends.
static void expect_secret_page(const studio* s) {
    char wanted[128], *end;
    expected found = {"opened", s->token};
    snprintf(wanted, sizeof wanted, "url=http://127.0.0.1:%u/%s/\"", s->port, s->token);
    expect_file("opened", "1 /");
    expect_file("opened", " end\n-rw------- ");
    assert_false(file_says(&found));
    expect_file("page", wanted);
    FILE* file = fopen("opened", "r");
    char line[512];
    assert_non_null(fgets(line, sizeof line, file));
    fclose(file);
    end = strstr(line, " end");
    assert_non_null(end);
    *end = 0;
    assert_int_equal(access(line + 2, F_OK), 0);
    write_file("page", line + 2);
}

static void expect_page_is_gone(void) {
    char path[512] = "";
    FILE* file = fopen("page", "r");
    assert_non_null(fgets(path, sizeof path, file));
    fclose(file);
    assert_int_equal(access(path, F_OK), -1);
    *strrchr(path, '/') = 0;
    assert_int_equal(access(path, F_OK), -1);
    unlink("page");
}

static void the_browser_gets_the_address_and_outlives_us(void** state) {
    (void)state;
    char text[4096], *path = strdup(getenv("PATH"));
    make_opener("#!/bin/sh\n{ echo \"$# $1 end\"; ls -l \"$1\"; } >opened\ncat \"$1\" >page\n"
                "sleep 1\necho alive >>opened\n");
    snprintf(text, sizeof text, "temporary:%s", path);
    setenv("PATH", text, 1);
    unsetenv("WAYLAND_DISPLAY");
    setenv("DISPLAY", ":9", 1);
    studio s = studio_start(NULL, "--files pages tube.glb");
    expect_secret_page(&s);
    assert_int_equal(studio_end(&s, SIGINT), 0);
    expect_page_is_gone();
    expect_file("opened", "alive");
    unlink("opened");
    // Not a shell, which would open its ears by itself.
    make_opener("#!/usr/bin/awk -f\nBEGIN { while ((getline < \"/proc/self/status\") > 0) print > \"opened\" }\n");
    s = studio_start(NULL, "--files pages");
    expect_file("opened", "SigBlk:\t0000000000000000\n");
    assert_int_equal(studio_end(&s, SIGTERM), 0);
    unlink("opened");
    make_opener("#!/bin/sh\nexit 3\n");
    s = studio_start(NULL, "--files pages");
    expect_file("messages", "could not open a browser");
    assert_int_equal(studio_end(&s, SIGTERM), 0);
    make_opener("#!/bin/sh\necho >opened\n");
    s = studio_start(NULL, SERVE);
    expect_no_browser();
    assert_int_equal(studio_end(&s, SIGTERM), 0);
    unsetenv("DISPLAY");
    s = studio_start(NULL, "--files pages");
    expect_no_browser();
    assert_int_equal(studio_end(&s, SIGTERM), 0);
    setenv("PATH", path, 1);
    free(path);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(without_a_file_the_page_gets_none),
        cmocka_unit_test(glb_and_bvh_are_handed_on_as_they_are),
        cmocka_unit_test(odd_names_find_their_way),
        cmocka_unit_test(gltf_comes_as_one_glb),
        cmocka_unit_test(a_page_loaded_again_reads_the_file_again),
        cmocka_unit_test(styles_are_handed_along),
        cmocka_unit_test(wrong_commands_are_told_before_anything_is_served),
        cmocka_unit_test(pages_are_found_where_they_are_installed),
        cmocka_unit_test(pages_of_a_build_are_for_its_program_only),
        cmocka_unit_test(the_browser_gets_the_address_and_outlives_us),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
