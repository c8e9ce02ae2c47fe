// --like FILE of apply: bones of a bake for another mesh on the same skeleton.
#include "cli/like.h"
#include "bake/bake.h"

#include <stdlib.h>
#include <string.h>

// How many joints have the same names, from two joints upwards.
static uint32_t count_alike(const limber_rig* a, uint32_t i, const limber_rig* b, uint32_t j) {
    uint32_t count = 0;
    for (int32_t k = (int32_t)i, l = (int32_t)j; k >= 0 && l >= 0 && strcmp(a->names[k], b->names[l]) == 0;
         k = a->parents[k], l = b->parents[l])
        count++;
    return count;
}

// The joint of a rig that is called as one of another; of several the one below joints that are called alike, as a prop
// may be called after its bone. The number of joints: there is none.
static uint32_t joint_like(const limber_rig* rig, const limber_rig* other, uint32_t joint) {
    uint32_t best = rig->joint_count;
    uint32_t most = 0;
    for (uint32_t j = 0; j < rig->joint_count; j++) {
        uint32_t alike = count_alike(rig, j, other, joint);
        best = alike > most ? j : best;
        most = alike > most ? alike : most;
    }
    return best;
}

// Edited clips name joints by number.
static bool same_joints(const limber_rig* a, const limber_rig* b) {
    bool same = a->joint_count == b->joint_count;
    for (uint32_t j = 0; same && j < a->joint_count; j++)
        same = strcmp(a->names[j], b->names[j]) == 0;
    return same;
}

// All but helpers.
static int take_bones(const char* input, const limber_model* coarse, const char* like, const limber_model* fine,
                      const limber_bake* bake, cli_like* out) {
    for (uint32_t i = 0; i < bake->bone_count; i++) {
        const char* name = fine->rig.names[bake->bones[i].joint];
        uint32_t joint = joint_like(&coarse->rig, &fine->rig, bake->bones[i].joint);
        if (joint == coarse->rig.joint_count)
            return cli_fail(input, "has no joint '%s', which %s has; --like is for meshes of one skeleton", name, like);
        if (bake->bones[i].helper_mesh >= 0)
            continue;
        out->bones[out->bake.bone_count] = bake->bones[i];
        out->bones[out->bake.bone_count++].joint = joint;
    }
    return CLI_DONE;
}

// --- helpers: they carry pieces of the mesh ---

typedef struct pieces {
    const limber_model *coarse, *fine;
    const limber_bake* bake;
    uint32_t* joint_of;  // [joint of coarse] in fine
    uint32_t* vertex_of; // [vertex of coarse] next to it in fine
    float* distances;    // [vertex of coarse]
    int32_t* helper_of;  // [bone of the bake] for the mesh in hand
} pieces;

static int32_t helper_at(const pieces* p, uint32_t vertex) {
    uint32_t m = 0;
    if (vertex == UINT32_MAX)
        return -1;
    while (vertex >= p->fine->meshes[m].first_vertex + p->fine->meshes[m].vertex_count)
        m++;
    const int32_t* helper = p->bake->meshes[m].helper;
    return helper ? helper[vertex - p->fine->meshes[m].first_vertex] : -1;
}

// The number of a helper for one mesh; -1: it cannot have it.
static int32_t take_helper(const pieces* p, uint32_t m, int32_t bone, cli_like* out) {
    const limber_skin* skin = &p->coarse->skins[p->coarse->meshes[m].skin];
    uint32_t bind = 0;
    if (bone < 0 || p->helper_of[bone] >= 0)
        return bone < 0 ? -1 : p->helper_of[bone];
    while (bind < skin->joint_count && p->joint_of[skin->joints[bind]] != p->bake->bones[bone].joint)
        bind++;
    // A mesh on one joint may be none that the file skins; a byte names 256 joints.
    if (bind == skin->joint_count || skin->joint_count < 2 || out->helper_count == LIMBER_BONE_HELPERS ||
        skin->joint_count + out->helper_count >= 256)
        return -1;
    limber_bake_bone* made = &out->bones[out->bake.bone_count];
    *made = p->bake->bones[bone];
    made->joint = skin->joints[bind];
    made->helper_mesh = (int32_t)m;
    made->helper_bind = bind;
    out->helper_count++;
    return p->helper_of[bone] = (int32_t)out->bake.bone_count++;
}

