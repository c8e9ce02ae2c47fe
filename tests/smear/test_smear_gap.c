// How much of the gap between two drawings smears cover: pixels that the character passed within 1/24 s, and that show
// it in neither drawing; and how much is painted elsewhere.
#include "kit/smear_stage.h"

enum { SIDE = 160, MOMENTS = 8 };
static const double drawings = 24; // per second
static float yaw = 0.96f;          // of the view
static const float shows = 0.1f;   // opacity
static const float wide = 1.6f;    // L: the picture

typedef bool picture[SIDE * SIDE];

// The picture follows the middle of the character.
typedef struct view {
    limber_vec3 middle;
    limber_vec3 right; // pixels per unit
    float up;
} view;

static void to_screen(const view* w, const float* p, double* xy) {
    limber_vec3 q = limberi_sub(limberi_load3(p), w->middle);
    xy[0] = SIDE / 2 + (double)limberi_dot(w->right, q);
    xy[1] = SIDE / 2 - (double)(w->up * q.y);
}

static double side_of(const double* a, const double* b, double x, double y) {
    return (b[0] - a[0]) * (y - a[1]) - (b[1] - a[1]) * (x - a[0]);
}

// The pixels whose middles lie between the corners along an axis. (Most triangles are smaller than a pixel.)
static void span_of(double (*p)[2], int axis, int* first, int* last) {
    double low = p[0][axis];
    double high = low;
    for (int i = 1; i < 3; i++) {
        low = p[i][axis] < low ? p[i][axis] : low;
        high = p[i][axis] > high ? p[i][axis] : high;
    }
    *first = low > 0.5 ? (int)ceil(low - 0.5) : 0;
    *last = high < SIDE ? (int)floor(high - 0.5) : SIDE - 1;
}

static void paint_triangle(double (*p)[2], bool* out) {
    int left, right, top, bottom;
    span_of(p, 1, &top, &bottom);
    if (top > bottom)
        return;
    span_of(p, 0, &left, &right);
    double sign = side_of(p[0], p[1], p[2][0], p[2][1]) < 0 ? -1 : 1;
    for (int y = top; y <= bottom; y++)
        for (int x = left; x <= right; x++) {
            bool in = !out[SIDE * y + x];
            for (int i = 0; in && i < 3; i++)
                in = sign * side_of(p[i], p[(i + 1) % 3], x + 0.5, y + 0.5) >= 0;
            out[SIDE * y + x] |= in;
        }
}

// `colors` NULL: all of it shows.
static void paint(const view* w, const uint32_t* triangles, uint32_t count, const float* positions, const float* colors,
                  bool* out) {
    for (size_t t = 0; t < 3 * (size_t)count; t += 3) {
        double corners[3][2];
        float most = colors ? 0 : 1;
        for (size_t i = 0; i < 3; i++) {
            to_screen(w, positions + 3 * (size_t)triangles[t + i], corners[i]);
            most = colors ? fmaxf(most, colors[4 * (size_t)triangles[t + i] + 3]) : 1;
        }
        if (most > shows)
            paint_triangle(corners, out);
    }
}

static void paint_character(const stage* s, const view* w, const float* positions, bool* out) {
    for (uint32_t m = 0; m < s->model->mesh_count; m++) {
        const limber_mesh* mesh = &s->model->meshes[m];
        paint(w, mesh->triangles, mesh->triangle_count, positions + 3 * (size_t)mesh->first_vertex, NULL, out);
    }
}

static const float* pose_at(stage* s, double time_s) {
    limber_frame frame;
    assert_int_equal(limber_pipeline_evaluate(s->pipeline, s->clip, time_s, &frame), LIMBER_OK);
    return frame.positions;
}

typedef struct gap {
    double all, filled, painted; // pixels of the gap, those covered, and all that is painted in neither drawing
} gap;

