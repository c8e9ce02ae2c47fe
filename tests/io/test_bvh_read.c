// Reading BVH: orders of channels and angles, everything a file may look like, numbers, large files, the body.
#include "base/math.h"
#include "io/bvh/layout.h"
#include "io/bvh/scan.h"
#include "kit/bvh_load.h"

#include <limber/bvh.h>
#include <limber/stages/pose.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#ifdef NDEBUG
static const bool checked_build = false;
#else
static const bool checked_build = true; // perhaps with sanitizers, which take long
#endif

static limber_vec3 joint_at(const limber_model* model, uint32_t joint, double time_s) {
    limber_pose pose;
    assert_int_equal(limber_pose_create(model, &pose), LIMBER_OK);
    limber_clip_sample(model, model->clip_count ? &model->clips[0] : NULL, time_s, &pose);
    limber_pose_update_world(model, &pose);
    limber_vec3 at = limberi_mat4_translation(&pose.world_from_joint[joint]);
    limber_pose_destroy(&pose);
    return at;
}

static void assert_at(limber_vec3 p, double x, double y, double z) {
    double d = hypot(hypot((double)p.x - x, (double)p.y - y), (double)p.z - z);
    if (!(d < 1e-5))
        fail_msg("(%g %g %g) should be (%g %g %g)", (double)p.x, (double)p.y, (double)p.z, x, y, z);
}

static void a_small_file_has_its_joints_frames_and_rate(void** state) {
    (void)state;
    limber_bvh* bvh = load(bvh_good);
    const limber_model* model = model_of(bvh);
    assert_int_equal(model->rig.joint_count, 2);
    assert_string_equal(model->rig.names[1], "Chest");
    assert_int_equal(model->rig.parents[1], 0);
    assert_true(model->rig.rest_local[1].translation.y == 5);
    assert_int_equal(limber_bvh_frame_count(bvh), 2);
    assert_true(limber_bvh_frame_time_s(bvh) == 0.0333333);
    assert_int_equal(model->clip_count, 1);
    assert_string_equal(model->clips[0].name, "motion");
    assert_int_equal(model->clips[0].channels[0].key_count, 2);
    assert_at(joint_at(model, 0, 0), 1, 2, 3);
    assert_at(joint_at(model, 0, 1), 1.5, 2.5, 3.5);
    limber_bvh_destroy(bvh);
}

// Rotation by `degrees` about an axis, rows of a matrix.
static void turn_matrix(int axis, double degrees, double m[3][3]) {
    double c = cos(degrees * LIMBERI_PI / 180), s = sin(degrees * LIMBERI_PI / 180);
    int n = (axis + 1) % 3, f = (axis + 2) % 3;
    memset(m, 0, 9 * sizeof(double));
    m[axis][axis] = 1;
    m[n][n] = m[f][f] = c;
    m[n][f] = -s;
    m[f][n] = s;
}

static void multiply(double a[3][3], double b[3][3], double out[3][3]) {
    double r[3][3];
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            r[i][j] = a[i][0] * b[0][j] + a[i][1] * b[1][j] + a[i][2] * b[2][j];
    memcpy(out, r, sizeof r);
}

