// Multiples and motion lines in written files: where they are, when they are seen, how opaque, and that the rest of the
// file does not know of them.
#include "characters/characters.h"
#include "kit/gltf_save.h"

enum { COPIES = 3 };

typedef struct stage {
    limber_asset* asset;
    const limber_model* model;
    limber_gltf* gltf;
    limber_pipeline* pipeline;
    limber_bake_settings bake_settings;
    limber_bake* bake;
    uint32_t clip;
} stage;

// A built-in character; copies at 2, 1 and -1 frames' thirds, and lines.
static limber_stage_settings copies_and_lines(void) {
    limber_stage_settings settings = limber_stage_settings_default();
    settings.smear.multiples.past = 2;
    settings.smear.multiples.future = 1;
    settings.smear.multiples.standard_opacity = true;
    settings.smear.multiples.min_speed = 0.01f;
    settings.smear.lines.count = 6;
    settings.smear.lines.standard_length = true;
    settings.smear.lines.radius.value = 0.004f;
    settings.smear.lines.opacity.value = 0.7f;
    settings.smear.lines.taper.value = 1;
    settings.smear.lines.fade.value = 0.5f;
    settings.smear.lines.min_speed = 0.02f;
    return settings;
}

static void open_stage(stage* s, const char* character, const char* clip, const limber_stage_settings* settings) {
    memset(s, 0, sizeof *s);
    limber_error error;
    if (limberi_character_create(character, 0.5, &s->asset, &error) != LIMBER_OK ||
        limber_gltf_from_asset(s->asset, &s->gltf, &error) != LIMBER_OK ||
        limber_pipeline_create_from_settings(s->asset, settings, &s->pipeline, &error) != LIMBER_OK)
        fail_msg("%s", error.message);
    s->model = limber_asset_model(s->asset);
    int32_t index = limber_model_find_clip(s->model, clip);
    assert_true(index >= 0);
    s->clip = (uint32_t)index;
    s->bake_settings = limber_bake_settings_default();
    s->bake_settings.kind = LIMBER_BAKE_CORRECTIVE;
    s->bake_settings.clips = &s->clip;
    s->bake_settings.clip_count = 1;
}

static void close_stage(stage* s) {
    limber_bake_destroy(s->bake);
    limber_pipeline_destroy(s->pipeline);
    limber_gltf_destroy(s->gltf);
    limber_asset_destroy(s->asset);
}

static void bake_stage(stage* s) {
    limber_error error;
    limber_bake_destroy(s->bake);
    if (limber_pipeline_bake(s->pipeline, &s->bake_settings, &s->bake, &error) != LIMBER_OK)
        fail_msg("%s", error.message);
}

static limber_gltf* written(stage* s, const char* name) {
    limber_gltf_edits edits = limber_gltf_edits_default();
    edits.bake = s->bake;
    return save_and_load(s->gltf, &edits, name);
}

static limber_pipeline* player_of(const limber_gltf* gltf) {
    limber_pipeline* player;
    limber_error error;
    if (limber_pipeline_create(limber_gltf_asset(gltf), NULL, &player, &error) != LIMBER_OK)
        fail_msg("%s", error.message);
    return player;
}

static const limber_smear_mesh* expected_mesh(const limber_smeared* smeared, const limber_model* model,
                                              const char* node_name) {
    for (uint32_t k = 0; k < smeared->mesh_count; k++) {
        const limber_smear_mesh* mesh = &smeared->meshes[k];
        char name[256];
        bool lines = mesh->kind == LIMBER_SMEAR_KIND_LINES;
        snprintf(name, sizeof name, "%s%s%s", lines ? "" : model->meshes[mesh->source].node_name, lines ? "" : " ",
                 mesh->name);
        if (strcmp(name, node_name) == 0)
            return mesh;
    }
    return NULL;
}

static double largest_difference(const float* a, const float* b, size_t count) {
    double max = 0;
    for (size_t i = 0; i < count; i++)
        max = fmax(max, fabs((double)a[i] - (double)b[i]));
    return max;
}

static double extent(const float* positions, uint32_t vertices) {
    double max = 0;
    for (size_t i = 3; i < 3 * (size_t)vertices; i++)
        max = fmax(max, fabs((double)positions[i] - (double)positions[i % 3]));
    return max;
}

