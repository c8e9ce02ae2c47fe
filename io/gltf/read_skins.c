// "skins": those that the model's meshes use, and one of a single joint for each mesh that has none.
#include "base/math.h"
#include "io/gltf/read_accessor.h"

static limber_result read_matrices(limberi_gltf_reader* reader, const limberi_gltf_place* place,
                                   const limberi_json* object, limber_skin* skin) {
    limber_mat4* matrices = LIMBERI_ALLOCATE(&reader->scratch, limber_mat4, skin->joint_count);
    if (!matrices)
        return limberi_fail_memory(reader->error);
    skin->joint_from_mesh = matrices;
    for (uint32_t k = 0; k < skin->joint_count; k++)
        matrices[k] = limber_mat4_identity();
    limberi_gltf_accessor* accessor;
    limber_result result = limberi_gltf_open(reader, place, object, "inverseBindMatrices", "MAT4", &accessor);
    if (result || !accessor)
        return result;
    if (accessor->component != LIMBERI_GLTF_FLOAT)
        return limberi_gltf_fail(reader, place, LIMBER_ERROR_DATA, "its inverse bind matrices are not floats");
    if (accessor->count < skin->joint_count)
        return limberi_gltf_fail(reader, place, LIMBER_ERROR_DATA, "has %u joints but only %u inverse bind matrices",
                                 skin->joint_count, accessor->count);
    result = limberi_gltf_read_floats(reader, accessor, 0, skin->joint_count, matrices[0].m, 16);
    for (uint32_t k = 0; k < skin->joint_count; k++) { // the last row is fixed; some writers leave noise in it
        matrices[k].m[3] = matrices[k].m[7] = matrices[k].m[11] = 0;
        matrices[k].m[15] = 1;
    }
    return result;
}

static limber_result read_skin(limberi_gltf_reader* reader, uint32_t index, limber_skin* skin) {
    const limberi_json* object = limberi_gltf_entry(&reader->skins, index);
    limberi_gltf_place place = limberi_gltf_place_of(&reader->skins, index);
    const limberi_json* listed = limberi_json_get(object, "joints"); // checked with the rig
    uint32_t* joints = LIMBERI_ALLOCATE(&reader->scratch, uint32_t, limberi_json_count(listed));
    if (!joints)
        return limberi_fail_memory(reader->error);
    skin->name = limberi_gltf_name(reader, &reader->skins, index, "skin");
    skin->joint_count = limberi_json_count(listed);
    skin->joints = joints;
    for (uint32_t k = 0; k < skin->joint_count; k++) {
        uint32_t node = 0;
        limber_result result = limberi_gltf_element(reader, &place, listed, k, "joints", &reader->nodes, &node);
        if (result)
            return result;
        joints[k] = (uint32_t)reader->gltf->joint_of_node[node];
    }
    return read_matrices(reader, &place, object, skin);
}

static limber_result make_rigid_skin(limberi_gltf_reader* reader, uint32_t node, limber_skin* skin) {
    uint32_t joint = (uint32_t)reader->gltf->joint_of_node[node];
    limber_mat4 identity = limber_mat4_identity();
    skin->name = reader->model.rig.names[joint];
    skin->joint_count = 1;
    skin->joints = LIMBERI_COPY(&reader->scratch, uint32_t, &joint, 1);
    skin->joint_from_mesh = LIMBERI_COPY(&reader->scratch, limber_mat4, &identity, 1);
    return skin->joint_from_mesh ? LIMBER_OK : limberi_fail_memory(reader->error);
}

limber_result limberi_gltf_read_skins(limberi_gltf_reader* reader) {
    limber_model* model = &reader->model;
    limber_skin* skins = LIMBERI_ALLOCATE(&reader->scratch, limber_skin, model->mesh_count);
    uint32_t* made = LIMBERI_ALLOCATE(&reader->scratch, uint32_t, reader->skins.count); // index into `skins`, plus 1
    if (!skins || !made)
        return limberi_fail_memory(reader->error);
    model->skins = skins;
    for (uint32_t m = 0; m < model->mesh_count; m++) {
        const limberi_gltf_mesh_source* source = &reader->gltf->meshes[m];
        bool rigid = source->skin == LIMBERI_NONE;
        if (!rigid && made[source->skin]) {
            reader->model_meshes[m].skin = made[source->skin] - 1;
            continue;
        }
        uint32_t skin = reader->model_meshes[m].skin = model->skin_count++;
        if (!rigid)
            made[source->skin] = skin + 1;
        limber_result result =
            rigid ? make_rigid_skin(reader, source->node, &skins[skin]) : read_skin(reader, source->skin, &skins[skin]);
        if (result)
            return result;
    }
    return LIMBER_OK;
}
