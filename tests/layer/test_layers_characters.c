// Layers of whole characters: what they say about the built-in ones, what must not change them, and formulas.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/math.h"
#include "characters/characters.h"
#include "kit/models.h"
#include "kit/surfaces.h"

static float* take(const limber_model* model) {
    float* values = malloc((model->vertex_count + 1) * sizeof *values);
    assert_non_null(values);
    return values;
}

// Building a character takes longer than painting it, so each is built once.
enum { MAX_CHARACTERS = 16 };
static limber_asset* built[MAX_CHARACTERS];

static const limber_model* character(const char* name) {
    for (uint32_t i = 0; i < limberi_character_common_count() && i < MAX_CHARACTERS; i++) {
        limber_error error;
        if (strcmp(limberi_character_at(i)->name, name) != 0)
            continue;
        if (!built[i] && limberi_character_create(name, 1, &built[i], &error) != LIMBER_OK)
            fail_msg("%s: %s", name, error.message);
        return limber_asset_model(built[i]);
    }
    fail_msg("there is no character %s", name);
    return NULL;
}

static int free_characters(void** state) {
    (void)state;
    for (uint32_t i = 0; i < MAX_CHARACTERS; i++)
        limber_asset_destroy(built[i]);
    return 0;
}

enum { THICKNESS, HEIGHT, DISTANCE, SMOOTHED, SKIRT, KINDS };
static const char* const kind_names[KINDS] = {"thickness", "height", "distance", "smoothed height", "skirt"};

static void paint(const limber_model* model, int kind, uint32_t joint, float* values) {
    limber_error error;
    limber_result result = LIMBER_OK;
    bool found;
    if (kind == SKIRT)
        result = limber_layer_skirt(model, values, &found, &error);
    if (kind == THICKNESS)
        result = limber_layer_thickness(model, values, &error);
    if (kind == HEIGHT || kind == SMOOTHED)
        result = limber_layer_height(model, values, &error);
    if (kind == DISTANCE)
        result = limber_layer_joint_distance(model, joint, values, &error);
    if (!result && kind == SMOOTHED)
        result = limber_layer_smooth(model, 10, values, &error);
    if (result)
        fail_msg("%s: %s", kind_names[kind], error.message);
}

// ---- what layers say ----

// Mean over the vertices that hang mostly on joints whose names start like this.
static float mean_of(const limber_model* model, const float* values, const char* joint) {
    double sum = 0, count = 0;
    for (uint32_t m = 0; m < model->mesh_count; m++) {
        const limber_mesh* mesh = &model->meshes[m];
        for (uint32_t u = 0; u < mesh->vertex_count; u++) {
            for (uint32_t i = mesh->influence_first[u]; i < mesh->influence_first[u + 1]; i++) {
                const char* name = model->rig.names[model->skins[mesh->skin].joints[mesh->influence_joint[i]]];
                if (strncmp(name, joint, strlen(joint)) != 0 || mesh->influence_weight[i] < 0.9f)
                    continue;
                sum += (double)values[mesh->first_vertex + u];
                count++;
            }
        }
    }
    if (!(count > 0))
        fail_msg("nothing hangs on %s", joint);
    return (float)(sum / count);
}

static void ears_tail_and_horns_of_the_cow_are_thinner_than_its_belly(void** state) {
    (void)state;
    const limber_model* model = character("cow");
    float* values = take(model);
    paint(model, THICKNESS, 0, values);
    float belly = mean_of(model, values, "Hips"), legs = mean_of(model, values, "LegFrontLower");
    assert_true(belly < 0.1f);
    assert_true(legs > belly + 0.2f);
    assert_true(mean_of(model, values, "Ear") > legs + 0.1f);
    assert_true(mean_of(model, values, "Tail3") > legs + 0.1f);
    assert_true(mean_of(model, values, "Horns") > legs);
    free(values);
}

static void the_skirt_of_the_dancer_is_thinner_than_her_arms_and_they_than_her_head(void** state) {
    (void)state;
    const limber_model* model = character("dancer");
    float* values = take(model);
    paint(model, THICKNESS, 0, values);
    float arm = mean_of(model, values, "ArmLower");
    assert_true(mean_of(model, values, "SkirtLower") > 0.95f);
    assert_true(arm < 0.7f && arm > mean_of(model, values, "Head") + 0.2f);
    free(values);
}

