// Finer meshes where elongation would tear coarse ones: no cracks, bounded, everything in the middle of what it was.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/math.h"
#include "characters/characters.h"
#include "kit/failing_memory.h"
#include "kit/models.h"
#include "layer/surface.h"
#include "smear/smear.h"

// --- places and edges ---

// The whole character with vertices at one place taken together, and the sides of its triangles, sorted.
typedef struct net {
    limberi_surface surface;
    size_t count;
    uint64_t* sides; // smaller node << 32 | larger node, as often as triangles have it
    uint32_t* order; // [node] along a slanted line
} net;

static int compare_sides(const void* a, const void* b) {
    const uint64_t x = *(const uint64_t*)a, y = *(const uint64_t*)b;
    return x < y ? -1 : x > y;
}

static float slant(limber_vec3 p) {
    return 0.61f * p.x + 0.53f * p.y + 0.59f * p.z; // few places share it, even in boxes
}

static const net* sorted_net;

static int compare_slants(const void* a, const void* b) {
    float x = slant(sorted_net->surface.positions[*(const uint32_t*)a]);
    float y = slant(sorted_net->surface.positions[*(const uint32_t*)b]);
    return x < y ? -1 : x > y;
}

static void net_open(const limber_model* model, net* n) {
    assert_int_equal(limberi_surface_create(model, &n->surface), LIMBER_OK);
    n->sides = calloc(3 * (size_t)n->surface.triangle_count + 1, sizeof *n->sides);
    n->order = calloc((size_t)n->surface.node_count + 1, sizeof *n->order);
    n->count = 0;
    for (size_t i = 0; i < 3 * (size_t)n->surface.triangle_count; i++) {
        uint64_t a = n->surface.triangles[i], b = n->surface.triangles[i % 3 == 2 ? i - 2 : i + 1];
        n->sides[n->count++] = a < b ? a << 32 | b : b << 32 | a;
    }
    for (uint32_t i = 0; i < n->surface.node_count; i++)
        n->order[i] = i;
    sorted_net = n;
    qsort(n->sides, n->count, sizeof *n->sides, compare_sides);
    qsort(n->order, n->surface.node_count, sizeof *n->order, compare_slants);
}

static void net_close(net* n) {
    limberi_surface_destroy(&n->surface);
    free(n->sides);
    free(n->order);
}

// Length (in L) of the edges that only one triangle has: holes and borders. Cracks make it longer.
static double border_of(const net* n) {
    double sum = 0;
    for (size_t i = 0, end; i < n->count; i = end) {
        for (end = i + 1; end < n->count && n->sides[i] == n->sides[end];)
            end++;
        const limber_vec3* p = n->surface.positions;
        if (end - i == 1)
            sum += (double)limberi_length(limberi_sub(p[n->sides[i] >> 32], p[n->sides[i] & UINT32_MAX]));
    }
    return sum;
}

static bool anything_at(const net* n, limber_vec3 place) {
    const float near = 4e-6f; // rounding; places further apart than 1e-5 are two
    uint32_t low = 0, high = n->surface.node_count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (slant(n->surface.positions[n->order[middle]]) < slant(place) - 2 * near)
            low = middle + 1;
        else
            high = middle;
    }
    for (; low < n->surface.node_count; low++) {
        limber_vec3 p = n->surface.positions[n->order[low]];
        if (slant(p) > slant(place) + 2 * near)
            return false;
        if (limberi_length(limberi_sub(p, place)) < near)
            return true;
    }
    return false;
}

// Whether a vertex lies in the middle of an edge of another triangle, where the surface would open.
static uint32_t hanging_vertices(const net* n) {
    uint32_t found = 0;
    for (size_t i = 0; i < n->count; i++) {
        const limber_vec3* p = n->surface.positions;
        limber_vec3 a = p[n->sides[i] >> 32], b = p[n->sides[i] & UINT32_MAX];
        if (limberi_length(limberi_sub(a, b)) > 2e-5f && (i == 0 || n->sides[i] != n->sides[i - 1]))
            found += anything_at(n, limberi_scale(limberi_add(a, b), 0.5f));
    }
    return found;
}

