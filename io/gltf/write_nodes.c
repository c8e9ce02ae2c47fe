// Moving meshes between nodes, and giving a mesh to one node alone.
#include "io/gltf/write.h"

#include <string.h>

static const char* const transform_keys[] = {"matrix", "translation", "rotation", "scale"};

static void note_role(limberi_writer* writer, uint32_t node, uint8_t role) {
    if (node < writer->node_count)
        writer->roles[node] |= role;
}

static void index_children(limberi_writer* writer, uint32_t node, const json_t* object) {
    size_t i;
    const json_t* child;
    json_array_foreach(json_object_get(object, "children"), i, child) {
        json_int_t index = json_integer_value(child);
        if (index >= 0 && index < writer->node_count)
            writer->parents[index] = (int32_t)node;
    }
}

static void index_skins(limberi_writer* writer) {
    size_t s, i;
    const json_t *skin, *joint;
    json_array_foreach(json_object_get(writer->root, "skins"), s, skin) {
        note_role(writer, limberi_index(skin, "skeleton"), LIMBERI_ROLE_JOINT);
        json_array_foreach(json_object_get(skin, "joints"), i, joint) {
            json_int_t index = json_integer_value(joint);
            if (index >= 0 && index < writer->node_count)
                note_role(writer, (uint32_t)index, LIMBERI_ROLE_JOINT);
        }
    }
}

static void index_animations(limberi_writer* writer) {
    size_t a, c;
    const json_t *animation, *channel;
    json_array_foreach(json_object_get(writer->root, "animations"), a, animation) {
        json_array_foreach(json_object_get(animation, "channels"), c, channel) {
            const json_t* target = json_object_get(channel, "target");
            const char* path = json_string_value(json_object_get(target, "path"));
            bool weights = path && strcmp(path, "weights") == 0;
            note_role(writer, limberi_index(target, "node"), weights ? LIMBERI_ROLE_WEIGHTS : LIMBERI_ROLE_ANIMATED);
        }
    }
}

void limberi_nodes_index(limberi_writer* writer) {
    const json_t* nodes = json_object_get(writer->root, "nodes");
    writer->node_count = (uint32_t)json_array_size(nodes);
    writer->mesh_count = (uint32_t)json_array_size(json_object_get(writer->root, "meshes"));
    // Every node can be split once and get two more to stretch its skin, and the skeletons may need a common root.
    writer->node_room = 4 * writer->node_count + 1;
    writer->parents = LIMBERI_ALLOCATE(&writer->arena, int32_t, writer->node_room);
    writer->roles = LIMBERI_ALLOCATE(&writer->arena, uint8_t, writer->node_room);
    writer->mesh_users = LIMBERI_ALLOCATE(&writer->arena, uint32_t, writer->mesh_count);
    const limber_model* model = limber_asset_model(writer->document->asset);
    writer->carriers = LIMBERI_ALLOCATE(&writer->arena, uint32_t, model->mesh_count);
    if (writer->arena.failed)
        return;
    for (uint32_t m = 0; m < model->mesh_count; m++)
        writer->carriers[m] = writer->document->meshes[m].node;
    memset(writer->parents, -1, (size_t)writer->node_room * sizeof(int32_t));
    size_t i;
    const json_t* node;
    json_array_foreach(nodes, i, node) {
        index_children(writer, (uint32_t)i, node);
        uint32_t mesh = limberi_index(node, "mesh");
        if (mesh < writer->mesh_count)
            writer->mesh_users[mesh]++;
    }
    index_skins(writer);
    index_animations(writer);
}

static bool is_default(const json_t* object, const char* key) {
    const json_t* values = json_object_get(object, key);
    size_t i, count = json_array_size(values);
    const json_t* value;
    json_array_foreach(values, i, value) {
        bool one = count == 16 ? i % 5 == 0 : count == 4 ? i == 3 : strcmp(key, "scale") == 0;
        if (json_number_value(value) != (one ? 1.0 : 0.0))
            return false;
    }
    return true;
}

static bool has_transform(const json_t* object) {
    for (size_t k = 0; k < sizeof transform_keys / sizeof *transform_keys; k++)
        if (!is_default(object, transform_keys[k]))
            return true;
    return false;
}

// The scene's root above a node; a step limit guards against cycles in the part of a file that nothing shows.
uint32_t limberi_node_root(const limberi_writer* writer, uint32_t node) {
    for (uint32_t step = 0; step < writer->node_count && writer->parents[node] >= 0; step++)
        node = (uint32_t)writer->parents[node];
    return node;
}

bool limberi_holds(const json_t* array, uint32_t index) {
    size_t i;
    const json_t* value;
    json_array_foreach(array, i, value) {
        if (json_is_integer(value) && json_integer_value(value) == (json_int_t)index)
            return true;
    }
    return false;
}

