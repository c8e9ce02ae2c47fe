// Draws moments of a shot.
#include "cli/pictures/pictures.h"

#include <stdlib.h>

int draw_open(shot* s, const char* input, const shot_options* options) {
    int status = shot_open(s, input, options);
    if (!status)
        status = sight_open(s);
    if (!status)
        status = framing_look(s);
    return status ? status : sight_frame(s);
}

void draw_close(shot* s) {
    sight_close(s);
    shot_close(s);
}

static int shift_textures(const shot* s, bool plain, double time_s) {
    float* shifts = calloc((size_t)s->model->mesh_count + 1, sizeof *shifts);
    limber_error error;
    if (!shifts)
        return cli_fail_memory(s->input);
    bool any = limber_pipeline_texture_shifts(plain ? s->plain : s->pipeline, s->clip_index, time_s, shifts);
    limber_result result = limberi_renderer_shift(s->renderer, any ? shifts : NULL, &error);
    free(shifts);
    return result ? cli_fail_error(s->input, &error) : CLI_DONE;
}

int draw_moment(const shot* s, bool plain, double time_s, limberi_picture* picture) {
    limber_smeared smeared;
    limber_error error;
    shot_follow(s, time_s);
    int status = sight_scout(s, plain, time_s);
    if (!status)
        status = shot_evaluate(s, plain, time_s, &smeared);
    if (!status)
        status = sight_show(s, time_s, &smeared);
    if (!status)
        status = shift_textures(s, plain, time_s);
    if (status)
        return status;
    const limber_frame* frame = &smeared.frame;
    limberi_renderer_ground(s->renderer, s->floor);
    if (limberi_renderer_copies(s->renderer, smeared.meshes, smeared.mesh_count, &error) != LIMBER_OK ||
        limberi_renderer_draw(s->renderer, frame->positions, frame->normals, picture->pixels, &error) != LIMBER_OK)
        return cli_fail_error(s->input, &error);
    sight_finish(s, picture);
    return CLI_DONE;
}
