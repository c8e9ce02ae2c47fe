// The velocity skinning authors' own program, computed on their cow: upward weights, both skinnings and every
// displacement variant (folder reference_spot of LIMBER_TEST_ASSETS).
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

enum { VERTICES = 3225, TRIANGLES = 5856, JOINTS = 26, INFLUENCES = 12304, PAIRS = 23991 };

static void* read_array(const char* name, size_t count) {
    char path[1024];
    snprintf(path, sizeof path, "%s/reference_spot/%s", test_assets(), name);
    FILE* file = fopen(path, "rb");
    void* values = malloc(count * 4);
    if (!file || !values || fread(values, 4, count, file) != count)
        fail_msg("cannot read %s", path);
    fclose(file);
    return values;
}

typedef struct spot {
    float *rest, *lbs, *dqs, *com, *velocity, *spin, *weights;
    float *rest_rotation, *rest_translation, *pose_rotation, *pose_translation;
    int32_t *triangles, *parents, *first, *joints;
    limber_transform rest_local[JOINTS];
    limber_mat4 inverse[JOINTS];
    uint32_t skin_joints[JOINTS];
    uint16_t joint16[INFLUENCES];
    limber_asset* asset;
    const limber_model* model;
    limber_pose pose;
    limber_mat4 palette[JOINTS];
    limber_dualquat dualquats[JOINTS];
    float* skinned;
    float* normals;
    double box;
} spot;

static limber_transform local_transform(const float* rotation, const float* translation, uint32_t j) {
    limber_transform t = limber_transform_identity();
    limber_quat q = {rotation[4 * j], rotation[4 * j + 1], rotation[4 * j + 2], rotation[4 * j + 3]};
    t.rotation = q;
    t.translation = limberi_load3(translation + 3 * j);
    return t;
}

static void read_spot(spot* s) {
    s->rest = read_array("rest_positions.f32", 3 * VERTICES);
    s->triangles = read_array("triangles.i32", 3 * TRIANGLES);
    s->parents = read_array("parents.i32", JOINTS);
    s->rest_rotation = read_array("rest_local_rotation.f32", 4 * JOINTS);
    s->rest_translation = read_array("rest_local_translation.f32", 3 * JOINTS);
    s->pose_rotation = read_array("pose_local_rotation.f32", 4 * JOINTS);
    s->pose_translation = read_array("pose_local_translation.f32", 3 * JOINTS);
    s->first = read_array("influence_ptr.i32", VERTICES + 1);
    s->joints = read_array("influence_joint.i32", INFLUENCES);
    s->weights = read_array("influence_weight.f32", INFLUENCES);
    s->velocity = read_array("velocity_world_linear.f32", 3 * JOINTS);
    s->spin = read_array("velocity_world_angular.f32", 3 * JOINTS);
    s->com = read_array("com_lbs.f32", 3 * JOINTS);
    s->lbs = read_array("lbs_positions.f32", 3 * VERTICES);
    s->dqs = read_array("dqs_positions.f32", 3 * VERTICES);
}

static void make_asset(spot* s) {
    limber_mat4 world[JOINTS];
    for (uint32_t j = 0; j < JOINTS; j++) {
        s->rest_local[j] = local_transform(s->rest_rotation, s->rest_translation, j);
        limber_mat4 local = limberi_mat4_from_transform(&s->rest_local[j]);
        world[j] = s->parents[j] < 0 ? local : limberi_mat4_mul(&world[s->parents[j]], &local);
        assert_true(limberi_mat4_inverse(&world[j], &s->inverse[j]));
        s->skin_joints[j] = j;
    }
    for (uint32_t i = 0; i < INFLUENCES; i++)
        s->joint16[i] = (uint16_t)s->joints[i];
    limber_skin skin = {"spot", JOINTS, s->skin_joints, s->inverse, limber_mat4_identity()};
    limber_mesh mesh;
    memset(&mesh, 0, sizeof mesh);
    mesh.name = mesh.node_name = "spot";
    mesh.vertex_count = VERTICES;
    mesh.triangle_count = TRIANGLES;
    mesh.positions = s->rest;
    mesh.triangles = (const uint32_t*)s->triangles;
    mesh.influence_first = (const uint32_t*)s->first;
    mesh.influence_joint = s->joint16;
    mesh.influence_weight = s->weights;
    limber_model model = limber_model_default();
    model.rig.joint_count = JOINTS;
    model.rig.parents = s->parents;
    model.rig.rest_local = s->rest_local;
    model.skin_count = model.mesh_count = 1;
    model.skins = &skin;
    model.meshes = &mesh;
    limber_error error;
    if (limber_asset_create(&model, &s->asset, &error) != LIMBER_OK)
        fail_msg("%s: %s", error.place, error.message);
    s->model = limber_asset_model(s->asset);
}

