// --like FILE of apply: bones of a bake for another mesh on the same skeleton.
#include "cli/like.h"

#include <stdlib.h>
#include <string.h>

static uint32_t joint_named(const limber_rig* rig, const char* name) {
    uint32_t j = 0;
    while (j < rig->joint_count && strcmp(rig->names[j], name) != 0)
        j++;
    return j;
}

static uint32_t clip_named(const limber_model* model, const char* name) {
    uint32_t c = 0;
    while (c < model->clip_count && strcmp(model->clips[c].name, name) != 0)
        c++;
    return c;
}

// Edited clips name joints by number.
static bool same_joints(const limber_rig* a, const limber_rig* b) {
    bool same = a->joint_count == b->joint_count;
    for (uint32_t j = 0; same && j < a->joint_count; j++)
        same = strcmp(a->names[j], b->names[j]) == 0;
    return same;
}

// Helpers carry pieces that only the other mesh has.
static int take_bones(const char* input, const limber_model* coarse, const char* like, const limber_model* fine,
                      const limber_bake* bake, cli_like* out) {
    for (uint32_t i = 0; i < bake->bone_count; i++) {
        const char* name = fine->rig.names[bake->bones[i].joint];
        uint32_t joint = joint_named(&coarse->rig, name);
        if (bake->bones[i].helper_mesh >= 0)
            continue;
        if (joint == coarse->rig.joint_count)
            return cli_fail(input, "has no joint '%s', which %s has; --like is for meshes of one skeleton", name, like);
        out->bones[out->bake.bone_count] = bake->bones[i];
        out->bones[out->bake.bone_count++].joint = joint;
    }
    return CLI_DONE;
}

static int take_tracks(const char* input, const limber_model* coarse, const char* like, const limber_model* fine,
                       const limber_bake* bake, cli_like* out) {
    for (uint32_t t = 0; t < bake->track_count; t++) {
        const char* name = fine->clips[bake->tracks[t].clip].name;
        uint32_t clip = clip_named(coarse, name);
        if (clip == coarse->clip_count)
            return cli_fail(input, "has no clip '%s', which %s has; --clip picks one", name, like);
        out->tracks[t] = bake->tracks[t];
        out->tracks[t].clip = clip;
        out->tracks[t].shift_count = 0;
        if (bake->clip_count && clip != bake->tracks[t].clip)
            return cli_fail(input, "has its clips in another order than %s, and the style changes them", like);
    }
    if (bake->clip_count && !same_joints(&coarse->rig, &fine->rig))
        return cli_fail(input, "has its joints in another order than %s, and the style changes the clips", like);
    return CLI_DONE;
}

int cli_like_open(const char* input, const limber_model* coarse, const char* like, const limber_model* fine,
                  const limber_bake* bake, cli_like* out) {
    memset(out, 0, sizeof *out);
    out->bones = calloc((size_t)bake->bone_count + 1, sizeof *out->bones);
    out->meshes = calloc((size_t)coarse->mesh_count + 1, sizeof *out->meshes);
    out->tracks = calloc((size_t)bake->track_count + 1, sizeof *out->tracks);
    if (!out->bones || !out->meshes || !out->tracks)
        return cli_fail_memory(input);
    out->bake = *bake;
    out->bake.bone_count = 0;
    out->bake.bones = out->bones;
    out->bake.mesh_count = coarse->mesh_count;
    out->bake.meshes = out->meshes;
    out->bake.tracks = out->tracks;
    out->bake.smear_mesh_count = 0;
    out->bake.share_count = 0;
    int status = take_bones(input, coarse, like, fine, bake, out);
    return status ? status : take_tracks(input, coarse, like, fine, bake, out);
}

void cli_like_close(cli_like* like) {
    free(like->bones);
    free(like->meshes);
    free(like->tracks);
}
