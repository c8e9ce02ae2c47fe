// Smears of a clip: the frames around the current one, kept as long as they are useful, so that going through a
// clip evaluates every frame once.
#include "pipeline/pipeline_private.h"

#include "base/math.h"
#include "base/memory.h"
#include "pipeline/clone.h"
#include "pipeline/smear_times.h"
#include "smear/smear.h"

#include <string.h>

// What a path can reach to either side, and the frame on show when poses are held.
enum { SLOTS = 2 * (LIMBER_SMEAR_REACH + 2) + 2 };

// One evaluated frame.
typedef struct slot {
    bool used, has_offsets;
    double time_s;
    uint64_t tick;                        // of the call that used it last
    float *positions, *normals, *skinned; // [vertex * 3], world
    float *seen_positions, *seen_normals; // in the space that smears work in: the same, or the camera's
    float* offsets;                       // [vertex] not smoothed
    limber_smear_bone* bones;             // [joint]
    limber_mat4 world_from_space, space_from_world;
} slot;

struct limberi_smear_stage {
    limber_smearer* smearer;
    uint32_t wanted; // outputs the slots have
    slot slots[SLOTS];
    uint64_t tick;
    int32_t clip;
    double fps, phase;                    // what the slots are of
    limberi_averager* averager;           // of the smeared surface
    float *positions, *normals, *offsets; // of the frame on show
    limber_smear_frame frames[SLOTS];
    limberi_shots shots;
    limberi_smear_samples* samples; // NULL: nothing is drawn by the motion between frames
};

// --- slots ---

static void free_slot(slot* s) {
    if (s->seen_positions != s->positions)
        limberi_release(s->seen_positions);
    if (s->seen_normals != s->normals)
        limberi_release(s->seen_normals);
    limberi_release(s->positions);
    limberi_release(s->normals);
    limberi_release(s->skinned);
    limberi_release(s->offsets);
    limberi_release(s->bones);
    memset(s, 0, sizeof *s);
}

static bool allocate_slot(const limber_pipeline* p, slot* s) {
    size_t vertices = (size_t)p->model->vertex_count + 1;
    size_t joints = (size_t)p->model->rig.joint_count + 1;
    bool camera = p->settings.smear.offsets.camera >= 0;
    s->positions = limberi_allocate(3 * vertices * sizeof(float));
    s->normals = limberi_allocate(3 * vertices * sizeof(float));
    s->skinned = limberi_allocate(3 * vertices * sizeof(float));
    s->offsets = limberi_allocate(vertices * sizeof(float));
    s->bones = limberi_allocate(joints * sizeof *s->bones);
    s->seen_positions = camera ? limberi_allocate(3 * vertices * sizeof(float)) : s->positions;
    s->seen_normals = camera ? limberi_allocate(3 * vertices * sizeof(float)) : s->normals;
    bool taken =
        s->positions && s->normals && s->skinned && s->offsets && s->bones && s->seen_positions && s->seen_normals;
    if (!taken)
        free_slot(s);
    return taken;
}

static slot* find_slot(struct limberi_smear_stage* stage, double time_s) {
    for (uint32_t i = 0; i < SLOTS; i++)
        if (stage->slots[i].used && stage->slots[i].time_s == time_s)
            return &stage->slots[i];
    return NULL;
}

// One that neither this call nor the one before has used; a new one only when there is none, so that memory grows no
// further than the longest path needs.
static slot* free_place(struct limberi_smear_stage* stage) {
    slot* oldest = NULL;
    slot* fresh = NULL;
    for (uint32_t i = 0; i < SLOTS; i++) {
        slot* s = &stage->slots[i];
        if (!s->positions)
            fresh = fresh ? fresh : s;
        else if (!oldest || s->tick < oldest->tick)
            oldest = s;
    }
    if (oldest && (oldest->tick + 1 < stage->tick || !fresh))
        return oldest;
    return fresh;
}

