// Implicit shapes: round cones, ellipsoids and rings melted into each other by polynomial smooth minimum.
#include "characters/kit_internal.h"

// As fminf and fmaxf, which compilers call for the sake of NaN.
static float smaller(float a, float b) {
    return a < b ? a : b;
}

static float larger(float a, float b) {
    return a > b ? a : b;
}

static limber_vec3 rotate_back(limber_quat q, limber_vec3 v) {
    return limberi_quat_rotate(limberi_quat_conj(q), v);
}

kit_shape* kit_shape_create(kit* k) {
    kit_shape* shape = LIMBERI_ALLOCATE(&k->arena, kit_shape, 1);
    if (!shape) {
        kit_fail_memory(k);
        return NULL;
    }
    shape->edge = 0.05f;
    shape->occlusion = 0.3f;
    return shape;
}

kit_blob kit_bone(limber_vec3 a, float radius_a, limber_vec3 b, float radius_b) {
    kit_blob blob = {.kind = KIT_BLOB_BONE, .a = a, .b = b, .ra = radius_a, .rb = radius_b};
    blob.turned = limberi_quat_identity();
    blob.center = limberi_lerp(a, b, 0.5f);
    blob.radius = 0.5f * limberi_length(limberi_sub(b, a)) + fmaxf(radius_a, radius_b);
    return blob;
}

kit_blob kit_ball(limber_vec3 center, float radius) {
    return kit_bone(center, radius, center, radius);
}

kit_blob kit_ellipsoid(limber_vec3 center, limber_vec3 radii, limber_vec3 turned_deg) {
    kit_blob blob = {.kind = KIT_BLOB_ELLIPSOID, .a = center, .b = center, .radii = radii, .center = center};
    blob.turned = kit_euler(turned_deg.x, turned_deg.y, turned_deg.z);
    blob.radius = fmaxf(radii.x, fmaxf(radii.y, radii.z));
    return blob;
}

kit_blob kit_ring(limber_vec3 center, float circle, float tube, limber_vec3 turned_deg) {
    kit_blob blob = {.kind = KIT_BLOB_RING, .a = center, .b = center, .ra = circle, .rb = tube, .center = center};
    blob.turned = kit_euler(turned_deg.x, turned_deg.y, turned_deg.z);
    blob.radius = circle + tube;
    return blob;
}

static void find_axis(kit_blob* blob) {
    blob->axis = limberi_sub(blob->b, blob->a);
    blob->length = limberi_length(blob->axis);
    if (!(blob->length > 1e-9f))
        return;
    blob->axis = limberi_scale(blob->axis, 1 / blob->length);
    // A slope near 1 means that one end swallows the other.
    blob->slope = fminf(fmaxf((blob->ra - blob->rb) / blob->length, -0.98f), 0.98f);
    blob->level = sqrtf(1 - blob->slope * blob->slope);
}

void kit_add(kit_shape* shape, const kit_brush* brush, kit_blob blob) {
    if (!shape || shape->blob_count >= KIT_BLOB_LIMIT)
        return;
    blob.brush = *brush;
    find_axis(&blob);
    uint32_t i = shape->blob_count++;
    shape->blobs[i] = blob;
    shape->spheres.x[i] = blob.center.x;
    shape->spheres.y[i] = blob.center.y;
    shape->spheres.z[i] = blob.center.z;
    shape->spheres.radius[i] = blob.radius;
}

void kit_add_limb(kit_shape* shape, const kit_brush* brush, const limber_vec3* points, const float* radii,
                  uint32_t count) {
    for (uint32_t i = 0; i + 1 < count; i++) {
        kit_blob bone = kit_bone(points[i], radii[i], points[i + 1], radii[i + 1]);
        bone.joined = i > 0;
        kit_add(shape, brush, bone);
    }
}

