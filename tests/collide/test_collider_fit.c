// Which parts of a body become colliders, which of two bodies gives way, and the skin that a collider goes along with:
// decisions on balls and capsules of known size.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "asset/groups.h"
#include "base/math.h"
#include "collide/colliders.h"
#include "kit/surfaces.h"

enum { BODY, THING, CORE };

static const limber_vec3 thing_at = {0.5f, 0, 0};

// --- bodies ---

// A body 2 high, so that L is 2 whatever else is around it, and a joint for each thing.
static test_surface* begin_body(void) {
    test_surface* s = test_surface_create();
    s->joint_count = 3;
    s->joints[BODY] = limberi_vec3(0, -0.9f, 0);
    s->joints[THING] = s->joints[CORE] = thing_at;
    test_surface_capsule(s, s->joints[BODY], 1.8f, 0.1f, 8, 40);
    return s;
}

// All vertices from this one on hang on a joint.
static void hang(test_surface* s, uint32_t first, uint16_t joint) {
    for (uint32_t u = first; u < s->vertex_count; u++)
        s->joint[u] = joint;
}

static void add_ball(test_surface* s, uint16_t joint, float radius, uint32_t segments, uint32_t rings) {
    uint32_t first = s->vertex_count;
    test_surface_ball(s, s->joints[joint], radius, segments, rings);
    hang(s, first, joint);
}

static limber_asset* end_body(test_surface* s) {
    limber_asset* asset = test_surface_asset(s);
    assert_true(fabsf(limber_asset_model(asset)->size - 2) < 1e-3f);
    free(s);
    return asset;
}

// The radius of the capsule around a joint's skin, 0 where there is none. Destroys the character.
static float fitted_radius(test_surface* s, int32_t joint) {
    limber_asset* asset = end_body(s);
    limber_colliders* colliders;
    float radius = 0;
    assert_int_equal(limber_colliders_find(asset, NULL, &colliders, NULL), LIMBER_OK);
    for (uint32_t i = 0; i < limber_collider_count(colliders); i++) {
        limber_collider c = limber_collider_at(colliders, i);
        radius = c.joint == joint ? c.radius : radius;
    }
    limber_colliders_destroy(colliders);
    limber_asset_destroy(asset);
    return radius;
}

static void small_and_thin_parts_are_no_colliders(void** state) {
    (void)state;
    static const struct {
        float radius, length;
        bool found;
    } cases[] = {{0.0685f, 0, false}, // a ball of 0.07 L is large enough,
                 {0.072f, 0, true},   //
                 {0.0192f, 0.6f, false},
                 {0.0208f, 0.6f, true}}; // and a rod 0.02 L thick
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        test_surface* s = begin_body();
        uint32_t first = s->vertex_count;
        s->joints[THING].y = -0.5f * cases[i].length;
        if (cases[i].length > 0)
            test_surface_capsule(s, s->joints[THING], cases[i].length, cases[i].radius, 8, 60);
        else
            test_surface_ball(s, thing_at, cases[i].radius, 12, 12);
        hang(s, first, THING);
        float radius = fitted_radius(s, THING);
        assert_true(fabsf(radius - (cases[i].found ? cases[i].radius : 0)) < 0.02f * cases[i].radius);
    }
}

// A few vertices say nothing about a shape.
static void parts_with_fewer_than_eight_vertices_are_no_colliders(void** state) {
    (void)state;
    for (int eight = 0; eight < 2; eight++) {
        test_surface* s = begin_body();
        uint32_t before = s->vertex_count;
        add_ball(s, THING, 0.2f, eight ? 3 : 5, eight ? 3 : 2);
        assert_int_equal(s->vertex_count - before, eight ? 8 : 7);
        assert_true((fitted_radius(s, THING) > 0) == eight);
    }
}

// Spikes stand out of a collider and nothing else does: 70 % of the skin are within.
static void a_collider_is_as_thick_as_most_of_its_skin(void** state) {
    (void)state;
    for (int more = 0; more < 2; more++) {
        test_surface* s = begin_body();
        add_ball(s, THING, 0.2f, 12, more ? 19 : 17);
        add_ball(s, THING, 0.25f, 12, more ? 8 : 9); // 28 or 34 % of the vertices
        assert_true(fabsf(fitted_radius(s, THING) - (more ? 0.2f : 0.25f)) < 1e-3f);
    }
}

