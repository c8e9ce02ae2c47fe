// Styles: every key reaches the settings, defaults, merging, single keys from a command line, joints, presets.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "kit/style_kit.h"
#include "style/table.h"

// Binds a text and hands out the settings; the caller destroys `bound`.
static const limber_stage_settings* settings_of(const char* text, limber_bound_style** bound) {
    limber_asset* asset = style_kit_asset();
    limber_style* style = style_kit_read(text);
    *bound = style_kit_bind(style, asset);
    limber_style_destroy(style); // what is bound stands on its own
    limber_asset_destroy(asset);
    return limber_bound_style_settings(*bound);
}

static const char* difference(const char* a, const char* b) {
    limber_bound_style *x, *y;
    const limber_stage_settings *p = settings_of(a, &x), *q = settings_of(b, &y);
    const char* found = style_kit_difference(p, q);
    limber_bound_style_destroy(x);
    limber_bound_style_destroy(y);
    return found;
}

// --- every key ---

static void an_empty_style_is_the_default_of_the_stages(void** state) {
    (void)state;
    limber_bound_style* bound;
    limber_stage_settings standard;
    memset(&standard, 0, sizeof standard);
    standard.motion = limber_motion_settings_default();
    standard.deform = limber_deform_settings_default();
    standard.smear = limber_smear_settings_default();
    standard.exaggerate = limber_exaggerate_settings_default();
    standard.contacts = limber_contact_settings_default();
    standard.impact = limber_impact_settings_default();
    standard.perform = limber_perform_settings_default();
    assert_string_equal(style_kit_difference(settings_of("{}", &bound), &standard), "");
    assert_int_equal(limber_bound_style_warning_count(bound), 0);
    limber_bound_style_destroy(bound);
}

static void every_key_arrives_where_it_belongs(void** state) {
    (void)state;
    limber_bound_style* bound;
    const limber_stage_settings* s = settings_of(
        "{\"$schema\": \"x\", \"limber\": 1, \"size\": 2.5, \"skinning\": \"dualquat\", \"derivative_step\": 0.01, "
        "\"loop\": true, \"baked\": true,"
        " \"normals\": \"jacobian\", \"compose\": \"chain\", \"effects\": {"
        " \"floppy\": {\"linear\": 0.11, \"angular\": 0.12, \"max_bend\": 13, \"twist\": 0.14, \"bend\": 0.15, "
        "\"layer\": \"floppy\"},"
        " \"squash\": {\"linear\": 0.21, \"angular\": 0.22, \"about\": \"center\", \"fade\": 0.25, \"max\": 0.75, "
        "\"layer\": \"ears\"},"
        " \"drag\": {\"linear\": 0.31, \"angular\": 0.32, \"max_bend\": 33, \"twist\": 0.34, \"bend\": 0.35, "
        "\"turn\": 0.36, \"layer\": \"ears\"},"
        " \"followthrough\": {\"linear\": 0.41, \"angular\": 0.42, \"max_bend\": 43, \"twist\": 0.44, \"bend\": 0.45, "
        "\"turn\": 0.46, \"layer\": \"ears\"},"
        " \"stretch\": {\"angular\": 0.52, \"profile\": \"quadratic\", \"layer\": \"ears\"},"
        " \"lift\": {\"angular\": 0.62, \"source\": [\"drag\", \"floppy\"], \"normals\": \"mesh\", \"layer\": \"ears\","
        "  \"cone\": {\"joint\": \"Skirt\", \"fit\": \"none\", \"apex\": [1, 2, 3], \"axis\": [0, -4, 0], "
        "\"half_angle\": 30, \"base_radius\": 0.7}},"
        " \"overlap\": {\"frequency\": 3.5, \"damping\": 0.25, \"gain\": 4, \"max\": 33, \"reach\": 0.5, "
        "\"smooth\": 0.02, \"arrive\": 0.6, \"twist\": 0.4, \"bend\": 0.8, \"linear\": 0.7, \"max_linear\": 0.1, "
        "\"layer\": \"ears\"}}}",
        &bound);
    const limber_effect_settings* e = s->deform.effects;
    assert_true(s->deform.size == 2.5f && s->skinning == LIMBER_SKINNING_DUALQUAT && s->motion.step_s == 0.01);
    assert_true(s->motion.loop == LIMBER_LOOP_ALWAYS && s->deform.normals == LIMBER_NORMALS_JACOBIAN);
    assert_true(s->deform.compose == LIMBER_COMPOSE_CHAIN);
    assert_true(style_kit_number(s, LIMBER_EFFECT_SQUASH, "fade").value == 0.25f &&
                style_kit_number(s, LIMBER_EFFECT_SQUASH, "max").value == 0.75f);
    assert_int_equal(s->baked, 1);
    const limber_effect_settings* overlap = &e[LIMBER_EFFECT_OVERLAP];
    assert_true(overlap->filters.follower.frequency_hz == 3.5 && overlap->filters.follower.damping == 0.25);
    assert_true(overlap->filters.follower.smooth_s == 0.02 && overlap->filters.follower.arrive == 0.6);
    assert_true(style_kit_number(s, LIMBER_EFFECT_OVERLAP, "reach").value == 0.5f &&
                style_kit_number(s, LIMBER_EFFECT_OVERLAP, "max_linear").value == 0.1f);
    assert_true(overlap->angular.value == 4 && style_kit_number(s, LIMBER_EFFECT_OVERLAP, "max").value == 33 &&
                overlap->linear.value == 0.7f);
    assert_true(style_kit_number(s, LIMBER_EFFECT_OVERLAP, "twist").value == 0.4f &&
                style_kit_number(s, LIMBER_EFFECT_OVERLAP, "bend").value == 0.8f);
    assert_string_equal(overlap->layer, "ears");
    for (int i = 0; i < LIMBER_EFFECT_OVERLAP; i++) {
        float base = 0.1f * (float)(i + 1);
        bool two_parts = i <= LIMBER_EFFECT_FOLLOWTHROUGH;
        bool bends = two_parts && i != LIMBER_EFFECT_SQUASH;
        assert_true(fabsf(e[i].linear.value - (two_parts ? base + 0.01f : 0)) <= 1e-6f);
        assert_true(fabsf(e[i].angular.value - (base + 0.02f)) <= 1e-6f);
        if (bends) {
            float max_bend = style_kit_number(s, (limber_effect)i, "max_bend").value;
            assert_true(fabsf(max_bend - (10 * (float)(i + 1) + 3)) <= 1e-6f);
            assert_true(fabsf(style_kit_number(s, (limber_effect)i, "twist").value - (base + 0.04f)) <= 1e-6f);
            assert_true(fabsf(style_kit_number(s, (limber_effect)i, "bend").value - (base + 0.05f)) <= 1e-6f);
        }
        if (i == LIMBER_EFFECT_DRAG || i == LIMBER_EFFECT_FOLLOWTHROUGH)
            assert_true(fabsf(style_kit_number(s, (limber_effect)i, "turn").value - (base + 0.06f)) <= 1e-6f);
        assert_string_equal(e[i].layer, i == LIMBER_EFFECT_FLOPPY ? "floppy" : "ears");
        assert_true(e[i].filters.velocity.type == LIMBER_FILTER_NONE);
    }
    assert_true(style_kit_number(s, LIMBER_EFFECT_SQUASH, "about").value == LIMBER_ABOUT_CENTER);
    assert_true(style_kit_number(s, LIMBER_EFFECT_STRETCH, "profile").value == LIMBER_PROFILE_QUADRATIC);
    const limber_lift_cones* lift = &s->deform.lift_cones;
    assert_true(style_kit_number(s, LIMBER_EFFECT_LIFT, "normals").value == LIMBER_LIFT_MESH && !lift->fit &&
                lift->cone.joint == KIT_SKIRT);
    assert_int_equal((uint32_t)style_kit_number(s, LIMBER_EFFECT_LIFT, "source").value,
                     1u << LIMBER_EFFECT_DRAG | 1u << LIMBER_EFFECT_FLOPPY);
    assert_true(lift->cone.apex.x == 1 && lift->cone.apex.y == 2 && lift->cone.apex.z == 3);
    assert_true(lift->cone.axis.x == 0 && lift->cone.axis.y == -1 && lift->cone.axis.z == 0);
    assert_true(fabsf(lift->cone.half_angle_rad - (0.5235988f)) <= 1e-6f);
    assert_true(fabsf(lift->cone.base_radius - (0.7f)) <= 1e-7f);
    assert_int_equal(limber_bound_style_warning_count(bound), 0);
    limber_bound_style_destroy(bound);
}

