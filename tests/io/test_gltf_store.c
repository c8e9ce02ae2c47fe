// Bakes that wait on the disk until they are written.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "characters/characters.h"
#include "kit/gltf_save.h"
#include "kit/models.h"
#include <limber/limber.h>
#include <limber/stages/stages.h>

static limber_pipeline* twisted(const limber_asset* asset) {
    limber_stage_settings settings;
    limber_pipeline* pipeline;
    settings = limber_stage_settings_default();
    settings.skinning = LIMBER_SKINNING_DUALQUAT;
    assert_int_equal(limber_pipeline_create_from_settings(asset, &settings, &pipeline, NULL), LIMBER_OK);
    return pipeline;
}

static limber_bake* bake_as(limber_pipeline* pipeline, const limber_bake_settings* settings, limber_result expected) {
    limber_bake* bake;
    limber_error error = {0};
    assert_int_equal(limber_pipeline_bake(pipeline, settings, &bake, &error), expected);
    assert_true((bake != NULL) == (expected == LIMBER_OK));
    return bake;
}

static limber_gltf* save_baked(const limber_asset* asset, const limber_bake* bake, const char* name) {
    limber_gltf* gltf;
    assert_int_equal(limber_gltf_from_asset(asset, &gltf, NULL), LIMBER_OK);
    limber_gltf_edits edits = limber_gltf_edits_default();
    edits.bake = bake;
    limber_gltf* back = save_and_load(gltf, &edits, name);
    limber_gltf_destroy(gltf);
    return back;
}

static char* bytes_of(const char* name, size_t* size) {
    FILE* file = fopen(in_folder(name), "rb");
    assert_non_null(file);
    char* bytes = malloc(1 << 24);
    *size = fread(bytes, 1, 1 << 24, file);
    fclose(file);
    return bytes;
}

static void a_bake_through_the_disk_writes_the_same_bytes(void** state) {
    (void)state;
    limber_asset* asset = test_tube_create(3, 2, 30, false);
    limber_pipeline* pipeline = twisted(asset);
    limber_bake_store* store;
    for (int kind = 0; kind < 2; kind++) {
        limber_bake_settings settings = limber_bake_settings_default();
        settings.kind = kind ? LIMBER_BAKE_VERTEX : LIMBER_BAKE_CORRECTIVE;
        limber_bake* memory = bake_as(pipeline, &settings, LIMBER_OK);
        assert_int_equal(limber_gltf_store_open(in_folder("disk.glb"), &store, NULL), LIMBER_OK);
        settings.store = store;
        limber_bake* disk = bake_as(pipeline, &settings, LIMBER_OK);
        assert_true(disk->meshes[0].target_count > 20 && !disk->meshes[0].positions && disk->meshes[0].rows);
        limber_gltf_destroy(save_baked(asset, memory, "memory.glb"));
        limber_gltf_destroy(save_baked(asset, disk, "disk.glb"));
        size_t sizes[2];
        char *a = bytes_of("memory.glb", &sizes[0]), *b = bytes_of("disk.glb", &sizes[1]);
        assert_true(sizes[0] == sizes[1] && memcmp(a, b, sizes[0]) == 0);
        free(a);
        free(b);
        limber_bake_destroy(memory);
        limber_bake_destroy(disk);
        limber_gltf_store_close(store);
    }
    assert_int_equal(count_files(true), 2); // what waited there has no name
    limber_pipeline_destroy(pipeline);
    limber_asset_destroy(asset);
}

static void expect_targets(const limber_gltf* gltf, const limber_bake* bake) {
    const limber_mesh* mesh = &limber_asset_model(limber_gltf_asset(gltf))->meshes[0];
    const limber_bake_mesh* baked = &bake->meshes[0];
    size_t width = 3 * (size_t)mesh->vertex_count, bytes = width * sizeof(float);
    assert_true(mesh->morph_count == baked->target_count && mesh->morph_count > 20);
    for (uint32_t t = 0; t < mesh->morph_count; t++) {
        assert_memory_equal(mesh->morphs[t].positions, baked->positions + t * width, bytes);
        assert_memory_equal(mesh->morphs[t].normals, baked->normals + t * width, bytes);
    }
}

