// A program that was built with older headers, whose structs have fewer fields, runs with this library. The structs below
// are frozen: what this test knows of the headers is what such a program has compiled in.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

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

// --- structs that begin with their size ---

typedef struct old_bake_settings {
    uint32_t struct_size;
    limber_bake_kind kind;
    uint32_t clip_count;
    const uint32_t* clips;
    double fps;
    double range_start_s, range_end_s;
    double tolerance;
} old_bake_settings;

typedef struct old_gltf_edits {
    uint32_t struct_size;
    const limber_bake* bake;
    const char* style;
} old_gltf_edits;

typedef struct old_crowd_settings {
    uint32_t struct_size;
    uint32_t kind_count;
    const limber_crowd_kind* kinds;
    uint32_t member_limit;
    uint32_t outputs;
} old_crowd_settings;

// What lies behind the old struct in the program's memory.
enum { GUARD_BYTES = 1 << 10 };

#define OLD(type)                                                                                                      \
    struct {                                                                                                           \
        type settings;                                                                                                 \
        uint8_t guard[GUARD_BYTES];                                                                                    \
    }

static void expect_untouched(const uint8_t* guard) {
    for (int i = 0; i < GUARD_BYTES; i++)
        assert_int_equal(guard[i], 0xa5);
}

static void an_older_bake_gives_the_same_targets(void** state) {
    (void)state;
    OLD(old_bake_settings) old;
    memset(&old, 0xa5, sizeof old);
    limber_bake_settings_init((limber_bake_settings*)(void*)&old.settings, sizeof old.settings);
    expect_untouched(old.guard);
    assert_int_equal(old.settings.struct_size, sizeof old.settings);
    limber_bake_settings now = limber_bake_settings_default();
    old.settings.kind = now.kind = LIMBER_BAKE_VERTEX;
    limber_bake *older, *newer;
    assert_int_equal(limber_pipeline_bake(pipeline, (const void*)&old.settings, &older, NULL), LIMBER_OK);
    assert_int_equal(limber_pipeline_bake(pipeline, &now, &newer, NULL), LIMBER_OK);
    const limber_bake_mesh *a = older->meshes, *b = newer->meshes;
    assert_true(a->target_count == b->target_count && a->target_count > 1 && a->normals && b->normals);
    assert_memory_equal(a->positions, b->positions,
                        3 * sizeof(float) * a->target_count * limber_asset_model(asset)->meshes[0].vertex_count);
    limber_bake_destroy(older);
    limber_bake_destroy(newer);
}

static void older_edits_write_the_same_bytes(void** state) {
    (void)state;
    OLD(old_gltf_edits) old;
    memset(&old, 0xa5, sizeof old);
    limber_gltf_edits_init((limber_gltf_edits*)(void*)&old.settings, sizeof old.settings);
    expect_untouched(old.guard);
    limber_gltf_edits now = limber_gltf_edits_default();
    old.settings.style = now.style = "{\"limber\": 1}";
    void *a, *b;
    size_t a_count, b_count;
    assert_int_equal(limber_gltf_save_memory(gltf, (const void*)&old.settings, &a, &a_count, NULL), LIMBER_OK);
    assert_int_equal(limber_gltf_save_memory(gltf, &now, &b, &b_count, NULL), LIMBER_OK);
    assert_int_equal(a_count, b_count);
    assert_memory_equal(a, b, a_count);
    limber_release(a);
    limber_release(b);
}

static void an_older_crowd_goes_by_the_clock(void** state) {
    (void)state;
    OLD(old_crowd_settings) old;
    memset(&old, 0xa5, sizeof old);
    limber_crowd_settings_init((limber_crowd_settings*)(void*)&old.settings, sizeof old.settings);
    expect_untouched(old.guard);
    assert_int_equal(old.settings.outputs, LIMBER_CROWD_POSITIONS);
    const limber_crowd_kind kind = {asset, NULL};
    old.settings.kind_count = old.settings.member_limit = 1;
    old.settings.kinds = &kind;
    limber_crowd* crowd;
    assert_int_equal(limber_crowd_create((const void*)&old.settings, &crowd, NULL), LIMBER_OK);
    size_t floats = 3 * (size_t)limber_asset_model(asset)->vertex_count;
    float* positions = malloc(floats * sizeof *positions);
    limber_crowd_member member = {.speed = 1};
    limber_crowd_memory memory = {.positions = positions, .vertex_stride = floats};
    assert_int_equal(limber_crowd_evaluate(crowd, &member, 1, 0.3, 0, &memory, NULL), LIMBER_OK);
    limber_frame frame;
    double time_s = limber_crowd_time(crowd, &member, 0.3);
    assert_int_equal(limber_pipeline_evaluate(pipeline, 0, time_s, &frame), LIMBER_OK);
    assert_memory_equal(positions, frame.positions, floats * sizeof *positions);
    free(positions);
    limber_crowd_destroy(crowd);
}

// --- effects ---

