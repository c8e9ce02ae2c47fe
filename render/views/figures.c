// Bones, arrows and paths.
#include "base/math.h"
#include "render/views/views_private.h"
#include <limber/stages/motion.h>

#include <stdlib.h>

static limber_vec3 joint_place(const limber_pose* pose, uint32_t joint) {
    return limberi_mat4_translation(&pose->world_from_joint[joint]);
}

static void add_bone(limberi_views* v, limber_vec3 from, limber_vec3 to) {
    float usual = 0.022f * v->model->size;
    float short_one = 0.2f * limberi_distance(to, from);
    limberi_shapes_bone(&v->shapes, from, to, usual < short_one ? usual : short_one);
}

void limberi_view_skeleton(limberi_views* v, const limber_pose* pose) {
    const limber_rig* rig = &v->model->rig;
    float radius = 0.0085f * v->model->size;
    limberi_shapes_pen(&v->shapes, limberi_view_bone, 1.0f, 0.9f);
    for (uint32_t j = 0; j < rig->joint_count; j++) {
        int32_t parent = rig->parents[j];
        // Nodes above the skeleton say where it stands, which is no bone.
        if (parent >= 0 && v->bears_skin[parent])
            add_bone(v, joint_place(pose, (uint32_t)parent), joint_place(pose, j));
        // A bone without children ends as far behind the middle of its skin as it begins before it.
        if (v->bears_skin[j] && !v->has_child[j])
            add_bone(v, joint_place(pose, j),
                     limberi_mat4_point(&pose->world_from_joint[j], limberi_scale(rig->centroid[j], 2.0f)));
    }
    limberi_shapes_pen(&v->shapes, limberi_view_joint, 1.0f, 0.9f);
    for (uint32_t j = 0; j < rig->joint_count; j++) {
        limber_vec3 at = joint_place(pose, j);
        limber_vec3 from = rig->parents[j] < 0 ? at : joint_place(pose, (uint32_t)rig->parents[j]);
        float bone = limberi_distance(at, from);
        float small = 0.16f * bone; // fingers
        if (v->bears_skin[j])
            limberi_shapes_ball(&v->shapes, at, bone > 0.0f && small < radius ? small : radius);
    }
}

// The bone as it sticks out of the turning axis: its tip is what the eye follows.
static limber_vec3 arm_of(const limberi_views* v, const limber_pose* pose, uint32_t joint, limber_vec3 axis) {
    const limber_rig* rig = &v->model->rig;
    float size = v->model->size;
    limber_vec3 bone = limberi_mat4_vector(&pose->world_from_joint[joint], rig->bone_direction[joint]);
    limber_vec3 out = limberi_sub(bone, limberi_scale(axis, limberi_dot(axis, bone)));
    if (!(limberi_length(out) > 0.05f * limberi_length(bone))) // it spins about itself
        out = limberi_cross(axis, fabsf(axis.y) < 0.8f ? limberi_vec3(0, 1, 0) : limberi_vec3(1, 0, 0));
    limber_vec3 middle = limberi_mat4_point(&pose->world_from_joint[joint], rig->centroid[joint]);
    float reach = limberi_distance(middle, joint_place(pose, joint));
    reach = fminf(fmaxf(reach, 0.05f * size), 0.2f * size);
    return limberi_scale(limberi_normalize(out), reach);
}

// Arrows of one moment of the joints: straight ones and turning ones.
typedef struct arrows {
    const limber_vec3 *ways, *turns; // [joint]
    const uint8_t *way_color, *turn_color;
    float span; // what the vectors are multiplied by
} arrows;

static void add_arrows(limberi_views* v, const limber_pose* pose, const arrows* a) {
    const float radius = 0.0065f * v->model->size;
    const float shortest = 0.02f * v->model->size;
    const float min_rad = 0.15f;
    const float max_rad = 5.2f;
    for (uint32_t j = 0; j < v->model->rig.joint_count; j++) {
        limber_vec3 at = joint_place(pose, j);
        limber_vec3 way = limberi_scale(a->ways[j], a->span);
        limberi_shapes_pen(&v->shapes, a->way_color, 1.0f, 0.9f);
        if (limberi_length(way) > shortest)
            limberi_shapes_arrow(&v->shapes, at, limberi_add(at, way), radius);
        float angle = limberi_length(a->turns[j]) * a->span;
        limber_vec3 axis = limberi_normalize(a->turns[j]);
        limberi_shapes_pen(&v->shapes, a->turn_color, 1.0f, 0.9f);
        if (angle > min_rad)
            limberi_shapes_turn(&v->shapes, at, axis, arm_of(v, pose, j, axis), angle < max_rad ? angle : max_rad,
                                radius);
    }
}

void limberi_view_motion(limberi_views* v, const limber_pose* pose, const limber_kinematics* motion) {
    const arrows all = {motion->velocity, motion->angular_velocity, limberi_view_velocity, limberi_view_spin,
                        LIMBERI_VELOCITY_SPAN_S};
    add_arrows(v, pose, &all);
}

