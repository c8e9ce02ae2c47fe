// Rotations between two keys are interpolated along the arc:
//     q = (sin((1 - t) w) a + sin(t w) b) / sin w,   w the angle between a and b as vectors.
// With u = |b - a|^2 = 2 - 2 cos w both weights are power series in u whose coefficients depend on t alone:
//     sin(t w) / sin w = sum of c_n u^n,   c_0 = t,   c_n = c_(n-1) (n^2 - t^2) / (2 n (2 n + 1)),
// so that for channels with the same times no sine, root or quotient is left. As the weights add up to nearly 1,
//     q = a + way (b - a) + excess a,   excess = both weights - 1,
// is exactly a where a and b are the same: a joint at rest has a speed of exactly 0.
#include "asset/moments.h"
#include "asset/channel.h"

#include <string.h>

// The first term left out is below 4e-15 for the short series (23 degrees from key to key) and 3e-15 for the long one
// (60 degrees).
enum { FEW_TERMS = 7 };
static const double few_reach = 0.04; // squares of the distance
static const double max_reach = 0.268;

static const double near_unit = 1e-6; // where one step of Newton's method leaves less than 1e-12
static const double shortest_square = 1e-40;

void limberi_visit_start(limberi_visit* visit) {
    visit->moments.count = 0;
    memset(visit->moments.lanes, 0, sizeof visit->moments.lanes); // the weights follow from these
    visit->poses = NULL;
    visit->pose_first = 0;
    visit->pose_count = 0;
    visit->moved = NULL;
    visit->user = NULL;
}

uint32_t limberi_moments_add(limberi_moments* moments, double time_s) {
    for (uint32_t i = 0; i < moments->count; i++)
        if (moments->time_s[i] == time_s)
            return i;
    moments->time_s[moments->count] = time_s;
    return moments->count++;
}

// --- where moments lie among keys ---

static void set_weights(limberi_moments* m, int lane, uint32_t moment, double t) {
    static const double inverse[LIMBERI_TURN_TERMS] = {// 1 / (2 n (2 n + 1))
                                                       1,         1 / 6.0,   1 / 20.0,  1 / 42.0,
                                                       1 / 72.0,  1 / 110.0, 1 / 156.0, 1 / 210.0,
                                                       1 / 272.0, 1 / 342.0, 1 / 420.0, 1 / 506.0};
    limberi_pair c = {1 - t, t};
    limberi_pair squares = c * c;
    m->way[moment][0][lane] = t;
    m->excess[moment][0][lane] = 0;
    for (int n = 1; n < LIMBERI_TURN_TERMS; n++) {
        c *= ((double)(n * n) - squares) * inverse[n];
        m->way[moment][n][lane] = c[1];
        m->excess[moment][n][lane] = c[0] + c[1];
    }
}

static void find_moment(limberi_moments* m, int lane, const limber_channel* channel, uint32_t moment) {
    limberi_moment_keys* keys = &m->lanes[lane];
    const float* times = channel->times;
    uint32_t last = channel->key_count - 1;
    uint32_t key = keys->key[moment];
    // Other channels may also have keys at the same times.
    if (keys->inside[moment] && key < last && times[key] == keys->low_s[moment] &&
        times[key + 1] == keys->high_s[moment])
        return;
    double t;
    double time_s = m->time_s[moment];
    key = limberi_channel_find(channel, time_s, key, &t);
    if (key == last) {
        key = last - 1;
        t = 1;
    }
    keys->key[moment] = key;
    keys->low_s[moment] = times[key];
    keys->high_s[moment] = times[key + 1];
    keys->inside[moment] = (double)times[key] <= time_s && time_s < (double)times[key + 1];
    set_weights(m, lane, moment, t);
    double step_s = (double)times[key + 1] - (double)times[key];
    m->spline[moment][0][lane] = t * t * (3 - 2 * t);
    m->spline[moment][1][lane] = step_s * t * (1 - t) * (1 - t);
    m->spline[moment][2][lane] = step_s * t * t * (t - 1);
}

static void find_moments(limberi_moments* m, int lane, const limber_channel* channel) {
    limberi_moment_keys* keys = &m->lanes[lane];
    if (keys->times == channel->times && keys->key_count == channel->key_count)
        return;
    for (uint32_t i = 0; i < m->count; i++)
        find_moment(m, lane, channel, i);
    keys->times = channel->times;
    keys->key_count = channel->key_count;
}