// A value of the row that is not its default.
static const char* another_value(const limber_key* key) {
    static char text[64];
    if (strcmp(key->path, "limber") == 0)
        return "1";
    switch (key->type) {
    case LIMBER_KEY_NUMBER:
    case LIMBER_KEY_CONSTANT:
        if (strncmp(key->path, "smear.", 6) == 0 && key->max > 1 && !strstr(key->path, "speed"))
            return "3"; // most of them are counts
        if (strcmp(key->path, "timing.step") == 0)
            return "3";
        return strcmp(key->path, "derivative_step") == 0 ? "0.125" : "0.25";
    case LIMBER_KEY_CHOICE: // the last word; true is one without quotes
        if (strcmp(strrchr(key->choices, ' '), " true") == 0)
            return "true";
        snprintf(text, sizeof text, "\"%s\"", strrchr(key->choices, ' ') + 1);
        return text;
    case LIMBER_KEY_SWITCH:
        return key->default_text && strcmp(key->default_text, "true") == 0 ? "false" : "true";
    case LIMBER_KEY_TEXT:
        if (strcmp(key->path, "smear.offsets.space") == 0)
            return "\"world\"";
        if (strncmp(key->path, "smear.lines.color", 17) == 0 && key->type == LIMBER_KEY_TEXT)
            return "\"#ff8000\"";
        return strstr(key->path, "joint") ? "\"Skirt\"" : "\"ears\"";
    case LIMBER_KEY_LIST:
        return key->choices ? "[\"floppy\"]" : "[\"Leg*\", \"Head\"]";
    case LIMBER_KEY_VECTOR:
        return "[0, 0.5, 0]";
    default:
        if (strcmp(key->path, "contacts") == 0)
            return "[{\"joint\": \"Leg*\", \"to\": 0.5}]";
        if (strcmp(key->path, "timing.holds") == 0)
            return "[{\"at\": 0.5, \"length\": 0.2}]";
        if (strcmp(key->path, "wind") == 0 || strcmp(key->path, "gravity") == 0)
            return "[0, 0.5, 0]";
        return "\"auto\"";
    }
}

// The path with its star filled in.
static void concrete_path(const limberi_row* row, int effect, char* out, size_t size) {
    const char* star = strstr(row->key.path, ".*.");
    if (!star) {
        snprintf(out, size, "%s", row->key.path);
        return;
    }
    const char* name = strncmp(row->key.path, "joints", 6) == 0   ? "Hip"
                       : strncmp(row->key.path, "meshes", 6) == 0 ? "me*"
                                                                  : limber_effect_name((limber_effect)effect);
    snprintf(out, size, "%.*s.%s.%s", (int)(star - row->key.path), row->key.path, name, star + 3);
}

