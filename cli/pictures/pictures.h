// The pictures of `limber render`: a shot, what it shows and from where, stills and films.
#ifndef LIMBER_CLI_PICTURES_H
#define LIMBER_CLI_PICTURES_H

#include "cli/cli.h"
#include "cli/pool.h"
#include "render/film/encoder.h"
#include "render/render.h"
#include "render/views/onion.h"
#include "render/views/views.h"

#include <limber/asset.h>
#include <limber/stages/stages.h>
#include <stddef.h>

// --- follow ---
// A camera that goes along with a character that travels.

typedef struct follow_path {
    limber_vec3* at; // per frame, relative to the first; y is 0. NULL: the camera stays
    uint32_t frame_count;
} follow_path;

// The way of the character through the frames, smoothed so that steps do not shake the camera. A character that stays
// within half of its size is not followed. False: no memory. Close it in any case.
bool follow_open(follow_path* path, const limber_model* model, const limber_clip* clip, double fps,
                 limber_frame_range frames);
void follow_close(follow_path* path);

// Between frames as well; frames count from the first of the range.
limber_vec3 follow_at(const follow_path* path, double frame);

// --- sight ---
// What pictures show besides the character (--ink, --view, --onion) and from where (--camera).

struct shot;

// As given, then checked by sight_check.
typedef struct sight_options {
    bool ink;
    double ink_width; // NAN: fitting the size of the picture
    const char* view;
    limberi_view_settings views;
    uint32_t onion, onion_step;
    const char* camera;
} sight_options;

typedef struct sight {
    limberi_views* views; // or NULL
    limberi_onion* onion; // or NULL
    int32_t camera;       // -1: the automatic one
} sight;

sight_options sight_options_default(void);
// The size of the picture must be known.
int sight_check(sight_options* options, limberi_render_settings* settings);

// Once the shot has its model, pipelines and renderer. Close it in any case.
int sight_open(struct shot* s);
void sight_close(struct shot* s);
// Makes room in the picture for what is shown of moments outside the range.
int sight_frame(const struct shot* s);

// In this order, around the evaluation of a frame and its drawing.
int sight_scout(const struct shot* s, bool plain, double time_s);
int sight_show(const struct shot* s, double time_s, const limber_smeared* smeared);
void sight_finish(const struct shot* s, limberi_picture* picture);

// --- shot ---
// A character, one of its clips and a renderer: what `limber render` makes all its pictures from (draw.c).

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
    const char* compare_with; // another style, shown in place of the plain animation; NULL: none
    cli_list what_ifs;        // velocities that take the place of the clip's; none: its own
    const char* ghost;        // "plain": the plain character, transparent, in the same picture; NULL: none
    bool even;                // a sheet's frames are spread evenly
    bool no_follow;           // the camera stays where it is
    double time_s;            // NAN: not given
    uint32_t frame, sheet;    // SHOT_NOT_GIVEN
    uint32_t loops;           // of a film; 0: not given
} shot_options;

