// A character, its style and one of its frames as shaders/limber_deform.glsl wants them: defines, attributes, texels.
// No GL in here: whoever has a GPU in reach uploads what this makes. docs/shader.md has the layout in words.
#ifndef LIMBERI_DEFORM_PACK_H
#define LIMBERI_DEFORM_PACK_H

#include "asset/vertex_names.h"
#include "base/arena.h"
#include <limber/pipeline.h>

enum {
    LIMBERI_PACK_INFLUENCES = 8,     // most joints per vertex
    LIMBERI_PACK_WIDTH = 1024,       // texels in a row of the texture
    LIMBERI_PACK_NUMBERS = 15,       // two gains for each of six effects, three limits
    LIMBERI_PACK_SETTINGS = 23,      // integers of the uniform
    LIMBERI_PACK_DEFINES_SIZE = 1024 // bytes of text
};

// What joints do one by one, and what is summed along the hierarchy: as in the shader.
enum {
    LIMBERI_KIND_TURN = 1,          // floppy and angular squash
    LIMBERI_KIND_TURN_TWICE = 2,    // one after the other: their motions are not filtered alike
    LIMBERI_KIND_SLOWING = 4,       // drag and followthrough
    LIMBERI_KIND_SLOWING_TWICE = 8, // likewise
    LIMBERI_KIND_TRAVEL = 16,
    LIMBERI_KIND_SPIN = 32,
    LIMBERI_KIND_LIFT = 64
};

enum {
    LIMBERI_FOLD_MATRIX = 1,
    LIMBERI_FOLD_FLOPPY = 2,
    LIMBERI_FOLD_DRAG = 4,
    LIMBERI_FOLD_FOLLOW = 8,
    LIMBERI_FOLD_STRETCH = 16
};

// A value per vertex that scales some numbers of the style.
typedef struct limberi_pack_column {
    uint32_t slot; // an effect that has it
    int value;     // VALUE_... of the effect, where a formula makes it
    bool formula;  // else it is the layer alone
    float scale;   // what 1 in the attribute stands for
} limberi_pack_column;

typedef struct limberi_pack {
    limberi_arena arena;
    limber_deformer* deformer;
    const limber_model* model;
    limber_skinning skinning;
    uint32_t influences;                        // 4 or 8
    uint32_t kinds, folds;                      // LIMBERI_KIND_..., LIMBERI_FOLD_... (bit flags)
    int stretch_fold;                           // the deformer's palette for the block of stretch, -1: it has none
    uint32_t sources, sources_own;              // of lift
    bool quadratic, lift_mesh, limits, normals; // normals: they follow the effects
    uint32_t column_count;
    limberi_pack_column columns[LIMBERI_PACK_NUMBERS];
    int column_of[LIMBERI_PACK_NUMBERS]; // -1: none
    bool columns_change;                 // with every frame: some formula does not only look at the rest pose
    uint32_t skin_texels, joint_texels;  // of a joint
    uint32_t skin_joint_count;           // of all skins
    uint32_t* skin_first;                // [skin] its first joint among them
    int32_t* rows;                       // [joint] where its chain of acting joints starts, for the current frame
    uint32_t texel_limit;                // no frame has more
    limberi_mesh_names* names;           // [mesh]
    float* skinned;                      // where a formula asks for the speed of vertices
    float* values;                       // [column][vertex], where formulas make some
} limberi_pack;

// What a frame needs besides the deformer. Palettes are [skin][joint of the skin].
typedef struct limberi_pack_frame {
    const limber_deform_job* job; // without positions and normals
    limber_mat4* const* palettes;
    limber_dualquat* const* dualquats; // needed for dual quaternions only
    const float* positions;            // mesh space, all meshes after each other; NULL: no morph targets
} limberi_pack_frame;

// Fails where the shader cannot do what the style or the character asks for; the message says what.
LIMBER_MUST_USE limber_result limberi_pack_create(const limber_asset* asset, limber_deformer* deformer,
                                                  limber_skinning skinning, limberi_pack* pack, limber_error* error);
void limberi_pack_destroy(limberi_pack* pack);

// The #define lines for the shader.
void limberi_pack_defines(const limberi_pack* pack, char text[LIMBERI_PACK_DEFINES_SIZE]);

// The same for one program that shows all styles (with the same skinning and sources of lift, which take drivers long
// to compile), and its uniform limber_settings.
void limberi_pack_dynamic_defines(const limberi_pack* pack, char text[LIMBERI_PACK_DEFINES_SIZE]);
void limberi_pack_settings(const limberi_pack* pack, int32_t out[LIMBERI_PACK_SETTINGS]);

// Attributes, per vertex: uint16 joints and float weights (`influences` of each, the joints first), and columns.
size_t limberi_pack_joint_bytes(const limberi_pack* pack);
size_t limberi_pack_column_bytes(const limberi_pack* pack);
void limberi_pack_joints(const limberi_pack* pack, uint8_t* out);

// A frame: begin, then columns (when there are some; they need not be asked for again unless `columns_change`), then
// texels, four floats each, of which it returns how many. Columns are signed and normalised, column_bytes per vertex.
LIMBER_MUST_USE limber_result limberi_pack_begin(limberi_pack* pack, const limberi_pack_frame* frame);
void limberi_pack_columns(limberi_pack* pack, const limberi_pack_frame* frame, int16_t* out);
uint32_t limberi_pack_texels(limberi_pack* pack, const limberi_pack_frame* frame, float* out);

// Bytes per vertex: positions, normals, joints and weights of plain skinning, and with what the effects need.
typedef struct limberi_pack_memory {
    size_t plain, all;
} limberi_pack_memory;

limberi_pack_memory limberi_pack_bytes(const limberi_pack* pack);

#endif
