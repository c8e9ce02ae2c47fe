// An arm of soft skin, and boxes that hang on its joints.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/math.h"
#include "kit/props.h"

enum { MESHES = 12, VERTICES = 1200, TRIANGLES = 2400, KEYS = 31, SIDES = 8, RINGS = 34, SLICES = 9 };

typedef struct piece {
    char name[32];
    float positions[3 * VERTICES], weights[2 * VERTICES], paint[VERTICES];
    uint16_t joints[2 * VERTICES];
    uint32_t first[VERTICES + 1], triangles[3 * TRIANGLES];
    uint32_t vertex_count, triangle_count;
    bool painted;
    limber_layer layer;
} piece;

struct test_props {
    piece pieces[MESHES];
    uint32_t count;
    float angles[PROP_JOINTS];
    float spread;
};

test_props* test_props_begin(void) {
    test_props* props = calloc(1, sizeof *props);
    assert_non_null(props);
    static const float angles[PROP_JOINTS] = {0.9f, 0.7f, 0.3f, 0.1f, 0.1f, 0.1f, 0.1f, 0.1f, 0.1f};
    memcpy(props->angles, angles, sizeof angles);
    return props;
}

static piece* start(test_props* props, const char* name) {
    assert_true(props->count < MESHES);
    piece* p = &props->pieces[props->count++];
    strncpy(p->name, name, sizeof p->name - 1);
    return p;
}

static uint32_t add_vertex(piece* p, limber_vec3 at, uint32_t a, uint32_t b, float on_b) {
    uint32_t u = p->vertex_count++;
    assert_true(u < VERTICES);
    limberi_store3(p->positions + 3 * (size_t)u, at);
    p->joints[2 * u] = (uint16_t)a;
    p->joints[2 * u + 1] = (uint16_t)b;
    p->weights[2 * u] = 1 - on_b;
    p->weights[2 * u + 1] = on_b;
    p->first[u + 1] = 2 * (u + 1);
    return u;
}

static void add_quad(piece* p, uint32_t a, uint32_t b, uint32_t c, uint32_t d) {
    const uint32_t corners[6] = {a, b, c, a, c, d};
    assert_true(p->triangle_count + 2 <= TRIANGLES);
    memcpy(p->triangles + 3 * (size_t)p->triangle_count, corners, sizeof corners);
    p->triangle_count += 2;
}

static float smooth(float low, float high, float x) {
    float t = fminf(fmaxf((x - low) / (high - low), 0), 1);
    return t * t * (3 - 2 * t);
}

void test_props_arm(test_props* props) {
    piece* p = start(props, "Arm");
    for (uint32_t ring = 0; ring < RINGS; ring++) {
        float x = 2.3f * (float)ring / (RINGS - 1), bend = smooth(0.7f, 1.3f, x), wrist = smooth(1.8f, 2.1f, x);
        for (uint32_t side = 0; side < SIDES; side++) {
            float angle = 2 * (float)LIMBERI_PI * (float)side / SIDES;
            limber_vec3 at = limberi_vec3(x, 0.12f * cosf(angle), 0.12f * sinf(angle));
            if (x < 1.5f)
                add_vertex(p, at, PROP_SHOULDER, PROP_ELBOW, bend);
            else
                add_vertex(p, at, PROP_ELBOW, PROP_HAND, wrist);
        }
        for (uint32_t side = 0; ring && side < SIDES; side++) {
            uint32_t next = (side + 1) % SIDES, now = SIDES * ring, before = now - SIDES;
            add_quad(p, before + side, before + next, now + next, now + side);
        }
    }
}

static void add_box(piece* p, int32_t joint, limber_vec3 low, limber_vec3 high) {
    uint32_t a = joint < 0 ? PROP_ELBOW : (uint32_t)joint, b = joint < 0 ? PROP_HAND : (uint32_t)joint;
    uint32_t first = p->vertex_count;
    for (uint32_t slice = 0; slice < SLICES; slice++) { // along Y
        float y = low.y + (high.y - low.y) * (float)slice / (SLICES - 1);
        const limber_vec3 corners[4] = {{low.x, y, low.z}, {low.x, y, high.z}, {high.x, y, high.z}, {high.x, y, low.z}};
        for (int c = 0; c < 4; c++)
            add_vertex(p, corners[c], a, b, joint < 0 ? 0.5f : 0);
        for (uint32_t c = 0; slice && c < 4; c++) {
            uint32_t now = first + 4 * slice, before = now - 4, next = (c + 1) % 4;
            add_quad(p, before + c, before + next, now + next, now + c);
        }
    }
    uint32_t last = first + 4 * (SLICES - 1);
    add_quad(p, first + 3, first + 2, first + 1, first);
    add_quad(p, last, last + 1, last + 2, last + 3);
}

void test_props_box(test_props* props, const char* name, int32_t joint, limber_vec3 low, limber_vec3 high) {
    add_box(start(props, name), joint, low, high);
}

void test_props_more(test_props* props, int32_t joint, limber_vec3 low, limber_vec3 high) {
    add_box(&props->pieces[props->count - 1], joint, low, high);
}

