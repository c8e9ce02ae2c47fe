// Hose: limbs bend like the rubber hoses of the thirties, without knees and elbows.
//   arc(s) - bones(s) along the limb: an arc of a circle that has the length of the bones and ends where they do
// The skin of each bone is straightened with the limb first and bent along the arc then (hose_arc.h), so that knees and
// elbows leave no crease. This takes the joints' own skinning; what moved a vertex besides is carried along.
#include "deform/effects/hose_arc.h"
#include "deform/effects/keys.h"
#include "deform/plan.h"
#include "deform/run.h"

typedef struct matrix {
    float m[12]; // 3 x 4, row by row
} matrix;

typedef struct hose_state {
    limberi_hose_limbs limbs;
    limberi_hose_arc* arcs;   // [limb] this frame
    int32_t* limb_of;         // [joint] the limb that starts there, -1
    matrix** palettes;        // [skin][joint of it], from the mesh to the world; NULL: no limb moves it
    limber_kinematics motion; // velocities of 1 where a limb bends, so that its first joint acts
} hose_state;

// --- once ---

static void find_palettes(limber_deformer* d, hose_state* state) {
    for (uint32_t s = 0; state->palettes && s < d->model->skin_count; s++) {
        const limber_skin* skin = &d->model->skins[s];
        bool moved = false;
        for (uint32_t k = 0; k < skin->joint_count; k++)
            moved = moved || state->limbs.of_joint[skin->joints[k]].limb >= 0;
        state->palettes[s] = moved ? LIMBERI_ALLOCATE(&d->arena, matrix, skin->joint_count) : NULL;
    }
}

static limber_result prepare(limber_deformer* d, uint32_t slot, limber_error* error) {
    uint32_t joints = d->model->rig.joint_count;
    hose_state* state = LIMBERI_ALLOCATE(&d->arena, hose_state, 1);
    (void)error;
    d->states[slot] = state;
    if (!state || !limberi_hose_limbs_find(&d->arena, d->model, &state->limbs))
        return LIMBER_ERROR_MEMORY;
    limber_vec3* still = LIMBERI_ALLOCATE(&d->arena, limber_vec3, joints);
    state->motion.velocity = LIMBERI_ALLOCATE(&d->arena, limber_vec3, joints);
    state->motion.acceleration = state->motion.angular_velocity = state->motion.angular_acceleration = still;
    state->arcs = LIMBERI_ALLOCATE(&d->arena, limberi_hose_arc, state->limbs.count);
    state->limb_of = LIMBERI_ALLOCATE(&d->arena, int32_t, joints);
    state->palettes = LIMBERI_ALLOCATE(&d->arena, matrix*, d->model->skin_count);
    if (d->arena.failed)
        return LIMBER_ERROR_MEMORY;
    for (uint32_t j = 0; j < joints; j++)
        state->limb_of[j] = -1;
    for (uint32_t l = 0; l < state->limbs.count; l++)
        state->limb_of[state->limbs.limbs[l].joints[0]] = (int32_t)l;
    find_palettes(d, state);
    return d->arena.failed ? LIMBER_ERROR_MEMORY : LIMBER_OK;
}

// --- once a frame ---

static void place_skin(const limber_skin* skin, const limber_pose* pose, matrix* palette) {
    for (uint32_t k = 0; k < skin->joint_count; k++) {
        limber_mat4 world;
        limberi_mat4_multiply(&pose->world_from_joint[skin->joints[k]], &skin->joint_from_mesh[k], &world);
        for (int r = 0; r < 3; r++)
            for (int c = 0; c < 4; c++)
                palette[k].m[4 * r + c] = world.m[4 * c + r];
    }
}

static void begin(limber_deformer* d, uint32_t slot) {
    hose_state* state = d->states[slot];
    const limber_pose* pose = d->frame.job.pose;
    for (uint32_t l = 0; l < state->limbs.count; l++) {
        const limberi_hose_limb* limb = &state->limbs.limbs[l];
        limber_vec3 joints[LIMBERI_HOSE_BONES + 1];
        for (uint32_t i = 0; i <= limb->bone_count; i++)
            joints[i] = limberi_mat4_translation(&pose->world_from_joint[limb->joints[i]]);
        state->arcs[l] = limberi_hose_arc_of(joints, limb->bone_count);
        state->motion.velocity[limb->joints[0]] = limberi_vec3(state->arcs[l].share > 0 ? 1 : 0, 0, 0);
    }
    for (uint32_t s = 0; s < d->model->skin_count; s++)
        if (state->palettes[s])
            place_skin(&d->model->skins[s], pose, state->palettes[s]);
    d->frame.job.motion[slot] = &state->motion;
}

// --- vertices ---

// A vertex as its joints skin it: all of them, and by the bones of one limb.
typedef struct skinned {
    limber_vec3 sum;
    float weight[LIMBERI_HOSE_BONES];
    limber_vec3 bone[LIMBERI_HOSE_BONES]; // weighted
} skinned;

static limber_vec3 transform(const matrix* a, const float* p) {
    const float* m = a->m;
    return limberi_vec3(m[0] * p[0] + m[1] * p[1] + m[2] * p[2] + m[3], m[4] * p[0] + m[5] * p[1] + m[6] * p[2] + m[7],
                        m[8] * p[0] + m[9] * p[1] + m[10] * p[2] + m[11]);
}

