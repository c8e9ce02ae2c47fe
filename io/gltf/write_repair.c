// What inputs often have wrong, the validator complains about, and can be put right without changing the picture.
#include "base/math.h"
#include "io/gltf/write.h"

#include <string.h>

// Marks the roots of skins whose joints are in several trees; returns how many there are.
static uint32_t mark_roots(const limberi_writer* writer, bool* marked) {
    uint32_t count = 0;
    size_t s, k;
    const limberi_json *skin, *joint;
    for (s = 0; (skin = limberi_json_at(limberi_json_get(writer->json.root, "skins"), s)) != NULL; s++) {
        uint32_t first = UINT32_MAX;
        for (k = 0; (joint = limberi_json_at(limberi_json_get(skin, "joints"), k)) != NULL; k++) {
            double index = limberi_json_as_number(joint);
            if (!(index >= 0 && index < writer->node_room))
                continue;
            uint32_t root = limberi_node_root(writer, (uint32_t)index);
            if (root >= writer->node_count)
                continue;
            first = first == UINT32_MAX ? root : first;
            if (root == first)
                continue;
            count += (marked[first] ? 0u : 1u) + (marked[root] ? 0u : 1u);
            marked[first] = marked[root] = true;
        }
    }
    return count;
}

// A scene may name a node twice. `seen` is false everywhere, before and after.
static uint32_t count_marked(const limberi_writer* writer, const limberi_json* nodes, const bool* marked, bool* seen) {
    uint32_t count = 0;
    for (int pass = 0; pass < 2; pass++)
        for (uint32_t i = 0; i < limberi_json_count(nodes); i++) {
            int64_t index = limberi_json_as_integer(limberi_json_at(nodes, i));
            if (index < 0 || index >= writer->node_count || !marked[index])
                continue;
            count += pass == 0 && !seen[index];
            seen[index] = pass == 0;
        }
    return count;
}

static void replace_marked(limberi_writer* writer, limberi_json* nodes, const bool* marked, uint32_t wrapper) {
    bool placed = false;
    for (size_t i = 0; i < limberi_json_count(nodes); i++) {
        int64_t index = limberi_json_as_integer(limberi_json_at(nodes, i));
        if (index < 0 || index >= writer->node_count || !marked[index])
            continue;
        if (placed)
            limberi_json_remove_at(nodes, i--);
        else
            limberi_json_replace(&writer->json, nodes, i, limberi_json_new_integer(&writer->json, wrapper));
        placed = true;
    }
}

// glTF wants the joints of a skin in one tree: a plain node above their roots makes them one.
void limberi_repair_roots(limberi_writer* writer) {
    bool* marked = LIMBERI_ALLOCATE(&writer->arena, bool, writer->node_count);
    bool* seen = LIMBERI_ALLOCATE(&writer->arena, bool, writer->node_count);
    uint32_t count = marked && seen ? mark_roots(writer, marked) : 0;
    size_t s;
    limberi_json* scene;
    limberi_json* scenes = limberi_json_get(writer->json.root, "scenes");
    for (s = 0; (scene = limberi_json_at(scenes, s)) != NULL; s++) {
        uint32_t here = count ? count_marked(writer, limberi_json_get(scene, "nodes"), marked, seen) : 0;
        count = here == 0 || here == count ? count : 0; // a scene that shows half of them cannot be helped
    }
    if (!count)
        return;
    limberi_json* wrapper = limberi_new_object(writer);
    limberi_json* children = limberi_new_array(writer);
    for (uint32_t n = 0; n < writer->node_count; n++)
        if (marked[n])
            limberi_push_integer(writer, children, n);
    writer->repaired[LIMBER_REPAIR_ROOT]++;
    limberi_name_node(writer, wrapper, "root", "");
    limberi_put(writer, wrapper, "children", children);
    uint32_t index = limberi_push(writer, limberi_json_get(writer->json.root, "nodes"), wrapper);
    for (uint32_t n = 0; n < writer->node_count; n++)
        writer->parents[n] = marked[n] ? (int32_t)index : writer->parents[n];
    for (s = 0; (scene = limberi_json_at(scenes, s)) != NULL; s++) {
        replace_marked(writer, limberi_json_get(scene, "nodes"), marked, index);
    }
    writer->places = NULL;
}

static bool is_skinned(const limberi_json* mesh) {
    size_t p;
    const limberi_json* primitive;
    for (p = 0; (primitive = limberi_json_at(limberi_json_get(mesh, "primitives"), p)) != NULL; p++) {
        if (limberi_json_get(limberi_json_get(primitive, "attributes"), "JOINTS_0"))
            return true;
    }
    return false;
}

static bool is_skinning(const char* attribute) {
    return strncmp(attribute, "JOINTS_", 7) == 0 || strncmp(attribute, "WEIGHTS_", 8) == 0;
}

