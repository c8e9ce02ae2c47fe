// With a style, legs get at least as straight at their straightest as without, and reach as far in all; the feet of a
// walk do not whip past the hips, its arms do not cross the body, and hands keep to what they hold.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/math.h"
#include "kit/models.h"
#include <limber/gltf.h>
#include <limber/limber.h>
#include <limber/stages/stages.h>

typedef struct limb {
    const char *name, *root, *tip;
} limb;

// --- helpers ---

static uint32_t joint_named(const limber_rig* rig, const char* name) {
    for (uint32_t j = 0; j < rig->joint_count; j++)
        if (strcmp(rig->names[j], name) == 0)
            return j;
    fail_msg("no joint %s", name);
    return 0;
}

// The mean place of the skin that hangs on a joint by more than half.
static limber_vec3 skin_of(const limber_model* model, uint32_t joint, const float* positions) {
    limber_vec3 sum = limberi_vec3(0, 0, 0);
    float count = 0;
    for (uint32_t m = 0; m < model->mesh_count; m++) {
        const limber_mesh* mesh = &model->meshes[m];
        for (uint32_t u = 0; u < mesh->vertex_count; u++)
            for (uint32_t i = mesh->influence_first[u]; i < mesh->influence_first[u + 1]; i++) {
                bool its_own = model->skins[mesh->skin].joints[mesh->influence_joint[i]] == joint;
                if (!its_own || mesh->influence_weight[i] <= 0.5f)
                    continue;
                sum = limberi_add(sum, limberi_load3(positions + 3 * (size_t)(mesh->first_vertex + u)));
                count++;
            }
    }
    assert_true(count > 0);
    return limberi_scale(sum, 1 / count);
}

typedef struct reach {
    double min, max;
} reach;

static reach reach_of(const limber_asset* asset, const char* preset, uint32_t clip, const limb* l) {
    const limber_model* model = limber_asset_model(asset);
    uint32_t root = joint_named(&model->rig, l->root);
    uint32_t tip = joint_named(&model->rig, l->tip);
    limber_style* style;
    limber_pipeline* pipeline;
    reach r = {INFINITY, 0};
    assert_int_equal(limber_style_create(&style, NULL), LIMBER_OK);
    if (preset)
        assert_int_equal(limber_style_read_preset(style, preset, NULL), LIMBER_OK);
    assert_int_equal(limber_pipeline_create(asset, style, &pipeline, NULL), LIMBER_OK);
    const limber_clip* c = &model->clips[clip];
    for (double t = c->start_s; t <= c->end_s; t += 1.0 / 30) {
        limber_frame frame;
        assert_int_equal(limber_pipeline_evaluate(pipeline, (int32_t)clip, t, &frame), LIMBER_OK);
        limber_vec3 way = limberi_sub(skin_of(model, tip, frame.positions), skin_of(model, root, frame.positions));
        r.min = fmin(r.min, (double)limberi_length(way));
        r.max = fmax(r.max, (double)limberi_length(way));
    }
    limber_pipeline_destroy(pipeline);
    limber_style_destroy(style);
    return r;
}

// --- tests ---

// Straight legs at take-off get no shorter. Drag takes a little of how far a leg folds in a run, no more than it gains.
static void check(const limb* l, const char* preset) {
    limber_asset* asset = test_built_in(l->name, 0.5);
    const limber_model* model = limber_asset_model(asset);
    uint32_t seen = 0;
    for (uint32_t clip = 0; clip < model->clip_count; clip++) {
        reach plain = reach_of(asset, NULL, clip, l);
        double range = plain.max - plain.min;
        if (range < 0.03 * (double)model->size)
            continue;
        reach now = reach_of(asset, preset, clip, l);
        seen++;
        if (now.max < plain.max || now.max - now.min < range ||
            now.min > plain.min + fmax(0.15 * range, now.max - plain.max))
            fail_msg("%s of %s, clip %u with %s: %g to %g, now %g to %g", l->tip, l->name, clip, preset, plain.min,
                     plain.max, now.min, now.max);
    }
    assert_true(seen > 0);
    limber_asset_destroy(asset);
}

