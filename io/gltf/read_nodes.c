// "nodes" and "scenes": the tree, and the rig that limber takes from it.
#include "base/math.h"
#include "io/gltf/read.h"

#include <string.h>

static limber_result read_tree(limberi_gltf_reader* reader) {
    limberi_gltf_tree* tree = &reader->tree;
    uint32_t** arrays[] = {&tree->parent, &tree->first_child, &tree->next_sibling,
                           &tree->mesh,   &tree->skin,        &tree->order};
    for (size_t i = 0; i < sizeof arrays / sizeof arrays[0]; i++) {
        *arrays[i] = LIMBERI_ALLOCATE(&reader->scratch, uint32_t, reader->nodes.count);
        if (*arrays[i])
            memset(*arrays[i], 0xff, sizeof(uint32_t) * reader->nodes.count); // LIMBERI_NONE
    }
    tree->shown = LIMBERI_ALLOCATE(&reader->scratch, bool, reader->nodes.count);
    return reader->scratch.failed ? limberi_fail_memory(reader->error) : LIMBER_OK;
}

static limber_result adopt(limberi_gltf_reader* reader, uint32_t node, uint32_t child) {
    limberi_gltf_tree* tree = &reader->tree;
    limberi_gltf_place place = limberi_gltf_place_of(&reader->nodes, child);
    if (child == node)
        return limberi_gltf_fail(reader, &place, LIMBER_ERROR_DATA, "is its own child");
    if (tree->parent[child] != LIMBERI_NONE)
        return limberi_gltf_fail(reader, &place, LIMBER_ERROR_DATA, "is a child of nodes[%u] and again of nodes[%u]",
                                 tree->parent[child], node);
    tree->parent[child] = node;
    tree->next_sibling[child] = tree->first_child[node];
    tree->first_child[node] = child;
    return LIMBER_OK;
}

static limber_result read_links(limberi_gltf_reader* reader, uint32_t node) {
    limberi_gltf_tree* tree = &reader->tree;
    const limberi_json* object = limberi_gltf_entry(&reader->nodes, node);
    limberi_gltf_place place = limberi_gltf_place_of(&reader->nodes, node);
    const limberi_json* children = NULL;
    limber_result result = limberi_gltf_array(reader, &place, object, "children", &children);
    if (result)
        return result;
    for (size_t i = limberi_json_count(children); i-- > 0;) { // backwards, for adopt puts each one first
        uint32_t child = 0;
        result = limberi_gltf_element(reader, &place, children, i, "children", &reader->nodes, &child);
        if (!result)
            result = adopt(reader, node, child);
        if (result)
            return result;
    }
    result = limberi_gltf_index(reader, &place, object, "mesh", &reader->meshes, &tree->mesh[node]);
    if (!result && tree->mesh[node] != LIMBERI_NONE)
        result = limberi_gltf_index(reader, &place, object, "skin", &reader->skins, &tree->skin[node]);
    return result;
}

// Appends `root` and all below it to the order, without recursion: down, else sideways, else up until sideways.
static uint32_t append_subtree(limberi_gltf_tree* tree, uint32_t root, uint32_t count) {
    for (uint32_t node = root;;) {
        tree->order[count++] = node;
        if (tree->first_child[node] != LIMBERI_NONE) {
            node = tree->first_child[node];
            continue;
        }
        while (node != root && tree->next_sibling[node] == LIMBERI_NONE)
            node = tree->parent[node];
        if (node == root)
            return count;
        node = tree->next_sibling[node];
    }
}

// Marks the nodes that the active scene lists and appends those that are roots, in the scene's order.
static limber_result append_scene(limberi_gltf_reader* reader, uint32_t* count) {
    limberi_gltf_tree* tree = &reader->tree;
    if (reader->scene == LIMBERI_NONE)
        return LIMBER_OK;
    limberi_gltf_place place = limberi_gltf_place_of(&reader->scenes, reader->scene);
    const limberi_json* listed = NULL;
    limber_result result =
        limberi_gltf_array(reader, &place, limberi_gltf_entry(&reader->scenes, reader->scene), "nodes", &listed);
    if (result)
        return result;
    for (size_t i = 0; i < limberi_json_count(listed); i++) {
        uint32_t node = 0;
        result = limberi_gltf_element(reader, &place, listed, i, "nodes", &reader->nodes, &node);
        if (result)
            return result;
        if (tree->shown[node])
            continue;
        tree->shown[node] = true;
        if (tree->parent[node] == LIMBERI_NONE)
            *count = append_subtree(tree, node, *count);
        else
            limberi_gltf_note(reader, &place, "lists nodes[%u], which is a child of nodes[%u]", node,
                              tree->parent[node]);
    }
    return LIMBER_OK;
}