// What makes a key matter: parameters of a filter need its type, a cone its other keys.
static void set_companions(limber_style* style, const char* path) {
    char sibling[96];
    snprintf(sibling, sizeof sibling, "%s", path);
    char* last = strrchr(sibling, '.');
    if (strstr(path, ".filter.") && strncmp(path, "effects.", 8) == 0 && strcmp(last, ".type") != 0) {
        strcpy(last, ".type");
        style_kit_set(style, sibling, strstr(path, "gamma") ? "lowpass" : "spring");
    }
    if (strcmp(path, "smear.motion.part") == 0)
        style_kit_set(style, "smear.motion.joint", "Head");
    if (strstr(path, ".apex") || strstr(path, ".axis") || strstr(path, ".half_angle") || strstr(path, ".fit")) {
        style_kit_set(style, "effects.lift.cone.apex", "1,0,0");
        style_kit_set(style, "effects.lift.cone.axis", "1,0,0");
        style_kit_set(style, "effects.lift.cone.half_angle", "20");
    }
}

static void check_key(const limber_asset* asset, const limberi_row* row, int effect) {
    char path[96];
    concrete_path(row, effect, path, sizeof path);
    limber_style* style = style_kit_read("{}");
    set_companions(style, path);
    limber_bound_style* before = style_kit_bind(style, asset);
    style_kit_set(style, path, another_value(&row->key));
    limber_bound_style* after = style_kit_bind(style, asset);
    const char* found = style_kit_difference(limber_bound_style_settings(before), limber_bound_style_settings(after));
    // These three say nothing to the stages by themselves.
    bool silent = row->store == LIMBERI_STORE_NOTHING || strcmp(path, "effects.lift.cone.fit") == 0 ||
                  strcmp(path, "smear.offsets.space") == 0;
    if (silent == (found[0] != 0))
        fail_msg("%s=%s changes '%s'", path, another_value(&row->key), found);
    if (row->key.default_text) {
        style_kit_set(style, path, row->key.default_text);
        limber_bound_style* back = style_kit_bind(style, asset);
        found = style_kit_difference(limber_bound_style_settings(before), limber_bound_style_settings(back));
        if (found[0])
            fail_msg("%s=%s is not the default: %s", path, row->key.default_text, found);
        limber_bound_style_destroy(back);
    }
    limber_bound_style_destroy(before);
    limber_bound_style_destroy(after);
    limber_style_destroy(style);
}

static void every_row_changes_the_settings_and_its_default_does_not(void** state) {
    (void)state;
    limber_asset* asset = style_kit_asset();
    uint32_t checked = 0;
    for (uint32_t i = 0; i < limber_key_count(); i++) {
        const limberi_row* row = limberi_row_at(i);
        bool of_all = strncmp(row->key.path, "effects.*.", 10) == 0;
        for (int effect = 0; effect < (of_all ? LIMBER_EFFECT_COUNT : 1); effect++) {
            if (of_all && !(limberi_row_effects(row) >> effect & 1))
                continue;
            check_key(asset, row, effect);
            checked++;
        }
    }
    assert_true(checked >= 156);
    limber_asset_destroy(asset);
}

static void every_row_is_complete(void** state) {
    (void)state;
    for (uint32_t i = 0; i < limber_key_count(); i++) {
        const limber_key* key = limber_key_at(i);
        assert_true(key->path[0] && key->unit && key->help[0]);
        assert_true(key->help[strlen(key->help) - 1] != '.' && strlen(key->help) < 160);
        assert_true(key->min <= key->max);
        assert_true((key->type == LIMBER_KEY_CHOICE) <= (key->choices != NULL));
        for (uint32_t k = 0; k < i; k++)
            assert_string_not_equal(key->path, limber_key_at(k)->path);
    }
    assert_null(limber_key_at(limber_key_count()));
}

// --- formulas ---

static void numbers_may_be_formulas(void** state) {
    (void)state;
    limber_bound_style* bound;
    const limber_stage_settings* s = settings_of(
        "{\"effects\": {\"floppy\": {\"angular\": \"0.4 * height * paint.ears\", \"max_bend\": \"60 * phase\"},"
        "\"drag\": {\"turn\": \"0.5\"}}}",
        &bound);
    const limber_effect_settings* floppy = &s->deform.effects[LIMBER_EFFECT_FLOPPY];
    assert_string_equal(limber_expression_text(floppy->angular.expression), "0.4 * height * paint.ears");
    assert_non_null(style_kit_number(s, LIMBER_EFFECT_FLOPPY, "max_bend").expression);
    assert_null(floppy->linear.expression);
    assert_non_null(style_kit_number(s, LIMBER_EFFECT_DRAG, "turn").expression);
    limber_bound_style_destroy(bound);
}

// --- merging ---

static void later_texts_win_key_by_key(void** state) {
    (void)state;
    limber_style* style = style_kit_read(
        "{\"size\": 2, \"effects\": {\"floppy\": {\"linear\": 1, \"angular\": 2}, \"squash\": {\"linear\": 3}}}");
    limber_error error;
    const char* second = "{\"effects\": {\"floppy\": {\"angular\": 5, \"twist\": 6}, \"drag\": {}}}";
    assert_int_equal(limber_style_read(style, second, strlen(second), &error), LIMBER_OK);
    assert_string_equal(limber_style_text(style), "{\"limber\":1,\"size\":2,\"effects\":{\"floppy\":{\"linear\":1,"
                                                  "\"angular\":5,\"twist\":6},\"squash\":{\"linear\":3}}}");
    limber_style_destroy(style);
}

