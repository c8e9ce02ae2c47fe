// Rigid parts: which pieces of a character are some, and that they keep their shape and place, whatever the order of
// frames, the number of threads and the world around them.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/math.h"
#include "base/memory.h"
#include "characters/characters.h"
#include "kit/props.h"
#include "kit/random_rigs.h"
#include "kit/scene.h"
#include <limber/pack.h>

// --- helpers ---

static uint32_t count_parts(limber_asset* asset) {
    limber_rigid_parts* parts;
    assert_int_equal(limber_rigid_parts_find(asset, NULL, &parts, NULL), LIMBER_OK);
    uint32_t count = limber_rigid_part_count(parts);
    limber_rigid_parts_destroy(parts);
    return count;
}

static uint32_t count_and_destroy(limber_asset* asset) {
    uint32_t count = count_parts(asset);
    limber_asset_destroy(asset);
    return count;
}

static limber_stage_settings strong_settings(limber_rigid_mode mode) {
    limber_stage_settings settings = limber_stage_settings_default();
    settings.rigid.mode = mode;
    settings.deform.effects[LIMBER_EFFECT_FLOPPY].angular.value = 0.06f;
    settings.deform.effects[LIMBER_EFFECT_SQUASH].linear.value = 0.1f;
    return settings;
}

static limber_frame frame_at(limber_pipeline* pipeline, double time_s) {
    limber_frame frame;
    assert_int_equal(limber_pipeline_evaluate(pipeline, 0, time_s, &frame), LIMBER_OK);
    return frame;
}

static double distance(const float* positions, uint32_t a, uint32_t b) {
    return (double)limberi_length(
        limberi_sub(limberi_load3(positions + 3 * (size_t)a), limberi_load3(positions + 3 * (size_t)b)));
}

// Largest relative change of an edge of a mesh by the effects.
static double edge_change(const limber_mesh* mesh, const limber_frame* frame) {
    double worst = 0;
    for (uint32_t i = 0; i < 3 * mesh->triangle_count; i++) {
        uint32_t a = mesh->first_vertex + mesh->triangles[i];
        uint32_t b = mesh->first_vertex + mesh->triangles[i % 3 == 2 ? i - 2 : i + 1];
        double was = distance(frame->skinned, a, b), is = distance(frame->positions, a, b);
        worst = fmax(worst, fabs(is / was - 1));
    }
    return worst;
}

// How far apart the effects move a prop and the skin, where they are next to each other at rest; in L.
static double slip(const limber_model* model, const limber_mesh* prop, const limber_frame* frame) {
    const limber_mesh* arm = &model->meshes[0];
    double worst = 0;
    for (uint32_t a = 0; a < prop->vertex_count; a++)
        for (uint32_t b = 0; b < arm->vertex_count; b++) {
            limber_vec3 rest = limberi_sub(limberi_load3(prop->positions + 3 * (size_t)a),
                                           limberi_load3(arm->positions + 3 * (size_t)b));
            if (limberi_length(rest) > 0.03f * model->size)
                continue;
            size_t p = 3 * (size_t)(prop->first_vertex + a), q = 3 * (size_t)(arm->first_vertex + b);
            limber_vec3 x = limberi_sub(limberi_load3(frame->positions + p), limberi_load3(frame->skinned + p));
            limber_vec3 y = limberi_sub(limberi_load3(frame->positions + q), limberi_load3(frame->skinned + q));
            worst = fmax(worst, (double)limberi_length(limberi_sub(x, y)));
        }
    return worst / (double)model->size;
}

// --- which pieces are rigid ---

static void a_smooth_arm_is_skin_and_a_sword_is_not(void** state) {
    (void)state;
    test_props* props = test_props_begin();
    test_props_arm(props);
    assert_int_equal(count_and_destroy(test_props_end(props)), 0);
    limber_asset* asset = test_sword_create();
    limber_rigid_parts* parts;
    assert_int_equal(limber_rigid_parts_find(asset, NULL, &parts, NULL), LIMBER_OK);
    assert_int_equal(limber_rigid_part_count(parts), 1);
    limber_rigid_part part = limber_rigid_part_at(parts, 0);
    const limber_model* model = limber_asset_model(asset);
    assert_string_equal(part.name, "Sword");
    assert_int_equal(part.joint, PROP_HAND);
    assert_int_equal(part.vertex_count, model->meshes[1].vertex_count);
    for (uint32_t u = 0; u < model->vertex_count; u++)
        assert_int_equal(limber_rigid_part_of_vertex(parts)[u], u < model->meshes[1].first_vertex ? -1 : 0);
    limber_rigid_parts_destroy(parts);
    limber_asset_destroy(asset);
}

