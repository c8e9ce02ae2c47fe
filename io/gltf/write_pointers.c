// Channels that the reader has resolved from KHR_animation_pointer (read_pointers.c).
#include "io/gltf/write.h"

#include <string.h>

static const char extension_name[] = "KHR_animation_pointer";

// Whether the target still needs the extension.
static bool settle(limberi_writer* writer, limberi_json* target, bool plain) {
    limberi_json* extensions = limberi_json_get(target, "extensions");
    const char* path = limberi_json_as_text(limberi_json_get(target, "path"));
    if (!limberi_json_get(extensions, extension_name) || !path)
        return false;
    if (strcmp(path, "pointer") == 0)
        return true;
    if (!plain) {
        limberi_json_remove(target, "node");
        limberi_put_string(writer, target, "path", "pointer");
        return true;
    }
    limberi_json_remove(extensions, extension_name);
    if (!limberi_json_count(extensions))
        limberi_json_remove(target, "extensions");
    return false;
}

void limberi_write_pointers(limberi_writer* writer, bool plain) {
    limberi_json* animations = limberi_json_get(writer->json.root, "animations");
    limberi_json* channels;
    bool needed = !plain;
    for (size_t a = 0; a < limberi_json_count(animations); a++) {
        channels = limberi_json_get(limberi_json_at(animations, a), "channels");
        for (size_t i = 0; i < limberi_json_count(channels); i++)
            needed = settle(writer, limberi_json_get(limberi_json_at(channels, i), "target"), plain) || needed;
    }
    if (!needed)
        limberi_gltf_undeclare(writer->json.root, extension_name);
}
