// Pictures: what is drawn where, and what the camera keeps in view.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/math.h"
#include "kit/models.h"
#include "render/render.h"
#include "render/scene/viewpoint.h"

// Everything a picture test needs: one mesh, one material, at most one image.
typedef struct scene {
    limber_model model;
    limber_mesh mesh;
    limber_part part;
    limber_material material;
    limber_image image;
    limberi_render_settings settings;
    limberi_renderer* renderer;
    limberi_picture picture;
} scene;

static const float quad_positions[12] = {-1, -1, 0, 1, -1, 0, 1, 1, 0, -1, 1, 0};
static const float quad_normals[12] = {0, 0, 1, 0, 0, 1, 0, 0, 1, 0, 0, 1};
static const float quad_uvs[8] = {0, 1, 1, 1, 1, 0, 0, 0};
static const uint32_t quad_triangles[6] = {0, 1, 2, 0, 2, 3};

static const float cube_positions[24] = {-1, -1, -1, 1, -1, -1, 1, 1, -1, -1, 1, -1,
                                         -1, -1, 1,  1, -1, 1,  1, 1, 1,  -1, 1, 1};
static const uint32_t cube_triangles[36] = {4, 5, 6, 4, 6, 7, 1, 0, 3, 1, 3, 2, 5, 1, 2, 5, 2, 6,
                                            0, 4, 7, 0, 7, 3, 7, 6, 2, 7, 2, 3, 0, 1, 5, 0, 5, 4};

static void scene_mesh(scene* s, const float* positions, uint32_t vertices, const uint32_t* triangles, uint32_t count) {
    memset(s, 0, sizeof *s);
    s->mesh.positions = positions;
    s->mesh.vertex_count = vertices;
    s->mesh.triangles = triangles;
    s->mesh.triangle_count = count;
    s->part.vertex_count = vertices;
    s->part.triangle_count = count;
    s->mesh.parts = &s->part;
    s->mesh.part_count = 1;
    const limber_material red = {.base_color = {0.7f, 0.1f, 0.1f, 1.0f}, .roughness = 0.8f, .image = -1};
    s->material = red;
    s->model.mesh_count = 1;
    s->model.meshes = &s->mesh;
    s->model.material_count = 1;
    s->model.materials = &s->material;
    s->settings = limberi_render_settings_default();
    s->settings.width = 96;
    s->settings.height = 96;
    s->settings.supersample = 1;
    s->settings.transparent = true;
    s->settings.ground = false;
}

static void scene_quad(scene* s) {
    scene_mesh(s, quad_positions, 4, quad_triangles, 2);
    s->mesh.normals = quad_normals;
    s->mesh.uvs = quad_uvs;
    s->settings.yaw_deg = 0;
    s->settings.pitch_deg = 0;
}

static void scene_cube(scene* s) {
    scene_mesh(s, cube_positions, 8, cube_triangles, 12);
}

static void scene_open(scene* s) {
    limber_error error;
    if (limberi_renderer_create(&s->settings, &s->renderer, &error) != LIMBER_OK)
        fail_msg("%s", error.message);
    assert_int_equal(limberi_renderer_load(s->renderer, &s->model, &error), LIMBER_OK);
    assert_int_equal(limberi_picture_create(s->settings.width, s->settings.height, &s->picture, &error), LIMBER_OK);
}

static void scene_draw(scene* s) {
    limber_error error;
    limber_result result =
        limberi_renderer_draw(s->renderer, s->mesh.positions, s->mesh.normals, s->picture.pixels, &error);
    if (result != LIMBER_OK)
        fail_msg("%s", error.message);
}

static void scene_close(scene* s) {
    limberi_renderer_destroy(s->renderer);
    limberi_picture_destroy(&s->picture);
}

static const uint8_t* pixel(const limberi_picture* picture, float x, float y) {
    assert_true(x >= 0 && y >= 0 && x < (float)picture->width && y < (float)picture->height);
    return picture->pixels + 4 * ((size_t)y * picture->width + (size_t)x);
}

static const uint8_t* pixel_of(const scene* s, float x, float y, float z) {
    float column, row;
    limberi_renderer_project(s->renderer, limberi_vec3(x, y, z), &column, &row);
    return pixel(&s->picture, column, row);
}