// Only the skirt, and rising towards the hem as she is painted.
static void the_skirt_of_the_dancer_is_found_as_it_is_painted(void** state) {
    (void)state;
    const limber_model* model = character("dancer");
    float* values = take(model);
    paint(model, SKIRT, 0, values);
    double n = 0, x = 0, y = 0, xx = 0, yy = 0, xy = 0;
    for (uint32_t m = 0; m < model->mesh_count; m++) {
        const limber_layer* painted = limber_mesh_find_layer(&model->meshes[m], "skirt");
        for (uint32_t u = 0; u < model->meshes[m].vertex_count; u++) {
            double a = painted ? (double)painted->values[u] : 0, b = (double)values[model->meshes[m].first_vertex + u];
            assert_true(a > 0 || b == 0);
            assert_true(a < 0.4 || b > 0); // the joint above the legs is a good way below the waist
            if (!(a > 0))
                continue;
            n++;
            x += a;
            y += b;
            xx += a * a;
            yy += b * b;
            xy += a * b;
        }
    }
    double alike = (n * xy - x * y) / sqrt((n * xx - x * x) * (n * yy - y * y));
    print_message("%g vertices, correlation with the painted layer %.3f\n", n, alike);
    assert_true(n > 1000 && alike > 0.95);
    free(values);
}

static void only_the_dancer_wears_a_skirt(void** state) {
    (void)state;
    for (uint32_t i = 0; i < limberi_character_common_count(); i++) {
        const char* name = limberi_character_at(i)->name;
        const limber_model* model = character(name);
        float* values = take(model);
        bool found;
        assert_int_equal(limber_layer_skirt(model, values, &found, NULL), LIMBER_OK);
        assert_int_equal(found, strcmp(name, "dancer") == 0);
        for (uint32_t u = 0; u < model->vertex_count; u++)
            assert_true(found || values[u] == 0);
        free(values);
    }
}

static void distance_from_the_head_of_the_cow_ends_at_its_tail(void** state) {
    (void)state;
    const limber_model* model = character("cow");
    float* values = take(model);
    paint(model, DISTANCE, (uint32_t)limber_rig_find_joint(&model->rig, "Head"), values);
    assert_true(mean_of(model, values, "Head") < 0.2f);
    assert_true(mean_of(model, values, "Tail4") > 0.85f);
    assert_true(mean_of(model, values, "LegHindHoof") > mean_of(model, values, "LegFrontHoof") + 0.2f);
    free(values);
}

// A joint that holds nothing itself, but whose children do, is where they are.
static void distance_from_a_joint_that_only_carries_others_starts_at_what_they_hold(void** state) {
    (void)state;
    const limber_model* model = character("cow");
    float* values = take(model);
    paint(model, DISTANCE, (uint32_t)limber_rig_find_joint(&model->rig, "Root"), values);
    float min = 1;
    for (uint32_t u = 0; u < model->vertex_count; u++)
        min = fminf(min, values[u]);
    assert_true(min == 0);
    free(values);
}

// ---- every character ----

static const float* places;

static int compare_places(const void* a, const void* b) {
    return memcmp(places + 3 * (size_t) * (const uint32_t*)a, places + 3 * (size_t) * (const uint32_t*)b,
                  3 * sizeof(float));
}

// Vertices at exactly the same place are next to each other after sorting.
static void check_same_places(const limber_model* model, const float* values, const char* what) {
    float* rest = malloc(3 * (size_t)model->vertex_count * sizeof *rest);
    uint32_t* order = malloc(model->vertex_count * sizeof *order);
    for (uint32_t m = 0; m < model->mesh_count; m++)
        limber_mesh_rest_positions(model, &model->meshes[m], rest + 3 * (size_t)model->meshes[m].first_vertex);
    for (uint32_t u = 0; u < model->vertex_count; u++)
        order[u] = u;
    places = rest;
    qsort(order, model->vertex_count, sizeof *order, compare_places);
    for (uint32_t i = 1; i < model->vertex_count; i++)
        if (compare_places(&order[i - 1], &order[i]) == 0 && values[order[i - 1]] != values[order[i]])
            fail_msg("%s: vertices %u and %u are at one place but %g and %g", what, order[i - 1], order[i],
                     (double)values[order[i - 1]], (double)values[order[i]]);
    free(rest);
    free(order);
}

