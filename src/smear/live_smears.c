// Smears without a clip: a ring of the latest frames, treated as a clip that ends with the newest.
#include "base/error.h"
#include "base/memory.h"
#include "base/settings.h"
#include "smear/smear_pack.h"
#include "smear/smear_private.h"
#include <limber/stages/smear_live.h>

#include <string.h>

static const double longest_gap_s = 0.25;     // as in motion/tracker.c
static const double longest_gap_frames = 2;   // for slow outputs, where that would be less than a frame
static const double min_spacing_frames = 0.5; // between kept frames: two are kept per frame of the output
static const double frame_snap = 1e-3;        // of a frame: times this near to a frame are on it
static const float suddenly = 4;              // times the speed before: a teleport

typedef struct moment {
    double time_s;
    float *positions, *normals;  // [vertex * 3]; normals NULL without copies
    limber_smear_bone* bones;    // [joint]
    limberi_drawn_point* points; // NULL: nothing is drawn by the motion between frames
    uint32_t place;              // of the vertices, where a GPU keeps them
} moment;

struct limber_smear_live {
    limberi_arena arena;
    limber_smearer* smearer;
    const limber_model* model;
    bool bones_only; // vertices are kept by a GPU
    double fps;
    uint32_t history;
    float teleport;
    uint32_t capacity, count, newest;
    moment* ring;               // [capacity]
    moment* between;            // [history + 1] frame -k, where no push fell on it
    const moment** seen;        // [history + 1] frame -k, NULL: not asked for yet
    uint32_t first;             // frame -first is the oldest there is
    double now_s;               // of frame 0: the newest push, or the pose that is held
    float **offsets, *smoothed; // [smooth + 1][vertex] of frame -k, [vertex]
    limber_smear_frame frames[LIMBERI_SMEAR_FRAMES];
    limberi_drawn_point* between_points; // [sample][point]
    const limberi_drawn_point* samples[LIMBERI_DRAWN_SAMPLES];
    double speed; // of the fastest joint over the last step, L per second
};

void limber_smear_live_settings_init(limber_smear_live_settings* given, size_t size) {
    limber_smear_live_settings s = {sizeof s, 30, 8, 0.5f};
    limberi_settings_write(given, size, &s, sizeof s);
}

// --- memory ---

static void allocate_moment(limber_smear_live* live, moment* m, bool normals) {
    size_t vertices = live->model->vertex_count;
    m->positions = live->bones_only ? NULL : LIMBERI_ALLOCATE(&live->arena, float, 3 * vertices);
    m->normals = normals && !live->bones_only ? LIMBERI_ALLOCATE(&live->arena, float, 3 * vertices) : NULL;
    m->bones = LIMBERI_ALLOCATE(&live->arena, limber_smear_bone, live->model->rig.joint_count);
}

// What is drawn needs pushes alone, and the moments between them.
static void allocate_points(limber_smear_live* live) {
    const struct limberi_drawn* drawn = limberi_smearer_drawn(live->smearer);
    size_t count = drawn && !live->bones_only ? limberi_drawn_point_count(drawn) : 0;
    for (uint32_t i = 0; count && i < live->capacity; i++)
        live->ring[i].points = LIMBERI_ALLOCATE(&live->arena, limberi_drawn_point, count);
    if (count)
        live->between_points = LIMBERI_ALLOCATE(&live->arena, limberi_drawn_point, LIMBERI_DRAWN_SAMPLES * count);
}

static limber_result allocate_memory(limber_smear_live* live, const limber_smear_settings* settings) {
    uint32_t smooth = settings->offsets.smooth;
    bool normals = settings->multiples.past > 0;
    // Two per frame, the newest, which may be close to the one before, one at either end, and one that is being filled.
    live->capacity = 2 * live->history + 4;
    live->ring = LIMBERI_ALLOCATE(&live->arena, moment, live->capacity);
    live->between = LIMBERI_ALLOCATE(&live->arena, moment, (size_t)live->history + 1);
    live->seen = LIMBERI_ALLOCATE(&live->arena, const moment*, (size_t)live->history + 1);
    live->offsets = LIMBERI_ALLOCATE(&live->arena, float*, (size_t)smooth + 1);
    live->smoothed = LIMBERI_ALLOCATE(&live->arena, float, live->model->vertex_count);
    if (live->arena.failed)
        return LIMBER_ERROR_MEMORY;
    for (uint32_t i = 0; i < live->capacity; i++) {
        allocate_moment(live, &live->ring[i], normals);
        live->ring[i].place = i;
    }
    for (uint32_t k = 0; k <= live->history; k++)
        allocate_moment(live, &live->between[k], normals);
    allocate_points(live);
    for (uint32_t k = 0; k <= smooth; k++)
        live->offsets[k] = LIMBERI_ALLOCATE(&live->arena, float, live->model->vertex_count);
    return live->arena.failed ? LIMBER_ERROR_MEMORY : LIMBER_OK;
}

