// How far presets move and smear characters, in clips and live, and what a shader gets, against looks.txt.
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
#include "kit/recorded.h"
#include <limber/live.h>
#include <limber/pack.h>

static limber_pipeline* styled(const limber_asset* asset, const char* preset) {
    limber_style* style;
    limber_pipeline* pipeline = NULL;
    assert_int_equal(limber_style_create(&style, NULL), LIMBER_OK);
    assert_int_equal(limber_style_read_preset(style, preset, NULL), LIMBER_OK);
    assert_int_equal(limber_pipeline_create(asset, style, &pipeline, NULL), LIMBER_OK);
    limber_style_destroy(style);
    if (strcmp(preset, "smear") == 0 || strcmp(preset, "drybrush") == 0)
        limber_pipeline_set_outputs(pipeline, LIMBER_OUTPUT_NORMALS | LIMBER_OUTPUT_SKINNED | LIMBER_OUTPUT_OFFSETS);
    return pipeline;
}

static void say_change(FILE* out, const char* what, const float* now, const float* was, size_t count, double unit) {
    double sum = 0, square = 0, max = 0;
    for (size_t i = 0; i < count; i++) {
        double off = (double)now[i] - (was ? (double)was[i] : 0);
        sum += off;
        square += off * off;
        max = fmax(max, fabs(off));
    }
    double mean = sum / (double)count / unit;
    fprintf(out, " %s max %.3f mean %.3f root %.3f", what, max / unit, mean, sqrt(square / (double)count) / unit);
}

static void say_extra(FILE* out, const limber_smeared* smeared) {
    size_t vertices = 0;
    double far = 0, opacity = 0;
    for (uint32_t m = 0; m < smeared->mesh_count; m++) {
        const limber_smear_mesh* mesh = &smeared->meshes[m];
        vertices += mesh->vertex_count;
        for (uint32_t u = 0; u < mesh->vertex_count; u++) {
            far += (double)limberi_length(limberi_load3(mesh->positions + 3 * (size_t)u));
            opacity += (double)mesh->colors[4 * (size_t)u + 3];
        }
    }
    double n = vertices ? (double)vertices : 1;
    fprintf(out, " extra %u with %zu far %.4f opacity %.4f", smeared->mesh_count, vertices, far / n, opacity / n);
}

static void say_smeared(FILE* out, const limber_model* model, const limber_smeared* smeared) {
    size_t numbers = 3 * (size_t)model->vertex_count;
    double thousandth = 0.001 * (double)model->size;
    say_change(out, "moves", smeared->deformed, smeared->frame.skinned, numbers, thousandth);
    say_change(out, "smears", smeared->frame.positions, smeared->deformed, numbers, thousandth);
    say_change(out, "normals", smeared->frame.normals, NULL, numbers, 0.001);
    if (smeared->offsets)
        say_change(out, "offsets", smeared->offsets, NULL, model->vertex_count, 1);
    say_extra(out, smeared);
    fprintf(out, "\n");
}

static void say_frame(FILE* out, const limber_model* model, limber_pipeline* pipeline, double time_s) {
    limber_smeared smeared;
    assert_int_equal(limber_pipeline_evaluate_smeared(pipeline, 0, time_s, 24, &smeared), LIMBER_OK);
    fprintf(out, "  %.2f s", time_s);
    say_smeared(out, model, &smeared);
}

static bool flat(void* user, float x, float z, float* height) {
    (void)user;
    (void)x;
    (void)z;
    *height = 0;
    return true;
}

// The first clip as it comes in, 40 poses at 60 a second.
static void say_live(FILE* out, const limber_model* model, limber_pipeline* pipeline) {
    limber_live* live;
    limber_pose pose;
    assert_int_equal(limber_live_create(pipeline, NULL, &live, NULL), LIMBER_OK);
    assert_int_equal(limber_pose_create(model, &pose), LIMBER_OK);
    limber_live_set_ground(live, flat, NULL);
    for (int i = 0; i <= 40; i++) {
        limber_smeared smeared;
        double time_s = i / 60.0;
        limber_clip_sample(model, &model->clips[0], time_s, &pose);
        assert_int_equal(limber_live_push(live, pose.local, NULL, time_s), LIMBER_OK);
        assert_int_equal(limber_live_evaluate_smeared(live, &smeared), LIMBER_OK);
        if (i % 8 != 0 || i < 16)
            continue;
        fprintf(out, "  live %.3f s", time_s);
        say_smeared(out, model, &smeared);
    }
    limber_pose_destroy(&pose);
    limber_live_destroy(live);
}

// The numbers of the defines in their order, without their names.
static void say_defines(FILE* out, const char* text) {
    fprintf(out, "  defines:");
    for (const char* line = text; *line; line = strchr(line, '\n') + 1) {
        const char* number = strchr(line + strlen("#define "), ' ');
        fprintf(out, "%.*s", (int)strcspn(number, "\n"), number);
    }
    fprintf(out, "\n");
}

