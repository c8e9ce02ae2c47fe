// limber/stages/skin.h: a pose moves a mesh: linear blend and dual quaternion skinning.
//
//     const limber_mesh* mesh = &model->meshes[0];
//     const limber_skin* skin = &model->skins[mesh->skin];
//     limber_mat4* palette = malloc(skin->joint_count * sizeof *palette);
//     float* positions = malloc(3 * mesh->vertex_count * sizeof *positions);
//     limber_skin_palette(skin, &pose, palette);
//     limber_skin_job job = limber_skin_job_default();
//     job.mesh = mesh;
//     job.palette = palette;
//     job.palette_count = skin->joint_count;
//     job.out_positions = positions;
//     if (limber_skin_evaluate(&job) == LIMBER_OK)
//         draw(positions, NULL);
//     free(positions);
//     free(palette);
//
// A job covers the vertices [first_vertex, first_vertex + vertex_count), so that threads can share a mesh; outputs are
// indexed by mesh vertex. It owns nothing and is checked before anything is written. These jobs go vertex by vertex and
// are the reference for the fast kernels of limber/pipeline.h.
#ifndef LIMBER_STAGES_SKIN_H
#define LIMBER_STAGES_SKIN_H

#include <limber/stages/pose.h>

#ifdef __cplusplus
extern "C" {
#endif

// How the transforms of joints blend: linearly, or as dual quaternions, which keep volume in twists.
typedef enum limber_skinning { LIMBER_SKINNING_LINEAR, LIMBER_SKINNING_DUALQUAT } limber_skinning;

// A rigid motion as a dual quaternion, and the stretch that is applied before it (columns of a 3x3 matrix).
typedef struct limber_dualquat {
    limber_quat real, dual; // the rotation; half of the translation times the rotation
    float stretch[9];       // column-major
    bool rigid;             // the stretch is the identity
} limber_dualquat;

// Vertices to skin.
typedef struct limber_skin_job {
    uint32_t struct_size; // set by limber_skin_job_default
    const limber_mesh* mesh;
    limber_skinning skinning;
    const limber_mat4* palette;       // world from mesh, one per joint of the mesh's skin
    const limber_dualquat* dualquats; // required for LIMBER_SKINNING_DUALQUAT, see limber_skin_dualquats
    uint32_t palette_count;
    const float* positions; // morphed positions; NULL: the mesh's own
    const float* normals;   // morphed normals; NULL: the mesh's own
    uint32_t first_vertex;  // 0 by default
    uint32_t vertex_count;  // LIMBER_TO_END by default
    float* out_positions;   // 3 per vertex
    float* out_normals;     // 3 per vertex, or NULL
} limber_skin_job;

LIMBER_DEFAULT(limber_skin_job)

// palette[k] = world_from_joint[joints[k]] * joint_from_mesh[k]
LIMBER_API void limber_skin_palette(const limber_skin* skin, const limber_pose* pose, limber_mat4* palette);
// The same matrices as dual quaternions.
LIMBER_API void limber_skin_dualquats(const limber_mat4* palette, uint32_t count, limber_dualquat* out);

// The mesh's positions and normals plus its weighted morph targets. `weights` are this mesh's own; `normals` may be
// NULL.
LIMBER_API void limber_mesh_morph(const limber_mesh* mesh, const float* weights, float* positions, float* normals);

// What the motion of morph targets does to the vertices they move. With the weights' rates w' and the targets d, a vertex
// moves at v = sum w' d in its mesh. It lags behind by `drag` v, and stretches along v by s = `squash` |v| / L about the
// center of all that moves in the mesh, thinner across it; together by `max` at most.
typedef struct limber_morph_settings {
    double drag, squash; // seconds; 0: off
    double max;          // L; 0: no limit
} limber_morph_settings;

// Skins the vertices of the job. LIMBER_ERROR_ARGUMENT where the job lacks something.
LIMBER_API LIMBER_MUST_USE limber_result limber_skin_evaluate(const limber_skin_job* job);

#ifdef __cplusplus
}
#endif

#endif
