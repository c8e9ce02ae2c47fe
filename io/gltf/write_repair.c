// What inputs often have wrong, the validator complains about, and can be put right without changing the picture.
#include "base/math.h"
#include "io/gltf/write.h"

#include <string.h>

// Marks the roots of skins whose joints are in several trees; returns how many there are.
static uint32_t mark_roots(const limberi_writer* writer, bool* marked) {
    uint32_t count = 0;
    size_t s, k;
    const json_t *skin, *joint;
    json_array_foreach(json_object_get(writer->root, "skins"), s, skin) {
        uint32_t first = UINT32_MAX;
        json_array_foreach(json_object_get(skin, "joints"), k, joint) {
            double index = json_number_value(joint);
            if (!(index >= 0 && index < writer->node_count))
                continue;
            uint32_t root = limberi_node_root(writer, (uint32_t)index);
            first = first == UINT32_MAX ? root : first;
            if (root == first)
                continue;
            count += (marked[first] ? 0u : 1u) + (marked[root] ? 0u : 1u);
            marked[first] = marked[root] = true;
        }
    }
    return count;
}

static uint32_t count_marked(const limberi_writer* writer, const json_t* nodes, const bool* marked) {
    uint32_t count = 0;
    for (uint32_t n = 0; n < writer->node_count; n++)
        count += marked[n] && limberi_holds(nodes, n);
    return count;
}

static void replace_marked(limberi_writer* writer, json_t* nodes, const bool* marked, uint32_t wrapper) {
    bool placed = false;
    for (size_t i = 0; i < json_array_size(nodes); i++) {
        json_int_t index = json_integer_value(json_array_get(nodes, i));
        if (index < 0 || index >= writer->node_count || !marked[index])
            continue;
        if (placed)
            json_array_remove(nodes, i--);
        else if (json_array_set_new(nodes, i, json_integer(wrapper)) != 0)
            writer->failed = true;
        placed = true;
    }
}

// glTF wants the joints of a skin in one tree: a plain node above their roots makes them one.
void limberi_repair_roots(limberi_writer* writer) {
    bool* marked = LIMBERI_ALLOCATE(&writer->arena, bool, writer->node_count);
    uint32_t count = marked ? mark_roots(writer, marked) : 0;
    size_t s;
    json_t *scene, *scenes = json_object_get(writer->root, "scenes");
    json_array_foreach(scenes, s, scene) {
        uint32_t here = count ? count_marked(writer, json_object_get(scene, "nodes"), marked) : 0;
        count = here == 0 || here == count ? count : 0; // a scene that shows half of them cannot be helped
    }
    if (!count)
        return;
    json_t *wrapper = json_object(), *children = json_array();
    for (uint32_t n = 0; n < writer->node_count; n++)
        if (marked[n])
            limberi_push(writer, children, json_integer(n));
    limberi_put(writer, wrapper, "name", json_string("root"));
    limberi_put(writer, wrapper, "children", children);
    uint32_t index = limberi_push(writer, json_object_get(writer->root, "nodes"), wrapper);
    for (uint32_t n = 0; n < writer->node_count; n++)
        writer->parents[n] = marked[n] ? (int32_t)index : writer->parents[n];
    json_array_foreach(scenes, s, scene) {
        replace_marked(writer, json_object_get(scene, "nodes"), marked, index);
    }
}

static bool is_skinned(const json_t* mesh) {
    size_t p;
    const json_t* primitive;
    json_array_foreach(json_object_get(mesh, "primitives"), p, primitive) {
        if (json_object_get(json_object_get(primitive, "attributes"), "JOINTS_0"))
            return true;
    }
    return false;
}

static void strip_skinning(json_t* mesh) {
    size_t p;
    json_t* primitive;
    json_array_foreach(json_object_get(mesh, "primitives"), p, primitive) {
        json_t *attributes = json_object_get(primitive, "attributes"), *value;
        void* next;
        const char* key;
        json_object_foreach_safe(attributes, next, key, value) {
            if (strncmp(key, "JOINTS_", 7) == 0 || strncmp(key, "WEIGHTS_", 8) == 0)
                json_object_del(attributes, key);
        }
    }
}

