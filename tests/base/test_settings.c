// Structs that can grow: one that did not come from its default function is refused, one of an older program is
// completed with defaults.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/settings.h"
#include "characters/characters.h"
#include <limber/limber.h>
#include <limber/stages/stages.h>

static limber_asset* asset;
static limber_pipeline* pipeline;
static limber_gltf* gltf;

static int open_all(void** state) {
    limber_error error;
    (void)state;
    return limberi_character_create("cylinder", 1, &asset, &error) != LIMBER_OK ||
           limber_pipeline_create(asset, NULL, &pipeline, &error) != LIMBER_OK ||
           limber_gltf_from_asset(asset, &gltf, &error) != LIMBER_OK;
}

static int close_all(void** state) {
    (void)state;
    limber_gltf_destroy(gltf);
    limber_pipeline_destroy(pipeline);
    limber_asset_destroy(asset);
    return 0;
}

// --- the rule ---

typedef struct grown {
    uint32_t struct_size;
    int32_t old;
    double also_old;
    float added, last;
} grown;

static limber_result read_grown(uint32_t size, grown* out, limber_error* error) {
    const grown defaults = {sizeof defaults, 1, 2, 3, 4};
    grown given = {size, 10, 20, 30, 40};
    *out = defaults;
    return limberi_settings_read(out, sizeof *out, &given, "grown", error);
}

static void fields_that_an_older_struct_lacks_take_their_defaults(void** state) {
    grown g;
    (void)state;
    assert_int_equal(read_grown(sizeof g, &g, NULL), LIMBER_OK);
    assert_true(g.old == 10 && g.also_old == 20 && g.added == 30 && g.last == 40);
    assert_int_equal(read_grown(offsetof(grown, last), &g, NULL), LIMBER_OK);
    assert_true(g.old == 10 && g.also_old == 20 && g.added == 30 && g.last == 4 && g.struct_size == sizeof g);
    assert_int_equal(read_grown(offsetof(grown, added), &g, NULL), LIMBER_OK);
    assert_true(g.old == 10 && g.also_old == 20 && g.added == 3 && g.last == 4);
}

static void other_sizes_are_refused_and_nothing_is_read(void** state) {
    static const uint32_t sizes[] = {0, 1, 3, 4, sizeof(grown) + 8, 0xcdcdcdcd, UINT32_MAX};
    grown g;
    limber_error error;
    (void)state;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        assert_int_equal(read_grown(sizes[i], &g, &error), LIMBER_ERROR_ARGUMENT);
        assert_string_equal(error.message,
                            "grown is not initialized or belongs to another version: start from grown_default");
        assert_true(g.old == 1 && g.last == 4);
    }
}

// A program asks for the defaults of the struct that it was compiled with; nothing is written behind its end.
static void defaults_fit_a_struct_of_any_size(void** state) {
    const grown own = {sizeof own, 1, 2, 3, 4};
    (void)state;
    for (size_t size = 0; size <= sizeof(grown) + 8; size++) {
        unsigned char given[sizeof(grown) + 16], expected[sizeof given];
        uint32_t struct_size = (uint32_t)size;
        memset(given, 0xa5, sizeof given);
        memset(expected, 0xa5, sizeof expected);
        memset(expected, 0, size);
        memcpy(expected, &own, size < sizeof own ? size : sizeof own);
        memcpy(expected, &struct_size, size < 4 ? size : 4);
        limberi_settings_write(given, size, &own, sizeof own);
        assert_memory_equal(given, expected, sizeof given);
    }
}

// --- every function that takes such a struct ---

static limber_error seen;

enum { LARGEST = 16384 }; // bytes

static limber_result create_asset(const void* given) {
    limber_asset* made;
    limber_result result = limber_asset_create(given, &made, &seen);
    limber_asset_destroy(made);
    return result;
}

static limber_result bake(const void* given) {
    limber_bake* made;
    limber_result result = limber_pipeline_bake(pipeline, given, &made, &seen);
    limber_bake_destroy(made);
    return result;
}

static limber_result subdivide(const void* given) {
    limber_asset* made;
    limber_result result = limber_pipeline_subdivide(pipeline, given, &made, &seen);
    limber_asset_destroy(made);
    return result;
}

static limber_result load_gltf(const void* given) {
    limber_gltf* made;
    return limber_gltf_load_file("not-there.glb", given, &made, &seen);
}