typedef struct tally {
    uint32_t shown, hidden;
    double off;
} tally;

// A frame of the file against the pipeline's; meshes that are not the character's.
static void compare_frame(const stage* s, const limber_model* played_model, const limber_frame* played,
                          const limber_smeared* smeared, tally* t) {
    for (uint32_t m = 0; m < played_model->mesh_count; m++) {
        const limber_mesh* mesh = &played_model->meshes[m];
        const limber_smear_mesh* expected = expected_mesh(smeared, s->model, mesh->node_name);
        const float* positions = played->positions + 3 * (size_t)mesh->first_vertex;
        if (!expected)
            continue;
        assert_int_equal(mesh->vertex_count, expected->vertex_count);
        assert_int_equal(mesh->triangle_count, expected->triangle_count);
        if (!expected->visible) {
            t->hidden++;
            assert_true(extent(positions, mesh->vertex_count) == 0);
            continue;
        }
        t->shown++;
        t->off = fmax(t->off, largest_difference(positions, expected->positions, 3 * (size_t)mesh->vertex_count));
    }
}

static tally compare_frames(const stage* s, const limber_gltf* gltf) {
    const limber_model* played_model = model_of(gltf);
    const limber_clip* clip = &s->model->clips[s->clip];
    limber_pipeline* player = player_of(gltf);
    tally t = {0, 0, 0};
    for (uint32_t i = 0; i < limber_clip_frame_count(clip, clip->fps); i += 9) {
        limber_frame played;
        limber_smeared smeared;
        double time_s = (double)(float)limber_clip_frame_time(clip, clip->fps, i);
        assert_int_equal(limber_pipeline_evaluate(player, (int32_t)s->clip, time_s, &played), LIMBER_OK);
        assert_int_equal(limber_pipeline_evaluate_smeared(s->pipeline, (int32_t)s->clip, time_s, clip->fps, &smeared),
                         LIMBER_OK);
        compare_frame(s, played_model, &played, &smeared, &t);
    }
    limber_pipeline_destroy(player);
    t.off /= (double)s->model->size;
    return t;
}

static void both_bakes_play_copies_and_lines_where_the_pipeline_puts_them(void** state) {
    (void)state;
    static const char* const shows[][2] = {{"ball", "dash-stop"}, {"cow", "charge-and-stop"}};
    for (int i = 0; i < 2; i++) {
        stage s;
        limber_stage_settings settings = copies_and_lines();
        open_stage(&s, shows[i][0], shows[i][1], &settings);
        for (int kind = LIMBER_BAKE_CORRECTIVE; kind <= LIMBER_BAKE_VERTEX; kind++) {
            s.bake_settings.kind = (limber_bake_kind)kind;
            bake_stage(&s);
            limber_gltf* gltf = written(&s, "extras.glb");
            assert_int_equal(model_of(gltf)->mesh_count, s.model->mesh_count + COPIES + 1);
            tally t = compare_frames(&s, gltf);
            print_message("%s: %u shown, %u hidden, %.2e L\n", shows[i][0], t.shown, t.hidden, t.off);
            assert_true(t.shown > 12 && t.hidden > 10);
            assert_true(t.off < 1e-5);
            limber_gltf_destroy(gltf);
        }
        close_stage(&s);
    }
}

// Smears as drawn: the stretched character, and one node with a target for each frame that shows ribbons.
static void ribbons_are_one_node_with_few_targets(void** state) {
    (void)state;
    stage s;
    limber_stage_settings settings = limber_stage_settings_default();
    settings.smear.drawn.stretch = settings.smear.drawn.body = settings.smear.drawn.ribbon = 1;
    settings.smear.drawn.strokes = 2;
    open_stage(&s, "toon", "swing", &settings);
    uint32_t frames = limber_clip_frame_count(&s.model->clips[s.clip], s.model->clips[s.clip].fps);
    for (int kind = LIMBER_BAKE_CORRECTIVE; kind <= LIMBER_BAKE_VERTEX; kind++) {
        s.bake_settings.kind = (limber_bake_kind)kind;
        bake_stage(&s);
        limber_gltf* gltf = written(&s, "ribbons.glb");
        const limber_model* model = model_of(gltf);
        assert_int_equal(model->mesh_count, s.model->mesh_count + 1);
        const limber_mesh* mesh = &model->meshes[model->mesh_count - 1];
        assert_string_equal(mesh->node_name, "ribbons");
        assert_true(mesh->morph_count >= 3 && mesh->morph_count < frames / 3);
        tally t = compare_frames(&s, gltf);
        print_message("ribbons: %u shown, %u hidden, %.2e L, %u targets of %u frames\n", t.shown, t.hidden, t.off,
                      mesh->morph_count, frames);
        assert_true(t.shown > 0 && t.hidden > 3);
        assert_true(t.off < 1e-5);
        limber_gltf_destroy(gltf);
    }
    close_stage(&s);
}

