// Whether a mesh is a surface of revolution with a texture that runs evenly around its axis. Some of its vertices are
// turned about the axis by several angles: each must land on the surface again, with the same v and colors there, and
// with a u that has gone on by as much of a texture as it has gone around.
#include "smear/spin.h"

#include "base/math.h"
#include "layer/tree.h"

// A polygon of twelve sides in place of a circle is off by 1 - cos(15 degrees).
static const double off_surface = 0.04; // of the largest radius
static const double on_axis = 0.02;     // of the largest radius: no angle worth using
static const double off_texture = 0.02; // of the picture
static const double off_color = 0.05;
static const uint32_t max_probes = 64;
static const double angles_rad[] = {0.37, 1.1, 2.0, 2.9, 4.3, 5.5};

typedef struct surface {
    const limber_mesh* mesh;
    const float* points;
    limber_vec3 axis, side, other; // a right-handed frame
    double radius;                 // largest
    int32_t widths;
} surface;

typedef struct place {
    double radius, angle;
} place;

static place place_of(const surface* s, limber_vec3 p) {
    double x = (double)limberi_dot(p, s->side);
    double y = (double)limberi_dot(p, s->other);
    place found = {sqrt(x * x + y * y), atan2(y, x)};
    return found;
}

static limber_vec3 point_of(const surface* s, uint32_t vertex) {
    return limberi_load3(s->points + 3 * (size_t)vertex);
}

static surface open_surface(const limber_mesh* mesh, const float* points, const double* axis) {
    surface s = {.mesh = mesh, .points = points};
    s.axis = limberi_vec3((float)axis[0], (float)axis[1], (float)axis[2]);
    limber_vec3 x = fabsf(s.axis.x) < 0.7f ? limberi_vec3(1, 0, 0) : limberi_vec3(0, 1, 0);
    s.side = limberi_normalize(limberi_sub(x, limberi_scale(s.axis, limberi_dot(x, s.axis))));
    s.other = limberi_cross(s.axis, s.side);
    for (uint32_t v = 0; v < mesh->vertex_count; v++) {
        double own = place_of(&s, point_of(&s, v)).radius;
        if (own > s.radius)
            s.radius = own;
    }
    return s;
}

// --- textures around the axis ---

// The edges that go around say how many there are on the whole; the probes say whether all of the mesh agrees.
static int32_t count_widths(const surface* s) {
    double turned = 0;
    double textures = 0;
    for (size_t k = 0; k < 3 * (size_t)s->mesh->triangle_count; k++) {
        uint32_t a = s->mesh->triangles[k];
        uint32_t b = s->mesh->triangles[k % 3 == 2 ? k - 2 : k + 1];
        place from = place_of(s, point_of(s, a));
        place to = place_of(s, point_of(s, b));
        if (fmin(from.radius, to.radius) < on_axis * s->radius)
            continue;
        double around = remainder(to.angle - from.angle, 2 * LIMBERI_PI);
        double u = (double)s->mesh->uvs[2 * (size_t)b] - (double)s->mesh->uvs[2 * (size_t)a];
        turned += fabs(around);
        textures += copysign(1, around) * u;
    }
    double widths = turned > 0 ? 2 * LIMBERI_PI * textures / turned : 0;
    return fabs(widths) < 1e6 ? (int32_t)lround(widths) : 0;
}

// --- the place where a turned vertex lands ---

static double mix(const float* values, size_t width, size_t at, const uint32_t* corners, const float* parts) {
    double sum = 0;
    for (int c = 0; c < 3; c++)
        sum += (double)parts[c] * (double)values[width * corners[c] + at];
    return sum;
}

// u at a point of a triangle, by its angle: where a corner lies on the axis, straight lines would be wrong.
static double u_at(const surface* s, const uint32_t* corners, const float* parts, limber_vec3 p) {
    double u = 0;
    double sum = 0;
    double here = place_of(s, p).angle;
    double per_rad = s->widths / (2 * LIMBERI_PI);
    for (int c = 0; c < 3; c++) {
        place corner = place_of(s, point_of(s, corners[c]));
        if (corner.radius < on_axis * s->radius)
            continue;
        double own = (double)s->mesh->uvs[2 * (size_t)corners[c]];
        u += (double)parts[c] * (own + per_rad * remainder(here - corner.angle, 2 * LIMBERI_PI));
        sum += (double)parts[c];
    }
    return sum > 0 ? u / sum : 0;
}

