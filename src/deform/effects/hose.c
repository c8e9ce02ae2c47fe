// Hose: limbs bend like the rubber hoses of the thirties, without knees and elbows.
//   arc(s) - bones(s) along the limb: an arc of a circle that has the length of the bones and ends where they do
// The skin of each bone is straightened with the limb first and bent along the arc then (hose_arc.c), so that knees and
// elbows leave no crease. This takes the joints' own skinning; what moved a vertex besides is carried along.
#include "deform/effects/hose.h"
#include "deform/effects/keys.h"
#include "deform/plan.h"
#include "deform/run.h"

typedef struct matrix {
    float m[12]; // 3 x 4, row by row
} matrix;

typedef struct hose_state {
    limberi_hose_limbs limbs;
    limberi_hose_arc* arcs; // [limb] this frame
    matrix** palettes;      // [skin][joint of it], from the mesh to the world; NULL: no limb moves it
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
    hose_state* state = LIMBERI_ALLOCATE(&d->arena, hose_state, 1);
    (void)error;
    d->states[slot] = state;
    if (!state || !limberi_hose_limbs_find(&d->arena, d->model, &state->limbs))
        return LIMBER_ERROR_MEMORY;
    state->arcs = LIMBERI_ALLOCATE(&d->arena, limberi_hose_arc, state->limbs.count);
    state->palettes = LIMBERI_ALLOCATE(&d->arena, matrix*, d->model->skin_count);
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

// What scales the gains of vertices at a limb.
static float limb_gain(const limber_deformer* d, uint32_t slot, const limberi_hose_limb* limb) {
    return limberi_frame_gain(d, slot, limb->joints[0]).linear;
}

static void begin(limber_deformer* d, uint32_t slot) {
    hose_state* state = d->states[slot];
    const limber_pose* pose = d->frame.job.pose;
    limber_number gain = d->settings.effects[slot].linear;
    bool bends = false;
    for (uint32_t l = 0; l < state->limbs.count; l++) {
        const limberi_hose_limb* limb = &state->limbs.limbs[l];
        limber_vec3 joints[LIMBERI_HOSE_BONES + 1];
        for (uint32_t i = 0; i <= limb->bone_count; i++)
            joints[i] = limberi_mat4_translation(&pose->world_from_joint[limb->joints[i]]);
        state->arcs[l] = limberi_hose_arc_of(joints, limb->bone_count);
        if (!(limb_gain(d, slot, limb) > 0) || (gain.value == 0 && !gain.expression))
            state->arcs[l].share = 0;
        bends = bends || state->arcs[l].share > 0;
    }
    for (uint32_t s = 0; bends && s < d->model->skin_count; s++)
        if (state->palettes[s])
            place_skin(&d->model->skins[s], pose, state->palettes[s]);
    d->frame.bends |= bends ? 1u << slot : 0;
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

// How far the limb moves a vertex, and how that changes along the axes of the world.
typedef struct bent {
    limber_vec3 moved, changes[3];
} bent;

static limber_vec3 column(const limber_vec3* rows, int c) {
    return limberi_vec3((&rows[0].x)[c], (&rows[1].x)[c], (&rows[2].x)[c]);
}

static bent bend_vertex(const limberi_hose_arc* arc, const skinned* s, limber_vec3 p, bool has_normals) {
    bent out = {0};
    limber_vec3 straight = {0, 0, 0}; // where the limb has no bends
    limber_vec3 plain = {0, 0, 0};
    limber_vec3 besides = limberi_sub(p, s->sum); // what moved the vertex besides its joints
    float weight = 0;
    for (uint32_t b = 0; b < LIMBERI_HOSE_BONES; b++) {
        float own = s->weight[b];
        if (own == 0)
            continue;
        const limberi_hose_bone_place* bone = &arc->bones[b];
        limber_vec3 arm = limberi_add(s->bone[b], limberi_scale(limberi_sub(besides, arc->root), own));
        limber_vec3 at = limberi_add(limberi_hose_to_limb(bone, arm), limberi_scale(bone->offset, own));
        straight = limberi_add(straight, at);
        plain = limberi_add(plain, arm);
        for (int c = 0; has_normals && c < 3; c++)
            out.changes[c] = limberi_add(out.changes[c], limberi_scale(column(bone->rows, c), own));
        weight += own;
    }
    if (!(weight > 1e-6f))
        return out;
    limber_vec3 at = limberi_hose_bend(arc, limberi_scale(straight, 1 / weight), has_normals ? out.changes : NULL);
    out.moved = limberi_sub(limberi_scale(at, weight), plain);
    for (int c = 0; c < 3; c++)
        (&out.changes[c].x)[c] -= weight;
    return out;
}

// An influence of a limb that bends, and the first of that limb at the vertex; -1: it is none.
static int32_t new_limb(const hose_state* state, const uint32_t* joints, const limber_mesh* mesh, uint32_t vertex,
                        uint32_t influence) {
    int32_t limb = state->limbs.of_joint[joints[mesh->influence_joint[influence]]].limb;
    if (limb < 0 || !(state->arcs[limb].share > 0))
        return -1;
    for (uint32_t i = mesh->influence_first[vertex]; i < influence; i++)
        if (state->limbs.of_joint[joints[mesh->influence_joint[i]]].limb == limb)
            return -1;
    return limb;
}

// A normal of a surface whose points move by `moves`, from those along the axes.
static limber_vec3 turn_normal(const limber_vec3 moves[3], limber_vec3 n) {
    limber_vec3 turned = limberi_scale(limberi_cross(moves[1], moves[2]), n.x);
    turned = limberi_add(turned, limberi_scale(limberi_cross(moves[2], moves[0]), n.y));
    turned = limberi_add(turned, limberi_scale(limberi_cross(moves[0], moves[1]), n.z));
    return limberi_length(turned) > 0 ? limberi_normalize(turned) : n;
}

static bool bend_one(const limberi_bend_call* call, const hose_state* state, uint32_t vertex, float given,
                     limber_vec3* p, limber_vec3* n) {
    const limber_mesh* mesh = call->mesh;
    const limber_model* model = call->deformer->model;
    limber_vec3 from = *p;
    limber_vec3 moves[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    bool moved = false;
    for (uint32_t i = mesh->influence_first[vertex]; i < mesh->influence_first[vertex + 1]; i++) {
        int32_t limb = new_limb(state, model->skins[mesh->skin].joints, mesh, vertex, i);
        if (limb < 0)
            continue;
        const limberi_hose_arc* arc = &state->arcs[limb];
        float gain = given * limb_gain(call->deformer, call->slot, &state->limbs.limbs[limb]);
        gain = fminf(fmaxf(gain, 0), 1) * arc->share;
        skinned s = skin_vertex(state, limb, model, mesh, vertex);
        bent b = bend_vertex(arc, &s, from, n != NULL);
        *p = limberi_add(*p, limberi_scale(b.moved, gain));
        for (int c = 0; c < 3; c++)
            moves[c] = limberi_add(moves[c], limberi_scale(b.changes[c], gain));
        moved = true;
    }
    if (moved && n)
        *n = turn_normal(moves, *n);
    return moved;
}

static bool bend(const limberi_bend_call* call) {
    const hose_state* state = call->deformer->states[call->slot];
    bool any = false;
    if (!state->palettes[call->mesh->skin])
        return false;
    for (uint32_t i = 0; i < call->count; i++) {
        limber_vec3 p = limberi_vec3(call->position->v[0][i], call->position->v[1][i], call->position->v[2][i]);
        limber_vec3 n = {0, 0, 0};
        uint32_t vertex = call->vertices ? call->vertices[i] : call->first + i;
        if (call->normal)
            n = limberi_vec3(call->normal->v[0][i], call->normal->v[1][i], call->normal->v[2][i]);
        if (!bend_one(call, state, vertex, call->gain[i], &p, call->normal ? &n : NULL))
            continue;
        any = true;
        const float to[6] = {p.x, p.y, p.z, n.x, n.y, n.z};
        for (int c = 0; c < 3; c++) {
            call->position->v[c][i] = to[c];
            if (call->normal)
                call->normal->v[c][i] = to[3 + c];
        }
    }
    return any;
}

// --- for the GPU ---

enum { ARC_TEXELS = 5, BONE_TEXELS = 3 };

static uint32_t bend_texels(const limber_deformer* d, uint32_t slot) {
    const hose_state* state = d->states[slot];
    uint32_t joints = 0;
    for (uint32_t s = 0; s < d->model->skin_count; s++)
        joints += d->model->skins[s].joint_count;
    return 1 + joints + state->limbs.count * (ARC_TEXELS + LIMBERI_HOSE_BONES * BONE_TEXELS);
}

static float* put_texel(float* out, limber_vec3 v, float w) {
    limberi_store3(out, v);
    out[3] = w;
    return out + 4;
}

static float* put_arc(const limberi_hose_arc* arc, float gain, float* out) {
    out = put_texel(out, arc->root, arc->length);
    out = put_texel(out, arc->chord, arc->half_angle);
    out = put_texel(out, arc->side, arc->share);
    out = put_texel(out, arc->plane, gain);
    out = put_texel(out, limberi_vec3(arc->turn[0], arc->turn[1], arc->tilt[0]), arc->tilt[1]);
    for (uint32_t b = 0; b < LIMBERI_HOSE_BONES; b++) {
        const limberi_hose_bone_place* bone = &arc->bones[b];
        const float offset[3] = {bone->offset.x, bone->offset.y, bone->offset.z};
        for (int r = 0; r < 3; r++)
            out = put_texel(out, bone->rows[r], offset[r]);
    }
    return out;
}

// The column; for each joint of all skins where its arc and its bone start, counted from here, -1: none; the arcs.
static uint32_t put_bend(const limber_deformer* d, uint32_t slot, int column, float scale, float* out) {
    const hose_state* state = d->states[slot];
    uint32_t arcs = bend_texels(d, slot) - state->limbs.count * (ARC_TEXELS + LIMBERI_HOSE_BONES * BONE_TEXELS);
    float constant = d->plans[slot].formula[LIMBERI_LINEAR] ? 1 : d->frame.constants[slot].v[LIMBERI_VALUE_LINEAR][0];
    float* to = put_texel(out, limberi_vec3((float)column, 0, 0), 0);
    for (uint32_t s = 0; s < d->model->skin_count; s++)
        for (uint32_t k = 0; k < d->model->skins[s].joint_count; k++) {
            limberi_hose_bone of = state->limbs.of_joint[d->model->skins[s].joints[k]];
            bool bends = of.limb >= 0 && state->arcs[of.limb].share > 0;
            uint32_t arc = arcs + (bends ? (uint32_t)of.limb : 0) * (ARC_TEXELS + LIMBERI_HOSE_BONES * BONE_TEXELS);
            uint32_t bone = arc + ARC_TEXELS + of.bone * BONE_TEXELS;
            to = put_texel(to, limberi_vec3(bends ? (float)arc : -1, (float)bone, 0), 0);
        }
    for (uint32_t l = 0; l < state->limbs.count; l++)
        to = put_arc(&state->arcs[l], scale * constant * limb_gain(d, slot, &state->limbs.limbs[l]), to);
    return bend_texels(d, slot);
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
    .parts = 1u << LIMBERI_LINEAR,
    .affine_part = LIMBERI_NO_PART,
    .constant_affine_part = LIMBERI_NO_PART,
    .prepare = LIMBERI_SCALAR(prepare),
    .begin = LIMBERI_SCALAR(begin),
    .bend = LIMBERI_SCALAR(bend),
    .gpu = {.bend_texels = LIMBERI_SCALAR(bend_texels), .put_bend = LIMBERI_SCALAR(put_bend)},
    .advice = {.strength = "gain"},
    .keys = keys,
    .key_count = sizeof keys / sizeof *keys,
    .joint_keys = joint_keys,
    .joint_key_count = sizeof joint_keys / sizeof *joint_keys,
    .sections = LIMBERI_TEXTS(sections),
    .section_count = sizeof sections / sizeof *sections,
};
