// The built-in characters' bodies, kept in files: modelling them took most of the time of many tests. What is in a file
// was made by the real function, of the same shape, by the same library; without LIMBER_MODELS, a folder, there are none.
#include "characters/kit_internal.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

bool __real_kit_model(const kit_shape* shape, float cell, float detail, kit_tri* mesh);
bool __wrap_kit_model(const kit_shape* shape, float cell, float detail, kit_tri* mesh);

typedef struct head {
    uint64_t library; // when it was built
    uint32_t vertices, triangles;
} head;

static void mix(uint64_t* key, const void* bytes, size_t size) { // FNV-1a
    for (size_t i = 0; i < size; i++)
        *key = (*key ^ ((const unsigned char*)bytes)[i]) * 0x100000001b3ull;
}

// All that the surface depends on; the border between colors is a function, known by what it says at every blob.
static uint64_t key_of(const kit_shape* shape, float cell, float detail) {
    uint64_t key = 0xcbf29ce484222325ull;
    const float sizes[3] = {shape->edge, cell, detail};
    mix(&key, sizes, sizeof sizes);
    for (uint32_t i = 0; i < shape->blob_count; i++) {
        const kit_blob* blob = &shape->blobs[i];
        mix(&key, blob, offsetof(kit_blob, joined));
        mix(&key, &blob->joined, sizeof blob->joined);
        mix(&key, &blob->brush, offsetof(kit_brush, carve));
        mix(&key, &blob->brush.carve, sizeof blob->brush.carve);
        const limber_vec3 at[3] = {blob->center, blob->a, blob->b};
        for (int c = 0; shape->border && c < 3; c++) {
            float border = shape->border(shape->user, at[c]);
            mix(&key, &border, sizeof border);
        }
    }
    return key;
}

static uint64_t library_built(void) {
    struct stat said;
    if (stat(LIMBER_CHARACTERS_FILE, &said) != 0)
        return 0;
    return (uint64_t)said.st_mtim.tv_sec * 1000000000u + (uint64_t)said.st_mtim.tv_nsec;
}

static bool read_arrays(FILE* file, const head* h, kit_tri* mesh) {
    if (!kit_tri_reserve(mesh, h->vertices, h->triangles))
        return false;
    mesh->vertex_count = h->vertices;
    mesh->triangle_count = h->triangles;
    return fread(mesh->at, sizeof *mesh->at, h->vertices, file) == h->vertices &&
           fread(mesh->wanted, sizeof *mesh->wanted, h->vertices, file) == h->vertices &&
           fread(mesh->corner, 3 * sizeof *mesh->corner, h->triangles, file) == h->triangles && kit_tri_connect(mesh);
}

static bool read_model(const char* path, uint64_t library, kit_tri* mesh) {
    FILE* file = fopen(path, "rb");
    if (!file)
        return false;
    head h;
    bool is_read = fread(&h, sizeof h, 1, file) == 1 && h.library == library && read_arrays(file, &h, mesh);
    fclose(file);
    if (!is_read)
        kit_tri_free(mesh);
    return is_read;
}

// Tests run side by side: a file comes into being whole.
static void write_model(const char* path, uint64_t library, const kit_tri* mesh) {
    char part[1100];
    snprintf(part, sizeof part, "%s.%ld", path, (long)getpid());
    FILE* file = fopen(part, "wb");
    if (!file)
        return;
    head h = {library, mesh->vertex_count, mesh->triangle_count};
    bool is_written = fwrite(&h, sizeof h, 1, file) == 1 &&
                      fwrite(mesh->at, sizeof *mesh->at, h.vertices, file) == h.vertices &&
                      fwrite(mesh->wanted, sizeof *mesh->wanted, h.vertices, file) == h.vertices &&
                      fwrite(mesh->corner, 3 * sizeof *mesh->corner, h.triangles, file) == h.triangles;
    if (fclose(file) != 0 || !is_written || rename(part, path) != 0)
        remove(part);
}

bool __wrap_kit_model(const kit_shape* shape, float cell, float detail, kit_tri* mesh) {
    const char* folder = getenv("LIMBER_MODELS");
    uint64_t library = folder ? library_built() : 0;
    if (library == 0)
        return __real_kit_model(shape, cell, detail, mesh);
    char path[1024];
    snprintf(path, sizeof path, "%s/%016llx", folder, (unsigned long long)key_of(shape, cell, detail));
    if (read_model(path, library, mesh))
        return true;
    if (!__real_kit_model(shape, cell, detail, mesh))
        return false;
    write_model(path, library, mesh);
    return true;
}
