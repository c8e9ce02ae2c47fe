// Pictures that were looked at and found good, against those that limber draws now. Drivers differ in how they sample
// edges and round colours, so both are blurred first: what is left is what an eye would see from a step away.
// LIMBER_UPDATE=1 regenerates tests/render/golden; review the images before you commit them.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "io/file.h"
#include "kit/program.h"
#include "render/film/picture.h"

// Of 255, after the blur. A frame earlier or later differs by several times as much (the last test).
#define LARGEST 24.0
#define MEAN 1.2
enum { BLUR_RADIUS = 2, BLUR_PASSES = 3 };

typedef struct golden {
    const char *name, *character, *options;
} golden;

#define SMEAR_BALL                                                                                                     \
    "--clip dash-stop --range 0.87:1.07 --yaw 90 --set joints.Ball.ignore_spin=true --set smear.multiples.past=4 "     \
    "--set smear.multiples.future=1 --set smear.multiples.overlap=3 --set smear.multiples.min_speed=0.015 "            \
    "--set smear.lines.count=120 --set 'smear.lines.length=6 * min(offset, 0)' --set smear.lines.gap=0.4 "

static const golden goldens[] = {
    {"cow-jump", "cow", "--clip jump --frame 21 --style cartoon"},
    {"dancer-skirt", "dancer", "--clip twirl --frame 40 --style skirt"},
    {"giraffe-ink", "giraffe", "--clip neck-swing-stop --frame 33 --style cartoon --ink"},
    {"ball-smear", "ball", SMEAR_BALL "--frame 29"},
    {"flower-onion", "flower", "--clip whip-stop --frame 31 --onion 2 --onion-step 3 --ink --transparent"},
    {"snail-layers", "snail", "--clip dash-stop --frame 30 --style cartoon --view layers"},
    {"toon-swing", "toon", "--clip swing --frame 33 --range 1:1.2"},
    {"hero-run", "hero", "--clip run --frame 6"},
    {"dog-run", "dog", "--clip run --frame 6"},
    {"cow-views", "cow", "--clip headshake-stop --range 0.4:0.8 --sheet 2 --view joints,velocity --size 120x120"},
};
enum { GOLDEN_COUNT = sizeof goldens / sizeof goldens[0] };

static void run(const char* arguments) {
    answer a = test_limber("", "", arguments);
    if (a.status != 0)
        fail_msg("limber %s: %s", arguments, a.text);
}

static limberi_picture read_picture(const char* path) {
    limberi_arena arena = {0};
    limberi_bytes bytes;
    limberi_picture picture;
    limber_error error;
    if (limberi_file_read(path, 1 << 26, &arena, &bytes, &error) != LIMBER_OK)
        fail_msg("%s: %s; LIMBER_UPDATE=1 makes it", path, error.message);
    assert_int_equal(limberi_picture_decode(bytes.data, bytes.size, &picture, &error), LIMBER_OK);
    limberi_arena_free(&arena);
    return picture;
}

static limberi_picture draw(const golden* g, const char* more) {
    char arguments[1536];
    snprintf(arguments, sizeof arguments, "render %s.glb --size 240x180 %s %s -o out.png", g->character, g->options,
             more);
    run(arguments);
    limberi_picture picture = read_picture("out.png");
    assert_int_equal(unlink("out.png"), 0);
    return picture;
}

// Colours times alpha, and alpha: what is transparent has no colour to compare.
static float* planes_of(const limberi_picture* p) {
    size_t count = (size_t)p->width * p->height;
    float* planes = malloc(4 * count * sizeof *planes);
    assert_non_null(planes);
    for (size_t i = 0; i < count; i++) {
        float alpha = (float)p->pixels[4 * i + 3];
        for (size_t c = 0; c < 3; c++)
            planes[c * count + i] = (float)p->pixels[4 * i + c] * alpha / 255.0f;
        planes[3 * count + i] = alpha;
    }
    return planes;
}

