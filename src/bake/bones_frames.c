// The frames of a bone bake, from its source or from memory, and how a player will skin them.
#include "bake/bones.h"
#include "base/build.h"
#include "base/error.h"
#include "base/math.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "skin/skin.h"

#include <string.h>

// SPARSE_STEP: passes that only look around see every so many frames where there are more than FEW_FRAMES.
// FRAMES_OF_WORKER: in a round, after which threads wait for the slowest of them.
enum { VERTICES_PER_TASK = 1024, FEW_FRAMES = 120, SPARSE_STEP = 3, FRAMES_OF_WORKER = 16 };

// --- skinning ---

static limber_mat4 to_matrix(const limberi_affine* a) {
    limber_mat4 m = limber_mat4_identity();
    for (int r = 0; r < 3; r++)
        for (int c = 0; c < 4; c++)
            m.m[4 * c + r] = (float)a->m[4 * r + c];
    return m;
}

const float* limberi_bone_bake_morphed(const limberi_bone_frame* f, uint32_t m) {
    const limber_mesh* mesh = &f->bake->model->meshes[m];
    return limberi_bake_morphed(f->shown.morphed_positions, mesh, mesh->positions);
}

void limberi_bone_bake_pose(limberi_bone_frame* f, bool bones) {
    const limberi_bone_bake* b = f->bake;
    const limber_mat4* world = (bones ? b->world : b->skin_world) + (size_t)f->frame * b->model->rig.joint_count;
    const limberi_affine* local = bones ? b->local + (size_t)f->frame * b->bones.slot_count : NULL;
    for (uint32_t m = 0; m < b->model->mesh_count; m++) {
        const limberi_bone_mesh* mesh = &b->bones.meshes[m];
        for (uint32_t k = 0; k < mesh->bind_count; k++) {
            uint32_t slot = mesh->slots[k];
            limber_mat4 place = world[limberi_bone_bake_joint(b, slot)];
            limber_mat4 added;
            if (bones) {
                added = to_matrix(&local[slot]);
                place = limberi_mat4_mul(&place, &added);
            }
            f->palettes[m][k] = limberi_mat4_mul(&place, &mesh->joint_from_mesh[k]);
        }
    }
}

static void skin_some(void* user, uint32_t first, uint32_t end, uint32_t worker) {
    (void)worker;
    limberi_skin_linear(user, first, end);
}

void limberi_bone_bake_skin(limberi_bone_frame* f, uint32_t m, const float* positions, float* out) {
    const limberi_bone_mesh* mesh = &f->bake->bones.meshes[m];
    limber_skin_job job = limber_skin_job_default();
    job.mesh = &mesh->mesh;
    job.palette = f->palettes[m];
    job.palette_count = mesh->bind_count;
    job.positions = positions;
    job.out_positions = out;
    limberi_parallel_for(limberi_bake_inside(f->bake->source, f->bake->member_count), mesh->mesh.vertex_count,
                         VERTICES_PER_TASK, skin_some, &job);
}

// --- frames ---

static void find_frame(const limberi_bone_bake* b, uint32_t frame, uint32_t* track, uint32_t* index) {
    *track = 0;
    while (frame >= b->bake->tracks[*track].frame_count)
        frame -= b->bake->tracks[(*track)++].frame_count;
    *index = frame;
}

static void remember_joints(const limberi_bone_frame* f) {
    limberi_bone_bake* b = f->bake;
    size_t joints = b->model->rig.joint_count;
    memcpy(b->world + f->frame * joints, f->shown.world_from_joint, joints * sizeof *b->world);
    memcpy(b->skin_world + f->frame * joints, f->shown.skin_from_joint, joints * sizeof *b->world);
}

