// Skins to Skeletons. A skin of glTF has its own inverse bind matrices; a Skeleton has one bind transform per joint, and
// a mesh its place. One Skeleton serves all skins that agree on the joints they share, up to the place of the mesh.
#include "io/cache/usd_skel.h"

#include <string.h>

// How far two ways to the same place may be apart; well below what a vertex may be off.
static const float agreement = 1e-5f;

static bool agree(const limberi_usd* usd, const limber_mat4* a, const limber_mat4* b) {
    for (int c = 0; c < 4; c++) {
        limber_vec3 x = limberi_mat4_column(a, c);
        limber_vec3 y = limberi_mat4_column(b, c);
        float size = c < 3 ? limberi_length(x) : usd->model->size;
        if (!(limberi_distance(x, y) <= agreement * size + 1e-30f))
            return false;
    }
    return true;
}

// The place of the mesh that follows from the joints which are bound already; the one in the rest pose when none is.
// False: they contradict each other.
static bool find_place(const limberi_usd* usd, const limber_skin* skin, const limber_mat4* binds, const uint8_t* bound,
                       limber_mat4* place) {
    bool found = false;
    for (uint32_t i = 0; i < skin->joint_count; i++) {
        if (!bound[skin->joints[i]])
            continue;
        limber_mat4 here = limberi_mat4_mul(&binds[skin->joints[i]], &skin->joint_from_mesh[i]);
        if (found && !agree(usd, place, &here))
            return false;
        if (!found)
            *place = here;
        found = true;
    }
    limber_mat4 inverse;
    if (!found)
        *place =
            limberi_mat4_inverse(&skin->world_from_mesh, &inverse) ? skin->world_from_mesh : limber_mat4_identity();
    return true;
}

static limber_result bind_joints(const limberi_usd* usd, const limber_skin* skin, const limber_mat4* place,
                                 limber_mat4* binds, uint8_t* bound, limber_error* error) {
    for (uint32_t i = 0; i < skin->joint_count; i++) {
        uint32_t joint = skin->joints[i];
        limber_mat4 inverse;
        limber_mat4 back = limber_mat4_identity();
        bool fits = bound[joint] || limberi_mat4_inverse(&skin->joint_from_mesh[i], &inverse);
        if (fits && !bound[joint])
            binds[joint] = limberi_mat4_mul(place, &inverse);
        if (fits)
            back = limberi_mat4_mul(&binds[joint], &skin->joint_from_mesh[i]);
        if (!fits || !agree(usd, place, &back))
            return limberi_fail(
                error, LIMBER_ERROR_DATA,
                "the inverse bind matrix of joint '%s' has no inverse, and UsdSkel needs one; write a point cache",
                usd->model->rig.names[joint]);
        bound[joint] = 1;
    }
    return LIMBER_OK;
}

static limber_result place_skin(limberi_usd* usd, uint32_t index, uint8_t** bound, limber_error* error) {
    const limber_skin* skin = &usd->model->skins[index];
    limberi_usd_place* place = &usd->places[index];
    uint32_t s = 0;
    while (s < usd->skeleton_count && !find_place(usd, skin, usd->binds[s], bound[s], &place->world_from_mesh))
        s++;
    place->skeleton = s;
    if (s == usd->skeleton_count) {
        usd->binds[s] = LIMBERI_ALLOCATE(&usd->arena, limber_mat4, usd->joint_count);
        bound[s] = LIMBERI_ALLOCATE(&usd->arena, uint8_t, usd->joint_count);
        if (usd->arena.failed)
            return limberi_fail_memory(error);
        memcpy(usd->binds[s], usd->model->rig.world_from_joint_rest, usd->model->rig.joint_count * sizeof(limber_mat4));
        find_place(usd, skin, usd->binds[s], bound[s], &place->world_from_mesh);
        usd->skeleton_count++;
    }
    return bind_joints(usd, skin, &place->world_from_mesh, usd->binds[s], bound[s], error);
}

static bool is_used(const limber_model* model, uint32_t skin) {
    for (uint32_t m = 0; m < model->mesh_count; m++)
        if (model->meshes[m].skin == skin)
            return true;
    return false;
}

// Skins of one joint fit into any Skeleton, so they come last.
limber_result limberi_usd_bind(limberi_usd* usd, limber_error* error) {
    const limber_model* model = usd->model;
    usd->binds = LIMBERI_ALLOCATE(&usd->arena, limber_mat4*, model->skin_count);
    usd->places = LIMBERI_ALLOCATE(&usd->arena, limberi_usd_place, model->skin_count);
    uint8_t** bound = LIMBERI_ALLOCATE(&usd->arena, uint8_t*, model->skin_count);
    if (usd->arena.failed)
        return limberi_fail_memory(error);
    for (int single = 0; single < 2; single++)
        for (uint32_t i = 0; i < model->skin_count; i++) {
            if ((model->skins[i].joint_count == 1) != (single == 1) || !is_used(model, i))
                continue;
            limber_result result = place_skin(usd, i, bound, error);
            if (result)
                return result;
        }
    return LIMBER_OK;
}
