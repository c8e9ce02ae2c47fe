// Which parts a character is taken apart into when smears are drawn: each has a ribbon, in the same place of the mesh in
// every frame.
#include "kit/models.h"
#include "kit/props.h"
#include "kit/smear_stage.h"
#include "smear/drawn.h"
#include <stdio.h>

enum { RIBBON = 2 * 9 * 16 }; // vertices

static void draw_ribbons(stage* s) {
    s->settings.smear.drawn.ribbon = 1;
    s->settings.smear.drawn.body = 1;
    stage_start(s);
}

static uint32_t count_parts(stage* s) {
    limber_smeared now = smear(s, 0);
    if (!now.mesh_count)
        return 0;
    assert_int_equal(now.meshes[0].vertex_count % RIBBON, 0);
    return now.meshes[0].vertex_count / RIBBON;
}

static uint32_t parts_of(const char* character, const char* clip) {
    stage s;
    stage_open(&s, character, clip);
    draw_ribbons(&s);
    uint32_t count = count_parts(&s);
    stage_close(&s);
    return count;
}

// The arm with something long in its fingers, that goes up from the hand by `above` and down by `below`.
static void open_arm(stage* s, float above, float below) {
    test_props* props = test_props_begin();
    test_props_arm(props);
    test_props_swing(props, PROP_SHOULDER, 1.4f);
    if (above + below > 0)
        test_props_box(props, "Staff", PROP_FINGERS, limberi_vec3(2.05f, -below, -0.05f),
                       limberi_vec3(2.15f, above, 0.05f));
    memset(s, 0, sizeof *s);
    s->asset = test_props_end(props);
    s->model = limber_asset_model(s->asset);
    s->settings = limber_stage_settings_default();
    s->moves = &s->model->clips[0];
    s->numbers = 3 * (size_t)s->model->vertex_count;
    draw_ribbons(s);
}

static uint32_t parts_of_arm(float above, float below) {
    stage s;
    open_arm(&s, above, below);
    uint32_t count = count_parts(&s);
    stage_close(&s);
    return count;
}

// A sword goes on where the arm ends; what hardly shows below the hand is no end of its own.
static void a_staff_has_two_ends(void** state) {
    (void)state;
    assert_int_equal(parts_of_arm(0, 0), 1);
    assert_int_equal(parts_of_arm(1, 0.9f), 3);
    assert_int_equal(parts_of_arm(1.8f, 0.05f), 1);
    assert_int_equal(parts_of_arm(1.8f, 0.2f), 1);
}

// The toon's moustache is as slender as a horn, but lies on its face.
static void horns_are_parts_and_moustaches_are_not(void** state) {
    (void)state;
    assert_int_equal(parts_of("cow", "walk"), 4 + 1 + 1 + 2);   // legs, tail, head, horns
    assert_int_equal(parts_of("dragon", "fly"), 8 + 2);         // limbs, horns
    assert_int_equal(parts_of("toon", "swing"), 4 + 1 + 1 + 1); // limbs, head, hat and umbrella
}

// How wide the ribbon of a part is at one of its rows, over its first.
static float narrowing(const limber_smear_mesh* mesh, uint32_t part, uint32_t row) {
    enum { COLUMNS = 16 };
    const float* first = mesh->positions + 3 * (size_t)part * RIBBON;
    const float* there = first + 3 * (size_t)(row * COLUMNS);
    size_t last = 3 * (COLUMNS - 1);
    return limberi_distance(limberi_load3(there + last), limberi_load3(there)) /
           limberi_distance(limberi_load3(first + last), limberi_load3(first));
}

enum { LAST_ROW = 8 };

static void ribbons_end_in_points(void** state) {
    (void)state;
    const struct {
        const char *character, *clip;
        uint32_t frame, part;
        float half_way; // at least so wide there
    } cases[] = {
        {"toon", "swing", 28, 4, 0.3f},          // the umbrella, which has just set out
        {"toon", "swing", 29, 2, 0.6f},          // the arm that holds it
        {"cow", "charge-and-stop", 55, 6, 0.3f}, // a horn
        {"dog", "jump", 30, 1, 0.5f},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        stage s;
        stage_open(&s, cases[i].character, cases[i].clip);
        draw_ribbons(&s);
        limber_smeared now = smear(&s, cases[i].frame);
        assert_true(now.meshes[0].visible);
        float half_way = narrowing(&now.meshes[0], cases[i].part, LAST_ROW / 2);
        float end = narrowing(&now.meshes[0], cases[i].part, LAST_ROW);
        printf("%s %s: %.2f half way, %.3f at the end\n", cases[i].character, cases[i].clip, (double)half_way,
               (double)end);
        assert_true(half_way > cases[i].half_way);
        assert_true(end < 0.01f);
        stage_close(&s);
    }
}

static void short_ribbons_end_as_flames(void** state) {
    (void)state;
    stage s;
    stage_open(&s, "cow", "charge-and-stop");
    draw_ribbons(&s);
    limber_smeared now = smear(&s, 55);
    assert_true(now.meshes[0].visible);
    assert_true(narrowing(&now.meshes[0], 6, LAST_ROW - 1) < 0.4f); // a horn
    stage_close(&s);
}

