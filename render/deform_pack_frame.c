// One frame for the shader: what differs from vertex to vertex, and the texture of the joints.
#include "base/math.h"
#include "deform/deform_private.h"
#include "motion/filter.h"
#include "render/deform_pack.h"

#include <string.h>

// --- columns ---

static void skin_mesh(limberi_pack* p, const limberi_pack_frame* f, const limber_mesh* mesh) {
    limber_skin_job job = limber_skin_job_default();
    job.mesh = mesh;
    job.skinning = p->skinning;
    job.palette = f->palettes[mesh->skin];
    job.dualquats = f->dualquats[mesh->skin];
    job.palette_count = p->model->skins[mesh->skin].joint_count;
    job.positions = f->positions && mesh->morph_count ? f->positions + 3 * (size_t)mesh->first_vertex : NULL;
    job.out_positions = p->skinned + 3 * (size_t)mesh->first_vertex;
    if (limber_skin_evaluate(&job)) // only a job without a mesh or palette fails
        memset(job.out_positions, 0, 3 * (size_t)mesh->vertex_count * sizeof(float));
}

// Speed of a vertex in L per second, from the palette of velocities that the deformer folds.
static float speed_of(const limberi_pack* p, const limber_mesh* mesh, uint32_t u) {
    const limberi_deform_frame* frame = &p->deformer->frame;
    const float* at = p->skinned + 3 * ((size_t)mesh->first_vertex + u);
    float sum[3] = {0, 0, 0};
    for (uint32_t i = mesh->influence_first[u]; i < mesh->influence_first[u + 1]; i++) {
        uint32_t joint = p->model->skins[mesh->skin].joints[mesh->influence_joint[i]];
        const float* m = frame->palettes[FOLD_VELOCITY] + 12 * (size_t)joint;
        for (int c = 0; c < 3; c++)
            sum[c] += mesh->influence_weight[i] * (m[c] * at[0] + m[3 + c] * at[1] + m[6 + c] * at[2] + m[9 + c]);
    }
    return limberi_length(limberi_load3(sum)) / p->deformer->size;
}

static void fill_block(limberi_pack* p, const limberi_pack_frame* f, uint32_t m, uint32_t first, uint32_t count) {
    const limber_mesh* mesh = &p->model->meshes[m];
    float speed[LIMBER_BLOCK] = {0};
    limberi_block_values values;
    bool moving = p->skinned && p->deformer->frame.folds >> FOLD_VELOCITY & 1;
    for (uint32_t i = 0; moving && i < count; i++)
        speed[i] = speed_of(p, mesh, first + i);
    for (uint32_t c = 0; c < p->column_count; c++) {
        if (!p->columns[c].formula)
            continue;
        limberi_evaluate_values(&p->names[m], mesh, limberi_slot_settings(p->deformer, p->columns[c].slot), f->job,
                                first, count, speed, &values);
        size_t at = (size_t)c * p->model->vertex_count + mesh->first_vertex + first;
        memcpy(p->values + at, values.v[p->columns[c].value], count * sizeof(float));
        for (uint32_t i = 0; i < count; i++)
            p->columns[c].scale = fmaxf(p->columns[c].scale, fabsf(p->values[at + i]));
    }
}

static void fill_values(limberi_pack* p, const limberi_pack_frame* f) {
    for (uint32_t c = 0; c < p->column_count; c++)
        p->columns[c].scale = p->columns[c].formula ? 0.0f : 1.0f;
    for (uint32_t m = 0; m < p->model->mesh_count; m++) {
        const limber_mesh* mesh = &p->model->meshes[m];
        if (p->skinned)
            skin_mesh(p, f, mesh);
        for (uint32_t first = 0; first < mesh->vertex_count; first += LIMBER_BLOCK) {
            uint32_t rest = mesh->vertex_count - first;
            fill_block(p, f, m, first, rest < LIMBER_BLOCK ? rest : LIMBER_BLOCK);
        }
    }
}

