// The loop that sums the effects: d(p) = sum over joints of B_j sum over effects of psi_j(p), block by block.
#include "deform/deform_private.h"

#include <string.h>

typedef struct block_state {
    limber_deformer* d;
    const limber_deform_job* job;
    const limber_mesh* mesh;
    uint32_t mesh_index, first, count, row_count;
    float p[3][LIMBER_BLOCK], n[3][LIMBER_BLOCK], displacement[3][LIMBER_BLOCK], speed[LIMBER_BLOCK];
    limberi_block_values values[EFFECT_SLOTS];
    limberi_block_values source_values[LIMBER_EFFECT_COUNT]; // lift's sources that are off: gains of 1
} block_state;

static const limber_effect_function functions[LIMBER_EFFECT_COUNT] = {
    limberi_effect_floppy,        limberi_effect_squash,  limberi_effect_drag,
    limberi_effect_followthrough, limberi_effect_stretch, NULL}; // lift runs in its second pass

static bool uses_acceleration(uint32_t slot) {
    return slot == LIMBER_EFFECT_DRAG || slot == LIMBER_EFFECT_FOLLOWTHROUGH || slot >= LIMBER_EFFECT_COUNT;
}

static bool uses_velocity(uint32_t slot) {
    return slot != LIMBER_EFFECT_DRAG && slot != LIMBER_EFFECT_FOLLOWTHROUGH;
}

static limber_joint_gain joint_gain(const limber_deformer* d, uint32_t slot, uint32_t joint) {
    limber_joint_gain one = {1, 1};
    return slot < LIMBER_EFFECT_COUNT && d->settings.joint_gains[slot] ? d->settings.joint_gains[slot][joint] : one;
}

static bool slot_moves(const limber_deformer* d, const limber_deform_job* job, uint32_t slot, uint32_t j) {
    const limber_kinematics* k = job->motion[slot];
    limber_joint_gain gain = joint_gain(d, slot, j);
    if (!d->slot_active[slot] || !k || (gain.linear == 0 && gain.angular == 0))
        return false;
    if (slot == LIMBER_EFFECT_LIFT) // driven by whatever its sources are driven by
        return !limberi_is_still(k->angular_velocity[j]);
    return (uses_velocity(slot) && (!limberi_is_still(k->velocity[j]) || !limberi_is_still(k->angular_velocity[j]))) ||
           (uses_acceleration(slot) &&
            (!limberi_is_still(k->acceleration[j]) || !limberi_is_still(k->angular_acceleration[j])));
}

// Which effects have something to do at which joint. Joints that do not move cost nothing.
static bool find_moves(limber_deformer* d, const limber_deform_job* job) {
    bool any = false;
    uint32_t slots = LIMBER_EFFECT_COUNT + d->settings.custom_count;
    for (uint32_t j = 0; j < d->model->rig.joint_count; j++) {
        d->joint_moves[j] = 0;
        d->row_of_joint[j] = -1;
        for (uint32_t slot = 0; slot < slots; slot++)
            if (slot_moves(d, job, slot, j))
                d->joint_moves[j] |= 1u << slot;
        any = any || d->joint_moves[j];
    }
    return any;
}

// Upward weights of the block's vertices on the joints that move, one row a joint.
static void gather_rows(block_state* b) {
    limber_deformer* d = b->d;
    const limber_skin* skin = &d->model->skins[b->mesh->skin];
    for (uint32_t r = 0; r < b->row_count; r++)
        d->row_of_joint[d->rows[r].joint] = -1;
    b->row_count = 0;
    for (uint32_t v = 0; v < b->count; v++) {
        uint32_t u = b->first + v;
        for (uint32_t i = b->mesh->influence_first[u]; i < b->mesh->influence_first[u + 1]; i++) {
            int32_t j = (int32_t)skin->joints[b->mesh->influence_joint[i]];
            for (; j >= 0; j = d->model->rig.parents[j]) {
                if (!d->joint_moves[j])
                    continue;
                if (d->row_of_joint[j] < 0) {
                    d->row_of_joint[j] = (int32_t)b->row_count;
                    d->rows[b->row_count].joint = (uint32_t)j;
                    memset(d->rows[b->row_count].weight, 0, sizeof d->rows[0].weight);
                    b->row_count++;
                }
                d->rows[d->row_of_joint[j]].weight[v] += b->mesh->influence_weight[i];
            }
        }
    }
}

static void clear_rows(block_state* b) {
    for (uint32_t r = 0; r < b->row_count; r++)
        b->d->row_of_joint[b->d->rows[r].joint] = -1;
    b->row_count = 0;
}

