// Addresses of values: which rows of the table a chain of keys leads to.
#include "style/table.h"

#include "base/error.h"
#include "text/json.h"

#include <string.h>

int32_t limberi_effect_find(const char* name) {
    for (int32_t i = 0; i < LIMBER_EFFECT_COUNT; i++)
        if (strcmp(limber_effect_name((limber_effect)i), name) == 0)
            return i;
    return -1;
}

static bool is_joint_path(const char* path) {
    return strncmp(path, "joints.", 7) == 0;
}

static bool is_mesh_path(const char* path) {
    return strncmp(path, "meshes.", 7) == 0;
}

bool limberi_has_names(const char* key) {
    return strcmp(key, "joints") == 0 || strcmp(key, "meshes") == 0;
}

// Where key `level` of a path starts and how long it is. The third key of a joint is all the rest, since it may hold a
// dot ("squash.angular").
static const char* key_at(const char* path, uint32_t level, size_t* length) {
    const char* start = path;
    for (uint32_t i = 0; i < level; i++) {
        start = strchr(start, '.');
        if (!start)
            return NULL;
        start++;
    }
    bool rest = level == 2 && is_joint_path(path);
    const char* end = rest ? NULL : strchr(start, '.');
    *length = end ? (size_t)(end - start) : strlen(start);
    return start;
}

uint32_t limberi_row_depth(const limberi_row* row) {
    if (is_joint_path(row->key.path))
        return 3;
    uint32_t depth = 1;
    for (const char* p = row->key.path; *p; p++)
        depth += *p == '.';
    return depth;
}

void limberi_row_key(const limberi_row* row, uint32_t level, char* out, size_t size) {
    size_t length = 0;
    const char* start = key_at(row->key.path, level, &length);
    length = start && length < size ? length : 0;
    if (length)
        memcpy(out, start, length);
    out[length] = 0;
}

// The star of the second key stands for any joint or mesh, or for the effects the row is for; elsewhere it is just a star.
static bool key_fits(const limberi_row* row, uint32_t level, const char* key) {
    size_t length = 0;
    const char* start = key_at(row->key.path, level, &length);
    if (!start)
        return false;
    if (level == 1 && length == 1 && *start == '*') {
        if (is_joint_path(row->key.path) || is_mesh_path(row->key.path))
            return true;
        int32_t effect = limberi_effect_find(key);
        return effect >= 0 && (limberi_row_effects(row) >> effect & 1);
    }
    return strlen(key) == length && memcmp(start, key, length) == 0;
}

bool limberi_row_accepts(const limberi_row* row, const limberi_address* address, uint32_t count) {
    for (uint32_t level = 0; level < count; level++)
        if (!key_fits(row, level, address->keys[level]))
            return false;
    return true;
}

int32_t limberi_row_find(const limberi_address* address) {
    for (uint32_t i = 0; i < limber_key_count(); i++) {
        const limberi_row* row = limberi_row_at(i);
        if (limberi_row_depth(row) == address->count && limberi_row_accepts(row, address, address->count))
            return (int32_t)i;
    }
    return -1;
}

void limberi_address_format(const limberi_address* address, char* out, size_t size) {
    size_t length = 0;
    out[0] = 0;
    for (uint32_t i = 0; i < address->count; i++) {
        char key[64];
        limberi_json_tidy(address->keys[i], key, sizeof key);
        limberi_format(out + length, size - length, i ? ".%s" : "%s", key);
        length = strlen(out);
    }
}
