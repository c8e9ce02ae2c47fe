// Ink, cameras of the file, ghosts, paint, overlays, views and onion skins.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/math.h"
#include "characters/characters.h"
#include "kit/models.h"
#include "kit/sanitized.h"
#include "render/film/picture.h"
#include "render/render.h"
#include "render/views/onion.h"
#include "render/views/views.h"

// A white quad from -1 to 1, seen from the front on nothing.
typedef struct scene {
    limber_model model;
    limber_mesh mesh;
    limber_part parts[2];
    limber_material materials[2];
    limberi_render_settings settings;
    limberi_renderer* renderer;
    limberi_picture picture;
} scene;

static const float quad[12] = {-1, -1, 0, 1, -1, 0, 1, 1, 0, -1, 1, 0};
static const float quad_normals[12] = {0, 0, 1, 0, 0, 1, 0, 0, 1, 0, 0, 1};
static const uint32_t quad_triangles[6] = {0, 1, 2, 0, 2, 3};

static void scene_init(scene* s) {
    memset(s, 0, sizeof *s);
    s->mesh.positions = quad;
    s->mesh.normals = quad_normals;
    s->mesh.vertex_count = 4;
    s->mesh.triangles = quad_triangles;
    s->mesh.triangle_count = 2;
    s->mesh.parts = s->parts;
    s->mesh.part_count = 1;
    s->parts[0].vertex_count = 4;
    s->parts[0].triangle_count = 2;
    for (int i = 0; i < 2; i++) {
        const limber_material white = {.base_color = {1, 1, 1, 1}, .roughness = 0.9f, .image = -1};
        s->materials[i] = white;
    }
    s->model.mesh_count = 1;
    s->model.meshes = &s->mesh;
    s->model.material_count = 2;
    s->model.materials = s->materials;
    s->settings = limberi_render_settings_default();
    s->settings.width = s->settings.height = 160;
    s->settings.supersample = 2;
    s->settings.margin = 0.3f;
    s->settings.yaw_deg = s->settings.pitch_deg = 0;
    s->settings.transparent = true;
    s->settings.ground = false;
}

static void scene_open(scene* s) {
    limber_error error;
    if (limberi_renderer_create(&s->settings, &s->renderer, &error) != LIMBER_OK)
        fail_msg("%s", error.message);
    assert_int_equal(limberi_renderer_load(s->renderer, &s->model, &error), LIMBER_OK);
    assert_int_equal(limberi_picture_create(s->settings.width, s->settings.height, &s->picture, &error), LIMBER_OK);
    limberi_renderer_frame(s->renderer, quad);
}

static void scene_draw(scene* s, const float* positions) {
    limber_error error;
    if (limberi_renderer_draw(s->renderer, positions, quad_normals, s->picture.pixels, &error) != LIMBER_OK)
        fail_msg("%s", error.message);
}

static void scene_close(scene* s) {
    limberi_renderer_destroy(s->renderer);
    limberi_picture_destroy(&s->picture);
}

static const uint8_t* pixel(const scene* s, uint32_t x, uint32_t y) {
    assert_true(x < s->picture.width && y < s->picture.height);
    return s->picture.pixels + 4 * ((size_t)y * s->picture.width + x);
}

static const uint8_t* pixel_of(const scene* s, float x, float y, float z) {
    float column, row;
    limberi_renderer_project(s->renderer, limberi_vec3(x, y, z), &column, &row);
    return pixel(s, (uint32_t)column, (uint32_t)row);
}

// How much of a pixel is ink: covered but not white. Pixels average in linear light.
static double inkiness(const uint8_t* p) {
    return (double)p[3] / 255 * (1 - (double)limberi_linear_from_srgb((float)p[1] / 255.0f));
}

// Of the line at the left edge, in pixels; what the white surface lacks to full white is not ink.
static double line_width(const scene* s, uint32_t row) {
    float left, y;
    limberi_renderer_project(s->renderer, limberi_vec3(-1, 0, 0), &left, &y);
    uint32_t edge = (uint32_t)(left + 0.5f);
    double base = inkiness(pixel(s, edge + 12, row)), sum = 0;
    for (uint32_t x = edge - 12; x < edge + 12; x++) {
        double here = inkiness(pixel(s, x, row));
        sum += x < edge ? here : fmax(here - base, 0) / (1 - base);
    }
    return sum;
}

