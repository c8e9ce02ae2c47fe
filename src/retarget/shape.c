// Arms, legs and head of skeletons whose names say nothing, by the shape of the rest pose alone.
#include "base/memory.h"
#include "retarget/figure_private.h"

#include <math.h>

static const double mirror_gap = 0.06;   // of the skeleton's height: how far a mirrored joint may be from its mate
static const uint32_t max_joints = 2000; // pairs are looked for among all: a body whose joints have no names has fewer
static const double short_limb = 0.2;    // of the height: a shorter branch is no limb
static const double like_limb = 0.6;     // of the shorter limbs' length: a pair that is as long might be one of them,
static const float sure_shape = 0.6f;    // which takes something off this
static const float less_sure = 0.7f;
static const float unsure_legs = 0.5f; // of a pair that reaches the floor, too

typedef struct branch_shape {
    const limber_rig* rig;
    double height; // of all joints
    double* reach; // [joint] the longest way down the tree
    int32_t* next; // [joint] the child on that way
} branch_shape;

typedef struct branch_pair {
    uint32_t a, b;
} branch_pair;

static bool measure_reach(const limber_model* model, branch_shape* s) {
    const limber_rig* rig = &model->rig;
    s->rig = rig;
    s->reach = limberi_allocate_zeroed(rig->joint_count, sizeof *s->reach);
    s->next = limberi_allocate_zeroed(rig->joint_count, sizeof *s->next);
    if (!s->reach || !s->next)
        return false;
    double low = INFINITY;
    double high = -INFINITY;
    for (uint32_t j = 0; j < rig->joint_count; j++) {
        double y = (double)rig->world_from_joint_rest[j].m[13];
        low = y < low ? y : low;
        high = y > high ? y : high;
        s->next[j] = -1;
    }
    s->height = high - low;
    for (uint32_t j = rig->joint_count; j-- > 0;) {
        int32_t parent = rig->parents[j];
        if (parent < 0)
            continue;
        double way = s->reach[j] + limberi_joints_apart(rig, j, (uint32_t)parent);
        if (s->next[parent] < 0 || way > s->reach[parent]) {
            s->reach[parent] = way;
            s->next[parent] = (int32_t)j;
        }
    }
    return true;
}

static uint32_t tip_of(const branch_shape* s, uint32_t joint) {
    while (s->next[joint] >= 0)
        joint = (uint32_t)s->next[joint];
    return joint;
}

// Whether two places mirror each other across a plane through `middle`.
static bool mirrors(const branch_shape* s, uint32_t a, uint32_t b, int axis, double middle) {
    double p[3];
    double q[3];
    double off = 0;
    limberi_rest_place(s->rig, a, p);
    limberi_rest_place(s->rig, b, q);
    for (int i = 0; i < 3; i++) {
        double gap = i == axis ? p[i] + q[i] - 2 * middle : p[i] - q[i];
        off += gap * gap;
    }
    return sqrt(off) < mirror_gap * s->height && fabs(p[axis] - q[axis]) > 0.5 * mirror_gap * s->height;
}

static bool is_pair(const branch_shape* s, uint32_t a, uint32_t b, int axis) {
    if (s->reach[a] < short_limb * s->height || s->reach[b] < short_limb * s->height)
        return false;
    double body[3];
    limberi_rest_place(s->rig, (uint32_t)s->rig->parents[a], body);
    return mirrors(s, tip_of(s, a), tip_of(s, b), axis, body[axis]);
}

// The next pair of branches after `from`; false: there is no more.
static bool next_pair(const branch_shape* s, int axis, uint32_t from, branch_pair* pair) {
    const limber_rig* rig = s->rig;
    for (uint32_t a = from; a < rig->joint_count; a++)
        for (uint32_t b = a + 1; rig->parents[a] >= 0 && b < rig->joint_count; b++)
            if (rig->parents[b] == rig->parents[a] && is_pair(s, a, b, axis)) {
                *pair = (branch_pair){a, b};
                return true;
            }
    return false;
}

static double tip_height(const branch_shape* s, const branch_pair* pair) {
    return (double)s->rig->world_from_joint_rest[tip_of(s, pair->a)].m[13];
}

static double tips_apart(const branch_shape* s, const branch_pair* pair) {
    return limberi_joints_apart(s->rig, tip_of(s, pair->a), tip_of(s, pair->b));
}

// Legs reach lowest; of the other pairs that hang above them those that reach farthest to the sides are the arms: a cape
// may be longer.
static bool find_pairs(const branch_shape* s, int axis, branch_pair* legs, branch_pair* arms, bool* has_arms) {
    branch_pair pair;
    bool found = false;
    for (uint32_t from = 0; next_pair(s, axis, from, &pair); from = pair.a + 1)
        if (!found || tip_height(s, &pair) < tip_height(s, legs) - 0.1 * s->height) {
            *legs = pair;
            found = true;
        }
    *has_arms = false;
    for (uint32_t from = 0; found && next_pair(s, axis, from, &pair); from = pair.a + 1) {
        if (pair.a == legs->a || limberi_hangs_below(s->rig, pair.a, legs->a) ||
            limberi_hangs_below(s->rig, pair.a, legs->b))
            continue;
        if (!*has_arms || tips_apart(s, &pair) > tips_apart(s, arms))
            *arms = pair;
        *has_arms = true;
    }
    return found;
}

