// The frames of a corrective or vertex bake become rows of morph targets, in rounds. A round evaluates a few frames of
// each thread; the rows are then collected in the order of the frames.
#include "bake/bake_private.h"
#include "base/error.h"
#include "base/math.h"
#include "base/memory.h"

#include <string.h>

// Past this the file could not be opened anywhere anyway (glb ends at 4 GiB).
static const double largest_bake_bytes = 8e9;
static const double rounding = 1e-6; // of L: what single precision loses on the way through a few matrices
static const float normal_rounding = 1e-4f;
static const float dropped_share = 0.25f; // of the two, where only some vertices move
static const uint32_t vertices_per_task = 1024;
#define NO_ROW UINT64_MAX
enum { FRAMES_OF_WORKER = 4 };          // in a round
static const double round_bytes = 32e6; // of rows, but for two frames of each thread

// A frame on its way from the source to the rows. Several are at work at once.
typedef struct slot {
    const limberi_baker* baker;
    uint32_t member, track, index;
    bool shown;
    bool same; // it looks like the frame before it
    limberi_bake_frame frame;
    float *positions, *normals; // [vertex * 3] rows of all meshes
    uint64_t* moved;            // [mesh] numbers that targets move; NO_ROW: none
    uint64_t* row;              // [mesh] where it goes: number of the row, or offset in the store; NO_ROW: nowhere
    bool delivered;
    limber_result result;
} slot;

typedef struct rounds {
    limberi_baker* baker;
    slot* slots; // [slot_count]
    uint32_t slot_count, count;
    slot *now, *before;    // [count] frames of this round, and of the one before, whose rows are delivered
    uint32_t before_count; // of them
} rounds;

const limber_parallel* limberi_bake_inside(const limberi_bake_source* source, uint32_t member_count) {
    return member_count == 1 ? &source->parallel : NULL;
}

void limberi_bake_each(const limberi_bake_source* source, uint32_t member_count, uint32_t count, limber_task task,
                       void* user) {
    limberi_parallel_for(member_count == 1 ? NULL : &source->parallel, count, 1, task, user);
}

// --- slots ---

// Threads need no more members than there are threads, but for smears, which are collected after the round.
limber_result limberi_bake_open(limberi_baker* b) {
    uint32_t workers = limberi_worker_count(&b->source->parallel);
    b->by_worker = workers > 1 && !b->source->smears && b->frame_count > workers;
    uint32_t max_count = b->by_worker ? workers : b->frame_count;
    return b->source->open(b->source->user, true, max_count, &b->member_count, b->error);
}

// Threads wait for the slowest frame of a round: more frames leave less to wait for.
static uint32_t frames_of_round(const limberi_baker* b) {
    uint32_t workers = limberi_worker_count(&b->source->parallel);
    uint32_t count = FRAMES_OF_WORKER * workers;
    uint32_t max_count = (uint32_t)(round_bytes / (24.0 * b->source->model->vertex_count + 1));
    count = count < max_count ? count : max_count;
    count = count > 2 * workers ? count : 2 * workers;
    return LIMBERI_HAS_THREADS && b->by_worker ? count : b->member_count;
}

static limber_result make_slots(rounds* r) {
    limberi_baker* b = r->baker;
    const limber_model* model = b->source->model;
    size_t numbers = 3 * (size_t)model->vertex_count + 1;
    uint32_t sets = b->settings->tolerance > 0 ? 1 : 2; // a reducer copies its rows
    r->count = frames_of_round(b);
    r->slots = limberi_allocate_zeroed((size_t)sets * r->count + 1, sizeof *r->slots);
    if (!r->slots)
        return limberi_fail_memory(b->error);
    r->slot_count = sets * r->count;
    r->now = r->slots;
    r->before = r->slots + (sets - 1) * r->count;
    for (uint32_t i = 0; i < r->slot_count; i++) {
        slot* s = &r->slots[i];
        s->baker = b;
        s->member = i % b->member_count; // or that of the worker
        s->positions = limberi_allocate(numbers * sizeof(float));
        s->normals = limberi_allocate(numbers * sizeof(float));
        s->moved = limberi_allocate(((size_t)model->mesh_count + 1) * sizeof *s->moved);
        s->row = limberi_allocate(((size_t)model->mesh_count + 1) * sizeof *s->row);
        if (!s->positions || !s->normals || !s->moved || !s->row)
            return limberi_fail_memory(b->error);
    }
    return LIMBER_OK;
}