// Angles of the three channels in the order they stand, whatever order that is; places in any order among them.
static void every_order_of_channels_means_the_product_from_left_to_right(void** state) {
    (void)state;
    static const char axes[] = "XYZ";
    for (int code = 0; code < 27; code++) {
        int order[3] = {code / 9, code / 3 % 3, code % 3};
        if (order[0] == order[1] || order[1] == order[2])
            continue;
        for (int mixed = 0; mixed < 2; mixed++) {
            char text[700];
            const char* shape = mixed ? "%crotation Zposition %crotation Xposition Yposition %crotation"
                                      : "Xposition Yposition Zposition %crotation %crotation %crotation";
            char channels[200];
            snprintf(channels, sizeof channels, shape, axes[order[0]], axes[order[1]], axes[order[2]]);
            snprintf(text, sizeof text,
                     "HIERARCHY\nROOT a\n{ OFFSET 9 9 9 CHANNELS 6 %s\nJOINT b\n{ OFFSET 1 2 3 CHANNELS 0 }\n}\n"
                     "MOTION\nFrames: 1\nFrame Time: 0.1\n%s\n",
                     channels, mixed ? "33 7 -71 5 6 128" : "5 6 7 33 -71 128");
            double m[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, turn[3][3], angles[3] = {33, -71, 128};
            for (int i = 0; i < 3; i++) {
                turn_matrix(order[i], angles[i], turn);
                multiply(m, turn, m);
            }
            limber_bvh* bvh = load(text);
            assert_at(joint_at(model_of(bvh), 0, 0), 5, 6, 7);
            assert_at(joint_at(model_of(bvh), 1, 0), 5 + m[0][0] + 2 * m[0][1] + 3 * m[0][2],
                      6 + m[1][0] + 2 * m[1][1] + 3 * m[1][2], 7 + m[2][0] + 2 * m[2][1] + 3 * m[2][2]);
            limber_bvh_destroy(bvh);
        }
    }
}

static void a_position_channel_replaces_its_coordinate_of_the_offset_only(void** state) {
    (void)state;
    limber_bvh* bvh = load("HIERARCHY ROOT a\n{ OFFSET 1 2 3 CHANNELS 1 Yposition JOINT b\n{ OFFSET 4 5 6 CHANNELS 2 "
                           "Zposition Xposition } } MOTION Frames: 2 Frame Time: 1 20 60 40 21 61 41");
    assert_at(joint_at(model_of(bvh), 0, 0), 1, 20, 3);
    assert_at(joint_at(model_of(bvh), 1, 0), 41, 25, 63);
    assert_at(joint_at(model_of(bvh), 1, 1), 42, 26, 64);
    limber_bvh_destroy(bvh);
}

static const char odd[] =
    "\xEF\xBB\xBF# made by hand\r\n"
    "hierarchy // the words in small letters\r\n"
    "\t\tRoot   Left Hip   { Offset 1e1\t+2.5E-1 -.5   # ten, a quarter, minus a half\r\n"
    "// a line of its own\r\n"
    "channels 3 zROTATION XRotation\r\n\r\n  yrotation\r\n"
    "End Site { OFFSET 0 1 0 }\r\n"
    "JOINT Bip01 L Thigh # two\r\n{OFFSET 0 2 0 CHANNELS 1 Xrotation}\r\n"
    "JOINT plain\r\n{ OFFSET 0 3 0\r\n End Site\r\n { OFFSET 1 0 0 }\r\n End Site\r\n{OFFSET 2 0 0 }}}\r\n"
    "ROOT Schl\xFCssel\r\n{ OFFSET 5 0 0 CHANNELS 3 Xposition Yposition Zposition }\r\n"
    "motion:\r\nframes  :\t2\r\nframe   time   :.5   # half a second\r\n"
    "\r\n 90 0 0 45   1 2 3 # first\r\n\r\n"
    "9.0e+1 00000000000000000000 -0\r\n4.5000000000000000000000000E1\t1 2 3.00\r\n // end";

static void everything_odd_that_files_hold_is_understood(void** state) {
    (void)state;
    limber_bvh* bvh = load(odd);
    const limber_model* model = model_of(bvh);
    assert_int_equal(model->rig.joint_count, 4);
    assert_string_equal(model->rig.names[0], "Left Hip");
    assert_string_equal(model->rig.names[1], "Bip01 L Thigh");
    assert_string_equal(model->rig.names[2], "plain");
    assert_string_equal(model->rig.names[3], "Schl\xC3\xBCssel");
    assert_int_equal(model->rig.parents[2], 0);
    assert_int_equal(model->rig.parents[3], LIMBER_NO_PARENT);
    assert_true(model->clips[0].end_s == 0.5);
    assert_int_equal(model->clips[0].channel_count, 3);
    for (int i = 0; i < 2; i++) {
        assert_at(joint_at(model, 0, 0.5 * i), 10, 0.25, -0.5);
        assert_at(joint_at(model, 1, 0.5 * i), 8, 0.25, -0.5); // a quarter turn about z
        assert_at(joint_at(model, 2, 0.5 * i), 7, 0.25, -0.5);
        assert_at(joint_at(model, 3, 0.5 * i), 1, 2, 3);
    }
    limber_bvh_destroy(bvh);
}

static void line_ends_of_every_system_count_the_same(void** state) {
    (void)state;
    static const char* const ends[3] = {"\n", "\r\n", "\r"};
    for (int e = 0; e < 3; e++) {
        bvh_text t = {NULL, 0, 0};
        for (const char* c = bvh_good; *c; c++)
            bvh_add(&t, "%s", *c == '\n' ? ends[e] : (char[2]){*c, 0});
        limber_bvh_destroy(load(t.text));
        char* wrong = strstr(t.text, "51");
        *wrong = 'x';
        limber_bvh* bvh;
        limber_error error;
        assert_int_equal(limber_bvh_load_memory(t.text, t.length, NULL, NULL, &bvh, &error), LIMBER_ERROR_DATA);
        assert_string_equal(error.place, "line 20");
        free(t.text);
    }
}

static void a_file_without_frames_or_channels_is_a_still_figure(void** state) {
    (void)state;
    limber_bvh* bvh = load("HIERARCHY ROOT a\n{ OFFSET 1 2 3 CHANNELS 1 Xrotation } MOTION Frames: 0 Frame Time: 0.1");
    assert_int_equal(model_of(bvh)->clip_count, 0);
    assert_at(joint_at(model_of(bvh), 0, 0), 1, 2, 3);
    limber_bvh_destroy(bvh);
    bvh = load("HIERARCHY ROOT a\n{ OFFSET 1 2 3 } MOTION Frames: 1000 Frame Time: 0.1");
    assert_int_equal(model_of(bvh)->clip_count, 0);
    limber_bvh_destroy(bvh);
    bvh = load("HIERARCHY ROOT a\n{ OFFSET 1 2 3 CHANNELS 1 Xrotation } MOTION Frames: 1 Frame Time: 0 7");
    assert_int_equal(model_of(bvh)->clip_count, 1);
    limber_bvh_destroy(bvh);
}

static void frames_beyond_the_declared_ones_are_read(void** state) {
    (void)state;
    const char* head = "HIERARCHY ROOT a\n{ OFFSET 0 0 0 CHANNELS 3 Xposition Yposition Zposition } MOTION Frames:";
    static const char* const declared[] = {"3", "2", "1", "0"};
    char text[256];
    for (uint32_t i = 0; i < 4; i++) {
        snprintf(text, sizeof text, "%s %s Frame Time: 0.1\n1 2 3\n4 5 6\n7 8 9\n\n", head, declared[i]);
        limber_bvh* bvh = load(text);
        const limber_channel* channel = &model_of(bvh)->clips[0].channels[0];
        assert_int_equal(limber_bvh_frame_count(bvh), 3);
        assert_int_equal(limber_bvh_declared_frame_count(bvh), 3 - i);
        assert_int_equal(model_of(bvh)->clips[0].channel_count, 1);
        assert_int_equal(channel->key_count, 3);
        assert_float_equal(channel->times[2], 0.2f, 1e-6f);
        assert_float_equal(channel->values[8], 9, 0);
        limber_bvh_destroy(bvh);
    }
    static const char* const wrong[] = {"1 2 3 4 5", "1 2 3 4 5 x", "1 2 3 end"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        limber_bvh* bvh;
        snprintf(text, sizeof text, "%s 1 Frame Time: 0.1\n%s", head, wrong[i]);
        assert_int_equal(limber_bvh_load_memory(text, strlen(text), NULL, NULL, &bvh, NULL), LIMBER_ERROR_DATA);
    }
}

static void the_clip_is_named_after_the_file(void** state) {
    (void)state;
    char folder[] = "/tmp/limber-bvh-XXXXXX", path[64];
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/02_01.walk.bvh", folder);
    FILE* file = fopen(path, "wb");
    assert_non_null(file);
    fputs(bvh_good, file);
    fclose(file);
    limber_bvh* bvh;
    assert_int_equal(limber_bvh_load_file(path, NULL, &bvh, NULL), LIMBER_OK);
    assert_string_equal(model_of(bvh)->clips[0].name, "02_01.walk");
    limber_bvh_destroy(bvh);
    remove(path);
    remove(folder);
}

static double scan(const char* text) {
    limberi_bvh_scanner s = {text, text + strlen(text), text, NULL};
    double number = NAN;
    limberi_number_result result = limberi_bvh_number(&s, &number);
    return result == LIMBERI_NUMBER_OK && s.at == s.end ? number : NAN;
}

// strtod rounds correctly; so must numbers of up to fifteen digits, and longer ones to a few units of the last place.
static void numbers_are_what_strtod_says(void** state) {
    (void)state;
    static const char* const odd_numbers[] = {
        "0",     "-0",    "5.",      ".5",    "-.5", "+7",   "1e5",   "1E-5", "1e+05", "0.0001",         "1e-400",
        "0e999", "00012", "-1.5e-3", ".0083", "0.1", "1e22", "1e-22", "7e-9", "12.e3", "123456789012345"};
    static const char* const large_numbers[] = {"3e37", "1e-40", "1e23", "1234567890123456789012345", "1e-300"};
    for (size_t i = 0; i < sizeof odd_numbers / sizeof odd_numbers[0]; i++)
        assert_true(scan(odd_numbers[i]) == strtod(odd_numbers[i], NULL));
    for (size_t i = 0; i < sizeof large_numbers / sizeof large_numbers[0]; i++)
        assert_true(fabs(scan(large_numbers[i]) / strtod(large_numbers[i], NULL) - 1) < 3e-15);
    srand(7);
    for (int i = 0; i < 100000; i++) {
        char text[64];
        double value = (rand() / (double)RAND_MAX - 0.5) * pow(10, rand() % 13 - 6);
        snprintf(text, sizeof text, rand() % 4 ? "%.*f" : "%.*e", rand() % 20, value);
        double expected = strtod(text, NULL), got = scan(text);
        bool exact = strlen(text) <= 15;
        if (!(fabs(got - expected) <= (exact ? 0 : 4e-16 * fabs(expected))))
            fail_msg("%s became %.17g", text, got);
    }
    assert_true(isnan(scan("1x")) && isnan(scan("e5")) && isnan(scan(".")) && isnan(scan("1e39")) && isnan(scan("")));
}

static void angles_come_back_near_those_of_the_frame_before(void** state) {
    (void)state;
    srand(3);
    for (int code = 0; code < 27; code++) {
        const uint8_t axes[3] = {(uint8_t)(code / 9), (uint8_t)(code / 3 % 3), (uint8_t)(code % 3)};
        if (axes[0] == axes[1] || axes[1] == axes[2])
            continue;
        for (int i = 0; i < 2000; i++) {
            double given[3], angles[3], q[4] = {0, 0, 0, 1}, again[4] = {0, 0, 0, 1}, dot = 0;
            for (int k = 0; k < 3; k++) // every seventh a multiple of 90 degrees: the locks
                given[k] = rand() % 7 ? 1440.0 * rand() / RAND_MAX - 720 : 90.0 * (rand() % 17 - 8);
            for (int k = 0; k < 3; k++) {
                limberi_bvh_turn(q, axes[k], given[k]);
                angles[k] = given[k] + (k == 1 ? -1 : 1);
            }
            limberi_bvh_euler(q, axes, 3, angles);
            for (int k = 0; k < 3; k++) {
                limberi_bvh_turn(again, axes[k], angles[k]);
                assert_true(fabs(angles[k] - given[k]) < 4);
            }
            for (int k = 0; k < 4; k++)
                dot += q[k] * again[k];
            assert_true(1 - fabs(dot) < 1e-14);
        }
    }
}

static void keys_turn_the_short_way_to_their_neighbours(void** state) {
    (void)state;
    bvh_text t = {NULL, 0, 0};
    bvh_add(&t, "HIERARCHY\nROOT a\n{\nOFFSET 0 0 0\nCHANNELS 3 Zrotation Xrotation Yrotation\n}\nMOTION\nFrames: 400\n"
                "Frame Time: 0.01\n");
    for (int i = 0; i < 400; i++)
        bvh_add(&t, "%g %g %g\n", 11.0 * i, i % 2 ? 359.0 : -1.0, -7.0 * i);
    limber_bvh* bvh = load(t.text);
    const limber_channel* channel = &model_of(bvh)->clips[0].channels[0];
    for (uint32_t k = 0; k + 1 < channel->key_count; k++) {
        const float *a = channel->values + 4 * (size_t)k, *b = a + 4;
        assert_true(a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3] > 0.9f);
    }
    limber_bvh_destroy(bvh);
    free(t.text);
}