static void check_nets(const limber_model* old, const limber_model* fine, const char* name) {
    net a, b;
    net_open(old, &a);
    uint32_t hanging = hanging_vertices(&a);
    double border = border_of(&a);
    net_open(fine, &b);
    if (fabs(border_of(&b) - border) > 1e-3 * (border + 0.01))
        fail_msg("%s: borders were %g L long and are %g L", name, border, border_of(&b));
    if (hanging_vertices(&b) > hanging)
        fail_msg("%s: %u vertices hang in edges, %u before", name, hanging_vertices(&b), hanging);
    net_close(&a);
    net_close(&b);
}

static limber_vec3 cross_of(const limber_mesh* mesh, size_t t) {
    limber_vec3 p[3];
    for (size_t c = 0; c < 3; c++)
        p[c] = limberi_load3(mesh->positions + 3 * (size_t)mesh->triangles[3 * t + c]);
    return limberi_cross(limberi_sub(p[1], p[0]), limberi_sub(p[2], p[0]));
}

// Area of some triangles, and what they enclose towards the origin.
static void measure(const limber_mesh* mesh, uint32_t first, uint32_t count, double* area, double* volume) {
    *area = *volume = 0;
    for (size_t t = first; t < (size_t)first + count; t++) {
        limber_vec3 n = cross_of(mesh, t), p = limberi_load3(mesh->positions + 3 * (size_t)mesh->triangles[3 * t]);
        *area += 0.5 * (double)limberi_length(n);
        *volume += (double)limberi_dot(n, p) / 6;
    }
}

// --- splitting by chance ---

static float chance(uint32_t* state) {
    *state = *state * 1664525u + 1013904223u;
    return (float)(*state >> 8) / 16777216.0f;
}

static limber_subdivider* open(const limber_asset* asset) {
    limber_subdivider* subdivider;
    limber_error error;
    if (limber_subdivider_create(asset, &subdivider, &error) != LIMBER_OK)
        fail_msg("%s", error.message);
    return subdivider;
}

static limber_asset* refine(limber_subdivider* subdivider, float threshold, uint32_t limit) {
    limber_asset* refined;
    limber_error error;
    if (limber_subdivider_split(subdivider, threshold, limit, &refined, &error) != LIMBER_OK)
        fail_msg("%s", error.message);
    return refined;
}

// Every vertex somewhere within L of where it is; vertices at one place may even go apart.
static limber_asset* refine_by_chance(const limber_asset* asset, uint32_t seed, float threshold, uint32_t limit) {
    const limber_model* model = limber_asset_model(asset);
    size_t numbers = 3 * (size_t)model->vertex_count;
    float *before = calloc(numbers + 1, sizeof *before), *after = calloc(numbers + 1, sizeof *after);
    for (size_t i = 0; i < numbers; i++)
        after[i] = model->size * chance(&seed);
    limber_subdivider* subdivider = open(asset);
    limber_subdivider_see(subdivider, before, after);
    assert_true(limberi_subdivider_worst(subdivider) > 0);
    limber_asset* refined = refine(subdivider, threshold, limit);
    limber_subdivider_destroy(subdivider);
    free(before);
    free(after);
    return refined;
}

static void check_mesh(const limber_mesh* old, const limber_mesh* fine) {
    double area[2], volume[2];
    measure(old, 0, old->triangle_count, &area[0], &volume[0]);
    measure(fine, 0, fine->triangle_count, &area[1], &volume[1]);
    assert_true(fabs(area[1] - area[0]) < 1e-4 * area[0]);
    assert_true(fabs(volume[1] - volume[0]) < 1e-4 * (fabs(volume[0]) + 1e-3 * pow(area[0], 1.5)));
    assert_int_equal(fine->part_count, old->part_count);
    for (uint32_t p = 0; p < old->part_count; p++) {
        const limber_part *a = &old->parts[p], *b = &fine->parts[p];
        measure(old, a->first_triangle, a->triangle_count, &area[0], &volume[0]);
        measure(fine, b->first_triangle, b->triangle_count, &area[1], &volume[1]);
        assert_int_equal(a->material, b->material);
        assert_true(fabs(area[1] - area[0]) <= 1e-4 * area[0]);
        for (size_t i = 3 * (size_t)b->first_triangle; i < 3 * ((size_t)b->first_triangle + b->triangle_count); i++)
            assert_in_range(fine->triangles[i], b->first_vertex, b->first_vertex + b->vertex_count - 1);
    }
}

