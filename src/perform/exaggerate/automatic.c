// Choosing the joints to pull, which stretchable cartoon editing leaves open. The clip is divided into beats, at the
// moments when the whole body moves the least. In every beat joints are ranked by how fast they move, seen from the
// hips, and how far they reach out; the first few, no two on one limb, are pulled on outwards at the height of their
// motion, and are back at their place about when the beat ends.
//
// Limbs are pulled, not what hangs on them: fingers, toes and controls have hardly any skin, ears and horns branch off
// where a limb ends, hats and swords are rigid and do not move by themselves, and the columns of a skirt or a cape share
// their skin.
#include "asset/clip.h"
#include "perform/exaggerate/editor.h"

#include <stdlib.h>
#include <string.h>

enum { PICKS = 3 };    // joints per beat
enum { BRANCHES = 2 }; // between the root and a limb at most: hips and chest

static const double tie = 1.001;      // times as good is better: of equals the first is taken, whatever rounding says
static const float min_share = 0.01f; // of the skin: what carries less is no limb
static const float joined = 0.3f;     // of a joint's skin; weights that count
static const float felt = 0.1f;
static const double shortest_beat_s = 0.3;
static const double lull = 0.5;             // of the energy before and after
static const double calm_s = 0.08;          // how long a lull has to be to end a beat
static const double worth = 0.45;           // of the best joint's rank: less does not stand out
static const double full_speed = 1.0;       // L per second, seen from the hips: this fast, and the pull is whole
static const double slowest = 0.15;         // below, nothing happens worth exaggerating
static const double min_beat_share_s = 0.2; // how long a pull takes to come and to go, even beyond its beat
static const double max_beat_share_s = 0.7; // on either side of the height, however long the beat

typedef struct chooser {
    limberi_editor* e;
    uint32_t* root;  // [joint]: the pinned joint it hangs on
    float* reach;    // [joint]: length of the bones between
    uint32_t* base;  // [joint]: the joint where its limb begins
    float* share;    // [joint]: of the skin, that hangs on it and on all below
    uint32_t* depth; // [joint]: how often the skeleton branches above it
    float* common;   // [joint]: part of its skin that other limbs move as well
    double* energy;  // [frame]
    float longest;   // of `reach`
    uint32_t* beats; // first frames
    uint32_t beat_count;
    struct pick* picks;
    uint32_t pick_count;
} chooser;

typedef struct pick {
    uint32_t joint, first, last, height; // frames of the beat, and of the greatest pull
    double rank, speed;
} pick;

// --- the skeleton ---

static void measure_bones(chooser* c) {
    limberi_editor* e = c->e;
    for (uint32_t j = 0; j < e->take.joint_count; j++) {
        int32_t parent = limberi_graph_parent(&e->graph, j);
        c->root[j] = c->base[j] = j;
        if (parent < 0 || e->pinned[j])
            continue;
        limber_vec3 bone = limberi_sub(limberi_mat4_translation(&e->model->rig.world_from_joint_rest[j]),
                                       limberi_mat4_translation(&e->model->rig.world_from_joint_rest[parent]));
        c->root[j] = c->root[parent];
        c->reach[j] = c->reach[parent] + limberi_length(bone);
        c->base[j] = e->children[parent] > 1 ? (uint32_t)parent : c->base[parent];
        c->longest = fmaxf(c->longest, c->reach[j]);
    }
}

static bool is_part(const chooser* c, uint32_t joint) {
    return c->share[joint] >= min_share;
}

// Parents come before their children.
static bool is_over(const limber_rig* rig, uint32_t above, uint32_t joint) {
    while (joint > above && rig->parents[joint] >= 0)
        joint = (uint32_t)rig->parents[joint];
    return joint == above;
}

