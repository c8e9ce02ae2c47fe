// Bones, balls, arrows and paths as triangles for limberi_renderer_overlay.
#include "render/views/shapes.h"
#include "base/math.h"
#include "render/film/picture.h"

#include <stdlib.h>
#include <string.h>

#define SIDES 10
#define VERTEX_LIMIT (16u << 20)

void limberi_shapes_clear(limberi_shapes* s) {
    s->count = 0;
    s->short_of_memory = false;
}

void limberi_shapes_destroy(limberi_shapes* s) {
    free(s->vertices);
    memset(s, 0, sizeof *s);
}

void limberi_shapes_pen(limberi_shapes* s, const uint8_t color[3], float opacity, float hidden) {
    for (int i = 0; i < 3; i++)
        s->color[i] = limberi_linear_from_srgb((float)color[i] / 255.0f);
    s->color[3] = opacity;
    s->hidden = hidden;
}

static bool has_room(limberi_shapes* s, uint32_t more) {
    if (s->count + more <= s->capacity)
        return true;
    uint32_t capacity = s->capacity ? s->capacity : 4096;
    while (capacity < s->count + more)
        capacity *= 2;
    limberi_overlay_vertex* larger =
        capacity <= VERTEX_LIMIT ? realloc(s->vertices, capacity * sizeof *s->vertices) : NULL;
    if (!larger) {
        s->short_of_memory = true;
        return false;
    }
    s->vertices = larger;
    s->capacity = capacity;
    return true;
}

static void add(limberi_shapes* s, limber_vec3 position, limber_vec3 normal) {
    limberi_overlay_vertex* v = &s->vertices[s->count++];
    limberi_store3(v->position, position);
    limberi_store3(v->normal, normal);
    memcpy(v->color, s->color, sizeof v->color);
    v->hidden = s->hidden;
}

static void facet(limberi_shapes* s, limber_vec3 a, limber_vec3 b, limber_vec3 c) {
    limber_vec3 normal = limberi_normalize(limberi_cross(limberi_sub(b, a), limberi_sub(c, a)));
    if (!has_room(s, 3))
        return;
    add(s, a, normal);
    add(s, b, normal);
    add(s, c, normal);
}

// Two directions at right angles to `along` and each other, u x v pointing along it.
static void make_frame(limber_vec3 along, limber_vec3* u, limber_vec3* v) {
    limber_vec3 other = fabsf(along.y) < 0.8f ? limberi_vec3(0, 1, 0) : limberi_vec3(1, 0, 0);
    *u = limberi_normalize(limberi_cross(other, along));
    *v = limberi_cross(along, *u);
}

static limber_vec3 on_circle(limber_vec3 u, limber_vec3 v, int side, int sides) {
    float angle = (float)(2.0 * LIMBERI_PI) * (float)side / (float)sides;
    return limberi_add(limberi_scale(u, cosf(angle)), limberi_scale(v, sinf(angle)));
}

static limber_vec3 on_ball(int row, int rows, int side) {
    float latitude = (float)LIMBERI_PI * ((float)row / (float)rows - 0.5f);
    float longitude = (float)(2.0 * LIMBERI_PI) * (float)side / SIDES;
    return limberi_vec3(cosf(latitude) * sinf(longitude), sinf(latitude), cosf(latitude) * cosf(longitude));
}

static void add_round(limberi_shapes* s, limber_vec3 center, float radius, limber_vec3 normal) {
    add(s, limberi_add(center, limberi_scale(normal, radius)), normal);
}

void limberi_shapes_ball(limberi_shapes* s, limber_vec3 center, float radius) {
    enum { ROWS = 6 };
    if (!has_room(s, 6 * ROWS * SIDES))
        return;
    for (int row = 0; row < ROWS; row++)
        for (int side = 0; side < SIDES; side++) {
            limber_vec3 a = on_ball(row, ROWS, side);
            limber_vec3 b = on_ball(row, ROWS, side + 1);
            limber_vec3 c = on_ball(row + 1, ROWS, side + 1);
            limber_vec3 d = on_ball(row + 1, ROWS, side);
            const limber_vec3 corners[6] = {a, b, c, a, c, d};
            for (int i = 0; i < 6; i++)
                add_round(s, center, radius, corners[i]);
        }
}

void limberi_shapes_bone(limberi_shapes* s, limber_vec3 from, limber_vec3 to, float radius) {
    const float widest = 0.18f; // of the length
    limber_vec3 along = limberi_sub(to, from);
    limber_vec3 u;
    limber_vec3 v;
    float length = limberi_length(along);
    if (!(length > 1e-12f))
        return;
    make_frame(limberi_scale(along, 1.0f / length), &u, &v);
    limber_vec3 middle = limberi_add(from, limberi_scale(along, widest));
    float half = radius < widest * length ? radius : widest * length;
    for (int side = 0; side < 4; side++) {
        limber_vec3 a = limberi_add(middle, limberi_scale(on_circle(u, v, side, 4), half));
        limber_vec3 b = limberi_add(middle, limberi_scale(on_circle(u, v, side + 1, 4), half));
        facet(s, from, b, a);
        facet(s, a, b, to);
    }
}

static void ring_wall(limberi_shapes* s, const limber_vec3 center[2], const float radius[2], const limber_vec3 u[2],
                      const limber_vec3 v[2]) {
    if (!has_room(s, 6 * SIDES))
        return;
    for (int side = 0; side < SIDES; side++) {
        limber_vec3 n00 = on_circle(u[0], v[0], side, SIDES);
        limber_vec3 n01 = on_circle(u[0], v[0], side + 1, SIDES);
        limber_vec3 n10 = on_circle(u[1], v[1], side, SIDES);
        limber_vec3 n11 = on_circle(u[1], v[1], side + 1, SIDES);
        add_round(s, center[0], radius[0], n00);
        add_round(s, center[0], radius[0], n01);
        add_round(s, center[1], radius[1], n11);
        add_round(s, center[0], radius[0], n00);
        add_round(s, center[1], radius[1], n11);
        add_round(s, center[1], radius[1], n10);
    }
}