static void ink_runs_along_the_edge_as_wide_as_asked_for(void** state) {
    (void)state;
    static const float widths[] = {1.5f, 3, 8};
    for (size_t i = 0; i < sizeof widths / sizeof widths[0]; i++) {
        scene s;
        scene_init(&s);
        s.settings.ink = widths[i];
        scene_open(&s);
        scene_draw(&s, quad);
        float left, right, top, bottom;
        limberi_renderer_project(s.renderer, limberi_vec3(-1, -1, 0), &left, &bottom);
        limberi_renderer_project(s.renderer, limberi_vec3(1, 1, 0), &right, &top);
        for (uint32_t row = (uint32_t)top + 12; row < (uint32_t)bottom - 12; row++) {
            if (!(fabs(line_width(&s, row) - (double)widths[i]) < 0.3 + 0.1 * (double)widths[i]))
                fail_msg("%g pixels instead of %g", line_width(&s, row), (double)widths[i]);
        }
        if (widths[i] > 2)
            assert_true(pixel(&s, (uint32_t)left, 80)[0] < 60); // in the middle of the line
        assert_int_equal(pixel(&s, (uint32_t)(left - widths[i]) - 2, 80)[3], 0);
        assert_true(inkiness(pixel(&s, (uint32_t)(left + widths[i]) + 3, 80)) < inkiness(pixel(&s, 80, 80)) + 0.02);
        scene_close(&s);
    }
}

static void ink_is_as_wide_in_every_direction(void** state) {
    (void)state;
    scene s;
    scene_init(&s);
    s.settings.ink = 3;
    scene_open(&s);
    for (int degrees = 0; degrees < 90; degrees += 9) {
        float turned[12], angle = (float)degrees * 0.0174533f, x[2], y[2];
        for (int i = 0; i < 4; i++) {
            turned[3 * i] = 0.7f * (quad[3 * i] * cosf(angle) - quad[3 * i + 1] * sinf(angle));
            turned[3 * i + 1] = 0.7f * (quad[3 * i] * sinf(angle) + quad[3 * i + 1] * cosf(angle));
            turned[3 * i + 2] = 0;
        }
        scene_draw(&s, turned);
        for (int i = 0; i < 2; i++)
            limberi_renderer_project(s.renderer, limberi_load3(turned + 3 * i), &x[i], &y[i]);
        double perimeter = 4 * hypot((double)(x[1] - x[0]), (double)(y[1] - y[0])), ink = 0;
        double base = inkiness(pixel(&s, 80, 80));
        for (uint32_t row = 0; row < 160; row++)
            for (uint32_t column = 0; column < 160; column++) {
                double here = inkiness(pixel(&s, column, row));
                ink += here > base + 0.03 ? here : 0;
            }
        if (!(fabs(ink / perimeter - 3.15) < 0.3))
            fail_msg("%g pixels wide at %d degrees", ink / perimeter, degrees);
    }
    scene_close(&s);
}

// Whatever row of whatever size of picture a line falls on: maps that are halved with a rest must not lose it.
static void ink_has_no_gaps_in_pictures_of_odd_sizes(void** state) {
    (void)state;
    static const uint32_t heights[] = {151, 167, 173, 181};
    for (size_t i = 0; i < (TEST_SANITIZED ? 1 : sizeof heights / sizeof heights[0]); i++) {
        scene s;
        scene_init(&s);
        s.settings.width = 101;
        s.settings.height = heights[i];
        s.settings.supersample = 1;
        s.settings.ink = 6;
        scene_open(&s);
        for (int step = 0; step < 60; step++) {
            float moved[12], x, y;
            memcpy(moved, quad, sizeof moved);
            moved[7] = moved[10] = 0.9f - 0.02f * (float)step;
            scene_draw(&s, moved);
            limberi_renderer_project(s.renderer, limberi_vec3(0, moved[7], 0), &x, &y);
            if (!(inkiness(pixel(&s, (uint32_t)x, (uint32_t)y)) > 0.8))
                fail_msg("no line in row %g of %u", (double)y, heights[i]);
        }
        scene_close(&s);
    }
}