// --- rotations ---

static limberi_pair dot4(const limberi_pair* a, const limberi_pair* b) {
    return (a[0] * b[0] + a[1] * b[1]) + (a[2] * b[2] + a[3] * b[3]);
}

// From one key to the next, for two channels.
typedef struct arc {
    limberi_pair from[4], way[4]; // units, and what leads from them to the next ones, the short way
    limberi_pair chord;           // the square of its length
} arc;

LIMBERI_INLINED void join(const limberi_pair* to, limberi_pair from_scale, limberi_pair to_scale, arc* s) {
    limberi_pair side = limberi_pair_turned(to_scale, dot4(s->from, to));
    for (int i = 0; i < 4; i++) {
        s->from[i] *= from_scale;
        s->way[i] = to[i] * side - s->from[i];
    }
    s->chord = dot4(s->way, s->way);
}

// Where both keys are units but for the rounding of a float, as nearly all are, and near enough for the short series.
LIMBERI_INLINED limberi_pair_mask load_arc(const float* a, const float* b, arc* s) {
    limberi_pair to[4];
    limberi_pair_load4(a, b, s->from);
    limberi_pair_load4(a + 4, b + 4, to);
    limberi_pair from_square = dot4(s->from, s->from);
    limberi_pair to_square = dot4(to, to);
    join(to, 1.5 - 0.5 * from_square, 1.5 - 0.5 * to_square, s);
    return (limberi_pair_abs(from_square - 1) < near_unit) & (limberi_pair_abs(to_square - 1) < near_unit) &
           (s->chord < few_reach);
}

// NAN for a quaternion without a length: it then fails the test for every series.
static double inverse_length(double square) {
    if (fabs(square - 1) < near_unit)
        return 1.5 - 0.5 * square;
    return square > shortest_square ? 1 / sqrt(square) : NAN;
}

static void load_far_arc(const float* a, const float* b, arc* s) {
    limberi_pair to[4];
    limberi_pair_load4(a, b, s->from);
    limberi_pair_load4(a + 4, b + 4, to);
    limberi_pair from_square = dot4(s->from, s->from);
    limberi_pair to_square = dot4(to, to);
    limberi_pair from_scale = {inverse_length(from_square[0]), inverse_length(from_square[1])};
    limberi_pair to_scale = {inverse_length(to_square[0]), inverse_length(to_square[1])};
    join(to, from_scale, to_scale, s);
}

// Even and odd powers apart: two short chains of dependent sums are faster than a long one.
LIMBERI_INLINED limberi_pair series(const limberi_pair* c, int terms, limberi_pair u) {
    limberi_pair v = u * u;
    limberi_pair even = c[(terms - 1) & ~1];
    limberi_pair odd = c[(terms - 2) | 1];
    for (int n = ((terms - 1) & ~1) - 2; n >= 0; n -= 2)
        even = even * v + c[n];
    for (int n = ((terms - 2) | 1) - 2; n > 0; n -= 2)
        odd = odd * v + c[n];
    return even + odd * u;
}

LIMBERI_INLINED void follow_arc(const arc* s, const limberi_pair* way, const limberi_pair* excess, int terms,
                                limberi_pair* out) {
    limberi_pair along = series(way, terms, s->chord);
    limberi_pair more = series(excess, terms, s->chord);
    for (int i = 0; i < 4; i++)
        out[i] = s->from[i] + (along * s->way[i] + more * s->from[i]);
}

// Those lanes that are not there already.
static void sample_each(const limberi_moments* m, const limber_channel* const* channels, uint32_t moment,
                        limberi_pair_mask there, limberi_pair* out) {
    for (int lane = 0; lane < 2; lane++) {
        if (there[lane])
            continue;
        double value[4] = {0, 0, 0, 0};
        uint32_t key = 0;
        limberi_channel_sample(channels[lane], m->time_s[moment], &key, value);
        for (int i = 0; i < 4; i++)
            out[i][lane] = value[i];
    }
}

