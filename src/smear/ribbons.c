// The ribbons that thin parts leave behind, and a few strokes beside them: one mesh for all, on the paths of stations.
//
// A ribbon is a lens over a grid: columns along the part, rows back along its way. Its inner edge moves out until it ends
// in a point: a crescent behind what swings, a flame behind what goes all along. Colours and streaks stay where they are
// on the part, so that nothing swims.
#include "base/error.h"
#include "smear/drawn.h"
#include "text/noise.h"

#include <string.h>

enum {
    ROWS = 9,     // back along the way
    MOMENTS = 16, // that the way is measured at
    PLAIN_COLUMNS = 16,
    MAX_COLUMNS = 48,
    RINGS = 9, // of a stroke
    SIDES = 4,
    STROKE_VERTICES = RINGS * SIDES,
    LAST = LIMBERI_STATIONS - 1
};

static const float crescent = 3.2f;    // how late the edges of a ribbon meet
static const float setting_out = 1.1f; // the same behind what has only just set out, which would leave a block
static const float flame = 1.5f;       // the outer edge of a short one comes in earlier
// Travel of the inner end over that of the outer one: from here on they meet nearer to the middle.
static const float even_from = 0.5f;
static const float even_to = 0.9f;
static const float flat = 0.2f;       // less of a ribbon faces outwards where it folds up
static const float calm = 0.5f;       // how much of the mean normal there is in all of them
static const float min_reach = 0.5f;  // weak ribbons are short: faint ink of a dark part would be grey
static const float scrap_to = 0.085f; // of L: ribbons of so little of a limb are none
static const float scrap_from = 0.115f;
static const float soft_edge = 0.04f;   // of the part
static const float short_below = 0.12f; // of L: ribbons that cover less of a part are short
static const float long_from = 0.18f;
static const float thickness = 0.6f;   // of a thin part's; thick ones keep all of theirs
static const float smooth = 0.3f;      // of a place on the path is that of those to either side along the part
static const float begin = 0.4f;       // of its width a ribbon begins behind the middle of a part
static const float max_begin = 0.35f;  // of its age
static const float taper = 0.4f;       // how early thick ones get thin: late ones would be blocks
static const float inside = 0.65f;     // of a thick part's, where it begins: a nose would be under it
static const float thin_depth = 0.02f; // of L
static const float thick_depth = 0.06f;
static const float min_depth = 0.012f;  // of L: as seen from the side
static const float min_stroke = 0.12f;  // of L: shorter ones would be hairs
static const float stroke_end = 0.9f;   // of the age of a ribbon: strokes past its point would be whiskers
static const float min_radius = 0.004f; // of L
static const float faint = 0.1f;        // less of a ribbon is not drawn
static const float ink = 0.5f;          // strokes are the part's colour, darker

static float chance(uint32_t part, uint32_t number, uint32_t what) {
    return limberi_unit_from_hash(limberi_hash3((int32_t)part, (int32_t)number, (int32_t)(0x736d6572u + what)));
}

// --- the mesh ---

static uint32_t ribbon_vertices(const struct limberi_drawn* d) {
    return 2 * ROWS * d->columns;
}

static uint32_t part_vertices(const struct limberi_drawn* d) {
    return ribbon_vertices(d) + d->strokes * STROKE_VERTICES;
}

static uint32_t part_triangles(const struct limberi_drawn* d) {
    return (d->columns ? 2 * 2 * (ROWS - 1) * (d->columns - 1) : 0) + d->strokes * 2 * SIDES * (RINGS - 1);
}

static uint32_t* put_quad(uint32_t* out, uint32_t a, uint32_t b, uint32_t c, uint32_t e) {
    const uint32_t quad[6] = {a, b, c, a, c, e};
    memcpy(out, quad, sizeof quad);
    return out + 6;
}