typedef struct shot {
    const char* input;
    const shot_options* options;
    limber_gltf* gltf;
    cli_look look;
    limber_asset* subdivided; // with more triangles than the file, or NULL
    limber_pipeline* pipeline;
    cli_look other_look;        // --compare STYLE
    limber_pipeline* other;     // the same with that style, or NULL
    limber_pipeline* plain;     // --compare: the same without a style, or with the other one; else NULL
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
    float* strength;           // what the style does in each of these (strength_find)
    limber_kinematics what_if; // of --what-if
    float* ghost;              // colors of --ghost, 4 per vertex; or NULL
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

// What the left picture of a comparison is called.
void shot_plain_label(const shot* s, char* name, size_t size);

// The character at one moment, with copies and lines; `plain`: without the style, which only --compare has.
int shot_evaluate(const shot* s, bool plain, double time_s, limber_smeared* smeared);

// --- label ---
// The words under pictures.

// The last part of a path.
const char* label_file(const char* path);

// What a style is called: a preset by its name, a file by its name without folder and extension; NULL: "styled".
void label_style(const char* style, char* name, size_t size);

// "cartoon   frame 12   0.40 s"; without a style NULL: "frame 12   0.40 s".
void label_frame(const char* style, unsigned frame, double time_s, char* text, size_t size);

// --- floor ---
// Where the floor of a clip lies: the height on which the plain character rests again and again. A sword's tip, a tail or
// a single spike that swings below for a moment does not lower it.

typedef struct floor_survey {
    float* area;        // of each vertex at rest; 0 for scenery, unless there is nothing else
    double whole_area;  // of all of them
    float size;         // of the character
    float *level, *low; // per frame: where a small share of the surface lies below; the lowest vertex close to it
    uint32_t vertex_count, frame_count, frame_limit;
} floor_survey;

// `frame_limit`: how many frames will be looked at. False: no memory. Close it in any case.
bool floor_survey_open(floor_survey* survey, const limber_model* model, uint32_t frame_limit);
void floor_survey_close(floor_survey* survey);

// One frame of the plain motion: positions of all vertices.
void floor_survey_look(floor_survey* survey, const float* positions);

// NAN before the first look.
float floor_survey_height(const floor_survey* survey);

// --- strength ---
// How far a style moves the character from `plain`, and how much its copies and lines add to it, as a share of the size.
float strength_find(const limber_model* model, const limber_smeared* styled, const float* plain);

// --- front ---

// Degrees about the vertical from +Z, as glTF says characters look, to where this one does; 0 where names do not tell.
float front_of(const limber_model* model);

// --- framing ---
// Where the camera of `limber render` stands, and where the floor lies.

// Shows the camera everything that will be in a picture: the character, its copies and lines, with --compare also the
// plain character, in all frames of the range. In sheets and films it goes along with a character that travels. The
// floor is the one that the plain motion of the whole clip rests on (floor.c), so that a part of a jump is seen in the
// air and a styled character is compared on the same floor.
// Also measures what the style does in each frame.
int framing_look(shot* s);

// --- draw ---
// Draws moments of a shot. The camera stands where nothing leaves the picture during any frame.

// Opens the shot and what pictures show besides the character, and places the camera. Prints what is wrong. Close it in
// any case.
int draw_open(shot* s, const char* input, const shot_options* options);
void draw_close(shot* s);

// One moment into a picture of options.camera's size; `plain`: without the style, which only --compare has.
int draw_moment(const shot* s, bool plain, double time_s, limberi_picture* picture);

// --- stills ---
// The .png pictures of `limber render`: one moment, a pair, a contact sheet.

// What the options ask for, into options.common.output.
int stills_save(const shot* s);

// --- film ---
// The films of `limber render`: .gif, .webp and .mp4.

typedef struct film_kind {
    const char* ending;
    limberi_encoder_format format;
    double usual_fps;       // see shot_options
    double max_fps;         // what --fps may ask for
    uint32_t width, height; // unless --size says otherwise
    uint32_t compared_side; // the same for each of the two squares of --compare
    bool transparent;       // whether it can be
    bool repeats;           // its viewers play it over and over
} film_kind;

// By the ending of a path; NULL: no film.
const film_kind* film_kind_of(const char* path);

// Moving pictures need less smoothing than stills: large ones are drawn once per pixel, which takes a third of the
// time. Thin lines of ink would show gaps, so films with ink are drawn as stills are.
uint32_t film_supersample(const limberi_render_settings* camera);

// The frames of the shot; the last frame of a loop is left out because it is the first again.
int film_save(const shot* s);

// --- texels ---
// The colors of a character's textures, for motion lines.

typedef struct cli_texels cli_texels;

// Decodes the pictures and fills `reader`, which works until cli_texels_close. Pictures that cannot be read count as
// white. NULL: no memory, and the reader stays as it is.
cli_texels* cli_texels_open(const limber_model* model, limber_texel_reader* reader);
void cli_texels_close(cli_texels* texels);

#endif
