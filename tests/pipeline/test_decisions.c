// What limber decides about the built-in characters, and how far styles move them, against decisions.txt and looks.txt: what stands
// when, what is rigid, where capsules are, which joints a performance pulls. A threshold that moves shows here, though
// every identity still holds. LIMBER_UPDATE=1 writes the file anew; read what changed before you commit it.
#include <ctype.h>
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
#include <limber/live.h>
#include <limber/pack.h>

// --- the file ---

static const double tolerance = 0.005; // of a number; and a tenth of that as it is, near 0

static char* read_file(const char* path) {
    char* text = calloc(1, 1 << 20);
    FILE* in = fopen(path, "rb");
    assert_non_null(text);
    if (in) {
        (void)!fread(text, 1, (1 << 20) - 1, in);
        fclose(in);
    }
    return text;
}

static bool same_word(const char* a, const char* b) {
    char *a_end, *b_end;
    double x = strtod(a, &a_end), y = strtod(b, &b_end);
    if (a_end == a || b_end == b || *a_end || *b_end)
        return strcmp(a, b) == 0;
    return fabs(x - y) <= tolerance * (0.1 + fabs(y));
}

static char* next_word(char** rest) {
    char* word = *rest + strspn(*rest, " ");
    *rest = word + strcspn(word, " ");
    if (**rest)
        *(*rest)++ = 0;
    return word;
}

static bool same_line(const char* a, const char* b) {
    char x[512], y[512], *x_rest = x, *y_rest = y;
    snprintf(x, sizeof x, "%s", a);
    snprintf(y, sizeof y, "%s", b);
    while (*x_rest || *y_rest)
        if (!same_word(next_word(&x_rest), next_word(&y_rest)))
            return false;
    return true;
}

static char* next_line(char** rest) {
    char* line = *rest;
    *rest += strcspn(line, "\n");
    if (**rest)
        *(*rest)++ = 0;
    return line;
}

static void compare(char* now, const char* path) {
    char *was = read_file(path), *was_rest = was, *now_rest = now;
    uint32_t different = 0;
    while (*now_rest || *was_rest) {
        const char *x = next_line(&now_rest), *y = next_line(&was_rest);
        if (!same_line(x, y) && different++ < 10)
            print_error("now: %s\nwas: %s\n", x, y);
    }
    free(was);
    if (different)
        fail_msg("%u lines of %s are different now", different, path);
}

// --- what is found in a character ---

static void say_spans(FILE* out, const limber_model* model, const limber_contacts* contacts) {
    double belt[2];
    limber_contacts_belt(contacts, belt);
    fprintf(out, "  floor: %u levels belt %.3f %.3f\n", limber_contacts_level_count(contacts), belt[0], belt[1]);
    for (uint32_t i = 0; i < limber_contacts_level_count(contacts); i++)
        fprintf(out, "  level %.3f\n", limber_contacts_level(contacts, i));
    for (uint32_t i = 0; i < limber_contact_count(contacts); i++) {
        limber_contact one = limber_contact_at(contacts, i);
        fprintf(out, "  %s stands from %.3f to %.3f s at %.3f\n", model->rig.names[one.joint], one.from_s, one.to_s,
                one.height);
    }
    for (uint32_t i = 0; i < limber_landing_count(contacts); i++) {
        limber_landing one = limber_landing_at(contacts, i);
        fprintf(out, "  lands at %.3f s with %.3f\n", one.time_s, one.speed);
    }
}

static void say_contacts(FILE* out, const limber_asset* asset, uint32_t clip) {
    const limber_model* model = limber_asset_model(asset);
    limber_contacts* contacts;
    assert_int_equal(limber_contacts_find(asset, clip, NULL, &contacts, NULL), LIMBER_OK);
    fprintf(out, " clip %s %s %s\n", model->clips[clip].name, model->clips[clip].loops ? "loops" : "ends",
            model->clips[clip].travels ? "travels" : "stays");
    say_spans(out, model, contacts);
    limber_contacts_destroy(contacts);
}

static void say_parts(FILE* out, const limber_asset* asset) {
    const limber_model* model = limber_asset_model(asset);
    limber_rigid_parts* parts;
    assert_int_equal(limber_rigid_parts_find(asset, NULL, &parts, NULL), LIMBER_OK);
    for (uint32_t i = 0; i < limber_rigid_part_count(parts); i++) {
        limber_rigid_part one = limber_rigid_part_at(parts, i);
        fprintf(out, " rigid %s on %s with %u vertices\n", one.name, model->rig.names[one.joint], one.vertex_count);
    }
    limber_rigid_parts_destroy(parts);
}

static void say_colliders(FILE* out, const limber_asset* asset) {
    const limber_model* model = limber_asset_model(asset);
    limber_colliders* colliders;
    assert_int_equal(limber_colliders_find(asset, NULL, &colliders, NULL), LIMBER_OK);
    for (uint32_t i = 0; i < limber_collider_count(colliders); i++) {
        limber_collider c = limber_collider_at(colliders, i);
        fprintf(out, " capsule %s radius %.3f from %.3f %.3f %.3f to %.3f %.3f %.3f\n",
                c.joint < 0 ? "world" : model->rig.names[c.joint], (double)c.radius, (double)c.from.x, (double)c.from.y,
                (double)c.from.z, (double)c.to.x, (double)c.to.y, (double)c.to.z);
    }
    limber_colliders_destroy(colliders);
}

static void say_layer(FILE* out, const char* name, const float* values, uint32_t count) {
    double sum = 0, square = 0, most = -INFINITY, least = INFINITY;
    for (uint32_t u = 0; u < count; u++) {
        sum += (double)values[u];
        square += (double)values[u] * (double)values[u];
        most = fmax(most, (double)values[u]);
        least = fmin(least, (double)values[u]);
    }
    fprintf(out, " layer %s: from %.3f to %.3f mean %.4f square %.4f\n", name, least, most, sum / count,
            square / count);
}

