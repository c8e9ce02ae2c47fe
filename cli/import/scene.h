// Characters from formats that Assimp reads: from its scene to limber's model, one step per file.
//
// A scene's nodes become joints. FBX has a chain of transforms per node (pivots, pre-rotations); Assimp makes a node of
// each, and these are folded into the joint below them. Lengths become meters.
#ifndef LIMBER_CLI_IMPORT_SCENE_H
#define LIMBER_CLI_IMPORT_SCENE_H

#include "base/error.h"
#include "base/memory.h"
#include <assimp/scene.h>
#include <limber/limber.h>

#define IMPORT_NONE UINT32_MAX

enum { IMPORT_PROBLEMS = 8 };

typedef struct import_node {
    const struct aiNode* source;
    uint32_t parent;   // a node before it, or IMPORT_NONE
    int32_t joint;     // -1: folded into those below
    limber_mat4 local; // in meters
    bool own_scale;    // FBX: not scaled with the joint above it
} import_node;

typedef struct import_scene {
    const struct aiScene* source;
    const char* folder; // where pictures beside the file are
    limberi_arena arena;
    limber_error* error;
    limber_model model;
    uint32_t node_count;
    import_node* nodes; // parents first
    uint32_t* by_name;  // [node], sorted
    uint32_t* node_of_joint;
    uint32_t* mesh_of_node;        // the model's, or IMPORT_NONE
    limber_transform* saved_local; // [joint]: the pose the file was saved in
    float meters;                  // per unit of the file
    bool rest_is_bind;             // the rest pose was taken from the skins
    uint32_t problem_count;
    const char* problems[IMPORT_PROBLEMS];
} import_scene;

void import_tell(import_scene* s, const char* format, ...) LIMBERI_PRINTF(2, 3); // a problem, while there is room
// Bytes that are no UTF-8 become '?', as in files from before it.
void import_tidy(char* text);
const char* import_name(import_scene* s, const struct aiString* name);
limber_mat4 import_matrix(const struct aiMatrix4x4* from, float meters);
uint32_t import_find_node(const import_scene* s, const char* name); // IMPORT_NONE: none; bones before meshes
void import_find_world(const limber_rig* rig, const limber_transform* locals, limber_mat4* world); // [joint]
// Where nodes of a name start in `by_name`, and whether one of them is at a place there.
uint32_t import_find_name(const import_scene* s, const char* name);
bool import_is_named(const import_scene* s, uint32_t place, const char* name);
// The node above if it is folded into this one, or IMPORT_NONE.
uint32_t import_folded_above(const import_scene* s, uint32_t node);
// The node of the joint above one whose scale is its own (what hangs on it keeps its size), or IMPORT_NONE.
uint32_t import_scale_source(const import_scene* s, uint32_t node);
// Takes the scale of the transform above out of one below it.
limber_mat4 import_without_scale(const limber_mat4* local, const limber_mat4* above);
// Which transform of FBX's chain for `node` another node has ("PreRotation"); NULL: it is no such helper of it.
const char* import_helper_kind(const import_scene* s, uint32_t node, uint32_t helper);

// The steps, in this order.
limber_result import_rig(import_scene* s);
limber_result import_materials(import_scene* s);
limber_result import_meshes(import_scene* s);
limber_result import_bind_pose(import_scene* s);
limber_result import_clips(import_scene* s);
// Last, with the character's size: tells what cannot be right.
limber_result import_check(import_scene* s, float size);

// Drops spaces around the words of an XML file, in place; gives its new size.
size_t import_trim_collada(char* text, size_t size);

// All of them, of a scene and of a file.
limber_result import_scene_read(const struct aiScene* scene, const char* folder, limber_gltf** gltf,
                                limber_error* error);
limber_result import_file(const char* path, limber_gltf** gltf, limber_error* error);

#endif