static void fill_triangles(const struct limberi_drawn* d, uint32_t first, uint32_t* out) {
    for (uint32_t side = 0; side < 2; side++)
        for (uint32_t r = 0; r + 1 < ROWS; r++)
            for (uint32_t c = 0; c + 1 < d->columns; c++) {
                uint32_t a = first + (side * ROWS + r) * d->columns + c;
                uint32_t b = a + d->columns;
                out = side ? put_quad(out, a, b, b + 1, a + 1) : put_quad(out, a, a + 1, b + 1, b);
            }
    first += ribbon_vertices(d);
    for (uint32_t s = 0; s < d->strokes; s++, first += STROKE_VERTICES)
        for (uint32_t r = 0; r + 1 < RINGS; r++)
            for (uint32_t k = 0; k < SIDES; k++) {
                uint32_t next = (k + 1) % SIDES;
                uint32_t a = first + r * SIDES;
                out = put_quad(out, a + k, a + next, a + SIDES + next, a + SIDES + k);
            }
}

limber_result limberi_drawn_open_ribbons(limber_smearer* s) {
    struct limberi_drawn* d = s->drawn;
    const limber_smear_drawn_settings* set = &s->settings.drawn;
    uint32_t streaks = set->streaks + 2 < MAX_COLUMNS ? set->streaks + 2 : MAX_COLUMNS;
    d->columns = set->ribbon > 0 ? (streaks > PLAIN_COLUMNS ? streaks : PLAIN_COLUMNS) : 0;
    d->strokes = set->strokes;
    uint32_t vertices = d->part_count * part_vertices(d);
    uint32_t triangles = d->part_count * part_triangles(d);
    if (!vertices)
        return LIMBER_OK;
    uint32_t* list = LIMBERI_ALLOCATE(&s->arena, uint32_t, 3 * (size_t)triangles);
    d->positions = LIMBERI_ALLOCATE(&s->arena, float, 3 * (size_t)vertices);
    d->normals = LIMBERI_ALLOCATE(&s->arena, float, 3 * (size_t)vertices);
    d->mesh_colors = LIMBERI_ALLOCATE(&s->arena, float, 4 * (size_t)vertices);
    if (s->arena.failed)
        return LIMBER_ERROR_MEMORY;
    for (uint32_t i = 0; i < d->part_count; i++)
        fill_triangles(d, i * part_vertices(d), list + 3 * (size_t)i * part_triangles(d));
    limber_smear_mesh* mesh = &s->meshes[s->mesh_count++];
    mesh->kind = LIMBER_SMEAR_KIND_LINES;
    limberi_format(mesh->name, sizeof mesh->name, "ribbons");
    mesh->vertex_count = vertices;
    mesh->triangle_count = triangles;
    mesh->triangles = list;
    mesh->positions = d->positions;
    mesh->normals = d->normals;
    mesh->colors = d->mesh_colors;
    return LIMBER_OK;
}

// Nothing to be seen: all on one point.
static void hide(struct limberi_drawn* d, limber_vec3 where, uint32_t first, uint32_t count) {
    for (size_t v = first; v < (size_t)first + count; v++) {
        limberi_store3(d->positions + 3 * v, where);
        limberi_store3(d->normals + 3 * v, limberi_vec3(0, 1, 0));
        d->mesh_colors[4 * v + 3] = 0;
    }
}

// --- ribbons ---

// Whether a ribbon may pass over a station without one: the two drawings only just overlap there, as where a sleeve is
// wide, and it is no head or book in the middle of a limb.
static bool passes(const struct limberi_drawn* d, const limberi_drawn_state* s, uint32_t k) {
    return s->gap[k] > d->smearer->settings.drawn.width && s->lean[k] > 0.5f;
}

// Where the ribbon of a part begins and ends along it, 0 ... 1, and how much of it there is.
typedef struct span {
    float first, last, max;
} span;

static float edge_between(const float* ribbon, uint32_t none, uint32_t some, float limit) {
    float t = limberi_clamp((limit - ribbon[none]) / fmaxf(ribbon[some] - ribbon[none], 1e-6f), 0, 1);
    return ((float)none + ((float)some - (float)none) * t) / LAST;
}