static limber_result read_settings(const limber_smear_live_settings* given, limber_smear_live_settings* set,
                                   limber_error* error) {
    *set = limber_smear_live_settings_default();
    limber_result result =
        given ? limberi_settings_read(set, sizeof *set, given, "limber_smear_live_settings", error) : LIMBER_OK;
    if (result)
        return result;
    if (!(set->fps > 0) || !isfinite(set->fps))
        return limberi_fail(error, LIMBER_ERROR_ARGUMENT, "live smears need a frame rate");
    if (set->history < 1 || set->history > LIMBER_SMEAR_REACH)
        return limberi_fail(error, LIMBER_ERROR_LIMIT, "live smears need a history of 1 to %u frames, not %u",
                            LIMBER_SMEAR_REACH, set->history);
    return LIMBER_OK;
}

// Frames that the motion is looked at over for the offsets of one.
static uint32_t span_of(const limber_smear_settings* s, double fps) {
    return s->steady_offsets ? (uint32_t)fmin(fmax(round(fps / 24), 1) * s->step, LIMBER_SMEAR_REACH) : 1;
}

// Frames to keep, plus one: a spline reads one frame beyond its point.
static uint32_t history_of(const limber_smear_settings* s, double fps, uint32_t asked) {
    uint32_t copies = (uint32_t)ceilf((float)s->multiples.past * limberi_smear_spacing(s));
    if (s->changes.past || s->changes.spacing)
        copies = LIMBER_SMEAR_REACH;
    uint32_t max = asked > copies ? asked : copies;
    uint32_t offsets = s->offsets.smooth + span_of(s, fps) - 1;
    max = max > offsets ? max : offsets;
    max += s->step - 1; // a pose is held so long
    return (max < LIMBER_SMEAR_REACH ? max : LIMBER_SMEAR_REACH) + 1;
}

static limber_result create(const limber_asset* asset, const limber_smear_settings* settings,
                            const limber_smear_live_settings* chosen, bool bones_only, limber_smear_live** out,
                            limber_error* error) {
    *out = NULL;
    limber_smear_live_settings set;
    limber_smear_settings past = limber_smear_settings_default();
    limber_smearer* smearer;
    limber_result result = read_settings(chosen, &set, error);
    if (!result && settings)
        result = limberi_smear_read(&past, settings, error);
    past.elongate.future = (limber_number){0, NULL};
    past.multiples.future = 0;
    past.offsets.camera = -1;
    if (!result)
        result = limber_smearer_create(asset, &past, &smearer, error);
    if (result)
        return result;
    limber_smear_live* live = limberi_allocate_zeroed(1, sizeof *live);
    smearer->past_only = true; // also where meshes have formulas of their own
    if (live) {
        live->model = limber_asset_model(asset);
        live->smearer = smearer;
        live->bones_only = bones_only;
        live->fps = set.fps;
        live->history = history_of(&past, set.fps, set.history);
        live->teleport = set.teleport;
    }
    if (!live || allocate_memory(live, &past)) {
        if (live)
            limberi_arena_free(&live->arena);
        limberi_release(live);
        limber_smearer_destroy(smearer);
        return limberi_fail_memory(error);
    }
    *out = live;
    return LIMBER_OK;
}

limber_result limber_smear_live_create(const limber_asset* asset, const limber_smear_settings* settings,
                                       const limber_smear_live_settings* chosen, limber_smear_live** out,
                                       limber_error* error) {
    return create(asset, settings, chosen, false, out, error);
}

limber_result limberi_smear_live_create_for_gpu(const limber_asset* asset, const limber_smear_settings* settings,
                                                const limber_smear_live_settings* chosen, limber_smear_live** out,
                                                limber_error* error) {
    return create(asset, settings, chosen, true, out, error);
}

