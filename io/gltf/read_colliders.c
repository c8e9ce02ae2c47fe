// The colliders of avatars: VRM 0 (extensions.VRM.secondaryAnimation) and VRM 1 (extensions.VRMC_springBone). Springs say
// which bones obey which groups of colliders; limber moves the skin of those bones in its own way, but keeps it out of
// the same bodies. Whatever is wrong in these extensions is skipped: the character is as good as without it.
#include "base/math.h"
#include "io/gltf/read.h"

#include <string.h>

typedef struct collecting {
    limberi_gltf_reader* reader;
    const limberi_json* groups; // of colliders
    limber_collider* items;
    uint8_t** obey;     // [collider] marks, NULL: no spring names it
    uint32_t* of_group; // VRM 0: the group of each collider
    uint32_t* of_entry; // VRM 1: its place in the file's list
    uint32_t count;
    bool any_spring;
} collecting;

static bool read_vector(const limberi_json* node, limber_vec3* out) {
    float v[3] = {0, 0, 0};
    for (uint32_t i = 0; i < 3 && node; i++) {
        static const char* const keys[3] = {"x", "y", "z"}; // VRM 0 has objects, VRM 1 arrays
        const limberi_json* number =
            node->type == LIMBERI_JSON_OBJECT ? limberi_json_get(node, keys[i]) : limberi_json_at(node, i);
        v[i] = (float)limberi_json_as_number(number);
        if (!isfinite(v[i]))
            return false;
    }
    *out = limberi_load3(v);
    return true;
}

// The node's joint, or the nearest one above it; `below` leads from the node to that joint.
static int32_t joint_above(limberi_gltf_reader* reader, uint32_t node, limber_mat4* below) {
    *below = limber_mat4_identity();
    while (node != LIMBERI_NONE && reader->gltf->joint_of_node[node] < 0) {
        limber_transform local;
        if (limberi_gltf_read_transform(reader, node, &local))
            return -1;
        limber_mat4 own = limberi_mat4_from_transform(&local);
        *below = limberi_mat4_mul(&own, below);
        node = reader->tree.parent[node];
    }
    return node == LIMBERI_NONE ? -1 : reader->gltf->joint_of_node[node];
}

static bool node_of(const collecting* c, const limberi_json* value, uint32_t* node) {
    int64_t index = limberi_json_is(value, LIMBERI_JSON_INTEGER) ? limberi_json_as_integer(value) : -1;
    *node = (uint32_t)index;
    return index >= 0 && index < (int64_t)c->reader->nodes.count;
}

// `old`: VRM 0 has spheres only, and measures z the other way round.
static bool add(collecting* c, const limberi_json* node_value, const limberi_json* shape, bool old) {
    const limberi_json* capsule = limberi_json_get(shape, "capsule");
    const limberi_json* sphere = limberi_json_get(shape, "sphere");
    const limberi_json* numbers = capsule ? capsule : sphere;
    if (!numbers && old)
        numbers = shape;
    limber_collider item;
    limber_mat4 below;
    uint32_t node;
    memset(&item, 0, sizeof item);
    item.shape = capsule ? LIMBER_COLLIDER_CAPSULE : LIMBER_COLLIDER_SPHERE;
    item.radius = (float)limberi_json_as_number(limberi_json_get(numbers, "radius"));
    if (c->count == LIMBER_COLLIDER_LIMIT || !limberi_json_is_number(limberi_json_get(numbers, "radius")) ||
        !node_of(c, node_value, &node) || !(item.radius >= 0) || !(item.radius < 1e9f) ||
        !read_vector(limberi_json_get(numbers, "offset"), &item.from) ||
        !read_vector(limberi_json_get(numbers, "tail"), &item.to))
        return false;
    if (old)
        item.from.z = -item.from.z;
    item.joint = joint_above(c->reader, node, &below);
    item.from = limberi_mat4_point(&below, item.from);
    item.to = limberi_mat4_point(&below, item.to);
    item.radius *= limberi_length(limberi_mat4_column(&below, 0));
    if (item.joint < 0 || !isfinite(item.radius) || !isfinite(limberi_length(item.from)) ||
        !isfinite(limberi_length(item.to)))
        return false;
    c->items[c->count++] = item;
    return true;
}

// --- who obeys ---

static void mark_joint(collecting* c, uint32_t collider, uint32_t node, bool with_children) {
    const limber_rig* rig = &c->reader->model.rig;
    int32_t joint = c->reader->gltf->joint_of_node[node];
    if (joint < 0)
        return;
    if (!c->obey[collider])
        c->obey[collider] = LIMBERI_ALLOCATE(&c->reader->scratch, uint8_t, rig->joint_count);
    uint8_t* marks = c->obey[collider];
    if (!marks)
        return;
    marks[joint] = 1;
    for (uint32_t j = (uint32_t)joint + 1; with_children && j < rig->joint_count; j++) // parents come first
        if (rig->parents[j] >= joint && marks[rig->parents[j]])
            marks[j] = 1;
}