// Every piece of this robot is a mesh on a bone without skin. Its pieces hang on those bones, only its feet are loose.
static void pieces_of_a_robot_hang_on_its_bones(void** state) {
    (void)state;
    uint32_t i = 0;
    while (i < test_character_count() && strcmp(test_character_name(i), "RobotExpressive.glb") != 0)
        i++;
    if (i == test_character_count())
        skip();
    limber_gltf* gltf;
    stage s;
    memset(&s, 0, sizeof s);
    s.asset = test_character_load(i, &gltf);
    s.model = limber_asset_model(s.asset);
    s.settings = limber_stage_settings_default();
    s.moves = &s.model->clips[0];
    draw_ribbons(&s);
    assert_int_equal(count_parts(&s), 2 + 2 + 1 + 1 + 1); // arms, legs, head, torso, and an upper arm on its own
    limber_pipeline_destroy(s.pipeline);
    test_character_free(s.asset, gltf);
}

// An edge of 0.01 whose ends are stretched by different steps, and how they give way; the first may be rigid.
static void hold_together(float of_first, float of_last, bool rigid, limber_vec3* changes) {
    enum { COUNT = 2 };
    static const float places[3 * COUNT] = {0, 0, 0, 0.01f, 0, 0};
    uint32_t edges[2] = {0, 1};
    uint16_t islands[COUNT] = {rigid ? 0 : LIMBERI_NO_ISLAND, LIMBERI_NO_ISLAND};
    limber_vec3 steps[COUNT] = {{0, of_first, 0}, {0, of_last, 0}};
    uint8_t gave_way[COUNT];
    limberi_drawn_pull pulls[COUNT];
    limberi_drawn_edge moved;
    limber_model model;
    limber_smearer smearer;
    struct limberi_drawn drawn;
    memset(&model, 0, sizeof model);
    memset(&smearer, 0, sizeof smearer);
    memset(&drawn, 0, sizeof drawn);
    model.vertex_count = COUNT;
    smearer.model = &model;
    smearer.size = 1;
    drawn.smearer = &smearer;
    drawn.edge_count = 1;
    drawn.edges = edges;
    drawn.moved_edges = &moved;
    drawn.island_of = islands;
    drawn.steps = steps;
    drawn.changes = changes;
    drawn.pulls = pulls;
    drawn.gave_way = gave_way;
    limberi_drawn_hold_together(&drawn, places);
}

static void what_stands_is_not_dragged_along(void** state) {
    (void)state;
    limber_vec3 changes[2];
    hold_together(0, 0.1f, false, changes);
    assert_true(changes[0].y == 0);
    assert_true(changes[1].y < -0.09f && changes[1].y > -0.1f); // an edge of 0.01 is 1.8 times as long at most
    hold_together(0.05f, 0.1f, false, changes);
    assert_true(fabsf(changes[0].y + changes[1].y) < 1e-6f); // both give way alike
    assert_true(changes[0].y > 0.02f);
    hold_together(0.05f, 0.1f, true, changes);
    assert_true(changes[0].y == 0 && changes[1].y < -0.04f); // what is soft gives way to what is rigid
}

// How far what stands is stretched along with a body that dashes, in L.
static float drag_of_standing(const char* character, const char* clip) {
    stage s;
    stage_open(&s, character, clip);
    s.settings.smear.drawn.body = 1;
    stage_start(&s);
    float most = 0;
    for (uint32_t f = 1; f < limber_clip_frame_count(s.moves, 24); f++) {
        limber_frame frame;
        limber_smeared now;
        assert_int_equal(limber_pipeline_evaluate(s.pipeline, s.clip, (f - 1) / 24.0, &frame), LIMBER_OK);
        float* before = kept(frame.positions, s.numbers);
        assert_int_equal(limber_pipeline_evaluate_smeared(s.pipeline, s.clip, f / 24.0, 24, &now), LIMBER_OK);
        for (size_t i = 0; i < s.numbers; i += 3) {
            limber_vec3 p = limberi_load3(now.deformed + i);
            float went = limberi_length(limberi_sub(p, limberi_load3(before + i)));
            float drag = limberi_length(limberi_sub(limberi_load3(now.frame.positions + i), p));
            most = went < 0.005f * s.model->size ? fmaxf(most, drag / s.model->size) : most;
        }
        free(before);
    }
    stage_close(&s);
    return most;
}

static void a_foot_that_stands_is_not_stretched_with_the_body(void** state) {
    (void)state;
    assert_true(drag_of_standing("dog", "jump") < 0.001f);
    assert_true(drag_of_standing("cow", "charge-and-stop") < 0.0015f); // of the 0.005 that it goes at most
}

// A dog that brakes: its legs are stiff, so that nothing but its middle tells that it goes on.
static void a_body_that_slides_is_stretched(void** state) {
    (void)state;
    stage s;
    stage_open(&s, "dog", "stop");
    s.settings.smear.drawn.stretch = s.settings.smear.drawn.body = 1;
    stage_start(&s);
    limber_smeared now;
    assert_int_equal(limber_pipeline_evaluate_smeared(s.pipeline, s.clip, 27 / 24.0, 24, &now), LIMBER_OK);
    double step = distance(now.frame.positions, now.deformed, s.numbers) / (double)s.model->size;
    printf("stretched by %.3f L\n", step);
    assert_true(step > 0.01);
    stage_close(&s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_staff_has_two_ends),
        cmocka_unit_test(pieces_of_a_robot_hang_on_its_bones),
        cmocka_unit_test(ribbons_end_in_points),
        cmocka_unit_test(short_ribbons_end_as_flames),
        cmocka_unit_test(what_stands_is_not_dragged_along),
        cmocka_unit_test(a_foot_that_stands_is_not_stretched_with_the_body),
        cmocka_unit_test(a_body_that_slides_is_stretched),
        cmocka_unit_test(horns_are_parts_and_moustaches_are_not),
    };
    return cmocka_run_group_tests_name("parts of smears as drawn", tests, NULL, NULL);
}
