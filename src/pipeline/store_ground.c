// What the ground and rigid parts do in a clip, stored as parabolas. The motion has corners where keys, samples of
// filters and differences of both lie; between those it is smooth. Each cell between two corners is one, two or four
// pieces, whichever is near enough to what is found at moments in between. Pieces that are not, where the lowest point
// or the nearest limit changes, are marked, and their frames are found as without a track.
#include "base/memory.h"
#include "base/parallel.h"
#include "base/sort.h"
#include "motion/kinematics.h"
#include "motion/time_filter.h"
#include "pipeline/ground_track.h"
#include "pipeline/pipeline_private.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const float tolerance = 5e-7f;     // in L, at the moments in between: twice that is the promise
static const double same_corner_s = 1e-6; // corners this near to each other are one
static const double grid_rate = 120;      // samples per second of contacts and performances
static const double longest_cell_s = 1 / 60.0;
static const double max_corners_per_s = 1200; // more: keys without a rate
static const double longest_clip_s = 120;
static const size_t max_bytes = (size_t)64 << 20;

enum { MAX_PIECES = 4, MAX_NODES = 2 * MAX_PIECES + 1 };

// A track while it is made.
typedef struct cell {
    uint8_t pieces;
    uint8_t good[MAX_PIECES];
} cell;

typedef struct making {
    const limberi_ground_workers* workers;
    limberi_ground_track* track;
    int32_t clip;
    limberi_arena arena;
    uint8_t* found; // [corner]
    float* ends;    // [corner][numbers]
    float* inside;  // [cell][MAX_NODES - 2][numbers]
    cell* cells;    // [cell]
    float* scratch; // [worker][2][numbers]
    bool* changes;  // [number] in this clip
} making;

// --- corners ---

typedef struct corner_list {
    double *items, start_s, end_s;
    uint32_t count, room;
    bool loops;
} corner_list;

static void add_corner(corner_list* list, double time_s) {
    double length = list->end_s - list->start_s;
    if (list->loops)
        time_s -= length * floor((time_s - list->start_s) / length);
    if (time_s > list->start_s && time_s < list->end_s && list->count < list->room)
        list->items[list->count++] = time_s;
}

static void add_keys(corner_list* list, const limber_clip* clip, double step_s) {
    for (uint32_t c = 0; c < clip->channel_count; c++) {
        const limber_channel* channel = &clip->channels[c];
        if (c > 0 && channel->key_count == channel[-1].key_count &&
            !memcmp(channel->times, channel[-1].times, channel->key_count * sizeof *channel->times))
            continue;
        for (uint32_t k = 0; k < channel->key_count; k++)
            for (int side = -1; side <= 1; side++)
                add_corner(list, (double)channel->times[k] + side * step_s);
    }
}

static void add_samples(corner_list* list, double step_s, double ahead_s) {
    uint32_t steps = step_s > 0 ? (uint32_t)((list->end_s - list->start_s) / step_s + 1.5) : 0;
    for (uint32_t i = 0; i < steps; i++)
        add_corner(list, list->start_s + i * step_s - ahead_s);
}

// Filters of effects; contacts and performances, which have one grid.
static void add_grids(corner_list* list, const limber_pipeline* p) {
    double length = list->end_s - list->start_s;
    add_samples(list, length / fmax(1, round(length * grid_rate)), 0);
    for (uint32_t i = 0; i < p->filter_count; i++) {
        double ahead_s;
        double step_s = limberi_track_step(p->tracks[i], &ahead_s);
        add_samples(list, step_s, ahead_s);
    }
}

// From the sorted corners those of the cells; NULL `out`: only how many cells.
static uint32_t divide(const corner_list* list, double* out) {
    uint32_t cells = 0;
    double last = list->start_s;
    for (uint32_t i = 0; i <= list->count; i++) {
        double next = i < list->count ? list->items[i] : list->end_s;
        bool crowded = next - last < same_corner_s || (i < list->count && list->end_s - next < same_corner_s);
        if (crowded && i < list->count)
            continue;
        uint32_t parts = (uint32_t)ceil((next - last) / longest_cell_s - 1e-9);
        parts = parts ? parts : 1;
        for (uint32_t k = 0; out && k < parts; k++)
            out[cells + k] = last + k * (next - last) / parts;
        cells += parts;
        last = next;
    }
    if (out)
        out[cells] = list->end_s;
    return cells;
}