static void ten_thousand_joints_deep_or_wide_are_fine(void** state) {
    (void)state;
    const uint32_t count = checked_build ? 3000 : 10000;
    bvh_text files[2] = {bvh_chain(count, 3), bvh_crowd(count - 1, 3)};
    for (int i = 0; i < 2; i++) {
        limber_bvh* bvh = load_bytes(files[i].text, files[i].length);
        assert_int_equal(model_of(bvh)->rig.joint_count, count);
        assert_true(model_of(bvh)->vertex_count < 2000000);
        limber_bvh_destroy(bvh);
        free(files[i].text);
    }
}

static void five_thousand_frames_are_read(void** state) {
    (void)state;
    bvh_text file = bvh_crowd(30, 5000);
    limber_bvh* bvh = load_bytes(file.text, file.length);
    assert_int_equal(model_of(bvh)->rig.joint_count, 31);
    assert_int_equal(model_of(bvh)->clips[0].channels[0].key_count, 5000);
    limber_bvh_destroy(bvh);
    free(file.text);
}

// --- the body ---

static void assert_closed_and_sound(const limber_model* model) {
    const limber_mesh* mesh = &model->meshes[0];
    int64_t* balance = calloc(mesh->vertex_count, sizeof *balance);
    assert_non_null(balance);
    double volume = 0;
    for (uint32_t t = 0; t < mesh->triangle_count; t++) {
        const uint32_t* v = mesh->triangles + 3 * (size_t)t;
        limber_vec3 p[3];
        for (int i = 0; i < 3; i++) {
            p[i] = limberi_load3(mesh->positions + 3 * (size_t)v[i]);
            balance[v[i]] += (int64_t)v[(i + 1) % 3] - (int64_t)v[(i + 2) % 3]; // around a closed vertex: 0
        }
        volume += (double)limberi_dot(p[0], limberi_cross(p[1], p[2])) / 6;
    }
    for (uint32_t u = 0; u < mesh->vertex_count; u++)
        assert_true(balance[u] == 0 && isfinite(mesh->positions[3 * (size_t)u]));
    assert_true(volume > 0); // it faces outwards
    free(balance);
}