// Coarse built-in characters, made once: modelling them takes longer than anything else here.
static const char* const coarse_names[] = {"ball", "cow", "giraffe"};
enum { COARSE_COUNT = 3 };
static limber_asset* coarse[COARSE_COUNT];

static const limber_asset* character(const char* name) {
    uint32_t at = 0;
    limber_error error;
    while (strcmp(coarse_names[at], name) != 0)
        at++;
    if (!coarse[at] && limberi_character_create(name, 0.5, &coarse[at], &error) != LIMBER_OK)
        fail_msg("%s", error.message);
    return coarse[at];
}

static void check_splits(const limber_asset* asset, uint32_t seed, float threshold, const char* name) {
    const limber_model* model = limber_asset_model(asset);
    limber_asset* refined = refine_by_chance(asset, seed, threshold, UINT32_MAX);
    assert_non_null(refined);
    const limber_model* fine = limber_asset_model(refined);
    assert_true(fine->triangle_count > model->triangle_count);
    assert_true(fine->triangle_count <= 4 * model->triangle_count);
    assert_int_equal(fine->mesh_count, model->mesh_count);
    assert_true(fabsf(fine->size - model->size) < 1e-4f * model->size);
    for (uint32_t m = 0; m < model->mesh_count; m++)
        check_mesh(&model->meshes[m], &fine->meshes[m]);
    check_nets(model, fine, name);
    limber_asset_destroy(refined);
}

static void no_cracks_open_wherever_edges_are_split(void** state) {
    (void)state;
    const float thresholds[] = {0.3f, 0.7f, 1.1f};
    for (uint32_t i = 0; i < COARSE_COUNT; i++)
        for (uint32_t k = 0; k < 3; k++)
            check_splits(character(coarse_names[i]), i + k + 1, thresholds[k], coarse_names[i]);
    for (uint32_t i = limberi_character_common_count(); i < test_character_count(); i++) {
        limber_gltf* gltf;
        limber_asset* asset = test_character_load(i, &gltf);
        uint32_t triangles = limber_asset_model(asset)->triangle_count;
        if (triangles > 0 && triangles < 10000)
            check_splits(asset, i, thresholds[i % 3], test_character_name(i));
        test_character_free(asset, gltf);
    }
}

// Nobody says that parts are listed in the order of their triangles.
static void parts_may_come_in_any_order(void** state) {
    (void)state;
    limber_asset *hero = test_built_in("hero", 0.5), *asset;
    limber_model model = *limber_asset_model(hero);
    limber_mesh mesh = model.meshes[0];
    limber_part parts[16];
    assert_in_range(mesh.part_count, 2, 16);
    for (uint32_t p = 0; p < mesh.part_count; p++)
        parts[p] = mesh.parts[mesh.part_count - 1 - p];
    mesh.parts = parts;
    model.meshes = &mesh;
    model.mesh_count = 1;
    assert_int_equal(limber_asset_create(&model, &asset, NULL), LIMBER_OK);
    check_splits(asset, 3, 0.7f, "hero with parts in another order");
    limber_asset_destroy(asset);
    limber_asset_destroy(hero);
}

static void no_more_triangles_than_allowed(void** state) {
    (void)state;
    const limber_asset* asset = character("cow");
    const limber_model* model = limber_asset_model(asset);
    uint32_t before = 0;
    for (uint32_t limit = model->triangle_count; limit < 4 * model->triangle_count;
         limit += model->triangle_count / 3) {
        limber_asset* refined = refine_by_chance(asset, 7, 0.2f, limit);
        uint32_t count = refined ? limber_asset_model(refined)->triangle_count : model->triangle_count;
        assert_true(count <= limit && count >= before);
        assert_true(count + 16 > limit || count > 3 * model->triangle_count); // and it does use them
        if (refined)
            check_nets(model, limber_asset_model(refined), "cow");
        before = count;
        limber_asset_destroy(refined);
    }
}

// --- two triangles with everything ---