// Two rings on the arm, far from each other, are two parts; two pieces of a sword are one, and so is what hovers.
static void pieces_that_touch_are_one_part(void** state) {
    (void)state;
    for (int apart = 0; apart < 3; apart++) {
        float x = apart == 0 ? 2.22f : 1.95f; // 0.02 or nothing between them; L is about 3
        test_props* props = test_props_begin();
        test_props_arm(props);
        test_props_box(props, "Sword", PROP_HAND, limberi_vec3(2.1f, -0.2f, -0.03f), limberi_vec3(2.2f, 1.6f, 0.03f));
        if (apart < 2)
            test_props_box(props, "Ring", PROP_HAND, limberi_vec3(x, -0.14f, -0.03f),
                           limberi_vec3(x + 0.02f, 0.1f, 0.03f));
        else
            test_props_box(props, "Gem", PROP_HAND, limberi_vec3(3, 1, 0), limberi_vec3(3.1f, 1.1f, 0.1f));
        assert_int_equal(count_and_destroy(test_props_end(props)), apart == 1 ? 2 : 1);
    }
}

static void even_weights_on_two_joints_are_rigid_too(void** state) {
    (void)state;
    test_props* props = test_props_begin();
    test_props_arm(props);
    test_props_box(props, "Cuff", -1, limberi_vec3(1.9f, -0.2f, -0.03f), limberi_vec3(2, 0.4f, 0.03f));
    assert_int_equal(count_and_destroy(test_props_end(props)), 1);
}

static void a_thing_of_its_own_may_melt(void** state) {
    (void)state;
    test_props* props = test_props_begin();
    test_props_box(props, "Box", PROP_ELBOW, limberi_vec3(0, 0, 0), limberi_vec3(1, 1, 1));
    assert_int_equal(count_and_destroy(test_props_end(props)), 0);
    assert_int_equal(count_and_destroy(test_built_in("ball", 1)), 0);
}

static void each_petal_is_a_part(void** state) {
    (void)state;
    test_props* props = test_props_begin();
    test_props_arm(props);
    test_props_box(props, "Face", PROP_HAND, limberi_vec3(2.3f, -0.2f, -0.2f), limberi_vec3(2.4f, 0.2f, 0.2f));
    for (int i = 0; i < 6; i++) {
        float z = 0.1f * (float)i - 0.3f;
        test_props_box(props, "Petal", PROP_FINGERS + i, limberi_vec3(2.32f, 0.2f, z),
                       limberi_vec3(2.35f, 0.7f, z + 0.08f));
    }
    assert_int_equal(count_and_destroy(test_props_end(props)), 7);
}

static void paint_decides(void** state) {
    (void)state;
    test_props* props = test_props_begin();
    test_props_arm(props);
    test_props_paint(props, 1);
    test_props_box(props, "Sword", PROP_HAND, limberi_vec3(2.1f, -0.3f, -0.03f), limberi_vec3(2.2f, 1.6f, 0.03f));
    test_props_paint(props, 0);
    limber_asset* asset = test_props_end(props);
    limber_rigid_parts* parts;
    assert_int_equal(limber_rigid_parts_find(asset, NULL, &parts, NULL), LIMBER_OK);
    assert_int_equal(limber_rigid_part_count(parts), 1);
    assert_string_equal(limber_rigid_part_at(parts, 0).name, "Arm");
    limber_rigid_parts_destroy(parts);
    limber_asset_destroy(asset);
}

// --- frames ---