static void every_skeleton_gets_a_closed_body(void** state) {
    (void)state;
    static const char* const skeletons[] = {
        bvh_good, "HIERARCHY ROOT alone\n{ OFFSET 0 0 0 } MOTION Frames: 0 Frame Time: 1",
        "HIERARCHY ROOT flat\n{ OFFSET 0 0 0 JOINT a\n{ OFFSET 0 0 0 JOINT Head\n{ OFFSET 0 0 0 } } } MOTION Frames: 0 "
        "Frame Time: 1",
        "HIERARCHY ROOT r\n{ OFFSET 0 0 0 JOINT Neck\n{ OFFSET 0 1e-20 0 JOINT Head\n{ OFFSET 0 1e10 0 End Site\n{ "
        "OFFSET "
        "1e-30 0 0 } } } } MOTION Frames: 0 Frame Time: 1",
        "HIERARCHY ROOT Head\n{ OFFSET 3 0 0 JOINT a\n{ OFFSET 0 0 1 } } ROOT b\n{ OFFSET 0 0 0 End Site\n{ OFFSET 0 0 "
        "1 } "
        "} MOTION Frames: 0 Frame Time: 1"};
    for (size_t i = 0; i < sizeof skeletons / sizeof skeletons[0]; i++) {
        limber_bvh* bvh = load(skeletons[i]);
        assert_int_equal(model_of(bvh)->mesh_count, 1);
        assert_closed_and_sound(model_of(bvh));
        limber_bvh_destroy(bvh);
    }
}

