// Bakes on several threads: the same file, byte for byte, as on one.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "characters/characters.h"
#include "cli/pool.h"
#include "kit/models.h"
#include <limber/limber.h>
#include <limber/stages/stages.h>

typedef struct whole_file {
    char* bytes;
    size_t size;
} whole_file;

static whole_file read_whole(const char* path) {
    whole_file file;
    FILE* stream = fopen(path, "rb");
    assert_non_null(stream);
    assert_int_equal(fseek(stream, 0, SEEK_END), 0);
    file.size = (size_t)ftell(stream);
    rewind(stream);
    file.bytes = malloc(file.size + 1);
    assert_non_null(file.bytes);
    assert_int_equal(fread(file.bytes, 1, file.size, stream), file.size);
    fclose(stream);
    return file;
}

static const char* own_path(void) {
    static char path[64];
    snprintf(path, sizeof path, "limber-bake-threads-%d.glb", (int)getpid());
    return path;
}

static whole_file save(const limber_asset* asset, const limber_bake* bake, const limber_parallel* parallel) {
    const char* path = own_path();
    limber_error error;
    limber_gltf* gltf;
    limber_gltf_edits edits = limber_gltf_edits_default();
    edits.bake = bake;
    edits.parallel = parallel;
    assert_int_equal(limber_gltf_from_asset(asset, &gltf, &error), LIMBER_OK);
    if (limber_gltf_save_file(gltf, &edits, path, &error) != LIMBER_OK)
        fail_msg("%s: %s", error.place, error.message);
    whole_file file = read_whole(path);
    assert_int_equal(unlink(path), 0);
    limber_gltf_destroy(gltf);
    return file;
}

static bool inside;    // the .glb itself is where targets go
static bool estimated; // before the bake, as `apply` does

static limber_bake_store* open_inside(const limber_asset* asset) {
    limber_gltf* gltf;
    limber_bake_store* store;
    limber_error error;
    assert_int_equal(limber_gltf_from_asset(asset, &gltf, &error), LIMBER_OK);
    assert_int_equal(limber_gltf_store_open_inside(gltf, 100, own_path(), &store, &error), LIMBER_OK);
    limber_gltf_destroy(gltf);
    return store;
}

static whole_file bake_with(const limber_asset* asset, const char* style_text, const limber_bake_settings* given,
                            uint32_t threads) {
    limber_bake_settings copy = *given, *settings = &copy;
    limber_bake_store* store = inside ? open_inside(asset) : NULL;
    copy.store = inside ? store : copy.store;
    limber_style* style;
    limber_pipeline* pipeline = NULL;
    limber_bake* bake;
    limber_error error;
    cli_pool* pool = NULL;
    assert_int_equal(limber_style_create(&style, &error), LIMBER_OK);
    if (limber_style_read(style, style_text, strlen(style_text), &error) != LIMBER_OK ||
        limber_pipeline_create(asset, style, &pipeline, &error) != LIMBER_OK)
        fail_msg("%s: %s: %s", style_text, error.place, error.message);
    if (threads)
        assert_int_equal(cli_pool_lend(&pool, threads, pipeline), LIMBER_OK);
    limber_bake_estimate estimate;
    if (estimated && limber_pipeline_bake_estimate(pipeline, settings, &estimate, &error) != LIMBER_OK)
        fail_msg("%s: %s: %s", style_text, error.place, error.message);
    if (limber_pipeline_bake(pipeline, settings, &bake, &error) != LIMBER_OK)
        fail_msg("%s: %s: %s", style_text, error.place, error.message);
    limber_parallel parallel = {0};
    if (pool)
        parallel = cli_pool_parallel(pool);
    whole_file file = save(asset, bake, pool ? &parallel : NULL);
    limber_bake_destroy(bake);
    limber_pipeline_destroy(pipeline);
    limber_style_destroy(style);
    cli_pool_destroy(pool);
    limber_gltf_store_close(store);
    return file;
}

static void compare(const limber_asset* asset, const char* style, const limber_bake_settings* settings) {
    static const uint32_t threads[] = {1, 2, 3, 8};
    whole_file alone = bake_with(asset, style, settings, 0);
    for (size_t i = 0; i < sizeof threads / sizeof *threads; i++) {
        whole_file file = bake_with(asset, style, settings, threads[i]);
        if (file.size != alone.size || memcmp(file.bytes, alone.bytes, file.size) != 0)
            fail_msg("%s, kind %d, tolerance %g: %u threads give another file", style, settings->kind,
                     settings->tolerance, threads[i]);
        free(file.bytes);
    }
    free(alone.bytes);
}

static const char floppy[] =
    "{\"effects\": {\"floppy\": {\"linear\": 0.1, \"angular\": 0.5, "
    "\"filter\": {\"type\": \"spring\", \"frequency\": 3, \"damping\": 0.3}},"
    " \"squash\": {\"linear\": 0.1}}, \"rigid\": \"auto\", \"contact\": 1, \"floor\": \"auto\"}";
