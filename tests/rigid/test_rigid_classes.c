// What rigid parts are: masses, props and appendages, by their shape and the skeleton, and that appendages swing.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/math.h"
#include "kit/props.h"
#include <limber/pack.h>

static const char overlap[] = "{\"compose\": \"chain\", \"effects\": {\"overlap\": {\"gain\": 3.6, \"max\": 20.5, "
                              "\"linear\": 1}}, \"rigid\": %s}";

// A cape below the wrist, held along its upper edge.
static limber_asset* cape(void) {
    test_props* props = test_props_begin();
    test_props_arm(props);
    test_props_box(props, "Cape", PROP_HAND, limberi_vec3(2, -1, -0.01f), limberi_vec3(2.3f, -0.13f, 0.01f));
    return test_props_end(props);
}

static limber_pipeline* pipeline_with(const limber_asset* asset, const char* text) {
    limber_style* style;
    limber_pipeline* pipeline = NULL;
    limber_error error = {.result = LIMBER_OK};
    assert_int_equal(limber_style_create(&style, &error), LIMBER_OK);
    if (limber_style_read(style, text, strlen(text), &error) != LIMBER_OK ||
        limber_pipeline_create(asset, style, &pipeline, &error) != LIMBER_OK)
        fail_msg("%s", error.message);
    limber_style_destroy(style);
    return pipeline;
}

static limber_pipeline* pipeline_of(const limber_asset* asset, const char* rigid) {
    char text[256];
    snprintf(text, sizeof text, overlap, rigid);
    return pipeline_with(asset, text);
}

static limber_rigid_class only_class(const limber_rigid_parts* parts) {
    assert_int_equal(limber_rigid_part_count(parts), 1);
    return limber_rigid_part_at(parts, 0).kind;
}

static limber_rigid_class class_with(const limber_asset* asset, const char* rigid) {
    limber_pipeline* pipeline = pipeline_of(asset, rigid);
    limber_rigid_class found = only_class(limber_pipeline_rigid_parts(pipeline));
    limber_pipeline_destroy(pipeline);
    return found;
}

static limber_rigid_class class_of_box(limber_vec3 low, limber_vec3 high) {
    limber_rigid_parts* parts;
    test_props* props = test_props_begin();
    test_props_arm(props);
    test_props_box(props, "Thing", PROP_HAND, low, high);
    limber_asset* asset = test_props_end(props);
    assert_int_equal(limber_rigid_parts_find(asset, NULL, &parts, NULL), LIMBER_OK);
    limber_rigid_class found = only_class(parts);
    limber_rigid_parts_destroy(parts);
    limber_asset_destroy(asset);
    return found;
}

static void shapes_tell_what_parts_are(void** state) {
    (void)state;
    assert_int_equal(class_of_box(limberi_vec3(2, -1, -0.01f), limberi_vec3(2.3f, -0.13f, 0.01f)),
                     LIMBER_RIGID_APPENDAGE);
    assert_int_equal(class_of_box(limberi_vec3(2.1f, -0.3f, -0.03f), limberi_vec3(2.2f, 1.6f, 0.03f)),
                     LIMBER_RIGID_PROP);
    assert_int_equal(class_of_box(limberi_vec3(2, -0.3f, -0.3f), limberi_vec3(2.5f, 0.3f, 0.3f)), LIMBER_RIGID_MASS);
    assert_int_equal(class_of_box(limberi_vec3(2.1f, 0.13f, -0.03f), limberi_vec3(2.2f, 0.2f, 0.03f)),
                     LIMBER_RIGID_RIDER);
}

// A plate that lies on the hand, and one that stands on its edge there.
static void what_lies_flat_on_the_body_does_not_swing(void** state) {
    (void)state;
    assert_int_equal(class_of_box(limberi_vec3(1.9f, 0.11f, -0.2f), limberi_vec3(2.6f, 0.13f, 0.2f)),
                     LIMBER_RIGID_PROP);
    assert_int_equal(class_of_box(limberi_vec3(1.9f, 0.11f, -0.01f), limberi_vec3(2.2f, 0.91f, 0.01f)),
                     LIMBER_RIGID_APPENDAGE);
}

