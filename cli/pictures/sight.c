// What pictures show besides the character (--ink, --view, --onion) and from where (--camera).
#include "cli/pictures/pictures.h"

#include <math.h>
#include <string.h>

#define ONION_STEP_LIMIT 1000u

sight_options sight_options_default(void) {
    sight_options o = {0};
    o.ink_width = NAN;
    o.onion = SHOT_NOT_GIVEN;
    o.onion_step = SHOT_NOT_GIVEN;
    return o;
}

int sight_check(sight_options* o, limberi_render_settings* settings) {
    limber_error error;
    bool onion = o->onion != SHOT_NOT_GIVEN;
    bool step = o->onion_step != SHOT_NOT_GIVEN;
    if (!isnan(o->ink_width) && !(o->ink_width >= 0.1 && o->ink_width <= (double)LIMBERI_RENDER_INK_LIMIT))
        return cli_usage("--ink-width must be between 0.1 and %g pixels", (double)LIMBERI_RENDER_INK_LIMIT);
    if (!isnan(o->ink_width))
        settings->ink = (float)o->ink_width;
    else if (o->ink)
        settings->ink = limberi_render_ink_width(settings->width, settings->height);
    if (o->view && limberi_view_parse(o->view, &o->views, &error) != LIMBER_OK)
        return cli_usage("--view: %s", error.message);
    if (onion && (o->onion == 0 || o->onion > LIMBERI_ONION_LIMIT))
        return cli_usage("--onion must be between 1 and %u", LIMBERI_ONION_LIMIT);
    if (step && (o->onion_step == 0 || o->onion_step > ONION_STEP_LIMIT))
        return cli_usage("--onion-step must be between 1 and %u", ONION_STEP_LIMIT);
    if (step && !onion)
        return cli_usage("--onion-step needs --onion");
    o->onion = onion ? o->onion : 0;
    o->onion_step = step ? o->onion_step : 2;
    return CLI_DONE;
}

static const char* camera_name_at(const void* user, size_t i) {
    return ((const limber_model*)user)->cameras[i].name;
}

static int find_camera(const shot* s, const char* name, int32_t* camera) {
    const limber_model* model = s->model;
    if (!model->camera_count)
        return cli_fail(s->input, "has no cameras; leave out --camera");
    for (uint32_t i = 0; i < model->camera_count; i++)
        if (strcmp(model->cameras[i].name, name) == 0) {
            *camera = (int32_t)i;
            return CLI_DONE;
        }
    return cli_fail(s->input, "has no camera '%s'%s", name,
                    cli_did_you_mean(name, camera_name_at, model, model->camera_count));
}

static int open_views(shot* s) {
    limber_error error;
    const sight_options* o = &s->options->sight;
    if (!o->view)
        return CLI_DONE;
    if (limberi_views_create(s->model, &o->views, &s->sight.views, &error) != LIMBER_OK)
        return cli_fail_error(s->input, &error);
    uint32_t outputs = LIMBER_OUTPUT_NORMALS | LIMBER_OUTPUT_SKINNED | limberi_views_outputs(s->sight.views);
    limber_pipeline_set_outputs(s->pipeline, outputs);
    if (s->plain)
        limber_pipeline_set_outputs(s->plain, outputs);
    return CLI_DONE;
}

int sight_open(shot* s) {
    limber_error error;
    const sight_options* o = &s->options->sight;
    s->sight.camera = -1;
    int status = o->camera ? find_camera(s, o->camera, &s->sight.camera) : CLI_DONE;
    if (!status)
        status = open_views(s);
    if (!status && o->onion &&
        limberi_onion_create(s->model, o->onion, o->onion_step, &s->sight.onion, &error) != LIMBER_OK)
        status = cli_fail_error(s->input, &error);
    return status;
}

void sight_close(shot* s) {
    limberi_views_destroy(s->sight.views);
    limberi_onion_destroy(s->sight.onion);
}

static int frame_moment(const shot* s, double time_s) {
    limber_smeared smeared;
    bool wraps = s->clip->loops && !s->clip->travels;
    if (!wraps && (time_s < s->clip->start_s || time_s > s->clip->end_s))
        return CLI_DONE;
    int status = shot_evaluate(s, false, limber_clip_wrap(s->clip, wraps, time_s), &smeared);
    if (!status)
        limberi_renderer_frame(s->renderer, smeared.frame.positions);
    return status;
}

int sight_frame(const shot* s) {
    if (!s->sight.onion || !s->clip || shot_loops(s))
        return CLI_DONE;
    double first_s = shot_frame_time(s, s->frames.first);
    double last_s = shot_frame_time(s, s->frames.first + s->frames.count - 1);
    uint32_t reach = s->options->sight.onion * s->options->sight.onion_step;
    uint32_t all = limber_clip_frame_count(s->clip, s->fps);
    reach = reach < all ? reach : all;
    for (uint32_t i = 1; i <= reach; i++) {
        int status = frame_moment(s, first_s - i / s->fps);
        if (!status)
            status = frame_moment(s, last_s + i / s->fps);
        if (status)
            return status;
    }
    return CLI_DONE;
}

int sight_scout(const shot* s, bool plain, double time_s) {
    limber_pipeline* pipeline = plain ? s->plain : s->pipeline;
    limber_error error;
    if (s->sight.onion) {
        if (limberi_onion_look(s->sight.onion, pipeline, s->clip_index, time_s, s->fps, &error) != LIMBER_OK)
            return cli_fail_error(s->input, &error);
        limberi_onion_show(s->sight.onion, s->renderer);
    }
    if (s->sight.views &&
        limberi_views_scout(s->sight.views, pipeline, s->clip_index, time_s, s->fps, &error) != LIMBER_OK)
        return cli_fail_error(s->input, &error);
    return CLI_DONE;
}

int sight_show(const shot* s, double time_s, const limber_smeared* smeared) {
    limber_error error;
    if (s->sight.camera >= 0) {
        uint32_t camera = (uint32_t)s->sight.camera;
        limber_mat4 place = limber_camera_world(s->model, s->clip, time_s, smeared->frame.pose, camera);
        limberi_renderer_look(s->renderer, &place, &s->model->cameras[camera]);
    }
    if (s->sight.views && limberi_views_show(s->sight.views, s->renderer, smeared, &error) != LIMBER_OK)
        return cli_fail_error(s->input, &error);
    return CLI_DONE;
}

void sight_finish(const shot* s, limberi_picture* picture) {
    if (s->sight.views)
        limberi_views_legend(s->sight.views, picture);
}
