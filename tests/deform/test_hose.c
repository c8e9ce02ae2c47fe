// Hose against its closed forms, on arcs by themselves and on a body with two legs of two bones.
#include "deform/effects/hose.h"
#include "kit/closed_forms.h"
#include "kit/random_rigs.h"

// --- arcs ---

static void hose_half_angle_solves_its_equation(void** state) {
    (void)state;
    for (int i = 1; i <= 1000; i++) {
        double missing = i < 500 ? pow(10, -12 + 0.02 * i) : 0.001 * i;
        double x = limberi_hose_half_angle(missing);
        double is = x < 1e-3 ? x * x / 6 - x * x * x * x / 120 : 1 - sin(x) / x;
        assert_true(x > 0 && x < LIMBERI_PI + 1e-9);
        assert_true(fabs(is - missing) < 1e-12 + 1e-9 * missing * (x < 1e-3 ? 1 : 0));
    }
    assert_true(limberi_hose_half_angle(0) == 0);
}

// A limb anywhere in the world, bent by `bend` in its middle.
typedef struct bent_limb {
    limber_vec3 joints[3];
    float length;
} bent_limb;

static bent_limb limb_of(float upper, float lower, float bend, test_random* random) {
    limber_vec3 along = test_random_direction(random);
    limber_vec3 axis = limberi_normalize(limberi_cross(along, test_random_direction(random)));
    limber_vec3 turned = limberi_quat_rotate(limberi_quat_exp(limberi_scale(axis, bend)), along);
    bent_limb limb = {{{1, -2, 3}, {0, 0, 0}, {0, 0, 0}}, upper + lower};
    limb.joints[1] = limberi_add(limb.joints[0], limberi_scale(along, upper));
    limb.joints[2] = limberi_add(limb.joints[1], limberi_scale(turned, lower));
    return limb;
}

static limber_vec3 center_at(const limberi_hose_arc* arc, float x) {
    return limberi_add(arc->root, limberi_hose_bend(arc, limberi_vec3(x, 0, 0), NULL));
}

static void hose_arc_is_a_circle_between_the_ends_and_as_long_as_the_bones(void** state) {
    (void)state;
    test_random random = test_random_seed(3);
    for (int i = 1; i < 28; i++) {
        bent_limb limb = limb_of(0.7f, 0.5f + 0.01f * (float)i, 0.1f * (float)i, &random);
        limberi_hose_arc arc = limberi_hose_arc_of(limb.joints, 2);
        assert_true(close_to(center_at(&arc, 0), limb.joints[0], 1e-6f));
        assert_true(close_to(center_at(&arc, limb.length), limb.joints[2], 2e-6f));
        float radius = 0.5f * limb.length / arc.half_angle;
        limber_vec3 middle =
            limberi_add(limberi_add(limb.joints[0], limberi_scale(arc.chord, radius * sinf(arc.half_angle))),
                        limberi_scale(arc.side, -radius * cosf(arc.half_angle)));
        double length = 0;
        for (int k = 0; k < 200; k++) {
            limber_vec3 p = center_at(&arc, limb.length * (float)k / 200);
            limber_vec3 q = center_at(&arc, limb.length * (float)(k + 1) / 200);
            assert_true(fabsf(limberi_length(limberi_sub(p, middle)) - radius) < 1e-5f * limb.length);
            length += (double)limberi_length(limberi_sub(p, q));
        }
        assert_true(fabs(length / (double)limb.length - 1) < 1e-3); // chords are shorter than the arc
        limber_vec3 knee = limberi_sub(limb.joints[1], limb.joints[0]);
        assert_true(limberi_dot(knee, arc.side) > 0 &&
                    limberi_dot(center_at(&arc, 0.5f * limb.length), arc.side) > limberi_dot(limb.joints[0], arc.side));
    }
}

static void hose_of_a_straight_or_folded_limb_does_nothing(void** state) {
    (void)state;
    test_random random = test_random_seed(4);
    bent_limb straight = limb_of(1, 1, 0, &random);
    straight.joints[1] = limberi_scale(limberi_add(straight.joints[0], straight.joints[2]), 0.5f);
    bent_limb folded = limb_of(1, 1, (float)LIMBERI_PI, &random);
    limber_vec3 nowhere[3] = {{1, 1, 1}, {1, 1, 1}, {1, 1, 1}};
    limber_vec3 lost[3] = {{0, 0, 0}, {NAN, 0, 0}, {1, 1, 1}};
    limberi_hose_arc bent = limberi_hose_arc_of(straight.joints, 2);
    limber_vec3 at = center_at(&bent, 0.5f * straight.length);
    assert_true(bent.share == 0 || close_to(at, straight.joints[1], 1e-5f));
    assert_true(limberi_hose_arc_of(folded.joints, 2).share < 1e-3f);
    assert_true(limberi_hose_arc_of(nowhere, 2).share == 0);
    assert_true(limberi_hose_arc_of(lost, 2).share == 0);
}

