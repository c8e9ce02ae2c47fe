// Moving meshes between nodes, and giving a mesh to one node alone.
#include "io/gltf/write.h"

#include <string.h>

static const char* const transform_keys[] = {"matrix", "translation", "rotation", "scale"};

static void note_role(limberi_writer* writer, uint32_t node, uint8_t role) {
    if (node < writer->node_count)
        writer->roles[node] |= role;
}

static void index_children(limberi_writer* writer, uint32_t node, const limberi_json* object) {
    size_t i;
    const limberi_json* child;
    for (i = 0; (child = limberi_json_at(limberi_json_get(object, "children"), i)) != NULL; i++) {
        int64_t index = limberi_json_as_integer(child);
        if (index >= 0 && index < writer->node_count)
            writer->parents[index] = (int32_t)node;
    }
}

static void index_skins(limberi_writer* writer) {
    size_t s, i;
    const limberi_json *skin, *joint;
    for (s = 0; (skin = limberi_json_at(limberi_json_get(writer->json.root, "skins"), s)) != NULL; s++) {
        note_role(writer, limberi_index(skin, "skeleton"), LIMBERI_ROLE_JOINT);
        for (i = 0; (joint = limberi_json_at(limberi_json_get(skin, "joints"), i)) != NULL; i++) {
            int64_t index = limberi_json_as_integer(joint);
            if (index >= 0 && index < writer->node_count)
                note_role(writer, (uint32_t)index, LIMBERI_ROLE_JOINT);
        }
    }
}

static void index_animations(limberi_writer* writer) {
    size_t a, c;
    const limberi_json *animation, *channel;
    for (a = 0; (animation = limberi_json_at(limberi_json_get(writer->json.root, "animations"), a)) != NULL; a++) {
        for (c = 0; (channel = limberi_json_at(limberi_json_get(animation, "channels"), c)) != NULL; c++) {
            const limberi_json* target = limberi_json_get(channel, "target");
            const char* path = limberi_json_as_text(limberi_json_get(target, "path"));
            bool weights = path && strcmp(path, "weights") == 0;
            note_role(writer, limberi_index(target, "node"), weights ? LIMBERI_ROLE_WEIGHTS : LIMBERI_ROLE_ANIMATED);
        }
    }
}

void limberi_nodes_index(limberi_writer* writer) {
    const limberi_json* nodes = limberi_json_get(writer->json.root, "nodes");
    writer->node_count = limberi_json_count(nodes);
    writer->mesh_count = limberi_json_count(limberi_json_get(writer->json.root, "meshes"));
    // Every node can be split once and get two more to move its skin, helpers have two each, and the skeletons may need
    // a common root.
    writer->node_room = 4 * writer->node_count + 2 * LIMBER_BONE_HELPERS + 1;
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
    const limberi_json* node;
    for (i = 0; (node = limberi_json_at(nodes, i)) != NULL; i++) {
        index_children(writer, (uint32_t)i, node);
        uint32_t mesh = limberi_index(node, "mesh");
        if (mesh < writer->mesh_count)
            writer->mesh_users[mesh]++;
    }
    index_skins(writer);
    index_animations(writer);
}

static bool is_default(const limberi_json* object, const char* key) {
    const limberi_json* values = limberi_json_get(object, key);
    size_t i;
    size_t count = limberi_json_count(values);
    const limberi_json* value;
    for (i = 0; (value = limberi_json_at(values, i)) != NULL; i++) {
        bool one = strcmp(key, "scale") == 0;
        if (count == 16) // a matrix
            one = i % 5 == 0;
        else if (count == 4) // a rotation
            one = i == 3;
        if (limberi_json_as_number(value) != (one ? 1.0 : 0.0))
            return false;
    }
    return true;
}