static bool find_corners(making* m) {
    limber_pipeline* p = m->workers->pipelines[0];
    const limber_clip* clip = &p->model->clips[m->clip];
    double length = clip->end_s - clip->start_s;
    corner_list list = {.start_s = clip->start_s, .end_s = clip->end_s};
    list.loops = limberi_motion_loops(clip, &p->settings.motion);
    list.room = (uint32_t)(8 * max_corners_per_s * (length + 1));
    list.items = LIMBERI_ALLOCATE(&m->arena, double, list.room);
    if (!list.items || limberi_pipeline_prepare_tracks(p, m->clip) != LIMBER_OK)
        return false;
    add_keys(&list, clip, limberi_motion_step(&p->settings.motion));
    add_grids(&list, p);
    qsort(list.items, list.count, sizeof *list.items, limberi_compare_doubles);
    uint32_t cells = divide(&list, NULL);
    if (list.count == list.room || cells > max_corners_per_s * (length + 1))
        cells = 0;
    m->track->cell_count = cells;
    m->track->corners = LIMBERI_ALLOCATE(&m->track->arena, double, (size_t)cells + 1);
    if (cells && m->track->corners)
        divide(&list, m->track->corners);
    return m->track->corners != NULL;
}

// --- finding ---

static void find_ends(void* user, uint32_t first, uint32_t end, uint32_t worker) {
    making* m = user;
    const limberi_ground_track* t = m->track;
    for (uint32_t i = first; i < end; i++)
        m->found[i] = limberi_pack_find_ground(m->workers->packs[worker], m->clip, t->corners[i],
                                               m->ends + i * (size_t)t->numbers);
}

// Node `at` of eight steps.
static float* node_of(const making* m, uint32_t index, uint32_t at) {
    size_t numbers = m->track->numbers;
    if (at == 0 || at == MAX_NODES - 1)
        return m->ends + (index + (at > 0)) * numbers;
    return m->inside + ((MAX_NODES - 2) * (size_t)index + at - 1) * numbers;
}

static double time_of(const making* m, uint32_t index, double part) {
    const double* corners = m->track->corners;
    return corners[index] + part * (corners[index + 1] - corners[index]);
}

// What is good of a piece, by what is found at a quarter of it and at three quarters. `steps`: of a piece, of eight.
static uint8_t check_piece(const making* m, uint32_t index, uint32_t first, uint32_t steps, uint32_t worker) {
    limber_pack* pack = m->workers->packs[worker];
    uint32_t numbers = m->track->numbers;
    float* found = m->scratch + 2 * (size_t)numbers * worker;
    float* blended = found + numbers;
    uint8_t good = LIMBERI_STORED_WHOLE | LIMBERI_STORED_LIFTS;
    for (uint32_t side = 0; side < 2; side++) {
        double at = first + steps * (0.25 + 0.5 * side);
        float* kept = steps > 2 ? node_of(m, index, (uint32_t)at) : found; // a node, if the piece is split
        if (!limberi_pack_find_ground(pack, m->clip, time_of(m, index, at / (MAX_NODES - 1)), kept))
            return 0;
        limberi_ground_track_blend(numbers, node_of(m, index, first), node_of(m, index, first + steps / 2),
                                   node_of(m, index, first + steps), 0.25f + 0.5f * (float)side, blended);
        limberi_stored_errors errors = limberi_pack_compare_ground(pack, kept, blended);
        if (!(errors.whole <= tolerance))
            good &= (uint8_t)~LIMBERI_STORED_WHOLE;
        if (!(errors.lifts <= tolerance))
            good &= (uint8_t)~LIMBERI_STORED_LIFTS;
    }
    return good;
}