// --- rows ---

static uint32_t more_rows(const limberi_baker* b, const limberi_collector* c) {
    uint32_t capacity = c->capacity ? 2 * c->capacity : 8;
    return capacity < b->frame_count ? capacity : b->frame_count;
}

static limber_result grow_rows(limberi_baker* b, uint32_t m) {
    limberi_collector* c = &b->collectors[m];
    limber_bake_mesh* mesh = &b->bake->meshes[m];
    if (c->row_count < c->capacity)
        return LIMBER_OK;
    uint32_t capacity = more_rows(b, c);
    size_t width = 3 * (size_t)b->source->model->meshes[m].vertex_count;
    double bytes = (double)capacity * (double)width * sizeof(float) * (b->settings->normals ? 2 : 1);
    if (bytes > largest_bake_bytes)
        return limberi_bake_too_large(b->error, largest_bake_bytes);
    size_t before = c->capacity * width * sizeof(float);
    size_t after = capacity * width * sizeof(float);
    float* positions = limberi_reallocate(mesh->positions, before, after);
    mesh->positions = positions ? positions : mesh->positions;
    float* normals = positions && b->settings->normals ? limberi_reallocate(mesh->normals, before, after) : NULL;
    mesh->normals = normals ? normals : mesh->normals;
    if (!positions || (b->settings->normals && !normals))
        return limberi_fail_memory(b->error);
    c->capacity = capacity;
    return LIMBER_OK;
}

static limber_result grow_places(limberi_baker* b, uint32_t m) {
    limberi_collector* c = &b->collectors[m];
    limber_bake_mesh* mesh = &b->bake->meshes[m];
    if (c->row_count < c->capacity)
        return LIMBER_OK;
    uint32_t capacity = more_rows(b, c);
    uint64_t* rows = limberi_reallocate(mesh->rows, c->capacity * sizeof *rows, capacity * sizeof *rows);
    if (!rows)
        return limberi_fail_memory(b->error);
    mesh->rows = rows;
    c->capacity = capacity;
    return LIMBER_OK;
}

static bool all_below(const float* values, size_t count, float limit) {
    for (size_t i = 0; i < count; i++)
        if (!(fabsf(values[i]) <= limit))
            return false;
    return true;
}

static void correct_some(void* user, uint32_t first, uint32_t end, uint32_t worker) {
    limberi_bake_corrective_job job = *(const limberi_bake_corrective_job*)user;
    (void)worker;
    job.first_vertex = first;
    job.vertex_count = end - first;
    limberi_bake_corrective(&job);
}

static void correct_mesh(slot* s, const limber_mesh* mesh) {
    const limberi_bake_frame* frame = &s->frame;
    size_t at = 3 * (size_t)mesh->first_vertex;
    limberi_bake_corrective_job job;
    job.mesh = mesh;
    job.palette = frame->palettes[mesh->skin];
    job.morphed_positions = limberi_bake_morphed(frame->morphed_positions, mesh, mesh->positions);
    job.morphed_normals = limberi_bake_morphed(frame->morphed_normals, mesh, mesh->normals);
    job.positions = frame->positions + at;
    job.normals = frame->normals + at;
    job.out_positions = s->positions + at;
    job.out_normals = s->baker->settings->normals ? s->normals + at : NULL;
    job.first_vertex = 0;
    job.vertex_count = LIMBER_TO_END;
    limberi_parallel_for(limberi_bake_inside(s->baker->source, s->baker->member_count), mesh->vertex_count,
                         vertices_per_task, correct_some, &job);
}

