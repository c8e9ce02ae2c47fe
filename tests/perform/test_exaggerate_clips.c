// Every clip there is, with several settings each: finite, without flips, unchanged where nothing is asked, feet where
// they stood.
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
#include "kit/scene.h"
#include <limber/bvh.h>
#include <limber/stages/contacts.h>
#include <limber/stages/exaggerate.h>

typedef struct subject {
    const limber_asset* asset;
    const limber_model* model;
    const limber_clip* clip;
    const char* name;
} subject;

typedef void (*visitor)(const subject* s, void* user);

// --- all clips ---

// Loaded once: building the characters takes longer than editing their clips.
enum { MAX_FILES = 64 };
static struct {
    limber_asset* asset;
    limber_gltf* gltf;
    limber_bvh* bvh;
    char name[64];
} files[MAX_FILES];
static uint32_t file_count;

static void load_capture(const char* name) {
    char path[1024];
    limber_error error;
    snprintf(path, sizeof path, "%s/%s.bvh", test_assets(), name);
    if (limber_bvh_load_file(path, NULL, &files[file_count].bvh, &error) != LIMBER_OK)
        fail_msg("%s: %s", path, error.message);
    snprintf(files[file_count++].name, sizeof files[0].name, "%s", name);
}

static int load_all(void** state) {
    (void)state;
    static const char* const captures[] = {"cmu_02_01", "cmu_06_15", "cmu_09_01", "cmu_88_06"};
    for (uint32_t i = 0; i < test_character_count() && file_count < MAX_FILES - 4; i++) {
        files[file_count].asset = test_character_load(i, &files[file_count].gltf);
        snprintf(files[file_count++].name, sizeof files[0].name, "%s", test_character_name(i));
    }
    for (int i = 0; test_assets() && i < 4; i++)
        load_capture(captures[i]);
    return 0;
}

static int free_all(void** state) {
    (void)state;
    for (uint32_t i = 0; i < file_count; i++) {
        if (files[i].bvh)
            limber_bvh_destroy(files[i].bvh);
        else
            test_character_free(files[i].asset, files[i].gltf);
    }
    return 0;
}

static void visit_all(visitor visit, void* user) {
    for (uint32_t i = 0; i < file_count; i++) {
        const limber_asset* asset = files[i].bvh ? limber_bvh_asset(files[i].bvh) : files[i].asset;
        const limber_model* model = limber_asset_model(asset);
        for (uint32_t c = 0; c < model->clip_count; c++) {
            subject s = {asset, model, &model->clips[c], files[i].name};
            visit(&s, user);
        }
    }
}

static limber_exaggerated* edit(const subject* s, const limber_exaggerate_settings* settings) {
    limber_exaggerated* edited;
    limber_error error;
    if (limber_exaggerate(s->model, s->clip, 0, settings, &edited, &error) != LIMBER_OK)
        fail_msg("%s, %s: %s", s->name, s->clip->name, error.message);
    return edited;
}

// A pair of poses at one time: as it was, and edited.
typedef struct pair {
    limber_pose was, now;
} pair;

static void pair_open(const subject* s, pair* p) {
    assert_int_equal(limber_pose_create(s->model, &p->was), LIMBER_OK);
    assert_int_equal(limber_pose_create(s->model, &p->now), LIMBER_OK);
}

static void pair_close(pair* p) {
    limber_pose_destroy(&p->was);
    limber_pose_destroy(&p->now);
}

static void pair_at(const subject* s, const limber_exaggerated* edited, double time_s, pair* p) {
    limber_clip_sample(s->model, s->clip, time_s, &p->was);
    limber_clip_sample(s->model, limber_exaggerated_clip(edited), time_s, &p->now);
    limber_pose_update_world(s->model, &p->was);
    limber_pose_update_world(s->model, &p->now);
}

static limber_vec3 place(const limber_pose* pose, uint32_t joint) {
    return limberi_mat4_translation(&pose->world_from_joint[joint]);
}

