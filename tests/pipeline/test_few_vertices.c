// Frames for a GPU know few vertices: those of rigid parts, and support points that are low. What follows from them is
// what follows from all of them.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/math.h"
#include "characters/characters.h"
#include "kit/sanitized.h"
#include "pipeline/probes.h"
#include <limber/limber.h>

enum { FRAMES = TEST_SANITIZED ? 3 : 12, ROW = 4, MOTION = 12 };

typedef struct character {
    limber_asset* asset;
    limber_style* style;
    limber_pipeline* pipeline;
} character;

static void open_character(character* c, const char* name, const char* preset) {
    assert_int_equal(limberi_character_create(name, 0.5, &c->asset, NULL), LIMBER_OK);
    assert_int_equal(limber_style_create(&c->style, NULL), LIMBER_OK);
    assert_int_equal(limber_style_read_preset(c->style, preset, NULL), LIMBER_OK);
    assert_int_equal(limber_pipeline_create(c->asset, c->style, &c->pipeline, NULL), LIMBER_OK);
}

static void close_character(character* c) {
    limber_pipeline_destroy(c->pipeline);
    limber_style_destroy(c->style);
    limber_asset_destroy(c->asset);
}

static double frame_time(const limber_clip* clip, uint32_t frame) {
    return clip->start_s + (clip->end_s - clip->start_s) * (frame + 0.31) / FRAMES;
}

// --- what the ground and rigid parts make of a frame ---

static size_t found_count(const limber_pipeline* p) {
    size_t motions = p->rigid ? limberi_rigid_motion_count(p->rigid) : 0;
    return sizeof(limberi_body_shape) / sizeof(float) + ROW * (size_t)p->model->rig.joint_count + MOTION * motions;
}

static void read_found(const limber_pipeline* p, float* out) {
    limberi_body_shape shape = limberi_contact_stage_result(p->ground).shape;
    memcpy(out, &shape, sizeof shape);
    out += sizeof shape / sizeof(float);
    for (uint32_t j = 0; j < p->model->rig.joint_count; j++, out += ROW)
        limberi_contact_stage_footing(p->ground, j, out);
    for (uint32_t m = 0; p->rigid && m < limberi_rigid_motion_count(p->rigid); m++, out += MOTION)
        limberi_rigid_displacement(p->rigid, m, out);
}

static void compare_clip(const character* c, limber_pack* pack, uint32_t clip) {
    limber_pipeline* p = c->pipeline;
    size_t count = found_count(p);
    limber_pack_layout layout = limber_pack_get_layout(pack);
    float* few = calloc(count, sizeof *few);
    float* all = calloc(count, sizeof *all);
    float* texels = calloc(4 * (size_t)layout.max_texels + 1, sizeof *texels);
    int16_t* columns = calloc(layout.column_bytes * (size_t)p->model->vertex_count / 2 + 1, sizeof *columns);
    limber_frame frame;
    for (uint32_t f = 0; f < FRAMES; f++) {
        uint32_t texel_count;
        assert_int_equal(limber_pipeline_evaluate_joints(p, (int32_t)clip, frame_time(&p->model->clips[clip], f)),
                         LIMBER_OK);
        limber_pipeline_evaluate_vertices(p, &frame);
        read_found(p, all);
        assert_int_equal(limber_pack_evaluate(pack, texels, &texel_count, columns, NULL), LIMBER_OK);
        read_found(p, few);
        for (size_t i = 0; i < count; i++)
            assert_float_equal(few[i], all[i], 2e-6f * p->model->size);
    }
    free(few);
    free(all);
    free(texels);
    free(columns);
}

static void few_vertices_say_what_all_of_them_do(void** state) {
    static const char* const cases[][2] = {
        {"cow", "cartoon"}, {"dancer", "mocap-toon"}, {"snail", "heavy"}, {"cow", "rubberhose"}};
    (void)state;
    for (int i = 0; i < (TEST_SANITIZED ? 1 : 4); i++) {
        character c;
        limber_pack* pack;
        open_character(&c, cases[i][0], cases[i][1]);
        assert_int_equal(limber_pack_create(c.pipeline, true, &pack, NULL), LIMBER_OK);
        compare_clip(&c, pack, 0);
        compare_clip(&c, pack, c.pipeline->model->clip_count - 1);
        limber_pack_destroy(pack);
        close_character(&c);
    }
}

// --- how far effects move a group ---