static float noise(uint32_t* seed) {
    *seed = *seed * 1664525u + 1013904223u;
    return (float)(*seed >> 8) / 8388608.0f - 1.0f;
}

static double mean_difference(const limberi_picture* a, const limberi_picture* b) {
    double sum = 0;
    size_t count = (size_t)a->width * a->height * 4;
    for (size_t i = 0; i < count; i++)
        sum += abs(a->pixels[i] - b->pixels[i]);
    return sum / (double)count;
}

static void renderer_opens_without_a_window(void** state) {
    (void)state;
    scene s;
    scene_quad(&s);
    scene_open(&s);
    assert_true(strlen(limberi_renderer_device(s.renderer)) > 0);
    assert_null(limberi_renderer_warning(s.renderer));
    scene_close(&s);
    limberi_renderer_destroy(NULL);
}

static void renderer_rejects_senseless_settings(void** state) {
    (void)state;
    static const struct {
        uint32_t width, height, supersample;
        float pitch;
        limber_result expected;
    } cases[] = {{0, 0, 1, 0, LIMBER_ERROR_ARGUMENT},        {0, 10, 1, 0, LIMBER_ERROR_ARGUMENT},
                 {10, 0, 1, 0, LIMBER_ERROR_ARGUMENT},       {8193, 10, 1, 0, LIMBER_ERROR_LIMIT},
                 {10, UINT32_MAX, 1, 0, LIMBER_ERROR_LIMIT}, {10, 10, 9, 0, LIMBER_ERROR_ARGUMENT},
                 {10, 10, 5, 0, LIMBER_ERROR_ARGUMENT},      {10, 10, 1, 91, LIMBER_ERROR_ARGUMENT},
                 {10, 10, 1, NAN, LIMBER_ERROR_ARGUMENT}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        limberi_render_settings settings = limberi_render_settings_default();
        limberi_renderer* renderer = (limberi_renderer*)&settings;
        limber_error error = {0};
        settings.width = cases[i].width;
        settings.height = cases[i].height;
        settings.supersample = cases[i].supersample;
        settings.pitch_deg = cases[i].pitch;
        assert_int_equal(limberi_renderer_create(&settings, &renderer, &error), cases[i].expected);
        assert_null(renderer);
        assert_true(strlen(error.message) > 0);
    }
}

static void drawing_without_a_model_is_an_error(void** state) {
    (void)state;
    limberi_render_settings settings = limberi_render_settings_default();
    limberi_renderer* renderer;
    limber_error error;
    uint8_t pixels[4];
    settings.width = settings.height = 1;
    assert_int_equal(limberi_renderer_create(&settings, &renderer, &error), LIMBER_OK);
    assert_int_equal(limberi_renderer_draw(renderer, quad_positions, NULL, pixels, &error), LIMBER_ERROR_ARGUMENT);
    limberi_renderer_destroy(renderer);
}

static void cube_covers_exactly_its_own_pixels(void** state) {
    (void)state;
    scene s;
    scene_cube(&s);
    scene_open(&s);
    limberi_renderer_frame(s.renderer, cube_positions);
    scene_draw(&s);
    float left = 1e9f, right = -1e9f, top = 1e9f, bottom = -1e9f;
    for (int i = 0; i < 8; i++) {
        float x, y;
        limberi_renderer_project(s.renderer, limberi_load3(cube_positions + 3 * i), &x, &y);
        left = fminf(left, x);
        right = fmaxf(right, x);
        top = fminf(top, y);
        bottom = fmaxf(bottom, y);
    }
    bool on_left = false, on_right = false, on_top = false, on_bottom = false;
    for (uint32_t y = 0; y < s.picture.height; y++)
        for (uint32_t x = 0; x < s.picture.width; x++) {
            float px = (float)x, py = (float)y;
            if (pixel(&s.picture, px, py)[3] == 0)
                continue;
            assert_true(px + 1 > left && px < right && py + 1 > top && py < bottom);
            on_left = on_left || px < left + 2;
            on_right = on_right || px + 1 > right - 2;
            on_top = on_top || py < top + 2;
            on_bottom = on_bottom || py + 1 > bottom - 2;
        }
    assert_true(on_left && on_right && on_top && on_bottom);
    assert_int_equal(pixel_of(&s, 0, 0, 0)[3], 255);
    scene_close(&s);
}

