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

// Copies and lines, and with --ghost the plain character as one more copy.
static int give_copies(const shot* s, bool plain, double time_s, const limber_smeared* smeared) {
    uint32_t own = smeared->mesh_count;
    uint32_t count = own + (s->ghost && !plain ? s->model->mesh_count : 0);
    limber_smear_mesh* meshes = calloc((size_t)count + 1, sizeof *meshes);
    limber_frame frame;
    limber_error error;
    if (!meshes)
        return cli_fail_memory(s->input);
    for (uint32_t i = 0; i < own; i++)
        meshes[i] = smeared->meshes[i];
    int status = CLI_DONE;
    if (count > own && limber_pipeline_evaluate(s->reference, s->clip_index, time_s, &frame) != LIMBER_OK)
        status = cli_fail(s->input, "cannot evaluate the pose at %g s", time_s);
    for (uint32_t m = 0; !status && own + m < count; m++) {
        const limber_mesh* mesh = &s->model->meshes[m];
        limber_smear_mesh* copy = &meshes[own + m];
        copy->kind = LIMBER_SMEAR_KIND_COPY;
        copy->source = m;
        copy->vertex_count = mesh->vertex_count;
        copy->triangle_count = mesh->triangle_count;
        copy->triangles = mesh->triangles;
        copy->positions = frame.positions + 3 * (size_t)mesh->first_vertex;
        copy->normals = frame.normals + 3 * (size_t)mesh->first_vertex;
        copy->colors = s->ghost + 4 * (size_t)mesh->first_vertex;
        copy->visible = true;
    }
    if (!status && limberi_renderer_copies(s->renderer, meshes, count, &error) != LIMBER_OK)
        status = cli_fail_error(s->input, &error);
    free(meshes);
    return status;
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
    status = give_copies(s, plain, time_s, &smeared);
    if (status)
        return status;
    if (limberi_renderer_draw(s->renderer, frame->positions, frame->normals, picture->pixels, &error) != LIMBER_OK)
        return cli_fail_error(s->input, &error);
    sight_finish(s, picture);
    return CLI_DONE;
}
