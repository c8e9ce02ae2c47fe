// Which parts a character is taken apart into when smears are drawn: each has a ribbon, in the same place of the mesh in
// every frame.
#include "kit/models.h"
#include "kit/props.h"
#include "kit/smear_stage.h"

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

// How wide a part's ribbon is at its oldest row but one, over its youngest.
static float narrowing(const limber_smear_mesh* mesh, uint32_t part) {
    enum { ROWS = 9, COLUMNS = 16 };
    const float* young = mesh->positions + 3 * (size_t)part * RIBBON;
    const float* old = young + 3 * (size_t)((ROWS - 2) * COLUMNS);
    size_t last = 3 * (COLUMNS - 1);
    return limberi_length(limberi_sub(limberi_load3(old + last), limberi_load3(old))) /
           limberi_length(limberi_sub(limberi_load3(young + last), limberi_load3(young)));
}

static void short_ribbons_end_as_flames(void** state) {
    (void)state;
    stage s;
    stage_open(&s, "cow", "charge-and-stop");
    draw_ribbons(&s);
    limber_smeared now = smear(&s, 55);
    assert_true(now.meshes[0].visible);
    assert_true(narrowing(&now.meshes[0], 6) < 0.4f); // a horn
    stage_close(&s);
    stage_open(&s, "toon", "swing");
    draw_ribbons(&s);
    now = smear(&s, 29);
    assert_true(narrowing(&now.meshes[0], 2) > 0.5f); // the arm with the umbrella
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

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_staff_has_two_ends),
        cmocka_unit_test(pieces_of_a_robot_hang_on_its_bones),
        cmocka_unit_test(short_ribbons_end_as_flames),
        cmocka_unit_test(horns_are_parts_and_moustaches_are_not),
    };
    return cmocka_run_group_tests_name("parts of smears as drawn", tests, NULL, NULL);
}
