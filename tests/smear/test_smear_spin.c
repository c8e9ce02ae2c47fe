// Spin that goes into the texture (SMEAR, figure 19): what a viewer sees stays the same, but the shape stands still.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/math.h"
#include "kit/failing_memory.h"
#include <limber/limber.h>
#include <limber/stages/pose.h>
#include <limber/stages/settings.h>

enum { COLUMNS = 24, ROWS = 10, VERTICES = (COLUMNS + 1) * (ROWS + 1), TRIANGLES = 2 * COLUMNS * ROWS, FRAMES = 31 };
static const float radius = 0.5f;
static const double turns = 3.25; // over the clip

// A ball that rolls along z about its poles, which lie on x. Two textures around.
typedef struct ball {
    float positions[3 * VERTICES], uvs[2 * VERTICES], colors[4 * VERTICES];
    uint32_t triangles[3 * TRIANGLES], first[VERTICES + 1];
    uint16_t joint[VERTICES];
    float weight[VERTICES], times[FRAMES], places[3 * FRAMES], spins[4 * FRAMES];
    double turns;
    bool bare, colored, ends, plain;
    limber_asset* asset;
} ball;

static void shape(ball* b) {
    memset(b, 0, sizeof *b);
    b->turns = turns;
    for (int row = 0, v = 0; row <= ROWS; row++)
        for (int column = 0; column <= COLUMNS; column++, v++) {
            double from_pole = LIMBERI_PI * row / ROWS, around = 2 * LIMBERI_PI * column / COLUMNS;
            b->positions[3 * v] = radius * (float)cos(from_pole);
            b->positions[3 * v + 1] = radius * (float)(sin(from_pole) * cos(around));
            b->positions[3 * v + 2] = radius * (float)(sin(from_pole) * sin(around));
            b->uvs[2 * v] = 2.0f * (float)column / COLUMNS;
            b->uvs[2 * v + 1] = (float)row / ROWS;
            b->first[v + 1] = (uint32_t)v + 1;
            b->joint[v] = 1;
            b->weight[v] = 1;
            for (int i = 0; i < 4; i++)
                b->colors[4 * v + i] = i < 3 && column > COLUMNS / 2 ? 0.2f : 1.0f;
        }
    uint32_t* t = b->triangles;
    for (uint32_t row = 0; row < ROWS; row++)
        for (uint32_t column = 0; column < COLUMNS; column++, t += 6) {
            uint32_t a = row * (COLUMNS + 1) + column, c = a + COLUMNS + 1;
            const uint32_t two[6] = {a, c, a + 1, a + 1, c, c + 1};
            memcpy(t, two, sizeof two);
        }
}