static void a_sword_keeps_its_shape_and_its_place_in_the_hand(void** state) {
    (void)state;
    limber_asset* asset = test_sword_create();
    const limber_model* model = limber_asset_model(asset);
    limber_stage_settings on = strong_settings(LIMBER_RIGID_AUTO), off = strong_settings(LIMBER_RIGID_OFF);
    limber_pipeline *rigid = test_pipeline(asset, &on), *soft = test_pipeline(asset, &off);
    double changed = 0, moved = 0, worst = 0;
    for (int i = 0; i <= 20; i++) {
        limber_frame a = frame_at(rigid, i / 20.0), b = frame_at(soft, i / 20.0);
        assert_true(edge_change(&model->meshes[1], &a) < 1e-4);
        worst = fmax(worst, slip(model, &model->meshes[1], &a));
        changed = fmax(changed, edge_change(&model->meshes[1], &b));
        for (size_t k = 0; k < 3 * (size_t)model->meshes[1].first_vertex; k++)
            assert_true(a.positions[k] == b.positions[k]); // skin is as it was
        for (size_t k = 3 * (size_t)model->meshes[1].first_vertex; k < 3 * (size_t)model->vertex_count; k++)
            moved = fmax(moved, fabs((double)(a.positions[k] - a.skinned[k])));
    }
    assert_true(changed > 0.05 && moved > 0.1);
    assert_true(worst < 0.03);
    limber_pipeline_destroy(rigid);
    limber_pipeline_destroy(soft);
    limber_asset_destroy(asset);
}

static double gap_between(const limber_mesh* p, uint32_t u, const limber_mesh* q, uint32_t v, const limber_frame* f) {
    uint32_t a = p->first_vertex + u, b = q->first_vertex + v;
    return distance(f->positions, a, b) - distance(f->skinned, a, b);
}

// Three shells, one per joint; returns how far they part at their joints, in L. `stray`: two vertices of the last one
// hang on the joint before, beside its shell.
static double robot_gap(bool stray) {
    test_props* props = test_props_begin();
    for (int i = 0; i < 3; i++)
        test_props_box(props, "Shell", i, limberi_vec3((float)i + 0.005f, -0.1f, -0.1f),
                       limberi_vec3((float)i + 0.995f, 0.1f, 0.1f));
    for (uint32_t u = 0; stray && u < 2; u++)
        test_props_stray(props, u, 1);
    limber_asset* asset = test_props_end(props);
    const limber_model* model = limber_asset_model(asset);
    assert_int_equal(count_parts(asset), 3);
    limber_stage_settings settings = strong_settings(LIMBER_RIGID_AUTO);
    limber_pipeline* pipeline = test_pipeline(asset, &settings);
    double gap = 0;
    for (int i = 0; i <= 20; i++) {
        limber_frame frame = frame_at(pipeline, i / 20.0);
        for (uint32_t m = 0; m < 3; m++) {
            if (!stray || m < 2)
                assert_true(edge_change(&model->meshes[m], &frame) < 1e-4);
            if (m) // ends that face each other, 0.1 from the joint between them
                gap = fmax(gap, gap_between(&model->meshes[m - 1], 18, &model->meshes[m], 17, &frame));
        }
    }
    gap /= (double)model->size;
    limber_pipeline_destroy(pipeline);
    limber_asset_destroy(asset);
    return gap;
}

static void a_robot_bends_part_by_part(void** state) {
    (void)state;
    assert_true(robot_gap(false) < 0.02);
}

// A slip of the brush is not skin that holds an arm.
static void stray_vertices_hold_nothing(void** state) {
    (void)state;
    double gap = robot_gap(true);
    print_message("the parts of the robot part by %.4f L\n", gap);
    assert_true(gap < 0.005);
}

