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
    json_t* object = limberi_item(writer->root, "meshes", limberi_mesh_own(writer, node));
    json_t* primitives = json_object_get(object, "primitives");
    char* name = limberi_layer_attribute(&writer->arena, layer->layer.name);
    if (json_array_size(primitives) != limberi_part_count(mesh) || !name)
        return limberi_fail(error, LIMBER_ERROR_ARGUMENT, "mesh %u does not match the file it came from", layer->mesh);
    for (uint32_t p = 0; p < limberi_part_count(mesh); p++) {
        limber_part part = limberi_part_at(mesh, p);
        json_t* primitive = json_array_get(primitives, p);
        if (!layer->layer.values)
            json_object_del(json_object_get(primitive, "attributes"), name);
        if (!layer->layer.values || !part.vertex_count)
            continue;
        uint32_t accessor = limberi_floats_add(writer, layer->layer.values + part.first_vertex, part.vertex_count,
                                               "SCALAR", LIMBERI_GLTF_VERTICES, false);
        limberi_primitive_touch(primitive);
        limberi_put(writer, limberi_child_object(writer, primitive, "attributes"), name, json_integer(accessor));
    }
    return LIMBER_OK;
}

static void add_all_roots(limberi_writer* writer, json_t* scene) {
    json_t* nodes = limberi_child_array(writer, scene, "nodes");
    for (uint32_t n = 0; n < writer->node_count; n++)
        if (writer->parents[n] < 0)
            limberi_push(writer, nodes, json_integer(n));
    if (json_array_size(nodes) == 0)
        json_object_del(scene, "nodes");
}

// The scene that is shown; a file without scenes gets one.
static json_t* active_scene(limberi_writer* writer) {
    json_t* scenes = limberi_child_array(writer, writer->root, "scenes");
    if (json_array_size(scenes) == 0) {
        json_t* scene = json_object();
        add_all_roots(writer, scene);
        limberi_push(writer, scenes, scene);
        limberi_put(writer, writer->root, "scene", json_integer(0));
    }
    uint32_t index = limberi_index(writer->root, "scene");
    return json_array_get(scenes, index < json_array_size(scenes) ? index : 0);
}

static void declare(limberi_writer* writer, const char* extension) {
    json_t* used = limberi_child_array(writer, writer->root, "extensionsUsed");
    size_t i;
    const json_t* name;
    json_array_foreach(used, i, name) {
        if (json_is_string(name) && strcmp(json_string_value(name), extension) == 0)
            return;
    }
    limberi_push(writer, used, json_string(extension));
}

static void undeclare_in(json_t* root, const char* list, const char* extension) {
    json_t* used = json_object_get(root, list);
    for (size_t i = json_array_size(used); i-- > 0;) {
        const char* name = json_string_value(json_array_get(used, i));
        if (name && strcmp(name, extension) == 0)
            json_array_remove(used, i);
    }
    if (used && json_array_size(used) == 0)
        json_object_del(root, list);
}

static void remove_style(limberi_writer* writer) {
    size_t s;
    json_t* scene;
    json_array_foreach(json_object_get(writer->root, "scenes"), s, scene) {
        json_t* extensions = json_object_get(scene, "extensions");
        json_object_del(extensions, style_extension);
        if (extensions && json_object_size(extensions) == 0)
            json_object_del(scene, "extensions");
    }
    undeclare_in(writer->root, "extensionsUsed", style_extension);
    undeclare_in(writer->root, "extensionsRequired", style_extension);
}

limber_result limberi_write_style(limberi_writer* writer, const char* style, limber_error* error) {
    if (!style[0]) {
        remove_style(writer);
        return LIMBER_OK;
    }
    json_error_t problem;
    json_t* parsed = json_loads(style, JSON_ALLOW_NUL, &problem);
    if (!json_is_object(parsed)) {
        limber_result result = limberi_fail(error, LIMBER_ERROR_ARGUMENT, "the style to embed is not a JSON object%s%s",
                                            parsed ? "" : ": ", parsed ? "" : problem.text);
        json_decref(parsed);
        return result;
    }
    json_t* scene = active_scene(writer);
    limberi_put(writer, limberi_child_object(writer, scene, "extensions"), style_extension, parsed);
    declare(writer, style_extension);
    return LIMBER_OK;
}