static void add_drawing(stage* s, double time_s, gap* sum) {
    static picture now, before, between, drawn;
    memset(now, 0, sizeof now);
    memset(before, 0, sizeof before);
    memset(between, 0, sizeof between);
    memset(drawn, 0, sizeof drawn);
    float scale = SIDE / (wide * s->model->size);
    view w = {limberi_vec3(0, 0, 0), limberi_scale(limberi_vec3(cosf(yaw), 0, -sinf(yaw)), scale), scale};
    const float* p = pose_at(s, time_s);
    for (size_t i = 0; i < s->numbers; i += 3)
        w.middle = limberi_add(w.middle, limberi_scale(limberi_load3(p + i), 3 / (float)s->numbers));
    paint_character(s, &w, p, now);
    paint_character(s, &w, pose_at(s, time_s - 1 / drawings), before);
    for (int i = 1; i < MOMENTS; i++)
        paint_character(s, &w, pose_at(s, time_s - i / drawings / MOMENTS), between);
    limber_smeared smeared;
    assert_int_equal(limber_pipeline_evaluate_smeared(s->pipeline, s->clip, time_s, drawings, &smeared), LIMBER_OK);
    paint_character(s, &w, smeared.frame.positions, drawn);
    for (uint32_t m = 0; m < smeared.mesh_count; m++) {
        const limber_smear_mesh* mesh = &smeared.meshes[m];
        if (mesh->visible)
            paint(&w, mesh->triangles, mesh->triangle_count, mesh->positions, mesh->colors, drawn);
    }
    for (size_t i = 0; i < SIDE * SIDE; i++) {
        bool neither = !now[i] && !before[i];
        sum->all += neither && between[i];
        sum->filled += neither && between[i] && drawn[i];
        sum->painted += neither && drawn[i];
    }
}

static gap measure_stage(stage* s, uint32_t first, uint32_t last) {
    s->settings.smear.drawn.stretch = s->settings.smear.drawn.body = s->settings.smear.drawn.ribbon = 1;
    s->settings.smear.drawn.strokes = 2;
    stage_start(s);
    gap sum = {0, 0, 0};
    for (uint32_t f = first; f <= last; f++)
        add_drawing(s, f / drawings, &sum);
    return sum;
}

static gap measure(const char* character, const char* clip, uint32_t first, uint32_t last) {
    stage s;
    stage_open(&s, character, clip);
    gap sum = measure_stage(&s, first, last);
    stage_close(&s);
    return sum;
}

static void leaps_swings_and_dashes_are_covered(void** state) {
    (void)state;
    const struct {
        const char *character, *clip;
        uint32_t first, last;
        double filled, painted;
    } cases[] = {
        {"toon", "swing", 21, 27, 0.61, 1.3},
        {"ball", "dash-stop", 20, 29, 0.7, 1},
        {"ball", "bounce", 1, 48, 0.5, 1},
        {"cow", "charge-and-stop", 43, 55, 0.68, 1},
        {"cow", "charge-and-stop", 51, 51, 0.5, 1}, // its head and legs hardly go anywhere but along with it
        {"cow", "jump", 8, 40, 0.5, 1},
        {"dog", "jump", 14, 32, 0.65, 1},
        {"dog", "stop", 1, 71, 0.6, 1},
        {"hero", "run", 1, 14, 0.44, 1}, // its cape merely follows
        {"hero", "jump", 24, 40, 0.6, 1},
        {"hero", "stop", 1, 71, 0.6, 1},
        {"hero", "swing", 1, 40, 0.38, 1}, // its cape leaves none; the arm goes slower at the shoulder than at the hand
        {"horse", "stop", 1, 71, 0.65, 1},
        {"bird", "dart-stop", 16, 28, 0.6, 1}, // one joint: all of it is drawn out, its crest and legs leave ribbons
        {"giraffe", "twirl", 16, 35, 0.65, 0.9},
        {"dancer", "leap", 31, 34, 0.8, 1}, // the skirt goes along as a whole
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        gap g = measure(cases[i].character, cases[i].clip, cases[i].first, cases[i].last);
        printf("%s %s: %.0f pixels, %.2f filled, %.2f painted\n", cases[i].character, cases[i].clip, g.all,
               g.filled / g.all, g.painted / g.all);
        assert_true(g.all > 60);
        assert_true(g.filled >= cases[i].filled * g.all);
        assert_true(g.painted <= cases[i].painted * g.all);
    }
}

