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