// A square of four vertices, two joints, one part with a material.
static limber_asset* make_square(void) {
    static const char* const names[] = {"a", "b"};
    static const int32_t parents[] = {-1, 0};
    static limber_transform rest[2];
    static const uint32_t joints[] = {0, 1};
    static limber_mat4 inverses[2];
    static const float positions[] = {0, 0, 0, 2, 0, 0, 2, 2, 0, 0, 2, 1};
    static const float normals[] = {0, 0, 1, 1, 0, 0, 0, 0, 1, 0, 0, -1};
    static const float uvs[] = {0, 0, 1, 0, 1, 1, 0, 0.5f};
    static const float colors[] = {1, 0, 0, 1, 0, 1, 0, 1, 0, 0, 1, 0.5f, 1, 1, 1, 1};
    static const uint32_t triangles[] = {0, 1, 2, 0, 2, 3};
    static const uint32_t first[] = {0, 1, 3, 4, 5};
    static const uint16_t joint[] = {0, 0, 1, 1, 0};
    static const float weight[] = {1, 0.5f, 0.5f, 1, 1};
    static const float morph_positions[] = {0, 0, 1, 0, 0, 2, 0, 0, 3, 0, 0, 5};
    static const limber_morph morph = {"m", morph_positions, NULL};
    static const float values[] = {0, 1, -1, 0.5f};
    static const limber_layer layer = {"l", values};
    static const limber_part part = {0, 4, 0, 2, -1};
    rest[0] = rest[1] = limber_transform_identity();
    inverses[0] = inverses[1] = limber_mat4_identity();
    limber_skin skin = {"skin", 2, joints, inverses, limber_mat4_identity()};
    limber_mesh mesh;
    memset(&mesh, 0, sizeof mesh);
    mesh.name = mesh.node_name = "square";
    mesh.vertex_count = 4;
    mesh.triangle_count = 2;
    mesh.positions = positions;
    mesh.normals = normals;
    mesh.uvs = uvs;
    mesh.colors = colors;
    mesh.triangles = triangles;
    mesh.influence_first = first;
    mesh.influence_joint = joint;
    mesh.influence_weight = weight;
    mesh.part_count = 1;
    mesh.parts = &part;
    mesh.morph_count = 1;
    mesh.morphs = &morph;
    mesh.layer_count = 1;
    mesh.layers = &layer;
    limber_model model = limber_model_default();
    model.rig.joint_count = 2;
    model.rig.names = names;
    model.rig.parents = parents;
    model.rig.rest_local = rest;
    model.skin_count = 1;
    model.skins = &skin;
    model.mesh_count = 1;
    model.meshes = &mesh;
    limber_asset* asset;
    limber_error error;
    if (limber_asset_create(&model, &asset, &error) != LIMBER_OK)
        fail_msg("%s", error.message);
    return asset;
}

static float weight_on(const limber_mesh* mesh, uint32_t vertex, uint16_t joint) {
    float sum = 0;
    for (uint32_t i = mesh->influence_first[vertex]; i < mesh->influence_first[vertex + 1]; i++)
        sum += mesh->influence_joint[i] == joint ? mesh->influence_weight[i] : 0;
    return sum;
}

// Vertex k of `fine` against the middle of a and b of `old`.
static void check_middle(const limber_mesh* old, const limber_mesh* fine, uint32_t k, uint32_t a, uint32_t b) {
    const struct {
        const float *from, *to;
        size_t width;
    } arrays[] = {{old->positions, fine->positions, 3},
                  {old->uvs, fine->uvs, 2},
                  {old->colors, fine->colors, 4},
                  {old->layers[0].values, fine->layers[0].values, 1},
                  {old->morphs[0].positions, fine->morphs[0].positions, 3}};
    for (size_t i = 0; i < sizeof arrays / sizeof arrays[0]; i++)
        for (size_t c = 0; c < arrays[i].width; c++) {
            size_t w = arrays[i].width;
            float middle = 0.5f * (arrays[i].from[w * a + c] + arrays[i].from[w * b + c]);
            assert_true(arrays[i].to[w * k + c] == middle);
        }
    for (uint16_t j = 0; j < 2; j++)
        assert_true(weight_on(fine, k, j) == 0.5f * (weight_on(old, a, j) + weight_on(old, b, j)));
    limber_vec3 n = limberi_load3(fine->normals + 3 * (size_t)k);
    limber_vec3 sum =
        limberi_add(limberi_load3(old->normals + 3 * (size_t)a), limberi_load3(old->normals + 3 * (size_t)b));
    assert_true(fabsf(limberi_length(n) - 1) < 1e-6f);
    assert_true(limberi_length(sum) == 0 || limberi_length(limberi_cross(n, sum)) < 1e-6f);
}