static const char smeared[] =
    "{\"smear\": {\"offsets\": {\"skeleton\": true}, \"elongate\": {\"amount\": \"1.5 * offset * speed\"},"
    " \"multiples\": {\"past\": 1, \"future\": 1}, \"lines\": {\"count\": 8, \"min_speed\": 0}}}";
static const char drawn[] = "{\"smear\": {\"stretch\": {\"amount\": 1}, \"ribbon\": {\"amount\": 1}}}";
static const char exaggerated[] =
    "{\"exaggerate\": {\"filter\": {\"amount\": 0.5}}, \"effects\": {\"drag\": {\"linear\": 0.05}}}";

static void compare_kinds(const limber_asset* asset, const char* style) {
    limber_bake_settings settings = limber_bake_settings_default();
    settings.kind = LIMBER_BAKE_CORRECTIVE;
    settings.fps = 12;
    compare(asset, style, &settings);
    settings.tolerance = 0.002;
    compare(asset, style, &settings);
    settings.kind = LIMBER_BAKE_VERTEX;
    compare(asset, style, &settings);
    settings.kind = LIMBER_BAKE_BONES;
    compare(asset, style, &settings);
    settings.packs_clips = 1;
    settings.shares = 1;
    compare(asset, style, &settings);
}

static void targets_and_bones_are_the_same(void** state) {
    (void)state;
    limber_asset* tube = test_tube_create(4, 1, 24, true);
    compare_kinds(tube, floppy);
    compare_kinds(tube, exaggerated);
    limber_asset_destroy(tube);
}

static void smears_are_the_same(void** state) {
    (void)state;
    limber_asset* tube = test_tube_create(3, 1.5f, 24, false);
    limber_bake_settings settings = limber_bake_settings_default();
    settings.kind = LIMBER_BAKE_CORRECTIVE;
    settings.fps = 12;
    compare(tube, smeared, &settings);
    settings.tolerance = 0.002;
    compare(tube, smeared, &settings);
    limber_asset_destroy(tube);
}

// Which frames a thread has seen before says nothing about the colors of ribbons that are still hidden.
static void colors_of_ribbons_are_the_same(void** state) {
    (void)state;
    limber_asset* snail;
    limber_error error;
    limber_bake_settings settings = limber_bake_settings_default();
    settings.kind = LIMBER_BAKE_CORRECTIVE;
    settings.fps = 12;
    assert_int_equal(limberi_character_create("snail", 0.5, &snail, &error), LIMBER_OK);
    estimated = true;
    compare(snail, drawn, &settings);
    estimated = false;
    limber_asset_destroy(snail);
}

static void targets_on_the_disk_are_the_same(void** state) {
    (void)state;
    limber_asset* tube = test_tube_create(4, 1, 24, true);
    limber_bake_settings settings = limber_bake_settings_default();
    settings.kind = LIMBER_BAKE_CORRECTIVE;
    limber_bake_store* store;
    limber_error error;
    assert_int_equal(limber_gltf_store_open("limber-bake-threads.glb", &store, &error), LIMBER_OK);
    settings.fps = 24;
    whole_file memory = bake_with(tube, floppy, &settings, 0);
    settings.store = store;
    compare(tube, floppy, &settings);
    whole_file disk = bake_with(tube, floppy, &settings, 3);
    assert_true(memory.size == disk.size && memcmp(memory.bytes, disk.bytes, disk.size) == 0);
    free(memory.bytes);
    free(disk.bytes);
    limber_gltf_store_close(store);
    limber_asset_destroy(tube);
}

static void targets_inside_the_file_are_the_same(void** state) {
    (void)state;
    limber_asset* tube = test_tube_create(4, 1, 24, true);
    limber_bake_settings settings = limber_bake_settings_default();
    settings.fps = 48;
    inside = true;
    compare(tube, floppy, &settings);
    compare(tube, smeared, &settings);
    settings.kind = LIMBER_BAKE_VERTEX;
    compare(tube, floppy, &settings);
    inside = false;
    limber_asset_destroy(tube);
}

static void many_clips_are_the_same(void** state) {
    (void)state;
    limber_asset* ball;
    limber_error error;
    limber_bake_settings settings = limber_bake_settings_default();
    settings.kind = LIMBER_BAKE_CORRECTIVE;
    settings.fps = 6;
    settings.tolerance = 0.002;
    assert_int_equal(limberi_character_create("ball", 0.5, &ball, &error), LIMBER_OK);
    assert_true(limber_asset_model(ball)->clip_count > 1);
    compare(ball, floppy, &settings);
    settings.range_start_s = 0.2; // plain frames on either side
    settings.range_end_s = 0.7;
    compare(ball, floppy, &settings);
    limber_asset_destroy(ball);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(targets_and_bones_are_the_same),   cmocka_unit_test(smears_are_the_same),
        cmocka_unit_test(targets_on_the_disk_are_the_same), cmocka_unit_test(targets_inside_the_file_are_the_same),
        cmocka_unit_test(many_clips_are_the_same),          cmocka_unit_test(colors_of_ribbons_are_the_same),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
