// Affine transforms over time as keys of nodes, which know translation, rotation and scale. With the polar
// decomposition A = R P and the eigenvectors V of P, A = (R V) S V^T: a node that turns by R V and scales by S, and a
// turn back by V^T. Where V may stay the same in all frames the turn back goes into the inverse bind matrix; else it is
// a second node with keys.
#include "bake/bones.h"
#include "base/math.h"
#include "base/memory.h"
#include "base/symmetric.h"

#include <string.h>

// Frames without a key; JSON of an accessor of times.
enum { LONGEST_GAP = 48, TIMES_BYTES = 105 };

static const float widest_turn = 0.996f; // cosine of half the angle between two keys: players interpolate differently
static const double packed_step = 32767;
static const double still_share = 1.5; // of the tolerance: what a part may change without keys
static const double shear_share = 1.2; // of the tolerance: what a shear may do without keys of its own

// One frame of a slot.
typedef struct parts {
    float values[LIMBER_BONE_CURVES][4];
} parts;

typedef struct key_maker {
    const limberi_bone_keys_job* job;
    limber_bake_bone* bone;
    uint32_t frame_count;
    parts* frames; // [frame of all tracks]
    parts rest;
    double axes[9];         // V by columns, of the current frame
    double radius;          // of the slot's box
    limberi_affine* wanted; // [frame of all tracks]
} key_maker;

static limberi_affine* affine_at(const limberi_bone_keys_job* job, uint32_t frame) {
    return &job->frames[(size_t)frame * job->stride];
}

// How far apart two transforms put a vertex of the slot, at most: its box has the largest distance in a corner.
static double distance(const limberi_bone_keys_job* job, const limberi_affine* a, const limberi_affine* b) {
    double max = 0;
    for (int corner = 0; corner < 8; corner++) {
        double sum = 0;
        for (int r = 0; r < 3; r++) {
            double d = a->m[4 * r + 3] - b->m[4 * r + 3];
            for (int c = 0; c < 3; c++)
                d += (a->m[4 * r + c] - b->m[4 * r + c]) * (corner >> c & 1 ? job->high[c] : job->low[c]);
            sum += d * d;
        }
        max = sum > max ? sum : max;
    }
    return sqrt(max);
}

static const limberi_affine identity = {{1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0}};

// R by columns, and P = R^T A, symmetric.
static void split_polar(const limberi_affine* a, double* rotation, double* p) {
    limber_mat4 m = limber_mat4_identity();
    float r[9];
    for (int row = 0; row < 3; row++)
        for (int c = 0; c < 3; c++)
            m.m[4 * c + row] = (float)a->m[4 * row + c];
    limberi_mat4_rotation(&m, r);
    for (int i = 0; i < 9; i++)
        rotation[i] = (double)r[i];
    double full[9];
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++)
            full[3 * i + k] =
                rotation[3 * i] * a->m[k] + rotation[3 * i + 1] * a->m[4 + k] + rotation[3 * i + 2] * a->m[8 + k];
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++)
            p[3 * i + k] = 0.5 * (full[3 * i + k] + full[3 * k + i]);
}

// V^T P V
static void see_along(const double* v, const double* p, double* out) {
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++) {
            out[3 * i + k] = 0;
            for (int a = 0; a < 3; a++)
                for (int b = 0; b < 3; b++)
                    out[3 * i + k] += v[3 * i + a] * p[3 * a + b] * v[3 * k + b];
        }
}

static double largest_shear(const double* s) {
    return fmax(fabs(s[1]), fmax(fabs(s[2]), fabs(s[5])));
}

// Turns the axes until P is diagonal along them, by the smallest angles: they follow P from frame to frame without
// jumps, and stay where they are while the shear is too small to matter.
static bool turn_axes(double* v, const double* p, double limit) {
    double s[9];
    bool turned = false;
    for (int sweep = 0; sweep < 12; sweep++) {
        see_along(v, p, s);
        if (!(largest_shear(s) > (turned ? 1e-3 * limit : limit)))
            break;
        turned = true;
        for (int i = 0; i < 3; i++) {
            int k = (i + 1) % 3;
            see_along(v, p, s);
            double off = s[3 * i + k];
            double gap = s[4 * k] - s[4 * i];
            double angle = 0;
            if (off != 0)
                angle = 0.5 * atan2(2 * off, fabs(gap)) * (gap < 0 ? -1 : 1);
            double c = cos(angle);
            double n = sin(angle);
            for (int x = 0; x < 3; x++) {
                double a = v[3 * i + x];
                double b = v[3 * k + x];
                v[3 * i + x] = c * a - n * b;
                v[3 * k + x] = n * a + c * b;
            }
        }
    }
    return turned;
}

