#include "cli/pictures/draw.h"
#include "cli/pictures/film.h"
#include "cli/pictures/stills.h"
#include "io/file_write.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define SHEET_LIMIT 400u
#define LOOPS_LIMIT 1000u

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

static int check_still(const shot_options* o) {
    bool sheet = o->sheet != SHOT_NOT_GIVEN;
    if (!cli_has_ending(o->common.output, ".png"))
        return cli_usage("render writes .png, .gif, .webp and .mp4, not '%s'", o->common.output);
    if (sheet && (o->sheet == 0 || o->sheet > SHEET_LIMIT))
        return cli_usage("--sheet must lie between 1 and %u", SHEET_LIMIT);
    if (sheet + (o->frame != SHOT_NOT_GIVEN) + !isnan(o->time_s) > 1)
        return cli_usage("only one of --sheet, --frame and --time makes sense");
    if (o->loops != SHOT_NOT_GIVEN)
        return cli_usage("--loops is for .mp4 films");
    return CLI_DONE;
}

static int check_film(const film_kind* kind, const shot_options* o) {
    if (o->sheet != SHOT_NOT_GIVEN || o->frame != SHOT_NOT_GIVEN || !isnan(o->time_s))
        return cli_usage("--sheet, --frame and --time are for .png pictures; --range makes a film shorter");
    if (o->camera.transparent && !kind->transparent)
        return cli_usage("%s films cannot be transparent; .webp and .gif can", kind->ending);
    if (o->loops != SHOT_NOT_GIVEN && kind->repeats)
        return cli_usage("--loops is for .mp4 films; %s films repeat by themselves", kind->ending);
    if (o->loops == 0 || (o->loops != SHOT_NOT_GIVEN && o->loops > LOOPS_LIMIT))
        return cli_usage("--loops must lie between 1 and %u", LOOPS_LIMIT);
    if (o->common.fps > kind->most_fps)
        return cli_usage("%s films have at most %g frames per second", kind->ending, kind->most_fps);
    return CLI_DONE;
}

static void choose_size(const film_kind* kind, const shot_options* o, limber_render_settings* camera) {
    if (o->sheet != SHOT_NOT_GIVEN)
        camera->width = camera->height = 320;
    if (!kind)
        return;
    camera->width = o->compare ? kind->compared_side : kind->width;
    camera->height = o->compare ? kind->compared_side : kind->height;
}

static int check_options(const render_text* text, shot_options* o) {
    const film_kind* kind = film_kind_of(o->common.output);
    int status = kind ? check_film(kind, o) : check_still(o);
    if (status)
        return status;
    if (!(fabs(text->pitch_deg) <= 90))
        return cli_usage("--pitch must lie between -90 and 90 degrees");
    choose_size(kind, o, &o->camera);
    o->camera.yaw_deg = (float)fmod(text->yaw_deg, 360.0);
    o->camera.pitch_deg = (float)text->pitch_deg;
    o->camera.ground = !text->no_ground;
    if (kind && kind->format == ENCODER_GIF && o->camera.transparent)
        o->camera.ground = false; // a pixel is there or not, so the soft shadow would be a black stain
    o->loops = o->loops == SHOT_NOT_GIVEN ? 0 : o->loops;
    o->usual_fps = kind ? kind->usual_fps : 0;
    o->motion_only = kind != NULL;
    return parse_size(text->size, &o->camera);
}

static int check_all(const render_text* text, shot_options* o) {
    limber_skinning skinning;
    int status = check_options(text, o);
    if (!status)
        status = sight_check(&o->sight, &o->camera);
    if (film_kind_of(o->common.output))
        o->camera.supersample = film_supersample(&o->camera);
    if (!status)
        status = cli_parse_range(o->common.range, &o->start_s, &o->end_s);
    if (!status)
        status = cli_parse_skinning(o->common.skinning, &skinning);
    return status ? status : cli_check_rate(o->common.fps);
}

// What would be wrong at the end of long work had better be known before.
static int check_output(const char* path) {
    limberi_file file;
    limber_error error;
    if (limberi_file_open(&file, path, &error) != LIMBER_OK)
        return cli_fail_error(path, &error);
    limberi_file_discard(&file);
    return film_kind_of(path) ? encoder_check(path) : CLI_DONE;
}