static bool take_pieces(const pieces* p, uint32_t m, cli_like* out) {
    const limber_mesh* mesh = &p->coarse->meshes[m];
    int32_t* helper = out->meshes[m].helper = malloc((mesh->vertex_count + (size_t)1) * sizeof *helper);
    memset(p->helper_of, 0xff, p->bake->bone_count * sizeof *p->helper_of);
    for (uint32_t v = 0; helper && v < mesh->vertex_count; v++)
        helper[v] = take_helper(p, m, helper_at(p, p->vertex_of[mesh->first_vertex + v]), out);
    return helper != NULL;
}

static int take_helpers(const char* input, const limber_model* coarse, const limber_model* fine,
                        const limber_bake* bake, cli_like* out) {
    pieces p = {.coarse = coarse, .fine = fine, .bake = bake};
    p.joint_of = calloc((size_t)coarse->rig.joint_count + 1, sizeof *p.joint_of);
    p.vertex_of = calloc((size_t)coarse->vertex_count + 1, sizeof *p.vertex_of);
    p.distances = calloc((size_t)coarse->vertex_count + 1, sizeof *p.distances);
    p.helper_of = calloc((size_t)bake->bone_count + 1, sizeof *p.helper_of);
    bool done = p.joint_of && p.vertex_of && p.distances && p.helper_of;
    for (uint32_t j = 0; done && j < coarse->rig.joint_count; j++) {
        p.joint_of[j] = joint_like(&fine->rig, &coarse->rig, j);
        p.joint_of[j] = p.joint_of[j] == fine->rig.joint_count ? UINT32_MAX : p.joint_of[j];
    }
    done = done && limberi_nearest_vertices(coarse, fine, p.joint_of, p.vertex_of, p.distances) == LIMBER_OK;
    for (uint32_t m = 0; done && m < coarse->mesh_count; m++)
        done = take_pieces(&p, m, out);
    for (uint32_t v = 0; done && v < coarse->vertex_count; v++)
        out->farthest = (double)p.distances[v] > out->farthest ? (double)p.distances[v] : out->farthest;
    free(p.joint_of);
    free(p.vertex_of);
    free(p.distances);
    free(p.helper_of);
    return done ? CLI_DONE : cli_fail_memory(input);
}

// --- all of it ---

static int take_tracks(const char* input, const limber_model* coarse, const char* like, const limber_model* fine,
                       const limber_bake* bake, cli_like* out) {
    for (uint32_t t = 0; t < bake->track_count; t++) {
        const char* name = fine->clips[bake->tracks[t].clip].name;
        int32_t clip = limber_model_find_clip(coarse, name);
        if (clip < 0)
            return cli_fail(input, "has no clip '%s', which %s has; --clip picks one", name, like);
        out->tracks[t] = bake->tracks[t];
        out->tracks[t].clip = (uint32_t)clip;
        out->tracks[t].shift_count = 0;
        if (bake->clip_count && (uint32_t)clip != bake->tracks[t].clip)
            return cli_fail(input, "has its clips in another order than %s, and the style changes them", like);
    }
    if (bake->clip_count && !same_joints(&coarse->rig, &fine->rig))
        return cli_fail(input, "has its joints in another order than %s, and the style changes the clips", like);
    return CLI_DONE;
}

int cli_like_open(const char* input, const limber_model* coarse, const char* like, const limber_model* fine,
                  const limber_bake* bake, cli_like* out) {
    memset(out, 0, sizeof *out);
    out->bones = calloc((size_t)bake->bone_count + LIMBER_BONE_HELPERS, sizeof *out->bones);
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
    if (!status)
        status = take_helpers(input, coarse, fine, bake, out);
    return status ? status : take_tracks(input, coarse, like, fine, bake, out);
}

void cli_like_close(cli_like* like) {
    free(like->bones);
    for (uint32_t m = 0; like->meshes && m < like->bake.mesh_count; m++)
        free(like->meshes[m].helper);
    free(like->meshes);
    free(like->tracks);
}