static void difference_mesh(slot* s, const limber_bake_mesh* baked, const limber_mesh* mesh) {
    size_t at = 3 * (size_t)mesh->first_vertex;
    size_t width = 3 * (size_t)mesh->vertex_count;
    for (size_t i = 0; i < width; i++) {
        s->positions[at + i] = s->frame.positions[at + i] - baked->base_positions[i];
        if (s->baker->settings->normals)
            s->normals[at + i] = s->frame.normals[at + i] - baked->base_normals[i];
    }
}

// Vertices that only rounding moves stay: a file need not mention them.
static uint32_t drop_rounding(float* values, size_t count, float limit) {
    uint32_t moved = 0;
    for (size_t i = 0; i < count; i += 3) {
        if (all_below(values + i, 3, limit))
            memset(values + i, 0, 3 * sizeof *values);
        else
            moved++;
    }
    return moved;
}

double limberi_baker_scale(const limberi_baker* b, const limber_mesh* mesh) {
    return b->settings->kind == LIMBER_BAKE_VERTEX ? 1 : limberi_bake_mesh_scale(b->source->model, mesh);
}

static void find_row(slot* s, uint32_t m) {
    const limberi_baker* b = s->baker;
    const limber_mesh* mesh = &b->source->model->meshes[m];
    size_t at = 3 * (size_t)mesh->first_vertex;
    size_t width = 3 * (size_t)mesh->vertex_count;
    bool normals = b->settings->normals;
    if (b->settings->kind == LIMBER_BAKE_CORRECTIVE)
        correct_mesh(s, mesh);
    else
        difference_mesh(s, &b->bake->meshes[m], mesh);
    // Differences that single precision cannot tell from rounding are not worth a target.
    float limit = (float)(rounding * (double)b->source->model->size / limberi_baker_scale(b, mesh));
    if (all_below(s->positions + at, width, limit) && (!normals || all_below(s->normals + at, width, normal_rounding)))
        return;
    s->moved[m] = drop_rounding(s->positions + at, width, dropped_share * limit);
    if (normals)
        s->moved[m] += drop_rounding(s->normals + at, width, dropped_share * normal_rounding);
}

// Any thread.
static void evaluate_slot(slot* s) {
    const limberi_baker* b = s->baker;
    const limber_bake_track* track = &b->bake->tracks[s->track];
    // The float time that goes into the file, so that the skin a player poses there is the one corrected.
    double time_s = (double)track->times[s->index];
    double fps = limberi_bake_rate(b->settings, &b->source->model->clips[track->clip]);
    s->shown = limberi_bake_shows(b->settings, time_s);
    s->result = b->source->frame(b->source->user, s->member, (int32_t)track->clip, time_s, fps, &s->frame);
    for (uint32_t m = 0; m < b->bake->mesh_count; m++) {
        s->moved[m] = NO_ROW;
        if (!s->result && (s->shown || b->settings->kind == LIMBER_BAKE_VERTEX))
            find_row(s, m);
    }
}

// A place for the next row of a mesh, in memory or in the store.
static limber_result place_row(limberi_baker* b, uint32_t m, uint64_t* row) {
    const limberi_collector* c = &b->collectors[m];
    size_t bytes = 3 * sizeof(float) * (size_t)b->source->model->meshes[m].vertex_count;
    limber_result result = b->settings->store ? grow_places(b, m) : grow_rows(b, m);
    if (result)
        return result;
    *row = b->settings->store ? b->stored : c->row_count;
    if (b->settings->store) {
        b->bake->meshes[m].rows[c->row_count] = b->stored;
        b->stored += b->settings->normals ? 2 * bytes : bytes;
    }
    return LIMBER_OK;
}