// From the outermost place with a ribbon, in the outer half, as far down as there is more than a tenth of it, over places
// that it may pass. What is nearer to the trunk has none.
static span find_span(const struct limberi_drawn* d, const limberi_drawn_state* s) {
    span out = {0, 1, 0};
    uint32_t high = LAST;
    while (high > LAST / 2 && s->ribbon[high] < faint)
        high--;
    uint32_t low = high;
    for (uint32_t k = high + 1; k > 0 && (s->ribbon[k - 1] > 0.1f * out.max || passes(d, s, k - 1)); k--) {
        out.max = fmaxf(out.max, s->ribbon[k - 1]);
        low = s->ribbon[k - 1] > 0.1f * out.max ? k - 1 : low;
    }
    bool to_tip = true;
    for (uint32_t k = high + 1; k < LIMBERI_STATIONS; k++)
        to_tip = to_tip && passes(d, s, k);
    out.first = low > 0 ? edge_between(s->ribbon, low - 1, low, 0.1f * out.max) : 0;
    out.last = to_tip ? 1 : edge_between(s->ribbon, high + 1, high, 0.1f * out.max);
    return out;
}

// The age at which a column ends, of all: neighbours differ a little, and streaks much.
static float column_age(const struct limberi_drawn* d, uint32_t part, float u) {
    uint32_t streaks = d->smearer->settings.drawn.streaks;
    float ragged = streaks ? 0.85f : 0.05f;
    float at = u * (float)(streaks ? streaks : 6);
    uint32_t n = (uint32_t)at;
    float t = at - (float)n;
    if (streaks)
        t = limberi_ss(0.25f, 0.75f, t);
    float random = chance(part, n, 0) * (1 - t) + chance(part, n + 1, 0) * t;
    return 1 - ragged * random;
}

typedef struct grid {
    limber_vec3 points[ROWS][MAX_COLUMNS];
    limber_vec3 normals[ROWS][MAX_COLUMNS];
    float low[ROWS][MAX_COLUMNS]; // how low the skin was there
    float age;                    // of the last row
    float ages[ROWS];             // at equal shares of the way
    float inner[ROWS];            // where the ribbon begins at this age
    float places[ROWS][MAX_COLUMNS];
    float outer[ROWS]; // and where it ends
    float opacity;
    span at;
} grid;

// Short ribbons, as of horns, hands and the end of a ponytail, would be blocks.
static float shortness(const struct limberi_drawn* d, uint32_t part, const span* at) {
    float length = (at->last - at->first) * d->parts[part].length;
    return part >= d->limb_count ? 1 : 1 - limberi_ss(short_below, long_from, length / d->smearer->size);
}

// The ages of the rows: what has just set out ends in a point where it stood, not in a block.
// Returns how steady the motion is: 1 where half of the way takes half of the time, 0 where all of it is new.
static float find_ages(const struct limberi_drawn* d, uint32_t part, float outer, float max, float* ages) {
    float way[MOMENTS + 1];
    limber_vec3 last = limberi_drawn_path(d, part, outer, 0);
    way[0] = 0;
    for (uint32_t i = 1; i <= MOMENTS; i++) {
        limber_vec3 p = limberi_drawn_path(d, part, outer, max * (float)i / MOMENTS);
        way[i] = way[i - 1] + limberi_distance(p, last);
        last = p;
    }
    uint32_t i = 0;
    for (uint32_t r = 0; r < ROWS; r++) {
        float wanted = way[MOMENTS] * (float)r / (ROWS - 1);
        while (i + 2 <= MOMENTS && way[i + 1] < wanted)
            i++;
        float t = (wanted - way[i]) / fmaxf(way[i + 1] - way[i], 1e-9f * d->smearer->size);
        ages[r] = max * ((float)i + limberi_clamp(t, 0, 1)) / MOMENTS;
    }
    return limberi_ss(0.45f, 1, 2 * ages[ROWS / 2] / max);
}