static void layers_of_every_character_are_numbers_from_0_to_1(void** state) {
    (void)state;
    for (uint32_t i = 0; i < test_character_count(); i++) {
        limber_gltf* gltf = NULL;
        bool built_in = i < limberi_character_common_count();
        limber_asset* asset = built_in ? NULL : test_character_load(i, &gltf);
        const limber_model* model = built_in ? character(test_character_name(i)) : limber_asset_model(asset);
        float* values = take(model);
        for (int kind = 0; kind < KINDS; kind++) {
            uint32_t last = kind == DISTANCE ? model->rig.joint_count - 1 : 0;
            for (uint32_t joint = 0; joint <= last; joint += last / 3 + 1) {
                paint(model, kind, joint, values);
                for (uint32_t u = 0; u < model->vertex_count; u++)
                    if (!(values[u] >= 0 && values[u] <= 1))
                        fail_msg("%s: %s of vertex %u is %g", test_character_name(i), kind_names[kind], u,
                                 (double)values[u]);
                check_same_places(model, values, test_character_name(i));
            }
        }
        free(values);
        test_character_free(asset, gltf);
    }
}

// ---- what must not change them ----

// Rays that graze an edge may go either way, so single vertices may differ a little more than all of them together.
static void compare_values(const char* what, const float* a, const float* b, const uint32_t* from, uint32_t count,
                           double max, double mean) {
    double sum = 0;
    for (uint32_t u = 0; u < count; u++) {
        double away = fabs((double)a[u] - (double)b[from ? from[u] : u]);
        sum += away / count;
        if (!(away <= max))
            fail_msg("%s: vertex %u is %g and not %g", what, u, (double)a[u], (double)b[from ? from[u] : u]);
    }
    if (!(sum <= mean))
        fail_msg("%s: values are %g off on average", what, sum);
}

static void compare_forms(const char* name, limber_asset* (*form)(const limber_model* model, uint32_t* from)) {
    const limber_model* model = character(name);
    assert_int_equal(model->mesh_count, 1);
    uint32_t* from = malloc(3 * (size_t)model->triangle_count * sizeof *from);
    limber_asset* other = form(model, from);
    const limber_model* changed = limber_asset_model(other);
    float *values = take(model), *others = take(changed);
    for (int kind = 0; kind < KINDS; kind++) {
        paint(model, kind, model->rig.joint_count / 2, values);
        paint(changed, kind, model->rig.joint_count / 2, others);
        bool rays = kind == THICKNESS;
        compare_values(kind_names[kind], others, values, from, changed->vertex_count, rays ? 0.05 : 1e-4,
                       rays ? 1e-4 : 1e-5);
    }
    free(from);
    free(values);
    free(others);
    limber_asset_destroy(other);
}

static void order_of_vertices_and_triangles_does_not_matter(void** state) {
    (void)state;
    compare_forms("cow", test_asset_shuffled);
    compare_forms("flower", test_asset_shuffled);
}

static void seams_do_not_matter(void** state) {
    (void)state;
    compare_forms("cow", test_asset_exploded);
    compare_forms("snail", test_asset_exploded);
}

static void place_direction_and_size_of_the_world_do_not_matter(void** state) {
    (void)state;
    const limber_model* model = character("cow");
    float *values = take(model), *others = take(model);
    const float placed[4][5] = {{7, -3, 5, 0, 1}, {0, 0, 0, 1.1f, 1}, {0, 0, 0, 0, 100}, {-1, 2, 0.5f, -2.5f, 0.01f}};
    for (int i = 0; i < 4; i++) {
        limber_asset* other = test_asset_placed(model, limberi_load3(placed[i]), placed[i][3], placed[i][4]);
        for (int kind = 0; kind < KINDS; kind++) {
            paint(model, kind, 5, values);
            paint(limber_asset_model(other), kind, 5, others);
            bool rays = kind == THICKNESS;
            // A turned character has another bounding box, and with it another L for what is fixed in L.
            compare_values(kind_names[kind], others, values, NULL, model->vertex_count, rays ? 0.05 : 2e-3,
                           rays ? 0.002 : 1e-4);
        }
        limber_asset_destroy(other);
    }
    free(values);
    free(others);
}

