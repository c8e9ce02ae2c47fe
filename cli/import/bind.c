// The rest pose: FBX files are often saved in the middle of a clip, which then is the pose of their nodes. Where there
// are clips the bind pose of the skins is the better one: it is symmetric, and what the artist modeled. Joints without
// skin have none; where such a joint moves a part of the character, that part would stay behind, so the saved pose stays.
#include "base/math.h"
#include "cli/import/scene.h"

#include <string.h>

typedef struct bind_pose {
    limber_mat4 *now, *bind; // [joint], world
    bool* known;             // [joint]: a skin says where it is
} bind_pose;

void import_find_world(const limber_rig* rig, const limber_transform* locals, limber_mat4* world) {
    for (uint32_t j = 0; j < rig->joint_count; j++) {
        world[j] = limberi_mat4_from_transform(&locals[j]);
        if (rig->parents[j] >= 0)
            world[j] = limberi_mat4_mul(&world[rig->parents[j]], &world[j]);
    }
}

// joint_from_mesh takes the mesh, where its node is, to the joint, where that was bound.
static void ask_skins(const import_scene* s, bind_pose* p) {
    for (uint32_t n = 0; n < s->node_count; n++) {
        if (s->mesh_of_node[n] == IMPORT_NONE || s->nodes[n].joint < 0)
            continue;
        const limber_skin* skin = &s->model.skins[s->mesh_of_node[n]];
        const limber_mat4* world_from_mesh = &p->now[s->nodes[n].joint];
        for (uint32_t k = 0; k < skin->joint_count; k++) {
            uint32_t joint = skin->joints[k];
            limber_mat4 mesh_from_joint;
            bool own = joint == (uint32_t)s->nodes[n].joint; // a rigid mesh, or vertices without weights
            if (own || p->known[joint] || !limberi_mat4_inverse(&skin->joint_from_mesh[k], &mesh_from_joint))
                continue;
            p->bind[joint] = limberi_mat4_mul(world_from_mesh, &mesh_from_joint);
            p->known[joint] = true;
        }
    }
}

// Folded nodes count for the joint below them.
static bool* find_animated(import_scene* s) {
    bool* animated = LIMBERI_ALLOCATE(&s->arena, bool, s->node_count);
    for (uint32_t a = 0; animated && a < s->source->mNumAnimations; a++) {
        const struct aiAnimation* clip = s->source->mAnimations[a];
        for (uint32_t c = 0; c < clip->mNumChannels; c++) {
            uint32_t node = import_find_node(s, clip->mChannels[c]->mNodeName.data);
            if (node != IMPORT_NONE)
                animated[node] = true;
        }
    }
    for (uint32_t n = 0; animated && n < s->node_count; n++) { // parents come first
        uint32_t up = s->nodes[n].parent;
        if (up != IMPORT_NONE && s->nodes[up].joint < 0)
            animated[n] = animated[n] || animated[up];
    }
    return animated;
}

// Whether the bind pose says where every mesh is.
static bool is_complete(const import_scene* s, const bind_pose* p, const bool* animated) {
    const limber_rig* rig = &s->model.rig;
    for (uint32_t m = 0; m < s->model.mesh_count; m++) {
        const limber_skin* skin = &s->model.skins[m];
        if (skin->joint_count != 1)
            continue;
        for (int32_t j = (int32_t)skin->joints[0]; j >= 0 && !p->known[j]; j = rig->parents[j])
            if (animated[s->node_of_joint[j]])
                return false;
    }
    return true;
}

limber_result import_bind_pose(import_scene* s) {
    const limber_rig* rig = &s->model.rig;
    limber_transform* rest = (limber_transform*)rig->rest_local;
    bind_pose p = {LIMBERI_ALLOCATE(&s->arena, limber_mat4, rig->joint_count),
                   LIMBERI_ALLOCATE(&s->arena, limber_mat4, rig->joint_count),
                   LIMBERI_ALLOCATE(&s->arena, bool, rig->joint_count)};
    s->saved_local = LIMBERI_COPY(&s->arena, limber_transform, rest, rig->joint_count);
    if (s->arena.failed)
        return limberi_fail_memory(s->error);
    if (!s->source->mNumAnimations)
        return LIMBER_OK;
    const bool* animated = find_animated(s);
    if (!animated)
        return limberi_fail_memory(s->error);
    import_find_world(rig, rest, p.now);
    ask_skins(s, &p);
    if (!is_complete(s, &p, animated))
        return LIMBER_OK;
    s->rest_is_bind = true;
    for (uint32_t j = 0; j < rig->joint_count; j++) {
        limber_mat4 identity = limber_mat4_identity();
        limber_mat4 joint_from_world;
        const limber_mat4* above = rig->parents[j] >= 0 ? &p.bind[rig->parents[j]] : &identity;
        if (p.known[j] && limberi_mat4_inverse(above, &joint_from_world)) {
            limber_mat4 local = limberi_mat4_mul(&joint_from_world, &p.bind[j]);
            (void)limberi_mat4_decompose(&local, &rest[j]);
        } else {
            limber_mat4 local = limberi_mat4_from_transform(&rest[j]);
            p.bind[j] = limberi_mat4_mul(above, &local);
        }
    }
    return LIMBER_OK;
}