static float apart(limber_vec3 a, limber_vec3 b) {
    return limberi_length(limberi_sub(a, b));
}

static uint32_t frame_count(const subject* s) {
    return limber_clip_frame_count(s->clip, s->clip->fps);
}

static double frame_time(const subject* s, uint32_t frame) {
    return (double)(float)limber_clip_frame_time(s->clip, s->clip->fps, frame);
}

// --- nothing asked, nothing changed ---

// Constraints that pull nowhere, or by less than anyone can see, drive the whole machinery.
static void check_unchanged(const subject* s, void* user) {
    limber_constraint idle[2] = {limber_constraint_default(), limber_constraint_default()};
    idle[0].joint = s->model->rig.joint_count - 1;
    idle[0].elongate.value = 1e-7f;
    idle[1].joint = s->model->rig.joint_count / 2;
    limber_target_key key = {0.2, {0, 0, 0}};
    idle[1].keys = &key;
    idle[1].key_count = 1;
    idle[1].relative = true;
    limber_exaggerate_settings settings = limber_exaggerate_settings_default();
    settings.constraints = idle;
    settings.constraint_count = 2;
    limber_exaggerated* edited = edit(s, &settings);
    pair p;
    pair_open(s, &p);
    for (uint32_t f = 0; f < frame_count(s); f++) {
        pair_at(s, edited, frame_time(s, f), &p);
        for (uint32_t j = 0; j < s->model->rig.joint_count; j++)
            assert_true(apart(place(&p.was, j), place(&p.now, j)) <= 1e-5f * s->model->size);
    }
    assert_int_equal(limber_exaggerated_stretch_count(edited), 0);
    pair_close(&p);
    limber_exaggerated_destroy(edited);
    ++*(uint32_t*)user;
}

static void clips_that_are_asked_nothing_stay_as_they_are(void** state) {
    (void)state;
    uint32_t count = 0;
    visit_all(check_unchanged, &count);
    print_message("%u clips\n", count);
    assert_true(count >= (test_assets() ? 40 : 20));
}

// --- finite, no flips ---

static double turn_between(limber_quat a, limber_quat b) {
    double dot =
        (double)a.x * (double)b.x + (double)a.y * (double)b.y + (double)a.z * (double)b.z + (double)a.w * (double)b.w;
    return 2 * acos(fmin(fabs(dot), 1));
}

typedef struct turns {
    double was, now; // the largest between neighbouring frames
} turns;

static void measure_turns(const subject* s, const limber_exaggerated* edited, turns* out) {
    pair p;
    pair_open(s, &p);
    uint32_t joints = s->model->rig.joint_count;
    limber_quat* before = calloc(2 * (size_t)joints, sizeof *before);
    memset(out, 0, joints * sizeof *out);
    for (uint32_t f = 0; f < frame_count(s); f++) {
        pair_at(s, edited, frame_time(s, f), &p);
        for (uint32_t j = 0; j < joints; j++) {
            limber_vec3 at = place(&p.now, j);
            assert_true(isfinite(at.x) && isfinite(at.y) && isfinite(at.z));
            limber_quat q[2] = {p.was.local[j].rotation, p.now.local[j].rotation};
            if (f > 0) {
                out[j].was = fmax(out[j].was, turn_between(before[2 * j], q[0]));
                out[j].now = fmax(out[j].now, turn_between(before[2 * j + 1], q[1]));
            }
            memcpy(before + 2 * (size_t)j, q, sizeof q);
        }
    }
    free(before);
    pair_close(&p);
}