// A knee that goes through straight to the other side: the hose follows without a jump.
static void hose_passes_through_straight_without_a_jump(void** state) {
    (void)state;
    limber_vec3 before = {0, 0, 0};
    float largest = 0;
    for (int i = -200; i <= 200; i++) {
        float bend = 0.002f * (float)i;
        limber_vec3 joints[3] = {{0, 0, 0}, {0, -1, 0}, {sinf(bend), -1 - cosf(bend), 0}};
        limberi_hose_arc arc = limberi_hose_arc_of(joints, 2);
        limber_vec3 moved = {0, 0, 0};
        if (arc.share > 0)
            moved = limberi_scale(limberi_sub(center_at(&arc, 1), joints[1]), arc.share);
        if (i == 0)
            assert_true(limberi_length(moved) < 1e-6f);
        float step = i > -200 ? limberi_length(limberi_sub(moved, before)) : 0;
        largest = fmaxf(largest, step);
        before = moved;
    }
    assert_true(limberi_length(before) > 0.01f);
    assert_true(largest < 2 * limberi_length(before) / 200);
}

// --- a body ---

enum { RINGS = 41, AROUND = 8, JOINTS = 8, TWIST = 7, LEG = RINGS * AROUND, BODY = 4, VERTICES = 2 * LEG + BODY };

static const float radius = 0.08f;

typedef struct body {
    limber_asset* asset;
    const limber_model* model;
    limber_pose pose;
    limber_deformer* deformer;
    float plain[3 * VERTICES], normals[3 * VERTICES], bent[3 * VERTICES];
} body;

// How much a place on a leg, 0 at the hip and 2 at the ankle, follows thigh, shin and foot.
static void weigh(float along, float* weights) {
    float knee = fminf(fmaxf((along - 0.8f) / 0.4f, 0), 1);
    float ankle = fminf(fmaxf((along - 1.9f) / 0.2f, 0), 1);
    weights[0] = 1 - knee;
    weights[1] = knee * (1 - ankle);
    weights[2] = knee * ankle;
}

static float along_of(uint32_t ring) {
    return 2.1f * (float)ring / (RINGS - 1);
}

static void build_leg(uint32_t leg, float* positions, uint16_t* joints, float* weights, uint32_t* triangles) {
    for (uint32_t v = 0; v < LEG; v++) {
        float angle = 2 * (float)LIMBERI_PI * (float)(v % AROUND) / AROUND;
        uint32_t at = leg * LEG + v;
        positions[3 * at] = (leg ? 0.5f : -0.5f) + radius * cosf(angle);
        positions[3 * at + 1] = 2.2f - along_of(v / AROUND);
        positions[3 * at + 2] = radius * sinf(angle);
        for (uint32_t k = 0; k < 3; k++)
            joints[3 * at + k] = (uint16_t)(1 + 3 * leg + k);
        weigh(along_of(v / AROUND), weights + 3 * (size_t)at);
        uint32_t next = leg * LEG + v / AROUND * AROUND + (v + 1) % AROUND;
        if (v + AROUND < LEG) {
            const uint32_t quad[6] = {at, next, at + AROUND, next, next + AROUND, at + AROUND};
            memcpy(triangles + 6 * (size_t)(leg * (LEG - AROUND) + v), quad, sizeof quad);
        }
    }
}

