#include "cli/shot.h"
#include "cli/stills.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define SHEET_LIMIT 400u

// As typed, before it is checked.
typedef struct render_text {
    const char* size;
    double yaw_deg, pitch_deg;
    bool no_ground;
} render_text;

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

static int check_options(const render_text* text, shot_options* o) {
    bool sheet = o->sheet != SHOT_NOT_GIVEN;
    limber_render_settings* camera = &o->camera;
    if (!cli_has_ending(o->common.output, ".png"))
        return cli_usage("render writes .png, not '%s'", o->common.output);
    if (sheet && (o->sheet == 0 || o->sheet > SHEET_LIMIT))
        return cli_usage("--sheet must lie between 1 and %u", SHEET_LIMIT);
    if (sheet + (o->frame != SHOT_NOT_GIVEN) + !isnan(o->time_s) > 1)
        return cli_usage("only one of --sheet, --frame and --time makes sense");
    if (!(fabs(text->pitch_deg) <= 90))
        return cli_usage("--pitch must lie between -90 and 90 degrees");
    if (sheet)
        camera->width = camera->height = 320;
    camera->yaw_deg = (float)fmod(text->yaw_deg, 360.0);
    camera->pitch_deg = (float)text->pitch_deg;
    camera->ground = !text->no_ground;
    return parse_size(text->size, camera);
}

static int check_all(const render_text* text, shot_options* o) {
    limber_skinning skinning;
    int status = check_options(text, o);
    if (!status)
        status = cli_parse_range(o->common.range, &o->start_s, &o->end_s);
    if (!status)
        status = cli_parse_skinning(o->common.skinning, &skinning);
    return status ? status : cli_check_rate(o->common.fps);
}

static int render(const char* input, const shot_options* o) {
    shot s;
    int status = shot_open(&s, input, o);
    if (!status)
        status = stills_save(&s);
    shot_close(&s);
    return status;
}

int limber_cli_render(int argc, char** argv) {
    enum { OWN_COUNT = 9 };
    shot_options o = {.time_s = NAN, .frame = SHOT_NOT_GIVEN, .sheet = SHOT_NOT_GIVEN};
    o.camera = limber_render_settings_default();
    render_text text = {.yaw_deg = (double)o.camera.yaw_deg, .pitch_deg = (double)o.camera.pitch_deg};
    cli_option options[CLI_COMMON_OPTION_COUNT + OWN_COUNT];
    cli_common_options(&o.common, options);
    const cli_option own[OWN_COUNT] = {
        {"--time", "S", CLI_NUMBER, &o.time_s, "the picture at this second of the clip"},
        {"--frame", "N", CLI_COUNT, &o.frame, "the picture of this frame (default: the first)"},
        {"--sheet", "N", CLI_COUNT, &o.sheet, "a contact sheet of N frames spread over the clip"},
        {"--compare", NULL, CLI_FLAG, &o.compare, "the plain animation beside the styled one"},
        {"--size", "WxH", CLI_TEXT, &text.size, "pixels of one picture (default: 960x720, on a sheet 320x320)"},
        {"--yaw", "DEGREES", CLI_NUMBER, &text.yaw_deg, "from where: 0 front, 90 its left side (default: 32)"},
        {"--pitch", "DEGREES", CLI_NUMBER, &text.pitch_deg, "from how far above (default: 12)"},
        {"--transparent", NULL, CLI_FLAG, &o.camera.transparent, "no background, only the shadow on the ground"},
        {"--no-ground", NULL, CLI_FLAG, &text.no_ground, "no ground and no shadow on it"},
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
    status = check_all(&text, &o);
    return status ? status : render(input, &o);
}
