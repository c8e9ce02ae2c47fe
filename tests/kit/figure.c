// A figure of boxes whose limbs go where a test says.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/math.h"
#include "kit/figure.h"

enum { BOX_VERTICES = 8, BOX_TRIANGLES = 12, ACTS = 8, ROWS = 24, SIDES = 32 };

typedef struct limb {
    const char* name;
    limber_vec3 low, size; // the middle of its lower side at rest
} limb;

static const limb limbs[FIGURE_JOINTS] = {
    {"Root", {0, 0.9f, 0}, {0, 0, 0}},
    {"Body", {0, 0.8f, 0}, {0.4f, 0.6f, 0.25f}},
    {"Head", {0, 1.5f, 0}, {0.2f, 0.3f, 0.2f}},
    {"Hand.L", {0.6f, 1.2f, 0}, {0.1f, 0.1f, 0.1f}},
    {"Hand.R", {-0.6f, 1.2f, 0}, {0.1f, 0.1f, 0.1f}},
    {"Foot.L", {0.15f, 0, 0}, {0.1f, 0.08f, 0.25f}},
    {"Foot.R", {-0.15f, 0, 0}, {0.1f, 0.08f, 0.25f}},
};

static const int32_t parents[FIGURE_JOINTS] = {LIMBER_NO_PARENT, 0, 0, 0, 0, 0, 0};

test_posture test_figure_rest(void) {
    test_posture posture;
    for (int j = 0; j < FIGURE_JOINTS; j++)
        posture.at[j] = limbs[j].low;
    return posture;
}

// --- the skin ---

typedef struct skin_data {
    float* positions;
    uint32_t *triangles, *first;
    uint16_t* joints;
    float* weights;
    uint32_t vertex_count, triangle_count;
} skin_data;

static skin_data make_skin(uint32_t vertices, uint32_t triangles) {
    skin_data s = {calloc(3 * (size_t)vertices, sizeof(float)),
                   calloc(3 * (size_t)triangles, sizeof(uint32_t)),
                   calloc((size_t)vertices + 1, sizeof(uint32_t)),
                   calloc(vertices, sizeof(uint16_t)),
                   calloc(vertices, sizeof(float)),
                   0,
                   0};
    assert_true(s.positions && s.triangles && s.first && s.joints && s.weights);
    return s;
}

static void free_skin(skin_data* s) {
    free(s->positions);
    free(s->triangles);
    free(s->first);
    free(s->joints);
    free(s->weights);
}

static void add_vertex(skin_data* s, limber_vec3 at, uint32_t joint) {
    uint32_t u = s->vertex_count++;
    limberi_store3(s->positions + 3 * (size_t)u, at);
    s->joints[u] = (uint16_t)joint;
    s->weights[u] = 1;
    s->first[u + 1] = u + 1;
}

static void add_triangle(skin_data* s, uint32_t a, uint32_t b, uint32_t c) {
    const uint32_t corners[3] = {a, b, c};
    memcpy(s->triangles + 3 * (size_t)s->triangle_count++, corners, sizeof corners);
}

static void add_box(skin_data* s, uint32_t joint) {
    static const uint32_t sides[6][4] = {{0, 1, 5, 4}, {2, 6, 7, 3}, {0, 2, 3, 1},
                                         {4, 5, 7, 6}, {0, 4, 6, 2}, {1, 3, 7, 5}};
    limber_vec3 low = limbs[joint].low, size = limbs[joint].size;
    uint32_t first = s->vertex_count;
    for (uint32_t i = 0; i < BOX_VERTICES; i++)
        add_vertex(s,
                   limberi_vec3(low.x + ((i & 1) ? 0.5f : -0.5f) * size.x, low.y + ((i & 2) ? size.y : 0),
                                low.z + ((i & 4) ? 0.5f : -0.5f) * size.z),
                   joint);
    for (int f = 0; f < 6; f++) {
        add_triangle(s, first + sides[f][0], first + sides[f][1], first + sides[f][2]);
        add_triangle(s, first + sides[f][0], first + sides[f][2], first + sides[f][3]);
    }
}

