// Back to a skeleton: each joint turns so that its children lie where they went, as well as one rotation can do
// that, and the children's local translations make up for what is left: bones become longer and shorter.
#include "perform/exaggerate/editor.h"

#include "base/error.h"
#include "base/symmetric.h"

#include <stdlib.h>
#include <string.h>

// Where the best rotation beats the next one by less than this (of the most it could), the children do not say enough
// about it: clavicles close to the spine turn the chest round when they change sides.
static const double clear_gap = 0.3;
static const float min_factor = 0.25f;
static const float max_factor = 4;
static const float no_bone = 1e-3f; // of L: shorter ones have no direction
static const float whole_bone = 2e-3f;
static const float max_longer = 0.64f; // of a bone's length
static const float max_shorter = 0.5f;
// A bone turns its joint fully while it is at least this part of how far its ends are moved against each other. A neck
// that is drawn into its shell would spin.
static const float firm = 1;
// Children whose lengths along the bone are less than `one_way` of all of them do not stretch it; those whose mean is
// shorter than `no_mean` of them have no common direction.
static const float no_mean = 0.2f;
static const float one_way = 0.5f;

// --- rotations ---

// Folding over a joint (more than 120 degrees) turns it less again, and not at all when the bone points straight back:
// on the way there the axis becomes arbitrary, and the joint would spin.
static limber_quat shortest_arc(limber_vec3 from, limber_vec3 to) {
    limber_vec3 cross = limberi_cross(from, to);
    double sine = (double)limberi_length(cross);
    double angle = atan2(sine, (double)limberi_dot(from, to));
    double fold = 2 * LIMBERI_PI / 3;
    if (angle > fold)
        angle = fold * (LIMBERI_PI - angle) / (LIMBERI_PI - fold);
    return sine > 1e-30 ? limberi_quat_exp(limberi_scale(cross, (float)(angle / sine))) : limberi_quat_identity();
}

// Sum of a b^T, and how much rotations can make of it.
static double correlate(const limber_vec3* from, const limber_vec3* to, uint32_t count, double m[3][3]) {
    double size = 0;
    memset(m, 0, 9 * sizeof(double));
    for (uint32_t i = 0; i < count; i++) {
        const double a[3] = {(double)from[i].x, (double)from[i].y, (double)from[i].z};
        const double b[3] = {(double)to[i].x, (double)to[i].y, (double)to[i].z};
        for (int r = 0; r < 3; r++)
            for (int c = 0; c < 3; c++)
                m[r][c] += a[r] * b[c];
        size += sqrt((a[0] * a[0] + a[1] * a[1] + a[2] * a[2]) * (b[0] * b[0] + b[1] * b[1] + b[2] * b[2]));
    }
    return size;
}

// Horn's form of the least-squares rotation, and how far it is ahead of the next one.
static double best_rotation(double m[3][3], limber_quat* out) {
    double values[4];
    double n[16] = {
        m[0][0] + m[1][1] + m[2][2], m[1][2] - m[2][1], m[2][0] - m[0][2], m[0][1] - m[1][0], m[1][2] - m[2][1],
        m[0][0] - m[1][1] - m[2][2], m[0][1] + m[1][0], m[2][0] + m[0][2], m[2][0] - m[0][2], m[0][1] + m[1][0],
        m[1][1] - m[0][0] - m[2][2], m[1][2] + m[2][1], m[0][1] - m[1][0], m[2][0] + m[0][2], m[1][2] + m[2][1],
        m[2][2] - m[0][0] - m[1][1]};
    limberi_eigen_small(n, 4, values);
    double sign = n[0] < 0 ? -1 : 1;
    limber_quat found = {(float)(sign * n[1]), (float)(sign * n[2]), (float)(sign * n[3]), (float)(sign * n[0])};
    *out = limberi_quat_normalize(found);
    return values[0] - values[1];
}

static limber_quat blend(limber_quat a, limber_quat b, float part) {
    float sign = a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w < 0 ? -part : part;
    float rest = 1 - part;
    limber_quat q = {rest * a.x + sign * b.x, rest * a.y + sign * b.y, rest * a.z + sign * b.z,
                     rest * a.w + sign * b.w};
    return part < 1 ? limberi_quat_normalize(q) : b;
}

// The rotation that takes the children's mean along, without any twist; none for children on all sides, whose mean has
// no direction.
static limber_quat mean_arc(const limber_vec3* from, const limber_vec3* to, uint32_t count) {
    limber_vec3 a = {0, 0, 0};
    limber_vec3 b = {0, 0, 0};
    float a_lengths = 0;
    float b_lengths = 0;
    for (uint32_t i = 0; i < count; i++) {
        a = limberi_add(a, from[i]);
        b = limberi_add(b, to[i]);
        a_lengths += limberi_length(from[i]);
        b_lengths += limberi_length(to[i]);
    }
    float common = fminf(limberi_length(a) / fmaxf(a_lengths, 1e-20f), limberi_length(b) / fmaxf(b_lengths, 1e-20f));
    float part = fminf(fmaxf((common - no_mean) / (one_way - no_mean), 0), 1);
    return blend(limberi_quat_identity(), shortest_arc(a, b), part);
}

