// Averaged normals against the plain way: every triangle added to its vertices in doubles, normals turned by angle and
// axis.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "asset/groups.h"
#include "base/math.h"
#include "bench/bench.h"
#include "characters/characters.h"
#include "deform/normals/averager.h"
#include "deform/normals/welds.h"
#include "gpu/packing.h"
#include "kit/random_rigs.h"

typedef struct vector {
    double v[3];
} vector;

static vector vector_of(const float* p) {
    vector a = {{(double)p[0], (double)p[1], (double)p[2]}};
    return a;
}

static double dot(vector a, vector b) {
    return a.v[0] * b.v[0] + a.v[1] * b.v[1] + a.v[2] * b.v[2];
}

static vector cross(vector a, vector b) {
    vector c = {
        {a.v[1] * b.v[2] - a.v[2] * b.v[1], a.v[2] * b.v[0] - a.v[0] * b.v[2], a.v[0] * b.v[1] - a.v[1] * b.v[0]}};
    return c;
}

static vector add_scaled(vector a, vector b, double scale) {
    for (int i = 0; i < 3; i++)
        a.v[i] += b.v[i] * scale;
    return a;
}

static vector unit(vector a) {
    double length = sqrt(dot(a, a));
    vector none = {{0, 0, 0}};
    return length > 0 ? add_scaled(none, a, 1 / length) : none;
}

// --- the plain way ---

// Number of the first vertex at the same place with the same normal.
static uint32_t first_alike(const limber_mesh* mesh, uint32_t u) {
    for (uint32_t t = 0; t < u; t++) {
        if (memcmp(mesh->positions + 3 * (size_t)t, mesh->positions + 3 * (size_t)u, 3 * sizeof(float)) != 0)
            continue;
        vector m = vector_of(mesh->normals + 3 * (size_t)t), n = vector_of(mesh->normals + 3 * (size_t)u);
        if (dot(m, n) > 0.996 * sqrt(dot(m, m) * dot(n, n)))
            return t;
    }
    return u;
}

typedef struct plain {
    uint32_t* weld;                   // [vertex] its first vertex
    vector *before, *after;           // [weld]
    double *before_size, *after_size; // what triangles add up to when they do not cancel
} plain;

static void plain_free(plain* p) {
    free(p->weld);
    free(p->before);
    free(p->after);
    free(p->before_size);
    free(p->after_size);
}

static vector triangle_area(const uint32_t* t, const float* positions) {
    vector a = vector_of(positions + 3 * (size_t)t[0]);
    return cross(add_scaled(vector_of(positions + 3 * (size_t)t[1]), a, -1),
                 add_scaled(vector_of(positions + 3 * (size_t)t[2]), a, -1));
}

static plain plain_sums(const limber_mesh* mesh, bool weld, const float* before, const float* after) {
    size_t count = (size_t)mesh->vertex_count + 1;
    plain p = {malloc(count * sizeof *p.weld), calloc(count, sizeof(vector)), calloc(count, sizeof(vector)),
               calloc(count, sizeof(double)), calloc(count, sizeof(double))};
    for (uint32_t u = 0; u < mesh->vertex_count; u++)
        p.weld[u] = weld ? first_alike(mesh, u) : u;
    for (uint32_t t = 0; t < mesh->triangle_count; t++) {
        const uint32_t* triangle = mesh->triangles + 3 * (size_t)t;
        vector a = triangle_area(triangle, before), b = triangle_area(triangle, after);
        for (int i = 0; i < 3; i++) {
            uint32_t w = p.weld[triangle[i]];
            p.before[w] = add_scaled(p.before[w], a, 1);
            p.after[w] = add_scaled(p.after[w], b, 1);
            p.before_size[w] += sqrt(dot(a, a));
            p.after_size[w] += sqrt(dot(b, b));
        }
    }
    return p;
}

// Rodrigues' formula for the shortest rotation from a to b, unit vectors.
static vector turned(vector n, vector a, vector b) {
    vector axis = cross(a, b);
    double sine = sqrt(dot(axis, axis)), cosine = dot(a, b);
    axis = unit(axis);
    vector out = add_scaled(n, n, cosine - 1);
    out = add_scaled(out, cross(axis, n), sine);
    return add_scaled(out, axis, dot(axis, n) * (1 - cosine));
}