static void measure_limbs(chooser* c, uint32_t* parts) {
    const limber_rig* rig = &c->e->model->rig;
    limberi_skin_shares(c->e->model, c->share);
    for (uint32_t j = rig->joint_count; j-- > 0;)
        if (rig->parents[j] >= 0)
            c->share[rig->parents[j]] += c->share[j];
    for (uint32_t j = 0; j < rig->joint_count; j++)
        if (rig->parents[j] >= 0)
            parts[rig->parents[j]] += is_part(c, j);
    for (uint32_t j = 0; j < rig->joint_count; j++)
        c->depth[j] = rig->parents[j] < 0 ? 0 : c->depth[rig->parents[j]] + (parts[rig->parents[j]] > 1);
}

static bool is_shared(const chooser* c, const limber_mesh* mesh, uint32_t vertex, uint32_t joint) {
    const limber_rig* rig = &c->e->model->rig;
    for (uint32_t i = mesh->influence_first[vertex]; i < mesh->influence_first[vertex + 1]; i++) {
        uint32_t other = c->e->model->skins[mesh->skin].joints[mesh->influence_joint[i]];
        if (mesh->influence_weight[i] >= felt && !is_over(rig, other, joint) && !is_over(rig, joint, other))
            return true;
    }
    return false;
}

static void measure_common(chooser* c, float* areas) {
    const limber_model* model = c->e->model;
    for (uint32_t m = 0; m < model->mesh_count; m++) {
        const limber_mesh* mesh = &model->meshes[m];
        for (uint32_t u = 0; u < mesh->vertex_count; u++)
            for (uint32_t i = mesh->influence_first[u]; i < mesh->influence_first[u + 1]; i++) {
                uint32_t joint = model->skins[mesh->skin].joints[mesh->influence_joint[i]];
                if (mesh->influence_weight[i] < felt)
                    continue;
                areas[joint] += mesh->areas[u];
                c->common[joint] += is_shared(c, mesh, u, joint) ? mesh->areas[u] : 0;
            }
    }
    for (uint32_t j = 0; j < model->rig.joint_count; j++)
        c->common[j] = areas[j] > 0 ? c->common[j] / areas[j] : 0;
}

static bool may_be_pulled(const chooser* c, uint32_t joint) {
    const limberi_editor* e = c->e;
    bool prop = e->settings->props && e->settings->props[joint];
    prop = prop || (limberi_editor_is_stiff(e, joint) && limberi_editor_is_still(e, joint));
    return limberi_graph_has(&e->graph, joint) && c->root[joint] != joint && c->depth[joint] <= BRANCHES &&
           is_part(c, joint) && c->common[joint] < joined && !prop;
}

// --- beats ---

static void measure_energy(chooser* c) {
    const limberi_take* take = &c->e->take;
    for (uint32_t f = 0; f < take->frame_count; f++) {
        for (uint32_t j = 0; j < take->joint_count; j++) {
            if (!limberi_graph_has(&c->e->graph, j) || c->root[j] == j)
                continue;
            double speed = limberi_editor_speed(c->e, f, j, (int32_t)c->root[j]);
            c->energy[f] += speed * speed;
        }
    }
}

// The mean of the frames within a lull's length.
static double calm_energy(const chooser* c, uint32_t segment, uint32_t frame) {
    const limberi_take* take = &c->e->take;
    int64_t reach = take->step_s > 0 ? (int64_t)round(calm_s / take->step_s) : 0;
    int64_t low = take->segments[segment];
    int64_t high = (int64_t)take->segments[segment + 1] - 1;
    int64_t from = (int64_t)frame - reach < low ? low : (int64_t)frame - reach;
    int64_t to = (int64_t)frame + reach > high ? high : (int64_t)frame + reach;
    double sum = 0;
    for (int64_t f = from; f <= to; f++)
        sum += c->energy[f];
    return sum / (double)(to - from + 1);
}

// A low point, and low against what came before in this beat (`max`) and against what comes next.
static bool is_lull(const chooser* c, uint32_t segment, uint32_t frame, double max) {
    const limberi_take* take = &c->e->take;
    double here = calm_energy(c, segment, frame);
    double next = 0;
    if (!(here <= lull * max) || here > calm_energy(c, segment, frame - 1) ||
        here >= calm_energy(c, segment, frame + 1))
        return false;
    uint32_t end = take->segments[segment + 1];
    for (uint32_t f = frame; f < end && (f - frame) * take->step_s < 2 * shortest_beat_s; f++)
        next = fmax(next, c->energy[f]);
    return here <= lull * next;
}

