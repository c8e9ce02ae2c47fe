// BVH files made by code: a good one, bad ones with the message each must give, and large ones.
#include "kit/bvh_files.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DATA LIMBER_ERROR_DATA
#define LIMIT LIMBER_ERROR_LIMIT

const char bvh_good[] = "HIERARCHY\n"                                                                // 1
                        "ROOT Hips\n"                                                                // 2
                        "{\n"                                                                        // 3
                        "  OFFSET 0 0 0\n"                                                           // 4
                        "  CHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation Yrotation\n" // 5
                        "  JOINT Chest\n"                                                            // 6
                        "  {\n"                                                                      // 7
                        "    OFFSET 0 5 0\n"                                                         // 8
                        "    CHANNELS 3 Zrotation Xrotation Yrotation\n"                             // 9
                        "    End Site\n"                                                             // 10
                        "    {\n"                                                                    // 11
                        "      OFFSET 0 4 0\n"                                                       // 12
                        "    }\n"                                                                    // 13
                        "  }\n"                                                                      // 14
                        "}\n"                                                                        // 15
                        "MOTION\n"                                                                   // 16
                        "Frames: 2\n"                                                                // 17
                        "Frame Time: 0.0333333\n"                                                    // 18
                        "1 2 3 10 20 30 40 50 60\n"                                                  // 19
                        "1.5 2.5 3.5 11 21 31 41 51 61\n";                                           // 20

// The first `find` becomes `put`; find NULL: everything does, find "" appends.
typedef struct fault {
    const char* name;
    limber_result result;
    const char* place;
    const char *find, *put;
} fault;

