// limber/crowd.h: many characters at once: one call poses all of them, over your threads, into your memory.
//
//     const limber_crowd_kind kinds[] = {{asset, style}}; // characters with their styles
//     limber_crowd_settings settings = limber_crowd_settings_default();
//     settings.kind_count = 1;
//     settings.kinds = kinds;
//     settings.member_limit = 4000;
//     settings.outputs = LIMBER_CROWD_TEXELS;
//     limber_crowd* crowd;
//     limber_error error;
//     if (limber_crowd_create(&settings, &crowd, &error) != LIMBER_OK) {
//         fprintf(stderr, "%s: %s\n", error.place, error.message);
//         return 1;
//     }
//     limber_crowd_member members[2] = {{.clip = 1, .speed = 1}, {.clip = 0, .start_s = 0.3, .speed = 0.9}};
//     // every frame f:
//     limber_crowd_memory memory = {.texels = texels, .texel_stride = 4 * limber_crowd_layout(crowd, 0).max_texels};
//     if (limber_crowd_evaluate(crowd, members, 2, now_s, f, &memory, &error) == LIMBER_OK)
//         draw_all(texels);
//     limber_crowd_destroy(crowd);
//
// A member is a kind (a character in a style), a clip, and a time in it; nothing is kept from frame to frame, so
// members may change, come and go freely. Work is shared out by members, not by vertices, and the numbers are those of
// limber_pipeline_evaluate with the same outputs to the bit, whatever the number of threads (texels of large crowds
// that store: within 1e-6 of the character's size, LIMBER_CROWD_STORES). Members that are in the same moment of the same clip are
// computed once. A member that is far away may be computed in every n-th frame only: its motion stays right, because
// effects depend on the time and not on the frame before.
//
// A clip is prepared (filters, contacts) when a member first asks for it, or by limber_crowd_prepare. Otherwise no
// memory is taken after _create.
#ifndef LIMBER_CROWD_H
#define LIMBER_CROWD_H

#include <limber/pack.h>

