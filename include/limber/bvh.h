// limber/bvh.h: BVH files in and out: skeletons with motion capture.
//
//     limber_bvh* bvh;
//     if (limber_bvh_load_file("walk.bvh", NULL, &bvh, &error) != LIMBER_OK) ...
//     const limber_model* model = limber_asset_model(limber_bvh_asset(bvh));
//     ...                                                       // edit model->clips[0], make an asset of it
//     limber_bvh_settings settings = limber_bvh_settings_default();
//     settings.layout = bvh;                                    // channels as they were in the file
//     if (limber_bvh_save_file(edited, &settings, "toon.bvh", NULL, &error) != LIMBER_OK) ...
//     limber_bvh_destroy(bvh);
//
// The character that comes out has one rig joint for every ROOT and JOINT, in the file's order and the file's units,
// one clip with a key for every frame (none when the file has no frames), and a simple generated body, so that it can
// be looked at and deformed. Rotations are quaternions on a continuous path. End Sites are no joints: they carry no
// motion.
//
// A position channel holds the joint's place in its parent's frame and replaces that coordinate of its OFFSET, as the
// programs that write such channels mean it; without the channel the OFFSET stands.
#ifndef LIMBER_BVH_H
#define LIMBER_BVH_H

#include <limber/asset.h>

#ifdef __cplusplus
extern "C" {
#endif

// What a file may at most contain; larger is LIMBER_ERROR_LIMIT. Zero means the default.
typedef struct limber_bvh_limits {
    uint64_t file_bytes; // default 2 GiB
    uint32_t joints;     // default 65,535
    uint64_t key_values; // default 200,000,000 floats
} limber_bvh_limits;

typedef struct limber_bvh limber_bvh;

// The clip is named after the file. Errors name the line.
LIMBER_API LIMBER_MUST_USE limber_result limber_bvh_load_file(const char* path, const limber_bvh_limits* limits,
                                                              limber_bvh** bvh, limber_error* error);

// `clip_name` may be NULL: "motion".
LIMBER_API LIMBER_MUST_USE limber_result limber_bvh_load_memory(const void* bytes, size_t byte_count,
                                                                const char* clip_name, const limber_bvh_limits* limits,
                                                                limber_bvh** bvh, limber_error* error);
LIMBER_API void limber_bvh_destroy(limber_bvh* bvh);

// The character; belongs to the file.
LIMBER_API const limber_asset* limber_bvh_asset(const limber_bvh* bvh);
LIMBER_API uint32_t limber_bvh_frame_count(const limber_bvh* bvh);
LIMBER_API double limber_bvh_frame_time_s(const limber_bvh* bvh);

typedef struct limber_bvh_settings {
    // Whose channels, their order, End Sites and frame time to keep; the model's rig must be the one it was read with.
    // NULL: every root gets six channels and every other joint Zrotation Xrotation Yrotation, at the clip's own rate.
    const limber_bvh* layout;
    uint32_t clip; // index; of a model without clips, the default pose is written as the only frame
    double fps;    // 0: the layout's frame time, else the clip's own rate
} limber_bvh_settings;

LIMBER_API limber_bvh_settings limber_bvh_settings_default(void);

// What writing changed or left out.
typedef struct limber_bvh_report {
    uint32_t frame_count;
    uint32_t stretched_joint_count; // joints that got translation channels they did not have
    uint32_t dropped_mesh_count;    // BVH holds skeletons only
    bool dropped_scale;             // the clip scales joints: their places are kept, their sizes are lost
} limber_bvh_report;

// Writes one clip of a completed model. Translation channels are added only to joints that leave their place. A joint
// whose axes at rest are not the world's is written with the world's, so that the rest pose of the file is the model's.
// `report` may be NULL. The file appears complete or not at all.
LIMBER_API LIMBER_MUST_USE limber_result limber_bvh_save_file(const limber_model* model,
                                                              const limber_bvh_settings* settings, const char* path,
                                                              limber_bvh_report* report, limber_error* error);

#ifdef __cplusplus
}
#endif

#endif
