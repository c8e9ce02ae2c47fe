// Capsules around bones: from a joint to the mean of its children, as thick as 70 % of the skin that hangs on the joint.
// Where the children say little about the shape (a head with a ponytail), the skin itself gives the axis. Sheets and
// shells with other skin inside of them are cloth: it obeys colliders but gets none.
#include "collide/colliders_private.h"

#include <stdlib.h>
#include <string.h>

enum { MIN_VERTICES = 8 };

static const float thick_part = 0.7f;  // of the skin is within the radius (S13)
static const float min_radius = 0.01f; // in L; thinner capsules are left out ...
static const float min_length = 0.07f; // ... and shorter ones, caps included
static const float round_part = 0.4f;  // mean cosine of normals and directions from the axis: less is cloth
static const float inside = 0.25f;     // in radii: other skin this deep ...
static const float shell = 0.15f;      // ... and more of it than this, relative to its own: it is a shell
static const float better = 0.75f;     // another axis is taken when it fits this much better than the bone

typedef struct axis {
    limber_vec3 from, to;
    float radius, residual; // mean distance of the skin from the surface
} axis;

typedef struct fitter {
    limber_colliders* c;
    const limber_rig* rig;
    float length;        // L
    const uint32_t* own; // vertices that hang on the current joint
    uint32_t own_count;
    uint32_t *first, *owned; // [joint + 1] where its vertices begin, [vertex] those of all joints
    limber_vec3* children;   // [joint] the sum of the places of its children
    uint32_t* child_count;
    float* values;        // [vertex] scratch
    limber_vec3* normals; // [vertex] rest pose, weighted by area
} fitter;

static limber_vec3 rest_of(const fitter* f, uint32_t vertex) {
    return limberi_load3(f->c->rest + 3 * (size_t)vertex);
}

static int compare(const void* a, const void* b) {
    const float* x = a;
    const float* y = b;
    return (*x > *y) - (*x < *y);
}

static float percentile(float* values, uint32_t count, float part) {
    qsort(values, count, sizeof *values, compare);
    return values[(uint32_t)(part * (float)(count - 1) + 0.5f)];
}

// --- one bone ---

static void measure_axis(const fitter* f, axis* a) {
    limber_vec3 along = limberi_sub(a->to, a->from);
    float per_square = limberi_per_square(along);
    float sum = 0;
    for (uint32_t i = 0; i < f->own_count; i++)
        f->values[i] = sqrtf(limberi_axis_nearest(a->from, along, per_square, rest_of(f, f->own[i])).square);
    a->radius = percentile(f->values, f->own_count, thick_part);
    for (uint32_t i = 0; i < f->own_count; i++)
        sum += fabsf(f->values[i] - a->radius);
    a->residual = sum / (float)f->own_count;
}

// From end to end of the skin along the line from the joint to its middle, with round ends.
static axis skin_axis(const fitter* f, limber_vec3 joint, limber_vec3 middle) {
    axis a = {joint, limberi_sub(limberi_scale(middle, 2), joint), 0, 0};
    limber_vec3 direction = limberi_normalize(limberi_sub(middle, joint));
    measure_axis(f, &a);
    for (uint32_t i = 0; i < f->own_count; i++)
        f->values[i] = limberi_dot(limberi_sub(rest_of(f, f->own[i]), joint), direction);
    float low = percentile(f->values, f->own_count, 0.05f) + a.radius;
    float high = percentile(f->values, f->own_count, 0.95f) - a.radius;
    float mean = 0.5f * (low + high);
    a.from = limberi_add(joint, limberi_scale(direction, low < mean ? low : mean));
    a.to = limberi_add(joint, limberi_scale(direction, high > mean ? high : mean));
    measure_axis(f, &a);
    return a;
}

// The bone to the mean of its children, or a capsule or sphere of the skin where that fits much better.
static axis best_axis(const fitter* f, uint32_t joint) {
    limber_vec3 from = limberi_mat4_translation(&f->rig->world_from_joint_rest[joint]);
    limber_vec3 sum = limberi_vec3(0, 0, 0);
    for (uint32_t i = 0; i < f->own_count; i++)
        sum = limberi_add(sum, rest_of(f, f->own[i]));
    limber_vec3 middle = limberi_scale(sum, 1 / (float)f->own_count);
    axis sphere = {middle, middle, 0, 0};
    axis best = skin_axis(f, from, middle);
    measure_axis(f, &sphere);
    if (sphere.residual < better * best.residual)
        best = sphere;
    uint32_t children = f->child_count[joint];
    if (!children)
        return best;
    axis bone = {from, limberi_scale(f->children[joint], 1 / (float)children), 0, 0};
    measure_axis(f, &bone);
    return best.residual < better * bone.residual ? best : bone;
}

// --- cloth ---

// The outermost skin of a limb faces away from its axis; that of a sheet, its edge, does not. Skin below it (belts,
// linings) does not count.
static bool is_sheet(const fitter* f, const axis* a) {
    limber_vec3 along = limberi_sub(a->to, a->from);
    float per_square = limberi_per_square(along);
    float sum = 0;
    float whole = 0;
    for (uint32_t i = 0; i < f->own_count; i++) {
        limberi_nearest n = limberi_axis_nearest(a->from, along, per_square, rest_of(f, f->own[i]));
        if (n.square < a->radius * a->radius)
            continue;
        limber_vec3 normal = f->normals[f->own[i]]; // as long as the area around the vertex is large
        sum += limberi_dot(limberi_normalize(n.away), normal);
        whole += limberi_length(normal);
    }
    return sum < round_part * whole;
}

