// The bone bake: transforms of slots that come closest to the frames, keys of these, and morph targets for what is left.
#include "bake/bones.h"
#include "base/error.h"
#include "base/math.h"
#include "base/memory.h"

#include <string.h>

// CACHE_BYTES: frames that are kept, and what plain joints leave of some; those beyond it are found again in every pass.
// With 96 MB, as browsers have it, a character of 76 clips takes 1.35 times as long.
enum { CACHE_BYTES = (sizeof(void*) > 4 ? 256 : 96) << 20, PASSES = 8, WEIGHINGS = 2 };

static const double default_tolerance = 0.001; // of L, instead of none
static const double key_share = 0.6;           // of the tolerance: how far off the keys may put a vertex
static const double helper_share = 0.8;        // of the tolerance: pieces that are farther off get a helper
static const double split_share = 1.2;         // pieces that a shared one leaves farther off get their own
static const double packed_tolerance = 0.0005; // of L: rotations in 16 bits are not exact enough below

// --- fits ---

static void subtract_plain(limberi_bone_frame* f) {
    const limber_model* model = f->bake->model;
    limberi_bone_bake_pose(f, false);
    for (uint32_t m = 0; m < model->mesh_count; m++)
        limberi_bone_bake_skin(f, m, limberi_bone_bake_morphed(f, m),
                               f->shape + 3 * (size_t)model->meshes[m].first_vertex);
    for (size_t i = 0; i < 3 * (size_t)model->vertex_count; i++)
        f->shape[i] = f->wanted[i] - f->shape[i];
}

static bool invert(const limber_mat4* m, limberi_affine* out) {
    double a[3][3];
    double det;
    double size = 0;
    for (int r = 0; r < 3; r++)
        for (int c = 0; c < 3; c++) {
            a[r][c] = (double)m->m[4 * c + r];
            size += a[r][c] * a[r][c];
        }
    for (int r = 0; r < 3; r++)
        for (int c = 0; c < 3; c++) {
            int i = (c + 1) % 3;
            int k = (c + 2) % 3;
            int x = (r + 1) % 3;
            int y = (r + 2) % 3;
            out->m[4 * r + c] = a[i][x] * a[k][y] - a[i][y] * a[k][x];
        }
    det = a[0][0] * out->m[0] + a[0][1] * out->m[4] + a[0][2] * out->m[8];
    if (!(fabs(det) > 1e-9 * size * sqrt(size)))
        return false;
    for (int r = 0; r < 3; r++) {
        for (int c = 0; c < 3; c++)
            out->m[4 * r + c] /= det;
        out->m[4 * r + 3] = -(out->m[4 * r] * (double)m->m[12] + out->m[4 * r + 1] * (double)m->m[13] +
                              out->m[4 * r + 2] * (double)m->m[14]);
    }
    return true;
}

// What a slot adds to its joint: W^-1 (W' + found), with W' what the skin hangs on in the plain pose.
static void store_slot(limberi_bone_frame* f, uint32_t slot) {
    limberi_bone_bake* b = f->bake;
    size_t at = (size_t)f->frame * b->model->rig.joint_count + limberi_bone_bake_joint(b, slot);
    limberi_affine* out = &b->local[(size_t)f->frame * b->bones.slot_count + slot];
    limberi_affine inverse;
    limberi_affine target = limberi_bones_found(&b->bones, f->found, slot);
    bool finite = invert(&b->world[at], &inverse);
    for (int r = 0; r < 3; r++)
        for (int c = 0; c < 4; c++)
            target.m[4 * r + c] += (double)b->skin_world[at].m[4 * c + r];
    for (int r = 0; r < 3 && finite; r++)
        for (int c = 0; c < 4; c++) {
            out->m[4 * r + c] = c == 3 ? inverse.m[4 * r + 3] : 0;
            for (int k = 0; k < 3; k++)
                out->m[4 * r + c] += inverse.m[4 * r + k] * target.m[4 * k + c];
            finite = finite && isfinite(out->m[4 * r + c]);
        }
    for (int i = 0; i < 12 && !finite; i++)
        out->m[i] = i % 5 == 0 ? 1 : 0;
}

