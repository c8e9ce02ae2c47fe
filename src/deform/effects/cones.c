// Several cones of lift, each over a joint or a chain of joints (thesis, section 5.3.2: a deformation frustum whose
// height is that of the chain and whose ends are as wide as the skin there).
#include "base/build.h"
#include "base/error.h"
#include "base/memory.h"
#include "deform/deformer.h"
#include "deform/effects/cone.h"
#include "deform/effects/formulas.h"

#include <string.h>

static const char* const layer_names[LIMBER_LIFT_CONES] = {
    "lift.cone.0",  "lift.cone.1",  "lift.cone.2",  "lift.cone.3", "lift.cone.4",  "lift.cone.5",
    "lift.cone.6",  "lift.cone.7",  "lift.cone.8",  "lift.cone.9", "lift.cone.10", "lift.cone.11",
    "lift.cone.12", "lift.cone.13", "lift.cone.14", "lift.cone.15"};

static const double min_slope = 0.005; // as that of fitted cones: below this the apex is too far away

static bool is_below(const limber_rig* rig, int32_t joint, int32_t above) {
    while (joint > above)
        joint = rig->parents[joint];
    return joint == above;
}

// Whether the joint belongs to a part: below its first joint and, of a chain, not below its last.
static bool belongs(const limber_rig* rig, const limber_lift_part* part, int32_t joint) {
    return is_below(rig, joint, part->joint) && (part->to < 0 || joint == part->to || !is_below(rig, joint, part->to));
}

// The part of each joint, the deepest one; -1: none.
static int32_t owner_of(const limber_rig* rig, const limber_lift_cones* s, int32_t joint) {
    int32_t owner = -1;
    for (uint32_t c = 0; c < s->part_count; c++)
        if (belongs(rig, &s->parts[c], joint) && (owner < 0 || s->parts[c].joint > s->parts[owner].joint))
            owner = (int32_t)c;
    return owner;
}

static void add_share(limber_deformer* d, uint32_t c, const int32_t* owners, uint32_t m) {
    float* values = limberi_own_layer_add(d, m, d->cones[c].layer);
    const limber_mesh* mesh = &d->model->meshes[m];
    const uint32_t* joints = d->model->skins[mesh->skin].joints;
    for (uint32_t u = 0; values && u < mesh->vertex_count; u++)
        for (uint32_t i = mesh->influence_first[u]; i < mesh->influence_first[u + 1]; i++)
            if (owners[joints[mesh->influence_joint[i]]] == (int32_t)c)
                values[u] += mesh->influence_weight[i];
}

// --- frusta ---

// Radius against height over the vertices of a chain.
typedef struct regression {
    double n, h, hh, r, hr, rr;
} regression;

static void add_mesh(const limber_deformer* d, uint32_t c, uint32_t m, limber_vec3 from, limber_vec3 axis, float* rest,
                     regression* sums) {
    const limber_mesh* mesh = &d->model->meshes[m];
    const limber_layer* share = limber_mesh_find_layer(mesh, d->cones[c].layer);
    limber_mesh_rest_positions(d->model, mesh, rest);
    for (uint32_t u = 0; share && u < mesh->vertex_count; u++) {
        if (share->values[u] < 0.5f)
            continue;
        limber_vec3 arm = limberi_sub(limberi_load3(rest + 3 * (size_t)u), from);
        double h = (double)limberi_dot(arm, axis);
        double r = sqrt(fmax((double)limberi_dot(arm, arm) - h * h, 0));
        sums->n += 1;
        sums->h += h;
        sums->hh += h * h;
        sums->r += r;
        sums->hr += h * r;
        sums->rr += r * r;
    }
}

// rho = radius + slope h, h from the first joint on.
static void cone_of_regression(const regression* s, double length, float size, limberi_lift_cone* cone) {
    double spread = s->hh - s->h * s->h / s->n;
    double slope = spread > 0 ? (s->hr - s->h * s->r / s->n) / spread : 0;
    double radius = (s->r - slope * s->h) / s->n;
    double off = s->rr - radius * s->r - slope * s->hr; // sum of squares that are left
    double end = radius + slope * length;
    if (fabs(slope) < min_slope)
        slope = slope < 0 ? -min_slope : min_slope;
    double angle = atan(fabs(slope));
    cone->sign = slope < 0 ? -1 : 1;
    cone->along = (float)(-radius / slope);
    cone->cone.half_angle_rad = (float)angle;
    cone->cone.base_radius = (float)fmax(fmin(radius, end), 0);
    cone->residual = (float)(sqrt(fmax(off / s->n, 0)) * cos(angle)) / size;
}

// For who asks where the cone is.
static void place_at_rest(const limber_rig* rig, limber_vec3 apex, limber_vec3 way, limberi_lift_cone* cone) {
    limber_mat4 joint_from_world;
    if (!limberi_mat4_inverse(&rig->world_from_joint_rest[cone->cone.joint], &joint_from_world))
        return;
    cone->cone.apex = limberi_mat4_point(&joint_from_world, apex);
    cone->cone.axis = limberi_normalize(limberi_mat4_vector(&joint_from_world, limberi_scale(way, cone->sign)));
}