// A helmet with a head in it is not solid. What lies just under the surface, or is little, does not make it hollow.
static void shells_are_no_colliders(void** state) {
    (void)state;
    static const struct {
        float core_radius;
        uint32_t segments, rings;
        bool solid;
    } cases[] = {{0.1f, 6, 4, true},    // 20 vertices in a ball of 134
                 {0.1f, 5, 5, false},   // 22
                 {0.221f, 5, 5, false}, // a quarter of the radius below the surface
                 {0.229f, 5, 5, true}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        test_surface* s = begin_body();
        add_ball(s, THING, 0.3f, 12, 12);
        add_ball(s, CORE, cases[i].core_radius, cases[i].segments, cases[i].rings);
        assert_true((fitted_radius(s, THING) > 0) == cases[i].solid);
    }
}

static void sheets_are_no_colliders(void** state) {
    (void)state;
    test_surface* s = begin_body();
    uint32_t first = s->vertex_count;
    test_surface_grid(s, limberi_vec3(0.3f, -0.2f, 0), limberi_vec3(0.4f, 0, 0), limberi_vec3(0, 0.4f, 0), 10, 10);
    hang(s, first, THING);
    assert_true(fitted_radius(s, THING) == 0);
}

// --- where colliders come from ---

static uint32_t count_colliders(const limber_asset* asset, bool automatic, uint32_t count, const limber_collider* items,
                                float* first_radius) {
    limber_collider_settings settings = {automatic, count, items};
    limber_colliders* colliders;
    assert_int_equal(limber_colliders_find(asset, &settings, &colliders, NULL), LIMBER_OK);
    uint32_t found = limber_collider_count(colliders);
    *first_radius = found ? limber_collider_at(colliders, 0).radius : 0;
    limber_colliders_destroy(colliders);
    return found;
}

static void colliders_of_a_file_take_the_place_of_fitted_ones(void** state) {
    (void)state;
    limber_asset *plain = end_body(begin_body()), *asset;
    limber_model model = *limber_asset_model(plain);
    const limber_collider of_file = {.shape = LIMBER_COLLIDER_SPHERE, .joint = BODY, .radius = 0.7f};
    const limber_collider of_style = {.shape = LIMBER_COLLIDER_SPHERE, .joint = -1, .radius = 0.4f};
    model.collider_count = 1;
    model.colliders = &of_file;
    assert_int_equal(limber_asset_create(&model, &asset, NULL), LIMBER_OK);
    float radius;
    assert_int_equal(count_colliders(plain, true, 0, NULL, &radius), 1);
    assert_true(fabsf(radius - 0.1f) < 0.01f);
    assert_int_equal(count_colliders(plain, false, 1, &of_style, &radius), 1);
    assert_true(radius == 0.4f);
    assert_int_equal(count_colliders(asset, true, 0, NULL, &radius), 1);
    assert_true(radius == 0.7f);
    assert_int_equal(count_colliders(asset, true, 1, &of_style, &radius), 2);
    assert_int_equal(count_colliders(asset, false, 1, &of_style, &radius), 1);
    assert_true(radius == 0.4f);
    assert_int_equal(count_colliders(asset, false, 0, NULL, &radius), 0);
    limber_asset_destroy(asset);
    limber_asset_destroy(plain);
}

