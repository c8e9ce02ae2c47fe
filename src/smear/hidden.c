// Which vertices can be seen from outside in the rest pose. In-between copies are only made of those: a copy of the skin
// inside a helmet, or of the back of an eye, would show where its character has moved on.
#include "smear/smear_private.h"

#include <string.h>

enum { SIDE = 128 };                     // of a picture, pixels
static const float seen_from = 0.08f;    // of the directions: less is hidden
static const float seen_to = 0.25f;      // and more is all there
static const float in_front = 1.0f;      // pixels: what is nearer to a surface than this belongs to it
static const float nothing = -HUGE_VALF; // depth

typedef struct looker {
    const limber_smearer* smearer;
    const float* rest;   // [vertex * 3]
    limber_vec3* points; // [vertex] in the picture: x and y in pixels, z towards the viewer
    float* depths;       // [SIDE * SIDE]
    limber_vec3 right, up, towards;
} looker;

static limber_vec3 turned(const looker* l, uint32_t v) {
    limber_vec3 p = limberi_load3(l->rest + 3 * (size_t)v);
    return limberi_vec3(limberi_dot(p, l->right), limberi_dot(p, l->up), limberi_dot(p, l->towards));
}

static void project(looker* l) {
    uint32_t count = l->smearer->model->vertex_count;
    limber_vec3 low = limberi_vec3(HUGE_VALF, HUGE_VALF, 0);
    limber_vec3 high = limberi_vec3(-HUGE_VALF, -HUGE_VALF, 0);
    for (uint32_t v = 0; v < count; v++) {
        limber_vec3 p = l->points[v] = turned(l, v);
        low = limberi_vec3(fminf(low.x, p.x), fminf(low.y, p.y), 0);
        high = limberi_vec3(fmaxf(high.x, p.x), fmaxf(high.y, p.y), 0);
    }
    float size = fmaxf(fmaxf(high.x - low.x, high.y - low.y), 1e-6f * l->smearer->size);
    float scale = 0.96f * SIDE / fmaxf(size, 1e-30f);
    for (uint32_t v = 0; v < count; v++) {
        limber_vec3 p = limberi_sub(l->points[v], low);
        l->points[v] = limberi_vec3(scale * p.x + 1, scale * p.y + 1, scale * l->points[v].z);
    }
}

static float edge(limber_vec3 a, limber_vec3 b, float x, float y) {
    return (b.x - a.x) * (y - a.y) - (b.y - a.y) * (x - a.x);
}

static int pixel(float x) {
    return (int)limberi_clamp(x, 0, SIDE - 1);
}

static void draw_triangle(looker* l, limber_vec3 a, limber_vec3 b, limber_vec3 c) {
    float area = edge(a, b, c.x, c.y);
    if (!(fabsf(area) > 1e-9f))
        return;
    int right = pixel(fmaxf(a.x, fmaxf(b.x, c.x)));
    int top = pixel(fmaxf(a.y, fmaxf(b.y, c.y)));
    for (int y = pixel(fminf(a.y, fminf(b.y, c.y))); y <= top; y++)
        for (int x = pixel(fminf(a.x, fminf(b.x, c.x))); x <= right; x++) {
            float u = edge(b, c, (float)x + 0.5f, (float)y + 0.5f) / area;
            float v = edge(c, a, (float)x + 0.5f, (float)y + 0.5f) / area;
            float depth = u * a.z + v * b.z + (1 - u - v) * c.z;
            if (u >= 0 && v >= 0 && u + v <= 1 && depth > l->depths[SIDE * y + x])
                l->depths[SIDE * y + x] = depth;
        }
}

static void draw(looker* l) {
    const limber_model* model = l->smearer->model;
    for (size_t i = 0; i < (size_t)SIDE * SIDE; i++)
        l->depths[i] = nothing;
    for (uint32_t m = 0; m < model->mesh_count; m++) {
        const limber_mesh* mesh = &model->meshes[m];
        const limber_vec3* points = l->points + mesh->first_vertex;
        for (size_t t = 0; !limberi_smear_skips(l->smearer, mesh) && t < 3 * (size_t)mesh->triangle_count; t += 3)
            draw_triangle(l, points[mesh->triangles[t]], points[mesh->triangles[t + 1]],
                          points[mesh->triangles[t + 2]]);
    }
}

// Whether nothing lies in front of a vertex in one of the pixels around it.
static bool shows(const looker* l, limber_vec3 p) {
    for (int y = pixel(p.y - 1); y <= pixel(p.y + 1); y++)
        for (int x = pixel(p.x - 1); x <= pixel(p.x + 1); x++)
            if (l->depths[SIDE * y + x] < p.z + in_front)
                return true;
    return false;
}

static void count_direction(looker* l, limber_vec3 direction, float* seen) {
    limber_vec3 other = fabsf(direction.y) < 0.9f ? limberi_vec3(0, 1, 0) : limberi_vec3(1, 0, 0);
    l->towards = limberi_normalize(direction);
    l->right = limberi_normalize(limberi_cross(other, l->towards));
    l->up = limberi_cross(l->towards, l->right);
    project(l);
    draw(l);
    for (uint32_t v = 0; v < l->smearer->model->vertex_count; v++)
        seen[v] += shows(l, l->points[v]) ? 1 : 0;
}

// From the 26 directions to the faces, edges and corners of a box.
static void look_around(looker* l, float* seen) {
    for (int z = -1; z <= 1; z++)
        for (int y = -1; y <= 1; y++)
            for (int x = -1; x <= 1; x++)
                if (x || y || z)
                    count_direction(l, limberi_vec3((float)x, (float)y, (float)z), seen);
    for (uint32_t v = 0; v < l->smearer->model->vertex_count; v++)
        seen[v] = limberi_smoothstep((seen[v] / 26 - seen_from) / (seen_to - seen_from));
}

limber_result limberi_smear_find_hidden(limber_smearer* s) {
    const limber_model* model = s->model;
    limberi_arena scratch;
    memset(&scratch, 0, sizeof scratch);
    float* rest = LIMBERI_ALLOCATE(&scratch, float, 3 * (size_t)model->vertex_count);
    looker l = {s, rest, NULL, NULL, {0, 0, 0}, {0, 0, 0}, {0, 0, 0}};
    l.points = LIMBERI_ALLOCATE(&scratch, limber_vec3, model->vertex_count);
    l.depths = LIMBERI_ALLOCATE(&scratch, float, (size_t)SIDE* SIDE);
    s->outside = LIMBERI_ALLOCATE(&s->arena, float, model->vertex_count);
    bool failed = scratch.failed || !s->outside;
    for (uint32_t m = 0; !failed && m < model->mesh_count; m++)
        limber_mesh_rest_positions(model, &model->meshes[m], rest + 3 * (size_t)model->meshes[m].first_vertex);
    if (!failed)
        look_around(&l, s->outside);
    limberi_arena_free(&scratch);
    return failed ? LIMBER_ERROR_MEMORY : LIMBER_OK;
}
