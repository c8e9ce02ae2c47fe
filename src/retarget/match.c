// Which joint of the character takes its motion from which, and how the two rest poses lie against each other.
#include "base/math.h"
#include "base/turns.h"
#include "retarget/retarget_private.h"

#include <math.h>
#include <string.h>

// --- from one world to the other ---

void limberi_turn_of_matrix(const limber_mat4* matrix, double* turn) {
    float columns[9];
    limberi_mat4_rotation(matrix, columns);
    limber_quat q = limberi_quat_normalize(limberi_quat_from_rotation(columns));
    turn[0] = (double)q.x;
    turn[1] = (double)q.y;
    turn[2] = (double)q.z;
    turn[3] = (double)q.w;
}

// Mirrored motions: across the plane between left and right of the character.
static void reflect(const limber_retarget* r, double* v) {
    double along = 0;
    for (int i = 0; i < 3; i++)
        along += v[i] * r->to.side[i];
    for (int i = 0; i < 3; i++)
        v[i] -= 2 * along * r->to.side[i];
}

void limberi_carry_vector(const limber_retarget* r, const double* v, double* out) {
    limberi_turn_rotate(r->turn, v, out);
    if (r->settings.mirror)
        reflect(r, out);
}

void limberi_carry_turn(const limber_retarget* r, const double* q, double* out) {
    limberi_turn_rotate(r->turn, q, out);
    out[3] = q[3];
    if (!r->settings.mirror)
        return;
    reflect(r, out); // an axis is no arrow: it turns round as well
    for (int i = 0; i < 3; i++)
        out[i] = -out[i];
}

void limberi_carry_place(const limber_retarget* r, const limberi_moment* m, uint32_t joint, double* out) {
    const float* matrix = m->from[joint].m;
    double place[3] = {(double)matrix[12], (double)matrix[13], (double)matrix[14]};
    limberi_carry_vector(r, place, out);
    for (int i = 0; i < 3; i++)
        out[i] = r->scale * out[i] + m->lift * r->to.up[i] - m->belt[i];
}

static limberi_drive* add(limber_retarget* r, uint32_t joint, uint32_t a, const char* name) {
    if (r->drive_of[joint] < 0)
        r->drive_of[joint] = (int32_t)r->drive_count++;
    limberi_drive* d = &r->drives[r->drive_of[joint]];
    d->joint = joint;
    d->a = d->b = a;
    d->part = 0;
    d->name = name;
    d->sure = r->from.sure < r->to.sure ? r->from.sure : r->to.sure;
    memcpy(d->turn, r->rest[joint], sizeof d->turn);
    return d;
}

static limberi_drive* add_aligned(limber_retarget* r, uint32_t joint, uint32_t a, const double* align,
                                  const char* name) {
    limberi_drive* d = add(r, joint, a, name);
    limberi_turn_mul(align, r->rest[joint], d->turn);
    return d;
}

// --- chains ---

// Where the joints of a chain lie on the way from `start` to its last one, 0 ... 1.
static void arc_places(const limber_rig* rig, uint32_t start, const limberi_chain* chain, double* places) {
    double way = 0;
    uint32_t before = start;
    for (uint32_t i = 0; i < chain->count; i++) {
        double step[3];
        limberi_rest_way(rig, before, chain->joints[i], step);
        way += limberi_length3(step);
        places[i] = way;
        before = chain->joints[i];
    }
    for (uint32_t i = 0; i < chain->count; i++)
        places[i] = way > 0 ? places[i] / way : (i + 1.0) / chain->count;
}

// Chains of different counts are spread by length; of the same count joint by joint.
static void drive_chain(limber_retarget* r, uint32_t from_start, const limberi_chain* from, uint32_t to_start,
                        const limberi_chain* to, const double* align, const char* name) {
    double from_places[LIMBERI_CHAIN_MAX];
    double to_places[LIMBERI_CHAIN_MAX];
    if (!from->count)
        return;
    arc_places(&r->motion->rig, from_start, from, from_places);
    arc_places(&r->character->rig, to_start, to, to_places);
    for (uint32_t i = 0; i < to->count; i++) {
        uint32_t k = 0;
        while (k + 1 < from->count && from_places[k] < to_places[i] - 1e-9)
            k++;
        if (from->count == to->count) {
            add_aligned(r, to->joints[i], from->joints[i], align, name);
            continue;
        }
        double low = k ? from_places[k - 1] : 0;
        double span = from_places[k] - low;
        limberi_drive* d = add_aligned(r, to->joints[i], k ? from->joints[k - 1] : from_start, align, name);
        d->b = from->joints[k];
        d->part = span > 0 ? fmin((to_places[i] - low) / span, 1) : 1;
        d->sure *= 0.9f;
    }
}

// --- limbs ---

static const char* const bone_names[LIMBERI_LIMBS][3] = {{"left upper arm", "left lower arm", "left hand"},
                                                         {"right upper arm", "right lower arm", "right hand"},
                                                         {"left upper leg", "left lower leg", "left foot"},
                                                         {"right upper leg", "right lower leg", "right foot"}};
static const char* const stub_names[2] = {"left shoulder", "right shoulder"};
static const char* const toe_names[2] = {"left toes", "right toes"};
static const char* const finger_names[2][LIMBERI_FINGERS] = {
    {"left thumb", "left index finger", "left middle finger", "left ring finger", "left little finger"},
    {"right thumb", "right index finger", "right middle finger", "right ring finger", "right little finger"}};

