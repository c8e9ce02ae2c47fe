// Fitting a cone to the vertices of a joint (acceleration skinning leaves it as future work). Total least squares: the
// distances of the points from the surface are minimised by damped Gauss-Newton steps from several starts.
//
// The surface is written as a radius that grows along an axis, rho = radius + tan(angle) h, with h measured from a
// point near the middle of the data: unlike an apex, these numbers stay moderate when the cone is nearly a cylinder.
#include "deform/effects/cone.h"
#include "base/build.h"
#include "base/error.h"
#include "base/math.h"
#include "base/memory.h"
#include "base/sort.h"
#include "base/turns.h"

#include <stdlib.h>
#include <string.h>

enum { PARAMETERS = 6, MAX_POINTS = 4000, STEPS = 60 };

static const double min_angle = 0.005; // rad: below this the apex would be 200 radii away

typedef struct cone_guess {
    double center[3], axis[3], across[3], up[3]; // axis, and two directions perpendicular to it
    double radius, angle, cosine, sine;          // of the angle
} cone_guess;

typedef struct cloud {
    double* points;
    uint32_t count;
    double middle[3], spread;
} cloud;

static void make_frame(cone_guess* g) {
    double length = limberi_length3(g->axis);
    for (int i = 0; i < 3; i++)
        g->axis[i] /= length;
    int min = fabs(g->axis[0]) < fabs(g->axis[1]) ? 0 : 1;
    min = fabs(g->axis[2]) < fabs(g->axis[min]) ? 2 : min;
    double helper[3] = {0, 0, 0};
    helper[min] = 1;
    for (int i = 0; i < 3; i++) {
        int k = (i + 1) % 3;
        int l = (i + 2) % 3;
        g->across[i] = g->axis[k] * helper[l] - g->axis[l] * helper[k];
    }
    length = limberi_length3(g->across);
    for (int i = 0; i < 3; i++)
        g->across[i] /= length;
    for (int i = 0; i < 3; i++) {
        int k = (i + 1) % 3;
        int l = (i + 2) % 3;
        g->up[i] = g->axis[k] * g->across[l] - g->axis[l] * g->across[k];
    }
}

static void set_angle(cone_guess* g, double angle) {
    g->angle = angle;
    g->cosine = cos(angle);
    g->sine = sin(angle);
}

static double distance(const cone_guess* g, const double* p) {
    double q[3] = {p[0] - g->center[0], p[1] - g->center[1], p[2] - g->center[2]};
    double h = limberi_dot3(q, g->axis);
    double rho = sqrt(fmax(limberi_dot3(q, q) - h * h, 0));
    return (rho - g->radius) * g->cosine - h * g->sine;
}

// The guess moved by small parameters: two shifts of the centre, two tilts of the axis, radius, angle.
static cone_guess moved(const cone_guess* g, const double* by) {
    cone_guess m = *g;
    for (int i = 0; i < 3; i++) {
        m.center[i] += by[0] * g->across[i] + by[1] * g->up[i];
        m.axis[i] += by[2] * g->across[i] + by[3] * g->up[i];
    }
    m.radius += by[4];
    set_angle(&m, g->angle + by[5]);
    make_frame(&m);
    return m;
}

static double cost(const cone_guess* g, const cloud* c) {
    double sum = 0;
    for (uint32_t i = 0; i < c->count; i++) {
        double d = distance(g, c->points + 3 * i);
        sum += d * d;
    }
    return sum;
}

// (J^T J + damping) x = -J^T r, by elimination with pivoting; false when it is singular.
static bool solve(double a[PARAMETERS][PARAMETERS + 1]) {
    for (int p = 0; p < PARAMETERS; p++) {
        int best = p;
        for (int r = p + 1; r < PARAMETERS; r++)
            best = fabs(a[r][p]) > fabs(a[best][p]) ? r : best;
        if (fabs(a[best][p]) < 1e-300)
            return false;
        for (int k = 0; k <= PARAMETERS; k++) {
            double swap = a[p][k];
            a[p][k] = a[best][k];
            a[best][k] = swap;
        }
        for (int r = 0; r < PARAMETERS; r++) {
            double f = r == p ? 0 : a[r][p] / a[p][p];
            for (int k = p; f != 0 && k <= PARAMETERS; k++)
                a[r][k] -= f * a[p][k];
        }
    }
    return true;
}

