// Jacobian normals after landings and contacts.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/math.h"
#include "kit/models.h"

static limber_pipeline* make(const limber_asset* asset, const char* text) {
    limber_error error;
    limber_style* style;
    limber_pipeline* pipeline = NULL;
    if (limber_style_create(&style, &error) != LIMBER_OK ||
        limber_style_read(style, text, strlen(text), &error) != LIMBER_OK ||
        limber_pipeline_create(asset, style, &pipeline, &error) != LIMBER_OK)
        fail_msg("%s %s", error.place, error.message);
    limber_style_destroy(style);
    return pipeline;
}

static double degrees(const float* a, const float* b) {
    double cosine = (double)limberi_dot(limberi_load3(a), limberi_load3(b));
    return acos(fmax(-1, fmin(cosine, 1))) * 180 / LIMBERI_PI;
}

// Where the ball is squashed most, in steps of 1/60 s.
static double hardest_landing(limber_pipeline* p, uint32_t vertices) {
    double at = 0, max = 0;
    for (int i = 0; i < 120; i++) {
        limber_frame frame;
        double low = 1e9, high = -1e9;
        assert_int_equal(limber_pipeline_evaluate(p, 0, i / 60.0, &frame), LIMBER_OK);
        for (size_t u = 0; u < vertices; u++) {
            low = fmin(low, (double)frame.positions[3 * u + 1]);
            high = fmax(high, (double)frame.positions[3 * u + 1]);
        }
        if (1 / (high - low) > max) {
            max = 1 / (high - low);
            at = i / 60.0;
        }
    }
    return at;
}

static void landings_turn_normals_as_the_triangles_turn(void** state) {
    (void)state;
    limber_asset* asset = test_built_in("ball", 1);
    uint32_t vertices = limber_asset_model(asset)->vertex_count;
    limber_pipeline* jacobian = make(asset, "{\"limber\": 1, \"impact\": {\"gain\": 1}, \"normals\": \"jacobian\"}");
    limber_pipeline* averaged = make(asset, "{\"limber\": 1, \"impact\": {\"gain\": 1}}");
    limber_pipeline* plain = make(asset, "{\"limber\": 1}");
    double time_s = hardest_landing(jacobian, vertices), off = 0, turned = 0;
    limber_frame a, b, c;
    assert_int_equal(limber_pipeline_evaluate(jacobian, 0, time_s, &a), LIMBER_OK);
    assert_int_equal(limber_pipeline_evaluate(averaged, 0, time_s, &b), LIMBER_OK);
    assert_int_equal(limber_pipeline_evaluate(plain, 0, time_s, &c), LIMBER_OK);
    for (size_t at = 0; at < 3 * (size_t)vertices; at += 3) {
        off = fmax(off, degrees(a.normals + at, b.normals + at));
        turned = fmax(turned, degrees(a.normals + at, c.normals + at));
    }
    print_message("turned by up to %.1f degrees, %.1f from those of the triangles\n", turned, off);
    assert_true(turned > 10);
    assert_true(off < 0.2 * turned);
    limber_pipeline_destroy(jacobian);
    limber_pipeline_destroy(averaged);
    limber_pipeline_destroy(plain);
    limber_asset_destroy(asset);
}

// Of a body that squashes before a leap and stretches in it.
static void bodies_turn_normals_as_the_triangles_turn(void** state) {
    (void)state;
    limber_asset* asset = test_built_in("toon", 0.5);
    limber_pipeline* jacobian = make(asset, "{\"body\": {\"squash\": 2}, \"normals\": \"jacobian\"}");
    limber_pipeline* averaged = make(asset, "{\"body\": {\"squash\": 2}}");
    limber_pipeline* plain = make(asset, "{}");
    size_t numbers = 3 * (size_t)limber_asset_model(asset)->vertex_count;
    double off = 0, turned = 0;
    for (int i = 5; i < 16; i += 5) {
        limber_frame a, b, c;
        assert_int_equal(limber_pipeline_evaluate(jacobian, 1, 0.1 * i, &a), LIMBER_OK);
        assert_int_equal(limber_pipeline_evaluate(averaged, 1, 0.1 * i, &b), LIMBER_OK);
        assert_int_equal(limber_pipeline_evaluate(plain, 1, 0.1 * i, &c), LIMBER_OK);
        for (size_t at = 0; at < numbers; at += 3) {
            off += degrees(a.normals + at, b.normals + at);
            turned += degrees(a.normals + at, c.normals + at);
        }
    }
    if (!(turned > (double)numbers && off < 0.25 * turned))
        fail_msg("turned by %g degrees on average, %g from those of the triangles", turned / (double)numbers,
                 off / (double)numbers);
    limber_pipeline_destroy(jacobian);
    limber_pipeline_destroy(averaged);
    limber_pipeline_destroy(plain);
    limber_asset_destroy(asset);
}

// A planted foot does not move: neither do its normals.
static void what_stands_has_the_normals_of_the_skin(void** state) {
    static const char* const free_style =
        "{\"limber\": 1, \"normals\": \"jacobian\", \"effects\": {\"floppy\": {\"angular\": 1}}}";
    static const char* const style =
        "{\"limber\": 1, \"contact\": 1, \"normals\": \"jacobian\", \"effects\": {\"floppy\": {\"angular\": 1}}}";
    (void)state;
    limber_asset* asset = test_built_in("cow", 1);
    limber_pipeline *stands = make(asset, style), *floats = make(asset, free_style), *plain = make(asset, "{}");
    uint32_t planted = 0, turned = 0;
    for (int i = 0; i < 12; i++) {
        limber_frame a, b, c;
        assert_int_equal(limber_pipeline_evaluate(stands, 0, 0.1 * i, &a), LIMBER_OK);
        assert_int_equal(limber_pipeline_evaluate(floats, 0, 0.1 * i, &b), LIMBER_OK);
        assert_int_equal(limber_pipeline_evaluate(plain, 0, 0.1 * i, &c), LIMBER_OK);
        for (size_t at = 0; at < 3 * (size_t)limber_asset_model(asset)->vertex_count; at += 3) {
            limber_vec3 way = limberi_sub(limberi_load3(a.positions + at), limberi_load3(c.positions + at));
            limber_vec3 far = limberi_sub(limberi_load3(b.positions + at), limberi_load3(c.positions + at));
            if (limberi_length(way) > 1e-4f * limberi_length(far) || limberi_length(far) < 1e-3f)
                continue;
            planted++;
            turned += degrees(b.normals + at, c.normals + at) > 3;
            assert_true(degrees(a.normals + at, c.normals + at) < 0.3);
        }
    }
    print_message("%u planted, the effects alone would turn %u\n", planted, turned);
    assert_true(planted > 500 && turned > 50);
    limber_pipeline_destroy(stands);
    limber_pipeline_destroy(floats);
    limber_pipeline_destroy(plain);
    limber_asset_destroy(asset);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(landings_turn_normals_as_the_triangles_turn),
        cmocka_unit_test(bodies_turn_normals_as_the_triangles_turn),
        cmocka_unit_test(what_stands_has_the_normals_of_the_skin),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
