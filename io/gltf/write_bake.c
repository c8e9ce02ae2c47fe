// Morph targets into meshes: correctives beside what is there, or a plain mesh in the place of a skinned one.
#include "base/error.h"
#include "base/math.h"
#include "io/gltf/write.h"

#include <string.h>

enum { VECTOR_BYTES = 3 * sizeof(float), NAME_BYTES = 24 };

typedef struct mesh_edit {
    limberi_writer* writer;
    const limber_mesh* mesh;
    const limber_bake_mesh* bake;
    json_t* object; // the mesh in the file
    limberi_weights_edit weights;
} mesh_edit;

void limberi_primitive_touch(json_t* primitive) {
    json_t* extensions = json_object_get(primitive, "extensions");
    json_object_del(extensions, "KHR_draco_mesh_compression");
    if (extensions && json_object_size(extensions) == 0)
        json_object_del(primitive, "extensions");
}

// Lengths within this of 1 are fine with the validator (0.00674 for vectors); anything else is normalised.
static const float unit_tolerance = 0.005f;

static const float* unit_vectors(limberi_writer* writer, const float* vectors, uint32_t count) {
    uint32_t first_bad = 0;
    while (first_bad < count &&
           fabsf(limberi_length(limberi_load3(vectors + 3 * (size_t)first_bad)) - 1.0f) < unit_tolerance)
        first_bad++;
    if (first_bad == count)
        return vectors;
    float* copy = LIMBERI_COPY(&writer->arena, float, vectors, 3 * (size_t)count);
    for (uint32_t i = first_bad; copy && i < count; i++) {
        limber_vec3 n = limberi_normalize(limberi_load3(copy + 3 * (size_t)i));
        limberi_store3(copy + 3 * (size_t)i, limberi_dot(n, n) > 0 ? n : limberi_vec3(0, 1, 0));
    }
    return copy;
}

// One view per attribute of a part, holding that attribute of all new targets, and an accessor into it for each.
static void add_targets(const mesh_edit* edit, const limber_part* part, json_t* targets, const char* attribute,
                        const float* values) {
    limberi_writer* writer = edit->writer;
    size_t vertices = edit->mesh->vertex_count, first = json_array_size(targets) - edit->bake->target_count;
    uint32_t view = limberi_view_begin(writer, LIMBERI_GLTF_VERTICES, VECTOR_BYTES);
    for (uint32_t t = 0; t < edit->bake->target_count; t++)
        limberi_writer_append(writer, values + 3 * (t * vertices + part->first_vertex),
                              part->vertex_count * (size_t)VECTOR_BYTES);
    limberi_view_end(writer, view);
    for (uint32_t t = 0; t < edit->bake->target_count; t++) {
        const float* bounds = values + 3 * (t * vertices + part->first_vertex);
        limberi_accessor accessor = {.view = view,
                                     .offset = t * (size_t)part->vertex_count * VECTOR_BYTES,
                                     .component_type = LIMBERI_GLTF_FLOAT,
                                     .type = "VEC3",
                                     .count = part->vertex_count,
                                     .bounds = bounds};
        limberi_put(writer, json_array_get(targets, first + t), attribute,
                    json_integer(limberi_accessor_add(writer, &accessor)));
    }
}

static json_t* zero_accessor(limberi_writer* writer, const json_t* like) {
    static const float zeros[4] = {0};
    const char* type = json_string_value(json_object_get(like, "type"));
    limberi_accessor accessor = {.view = UINT32_MAX,
                                 .component_type = (int)json_integer_value(json_object_get(like, "componentType")),
                                 .type = type ? type : "VEC3",
                                 .count = 1,
                                 .normalized = json_is_true(json_object_get(like, "normalized")),
                                 .bounds = zeros};
    uint32_t index = limberi_accessor_add(writer, &accessor);
    json_t* count = json_object_get(like, "count");
    limberi_put(writer, limberi_item(writer->root, "accessors", index), "count", json_incref(count));
    return json_integer(index);
}

// Players take a target that lacks an attribute for anything from zero to a copy of the base. An accessor without
// bytes says zero and costs nothing.
static void even_out(limberi_writer* writer, json_t* targets, const char* attribute) {
    const json_t* like = NULL;
    size_t t, missing = 0;
    json_t* target;
    json_array_foreach(targets, t, target) {
        uint32_t index = limberi_index(target, attribute);
        if (index == UINT32_MAX)
            missing++;
        else if (!like)
            like = limberi_item(writer->root, "accessors", index);
    }
    if (!like || !missing)
        return;
    json_t* zero = zero_accessor(writer, like);
    json_array_foreach(targets, t, target) {
        if (!json_object_get(target, attribute))
            limberi_put(writer, target, attribute, json_incref(zero));
    }
    json_decref(zero);
}