static void wrong_colliders_are_refused(void** state) {
    (void)state;
    limber_asset* asset = end_body(begin_body());
    static limber_collider items[LIMBER_COLLIDER_LIMIT + 1];
    for (uint32_t i = 0; i <= LIMBER_COLLIDER_LIMIT; i++)
        items[i] = (limber_collider){.shape = LIMBER_COLLIDER_SPHERE, .joint = -1, .radius = 0.1f};
    limber_collider_settings settings = {false, LIMBER_COLLIDER_LIMIT, items};
    limber_colliders* colliders;
    limber_error error;
    assert_int_equal(limber_colliders_find(asset, &settings, &colliders, &error), LIMBER_OK);
    limber_colliders_destroy(colliders);
    settings.count++;
    assert_int_equal(limber_colliders_find(asset, &settings, &colliders, &error), LIMBER_ERROR_LIMIT);
    settings.count = 2;
    items[1].joint = 3; // there are three joints
    assert_int_equal(limber_colliders_find(asset, &settings, &colliders, &error), LIMBER_ERROR_ARGUMENT);
    assert_string_equal(error.message, "collider 1 is invalid");
    assert_null(colliders);
    limber_asset_destroy(asset);
}

// --- who gives way ---

typedef struct stage {
    limber_asset* asset;
    limberi_collision* collision;
} stage;

// `parent`: of all joints but the body, -1 for none. The body's joint is then to be at the origin.
static stage open_stage(test_surface* s, int32_t parent, const limber_collider_settings* settings) {
    const int32_t parents[3] = {-1, parent, parent};
    limber_asset* plain = end_body(s);
    limber_model model = *limber_asset_model(plain);
    stage t;
    model.rig.parents = parents;
    assert_int_equal(limber_asset_create(&model, &t.asset, NULL), LIMBER_OK);
    assert_int_equal(limberi_collision_create(t.asset, settings, NULL, false, &t.collision, NULL), LIMBER_OK);
    assert_non_null(t.collision);
    limber_asset_destroy(plain);
    return t;
}

static void close_stage(stage* t) {
    limberi_collision_destroy(t->collision);
    limber_asset_destroy(t->asset);
}

// How much each vertex obeys the collider on a joint.
static void find_weights(const stage* t, int32_t joint, float* weights) {
    const struct limberi_groups* groups = limberi_asset_groups(t->asset)[0];
    memset(weights, 0, limber_asset_model(t->asset)->vertex_count * sizeof *weights);
    for (uint32_t i = 0; i < limberi_collision_group_count(t->collision); i++) {
        const limberi_group* g = &groups->groups[limberi_collision_group_at(t->collision, i).group];
        uint32_t count;
        const limberi_obeyed* obeyed = limberi_collision_obeyed(t->collision, i, &count);
        for (uint32_t k = 0; k < count; k++)
            for (uint32_t v = 0; v < g->count; v++)
                if (limber_collider_at(limberi_collision_colliders(t->collision), obeyed[k].collider).joint == joint)
                    weights[groups->vertices[g->first + v]] = obeyed[k].base ? fabsf(obeyed[k].base[v]) : 1;
    }
}

static double smooth(double low, double high, double x) {
    double t = fmin(fmax((x - low) / (high - low), 0), 1);
    return t * t * (3 - 2 * t);
}

static const limber_collider_settings automatic = {true, 0, NULL};

// Vertices of rigid parts are not pushed one by one.
static void rigid_parts_obey_nobody(void** state) {
    (void)state;
    static float weights[TEST_SURFACE_VERTICES];
    static int32_t parts[TEST_SURFACE_VERTICES];
    test_surface* s = begin_body();
    s->joints[CORE].x = -0.5f;
    uint32_t first = s->vertex_count;
    add_ball(s, THING, 0.2f, 12, 12);
    uint32_t second = s->vertex_count;
    add_ball(s, CORE, 0.3f, 12, 12);
    stage t = open_stage(s, -1, &automatic);
    find_weights(&t, CORE, weights);
    for (uint32_t u = first; u < second; u++)
        assert_true(weights[u] == 1);
    limberi_collision_destroy(t.collision);
    for (uint32_t u = 0; u < TEST_SURFACE_VERTICES; u++)
        parts[u] = u < first || u >= first + 10 ? -1 : 0;
    assert_int_equal(limberi_collision_create(t.asset, &automatic, parts, false, &t.collision, NULL), LIMBER_OK);
    find_weights(&t, CORE, weights);
    for (uint32_t u = first; u < second; u++)
        assert_true(weights[u] == (u < first + 10 ? 0 : 1));
    close_stage(&t);
}