// Directions that float positions, rounded at `size`, do not decide are left out.
static bool is_decided(vector sum, double triangles, double size) {
    return sqrt(dot(sum, sum)) > 0.01 * triangles && triangles > 1e-5 * size * size;
}

// --- a mesh and its averager ---

static limberi_averager* averager_of(const limber_asset* asset) {
    limberi_averager* averager = limberi_averager_create(asset);
    assert_non_null(averager);
    return averager;
}

static void average(limberi_averager* averager, const limber_deform_job* job, limberi_variant variant) {
    limberi_average_job all = {job->positions, job->normals, job->out_positions, job->out_normals, variant};
    limberi_averager_run_everywhere(averager, &all);
}

static float* floats(uint32_t vertices) {
    return calloc(3 * (size_t)vertices + 3, sizeof(float));
}

static float* moved_positions(const limber_model* model, uint64_t seed, float max) {
    test_random random = test_random_seed(seed);
    float* out = floats(model->vertex_count);
    for (uint32_t m = 0; m < model->mesh_count; m++) {
        const limber_mesh* mesh = &model->meshes[m];
        limber_vec3 a = test_random_direction(&random), b = test_random_direction(&random);
        for (uint32_t u = 0; u < mesh->vertex_count; u++) { // alike at one place
            limber_vec3 p = limberi_load3(mesh->positions + 3 * (size_t)u);
            float wave = sinf(3 * limberi_dot(a, p) / model->size) * max * model->size;
            limberi_store3(out + 3 * ((size_t)mesh->first_vertex + u), limberi_add(p, limberi_scale(b, wave)));
        }
    }
    return out;
}

static limber_deform_job job_of(const limber_model* model, const float* moved, float** normals) {
    limber_deform_job job = limber_deform_job_default();
    float *before = floats(model->vertex_count), *from = floats(model->vertex_count);
    *normals = floats(model->vertex_count);
    for (uint32_t m = 0; m < model->mesh_count; m++) {
        const limber_mesh* mesh = &model->meshes[m];
        size_t at = 3 * (size_t)mesh->first_vertex, bytes = 3 * (size_t)mesh->vertex_count * sizeof(float);
        memcpy(before + at, mesh->positions, bytes);
        memcpy(from + at, mesh->normals, bytes);
    }
    memcpy(*normals, from, 3 * (size_t)model->vertex_count * sizeof(float));
    job.positions = before;
    job.normals = from;
    job.out_positions = (float*)(uintptr_t)moved;
    job.out_normals = *normals;
    return job;
}

static void job_free(limber_deform_job* job) {
    free((void*)(uintptr_t)job->positions);
    free((void*)(uintptr_t)job->normals);
    free(job->out_normals);
}

// --- as the graphics card does it, by limber_pack_rings ---

static uint32_t own_rings, listed_rings;

enum { LONGEST_RING = 8192 };

typedef struct ring {
    uint32_t count;
    uint32_t vertices[LONGEST_RING];
    bool starts[LONGEST_RING]; // a fan
} ring;

static void find_ring(const uint32_t* words, uint32_t u, ring* r) {
    const uint32_t* own = words + 4 * (size_t)u;
    r->count = own[0] ? 8 : own[2] - own[1];
    assert_true(r->count <= LONGEST_RING);
    for (uint32_t i = 0; i < r->count; i++) {
        uint32_t word = own[0] ? own[i / 2] >> (16 * (i % 2)) : words[own[1] + i];
        r->vertices[i] = own[0] ? (uint32_t)((int32_t)u + (int16_t)(uint16_t)word) : word / 2;
        r->starts[i] = own[0] ? i == 0 : word % 2;
    }
    own_rings += own[0] != 0;
    listed_rings += !own[0] && r->count;
}

static vector ring_sum(const ring* r, const float* positions) {
    vector sum = {{0, 0, 0}}, a = sum, b = sum;
    for (uint32_t i = 0; i < r->count; i++) {
        vector c = vector_of(positions + 3 * (size_t)r->vertices[i]);
        if (r->starts[i])
            a = c;
        else
            sum = add_scaled(sum, cross(add_scaled(b, a, -1), add_scaled(c, a, -1)), 1);
        b = c;
    }
    return sum;
}