static void copy_or_clear(float* to, const float* from, size_t count) {
    if (from)
        memcpy(to, from, count * sizeof *to);
    else
        memset(to, 0, count * sizeof *to);
}

// A camera has no size: its scale is left out.
static limber_mat4 camera_place(const limber_pipeline* p, const limber_frame* frame) {
    const limber_clip* clip = p->smear->clip < 0 ? NULL : &p->model->clips[p->smear->clip];
    uint32_t camera = (uint32_t)p->settings.smear.offsets.camera;
    limber_mat4 world = limber_camera_world(p->model, clip, frame->time_s, frame->pose, camera);
    limber_mat4 rigid;
    float r[9];
    rigid = limber_mat4_identity();
    limberi_mat4_rotation(&world, r);
    for (size_t c = 0; c < 3; c++)
        memcpy(rigid.m + 4 * c, r + 3 * c, 3 * sizeof(float));
    memcpy(rigid.m + 12, world.m + 12, 3 * sizeof(float));
    return rigid;
}

static void see_from_camera(limber_pipeline* p, slot* s, const limber_frame* frame) {
    s->world_from_space = camera_place(p, frame);
    if (!limberi_mat4_inverse(&s->world_from_space, &s->space_from_world))
        s->world_from_space = s->space_from_world = limber_mat4_identity();
    for (size_t i = 0; i < 3 * (size_t)p->model->vertex_count; i += 3) {
        limber_vec3 point = limberi_load3(s->positions + i);
        limber_vec3 normal = limberi_load3(s->normals + i);
        limberi_store3(s->seen_positions + i, limberi_mat4_point(&s->space_from_world, point));
        limberi_store3(s->seen_normals + i, limberi_mat4_vector(&s->space_from_world, normal));
    }
}

static void fill_slot(limber_pipeline* p, slot* s, const limber_frame* frame) {
    size_t numbers = 3 * (size_t)p->model->vertex_count;
    memcpy(s->positions, frame->positions, numbers * sizeof(float));
    copy_or_clear(s->normals, frame->normals, numbers);
    copy_or_clear(s->skinned, frame->skinned, numbers);
    bool camera = p->settings.smear.offsets.camera >= 0;
    if (camera)
        see_from_camera(p, s, frame);
    limber_smearer_bones(p->smear->smearer, frame->pose, camera ? &s->space_from_world : NULL, s->bones);
    s->has_offsets = false;
}

// The frame at a time, evaluated unless it is there.
static limber_result get_slot(limber_pipeline* p, double time_s, slot** out) {
    struct limberi_smear_stage* stage = p->smear;
    slot* s = find_slot(stage, time_s);
    *out = s;
    if (s) {
        s->tick = stage->tick;
        return LIMBER_OK;
    }
    s = free_place(stage);
    limber_frame frame;
    if (!s->positions && !allocate_slot(p, s))
        return LIMBER_ERROR_MEMORY;
    s->used = false;
    limber_result result = limberi_pipeline_evaluate_at(p, stage->clip, time_s, &frame);
    if (result)
        return result;
    fill_slot(p, s, &frame);
    s->used = true;
    s->time_s = time_s;
    s->tick = stage->tick;
    *out = s;
    return LIMBER_OK;
}

static limber_smear_frame view_of(const slot* s) {
    limber_smear_frame frame = {s->seen_positions, s->seen_normals, s->bones};
    return frame;
}

// --- the stage ---

void limberi_pipeline_smear_destroy(struct limberi_smear_stage* stage) {
    if (!stage)
        return;
    for (uint32_t i = 0; i < SLOTS; i++)
        free_slot(&stage->slots[i]);
    limberi_smear_samples_destroy(stage->samples);
    limber_smearer_destroy(stage->smearer);
    limberi_averager_destroy(stage->averager);
    limberi_release(stage->shots.places);
    limberi_release(stage->positions);
    limberi_release(stage->normals);
    limberi_release(stage->offsets);
    limberi_release(stage);
}