static void expect_hidden(limber_pipeline* player, const limber_model* model, uint32_t first, int32_t clip,
                          double time_s) {
    limber_frame frame;
    assert_int_equal(limber_pipeline_evaluate(player, clip, time_s, &frame), LIMBER_OK);
    for (uint32_t m = first; m < model->mesh_count; m++)
        assert_true(
            extent(frame.positions + 3 * (size_t)model->meshes[m].first_vertex, model->meshes[m].vertex_count) == 0);
}

static void other_clips_the_rest_pose_and_times_out_of_range_show_none(void** state) {
    (void)state;
    stage s;
    limber_stage_settings settings = copies_and_lines();
    settings.smear.multiples.min_speed = 0;
    open_stage(&s, "ball", "roll", &settings);
    s.bake_settings.range_start_s = 1.2;
    s.bake_settings.range_end_s = 1.6;
    bake_stage(&s);
    limber_gltf* gltf = written(&s, "range.gltf");
    const limber_model* model = model_of(gltf);
    limber_pipeline* player = player_of(gltf);
    uint32_t first = s.model->mesh_count;
    assert_true(model->mesh_count > first);
    expect_hidden(player, model, first, -1, 0);
    expect_hidden(player, model, first, limber_model_find_clip(model, "bounce"), 0.7);
    const double outside[] = {0, 1.0, 1.15, 1.65, 2.5, 4};
    for (size_t i = 0; i < sizeof outside / sizeof *outside; i++)
        expect_hidden(player, model, first, (int32_t)s.clip, outside[i]);
    limber_frame frame;
    assert_int_equal(limber_pipeline_evaluate(player, (int32_t)s.clip, 1.4, &frame), LIMBER_OK);
    assert_true(extent(frame.positions + 3 * (size_t)model->meshes[first].first_vertex,
                       model->meshes[first].vertex_count) > 0.1);
    limber_pipeline_destroy(player);
    limber_gltf_destroy(gltf);
    close_stage(&s);
}

// Between two frames that show a copy it goes straight, as the character does; in the last it stays as it is and then
// is gone.
static void copies_go_straight_between_frames_and_do_not_melt_away(void** state) {
    (void)state;
    stage s;
    limber_stage_settings settings = copies_and_lines();
    settings.smear.lines.count = 0;
    open_stage(&s, "ball", "dash-stop", &settings);
    bake_stage(&s);
    const limber_bake_track* track = &s.bake->tracks[0];
    const limber_bake_smear_mesh* extra = &s.bake->smear_meshes[1];
    limber_gltf* gltf = written(&s, "between.glb");
    const limber_mesh* mesh = &model_of(gltf)->meshes[s.model->mesh_count + 1];
    limber_pipeline* player = player_of(gltf);
    size_t numbers = 3 * (size_t)mesh->vertex_count;
    float* before = malloc(numbers * sizeof *before);
    uint32_t inside = 0, ends = 0;
    for (uint32_t i = 0; i + 1 < track->frame_count; i++) {
        if (!extra->visible[0][i])
            continue;
        limber_frame frame;
        double a = (double)track->times[i], b = (double)track->times[i + 1];
        const float* now = NULL;
        assert_int_equal(limber_pipeline_evaluate(player, (int32_t)s.clip, a, &frame), LIMBER_OK);
        now = frame.positions + 3 * (size_t)mesh->first_vertex;
        memcpy(before, now, numbers * sizeof *before);
        assert_int_equal(limber_pipeline_evaluate(player, (int32_t)s.clip, 0.5 * (a + b), &frame), LIMBER_OK);
        now = frame.positions + 3 * (size_t)mesh->first_vertex;
        double moved = largest_difference(before, now, numbers);
        if (!extra->visible[0][i + 1]) {
            ends++;
            assert_true(moved < 1e-5);
            continue;
        }
        for (size_t k = 0; k < numbers; k++)
            before[k] = 2 * now[k] - before[k];
        assert_int_equal(limber_pipeline_evaluate(player, (int32_t)s.clip, b, &frame), LIMBER_OK);
        assert_true(largest_difference(before, frame.positions + 3 * (size_t)mesh->first_vertex, numbers) < 1e-4);
        inside += moved > 1e-3;
    }
    assert_true(inside > 20 && ends > 0);
    free(before);
    limber_pipeline_destroy(player);
    limber_gltf_destroy(gltf);
    close_stage(&s);
}

