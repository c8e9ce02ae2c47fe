// Runs every frame of the chosen clips through the pipeline and collects morph targets.
#include "bake/corrective.h"
#include "bake/reduce.h"
#include "bake/sliders.h"
#include "base/error.h"
#include "base/math.h"
#include "base/memory.h"
#include "base/settings.h"
#include "pipeline/bake_smear.h"
#include "pipeline/bake_tracks.h"
#include "pipeline/team.h"

#include <stdlib.h>
#include <string.h>

// Past this the file could not be opened anywhere anyway (glb ends at 4 GiB).
static const double largest_bake_bytes = 8e9;
static const double rounding = 1e-6; // of L: what single precision loses on the way through a few matrices
static const float normal_rounding = 1e-4f;
static const float dropped_share = 0.25f; // of the two, where only some vertices move
static const uint32_t vertices_per_task = 1024;
#define NO_ROW UINT64_MAX
static const uint32_t estimate_samples = 32;
static const uint32_t key_bytes = 44;         // of a bone in a frame
static const double target_overhead = 800;    // bytes of JSON
static const double sparse_weights = 1 << 18; // as the glTF writer does it

limber_bake_settings limber_bake_settings_default(void) {
    limber_bake_settings settings;
    memset(&settings, 0, sizeof settings);
    settings.struct_size = sizeof settings;
    settings.range_start_s = -HUGE_VAL;
    settings.range_end_s = HUGE_VAL;
    settings.normals = true;
    settings.target_limit = UINT32_MAX;
    return settings;
}

// Frames of one mesh that differ from the plain skin, while they are being collected.
typedef struct collector {
    uint32_t row_count, capacity;
    int32_t* row_of_frame;    // over all tracks, -1: no displacement
    limberi_reducer* reducer; // takes the rows when there is a tolerance
} collector;

// A frame on its way from the pipeline to the rows. Several are at work at once.
typedef struct slot {
    const struct baker* baker;
    limber_pipeline* pipeline;
    uint32_t track, index;
    bool shown;
    limber_smeared smeared;
    float *positions, *normals; // [vertex * 3] rows of all meshes
    uint64_t* moved;            // [mesh] numbers that targets move; NO_ROW: none
    uint64_t* row;              // [mesh] where it goes: number of the row, or offset in the store; NO_ROW: nowhere
    bool delivered;
    limber_result result;
} slot;

typedef struct baker {
    limber_pipeline* pipeline;
    const limber_bake_settings* settings;
    limber_bake* bake;
    collector* collectors; // [mesh]
    limberi_smear_bake smears;
    limberi_team team;
    slot* slots;          // [team.count]
    uint32_t frame_count; // over all tracks
    uint64_t byte_count;  // of vertices that targets move
    uint64_t stored;      // bytes
    uint32_t samples;     // only so many frames, to estimate; 0: all
    uint32_t all_frames;  // with `samples`: frames over all tracks
    limber_error* error;
} baker;

static limber_result out_of_memory(limber_error* error) {
    return limberi_fail(error, LIMBER_ERROR_MEMORY, "not enough memory for the bake");
}

// World length of a unit in the mesh's own space; corrective targets live there.
static double mesh_scale(const baker* b, const limber_mesh* mesh) {
    if (b->settings->kind == LIMBER_BAKE_VERTEX)
        return 1;
    const limber_mat4* place = &b->pipeline->model->skins[mesh->skin].world_from_mesh;
    double longest = 0;
    for (int c = 0; c < 3; c++)
        longest = fmax(longest, (double)limberi_length(limberi_mat4_column(place, c)));
    return longest > 0 ? longest : 1;
}

static limber_result make_reducer(baker* b, uint32_t m) {
    const limber_mesh* mesh = &b->pipeline->model->meshes[m];
    double tolerance = b->settings->tolerance * (double)b->pipeline->model->size / mesh_scale(b, mesh);
    limberi_workers workers = limberi_pipeline_workers(b->pipeline);
    b->collectors[m].reducer =
        limberi_reducer_create(3 * (size_t)mesh->vertex_count, tolerance, b->settings->normals, &workers);
    return b->collectors[m].reducer ? LIMBER_OK : out_of_memory(b->error);
}