static void legs_are_as_straight_and_reach_as_far(void** state) {
    static const limb limbs[] = {{"hero", "LegUpperLeft", "LegFootLeft"},
                                 {"hero", "LegUpperRight", "LegFootRight"},
                                 {"toon", "LegUpperRight", "LegFootRight"},
                                 {"dog", "LegHindUpperLeft", "LegHindPawLeft"},
                                 {"dog", "LegFrontUpperRight", "LegFrontPawRight"}};
    (void)state;
    for (size_t i = 0; i < sizeof limbs / sizeof *limbs; i++)
        check(&limbs[i], i % 2 ? "rubberhose" : "cartoon");
}

// How fast a joint moves at most against another one, in sizes per second.
static double fastest(const limber_asset* asset, const char* preset, uint32_t clip, const char* joint,
                      const char* against) {
    const limber_model* model = limber_asset_model(asset);
    const double step_s = 1.0 / 120;
    limber_style* style;
    limber_pipeline* pipeline;
    double fastest = 0;
    limber_vec3 before = limberi_vec3(0, 0, 0);
    assert_int_equal(limber_style_create(&style, NULL), LIMBER_OK);
    if (preset)
        assert_int_equal(limber_style_read_preset(style, preset, NULL), LIMBER_OK);
    assert_int_equal(limber_pipeline_create(asset, style, &pipeline, NULL), LIMBER_OK);
    const limber_clip* c = &model->clips[clip];
    for (double t = c->start_s; t <= c->end_s; t += step_s) {
        limber_frame frame;
        assert_int_equal(limber_pipeline_evaluate(pipeline, (int32_t)clip, t, &frame), LIMBER_OK);
        const limber_mat4* places = frame.pose->world_from_joint;
        limber_vec3 way = limberi_sub(limberi_mat4_translation(&places[joint_named(&model->rig, joint)]),
                                      limberi_mat4_translation(&places[joint_named(&model->rig, against)]));
        if (t > c->start_s)
            fastest = fmax(fastest, (double)limberi_length(limberi_sub(way, before)) / step_s);
        before = way;
    }
    limber_pipeline_destroy(pipeline);
    limber_style_destroy(style);
    return fastest / (double)model->size;
}

// How far the skin of a joint goes from where it is as the first clip starts.
static double way_of_skin(const limber_asset* asset, const char* preset, const char* joint) {
    const limber_model* model = limber_asset_model(asset);
    limber_style* style;
    limber_pipeline* pipeline;
    limber_vec3 start = limberi_vec3(0, 0, 0);
    double max = 0;
    assert_int_equal(limber_style_create(&style, NULL), LIMBER_OK);
    if (preset)
        assert_int_equal(limber_style_read_preset(style, preset, NULL), LIMBER_OK);
    assert_int_equal(limber_pipeline_create(asset, style, &pipeline, NULL), LIMBER_OK);
    for (double t = model->clips[0].start_s; t <= model->clips[0].end_s; t += 1.0 / 30) {
        limber_frame frame;
        assert_int_equal(limber_pipeline_evaluate(pipeline, 0, t, &frame), LIMBER_OK);
        limber_vec3 place = skin_of(model, joint_named(&model->rig, joint), frame.positions);
        start = t > model->clips[0].start_s ? start : place;
        max = fmax(max, (double)limberi_length(limberi_sub(place, start)));
    }
    limber_pipeline_destroy(pipeline);
    limber_style_destroy(style);
    return max;
}

// How far a joint swings against the hips: to the sides, and to the front and back. The character faces along z.
static void swing_of(const limber_asset* asset, const char* preset, uint32_t clip, const char* joint, double* sides,
                     double* front) {
    const limber_model* model = limber_asset_model(asset);
    limber_style* style;
    limber_pipeline* pipeline;
    float range[3][2] = {{HUGE_VALF, -HUGE_VALF}, {HUGE_VALF, -HUGE_VALF}, {HUGE_VALF, -HUGE_VALF}};
    assert_int_equal(limber_style_create(&style, NULL), LIMBER_OK);
    if (preset)
        assert_int_equal(limber_style_read_preset(style, preset, NULL), LIMBER_OK);
    assert_int_equal(limber_pipeline_create(asset, style, &pipeline, NULL), LIMBER_OK);
    const limber_clip* c = &model->clips[clip];
    for (double t = c->start_s; t <= c->end_s; t += 1.0 / 60) {
        limber_frame frame;
        assert_int_equal(limber_pipeline_evaluate(pipeline, (int32_t)clip, t, &frame), LIMBER_OK);
        const limber_mat4* places = frame.pose->world_from_joint;
        for (int i = 0; i < 3; i++) {
            float at = places[joint_named(&model->rig, joint)].m[12 + i] -
                       places[joint_named(&model->rig, "mixamorig:Hips")].m[12 + i];
            range[i][0] = fminf(range[i][0], at);
            range[i][1] = fmaxf(range[i][1], at);
        }
    }
    *sides = (double)(range[0][1] - range[0][0]);
    *front = (double)(range[2][1] - range[2][0]);
    limber_pipeline_destroy(pipeline);
    limber_style_destroy(style);
}