static void new_vertices_are_half_way_in_everything(void** state) {
    (void)state;
    limber_asset* asset = make_square();
    const limber_mesh* old = &limber_asset_model(asset)->meshes[0];
    for (uint32_t moved = 0; moved < 4; moved++) {
        float before[12] = {0}, after[12] = {0};
        after[3 * moved] = 1; // the edges at this vertex, and no other, are pulled
        limber_subdivider* subdivider = open(asset);
        limber_subdivider_see(subdivider, before, after);
        assert_true(limberi_subdivider_worst(subdivider) == 1);
        limber_asset* refined = refine(subdivider, 0.1f, UINT32_MAX);
        const limber_mesh* fine = &limber_asset_model(refined)->meshes[0];
        uint32_t edges = moved % 2 ? 2 : 3; // corners of one triangle, or of both
        assert_int_equal(fine->vertex_count, 4 + edges);
        assert_int_equal(fine->triangle_count, moved % 2 ? 4 : 6);
        assert_string_equal(limber_asset_model(refined)->rig.names[1], "b");
        for (uint32_t k = 4; k < fine->vertex_count; k++) {
            uint32_t found = UINT32_MAX;
            for (uint32_t other = 0; other < 4; other++)
                if (other != moved &&
                    fine->positions[3 * k] == 0.5f * (old->positions[3 * moved] + old->positions[3 * other]) &&
                    fine->positions[3 * k + 1] ==
                        0.5f * (old->positions[3 * moved + 1] + old->positions[3 * other + 1]))
                    found = other;
            assert_true(found < 4);
            check_middle(old, fine, k, moved, found);
        }
        for (uint32_t u = 0; u < 4; u++)
            check_middle(old, fine, u, u, u);
        limber_asset_destroy(refined);
        limber_subdivider_destroy(subdivider);
    }
    limber_asset_destroy(asset);
}

static void what_moves_as_one_stays_as_it_is(void** state) {
    (void)state;
    const limber_asset* asset = character("cow");
    const limber_model* model = limber_asset_model(asset);
    size_t numbers = 3 * (size_t)model->vertex_count;
    float *before = calloc(numbers, sizeof *before), *after = calloc(numbers, sizeof *after);
    limber_subdivider* subdivider = open(asset);
    limber_subdivider_see(subdivider, before, after);
    assert_true(limberi_subdivider_worst(subdivider) == 0);
    assert_null(refine(subdivider, 0, UINT32_MAX));
    for (size_t i = 0; i < numbers; i++)
        after[i] = 5 + 0.004f * model->size * (float)(i / 3 % 2);
    limber_subdivider_see(subdivider, before, after);
    assert_null(refine(subdivider, 0.02f, UINT32_MAX));
    limber_asset* finer = refine(subdivider, 0.001f, UINT32_MAX);
    assert_non_null(finer);
    limber_asset_destroy(finer);
    limber_error error;
    assert_int_equal(limber_subdivider_split(subdivider, -1, 100, &finer, &error), LIMBER_ERROR_ARGUMENT);
    limber_subdivider_destroy(subdivider);
    limber_subdivider_destroy(NULL);
    free(before);
    free(after);
}

