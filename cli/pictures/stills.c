// The .png pictures of `limber render`: one moment, a pair, a contact sheet.
#include "cli/pictures/pictures.h"
#include "render/film/sheet.h"

#include <math.h>
#include <stdio.h>

static int save(const limberi_picture* picture, const char* path) {
    limber_error error;
    return limberi_picture_save_png(picture, path, &error) == LIMBER_OK ? CLI_DONE : cli_fail_error(path, &error);
}

static int choose_time(const shot* s, double* time_s) {
    const shot_options* o = s->options;
    *time_s = shot_frame_time(s, s->frames.first);
    if (!s->clip && (!isnan(o->time_s) || (o->frame != SHOT_NOT_GIVEN && o->frame > 0)))
        return cli_fail(s->input, "has no clips, only a default pose; leave out --time and --frame");
    if (!s->clip)
        return CLI_DONE;
    uint32_t count = limber_clip_frame_count(s->clip, s->fps);
    if (o->frame != SHOT_NOT_GIVEN && o->frame >= count)
        return cli_fail(s->input, "clip '%s' has no frame %u: at %g fps it has frames 0 to %u", s->clip->name, o->frame,
                        s->fps, count - 1);
    if (!isnan(o->time_s) && !(o->time_s >= s->clip->start_s && o->time_s <= s->clip->end_s))
        return cli_fail(s->input, "--time %g s is outside clip '%s' (%g to %g s)", o->time_s, s->clip->name,
                        s->clip->start_s, s->clip->end_s);
    if (o->frame != SHOT_NOT_GIVEN)
        *time_s = shot_frame_time(s, o->frame);
    if (!isnan(o->time_s))
        *time_s = o->time_s;
    return CLI_DONE;
}

static int save_still(const shot* s, limberi_picture* picture) {
    double time_s;
    int status = choose_time(s, &time_s);
    if (!status)
        status = draw_moment(s, false, time_s, picture);
    return status ? status : save(picture, s->options->common.output);
}

// The words under cell `index`: plain ones come first.
static void write_caption(const shot* s, const limberi_sheet* sheet, uint32_t index, double time_s, char* text,
                          size_t size) {
    bool plain = s->plain && index < sheet->cell_count / 2;
    bool named = s->plain || shot_is_styled(s);
    char style[64];
    if (plain)
        shot_plain_label(s, style, sizeof style);
    else
        label_style(s->options->common.style, style, sizeof style);
    const char* name = style;
    if (!named)
        name = NULL;
    if (s->clip)
        label_frame(name, (unsigned)lround((time_s - shot_frame_time(s, 0)) * s->fps), time_s, text, size);
    else
        snprintf(text, size, "%s", name ? name : "default pose");
}

static int draw_cell(const shot* s, limberi_sheet* sheet, uint32_t index, double time_s, limberi_picture* picture) {
    char text[160];
    write_caption(s, sheet, index, time_s, text, sizeof text);
    int status = draw_moment(s, s->plain && index < sheet->cell_count / 2, time_s, picture);
    if (!status)
        limberi_sheet_put(sheet, index, picture, text);
    return status;
}

// Where the style does most, or evenly spread when it does nothing.
static void choose_frames(const shot* s, uint32_t shown, uint32_t* frames) {
    if (!s->options->even && shot_is_styled(s)) {
        limberi_sheet_peaks(s->strength, s->seen_count, shot_loops(s), shown, frames);
        for (uint32_t i = 0; i < shown; i++)
            frames[i] *= s->step;
        return;
    }
    for (uint32_t i = 0; i < shown; i++)
        frames[i] = limberi_sheet_frame(s->frames.count, shot_loops(s), shown, i);
}

// With --compare the first row shows the plain animation and the second the styled one.
static int draw_cells(const shot* s, limberi_sheet* sheet, limberi_picture* picture) {
    cli_progress progress = cli_progress_start("picture", s->options->common.quiet);
    uint32_t shown = s->plain ? sheet->columns : sheet->cell_count;
    uint32_t frames[SHEET_LIMIT];
    int status = CLI_DONE;
    choose_frames(s, shown, frames);
    for (uint32_t i = 0; !status && i < sheet->cell_count; i++) {
        cli_progress_step(&progress, i, sheet->cell_count);
        status = draw_cell(s, sheet, i, shot_frame_time(s, s->frames.first + frames[i % shown]), picture);
    }
    cli_progress_end(&progress);
    return status;
}

static int save_sheet(const shot* s, limberi_picture* picture) {
    const char* output = s->options->common.output;
    bool transparent = s->options->camera.transparent;
    char title[256];
    limberi_sheet sheet;
    limber_error error;
    shot_title(s, title, sizeof title);
    uint32_t shown = s->options->sheet < s->frames.count ? s->options->sheet : s->frames.count;
    limber_result result =
        s->plain ? limberi_sheet_create_columns(2 * shown, shown, picture->width, picture->height, title, transparent,
                                                &sheet, &error)
                 : limberi_sheet_create(shown, picture->width, picture->height, title, transparent, &sheet, &error);
    if (result != LIMBER_OK)
        return cli_fail_error(output, &error);
    int status = draw_cells(s, &sheet, picture);
    if (!status)
        status = save(&sheet.picture, output);
    limberi_sheet_destroy(&sheet);
    return status;
}

// One moment, plain and styled, side by side.
static int save_pair(const shot* s, limberi_picture* picture) {
    char title[256];
    limberi_sheet sheet;
    limber_error error;
    double time_s;
    int status = choose_time(s, &time_s);
    if (status)
        return status;
    shot_title(s, title, sizeof title);
    if (limberi_sheet_create_columns(2, 2, picture->width, picture->height, title, s->options->camera.transparent,
                                     &sheet, &error) != LIMBER_OK)
        return cli_fail_error(s->options->common.output, &error);
    for (uint32_t i = 0; !status && i < 2; i++)
        status = draw_cell(s, &sheet, i, time_s, picture);
    if (!status)
        status = save(&sheet.picture, s->options->common.output);
    limberi_sheet_destroy(&sheet);
    return status;
}

int stills_save(const shot* s) {
    limberi_picture picture;
    limber_error error;
    if (limberi_picture_create(s->options->camera.width, s->options->camera.height, &picture, &error) != LIMBER_OK)
        return cli_fail_error(s->options->common.output, &error);
    int status;
    if (s->options->sheet != SHOT_NOT_GIVEN)
        status = save_sheet(s, &picture);
    else
        status = s->plain ? save_pair(s, &picture) : save_still(s, &picture);
    limberi_picture_destroy(&picture);
    return status;
}
