// A tip, the end of a chain of joints with skin, stops where its speed relative to the middle of the body falls below a
// fifth of a peak within about a tenth of a second. All joints above it arrive with it.
#include "motion/arrivals.h"
#include "asset/asset.h"
#include "base/math.h"
#include "base/parallel.h"
#include "base/sort.h"
#include <limber/stages/pose.h>

#include <math.h>
#include <string.h>

static const double slow_peak = 1.4, fast_peak = 2.0; // L/s: peaks between these count in part
static const double stopped = 0.2;                    // of the peak
static const double longest_stop_s = 14 / 120.0;
static const double way_s = 0.2, shortest_way = 0.05; // L: a tip that goes less far only trembles
static const double apart_s = 0.1;                    // of two stops of one joint the faster one counts

typedef struct tip_stop {
    uint32_t sample, joint;
    float peak; // L/s
} tip_stop;

typedef struct search {
    limberi_arena arena; // of the search alone
    const limber_model* model;
    const limberi_arrival_grid* grid;
    double* mass; // [joint] of its own skin
    uint32_t tip_count;
    uint32_t* tips; // [tip] joint
    float* places;  // [sample][tip * 3] relative to the middle of the body; the last ones are at the end of the clip
    limber_pose* poses; // [worker * LIMBERI_POSES]
    uint8_t* blocked;   // [sample] a jump cut is next to it
    uint32_t stop_count, stop_room;
    tip_stop* stops;
} search;

// --- tips ---

static void weigh_mesh(const limber_model* model, const limber_mesh* mesh, double* mass) {
    const uint32_t* joints = model->skins[mesh->skin].joints;
    for (uint32_t u = 0; u < mesh->vertex_count; u++)
        for (uint32_t i = mesh->influence_first[u]; i < mesh->influence_first[u + 1]; i++)
            mass[joints[mesh->influence_joint[i]]] += (double)(mesh->influence_weight[i] * mesh->areas[u]);
}

static void find_tips(search* s) {
    const limber_rig* rig = &s->model->rig;
    uint8_t* carries = LIMBERI_ALLOCATE(&s->arena, uint8_t, rig->joint_count);
    s->mass = LIMBERI_ALLOCATE(&s->arena, double, rig->joint_count);
    s->tips = LIMBERI_ALLOCATE(&s->arena, uint32_t, rig->joint_count);
    if (s->arena.failed)
        return;
    for (uint32_t m = 0; m < s->model->mesh_count; m++)
        weigh_mesh(s->model, &s->model->meshes[m], s->mass);
    for (uint32_t j = rig->joint_count; j-- > 0;) {
        bool skinned = s->mass[j] > 0;
        if (skinned && !carries[j])
            s->tips[s->tip_count++] = j;
        if (rig->hangs_on[j] >= 0 && (skinned || carries[j]))
            carries[rig->hangs_on[j]] = 1;
    }
}

// --- where they are ---

static limber_vec3 middle_of_body(const search* s, const limber_pose* pose) {
    double sum[4] = {0, 0, 0, 1e-300};
    for (uint32_t j = 0; j < s->model->rig.joint_count; j++) {
        limber_vec3 at = limberi_mat4_translation(&pose->world_from_joint[j]);
        const double p[4] = {(double)at.x, (double)at.y, (double)at.z, 1};
        for (int c = 0; c < 4; c++)
            sum[c] += s->mass[j] * p[c];
    }
    return limberi_vec3((float)(sum[0] / sum[3]), (float)(sum[1] / sum[3]), (float)(sum[2] / sum[3]));
}

// A tip is twice as far from its joint as the middle of its skin.
static void place_tips(const search* s, limber_pose* pose, float* places) {
    limber_pose_update_world(s->model, pose);
    limber_vec3 middle = middle_of_body(s, pose);
    for (uint32_t k = 0; k < s->tip_count; k++) {
        uint32_t j = s->tips[k];
        limber_vec3 end = limberi_scale(s->model->rig.centroid[j], 2);
        limberi_store3(places + 3 * (size_t)k,
                       limberi_sub(limberi_mat4_point(&pose->world_from_joint[j], end), middle));
    }
}