static void normal_equations(const cone_guess* g, const cloud* c, double a[PARAMETERS][PARAMETERS + 1]) {
    const double shift = 1e-6 * c->spread;
    const double small[PARAMETERS] = {shift, shift, 1e-6, 1e-6, shift, 1e-6};
    cone_guess plus[PARAMETERS], minus[PARAMETERS];
    for (int k = 0; k < PARAMETERS; k++) {
        double by[PARAMETERS] = {0};
        by[k] = small[k];
        plus[k] = moved(g, by);
        by[k] = -small[k];
        minus[k] = moved(g, by);
    }
    memset(a, 0, sizeof(double) * PARAMETERS * (PARAMETERS + 1));
    for (uint32_t i = 0; i < c->count; i++) {
        const double* p = c->points + 3 * i;
        double r = distance(g, p);
        double row[PARAMETERS];
        for (int k = 0; k < PARAMETERS; k++)
            row[k] = (distance(&plus[k], p) - distance(&minus[k], p)) / (2 * small[k]);
        for (int k = 0; k < PARAMETERS; k++) {
            for (int l = 0; l < PARAMETERS; l++)
                a[k][l] += row[k] * row[l];
            a[k][PARAMETERS] -= row[k] * r;
        }
    }
}

static double refine(cone_guess* g, const cloud* c) {
    double now = cost(g, c);
    double damping = 1e-3;
    for (int step = 0; step < STEPS; step++) {
        double a[PARAMETERS][PARAMETERS + 1];
        normal_equations(g, c, a);
        for (int k = 0; k < PARAMETERS; k++)
            a[k][k] *= 1 + damping;
        if (!solve(a))
            break;
        double by[PARAMETERS];
        for (int k = 0; k < PARAMETERS; k++)
            by[k] = a[k][PARAMETERS] / a[k][k];
        cone_guess next = moved(g, by);
        double then = cost(&next, c);
        if (!(then < now)) {
            damping *= 10;
            if (damping > 1e10)
                break;
            continue;
        }
        bool done = now - then < 1e-14 * now;
        *g = next;
        now = then;
        damping = fmax(0.1 * damping, 1e-12);
        if (done)
            break;
    }
    return now;
}

// A start along a given axis: radius against height by linear regression.
static cone_guess start_along(const cloud* c, const double* axis) {
    cone_guess g = {0};
    memcpy(g.center, c->middle, sizeof g.center);
    memcpy(g.axis, axis, sizeof g.axis);
    make_frame(&g);
    double hh = 0;
    double hr = 0;
    double r1 = 0;
    double h1 = 0;
    for (uint32_t i = 0; i < c->count; i++) {
        double q[3];
        for (int k = 0; k < 3; k++)
            q[k] = c->points[3 * i + (uint32_t)k] - g.center[k];
        double h = limberi_dot3(q, g.axis);
        double rho = sqrt(fmax(limberi_dot3(q, q) - h * h, 0));
        hh += h * h;
        hr += h * rho;
        r1 += rho;
        h1 += h;
    }
    double n = c->count;
    double slope = (hr - h1 * r1 / n) / fmax(hh - h1 * h1 / n, 1e-30);
    set_angle(&g, atan(fmin(fmax(slope, -20), 20)));
    g.radius = (r1 - slope * h1) / n;
    return g;
}

static cone_guess best_fit(const cloud* c, double* best_cost) {
    cone_guess best = {0};
    *best_cost = HUGE_VAL;
    // The cube's axes, face and space diagonals: no direction is further than 28 degrees from one of these 13.
    for (int x = -1; x <= 1; x++) {
        for (int y = -1; y <= 1; y++) {
            for (int z = -1; z <= 1; z++) {
                if (9 * x + 3 * y + z <= 0)
                    continue; // the opposite direction is the same start
                const double axis[3] = {x, y, z};
                cone_guess g = start_along(c, axis);
                double one = refine(&g, c);
                if (one < *best_cost && fabs(g.angle) < 1.55) {
                    *best_cost = one;
                    best = g;
                }
            }
        }
    }
    return best;
}