// The fewest pieces that are all good; as many as possible, if some are; otherwise one.
static void find_cell(making* m, uint32_t index, uint32_t worker) {
    cell* made = &m->cells[index];
    cell whole = {.pieces = 1};
    bool any = false;
    *made = whole;
    if (!m->found[index] || !m->found[index + 1] ||
        !limberi_pack_find_ground(m->workers->packs[worker], m->clip, time_of(m, index, 0.5),
                                  node_of(m, index, MAX_PIECES)))
        return;
    for (uint32_t pieces = 1; pieces <= MAX_PIECES; pieces *= 2) {
        uint32_t steps = 2 * MAX_PIECES / pieces;
        cell split = {.pieces = (uint8_t)pieces};
        bool all = true;
        any = false;
        for (uint32_t k = 0; k < pieces; k++) {
            split.good[k] = check_piece(m, index, steps * k, steps, worker);
            all = all && split.good[k] == (LIMBERI_STORED_WHOLE | LIMBERI_STORED_LIFTS);
            any = any || (split.good[k] & LIMBERI_STORED_WHOLE);
        }
        if (all || any)
            *made = split;
        if (all)
            return;
    }
    if (!any)
        *made = whole;
}

static void find_cells(void* user, uint32_t first, uint32_t end, uint32_t worker) {
    for (uint32_t i = first; i < end; i++)
        find_cell(user, i, worker);
}

// --- the track ---

static bool allocate_making(making* m) {
    size_t cells = m->track->cell_count;
    size_t numbers = m->track->numbers;
    uint32_t workers = limberi_worker_count(m->workers->parallel);
    m->found = LIMBERI_ALLOCATE(&m->arena, uint8_t, cells + 1);
    m->ends = LIMBERI_ALLOCATE(&m->arena, float, (cells + 1) * numbers);
    m->inside = LIMBERI_ALLOCATE(&m->arena, float, (MAX_NODES - 2) * cells * numbers);
    m->cells = LIMBERI_ALLOCATE(&m->arena, cell, cells);
    m->scratch = LIMBERI_ALLOCATE(&m->arena, float, 2 * numbers * workers);
    return !m->arena.failed;
}

// The numbers at the start (0), in the middle (1) and at the end (2) of a piece of a cell.
static const float* node_of_piece(const making* m, uint32_t index, uint32_t piece, uint32_t node) {
    return node_of(m, index, (2 * piece + node) * MAX_PIECES / m->cells[index].pieces);
}

// Calls `visit` for all pieces.
typedef void piece_visit(making* m, uint32_t index, uint32_t within, uint32_t piece);

static void visit_pieces(making* m, piece_visit* visit) {
    const limberi_ground_track* t = m->track;
    for (uint32_t i = 0; i < t->cell_count; i++)
        for (uint32_t k = 0; k < m->cells[i].pieces; k++)
            visit(m, i, k, t->first_piece[i] + k);
}

static void find_changes(making* m, uint32_t index, uint32_t within, uint32_t piece) {
    (void)piece;
    for (uint32_t node = 0; node < 3; node++) {
        const float* numbers = node_of_piece(m, index, within, node);
        for (uint32_t n = 0; n < m->track->numbers; n++)
            m->changes[n] = m->changes[n] || numbers[n] != m->ends[n];
    }
}

static bool list_runs(making* m) {
    limberi_ground_track* t = m->track;
    t->runs = LIMBERI_ALLOCATE(&t->arena, limberi_ground_run, t->numbers);
    t->still = LIMBERI_COPY(&t->arena, float, m->ends, t->numbers);
    for (uint32_t n = 0; t->runs && n < t->numbers; n++) {
        if (!m->changes[n])
            continue;
        if (n == 0 || !m->changes[n - 1])
            t->runs[t->run_count++].first = n;
        t->runs[t->run_count - 1].end = n + 1;
        t->width++;
    }
    return !t->arena.failed;
}

// How far the middle of a piece is off the mean of its ends.
static float bow_of(const making* m, uint32_t index, uint32_t within, uint32_t number) {
    float mean = 0.5f * (node_of_piece(m, index, within, 0)[number] + node_of_piece(m, index, within, 2)[number]);
    return node_of_piece(m, index, within, 1)[number] - mean;
}

// Pieces that nobody asks for have no say in how fine the steps are.
static void find_steps(making* m, uint32_t index, uint32_t within, uint32_t piece) {
    limberi_ground_track* t = m->track;
    float* step = t->steps;
    for (uint32_t r = 0; t->good[piece] && r < t->run_count; r++)
        for (uint32_t n = t->runs[r].first; n < t->runs[r].end; n++, step++) {
            float needed = fabsf(bow_of(m, index, within, n)) / INT16_MAX;
            *step = needed > *step ? needed : *step;
        }
}

