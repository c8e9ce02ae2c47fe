// How the parts move around a frame: how far each went in the last T0, over its own width, and which moments are bursts.
#include "smear/drawn.h"

#include <string.h>

enum { PAST = 7, FUTURE = 5, LAST = LIMBERI_STATIONS - 1 }; // of T0

static const double sample_rate = 192; // eight to 1/24 s
static const float walk = 0.05f;       // L in T0: all limbs together go less far in a walk
// Of their length are legs lifted on average: not in a walk.
static const float lifted_from = 0.17f;
static const float lifted_to = 0.25f;
// How far the middle of the body goes up or down in T0, in L: it hardly does so in walks, and does in jumps and falls.
static const float rise_from = 0.018f;
static const float rise_to = 0.035f;
// How far it goes any way: at most 0.032 L in a brisk walk.
static const float dash_from = 0.035f;
static const float dash_to = 0.045f;
// From where to where on something is smeared, by how far it goes in T0, in L: a leg that swings alone, as those of a walk
// do in turn; any other part; and where all limbs are on the move.
static const float ribbon_leg[2] = {0.105f, 0.14f};
static const float ribbon_lone[2] = {0.055f, 0.1f};
static const float ribbon_leap[2] = {0.025f, 0.035f};
static const float stretch_leg[2] = {0.1f, 0.14f};
static const float stretch_lone[2] = {0.055f, 0.105f};
static const float stretch_leap[2] = {0.05f, 0.1f};
// The same of heads and the like, by how far they go beside the body.
static const float stretch_head[2] = {0.02f, 0.04f};
static const float open = 0.7f;  // travel over width: from here on something is missing between two drawings
static const float apart = 1.0f; // the two drawings do not touch
// Of the travel is across a part: what goes along itself leaves no surface behind.
static const float thrust_to = 0.25f;
static const float thrust_from = 0.5f;
// The least travel of a head's stations over the largest: from where to where it does not nod.
static const float nods_to = 0.4f;
static const float nods_from = 0.7f;
// Depth over length of a part: deep ones, as panels of a skirt, leave no ribbon.
static const float panel_from = 0.45f;
static const float panel_to = 0.6f;

float limberi_ss(float low, float high, float x) {
    return limberi_smoothstep((x - low) / (high - low));
}

limberi_drawn_grid limberi_drawn_grid_at(double fps) {
    limberi_drawn_grid grid;
    fps = fps > 1 ? fps : 1;
    grid.parts = fps < sample_rate ? (uint32_t)fmin(fmax(round(sample_rate / fps), 1), 8) : 1;
    grid.frames = fps < sample_rate ? 1 : (uint32_t)fmin(round(fps / sample_rate), 1e6);
    double in_step = fmax(fps / 24, 1) * grid.parts / grid.frames;
    grid.per_step = (uint32_t)fmin(fmax(round(in_step), 2), 12);
    grid.now = PAST * grid.per_step;
    grid.count = grid.now + FUTURE * grid.per_step + 1;
    return grid;
}

uint32_t limberi_drawn_point_count(const struct limberi_drawn* d) {
    return d->part_count * LIMBERI_STATIONS + 1 + d->trunk_count;
}

// --- a pose ---

// A spread turned by a matrix, and the square of a distance, times a share.
static void add_spread(const limber_mat4* m, const float* s, limber_vec3 off, float share, float* out) {
    const float full[3][3] = {{s[0], s[1], s[2]}, {s[1], s[3], s[4]}, {s[2], s[4], s[5]}};
    const float away[3] = {off.x, off.y, off.z};
    float half[3][3];
    for (int r = 0; r < 3; r++)
        for (int c = 0; c < 3; c++)
            half[r][c] = m->m[r] * full[0][c] + m->m[4 + r] * full[1][c] + m->m[8 + r] * full[2][c];
    for (int r = 0, n = 0; r < 3; r++)
        for (int c = r; c < 3; c++, n++)
            out[n] += share *
                      (half[r][0] * m->m[c] + half[r][1] * m->m[4 + c] + half[r][2] * m->m[8 + c] + away[r] * away[c]);
}

