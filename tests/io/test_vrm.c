// Colliders and spring bones of avatars: VRM 0 and VRM 1.
#include "kit/gltf_load.h"
#include <limber/stages/stages.h>
#include <limber/style.h>

static limber_gltf* avatar(const char* path, const char* extension) {
    gltf_kit kit;
    kit_character(&kit);
    kit_set(&kit, "extensions", "{}");
    kit_set(&kit, path, extension);
    return load_kit(&kit);
}

static void vrm_0_spheres_are_read(void** state) {
    (void)state;
    limber_gltf* gltf = avatar("extensions/VRM", "{'secondaryAnimation': {'colliderGroups': [{'node': 2, 'colliders': "
                                                 "[{'offset': {'x': 0.1, 'y': 0.2, 'z': 0.3}, 'radius': 0.5}, "
                                                 "{'radius': 'x'}]}, {'node': 99, 'colliders': [{'radius': 1}]}], "
                                                 "'boneGroups': [{'bones': [3], 'colliderGroups': [0]}]}}");
    const limber_model* model = model_of(gltf);
    assert_int_equal(model->collider_count, 1); // the others have no size or no node
    const limber_collider* c = &model->colliders[0];
    assert_int_equal(c->shape, LIMBER_COLLIDER_SPHERE);
    assert_string_equal(model->rig.names[c->joint], "spine");
    assert_true(c->radius == 0.5f && c->from.x == 0.1f && c->from.y == 0.2f && c->from.z == -0.3f);
    for (uint32_t j = 0; j < model->rig.joint_count; j++) {
        bool below = strcmp(model->rig.names[j], "head") == 0 || strcmp(model->rig.names[j], "prop") == 0;
        assert_int_equal(c->obey[j], below);
    }
    limber_gltf_destroy(gltf);
}

static void vrm_1_spheres_and_capsules_are_read(void** state) {
    (void)state;
    limber_gltf* gltf =
        avatar("extensions/VRMC_springBone",
               "{'specVersion': '1.0', 'colliders': [{'node': 3, 'shape': {'sphere': {'offset': [0, 1, 0], 'radius': "
               "0.2}}}, {'node': 1, 'shape': {'capsule': {'offset': [0, 0, 1], 'radius': 0.1, 'tail': [0, 2, 1]}}}, "
               "{'node': 2, 'shape': {'cube': {}}}, {'node': 2, 'shape': {'sphere': {'radius': 3}}}], "
               "'colliderGroups': [{'colliders': [0]}, {'colliders': [1, 2]}], "
               "'springs': [{'joints': [{'node': 2}], 'colliderGroups': [0, 1, 7]}]}");
    const limber_model* model = model_of(gltf);
    assert_int_equal(model->collider_count, 2); // a cube is unknown, and no spring names the last one
    const limber_collider *a = &model->colliders[0], *b = &model->colliders[1];
    assert_int_equal(a->shape, LIMBER_COLLIDER_SPHERE);
    assert_string_equal(model->rig.names[a->joint], "head");
    assert_int_equal(b->shape, LIMBER_COLLIDER_CAPSULE);
    assert_true(b->from.z == 1 && b->to.y == 2 && b->radius == 0.1f);
    assert_int_equal(b->obey[limber_rig_find_joint(&model->rig, "spine")], 1);
    assert_int_equal(b->obey[limber_rig_find_joint(&model->rig, "head")], 0);
    limber_colliders* colliders;
    assert_int_equal(limber_colliders_find(limber_gltf_asset(gltf), NULL, &colliders, NULL), LIMBER_OK);
    assert_int_equal(limber_collider_count(colliders), 2); // the file's, not fitted ones
    limber_colliders_destroy(colliders);
    limber_gltf_destroy(gltf);
}

// The mesh's node is not a joint: the collider goes to the nearest one above.
static void broken_extensions_are_skipped(void** state) {
    (void)state;
    static const char* const broken[] = {"[]", "{'colliders': 3}", "{'colliders': [1, {}, {'node': -1, 'shape': {}}]}",
                                         "{'colliders': [{'node': 1, 'shape': {'sphere': {'radius': -1}}}]}",
                                         "{'colliders': [{'node': 4, 'shape': {'sphere': {'radius': 1e30}}}]}"};
    for (size_t i = 0; i < sizeof broken / sizeof broken[0]; i++) {
        limber_gltf* gltf = avatar("extensions/VRMC_springBone", broken[i]);
        assert_int_equal(model_of(gltf)->collider_count, 0);
        limber_gltf_destroy(gltf);
    }
}

