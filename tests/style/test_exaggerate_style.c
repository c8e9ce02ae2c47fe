// The exaggerate section of a style: what it becomes on a character, and that it comes back as it went in.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "kit/schema_check.h"
#include "kit/style_kit.h"
#include <limber/pipeline.h>

static const char example[] =
    "{\"exaggerate\": {\n"
    "  \"filter\": {\"amount\": 0.5, \"sigma\": 0.2, \"joints\": \"Leg*, Head\", \"delay\": 0.03},\n"
    "  \"constraints\": [{\"joint\": \"Head\", \"elongate\": \"0.4 * speed + t\", \"weight\": 2},\n"
    "                  {\"joint\": \"Leg*\", \"keys\": [[0.5, [0, 0.2, 0]], [1.5e0, [1, 2, 3]]], \"relative\": true, "
    "\"window\": 0.4}, // two joints\n"
    "                  {\"joint\": \"Arm.L\", \"elongate\": -0.1}],\n"
    "  \"pin_root\": false, \"spread\": \"laplace\", \"smooth\": 3, \"stretch_skin\": false,\n"
    "}}";

static void every_key_arrives_in_the_settings(void** state) {
    (void)state;
    limber_asset* asset = style_kit_asset();
    limber_style* style = style_kit_read(example);
    limber_bound_style* bound = style_kit_bind(style, asset);
    const limber_exaggerate_settings* s = &limber_bound_style_settings(bound)->exaggerate;
    assert_true(s->amount == 0.5 && s->sigma_s == 0.2 && s->delay_s == 0.03);
    for (int j = 0; j < KIT_JOINTS; j++) {
        bool leg = j == KIT_LEG_LEFT || j == KIT_LEG_RIGHT;
        assert_int_equal(s->filter_joints[j], leg || j == KIT_HEAD);
    }
    assert_false(s->pin_root || s->stretch_skin || s->automatic);
    assert_int_equal(s->spread, LIMBER_SPREAD_LAPLACE);
    assert_true(s->smooth == 3);
    assert_int_equal(s->constraint_count, 4);
    assert_int_equal(s->constraints[0].joint, KIT_HEAD);
    assert_true(s->constraints[0].weight == 2 && s->constraints[0].elongate.expression);
    for (uint32_t i = 1; i < 3; i++) {
        const limber_constraint* c = &s->constraints[i];
        assert_int_equal(c->joint, i == 1 ? KIT_LEG_LEFT : KIT_LEG_RIGHT);
        assert_true(c->relative && c->window_s == 0.4 && c->key_count == 2 && c->weight == 1);
        assert_true(c->keys[0].time_s == 0.5 && c->keys[0].position.y == 0.2f && c->keys[1].position.z == 3);
    }
    assert_true(s->constraints[3].elongate.value == -0.1f && !s->constraints[3].elongate.expression);
    limber_bound_style_destroy(bound);
    limber_style_destroy(style);
    limber_asset_destroy(asset);
}

// Stretchable cartoon editing, section 3: its amounts may change with time. The strength of the style scales them, too.
static void amounts_may_be_formulas_of_time(void** state) {
    (void)state;
    limber_asset* asset = style_kit_asset();
    limber_style* style =
        style_kit_read("{\"strength\": 0.5, \"exaggerate\": {\"constraints\": \"auto\", \"strength\": \"t\","
                       "\"filter\": {\"amount\": \"key(0, 0, 1, 2)\", \"sigma\": \"0.1 + t\", "
                       "\"delay\": \"frame\"}}}");
    limber_bound_style* bound = style_kit_bind(style, asset);
    const limber_exaggerate_settings* s = &limber_bound_style_settings(bound)->exaggerate;
    assert_string_equal(limber_expression_text(s->changes.amount), "key(0, 0, 1, 2)");
    assert_string_equal(limber_expression_text(s->changes.sigma_s), "0.1 + t");
    assert_string_equal(limber_expression_text(s->changes.delay_s), "frame");
    assert_string_equal(limber_expression_text(s->changes.strength), "t");
    assert_true(s->amount == 0.5 && s->strength == 0.5 && s->sigma_s == 1 && s->delay_s == 1);
    assert_true(limber_exaggerate_is_on(s));
    limber_bound_style_destroy(bound);
    style_kit_set(style, "exaggerate.filter.amount", "0.25"); // a number again
    bound = style_kit_bind(style, asset);
    s = &limber_bound_style_settings(bound)->exaggerate;
    assert_true(s->amount == 0.125 && !s->changes.amount);
    limber_bound_style_destroy(bound);
    limber_style_destroy(style);
    limber_asset_destroy(asset);
}