typedef struct verdict {
    bool landed, textured, colored;
} verdict;

static bool same_color(const surface* s, uint32_t vertex, const uint32_t* corners, const float* parts) {
    const float* colors = s->mesh->colors;
    for (size_t i = 0; colors && i < 4; i++)
        if (fabs(mix(colors, 4, i, corners, parts) - (double)colors[4 * (size_t)vertex + i]) > off_color)
            return false;
    return true;
}

static void judge(const surface* s, uint32_t vertex, double angle, limber_vec3 p, const uint32_t* corners,
                  const float* parts, verdict* found) {
    const float* uv = s->mesh->uvs + 2 * (size_t)vertex;
    double u = (double)uv[0] + s->widths * angle / (2 * LIMBERI_PI);
    double off_u = remainder(u_at(s, corners, parts, p) - u, 1);
    double off_v = mix(s->mesh->uvs, 2, 1, corners, parts) - (double)uv[1];
    bool textured = fabs(off_u) <= off_texture * fmax(1, fabs((double)s->widths)) && fabs(off_v) <= off_texture;
    found->landed = true;
    found->textured = found->textured || textured;
    found->colored = found->colored || (textured && same_color(s, vertex, corners, parts));
}

static verdict probe(const surface* s, uint32_t vertex, double angle) {
    verdict found = {false, false, false};
    limber_quat turn = limberi_quat_exp(limberi_scale(s->axis, (float)angle));
    limber_vec3 p = limberi_quat_rotate(turn, point_of(s, vertex));
    for (uint32_t t = 0; t < s->mesh->triangle_count; t++) {
        const uint32_t* corners = s->mesh->triangles + 3 * (size_t)t;
        const limber_vec3 c[3] = {point_of(s, corners[0]), point_of(s, corners[1]), point_of(s, corners[2])};
        float parts[3] = {1, 0, 0};
        if (sqrt((double)limberi_triangle_nearest(c, p, parts)) <= off_surface * s->radius)
            judge(s, vertex, angle, p, corners, parts, &found);
        if (found.colored)
            break;
    }
    return found;
}

// --- all of it ---

static const char* refuse_material(const limber_model* model, const limber_mesh* mesh) {
    bool any = false;
    for (uint32_t i = 0; i < mesh->part_count; i++) {
        int32_t index = mesh->parts[i].material;
        const limber_material* material = index < 0 ? NULL : &model->materials[index];
        if (!material || material->image < 0)
            continue;
        any = true;
        if (material->ends)
            return "has a texture that does not repeat along u";
    }
    return any ? NULL : "has no texture";
}

const char* limberi_spin_refuses(const limber_model* model, const limber_mesh* mesh, const float* points,
                                 const double* axis, int32_t* widths) {
    if (!mesh->uvs)
        return "has no texture coordinates";
    const char* why = refuse_material(model, mesh);
    surface s = open_surface(mesh, points, axis);
    if (why || !(s.radius > 0))
        return why ? why : "is not round about the spin axis";
    s.widths = *widths = count_widths(&s);
    bool textured = s.widths != 0;
    bool colored = true; // as far as seen
    uint32_t step = mesh->vertex_count / max_probes + 1;
    for (uint32_t v = 0; v < mesh->vertex_count; v += step) {
        if (place_of(&s, point_of(&s, v)).radius < on_axis * s.radius)
            continue;
        for (size_t a = 0; a < sizeof angles_rad / sizeof *angles_rad; a++) {
            verdict found = probe(&s, v, angles_rad[a]);
            if (!found.landed)
                return "is not round about the spin axis";
            textured = textured && found.textured;
            colored = colored && found.colored;
        }
    }
    if (!textured)
        return "has texture coordinates that do not run evenly around the spin axis";
    return colored ? NULL : "has vertex colors that would stand still";
}
