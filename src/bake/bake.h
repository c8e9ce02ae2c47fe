// Baking as the pipeline sees it. A bake knows no pipeline: it asks a source for frames.
#ifndef LIMBERI_BAKE_H
#define LIMBERI_BAKE_H

#include <limber/bake.h>

// One frame of the character, valid until its member is asked for another one. World space unless said otherwise.
typedef struct limberi_bake_frame {
    const float *positions, *normals; // [vertex * 3]; normals are NULL unless the source was opened for them
    const float *morphed_positions, *morphed_normals; // [vertex * 3] mesh space; of meshes that have morph targets
    limber_mat4* const* palettes;                     // [skin]
    const limber_mat4* world_from_joint;              // [joint]
    const limber_mat4* skin_from_joint;               // [joint] what skins hang on: stretched where bones stretch
    uint32_t smear_mesh_count;
    const limber_smear_mesh* smear_meshes; // in-between copies and motion lines
} limberi_bake_frame;

// Where frames come from. A member is what one thread at a time asks for frames; several may be asked at once.
typedef struct limberi_bake_source {
    const limber_model* model;
    const limber_model* plain; // before its clips were edited
    limber_parallel parallel;  // threads that the program lends; run NULL: none
    bool smears;               // frames may have smear meshes
    void* user;
    // Makes up to max_count members. With a single one frames share out their vertices over the threads.
    limber_result (*open)(void* user, bool normals, uint32_t max_count, uint32_t* count, limber_error* error);
    void (*close)(void* user); // also after an open that failed
    // Before frames of a clip, or of LIMBERI_ALL_CLIPS, are asked for: what members share.
    limber_result (*prepare)(void* user, uint32_t clip);
    limber_result (*frame)(void* user, uint32_t member, int32_t clip, double time_s, double fps,
                           limberi_bake_frame* frame);                  // clip -1: the rest pose
    limber_result (*shifts)(void* user, double fps, limber_bake* bake); // fills the texture shifts of the bake
    limber_result (*edits)(void* user, limber_bake* bake);              // fills the edited clips of the bake
    limber_result (*perform)(void* user);                               // all clips at once, where threads are lent
    // Of clips that hold their poses: the times of two keys for each hold, and of one at the end of the clip. *count is
    // 0 for other clips. `times` NULL: only how many.
    limber_result (*holds)(void* user, uint32_t clip, uint32_t* count, double* times);
    double (*held)(void* user, uint32_t clip, double time_s); // the time that is on show, of a clip that is prepared
} limberi_bake_source;

#define LIMBERI_ALL_CLIPS UINT32_MAX

LIMBER_MUST_USE limber_result limberi_bake(const limberi_bake_source* source, const limber_bake_settings* settings,
                                           limber_bake** bake, limber_error* error);
LIMBER_MUST_USE limber_result limberi_bake_estimate(const limberi_bake_source* source,
                                                    const limber_bake_settings* settings,
                                                    limber_bake_estimate* estimate, limber_error* error);

// Settings that a program filled, checked; NULL: the defaults.
LIMBER_MUST_USE limber_result limberi_bake_settings_read(const limber_bake_settings* given, limber_bake_settings* out,
                                                         limber_error* error);

// --- nearest.c: where the vertices of one mesh lie on another one with the same skeleton, such as those of a level of
// detail ---

// For each vertex of `from` the vertex of `to` that is next to it on the surface there, in the rest pose, and how far that
// surface is, in L of `to`. Surface that hangs on other joints counts as farther: an arm beside the body is not the body.
// `joint_of`: [joint of `from`] the joint of `to`, UINT32_MAX: none. Without triangles in `to` all vertices are UINT32_MAX.
limber_result limberi_nearest_vertices(const limber_model* from, const limber_model* to, const uint32_t* joint_of,
                                       uint32_t* vertices, float* distances);

#endif