// Makes `shape` what the plain joints leave. Passes that only look around remember it.
static limber_result find_left(limberi_bone_frame* f) {
    limberi_bone_bake* b = f->bake;
    size_t numbers = 3 * (size_t)b->model->vertex_count;
    size_t at = f->frame / limberi_bone_bake_every(b);
    bool keeps = b->left && !b->fit_stores;
    if (keeps && b->left_kept[at]) {
        memcpy(f->shape, b->left + at * numbers, numbers * sizeof *f->shape);
        return LIMBER_OK;
    }
    limber_result result = limberi_bone_bake_frame(f);
    if (!result)
        subtract_plain(f);
    if (keeps && !result) {
        memcpy(b->left + at * numbers, f->shape, numbers * sizeof *f->shape);
        b->left_kept[at] = true;
    }
    return result;
}

static void forget_left(limberi_bone_bake* b) {
    memset(b->left_kept, 0, (b->frame_count / limberi_bone_bake_every(b) + 1) * sizeof *b->left_kept);
}

static void fit_frame(limberi_bone_frame* f) {
    limberi_bone_bake* b = f->bake;
    f->result = find_left(f);
    if (f->result)
        return;
    limberi_bones_fit(&b->bones, b->fit_importance, f->shape, f->found);
    for (uint32_t v = 0; v < f->bake->model->vertex_count; v++) {
        float off = limberi_length(limberi_load3(f->shape + 3 * (size_t)v));
        f->off[v] = off > f->off[v] ? off : f->off[v];
    }
    if (b->split && !b->fit_stores)
        limberi_bones_split_look(f);
    for (uint32_t s = 0; b->fit_stores && s < b->bones.slot_count; s++)
        store_slot(f, s);
}

static void fit_some(void* frames, uint32_t first, uint32_t end, uint32_t worker) {
    (void)worker;
    for (uint32_t i = first; i < end; i++)
        fit_frame(&((limberi_bone_frame*)frames)[i]);
}

// One pass of fits; `off` is what they leave. With `store` the transforms are kept.
static limber_result fit_frames(limberi_bone_bake* b, const float* importance, bool store) {
    uint32_t every = store ? 1 : limberi_bone_bake_every(b);
    limber_result result = limberi_bones_factor(&b->bones, &b->source->parallel, importance);
    b->fit_importance = importance;
    b->fit_stores = store;
    if (!result)
        result = limberi_bone_bake_pass(b, every, fit_some, NULL);
    limberi_bone_bake_merge_off(b);
    return result;
}

static limber_result make_bones(limberi_bone_bake* b, bool helpers) {
    limberi_bones_destroy(&b->bones);
    limber_result result = limberi_bones_create(b->model, helpers ? b->helper_of_vertex : NULL,
                                                helpers ? b->helper_count : 0, b->helpers, &b->places, &b->bones);
    for (uint32_t i = 0; !result && i < b->member_count; i++) {
        limberi_bone_frame* f = &b->frames[i];
        f->found = LIMBERI_ALLOCATE(&b->bones.arena, double, LIMBERI_BONE_FOUND*(size_t)b->bones.column_count);
        for (uint32_t m = 0; m < b->model->mesh_count; m++)
            f->palettes[m] = LIMBERI_ALLOCATE(&b->bones.arena, limber_mat4, b->bones.meshes[m].bind_count);
    }
    if (result == LIMBER_ERROR_LIMIT)
        return limberi_fail(b->error, result, "%u joints that share vertices are too many for a bake of bones",
                            b->bones.column_count);
    return result || b->bones.arena.failed ? limberi_fail_memory(b->error) : LIMBER_OK;
}

// Vertices that are far off weigh more: the worst one counts.
static void set_importance(limberi_bone_bake* b) {
    float max = 0;
    for (uint32_t v = 0; v < b->model->vertex_count; v++)
        max = fmaxf(max, b->off[v]);
    for (uint32_t v = 0; v < b->model->vertex_count; v++)
        b->importance[v] *= max > 0 ? 0.3f + b->off[v] / max : 1;
}

static limber_result refit(limberi_bone_bake* b) {
    limber_result result = make_bones(b, true);
    return result ? result : fit_frames(b, NULL, false);
}