// A limit of next to nothing must not become 0, which is no limit at all.
static int16_t normalised(float value, bool limit) {
    int16_t steps = (int16_t)lrintf(fmaxf(-1, fminf(value, 1)) * 32767);
    return limit && value > 0 && steps == 0 ? 1 : steps;
}

static void write_column(const limberi_pack* p, const limber_mesh* mesh, uint32_t c, int16_t* out) {
    size_t stride = limberi_pack_column_bytes(p) / sizeof *out;
    const char* name = limberi_slot_settings(p->deformer, p->columns[c].slot)->layer;
    const limber_layer* layer = name ? limber_mesh_layer(mesh, name) : NULL;
    const float* values = layer ? layer->values : NULL;
    float scale = p->columns[c].scale;
    bool limit = p->columns[c].value == VALUE_MAX_BEND;
    if (p->columns[c].formula)
        values = p->values + (size_t)c * p->model->vertex_count + mesh->first_vertex;
    for (uint32_t u = 0; u < mesh->vertex_count; u++) {
        float value = values && scale > 0 ? values[u] / scale : values ? 0.0f : 1.0f;
        out[((size_t)mesh->first_vertex + u) * stride + c] = normalised(value, limit);
    }
}

void limberi_pack_columns(limberi_pack* p, const limberi_pack_frame* f, int16_t* out) {
    if (p->columns_change)
        fill_values(p, f);
    for (uint32_t m = 0; m < p->model->mesh_count; m++)
        for (uint32_t c = 0; c < p->column_count; c++)
            write_column(p, &p->model->meshes[m], c, out);
}

// --- the rows of a joint ---

typedef struct joint_pen {
    const limberi_pack* p;
    const limber_deform_job* job;
    uint32_t joint;
    limber_effect_block at; // place, axes and motion
    float* out;             // the next texel
    bool acts;
} joint_pen;

static void put(joint_pen* pen, limber_vec3 v, float w) {
    limberi_store3(pen->out, v);
    pen->out[3] = w;
    pen->out += 4;
}

static void put_nothing(joint_pen* pen, uint32_t texels) {
    for (uint32_t i = 0; i < texels; i++)
        put(pen, limberi_vec3(0, 0, 0), 0);
}

static float constant(const joint_pen* pen, uint32_t slot, int value) {
    return pen->p->deformer->frame.constants[slot].v[value][0];
}

// The gain of the effect times the joint's, but for what columns give at each vertex.
static float gain_of(const joint_pen* pen, uint32_t slot, int part) {
    const limberi_pack* p = pen->p;
    limber_joint_gain joint = limberi_joint_gain(p->deformer, slot, pen->joint);
    int column = p->column_of[2 * slot + (uint32_t)part];
    float gain = (part ? joint.angular : joint.linear) * (column < 0 ? 1 : p->columns[column].scale);
    return p->deformer->plans[slot].formula[part] ? gain
                                                  : gain * constant(pen, slot, part ? VALUE_ANGULAR : VALUE_LINEAR);
}

// A source of lift has its own gains, or gains of 1 and those of its joints.
static float source_gain(const joint_pen* pen, uint32_t slot, int part) {
    limber_joint_gain joint = limberi_joint_gain(pen->p->deformer, slot, pen->joint);
    return pen->p->sources_own >> slot & 1 ? gain_of(pen, slot, part) : part ? joint.angular : joint.linear;
}

// Axis, angle per distance; false: nothing turns.
static bool put_bend(joint_pen* pen, uint32_t slot, limber_vec3 rotation, float gain) {
    limberi_turn turn;
    if (gain == 0 || !limberi_turn_of(rotation, pen->at.bone_direction, &turn)) {
        put_nothing(pen, 1);
        return false;
    }
    float mixed = turn.twist * constant(pen, slot, VALUE_TWIST) + (1 - turn.twist) * constant(pen, slot, VALUE_BEND);
    put(pen, turn.axis, -mixed * gain * turn.speed / pen->at.size);
    return mixed != 0;
}