// A skinned mesh ignores the transforms above it, so glTF wants it where there are none; joints and weights
// without a skin, and a skin on a mesh without them, mean nothing.
void limberi_repair_nodes(limberi_writer* writer) {
    uint32_t count = (uint32_t)json_array_size(json_object_get(writer->root, "nodes"));
    for (uint32_t n = 0; n < count && n < writer->node_room; n++) {
        json_t* node = limberi_item(writer->root, "nodes", n);
        uint32_t mesh = limberi_index(node, "mesh");
        if (mesh == UINT32_MAX)
            continue;
        bool skinned = is_skinned(limberi_item(writer->root, "meshes", mesh));
        if (!skinned)
            json_object_del(node, "skin");
        else if (json_object_get(node, "skin"))
            limberi_node_to_root(writer, n);
        else
            strip_skinning(limberi_item(writer->root, "meshes", limberi_mesh_own(writer, n)));
    }
}

static bool holds_bounds(const json_t* array, const float* bounds, uint32_t width) {
    for (uint32_t c = 0; c < width; c++)
        if ((float)json_number_value(json_array_get(array, c)) != bounds[c])
            return false;
    return json_array_size(array) == width;
}

static void repair_bounds(limberi_writer* writer, json_t* accessor, const limberi_values* v) {
    float low[16], high[16];
    memcpy(low, v->values, v->width * sizeof(float));
    memcpy(high, v->values, v->width * sizeof(float));
    for (size_t i = 0; i < (size_t)v->count * v->width; i++) {
        low[i % v->width] = fminf(low[i % v->width], v->values[i]);
        high[i % v->width] = fmaxf(high[i % v->width], v->values[i]);
    }
    if (!holds_bounds(json_object_get(accessor, "min"), low, v->width))
        limberi_put(writer, accessor, "min", limberi_reals(writer, low, v->width));
    if (!holds_bounds(json_object_get(accessor, "max"), high, v->width))
        limberi_put(writer, accessor, "max", limberi_reals(writer, high, v->width));
}

enum { NEEDS_BOUNDS = 1, NEEDS_UNIT = 2, HAS_TANGENTS = 4 };

static void note_need(uint8_t* needs, size_t count, uint32_t accessor, uint8_t need) {
    if (accessor < count)
        needs[accessor] |= need;
}

static void note_meshes(const limberi_writer* writer, uint8_t* needs, size_t count) {
    size_t m, p, t;
    const json_t *mesh, *primitive, *target;
    json_array_foreach(json_object_get(writer->root, "meshes"), m, mesh) {
        json_array_foreach(json_object_get(mesh, "primitives"), p, primitive) {
            const json_t* attributes = json_object_get(primitive, "attributes");
            note_need(needs, count, limberi_index(attributes, "POSITION"), NEEDS_BOUNDS);
            note_need(needs, count, limberi_index(attributes, "NORMAL"), NEEDS_UNIT);
            json_array_foreach(json_object_get(primitive, "targets"), t, target) {
                note_need(needs, count, limberi_index(target, "POSITION"), NEEDS_BOUNDS);
            }
        }
    }
}

static void note_animation(const json_t* animation, uint8_t* needs, size_t count) {
    size_t i;
    const json_t *sampler, *channel, *samplers = json_object_get(animation, "samplers");
    json_array_foreach(samplers, i, sampler) {
        note_need(needs, count, limberi_index(sampler, "input"), NEEDS_BOUNDS);
    }
    json_array_foreach(json_object_get(animation, "channels"), i, channel) {
        const char* path = json_string_value(json_object_get(json_object_get(channel, "target"), "path"));
        sampler = json_array_get(samplers, limberi_index(channel, "sampler"));
        const char* interpolation = json_string_value(json_object_get(sampler, "interpolation"));
        bool cubic = interpolation && strcmp(interpolation, "CUBICSPLINE") == 0;
        if (path && strcmp(path, "rotation") == 0)
            note_need(needs, count, limberi_index(sampler, "output"),
                      (uint8_t)(NEEDS_UNIT | (cubic ? HAS_TANGENTS : 0)));
    }
}

// The validator allows lengths 0.00674 (three numbers) and 0.00769 (four) away from 1.
static bool make_unit(float* v, uint32_t width) {
    double square = 0;
    for (uint32_t c = 0; c < width; c++)
        square += (double)v[c] * (double)v[c];
    double length = sqrt(square);
    if (fabs(length - 1.0) < 0.0067)
        return false;
    for (uint32_t c = 0; c < width; c++)
        v[c] = length > 1e-20 ? (float)((double)v[c] / length) : 0.0f;
    if (!(length > 1e-20))
        v[width - 1] = 1.0f;
    return true;
}