static void the_body_grows_with_the_skeleton(void** state) {
    (void)state;
    const char* shape =
        "HIERARCHY\nROOT a\n{\nOFFSET 0 0 0\nJOINT b\n{\nOFFSET 0 %g 0\nJOINT Head\n{\nOFFSET %g 0 0\nEnd "
        "Site\n{\nOFFSET 0 0 %g\n}\n}\n}\n}\nMOTION\nFrames: 0\nFrame Time: 1\n";
    char small[300], large[300];
    snprintf(small, sizeof small, shape, 2.0, 1.0, 0.5);
    snprintf(large, sizeof large, shape, 2000.0, 1000.0, 500.0);
    limber_bvh *a = load(small), *b = load(large);
    const limber_model *m = model_of(a), *n = model_of(b);
    assert_int_equal(m->vertex_count, n->vertex_count);
    assert_true(fabsf(n->size - 1000 * m->size) < 1e-3f * n->size);
    for (size_t i = 0; i < 3 * (size_t)m->vertex_count; i++)
        assert_true(fabsf(n->meshes[0].positions[i] - 1000 * m->meshes[0].positions[i]) < 1e-4f * n->size);
    limber_bvh_destroy(a);
    limber_bvh_destroy(b);
}

// A finger must not be thicker than it is long, a trunk not thinner than a finger.
static void bones_that_carry_more_are_thicker(void** state) {
    (void)state;
    limber_bvh* bvh =
        load("HIERARCHY ROOT trunk\n{ OFFSET 0 0 0 JOINT arm\n{ OFFSET 0 10 0 JOINT hand\n{ OFFSET 8 0 0 JOINT "
             "finger\n{ OFFSET 2 0 0 End Site\n{ OFFSET 1 0 0 } } } } } MOTION Frames: 0 Frame Time: 1");
    const limber_model* model = model_of(bvh);
    const limber_mesh* mesh = &model->meshes[0];
    double widest[4] = {0, 0, 0, 0};
    for (uint32_t u = 0; u < mesh->vertex_count; u++) {
        const float* p = mesh->positions + 3 * (size_t)u;
        uint32_t i = mesh->influence_first[u];
        if (mesh->influence_first[u + 1] != i + 1)
            continue;
        uint16_t joint = mesh->influence_joint[i];
        double away = joint == 0 ? hypot((double)p[0], (double)p[2]) : hypot((double)p[1] - 10, (double)p[2]);
        widest[joint] = fmax(widest[joint], away);
    }
    assert_true(widest[0] > widest[1] && widest[1] > widest[2] && widest[2] > widest[3]);
    assert_true(widest[3] > 0.05 && widest[3] < 0.5);
    limber_bvh_destroy(bvh);
}

