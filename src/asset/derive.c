// What follows from a character's data alone: rest and bind matrices, areas, normals, centroids (VS appendix B, with
// the upward weights), medial axes, bone directions and the size L.
#include "asset/asset_private.h"
#include "base/math.h"

#include <stdlib.h>
#include <string.h>

static void derive_rest(limberi_arena* arena, limber_rig* rig) {
    limber_mat4* world = LIMBERI_TAKE(arena, limber_mat4, rig->joint_count);
    for (uint32_t j = 0; world && j < rig->joint_count; j++) {
        limber_mat4 local = limberi_mat4_from_transform(&rig->rest_local[j]);
        world[j] = rig->parents[j] < 0 ? local : limberi_mat4_mul(&world[rig->parents[j]], &local);
    }
    rig->world_from_joint_rest = world;
}

// The undeformed mesh is placed by the skin's topmost joint: in the rest pose that joint carries it there rigidly.
static void derive_skin_placement(const limber_rig* rig, limber_skin* skin) {
    uint32_t top = 0;
    for (uint32_t k = 1; k < skin->joint_count; k++)
        if (skin->joints[k] < skin->joints[top])
            top = k;
    skin->world_from_mesh =
        limberi_mat4_mul(&rig->world_from_joint_rest[skin->joints[top]], &skin->joint_from_mesh[top]);
}

static void derive_bind(limberi_arena* arena, limber_model* model) {
    limber_rig* rig = &model->rig;
    limber_mat4* bind = LIMBERI_TAKE(arena, limber_mat4, rig->joint_count);
    uint8_t* known = LIMBERI_TAKE(arena, uint8_t, rig->joint_count);
    if (arena->failed)
        return;
    for (uint32_t s = 0; s < model->skin_count; s++) {
        const limber_skin* skin = &model->skins[s];
        for (uint32_t k = 0; k < skin->joint_count; k++) {
            uint32_t j = skin->joints[k];
            limber_mat4 mesh_from_joint;
            if (known[j] || !limberi_mat4_inverse(&skin->joint_from_mesh[k], &mesh_from_joint))
                continue;
            bind[j] = limberi_mat4_mul(&skin->world_from_mesh, &mesh_from_joint);
            known[j] = 1;
        }
    }
    for (uint32_t j = 0; j < rig->joint_count; j++) {
        if (known[j])
            continue;
        limber_mat4 local = limberi_mat4_from_transform(&rig->rest_local[j]);
        bind[j] = rig->parents[j] < 0 ? local : limberi_mat4_mul(&bind[rig->parents[j]], &local);
    }
    rig->world_from_joint_bind = bind;
}

static void derive_areas(limberi_arena* arena, const limber_model* model, limber_mesh* mesh) {
    float* areas = LIMBERI_TAKE(arena, float, mesh->vertex_count);
    mesh->areas = areas;
    if (!areas)
        return;
    const limber_mat4* place = &model->skins[mesh->skin].world_from_mesh;
    for (uint32_t t = 0; t < mesh->triangle_count; t++) {
        const uint32_t* v = mesh->triangles + 3 * (size_t)t;
        limber_vec3 a = limberi_load3(mesh->positions + 3 * (size_t)v[0]);
        limber_vec3 ab = limberi_sub(limberi_load3(mesh->positions + 3 * (size_t)v[1]), a);
        limber_vec3 ac = limberi_sub(limberi_load3(mesh->positions + 3 * (size_t)v[2]), a);
        limber_vec3 cross = limberi_cross(limberi_mat4_vector(place, ab), limberi_mat4_vector(place, ac));
        float third = limberi_length(cross) / 6.0f;
        for (int i = 0; i < 3; i++)
            areas[v[i]] += third;
    }
}

