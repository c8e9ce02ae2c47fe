// Pieces of a generated body as surfaces of revolution with soft weights.
#include "base/math.h"
#include "io/bvh/load.h"

// How finely a piece is turned. A skeleton of thousands of joints is no figure to look at closely.
typedef struct fineness {
    uint32_t around, cap, along; // vertices around, rings of a rounded end, rings between the ends
} fineness;

static const uint32_t influences = 3;               // at most, per vertex
static const float wood[3] = {0.70f, 0.43f, 0.20f}; // linear
static const float dark_wood[3] = {0.36f, 0.17f, 0.06f};

typedef struct surface {
    fineness fine;
    float *positions, *colors, *weights;
    uint32_t *triangles, *first;
    uint16_t* joints;
    uint32_t vertex_count, triangle_count, influence_count;
} surface;

// The frame of the piece being turned.
typedef struct lathe {
    const limberi_bvh_piece* piece;
    limber_vec3 axis, u, v;
    float length;
} lathe;

// Rings and the two points that close the ends.
static uint32_t rings_of(const fineness* fine) {
    return 2 * fine->cap + fine->along;
}

static lathe set_up(const limberi_bvh_piece* piece) {
    lathe l = {.piece = piece};
    limber_vec3 along = limberi_sub(piece->end, piece->start);
    l.length = limberi_length(along);
    l.axis = limberi_normalize(along);
    if (!(limberi_dot(l.axis, l.axis) > 0.5f))
        l.axis = limberi_vec3(0, 1, 0);
    // Starting from z puts edges on the sides of a standing figure alike.
    limber_vec3 side = fabsf(l.axis.z) < 0.8f ? limberi_vec3(0, 0, 1) : limberi_vec3(0, 1, 0);
    l.u = limberi_normalize(limberi_cross(side, l.axis));
    l.v = limberi_cross(l.axis, l.u);
    return l;
}

static float smoothstep(float from, float to, float x) {
    if (!(to > from))
        return x < from ? 0 : 1;
    float t = fminf(fmaxf((x - from) / (to - from), 0), 1);
    return t * t * (3 - 2 * t);
}

static void add_influence(surface* s, int32_t joint, float weight) {
    if (joint < 0 || !(weight > 0.001f))
        return;
    s->joints[s->influence_count] = (uint16_t)joint;
    s->weights[s->influence_count++] = weight;
}

// Both pieces at a joint hand over across the same plane, so that their overlapping ends bend as one.
static void add_weights(surface* s, const lathe* l, float along) {
    const limberi_bvh_piece* p = l->piece;
    float start = p->before >= 0 ? smoothstep(-p->start_soft, p->start_soft, along) : 1;
    float end = p->after >= 0 ? smoothstep(-p->end_soft, p->end_soft, along - l->length) : 0;
    s->first[s->vertex_count] = s->influence_count;
    add_influence(s, p->before, 1 - start);
    add_influence(s, p->after, start * end);
    add_influence(s, p->joint, start * (1 - end));
}

// Darker where a joint's ball would show.
static float darkness(const lathe* l, float along) {
    const limberi_bvh_piece* p = l->piece;
    if (p->round || l->length < 2.5f * p->start_radius) // a short, thick piece of a trunk would be all dark
        return 0;
    float start = 1 - smoothstep(0.25f * p->start_radius, 0.55f * p->start_radius, along);
    float end = 1 - smoothstep(0.25f * p->end_radius, 0.55f * p->end_radius, l->length - along);
    return fmaxf(p->before >= 0 ? start : 0, p->after >= 0 ? end : 0);
}

static void add_vertex(surface* s, const lathe* l, float along, float radius, float angle) {
    limber_vec3 out = limberi_add(limberi_scale(l->u, cosf(angle)), limberi_scale(l->v, sinf(angle)));
    limber_vec3 p =
        limberi_add(l->piece->start, limberi_add(limberi_scale(l->axis, along), limberi_scale(out, radius)));
    float dark = darkness(l, along);
    limberi_store3(s->positions + 3 * (size_t)s->vertex_count, p);
    for (int c = 0; c < 3; c++)
        s->colors[4 * (size_t)s->vertex_count + (size_t)c] = wood[c] + (dark_wood[c] - wood[c]) * dark;
    s->colors[4 * (size_t)s->vertex_count + 3] = 1;
    add_weights(s, l, along);
    s->vertex_count++;
}

// Ring 0 and the last one lie next to the points that close the ends.
static void ring_shape(const surface* s, const lathe* l, uint32_t ring, float* along, float* radius) {
    const limberi_bvh_piece* p = l->piece;
    const fineness* fine = &s->fine;
    uint32_t last = rings_of(fine) - 1;
    if (p->round) {
        float angle = (float)LIMBERI_PI * (float)(ring + 1) / (float)(last + 2);
        *along = 0.5f * l->length * (1 - cosf(angle));
        *radius = p->start_radius * sinf(angle) * (1 + 0.12f * cosf(angle + 2.2f)); // an egg, narrow at the chin
        return;
    }
    bool start = ring < fine->cap;
    bool end = ring > last - fine->cap;
    float end_radius = start ? p->start_radius : p->end_radius;
    if (start || end) {
        float angle = 0.5f * (float)LIMBERI_PI * (float)(start ? ring + 1 : last - ring + 1) / (float)(fine->cap + 1);
        float cap = end_radius * cosf(angle);
        *along = start ? -cap : l->length + cap;
        *radius = end_radius * sinf(angle);
        return;
    }
    float t = fine->along > 1 ? (float)(ring - fine->cap) / (float)(fine->along - 1) : 0.5f;
    *along = t * l->length;
    *radius = (p->start_radius + (p->end_radius - p->start_radius) * t) *
              (1 + p->bulge * sinf((float)LIMBERI_PI * powf(t, 0.85f)));
}