// Axes that suit all frames: those of the sum of (P - 1)^2. The axes of the joint when they will do.
static void find_axes(key_maker* k) {
    double sum[9] = {0};
    double values[3];
    double worst = 0;
    for (uint32_t f = 0; f < k->frame_count; f++) {
        double r[9], p[9];
        split_polar(affine_at(k->job, f), r, p);
        worst = fmax(worst, largest_shear(p));
        for (int i = 0; i < 3; i++)
            p[4 * i] -= 1;
        for (int i = 0; i < 9; i++)
            for (int x = 0; x < 3; x++)
                sum[i] += p[i / 3 * 3 + x] * p[i % 3 * 3 + x];
    }
    for (int i = 0; i < 9; i++)
        k->axes[i] = i % 4 == 0 ? 1 : 0;
    if (worst * k->radius <= shear_share * k->job->tolerance)
        return;
    limberi_eigen_small(sum, 3, values);
    double det = sum[0] * (sum[4] * sum[8] - sum[5] * sum[7]) - sum[1] * (sum[3] * sum[8] - sum[5] * sum[6]) +
                 sum[2] * (sum[3] * sum[7] - sum[4] * sum[6]);
    for (int i = 0; i < 9; i++) { // by rising value, which changes the sign of the determinant
        double x = sum[3 * (2 - i / 3) + i % 3];
        k->axes[i] = det < 0 ? x : -x;
    }
}

static void store_turn(const key_maker* k, const double* columns, const float* near, float* out) {
    float r[9];
    for (int i = 0; i < 9; i++)
        r[i] = (float)columns[i];
    limber_quat q = limberi_quat_normalize(limberi_quat_from_rotation(r));
    const float v[4] = {q.x, q.y, q.z, q.w};
    float dot = near ? v[0] * near[0] + v[1] * near[1] + v[2] * near[2] + v[3] * near[3] : 1;
    for (int c = 0; c < 4; c++) {
        double value = (double)(dot < 0 ? -v[c] : v[c]);
        out[c] = (float)(k->bone->packed ? floor(value * packed_step + 0.5) / packed_step : value);
    }
}

static void transpose(const double* a, double* out) {
    for (int i = 0; i < 9; i++)
        out[i] = a[i % 3 * 3 + i / 3];
}

// Both are by columns.
static void multiply(const double* a, const double* b, double* out) {
    for (int i = 0; i < 9; i++)
        out[i] = a[i % 3] * b[i / 3 * 3] + a[3 + i % 3] * b[i / 3 * 3 + 1] + a[6 + i % 3] * b[i / 3 * 3 + 2];
}

static void store_rest(key_maker* k) {
    double back[9];
    transpose(k->axes, back);
    memset(&k->rest, 0, sizeof k->rest);
    store_turn(k, k->axes, NULL, k->rest.values[LIMBER_BONE_ROTATION]);
    store_turn(k, back, NULL, k->rest.values[LIMBER_BONE_BACK]);
    for (int c = 0; c < 3; c++)
        k->rest.values[LIMBER_BONE_SCALE][c] = 1;
    const float* q = k->rest.values[LIMBER_BONE_ROTATION];
    limber_quat axes = {q[0], q[1], q[2], q[3]};
    k->bone->axes = limberi_quat_normalize(axes);
}

static limberi_affine join(const parts* p) {
    const float* q = p->values[LIMBER_BONE_ROTATION];
    const float* w = p->values[LIMBER_BONE_BACK];
    limber_quat turn = {q[0], q[1], q[2], q[3]};
    limber_quat back = {w[0], w[1], w[2], w[3]};
    limber_transform first = limber_transform_identity();
    limber_transform second = first;
    first.translation = limberi_load3(p->values[LIMBER_BONE_TRANSLATION]);
    first.rotation = limberi_quat_normalize(turn);
    first.scale = limberi_load3(p->values[LIMBER_BONE_SCALE]);
    second.rotation = limberi_quat_normalize(back);
    limber_mat4 a = limberi_mat4_from_transform(&first);
    limber_mat4 b = limberi_mat4_from_transform(&second);
    limber_mat4 m = limberi_mat4_mul(&a, &b);
    limberi_affine out;
    for (int r = 0; r < 3; r++)
        for (int c = 0; c < 4; c++)
            out.m[4 * r + c] = (double)m.m[4 * c + r];
    return out;
}