static bool put_squash(joint_pen* pen, float gain) {
    limberi_squash_plane q;
    if (gain == 0 || !limberi_squash_plane_of(&pen->at, &q)) {
        put_nothing(pen, 3);
        return false;
    }
    float speed = limberi_length(pen->at.angular_velocity);
    put(pen, limberi_normalize(pen->at.angular_velocity), q.fade * gain * speed / pen->at.size);
    put(pen, q.e, 0); // about the axis or about the centroid is the same across the axis, on which both lie
    put(pen, q.z, 0);
    return true;
}

static bool put_travel(joint_pen* pen, float gain) {
    float speed = limberi_length(pen->at.velocity);
    put(pen, limberi_normalize(pen->at.velocity), gain * speed / pen->at.size);
    put(pen, limberi_sub(pen->at.centroid, pen->at.position), 0);
    return gain != 0 && speed > 0;
}

static bool put_stretch(joint_pen* pen, float gain) {
    limberi_turn turn;
    if (gain == 0 || !limberi_turn_of(pen->at.angular_velocity, pen->at.bone_direction, &turn)) {
        put_nothing(pen, 1);
        return false;
    }
    float scale = pen->p->quadratic ? 1 / (pen->at.size * pen->at.size) : 1;
    put(pen, turn.axis, gain * turn.speed * turn.speed * scale);
    return true;
}

// Without rows for its sources lift is driven by plain stretch of the same motion.
static bool put_lift(joint_pen* pen, float gain) {
    limberi_turn turn;
    if (!pen->p->sources)
        gain *= limberi_joint_gain(pen->p->deformer, LIMBER_EFFECT_STRETCH, pen->joint).angular;
    if (gain == 0 || !limberi_turn_of(pen->at.angular_velocity, pen->at.bone_direction, &turn)) {
        put_nothing(pen, 1);
        return false;
    }
    put(pen, turn.axis, gain / pen->at.size * (pen->p->sources ? 1 : turn.speed * turn.speed));
    return true;
}

// How much of the acceleration counts: drag while it speeds the joint up, followthrough while it slows it down.
static float share_of(const joint_pen* pen, uint32_t slot, bool angular) {
    const limber_effect_block* at = &pen->at;
    float dot = angular ? limberi_dot(at->angular_velocity, at->angular_acceleration)
                        : limberi_dot(at->velocity, at->acceleration) / (at->size * at->size);
    float slowing = limberi_opposition(dot, constant(pen, slot, VALUE_THRESHOLD));
    return slot == LIMBER_EFFECT_FOLLOWTHROUGH ? slowing : 1 - slowing;
}

// False: the effect does nothing at this joint.
static bool open_effect(joint_pen* pen, uint32_t slot) {
    if (!limberi_slot_moves(pen->p->deformer, pen->job, slot, pen->joint))
        return false;
    limberi_fill_motion(pen->job->motion[slot], pen->joint, &pen->at);
    return true;
}

// Bend and squash of one motion; where nothing is squashed any direction across the axis will do.
static bool put_turn(joint_pen* pen, float bend, float squash) {
    limberi_turn turn;
    limberi_squash_plane q;
    if (!limberi_turn_of(pen->at.angular_velocity, pen->at.bone_direction, &turn)) {
        put_nothing(pen, 3);
        return false;
    }
    float mixed = turn.twist * constant(pen, LIMBER_EFFECT_FLOPPY, VALUE_TWIST) +
                  (1 - turn.twist) * constant(pen, LIMBER_EFFECT_FLOPPY, VALUE_BEND);
    float rate = -mixed * bend * turn.speed / pen->at.size, squash_rate = 0;
    if (limberi_squash_plane_of(&pen->at, &q)) {
        squash_rate = q.fade * squash * turn.speed / pen->at.size;
    } else {
        limber_vec3 helper = fabsf(turn.axis.x) < 0.6f ? limberi_vec3(1, 0, 0) : limberi_vec3(0, 1, 0);
        q.e = limberi_normalize(limberi_cross(helper, turn.axis));
        q.z = limberi_vec3(0, 0, 0);
    }
    put(pen, q.e, rate);
    put(pen, limberi_cross(turn.axis, q.e), squash_rate);
    put(pen, q.z, 0);
    return rate != 0 || squash_rate != 0;
}

