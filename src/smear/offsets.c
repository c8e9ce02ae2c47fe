// Motion offsets: J. Basset, P. Bénard, P. Barla, "SMEAR: Stylized Motion Exaggeration with ARt-direction", 2024,
// equations 1 to 9 with the corrections in docs/references.md.
//
// The direction of motion along a bone turns from that of its root to that of its tip. With m half way between the two
// and e across it in their plane, it is v(u) = cos(a) m + sin(a) e at the angle a = (u - 1/2) w. The ribbon's normal is
// v without its part along the bone b, so its square is 1 - (v.b)^2, which is the collinearity weight itself:
//
//     (p - c).n = cos(a) A + sin(a) B        with A, B the products of p - c with m and e, both without b
//     delta     = (p - c).n / |n|            weight * delta = (p - c).n |n|
//
// so that a vertex costs one square root and two short polynomials.
#include "smear/smear_private.h"

#include <string.h>

enum { BLOCK = 64 };

static const float opposite_rad = 2.9f; // directions further apart than this reverse instead of turning
static const float slow_part = 0.6f; // steady: where a bone is slower than this part of its fastest end, offsets fade
static const float slow_bone = 0.2f; // L in 1/24 s, steady: offsets of slower bones fade, or would drop in a stop
static const float tiny = 1e-12f;    // square of a vector that rounding left where there is none

// STEADY: the velocities of root and tip, blended linearly, as they are along a rigid bone.
typedef enum motion_kind { STILL, SIMPLE, TURNING, REVERSED, STEADY } motion_kind;

typedef struct bone_motion {
    motion_kind kind;
    limber_vec3 origin;
    limber_vec3 along; // bone direction over its length
    float angle;       // between the directions of motion
    // Without the bone's part. TURNING: m and e; REVERSED: directions of root and tip; STEADY: their velocities over
    // the larger. SIMPLE: the direction.
    limber_vec3 a, b;
    float aa, ab, bb;     // products of the two: |n| must come from what (p - c).n comes from, or rounding blows it up
    float cosine;         // REVERSED: between the directions of motion
    limber_vec3 whole[2]; // STEADY: a and b with the bone's part
    float steady;         // STEADY: how much the offsets count: a bone that turns back is still for a moment
} bone_motion;

// The direction of a step, or 0 when there is none.
static limber_vec3 direction_of(limber_vec3 from, limber_vec3 to, float size) {
    limber_vec3 step = limberi_sub(to, from);
    return limberi_length(step) > LIMBERI_STILL * size ? limberi_normalize(step) : limberi_vec3(0, 0, 0);
}

static limber_vec3 without(limber_vec3 v, limber_vec3 direction) {
    return limberi_sub(v, limberi_scale(direction, limberi_dot(v, direction)));
}

static void set_directions(bone_motion* motion, limber_vec3 bone, limber_vec3 a, limber_vec3 b) {
    motion->a = without(a, bone);
    motion->b = without(b, bone);
    motion->aa = limberi_dot(motion->a, motion->a);
    motion->ab = limberi_dot(motion->a, motion->b);
    motion->bb = limberi_dot(motion->b, motion->b);
}

static void set_steady(bone_motion* motion, const limber_smear_bone* from, const limber_smear_bone* to,
                       limber_vec3 bone, float size) {
    limber_vec3 root = limberi_sub(to->root, from->root);
    limber_vec3 tip = limberi_sub(to->tip, from->tip);
    float fastest = fmaxf(limberi_length(root), limberi_length(tip));
    if (!(fastest > LIMBERI_STILL * size))
        return;
    motion->kind = STEADY;
    motion->steady = limberi_smoothstep(fastest / (slow_bone * size));
    motion->whole[0] = limberi_scale(root, 1 / fastest);
    motion->whole[1] = limberi_scale(tip, 1 / fastest);
    set_directions(motion, bone, motion->whole[0], motion->whole[1]);
}