static void a_filter_replaces_the_filter_before(void** state) {
    (void)state;
    const char* first = "{\"effects\": {\"drag\": {\"filter\": {\"type\": \"lowpass\", \"gamma\": 0.5, \"velocity\": "
                        "{\"type\": \"spring\", \"damping\": 0.1}}},"
                        "\"floppy\": {\"filter\": {\"type\": \"lowpass\"}}}}";
    limber_style* style = style_kit_read(first);
    limber_error error;
    const char* second = "{\"effects\": {\"drag\": {\"filter\": {\"type\": \"spring\"}}}}";
    assert_int_equal(limber_style_read(style, second, strlen(second), &error), LIMBER_OK);
    assert_string_equal(limber_style_text(style), "{\"limber\":1,\"effects\":{\"floppy\":{\"filter\":{\"type\":"
                                                  "\"lowpass\"}},\"drag\":{\"filter\":{\"type\":\"spring\"}}}}");
    limber_style_destroy(style);
    // One quantity replaces that quantity only; a single key only itself.
    style = style_kit_read(first);
    style_kit_set(style, "effects.drag.filter.velocity", "{\"type\": \"lowpass\"}");
    style_kit_set(style, "effects.drag.filter.gamma", "0.25");
    assert_string_equal(limber_style_text(style),
                        "{\"limber\":1,\"effects\":{\"floppy\":{\"filter\":{\"type\":\"lowpass\"}},\"drag\":{"
                        "\"filter\":{\"type\":\"lowpass\",\"gamma\":0.25,\"velocity\":{\"type\":\"lowpass\"}}}}}");
    limber_style_destroy(style);
}

static void filters_are_for_all_or_for_one_quantity(void** state) {
    (void)state;
    limber_bound_style* bound;
    const limber_stage_settings* s = settings_of(
        "{\"effects\": {\"drag\": {\"filter\": {\"type\": \"lowpass\", \"gamma\": 0.2,"
        " \"acceleration\": {\"type\": \"spring\", \"frequency\": 7}, \"angular_velocity\": {\"type\": \"none\"}}}}}",
        &bound);
    const limber_filter_set* f = &s->deform.effects[LIMBER_EFFECT_DRAG].filters;
    assert_true(f->velocity.type == LIMBER_FILTER_LOWPASS && f->velocity.gamma == 0.2);
    assert_true(f->acceleration.type == LIMBER_FILTER_SPRING && f->acceleration.frequency_hz == 7 &&
                f->acceleration.damping == 0.3);
    assert_true(f->angular_velocity.type == LIMBER_FILTER_NONE &&
                f->angular_acceleration.type == LIMBER_FILTER_LOWPASS);
    assert_true(s->deform.effects[LIMBER_EFFECT_FLOPPY].filters.velocity.type == LIMBER_FILTER_NONE);
    limber_bound_style_destroy(bound);
}

static void a_failed_read_changes_nothing(void** state) {
    (void)state;
    limber_style* style = style_kit_read("{\"size\": 2}");
    limber_error error;
    const char* wrong = "{\"size\": 3, \"effects\": {\"floppy\": {\"linear\": 1, \"angular\": true}}}";
    assert_int_equal(limber_style_read(style, wrong, strlen(wrong), &error), LIMBER_ERROR_DATA);
    assert_int_equal(limber_style_set(style, "size", "-1", &error), LIMBER_ERROR_DATA);
    assert_int_equal(limber_style_set(style, "size", "-1", NULL), LIMBER_ERROR_DATA);
    assert_string_equal(limber_style_text(style), "{\"limber\":1,\"size\":2}");
    limber_style_destroy(style);
}

// --- single keys ---

