// Fuzzes the BVH reader and writer: any bytes in, an error with a line or a figure out; a figure can be posed, is
// written, and comes back with the same joints and frames.
//
// Plain mutation of bytes rarely makes a word of the format. The mutator below swaps words and numbers.
#include "base/error.h"

#include <limber/limber.h>
#include <limber/stages/stages.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);
size_t LLVMFuzzerMutate(uint8_t* data, size_t size, size_t max_size);
size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t max_size, unsigned int seed);

static void check(bool holds) {
    if (!holds)
        abort();
}

static void use(const limber_model* model) {
    limber_pose pose;
    check(limber_pose_create(model, &pose) == LIMBER_OK);
    limber_pose_rest(model, &pose);
    limber_pose_update_world(model, &pose);
    for (int i = 0; model->clip_count && i <= 4; i++) {
        const limber_clip* clip = &model->clips[0];
        check(isfinite(clip->start_s) && isfinite(clip->end_s));
        limber_clip_sample(model, clip, clip->start_s + 0.25 * i * (clip->end_s - clip->start_s), &pose);
        limber_pose_update_world(model, &pose);
    }
    limber_pose_destroy(&pose);
}

static char folder[] = "/tmp/limber-fuzz-XXXXXX", path[sizeof folder + 8];

static void clean_up(void) {
    remove(path);
    remove(folder);
}

static void write_back(const limber_bvh* bvh, bool keep_layout) {
    const limber_model* model = limber_asset_model(limber_bvh_asset(bvh));
    limber_bvh_settings settings = limber_bvh_settings_default();
    limber_bvh_report report;
    limber_error error;
    limber_bvh* again;
    if (!path[0]) {
        check(mkdtemp(folder) != NULL);
        limberi_format(path, sizeof path, "%s/o.bvh", folder);
        atexit(clean_up);
    }
    settings.layout = keep_layout ? bvh : NULL;
    if (!keep_layout && limber_bvh_frame_time_s(bvh) > 0.1)
        settings.fps = 1 / limber_bvh_frame_time_s(bvh); // days at thirty frames a second take too long
    if (limber_bvh_save_file(model, &settings, path, &report, &error) != LIMBER_OK) {
        check(error.message[0] != 0);
        return;
    }
    check(limber_bvh_load_file(path, NULL, &again, &error) == LIMBER_OK);
    check(limber_asset_model(limber_bvh_asset(again))->rig.joint_count == model->rig.joint_count);
    check(limber_bvh_frame_count(again) == report.frame_count);
    check(!keep_layout || !model->clip_count || report.frame_count == limber_bvh_frame_count(bvh));
    limber_bvh_destroy(again);
}

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    const limber_bvh_limits limits = {1 << 20, 200, 20000};
    limber_bvh* bvh;
    limber_error error;
    limber_result result = limber_bvh_load_memory(data, size, "fuzz", &limits, &bvh, &error);
    check((result == LIMBER_OK) == (bvh != NULL));
    if (result != LIMBER_OK) {
        check(error.result == result && error.message[0] && !strpbrk(error.message, "\r\n") &&
              !strpbrk(error.place, "\r\n"));
        return 0;
    }
    use(limber_asset_model(limber_bvh_asset(bvh)));
    write_back(bvh, size % 2);
    limber_bvh_destroy(bvh);
    return 0;
}

// --- the mutator ---

static uint64_t random_state;

static uint32_t random_below(size_t end) {
    random_state = random_state * 6364136223846793005u + 1442695040888963407u;
    return end ? (uint32_t)((random_state >> 33) % end) : 0;
}

static const char* random_word(void) {
    static const char* const words[] = {
        "HIERARCHY", "ROOT",   "JOINT",      "End Site",      "{",     "}",      "OFFSET",    "CHANNELS",  "MOTION",
        "Frames:",   "Frame",  "Time:",      "Xposition",     "2",     "3",      "Zrotation", "Xrotation", "Yrotation",
        "6",         "0",      "1",          "Head",          "-1",    "0.5",    "1e20",      "1e-30",     "nan",
        "180",       "90",     "-90",        "1e38",          "# c\n", "// c\n", "\n",        "\r\n",      "\t",
        "1e-6",      "100000", "4294967296", "1e308",         ":",     ".",      "Yposition", "Zposition", "7",
        "1e4",       "0.0001", "-0",         "123456789e-30", "\xFC",  "\"",     "1 1 1 1"};
    return words[random_below(sizeof words / sizeof words[0])];
}

static bool is_blank(uint8_t c) {
    return c == ' ' || (c >= '\t' && c <= '\r');
}

// Replaces a word by another, inserts one, removes one, or repeats a stretch.
static size_t mutate_words(const uint8_t* data, size_t size, uint8_t* out, size_t max_size) {
    size_t from = random_below(size + 1), to = from;
    while (from > 0 && !is_blank(data[from - 1]))
        from--;
    while (to < size && !is_blank(data[to]))
        to++;
    uint32_t kind = random_below(4);
    const char* word = kind == 2 ? "" : random_word();
    size_t length = strlen(word), rest = kind == 1 ? from : to; // 1 inserts
    if (kind == 3) {
        size_t start = random_below(size + 1), room = size - start;
        length = random_below((room < 200 ? room : 200) + 1);
        word = (const char*)data + start;
        rest = from;
    }
    if (from + length + 2 + size - rest > max_size)
        return 0;
    memcpy(out, data, from);
    memcpy(out + from, word, length);
    out[from + length] = ' ';
    memcpy(out + from + length + 1, data + rest, size - rest);
    return from + length + 1 + size - rest;
}

size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t max_size, unsigned int seed) {
    random_state = seed;
    uint8_t* copy = malloc(size ? size : 1);
    size_t result = 0;
    if (copy && size)
        memcpy(copy, data, size);
    if (copy && random_below(4) > 0)
        result = mutate_words(copy, size, data, max_size);
    free(copy);
    return result ? result : LLVMFuzzerMutate(data, size, max_size);
}
