// Ready-made patches: eyes with crisp rings, turned profiles, and tubes along a curve.
#include "characters/kit_internal.h"

#include <string.h>

static limber_vec3 catmull_rom(const limber_vec3* p, uint32_t count, float t) {
    uint32_t last = count - 1;
    float scaled = fminf(fmaxf(t, 0), 1) * (float)last;
    uint32_t i = (uint32_t)scaled;
    i = i >= last ? last - 1 : i;
    float x = scaled - (float)i;
    float xx = x * x;
    float xxx = xx * x;
    limber_vec3 a = p[i ? i - 1 : 0];
    limber_vec3 b = p[i];
    limber_vec3 c = p[i + 1];
    limber_vec3 d = p[i + 2 <= last ? i + 2 : last];
    limber_vec3 sum = limberi_scale(a, -0.5f * xxx + xx - 0.5f * x);
    sum = limberi_add(sum, limberi_scale(b, 1.5f * xxx - 2.5f * xx + 1));
    sum = limberi_add(sum, limberi_scale(c, -1.5f * xxx + 2 * xx + 0.5f * x));
    return limberi_add(sum, limberi_scale(d, 0.5f * xxx - 0.5f * xx));
}

// ---- eyes ----

typedef struct eye {
    limber_vec3 center, radii;
    limber_quat turned;
    float from, to; // angle from the pole at v = 1 and v = 0
    limber_vec3 color;
} eye;

static limber_vec3 eye_direction(const eye* e, float u, float v) {
    float angle = kit_mix(e->to, e->from, v);
    float around = 2 * (float)LIMBERI_PI * u;
    float s = sinf(angle);
    return limberi_vec3(s * sinf(around), cosf(angle), s * cosf(around));
}

static void eye_point(void* user, float u, float v, limber_vec3* position) {
    const eye* e = user;
    limber_vec3 d = eye_direction(e, u, v);
    limber_vec3 local = limberi_vec3(d.x * e->radii.x, d.y * e->radii.y, d.z * e->radii.z);
    *position = limberi_add(e->center, limberi_quat_rotate(e->turned, local));
}

static void eye_normal(void* user, float u, float v, limber_vec3* normal) {
    const eye* e = user;
    limber_vec3 d = eye_direction(e, u, v);
    limber_vec3 local = limberi_vec3(d.x / e->radii.x, d.y / e->radii.y, d.z / e->radii.z);
    *normal = limberi_normalize(limberi_quat_rotate(e->turned, local));
}

limber_vec3 kit_eye_at(limber_vec3 center, limber_vec3 radii, limber_vec3 turned_deg, float from_pole_deg,
                       float around_deg) {
    eye e = {.center = center, .radii = radii, .turned = kit_euler(turned_deg.x, turned_deg.y, turned_deg.z)};
    e.from = e.to = from_pole_deg * (float)LIMBERI_PI / 180;
    limber_vec3 at;
    eye_point(&e, around_deg / 360, 0, &at);
    return at;
}

// One patch per band: bands share their rim's positions and normals but not its vertices, so colours meet sharply.
void kit_mesh_eye(kit* k, const kit_brush* brush, limber_vec3 center, limber_vec3 radii, limber_vec3 turned_deg,
                  const kit_band* bands, uint32_t band_count, uint32_t columns) {
    kit_band whole = {180, brush->color};
    if (band_count == 0) {
        bands = &whole;
        band_count = 1;
    }
    eye e = {.center = center, .radii = radii, .turned = kit_euler(turned_deg.x, turned_deg.y, turned_deg.z)};
    for (uint32_t i = 0; i < band_count; i++) {
        float to = i + 1 == band_count ? 180 : bands[i].until_deg;
        e.from = e.to;
        e.to = to * (float)LIMBERI_PI / 180;
        kit_patch patch = {.point = eye_point, .normal = eye_normal, .user = &e, .columns = columns, .closed = true};
        patch.brush = *brush;
        patch.brush.color = bands[i].color;
        patch.rows = (uint32_t)((e.to - e.from) / (2 * (float)LIMBERI_PI) * (float)columns + 0.5f);
        patch.rows = patch.rows ? patch.rows : 1;
        patch.pole_end = i == 0;
        patch.pole_start = i + 1 == band_count;
        kit_mesh_patch(k, &patch);
    }
}

// ---- lathes ----

enum { LATHE_POINTS = 48 };

typedef struct lathe {
    limber_vec3 points[LATHE_POINTS];
    uint32_t count;
    limber_vec3 base;
    limber_quat turned;
    kit_paint paint;
    void* user;
} lathe;

static void lathe_point(void* user, float u, float v, limber_vec3* position) {
    const lathe* l = user;
    limber_vec3 p = catmull_rom(l->points, l->count, v);
    float around = 2 * (float)LIMBERI_PI * u;
    limber_vec3 local = limberi_vec3(p.x * sinf(around), p.y, p.x * cosf(around));
    *position = limberi_add(l->base, limberi_quat_rotate(l->turned, local));
}

static void lathe_paint(void* user, kit_vertex* vertex) {
    const lathe* l = user;
    if (l->paint)
        l->paint(l->user, vertex);
}

