// A character, one of its clips and a renderer: what `limber render` makes all its pictures from (draw.c).
#include "cli/pictures/pictures.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

double shot_frame_time(const shot* s, uint32_t frame) {
    return s->clip ? limber_clip_frame_time(s->clip, s->fps, frame) : 0.0;
}

static const uint32_t max_film_frames = 1000000; // as in bakes

double shot_motion_start(const shot* s) {
    const double longest_pose_s = 0.25; // what lasts longer is motion
    const limber_clip* clip = s->clip;
    if (!clip)
        return 0.0;
    bool inserted = clip->cut_count && clip->cuts[0].before_s - clip->start_s <= longest_pose_s;
    return inserted ? clip->cuts[0].after_s : clip->start_s;
}

bool shot_loops(const shot* s) {
    return s->clip && s->clip->loops && !s->clip->travels &&
           s->frames.count == limber_clip_frame_count(s->clip, s->fps);
}

bool shot_is_styled(const shot* s) {
    const float nothing = 1e-5f;
    for (uint32_t i = 0; s->strength && i < s->seen_count; i++)
        if (s->strength[i] > nothing)
            return true;
    return false;
}

void shot_follow(const shot* s, double time_s) {
    double first_s = shot_frame_time(s, s->frames.first);
    limberi_renderer_follow(s->renderer, follow_at(&s->way, (time_s - first_s) * s->fps));
}

void shot_title(const shot* s, char* title, size_t size) {
    char style[64] = "";
    char shown[80] = "";
    label_style(s->options->common.style, style, sizeof style);
    if (shot_is_styled(s))
        snprintf(shown, sizeof shown, "   %s", style);
    if (s->clip)
        snprintf(title, size, "%s   %s%s   %u frames at %g fps", label_file(s->input), s->clip->name, shown,
                 s->frames.count, s->fps);
    else
        snprintf(title, size, "%s", label_file(s->input));
}

void shot_plain_label(const shot* s, char* name, size_t size) {
    if (s->other)
        label_style(s->options->compare_with, name, size);
    else
        snprintf(name, size, "plain");
}

int shot_evaluate(const shot* s, bool plain, double time_s, limber_smeared* smeared) {
    limber_pipeline* pipeline = plain ? s->plain : s->pipeline;
    limber_result result;
    if (s->options->what_ifs.count) {
        memset(smeared, 0, sizeof *smeared);
        result = limber_pipeline_evaluate_what_if(pipeline, s->clip_index, time_s, &s->what_if, 1, &smeared->frame);
    } else {
        result = limber_pipeline_evaluate_smeared(pipeline, s->clip_index, time_s, s->fps, smeared);
    }
    if (result != LIMBER_OK)
        return cli_fail(s->input, "cannot evaluate the pose at %g s", time_s);
    return CLI_DONE;
}

static double choose_rate(const shot* s) {
    double own = s->clip->fps;
    double usual = s->options->usual_fps;
    if (s->options->common.fps > 0)
        return s->options->common.fps;
    return usual > 0 && own > usual ? own / ceil(own / usual - 1e-3) : own;
}

static int choose_frames(shot* s) {
    const cli_common* common = &s->options->common;
    double start_s = s->options->start_s;
    uint32_t clip = cli_first_clip();
    int status = common->clip ? cli_find_clip(s->input, s->model, common->clip, &clip) : CLI_DONE;
    if (status || !s->model->clip_count)
        return status;
    s->clip_index = (int32_t)clip;
    s->clip = &s->model->clips[clip];
    s->fps = choose_rate(s);
    if (s->options->motion_only && !common->range)
        start_s = shot_motion_start(s);
    s->frames = limber_clip_frames_between(s->clip, s->fps, start_s, s->options->end_s);
    if (!s->frames.count)
        return cli_fail(s->input, "no frame of clip '%s' (%g to %g s) is in --range %s", s->clip->name,
                        s->clip->start_s, s->clip->end_s, common->range);
    if (s->options->usual_fps > 0 && s->frames.count > max_film_frames)
        return cli_fail(s->input, "clip '%s' has %u frames (max %u in a film); use --range to select a part",
                        s->clip->name, s->frames.count, max_film_frames);
    return CLI_DONE;
}

