// A table of numbers by texts: JSON objects have one that nobody can make slow.
#include "io/known.h"

#include "base/error.h"

int64_t limberi_known_get(const limberi_known* known, const char* key) {
    return limberi_json_as_integer(limberi_json_get(known->json.root, key));
}

void limberi_known_set(limberi_known* known, const char* key, int64_t value) {
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

int64_t limberi_known_at(const limberi_known* known, const void* bytes) {
    char key[32];
    write_address(bytes, key);
    return limberi_known_get(known, key);
}

void limberi_known_put(limberi_known* known, const void* bytes, int64_t value) {
    char key[32];
    write_address(bytes, key);
    limberi_known_set(known, key, value);
}

bool limberi_known_free(limberi_known* known) {
    bool kept = !known->json.arena.failed;
    limberi_json_free(&known->json);
    return kept;
}