static void finish(ball* b) {
    static const char* const names[2] = {"Root", "Ball"};
    static const int32_t parents[2] = {LIMBER_NO_PARENT, 0};
    static const uint32_t joints[2] = {0, 1};
    static const uint8_t picture[] = "\x89PNG\r\n\x1a\n";
    const limber_transform at = {{0, 0, 0}, {0, 0, 0, 1}, {1, 1, 1}}, rest[2] = {at, at};
    const limber_mat4 none = {{1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1}}, bind[2] = {none, none};
    for (int f = 0; f < FRAMES; f++) {
        double t = (double)f / (FRAMES - 1), half = LIMBERI_PI * b->turns * t;
        b->times[f] = (float)t;
        b->places[3 * f + 2] = (float)(2 * half) * radius;
        b->spins[4 * f] = (float)sin(half);
        b->spins[4 * f + 3] = (float)cos(half);
    }
    const limber_channel channels[2] = {
        {LIMBER_CHANNEL_TRANSLATION, LIMBER_INTERPOLATION_LINEAR, 0, FRAMES, b->times, b->places},
        {LIMBER_CHANNEL_ROTATION, LIMBER_INTERPOLATION_LINEAR, 1, FRAMES, b->times, b->spins}};
    const limber_skin skin = {.name = "Ball", .joint_count = 2, .joints = joints, .joint_from_mesh = bind};
    const limber_image image = {"dots", picture, sizeof picture - 1, NULL};
    const limber_material material = {
        .name = "Dots", .base_color = {1, 1, 1, 1}, .image = b->plain ? -1 : 0, .ends = b->ends};
    const limber_part part = {.vertex_count = VERTICES, .triangle_count = TRIANGLES, .material = 0};
    limber_mesh mesh = {.name = "Ball", .node_name = "Ball", .vertex_count = VERTICES, .triangle_count = TRIANGLES};
    mesh.positions = b->positions;
    mesh.uvs = b->bare ? NULL : b->uvs;
    mesh.colors = b->colored ? b->colors : NULL;
    mesh.triangles = b->triangles;
    mesh.influence_first = b->first;
    mesh.influence_joint = b->joint;
    mesh.influence_weight = b->weight;
    mesh.part_count = 1;
    mesh.parts = &part;
    const limber_clip clip = {.name = "roll", .channel_count = 2, .channels = channels};
    limber_model model = limber_model_default();
    model.rig = (limber_rig){.joint_count = 2, .names = names, .parents = parents, .rest_local = rest};
    model.skin_count = model.mesh_count = model.clip_count = model.material_count = model.image_count = 1;
    model.skins = &skin;
    model.meshes = &mesh;
    model.clips = &clip;
    model.materials = &material;
    model.images = &image;
    limber_error error;
    if (limber_asset_create(&model, &b->asset, &error) != LIMBER_OK)
        fail_msg("%s %s", error.place, error.message);
}

static limber_result start(const ball* b, const char* style_text, limber_pipeline** pipeline, limber_error* error) {
    limber_style* style;
    assert_int_equal(limber_style_create(&style, error), LIMBER_OK);
    assert_int_equal(limber_style_read(style, style_text, strlen(style_text), error), LIMBER_OK);
    limber_result result = limber_pipeline_create(b->asset, style, pipeline, error);
    limber_style_destroy(style);
    return result;
}

static limber_pipeline* spun(const ball* b, const char* style_text) {
    limber_pipeline* pipeline;
    limber_error error;
    if (start(b, style_text, &pipeline, &error) != LIMBER_OK)
        fail_msg("%s %s", error.place, error.message);
    return pipeline;
}

// u where a point of the standing ball is, against u of the vertex that the rolling ball has there.
static void viewers_see_the_same(void** state) {
    (void)state;
    ball* b = malloc(sizeof *b);
    shape(b);
    finish(b);
    limber_pipeline *plain = spun(b, "{}"), *still = spun(b, "{\"smear\": {\"spin\": \"texture\"}}");
    const limber_mesh* mesh = &limber_asset_model(b->asset)->meshes[0];
    for (int f = 0; f < FRAMES; f += 3) {
        double time_s = (double)f / (FRAMES - 1) + 0.003;
        limber_frame rolling, standing;
        float shift = 0;
        assert_int_equal(limber_pipeline_evaluate(plain, 0, time_s, &rolling), LIMBER_OK);
        assert_int_equal(limber_pipeline_evaluate(still, 0, time_s, &standing), LIMBER_OK);
        assert_true(limber_pipeline_texture_shifts(still, 0, time_s, &shift));
        limber_vec3 center = limberi_mat4_translation(&standing.pose->world_from_joint[1]);
        for (size_t v = 0; v < VERTICES; v++) {
            limber_vec3 p = limberi_sub(limberi_load3(rolling.positions + 3 * v), center);
            limber_vec3 q = limberi_sub(limberi_load3(standing.positions + 3 * v), center);
            assert_true(limberi_length(limberi_sub(q, limberi_load3(b->positions + 3 * v))) < 1e-4f);
            if (fabsf(p.x) > 0.99f * radius)
                continue;
            double u = 2 * atan2((double)p.z, (double)p.y) / (2 * LIMBERI_PI) + (double)shift;
            assert_true(fabs(remainder(u - (double)mesh->uvs[2 * v], 1)) < 1e-3);
        }
    }
    float shift = 1;
    assert_false(limber_pipeline_texture_shifts(plain, 0, 0.5, &shift));
    assert_true(shift == 0);
    limber_pipeline_destroy(plain);
    limber_pipeline_destroy(still);
    limber_asset_destroy(b->asset);
    free(b);
}