void limberi_drawn_pose(const struct limberi_drawn* d, const limber_pose* pose, limberi_drawn_point* points) {
    memset(points, 0, limberi_drawn_point_count(d) * sizeof *points);
    for (uint32_t i = 0; i < d->share_count; i++) {
        const limberi_drawn_share* s = &d->shares[i];
        limber_vec3 place = limberi_mat4_point(&pose->world_from_joint[s->joint], s->mean);
        points[s->station].center = limberi_add(points[s->station].center, limberi_scale(place, s->share));
    }
    for (uint32_t i = 0; i < d->share_count; i++) {
        const limberi_drawn_share* s = &d->shares[i];
        const limber_mat4* world = &pose->world_from_joint[s->joint];
        limberi_drawn_point* p = &points[s->station];
        add_spread(world, s->spread, limberi_sub(limberi_mat4_point(world, s->mean), p->center), s->share, p->spread);
    }
}

// --- places along a part ---

float limberi_drawn_at(const float* values, float at) {
    at = limberi_clamp(at, 0, LAST);
    int k = (int)limberi_clamp(at, 0, LAST - 1);
    return values[k] + (values[k + 1] - values[k]) * (at - (float)k);
}

limber_vec3 limberi_drawn_at3(const limber_vec3* values, float at) {
    int k = (int)limberi_clamp(at, 0, LAST - 1);
    return limberi_lerp(values[k], values[k + 1], at - (float)k);
}

// The sample before a moment, and how far it is to the next.
static uint32_t sample_at(const struct limberi_drawn* d, float age, float* t) {
    float at = limberi_clamp((float)d->now - age * (float)d->per_step, 0, (float)d->sample_count - 1);
    uint32_t i = (uint32_t)at;
    i = i + 1 < d->sample_count ? i : d->sample_count - 2;
    *t = at - (float)i;
    return i;
}

limber_vec3 limberi_drawn_path(const struct limberi_drawn* d, uint32_t part, float at, float age) {
    float t;
    uint32_t i = sample_at(d, age, &t);
    uint32_t k = (uint32_t)limberi_clamp(at, 0, LAST - 1);
    const limberi_drawn_point* a = d->samples[i] + (size_t)part * LIMBERI_STATIONS + k;
    const limberi_drawn_point* b = d->samples[i + 1] + (size_t)part * LIMBERI_STATIONS + k;
    float u = at - (float)k;
    limber_vec3 p =
        limberi_lerp(limberi_lerp(a[0].center, a[1].center, u), limberi_lerp(b[0].center, b[1].center, u), t);
    return limberi_add(p, limberi_drawn_at3(d->states[part].shift, at));
}

static limber_vec3 body_at(const struct limberi_drawn* d, uint32_t sample) {
    return d->samples[sample][d->part_count * LIMBERI_STATIONS].center;
}

limber_vec3 limberi_drawn_trunk_step(const struct limberi_drawn* d, uint32_t bone) {
    size_t i = (size_t)d->part_count * LIMBERI_STATIONS + 1 + bone;
    return limberi_sub(d->samples[d->now][i].center, d->samples[d->now - d->per_step][i].center);
}

limber_vec3 limberi_drawn_body_step(const struct limberi_drawn* d, float age) {
    float t;
    uint32_t i = sample_at(d, age, &t);
    return limberi_sub(limberi_lerp(body_at(d, i), body_at(d, i + 1), t), body_at(d, d->now));
}

// --- bursts ---

static float largest(const float* v, int32_t from, int32_t to, int32_t count) {
    float max = 0;
    for (int32_t i = from < 0 ? 0 : from; i <= to && i < count; i++)
        max = fmaxf(max, v[i]);
    return max;
}

// How much of a smear a moment is: round the peaks of the travel v, and on plateaus as high (spins) where asked.
typedef struct moment {
    float burst, near; // `near` goes further from the peak
} moment;

