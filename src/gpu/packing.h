// A character, its style and one of its frames as limber_deform.glsl wants them: defines, attributes, texels. The
// public face of it is limber/pack.h; docs/shader.md has the layout in words.
#ifndef LIMBERI_PACKING_H
#define LIMBERI_PACKING_H

#include "asset/asset.h"
#include "base/build.h"
#include "base/memory.h"
#include "collide/colliders.h"
#include "contact/stage.h"
#include "deform/gpu_rows.h"
#include <limber/stages/skin.h>

enum {
    LIMBERI_PACK_INFLUENCES = 8,                    // max joints per vertex
    LIMBERI_PACK_EFFECTS = 7,                       // effects that the shader has gains for, the first of them
    LIMBERI_PACK_BENDS = 3,                         // those that bend: each has a limit
    LIMBERI_PACK_FOLDS = 4,                         // those with palettes of their own
    LIMBERI_PACK_LIMITS = 2 * LIMBERI_PACK_EFFECTS, // numbers: two gains per effect, then the limits
    LIMBERI_PACK_NUMBERS = LIMBERI_PACK_LIMITS + LIMBERI_PACK_BENDS,
    LIMBERI_PACK_COLUMNS = 16, // values per vertex at most
    LIMBERI_PACK_HEAD = 10,    // texels before those of joints
    LIMBERI_PACK_FLAGS = 15,
    LIMBERI_PACK_SETTINGS = LIMBERI_PACK_FLAGS + LIMBERI_PACK_NUMBERS, // integers of the uniform
    LIMBERI_PACK_DEFINES_SIZE = 1024                                   // bytes of text
};

// What joints do one by one, and what is summed along the hierarchy: as in the shader.
enum {
    LIMBERI_KIND_TURN = 1,          // floppy and angular squash
    LIMBERI_KIND_TURN_TWICE = 2,    // one after the other: their motions are not filtered alike
    LIMBERI_KIND_SLOWING = 4,       // drag and followthrough
    LIMBERI_KIND_SLOWING_TWICE = 8, // likewise
    LIMBERI_KIND_TRAVEL = 16,
    LIMBERI_KIND_SPIN = 32,
    LIMBERI_KIND_LIFT = 64,
    LIMBERI_KIND_OVERLAP = 128,
    LIMBERI_KIND_BEND = 256 // of the pose, before all others
};

// What is summed along the hierarchy: the matrix of constant gains, then a bit per entry of limberi_pack.folded.
enum { LIMBERI_PACK_FOLD_MATRIX = 1 };

// A value per vertex that scales some numbers of the style.
typedef struct limberi_pack_column {
    uint32_t slot;  // an effect that has it
    uint32_t value; // LIMBERI_VALUE_... of the effect, where a formula makes it
    bool formula;   // else it is the layer alone
    float scale;    // what 1 in the attribute stands for
} limberi_pack_column;