static void check_calm(const subject* s, const limber_exaggerate_settings* settings, const char* what) {
    limber_exaggerated* edited = edit(s, settings);
    turns* t = calloc(s->model->rig.joint_count, sizeof *t);
    measure_turns(s, edited, t);
    double step = fmin(1, 30 / s->clip->fps), max = 0; // an edit may add a radian in a thirtieth of a second
    for (uint32_t j = 0; j < s->model->rig.joint_count; j++)
        max = fmax(max, t[j].was);
    for (uint32_t j = 0; j < s->model->rig.joint_count; j++) {
        double bound = max + step;
        if (t[j].now > bound)
            fail_msg("%s, %s, %s: joint '%s' turns by %g between two frames, %g before", s->name, s->clip->name, what,
                     s->model->rig.names[j], t[j].now, t[j].was);
    }
    free(t);
    limber_exaggerated_destroy(edited);
}

// Every joint without children is pulled along its bone.
static uint32_t pull_tips(const limber_model* model, limber_constraint* out) {
    uint32_t count = 0;
    for (uint32_t j = 0; j < model->rig.joint_count; j++) {
        bool leaf = true;
        for (uint32_t k = j + 1; k < model->rig.joint_count; k++)
            leaf = leaf && model->rig.parents[k] != (int32_t)j;
        if (!leaf)
            continue;
        out[count] = limber_constraint_default();
        out[count].joint = j;
        out[count++].elongate.value = 0.03f;
    }
    return count;
}

static void check_styles(const subject* s, void* user) {
    (void)user;
    limber_exaggerate_settings filter = limber_exaggerate_settings_default();
    filter.amount = 0.6;
    check_calm(s, &filter, "filter");
    limber_exaggerate_settings chosen = filter;
    chosen.delay_s = 0.02;
    chosen.automatic = true;
    chosen.strength = 0.1;
    check_calm(s, &chosen, "filter, delay and automatic");
    limber_constraint* tips = calloc(s->model->rig.joint_count, sizeof *tips);
    limber_exaggerate_settings pulled = limber_exaggerate_settings_default();
    pulled.constraint_count = pull_tips(s->model, tips);
    pulled.constraints = tips;
    pulled.smooth = 2;
    check_calm(s, &pulled, "tips");
    pulled.pin_root = LIMBER_PIN_NONE;
    pulled.spread = LIMBER_SPREAD_LAPLACE;
    pulled.automatic = true;
    check_calm(s, &pulled, "tips, free root");
    pulled.pin_root = LIMBER_PIN_ROOT;
    pulled.kinematic = 0.8;
    pulled.limit = 0.1;
    check_calm(s, &pulled, "tips, bones that keep their length");
    free(tips);
}

static void edited_clips_are_finite_and_do_not_flip(void** state) {
    (void)state;
    visit_all(check_styles, NULL);
}

// --- joints with several children ---

static uint32_t joint_named(const limber_model* model, const char* name) {
    for (uint32_t j = 0; j < model->rig.joint_count; j++)
        if (strcmp(model->rig.names[j], name) == 0)
            return j;
    fail_msg("no joint %s", name);
    return 0;
}

static float largest_factor(const limber_exaggerated* edited, uint32_t joint) {
    float max = 1;
    for (uint32_t i = 0; i < limber_exaggerated_stretch_count(edited); i++) {
        const limber_stretch* stretch = limber_exaggerated_stretch(edited, i);
        for (uint32_t k = 0; stretch->joint == joint && k < stretch->key_count; k++)
            max = fmaxf(max, stretch->factors[k]);
    }
    return max;
}

// The hips bear the spine and both legs, the chest neck and arms: their skin goes along when the head is pulled up.
static void check_branches(const subject* s, void* user) {
    if (strcmp(s->name, "hero") != 0 || strcmp(s->clip->name, "run") != 0)
        return;
    limber_target_key up = {0.3, {0, 0.2f, 0}};
    limber_constraint head = limber_constraint_default();
    head.joint = joint_named(s->model, "Head");
    head.keys = &up;
    head.key_count = 1;
    head.relative = true;
    head.weight = 10;
    limber_exaggerate_settings settings = limber_exaggerate_settings_default();
    settings.constraints = &head;
    settings.constraint_count = 1;
    limber_exaggerated* edited = edit(s, &settings);
    assert_true(largest_factor(edited, joint_named(s->model, "Hips")) > 1.05f);
    assert_true(largest_factor(edited, joint_named(s->model, "Chest")) > 1.05f);
    assert_true(largest_factor(edited, joint_named(s->model, "LegUpperLeft")) == 1);
    limber_exaggerated_destroy(edited);
    ++*(uint32_t*)user;
}

