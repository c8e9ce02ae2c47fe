// Companions: joints that hang elsewhere in the rig than their skin does. Paws of rigs with inverse kinematics hang on
// the root and are animated along with the leg; for effects and contacts they hang on the leg (S18).
#include "asset/asset_private.h"
#include "asset/body.h"
#include "asset/channel.h"
#include "base/math.h"
#include "base/sort.h"
#include <limber/stages/pose.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double min_travel = 0.05; // L, in the parent's frame
static const double max_rest = 0.4;    // of that, in the frame of what it hangs on
static const double min_border = 0.3;  // of the skin around it
static const double same_rest = 1e-4;  // L: less is no difference
static const double samples_per_s = 15;

// A joint that travels, and one that may hold it; holder -1: its parent.
typedef struct pair {
    uint32_t joint;
    int32_t holder;
    float* places; // [sample * 3] of the joint's origin in the frame of the holder
    double max, rms;
} pair;

typedef struct search {
    limberi_arena arena;
    const limber_model* model;
    uint32_t* below; // [joint] how many joints hang below it
    uint32_t* way;   // [joint] for walks through the tree
    uint8_t* inside; // [joint] at or below the joint that is looked at
    double* border;  // [joint]
    float* share;    // [vertex of a mesh] of its weights that are inside
    uint32_t pair_count, pair_room, sample_count;
    pair* pairs;
} search;

// --- who travels ---

static double frame_scale(const search* s, int32_t joint) {
    const limber_mat4* world = &s->model->rig.world_from_joint_rest[joint];
    return cbrt(fabs((double)limberi_dot(limberi_load3(world->m),
                                         limberi_cross(limberi_load3(world->m + 4), limberi_load3(world->m + 8)))));
}

// By its keys alone: most joints never do.
static bool may_travel(const search* s, uint32_t joint) {
    const limber_rig* rig = &s->model->rig;
    limber_vec3 low = rig->rest_local[joint].translation;
    limber_vec3 high = low;
    if (rig->parents[joint] < 0)
        return false;
    for (uint32_t c = 0; c < s->model->clip_count; c++) {
        const limber_clip* clip = &s->model->clips[c];
        int32_t at = clip->channel_of_joint[3 * (size_t)joint + LIMBER_CHANNEL_TRANSLATION];
        for (uint32_t k = 0; at >= 0 && k < clip->channels[at].key_count; k++) {
            limber_vec3 p = limberi_load3(limberi_channel_key(&clip->channels[at], k));
            low = limberi_vec3(fminf(low.x, p.x), fminf(low.y, p.y), fminf(low.z, p.z));
            high = limberi_vec3(fmaxf(high.x, p.x), fmaxf(high.y, p.y), fmaxf(high.z, p.z));
        }
    }
    double way = (double)limberi_distance(high, low) * frame_scale(s, rig->parents[joint]);
    return way > min_travel * (double)s->model->size;
}

// --- whose skin is next to it ---

static void share_inside(const search* s, const limber_mesh* mesh) {
    const uint32_t* joints = s->model->skins[mesh->skin].joints;
    memset(s->share, 0, mesh->vertex_count * sizeof *s->share);
    for (uint32_t u = 0; u < mesh->vertex_count; u++)
        for (uint32_t i = mesh->influence_first[u]; i < mesh->influence_first[u + 1]; i++)
            if (s->inside[joints[mesh->influence_joint[i]]])
                s->share[u] += mesh->influence_weight[i];
}

// Adds what the vertex has of joints that are not inside.
static void add_border(const search* s, const limber_mesh* mesh, uint32_t u, float times) {
    const uint32_t* joints = s->model->skins[mesh->skin].joints;
    for (uint32_t i = mesh->influence_first[u]; times > 0 && i < mesh->influence_first[u + 1]; i++)
        if (!s->inside[joints[mesh->influence_joint[i]]])
            s->border[joints[mesh->influence_joint[i]]] += (double)(times * mesh->influence_weight[i]);
}

static void find_border(const search* s, uint32_t joint) {
    const limber_rig* rig = &s->model->rig;
    memset(s->border, 0, rig->joint_count * sizeof *s->border);
    for (uint32_t j = 0; j < rig->joint_count; j++)
        s->inside[j] = j == joint || (j > joint && rig->parents[j] >= 0 && s->inside[rig->parents[j]]);
    for (uint32_t m = 0; m < s->model->mesh_count; m++) {
        const limber_mesh* mesh = &s->model->meshes[m];
        share_inside(s, mesh);
        for (uint32_t u = 0; u < mesh->vertex_count; u++)
            add_border(s, mesh, u, s->share[u]);
        for (size_t k = 0; k < 3 * (size_t)mesh->triangle_count; k++) {
            uint32_t a = mesh->triangles[k];
            uint32_t b = mesh->triangles[k % 3 == 2 ? k - 2 : k + 1];
            add_border(s, mesh, a, s->share[b]);
            add_border(s, mesh, b, s->share[a]);
        }
    }
}