// A root on the ground with the hips far above it is a handle, not a bone.
static void a_root_on_the_ground_gets_no_leg_of_its_own(void** state) {
    (void)state;
    limber_bvh* bvh =
        load("HIERARCHY ROOT ground\n{ OFFSET 0 0 0 JOINT hips\n{ OFFSET 0 10 0 JOINT spine\n{ OFFSET 0 2 0 End "
             "Site\n{ OFFSET 0 2 0 } } } } MOTION Frames: 0 Frame Time: 1");
    const limber_mesh* mesh = &model_of(bvh)->meshes[0];
    for (uint32_t u = 0; u < mesh->vertex_count; u++)
        assert_true(mesh->positions[3 * (size_t)u + 1] > 8);
    limber_bvh_destroy(bvh);
}

// --- the inserted pose ---

static void an_inserted_pose_is_found_although_no_joint_turns_far(void** state) {
    (void)state;
    for (int held = 0; held <= 3; held++) {
        bvh_text t = {NULL, 0, 0};
        bvh_add(&t, "HIERARCHY\nROOT r\n{\nOFFSET 0 0 0\nCHANNELS 1 Xrotation\n");
        for (int j = 0; j < 8; j++)
            bvh_add(&t, "JOINT j\n{\nOFFSET 0 1 0\nCHANNELS 1 Zrotation\n");
        bvh_add(&t, "}}}}}}}}}\nMOTION\nFrames: 60\nFrame Time: 0.0083333\n");
        for (int f = 0; f < 60; f++)
            for (int j = 0; j < 9; j++)
                bvh_add(&t, "%g%s", f < held ? 0 : 60 + 10 * sin(0.05 * f + j), j < 8 ? " " : "\n");
        limber_bvh* bvh = load(t.text);
        const limber_clip* clip = &model_of(bvh)->clips[0];
        assert_int_equal(clip->cut_count, held ? 1 : 0);
        if (held)
            assert_true(fabs(clip->cuts[0].before_s - (held - 1) * 0.0083333) < 1e-6 &&
                        fabs(clip->cuts[0].after_s - held * 0.0083333) < 1e-6);
        limber_bvh_destroy(bvh);
        free(t.text);
    }
}