// Many joints at both ends: the largest weights stay.
static void new_vertices_have_at_most_eight_joints(void** state) {
    (void)state;
    const limber_asset* asset = character("giraffe");
    limber_model model = *limber_asset_model(asset);
    limber_mesh mesh = model.meshes[0];
    uint32_t* first = calloc((size_t)mesh.vertex_count + 1, sizeof *first);
    uint16_t* joint = calloc(10 * (size_t)mesh.vertex_count, sizeof *joint);
    float* weight = calloc(10 * (size_t)mesh.vertex_count, sizeof *weight);
    for (uint32_t u = 0; u < mesh.vertex_count; u++) {
        first[u + 1] = 10 * (u + 1);
        for (uint32_t i = 0; i < 10; i++) {
            joint[10 * u + i] = (uint16_t)(u % 3 * 10 + i);
            weight[10 * u + i] = (float)(i + 1);
        }
    }
    mesh.influence_first = first;
    mesh.influence_joint = joint;
    mesh.influence_weight = weight;
    model.meshes = &mesh;
    limber_asset* many;
    limber_error error;
    if (limber_asset_create(&model, &many, &error) != LIMBER_OK)
        fail_msg("%s", error.message);
    limber_asset* refined = refine_by_chance(many, 3, 0.1f, UINT32_MAX);
    const limber_mesh* fine = &limber_asset_model(refined)->meshes[0];
    uint32_t kept = 0;
    for (uint32_t u = 0; u < fine->vertex_count; u++) {
        uint32_t count = fine->influence_first[u + 1] - fine->influence_first[u];
        float sum = 0;
        for (uint32_t i = fine->influence_first[u]; i < fine->influence_first[u + 1]; i++)
            sum += fine->influence_weight[i];
        assert_true(fabsf(sum - 1) < 1e-5f);
        assert_true(count == 10 || count == 8);
        kept += count == 10;
    }
    assert_int_equal(kept, mesh.vertex_count);
    limber_asset_destroy(refined);
    limber_asset_destroy(many);
    free(first);
    free(joint);
    free(weight);
}

// --- through the pipeline ---

enum { FIRST_FRAME = 24, LAST_FRAME = 34 }; // the dash

// The largest difference of displacements along an edge, in L, over the dash.
static double worst_tear(const limber_asset* asset, const limber_stage_settings* settings, uint32_t clip) {
    limber_pipeline* pipeline;
    limber_error error;
    if (limber_pipeline_create_from_settings(asset, settings, &pipeline, &error) != LIMBER_OK)
        fail_msg("%s", error.message);
    const limber_clip* moves = &limber_asset_model(asset)->clips[clip];
    limber_subdivider* subdivider = open(asset);
    for (uint32_t f = FIRST_FRAME; f <= LAST_FRAME; f++) {
        limber_smeared smeared;
        double time_s = limber_clip_frame_time(moves, 30, f);
        assert_int_equal(limber_pipeline_evaluate_smeared(pipeline, (int32_t)clip, time_s, 30, &smeared), LIMBER_OK);
        limber_subdivider_see(subdivider, smeared.deformed, smeared.frame.positions);
    }
    double worst = (double)(limberi_subdivider_worst(subdivider) / limber_asset_model(asset)->size);
    limber_subdivider_destroy(subdivider);
    limber_pipeline_destroy(pipeline);
    return worst;
}

static limber_result subdivide_frames(const limber_asset* asset, const limber_stage_settings* settings,
                                      const limber_bake_settings* frames, limber_asset** refined, limber_error* error) {
    limber_pipeline* pipeline;
    assert_int_equal(limber_pipeline_create_from_settings(asset, settings, &pipeline, error), LIMBER_OK);
    limber_result result = limber_pipeline_subdivide(pipeline, frames, refined, error);
    limber_pipeline_destroy(pipeline);
    return result;
}

static limber_asset* subdivide(const limber_asset* asset, const limber_stage_settings* settings, uint32_t clip) {
    limber_bake_settings frames = limber_bake_settings_default();
    limber_asset* refined;
    limber_error error;
    frames.clips = &clip;
    frames.clip_count = 1;
    frames.fps = 30;
    frames.range_start_s = FIRST_FRAME / 30.0;
    frames.range_end_s = LAST_FRAME / 30.0;
    if (subdivide_frames(asset, settings, &frames, &refined, &error) != LIMBER_OK)
        fail_msg("%s", error.message);
    return refined;
}

