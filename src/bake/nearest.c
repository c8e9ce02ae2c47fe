// Nearest points of a surface in the rest pose, by a tree over its triangles.
#include "asset/asset.h"
#include "bake/bake.h"
#include "layer/surface.h"

#include <math.h>
#include <string.h>

static const float other_joints = 0.05f; // in L: so much farther is a place whose vertices hang on other joints alone

typedef struct search {
    limberi_arena arena;
    const limber_model* to;
    limber_vec3* places;       // [vertex of `to`]
    const uint32_t** triangle; // [item] its corners in their mesh
    uint32_t* mesh_of;         // [item]
    limberi_box_tree tree;
    float* weights; // [joint of `to`] of the vertex that looks
} search;

// The places of all vertices, in L of `scale`.
static limber_vec3* places_of(limberi_arena* arena, const limber_model* model, const limber_model* scale) {
    limber_vec3* places = LIMBERI_ALLOCATE(arena, limber_vec3, model->vertex_count);
    float* rest = LIMBERI_ALLOCATE(arena, float, 3 * (size_t)model->vertex_count);
    for (uint32_t m = 0; places && rest && m < model->mesh_count; m++) {
        const limber_mesh* mesh = &model->meshes[m];
        limber_mesh_rest_positions(model, mesh, rest + 3 * (size_t)mesh->first_vertex);
        for (size_t v = mesh->first_vertex; v < mesh->first_vertex + mesh->vertex_count; v++)
            places[v] = limberi_surface_place(scale, limberi_load3(rest + 3 * v));
    }
    return places;
}

static void load_corners(const search* s, uint32_t item, limber_vec3* corners) {
    const limber_vec3* places = s->places + s->to->meshes[s->mesh_of[item]].first_vertex;
    for (int i = 0; i < 3; i++)
        corners[i] = places[s->triangle[item][i]];
}

static bool build_tree(search* s) {
    uint32_t count = 0;
    uint32_t triangles = s->to->triangle_count;
    limberi_box* boxes = LIMBERI_ALLOCATE(&s->arena, limberi_box, triangles);
    s->triangle = LIMBERI_ALLOCATE(&s->arena, const uint32_t*, triangles);
    s->mesh_of = LIMBERI_ALLOCATE(&s->arena, uint32_t, triangles);
    if (s->arena.failed)
        return false;
    for (uint32_t m = 0; m < s->to->mesh_count; m++)
        for (uint32_t t = 0; t < s->to->meshes[m].triangle_count; t++, count++) {
            limber_vec3 p[3];
            s->triangle[count] = s->to->meshes[m].triangles + 3 * (size_t)t;
            s->mesh_of[count] = m;
            load_corners(s, count, p);
            boxes[count] = (limberi_box){{fminf(p[0].x, fminf(p[1].x, p[2].x)), fminf(p[0].y, fminf(p[1].y, p[2].y)),
                                          fminf(p[0].z, fminf(p[1].z, p[2].z))},
                                         {fmaxf(p[0].x, fmaxf(p[1].x, p[2].x)), fmaxf(p[0].y, fmaxf(p[1].y, p[2].y)),
                                          fmaxf(p[0].z, fmaxf(p[1].z, p[2].z))}};
        }
    return limberi_box_tree_build(&s->arena, boxes, count, &s->tree) == LIMBER_OK;
}

// The square of the distance, and the corner that is nearest.
static float distance_to(const search* s, uint32_t item, limber_vec3 place, uint32_t* corner) {
    limber_vec3 p[3];
    float weights[3];
    load_corners(s, item, p);
    float square = limberi_triangle_nearest(p, place, weights);
    int best = weights[1] > weights[0] ? 1 : 0;
    best = weights[2] > weights[best] ? 2 : best;
    *corner = s->triangle[item][best];
    return square;
}

static float weighed_distance(const void* user, uint32_t item, limber_vec3 place) {
    const search* s = user;
    const limber_mesh* mesh = &s->to->meshes[s->mesh_of[item]];
    uint32_t v;
    float square = distance_to(s, item, place, &v);
    float other = 1;
    for (uint32_t i = mesh->influence_first[v]; i < mesh->influence_first[v + 1]; i++) {
        uint32_t joint = s->to->skins[mesh->skin].joints[mesh->influence_joint[i]];
        other -= fminf(mesh->influence_weight[i], s->weights[joint]);
    }
    float more = other_joints * fmaxf(other, 0);
    return square + more * more;
}

static void set_weights(search* s, const limber_model* from, const limber_mesh* mesh, uint32_t v,
                        const uint32_t* joint_of, bool on) {
    for (uint32_t i = mesh->influence_first[v]; i < mesh->influence_first[v + 1]; i++) {
        uint32_t joint = joint_of[from->skins[mesh->skin].joints[mesh->influence_joint[i]]];
        if (joint != UINT32_MAX)
            s->weights[joint] = on ? s->weights[joint] + mesh->influence_weight[i] : 0;
    }
}

static void find_all(search* s, const limber_model* from, const limber_vec3* places, const uint32_t* joint_of,
                     uint32_t* vertices, float* distances) {
    for (uint32_t m = 0; m < from->mesh_count; m++) {
        const limber_mesh* mesh = &from->meshes[m];
        for (uint32_t v = 0; v < mesh->vertex_count; v++) {
            uint32_t u = mesh->first_vertex + v;
            set_weights(s, from, mesh, v, joint_of, true);
            uint32_t item = limberi_box_tree_nearest(&s->tree, places[u], HUGE_VALF, 0, weighed_distance, s);
            set_weights(s, from, mesh, v, joint_of, false);
            vertices[u] = UINT32_MAX;
            distances[u] = 0;
            if (item == UINT32_MAX)
                continue;
            distances[u] = sqrtf(distance_to(s, item, places[u], &vertices[u]));
            vertices[u] += s->to->meshes[s->mesh_of[item]].first_vertex;
        }
    }
}

limber_result limberi_nearest_vertices(const limber_model* from, const limber_model* to, const uint32_t* joint_of,
                                       uint32_t* vertices, float* distances) {
    search s = {.to = to};
    s.places = places_of(&s.arena, to, to);
    s.weights = LIMBERI_ALLOCATE(&s.arena, float, to->rig.joint_count);
    limber_vec3* places = places_of(&s.arena, from, to);
    bool built = !s.arena.failed && build_tree(&s);
    if (built)
        find_all(&s, from, places, joint_of, vertices, distances);
    limberi_arena_free(&s.arena);
    return built ? LIMBER_OK : LIMBER_ERROR_MEMORY;
}