void limber_smear_live_destroy(limber_smear_live* live) {
    if (!live)
        return;
    limber_smearer_destroy(live->smearer);
    limberi_arena_free(&live->arena);
    limberi_release(live);
}

size_t limber_smear_live_bytes(const limber_smear_live* live) {
    return sizeof *live + sizeof *live->smearer + limberi_arena_bytes(&live->arena) +
           limberi_arena_bytes(&live->smearer->arena);
}

// --- pushing ---

// The frame that was pushed `age` frames that are kept before the newest.
static moment* pushed(const limber_smear_live* live, uint32_t age) {
    return &live->ring[(live->newest + live->capacity - age) % live->capacity];
}

void limber_smear_live_reset(limber_smear_live* live) {
    live->count = 0;
    live->speed = 0;
}

static float longest_move(const limber_smear_live* live, const moment* from, const moment* to) {
    float max = 0;
    for (uint32_t j = 0; j < live->model->rig.joint_count; j++) {
        float root = limberi_distance(to->bones[j].root, from->bones[j].root);
        float middle = limberi_distance(to->bones[j].centroid, from->bones[j].centroid);
        max = fmaxf(max, fmaxf(root, middle));
    }
    return max;
}

// Whether `next` continues from the newest frame. The speed is kept even when it does not, so that a fast motion that goes
// on is no teleport from its second step on.
static bool continues(limber_smear_live* live, const moment* last, const moment* next) {
    double step_s = next->time_s - last->time_s;
    double gap_s = longest_gap_frames / live->fps;
    if (!(step_s > 0) || step_s > (gap_s > longest_gap_s ? gap_s : longest_gap_s)) {
        live->speed = 0;
        return false;
    }
    float size = live->smearer->size;
    double move = size > 0 ? (double)(longest_move(live, last, next) / size) : 0;
    bool sudden = live->teleport > 0 && move > (double)live->teleport && move > (double)suddenly * live->speed * step_s;
    live->speed = move / step_s;
    return !sudden;
}

static void fill_moment(const limber_smear_live* live, moment* m, const float* positions, const float* normals,
                        const limber_pose* pose, double time_s) {
    size_t bytes = 3 * (size_t)live->model->vertex_count * sizeof(float);
    m->time_s = time_s;
    if (m->positions)
        memcpy(m->positions, positions, bytes);
    if (m->normals && normals)
        memcpy(m->normals, normals, bytes);
    else if (m->normals)
        memset(m->normals, 0, bytes);
    limber_smearer_bones(live->smearer, pose, NULL, m->bones);
    if (m->points)
        limberi_drawn_pose(limberi_smearer_drawn(live->smearer), pose, m->points);
}

// Only the newest frame may be close to the one before; the next push then replaces it.
static bool newest_is_close(const limber_smear_live* live) {
    if (live->count < 2)
        return false;
    double step_s = pushed(live, 0)->time_s - pushed(live, 1)->time_s;
    return step_s * live->fps < min_spacing_frames - frame_snap;
}

void limber_smear_live_push(limber_smear_live* live, const float* positions, const float* normals,
                            const limber_pose* pose, double time_s) {
    if (live->count && pushed(live, 0)->time_s == time_s)
        return;
    moment* next = &live->ring[(live->newest + 1) % live->capacity];
    fill_moment(live, next, positions, normals, pose, time_s);
    if (live->count && !continues(live, pushed(live, 0), next))
        live->count = 0;
    if (newest_is_close(live)) {
        moment taken = *next;
        *next = *pushed(live, 0);
        *pushed(live, 0) = taken;
        return;
    }
    live->newest = (live->newest + 1) % live->capacity;
    live->count += live->count + 1 < live->capacity;
}

// --- looking back ---

static void mix_numbers(const float* a, const float* b, float t, size_t count, float* out) {
    for (size_t i = 0; i < count; i++)
        out[i] = a[i] + (b[i] - a[i]) * t;
}

static limber_quat mix_turns(limber_quat a, limber_quat b, float t) {
    float same = a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w;
    float side = same < 0 ? -t : t;
    limber_quat q = {a.x * (1 - t) + b.x * side, a.y * (1 - t) + b.y * side, a.z * (1 - t) + b.z * side,
                     a.w * (1 - t) + b.w * side};
    return limberi_quat_normalize(q);
}