// The mean over a row or column of neighbours, the border repeated.
static void blur_line(float* values, int count, int stride, float* scratch) {
    for (int i = 0; i < count; i++) {
        float sum = 0;
        for (int k = -BLUR_RADIUS; k <= BLUR_RADIUS; k++) {
            int at = i + k < 0 ? 0 : i + k >= count ? count - 1 : i + k;
            sum += values[at * stride];
        }
        scratch[i] = sum / (2 * BLUR_RADIUS + 1);
    }
    for (int i = 0; i < count; i++)
        values[i * stride] = scratch[i];
}

static void blur(float* plane, int width, int height) {
    float* scratch = malloc((size_t)(width + height) * sizeof *scratch);
    assert_non_null(scratch);
    for (int pass = 0; pass < BLUR_PASSES; pass++) {
        for (int y = 0; y < height; y++)
            blur_line(plane + y * width, width, 1, scratch);
        for (int x = 0; x < width; x++)
            blur_line(plane + x, height, width, scratch);
    }
    free(scratch);
}

typedef struct difference {
    double largest, mean;
} difference;

static difference compare(const limberi_picture* a, const limberi_picture* b) {
    difference d = {255, 255};
    if (a->width != b->width || a->height != b->height)
        return d;
    size_t count = (size_t)a->width * a->height;
    float *pa = planes_of(a), *pb = planes_of(b);
    d.largest = d.mean = 0;
    for (size_t c = 0; c < 4; c++) {
        blur(pa + c * count, (int)a->width, (int)a->height);
        blur(pb + c * count, (int)a->width, (int)a->height);
    }
    for (size_t i = 0; i < 4 * count; i++) {
        double off = fabs((double)pa[i] - (double)pb[i]);
        d.largest = off > d.largest ? off : d.largest;
        d.mean += off / (4.0 * (double)count);
    }
    free(pa);
    free(pb);
    return d;
}

static bool is_same(difference d) {
    return d.largest <= LARGEST && d.mean <= MEAN;
}

static void golden_path(const golden* g, char* path, size_t size) {
    const char* source = getenv("LIMBER_GOLDEN");
    assert_non_null(source);
    assert_true(snprintf(path, size, "%s/%s.png", source, g->name) < (int)size);
}

// What changed, for a person to look at: before, now, and four times the difference.
static void keep_difference(const golden* g, const limberi_picture* then, limberi_picture* now) {
    const char* folder = getenv("LIMBER_DIFFERENCES");
    const limberi_picture* shown[] = {then, now, now};
    static const char* const kinds[] = {"before", "now", "difference"};
    char path[1024];
    limber_error error;
    for (int i = 0; folder && i < 3; i++) {
        for (size_t p = 0; i == 2 && p < 4 * (size_t)now->width * now->height; p++) {
            int off = 4 * abs(now->pixels[p] - then->pixels[p]);
            now->pixels[p] = (uint8_t)(p % 4 == 3 || off > 255 ? 255 : off);
        }
        assert_true(snprintf(path, sizeof path, "%s/%s-%s.png", folder, g->name, kinds[i]) < (int)sizeof path);
        assert_int_equal(limberi_picture_save_png(shown[i], path, &error), LIMBER_OK);
    }
}

static void check(const golden* g) {
    char path[1024];
    limber_error error;
    golden_path(g, path, sizeof path);
    limberi_picture now = draw(g, "");
    if (getenv("LIMBER_UPDATE")) {
        assert_int_equal(limberi_picture_save_png(&now, path, &error), LIMBER_OK);
        limberi_picture_destroy(&now);
        return;
    }
    limberi_picture then = read_picture(path);
    difference d = compare(&now, &then);
    if (getenv("LIMBER_VERBOSE"))
        print_message("%s: %.1f %.2f\n", g->name, d.largest, d.mean);
    if (!is_same(d)) {
        assert_int_equal(limberi_picture_save_png(&now, "seen.png", &error), LIMBER_OK);
        if (now.width == then.width && now.height == then.height)
            keep_difference(g, &then, &now);
        fail_msg("%s looks different: blurred difference %.1f at most, %.2f on average; see %s/seen.png", g->name,
                 d.largest, d.mean, test_folder_name());
    }
    limberi_picture_destroy(&now);
    limberi_picture_destroy(&then);
}