// Speed of each vertex in L per second: what its joints' velocities add up to.
static void gather_speed(block_state* b) {
    float v[3][LIMBER_BLOCK];
    memset(v, 0, sizeof v);
    const limber_kinematics* k = b->job->plain_motion;
    const limber_skin* skin = &b->d->model->skins[b->mesh->skin];
    for (uint32_t n = 0; n < b->count; n++) {
        uint32_t u = b->first + n;
        limber_vec3 p = limberi_vec3(b->p[0][n], b->p[1][n], b->p[2][n]), sum = limberi_vec3(0, 0, 0);
        for (uint32_t i = b->mesh->influence_first[u]; k && i < b->mesh->influence_first[u + 1]; i++) {
            int32_t j = (int32_t)skin->joints[b->mesh->influence_joint[i]];
            for (; j >= 0; j = b->d->model->rig.parents[j]) {
                limber_vec3 arm = limberi_sub(p, limberi_mat4_translation(&b->job->pose->world_from_joint[j]));
                limber_vec3 one = limberi_add(k->velocity[j], limberi_cross(k->angular_velocity[j], arm));
                sum = limberi_add(sum, limberi_scale(one, b->mesh->influence_weight[i]));
            }
        }
        b->speed[n] = limberi_length(sum) / b->d->size;
    }
}

static void gather_block(block_state* b) {
    size_t at = 3 * ((size_t)b->mesh->first_vertex + b->first);
    for (uint32_t v = 0; v < b->count; v++) {
        for (int c = 0; c < 3; c++) {
            b->p[c][v] = b->job->positions[at + 3 * v + (size_t)c];
            b->n[c][v] = b->job->normals[at + 3 * v + (size_t)c];
        }
    }
    if (b->d->names_used >> LIMBER_NAME_SPEED & 1)
        gather_speed(b);
}

static bool is_source(const limber_deformer* d, uint32_t slot) {
    return d->slot_active[LIMBER_EFFECT_LIFT] && slot < LIMBER_EFFECT_LIFT &&
           (d->settings.effects[LIMBER_EFFECT_LIFT].sources >> slot & 1);
}

static void fill_gains(limberi_block_values* values, float gain) {
    for (uint32_t i = 0; i < LIMBER_BLOCK; i++)
        values->v[VALUE_LINEAR][i] = values->v[VALUE_ANGULAR][i] = gain;
}

static void gather_values(block_state* b) {
    limber_deformer* d = b->d;
    const uint32_t only_stretch = 1u << LIMBER_EFFECT_STRETCH;
    bool plain_stretch = d->settings.effects[LIMBER_EFFECT_LIFT].sources == only_stretch;
    for (uint32_t slot = 0; slot < LIMBER_EFFECT_COUNT + d->settings.custom_count; slot++) {
        if (!d->slot_active[slot] && !is_source(d, slot))
            continue;
        limberi_evaluate_values(d, limberi_slot_settings(d, slot), b->job, b->mesh, b->mesh_index, b->first, b->count,
                                b->speed, &b->values[slot]);
        if (!is_source(d, slot))
            continue;
        b->source_values[slot] = b->values[slot];
        if (plain_stretch || !d->slot_active[slot])
            fill_gains(&b->source_values[slot], 1);
    }
}

static void fill_joint(const block_state* b, uint32_t slot, uint32_t j, limber_effect_block* out) {
    const limber_deformer* d = b->d;
    const limber_kinematics* k = b->job->motion[slot];
    const limber_mat4* world = &b->job->pose->world_from_joint[j];
    limber_vec3 center = d->model->rig.centroid[j];
    if (d->settings.centroid_offsets)
        center = limberi_add(center, d->settings.centroid_offsets[j]);
    out->position = limberi_mat4_translation(world);
    out->centroid = limberi_mat4_point(world, center);
    limber_vec3 medial = limberi_sub(out->centroid, out->position);
    if (limberi_length(medial) > LIMBERI_SHORTEST_AXIS * d->model->size)
        out->medial_axis = limberi_normalize(medial);
    out->bone_direction = limberi_normalize(limberi_mat4_vector(world, d->model->rig.bone_direction[j]));
    out->velocity = k->velocity[j];
    out->acceleration = k->acceleration[j];
    out->angular_velocity = k->angular_velocity[j];
    out->angular_acceleration = k->angular_acceleration[j];
    out->size = d->size;
    out->joint = j;
}

