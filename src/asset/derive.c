// What follows from a character's data alone: rest matrices, areas, normals, centroids (velocity skinning, appendix B,
// with the upward weights), medial axes, bone directions and the size L.
#include "asset/asset.h"
#include "asset/asset_private.h"
#include "base/math.h"
#include "base/memory.h"

#include <string.h>

static limber_result derive_rest(limberi_arena* arena, limber_rig* rig, limber_error* error) {
    limber_mat4* world = LIMBERI_ALLOCATE(arena, limber_mat4, rig->joint_count);
    if (!world)
        return LIMBER_ERROR_MEMORY;
    rig->world_from_joint_rest = world;
    for (uint32_t j = 0; j < rig->joint_count; j++) {
        limber_mat4 local = limberi_mat4_from_transform(&rig->rest_local[j]);
        world[j] = rig->parents[j] < 0 ? local : limberi_mat4_mul(&world[rig->parents[j]], &local);
        if (!limberi_mat4_is_finite(&world[j]))
            return limberi_at(error, limberi_fail(error, LIMBER_ERROR_DATA, "its transform is too large"),
                              "joint %u '%s'", j, rig->names[j]);
    }
    return LIMBER_OK;
}

static void derive_skin_placement(const limber_rig* rig, limber_skin* skin) {
    uint32_t top = 0;
    for (uint32_t k = 1; k < skin->joint_count; k++)
        if (skin->joints[k] < skin->joints[top])
            top = k;
    skin->world_from_mesh =
        limberi_mat4_mul(&rig->world_from_joint_rest[skin->joints[top]], &skin->joint_from_mesh[top]);
}