typedef struct limberi_pack {
    limberi_arena arena;
    limber_deformer* deformer;
    const limber_asset* asset;
    const limber_model* model;
    limber_skinning skinning;
    uint32_t influences;                     // 4 or 8
    uint32_t kinds, folds;                   // bits of LIMBERI_KIND_... and LIMBERI_PACK_FOLD_MATRIX ...
    uint32_t slot_of[LIMBERI_GPU_BLOCKS][2]; // [block][role]; LIMBERI_SLOTS: no effect
    uint32_t folded[LIMBERI_PACK_FOLDS];     // slots with an affine part; LIMBERI_SLOTS: none
    int32_t matrix_fold;                     // the palette of the one that has a matrix, -1: it is not used
    uint32_t sources, sources_own;           // effects whose rows lift reads; which of them with their own gains
    bool quadratic, lift_mesh, limits, max_squash, normals; // normals: they follow the effects
    bool chain;                                             // joints are composed as a chain
    const limberi_rigid* rigid;                             // NULL: no part is rigid
    const limberi_contact_stage* ground;                    // NULL: no contacts and impacts
    const limberi_collision* collision;                     // NULL: no colliders
    uint32_t collider_layers;                               // layers that colliders have, each once ...
    const char** collider_layer;                            // ... and their names
    uint32_t obeyed_texels;                                 // which colliders vertices obey: a table ...
    float* obeyed;
    uint32_t* obeyed_row;  // ... and [vertex] the first texel of its row
    uint32_t column_count; // of the style; limberi_pack_column_count has all
    limberi_pack_column columns[LIMBERI_PACK_NUMBERS + 1];
    int column_of[LIMBERI_PACK_NUMBERS + 1];      // -1: none; the last one is that of bend_slot
    uint32_t bend_slot;                           // the effect that bends the pose; LIMBERI_SLOTS: none
    bool columns_change;                          // in every frame, by formulas or by morphed normals of lift
    uint32_t skin_texels, joint_texels;           // of a joint
    uint32_t fold_texels;                         // of these, for what is affine: of joints of skins, or of a chain
    uint32_t skin_joint_count;                    // of all skins
    uint32_t* skin_first;                         // [skin] its first joint among them
    int32_t* rows;                                // [joint] where its chain of acting joints starts, for this frame
    limberi_gpu_slot slots[LIMBERI_PACK_EFFECTS]; // of this frame
    limberi_joint_quad* quads;                    // [limberi_quad_count] joints of this frame ...
    bool can_fold;                                // limberi_deform_can_fold
    bool placed;                                  // ... that limberi_deform_begin_folds has placed
    float* quad_texels;        // [texel of a joint][joint][4] of the joints that a quad writes at once
    uint32_t texel_limit;      // no frame has more
    limberi_mesh_names* names; // [mesh]
    float* skinned;            // where a formula asks for the speed of vertices
    float* values;             // [column][vertex], where formulas make some
} limberi_pack;

// What a frame needs besides the deformer. Palettes are [skin][joint of the skin].
typedef struct limberi_pack_frame {
    const limber_deform_job* job; // without positions and normals
    limber_mat4* const* palettes;
    limber_dualquat* const* dualquats; // needed for dual quaternions only
    const float* positions;            // mesh space, all meshes after each other; NULL: no morph targets
    const float* lift_normals;         // likewise, where lift takes one normal for several vertices
    bool grounded;                     // limberi_contact_stage_begin has found something to do
    bool colliding;                    // limberi_collision_begin was called
    bool no_probes;                    // nobody asks where the kernels put vertices
} limberi_pack_frame;

// The stages after the effects; NULL: they have nothing to do.
typedef struct limberi_pack_stages {
    const limberi_rigid* rigid;
    const limberi_contact_stage* ground;
    const limberi_collision* collision;
} limberi_pack_stages;

// Whether an effect bends the pose.
static inline bool limberi_pack_bends(const limberi_pack* p) {
    return LIMBERI_HAS_VERTICES && p->bend_slot < LIMBERI_SLOTS;
}

// A texel; returns where the next one goes.
static inline float* limberi_put4(float* out, float x, float y, float z, float w) {
    out[0] = x;
    out[1] = y;
    out[2] = z;
    out[3] = w;
    return out + 4;
}

// Fails where the shader cannot do what the style or the character asks for; the message says what.
LIMBER_MUST_USE limber_result limberi_pack_create(const limber_asset* asset, limber_deformer* deformer,
                                                  limberi_pack_stages stages, limber_skinning skinning,
                                                  limberi_pack* pack, limber_error* error);
void limberi_pack_destroy(limberi_pack* pack);

// The #define lines for the shader.
void limberi_pack_defines(const limberi_pack* pack, char text[LIMBERI_PACK_DEFINES_SIZE]);

// The same for one program that shows all styles (with the same skinning and sources of lift, which take drivers long
// to compile), and its uniform limber_settings.
void limberi_pack_dynamic_defines(const limberi_pack* pack, char text[LIMBERI_PACK_DEFINES_SIZE]);
void limberi_pack_settings(const limberi_pack* pack, int32_t out[LIMBERI_PACK_SETTINGS]);