static void pose_spot(spot* s) {
    assert_int_equal(limber_pose_create(s->model, &s->pose), LIMBER_OK);
    for (uint32_t j = 0; j < JOINTS; j++)
        s->pose.local[j] = local_transform(s->pose_rotation, s->pose_translation, j);
    limber_pose_update_world(s->model, &s->pose);
    limber_skin_palette(&s->model->skins[0], &s->pose, s->palette);
    limber_skin_dualquats(s->palette, JOINTS, s->dualquats);
    s->skinned = malloc(3 * VERTICES * sizeof(float));
    s->normals = malloc(3 * VERTICES * sizeof(float));
    limber_vec3 low = limberi_load3(s->lbs), high = low;
    for (uint32_t u = 0; u < VERTICES; u++) {
        limber_vec3 p = limberi_load3(s->lbs + 3 * u);
        low = limberi_vec3(fminf(low.x, p.x), fminf(low.y, p.y), fminf(low.z, p.z));
        high = limberi_vec3(fmaxf(high.x, p.x), fmaxf(high.y, p.y), fmaxf(high.z, p.z));
    }
    s->box = (double)limberi_length(limberi_sub(high, low));
}

static void skin_spot(spot* s, limber_skinning skinning) {
    limber_skin_job job = limber_skin_job_default();
    job.mesh = &s->model->meshes[0];
    job.skinning = skinning;
    job.palette = s->palette;
    job.dualquats = s->dualquats;
    job.palette_count = JOINTS;
    job.out_positions = s->skinned;
    job.out_normals = s->normals;
    assert_int_equal(limber_skin_evaluate(&job), LIMBER_OK);
}

static int open_spot(void** state) {
    static spot s;
    *state = NULL;
    if (!test_assets())
        return 0;
    read_spot(&s);
    make_asset(&s);
    pose_spot(&s);
    *state = &s;
    return 0;
}

static int close_spot(void** state) {
    spot* s = *state;
    if (!s)
        return 0;
    float* floats[] = {s->rest,
                       s->lbs,
                       s->dqs,
                       s->com,
                       s->velocity,
                       s->spin,
                       s->weights,
                       s->rest_rotation,
                       s->rest_translation,
                       s->pose_rotation,
                       s->pose_translation,
                       s->skinned,
                       s->normals};
    for (size_t i = 0; i < sizeof floats / sizeof *floats; i++)
        free(floats[i]);
    free(s->triangles);
    free(s->parents);
    free(s->first);
    free(s->joints);
    limber_pose_destroy(&s->pose);
    limber_asset_destroy(s->asset);
    return 0;
}