static void set_takes_json_words_and_formulas(void** state) {
    (void)state;
    const struct {
        const char *path, *value, *text;
    } cases[] = {
        {"effects.floppy.angular", "0.5", "{\"limber\":1,\"effects\":{\"floppy\":{\"angular\":0.5}}}"},
        {"effects.floppy.angular", "0.4 * height",
         "{\"limber\":1,\"effects\":{\"floppy\":{\"angular\":\"0.4 * height\"}}}"},
        {"effects.floppy.angular", "\"t\"", "{\"limber\":1,\"effects\":{\"floppy\":{\"angular\":\"t\"}}}"},
        {"effects.floppy", "{\"angular\": 1, \"layer\": \"a\"}",
         "{\"limber\":1,\"effects\":{\"floppy\":{\"angular\":1,\"layer\":\"a\"}}}"},
        {"effects.floppy.layer", "ears", "{\"limber\":1,\"effects\":{\"floppy\":{\"layer\":\"ears\"}}}"},
        {"effects.floppy.layer", "12", "{\"limber\":1,\"effects\":{\"floppy\":{\"layer\":\"12\"}}}"},
        {"effects.floppy.layer", "", "{\"limber\":1,\"effects\":{\"floppy\":{\"layer\":\"\"}}}"},
        {"effects.squash.about", "center", "{\"limber\":1,\"effects\":{\"squash\":{\"about\":\"center\"}}}"},
        {"effects.lift.source", "stretch,floppy",
         "{\"limber\":1,\"effects\":{\"lift\":{\"source\":[\"floppy\",\"stretch\"]}}}"},
        {"effects.lift.source", "[\"drag\"]", "{\"limber\":1,\"effects\":{\"lift\":{\"source\":[\"drag\"]}}}"},
        {"effects.lift.cone.axis", "0,-1,0", "{\"limber\":1,\"effects\":{\"lift\":{\"cone\":{\"axis\":[0,-1,0]}}}}"},
        {"effects.lift.cone.axis", "[0, 1, 0]", "{\"limber\":1,\"effects\":{\"lift\":{\"cone\":{\"axis\":[0,1,0]}}}}"},
        {"effects.drag.filter.velocity.gamma", "0.5",
         "{\"limber\":1,\"effects\":{\"drag\":{\"filter\":{\"velocity\":{\"gamma\":0.5}}}}}"},
        {"size", "auto", "{\"limber\":1,\"size\":\"auto\"}"},
        {"loop", "false", "{\"limber\":1,\"loop\":false}"},
        {"loop", "auto", "{\"limber\":1,\"loop\":\"auto\"}"},
        {"limber", "1", "{\"limber\":1}"},
        {"joints.Head.floppy", "0", "{\"limber\":1,\"joints\":{\"Head\":{\"floppy\":0}}}"},
        {"joints.Arm.L.floppy", "0", "{\"limber\":1,\"joints\":{\"Arm.L\":{\"floppy\":0}}}"},
        {"joints.\"Arm.L\".floppy", "0", "{\"limber\":1,\"joints\":{\"Arm.L\":{\"floppy\":0}}}"},
        {"joints.Arm.L.squash.angular", "0", "{\"limber\":1,\"joints\":{\"Arm.L\":{\"squash.angular\":0}}}"},
        {"joints.\"a.floppy\".floppy.linear", "2", "{\"limber\":1,\"joints\":{\"a.floppy\":{\"floppy.linear\":2}}}"},
        {"joints.Leg*.floppy", "step(0.5, t)", "{\"limber\":1,\"joints\":{\"Leg*\":{\"floppy\":\"step(0.5, t)\"}}}"},
        {"joints.Leg*.*", "0", "{\"limber\":1,\"joints\":{\"Leg*\":{\"*\":0}}}"},
        {"joints.*.*", "0", "{\"limber\":1,\"joints\":{\"*\":{\"*\":0}}}"},
        {"joints.Arm.L", "{\"floppy\": 0}", "{\"limber\":1,\"joints\":{\"Arm.L\":{\"floppy\":0}}}"},
        {"joints.\"Arm.L\"", "{\"floppy\": 0}", "{\"limber\":1,\"joints\":{\"Arm.L\":{\"floppy\":0}}}"},
        {"joints.Head.centroid_offset", "0,0.1,0",
         "{\"limber\":1,\"joints\":{\"Head\":{\"centroid_offset\":[0,0.1,0]}}}"},
        {"joints", "{}", "{}"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        limber_style* style = style_kit_read("{}");
        style_kit_set(style, cases[i].path, cases[i].value);
        assert_string_equal(limber_style_text(style), cases[i].text);
        limber_style_destroy(style);
    }
}

// --- joints ---

static const limber_joint_gain* gains(const limber_stage_settings* s, limber_effect effect) {
    return s->deform.joint_gains[effect];
}

static void joint_gains_go_from_general_to_particular(void** state) {
    (void)state;
    limber_bound_style* bound;
    const limber_stage_settings* s = settings_of("{\"joints\": {\"Leg*\": {\"squash.angular\": 3, \"squash\": 2, "
                                                 "\"*\": 0.5}, \"LegR\": {\"*\": 0}, \"H*d\": {\"lift\": 4}}}",
                                                 &bound);
    const limber_joint_gain *squash = gains(s, LIMBER_EFFECT_SQUASH), *drag = gains(s, LIMBER_EFFECT_DRAG);
    assert_true(squash[KIT_LEG_LEFT].linear == 2 && squash[KIT_LEG_LEFT].angular == 3);
    assert_true(squash[KIT_LEG_RIGHT].linear == 0 && squash[KIT_LEG_RIGHT].angular == 0);
    assert_true(squash[KIT_HEAD].linear == 1 && squash[KIT_HEAD].angular == 1);
    assert_true(drag[KIT_LEG_LEFT].linear == 0.5f && drag[KIT_LEG_LEFT].angular == 0.5f && drag[KIT_HIP].linear == 1);
    const limber_joint_gain* lift = gains(s, LIMBER_EFFECT_LIFT);
    assert_true(lift[KIT_HEAD].angular == 4 && lift[KIT_HIP].angular == 1 && lift[KIT_LEG_LEFT].angular == 0.5f);
    limber_bound_style_destroy(bound);
}

static void gains_of_one_and_offsets_of_zero_take_no_arrays(void** state) {
    (void)state;
    limber_bound_style* bound;
    const limber_stage_settings* s =
        settings_of("{\"joints\": {\"*\": {\"*\": 0}, \"Head\": {\"floppy\": 1}, \"**\": {\"*\": 1, "
                    "\"drag\": 2, \"centroid_offset\": [0, 0, 0], \"axis\": [0, 0, 0]}}}",
                    &bound);
    for (int e = 0; e < LIMBER_EFFECT_COUNT; e++)
        assert_true((gains(s, (limber_effect)e) != NULL) == (e == LIMBER_EFFECT_DRAG));
    assert_null(s->deform.centroid_offsets);
    assert_null(s->deform.medial_axes);
    assert_null(s->deform.about);
    limber_bound_style_destroy(bound);
}

static void medial_axes_are_unit_vectors_per_joint(void** state) {
    (void)state;
    limber_bound_style* bound;
    const limber_stage_settings* s =
        settings_of("{\"joints\": {\"*L\": {\"axis\": [0, 3, -4]}, \"Head\": {\"axis\": [1e9, 0, 0]}}}", &bound);
    const limber_vec3* axes = s->deform.medial_axes;
    assert_non_null(axes);
    assert_true(axes[KIT_ARM].x == 0 && axes[KIT_ARM].y == 0.6f && axes[KIT_ARM].z == -0.8f);
    assert_true(axes[KIT_HEAD].x == 1 && axes[KIT_HEAD].y == 0);
    assert_true(axes[KIT_HIP].x == 0 && axes[KIT_HIP].y == 0 && axes[KIT_HIP].z == 0);
    assert_null(s->deform.centroid_offsets);
    limber_bound_style_destroy(bound);
}

static void offsets_and_about_are_per_joint(void** state) {
    (void)state;
    limber_bound_style* bound;
    const limber_stage_settings* s = settings_of("{\"joints\": {\"*L\": {\"centroid_offset\": [0, 0.1, -2], \"about\": "
                                                 "\"center\"}, \"Hip\": {\"about\": \"axis\"}}}",
                                                 &bound);
    assert_true(s->deform.centroid_offsets[KIT_ARM].y == 0.1f && s->deform.centroid_offsets[KIT_LEG_LEFT].z == -2);
    assert_true(s->deform.centroid_offsets[KIT_HEAD].y == 0);
    assert_true(s->deform.about[KIT_ARM] == LIMBER_ABOUT_CENTER && s->deform.about[KIT_HIP] == LIMBER_ABOUT_AXIS &&
                s->deform.about[KIT_HEAD] == -1);
    assert_null(gains(s, LIMBER_EFFECT_FLOPPY));
    limber_bound_style_destroy(bound);
}

static void patterns_keep_their_place_when_they_are_read_again(void** state) {
    (void)state;
    limber_style* style = style_kit_read("{\"joints\": {\"Leg*\": {\"*\": 0}, \"LegL\": {\"floppy\": 1}}}");
    style_kit_set(style, "joints.Leg*.squash", "0.5");
    assert_string_equal(limber_style_text(style),
                        "{\"limber\":1,\"joints\":{\"Leg*\":{\"*\":0,\"squash\":0.5},\"LegL\":{\"floppy\":1}}}");
    limber_style_destroy(style);
}

// --- the cone ---

static void cones_are_fitted_unless_given(void** state) {
    (void)state;
    limber_bound_style* bound;
    const limber_stage_settings* s;
    s = settings_of("{\"effects\": {\"lift\": {\"angular\": 1, \"cone\": {\"joint\": \"Skirt\"}}}}", &bound);
    assert_true(s->deform.lift_cones.fit && s->deform.lift_cones.cone.joint == KIT_SKIRT &&
                style_kit_number(s, LIMBER_EFFECT_LIFT, "normals").value == LIMBER_LIFT_CONE);
    assert_int_equal(limber_bound_style_warning_count(bound), 0);
    limber_bound_style_destroy(bound);
    s = settings_of("{\"effects\": {\"lift\": {\"angular\": 1, \"cone\": {\"joint\": \"L*\", \"fit\": \"auto\", "
                    "\"apex\": [0, 0, 0], \"axis\": [0, 1, 0], \"half_angle\": 45}}}}",
                    &bound);
    assert_true(!s->deform.lift_cones.fit && s->deform.lift_cones.cone.joint == KIT_LEG_LEFT);
    limber_bound_style_destroy(bound);
    // A pattern that finds nothing must not keep a preset from working.
    s = settings_of("{\"effects\": {\"lift\": {\"angular\": 1, \"cone\": {\"joint\": \"*gown*\"}}}}", &bound);
    assert_true(style_kit_number(s, LIMBER_EFFECT_LIFT, "normals").value == LIMBER_LIFT_MESH &&
                !s->deform.lift_cones.fit && s->deform.lift_cones.cone.joint == -1);
    assert_int_equal(limber_bound_style_warning_count(bound), 1);
    assert_string_equal(limber_bound_style_warning(bound, 0),
                        "effects.lift.cone.joint: no joint matches '*gown*', so the lift follows the mesh's normals");
    limber_bound_style_destroy(bound);
    s = settings_of("{\"effects\": {\"lift\": {\"angular\": \"t\"}}}", &bound);
    assert_true(style_kit_number(s, LIMBER_EFFECT_LIFT, "normals").value == LIMBER_LIFT_MESH);
    assert_string_equal(limber_bound_style_warning(bound, 0),
                        "effects.lift.angular: no joint is named for the cone, so the lift follows the mesh's normals");
    limber_bound_style_destroy(bound);
}

static void cones_have_joints_with_blanks_in_their_names(void** state) {
    (void)state;
    limber_asset* plain = style_kit_asset();
    limber_model model = *limber_asset_model(plain);
    static const char* const names[KIT_JOINTS] = {"Root", "Hip", "Head", "Arm.L", "Leg 1", "Leg 2 end", "Skirt"};
    model.rig.names = names;
    limber_asset* asset;
    assert_int_equal(limber_asset_create(&model, &asset, NULL), LIMBER_OK);
    limber_style* style = style_kit_read("{\"effects\": {\"lift\": {\"angular\": 1, \"cone\": {\"joints\": "
                                         "[\"Skirt\", \" Leg 1 > Leg 2 end \"]}}}}");
    limber_bound_style* bound = style_kit_bind(style, asset);
    const limber_lift_cones* cones = &limber_bound_style_settings(bound)->deform.lift_cones;
    assert_int_equal(cones->part_count, 2);
    assert_true(cones->parts[0].joint == KIT_SKIRT && cones->parts[0].to == -1);
    assert_true(cones->parts[1].joint == KIT_LEG_LEFT && cones->parts[1].to == KIT_LEG_RIGHT);
    limber_bound_style_destroy(bound);
    limber_style_destroy(style);
    limber_asset_destroy(asset);
    limber_asset_destroy(plain);
}

// --- warnings ---

static void layers_that_no_mesh_has_are_warned_of(void** state) {
    (void)state;
    limber_bound_style* bound;
    const limber_stage_settings* s =
        settings_of("{\"effects\": {\"floppy\": {\"angular\": 1, \"layer\": \"flopy\"}, \"squash\": {\"linear\": "
                    "\"t\", \"layer\": \"belly\"}, \"drag\": {\"layer\": \"none\"}, \"stretch\": {\"angular\": 1, "
                    "\"layer\": \"belly\"}}}",
                    &bound);
    assert_string_equal(s->deform.effects[LIMBER_EFFECT_FLOPPY].layer, "flopy");
    assert_int_equal(limber_bound_style_warning_count(bound), 2); // an effect that is off is not worth a word
    assert_string_equal(
        limber_bound_style_warning(bound, 0),
        "effects.floppy.layer: no mesh has the layer 'flopy' (did you mean 'floppy'?), so it counts as 1 everywhere");
    assert_string_equal(limber_bound_style_warning(bound, 1),
                        "effects.squash.layer: no mesh has the layer 'belly', so it counts as 1 everywhere");
    assert_string_equal(limber_bound_style_warning(bound, 2), "");
    limber_bound_style_destroy(bound);
}

static void filters_without_a_type_are_warned_of(void** state) {
    (void)state;
    limber_bound_style* bound;
    settings_of("{\"effects\": {\"floppy\": {\"filter\": {\"gamma\": 0.5, \"damping\": 1}}, \"drag\": {\"filter\": "
                "{\"type\": \"none\", \"gamma\": 0.5}}}}",
                &bound);
    assert_int_equal(limber_bound_style_warning_count(bound), 1);
    assert_string_equal(limber_bound_style_warning(bound, 0),
                        "effects.floppy.filter.gamma: has no effect, because the filter has no \"type\"");
    limber_bound_style_destroy(bound);
}

// --- text and presets ---

static void text_reads_back_to_the_same_style(void** state) {
    (void)state;
    const char* texts[] = {
        "{}",
        "{\"$schema\": \"x\"}",
        "{\"loop\": false, \"size\": 1.50}",
        "{\"joints\": {\"b\\\"\\u00e9\\n\": {\"*\": -0, \"drag.linear\": 1e-3}, \"a\": {\"about\": \"axis\"}}, "
        "\"effects\": {\"lift\": {\"source\": [\"stretch\", \"drag\"]}}}",
        "{\"effects\": {\"floppy\": {\"angular\": \"0.4 * height\", \"filter\": {\"velocity\": {\"type\": \"lowpass\", "
        "\"gamma\": 0.12345678901234567}}}}}",
    };
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        limber_style* style = style_kit_read(texts[i]);
        limber_style* again = style_kit_read(limber_style_text(style));
        assert_string_equal(limber_style_text(style), limber_style_text(again));
        limber_style_destroy(style);
        limber_style_destroy(again);
    }
    assert_string_equal(difference("{\"joints\": {\"LegL\": {\"*\": 0}, \"Leg*\": {\"floppy\": 2}}}",
                                   "{\"joints\": {\"LegL\": {\"*\": 0}, \"Leg*\": {\"floppy\": 2}}}"),
                        "");
    assert_string_not_equal(difference("{\"joints\": {\"LegL\": {\"*\": 0}, \"Leg*\": {\"floppy\": 2}}}",
                                       "{\"joints\": {\"Leg*\": {\"floppy\": 2}, \"LegL\": {\"*\": 0}}}"),
                            "");
}