static void materials_have_borders_of_ink(void** state) {
    (void)state;
    for (int differ = 0; differ < 2; differ++) {
        scene s;
        scene_init(&s);
        s.settings.ink = 4;
        s.mesh.part_count = 2;
        s.parts[0].triangle_count = s.parts[1].triangle_count = 1;
        s.parts[1].first_triangle = 1;
        s.parts[1].material = differ;
        scene_open(&s);
        scene_draw(&s, quad);
        double diagonal = inkiness(pixel_of(&s, 0, 0, 0)), inside = inkiness(pixel_of(&s, 0.5f, -0.5f, 0));
        assert_true(differ ? diagonal > inside + 0.3 : diagonal < inside + 0.02);
        scene_close(&s);
    }
}

// The picture is drawn in strips when it is large; a line that crosses them does not notice.
static void ink_crosses_strips_of_large_pictures(void** state) {
    (void)state;
    scene s;
    scene_init(&s);
    s.settings.width = 700;
    s.settings.height = 1700;
    s.settings.ink = 5;
    scene_open(&s);
    scene_draw(&s, quad);
    float left, right, top, bottom;
    limberi_renderer_project(s.renderer, limberi_vec3(-1, -1, 0), &left, &bottom);
    limberi_renderer_project(s.renderer, limberi_vec3(1, 1, 0), &right, &top);
    double middle = line_width(&s, 850);
    assert_true(fabs(middle - 5) < 0.8);
    for (uint32_t row = (uint32_t)top + 12; row < (uint32_t)bottom - 12; row++)
        assert_true(fabs(line_width(&s, row) - middle) < 0.2);
    scene_close(&s);
}

static limber_mat4 camera_at(float x, float y, float z) {
    limber_mat4 m = {{1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1}};
    m.m[12] = x;
    m.m[13] = y;
    m.m[14] = z;
    return m;
}

// A point at a known angle lands where trigonometry says, in pictures wider and narrower than the lens.
static void perspective_cameras_see_their_angle(void** state) {
    (void)state;
    static const uint32_t sizes[3][2] = {{160, 160}, {320, 160}, {100, 200}};
    for (int i = 0; i < 3; i++) {
        scene s;
        scene_init(&s);
        s.settings.width = sizes[i][0];
        s.settings.height = sizes[i][1];
        scene_open(&s);
        limber_mat4 place = camera_at(0.5f, 0.25f, 10);
        const limber_camera lens = {.field_of_view_rad = 0.5f, .aspect = 1.5f, .nearest = 0.1f};
        limberi_renderer_look(s.renderer, &place, &lens);
        float w = (float)sizes[i][0], h = (float)sizes[i][1], aspect = w / h, tangent = tanf(0.25f), x, y;
        limberi_renderer_project(s.renderer, limberi_vec3(0.5f, 0.25f, 0), &x, &y);
        assert_float_equal(x, w / 2, 0.01);
        assert_float_equal(y, h / 2, 0.01);
        // The picture's top is the lens's when it is wide enough; else its right side is.
        limberi_renderer_project(s.renderer, limberi_vec3(0.5f + 10 * tangent * 1.5f, 0.25f + 10 * tangent, 0), &x, &y);
        assert_float_equal(y, aspect >= 1.5f ? 0 : h / 2 * (1 - aspect / 1.5f), 0.05);
        assert_float_equal(x, aspect >= 1.5f ? w / 2 * (1 + 1.5f / aspect) : w, 0.05);
        scene_draw(&s, quad);
        assert_int_equal(pixel_of(&s, 0.9f, 0, 0)[3], 255);
        limberi_renderer_look(s.renderer, NULL, NULL);
        limberi_renderer_project(s.renderer, limberi_vec3(0, 0, 0), &x, &y);
        assert_float_equal(x, w / 2, 0.5);
        scene_close(&s);
    }
}

