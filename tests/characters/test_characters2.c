// The dancer, the flower and the snail: what is special about each of them. What holds for every character is in
// test_characters.c.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/math.h"
#include "characters/characters.h"
#include "kit/models.h"
#include <limber/stages/pose.h>
#include <limber/stages/skin.h>

enum { DANCER, FLOWER, SNAIL, NAMES };
static const char* const names[NAMES] = {"dancer", "flower", "snail"};
static limber_asset* assets[NAMES]; // at detail 1, shared by the tests

static int create_all(void** state) {
    (void)state;
    for (int i = 0; i < NAMES; i++)
        assets[i] = test_built_in(names[i], 1);
    return 0;
}

static int destroy_all(void** state) {
    (void)state;
    for (int i = 0; i < NAMES; i++)
        limber_asset_destroy(assets[i]);
    return 0;
}

static const limber_model* model_of(int character) {
    return limber_asset_model(assets[character]);
}

static uint32_t joint(const limber_model* model, const char* name) {
    int32_t found = limber_rig_find_joint(&model->rig, name);
    if (found < 0)
        fail_msg("there is no joint '%s'", name);
    return (uint32_t)found;
}

static const limber_clip* clip_named(const limber_model* model, const char* name) {
    int32_t found = limber_model_find_clip(model, name);
    if (found < 0)
        fail_msg("there is no clip '%s'", name);
    return &model->clips[found];
}

static const limber_part* part_of(const limber_model* model, const char* material) {
    const limber_mesh* mesh = &model->meshes[0];
    for (uint32_t i = 0; i < mesh->part_count; i++)
        if (strcmp(model->materials[mesh->parts[i].material].name, material) == 0)
            return &mesh->parts[i];
    fail_msg("there is no material '%s'", material);
    return NULL;
}

static void pose_at(const limber_model* model, const limber_clip* clip, double t, limber_pose* pose) {
    limber_clip_sample(model, clip, t, pose);
    limber_pose_update_world(model, pose);
}

// Skinned vertices of the first mesh; the caller frees them.
static float* skinned(const limber_model* model, const limber_pose* pose) {
    limber_mat4* palette = malloc(sizeof *palette * model->rig.joint_count);
    float* positions = malloc(sizeof(float) * 3 * model->vertex_count);
    assert_non_null(palette);
    assert_non_null(positions);
    limber_skin_palette(&model->skins[0], pose, palette);
    limber_skin_job job = limber_skin_job_default();
    job.mesh = &model->meshes[0];
    job.palette = palette;
    job.palette_count = model->skins[0].joint_count;
    job.out_positions = positions;
    assert_int_equal(limber_skin_evaluate(&job), LIMBER_OK);
    free(palette);
    return positions;
}

// ---- all three ----

static void counts_are_as_promised(void** state) {
    (void)state;
    static const uint32_t range[NAMES][4] = {{14000, 16000, 62, 68}, {2000, 4000, 20, 30}, {2500, 4500, 15, 25}};
    for (int i = 0; i < NAMES; i++) {
        const limber_model* model = model_of(i);
        assert_int_equal(model->mesh_count, 1);
        assert_in_range(model->vertex_count, range[i][0], range[i][1]);
        assert_in_range(model->rig.joint_count, range[i][2], range[i][3]);
    }
}

static void clips_are_there_and_the_idle_ones_loop(void** state) {
    (void)state;
    static const struct {
        int character;
        const char* clip;
        bool stays; // and does not travel
    } clips[] = {{DANCER, "twirl", false},    {DANCER, "spin", true},     {DANCER, "leap", false},
                 {DANCER, "sway", true},      {FLOWER, "sway", true},     {FLOWER, "dance", true},
                 {FLOWER, "whip-stop", true}, {FLOWER, "twist", true},    {SNAIL, "crawl", true},
                 {SNAIL, "peek", true},       {SNAIL, "dash-stop", false}};
    for (size_t i = 0; i < sizeof clips / sizeof *clips; i++) {
        const limber_clip* clip = clip_named(model_of(clips[i].character), clips[i].clip);
        assert_int_equal(clip->loops && !clip->travels, clips[i].stays);
    }
}

