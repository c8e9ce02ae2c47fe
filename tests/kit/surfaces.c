// Capsules, balls, tubes and grids, and characters made of them: also shuffled, exploded or placed elsewhere.
#include "kit/surfaces.h"
#include "base/math.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

test_surface* test_surface_create(void) {
    test_surface* s = calloc(1, sizeof *s);
    assert_non_null(s);
    s->joint_count = 1;
    return s;
}

static uint32_t add_vertex(test_surface* s, limber_vec3 p) {
    assert_true(s->vertex_count < TEST_SURFACE_VERTICES);
    limberi_store3(s->positions + 3 * (size_t)s->vertex_count, p);
    return s->vertex_count++;
}

static void add_triangle(test_surface* s, uint32_t a, uint32_t b, uint32_t c) {
    assert_true(s->triangle_count < 2 * TEST_SURFACE_VERTICES);
    const uint32_t v[3] = {a, b, c};
    memcpy(s->triangles + 3 * (size_t)s->triangle_count++, v, sizeof v);
}

static limber_vec3 around(limber_vec3 center, float radius, uint32_t i, uint32_t segments) {
    float angle = (float)(2 * LIMBERI_PI) * (float)i / (float)segments;
    return limberi_add(center, limberi_vec3(radius * sinf(angle), 0, radius * cosf(angle)));
}

// A ring of vertices joined to the ring before it, which starts at `before` and lies below.
static uint32_t add_ring(test_surface* s, limber_vec3 center, float radius, uint32_t segments, int64_t before) {
    uint32_t first = s->vertex_count;
    for (uint32_t i = 0; i < segments; i++)
        add_vertex(s, around(center, radius, i, segments));
    for (uint32_t i = 0; before >= 0 && i < segments; i++) {
        uint32_t next = (i + 1) % segments, low = (uint32_t)before;
        add_triangle(s, low + i, low + next, first + next);
        add_triangle(s, low + i, first + next, first + i);
    }
    return first;
}

static void add_cap(test_surface* s, uint32_t ring, uint32_t segments, limber_vec3 pole, bool top) {
    uint32_t tip = add_vertex(s, pole);
    for (uint32_t i = 0; i < segments; i++) {
        uint32_t a = ring + i, b = ring + (i + 1) % segments;
        add_triangle(s, top ? a : b, top ? b : a, tip);
    }
}

void test_surface_capsule(test_surface* s, limber_vec3 low, float length, float radius, uint32_t segments,
                          uint32_t rings) {
    uint32_t cap = segments / 4 + 1, count = 2 * cap + rings, first = 0;
    int64_t before = -1;
    for (uint32_t k = 0; k <= count; k++) { // lower half ball, shaft, upper half ball
        float angle, y;
        if (k < cap || k > cap + rings) {
            uint32_t step = k < cap ? k : k - rings;
            angle = (float)LIMBERI_PI * ((float)(step + (k < cap)) / (float)(2 * cap + 1) - 0.5f);
            y = (k < cap ? 0 : length) + radius * sinf(angle);
        } else {
            angle = 0;
            y = length * (float)(k - cap) / (float)rings;
        }
        limber_vec3 center = limberi_add(low, limberi_vec3(0, y, 0));
        before = add_ring(s, center, radius * cosf(angle), segments, before);
        first = k ? first : (uint32_t)before;
    }
    add_cap(s, first, segments, limberi_add(low, limberi_vec3(0, -radius, 0)), false);
    add_cap(s, (uint32_t)before, segments, limberi_add(low, limberi_vec3(0, length + radius, 0)), true);
}

void test_surface_ball(test_surface* s, limber_vec3 center, float radius, uint32_t segments, uint32_t rings) {
    int64_t before = -1;
    uint32_t first = 0;
    for (uint32_t k = 1; k < rings; k++) {
        float angle = (float)LIMBERI_PI * ((float)k / (float)rings - 0.5f);
        limber_vec3 middle = limberi_add(center, limberi_vec3(0, radius * sinf(angle), 0));
        before = add_ring(s, middle, radius * cosf(angle), segments, before);
        first = k == 1 ? (uint32_t)before : first;
    }
    add_cap(s, first, segments, limberi_add(center, limberi_vec3(0, -radius, 0)), false);
    add_cap(s, (uint32_t)before, segments, limberi_add(center, limberi_vec3(0, radius, 0)), true);
}