// How near to the middle of the ribbon its edges meet: 0 at the outer one, 1 half way.
static float evenness(const struct limberi_drawn* d, uint32_t part, const span* at) {
    const limberi_drawn_state* s = &d->states[part];
    float outer = limberi_drawn_at(s->travel, at->last * LAST);
    float inner = limberi_drawn_at(s->travel, at->first * LAST);
    float even = limberi_ss(even_from, even_to, inner / fmaxf(outer, 1e-9f * d->smearer->size));
    return fmaxf(even, shortness(d, part, at));
}

// Pieces of a robot do not lie in line: what they leave behind would be crumpled.
static limber_vec3 smooth_path(const struct limberi_drawn* d, uint32_t part, float at, float age) {
    limber_vec3 sides = limberi_add(limberi_drawn_path(d, part, at - 1, age), limberi_drawn_path(d, part, at + 1, age));
    return limberi_lerp(limberi_drawn_path(d, part, at, age), limberi_scale(sides, 0.5f), smooth);
}

// How long ago the part was where its ribbon begins: behind its middle, so that a thin hand is not covered.
static float begin_at(const struct limberi_drawn* d, uint32_t part, float at, float max) {
    const limberi_drawn_state* s = &d->states[part];
    float travel = limberi_drawn_at(s->travel, at);
    return fminf(begin * limberi_drawn_at(s->width, at) / fmaxf(travel, 1e-9f * d->smearer->size), max);
}

static void fill_grid(const struct limberi_drawn* d, uint32_t part, grid* g) {
    bool streaks = d->smearer->settings.drawn.streaks > 0; // they stay where they are on the part
    float stub = shortness(d, part, &g->at);
    float middle = 0.5f * evenness(d, part, &g->at);
    float covered = g->at.last - g->at.first;
    float tip = g->at.last < 1 ? 0 : d->states[part].tip;
    float steady = find_ages(d, part, g->at.last * (LAST + tip), g->age, g->ages);
    float lead = begin_at(d, part, g->at.last * LAST, max_begin * g->age);
    float late = setting_out + (crescent - setting_out) * steady;
    for (uint32_t r = 0; r < ROWS; r++) {
        float x = (float)r / (ROWS - 1);
        g->inner[r] = g->at.first + (1 - middle) * covered * powf(x, late);
        g->outer[r] = g->at.last - middle * covered * powf(x, late + (fminf(flame, late) - late) * stub);
        for (uint32_t c = 0; c < d->columns; c++) {
            float v = (float)c / (float)(d->columns - 1);
            float u =
                streaks ? limberi_clamp(v, g->inner[r], g->outer[r]) : g->inner[r] + (g->outer[r] - g->inner[r]) * v;
            g->places[r][c] = u;
            float ago = lead + g->ages[r] * column_age(d, part, u) * (1 - lead / g->age);
            g->points[r][c] = smooth_path(d, part, u * (LAST + tip), ago);
            g->low[r][c] = limberi_drawn_low(d, part, u * (LAST + tip), ago);
        }
    }
}

// Across the surface at a point, as long as there is surface around it.
static limber_vec3 surface_at(const struct limberi_drawn* d, const grid* g, uint32_t r, uint32_t c) {
    uint32_t left = c > 0 ? c - 1 : c;
    uint32_t right = c + 1 < d->columns ? c + 1 : c;
    limber_vec3 along = limberi_sub(g->points[r][right], g->points[r][left]);
    limber_vec3 past = limberi_sub(g->points[r > 0 ? r - 1 : r][c], g->points[r + 1 < ROWS ? r + 1 : r][c]);
    return limberi_cross(past, along);
}

static limber_vec3 aligned(limber_vec3 v, limber_vec3 to) {
    return limberi_dot(v, to) < 0 ? limberi_scale(v, -1) : v;
}