static float moving_gain(joint_pen* pen, uint32_t slot, int part) {
    return open_effect(pen, slot) ? gain_of(pen, slot, part) : 0;
}

static void put_velocity_effects(joint_pen* pen, uint32_t kinds) {
    bool twice = kinds & LIMBERI_KIND_TURN_TWICE;
    float squash, bend = moving_gain(pen, LIMBER_EFFECT_FLOPPY, 1);
    if (!(kinds & LIMBERI_KIND_TURN))
        return;
    if (twice)
        pen->acts |= put_turn(pen, bend, 0);
    squash = moving_gain(pen, LIMBER_EFFECT_SQUASH, 1);
    if (!twice && bend != 0)
        limberi_fill_motion(pen->job->motion[LIMBER_EFFECT_FLOPPY], pen->joint, &pen->at);
    pen->acts |= put_turn(pen, twice ? 0 : bend, squash);
}

// The bend of drag or followthrough; returns how much of it counts.
static float put_slowing(joint_pen* pen, uint32_t slot) {
    float gain = moving_gain(pen, slot, 1);
    float share = put_bend(pen, slot, pen->at.angular_acceleration, gain) ? share_of(pen, slot, true) : 0;
    pen->acts |= share != 0;
    return share;
}

// Two bends about one axis; where the first is missing the second brings it.
static void put_slowings(joint_pen* pen, bool drag, bool follow) {
    float* first = pen->out;
    float drag_share = drag ? put_slowing(pen, LIMBER_EFFECT_DRAG) : 0;
    if (!drag)
        put_nothing(pen, 1);
    float follow_share = follow ? put_slowing(pen, LIMBER_EFFECT_FOLLOWTHROUGH) : 0;
    float rate = follow ? first[7] : 0;
    if (drag_share == 0 && follow)
        memcpy(first, first + 4, 3 * sizeof *first);
    pen->out = first + 4;
    put(pen, limberi_vec3(drag_share, follow_share, rate), 0);
}

static void put_acceleration_effects(joint_pen* pen, uint32_t kinds) {
    bool twice = kinds & LIMBERI_KIND_SLOWING_TWICE;
    if (kinds & LIMBERI_KIND_SLOWING)
        put_slowings(pen, true, !twice);
    if (twice)
        put_slowings(pen, false, true);
}

static void put_sources(joint_pen* pen) {
    const limberi_pack* p = pen->p;
    static const uint32_t texels[LIMBER_EFFECT_LIFT] = {2, 5, 2, 2, 1};
    for (uint32_t slot = 0; slot < LIMBER_EFFECT_LIFT; slot++) {
        if (!(p->sources >> slot & 1))
            continue;
        if (!pen->job->motion[slot]) {
            put_nothing(pen, texels[slot]);
            continue;
        }
        limberi_fill_motion(pen->job->motion[slot], pen->joint, &pen->at);
        bool slows = slot == LIMBER_EFFECT_DRAG || slot == LIMBER_EFFECT_FOLLOWTHROUGH;
        limber_vec3 shift = slows ? pen->at.acceleration : pen->at.velocity;
        if (slot == LIMBER_EFFECT_STRETCH) {
            put_stretch(pen, source_gain(pen, slot, 1));
        } else if (slot == LIMBER_EFFECT_SQUASH) {
            put_squash(pen, source_gain(pen, slot, 1));
            put_travel(pen, source_gain(pen, slot, 0));
        } else {
            float linear = -source_gain(pen, slot, 0) * (slows ? share_of(pen, slot, false) : 1);
            put(pen, limberi_scale(shift, linear), slows ? share_of(pen, slot, true) : 1);
            put_bend(pen, slot, slows ? pen->at.angular_acceleration : pen->at.angular_velocity,
                     source_gain(pen, slot, 1));
        }
    }
}