// Whether skin of other joints, but for its parent and children, lies deep inside.
static bool is_shell(const fitter* f, uint32_t joint, const axis* a) {
    const limber_colliders* c = f->c;
    const int32_t* parents = f->rig->parents;
    limber_vec3 along = limberi_sub(a->to, a->from);
    float per_square = limberi_per_square(along);
    float deep = (1 - inside) * a->radius;
    uint32_t others = 0;
    for (uint32_t u = 0; u < c->model->vertex_count; u++) {
        uint32_t other = c->main[u];
        if (other == UINT32_MAX || other == joint || parents[other] == (int32_t)joint ||
            parents[joint] == (int32_t)other)
            continue;
        others += limberi_axis_nearest(a->from, along, per_square, rest_of(f, u)).square < deep * deep;
    }
    return (float)others > shell * (float)f->own_count;
}

// --- all bones ---

static void add_capsule(fitter* f, uint32_t joint, const axis* a) {
    limber_colliders* c = f->c;
    limber_mat4 joint_from_world;
    const limber_mat4* rest = &f->rig->world_from_joint_rest[joint];
    float scale = limberi_length(limberi_mat4_column(rest, 0));
    scale = fmaxf(scale, limberi_length(limberi_mat4_column(rest, 1)));
    scale = fmaxf(scale, limberi_length(limberi_mat4_column(rest, 2)));
    if (!(scale > 0) || !limberi_mat4_inverse(rest, &joint_from_world))
        return;
    limber_collider* item = &c->items[c->count];
    memset(item, 0, sizeof *item);
    item->shape = LIMBER_COLLIDER_CAPSULE;
    item->joint = (int32_t)joint;
    item->from = limberi_mat4_point(&joint_from_world, a->from);
    item->to = limberi_mat4_point(&joint_from_world, a->to);
    item->radius = a->radius / scale;
    c->fitted[c->count++] = 1;
}

static void fit_joint(fitter* f, uint32_t joint) {
    f->own = f->owned + f->first[joint];
    f->own_count = f->first[joint + 1] - f->first[joint];
    if (f->own_count < MIN_VERTICES)
        return;
    axis a = best_axis(f, joint);
    if (is_sheet(f, &a) || is_shell(f, joint, &a))
        return;
    f->c->thickness[joint] = a.radius;
    float whole = limberi_length(limberi_sub(a.to, a.from)) + 2 * a.radius;
    if (a.radius >= min_radius * f->length && whole >= min_length * f->length)
        add_capsule(f, joint, &a);
}

static void find_normals(fitter* f) {
    const limber_model* model = f->c->model;
    for (uint32_t m = 0; m < model->mesh_count; m++) {
        const limber_mesh* mesh = &model->meshes[m];
        for (uint32_t t = 0; t < mesh->triangle_count; t++) {
            uint32_t u[3];
            for (int k = 0; k < 3; k++)
                u[k] = mesh->first_vertex + mesh->triangles[3 * (size_t)t + (size_t)k];
            limber_vec3 p = rest_of(f, u[0]);
            limber_vec3 normal = limberi_cross(limberi_sub(rest_of(f, u[1]), p), limberi_sub(rest_of(f, u[2]), p));
            for (int k = 0; k < 3; k++)
                f->normals[u[k]] = limberi_add(f->normals[u[k]], normal);
        }
    }
}

// Lists vertices by their joint, and sums children by their parent.
static void list_by_joint(fitter* f) {
    const limber_rig* rig = f->rig;
    const uint32_t* main = f->c->main;
    const uint32_t vertices = f->c->model->vertex_count;
    for (uint32_t u = 0; u < vertices; u++)
        if (main[u] < rig->joint_count)
            f->first[main[u] + 1]++;
    for (uint32_t j = 0; j < rig->joint_count; j++)
        f->first[j + 1] += f->first[j];
    for (uint32_t u = vertices; u-- > 0;) // from the end, so that the starts are left in place of the ends
        if (main[u] < rig->joint_count)
            f->owned[--f->first[main[u] + 1]] = u;
    memmove(f->first, f->first + 1, rig->joint_count * sizeof *f->first);
    f->first[rig->joint_count] = 0;
    for (uint32_t u = 0; u < vertices; u++)
        f->first[rig->joint_count] += main[u] < rig->joint_count;
    for (uint32_t k = 0; k < rig->joint_count; k++) {
        int32_t parent = rig->parents[k];
        if (parent < 0)
            continue;
        f->children[parent] =
            limberi_add(f->children[parent], limberi_mat4_translation(&rig->world_from_joint_rest[k]));
        f->child_count[parent]++;
    }
}

limber_result limberi_colliders_fit(limber_colliders* c) {
    limberi_arena arena = {NULL, false};
    fitter f = {.c = c, .rig = &c->model->rig, .length = c->model->size};
    f.first = LIMBERI_ALLOCATE(&arena, uint32_t, (size_t)f.rig->joint_count + 1);
    f.owned = LIMBERI_ALLOCATE(&arena, uint32_t, c->model->vertex_count);
    f.children = LIMBERI_ALLOCATE(&arena, limber_vec3, f.rig->joint_count);
    f.child_count = LIMBERI_ALLOCATE(&arena, uint32_t, f.rig->joint_count);
    f.values = LIMBERI_ALLOCATE(&arena, float, c->model->vertex_count);
    f.normals = LIMBERI_ALLOCATE(&arena, limber_vec3, c->model->vertex_count);
    if (!arena.failed) {
        find_normals(&f);
        list_by_joint(&f);
        for (uint32_t j = 0; j < f.rig->joint_count; j++)
            fit_joint(&f, j);
    }
    limber_result result = arena.failed ? LIMBER_ERROR_MEMORY : LIMBER_OK;
    limberi_arena_free(&arena);
    return result;
}
