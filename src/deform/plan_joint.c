// What one joint does in one frame: the words that an effect's `plan` uses (plan.h), and the joint as effects see it.
// Shifts and matrices go into palettes, which add up along the hierarchy; all other motion becomes rows for the kernels.
#include "deform/plan.h"

// --- the joint as effects see it ---

void limberi_fill_place(const limber_deformer* d, const limber_deform_job* job, uint32_t j, limber_effect_block* out) {
    const limber_mat4* world = &job->pose->world_from_joint[j];
    limber_vec3 center = d->model->rig.centroid[j];
    if (d->settings.centroid_offsets)
        center = limberi_add(center, d->settings.centroid_offsets[j]);
    out->position = limberi_mat4_translation(world);
    out->centroid = limberi_mat4_point(world, center);
    out->size = d->size;
    out->joint = j;
}

void limberi_fill_axes(const limber_deformer* d, const limber_deform_job* job, limber_effect_block* out) {
    const limber_mat4* world = &job->pose->world_from_joint[out->joint];
    limber_vec3 medial = limberi_sub(out->centroid, out->position);
    float length = limberi_length(medial);
    out->medial_axis = limberi_vec3(0, 0, 0);
    // Given by the settings, an axis passes through the joint, and not through the centroid.
    if (d->settings.medial_axes && !limberi_is_zero(d->settings.medial_axes[out->joint]))
        out->medial_axis = limberi_normalize(limberi_mat4_vector(world, d->settings.medial_axes[out->joint]));
    else if (length > LIMBERI_SHORTEST_AXIS * d->model->size)
        out->medial_axis = limberi_scale(medial, 1 / length);
    out->bone_direction = limberi_normalize(limberi_mat4_vector(world, d->model->rig.bone_direction[out->joint]));
}

// --- planes and constants ---

static limberi_plane plane_through(limber_vec3 direction, limber_vec3 point) {
    return (limberi_plane){{direction.x, direction.y, direction.z}, -limberi_dot(direction, point)};
}

// Two directions that make a right-handed frame with the axis.
static void across(limber_vec3 axis, limber_vec3* first, limber_vec3* second) {
    limber_vec3 helper = fabsf(axis.x) < 0.6f ? limberi_vec3(1, 0, 0) : limberi_vec3(0, 1, 0);
    *first = limberi_normalize(limberi_cross(helper, axis));
    *second = limberi_cross(axis, *first);
}

static float constant(const limberi_joint_plan* p, int value) {
    return p->d->frame.constants[p->slot].v[value][0];
}

// --- turns ---

void limberi_plan_need_axes(limberi_joint_plan* p) {
    if (!p->axed)
        limberi_fill_axes(p->d, &p->d->frame.job, &p->at);
    p->axed = true;
}

static limberi_turn_frame* turn_frame_of(limberi_joint_plan* p, bool acceleration) {
    limberi_turn_frame* known = acceleration ? &p->acceleration : &p->velocity;
    if (known->motion == p->motion)
        return known;
    known->motion = p->motion;
    known->framed = false;
    known->turns = limberi_turn_of(acceleration ? p->at.angular_acceleration : p->at.angular_velocity,
                                   limberi_vec3(0, 0, 0), &known->turn);
    return known;
}

const limberi_turn* limberi_plan_turn(limberi_joint_plan* p, bool acceleration) {
    limberi_turn_frame* known = turn_frame_of(p, acceleration);
    return known->turns ? &known->turn : NULL;
}

static void need_frame(limberi_turn_frame* turn) {
    if (!turn->framed)
        across(turn->turn.axis, &turn->first, &turn->second);
    turn->framed = true;
}

// --- what adds up along the hierarchy ---

static float* folded_matrix(limberi_joint_plan* p, uint32_t fold) {
    limberi_deform_frame* f = &p->d->frame;
    f->folded[p->joint] |= (uint16_t)(1u << fold);
    return f->palettes[fold] + 12 * (size_t)p->joint;
}

void limberi_plan_shift(limberi_joint_plan* p, float factor, limber_vec3 direction) {
    limber_vec3 shift = limberi_scale(direction, factor * p->gain.linear);
    if (limberi_is_zero(shift))
        return;
    float* m = folded_matrix(p, p->d->plans[p->slot].fold);
    m[9] += shift.x;
    m[10] += shift.y;
    m[11] += shift.z;
}

void limberi_plan_matrix(limberi_joint_plan* p, uint32_t fold, float scale, float rank, limber_vec3 d,
                         limber_vec3 point) {
    if (scale == 0 && rank == 0)
        return;
    float* m = folded_matrix(p, fold);
    p->d->frame.shift_only[fold] = false;
    limber_vec3 r = limberi_scale(d, rank);
    float xx = r.x * d.x + scale;
    float yy = r.y * d.y + scale;
    float zz = r.z * d.z + scale;
    float xy = r.x * d.y;
    float xz = r.x * d.z;
    float yz = r.y * d.z;
    const float columns[3][3] = {{xx, xy, xz}, {xy, yy, yz}, {xz, yz, zz}};
    for (int e = 0; e < 9; e++)
        m[e] += columns[e / 3][e % 3];
    m[9] -= xx * point.x + xy * point.y + xz * point.z;
    m[10] -= xy * point.x + yy * point.y + yz * point.z;
    m[11] -= xz * point.x + yz * point.y + zz * point.z;
}