static void camera_keeps_random_boxes_inside_the_margin(void** state) {
    (void)state;
    uint32_t seed = 5;
    for (int trial = 0; trial < 500; trial++) {
        float scale = powf(10.0f, 4.0f * noise(&seed)), aspect = powf(4.0f, noise(&seed)), margin = 0.12f;
        float farthest = 0.0f;
        limberi_camera camera;
        limberi_camera_init(&camera, 3.2f * noise(&seed), 1.57f * noise(&seed), 0.6f + 0.4f * noise(&seed), aspect,
                            margin);
        float points[24];
        limber_vec3 center = {10 * scale * noise(&seed), 10 * scale * noise(&seed), 10 * scale * noise(&seed)};
        limber_vec3 half = {scale * fabsf(noise(&seed)), scale * fabsf(noise(&seed)), scale * fabsf(noise(&seed))};
        for (int i = 0; i < 8; i++) {
            points[3 * i] = center.x + (i & 1 ? half.x : -half.x);
            points[3 * i + 1] = center.y + (i & 2 ? half.y : -half.y);
            points[3 * i + 2] = center.z + (i & 4 ? half.z : -half.z);
        }
        limberi_camera_show(&camera, points, 8);
        limberi_view view = limberi_camera_view(&camera, trial % 2 ? scale : 0.0f);
        limberi_projection projection = limberi_view_projection(&view);
        for (int i = 0; i < 8; i++) {
            float clip[4];
            limberi_project(&projection, limberi_stage_point(&view.stage, limberi_load3(points + 3 * i)), clip);
            assert_true(clip[3] > 0 && fabsf(clip[2]) < clip[3]);
            farthest = fmaxf(farthest, fmaxf(fabsf(clip[0]), fabsf(clip[1])) / clip[3]);
        }
        // Inside, and not needlessly far away.
        assert_true(farthest < 1.0f - margin + 1e-3f);
        assert_true(farthest > 1.0f - margin - 2e-2f);
    }
}

static void camera_survives_points_without_size_or_sense(void** state) {
    (void)state;
    const float points[9] = {3e5f, -2, 7, NAN, 0, 0, INFINITY, 1, 1};
    for (size_t count = 0; count <= 3; count++) {
        limberi_camera camera;
        limberi_camera_init(&camera, 0.5f, 0.2f, 0.5f, 1.5f, 0.1f);
        limberi_camera_show(&camera, points, count);
        limberi_view view = limberi_camera_view(&camera, 0.0f);
        limberi_projection projection = limberi_view_projection(&view);
        assert_true(view.near > 0 && view.far > view.near && isfinite(view.far));
        for (int i = 0; i < 16; i++)
            assert_true(isfinite(projection.m[i]));
    }
}

static void textured_quad_shows_each_corner_in_its_colour(void** state) {
    (void)state;
    limberi_picture texture;
    limber_error error;
    uint8_t* bytes;
    scene s;
    assert_int_equal(limberi_picture_create(64, 64, &texture, &error), LIMBER_OK);
    for (uint32_t i = 0; i < 64 * 64; i++) {
        bool right = i % 64 >= 32, low = i / 64 >= 32;
        const limberi_color red = {220, 20, 20, 255}, green = {20, 220, 20, 255}, blue = {20, 20, 220, 255},
                            white = {230, 230, 230, 255};
        limberi_color color = low ? (right ? white : blue) : (right ? green : red);
        memcpy(texture.pixels + 4 * i, &color, 4);
    }
    scene_quad(&s);
    const limber_material plain = {.base_color = {1, 1, 1, 1}, .roughness = 1, .image = 0};
    s.material = plain;
    assert_int_equal(limberi_picture_encode_png(&texture, &bytes, &s.image.byte_count, &error), LIMBER_OK);
    s.image.bytes = bytes;
    s.model.images = &s.image;
    s.model.image_count = 1;
    scene_open(&s);
    assert_null(limberi_renderer_warning(s.renderer));
    scene_draw(&s);
    limberi_renderer_frame(s.renderer, quad_positions);
    const uint8_t* red = pixel_of(&s, -0.5f, 0.5f, 0);
    const uint8_t* green = pixel_of(&s, 0.5f, 0.5f, 0);
    const uint8_t* blue = pixel_of(&s, -0.5f, -0.5f, 0);
    const uint8_t* white = pixel_of(&s, 0.5f, -0.5f, 0);
    assert_true(red[0] > 150 && red[1] < 110 && red[2] < 110);
    assert_true(green[1] > 150 && green[0] < 110 && green[2] < 110);
    assert_true(blue[2] > 130 && blue[0] < 110 && blue[1] < 110);
    assert_true(white[0] > 150 && white[1] > 150 && white[2] > 150);
    scene_close(&s);
    limberi_picture_destroy(&texture);
    free(bytes);
}

