// Motion lines: thin tubes along the paths of points of the surface (SMEAR, section 4.3).
//
// The points are spread by dart throwing with the best of several candidates, each farthest from the existing ones:
// even on any surface, and the first sixty of a hundred lines are the same as of sixty.
#include "base/error.h"
#include "smear/smear_private.h"
#include "text/expression_code.h"
#include "text/noise.h"

#include <string.h>

enum {
    CANDIDATES = 12, // more make the spread hardly more even
    RINGS = LIMBERI_LINE_RINGS,
    SIDES = LIMBERI_LINE_SIDES,
    LINE_VERTICES = RINGS * SIDES + 2, // and the middles of the two ends
    LINE_TRIANGLES = 2 * SIDES * (RINGS - 1) + 2 * SIDES
};

// --- seeds ---

typedef struct surface {
    limberi_arena arena;
    const limber_smearer* smearer;
    float* rest;         // all meshes
    double* sums;        // [triangle] area up to and with this one
    uint32_t* triangles; // [triangle * 3] vertices of all meshes
    uint32_t* mesh;      // [triangle]
    uint32_t count;
} surface;

static void add_mesh(surface* f, uint32_t m) {
    const limber_mesh* mesh = &f->smearer->model->meshes[m];
    limber_mesh_rest_positions(f->smearer->model, mesh, f->rest + 3 * (size_t)mesh->first_vertex);
    for (uint32_t t = 0; t < mesh->triangle_count; t++) {
        uint32_t* v = f->triangles + 3 * (size_t)f->count;
        limber_vec3 p[3];
        for (uint32_t i = 0; i < 3; i++) {
            v[i] = mesh->first_vertex + mesh->triangles[3 * (size_t)t + i];
            p[i] = limberi_load3(f->rest + 3 * (size_t)v[i]);
        }
        limber_vec3 face = limberi_cross(limberi_sub(p[1], p[0]), limberi_sub(p[2], p[0]));
        double before = f->count ? f->sums[f->count - 1] : 0;
        double area = (double)limberi_length(face);
        f->sums[f->count] = before + (area > 0 ? area : 0);
        f->mesh[f->count++] = m;
    }
}

static limber_result open_surface(surface* f, const limber_smearer* s) {
    const limber_model* model = s->model;
    memset(f, 0, sizeof *f);
    f->smearer = s;
    f->rest = LIMBERI_ALLOCATE(&f->arena, float, 3 * (size_t)model->vertex_count);
    f->sums = LIMBERI_ALLOCATE(&f->arena, double, model->triangle_count);
    f->triangles = LIMBERI_ALLOCATE(&f->arena, uint32_t, 3 * (size_t)model->triangle_count);
    f->mesh = LIMBERI_ALLOCATE(&f->arena, uint32_t, model->triangle_count);
    if (f->arena.failed)
        return LIMBER_ERROR_MEMORY;
    for (uint32_t m = 0; m < model->mesh_count; m++)
        if (!limberi_smear_skips(s, &model->meshes[m]))
            add_mesh(f, m);
    return LIMBER_OK;
}