static void orthographic_cameras_keep_sizes(void** state) {
    (void)state;
    scene s;
    scene_init(&s);
    scene_open(&s);
    limber_mat4 place = camera_at(0, 0, 3);
    const limber_camera lens = {.orthographic = true, .half_width = 4, .half_height = 4, .farthest = 50};
    limberi_renderer_look(s.renderer, &place, &lens);
    for (int z = -20; z <= 0; z += 10) {
        float x, y;
        limberi_renderer_project(s.renderer, limberi_vec3(2, 1, (float)z), &x, &y);
        assert_float_equal(x, 80 + 40, 0.01);
        assert_float_equal(y, 80 - 20, 0.01);
    }
    scene_draw(&s, quad);
    assert_int_equal(pixel(&s, 80 + 18, 80)[3], 255);
    assert_int_equal(pixel(&s, 80 + 22, 80)[3], 0);
    scene_close(&s);
}

// What lies outside the clipping distances is not drawn, and lenses without sense are the automatic one.
static void lenses_clip_and_senseless_ones_are_ignored(void** state) {
    (void)state;
    scene s;
    scene_init(&s);
    scene_open(&s);
    limber_mat4 place = camera_at(0, 0, 10);
    limber_camera lens = {.field_of_view_rad = 0.5f, .nearest = 0.1f, .farthest = 9.5f};
    limberi_renderer_look(s.renderer, &place, &lens);
    scene_draw(&s, quad);
    assert_int_equal(pixel(&s, 80, 80)[3], 0);
    lens.farthest = 0;
    limberi_renderer_look(s.renderer, &place, &lens);
    scene_draw(&s, quad);
    assert_int_equal(pixel(&s, 80, 80)[3], 255);
    place.m[0] = place.m[5] = place.m[10] = 0;
    lens.field_of_view_rad = NAN;
    limberi_renderer_look(s.renderer, &place, &lens);
    scene_draw(&s, quad);
    assert_int_equal(pixel(&s, 80, 80)[3], 255);
    scene_close(&s);
}

static void fading_is_alpha(void** state) {
    (void)state;
    scene s;
    scene_init(&s);
    scene_open(&s);
    limberi_renderer_fade(s.renderer, 0.4f);
    scene_draw(&s, quad);
    assert_in_range(pixel(&s, 80, 80)[3], 101, 103);
    limberi_renderer_fade(s.renderer, 1);
    scene_draw(&s, quad);
    assert_int_equal(pixel(&s, 80, 80)[3], 255);
    scene_close(&s);
}

// A ghost is behind the character even where it is nearer, hides nothing, and is one layer of its colour.
static void ghosts_stand_behind(void** state) {
    (void)state;
    scene s;
    scene_init(&s);
    scene_open(&s);
    scene_draw(&s, quad);
    uint8_t alone[4];
    memcpy(alone, pixel(&s, 80, 80), 4);
    float nearer[12];
    for (int i = 0; i < 12; i++)
        nearer[i] = i % 3 == 2 ? 0.4f : 1.3f * quad[i];
    const limberi_ghost ghost = {nearer, quad_normals, {0, 0, 1, 0.5f}};
    limberi_renderer_ghosts(s.renderer, &ghost, 1);
    scene_draw(&s, quad);
    assert_memory_equal(pixel(&s, 80, 80), alone, 4);
    const uint8_t* beside = pixel_of(&s, 1.15f, 0, 0);
    assert_true(beside[2] > 150 && beside[0] < 20);
    assert_in_range(beside[3], 60, 128);
    limberi_renderer_ghosts(s.renderer, NULL, 0);
    scene_draw(&s, quad);
    assert_int_equal(pixel_of(&s, 1.15f, 0, 0)[3], 0);
    scene_close(&s);
}

static void paint_covers_materials(void** state) {
    (void)state;
    scene s;
    scene_init(&s);
    s.materials[0].blend = true;
    s.materials[0].base_color[3] = 0.2f;
    scene_open(&s);
    float green[16];
    for (int i = 0; i < 16; i++)
        green[i] = i % 4 == 1 || i % 4 == 3 ? 1.0f : 0.0f;
    limberi_renderer_paint(s.renderer, green);
    scene_draw(&s, quad);
    const uint8_t* p = pixel(&s, 80, 80);
    assert_true(p[1] > 150 && p[0] < 90 && p[2] < 90 && p[3] == 255);
    limberi_renderer_paint(s.renderer, NULL);
    scene_draw(&s, quad);
    p = pixel(&s, 80, 80);
    assert_true(p[0] > 150 && p[3] < 70);
    scene_close(&s);
}