// What rounding and shears that were left out do, they do about the middle of the slot's vertices.
static void place_middle(const key_maker* k, const limberi_affine* wanted, parts* out) {
    limberi_affine shown = join(out);
    for (int r = 0; r < 3; r++) {
        double off = wanted->m[4 * r + 3];
        for (int c = 0; c < 3; c++)
            off += (wanted->m[4 * r + c] - shown.m[4 * r + c]) * 0.5 * (k->job->low[c] + k->job->high[c]);
        out->values[LIMBER_BONE_TRANSLATION][r] = (float)off;
    }
}

static void split_frame(key_maker* k, uint32_t frame, const parts* before) {
    const limberi_affine* a = affine_at(k->job, frame);
    double r[9], p[9], s[9], turned[9], back[9];
    parts* out = &k->frames[frame];
    split_polar(a, r, p);
    k->bone->shears |= turn_axes(k->axes, p, k->radius > 0 ? shear_share * k->job->tolerance / k->radius : HUGE_VAL);
    see_along(k->axes, p, s);
    multiply(r, k->axes, turned);
    transpose(k->axes, back);
    for (int c = 0; c < 3; c++) {
        out->values[LIMBER_BONE_TRANSLATION][c] = 0;
        out->values[LIMBER_BONE_SCALE][c] = (float)s[4 * c];
    }
    store_turn(k, turned, before->values[LIMBER_BONE_ROTATION], out->values[LIMBER_BONE_ROTATION]);
    store_turn(k, back, before->values[LIMBER_BONE_BACK], out->values[LIMBER_BONE_BACK]);
    place_middle(k, a, out);
}

static void split_frames(key_maker* k) {
    double axes[9];
    uint32_t frame = 0;
    memcpy(axes, k->axes, sizeof axes);
    for (uint32_t t = 0; t < k->job->track_count; t++) {
        memcpy(k->axes, axes, sizeof axes);
        for (uint32_t i = 0; i < k->job->tracks[t].frame_count; i++, frame++)
            split_frame(k, frame, i ? &k->frames[frame - 1] : &k->rest);
    }
}

// --- fewer keys ---

static bool is_turn(int part) {
    return part == LIMBER_BONE_ROTATION || part == LIMBER_BONE_BACK;
}

static void slerp(const float* a, const float* b, double s, float* out) {
    double dot = 0;
    double length = 0;
    for (int c = 0; c < 4; c++)
        dot += (double)a[c] * (double)b[c];
    double angle = acos(fmin(fmax(fabs(dot), -1), 1));
    double from = 1 - s;
    double to = s;
    if (angle > 1e-4) {
        from = sin((1 - s) * angle) / sin(angle);
        to = sin(s * angle) / sin(angle);
    }
    for (int c = 0; c < 4; c++) {
        double value = from * (double)a[c] + (dot < 0 ? -to : to) * (double)b[c];
        length += value * value;
        out[c] = (float)value;
    }
    for (int c = 0; c < 4; c++)
        out[c] = (float)((double)out[c] / sqrt(length));
}

static void between(int part, const float* a, const float* b, double s, float* out) {
    if (is_turn(part)) {
        slerp(a, b, s, out);
        return;
    }
    for (int c = 0; c < 3; c++)
        out[c] = (float)((1 - s) * (double)a[c] + s * (double)b[c]);
}

// How far a vertex is moved by the difference of one part, at most.
static double apart(const key_maker* k, int part, const float* a, const float* b) {
    double sum = 0;
    double reach = 0;
    for (int c = 0; c < (is_turn(part) ? 4 : 3); c++)
        sum += ((double)a[c] - (double)b[c]) * ((double)a[c] - (double)b[c]);
    for (int c = 0; c < 3; c++) {
        double side = fmax(fabs(k->job->low[c]), fabs(k->job->high[c]));
        reach += side * side;
    }
    if (part == LIMBER_BONE_TRANSLATION)
        return sqrt(sum);
    return sqrt(sum) * (is_turn(part) ? 2 * sqrt(reach) : sqrt(reach));
}

