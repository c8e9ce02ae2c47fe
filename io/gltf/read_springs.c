// The spring bones of avatars, VRM 0 (extensions.VRM.secondaryAnimation.boneGroups) and VRM 1 (VRMC_springBone.springs),
// as the layer "springs": hair, skirts and tails that a player would let swing are above 0, everything else is 0. The
// softer a spring, the nearer to 1. Styles use it like a painted layer. The extension itself stays as it is.
#include "base/math.h"
#include "io/gltf/read.h"

#include <string.h>

static const char layer_name[] = "springs";

// Our own rule: a usual spring (stiffness 1, drag 0.4) is 0.8; one four times as stiff 0.32.
static float softness(const limberi_json* spring, const char* stiffness_key) {
    const limberi_json* k = limberi_json_get(spring, stiffness_key);
    const limberi_json* d = limberi_json_get(spring, "dragForce");
    float stiffness = limberi_json_is_number(k) ? (float)limberi_json_as_number(k) : 1.0f;
    float drag = limberi_json_is_number(d) ? (float)limberi_json_as_number(d) : 0.4f;
    stiffness = isfinite(stiffness) ? fmaxf(stiffness, 0) : 1.0f;
    drag = isfinite(drag) ? fminf(fmaxf(drag, 0), 1) : 0.4f;
    return fminf(2 / (1 + stiffness), 1) * (1 - drag / 2);
}

static int32_t joint_at(const limberi_gltf_reader* reader, const limberi_json* node) {
    int64_t index = limberi_json_is(node, LIMBERI_JSON_INTEGER) ? limberi_json_as_integer(node) : -1;
    return index >= 0 && index < (int64_t)reader->nodes.count ? reader->gltf->joint_of_node[index] : -1;
}

// Springs of VRM 0 name the first bones of chains: all bones below belong to them.
static void mark_0(limberi_gltf_reader* reader, const limberi_json* groups, float* softs) {
    const limber_rig* rig = &reader->model.rig;
    for (uint32_t g = 0; g < limberi_json_count(groups); g++) {
        const limberi_json* group = limberi_json_at(groups, g);
        const limberi_json* bones = limberi_json_get(group, "bones");
        float soft = softness(group, "stiffiness"); // as VRM 0 spells it
        for (uint32_t i = 0; i < limberi_json_count(bones); i++) {
            int32_t joint = joint_at(reader, limberi_json_at(bones, i));
            if (joint >= 0)
                softs[joint] = fmaxf(softs[joint], soft);
        }
    }
    for (uint32_t j = 0; j < rig->joint_count; j++) // parents come first
        if (rig->parents[j] >= 0)
            softs[j] = fmaxf(softs[j], softs[rig->parents[j]]);
}

static void mark_1(limberi_gltf_reader* reader, const limberi_json* springs, float* softs) {
    for (uint32_t s = 0; s < limberi_json_count(springs); s++) {
        const limberi_json* joints = limberi_json_get(limberi_json_at(springs, s), "joints");
        for (uint32_t i = 0; i < limberi_json_count(joints); i++) {
            const limberi_json* item = limberi_json_at(joints, i);
            int32_t joint = joint_at(reader, limberi_json_get(item, "node"));
            if (joint >= 0)
                softs[joint] = fmaxf(softs[joint], softness(item, "stiffness"));
        }
    }
}

static limber_result paint(limberi_gltf_reader* reader, limber_mesh* mesh, const float* softs) {
    const limber_skin* skin = &reader->model.skins[mesh->skin];
    limber_result result =
        limberi_gltf_charge(reader, NULL, &reader->budget.vertex_values, mesh->vertex_count, "values of layers");
    if (result)
        return result;
    limber_layer* layers = LIMBERI_ALLOCATE(&reader->scratch, limber_layer, (size_t)mesh->layer_count + 1);
    float* values = LIMBERI_ALLOCATE(&reader->scratch, float, mesh->vertex_count);
    if (!layers || !values)
        return limberi_fail_memory(reader->error);
    for (uint32_t v = 0; v < mesh->vertex_count; v++) {
        float sum = 0;
        float weights = 0;
        for (uint32_t i = mesh->influence_first[v]; i < mesh->influence_first[v + 1]; i++) {
            weights += mesh->influence_weight[i];
            sum += mesh->influence_weight[i] * softs[skin->joints[mesh->influence_joint[i]]];
        }
        values[v] = weights > 0 ? fminf(sum / weights, 1) : 0;
    }
    if (mesh->layer_count)
        memcpy(layers, mesh->layers, mesh->layer_count * sizeof *layers);
    layers[mesh->layer_count].name = layer_name;
    layers[mesh->layer_count++].values = values;
    mesh->layers = layers;
    return LIMBER_OK;
}

limber_result limberi_gltf_read_springs(limberi_gltf_reader* reader) {
    const limberi_json* extensions = limberi_json_get(reader->gltf->json.root, "extensions");
    const limberi_json* old = limberi_json_get(limberi_json_get(extensions, "VRM"), "secondaryAnimation");
    const limberi_json* springs = limberi_json_get(extensions, "VRMC_springBone");
    if (!old && !springs)
        return LIMBER_OK;
    uint32_t joints = reader->model.rig.joint_count;
    float* softs = LIMBERI_ALLOCATE(&reader->scratch, float, joints);
    if (!softs)
        return limberi_fail_memory(reader->error);
    if (springs)
        mark_1(reader, limberi_json_get(springs, "springs"), softs);
    else
        mark_0(reader, limberi_json_get(old, "boneGroups"), softs);
    bool any = false;
    for (uint32_t j = 0; j < joints; j++)
        any = any || softs[j] > 0;
    for (uint32_t m = 0; any && m < reader->model.mesh_count; m++) {
        if (limber_mesh_find_layer(&reader->model_meshes[m], layer_name)) // one that was painted counts
            continue;
        limber_result result = paint(reader, &reader->model_meshes[m], softs);
        if (result)
            return result;
    }
    return LIMBER_OK;
}

// --- the human body ---

// VRM 0 has a list of {"bone": name, "node": index}, VRM 1 members name: {"node": index}. The asset copies the names.
limber_result limberi_gltf_read_bones(limberi_gltf_reader* reader) {
    const limberi_json* extensions = limberi_json_get(reader->gltf->json.root, "extensions");
    const limberi_json* newer = limberi_json_get(extensions, "VRMC_vrm");
    const limberi_json* humanoid = limberi_json_get(newer ? newer : limberi_json_get(extensions, "VRM"), "humanoid");
    const limberi_json* list = limberi_json_get(humanoid, "humanBones");
    if (!limberi_json_count(list))
        return LIMBER_OK;
    const char** bones = LIMBERI_ALLOCATE(&reader->scratch, const char*, reader->model.rig.joint_count);
    if (!bones)
        return limberi_fail_memory(reader->error);
    for (uint32_t i = 0; i < limberi_json_count(list); i++) {
        const limberi_json* item = limberi_json_at(list, i);
        const limberi_json* name = limberi_json_get(item, "bone");
        const char* given = newer ? limberi_json_key_at(list, i) : limberi_json_as_text(name);
        int32_t joint = joint_at(reader, limberi_json_get(item, "node"));
        if (joint >= 0 && given)
            bones[joint] = given;
    }
    reader->model.rig.bones = (const char* const*)bones;
    return LIMBER_OK;
}