void limberi_add_to_scenes(limberi_writer* writer, uint32_t node, uint32_t old_root) {
    size_t s;
    json_t* scene;
    json_array_foreach(json_object_get(writer->root, "scenes"), s, scene) {
        json_t* nodes = json_object_get(scene, "nodes");
        if (limberi_holds(nodes, old_root) && !limberi_holds(nodes, node))
            limberi_push(writer, nodes, json_integer(node));
    }
}

static void detach(limberi_writer* writer, uint32_t node) {
    json_t* parent = limberi_item(writer->root, "nodes", (size_t)writer->parents[node]);
    json_t* children = json_object_get(parent, "children");
    for (size_t i = json_array_size(children); i-- > 0;)
        if (json_integer_value(json_array_get(children, i)) == (json_int_t)node)
            json_array_remove(children, i);
    if (json_array_size(children) == 0)
        json_object_del(parent, "children"); // glTF has no empty arrays
    writer->parents[node] = -1;
}

static void retarget_weights(limberi_writer* writer, uint32_t from, uint32_t to) {
    size_t a, c;
    json_t *animation, *channel;
    json_array_foreach(json_object_get(writer->root, "animations"), a, animation) {
        json_array_foreach(json_object_get(animation, "channels"), c, channel) {
            json_t* target = json_object_get(channel, "target");
            const char* path = json_string_value(json_object_get(target, "path"));
            if (path && strcmp(path, "weights") == 0 && limberi_index(target, "node") == from)
                limberi_put(writer, target, "node", json_integer(to));
        }
    }
    writer->roles[to] |= LIMBERI_ROLE_WEIGHTS;
    writer->roles[from] &= (uint8_t)~LIMBERI_ROLE_WEIGHTS;
}

// A new node of the same name takes the mesh over.
static uint32_t split(limberi_writer* writer, uint32_t node, json_t* object) {
    static const char* const moved[] = {"name", "mesh", "skin", "weights"};
    json_t* fresh = json_object();
    for (size_t k = 0; k < sizeof moved / sizeof *moved; k++) {
        json_t* value = json_object_get(object, moved[k]);
        if (value)
            limberi_put(writer, fresh, moved[k], json_incref(value));
        if (k > 0)
            json_object_del(object, moved[k]);
    }
    uint32_t index = limberi_push(writer, json_object_get(writer->root, "nodes"), fresh);
    if (index >= writer->node_room) {
        writer->failed = true; // cannot happen: every node is split at most once
        return node;
    }
    if (writer->roles[node] & LIMBERI_ROLE_WEIGHTS)
        retarget_weights(writer, node, index);
    return index;
}

uint32_t limberi_node_to_root(limberi_writer* writer, uint32_t node) {
    json_t* object = limberi_item(writer->root, "nodes", node);
    bool animated = writer->roles[node] & LIMBERI_ROLE_ANIMATED;
    if (writer->parents[node] < 0 && !has_transform(object) && !animated)
        return node;
    // A camera or an extension (a light) on the node needs the transform that the mesh must lose.
    bool needed = animated || writer->roles[node] & LIMBERI_ROLE_JOINT || json_object_get(object, "children") ||
                  json_object_get(object, "camera") || json_object_get(object, "extensions");
    uint32_t old_root = limberi_node_root(writer, node), carrier = node;
    if (needed) {
        carrier = split(writer, node, object);
    } else {
        if (writer->parents[node] >= 0)
            detach(writer, node);
        for (size_t k = 0; k < sizeof transform_keys / sizeof *transform_keys; k++)
            json_object_del(object, transform_keys[k]);
    }
    limberi_add_to_scenes(writer, carrier, old_root);
    return carrier;
}

uint32_t limberi_node_to_leaf(limberi_writer* writer, uint32_t node) {
    json_t* object = limberi_item(writer->root, "nodes", node);
    if (!(writer->roles[node] & LIMBERI_ROLE_JOINT) && !json_object_get(object, "children"))
        return node;
    uint32_t leaf = split(writer, node, object);
    if (leaf != node) {
        limberi_push(writer, limberi_child_array(writer, object, "children"), json_integer(leaf));
        writer->parents[leaf] = (int32_t)node;
    }
    return leaf;
}

uint32_t limberi_mesh_own(limberi_writer* writer, uint32_t node) {
    json_t* object = limberi_item(writer->root, "nodes", node);
    uint32_t mesh = limberi_index(object, "mesh");
    if (mesh >= writer->mesh_count || writer->mesh_users[mesh] < 2)
        return mesh;
    json_t* meshes = json_object_get(writer->root, "meshes");
    uint32_t clone = limberi_push(writer, meshes, json_deep_copy(json_array_get(meshes, mesh)));
    limberi_put(writer, object, "mesh", json_integer(clone));
    writer->mesh_users[mesh]--;
    return clone;
}
