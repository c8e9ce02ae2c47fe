// Where the support points are over a clip. Only joints near the lowest point are followed: a walking figure has a
// thousand points, and a dozen matter.
#include "contact/contacts_private.h"

#include "base/math.h"
#include "base/memory.h"
#include "motion/seam.h"

#include <string.h>

static const double slack = 0.05;       // of the scale: skin bends, the spheres around the points do not
static const double low_reach = 0.03;   // of the scale, above the lowest point: these may be the lowest
static const double level_reach = 0.08; // above and below a level: these may touch it
static const int cut_reach = 3;         // moments on both sides of a cut: the stencil of velocities

// --- poses ---

static void close_joint(const limberi_seams* seams, uint32_t joint, limber_transform* local) {
    double place[3] = {(double)local->translation.x, (double)local->translation.y, (double)local->translation.z};
    double turn[4] = {(double)local->rotation.x, (double)local->rotation.y, (double)local->rotation.z,
                      (double)local->rotation.w};
    limberi_seams_close(seams, 0, joint, LIMBER_CHANNEL_TRANSLATION, place);
    limberi_seams_close(seams, 0, joint, LIMBER_CHANNEL_ROTATION, turn);
    local->translation = limberi_vec3((float)place[0], (float)place[1], (float)place[2]);
    limber_quat q = {(float)turn[0], (float)turn[1], (float)turn[2], (float)turn[3]};
    local->rotation = q;
}

// The poses of as many rows; a loop goes on without end, with its seam closed.
static void sample(const limberi_point_tracks* t, const limber_clip* clip, uint32_t first_row, uint32_t count,
                   limber_pose* poses) {
    const limber_model* model = t->support->model;
    uint32_t pad = t->grid.loops ? LIMBERI_TRACK_PAD : 0;
    double times_s[LIMBERI_POSES];
    limberi_seams seams[LIMBERI_POSES];
    for (uint32_t i = 0; i < count; i++) {
        times_s[i] = t->grid.start_s + ((double)(first_row + i) - pad) * t->grid.step_s;
        seams[i].clip = clip;
        if (t->grid.loops)
            times_s[i] = limberi_seams_set(&seams[i], 0, times_s[i]);
    }
    limberi_clip_sample_some(model, clip, times_s, count, poses);
    for (uint32_t i = 0; i < count; i++) {
        for (uint32_t j = 0; t->grid.loops && limberi_has_seams(clip) && j < model->rig.joint_count; j++)
            if (limberi_joint_has_seam(clip, j))
                close_joint(&seams[i], j, &poses[i].local[j]);
        limber_pose_update_world(model, &poses[i]);
    }
}

// --- points of a moment ---

static bool make_room_for_places(limberi_point_tracks* t, size_t count) {
    if (t->place_count + count <= t->capacity)
        return true;
    size_t capacity = 2 * t->capacity + count + 1024;
    float* grown = limberi_reallocate(t->places, 3 * t->capacity * sizeof *grown, 3 * capacity * sizeof *grown);
    if (!grown)
        return false;
    t->places = grown;
    t->capacity = capacity;
    return true;
}

static bool is_near_level(const limberi_floor* floor, double low, double high, double reach) {
    for (uint32_t i = 0; floor && i < floor->level_count; i++)
        if (low < floor->levels[i] + reach && high > floor->levels[i] - reach)
            return true;
    return false;
}

// Of all points of a moment that were looked at.
typedef struct lowest {
    double height;
    size_t place;
} lowest;

// Keeps the points of a joint at a moment: their places, of points too high to touch anything only the height.
static bool keep_points(limberi_point_tracks* t, const limber_mat4* palettes, uint32_t owner, uint32_t moment,
                        lowest* low) {
    const limberi_support* s = t->support;
    uint32_t first = s->first[owner];
    uint32_t count = s->first[owner + 1] - first;
    uint32_t* offset = &t->offset[(size_t)owner * t->row + moment];
    if (*offset != UINT32_MAX)
        return true;
    if (!make_room_for_places(t, count) || t->place_count > UINT32_MAX - count)
        return false;
    *offset = (uint32_t)t->place_count;
    float* place = t->places + 3 * t->place_count;
    limberi_support_places(s, palettes, first, count, place);
    for (uint32_t i = 0; i < count; i++, place += 3) {
        double height = (double)place[1];
        if (height < low->height) {
            low->height = height;
            low->place = t->place_count + i;
        }
        bool matters = t->floor ? is_near_level(t->floor, height, height, level_reach * s->scale)
                                : height < low->height + level_reach * s->scale;
        if (!matters)
            place[0] = NAN;
    }
    t->place_count += count;
    return true;
}

typedef struct band {
    double low, high; // of the sphere around the points of a joint
} band;

static void find_bands(const limberi_point_tracks* t, const limber_pose* pose, band* bands) {
    const limberi_support* s = t->support;
    for (uint32_t i = 0; i < s->owner_count; i++) {
        limber_vec3 middle = limberi_mat4_point(&pose->world_from_joint[s->owners[i]], s->middle[i]);
        double reach = (double)s->radius[i] + slack * s->scale;
        bands[i].low = (double)middle.y - reach;
        bands[i].high = (double)middle.y + reach;
    }
}

