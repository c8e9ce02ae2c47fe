// Which part of the motion is smeared: that of one joint, everything but that, without the spin of balls, and of some
// joints and meshes only. An amount of one frame shows the next frame's place of every vertex, so that poses predict it.
#include "kit/smear_stage.h"
#include "kit/style_kit.h"

enum { NOW = 24 };

static void open_moved(stage* s, const char* character, const char* clip) {
    stage_open(s, character, clip);
    s->settings.smear.elongate.amount.value = 1;
}

static limber_mat4 joint_at(stage* s, uint32_t frame, uint32_t joint) {
    limber_frame evaluated;
    assert_int_equal(limber_pipeline_evaluate(s->pipeline, s->clip, time_of(s, frame), &evaluated), LIMBER_OK);
    return evaluated.pose->world_from_joint[joint];
}

static limber_vec3 through(const limber_mat4* from, const limber_mat4* to, limber_vec3 p) {
    limber_mat4 back;
    assert_true(limberi_mat4_inverse(from, &back));
    return limberi_mat4_point(to, limberi_mat4_point(&back, p));
}

// Where `part` of the motion of `joint` takes a vertex of this frame, by the matrices of the two poses.
static limber_vec3 expected_place(limber_smear_motion part, const limber_mat4* now, const limber_mat4* next,
                                  limber_vec3 p, limber_vec3 p_next) {
    limber_vec3 way = limberi_sub(limberi_mat4_translation(next), limberi_mat4_translation(now));
    switch (part) {
    case LIMBER_SMEAR_MOTION_ALL:
        return p_next;
    case LIMBER_SMEAR_MOTION_RELATIVE:
        return through(next, now, p_next);
    case LIMBER_SMEAR_MOTION_CARRIED:
        return through(now, next, p);
    case LIMBER_SMEAR_MOTION_TRANSLATION:
        return limberi_add(p, way);
    case LIMBER_SMEAR_MOTION_ROTATION:
        return limberi_sub(through(now, next, p), way);
    }
    return p;
}

static void check_part(stage* s, limber_smear_motion part, uint32_t joint) {
    s->settings.smear.motion.part = part;
    s->settings.smear.motion.joint = (int32_t)joint;
    stage_start(s);
    float *plain = plain_at(s, NOW), *next = plain_at(s, NOW + 1), *found = smeared_at(s, NOW);
    limber_mat4 a = joint_at(s, NOW, joint), b = joint_at(s, NOW + 1, joint);
    double worst = 0;
    for (size_t i = 0; i < s->numbers; i += 3) {
        limber_vec3 want = expected_place(part, &a, &b, limberi_load3(plain + i), limberi_load3(next + i));
        worst = fmax(worst, (double)limberi_length(limberi_sub(want, limberi_load3(found + i))));
    }
    if (worst > 1e-5 * (double)s->model->size)
        fail_msg("part %d of joint %u: off by %g L", (int)part, joint, worst / (double)s->model->size);
    free(plain);
    free(next);
    free(found);
}

static void the_motion_of_one_joint_is_smeared_or_left_out(void** state) {
    (void)state;
    static const char* const characters[][3] = {{"ball", "dash-stop", "Ball"}, {"hero", "swing", "Hips"}};
    for (int c = 0; c < 2; c++) {
        stage s;
        open_moved(&s, characters[c][0], characters[c][1]);
        int32_t joint = limber_rig_find_joint(&s.model->rig, characters[c][2]);
        assert_true(joint >= 0);
        for (int part = LIMBER_SMEAR_MOTION_ALL; part <= LIMBER_SMEAR_MOTION_ROTATION; part++)
            check_part(&s, (limber_smear_motion)part, (uint32_t)joint);
        stage_close(&s);
    }
}

// Front and back are those of the motion that is smeared: a ball has none relative to itself.
static void offsets_belong_to_the_motion_that_is_smeared(void** state) {
    (void)state;
    for (int skeleton = 0; skeleton < 2; skeleton++) {
        stage s;
        open_moved(&s, "ball", "dash-stop");
        s.settings.smear.offsets.skeleton = skeleton;
        s.settings.smear.motion.joint = 1;
        stage_start(&s);
        float* all = kept(smear(&s, NOW).offsets, s.model->vertex_count);
        s.settings.smear.motion.part = LIMBER_SMEAR_MOTION_TRANSLATION;
        stage_start(&s);
        assert_true(distance(smear(&s, NOW).offsets, all, s.model->vertex_count) < 1e-3);
        s.settings.smear.motion.part = LIMBER_SMEAR_MOTION_RELATIVE;
        stage_start(&s);
        limber_smeared still = smear(&s, NOW);
        for (uint32_t u = 0; u < s.model->vertex_count; u++)
            assert_true(still.offsets[u] == 0);
        free(all);
        stage_close(&s);
    }
}