// All parts have their keys in the same frames: errors of one that another makes good again do not count.
static bool can_skip(const key_maker* k, uint32_t first, const float* times, uint32_t from, uint32_t to) {
    const parts* a = &k->frames[first + from];
    const parts* b = &k->frames[first + to];
    const float* p = a->values[LIMBER_BONE_ROTATION];
    const float* q = b->values[LIMBER_BONE_ROTATION];
    if (p[0] * q[0] + p[1] * q[1] + p[2] * q[2] + p[3] * q[3] < widest_turn)
        return false;
    double span = (double)times[to] - (double)times[from];
    for (uint32_t f = from + 1; f < to; f++) {
        parts mixed;
        for (int part = 0; part < LIMBER_BONE_CURVES; part++)
            between(part, a->values[part], b->values[part], ((double)times[f] - (double)times[from]) / span,
                    mixed.values[part]);
        limberi_affine shown = join(&mixed);
        if (!(distance(k->job, &shown, &k->wanted[first + f]) <= k->job->tolerance))
            return false;
    }
    return true;
}

// Parts that hardly change hold their first value, or rest. Returns how many keys the part needs at least.
static uint32_t settle_part(key_maker* k, int part, uint32_t first, uint32_t count) {
    double from_rest = 0;
    double from_first = 0;
    parts* frames = k->frames + first;
    for (uint32_t f = 0; f < count; f++) {
        from_rest = fmax(from_rest, apart(k, part, frames[f].values[part], k->rest.values[part]));
        from_first = fmax(from_first, apart(k, part, frames[f].values[part], frames[0].values[part]));
    }
    bool rests = from_rest <= still_share * k->job->tolerance;
    bool holds = from_first <= still_share * k->job->tolerance;
    const float* value = rests ? k->rest.values[part] : frames[0].values[part];
    for (uint32_t f = 0; (rests || holds) && f < count; f++)
        memmove(frames[f].values[part], value, 4 * sizeof(float));
    if (rests)
        return 0;
    return holds ? 1 : 2;
}

// Of one key, of the parts that have keys.
static uint32_t bytes_of_values(const key_maker* k, const uint32_t* needed) {
    uint32_t bytes = 0;
    for (int part = 0; part < LIMBER_BONE_CURVES; part++) {
        uint32_t width = 12;
        if (is_turn(part))
            width = k->bone->packed ? 8 : 16;
        bytes += needed[part] > 1 ? width : 0;
    }
    return bytes;
}

// All frames where fewer keys do not make up for times of their own. `bytes` are those of one key.
static uint32_t find_keys(const key_maker* k, uint32_t first, const limber_bake_track* track, uint32_t bytes,
                          uint32_t* keys) {
    uint32_t count = 1;
    while (keys[count - 1] + 1 < track->frame_count) {
        uint32_t from = keys[count - 1];
        uint32_t to = from + 1;
        while (to + 1 < track->frame_count && to - from < LONGEST_GAP && can_skip(k, first, track->times, from, to + 1))
            to++;
        keys[count++] = to;
    }
    if (count * (4 + bytes) + TIMES_BYTES > track->frame_count * bytes)
        for (count = 0; count < track->frame_count; count++)
            keys[count] = count;
    return count;
}

static bool store_curve(int part, const parts* frames, const uint32_t* keys, uint32_t count, limber_bake_curve* curve) {
    size_t width = is_turn(part) ? 4 : 3;
    if (!count)
        return true;
    curve->frames = limberi_allocate(count * sizeof *keys);
    curve->values = limberi_allocate(count * width * sizeof(float));
    if (!curve->frames || !curve->values)
        return false;
    curve->key_count = count;
    memcpy(curve->frames, keys, count * sizeof *keys);
    for (uint32_t i = 0; i < count; i++)
        memcpy(curve->values + i * width, frames[keys[i]].values[part], width * sizeof(float));
    return true;
}