// Where contacts hold the feet, colliders do not push them; cloth may hang down to the floor.
static void feet_that_stand_obey_nobody(void** state) {
    (void)state;
    static float weights[2][TEST_SURFACE_VERTICES];
    test_surface* s = begin_body();
    s->joints[THING] = limberi_vec3(0.35f, -0.7f, 0);
    s->joints[CORE] = limberi_vec3(-0.35f, -0.7f, 0);
    uint32_t first = s->vertex_count;
    add_ball(s, THING, 0.15f, 12, 12);
    uint32_t second = s->vertex_count;
    add_ball(s, CORE, 0.2f, 12, 12);
    stage t = open_stage(s, -1, &automatic);
    find_weights(&t, CORE, weights[0]);
    limberi_collision_destroy(t.collision);
    assert_int_equal(limberi_collision_create(t.asset, &automatic, NULL, true, &t.collision, NULL), LIMBER_OK);
    find_weights(&t, CORE, weights[1]);
    const limber_mesh* mesh = &limber_asset_model(t.asset)->meshes[0];
    for (uint32_t u = first; u < second; u++) {
        double height = (double)mesh->positions[3 * (size_t)u + 1] + 1; // L is 2
        assert_true(weights[0][u] == 1);
        assert_true(fabs((double)weights[1][u] - smooth(0.08, 0.2, height)) < 1e-5);
    }
    close_stage(&t);
}

// Two balls side by side: the thinner one obeys, and of two that are about as thick both do, half.
static void of_two_bodies_the_thinner_one_gives_way(void** state) {
    (void)state;
    static const struct {
        float radius, first, second; // of the second ball; how much each obeys the other
    } cases[] = {{0.2f * 0.88f, 0, 1}, {0.2f * 0.95f, 0.5f, 0.5f}, {0.2f * 1.05f, 0.5f, 0.5f}, {0.2f * 1.14f, 1, 0}};
    static float weights[2][TEST_SURFACE_VERTICES];
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        test_surface* s = begin_body();
        s->joints[CORE].x = -0.5f;
        uint32_t first = s->vertex_count;
        add_ball(s, THING, 0.2f, 12, 12);
        uint32_t second = s->vertex_count;
        add_ball(s, CORE, cases[i].radius, 12, 12);
        uint32_t end = s->vertex_count;
        stage t = open_stage(s, -1, &automatic);
        find_weights(&t, CORE, weights[0]);
        find_weights(&t, THING, weights[1]);
        for (uint32_t u = first; u < end; u++) {
            assert_true(fabsf(weights[0][u] - (u < second ? cases[i].first : 0)) < 1e-3f);
            assert_true(fabsf(weights[1][u] - (u < second ? 0 : cases[i].second)) < 1e-3f);
        }
        for (uint32_t u = 0; u < first; u++) // the body is thinner than both
            assert_true(weights[0][u] == 1 && weights[1][u] == 1);
        close_stage(&t);
    }
}

// How far from the middle of the other ball the vertex of a ball that is nearest to it ends, where effects move the ball
// by `way` towards the other one.
static float pushed_to(const limber_collider_settings* settings, float way) {
    test_surface* s = begin_body();
    const float middle = s->joints[CORE].x = -0.5f;
    uint32_t first = s->vertex_count;
    add_ball(s, THING, 0.2f, 12, 12);
    uint32_t second = s->vertex_count;
    add_ball(s, CORE, 0.3f, 12, 12);
    stage t = open_stage(s, -1, settings); // which destroys the surface
    const limber_model* model = limber_asset_model(t.asset);
    size_t numbers = 3 * (size_t)model->vertex_count;
    limber_pose pose;
    assert_int_equal(limber_pose_create(model, &pose), LIMBER_OK);
    limber_pose_rest(model, &pose);
    limber_pose_update_world(model, &pose);
    float* places = malloc(2 * numbers * sizeof *places);
    memcpy(places, model->meshes[0].positions, numbers * sizeof *places);
    memcpy(places + numbers, places, numbers * sizeof *places);
    uint32_t nearest = first;
    for (uint32_t u = first; u < second; u++) {
        places[numbers + 3 * (size_t)u] -= way;
        nearest = places[3 * (size_t)u] < places[3 * (size_t)nearest] ? u : nearest;
    }
    const limberi_collision_frame frame = {&pose, places, places + numbers, NULL, NULL};
    limberi_collision_begin(t.collision, &frame);
    for (uint32_t i = 0; i < limberi_collision_group_count(t.collision); i++)
        (void)limberi_collision_run(t.collision, &frame, i);
    float left = places[numbers + 3 * (size_t)nearest] - middle;
    free(places);
    limber_pose_destroy(&pose);
    close_stage(&t);
    return left;
}