static bool has_transform(const limberi_json* object) {
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

// A scene that holds a node.
struct limberi_place {
    limberi_json* nodes; // of the scene
    limberi_place* next;
};

static void note_place(limberi_writer* writer, uint32_t node, limberi_json* nodes) {
    limberi_place* place = node < writer->node_room ? LIMBERI_ALLOCATE(&writer->arena, limberi_place, 1) : NULL;
    if (!place)
        return;
    place->nodes = nodes;
    place->next = writer->places[node];
    writer->places[node] = place;
}

static bool find_places(limberi_writer* writer) {
    size_t s, i;
    limberi_json *scene, *value;
    if (writer->places)
        return true;
    writer->places = LIMBERI_ALLOCATE(&writer->arena, limberi_place*, writer->node_room);
    for (s = 0; writer->places && (scene = limberi_item(writer->json.root, "scenes", s)) != NULL; s++) {
        limberi_json* nodes = limberi_json_get(scene, "nodes");
        for (i = 0; (value = limberi_json_at(nodes, i)) != NULL; i++) {
            int64_t node = limberi_json_is(value, LIMBERI_JSON_INTEGER) ? limberi_json_as_integer(value) : -1;
            if (node >= 0 && node < writer->node_room)
                note_place(writer, (uint32_t)node, nodes);
        }
    }
    return writer->places != NULL;
}

static bool is_in(const limberi_writer* writer, uint32_t node, const limberi_json* nodes) {
    const limberi_place* place = writer->places[node];
    while (place && place->nodes != nodes)
        place = place->next;
    return place != NULL;
}

void limberi_add_to_scenes(limberi_writer* writer, uint32_t node, uint32_t old_root) {
    if (!find_places(writer) || node >= writer->node_room || old_root >= writer->node_room)
        return;
    for (const limberi_place* place = writer->places[old_root]; place; place = place->next)
        if (!is_in(writer, node, place->nodes)) {
            limberi_push_integer(writer, place->nodes, node);
            note_place(writer, node, place->nodes);
        }
}

static void detach(limberi_writer* writer, uint32_t node) {
    limberi_json* parent = limberi_item(writer->json.root, "nodes", (size_t)writer->parents[node]);
    limberi_json* children = limberi_json_get(parent, "children");
    size_t i = 0; // those before it have often gone already
    while (i < limberi_json_count(children) && limberi_json_as_integer(limberi_json_at(children, i)) != (int64_t)node)
        i++;
    if (i < limberi_json_count(children))
        limberi_json_remove_at(children, i);
    if (limberi_json_count(children) == 0)
        limberi_json_remove(parent, "children"); // glTF has no empty arrays
    writer->parents[node] = -1;
}

static void retarget_weights(limberi_writer* writer, uint32_t from, uint32_t to) {
    uint32_t count = limberi_json_count(limberi_json_get(writer->json.root, "animations"));
    for (uint32_t a = 0; a < count; a++)
        limberi_channels_move(writer, a, from, to, "weights");
    writer->roles[to] |= LIMBERI_ROLE_WEIGHTS;
    writer->roles[from] &= (uint8_t)~LIMBERI_ROLE_WEIGHTS;
}

// Copies of a mesh go where the mesh goes.
static void move_copies(limberi_writer* writer, limberi_json* from, limberi_json* to) {
    static const char name[] = "EXT_mesh_gpu_instancing";
    limberi_json* extensions = limberi_json_get(from, "extensions");
    limberi_json* copies = limberi_json_get(extensions, name);
    if (!copies)
        return;
    limberi_put(writer, limberi_child_object(writer, to, "extensions"), name, copies);
    limberi_json_remove(extensions, name);
    if (!limberi_json_count(extensions))
        limberi_json_remove(from, "extensions");
}

// Where a name is in the table, or the empty place for it.
static limberi_node_name* place_of(const limberi_node_names* names, const char* text) {
    uint32_t hash = 2166136261u;
    for (const char* c = text; *c; c++)
        hash = (hash ^ (unsigned char)*c) * 16777619u;
    uint32_t at = hash & (names->room - 1);
    while (names->entries[at].text && strcmp(names->entries[at].text, text) != 0)
        at = (at + 1) & (names->room - 1);
    return &names->entries[at];
}

// Twice the room, when half of it is taken.
static bool has_room(limberi_writer* writer) {
    limberi_node_names* names = &writer->names;
    if (names->room && names->count < names->room / 2)
        return true;
    limberi_node_names more = {.room = names->room ? 2 * names->room : 64, .count = names->count};
    more.entries = LIMBERI_ALLOCATE(&writer->arena, limberi_node_name, more.room);
    if (!more.entries)
        return false;
    for (uint32_t i = 0; i < names->room; i++)
        if (names->entries[i].text)
            *place_of(&more, names->entries[i].text) = names->entries[i];
    *names = more;
    return true;
}

// `text` stays. `number`: which the next one of that name gets.
static void note_name(limberi_writer* writer, const char* text, uint32_t number) {
    if (!has_room(writer))
        return;
    limberi_node_name* name = place_of(&writer->names, text);
    limberi_node_name noted = {name->text ? name->text : text, number};
    writer->names.count += !name->text;
    *name = noted;
}

static void list_names(limberi_writer* writer) {
    const limberi_json* nodes = limberi_json_get(writer->json.root, "nodes");
    (void)has_room(writer);
    for (size_t i = 0; i < limberi_json_count(nodes); i++) {
        const char* name = limberi_json_as_text(limberi_json_get(limberi_json_at(nodes, i), "name"));
        if (name)
            note_name(writer, name, 2);
    }
}

void limberi_name_node(limberi_writer* writer, limberi_json* node, const char* name, const char* end) {
    enum { NUMBER_BYTES = 16 };
    size_t room = strlen(name) + strlen(end) + NUMBER_BYTES;
    char* text = LIMBERI_ALLOCATE(&writer->arena, char, room);
    char* plain = LIMBERI_ALLOCATE(&writer->arena, char, room);
    if (!writer->names.room)
        list_names(writer);
    if (!text || !plain || !writer->names.room)
        return;
    limberi_format(plain, room, "%s%s", name, end);
    limberi_format(text, room, "%s", plain);
    uint32_t number = place_of(&writer->names, plain)->number;
    while (place_of(&writer->names, text)->text)
        limberi_format(text, room, "%s.%u", plain, number++);
    limberi_put_string(writer, node, "name", text);
    note_name(writer, text, 2);
    if (number)
        note_name(writer, plain, number);
}

// A new node takes the mesh over. Clips, constraints and engines go by names, which the old one keeps.
static uint32_t split(limberi_writer* writer, uint32_t node, limberi_json* object) {
    static const char* const moved[] = {"mesh", "skin", "weights"};
    limberi_json* fresh = limberi_new_object(writer);
    const char* name = limberi_json_as_text(limberi_json_get(object, "name"));
    if (name)
        limberi_name_node(writer, fresh, name, ".mesh");
    for (size_t k = 0; k < sizeof moved / sizeof *moved; k++) {
        limberi_json* value = limberi_json_get(object, moved[k]);
        if (value)
            limberi_put(writer, fresh, moved[k], value);
        limberi_json_remove(object, moved[k]);
    }
    move_copies(writer, object, fresh);
    uint32_t index = limberi_push(writer, limberi_json_get(writer->json.root, "nodes"), fresh);
    if (index >= writer->node_room) {
        writer->failed = true; // cannot happen: every node is split at most once
        return node;
    }
    if (writer->roles[node] & LIMBERI_ROLE_WEIGHTS)
        retarget_weights(writer, node, index);
    return index;
}

uint32_t limberi_node_to_root(limberi_writer* writer, uint32_t node) {
    limberi_json* object = limberi_item(writer->json.root, "nodes", node);
    bool animated = writer->roles[node] & LIMBERI_ROLE_ANIMATED;
    if (writer->parents[node] < 0 && !has_transform(object) && !animated)
        return node;
    // A camera or an extension (a light) on the node needs the transform that the mesh must lose.
    bool needed = animated || writer->roles[node] & LIMBERI_ROLE_JOINT || limberi_json_get(object, "children") ||
                  limberi_json_get(object, "camera") || limberi_json_get(object, "extensions");
    uint32_t old_root = limberi_node_root(writer, node);
    uint32_t carrier = node;
    if (needed) {
        carrier = split(writer, node, object);
    } else {
        if (writer->parents[node] >= 0)
            detach(writer, node);
        for (size_t k = 0; k < sizeof transform_keys / sizeof *transform_keys; k++)
            limberi_json_remove(object, transform_keys[k]);
    }
    limberi_add_to_scenes(writer, carrier, old_root);
    return carrier;
}

uint32_t limberi_node_to_leaf(limberi_writer* writer, uint32_t node) {
    limberi_json* object = limberi_item(writer->json.root, "nodes", node);
    if (!(writer->roles[node] & LIMBERI_ROLE_JOINT) && !limberi_json_get(object, "children"))
        return node;
    uint32_t leaf = split(writer, node, object);
    if (leaf != node) {
        limberi_push_integer(writer, limberi_child_array(writer, object, "children"), leaf);
        writer->parents[leaf] = (int32_t)node;
    }
    return leaf;
}

uint32_t limberi_mesh_own(limberi_writer* writer, uint32_t node) {
    limberi_json* object = limberi_item(writer->json.root, "nodes", node);
    uint32_t mesh = limberi_index(object, "mesh");
    if (mesh >= writer->mesh_count || writer->mesh_users[mesh] < 2)
        return mesh;
    limberi_json* meshes = limberi_json_get(writer->json.root, "meshes");
    uint32_t clone = limberi_push(writer, meshes, limberi_json_copy(&writer->json, limberi_json_at(meshes, mesh)));
    limberi_put_integer(writer, object, "mesh", clone);
    writer->mesh_users[mesh]--;
    return clone;
}

// --- bones ---

static bool find_parents(const limberi_json* nodes, uint32_t* parents, uint32_t count) {
    memset(parents, 0xff, count * sizeof *parents); // UINT32_MAX
    for (uint32_t n = 0; n < count; n++) {
        const limberi_json* children = limberi_json_get(limberi_json_at(nodes, n), "children");
        for (size_t i = 0; i < limberi_json_count(children); i++) {
            int64_t child = limberi_json_as_integer(limberi_json_at(children, i));
            if (child < 0 || child >= (int64_t)count)
                return false;
            parents[child] = n;
        }
    }
    return true;
}

static uint32_t mark_joints(const limberi_json* skins, bool* is_joint, uint32_t count) {
    uint32_t found = 0;
    for (size_t s = 0; s < limberi_json_count(skins); s++) {
        const limberi_json* joints = limberi_json_get(limberi_json_at(skins, s), "joints");
        for (size_t i = 0; i < limberi_json_count(joints); i++) {
            int64_t joint = limberi_json_as_integer(limberi_json_at(joints, i));
            if (joint < 0 || joint >= (int64_t)count || is_joint[joint])
                continue;
            is_joint[joint] = true;
            found++;
        }
    }
    return found;
}

uint32_t limberi_count_bones(limberi_writer* writer) {
    const limberi_json* nodes = limberi_json_get(writer->json.root, "nodes");
    uint32_t count = limberi_json_count(nodes);
    uint32_t* parents = LIMBERI_ALLOCATE(&writer->arena, uint32_t, count);
    uint32_t* below = LIMBERI_ALLOCATE(&writer->arena, uint32_t, count); // joints at or below the node
    bool* is_joint = LIMBERI_ALLOCATE(&writer->arena, bool, count);
    if (!parents || !below || !is_joint || !find_parents(nodes, parents, count))
        return 0;
    uint32_t joints = mark_joints(limberi_json_get(writer->json.root, "skins"), is_joint, count);
    uint32_t bones = 0;
    for (uint32_t n = 0; n < count; n++)
        for (uint32_t up = n; is_joint[n] && up != UINT32_MAX; up = parents[up])
            below[up]++;
    for (uint32_t n = 0; n < count; n++)
        bones += is_joint[n] || (below[n] && below[n] < joints);
    return bones;
}