static bool deliver_row(const slot* s, uint32_t m) {
    const limberi_baker* b = s->baker;
    const limber_bake_store* store = b->settings->store;
    const limber_bake_mesh* baked = &b->bake->meshes[m];
    const limber_mesh* mesh = &b->source->model->meshes[m];
    size_t at = 3 * (size_t)mesh->first_vertex;
    size_t width = 3 * (size_t)mesh->vertex_count;
    size_t bytes = width * sizeof(float);
    if (store)
        return store->put(store->user, s->row[m], s->positions + at, bytes) &&
               (!b->settings->normals || store->put(store->user, s->row[m] + bytes, s->normals + at, bytes));
    memcpy(baked->positions + s->row[m] * width, s->positions + at, bytes);
    if (b->settings->normals)
        memcpy(baked->normals + s->row[m] * width, s->normals + at, bytes);
    return true;
}

// Any thread, once every row has its place.
static void deliver_slot(slot* s) {
    s->delivered = true;
    for (uint32_t m = 0; s->delivered && m < s->baker->bake->mesh_count; m++)
        s->delivered = s->row[m] == NO_ROW || deliver_row(s, m);
}

static limber_result reduce_row(const limberi_baker* b, const limberi_collector* c, const float* positions,
                                const float* normals, bool half) {
    if (half && limberi_reducer_add(c->half, positions, NULL))
        return limberi_fail_memory(b->error);
    return limberi_reducer_add(c->reducer, positions, normals) ? limberi_fail_memory(b->error) : LIMBER_OK;
}

static limber_result collect_mesh(limberi_baker* b, uint32_t m, uint32_t frame_index, slot* s) {
    const limber_mesh* mesh = &b->source->model->meshes[m];
    limberi_collector* c = &b->collectors[m];
    size_t at = 3 * (size_t)mesh->first_vertex;
    c->row_of_frame[frame_index] = s->same ? c->row_of_frame[frame_index - 1] : -1;
    s->row[m] = NO_ROW;
    if (s->same || s->moved[m] == NO_ROW)
        return LIMBER_OK;
    b->byte_count += s->moved[m] * 3 * sizeof(float);
    if (b->settings->max_bytes && b->byte_count > b->settings->max_bytes && !(b->settings->tolerance > 0))
        return limberi_bake_too_large(b->error, (double)b->settings->max_bytes);
    limber_result result = c->reducer
                               ? reduce_row(b, c, s->positions + at, s->normals + at, c->half && frame_index % 2 == 0)
                               : place_row(b, m, &s->row[m]);
    if (!result)
        c->row_of_frame[frame_index] = (int32_t)c->row_count++;
    return result;
}

static limber_result collect_slot(limberi_baker* b, uint32_t frame_index, slot* s) {
    limber_result result = s->result;
    for (uint32_t m = 0; !result && m < b->bake->mesh_count; m++)
        result = collect_mesh(b, m, frame_index, s);
    return result ? result : limberi_smear_bake_collect(&b->smears, frame_index, &s->frame, s->shown);
}

// Frames of one hold, inside or outside of the range.
static bool shows_same(const limberi_baker* b, const limber_bake_track* track, uint32_t index) {
    if (!index)
        return false;
    double before_s = (double)track->times[index - 1];
    double time_s = (double)track->times[index];
    void* user = b->source->user;
    return limberi_bake_shows(b->settings, before_s) == limberi_bake_shows(b->settings, time_s) &&
           b->source->held(user, track->clip, before_s) == b->source->held(user, track->clip, time_s);
}