static void find_beats(chooser* c) {
    const limberi_take* take = &c->e->take;
    double shortest = take->step_s > 0 ? shortest_beat_s / take->step_s : 0;
    for (uint32_t s = 0; s < take->segment_count; s++) {
        uint32_t start = take->segments[s];
        uint32_t end = take->segments[s + 1] - 1;
        double max = 0;
        c->beats[c->beat_count++] = start;
        for (uint32_t f = start + 1; f < end; f++) {
            max = fmax(max, c->energy[f]);
            if (f - start >= shortest && end - f >= shortest && is_lull(c, s, f, max)) {
                c->beats[c->beat_count++] = f;
                start = f;
                max = 0;
            }
        }
    }
}

static uint32_t beat_end(const chooser* c, uint32_t beat) {
    const limberi_take* take = &c->e->take;
    uint32_t segment = limberi_take_segment(take, c->beats[beat]);
    uint32_t last = take->segments[segment + 1] - 1;
    bool same = beat + 1 < c->beat_count && c->beats[beat + 1] <= last;
    return same ? c->beats[beat + 1] : last;
}

// --- ranking ---

static double reach_out(const chooser* c, uint32_t frame, uint32_t joint) {
    limber_vec3 from_root = limberi_sub(*limberi_editor_at(c->e, c->e->positions, frame, joint),
                                        *limberi_editor_at(c->e, c->e->positions, frame, c->root[joint]));
    return c->reach[joint] > 0 ? fmin((double)limberi_length(from_root) / (double)c->reach[joint], 1) : 0;
}

static pick rank_joint(const chooser* c, uint32_t joint, uint32_t first, uint32_t last) {
    pick p = {joint, first, last, first, 0, 0};
    double end = c->longest > 0 ? (double)(c->reach[joint] / c->longest) : 0;
    for (uint32_t f = first + 1; f < last; f++) {
        double speed = limberi_editor_speed(c->e, f, joint, (int32_t)c->root[joint]);
        double rank = speed * reach_out(c, f, joint) * end;
        if (rank > tie * p.rank) {
            p.rank = rank;
            p.height = f;
            p.speed = speed;
        }
    }
    return p;
}

// Keeps the best few in order; of two on one limb the better one.
static uint32_t keep_best(const limberi_editor* e, pick* best, uint32_t count, pick p) {
    for (uint32_t i = 0; i < count; i++) {
        bool same = is_over(&e->model->rig, best[i].joint, p.joint) || is_over(&e->model->rig, p.joint, best[i].joint);
        if (same && tie * best[i].rank >= p.rank)
            return count;
        if (same) {
            memmove(best + i, best + i + 1, (count - i - 1) * sizeof *best);
            count--;
            i--;
        }
    }
    uint32_t at = count;
    while (at > 0 && tie * best[at - 1].rank < p.rank)
        at--;
    if (at == PICKS)
        return count;
    count = count < PICKS ? count + 1 : PICKS;
    memmove(best + at + 1, best + at, (count - at - 1) * sizeof *best);
    best[at] = p;
    return count;
}

static void choose_in_beat(chooser* c, uint32_t beat) {
    limberi_editor* e = c->e;
    uint32_t first = c->beats[beat];
    uint32_t last = beat_end(c, beat);
    uint32_t count = 0;
    pick best[PICKS];
    for (uint32_t j = 0; j < e->take.joint_count; j++) {
        if (!may_be_pulled(c, j))
            continue;
        pick p = rank_joint(c, j, first, last);
        if (p.rank > 0 && p.speed > slowest)
            count = keep_best(e, best, count, p);
    }
    for (uint32_t i = 0; i < count && best[i].rank >= worth * best[0].rank; i++)
        c->picks[c->pick_count++] = best[i];
}