// Baked into the .glb itself, with room for the text of so many frames.
static void expect_inside(limber_pipeline* pipeline, limber_bake_settings settings, uint32_t frames) {
    const limber_asset* asset = limber_pipeline_asset(pipeline);
    limber_bake* memory = bake_as(pipeline, &settings, LIMBER_OK);
    limber_bake_store* store;
    limber_gltf *gltf, *back;
    assert_int_equal(limber_gltf_from_asset(asset, &gltf, NULL), LIMBER_OK);
    assert_int_equal(limber_gltf_store_open_inside(gltf, frames, in_folder("in.glb"), &store, NULL), LIMBER_OK);
    assert_int_equal(count_files(false), 1); // under a temporary name
    settings.store = store;
    limber_bake* bake = bake_as(pipeline, &settings, LIMBER_OK);
    back = save_baked(asset, bake, "other.glb"); // that is not this file: the targets are copied
    expect_targets(back, memory);
    limber_gltf_destroy(back);
    assert_int_equal(count_files(false), 2);
    back = save_baked(asset, bake, "in.glb");
    expect_targets(back, memory);
    limber_gltf_edits edits = limber_gltf_edits_default();
    limber_error error;
    edits.bake = bake;
    if (frames) { // it has been taken out of the store
        assert_int_equal(limber_gltf_save_file(gltf, &edits, in_folder("in.glb"), &error), LIMBER_ERROR_FILE);
        assert_int_equal(limber_gltf_save_file(gltf, &edits, in_folder("other.glb"), &error), LIMBER_ERROR_FILE);
    }
    assert_int_equal(count_files(false), frames ? 2 : 3); // the temporary one is the file now, or its bytes were copied
    limber_gltf_destroy(back);
    limber_bake_destroy(bake);
    limber_gltf_store_close(store);
    assert_int_equal(count_files(true), 2);
    limber_bake_destroy(memory);
    limber_gltf_destroy(gltf);
}

static void a_bake_inside_the_file_comes_back(void** state) {
    (void)state;
    limber_asset* asset = test_tube_create(3, 2, 30, false);
    limber_pipeline* pipeline = twisted(asset);
    limber_bake_settings settings = limber_bake_settings_default();
    settings.kind = LIMBER_BAKE_CORRECTIVE;
    expect_inside(pipeline, settings, 31);
    settings.fps = 240; // more text than there is room for
    expect_inside(pipeline, settings, 0);
    settings.fps = 0;
    settings.kind = LIMBER_BAKE_VERTEX;
    expect_inside(pipeline, settings, 31);
    limber_pipeline_destroy(pipeline);
    limber_asset_destroy(asset);
}

static void a_bake_that_is_not_saved_leaves_nothing_inside(void** state) {
    (void)state;
    limber_asset* asset = test_tube_create(3, 2, 30, false);
    limber_pipeline* pipeline = twisted(asset);
    limber_bake_settings settings = limber_bake_settings_default();
    settings.kind = LIMBER_BAKE_CORRECTIVE;
    limber_bake_store* store;
    limber_gltf* gltf;
    limber_error error;
    assert_int_equal(limber_gltf_from_asset(asset, &gltf, NULL), LIMBER_OK);
    assert_int_equal(limber_gltf_store_open_inside(gltf, 31, in_folder("no/x.glb"), &store, &error), LIMBER_ERROR_FILE);
    assert_null(store);
    assert_int_equal(limber_gltf_store_open_inside(gltf, 31, in_folder("x.glb"), &store, NULL), LIMBER_OK);
    settings.store = store;
    limber_bake_destroy(bake_as(pipeline, &settings, LIMBER_OK));
    limber_gltf_store_close(store);
    assert_int_equal(count_files(false), 0);
    limber_gltf_destroy(gltf);
    limber_pipeline_destroy(pipeline);
    limber_asset_destroy(asset);
}