// The triangle that holds this much of the area.
static uint32_t find_triangle(const surface* f, double area) {
    uint32_t low = 0;
    uint32_t high = f->count - 1;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (f->sums[middle] > area)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

static limberi_smear_seed throw_dart(const surface* f, uint32_t line, uint32_t candidate) {
    uint32_t seed = f->smearer->settings.lines.seed;
    uint32_t k = 4 * candidate;
    float random[3];
    for (uint32_t i = 0; i < 3; i++)
        random[i] = limberi_unit_from_hash(limberi_hash3((int32_t)line, (int32_t)(k + i), (int32_t)seed));
    uint32_t t = find_triangle(f, (double)random[0] * f->sums[f->count - 1]);
    limberi_smear_seed dart;
    memset(&dart, 0, sizeof dart);
    dart.mesh = f->mesh[t];
    memcpy(dart.vertices, f->triangles + 3 * (size_t)t, sizeof dart.vertices);
    float root = sqrtf(random[1]);
    dart.parts[0] = 1 - root;
    dart.parts[1] = root * (1 - random[2]);
    dart.parts[2] = root * random[2];
    return dart;
}

static limber_vec3 seed_point(const limberi_smear_seed* seed, const float* positions) {
    limber_vec3 p = limberi_vec3(0, 0, 0);
    for (int i = 0; i < 3; i++)
        p = limberi_add(p, limberi_scale(limberi_load3(positions + 3 * (size_t)seed->vertices[i]), seed->parts[i]));
    return p;
}

static float seed_value(const limberi_smear_seed* seed, const float* values) {
    return seed->parts[0] * values[seed->vertices[0]] + seed->parts[1] * values[seed->vertices[1]] +
           seed->parts[2] * values[seed->vertices[2]];
}

static float nearest_square(const limber_vec3* places, uint32_t count, limber_vec3 p) {
    float min = HUGE_VALF;
    for (uint32_t i = 0; i < count; i++) {
        limber_vec3 d = limberi_sub(places[i], p);
        float square = limberi_dot(d, d);
        min = square < min ? square : min;
    }
    return min;
}

static const limber_material* material_of(const limber_model* model, const limberi_smear_seed* seed) {
    const limber_mesh* mesh = &model->meshes[seed->mesh];
    int32_t material = -1;
    for (uint32_t i = 0; i < mesh->part_count; i++) {
        uint32_t v = seed->vertices[0] - mesh->first_vertex;
        if (v >= mesh->parts[i].first_vertex && v - mesh->parts[i].first_vertex < mesh->parts[i].vertex_count)
            material = mesh->parts[i].material;
    }
    return material >= 0 ? &model->materials[material] : NULL;
}

// Between the values of the three corners, `stride` numbers per vertex of the mesh.
static float between(const limber_mesh* mesh, const limberi_smear_seed* seed, const float* values, size_t stride) {
    float sum = 0;
    for (int i = 0; i < 3; i++)
        sum += seed->parts[i] * values[stride * (seed->vertices[i] - mesh->first_vertex)];
    return sum;
}

void limberi_smear_surface_color(const limber_smearer* s, const limberi_smear_seed* seed, float* rgba) {
    const limber_texel_reader* texels = &s->settings.lines.texels;
    const limber_mesh* mesh = &s->model->meshes[seed->mesh];
    const limber_material* material = material_of(s->model, seed);
    float texel[4] = {1, 1, 1, 1};
    if (material && material->image >= 0 && mesh->uvs && texels->read)
        texels->read(texels->user, (uint32_t)material->image, between(mesh, seed, mesh->uvs, 2),
                     between(mesh, seed, mesh->uvs + 1, 2), texel);
    for (size_t c = 0; c < 4; c++) {
        float base = material ? material->base_color[c] : 1;
        float own = mesh->colors ? between(mesh, seed, mesh->colors + c, 4) : 1;
        rgba[c] = base * own * texel[c];
    }
}

static void color_seed(const limber_smearer* s, limberi_smear_seed* seed) {
    const limber_smear_line_tint* tint = &s->settings.line_tint;
    limberi_smear_surface_color(s, seed, seed->color);
    memcpy(seed->second, tint->surface ? seed->color : tint->color, sizeof seed->second);
    if (s->settings.lines.colored)
        memcpy(seed->color, s->settings.lines.color, 3 * sizeof *seed->color);
}

static limber_result spread(limber_smearer* s, surface* f) {
    uint32_t count = s->settings.lines.count;
    limber_vec3* places = LIMBERI_ALLOCATE(&f->arena, limber_vec3, count);
    s->seeds = LIMBERI_ALLOCATE(&s->arena, limberi_smear_seed, count);
    if (!places || !s->seeds)
        return LIMBER_ERROR_MEMORY;
    if (!f->count || !(f->sums[f->count - 1] > 0))
        return LIMBER_OK;
    for (uint32_t i = 0; i < count; i++) {
        float best = -1;
        for (uint32_t k = 0; k < CANDIDATES; k++) {
            limberi_smear_seed dart = throw_dart(f, i, k);
            limber_vec3 p = seed_point(&dart, f->rest);
            float square = nearest_square(places, i, p);
            if (!(square > best))
                continue;
            best = square;
            s->seeds[i] = dart;
            places[i] = p;
        }
        color_seed(s, &s->seeds[i]);
    }
    s->seed_count = count;
    return LIMBER_OK;
}

// --- tubes ---

static void fill_triangles(uint32_t* triangles, uint32_t first) {
    uint32_t start = first + RINGS * SIDES;
    uint32_t end = start + 1;
    uint32_t last = first + (RINGS - 1) * SIDES;
    uint32_t n = 0;
    for (uint32_t k = 0; k < SIDES; k++) {
        uint32_t next = (k + 1) % SIDES;
        for (uint32_t r = 0; r + 1 < RINGS; r++) {
            uint32_t a = first + r * SIDES;
            uint32_t b = a + SIDES;
            const uint32_t quad[6] = {a + k, a + next, b + k, a + next, b + next, b + k};
            memcpy(triangles + n, quad, sizeof quad);
            n += 6;
        }
        const uint32_t caps[6] = {start, first + next, first + k, end, last + k, last + next};
        memcpy(triangles + n, caps, sizeof caps);
        n += 6;
    }
}

limber_result limberi_smear_prepare_lines(limber_smearer* s) {
    if (!s->settings.lines.count)
        return LIMBER_OK;
    surface f;
    limber_result result = open_surface(&f, s);
    if (!result)
        result = spread(s, &f);
    limberi_arena_free(&f.arena);
    if (result || !s->seed_count)
        return result;
    size_t vertices = (size_t)s->seed_count * LINE_VERTICES;
    uint32_t* triangles = LIMBERI_ALLOCATE(&s->arena, uint32_t, 3 * (size_t)s->seed_count * LINE_TRIANGLES);
    s->lines = LIMBERI_ALLOCATE(&s->arena, limberi_smear_line, s->seed_count);
    s->line_positions = LIMBERI_ALLOCATE(&s->arena, float, 3 * vertices);
    s->line_normals = LIMBERI_ALLOCATE(&s->arena, float, 3 * vertices);
    s->line_colors = LIMBERI_ALLOCATE(&s->arena, float, 4 * vertices);
    if (s->arena.failed)
        return LIMBER_ERROR_MEMORY;
    for (uint32_t i = 0; i < s->seed_count; i++)
        fill_triangles(triangles + 3 * (size_t)i * LINE_TRIANGLES, i * LINE_VERTICES);
    limber_smear_mesh* mesh = &s->meshes[s->mesh_count++];
    mesh->kind = LIMBER_SMEAR_KIND_LINES;
    limberi_format(mesh->name, sizeof mesh->name, "lines");
    mesh->vertex_count = (uint32_t)vertices;
    mesh->triangle_count = s->seed_count * LINE_TRIANGLES;
    mesh->triangles = triangles;
    mesh->positions = s->line_positions;
    mesh->normals = s->line_normals;
    mesh->colors = s->line_colors;
    return LIMBER_OK;
}

// --- a frame ---

// The inputs of formulas at a seed, interpolated between its three vertices; a random number is that of the first.
typedef struct seed_inputs {
    float values[LIMBER_VARIABLE_COUNT], layers[LIMBER_EXPRESSION_LAYERS];
} seed_inputs;

static void fill_inputs(const limber_smearer* s, const float* offsets, const limberi_smear_seed* seed,
                        const limber_expression* expression, seed_inputs* held, limber_expression_inputs* in) {
    const limber_mesh* mesh = &s->model->meshes[seed->mesh];
    limberi_smear_seed local = *seed;
    for (int i = 0; i < 3; i++)
        local.vertices[i] -= mesh->first_vertex;
    in->count = 1;
    for (uint32_t name = LIMBER_VARIABLE_FRAME_COUNT; name < LIMBER_VARIABLE_COUNT; name++) {
        const float* array = s->names[seed->mesh].arrays[name];
        held->values[name] = array && name != LIMBER_VARIABLE_RAND ? seed_value(&local, array) : 0;
        if (array && name == LIMBER_VARIABLE_RAND)
            held->values[name] = array[local.vertices[0]];
        in->vertex[name] = &held->values[name];
    }
    held->values[LIMBER_VARIABLE_SPEED] = seed_value(seed, s->speeds);
    held->values[LIMBER_VARIABLE_OFFSET] = seed_value(seed, offsets);
    for (uint32_t l = 0; l < limber_expression_layer_count(expression); l++) {
        const limber_layer* layer = limber_mesh_find_layer(mesh, limber_expression_layer(expression, l));
        held->layers[l] = layer ? seed_value(&local, layer->values) : 1;
        in->layers[l] = &held->layers[l];
    }
}

static float at_seed(const limber_smearer* s, const limber_smear_job* job, const limberi_smear_seed* seed,
                     limber_number number) {
    if (!number.expression)
        return number.value;
    limber_expression_inputs in = limberi_smear_inputs(job);
    seed_inputs held;
    fill_inputs(s, job->offsets, seed, number.expression, &held, &in);
    float out;
    limber_expression_evaluate(number.expression, &in, &out);
    return out;
}

float limberi_smear_seed_until(const limber_smearer* s, uint32_t seed, const limber_expression* expression,
                               uint32_t instruction) {
    limber_expression_inputs in = limber_expression_inputs_default();
    seed_inputs held;
    fill_inputs(s, s->speeds, &s->seeds[seed], expression, &held, &in);
    float out;
    limberi_expression_run_until(expression, &in, instruction, &out);
    return out;
}

static float within_reach(float amount) {
    const float max = (float)LIMBER_SMEAR_REACH;
    amount = amount < max ? amount : max;
    return amount > -max ? amount : -max;
}

// How much of a line there is by the cosine between normal and motion: all from the rim (0) to half way round the back,
// nothing at the front and in the middle of the back.
static float silhouette(const limber_smearer* s, const limber_smear_job* job, const limberi_smear_seed* seed) {
    const float* now = job->now->positions;
    limber_vec3 a = limberi_load3(now + 3 * (size_t)seed->vertices[0]);
    limber_vec3 b = limberi_load3(now + 3 * (size_t)seed->vertices[1]);
    limber_vec3 c = limberi_load3(now + 3 * (size_t)seed->vertices[2]);
    limber_vec3 normal = limberi_normalize(limberi_cross(limberi_sub(b, a), limberi_sub(c, a)));
    limber_vec3 way = limberi_sub(seed_point(seed, s->to), seed_point(seed, s->from));
    float cosine = limberi_dot(normal, limberi_normalize(way));
    return limberi_smoothstep((cosine + 0.8f) / 0.3f) * (1 - limberi_smoothstep((cosine - 0.05f) / 0.25f));
}

static limberi_smear_line plan_line(const limber_smearer* s, const limber_smear_job* job, uint32_t index) {
    const limberi_smear_seed* seed = &s->seeds[index];
    const limber_smear_line_settings* all = &s->settings.lines;
    const limber_smear_line_settings* set = &limberi_smear_of_mesh(s, seed->mesh)->lines;
    const limberi_smear_line none = {0, 0, 0, 0, 0, 0, 0, 0, {0, 0}};
    limberi_smear_line line = none;
    if (index >= all->count || !(seed_value(seed, s->speeds) >= all->min_speed))
        return none;
    float step = (float)s->settings.step;
    float length = set->standard_length ? 8 * seed_value(seed, job->offsets) : at_seed(s, job, seed, set->length);
    length *= step * (s->gains ? seed_value(seed, s->gains) : 1);
    float gap = fabsf(at_seed(s, job, seed, set->gap)) * step;
    line.opacity = limberi_clamp(at_seed(s, job, seed, set->opacity), 0, 1);
    line.radius = at_seed(s, job, seed, set->radius) * s->size * (all->silhouette ? silhouette(s, job, seed) : 1);
    if (!(fabsf(length) > 1e-4f && line.opacity > 0 && line.radius > 0) || (s->past_only && length > 0))
        return none;
    line.start = within_reach(length < 0 ? -gap : gap);
    line.end = within_reach(line.start + length);
    line.taper = limberi_clamp(at_seed(s, job, seed, set->taper), 0, 1);
    line.point = limberi_clamp(at_seed(s, job, seed, set->point), 0, 1);
    line.dry = limberi_clamp(at_seed(s, job, seed, set->dry), 0, 1);
    line.fade = limberi_clamp(at_seed(s, job, seed, set->fade), 0, 1);
    if (s->settings.line_tint.on) {
        line.tint[0] = limberi_clamp(at_seed(s, job, seed, s->settings.line_tint.start), 0, 1);
        line.tint[1] = limberi_clamp(at_seed(s, job, seed, s->settings.line_tint.end), 0, 1);
    }
    return line;
}

void limberi_smear_plan_lines(limber_smearer* s, const limber_smear_job* job, float* min, float* max) {
    for (uint32_t i = 0; i < s->seed_count; i++) {
        limberi_smear_line* line = &s->lines[i];
        *line = plan_line(s, job, i);
        *min = fminf(*min, line->end);
        *max = fmaxf(*max, line->end);
    }
}

static limber_vec3 seed_path(const limberi_smear_seed* seed, const limber_smear_frame* frames, int32_t first,
                             int32_t last, float amount) {
    limber_vec3 p = limberi_vec3(0, 0, 0);
    for (int i = 0; i < 3; i++)
        p = limberi_add(
            p, limberi_scale(limberi_smear_path(frames, first, last, seed->vertices[i], amount), seed->parts[i]));
    return p;
}

static limber_vec3 tangent(const limber_vec3* points, int r, limber_vec3 before) {
    limber_vec3 t = limberi_sub(points[r + 1 < RINGS ? r + 1 : r], points[r > 0 ? r - 1 : r]);
    t = limberi_normalize(t);
    return limberi_dot(t, t) > 0.5f ? t : before;
}

float limberi_smear_ink(uint32_t line, uint32_t ring) {
    return limberi_unit_from_hash(limberi_hash3((int32_t)line, (int32_t)ring, 0x64727921));
}

// Dry strokes have the same breaks in all frames: a random number for each ring, cut off at `dry`.
static float radius_at(const limberi_smear_line* line, uint32_t number, int ring) {
    float t = (float)ring / (RINGS - 1);
    float start = limberi_clamp(1 - 4 * t, 0, 1);
    float ink = limberi_smear_ink(number, (uint32_t)ring);
    float left = line->dry > 0 ? limberi_smoothstep((ink - 1.3f * line->dry) / 0.3f + 1) : 1;
    return line->radius * (1 - line->taper * t) * (1 - line->point * start) * left;
}

// A tube through the points. Its rings turn with the path and do not twist about it.
static void fill_tube(const limberi_smear_line* line, uint32_t number, const limber_vec3* points, float* positions,
                      float* normals) {
    limber_vec3 t = tangent(points, 0, limberi_sub(points[RINGS - 1], points[0]));
    t = limberi_dot(t, t) > 0 ? limberi_normalize(t) : limberi_vec3(0, 1, 0);
    limber_vec3 u = limberi_any_across(t);
    limber_vec3 first = t;
    for (int r = 0; r < RINGS; r++) {
        t = tangent(points, r, t);
        u = limberi_normalize(limberi_sub(u, limberi_scale(t, limberi_dot(u, t))));
        u = limberi_dot(u, u) > 0.5f ? u : limberi_any_across(t);
        limber_vec3 v = limberi_cross(t, u);
        float radius = radius_at(line, number, r);
        for (int k = 0; k < SIDES; k++) {
            float angle = 2 * (float)LIMBERI_PI * (float)k / SIDES;
            limber_vec3 n = limberi_add(limberi_scale(u, cosf(angle)), limberi_scale(v, sinf(angle)));
            limberi_store3(positions + 3 * (SIDES * r + k), limberi_add(points[r], limberi_scale(n, radius)));
            limberi_store3(normals + 3 * (SIDES * r + k), n);
        }
    }
    limberi_store3(positions + 3 * SIDES * RINGS, points[0]);
    limberi_store3(normals + 3 * SIDES * RINGS, limberi_scale(first, -1));
    limberi_store3(positions + 3 * (SIDES * RINGS + 1), points[RINGS - 1]);
    limberi_store3(normals + 3 * (SIDES * RINGS + 1), t);
}

static void fill_colors(const limberi_smear_line* line, const limberi_smear_seed* seed, float* out) {
    for (int i = 0; i < LINE_VERTICES; i++) {
        int ring = i / SIDES;
        if (i >= RINGS * SIDES) // the middles of the two ends
            ring = i == RINGS * SIDES ? 0 : RINGS - 1;
        float along = (float)ring / (RINGS - 1);
        float tint = line->tint[0] + (line->tint[1] - line->tint[0]) * along;
        for (int c = 0; c < 3; c++)
            out[4 * i + c] = seed->color[c] + tint * (seed->second[c] - seed->color[c]);
        out[4 * i + 3] = seed->color[3] * line->opacity * (1 - line->fade * along);
    }
}

void limberi_smear_lines(limber_smearer* s, const limber_smear_frame* frames, int32_t first) {
    limber_smear_mesh* mesh = &s->meshes[s->multiple_count];
    for (uint32_t i = 0; i < s->seed_count; i++) {
        const limberi_smear_line* line = &s->lines[i];
        limber_vec3 points[RINGS];
        for (int r = 0; r < RINGS; r++) {
            float amount = line->start + (line->end - line->start) * (float)r / (RINGS - 1);
            points[r] = seed_path(&s->seeds[i], frames, first, s->reach.last, amount);
        }
        size_t at = (size_t)i * LINE_VERTICES;
        fill_tube(line, i, points, s->line_positions + 3 * at, s->line_normals + 3 * at);
        fill_colors(line, &s->seeds[i], s->line_colors + 4 * at);
        mesh->visible = (i > 0 && mesh->visible) || line->start != line->end;
    }
}