// The velocity of a point carried by this joint: v + w x (p - p_j).
void limberi_fold_velocity(limber_deformer* d, uint32_t joint) {
    const limber_kinematics* k = d->frame.job.plain_motion;
    if (!k)
        return;
    limber_vec3 v = k->velocity[joint];
    limber_vec3 w = k->angular_velocity[joint];
    limber_vec3 place = limberi_mat4_translation(&d->frame.job.pose->world_from_joint[joint]);
    float* m = d->frame.palettes[LIMBERI_FOLD_VELOCITY] + 12 * (size_t)joint;
    d->frame.folded[joint] |= 1u << LIMBERI_FOLD_VELOCITY;
    m[1] += w.z;
    m[2] -= w.y;
    m[3] -= w.z;
    m[5] += w.x;
    m[6] += w.y;
    m[7] -= w.x;
    d->frame.shift_only[LIMBERI_FOLD_VELOCITY] = false;
    limberi_store3(m + 9, limberi_add(limberi_load3(m + 9), limberi_sub(v, limberi_cross(w, place))));
}

// --- rows for the kernels ---

static limberi_joint_row* add_work(limberi_joint_plan* p, uint32_t work) {
    p->work->works |= 1u << work;
    return &p->rows[work];
}

static limberi_joint_row* add_row(limberi_joint_plan* p, uint32_t slot, limberi_shape shape) {
    return add_work(p, p->d->work_of[slot][shape]);
}

// Bends and squashes smaller than this per size of the character are none; larger ones can measure the distance.
static const float MIN_BEND = 1e-12f;

// The plane across the axis, in units of which the distance is the angle of a bend by `rate` per length.
static void set_turn_plane(limberi_turn_row* row, limber_vec3 first, limber_vec3 second, limber_vec3 point, float rate,
                           float share) {
    limber_vec3 along = limberi_scale(first, fabsf(rate));
    limber_vec3 way = limberi_scale(second, rate);
    row->first = plane_through(along, point);
    row->second = plane_through(way, point);
    limberi_store3(row->push_first, limberi_scale(first, share / fabsf(rate)));
    limberi_store3(row->push_second, limberi_scale(second, share / rate));
    row->squash_rate = 0;
    row->longest = fabsf(rate);
}

// Angle per distance of the bend by a turn, 0: none.
static float bend_rate(limberi_joint_plan* p, const limberi_turn_frame* turn) {
    limberi_plan_need_axes(p);
    float twist = fminf(fabsf(limberi_dot(turn->turn.axis, p->at.bone_direction)), 1);
    float mixed = twist * constant(p, LIMBERI_VALUE_TWIST) + (1 - twist) * constant(p, LIMBERI_VALUE_BEND);
    float rate = -mixed * p->gain.angular * turn->turn.speed / p->at.size;
    return fabsf(rate) * p->at.size > MIN_BEND ? rate : 0;
}

static void add_push(float* push, limber_vec3 direction, float more) {
    limberi_store3(push, limberi_add(limberi_load3(push), limberi_scale(direction, more)));
}

// Two bends with equal numbers, such as drag and followthrough in most styles, are one bend, and each of them a share of
// it: one row does for both. Along a chain the second bends what the first one moved, so each has its own.
static void add_late_bend(limberi_joint_plan* p, limberi_turn_frame* turn, float rate, float share) {
    uint32_t list = p->d->works[p->d->work_of[p->slot][LIMBERI_SHAPE_BEND]].list;
    need_frame(turn);
    if (p->late.row && p->late.motion == turn->motion && p->late.list == list && p->late.rate == rate &&
        !limberi_is_chain(p->d)) {
        add_push(p->late.row->push_first, turn->first, share / fabsf(rate));
        add_push(p->late.row->push_second, turn->second, share / rate);
        return;
    }
    limberi_joint_row* row = add_row(p, p->slot, LIMBERI_SHAPE_BEND);
    set_turn_plane(&row->turn, turn->first, turn->second, p->at.position, rate, share);
    p->late.row = &row->turn;
    p->late.motion = turn->motion;
    p->late.list = list;
    p->late.rate = rate;
}

void limberi_plan_bend(limberi_joint_plan* p, bool acceleration, float share) {
    if (share == 0)
        return;
    limberi_turn_frame* turn = turn_frame_of(p, acceleration);
    if (p->gain.angular == 0 || !turn->turns)
        return;
    float rate = bend_rate(p, turn);
    if (!acceleration) {
        p->bend.slot = p->slot;
        p->bend.rate = rate;
        p->bend.axis = turn->turn.axis;
        return;
    }
    if (rate != 0)
        add_late_bend(p, turn, rate, share);
}