static void upward_weights_equal_theirs(void** state) {
    spot* s = *state;
    if (!s)
        skip();
    int32_t* first = read_array("extended_ptr.i32", VERTICES + 1);
    int32_t* joints = read_array("extended_joint.i32", PAIRS);
    float* weights = read_array("extended_weight.f32", PAIRS);
    float dense[JOINTS];
    double worst = 0;
    for (uint32_t u = 0; u < VERTICES; u++) {
        limber_mesh_upward_weights(s->model, &s->model->meshes[0], u, dense);
        for (int32_t i = first[u]; i < first[u + 1]; i++) {
            worst = fmax(worst, fabs((double)dense[joints[i]] - (double)weights[i]));
            dense[joints[i]] = 0;
        }
        for (uint32_t j = 0; j < JOINTS; j++)
            worst = fmax(worst, fabs((double)dense[j]));
    }
    print_message("upward weights: %.2g\n", worst);
    assert_true(worst < 2e-6);
    free(first);
    free(joints);
    free(weights);
}

static double compare(const float* a, const float* b) {
    double worst = 0;
    for (uint32_t i = 0; i < 3 * VERTICES; i++)
        worst = fmax(worst, fabs((double)a[i] - (double)b[i]));
    return worst;
}

static void both_skinnings_equal_theirs(void** state) {
    spot* s = *state;
    if (!s)
        skip();
    skin_spot(s, LIMBER_SKINNING_LINEAR);
    double linear = compare(s->skinned, s->lbs) / s->box;
    skin_spot(s, LIMBER_SKINNING_DUALQUAT);
    double dual = compare(s->skinned, s->dqs) / s->box;
    print_message("linear %.2g, dual quaternion %.2g of the box\n", linear, dual);
    assert_true(linear < 2e-5 && dual < 2e-5);
}

// Their centroids: per triangle of the posed mesh, area times mean weight times barycentre. The folder has them for
// linear skinning only; computing them for that one too shows that this is how they did it.
static void their_centroids(const spot* s, const float* posed, float* com) {
    double sums[JOINTS][4];
    memset(sums, 0, sizeof sums);
    float* dense = malloc(VERTICES * JOINTS * sizeof *dense);
    for (uint32_t u = 0; u < VERTICES; u++)
        limber_mesh_upward_weights(s->model, &s->model->meshes[0], u, dense + JOINTS * u);
    for (uint32_t t = 0; t < TRIANGLES; t++) {
        const int32_t* v = s->triangles + 3 * t;
        limber_vec3 a = limberi_load3(posed + 3 * v[0]), b = limberi_load3(posed + 3 * v[1]),
                    c = limberi_load3(posed + 3 * v[2]);
        double area = 0.5 * (double)limberi_length(limberi_cross(limberi_sub(b, a), limberi_sub(c, a)));
        limber_vec3 middle = limberi_scale(limberi_add(limberi_add(a, b), c), 1 / 3.0f);
        for (uint32_t j = 0; j < JOINTS; j++) {
            double weight = area * (double)(dense[JOINTS * (uint32_t)v[0] + j] + dense[JOINTS * (uint32_t)v[1] + j] +
                                            dense[JOINTS * (uint32_t)v[2] + j]);
            sums[j][0] += weight * (double)middle.x;
            sums[j][1] += weight * (double)middle.y;
            sums[j][2] += weight * (double)middle.z;
            sums[j][3] += weight;
        }
    }
    for (uint32_t j = 0; j < JOINTS; j++)
        for (uint32_t c = 0; c < 3; c++)
            com[3 * j + c] = (float)(sums[j][c] / sums[j][3]);
    free(dense);
}

// Offsets that put our centroids where theirs were in this pose.
static void match_centroids(const spot* s, const float* com, limber_vec3* offsets) {
    for (uint32_t j = 0; j < JOINTS; j++) {
        limber_mat4 joint_from_world;
        assert_true(limberi_mat4_inverse(&s->pose.world_from_joint[j], &joint_from_world));
        limber_vec3 local = limberi_mat4_point(&joint_from_world, limberi_load3(com + 3 * j));
        offsets[j] = limberi_sub(local, s->model->rig.centroid[j]);
    }
}

typedef struct variant {
    const char* file;
    float floppy, squash;
    limber_about about;
    limber_skinning skinning;
} variant;

