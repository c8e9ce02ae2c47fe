#include "cli/pictures/framing.h"

#include <math.h>

// Outside the range only the floor is looked for; that many frames find it.
#define SCOUT_FRAMES 240u

static float lowest_of(const limber_model* model, const float* positions, bool scenery) {
    float lowest = HUGE_VALF;
    for (uint32_t m = 0; m < model->mesh_count; m++) {
        const limber_mesh* mesh = &model->meshes[m];
        for (size_t v = 0; mesh->scenery == scenery && v < mesh->vertex_count; v++)
            if (isfinite(positions[3 * v + 1]))
                lowest = fminf(lowest, positions[3 * v + 1]);
        positions += 3 * (size_t)mesh->vertex_count;
    }
    return lowest;
}

static void lower_floor(const shot* s, float* floor, const float* positions) {
    float lowest = lowest_of(s->model, positions, false);
    if (lowest == HUGE_VALF) // scenery counts when there is nothing else
        lowest = lowest_of(s->model, positions, true);
    if (lowest < HUGE_VALF)
        *floor = fminf(*floor, lowest); // of a NAN and a number fminf takes the number
}

static void show_extras(const shot* s, const limber_smeared* smeared) {
    for (uint32_t m = 0; m < smeared->mesh_count; m++) {
        const limber_smear_mesh* mesh = &smeared->meshes[m];
        for (size_t v = 0; mesh->visible && v < mesh->vertex_count; v++)
            if (mesh->colors[4 * v + 3] > 0.0f)
                limberi_renderer_frame_points(s->renderer, mesh->positions + 3 * v, 1);
    }
}

static int show_frame(const shot* s, bool plain, uint32_t frame, float* floor) {
    double time_s = shot_frame_time(s, frame);
    limber_smeared smeared;
    int status = shot_evaluate(s, plain, time_s, &smeared);
    if (status)
        return status;
    limberi_renderer_frame(s->renderer, smeared.frame.positions);
    show_extras(s, &smeared);
    if (time_s >= shot_motion_start(s))
        lower_floor(s, floor, smeared.deformed ? smeared.deformed : smeared.frame.positions);
    return CLI_DONE;
}

static int show_range(shot* s) {
    cli_progress progress = cli_progress_start("framing", s->options->common.quiet);
    int status = CLI_DONE;
    for (uint32_t i = 0; !status && i < s->frames.count; i++) {
        status = show_frame(s, false, s->frames.first + i, &s->floor);
        if (!status && s->plain)
            status = show_frame(s, true, s->frames.first + i, &s->plain_floor);
        cli_progress_step(&progress, i, s->frames.count);
    }
    cli_progress_end(&progress);
    return status;
}

static int scout(const shot* s, limber_pipeline* pipeline, double time_s, float* floor) {
    limber_frame frame;
    if (limber_pipeline_evaluate(pipeline, s->clip_index, time_s, &frame) != LIMBER_OK)
        return cli_fail(s->input, "cannot evaluate the pose at %g s", time_s);
    lower_floor(s, floor, frame.positions);
    return CLI_DONE;
}

static int scout_clip(shot* s) {
    uint32_t count = s->clip ? limber_clip_frame_count(s->clip, s->fps) : 0;
    uint32_t step = 1 + count / SCOUT_FRAMES;
    int status = CLI_DONE;
    for (uint32_t i = 0; !status && s->frames.count < count && i < count; i += step) {
        double time_s = shot_frame_time(s, i);
        if (time_s < shot_motion_start(s))
            continue;
        status = scout(s, s->pipeline, time_s, &s->floor);
        if (!status && s->plain)
            status = scout(s, s->plain, time_s, &s->plain_floor);
    }
    return status;
}

int framing_look(shot* s) {
    s->floor = s->plain_floor = NAN;
    int status = show_range(s);
    return status ? status : scout_clip(s);
}
