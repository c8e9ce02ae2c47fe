// Paths of vertices: uniform Catmull-Rom through their places in the frames (SMEAR, section 4.1), without the spin of
// joints that have it ignored (SMEAR, fig. 19).
#include "smear/smear_private.h"

#include <string.h>

// --- points on a path ---

// Weights of the steps between the four frames around the point, so that what does not move stays put to the last bit.
typedef struct step_weights {
    int32_t frame; // the point lies between this one and the next
    float before, within, after;
} step_weights;

static inline step_weights weights_at(float amount) {
    float whole = floorf(amount), t = amount - whole, half = 0.5f * t;
    step_weights w;
    w.frame = (int32_t)whole;
    w.before = half * (1 + t * (t - 2));
    w.within = half * (1 + t * (3 - 2 * t));
    w.after = half * t * (t - 1);
    return w;
}

static inline float along(float p0, float p1, float p2, float p3, const step_weights* w) {
    return p1 + (w->before * (p1 - p0) + w->within * (p2 - p1) + w->after * (p3 - p2));
}

limber_vec3 limber_smear_path(const limber_smear_frame* frames, int32_t first, int32_t last, uint32_t vertex,
                              float amount) {
    step_weights w = weights_at(fminf(fmaxf(amount, (float)first), (float)last));
    limber_vec3 p[4];
    for (int32_t k = 0; k < 4; k++) {
        int32_t frame = w.frame + k - 1;
        frame = frame < first ? first : frame > last ? last : frame;
        p[k] = limberi_load3(frames[frame - first].positions + 3 * (size_t)vertex);
    }
    return limberi_vec3(along(p[0].x, p[1].x, p[2].x, p[3].x, &w), along(p[0].y, p[1].y, p[2].y, p[3].y, &w),
                        along(p[0].z, p[1].z, p[2].z, p[3].z, &w));
}

void limberi_smear_copy(const limber_smear_frame* frames, int32_t first, float amount, size_t from, size_t count,
                        float* out) {
    step_weights w = weights_at(amount);
    const limber_smear_frame* at = frames + (w.frame - first);
    const float* p1 = at->positions + from;
    if (w.within == 0) {
        memcpy(out, p1, count * sizeof *out);
        return;
    }
    const float *p0 = at[-1].positions + from, *p2 = at[1].positions + from, *p3 = at[2].positions + from;
    for (size_t i = 0; i < count; i++)
        out[i] = along(p0[i], p1[i], p2[i], p3[i], &w);
}

// --- the character ---

static void move_vertices(const limber_smearer* s, const limber_smear_frame* frames, int32_t first, float* out) {
    for (size_t u = 0; u < s->model->vertex_count; u++) {
        step_weights w = weights_at(s->amounts[u]);
        const limber_smear_frame* at = frames + (w.frame - first);
        const float* p1 = at->positions + 3 * u;
        if (w.within == 0) { // on a frame: the neighbours may not even be there
            memcpy(out + 3 * u, p1, 3 * sizeof *out);
            continue;
        }
        const float *p0 = at[-1].positions + 3 * u, *p2 = at[1].positions + 3 * u, *p3 = at[2].positions + 3 * u;
        for (size_t c = 0; c < 3; c++)
            out[3 * u + c] = along(p0[c], p1[c], p2[c], p3[c], &w);
    }
}

static void move_points(const limber_mat4* by, float* points, size_t count) {
    for (size_t i = 0; i < count; i++)
        limberi_store3(points + 3 * i, limberi_mat4_point(by, limberi_load3(points + 3 * i)));
}

static void turn_normals(const limber_mat4* by, float* normals, size_t count) {
    for (size_t i = 0; i < count; i++)
        limberi_store3(normals + 3 * i, limberi_normalize(limberi_mat4_vector(by, limberi_load3(normals + 3 * i))));
}