static void presets_say_nothing_about_layers_that_are_missing(void** state) {
    (void)state;
    limber_asset* asset = style_kit_asset();
    for (int i = 0; i < 2; i++) {
        limber_style* style;
        assert_int_equal(limber_style_create(&style, NULL), LIMBER_OK);
        assert_int_equal(limber_style_read_preset(style, "rubberhose", NULL), LIMBER_OK);
        if (i) // what is written for this character is
            assert_int_equal(limber_style_set(style, "effects.overlap.layer", "no such layer", NULL), LIMBER_OK);
        limber_bound_style* bound = style_kit_bind(style, asset);
        assert_int_equal(limber_bound_style_warning_count(bound), i);
        limber_bound_style_destroy(bound);
        limber_style_destroy(style);
    }
    limber_asset_destroy(asset);
}

static void effects_on_a_skirt_do_nothing_without_one_and_say_so_once(void** state) {
    (void)state;
    limber_asset* asset = style_kit_asset();
    limber_style* style;
    assert_int_equal(limber_style_create(&style, NULL), LIMBER_OK);
    assert_int_equal(limber_style_read_preset(style, "skirt", NULL), LIMBER_OK);
    assert_int_equal(limber_style_set(style, "effects.squash.linear", "0.1", NULL), LIMBER_OK);
    limber_bound_style* bound = style_kit_bind(style, asset);
    const limber_effect_settings* effects = limber_bound_style_settings(bound)->deform.effects;
    for (int e = 0; e < LIMBER_EFFECT_COUNT; e++) {
        assert_true(effects[e].linear.value == (e == LIMBER_EFFECT_SQUASH ? 0.1f : 0) && !effects[e].linear.expression);
        assert_true(effects[e].angular.value == 0 && !effects[e].angular.expression);
    }
    assert_int_equal(limber_bound_style_warning_count(bound), 1);
    assert_string_equal(limber_bound_style_warning(bound, 0),
                        "effects.floppy.layer: this character has no skirt, so effects on it do nothing (paint a layer "
                        "'skirt')");
    limber_bound_style_destroy(bound);
    limber_style_destroy(style);
    limber_asset_destroy(asset);
}