// A picture's numbers are sRGB, a material's are linear light: the same colour must look the same.
static void texture_and_material_agree_about_colour(void** state) {
    (void)state;
    const limberi_color orange = {180, 100, 40, 255};
    limberi_picture texture;
    limber_error error;
    uint8_t* bytes;
    scene painted, textured;
    scene_quad(&painted);
    const limber_material linear = {.base_color = {0.45641f, 0.12744f, 0.02122f, 1}, .roughness = 1, .image = -1};
    painted.material = linear;
    scene_open(&painted);
    scene_draw(&painted);

    assert_int_equal(limberi_picture_create(4, 4, &texture, &error), LIMBER_OK);
    limberi_picture_fill(&texture, orange);
    scene_quad(&textured);
    const limber_material plain = {.base_color = {1, 1, 1, 1}, .roughness = 1, .image = 0};
    textured.material = plain;
    assert_int_equal(limberi_picture_encode_png(&texture, &bytes, &textured.image.byte_count, &error), LIMBER_OK);
    textured.image.bytes = bytes;
    textured.model.images = &textured.image;
    textured.model.image_count = 1;
    scene_open(&textured);
    scene_draw(&textured);
    assert_true(mean_difference(&painted.picture, &textured.picture) < 0.5);
    scene_close(&painted);
    scene_close(&textured);
    limberi_picture_destroy(&texture);
    free(bytes);
}

static void unreadable_texture_is_a_warning(void** state) {
    (void)state;
    static const uint8_t junk[20] = "not a picture at all";
    scene s;
    scene_quad(&s);
    s.material.image = 0;
    s.image.name = "skin";
    s.image.bytes = junk;
    s.image.byte_count = sizeof junk;
    s.model.images = &s.image;
    s.model.image_count = 1;
    scene_open(&s);
    assert_non_null(strstr(limberi_renderer_warning(s.renderer), "skin"));
    scene_draw(&s);
    limberi_renderer_frame(s.renderer, quad_positions);
    const uint8_t* p = pixel_of(&s, 0, 0, 0);
    assert_true(p[3] == 255 && p[0] > 2 * p[1]);
    scene_close(&s);
}

static void vertex_colours_tint_the_material(void** state) {
    (void)state;
    static const float colors[16] = {0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1};
    scene s;
    scene_quad(&s);
    s.mesh.colors = colors;
    s.material.base_color[1] = 0.8f;
    scene_open(&s);
    scene_draw(&s);
    limberi_renderer_frame(s.renderer, quad_positions);
    const uint8_t* p = pixel_of(&s, 0, 0, 0);
    assert_true(p[1] > 150 && p[0] < 60 && p[2] < 60);
    scene_close(&s);
}

// Share of the picture that is not fully transparent.
static double covered(const limberi_picture* picture) {
    size_t count = (size_t)picture->width * picture->height, hits = 0;
    for (size_t i = 0; i < count; i++)
        hits += picture->pixels[4 * i + 3] != 0;
    return (double)hits / (double)count;
}

static double covered_from_behind(bool double_sided, bool material) {
    scene s;
    scene_quad(&s);
    s.settings.yaw_deg = 180;
    s.material.double_sided = double_sided;
    s.part.material = material ? 0 : -1;
    scene_open(&s);
    scene_draw(&s);
    double share = covered(&s.picture);
    scene_close(&s);
    return share;
}

static void back_faces_show_only_where_the_material_says_so(void** state) {
    (void)state;
    assert_true(covered_from_behind(false, true) == 0.0);
    assert_true(covered_from_behind(true, true) > 0.5);
    assert_true(covered_from_behind(false, false) > 0.5);
}