static limber_mesh mesh_of(const skin_data* s, const char* name) {
    const limber_mesh mesh = {.name = name,
                              .vertex_count = s->vertex_count,
                              .triangle_count = s->triangle_count,
                              .positions = s->positions,
                              .triangles = s->triangles,
                              .influence_first = s->first,
                              .influence_joint = s->joints,
                              .influence_weight = s->weights};
    return mesh;
}

// --- clips ---

typedef struct keys {
    float *times, *values; // [key], [joint * key * 3]
    limber_channel channels[FIGURE_JOINTS];
} keys;

static void write_keys(const test_act* act, uint32_t count, keys* k) {
    memset(k, 0, sizeof *k);
    if (!act->pose)
        return;
    k->times = calloc(count, sizeof *k->times);
    k->values = calloc((size_t)FIGURE_JOINTS * count * 3, sizeof *k->values);
    assert_true(k->times && k->values);
    for (uint32_t i = 0; i < count; i++) {
        double time_s = count > 1 ? act->seconds * i / (count - 1) : 0;
        test_posture posture = test_figure_rest();
        act->pose(time_s, &posture, act->user);
        k->times[i] = (float)time_s;
        for (uint32_t j = 0; j < FIGURE_JOINTS; j++) {
            limber_vec3 at = posture.at[j];
            if (j != FIGURE_ROOT) // joints are where the low point of their limb is at rest
                at = limberi_sub(at, posture.at[FIGURE_ROOT]);
            limberi_store3(k->values + 3 * ((size_t)j * count + i), at);
        }
    }
    for (uint32_t j = 0; j < FIGURE_JOINTS; j++) {
        limber_channel channel = {LIMBER_CHANNEL_TRANSLATION,         LIMBER_INTERPOLATION_LINEAR, j, count, k->times,
                                  k->values + 3 * ((size_t)j * count)};
        k->channels[j] = channel;
    }
}

static limber_asset* create(const limber_model* model) {
    limber_asset* asset;
    limber_error error;
    if (limber_asset_create(model, &asset, &error) != LIMBER_OK)
        fail_msg("%s", error.message);
    return asset;
}

limber_asset* test_figure_create(const test_act* acts, uint32_t count, bool bare) {
    static const uint32_t joints[FIGURE_JOINTS] = {0, 1, 2, 3, 4, 5, 6};
    const char* names[FIGURE_JOINTS];
    limber_transform rest[FIGURE_JOINTS];
    limber_mat4 inverse[FIGURE_JOINTS];
    keys k[ACTS];
    limber_clip clips[ACTS];
    skin_data s = make_skin(FIGURE_JOINTS * BOX_VERTICES, FIGURE_JOINTS * BOX_TRIANGLES);
    assert_true(count <= ACTS);
    memset(clips, 0, sizeof clips);
    for (uint32_t j = 0; j < FIGURE_JOINTS; j++) {
        limber_vec3 low = limbs[j].low;
        names[j] = limbs[j].name;
        rest[j] = limber_transform_identity();
        rest[j].translation = j == FIGURE_ROOT ? low : limberi_sub(low, limbs[FIGURE_ROOT].low);
        inverse[j] = limber_mat4_identity();
        limberi_store3(inverse[j].m + 12, limberi_scale(low, -1));
        if (j != FIGURE_ROOT)
            add_box(&s, j);
    }
    for (uint32_t c = 0; c < count; c++) {
        write_keys(&acts[c], 1 + (uint32_t)(acts[c].seconds * acts[c].fps + 0.5), &k[c]);
        clips[c].name = acts[c].name;
        clips[c].channel_count = acts[c].pose ? FIGURE_JOINTS : 0;
        clips[c].channels = k[c].channels;
    }
    const limber_skin skin = {
        .name = "skin", .joint_count = FIGURE_JOINTS, .joints = joints, .joint_from_mesh = inverse};
    const limber_mesh mesh = mesh_of(&s, "Figure");
    limber_model model = limber_model_default();
    model.rig.joint_count = FIGURE_JOINTS;
    model.rig.names = names;
    model.rig.parents = parents;
    model.rig.rest_local = rest;
    model.skin_count = 1;
    model.skins = &skin;
    model.mesh_count = bare ? 0 : 1;
    model.meshes = &mesh;
    model.clip_count = count;
    model.clips = clips;
    limber_asset* asset = create(&model);
    for (uint32_t c = 0; c < count; c++) {
        free(k[c].times);
        free(k[c].values);
    }
    free_skin(&s);
    return asset;
}