static const moment* mix_moments(const limber_smear_live* live, const moment* a, const moment* b, double time_s,
                                 moment* out) {
    float t = (float)((time_s - a->time_s) / (b->time_s - a->time_s));
    size_t numbers = 3 * (size_t)live->model->vertex_count;
    out->time_s = time_s;
    if (out->positions)
        mix_numbers(a->positions, b->positions, t, numbers, out->positions);
    if (out->normals)
        mix_numbers(a->normals, b->normals, t, numbers, out->normals);
    for (uint32_t j = 0; j < live->model->rig.joint_count; j++) {
        const limber_smear_bone* from = &a->bones[j];
        const limber_smear_bone* to = &b->bones[j];
        out->bones[j].root = limberi_lerp(from->root, to->root, t);
        out->bones[j].tip = limberi_lerp(from->tip, to->tip, t);
        out->bones[j].centroid = limberi_lerp(from->centroid, to->centroid, t);
        out->bones[j].turn = mix_turns(from->turn, to->turn, t);
    }
    return out;
}

// The pushes around frame -k: the same one twice, where it is on it.
static double around(const limber_smear_live* live, uint32_t k, const moment** before, const moment** after) {
    double time_s = live->now_s - k / live->fps;
    double snap_s = frame_snap / live->fps;
    uint32_t age = 0;
    while (age + 1 < live->count && pushed(live, age)->time_s > time_s + snap_s)
        age++;
    *before = pushed(live, age);
    bool on_it = age == 0 || (*before)->time_s > time_s - snap_s;
    *after = on_it ? *before : pushed(live, age - 1);
    return time_s;
}

// Frame -k, or the oldest one there is.
static const moment* frame_at(limber_smear_live* live, uint32_t k) {
    const moment *before, *after;
    k = k < live->first ? k : live->first;
    if (live->seen[k])
        return live->seen[k];
    double time_s = around(live, k, &before, &after);
    live->seen[k] = before == after ? before : mix_moments(live, before, after, time_s, &live->between[k]);
    return live->seen[k];
}

// With a step of n, the pose of every n-th frame, counted from time 0, is held until the next.
static double held_time(const limber_smear_live* live) {
    double newest_s = pushed(live, 0)->time_s;
    double oldest_s = pushed(live, live->count - 1)->time_s;
    uint32_t step = live->smearer->settings.step;
    if (step == 1)
        return newest_s;
    double held_s = floor(newest_s * live->fps / step + frame_snap) * step / live->fps;
    return fmax(fmin(held_s, newest_s), oldest_s);
}

static void start_frame(limber_smear_live* live) {
    live->now_s = held_time(live);
    double span = (live->now_s - pushed(live, live->count - 1)->time_s) * live->fps;
    live->first = (uint32_t)fmin(fmax(ceil(span - frame_snap), 0), live->history);
    memset(live->seen, 0, ((size_t)live->history + 1) * sizeof *live->seen);
}

static limber_smear_frame view_of(const moment* m) {
    limber_smear_frame frame = {m->positions, m->normals, m->bones};
    return frame;
}

// Offsets of a frame are for the step after it; of the newest, for the step before it. Steady ones are for the last
// 1/24 s before it.
static void find_offsets(limber_smear_live* live, uint32_t k) {
    bool back = live->smearer->settings.steady_offsets || k == 0;
    uint32_t span = span_of(&live->smearer->settings, live->fps);
    limber_smear_frame from = view_of(frame_at(live, back ? k + span : k));
    limber_smear_frame to = view_of(frame_at(live, back ? k : k - 1));
    limber_smearer_offsets(live->smearer, back ? &to : &from, &from, &to, live->offsets[k]);
}

static void smooth_offsets(limber_smear_live* live, const limber_smear_job* job) {
    uint32_t n = limberi_smear_smooth_at(&live->smearer->settings, job);
    uint32_t known = n < live->first ? n : live->first;
    const float* around[2 * LIMBER_SMEAR_SMOOTH + 1];
    for (uint32_t k = 0; k <= known; k++)
        find_offsets(live, k);
    for (uint32_t i = 0; i <= n; i++) {
        around[n - i] = live->offsets[i < known ? i : known];
        around[n + i] = live->offsets[0];
    }
    limberi_smear_smooth(around, n, live->model->vertex_count, live->smoothed);
}

