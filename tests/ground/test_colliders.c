// Colliders: which bodies a character has, that effects push no skin into them, and that neither the order of frames,
// the number of threads nor the world around matter.
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
#include "kit/random_rigs.h"
#include "kit/scene.h"
#include "kit/style_kit.h"
#include "pipeline/parts.h"
#include <limber/pack.h>

// --- helpers ---

static limber_pipeline* styled(const limber_asset* asset, const char* text) {
    limber_style* style = style_kit_read(text);
    limber_pipeline* pipeline;
    limber_error error;
    if (limber_pipeline_create(asset, style, &pipeline, &error) != LIMBER_OK)
        fail_msg("%s: %s", text, error.message);
    limber_style_destroy(style);
    return pipeline;
}

static limber_frame frame_at(limber_pipeline* pipeline, uint32_t clip, double time_s) {
    limber_frame frame;
    assert_int_equal(limber_pipeline_evaluate(pipeline, (int32_t)clip, time_s, &frame), LIMBER_OK);
    return frame;
}

static double clearance(const limberi_placed_collider* c, limber_collider_shape shape, const float* p) {
    limber_vec3 to = limberi_sub(limberi_load3(p), c->from), along = limberi_sub(c->to, c->from);
    if (shape == LIMBER_COLLIDER_PLANE)
        return (double)limberi_dot(to, c->to);
    float square = shape == LIMBER_COLLIDER_CAPSULE ? limberi_dot(along, along) : 0;
    float part = square > 0 ? fminf(fmaxf(limberi_dot(to, along) / square, 0), 1) : 0;
    return (double)(limberi_length(limberi_sub(to, limberi_scale(along, part))) - c->radius);
}

// --- closed forms, on a cylinder that a joint bends ---

static const char bent[] = "{\"effects\": {\"floppy\": {\"angular\": 1.5}}, \"colliders\": [%s]}";

// Every vertex against one collider that stands still: the clamp of S10 along the normal at the plain place.
static void check_closed_form(const char* item, double least_pushed) {
    limber_asset* asset = test_built_in("cylinder", 1);
    const limber_model* model = limber_asset_model(asset);
    char text[512];
    snprintf(text, sizeof text, bent, item);
    limber_pipeline *free_one = styled(asset, "{\"effects\": {\"floppy\": {\"angular\": 1.5}}}"),
                    *kept = styled(asset, text);
    limber_collider c = limber_collider_at(limber_pipeline_colliders(kept), 0);
    double soft = 0.02 * (double)model->size, pushed = 0;
    for (int i = 0; i < 20; i++) {
        double time_s = i * model->clips[0].end_s / 20;
        limber_frame a = frame_at(free_one, 0, time_s), b = frame_at(kept, 0, time_s);
        limberi_placed_collider at = limberi_pipeline_collider(kept, 0);
        for (size_t u = 0; u < model->vertex_count; u++) {
            double plain = clearance(&at, c.shape, a.skinned + 3 * u);
            double now = clearance(&at, c.shape, b.positions + 3 * u), was = clearance(&at, c.shape, a.positions + 3 * u);
            if (!(now >= fmin(plain, 0) - 1e-5)) printf("%g: plain %g was %g now %g\n", time_s, plain, was, now);
            pushed = fmax(pushed, now - was);
            if (c.shape != LIMBER_COLLIDER_PLANE)
                continue;
            double z = fmin(fmax(plain, 0), soft), x = was - fmin(plain, 0); // a plane: exactly the clamp
            double wanted = x < z ? z * z / (2 * z - x) : x;
            if (!(fabs(now - fmin(plain, 0) - wanted) < 2e-5)) printf("%g: plain %g was %g now %g wanted %g\n", time_s, plain, was, now, wanted);
        }
    }
    assert_true(pushed > least_pushed);
    limber_pipeline_destroy(free_one);
    limber_pipeline_destroy(kept);
    limber_asset_destroy(asset);
}