// A long staff in a stiff hand that drag pushes into the floor tips up about the wrist; a lift of the whole would tear the
// hand from its sleeve.
static void a_staff_on_the_floor_stays_in_its_sleeve(void** state) {
    (void)state;
    test_props* props = test_props_begin();
    for (int i = 0; i < 3; i++)
        test_props_box(props, "Shell", i, limberi_vec3((float)i + 0.005f, -0.1f, -0.1f),
                       limberi_vec3((float)i + 0.995f, 0.1f, 0.1f));
    test_props_more(props, PROP_HAND, limberi_vec3(2.5f, -0.05f, -0.03f), limberi_vec3(5, 0.05f, 0.03f));
    limber_asset* asset = test_props_end(props);
    const limber_model* model = limber_asset_model(asset);
    const limber_mesh* hand = &model->meshes[2];
    limber_stage_settings on = strong_settings(LIMBER_RIGID_AUTO);
    on.contacts.floor = LIMBER_FLOOR_GIVEN;
    on.contacts.height = -3.05f;
    limber_stage_settings off = on;
    on.contacts.strength = 1;
    limber_pipeline* above = test_pipeline(asset, &on);
    limber_pipeline* through = test_pipeline(asset, &off);
    double sunk[2] = {0, 0};
    double apart[2] = {0, 0};
    for (int i = 0; i <= 40; i++) {
        limber_frame frames[2] = {frame_at(through, i / 40.0), frame_at(above, i / 40.0)};
        for (int k = 0; k < 2; k++) {
            apart[k] = fmax(apart[k], gap_between(&model->meshes[1], 18, hand, 17, &frames[k]));
            for (uint32_t u = 0; u < hand->vertex_count; u++) {
                size_t y = 3 * (size_t)(hand->first_vertex + u) + 1;
                double floor = fmin((double)on.contacts.height, (double)frames[k].skinned[y]);
                sunk[k] = fmax(sunk[k], floor - (double)frames[k].positions[y]);
            }
        }
    }
    assert_true(sunk[0] > 0.5 && sunk[1] < 0.02);
    assert_true(apart[0] < 0.001 && apart[1] < 0.02);
    limber_pipeline_destroy(above);
    limber_pipeline_destroy(through);
    limber_asset_destroy(asset);
}

static void nothing_pops(void** state) {
    (void)state;
    limber_asset* asset = test_sword_create();
    const limber_model* model = limber_asset_model(asset);
    double max[2] = {0, 0};
    size_t numbers = 3 * (size_t)model->vertex_count;
    float* before = malloc(numbers * sizeof *before);
    for (int mode = 0; mode < 2; mode++) {
        limber_stage_settings settings = strong_settings((limber_rigid_mode)mode);
        settings.deform.effects[LIMBER_EFFECT_FLOPPY].angular.value = 0.5f; // the blade rolls up
        limber_pipeline* pipeline = test_pipeline(asset, &settings);
        for (int i = 0; i <= 2000; i++) {
            limber_frame frame = frame_at(pipeline, i / 2000.0);
            for (size_t k = 0; i && k < numbers; k++)
                max[mode] = fmax(max[mode], fabs((double)(frame.positions[k] - before[k])));
            memcpy(before, frame.positions, numbers * sizeof *before);
        }
        limber_pipeline_destroy(pipeline);
    }
    assert_true(max[1] < max[0]);
    free(before);
    limber_asset_destroy(asset);
}

static void without_effects_nothing_changes_at_all(void** state) {
    (void)state;
    limber_asset* asset = test_sword_create();
    size_t bytes = 3 * (size_t)limber_asset_model(asset)->vertex_count * sizeof(float);
    for (int normals = 0; normals < 2; normals++) {
        limber_stage_settings plain, settings = strong_settings(LIMBER_RIGID_AUTO);
        plain = limber_stage_settings_default();
        plain.rigid.mode = LIMBER_RIGID_AUTO;
        plain.deform.normals = settings.deform.normals = (limber_normals)normals;
        limber_pipeline *a = test_pipeline(asset, &plain), *b = test_pipeline(asset, &settings);
        limber_frame x = frame_at(a, 0.4), y;
        assert_memory_equal(x.positions, x.skinned, bytes);
        assert_int_equal(limber_pipeline_evaluate(b, -1, 0, &y), LIMBER_OK); // at rest
        assert_memory_equal(y.positions, y.skinned, bytes);
        limber_pipeline_destroy(a);
        limber_pipeline_destroy(b);
    }
    limber_asset_destroy(asset);
}

static void normals_turn_with_the_part(void** state) {
    (void)state;
    limber_asset* asset = test_sword_create();
    const limber_mesh* sword = &limber_asset_model(asset)->meshes[1];
    for (int mode = 0; mode < 2; mode++) {
        limber_stage_settings settings = strong_settings(LIMBER_RIGID_AUTO);
        settings.deform.normals = (limber_normals)mode;
        limber_pipeline *pipeline = test_pipeline(asset, &settings), *plain = test_pipeline(asset, NULL);
        limber_frame frame = frame_at(pipeline, 0.1), still = frame_at(plain, 0.1);
        double turned = 0;
        for (uint32_t u = 1; u < sword->vertex_count; u++) {
            size_t a = 3 * (size_t)sword->first_vertex, b = a + 3 * (size_t)u;
            float is = limberi_dot(limberi_load3(frame.normals + a), limberi_load3(frame.normals + b));
            float was = limberi_dot(limberi_load3(still.normals + a), limberi_load3(still.normals + b));
            assert_true(fabsf(is - was) < 1e-3f);
            turned = fmax(turned, (double)limberi_length(
                                      limberi_sub(limberi_load3(frame.normals + b), limberi_load3(still.normals + b))));
        }
        assert_true(turned > 0.05);
        limber_pipeline_destroy(pipeline);
        limber_pipeline_destroy(plain);
    }
    limber_asset_destroy(asset);
}

