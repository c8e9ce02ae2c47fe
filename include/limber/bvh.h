// limber/bvh.h: BVH files in and out: skeletons with motion capture.
//
//     limber_bvh* bvh;
//     limber_error error;
//     if (limber_bvh_load_file("walk.bvh", NULL, &bvh, &error) != LIMBER_OK) {
//         fprintf(stderr, "%s: %s\n", error.place, error.message);
//         return 1;
//     }
//     const limber_model* model = limber_asset_model(limber_bvh_asset(bvh));
//     limber_bvh_settings settings = limber_bvh_settings_default();
//     settings.layout = bvh; // the channels that the file has
//     if (limber_bvh_save_file(model, &settings, "copy.bvh", NULL, &error) != LIMBER_OK)
//         fprintf(stderr, "copy.bvh: %s\n", error.message);
//     limber_bvh_destroy(bvh);
//
// The character has one rig joint for every ROOT and JOINT, in the file's order and units, one clip with a key for
// every frame (no clip when the file has no frames), and a simple generated body to look at and deform. Rotations are
// quaternions without sign flips. End Sites carry no motion and do not become joints.
//
// A position channel holds the joint's position in its parent's frame and replaces that coordinate of its OFFSET, which
// is what programs that write such channels mean; without the channel the OFFSET applies.
#ifndef LIMBER_BVH_H
#define LIMBER_BVH_H

#include <limber/asset.h>

#ifdef __cplusplus
extern "C" {
#endif

// The most a file may contain; more is LIMBER_ERROR_LIMIT. 0: the default.
typedef struct limber_bvh_limits {
    uint32_t struct_size; // set by limber_bvh_limits_default
    uint64_t file_bytes;  // default 2 GiB
    uint32_t joints;      // default 65,535
    uint64_t key_values;  // default 200,000,000 floats
} limber_bvh_limits;

LIMBER_DEFAULT(limber_bvh_limits)

// A BVH file that was read: a skeleton with one clip.
typedef struct limber_bvh limber_bvh;

// The clip is named after the file. error->place names the file and the line. `limits` NULL: the defaults.
LIMBER_API LIMBER_MUST_USE limber_result limber_bvh_load_file(const char* path, const limber_bvh_limits* limits,
                                                              limber_bvh** bvh, limber_error* error);

// `clip_name` may be NULL: "motion".
LIMBER_API LIMBER_MUST_USE limber_result limber_bvh_load_memory(const void* bytes, size_t byte_count,
                                                                const char* clip_name, const limber_bvh_limits* limits,
                                                                limber_bvh** bvh, limber_error* error);
LIMBER_API void limber_bvh_destroy(limber_bvh* bvh);

// The character; it belongs to the file.
LIMBER_API const limber_asset* limber_bvh_asset(const limber_bvh* bvh);
LIMBER_API uint32_t limber_bvh_frame_count(const limber_bvh* bvh);
// What the file says at its start. It may have more frames than that, which are read, but not fewer.
LIMBER_API uint32_t limber_bvh_declared_frame_count(const limber_bvh* bvh);
LIMBER_API double limber_bvh_frame_time_s(const limber_bvh* bvh);

// What to write.
typedef struct limber_bvh_settings {
    uint32_t struct_size; // set by limber_bvh_settings_default
    // A file whose channels, channel order, End Sites and frame time to use; the model must have the rig it was read
    // with. NULL: six channels for every root and Zrotation Xrotation Yrotation for every other joint, at the clip's
    // own rate.
    const limber_bvh* layout;
    uint32_t clip; // a model without clips gives one frame with the default pose
    double fps;    // 0: the layout's frame time, or the clip's own rate
} limber_bvh_settings;

LIMBER_DEFAULT(limber_bvh_settings)

// What writing changed or left out.
typedef struct limber_bvh_report {
    uint32_t frame_count;
    uint32_t stretched_joint_count; // joints that got translation channels they did not have
    uint32_t dropped_mesh_count;    // BVH holds skeletons only
    bool dropped_scale;             // the clip scales joints: positions are kept, sizes are lost
} limber_bvh_report;

// Writes one clip of a model that limber_asset_create completed. Joints that never leave their place get no translation
// channels. Joint axes at rest become the world's, so that the rest pose of the file is the model's. `report` may be
// NULL. The file appears complete or not at all.
LIMBER_API LIMBER_MUST_USE limber_result limber_bvh_save_file(const limber_model* model,
                                                              const limber_bvh_settings* settings, const char* path,
                                                              limber_bvh_report* report, limber_error* error);

#ifdef __cplusplus
}
#endif

#endif