static limber_result save_gltf(const void* given) {
    return limber_gltf_save_file(gltf, given, "/not/there.glb", &seen);
}

static limber_result load_bvh(const void* given) {
    limber_bvh* made;
    return limber_bvh_load_file("not-there.bvh", given, &made, &seen);
}

static limber_result save_bvh(const void* given) {
    return limber_bvh_save_file(limber_asset_model(asset), given, "/not/there.bvh", NULL, &seen);
}

static limber_result no_frame(void* user, uint32_t index, const float** positions, const float** normals) {
    (void)user;
    (void)index;
    (void)positions;
    (void)normals;
    return LIMBER_ERROR_DATA;
}

static limber_result save_cache(const void* given) {
    return limber_cache_save(given, "/not/there.pc2", &seen);
}

static limber_result find_motion(const void* given) {
    const limber_model* model = limber_asset_model(asset);
    limber_kinematics motion;
    limber_track* track;
    limber_filter_set none = limber_filter_set_none();
    assert_int_equal(limber_kinematics_create(model, &motion), LIMBER_OK);
    limber_result result = limber_motion_from_clip(model, &model->clips[0], given, 0.5, &motion);
    limber_kinematics_destroy(&motion);
    assert_int_equal(limber_track_create(model, &model->clips[0], given, &none, &track, &seen), result);
    limber_track_destroy(track);
    return result;
}

static limber_result exaggerate(const void* given) {
    const limber_model* model = limber_asset_model(asset);
    limber_exaggerated* made;
    limber_result result = limber_exaggerate(model, &model->clips[0], 0, given, &made, &seen);
    limber_exaggerated_destroy(made);
    return result;
}

static limber_result create_deformer(const void* given) {
    limber_deformer* made;
    limber_result result = limber_deformer_create(asset, given, &made, &seen);
    limber_deformer_destroy(made);
    return result;
}

static limber_result create_smearer(const void* given) {
    limber_smearer* made;
    limber_smear_live* live;
    limber_result result = limber_smearer_create(asset, given, &made, &seen);
    limber_smearer_destroy(made);
    assert_int_equal(limber_smear_live_create(asset, given, NULL, &live, &seen), result);
    limber_smear_live_destroy(live);
    return result;
}

static limber_result create_live(const void* given) {
    limber_smear_live* made;
    limber_result result = limber_smear_live_create(asset, NULL, given, &made, &seen);
    limber_smear_live_destroy(made);
    return result;
}

static limber_result create_pipeline(const void* given) {
    limber_pipeline* made;
    limber_result result = limber_pipeline_create_from_settings(asset, given, &made, &seen);
    limber_pipeline_destroy(made);
    return result;
}

static void use_uninitialized(const char* name, limber_result (*use)(const void*)) {
    static unsigned char bytes[LARGEST];
    char expected[200];
    snprintf(expected, sizeof expected, "%s is not initialized or belongs to another version: start from %s_default",
             name, name);
    for (int fill = 0; fill < 256; fill += 51) {
        memset(bytes, fill, sizeof bytes);
        memset(&seen, 0, sizeof seen);
        assert_int_equal(use(bytes), LIMBER_ERROR_ARGUMENT);
        if (seen.message[0]) // motion has no error to fill
            assert_string_equal(seen.message, expected);
    }
}

// What an older program has: the fields up to `first`, and whatever stands behind them. A struct that holds others has
// one size only.
static void check(const char* name, const void* good, size_t size, size_t first, limber_result (*use)(const void*)) {
    static unsigned char bytes[LARGEST];
    limber_result usual = use(good);
    uint32_t shorter = (uint32_t)(first ? first : size - 8);
    assert_true(size <= sizeof bytes && usual != LIMBER_ERROR_ARGUMENT);
    use_uninitialized(name, use);
    memset(bytes, 0xa5, sizeof bytes);
    memcpy(bytes, good, shorter);
    memcpy(bytes, &shorter, sizeof shorter);
    assert_int_equal(use(bytes), first ? usual : LIMBER_ERROR_ARGUMENT);
}