// A hand stays outside of a leg, but is not thrown to its other side where they pass each other: from half a radius on it
// is let through. Colliders that are given let nothing through.
static void hands_that_pass_legs_are_let_through(void** state) {
    (void)state;
    const limber_collider ball = {.shape = LIMBER_COLLIDER_SPHERE, .joint = CORE, .radius = 0.3f};
    const limber_collider_settings given = {false, 1, &ball};
    assert_true(fabsf(pushed_to(&automatic, 0.3f) - 0.5f) < 0.01f); // it does not come near
    assert_true(pushed_to(&automatic, 0.55f) > 0.3f && pushed_to(&automatic, 0.55f) < 0.35f);
    assert_true(fabsf(pushed_to(&automatic, 1.2f) + 0.4f) < 0.01f); // on the other side
    for (float way = 0.4f; way < 1.2f; way += 0.02f)                // never by a leap
        assert_true(fabsf(pushed_to(&automatic, way) - pushed_to(&automatic, way + 0.02f)) < 0.05f);
    assert_true(pushed_to(&given, 0.55f) > 0.3f && pushed_to(&given, 1.2f) > 0.3f);
}

// A button half in a belly: what the modeller sank into it stays there.
static void skin_that_is_deep_in_a_body_at_rest_does_not_obey_it(void** state) {
    (void)state;
    static float weights[TEST_SURFACE_VERTICES];
    test_surface* s = begin_body();
    add_ball(s, THING, 0.4f, 40, 40);
    s->joints[CORE].y = 0.2f;
    uint32_t first = s->vertex_count;
    add_ball(s, CORE, 0.17f, 12, 12);
    stage t = open_stage(s, -1, &automatic);
    const limber_mesh* mesh = &limber_asset_model(t.asset)->meshes[0];
    find_weights(&t, THING, weights);
    for (uint32_t u = first; u < mesh->vertex_count; u++) {
        limber_vec3 away = limberi_sub(limberi_load3(mesh->positions + 3 * (size_t)u), thing_at);
        double depth = (double)limberi_length(away) / 0.4 - 1; // in radii: from -0.93 to -0.07
        assert_true(fabs((double)weights[u] - smooth(-0.8, -0.3, depth)) < 2e-3);
    }
    close_stage(&t);
}

// An arm obeys the chest that it grows out of from 0.04 L on; the chest does not obey the arm.
static void limbs_obey_the_body_they_grow_out_of_from_their_root_on(void** state) {
    (void)state;
    static float weights[TEST_SURFACE_VERTICES];
    for (int by_hand = 0; by_hand < 2; by_hand++) {
        test_surface* s = begin_body();
        s->joints[BODY] = limberi_vec3(0, 0, 0);
        add_ball(s, BODY, 0.4f, 40, 40);
        uint32_t first = s->vertex_count;
        s->joints[THING] = limberi_vec3(0.4f, 0, 0);
        add_ball(s, THING, 0.15f, 16, 16);
        const limber_collider given = {.shape = LIMBER_COLLIDER_SPHERE, .joint = BODY, .radius = 0.4f};
        const limber_collider_settings own = {false, 1, &given};
        stage t = open_stage(s, BODY, by_hand ? &own : &automatic);
        const limber_mesh* mesh = &limber_asset_model(t.asset)->meshes[0];
        limber_collider c = limber_collider_at(limberi_collision_colliders(t.collision), 0);
        find_weights(&t, BODY, weights);
        uint32_t part = 0;
        for (uint32_t u = first; u < mesh->vertex_count; u++) {
            limber_vec3 p = limberi_load3(mesh->positions + 3 * (size_t)u), end = by_hand ? c.from : c.to;
            double y = fmin(fmax((double)p.y, (double)fminf(c.from.y, end.y)), (double)fmaxf(c.from.y, end.y));
            double clearance = hypot((double)p.x, hypot((double)p.y - y, (double)p.z)) - (double)c.radius;
            double wanted = smooth(0.1, 0.6, smooth(0, 0.04 * 2, clearance));
            if (!by_hand)
                wanted *= smooth(-0.8 * (double)c.radius, -0.3 * (double)c.radius, clearance);
            assert_true(fabs((double)weights[u] - wanted) < 2e-3);
            part += wanted > 0.05 && wanted < 0.95;
        }
        assert_true(part > 10);
        if (!by_hand) {
            find_weights(&t, THING, weights);
            for (uint32_t u = 0; u < first; u++)
                assert_true(weights[u] == 0);
        }
        close_stage(&t);
    }
}