static void the_skin_of_branching_joints_stretches(void** state) {
    (void)state;
    uint32_t count = 0;
    visit_all(check_branches, &count);
    assert_int_equal(count, 1);
}

// --- beats ---

enum { BEAT_KEYS = 76 };

// The hero's right arm rises slowly; then, after `rest_s`, his left arm rises fast. Whether the right one is pulled.
static bool pulls_slow_arm(const limber_asset* hero, double rest_s) {
    static const char* const arms[] = {"ArmUpperRight", "ArmUpperLeft"};
    static float times[BEAT_KEYS], values[2][BEAT_KEYS][4];
    const limber_model* model = limber_asset_model(hero);
    limber_channel channels[2];
    for (int i = 0; i < 2; i++) {
        uint32_t arm = (uint32_t)limber_rig_find_joint(&model->rig, arms[i]);
        for (uint32_t k = 0; k < BEAT_KEYS; k++) {
            double time_s = k / 30.0, start_s = i ? 0.9 + rest_s : 0.1, end_s = i ? start_s + 0.3 : 0.9;
            double angle = (i ? 1.5 : -0.9) * limberi_smooth_step(start_s, end_s, time_s);
            limber_quat turn = limberi_quat_exp(limberi_vec3(0, 0, (float)angle));
            turn = limberi_quat_mul(turn, model->rig.rest_local[arm].rotation);
            memcpy(values[i][k], &turn, sizeof turn);
            times[k] = (float)time_s;
        }
        channels[i] =
            (limber_channel){LIMBER_CHANNEL_ROTATION, LIMBER_INTERPOLATION_LINEAR, arm, BEAT_KEYS, times, values[i][0]};
    }
    limber_model moved = *model;
    limber_clip clip = {.name = "arms", .channels = channels, .channel_count = 2};
    moved.clips = &clip;
    moved.clip_count = 1;
    limber_asset* asset;
    assert_int_equal(limber_asset_create(&moved, &asset, NULL), LIMBER_OK);
    limber_exaggerate_settings settings = limber_exaggerate_settings_default();
    settings.automatic = true;
    settings.strength = 0.1;
    const subject s = {asset, limber_asset_model(asset), limber_asset_model(asset)->clips, "arms"};
    limber_exaggerated* edited = edit(&s, &settings);
    bool pulled = false;
    for (uint32_t j = 0; j < model->rig.joint_count; j++)
        pulled = pulled || (limber_exaggerated_pulled(edited)[j] && strstr(model->rig.names[j], "Right"));
    limber_exaggerated_destroy(edited);
    limber_asset_destroy(asset);
    return pulled;
}

// Beside a fast movement a slow one is nothing; by itself it is worth a pull.
static void a_rest_ends_a_beat(void** state) {
    (void)state;
    limber_asset* hero = test_built_in("hero", 0.5);
    assert_true(pulls_slow_arm(hero, 0.4));
    assert_false(pulls_slow_arm(hero, -0.5));
    limber_asset_destroy(hero);
}

// --- loops ---