// Behind the character an overlay is as faint as its `hidden` says, beside it as strong as its colour.
static void overlays_show_through(void** state) {
    (void)state;
    static const float places[3][2] = {{-3, -3}, {3, -3}, {0, 3}};
    limberi_overlay_vertex triangle[3];
    limber_error error;
    scene s;
    scene_init(&s);
    scene_open(&s);
    memset(triangle, 0, sizeof triangle);
    for (int i = 0; i < 3; i++) {
        memcpy(triangle[i].position, places[i], sizeof places[i]);
        triangle[i].position[2] = -0.5f;
        triangle[i].normal[2] = 1;
        triangle[i].color[0] = triangle[i].color[3] = 1;
        triangle[i].hidden = 0.25f;
    }
    assert_int_equal(limberi_renderer_overlay(s.renderer, triangle, 3, &error), LIMBER_OK);
    scene_draw(&s, quad);
    const uint8_t *behind = pixel(&s, 80, 80), *beside = pixel_of(&s, 1.2f, -0.5f, -0.5f);
    assert_true(behind[0] > 200 && behind[1] > 150);
    assert_true(beside[0] > 180 && beside[1] < 10 && beside[3] == 255);
    assert_int_equal(limberi_renderer_overlay(s.renderer, NULL, 0, &error), LIMBER_OK);
    scene_draw(&s, quad);
    assert_true(pixel(&s, 80, 80)[1] > behind[1] || pixel(&s, 80, 80)[1] > 220);
    scene_close(&s);
}

static void views_are_named(void** state) {
    (void)state;
    limberi_view_settings v;
    limber_error error;
    assert_int_equal(limberi_view_parse("joints,layers:ears,trajectories", &v, &error), LIMBER_OK);
    assert_true(v.joints && v.layers && v.trajectories && !v.velocity && !v.offsets);
    assert_string_equal(v.layer, "ears");
    static const struct {
        const char *text, *words;
    } wrong[] = {{"joint", "did you mean 'joints'?"}, {"joints,", "known are joints"},
                 {"nonsense", "known are joints"},    {"joints:Head", "only layers"},
                 {"layers,offsets", "choose one"},    {"velocity,trajectorys", "did you mean 'trajectories'?"},
                 {"velocity joints", "unknown view"}};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        assert_int_equal(limberi_view_parse(wrong[i].text, &v, &error), LIMBER_ERROR_ARGUMENT);
        assert_non_null(strstr(error.message, wrong[i].words));
    }
}

static limber_asset* cow; // takes a while to make

static int make_cow(void** state) {
    (void)state;
    limber_error error;
    return limberi_character_create("cow", 1, &cow, &error) == LIMBER_OK ? 0 : -1;
}

static int destroy_cow(void** state) {
    (void)state;
    limber_asset_destroy(cow);
    return 0;
}

// The cow in full gallop, small.
typedef struct stage {
    const limber_model* model;
    limber_pipeline* pipeline;
    limberi_renderer* renderer;
    limberi_picture picture;
    int32_t clip;
} stage;

static void stage_open(stage* s) {
    limber_error error;
    limberi_render_settings settings = limberi_render_settings_default();
    settings.width = settings.height = 120;
    settings.supersample = 1;
    settings.transparent = true;
    settings.ground = false;
    s->model = limber_asset_model(cow);
    s->clip = limber_model_find_clip(s->model, "charge-and-stop");
    assert_true(s->clip >= 0);
    assert_int_equal(limber_pipeline_create(cow, NULL, &s->pipeline, &error), LIMBER_OK);
    assert_int_equal(limberi_renderer_create(&settings, &s->renderer, &error), LIMBER_OK);
    assert_int_equal(limberi_renderer_load(s->renderer, s->model, &error), LIMBER_OK);
    assert_int_equal(limberi_picture_create(120, 120, &s->picture, &error), LIMBER_OK);
}

static void stage_close(stage* s) {
    limberi_renderer_destroy(s->renderer);
    limber_pipeline_destroy(s->pipeline);
    limberi_picture_destroy(&s->picture);
}