static void mirrored_mesh_keeps_its_front(void** state) {
    (void)state;
    scene s;
    limber_skin skin = {.world_from_mesh = limber_mat4_identity()};
    skin.world_from_mesh.m[0] = -1;
    scene_quad(&s);
    s.settings.yaw_deg = 180;
    s.model.skins = &skin;
    s.model.skin_count = 1;
    scene_open(&s);
    scene_draw(&s);
    assert_true(covered(&s.picture) > 0.5);
    scene_close(&s);
}

static void transparent_edges_keep_the_objects_colour(void** state) {
    (void)state;
    scene s;
    int edges = 0, darkest = 255;
    scene_cube(&s);
    s.settings.supersample = 2;
    scene_open(&s);
    scene_draw(&s);
    for (size_t i = 0; i < 96 * 96; i++) {
        const uint8_t* p = s.picture.pixels + 4 * i;
        darkest = p[3] == 255 && p[0] < darkest ? p[0] : darkest;
    }
    for (size_t i = 0; i < 96 * 96; i++) {
        const uint8_t* p = s.picture.pixels + 4 * i;
        if (p[3] < 40 || p[3] > 215)
            continue;
        edges++;
        assert_true(p[0] >= darkest - 4); // not darkened towards the black behind it
    }
    assert_true(edges > 20);
    scene_close(&s);
}

static void blended_material_lets_half_through(void** state) {
    (void)state;
    scene s;
    scene_quad(&s);
    s.material.blend = true;
    s.material.base_color[3] = 0.5f;
    scene_open(&s);
    scene_draw(&s);
    limberi_renderer_frame(s.renderer, quad_positions);
    assert_in_range(pixel_of(&s, 0, 0, 0)[3], 124, 131);
    scene_close(&s);
}

static void background_is_opaque_and_as_asked(void** state) {
    (void)state;
    scene s;
    scene_cube(&s);
    s.settings.transparent = false;
    const float top[3] = {0.2f, 0.4f, 0.6f};
    memcpy(s.settings.background_top, top, sizeof top);
    scene_open(&s);
    scene_draw(&s);
    for (size_t i = 0; i < 96 * 96; i++)
        assert_int_equal(s.picture.pixels[4 * i + 3], 255);
    for (int c = 0; c < 3; c++)
        assert_true(fabsf((float)s.picture.pixels[c] - 255.0f * top[c]) < 8.0f);
    scene_close(&s);
}

static void open_on_the_ground(scene* s) {
    scene_cube(s);
    s->settings.ground = true;
    s->settings.yaw_deg = 0;
    s->model.size = 3.46f;
    scene_open(s);
    limberi_renderer_frame_box(s->renderer, limberi_vec3(-4, -1, -4), limberi_vec3(4, 3, 4));
}

// The key light comes from the camera's left, so the cube's shadow falls to its right.
static void shadow_falls_away_from_the_key_light(void** state) {
    (void)state;
    scene s;
    open_on_the_ground(&s);
    scene_draw(&s);
    int right = pixel_of(&s, 1.55f, -1.0f, -1.2f)[3], left = pixel_of(&s, -1.55f, -1.0f, -1.2f)[3];
    assert_true(right > left + 40);
    scene_close(&s);
}

static void ground_is_dark_where_the_character_touches_it(void** state) {
    (void)state;
    scene s;
    open_on_the_ground(&s);
    scene_draw(&s);
    int beside = pixel_of(&s, 0.0f, -1.0f, 1.15f)[3], far_away = pixel_of(&s, 0.0f, -1.0f, 3.5f)[3];
    assert_true(beside > 30);
    assert_true(far_away < beside / 4);

    static float lifted[24];
    for (int i = 0; i < 24; i++)
        lifted[i] = cube_positions[i] + (i % 3 == 1 ? 1.5f : 0.0f);
    s.mesh.positions = lifted;
    scene_draw(&s);
    assert_true(pixel_of(&s, 0.0f, -1.0f, 1.15f)[3] < beside - 15); // a jump loosens the contact
    scene_close(&s);
}

static void same_input_gives_the_same_picture(void** state) {
    (void)state;
    scene a, b;
    scene_cube(&a);
    a.settings.ground = true;
    a.settings.transparent = false;
    b = a;
    b.model.meshes = &b.mesh;
    b.model.materials = &b.material;
    scene_open(&a);
    scene_open(&b);
    scene_draw(&a);
    scene_draw(&b);
    assert_memory_equal(a.picture.pixels, b.picture.pixels, 96 * 96 * 4);
    scene_draw(&a);
    assert_memory_equal(a.picture.pixels, b.picture.pixels, 96 * 96 * 4);
    scene_close(&a);
    scene_close(&b);
}