// All rows of a joint after its place; false: it does nothing this frame.
static bool put_joint(joint_pen* pen, int32_t next) {
    uint32_t kinds = pen->p->kinds;
    limberi_fill_place(pen->p->deformer, pen->job, pen->joint, &pen->at);
    limberi_fill_axes(pen->p->deformer, pen->job, &pen->at);
    pen->acts = false;
    put(pen, pen->at.position, (float)next);
    put_velocity_effects(pen, kinds);
    put_acceleration_effects(pen, kinds);
    if (kinds & LIMBERI_KIND_TRAVEL)
        pen->acts |= put_travel(pen, moving_gain(pen, LIMBER_EFFECT_SQUASH, 0));
    if (kinds & LIMBERI_KIND_SPIN)
        pen->acts |= put_stretch(pen, moving_gain(pen, LIMBER_EFFECT_STRETCH, 1));
    if (kinds & LIMBERI_KIND_LIFT) {
        pen->acts |= put_lift(pen, moving_gain(pen, LIMBER_EFFECT_LIFT, 1));
        put_sources(pen);
    }
    return pen->acts;
}

// Where each joint's chain of acting joints starts, itself or above; returns the texels used so far.
static uint32_t put_joints(limberi_pack* p, const limber_deform_job* job, bool moves, uint32_t first, float* out) {
    joint_pen pen;
    memset(&pen, 0, sizeof pen);
    pen.p = p;
    pen.job = job;
    for (uint32_t j = 0; j < p->model->rig.joint_count; j++) {
        int32_t parent = p->model->rig.parents[j], above = parent < 0 ? -1 : p->rows[parent];
        pen.joint = j;
        pen.out = out + 4 * (size_t)first;
        p->rows[j] = above;
        if (!moves || !put_joint(&pen, above))
            continue;
        p->rows[j] = (int32_t)first;
        first += p->joint_texels;
    }
    return first;
}

// --- the joints of skins ---

static float* put4(float* out, float x, float y, float z, float w) {
    out[0] = x;
    out[1] = y;
    out[2] = z;
    out[3] = w;
    return out + 4;
}

static float* put_matrix(float* out, const float* m) {
    for (int row = 0; row < 3; row++)
        out = put4(out, m[row], m[4 + row], m[8 + row], m[12 + row]);
    return out;
}

static float* put_dualquat(float* out, const limber_dualquat* q) {
    const float* s = q->stretch;
    out = put4(out, q->real.x, q->real.y, q->real.z, q->real.w);
    out = put4(out, q->dual.x, q->dual.y, q->dual.z, q->dual.w);
    out = put4(out, s[0], s[1], s[2], s[3]);
    out = put4(out, s[4], s[5], s[6], s[7]);
    return put4(out, s[8], 0, 0, 0);
}

static float* put_symmetric(float* out, const float* m, float scale) {
    out = put4(out, scale * m[0], scale * m[1], scale * m[2], scale * m[4]);
    return put4(out, scale * m[5], scale * m[8], 0, 0);
}

static float column_scale(const limberi_pack* p, uint32_t slot, int part) {
    int column = p->column_of[2 * slot + (uint32_t)part];
    return column < 0 ? 1 : p->columns[column].scale;
}

static float* put_folds(const limberi_pack* p, bool moves, uint32_t joint, float* out) {
    static const float nothing[12] = {0};
    const int folds[4] = {FOLD_FLOPPY, FOLD_DRAG, FOLD_FOLLOWTHROUGH, p->stretch_fold};
    static const uint32_t flags[4] = {LIMBERI_FOLD_FLOPPY, LIMBERI_FOLD_DRAG, LIMBERI_FOLD_FOLLOW,
                                      LIMBERI_FOLD_STRETCH};
    static const uint32_t slots[4] = {LIMBER_EFFECT_FLOPPY, LIMBER_EFFECT_DRAG, LIMBER_EFFECT_FOLLOWTHROUGH,
                                      LIMBER_EFFECT_STRETCH};
    float* const* palettes = p->deformer->frame.palettes;
    const float* m = moves ? palettes[FOLD_CONSTANT] + 12 * (size_t)joint : nothing;
    out = put4(out, m[9], m[10], m[11], (float)p->rows[joint]);
    if (p->folds & LIMBERI_FOLD_MATRIX)
        out = put_symmetric(out, m, 1);
    for (int i = 0; i < 4; i++) {
        if (!(p->folds & flags[i]))
            continue;
        bool stretch = i == 3;
        float scale = column_scale(p, slots[i], stretch);
        m = moves ? palettes[folds[i]] + 12 * (size_t)joint : nothing;
        if (stretch)
            out = put_symmetric(out, m, scale);
        out = put4(out, scale * m[9], scale * m[10], scale * m[11], 0);
    }
    return out;
}