// How many pixels have about this hue: channel `high` well above channel `low`.
static int count_pixels(const limberi_picture* p, int high, int low) {
    int count = 0;
    for (size_t i = 0; i < (size_t)p->width * p->height; i++)
        count += p->pixels[4 * i + 3] > 100 && p->pixels[4 * i + (size_t)high] > p->pixels[4 * i + (size_t)low] + 60;
    return count;
}

static void show_view(stage* s, const char* text, double time_s) {
    limberi_view_settings settings;
    limberi_views* views;
    limber_smeared smeared;
    limber_error error;
    assert_int_equal(limberi_view_parse(text, &settings, &error), LIMBER_OK);
    assert_int_equal(limberi_views_create(s->model, &settings, &views, &error), LIMBER_OK);
    limber_pipeline_set_outputs(s->pipeline,
                                LIMBER_OUTPUT_NORMALS | LIMBER_OUTPUT_SKINNED | limberi_views_outputs(views));
    assert_int_equal(limberi_views_scout(views, s->pipeline, s->clip, time_s, 30, &error), LIMBER_OK);
    assert_int_equal(limber_pipeline_evaluate_smeared(s->pipeline, s->clip, time_s, 30, &smeared), LIMBER_OK);
    assert_int_equal(limberi_views_show(views, s->renderer, &smeared, &error), LIMBER_OK);
    limberi_renderer_frame_reset(s->renderer);
    assert_int_equal(
        limberi_renderer_draw(s->renderer, smeared.frame.positions, smeared.frame.normals, s->picture.pixels, &error),
        LIMBER_OK);
    limberi_views_destroy(views);
}

static void views_show_what_there_is(void** state) {
    (void)state;
    stage s;
    stage_open(&s);
    const double running = 1.2;
    show_view(&s, "joints", running);
    assert_true(count_pixels(&s.picture, 0, 2) > 150); // amber bones
    show_view(&s, "offsets", running);
    assert_true(count_pixels(&s.picture, 0, 2) > 100 && count_pixels(&s.picture, 2, 0) > 100); // red front, blue rear
    show_view(&s, "offsets", s.model->clips[s.clip].end_s);
    assert_true(count_pixels(&s.picture, 0, 2) < 20); // it has stopped
    show_view(&s, "layers:floppy", running);
    assert_true(count_pixels(&s.picture, 0, 1) > 30); // magenta ears
    show_view(&s, "velocity", running);
    assert_true(count_pixels(&s.picture, 1, 0) > 5); // green arrow
    show_view(&s, "velocity", s.model->clips[s.clip].end_s);
    assert_int_equal(count_pixels(&s.picture, 1, 0), 0);
    int most = 0;
    for (double time_s = 0; time_s < s.model->clips[s.clip].end_s; time_s += 0.1) { // it starts and stops
        show_view(&s, "acceleration", time_s);
        int arrows = count_pixels(&s.picture, 0, 2);
        most = arrows > most ? arrows : most;
    }
    show_view(&s, "acceleration", s.model->clips[s.clip].end_s);
    assert_true(most > count_pixels(&s.picture, 0, 2) + 5);
    show_view(&s, "trajectories", running);
    int running_warm = count_pixels(&s.picture, 0, 2);
    show_view(&s, "trajectories", s.model->clips[s.clip].end_s);
    assert_true(running_warm > count_pixels(&s.picture, 0, 2) + 100); // orange future
    stage_close(&s);
}

static void legends_say_what_colours_mean(void** state) {
    (void)state;
    limberi_view_settings settings;
    limberi_views* views;
    limber_error error;
    limber_model model = limber_model_default();
    limberi_picture picture;
    assert_int_equal(limberi_view_parse("joints,velocity", &settings, &error), LIMBER_OK);
    assert_int_equal(limberi_views_create(&model, &settings, &views, &error), LIMBER_OK);
    static const uint32_t sizes[3][2] = {{400, 300}, {40, 400}, {1, 1}};
    for (int i = 0; i < 3; i++) {
        assert_int_equal(limberi_picture_create(sizes[i][0], sizes[i][1], &picture, &error), LIMBER_OK);
        limberi_views_legend(views, &picture);
        int amber = count_pixels(&picture, 0, 2), green = count_pixels(&picture, 1, 0);
        assert_true(i == 0 ? amber > 50 && green > 50 : amber == 0); // no room: no legend
        limberi_picture_destroy(&picture);
    }
    limberi_views_destroy(views);
}