static void strip_skinning(limberi_json* mesh) {
    const limberi_json* primitives = limberi_json_get(mesh, "primitives");
    for (uint32_t p = 0; p < limberi_json_count(primitives); p++)
        limberi_json_remove_if(limberi_json_get(limberi_json_at(primitives, p), "attributes"), is_skinning);
}

// Whether that changed anything.
static bool moves_to_root(limberi_writer* writer, uint32_t node) {
    static const char* const transforms[] = {"matrix", "translation", "rotation", "scale"};
    const limberi_json* object = limberi_item(writer->json.root, "nodes", node);
    bool moves = writer->parents[node] >= 0;
    for (size_t i = 0; i < sizeof transforms / sizeof *transforms; i++)
        moves = moves || limberi_json_get(object, transforms[i]);
    return limberi_node_to_root(writer, node) != node || moves;
}

// A skinned mesh ignores the transforms above it, so glTF wants it where there are none; joints and weights
// without a skin, and a skin on a mesh without them, mean nothing.
void limberi_repair_nodes(limberi_writer* writer) {
    uint32_t count = limberi_json_count(limberi_json_get(writer->json.root, "nodes"));
    for (uint32_t n = 0; n < count && n < writer->node_room; n++) {
        limberi_json* node = limberi_item(writer->json.root, "nodes", n);
        uint32_t mesh = limberi_index(node, "mesh");
        if (mesh == UINT32_MAX)
            continue;
        bool skinned = is_skinned(limberi_item(writer->json.root, "meshes", mesh));
        bool has_skin = limberi_json_get(node, "skin") != NULL;
        if (!skinned && has_skin)
            limberi_json_remove(node, "skin");
        else if (has_skin && !moves_to_root(writer, n))
            continue;
        else if (skinned && !has_skin)
            strip_skinning(limberi_item(writer->json.root, "meshes", limberi_mesh_own(writer, n)));
        if (skinned || has_skin)
            writer->repaired[LIMBER_REPAIR_NODES]++;
    }
}

static bool holds_bounds(const limberi_json* array, const float* bounds, uint32_t width) {
    for (uint32_t c = 0; c < width; c++)
        if ((float)limberi_json_as_number(limberi_json_at(array, c)) != bounds[c])
            return false;
    return limberi_json_count(array) == width;
}

static void repair_bounds(limberi_writer* writer, limberi_json* accessor, const limberi_values* v) {
    float low[16], high[16];
    memcpy(low, v->values, v->width * sizeof(float));
    memcpy(high, v->values, v->width * sizeof(float));
    for (size_t i = 0; i < (size_t)v->count * v->width; i++) {
        low[i % v->width] = fminf(low[i % v->width], v->values[i]);
        high[i % v->width] = fmaxf(high[i % v->width], v->values[i]);
    }
    bool low_holds = holds_bounds(limberi_json_get(accessor, "min"), low, v->width);
    bool high_holds = holds_bounds(limberi_json_get(accessor, "max"), high, v->width);
    if (!low_holds)
        limberi_put(writer, accessor, "min", limberi_reals(writer, low, v->width));
    if (!high_holds)
        limberi_put(writer, accessor, "max", limberi_reals(writer, high, v->width));
    writer->repaired[LIMBER_REPAIR_BOUNDS] += !low_holds || !high_holds;
}

enum { NEEDS_BOUNDS = 1, NEEDS_UNIT = 2, HAS_TANGENTS = 4 };

static void note_need(uint8_t* needs, size_t count, uint32_t accessor, uint8_t need) {
    if (accessor < count)
        needs[accessor] |= need;
}

static void note_meshes(const limberi_writer* writer, uint8_t* needs, size_t count) {
    size_t m, p, t;
    const limberi_json *mesh, *primitive, *target;
    for (m = 0; (mesh = limberi_json_at(limberi_json_get(writer->json.root, "meshes"), m)) != NULL; m++) {
        for (p = 0; (primitive = limberi_json_at(limberi_json_get(mesh, "primitives"), p)) != NULL; p++) {
            const limberi_json* attributes = limberi_json_get(primitive, "attributes");
            note_need(needs, count, limberi_index(attributes, "POSITION"), NEEDS_BOUNDS);
            note_need(needs, count, limberi_index(attributes, "NORMAL"), NEEDS_UNIT);
            for (t = 0; (target = limberi_json_at(limberi_json_get(primitive, "targets"), t)) != NULL; t++) {
                note_need(needs, count, limberi_index(target, "POSITION"), NEEDS_BOUNDS);
            }
        }
    }
}