static void derive_areas(limberi_arena* arena, limber_mesh* mesh, const float* rest) {
    float* areas = LIMBERI_ALLOCATE(arena, float, mesh->vertex_count);
    mesh->areas = areas;
    if (!areas)
        return;
    for (uint32_t t = 0; t < mesh->triangle_count; t++) {
        const uint32_t* v = mesh->triangles + 3 * (size_t)t;
        limber_vec3 a = limberi_load3(rest + 3 * (size_t)v[0]);
        limber_vec3 ab = limberi_sub(limberi_load3(rest + 3 * (size_t)v[1]), a);
        limber_vec3 ac = limberi_sub(limberi_load3(rest + 3 * (size_t)v[2]), a);
        limber_vec3 cross = limberi_cross(ab, ac);
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
    float* averaged = LIMBERI_ALLOCATE(arena, float, 3 * (size_t)mesh->vertex_count);
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

static void add_mesh_moments(const limber_model* model, const limber_mesh* mesh, const float* rest, moment* moments) {
    const limber_skin* skin = &model->skins[mesh->skin];
    for (uint32_t u = 0; u < mesh->vertex_count; u++) {
        const float* p = rest + 3 * (size_t)u;
        double v[4] = {(double)p[0], (double)p[1], (double)p[2], 1};
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

// Into the frame of joint j in the rest pose; 0 when that frame is flat.
static limber_vec3 to_joint(const limber_rig* rig, uint32_t j, limber_vec3 world) {
    limber_mat4 joint_from_world;
    if (!limberi_mat4_inverse(&rig->world_from_joint_rest[j], &joint_from_world))
        return limberi_vec3(0, 0, 0);
    limber_vec3 p = limberi_mat4_point(&joint_from_world, world);
    return isfinite(p.x + p.y + p.z) ? p : limberi_vec3(0, 0, 0);
}

// Unit vector of an offset in the joint's frame, or 0 when the offset is too short to have a direction: a ball that
// hangs on its own centre has no axis, and rounding must not invent one.
static limber_vec3 direction_of(const limber_rig* rig, uint32_t j, limber_vec3 offset, float size) {
    float length = limberi_length(limberi_mat4_vector(&rig->world_from_joint_rest[j], offset));
    return length > LIMBERI_SHORTEST_AXIS * size ? limberi_normalize(offset) : limberi_vec3(0, 0, 0);
}

// The upward weights need no storage: sums per joint travel from the children to their parents once.
static limber_result derive_centroids(limberi_arena* arena, limber_rig* rig, float size, moment* moments) {
    limber_vec3* centroid = LIMBERI_ALLOCATE(arena, limber_vec3, rig->joint_count);
    limber_vec3* axis = LIMBERI_ALLOCATE(arena, limber_vec3, rig->joint_count);
    if (arena->failed)
        return LIMBER_ERROR_MEMORY;
    for (uint32_t j = rig->joint_count; j-- > 0;) {
        limber_vec3 center = moment_center(&moments[j], limberi_mat4_translation(&rig->world_from_joint_rest[j]));
        centroid[j] = to_joint(rig, j, center);
        axis[j] = direction_of(rig, j, centroid[j], size);
        for (int c = 0; c < 4 && rig->parents[j] >= 0; c++) {
            moments[rig->parents[j]].area[c] += moments[j].area[c];
            moments[rig->parents[j]].plain[c] += moments[j].plain[c];
        }
    }
    rig->centroid = centroid;
    rig->medial_axis = axis;
    return LIMBER_OK;
}

static limber_result derive_bone_directions(limberi_arena* arena, limber_rig* rig, float size) {
    limber_vec3* direction = LIMBERI_ALLOCATE(arena, limber_vec3, rig->joint_count);
    uint32_t* children = LIMBERI_ALLOCATE(arena, uint32_t, rig->joint_count);
    if (arena->failed)
        return LIMBER_ERROR_MEMORY;
    for (uint32_t j = 0; j < rig->joint_count; j++) {
        if (rig->parents[j] < 0)
            continue;
        uint32_t parent = (uint32_t)rig->parents[j];
        limber_vec3 child = to_joint(rig, parent, limberi_mat4_translation(&rig->world_from_joint_rest[j]));
        direction[parent] = limberi_add(direction[parent], child);
        children[parent]++;
    }
    for (uint32_t j = 0; j < rig->joint_count; j++)
        direction[j] = children[j] ? direction_of(rig, j, limberi_scale(direction[j], 1 / (float)children[j]), size)
                                   : rig->medial_axis[j];
    rig->bone_direction = direction;
    return LIMBER_OK;
}

// A rigid mesh that no clip moves, in a file where clips do move something, is scenery. What hangs on a joint of a skin is
// part of the character: a foot that stands.
static void derive_scenery(limber_model* model, limber_mesh* meshes, uint8_t* moving) {
    const limber_rig* rig = &model->rig;
    for (uint32_t c = 0; c < model->clip_count; c++)
        for (uint32_t i = 0; i < model->clips[c].channel_count; i++)
            if (model->clips[c].channels[i].path != LIMBER_CHANNEL_WEIGHTS)
                moving[model->clips[c].channels[i].target] = 1;
    for (uint32_t s = 0; s < model->skin_count; s++)
        for (uint32_t i = 0; model->skins[s].joint_count > 1 && i < model->skins[s].joint_count; i++)
            moving[model->skins[s].joints[i]] = 1;
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

static void grow_bounds(limber_model* model, limber_vec3 p, bool first) {
    limber_vec3* low = &model->rest_min;
    limber_vec3* high = &model->rest_max;
    if (first)
        *low = *high = p;
    *low = limberi_vec3(fminf(low->x, p.x), fminf(low->y, p.y), fminf(low->z, p.z));
    *high = limberi_vec3(fmaxf(high->x, p.x), fmaxf(high->y, p.y), fmaxf(high->z, p.z));
}

// A bare skeleton is as large as its joints spread.
static limber_result size_of_joints(limber_model* model) {
    uint32_t count = model->rig.joint_count;
    float* places = limberi_allocate((3 * (size_t)count + 1) * sizeof *places);
    if (!places)
        return LIMBER_ERROR_MEMORY;
    for (uint32_t j = 0; j < count; j++) {
        limber_vec3 p = limberi_mat4_translation(&model->rig.world_from_joint_rest[j]);
        limberi_store3(places + 3 * (size_t)j, p);
        grow_bounds(model, p, j == 0);
    }
    model->size = (float)(2 * limberi_ball_around(places, count).radius);
    limberi_release(places);
    return LIMBER_OK;
}

// The rest positions of the meshes that count for the size, one after the other.
typedef struct rest_points {
    float* points; // room for all vertices
    size_t count;
} rest_points;

static limber_result derive_mesh(limberi_arena* arena, limber_model* model, limber_mesh* mesh, moment* moments,
                                 rest_points* rest) {
    float* points = rest->points + 3 * rest->count;
    limber_mesh_rest_positions(model, mesh, points);
    derive_areas(arena, mesh, points);
    if (arena->failed)
        return LIMBER_ERROR_MEMORY;
    add_mesh_moments(model, mesh, points, moments);
    for (size_t u = 0; !mesh->scenery && u < mesh->vertex_count; u++)
        grow_bounds(model, limberi_load3(points + 3 * u), rest->count + u == 0);
    rest->count += mesh->scenery ? 0 : mesh->vertex_count;
    return derive_normals(arena, mesh);
}

// Everything that needs the rest positions.
static limber_result derive_from_rest(limberi_arena* arena, limber_model* model, limber_mesh* meshes, moment* moments) {
    rest_points rest = {limberi_allocate((3 * (size_t)model->vertex_count + 1) * sizeof *rest.points), 0};
    limber_result result = LIMBER_OK;
    if (!rest.points)
        return LIMBER_ERROR_MEMORY;
    for (uint32_t m = 0; m < model->mesh_count; m++) {
        result = derive_mesh(arena, model, &meshes[m], moments, &rest);
        if (result)
            break;
    }
    if (!result && rest.count)
        model->size = (float)(2 * limberi_ball_around(rest.points, rest.count).radius);
    limberi_release(rest.points);
    if (!result && !rest.count)
        result = size_of_joints(model);
    if (!(model->size > 0) || !isfinite(model->size))
        model->size = 1;
    return result ? result : derive_centroids(arena, &model->rig, model->size, moments);
}

limber_result limberi_model_derive(limberi_arena* arena, limber_model* model, limber_error* error) {
    limber_skin* skins = (limber_skin*)(uintptr_t)model->skins; // the arena's own copies
    limber_mesh* meshes = (limber_mesh*)(uintptr_t)model->meshes;
    size_t joints = model->rig.joint_count ? model->rig.joint_count : 1;
    moment* moments = limberi_allocate_zeroed(joints, sizeof *moments);
    uint8_t* moving = limberi_allocate_zeroed(joints, 1);
    limber_result result = moments && moving ? derive_rest(arena, &model->rig, error) : LIMBER_ERROR_MEMORY;
    if (!result) {
        for (uint32_t s = 0; s < model->skin_count; s++)
            derive_skin_placement(&model->rig, &skins[s]);
        derive_scenery(model, meshes, moving);
        result = derive_from_rest(arena, model, meshes, moments);
    }
    if (!result)
        result = derive_bone_directions(arena, &model->rig, model->size);
    limberi_release(moments);
    limberi_release(moving);
    return result == LIMBER_ERROR_MEMORY ? limberi_fail_memory(error) : result;
}

void limber_mesh_upward_weights(const limber_model* model, const limber_mesh* mesh, uint32_t vertex, float* dense) {
    const limber_rig* rig = &model->rig;
    const limber_skin* skin = &model->skins[mesh->skin];
    memset(dense, 0, rig->joint_count * sizeof *dense);
    for (uint32_t i = mesh->influence_first[vertex]; i < mesh->influence_first[vertex + 1]; i++)
        for (int32_t j = (int32_t)skin->joints[mesh->influence_joint[i]]; j >= 0; j = rig->parents[j])
            dense[j] += mesh->influence_weight[i];
}

// The morph targets' default weights belong to the rest pose.
static limber_vec3 morphed_rest(const limber_mesh* mesh, size_t u) {
    limber_vec3 p = limberi_load3(mesh->positions + 3 * u);
    for (uint32_t i = 0; mesh->morph_defaults && i < mesh->morph_count; i++)
        if (mesh->morph_defaults[i] != 0)
            p = limberi_add(p,
                            limberi_scale(limberi_load3(mesh->morphs[i].positions + 3 * u), mesh->morph_defaults[i]));
    return p;
}

void limber_mesh_rest_positions(const limber_model* model, const limber_mesh* mesh, float* positions) {
    const limber_skin* skin = &model->skins[mesh->skin];
    for (size_t u = 0; u < mesh->vertex_count; u++) {
        limber_vec3 p = morphed_rest(mesh, u);
        limber_vec3 sum = limberi_vec3(0, 0, 0);
        for (uint32_t i = mesh->influence_first[u]; i < mesh->influence_first[u + 1]; i++) {
            uint32_t k = mesh->influence_joint[i];
            limber_vec3 local = limberi_mat4_point(&skin->joint_from_mesh[k], p);
            limber_vec3 world = limberi_mat4_point(&model->rig.world_from_joint_rest[skin->joints[k]], local);
            sum = limberi_add(sum, limberi_scale(world, mesh->influence_weight[i]));
        }
        limberi_store3(positions + 3 * u, sum);
    }
}