static void say_layers(FILE* out, const limber_asset* asset) {
    const limber_model* model = limber_asset_model(asset);
    float* values = calloc(model->vertex_count, sizeof *values);
    bool found;
    assert_non_null(values);
    assert_int_equal(limber_layer_thickness(model, values, NULL), LIMBER_OK);
    say_layer(out, "thickness", values, model->vertex_count);
    assert_int_equal(limber_layer_joint_distance(model, model->rig.joint_count / 2, values, NULL), LIMBER_OK);
    say_layer(out, "distance", values, model->vertex_count);
    assert_int_equal(limber_layer_skirt(model, values, &found, NULL), LIMBER_OK);
    if (found)
        say_layer(out, "skirt", values, model->vertex_count);
    free(values);
}

// Which joints an automatic performance pulls, and how far they go.
static void say_pulls(FILE* out, const limber_model* model, const limber_clip* clip) {
    limber_exaggerate_settings settings = limber_exaggerate_settings_default();
    limber_exaggerated* edited;
    limber_pose poses[2];
    settings.automatic = true;
    assert_int_equal(limber_exaggerate(model, clip, 0, &settings, &edited, NULL), LIMBER_OK);
    for (int i = 0; i < 2; i++)
        assert_int_equal(limber_pose_create(model, &poses[i]), LIMBER_OK);
    const bool* pulled = limber_exaggerated_pulled(edited);
    for (uint32_t j = 0; pulled && j < model->rig.joint_count; j++) {
        if (!pulled[j])
            continue;
        fprintf(out, "  pulls %s:", model->rig.names[j]);
        for (int n = 0; n <= 8; n++) {
            double t = clip->start_s + (clip->end_s - clip->start_s) * n / 8;
            for (int i = 0; i < 2; i++) {
                limber_clip_sample(model, i ? limber_exaggerated_clip(edited) : clip, t, &poses[i]);
                limber_pose_update_world(model, &poses[i]);
            }
            limber_vec3 moved = limberi_sub(limberi_mat4_translation(&poses[1].world_from_joint[j]),
                                            limberi_mat4_translation(&poses[0].world_from_joint[j]));
            fprintf(out, " %.4f", (double)(limberi_length(moved) / model->size));
        }
        fprintf(out, "\n");
    }
    for (int i = 0; i < 2; i++)
        limber_pose_destroy(&poses[i]);
    limber_exaggerated_destroy(edited);
}

// --- what styles do ---

static limber_pipeline* styled(const limber_asset* asset, const char* preset) {
    limber_style* style;
    limber_pipeline* pipeline = NULL;
    assert_int_equal(limber_style_create(&style, NULL), LIMBER_OK);
    assert_int_equal(limber_style_read_preset(style, preset, NULL), LIMBER_OK);
    assert_int_equal(limber_pipeline_create(asset, style, &pipeline, NULL), LIMBER_OK);
    limber_style_destroy(style);
    return pipeline;
}

static void say_change(FILE* out, const char* what, const float* now, const float* was, size_t count, double unit) {
    double sum = 0, square = 0, most = 0;
    for (size_t i = 0; i < count; i++) {
        double off = (double)now[i] - (was ? (double)was[i] : 0);
        sum += off;
        square += off * off;
        most = fmax(most, fabs(off));
    }
    double mean = sum / (double)count / unit;
    fprintf(out, " %s most %.3f mean %.3f root %.3f", what, most / unit, mean, sqrt(square / (double)count) / unit);
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
    free(texels);
    free(columns);
    limber_pack_destroy(pack);
}

static FILE* begin(char** text, size_t* length) {
    FILE* out = open_memstream(text, length);
    assert_non_null(out);
    return out;
}

static void end(FILE* out, char** text, const size_t* length, const char* path) {
    assert_int_equal(fclose(out), 0);
    FILE* update = getenv("LIMBER_UPDATE") ? fopen(path, "wb") : NULL;
    if (update) {
        assert_int_equal(fwrite(*text, 1, *length, update), *length);
        assert_int_equal(fclose(update), 0);
    }
    compare(*text, path);
    free(*text);
}

static void presets_move_characters_as_before(void** state) {
    (void)state;
    static const char* const names[] = {"cow", "hero", "ball", "dancer"};
    char* text;
    size_t length;
    FILE* out = begin(&text, &length);
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
    end(out, &text, &length, LIMBER_SOURCE_DIR "/tests/pipeline/looks.txt");
}

static void characters_are_understood_as_before(void** state) {
    (void)state;
    char* text;
    size_t length;
    FILE* out = begin(&text, &length);
    for (uint32_t i = 0; i < limberi_character_count(); i++) {
        limber_asset* asset = test_built_in(limberi_character_at(i)->name, 0.5);
        const limber_model* model = limber_asset_model(asset);
        fprintf(out, "%s size %.3f\n", limberi_character_at(i)->name, (double)model->size);
        say_parts(out, asset);
        say_colliders(out, asset);
        say_layers(out, asset);
        for (uint32_t c = 0; c < model->clip_count; c++) {
            say_contacts(out, asset, c);
            say_pulls(out, model, &model->clips[c]);
        }
        limber_asset_destroy(asset);
    }
    end(out, &text, &length, LIMBER_SOURCE_DIR "/tests/pipeline/decisions.txt");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(characters_are_understood_as_before),
        cmocka_unit_test(presets_move_characters_as_before),
    };
    return cmocka_run_group_tests_name("decisions", tests, NULL, NULL);
}
