// The keys of a style that are about contacts: strength, floor, joints, layers, and corrections by artists.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/math.h"
#include "kit/figure.h"
#include "kit/models.h"
#include "kit/style_kit.h"

// --- a figure that stands, waves a hand, and hops on one foot at the end ---

static void pose_wave(double t, test_posture* p, const void* user) {
    (void)user;
    p->at[FIGURE_BODY].x += 0.02f * sinf(5 * (float)t);
    p->at[FIGURE_HEAD].x += 0.03f * sinf(5 * (float)t);
    p->at[FIGURE_HAND_LEFT].y += 0.3f * sinf(4 * (float)t);
    p->at[FIGURE_HAND_RIGHT].y += 0.2f * (float)t;
    if (t > 1 && t < 1.4)
        p->at[FIGURE_FOOT_LEFT] = limberi_vec3(0.15f + 2 * ((float)t - 1), 6 * (float)((t - 1) * (1.4 - t)), 0);
    if (t >= 1.4)
        p->at[FIGURE_FOOT_LEFT].x += 0.8f;
}

static void pose_fly(double t, test_posture* p, const void* user) {
    (void)user;
    for (int j = 0; j < FIGURE_JOINTS; j++)
        p->at[j] = limberi_add(p->at[j], limberi_vec3(2 * (float)t, 3 + 0.2f * sinf(8 * (float)t), 0));
}

static limber_asset* make_figure(void) {
    const test_act acts[2] = {{"Wave", 2, 60, pose_wave, NULL}, {"Fly", 2, 60, pose_fly, NULL}};
    return test_figure_create(acts, 2, false);
}

static limber_pipeline* pipeline_with(const limber_asset* asset, const char* text) {
    limber_style* style = style_kit_read(text);
    limber_pipeline* pipeline;
    limber_error error;
    if (limber_pipeline_create(asset, style, &pipeline, &error) != LIMBER_OK)
        fail_msg("%s: %s", text, error.message);
    limber_style_destroy(style);
    return pipeline;
}

static const limber_contacts* contacts_of(limber_pipeline* pipeline, uint32_t clip) {
    const limber_contacts* contacts;
    assert_int_equal(limber_pipeline_contacts(pipeline, clip, &contacts), LIMBER_OK);
    return contacts;
}

// How often a joint touches; the first time is `one`.
static uint32_t spans_of(const limber_contacts* contacts, uint32_t joint, limber_contact* one) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < limber_contact_count(contacts); i++)
        if (limber_contact_at(contacts, i).joint == joint && !count++)
            *one = limber_contact_at(contacts, i);
    return count;
}

static uint32_t spans_with(const limber_asset* asset, const char* text, uint32_t joint, limber_contact* one) {
    limber_pipeline* pipeline = pipeline_with(asset, text);
    uint32_t count = spans_of(contacts_of(pipeline, 0), joint, one);
    limber_pipeline_destroy(pipeline);
    return count;
}

// --- corrections ---

static bool is_near(double a, double b) {
    return fabs(a - b) < 1.0 / 60;
}

static void contacts_are_added_and_removed(void** state) {
    (void)state;
    limber_asset* asset = make_figure();
    limber_contact one;
    assert_int_equal(spans_with(asset, "{\"contact\": 1}", FIGURE_FOOT_LEFT, &one), 2);
    assert_int_equal(spans_with(asset, "{\"contact\": 1}", FIGURE_HAND_LEFT, &one), 0);
    assert_int_equal(spans_with(asset,
                                "{\"contact\": 1, \"contacts\": [{\"joint\": \"Foot.L\", \"amount\": 0, \"to\": 1.2}]}",
                                FIGURE_FOOT_LEFT, &one),
                     1);
    assert_true(is_near(one.from_s, 1.4));
    assert_int_equal(spans_with(asset,
                                "{\"contact\": 1, \"contacts\": [{\"joint\": \"Foot*\", \"amount\": 0}, "
                                "{\"joint\": \"Hand.L\", \"from\": 0.5, \"to\": 0.9, \"clip\": \"W*\"}]}",
                                FIGURE_HAND_LEFT, &one),
                     1);
    assert_true(is_near(one.from_s, 0.5) && is_near(one.to_s, 0.9));
    assert_true(one.height > 1.1); // its own, not the floor
    assert_int_equal(spans_with(asset, "{\"contact\": 1, \"contacts\": [{\"joint\": \"Hand.L\", \"clip\": \"Fly\"}]}",
                                FIGURE_HAND_LEFT, &one),
                     0);
    limber_asset_destroy(asset);
}