// All on one side, and where there is hardly any surface, as where a part goes along itself, like those around: a ribbon
// that turns over would be crumpled.
static void find_normals(const struct limberi_drawn* d, uint32_t part, grid* g) {
    const limberi_drawn_state* s = &d->states[part];
    limber_vec3 largest = limberi_cross(limberi_drawn_at3(s->way, LAST), limberi_drawn_at3(s->axis, LAST));
    largest = limberi_scale(largest, 1e-6f * d->smearer->size * d->smearer->size);
    for (uint32_t r = 0; r < ROWS; r++)
        for (uint32_t c = 0; c < d->columns; c++) {
            limber_vec3 n = g->normals[r][c] = surface_at(d, g, r, c);
            largest = limberi_dot(n, n) > limberi_dot(largest, largest) ? n : largest;
        }
    limber_vec3 mean = limberi_vec3(0, 0, 0);
    for (uint32_t r = 0; r < ROWS; r++)
        for (uint32_t c = 0; c < d->columns; c++)
            mean = limberi_add(mean, aligned(g->normals[r][c], largest));
    mean = limberi_scale(mean, 1 / (float)(ROWS * d->columns));
    for (uint32_t r = 0; r < ROWS; r++)
        for (uint32_t c = 0; c < d->columns; c++) {
            limber_vec3 n = limberi_normalize(limberi_add(aligned(g->normals[r][c], mean), limberi_scale(mean, calm)));
            g->normals[r][c] = limberi_dot(n, n) > 0.5f ? n : limberi_vec3(0, 1, 0);
        }
}

static void put_vertex(struct limberi_drawn* d, size_t v, limber_vec3 p, limber_vec3 n, const float* color,
                       float opacity) {
    limberi_store3(d->positions + 3 * v, p);
    limberi_store3(d->normals + 3 * v, n);
    memcpy(d->mesh_colors + 4 * v, color, 3 * sizeof *color);
    d->mesh_colors[4 * v + 3] = color[3] * opacity;
}

// The colour of the part there, mixed from the two stations around.
static void color_at(const struct limberi_drawn* d, uint32_t part, float at, float* color) {
    uint32_t k = (uint32_t)limberi_clamp(at, 0, LAST - 1);
    const float* a = d->colors[part * LIMBERI_STATIONS + k];
    for (int i = 0; i < 4; i++)
        color[i] = a[i] + (a[4 + i] - a[i]) * (at - (float)k);
}

// From the middle of a ribbon to one side of it at a column and an age: thin parts leave a lens, thick ones what fills the
// way they went. The sides meet at both edges, so that nobody looks in between them.
static limber_vec3 side_at(const struct limberi_drawn* d, uint32_t part, const grid* g, uint32_t r, uint32_t c) {
    const limberi_drawn_state* s = &d->states[part];
    float x = (float)r / (ROWS - 1);
    float at = g->places[r][c] * LAST;
    float covered = g->outer[r] - g->inner[r];
    float v = limberi_clamp((g->places[r][c] - g->inner[r]) / fmaxf(covered, 1e-6f), 0, 1);
    float left = limberi_clamp(covered / fmaxf(g->at.last - g->at.first, 1e-6f), 0, 1);
    float depth = limberi_drawn_at(s->depth, at) / d->smearer->size;
    float bulk = limberi_ss(thin_depth, thick_depth, depth);
    float lens = powf(4 * v * (1 - v), 0.35f);
    float sunk = inside + (1 - inside) * limberi_clamp(4 * x, 0, 1);
    float full = sqrtf(fminf(16 * v * (1 - v), 1));
    float share = thickness * (1 - x) * lens * (1 - bulk) + powf(1 - x, taper) * sunk * full * bulk;
    float half = 0.5f * share * powf(left, 0.2f) * d->smearer->size;
    limber_vec3 n = g->normals[r][c];
    limber_vec3 across = limberi_cross(limberi_drawn_at3(s->way, at), limberi_drawn_at3(s->axis, at));
    limber_vec3 aside = limberi_scale(limberi_drawn_at3(s->slant, at), half * depth * bulk);
    limber_vec3 straight = limberi_scale(n, half * fmaxf(depth, min_depth));
    return limberi_dot(across, n) < 0 ? limberi_sub(straight, aside) : limberi_add(straight, aside);
}