static limber_asset* make_body(float size) {
    static float positions[3 * VERTICES], weights[3 * VERTICES];
    static uint16_t joints[3 * VERTICES];
    static uint32_t triangles[12 * (LEG - AROUND) + 6], first[VERTICES + 1];
    static const char* const names[JOINTS] = {"a", "b", "c", "d", "e", "f", "g", "twist"};
    static const int32_t parents[JOINTS] = {-1, 0, 1, 2, 0, 4, 5, 1}; // two legs, and a helper of the first thigh
    static const float corners[BODY][2] = {{-1, 2}, {1, 2}, {1, 4}, {-1, 4}};
    const uint32_t quad[6] = {2 * LEG, 2 * LEG + 1, 2 * LEG + 2, 2 * LEG, 2 * LEG + 2, 2 * LEG + 3};
    uint32_t skin_joints[JOINTS];
    limber_transform rest[JOINTS];
    limber_mat4 inverse[JOINTS];
    build_leg(0, positions, joints, weights, triangles);
    build_leg(1, positions, joints, weights, triangles);
    memcpy(triangles + 12 * (LEG - AROUND), quad, sizeof quad);
    for (uint32_t v = 0; v < BODY; v++) {
        const float p[3] = {corners[v][0], corners[v][1], 0};
        memcpy(positions + 3 * (2 * LEG + v), p, sizeof p);
        joints[3 * (2 * LEG + v)] = 0;
        weights[3 * (2 * LEG + v)] = 1;
    }
    for (uint32_t i = 0; i < 3 * VERTICES; i++)
        positions[i] *= size;
    for (uint32_t v = 0; v <= VERTICES; v++)
        first[v] = 3 * v;
    for (uint32_t j = 0; j < JOINTS; j++) {
        uint32_t bone = (j + 2) % 3; // of a leg
        rest[j] = limber_transform_identity();
        rest[j].translation = bone ? limberi_vec3(0, -size, 0) : limberi_vec3(j < 4 ? -0.5f * size : 0.5f * size, 0, 0);
        if (j == 0)
            rest[j].translation = limberi_vec3(0, 2.2f * size, 0);
        skin_joints[j] = j;
        inverse[j] = limber_mat4_identity();
        limber_vec3 at =
            parents[j] < 0 ? limberi_vec3(0, 0, 0) : limberi_scale(limberi_load3(inverse[parents[j]].m + 12), -1);
        at = limberi_scale(limberi_add(at, rest[j].translation), -1);
        limberi_store3(inverse[j].m + 12, at);
    }
    const limber_skin skin = {"skin", JOINTS, skin_joints, inverse, limber_mat4_identity()};
    limber_mesh mesh;
    memset(&mesh, 0, sizeof mesh);
    mesh.name = mesh.node_name = "mesh";
    mesh.vertex_count = VERTICES;
    mesh.triangle_count = 4 * (LEG - AROUND) + 2;
    mesh.positions = positions;
    mesh.triangles = triangles;
    mesh.influence_first = first;
    mesh.influence_joint = joints;
    mesh.influence_weight = weights;
    limber_model model = limber_model_default();
    model.rig.joint_count = JOINTS;
    model.rig.names = names;
    model.rig.parents = parents;
    model.rig.rest_local = rest;
    model.skin_count = model.mesh_count = 1;
    model.skins = &skin;
    model.meshes = &mesh;
    limber_asset* asset = NULL;
    limber_error error;
    if (limber_asset_create(&model, &asset, &error) != LIMBER_OK)
        fail_msg("%s: %s", error.place, error.message);
    return asset;
}

static void open_body(body* b, float size, float gain, limber_compose compose) {
    limber_deform_settings settings = limber_deform_settings_default();
    limber_error error;
    memset(b, 0, sizeof *b);
    b->asset = make_body(size);
    b->model = limber_asset_model(b->asset);
    settings.effects[LIMBER_EFFECT_HOSE].linear.value = gain;
    settings.compose = compose;
    assert_int_equal(limber_deformer_create(b->asset, &settings, &b->deformer, &error), LIMBER_OK);
    assert_int_equal(limber_pose_create(b->model, &b->pose), LIMBER_OK);
    limber_pose_rest(b->model, &b->pose);
}

static void close_body(body* b) {
    limber_pose_destroy(&b->pose);
    limber_deformer_destroy(b->deformer);
    limber_asset_destroy(b->asset);
}

// Both knees bent about x, in a body that is turned by `heading`.
static void bend_body(body* b, float knee, limber_vec3 heading) {
    limber_quat turn = limberi_quat_exp(heading);
    b->pose.local[0].rotation = turn;
    b->pose.local[2].rotation = b->pose.local[5].rotation = limberi_quat_exp(limberi_vec3(knee, 0, 0));
    limber_pose_update_world(b->model, &b->pose);
    limber_mat4 palette[JOINTS];
    limber_skin_palette(&b->model->skins[0], &b->pose, palette);
    const limber_mesh* mesh = &b->model->meshes[0];
    for (uint32_t v = 0; v < VERTICES; v++) {
        limber_vec3 sum = {0, 0, 0};
        for (uint32_t i = mesh->influence_first[v]; i < mesh->influence_first[v + 1]; i++)
            sum = limberi_add(sum, limberi_scale(limberi_mat4_point(&palette[mesh->influence_joint[i]],
                                                                    limberi_load3(mesh->positions + 3 * v)),
                                                 mesh->influence_weight[i]));
        limberi_store3(b->plain + 3 * (size_t)v, sum);
    }
    limber_deform_job job = limber_deform_job_default();
    job.pose = &b->pose;
    job.positions = b->plain;
    job.normals = b->normals;
    job.out_positions = b->bent;
    assert_int_equal(limber_deformer_evaluate(b->deformer, &job), LIMBER_OK);
}