static void average_by_rings(const limber_asset* asset, const limber_deform_job* job) {
    limberi_arena arena = {NULL, false};
    size_t count = 0;
    const uint32_t* words = limberi_pack_make_rings(asset, &arena, &count);
    assert_non_null(words);
    for (uint32_t u = 0; u < limber_asset_model(asset)->vertex_count; u++) {
        static ring r;
        find_ring(words, u, &r);
        vector n = vector_of(job->normals + 3 * (size_t)u);
        n = turned(n, unit(ring_sum(&r, job->positions)), unit(ring_sum(&r, job->out_positions)));
        for (int i = 0; i < 3; i++)
            job->out_normals[3 * (size_t)u + (size_t)i] = (float)n.v[i];
    }
    limberi_arena_free(&arena);
}

static uint32_t compared;

static void compare(const limber_model* model, bool weld, const limber_deform_job* job) {
    for (uint32_t m = 0; m < model->mesh_count; m++) {
        const limber_mesh* mesh = &model->meshes[m];
        size_t at = 3 * (size_t)mesh->first_vertex;
        plain p = plain_sums(mesh, weld, job->positions + at, job->out_positions + at);
        for (uint32_t u = 0; u < mesh->vertex_count; u++) {
            uint32_t w = p.weld[u];
            vector a = unit(p.before[w]), b = unit(p.after[w]), n = vector_of(job->normals + at + 3 * (size_t)u);
            if (!is_decided(p.before[w], p.before_size[w], (double)model->size) ||
                !is_decided(p.after[w], p.after_size[w], (double)model->size) || dot(a, b) < -0.9)
                continue;
            vector away = add_scaled(vector_of(job->out_normals + at + 3 * (size_t)u), turned(n, a, b), -1);
            if (sqrt(dot(away, away)) > 2e-3)
                fail_msg("mesh %u, vertex %u: %g away", m, u, sqrt(dot(away, away)));
            compared++;
        }
        plain_free(&p);
    }
}

static void check(const limber_asset* asset, bool weld, float max) {
    const limber_model* model = limber_asset_model(asset);
    limberi_averager* averager = averager_of(asset);
    float* moved = moved_positions(model, 7, max);
    const limberi_variant variants[] = {LIMBERI_VARIANT_PLAIN, LIMBERI_VARIANT_WIDE, limberi_variant_best()};
    for (int way = 0; way < 4; way++) {
        float* normals;
        limber_deform_job job = job_of(model, moved, &normals);
        if (way < 3)
            average(averager, &job, variants[way]);
        else
            average_by_rings(asset, &job);
        compare(model, weld, &job);
        job_free(&job);
    }
    free(moved);
    limberi_averager_destroy(averager);
}

static limber_asset* flower;

static int make_flower(void** state) {
    (void)state;
    return limberi_character_create("flower", 1, &flower, NULL) == LIMBER_OK ? 0 : 1;
}

static int free_flower(void** state) {
    (void)state;
    limber_asset_destroy(flower);
    return 0;
}

static void check_character(const char* name, const limber_asset* asset) {
    compared = 0;
    check(asset, true, 0.15f);
    print_message("%s: %u normals compared\n", name, compared);
    assert_true(compared > limber_asset_model(asset)->vertex_count);
}

static void characters_have_the_normals_of_the_plain_way(void** state) {
    (void)state;
    static const char* const names[] = {"ball", "cow"};
    check_character("flower", flower);
    for (int i = 0; i < (TEST_SANITIZED ? 1 : 2); i++) {
        limber_asset* asset;
        assert_int_equal(limberi_character_create(names[i], 1, &asset, NULL), LIMBER_OK);
        check_character(names[i], asset);
        limber_asset_destroy(asset);
    }
}

// Triangles between any vertices: fans of all kinds, edges of many triangles, triangles without area.
static void heaps_of_triangles_have_the_normals_of_the_plain_way(void** state) {
    (void)state;
    compared = 0;
    for (uint32_t i = 0; i < 40; i++) {
        test_rig_recipe recipe = test_recipe(i);
        recipe.far_vertex = false;
        limber_asset* asset = test_random_rig(&recipe);
        check(asset, true, 0.15f);
        limber_asset_destroy(asset);
    }
    print_message("%u normals compared; fans of %u vertices in four words, lists of %u\n", compared, own_rings,
                  listed_rings);
    assert_true(compared > 1000);
    assert_true(own_rings > 1000 && listed_rings > 1000);
}

// --- more vertices than 16 bits count ---

enum { SIDE = 260, SHEET = SIDE * SIDE };

