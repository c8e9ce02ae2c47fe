// What limber decides about the built-in characters, against decisions.txt: what stands when, what is rigid, where
// capsules are, which joints a performance pulls. A threshold that moves shows here, though every identity still holds.
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
#include "kit/recorded.h"

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
    double sum = 0, square = 0, max = -INFINITY, min = INFINITY;
    for (uint32_t u = 0; u < count; u++) {
        sum += (double)values[u];
        square += (double)values[u] * (double)values[u];
        max = fmax(max, (double)values[u]);
        min = fmin(min, (double)values[u]);
    }
    fprintf(out, " layer %s: from %.3f to %.3f mean %.4f square %.4f\n", name, min, max, sum / count, square / count);
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

static void characters_are_understood_as_before(void** state) {
    (void)state;
    char* text;
    size_t length;
    FILE* out = test_recorded_begin(&text, &length);
    for (uint32_t i = 0; i < limberi_character_common_count(); i++) {
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
    test_recorded_end(out, &text, &length, LIMBER_SOURCE_DIR "/tests/pipeline/decisions.txt");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(characters_are_understood_as_before),
    };
    return cmocka_run_group_tests_name("decisions", tests, NULL, NULL);
}
