// Fuzzes streams of poses: the bytes make a valid character and styles, then poses with any numbers at any times, two
// streams on one pipeline, a style that changes on the way, and what a GPU gets of it (limber/pack.h).
#include "fuzz/kit/look.h"
#include "fuzz/kit/rig.h"
#include "fuzz/kit/run.h"

#include <limber/live.h>
#include <limber/pack.h>
#include <limber/stages/stages.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { POSES = 10 };

typedef struct stage {
    const limber_model* model;
    limber_pipeline* pipeline;
    limber_pack* pack;
    float* texels;
    int16_t* columns;
    uint32_t max;
    limber_transform* local;
    float* weights;
    bool mild;
} stage;

static void* room(size_t count, size_t size) {
    void* memory = calloc(count + 1, size);
    FUZZ_CHECK(memory != NULL);
    return memory;
}

static void open_pack(stage* s) {
    limber_error error;
    if (limber_pack_create(s->pipeline, true, &s->pack, &error) != LIMBER_OK) {
        FUZZ_CHECK(!s->pack && error.message[0]);
        return;
    }
    limber_pack_layout layout = limber_pack_get_layout(s->pack);
    s->max = layout.max_texels;
    s->texels = room((size_t)layout.max_texels, 4 * sizeof(float));
    s->columns = room(s->model->vertex_count, layout.column_bytes);
    void* joints = room(s->model->vertex_count, layout.joint_bytes);
    float* obeyed = room(layout.obeyed_texels, 4 * sizeof(float));
    int32_t settings[LIMBER_PACK_SETTINGS];
    limber_pack_write_joints(s->pack, joints);
    limber_pack_write_obeyed(s->pack, obeyed);
    limber_pack_write_settings(s->pack, settings);
    FUZZ_CHECK(limber_pack_defines(s->pack) && limber_pack_dynamic_defines(s->pack));
    free(joints);
    free(obeyed);
}

static void drop_pack(stage* s) {
    limber_pack_destroy(s->pack);
    free(s->texels);
    free(s->columns);
    s->pack = NULL;
    s->texels = NULL;
    s->columns = NULL;
}

static void pack_frame(stage* s) {
    uint32_t count;
    limber_error error;
    if (!s->pack)
        return;
    if (limber_pack_evaluate(s->pack, s->texels, &count, s->columns, &error) == LIMBER_OK)
        FUZZ_CHECK(count <= s->max && (!s->mild || fuzz_all_finite(s->texels, 4 * (size_t)count)));
    else
        FUZZ_CHECK(error.message[0] != 0);
}

// True: a number is not finite, which the stream must refuse.
static bool next_pose(fuzz_bytes* b, stage* s, double* time_s) {
    static const double steps[] = {1.0 / 60, 1.0 / 30, 0.1, 0, -1, 1e9, 1e-12, 1e300, 0.02, 0.02, 0.02, NAN};
    uint32_t joints = s->model->rig.joint_count, step = fuzz_below(b, 12);
    bool bad = step == 11;
    for (uint32_t n = fuzz_below(b, 6); n > 0; n--) {
        limber_transform* t = &s->local[fuzz_below(b, joints)];
        float* numbers[] = {&t->translation.x, &t->translation.y, &t->rotation.x, &t->rotation.w, &t->scale.y};
        bool odd = fuzz_chance(b, 10);
        float* at = numbers[fuzz_below(b, 5)];
        *at = odd ? fuzz_wild(b) : fuzz_mild(b);
        s->mild = s->mild && fabsf(*at) <= 2;
    }
    if (fuzz_chance(b, 6)) {
        s->local[fuzz_below(b, joints)].translation.z = NAN;
        bad = true;
    }
    *time_s = *time_s + steps[step];
    return bad;
}

static void show(fuzz_bytes* b, stage* s, limber_live* live) {
    size_t count = 3 * (size_t)s->model->vertex_count;
    limber_smeared smeared;
    limber_frame frame;
    pack_frame(s);
    if (fuzz_chance(b, 100)) {
        if (limber_live_evaluate_smeared(live, &smeared) == LIMBER_OK)
            FUZZ_CHECK(!s->mild || fuzz_all_finite(smeared.frame.positions, count));
        return;
    }
    limber_pipeline_evaluate_vertices(s->pipeline, &frame);
    FUZZ_CHECK(!s->mild || fuzz_all_finite(frame.positions, count));
}