// They belong to the character: styles that ask for nothing else have the same ones.
static void plain_contacts_are_found_once(void** state) {
    (void)state;
    static const char* const others[] = {"{\"contact\": 1, \"contacts\": [{\"joint\": \"Foot.L\", \"amount\": 0}]}",
                                         "{\"contact\": 1, \"floor\": 0.5}", "{\"contact\": 1, \"loop\": true}"};
    limber_asset* asset = make_figure();
    limber_pipeline* first = pipeline_with(asset, "{\"contact\": 1}");
    const limber_contacts* plain = contacts_of(first, 0);
    limber_pipeline_destroy(first);
    limber_pipeline* weaker = pipeline_with(asset, "{\"contact\": 0.5}");
    assert_ptr_equal(contacts_of(weaker, 0), plain);
    assert_ptr_not_equal(contacts_of(weaker, 1), plain);
    limber_pipeline_destroy(weaker);
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        limber_pipeline* other = pipeline_with(asset, others[i]);
        assert_ptr_not_equal(contacts_of(other, 0), plain);
        limber_pipeline_destroy(other);
    }
    limber_asset_destroy(asset);
}

// Timing and edits of the skeleton together: the contacts are still those of the clip as it came.
static void contacts_of_retimed_clips_are_the_same(void** state) {
    (void)state;
    static const char* const styles[] = {"{\"contact\": 1}",
                                         "{\"contact\": 1, \"timing\": {\"snap\": 1, \"hang\": 1}, \"exaggerate\": "
                                         "{\"constraints\": \"auto\", \"strength\": 0.03}}",
                                         "{\"contact\": 1, \"floor\": 0, \"timing\": {\"snap\": 1, \"hang\": 1}, "
                                         "\"exaggerate\": {\"constraints\": \"auto\", \"strength\": 0.03}}"};
    double landing_s[3];
    limber_asset* asset = test_built_in("cow", 0.5);
    int32_t jump = limber_model_find_clip(limber_asset_model(asset), "jump");
    assert_true(jump >= 0);
    for (int i = 0; i < 3; i++) {
        limber_pipeline* pipeline = pipeline_with(asset, styles[i]);
        const limber_contacts* contacts = contacts_of(pipeline, (uint32_t)jump);
        assert_int_equal(limber_landing_count(contacts), 1);
        landing_s[i] = limber_landing_at(contacts, 0).time_s;
        limber_pipeline_destroy(pipeline);
    }
    assert_true(is_near(landing_s[1], landing_s[0]) && is_near(landing_s[2], landing_s[0]));
    limber_asset_destroy(asset);
}

static void contacts_are_shifted(void** state) {
    (void)state;
    limber_asset* asset = make_figure();
    limber_contact one;
    const char* text = "{\"contact\": 1, \"contacts\": [{\"joint\": \"Foot.L\", \"from\": 1.2, \"shift\": -0.1}]}";
    limber_pipeline* pipeline = pipeline_with(asset, text);
    const limber_contacts* contacts = contacts_of(pipeline, 0);
    assert_int_equal(spans_of(contacts, FIGURE_FOOT_LEFT, &one), 2);
    assert_true(is_near(one.from_s, 0) && is_near(one.to_s, 1));
    for (uint32_t i = 0; i < limber_contact_count(contacts); i++) {
        limber_contact other = limber_contact_at(contacts, i);
        if (other.joint == FIGURE_FOOT_LEFT && other.from_s > 1)
            assert_true(is_near(other.from_s, 1.3) && is_near(other.to_s, 1.9));
    }
    limber_pipeline_destroy(pipeline);
    assert_int_equal(
        spans_with(asset, "{\"contact\": 1, \"contacts\": [{\"joint\": \"*\", \"shift\": 0}]}", FIGURE_FOOT_LEFT, &one),
        2);
    limber_asset_destroy(asset);
}