// The same motion with a joint that hangs on nothing, as rigs for inverse kinematics have their feet.
enum { KEYS = 192 * 2 };

typedef struct unhooked {
    float times[KEYS], places[KEYS][3], turns[KEYS][4];
    limber_channel channels[512];
    int32_t parents[128];
    limber_transform rest[128];
    limber_clip clip;
} unhooked;

static void unhook(stage* s, const char* name, unhooked* u) {
    const limber_rig* rig = &s->model->rig;
    int32_t joint = limber_rig_find_joint(rig, name);
    assert_true(joint > 0 && rig->joint_count <= 128 && s->moves->channel_count <= 510);
    limber_model model = *s->model;
    memcpy(u->parents, rig->parents, rig->joint_count * sizeof *u->parents);
    memcpy(u->rest, rig->rest_local, rig->joint_count * sizeof *u->rest);
    u->parents[joint] = -1;
    limberi_mat4_decompose(&rig->world_from_joint_rest[joint], &u->rest[joint]);
    stage_start(s);
    for (uint32_t k = 0; k < KEYS; k++) {
        limber_frame frame;
        limber_transform t;
        u->times[k] = (float)(s->moves->start_s + k / 192.0);
        assert_int_equal(limber_pipeline_evaluate(s->pipeline, s->clip, (double)u->times[k], &frame), LIMBER_OK);
        limberi_mat4_decompose(&frame.pose->world_from_joint[joint], &t);
        limberi_store3(u->places[k], t.translation);
        const float turn[4] = {t.rotation.x, t.rotation.y, t.rotation.z, t.rotation.w};
        memcpy(u->turns[k], turn, sizeof turn);
    }
    u->clip = *s->moves;
    u->clip.channel_count = 0;
    for (uint32_t i = 0; i < s->moves->channel_count; i++)
        if (s->moves->channels[i].path == LIMBER_CHANNEL_WEIGHTS || s->moves->channels[i].target != (uint32_t)joint)
            u->channels[u->clip.channel_count++] = s->moves->channels[i];
    u->channels[u->clip.channel_count++] = (limber_channel){
        LIMBER_CHANNEL_TRANSLATION, LIMBER_INTERPOLATION_LINEAR, (uint32_t)joint, KEYS, u->times, u->places[0]};
    u->channels[u->clip.channel_count++] = (limber_channel){
        LIMBER_CHANNEL_ROTATION, LIMBER_INTERPOLATION_LINEAR, (uint32_t)joint, KEYS, u->times, u->turns[0]};
    u->clip.channels = u->channels;
    model.rig.parents = u->parents;
    model.rig.rest_local = u->rest;
    model.clip_count = 1;
    model.clips = &u->clip;
    s->clip = 0;
    stage_use(s, &model);
}

static void feet_on_the_root_belong_to_their_legs(void** state) {
    (void)state;
    static unhooked u;
    stage s;
    stage_open(&s, "dog", "jump");
    gap whole = measure_stage(&s, 14, 30);
    unhook(&s, "LegFrontPawLeft", &u);
    gap apart = measure_stage(&s, 14, 30);
    stage_close(&s);
    printf("dog jump: %.3f filled, with a paw on its own %.3f\n", whole.filled / whole.all, apart.filled / apart.all);
    assert_true(fabs(whole.all - apart.all) < 0.02 * whole.all);
    assert_true(fabs(whole.filled - apart.filled) < 0.003 * whole.all);
}

