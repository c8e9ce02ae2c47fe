// Morph targets into meshes: correctives beside what is there, or a plain mesh in the place of a skinned one.
#include "base/error.h"
#include "base/math.h"
#include "io/gltf/write.h"

#include <string.h>

enum { VECTOR_BYTES = 3 * sizeof(float), NAME_BYTES = 24 };
// Of one mesh; from here on it pays to say only which of them are not 0.
enum { MANY_WEIGHTS = 1 << 18 };

typedef struct mesh_edit {
    limberi_writer* writer;
    const limber_mesh* mesh;
    const limber_bake_mesh* bake;
    const limber_bake_store* store;
    bool normals;         // targets have some
    limberi_json* object; // the mesh in the file
    limberi_weights_edit weights;
} mesh_edit;

void limberi_primitive_touch(limberi_json* primitive) {
    limberi_json* extensions = limberi_json_get(primitive, "extensions");
    limberi_json_remove(extensions, "KHR_draco_mesh_compression");
    if (extensions && limberi_json_count(extensions) == 0)
        limberi_json_remove(primitive, "extensions");
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

static void add_targets(const mesh_edit* edit, const limber_part* part, limberi_json* targets, const char* attribute,
                        const float* values) {
    bool second = strcmp(attribute, "NORMAL") == 0;
    limberi_target_values v = {.store = edit->store,
                               .rows = edit->bake->rows,
                               .values = values,
                               .offset = second ? (uint64_t)VECTOR_BYTES * edit->mesh->vertex_count : 0,
                               .row_vertices = edit->mesh->vertex_count,
                               .target_count = edit->bake->target_count,
                               .first_vertex = part->first_vertex,
                               .vertex_count = part->vertex_count};
    limberi_write_target_values(edit->writer, &v, targets, attribute);
}

static limberi_json* zero_accessor(limberi_writer* writer, const limberi_json* like) {
    static const float zeros[4] = {0};
    const char* type = limberi_json_as_text(limberi_json_get(like, "type"));
    limberi_accessor accessor = {.view = UINT32_MAX,
                                 .component_type =
                                     (int)limberi_json_as_integer(limberi_json_get(like, "componentType")),
                                 .type = type ? type : "VEC3",
                                 .count = 1,
                                 .normalized = limberi_json_as_truth(limberi_json_get(like, "normalized")),
                                 .bounds = zeros};
    uint32_t index = limberi_accessor_add(writer, &accessor);
    limberi_json* count = limberi_json_get(like, "count");
    limberi_put(writer, limberi_item(writer->json.root, "accessors", index), "count", count);
    return limberi_json_new_integer(&writer->json, index);
}

// Players take a target that lacks an attribute for anything from zero to a copy of the base. An accessor without
// bytes says zero and costs nothing.
static void even_out(limberi_writer* writer, limberi_json* targets, const char* attribute) {
    const limberi_json* like = NULL;
    size_t t;
    size_t missing = 0;
    limberi_json* target;
    for (t = 0; (target = limberi_json_at(targets, t)) != NULL; t++) {
        uint32_t index = limberi_index(target, attribute);
        if (index == UINT32_MAX)
            missing++;
        else if (!like)
            like = limberi_item(writer->json.root, "accessors", index);
    }
    if (!like || !missing)
        return;
    limberi_json* zero = zero_accessor(writer, like);
    for (t = 0; (target = limberi_json_at(targets, t)) != NULL; t++) {
        if (!limberi_json_get(target, attribute))
            limberi_put(writer, target, attribute, zero);
    }
}

static void write_targets(const mesh_edit* edit, const limber_part* part, limberi_json* primitive) {
    if (!edit->bake->target_count || !part->vertex_count)
        return;
    limberi_writer* writer = edit->writer;
    limberi_json* targets = limberi_child_array(writer, primitive, "targets");
    for (uint32_t t = 0; t < edit->bake->target_count; t++)
        limberi_push(writer, targets, limberi_new_object(writer));
    add_targets(edit, part, targets, "POSITION", edit->bake->positions);
    if (edit->normals && limberi_json_get(limberi_json_get(primitive, "attributes"), "NORMAL"))
        add_targets(edit, part, targets, "NORMAL", edit->bake->normals);
    even_out(writer, targets, "POSITION");
    even_out(writer, targets, "NORMAL");
    even_out(writer, targets, "TANGENT");
    even_out(writer, targets, "COLOR_0");
}

static void extend_zeros(limberi_writer* writer, limberi_json* array, uint32_t count) {
    for (uint32_t i = limberi_json_count(array); limberi_json_is(array, LIMBERI_JSON_ARRAY) && i < count; i++)
        limberi_push_integer(writer, array, 0);
}

static void write_weights(const mesh_edit* edit, limberi_json* node) {
    limberi_writer* writer = edit->writer;
    uint32_t total = edit->weights.old_count + edit->weights.new_count;
    if (total)
        extend_zeros(writer, limberi_child_array(writer, edit->object, "weights"), total);
    extend_zeros(writer, limberi_json_get(node, "weights"), total);
    limberi_json* names = limberi_json_get(limberi_json_get(edit->object, "extras"), "targetNames");
    for (uint32_t t = 0; limberi_json_is(names, LIMBERI_JSON_ARRAY) && t < edit->weights.new_count; t++) {
        char name[NAME_BYTES], number[NAME_BYTES];
        limberi_format(number, sizeof number, "%u", t < 10000 ? 10000 + t : t);
        limberi_format(name, sizeof name, "limber_%s", t < 10000 ? number + 1 : number); // at least four digits
        limberi_push_string(writer, names, name);
    }
}

static void correct_mesh(mesh_edit* edit, uint32_t node) {
    limberi_json* primitives = limberi_json_get(edit->object, "primitives");
    for (uint32_t p = 0; p < limberi_part_count(edit->mesh); p++) {
        limberi_json* primitive = limberi_json_at(primitives, p);
        limber_part part = limberi_part_at(edit->mesh, p);
        limberi_primitive_touch(primitive);
        write_targets(edit, &part, primitive);
    }
    write_weights(edit, limberi_item(edit->writer->json.root, "nodes", node));
}

static bool belongs_to_the_rest_pose(const char* attribute) {
    return strncmp(attribute, "JOINTS_", 7) == 0 || strncmp(attribute, "WEIGHTS_", 8) == 0 ||
           strcmp(attribute, "TANGENT") == 0;
}

static void replace_part(const mesh_edit* edit, const limber_part* part, limberi_json* primitive) {
    limberi_writer* writer = edit->writer;
    limberi_json* attributes = limberi_json_get(primitive, "attributes");
    size_t first = 3 * (size_t)part->first_vertex;
    limberi_primitive_touch(primitive);
    limberi_json_remove_if(attributes, belongs_to_the_rest_pose);
    limberi_json_remove(primitive, "targets");
    if (!part->vertex_count)
        return;
    uint32_t positions = limberi_floats_add(writer, edit->bake->base_positions + first, part->vertex_count, "VEC3",
                                            LIMBERI_GLTF_VERTICES, true);
    limberi_put_integer(writer, attributes, "POSITION", positions);
    if (!limberi_json_get(attributes, "NORMAL"))
        return;
    if (!edit->bake->base_normals) {
        limberi_json_remove(attributes, "NORMAL"); // those of the undeformed mesh would be wrong
        return;
    }
    const float* normals = unit_vectors(writer, edit->bake->base_normals + first, part->vertex_count);
    if (normals)
        limberi_put_integer(
            writer, attributes, "NORMAL",
            limberi_floats_add(writer, normals, part->vertex_count, "VEC3", LIMBERI_GLTF_VERTICES, false));
}

static void replace_mesh(mesh_edit* edit, uint32_t node) {
    limberi_json* primitives = limberi_json_get(edit->object, "primitives");
    limberi_json* carrier = limberi_item(edit->writer->json.root, "nodes", node);
    edit->weights.old_count = 0;
    limberi_json_remove(carrier, "skin");
    limberi_json_remove(carrier, "weights");
    limberi_json_remove(edit->object, "weights");
    limberi_json_remove(limberi_json_get(edit->object, "extras"), "targetNames");
    for (uint32_t p = 0; p < limberi_part_count(edit->mesh); p++) {
        limberi_json* primitive = limberi_json_at(primitives, p);
        limber_part part = limberi_part_at(edit->mesh, p);
        replace_part(edit, &part, primitive);
        write_targets(edit, &part, primitive);
    }
    write_weights(edit, carrier);
}

// A skin that no node uses any more would only puzzle its reader; indices into a list that is gone hurt nobody.
static void drop_unused_skins(limberi_writer* writer) {
    size_t i;
    const limberi_json* node;
    for (i = 0; (node = limberi_json_at(limberi_json_get(writer->json.root, "nodes"), i)) != NULL; i++) {
        if (limberi_json_get(node, "skin"))
            return;
    }
    limberi_json_remove(writer->json.root, "skins");
}

static void write_tracks(const mesh_edit* edit, const limber_bake* bake, uint32_t* inputs, bool* baked) {
    uint32_t clip_count = limber_asset_model(edit->writer->document->asset)->clip_count;
    uint64_t numbers = 0;
    memset(baked, 0, clip_count * sizeof *baked);
    for (uint32_t t = 0; t < bake->track_count; t++)
        numbers += (uint64_t)bake->tracks[t].frame_count * edit->weights.new_count;
    for (uint32_t t = 0; edit->weights.new_count && t < bake->track_count; t++) {
        const limber_bake_track* track = &bake->tracks[t];
        limberi_frame_weights weights = {.many = numbers > MANY_WEIGHTS};
        if (edit->bake->shown)
            weights.shown = edit->bake->shown[t];
        else if (edit->bake->weights)
            weights.weights = edit->bake->weights[t];
        if (track->clip >= clip_count || !track->frame_count || (!weights.weights && !weights.shown))
            continue;
        limberi_write_track(edit->writer, &edit->weights, track, weights, &inputs[t]);
        baked[track->clip] = true;
    }
    limberi_extend_tracks(edit->writer, &edit->weights, baked);
}

static limber_result write_mesh(limberi_writer* writer, const limber_bake* bake, uint32_t m, uint32_t* inputs,
                                bool* baked, limber_error* error) {
    const limber_model* model = limber_asset_model(writer->document->asset);
    bool vertex = bake->kind == LIMBER_BAKE_VERTEX;
    mesh_edit edit = {.writer = writer, .mesh = &model->meshes[m], .bake = &bake->meshes[m], .store = &bake->store};
    edit.normals = edit.bake->rows ? bake->stored_normals : edit.bake->normals != NULL;
    if (vertex ? !edit.bake->base_positions : !edit.bake->target_count)
        return LIMBER_OK;
    uint32_t node = writer->carriers[m];
    bool skinned = limberi_json_get(limberi_item(writer->json.root, "nodes", node), "skin") != NULL;
    node = vertex || skinned ? limberi_node_to_root(writer, node) : limberi_node_to_leaf(writer, node);
    writer->carriers[m] = node;
    edit.object = limberi_item(writer->json.root, "meshes", limberi_mesh_own(writer, node));
    edit.weights.mesh = m;
    edit.weights.node = node;
    edit.weights.new_count = edit.bake->target_count;
    limber_result result = limberi_writer_status(writer, error);
    if (result != LIMBER_OK)
        return result;
    const limberi_json* primitives = limberi_json_get(edit.object, "primitives");
    edit.weights.old_count = limberi_json_count(limberi_json_get(limberi_json_at(primitives, 0), "targets"));
    if (limberi_json_count(primitives) != limberi_part_count(edit.mesh) ||
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
    for (uint32_t m = 0; m < bake->mesh_count; m++) {
        limber_result result = write_mesh(writer, bake, m, inputs, baked, error);
        if (result)
            return result;
    }
    if (bake->kind == LIMBER_BAKE_VERTEX)
        drop_unused_skins(writer);
    return LIMBER_OK;
}