#ifdef __cplusplus
extern "C" {
#endif

// Characters with their styles, ready for many members.
typedef struct limber_crowd limber_crowd;

// A character in a style (NULL: plain skinning). The asset must outlive the crowd; the style need not.
typedef struct limber_crowd_kind {
    const limber_asset* asset;
    const limber_style* style;
} limber_crowd_kind;

// What members are computed for: bit flags.
enum {
    LIMBER_CROWD_PALETTES = 1, // world_from_mesh for every joint of every skin, for skinning without effects
    LIMBER_CROWD_TEXELS = 2,   // for limber_deform.glsl (limber/pack.h)
    LIMBER_CROWD_POSITIONS = 4,
    LIMBER_CROWD_NORMALS = 8 // also of the texels: normals follow the effects
};

// A crowd for this many members or more stores what the ground and rigid parts do in clips that limber_crowd_prepare
// prepares: that takes longer (0.1 s for a second of a cow's clip, on one core), members that are computed for texels are
// several times as fast, and their vertices are within 1e-6 of the character's size of those of
// limber_pipeline_evaluate.
enum { LIMBER_CROWD_STORES = 256 };

// What a crowd is made of, and what it computes.
typedef struct limber_crowd_settings {
    uint32_t struct_size; // set by limber_crowd_settings_default
    uint32_t kind_count;
    const limber_crowd_kind* kinds;
    uint32_t member_limit; // no call has more
    uint32_t outputs;      // LIMBER_CROWD_...; positions by default
    // Times in clips are rounded to multiples of it, so that more members share a moment; 0: they are as they are. A
    // sixtieth of a second is not seen in a crowd.
    double step_s;
    const limber_parallel* parallel; // copied; NULL: the calling thread alone
} limber_crowd_settings;

LIMBER_DEFAULT(limber_crowd_settings)

// error->place names the kind that is at fault.
LIMBER_API LIMBER_MUST_USE limber_result limber_crowd_create(const limber_crowd_settings* settings,
                                                             limber_crowd** crowd, limber_error* error);
LIMBER_API void limber_crowd_destroy(limber_crowd* crowd);

// One character of a crowd: what it plays, and when.
typedef struct limber_crowd_member {
    uint32_t kind;  // index in limber_crowd_settings.kinds
    int32_t clip;   // -1: the default pose
    double start_s; // its time in the clip, from the clip's start, when the clock is 0
    double speed;   // of its time; 1: as animated, negative: backwards
    uint32_t every; // it is computed in every n-th frame; 0 and 1: in all of them
} limber_crowd_member;

// Where a member is in its clip at a time of the clock. A clip that loops starts again, one that does not stops at its
// ends. Without rounding to the crowd's step.
LIMBER_API double limber_crowd_time(const limber_crowd* crowd, const limber_crowd_member* member, double now_s);

// The memory for member i starts at i times the stride; strides count floats (columns: int16). What a kind needs:
//   palettes   16 floats for each joint of each skin, skin after skin
//   texels     4 * limber_crowd_layout(...).max_texels floats
//   columns    column_bytes / 2 per vertex; only for kinds whose columns_change, may be NULL otherwise
//   positions, normals    3 floats per vertex, world space, all meshes after each other
// A stride that is too small for a kind is refused. Memory that the outputs do not ask for is not touched.
typedef struct limber_crowd_memory {
    float* palettes;
    size_t palette_stride; // floats
    float* texels;
    size_t texel_stride;    // floats
    uint32_t* texel_counts; // [member] or NULL
    int16_t* columns;
    size_t column_stride; // int16
    float *positions, *normals;
    size_t vertex_stride; // floats
    // [member] or NULL. NULL: members that share a moment each get a copy. Otherwise copies are not made, and same_as[i]
    // is the member whose memory has the numbers of member i (i itself: its own). Members with `every` above 1 always
    // have their own.
    uint32_t* same_as;
    uint8_t* changed; // [member] or NULL: whether its memory was written in this frame
} limber_crowd_memory;

// `frame` counts frames, for members with `every`: member i is computed where (frame + i) is a multiple of it. A member
// that is not computed keeps the numbers that it has. On failure some members may have been written.
LIMBER_API LIMBER_MUST_USE limber_result limber_crowd_evaluate(limber_crowd* crowd, const limber_crowd_member* members,
                                                               uint32_t count, double now_s, uint64_t frame,
                                                               const limber_crowd_memory* memory, limber_error* error);

// Makes what a clip of a kind needs, so that its first frame takes no longer than others. Large crowds also store
// (LIMBER_CROWD_STORES): call it while a level loads.
LIMBER_API LIMBER_MUST_USE limber_result limber_crowd_prepare(limber_crowd* crowd, uint32_t kind, uint32_t clip,
                                                              limber_error* error);

// How many members of the last call were computed, the rest being copies or not due.
LIMBER_API uint32_t limber_crowd_computed(const limber_crowd* crowd);

// For shaders: sizes, and the functions of limber/pack.h that do not depend on a pose (defines, joints, settings,
// obeyed). Only with LIMBER_CROWD_TEXELS.
LIMBER_API limber_pack_layout limber_crowd_layout(const limber_crowd* crowd, uint32_t kind);
LIMBER_API const limber_pack* limber_crowd_pack(const limber_crowd* crowd, uint32_t kind);
// The columns of a kind whose columns do not change: column_bytes per vertex, one upload for all members of it.
LIMBER_API LIMBER_MUST_USE limber_result limber_crowd_write_columns(limber_crowd* crowd, uint32_t kind,
                                                                    int16_t* columns, limber_error* error);
// Sentences about what the style of a kind says that does not fit its character: limber_pipeline_warning of this.
LIMBER_API const limber_pipeline* limber_crowd_pipeline(const limber_crowd* crowd, uint32_t kind);

#ifdef __cplusplus
}
#endif

#endif
