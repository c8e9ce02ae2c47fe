// Materials and pictures of an imported scene.
#include "cli/import/scene.h"
#include "io/file.h"

#include <assimp/material.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char* base_name(const char* path) {
    const char* name = path;
    for (; *path; path++)
        if (*path == '/' || *path == '\\')
            name = path + 1;
    return name;
}

// "*2", or the name that the picture had when it was embedded.
static const struct aiTexture* find_embedded(const struct aiScene* scene, const char* path) {
    if (path[0] == '*') {
        unsigned long index = strtoul(path + 1, NULL, 10);
        return index < scene->mNumTextures ? scene->mTextures[index] : NULL;
    }
    for (uint32_t i = 0; i < scene->mNumTextures; i++)
        if (strcmp(base_name(scene->mTextures[i]->mFilename.data), base_name(path)) == 0)
            return scene->mTextures[i];
    return NULL;
}

static bool is_picture(const uint8_t* bytes, size_t count) {
    return count > 8 && (memcmp(bytes, "\x89PNG\r\n\x1a\n", 8) == 0 || memcmp(bytes, "\xff\xd8\xff", 3) == 0);
}

// Embedded, or beside the file by its last name: paths are those of another machine.
static bool fetch_picture(import_scene* s, const char* path, limber_image* out) {
    const struct aiTexture* texture = find_embedded(s->source, path);
    limberi_bytes bytes = {NULL, 0};
    if (texture && texture->mHeight == 0) { // compressed: mWidth counts bytes
        bytes.data = (const uint8_t*)texture->pcData;
        bytes.size = texture->mWidth;
    } else if (!texture) {
        enum { MAX = 256 << 20 };
        const char* name = base_name(path);
        limber_error ignored;
        if (!name[0] || name[0] == '.' ||
            limberi_file_read_below(s->folder, name, MAX, &s->arena, &bytes, &ignored) != LIMBER_OK)
            return false;
    }
    struct aiString shown;
    memset(&shown, 0, sizeof shown);
    limberi_format(shown.data, sizeof shown.data, "%s", base_name(path));
    out->name = import_name(s, &shown);
    out->bytes = bytes.data;
    out->byte_count = bytes.size;
    return bytes.data && is_picture(bytes.data, bytes.size);
}

static int32_t import_picture(import_scene* s, const struct aiMaterial* from, limber_image* images) {
    static const enum aiTextureType kinds[] = {aiTextureType_BASE_COLOR, aiTextureType_DIFFUSE};
    struct aiString path;
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
        memset(&path, 0, sizeof path);
        if (aiGetMaterialTexture(from, kinds[k], 0, &path, NULL, NULL, NULL, NULL, NULL, NULL) != aiReturn_SUCCESS)
            continue;
        for (uint32_t i = 0; i < s->model.image_count; i++)
            if (strcmp(images[i].name, base_name(path.data)) == 0)
                return (int32_t)i;
        if (fetch_picture(s, path.data, &images[s->model.image_count]))
            return (int32_t)s->model.image_count++;
    }
    return -1;
}

static float tame(float value) {
    return isfinite(value) ? fminf(fmaxf(value, 0), 1) : 1.0f;
}

static void import_surface(const struct aiMaterial* from, limber_material* to) {
    struct aiColor4D color = {1, 1, 1, 1};
    float opacity = 1;
    int two_sided = 0;
    if (aiGetMaterialColor(from, AI_MATKEY_BASE_COLOR, &color) != aiReturn_SUCCESS)
        (void)aiGetMaterialColor(from, AI_MATKEY_COLOR_DIFFUSE, &color);
    (void)aiGetMaterialFloatArray(from, AI_MATKEY_OPACITY, &opacity, NULL);
    (void)aiGetMaterialIntegerArray(from, AI_MATKEY_TWOSIDED, &two_sided, NULL);
    for (int c = 0; c < 3; c++)
        to->base_color[c] = to->image >= 0 ? 1.0f : tame((&color.r)[c]); // with a picture the color is a leftover
    opacity = tame(opacity);
    to->blend = opacity > 0 && opacity < 0.99f; // several exporters write 0 for opaque
    to->base_color[3] = to->blend ? opacity : 1.0f;
    to->roughness = 0.8f; // neither format has it
    to->double_sided = two_sided != 0;
}

limber_result import_materials(import_scene* s) {
    uint32_t count = s->source->mNumMaterials;
    limber_material* materials = LIMBERI_ALLOCATE(&s->arena, limber_material, count);
    limber_image* images = LIMBERI_ALLOCATE(&s->arena, limber_image, count);
    if (!materials || !images)
        return limberi_fail_memory(s->error);
    for (uint32_t i = 0; i < count; i++) {
        struct aiString name;
        memset(&name, 0, sizeof name);
        (void)aiGetMaterialString(s->source->mMaterials[i], AI_MATKEY_NAME, &name);
        materials[i].name = import_name(s, &name);
        materials[i].image = import_picture(s, s->source->mMaterials[i], images);
        import_surface(s->source->mMaterials[i], &materials[i]);
    }
    s->model.material_count = count;
    s->model.materials = materials;
    s->model.images = images;
    return s->arena.failed ? limberi_fail_memory(s->error) : LIMBER_OK;
}