static void rest_pose_stands_on_the_floor_not_in_it(void** state) {
    (void)state;
    for (int i = 0; i < NAMES; i++) {
        assert_true(model_of(i)->rest_min.y >= -1e-4f);
        assert_true(model_of(i)->rest_min.y < 0.005f);
    }
}

static void same_bytes(const void* a, const void* b, size_t count, size_t size) {
    assert_memory_equal(a, b, count * size);
}

static void check_same(const limber_model* a, const limber_model* b) {
    const limber_mesh *x = &a->meshes[0], *y = &b->meshes[0];
    assert_int_equal(x->vertex_count, y->vertex_count);
    assert_int_equal(x->triangle_count, y->triangle_count);
    same_bytes(x->positions, y->positions, x->vertex_count, 3 * sizeof(float));
    same_bytes(x->normals, y->normals, x->vertex_count, 3 * sizeof(float));
    same_bytes(x->colors, y->colors, x->vertex_count, 4 * sizeof(float));
    same_bytes(x->triangles, y->triangles, x->triangle_count, 3 * sizeof(uint32_t));
    same_bytes(x->influence_first, y->influence_first, x->vertex_count + 1, sizeof(uint32_t));
    same_bytes(x->influence_joint, y->influence_joint, x->influence_first[x->vertex_count], sizeof(uint16_t));
    same_bytes(x->influence_weight, y->influence_weight, x->influence_first[x->vertex_count], sizeof(float));
    for (uint32_t l = 0; l < x->layer_count; l++)
        same_bytes(x->layers[l].values, y->layers[l].values, x->vertex_count, sizeof(float));
    for (uint32_t c = 0; c < a->clip_count; c++)
        for (uint32_t i = 0; i < a->clips[c].channel_count; i++) {
            const limber_channel *p = &a->clips[c].channels[i], *q = &b->clips[c].channels[i];
            same_bytes(p->values, q->values, p->key_count,
                       (p->path == LIMBER_CHANNEL_ROTATION ? 12 : 9) * sizeof(float));
        }
}

static void building_twice_gives_the_same_bytes(void** state) {
    (void)state;
    for (int i = 0; i < NAMES; i++) {
        limber_asset* again = test_built_in(names[i], 1);
        check_same(model_of(i), limber_asset_model(again));
        limber_asset_destroy(again);
    }
}

// ---- dancer: the skirt ----

static void skirt_hangs_on_its_joint_under_the_hips(void** state) {
    (void)state;
    const limber_model* model = model_of(DANCER);
    const limber_mesh* mesh = &model->meshes[0];
    const limber_part* skirt = part_of(model, "Skirt");
    uint32_t j = joint(model, "Skirt");
    assert_int_equal(model->rig.parents[j], joint(model, "Hips"));
    float* upward = malloc(sizeof *upward * model->rig.joint_count);
    assert_non_null(upward);
    const float* layer = limber_mesh_find_layer(mesh, "skirt")->values;
    for (uint32_t u = skirt->first_vertex; u < skirt->first_vertex + skirt->vertex_count; u++) {
        limber_mesh_upward_weights(model, mesh, u, upward);
        if (layer[u] > 0.15f)
            assert_true(upward[j] > 0.99f);
    }
    free(upward);
}

static void skirt_layer_rises_from_the_waist_to_the_hem_and_is_nowhere_else(void** state) {
    (void)state;
    const limber_model* model = model_of(DANCER);
    const limber_mesh* mesh = &model->meshes[0];
    const limber_part* skirt = part_of(model, "Skirt");
    const limber_layer* layer = limber_mesh_find_layer(mesh, "skirt");
    assert_non_null(layer);
    assert_true(skirt->vertex_count * 3 >= mesh->vertex_count);
    float waist = -INFINITY, hem = INFINITY, largest = 0;
    for (uint32_t u = 0; u < mesh->vertex_count; u++) {
        bool on_skirt = u >= skirt->first_vertex && u < skirt->first_vertex + skirt->vertex_count;
        if (!on_skirt) {
            assert_true(layer->values[u] == 0);
            continue;
        }
        waist = fmaxf(waist, mesh->positions[3 * u + 1]);
        hem = fminf(hem, mesh->positions[3 * u + 1]);
        largest = fmaxf(largest, layer->values[u]);
    }
    assert_true(largest == 1);
    for (uint32_t u = skirt->first_vertex; u < skirt->first_vertex + skirt->vertex_count; u++) {
        float down = (waist - mesh->positions[3 * u + 1]) / (waist - hem);
        assert_true(fabsf(down - layer->values[u]) < 0.06f);
    }
}