// Largest displacement of the vertices of a joint, by effects that move all of them.
static double moved(const limber_asset* asset, const char* text, uint32_t clip, uint32_t joint, double time_s) {
    const limber_model* model = limber_asset_model(asset);
    limber_pipeline* pipeline = pipeline_with(asset, text);
    limber_frame frame;
    double max = 0;
    assert_int_equal(limber_pipeline_evaluate(pipeline, (int32_t)clip, time_s, &frame), LIMBER_OK);
    for (uint32_t u = 0; u < model->vertex_count; u++) {
        const limber_mesh* mesh = &model->meshes[0];
        if (mesh->influence_joint[mesh->influence_first[u]] != joint)
            continue;
        limber_vec3 was = limberi_load3(frame.skinned + 3 * (size_t)u);
        max = fmax(max, (double)limberi_length(limberi_sub(limberi_load3(frame.positions + 3 * (size_t)u), was)));
    }
    limber_pipeline_destroy(pipeline);
    return max;
}

#define SOFT "\"effects\": {\"squash\": {\"linear\": 0.5, \"about\": \"center\"}}"
#define HAND "{\"joint\": \"Hand.L\", \"from\": 0.5, \"to\": 0.9}"

static void an_added_contact_holds_at_any_height(void** state) {
    (void)state;
    limber_asset* asset = make_figure();
    for (uint32_t clip = 0; clip < 2; clip++) {
        double at = clip ? 0.6 : 0.75; // where it is fast
        double plain = moved(asset, "{\"contact\": 1, " SOFT "}", clip, FIGURE_HAND_LEFT, at);
        double held = moved(asset, "{\"contact\": 1, \"contacts\": [" HAND "], " SOFT "}", clip, FIGURE_HAND_LEFT, at);
        double half =
            moved(asset, "{\"contact\": 0.5, \"contacts\": [" HAND "], " SOFT "}", clip, FIGURE_HAND_LEFT, at);
        double none = moved(asset, "{\"contact\": 1, \"floor\": \"none\", \"contacts\": [" HAND "], " SOFT "}", clip,
                            FIGURE_HAND_LEFT, at);
        assert_true(plain > 0.002);
        assert_true(held < 0.02 * plain && none < 0.02 * plain);
        assert_true(half > 0.2 * plain && half < 0.8 * plain); // held, and pushed back by its ground
        double later =
            moved(asset, "{\"contact\": 1, \"contacts\": [" HAND "], " SOFT "}", clip, FIGURE_HAND_LEFT, 1.7);
        double usual = moved(asset, "{\"contact\": 1, " SOFT "}", clip, FIGURE_HAND_LEFT, 1.7);
        assert_true(fabs(later - usual) < 1e-6);
    }
    limber_asset_destroy(asset);
}

static void joints_have_their_own_strength(void** state) {
    (void)state;
    limber_asset* asset = make_figure();
    const char* hold = "{\"contact\": 1, \"contacts\": [" HAND "], " SOFT "}";
    const char* free_hand =
        "{\"contact\": 1, \"contacts\": [" HAND "], \"joints\": {\"Hand*\": {\"contact\": 0}}, " SOFT "}";
    double off = moved(asset, "{\"contact\": 0, " SOFT "}", 0, FIGURE_HAND_LEFT, 0.75);
    assert_true(moved(asset, hold, 0, FIGURE_HAND_LEFT, 0.75) < 0.02 * off);
    assert_true(fabs(moved(asset, free_hand, 0, FIGURE_HAND_LEFT, 0.75) - off) < 1e-6);
    limber_asset_destroy(asset);
}

static void the_floor_is_given_or_absent(void** state) {
    (void)state;
    limber_asset* asset = make_figure();
    limber_contact one;
    assert_int_equal(spans_with(asset, "{\"contact\": 1, \"floor\": \"none\"}", FIGURE_FOOT_LEFT, &one), 0);
    assert_int_equal(spans_with(asset, "{\"contact\": 1, \"floor\": -1}", FIGURE_FOOT_LEFT, &one), 0);
    assert_int_equal(spans_with(asset, "{\"contact\": 1, \"floor\": 0.01}", FIGURE_FOOT_LEFT, &one), 2);
    assert_true(fabs(one.height - 0.01) < 1e-6);
    limber_pipeline* pipeline = pipeline_with(asset, "{}");
    assert_null(contacts_of(pipeline, 0));
    const limber_contacts* contacts;
    assert_int_equal(limber_pipeline_contacts(pipeline, 2, &contacts), LIMBER_ERROR_ARGUMENT);
    limber_pipeline_destroy(pipeline);
    limber_asset_destroy(asset);
}