static void a_style_corrects_them(void** state) {
    (void)state;
    limber_asset* asset = cape();
    assert_int_equal(class_with(asset, "\"auto\""), LIMBER_RIGID_APPENDAGE);
    assert_int_equal(class_with(asset, "{\"prop\": [\"Cape\"]}"), LIMBER_RIGID_PROP);
    assert_int_equal(class_with(asset, "{\"mass\": [\"Ca*\"]}"), LIMBER_RIGID_MASS);
    limber_asset_destroy(asset);
    asset = test_sword_create();
    assert_int_equal(class_with(asset, "{\"appendage\": [\"Sword\"]}"), LIMBER_RIGID_APPENDAGE);
    limber_asset_destroy(asset);
}

// A large shield does not make a robot of its bearer: the glove stays soft.
static void props_do_not_make_a_robot(void** state) {
    (void)state;
    for (int limb = 0; limb < 2; limb++) {
        limber_rigid_parts* parts;
        test_props* props = test_props_begin();
        test_props_arm(props);
        test_props_spread(props, limb ? 0.2f : 0);
        test_props_box(props, "Shield", PROP_FINGERS, limberi_vec3(1.2f, 0.3f, 0.2f), limberi_vec3(3.2f, 2.3f, 0.3f));
        test_props_box(props, "Glove", PROP_HAND, limberi_vec3(2.1f, -0.6f, -0.03f), limberi_vec3(2.2f, -0.2f, 0.03f));
        for (uint32_t u = 18; u < 36; u++)
            test_props_blend(props, u, PROP_FINGERS + 1, 0.5f);
        limber_asset* asset = test_props_end(props);
        assert_int_equal(limber_rigid_parts_find(asset, NULL, &parts, NULL), LIMBER_OK);
        assert_int_equal(limber_rigid_part_count(parts), limb ? 1 : 2);
        limber_rigid_parts_destroy(parts);
        limber_asset_destroy(asset);
    }
}

static double distance(const float* positions, uint32_t a, uint32_t b) {
    return (double)limberi_length(
        limberi_sub(limberi_load3(positions + 3 * (size_t)a), limberi_load3(positions + 3 * (size_t)b)));
}

// --- squash of masses ---

// The largest change of a distance in the box on the hand, as a share of it.
static double change_in_box(const limber_asset* asset, double gain, const char* rigid) {
    char text[256];
    const limber_mesh* mesh = &limber_asset_model(asset)->meshes[1];
    double most = 0;
    snprintf(text, sizeof text, "{\"effects\": {\"squash\": {\"angular\": %g, \"max\": 0.8}}, \"rigid\": \"%s\"}", gain,
             rigid);
    limber_pipeline* pipeline = pipeline_with(asset, text);
    for (int i = 0; i <= 10; i++) {
        limber_frame frame;
        assert_int_equal(limber_pipeline_evaluate(pipeline, 0, i / 10.0, &frame), LIMBER_OK);
        for (uint32_t u = 1; u < mesh->vertex_count; u++) {
            double was = distance(frame.skinned, mesh->first_vertex, mesh->first_vertex + u);
            double is = distance(frame.positions, mesh->first_vertex, mesh->first_vertex + u);
            most = fmax(most, was > 0 ? fabs(is / was - 1) : 0);
        }
    }
    limber_pipeline_destroy(pipeline);
    return most;
}