// A round cone is the union of balls along its axis. The nearest of them lies where the line from `at` meets the axis
// at the cone's slope; with the ball fixed, the gradient is the direction away from its centre.
static float bone_distance(const kit_blob* blob, limber_vec3 at, limber_vec3* gradient) {
    limber_vec3 axis = blob->axis;
    limber_vec3 from_a = limberi_sub(at, blob->a);
    float length = blob->length;
    float along = 0;
    if (length > 1e-9f) {
        float y = limberi_dot(from_a, axis);
        float x = sqrtf(larger(limberi_dot(from_a, from_a) - y * y, 0));
        along = smaller(larger(y - x * blob->slope / blob->level, 0), length);
    }
    float radius = length > 1e-9f ? kit_mix(blob->ra, blob->rb, along / length) : blob->ra;
    limber_vec3 away = limberi_sub(from_a, limberi_scale(axis, along));
    float distance = limberi_length(away);
    if (gradient)
        *gradient = distance > 1e-12f ? limberi_scale(away, 1 / distance) : limberi_vec3(0, 1, 0);
    return distance - radius;
}

// First-order distance of an ellipsoid: k0 (k0 - 1) / k1 with k0 = |p / r|, k1 = |p / r^2|. Exact on the surface.
static float ellipsoid_distance(const kit_blob* blob, limber_vec3 at, limber_vec3* gradient) {
    limber_vec3 p = rotate_back(blob->turned, limberi_sub(at, blob->a));
    limber_vec3 r = blob->radii;
    limber_vec3 q = limberi_vec3(p.x / r.x, p.y / r.y, p.z / r.z);
    limber_vec3 g = limberi_vec3(q.x / r.x, q.y / r.y, q.z / r.z);
    float k0 = limberi_length(q);
    float k1 = limberi_length(g);
    if (k1 < 1e-9f) {
        if (gradient)
            *gradient = limberi_vec3(0, 1, 0);
        return -fminf(r.x, fminf(r.y, r.z));
    }
    if (gradient)
        *gradient = limberi_quat_rotate(blob->turned, limberi_scale(g, 1 / k1));
    return k0 * (k0 - 1) / k1;
}

static float ring_distance(const kit_blob* blob, limber_vec3 at, limber_vec3* gradient) {
    limber_vec3 p = rotate_back(blob->turned, limberi_sub(at, blob->a));
    float around = sqrtf(p.x * p.x + p.z * p.z);
    float s = around > 1e-9f ? blob->ra / around : 0;
    limber_vec3 away = limberi_vec3(p.x - p.x * s, p.y, p.z - p.z * s);
    float distance = limberi_length(away);
    if (gradient)
        *gradient = distance > 1e-12f ? limberi_quat_rotate(blob->turned, limberi_scale(away, 1 / distance))
                                      : limberi_vec3(0, 1, 0);
    return distance - blob->rb;
}

static float blob_distance(const kit_blob* blob, limber_vec3 at, limber_vec3* gradient) {
    switch (blob->kind) {
    case KIT_BLOB_ELLIPSOID:
        return ellipsoid_distance(blob, at, gradient);
    case KIT_BLOB_RING:
        return ring_distance(blob, at, gradient);
    case KIT_BLOB_BONE:
        break;
    }
    return bone_distance(blob, at, gradient);
}

// At least this far from the blobs; saves the exact distance for most of them.
static void find_lower_bounds(const kit_shape* shape, limber_vec3 at, float* bounds) {
    const kit_spheres* s = &shape->spheres;
    for (uint32_t i = 0; i < shape->blob_count; i++) {
        float x = at.x - s->x[i];
        float y = at.y - s->y[i];
        float z = at.z - s->z[i];
        bounds[i] = sqrtf(x * x + y * y + z * z) - s->radius[i];
    }
}

// Quadratic smooth minimum: min(a, b) - h^2 k / 4 with h = max(k - |a - b|, 0) / k; its gradient mixes the two by h
// / 2.
static float smooth_minimum(float a, float b, float k, limber_vec3* ga, const limber_vec3* gb) {
    float h = k > 0 ? larger(k - fabsf(a - b), 0) / k : 0;
    if (ga)
        *ga = a < b ? limberi_lerp(*ga, *gb, 0.5f * h) : limberi_lerp(*gb, *ga, 0.5f * h);
    return smaller(a, b) - 0.25f * h * h * k;
}