static void add_pair(search* s, uint32_t joint, int32_t holder) {
    pair one = {joint, holder, NULL, 0, 0};
    if (s->pair_count == s->pair_room) {
        s->pair_room = 2 * s->pair_room + 16;
        pair* more = LIMBERI_ALLOCATE(&s->arena, pair, s->pair_room);
        if (more && s->pair_count)
            memcpy(more, s->pairs, s->pair_count * sizeof *more);
        s->pairs = more;
    }
    if (s->pairs)
        s->pairs[s->pair_count++] = one;
}

static void find_pairs(search* s) {
    const limber_rig* rig = &s->model->rig;
    for (uint32_t joint = 0; joint < rig->joint_count && !s->arena.failed; joint++) {
        double total = 0;
        bool first = true;
        if (!may_travel(s, joint))
            continue;
        find_border(s, joint);
        for (uint32_t j = 0; j < rig->joint_count; j++)
            total += s->border[j];
        for (uint32_t j = 0; j < rig->joint_count && total > 0; j++) {
            if (s->border[j] <= min_border * total || s->inside[j] || limberi_hangs_below(rig, joint, j))
                continue;
            if (first)
                add_pair(s, joint, -1);
            first = false;
            add_pair(s, joint, (int32_t)j);
        }
    }
}

// --- how far it goes against them ---

static uint32_t samples_of(const limber_clip* clip) {
    return 1 + (uint32_t)fmin((clip->end_s - clip->start_s) * samples_per_s, 1e6);
}

static void place_pairs(const search* s, const limber_pose* pose, uint32_t sample) {
    for (uint32_t n = 0; n < s->pair_count; n++) {
        const pair* p = &s->pairs[n];
        int32_t holder = p->holder < 0 ? s->model->rig.parents[p->joint] : p->holder;
        limber_vec3 at = limberi_mat4_translation(&pose->world_from_joint[p->joint]);
        limber_mat4 back;
        if (!limberi_mat4_inverse(&pose->world_from_joint[holder], &back))
            back = limber_mat4_identity();
        limberi_store3(p->places + 3 * (size_t)sample, limberi_mat4_point(&back, at));
    }
}

static void place_all(search* s) {
    limber_pose pose;
    for (uint32_t c = 0; c < s->model->clip_count; c++)
        s->sample_count += samples_of(&s->model->clips[c]);
    for (uint32_t n = 0; n < s->pair_count; n++)
        s->pairs[n].places = LIMBERI_ALLOCATE(&s->arena, float, 3 * (size_t)s->sample_count);
    if (s->arena.failed || limber_pose_create(s->model, &pose)) {
        s->arena.failed = true;
        return;
    }
    uint32_t at = 0;
    for (uint32_t c = 0; c < s->model->clip_count; c++) {
        const limber_clip* clip = &s->model->clips[c];
        for (uint32_t i = 0; i < samples_of(clip); i++) {
            limber_clip_sample(s->model, clip, clip->start_s + i / samples_per_s, &pose);
            limber_pose_update_world(s->model, &pose);
            place_pairs(s, &pose, at++);
        }
    }
    limber_pose_destroy(&pose);
}

// About the median, in L.
static void measure_swing(const search* s, pair* p, float* sorted) {
    int32_t holder = p->holder < 0 ? s->model->rig.parents[p->joint] : p->holder;
    double per_size = frame_scale(s, holder) / (double)s->model->size;
    double sum = 0;
    float middle[3];
    for (int c = 0; c < 3; c++) {
        for (uint32_t i = 0; i < s->sample_count; i++)
            sorted[i] = p->places[3 * (size_t)i + (size_t)c];
        qsort(sorted, s->sample_count, sizeof *sorted, limberi_compare_floats);
        middle[c] = sorted[s->sample_count / 2];
    }
    for (uint32_t i = 0; i < s->sample_count; i++) {
        limber_vec3 off = limberi_sub(limberi_load3(p->places + 3 * (size_t)i), limberi_load3(middle));
        double way = (double)limberi_length(off) * per_size;
        p->max = fmax(p->max, way);
        sum += way * way;
    }
    p->rms = sqrt(sum / s->sample_count);
}

// --- who hangs on whom ---

// Whether `joint` is above `from`, by parents and by what hangs on what.
static bool leads_to(const search* s, const int32_t* hangs_on, uint32_t from, uint32_t joint) {
    uint32_t count = 1;
    memset(s->inside, 0, s->model->rig.joint_count * sizeof *s->inside);
    s->way[0] = from;
    s->inside[from] = 1;
    while (count > 0 && !s->inside[joint]) {
        uint32_t at = s->way[--count];
        const int32_t above[2] = {s->model->rig.parents[at], hangs_on[at]};
        for (int i = 0; i < 2; i++)
            if (above[i] >= 0 && !s->inside[above[i]]) {
                s->inside[above[i]] = 1;
                s->way[count++] = (uint32_t)above[i];
            }
    }
    return s->inside[joint];
}