static limber_result evaluate(limberi_bone_frame* f, bool first) {
    limberi_bone_bake* b = f->bake;
    const limber_bake_track* track = &b->bake->tracks[f->track];
    const limber_clip* clip = &b->model->clips[track->clip];
    double time_s = (double)track->times[f->index];
    limber_result result = b->source->frame(b->source->user, f->member, (int32_t)track->clip, time_s,
                                            limberi_bake_rate(b->settings, clip), &f->shown);
    if (result)
        return result;
    b->shown[f->frame] = limberi_bake_shows(b->settings, time_s);
    if (first)
        remember_joints(f);
    memcpy(f->wanted, f->shown.positions, 3 * (size_t)b->model->vertex_count * sizeof(float));
    if (!b->shown[f->frame]) {
        limberi_bone_bake_pose(f, false);
        for (uint32_t m = 0; m < b->model->mesh_count; m++)
            limberi_bone_bake_skin(f, m, limberi_bone_bake_morphed(f, m),
                                   f->wanted + 3 * (size_t)b->model->meshes[m].first_vertex);
    }
    return LIMBER_OK;
}

static limber_result step(limberi_bone_bake* b) {
    uint32_t done = b->progress < b->progress_total ? b->progress++ : b->progress_total;
    if (b->settings->progress && !b->settings->progress(b->settings->user, done, b->progress_total))
        return limberi_fail(b->error, LIMBER_ERROR_ARGUMENT, "the bake was stopped");
    return LIMBER_OK;
}

limber_result limberi_bone_bake_frame(limberi_bone_frame* f) {
    const limberi_bone_bake* b = f->bake;
    if (f->frame >= b->cached)
        return evaluate(f, false);
    size_t numbers = 3 * (size_t)b->model->vertex_count;
    memcpy(f->wanted, b->cache + f->frame * numbers, numbers * sizeof(float));
    return LIMBER_OK;
}

// --- passes ---

// A frame that a round has to do.
typedef struct due_frame {
    uint32_t frame, track, index;
    limber_result result;
} due_frame;

typedef struct pass_round {
    limberi_bone_bake* bake;
    limber_task task;
    due_frame* due;
    uint32_t room, count;
} pass_round;

static limber_result set_due(limberi_bone_bake* b, uint32_t frame, due_frame* due) {
    due->frame = frame;
    find_frame(b, frame, &due->track, &due->index);
    limber_result result = step(b);
    return result ? result : b->source->prepare(b->source->user, b->bake->tracks[due->track].clip);
}

static void take_frame(limberi_bone_frame* f, const due_frame* due) {
    f->frame = due->frame;
    f->track = due->track;
    f->index = due->index;
}

uint32_t limberi_bone_bake_every(const limberi_bone_bake* b) {
    return b->frame_count > FEW_FRAMES ? SPARSE_STEP : 1;
}

static limber_result fill_round(pass_round* r, uint32_t every, uint32_t* frame) {
    limberi_bone_bake* b = r->bake;
    limber_result result = LIMBER_OK;
    for (r->count = 0; !result && r->count < r->room && *frame < b->frame_count; *frame += every)
        if (!b->settled[*frame])
            result = set_due(b, *frame, &r->due[r->count++]);
    return result;
}

static void run_by_worker(void* user, uint32_t first, uint32_t end, uint32_t worker) {
    const pass_round* r = user;
    limberi_bone_frame* f = &r->bake->frames[worker];
    for (uint32_t i = first; i < end; i++) {
        take_frame(f, &r->due[i]);
        r->task(r->bake->frames, worker, worker + 1, worker);
        r->due[i].result = f->result;
    }
}

static void run_by_member(pass_round* r) {
    limberi_bone_bake* b = r->bake;
    for (uint32_t i = 0; i < r->count; i++)
        take_frame(&b->frames[i], &r->due[i]);
    limberi_bake_each(b->source, b->member_count, r->count, r->task, b->frames);
    for (uint32_t i = 0; i < r->count; i++)
        r->due[i].result = b->frames[i].result;
}

static limber_result run_round(pass_round* r, limberi_bone_collect* collect) {
    limberi_bone_bake* b = r->bake;
    limber_result result = LIMBER_OK;
    if (!LIMBERI_IS_SMALL && b->by_worker)
        limberi_parallel_for(&b->source->parallel, r->count, 1, run_by_worker, r);
    else
        run_by_member(r);
    for (uint32_t i = 0; !result && i < r->count; i++)
        result = r->due[i].result || !collect ? r->due[i].result : collect(b, &b->frames[i]);
    return result;
}