static int render(const char* input, const shot_options* o) {
    shot s;
    int status = check_output(o->common.output);
    if (status)
        return status;
    status = draw_open(&s, input, o);
    if (!status)
        status = film_kind_of(o->common.output) ? film_save(&s) : stills_save(&s);
    draw_close(&s);
    return status;
}

int limber_cli_render(int argc, char** argv) {
    enum { OWN_COUNT = 10 };
    shot_options o = {.time_s = NAN, .frame = SHOT_NOT_GIVEN, .sheet = SHOT_NOT_GIVEN, .loops = SHOT_NOT_GIVEN};
    o.camera = limber_render_settings_default();
    o.sight = sight_options_default();
    render_text text = {.yaw_deg = (double)o.camera.yaw_deg, .pitch_deg = (double)o.camera.pitch_deg};
    cli_option options[CLI_COMMON_OPTION_COUNT + OWN_COUNT + SIGHT_OPTION_COUNT];
    cli_common_options(&o.common, options);
    const cli_option own[OWN_COUNT] = {
        {"--time", "S", CLI_NUMBER, &o.time_s, "the picture at this second of the clip"},
        {"--frame", "N", CLI_COUNT, &o.frame, "the picture of this frame (default: the first)"},
        {"--sheet", "N", CLI_COUNT, &o.sheet, "a contact sheet of N frames spread over the clip"},
        {"--compare", NULL, CLI_FLAG, &o.compare, "the plain animation beside the styled one"},
        {"--loops", "N", CLI_COUNT, &o.loops, "play the clip N times in an .mp4 (default: loops for 2 s or more)"},
        {"--size", "WxH", CLI_TEXT, &text.size,
         "pixels of one picture (default: 960x720, .gif and .webp 480x360, sheets 320x320)"},
        {"--yaw", "DEGREES", CLI_NUMBER, &text.yaw_deg, "from where: 0 front, 90 its left side (default: 32)"},
        {"--pitch", "DEGREES", CLI_NUMBER, &text.pitch_deg, "from how far above (default: 12)"},
        {"--transparent", NULL, CLI_FLAG, &o.camera.transparent, "no background, only the shadow on the ground"},
        {"--no-ground", NULL, CLI_FLAG, &text.no_ground, "no ground and no shadow on it"},
    };
    memcpy(options + CLI_COMMON_OPTION_COUNT, own, sizeof own);
    sight_list(&o.sight, options + CLI_COMMON_OPTION_COUNT + OWN_COUNT);
    const cli_verb_help help = {
        "limber render IN -o OUT.png|gif|webp|mp4 [options]",
        "Pictures and films of a clip.",
        "The ending of OUT decides: .png is one frame or a contact sheet; .gif, .webp and .mp4\n"
        "are films, made with the program ffmpeg. The camera is placed so that the character\n"
        "stays in the picture during the whole clip (or --range), and does not move.",
        "  limber render fox.glb -o fox.png --clip Run --time 0.3\n"
        "  limber render fox.glb -o run.png --clip Run --style cartoon --sheet 6 --compare\n"
        "  limber render fox.glb -o run.mp4 --clip Run --style cartoon --compare\n"
        "  limber render fox.glb -o run.webp --clip Run --style cartoon --transparent\n"
        "  limber render fox.glb -o why.png --clip Run --time 0.3 --view joints,velocity --ink\n"
        "  limber render fox.glb -o side.png --yaw 90 --pitch 0 --size 1920x1080 --transparent",
        options,
        CLI_COMMON_OPTION_COUNT + OWN_COUNT + SIGHT_OPTION_COUNT,
        1};
    const char* input;
    size_t count;
    bool over;
    int status = cli_parse(&help, argc, argv, &input, &count, &over);
    if (status || over)
        return status;
    if (!count || !o.common.output)
        return cli_usage("render needs an input and -o OUT; see limber render --help");
    status = check_all(&text, &o);
    return status ? status : render(input, &o);
}