static bone_motion motion_of(const limber_smearer* s, const limber_smear_bone* at, const limber_smear_bone* from,
                             const limber_smear_bone* to) {
    float size = s->size;
    limber_vec3 bone = limberi_sub(at->tip, at->root);
    float length = limberi_length(bone);
    bone_motion motion;
    memset(&motion, 0, sizeof motion);
    if (!(length > LIMBERI_SHORT_BONE * size)) {
        motion.a = direction_of(from->centroid, to->centroid, size);
        motion.kind = limberi_is_zero(motion.a) ? STILL : SIMPLE;
        motion.origin = at->centroid;
        return motion;
    }
    motion.origin = at->root;
    bone = limberi_scale(bone, 1 / length);
    motion.along = limberi_scale(bone, 1 / length);
    if (s->settings.steady_offsets) {
        set_steady(&motion, from, to, bone, size);
        return motion;
    }
    limber_vec3 root = direction_of(from->root, to->root, size);
    limber_vec3 tip = direction_of(from->tip, to->tip, size);
    root = limberi_is_zero(root) ? tip : root;
    tip = limberi_is_zero(tip) ? root : tip;
    if (limberi_is_zero(root))
        return motion;
    limber_vec3 across = limberi_sub(tip, root);
    // The half angle by its sine: exact for small angles, where the cosine says nothing.
    float half = 0.5f * limberi_length(across);
    motion.angle = 2 * asinf(half < 1 ? half : 1);
    if (motion.angle > opposite_rad) {
        motion.kind = REVERSED;
        motion.cosine = limberi_dot(root, tip);
        set_directions(&motion, bone, root, tip);
    } else {
        motion.kind = TURNING;
        set_directions(&motion, bone, limberi_normalize(limberi_add(root, tip)), limberi_normalize(across));
    }
    return motion;
}

void limberi_smear_bone_rows(const limber_smearer* s, const limber_smear_bone* at, const limber_smear_bone* from,
                             const limber_smear_bone* to, float* rows) {
    for (uint32_t j = 0; j < s->model->rig.joint_count; j++, rows += LIMBERI_BONE_NUMBERS) {
        bone_motion m;
        memset(&m, 0, sizeof m);
        if (s->bones.first[j] < s->bones.first[j + 1])
            m = motion_of(s, &at[j], &from[j], &to[j]);
        const float row[LIMBERI_BONE_NUMBERS] = {(float)m.kind, m.angle,    m.cosine,   0,    //
                                                 m.origin.x,    m.origin.y, m.origin.z, 0,    //
                                                 m.along.x,     m.along.y,  m.along.z,  m.aa, //
                                                 m.a.x,         m.a.y,      m.a.z,      m.ab, //
                                                 m.b.x,         m.b.y,      m.b.z,      m.bb};
        memcpy(rows, row, sizeof row);
    }
}

// --- kernels: `count` vertices of a bone; x, y, z from its origin ---

typedef struct places {
    float x[BLOCK], y[BLOCK], z[BLOCK];
} places;

static void gather_places(places* out, const float* positions, const uint32_t* vertices, uint32_t count,
                          limber_vec3 origin) {
    for (uint32_t i = 0; i < count; i++) {
        const float* p = positions + 3 * (size_t)vertices[i];
        out->x[i] = p[0] - origin.x;
        out->y[i] = p[1] - origin.y;
        out->z[i] = p[2] - origin.z;
    }
}

// SMEAR, eq. 3
static void find_along(const places* restrict p, limber_vec3 along, uint32_t count, float* restrict u) {
    for (uint32_t i = 0; i < count; i++) {
        float t = p->x[i] * along.x + p->y[i] * along.y + p->z[i] * along.z;
        float cut = 0.5f * (fabsf(t) - fabsf(t - 1) + 1); // to 0 ... 1, without the branch that compilers see in it
        u[i] = cut * cut * (3 - 2 * cut);
    }
}