static void every_level_halves_the_largest_tear_of_a_coarse_ball(void** state) {
    (void)state;
    const limber_asset* ball = character("ball");
    const limber_model* model = limber_asset_model(ball);
    uint32_t clip = (uint32_t)limber_model_find_clip(model, "dash-stop"), triangles = model->triangle_count;
    limber_expression* amount;
    limber_error error;
    assert_int_equal(limber_expression_create("2 * offset", NULL, &amount, &error), LIMBER_OK);
    limber_stage_settings settings = limber_stage_settings_default();
    settings.smear.elongate.amount.expression = amount;
    assert_null(subdivide(ball, &settings, clip)); // off unless asked for
    settings.smear.elongate.tear = 0.001f;
    double before = worst_tear(ball, &settings, clip);
    print_message("%u triangles: %.4f L\n", triangles, before);
    for (uint32_t levels = 1; levels <= LIMBER_SMEAR_LEVELS; levels++) {
        settings.smear.elongate.subdivide = levels;
        limber_asset* refined = subdivide(ball, &settings, clip);
        assert_non_null(refined);
        const limber_model* fine = limber_asset_model(refined);
        double after = worst_tear(refined, &settings, clip);
        print_message("%u triangles: %.4f L\n", fine->triangle_count, after);
        assert_true(fine->triangle_count > triangles && fine->triangle_count <= 4 * triangles);
        assert_true(after < 0.7 * before);
        triangles = fine->triangle_count;
        before = after;
        limber_asset_destroy(refined);
    }
    settings.smear.elongate.tear = 1; // nothing tears by as much
    assert_null(subdivide(ball, &settings, clip));
    limber_expression_destroy(amount);
}

static void only_where_it_tears(void** state) {
    (void)state;
    const limber_asset* ball = character("ball");
    const limber_model* model = limber_asset_model(ball);
    uint32_t clip = (uint32_t)limber_model_find_clip(model, "dash-stop");
    limber_stage_settings settings = limber_stage_settings_default();
    settings.smear.elongate.amount.value = -2; // all of it: nothing is stretched but by a turn
    settings.smear.elongate.subdivide = 3;
    settings.smear.step = 2;
    double worst = worst_tear(ball, &settings, clip);
    limber_asset* refined = subdivide(ball, &settings, clip);
    assert_true((refined != NULL) == (worst > 0.02));
    limber_asset_destroy(refined);
    limber_bake_settings frames = limber_bake_settings_default();
    uint32_t wrong = 99;
    limber_error error;
    frames.clips = &wrong;
    frames.clip_count = 1;
    assert_int_equal(subdivide_frames(ball, &settings, &frames, &refined, &error), LIMBER_ERROR_ARGUMENT);
    assert_null(refined);
}

static void each_failing_allocation_is_reported(void** state) {
    (void)state;
    const limber_asset* asset = character("ball");
    const limber_model* model = limber_asset_model(asset);
    float* after = calloc(3 * (size_t)model->vertex_count, sizeof *after);
    float* before = calloc(3 * (size_t)model->vertex_count, sizeof *before);
    for (size_t u = 0; u < model->vertex_count; u += 3)
        after[3 * u] = model->size;
    long failures = 0;
    for (bool done = false; !done; failures++) {
        limber_subdivider* subdivider;
        limber_asset* refined = NULL;
        limber_error error;
        test_memory_allow(failures);
        limber_result result = limber_subdivider_create(asset, &subdivider, &error);
        if (!result) {
            limber_subdivider_see(subdivider, before, after);
            result = limber_subdivider_split(subdivider, 0.1f, UINT32_MAX, &refined, &error);
        }
        done = !test_memory_end();
        assert_int_equal(result, done ? LIMBER_OK : LIMBER_ERROR_MEMORY);
        limber_asset_destroy(refined);
        limber_subdivider_destroy(subdivider);
    }
    assert_true(failures > 20);
    free(before);
    free(after);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_cracks_open_wherever_edges_are_split),
        cmocka_unit_test(parts_may_come_in_any_order),
        cmocka_unit_test(no_more_triangles_than_allowed),
        cmocka_unit_test(new_vertices_are_half_way_in_everything),
        cmocka_unit_test(what_moves_as_one_stays_as_it_is),
        cmocka_unit_test(new_vertices_have_at_most_eight_joints),
        cmocka_unit_test(every_level_halves_the_largest_tear_of_a_coarse_ball),
        cmocka_unit_test(only_where_it_tears),
        cmocka_unit_test(each_failing_allocation_is_reported),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    for (uint32_t i = 0; i < COARSE_COUNT; i++)
        limber_asset_destroy(coarse[i]);
    return failed;
}