// The velocity that is gained in the time of the arrows, as an arrow of velocity.
void limberi_view_accelerations(limberi_views* v, const limber_pose* pose, const limber_kinematics* motion) {
    const arrows all = {motion->acceleration, motion->angular_acceleration, limberi_view_acceleration,
                        limberi_view_spin_up, LIMBERI_VELOCITY_SPAN_S * LIMBERI_VELOCITY_SPAN_S};
    add_arrows(v, pose, &all);
}

// Squared distances to what was chosen so far; negative: not to be chosen.
static void measure_distances(const float* rest, limber_vec3 from, bool first, float* nearest2, uint32_t count) {
    for (uint32_t i = 0; i < count; i++) {
        limber_vec3 d = limberi_sub(limberi_load3(rest + 3 * (size_t)i), from);
        float d2 = limberi_dot(d, d);
        if (nearest2[i] >= 0.0f && (first || d2 < nearest2[i]))
            nearest2[i] = d2;
    }
}

static void choose(limberi_views* v, float* rest, float* nearest2) {
    const limber_model* model = v->model;
    limberi_trails* t = &v->trails;
    const float apart = 0.15f * model->size;
    for (uint32_t m = 0; m < model->mesh_count; m++) {
        const limber_mesh* mesh = &model->meshes[m];
        limber_mesh_rest_positions(model, mesh, rest + 3 * (size_t)mesh->first_vertex);
        for (uint32_t i = 0; i < mesh->vertex_count; i++)
            nearest2[mesh->first_vertex + i] = mesh->scenery ? -1.0f : 0.0f; // scenery goes nowhere
    }
    measure_distances(rest, limberi_scale(limberi_add(model->rest_min, model->rest_max), 0.5f), true, nearest2,
                      model->vertex_count);
    while (model->vertex_count && t->count < LIMBERI_TRAILS) {
        uint32_t next = 0;
        for (uint32_t i = 1; i < model->vertex_count; i++)
            next = nearest2[i] > nearest2[next] ? i : next; // the farthest
        if (!(nearest2[next] > (t->count ? apart * apart : 0.0f)))
            break;
        measure_distances(rest, limberi_load3(rest + 3 * (size_t)next), t->count == 0, nearest2, model->vertex_count);
        t->vertex[t->count++] = next;
    }
}

// Without memory there are no paths; the views that matter more are drawn all the same.
void limberi_trails_choose(limberi_views* v) {
    float* rest = malloc(3 * ((size_t)v->model->vertex_count + 1) * sizeof *rest);
    float* nearest2 = malloc(((size_t)v->model->vertex_count + 1) * sizeof *nearest2);
    if (rest && nearest2)
        choose(v, rest, nearest2);
    free(rest);
    free(nearest2);
}

// One side of a path, from the current moment outwards, thinner with time.
static void add_side(limberi_views* v, const limber_vec3* points, int32_t from, int32_t to, float radius) {
    limber_vec3 along[LIMBERI_TRAIL_FRAMES + 1];
    float radii[LIMBERI_TRAIL_FRAMES + 1];
    uint32_t count = 0;
    int32_t step = to >= from ? 1 : -1;
    for (int32_t i = from; i != to + step; i += step) {
        along[count] = points[i];
        radii[count] = radius * (1.0f - 0.85f * (float)count / LIMBERI_TRAIL_FRAMES);
        count++;
    }
    limberi_shapes_path(&v->shapes, along, radii, count);
}

static float path_length(const limber_vec3* points, int32_t first, int32_t last) {
    float length = 0.0f;
    for (int32_t k = first; k < last; k++)
        length += limberi_distance(points[k + 1], points[k]);
    return length;
}

static float largest_distance(const limber_vec3* a, const limber_vec3* b, int32_t first, int32_t last) {
    float largest = 0.0f;
    for (int32_t k = first; k <= last; k++)
        largest = fmaxf(largest, limberi_distance(a[k], b[k]));
    return largest;
}

void limberi_view_trails(limberi_views* v) {
    limberi_trails* t = &v->trails;
    const float radius = 0.0075f * v->model->size;
    const float visible = 0.01f * v->model->size;
    int32_t now = LIMBERI_TRAIL_FRAMES;
    int32_t first = (int32_t)t->first;
    int32_t last = (int32_t)t->last;
    t->styled_differs = false;
    for (uint32_t i = 0; i < t->count; i++) {
        if (path_length(t->styled[i], first, last) < 4.0f * visible)
            continue; // it stands still
        if (largest_distance(t->styled[i], t->plain[i], first, last) > visible) {
            t->styled_differs = true;
            limberi_shapes_pen(&v->shapes, limberi_view_plain, 1.0f, 0.3f);
            add_side(v, t->plain[i], now, first, 0.45f * radius);
            add_side(v, t->plain[i], now, last, 0.45f * radius);
        }
        limberi_shapes_pen(&v->shapes, limberi_view_past, 1.0f, 0.4f);
        add_side(v, t->styled[i], now, first, radius);
        limberi_shapes_pen(&v->shapes, limberi_view_future, 1.0f, 0.4f);
        add_side(v, t->styled[i], now, last, radius);
        limberi_shapes_pen(&v->shapes, limberi_view_joint, 1.0f, 0.9f);
        limberi_shapes_ball(&v->shapes, t->styled[i][now], 1.5f * radius);
    }
}
