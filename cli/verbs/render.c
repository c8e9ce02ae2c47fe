// `limber render`: pictures and films.
#include "cli/pictures/pictures.h"
#include "io/file_write.h"
#include "text/text.h"

#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#define LOOPS_LIMIT 1000u

// As given, before it is checked.
typedef struct render_text {
    const char* size;
    double yaw_deg, pitch_deg;
    bool no_ground;
} render_text;

typedef struct render_options {
    shot_options shot;
    render_text text;
} render_options;

#define SHOT(member) offsetof(render_options, shot.member)
#define GIVEN(member) offsetof(render_options, text.member)
static const cli_option options[] = {
    {"-o", "OUT", CLI_TEXT, SHOT(common.output), "output: .png, .gif, .webp or .mp4"},
    {"--clip", "NAME|INDEX", CLI_TEXT, SHOT(common.clip), "clip to show (default: the first)"},
    {"--time", "T", CLI_NUMBER, SHOT(time_s), "picture at this time of the clip [s]"},
    {"--frame", "N", CLI_COUNT, SHOT(frame), "picture of this frame (default: 0)"},
    {"--sheet", "N", CLI_COUNT, SHOT(sheet), "contact sheet of N frames, max 400"},
    {"--even", NULL, CLI_FLAG, SHOT(even), "spread the frames of a sheet evenly"},
    {"--compare", "[STYLE]", CLI_MAYBE, SHOT(compare_with), "show the plain animation, or another style, beside it"},
    {"--ghost", "NAME", CLI_TEXT, SHOT(ghost), "plain: the plain character, transparent, in the picture"},
    {"--loops", "N", CLI_COUNT, SHOT(loops), "repeats of the clip in an .mp4, max 1000"},
    {"--size", "WxH", CLI_TEXT, GIVEN(size), "size of one picture [pixels] (default: see above)"},
    {"--yaw", "ANGLE", CLI_NUMBER, GIVEN(yaw_deg),
     "camera yaw [degrees]: 0 = front, 90 = character's left (default: 32)"},
    {"--pitch", "ANGLE", CLI_NUMBER, GIVEN(pitch_deg), "camera height angle [degrees], -90 to 90 (default: 12)"},
    {"--no-follow", NULL, CLI_FLAG, SHOT(no_follow), "keep the camera in one place"},
    {"--camera", "NAME", CLI_TEXT, SHOT(sight.camera), "use this camera of the file"},
    {"--transparent", NULL, CLI_FLAG, SHOT(camera.transparent), "transparent background; the shadow stays"},
    {"--no-ground", NULL, CLI_FLAG, GIVEN(no_ground), "hide the ground and its shadow"},
    {"--ink", NULL, CLI_FLAG, SHOT(sight.ink), "draw ink outlines"},
    {"--ink-width", "N", CLI_NUMBER, SHOT(sight.ink_width), "outline width [pixels] (default: fits the picture)"},
    {"--view", "NAMES", CLI_TEXT, SHOT(sight.view),
     "overlays: joints, velocity, acceleration, offsets, layers[:NAME], trajectories, rigid, colliders, contacts"},
    {"--what-if", "JOINT.Q=X,Y,Z", CLI_LIST, SHOT(what_ifs), "pictures of poses with these velocities (repeatable)"},
    {"--onion", "N", CLI_COUNT, SHOT(sight.onion), "onion skin: N ghosts before and after"},
    {"--onion-step", "N", CLI_COUNT, SHOT(sight.onion_step), "frames between ghosts, 1 to 1000 (default: 2)"},
};

static const cli_command command = {
    .usage = "limber render IN -o OUT [options]",
    .summary = "Render pictures and films of a clip.",
    .details =
        "The extension of OUT selects the format: .png is one frame or a contact sheet; .gif, .webp and .mp4 are\n"
        "films and need the program ffmpeg.\n"
        "\n"
        "A sheet shows the frames where the style does most; without a style they are spread evenly.\n"
        "\n"
        "The camera is placed so that the character stays in the picture during the whole clip (or --range). In\n"
        "sheets and films it follows a character that travels. A clip that loops plays for at least 2 s in an .mp4\n"
        "unless --loops is given.\n"
        "\n"
        "With --what-if the joints have the given velocities and no others, in every pose that is shown. Q is linear,\n"
        "angular, linear_acceleration or angular_acceleration, in the world, per second.\n"
        "\n"
        "Default sizes: .png and .mp4 960x720, .gif and .webp 480x360; --sheet 320x320 per frame; films with\n"
        "--compare 320x320 per side, .mp4 480x480.",
    .examples = "  limber render fox.glb -o fox.png --clip Run --time 0.3\n"
                "  limber render fox.glb -o run.png --clip Run --style cartoon --sheet 6 --compare\n"
                "  limber render fox.glb -o run.mp4 --clip Run --style cartoon --compare\n"
                "  limber render fox.glb -o run.webp --clip Run --style cartoon --transparent\n"
                "  limber render fox.glb -o why.png --clip Run --time 0.3 --view joints,velocity --ink\n"
                "  limber render fox.glb -o side.png --yaw 90 --pitch 0 --size 1920x1080 --transparent",
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .common = true,
};

// Digits up to `end`. A number that is too large for its type is one that is too large for a picture.
static bool parse_side(const char* text, char end, unsigned long* side) {
    char* rest;
    *side = strtoul(text, &rest, 10);
    return limberi_is_digit(*text) && *rest == end;
}