static void write_targets(const mesh_edit* edit, const limber_part* part, json_t* primitive) {
    if (!edit->bake->target_count || !part->vertex_count)
        return;
    limberi_writer* writer = edit->writer;
    json_t* targets = limberi_child_array(writer, primitive, "targets");
    for (uint32_t t = 0; t < edit->bake->target_count; t++)
        limberi_push(writer, targets, json_object());
    add_targets(edit, part, targets, "POSITION", edit->bake->positions);
    if (edit->bake->normals && json_object_get(json_object_get(primitive, "attributes"), "NORMAL"))
        add_targets(edit, part, targets, "NORMAL", edit->bake->normals);
    even_out(writer, targets, "POSITION");
    even_out(writer, targets, "NORMAL");
    even_out(writer, targets, "TANGENT");
    even_out(writer, targets, "COLOR_0");
}

static void extend_zeros(limberi_writer* writer, json_t* array, uint32_t count) {
    while (json_is_array(array) && json_array_size(array) < count && !writer->failed)
        limberi_push(writer, array, json_integer(0));
}

static void write_weights(const mesh_edit* edit, json_t* node) {
    limberi_writer* writer = edit->writer;
    uint32_t total = edit->weights.old_count + edit->weights.new_count;
    if (total)
        extend_zeros(writer, limberi_child_array(writer, edit->object, "weights"), total);
    extend_zeros(writer, json_object_get(node, "weights"), total);
    json_t* names = json_object_get(json_object_get(edit->object, "extras"), "targetNames");
    for (uint32_t t = 0; json_is_array(names) && t < edit->weights.new_count; t++) {
        char name[NAME_BYTES], number[NAME_BYTES];
        limberi_format(number, sizeof number, "%u", t < 10000 ? 10000 + t : t);
        limberi_format(name, sizeof name, "limber_%s", t < 10000 ? number + 1 : number); // at least four digits
        limberi_push(writer, names, json_string(name));
    }
}

static void correct_mesh(mesh_edit* edit, uint32_t node) {
    json_t* primitives = json_object_get(edit->object, "primitives");
    for (uint32_t p = 0; p < limberi_part_count(edit->mesh); p++) {
        json_t* primitive = json_array_get(primitives, p);
        limber_part part = limberi_part_at(edit->mesh, p);
        limberi_primitive_touch(primitive);
        write_targets(edit, &part, primitive);
    }
    write_weights(edit, limberi_item(edit->writer->root, "nodes", node));
}

static void drop_skinning(json_t* attributes) {
    void* next;
    const char* key;
    json_t* value;
    json_object_foreach_safe(attributes, next, key, value) {
        if (strncmp(key, "JOINTS_", 7) == 0 || strncmp(key, "WEIGHTS_", 8) == 0 || strcmp(key, "TANGENT") == 0)
            json_object_del(attributes, key);
    }
}

static void replace_part(const mesh_edit* edit, const limber_part* part, json_t* primitive) {
    limberi_writer* writer = edit->writer;
    json_t* attributes = json_object_get(primitive, "attributes");
    size_t first = 3 * (size_t)part->first_vertex;
    limberi_primitive_touch(primitive);
    drop_skinning(attributes);
    json_object_del(primitive, "targets");
    if (!part->vertex_count)
        return;
    uint32_t positions = limberi_floats_add(writer, edit->bake->base_positions + first, part->vertex_count, "VEC3",
                                            LIMBERI_GLTF_VERTICES, true);
    limberi_put(writer, attributes, "POSITION", json_integer(positions));
    if (!json_object_get(attributes, "NORMAL"))
        return;
    if (!edit->bake->base_normals) {
        json_object_del(attributes, "NORMAL"); // those of the undeformed mesh would be wrong
        return;
    }
    const float* normals = unit_vectors(writer, edit->bake->base_normals + first, part->vertex_count);
    if (normals)
        limberi_put(writer, attributes, "NORMAL",
                    json_integer(
                        limberi_floats_add(writer, normals, part->vertex_count, "VEC3", LIMBERI_GLTF_VERTICES, false)));
}