static limber_result gather_points(const limber_model* model, uint32_t joint, cloud* c) {
    limber_mat4 joint_from_world;
    float* rest = limberi_allocate((3 * (size_t)model->vertex_count + 1) * sizeof *rest);
    float* dense = limberi_allocate(((size_t)model->rig.joint_count + 1) * sizeof *dense);
    c->points = limberi_allocate(3 * ((size_t)model->vertex_count + 1) * sizeof *c->points);
    limber_result result = rest && dense && c->points ? LIMBER_OK : LIMBER_ERROR_MEMORY;
    bool placed = limberi_mat4_inverse(&model->rig.world_from_joint_rest[joint], &joint_from_world);
    for (uint32_t m = 0; !result && placed && m < model->mesh_count; m++) {
        const limber_mesh* mesh = &model->meshes[m];
        limber_mesh_rest_positions(model, mesh, rest);
        for (uint32_t u = 0; u < mesh->vertex_count; u++) {
            limber_mesh_upward_weights(model, mesh, u, dense);
            if (dense[joint] < 0.5f)
                continue;
            limber_vec3 p = limberi_mat4_point(&joint_from_world, limberi_load3(rest + 3 * (size_t)u));
            const double q[3] = {(double)p.x, (double)p.y, (double)p.z};
            memcpy(c->points + 3 * c->count++, q, sizeof q);
        }
    }
    limberi_release(rest);
    limberi_release(dense);
    return result;
}

// Evenly thinned to what a fit needs, with its middle and spread.
static void condense(cloud* c) {
    if (c->count > MAX_POINTS) {
        for (uint32_t i = 0; i < MAX_POINTS; i++)
            memcpy(c->points + 3 * i, c->points + 3 * (uint32_t)((uint64_t)i * c->count / MAX_POINTS),
                   3 * sizeof(double));
        c->count = MAX_POINTS;
    }
    for (uint32_t i = 0; i < c->count; i++)
        for (int k = 0; k < 3; k++)
            c->middle[k] += c->points[3 * i + (uint32_t)k] / c->count;
    for (uint32_t i = 0; i < c->count; i++)
        for (int k = 0; k < 3; k++) {
            double off = c->points[3 * i + (uint32_t)k] - c->middle[k];
            c->spread += off * off / c->count;
        }
    c->spread = sqrt(c->spread);
}

// The narrow end: the radius that one point in fifty stays below.
static double narrow_radius(const cone_guess* g, cloud* c) {
    for (uint32_t i = 0; i < c->count; i++) {
        double q[3];
        for (int k = 0; k < 3; k++)
            q[k] = c->points[3 * i + (uint32_t)k] - g->center[k];
        double h = limberi_dot3(q, g->axis);
        c->points[i] = sqrt(fmax(limberi_dot3(q, q) - h * h, 0)); // only earlier entries are overwritten
    }
    qsort(c->points, c->count, sizeof *c->points, limberi_compare_doubles);
    return c->points[c->count / 50];
}

static void cone_of_guess(const limber_model* model, uint32_t joint, cone_guess g, double narrow, limber_cone* cone) {
    if (g.angle < 0) { // open the other way round
        g.angle = -g.angle;
        for (int i = 0; i < 3; i++)
            g.axis[i] = -g.axis[i];
    }
    g.angle = fmax(g.angle, min_angle);
    double back = g.radius / tan(g.angle);
    cone->joint = (int32_t)joint;
    cone->apex = limberi_vec3((float)(g.center[0] - back * g.axis[0]), (float)(g.center[1] - back * g.axis[1]),
                              (float)(g.center[2] - back * g.axis[2]));
    cone->axis = limberi_vec3((float)g.axis[0], (float)g.axis[1], (float)g.axis[2]);
    cone->half_angle_rad = (float)g.angle;
    float scale = limberi_length(limberi_mat4_column(&model->rig.world_from_joint_rest[joint], 0));
    cone->base_radius = (float)narrow * scale;
}

limber_result limberi_cone_fit(const limber_model* model, uint32_t joint, limber_cone* cone, float* residual,
                               limber_error* error) {
    if (!LIMBERI_HAS_FITTED)
        return limberi_fail_absent(error, "fitted cones");
    cloud c = {0};
    limber_result result = gather_points(model, joint, &c);
    if (result)
        result = limberi_fail_memory(error);
    else if (c.count < 12)
        result = limberi_at(error,
                            limberi_fail(error, LIMBER_ERROR_DATA, "moves %u vertices, too few to fit a cone", c.count),
                            "joint %u '%s'", joint, model->rig.names[joint]);
    if (!result) {
        condense(&c);
        double best;
        cone_guess g = best_fit(&c, &best);
        if (!isfinite(best) || !(c.spread > 0)) {
            result = limberi_fail(error, LIMBER_ERROR_DATA, "no cone fits the vertices of joint '%s'",
                                  model->rig.names[joint]);
        } else {
            float scale = limberi_length(limberi_mat4_column(&model->rig.world_from_joint_rest[joint], 0));
            *residual = (float)sqrt(best / c.count) * scale / model->size;
            cone_of_guess(model, joint, g, narrow_radius(&g, &c), cone);
        }
    }
    limberi_release(c.points);
    return result;
}