static const fault faults[] = {
    {"empty", DATA, "line 1", NULL, ""},
    {"only_blanks", DATA, "line 3", NULL, " \n\t\n "},
    {"only_a_comment", DATA, "line 1", NULL, "# HIERARCHY"},
    {"another_format", DATA, "line 1", NULL, "solid cube\nfacet normal 0 0 1\n"},
    {"bytes", DATA, "line 1", NULL, "\x01\x02\xff\xfe glTF"},
    {"hierarchy_missing", DATA, "line 1", "HIERARCHY\n", ""},
    {"hierarchy_empty", DATA, "line 2", NULL, "HIERARCHY\nMOTION\nFrames: 0\nFrame Time: 0.1\n"},
    {"joint_without_root", DATA, "line 2", "ROOT Hips", "JOINT Hips"},
    {"root_in_a_block", DATA, "line 6", "JOINT Chest", "ROOT Chest"},
    {"word_unknown", DATA, "line 6", "JOINT Chest", "BONE Chest"},
    {"name_missing", DATA, "line 6", "JOINT Chest", "JOINT"},
    {"root_name_missing", DATA, "line 2", "ROOT Hips", "ROOT"},
    {"brace_missing", DATA, "line 7", "  {\n    OFFSET 0 5 0", "    OFFSET 0 5 0"},
    {"brace_of_an_end_site_missing", DATA, "line 11", "    {\n      OFFSET 0 4 0", "      OFFSET 0 4 0"},
    {"one_brace_too_few", DATA, "line 15", "  }\n}\nMOTION", "  }\nMOTION"},
    {"one_brace_too_many", DATA, "line 16", "}\nMOTION", "}\n}\nMOTION"},
    {"offset_missing", DATA, "line 13", "    OFFSET 0 5 0\n", ""},
    {"offset_of_an_end_site_missing", DATA, "line 12", "      OFFSET 0 4 0\n", ""},
    {"offset_twice", DATA, "line 9", "OFFSET 0 5 0\n", "OFFSET 0 5 0\nOFFSET 0 5 0\n"},
    {"offset_too_short", DATA, "line 9", "OFFSET 0 5 0", "OFFSET 0 5"},
    {"offset_too_long", DATA, "line 8", "OFFSET 0 5 0", "OFFSET 0 5 0 0"},
    {"offset_with_a_word", DATA, "line 8", "OFFSET 0 5 0", "OFFSET 0 five 0"},
    {"offset_with_a_comma", DATA, "line 8", "OFFSET 0 5 0", "OFFSET 0 5,5 0"},
    {"offset_nan", DATA, "line 8", "OFFSET 0 5 0", "OFFSET 0 nan 0"},
    {"offset_infinite", DATA, "line 8", "OFFSET 0 5 0", "OFFSET 0 -inf 0"},
    {"offset_too_large", DATA, "line 8", "OFFSET 0 5 0", "OFFSET 0 1e39 0"},
    {"offset_absurd", DATA, "line 8", "OFFSET 0 5 0", "OFFSET 0 1e999999999999999999 0"},
    {"channels_twice", DATA, "line 10", "    End Site", "    CHANNELS 0\n    End Site"},
    {"channels_without_a_number", DATA, "line 9", "CHANNELS 3", "CHANNELS"},
    {"channels_negative", DATA, "line 9", "CHANNELS 3", "CHANNELS -3"},
    {"channels_of_a_fraction", DATA, "line 9", "CHANNELS 3", "CHANNELS 2.5"},
    {"channels_many", DATA, "line 9", "CHANNELS 3", "CHANNELS 4000000000"},
    {"channels_fewer_than_said", DATA, "line 10", "CHANNELS 3", "CHANNELS 4"},
    {"channels_more_than_said", DATA, "line 9", "CHANNELS 3", "CHANNELS 2"},
    {"channel_unknown", DATA, "line 9", "CHANNELS 3 Zrotation", "CHANNELS 3 Wrotation"},
    {"channel_scale", DATA, "line 9", "CHANNELS 3 Zrotation", "CHANNELS 3 Zscale"},
    {"position_twice", DATA, "line 5", "Xposition Yposition", "Xposition Xposition"},
    {"rotation_twice_in_a_row", DATA, "line 9", "3 Zrotation Xrotation", "3 Zrotation Zrotation"},
    {"four_rotations", DATA, "line 9", "3 Zrotation", "4 Yrotation Zrotation"},
    {"channels_in_an_end_site", DATA, "line 13", "OFFSET 0 4 0\n", "OFFSET 0 4 0\nCHANNELS 0\n"},
    {"joint_in_an_end_site", DATA, "line 13", "OFFSET 0 4 0\n", "OFFSET 0 4 0\nJOINT Toe\n"},
    {"motion_missing", DATA, "line 16", "MOTION\n", ""},
    {"nothing_after_the_hierarchy", DATA, "line 16",
     "MOTION\nFrames: 2\nFrame Time: 0.0333333\n1 2 3 10 20 30 40 50 60\n1.5 2.5 3.5 11 21 31 41 51 61\n", ""},
    {"frames_missing", DATA, "line 17", "Frames: 2\n", ""},
    {"frames_without_a_number", DATA, "line 18", "Frames: 2", "Frames:"},
    {"frames_negative", DATA, "line 17", "Frames: 2", "Frames: -2"},
    {"frames_of_a_fraction", DATA, "line 17", "Frames: 2", "Frames: 2.5"},
    {"frames_nan", DATA, "line 17", "Frames: 2", "Frames: nan"},
    {"frames_more_than_the_file_can_hold", DATA, "line 17", "Frames: 2", "Frames: 2000000000"},
    {"frames_absurd", DATA, "line 17", "Frames: 2", "Frames: 1e38"},
    {"frames_one_too_many", DATA, "line 21", "Frames: 2", "Frames: 3"},
    {"frame_time_missing", DATA, "line 18", "Frame Time: 0.0333333\n", ""},
    {"frame_time_without_a_number", DATA, "line 18", "Time: 0.0333333", "Time: fast"},
    {"frame_time_negative", DATA, "line 18", "Time: 0.03", "Time: -0.03"},
    {"frame_time_zero", DATA, "line 18", "0.0333333", "0.0"},
    {"frame_time_nan", DATA, "line 18", "0.0333333", "NaN"},
    {"frame_time_of_days", DATA, "line 18", "0.0333333", "1e9"},
    {"number_missing", DATA, "line 19", "1 2 3 10 20", "1 2 3 10"},
    {"number_too_many", DATA, "line 20", "1.5 2.5", "1.5 0 2.5"},
    {"number_is_a_word", DATA, "line 20", "2.5", "wide"},
    {"number_is_nan", DATA, "line 20", "2.5", "NaN"},
    {"number_is_a_microsoft_nan", DATA, "line 20", "2.5", "-1.#IND"},
    {"number_too_large", DATA, "line 20", "2.5", "2.5e38000"},
    {"number_with_two_signs", DATA, "line 20", "2.5", "--2.5"},
    {"number_with_two_points", DATA, "line 20", "2.5", "2.5.5"},
    {"number_is_only_a_sign", DATA, "line 20", "2.5", "-"},
    {"number_with_an_empty_exponent", DATA, "line 20", "2.5", "2.5e"},
    {"cut_in_a_frame", DATA, "line 20", "1.5 2.5 3.5 11 21 31 41 51 61\n", "1.5 2.5 3.5"},
    {"cut_before_the_frames", DATA, "line 17", "1 2 3 10 20 30 40 50 60\n1.5 2.5 3.5 11 21 31 41 51 61\n", ""},
    {"text_behind_the_frames", DATA, "line 21", "", "THE END\n"},
};