static bool in_limb(const branch_shape* s, const branch_pair* pair, const branch_pair* limb) {
    return pair->a == limb->a || limberi_hangs_below(s->rig, pair->a, limb->a) ||
           limberi_hangs_below(s->rig, pair->a, limb->b);
}

static float sure_of(const branch_shape* s, int axis, const branch_pair* legs, const branch_pair* arms, bool has_arms) {
    float sure = sure_shape;
    branch_pair pair;
    double length = s->reach[legs->a];
    if (has_arms && s->reach[arms->a] < length)
        length = s->reach[arms->a];
    for (uint32_t from = 0; next_pair(s, axis, from, &pair); from = pair.a + 1) {
        if (in_limb(s, &pair, legs) || (has_arms && in_limb(s, &pair, arms)) || s->reach[pair.a] < like_limb * length)
            continue;
        bool stands = tip_height(s, &pair) < tip_height(s, legs) + 0.1 * s->height;
        sure *= stands ? unsure_legs : less_sure;
    }
    return sure;
}

// +1 when the feet point along the axis that is neither up nor to the side, -1 the other way.
static double front_sign(const branch_shape* s, uint32_t leg, int front) {
    uint32_t tip = tip_of(s, leg);
    int32_t above = s->rig->parents[tip];
    double p[3];
    double q[3];
    limberi_rest_place(s->rig, tip, p);
    limberi_rest_place(s->rig, (uint32_t)above, q);
    double apart = limberi_joints_apart(s->rig, tip, (uint32_t)above);
    return p[front] - q[front] < -0.3 * apart ? -1 : 1;
}

static void put_pair(const branch_shape* s, const branch_pair* pair, bool a_is_left, limberi_figure_limb* limbs,
                     const limberi_joint_meaning* meanings) {
    for (int side = 0; side < 2; side++) {
        limberi_chain path;
        path.count = 0;
        for (int32_t j = (int32_t)((side == 0) == a_is_left ? pair->a : pair->b); j >= 0; j = s->next[j])
            limberi_chain_add(&path, (uint32_t)j);
        limberi_limb_of_path(s->rig, meanings, &path, &limbs[side]);
    }
}

static bool a_is_left(const branch_shape* s, const branch_pair* pair, int axis, double left) {
    double p[3];
    double q[3];
    limberi_rest_place(s->rig, tip_of(s, pair->a), p);
    limberi_rest_place(s->rig, tip_of(s, pair->b), q);
    return (p[axis] - q[axis]) * left > 0;
}

bool limberi_limbs_by_shape(const limber_model* model, limberi_figure* figure, const limberi_joint_meaning* meanings) {
    static const int axes[2] = {0, 2};
    branch_shape s = {0};
    if (model->rig.joint_count > max_joints)
        return true;
    bool measured = measure_reach(model, &s);
    for (int i = 0; measured && i < 2; i++) {
        branch_pair legs;
        branch_pair arms;
        bool has_arms;
        int axis = axes[i];
        if (!find_pairs(&s, axis, &legs, &arms, &has_arms))
            continue;
        figure->sure = sure_of(&s, axis, &legs, &arms, has_arms);
        // The left hand is at up x front: along +x when the front is +z, along -z when it is +x.
        double front = front_sign(&s, legs.a, axes[1 - i]);
        double left = i == 0 ? front : -front;
        put_pair(&s, &legs, a_is_left(&s, &legs, axis, left), &figure->limbs[LIMBERI_LEG_LEFT], meanings);
        if (has_arms)
            put_pair(&s, &arms, a_is_left(&s, &arms, axis, left), &figure->limbs[LIMBERI_ARM_LEFT], meanings);
        break;
    }
    limberi_release(s.reach);
    limberi_release(s.next);
    return measured;
}

int32_t limberi_shape_head(const limberi_figure* f, uint32_t chest) {
    int32_t head = -1;
    for (uint32_t j = chest + 1; j < f->rig->joint_count; j++) {
        bool in_arm = false;
        for (uint32_t l = 0; l < LIMBERI_LIMBS; l++)
            in_arm =
                in_arm || (limberi_figure_has(f, l) && limberi_hangs_below(f->rig, j, f->limbs[l].bones.joints[0]));
        if (in_arm || !limberi_hangs_below(f->rig, j, chest))
            continue;
        if (head < 0 || f->rig->world_from_joint_rest[j].m[13] > f->rig->world_from_joint_rest[head].m[13])
            head = (int32_t)j;
    }
    return head;
}