static bool hilly(void* user, float x, float z, float* height) {
    (void)user;
    *height = x > z ? 0.2f : -0.3f;
    return x < 1;
}

static void stream(fuzz_bytes* b, stage* s, limber_live* const* lives) {
    double time_s = (double)fuzz_mild(b);
    for (int i = 0; i < POSES; i++) {
        limber_live* live = lives[fuzz_below(b, 2)];
        double before = time_s;
        bool bad = next_pose(b, s, &time_s);
        limber_result result = limber_live_push(live, s->local, fuzz_chance(b, 128) ? s->weights : NULL, time_s);
        FUZZ_CHECK(!bad || result == LIMBER_ERROR_ARGUMENT);
        if (result == LIMBER_OK)
            show(b, s, live);
        if (!isfinite(time_s))
            time_s = before;
        for (uint32_t j = 0; bad && j < s->model->rig.joint_count; j++)
            s->local[j] = s->model->rig.rest_local[j];
        if (fuzz_chance(b, 10))
            limber_live_reset(live);
        if (fuzz_chance(b, 20))
            limber_live_set_ground(live, fuzz_chance(b, 200) ? hilly : NULL, NULL);
    }
}

static void set_smears(fuzz_bytes* b, limber_live* live) {
    limber_smear_live_settings settings = limber_smear_live_settings_default();
    limber_error error;
    settings.fps = fuzz_chance(b, 128) ? 30 : (double)fuzz_wild(b);
    settings.history = fuzz_below(b, 40);
    settings.teleport = fuzz_wild(b);
    if (limber_live_set_smears(live, &settings, &error) != LIMBER_OK)
        FUZZ_CHECK(error.message[0] != 0);
}

// `before`: a stream that goes on with another style; its pipeline is still there.
static void play(fuzz_bytes* b, stage* s, const limber_live* before) {
    limber_live* lives[2] = {NULL, NULL};
    limber_error error;
    limber_result result = limber_live_create(s->pipeline, before, &lives[0], &error);
    if (result == LIMBER_OK)
        result = limber_live_create(s->pipeline, NULL, &lives[1], &error);
    FUZZ_CHECK(result == LIMBER_OK || error.message[0]);
    open_pack(s);
    if (result == LIMBER_OK && fuzz_chance(b, 60))
        set_smears(b, lives[0]);
    if (result == LIMBER_OK)
        stream(b, s, lives);
    drop_pack(s);
    if (result == LIMBER_OK && !before && fuzz_chance(b, 100)) {
        stage next = *s;
        limber_style* style = fuzz_look(b, &next.mild);
        next.pipeline = fuzz_pipeline(limber_pipeline_asset(s->pipeline), style);
        if (next.pipeline)
            play(b, &next, lives[0]);
        limber_pipeline_destroy(next.pipeline);
        limber_style_destroy(style);
    }
    limber_live_destroy(lives[0]);
    limber_live_destroy(lives[1]);
}

void fuzz_run(fuzz_bytes* bytes) {
    stage s = {0};
    limber_asset* asset = fuzz_rig(bytes, &s.mild);
    if (!asset)
        return;
    limber_style* style = fuzz_look(bytes, &s.mild);
    s.model = limber_asset_model(asset);
    s.pipeline = fuzz_pipeline(asset, style);
    s.local = room(s.model->rig.joint_count, sizeof *s.local);
    s.weights = room(s.model->morph_count, sizeof *s.weights);
    memcpy(s.local, s.model->rig.rest_local, s.model->rig.joint_count * sizeof *s.local);
    if (s.pipeline)
        play(bytes, &s, NULL);
    limber_pipeline_destroy(s.pipeline);
    limber_style_destroy(style);
    limber_asset_destroy(asset);
    free(s.local);
    free(s.weights);
}