// First all pieces of a joint share a helper; those that it does not suit get their own.
static limber_result find_helpers(limberi_bone_bake* b) {
    limberi_bone_islands* islands = limberi_bones_islands_create(b->model);
    limber_result result = islands ? LIMBER_OK : LIMBER_ERROR_MEMORY;
    double share = helper_share;
    memset(b->helper_of_vertex, 0xff, b->model->vertex_count * sizeof *b->helper_of_vertex);
    while (!result && limberi_bones_islands_add(islands, b->off, (float)(share * b->tolerance), b->helper_of_vertex,
                                                &b->helper_count, b->helpers)) {
        share = split_share;
        forget_left(b); // pieces hang on their helpers alone
        result = refit(b);
    }
    limberi_bones_islands_destroy(islands);
    return result;
}

// Helpers take pieces and shares of joints.
static limber_result find_slots(limberi_bone_bake* b) {
    bool splits = b->settings->shares && b->settings->target_limit;
    limber_result result = !splits || limberi_bones_split_open(b) ? LIMBER_OK : LIMBER_ERROR_MEMORY;
    if (!result)
        result = fit_frames(b, NULL, false);
    if (!result)
        result = find_helpers(b);
    if (!result && splits)
        result = limberi_bones_split(b, refit);
    limberi_bones_split_close(b);
    return result || !splits ? result : make_bones(b, true);
}

static limber_result fit_bones(limberi_bone_bake* b) {
    limber_result result = find_slots(b);
    for (uint32_t v = 0; v < b->model->vertex_count; v++)
        b->importance[v] = 1;
    for (int i = 0; !result && i < WEIGHINGS; i++) {
        set_importance(b);
        result = fit_frames(b, b->importance, false);
    }
    if (result)
        return result;
    set_importance(b);
    limberi_release(b->left);
    b->left = NULL;
    b->local = limberi_allocate(((size_t)b->frame_count * b->bones.slot_count + 1) * sizeof *b->local);
    return b->local ? fit_frames(b, b->importance, true) : LIMBER_ERROR_MEMORY;
}

// --- keys ---

// A slot while keys are made. Bones have room for all slots.
typedef struct slot_keys {
    limberi_bone_bake* bake;
    limber_result result;
} slot_keys;

// Any thread, for different slots.
static limber_result key_slot(limberi_bone_bake* b, uint32_t slot) {
    uint32_t joints = b->model->rig.joint_count;
    double unit = b->bones.unit[slot];
    double size = (double)b->model->size;
    limber_bake_bone* bone = &b->bake->bones[slot];
    limberi_bone_keys_job job = {.track_count = b->bake->track_count,
                                 .tracks = b->bake->tracks,
                                 .frames = b->local + slot,
                                 .stride = b->bones.slot_count,
                                 .tolerance = key_share * b->tolerance / (size * unit),
                                 .low = b->bones.low + 3 * (size_t)slot,
                                 .high = b->bones.high + 3 * (size_t)slot,
                                 .packed = b->tolerance >= packed_tolerance * size};
    bool rests;
    bool helper = slot >= joints;
    bone->joint = limberi_bone_bake_joint(b, slot);
    bone->helper_mesh = helper ? (int32_t)b->helpers[slot - joints].mesh : -1;
    bone->helper_bind = helper ? b->helpers[slot - joints].bind : 0;
    bone->axes = limberi_quat_identity();
    limber_result result = limberi_bone_keys(&job, bone, &rests);
    if (rests && helper && !result) { // its vertices need it all the same
        bone->curves = limberi_allocate_zeroed((size_t)job.track_count * LIMBER_BONE_CURVES + 1, sizeof *bone->curves);
        result = bone->curves ? LIMBER_OK : LIMBER_ERROR_MEMORY;
    }
    return result;
}

static void key_some(void* user, uint32_t first, uint32_t end, uint32_t worker) {
    slot_keys* all = user;
    (void)worker;
    for (uint32_t s = first; s < end; s++)
        if (all[s].bake->bones.column[s] != UINT32_MAX)
            all[s].result = key_slot(all[s].bake, s);
}

// Slots that move become bones, in the order of slots.
static void list_bones(limber_bake* bake, uint32_t slot_count, uint32_t* bone_of_slot) {
    bake->bone_count = 0;
    for (uint32_t s = 0; s < slot_count; s++) {
        const limber_bake_bone bone = bake->bones[s];
        const limber_bake_bone none = {0};
        bake->bones[s] = none;
        bone_of_slot[s] = bake->bone_count;
        if (bone.curves)
            bake->bones[bake->bone_count++] = bone;
    }
}

