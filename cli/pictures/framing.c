// Where the camera of `limber render` stands, and where the floor lies.
#include "cli/cli.h"
#include "cli/pictures/pictures.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// Outside the range only the floor is looked for; that many frames find it.
#define SCOUT_FRAMES 240u
#define MAX_FOLLOWED 1000000u

static void show_extras(const shot* s, const limber_smeared* smeared) {
    for (uint32_t m = 0; m < smeared->mesh_count; m++) {
        const limber_smear_mesh* mesh = &smeared->meshes[m];
        for (size_t v = 0; mesh->visible && v < mesh->vertex_count; v++)
            if (mesh->colors[4 * v + 3] > 0.0f)
                limberi_renderer_frame_points(s->renderer, mesh->positions + 3 * v, 1);
    }
}

static int find_plain(const shot* s, double time_s, limber_frame* frame) {
    if (limber_pipeline_evaluate(s->reference, s->clip_index, time_s, frame) != LIMBER_OK)
        return cli_fail(s->input, "cannot evaluate the pose at %g s", time_s);
    return CLI_DONE;
}

// The camera sees the plain character only when a picture shows it.
static int show_frame(const shot* s, uint32_t index, floor_survey* floor) {
    double time_s = shot_frame_time(s, s->frames.first + index * s->step);
    limber_smeared styled;
    limber_frame plain;
    int status = shot_evaluate(s, false, time_s, &styled);
    if (!status)
        status = find_plain(s, time_s, &plain);
    if (status)
        return status;
    shot_follow(s, time_s);
    limberi_renderer_frame(s->renderer, styled.frame.positions);
    show_extras(s, &styled);
    if (s->plain == s->reference || s->ghost)
        limberi_renderer_frame(s->renderer, plain.positions);
    s->strength[index] = strength_find(s->model, &styled, plain.positions);
    if (time_s >= shot_motion_start(s))
        floor_survey_look(floor, plain.positions);
    if (!s->other)
        return CLI_DONE;
    status = shot_evaluate(s, true, time_s, &styled);
    if (status)
        return status;
    limberi_renderer_frame(s->renderer, styled.frame.positions);
    show_extras(s, &styled);
    return CLI_DONE;
}

// The one that the picture shows is seen in any case.
static int show_moment(const shot* s) {
    const shot_options* o = s->options;
    limber_smeared styled;
    double time_s = o->time_s;
    if (isnan(time_s) && o->frame != SHOT_NOT_GIVEN)
        time_s = shot_frame_time(s, o->frame);
    if (isnan(time_s))
        return CLI_DONE;
    int status = shot_evaluate(s, false, time_s, &styled);
    if (status)
        return status;
    shot_follow(s, time_s);
    limberi_renderer_frame(s->renderer, styled.frame.positions);
    show_extras(s, &styled);
    return CLI_DONE;
}

static int show_range(shot* s, floor_survey* floor) {
    cli_progress progress = cli_progress_start("framing", s->options->common.quiet);
    int status = CLI_DONE;
    for (uint32_t i = 0; !status && i < s->seen_count; i++) {
        status = show_frame(s, i, floor);
        cli_progress_step(&progress, i, s->seen_count);
    }
    if (!status && s->step > 1)
        status = show_moment(s);
    cli_progress_end(&progress);
    return status;
}

static int scout_clip(const shot* s, floor_survey* floor) {
    uint32_t count = s->clip ? limber_clip_frame_count(s->clip, s->fps) : 0;
    uint32_t step = 1 + count / SCOUT_FRAMES;
    for (uint32_t i = 0; s->frames.count < count && i < count; i += step) {
        double time_s = shot_frame_time(s, i);
        limber_frame frame;
        if (time_s < shot_motion_start(s))
            continue;
        int status = find_plain(s, time_s, &frame);
        if (status)
            return status;
        floor_survey_look(floor, frame.positions);
    }
    return CLI_DONE;
}

// Ghosts and trajectories show other places than the character's own, and a camera of the file has a place already.
static bool may_follow(const shot* s) {
    const shot_options* o = s->options;
    bool moving = (o->sheet != SHOT_NOT_GIVEN || o->motion_only) && s->frames.count <= MAX_FOLLOWED;
    return moving && !o->no_follow && !o->sight.onion && !o->sight.camera && !o->sight.views.trajectories;
}

int framing_look(shot* s) {
    floor_survey floor;
    bool film = !cli_has_ending(s->options->common.output, ".png");
    // Pictures need no more frames than these to place the camera and find the strongest ones. A film shows all of its
    // own.
    s->step = film || !s->frames.count ? 1 : 1 + (s->frames.count - 1) / CLI_FRAMING_FRAMES;
    s->seen_count = s->frames.count ? 1 + (s->frames.count - 1) / s->step : 0;
    uint32_t frames = s->seen_count + SCOUT_FRAMES + 1;
    s->strength = calloc(s->seen_count ? s->seen_count : 1, sizeof *s->strength);
    bool ready = floor_survey_open(&floor, s->model, frames) && s->strength;
    if (ready && may_follow(s))
        ready = follow_open(&s->way, s->model, s->clip, s->fps, s->frames);
    int status = ready ? show_range(s, &floor) : cli_fail_memory(s->input);
    if (!status)
        status = scout_clip(s, &floor);
    s->floor = status ? NAN : floor_survey_height(&floor);
    floor_survey_close(&floor);
    return status;
}