static limber_vec3 vertex_of(const float* positions, uint32_t vertex) {
    return limberi_load3(positions + 3 * (size_t)vertex);
}

static limber_vec3 ring_middle(const float* positions, uint32_t ring) {
    limber_vec3 sum = {0, 0, 0};
    for (uint32_t k = 0; k < AROUND; k++)
        sum = limberi_add(sum, vertex_of(positions, ring * AROUND + k));
    return limberi_scale(sum, 1.0f / AROUND);
}

static double largest_move(const body* b) {
    double largest = 0;
    for (uint32_t v = 0; v < VERTICES; v++)
        largest = fmax(largest, (double)limberi_length(limberi_sub(vertex_of(b->bent, v), vertex_of(b->plain, v))));
    return largest;
}

static void hose_of_a_straight_leg_moves_nothing(void** state) {
    (void)state;
    body b;
    open_body(&b, 1, 1, LIMBER_COMPOSE_SUM);
    bend_body(&b, 0, limberi_vec3(0, 1, 0));
    assert_true(largest_move(&b) < 1e-6);
    bend_body(&b, 1e-3f, limberi_vec3(0, 1, 0));
    assert_true(largest_move(&b) > 1e-5 && largest_move(&b) < 1e-3);
    close_body(&b);
}

// A pose that stands still is bent, too: nothing moves in this job.
static void hose_rounds_the_knee_and_keeps_length_width_ends_and_body(void** state) {
    (void)state;
    for (int compose = 0; compose < 2; compose++) {
        body b;
        open_body(&b, 1, 1, (limber_compose)compose);
        bend_body(&b, 0.5f * (float)LIMBERI_PI, limberi_vec3(0, 0, 0));
        limber_vec3 from = ring_middle(b.bent, 0), to = ring_middle(b.bent, 38);
        assert_true(close_to(from, limberi_vec3(-0.5f, 2.2f, 0), 1e-5f));
        assert_true(close_to(to, limberi_vec3(-0.5f, 1.2f, -1), 6e-3f)); // 0.005 before the ankle
        double length = 0, knee = 0;
        limber_vec3 way = {0, -1, 0};
        for (uint32_t r = 0; r < 38; r++) {
            limber_vec3 step = limberi_sub(ring_middle(b.bent, r + 1), ring_middle(b.bent, r));
            length += (double)limberi_length(step);
            if (r > 0 && r < 34) // the foot's skin begins
                knee = fmax(knee, acos((double)limberi_dot(limberi_normalize(step), way)));
            way = limberi_normalize(step);
            for (uint32_t k = 0; r > 6 && r < 32 && k < AROUND; k++) {
                limber_vec3 arm = limberi_sub(vertex_of(b.bent, r * AROUND + k), ring_middle(b.bent, r));
                assert_true(fabsf(limberi_length(arm) - radius) < 1e-5f);
            }
        }
        assert_true(fabs(length - 1.995) < 2e-3);
        assert_true(knee <
                    0.08); // the plain knee turns by a right angle within eight rings, by 0.4 between two of them
        for (uint32_t v = 39 * AROUND; v < LEG; v++)
            assert_true(close_to(vertex_of(b.bent, v), vertex_of(b.plain, v), 1e-2f));
        for (uint32_t v = 2 * LEG; v < VERTICES; v++)
            assert_true(close_to(vertex_of(b.bent, v), vertex_of(b.plain, v), 0));
        close_body(&b);
    }
}

static void hose_gain_goes_part_of_the_way_and_stops_at_the_arc(void** state) {
    (void)state;
    body whole, half, twice;
    open_body(&whole, 1, 1, LIMBER_COMPOSE_SUM);
    open_body(&half, 1, 0.5f, LIMBER_COMPOSE_SUM);
    open_body(&twice, 1, 2, LIMBER_COMPOSE_SUM);
    bend_body(&whole, 1, limberi_vec3(0, 0, 0));
    bend_body(&half, 1, limberi_vec3(0, 0, 0));
    bend_body(&twice, 1, limberi_vec3(0, 0, 0));
    assert_true(fabs(largest_move(&half) - 0.5 * largest_move(&whole)) < 1e-6);
    for (uint32_t i = 0; i < 3 * VERTICES; i++)
        assert_true(twice.bent[i] == whole.bent[i]);
    close_body(&whole);
    close_body(&half);
    close_body(&twice);
}