static void mix_points(const limberi_drawn_point* a, const limberi_drawn_point* b, float t, size_t count,
                       limberi_drawn_point* out) {
    for (size_t i = 0; i < count; i++) {
        out[i].center = limberi_lerp(a[i].center, b[i].center, t);
        for (int k = 0; k < 6; k++)
            out[i].spread[k] = a[i].spread[k] + (b[i].spread[k] - a[i].spread[k]) * t;
    }
}

// The moments between the pushes; before the oldest and after the newest nothing moves.
static void draw(limber_smear_live* live, const float* now, float* positions) {
    limberi_drawn_grid grid = limberi_drawn_grid_at(live->fps);
    size_t points = limberi_drawn_point_count(limberi_smearer_drawn(live->smearer));
    double step = (double)grid.frames * live->smearer->settings.step / grid.parts / live->fps;
    uint32_t age = live->count - 1;
    for (uint32_t i = 0; i < grid.count; i++) {
        double time_s = live->now_s + ((double)i - grid.now) * step;
        while (age > 0 && pushed(live, age - 1)->time_s <= time_s)
            age--;
        const moment* before = pushed(live, age);
        live->samples[i] = before->points;
        if (age == 0 || !(time_s > before->time_s))
            continue;
        const moment* after = pushed(live, age - 1);
        limberi_drawn_point* between = live->between_points + i * points;
        mix_points(before->points, after->points, (float)((time_s - before->time_s) / (after->time_s - before->time_s)),
                   points, between);
        live->samples[i] = between;
    }
    limberi_drawn_run(live->smearer, &grid, live->samples, now, positions);
}

limber_result limber_smear_live_evaluate(limber_smear_live* live, float* positions, float* offsets) {
    if (!live->count)
        return LIMBER_ERROR_ARGUMENT;
    start_frame(live);
    limber_smear_frame now = view_of(frame_at(live, 0));
    limber_smear_frame before = view_of(frame_at(live, 1));
    limber_smear_job job = limber_smear_job_default();
    job.time_s = live->now_s;
    job.frame = job.time_s * live->fps;
    smooth_offsets(live, &job);
    job.now = job.to = &now;
    job.from = live->first ? &before : &now;
    job.offsets = live->smoothed;
    limber_smear_reach reach;
    limber_result result = limber_smearer_plan(live->smearer, &job, &reach);
    if (result)
        return result;
    for (int32_t n = reach.first; n <= reach.last; n++)
        live->frames[n - reach.first] = view_of(frame_at(live, n < 0 ? (uint32_t)-n : 0));
    job.first = reach.first;
    job.frames = live->frames;
    if (offsets)
        memcpy(offsets, live->smoothed, live->model->vertex_count * sizeof *offsets);
    result = limber_smearer_evaluate(live->smearer, &job, positions);
    if (!result && live->between_points)
        draw(live, now.positions, positions);
    return result;
}

bool limber_smear_live_moved(const limber_smear_live* live) {
    bool held = live->count && live->now_s < pushed(live, 0)->time_s;
    return held || limber_smearer_moved(live->smearer);
}

uint32_t limber_smear_live_mesh_count(const limber_smear_live* live) {
    return limber_smearer_mesh_count(live->smearer);
}

const limber_smear_mesh* limber_smear_live_mesh(const limber_smear_live* live, uint32_t index) {
    return limber_smearer_mesh(live->smearer, index);
}

// --- for a GPU ---

const limber_smearer* limberi_smear_live_smearer(const limber_smear_live* live) {
    return live->smearer;
}

uint32_t limberi_smear_live_capacity(const limber_smear_live* live) {
    return live->capacity;
}

uint32_t limberi_smear_live_history(const limber_smear_live* live) {
    return live->history;
}

uint32_t limberi_smear_live_place(const limber_smear_live* live) {
    return pushed(live, 0)->place;
}

uint32_t limberi_smear_live_look(limber_smear_live* live, limberi_smear_mix* mixes, double* time_s, double* frame) {
    start_frame(live);
    for (uint32_t k = 0; k <= live->first; k++) {
        const moment *before, *after;
        double at_s = around(live, k, &before, &after);
        mixes[k].from = before->place;
        mixes[k].to = after->place;
        mixes[k].share = before == after ? 0 : (float)((at_s - before->time_s) / (after->time_s - before->time_s));
    }
    *time_s = live->now_s;
    *frame = live->now_s * live->fps;
    return live->first;
}

const limber_smear_bone* limberi_smear_live_bones(limber_smear_live* live, uint32_t k) {
    return frame_at(live, k)->bones;
}