// What the shader gets.
static void say_pack(FILE* out, const limber_model* model, limber_pipeline* pipeline, double time_s) {
    limber_pack* pack;
    uint32_t count;
    if (limber_pack_create(pipeline, true, &pack, NULL) != LIMBER_OK)
        return;
    limber_pack_layout layout = limber_pack_get_layout(pack);
    float* texels = calloc(4 * (size_t)layout.max_texels, sizeof *texels);
    int16_t* columns = calloc((size_t)model->vertex_count + 1, (size_t)layout.column_bytes + 2);
    assert_true(texels && columns);
    assert_int_equal(limber_pipeline_evaluate_joints(pipeline, 0, time_s), LIMBER_OK);
    assert_int_equal(limber_pack_evaluate(pack, texels, &count, columns, NULL), LIMBER_OK);
    double sum = 0, mix = 0;
    for (size_t i = 0; i < (size_t)model->vertex_count * (layout.column_bytes / 2); i++)
        sum += fabs((double)columns[i]);
    fprintf(out, "  pack: %u influences %u columns %u texels %u obeyed columns %.4g", layout.influences,
            layout.column_count, count, layout.obeyed_texels, sum / model->vertex_count);
    for (size_t i = 0; i < 4 * (size_t)count; i++) // small numbers count as large ones do, and their order counts
        mix += asinh(1000 * (double)texels[i]) * (1 + (double)(i % 13));
    fprintf(out, " texels %.4g\n", mix / count);
    say_defines(out, limber_pack_defines(pack));
    free(texels);
    free(columns);
    limber_pack_destroy(pack);
}

static void presets_move_characters_as_before(void** state) {
    (void)state;
    static const char* const names[] = {"cow", "hero", "ball", "dancer"};
    char* text;
    size_t length;
    FILE* out = test_recorded_begin(&text, &length);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        limber_asset* asset = test_built_in(names[i], 0.5);
        const limber_model* model = limber_asset_model(asset);
        for (uint32_t p = 0; p < limber_preset_count(); p++) {
            limber_pipeline* pipeline = styled(asset, limber_preset_at(p)->name);
            fprintf(out, "%s as %s\n", names[i], limber_preset_at(p)->name);
            say_frame(out, model, pipeline, 0.3);
            say_frame(out, model, pipeline, 0.95);
            say_pack(out, model, pipeline, 0.3);
            if (p % 2 == 1)
                say_live(out, model, pipeline);
            limber_pipeline_destroy(pipeline);
        }
        limber_asset_destroy(asset);
    }
    test_recorded_end(out, &text, &length, LIMBER_SOURCE_DIR "/tests/pipeline/looks.txt");
}

// A limit that differs from vertex to vertex is one more column for the shader.
static void limits_that_vary_take_a_column(void** state) {
    (void)state;
    limber_asset* asset = test_built_in("cylinder", 1);
    for (int varies = 0; varies < 2; varies++) {
        limber_stage_settings settings;
        limber_pipeline* pipeline;
        limber_pack* pack;
        limber_expression* formula;
        settings = limber_stage_settings_default();
        limber_effect_settings* floppy = &settings.deform.effects[LIMBER_EFFECT_FLOPPY];
        assert_int_equal(limber_expression_create("30 + 20 * height", NULL, &formula, NULL), LIMBER_OK);
        floppy->angular.value = 0.1f;
        limber_number* limit = limber_effect_number(&settings.deform, LIMBER_EFFECT_FLOPPY, "max_bend");
        limit->value = 40;
        limit->expression = varies ? formula : NULL;
        assert_int_equal(limber_pipeline_create_from_settings(asset, &settings, &pipeline, NULL), LIMBER_OK);
        assert_int_equal(limber_pack_create(pipeline, true, &pack, NULL), LIMBER_OK);
        assert_int_equal(limber_pack_get_layout(pack).column_count, varies);
        limber_pack_destroy(pack);
        limber_pipeline_destroy(pipeline);
        limber_expression_destroy(formula);
    }
    limber_asset_destroy(asset);
}

// The first texel has the limits of the effects that bend, in their order; 0 where one is off.
static void limits_of_effects_are_in_the_first_texel(void** state) {
    (void)state;
    static const limber_effect bends[] = {LIMBER_EFFECT_FLOPPY, LIMBER_EFFECT_DRAG, LIMBER_EFFECT_FOLLOWTHROUGH};
    limber_asset* asset = test_built_in("cylinder", 1);
    for (uint32_t on = 1; on < 8; on++) {
        limber_stage_settings settings = limber_stage_settings_default();
        limber_pipeline* pipeline;
        limber_pack* pack;
        uint32_t count;
        for (int i = 0; i < 3; i++) {
            settings.deform.effects[bends[i]].angular.value = on >> i & 1 ? 0.1f : 0;
            limber_effect_number(&settings.deform, bends[i], "max_bend")->value = (float)(40 - 10 * i);
        }
        assert_int_equal(limber_pipeline_create_from_settings(asset, &settings, &pipeline, NULL), LIMBER_OK);
        assert_int_equal(limber_pack_create(pipeline, true, &pack, NULL), LIMBER_OK);
        float* texels = calloc(4 * (size_t)limber_pack_get_layout(pack).max_texels, sizeof *texels);
        assert_int_equal(limber_pipeline_evaluate_joints(pipeline, 0, 0.3), LIMBER_OK);
        assert_int_equal(limber_pack_evaluate(pack, texels, &count, NULL, NULL), LIMBER_OK);
        for (int i = 0; i < 3; i++) {
            float wanted = (float)(on >> i & 1 ? (40 - 10 * i) * LIMBERI_PI / 180 : 0);
            assert_true(fabsf(texels[i] - wanted) < 1e-5f);
        }
        free(texels);
        limber_pack_destroy(pack);
        limber_pipeline_destroy(pipeline);
    }
    limber_asset_destroy(asset);
}