static limber_result name_helpers(limberi_bone_bake* b, const uint32_t* bone_of_slot) {
    for (uint32_t h = 0; h < b->helper_count; h++) {
        uint32_t m = b->helpers[h].mesh;
        const limber_mesh* mesh = &b->model->meshes[m];
        int32_t* helper = b->bake->meshes[m].helper;
        if (helper)
            continue; // another one of the mesh was here
        helper = b->bake->meshes[m].helper = limberi_allocate(mesh->vertex_count * sizeof *helper);
        for (uint32_t v = 0; helper && v < mesh->vertex_count; v++) {
            int32_t number = b->helper_of_vertex[mesh->first_vertex + v];
            helper[v] = number < 0 ? -1 : (int32_t)bone_of_slot[b->model->rig.joint_count + (uint32_t)number];
        }
        if (!helper)
            return LIMBER_ERROR_MEMORY;
    }
    return LIMBER_OK;
}

// The influences of a mesh that mean helpers which share vertices with joints.
static void add_shares(const limberi_bone_bake* b, uint32_t m, const uint32_t* bone_of_slot, limber_bake_share* shares,
                       uint32_t* count) {
    const limberi_bone_mesh* mesh = &b->bones.meshes[m];
    uint32_t joints = b->model->rig.joint_count;
    for (uint32_t v = 0; v < mesh->mesh.vertex_count; v++)
        for (uint32_t i = mesh->mesh.influence_first[v]; i < mesh->mesh.influence_first[v + 1]; i++) {
            uint32_t slot = mesh->slots[mesh->mesh.influence_joint[i]];
            if (slot < joints || b->helper_of_vertex[mesh->mesh.first_vertex + v] >= 0)
                continue;
            if (shares)
                shares[*count] = (limber_bake_share){v, bone_of_slot[slot], mesh->mesh.influence_weight[i]};
            ++*count;
        }
}

static limber_result list_shares(limberi_bone_bake* b, const uint32_t* bone_of_slot) {
    uint32_t count = 0;
    for (uint32_t m = 0; m < b->model->mesh_count; m++)
        add_shares(b, m, bone_of_slot, NULL, &count);
    b->bake->shares = limberi_allocate(((size_t)count + 1) * sizeof *b->bake->shares);
    for (uint32_t m = 0; b->bake->shares && m < b->model->mesh_count; m++)
        add_shares(b, m, bone_of_slot, b->bake->shares, &b->bake->share_count);
    return b->bake->shares ? LIMBER_OK : LIMBER_ERROR_MEMORY;
}

static limber_result make_keys(limberi_bone_bake* b) {
    uint32_t count = b->bones.slot_count;
    uint32_t* bone_of_slot = LIMBERI_ALLOCATE(&b->arena, uint32_t, count);
    slot_keys* all = LIMBERI_ALLOCATE(&b->arena, slot_keys, count);
    b->bake->bones = limberi_allocate_zeroed((size_t)count + 1, sizeof *b->bake->bones);
    if (!bone_of_slot || !all || !b->bake->bones)
        return LIMBER_ERROR_MEMORY;
    b->bake->bone_count = count;
    for (uint32_t s = 0; s < count; s++)
        all[s].bake = b;
    limberi_parallel_for(&b->source->parallel, count, 1, key_some, all);
    for (uint32_t s = 0; s < count; s++)
        if (all[s].result)
            return all[s].result;
    list_bones(b->bake, count, bone_of_slot);
    limber_result result = name_helpers(b, bone_of_slot);
    return result || !b->places.count ? result : list_shares(b, bone_of_slot);
}

// --- all of it ---