static void one_joint_needs_a_joint(void** state) {
    (void)state;
    stage s;
    open_moved(&s, "ball", "dash-stop");
    limber_smearer* smearer;
    limber_error error;
    s.settings.smear.motion.part = LIMBER_SMEAR_MOTION_CARRIED;
    assert_int_equal(limber_smearer_create(s.asset, &s.settings.smear, &smearer, &error), LIMBER_ERROR_ARGUMENT);
    s.settings.smear.motion.joint = 2;
    assert_int_equal(limber_smearer_create(s.asset, &s.settings.smear, &smearer, &error), LIMBER_ERROR_ARGUMENT);
    stage_close(&s);
}

// --- spin ---

static limber_vec3 middle_of(const limber_model* model, const float* positions) {
    const limber_mesh* mesh = &model->meshes[0];
    double sum[4] = {0, 0, 0, 0};
    for (size_t u = 0; u < mesh->vertex_count; u++)
        for (size_t c = 0; c < 4; c++)
            sum[c] += (double)mesh->areas[u] * (c < 3 ? (double)positions[3 * u + c] : 1);
    return limberi_vec3((float)(sum[0] / sum[3]), (float)(sum[1] / sum[3]), (float)(sum[2] / sum[3]));
}

// The ball with its skin moved off the joint.
static void move_skin(stage* s, float by) {
    limber_model model = *s->model;
    limber_mesh mesh = model.meshes[0];
    float* positions = kept(mesh.positions, 3 * (size_t)mesh.vertex_count);
    for (size_t u = 0; u < mesh.vertex_count; u++)
        positions[3 * u] += by;
    mesh.positions = positions;
    model.meshes = &mesh;
    stage_use(s, &model);
    free(positions);
}

// Largest distance from where the middle goes, in L: 0 for a ball that is not stirred.
static double stirred(stage* s) {
    stage_start(s);
    float *plain = plain_at(s, NOW), *next = plain_at(s, NOW + 1), *found = smeared_at(s, NOW);
    limber_vec3 way = limberi_sub(middle_of(s->model, next), middle_of(s->model, plain));
    double worst = 0;
    for (size_t i = 0; i < s->numbers; i += 3) {
        limber_vec3 want = limberi_add(limberi_load3(plain + i), way);
        worst = fmax(worst, (double)limberi_length(limberi_sub(want, limberi_load3(found + i))));
    }
    free(plain);
    free(next);
    free(found);
    return worst / (double)s->model->size;
}

// Also when the joint is not quite in the middle, as in files from elsewhere.
static void a_ball_that_spins_is_not_stirred(void** state) {
    (void)state;
    for (int k = 0; k < 2; k++) {
        stage s;
        open_moved(&s, "ball", "dash-stop");
        if (k)
            move_skin(&s, 0.03f);
        assert_true(stirred(&s) > 0.1);
        s.settings.smear.ignore_balls = true;
        assert_true(stirred(&s) < 1e-5);
        uint8_t spins[2] = {0, 1};
        s.settings.smear.ignore_balls = false;
        s.settings.smear.ignore_spin = spins;
        assert_true(stirred(&s) < 1e-5);
        stage_close(&s);
    }
}

static void only_balls_count_as_balls(void** state) {
    (void)state;
    static const char* const characters[][2] = {{"hero", "swing"}, {"snail", "dash-stop"}, {"cylinder", "bend"}};
    for (int c = 0; c < 3; c++) {
        stage s;
        open_moved(&s, characters[c][0], characters[c][1]);
        stage_start(&s);
        float* before = smeared_at(&s, NOW);
        s.settings.smear.ignore_balls = true;
        stage_start(&s);
        float* after = smeared_at(&s, NOW);
        double max = strcmp(characters[c][0], "snail") == 0 ? 0.05 : 1e-6; // its eyes are balls
        assert_true(distance(before, after, s.numbers) < max * (double)s.model->size);
        free(before);
        free(after);
        stage_close(&s);
    }
}

// --- some joints only ---