// Every node has at most one parent, so whatever the roots do not reach is a ring or hangs on one.
static limber_result fail_cycle(limberi_gltf_reader* reader, uint32_t reached) {
    const limberi_gltf_tree* tree = &reader->tree;
    bool* seen = LIMBERI_ALLOCATE(&reader->scratch, bool, reader->nodes.count);
    if (!seen)
        return limberi_fail_memory(reader->error);
    for (uint32_t i = 0; i < reached; i++)
        seen[tree->order[i]] = true;
    uint32_t node = 0;
    while (seen[node])
        node++;
    for (; !seen[node]; node = tree->parent[node]) // the first one met twice is on the ring
        seen[node] = true;
    limberi_gltf_place place = limberi_gltf_place_of(&reader->nodes, node);
    return limberi_gltf_fail(reader, &place, LIMBER_ERROR_DATA, "is its own ancestor");
}

limber_result limberi_gltf_read_tree(limberi_gltf_reader* reader) {
    limberi_gltf_tree* tree = &reader->tree;
    limber_result result = read_tree(reader);
    uint32_t nodes = reader->nodes.count;
    uint32_t count = 0;
    if (result)
        return result;
    for (uint32_t node = 0; node < nodes; node++) {
        result = read_links(reader, node);
        if (result)
            return result;
    }
    result = append_scene(reader, &count);
    if (result)
        return result;
    for (uint32_t node = 0; node < nodes; node++) {
        bool other_root = tree->parent[node] == LIMBERI_NONE && !tree->shown[node];
        if (other_root)
            count = append_subtree(tree, node, count);
        if (other_root && reader->scene == LIMBERI_NONE)
            tree->shown[node] = true;
    }
    if (count < nodes)
        return fail_cycle(reader, count);
    for (uint32_t i = 0; i < nodes; i++) { // parents come first
        uint32_t parent = tree->parent[tree->order[i]];
        if (parent != LIMBERI_NONE && tree->shown[parent])
            tree->shown[tree->order[i]] = true;
    }
    return LIMBER_OK;
}

// Marks a node and its ancestors. Stops at one that is marked: its ancestors are, too.
static void mark_joint(limberi_gltf_reader* reader, uint32_t node) {
    int32_t* joint = reader->gltf->joint_of_node;
    for (; node != LIMBERI_NONE && joint[node] < 0; node = reader->tree.parent[node])
        joint[node] = 0;
}

static limber_result mark_skin(limberi_gltf_reader* reader, uint32_t skin) {
    limberi_gltf_place place = limberi_gltf_place_of(&reader->skins, skin);
    const limberi_json* object = limberi_gltf_entry(&reader->skins, skin);
    const limberi_json* joints = NULL;
    uint32_t node = 0;
    limber_result result = limberi_gltf_index(reader, &place, object, "skeleton", &reader->nodes, &node);
    if (!result)
        result = limberi_gltf_array(reader, &place, object, "joints", &joints);
    if (result)
        return result;
    if (limberi_json_count(joints) == 0)
        return limberi_gltf_fail(reader, &place, LIMBER_ERROR_DATA, "has no joints");
    if (limberi_json_count(joints) > LIMBER_JOINT_LIMIT)
        return limberi_gltf_fail(reader, &place, LIMBER_ERROR_LIMIT, "has %u joints, more than the limit of %u",
                                 limberi_json_count(joints), LIMBER_JOINT_LIMIT);
    for (size_t i = 0; i < limberi_json_count(joints); i++) {
        result = limberi_gltf_element(reader, &place, joints, i, "joints", &reader->nodes, &node);
        if (result)
            return result;
        mark_joint(reader, node);
    }
    return LIMBER_OK;
}

// A file without meshes is a bare skeleton: the joints of its skins or, without any, every node of the scene.
static limber_result mark_skeleton(limberi_gltf_reader* reader) {
    for (uint32_t s = 0; s < reader->skins.count; s++) {
        limber_result result = mark_skin(reader, s);
        if (result)
            return result;
    }
    if (reader->skins.count)
        return LIMBER_OK;
    for (uint32_t node = 0; node < reader->nodes.count; node++)
        if (reader->tree.shown[node])
            mark_joint(reader, node);
    return LIMBER_OK;
}

static limber_result mark_rig(limberi_gltf_reader* reader) {
    if (reader->model.mesh_count == 0)
        return mark_skeleton(reader);
    bool* done = LIMBERI_ALLOCATE(&reader->scratch, bool, reader->skins.count);
    if (!done)
        return limberi_fail_memory(reader->error);
    for (uint32_t m = 0; m < reader->model.mesh_count; m++) {
        const limberi_gltf_mesh_source* source = &reader->gltf->meshes[m];
        if (source->skin == LIMBERI_NONE) {
            mark_joint(reader, source->node);
        } else if (!done[source->skin]) {
            done[source->skin] = true;
            limber_result result = mark_skin(reader, source->skin);
            if (result)
                return result;
        }
    }
    return LIMBER_OK;
}