// A bone that takes the direction of one of the motion; `align` is what its parent's bone needed, and becomes its own.
static void drive_bone(limber_retarget* r, uint32_t joint, uint32_t next, uint32_t from, uint32_t from_next,
                       double* align, const char* name) {
    double way[3];
    double goal[3];
    double turned[3];
    double swing[4];
    double before[4];
    limberi_rest_way(&r->character->rig, joint, next, way);
    limberi_rest_way(&r->motion->rig, from, from_next, turned);
    limberi_carry_vector(r, turned, goal);
    limberi_turn_rotate(align, way, turned);
    limberi_turn_onto(turned, goal, swing);
    memcpy(before, align, sizeof before);
    limberi_turn_mul(swing, before, align);
    add_aligned(r, joint, from, align, name);
}

static uint32_t bone_at(const limberi_figure_limb* limb, uint32_t index) {
    return index < limb->bones.count ? limb->bones.joints[index] : (uint32_t)limb->end;
}

static void drive_limb(limber_retarget* r, uint32_t l) {
    uint32_t source = r->settings.mirror ? l ^ 1u : l;
    const limberi_figure_limb* from = &r->from.limbs[source];
    const limberi_figure_limb* to = &r->to.limbs[l];
    double align[4] = {0, 0, 0, 1};
    const double none[4] = {0, 0, 0, 1};
    bool is_leg = l >= LIMBERI_LEG_LEFT;
    if (!is_leg)
        drive_chain(r, from->bones.joints[0], &from->stub, to->bones.joints[0], &to->stub, none, stub_names[l]);
    if (from->bones.count == to->bones.count && from->lower == to->lower) {
        for (uint32_t i = 0; i < to->bones.count; i++)
            drive_bone(r, to->bones.joints[i], bone_at(to, i + 1), from->bones.joints[i], bone_at(from, i + 1), align,
                       bone_names[l][i >= to->lower]);
    } else {
        drive_bone(r, to->bones.joints[0], bone_at(to, to->lower), from->bones.joints[0], bone_at(from, from->lower),
                   align, bone_names[l][0]);
        drive_bone(r, bone_at(to, to->lower), (uint32_t)to->end, bone_at(from, from->lower), (uint32_t)from->end, align,
                   bone_names[l][1]);
    }
    // Feet that are flat in both rest poses are flat together, whatever the legs do; hands go on as their arms do.
    bool stands = is_leg || r->to.all_fours;
    add_aligned(r, (uint32_t)to->end, (uint32_t)from->end, stands ? none : align, bone_names[l][2]);
    // Toes and fingers begin with the joint that turns all of them, whatever comes after it.
    drive_chain(r, from->tip.joints[0], &from->tip, to->tip.joints[0], &to->tip, stands ? none : align,
                toe_names[l & 1]);
    for (uint32_t i = 0; i < LIMBERI_FINGERS; i++)
        drive_chain(r, from->fingers[i].joints[0], &from->fingers[i], to->fingers[i].joints[0], &to->fingers[i], align,
                    finger_names[l & 1][i]);
}

// --- all of it ---

static void drive_trunk(limber_retarget* r) {
    const limberi_figure* from = &r->from;
    const limberi_figure* to = &r->to;
    const double none[4] = {0, 0, 0, 1};
    uint32_t from_chest = from->spine.count ? from->spine.joints[from->spine.count - 1] : (uint32_t)from->hips;
    uint32_t to_chest = to->spine.count ? to->spine.joints[to->spine.count - 1] : (uint32_t)to->hips;
    add(r, (uint32_t)to->hips, (uint32_t)from->hips, "hips");
    drive_chain(r, (uint32_t)from->hips, &from->spine, (uint32_t)to->hips, &to->spine, none, "spine");
    drive_chain(r, from_chest, &from->neck, to_chest, &to->neck, none, "neck");
    if (from->head >= 0 && to->head >= 0)
        add(r, (uint32_t)to->head, (uint32_t)from->head, "head");
    drive_chain(r, (uint32_t)from->hips, &from->tail, (uint32_t)to->hips, &to->tail, none, "tail");
}

static void remove_drive(limber_retarget* r, uint32_t joint) {
    int32_t index = r->drive_of[joint];
    if (index < 0)
        return;
    r->drives[index] = r->drives[--r->drive_count];
    r->drive_of[r->drives[index].joint] = index;
    r->drive_of[joint] = -1;
}

// A pair that was found already stays as it is: it also knows how the bones lie against each other.
static void obey(limber_retarget* r, const limber_joint_pair* pair) {
    int32_t index = r->drive_of[pair->joint];
    if (pair->source == LIMBER_NO_SOURCE)
        remove_drive(r, pair->joint);
    else if (index < 0 || limberi_drive_source(&r->drives[index]) != pair->source)
        add(r, pair->joint, pair->source, "given")->sure = 1;
    else
        r->drives[index].sure = 1;
}

limber_result limberi_retarget_match(limber_retarget* r) {
    uint32_t joints = r->character->rig.joint_count;
    r->drives = LIMBERI_ALLOCATE(&r->arena, limberi_drive, joints);
    r->drive_of = LIMBERI_ALLOCATE(&r->arena, int32_t, joints);
    if (r->arena.failed)
        return LIMBER_ERROR_MEMORY;
    for (uint32_t j = 0; j < joints; j++)
        r->drive_of[j] = -1;
    drive_trunk(r);
    for (uint32_t l = 0; l < LIMBERI_LIMBS; l++)
        if (limberi_figure_has(&r->to, l) && limberi_figure_has(&r->from, r->settings.mirror ? l ^ 1u : l))
            drive_limb(r, l);
    for (uint32_t i = 0; i < r->settings.pair_count; i++)
        obey(r, &r->settings.pairs[i]);
    return LIMBER_OK;
}
