// Cameras of a file and what moves them.
#include "kit/gltf_load.h"

static void cameras_are_read_with_what_moves_them(void** state) {
    (void)state;
    gltf_kit kit;
    kit_character(&kit);
    const float times[2] = {0, 1}, way[6] = {0, 0, 0, 4, 0, 0};
    uint32_t in = kit_floats(&kit, times, "SCALAR", 2), out = kit_floats(&kit, way, "VEC3", 2);
    kit_set(&kit, "cameras", "[{'type': 'perspective', 'perspective': {'yfov': 0.8, 'znear': 0.1}}]");
    uint32_t crane = kit_push(&kit, "nodes", "{'name': 'crane', 'translation': [0, 5, 0], 'children': [7]}");
    assert_int_equal(crane, 6);
    kit_push(&kit, "nodes", "{'name': 'Shot', 'camera': 0, 'translation': [0, 0, 2]}");
    kit_set(&kit, "nodes/3/camera", "0"); // and one in the head
    kit_set(&kit, "scenes/0/nodes/1", "4");
    kit_set(&kit, "scenes/0/nodes/2", "6");
    char text[256];
    snprintf(text, sizeof text,
             "{'name': 'dolly', 'channels': [{'sampler': 0, 'target': {'node': 6, 'path': 'translation'}}], "
             "'samplers': [{'input': %u, 'output': %u}]}",
             in, out);
    uint32_t clip = kit_push(&kit, "animations", text);
    limber_gltf* gltf = load_kit(&kit);
    const limber_model* model = model_of(gltf);
    assert_int_equal(model->rig.joint_count, 5); // cameras are no joints
    assert_int_equal(model->camera_count, 2);
    uint32_t head = strcmp(model->cameras[0].name, "head") == 0 ? 0 : 1, shot = 1 - head;
    assert_string_equal(model->cameras[head].name, "head");
    assert_string_equal(model->cameras[shot].name, "Shot");
    const limber_clip* dolly = &model->clips[clip];
    assert_int_equal(dolly->channel_count, 0);
    assert_int_equal(dolly->camera_channel_count, 1);
    assert_float_equal((float)dolly->end_s, 1, 1e-6); // it lasts as long as the camera moves
    limber_pose pose;
    assert_int_equal(limber_pose_create(model, &pose), LIMBER_OK);
    limber_mat4 place = limber_camera_world(model, dolly, 0.5, &pose, shot);
    const float expected[3] = {2, 0, 2}, at_rest[3] = {0, 5, 2};
    assert_floats(place.m + 12, expected, 3, 1e-6f);
    place = limber_camera_world(model, NULL, 0, &pose, shot);
    assert_floats(place.m + 12, at_rest, 3, 1e-6f);
    place = limber_camera_world(model, NULL, 0, &pose, head);
    assert_floats(place.m, pose.world_from_joint[3].m, 16, 1e-6f);
    limber_pose_destroy(&pose);
    limber_gltf_destroy(gltf);
}

static limber_camera read_lens(const char* camera, const char* node_camera, uint32_t* notes) {
    gltf_kit kit;
    kit_character(&kit);
    kit_set(&kit, "cameras", camera);
    kit_set(&kit, "nodes/3/camera", node_camera);
    limber_gltf* gltf = load_kit(&kit);
    limber_camera found = model_of(gltf)->cameras[0];
    assert_string_equal(found.name, "head");
    found.name = NULL; // goes with the file
    *notes = limber_gltf_warning_count(gltf);
    limber_gltf_destroy(gltf);
    return found;
}

static void lenses_are_read(void** state) {
    (void)state;
    uint32_t notes;
    limber_camera c = read_lens("[{'type': 'perspective', 'perspective': {'yfov': 0.8, 'aspectRatio': 1.5, "
                                "'znear': 0.1, 'zfar': 90}}]",
                                "0", &notes);
    assert_int_equal(notes, 0);
    assert_false(c.orthographic);
    assert_float_equal(c.field_of_view_rad, 0.8f, 1e-6);
    assert_float_equal(c.aspect, 1.5f, 1e-6);
    assert_float_equal(c.nearest, 0.1f, 1e-6);
    assert_float_equal(c.farthest, 90, 1e-6);
    c = read_lens("[{'type': 'orthographic', 'orthographic': {'xmag': 3, 'ymag': -2, 'znear': 0, 'zfar': 8}}]", "0",
                  &notes);
    assert_int_equal(notes, 0);
    assert_true(c.orthographic);
    assert_float_equal(c.half_width, 3, 1e-6);
    assert_float_equal(c.half_height, 2, 1e-6);
}

static void broken_lenses_are_notes(void** state) {
    (void)state;
    static const char* const cameras[] = {
        "[{'type': 'perspective', 'perspective': {'yfov': 0, 'znear': 0.1}}]",
        "[{'type': 'perspective', 'perspective': {'yfov': 'wide', 'znear': 0.1}}]",
        "[{'type': 'perspective', 'perspective': {'yfov': 0.8, 'znear': 2, 'zfar': 1}}]",
        "[{'type': 'orthographic', 'orthographic': {'xmag': 0, 'ymag': 2, 'znear': 0, 'zfar': 8}}]",
        "[{'type': 'orthographic'}]",
        "[{}]",
    };
    for (size_t i = 0; i < sizeof cameras / sizeof cameras[0]; i++) {
        uint32_t notes;
        limber_camera c = read_lens(cameras[i], "0", &notes);
        assert_int_equal(notes, 1);
        assert_true(c.field_of_view_rad == 0 && c.half_width == 0);
    }
    uint32_t notes;
    read_lens("[{}]", "7", &notes); // no such camera
    assert_int_equal(notes, 1);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(cameras_are_read_with_what_moves_them),
                                       cmocka_unit_test(lenses_are_read), cmocka_unit_test(broken_lenses_are_notes)};
    return cmocka_run_group_tests_name("gltf_camera", tests, NULL, NULL);
}
