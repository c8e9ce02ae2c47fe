// The films of `limber render`: .gif, .webp and .mp4.
#include "cli/pictures/pictures.h"
#include "render/film/sheet.h"

#include <math.h>
#include <string.h>

#define MAX_SAMPLES 16u     // frames that the colours of a .gif are chosen from
#define LOOPING_SECONDS 2.0 // a film that plays once shows a loop for at least this long
#define MAX_FRAMES 1000000u // hours

// Viewers show .gif frames of less than 2/100 s and .webp frames of less than 11/1000 s far too slowly.
static const film_kind kinds[] = {
    {".gif", LIMBERI_ENCODER_GIF, 50, 50, 480, 360, 320, true, true},
    {".webp", LIMBERI_ENCODER_WEBP, 60, 90, 480, 360, 320, true, true},
    {".mp4", LIMBERI_ENCODER_MP4, 60, 1000, 960, 720, 480, false, false},
};

const film_kind* film_kind_of(const char* path) {
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (cli_has_ending(path, kinds[i].ending))
            return &kinds[i];
    return NULL;
}

uint32_t film_supersample(const limberi_render_settings* camera) {
    const uint64_t large = 200000; // pixels
    return (uint64_t)camera->width * camera->height > large ? 1 : 2;
}

// What is being filmed: one picture, or two side by side on paper.
typedef struct set {
    const shot* shot;
    limberi_picture picture; // of one camera
    limberi_sheet sheet;     // --compare
    limberi_picture paper;   // the sheet with nothing but its title
} set;

static int open_set(set* f, const shot* s) {
    const limberi_render_settings* camera = &s->options->camera;
    limber_error error;
    char title[256];
    memset(f, 0, sizeof *f);
    f->shot = s;
    shot_title(s, title, sizeof title);
    limber_result result = limberi_picture_create(camera->width, camera->height, &f->picture, &error);
    if (result == LIMBER_OK && s->plain)
        result = limberi_sheet_create_columns(2, 2, camera->width, camera->height, title, camera->transparent,
                                              &f->sheet, &error);
    if (result == LIMBER_OK && s->plain)
        result = limberi_picture_create(f->sheet.picture.width, f->sheet.picture.height, &f->paper, &error);
    if (result != LIMBER_OK)
        return cli_fail_error(s->options->common.output, &error);
    if (s->plain)
        memcpy(f->paper.pixels, f->sheet.picture.pixels, (size_t)4 * f->paper.width * f->paper.height);
    return CLI_DONE;
}

static const limberi_picture* canvas(const set* f) {
    return f->shot->plain ? &f->sheet.picture : &f->picture;
}

static int draw_pair(set* f, double time_s) {
    char style[64];
    label_style(f->shot->options->common.style, style, sizeof style);
    char plain[64];
    shot_plain_label(f->shot, plain, sizeof plain);
    const char* const captions[2] = {plain, style};
    memcpy(f->sheet.picture.pixels, f->paper.pixels, (size_t)4 * f->paper.width * f->paper.height);
    for (uint32_t i = 0; i < 2; i++) {
        int status = draw_moment(f->shot, i == 0, time_s, &f->picture);
        if (status)
            return status;
        limberi_sheet_put(&f->sheet, i, &f->picture, captions[i]);
    }
    return CLI_DONE;
}

static int film_frame(set* f, uint32_t frame, limberi_encoder* e) {
    double time_s = shot_frame_time(f->shot, frame);
    int status = f->shot->plain ? draw_pair(f, time_s) : draw_moment(f->shot, false, time_s, &f->picture);
    if (!status && !limberi_encoder_put(e, canvas(f)->pixels))
        status = CLI_FAILED; // limberi_encoder_close says why
    return status;
}

static int film_samples(set* f, limber_frame_range frames, uint32_t count, limberi_encoder* e) {
    for (uint32_t i = 0; i < count; i++) {
        int status = film_frame(f, frames.first + (uint32_t)((uint64_t)frames.count * i / count), e);
        if (status)
            return status;
    }
    return CLI_DONE;
}

static int film_frames(set* f, limber_frame_range frames, uint32_t loops, limberi_encoder* e) {
    cli_progress progress = cli_progress_start("frame", f->shot->options->common.quiet);
    uint32_t total = frames.count * loops;
    int status = CLI_DONE;
    for (uint32_t i = 0; !status && i < total; i++) {
        cli_progress_step(&progress, i, total);
        status = film_frame(f, frames.first + i % frames.count, e);
    }
    cli_progress_end(&progress);
    return status;
}

static uint32_t choose_loops(const shot* s, const film_kind* kind, uint32_t frame_count) {
    if (s->options->loops)
        return s->options->loops;
    if (kind->repeats || !shot_loops(s))
        return 1;
    double once_s = frame_count / s->fps;
    return once_s >= LOOPING_SECONDS ? 1 : (uint32_t)fmin(ceil(LOOPING_SECONDS / once_s - 1e-6), 1000);
}

static int encode(set* f, const film_kind* kind, limber_frame_range frames, uint32_t loops) {
    const shot* s = f->shot;
    limberi_encoder_order order = {.format = kind->format,
                                   .path = s->options->common.output,
                                   .width = canvas(f)->width,
                                   .height = canvas(f)->height,
                                   .fps = s->fps,
                                   .transparent = s->options->camera.transparent,
                                   .sample_count = frames.count < MAX_SAMPLES ? frames.count : MAX_SAMPLES};
    limberi_encoder* e;
    limber_error error;
    if (limberi_encoder_open(&order, &e, &error) != LIMBER_OK)
        return cli_fail_error(order.path, &error);
    int status = CLI_DONE;
    if (kind->format == LIMBERI_ENCODER_GIF)
        status = film_samples(f, frames, order.sample_count, e);
    if (!status)
        status = film_frames(f, frames, loops, e);
    if (limberi_encoder_close(e, !status, &error) != LIMBER_OK)
        status = cli_fail_error(order.path, &error);
    return status;
}

int film_save(const shot* s) {
    const char* output = s->options->common.output;
    const film_kind* kind = film_kind_of(output);
    if (!s->clip)
        return cli_fail(s->input, "has no clips to film; a .png shows its default pose");
    limber_frame_range frames = s->frames;
    if (shot_loops(s) && frames.count > 1)
        frames.count--;
    uint32_t loops = choose_loops(s, kind, frames.count);
    if ((uint64_t)frames.count * loops > MAX_FRAMES)
        return cli_fail(output,
                        "%u loops of %u frames are too long for a film (max %u frames); use --range or fewer --loops",
                        loops, frames.count, MAX_FRAMES);
    set f;
    int status = open_set(&f, s);
    if (!status)
        status = encode(&f, kind, frames, loops);
    limberi_picture_destroy(&f.picture);
    limberi_picture_destroy(&f.paper);
    limberi_sheet_destroy(&f.sheet);
    return status;
}