// Attributes, per vertex: uint16 joints and float weights (`influences` of each, the joints first), and columns.
size_t limberi_pack_joint_bytes(const limberi_pack* pack);
uint32_t limberi_pack_column_count(const limberi_pack* pack);
size_t limberi_pack_column_bytes(const limberi_pack* pack);
void limberi_pack_joints(const limberi_pack* pack, uint8_t* out);

// A frame: begin, then columns (when there are some; they need not be asked for again unless `columns_change`), then
// texels, four floats each, of which it returns how many. Columns are signed and normalised, column_bytes per vertex.
// What comes after the effects has to be known before the texels.
LIMBER_MUST_USE limber_result limberi_pack_begin(limberi_pack* pack, const limberi_pack_frame* frame);
bool limberi_pack_moves(const limberi_pack* pack);
void limberi_pack_columns(limberi_pack* pack, const limberi_pack_frame* frame, int16_t* out);
uint32_t limberi_pack_texels(limberi_pack* pack, const limberi_pack_frame* frame, float* out);

// What 1 in the column of an effect's part stands for.
float limberi_pack_column_scale(const limberi_pack* pack, uint32_t slot, uint32_t part);
// What is affine: of a joint and all above it, or of one joint of a chain. Returns where the next texel goes.
float* limberi_pack_put_folds(const limberi_pack* pack, bool moves, uint32_t joint, float row, float* out);
// rows.c: fills limberi_pack.rows and the texels of joints from `first` on; returns how many are used then.
uint32_t limberi_pack_put_joints(limberi_pack* pack, bool moves, uint32_t first, float* out);

// contact.c: a column after those of the style where contacts have a layer, a texel per joint of the skins at the end, and
// half of the head.
uint32_t limberi_pack_contact_columns(const limberi_pack* pack);
uint32_t limberi_pack_ground_texels(const limberi_pack* pack);
void limberi_pack_put_contact_column(const limberi_pack* pack, size_t stride, int16_t* out); // of the first vertex
bool limberi_pack_has_floor(const limberi_pack* pack, const limberi_pack_frame* frame);
// `rigid`, `rows`: where these texels start, -1: there are none.
void limberi_pack_put_ground_head(const limberi_pack* pack, const limberi_pack_frame* frame, int32_t rigid,
                                  int32_t rows, float out[24]);
void limberi_pack_put_footings(const limberi_pack* pack, float* out);

// colliders.c: columns after these: two that say where the row of a vertex starts in the table of who obeys whom, and one
// per layer of colliders; four texels per collider at the very end.
LIMBER_MUST_USE limber_result limberi_pack_find_collider_layers(limberi_pack* pack);
LIMBER_MUST_USE limber_result limberi_pack_find_obeyed(limberi_pack* pack);
uint32_t limberi_pack_collider_columns(const limberi_pack* pack);
uint32_t limberi_pack_collider_texels(const limberi_pack* pack);
void limberi_pack_put_collider_columns(const limberi_pack* pack, size_t stride, int16_t* out); // of the first vertex
// `column`: the first of them.
void limberi_pack_put_colliders(const limberi_pack* pack, uint32_t column, float* out);

// lift.c: four columns after these: the normal that lift goes along, in mesh space, where some are split.
uint32_t limberi_pack_lift_columns(const limberi_pack* pack);
void limberi_pack_put_lift_columns(const limberi_pack* pack, const float* normals, size_t stride, int16_t* out);

// rings.c: the triangles around each vertex, as limber_pack_rings gives them. NULL: not enough memory.
const uint32_t* limberi_pack_make_rings(const limber_asset* asset, limberi_arena* arena, size_t* count);

// rigid.c: two columns after these, three texels per part after those of joints.
LIMBER_MUST_USE limber_result limberi_pack_check_rigid(const limberi_pack* pack, limber_error* error);
uint32_t limberi_pack_rigid_columns(const limberi_pack* pack);
uint32_t limberi_pack_rigid_texels(const limberi_pack* pack);
void limberi_pack_put_rigid_columns(const limberi_pack* pack, size_t stride, int16_t* out); // of the first vertex
void limberi_pack_put_rigid(const limberi_pack* pack, float* out);

#endif