// A place on a triangle of the body.
typedef struct stitch {
    uint32_t vertex, corner[3];
    float share[3];
} stitch;

static limber_vec3 at(const float* positions, uint32_t u) {
    return limberi_load3(positions + 3 * u);
}

// Barycentric coordinates of the point of triangle abc nearest to p, by clamping the projection: exact inside, and good
// enough for the nearest of many small triangles.
static void nearest_on_triangle(limber_vec3 p, limber_vec3 a, limber_vec3 b, limber_vec3 c, float* share) {
    limber_vec3 ab = limberi_sub(b, a), ac = limberi_sub(c, a), ap = limberi_sub(p, a);
    float d00 = limberi_dot(ab, ab), d01 = limberi_dot(ab, ac), d11 = limberi_dot(ac, ac);
    float d20 = limberi_dot(ap, ab), d21 = limberi_dot(ap, ac), det = d00 * d11 - d01 * d01;
    float v = det > 0 ? (d11 * d20 - d01 * d21) / det : 0, w = det > 0 ? (d00 * d21 - d01 * d20) / det : 0;
    v = fminf(fmaxf(v, 0), 1);
    w = fminf(fmaxf(w, 0), 1 - v);
    share[0] = 1 - v - w;
    share[1] = v;
    share[2] = w;
}

static limber_vec3 stitched_point(const stitch* s, const float* positions) {
    limber_vec3 p = limberi_scale(at(positions, s->corner[0]), s->share[0]);
    p = limberi_add(p, limberi_scale(at(positions, s->corner[1]), s->share[1]));
    return limberi_add(p, limberi_scale(at(positions, s->corner[2]), s->share[2]));
}

static float stitch_gap(const stitch* s, const float* positions) {
    return limberi_length(limberi_sub(at(positions, s->vertex), stitched_point(s, positions)));
}

static stitch nearest_stitch(const limber_mesh* mesh, const limber_part* body, uint32_t vertex) {
    stitch best = {.vertex = vertex};
    float smallest = INFINITY;
    for (uint32_t t = body->first_triangle; t < body->first_triangle + body->triangle_count; t++) {
        stitch s = {.vertex = vertex};
        memcpy(s.corner, mesh->triangles + 3 * t, sizeof s.corner);
        nearest_on_triangle(at(mesh->positions, vertex), at(mesh->positions, s.corner[0]),
                            at(mesh->positions, s.corner[1]), at(mesh->positions, s.corner[2]), s.share);
        float gap = stitch_gap(&s, mesh->positions);
        if (gap < smallest) {
            smallest = gap;
            best = s;
        }
    }
    return best;
}

static void waist_stays_stitched_to_the_body_in_every_clip(void** state) {
    (void)state;
    const limber_model* model = model_of(DANCER);
    const limber_mesh* mesh = &model->meshes[0];
    const limber_part *skirt = part_of(model, "Skirt"), *body = part_of(model, "Skin");
    const float* layer = limber_mesh_find_layer(mesh, "skirt")->values;
    stitch stitches[512];
    uint32_t count = 0;
    for (uint32_t u = skirt->first_vertex; u < skirt->first_vertex + skirt->vertex_count; u++)
        if (layer[u] == 0 && count < 512)
            stitches[count++] = nearest_stitch(mesh, body, u);
    assert_true(count >= 100);
    limber_pose pose;
    assert_int_equal(limber_pose_create(model, &pose), LIMBER_OK);
    for (uint32_t c = 0; c < model->clip_count; c++)
        for (double t = model->clips[c].start_s; t <= model->clips[c].end_s; t += 0.1) {
            pose_at(model, &model->clips[c], t, &pose);
            float* positions = skinned(model, &pose);
            for (uint32_t i = 0; i < count; i++)
                if (stitch_gap(&stitches[i], positions) > 0.008f)
                    fail_msg("'%s' at %g s: the waist gapes by %g m", model->clips[c].name, t,
                             (double)stitch_gap(&stitches[i], positions));
            free(positions);
        }
    limber_pose_destroy(&pose);
}