void limberi_plan_squash(limberi_joint_plan* p, const limberi_squash_plane* plane, float rate) {
    p->squash.slot = p->slot;
    p->squash.rate = fabsf(rate) * p->at.size < MIN_BEND ? 0 : rate;
    p->squash.plane = *plane;
}

static void add_squash(limberi_joint_plan* p, bool together) {
    float rate = together ? p->bend.rate : fabsf(p->squash.rate);
    const limberi_squash_plane* plane = &p->squash.plane;
    limberi_joint_row* added =
        add_work(p, together ? p->d->together : p->d->work_of[p->squash.slot][LIMBERI_SHAPE_SQUASH]);
    limberi_turn_row* row = &added->turn;
    set_turn_plane(row, plane->e, limberi_cross(plane->axis, plane->e), p->at.position, rate, 1);
    row->squash_second = plane_through(plane->z, p->at.position);
    row->squash_rate = p->squash.rate / fabsf(rate);
}

// Bend and squash of the same turn run as one, in the frame of the squash.
static void add_turns(limberi_joint_plan* p) {
    const limber_kinematics* const* motion = p->d->frame.job.motion;
    limber_vec3 first, second;
    bool squash = p->squash.rate != 0;
    bool bend = p->bend.rate != 0;
    bool together = bend && squash && motion[p->bend.slot] == motion[p->squash.slot];
    if (squash)
        add_squash(p, together);
    limberi_joint_row* row = together || !bend ? NULL : add_row(p, p->bend.slot, LIMBERI_SHAPE_BEND);
    if (!row)
        return;
    across(p->bend.axis, &first, &second);
    set_turn_plane(&row->turn, first, second, p->at.position, p->bend.rate, 1);
}

void limberi_plan_travel(limberi_joint_plan* p, limber_vec3 direction, float rate, float max) {
    limber_vec3 c = p->at.centroid;
    limberi_travel_row row = {
        plane_through(direction, c), {c.x, c.y, c.z}, rate, max > 0 ? fmaxf(max, LIMBERI_MIN_MAX_SQUASH) : 0};
    add_row(p, p->slot, LIMBERI_SHAPE_TRAVEL)->travel = row;
}

static void add_spin(limberi_joint_plan* p, limberi_shape shape, float rate) {
    limberi_turn_frame* turn = turn_frame_of(p, false);
    limberi_spin_row* row = &add_row(p, p->slot, shape)->spin;
    need_frame(turn);
    row->first = plane_through(turn->first, p->at.position);
    row->second = plane_through(turn->second, p->at.position);
    row->axis = plane_through(turn->turn.axis, p->at.position);
    row->rate = rate;
    row->base_radius = p->d->cone.base_radius;
}

void limberi_plan_shorten(limberi_joint_plan* p, const limberi_squash_plane* plane, float rate, float max) {
    limberi_spin_row* row = &add_row(p, p->slot, LIMBERI_SHAPE_SHORTEN)->spin;
    row->first = plane_through(plane->e, p->at.position);
    row->second = plane_through(limberi_cross(plane->axis, plane->e), p->at.position);
    row->axis = plane_through(plane->m, p->at.centroid);
    row->rate = rate;
    row->base_radius = max > 0 ? fmaxf(max, LIMBERI_MIN_MAX_SQUASH) : 0;
}

void limberi_plan_spin(limberi_joint_plan* p, float rate) {
    add_spin(p, LIMBERI_SHAPE_SPIN, rate);
}

void limberi_plan_lift(limberi_joint_plan* p, float rate) {
    add_spin(p, LIMBERI_SHAPE_LIFT, rate);
}

void limberi_plan_follow(limberi_joint_plan* p, limber_vec3 turn, limber_vec3 shift, float reach) {
    limberi_follow_row* row = &add_row(p, p->slot, LIMBERI_SHAPE_FOLLOW)->follow;
    limber_vec3 axis = limberi_normalize(turn);
    limber_vec3 first = limberi_normalize(limberi_vec3(axis.y, -axis.x, 0));
    if (limberi_is_zero(first))
        first = limberi_vec3(1, 0, 0);
    limber_vec3 second = limberi_cross(axis, first);
    limberi_store3(row->place, p->at.position);
    limberi_store3(row->first, first);
    limberi_store3(row->second, second);
    limberi_store3(row->shift, shift);
    row->angle = limberi_length(turn);
    row->reach2 = reach * reach;
    row->shifts = !limberi_is_zero(shift);
}

void limberi_plan_scalar(limberi_joint_plan* p) {
    p->work->scalar_slots |= 1u << p->slot;
}

// --- a joint ---

void limberi_plan_close(limberi_joint_plan* p) {
    add_turns(p);
    limberi_store3(p->work->place, p->at.position);
}
