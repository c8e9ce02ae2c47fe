// In-between copies and motion lines: separate nodes under the scene, visible only while an animation shows them.
//
// A node is scaled to nothing wherever it is not to be seen, in its rest pose, too: glTF names this as its way of
// animating visibility (3.5.2: a scale of zero on all axes). That channel steps. The weights go straight from frame to
// frame like those of the character, so that copies keep their distance to it between the frames.
#include "base/error.h"
#include "io/gltf/write.h"

#include <math.h>
#include <string.h>

enum { OPACITY_STEPS = 127, NAME_BYTES = 256 };
#define VECTOR_BYTES (3 * sizeof(float))

typedef struct extra_edit {
    limberi_writer* writer;
    const limber_bake* bake;
    const limber_bake_smear_mesh* extra;
    uint32_t* materials; // [material of the file + 1] its copy for multiples, UINT32_MAX: not made; the last: of none
    uint32_t* line_material;
    uint32_t material_count; // before there were copies
} extra_edit;

// --- materials ---

// Extensions that make sense on something half transparent; others (glass, lacquer, brushed metal) do not mix with it.
static bool is_opaque_only(const char* extension) {
    static const char* const kept[] = {"KHR_materials_unlit", "KHR_materials_emissive_strength",
                                       "KHR_materials_pbrSpecularGlossiness"};
    for (size_t k = 0; k < sizeof kept / sizeof *kept; k++)
        if (strcmp(extension, kept[k]) == 0)
            return false;
    return true;
}

static uint32_t push_material(limberi_writer* writer, limberi_json* material, const char* name) {
    limberi_put_string(writer, material, "name", name);
    limberi_put_string(writer, material, "alphaMode", "BLEND");
    return limberi_push(writer, limberi_child_array(writer, writer->json.root, "materials"), material);
}

// The character's own material, seen through. Its normal map would need tangents of every frame.
static uint32_t copy_material(const extra_edit* edit, uint32_t index) {
    uint32_t count = edit->material_count;
    uint32_t* copy = &edit->materials[index < count ? index : count];
    if (*copy != UINT32_MAX)
        return *copy;
    limberi_json* old = limberi_item(edit->writer->json.root, "materials", index);
    limberi_json* material = old ? limberi_json_copy(&edit->writer->json, old) : limberi_new_object(edit->writer);
    const char* name = limberi_json_as_text(limberi_json_get(material, "name"));
    char text[NAME_BYTES];
    limberi_format(text, sizeof text, "%s multiple", name ? name : "");
    limberi_json_remove(material, "normalTexture");
    limberi_json_remove(material, "alphaCutoff");
    limberi_json_remove(material, "extras");
    limberi_json* extensions = limberi_json_get(material, "extensions");
    limberi_json_remove_if(extensions, is_opaque_only);
    if (extensions && limberi_json_count(extensions) == 0)
        limberi_json_remove(material, "extensions");
    *copy = push_material(edit->writer, material, name ? text : text + 1);
    if (index < count)
        limberi_repeat_shifts(edit->writer, index, *copy);
    return *copy;
}

// The colours of lines are in their vertices.
static uint32_t line_material(const extra_edit* edit) {
    if (*edit->line_material != UINT32_MAX)
        return *edit->line_material;
    limberi_json* material = limberi_new_object(edit->writer);
    limberi_json* surface = limberi_child_object(edit->writer, material, "pbrMetallicRoughness");
    limberi_put_integer(edit->writer, surface, "metallicFactor", 0);
    *edit->line_material = push_material(edit->writer, material, "motion lines");
    return *edit->line_material;
}

// --- geometry ---

// Some vertices of an extra.
typedef struct vertex_range {
    size_t first, count;
} vertex_range;

// Some targets have nothing of an attribute that others have. An accessor without bytes says zero and costs nothing.
static void add_zeros(const extra_edit* edit, limberi_json* targets, const char* attribute, limberi_accessor accessor) {
    static const float zeros[4] = {0};
    size_t t;
    size_t count = accessor.count;
    limberi_json* target;
    limberi_json* index = NULL;
    accessor.view = UINT32_MAX;
    accessor.bounds = accessor.component_type == LIMBERI_GLTF_FLOAT ? zeros : NULL;
    accessor.count = 1; // all the bounds that there are
    for (t = 0; (target = limberi_json_at(targets, t)) != NULL; t++) {
        if (limberi_json_get(target, attribute))
            continue;
        if (!index) {
            uint32_t zero = limberi_accessor_add(edit->writer, &accessor);
            limberi_put_integer(edit->writer, limberi_item(edit->writer->json.root, "accessors", zero), "count",
                                (int64_t)count);
            index = limberi_json_new_integer(&edit->writer->json, zero);
        }
        limberi_put(edit->writer, target, attribute, index);
    }
}