static limber_result open_stage(limber_pipeline* p) {
    if (p->smear)
        return LIMBER_OK;
    size_t vertices = (size_t)p->model->vertex_count + 1;
    struct limberi_smear_stage* stage = limberi_allocate_zeroed(1, sizeof *stage);
    if (!stage)
        return LIMBER_ERROR_MEMORY;
    stage->clip = INT32_MIN;
    stage->shots.clip = -1;
    stage->shots.places = limberi_allocate(((size_t)p->model->rig.joint_count + 1) * sizeof *stage->shots.places);
    stage->positions = limberi_allocate(3 * vertices * sizeof(float));
    stage->normals = limberi_allocate(3 * vertices * sizeof(float));
    stage->offsets = limberi_allocate(vertices * sizeof(float));
    stage->averager = limberi_averager_create(p->asset);
    bool taken = stage->shots.places && stage->positions && stage->normals && stage->offsets && stage->averager;
    limber_result result = taken ? LIMBER_OK : LIMBER_ERROR_MEMORY;
    if (!result)
        result = limber_smearer_create(p->asset, &p->settings.smear, &stage->smearer, NULL);
    const struct limberi_drawn* drawn = result ? NULL : limberi_smearer_drawn(stage->smearer);
    stage->samples = drawn ? limberi_smear_samples_create(drawn) : NULL;
    if (drawn && !stage->samples)
        result = LIMBER_ERROR_MEMORY;
    if (result)
        limberi_pipeline_smear_destroy(stage);
    else
        p->smear = stage;
    return result;
}

// Everything else of a smear is looked up when a frame is made.
void limberi_pipeline_layer_changed(limber_pipeline* p, uint32_t mesh, uint32_t layer) {
    limberi_deformer_layer_changed(p->deformer, mesh, layer);
    if (p->collision)
        limberi_collision_repaint(p->collision);
    for (uint32_t i = 0; p->smear && i < SLOTS; i++)
        p->smear->slots[i].used = false;
}

// Slots of another clip, rate or place between frames are of no use.
static void start_call(limber_pipeline* p, int32_t clip, const limberi_timeline* t) {
    struct limberi_smear_stage* stage = p->smear;
    double phase = t->clip && !t->on_grid ? fmod((t->time_s - t->clip->start_s) * t->fps, 1) : 0;
    bool same = stage->clip == clip && stage->fps == t->fps && fabs(stage->phase - phase) < 1e-9 &&
                (stage->wanted & p->outputs) == p->outputs;
    for (uint32_t i = 0; !same && i < SLOTS; i++)
        stage->slots[i].used = false;
    if (!same && stage->samples)
        limberi_smear_samples_forget(stage->samples);
    stage->clip = clip;
    stage->fps = t->fps;
    stage->phase = phase;
    stage->wanted = p->outputs;
    stage->tick++;
}

// --- offsets ---

// The step that the velocity of frame number n is taken over: to the next frame, or at an end from the last one that is
// another; before the start to the first one that is.
static limber_result find_step(limber_pipeline* p, const limberi_timeline* t, int32_t n, slot** from, slot** to) {
    limber_result result = get_slot(p, limberi_timeline_at(t, n), from);
    if (!result)
        result = get_slot(p, limberi_timeline_at(t, n + 1), to);
    if (result || *from != *to)
        return result;
    for (int32_t back = 1; back <= (int32_t)LIMBER_SMEAR_SMOOTH && *from == *to && !result; back++)
        result = get_slot(p, limberi_timeline_at(t, n - back), from);
    for (int32_t on = 2; on <= (int32_t)LIMBER_SMEAR_SMOOTH + 1 && *from == *to && !result; on++)
        result = get_slot(p, limberi_timeline_at(t, n + on), to);
    return result;
}