static void gains_of_joints_scale_elongation_copies_and_lines(void** state) {
    (void)state;
    stage s;
    open_moved(&s, "cylinder", "bend");
    float gains[16];
    assert_true(s.model->rig.joint_count <= 16);
    for (uint32_t j = 0; j < s.model->rig.joint_count; j++)
        gains[j] = j % 2 ? 0.25f : 1;
    s.settings.smear.joint_gains = gains;
    s.settings.smear.multiples.past = 1;
    s.settings.smear.multiples.standard_opacity = false;
    s.settings.smear.multiples.opacity.value = 0.8f;
    stage_start(&s);
    const limber_mesh* mesh = &s.model->meshes[0];
    const float* p[4];
    for (uint32_t k = 0; k < 4; k++)
        p[k] = plain_at(&s, 4 + k);
    limber_smeared now = smear(&s, 5);
    for (uint32_t u = 0; u < mesh->vertex_count; u++) {
        double gain = 0;
        for (uint32_t i = mesh->influence_first[u]; i < mesh->influence_first[u + 1]; i++)
            gain += (double)mesh->influence_weight[i] *
                    (double)gains[s.model->skins[mesh->skin].joints[mesh->influence_joint[i]]];
        double own = mesh->colors ? (double)mesh->colors[4 * u + 3] : 1;
        assert_true(fabs((double)now.meshes[0].colors[4 * u + 3] - 0.8 * gain * own) < 1e-5);
        for (size_t c = 0; c < 3; c++) {
            double a = (double)p[0][3 * u + c], b = (double)p[1][3 * u + c], d = (double)p[2][3 * u + c];
            double e = (double)p[3][3 * u + c], t = gain;
            double want =
                0.5 * (2 * b + (d - a) * t + (2 * a - 5 * b + 4 * d - e) * t * t + (3 * b - a - 3 * d + e) * t * t * t);
            assert_true(fabs((double)now.frame.positions[3 * u + c] - want) < 1e-5);
        }
    }
    for (int k = 0; k < 4; k++)
        free((void*)(uintptr_t)p[k]);
    stage_close(&s);
}

// --- some meshes only ---

// The ball twice, with names of their own.
static void open_two(stage* s) {
    open_moved(s, "ball", "dash-stop");
    limber_model model = *s->model;
    limber_mesh meshes[2] = {model.meshes[0], model.meshes[0]};
    meshes[0].name = "Sphere.001";
    meshes[0].node_name = "Sword.Left";
    meshes[1].name = meshes[1].node_name = "Body";
    model.meshes = meshes;
    model.mesh_count = 2;
    stage_use(s, &model);
}

// A small ball inside a large one, as a head in a helmet: copies of it would show beside the large one.
static void what_nobody_sees_has_no_copies(void** state) {
    (void)state;
    stage s;
    open_moved(&s, "ball", "dash-stop");
    limber_model model = *s.model;
    limber_mesh meshes[2] = {model.meshes[0], model.meshes[0]};
    limber_vec3 middle = limberi_vec3(0, 0, 0);
    uint32_t count = meshes[0].vertex_count;
    float* inner = malloc(3 * (size_t)count * sizeof *inner);
    for (size_t v = 0; v < count; v++)
        middle = limberi_add(middle, limberi_scale(limberi_load3(meshes[0].positions + 3 * v), 1 / (float)count));
    for (size_t v = 0; v < count; v++)
        limberi_store3(inner + 3 * v, limberi_lerp(middle, limberi_load3(meshes[0].positions + 3 * v), 0.6f));
    meshes[1].positions = inner;
    meshes[1].name = meshes[1].node_name = "Inner";
    model.meshes = meshes;
    model.mesh_count = 2;
    stage_use(&s, &model);
    s.settings.smear.multiples.past = 2;
    s.settings.smear.multiples.standard_opacity = false;
    s.settings.smear.multiples.opacity.value = 0.5f;
    s.settings.smear.multiples.min_speed = 0;
    stage_start(&s);
    limber_smeared now = smear(&s, NOW);
    assert_int_equal(now.mesh_count, 4); // two moments of two meshes
    for (uint32_t m = 0; m < 4; m++) {
        bool hidden = now.meshes[m].source == 1;
        assert_true(now.meshes[m].visible == !hidden);
        for (uint32_t v = 0; v < count; v++) {
            float own = s.model->meshes[0].colors ? s.model->meshes[0].colors[4 * (size_t)v + 3] : 1;
            float found = now.meshes[m].colors[4 * (size_t)v + 3];
            if (fabsf(found - (hidden ? 0 : 0.5f * own)) > 1e-6f)
                fail_msg("mesh %u vertex %u has opacity %g", m, v, (double)found);
        }
    }
    free(inner);
    stage_close(&s);
}