// Taylor series, within 3e-8 for |a| up to half of `opposite_rad`.
static inline float sine(float a) {
    float s = a * a;
    return a *
           (1 + s * (-1 / 6.0f + s * (1 / 120.0f + s * (-1 / 5040.0f + s * (1 / 362880.0f - s * (1 / 39916800.0f))))));
}

static inline float cosine(float a) {
    float s = a * a;
    return 1 + s * (-1 / 2.0f +
                    s * (1 / 24.0f +
                         s * (-1 / 720.0f + s * (1 / 40320.0f + s * (-1 / 3628800.0f + s * (1 / 479001600.0f))))));
}

static void turning(const bone_motion* restrict m, const places* restrict p, uint32_t count, const float* restrict u,
                    float* restrict delta, float* restrict value) {
    const limber_vec3 a = m->a;
    const limber_vec3 b = m->b;
    const float angle = m->angle;
    const float aa = m->aa;
    const float ab = m->ab;
    const float bb = m->bb;
    for (uint32_t i = 0; i < count; i++) {
        float turned = (u[i] - 0.5f) * angle;
        float c = cosine(turned);
        float s = sine(turned);
        float raw =
            c * (p->x[i] * a.x + p->y[i] * a.y + p->z[i] * a.z) + s * (p->x[i] * b.x + p->y[i] * b.y + p->z[i] * b.z);
        float square = c * c * aa + 2 * c * s * ab + s * s * bb;
        float length = sqrtf(square > tiny ? square : tiny); // then raw is nothing, too
        delta[i] = raw / length;
        value[i] = raw * length;
    }
}

static void reversed(const bone_motion* m, const places* p, uint32_t count, const float* u, float* delta,
                     float* value) {
    for (uint32_t i = 0; i < count; i++) {
        limber_vec3 q = limberi_vec3(p->x[i], p->y[i], p->z[i]);
        float t = u[i];
        float s = 1 - t;
        float raw = s * limberi_dot(q, m->a) + t * limberi_dot(q, m->b);
        float whole = s * s + t * t + 2 * s * t * m->cosine;              // |v|^2
        float across = s * s * m->aa + 2 * s * t * m->ab + t * t * m->bb; // |n|^2
        bool some = whole > tiny && across > tiny;
        delta[i] = some ? raw / sqrtf(across) : 0;
        value[i] = some ? raw * sqrtf(across / whole) : 0;
    }
}

// As the collinearity weight, the offset fades where the bone hardly moves: about the pivot of a turning baton.
static void steady(const bone_motion* m, const places* p, uint32_t count, const float* u, float* delta, float* value) {
    limber_vec3 bone = limberi_normalize(m->along);
    for (uint32_t i = 0; i < count; i++) {
        limber_vec3 q = limberi_vec3(p->x[i], p->y[i], p->z[i]);
        float t = u[i];
        float s = 1 - t;
        limber_vec3 v = limberi_lerp(m->whole[0], m->whole[1], t);
        float raw = s * limberi_dot(q, m->a) + t * limberi_dot(q, m->b);
        float whole = limberi_dot(v, v);
        float across = s * s * m->aa + 2 * s * t * m->ab + t * t * m->bb;
        bool some = whole > tiny && across > tiny;
        float fade = m->steady * limberi_smoothstep(sqrtf(whole) / slow_part);
        // The size that offsets are measured by, too: that of the part along the motion, and where it slides along
        // the bone, whose direction across it says nothing, from the bone.
        float off = limberi_dot(q, bone);
        float slides = some ? 1 - fminf(across / whole, 1) : 1;
        float distance = fmaxf(limberi_dot(q, q) - off * off, 0);
        delta[i] = sqrtf(slides * distance + (some ? (1 - slides) * raw * raw / across : 0));
        value[i] = some ? raw * sqrtf(across) / whole * fade : 0;
    }
}

static void simple(const bone_motion* m, const places* p, uint32_t count, float* delta, float* value) {
    for (uint32_t i = 0; i < count; i++)
        delta[i] = value[i] = p->x[i] * m->a.x + p->y[i] * m->a.y + p->z[i] * m->a.z;
}