static void fill_ribbon(struct limberi_drawn* d, uint32_t part, const grid* g, uint32_t first) {
    for (uint32_t r = 0; r < ROWS; r++)
        for (uint32_t c = 0; c < d->columns; c++) {
            float u = g->places[r][c];
            float color[4];
            color_at(d, part, u * LAST, color);
            float soft = fminf(soft_edge, 0.5f * (g->outer[r] - g->inner[r]) + 0.01f);
            float edge = g->at.first > 0.02f ? limberi_clamp((u - g->inner[r]) / soft, 0, 1) : 1;
            edge *= g->at.last < 1 ? limberi_clamp((g->outer[r] - u) / soft, 0, 1) : 1;
            float opacity = g->opacity * edge;
            limber_vec3 n = g->normals[r][c];
            size_t v = (size_t)first + r * d->columns + c;
            limber_vec3 side = side_at(d, part, g, r, c);
            limber_vec3 sides[2] = {limberi_add(g->points[r][c], side), limberi_sub(g->points[r][c], side)};
            for (size_t i = 0; i < 2; i++) {
                sides[i].y = fmaxf(sides[i].y, g->low[r][c]);
                put_vertex(d, v + i * ROWS * d->columns, sides[i], limberi_scale(n, i ? -1 : 1), color, opacity);
            }
        }
}

// How much of one side of a ribbon faces the way that its normals do, 1 ... -1: what folds up is crumpled.
static float facing(const struct limberi_drawn* d, uint32_t first) {
    float sum = 0;
    float all = 0;
    for (uint32_t i = 0; i < (ROWS - 1) * d->columns - 1; i++) {
        size_t a = 3 * (size_t)(first + i);
        limber_vec3 p = limberi_load3(d->positions + a);
        limber_vec3 right = limberi_sub(limberi_load3(d->positions + a + 3), p);
        limber_vec3 down = limberi_sub(limberi_load3(d->positions + a + 3 * (size_t)d->columns), p);
        limber_vec3 n = (i + 1) % d->columns ? limberi_cross(right, down) : limberi_vec3(0, 0, 0);
        sum += limberi_dot(n, limberi_load3(d->normals + a));
        all += limberi_length(n);
    }
    return sum / fmaxf(all, 1e-30f);
}

// Returns whether there is one.
static bool draw_ribbon(struct limberi_drawn* d, uint32_t part, uint32_t first) {
    const limberi_drawn_state* s = &d->states[part];
    grid g;
    g.at = find_span(d, s);
    float length = (g.at.last - g.at.first) * d->parts[part].length / d->smearer->size;
    float max = g.at.max * (part < d->limb_count ? limberi_ss(scrap_to, scrap_from, length) : 1);
    if (max < faint) {
        hide(d, s->center[0], first, ribbon_vertices(d));
        return false;
    }
    float strength = fminf(3 * (max - faint) / (1 - faint), 1);
    g.opacity = fminf(4 * strength, 1) * d->smearer->settings.drawn.ribbon;
    g.age = (min_reach + (1 - min_reach) * strength) * d->smearer->settings.drawn.ribbon_age;
    fill_grid(d, part, &g);
    find_normals(d, part, &g);
    fill_ribbon(d, part, &g, first);
    if (!d->smearer->settings.drawn.streaks && facing(d, first) < flat) {
        hide(d, s->center[0], first, ribbon_vertices(d));
        return false;
    }
    d->visible = true;
    return true;
}

// --- strokes ---

// A stroke: where along the part it starts, to which side, and from when to when.
typedef struct stroke {
    float at, side, from, to, strength;
} stroke;