static void store_piece(making* m, uint32_t index, uint32_t within, uint32_t piece) {
    limberi_ground_track* t = m->track;
    size_t at = (size_t)t->width * piece;
    uint32_t i = 0;
    for (uint32_t r = 0; r < t->run_count; r++)
        for (uint32_t n = t->runs[r].first; n < t->runs[r].end; n++, i++) {
            float bow = t->steps[i] > 0 ? bow_of(m, index, within, n) / t->steps[i] : 0;
            t->ends[at + i] = node_of_piece(m, index, within, 0)[n];
            t->ends[at + t->width + i] = node_of_piece(m, index, within, 2)[n]; // the next piece has it, too
            t->bows[at + i] = t->good[piece] ? (int16_t)lrintf(bow) : 0;
        }
}

static bool keep_pieces(making* m) {
    limberi_ground_track* t = m->track;
    t->first_piece = LIMBERI_ALLOCATE(&t->arena, uint32_t, (size_t)t->cell_count + 1);
    for (uint32_t i = 0; t->first_piece && i < t->cell_count; i++)
        t->first_piece[i + 1] = t->first_piece[i] + m->cells[i].pieces;
    t->piece_count = t->first_piece ? t->first_piece[t->cell_count] : 0;
    t->good = LIMBERI_ALLOCATE(&t->arena, uint8_t, t->piece_count);
    m->changes = LIMBERI_ALLOCATE(&m->arena, bool, t->numbers);
    if (t->arena.failed || m->arena.failed)
        return false;
    for (uint32_t i = 0; i < t->cell_count; i++)
        memcpy(t->good + t->first_piece[i], m->cells[i].good, m->cells[i].pieces);
    visit_pieces(m, find_changes);
    if (!list_runs(m))
        return false;
    t->ends = LIMBERI_ALLOCATE(&t->arena, float, ((size_t)t->piece_count + 1) * t->width);
    t->bows = LIMBERI_ALLOCATE(&t->arena, int16_t, (size_t)t->piece_count * t->width);
    t->steps = LIMBERI_ALLOCATE(&t->arena, float, t->width);
    if (t->arena.failed)
        return false;
    visit_pieces(m, find_steps);
    visit_pieces(m, store_piece);
    return true;
}

static limber_result make(making* m) {
    limberi_ground_track* t = m->track;
    if (!find_corners(m))
        return LIMBER_ERROR_MEMORY;
    if (!t->cell_count || t->cell_count > max_bytes / (MAX_NODES * t->numbers * sizeof(float))) {
        t->cell_count = 0;
        return LIMBER_OK;
    }
    if (!allocate_making(m))
        return LIMBER_ERROR_MEMORY;
    limberi_parallel_for(m->workers->parallel, t->cell_count + 1, 1, find_ends, (void*)m);
    limberi_parallel_for(m->workers->parallel, t->cell_count, 1, find_cells, (void*)m);
    return keep_pieces(m) ? LIMBER_OK : LIMBER_ERROR_MEMORY;
}

limber_result limberi_ground_track_create(const limberi_ground_workers* workers, uint32_t clip,
                                          limberi_ground_track** track) {
    making m = {.workers = workers, .clip = (int32_t)clip};
    const limber_clip* of = &workers->pipelines[0]->model->clips[clip];
    uint32_t numbers = limberi_pack_ground_numbers(workers->packs[0]);
    *track = NULL;
    double length = of->end_s - of->start_s;
    if (!numbers || !(length > 0 && length < longest_clip_s))
        return LIMBER_OK;
    m.track = limberi_allocate_zeroed(1, sizeof *m.track);
    if (!m.track)
        return LIMBER_ERROR_MEMORY;
    m.track->numbers = numbers;
    limber_result result = make(&m);
    limberi_arena_free(&m.arena);
    if (result || !m.track->cell_count)
        limberi_ground_track_destroy(m.track);
    else
        *track = m.track;
    return result;
}