static void walks_stay_clean(void** state) {
    (void)state;
    const char* const walkers[] = {"cow", "giraffe"};
    for (size_t i = 0; i < 2; i++) {
        gap g = measure(walkers[i], "walk", 2, 20);
        assert_true(g.painted == 0);
    }
}

// Feet of a brisk walk swing as fast as those of a slow run, one after the other.
static void walks_from_elsewhere_stay_clean(void** state) {
    (void)state;
    const struct {
        const char *file, *clip;
    } cases[] = {{"Fox.glb", "Walk"},
                 {"more/Soldier.glb", "Walk"},
                 {"more/Wolf.glb", "AnimalArmature|Walk"},
                 {"RobotExpressive.glb", "Walking"},
                 {"CesiumMan.glb", "animation_0"},
                 {"more/Mage.glb", "Walking_A"}};
    if (!test_assets())
        skip();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        stage s;
        limber_gltf* gltf = stage_open_file(&s, cases[i].file, cases[i].clip);
        gap g = measure_stage(&s, 1, 16);
        printf("%s %s: %.0f pixels, %.0f painted\n", cases[i].file, cases[i].clip, g.all, g.painted);
        assert_true(g.painted == 0);
        stage_close(&s);
        limber_gltf_destroy(gltf);
    }
}

// A run on the spot, no faster than a brisk walk, but with its legs lifted; a leap and a fall of rigid pieces; a fish with
// one limb that flops; a head that snaps up by itself, and heads that are thrown about together with the body; a rigid
// cape that swings, that goes round in a spin, and that is carried along by a dash of the whole body.
static void motion_from_elsewhere_is_covered(void** state) {
    (void)state;
    const struct {
        const char *file, *clip;
        uint32_t first, last;
        float yaw;
        double filled;
    } cases[] = {{"Fox.glb", "Run", 1, 27, 0.96f, 0.55},
                 {"RobotExpressive.glb", "Jump", 2, 16, 0.96f, 0.65},
                 {"RobotExpressive.glb", "Death", 3, 9, 0.96f, 0.35},
                 {"more/Puffer.glb", "Fish_Armature|Out_Of_Water", 1, 35, 0.96f, 0.5},
                 {"more/Wolf.glb", "AnimalArmature|Eating", 23, 24, 0.96f, 0.35},
                 {"more/Wolf.glb", "AnimalArmature|Death", 7, 9, 0, 0.27},
                 {"more/Wolf.glb", "AnimalArmature|Attack", 21, 25, 0.96f, 0.2},
                 {"more/Mage.glb", "Hit_A", 1, 3, 1.57f, 0.45},
                 {"more/Mage.glb", "2H_Melee_Attack_Spinning", 1, 15, 0.96f, 0.25},
                 {"more/Mage.glb", "Dodge_Backward", 3, 5, 1.57f, 0.5}};
    if (!test_assets())
        skip();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        stage s;
        limber_gltf* gltf = stage_open_file(&s, cases[i].file, cases[i].clip);
        yaw = cases[i].yaw;
        gap g = measure_stage(&s, cases[i].first, cases[i].last);
        printf("%s %s: %.0f pixels, %.2f filled, %.2f painted\n", cases[i].file, cases[i].clip, g.all, g.filled / g.all,
               g.painted / g.all);
        assert_true(g.filled >= cases[i].filled * g.all);
        assert_true(g.painted <= 1.2 * g.all);
        stage_close(&s);
        limber_gltf_destroy(gltf);
    }
    yaw = 0.96f;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(leaps_swings_and_dashes_are_covered),
        cmocka_unit_test(feet_on_the_root_belong_to_their_legs),
        cmocka_unit_test(walks_stay_clean),
        cmocka_unit_test(walks_from_elsewhere_stay_clean),
        cmocka_unit_test(motion_from_elsewhere_is_covered),
    };
    return cmocka_run_group_tests_name("gaps between drawings", tests, NULL, NULL);
}