static bool follow_moment(limberi_point_tracks* t, const limber_mat4* palettes, uint32_t moment, const band* bands) {
    const limberi_support* s = t->support;
    uint32_t first = 0;
    lowest low = {INFINITY, 0};
    for (uint32_t i = 1; i < s->owner_count; i++)
        first = bands[i].low < bands[first].low ? i : first;
    if (s->owner_count && !keep_points(t, palettes, first, moment, &low))
        return false;
    for (uint32_t i = 0; i < s->owner_count; i++) {
        bool wanted = (t->always && t->always[s->owners[i]]) || bands[i].low < low.height + low_reach * s->scale ||
                      is_near_level(t->floor, bands[i].low, bands[i].high, level_reach * s->scale);
        if (wanted && !keep_points(t, palettes, i, moment, &low))
            return false;
    }
    uint32_t pad = t->grid.loops ? LIMBERI_TRACK_PAD : 0;
    if (moment < pad || moment - pad >= t->grid.count)
        return true;
    t->low[moment - pad] = low.height;
    for (uint32_t c = 0; c < 2 && s->owner_count; c++)
        t->spot[2 * (moment - pad) + c] = t->places[3 * low.place + 2 * c];
    return true;
}

// --- all moments ---

static void mark_cuts(limberi_point_tracks* t, const limber_clip* clip) {
    for (uint32_t c = 0; c < clip->cut_count && t->grid.step_s > 0; c++) {
        double at = (0.5 * (clip->cuts[c].before_s + clip->cuts[c].after_s) - t->grid.start_s) / t->grid.step_s;
        uint32_t moment = (uint32_t)fmin(fmax(at, 0), t->grid.count - 1);
        for (int k = -cut_reach; k <= cut_reach + 1; k++)
            t->near_cut[limberi_grid_shift(&t->grid, moment, k)] = 1;
    }
}

static bool allocate_memory(limberi_point_tracks* t) {
    size_t owners = t->support->owner_count;
    t->offset = LIMBERI_ALLOCATE(&t->arena, uint32_t, owners * t->row);
    t->low = LIMBERI_ALLOCATE(&t->arena, double, t->grid.count);
    t->spot = LIMBERI_ALLOCATE(&t->arena, float, 2 * (size_t)t->grid.count);
    t->body = LIMBERI_ALLOCATE(&t->arena, double, 3 * (size_t)t->row);
    t->stir = LIMBERI_ALLOCATE(&t->arena, double, t->row);
    t->near_cut = LIMBERI_ALLOCATE(&t->arena, uint8_t, t->grid.count);
    if (!t->arena.failed)
        memset(t->offset, 0xff, owners * t->row * sizeof *t->offset);
    return !t->arena.failed;
}

// Adds how far each owner went up or down since the row before; `heights` are those of then, and of now.
static void stir(limberi_point_tracks* t, uint32_t row, const band* bands, const double* shares, double* heights) {
    double span = t->grid.step_s * t->support->scale;
    for (uint32_t o = 0; o < t->support->owner_count; o++) {
        double height = 0.5 * (bands[o].low + bands[o].high);
        if (row && span > 0)
            t->stir[row] += shares[o] * fabs(height - heights[o]) / span;
        heights[o] = height;
    }
}

// `poses`: room for as many as are sampled at once.
static bool follow_points(limberi_point_tracks* t, const limber_clip* clip, limber_pose* poses) {
    const limberi_support* s = t->support;
    limberi_arena scratch = {NULL, false};
    limber_mat4* palettes = LIMBERI_ALLOCATE(&scratch, limber_mat4, s->palette_count);
    band* bands = LIMBERI_ALLOCATE(&scratch, band, s->owner_count);
    double* shares = LIMBERI_ALLOCATE(&scratch, double, s->owner_count);
    double* heights = LIMBERI_ALLOCATE(&scratch, double, s->owner_count);
    uint32_t rows = scratch.failed ? 0 : t->row;
    uint32_t i = 0;
    if (rows)
        limberi_support_shares(s, shares);
    for (; i < rows; i++) {
        const limber_pose* pose = &poses[i % LIMBERI_POSES];
        uint32_t left = rows - i;
        if (i % LIMBERI_POSES == 0)
            sample(t, clip, i, left < LIMBERI_POSES ? left : LIMBERI_POSES, poses);
        limberi_support_palettes(s, pose, palettes);
        for (uint32_t k = 0; k < s->model->skin_count; k++)
            limberi_support_body(s, k, palettes + s->first_palette[k], t->body + 3 * (size_t)i);
        find_bands(t, pose, bands);
        stir(t, i, bands, shares, heights);
        if (!follow_moment(t, palettes, i, bands))
            break;
    }
    limberi_arena_free(&scratch);
    return i == t->row;
}