// --- what must not matter ---

static void the_order_of_frames_does_not_matter(void** state) {
    (void)state;
    limber_asset* asset = test_sword_create();
    size_t numbers = 3 * (size_t)limber_asset_model(asset)->vertex_count;
    limber_stage_settings settings = strong_settings(LIMBER_RIGID_AUTO);
    limber_pipeline* pipeline = test_pipeline(asset, &settings);
    float* frames = malloc(20 * numbers * sizeof *frames);
    for (size_t i = 0; i < 20; i++)
        memcpy(frames + i * numbers, frame_at(pipeline, (double)i / 20).positions, numbers * sizeof *frames);
    for (size_t i = 0; i < 20; i++) {
        size_t at = i * 7 % 20;
        assert_memory_equal(frame_at(pipeline, (double)at / 20).positions, frames + at * numbers,
                            numbers * sizeof *frames);
    }
    free(frames);
    limber_pipeline_destroy(pipeline);
    limber_asset_destroy(asset);
}

static void the_number_of_threads_does_not_matter(void** state) {
    (void)state;
    limber_asset* assets[2] = {test_sword_create(), test_built_in("cow", 2)};
    for (int i = 0; i < 2; i++) {
        size_t bytes = 3 * (size_t)limber_asset_model(assets[i])->vertex_count * sizeof(float);
        limber_stage_settings settings = strong_settings(LIMBER_RIGID_AUTO);
        limber_pipeline *one = test_pipeline(assets[i], &settings), *three = test_pipeline(assets[i], &settings);
        limber_parallel parallel = {.worker_count = 3, .run = test_run_backwards};
        assert_int_equal(limber_pipeline_set_parallel(three, &parallel), LIMBER_OK);
        limber_frame a = frame_at(one, 0.3), b = frame_at(three, 0.3);
        assert_memory_equal(a.positions, b.positions, bytes);
        assert_memory_equal(a.normals, b.normals, bytes);
        limber_pipeline_destroy(one);
        limber_pipeline_destroy(three);
        limber_asset_destroy(assets[i]);
    }
}

static void the_world_around_does_not_matter(void** state) {
    (void)state;
    test_random random = test_random_seed(5);
    limber_asset* asset = test_sword_create();
    const limber_model* model = limber_asset_model(asset);
    limber_stage_settings settings = strong_settings(LIMBER_RIGID_AUTO);
    limber_pipeline* here = test_pipeline(asset, &settings);
    for (int round = 0; round < 5; round++) {
        limber_transform above = limber_transform_identity();
        float scale = powf(10, test_random_between(&random, -2, 2));
        above.rotation = limberi_quat_exp(limberi_scale(test_random_direction(&random), 2));
        above.scale = limberi_vec3(scale, scale, scale);
        above.translation = limberi_scale(test_random_direction(&random), 2 * scale);
        limber_asset* other = test_rearranged(model, NULL, &above);
        limber_pipeline* there = test_pipeline(other, &settings);
        limber_mat4 to = limberi_mat4_from_transform(&above);
        for (int i = 0; i < 8; i++) {
            limber_frame a = frame_at(here, i / 8.0), b = frame_at(there, i / 8.0);
            for (size_t u = 0; u < model->vertex_count; u++) {
                limber_vec3 wanted = limberi_mat4_point(&to, limberi_load3(a.positions + 3 * u));
                limber_vec3 off = limberi_sub(wanted, limberi_load3(b.positions + 3 * u));
                assert_true(limberi_length(off) < 2e-5f * scale * model->size);
            }
        }
        limber_pipeline_destroy(there);
        limber_asset_destroy(other);
    }
    limber_pipeline_destroy(here);
    limber_asset_destroy(asset);
}