// An attribute of all shapes of a primitive in one view.
static void add_vectors(const extra_edit* edit, vertex_range range, limberi_json* targets, const char* attribute,
                        const float* values) {
    limberi_writer* writer = edit->writer;
    size_t vertices = edit->extra->vertex_count;
    limberi_accessor accessor = {.component_type = LIMBERI_GLTF_FLOAT, .type = "VEC3", .count = range.count};
    uint32_t shapes = edit->extra->shape_count;
    if (shapes) {
        accessor.view = limberi_view_begin(writer, LIMBERI_GLTF_VERTICES, VECTOR_BYTES);
        for (uint32_t t = 0; t < shapes; t++)
            limberi_writer_append(writer, values + 3 * (t * vertices + range.first), range.count * VECTOR_BYTES);
        limberi_view_end(writer, accessor.view);
    }
    for (uint32_t t = 0; t < shapes; t++) {
        accessor.offset = t * range.count * VECTOR_BYTES;
        accessor.bounds = values + 3 * (t * vertices + range.first);
        limberi_put_integer(writer, limberi_json_at(targets, t), attribute, limberi_accessor_add(writer, &accessor));
    }
    accessor.offset = 0;
    add_zeros(edit, targets, attribute, accessor);
}

// Four signed bytes per vertex, of which only the last is not 0.
static void add_opacities(const extra_edit* edit, vertex_range range, limberi_json* targets) {
    limberi_writer* writer = edit->writer;
    const limber_bake_smear_mesh* extra = edit->extra;
    size_t count = extra->opacity_count * range.count;
    int8_t* steps = LIMBERI_ALLOCATE(&writer->arena, int8_t, 4 * count);
    if (!steps)
        return;
    for (size_t o = 0; o < extra->opacity_count; o++)
        for (size_t v = 0; v < range.count; v++)
            steps[4 * (o * range.count + v) + 3] =
                (int8_t)lrintf(extra->opacities[o * extra->vertex_count + range.first + v] * OPACITY_STEPS);
    limberi_accessor accessor = {
        .component_type = LIMBERI_GLTF_INT8, .type = "VEC4", .count = range.count, .normalized = true};
    accessor.view = limberi_view_begin(writer, LIMBERI_GLTF_VERTICES, 4);
    limberi_writer_append(writer, steps, 4 * count);
    limberi_view_end(writer, accessor.view);
    for (size_t o = 0; o < extra->opacity_count; o++) {
        accessor.offset = 4 * o * range.count;
        limberi_put_integer(writer, limberi_json_at(targets, extra->target_count - extra->opacity_count + o), "COLOR_0",
                            limberi_accessor_add(writer, &accessor));
    }
    accessor.offset = 0;
    add_zeros(edit, targets, "COLOR_0", accessor);
}

static void add_targets(const extra_edit* edit, vertex_range range, limberi_json* primitive) {
    const limber_bake_smear_mesh* extra = edit->extra;
    if (!extra->target_count)
        return;
    limberi_json* targets = limberi_child_array(edit->writer, primitive, "targets");
    for (uint32_t t = 0; t < extra->target_count; t++)
        limberi_push(edit->writer, targets, limberi_new_object(edit->writer));
    add_vectors(edit, range, targets, "POSITION", extra->positions);
    if (extra->normals)
        add_vectors(edit, range, targets, "NORMAL", extra->normals);
    if (extra->opacity_count)
        add_opacities(edit, range, targets);
}

static void put_floats(const extra_edit* edit, limberi_json* attributes, const char* name, const float* values,
                       size_t count, const char* type, bool bounds) {
    limberi_put_integer(edit->writer, attributes, name,
                        limberi_floats_add(edit->writer, values, count, type, LIMBERI_GLTF_VERTICES, bounds));
}

static void add_geometry(const extra_edit* edit, vertex_range range, limberi_json* primitive) {
    const limber_bake_smear_mesh* extra = edit->extra;
    limberi_json* attributes = limberi_child_object(edit->writer, primitive, "attributes");
    put_floats(edit, attributes, "POSITION", extra->base_positions + 3 * range.first, range.count, "VEC3", true);
    put_floats(edit, attributes, "NORMAL", extra->base_normals + 3 * range.first, range.count, "VEC3", false);
    put_floats(edit, attributes, "COLOR_0", extra->base_colors + 4 * range.first, range.count, "VEC4", false);
    add_targets(edit, range, primitive);
}