// Everything an effect sees, for one joint of the block. `scaled` holds the gains times the joint's own.
static limber_effect_block make_block(block_state* b, uint32_t slot, const limberi_block_joint* row,
                                      const limberi_block_values* values, float scaled[2][LIMBER_BLOCK],
                                      limber_effect_settings* settings) {
    limber_effect_block out;
    memset(&out, 0, sizeof out);
    fill_joint(b, slot, row->joint, &out);
    limber_joint_gain gain = joint_gain(b->d, slot, row->joint);
    for (uint32_t i = 0; i < b->count; i++) {
        scaled[0][i] = values->v[VALUE_LINEAR][i] * gain.linear;
        scaled[1][i] = values->v[VALUE_ANGULAR][i] * gain.angular;
    }
    *settings = *limberi_slot_settings(b->d, slot);
    if (b->d->settings.about && b->d->settings.about[row->joint] >= 0)
        settings->about = (limber_about)b->d->settings.about[row->joint];
    out.count = b->count;
    out.x = b->p[0];
    out.y = b->p[1];
    out.z = b->p[2];
    out.nx = b->n[0];
    out.ny = b->n[1];
    out.nz = b->n[2];
    out.weight = row->weight;
    out.linear = scaled[0];
    out.angular = scaled[1];
    out.max_bend_rad = values->v[VALUE_MAX_BEND];
    out.twist = values->v[VALUE_TWIST];
    out.bend = values->v[VALUE_BEND];
    out.threshold = values->v[VALUE_THRESHOLD];
    out.settings = settings;
    out.user = slot >= LIMBER_EFFECT_COUNT ? b->d->settings.custom[slot - LIMBER_EFFECT_COUNT].user : NULL;
    out.dx = b->displacement[0];
    out.dy = b->displacement[1];
    out.dz = b->displacement[2];
    return out;
}

static void run_slot(block_state* b, uint32_t slot, const limberi_block_joint* row) {
    float scaled[2][LIMBER_BLOCK];
    limber_effect_settings settings;
    limber_effect_block block = make_block(b, slot, row, &b->values[slot], scaled, &settings);
    limber_effect_function function =
        slot < LIMBER_EFFECT_COUNT ? functions[slot] : b->d->settings.custom[slot - LIMBER_EFFECT_COUNT].function;
    function(&block);
}

static void place_cone(const block_state* b, limberi_lift* lift) {
    const limber_deformer* d = b->d;
    lift->mesh_normals = d->settings.effects[LIMBER_EFFECT_LIFT].normals == LIMBER_LIFT_MESH;
    lift->base_radius = d->cone.base_radius;
    if (lift->mesh_normals)
        return;
    const limber_mat4* world = &b->job->pose->world_from_joint[d->cone.joint];
    lift->apex = limberi_mat4_point(world, d->cone.apex);
    lift->axis = limberi_normalize(limberi_mat4_vector(world, d->cone.axis));
    lift->cosine = cosf(d->cone.half_angle_rad);
    lift->sine = sinf(d->cone.half_angle_rad);
}

// Second pass: the sources' displacements of this joint (unweighted), projected on the normal.
static void run_lift(block_state* b, const limberi_block_joint* row) {
    float source[3][LIMBER_BLOCK], ones[LIMBER_BLOCK], scaled[2][LIMBER_BLOCK];
    limber_effect_settings settings;
    limberi_lift lift;
    memset(&lift, 0, sizeof lift);
    memset(source, 0, sizeof source);
    for (uint32_t i = 0; i < LIMBER_BLOCK; i++)
        ones[i] = i < b->count && row->weight[i] != 0 ? 1.0f : 0.0f;
    for (uint32_t slot = 0; slot < LIMBER_EFFECT_LIFT; slot++) {
        if (!is_source(b->d, slot) || !b->job->motion[slot])
            continue;
        limber_effect_block block = make_block(b, slot, row, &b->source_values[slot], scaled, &settings);
        block.weight = ones;
        block.dx = source[0];
        block.dy = source[1];
        block.dz = source[2];
        functions[slot](&block);
    }
    place_cone(b, &lift);
    lift.source_x = source[0];
    lift.source_y = source[1];
    lift.source_z = source[2];
    limber_effect_block block =
        make_block(b, LIMBER_EFFECT_LIFT, row, &b->values[LIMBER_EFFECT_LIFT], scaled, &settings);
    limberi_effect_lift(&block, &lift);
}

static void sum_effects(block_state* b) {
    memset(b->displacement, 0, sizeof b->displacement);
    for (uint32_t r = 0; r < b->row_count; r++) {
        const limberi_block_joint* row = &b->d->rows[r];
        uint32_t moves = b->d->joint_moves[row->joint];
        for (uint32_t slot = 0; slot < LIMBER_EFFECT_COUNT + b->d->settings.custom_count; slot++) {
            if (!(moves >> slot & 1))
                continue;
            if (slot == LIMBER_EFFECT_LIFT)
                run_lift(b, row);
            else
                run_slot(b, slot, row);
        }
    }
    for (int c = 0; c < 3; c++) // enormous gains overflow; what is not a number moves nothing
        for (uint32_t i = 0; i < b->count; i++)
            if (!isfinite(b->displacement[c][i]))
                b->displacement[c][i] = 0;
}