static skinned skin_vertex(const hose_state* state, int32_t limb, const limber_model* model, const limber_mesh* mesh,
                           uint32_t vertex) {
    skinned s = {{0, 0, 0}, {0}, {{0, 0, 0}}};
    const uint32_t* joints = model->skins[mesh->skin].joints;
    for (uint32_t i = mesh->influence_first[vertex]; i < mesh->influence_first[vertex + 1]; i++) {
        uint32_t k = mesh->influence_joint[i];
        limberi_hose_bone of = state->limbs.of_joint[joints[k]];
        limber_vec3 p = limberi_scale(transform(&state->palettes[mesh->skin][k], mesh->positions + 3 * (size_t)vertex),
                                      mesh->influence_weight[i]);
        s.sum = limberi_add(s.sum, p);
        if (of.limb != limb)
            continue;
        s.weight[of.bone] += mesh->influence_weight[i];
        s.bone[of.bone] = limberi_add(s.bone[of.bone], p);
    }
    return s;
}

static limber_vec3 to_rows(const limber_vec3* rows, limber_vec3 v) {
    return limberi_vec3(limberi_dot(rows[0], v), limberi_dot(rows[1], v), limberi_dot(rows[2], v));
}

static limber_vec3 displacement(const limberi_hose_arc* arc, const skinned* s, limber_vec3 p) {
    limber_vec3 straight = limberi_vec3(0, 0, 0); // where the limb has no bends
    limber_vec3 carried = straight;               // what moved the vertex besides
    limber_vec3 plain = straight;
    limber_vec3 besides = limberi_sub(p, s->sum);
    float weight = 0;
    for (uint32_t b = 0; b < LIMBERI_HOSE_BONES; b++) {
        if (s->weight[b] == 0)
            continue;
        const limberi_hose_bone_place* bone = &arc->bones[b];
        limber_vec3 arm = limberi_sub(s->bone[b], limberi_scale(bone->start, s->weight[b]));
        limber_vec3 own = to_rows(bone->rows, arm);
        own.x += s->weight[b] * bone->x;
        straight = limberi_add(straight, own);
        carried = limberi_add(carried, limberi_scale(to_rows(bone->rows, besides), s->weight[b]));
        plain = limberi_add(plain, limberi_sub(s->bone[b], limberi_scale(arc->root, s->weight[b])));
        weight += s->weight[b];
    }
    if (!(weight > 1e-6f))
        return limberi_vec3(0, 0, 0);
    limber_vec3 bent = limberi_hose_bend(arc, limberi_scale(straight, 1 / weight), &carried);
    limber_vec3 moved = limberi_sub(limberi_scale(bent, weight), plain);
    return limberi_add(moved, limberi_sub(carried, limberi_scale(besides, weight)));
}

static void hose(const limberi_effect_call* call, const limber_effect_block* b, const limberi_block3* sources) {
    const limber_deformer* d = call->deformer;
    const hose_state* state = d->states[LIMBER_EFFECT_HOSE];
    int32_t limb = state->limb_of[call->joint];
    const limberi_hose_arc* arc = &state->arcs[limb];
    (void)sources;
    if (!state->palettes[call->mesh->skin])
        return;
    for (uint32_t i = 0; i < b->count; i++) {
        float gain = fminf(fmaxf(b->linear[i], 0), 1) * arc->share;
        if (b->weight[i] == 0 || !(gain > 0))
            continue;
        uint32_t vertex = call->vertices ? call->vertices[i] : call->first + i;
        skinned s = skin_vertex(state, limb, d->model, call->mesh, vertex);
        limber_vec3 moved = displacement(arc, &s, limberi_vec3(b->x[i], b->y[i], b->z[i]));
        b->dx[i] += gain * moved.x; // the weights are in it already
        b->dy[i] += gain * moved.y;
        b->dz[i] += gain * moved.z;
    }
}

static const limberi_row keys[] = {
    LIMBERI_NUMBER_KEY("hose", HOSE, "gain", LIMBERI_VALUE_LINEAR, "", 0, 1, "0",
                       "how far limbs go from their bones to an arc without knees and elbows"),
    LIMBERI_LAYER_KEY("hose", HOSE),
};

static const limberi_row joint_keys[] = {
    LIMBERI_JOINT_KEY("hose", HOSE, LIMBERI_GAIN_BOTH, "gain of this effect; for a limb, that of its first joint"),
};

static const limberi_section sections[] = {
    {"effects.hose", "hose",
     LIMBERI_TEXT("Arms and legs are rubber hoses: each bends in one even curve from shoulder to hand, as long as its "
                  "bones, in place of an elbow or a knee. Works on the pose alone, so it holds still poses, too."),
     LIMBERI_TEXT("{\"effects\": {\"hose\": {\"gain\": 1}}}")},
};

const limberi_effect limberi_effect_hose = {
    .name = "hose",
    .source = LIMBERI_TEXT("cartoons of the thirties"),
    .by_pose = true,
    .driven_by = LIMBERI_VELOCITY, // of its own making
    .parts = 1u << LIMBERI_LINEAR,
    .affine_part = LIMBERI_NO_PART,
    .constant_affine_part = LIMBERI_NO_PART,
    .run_on_sources = LIMBERI_SCALAR(hose),
    .prepare = LIMBERI_SCALAR(prepare),
    .begin = LIMBERI_SCALAR(begin),
    .advice = {.strength = "gain"},
    .keys = keys,
    .key_count = sizeof keys / sizeof *keys,
    .joint_keys = joint_keys,
    .joint_key_count = sizeof joint_keys / sizeof *joint_keys,
    .sections = LIMBERI_TEXTS(sections),
    .section_count = sizeof sections / sizeof *sections,
};