// What a player shows in each frame, in the place of what was wanted.
static void replay(const key_maker* k, uint32_t first, const limber_bake_track* track, const uint32_t* keys,
                   uint32_t count) {
    parts* frames = k->frames + first;
    for (uint32_t i = 0; i + 1 < count; i++)
        for (uint32_t f = keys[i] + 1; f < keys[i + 1]; f++) {
            double span = (double)track->times[keys[i + 1]] - (double)track->times[keys[i]];
            double s = ((double)track->times[f] - (double)track->times[keys[i]]) / span;
            for (int part = 0; part < LIMBER_BONE_CURVES; part++)
                between(part, frames[keys[i]].values[part], frames[keys[i + 1]].values[part], s,
                        frames[f].values[part]);
        }
}

static bool make_track(key_maker* k, uint32_t t, uint32_t first, uint32_t* keys) {
    const limber_bake_track* track = &k->job->tracks[t];
    limber_bake_curve* curves = &k->bone->curves[t * LIMBER_BONE_CURVES];
    uint32_t needed[LIMBER_BONE_CURVES];
    uint32_t max = 0;
    for (int part = 0; part < LIMBER_BONE_CURVES; part++) {
        needed[part] = settle_part(k, part, first, track->frame_count);
        max = needed[part] > max ? needed[part] : max;
    }
    keys[0] = 0;
    uint32_t count = max > 1 ? find_keys(k, first, track, bytes_of_values(k, needed), keys) : 1;
    for (int part = 0; part < LIMBER_BONE_CURVES; part++)
        if (!store_curve(part, k->frames + first, keys, needed[part] > 1 ? count : needed[part], &curves[part]))
            return false;
    replay(k, first, track, keys, count);
    return true;
}

static bool make_curves(key_maker* k, uint32_t* keys) {
    uint32_t first = 0;
    for (uint32_t t = 0; t < k->job->track_count; t++) {
        if (k->job->tracks[t].frame_count && !make_track(k, t, first, keys))
            return false;
        first += k->job->tracks[t].frame_count;
    }
    return true;
}

static limber_result make_keys(key_maker* k) {
    uint32_t* keys = limberi_allocate(((size_t)k->frame_count + 2) * sizeof *keys);
    k->bone->curves =
        limberi_allocate_zeroed((size_t)k->job->track_count * LIMBER_BONE_CURVES + 1, sizeof *k->bone->curves);
    limber_result result = keys && k->bone->curves ? LIMBER_OK : LIMBER_ERROR_MEMORY;
    if (!result) {
        find_axes(k);
        store_rest(k);
        split_frames(k);
        result = make_curves(k, keys) ? LIMBER_OK : LIMBER_ERROR_MEMORY;
    }
    for (uint32_t f = 0; !result && f < k->frame_count; f++)
        *affine_at(k->job, f) = join(&k->frames[f]);
    limberi_release(keys);
    return result;
}

limber_result limberi_bone_keys(const limberi_bone_keys_job* job, limber_bake_bone* bone, bool* rests) {
    key_maker k = {0};
    k.job = job;
    k.bone = bone;
    *rests = true;
    for (uint32_t t = 0; t < job->track_count; t++)
        k.frame_count += job->tracks[t].frame_count;
    for (uint32_t f = 0; f < k.frame_count; f++)
        *rests = *rests && distance(job, affine_at(job, f), &identity) <= job->tolerance;
    for (uint32_t f = 0; *rests && f < k.frame_count; f++)
        *affine_at(job, f) = identity;
    if (*rests)
        return LIMBER_OK;
    bone->packed = job->packed;
    for (int c = 0; c < 3; c++)
        k.radius += 0.25 * (job->high[c] - job->low[c]) * (job->high[c] - job->low[c]);
    k.radius = sqrt(k.radius);
    k.frames = limberi_allocate_zeroed((size_t)k.frame_count + 1, sizeof *k.frames);
    k.wanted = limberi_allocate(((size_t)k.frame_count + 1) * sizeof *k.wanted);
    for (uint32_t f = 0; k.wanted && f < k.frame_count; f++)
        k.wanted[f] = *affine_at(job, f);
    limber_result result = k.frames && k.wanted ? make_keys(&k) : LIMBER_ERROR_MEMORY;
    limberi_release(k.frames);
    limberi_release(k.wanted);
    return result;
}