static void missing_layers_are_named(void** state) {
    (void)state;
    stage s;
    limberi_view_settings settings;
    limberi_views* views;
    limber_error error;
    stage_open(&s);
    assert_int_equal(limberi_view_parse("layers:flopy", &settings, &error), LIMBER_OK);
    assert_int_equal(limberi_views_create(s.model, &settings, &views, &error), LIMBER_ERROR_DATA);
    assert_null(views);
    assert_non_null(strstr(error.message, "did you mean 'floppy'?"));
    stage_close(&s);
}

static void onion_skins_end_where_the_clip_does(void** state) {
    (void)state;
    stage s;
    limberi_onion* onion;
    limber_error error;
    limber_frame frame;
    stage_open(&s);
    const limber_clip* clip = &s.model->clips[s.clip];
    assert_true(clip->travels); // nothing wraps, whether it loops or not
    assert_int_equal(limberi_onion_create(s.model, 0, 1, &onion, &error), LIMBER_ERROR_ARGUMENT);
    assert_int_equal(limberi_onion_create(s.model, 2, 3, &onion, &error), LIMBER_OK);
    static const struct {
        double at; // of the clip
        bool past, future;
    } cases[] = {{0, false, true}, {0.4, true, true}, {1, true, false}};
    for (int i = 0; i < 3; i++) {
        double time_s = clip->start_s + cases[i].at * (clip->end_s - clip->start_s);
        assert_int_equal(limberi_onion_look(onion, s.pipeline, s.clip, time_s, 30, &error), LIMBER_OK);
        limberi_onion_show(onion, s.renderer);
        assert_int_equal(limber_pipeline_evaluate(s.pipeline, s.clip, time_s, &frame), LIMBER_OK);
        // Far away and tiny instead of the character: only the ghosts are in the picture.
        float* nowhere = calloc(3 * (size_t)s.model->vertex_count, sizeof *nowhere);
        assert_non_null(nowhere);
        limberi_renderer_frame_reset(s.renderer);
        limberi_renderer_frame(s.renderer, frame.positions);
        limberi_onion_frame(onion, s.renderer);
        assert_int_equal(limberi_renderer_draw(s.renderer, nowhere, NULL, s.picture.pixels, &error), LIMBER_OK);
        int past = 0, future = 0;
        for (size_t k = 0; k < 120 * 120; k++) {
            const uint8_t* p = s.picture.pixels + 4 * k;
            past += p[3] > 20 && p[2] > p[0] + 40;
            future += p[3] > 20 && p[0] > p[2] + 40;
        }
        assert_int_equal(past > 100, cases[i].past);
        assert_int_equal(future > 100, cases[i].future);
        free(nowhere);
    }
    limberi_onion_destroy(onion);
    stage_close(&s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ink_runs_along_the_edge_as_wide_as_asked_for),
        cmocka_unit_test(ink_is_as_wide_in_every_direction),
        cmocka_unit_test(ink_has_no_gaps_in_pictures_of_odd_sizes),
        cmocka_unit_test(materials_have_borders_of_ink),
        cmocka_unit_test(ink_crosses_strips_of_large_pictures),
        cmocka_unit_test(perspective_cameras_see_their_angle),
        cmocka_unit_test(orthographic_cameras_keep_sizes),
        cmocka_unit_test(lenses_clip_and_senseless_ones_are_ignored),
        cmocka_unit_test(fading_is_alpha),
        cmocka_unit_test(ghosts_stand_behind),
        cmocka_unit_test(paint_covers_materials),
        cmocka_unit_test(overlays_show_through),
        cmocka_unit_test(views_are_named),
        cmocka_unit_test(views_show_what_there_is),
        cmocka_unit_test(legends_say_what_colours_mean),
        cmocka_unit_test(missing_layers_are_named),
        cmocka_unit_test(onion_skins_end_where_the_clip_does),
    };
    return cmocka_run_group_tests(tests, make_cow, destroy_cow);
}