static moment moment_at(const struct limberi_drawn* d, const float* v, uint32_t at, bool plateaus) {
    int32_t n = (int32_t)d->per_step;
    int32_t count = (int32_t)d->sample_count;
    int32_t now = (int32_t)at;
    float frames = d->smearer->settings.drawn.frames;
    float min = 1e-9f * d->smearer->size;
    float peak = fmaxf(largest(v, now - 4 * n, now + 4 * n, count), min);
    moment out = {plateaus ? limberi_ss(0.85f, 0.98f, v[at] / peak) : 0, limberi_ss(0.15f, 0.35f, v[at] / peak)};
    int32_t reach = (int32_t)ceilf(frames * (float)n);
    for (int32_t m = now - reach; m <= now + reach; m++) {
        if (m < 1 || m + 1 >= count || !(v[m] >= v[m - 1] && v[m] > v[m + 1]))
            continue;
        float around = fmaxf(largest(v, m - 4 * n, m + 4 * n, count), min);
        float near = 1 - limberi_ss(fmaxf(frames - 1, 0), frames, fabsf((float)(m - now)) / (float)n);
        out.burst = fmaxf(out.burst, near * limberi_ss(0.7f, 0.9f, v[m] / around));
    }
    out.burst *= out.near;
    return out;
}

// --- a part ---

// The lengths of paths up to each sample: of the stations, and of the same as the middle of the body sees them.
typedef struct paths {
    float path[LIMBERI_DRAWN_SAMPLES][LIMBERI_STATIONS], own[LIMBERI_DRAWN_SAMPLES][LIMBERI_STATIONS];
} paths;

static void measure_paths(const struct limberi_drawn* d, uint32_t part, paths* p) {
    memset(p->path[0], 0, sizeof p->path[0]);
    memset(p->own[0], 0, sizeof p->own[0]);
    for (uint32_t i = 1; i < d->sample_count; i++) {
        const limberi_drawn_point* a = d->samples[i - 1] + (size_t)part * LIMBERI_STATIONS;
        const limberi_drawn_point* b = d->samples[i] + (size_t)part * LIMBERI_STATIONS;
        limber_vec3 body = limberi_sub(body_at(d, i), body_at(d, i - 1));
        for (uint32_t k = 0; k < LIMBERI_STATIONS; k++) {
            limber_vec3 step = limberi_sub(b[k].center, a[k].center);
            p->path[i][k] = p->path[i - 1][k] + limberi_length(step);
            p->own[i][k] = p->own[i - 1][k] + limberi_distance(step, body);
        }
    }
}

// Over the T0 before a sample. What merely rides along belongs to the smear of the body.
static float path_in_step(const struct limberi_drawn* d, float (*lengths)[LIMBERI_STATIONS], uint32_t i, uint32_t k) {
    uint32_t before = i > d->per_step ? i - d->per_step : 0;
    return lengths[i][k] - lengths[before][k];
}

// How high the end of a leg is.
static float height_at(const struct limberi_drawn* d, uint32_t part, uint32_t i) {
    const limberi_drawn_point* tip = d->samples[i] + (size_t)part * LIMBERI_STATIONS + LAST;
    return tip->center.y - 0.41f * sqrtf(12 * fmaxf(tip->spread[3], 0));
}

// The least that each leg is in all samples.
static void find_lows(const struct limberi_drawn* d, float* lows) {
    for (uint32_t part = 0; part < d->limb_count; part++) {
        lows[part] = HUGE_VALF;
        for (uint32_t i = 0; i < d->sample_count && d->parts[part].stands > 0; i++)
            lows[part] = fminf(lows[part], height_at(d, part, i));
    }
}