static limber_result make_collectors(baker* b) {
    const limber_model* model = b->pipeline->model;
    b->bake->kind = b->settings->kind;
    if (b->settings->store)
        b->bake->store = *b->settings->store;
    b->bake->stored_normals = b->settings->normals;
    b->bake->mesh_count = model->mesh_count;
    b->bake->meshes = limberi_allocate_zeroed((size_t)model->mesh_count + 1, sizeof *b->bake->meshes);
    b->collectors = limberi_allocate_zeroed((size_t)model->mesh_count + 1, sizeof *b->collectors);
    if (!b->bake->meshes || !b->collectors)
        return out_of_memory(b->error);
    for (uint32_t m = 0; m < model->mesh_count; m++) {
        b->bake->meshes[m].weights = limberi_allocate_zeroed((size_t)b->bake->track_count + 1, sizeof(float*));
        b->collectors[m].row_of_frame = limberi_allocate(((size_t)b->frame_count + 1) * sizeof(int32_t));
        if (!b->bake->meshes[m].weights || !b->collectors[m].row_of_frame)
            return out_of_memory(b->error);
        limber_result result = b->settings->tolerance > 0 ? make_reducer(b, m) : LIMBER_OK;
        if (result)
            return result;
    }
    return LIMBER_OK;
}

static limber_result make_slots(baker* b) {
    const limber_model* model = b->pipeline->model;
    size_t numbers = 3 * (size_t)model->vertex_count + 1;
    limber_result result = limberi_team_open(&b->team, b->pipeline, b->frame_count, b->error);
    b->slots = result ? NULL : limberi_allocate_zeroed((size_t)b->team.count + 1, sizeof *b->slots);
    if (!b->slots)
        return result && result != LIMBER_ERROR_MEMORY ? result : out_of_memory(b->error);
    for (uint32_t i = 0; i < b->team.count; i++) {
        slot* s = &b->slots[i];
        s->baker = b;
        s->pipeline = b->team.members[i];
        s->positions = limberi_allocate(numbers * sizeof(float));
        s->normals = limberi_allocate(numbers * sizeof(float));
        s->moved = limberi_allocate(((size_t)model->mesh_count + 1) * sizeof *s->moved);
        s->row = limberi_allocate(((size_t)model->mesh_count + 1) * sizeof *s->row);
        if (!s->positions || !s->normals || !s->moved || !s->row)
            return out_of_memory(b->error);
    }
    return LIMBER_OK;
}

static void close_slots(baker* b) {
    for (uint32_t i = 0; b->slots && i < b->team.count; i++) {
        limberi_release(b->slots[i].positions);
        limberi_release(b->slots[i].normals);
        limberi_release(b->slots[i].moved);
        limberi_release(b->slots[i].row);
    }
    limberi_release(b->slots);
    limberi_team_close(&b->team);
}

static limber_result too_many_bytes(const baker* b, double bytes) {
    return limberi_fail(b->error, LIMBER_ERROR_LIMIT,
                        "the bake needs more than %.1f GB; use --tolerance, --clip, a shorter --range or a lower --fps",
                        bytes / 1e9);
}

static uint32_t more_rows(const baker* b, const collector* c) {
    uint32_t capacity = c->capacity ? 2 * c->capacity : 8;
    return capacity < b->frame_count ? capacity : b->frame_count;
}

static limber_result grow_rows(baker* b, uint32_t m) {
    collector* c = &b->collectors[m];
    limber_bake_mesh* mesh = &b->bake->meshes[m];
    if (c->row_count < c->capacity)
        return LIMBER_OK;
    uint32_t capacity = more_rows(b, c);
    size_t width = 3 * (size_t)b->pipeline->model->meshes[m].vertex_count;
    double bytes = (double)capacity * (double)width * sizeof(float) * (b->settings->normals ? 2 : 1);
    if (bytes > largest_bake_bytes)
        return too_many_bytes(b, largest_bake_bytes);
    size_t before = c->capacity * width * sizeof(float), after = capacity * width * sizeof(float);
    float* positions = limberi_reallocate(mesh->positions, before, after);
    mesh->positions = positions ? positions : mesh->positions;
    float* normals = positions && b->settings->normals ? limberi_reallocate(mesh->normals, before, after) : NULL;
    mesh->normals = normals ? normals : mesh->normals;
    if (!positions || (b->settings->normals && !normals))
        return out_of_memory(b->error);
    c->capacity = capacity;
    return LIMBER_OK;
}