limber_result limberi_bone_bake_pass(limberi_bone_bake* b, uint32_t every, limber_task task,
                                     limberi_bone_collect* collect) {
    pass_round r = {.bake = b, .task = task, .room = b->member_count * (b->by_worker ? FRAMES_OF_WORKER : 1)};
    r.due = limberi_allocate(r.room * sizeof *r.due);
    limber_result result = r.due ? LIMBER_OK : LIMBER_ERROR_MEMORY;
    for (uint32_t f = 0; !result && f < b->frame_count;) {
        result = fill_round(&r, every, &f);
        if (!result)
            result = run_round(&r, collect);
    }
    limberi_release(r.due);
    return result;
}

// Threads need no more members than there are threads, but for smears, which are collected after the round.
static limber_result open_source(limberi_bone_bake* b) {
    uint32_t workers = limberi_worker_count(&b->source->parallel);
    b->by_worker = !LIMBERI_IS_SMALL && workers > 1 && !b->source->smears && b->frame_count > workers;
    return b->source->open(b->source->user, false, b->by_worker ? workers : b->frame_count, &b->member_count, b->error);
}

limber_result limberi_bone_bake_open(limberi_bone_bake* b) {
    size_t vertices = b->model->vertex_count;
    limber_result result = open_source(b);
    if (!result && !b->settings->clips)
        result = b->source->prepare(b->source->user, LIMBERI_ALL_CLIPS);
    b->frames = result ? NULL : LIMBERI_ALLOCATE(&b->arena, limberi_bone_frame, b->member_count);
    for (uint32_t i = 0; b->frames && i < b->member_count; i++) {
        limberi_bone_frame* f = &b->frames[i];
        f->bake = b;
        f->member = i;
        f->wanted = LIMBERI_ALLOCATE(&b->arena, float, 3 * vertices);
        f->shape = LIMBERI_ALLOCATE(&b->arena, float, 3 * vertices);
        f->off = LIMBERI_ALLOCATE(&b->arena, float, vertices);
        f->palettes = LIMBERI_ALLOCATE(&b->arena, limber_mat4*, b->model->mesh_count);
    }
    if (result)
        return result;
    return b->arena.failed ? LIMBER_ERROR_MEMORY : LIMBER_OK;
}

void limberi_bone_bake_merge_off(limberi_bone_bake* b) {
    size_t vertices = b->model->vertex_count;
    memset(b->off, 0, vertices * sizeof *b->off);
    for (uint32_t i = 0; i < b->member_count; i++) {
        for (size_t v = 0; v < vertices; v++)
            b->off[v] = b->frames[i].off[v] > b->off[v] ? b->frames[i].off[v] : b->off[v];
        memset(b->frames[i].off, 0, vertices * sizeof *b->off);
    }
}

// --- the first pass ---

static void keep_frames(void* frames, uint32_t first, uint32_t end, uint32_t worker) {
    (void)worker;
    for (limberi_bone_frame* f = (limberi_bone_frame*)frames + first; f < (limberi_bone_frame*)frames + end; f++) {
        size_t numbers = 3 * (size_t)f->bake->model->vertex_count;
        f->result = evaluate(f, true);
        if (!f->result && f->frame < f->bake->cache_count)
            memcpy(f->bake->cache + f->frame * numbers, f->wanted, numbers * sizeof(float));
    }
}

static limber_result collect_smears(limberi_bone_bake* b, limberi_bone_frame* f) {
    return limberi_smear_bake_collect(&b->smears, f->frame, &f->shown, b->shown[f->frame]);
}

limber_result limberi_bone_bake_collect(limberi_bone_bake* b) {
    limber_result result = limberi_bone_bake_pass(b, 1, keep_frames, b->by_worker ? NULL : collect_smears);
    b->cached = result ? 0 : b->cache_count;
    return result;
}