// --- what is wrong ---

static void refused(const char* text, const char* message) {
    style_kit_refuse(text, message, "contacts");
}

static void wrong_values_are_refused(void** state) {
    (void)state;
    refused("{\"contacts\": true}",
            "expected a list of contacts: [{\"joint\": ..., \"from\": ..., \"to\": ...}], found true");
    refused("{\"contacts\": [1]}", "expected a contact: {\"joint\": ...");
    refused("{\"contacts\": [{\"from\": 1}]}", "a contact needs the key \"joint\"");
    refused("{\"contacts\": [{\"joint\": 3}]}", "expected a name in quotes");
    refused("{\"contacts\": [{\"joint\": \"a\", \"form\": 1}]}",
            "unknown key 'form' of a contact; did you mean 'from'?");
    refused("{\"contacts\": [{\"joint\": \"a\", \"weight\": 1}]}", "(known: joint, clip, from, to, amount, shift)");
    refused("{\"contacts\": [{\"joint\": \"a\", \"from\": \"1\"}]}", "expected a number");
    refused("{\"contacts\": [{\"joint\": \"a\", \"amount\": 2}]}", "2 is out of range (0 ... 1)");
    refused("{\"contacts\": [{\"joint\": \"a\", \"amount\": 1, \"shift\": 1}]}", "either \"amount\" or \"shift\"");
    refused("{\"contacts\": [{\"joint\": \"a\", \"from\": 1, \"to\": 0.5}]}", "must not end before it starts");
}

static void unbound(const limber_asset* asset, const char* text, const char* message, const char* place) {
    limber_style* style = style_kit_read(text);
    limber_bound_style* bound;
    limber_error error;
    assert_int_equal(limber_style_bind(style, asset, &bound, &error), LIMBER_ERROR_DATA);
    assert_null(bound);
    if (!strstr(error.message, message) || !strstr(error.place, place))
        fail_msg("%s: %s: %s", text, error.place, error.message);
    limber_style_destroy(style);
}

static void names_that_match_nothing_are_refused(void** state) {
    (void)state;
    limber_asset* asset = make_figure();
    unbound(asset, "{\"contacts\": [{\"joint\": \"Hand*\"}, {\"joint\": \"Hnad.L\"}]}",
            "no joint matches 'Hnad.L'; did you mean 'Hand.L'?", "contacts[1].joint");
    unbound(asset, "{\"contacts\": [{\"joint\": \"Hand*\", \"clip\": \"Wvae\"}]}",
            "no clip matches 'Wvae'; did you mean 'Wave'?", "contacts[0].clip");
    unbound(asset, "{\"contacts\": [{\"joint\": \"Hand*\", \"clip\": \"Somersault\"}]}",
            "no clip matches 'Somersault' (limber info lists them)", "contacts[0].clip");
    limber_asset_destroy(asset);
}

static void a_style_is_written_as_it_was_read(void** state) {
    (void)state;
    limber_style* style = style_kit_read("{\"contacts\": [{\"joint\": \"Hand.L\", \"shift\": -0.25}]}");
    assert_non_null(strstr(limber_style_text(style), "-0.25"));
    limber_style_destroy(style);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(contacts_are_added_and_removed),
        cmocka_unit_test(contacts_are_shifted),
        cmocka_unit_test(plain_contacts_are_found_once),
        cmocka_unit_test(contacts_of_retimed_clips_are_the_same),
        cmocka_unit_test(an_added_contact_holds_at_any_height),
        cmocka_unit_test(joints_have_their_own_strength),
        cmocka_unit_test(the_floor_is_given_or_absent),
        cmocka_unit_test(wrong_values_are_refused),
        cmocka_unit_test(names_that_match_nothing_are_refused),
        cmocka_unit_test(a_style_is_written_as_it_was_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