static void add_triangle(surface* s, uint32_t a, uint32_t b, uint32_t c) {
    uint32_t* t = s->triangles + 3 * (size_t)s->triangle_count++;
    t[0] = a;
    t[1] = b;
    t[2] = c;
}

static void add_triangles(surface* s, uint32_t first) {
    uint32_t around = s->fine.around;
    uint32_t rings = rings_of(&s->fine);
    uint32_t end = first + around * rings;
    for (uint32_t i = 0; i < around; i++) {
        uint32_t next = (i + 1) % around;
        uint32_t last = first + (rings - 1) * around;
        add_triangle(s, end, first + next, first + i);
        add_triangle(s, end + 1, last + i, last + next);
        for (uint32_t r = 0; r + 1 < rings; r++) {
            uint32_t low = first + r * around;
            uint32_t high = low + around;
            add_triangle(s, low + i, low + next, high + next);
            add_triangle(s, low + i, high + next, high + i);
        }
    }
}

static void add_piece(surface* s, const limberi_bvh_piece* piece) {
    lathe l = set_up(piece);
    uint32_t first = s->vertex_count;
    for (uint32_t ring = 0; ring < rings_of(&s->fine); ring++) {
        float along, radius;
        ring_shape(s, &l, ring, &along, &radius);
        for (uint32_t i = 0; i < s->fine.around; i++)
            add_vertex(s, &l, along, radius, 2 * (float)LIMBERI_PI * (float)i / (float)s->fine.around);
    }
    add_vertex(s, &l, piece->round ? 0 : -piece->start_radius, 0, 0);
    add_vertex(s, &l, piece->round ? l.length : l.length + piece->end_radius, 0, 0);
    add_triangles(s, first);
}

static bool allocate_surface(surface* s, uint32_t piece_count, limberi_arena* arena) {
    size_t vertices = piece_count * ((size_t)s->fine.around * rings_of(&s->fine) + 2);
    s->positions = LIMBERI_ALLOCATE(arena, float, 3 * vertices);
    s->colors = LIMBERI_ALLOCATE(arena, float, 4 * vertices);
    s->triangles = LIMBERI_ALLOCATE(arena, uint32_t, 6 * vertices);
    s->first = LIMBERI_ALLOCATE(arena, uint32_t, vertices + 1);
    s->joints = LIMBERI_ALLOCATE(arena, uint16_t, influences * vertices);
    s->weights = LIMBERI_ALLOCATE(arena, float, influences* vertices);
    return !arena->failed;
}

static limber_skin* make_skin(const limberi_bvh_body_plan* plan, uint32_t count, limberi_arena* arena) {
    limber_skin* skin = LIMBERI_ALLOCATE(arena, limber_skin, 1);
    uint32_t* joints = LIMBERI_ALLOCATE(arena, uint32_t, count);
    limber_mat4* joint_from_mesh = LIMBERI_ALLOCATE(arena, limber_mat4, count);
    if (arena->failed)
        return NULL;
    for (uint32_t j = 0; j < count; j++) {
        joints[j] = j;
        joint_from_mesh[j] = limber_mat4_identity();
        joint_from_mesh[j].m[12] = -plan->places[j].x;
        joint_from_mesh[j].m[13] = -plan->places[j].y;
        joint_from_mesh[j].m[14] = -plan->places[j].z;
    }
    *skin = (limber_skin){"Skeleton", count, joints, joint_from_mesh, limber_mat4_identity()};
    return skin;
}

static void fill_mesh(const surface* s, limber_mesh* mesh, limber_part* part) {
    *part = (limber_part){0, s->vertex_count, 0, s->triangle_count, 0};
    *mesh = (limber_mesh){.name = "Body",
                          .node_name = "Body",
                          .vertex_count = s->vertex_count,
                          .triangle_count = s->triangle_count,
                          .positions = s->positions,
                          .colors = s->colors,
                          .triangles = s->triangles,
                          .influence_first = s->first,
                          .influence_joint = s->joints,
                          .influence_weight = s->weights,
                          .part_count = 1,
                          .parts = part};
}

limber_result limberi_bvh_body_mesh(const limberi_bvh_body_plan* plan, limberi_arena* arena, limber_model* model) {
    surface s = {0};
    static const fineness steps[] = {{20, 5, 9}, {10, 3, 4}, {5, 1, 1}};
    s.fine = steps[(plan->piece_count > 400) + (plan->piece_count > 1500)];
    limber_mesh* mesh = LIMBERI_ALLOCATE(arena, limber_mesh, 1);
    limber_part* part = LIMBERI_ALLOCATE(arena, limber_part, 1);
    model->skins = make_skin(plan, model->rig.joint_count, arena);
    limber_material* material = LIMBERI_ALLOCATE(arena, limber_material, 1);
    model->materials = material;
    if (material)
        *material = (limber_material){
            .name = "Wood", .base_color = {1, 1, 1, 1}, .metallic = 0, .roughness = 0.55f, .image = -1};
    if (!allocate_surface(&s, plan->piece_count, arena))
        return LIMBER_ERROR_MEMORY;
    for (uint32_t i = 0; i < plan->piece_count; i++)
        add_piece(&s, &plan->pieces[i]);
    s.first[s.vertex_count] = s.influence_count;
    fill_mesh(&s, mesh, part);
    model->meshes = mesh;
    model->skin_count = model->mesh_count = model->material_count = 1;
    return LIMBER_OK;
}