// How far the legs are off the ground, of their length: in walks most of them stand, and the others are hardly lifted.
static float lift_at(const struct limberi_drawn* d, const float* lows, uint32_t i) {
    float sum = 0;
    float lengths = 0;
    for (uint32_t part = 0; part < d->limb_count; part++) {
        float stands = d->parts[part].stands;
        sum += stands > 0 ? stands * (height_at(d, part, i) - lows[part]) : 0;
        lengths += stands * d->parts[part].length;
    }
    return lengths > 0 ? sum / lengths : 0;
}

// How much all limbs are on the move, as in a gallop, a leap or a blow; in walks they go at most 0.05 L on average. What
// rises or falls as a whole takes them along.
static float find_vigor(const struct limberi_drawn* d, const float* lows) {
    uint32_t i = d->now;
    uint32_t before = i - d->per_step;
    float sum = 0;
    float lengths = 0;
    float firm_sum = 0; // of all but cloth, which swings in a spin and merely follows in a run
    float firm_lengths = 0;
    for (uint32_t part = 0; part < d->limb_count; part++) {
        const limberi_drawn_point* a = d->samples[before] + (size_t)part * LIMBERI_STATIONS;
        const limberi_drawn_point* b = d->samples[i] + (size_t)part * LIMBERI_STATIONS;
        float max = 0;
        for (uint32_t k = 1; k < LIMBERI_STATIONS; k += 3) { // some of them are enough
            limber_vec3 step = limberi_sub(b[k].center, a[k].center);
            max = fmaxf(max, limberi_dot(step, step));
        }
        float firm = d->parts[part].length * (1 - d->parts[part].cloth);
        sum += sqrtf(max) * d->parts[part].length;
        lengths += d->parts[part].length;
        firm_sum += sqrtf(max) * firm;
        firm_lengths += firm;
    }
    if (!(lengths > 0))
        return 0;
    float travel = fmaxf(sum / lengths, firm_lengths > 0 ? firm_sum / firm_lengths : 0) / d->smearer->size;
    float slow = limberi_ss(0.5f * walk, 0.8f * walk, travel);
    float lifted = slow > 0 ? limberi_ss(lifted_from, lifted_to, lift_at(d, lows, i)) : 0;
    limber_vec3 step = limberi_scale(limberi_sub(body_at(d, i), body_at(d, before)), 1 / d->smearer->size);
    float body =
        fmaxf(limberi_ss(rise_from, rise_to, fabsf(step.y)), limberi_ss(dash_from, dash_to, limberi_length(step)));
    float limbs = fmaxf(limberi_ss(1.1f * walk, 1.4f * walk, travel), slow * lifted);
    return limberi_clamp(d->smearer->settings.drawn.body, 0, 1) * fmaxf(body, limbs);
}

// How much of what a station goes it does beside the body.
static float own_part(const struct limberi_drawn* d, paths* p, uint32_t i, uint32_t k) {
    float path = path_in_step(d, p->path, i, k);
    float own = path_in_step(d, p->own, i, k);
    return d->limb_count < 2 || own >= path ? 1 : own / path;
}

limber_vec3 limberi_drawn_axis(const limberi_drawn_point* points, uint32_t k, float size) {
    limber_vec3 way = limberi_sub(points[k < LAST ? k + 1 : k].center, points[k > 0 ? k - 1 : k].center);
    float length = limberi_length(way);
    return length > 1e-6f * size ? limberi_scale(way, 1 / length) : limberi_vec3(0, 0, 0);
}

float limberi_drawn_extent(const float* s, limber_vec3 a) {
    float square = s[0] * a.x * a.x + s[3] * a.y * a.y + s[5] * a.z * a.z +
                   2 * (s[1] * a.x * a.y + s[2] * a.x * a.z + s[4] * a.y * a.z);
    return sqrtf(12 * fmaxf(square, 0)); // that of a bar
}