// A distance with its gradient, if that is asked for, while blobs are added to it one by one.
typedef struct field {
    float f;
    bool slopes;
    limber_vec3 g;
} field;

static void field_unite(field* a, const field* b, float k) {
    if (b->f > 1e8f)
        return;
    if (a->f > 1e8f) {
        *a = *b;
        return;
    }
    a->f = smooth_minimum(a->f, b->f, k, a->slopes ? &a->g : NULL, &b->g);
}

static void field_carve(field* a, const kit_blob* blob, limber_vec3 at) {
    limber_vec3 g;
    float f = blob_distance(blob, at, a->slopes ? &g : NULL);
    a->g = limberi_scale(a->g, -1);
    a->f = -smooth_minimum(-a->f, f, blob->brush.blend, a->slopes ? &a->g : NULL, &g);
    a->g = limberi_scale(a->g, -1);
}

float kit_shape_distance(const kit_shape* shape, limber_vec3 at, limber_vec3* gradient) {
    const field nothing = {1e9f, gradient != NULL, {0, 1, 0}};
    field all = nothing;
    field limb = nothing;
    float limb_blend = 0;
    float bounds[KIT_BLOB_LIMIT];
    find_lower_bounds(shape, at, bounds);
    for (uint32_t i = 0; i < shape->blob_count; i++) {
        const kit_blob* blob = &shape->blobs[i];
        if (!blob->joined) {
            field_unite(&all, &limb, limb_blend);
            limb = nothing;
            limb_blend = blob->brush.blend;
        }
        if (blob->brush.carve) {
            if (-bounds[i] + limb_blend >= all.f)
                field_carve(&all, blob, at);
            continue;
        }
        // A little rounding inside a limb's bends, too little to swell.
        float rounding = 0.2f * smaller(blob->ra, blob->rb);
        if (bounds[i] >= all.f + limb_blend || bounds[i] >= limb.f + rounding)
            continue;
        field one = nothing;
        one.f = blob_distance(blob, at, gradient ? &one.g : NULL);
        field_unite(&limb, &one, rounding);
    }
    field_unite(&all, &limb, limb_blend);
    if (gradient)
        *gradient = all.g;
    return all.f;
}

limber_vec3 kit_shape_project(const kit_shape* shape, limber_vec3 at, uint32_t steps, float max_step) {
    for (uint32_t i = 0; i < steps; i++) {
        limber_vec3 g;
        float f = kit_shape_distance(shape, at, &g);
        // In a crease the melted gradient is short; without the floor the step would run away.
        float step = f / fmaxf(limberi_dot(g, g), 0.3f);
        step = fminf(fmaxf(step, -max_step), max_step);
        at = limberi_sub(at, limberi_scale(g, step));
        if (fabsf(f) < 1e-6f)
            break;
    }
    return at;
}

static float blob_edge(const kit_shape* shape, const kit_blob* blob, float detail) {
    float edge = (blob->brush.edge > 0 ? blob->brush.edge : shape->edge) / detail;
    // Fewer than six vertices around a limb would fold flat.
    return blob->kind == KIT_BLOB_BONE ? smaller(edge, 1.1f * larger(blob->ra, blob->rb)) : edge;
}

static float blob_reach(const kit_blob* blob) {
    if (blob->brush.reach > 0)
        return blob->brush.reach;
    float thin = blob->kind == KIT_BLOB_ELLIPSOID ? fminf(blob->radii.x, fminf(blob->radii.y, blob->radii.z))
                 : blob->kind == KIT_BLOB_RING    ? blob->rb
                                                  : fminf(blob->ra, blob->rb);
    return fmaxf(0.25f * blob->brush.blend, 0.12f * thin);
}

float kit_shape_smallest_edge(const kit_shape* shape) {
    float edge = shape->edge;
    for (uint32_t i = 0; i < shape->blob_count; i++)
        edge = fminf(edge, blob_edge(shape, &shape->blobs[i], 1));
    return edge;
}