// Sets up the frames from `first` on, one for each slot.
static limber_result fill_slots(rounds* r, uint32_t first, uint32_t count, uint32_t* track, uint32_t* index) {
    limberi_baker* b = r->baker;
    limber_result result = LIMBER_OK;
    for (uint32_t i = 0; !result && i < count; i++, (*index)++) {
        for (; *index >= b->bake->tracks[*track].frame_count; *index = 0)
            (*track)++;
        if (b->settings->progress && !b->settings->progress(b->settings->user, first + i, b->frame_count))
            return limberi_fail(b->error, LIMBER_ERROR_ARGUMENT, "the bake was stopped");
        r->now[i].track = *track;
        r->now[i].index = *index;
        result = b->source->prepare(b->source->user, b->bake->tracks[*track].clip);
        r->now[i].same = !result && shows_same(b, &b->bake->tracks[*track], *index);
    }
    return result;
}

// One thread at a time writes to a file: one task delivers everything, while others evaluate.
static uint32_t delivery_count(const rounds* r) {
    return r->baker->settings->store && r->before_count ? 1 : r->before_count;
}

static void deliver(const rounds* r, uint32_t item) {
    bool all = r->baker->settings->store != NULL;
    for (uint32_t i = all ? 0 : item; i < (all ? r->before_count : item + 1); i++)
        deliver_slot(&r->before[i]);
}

static void run_some(void* user, uint32_t first, uint32_t end, uint32_t worker) {
    const rounds* r = user;
    uint32_t deliveries = delivery_count(r);
    for (uint32_t item = first; item < end; item++) {
        if (item < deliveries) {
            deliver(r, item);
            continue;
        }
        slot* s = &r->now[item - deliveries];
        if (LIMBERI_HAS_THREADS && r->baker->by_worker)
            s->member = worker;
        evaluate_slot(s);
    }
}

// Evaluates so many frames, and delivers those before.
static limber_result run_round(rounds* r, uint32_t count) {
    bool delivered = true;
    limberi_bake_each(r->baker->source, r->baker->member_count, delivery_count(r) + count, run_some, r);
    for (uint32_t i = 0; i < r->before_count; i++)
        delivered = delivered && r->before[i].delivered;
    r->before_count = 0;
    return delivered ? LIMBER_OK : limberi_fail(r->baker->error, LIMBER_ERROR_FILE, "no room on the disk for the bake");
}

static void next_round(rounds* r, uint32_t count) {
    slot* free_slots = r->before;
    if (r->baker->settings->tolerance > 0)
        return;
    r->before = r->now;
    r->before_count = count;
    r->now = free_slots;
}

static void keep_rows(const limberi_collector* c) {
    if (c->reducer)
        limberi_reducer_keep(c->reducer);
    if (c->half)
        limberi_reducer_keep(c->half);
}

static limber_result collect_frames(rounds* r) {
    limberi_baker* b = r->baker;
    uint32_t track = 0;
    uint32_t index = 0;
    limber_result result = b->settings->clips ? LIMBER_OK : b->source->prepare(b->source->user, LIMBERI_ALL_CLIPS);
    for (uint32_t first = 0; !result && first < b->frame_count; first += r->count) {
        uint32_t left = b->frame_count - first;
        uint32_t count = left < r->count ? left : r->count;
        result = fill_slots(r, first, count, &track, &index);
        if (!result)
            result = run_round(r, count);
        for (uint32_t i = 0; !result && i < count; i++)
            result = collect_slot(b, first + i, &r->now[i]);
        // Their slots will hold other frames.
        for (uint32_t m = 0; m < b->bake->mesh_count; m++)
            keep_rows(&b->collectors[m]);
        next_round(r, count);
    }
    return result ? result : run_round(r, 0);
}

limber_result limberi_bake_rounds(limberi_baker* b) {
    rounds r = {.baker = b};
    limber_result result = make_slots(&r);
    if (!result)
        result = collect_frames(&r);
    for (uint32_t i = 0; r.slots && i < r.slot_count; i++) {
        limberi_release(r.slots[i].positions);
        limberi_release(r.slots[i].normals);
        limberi_release(r.slots[i].moved);
        limberi_release(r.slots[i].row);
    }
    limberi_release(r.slots);
    return result;
}
