// A character, one of its clips and a renderer: what `limber render` makes all its pictures from (draw.h).
#ifndef LIMBER_CLI_SHOT_H
#define LIMBER_CLI_SHOT_H

#include "cli/cli.h"
#include "cli/pictures/follow.h"
#include "cli/pictures/sight.h"
#include "cli/pool.h"
#include "render/render.h"

#define SHOT_NOT_GIVEN UINT32_MAX
#define SHEET_LIMIT 400u // pictures on a sheet

// The command line, checked.
typedef struct shot_options {
    cli_common common;
    double start_s, end_s;          // --range
    double usual_fps;               // clips of higher rates are shown at a whole fraction of theirs; 0: at their own
    bool motion_only;               // a pose inserted before the motion is left out, unless --range asks for it
    limberi_render_settings camera; // of one picture
    sight_options sight;
    bool compare;
    bool even;             // a sheet's frames are spread evenly
    bool no_follow;        // the camera stays where it is
    double time_s;         // NAN: not given
    uint32_t frame, sheet; // SHOT_NOT_GIVEN
    uint32_t loops;        // of a film; 0: not given
} shot_options;

typedef struct shot {
    const char* input;
    const shot_options* options;
    limber_gltf* gltf;
    cli_look look;
    limber_asset* subdivided; // with more triangles than the file, or NULL
    limber_pipeline* pipeline;
    limber_pipeline* plain;     // --compare: the same without a style, else NULL
    limber_pipeline* reference; // without a style in any case: what the style is measured against
    cli_pool* pool;
    limberi_renderer* renderer;
    sight sight;
    const limber_model* model;
    int32_t clip_index; // -1: the default pose
    const limber_clip* clip;
    double fps;
    limber_frame_range frames; // those of --range
    float floor;               // height in the world, of the plain motion
    uint32_t step;             // of the frames, those the camera looks at: more than one apart in very long clips
    uint32_t seen_count;       // how many these are
    float* strength;           // what the style does in each of these: mean displacement, as a share of the size
    follow_path way;           // of the camera
} shot;

// Loads the character, works out the frames and creates the renderer. Prints what is wrong. Close it in any case.
int shot_open(shot* s, const char* input, const shot_options* options);
void shot_close(shot* s);

double shot_frame_time(const shot* s, uint32_t frame);
// When the motion begins: motion capture often starts with a pose that is no part of it and may stand elsewhere.
double shot_motion_start(const shot* s);
// Whether the frame after the last is the first again.
bool shot_loops(const shot* s);
// Whether the style moves anything.
bool shot_is_styled(const shot* s);
// "fox.glb   Run   cartoon   24 frames at 30 fps"
void shot_title(const shot* s, char* title, size_t size);

// Moves the camera to where it is at a time.
void shot_follow(const shot* s, double time_s);

// The character at one moment, with copies and lines; `plain`: without the style, which only --compare has.
int shot_evaluate(const shot* s, bool plain, double time_s, limber_smeared* smeared);

#endif
