// How large a bake becomes in a glTF file.
#include "cli/bake_bytes.h"

// JSON of a target's accessor, of a node, and of the channel, sampler and accessors of a curve.
static const double target_bytes = 250, node_bytes = 150, curve_bytes = 400;

static double mesh_bytes(const limber_bake* bake, const limber_bake_mesh* baked, double vertices) {
    double per_vertex = baked->normals ? 24 : 12, bytes = (per_vertex * vertices + target_bytes) * baked->target_count;
    for (uint32_t t = 0; t < bake->track_count; t++)
        bytes += 4.0 * baked->target_count * bake->tracks[t].frame_count;
    return bytes;
}

static double bone_bytes(const limber_bake* bake, const limber_bake_bone* bone) {
    double bytes = node_bytes * (bone->shears ? 2 : 1);
    for (uint32_t i = 0; i < bake->track_count * (uint32_t)LIMBER_BONE_CURVES; i++) {
        const limber_bake_curve* curve = &bone->curves[i];
        uint32_t part = i % LIMBER_BONE_CURVES;
        bool turns = part == LIMBER_BONE_ROTATION || part == LIMBER_BONE_BACK;
        if (curve->key_count)
            bytes += curve_bytes + (4.0 + (!turns ? 12 : bone->packed ? 8 : 16)) * curve->key_count;
    }
    return bytes;
}

double cli_bake_bytes(const limber_model* model, const limber_bake* bake) {
    double bytes = 0;
    for (uint32_t m = 0; m < bake->mesh_count; m++)
        bytes += mesh_bytes(bake, &bake->meshes[m], model->meshes[m].vertex_count);
    for (uint32_t i = 0; i < bake->bone_count; i++)
        bytes += bone_bytes(bake, &bake->bones[i]);
    return bytes;
}