// A body in two meshes that touch along a seam is painted as if it were one.
static void cuts_between_meshes_do_not_matter(void** state) {
    (void)state;
    const limber_model* model = character("cow");
    limber_mesh halves[2] = {model->meshes[0], model->meshes[0]};
    uint32_t* triangles = malloc(3 * (size_t)model->triangle_count * sizeof *triangles);
    uint32_t counts[2] = {0, 0};
    for (int half = 0; half < 2; half++) {
        halves[half].triangles = triangles + 3 * (size_t)counts[0];
        for (uint32_t t = 0; t < model->triangle_count; t++) {
            const uint32_t* v = model->meshes[0].triangles + 3 * (size_t)t;
            bool front = model->meshes[0].positions[3 * (size_t)v[0] + 2] > 0;
            if (front == (half == 0))
                memcpy(triangles + 3 * (size_t)(counts[0] + counts[1]), v, 3 * sizeof *v);
            counts[half] += front == (half == 0);
        }
        halves[half].triangle_count = counts[half];
        halves[half].part_count = halves[half].layer_count = 0;
    }
    limber_model cut = *model;
    cut.mesh_count = 2;
    cut.meshes = halves;
    cut.clip_count = 0;
    limber_asset* other;
    assert_int_equal(limber_asset_create(&cut, &other, NULL), LIMBER_OK);
    float *values = take(model), *others = take(limber_asset_model(other));
    for (int kind = 0; kind < KINDS; kind++) {
        paint(model, kind, 4, values);
        paint(limber_asset_model(other), kind, 4, others);
        double max = kind == THICKNESS ? 0.05 : 1e-4;
        compare_values(kind_names[kind], values, others, NULL, model->vertex_count, max, 1e-4);
        compare_values(kind_names[kind], values, others + model->vertex_count, NULL, model->vertex_count, max, 1e-4);
    }
    free(values);
    free(others);
    free(triangles);
    limber_asset_destroy(other);
}

// A floor under a character neither gets thicker shoes nor makes everything else near.
static void scenery_does_not_count(void** state) {
    (void)state;
    test_surface* s = test_surface_create();
    test_surface_capsule(s, limberi_vec3(0, 0.2f, 0), 2, 0.2f, 16, 20);
    limber_asset* alone = test_surface_asset(s);
    uint32_t body = s->vertex_count, body_triangles = s->triangle_count;
    test_surface_grid(s, limberi_vec3(-50, 0, 50), limberi_vec3(100, 0, 0), limberi_vec3(0, 0, -100), 4, 4);
    s->joint_count = 2;
    limber_asset* both = test_surface_asset(s);
    limber_model model = *limber_asset_model(both);
    limber_mesh meshes[2] = {model.meshes[0], model.meshes[0]};
    limber_skin skins[2] = {model.skins[0], model.skins[0]};
    skins[0].joint_count = skins[1].joint_count = 1;
    skins[1].joints++;
    skins[1].joint_from_mesh++;
    meshes[0].vertex_count = body;
    meshes[0].triangle_count = body_triangles;
    meshes[1].skin = 1;
    meshes[1].triangles += 3 * (size_t)body_triangles;
    meshes[1].triangle_count -= body_triangles;
    const float times[2] = {0, 1}, moves[6] = {0, 0, 0, 1, 0, 0};
    limber_channel channel = {LIMBER_CHANNEL_TRANSLATION, LIMBER_INTERPOLATION_LINEAR, 0, 2, times, moves};
    limber_clip clip = {.name = "walk", .channel_count = 1, .channels = &channel};
    model.skin_count = model.mesh_count = 2;
    model.skins = skins;
    model.meshes = meshes;
    model.clip_count = 1;
    model.clips = &clip;
    limber_asset* staged;
    assert_int_equal(limber_asset_create(&model, &staged, NULL), LIMBER_OK);
    assert_true(limber_asset_model(staged)->meshes[1].scenery);
    float *values = take(limber_asset_model(alone)), *others = take(limber_asset_model(staged));
    for (int kind = 0; kind < DISTANCE + 1; kind++) {
        paint(limber_asset_model(alone), kind, 0, values);
        paint(limber_asset_model(staged), kind, 0, others);
        compare_values(kind_names[kind], values, others, NULL, body, 0.01, 0.001);
        for (uint32_t u = body; u < limber_asset_model(staged)->vertex_count; u++)
            assert_true(others[u] >= 0 && others[u] <= 1);
    }
    free(values);
    free(others);
    limber_asset_destroy(staged);
    skins[0].joint_count = 2; // a skin that has the joint: a foot that stands
    assert_int_equal(limber_asset_create(&model, &staged, NULL), LIMBER_OK);
    assert_false(limber_asset_model(staged)->meshes[1].scenery);
    limber_asset_destroy(staged);
    limber_asset_destroy(both);
    limber_asset_destroy(alone);
    free(s);
}

// ---- formulas ----