// The outermost point of an ellipsoid in a direction lies aside of it where the ellipsoid is turned, as a panel of a skirt
// that goes sideways is: how far, of the distance in that direction.
static limber_vec3 slant(const float* s, limber_vec3 a) {
    limber_vec3 out = limberi_vec3(s[0] * a.x + s[1] * a.y + s[2] * a.z, s[1] * a.x + s[3] * a.y + s[4] * a.z,
                                   s[2] * a.x + s[4] * a.y + s[5] * a.z);
    float square = limberi_dot(out, a);
    limber_vec3 aside = square > 0 ? limberi_sub(limberi_scale(out, 1 / square), a) : limberi_vec3(0, 0, 0);
    return limberi_scale(aside, 1 / fmaxf(limberi_length(aside), 1));
}

float limberi_drawn_low(const struct limberi_drawn* d, uint32_t part, float at, float age) {
    float t;
    uint32_t i = sample_at(d, age, &t);
    uint32_t k = (uint32_t)(limberi_clamp(at, 0, LAST) + 0.5f);
    const limberi_drawn_point* p = d->samples[t > 0.5f ? i + 1 : i] + (size_t)part * LIMBERI_STATIONS + k;
    return p->center.y + d->states[part].shift[k].y -
           0.41f * limberi_drawn_extent(p->spread, limberi_vec3(0, 1, 0)); // of a tube
}

// How far a part goes on behind one of its stations, against the motion: a hand that is thrust forward leaves the place
// to its arm, and a foot only to itself.
static float behind(const limberi_drawn_point* points, uint32_t k, limber_vec3 step, float width) {
    limber_vec3 way = limberi_normalize(step);
    float max = 0;
    for (uint32_t i = 0; i < LIMBERI_STATIONS; i++) {
        limber_vec3 off = limberi_sub(points[k].center, points[i].center);
        float back = limberi_dot(off, way);
        if (!(back > max))
            continue;
        float beside = limberi_distance(off, limberi_scale(way, back));
        max = fmaxf(max, back * (1 - limberi_ss(0.15f * width, 0.5f * width, beside)));
    }
    return max;
}

// How much of what goes `travel` is smeared.
static float moving(const struct limberi_drawn* d, uint32_t part, float vigor, const float* leg, const float* lone,
                    const float* leap, float travel) {
    float range[2];
    for (int i = 0; i < 2; i++) {
        float alone = lone[i] + (leg[i] - lone[i]) * d->parts[part].stands;
        range[i] = alone + (leap[i] - alone) * vigor;
    }
    return limberi_ss(range[0], range[1], travel / d->smearer->size);
}

// Fingers, rings and cuffs would make steps in what they leave behind.
static void even_out(limberi_drawn_state* s) {
    float depth[LIMBERI_STATIONS];
    limber_vec3 slants[LIMBERI_STATIONS];
    memcpy(depth, s->depth, sizeof depth);
    memcpy(slants, s->slant, sizeof slants);
    for (uint32_t k = 0; k < LIMBERI_STATIONS; k++) {
        uint32_t a = k > 0 ? k - 1 : k;
        uint32_t b = k < LAST ? k + 1 : k;
        s->depth[k] = fmaxf(depth[k], 0.5f * (depth[a] + depth[b]));
        s->slant[k] = limberi_lerp(slants[k], limberi_lerp(slants[a], slants[b], 0.5f), 0.5f);
    }
}

// A head that does not nod goes as one: slices of it, each with a front and back of its own, would make bumps.
static void join_stations(limberi_drawn_state* s, const limberi_drawn_point* points,
                          const limberi_drawn_point* before) {
    limber_vec3 sum = limberi_vec3(0, 0, 0);
    float ratio = 0;
    float gap = 0;
    float min = HUGE_VALF;
    for (uint32_t k = 0; k < LIMBERI_STATIONS; k++) {
        sum = limberi_add(sum, limberi_sub(points[k].center, before[k].center));
        ratio += s->ratio[k] / LIMBERI_STATIONS;
        gap += s->gap[k] / LIMBERI_STATIONS;
        min = fminf(min, s->travel[k]);
    }
    s->one = limberi_ss(nods_to, nods_from, min / fmaxf(largest(s->travel, 0, LAST, LIMBERI_STATIONS), 1e-30f));
    s->one_way = limberi_normalize(sum);
    float low = HUGE_VALF;
    float high = -HUGE_VALF;
    for (uint32_t k = 0; k < LIMBERI_STATIONS; k++) {
        float at = limberi_dot(s->center[k], s->one_way);
        float half = 0.5f * limberi_drawn_extent(points[k].spread, s->one_way);
        low = fminf(low, at - half);
        high = fmaxf(high, at + half);
        s->ratio[k] += (ratio - s->ratio[k]) * s->one;
        s->gap[k] += (gap - s->gap[k]) * s->one;
    }
    s->one_middle = 0.5f * (low + high);
    s->one_half = 0.5f * (high - low);
}