// All colliders of a group for all nodes of a list, which has numbers (VRM 0) or objects with a "node" (VRM 1).
static void mark_group(collecting* c, uint32_t collider, const limberi_json* nodes, bool with_children) {
    for (uint32_t i = 0; i < limberi_json_count(nodes); i++) {
        const limberi_json* item = limberi_json_at(nodes, i);
        uint32_t node;
        if (node_of(c, limberi_json_is(item, LIMBERI_JSON_OBJECT) ? limberi_json_get(item, "node") : item, &node))
            mark_joint(c, collider, node, with_children);
    }
}

static void mark_springs_0(collecting* c, const limberi_json* springs) {
    for (uint32_t s = 0; s < limberi_json_count(springs); s++) {
        const limberi_json* spring = limberi_json_at(springs, s);
        const limberi_json* bones = limberi_json_get(spring, "bones");
        const limberi_json* groups = limberi_json_get(spring, "colliderGroups");
        for (uint32_t g = 0; g < limberi_json_count(groups); g++)
            for (uint32_t i = 0; i < c->count; i++)
                if (limberi_json_as_integer(limberi_json_at(groups, g)) == c->of_group[i])
                    mark_group(c, i, bones, true);
        c->any_spring = c->any_spring || limberi_json_count(groups);
    }
}

static bool group_has(const limberi_json* group, uint32_t entry) {
    const limberi_json* list = limberi_json_get(group, "colliders");
    for (uint32_t i = 0; i < limberi_json_count(list); i++)
        if (limberi_json_as_integer(limberi_json_at(list, i)) == entry)
            return true;
    return false;
}

static void mark_springs_1(collecting* c, const limberi_json* springs) {
    for (uint32_t s = 0; s < limberi_json_count(springs); s++) {
        const limberi_json* spring = limberi_json_at(springs, s);
        const limberi_json* joints = limberi_json_get(spring, "joints");
        const limberi_json* groups = limberi_json_get(spring, "colliderGroups");
        for (uint32_t g = 0; g < limberi_json_count(groups); g++) {
            int64_t index = limberi_json_as_integer(limberi_json_at(groups, g));
            const limberi_json* group = index < 0 ? NULL : limberi_json_at(c->groups, (size_t)index);
            for (uint32_t i = 0; i < c->count; i++)
                if (group_has(group, c->of_entry[i]))
                    mark_group(c, i, joints, false);
        }
        c->any_spring = c->any_spring || limberi_json_count(groups);
    }
}

// --- the two versions ---

static void collect_0(collecting* c, const limberi_json* animation) {
    c->groups = limberi_json_get(animation, "colliderGroups");
    for (uint32_t g = 0; g < limberi_json_count(c->groups); g++) {
        const limberi_json* group = limberi_json_at(c->groups, g);
        const limberi_json* list = limberi_json_get(group, "colliders");
        for (uint32_t i = 0; i < limberi_json_count(list); i++)
            if (add(c, limberi_json_get(group, "node"), limberi_json_at(list, i), true))
                c->of_group[c->count - 1] = g;
    }
    mark_springs_0(c, limberi_json_get(animation, "boneGroups"));
}

static void collect_1(collecting* c, const limberi_json* springs) {
    const limberi_json* list = limberi_json_get(springs, "colliders");
    c->groups = limberi_json_get(springs, "colliderGroups");
    for (uint32_t i = 0; i < limberi_json_count(list); i++) {
        const limberi_json* item = limberi_json_at(list, i);
        if (add(c, limberi_json_get(item, "node"), limberi_json_get(item, "shape"), false))
            c->of_entry[c->count - 1] = i;
    }
    mark_springs_1(c, limberi_json_get(springs, "springs"));
}

// Colliders that no spring names do nothing in an avatar; where there are no springs at all, everything may obey.
static void keep_used(collecting* c) {
    uint32_t kept = 0;
    for (uint32_t i = 0; i < c->count; i++) {
        if (c->any_spring && !c->obey[i])
            continue;
        c->items[kept] = c->items[i];
        c->items[kept++].obey = c->obey[i];
    }
    c->reader->model.collider_count = kept;
    c->reader->model.colliders = c->items;
}

limber_result limberi_gltf_read_colliders(limberi_gltf_reader* reader) {
    const limberi_json* extensions = limberi_json_get(reader->gltf->json.root, "extensions");
    const limberi_json* old = limberi_json_get(limberi_json_get(extensions, "VRM"), "secondaryAnimation");
    const limberi_json* springs = limberi_json_get(extensions, "VRMC_springBone");
    if (!old && !springs)
        return LIMBER_OK;
    collecting c = {0};
    c.reader = reader;
    c.items = LIMBERI_ALLOCATE(&reader->scratch, limber_collider, LIMBER_COLLIDER_LIMIT);
    c.obey = LIMBERI_ALLOCATE(&reader->scratch, uint8_t*, LIMBER_COLLIDER_LIMIT);
    c.of_group = LIMBERI_ALLOCATE(&reader->scratch, uint32_t, LIMBER_COLLIDER_LIMIT);
    c.of_entry = LIMBERI_ALLOCATE(&reader->scratch, uint32_t, LIMBER_COLLIDER_LIMIT);
    if (reader->scratch.failed)
        return limberi_fail_memory(reader->error);
    if (springs)
        collect_1(&c, springs);
    else
        collect_0(&c, old);
    keep_used(&c);
    return reader->scratch.failed ? limberi_fail_memory(reader->error) : LIMBER_OK;
}