// --- all of it ---

// Two effects that should see the same motion, and do not.
static bool shares_nothing(const limberi_pack* p, limber_effect a, limber_effect b, uint32_t twice,
                           const limber_kinematics* const* motion) {
    bool both = p->deformer->slot_active[a] && p->deformer->slot_active[b];
    return both && !(p->kinds & twice) && motion[a] != motion[b] &&
           limberi_filter_set_equal(&p->deformer->settings.effects[a].filters,
                                    &p->deformer->settings.effects[b].filters);
}

limber_result limberi_pack_begin(limberi_pack* p, const limberi_pack_frame* f) {
    if (!f->job->pose || !f->palettes || (p->skinning == LIMBER_SKINNING_DUALQUAT && !f->dualquats))
        return LIMBER_ERROR_ARGUMENT;
    const limber_kinematics* const* motion = f->job->motion;
    if (shares_nothing(p, LIMBER_EFFECT_FLOPPY, LIMBER_EFFECT_SQUASH, LIMBERI_KIND_TURN_TWICE, motion) ||
        shares_nothing(p, LIMBER_EFFECT_DRAG, LIMBER_EFFECT_FOLLOWTHROUGH, LIMBERI_KIND_SLOWING_TWICE, motion) ||
        ((p->kinds & LIMBERI_KIND_LIFT) && !p->sources && motion[LIMBER_EFFECT_LIFT] != motion[LIMBER_EFFECT_STRETCH]))
        return LIMBER_ERROR_ARGUMENT; // effects with the same filters see the same motion
    limberi_deform_begin(p->deformer, f->job);
    return LIMBER_OK;
}

static float limit_of(const limberi_pack* p, uint32_t slot, int number) {
    int column = p->column_of[number];
    bool used = p->deformer->slot_active[slot] || limberi_is_source(p->deformer, slot);
    if (column >= 0)
        return p->columns[column].scale;
    return used ? p->deformer->frame.constants[slot].v[VALUE_MAX_BEND][0] : 0;
}

static void put_head(const limberi_pack* p, float* out) {
    const limberi_deform_frame* frame = &p->deformer->frame;
    const float *apex = frame->cone_apex, *axis = frame->cone_axis;
    out = put4(out, limit_of(p, LIMBER_EFFECT_FLOPPY, 12), limit_of(p, LIMBER_EFFECT_DRAG, 13),
               limit_of(p, LIMBER_EFFECT_FOLLOWTHROUGH, 14), p->deformer->cone.base_radius);
    out = put4(out, apex[0], apex[1], apex[2], frame->cone_cosine);
    put4(out, axis[0], axis[1], axis[2], frame->cone_sine);
}

uint32_t limberi_pack_texels(limberi_pack* p, const limberi_pack_frame* f, float* out) {
    bool moves = p->deformer->active && p->deformer->frame.moves;
    uint32_t first = 3 + p->skin_joint_count * p->skin_texels;
    put_head(p, out);
    uint32_t count = put_joints(p, &p->deformer->frame.job, moves, first, out);
    out += 12;
    for (uint32_t s = 0; s < p->model->skin_count; s++) {
        const limber_skin* skin = &p->model->skins[s];
        for (uint32_t k = 0; k < skin->joint_count; k++) {
            out = p->skinning == LIMBER_SKINNING_DUALQUAT ? put_dualquat(out, &f->dualquats[s][k])
                                                          : put_matrix(out, f->palettes[s][k].m);
            out = put_folds(p, moves, skin->joints[k], out);
        }
    }
    return count;
}