void test_props_stray(test_props* props, uint32_t vertex, uint32_t joint) {
    piece* p = &props->pieces[props->count - 1];
    p->joints[2 * vertex] = p->joints[2 * vertex + 1] = (uint16_t)joint;
}

void test_props_blend(test_props* props, uint32_t vertex, uint32_t joint, float weight) {
    piece* p = &props->pieces[props->count - 1];
    p->joints[2 * vertex + 1] = (uint16_t)joint;
    p->weights[2 * vertex] = 1 - weight;
    p->weights[2 * vertex + 1] = weight;
}

void test_props_paint(test_props* props, float value) {
    piece* p = &props->pieces[props->count - 1];
    p->painted = true;
    for (uint32_t u = 0; u < p->vertex_count; u++)
        p->paint[u] = value;
}

void test_props_swing(test_props* props, uint32_t joint, float angle_rad) {
    props->angles[joint] = angle_rad;
}

void test_props_spread(test_props* props, float distance) {
    props->spread = distance;
}

// One joint swings about Z.
static limber_channel swing(uint32_t joint, float angle, const float* times, float* values) {
    for (uint32_t k = 0; k < KEYS; k++) {
        float turn = angle * sinf(2 * (float)LIMBERI_PI * (float)k / (KEYS - 1));
        limber_quat q = limberi_quat_exp(limberi_vec3(0.3f * turn, 0, turn));
        memcpy(values + 4 * (size_t)k, &q, sizeof q);
    }
    limber_channel channel = {LIMBER_CHANNEL_ROTATION, LIMBER_INTERPOLATION_LINEAR, joint, KEYS, times, values};
    return channel;
}

limber_asset* test_props_end(test_props* props) {
    static const char* const names[PROP_JOINTS] = {"Shoulder", "Elbow", "Hand", "F1", "F2", "F3", "F4", "F5", "F6"};
    static const int32_t parents[PROP_JOINTS] = {LIMBER_NO_PARENT, 0, 1, 2, 2, 2, 2, 2, 2};
    static const uint32_t joints[PROP_JOINTS] = {0, 1, 2, 3, 4, 5, 6, 7, 8};
    limber_transform rest[PROP_JOINTS];
    limber_mat4 inverse[PROP_JOINTS];
    for (uint32_t j = 0; j < PROP_JOINTS; j++) {
        rest[j] = limber_transform_identity();
        inverse[j] = limber_mat4_identity();
        rest[j].translation.x = j == PROP_ELBOW || j == PROP_HAND ? 1 : 0;
        inverse[j].m[12] = j < PROP_HAND ? -(float)j : -2;
        rest[j].translation.y = j < PROP_FINGERS ? 0 : j % 2 ? props->spread : -props->spread;
        inverse[j].m[13] = -rest[j].translation.y;
    }
    float times[KEYS], values[PROP_JOINTS][4 * KEYS];
    for (uint32_t k = 0; k < KEYS; k++)
        times[k] = (float)k / (KEYS - 1);
    limber_channel channels[PROP_JOINTS];
    for (uint32_t j = 0; j < PROP_JOINTS; j++)
        channels[j] = swing(j, props->angles[j], times, values[j]);
    const limber_clip clip = {.name = "swing", .channel_count = PROP_JOINTS, .channels = channels};
    const limber_skin skin = {.name = "skin", .joint_count = PROP_JOINTS, .joints = joints, .joint_from_mesh = inverse};
    limber_mesh meshes[MESHES];
    memset(meshes, 0, sizeof meshes);
    for (uint32_t m = 0; m < props->count; m++) {
        piece* p = &props->pieces[m];
        const limber_mesh mesh = {.name = p->name,
                                  .vertex_count = p->vertex_count,
                                  .triangle_count = p->triangle_count,
                                  .positions = p->positions,
                                  .triangles = p->triangles,
                                  .influence_first = p->first,
                                  .influence_joint = p->joints,
                                  .influence_weight = p->weights,
                                  .layer_count = p->painted,
                                  .layers = &p->layer};
        p->layer.name = "rigid";
        p->layer.values = p->paint;
        meshes[m] = mesh;
    }
    limber_model model = limber_model_default();
    model.rig.joint_count = PROP_JOINTS;
    model.rig.names = names;
    model.rig.parents = parents;
    model.rig.rest_local = rest;
    model.skin_count = model.clip_count = 1;
    model.skins = &skin;
    model.mesh_count = props->count;
    model.meshes = meshes;
    model.clips = &clip;
    limber_asset* asset;
    limber_error error;
    if (limber_asset_create(&model, &asset, &error) != LIMBER_OK)
        fail_msg("%s", error.message);
    free(props);
    return asset;
}

limber_asset* test_sword_create(void) {
    test_props* props = test_props_begin();
    test_props_arm(props);
    test_props_box(props, "Sword", PROP_HAND, limberi_vec3(2.1f, -0.3f, -0.03f), limberi_vec3(2.2f, 1.6f, 0.03f));
    return test_props_end(props);
}