static void motion_capture_starts_with_an_inserted_pose(void** state) {
    (void)state;
    static const char* const names[] = {"cmu_02_01", "cmu_06_15", "cmu_09_01", "cmu_88_06"};
    static const uint32_t frames[] = {344, 546, 149, 231};
    const char* folder = getenv("LIMBER_TEST_ASSETS");
    if (!folder)
        skip();
    for (int i = 0; i < 4; i++) {
        char path[1024];
        limber_bvh* bvh;
        snprintf(path, sizeof path, "%s/%s.bvh", folder, names[i]);
        assert_int_equal(limber_bvh_load_file(path, NULL, &bvh, NULL), LIMBER_OK);
        const limber_model* model = model_of(bvh);
        const limber_clip* clip = &model->clips[0];
        assert_int_equal(model->rig.joint_count, 31);
        assert_int_equal(limber_bvh_frame_count(bvh), frames[i]);
        assert_string_equal(clip->name, names[i]);
        assert_true(clip->fps == 120 && !clip->loops && clip->cut_count >= 1);
        assert_true(clip->cuts[0].before_s == 0 && fabs(clip->cuts[0].after_s - 0.0083333) < 1e-7);
        assert_closed_and_sound(model);
        limber_bvh_destroy(bvh);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_small_file_has_its_joints_frames_and_rate),
        cmocka_unit_test(every_order_of_channels_means_the_product_from_left_to_right),
        cmocka_unit_test(a_position_channel_replaces_its_coordinate_of_the_offset_only),
        cmocka_unit_test(everything_odd_that_files_hold_is_understood),
        cmocka_unit_test(line_ends_of_every_system_count_the_same),
        cmocka_unit_test(a_file_without_frames_or_channels_is_a_still_figure),
        cmocka_unit_test(frames_beyond_the_declared_ones_are_read),
        cmocka_unit_test(the_clip_is_named_after_the_file),
        cmocka_unit_test(numbers_are_what_strtod_says),
        cmocka_unit_test(angles_come_back_near_those_of_the_frame_before),
        cmocka_unit_test(keys_turn_the_short_way_to_their_neighbours),
        cmocka_unit_test(ten_thousand_joints_deep_or_wide_are_fine),
        cmocka_unit_test(five_thousand_frames_are_read),
        cmocka_unit_test(every_skeleton_gets_a_closed_body),
        cmocka_unit_test(the_body_grows_with_the_skeleton),
        cmocka_unit_test(bones_that_carry_more_are_thicker),
        cmocka_unit_test(a_root_on_the_ground_gets_no_leg_of_its_own),
        cmocka_unit_test(an_inserted_pose_is_found_although_no_joint_turns_far),
        cmocka_unit_test(motion_capture_starts_with_an_inserted_pose),
    };
    return cmocka_run_group_tests_name("bvh read", tests, NULL, NULL);
}
