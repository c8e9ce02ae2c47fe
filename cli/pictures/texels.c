// The colors of a character's textures, for motion lines.
#include "cli/pictures/pictures.h"

#include "render/film/picture.h"

#include <math.h>
#include <stdlib.h>

struct cli_texels {
    uint32_t count;
    limberi_picture* pictures; // [image] without pixels when it could not be read; the renderer warns of those
};

// The nearest pixel; textures repeat.
static void read_texel(void* user, uint32_t image, float u, float v, float* rgba) {
    const cli_texels* texels = user;
    const limberi_picture* picture = image < texels->count ? &texels->pictures[image] : NULL;
    if (!picture || !picture->pixels || !isfinite(u) || !isfinite(v))
        return;
    uint32_t x = (uint32_t)((u - floorf(u)) * (float)picture->width);
    uint32_t y = (uint32_t)((v - floorf(v)) * (float)picture->height);
    x = x < picture->width ? x : picture->width - 1;
    y = y < picture->height ? y : picture->height - 1;
    const uint8_t* pixel = picture->pixels + 4 * ((size_t)y * picture->width + x);
    for (int c = 0; c < 3; c++)
        rgba[c] = limberi_linear_from_srgb((float)pixel[c] / 255.0f);
    rgba[3] = (float)pixel[3] / 255.0f;
}

cli_texels* cli_texels_open(const limber_model* model, limber_texel_reader* reader) {
    cli_texels* texels = calloc(1, sizeof *texels);
    if (!texels)
        return NULL;
    texels->pictures = calloc((size_t)model->image_count + 1, sizeof *texels->pictures);
    texels->count = texels->pictures ? model->image_count : 0;
    uint64_t pixel_budget = LIMBERI_PICTURES_OF_A_FILE;
    for (uint32_t m = 0; m < model->material_count; m++) {
        int32_t image = model->materials[m].image;
        if (image < 0 || (uint32_t)image >= texels->count || texels->pictures[image].width)
            continue;
        const limber_image* file = &model->images[image];
        limberi_picture* picture = &texels->pictures[image];
        if (limberi_picture_decode_within(file->bytes, file->byte_count, &pixel_budget, picture, NULL) != LIMBER_OK)
            picture->width = 1; // tried
    }
    reader->read = read_texel;
    reader->user = texels;
    return texels;
}

void cli_texels_close(cli_texels* texels) {
    if (!texels)
        return;
    for (uint32_t i = 0; i < texels->count; i++)
        limberi_picture_destroy(&texels->pictures[i]);
    free(texels->pictures);
    free(texels);
}