static void morphs_without_targets_do_nothing_and_say_so(void** state) {
    (void)state;
    limber_asset* asset = style_kit_asset();
    assert_int_equal(limber_asset_model(asset)->morph_count, 0);
    limber_style* style;
    assert_int_equal(limber_style_create(&style, NULL), LIMBER_OK);
    assert_int_equal(limber_style_set(style, "morphs.drag", "0.1", NULL), LIMBER_OK);
    limber_bound_style* bound = style_kit_bind(style, asset);
    assert_int_equal(limber_bound_style_warning_count(bound), 1);
    assert_string_equal(limber_bound_style_warning(bound, 0),
                        "morphs.drag: does nothing: this character has no morph targets");
    limber_bound_style_destroy(bound);
    limber_style_destroy(style);
    limber_asset_destroy(asset);
}

static void presets_bind_to_any_character(void** state) {
    (void)state;
    const char* names[] = {"subtle",      "cartoon",          "rubberhose", "jelly",      "skirt",     "smear",
                           "drybrush",    "snappy",           "heavy",      "mocap-toon", "vs-floppy", "vs-squash",
                           "as-drag",     "as-followthrough", "as-stretch", "as-lift",    "sk-filter", "sk-stretch",
                           "sm-elongate", "sm-multiples",     "sm-lines"};
    const uint32_t count = sizeof names / sizeof names[0];
    assert_int_equal(limber_preset_count(), count);
    limber_asset* asset = style_kit_asset();
    for (uint32_t i = 0; i < count; i++) {
        const limber_preset* preset = limber_preset_find(names[i]);
        assert_non_null(preset);
        assert_ptr_equal(preset, limber_preset_at(i));
        assert_true(strlen(preset->summary) > 10);
        limber_style* style = style_kit_read(preset->text);
        limber_style_destroy(style_kit_read(limber_style_text(style)));
        limber_bound_style* bound = style_kit_bind(style, asset);
        limber_deformer* deformer;
        limber_error error;
        bool on = limber_exaggerate_is_on(&limber_bound_style_settings(bound)->exaggerate);
        const limber_stage_settings* s = limber_bound_style_settings(bound);
        for (int e = 0; e < LIMBER_EFFECT_COUNT; e++)
            on = on || s->deform.effects[e].linear.value != 0 || s->deform.effects[e].angular.value != 0;
        assert_true(on || limber_smear_is_on(&s->smear) || limber_bound_style_warning_count(bound) == 1); // no skirt
        if (!s->deform.lift_cones.fit) { // the kit's skirt has no vertices to fit a cone to
            assert_int_equal(limber_deformer_create(asset, &s->deform, &deformer, &error), LIMBER_OK);
            limber_deformer_destroy(deformer);
        }
        limber_bound_style_destroy(bound);
        limber_style_destroy(style);
    }
    assert_null(limber_preset_find("smears"));
    assert_ptr_equal(limber_preset_find("papers/vs-floppy"), limber_preset_find("vs-floppy"));
    assert_null(limber_preset_at(count));
    limber_asset_destroy(asset);
}