// What a style says for one mesh is what the same numbers do to the whole character.
static void meshes_have_formulas_of_their_own(void** state) {
    (void)state;
    static const char* const texts[3] = {
        "{\"smear\": {\"elongate\": {\"amount\": \"offset\"}, \"multiples\": {\"past\": 1, \"opacity\": 0.5}, "
        "\"lines\": "
        "{\"count\": 20, \"length\": -2}}, \"meshes\": {\"Sword*\": {\"smear\": {\"elongate\": {\"amount\": \"2 * "
        "offset\", "
        "\"past\": 3}, \"multiples\": {\"opacity\": \"default\"}, \"lines\": {\"length\": 0}}}}}",
        "{\"smear\": {\"elongate\": {\"amount\": \"2 * offset\", \"past\": 3}, \"multiples\": {\"past\": 1}}}",
        "{\"smear\": {\"elongate\": {\"amount\": \"offset\"}, \"multiples\": {\"past\": 1, \"opacity\": 0.5}}}"};
    stage s;
    open_two(&s);
    size_t half = s.numbers / 2;
    float *positions[3], *colors[3][2];
    for (int i = 0; i < 3; i++) {
        limber_style* style = style_kit_read(texts[i]);
        limber_bound_style* bound = style_kit_bind(style, s.asset);
        s.settings = *limber_bound_style_settings(bound);
        stage_start(&s);
        limber_smeared now = smear(&s, NOW);
        positions[i] = kept(now.frame.positions, s.numbers);
        for (int m = 0; m < 2; m++)
            colors[i][m] = kept(now.meshes[m].colors, 4 * half / 3);
        if (i == 0) { // lines of the body only
            assert_int_equal(now.mesh_count, 3);
            assert_true(now.meshes[2].visible);
        }
        limber_pipeline_destroy(s.pipeline);
        s.pipeline = NULL;
        limber_bound_style_destroy(bound);
        limber_style_destroy(style);
    }
    assert_memory_equal(positions[0], positions[1], half * sizeof(float));
    assert_memory_equal(positions[0] + half, positions[2] + half, half * sizeof(float));
    assert_true(distance(positions[1], positions[2], half) > 0.1);
    assert_memory_equal(colors[0][0], colors[1][0], 4 * half / 3 * sizeof(float));
    assert_memory_equal(colors[0][1], colors[2][1], 4 * half / 3 * sizeof(float));
    for (int i = 0; i < 3; i++) {
        free(positions[i]);
        free(colors[i][0]);
        free(colors[i][1]);
    }
    stage_close(&s);
}

// --- with timing ---

// Whether anything of a frame is smeared.
static bool is_smeared(const limber_smeared* now, size_t numbers) {
    bool drawn = false;
    for (uint32_t m = 0; m < now->mesh_count; m++)
        drawn = drawn || now->meshes[m].visible;
    return drawn || distance(now->frame.positions, now->deformed, numbers) > 0;
}

// With the timing of a performance, smears sit in its snaps; the key poses between them, which are held, are clean.
static void smears_sit_in_the_snaps(void** state) {
    (void)state;
    const char* text =
        "{\"timing\": {\"snap\": 1, \"hang\": 1}, \"smear\": {\"stretch\": {\"amount\": 1, \"body\": 1}, "
        "\"ribbon\": {\"amount\": 1}, \"strokes\": {\"count\": 2}}}";
    stage s;
    stage_open(&s, "toon", "swing");
    limber_style* style = style_kit_read(text);
    limber_bound_style* bound = style_kit_bind(style, s.asset);
    s.settings = *limber_bound_style_settings(bound);
    stage_start(&s);
    float* before = kept(smear(&s, 0).deformed, s.numbers);
    uint32_t held = 0, clean = 0, still = 0;
    double fastest = 0;
    bool fastest_is_smeared = false;
    for (uint32_t f = 1; f < limber_clip_frame_count(s.moves, fps); f++) {
        limber_smeared now = smear(&s, f);
        double travel = distance(now.deformed, before, s.numbers) / (double)s.model->size;
        bool smeared = is_smeared(&now, s.numbers);
        still = travel < 0.02 ? still + 1 : 0;
        held += still > 2; // strokes last for two frames after a blow
        clean += still > 2 && !smeared;
        if (travel > fastest) {
            fastest = travel;
            fastest_is_smeared = smeared;
        }
        free(before);
        before = kept(now.deformed, s.numbers);
    }
    assert_true(fastest > 0.2 && fastest_is_smeared);
    assert_true(held > 5);
    assert_int_equal(clean, held);
    free(before);
    limber_pipeline_destroy(s.pipeline);
    s.pipeline = NULL;
    limber_bound_style_destroy(bound);
    limber_style_destroy(style);
    stage_close(&s);
}