// What was made in the space of a camera.
static void to_world(limber_smearer* s, const limber_mat4* world_from_space, float* positions) {
    size_t copies = 0, lines = 0;
    for (uint32_t i = 0; i < s->mesh_count; i++)
        *(i < s->multiple_count ? &copies : &lines) += s->meshes[i].vertex_count;
    move_points(world_from_space, positions, s->model->vertex_count);
    move_points(world_from_space, s->copy_positions, copies);
    turn_normals(world_from_space, s->copy_normals, copies);
    move_points(world_from_space, s->line_positions, lines);
    turn_normals(world_from_space, s->line_normals, lines);
}

void limber_smearer_run(limber_smearer* s, const limber_smear_job* job, float* positions) {
    int32_t first;
    const limber_smear_frame* frames = limberi_smear_see(s, job, &first);
    s->moved = s->elongates && (s->least != 0 || s->most != 0);
    if (s->moved)
        move_vertices(s, frames, first, positions);
    else
        memcpy(positions, job->now->positions, 3 * (size_t)s->model->vertex_count * sizeof *positions);
    limberi_smear_multiples(s, job, frames, first);
    limberi_smear_lines(s, frames, first);
    if (job->world_from_space)
        to_world(s, job->world_from_space, positions);
}

// --- spin ---

// The part of the rotation q about the unit vector `axis`.
static limber_quat twist_of(limber_quat q, limber_vec3 axis) {
    float part = q.x * axis.x + q.y * axis.y + q.z * axis.z;
    limber_quat twist = {axis.x * part, axis.y * part, axis.z * part, q.w};
    return limberi_quat_normalize(twist);
}

// What takes the spin of a joint since `now` out of `frame`: a rotation about `center`. A bone without a direction has
// no axis, so all of its rotation is spin.
static limber_quat unspin(const limber_smear_bone* now, const limber_smear_bone* frame, float size,
                          limber_vec3* center) {
    limber_vec3 axis = limberi_sub(now->tip, now->root), axis_there = limberi_sub(frame->tip, frame->root);
    limber_quat turn = limberi_quat_mul(frame->turn, limberi_quat_conj(now->turn));
    if (!(limberi_length(axis) > LIMBERI_SHORT_BONE * size)) {
        *center = frame->centroid;
        return limberi_quat_conj(turn);
    }
    *center = frame->root;
    limber_quat twist = twist_of(turn, limberi_normalize(axis));
    limber_vec3 there = limberi_normalize(axis_there);
    float part = -limberi_dot(limberi_vec3(twist.x, twist.y, twist.z), limberi_normalize(axis));
    limber_quat back = {there.x * part, there.y * part, there.z * part, twist.w};
    return limberi_quat_normalize(back);
}

void limberi_smear_despin(const limber_smearer* s, const limber_smear_frame* now, const limber_smear_frame* frame,
                          float* out) {
    const limberi_smear_bones* b = &s->bones;
    memcpy(out, frame->positions, 3 * (size_t)s->model->vertex_count * sizeof *out);
    for (uint32_t j = 0; j < s->model->rig.joint_count && frame != now; j++) {
        if (!s->settings.ignore_spin[j])
            continue;
        limber_vec3 center;
        limber_quat back = unspin(&now->bones[j], &frame->bones[j], s->size, &center);
        for (uint32_t i = b->first[j]; i < b->first[j + 1]; i++) {
            size_t at = 3 * (size_t)b->vertex[i];
            limber_vec3 arm = limberi_sub(limberi_load3(frame->positions + at), center);
            limber_vec3 change = limberi_sub(limberi_quat_rotate(back, arm), arm);
            limberi_store3(out + at, limberi_add(limberi_load3(out + at), limberi_scale(change, b->weight[i])));
        }
    }
}

const limber_smear_frame* limberi_smear_see(limber_smearer* s, const limber_smear_job* job, int32_t* first) {
    *first = s->despins ? s->reach.first : job->first;
    if (!s->despins)
        return job->frames;
    size_t numbers = 3 * (size_t)s->model->vertex_count;
    for (int32_t i = s->reach.first; i <= s->reach.last; i++) {
        limber_smear_frame* seen = &s->seen[i - s->reach.first];
        float* positions = s->despun + (size_t)(i - s->reach.first) * numbers;
        *seen = job->frames[i - job->first];
        limberi_smear_despin(s, job->now, seen, positions);
        seen->positions = positions;
    }
    return s->seen;
}