// Travel, width and their ratio now.
static void measure_now(const struct limberi_drawn* d, uint32_t part, paths* p, limberi_drawn_state* s) {
    uint32_t i = d->now;
    const limberi_drawn_point* points = d->samples[i] + (size_t)part * LIMBERI_STATIONS;
    const limberi_drawn_point* before = d->samples[i - d->per_step] + (size_t)part * LIMBERI_STATIONS;
    float widths[LIMBERI_STATIONS];
    for (uint32_t k = 0; k < LIMBERI_STATIONS; k++) {
        limber_vec3 step = limberi_sub(points[k].center, before[k].center);
        s->axis[k] = limberi_drawn_axis(points, k, d->smearer->size);
        limber_vec3 across = limberi_sub(step, limberi_scale(s->axis[k], limberi_dot(step, s->axis[k])));
        s->way[k] = limberi_normalize(across);
        s->across[k] = limberi_length(across) / fmaxf(limberi_length(step), 1e-9f * d->smearer->size);
        s->travel[k] = path_in_step(d, p->path, i, k);
        widths[k] = fmaxf(limberi_drawn_extent(points[k].spread, s->way[k]), d->parts[part].min_width);
        limber_vec3 side = limberi_cross(s->way[k], s->axis[k]);
        s->depth[k] = limberi_drawn_extent(points[k].spread, side);
        s->slant[k] = slant(points[k].spread, side);
        float depth = s->depth[k] / fmaxf(d->parts[part].length, 1e-9f * d->smearer->size);
        s->lean[k] = d->parts[part].lean[k] * (1 - limberi_ss(panel_from, panel_to, depth));
    }
    even_out(s);
    float end = 0.5f * limberi_drawn_extent(points[LAST].spread, s->axis[LAST]);
    float last = limberi_distance(points[LAST].center, points[LAST - 1].center);
    s->tip = limberi_clamp(0.8f * end / fmaxf(last, 1e-9f * d->smearer->size), 0, 1);
    // The widest of a station and its neighbours.
    for (uint32_t k = 0; k < LIMBERI_STATIONS; k++)
        s->width[k] = fmaxf(widths[k], fmaxf(widths[k > 0 ? k - 1 : k], widths[k < LAST ? k + 1 : k]));
    // A limb that is fast at its end leaves a ribbon wherever it does not overlap itself; only what is fast is stretched.
    float vigor = d->vigor;
    float farthest = largest(s->travel, 0, LAST, LIMBERI_STATIONS);
    float no_walk = moving(d, part, vigor, ribbon_leg, ribbon_lone, ribbon_leap, farthest);
    for (uint32_t k = 0; k < LIMBERI_STATIONS; k++) {
        limber_vec3 step = limberi_sub(points[k].center, before[k].center);
        float whole = s->travel[k] / (s->width[k] + behind(points, k, step, s->width[k]));
        float own = own_part(d, p, i, k);
        float fast = moving(d, part, vigor, stretch_leg, stretch_lone, stretch_leap, s->travel[k]);
        float beside = path_in_step(d, p->own, i, k) / d->smearer->size;
        float head = d->parts[part].head ? limberi_ss(stretch_head[0], stretch_head[1], beside) : 0;
        s->ratio[k] = whole * fmaxf(own * fast, head); // a head that goes its own way goes all of it, the body's, too
        s->gap[k] = whole * fmaxf(own, vigor) * no_walk;
    }
    s->one = 0;
    if (d->parts[part].head && d->parts[part].cloth < 0.5f)
        join_stations(s, points, before);
}