// A squash of one or two per cent would not be seen: it is shown larger. A strong one stays within 18 %.
static void a_mass_shows_small_squashes_and_bounds_large_ones(void** state) {
    (void)state;
    const double gains[] = {0.002, 0.05, 1};
    test_props* props = test_props_begin();
    test_props_arm(props);
    test_props_box(props, "Fist", PROP_HAND, limberi_vec3(2, -0.3f, -0.3f), limberi_vec3(2.5f, 0.3f, 0.3f));
    limber_asset* asset = test_props_end(props);
    double shown[3], soft[3];
    for (int i = 0; i < 3; i++) {
        shown[i] = change_in_box(asset, gains[i], "auto");
        soft[i] = change_in_box(asset, gains[i], "off");
        print_message("gain %g: a mass changes by %.4f, skin by %.4f\n", gains[i], shown[i], soft[i]);
    }
    assert_true(soft[0] > 0.01 && soft[0] < 0.02);
    assert_true(shown[0] > 1.6 * soft[0] && shown[0] < 2 * soft[0]);
    assert_true(shown[1] > 0.12 && shown[1] < 0.2 && shown[2] < 0.2);
    limber_asset_destroy(asset);
}

// --- swinging ---

static uint32_t nearest_skin(const limber_model* model, const float* positions, uint32_t vertex) {
    uint32_t best = 0;
    for (uint32_t u = 1; u < model->meshes[0].vertex_count; u++)
        if (distance(positions, vertex, u) < distance(positions, vertex, best))
            best = u;
    return best;
}

typedef struct cape_motion {
    double hem, edge, gap; // in L: how far the hem goes against a stiff cape, how far the held edge does, how it gapes
} cape_motion;

static cape_motion motion_of_cape(const limber_asset* asset) {
    const limber_model* model = limber_asset_model(asset);
    const limber_mesh* mesh = &model->meshes[1];
    limber_pipeline *swings = pipeline_of(asset, "\"auto\""), *stiff = pipeline_of(asset, "{\"prop\": [\"Cape\"]}");
    limber_frame a, b;
    cape_motion most = {0, 0, 0};
    for (int i = 0; i <= 20; i++) {
        assert_int_equal(limber_pipeline_evaluate(swings, 0, i / 20.0, &a), LIMBER_OK);
        assert_int_equal(limber_pipeline_evaluate(stiff, 0, i / 20.0, &b), LIMBER_OK);
        for (uint32_t u = 0; u < mesh->vertex_count; u++) {
            size_t at = 3 * (size_t)(mesh->first_vertex + u);
            double off =
                (double)limberi_length(limberi_sub(limberi_load3(a.positions + at), limberi_load3(b.positions + at)));
            double* into = u < 4 ? &most.hem : &most.edge;
            if (u < 4 || u >= mesh->vertex_count - 4)
                *into = fmax(*into, off);
            uint32_t skin = nearest_skin(model, a.skinned, mesh->first_vertex + u);
            if (u >= mesh->vertex_count - 4)
                most.gap = fmax(most.gap, fabs(distance(a.positions, mesh->first_vertex + u, skin) -
                                               distance(a.skinned, mesh->first_vertex + u, skin)));
        }
    }
    limber_pipeline_destroy(swings);
    limber_pipeline_destroy(stiff);
    most.hem /= (double)model->size;
    most.edge /= (double)model->size;
    most.gap /= (double)model->size;
    return most;
}

static void a_cape_swings_and_stays_attached(void** state) {
    (void)state;
    limber_asset* asset = cape();
    cape_motion most = motion_of_cape(asset);
    print_message("the hem swings by %.3f L, the edge by %.3f L and gapes by %.4f L\n", most.hem, most.edge, most.gap);
    assert_true(most.hem > 0.05);
    assert_true(most.edge < 0.3 * most.hem);
    assert_true(most.gap < 0.015);
    limber_asset_destroy(asset);
}

// From the edge that is held to the hem.
static limber_vec3 way_of_cape(const limber_asset* asset, const float* positions) {
    const limber_mesh* mesh = &limber_asset_model(asset)->meshes[1];
    size_t hem = mesh->first_vertex;
    size_t edge = hem + mesh->vertex_count - 1;
    return limberi_normalize(limberi_sub(limberi_load3(positions + 3 * hem), limberi_load3(positions + 3 * edge)));
}