static void pictures_look_as_they_did(void** state) {
    (void)state;
    for (size_t i = 0; i < GOLDEN_COUNT; i++)
        check(&goldens[i]);
}

// The tolerance is worth something: what an animator would notice is found.
static void visible_changes_are_found(void** state) {
    (void)state;
    static const struct {
        size_t golden;
        const char* change;
    } cases[] = {
        {0, "--frame 22"},                   // a frame later; the last --frame counts
        {0, "--set effects.overlap.gain=0"}, // no floppy ears
        {3, "--set smear.lines.count=0"},    // no motion lines
        {4, "--onion 1"},                    // a ghost less
        {6, "--no-ground"},                  // no shadow
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char path[1024];
        golden_path(&goldens[cases[i].golden], path, sizeof path);
        limberi_picture then = read_picture(path), now = draw(&goldens[cases[i].golden], cases[i].change);
        difference d = compare(&now, &then);
        if (getenv("LIMBER_VERBOSE"))
            print_message("%s %s: %.1f %.2f\n", goldens[cases[i].golden].name, cases[i].change, d.largest, d.mean);
        if (is_same(d))
            fail_msg("%s with %s passes for the original: %.1f %.2f", goldens[cases[i].golden].name, cases[i].change,
                     d.largest, d.mean);
        limberi_picture_destroy(&now);
        limberi_picture_destroy(&then);
    }
}

// Mesa's other rasteriser has no multisampling; where there is no Mesa, the available driver is used twice. It is slow.
static void coarser_drivers_pass(void** state) {
    (void)state;
    const char* chosen = getenv("GALLIUM_DRIVER");
    if (chosen || getenv("LIMBER_UPDATE") || !getenv("LIMBER_TEST_LONG"))
        skip();
    setenv("GALLIUM_DRIVER", "softpipe", 1);
    check(&goldens[2]);
    unsetenv("GALLIUM_DRIVER");
}

// And not too much: another driver's edges and rounding are no change. A quarter of a pixel and a little noise are more
// than they do.
static void other_drivers_pass(void** state) {
    (void)state;
    for (size_t i = 0; i < GOLDEN_COUNT; i++) {
        char path[1024];
        golden_path(&goldens[i], path, sizeof path);
        limberi_picture then = read_picture(path), now = read_picture(path);
        uint32_t seed = 1;
        for (uint32_t y = 0; y < then.height; y++)
            for (uint32_t x = 0; x + 1 < then.width; x++)
                for (uint32_t c = 0; c < 4; c++) {
                    size_t at = 4 * ((size_t)y * then.width + x) + c;
                    seed = seed * 1664525u + 1013904223u;
                    int value = (3 * then.pixels[at] + then.pixels[at + 4] + 2) / 4 + (int)(seed >> 16) % 7 - 3;
                    now.pixels[at] = (uint8_t)(value < 0 ? 0 : value > 255 ? 255 : value);
                }
        difference d = compare(&now, &then);
        if (getenv("LIMBER_VERBOSE"))
            print_message("%s shifted: %.1f %.2f\n", goldens[i].name, d.largest, d.mean);
        assert_true(is_same(d));
        limberi_picture_destroy(&now);
        limberi_picture_destroy(&then);
    }
}

static int make_characters(void** state) {
    (void)state;
    if (test_folder_enter())
        return -1;
    static const char* const names[] = {"ball", "cow", "dancer", "dog", "flower", "giraffe", "hero", "snail", "toon"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        char file[32];
        snprintf(file, sizeof file, "%s.glb", names[i]);
        if (test_sample(names[i], file))
            return -1;
    }
    return 0;
}

// A picture that failed stays to be looked at.
static int remove_characters(void** state) {
    (void)state;
    int status = system("rm -f *.glb");
    return test_folder_leave() ? 0 : status;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pictures_look_as_they_did),
        cmocka_unit_test(visible_changes_are_found),
        cmocka_unit_test(coarser_drivers_pass),
        cmocka_unit_test(other_drivers_pass),
    };
    return cmocka_run_group_tests(tests, make_characters, remove_characters);
}