// A mesh on one joint.
static limber_asset* asset_of(const float* positions, const float* normals, uint32_t vertex_count,
                              const uint32_t* triangles, uint32_t triangle_count) {
    float* weights = malloc(vertex_count * sizeof *weights);
    uint32_t* first = malloc(((size_t)vertex_count + 1) * sizeof *first);
    uint16_t* joints = calloc(vertex_count, sizeof *joints);
    for (uint32_t i = 0; i < vertex_count; i++) {
        weights[i] = 1;
        first[i] = i;
    }
    first[vertex_count] = vertex_count;
    const int32_t parent = -1;
    const char* name = "root";
    const limber_transform still = {{0, 0, 0}, {0, 0, 0, 1}, {1, 1, 1}};
    const limber_mat4 same = {{1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1}};
    const uint32_t joint = 0;
    limber_skin skin = {.joint_count = 1, .joints = &joint, .joint_from_mesh = &same};
    limber_mesh mesh = {.name = "sheet",
                        .vertex_count = vertex_count,
                        .triangle_count = triangle_count,
                        .positions = positions,
                        .normals = normals,
                        .triangles = triangles,
                        .influence_first = first,
                        .influence_joint = joints,
                        .influence_weight = weights};
    limber_model model = {.struct_size = sizeof model,
                          .rig = {.joint_count = 1, .parents = &parent, .names = &name, .rest_local = &still},
                          .skin_count = 1,
                          .skins = &skin,
                          .mesh_count = 1,
                          .meshes = &mesh};
    limber_asset* asset;
    limber_error error;
    if (limber_asset_create(&model, &asset, &error) != LIMBER_OK)
        fail_msg("%s", error.message);
    free(weights);
    free(first);
    free(joints);
    return asset;
}

// A wavy sheet whose vertices are numbered by `number`.
static limber_asset* sheet_asset(const uint32_t* number) {
    float* positions = floats(SHEET);
    uint32_t *triangles = malloc(6 * SHEET * sizeof *triangles), count = 0;
    for (uint32_t i = 0; i < SHEET; i++) {
        float x = (float)(i % SIDE) / SIDE, y = (float)(i / SIDE) / SIDE;
        limberi_store3(positions + 3 * (size_t)number[i], limberi_vec3(x, y, 0.05f * sinf(9 * x) * cosf(7 * y)));
        if (i % SIDE + 1 == SIDE || i / SIDE + 1 == SIDE)
            continue;
        const uint32_t corners[6] = {i, i + 1, i + SIDE, i + 1, i + SIDE + 1, i + SIDE};
        for (int k = 0; k < 6; k++)
            triangles[count++] = number[corners[k]];
    }
    limber_asset* asset = asset_of(positions, NULL, SHEET, triangles, count / 3);
    free(positions);
    free(triangles);
    return asset;
}

// A wheel whose hub is several vertices that share out the spokes, and others that no triangle uses.
static limber_asset* wheel_asset(uint32_t hubs, uint32_t unused, uint32_t spokes) {
    float *positions = floats(hubs + spokes + unused), *normals = floats(hubs + spokes + unused);
    uint32_t* triangles = malloc(3 * (size_t)spokes * sizeof *triangles);
    for (uint32_t i = 0; i < spokes; i++) {
        float angle = 6.2831853f * (float)i / (float)spokes;
        uint32_t rim = hubs + i, *t = triangles + 3 * (size_t)i;
        limberi_store3(positions + 3 * (size_t)rim, limberi_vec3(cosf(angle), sinf(angle), 0.02f));
        t[0] = i * hubs / spokes;
        t[1] = rim;
        t[2] = hubs + (i + 1) % spokes;
    }
    for (uint32_t i = 0; i < hubs + spokes + unused; i++)
        normals[3 * (size_t)i + 2] = 1;
    limber_asset* asset = asset_of(positions, unused ? normals : NULL, hubs + spokes + unused, triangles, spokes);
    free(positions);
    free(normals);
    free(triangles);
    return asset;
}

static bool any_wide(const limber_asset* asset) {
    limberi_arena arena = {NULL, false};
    limberi_mesh_welds welds;
    bool wide = false;
    assert_int_equal(
        limberi_mesh_welds_make(&arena, &limber_asset_model(asset)->meshes[0], limberi_asset_groups(asset)[0], &welds),
        LIMBER_OK);
    for (uint32_t c = 0; c < welds.chunk_count; c++)
        wide = wide || welds.chunks[c].wide;
    limberi_arena_free(&arena);
    return wide;
}