// A copy of a part shares the triangles and texture coordinates that the file has already.
static limberi_json* copy_primitive(limberi_writer* writer, const limberi_json* source) {
    static const char* const kept[] = {"indices", "mode"};
    limberi_json* copy = limberi_new_object(writer);
    limberi_json* attributes = limberi_child_object(writer, copy, "attributes");
    limberi_json* value;
    const char* key;
    for (size_t k = 0; k < sizeof kept / sizeof *kept; k++)
        if ((value = limberi_json_get(source, kept[k])) != NULL)
            limberi_put(writer, copy, kept[k], value);
    const limberi_json* old = limberi_json_get(source, "attributes");
    for (uint32_t i = 0; (key = limberi_json_key_at(old, i)) != NULL; i++)
        if (strncmp(key, "TEXCOORD_", 9) == 0)
            limberi_put(writer, attributes, key, limberi_json_at(old, i));
    return copy;
}

static void add_copy(const extra_edit* edit, const limber_bake_piece* piece, limberi_json* primitives) {
    limberi_writer* writer = edit->writer;
    const limber_mesh* mesh = &limber_asset_model(writer->document->asset)->meshes[piece->source];
    const limberi_json* node = limberi_item(writer->json.root, "nodes", writer->carriers[piece->source]);
    const limberi_json* sources =
        limberi_json_get(limberi_item(writer->json.root, "meshes", limberi_index(node, "mesh")), "primitives");
    for (uint32_t p = 0; p < limberi_part_count(mesh); p++) {
        limber_part part = limberi_part_at(mesh, p);
        const limberi_json* source = limberi_json_at(sources, p);
        if (!part.vertex_count || !source)
            continue;
        limberi_json* primitive = copy_primitive(writer, source);
        vertex_range range = {piece->first_vertex + (size_t)part.first_vertex, part.vertex_count};
        add_geometry(edit, range, primitive);
        limberi_put_integer(writer, primitive, "material", copy_material(edit, limberi_index(source, "material")));
        limberi_push(writer, primitives, primitive);
    }
}

static void add_lines(const extra_edit* edit, const limber_bake_piece* piece, limberi_json* primitives) {
    limberi_writer* writer = edit->writer;
    limberi_json* primitive = limberi_new_object(writer);
    size_t count = 3 * (size_t)piece->triangle_count;
    vertex_range range = {piece->first_vertex, piece->vertex_count};
    add_geometry(edit, range, primitive);
    uint32_t view = limberi_view_begin(writer, LIMBERI_GLTF_INDICES, 0);
    limberi_writer_append(writer, piece->triangles, count * sizeof(uint32_t));
    limberi_view_end(writer, view);
    limberi_accessor accessor = {.view = view, .component_type = LIMBERI_GLTF_UINT32, .type = "SCALAR", .count = count};
    limberi_put_integer(writer, primitive, "indices", limberi_accessor_add(writer, &accessor));
    limberi_put_integer(writer, primitive, "material", line_material(edit));
    limberi_push(writer, primitives, primitive);
}

// --- the node and what moves it ---

static uint32_t add_node(const extra_edit* edit, limberi_json* mesh) {
    static const float zeros[3] = {0};
    limberi_writer* writer = edit->writer;
    const limber_bake_smear_mesh* extra = edit->extra;
    uint32_t carrier = writer->carriers[extra->source >= 0 ? extra->source : 0];
    const char* name =
        limberi_json_as_text(limberi_json_get(limberi_item(writer->json.root, "nodes", carrier), "name"));
    char text[NAME_BYTES];
    bool whose = extra->source >= 0 && name;
    limberi_format(text, sizeof text, "%s%s%s", whose ? name : "", whose ? " " : "", extra->name);
    limberi_json* node = limberi_new_object(writer);
    limberi_put_string(writer, mesh, "name", text);
    limberi_name_node(writer, node, text, "");
    limberi_put_integer(writer, node, "mesh",
                        limberi_push(writer, limberi_child_array(writer, writer->json.root, "meshes"), mesh));
    limberi_put(writer, node, "translation", limberi_reals(writer, &extra->center.x, 3));
    limberi_put(writer, node, "scale", limberi_reals(writer, zeros, 3));
    uint32_t index = limberi_push(writer, limberi_child_array(writer, writer->json.root, "nodes"), node);
    limberi_add_to_scenes(writer, index, limberi_node_root(writer, carrier));
    return index;
}