static void merged_is_one_node_for_each_mesh(void** state) {
    (void)state;
    stage s;
    limber_stage_settings settings = copies_and_lines();
    open_stage(&s, "ball", "dash-stop", &settings);
    s.bake_settings.smear_meshes = LIMBER_SMEAR_MESHES_MERGED;
    bake_stage(&s);
    assert_int_equal(s.bake->smear_mesh_count, s.model->mesh_count);
    assert_int_equal(s.bake->smear_meshes[0].piece_count, COPIES + 1);
    limber_gltf* gltf = written(&s, "merged.glb");
    const limber_mesh* mesh = &model_of(gltf)->meshes[s.model->mesh_count];
    assert_int_equal(model_of(gltf)->mesh_count, 2 * s.model->mesh_count);
    assert_string_equal(mesh->node_name, "Ball smears");
    assert_int_equal(mesh->vertex_count, s.bake->smear_meshes[0].vertex_count);
    limber_gltf_destroy(gltf);
    close_stage(&s);
}

static void none_and_nothing_to_show_add_nothing(void** state) {
    (void)state;
    stage s;
    limber_stage_settings settings = copies_and_lines();
    settings.smear.multiples.min_speed = settings.smear.lines.min_speed = 100; // nothing is that fast
    open_stage(&s, "ball", "bounce", &settings);
    bake_stage(&s);
    limber_gltf* unseen = written(&s, "unseen.glb");
    s.bake_settings.smear_meshes = LIMBER_SMEAR_MESHES_NONE;
    bake_stage(&s);
    assert_int_equal(s.bake->smear_mesh_count, 0);
    limber_gltf* none = written(&s, "none.glb");
    limber_gltf* plain = save_and_load(s.gltf, NULL, "plain.glb");
    assert_true(same_json(plain->json.root, none->json.root));
    assert_true(same_json(plain->json.root, unseen->json.root));
    limber_gltf_destroy(plain);
    limber_gltf_destroy(none);
    limber_gltf_destroy(unseen);
    close_stage(&s);
}

static void nodes_are_hidden_at_rest_and_materials_are_copies_that_blend(void** state) {
    (void)state;
    stage s;
    limber_stage_settings settings = copies_and_lines();
    open_stage(&s, "ball", "dash-stop", &settings);
    bake_stage(&s);
    limber_gltf* gltf = written(&s, "materials.glb");
    const limberi_json* before = limberi_json_get(s.gltf->json.root, "materials");
    const limberi_json* after = limberi_json_get(gltf->json.root, "materials");
    assert_int_equal(limberi_json_count(after), limberi_json_count(before) + 2); // one for all copies, one for lines
    for (size_t i = 0; i < limberi_json_count(before); i++)
        assert_true(same_json(limberi_json_at(before, i), limberi_json_at(after, i)));
    const limberi_json* copy = limberi_json_at(after, limberi_json_count(before));
    assert_string_equal(limberi_json_as_text(limberi_json_get(copy, "alphaMode")), "BLEND");
    assert_true(same_json(limberi_json_get(copy, "pbrMetallicRoughness"),
                          limberi_json_get(limberi_json_at(before, 0), "pbrMetallicRoughness")));
    size_t i;
    const limberi_json* node;
    uint32_t hidden = 0;
    for (i = 0; (node = limberi_json_at(limberi_json_get(gltf->json.root, "nodes"), i)) != NULL; i++) {
        const limberi_json* scale = limberi_json_get(node, "scale");
        hidden += scale && limberi_json_as_number(limberi_json_at(scale, 0)) == 0;
    }
    assert_int_equal(hidden, COPIES + 1);
    // A copy shares triangles and texture coordinates.
    assert_true(same_json(at(gltf, "meshes/0/primitives/0/indices"), at(gltf, "meshes/1/primitives/0/indices")));
    assert_null(at(gltf, "meshes/1/primitives/0/attributes/JOINTS_0"));
    assert_non_null(at(gltf, "meshes/1/primitives/0/attributes/COLOR_0"));
    assert_non_null(at(gltf, "meshes/1/primitives/0/targets/0/COLOR_0"));
    limber_gltf_destroy(gltf);
    close_stage(&s);
}