// Without strength nothing is left of a style, and half of it is half of its timing and poses.
static void strength_scales_performances(void** state) {
    (void)state;
    limber_asset* asset = style_kit_asset();
    limber_style* style = style_kit_read("{\"timing\": {\"snap\": 0.6, \"hang\": 0.8, \"step\": 2}, \"pose\": "
                                         "{\"exaggerate\": 0.5, \"anticipate\": 0.25}}");
    style_kit_set(style, "strength", "0.5");
    limber_bound_style* bound = style_kit_bind(style, asset);
    const limber_perform_settings* s = &limber_bound_style_settings(bound)->perform;
    assert_true(s->snap == 0.3 && s->hang == 0.4 && s->exaggerate == 0.25 && s->anticipate == 0.125 && s->step == 2);
    limber_bound_style_destroy(bound);
    style_kit_set(style, "strength", "0");
    bound = style_kit_bind(style, asset);
    assert_false(limber_perform_is_on(&limber_bound_style_settings(bound)->perform));
    limber_bound_style_destroy(bound);
    limber_style_destroy(style);
    limber_asset_destroy(asset);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_empty_style_is_the_default_of_the_stages),
        cmocka_unit_test(every_key_arrives_where_it_belongs),
        cmocka_unit_test(every_row_changes_the_settings_and_its_default_does_not),
        cmocka_unit_test(every_row_is_complete),
        cmocka_unit_test(numbers_may_be_formulas),
        cmocka_unit_test(later_texts_win_key_by_key),
        cmocka_unit_test(a_filter_replaces_the_filter_before),
        cmocka_unit_test(filters_are_for_all_or_for_one_quantity),
        cmocka_unit_test(a_failed_read_changes_nothing),
        cmocka_unit_test(set_takes_json_words_and_formulas),
        cmocka_unit_test(joint_gains_go_from_general_to_particular),
        cmocka_unit_test(gains_of_one_and_offsets_of_zero_take_no_arrays),
        cmocka_unit_test(medial_axes_are_unit_vectors_per_joint),
        cmocka_unit_test(offsets_and_about_are_per_joint),
        cmocka_unit_test(patterns_keep_their_place_when_they_are_read_again),
        cmocka_unit_test(cones_are_fitted_unless_given),
        cmocka_unit_test(cones_have_joints_with_blanks_in_their_names),
        cmocka_unit_test(layers_that_no_mesh_has_are_warned_of),
        cmocka_unit_test(filters_without_a_type_are_warned_of),
        cmocka_unit_test(text_reads_back_to_the_same_style),
        cmocka_unit_test(presets_say_nothing_about_layers_that_are_missing),
        cmocka_unit_test(effects_on_a_skirt_do_nothing_without_one_and_say_so_once),
        cmocka_unit_test(morphs_without_targets_do_nothing_and_say_so),
        cmocka_unit_test(presets_bind_to_any_character),
        cmocka_unit_test(strength_scales_performances),
    };
    return cmocka_run_group_tests_name("style", tests, NULL, NULL);
}