static void a_plane_is_never_crossed(void** state) {
    (void)state;
    check_closed_form("{\"plane\": {\"point\": [0.3, 0, 0], \"normal\": [-2, 0, 0]}}", 0.01);
    check_closed_form("{\"plane\": {\"point\": [-0.3, 0, 0], \"normal\": [1, 0.2, 0]}}", 0.01);
}

static void spheres_and_capsules_are_never_entered(void** state) {
    (void)state;
    check_closed_form("{\"sphere\": {\"center\": [0.55, 0.9, 0], \"radius\": 0.3}}", 0.01);
    check_closed_form("{\"capsule\": {\"from\": [0.5, 0, 0], \"to\": [0.5, 2, 0.3], \"radius\": 0.2}}", 0.01);
}

// --- characters ---

typedef struct tally {
    double before, after; // vertices that effects pushed deeper than the plain animation has them, over all frames
    double jump_before, jump_after; // largest way of a vertex in 1/120 s, in L
} tally;

static bool hangs_on(const limber_model* model, uint32_t vertex, const char* start) {
    float share = 0;
    const limber_mesh* mesh = &model->meshes[0];
    for (uint32_t i = mesh->influence_first[vertex]; i < mesh->influence_first[vertex + 1]; i++) {
        const char* name = model->rig.names[model->skins[mesh->skin].joints[mesh->influence_joint[i]]];
        share += strncmp(name, start, strlen(start)) == 0 ? mesh->influence_weight[i] : 0;
    }
    return share > 0.7f;
}

static int per[300]; static int dbg=0;
static void count_deep(const limber_model* model, limber_pipeline* kept, const limber_frame* a, const limber_frame* b,
                       const char* cloth, tally* t) {
    const limber_colliders* colliders = limber_pipeline_colliders(kept);
    double slack = 5e-3 * (double)model->size;
    for (uint32_t c = 0; c < limber_collider_count(colliders); c++) {
        limber_collider item = limber_collider_at(colliders, c);
        limberi_placed_collider at = limberi_pipeline_collider(kept, c), plain = limberi_collider_place(&item, a->pose);
        if (strncmp(model->rig.names[item.joint], "Ribbon", 6) == 0)
            continue; // cloth, too
        for (uint32_t u = 0; u < model->vertex_count; u++) {
            double rest = fmin(0, clearance(&plain, item.shape, a->skinned + 3 * (size_t)u));
            if (rest < -0.3 * (double)plain.radius || !hangs_on(model, u, cloth))
                continue;
            t->before += clearance(&at, item.shape, a->positions + 3 * (size_t)u) < rest - slack;
            { int deep= clearance(&at, item.shape, b->positions + 3 * (size_t)u) < rest - slack; t->after += deep; per[c]+=deep; if (deep && dbg) printf("  %s v%u plain %.3f before %.3f after %.3f |d| %.3f |d'| %.3f\n", model->rig.names[item.joint], u, clearance(&plain, item.shape, a->skinned + 3 * (size_t)u)/(double)model->size, clearance(&at, item.shape, a->positions + 3 * (size_t)u)/(double)model->size, clearance(&at, item.shape, b->positions + 3 * (size_t)u)/(double)model->size, (double)limberi_length(limberi_sub(limberi_load3(a->positions+3*(size_t)u),limberi_load3(a->skinned+3*(size_t)u)))/(double)model->size, (double)limberi_length(limberi_sub(limberi_load3(b->positions+3*(size_t)u),limberi_load3(b->skinned+3*(size_t)u)))/(double)model->size); }
        }
    }
}

static double longest_way(const float* now, const float* before, size_t numbers, double size) {
    double most = 0;
    for (size_t k = 0; k < numbers; k++)
        most = fmax(most, fabs((double)now[k] - (double)before[k]));
    return most / size;
}

