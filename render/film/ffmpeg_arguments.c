// What ffmpeg is asked to do for a film.
#include "render/film/encoder.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void add(limberi_ffmpeg_arguments* a, const char* const* items) {
    for (; *items && a->count + 1 < LIMBERI_FFMPEG_ARGUMENTS; items++)
        a->items[a->count++] = *items;
    a->items[a->count] = NULL;
}
#define ADD(arguments_, ...) add(arguments_, (const char* const[]){__VA_ARGS__, NULL})

// The samples make the palette; the other frames are painted with it. Ordered dither stays where it is from frame to
// frame: error diffusion would make still backgrounds crawl.
static void add_gif(limberi_ffmpeg_arguments* a, const limberi_encoder_order* o) {
    snprintf(a->filter, sizeof a->filter,
             "split[samples][film];[samples]trim=end_frame=%u,palettegen=reserve_transparent=%u[palette];"
             "[film]trim=start_frame=%u,setpts=PTS-STARTPTS[shown];"
             "[shown][palette]paletteuse=dither=bayer:bayer_scale=4:alpha_threshold=128",
             o->sample_count, o->transparent ? 1u : 0u, o->sample_count);
    ADD(a, "-filter_complex", a->filter, "-f", "gif", "-loop", "0");
}

static void add_webp(limberi_ffmpeg_arguments* a, const limberi_encoder_order* o) {
    ADD(a, "-pix_fmt", o->transparent ? "yuva420p" : "yuv420p", "-c:v", "libwebp_anim", "-quality", "85", "-f", "webp",
        "-loop", "0");
}

// Colour is stored for every second pixel, so sides must be even: where they are not, the last column or row is there
// twice. Players guess other colours than ours when nobody tells them that these are BT.709.
static void add_mp4(limberi_ffmpeg_arguments* a, const limberi_encoder_order* o) {
    uint32_t right = o->width & 1;
    uint32_t bottom = o->height & 1;
    snprintf(a->filter, sizeof a->filter,
             "pad=%u:%u,fillborders=right=%u:bottom=%u:mode=smear,scale=out_color_matrix=bt709:out_range=tv,"
             "format=yuv420p",
             o->width + right, o->height + bottom, right, bottom);
    ADD(a, "-vf", a->filter, "-c:v", "libx264", "-preset", "medium", "-crf", "18", "-colorspace", "bt709",
        "-color_primaries", "bt709", "-color_trc", "bt709", "-movflags", "+faststart", "-f", "mp4");
}

static uint32_t common_divisor(uint32_t a, uint32_t b) {
    while (b) {
        uint32_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

// 29.97 is 30000/1001, and rates that are whole but for rounding are whole.
static void rate_fraction(double fps, uint32_t* numerator, uint32_t* denominator) {
    double whole = round(fps);
    double television = round(fps * 1.001);
    if (whole >= 1 && fabs(fps - whole) <= 1e-4 * whole) {
        *numerator = (uint32_t)whole;
        *denominator = 1;
    } else if (television >= 1 && fabs(fps * 1.001 - television) <= 1e-5 * television) {
        *numerator = (uint32_t)television * 1000;
        *denominator = 1001;
    } else {
        uint32_t thousandths = (uint32_t)fmax(round(fps * 1000), 1);
        uint32_t divisor = common_divisor(thousandths, 1000);
        *numerator = thousandths / divisor;
        *denominator = 1000 / divisor;
    }
}

limber_result limberi_ffmpeg_arguments_make(const limberi_encoder_order* o, const char* output,
                                            limberi_ffmpeg_arguments* a) {
    uint32_t numerator, denominator;
    memset(a, 0, sizeof *a);
    rate_fraction(o->fps, &numerator, &denominator);
    snprintf(a->size, sizeof a->size, "%ux%u", o->width, o->height);
    snprintf(a->rate, sizeof a->rate, "%u/%u", numerator, denominator);
    // With the protocol in front a name may hold colons and begin with a dash.
    size_t length = strlen(output) + sizeof "file:";
    a->output = malloc(length);
    if (!a->output)
        return LIMBER_ERROR_MEMORY;
    snprintf(a->output, length, "file:%s", output);
    // -xerror: otherwise a full disk at the very end is no error.
    ADD(a, "ffmpeg", "-hide_banner", "-loglevel", "error", "-xerror", "-y", "-f", "rawvideo", "-pixel_format", "rgba",
        "-video_size", a->size, "-framerate", a->rate, "-i", "pipe:0", "-an");
    if (o->format == LIMBERI_ENCODER_GIF)
        add_gif(a, o);
    else if (o->format == LIMBERI_ENCODER_WEBP)
        add_webp(a, o);
    else
        add_mp4(a, o);
    ADD(a, a->output);
    return LIMBER_OK;
}

void limberi_ffmpeg_arguments_free(limberi_ffmpeg_arguments* a) {
    free(a->output);
    a->output = NULL;
}