static limber_result fit_chain(limber_deformer* d, uint32_t c, limber_error* error) {
    limberi_lift_cone* cone = &d->cones[c];
    const limber_rig* rig = &d->model->rig;
    limber_vec3 from = limberi_mat4_translation(&rig->world_from_joint_rest[cone->cone.joint]);
    limber_vec3 way = limberi_sub(limberi_mat4_translation(&rig->world_from_joint_rest[cone->to]), from);
    float length = limberi_length(way);
    float* rest = limberi_allocate((3 * (size_t)d->model->vertex_count + 1) * sizeof *rest);
    regression sums = {0, 0, 0, 0, 0, 0};
    if (!rest)
        return limberi_fail_memory(error);
    for (uint32_t m = 0; length > 0 && m < d->model->mesh_count; m++)
        add_mesh(d, c, m, from, limberi_scale(way, 1 / length), rest, &sums);
    limberi_release(rest);
    if (!(length > 0) || sums.n < 12)
        return limberi_fail(error, LIMBER_ERROR_DATA,
                            length > 0 ? "the chain from '%s' to '%s' moves too few vertices to fit a cone"
                                       : "the chain from '%s' to '%s' has no length",
                            rig->names[cone->cone.joint], rig->names[cone->to]);
    cone_of_regression(&sums, (double)length, d->model->size, cone);
    place_at_rest(rig, limberi_add(from, limberi_scale(way, cone->along / length)), way, cone);
    return LIMBER_OK;
}

// --- all of them ---

static limber_result check_part(const limber_deformer* d, const limber_lift_part* part, limber_error* error) {
    const limber_rig* rig = &d->model->rig;
    int32_t count = (int32_t)rig->joint_count;
    if (part->joint < 0 || part->joint >= count || part->to >= count)
        return limberi_fail(error, LIMBER_ERROR_ARGUMENT, "a cone of lift is for a joint that is not there");
    if (part->to >= 0 && (part->to == part->joint || !is_below(rig, part->to, part->joint)))
        return limberi_fail(error, LIMBER_ERROR_DATA, "lift: joint '%s' is not below '%s', so there is no chain",
                            rig->names[part->to], rig->names[part->joint]);
    return LIMBER_OK;
}

static limber_result find_shares(limber_deformer* d, const limber_lift_cones* s) {
    int32_t* owners = LIMBERI_ALLOCATE(&d->arena, int32_t, d->model->rig.joint_count);
    for (uint32_t j = 0; owners && j < d->model->rig.joint_count; j++)
        owners[j] = owner_of(&d->model->rig, s, (int32_t)j);
    for (uint32_t c = 0; !d->arena.failed && c < d->cone_count; c++)
        for (uint32_t m = 0; m < d->model->mesh_count; m++)
            add_share(d, c, owners, m);
    return d->arena.failed ? LIMBER_ERROR_MEMORY : LIMBER_OK;
}

limber_result limberi_cones_prepare(limber_deformer* d, const limber_lift_cones* s, limber_error* error) {
    if (!LIMBERI_HAS_FITTED)
        return limberi_fail_absent(error, "fitted cones");
    limber_result result = LIMBER_OK;
    if (s->part_count > LIMBER_LIFT_CONES)
        return limberi_fail(error, LIMBER_ERROR_ARGUMENT, "lift has too many cones (%u, max %u)", s->part_count,
                            LIMBER_LIFT_CONES);
    for (uint32_t c = 0; !result && c < s->part_count; c++)
        result = check_part(d, &s->parts[c], error);
    if (result)
        return result;
    d->cones = LIMBERI_ALLOCATE(&d->arena, limberi_lift_cone, s->part_count);
    d->cone_count = d->cones ? s->part_count : 0;
    for (uint32_t c = 0; c < d->cone_count; c++) {
        d->cones[c].cone.joint = s->parts[c].joint;
        d->cones[c].to = s->parts[c].to;
        d->cones[c].layer = layer_names[c];
    }
    if (!d->cones || find_shares(d, s))
        return limberi_fail_memory(error);
    for (uint32_t c = 0; !result && c < d->cone_count; c++) {
        limberi_lift_cone* own = &d->cones[c];
        result = own->to >= 0
                     ? fit_chain(d, c, error)
                     : limberi_cone_fit(d->model, (uint32_t)own->cone.joint, &own->cone, &own->residual, error);
    }
    d->cone = d->cones[0].cone;
    d->cone_residual = d->cones[0].residual;
    return result;
}

void limberi_cones_place(limber_deformer* d, const limber_pose* pose) {
    for (uint32_t c = 0; LIMBERI_HAS_FITTED && c < d->cone_count; c++) {
        limberi_lift_cone* own = &d->cones[c];
        const limber_mat4* world = &pose->world_from_joint[own->cone.joint];
        own->cosine = cosf(own->cone.half_angle_rad);
        own->sine = sinf(own->cone.half_angle_rad);
        if (own->to < 0) {
            own->apex = limberi_mat4_point(world, own->cone.apex);
            own->axis = limberi_normalize(limberi_mat4_vector(world, own->cone.axis));
            continue;
        }
        limber_vec3 from = limberi_mat4_translation(world);
        limber_vec3 to = limberi_mat4_translation(&pose->world_from_joint[own->to]);
        limber_vec3 way = limberi_normalize(limberi_sub(to, from));
        own->apex = limberi_add(from, limberi_scale(way, own->along));
        own->axis = limberi_scale(way, own->sign);
    }
}