static void hose_is_the_same_in_a_turned_and_scaled_world(void** state) {
    (void)state;
    body plain, other;
    limber_vec3 heading = {0.3f, 2, -0.4f};
    float size = 170;
    open_body(&plain, 1, 1, LIMBER_COMPOSE_SUM);
    open_body(&other, size, 1, LIMBER_COMPOSE_SUM);
    bend_body(&plain, 1.3f, limberi_vec3(0, 0, 0));
    bend_body(&other, 1.3f, heading);
    limber_quat turn = limberi_quat_exp(heading);
    limber_vec3 hips = plain.pose.local[0].translation;
    for (uint32_t v = 0; v < VERTICES; v++) {
        limber_vec3 want = limberi_quat_rotate(turn, limberi_sub(vertex_of(plain.bent, v), hips));
        limber_vec3 is = limberi_sub(limberi_scale(vertex_of(other.bent, v), 1 / size), hips);
        assert_true(close_to(is, want, 1e-5f));
    }
    close_body(&plain);
    close_body(&other);
}

// --- limbs ---

static void check_limbs(const char* character, uint32_t expected, const char* end) {
    test_scene s;
    test_scene_open(&s, character);
    limberi_arena arena = {NULL, false};
    limberi_hose_limbs limbs;
    assert_true(limberi_hose_limbs_find(&arena, s.model, &limbs));
    uint32_t found = 0;
    for (uint32_t l = 0; l < limbs.count; l++)
        found += strncmp(s.model->rig.names[limbs.limbs[l].joints[limbs.limbs[l].bone_count]], end, strlen(end)) == 0;
    if (limbs.count != expected || found != 2)
        fail_msg("%s: %u limbs, %u of them end in %s", character, limbs.count, found, end);
    limberi_arena_free(&arena);
    test_scene_close(&s);
}

// The hero's cape and the cow's tail and neck are none.
static void hose_limbs_are_arms_and_legs(void** state) {
    (void)state;
    check_limbs("hero", 4, "Hand");
    check_limbs("hero", 4, "LegFoot");
    check_limbs("toon", 4, "Hand");
    check_limbs("cow", 4, "LegFrontHoof");
    check_limbs("giraffe", 4, "LegHindAnkle");
    test_scene s;
    test_scene_open(&s, "cylinder");
    limberi_arena arena = {NULL, false};
    limberi_hose_limbs limbs;
    assert_true(limberi_hose_limbs_find(&arena, s.model, &limbs));
    assert_int_equal(limbs.count, 0);
    limberi_arena_free(&arena);
    test_scene_close(&s);
}

// Twist joints and sleeves.
static void helper_joints_follow_the_bone_they_hang_on(void** state) {
    (void)state;
    limber_asset* asset = make_body(1);
    const limber_model* model = limber_asset_model(asset);
    limberi_arena arena = {NULL, false};
    limberi_hose_limbs limbs;
    assert_true(limberi_hose_limbs_find(&arena, model, &limbs));
    assert_int_equal(limbs.count, 2);
    limberi_hose_bone thigh = limbs.of_joint[model->rig.parents[TWIST]], helper = limbs.of_joint[TWIST];
    assert_true(thigh.limb >= 0);
    assert_int_equal(helper.limb, thigh.limb);
    assert_int_equal(helper.bone, thigh.bone);
    assert_true(limbs.of_joint[0].limb < 0);
    limberi_arena_free(&arena);
    limber_asset_destroy(asset);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hose_half_angle_solves_its_equation),
        cmocka_unit_test(hose_arc_is_a_circle_between_the_ends_and_as_long_as_the_bones),
        cmocka_unit_test(hose_of_a_straight_or_folded_limb_does_nothing),
        cmocka_unit_test(hose_passes_through_straight_without_a_jump),
        cmocka_unit_test(hose_of_a_straight_leg_moves_nothing),
        cmocka_unit_test(hose_rounds_the_knee_and_keeps_length_width_ends_and_body),
        cmocka_unit_test(hose_gain_goes_part_of_the_way_and_stops_at_the_arc),
        cmocka_unit_test(hose_is_the_same_in_a_turned_and_scaled_world),
        cmocka_unit_test(hose_limbs_are_arms_and_legs),
        cmocka_unit_test(helper_joints_follow_the_bone_they_hang_on),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