static void average_normals(const limber_mesh* mesh, float* normals) {
    for (uint32_t t = 0; t < mesh->triangle_count; t++) {
        const uint32_t* v = mesh->triangles + 3 * (size_t)t;
        limber_vec3 a = limberi_load3(mesh->positions + 3 * (size_t)v[0]);
        limber_vec3 ab = limberi_sub(limberi_load3(mesh->positions + 3 * (size_t)v[1]), a);
        limber_vec3 ac = limberi_sub(limberi_load3(mesh->positions + 3 * (size_t)v[2]), a);
        limber_vec3 cross = limberi_cross(ab, ac);
        for (int i = 0; i < 3; i++) {
            float* n = normals + 3 * (size_t)v[i];
            limberi_store3(n, limberi_add(limberi_load3(n), cross));
        }
    }
    for (uint32_t u = 0; u < mesh->vertex_count; u++) {
        limber_vec3 n = limberi_normalize(limberi_load3(normals + 3 * (size_t)u));
        if (!(limberi_dot(n, n) > 0.5f))
            n = limberi_vec3(0, 1, 0);
        limberi_store3(normals + 3 * (size_t)u, n);
    }
}

// Normals the file lacks, or holds as zeros or NaN, are averaged from the triangles.
static limber_result derive_normals(limberi_arena* arena, limber_mesh* mesh) {
    bool broken = !mesh->normals;
    for (size_t u = 0; !broken && u < mesh->vertex_count; u++) {
        limber_vec3 n = limberi_load3(mesh->normals + 3 * u);
        float square = limberi_dot(n, n);
        broken = !(square > 1e-8f && isfinite(square));
    }
    if (!broken)
        return LIMBER_OK;
    float* averaged = LIMBERI_TAKE(arena, float, 3 * (size_t)mesh->vertex_count);
    if (!averaged)
        return LIMBER_ERROR_MEMORY;
    average_normals(mesh, averaged);
    for (size_t u = 0; mesh->normals && u < mesh->vertex_count; u++) {
        limber_vec3 n = limberi_load3(mesh->normals + 3 * u);
        float square = limberi_dot(n, n);
        if (square > 1e-8f && isfinite(square))
            limberi_store3(averaged + 3 * u, n);
    }
    mesh->normals = averaged;
    return LIMBER_OK;
}

typedef struct moment {
    double area[4];  // sum of weight * area * (x, y, z, 1)
    double plain[4]; // the same without areas, for meshes that have no triangles
} moment;

static void add_mesh_moments(const limber_model* model, const limber_mesh* mesh, moment* moments) {
    const limber_skin* skin = &model->skins[mesh->skin];
    for (uint32_t u = 0; u < mesh->vertex_count; u++) {
        limber_vec3 p = limberi_mat4_point(&skin->world_from_mesh, limberi_load3(mesh->positions + 3 * (size_t)u));
        double v[4] = {(double)p.x, (double)p.y, (double)p.z, 1};
        for (uint32_t i = mesh->influence_first[u]; i < mesh->influence_first[u + 1]; i++) {
            moment* m = &moments[skin->joints[mesh->influence_joint[i]]];
            double weight = (double)mesh->influence_weight[i];
            for (int c = 0; c < 4; c++) {
                m->area[c] += weight * (double)mesh->areas[u] * v[c];
                m->plain[c] += weight * v[c];
            }
        }
    }
}

static limber_vec3 moment_center(const moment* m, limber_vec3 fallback) {
    const double* s = m->area[3] > 0 ? m->area : m->plain;
    if (!(s[3] > 1e-30))
        return fallback;
    return limberi_vec3((float)(s[0] / s[3]), (float)(s[1] / s[3]), (float)(s[2] / s[3]));
}

// Into the frame of joint j at bind time; 0 when that frame is flat.
static limber_vec3 to_joint(const limber_rig* rig, uint32_t j, limber_vec3 world) {
    limber_mat4 joint_from_world;
    if (!limberi_mat4_inverse(&rig->world_from_joint_bind[j], &joint_from_world))
        return limberi_vec3(0, 0, 0);
    limber_vec3 p = limberi_mat4_point(&joint_from_world, world);
    return isfinite(p.x + p.y + p.z) ? p : limberi_vec3(0, 0, 0);
}