void test_surface_tube(test_surface* s, limber_vec3 low, float length, float radius_low, float radius_high,
                       uint32_t segments, uint32_t rings) {
    int64_t before = -1;
    for (uint32_t k = 0; k <= rings; k++) {
        float t = (float)k / (float)rings;
        limber_vec3 center = limberi_add(low, limberi_vec3(0, length * t, 0));
        before = add_ring(s, center, radius_low + (radius_high - radius_low) * t, segments, before);
    }
}

void test_surface_grid(test_surface* s, limber_vec3 corner, limber_vec3 right, limber_vec3 up, uint32_t columns,
                       uint32_t rows) {
    uint32_t first = s->vertex_count, wide = columns + 1;
    for (uint32_t r = 0; r <= rows; r++)
        for (uint32_t c = 0; c <= columns; c++)
            add_vertex(s, limberi_add(corner, limberi_add(limberi_scale(right, (float)c / (float)columns),
                                                          limberi_scale(up, (float)r / (float)rows))));
    for (uint32_t r = 0; r < rows; r++) {
        for (uint32_t c = 0; c < columns; c++) {
            uint32_t v = first + r * wide + c;
            add_triangle(s, v, v + 1, v + wide + 1);
            add_triangle(s, v, v + wide + 1, v + wide);
        }
    }
}

void test_surface_triangle(test_surface* s, limber_vec3 a, limber_vec3 b, limber_vec3 c) {
    uint32_t first = add_vertex(s, a);
    add_vertex(s, b);
    add_vertex(s, c);
    add_triangle(s, first, first + 1, first + 2);
}

static limber_asset* create(const limber_model* model) {
    limber_asset* asset = NULL;
    limber_error error;
    if (limber_asset_create(model, &asset, &error) != LIMBER_OK)
        fail_msg("%s: %s", error.place, error.message);
    return asset;
}

limber_asset* test_surface_asset(const test_surface* s) {
    static const char* const names[TEST_SURFACE_JOINTS] = {"a", "b", "c", "d", "e", "f", "g", "h"};
    int32_t parents[TEST_SURFACE_JOINTS];
    uint32_t joints[TEST_SURFACE_JOINTS];
    limber_transform rest[TEST_SURFACE_JOINTS];
    limber_mat4 inverse[TEST_SURFACE_JOINTS];
    for (uint32_t j = 0; j < s->joint_count; j++) {
        parents[j] = LIMBER_NO_PARENT;
        joints[j] = j;
        rest[j] = limber_transform_identity();
        rest[j].translation = s->joints[j];
        inverse[j] = limber_mat4_identity();
        limberi_store3(inverse[j].m + 12, limberi_scale(s->joints[j], -1));
    }
    uint32_t* first = malloc((s->vertex_count + 1) * sizeof *first);
    float* weights = malloc((s->vertex_count + 1) * sizeof *weights);
    for (uint32_t u = 0; u <= s->vertex_count; u++) {
        first[u] = u;
        weights[u] = 1;
    }
    limber_skin skin = {"skin", s->joint_count, joints, inverse, limber_mat4_identity()};
    limber_mesh mesh;
    memset(&mesh, 0, sizeof mesh);
    mesh.name = mesh.node_name = "surface";
    mesh.vertex_count = s->vertex_count;
    mesh.triangle_count = s->triangle_count;
    mesh.positions = s->positions;
    mesh.triangles = s->triangles;
    mesh.influence_first = first;
    mesh.influence_joint = s->joint;
    mesh.influence_weight = weights;
    limber_model model = limber_model_default();
    model.rig.joint_count = s->joint_count;
    model.rig.names = names;
    model.rig.parents = parents;
    model.rig.rest_local = rest;
    model.skin_count = model.mesh_count = 1;
    model.skins = &skin;
    model.meshes = &mesh;
    limber_asset* asset = create(&model);
    free(first);
    free(weights);
    return asset;
}

// ---- other forms of a character ----