static void check_loop(const subject* s, void* user) {
    if (!s->clip->loops || frame_count(s) < 3)
        return;
    limber_exaggerate_settings settings = limber_exaggerate_settings_default();
    settings.amount = 0.8;
    settings.automatic = true;
    settings.delay_s = 0.02;
    limber_exaggerated* edited = edit(s, &settings);
    pair first, last;
    pair_open(s, &first);
    pair_open(s, &last);
    pair_at(s, edited, s->clip->start_s, &first);
    pair_at(s, edited, s->clip->end_s, &last);
    for (uint32_t j = 0; j < s->model->rig.joint_count; j++)
        if (apart(place(&first.now, j), place(&last.now, j)) >
            1e-4f * s->model->size + apart(place(&first.was, j), place(&last.was, j)))
            fail_msg("%s, %s: '%s' does not come back: %g L, before %g", s->name, s->clip->name, s->model->rig.names[j],
                     (double)(apart(place(&first.now, j), place(&last.now, j)) / s->model->size),
                     (double)(apart(place(&first.was, j), place(&last.was, j)) / s->model->size));
    pair_close(&first);
    pair_close(&last);
    limber_exaggerated_destroy(edited);
    ++*(uint32_t*)user;
}

static void loops_stay_loops(void** state) {
    (void)state;
    uint32_t count = 0;
    visit_all(check_loop, &count);
    assert_true(count > 5);
}

// --- planted feet ---

static bool is_foot(const char* name) {
    return strstr(name, "Foot") || strstr(name, "foot") || strstr(name, "hoof");
}

// Whether the foot has stood still on its ground for a while around a time.
static bool stands(const subject* s, uint32_t joint, double time_s, float ground, pair* p,
                   const limber_exaggerated* e) {
    pair_at(s, e, time_s, p);
    limber_vec3 here = place(&p->was, joint);
    if (here.y - ground > 0.05f * s->model->size)
        return false;
    for (double t = time_s - 0.1; t <= time_s + 0.101; t += 0.05) {
        if (t < s->clip->start_s || t > s->clip->end_s)
            return false;
        pair_at(s, e, t, p);
        if (apart(place(&p->was, joint), here) > 0.004f * s->model->size)
            return false;
    }
    pair_at(s, e, time_s, p);
    return true;
}

static void check_foot(const subject* s, const limber_exaggerated* edited, uint32_t joint, uint32_t* count) {
    pair p;
    pair_open(s, &p);
    float ground = HUGE_VALF;
    for (uint32_t f = s->clip->cut_count ? 2 : 0; f < frame_count(s); f++) {
        pair_at(s, edited, frame_time(s, f), &p);
        ground = fminf(ground, place(&p.was, joint).y);
    }
    for (uint32_t f = 0; f < frame_count(s); f += 3) {
        if (!stands(s, joint, frame_time(s, f), ground, &p, edited))
            continue;
        if (apart(place(&p.was, joint), place(&p.now, joint)) > 2e-3f * s->model->size)
            fail_msg("%s, %s: '%s' stood at %g s and is now %g L away", s->name, s->clip->name,
                     s->model->rig.names[joint], frame_time(s, f),
                     (double)(apart(place(&p.was, joint), place(&p.now, joint)) / s->model->size));
        ++*count;
    }
    pair_close(&p);
}

static void check_planted(const subject* s, void* user) {
    uint32_t joints = s->model->rig.joint_count;
    limber_contacts* contacts;
    if (!s->model->vertex_count) // a skeleton without a body touches nothing
        return;
    assert_int_equal(limber_contacts_find(s->asset, (uint32_t)(s->clip - s->model->clips), NULL, &contacts, NULL),
                     LIMBER_OK);
    limber_exaggerate_settings settings = limber_exaggerate_settings_default();
    settings.amount = 0.7;
    settings.automatic = true;
    settings.strength = 0.15;
    limber_exaggerate_hold_contacts(&settings, contacts);
    limber_exaggerated* edited = edit(s, &settings);
    for (uint32_t j = 0; j < joints; j++)
        if (is_foot(s->model->rig.names[j]))
            check_foot(s, edited, j, user);
    limber_exaggerated_destroy(edited);
    limber_contacts_destroy(contacts);
}