static double check_variant(spot* s, const variant* v) {
    float* theirs = read_array(v->file, 3 * VERTICES);
    limber_vec3 offsets[JOINTS], zeros[JOINTS];
    memset(zeros, 0, sizeof zeros);
    skin_spot(s, v->skinning);
    float computed[3 * JOINTS];
    their_centroids(s, s->skinned, computed);
    for (uint32_t i = 0; v->skinning == LIMBER_SKINNING_LINEAR && i < 3 * JOINTS; i++)
        assert_true(fabsf(computed[i] - s->com[i]) < 1e-5f);
    const float* com = v->skinning == LIMBER_SKINNING_LINEAR ? s->com : computed;
    match_centroids(s, com, offsets);
    limber_deform_settings settings = limber_deform_settings_default();
    settings.size = 1;
    settings.effects[LIMBER_EFFECT_FLOPPY].linear.value = settings.effects[LIMBER_EFFECT_FLOPPY].angular.value =
        v->floppy;
    settings.effects[LIMBER_EFFECT_SQUASH].linear.value = settings.effects[LIMBER_EFFECT_SQUASH].angular.value =
        v->squash;
    limber_effect_number(&settings, LIMBER_EFFECT_SQUASH, "about")->value = v->about;
    limber_effect_number(&settings, LIMBER_EFFECT_SQUASH, "fade")->value = 0; // the paper's own
    settings.centroid_offsets = offsets;
    limber_deformer* deformer;
    assert_int_equal(limber_deformer_create(s->asset, &settings, &deformer, NULL), LIMBER_OK);
    limber_kinematics motion = {(limber_vec3*)(void*)s->velocity, zeros, (limber_vec3*)(void*)s->spin, zeros};
    limber_deform_job job = limber_deform_job_default();
    job.pose = &s->pose;
    for (size_t i = 0; i < sizeof job.motion / sizeof *job.motion; i++)
        job.motion[i] = &motion;
    float* out = malloc(3 * VERTICES * sizeof(float));
    job.positions = s->skinned;
    job.normals = s->normals;
    job.out_positions = out;
    assert_int_equal(limber_deformer_evaluate(deformer, &job), LIMBER_OK);
    for (uint32_t i = 0; i < 3 * VERTICES; i++)
        out[i] -= s->skinned[i];
    double off = compare(out, theirs) / s->box;
    print_message("%s: %.2g of the box\n", v->file, off);
    limber_deformer_destroy(deformer);
    free(out);
    free(theirs);
    return off;
}

static void every_displacement_variant_equals_theirs(void** state) {
    spot* s = *state;
    if (!s)
        skip();
    static const variant variants[] = {
        {"disp_floppy_only.f32", 0.4f, 0, LIMBER_ABOUT_AXIS, LIMBER_SKINNING_LINEAR},
        {"disp_squash_only_axis.f32", 0, 0.1f, LIMBER_ABOUT_AXIS, LIMBER_SKINNING_LINEAR},
        {"disp_squash_only_center.f32", 0, 0.1f, LIMBER_ABOUT_CENTER, LIMBER_SKINNING_LINEAR},
        {"disp_full.f32", 0.4f, 0.1f, LIMBER_ABOUT_AXIS, LIMBER_SKINNING_LINEAR},
        {"disp_full_center.f32", 0.4f, 0.1f, LIMBER_ABOUT_CENTER, LIMBER_SKINNING_LINEAR},
        {"disp_full_dqs.f32", 0.4f, 0.1f, LIMBER_ABOUT_AXIS, LIMBER_SKINNING_DUALQUAT},
    };
    double worst = 0;
    for (size_t i = 0; i < sizeof variants / sizeof *variants; i++)
        worst = fmax(worst, check_variant(s, &variants[i]));
    assert_true(worst < 2e-5);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(upward_weights_equal_theirs),
        cmocka_unit_test(both_skinnings_equal_theirs),
        cmocka_unit_test(every_displacement_variant_equals_theirs),
    };
    return cmocka_run_group_tests_name("reference", tests, open_spot, close_spot);
}
