// Writing documents into separate folders and checking the result, for the tests of the writer.
#ifndef LIMBER_TEST_GLTF_SAVE_H
#define LIMBER_TEST_GLTF_SAVE_H

#include "kit/gltf_load.h"
#include "text/json_write.h"

#include <dirent.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PATH_BYTES = 512 };

static char save_folder[PATH_BYTES];

static inline const char* in_folder(const char* name) {
    static char paths[4][2 * PATH_BYTES];
    static int turn;
    char* path = paths[turn++ % 4];
    snprintf(path, sizeof paths[0], "%s/%s", save_folder, name);
    return path;
}

static inline int make_folder(void** state) {
    (void)state;
    const char* base = getenv("TMPDIR");
    snprintf(save_folder, sizeof save_folder, "%s/limber-write-XXXXXX", base ? base : "/tmp");
    return mkdtemp(save_folder) ? 0 : -1;
}

static inline uint32_t count_files(bool remove) {
    uint32_t count = 0;
    DIR* listing = opendir(save_folder);
    for (struct dirent* entry = listing ? readdir(listing) : NULL; entry; entry = readdir(listing)) {
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
            continue;
        count++;
        if (remove && unlink(in_folder(entry->d_name)) != 0)
            rmdir(in_folder(entry->d_name));
    }
    if (listing)
        closedir(listing);
    return count;
}

static inline int remove_folder(void** state) {
    (void)state;
    count_files(true);
    return rmdir(save_folder);
}

static inline limber_gltf* load_back(const char* name) {
    limber_gltf* gltf;
    limber_error error;
    if (limber_gltf_load_file(in_folder(name), NULL, &gltf, &error) != LIMBER_OK)
        fail_msg("%s: %s: %s", name, error.place, error.message);
    return gltf;
}

// Saves and reads again.
static inline limber_gltf* save_and_load(const limber_gltf* gltf, const limber_gltf_edits* edits, const char* name) {
    limber_error error;
    if (limber_gltf_save_file(gltf, edits, in_folder(name), &error) != LIMBER_OK)
        fail_msg("%s: %s: %s", name, error.place, error.message);
    return load_back(name);
}

// "meshes/0/primitives/0/targets" in the document's tree; NULL when there is none.
static inline limberi_json* at(const limber_gltf* gltf, const char* path) {
    limberi_json* value = gltf->json.root;
    char copy[PATH_BYTES];
    snprintf(copy, sizeof copy, "%s", path);
    for (char* key = strtok(copy, "/"); key && value; key = strtok(NULL, "/"))
        value = limberi_json_is(value, LIMBERI_JSON_ARRAY) ? limberi_json_at(value, (size_t)atoi(key))
                                                           : limberi_json_get(value, key);
    return value;
}

// Compact, to be freed.
static inline char* json_of(const limberi_json* value) {
    limberi_buffer text = {NULL, 0, 0, false};
    limberi_json_writer writer = {.out = &text};
    limberi_json_tree(&writer, value);
    assert_false(text.failed);
    return text.data;
}

static inline bool same_json(const limberi_json* a, const limberi_json* b) {
    if (!a || !b)
        return a == b;
    char *x = json_of(a), *y = json_of(b);
    bool same = strcmp(x, y) == 0;
    free(x);
    free(y);
    return same;
}

#endif