static void measure(const bone_motion* m, const places* p, uint32_t count, float* along, float* delta, float* value) {
    find_along(p, m->along, count, along);
    if (m->kind == TURNING)
        turning(m, p, count, along, delta, value);
    else if (m->kind == REVERSED)
        reversed(m, p, count, along, delta, value);
    else
        steady(m, p, count, along, delta, value);
}

static void measure_bone(limber_smearer* s, uint32_t joint, const bone_motion* m, const float* positions) {
    const limberi_smear_bones* b = &s->bones;
    places p;
    for (uint32_t i = b->first[joint]; i < b->first[joint + 1]; i += BLOCK) {
        uint32_t left = b->first[joint + 1] - i;
        uint32_t count = left < BLOCK ? left : BLOCK;
        gather_places(&p, positions, b->vertex + i, count, m->origin);
        if (m->kind == SIMPLE)
            simple(m, &p, count, s->delta + i, s->value + i);
        else
            measure(m, &p, count, s->along + i, s->delta + i, s->value + i);
    }
}

// Without their sign, the bits of floats are ordered like the floats, and integers have a maximum that vectorises.
static float largest(const float* values, uint32_t count) {
    uint32_t max = 0;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t bits;
        memcpy(&bits, values + i, sizeof bits);
        bits &= 0x7fffffffu;
        max = bits > max ? bits : max;
    }
    float size;
    memcpy(&size, &max, sizeof size);
    return size;
}

// --- the whole skeleton ---

typedef struct limberi_bone_sizes {
    float own, root, tip; // largest offsets: of the bone, around its root, around its tip (docs/references.md)
    float family;         // largest own of a joint and its children
    bone_motion motion;
} bone_sizes;

static void find_sizes(limber_smearer* s, bone_sizes* sizes) {
    uint32_t joints = s->model->rig.joint_count;
    const int32_t* parent = s->bones.parent;
    for (uint32_t j = 0; j < joints; j++)
        sizes[j].family = sizes[j].own;
    for (uint32_t j = 0; j < joints; j++)
        if (parent[j] >= 0)
            sizes[parent[j]].family = fmaxf(sizes[parent[j]].family, sizes[j].own);
    for (uint32_t j = 0; j < joints; j++) {
        bool simple = sizes[j].motion.kind == SIMPLE;
        sizes[j].root = simple || parent[j] < 0 ? sizes[j].own : sizes[parent[j]].family;
        sizes[j].tip = simple ? sizes[j].own : sizes[j].family;
    }
}

// The largest offset by the motion of one bone among the vertices of another.
static float largest_by(const limber_smearer* s, const bone_motion* m, uint32_t of, const float* positions) {
    const limberi_smear_bones* b = &s->bones;
    float along[BLOCK], delta[BLOCK], value[BLOCK];
    float max = 0;
    places p;
    for (uint32_t i = b->first[of]; i < b->first[of + 1]; i += BLOCK) {
        uint32_t left = b->first[of + 1] - i;
        uint32_t count = left < BLOCK ? left : BLOCK;
        gather_places(&p, positions, b->vertex + i, count, m->origin);
        measure(m, &p, count, along, delta, value);
        max = fmaxf(max, largest(delta, count));
    }
    return max;
}

// SMEAR, eq. 9, as printed: what is around the root counts at the tip, and the other way round.
static void find_printed_sizes(const limber_smearer* s, const float* positions, bone_sizes* sizes) {
    const int32_t* parent = s->bones.parent;
    for (uint32_t j = 0; j < s->model->rig.joint_count; j++) {
        const bone_motion* m = &sizes[j].motion;
        if (m->kind == STILL || m->kind == SIMPLE)
            continue;
        sizes[j].root = sizes[j].tip = largest_by(s, m, j, positions);
        for (uint32_t k = 0; k < s->model->rig.joint_count; k++) {
            bool beside = parent[j] >= 0 && (parent[k] == parent[j] || (int32_t)k == parent[j]);
            if (beside)
                sizes[j].tip = fmaxf(sizes[j].tip, largest_by(s, m, k, positions));
            if (parent[k] == (int32_t)j)
                sizes[j].root = fmaxf(sizes[j].root, largest_by(s, m, k, positions));
        }
    }
}

