// Layers on meshes and the style on the scene.
#include "base/error.h"
#include "io/gltf/write.h"

#include <string.h>

static const char style_extension[] = "LIMBER_style";
static const char layer_prefix[] = "_LIMBER_";

char* limberi_layer_attribute(limberi_arena* arena, const char* layer) {
    size_t prefix = sizeof layer_prefix - 1;
    char* name = LIMBERI_ALLOCATE(arena, char, prefix + strlen(layer) + 1);
    if (!name)
        return NULL;
    memcpy(name, layer_prefix, prefix);
    for (size_t i = 0; layer[i]; i++)
        name[prefix + i] = (char)(layer[i] >= 'a' && layer[i] <= 'z' ? layer[i] - 'a' + 'A' : layer[i]);
    return name;
}

limber_result limberi_write_layer(limberi_writer* writer, const limber_gltf_layer* layer, limber_error* error) {
    const limber_model* model = limber_asset_model(writer->document->asset);
    if (layer->mesh >= model->mesh_count || !layer->layer.name || !layer->layer.name[0])
        return limberi_fail(error, LIMBER_ERROR_ARGUMENT, "a layer to write has no name or no mesh");
    const limber_mesh* mesh = &model->meshes[layer->mesh];
    uint32_t node = writer->carriers[layer->mesh];
    limberi_json* object = limberi_item(writer->json.root, "meshes", limberi_mesh_own(writer, node));
    limberi_json* primitives = limberi_json_get(object, "primitives");
    char* name = limberi_layer_attribute(&writer->arena, layer->layer.name);
    limber_result result = limberi_writer_status(writer, error);
    if (result != LIMBER_OK)
        return result;
    if (limberi_json_count(primitives) != limberi_part_count(mesh))
        return limberi_fail(error, LIMBER_ERROR_ARGUMENT, "mesh %u does not match the file it came from", layer->mesh);
    for (uint32_t p = 0; p < limberi_part_count(mesh); p++) {
        limber_part part = limberi_part_at(mesh, p);
        limberi_json* primitive = limberi_json_at(primitives, p);
        if (!layer->layer.values)
            limberi_json_remove(limberi_json_get(primitive, "attributes"), name);
        if (!layer->layer.values || !part.vertex_count)
            continue;
        uint32_t accessor = limberi_floats_add(writer, layer->layer.values + part.first_vertex, part.vertex_count,
                                               "SCALAR", LIMBERI_GLTF_VERTICES, false);
        limberi_primitive_touch(primitive);
        limberi_put_integer(writer, limberi_child_object(writer, primitive, "attributes"), name, accessor);
    }
    return LIMBER_OK;
}

// The scene that is shown; a file without scenes gets one.
static limberi_json* active_scene(limberi_writer* writer) {
    limberi_json* scenes = limberi_child_array(writer, writer->json.root, "scenes");
    if (limberi_json_count(scenes) == 0) {
        limberi_json* scene = limberi_new_object(writer);
        limberi_json* nodes = limberi_child_array(writer, scene, "nodes");
        for (uint32_t n = 0; n < writer->node_count; n++)
            if (writer->parents[n] < 0)
                limberi_push_integer(writer, nodes, n);
        if (limberi_json_count(nodes) == 0)
            limberi_json_remove(scene, "nodes");
        limberi_push(writer, scenes, scene);
        limberi_put_integer(writer, writer->json.root, "scene", 0);
        writer->places = NULL;
    }
    uint32_t index = limberi_index(writer->json.root, "scene");
    return limberi_json_at(scenes, index < limberi_json_count(scenes) ? index : 0);
}

void limberi_declare(limberi_writer* writer, const char* extension) {
    limberi_json* used = limberi_child_array(writer, writer->json.root, "extensionsUsed");
    size_t i;
    const limberi_json* name;
    for (i = 0; (name = limberi_json_at(used, i)) != NULL; i++) {
        if (limberi_json_is(name, LIMBERI_JSON_STRING) && strcmp(limberi_json_as_text(name), extension) == 0)
            return;
    }
    limberi_push_string(writer, used, extension);
}

static void remove_style(limberi_writer* writer) {
    size_t s;
    limberi_json* scene;
    for (s = 0; (scene = limberi_json_at(limberi_json_get(writer->json.root, "scenes"), s)) != NULL; s++) {
        limberi_json* extensions = limberi_json_get(scene, "extensions");
        limberi_json_remove(extensions, style_extension);
        if (extensions && limberi_json_count(extensions) == 0)
            limberi_json_remove(scene, "extensions");
    }
    limberi_gltf_undeclare(writer->json.root, style_extension);
}

limber_result limberi_write_style(limberi_writer* writer, const char* style, limber_error* error) {
    if (!style[0]) {
        remove_style(writer);
        return LIMBER_OK;
    }
    limberi_json_rules rules = limberi_json_rules_exact();
    limberi_json_document json;
    limber_error problem;
    limber_result result = limberi_json_read(style, strlen(style), &rules, &json, &problem);
    if (result == LIMBER_ERROR_MEMORY)
        return limberi_fail_memory(error);
    if (result)
        return limberi_fail(error, LIMBER_ERROR_ARGUMENT, "the style to embed is not JSON: %s: %s", problem.place,
                            problem.message);
    limberi_json* parsed = limberi_json_adopt(&writer->json, &json);
    if (!limberi_json_is(parsed, LIMBERI_JSON_OBJECT))
        return limberi_fail(error, LIMBER_ERROR_ARGUMENT, "the style to embed is not a JSON object");
    limberi_json* scene = active_scene(writer);
    limberi_put(writer, limberi_child_object(writer, scene, "extensions"), style_extension,
                limberi_json_copy(&writer->json, parsed));
    limberi_declare(writer, style_extension);
    return LIMBER_OK;
}
