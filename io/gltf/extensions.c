// Which extensions a file declares, and which of them compress it.
#include "io/gltf/document.h"

#include <string.h>

static void remove_from(limberi_json* root, const char* list, const char* extension) {
    limberi_json* names = limberi_json_get(root, list);
    for (size_t i = limberi_json_count(names); i-- > 0;) {
        const char* name = limberi_json_as_text(limberi_json_at(names, i));
        if (name && strcmp(name, extension) == 0)
            limberi_json_remove_at(names, i);
    }
    if (names && limberi_json_count(names) == 0)
        limberi_json_remove(root, list);
}

void limberi_gltf_undeclare(limberi_json* root, const char* extension) {
    remove_from(root, "extensionsUsed", extension);
    remove_from(root, "extensionsRequired", extension);
}

const char* limberi_gltf_packing_name(uint32_t index) {
    static const char* const names[] = {"EXT_meshopt_compression", "KHR_meshopt_compression"};
    return index < sizeof names / sizeof *names ? names[index] : NULL;
}

bool limberi_gltf_is_packing(const char* extension) {
    for (uint32_t i = 0; limberi_gltf_packing_name(i); i++)
        if (strcmp(extension, limberi_gltf_packing_name(i)) == 0)
            return true;
    return false;
}

const limberi_json* limberi_gltf_packing(const limberi_json* object) {
    const limberi_json* extensions = limberi_json_get(object, "extensions");
    for (uint32_t i = 0; limberi_gltf_packing_name(i); i++) {
        const limberi_json* found = limberi_json_get(extensions, limberi_gltf_packing_name(i));
        if (found)
            return found;
    }
    return NULL;
}