// A copy whose meshes lie elsewhere in their own spaces, which the inverse bind matrices undo, as Blender's importer
// makes it.
static limber_asset* moved_in_mesh_space(const limber_model* model, const limber_transform* by) {
    limberi_arena arena = {NULL, false};
    limber_model copy = *model;
    limber_mat4 there = limberi_mat4_from_transform(by);
    limber_mat4 back;
    assert_true(limberi_mat4_inverse(&there, &back));
    limber_skin* skins = LIMBERI_COPY(&arena, limber_skin, model->skins, model->skin_count);
    for (uint32_t i = 0; i < model->skin_count; i++) {
        limber_mat4* binds = LIMBERI_ALLOCATE(&arena, limber_mat4, skins[i].joint_count);
        for (uint32_t k = 0; k < skins[i].joint_count; k++)
            binds[k] = limberi_mat4_mul(&skins[i].joint_from_mesh[k], &back);
        skins[i].joint_from_mesh = binds;
    }
    limber_mesh* meshes = LIMBERI_COPY(&arena, limber_mesh, model->meshes, model->mesh_count);
    for (uint32_t m = 0; m < model->mesh_count; m++) {
        float* places = LIMBERI_ALLOCATE(&arena, float, 3 * (size_t)meshes[m].vertex_count);
        for (size_t u = 0; u < meshes[m].vertex_count; u++)
            limberi_store3(places + 3 * u, limberi_mat4_point(&there, limberi_load3(meshes[m].positions + 3 * u)));
        meshes[m].positions = places;
        meshes[m].normals = NULL;
    }
    copy.skins = skins;
    copy.meshes = meshes;
    limber_asset* asset = NULL;
    limber_error error;
    if (limber_asset_create(&copy, &asset, &error) != LIMBER_OK)
        fail_msg("%s: %s", error.place, error.message);
    limberi_arena_free(&arena);
    return asset;
}

static void the_space_of_a_mesh_does_not_matter(void** state) {
    (void)state;
    test_random random = test_random_seed(3);
    limber_stage_settings settings = strong_settings(LIMBER_RIGID_AUTO);
    limber_asset* hero;
    assert_int_equal(limberi_character_create("hero", 1, &hero, NULL), LIMBER_OK);
    limber_transform same = limber_transform_identity();
    limber_asset* asset = moved_in_mesh_space(limber_asset_model(hero), &same); // normals of its own, too
    const limber_model* model = limber_asset_model(asset);
    limber_pipeline* here = test_pipeline(asset, &settings);
    double worst = 0;
    for (int round = 0; round < 3; round++) {
        limber_transform by = limber_transform_identity();
        by.rotation = limberi_quat_exp(limberi_scale(test_random_direction(&random), 2));
        by.translation = test_random_direction(&random);
        limber_asset* other = moved_in_mesh_space(model, &by);
        limber_pipeline* there = test_pipeline(other, &settings);
        for (int i = 0; i < 8; i++) {
            limber_frame a = frame_at(here, i / 13.0), b = frame_at(there, i / 13.0);
            for (size_t u = 0; u < model->vertex_count; u++)
                worst = fmax(worst, (double)limberi_length(limberi_sub(limberi_load3(a.positions + 3 * u),
                                                                       limberi_load3(b.positions + 3 * u))));
        }
        limber_pipeline_destroy(there);
        limber_asset_destroy(other);
    }
    print_message("off by %.1e L\n", worst / (double)model->size);
    assert_true(worst < 2e-5 * (double)model->size);
    limber_pipeline_destroy(here);
    limber_asset_destroy(asset);
    limber_asset_destroy(hero);
}

// One vertex as the shader moves it: `texels` has a head, whose last texel says where the rows of parts start.
static limber_vec3 move_packed(const float* texels, const int16_t* columns, const float* skinned) {
    limber_vec3 p = limberi_load3(skinned), moved = p;
    const float* rows = texels + 4 * ((size_t)texels[12] + 3 * (size_t)columns[0]);
    float hold = (float)columns[1] / 32767, *to[3] = {&moved.x, &moved.y, &moved.z};
    for (int i = 0; i < 3; i++, rows += 4)
        *to[i] += hold * (rows[0] * p.x + rows[1] * p.y + rows[2] * p.z + rows[3]);
    return moved;
}

