// Cameras of a file and what moves them.
#include "gltf_load.h"

static void cameras_are_read_with_what_moves_them(void** state) {
    (void)state;
    gltf_kit kit;
    kit_character(&kit);
    const float times[2] = {0, 1}, way[6] = {0, 0, 0, 4, 0, 0};
    uint32_t in = kit_floats(&kit, times, "SCALAR", 2), out = kit_floats(&kit, way, "VEC3", 2);
    kit_set(&kit, "cameras", "[{'type': 'perspective', 'perspective': {'yfov': 0.8, 'znear': 0.1}}]");
    uint32_t crane = kit_add(&kit, "nodes", "{'name': 'crane', 'translation': [0, 5, 0], 'children': [7]}");
    assert_int_equal(crane, 6);
    kit_add(&kit, "nodes", "{'name': 'Shot', 'camera': 0, 'translation': [0, 0, 2]}");
    kit_set(&kit, "nodes/3/camera", "0"); // and one in the head
    kit_set(&kit, "scenes/0/nodes/1", "4");
    kit_set(&kit, "scenes/0/nodes/2", "6");
    char text[256];
    snprintf(text, sizeof text,
             "{'name': 'dolly', 'channels': [{'sampler': 0, 'target': {'node': 6, 'path': 'translation'}}], "
             "'samplers': [{'input': %u, 'output': %u}]}",
             in, out);
    uint32_t clip = kit_add(&kit, "animations", text);
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

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(cameras_are_read_with_what_moves_them)};
    return cmocka_run_group_tests_name("gltf_camera", tests, NULL, NULL);
}