// The head and the prop below it swing in both; the value at a vertex is what its weights say.
static void check_springs(const limber_gltf* gltf, float soft, bool below) {
    const limber_model* model = model_of(gltf);
    float largest = 0;
    for (uint32_t m = 0; m < model->mesh_count; m++) {
        const limber_mesh* mesh = &model->meshes[m];
        const limber_layer* layer = limber_mesh_find_layer(mesh, "springs");
        assert_non_null(layer);
        for (uint32_t v = 0; v < mesh->vertex_count; v++) {
            float wanted = 0;
            for (uint32_t i = mesh->influence_first[v]; i < mesh->influence_first[v + 1]; i++) {
                const char* name = model->rig.names[model->skins[mesh->skin].joints[mesh->influence_joint[i]]];
                if (strcmp(name, "head") == 0 || (below && strcmp(name, "prop") == 0))
                    wanted += soft * mesh->influence_weight[i];
            }
            assert_float_equal(layer->values[v], wanted, 1e-6f);
            largest = wanted > largest ? wanted : largest;
        }
    }
    assert_true(largest > 0.5f * soft);
}

static void spring_bones_are_a_layer(void** state) {
    (void)state;
    limber_gltf* gltf = avatar("extensions/VRM", "{'secondaryAnimation': {'boneGroups': [{'bones': [3, 99, 'x'], "
                                                 "'stiffiness': 3, 'dragForce': 0.5}]}}");
    check_springs(gltf, 0.5f * 0.75f, true);
    limber_gltf_destroy(gltf);
    gltf =
        avatar("extensions/VRMC_springBone", "{'specVersion': '1.0', 'springs': [{'joints': [{'node': 3, 'stiffness': "
                                             "3, 'dragForce': 0.5}, {'node': -1}, 7]}]}");
    check_springs(gltf, 0.5f * 0.75f, false);
    limber_gltf_destroy(gltf);
    gltf = avatar("extensions/VRMC_springBone", "{'specVersion': '1.0', 'springs': []}");
    assert_null(limber_mesh_find_layer(&model_of(gltf)->meshes[0], "springs"));
    limber_gltf_destroy(gltf);
}

// Styles know the bones of avatars by what they are, whatever their nodes are called.
static void bones_of_the_body_are_names_of_joints(void** state) {
    (void)state;
    static const char* const bodies[2][2] = {
        {"extensions/VRM", "{'humanoid': {'humanBones': [{'bone': 'chest', 'node': 2}, {'bone': 'neck', 'node': 3}, "
                           "{'bone': 'jaw', 'node': 99}, {'bone': 7, 'node': 1}, 5]}}"},
        {"extensions/VRMC_vrm", "{'specVersion': '1.0', 'humanoid': {'humanBones': {'chest': {'node': 2}, "
                                "'neck': {'node': 3}, 'jaw': {}, 'hips': 4}}}"}};
    for (int i = 0; i < 2; i++) {
        limber_gltf* gltf = avatar(bodies[i][0], bodies[i][1]);
        const limber_rig* rig = &model_of(gltf)->rig;
        int32_t head = limber_rig_find_joint(rig, "head");
        assert_true(head >= 0 && limber_rig_find_joint(rig, "neck") == head && limber_rig_find_joint(rig, "jaw") == -1);
        assert_string_equal(rig->bones[head], "neck");
        static const char text[] = "{\"limber\": 1, \"joints\": {\"nec*\": {\"overlap\": 2}}}";
        limber_style* style;
        limber_bound_style* bound;
        assert_int_equal(limber_style_create(&style, NULL), LIMBER_OK);
        assert_int_equal(limber_style_read(style, text, strlen(text), NULL), LIMBER_OK);
        assert_int_equal(limber_style_bind(style, limber_gltf_asset(gltf), &bound, NULL), LIMBER_OK);
        const limber_deform_settings* deform = &limber_bound_style_settings(bound)->deform;
        for (uint32_t j = 0; j < rig->joint_count; j++)
            assert_true(deform->joint_gains[LIMBER_EFFECT_OVERLAP][j].angular == ((int32_t)j == head ? 2.0f : 1.0f));
        limber_bound_style_destroy(bound);
        limber_style_destroy(style);
        limber_gltf_destroy(gltf);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(vrm_0_spheres_are_read),
        cmocka_unit_test(vrm_1_spheres_and_capsules_are_read),
        cmocka_unit_test(broken_extensions_are_skipped),
        cmocka_unit_test(spring_bones_are_a_layer),
        cmocka_unit_test(bones_of_the_body_are_names_of_joints),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