// 600 frames, each with a target of its own: of 360,000 weights 600 are not 0.
static void many_weights_are_sparse_and_come_back(void** state) {
    (void)state;
    limber_asset* asset = test_tube_create(3, 2, 30, false);
    limber_pipeline* pipeline = twisted(asset);
    limber_bake_settings settings = limber_bake_settings_default();
    settings.kind = LIMBER_BAKE_CORRECTIVE;
    limber_bake_store* store;
    assert_int_equal(limber_gltf_store_open(in_folder("many.glb"), &store, NULL), LIMBER_OK);
    settings.store = store;
    settings.fps = 600;
    limber_bake* bake = bake_as(pipeline, &settings, LIMBER_OK);
    limber_gltf* back = save_baked(asset, bake, "many.glb");
    const limber_clip* clip = &limber_asset_model(limber_gltf_asset(back))->clips[0];
    const limber_channel* channel = &clip->channels[clip->weights_of_mesh[0]];
    size_t targets = bake->meshes[0].target_count;
    assert_true(targets > 550 && channel->key_count == 601);
    for (size_t f = 0; f < channel->key_count; f++)
        for (size_t t = 0; t < targets; t++)
            assert_true(channel->values[f * targets + t] == (bake->meshes[0].shown[0][f] == (int32_t)t ? 1 : 0));
    size_t size;
    free(bytes_of("many.glb", &size));
    assert_true(size < 4 * 600 * 600);
    limber_gltf_destroy(back);
    limber_bake_destroy(bake);
    limber_gltf_store_close(store);
    count_files(true);
    limber_pipeline_destroy(pipeline);
    limber_asset_destroy(asset);
}

// A cow's head that shakes moves few of its vertices.
static void targets_that_move_little_are_sparse(void** state) {
    (void)state;
    limber_asset* asset;
    limber_error error;
    assert_int_equal(limberi_character_create("cow", 1, &asset, &error), LIMBER_OK);
    limber_pipeline* pipeline = twisted(asset);
    limber_bake_settings settings = limber_bake_settings_default();
    settings.kind = LIMBER_BAKE_CORRECTIVE;
    const uint32_t clip = 2;
    settings.clips = &clip;
    settings.clip_count = 1;
    limber_bake* bake = bake_as(pipeline, &settings, LIMBER_OK);
    limber_gltf* back = save_baked(asset, bake, "cow.glb");
    const limber_mesh* mesh = &limber_asset_model(limber_gltf_asset(back))->meshes[0];
    const limber_bake_mesh* baked = &bake->meshes[0];
    size_t width = 3 * (size_t)mesh->vertex_count, sparse = 0;
    assert_int_equal(mesh->morph_count, baked->target_count);
    for (uint32_t t = 0; t < mesh->morph_count; t++) {
        assert_memory_equal(mesh->morphs[t].positions, baked->positions + t * width, width * sizeof(float));
        assert_memory_equal(mesh->morphs[t].normals, baked->normals + t * width, width * sizeof(float));
    }
    for (uint32_t i = 0; i < limberi_json_count(at(back, "accessors")); i++)
        sparse += limberi_json_get(limberi_json_at(at(back, "accessors"), i), "sparse") != NULL;
    assert_true(sparse > mesh->morph_count);
    limber_gltf_destroy(back);
    limber_bake_destroy(bake);
    count_files(true);
    limber_pipeline_destroy(pipeline);
    limber_asset_destroy(asset);
}

// A disk that fills up after some bytes, and one that forgets.
typedef struct bad_disk {
    uint64_t room;
    bool forgets;
    limber_bake_store* real;
} bad_disk;

static bool put(void* user, uint64_t offset, const void* bytes, size_t count) {
    bad_disk* disk = user;
    return offset + count <= disk->room && disk->real->put(disk->real->user, offset, bytes, count);
}

static bool get(void* user, uint64_t offset, void* bytes, size_t count) {
    bad_disk* disk = user;
    return !disk->forgets && disk->real->get(disk->real->user, offset, bytes, count);
}

