// Memory may run out at any allocation of the writer: it then says so, leaves no file and
// leaks nothing (the sanitizer build sees to that).
#include "kit/failing_memory.h"
#include "kit/gltf_save.h"

static const float layer_values[8] = {0};
static const limber_gltf_layer layer = {0, {"ears", layer_values}};

static size_t pack_nothing(const limber_gltf_unpacked* view) {
    return view->out ? 0 : view->count * view->stride;
}

static bool unpack_nothing(const limber_gltf_packed* packed) {
    (void)packed;
    return false;
}

// Into a file, or into memory: plain views, and such that could be packed.
static limber_result save(const limber_gltf* gltf, limber_gltf_edits* edits, const char* name, limber_error* error) {
    void* bytes;
    size_t count;
    if (strcmp(name, "memory") != 0 && strcmp(name, "packed memory") != 0)
        return limber_gltf_save_file(gltf, edits, in_folder(name), error);
    edits->pack = strcmp(name, "memory") == 0 ? NULL : pack_nothing;
    edits->unpack = unpack_nothing;
    limber_result result = limber_gltf_save_memory(gltf, edits, &bytes, &count, error);
    if (result != LIMBER_OK && result != LIMBER_ERROR_MEMORY)
        fail_msg("%s: %s", name, error->message);
    assert_true((result == LIMBER_OK) == (bytes != NULL) && (result == LIMBER_OK) == (count > 0));
    limber_release(bytes);
    return result;
}

// A bake of one target per mesh and frame, so that every kind of edit is in the file.
static limber_result bake_and_save(const limber_gltf* gltf, limber_bake_kind kind, const char* name,
                                   limber_error* error) {
    float numbers[48] = {0}, weights[2] = {0, 1}, frame_times[2] = {0, 0.7f};
    float* tracks[1] = {weights};
    limber_bake_mesh meshes[2];
    memset(meshes, 0, sizeof meshes);
    for (int m = 0; m < 2; m++) {
        meshes[m].target_count = 1;
        meshes[m].positions = meshes[m].normals = numbers;
        meshes[m].base_positions = meshes[m].base_normals = kind == LIMBER_BAKE_VERTEX ? numbers : NULL;
        meshes[m].weights = tracks;
    }
    limber_bake_track track = {.frame_count = 2, .times = frame_times};
    limber_bake bake = {.kind = kind, .mesh_count = 2, .meshes = meshes, .track_count = 1, .tracks = &track};
    limber_gltf_edits edits = limber_gltf_edits_default();
    edits.bake = &bake;
    edits.style = "{\"limber\": 1}";
    edits.layer_count = 1;
    edits.layers = &layer;
    limber_channel channel = {LIMBER_CHANNEL_TRANSLATION, LIMBER_INTERPOLATION_LINEAR, 0, 2, frame_times, numbers};
    limber_clip clip = limber_asset_model(limber_gltf_asset(gltf))->clips[0];
    clip.channels = &channel;
    clip.channel_count = 1;
    limber_stretch stretch = {1, {0, 1, 0}, 2, frame_times, weights};
    limber_edited_clip edited = {0, &clip, 1, &stretch};
    edits.clips = &edited;
    edits.clip_count = 1;
    return save(gltf, &edits, name, error);
}

static void fail_everywhere(const limber_gltf* gltf, limber_bake_kind kind, const char* name) {
    long failures = 0;
    for (;; failures++) {
        limber_error error;
        count_files(true);
        test_memory_allow(failures);
        limber_result result = bake_and_save(gltf, kind, name, &error);
        bool done = !test_memory_end();
        if (done)
            break;
        if (result == LIMBER_OK)
            fail_msg("%s: allocation %ld failed and nobody noticed", name, failures);
        assert_int_equal(count_files(false), 0);
    }
    print_message("%s: %ld allocations\n", name, failures);
    assert_true(failures > 100);
}

static void each_failing_allocation_is_reported(void** state) {
    (void)state;
    gltf_kit kit;
    kit_character(&kit);
    limber_gltf* gltf = load_kit(&kit);
    fail_everywhere(gltf, LIMBER_BAKE_CORRECTIVE, "corrective.glb");
    fail_everywhere(gltf, LIMBER_BAKE_VERTEX, "vertex.gltf");
    fail_everywhere(gltf, LIMBER_BAKE_CORRECTIVE, "memory");
    fail_everywhere(gltf, LIMBER_BAKE_VERTEX, "packed memory");
    limber_gltf_destroy(gltf);
}

static void building_reports_them_too(void** state) {
    (void)state;
    gltf_kit kit;
    kit_character(&kit);
    limber_gltf* source = load_kit(&kit);
    for (long failures = 0;; failures++) {
        limber_gltf* gltf;
        limber_error error;
        test_memory_allow(failures);
        limber_result result = limber_gltf_from_asset(limber_gltf_asset(source), &gltf, &error);
        bool done = !test_memory_end();
        if (result == LIMBER_OK)
            limber_gltf_destroy(gltf);
        if (done)
            break;
        assert_int_equal(result, LIMBER_ERROR_MEMORY);
    }
    limber_gltf_destroy(source);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_failing_allocation_is_reported),
        cmocka_unit_test(building_reports_them_too),
    };
    return cmocka_run_group_tests_name("gltf write allocation", tests, make_folder, remove_folder);
}