static void names_of_meshes_may_have_dots(void** state) {
    (void)state;
    stage s;
    open_two(&s);
    limber_style* style = style_kit_read("{}");
    style_kit_set(style, "joints.Ball.smear", "0.5");
    style_kit_set(style, "meshes.Sword.Left.smear.elongate.past", "3");
    style_kit_set(style, "meshes.\"Sphere.001\".smear.lines.radius", "0.25");
    style_kit_set(style, "joints.Root.smear", "1");
    assert_string_equal(limber_style_text(style),
                        "{\"limber\":1,\"joints\":{\"Ball\":{\"smear\":0.5},\"Root\":{\"smear\":1}},\"meshes\":"
                        "{\"Sword.Left\":{\"smear\":{\"elongate\":{\"past\":3}}},\"Sphere.001\":{\"smear\":{\"lines\":"
                        "{\"radius\":0.25}}}}}");
    limber_bound_style* bound = style_kit_bind(style, s.asset);
    const limber_smear_settings* smears = &limber_bound_style_settings(bound)->smear;
    assert_int_equal(smears->of_mesh_count, 2);
    assert_true(smears->of_mesh[0].elongate.past.value == 3 && smears->of_mesh[1].elongate.past.value == 1);
    assert_true(smears->of_mesh[0].lines.radius.value == 0.25f && smears->of_mesh[1].lines.radius.value == 0.004f);
    limber_bound_style_destroy(bound);
    limber_style_destroy(style);
    stage_close(&s);
}

// Clips are keyed at 30 frames per second and have corners there. The step of a vertex' offset from one moment to the
// next beyond three times the steps before and after it, of what goes 0.03 L in 1/24 s.
static void steady_offsets_do_not_jump_alone(void** state) {
    (void)state;
    enum { FIRST = 296, COUNT = 20, IN_DRAWING = 8 };
    stage s;
    stage_open(&s, "hero", "jump");
    s.settings.smear.steady_offsets = true;
    s.settings.smear.elongate.amount = formula(&s, "offset");
    stage_start(&s);
    size_t vertices = s.numbers / 3;
    float* offsets[COUNT];
    float* places[COUNT];
    float worst = 0;
    float most = 0;
    for (size_t k = 0; k < COUNT; k++) {
        limber_smeared now;
        double time_s = (double)(FIRST + k) / 192;
        assert_int_equal(limber_pipeline_evaluate_smeared(s.pipeline, s.clip, time_s, 192, &now), LIMBER_OK);
        offsets[k] = kept(now.offsets, vertices);
        places[k] = kept(now.deformed, s.numbers);
    }
    for (size_t k = IN_DRAWING + 1; k + 2 < COUNT; k++)
        for (size_t v = 0; v < vertices; v++) {
            limber_vec3 way =
                limberi_sub(limberi_load3(places[k] + 3 * v), limberi_load3(places[k - IN_DRAWING] + 3 * v));
            float before = fabsf(offsets[k][v] - offsets[k - 1][v]);
            float step = fabsf(offsets[k + 1][v] - offsets[k][v]);
            float after = fabsf(offsets[k + 2][v] - offsets[k + 1][v]);
            bool fast = limberi_length(way) > 0.03f * s.model->size;
            worst = fast ? fmaxf(worst, step - 3 * fmaxf(before, after)) : worst;
            most = fast ? fmaxf(most, fabsf(offsets[k][v])) : most;
        }
    for (size_t k = 0; k < COUNT; k++) {
        free(offsets[k]);
        free(places[k]);
    }
    stage_close(&s);
    print_message("jumps by %.3f, offsets up to %.2f\n", (double)worst, (double)most);
    assert_true(worst < 0.06f);
    assert_true(most > 0.5f);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(steady_offsets_do_not_jump_alone),
        cmocka_unit_test(the_motion_of_one_joint_is_smeared_or_left_out),
        cmocka_unit_test(offsets_belong_to_the_motion_that_is_smeared),
        cmocka_unit_test(one_joint_needs_a_joint),
        cmocka_unit_test(a_ball_that_spins_is_not_stirred),
        cmocka_unit_test(only_balls_count_as_balls),
        cmocka_unit_test(gains_of_joints_scale_elongation_copies_and_lines),
        cmocka_unit_test(what_nobody_sees_has_no_copies),
        cmocka_unit_test(meshes_have_formulas_of_their_own),
        cmocka_unit_test(smears_sit_in_the_snaps),
        cmocka_unit_test(names_of_meshes_may_have_dots),
    };
    return cmocka_run_group_tests_name("smear motion", tests, NULL, NULL);
}