static void vertices_far_apart_in_a_large_mesh_find_each_other(void** state) {
    (void)state;
    uint32_t* number = malloc(SHEET * sizeof *number);
    test_random random = test_random_seed(11);
    for (uint32_t i = 0; i < SHEET; i++)
        number[i] = i;
    for (int shuffled = 0; shuffled < 2; shuffled++) {
        limber_asset* asset = sheet_asset(number);
        compared = 0;
        assert_true(any_wide(asset) == (shuffled == 1));
        check(asset, false, 0.1f);
        assert_true(compared > SHEET);
        limber_asset_destroy(asset);
        for (uint32_t i = SHEET - 1; i > 0; i--) {
            uint32_t k = test_random_below(&random, i + 1), swap = number[i];
            number[i] = number[k];
            number[k] = swap;
        }
    }
    free(number);
}

static void hubs_of_wheels_turn_however_many_spokes_there_are(void** state) {
    (void)state;
    static const uint32_t hubs[] = {1, 1, 3, 300, 600}, spokes[] = {30, 1500, 1500, 900, 1500};
    for (int i = 0; i < 5; i++) {
        limber_asset* asset = wheel_asset(hubs[i], 0, spokes[i]);
        compared = 0;
        check(asset, true, 0.05f);
        assert_true(compared > hubs[i] + spokes[i]);
        limber_asset_destroy(asset);
    }
}

// As exporters leave them behind.
static void hubs_turn_with_vertices_in_their_place_that_no_triangle_uses(void** state) {
    (void)state;
    for (uint32_t spokes = 3; spokes < 10; spokes++) {
        limber_asset* asset = wheel_asset(1, 1, spokes);
        compared = 0;
        check(asset, true, 0.5f);
        assert_true(compared > spokes);
        limber_asset_destroy(asset);
    }
}

// --- what must stay as it is ---

static void what_did_not_move_keeps_its_normals_to_the_bit(void** state) {
    (void)state;
    const limber_model* model = limber_asset_model(flower);
    limberi_averager* averager = averager_of(flower);
    float* moved = moved_positions(model, 3, 0);
    float* normals;
    limber_deform_job job = job_of(model, moved, &normals);
    average(averager, &job, limberi_variant_best());
    assert_memory_equal(normals, job.normals, 3 * (size_t)model->vertex_count * sizeof(float));
    job_free(&job);
    free(moved);
    limberi_averager_destroy(averager);
}

static limber_pipeline* averaged_pipeline(const limber_asset* asset) {
    limber_stage_settings settings = bench_settings(BENCH_AVERAGED);
    limber_pipeline* pipeline;
    assert_int_equal(limber_pipeline_create_from_settings(asset, &settings, &pipeline, NULL), LIMBER_OK);
    return pipeline;
}

// Joints at rest: what the pipeline skips would not have changed.
static void skipped_groups_are_those_that_would_not_turn(void** state) {
    (void)state;
    limber_asset* moving;
    const limber_model* model = limber_asset_model(flower);
    size_t bytes = 3 * (size_t)model->vertex_count * sizeof(float);
    assert_int_equal(bench_moving_joints(flower, model->rig.joint_count - 3, 3, &moving, NULL), LIMBER_OK);
    limber_pipeline *averaged = averaged_pipeline(moving), *skinning;
    assert_int_equal(limber_pipeline_create(moving, NULL, &skinning, NULL), LIMBER_OK);
    limber_frame x, y;
    assert_int_equal(limber_pipeline_evaluate(averaged, 0, bench_frame_time(1), &x), LIMBER_OK);
    assert_int_equal(limber_pipeline_evaluate(skinning, 0, bench_frame_time(1), &y), LIMBER_OK);
    assert_memory_equal(x.skinned, y.skinned, bytes);
    limberi_averager* averager = averager_of(moving);
    float* normals = floats(model->vertex_count);
    limber_deform_job job = limber_deform_job_default();
    job.positions = x.skinned;
    job.out_positions = (float*)(uintptr_t)x.positions;
    job.normals = y.normals;
    job.out_normals = normals;
    memcpy(normals, y.normals, bytes);
    average(averager, &job, limberi_variant_best());
    assert_memory_equal(normals, x.normals, bytes);
    uint32_t turns = 0;
    for (uint32_t u = 0; u < model->vertex_count; u++)
        turns += memcmp(x.normals + 3 * (size_t)u, y.normals + 3 * (size_t)u, 3 * sizeof(float)) != 0;
    print_message("%u of %u normals turn\n", turns, model->vertex_count);
    assert_true(turns > 0 && turns < model->vertex_count / 2);
    free(normals);
    limberi_averager_destroy(averager);
    limber_pipeline_destroy(averaged);
    limber_pipeline_destroy(skinning);
    limber_asset_destroy(moving);
}