// Smears as drawn have no use for them.
static bool wants_offsets(const limber_pipeline* p) {
    return p->outputs & LIMBER_OUTPUT_OFFSETS || limberi_smear_reads_offsets(&p->settings.smear);
}

// What offsets are by: the step of the frame, or, if they are steady, the last 1/24 s, as far as the clip has it.
static limber_result find_span(limber_pipeline* p, const limberi_timeline* t, int32_t n, slot** from, slot** to) {
    if (!p->settings.smear.steady_offsets || !t->clip)
        return find_step(p, t, n, from, to);
    const uint32_t parts = 240;
    int64_t back = (int64_t)round(parts * fmax(t->fps / 24, 1)) * p->settings.smear.step;
    limber_result result = get_slot(p, limberi_timeline_at(t, n), to);
    if (!result)
        result = get_slot(p, limberi_timeline_between(t, (int64_t)n * parts - back, parts), from);
    return result || *from != *to ? result : find_step(p, t, n, from, to);
}

static limber_result offsets_at(limber_pipeline* p, const limberi_timeline* t, int32_t n, const float** out) {
    slot *at, *from, *to;
    limber_result result = get_slot(p, limberi_timeline_at(t, n), &at);
    if (!result && !at->has_offsets)
        result = find_span(p, t, n, &from, &to);
    if (result)
        return result;
    if (!at->has_offsets) {
        limber_smear_frame views[2] = {view_of(from), view_of(to)};
        limber_smearer_offsets(p->smear->smearer, at == from ? &views[0] : &views[1], &views[0], &views[1],
                               at->offsets);
    }
    at->has_offsets = true;
    *out = at->offsets;
    return LIMBER_OK;
}

// A job with its time, for formulas.
static limber_smear_job job_at(const limberi_timeline* t) {
    limber_smear_job job = limber_smear_job_default();
    double duration = t->clip ? t->clip->end_s - t->clip->start_s : 0;
    job.time_s = t->clip ? t->time_s - t->clip->start_s : 0;
    job.frame = job.time_s * t->fps;
    job.phase = duration > 0 ? job.time_s / duration : 0;
    return job;
}

static limber_result smooth_offsets(limber_pipeline* p, const limberi_timeline* t) {
    const float* around[2 * LIMBER_SMEAR_SMOOTH + 1];
    limber_smear_job job = job_at(t);
    int32_t n = (int32_t)limberi_smear_smooth_at(&p->settings.smear, &job);
    for (int32_t i = -n; i <= n; i++) {
        limber_result result = offsets_at(p, t, i, &around[i + n]);
        if (result)
            return result;
    }
    limberi_smear_smooth(around, (uint32_t)n, p->model->vertex_count, p->smear->offsets);
    return LIMBER_OK;
}

// --- a frame ---

static void turn_normals(limber_pipeline* p, const slot* now) {
    struct limberi_smear_stage* stage = p->smear;
    limberi_average_job job = {now->positions, now->normals, stage->positions, stage->normals, p->variant};
    limberi_averager_run_everywhere(stage->averager, &job);
}

static limber_result gather_frames(limber_pipeline* p, const limberi_timeline* t, limber_smear_reach reach) {
    for (int32_t n = reach.first; n <= reach.last; n++) {
        slot* s;
        limber_result result = get_slot(p, limberi_timeline_at(t, n), &s);
        if (result)
            return result;
        p->smear->frames[n - reach.first] = view_of(s);
    }
    return LIMBER_OK;
}