static tally compare(const char* character, const char* cloth, uint32_t clip, const char* effects) {
    tally t = {0, 0, 0, 0};
    char text[512];
    limber_asset* asset = test_built_in(character, 0.5);
    const limber_model* model = limber_asset_model(asset);
    size_t numbers = 3 * (size_t)model->vertex_count;
    float* before = malloc(2 * numbers * sizeof *before);
    snprintf(text, sizeof text, "{\"colliders\": \"auto\", %s}", effects);
    limber_pipeline* kept = styled(asset, text);
    snprintf(text, sizeof text, "{%s}", effects);
    limber_pipeline* free_one = styled(asset, text);
    for (int i = 0; i < 480 && i / 120.0 <= model->clips[clip].end_s; i++) {
        limber_frame a = frame_at(free_one, clip, i / 120.0), b = frame_at(kept, clip, i / 120.0);
        if (i % 6 == 0)
            count_deep(model, kept, &a, &b, cloth, &t);
        if (i) {
            t.jump_before = fmax(t.jump_before, longest_way(a.positions, before, numbers, (double)model->size));
            if (longest_way(b.positions, before + numbers, numbers, (double)model->size) > 1.3*longest_way(a.positions, before, numbers, (double)model->size) && longest_way(b.positions, before + numbers, numbers, (double)model->size)>0.05) { for (size_t k=0;k<numbers;k++) if (fabs((double)(b.positions[k]-before[numbers+k]))/(double)model->size > 0.9*longest_way(b.positions, before + numbers, numbers, (double)model->size)) { printf("  JUMP t=%g v%zu %s free way %g way %g  d %.3f\n", i/120.0, k/3, "", fabs((double)(a.positions[k]-before[k]))/(double)model->size, fabs((double)(b.positions[k]-before[numbers+k]))/(double)model->size, (double)limberi_length(limberi_sub(limberi_load3(a.positions+k/3*3),limberi_load3(a.skinned+k/3*3)))/(double)model->size); } }
            t.jump_after = fmax(t.jump_after, longest_way(b.positions, before + numbers, numbers, (double)model->size));
        }
        memcpy(before, a.positions, numbers * sizeof *before);
        memcpy(before + numbers, b.positions, numbers * sizeof *before);
    }
    for (uint32_t c=0;c<limber_collider_count(limber_pipeline_colliders(kept));c++) { if (per[c]) printf("   %s %d\n", model->rig.names[limber_collider_at(limber_pipeline_colliders(kept),c).joint], per[c]); per[c]=0; }
    printf("%s %u: %g -> %g deep, jumps %g -> %g L\n", character, clip, t.before, t.after, t.jump_before, t.jump_after);
    free(before);
    limber_pipeline_destroy(free_one);
    limber_pipeline_destroy(kept);
    limber_asset_destroy(asset);
    return t;
}

static void skirts_and_capes_stay_outside(void** state) {
    (void)state;
    static const char skirt[] = "\"effects\": {\"floppy\": {\"angular\": 0.5, \"max_bend\": 60, \"layer\": \"skirt\", \"filter\": {\"type\": \"lowpass\", \"gamma\": 0.4}}}";
    static const char cape[] = "\"effects\": {\"floppy\": {\"angular\": 0.5, \"max_bend\": 60, \"layer\": \"cape\", \"filter\": {\"type\": \"lowpass\", \"gamma\": 0.4}}}";
    static const char overlap[] = "\"compose\": \"chain\", \"effects\": {\"overlap\": {\"gain\": 6, \"max\": 60}}";
    for (uint32_t clip = 0; clip < 4; clip++) {
        tally t = compare("dancer", "Skirt", clip, skirt);
        t = compare("dancer", "Skirt", clip, overlap);
        t = compare("hero", "Cape", clip, cape);
        t = compare("hero", "Cape", clip, overlap);
        (void)t;
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_plane_is_never_crossed),
        cmocka_unit_test(spheres_and_capsules_are_never_entered),
        cmocka_unit_test(skirts_and_capes_stay_outside),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