static void the_shader_gets_a_matrix_per_part(void** state) {
    (void)state;
    limber_asset* asset = test_sword_create();
    const limber_model* model = limber_asset_model(asset);
    limber_stage_settings settings = strong_settings(LIMBER_RIGID_AUTO);
    limber_pipeline* pipeline = test_pipeline(asset, &settings);
    limber_pack* pack;
    limber_error error;
    assert_int_equal(limber_pack_create(pipeline, true, &pack, &error), LIMBER_OK);
    limber_pack_layout layout = limber_pack_get_layout(pack);
    assert_int_equal(layout.column_bytes, 4);
    float* texels = calloc(layout.max_texels, 4 * sizeof *texels);
    int16_t* columns = calloc(model->vertex_count, layout.column_bytes);
    for (int i = 0; i <= 10; i++) {
        limber_frame frame = frame_at(pipeline, i / 10.0);
        uint32_t count;
        assert_int_equal(limber_pack_evaluate(pack, texels, &count, columns, &error), LIMBER_OK);
        assert_true(count <= layout.max_texels);
        for (size_t u = 0; u < model->vertex_count; u++) {
            if (u < model->meshes[1].first_vertex) { // skin
                assert_int_equal(columns[2 * u], -1);
                continue;
            }
            limber_vec3 moved = move_packed(texels, columns + 2 * u, frame.skinned + 3 * u);
            assert_true(limberi_length(limberi_sub(moved, limberi_load3(frame.positions + 3 * u))) <
                        2e-6f * model->size);
        }
    }
    free(columns);
    free(texels);
    limber_pack_destroy(pack);
    limber_pipeline_destroy(pipeline);
    limber_asset_destroy(asset);
}

static void a_pack_leaves_the_frame_alone(void** state) {
    (void)state;
    limber_asset* asset = test_sword_create();
    const limber_model* model = limber_asset_model(asset);
    limber_stage_settings settings = strong_settings(LIMBER_RIGID_AUTO);
    limber_pipeline* pipeline = test_pipeline(asset, &settings);
    limber_pack* pack;
    limber_error error;
    uint32_t count;
    assert_int_equal(limber_pack_create(pipeline, true, &pack, &error), LIMBER_OK);
    float* texels = calloc(limber_pack_get_layout(pack).max_texels, 4 * sizeof *texels);
    size_t bytes = 3 * (size_t)model->vertex_count * sizeof(float);
    float* before = malloc(bytes);
    limber_frame frame = frame_at(pipeline, 0.3);
    memcpy(before, frame.positions, bytes);
    assert_int_equal(limber_pack_evaluate(pack, texels, &count, NULL, &error), LIMBER_OK);
    assert_memory_equal(frame.positions, before, bytes);
    free(before);
    free(texels);
    limber_pack_destroy(pack);
    limber_pipeline_destroy(pipeline);
    limber_asset_destroy(asset);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_smooth_arm_is_skin_and_a_sword_is_not),
        cmocka_unit_test(pieces_that_touch_are_one_part),
        cmocka_unit_test(even_weights_on_two_joints_are_rigid_too),
        cmocka_unit_test(a_thing_of_its_own_may_melt),
        cmocka_unit_test(each_petal_is_a_part),
        cmocka_unit_test(paint_decides),
        cmocka_unit_test(a_sword_keeps_its_shape_and_its_place_in_the_hand),
        cmocka_unit_test(a_robot_bends_part_by_part),
        cmocka_unit_test(stray_vertices_hold_nothing),
        cmocka_unit_test(a_staff_on_the_floor_stays_in_its_sleeve),
        cmocka_unit_test(nothing_pops),
        cmocka_unit_test(without_effects_nothing_changes_at_all),
        cmocka_unit_test(normals_turn_with_the_part),
        cmocka_unit_test(the_order_of_frames_does_not_matter),
        cmocka_unit_test(the_number_of_threads_does_not_matter),
        cmocka_unit_test(the_world_around_does_not_matter),
        cmocka_unit_test(the_space_of_a_mesh_does_not_matter),
        cmocka_unit_test(the_shader_gets_a_matrix_per_part),
        cmocka_unit_test(a_pack_leaves_the_frame_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