// Of two that could hang on each other, the one that moves less against the other does, then the one that carries less.
static int compare_choices(const void* user, uint32_t a, uint32_t b) {
    const search* s = user;
    const pair* p = &s->pairs[a];
    const pair* q = &s->pairs[b];
    double difference = floor(p->rms / same_rest) - floor(q->rms / same_rest);
    if (difference != 0)
        return difference < 0 ? -1 : 1;
    if (s->below[p->joint] != s->below[q->joint])
        return s->below[p->joint] < s->below[q->joint] ? -1 : 1;
    return (a > b) - (a < b);
}

// The holder that each joint moves least against, `earlier`: of those with a smaller index.
static void choose_holders(search* s, bool earlier, int32_t* hangs_on) {
    uint32_t* choices = LIMBERI_ALLOCATE(&s->arena, uint32_t, s->pair_count);
    uint32_t count = 0;
    const pair* own = NULL;
    double min_rms = 0;
    for (uint32_t n = 0; n < s->pair_count && choices; n++) {
        const pair* p = &s->pairs[n];
        if (p->holder < 0) {
            own = p;
            min_rms = max_rest * p->rms;
        } else if (own->max > min_travel && p->rms < min_rms && (!earlier || p->holder < (int32_t)p->joint)) {
            bool second = count && s->pairs[choices[count - 1]].joint == p->joint;
            choices[count - second] = n;
            count += !second;
            min_rms = p->rms;
        }
    }
    limberi_sort(choices, s->way, count, compare_choices, s);
    for (uint32_t i = 0; i < count; i++) {
        const pair* p = &s->pairs[choices[i]];
        if (!leads_to(s, hangs_on, (uint32_t)p->holder, p->joint))
            hangs_on[p->joint] = p->holder;
    }
}

static bool is_in_order(const int32_t* hangs_on, uint32_t joints) {
    for (uint32_t j = 0; j < joints; j++)
        if (hangs_on[j] > (int32_t)j)
            return false;
    return true;
}

// Each joint after its parent and after what it hangs on, otherwise as they are.
static void put_in_order(const search* s, const int32_t* hangs_on, uint32_t* order) {
    uint32_t joints = s->model->rig.joint_count;
    uint32_t count = 0;
    memset(s->inside, 0, joints * sizeof *s->inside);
    for (uint32_t j = 0; j < joints; j++) {
        uint32_t steps = 0;
        if (!s->inside[j])
            s->way[steps++] = j;
        while (steps > 0) {
            uint32_t at = s->way[steps - 1];
            int32_t above = s->model->rig.parents[at];
            if (above < 0 || s->inside[above])
                above = hangs_on[at];
            if (above >= 0 && !s->inside[above]) {
                s->way[steps++] = (uint32_t)above;
                continue;
            }
            s->inside[at] = 1;
            order[count++] = at;
            steps--;
        }
    }
}

static void find(search* s, limberi_arena* arena, int32_t* hangs_on, uint32_t** order) {
    const limber_rig* rig = &s->model->rig;
    for (uint32_t j = rig->joint_count; j-- > 0;)
        if (rig->parents[j] >= 0)
            s->below[rig->parents[j]] += 1 + s->below[j];
    find_pairs(s);
    if (!s->pair_count || s->arena.failed)
        return;
    place_all(s);
    if (s->arena.failed)
        return;
    float* sorted = LIMBERI_ALLOCATE(&s->arena, float, s->sample_count);
    for (uint32_t n = 0; n < s->pair_count && sorted; n++)
        measure_swing(s, &s->pairs[n], sorted);
    choose_holders(s, false, hangs_on);
    if (is_in_order(hangs_on, rig->joint_count))
        return;
    *order = LIMBERI_ALLOCATE(arena, uint32_t, rig->joint_count);
    if (*order) {
        put_in_order(s, hangs_on, *order);
        memcpy(hangs_on, rig->parents, rig->joint_count * sizeof *hangs_on);
        choose_holders(s, true, hangs_on);
    }
}

limber_result limberi_find_companions(limberi_arena* arena, limber_model* model, uint32_t** order) {
    uint32_t joints = model->rig.joint_count;
    uint32_t vertices = 0;
    int32_t* hangs_on = LIMBERI_COPY(arena, int32_t, model->rig.parents, joints);
    search s = {.model = model};
    for (uint32_t m = 0; m < model->mesh_count; m++)
        vertices = model->meshes[m].vertex_count > vertices ? model->meshes[m].vertex_count : vertices;
    s.below = LIMBERI_ALLOCATE(&s.arena, uint32_t, joints);
    s.way = LIMBERI_ALLOCATE(&s.arena, uint32_t, joints);
    s.inside = LIMBERI_ALLOCATE(&s.arena, uint8_t, joints);
    s.border = LIMBERI_ALLOCATE(&s.arena, double, joints);
    s.share = LIMBERI_ALLOCATE(&s.arena, float, vertices);
    model->rig.hangs_on = hangs_on;
    if (hangs_on && !s.arena.failed)
        find(&s, arena, hangs_on, order);
    bool fine = hangs_on && !s.arena.failed && !arena->failed;
    limberi_arena_free(&s.arena);
    return fine ? LIMBER_OK : LIMBER_ERROR_MEMORY;
}