// What a player that morphs colours would show of one vertex, from the bake's numbers.
static double played_opacity(const limber_bake_smear_mesh* extra, uint32_t frame, uint32_t vertex) {
    double sum = (double)extra->base_colors[4 * (size_t)vertex + 3];
    size_t first = frame * (size_t)extra->target_count + extra->target_count - extra->opacity_count;
    for (uint32_t o = 0; o < extra->opacity_count; o++)
        sum +=
            (double)extra->weights[0][first + o] * (double)extra->opacities[o * (size_t)extra->vertex_count + vertex];
    return sum;
}

static double played_position(const limber_bake_smear_mesh* extra, uint32_t frame, size_t number) {
    double sum = (double)extra->base_positions[number] + (double)(&extra->center.x)[number % 3];
    for (uint32_t t = 0; t < extra->shape_count; t++)
        sum += (double)extra->weights[0][frame * (size_t)extra->target_count + t] *
               (double)extra->positions[3 * t * (size_t)extra->vertex_count + number];
    return sum;
}

static void measure(stage* s, uint32_t e, double* position, double* opacity) {
    const limber_bake_smear_mesh* extra = &s->bake->smear_meshes[e];
    const limber_clip* clip = &s->model->clips[s->clip];
    for (uint32_t i = 0; i < s->bake->tracks[0].frame_count; i += 7) {
        limber_smeared smeared;
        double time_s = (double)s->bake->tracks[0].times[i];
        assert_int_equal(limber_pipeline_evaluate_smeared(s->pipeline, (int32_t)s->clip, time_s, clip->fps, &smeared),
                         LIMBER_OK);
        const limber_smear_mesh* mesh = &smeared.meshes[e];
        assert_int_equal(mesh->visible, extra->visible[0][i]);
        bool lines = mesh->kind == LIMBER_SMEAR_KIND_LINES;
        for (uint32_t v = 0; mesh->visible && v < mesh->vertex_count; v += 5) {
            double wanted = (double)mesh->colors[4 * (size_t)v + 3];
            if (wanted > 0 || !lines)
                *opacity = fmax(*opacity, fabs(played_opacity(extra, i, v) - wanted));
            for (size_t c = 3 * (size_t)v; c < 3 * (size_t)v + 3; c++)
                *position = fmax(*position, fabs(played_position(extra, i, c) - (double)mesh->positions[c]));
        }
    }
    *position /= (double)s->model->size;
}

static void opacities_are_right_in_every_frame_and_reduction_holds_its_tolerance(void** state) {
    (void)state;
    stage s;
    limber_stage_settings settings = copies_and_lines();
    open_stage(&s, "ball", "dash-stop", &settings);
    uint32_t shapes[2] = {0, 0};
    for (int reduced = 0; reduced < 2; reduced++) {
        s.bake_settings.tolerance = reduced ? 1e-3 : 0;
        bake_stage(&s);
        for (uint32_t e = 0; e < s.bake->smear_mesh_count; e++) {
            double position = 0, opacity = 0;
            measure(&s, e, &position, &opacity);
            shapes[reduced] += s.bake->smear_meshes[e].shape_count;
            print_message("%s: %u shapes, %.2e L, opacity %.4f\n", s.bake->smear_meshes[e].name,
                          s.bake->smear_meshes[e].shape_count, position, opacity);
            assert_true(position < (reduced ? 1.01e-3 : 2e-6));
            assert_true(opacity < 1.0 / 250);
        }
    }
    assert_true(2 * shapes[1] < shapes[0]);
    // Lines are as opaque whenever they are seen: nothing to morph.
    s.bake_settings.tolerance = 0;
    bake_stage(&s);
    assert_null(s.bake->smear_meshes[COPIES].opacities);
    assert_non_null(s.bake->smear_meshes[0].opacities);
    close_stage(&s);
}