// For keys that are not units or lie far apart. A lane that is `near` is computed by the short series as elsewhere, so
// that no joint depends on the joint in the other lane.
static void sample_far_turns(const limberi_moments* m, const limber_channel* const* channels, uint32_t moment,
                             const arc* short_way, limberi_pair_mask near, limberi_pair* out) {
    arc s;
    limberi_pair few[4];
    load_far_arc(channels[0]->values + 4 * (size_t)m->lanes[0].key[moment],
                 channels[1]->values + 4 * (size_t)m->lanes[1].key[moment], &s);
    follow_arc(&s, m->way[moment], m->excess[moment], LIMBERI_TURN_TERMS, out);
    follow_arc(short_way, m->way[moment], m->excess[moment], FEW_TERMS, few);
    for (int lane = 0; lane < 2; lane++)
        for (int i = 0; near[lane] && i < 4; i++)
            out[i][lane] = few[i][lane];
    sample_each(m, channels, moment, near | (s.chord < max_reach), out);
}

static void sample_turns(const limberi_moments* m, const limber_channel* const* channels, limberi_moment_values out) {
    const uint32_t* first = m->lanes[0].key;
    const uint32_t* second = m->lanes[1].key;
    limberi_pair_mask near = {0, 0};
    arc s;
    for (uint32_t i = 0; i < m->count; i++) {
        if (i == 0 || first[i] != first[i - 1] || second[i] != second[i - 1])
            near =
                load_arc(channels[0]->values + 4 * (size_t)first[i], channels[1]->values + 4 * (size_t)second[i], &s);
        if (limberi_pair_both(near))
            follow_arc(&s, m->way[i], m->excess[i], FEW_TERMS, out[i]);
        else
            sample_far_turns(m, channels, i, &s, near, out[i]);
    }
}

// --- splines ---

// glTF's keys: the tangent that arrives, the value, the tangent that leaves; per second. A joint whose keys are equal
// and have no tangents does not move at all.
LIMBERI_INLINED void follow_spline(const limberi_pair* weights, const limberi_pair* leaves, const limberi_pair* arrives,
                                   const limberi_pair* next, int width, limberi_pair* value) {
    for (int i = 0; i < width; i++)
        value[i] += weights[0] * (next[i] - value[i]) + (weights[1] * leaves[i] + weights[2] * arrives[i]);
}

static void place_on_spline(const limberi_pair* weights, const float* a, const float* b, limberi_pair* out) {
    limberi_pair leaves[3], arrives[3], next[3];
    limberi_pair_load3(a + 3, b + 3, out);
    limberi_pair_load3(a + 6, b + 6, leaves);
    limberi_pair_load3(a + 9, b + 9, arrives);
    limberi_pair_load3(a + 12, b + 12, next);
    follow_spline(weights, leaves, arrives, next, 3, out);
}

// Which of them have a length.
static limberi_pair_mask turn_on_spline(const limberi_pair* weights, const float* a, const float* b,
                                        limberi_pair* out) {
    limberi_pair leaves[4], arrives[4], next[4];
    limberi_pair_load4(a + 4, b + 4, out);
    limberi_pair_load4(a + 8, b + 8, leaves);
    limberi_pair_load4(a + 12, b + 12, arrives);
    limberi_pair_load4(a + 16, b + 16, next);
    follow_spline(weights, leaves, arrives, next, 4, out);
    limberi_pair square = dot4(out, out);
    limberi_pair root = {sqrt(square[0]), sqrt(square[1])};
    limberi_pair scale = 1 / (root + 1e-300); // those without a length are sampled again
    for (int i = 0; i < 4; i++)
        out[i] *= scale;
    return square > shortest_square;
}

static void sample_splines(const limberi_moments* m, limber_channel_path path, const limber_channel* const* channels,
                           limberi_moment_values out) {
    size_t width = path == LIMBER_CHANNEL_ROTATION ? 4 : 3;
    for (uint32_t i = 0; i < m->count; i++) {
        const float* a = channels[0]->values + 3 * width * m->lanes[0].key[i];
        const float* b = channels[1]->values + 3 * width * m->lanes[1].key[i];
        if (width == 3)
            place_on_spline(m->spline[i], a, b, out[i]);
        else
            sample_each(m, channels, i, turn_on_spline(m->spline[i], a, b, out[i]), out[i]);
    }
}

// --- translations and scales ---

static void sample_places(const limberi_moments* m, const limber_channel* const* channels, limberi_moment_values out) {
    for (uint32_t i = 0; i < m->count; i++) {
        const float* a = channels[0]->values + 3 * (size_t)m->lanes[0].key[i];
        const float* b = channels[1]->values + 3 * (size_t)m->lanes[1].key[i];
        limberi_pair from[3], to[3];
        limberi_pair_load3(a, b, from);
        limberi_pair_load3(a + 3, b + 3, to);
        for (int k = 0; k < 3; k++)
            out[i][k] = from[k] + m->way[i][0] * (to[k] - from[k]);
    }
}