static void note_animation(const limberi_json* animation, uint8_t* needs, size_t count) {
    size_t i;
    const limberi_json* sampler;
    const limberi_json* channel;
    const limberi_json* samplers = limberi_json_get(animation, "samplers");
    for (i = 0; (sampler = limberi_json_at(samplers, i)) != NULL; i++) {
        note_need(needs, count, limberi_index(sampler, "input"), NEEDS_BOUNDS);
    }
    for (i = 0; (channel = limberi_json_at(limberi_json_get(animation, "channels"), i)) != NULL; i++) {
        const char* path = limberi_json_as_text(limberi_json_get(limberi_json_get(channel, "target"), "path"));
        sampler = limberi_json_at(samplers, limberi_index(channel, "sampler"));
        const char* interpolation = limberi_json_as_text(limberi_json_get(sampler, "interpolation"));
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
static void repair_unit(limberi_writer* writer, limberi_json* accessor, limberi_values* v, uint8_t need) {
    bool changed = false;
    for (uint32_t i = 0; i < v->count; i++)
        if (!(need & HAS_TANGENTS) || i % 3 == 1)
            changed |= make_unit(v->values + (size_t)i * v->width, v->width);
    if (!changed)
        return;
    writer->repaired[LIMBER_REPAIR_UNITS]++;
    size_t size = (size_t)v->count * v->width;
    float* kept = LIMBERI_COPY(&writer->arena, float, v->values, size);
    uint32_t view = limberi_view_begin(writer, v->width == 3 ? LIMBERI_GLTF_VERTICES : 0, 0);
    limberi_writer_append(writer, kept, kept ? size * sizeof(float) : 0);
    limberi_view_end(writer, view);
    static const char* const gone[] = {"byteOffset", "normalized", "sparse", "min", "max"};
    for (size_t k = 0; k < sizeof gone / sizeof *gone; k++)
        limberi_json_remove(accessor, gone[k]);
    limberi_put_integer(writer, accessor, "bufferView", view);
    limberi_put_integer(writer, accessor, "componentType", LIMBERI_GLTF_FLOAT);
}

static void repair_accessor(limberi_writer* writer, uint32_t index, uint8_t need) {
    limberi_json* accessor = limberi_item(writer->json.root, "accessors", index);
    bool bounded = need & NEEDS_BOUNDS || limberi_json_get(accessor, "min") || limberi_json_get(accessor, "max");
    bounded = bounded && limberi_repairs(writer, LIMBER_REPAIR_BOUNDS);
    bool unit = need & NEEDS_UNIT && limberi_repairs(writer, LIMBER_REPAIR_UNITS);
    if (!bounded && !unit)
        return;
    limberi_arena scratch = {0};
    limberi_values values;
    if (limberi_read_values(writer, &scratch, index, &values)) {
        if (bounded && values.component == LIMBERI_GLTF_FLOAT)
            repair_bounds(writer, accessor, &values);
        if (unit)
            repair_unit(writer, accessor, &values, need);
    }
    limberi_scratch_free(writer, &scratch);
}

static void repair_rotation(limberi_writer* writer, limberi_json* node) {
    const limberi_json* rotation = limberi_json_get(node, "rotation");
    float q[4];
    for (size_t c = 0; c < 4; c++)
        q[c] = (float)limberi_json_as_number(limberi_json_at(rotation, c));
    if (limberi_json_count(rotation) != 4 || !make_unit(q, 4))
        return;
    writer->repaired[LIMBER_REPAIR_UNITS]++;
    limberi_put(writer, node, "rotation", limberi_reals(writer, q, 4));
}

// Properties that have no effect according to glTF.
static void drop(limberi_writer* writer, limberi_json* object, const char* key) {
    writer->repaired[LIMBER_REPAIR_UNUSED] += limberi_json_get(object, key) != NULL;
    limberi_json_remove(object, key);
}

static void drop_idle(limberi_writer* writer) {
    size_t i, p;
    limberi_json *material, *mesh, *primitive;
    for (i = 0; (material = limberi_json_at(limberi_json_get(writer->json.root, "materials"), i)) != NULL; i++) {
        const char* mode = limberi_json_as_text(limberi_json_get(material, "alphaMode"));
        if (!mode || strcmp(mode, "MASK") != 0)
            drop(writer, material, "alphaCutoff");
    }
    for (i = 0; (mesh = limberi_json_at(limberi_json_get(writer->json.root, "meshes"), i)) != NULL; i++) {
        for (p = 0; (primitive = limberi_json_at(limberi_json_get(mesh, "primitives"), p)) != NULL; p++) {
            limberi_json* attributes = limberi_json_get(primitive, "attributes");
            if (!limberi_json_get(attributes, "NORMAL"))
                drop(writer, attributes, "TANGENT");
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
    limberi_json *animation, *node;
    for (i = 0; (animation = limberi_json_at(limberi_json_get(writer->json.root, "animations"), i)) != NULL; i++) {
        note_animation(animation, needs, count);
    }
    for (uint32_t a = 0; a < count; a++)
        repair_accessor(writer, a, needs[a]);
    bool units = limberi_repairs(writer, LIMBER_REPAIR_UNITS);
    for (i = 0; units && (node = limberi_json_at(limberi_json_get(writer->json.root, "nodes"), i)) != NULL; i++) {
        repair_rotation(writer, node);
    }
    if (limberi_repairs(writer, LIMBER_REPAIR_UNUSED))
        drop_idle(writer);
}