void kit_mesh_lathe(kit* k, const kit_brush* brush, kit_paint paint, void* user, limber_vec3 base,
                    limber_vec3 turned_deg, const kit_profile_point* profile, uint32_t count, uint32_t columns,
                    uint32_t rows) {
    if (count < 2 || count > LATHE_POINTS) {
        kit_fail(k, LIMBER_ERROR_ARGUMENT, "a turned profile needs 2 to 48 points");
        return;
    }
    lathe l = {.count = count, .base = base, .paint = paint, .user = user};
    l.turned = kit_euler(turned_deg.x, turned_deg.y, turned_deg.z);
    for (uint32_t i = 0; i < count; i++)
        l.points[i] = limberi_vec3(profile[i].radius, profile[i].height, 0);
    kit_patch patch = {.point = lathe_point, .paint = lathe_paint, .user = &l, .brush = *brush, .closed = true};
    patch.columns = columns;
    patch.rows = rows;
    patch.pole_start = profile[0].radius <= 0;
    patch.pole_end = profile[count - 1].radius <= 0;
    patch.flat_start = !patch.pole_start;
    patch.flat_end = !patch.pole_end;
    kit_mesh_patch(k, &patch);
}

// ---- tubes ----

enum { TUBE_SAMPLES = 129 };

typedef struct tube {
    limber_vec3 at[TUBE_SAMPLES], side[TUBE_SAMPLES], ahead[TUBE_SAMPLES];
    float radius[TUBE_SAMPLES], length[TUBE_SAMPLES];
    kit_paint paint;
    void* user;
} tube;

static void tube_sample(tube* t, const limber_vec3* points, const float* radii, uint32_t count) {
    limber_vec3 thick[TUBE_SAMPLES];
    for (uint32_t i = 0; i < count && i < TUBE_SAMPLES; i++)
        thick[i] = limberi_vec3(radii[i], 0, 0);
    for (uint32_t i = 0; i < TUBE_SAMPLES; i++) {
        float x = (float)i / (TUBE_SAMPLES - 1);
        t->at[i] = catmull_rom(points, count, x);
        t->radius[i] = catmull_rom(thick, count, x).x;
        t->length[i] = i ? t->length[i - 1] + limberi_length(limberi_sub(t->at[i], t->at[i - 1])) : 0;
    }
}

// Frames carried along without twisting: each side is the last one, made perpendicular again.
static void tube_frames(tube* t) {
    for (uint32_t i = 0; i < TUBE_SAMPLES; i++) {
        uint32_t a = i ? i - 1 : 0;
        uint32_t b = i + 1 < TUBE_SAMPLES ? i + 1 : i;
        t->ahead[i] = limberi_normalize(limberi_sub(t->at[b], t->at[a]));
        limber_vec3 side = i ? t->side[i - 1] : limberi_vec3(0, 0, 1);
        if (i == 0 && fabsf(t->ahead[0].z) > 0.8f)
            side = limberi_vec3(1, 0, 0);
        side = limberi_sub(side, limberi_scale(t->ahead[i], limberi_dot(side, t->ahead[i])));
        t->side[i] = limberi_normalize(side);
    }
}

// The two round ends take their share of v by length, like the rest.
static void tube_point(void* user, float u, float v, limber_vec3* position) {
    const tube* t = user;
    uint32_t last = TUBE_SAMPLES - 1;
    float quarter = 0.5f * (float)LIMBERI_PI;
    float start = t->radius[0] * quarter;
    float end = t->radius[last] * quarter;
    float along = v * (start + t->length[last] + end) - start;
    float before = fminf(along, 0);
    float beyond = fmaxf(along - t->length[last], 0);
    uint32_t i = 0;
    while (i + 2 < TUBE_SAMPLES && t->length[i + 1] < along)
        i++;
    float span = t->length[i + 1] - t->length[i];
    float x = span > 1e-12f ? fminf(fmaxf((along - t->length[i]) / span, 0), 1) : 0;
    float radius = kit_mix(t->radius[i], t->radius[i + 1], x);
    float push = 0;
    if (before < 0 || beyond > 0) {
        float angle = before < 0 ? before / fmaxf(t->radius[0], 1e-9f) : beyond / fmaxf(t->radius[last], 1e-9f);
        push = radius * sinf(angle);
        radius *= fmaxf(cosf(angle), 0);
    }
    limber_vec3 ahead = limberi_normalize(limberi_lerp(t->ahead[i], t->ahead[i + 1], x));
    limber_vec3 side = limberi_normalize(limberi_lerp(t->side[i], t->side[i + 1], x));
    limber_vec3 other = limberi_cross(ahead, side);
    float around = 2 * (float)LIMBERI_PI * u;
    limber_vec3 out = limberi_add(limberi_scale(side, cosf(around)), limberi_scale(other, sinf(around)));
    limber_vec3 center = limberi_lerp(t->at[i], t->at[i + 1], x);
    *position = limberi_add(limberi_add(center, limberi_scale(ahead, push)), limberi_scale(out, radius));
}

static void tube_paint(void* user, kit_vertex* vertex) {
    const tube* t = user;
    if (t->paint)
        t->paint(t->user, vertex);
}

void kit_mesh_tube(kit* k, const kit_brush* brush, kit_paint paint, void* user, const limber_vec3* points,
                   const float* radii, uint32_t count, uint32_t columns, uint32_t rows) {
    if (count < 2 || count > TUBE_SAMPLES) {
        kit_fail(k, LIMBER_ERROR_ARGUMENT, "a tube needs 2 to 129 points");
        return;
    }
    tube t = {.paint = paint, .user = user};
    tube_sample(&t, points, radii, count);
    tube_frames(&t);
    kit_patch patch = {.point = tube_point, .paint = tube_paint, .user = &t, .brush = *brush, .closed = true};
    patch.columns = columns;
    patch.rows = rows;
    patch.pole_start = patch.pole_end = true;
    kit_mesh_patch(k, &patch);
}