static void structs_of_programs_are_checked_by_all_who_take_them(void** state) {
    (void)state;
    limber_model model = *limber_asset_model(asset);
    limber_bake_settings bakes = limber_bake_settings_default();
    limber_gltf_edits edits = limber_gltf_edits_default();
    limber_gltf_limits gltf_limits = limber_gltf_limits_default();
    limber_bvh_settings bvh = limber_bvh_settings_default();
    limber_bvh_limits bvh_limits = limber_bvh_limits_default();
    limber_cache_job cache = limber_cache_job_default();
    cache.model = limber_asset_model(asset);
    cache.frame_count = 1;
    cache.frame = no_frame;
    limber_motion_settings motion = limber_motion_settings_default();
    limber_exaggerate_settings exaggerates = limber_exaggerate_settings_default();
    limber_smear_settings smear = limber_smear_settings_default();
    limber_smear_live_settings live = limber_smear_live_settings_default();
    static limber_deform_settings deform;
    static limber_stage_settings stages;
    deform = limber_deform_settings_default();
    stages = limber_stage_settings_default();
    check("limber_model", &model, sizeof model, offsetof(limber_model, vertex_count), create_asset);
    check("limber_bake_settings", &bakes, sizeof bakes, offsetof(limber_bake_settings, progress), bake);
    check("limber_bake_settings", &bakes, sizeof bakes, offsetof(limber_bake_settings, normals), subdivide);
    check("limber_gltf_edits", &edits, sizeof edits, offsetof(limber_gltf_edits, clips), save_gltf);
    check("limber_gltf_limits", &gltf_limits, sizeof gltf_limits, offsetof(limber_gltf_limits, nodes), load_gltf);
    check("limber_bvh_settings", &bvh, sizeof bvh, offsetof(limber_bvh_settings, fps), save_bvh);
    check("limber_bvh_limits", &bvh_limits, sizeof bvh_limits, offsetof(limber_bvh_limits, joints), load_bvh);
    check("limber_cache_job", &cache, sizeof cache, offsetof(limber_cache_job, user), save_cache);
    check("limber_motion_settings", &motion, sizeof motion, offsetof(limber_motion_settings, loop), find_motion);
    check("limber_exaggerate_settings", &exaggerates, sizeof exaggerates,
          offsetof(limber_exaggerate_settings, hold_user), exaggerate);
    check("limber_deform_settings", &deform, sizeof deform, offsetof(limber_deform_settings, mesh_gains),
          create_deformer);
    check("limber_smear_settings", &smear, sizeof smear, offsetof(limber_smear_settings, step), create_smearer);
    check("limber_smear_live_settings", &live, sizeof live, offsetof(limber_smear_live_settings, teleport),
          create_live);
    check("limber_stage_settings", &stages, sizeof stages, offsetof(limber_stage_settings, baked), create_pipeline);
}

static void jobs_are_checked_before_anything_is_written(void** state) {
    limber_skin_job skin;
    limber_deform_job deform;
    limber_smear_job smear;
    limber_smear_reach reach;
    limber_deformer* deformer;
    limber_smearer* smearer;
    static limber_deform_settings settings;
    float untouched = 7;
    (void)state;
    settings = limber_deform_settings_default();
    assert_int_equal(limber_deformer_create(asset, &settings, &deformer, &seen), LIMBER_OK);
    assert_int_equal(limber_smearer_create(asset, NULL, &smearer, &seen), LIMBER_OK);
    memset(&skin, 0, sizeof skin);
    memset(&deform, 0, sizeof deform);
    memset(&smear, 0, sizeof smear);
    skin.out_positions = deform.out_positions = &untouched;
    assert_int_equal(limber_skin_evaluate(&skin), LIMBER_ERROR_ARGUMENT);
    assert_int_equal(limber_deformer_evaluate(deformer, &deform), LIMBER_ERROR_ARGUMENT);
    assert_int_equal(limber_smearer_plan(smearer, &smear, &reach), LIMBER_ERROR_ARGUMENT);
    assert_int_equal(limber_smearer_evaluate(smearer, &smear, &untouched), LIMBER_ERROR_ARGUMENT);
    assert_true(untouched == 7);
    limber_smearer_destroy(smearer);
    limber_deformer_destroy(deformer);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fields_that_an_older_struct_lacks_take_their_defaults),
        cmocka_unit_test(other_sizes_are_refused_and_nothing_is_read),
        cmocka_unit_test(defaults_fit_a_struct_of_any_size),
        cmocka_unit_test(structs_of_programs_are_checked_by_all_who_take_them),
        cmocka_unit_test(jobs_are_checked_before_anything_is_written),
    };
    return cmocka_run_group_tests(tests, open_all, close_all);
}