static void replace_mesh(mesh_edit* edit, uint32_t node) {
    json_t* primitives = json_object_get(edit->object, "primitives");
    json_t* carrier = limberi_item(edit->writer->root, "nodes", node);
    edit->weights.old_count = 0;
    json_object_del(carrier, "skin");
    json_object_del(carrier, "weights");
    json_object_del(edit->object, "weights");
    json_object_del(json_object_get(edit->object, "extras"), "targetNames");
    for (uint32_t p = 0; p < limberi_part_count(edit->mesh); p++) {
        json_t* primitive = json_array_get(primitives, p);
        limber_part part = limberi_part_at(edit->mesh, p);
        replace_part(edit, &part, primitive);
        write_targets(edit, &part, primitive);
    }
    write_weights(edit, carrier);
}

// A skin that no node uses any more would only puzzle its reader; indices into a list that is gone hurt nobody.
static void drop_unused_skins(limberi_writer* writer) {
    size_t i;
    const json_t* node;
    json_array_foreach(json_object_get(writer->root, "nodes"), i, node) {
        if (json_object_get(node, "skin"))
            return;
    }
    json_object_del(writer->root, "skins");
}

static void write_tracks(const mesh_edit* edit, const limber_bake* bake, uint32_t* inputs, bool* baked) {
    uint32_t clip_count = limber_asset_model(edit->writer->document->asset)->clip_count;
    memset(baked, 0, clip_count * sizeof *baked);
    for (uint32_t t = 0; edit->weights.new_count && t < bake->track_count; t++) {
        const limber_bake_track* track = &bake->tracks[t];
        if (track->clip >= clip_count || !track->frame_count || !edit->bake->weights[t])
            continue;
        limberi_write_track(edit->writer, &edit->weights, track, edit->bake->weights[t], &inputs[t]);
        baked[track->clip] = true;
    }
    limberi_extend_tracks(edit->writer, &edit->weights, baked);
}

static limber_result write_mesh(limberi_writer* writer, const limber_bake* bake, uint32_t m, uint32_t* inputs,
                                bool* baked, limber_error* error) {
    const limber_model* model = limber_asset_model(writer->document->asset);
    bool vertex = bake->kind == LIMBER_BAKE_VERTEX;
    mesh_edit edit = {.writer = writer, .mesh = &model->meshes[m], .bake = &bake->meshes[m]};
    if (vertex ? !edit.bake->base_positions : !edit.bake->target_count)
        return LIMBER_OK;
    uint32_t node = writer->carriers[m];
    bool skinned = json_object_get(limberi_item(writer->root, "nodes", node), "skin") != NULL;
    node = vertex || skinned ? limberi_node_to_root(writer, node) : limberi_node_to_leaf(writer, node);
    writer->carriers[m] = node;
    edit.object = limberi_item(writer->root, "meshes", limberi_mesh_own(writer, node));
    edit.weights.mesh = m;
    edit.weights.node = node;
    edit.weights.new_count = edit.bake->target_count;
    const json_t* primitives = json_object_get(edit.object, "primitives");
    edit.weights.old_count = (uint32_t)json_array_size(json_object_get(json_array_get(primitives, 0), "targets"));
    if (json_array_size(primitives) != limberi_part_count(edit.mesh) ||
        edit.weights.old_count != edit.mesh->morph_count)
        return limberi_fail(error, LIMBER_ERROR_ARGUMENT, "mesh %u does not match the file it came from", m);
    if (vertex)
        replace_mesh(&edit, node);
    else
        correct_mesh(&edit, node);
    write_tracks(&edit, bake, inputs, baked);
    return LIMBER_OK;
}

limber_result limberi_write_bake(limberi_writer* writer, const limber_bake* bake, limber_error* error) {
    const limber_model* model = limber_asset_model(writer->document->asset);
    if (bake->mesh_count != model->mesh_count)
        return limberi_fail(error, LIMBER_ERROR_ARGUMENT, "the bake has %u meshes and the file %u", bake->mesh_count,
                            model->mesh_count);
    uint32_t* inputs = LIMBERI_ALLOCATE(&writer->arena, uint32_t, bake->track_count);
    bool* baked = LIMBERI_ALLOCATE(&writer->arena, bool, model->clip_count);
    if (!inputs || !baked)
        return limberi_writer_status(writer, error);
    memset(inputs, 0xff, bake->track_count * sizeof *inputs);
    limber_result result = LIMBER_OK;
    for (uint32_t m = 0; result == LIMBER_OK && m < bake->mesh_count; m++)
        result = write_mesh(writer, bake, m, inputs, baked, error);
    if (result == LIMBER_OK && bake->kind == LIMBER_BAKE_VERTEX)
        drop_unused_skins(writer);
    return result;
}