static void read_matrix(limberi_gltf_reader* reader, const limberi_gltf_place* place, const limber_mat4* a,
                        limber_transform* out) {
    float shear = limberi_mat4_decompose(a, out);
    bool affine = a->m[3] == 0 && a->m[7] == 0 && a->m[11] == 0 && a->m[15] == 1;
    // 1e-4 of the matrix's size is far more than the rounding of a product of rotations and scales in floats.
    if (!affine || !(shear < 1e-4f))
        limberi_gltf_note(reader, place,
                          "its matrix is not a translation, rotation and scale; the nearest such is used");
}

limber_result limberi_gltf_read_transform(limberi_gltf_reader* reader, uint32_t node, limber_transform* out) {
    const limberi_json* object = limberi_gltf_entry(&reader->nodes, node);
    limberi_gltf_place place = limberi_gltf_place_of(&reader->nodes, node);
    limber_mat4 matrix;
    bool has_matrix;
    float t[3] = {0, 0, 0};
    float r[4] = {0, 0, 0, 1};
    float s[3] = {1, 1, 1};
    limber_result result = limberi_gltf_floats(reader, &place, object, "matrix", matrix.m, 16, &has_matrix);
    if (!result && has_matrix) {
        read_matrix(reader, &place, &matrix, out);
        return LIMBER_OK;
    }
    if (!result)
        result = limberi_gltf_floats(reader, &place, object, "translation", t, 3, NULL);
    if (!result)
        result = limberi_gltf_floats(reader, &place, object, "rotation", r, 4, NULL);
    if (!result)
        result = limberi_gltf_floats(reader, &place, object, "scale", s, 3, NULL);
    if (result)
        return result;
    limber_quat q = {r[0], r[1], r[2], r[3]};
    float length = q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w;
    if (!(fabsf(length - 1) < 0.01f))
        limberi_gltf_note(reader, &place, "its rotation is not a unit quaternion");
    out->translation = limberi_load3(t);
    out->rotation = limberi_quat_normalize(q);
    out->scale = limberi_load3(s);
    return LIMBER_OK;
}

static limber_result fill_rig(limberi_gltf_reader* reader, uint32_t count) {
    const limberi_gltf_tree* tree = &reader->tree;
    int32_t* joint_of_node = reader->gltf->joint_of_node;
    uint32_t* node_of_joint = reader->gltf->node_of_joint = LIMBERI_ALLOCATE(reader->arena, uint32_t, count);
    const char** names = LIMBERI_ALLOCATE(&reader->scratch, const char*, count);
    int32_t* parents = LIMBERI_ALLOCATE(&reader->scratch, int32_t, count);
    limber_transform* rest = LIMBERI_ALLOCATE(&reader->scratch, limber_transform, count);
    if (!node_of_joint || !names || !parents || !rest)
        return limberi_fail_memory(reader->error);
    uint32_t joint = 0;
    for (uint32_t i = 0; i < reader->nodes.count; i++) {
        uint32_t node = tree->order[i];
        uint32_t parent = tree->parent[node];
        if (joint_of_node[node] < 0)
            continue;
        joint_of_node[node] = (int32_t)joint;
        node_of_joint[joint] = node;
        names[joint] = limberi_gltf_name(reader, &reader->nodes, node, "node");
        parents[joint] = parent == LIMBERI_NONE ? LIMBER_NO_PARENT : joint_of_node[parent];
        limber_result result = limberi_gltf_read_transform(reader, node, &rest[joint]);
        if (result)
            return result;
        joint++;
    }
    limber_rig* rig = &reader->model.rig;
    rig->joint_count = count;
    rig->names = names;
    rig->parents = parents;
    rig->rest_local = rest;
    return LIMBER_OK;
}

limber_result limberi_gltf_read_rig(limberi_gltf_reader* reader) {
    uint32_t nodes = reader->nodes.count;
    uint32_t count = 0;
    int32_t* joint_of_node = reader->gltf->joint_of_node = LIMBERI_ALLOCATE(reader->arena, int32_t, nodes);
    if (!joint_of_node)
        return limberi_fail_memory(reader->error);
    memset(joint_of_node, 0xff, sizeof(int32_t) * nodes); // -1
    limber_result result = mark_rig(reader);
    if (result)
        return result;
    for (uint32_t node = 0; node < nodes; node++)
        count += joint_of_node[node] >= 0;
    if (count > LIMBER_JOINT_LIMIT)
        return limberi_gltf_fail(reader, NULL, LIMBER_ERROR_LIMIT, "too many joints (%u, max %u)", count,
                                 LIMBER_JOINT_LIMIT);
    return fill_rig(reader, count);
}