// The gap between the ends of a loop is spread over it.
static void close_loop(const search* s, const float* end) {
    size_t numbers = 3 * (size_t)s->tip_count;
    for (size_t n = 0; n < numbers; n++) {
        float gap = end[n] - s->places[n];
        for (uint32_t i = 0; i < s->grid->count; i++)
            s->places[i * numbers + n] -= gap * (float)i / (float)s->grid->count;
    }
}

// Any thread, for different samples; the one after the last is the end of the clip.
static void place_some_tips(void* user, uint32_t first, uint32_t end, uint32_t worker) {
    const search* s = user;
    const limberi_arrival_grid* grid = s->grid;
    limber_pose* poses = s->poses + (size_t)worker * LIMBERI_POSES;
    for (uint32_t i = first * LIMBERI_POSES; i < end * LIMBERI_POSES && i <= grid->count; i += LIMBERI_POSES) {
        double times_s[LIMBERI_POSES];
        uint32_t count = 0;
        for (; count < LIMBERI_POSES && i + count <= grid->count; count++)
            times_s[count] =
                i + count < grid->count ? grid->clip->start_s + (i + count) * grid->step_s : grid->clip->end_s;
        limberi_clip_sample_some(s->model, grid->clip, times_s, count, poses);
        for (uint32_t k = 0; k < count; k++)
            place_tips(s, &poses[k], s->places + 3 * (size_t)s->tip_count * (i + k));
    }
}

static void place_all_tips(search* s) {
    const limberi_arrival_grid* grid = s->grid;
    size_t numbers = 3 * (size_t)s->tip_count;
    uint32_t workers = limberi_worker_count(grid->parallel);
    s->places = LIMBERI_ALLOCATE(&s->arena, float, numbers*(grid->count + (size_t)1));
    s->poses = LIMBERI_ALLOCATE(&s->arena, limber_pose, (size_t)workers * LIMBERI_POSES);
    for (uint32_t i = 0; !s->arena.failed && i < workers; i++)
        s->arena.failed = limberi_poses_create(s->model, s->poses + (size_t)i * LIMBERI_POSES) != LIMBER_OK;
    if (!s->arena.failed) {
        limberi_parallel_for(grid->parallel, grid->count / LIMBERI_POSES + 1, 1, place_some_tips, s);
        if (grid->loops)
            close_loop(s, s->places + grid->count * numbers);
    }
    for (uint32_t i = 0; s->poses && i < workers; i++)
        limberi_poses_destroy(s->poses + (size_t)i * LIMBERI_POSES);
}

// --- when they stop ---

static void block(const search* s, const limber_cut* cut) {
    double at = (0.5 * (cut->before_s + cut->after_s) - s->grid->clip->start_s) / s->grid->step_s;
    for (double i = floor(at) - 1; i <= ceil(at) + 1; i++)
        if (i >= 0 && i < s->grid->count)
            s->blocked[(uint32_t)i] = 1;
}

static void block_cuts(search* s) {
    const limber_clip* clip = s->grid->clip;
    s->blocked = LIMBERI_ALLOCATE(&s->arena, uint8_t, s->grid->count);
    for (uint32_t c = 0; s->blocked && c < clip->cut_count; c++)
        block(s, &clip->cuts[c]);
    for (uint32_t c = 0; s->blocked && c < clip->joint_cut_count; c++)
        block(s, &clip->joint_cuts[c].cut);
}