// Gains that differ from vertex to vertex are columns; the shader reads four at a time.
static void the_shader_is_told_how_many_columns_there_are(void** state) {
    (void)state;
    static const struct {
        limber_effect effect;
        bool linear;
    } gains[] = {{LIMBER_EFFECT_FLOPPY, true},   {LIMBER_EFFECT_FLOPPY, false},
                 {LIMBER_EFFECT_SQUASH, true},   {LIMBER_EFFECT_DRAG, true},
                 {LIMBER_EFFECT_DRAG, false},    {LIMBER_EFFECT_FOLLOWTHROUGH, true},
                 {LIMBER_EFFECT_STRETCH, false}, {LIMBER_EFFECT_FOLLOWTHROUGH, false}};
    enum { GAINS = sizeof gains / sizeof *gains };
    limber_asset* asset = test_built_in("cylinder", 1);
    limber_expression* formulas[GAINS];
    for (uint32_t i = 0; i < GAINS; i++) {
        char text[64];
        snprintf(text, sizeof text, "0.01 * height ^ %u", i + 1);
        assert_int_equal(limber_expression_create(text, NULL, &formulas[i], NULL), LIMBER_OK);
    }
    for (uint32_t count = 0; count <= GAINS; count++) {
        limber_stage_settings settings = limber_stage_settings_default();
        limber_pipeline* pipeline;
        limber_pack* pack;
        for (uint32_t i = 0; i < count; i++) {
            limber_effect_settings* effect = &settings.deform.effects[gains[i].effect];
            (gains[i].linear ? &effect->linear : &effect->angular)->expression = formulas[i];
        }
        assert_int_equal(limber_pipeline_create_from_settings(asset, &settings, &pipeline, NULL), LIMBER_OK);
        assert_int_equal(limber_pack_create(pipeline, true, &pack, NULL), LIMBER_OK);
        limber_pack_layout layout = limber_pack_get_layout(pack);
        char vectors[64];
        snprintf(vectors, sizeof vectors, "#define LIMBER_COLUMN_VECTORS %u\n", count > 4 ? 2 : 1);
        assert_int_equal(layout.column_count, count);
        assert_int_equal(layout.column_bytes, count % 2 ? 2 * count + 2 : 2 * count);
        assert_non_null(strstr(limber_pack_defines(pack), vectors));
        limber_pack_destroy(pack);
        limber_pipeline_destroy(pipeline);
    }
    for (uint32_t i = 0; i < GAINS; i++)
        limber_expression_destroy(formulas[i]);
    limber_asset_destroy(asset);
}

// AS 10 to 12 on the dog's run: they can be seen, and legs do not fly off.
static void presets_of_acceleration_skinning_stay_on_the_dog(void** state) {
    (void)state;
    static const char* const presets[] = {"as-drag", "as-followthrough", "as-stretch"};
    limber_asset* asset = test_built_in("dog", 1);
    const limber_model* model = limber_asset_model(asset);
    int32_t run = (int32_t)limber_model_find_clip(model, "run");
    for (int i = 0; i < 3; i++) {
        limber_pipeline* pipeline = styled(asset, presets[i]);
        double most = 0;
        for (int n = 0; n < 16; n++) {
            limber_frame frame;
            assert_int_equal(limber_pipeline_evaluate(pipeline, run, n / 30.0, &frame), LIMBER_OK);
            for (uint32_t u = 0; u < model->vertex_count; u++) {
                limber_vec3 d = limberi_sub(limberi_load3(frame.positions + 3 * (size_t)u),
                                            limberi_load3(frame.skinned + 3 * (size_t)u));
                most = fmax(most, (double)(limberi_length(d) / model->size));
            }
        }
        print_message("%s: %.3f L\n", presets[i], most);
        assert_true(most > 0.1 && most < 0.5);
        limber_pipeline_destroy(pipeline);
    }
    limber_asset_destroy(asset);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(presets_move_characters_as_before),
        cmocka_unit_test(presets_of_acceleration_skinning_stay_on_the_dog),
        cmocka_unit_test(limits_that_vary_take_a_column),
        cmocka_unit_test(limits_of_effects_are_in_the_first_texel),
        cmocka_unit_test(the_shader_is_told_how_many_columns_there_are),
    };
    return cmocka_run_group_tests_name("looks", tests, NULL, NULL);
}