static void write_positions(const block_state* b) {
    size_t at = 3 * ((size_t)b->mesh->first_vertex + b->first);
    for (uint32_t v = 0; v < b->count; v++)
        for (int c = 0; c < 3; c++)
            b->job->out_positions[at + 3 * v + (size_t)c] = b->p[c][v] + b->displacement[c][v];
}

// Two unit vectors that span the tangent plane.
static void tangents(limber_vec3 n, limber_vec3* s, limber_vec3* t) {
    limber_vec3 helper = fabsf(n.x) < 0.6f ? limberi_vec3(1, 0, 0) : limberi_vec3(0, 1, 0);
    *s = limberi_normalize(limberi_cross(helper, n));
    *t = limberi_cross(n, *s);
}

// Normals from the Jacobian of p + d(p): where two steps along the surface end up. The step, 1e-3 L, is short against
// every effect's reach and long against float rounding.
static void write_jacobian_normals(block_state* b) {
    float step = 1e-3f * b->d->size, moved[2][3][LIMBER_BLOCK], home[3][LIMBER_BLOCK], still[3][LIMBER_BLOCK];
    memcpy(home, b->p, sizeof home);
    memcpy(still, b->displacement, sizeof still);
    for (int side = 0; side < 2; side++) {
        for (uint32_t v = 0; v < b->count; v++) {
            limber_vec3 s[2];
            tangents(limberi_vec3(b->n[0][v], b->n[1][v], b->n[2][v]), &s[0], &s[1]);
            b->p[0][v] = home[0][v] + step * s[side].x;
            b->p[1][v] = home[1][v] + step * s[side].y;
            b->p[2][v] = home[2][v] + step * s[side].z;
        }
        sum_effects(b);
        for (int c = 0; c < 3; c++)
            for (uint32_t v = 0; v < b->count; v++)
                moved[side][c][v] = (b->p[c][v] - home[c][v] + b->displacement[c][v] - still[c][v]) / step;
    }
    float* out = b->job->out_normals + 3 * ((size_t)b->mesh->first_vertex + b->first);
    for (uint32_t v = 0; v < b->count; v++) {
        limber_vec3 s = limberi_vec3(moved[0][0][v], moved[0][1][v], moved[0][2][v]);
        limber_vec3 t = limberi_vec3(moved[1][0][v], moved[1][1][v], moved[1][2][v]);
        limber_vec3 n = limberi_normalize(limberi_cross(s, t));
        bool touched = still[0][v] != 0 || still[1][v] != 0 || still[2][v] != 0;
        if (touched && limberi_dot(n, n) > 0.5f)
            limberi_store3(out + 3 * v, n);
    }
    memcpy(b->p, home, sizeof home);
}

static void run_mesh(limber_deformer* d, const limber_deform_job* job, uint32_t mesh_index, block_state* b) {
    b->d = d;
    b->job = job;
    b->mesh = &d->model->meshes[mesh_index];
    b->mesh_index = mesh_index;
    b->row_count = 0;
    bool jacobian = d->settings.normals == LIMBER_NORMALS_JACOBIAN && job->out_normals, any = false;
    for (b->first = 0; b->first < b->mesh->vertex_count; b->first += LIMBER_BLOCK) {
        uint32_t rest = b->mesh->vertex_count - b->first;
        b->count = rest < LIMBER_BLOCK ? rest : LIMBER_BLOCK;
        gather_rows(b);
        if (!b->row_count)
            continue;
        any = true;
        gather_block(b);
        gather_values(b);
        sum_effects(b);
        write_positions(b);
        if (jacobian)
            write_jacobian_normals(b);
    }
    clear_rows(b);
    if (any && job->out_normals && !jacobian)
        limberi_average_normals(d, job, b->mesh, mesh_index);
}

limber_result limber_deformer_run(limber_deformer* d, const limber_deform_job* job) {
    if (!job->pose || !job->positions || !job->normals || !job->out_positions || job->out_positions == job->positions)
        return LIMBER_ERROR_ARGUMENT;
    size_t bytes = 3 * (size_t)d->model->vertex_count * sizeof(float);
    memcpy(job->out_positions, job->positions, bytes);
    if (job->out_normals && job->out_normals != job->normals)
        memcpy(job->out_normals, job->normals, bytes);
    limberi_evaluate_gains(d, job);
    if (!d->active || !find_moves(d, job))
        return LIMBER_OK;
    block_state b;
    memset(&b, 0, sizeof b);
    for (uint32_t m = 0; m < d->model->mesh_count; m++)
        run_mesh(d, job, m, &b);
    return LIMBER_OK;
}