static int create_pipelines(shot* s) {
    cli_common common = s->options->common;
    const limber_asset* asset = limber_gltf_asset(s->gltf);
    limber_error error;
    common.fps = s->fps;
    if (limber_pipeline_create_from_settings(asset, &s->look.settings, &s->pipeline, &error) != LIMBER_OK)
        return cli_fail_error(s->input, &error);
    int status = cli_subdivide_clip(s->input, s->clip_index, &common, &s->pipeline, &s->subdivided);
    if (status)
        return status;
    asset = s->subdivided ? s->subdivided : asset;
    s->model = limber_asset_model(asset);
    if (limber_pipeline_create(asset, NULL, &s->reference, &error) != LIMBER_OK)
        return cli_fail_error(s->input, &error);
    s->plain = s->options->compare ? s->reference : NULL;
    if (s->options->compare_with) {
        if (limber_pipeline_create_from_settings(asset, &s->other_look.settings, &s->other, &error) != LIMBER_OK)
            return cli_fail_error(s->input, &error);
        s->plain = s->other;
    }
    if (cli_pool_lend(&s->pool, common.threads, s->pipeline) != LIMBER_OK ||
        cli_pool_lend(&s->pool, common.threads, s->reference) != LIMBER_OK ||
        (s->other && cli_pool_lend(&s->pool, common.threads, s->other) != LIMBER_OK))
        return cli_fail_memory(s->input);
    return CLI_DONE;
}

// As the materials have them, and transparent.
static int create_ghost(shot* s) {
    const float opacity = 0.35f;
    s->ghost = malloc(4 * ((size_t)s->model->vertex_count + 1) * sizeof *s->ghost);
    if (!s->ghost)
        return cli_fail_memory(s->input);
    for (uint32_t m = 0; m < s->model->mesh_count; m++) {
        const limber_mesh* mesh = &s->model->meshes[m];
        float* colors = s->ghost + 4 * (size_t)mesh->first_vertex;
        for (size_t i = 0; i < 4 * (size_t)mesh->vertex_count; i++)
            colors[i] = (mesh->colors ? mesh->colors[i] : 1) * (i % 4 == 3 ? opacity : 1);
    }
    return CLI_DONE;
}

static int open_what_if(shot* s) {
    if (limber_kinematics_create(s->model, &s->what_if) != LIMBER_OK)
        return cli_fail_memory(s->input);
    return cli_what_if_parse(s->input, s->model, &s->options->what_ifs, &s->what_if);
}

static int open_other_look(shot* s) {
    cli_common common = s->options->common;
    common.style = s->options->compare_with;
    memset(&common.sets, 0, sizeof common.sets);
    return cli_look_open(s->input, s->gltf, &common, &s->other_look);
}

static int create_renderer(shot* s) {
    limber_error error;
    limberi_render_settings camera = s->options->camera;
    camera.yaw_deg = fmodf(camera.yaw_deg + front_of(s->model), 360);
    if (limberi_renderer_create(&camera, &s->renderer, &error) != LIMBER_OK)
        return cli_fail_error(s->options->common.output, &error);
    if (limberi_renderer_load(s->renderer, s->model, &error) != LIMBER_OK)
        return cli_fail_error(s->input, &error);
    if (limberi_renderer_warning(s->renderer))
        cli_warn(s->input, "%s", limberi_renderer_warning(s->renderer));
    return CLI_DONE;
}

int shot_open(shot* s, const char* input, const shot_options* options) {
    memset(s, 0, sizeof *s);
    s->input = input;
    s->options = options;
    s->clip_index = -1;
    s->frames.count = 1;
    int status = cli_load_with_motion(input, &options->common, &s->gltf);
    if (status)
        return status;
    s->model = limber_asset_model(limber_gltf_asset(s->gltf));
    status = cli_look_open(input, s->gltf, &options->common, &s->look);
    if (!status && options->compare_with)
        status = open_other_look(s);
    if (!status)
        status = choose_frames(s);
    if (!status && s->model->triangle_count == 0)
        status = cli_fail(input, "has no mesh to draw");
    if (!status)
        status = create_pipelines(s);
    if (!status && options->what_ifs.count)
        status = open_what_if(s);
    if (!status && options->ghost)
        status = create_ghost(s);
    return status ? status : create_renderer(s);
}

void shot_close(shot* s) {
    limberi_renderer_destroy(s->renderer);
    limber_pipeline_destroy(s->pipeline);
    limber_pipeline_destroy(s->reference);
    limber_pipeline_destroy(s->other);
    cli_pool_destroy(s->pool);
    cli_look_close(&s->look);
    cli_look_close(&s->other_look);
    limber_asset_destroy(s->subdivided);
    limber_gltf_destroy(s->gltf);
    limber_kinematics_destroy(&s->what_if);
    follow_close(&s->way);
    free(s->strength);
    free(s->ghost);
}