// A ribbon covers what is too fast to be stretched; all of it, where a part is too stiff for that. It is drawn around the
// fastest moment, and wherever two drawings do not touch; where all limbs are on the move, also where they hardly do.
static void find_ribbon(const struct limberi_drawn* d, uint32_t part, moment when, limberi_drawn_state* s) {
    const limberi_drawn_part* p = &d->parts[part];
    float scale = d->smearer->settings.drawn.width / 0.45f;
    float vigor = d->vigor;
    float stretched = vigor * (1 - p->stiff); // what is stretched to the last drawing needs none on top of that
    float low = (0.6f + 0.3f * p->fine) * (1 - vigor) + (0.7f + 0.4f * stretched) * vigor;
    float high = (1.2f + 0.4f * p->fine) * (1 - vigor) + (1.2f + 0.5f * stretched) * vigor;
    float max = 0;
    for (uint32_t k = 0; k < LIMBERI_STATIONS; k++)
        max = fmaxf(max, s->travel[k]);
    float swings =
        limberi_ss(0.25f, 0.5f, s->travel[LAST] / fmaxf(max, 1e-9f * d->smearer->size)); // not where it stands
    if (d->one_piece && part < d->limb_count) // a bird that darts has no end that swings; an axe that is thrown has
        swings *=
            1 - limberi_ss(0.6f, 0.9f, fminf(s->travel[0], s->travel[LAST]) / fmaxf(max, 1e-9f * d->smearer->size));
    for (uint32_t k = 0; k < LIMBERI_STATIONS; k++) {
        float gap = s->gap[k] / scale;
        float wide = fmaxf(vigor * limberi_ss(open, 1.6f * open, gap), limberi_ss(apart, 1.6f * apart, gap));
        float shown = fmaxf(when.burst, when.near * wide);
        bool none = p->stubby || s->travel[k] < 0.25f * max;
        s->ribbon[k] = none ? 0
                            : limberi_ss(low, high, gap) * shown * swings * p->gain * p->slim * s->lean[k] *
                                  limberi_ss(thrust_to, thrust_from, s->across[k]);
    }
}

static void measure_part(struct limberi_drawn* d, uint32_t part) {
    limberi_drawn_state* s = &d->states[part];
    paths p;
    float v[LIMBERI_DRAWN_SAMPLES];
    measure_paths(d, part, &p);
    // What rides along with a leap goes as far as it does; feet would be torn in two by that.
    float along = d->vigor * (1 - d->parts[part].stands);
    for (uint32_t i = 0; i < d->sample_count; i++) {
        v[i] = 0;
        for (uint32_t k = 0; k < LIMBERI_STATIONS; k++)
            v[i] = fmaxf(v[i], path_in_step(d, p.path, i, k) * fmaxf(own_part(d, &p, i, k), along));
    }
    measure_now(d, part, &p, s);
    moment now = moment_at(d, v, d->now, true);
    s->burst = now.burst;
    s->near = now.near;
    find_ribbon(d, part, now, s);
}

// --- as drawn ---

static void add_place(float along, float reach, double area, const float* p, double (*sums)[4]) {
    uint32_t first = (uint32_t)fmaxf(ceilf(along - reach), 0);
    for (uint32_t k = first; k < LIMBERI_STATIONS && (float)k < along + reach; k++) {
        double weight = (double)(1 - fabsf(along - (float)k) / reach) * area;
        for (size_t i = 0; i < 4; i++)
            sums[k][i] += weight * (i < 3 ? (double)p[i] : 1);
    }
}

