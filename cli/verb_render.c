#include "cli/cli.h"
#include "cli/pool.h"
#include "render/render.h"
#include "render/sheet.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define NOT_GIVEN UINT32_MAX
#define SHEET_LIMIT 400u

typedef struct render_options {
    cli_common common;
    const char* size;
    double time_s;
    uint32_t frame, sheet;
    double yaw_deg, pitch_deg;
    bool transparent, no_ground, compare;
} render_options;

// A clip and the frames of it that are asked for.
typedef struct shot {
    const char* input;
    const limber_model* model;
    limber_pipeline* pipeline;
    limber_pipeline* plain; // --compare: the same without a style, else NULL
    cli_pool* pool;
    limber_renderer* renderer;
    int32_t clip_index; // -1: the default pose
    const limber_clip* clip;
    double fps;
    limber_frame_range frames;
} shot;

static double frame_time(const shot* s, uint32_t frame) {
    return s->clip ? limber_clip_frame_time(s->clip, s->fps, frame) : 0.0;
}

static int evaluate(const shot* s, limber_pipeline* pipeline, double time_s, limber_smeared* smeared) {
    if (limber_pipeline_smear(pipeline, s->clip_index, time_s, s->fps, smeared) != LIMBER_OK)
        return cli_fail(s->input, "the pose at %g s cannot be worked out", time_s);
    return CLI_DONE;
}

// The camera sees all frames before it takes the first picture, so that the character never leaves it.
static int show_all_frames(const shot* s, const render_options* o) {
    cli_progress progress = cli_progress_start("framing", o->common.quiet);
    int status = CLI_DONE;
    for (uint32_t i = 0; !status && i < s->frames.count; i++) {
        limber_smeared smeared;
        status = evaluate(s, s->pipeline, frame_time(s, s->frames.first + i), &smeared);
        if (!status)
            limber_renderer_frame(s->renderer, smeared.frame.positions);
        if (!status && s->plain)
            limber_renderer_frame(s->renderer, smeared.frame.skinned);
        cli_progress_step(&progress, i, s->frames.count);
    }
    cli_progress_end(&progress);
    return status;
}

static int draw(const shot* s, limber_pipeline* pipeline, double time_s, limber_picture* picture) {
    limber_smeared smeared;
    limber_error error;
    int status = evaluate(s, pipeline, time_s, &smeared);
    if (status)
        return status;
    const limber_frame* frame = &smeared.frame;
    if (limber_renderer_extras(s->renderer, smeared.meshes, smeared.mesh_count, &error) != LIMBER_OK ||
        limber_renderer_draw(s->renderer, frame->positions, frame->normals, picture->pixels, &error) != LIMBER_OK)
        return cli_fail_error(s->input, &error);
    return CLI_DONE;
}

static int save(const limber_picture* picture, const char* path) {
    limber_error error;
    return limber_picture_save_png(picture, path, &error) == LIMBER_OK ? CLI_DONE : cli_fail_error(path, &error);
}

static int choose_time(const shot* s, const render_options* o, double* time_s) {
    *time_s = frame_time(s, s->frames.first);
    if (!s->clip && (!isnan(o->time_s) || (o->frame != NOT_GIVEN && o->frame > 0)))
        return cli_fail(s->input, "the file has no clips, so there is only its default pose");
    if (!s->clip)
        return CLI_DONE;
    uint32_t count = limber_clip_frame_count(s->clip, s->fps);
    if (o->frame != NOT_GIVEN && o->frame >= count)
        return cli_fail(s->input, "clip '%s' has frames 0 to %u at %g fps, not %u", s->clip->name, count - 1, s->fps,
                        o->frame);
    if (!isnan(o->time_s) && !(o->time_s >= s->clip->start_s && o->time_s <= s->clip->end_s))
        return cli_fail(s->input, "clip '%s' lasts from %g to %g s; %g s lies outside", s->clip->name, s->clip->start_s,
                        s->clip->end_s, o->time_s);
    if (o->frame != NOT_GIVEN)
        *time_s = frame_time(s, o->frame);
    if (!isnan(o->time_s))
        *time_s = o->time_s;
    return CLI_DONE;
}

static int render_still(const shot* s, const render_options* o, limber_picture* picture) {
    double time_s;
    int status = choose_time(s, o, &time_s);
    if (!status)
        status = draw(s, s->pipeline, time_s, picture);
    return status ? status : save(picture, o->common.output);
}

