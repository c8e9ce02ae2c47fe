// The pictures on a model's surface, on the graphics card.
#include "base/error.h"
#include "render/film/picture.h"
#include "render/gl/gl.h"

#include <stdlib.h>

// [image] whether a material shows it.
static bool* find_used(const limber_model* model) {
    bool* used = calloc((size_t)model->image_count + 1, sizeof *used);
    for (uint32_t i = 0; used && i < model->material_count; i++)
        if (model->materials[i].image >= 0 && (uint32_t)model->materials[i].image < model->image_count)
            used[model->materials[i].image] = true;
    return used;
}

static GLuint upload(const limberi_gl* gl, const limberi_picture* picture) {
    GLuint id = 0;
    gl->GenTextures(1, &id);
    gl->BindTexture(GL_TEXTURE_2D, id);
    gl->PixelStorei(GL_UNPACK_ALIGNMENT, 4);
    gl->TexImage2D(GL_TEXTURE_2D, 0, GL_SRGB8_ALPHA8, (GLsizei)picture->width, (GLsizei)picture->height, 0, GL_RGBA,
                   GL_UNSIGNED_BYTE, picture->pixels);
    gl->GenerateMipmap(GL_TEXTURE_2D);
    gl->TexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_LINEAR_MIPMAP_LINEAR);
    gl->TexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_LINEAR);
    gl->TexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_S, GL_REPEAT);
    gl->TexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_T, GL_REPEAT);
    return id;
}

// A character without its texture is still worth looking at, so a bad picture is a warning only.
static limber_result load(const limberi_gl* gl, const limber_image* image, uint32_t index, uint64_t* pixel_budget,
                          limberi_textures* textures, limber_error* error) {
    limberi_picture picture;
    limber_error reason;
    GLint side_limit = 0;
    gl->GetIntegerv(GL_MAX_TEXTURE_SIZE, &side_limit);
    limber_result result =
        limberi_picture_decode_within(image->bytes, image->byte_count, pixel_budget, &picture, &reason);
    if (result == LIMBER_OK && (picture.width > (uint32_t)side_limit || picture.height > (uint32_t)side_limit))
        result = limberi_fail(&reason, LIMBER_ERROR_LIMIT, "it is larger than the graphics driver allows");
    if (result == LIMBER_OK)
        textures->ids[index] = upload(gl, &picture);
    else
        limberi_format(textures->warning, sizeof textures->warning, "image %u '%s' is left out: %s", index,
                       image->name ? image->name : "", reason.message);
    limberi_picture_destroy(&picture);
    return limberi_gl_check(gl, "upload a texture", error);
}

limber_result limberi_textures_create(const limberi_gl* gl, const limber_model* model, limberi_textures* textures,
                                      limber_error* error) {
    textures->warning[0] = 0;
    textures->count = model->image_count;
    textures->ids = calloc((size_t)model->image_count + 1, sizeof *textures->ids);
    bool* used = find_used(model);
    uint64_t pixel_budget = LIMBERI_PICTURES_OF_A_FILE;
    limber_result result = LIMBER_OK;
    if (!textures->ids || !used)
        result = limberi_fail_memory(error);
    for (uint32_t i = 0; result == LIMBER_OK && i < model->image_count; i++)
        if (used[i])
            result = load(gl, &model->images[i], i, &pixel_budget, textures, error);
    free(used);
    return result;
}

void limberi_textures_destroy(const limberi_gl* gl, limberi_textures* textures) {
    if (gl && textures->ids)
        gl->DeleteTextures((GLsizei)textures->count, textures->ids);
    free(textures->ids);
    textures->ids = NULL;
    textures->count = 0;
}