// Where stations are in the picture: effects move the skin away from where the pose has it.
static void find_shifts(struct limberi_drawn* d, const float* positions) {
    double sums[LIMBERI_PARTS][LIMBERI_STATIONS][4];
    memset(sums, 0, sizeof sums);
    for (uint32_t v = 0; v < d->smearer->model->vertex_count; v++) {
        const float* p = positions + 3 * (size_t)v;
        double area = (double)d->areas[v] + 1e-30;
        if (d->part_of[v] != LIMBERI_PART_NONE)
            add_place(d->along[v], d->parts[d->part_of[v]].hat, area, p, sums[d->part_of[v]]);
        if (d->spike_of[v] != LIMBERI_PART_NONE)
            add_place(d->spike_along[v], d->parts[d->spike_of[v]].hat, area, p, sums[d->spike_of[v]]);
    }
    for (uint32_t i = 0; i < d->part_count; i++) {
        limberi_drawn_state* s = &d->states[i];
        double all[4] = {0, 0, 0, 0};
        for (uint32_t k = 0; k < LIMBERI_STATIONS; k++)
            for (size_t c = 0; c < 4; c++)
                all[c] += sums[i][k][c];
        for (uint32_t k = 0; k < LIMBERI_STATIONS; k++) {
            const double* sum = d->parts[i].stubby ? all : sums[i][k];
            limber_vec3 posed = d->samples[d->now][i * LIMBERI_STATIONS + k].center;
            limber_vec3 seen = posed;
            if (sum[3] > 0)
                seen = limberi_vec3((float)(sum[0] / sum[3]), (float)(sum[1] / sum[3]), (float)(sum[2] / sum[3]));
            s->shift[k] = limberi_sub(seen, posed);
            s->center[k] = seen;
        }
    }
}

static void measure_body(struct limberi_drawn* d, const float* positions) {
    float v[LIMBERI_DRAWN_SAMPLES], path[LIMBERI_DRAWN_SAMPLES];
    path[0] = 0;
    for (uint32_t i = 1; i < d->sample_count; i++)
        path[i] = path[i - 1] + limberi_distance(body_at(d, i), body_at(d, i - 1));
    for (uint32_t i = 0; i < d->sample_count; i++)
        v[i] = path[i] - path[i > d->per_step ? i - d->per_step : 0];
    d->body_travel = v[d->now];
    d->body_burst = moment_at(d, v, d->now, d->limb_count < 2).burst;
    d->body_way = limberi_normalize(limberi_sub(body_at(d, d->now), body_at(d, d->now - d->per_step)));
    double sum[4] = {0, 0, 0, 0};
    float low = HUGE_VALF;
    float high = -HUGE_VALF;
    for (uint32_t u = 0; u < d->smearer->model->vertex_count; u++) {
        limber_vec3 p = limberi_load3(positions + 3 * (size_t)u);
        double area = d->island_of ? (double)d->areas[u] : 0;
        sum[0] += area * (double)p.x;
        sum[1] += area * (double)p.y;
        sum[2] += area * (double)p.z;
        sum[3] += area;
        float along = limberi_dot(p, d->body_way);
        low = area > 0 ? fminf(low, along) : low;
        high = area > 0 ? fmaxf(high, along) : high;
    }
    double all = sum[3] > 0 ? sum[3] : 1;
    d->body_center = limberi_vec3((float)(sum[0] / all), (float)(sum[1] / all), (float)(sum[2] / all));
    d->body_size = fmaxf(high - low, 0.1f * d->smearer->size);
}

void limberi_drawn_measure(struct limberi_drawn* d, const float* positions) {
    find_shifts(d, positions);
    measure_body(d, positions);
    float lows[LIMBERI_PARTS];
    find_lows(d, lows);
    d->ground = -HUGE_VALF;
    for (uint32_t i = 0; i < d->limb_count; i++)
        if (d->parts[i].stands > 0)
            d->ground = d->ground > -HUGE_VALF ? fminf(d->ground, lows[i]) : lows[i];
    d->vigor = find_vigor(d, lows);
    for (uint32_t i = 0; i < d->part_count; i++)
        measure_part(d, i);
}