typedef struct reached {
    float low[3], high[3]; // before the effects
    float moved[3], reach[3];
} reached;

static reached reach_of_group(limberi_probes* probes, uint32_t g) {
    const limberi_group* group = &probes->groups[0]->groups[g];
    const uint32_t* vertices = probes->groups[0]->vertices + group->first;
    reached r = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}, {0, 0, 0}, {0, 0, 0}};
    float middle[3], half[3];
    limberi_probes_show(probes, 0, g, true);
    for (uint32_t c = 0; c < 3; c++) {
        for (uint32_t i = 0; i < group->count; i++) {
            float from = probes->skinned[3 * vertices[i] + c];
            float to = probes->deformed[3 * vertices[i] + c];
            r.low[c] = fminf(r.low[c], from);
            r.high[c] = fmaxf(r.high[c], from);
            r.moved[c] = fmaxf(r.moved[c], fabsf(to - from));
        }
        middle[c] = 0.5f * (r.low[c] + r.high[c]);
        half[c] = 0.5f * (r.high[c] - r.low[c]);
    }
    assert_true(limberi_probes_reach(probes, 0, g, middle, half, r.reach));
    return r;
}

static void groups_move_no_farther_than_their_reach(void** state) {
    static const char* const presets[] = {"cartoon", "heavy", "mocap-toon"};
    (void)state;
    for (int k = 0; k < (TEST_SANITIZED ? 1 : 3); k++) {
        character c;
        limberi_probes probes;
        open_character(&c, "cow", presets[k]);
        const limber_pipeline* p = c.pipeline;
        float* places = calloc(6 * (size_t)p->model->vertex_count, sizeof *places);
        limberi_probe_places room = {places, places + 3 * (size_t)p->model->vertex_count};
        assert_int_equal(limberi_probes_create_of(p, p->groups, room, &probes), LIMBER_OK);
        float sum = 0;
        uint32_t count = 0;
        for (uint32_t f = 0; f < FRAMES; f++) {
            assert_int_equal(limber_pipeline_evaluate_joints(c.pipeline, 0, frame_time(&p->model->clips[0], f)), 0);
            limber_deform_job job = limberi_pipeline_job(p);
            limberi_probes_begin(p, limberi_deform_begin(p->deformer, &job), &probes);
            for (uint32_t g = 0; g < p->groups[0]->group_count; g++) {
                reached r = reach_of_group(&probes, g);
                for (int axis = 0; axis < 3; axis++)
                    assert_true(r.moved[axis] <= r.reach[axis] + 1e-6f * p->model->size);
                sum += fminf(r.reach[1] / p->model->size, 1);
                count++;
            }
        }
        assert_true(sum < 0.2f * (float)count); // or nothing would be left out
        limberi_probes_destroy(&probes);
        free(places);
        close_character(&c);
    }
}

// --- boxes ---

static void points_are_in_their_boxes(void** state) {
    character c;
    limberi_arena arena = {NULL, false};
    limberi_floor_points points;
    limber_frame frame;
    (void)state;
    open_character(&c, "dancer", "cartoon");
    const limber_pipeline* p = c.pipeline;
    assert_true(limberi_floor_points_make(limberi_asset_support(c.asset), &arena, &points));
    uint32_t seen = 0;
    for (uint32_t f = 0; f < FRAMES; f++) {
        assert_int_equal(limber_pipeline_evaluate(c.pipeline, 0, frame_time(&p->model->clips[0], f), &frame), 0);
        limberi_floor_points_place(&points, p->model, p->palettes);
        for (uint32_t g = 0; g < points.group_count; g++)
            for (uint32_t i = 0; i < points.all[g].count; i++, seen++)
                for (uint32_t axis = 0; axis < 3; axis++) {
                    float away = p->skinned[3 * points.all[g].vertices[i] + axis] - points.boxes[g].middle[axis];
                    assert_true(fabsf(away) <= points.boxes[g].half[axis] + 1e-5f * p->model->size);
                    assert_true(points.boxes[g].half[axis] < p->model->size);
                }
    }
    assert_int_equal(seen, FRAMES * limberi_asset_support(c.asset)->point_count);
    limberi_arena_free(&arena);
    close_character(&c);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(few_vertices_say_what_all_of_them_do),
        cmocka_unit_test(groups_move_no_farther_than_their_reach),
        cmocka_unit_test(points_are_in_their_boxes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