// The upward weights need no storage: sums per joint travel from the children to their parents once.
static limber_result derive_centroids(limberi_arena* arena, limber_model* model) {
    limber_rig* rig = &model->rig;
    moment* moments = calloc(rig->joint_count ? rig->joint_count : 1, sizeof *moments);
    limber_vec3* centroid = LIMBERI_TAKE(arena, limber_vec3, rig->joint_count);
    limber_vec3* axis = LIMBERI_TAKE(arena, limber_vec3, rig->joint_count);
    if (!moments || arena->failed) {
        free(moments);
        return LIMBER_ERROR_MEMORY;
    }
    for (uint32_t m = 0; m < model->mesh_count; m++)
        add_mesh_moments(model, &model->meshes[m], moments);
    for (uint32_t j = rig->joint_count; j-- > 0;) {
        limber_vec3 center = moment_center(&moments[j], limberi_mat4_translation(&rig->world_from_joint_bind[j]));
        centroid[j] = to_joint(rig, j, center);
        axis[j] = limberi_normalize(centroid[j]);
        for (int c = 0; c < 4 && rig->parents[j] >= 0; c++) {
            moments[rig->parents[j]].area[c] += moments[j].area[c];
            moments[rig->parents[j]].plain[c] += moments[j].plain[c];
        }
    }
    free(moments);
    rig->centroid = centroid;
    rig->medial_axis = axis;
    return LIMBER_OK;
}

static limber_result derive_bone_directions(limberi_arena* arena, limber_rig* rig) {
    limber_vec3* direction = LIMBERI_TAKE(arena, limber_vec3, rig->joint_count);
    uint32_t* children = LIMBERI_TAKE(arena, uint32_t, rig->joint_count);
    if (arena->failed)
        return LIMBER_ERROR_MEMORY;
    for (uint32_t j = 0; j < rig->joint_count; j++) {
        if (rig->parents[j] < 0)
            continue;
        uint32_t parent = (uint32_t)rig->parents[j];
        limber_vec3 child = to_joint(rig, parent, limberi_mat4_translation(&rig->world_from_joint_bind[j]));
        direction[parent] = limberi_add(direction[parent], child);
        children[parent]++;
    }
    for (uint32_t j = 0; j < rig->joint_count; j++)
        direction[j] = children[j] ? limberi_normalize(direction[j]) : rig->medial_axis[j];
    rig->bone_direction = direction;
    return LIMBER_OK;
}

// A rigid mesh that no clip moves, in a file where clips do move something, is part of the stage.
static void derive_scenery(limber_model* model, limber_mesh* meshes, uint8_t* moving) {
    const limber_rig* rig = &model->rig;
    for (uint32_t c = 0; c < model->clip_count; c++)
        for (uint32_t i = 0; i < model->clips[c].channel_count; i++)
            if (model->clips[c].channels[i].path != LIMBER_PATH_WEIGHTS)
                moving[model->clips[c].channels[i].target] = 1;
    for (uint32_t j = 0; j < rig->joint_count; j++)
        if (rig->parents[j] >= 0 && moving[rig->parents[j]])
            moving[j] = 1;
    bool any = false;
    for (uint32_t m = 0; m < model->mesh_count; m++) {
        const limber_skin* skin = &model->skins[meshes[m].skin];
        meshes[m].scenery = skin->joint_count == 1 && !moving[skin->joints[0]] && !meshes[m].morph_count;
        any = any || !meshes[m].scenery;
    }
    for (uint32_t m = 0; !any && m < model->mesh_count; m++)
        meshes[m].scenery = false;
}