// --- limbs that stand ---

limber_vec3 test_stand_at(const test_stand* stands, uint32_t count, double arc, double time_s) {
    for (uint32_t i = 0; i < count; i++) {
        if (time_s <= stands[i].to_s && time_s >= stands[i].from_s)
            return stands[i].at;
        if (i + 1 < count && time_s > stands[i].to_s && time_s < stands[i + 1].from_s) {
            double way = (time_s - stands[i].to_s) / (stands[i + 1].from_s - stands[i].to_s);
            limber_vec3 at = limberi_lerp(stands[i].at, stands[i + 1].at, (float)way);
            at.y += (float)(4 * arc * way * (1 - way));
            return at;
        }
    }
    return time_s < stands[0].from_s ? stands[0].at : stands[count - 1].at;
}

// --- a ball ---

static void add_ball(skin_data* s, float radius) {
    add_vertex(s, limberi_vec3(0, 0, 0), 1);
    for (uint32_t row = 1; row < ROWS; row++)
        for (uint32_t side = 0; side < SIDES; side++) {
            float polar = (float)LIMBERI_PI * (float)row / ROWS, turn = 2 * (float)LIMBERI_PI * (float)side / SIDES;
            add_vertex(s,
                       limberi_vec3(radius * sinf(polar) * cosf(turn), radius * (1 - cosf(polar)),
                                    radius * sinf(polar) * sinf(turn)),
                       1);
        }
    add_vertex(s, limberi_vec3(0, 2 * radius, 0), 1);
    uint32_t last = s->vertex_count - 1;
    for (uint32_t side = 0; side < SIDES; side++) {
        uint32_t next = (side + 1) % SIDES;
        add_triangle(s, 0, 1 + side, 1 + next);
        for (uint32_t row = 0; row + 2 < ROWS; row++) {
            uint32_t a = 1 + row * SIDES, b = a + SIDES;
            add_triangle(s, a + side, b + side, b + next);
            add_triangle(s, a + side, b + next, a + next);
        }
        add_triangle(s, last, last - SIDES + next, last - SIDES + side);
    }
}

limber_asset* test_bouncer_create(double seconds, double fps, double (*height)(double time_s)) {
    static const char* const names[2] = {"Root", "Ball"};
    static const int32_t above[2] = {LIMBER_NO_PARENT, 0};
    static const uint32_t joints[2] = {0, 1};
    limber_transform rest[2] = {limber_transform_identity(), limber_transform_identity()};
    limber_mat4 inverse[2] = {limber_mat4_identity(), limber_mat4_identity()};
    uint32_t count = 1 + (uint32_t)(seconds * fps + 0.5);
    float *times = calloc(count, sizeof *times), *values = calloc(3 * (size_t)count, sizeof *values);
    skin_data s = make_skin(ROWS * SIDES, 2 * ROWS * SIDES);
    assert_true(times && values);
    add_ball(&s, 0.5f);
    for (uint32_t i = 0; i < count; i++) {
        times[i] = (float)(seconds * i / (count - 1));
        values[3 * (size_t)i + 1] = (float)height(seconds * i / (count - 1));
    }
    const limber_channel channel = {LIMBER_CHANNEL_TRANSLATION, LIMBER_INTERPOLATION_LINEAR, 1, count, times, values};
    const limber_clip clip = {.name = "bounce", .channel_count = 1, .channels = &channel};
    const limber_skin skin = {.name = "skin", .joint_count = 2, .joints = joints, .joint_from_mesh = inverse};
    const limber_mesh mesh = mesh_of(&s, "Ball");
    limber_model model = limber_model_default();
    model.rig.joint_count = 2;
    model.rig.names = names;
    model.rig.parents = above;
    model.rig.rest_local = rest;
    model.skin_count = model.mesh_count = model.clip_count = 1;
    model.skins = &skin;
    model.meshes = &mesh;
    model.clips = &clip;
    limber_asset* asset = create(&model);
    free(times);
    free(values);
    free_skin(&s);
    return asset;
}