static void disc(limberi_shapes* s, limber_vec3 center, float radius, limber_vec3 normal) {
    limber_vec3 u, v;
    make_frame(normal, &u, &v);
    for (int side = 0; radius > 0.0f && side < SIDES; side++)
        facet(s, center, limberi_add(center, limberi_scale(on_circle(u, v, side, SIDES), radius)),
              limberi_add(center, limberi_scale(on_circle(u, v, side + 1, SIDES), radius)));
}

// Carries a ring's directions on to the next one, so that the wall between them does not twist.
static void turn_frame(limber_vec3 along, limber_vec3* u, limber_vec3* v) {
    limber_vec3 kept = limberi_sub(*u, limberi_scale(along, limberi_dot(along, *u)));
    if (limberi_dot(kept, kept) < 1e-6f)
        make_frame(along, u, v);
    else
        *u = limberi_normalize(kept);
    *v = limberi_cross(along, *u);
}

void limberi_shapes_path(limberi_shapes* s, const limber_vec3* points, const float* radii, uint32_t count) {
    limber_vec3 kept[LIMBERI_PATH_LIMIT], u[2], v[2];
    float thickness[LIMBERI_PATH_LIMIT];
    uint32_t n = 0;
    for (uint32_t i = 0; i < count && n < LIMBERI_PATH_LIMIT; i++) {
        if (n && !(limberi_distance(points[i], kept[n - 1]) > 0.2f * radii[i]))
            continue;
        kept[n] = points[i];
        thickness[n++] = radii[i];
    }
    if (n < 2)
        return;
    limber_vec3 along = limberi_normalize(limberi_sub(kept[1], kept[0]));
    make_frame(along, &u[0], &v[0]);
    disc(s, kept[0], thickness[0], limberi_scale(along, -1.0f));
    for (uint32_t i = 0; i + 1 < n; i++) {
        uint32_t next = i + 2 < n ? i + 2 : i + 1;
        along = limberi_normalize(limberi_sub(kept[next], kept[i]));
        u[1] = u[0];
        turn_frame(along, &u[1], &v[1]);
        ring_wall(s, kept + i, thickness + i, u, v);
        u[0] = u[1];
        v[0] = v[1];
    }
    disc(s, kept[n - 1], thickness[n - 1], along);
}

static void head(limberi_shapes* s, limber_vec3 from, limber_vec3 to, float radius) {
    const limber_vec3 points[2] = {from, to};
    const float radii[2] = {2.4f * radius, 0.0f};
    limberi_shapes_path(s, points, radii, 2);
}

void limberi_shapes_arrow(limberi_shapes* s, limber_vec3 from, limber_vec3 to, float radius) {
    limber_vec3 along = limberi_sub(to, from);
    float length = limberi_length(along);
    if (!(length > 1e-12f))
        return;
    float tip = 6.0f * radius < 0.5f * length ? 6.0f * radius : 0.5f * length;
    limber_vec3 neck = limberi_add(from, limberi_scale(along, 1.0f - tip / length));
    const limber_vec3 points[2] = {from, neck};
    const float radii[2] = {0.6f * radius, radius};
    limberi_shapes_path(s, points, radii, 2);
    head(s, neck, to, radius);
}

void limberi_shapes_turn(limberi_shapes* s, limber_vec3 center, limber_vec3 axis, limber_vec3 arm, float angle_rad,
                         float radius) {
    enum { STEPS = 24 };
    limber_vec3 points[STEPS + 1];
    float radii[STEPS + 1];
    float length = limberi_length(arm) * angle_rad;
    if (!(length > 1e-12f))
        return;
    float slimmer = length < 14.0f * radius ? length / 14.0f : radius; // a short one is all arrow head otherwise
    float tip = angle_rad * 6.0f * slimmer / length;
    for (int i = 0; i <= STEPS; i++) {
        float angle = (angle_rad - tip) * (float)i / STEPS;
        limber_vec3 turned = limberi_quat_rotate(limberi_quat_exp(limberi_scale(axis, angle)), arm);
        points[i] = limberi_add(center, turned);
        radii[i] = slimmer * (0.4f + 0.6f * (float)i / STEPS);
    }
    limberi_shapes_path(s, points, radii, STEPS + 1);
    limber_vec3 end = limberi_quat_rotate(limberi_quat_exp(limberi_scale(axis, angle_rad)), arm);
    head(s, points[STEPS], limberi_add(center, end), slimmer);
    const limber_vec3 spoke[2] = {center, points[0]};
    const float thin[2] = {0.3f * slimmer, 0.3f * slimmer};
    limberi_shapes_path(s, spoke, thin, 2);
}

void limberi_shapes_disk(limberi_shapes* s, limber_vec3 center, limber_vec3 normal, float radius) {
    enum { EDGES = 48 };
    limber_vec3 u, v;
    make_frame(normal, &u, &v);
    for (int side = 0; side < EDGES; side++) {
        limber_vec3 a = limberi_add(center, limberi_scale(on_circle(u, v, side, EDGES), radius));
        limber_vec3 b = limberi_add(center, limberi_scale(on_circle(u, v, side + 1, EDGES), radius));
        facet(s, center, a, b);
        facet(s, center, b, a);
    }
}