static void grow(limber_model* model, limber_vec3 p, bool first) {
    limber_vec3 *low = &model->rest_min, *high = &model->rest_max;
    if (first)
        *low = *high = p;
    *low = limberi_vec3(fminf(low->x, p.x), fminf(low->y, p.y), fminf(low->z, p.z));
    *high = limberi_vec3(fmaxf(high->x, p.x), fmaxf(high->y, p.y), fmaxf(high->z, p.z));
}

static void derive_size(limber_model* model) {
    bool first = true;
    for (uint32_t m = 0; m < model->mesh_count; m++) {
        const limber_mesh* mesh = &model->meshes[m];
        const limber_mat4* place = &model->skins[mesh->skin].world_from_mesh;
        for (size_t u = 0; !mesh->scenery && u < mesh->vertex_count; u++, first = false)
            grow(model, limberi_mat4_point(place, limberi_load3(mesh->positions + 3 * u)), first);
    }
    for (uint32_t j = 0; model->vertex_count == 0 && j < model->rig.joint_count; j++, first = false)
        grow(model, limberi_mat4_translation(&model->rig.world_from_joint_rest[j]), first);
    model->size = limberi_length(limberi_sub(model->rest_max, model->rest_min));
    if (!(model->size > 0) || !isfinite(model->size))
        model->size = 1;
}

limber_result limberi_model_derive(limberi_arena* arena, limber_model* model, limber_error* error) {
    limber_skin* skins = (limber_skin*)(uintptr_t)model->skins; // the arena's own copies
    limber_mesh* meshes = (limber_mesh*)(uintptr_t)model->meshes;
    derive_rest(arena, &model->rig);
    for (uint32_t s = 0; !arena->failed && s < model->skin_count; s++)
        derive_skin_placement(&model->rig, &skins[s]);
    if (!arena->failed)
        derive_bind(arena, model);
    for (uint32_t m = 0; !arena->failed && m < model->mesh_count; m++) {
        derive_areas(arena, model, &meshes[m]);
        if (derive_normals(arena, &meshes[m]))
            arena->failed = true;
    }
    if (arena->failed || derive_centroids(arena, model) || derive_bone_directions(arena, &model->rig))
        return limberi_fail(error, LIMBER_ERROR_MEMORY, "not enough memory for the character");
    uint8_t* moving = LIMBERI_TAKE(arena, uint8_t, model->rig.joint_count);
    if (!moving)
        return limberi_fail(error, LIMBER_ERROR_MEMORY, "not enough memory for the character");
    derive_scenery(model, meshes, moving);
    derive_size(model);
    for (uint32_t j = 0; j < model->rig.joint_count; j++)
        if (!limberi_mat4_is_finite(&model->rig.world_from_joint_rest[j]))
            return limberi_at(error,
                              limberi_fail(error, LIMBER_ERROR_DATA, "its transform is too large to compute with"),
                              "joint %u '%s'", j, model->rig.names[j]);
    return LIMBER_OK;
}

void limber_mesh_upward_weights(const limber_model* model, const limber_mesh* mesh, uint32_t vertex, float* dense) {
    const limber_rig* rig = &model->rig;
    const limber_skin* skin = &model->skins[mesh->skin];
    memset(dense, 0, rig->joint_count * sizeof *dense);
    for (uint32_t i = mesh->influence_first[vertex]; i < mesh->influence_first[vertex + 1]; i++)
        for (int32_t j = (int32_t)skin->joints[mesh->influence_joint[i]]; j >= 0; j = rig->parents[j])
            dense[j] += mesh->influence_weight[i];
}

void limber_mesh_rest_positions(const limber_model* model, const limber_mesh* mesh, float* positions) {
    const limber_mat4* place = &model->skins[mesh->skin].world_from_mesh;
    for (size_t u = 0; u < mesh->vertex_count; u++)
        limberi_store3(positions + 3 * u, limberi_mat4_point(place, limberi_load3(mesh->positions + 3 * u)));
}