limber_result limberi_point_tracks_make(const limberi_support* support, const limber_clip* clip,
                                        const limberi_grid* grid, const limberi_floor* floor, const uint8_t* always,
                                        limberi_point_tracks* t) {
    limber_pose poses[LIMBERI_POSES];
    memset(t, 0, sizeof *t);
    t->support = support;
    t->grid = *grid;
    t->floor = floor;
    t->always = always;
    t->row = grid->count + (grid->loops ? 2 * LIMBERI_TRACK_PAD : 0);
    if (limberi_poses_create(support->model, poses))
        return LIMBER_ERROR_MEMORY;
    bool fine = allocate_memory(t) && follow_points(t, clip, poses);
    limberi_poses_destroy(poses);
    if (!fine) {
        limberi_point_tracks_free(t);
        return LIMBER_ERROR_MEMORY;
    }
    mark_cuts(t, clip);
    return LIMBER_OK;
}

void limberi_point_tracks_free(limberi_point_tracks* t) {
    limberi_arena_free(&t->arena);
    limberi_release(t->places);
    memset(t, 0, sizeof *t);
}

// --- looking things up ---

static const float* place_at(const limberi_point_tracks* t, uint32_t owner, uint32_t point, int64_t row) {
    if (row < 0 || row >= (int64_t)t->row)
        return NULL;
    uint32_t offset = t->offset[(size_t)owner * t->row + (size_t)row];
    return offset == UINT32_MAX ? NULL : t->places + 3 * ((size_t)offset + point);
}

// Past the ends of a clip that does not loop, the point goes on as it did.
static bool place_beyond(const limberi_point_tracks* t, uint32_t owner, uint32_t point, int64_t row, double* out) {
    int64_t last = (int64_t)t->row - 1;
    int64_t end = row < last ? row : last;
    if (end < 0)
        end = 0;
    int64_t beyond = row - end;
    const float* here = place_at(t, owner, point, end);
    const float* next = beyond ? place_at(t, owner, point, end + (beyond < 0 ? 1 : -1)) : here;
    if (!here || !next)
        return false;
    double times = (double)(beyond < 0 ? -beyond : beyond);
    for (int c = 0; c < 3; c++)
        out[c] = (double)here[c] + times * ((double)here[c] - (double)next[c]);
    return true;
}

static int64_t row_of(const limberi_point_tracks* t, uint32_t moment) {
    return (int64_t)moment + (t->grid.loops ? LIMBERI_TRACK_PAD : 0);
}

const float* limberi_point_tracks_place(const limberi_point_tracks* t, uint32_t owner, uint32_t point,
                                        uint32_t moment) {
    return place_at(t, owner, point, row_of(t, moment));
}

// Seven places in a row, moments -3 to 3.
static bool places_around(const limberi_point_tracks* t, uint32_t owner, uint32_t point, int64_t row,
                          double (*out)[3]) {
    const uint32_t* offset = t->offset + (size_t)owner * t->row + (size_t)row;
    if (row < 3 || row + 3 >= (int64_t)t->row) {
        for (int k = 0; k < 7; k++)
            if (!place_beyond(t, owner, point, row + k - 3, out[k]))
                return false;
        return true;
    }
    for (int k = -3; k <= 3; k++) {
        if (offset[k] == UINT32_MAX)
            return false;
        const float* p = t->places + 3 * ((size_t)offset[k] + point);
        for (int c = 0; c < 3; c++)
            out[k + 3][c] = (double)p[c];
    }
    return true;
}

bool limberi_point_tracks_motion(const limberi_point_tracks* t, uint32_t owner, uint32_t point, uint32_t moment,
                                 limberi_point_motion* motion) {
    double p[7][3];
    double per_step = t->grid.step_s > 0 ? 1 / (t->grid.step_s * t->support->scale) : 0;
    if (t->near_cut[moment] || t->grid.count < 2 || !places_around(t, owner, point, row_of(t, moment), p))
        return false;
    for (int c = 0; c < 3; c++) // central differences, smoothed 1 2 1
        motion->velocity[c] = per_step * (0.25 * (p[4][c] - p[2][c]) + 0.125 * (p[5][c] - p[1][c]));
    double twice =
        0.0625 * (p[0][1] + p[6][1]) + 0.125 * (p[1][1] + p[5][1]) - 0.0625 * (p[2][1] + p[4][1]) - 0.25 * p[3][1];
    motion->rise = twice * per_step / t->grid.step_s;
    return !isnan(motion->velocity[0]); // a point that was too high a moment ago is fast
}

double limberi_point_tracks_fall(const limberi_point_tracks* t, uint32_t moment) {
    int64_t at = row_of(t, moment);
    int64_t last = (int64_t)t->row - 1;
    int64_t before = at > 0 ? at - 1 : at;
    int64_t after = at < last ? at + 1 : at;
    double span = (double)(after - before) * t->grid.step_s * t->support->scale;
    return span > 0 ? (t->body[3 * after + 1] - t->body[3 * before + 1]) / span : 0;
}