// An edited clip has samples in place of the file's curves.
static void analytic_derivatives_need_clips_as_they_are(void** state) {
    (void)state;
    const char* const styles[2] = {"{\"derivatives\": \"analytic\"}",
                                   "{\"derivatives\": \"analytic\", \"exaggerate\": {\"filter\": {\"amount\": 0.5}}}"};
    limber_asset* asset = style_kit_asset();
    for (int i = 0; i < 2; i++) {
        limber_style* style = style_kit_read(styles[i]);
        limber_pipeline* pipeline;
        assert_int_equal(limber_pipeline_create(asset, style, &pipeline, NULL), LIMBER_OK);
        assert_int_equal(limber_pipeline_stage_settings(pipeline)->motion.derivatives,
                         i ? LIMBER_DERIVATIVES_DIFFERENCES : LIMBER_DERIVATIVES_ANALYTIC);
        limber_pipeline_destroy(pipeline);
        limber_style_destroy(style);
    }
    limber_asset_destroy(asset);
}

static void the_text_of_a_style_reads_back_to_itself(void** state) {
    (void)state;
    limber_style* style = style_kit_read(example);
    limber_style* again = style_kit_read(limber_style_text(style));
    assert_string_equal(limber_style_text(style), limber_style_text(again));
    assert_non_null(strstr(limber_style_text(style),
                           "\"keys\":[[0.5,[0,0.2,0]],[1.5e0,[1,2,3]]],\"relative\":true,\"window\":0.4}"));
    limber_style_destroy(style);
    limber_style_destroy(again);
}

static void single_keys_are_set(void** state) {
    (void)state;
    limber_asset* asset = style_kit_asset();
    limber_style* style = style_kit_read(example);
    style_kit_set(style, "exaggerate.filter.amount", "0.7");
    style_kit_set(style, "exaggerate.constraints", "auto");
    style_kit_set(style, "exaggerate.strength", "0.2");
    style_kit_set(style, "exaggerate.pin_root", "true");
    limber_bound_style* bound = style_kit_bind(style, asset);
    const limber_exaggerate_settings* s = &limber_bound_style_settings(bound)->exaggerate;
    assert_true(s->amount == 0.7 && s->automatic && s->constraint_count == 0 && s->strength == 0.2 &&
                s->pin_root == LIMBER_PIN_ROOT);
    limber_bound_style_destroy(bound);
    style_kit_set(style, "exaggerate.constraints", "[{\"joint\": \"Head\", \"elongate\": 0.1}]");
    bound = style_kit_bind(style, asset);
    assert_int_equal(limber_bound_style_settings(bound)->exaggerate.constraint_count, 1);
    limber_bound_style_destroy(bound);
    limber_style_destroy(style);
    limber_asset_destroy(asset);
}

static void an_absent_section_is_off(void** state) {
    (void)state;
    limber_asset* asset = style_kit_asset();
    const char* const texts[] = {"{}", "{\"exaggerate\": {}}", "{\"exaggerate\": {\"constraints\": []}}"};
    for (int i = 0; i < 3; i++) {
        limber_style* style = style_kit_read(texts[i]);
        limber_bound_style* bound = style_kit_bind(style, asset);
        assert_false(limber_exaggerate_is_on(&limber_bound_style_settings(bound)->exaggerate));
        limber_bound_style_destroy(bound);
        limber_style_destroy(style);
    }
    limber_asset_destroy(asset);
}

static void the_schema_knows_constraints(void** state) {
    (void)state;
    limberi_json_document schema, json;
    assert_int_equal(limberi_json_read(limber_style_schema(), strlen(limber_style_schema()), NULL, &schema, NULL),
                     LIMBER_OK);
    const struct {
        const char* text;
        bool right;
    } cases[] = {
        {example, true},
        {"{\"exaggerate\": {\"constraints\": \"auto\", \"strength\": 0.2}}", true},
        {"{\"exaggerate\": {\"constraints\": \"none\"}}", false},
        {"{\"exaggerate\": {\"constraints\": [{\"joint\": \"a\", \"elongat\": 1}]}}", false},
        {"{\"exaggerate\": {\"constraints\": [{\"joint\": 1}]}}", false},
        {"{\"exaggerate\": {\"constraints\": [{\"joint\": \"a\", \"window\": 0}]}}", false},
        {"{\"exaggerate\": {\"filter\": {\"sigma\": 0}}}", false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        assert_int_equal(limberi_json_read(cases[i].text, strlen(cases[i].text), NULL, &json, NULL), LIMBER_OK);
        if ((schema_check(schema.root, json.root)[0] == 0) != cases[i].right)
            fail_msg("%s", cases[i].text);
        limberi_json_free(&json);
    }
    limberi_json_free(&schema);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_key_arrives_in_the_settings),
        cmocka_unit_test(amounts_may_be_formulas_of_time),
        cmocka_unit_test(analytic_derivatives_need_clips_as_they_are),
        cmocka_unit_test(the_text_of_a_style_reads_back_to_itself),
        cmocka_unit_test(single_keys_are_set),
        cmocka_unit_test(an_absent_section_is_off),
        cmocka_unit_test(the_schema_knows_constraints),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