// --- a whole clip ---

static float* place_in_pose(limber_pose* pose, const limber_channel* channel) {
    limber_transform* local = &pose->local[channel->target];
    if (channel->path == LIMBER_CHANNEL_ROTATION)
        return &local->rotation.x;
    return channel->path == LIMBER_CHANNEL_TRANSLATION ? &local->translation.x : &local->scale.x;
}

static void put_constant(const limberi_visit* visit, const limber_channel* channel) {
    double value[4];
    uint32_t key = 0;
    if (!visit->pose_count)
        return;
    limberi_channel_sample(channel, 0, &key, value);
    for (uint32_t k = 0; k < visit->pose_count; k++) {
        float* to = place_in_pose(&visit->poses[k], channel);
        for (uint32_t i = 0; i < limberi_channel_width(channel); i++)
            to[i] = (float)value[i];
    }
}

static void put_in_pose(limber_pose* pose, const limber_channel* const* channels, const limberi_pair* value) {
    float* a = place_in_pose(pose, channels[0]);
    float* b = place_in_pose(pose, channels[1]);
    if (channels[0]->path == LIMBER_CHANNEL_ROTATION)
        limberi_pair_store4(value, a, b);
    else
        limberi_pair_store3(value, a, b);
}

static void visit_pair(limberi_visit* visit, limber_channel_path path, const limber_channel* const* channels) {
    limberi_moments* m = &visit->moments;
    limberi_moment_values values;
    limber_interpolation way = channels[0]->interpolation;
    const limberi_pair_mask none = {0, 0};
    find_moments(m, 0, channels[0]);
    find_moments(m, 1, channels[1]);
    if (way == LIMBER_INTERPOLATION_STEP || way != channels[1]->interpolation)
        for (uint32_t i = 0; i < m->count; i++)
            sample_each(m, channels, i, none, values[i]);
    else if (way == LIMBER_INTERPOLATION_CUBIC)
        sample_splines(m, path, channels, values);
    else if (path == LIMBER_CHANNEL_ROTATION)
        sample_turns(m, channels, values);
    else
        sample_places(m, channels, values);
    for (uint32_t k = 0; k < visit->pose_count; k++)
        put_in_pose(&visit->poses[k], channels, values[visit->pose_first + k]);
    const uint32_t joints[2] = {channels[0]->target, channels[1]->target};
    if (visit->moved)
        visit->moved(visit->user, path, joints, values);
}

static void visit_path(const limber_model* model, const limber_clip* clip, limber_channel_path path,
                       limberi_visit* visit) {
    const limber_channel* pair[2];
    uint32_t waiting = 0;
    for (uint32_t j = 0; j < model->rig.joint_count; j++) {
        int32_t c = clip->channel_of_joint[3 * (size_t)j + path];
        if (c < 0)
            continue;
        if (clip->channels[c].key_count < 2) {
            put_constant(visit, &clip->channels[c]);
            continue;
        }
        pair[waiting++] = &clip->channels[c];
        if (waiting == 2)
            visit_pair(visit, path, pair);
        waiting %= 2;
    }
    if (waiting) {
        pair[1] = pair[0];
        visit_pair(visit, path, pair);
    }
}

void limberi_clip_visit(const limber_model* model, const limber_clip* clip, limberi_visit* visit) {
    visit_path(model, clip, LIMBER_CHANNEL_ROTATION, visit);
    visit_path(model, clip, LIMBER_CHANNEL_TRANSLATION, visit);
    if (!visit->pose_count)
        return;
    visit_path(model, clip, LIMBER_CHANNEL_SCALE, visit);
    for (uint32_t k = 0; k < model->mesh_count; k++) {
        const limber_mesh* mesh = &model->meshes[k];
        int32_t c = clip->weights_of_mesh[k];
        for (uint32_t i = 0; c >= 0 && i < visit->pose_count; i++)
            limberi_channel_sample_weights(&clip->channels[c], visit->moments.time_s[visit->pose_first + i],
                                           mesh->morph_count, visit->poses[i].morph_weights + mesh->first_morph);
    }
}