// Gives the accessor new bytes, as floats; its users keep pointing to it.
// Normals have three numbers, rotations four.
static void repair_unit(limberi_writer* writer, json_t* accessor, limberi_values* v, uint8_t need) {
    bool changed = false;
    for (uint32_t i = 0; i < v->count; i++)
        if (!(need & HAS_TANGENTS) || i % 3 == 1)
            changed |= make_unit(v->values + (size_t)i * v->width, v->width);
    if (!changed)
        return;
    size_t size = (size_t)v->count * v->width;
    float* kept = LIMBERI_COPY(&writer->arena, float, v->values, size);
    uint32_t view = limberi_view_begin(writer, v->width == 3 ? LIMBERI_GLTF_VERTICES : 0, 0);
    limberi_writer_append(writer, kept, kept ? size * sizeof(float) : 0);
    limberi_view_end(writer, view);
    static const char* const gone[] = {"byteOffset", "normalized", "sparse", "min", "max"};
    for (size_t k = 0; k < sizeof gone / sizeof *gone; k++)
        json_object_del(accessor, gone[k]);
    limberi_put(writer, accessor, "bufferView", json_integer(view));
    limberi_put(writer, accessor, "componentType", json_integer(LIMBERI_GLTF_FLOAT));
}

static void repair_accessor(limberi_writer* writer, uint32_t index, uint8_t need) {
    json_t* accessor = limberi_item(writer->root, "accessors", index);
    bool bounded = need & NEEDS_BOUNDS || json_object_get(accessor, "min") || json_object_get(accessor, "max");
    if (!bounded && !(need & NEEDS_UNIT))
        return;
    limberi_arena scratch = {0};
    limberi_values values;
    if (limberi_read_values(writer, &scratch, index, &values)) {
        if (bounded && values.component == LIMBERI_GLTF_FLOAT)
            repair_bounds(writer, accessor, &values);
        if (need & NEEDS_UNIT)
            repair_unit(writer, accessor, &values, need);
    }
    limberi_scratch_free(writer, &scratch);
}

static void repair_rotation(limberi_writer* writer, json_t* node) {
    const json_t* rotation = json_object_get(node, "rotation");
    float q[4];
    for (size_t c = 0; c < 4; c++)
        q[c] = (float)json_number_value(json_array_get(rotation, c));
    if (json_array_size(rotation) == 4 && make_unit(q, 4))
        limberi_put(writer, node, "rotation", limberi_reals(writer, q, 4));
}

// Properties that have no effect according to glTF.
static void drop_idle(limberi_writer* writer) {
    size_t i, p;
    json_t *material, *mesh, *primitive;
    json_array_foreach(json_object_get(writer->root, "materials"), i, material) {
        const char* mode = json_string_value(json_object_get(material, "alphaMode"));
        if (!mode || strcmp(mode, "MASK") != 0)
            json_object_del(material, "alphaCutoff");
    }
    json_array_foreach(json_object_get(writer->root, "meshes"), i, mesh) {
        json_array_foreach(json_object_get(mesh, "primitives"), p, primitive) {
            json_t* attributes = json_object_get(primitive, "attributes");
            if (!json_object_get(attributes, "NORMAL"))
                json_object_del(attributes, "TANGENT");
        }
    }
}

void limberi_repair_values(limberi_writer* writer) {
    uint32_t count = writer->reader.accessors.count;
    uint8_t* needs = LIMBERI_ALLOCATE(&writer->arena, uint8_t, count);
    if (!writer->readable || !needs)
        return;
    note_meshes(writer, needs, count);
    size_t i;
    json_t *animation, *node;
    json_array_foreach(json_object_get(writer->root, "animations"), i, animation) {
        note_animation(animation, needs, count);
    }
    for (uint32_t a = 0; a < count; a++)
        repair_accessor(writer, a, needs[a]);
    json_array_foreach(json_object_get(writer->root, "nodes"), i, node) {
        repair_rotation(writer, node);
    }
    drop_idle(writer);
}