// Cut for textures, the surface must not show it.
static void vertices_of_one_weld_turn_together(void** state) {
    (void)state;
    limber_asset* moving;
    assert_int_equal(bench_moving(flower, &moving, NULL), LIMBER_OK);
    const limber_mesh* mesh = &limber_asset_model(moving)->meshes[0];
    limber_pipeline *averaged = averaged_pipeline(moving), *skinning;
    assert_int_equal(limber_pipeline_create(moving, NULL, &skinning, NULL), LIMBER_OK);
    limber_frame x, y;
    assert_int_equal(limber_pipeline_evaluate(averaged, 0, bench_frame_time(1), &x), LIMBER_OK);
    assert_int_equal(limber_pipeline_evaluate(skinning, 0, bench_frame_time(1), &y), LIMBER_OK);
    uint32_t pairs = 0;
    for (uint32_t u = 0; u < mesh->vertex_count; u++) {
        uint32_t t = first_alike(mesh, u);
        if (t == u || memcmp(y.normals + 3 * (size_t)t, y.normals + 3 * (size_t)u, 3 * sizeof(float)) != 0)
            continue;
        assert_memory_equal(x.normals + 3 * (size_t)t, x.normals + 3 * (size_t)u, 3 * sizeof(float));
        pairs++;
    }
    assert_true(pairs > 10);
    limber_pipeline_destroy(averaged);
    limber_pipeline_destroy(skinning);
    limber_asset_destroy(moving);
}

static size_t bytes_of(const struct limberi_groups* groups, const limberi_mesh_welds* welds) {
    size_t bytes = welds->chunk_count * sizeof *welds->chunks + groups->group_count;
    for (uint32_t c = 0; c < welds->chunk_count; c++) {
        const limberi_weld_chunk* chunk = &welds->chunks[c];
        bytes += chunk->group_count * sizeof *welds->groups;
        for (uint32_t r = 0; r < chunk->run_count; r++) {
            const limberi_weld_run* run = &welds->runs[chunk->run_first + r];
            bytes += sizeof *run + run->fan_count * sizeof *welds->rings;
            bytes += (size_t)run->count * run->entry_count * sizeof *welds->entries << chunk->wide;
        }
    }
    return bytes;
}

static void lists_take_at_most_sixteen_bytes_per_vertex(void** state) {
    (void)state;
    const limber_model* model = limber_asset_model(flower);
    limberi_arena arena = {NULL, false};
    size_t bytes = 0;
    for (uint32_t m = 0; m < model->mesh_count; m++) {
        limberi_mesh_welds welds;
        const struct limberi_groups* groups = limberi_asset_groups(flower)[m];
        assert_int_equal(limberi_mesh_welds_make(&arena, &model->meshes[m], groups, &welds), LIMBER_OK);
        bytes += bytes_of(groups, &welds);
    }
    print_message("%.1f bytes per vertex\n", (double)bytes / model->vertex_count);
    assert_true(bytes < 16 * (size_t)model->vertex_count);
    limberi_arena_free(&arena);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(characters_have_the_normals_of_the_plain_way),
        cmocka_unit_test(heaps_of_triangles_have_the_normals_of_the_plain_way),
        cmocka_unit_test(vertices_far_apart_in_a_large_mesh_find_each_other),
        cmocka_unit_test(hubs_of_wheels_turn_however_many_spokes_there_are),
        cmocka_unit_test(hubs_turn_with_vertices_in_their_place_that_no_triangle_uses),
        cmocka_unit_test(what_did_not_move_keeps_its_normals_to_the_bit),
        cmocka_unit_test(skipped_groups_are_those_that_would_not_turn),
        cmocka_unit_test(vertices_of_one_weld_turn_together),
        cmocka_unit_test(lists_take_at_most_sixteen_bytes_per_vertex),
    };
    return cmocka_run_group_tests_name("average", tests, make_flower, free_flower);
}
