// The rest pose: FBX files are often saved in the middle of a clip, which then is the pose of their nodes. Where there
// are clips the bind pose of the skins is the better one: it is symmetric, and what the artist modeled.
#include "base/math.h"
#include "cli/import/scene.h"

#include <string.h>

typedef struct bind_pose {
    limber_mat4 *now, *bind; // [joint], world
    bool* known;             // [joint]: a skin says where it is
} bind_pose;

static void find_world(const limber_rig* rig, const limber_transform* locals, limber_mat4* world) {
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
            if (p->known[joint] || !limberi_mat4_inverse(&skin->joint_from_mesh[k], &mesh_from_joint))
                continue;
            p->bind[joint] = limberi_mat4_mul(world_from_mesh, &mesh_from_joint);
            p->known[joint] = true;
        }
    }
}

limber_result import_bind_pose(import_scene* s) {
    const limber_rig* rig = &s->model.rig;
    limber_transform* rest = (limber_transform*)rig->rest_local;
    bind_pose p = {LIMBERI_ALLOCATE(&s->arena, limber_mat4, rig->joint_count),
                   LIMBERI_ALLOCATE(&s->arena, limber_mat4, rig->joint_count),
                   LIMBERI_ALLOCATE(&s->arena, bool, rig->joint_count)};
    s->saved_local = LIMBERI_COPY(&s->arena, limber_transform, rest, rig->joint_count);
    if (s->arena.failed)
        return import_memory(s);
    if (!s->source->mNumAnimations)
        return LIMBER_OK;
    find_world(rig, rest, p.now);
    ask_skins(s, &p);
    for (uint32_t j = 0; j < rig->joint_count; j++) {
        limber_mat4 identity = limber_mat4_identity(), joint_from_world;
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