// Moeller and Trumbore's test of a segment against a triangle.
static bool crosses(limber_vec3 from, limber_vec3 to, limber_vec3 a, limber_vec3 b, limber_vec3 c) {
    limber_vec3 d = limberi_sub(to, from), ab = limberi_sub(b, a), ac = limberi_sub(c, a), p = limberi_cross(d, ac);
    float det = limberi_dot(ab, p);
    if (fabsf(det) < 1e-12f)
        return false;
    limber_vec3 s = limberi_sub(from, a), q = limberi_cross(s, ab);
    float u = limberi_dot(s, p) / det, v = limberi_dot(d, q) / det, t = limberi_dot(ac, q) / det;
    return u >= 0 && v >= 0 && u + v <= 1 && t >= 0 && t <= 1;
}

static bool crosses_skirt(const limber_mesh* mesh, const limber_part* skirt, const float* positions, limber_vec3 from,
                          limber_vec3 to) {
    for (uint32_t t = skirt->first_triangle; t < skirt->first_triangle + skirt->triangle_count; t++) {
        const uint32_t* c = mesh->triangles + 3 * t;
        if (crosses(from, to, at(positions, c[0]), at(positions, c[1]), at(positions, c[2])))
            return true;
    }
    return false;
}

static void legs_stay_under_the_skirt(void** state) {
    (void)state;
    const limber_model* model = model_of(DANCER);
    const limber_mesh* mesh = &model->meshes[0];
    const limber_part* skirt = part_of(model, "Skirt");
    static const char* const bones[4][2] = {{"LegUpperLeft", "LegLowerLeft"},
                                            {"LegUpperRight", "LegLowerRight"},
                                            {"LegLowerLeft", "LegFootLeft"},
                                            {"LegLowerRight", "LegFootRight"}};
    limber_pose pose;
    assert_int_equal(limber_pose_create(model, &pose), LIMBER_OK);
    for (uint32_t c = 0; c < model->clip_count; c++)
        for (double t = model->clips[c].start_s; t <= model->clips[c].end_s; t += 1.0 / 15) {
            pose_at(model, &model->clips[c], t, &pose);
            float* positions = skinned(model, &pose);
            for (int b = 0; b < 4; b++) {
                limber_vec3 from = limberi_mat4_translation(&pose.world_from_joint[joint(model, bones[b][0])]);
                limber_vec3 to = limberi_mat4_translation(&pose.world_from_joint[joint(model, bones[b][1])]);
                if (crosses_skirt(mesh, skirt, positions, from, to))
                    fail_msg("'%s' at %g s: %s goes through the skirt", model->clips[c].name, t, bones[b][0]);
            }
            free(positions);
        }
    limber_pose_destroy(&pose);
}

// ---- dancer: turning ----

// How fast a joint turns against its parent, radians per second.
static double turning(const limber_model* model, const limber_clip* clip, uint32_t j, double t) {
    const double step = 1.0 / 240;
    limber_pose pose;
    assert_int_equal(limber_pose_create(model, &pose), LIMBER_OK);
    limber_clip_sample(model, clip, t - step, &pose);
    limber_quat a = limberi_quat_normalize(pose.local[j].rotation);
    limber_clip_sample(model, clip, t + step, &pose);
    limber_quat b = limberi_quat_normalize(pose.local[j].rotation), d = limberi_quat_mul(b, limberi_quat_conj(a));
    limber_pose_destroy(&pose);
    double sine = sqrt((double)d.x * d.x + (double)d.y * d.y + (double)d.z * d.z);
    return 2 * atan2(sine, fabs((double)d.w)) / (2 * step);
}

static void spin_turns_at_one_speed(void** state) {
    (void)state;
    const limber_model* model = model_of(DANCER);
    const limber_clip* clip = clip_named(model, "spin");
    uint32_t root = joint(model, "Root");
    for (double t = 0.05; t < clip->end_s - 0.05; t += 0.013)
        assert_true(fabs(turning(model, clip, root, t) - 2 * LIMBERI_PI / clip->end_s) < 0.02);
}