// --- what colliders go along with ---

static void colliders_go_along_with_skin_at_their_ends(void** state) {
    (void)state;
    const limber_collider items[3] = {
        {.shape = LIMBER_COLLIDER_CAPSULE, .joint = BODY, .from = {0, -0.9f, 0}, .to = {0, 0.9f, 0}, .radius = 0.05f},
        {.shape = LIMBER_COLLIDER_SPHERE, .joint = BODY, .radius = 0.05f},
        {.shape = LIMBER_COLLIDER_SPHERE, .joint = CORE, .radius = 0.05f}, // which has no skin: its parent's
    };
    const limber_collider_settings settings = {false, 3, items};
    test_surface* s = begin_body();
    s->joints[BODY] = limberi_vec3(0, 0, 0);
    add_ball(s, THING, 0.1f, 12, 12);
    stage t = open_stage(s, BODY, &settings);
    const float* positions = limber_asset_model(t.asset)->meshes[0].positions;
    uint32_t probes[3 * 2 * 8];
    assert_int_equal(limberi_collision_probes(t.collision, NULL), 48);
    assert_int_equal(limberi_collision_probes(t.collision, probes), 48);
    for (int i = 0; i < 48; i++) {
        const float* p = positions + 3 * (size_t)probes[i];
        assert_true(fabsf(p[0]) < 0.11f); // of the body
        for (int k = i / 8 * 8; k < i; k++) {
            const float* q = positions + 3 * (size_t)probes[k];
            assert_true(hypotf(p[0] - q[0], hypotf(p[1] - q[1], p[2] - q[2])) > 0.08f); // all around
        }
    }
    for (int i = 0; i < 8; i++) { // 35 % of its length at either end
        assert_true(positions[3 * (size_t)probes[i] + 1] < -0.9f + 0.36f * 1.8f);
        assert_true(positions[3 * (size_t)probes[8 + i] + 1] > 0.9f - 0.36f * 1.8f);
    }
    close_stage(&t);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(small_and_thin_parts_are_no_colliders),
        cmocka_unit_test(parts_with_fewer_than_eight_vertices_are_no_colliders),
        cmocka_unit_test(a_collider_is_as_thick_as_most_of_its_skin),
        cmocka_unit_test(shells_are_no_colliders),
        cmocka_unit_test(sheets_are_no_colliders),
        cmocka_unit_test(colliders_of_a_file_take_the_place_of_fitted_ones),
        cmocka_unit_test(wrong_colliders_are_refused),
        cmocka_unit_test(hands_that_pass_legs_are_let_through),
        cmocka_unit_test(rigid_parts_obey_nobody),
        cmocka_unit_test(feet_that_stand_obey_nobody),
        cmocka_unit_test(of_two_bodies_the_thinner_one_gives_way),
        cmocka_unit_test(skin_that_is_deep_in_a_body_at_rest_does_not_obey_it),
        cmocka_unit_test(limbs_obey_the_body_they_grow_out_of_from_their_root_on),
        cmocka_unit_test(colliders_go_along_with_skin_at_their_ends),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