static int parse_size(const char* text, limberi_render_settings* settings) {
    unsigned long width = 0;
    unsigned long height = 0;
    const char* x = text ? strchr(text, 'x') : NULL;
    if (!text)
        return CLI_DONE;
    if (!parse_side(text, 'x', &width) || !parse_side(x + 1, 0, &height))
        return cli_usage("--size must be WIDTHxHEIGHT in pixels, not '%s'", text);
    if (width == 0 || height == 0 || width > LIMBERI_RENDER_SIDE_LIMIT || height > LIMBERI_RENDER_SIDE_LIMIT)
        return cli_usage("--size must be between 1x1 and %ux%u, not '%s'", LIMBERI_RENDER_SIDE_LIMIT,
                         LIMBERI_RENDER_SIDE_LIMIT, text);
    settings->width = (uint32_t)width;
    settings->height = (uint32_t)height;
    return CLI_DONE;
}

static int check_still(const shot_options* o) {
    bool sheet = o->sheet != SHOT_NOT_GIVEN;
    if (!cli_has_ending(o->common.output, ".png"))
        return cli_usage("render writes .png, .gif, .webp and .mp4, not '%s'", o->common.output);
    if (sheet && (o->sheet == 0 || o->sheet > SHEET_LIMIT))
        return cli_usage("--sheet must be between 1 and %u", SHEET_LIMIT);
    if (sheet + (o->frame != SHOT_NOT_GIVEN) + !isnan(o->time_s) > 1)
        return cli_usage("--sheet, --frame and --time exclude each other; give only one");
    if (o->even && !sheet)
        return cli_usage("--even needs --sheet");
    if (o->loops != SHOT_NOT_GIVEN)
        return cli_usage("--loops needs an .mp4 output");
    return CLI_DONE;
}

static int check_film(const film_kind* kind, const shot_options* o) {
    if (o->sheet != SHOT_NOT_GIVEN || o->frame != SHOT_NOT_GIVEN || !isnan(o->time_s))
        return cli_usage("--sheet, --frame and --time need a .png output; use --range to shorten a film");
    if (o->camera.transparent && !kind->transparent)
        return cli_usage("%s films cannot be transparent; use .webp or .gif", kind->ending);
    if (o->loops != SHOT_NOT_GIVEN && kind->repeats)
        return cli_usage("--loops needs an .mp4 output; %s films always repeat", kind->ending);
    if (o->loops == 0 || (o->loops != SHOT_NOT_GIVEN && o->loops > LOOPS_LIMIT))
        return cli_usage("--loops must be between 1 and %u", LOOPS_LIMIT);
    if (o->common.fps > kind->max_fps)
        return cli_usage("--fps must be at most %g for %s films", kind->max_fps, kind->ending);
    return CLI_DONE;
}

static void choose_size(const film_kind* kind, const shot_options* o, limberi_render_settings* camera) {
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
    if (o->ghost && strcmp(o->ghost, "plain") != 0)
        return cli_usage("--ghost must be plain, not '%s'", o->ghost);
    if (!(fabs(text->pitch_deg) <= 90))
        return cli_usage("--pitch must be between -90 and 90 degrees");
    o->compare = o->compare_with != NULL;
    if (o->compare && !*o->compare_with)
        o->compare_with = NULL;
    choose_size(kind, o, &o->camera);
    o->camera.yaw_deg = (float)fmod(text->yaw_deg, 360.0);
    o->camera.pitch_deg = (float)text->pitch_deg;
    o->camera.ground = !text->no_ground;
    if (kind && kind->format == LIMBERI_ENCODER_GIF && o->camera.transparent)
        o->camera.ground = false; // a pixel is there or not, so the soft shadow would be a black stain
    o->loops = o->loops == SHOT_NOT_GIVEN ? 0 : o->loops;
    o->usual_fps = kind ? kind->usual_fps : 0;
    o->motion_only = kind != NULL || o->sheet != SHOT_NOT_GIVEN;
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

// Finds out before the long work whether its result can be written.
static int check_output(const char* path) {
    limberi_file file;
    limber_error error;
    if (limberi_file_open(&file, path, &error) != LIMBER_OK)
        return cli_fail_error(path, &error);
    limberi_file_discard(&file);
    if (film_kind_of(path) && limberi_encoder_check(&error) != LIMBER_OK)
        return cli_fail_error(path, &error);
    return CLI_DONE;
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
    render_options o = {
        .shot = {.time_s = NAN, .frame = SHOT_NOT_GIVEN, .sheet = SHOT_NOT_GIVEN, .loops = SHOT_NOT_GIVEN}};
    o.shot.camera = limberi_render_settings_default();
    o.shot.sight = sight_options_default();
    o.text.yaw_deg = (double)o.shot.camera.yaw_deg;
    o.text.pitch_deg = (double)o.shot.camera.pitch_deg;
    const char* input;
    bool over;
    int status = cli_parse(&command, argc, argv, &o, &input, &over);
    if (status || over)
        return status;
    if (!input || !o.shot.common.output)
        return cli_usage("render needs an input and -o OUT; see limber render --help");
    status = check_all(&o.text, &o.shot);
    return status ? status : render(input, &o.shot);
}