static void a_bad_disk_is_an_error_and_leaves_nothing(void** state) {
    (void)state;
    limber_asset* asset = test_tube_create(3, 2, 30, false);
    limber_pipeline* pipeline = twisted(asset);
    limber_bake_settings settings = limber_bake_settings_default();
    settings.kind = LIMBER_BAKE_CORRECTIVE;
    bad_disk disk = {1000, false, NULL};
    limber_bake_store store = {put, get, &disk};
    assert_int_equal(limber_gltf_store_open(in_folder("x.glb"), &disk.real, NULL), LIMBER_OK);
    settings.store = &store;
    bake_as(pipeline, &settings, LIMBER_ERROR_FILE);
    disk.room = UINT64_MAX;
    limber_bake* bake = bake_as(pipeline, &settings, LIMBER_OK);
    disk.forgets = true;
    limber_gltf* gltf;
    limber_error error;
    assert_int_equal(limber_gltf_from_asset(asset, &gltf, NULL), LIMBER_OK);
    limber_gltf_edits edits = limber_gltf_edits_default();
    edits.bake = bake;
    assert_int_equal(limber_gltf_save_file(gltf, &edits, in_folder("x.glb"), &error), LIMBER_ERROR_FILE);
    assert_non_null(strstr(error.message, "disk"));
    assert_int_equal(count_files(false), 0);
    limber_gltf_store_close(disk.real);
    assert_int_equal(limber_gltf_store_open(in_folder("no/such/x.glb"), &disk.real, &error), LIMBER_ERROR_FILE);
    assert_null(disk.real);
    limber_gltf_destroy(gltf);
    limber_bake_destroy(bake);
    limber_pipeline_destroy(pipeline);
    limber_asset_destroy(asset);
}

static void an_estimate_comes_near(void** state) {
    (void)state;
    limber_asset* asset = test_tube_create(3, 2, 30, false);
    limber_pipeline* pipeline = twisted(asset);
    limber_bake_settings settings = limber_bake_settings_default();
    settings.kind = LIMBER_BAKE_CORRECTIVE;
    settings.fps = 200;
    for (int i = 0; i < 2; i++) {
        limber_bake_estimate estimate;
        assert_int_equal(limber_pipeline_bake_estimate(pipeline, &settings, &estimate, NULL), LIMBER_OK);
        limber_bake* bake = bake_as(pipeline, &settings, LIMBER_OK);
        double targets = bake->meshes[0].target_count;
        size_t with, without;
        limber_gltf_destroy(save_baked(asset, bake, "with.glb"));
        limber_gltf_destroy(save_baked(asset, NULL, "without.glb"));
        free(bytes_of("with.glb", &with));
        free(bytes_of("without.glb", &without));
        assert_int_equal(estimate.frame_count, 201);
        assert_true(estimate.target_count >= targets / 2 && estimate.target_count <= 2 * targets);
        assert_true(estimate.byte_count > (with - without) / 2 && estimate.byte_count < 2 * (with - without));
        limber_bake_destroy(bake);
        settings.tolerance = 1e-3;
    }
    count_files(true);
    settings.tolerance = 0;
    settings.max_bytes = 10000;
    bake_as(pipeline, &settings, LIMBER_ERROR_LIMIT);
    limber_pipeline_destroy(pipeline);
    limber_asset_destroy(asset);
}

// Runs of equal bytes: a length and the byte.
static bool wrong; // sticky: what is packed is not what was asked for
static uint32_t filtered_views;

static size_t pack_runs(const limber_gltf_unpacked* view) {
    size_t size = view->count * view->stride, used = 0;
    if (!view->out)
        return 2 * size;
    filtered_views += view->filter == LIMBER_PACKED_EXPONENTIAL && view->bits <= 16;
    for (size_t i = 0, run; i < size; i += run) {
        for (run = 1; run < 255 && i + run < size && view->bytes[i + run] == view->bytes[i];)
            run++;
        view->out[used++] = (uint8_t)run;
        view->out[used++] = (uint8_t)(view->bytes[i] ^ wrong);
    }
    return used;
}