static limber_result run_smear(limber_pipeline* p, const limberi_timeline* t, slot* now) {
    struct limberi_smear_stage* stage = p->smear;
    slot *from, *to;
    limber_result result = find_step(p, t, 0, &from, &to);
    if (result)
        return result;
    limber_smear_frame views[3] = {view_of(now), view_of(from), view_of(to)};
    limber_smear_job job = job_at(t);
    job.now = &views[0];
    job.from = from == now ? &views[0] : &views[1];
    job.to = to == now ? &views[0] : &views[2];
    job.offsets = stage->offsets;
    limber_smear_reach reach;
    result = limber_smearer_plan(stage->smearer, &job, &reach);
    if (!result)
        result = gather_frames(p, t, reach);
    if (result)
        return result;
    job.world_from_space = p->settings.smear.offsets.camera >= 0 ? &now->world_from_space : NULL;
    job.first = reach.first;
    job.frames = stage->frames;
    result = limber_smearer_evaluate(stage->smearer, &job, stage->positions);
    if (result || !stage->samples)
        return result;
    limberi_drawn_grid grid = limberi_drawn_grid_at(t->clip ? t->fps : 0);
    limberi_drawn_run(stage->smearer, &grid, limberi_smear_samples_around(stage->samples, p, t, &grid), now->positions,
                      stage->positions);
    return LIMBER_OK;
}

static void show(limber_pipeline* p, const slot* now, const slot* shown, bool smeared, limber_smeared* out) {
    struct limberi_smear_stage* stage = p->smear;
    bool moved = smeared && limber_smearer_moved(stage->smearer);
    if (moved && p->outputs & LIMBER_OUTPUT_NORMALS)
        turn_normals(p, now);
    out->frame.skinned = p->outputs & LIMBER_OUTPUT_SKINNED ? shown->skinned : NULL;
    out->frame.positions = moved ? stage->positions : now->positions;
    const float* normals = moved ? stage->normals : now->normals;
    out->frame.normals = p->outputs & LIMBER_OUTPUT_NORMALS ? normals : NULL;
    out->deformed = shown->positions;
    out->offsets = wants_offsets(p) ? stage->offsets : NULL;
    out->mesh_count = smeared ? limber_smearer_mesh_count(stage->smearer) : 0;
    out->meshes = out->mesh_count ? limber_smearer_mesh(stage->smearer, 0) : NULL;
}

static limber_result smear(limber_pipeline* p, int32_t clip, double time_s, double fps, limber_smeared* out) {
    limberi_timeline t = limberi_timeline_of(p, &p->smear->shots, clip, time_s, fps);
    limberi_timeline h = limberi_timeline_held(&t, p->settings.smear.step);
    slot *shown, *now;
    start_call(p, clip, &t);
    limber_result result = get_slot(p, t.clip ? limberi_timeline_at(&t, 0) : time_s, &shown);
    if (!result)
        result = get_slot(p, t.clip ? limberi_timeline_at(&h, 0) : time_s, &now);
    if (!result && wants_offsets(p))
        result = smooth_offsets(p, &h);
    bool on = limber_smear_is_on(&p->settings.smear);
    if (!result && on)
        result = run_smear(p, &h, now);
    if (result)
        return result;
    show(p, now, shown, on, out);
    out->frame.time_s = time_s;
    out->frame.pose = &p->pose;
    out->frame.motion = &p->world_motion;
    return limberi_pipeline_evaluate_joints_at(p, clip, time_s); // the last frame evaluated was another
}

limber_result limber_pipeline_evaluate_smeared(limber_pipeline* p, int32_t clip, double time_s, double fps,
                                               limber_smeared* out) {
    memset(out, 0, sizeof *out);
    if (clip >= (int32_t)p->model->clip_count)
        return LIMBER_ERROR_ARGUMENT;
    if (!limber_smear_is_on(&p->settings.smear) && !(p->outputs & LIMBER_OUTPUT_OFFSETS)) {
        limber_result result = limber_pipeline_evaluate(p, clip, time_s, &out->frame);
        out->deformed = out->frame.positions;
        return result;
    }
    limber_result result = open_stage(p);
    if (!result)
        result = limberi_pipeline_hold(p, clip, &time_s);
    return result ? result : smear(p, clip < 0 ? -1 : clip, time_s, fps, out);
}