static void moving_and_scaling_the_world_changes_nothing(void** state) {
    (void)state;
    static float moved[24];
    for (int i = 0; i < 24; i++)
        moved[i] = 300.0f * cube_positions[i] + 5000.0f;
    scene a, b;
    scene_cube(&a);
    a.settings.ground = true;
    a.settings.transparent = false;
    b = a;
    b.model.meshes = &b.mesh;
    b.model.materials = &b.material;
    b.mesh.positions = moved;
    scene_open(&a);
    scene_open(&b);
    scene_draw(&a);
    scene_draw(&b);
    assert_true(mean_difference(&a.picture, &b.picture) < 0.5);
    scene_close(&a);
    scene_close(&b);
}

static void odd_sizes_and_odd_models_are_drawn(void** state) {
    (void)state;
    static const uint32_t sizes[][2] = {{1, 1}, {1, 50}, {333, 2}, {31, 17}};
    static float wild[24];
    scene s;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        scene_cube(&s);
        s.settings.width = sizes[i][0];
        s.settings.height = sizes[i][1];
        s.settings.ground = true;
        scene_open(&s);
        scene_draw(&s);
        assert_true(covered(&s.picture) > 0);
        scene_close(&s);
    }
    for (int kind = 0; kind < 3; kind++) {
        memcpy(wild, cube_positions, sizeof wild);
        wild[4] = kind == 0 ? NAN : kind == 1 ? INFINITY : 1e30f;
        scene_cube(&s);
        s.mesh.positions = wild;
        s.settings.ground = true;
        scene_open(&s);
        scene_draw(&s);
        scene_close(&s);
    }
    scene_cube(&s);
    s.model.mesh_count = 0;
    scene_open(&s);
    scene_draw(&s);
    assert_true(covered(&s.picture) == 0);
    scene_close(&s);
}

// Larger than one strip: nothing may show where strips meet.
static void large_pictures_have_no_seams(void** state) {
    (void)state;
    scene small, large;
    scene_cube(&small);
    small.settings.width = 500;
    small.settings.height = 620;
    small.settings.supersample = 1;
    small.settings.transparent = false;
    large = small;
    large.settings.supersample = 4;
    scene* both[2] = {&small, &large};
    for (int i = 0; i < 2; i++) {
        both[i]->model.meshes = &both[i]->mesh;
        both[i]->model.materials = &both[i]->material;
        scene_open(both[i]);
        scene_draw(both[i]);
    }
    for (uint32_t y = 0; y < 620; y++) {
        double difference = 0;
        for (uint32_t x = 0; x < 500; x++)
            for (int c = 0; c < 4; c++)
                difference +=
                    abs(pixel(&small.picture, (float)x, (float)y)[c] - pixel(&large.picture, (float)x, (float)y)[c]);
        assert_true(difference / 2000 < 3.0);
    }
    scene_close(&small);
    scene_close(&large);
}

static void scenery_does_not_push_the_camera_away(void** state) {
    (void)state;
    static const float floor_positions[12] = {-100, 0, 100, 100, 0, 100, 100, 0, -100, -100, 0, -100};
    limber_mesh meshes[2];
    float positions[36], x, y;
    scene s;
    scene_cube(&s);
    meshes[0] = s.mesh;
    meshes[1] = s.mesh;
    meshes[1].positions = floor_positions;
    meshes[1].vertex_count = 4;
    meshes[1].triangles = quad_triangles;
    meshes[1].triangle_count = 2;
    meshes[1].part_count = 0;
    meshes[1].scenery = true;
    s.model.meshes = meshes;
    s.model.mesh_count = 2;
    memcpy(positions, cube_positions, sizeof cube_positions);
    memcpy(positions + 24, floor_positions, sizeof floor_positions);
    scene_open(&s);
    limberi_renderer_frame(s.renderer, positions);
    limberi_renderer_project(s.renderer, limberi_vec3(100, 0, 100), &x, &y);
    assert_true(x < 0 || x > 96 || y < 0 || y > 96);
    meshes[0].scenery = true;
    limberi_renderer_frame_reset(s.renderer);
    limberi_renderer_frame(s.renderer, positions);
    limberi_renderer_project(s.renderer, limberi_vec3(100, 0, 100), &x, &y);
    assert_true(x > 0 && x < 96 && y > 0 && y < 96);
    scene_close(&s);
}

