// A skinned character in one moment, and how far a kernel is from its reference there.
#include "kit/kernel_stage.h"
#include "base/math.h"
#include "deform/deformer.h"
#include "kit/models.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void skin(test_stage* s) {
    for (uint32_t m = 0; m < s->model->mesh_count; m++) {
        const limber_mesh* mesh = &s->model->meshes[m];
        const limber_skin* joints = &s->model->skins[mesh->skin];
        limber_mat4* palette = malloc(joints->joint_count * sizeof *palette);
        limber_skin_palette(joints, &s->pose, palette);
        limber_skin_job job = limber_skin_job_default();
        job.mesh = mesh;
        job.palette = palette;
        job.palette_count = joints->joint_count;
        job.out_positions = s->positions + 3 * (size_t)mesh->first_vertex;
        job.out_normals = s->normals + 3 * (size_t)mesh->first_vertex;
        assert_int_equal(limber_skin_evaluate(&job), LIMBER_OK);
        free(palette);
    }
}

static void allocate_memory(test_stage* s) {
    size_t bytes = (3 * (size_t)s->model->vertex_count + 1) * sizeof(float);
    s->positions = malloc(bytes);
    s->normals = malloc(bytes);
    s->out = malloc(bytes);
    s->out_normals = malloc(bytes);
    s->reference = malloc(bytes);
    assert_true(s->positions && s->normals && s->out && s->out_normals && s->reference);
    assert_int_equal(limber_pose_create(s->model, &s->pose), LIMBER_OK);
    for (int i = 0; i < TEST_MOTIONS; i++)
        assert_int_equal(limber_kinematics_create(s->model, &s->motion[i]), LIMBER_OK);
    const limber_mesh* mesh = &s->model->meshes[0];
    s->joint = s->model->skins[mesh->skin].joints[mesh->influence_joint[0]];
}

test_stage test_stage_random(uint32_t index) {
    test_stage s;
    memset(&s, 0, sizeof s);
    test_rig_recipe recipe = test_recipe(index);
    test_random random = test_random_seed(index + 5000);
    snprintf(s.name, sizeof s.name, "%s", test_recipe_text(&recipe));
    s.asset = test_random_rig(&recipe);
    s.model = limber_asset_model(s.asset);
    allocate_memory(&s);
    test_random_pose(&random, s.model, 1.5f, &s.pose);
    for (int i = 0; i < TEST_MOTIONS; i++)
        test_random_motion(&random, s.model, 3, index % 3 ? 0.3f : 0, &s.motion[i]);
    skin(&s);
    return s;
}

test_stage test_stage_character(uint32_t index) {
    test_stage s;
    memset(&s, 0, sizeof s);
    snprintf(s.name, sizeof s.name, "%s", test_character_name(index));
    s.asset = test_character_load(index, &s.gltf);
    s.model = limber_asset_model(s.asset);
    allocate_memory(&s);
    const limber_clip* clip = s.model->clip_count ? &s.model->clips[0] : NULL;
    limber_motion_settings settings = limber_motion_settings_default();
    double middle = clip ? 0.3 * clip->start_s + 0.7 * clip->end_s : 0, step = clip ? clip->key_step_s : 0;
    limber_clip_sample(s.model, clip, middle, &s.pose);
    limber_pose_update_world(s.model, &s.pose);
    for (int i = 0; i < TEST_MOTIONS; i++) {
        assert_int_equal(limber_motion_from_clip(s.model, clip, &settings, middle - i * step, &s.motion[i]), LIMBER_OK);
        limber_motion_to_world(s.model, &s.pose, &s.motion[i], &s.motion[i]);
    }
    skin(&s);
    return s;
}

void test_stage_close(test_stage* s) {
    limber_pose_destroy(&s->pose);
    for (int i = 0; i < TEST_MOTIONS; i++)
        limber_kinematics_destroy(&s->motion[i]);
    free(s->positions);
    free(s->normals);
    free(s->out);
    free(s->out_normals);
    free(s->reference);
    test_character_free(s->asset, s->gltf);
}

limber_deform_job test_stage_job(const test_stage* s) {
    limber_deform_job job = limber_deform_job_default();
    job.time_s = 0.4;
    job.frame = 12;
    job.phase = 0.3;
    job.pose = &s->pose;
    job.plain_motion = &s->motion[0];
    for (uint32_t slot = 0; slot < LIMBER_EFFECT_COUNT + LIMBER_CUSTOM_EFFECTS; slot++) // the reference goes by slots
        job.motion[slot] = &s->motion[0];
    for (uint32_t i = 0; i < LIMBER_CUSTOM_EFFECTS; i++)
        job.custom_motion[i] = &s->motion[0];
    job.positions = s->positions;
    job.normals = s->normals;
    job.out_positions = s->out;
    return job;
}

uint32_t test_variants(limberi_variant variants[3]) {
    uint32_t count = 0;
    variants[count++] = LIMBERI_VARIANT_PLAIN;
    variants[count++] = LIMBERI_VARIANT_WIDE;
    if (limberi_variant_best() == LIMBERI_VARIANT_AVX2)
        variants[count++] = LIMBERI_VARIANT_AVX2;
    return count;
}

const char* test_variant_name(limberi_variant variant) {
    return variant == LIMBERI_VARIANT_PLAIN ? "plain" : variant == LIMBERI_VARIANT_WIDE ? "wide" : "avx2";
}

void test_stage_reference(test_stage* s, limber_deformer* deformer, const limber_deform_job* given) {
    limber_deform_job job = *given;
    job.out_positions = s->reference;
    assert_int_equal(limberi_deformer_run_reference(deformer, &job), LIMBER_OK);
}

double test_stage_compare(test_stage* s, limber_deformer* deformer, const limber_deform_job* job,
                          limberi_variant variant) {
    double worst = 0;
    limberi_deform_use(deformer, variant);
    assert_int_equal(limber_deformer_evaluate(deformer, job), LIMBER_OK);
    double scale = (double)s->model->size;
    for (size_t u = 0; u < s->model->vertex_count; u++) {
        limber_vec3 p = limberi_load3(s->positions + 3 * u), want = limberi_load3(s->reference + 3 * u);
        double apart = (double)limberi_length(limberi_sub(limberi_load3(s->out + 3 * u), want));
        double moved = (double)limberi_length(limberi_sub(want, p));
        if (!isfinite(apart) || !isfinite(moved))
            fail_msg("%s: vertex %zu is not finite", s->name, u);
        worst = fmax(worst, apart);
        scale = fmax(scale, moved);
    }
    return worst / scale;
}