static limber_result allocate(limberi_bone_bake* b) {
    const limber_model* model = b->model;
    size_t numbers = 3 * (size_t)model->vertex_count;
    size_t joints = model->rig.joint_count;
    size_t frames = b->frame_count;
    size_t fit = numbers ? CACHE_BYTES / (numbers * sizeof(float)) : 0;
    b->cache_count = (uint32_t)(fit < frames ? fit : frames);
    if (model->morph_count)
        b->cache_count = 0; // vertices of morphed meshes are known only after an evaluation
    b->cache = limberi_allocate((b->cache_count * numbers + 1) * sizeof *b->cache); // touched first by many threads
    size_t sparse = frames / limberi_bone_bake_every(b) + 1;
    bool remembers = b->cache_count == frames && numbers && fit - frames >= sparse;
    b->left = remembers ? limberi_allocate(sparse * numbers * sizeof *b->left) : NULL;
    b->left_kept = LIMBERI_ALLOCATE(&b->arena, bool, sparse);
    b->world = LIMBERI_ALLOCATE(&b->arena, limber_mat4, frames * joints);
    b->skin_world = LIMBERI_ALLOCATE(&b->arena, limber_mat4, frames * joints);
    b->shown = LIMBERI_ALLOCATE(&b->arena, bool, frames);
    b->settled = LIMBERI_ALLOCATE(&b->arena, bool, frames);
    b->helpers = LIMBERI_ALLOCATE(&b->arena, limberi_bone_helper, LIMBER_BONE_HELPERS);
    b->places.places = LIMBERI_ALLOCATE(&b->arena, limberi_bone_place, 2 * LIMBER_BONE_HELPERS);
    b->helper_of_vertex = LIMBERI_ALLOCATE(&b->arena, int32_t, model->vertex_count);
    b->off = LIMBERI_ALLOCATE(&b->arena, float, model->vertex_count);
    b->importance = LIMBERI_ALLOCATE(&b->arena, float, model->vertex_count);
    b->bake->kind = LIMBER_BAKE_BONES;
    b->bake->meshes = limberi_allocate_zeroed((size_t)model->mesh_count + 1, sizeof *b->bake->meshes);
    b->bake->mesh_count = b->bake->meshes ? model->mesh_count : 0;
    for (uint32_t m = 0; m < b->bake->mesh_count; m++) {
        b->bake->meshes[m].weights = limberi_allocate_zeroed((size_t)b->bake->track_count + 1, sizeof(float*));
        if (!b->bake->meshes[m].weights)
            return limberi_fail_memory(b->error);
    }
    bool failed = b->arena.failed || !b->cache || (remembers && !b->left) || !b->bake->meshes;
    return failed ? limberi_fail_memory(b->error) : LIMBER_OK;
}

static limber_result fill_bones(limberi_bone_bake* b) {
    limber_result result = limberi_bake_tracks(b->source, b->settings, b->bake, &b->frame_count, b->error);
    if (!result)
        result = allocate(b);
    if (!result)
        result = limberi_bone_bake_open(b);
    if (!result)
        result = make_bones(b, false);
    limberi_smear_bake smears = {.source = b->source, .settings = b->settings, .bake = b->bake, .error = b->error};
    b->smears = smears;
    b->smears.frame_count = b->frame_count;
    b->progress_total = PASSES * b->frame_count;
    if (!result)
        result = limberi_bone_bake_collect(b);
    if (!result && b->settings->packs_clips && b->tolerance >= packed_tolerance * (double)b->model->size)
        result = limberi_bone_bake_clips(b);
    if (!result)
        result = fit_bones(b);
    if (!result)
        result = make_keys(b);
    if (!result)
        result = limberi_bone_bake_targets(b);
    if (!result)
        result = b->source->shifts(b->source->user, b->settings->fps, b->bake);
    if (!result)
        result = limberi_smear_bake_finish(&b->smears);
    limberi_smear_bake_close(&b->smears);
    return result;
}

limber_result limberi_bake_bones(const limberi_bake_source* source, const limber_bake_settings* settings,
                                 limber_bake** bake, limber_error* error) {
    double tolerance = settings->tolerance > 0 ? settings->tolerance : default_tolerance;
    limberi_bone_bake b = {.source = source,
                           .model = source->model,
                           .settings = settings,
                           .error = error,
                           .tolerance = tolerance * (double)source->model->size,
                           .bake = limberi_allocate_zeroed(1, sizeof *b.bake)};
    limberi_error_empty(error);
    limber_result result = b.bake ? fill_bones(&b) : LIMBER_ERROR_MEMORY;
    source->close(source->user);
    limberi_bones_destroy(&b.bones);
    limberi_release(b.local);
    limberi_release(b.cache);
    limberi_release(b.left);
    limberi_arena_free(&b.arena);
    if (result) {
        limber_bake_destroy(b.bake);
        if (result == LIMBER_ERROR_MEMORY)
            return limberi_fail_memory(error);
        bool said = !error || error->message[0] || result == LIMBER_ERROR_LIMIT;
        return said ? limberi_error_fill(error, result) : limberi_fail(error, result, "the bones could not be fitted");
    }
    *bake = b.bake;
    return LIMBER_OK;
}