// A copy a frame back is the ball one frame back, not turned: all of its vertices have moved by the same.
static void smears_see_no_spin(void** state) {
    (void)state;
    ball* b = malloc(sizeof *b);
    shape(b);
    finish(b);
    limber_pipeline* p =
        spun(b, "{\"smear\": {\"spin\": \"texture\", \"elongate\": {\"amount\": \"1 + 0 * offset\"}}}");
    limber_smeared smeared;
    assert_int_equal(limber_pipeline_evaluate_smeared(p, 0, 0.5, 30, &smeared), LIMBER_OK);
    limber_vec3 way = limberi_sub(limberi_load3(smeared.frame.positions), limberi_load3(smeared.deformed));
    assert_true(way.z > 0.1f);
    for (size_t v = 0; v < VERTICES; v++) {
        limber_vec3 own =
            limberi_sub(limberi_load3(smeared.frame.positions + 3 * v), limberi_load3(smeared.deformed + 3 * v));
        assert_true(limberi_length(limberi_sub(own, way)) < 1e-4f);
    }
    limber_pipeline_destroy(p);
    limber_asset_destroy(b->asset);
    free(b);
}

static char* text_of(const char* path) {
    FILE* file = fopen(path, "rb");
    char* text = calloc(1, 1 << 20);
    assert_non_null(file);
    assert_non_null(text);
    assert_true(fread(text, 1, (1 << 20) - 1, file) > 0);
    fclose(file);
    return text;
}

// Players go straight from key to key, so keys count on over whole turns.
static void bakes_carry_the_shift(void** state) {
    (void)state;
    ball* b = malloc(sizeof *b);
    shape(b);
    finish(b);
    limber_pipeline* p = spun(b, "{\"smear\": {\"spin\": \"texture\", \"multiples\": {\"past\": 1}}}");
    limber_bake_settings settings = limber_bake_settings_default();
    settings.kind = LIMBER_BAKE_CORRECTIVE;
    settings.range_start_s = 0.4;
    settings.range_end_s = 0.6;
    limber_bake* bake;
    limber_error error;
    assert_int_equal(limber_pipeline_bake(p, &settings, &bake, &error), LIMBER_OK);
    assert_int_equal(bake->tracks[0].shift_count, FRAMES);
    for (uint32_t i = 0; i < FRAMES; i++)
        assert_true(fabs((double)bake->meshes[0].shifts[0][i] + 2 * turns * i / (FRAMES - 1)) < 1e-3);
    limber_gltf* gltf;
    limber_gltf_edits edits = limber_gltf_edits_default();
    limber_edited_clip clip;
    assert_true(limber_pipeline_edited_clip(p, 0, &clip));
    edits.bake = bake;
    edits.clips = &clip;
    edits.clip_count = 1;
    assert_int_equal(limber_gltf_from_asset(b->asset, &gltf, &error), LIMBER_OK);
    if (limber_gltf_save_file(gltf, &edits, "smear_spin.gltf", &error) != LIMBER_OK)
        fail_msg("%s", error.message);
    char* text = text_of("smear_spin.gltf");
    static const char* const wanted[] = {
        "/materials/0/pbrMetallicRoughness/baseColorTexture/extensions/KHR_texture_transform/offset",
        "/materials/1/pbrMetallicRoughness/baseColorTexture/extensions/KHR_texture_transform/offset", // of the copy
        "\"extensionsUsed\":[\"KHR_texture_transform\",\"KHR_animation_pointer\"]"};
    for (int i = 0; i < 3; i++)
        if (!strstr(text, wanted[i]))
            fail_msg("the file has no %s", wanted[i]);
    free(text);
    remove("smear_spin.gltf");
    remove("smear_spin.bin");
    limber_gltf_destroy(gltf);
    limber_bake_destroy(bake);
    limber_pipeline_destroy(p);
    limber_asset_destroy(b->asset);
    free(b);
}