static void twirl_gathers_speed_and_stops_dead(void** state) {
    (void)state;
    const limber_model* model = model_of(DANCER);
    const limber_clip* clip = clip_named(model, "twirl");
    uint32_t root = joint(model, "Root");
    double slow = turning(model, clip, root, 1.2), faster = turning(model, clip, root, 1.6);
    double fastest = turning(model, clip, root, 2.0);
    assert_true(slow > 2 && faster > 1.3 * slow && fastest > 1.2 * faster && fastest > 12);
    for (double t = 2.5; t < clip->end_s; t += 0.1)
        assert_true(turning(model, clip, root, t) < 1e-3);
    for (uint32_t j = 0; j < model->rig.joint_count; j++)
        assert_true(turning(model, clip, j, 3.5) < 1e-3);
}

// ---- flower and snail ----

static void flower_has_a_joint_for_every_petal_and_a_stem_chain(void** state) {
    (void)state;
    const limber_model* model = model_of(FLOWER);
    uint32_t stems = 0, petals = 0;
    for (uint32_t j = 0; j < model->rig.joint_count; j++) {
        stems += strncmp(model->rig.names[j], "Stem", 4) == 0;
        petals += strncmp(model->rig.names[j], "Petal", 5) == 0;
    }
    assert_in_range(stems, 5, 7);
    assert_in_range(petals, 8, 16);
    const limber_mesh* mesh = &model->meshes[0];
    for (uint32_t j = 0; j < model->rig.joint_count; j++) {
        if (strncmp(model->rig.names[j], "Petal", 5) != 0)
            continue;
        assert_int_equal(model->rig.parents[j], joint(model, "Head"));
        uint32_t moved = 0;
        for (uint32_t i = 0; i < mesh->influence_first[mesh->vertex_count]; i++)
            moved += mesh->influence_joint[i] == j && mesh->influence_weight[i] > 0.99f;
        assert_true(moved > 20);
    }
}

static void snail_shell_is_rigid_on_one_joint(void** state) {
    (void)state;
    const limber_model* model = model_of(SNAIL);
    const limber_mesh* mesh = &model->meshes[0];
    const limber_part* shell = part_of(model, "Shell");
    uint32_t j = joint(model, "Shell");
    assert_true(shell->vertex_count > 1000);
    for (uint32_t u = shell->first_vertex; u < shell->first_vertex + shell->vertex_count; u++) {
        assert_int_equal(mesh->influence_first[u + 1] - mesh->influence_first[u], 1);
        assert_int_equal(mesh->influence_joint[mesh->influence_first[u]], j);
    }
}

static void snail_crawls_in_place_and_dashes_away(void** state) {
    (void)state;
    const limber_model* model = model_of(SNAIL);
    uint32_t root = joint(model, "Root");
    assert_true(clip_named(model, "crawl")->channel_of_joint[3 * root + LIMBER_CHANNEL_TRANSLATION] < 0);
    const limber_clip* dash = clip_named(model, "dash-stop");
    limber_pose pose;
    assert_int_equal(limber_pose_create(model, &pose), LIMBER_OK);
    pose_at(model, dash, dash->end_s, &pose);
    assert_true(pose.local[root].translation.z > 2);
    float there = pose.local[root].translation.z, before = 0, lowest = 0;
    for (double t = 0; t < 1.5; t += 1.0 / 30) {
        pose_at(model, dash, t, &pose);
        lowest = fminf(lowest, pose.local[root].translation.z);
    }
    assert_true(lowest < -0.1f); // it winds up
    pose_at(model, dash, 1.45, &pose);
    before = pose.local[root].translation.z;
    assert_true(fabsf(there - before) < 1e-4f); // and stops dead
    limber_pose_destroy(&pose);
}

// ---- the papers' figures ----