static limber_result grow_places(baker* b, uint32_t m) {
    collector* c = &b->collectors[m];
    limber_bake_mesh* mesh = &b->bake->meshes[m];
    if (c->row_count < c->capacity)
        return LIMBER_OK;
    uint32_t capacity = more_rows(b, c);
    uint64_t* rows = limberi_reallocate(mesh->rows, c->capacity * sizeof *rows, capacity * sizeof *rows);
    if (!rows)
        return out_of_memory(b->error);
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
    const limber_frame* frame = &s->smeared.frame;
    size_t at = 3 * (size_t)mesh->first_vertex;
    limberi_bake_corrective_job job;
    job.mesh = mesh;
    job.palette = s->pipeline->palettes[mesh->skin];
    job.morphed_positions = limberi_pipeline_morphed_positions(s->pipeline, mesh);
    job.morphed_normals = limberi_pipeline_morphed_normals(s->pipeline, mesh);
    job.positions = frame->positions + at;
    job.normals = frame->normals + at;
    job.out_positions = s->positions + at;
    job.out_normals = s->baker->settings->normals ? s->normals + at : NULL;
    job.first_vertex = 0;
    job.vertex_count = LIMBER_TO_END;
    limberi_pipeline_for(s->pipeline, mesh->vertex_count, vertices_per_task, correct_some, &job);
}