// However hard its bearer shakes it: a hat that lies on its side has come off.
static void a_cape_swings_by_no_more_than_45_degrees(void** state) {
    static const char wild[] =
        "{\"compose\": \"chain\", \"effects\": {\"overlap\": {\"gain\": 9, \"frequency\": 0.2, \"max\": 80, "
        "\"linear\": 10}}, \"rigid\": %s}";
    (void)state;
    limber_asset* asset = cape();
    double most = 0;
    char text[256];
    snprintf(text, sizeof text, wild, "\"auto\"");
    limber_pipeline* swings = pipeline_with(asset, text);
    snprintf(text, sizeof text, wild, "{\"prop\": [\"Cape\"]}");
    limber_pipeline* stiff = pipeline_with(asset, text);
    for (int i = 0; i <= 60; i++) {
        limber_frame a, b;
        assert_int_equal(limber_pipeline_evaluate(swings, 0, i / 60.0, &a), LIMBER_OK);
        assert_int_equal(limber_pipeline_evaluate(stiff, 0, i / 60.0, &b), LIMBER_OK);
        float cosine = limberi_dot(way_of_cape(asset, a.positions), way_of_cape(asset, b.positions));
        most = fmax(most, acos((double)limberi_clamp(cosine, -1, 1)) * 180 / LIMBERI_PI);
    }
    print_message("the cape swings by %.1f degrees\n", most);
    assert_true(most > 30 && most < 45);
    limber_pipeline_destroy(swings);
    limber_pipeline_destroy(stiff);
    limber_asset_destroy(asset);
}

static void each_vertex_goes_to_the_shader_as_a_part(void** state) {
    (void)state;
    limber_asset* asset = cape();
    const limber_model* model = limber_asset_model(asset);
    limber_pipeline* pipeline = pipeline_of(asset, "\"auto\"");
    limber_pack* pack;
    limber_error error;
    assert_int_equal(limber_pack_create(pipeline, true, &pack, &error), LIMBER_OK);
    limber_pack_layout layout = limber_pack_get_layout(pack);
    assert_int_equal(layout.column_bytes, 4);
    float* texels = calloc(layout.max_texels, 4 * sizeof *texels);
    int16_t* columns = calloc(model->vertex_count, layout.column_bytes);
    for (int i = 0; i <= 10; i++) {
        limber_frame frame;
        uint32_t count;
        assert_int_equal(limber_pipeline_evaluate(pipeline, 0, i / 10.0, &frame), LIMBER_OK);
        assert_int_equal(limber_pack_evaluate(pack, texels, &count, columns, &error), LIMBER_OK);
        assert_true(count <= layout.max_texels);
        for (size_t u = model->meshes[1].first_vertex; u < model->vertex_count; u++) {
            limber_vec3 p = limberi_load3(frame.skinned + 3 * u);
            const float* row = texels + 4 * ((size_t)texels[12] + 3 * (size_t)columns[2 * u]);
            limber_vec3 moved = limberi_vec3(p.x + row[0] * p.x + row[1] * p.y + row[2] * p.z + row[3],
                                             p.y + row[4] * p.x + row[5] * p.y + row[6] * p.z + row[7],
                                             p.z + row[8] * p.x + row[9] * p.y + row[10] * p.z + row[11]);
            assert_true(limberi_length(limberi_sub(moved, limberi_load3(frame.positions + 3 * u))) <
                        4e-6f * model->size);
        }
    }
    free(columns);
    free(texels);
    limber_pack_destroy(pack);
    limber_pipeline_destroy(pipeline);
    limber_asset_destroy(asset);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shapes_tell_what_parts_are),
        cmocka_unit_test(what_lies_flat_on_the_body_does_not_swing),
        cmocka_unit_test(a_style_corrects_them),
        cmocka_unit_test(props_do_not_make_a_robot),
        cmocka_unit_test(a_mass_shows_small_squashes_and_bounds_large_ones),
        cmocka_unit_test(a_cape_swings_and_stays_attached),
        cmocka_unit_test(a_cape_swings_by_no_more_than_45_degrees),
        cmocka_unit_test(each_vertex_goes_to_the_shader_as_a_part),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