// Acceleration skinning, figure 7: the head turns about the middle of its face.
static void flower_turns_its_head_about_its_face(void** state) {
    (void)state;
    const limber_model* model = model_of(FLOWER);
    const limber_clip* clip = clip_named(model, "wheel-stop");
    uint32_t head = joint(model, "Head");
    uint32_t petals[2] = {joint(model, "Petal1"), joint(model, "Petal6")};
    limber_vec3 face = {0, 1.075f, 0.085f}; // where the petals are put around
    limber_mat4 at_rest;
    assert_true(limberi_mat4_inverse(&model->rig.world_from_joint_rest[head], &at_rest));
    limber_vec3 in_head = limberi_mat4_point(&at_rest, face);
    limber_pose pose;
    assert_int_equal(limber_pose_create(model, &pose), LIMBER_OK);
    float most = 0;
    for (double t = 0; t < clip->end_s; t += 0.1) {
        pose_at(model, clip, t, &pose);
        limber_vec3 now = limberi_mat4_point(&pose.world_from_joint[head], in_head);
        assert_true(limberi_length(limberi_sub(now, face)) < 2e-3f);
        for (int i = 0; i < 2; i++) {
            limber_vec3 rest = limberi_mat4_translation(&model->rig.world_from_joint_rest[petals[i]]);
            limber_vec3 moved = limberi_mat4_translation(&pose.world_from_joint[petals[i]]);
            most = fmaxf(most, limberi_length(limberi_sub(moved, rest)));
        }
    }
    assert_true(most > 0.2f); // once around, at the radius of the petals
    limber_pose_destroy(&pose);
}

// Velocity skinning, figure 7: all of the bird hangs on one joint, and its wings are painted. The thesis, figure 3.6: the
// joints of the pole lie outside of it.
static void bird_has_one_joint_and_the_pole_has_its_joints_outside(void** state) {
    (void)state;
    limber_asset* bird = test_built_in("bird", 1);
    limber_asset* pole = test_built_in("pole", 1);
    const limber_model* b = limber_asset_model(bird);
    assert_int_equal(b->rig.joint_count, 1);
    const limber_layer* floppy = limber_mesh_find_layer(&b->meshes[0], "floppy");
    const limber_layer* balance = limber_mesh_find_layer(&b->meshes[0], "balance");
    float least = 0;
    for (uint32_t u = 0; u < b->meshes[0].vertex_count; u++) {
        float x = fabsf(b->meshes[0].positions[3 * (size_t)u]);
        assert_true(x < 0.3f || floppy->values[u] > 0.2f);
        assert_true(x < 0.3f || balance->values[u] > 0.2f);
        least = fminf(least, balance->values[u]);
    }
    assert_true(least < -0.5f); // and the tail goes the other way
    const limber_model* p = limber_asset_model(pole);
    for (uint32_t j = 0; j < p->rig.joint_count; j++) {
        limber_vec3 at = limberi_mat4_translation(&p->rig.world_from_joint_rest[j]);
        for (uint32_t u = 0; u < p->meshes[0].vertex_count; u++)
            assert_true(p->meshes[0].positions[3 * (size_t)u + 2] > at.z + 0.1f);
    }
    limber_asset_destroy(bird);
    limber_asset_destroy(pole);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(counts_are_as_promised),
        cmocka_unit_test(clips_are_there_and_the_idle_ones_loop),
        cmocka_unit_test(rest_pose_stands_on_the_floor_not_in_it),
        cmocka_unit_test(building_twice_gives_the_same_bytes),
        cmocka_unit_test(skirt_hangs_on_its_joint_under_the_hips),
        cmocka_unit_test(skirt_layer_rises_from_the_waist_to_the_hem_and_is_nowhere_else),
        cmocka_unit_test(waist_stays_stitched_to_the_body_in_every_clip),
        cmocka_unit_test(legs_stay_under_the_skirt),
        cmocka_unit_test(spin_turns_at_one_speed),
        cmocka_unit_test(twirl_gathers_speed_and_stops_dead),
        cmocka_unit_test(flower_has_a_joint_for_every_petal_and_a_stem_chain),
        cmocka_unit_test(snail_shell_is_rigid_on_one_joint),
        cmocka_unit_test(snail_crawls_in_place_and_dashes_away),
        cmocka_unit_test(flower_turns_its_head_about_its_face),
        cmocka_unit_test(bird_has_one_joint_and_the_pole_has_its_joints_outside),
    };
    return cmocka_run_group_tests(tests, create_all, destroy_all);
}