static void expect_first_colors(const limber_smear_mesh* mesh, const limber_bake_smear_mesh* extra, bool* seen) {
    for (size_t v = 0; mesh->visible && v < mesh->vertex_count; v++) {
        if (!seen[v] && mesh->colors[4 * v + 3] > 0) {
            assert_memory_equal(extra->base_colors + 4 * v, mesh->colors + 4 * v, 3 * sizeof(float));
            seen[v] = true;
        }
    }
}

static void copies_and_lines_keep_the_colors_they_are_first_seen_with(void** state) {
    (void)state;
    stage s;
    limber_stage_settings settings = copies_and_lines();
    open_stage(&s, "ball", "dash-stop", &settings);
    bake_stage(&s);
    const limber_clip* clip = &s.model->clips[s.clip];
    uint32_t extras = s.bake->smear_mesh_count;
    bool* seen[COPIES + 1];
    assert_int_equal(extras, COPIES + 1);
    for (uint32_t e = 0; e < extras; e++)
        seen[e] = calloc(s.bake->smear_meshes[e].vertex_count, sizeof *seen[e]);
    for (uint32_t i = 0; i < s.bake->tracks[0].frame_count; i++) {
        limber_smeared smeared;
        double time_s = (double)s.bake->tracks[0].times[i];
        assert_int_equal(limber_pipeline_evaluate_smeared(s.pipeline, (int32_t)s.clip, time_s, clip->fps, &smeared),
                         LIMBER_OK);
        for (uint32_t e = 0; e < extras; e++)
            expect_first_colors(&smeared.meshes[e], &s.bake->smear_meshes[e], seen[e]);
    }
    for (uint32_t e = 0; e < extras; e++) {
        assert_non_null(memchr(seen[e], true, s.bake->smear_meshes[e].vertex_count));
        free(seen[e]);
    }
    close_stage(&s);
}

static void held_poses_share_their_targets(void** state) {
    (void)state;
    uint32_t targets[2];
    for (uint32_t step = 1; step <= 2; step++) {
        stage s;
        limber_stage_settings settings = copies_and_lines();
        settings.smear.step = step;
        settings.smear.multiples.min_speed = 0;
        open_stage(&s, "ball", "roll", &settings);
        bake_stage(&s);
        targets[step - 1] = s.bake->smear_meshes[2].target_count;
        // The clip loops: its last frame shows what the first does.
        const limber_bake_smear_mesh* extra = &s.bake->smear_meshes[2];
        size_t width = extra->target_count, last = s.bake->tracks[0].frame_count - 1;
        if (step == 1)
            assert_memory_equal(extra->weights[0], extra->weights[0] + last * width, width * sizeof(float));
        close_stage(&s);
    }
    assert_true(targets[0] > 75);
    assert_in_range(targets[1], targets[0] / 2 - 2, targets[0] / 2 + 2);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(both_bakes_play_copies_and_lines_where_the_pipeline_puts_them),
        cmocka_unit_test(ribbons_are_one_node_with_few_targets),
        cmocka_unit_test(other_clips_the_rest_pose_and_times_out_of_range_show_none),
        cmocka_unit_test(copies_go_straight_between_frames_and_do_not_melt_away),
        cmocka_unit_test(merged_is_one_node_for_each_mesh),
        cmocka_unit_test(none_and_nothing_to_show_add_nothing),
        cmocka_unit_test(nodes_are_hidden_at_rest_and_materials_are_copies_that_blend),
        cmocka_unit_test(opacities_are_right_in_every_frame_and_reduction_holds_its_tolerance),
        cmocka_unit_test(copies_and_lines_keep_the_colors_they_are_first_seen_with),
        cmocka_unit_test(held_poses_share_their_targets),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
