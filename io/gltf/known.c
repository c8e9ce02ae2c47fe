// What was met before in a file, by its name or by where its bytes lie.
#include "io/gltf/read.h"

int64_t limberi_gltf_known_get(const limberi_gltf_known* known, const char* key) {
    return limberi_json_as_integer(limberi_json_get(known->json.root, key));
}

void limberi_gltf_known_set(limberi_gltf_known* known, const char* key, int64_t value) {
    limberi_json_document* json = &known->json;
    if (!json->root)
        json->root = limberi_json_new(json, LIMBERI_JSON_OBJECT);
    limberi_json* number = json->root ? limberi_json_new_integer(json, value) : NULL;
    if (number)
        limberi_json_set(json, json->root, key, number);
}

static void write_address(const void* bytes, char out[32]) {
    limberi_format(out, 32, "%llx", (unsigned long long)(uintptr_t)bytes);
}

int64_t limberi_gltf_known_at(const limberi_gltf_known* known, const void* bytes) {
    char key[32];
    write_address(bytes, key);
    return limberi_gltf_known_get(known, key);
}

void limberi_gltf_known_put(limberi_gltf_known* known, const void* bytes, int64_t value) {
    char key[32];
    write_address(bytes, key);
    limberi_gltf_known_set(known, key, value);
}

bool limberi_gltf_known_free(limberi_gltf_known* known) {
    bool kept = !known->json.arena.failed;
    limberi_json_free(&known->json);
    return kept;
}