// Opens a file of the test assets and finds its walk. NULL: there are none.
static limber_gltf* open_soldier(uint32_t* walk) {
    char path[1024];
    limber_gltf* gltf;
    if (!test_assets())
        return NULL;
    snprintf(path, sizeof path, "%s/more/Soldier.glb", test_assets());
    assert_int_equal(limber_gltf_load_file(path, NULL, &gltf, NULL), LIMBER_OK);
    int32_t clip = limber_model_find_clip(limber_asset_model(limber_gltf_asset(gltf)), "Walk");
    assert_true(clip >= 0);
    *walk = (uint32_t)clip;
    return gltf;
}

// A walker whose chest turns against its arms: a larger pose swings them farther to the front and back. It does not
// them out like wings.
static void arms_of_a_walk_do_not_cross_the_body(void** state) {
    static const struct {
        const char* hand;
        double share;
    } sides_of[] = {{"mixamorig:LeftHand", 0.57}, {"mixamorig:RightHand", 0.4}};
    uint32_t walk;
    (void)state;
    limber_gltf* gltf = open_soldier(&walk);
    if (!gltf)
        skip();
    for (size_t i = 0; i < 2; i++) {
        double plain_sides, plain_front, sides, front;
        const char* hand = sides_of[i].hand;
        swing_of(limber_gltf_asset(gltf), NULL, walk, hand, &plain_sides, &plain_front);
        swing_of(limber_gltf_asset(gltf), "cartoon", walk, hand, &sides, &front);
        printf("%s: %.3f to the sides, %.3f to the front and back, now %.3f and %.3f\n", hand, plain_sides, plain_front,
               sides, front);
        assert_true(front > 1.2 * plain_front);
        assert_true(sides < sides_of[i].share * front);
    }
    limber_gltf_destroy(gltf);
}

// A larger step is only free while the foot is off the ground; it must not jump from behind the hips to before them.
static void feet_of_a_walk_do_not_whip(void** state) {
    static const char* const feet[] = {"mixamorig:LeftFoot", "mixamorig:RightFoot"};
    uint32_t walk;
    (void)state;
    limber_gltf* gltf = open_soldier(&walk);
    if (!gltf)
        skip();
    const limber_asset* asset = limber_gltf_asset(gltf);
    for (size_t i = 0; i < 2; i++) {
        double plain = fastest(asset, NULL, walk, feet[i], "mixamorig:Hips");
        double now = fastest(asset, "cartoon", walk, feet[i], "mixamorig:Hips");
        printf("%s: %.2f, now %.2f\n", feet[i], plain, now);
        assert_in_range((intmax_t)(100 * now / plain), 100, 260);
    }
    limber_gltf_destroy(gltf);
}

// The body swings farther, but the hands keep to the bar.
static void hands_stay_on_the_bar(void** state) {
    static const char* const hands[] = {"HandLeft", "HandRight"};
    static const char* const presets[] = {NULL, "cartoon", "rubberhose"};
    (void)state;
    limber_asset* asset = test_built_in("gymnast", 0.5);
    for (size_t h = 0; h < 2; h++)
        for (size_t p = 0; p < sizeof presets / sizeof *presets; p++) {
            double way = way_of_skin(asset, presets[p], hands[h]) / (double)limber_asset_model(asset)->size;
            if (!(way < 0.003))
                fail_msg("%s goes %g L from its place with %s", hands[h], way, presets[p] ? presets[p] : "nothing");
        }
    limber_asset_destroy(asset);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(legs_are_as_straight_and_reach_as_far), cmocka_unit_test(arms_of_a_walk_do_not_cross_the_body),
        cmocka_unit_test(feet_of_a_walk_do_not_whip), cmocka_unit_test(hands_stay_on_the_bar)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