// SMEAR, eq. 7 and 8: the part of each offset that this bone gives.
static void scale_values(const bone_sizes* size, float min, uint32_t count, const float* restrict u,
                         const float* restrict value, const float* restrict weight, float* restrict out) {
    const float root = size->root;
    const float more = size->tip - size->root;
    for (uint32_t i = 0; i < count; i++) {
        float max = root + u[i] * more;
        max = max > min ? max : min;
        out[i] = weight[i] * value[i] / max;
    }
}

static void add_bone(const limber_smearer* s, uint32_t joint, const bone_sizes* size, float* offsets) {
    const limberi_smear_bones* b = &s->bones;
    float scaled[BLOCK];
    for (uint32_t i = b->first[joint]; i < b->first[joint + 1]; i += BLOCK) {
        uint32_t left = b->first[joint + 1] - i;
        uint32_t count = left < BLOCK ? left : BLOCK;
        scale_values(size, LIMBERI_FLAT * s->size, count, s->along + i, s->value + i, b->weight + i, scaled);
        for (uint32_t k = 0; k < count; k++)
            offsets[b->vertex[i + k]] += scaled[k];
    }
}

static void articulated(limber_smearer* s, const limber_smear_frame* at, const limber_smear_frame* from,
                        const limber_smear_frame* to, float* offsets) {
    uint32_t joints = s->model->rig.joint_count;
    bone_sizes* sizes = s->sizes;
    for (uint32_t j = 0; j < joints; j++) {
        const limberi_smear_bones* b = &s->bones;
        sizes[j].own = 0;
        sizes[j].motion.kind = STILL;
        if (b->first[j] == b->first[j + 1])
            continue;
        sizes[j].motion = motion_of(s, &at->bones[j], &from->bones[j], &to->bones[j]);
        if (sizes[j].motion.kind == STILL)
            continue;
        measure_bone(s, j, &sizes[j].motion, at->positions);
        sizes[j].own = largest(s->delta + b->first[j], b->strong[j]);
    }
    find_sizes(s, sizes);
    if (s->settings.printed_sizes)
        find_printed_sizes(s, at->positions, sizes);
    for (uint32_t j = 0; j < joints; j++)
        if (sizes[j].motion.kind != STILL)
            add_bone(s, j, &sizes[j], offsets);
    for (uint32_t u = 0; !s->settings.printed_sizes && u < s->model->vertex_count; u++) {
        float x = offsets[u] < 1 ? offsets[u] : 1;
        offsets[u] = x > -1 ? x : -1;
    }
}

// --- one object ---

// Of some of the meshes.
static limber_vec3 center_of(const limber_smearer* s, const float* positions, uint32_t first, uint32_t end) {
    double area[4] = {0, 0, 0, 0};
    double plain[4] = {0, 0, 0, 0};
    for (uint32_t m = first; m < end; m++) {
        const limber_mesh* mesh = &s->model->meshes[m];
        const float* p = positions + 3 * (size_t)mesh->first_vertex;
        for (size_t u = 0; u < mesh->vertex_count && !limberi_smear_skips(s, mesh); u++)
            for (size_t c = 0; c < 4; c++) {
                double x = c < 3 ? (double)p[3 * u + c] : 1;
                area[c] += (double)mesh->areas[u] * x;
                plain[c] += x;
            }
    }
    const double* sum = area[3] > 0 ? area : plain;
    double scale = sum[3] > 0 ? 1 / sum[3] : 0;
    return limberi_vec3((float)(sum[0] * scale), (float)(sum[1] * scale), (float)(sum[2] * scale));
}