// L/s; nothing is known at the ends of a clip that does not loop.
static void find_speeds(const search* s, uint32_t tip, float* speeds) {
    uint32_t count = s->grid->count;
    size_t numbers = 3 * (size_t)s->tip_count;
    float per_step = (float)(0.5 / (s->grid->step_s * (double)s->model->size));
    for (uint32_t i = 0; i < count; i++) {
        bool end = i == 0 || i + 1 == count;
        const float* before = s->places + (i ? i - 1 : count - 1) * numbers + 3 * (size_t)tip;
        const float* after = s->places + (i + 1 < count ? i + 1 : 0) * numbers + 3 * (size_t)tip;
        speeds[i] =
            end && !s->grid->loops ? 0 : per_step * limberi_distance(limberi_load3(after), limberi_load3(before));
    }
}

// The fastest sample of the last tenth of a second, on this side of a cut.
static float peak_before(const search* s, const float* speeds, uint32_t sample) {
    uint32_t count = s->grid->count;
    uint32_t back = (uint32_t)fmin(longest_stop_s / s->grid->step_s + 0.5, count - 1.0);
    float peak = 0;
    for (uint32_t n = 0; n <= back && (n <= sample || s->grid->loops); n++) {
        uint32_t i = n <= sample ? sample - n : sample + count - n;
        if (s->blocked[i])
            return peak;
        peak = speeds[i] > peak ? speeds[i] : peak;
    }
    return peak;
}

// L from where the tip was a moment ago.
static double way_of(const search* s, uint32_t tip, uint32_t sample) {
    uint32_t count = s->grid->count;
    uint32_t back = (uint32_t)fmin(way_s / s->grid->step_s + 0.5, count - 1.0);
    uint32_t from = s->grid->loops ? sample + count - back : 0;
    if (sample >= back)
        from = sample - back;
    size_t numbers = 3 * (size_t)s->tip_count;
    const float* places = s->places + 3 * (size_t)tip;
    limber_vec3 way = limberi_sub(limberi_load3(places + sample * numbers), limberi_load3(places + from * numbers));
    return (double)limberi_length(way) / (double)s->model->size;
}

static void add_stop(search* s, tip_stop stop) {
    if (s->stop_count == s->stop_room) {
        s->stop_room = 2 * s->stop_room + 64;
        tip_stop* more = LIMBERI_ALLOCATE(&s->arena, tip_stop, s->stop_room);
        if (more && s->stop_count)
            memcpy(more, s->stops, s->stop_count * sizeof *more);
        s->stops = more;
    }
    if (s->stops)
        s->stops[s->stop_count++] = stop;
}

static void find_stops(search* s, uint32_t tip, const float* speeds) {
    uint32_t count = s->grid->count;
    bool loops = s->grid->loops;
    uint32_t previous = loops ? count - 1 : 0;
    float previous_peak = peak_before(s, speeds, previous);
    for (uint32_t i = loops ? 0 : 1; i + (loops ? 0 : 1) < count && !s->arena.failed; i++) {
        float peak = peak_before(s, speeds, i);
        bool stops = !s->blocked[i] && (double)speeds[i] < stopped * (double)peak;
        bool stopped_before = (double)speeds[previous] < stopped * (double)previous_peak;
        uint32_t sample = i + s->grid->ahead;
        tip_stop stop = {loops ? sample % count : sample, s->tips[tip], peak};
        if (stops && !stopped_before && (double)peak > slow_peak && way_of(s, tip, i) > shortest_way)
            add_stop(s, stop);
        previous = i;
        previous_peak = peak;
    }
}

static int by_time(const void* user, uint32_t a, uint32_t b) {
    const tip_stop* stops = user;
    return (stops[a].sample > stops[b].sample) - (stops[a].sample < stops[b].sample);
}

// --- joints arrive with their tips ---

static bool is_below(const limber_rig* rig, uint32_t joint, uint32_t above) {
    int32_t j = (int32_t)joint;
    while (j > (int32_t)above)
        j = rig->hangs_on[j];
    return j == (int32_t)above;
}