static void difference_mesh(slot* s, const limber_bake_mesh* baked, const limber_mesh* mesh) {
    size_t at = 3 * (size_t)mesh->first_vertex, width = 3 * (size_t)mesh->vertex_count;
    for (size_t i = 0; i < width; i++) {
        s->positions[at + i] = s->smeared.frame.positions[at + i] - baked->base_positions[i];
        if (s->baker->settings->normals)
            s->normals[at + i] = s->smeared.frame.normals[at + i] - baked->base_normals[i];
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

static void find_row(slot* s, uint32_t m) {
    const baker* b = s->baker;
    const limber_mesh* mesh = &b->pipeline->model->meshes[m];
    size_t at = 3 * (size_t)mesh->first_vertex, width = 3 * (size_t)mesh->vertex_count;
    bool normals = b->settings->normals;
    if (b->settings->kind == LIMBER_BAKE_CORRECTIVE)
        correct_mesh(s, mesh);
    else
        difference_mesh(s, &b->bake->meshes[m], mesh);
    // Differences that single precision cannot tell from rounding are not worth a target.
    float limit = (float)(rounding * (double)b->pipeline->model->size / mesh_scale(b, mesh));
    if (all_below(s->positions + at, width, limit) && (!normals || all_below(s->normals + at, width, normal_rounding)))
        return;
    s->moved[m] = drop_rounding(s->positions + at, width, dropped_share * limit);
    if (normals)
        s->moved[m] += drop_rounding(s->normals + at, width, dropped_share * normal_rounding);
}

// Any thread.
static void evaluate_slot(void* user, uint32_t member) {
    slot* s = &((slot*)user)[member];
    const baker* b = s->baker;
    const limber_bake_track* track = &b->bake->tracks[s->track];
    // The float time that goes into the file, so that the skin a player poses there is the one corrected.
    double time_s = (double)track->times[s->index];
    double fps = limberi_bake_rate(b->settings, &b->pipeline->model->clips[track->clip]);
    s->shown = limberi_bake_shows(b->settings, time_s);
    s->result = limber_pipeline_evaluate_smeared(s->pipeline, (int32_t)track->clip, time_s, fps, &s->smeared);
    for (uint32_t m = 0; m < b->bake->mesh_count; m++) {
        s->moved[m] = NO_ROW;
        if (!s->result && (s->shown || b->settings->kind == LIMBER_BAKE_VERTEX))
            find_row(s, m);
    }
}

// A place for the next row of a mesh, in memory or in the store.
static limber_result place_row(baker* b, uint32_t m, uint64_t* row) {
    const collector* c = &b->collectors[m];
    size_t bytes = 3 * sizeof(float) * (size_t)b->pipeline->model->meshes[m].vertex_count;
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
    const baker* b = s->baker;
    const limber_bake_store* store = b->settings->store;
    const limber_bake_mesh* baked = &b->bake->meshes[m];
    const limber_mesh* mesh = &b->pipeline->model->meshes[m];
    size_t at = 3 * (size_t)mesh->first_vertex, width = 3 * (size_t)mesh->vertex_count, bytes = width * sizeof(float);
    if (store)
        return store->put(store->user, s->row[m], s->positions + at, bytes) &&
               (!b->settings->normals || store->put(store->user, s->row[m] + bytes, s->normals + at, bytes));
    memcpy(baked->positions + s->row[m] * width, s->positions + at, bytes);
    if (b->settings->normals)
        memcpy(baked->normals + s->row[m] * width, s->normals + at, bytes);
    return true;
}

// Any thread, once every row has its place.
static void deliver_slot(void* user, uint32_t member) {
    slot* s = &((slot*)user)[member];
    s->delivered = true;
    for (uint32_t m = 0; s->delivered && m < s->baker->bake->mesh_count; m++)
        s->delivered = s->row[m] == NO_ROW || deliver_row(s, m);
}

static limber_result reduce_row(const baker* b, const collector* c, const float* positions, const float* normals) {
    return limberi_reducer_add(c->reducer, positions, normals) ? out_of_memory(b->error) : LIMBER_OK;
}

static limber_result collect_mesh(baker* b, uint32_t m, uint32_t frame_index, slot* s) {
    const limber_mesh* mesh = &b->pipeline->model->meshes[m];
    collector* c = &b->collectors[m];
    size_t at = 3 * (size_t)mesh->first_vertex;
    c->row_of_frame[frame_index] = -1;
    s->row[m] = NO_ROW;
    if (s->moved[m] == NO_ROW)
        return LIMBER_OK;
    b->byte_count += s->moved[m] * 3 * sizeof(float);
    if (b->settings->most_bytes && b->byte_count > b->settings->most_bytes && !(b->settings->tolerance > 0))
        return too_many_bytes(b, (double)b->settings->most_bytes);
    limber_result result =
        c->reducer ? reduce_row(b, c, s->positions + at, s->normals + at) : place_row(b, m, &s->row[m]);
    if (!result)
        c->row_of_frame[frame_index] = (int32_t)c->row_count++;
    return result;
}

static limber_result collect_slot(baker* b, uint32_t frame_index, slot* s) {
    limber_result result = s->result;
    for (uint32_t m = 0; !result && m < b->bake->mesh_count; m++)
        result = collect_mesh(b, m, frame_index, s);
    return result ? result : limberi_smear_bake_collect(&b->smears, frame_index, &s->smeared, s->shown);
}

// Sets up the frames from `first` on, one for each slot.
static limber_result fill_slots(baker* b, uint32_t first, uint32_t count, uint32_t* track, uint32_t* index) {
    limber_result result = LIMBER_OK;
    for (uint32_t i = 0; !result && i < count; i++, (*index)++) {
        for (; *index >= b->bake->tracks[*track].frame_count; *index = 0)
            (*track)++;
        if (b->settings->progress && !b->settings->progress(b->settings->user, first + i, b->frame_count))
            return limberi_fail(b->error, LIMBER_ERROR_ARGUMENT, "the bake was stopped");
        b->slots[i].track = *track;
        b->slots[i].index = *index;
        result = limberi_team_prepare(&b->team, b->bake->tracks[*track].clip);
    }
    return result;
}

static limber_result deliver_slots(const baker* b, uint32_t count) {
    bool delivered = true;
    if (b->settings->tolerance > 0)
        return LIMBER_OK;
    limberi_team_run(&b->team, count, deliver_slot, b->slots);
    for (uint32_t i = 0; i < count; i++)
        delivered = delivered && b->slots[i].delivered;
    return delivered ? LIMBER_OK : limberi_fail(b->error, LIMBER_ERROR_FILE, "no room on the disk for the bake");
}

static limber_result collect_frames(baker* b) {
    uint32_t track = 0, index = 0;
    limber_result result = b->settings->clips ? LIMBER_OK : limberi_team_prepare_all(&b->team);
    for (uint32_t first = 0; !result && first < b->frame_count; first += b->team.count) {
        uint32_t left = b->frame_count - first, count = left < b->team.count ? left : b->team.count;
        result = fill_slots(b, first, count, &track, &index);
        if (!result)
            limberi_team_run(&b->team, count, evaluate_slot, b->slots);
        for (uint32_t i = 0; !result && i < count; i++)
            result = collect_slot(b, first + i, &b->slots[i]);
        if (!result)
            result = deliver_slots(b, count);
    }
    return result;
}

static limber_result make_bases(baker* b) {
    limber_frame frame;
    limber_result result = limber_pipeline_evaluate(b->pipeline, -1, 0, &frame);
    for (uint32_t m = 0; !result && m < b->bake->mesh_count; m++) {
        const limber_mesh* mesh = &b->pipeline->model->meshes[m];
        size_t width = 3 * (size_t)mesh->vertex_count, at = 3 * (size_t)mesh->first_vertex;
        limber_bake_mesh* baked = &b->bake->meshes[m];
        baked->base_positions = limberi_allocate((width + 1) * sizeof(float));
        baked->base_normals = limberi_allocate((width + 1) * sizeof(float));
        if (!baked->base_positions || !baked->base_normals)
            return out_of_memory(b->error);
        memcpy(baked->base_positions, frame.positions + at, width * sizeof(float));
        memcpy(baked->base_normals, frame.normals + at, width * sizeof(float));
    }
    return result;
}

static limber_result reduce_mesh(baker* b, uint32_t m, limberi_reduction* reduction) {
    limber_bake_mesh* baked = &b->bake->meshes[m];
    limber_result result = limberi_reducer_finish(b->collectors[m].reducer, reduction);
    limberi_reducer_destroy(b->collectors[m].reducer);
    b->collectors[m].reducer = NULL;
    if (result)
        return out_of_memory(b->error);
    baked->positions = reduction->basis;
    baked->normals = reduction->followers;
    baked->target_count = reduction->count;
    reduction->basis = reduction->followers = NULL;
    double scale = mesh_scale(b, &b->pipeline->model->meshes[m]) / (double)b->pipeline->model->size;
    b->bake->error = fmax(b->bake->error, reduction->error * scale);
    return LIMBER_OK;
}

static limber_result fill_weights(baker* b, uint32_t m, const limberi_reduction* reduction) {
    limber_bake_mesh* baked = &b->bake->meshes[m];
    const collector* c = &b->collectors[m];
    size_t targets = baked->target_count;
    uint32_t frame_index = 0;
    for (uint32_t t = 0; t < b->bake->track_count; t++) {
        uint32_t frames = b->bake->tracks[t].frame_count;
        baked->weights[t] = limberi_allocate_zeroed(frames * targets + 1, sizeof(float));
        if (!baked->weights[t])
            return out_of_memory(b->error);
        for (uint32_t i = 0; i < frames; i++, frame_index++) {
            int32_t row = c->row_of_frame[frame_index];
            if (row < 0 || !targets)
                continue;
            if (reduction)
                memcpy(baked->weights[t] + i * targets, reduction->coefficients + (size_t)row * targets,
                       targets * sizeof(float));
            else
                baked->weights[t][i * targets + (size_t)row] = 1;
        }
    }
    return LIMBER_OK;
}

// One target at a time, and all of it.
static limber_result fill_shown(baker* b, uint32_t m) {
    limber_bake_mesh* baked = &b->bake->meshes[m];
    const int32_t* row = b->collectors[m].row_of_frame;
    limberi_release(baked->weights);
    baked->weights = NULL;
    baked->shown = limberi_allocate_zeroed((size_t)b->bake->track_count + 1, sizeof *baked->shown);
    for (uint32_t t = 0; baked->shown && t < b->bake->track_count; t++) {
        uint32_t frames = b->bake->tracks[t].frame_count;
        baked->shown[t] = limberi_allocate((frames + 1u) * sizeof *row);
        if (!baked->shown[t])
            return out_of_memory(b->error);
        memcpy(baked->shown[t], row, frames * sizeof *row);
        row += frames;
    }
    return baked->shown ? LIMBER_OK : out_of_memory(b->error);
}

static limber_result finish_mesh(baker* b, uint32_t m) {
    limberi_reduction reduction;
    memset(&reduction, 0, sizeof reduction);
    b->bake->meshes[m].target_count = b->collectors[m].row_count;
    bool reduce = b->settings->tolerance > 0 && b->collectors[m].row_count > 0;
    limber_result result = reduce ? reduce_mesh(b, m, &reduction) : LIMBER_OK;
    if (!result && b->bake->meshes[m].rows)
        result = fill_shown(b, m);
    else if (!result)
        result = fill_weights(b, m, reduce ? &reduction : NULL);
    limberi_reduction_free(&reduction);
    limberi_workers workers = limberi_pipeline_workers(b->pipeline);
    uint32_t vertex_count = b->pipeline->model->meshes[m].vertex_count;
    if (!result && reduce && limberi_bake_settle(b->bake, m, vertex_count, &workers))
        result = out_of_memory(b->error);
    return result;
}

// Frames spread over all tracks, a few of them.
static void thin_tracks(baker* b) {
    uint32_t every = (b->frame_count + b->samples - 1) / b->samples, index = every / 2;
    b->all_frames = b->frame_count;
    b->frame_count = 0;
    for (uint32_t t = 0; every > 1 && t < b->bake->track_count; t++) {
        limber_bake_track* track = &b->bake->tracks[t];
        uint32_t kept = 0;
        for (uint32_t i = 0; i < track->frame_count; i++, index++)
            if (index % every == 0)
                track->times[kept++] = track->times[i];
        track->frame_count = kept;
        b->frame_count += kept;
    }
    b->frame_count = every > 1 ? b->frame_count : b->all_frames;
}

static limber_result run(baker* b) {
    limber_result result = limberi_bake_tracks(b->pipeline, b->settings, b->bake, &b->frame_count, b->error);
    if (!result && b->samples)
        thin_tracks(b);
    if (!result)
        result = make_collectors(b);
    if (!result && b->settings->kind == LIMBER_BAKE_VERTEX)
        result = make_bases(b);
    limberi_smear_bake smears = {.pipeline = b->pipeline, .settings = b->settings, .bake = b->bake, .error = b->error};
    b->smears = smears;
    b->smears.frame_count = b->frame_count;
    if (!result)
        result = make_slots(b);
    if (!result)
        result = collect_frames(b);
    close_slots(b);
    for (uint32_t m = 0; !result && m < b->bake->mesh_count; m++)
        result = finish_mesh(b, m);
    if (!result)
        result = limberi_smear_bake_finish(&b->smears);
    if (!result && limberi_bake_shifts(b->pipeline, b->settings->fps, b->bake))
        result = out_of_memory(b->error);
    limberi_smear_bake_close(&b->smears);
    return result;
}

limber_result limberi_bake_settings_read(const limber_bake_settings* given, limber_bake_settings* out,
                                         limber_error* error) {
    *out = limber_bake_settings_default();
    if (!given)
        return LIMBER_OK;
    limber_result result = limberi_settings_read(out, sizeof *out, given, "limber_bake_settings", error);
    if (!result && (out->kind > LIMBER_BAKE_BONES || out->smear_meshes > LIMBER_SMEAR_MESHES_NONE))
        result = limberi_fail(error, LIMBER_ERROR_ARGUMENT, "there is no such kind of bake");
    return result;
}

// Leaves the bake in b->bake, or nothing after an error.
static limber_result bake_frames(baker* b) {
    limberi_error_empty(b->error);
    b->bake = limberi_allocate_zeroed(1, sizeof *b->bake);
    if (!b->bake)
        return out_of_memory(b->error);
    uint32_t outputs = b->pipeline->outputs; // of the program, which may have no use for normals
    limber_pipeline_set_outputs(b->pipeline, outputs | LIMBER_OUTPUT_NORMALS);
    limber_result result = run(b);
    limber_pipeline_set_outputs(b->pipeline, outputs);
    for (uint32_t m = 0; b->collectors && m < b->pipeline->model->mesh_count; m++) {
        limberi_release(b->collectors[m].row_of_frame);
        limberi_reducer_destroy(b->collectors[m].reducer);
    }
    limberi_release(b->collectors);
    if (result) {
        limber_bake_destroy(b->bake);
        b->bake = NULL;
    }
    return result == LIMBER_ERROR_MEMORY ? out_of_memory(b->error) : limberi_error_fill(b->error, result);
}

limber_result limber_pipeline_bake(limber_pipeline* pipeline, const limber_bake_settings* given, limber_bake** bake,
                                   limber_error* error) {
    *bake = NULL;
    limber_bake_settings settings;
    limber_result result = limberi_bake_settings_read(given, &settings, error);
    if (result)
        return result;
    if (settings.kind == LIMBER_BAKE_BONES)
#if defined(__wasm__) // small pages
        return limberi_fail(error, LIMBER_ERROR_UNSUPPORTED, "bone bakes are not part of the browser module");
#else
        return limberi_pipeline_bake_bones(pipeline, &settings, bake, error);
#endif
    baker b;
    memset(&b, 0, sizeof b);
    b.pipeline = pipeline;
    b.settings = &settings;
    b.error = error;
    result = bake_frames(&b);
    *bake = b.bake;
    return result;
}

// Of all frames, from those of some. Without a reduction targets grow with the frames. With one they grow less the more
// the samples have in common; the power is a fit to characters of this project and right within a factor of two.
static double all_targets(const baker* b, const limber_bake_mesh* mesh) {
    double samples = b->frame_count, frames = b->all_frames, targets = mesh->target_count;
    if (!(samples > 0))
        return 0;
    double growth = b->settings->tolerance > 0 ? pow(targets / samples, 2) : 1;
    return fmin(ceil(targets * pow(frames / samples, growth)), frames);
}

static void estimate_all(const baker* b, limber_bake_estimate* estimate) {
    double bytes = 0, width = b->settings->normals ? 6 : 3;
    estimate->frame_count = b->all_frames;
    for (uint32_t m = 0; m < b->bake->mesh_count; m++) {
        double targets = all_targets(b, &b->bake->meshes[m]), weights = targets * b->all_frames;
        bool sparse = weights > sparse_weights && !(b->settings->tolerance > 0);
        estimate->target_count =
            targets > estimate->target_count ? (uint32_t)targets : estimate->target_count; // of the most
        bytes += sizeof(float) * (sparse ? 2.0 * b->all_frames : weights) + target_overhead * targets;
        if (b->settings->tolerance > 0)
            bytes += sizeof(float) * width * targets * b->pipeline->model->meshes[m].vertex_count;
    }
    if (!(b->settings->tolerance > 0) && b->frame_count)
        bytes += (double)b->byte_count * b->all_frames / b->frame_count;
    estimate->byte_count = (uint64_t)bytes;
}

// Keys of all joints in all frames; targets are few, and only the work itself finds them.
static limber_result estimate_bones(limber_pipeline* pipeline, const limber_bake_settings* settings,
                                    limber_bake_estimate* estimate, limber_error* error) {
    limber_bake* bake = limberi_allocate_zeroed(1, sizeof *bake);
    limber_result result =
        bake ? limberi_bake_tracks(pipeline, settings, bake, &estimate->frame_count, error) : out_of_memory(error);
    estimate->byte_count = (uint64_t)estimate->frame_count * pipeline->model->rig.joint_count * key_bytes;
    limber_bake_destroy(bake);
    return result;
}

limber_result limber_pipeline_bake_estimate(limber_pipeline* pipeline, const limber_bake_settings* given,
                                            limber_bake_estimate* estimate, limber_error* error) {
    memset(estimate, 0, sizeof *estimate);
    limber_bake_settings settings;
    limber_result result = limberi_bake_settings_read(given, &settings, error);
    if (result)
        return result;
    settings.store = NULL;
    settings.progress = NULL;
    settings.most_bytes = 0;
    settings.smear_meshes = LIMBER_SMEAR_MESHES_NONE;
    if (settings.kind == LIMBER_BAKE_BONES)
        return estimate_bones(pipeline, &settings, estimate, error);
    baker b;
    memset(&b, 0, sizeof b);
    b.pipeline = pipeline;
    b.settings = &settings;
    b.error = error;
    b.samples = estimate_samples;
    result = bake_frames(&b);
    if (!result)
        estimate_all(&b, estimate);
    limber_bake_destroy(b.bake);
    return result;
}