enum { FAULT_COUNT = sizeof faults / sizeof faults[0], MADE_COUNT = 3 };

void bvh_add(bvh_text* t, const char* format, ...) {
    char piece[512];
    va_list arguments;
    va_start(arguments, format);
    size_t length = (size_t)vsnprintf(piece, sizeof piece, format, arguments);
    va_end(arguments);
    if (t->length + length >= t->room) {
        t->room = 2 * t->room + length + 1024;
        t->text = realloc(t->text, t->room);
        if (!t->text)
            abort();
    }
    memcpy(t->text + t->length, piece, length + 1);
    t->length += length;
}

static void add_motion(bvh_text* t, uint32_t numbers, uint32_t frames) {
    bvh_add(t, "MOTION\nFrames: %u\nFrame Time: .0083333\n", frames);
    for (uint32_t f = 0; f < frames; f++)
        for (uint32_t i = 0; i < numbers; i++)
            bvh_add(t, "%.4f%s", 60 * sin(0.01 * f + i), i + 1 < numbers ? " " : "\n");
}

bvh_text bvh_chain(uint32_t depth, uint32_t frames) {
    bvh_text t = {NULL, 0, 0};
    bvh_add(&t, "HIERARCHY\n");
    for (uint32_t i = 0; i < depth; i++)
        bvh_add(&t, "%s j%u\n{\nOFFSET 0 1 0\nCHANNELS 1 Xrotation\n", i ? "JOINT" : "ROOT", i);
    for (uint32_t i = 0; i < depth; i++)
        bvh_add(&t, "}\n");
    add_motion(&t, depth, frames);
    return t;
}

bvh_text bvh_crowd(uint32_t joints, uint32_t frames) {
    bvh_text t = {NULL, 0, 0};
    bvh_add(&t, "HIERARCHY\nROOT Hips\n{\nOFFSET 0 0 0\nCHANNELS 6 Xposition Yposition Zposition Zrotation Yrotation "
                "Xrotation\n");
    for (uint32_t i = 0; i < joints; i++) {
        bvh_add(&t, "JOINT j%u\n{\nOFFSET %g 5 0\nCHANNELS 3 Zrotation Yrotation Xrotation\n", i, 0.5 * (i % 7) - 1);
        if (i % 5 == 4 || i + 1 == joints) {
            bvh_add(&t, "End Site\n{\nOFFSET 0 2 0\n}\n");
            for (uint32_t k = 0; k <= i % 5; k++)
                bvh_add(&t, "}\n");
        }
    }
    bvh_add(&t, "}\n");
    add_motion(&t, 6 + 3 * joints, frames);
    return t;
}

uint32_t bvh_malformed_count(void) {
    return FAULT_COUNT + MADE_COUNT;
}

static malformed_file finish(const char* name, limber_result result, const char* place, bvh_text text) {
    malformed_file file = {name, ".bvh", result, place, (uint8_t*)text.text, text.length};
    return file;
}

static malformed_file make_large(uint32_t index) {
    bvh_text t = {NULL, 0, 0};
    if (index == 0) {
        bvh_add(&t, "HIERARCHY\nROOT r\n{\nOFFSET 0 0 0\n");
        for (uint32_t i = 0; i < 70000; i++)
            bvh_add(&t, "JOINT j{OFFSET 0 0 1}\n");
        return finish("too_many_joints", LIMIT, "line 65539", t);
    }
    if (index == 1) {
        bvh_add(&t, "HIERARCHY\nROOT r\n");
        for (uint32_t i = 0; i < 10000; i++)
            bvh_add(&t, "{OFFSET 0 0 1 JOINT j\n");
        return finish("deep_and_never_closed", DATA, "line 10003", t);
    }
    bvh_add(&t, "%s", bvh_good);
    t.text[t.length - 20] = 0; // a zero byte among the numbers
    return finish("zero_byte", DATA, "line 20", t);
}

malformed_file bvh_malformed_make(uint32_t index) {
    if (index >= FAULT_COUNT)
        return make_large(index - FAULT_COUNT);
    const fault* f = &faults[index];
    bvh_text t = {NULL, 0, 0};
    const char* at = f->find ? strstr(bvh_good, f->find) : NULL;
    if (!f->find) {
        bvh_add(&t, "%s", f->put);
    } else if (!f->find[0]) {
        bvh_add(&t, "%s%s", bvh_good, f->put);
    } else {
        if (!at)
            abort(); // the fault does not fit the file any more
        bvh_add(&t, "%.*s%s%s", (int)(at - bvh_good), bvh_good, f->put, at + strlen(f->find));
    }
    return finish(f->name, f->result, f->place, t);
}
