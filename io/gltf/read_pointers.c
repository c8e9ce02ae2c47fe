// KHR_animation_pointer, where it points at what a channel can say by itself: the translation, rotation, scale or weights
// of a node. Such channels become plain ones; others (colors, lights) stay as they are and are passed through. The plain
// ones keep the extension, by which a writer that changes no clip finds and restores them (write_pointers.c).
#include "io/gltf/read.h"

#include <string.h>

// "/nodes/12/rotation": the node and the property, or NULL.
static const char* property_of(const char* pointer, uint32_t node_count, uint32_t* node) {
    static const char* const properties[] = {"translation", "rotation", "scale", "weights"};
    static const char start[] = "/nodes/";
    if (!pointer || strncmp(pointer, start, sizeof start - 1) != 0)
        return NULL;
    const char* at = pointer + sizeof start - 1;
    uint64_t number = 0;
    size_t digits = 0;
    for (; at[digits] >= '0' && at[digits] <= '9' && digits < 10; digits++)
        number = 10 * number + (uint64_t)(at[digits] - '0');
    if (!digits || number >= node_count || at[digits] != '/')
        return NULL;
    *node = (uint32_t)number;
    for (size_t i = 0; i < sizeof properties / sizeof *properties; i++)
        if (strcmp(at + digits + 1, properties[i]) == 0)
            return properties[i];
    return NULL;
}

static void resolve(limberi_gltf_reader* reader, limberi_json* target) {
    limberi_json_document* json = &reader->gltf->json;
    const char* path = limberi_json_as_text(limberi_json_get(target, "path"));
    if (!path || strcmp(path, "pointer") != 0)
        return;
    uint32_t node = 0;
    const limberi_json* extension = limberi_json_get(limberi_json_get(target, "extensions"), "KHR_animation_pointer");
    const char* property =
        property_of(limberi_json_as_text(limberi_json_get(extension, "pointer")), reader->nodes.count, &node);
    if (!property)
        return;
    limberi_json_set(json, target, "node", limberi_json_new_integer(json, node));
    limberi_json_set(json, target, "path", limberi_json_new_string(json, property));
}

limber_result limberi_gltf_resolve_pointers(limberi_gltf_reader* reader) {
    const limberi_json* animations = reader->animations.array;
    for (size_t a = 0; a < limberi_json_count(animations); a++) {
        const limberi_json* channels = limberi_json_get(limberi_json_at(animations, a), "channels");
        for (size_t i = 0; i < limberi_json_count(channels); i++)
            resolve(reader, limberi_json_get(limberi_json_at(channels, i), "target"));
    }
    return reader->gltf->json.arena.failed ? limberi_fail_memory(reader->error) : LIMBER_OK;
}