static bool unpack_runs(const limber_gltf_packed* packed) {
    size_t used = 0, size = packed->count * packed->stride;
    for (size_t i = 0; i + 1 < packed->byte_count; i += 2) {
        if (used + packed->bytes[i] > size)
            return false;
        memset(packed->out + used, packed->bytes[i + 1], packed->bytes[i]);
        used += packed->bytes[i];
    }
    return used == size;
}

static void packed_views_come_back_or_nothing_is_written(void** state) {
    (void)state;
    limber_asset* asset;
    limber_gltf *gltf, *back;
    limber_error error;
    assert_int_equal(limberi_character_create("cow", 1, &asset, &error), LIMBER_OK);
    assert_int_equal(limber_gltf_from_asset(asset, &gltf, NULL), LIMBER_OK);
    limber_pipeline* pipeline = twisted(asset);
    limber_bake_settings settings = limber_bake_settings_default();
    settings.kind = LIMBER_BAKE_CORRECTIVE;
    settings.fps = 10;
    limber_bake* bake = bake_as(pipeline, &settings, LIMBER_OK);
    limber_gltf_edits edits = limber_gltf_edits_default();
    edits.bake = bake;
    limber_gltf* plain = save_and_load(gltf, &edits, "plain.glb");
    edits.pack = pack_runs;
    edits.unpack = unpack_runs;
    limber_gltf_limits limits = limber_gltf_limits_default();
    limits.unpack = unpack_runs;
    const char* names[] = {"packed.glb", "packed.gltf"};
    for (int i = 0; i < 2; i++) {
        filtered_views = 0;
        assert_int_equal(limber_gltf_save_file(gltf, &edits, in_folder(names[i]), &error), LIMBER_OK);
        assert_true(filtered_views > 0);
        assert_int_equal(limber_gltf_load_file(in_folder(names[i]), NULL, &back, &error), LIMBER_ERROR_UNSUPPORTED);
        assert_int_equal(limber_gltf_load_file(in_folder(names[i]), &limits, &back, &error), LIMBER_OK);
        const limber_mesh *a = &limber_asset_model(limber_gltf_asset(plain))->meshes[0],
                          *b = &limber_asset_model(limber_gltf_asset(back))->meshes[0];
        size_t bytes = 3 * (size_t)a->vertex_count * sizeof(float);
        assert_int_equal(a->morph_count, b->morph_count);
        for (uint32_t t = 0; t < a->morph_count; t++)
            assert_memory_equal(a->morphs[t].positions, b->morphs[t].positions, bytes);
        assert_memory_equal(a->positions, b->positions, bytes);
        limber_gltf_destroy(back);
    }
    count_files(true);
    wrong = true;
    assert_int_equal(limber_gltf_save_file(gltf, &edits, in_folder("x.glb"), &error), LIMBER_ERROR_DATA);
    edits.unpack = NULL;
    assert_int_equal(limber_gltf_save_file(gltf, &edits, in_folder("x.glb"), &error), LIMBER_ERROR_ARGUMENT);
    assert_int_equal(count_files(false), 0);
    limber_gltf_destroy(plain);
    limber_gltf_destroy(gltf);
    limber_bake_destroy(bake);
    limber_pipeline_destroy(pipeline);
    limber_asset_destroy(asset);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_bake_through_the_disk_writes_the_same_bytes),
        cmocka_unit_test(a_bake_inside_the_file_comes_back),
        cmocka_unit_test(a_bake_that_is_not_saved_leaves_nothing_inside),
        cmocka_unit_test(many_weights_are_sparse_and_come_back),
        cmocka_unit_test(targets_that_move_little_are_sparse),
        cmocka_unit_test(a_bad_disk_is_an_error_and_leaves_nothing),
        cmocka_unit_test(an_estimate_comes_near),
        cmocka_unit_test(packed_views_come_back_or_nothing_is_written),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