static limber_result evaluate(const limber_model* model, const char* text, float* values, limber_error* error) {
    limber_expression* expression;
    limber_expression_scope scope = limber_layer_scope();
    limber_result result = limber_expression_create(text, &scope, &expression, error);
    if (result)
        return result;
    result = limber_layer_evaluate(model, expression, values, error);
    limber_expression_destroy(expression);
    return result;
}

static void formulas_see_the_rest_pose(void** state) {
    (void)state;
    const limber_model* model = character("cow");
    float *values = take(model), *heights = take(model);
    limber_error error;
    assert_int_equal(limber_layer_height(model, heights, &error), LIMBER_OK);
    assert_int_equal(evaluate(model, "height", values, &error), LIMBER_OK);
    for (uint32_t u = 0; u < model->vertex_count; u++)
        assert_true(values[u] == heights[u]);
    assert_int_equal(evaluate(model, "3 * height - 2 + t + frame + phase", values, &error), LIMBER_OK);
    for (uint32_t u = 0; u < model->vertex_count; u++)
        assert_true(fabsf(values[u] - fminf(fmaxf(3 * heights[u] - 2, -1), 1)) < 1e-6f);
    assert_int_equal(evaluate(model, "nx*nx + ny*ny + nz*nz", values, &error), LIMBER_OK);
    for (uint32_t u = 0; u < model->vertex_count; u++)
        assert_true(fabsf(values[u] - 1) < 1e-3f);
    assert_int_equal(evaluate(model, "rand", values, &error), LIMBER_OK);
    check_same_places(model, values, "rand");
    free(values);
    free(heights);
}

static void formulas_see_layers_that_are_there(void** state) {
    (void)state;
    const limber_model* model = character("cow");
    const limber_layer* floppy = limber_mesh_find_layer(&model->meshes[0], "floppy");
    float* values = take(model);
    limber_error error;
    assert_non_null(floppy);
    assert_int_equal(evaluate(model, "-paint.floppy", values, &error), LIMBER_OK);
    for (uint32_t u = 0; u < model->meshes[0].vertex_count; u++)
        assert_true(values[u] == -floppy->values[u]);
    assert_int_equal(evaluate(model, "1 + paint.flopy", values, &error), LIMBER_ERROR_ARGUMENT);
    assert_string_equal(error.message, "no mesh has the layer 'flopy'; did you mean 'floppy'?");
    assert_int_equal(evaluate(model, "paint.xylophone", values, &error), LIMBER_ERROR_ARGUMENT);
    assert_string_equal(error.message, "no mesh has the layer 'xylophone'");
    free(values);
}

static void formulas_know_nothing_of_motion(void** state) {
    (void)state;
    const limber_model* model = character("cylinder");
    float* values = take(model);
    limber_error error;
    assert_int_not_equal(evaluate(model, "speed", values, &error), LIMBER_OK);
    assert_int_not_equal(evaluate(model, "offset", values, &error), LIMBER_OK);
    limber_expression* free_one; // made for another purpose
    assert_int_equal(limber_expression_create("speed", NULL, &free_one, &error), LIMBER_OK);
    assert_int_equal(limber_layer_evaluate(model, free_one, values, &error), LIMBER_ERROR_ARGUMENT);
    limber_expression_destroy(free_one);
    free(values);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ears_tail_and_horns_of_the_cow_are_thinner_than_its_belly),
        cmocka_unit_test(the_skirt_of_the_dancer_is_thinner_than_her_arms_and_they_than_her_head),
        cmocka_unit_test(the_skirt_of_the_dancer_is_found_as_it_is_painted),
        cmocka_unit_test(only_the_dancer_wears_a_skirt),
        cmocka_unit_test(distance_from_the_head_of_the_cow_ends_at_its_tail),
        cmocka_unit_test(distance_from_a_joint_that_only_carries_others_starts_at_what_they_hold),
        cmocka_unit_test(layers_of_every_character_are_numbers_from_0_to_1),
        cmocka_unit_test(order_of_vertices_and_triangles_does_not_matter),
        cmocka_unit_test(seams_do_not_matter),
        cmocka_unit_test(place_direction_and_size_of_the_world_do_not_matter),
        cmocka_unit_test(cuts_between_meshes_do_not_matter),
        cmocka_unit_test(scenery_does_not_count),
        cmocka_unit_test(formulas_see_the_rest_pose),
        cmocka_unit_test(formulas_see_layers_that_are_there),
        cmocka_unit_test(formulas_know_nothing_of_motion),
    };
    return cmocka_run_group_tests(tests, NULL, free_characters);
}