static void planted_feet_stay(void** state) {
    (void)state;
    uint32_t count = 0;
    visit_all(check_planted, &count);
    print_message("%u standing feet\n", count);
    assert_true(count > 100);
}

// --- the world may be moved, turned and scaled ---

static limber_exaggerate_settings everything(float size, bool automatic, limber_constraint* hand) {
    limber_exaggerate_settings settings = limber_exaggerate_settings_default();
    *hand = limber_constraint_default();
    hand->elongate.value = 0.04f;
    settings.size = size;
    settings.automatic = automatic;
    settings.amount = 0.6;
    settings.delay_s = 0.01;
    settings.smooth = 1;
    settings.constraints = hand;
    settings.constraint_count = 1;
    return settings;
}

// What is chosen automatically may go to the next frame when rounding says so; everything else is exact.
static void check_world(const limber_model* model, uint32_t clip, const limber_transform* above, bool automatic) {
    limber_asset* placed = test_rearranged(model, NULL, above);
    const limber_model* other = limber_asset_model(placed);
    limber_constraint here, there;
    limber_exaggerate_settings a = everything(model->size, automatic, &here);
    limber_exaggerate_settings b = everything(model->size * above->scale.x, automatic, &there);
    here.joint = model->rig.joint_count - 1;
    there.joint = here.joint + 1;
    subject s = {NULL, model, &model->clips[clip], "here"}, t = {NULL, other, &other->clips[clip], "there"};
    limber_exaggerated *x = edit(&s, &a), *y = edit(&t, &b);
    pair p, q;
    pair_open(&s, &p);
    pair_open(&t, &q);
    limber_mat4 move = limberi_mat4_from_transform(above);
    float moved = 0;
    for (uint32_t f = 0; f < frame_count(&s); f += 2) {
        pair_at(&s, x, frame_time(&s, f), &p);
        pair_at(&t, y, frame_time(&s, f), &q);
        for (uint32_t j = 0; j < model->rig.joint_count; j++) {
            moved = fmaxf(moved, apart(place(&p.now, j), place(&p.was, j)));
            limber_vec3 expected = limberi_mat4_point(&move, place(&p.now, j));
            float wrong = apart(expected, place(&q.now, j + 1)) / (model->size * above->scale.x);
            if (wrong > (automatic ? 2e-3f : 2e-5f))
                fail_msg("clip %u, frame %u, joint %s: %g L", clip, f, model->rig.names[j], (double)wrong);
        }
    }
    assert_true(moved > 0.01f * model->size);
    pair_close(&p);
    pair_close(&q);
    limber_exaggerated_destroy(x);
    limber_exaggerated_destroy(y);
    limber_asset_destroy(placed);
}

static void moving_turning_and_scaling_the_world_changes_nothing_else(void** state) {
    (void)state;
    limber_transform above = limber_transform_identity();
    above.translation = limberi_vec3(3, -2, 5);
    above.rotation = limberi_quat_exp(limberi_vec3(0.4f, 1.1f, -0.7f));
    above.scale = limberi_vec3(20, 20, 20);
    for (uint32_t i = 0; i < file_count; i++) {
        bool chosen = strcmp(files[i].name, "dancer") == 0 || strcmp(files[i].name, "cow") == 0;
        for (int automatic = 0; chosen && automatic < 2; automatic++)
            check_world(limber_asset_model(files[i].asset), 0, &above, automatic);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(clips_that_are_asked_nothing_stay_as_they_are),
        cmocka_unit_test(edited_clips_are_finite_and_do_not_flip),
        cmocka_unit_test(the_skin_of_branching_joints_stretches),
        cmocka_unit_test(a_rest_ends_a_beat),
        cmocka_unit_test(loops_stay_loops),
        cmocka_unit_test(planted_feet_stay),
        cmocka_unit_test(moving_turning_and_scaling_the_world_changes_nothing_else),
    };
    return cmocka_run_group_tests(tests, load_all, free_all);
}