limber_quat limberi_fit_rotation(const limber_vec3* from, const limber_vec3* to, uint32_t count) {
    if (count < 2)
        return count ? shortest_arc(from[0], to[0]) : limberi_quat_identity();
    double m[3][3];
    double size = correlate(from, to, count, m);
    limber_quat best;
    double lacking = clear_gap * size - best_rotation(m, &best);
    if (lacking <= 0)
        return best;
    limber_quat arc = mean_arc(from, to, count);
    const limber_vec3 unit[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    for (int r = 0; r < 3; r++) {
        limber_vec3 image = limberi_quat_rotate(arc, unit[r]);
        m[r][0] += lacking * (double)image.x;
        m[r][1] += lacking * (double)image.y;
        m[r][2] += lacking * (double)image.z;
    }
    (void)best_rotation(m, &best);
    return best;
}

// --- one frame ---

typedef struct builder {
    limberi_editor* e;
    uint32_t *child_start, *child; // of the graph
    limber_mat4 *before, *after;   // world, of this frame
    limber_quat* turn;             // [joint]: how much it turns against its old place, world
    limber_vec3 *from, *to;
} builder;

static limber_vec3 new_place(const builder* b, uint32_t frame, uint32_t joint) {
    return limberi_add(limberi_mat4_translation(&b->before[joint]),
                       *limberi_editor_at(b->e, b->e->moved, frame, joint));
}

// The children that lie some way off, before and after, seen from the joint, and how far they are to be trusted.
static uint32_t child_vectors(const builder* b, uint32_t frame, uint32_t joint, float* trust) {
    limber_vec3 here = new_place(b, frame, joint);
    limber_vec3 was = limberi_mat4_translation(&b->before[joint]);
    float size = (float)b->e->size;
    uint32_t count = 0;
    *trust = 0;
    for (uint32_t i = b->child_start[joint]; i < b->child_start[joint + 1]; i++) {
        limber_vec3 from = limberi_sub(limberi_mat4_translation(&b->before[b->child[i]]), was);
        limber_vec3 to = limberi_sub(new_place(b, frame, b->child[i]), here);
        float length = fminf(limberi_length(from), limberi_length(to));
        float change = firm * limberi_length(limberi_sub(to, from));
        float part = fminf((length / size - no_bone) / (whole_bone - no_bone), 1);
        if (!(part > 0))
            continue;
        part *= length < change ? (length / change) * (length / change) : 1;
        *trust = fmaxf(*trust, part);
        b->from[count] = limberi_scale(from, part);
        b->to[count++] = limberi_scale(to, part);
    }
    return count;
}

// Pulls that nobody asked for by hand tear no bone: its length approaches limits. Others go where they are told to.
static float limited(const limberi_editor* e, float factor) {
    if (!e->settings->automatic)
        return factor;
    float change = factor - 1;
    float room = change > 0 ? max_longer : max_shorter;
    return 1 + room * tanhf(change / room);
}

static limber_vec3 limited_bone(const limberi_editor* e, limber_vec3 was, limber_vec3 now) {
    float before = limberi_length(was);
    float after = limberi_length(now);
    if (!e->settings->automatic || !(after > 0))
        return now;
    return before > 0 ? limberi_scale(now, limited(e, after / before) * before / after) : was;
}

// How much longer the skin is along the bone, which points to the middle of the children: by least squares over all of
// them, so that a chest stretches with its neck and its shoulders. Children beside the bone say nothing about that.
static float bone_factor(const builder* b, uint32_t joint, uint32_t count) {
    limber_vec3 along = b->e->model->rig.bone_direction[joint];
    limber_vec3 before = limberi_normalize(limberi_mat4_vector(&b->before[joint], along));
    limber_vec3 after = limberi_quat_rotate(b->turn[joint], before);
    float squares = 0;
    float products = 0;
    float lengths = 0;
    for (uint32_t i = 0; i < count; i++) {
        float from = limberi_dot(b->from[i], before);
        squares += from * from;
        products += from * limberi_dot(b->to[i], after);
        lengths += limberi_dot(b->from[i], b->from[i]);
    }
    if (!(lengths > 0) || squares < one_way * one_way * lengths)
        return 1;
    return limited(b->e, fminf(fmaxf(products / squares, min_factor), max_factor));
}

static void turn_joint(const builder* b, uint32_t frame, uint32_t joint) {
    limberi_editor* e = b->e;
    int32_t parent = e->model->rig.parents[joint];
    limber_quat carried = parent < 0 ? limberi_quat_identity() : b->turn[parent];
    float trust = 0;
    uint32_t count = limberi_graph_has(&e->graph, joint) ? child_vectors(b, frame, joint, &trust) : 0;
    b->turn[joint] =
        count && !e->fixed[joint] ? blend(carried, limberi_fit_rotation(b->from, b->to, count), trust) : carried;
    if (e->factors)
        e->factors[(size_t)frame * e->take.joint_count + joint] =
            limberi_editor_is_stiff(e, joint) ? 1 : bone_factor(b, joint, count);
    // In the parent's frame: its own turn taken back, this joint's put in.
    limber_transform* local = limberi_take_at(&e->take, frame, joint);
    limber_quat change = limberi_quat_mul(limberi_quat_conj(carried), b->turn[joint]);
    if (parent >= 0) {
        float r[9];
        (void)limberi_mat4_rotation(&b->before[parent], r);
        limber_quat world = limberi_quat_from_rotation(r);
        change = limberi_quat_mul(limberi_quat_conj(world), limberi_quat_mul(change, world));
    }
    local->rotation = limberi_quat_normalize(limberi_quat_mul(change, local->rotation));
}

// Turning moves nothing that is not meant to move: the translation is solved from the place itself.
static void move_joint(const builder* b, uint32_t frame, uint32_t joint) {
    limberi_editor* e = b->e;
    int32_t parent = e->model->rig.parents[joint];
    limber_transform* local = limberi_take_at(&e->take, frame, joint);
    limber_vec3 place = new_place(b, frame, joint);
    limber_mat4 inverse;
    if (parent < 0)
        local->translation = place;
    else if (limberi_graph_has(&e->graph, joint) &&
             !(e->settings->automatic && limberi_editor_is_stiff(e, (uint32_t)parent)) &&
             limberi_mat4_inverse(&b->after[parent], &inverse))
        local->translation = limited_bone(e, local->translation, limberi_mat4_point(&inverse, place));
    limber_mat4 matrix = limberi_mat4_from_transform(local);
    b->after[joint] = parent < 0 ? matrix : limberi_mat4_mul(&b->after[parent], &matrix);
}

static bool is_moved(const builder* b, uint32_t frame) {
    for (uint32_t j = 0; j < b->e->take.joint_count; j++) {
        limber_vec3 d = *limberi_editor_at(b->e, b->e->moved, frame, j);
        if (d.x != 0 || d.y != 0 || d.z != 0)
            return true;
    }
    return false;
}

static void rebuild_frame(const builder* b, uint32_t frame) {
    limberi_editor* e = b->e;
    if (!is_moved(b, frame))
        return;
    for (uint32_t j = 0; j < e->take.joint_count; j++) {
        limber_mat4 local = limberi_mat4_from_transform(limberi_take_at(&e->take, frame, j));
        int32_t parent = e->model->rig.parents[j];
        b->before[j] = parent < 0 ? local : limberi_mat4_mul(&b->before[parent], &local);
    }
    for (uint32_t j = 0; j < e->take.joint_count; j++) {
        turn_joint(b, frame, j);
        move_joint(b, frame, j);
    }
}

// --- all frames ---

static void list_children(const limberi_editor* e, builder* b) {
    uint32_t count = e->take.joint_count;
    for (uint32_t j = 0; j < count; j++)
        b->child_start[j + 1] = b->child_start[j] + e->children[j];
    uint32_t at = 0;
    uint32_t* next = (uint32_t*)(void*)b->turn; // not needed before the first frame
    memcpy(next, b->child_start, count * sizeof *next);
    for (uint32_t j = 0; j < count; j++) {
        int32_t parent = limberi_graph_parent(&e->graph, j);
        if (parent >= 0) {
            at = next[parent]++;
            b->child[at] = j;
        }
    }
}

limber_result limberi_editor_rebuild(limberi_editor* e) {
    limberi_arena scratch = {NULL, false};
    uint32_t count = e->take.joint_count;
    builder b = {0};
    b.e = e;
    b.child_start = LIMBERI_ALLOCATE(&scratch, uint32_t, (size_t)count + 1);
    b.child = LIMBERI_ALLOCATE(&scratch, uint32_t, count);
    b.before = LIMBERI_ALLOCATE(&scratch, limber_mat4, count);
    b.after = LIMBERI_ALLOCATE(&scratch, limber_mat4, count);
    b.turn = LIMBERI_ALLOCATE(&scratch, limber_quat, count);
    b.from = LIMBERI_ALLOCATE(&scratch, limber_vec3, count);
    b.to = LIMBERI_ALLOCATE(&scratch, limber_vec3, count);
    if (e->settings->stretch_skin) {
        e->factors = LIMBERI_ALLOCATE(&e->arena, float, (size_t)e->take.frame_count* count);
        for (size_t i = 0; e->factors && i < (size_t)e->take.frame_count * count; i++)
            e->factors[i] = 1;
    }
    bool failed = scratch.failed || e->arena.failed;
    if (!failed) {
        list_children(e, &b);
        for (uint32_t f = 0; f < e->take.frame_count; f++)
            rebuild_frame(&b, f);
    }
    limberi_arena_free(&scratch);
    return failed ? limberi_fail_memory(e->error) : LIMBER_OK;
}