// From stop to stop of the list, away from one of them: how many samples later or, back in time, earlier. Negative: no
// more stops that way.
static int64_t samples_away(const search* s, const uint32_t* list, uint32_t at, uint32_t other, int way) {
    int64_t away = way * ((int64_t)s->stops[list[other]].sample - (int64_t)s->stops[list[at]].sample);
    bool around = way > 0 ? other < at : other > at;
    if (!around)
        return away;
    return s->grid->loops ? away + s->grid->count : -1;
}

// Whether none of the joint's other stops nearby is faster, or as fast and earlier in the list.
static bool leads(const search* s, const uint32_t* list, uint32_t count, uint32_t at) {
    int64_t near = (int64_t)(apart_s / s->grid->step_s + 0.5);
    float peak = s->stops[list[at]].peak;
    for (int way = -1; way <= 1; way += 2)
        for (uint32_t n = 1; n < count; n++) {
            uint32_t other = way > 0 ? (at + n) % count : (at + count - n) % count;
            int64_t away = samples_away(s, list, at, other, way);
            if (away < 0 || away > near)
                break;
            float rival = s->stops[list[other]].peak;
            if (rival > peak || (rival == peak && other < at))
                return false;
        }
    return true;
}

static limberi_stop stop_of(const tip_stop* stop) {
    double x = fmin(((double)stop->peak - slow_peak) / (fast_peak - slow_peak), 1);
    return (limberi_stop){stop->sample, (float)(x * x * (3 - 2 * x))};
}

// `order`: all stops by time; `list` and `kept` have room for as many.
static void gather_stops(const search* s, const uint32_t* order, uint32_t joint, uint32_t* list, limberi_stop* kept,
                         uint32_t* kept_count) {
    uint32_t count = 0;
    *kept_count = 0;
    for (uint32_t n = 0; n < s->stop_count; n++)
        if (is_below(&s->model->rig, s->stops[order[n]].joint, joint))
            list[count++] = order[n];
    for (uint32_t n = 0; n < count; n++)
        if (leads(s, list, count, n))
            kept[(*kept_count)++] = stop_of(&s->stops[list[n]]);
}

static void gather_all(search* s, limberi_arena* arena, limberi_arrivals* out) {
    uint32_t* order = LIMBERI_ALLOCATE(&s->arena, uint32_t, s->stop_count);
    uint32_t* list = LIMBERI_ALLOCATE(&s->arena, uint32_t, s->stop_count);
    limberi_stop* kept = LIMBERI_ALLOCATE(&s->arena, limberi_stop, s->stop_count);
    if (s->arena.failed || arena->failed)
        return;
    for (uint32_t n = 0; n < s->stop_count; n++)
        order[n] = n;
    limberi_sort(order, list, s->stop_count, by_time, s->stops);
    for (uint32_t j = 0; j < s->model->rig.joint_count && s->stop_count; j++) {
        limberi_arrivals* of = &out[j];
        gather_stops(s, order, j, list, kept, &of->count);
        of->stops = LIMBERI_COPY(arena, limberi_stop, kept, of->count);
    }
}

limberi_arrivals* limberi_arrivals_find(limberi_arena* arena, const limber_model* model,
                                        const limberi_arrival_grid* grid) {
    limberi_arrivals* out = LIMBERI_ALLOCATE(arena, limberi_arrivals, model->rig.joint_count);
    search s = {.model = model, .grid = grid};
    find_tips(&s);
    block_cuts(&s);
    if (!s.arena.failed)
        place_all_tips(&s);
    float* speeds = LIMBERI_ALLOCATE(&s.arena, float, grid->count);
    for (uint32_t tip = 0; tip < s.tip_count && !s.arena.failed && model->size > 0; tip++) {
        find_speeds(&s, tip, speeds);
        find_stops(&s, tip, speeds);
    }
    if (!s.arena.failed && !arena->failed)
        gather_all(&s, arena, out);
    arena->failed = arena->failed || s.arena.failed;
    limberi_arena_free(&s.arena);
    return out;
}