static stroke plan_stroke(const struct limberi_drawn* d, uint32_t part, uint32_t n) {
    const limberi_drawn_state* s = &d->states[part];
    stroke k;
    float u = 1 - ((float)n + 0.3f * chance(part, n, 3)) / (float)d->strokes * 0.7f;
    k.at = u * LAST;
    k.side = chance(part, n, 4) - 0.5f;
    k.from = 0.35f + 0.3f * chance(part, n, 5);
    float end = stroke_end * d->smearer->settings.drawn.ribbon_age;
    k.to = k.from + fmaxf(end - k.from, 0) * (0.55f + 0.45f * chance(part, n, 6));
    k.strength = limberi_drawn_at(s->ribbon, k.at);
    return k;
}

static bool fill_points(const struct limberi_drawn* d, uint32_t part, const stroke* k, limber_vec3* points) {
    const limberi_drawn_state* s = &d->states[part];
    limber_vec3 across = limberi_cross(limberi_drawn_at3(s->way, k->at), limberi_drawn_at3(s->axis, k->at));
    limber_vec3 off = limberi_scale(limberi_normalize(across), 0.8f * k->side * limberi_drawn_at(s->depth, k->at));
    float length = 0;
    for (uint32_t r = 0; r < RINGS; r++) {
        float age = k->from + (k->to - k->from) * (float)r / (RINGS - 1);
        points[r] = limberi_add(limberi_drawn_path(d, part, k->at, age), off);
        length += r > 0 ? limberi_distance(points[r], points[r - 1]) : 0;
    }
    return length > fmaxf(limberi_drawn_at(s->width, k->at), min_stroke * d->smearer->size);
}

static void draw_stroke(struct limberi_drawn* d, uint32_t part, uint32_t n, uint32_t first, bool shown) {
    stroke k = plan_stroke(d, part, n);
    limber_vec3 points[RINGS];
    shown = shown && part < d->limb_count && !d->parts[part].stubby && k.strength >= faint;
    if (!shown || !fill_points(d, part, &k, points)) {
        hide(d, d->states[part].center[0], first, STROKE_VERTICES);
        return;
    }
    float color[4];
    color_at(d, part, k.at, color);
    for (int c = 0; c < 3; c++)
        color[c] = d->smearer->settings.lines.colored ? d->smearer->settings.lines.color[c] : ink * color[c];
    float radius = fmaxf(0.03f * limberi_drawn_at(d->states[part].width, k.at), min_radius * d->smearer->size);
    float opacity = 0.65f * fminf(1.5f * (k.strength - faint) / (1 - faint), 1);
    limber_vec3 u = limberi_any_across(limberi_normalize(limberi_sub(points[1], points[0])));
    for (uint32_t r = 0; r < RINGS; r++) {
        float x = (float)r / (RINGS - 1);
        limber_vec3 t = limberi_normalize(limberi_sub(points[r + 1 < RINGS ? r + 1 : r], points[r > 0 ? r - 1 : r]));
        u = limberi_normalize(limberi_sub(u, limberi_scale(t, limberi_dot(u, t))));
        u = limberi_dot(u, u) > 0.5f ? u : limberi_any_across(t);
        limber_vec3 w = limberi_cross(t, u);
        float thick = radius * powf(sinf((float)LIMBERI_PI * limberi_clamp(x, 0.001f, 0.999f)), 0.8f);
        const limber_vec3 ways[SIDES] = {u, w, limberi_scale(u, -1), limberi_scale(w, -1)};
        for (uint32_t i = 0; i < SIDES; i++)
            put_vertex(d, (size_t)first + r * SIDES + i, limberi_add(points[r], limberi_scale(ways[i], thick)), ways[i],
                       color, opacity);
    }
    d->visible = true;
}

void limberi_drawn_ribbons(struct limberi_drawn* d, limber_smear_mesh* mesh) {
    d->visible = false;
    for (uint32_t i = 0; i < d->part_count; i++) {
        uint32_t first = i * part_vertices(d);
        bool shown = !d->columns || draw_ribbon(d, i, first);
        for (uint32_t n = 0; n < d->strokes; n++)
            draw_stroke(d, i, n, first + ribbon_vertices(d) + n * STROKE_VERTICES, shown);
    }
    mesh->visible = d->visible;
}