// The first mesh with `count` vertices that are copies of from[0], from[1], ...
static limber_asset* copy_vertices(const limber_model* model, const uint32_t* from, uint32_t count,
                                   const uint32_t* triangles) {
    limber_mesh mesh = model->meshes[0];
    size_t influences = 0, at = 0;
    for (uint32_t i = 0; i < count; i++)
        influences += mesh.influence_first[from[i] + 1] - mesh.influence_first[from[i]];
    float *positions = malloc(3 * count * sizeof(float)), *normals = malloc(3 * count * sizeof(float));
    uint32_t* first = malloc((count + 1) * sizeof *first);
    uint16_t* joints = malloc(influences * sizeof *joints);
    float* weights = malloc(influences * sizeof *weights);
    for (uint32_t i = 0; i < count; i++) {
        memcpy(positions + 3 * (size_t)i, mesh.positions + 3 * (size_t)from[i], 3 * sizeof(float));
        memcpy(normals + 3 * (size_t)i, mesh.normals + 3 * (size_t)from[i], 3 * sizeof(float));
        first[i] = (uint32_t)at;
        for (uint32_t k = mesh.influence_first[from[i]]; k < mesh.influence_first[from[i] + 1]; k++) {
            joints[at] = mesh.influence_joint[k];
            weights[at++] = mesh.influence_weight[k];
        }
    }
    first[count] = (uint32_t)at;
    mesh.vertex_count = count;
    mesh.positions = positions;
    mesh.normals = normals;
    mesh.uvs = mesh.colors = NULL;
    mesh.influence_first = first;
    mesh.influence_joint = joints;
    mesh.influence_weight = weights;
    mesh.triangles = triangles;
    mesh.part_count = mesh.morph_count = mesh.layer_count = 0;
    limber_model copy = *model;
    copy.mesh_count = 1;
    copy.meshes = &mesh;
    copy.clip_count = 0;
    limber_asset* asset = create(&copy);
    free(positions);
    free(normals);
    free(first);
    free(joints);
    free(weights);
    return asset;
}

limber_asset* test_asset_exploded(const limber_model* model, uint32_t* from) {
    const limber_mesh* mesh = &model->meshes[0];
    uint32_t count = 3 * mesh->triangle_count;
    uint32_t* triangles = malloc(count * sizeof *triangles);
    for (uint32_t i = 0; i < count; i++)
        triangles[i] = i;
    limber_asset* asset = copy_vertices(model, mesh->triangles, count, triangles);
    if (from)
        memcpy(from, mesh->triangles, count * sizeof *from);
    free(triangles);
    return asset;
}

static void shuffle(uint32_t* items, uint32_t count, uint32_t width) {
    uint32_t state = 12345;
    for (uint32_t i = count; i > 1; i--) {
        state = state * 1664525u + 1013904223u;
        uint32_t other = (state >> 8) % i;
        for (uint32_t c = 0; c < width; c++) {
            uint32_t item = items[width * (i - 1) + c];
            items[width * (i - 1) + c] = items[width * other + c];
            items[width * other + c] = item;
        }
    }
}

limber_asset* test_asset_shuffled(const limber_model* model, uint32_t* from) {
    const limber_mesh* mesh = &model->meshes[0];
    uint32_t* order = malloc(mesh->vertex_count * sizeof *order);
    uint32_t* place = malloc(mesh->vertex_count * sizeof *place);
    uint32_t* triangles = malloc(3 * (size_t)mesh->triangle_count * sizeof *triangles);
    for (uint32_t u = 0; u < mesh->vertex_count; u++)
        order[u] = u;
    shuffle(order, mesh->vertex_count, 1);
    for (uint32_t u = 0; u < mesh->vertex_count; u++)
        place[order[u]] = u;
    for (size_t i = 0; i < 3 * (size_t)mesh->triangle_count; i++) // each starts with another corner, too
        triangles[i] = place[mesh->triangles[i - i % 3 + (i + i / 3) % 3]];
    shuffle(triangles, mesh->triangle_count, 3);
    limber_asset* asset = copy_vertices(model, order, mesh->vertex_count, triangles);
    if (from)
        memcpy(from, order, mesh->vertex_count * sizeof *from);
    free(order);
    free(place);
    free(triangles);
    return asset;
}

limber_asset* test_asset_placed(const limber_model* model, limber_vec3 move, float turn_rad, float scale) {
    limber_transform* rest = malloc(model->rig.joint_count * sizeof *rest);
    memcpy(rest, model->rig.rest_local, model->rig.joint_count * sizeof *rest);
    limber_quat turn = limberi_quat_exp(limberi_vec3(0, turn_rad, 0));
    for (uint32_t j = 0; j < model->rig.joint_count; j++) {
        if (model->rig.parents[j] >= 0)
            continue;
        limber_vec3 p = limberi_quat_rotate(turn, rest[j].translation);
        rest[j].translation = limberi_add(limberi_scale(p, scale), move);
        rest[j].rotation = limberi_quat_mul(turn, rest[j].rotation);
        rest[j].scale = limberi_scale(rest[j].scale, scale);
    }
    limber_model copy = *model;
    copy.rig.rest_local = rest;
    copy.clip_count = 0;
    limber_asset* asset = create(&copy);
    free(rest);
    return asset;
}