// --- refusals ---

static void without_uvs(ball* b) {
    b->bare = true;
}

static void without_texture(ball* b) {
    b->plain = true;
}

static void with_an_edge(ball* b) {
    b->ends = true;
}

static void egg_shaped(ball* b) {
    for (size_t v = 0; v < VERTICES; v++)
        b->positions[3 * v + 1] *= 1.2f;
}

static void uneven(ball* b) {
    for (size_t v = 0; v < VERTICES; v++)
        b->uvs[2 * v] += 0.1f * sinf(4 * (float)LIMBERI_PI * b->uvs[2 * v]);
}

static void flat(ball* b) { // mapped along an axis that it does not spin about
    for (size_t v = 0; v < VERTICES; v++) {
        b->uvs[2 * v] = b->positions[3 * v + 1];
        b->uvs[2 * v + 1] = b->positions[3 * v + 2];
    }
}

static void half_colored(ball* b) {
    b->colored = true;
}

static void on_two_joints(ball* b) {
    b->joint[40] = 0;
}

static void swinging(ball* b) {
    b->turns = 0.4;
}

static void what_cannot_spin_in_its_texture_is_refused(void** state) {
    (void)state;
    static const struct {
        void (*change)(ball* b);
        const char* says;
    } cases[] = {
        {without_uvs, "mesh 'Ball' has no texture coordinates"},
        {without_texture, "mesh 'Ball' has no texture"},
        {with_an_edge, "does not repeat"},
        {egg_shaped, "is not round about the spin axis"},
        {uneven, "do not run evenly around"},
        {flat, "do not run evenly around"},
        {half_colored, "vertex colors"},
        {on_two_joints, "hangs on other joints"},
        {swinging, "no joint with a mesh turns by half a turn"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        ball* b = malloc(sizeof *b);
        shape(b);
        cases[i].change(b);
        finish(b);
        limber_pipeline* p = NULL;
        limber_error error;
        limber_result result = start(b, "{\"smear\": {\"spin\": \"texture\"}}", &p, &error);
        if (result != LIMBER_ERROR_DATA || !strstr(error.message, cases[i].says))
            fail_msg("%s: %d '%s'", cases[i].says, (int)result, result ? error.message : "");
        assert_string_equal(error.place, "smear.spin");
        limber_asset_destroy(b->asset);
        free(b);
    }
}

// --- memory ---

static limber_result make_and_bake(const ball* b, limber_pipeline** p, limber_bake** bake) {
    limber_stage_settings settings;
    limber_error error;
    settings = limber_stage_settings_default();
    settings.smear.texture_spin = true;
    *p = NULL;
    *bake = NULL;
    limber_result result = limber_pipeline_create_from_settings(b->asset, &settings, p, &error);
    return result ? result : limber_pipeline_bake(*p, NULL, bake, &error);
}

static void each_failing_allocation_is_reported(void** state) {
    (void)state;
    ball* b = malloc(sizeof *b);
    shape(b);
    finish(b);
    long failures = 0;
    for (bool done = false; !done; failures++) {
        limber_pipeline* p;
        limber_bake* bake;
        test_memory_allow(failures);
        limber_result result = make_and_bake(b, &p, &bake);
        done = !test_memory_end();
        assert_int_equal(result, done ? LIMBER_OK : LIMBER_ERROR_MEMORY);
        limber_bake_destroy(bake);
        limber_pipeline_destroy(p);
    }
    assert_true(failures > 20);
    limber_asset_destroy(b->asset);
    free(b);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(viewers_see_the_same),
        cmocka_unit_test(smears_see_no_spin),
        cmocka_unit_test(bakes_carry_the_shift),
        cmocka_unit_test(what_cannot_spin_in_its_texture_is_refused),
        cmocka_unit_test(each_failing_allocation_is_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