// Keys where it appears and disappears.
static void add_visibility(const extra_edit* edit, uint32_t t, uint32_t node, uint32_t animation) {
    const limber_bake_track* track = &edit->bake->tracks[t];
    const uint8_t* visible = edit->extra->visible[t];
    float* times = LIMBERI_ALLOCATE(&edit->writer->arena, float, track->frame_count);
    float* scales = LIMBERI_ALLOCATE(&edit->writer->arena, float, 3 * (size_t)track->frame_count);
    uint32_t count = 0;
    for (uint32_t i = 0; times && scales && i < track->frame_count; i++) {
        if (i && visible[i] == visible[i - 1])
            continue;
        times[count] = track->times[i];
        for (size_t c = 0; c < 3; c++)
            scales[3 * (size_t)count + c] = visible[i] ? 1.0f : 0.0f;
        count++;
    }
    if (!count)
        return;
    uint32_t input = limberi_floats_add(edit->writer, times, count, "SCALAR", 0, true);
    uint32_t output = limberi_floats_add(edit->writer, scales, count, "VEC3", 0, false);
    limberi_set_channel(edit->writer, animation, node, "scale", "STEP", input, output);
}

static bool needs_weights(const uint8_t* visible, uint32_t i) {
    return i == 0 || visible[i] || visible[i - 1];
}

// Keys in the frames that show it, and in the next one after, up to which it keeps its shape.
static void add_weights(const extra_edit* edit, uint32_t t, uint32_t node, uint32_t animation) {
    const limber_bake_track* track = &edit->bake->tracks[t];
    const uint8_t* visible = edit->extra->visible[t];
    size_t targets = edit->extra->target_count;
    size_t count = 0;
    size_t room = 0;
    for (uint32_t i = 0; i < track->frame_count; i++)
        room += needs_weights(visible, i);
    float* times = LIMBERI_ALLOCATE(&edit->writer->arena, float, room);
    float* weights = LIMBERI_ALLOCATE(&edit->writer->arena, float, room* targets);
    for (uint32_t i = 0; times && weights && i < track->frame_count; i++) {
        if (!needs_weights(visible, i))
            continue;
        times[count] = track->times[i];
        memcpy(weights + count * targets, edit->extra->weights[t] + i * targets, targets * sizeof *weights);
        count++;
    }
    if (!count || !targets)
        return;
    uint32_t input = limberi_floats_add(edit->writer, times, count, "SCALAR", 0, true);
    uint32_t output = limberi_floats_add(edit->writer, weights, count * targets, "SCALAR", 0, false);
    limberi_set_channel(edit->writer, animation, node, "weights", "LINEAR", input, output);
}

static void write_extra(const extra_edit* edit) {
    limberi_writer* writer = edit->writer;
    const limber_bake_smear_mesh* extra = edit->extra;
    limberi_json* mesh = limberi_new_object(writer);
    limberi_json* primitives = limberi_child_array(writer, mesh, "primitives");
    for (uint32_t i = 0; i < extra->piece_count; i++) {
        if (extra->pieces[i].source < 0)
            add_lines(edit, &extra->pieces[i], primitives);
        else
            add_copy(edit, &extra->pieces[i], primitives);
    }
    if (limberi_json_count(primitives) == 0) // a mesh without triangles has copies without triangles
        return;
    limberi_json* weights = extra->target_count ? limberi_child_array(writer, mesh, "weights") : NULL;
    for (uint32_t t = 0; t < extra->target_count; t++)
        limberi_push_integer(writer, weights, 0);
    uint32_t node = add_node(edit, mesh);
    for (uint32_t t = 0; t < edit->bake->track_count; t++) {
        const limber_bake_track* track = &edit->bake->tracks[t];
        if (!memchr(extra->visible[t], 1, track->frame_count))
            continue;
        uint32_t animation = writer->document->animation_of_clip[track->clip];
        add_visibility(edit, t, node, animation);
        add_weights(edit, t, node, animation);
    }
}

limber_result limberi_write_smears(limberi_writer* writer, const limber_bake* bake, limber_error* error) {
    const limber_model* model = limber_asset_model(writer->document->asset);
    size_t materials = limberi_json_count(limberi_json_get(writer->json.root, "materials"));
    uint32_t* copies = LIMBERI_ALLOCATE(&writer->arena, uint32_t, materials + 2);
    if (!copies)
        return limberi_writer_status(writer, error);
    memset(copies, 0xff, (materials + 2) * sizeof *copies);
    for (uint32_t i = 0; i < bake->smear_mesh_count; i++) {
        const limber_bake_smear_mesh* extra = &bake->smear_meshes[i];
        extra_edit edit = {writer, bake, extra, copies, copies + materials + 1, (uint32_t)materials};
        if (extra->source >= (int32_t)model->mesh_count || !model->mesh_count)
            return limberi_fail(error, LIMBER_ERROR_ARGUMENT, "in-between copies of mesh %d do not match the file",
                                extra->source);
        if (extra->positions)
            write_extra(&edit);
    }
    return limberi_writer_status(writer, error);
}