// The border stays free in every frame although the camera never moves.
static void check_border_is_free(const limberi_picture* picture) {
    for (uint32_t i = 0; i < picture->width; i++) {
        float at = (float)i, last = (float)picture->width - 1;
        assert_int_equal(pixel(picture, at, 0)[3], 0);
        assert_int_equal(pixel(picture, at, last)[3], 0);
        assert_int_equal(pixel(picture, 0, at)[3], 0);
        assert_int_equal(pixel(picture, last, at)[3], 0);
    }
}

static void draw_frames(const limber_asset* asset, int32_t clip) {
    enum { FRAMES = 3 };
    const limber_model* model = limber_asset_model(asset);
    scene s;
    limber_error error;
    limber_pipeline* pipeline;
    limber_frame frame;
    scene_cube(&s);
    s.settings.width = s.settings.height = 64;
    s.model = *model;
    scene_open(&s);
    assert_int_equal(limber_pipeline_create(asset, NULL, &pipeline, &error), LIMBER_OK);
    double start_s = clip < 0 ? 0 : model->clips[clip].start_s, end_s = clip < 0 ? 0 : model->clips[clip].end_s;
    for (int pass = 0; pass < 2; pass++)
        for (int i = 0; i < FRAMES; i++) {
            double time_s = start_s + (end_s - start_s) * i / (FRAMES - 1);
            assert_int_equal(limber_pipeline_evaluate(pipeline, clip, time_s, &frame), LIMBER_OK);
            if (pass == 0) {
                limberi_renderer_frame(s.renderer, frame.positions);
                continue;
            }
            s.mesh.positions = frame.positions;
            s.mesh.normals = frame.normals;
            scene_draw(&s);
            assert_true(covered(&s.picture) > 0.005);
            check_border_is_free(&s.picture);
        }
    limber_pipeline_destroy(pipeline);
    scene_close(&s);
}

static void every_character_is_drawn_and_stays_in_the_picture(void** state) {
    (void)state;
    for (uint32_t i = 0; i < test_character_count(); i += test_character_step()) {
        limber_gltf* gltf;
        limber_asset* asset = test_character_load(i, &gltf);
        draw_frames(asset, limber_asset_model(asset)->clip_count ? 0 : -1);
        test_character_free(asset, gltf);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(renderer_opens_without_a_window),
        cmocka_unit_test(renderer_rejects_senseless_settings),
        cmocka_unit_test(drawing_without_a_model_is_an_error),
        cmocka_unit_test(cube_covers_exactly_its_own_pixels),
        cmocka_unit_test(camera_keeps_random_boxes_inside_the_margin),
        cmocka_unit_test(camera_survives_points_without_size_or_sense),
        cmocka_unit_test(textured_quad_shows_each_corner_in_its_colour),
        cmocka_unit_test(texture_and_material_agree_about_colour),
        cmocka_unit_test(unreadable_texture_is_a_warning),
        cmocka_unit_test(vertex_colours_tint_the_material),
        cmocka_unit_test(back_faces_show_only_where_the_material_says_so),
        cmocka_unit_test(mirrored_mesh_keeps_its_front),
        cmocka_unit_test(transparent_edges_keep_the_objects_colour),
        cmocka_unit_test(blended_material_lets_half_through),
        cmocka_unit_test(background_is_opaque_and_as_asked),
        cmocka_unit_test(shadow_falls_away_from_the_key_light),
        cmocka_unit_test(ground_is_dark_where_the_character_touches_it),
        cmocka_unit_test(same_input_gives_the_same_picture),
        cmocka_unit_test(moving_and_scaling_the_world_changes_nothing),
        cmocka_unit_test(odd_sizes_and_odd_models_are_drawn),
        cmocka_unit_test(large_pictures_have_no_seams),
        cmocka_unit_test(scenery_does_not_push_the_camera_away),
        cmocka_unit_test(every_character_is_drawn_and_stays_in_the_picture),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