// SMEAR, eq. 1, for some of the meshes as one object.
static void one_object(limber_smearer* s, const limber_smear_frame* at, const limber_smear_frame* from,
                       const limber_smear_frame* to, uint32_t first, uint32_t end, float* offsets) {
    limber_vec3 before = center_of(s, from->positions, first, end);
    limber_vec3 after = center_of(s, to->positions, first, end);
    limber_vec3 center = at->positions == from->positions ? before : after;
    before = limberi_smear_filter_point(s, at, from, center, before);
    after = limberi_smear_filter_point(s, at, to, center, after);
    limber_vec3 direction = direction_of(before, after, s->size);
    float max = LIMBERI_FLAT * s->size;
    for (uint32_t m = first; !limberi_is_zero(direction) && m < end; m++) {
        const limber_mesh* mesh = &s->model->meshes[m];
        if (limberi_smear_skips(s, mesh))
            continue;
        for (size_t u = mesh->first_vertex; u < (size_t)mesh->first_vertex + mesh->vertex_count; u++)
            offsets[u] = limberi_dot(limberi_sub(limberi_load3(at->positions + 3 * u), center), direction);
        max = fmaxf(max, largest(offsets + mesh->first_vertex, mesh->vertex_count));
    }
    for (uint32_t m = first; m < end; m++)
        for (uint32_t u = 0; u < s->model->meshes[m].vertex_count; u++)
            offsets[s->model->meshes[m].first_vertex + u] /= max;
}

// SMEAR, section 3: any animated mesh. Where no bone moves, what morph targets move goes the way of its centroid.
static void morphed(limber_smearer* s, const limber_smear_frame* at, const limber_smear_frame* from,
                    const limber_smear_frame* to, float* offsets) {
    for (uint32_t j = 0; j < s->model->rig.joint_count; j++)
        if (s->sizes[j].motion.kind != STILL)
            return;
    for (uint32_t m = 0; m < s->model->mesh_count; m++)
        if (s->model->meshes[m].morph_count)
            one_object(s, at, from, to, m, m + 1, offsets);
}

limber_result limberi_smear_prepare_offsets(limber_smearer* s) {
    s->sizes = LIMBERI_ALLOCATE(&s->arena, bone_sizes, s->model->rig.joint_count);
    return s->sizes ? LIMBER_OK : LIMBER_ERROR_MEMORY;
}

void limber_smearer_offsets(limber_smearer* s, const limber_smear_frame* at, const limber_smear_frame* from,
                            const limber_smear_frame* to, float* offsets) {
    limber_smear_frame moved[2] = {*from, *to};
    for (uint32_t i = 0; s->settings.motion.part != LIMBER_SMEAR_MOTION_ALL && i < 2; i++) {
        limber_smear_bone* bones = s->moved_bones + (size_t)i * s->model->rig.joint_count;
        limberi_smear_filter_bones(s, at, i ? to : from, bones);
        moved[i].bones = bones;
    }
    memset(offsets, 0, s->model->vertex_count * sizeof *offsets);
    if (!s->settings.offsets.skeleton) {
        one_object(s, at, from, to, 0, s->model->mesh_count, offsets);
        return;
    }
    articulated(s, at, &moved[0], &moved[1], offsets);
    if (s->model->morph_count && from->positions && to->positions)
        morphed(s, at, from, to, offsets);
}

void limberi_smear_smooth(const float* const* offsets, uint32_t n, uint32_t vertex_count, float* out) {
    float sum = 0;
    memset(out, 0, vertex_count * sizeof *out);
    for (uint32_t i = 0; i <= 2 * n; i++) {
        float x = ((float)i - (float)n) / (float)(n + 1);
        float weight = (1 - x * x) * (1 - x * x);
        const float* in = offsets[i];
        for (uint32_t u = 0; u < vertex_count; u++)
            out[u] += weight * in[u];
        sum += weight;
    }
    for (uint32_t u = 0; u < vertex_count; u++)
        out[u] /= sum; // the middle weight is 1
}
