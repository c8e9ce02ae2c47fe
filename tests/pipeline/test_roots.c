// "root": "contacts" (velocity skinning, section 8; thesis, 7.2): what holds on stays, the body trails from it, and nothing
// kinks where contacts begin and end.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/math.h"
#include "kit/models.h"
#include <limber/pipeline.h>

typedef struct stage {
    limber_asset* asset;
    const limber_model* model;
    limber_pipeline* pipelines[2]; // root: rig, contacts
} stage;

static void stage_open(stage* s, const char* character) {
    static const char* const roots[2] = {"rig", "contacts"};
    s->asset = test_built_in(character, 0.5);
    s->model = limber_asset_model(s->asset);
    for (int i = 0; i < 2; i++) {
        limber_style* style;
        limber_error error;
        assert_int_equal(limber_style_create(&style, NULL), LIMBER_OK);
        assert_int_equal(limber_style_set(style, "effects.floppy.linear", "0.2", &error), LIMBER_OK);
        assert_int_equal(limber_style_set(style, "effects.floppy.angular", "0.15", &error), LIMBER_OK);
        assert_int_equal(limber_style_set(style, "root", roots[i], &error), LIMBER_OK);
        assert_int_equal(limber_pipeline_create(s->asset, style, &s->pipelines[i], &error), LIMBER_OK);
        limber_style_destroy(style);
    }
}

static void stage_close(stage* s) {
    limber_pipeline_destroy(s->pipelines[0]);
    limber_pipeline_destroy(s->pipelines[1]);
    limber_asset_destroy(s->asset);
}

// How far the vertices of a joint are moved at most, in L; `whole`: those that hang on it alone.
static float moved_by(const stage* s, const limber_frame* frame, const char* prefix) {
    float most = 0;
    for (uint32_t m = 0; m < s->model->mesh_count; m++) {
        const limber_mesh* mesh = &s->model->meshes[m];
        for (uint32_t u = 0; u < mesh->vertex_count; u++) {
            uint32_t i = mesh->influence_first[u];
            uint32_t joint = s->model->skins[mesh->skin].joints[mesh->influence_joint[i]];
            if (strncmp(s->model->rig.names[joint], prefix, strlen(prefix)) != 0 || mesh->influence_weight[i] < 0.99f)
                continue;
            size_t at = 3 * ((size_t)mesh->first_vertex + u);
            limber_vec3 d = limberi_sub(limberi_load3(frame->positions + at), limberi_load3(frame->skinned + at));
            most = fmaxf(most, limberi_length(d) / s->model->size);
        }
    }
    return most;
}

static void hands_on_a_bar_stay_and_the_body_trails(void** state) {
    (void)state;
    stage s;
    stage_open(&s, "gymnast");
    float hands[2] = {0, 0};
    float feet[2] = {0, 0};
    for (double t = 0; t < 1.6; t += 0.1)
        for (int i = 0; i < 2; i++) {
            limber_frame frame;
            assert_int_equal(limber_pipeline_evaluate(s.pipelines[i], 0, t, &frame), LIMBER_OK);
            hands[i] = fmaxf(hands[i], moved_by(&s, &frame, "Hand"));
            feet[i] = fmaxf(feet[i], moved_by(&s, &frame, "LegToe"));
            assert_true(moved_by(&s, &frame, "Bar") == 0); // what stands around is of another tree
        }
    print_message("hands %g and %g, feet %g and %g\n", (double)hands[0], (double)hands[1], (double)feet[0],
                  (double)feet[1]);
    assert_true(hands[0] > 0.03f && hands[1] < 0.35f * hands[0]);
    assert_true(feet[1] > 0.02f); // they trail
    stage_close(&s);
}

// The largest change of velocity from one step to the next, L per second, over the whole clip.
static double largest_kink(const stage* s, double step_s) {
    const limber_clip* clip = &s->model->clips[0];
    size_t numbers = 3 * (size_t)s->model->vertex_count;
    float* kept = calloc(2 * numbers, sizeof *kept);
    double most = 0;
    uint32_t count = 0;
    for (double t = 0.8; t < 1.8 && t < clip->end_s; t += step_s, count++) { // where hands leave and land
        limber_frame frame;
        assert_int_equal(limber_pipeline_evaluate(s->pipelines[1], 0, t, &frame), LIMBER_OK);
        for (size_t i = 0; i < numbers; i++) {
            float d = frame.positions[i] - frame.skinned[i];
            double bend = (double)d - 2 * (double)kept[numbers + i] + (double)kept[i];
            if (count >= 2)
                most = fmax(most, fabs(bend) / (step_s * (double)s->model->size));
            kept[i] = kept[numbers + i];
            kept[numbers + i] = d;
        }
    }
    free(kept);
    return most;
}

// A kink keeps its size however small the steps are; a curve gets straighter.
static void nothing_kinks_where_contacts_change(void** state) {
    (void)state;
    stage s;
    stage_open(&s, "pusher");
    double coarse = largest_kink(&s, 1 / 120.0);
    double fine = largest_kink(&s, 1 / 480.0);
    print_message("%g and %g L/s\n", coarse, fine);
    assert_true(coarse > 1e-3);
    assert_true(fine < 0.5 * coarse);
    stage_close(&s);
}

// Nothing holds on in the air: there it is the same as from the root of the rig.
static void what_flies_starts_at_its_root(void** state) {
    (void)state;
    stage s;
    stage_open(&s, "bird");
    for (double t = 0.1; t < 0.2; t += 0.05) {
        limber_frame frames[2];
        for (int i = 0; i < 2; i++)
            assert_int_equal(limber_pipeline_evaluate(s.pipelines[i], 0, t, &frames[i]), LIMBER_OK);
        assert_memory_equal(frames[0].positions, frames[1].positions, 3 * s.model->vertex_count * sizeof(float));
    }
    stage_close(&s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hands_on_a_bar_stay_and_the_body_trails),
        cmocka_unit_test(nothing_kinks_where_contacts_change),
        cmocka_unit_test(what_flies_starts_at_its_root),
    };
    return cmocka_run_group_tests_name("roots", tests, NULL, NULL);
}