static const char* file_name(const char* path) {
    const char* slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

// One picture of the sheet; with --compare the first row shows the plain animation and the second the styled one.
static int draw_cell(const shot* s, limber_sheet* sheet, uint32_t index, double time_s, const char* caption,
                     limber_picture* picture) {
    bool plain = s->plain && index < sheet->columns;
    char text[96];
    snprintf(text, sizeof text, "%s%s", s->plain ? (plain ? "plain   " : "styled   ") : "", caption);
    int status = draw(s, plain ? s->plain : s->pipeline, time_s, picture);
    if (!status)
        limber_sheet_put(sheet, index, picture, text);
    return status;
}

static int draw_cells(const shot* s, const render_options* o, limber_sheet* sheet, limber_picture* picture) {
    cli_progress progress = cli_progress_start("picture", o->common.quiet);
    bool loops = s->clip && s->clip->loops && s->frames.count == limber_clip_frame_count(s->clip, s->fps);
    uint32_t shown = s->plain ? sheet->columns : sheet->cell_count;
    int status = CLI_DONE;
    for (uint32_t i = 0; !status && i < sheet->cell_count; i++) {
        char caption[64];
        uint32_t frame = s->frames.first + limber_sheet_frame(s->frames.count, loops, shown, i % shown);
        snprintf(caption, sizeof caption, "frame %u   %.2f s", frame, frame_time(s, frame));
        cli_progress_step(&progress, i, sheet->cell_count);
        status = draw_cell(s, sheet, i, frame_time(s, frame), s->clip ? caption : "default pose", picture);
    }
    cli_progress_end(&progress);
    return status;
}

static void sheet_title(const shot* s, char* title, size_t size) {
    if (s->clip)
        snprintf(title, size, "%s   %s   %u frames at %g fps", file_name(s->input), s->clip->name, s->frames.count,
                 s->fps);
    else
        snprintf(title, size, "%s", file_name(s->input));
}

static int render_sheet(const shot* s, const render_options* o, limber_picture* picture) {
    char title[256];
    limber_sheet sheet;
    limber_error error;
    sheet_title(s, title, sizeof title);
    uint32_t shown = o->sheet < s->frames.count ? o->sheet : s->frames.count;
    limber_result result =
        s->plain ? limber_sheet_create_columns(2 * shown, shown, picture->width, picture->height, title, o->transparent,
                                               &sheet, &error)
                 : limber_sheet_create(shown, picture->width, picture->height, title, o->transparent, &sheet, &error);
    if (result != LIMBER_OK)
        return cli_fail_error(o->common.output, &error);
    int status = draw_cells(s, o, &sheet, picture);
    if (!status)
        status = save(&sheet.picture, o->common.output);
    limber_sheet_destroy(&sheet);
    return status;
}

// One moment, plain and styled, side by side.
static int render_pair(const shot* s, const render_options* o, limber_picture* picture) {
    char title[256], caption[64];
    limber_sheet sheet;
    limber_error error;
    double time_s;
    int status = choose_time(s, o, &time_s);
    if (status)
        return status;
    sheet_title(s, title, sizeof title);
    snprintf(caption, sizeof caption, "%.2f s", time_s);
    if (limber_sheet_create_columns(2, 2, picture->width, picture->height, title, o->transparent, &sheet, &error) !=
        LIMBER_OK)
        return cli_fail_error(o->common.output, &error);
    for (uint32_t i = 0; !status && i < 2; i++) {
        status = draw(s, i == 0 ? s->plain : s->pipeline, time_s, picture);
        char text[96];
        snprintf(text, sizeof text, "%s   %s", i == 0 ? "plain" : "styled", caption);
        if (!status)
            limber_sheet_put(&sheet, i, picture, text);
    }
    if (!status)
        status = save(&sheet.picture, o->common.output);
    limber_sheet_destroy(&sheet);
    return status;
}

static int choose_frames(shot* s, const render_options* o, double start_s, double end_s) {
    uint32_t clip = 0;
    s->clip_index = -1;
    s->frames.count = 1;
    int status = o->common.clip ? cli_find_clip(s->input, s->model, o->common.clip, &clip) : CLI_DONE;
    if (status || !s->model->clip_count)
        return status;
    s->clip_index = (int32_t)clip;
    s->clip = &s->model->clips[clip];
    s->fps = o->common.fps > 0 ? o->common.fps : s->clip->fps;
    s->frames = limber_clip_frames_between(s->clip, s->fps, start_s, end_s);
    if (!s->frames.count)
        return cli_fail(s->input, "no frame of clip '%s' (%g to %g s) lies in --range %s", s->clip->name,
                        s->clip->start_s, s->clip->end_s, o->common.range);
    return CLI_DONE;
}

static int render_shot(const shot* s, const render_options* o, const limber_render_settings* settings) {
    limber_picture picture;
    limber_error error;
    if (limber_renderer_load(s->renderer, s->model, &error) != LIMBER_OK)
        return cli_fail_error(s->input, &error);
    if (limber_renderer_warning(s->renderer))
        cli_warn(s->input, "%s", limber_renderer_warning(s->renderer));
    int status = show_all_frames(s, o);
    if (status)
        return status;
    if (limber_picture_create(settings->width, settings->height, &picture, &error) != LIMBER_OK)
        return cli_fail_error(o->common.output, &error);
    if (o->sheet != NOT_GIVEN)
        status = render_sheet(s, o, &picture);
    else
        status = s->plain ? render_pair(s, o, &picture) : render_still(s, o, &picture);
    limber_picture_destroy(&picture);
    return status;
}

static int render(const char* input, const render_options* o, const limber_render_settings* settings, double start_s,
                  double end_s) {
    limber_gltf* gltf;
    limber_error error;
    shot s;
    memset(&s, 0, sizeof s);
    int status = cli_load(input, &gltf);
    if (status)
        return status;
    s.input = input;
    s.model = limber_asset_model(limber_gltf_asset(gltf));
    cli_look look;
    status = cli_look_open(input, gltf, &o->common, &look);
    bool looked = !status;
    if (!status)
        status = choose_frames(&s, o, start_s, end_s);
    if (!status && s.model->triangle_count == 0)
        status = cli_fail(input, "there is no mesh to draw");
    limber_asset* refined = NULL;
    if (!status)
        status = cli_refine_clip(input, limber_gltf_asset(gltf), &look.settings, s.clip_index, &o->common, &refined);
    const limber_asset* asset = refined ? refined : limber_gltf_asset(gltf);
    s.model = limber_asset_model(asset);
    if (!status && limber_pipeline_create(asset, &look.settings, &s.pipeline, &error) != LIMBER_OK)
        status = cli_fail_error(input, &error);
    if (!status && o->compare && limber_pipeline_create(asset, NULL, &s.plain, &error) != LIMBER_OK)
        status = cli_fail_error(input, &error);
    if (!status && (cli_pool_lend(&s.pool, o->common.threads, s.pipeline) != LIMBER_OK ||
                    (s.plain && cli_pool_lend(&s.pool, o->common.threads, s.plain) != LIMBER_OK)))
        status = cli_fail(input, "not enough memory");
    if (!status && limber_renderer_create(settings, &s.renderer, &error) != LIMBER_OK)
        status = cli_fail_error(o->common.output, &error);
    if (!status)
        status = render_shot(&s, o, settings);
    limber_renderer_destroy(s.renderer);
    limber_pipeline_destroy(s.pipeline);
    limber_pipeline_destroy(s.plain);
    cli_pool_destroy(s.pool);
    if (looked)
        cli_look_close(&look);
    limber_asset_destroy(refined);
    limber_gltf_destroy(gltf);
    return status;
}

static int parse_size(const char* text, limber_render_settings* settings) {
    unsigned width, height;
    char rest;
    if (!text)
        return CLI_DONE;
    if (strspn(text, "0123456789x") != strlen(text) || strlen(text) > 16 ||
        sscanf(text, "%ux%u%c", &width, &height, &rest) != 2)
        return cli_usage("--size takes WIDTHxHEIGHT in pixels, not '%s'", text);
    if (width == 0 || height == 0 || width > LIMBER_RENDER_SIDE_LIMIT || height > LIMBER_RENDER_SIDE_LIMIT)
        return cli_usage("--size must lie between 1x1 and %ux%u, not '%s'", LIMBER_RENDER_SIDE_LIMIT,
                         LIMBER_RENDER_SIDE_LIMIT, text);
    settings->width = width;
    settings->height = height;
    return CLI_DONE;
}

static int check_options(const render_options* o, limber_render_settings* settings) {
    bool sheet = o->sheet != NOT_GIVEN;
    if (!cli_has_ending(o->common.output, ".png"))
        return cli_usage("render writes .png, not '%s'", o->common.output);
    if (sheet && (o->sheet == 0 || o->sheet > SHEET_LIMIT))
        return cli_usage("--sheet must lie between 1 and %u", SHEET_LIMIT);
    if (sheet + (o->frame != NOT_GIVEN) + !isnan(o->time_s) > 1)
        return cli_usage("only one of --sheet, --frame and --time makes sense");
    if (!(fabs(o->pitch_deg) <= 90))
        return cli_usage("--pitch must lie between -90 and 90 degrees");
    if (sheet)
        settings->width = settings->height = 320;
    settings->yaw_deg = (float)fmod(o->yaw_deg, 360.0);
    settings->pitch_deg = (float)o->pitch_deg;
    settings->transparent = o->transparent;
    settings->ground = !o->no_ground;
    return parse_size(o->size, settings);
}

static int parse_and_render(const char* input, const render_options* o, limber_render_settings* settings) {
    limber_skinning skinning;
    double start_s, end_s;
    int status = check_options(o, settings);
    if (!status)
        status = cli_parse_range(o->common.range, &start_s, &end_s);
    if (!status)
        status = cli_parse_skinning(o->common.skinning, &skinning);
    if (!status)
        status = cli_check_rate(o->common.fps);
    return status ? status : render(input, o, settings, start_s, end_s);
}

int limber_cli_render(int argc, char** argv) {
    enum { OWN_COUNT = 9 };
    limber_render_settings settings = limber_render_settings_default();
    render_options o = {.time_s = NAN, .frame = NOT_GIVEN, .sheet = NOT_GIVEN};
    o.yaw_deg = (double)settings.yaw_deg;
    o.pitch_deg = (double)settings.pitch_deg;
    cli_option options[CLI_COMMON_OPTION_COUNT + OWN_COUNT];
    cli_common_options(&o.common, options);
    const cli_option own[OWN_COUNT] = {
        {"--time", "S", CLI_NUMBER, &o.time_s, "the picture at this second of the clip"},
        {"--frame", "N", CLI_COUNT, &o.frame, "the picture of this frame (default: the first)"},
        {"--sheet", "N", CLI_COUNT, &o.sheet, "a contact sheet of N frames spread over the clip"},
        {"--compare", NULL, CLI_FLAG, &o.compare, "the plain animation beside the styled one"},
        {"--size", "WxH", CLI_TEXT, &o.size, "pixels of one picture (default: 960x720, on a sheet 320x320)"},
        {"--yaw", "DEGREES", CLI_NUMBER, &o.yaw_deg, "from where: 0 front, 90 its left side (default: 32)"},
        {"--pitch", "DEGREES", CLI_NUMBER, &o.pitch_deg, "from how far above (default: 12)"},
        {"--transparent", NULL, CLI_FLAG, &o.transparent, "no background, only the shadow on the ground"},
        {"--no-ground", NULL, CLI_FLAG, &o.no_ground, "no ground and no shadow on it"},
    };
    memcpy(options + CLI_COMMON_OPTION_COUNT, own, sizeof own);
    const cli_verb_help help = {"limber render IN -o OUT.png [options]",
                                "Pictures of a clip: one frame or a contact sheet.",
                                "The camera is placed so that the character stays in the picture during the whole\n"
                                "clip (or --range), and so does not move between pictures of the same clip.",
                                "  limber render fox.glb -o fox.png --clip Run --time 0.3\n"
                                "  limber render fox.glb -o run.png --clip Run --style cartoon --sheet 6 --compare\n"
                                "  limber render fox.glb -o side.png --yaw 90 --pitch 0 --size 1920x1080 --transparent",
                                options,
                                CLI_COMMON_OPTION_COUNT + OWN_COUNT,
                                1};
    const char* input;
    size_t count;
    bool over;
    int status = cli_parse(&help, argc, argv, &input, &count, &over);
    if (status || over)
        return status;
    if (!count || !o.common.output)
        return cli_usage("render needs an input and -o OUT.png; see limber render --help");
    return parse_and_render(input, &o, &settings);
}