// A stage that this program does not know is off; its effects are where it has them, however many there are by now.
static void older_settings_of_stages_move_the_same_vertices(void** state) {
    (void)state;
    enum { OLD_SIZE = offsetof(limber_stage_settings, baked) };
    uint8_t* old = malloc(OLD_SIZE + GUARD_BYTES);
    memset(old, 0xa5, OLD_SIZE + GUARD_BYTES);
    limber_stage_settings_init((limber_stage_settings*)(void*)old, OLD_SIZE);
    expect_untouched(old + OLD_SIZE);
    limber_stage_settings now = limber_stage_settings_default();
    ((limber_stage_settings*)(void*)old)->deform.effects[LIMBER_EFFECT_FLOPPY].angular.value = 0.4f;
    now.deform.effects[LIMBER_EFFECT_FLOPPY].angular.value = 0.4f;
    limber_pipeline *older, *newer;
    limber_frame a, b;
    size_t bytes = 3 * sizeof(float) * limber_asset_model(asset)->vertex_count;
    assert_int_equal(limber_pipeline_create_from_settings(asset, (const void*)old, &older, NULL), LIMBER_OK);
    assert_int_equal(limber_pipeline_create_from_settings(asset, &now, &newer, NULL), LIMBER_OK);
    assert_int_equal(limber_pipeline_evaluate(older, 0, 0.4, &a), LIMBER_OK);
    assert_int_equal(limber_pipeline_evaluate(newer, 0, 0.4, &b), LIMBER_OK);
    assert_memory_equal(a.positions, b.positions, bytes);
    assert_true(memcmp(a.positions, a.skinned, bytes) != 0);
    limber_pipeline_destroy(older);
    limber_pipeline_destroy(newer);
    free(old);
}

// A stage that has grown moves those behind it: no guessing.
static void a_stage_of_another_size_inside_is_refused(void** state) {
    (void)state;
    limber_stage_settings settings = limber_stage_settings_default();
    limber_pipeline* made;
    limber_error error;
    settings.exaggerate.struct_size -= 8;
    assert_int_equal(limber_pipeline_create_from_settings(asset, &settings, &made, &error), LIMBER_ERROR_ARGUMENT);
    assert_non_null(strstr(error.message, "limber_exaggerate_settings"));
    assert_null(made);
}

// An effect of the program's own, whose number in a job does not depend on how many the library has.
static void lower(const limber_effect_block* b) {
    for (uint32_t i = 0; i < b->count; i++)
        b->dy[i] -= b->weight[i] * b->velocity.y;
}

static void an_effect_of_ones_own_keeps_its_number(void** state) {
    (void)state;
    const limber_model* model = limber_asset_model(asset);
    size_t floats = 3 * (size_t)model->vertex_count;
    float *in = calloc(2 * floats, sizeof *in), *out = calloc(floats, sizeof *out);
    limber_deform_settings settings = limber_deform_settings_default();
    settings.custom_count = 1;
    settings.custom[0].name = "lower";
    settings.custom[0].function = lower;
    settings.custom[0].settings.linear.value = 1;
    limber_deformer* deformer;
    assert_int_equal(limber_deformer_create(asset, &settings, &deformer, NULL), LIMBER_OK);
    limber_pose pose;
    limber_kinematics motion;
    assert_int_equal(limber_pose_create(model, &pose), LIMBER_OK);
    assert_int_equal(limber_kinematics_create(model, &motion), LIMBER_OK);
    limber_pose_update_world(model, &pose);
    motion.velocity[0].y = 1;
    limber_deform_job job = limber_deform_job_default();
    job.pose = &pose;
    job.plain_motion = job.custom_motion[0] = &motion;
    job.positions = in;
    job.normals = in + floats;
    job.out_positions = out;
    assert_int_equal(limber_deformer_evaluate(deformer, &job), LIMBER_OK);
    for (size_t i = 1; i < floats; i += 3)
        assert_float_equal(out[i], -1, 1e-5);
    limber_kinematics_destroy(&motion);
    limber_pose_destroy(&pose);
    limber_deformer_destroy(deformer);
    free(in);
    free(out);
}

// --- structs that keep their size ---

typedef struct old_frame {
    double time_s;
    const void *pose, *motion;
    const float *skinned, *positions, *normals;
    const void* reserved[6];
} old_frame;

typedef struct old_smeared {
    old_frame frame;
    const float *deformed, *offsets;
    uint32_t mesh_count;
    const void* meshes;
    const void* reserved[6];
} old_smeared;

_Static_assert(sizeof(old_frame) == sizeof(limber_frame), "limber_frame keeps its size: take a reserved word");
_Static_assert(sizeof(old_smeared) == sizeof(limber_smeared), "limber_smeared keeps its size: take a reserved word");
_Static_assert(offsetof(old_frame, normals) == offsetof(limber_frame, normals), "fields keep their places");
_Static_assert(offsetof(old_smeared, meshes) == offsetof(limber_smeared, meshes), "fields keep their places");

static void an_older_frame_is_filled_and_nothing_behind_it(void** state) {
    (void)state;
    OLD(old_frame) frame;
    OLD(old_smeared) smeared;
    memset(&frame, 0xa5, sizeof frame);
    memset(&smeared, 0xa5, sizeof smeared);
    assert_int_equal(limber_pipeline_evaluate(pipeline, 0, 0.25, (limber_frame*)(void*)&frame.settings), LIMBER_OK);
    expect_untouched(frame.guard);
    assert_true(frame.settings.time_s == 0.25 && frame.settings.positions && frame.settings.normals);
    limber_smeared* to = (limber_smeared*)(void*)&smeared.settings;
    assert_int_equal(limber_pipeline_evaluate_smeared(pipeline, 0, 0.25, 0, to), LIMBER_OK);
    expect_untouched(smeared.guard);
    assert_true(smeared.settings.frame.positions && smeared.settings.mesh_count == 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_older_bake_gives_the_same_targets),
        cmocka_unit_test(older_edits_write_the_same_bytes),
        cmocka_unit_test(an_older_crowd_goes_by_the_clock),
        cmocka_unit_test(older_settings_of_stages_move_the_same_vertices),
        cmocka_unit_test(a_stage_of_another_size_inside_is_refused),
        cmocka_unit_test(an_effect_of_ones_own_keeps_its_number),
        cmocka_unit_test(an_older_frame_is_filled_and_nothing_behind_it),
    };
    return cmocka_run_group_tests(tests, open_all, close_all);
}