// How much each blob owns the point: falls off exponentially with how much farther away it is than the surface, so that
// parts which merely come close (left and right leg) never share.
static float blob_share(const kit_blob* blob, float bound, limber_vec3 at, float f, float reach) {
    if (blob->brush.carve || bound - f > 6 * reach)
        return 0;
    float d = blob_distance(blob, at, NULL) - f;
    return d > 6 * reach ? 0 : expf(-larger(d, 0) / reach);
}

float kit_shape_edge(const kit_shape* shape, limber_vec3 at, float detail) {
    float f = kit_shape_distance(shape, at, NULL);
    float sum = 0;
    float total = 0;
    float bounds[KIT_BLOB_LIMIT];
    find_lower_bounds(shape, at, bounds);
    for (uint32_t i = 0; i < shape->blob_count; i++) {
        const kit_blob* blob = &shape->blobs[i];
        float edge = blob_edge(shape, blob, detail);
        // Fine parts have the say near coarse ones: a tail beside a body must not become coarse.
        float share = blob_share(blob, bounds[i], at, f, 1.2f * edge) / (edge * edge);
        sum += share * edge;
        total += share;
    }
    return total > 1e-12f ? sum / total : shape->edge / detail;
}

void kit_weights_add_shape(const kit* k, kit_weights* weights, const kit_shape* shape, limber_vec3 at) {
    if (!shape)
        return;
    float f = kit_shape_distance(shape, at, NULL);
    float bounds[KIT_BLOB_LIMIT];
    find_lower_bounds(shape, at, bounds);
    for (uint32_t i = 0; i < shape->blob_count; i++) {
        const kit_blob* blob = &shape->blobs[i];
        float share = blob_share(blob, bounds[i], at, f, blob_reach(blob));
        if (share > 0)
            kit_weights_add_chain(k, weights, blob->brush.bind, at, share);
    }
}

// Creases are where the distance grows slower than the way outwards.
static float occlusion(const kit_shape* shape, limber_vec3 at, limber_vec3 normal) {
    float reach = 2.5f * shape->edge;
    float dark = 0;
    for (int i = 1; i <= 2; i++) {
        float way = reach * (float)i;
        float free_way = kit_shape_distance(shape, limberi_add(at, limberi_scale(normal, way)), NULL);
        dark += (1 - fminf(fmaxf(free_way / way, 0), 1)) / (float)i;
    }
    return fminf(dark / 1.5f, 1);
}

void kit_shape_dress(const kit* k, const kit_shape* shape, kit_vertex* vertex) {
    limber_vec3 at = vertex->position;
    limber_vec3 color = {0, 0, 0};
    float f = kit_shape_distance(shape, at, NULL);
    float total = 0;
    float color_total = 0;
    float floppy = 0;
    float squash = 0;
    float bounds[KIT_BLOB_LIMIT];
    find_lower_bounds(shape, at, bounds);
    for (uint32_t i = 0; i < shape->blob_count; i++) {
        const kit_blob* blob = &shape->blobs[i];
        float reach = blob_reach(blob);
        float share = blob_share(blob, bounds[i], at, f, reach);
        if (share <= 0)
            continue;
        kit_weights_add_chain(k, &vertex->weights, blob->brush.bind, at, share);
        floppy += share * blob->brush.floppy;
        squash += share * blob->brush.squash;
        total += share;
        // Colours meet more sharply than weights: within about an edge.
        float color_share = powf(share, fmaxf(reach / (0.3f * vertex->edge), 1));
        color = limberi_add(color, limberi_scale(blob->brush.color, color_share));
        color_total += color_share;
    }
    vertex->floppy = total > 1e-12f ? floppy / total : 0;
    vertex->squash = total > 1e-12f ? squash / total : 0;
    vertex->color = color_total > 1e-12f ? limberi_scale(color, 1 / color_total) : limberi_vec3(1, 1, 1);
    if (shape->paint)
        shape->paint(shape->user, vertex);
    if (shape->occlusion > 0) {
        float shade = 1 - shape->occlusion * occlusion(shape, at, vertex->normal);
        vertex->color = limberi_scale(vertex->color, shade);
    }
}