// --- pulls ---

static void add_pick(chooser* c, limberi_pull* pull, const pick* p) {
    limberi_editor* e = c->e;
    double step_s = e->take.step_s;
    limber_vec3 from_base = limberi_sub(*limberi_editor_at(e, e->positions, p->height, p->joint),
                                        *limberi_editor_at(e, e->positions, p->height, c->base[p->joint]));
    double strength =
        e->settings->strength * limberi_take_formula(&e->take, e->settings->changes.strength, p->height, 10);
    double length = strength * e->size * fmin(p->speed / full_speed, 1);
    limber_vec3 d = limberi_scale(limberi_normalize(from_base), (float)length);
    limberi_knot* knots = pull->knots + 3 * (size_t)pull->group_count;
    knots[1] = (limberi_knot){p->height * step_s, {(double)d.x, (double)d.y, (double)d.z}, {0, 0, 0}};
    // The ends lie at different distances; slopes of 0 keep the greatest pull at the height.
    double before = (p->height - p->first) * step_s;
    double after = (p->last - p->height) * step_s;
    knots[0].time_s = knots[1].time_s - fmin(fmax(before, min_beat_share_s), max_beat_share_s);
    knots[2].time_s = knots[1].time_s + fmin(fmax(after, min_beat_share_s), max_beat_share_s);
    pull->groups[pull->group_count].first = 3 * pull->group_count;
    pull->groups[pull->group_count++].key_count = 1;
}

static limber_result add_pulls(chooser* c) {
    for (uint32_t j = 0; j < c->e->take.joint_count; j++) {
        uint32_t count = 0;
        for (uint32_t i = 0; i < c->pick_count; i++)
            count += c->picks[i].joint == j;
        limberi_pull* pull = count ? limberi_editor_new_pull(c->e, j, 1, count) : NULL;
        if (count && !pull)
            return LIMBER_ERROR_MEMORY;
        for (uint32_t i = 0; pull && i < c->pick_count; i++)
            if (c->picks[i].joint == j)
                add_pick(c, pull, &c->picks[i]);
    }
    return LIMBER_OK;
}

limber_result limberi_editor_choose(limberi_editor* e) {
    chooser c;
    limberi_arena scratch = {NULL, false};
    memset(&c, 0, sizeof c);
    c.e = e;
    c.root = LIMBERI_ALLOCATE(&scratch, uint32_t, e->take.joint_count);
    c.reach = LIMBERI_ALLOCATE(&scratch, float, e->take.joint_count);
    c.base = LIMBERI_ALLOCATE(&scratch, uint32_t, e->take.joint_count);
    c.share = LIMBERI_ALLOCATE(&scratch, float, e->take.joint_count);
    c.depth = LIMBERI_ALLOCATE(&scratch, uint32_t, e->take.joint_count);
    uint32_t* parts = LIMBERI_ALLOCATE(&scratch, uint32_t, e->take.joint_count);
    c.common = LIMBERI_ALLOCATE(&scratch, float, e->take.joint_count);
    float* areas = LIMBERI_ALLOCATE(&scratch, float, e->take.joint_count);
    c.energy = LIMBERI_ALLOCATE(&scratch, double, e->take.frame_count);
    c.beats = LIMBERI_ALLOCATE(&scratch, uint32_t, (size_t)e->take.frame_count + e->take.segment_count);
    c.picks = LIMBERI_ALLOCATE(&scratch, pick, PICKS * ((size_t)e->take.frame_count + e->take.segment_count));
    limber_result result = scratch.failed ? LIMBER_ERROR_MEMORY : LIMBER_OK;
    if (!result) {
        measure_bones(&c);
        measure_limbs(&c, parts);
        measure_common(&c, areas);
        measure_energy(&c);
        find_beats(&c);
        for (uint32_t b = 0; b < c.beat_count; b++)
            choose_in_beat(&c, b);
        result = add_pulls(&c);
    }
    limberi_arena_free(&scratch);
    return result;
}
