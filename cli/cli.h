// The program `limber`: options, messages and commands. No algorithms here.
#ifndef LIMBER_CLI_H
#define LIMBER_CLI_H

#include "base/error.h"

#include <limber/gltf.h>
#include <limber/limber.h>
#include <limber/stages/rigid.h>
#include <limber/stages/stages.h>

enum { CLI_DONE = 0, CLI_FAILED = 1, CLI_USAGE = 2 };

typedef enum cli_kind {
    CLI_TEXT,   // const char*
    CLI_MAYBE,  // const char*, "" without a value; a word that follows is its value once the input was given
    CLI_NUMBER, // double
    CLI_COUNT,  // uint32_t
    CLI_FLAG,   // bool
    CLI_LIST    // cli_list; the option may be repeated
} cli_kind;

#define CLI_LIST_MAX 256u
typedef struct cli_list {
    uint32_t count;
    const char* items[CLI_LIST_MAX];
} cli_list;

// Any number of positional arguments: the first member of a command's struct of values.
typedef struct cli_words {
    uint32_t count;
    char** items;
} cli_words;

typedef struct cli_option {
    const char* name;       // "--fps", or "-o" (also answers to --output)
    const char* value_name; // NULL: a flag
    cli_kind kind;
    size_t offset;    // of the value in the command's struct of values
    const char* help; // at most ten words, units in brackets
} cli_option;

// Options of how --motion is carried over, the same for every command that has them; AT(member) is their offset.
// clang-format off
#define CLI_MOTION_OPTIONS(AT)                                                                     \
    {"--in-place", NULL, CLI_FLAG, AT(in_place), "take the travel out of --motion"},               \
    {"--root-motion", NULL, CLI_FLAG, AT(root_motion), "move the travel of --motion to the root"}, \
    {"--cycle", NULL, CLI_FLAG, AT(cycle), "find the cycle of --motion and close it"},             \
    {"--mirror", NULL, CLI_FLAG, AT(mirror), "swap left and right of --motion"},                   \
    {"--touch", NULL, CLI_FLAG, AT(touch), "bring hands to what they touch in --motion"}
// clang-format on

// What a command's --help says and what its command line may hold.
typedef struct cli_command {
    const char* usage;    // "limber info FILE [--json]"
    const char* summary;  // one line
    const char* details;  // paragraphs, may be NULL
    const char* examples; // lines, each indented by two blanks
    const cli_option* options;
    size_t option_count;
    bool common;   // also takes the options of cli_common, which is the first member of its struct of values
    bool many;     // any number of positional arguments, which go to the cli_words at the start of its values
    size_t second; // where its second positional argument goes, a const char* of these values; 0: it has one only
} cli_command;

// Fills `values`, the command's struct, and `input`, its positional argument (NULL when it is missing). CLI_DONE to go
// on; otherwise the command is over with that status (--help gives *over = true and CLI_DONE).
int cli_parse(const cli_command* command, int argc, char** argv, void* values, const char** input, bool* over);

// Options that mean the same in every command that deforms something. A command may describe one of them differently.
typedef struct cli_common {
    const char *output, *clip, *range, *skinning, *style;
    double fps, budget;
    uint32_t threads;
    bool quiet;
    cli_list sets, motions;
    const char* match;                                // file of joint pairs for the motions
    bool in_place, root_motion, cycle, mirror, touch; // of the motions
    bool lists_matches;                               // which joint takes which motion goes to stdout
    struct limberi_json_writer* matches;              // or here, an object for each motion; NULL: nowhere
} cli_common;

// One line on stderr, `limber: SUBJECT: ...`, with names made harmless. Return the exit status.
int cli_usage(const char* format, ...) LIMBERI_PRINTF(1, 2);
int cli_fail(const char* subject, const char* format, ...) LIMBERI_PRINTF(2, 3);
int cli_fail_memory(const char* subject);
int cli_fail_error(const char* subject, const limber_error* error);
void cli_warn(const char* subject, const char* format, ...) LIMBERI_PRINTF(2, 3);
// News of the work. Neither this nor warnings are printed after cli_be_quiet(true), which --quiet does.
void cli_tell(const char* subject, const char* format, ...) LIMBERI_PRINTF(2, 3);
void cli_be_quiet(bool quiet);
void cli_be_silent(bool silent); // not even errors
// The one line of what was written: `what`, bytes, seconds since `started_s` of cli_now_s.
void cli_tell_written(const char* path, const char* what, double started_s);
double cli_now_s(void);
const char* cli_bytes(double bytes); // "3.4 MB"; lives until the next call

// Names come from files, and must not steer the terminal. The next character of `text`, or '?' in the place of one that
// would, goes to `part`, filled up with zeros; returns what follows, NULL at the end.
const char* cli_harmless(const char* text, char part[4]);

// "; did you mean 'x'?" or "". The answer lives until the next call.
const char* cli_did_you_mean(const char* wrong, const char* (*name_at)(const void* user, size_t i), const void* user,
                             size_t count);

// Name or index. CLI_DONE and *clip set, or an error that suggests the nearest name.
int cli_find_clip(const char* subject, const limber_model* model, const char* text, uint32_t* clip);
// "a:b" in seconds, either side may be empty.
int cli_parse_range(const char* text, double* start_s, double* end_s);
int cli_parse_skinning(const char* text, limber_skinning* skinning);
int cli_check_rate(double fps);
// Both: --range and --fps.
int cli_check_frames(const cli_common* common, double* start_s, double* end_s);

bool cli_has_ending(const char* path, const char* ending); // ignoring case

// Loads a character; prints the reason and returns CLI_FAILED when it cannot.
int cli_load(const char* path, limber_gltf** gltf);
// The same, with the clips of --motion after its own.
int cli_load_with_motion(const char* path, const cli_common* common, limber_gltf** gltf);
// How much of FILE[#CLIP][@A:B] is the name of the file.
size_t cli_motion_file(const char* text);
// The clip that a command takes by itself: the first one of --motion, else of the file.
uint32_t cli_first_clip(void);
// With what this program can unpack.
limber_gltf_limits cli_gltf_limits(void);
int cli_compress(limber_gltf_edits* edits); // --compress

// The style a command line asks for, bound to a character: --style (a file or a preset), else the one the file carries,
// then every --set, then --skinning. Prints what is wrong, and warnings.
typedef struct cli_look {
    limber_style* style;
    limber_bound_style* bound;
    limber_stage_settings settings;
    struct cli_texels* texels; // NULL: no motion lines need them
} cli_look;

// What --style names, else what the file carries; both may be NULL.
int cli_style_read(limber_style* style, const char* input, const limber_gltf* gltf, const char* name);
int cli_look_open(const char* input, const limber_gltf* gltf, const cli_common* common, cli_look* look);
void cli_look_close(cli_look* look);

// A character with subdivided meshes, when the style asks for it and the frames need it, and in place of *pipeline one of
// that character; else *subdivided is NULL. The second checks one clip, at the rate and in the range of the command line.
int cli_subdivide(const char* input, const limber_bake_settings* frames, bool quiet, limber_pipeline** pipeline,
                  limber_asset** subdivided);
int cli_subdivide_clip(const char* input, int32_t clip_index, const cli_common* common, limber_pipeline** pipeline,
                       limber_asset** subdivided);

// Progress on stderr when it is a terminal and the work is long; `user` is a cli_progress.
typedef struct cli_progress {
    const char* what;
    bool quiet;
    double started_s;
    bool shown;
} cli_progress;

cli_progress cli_progress_start(const char* what, bool quiet);
bool cli_progress_step(void* user, uint32_t done, uint32_t total); // a limber_progress
void cli_progress_end(cli_progress* progress);

// To run it again, and as a person would write it: both live as long as the program.
void cli_program_set(const char* first_argument);
const char* cli_program_path(void);
const char* cli_program_name(void);

// Whether apply would take this command line; prints what is wrong with it and does nothing else.
int cli_apply_check(int argc, char** argv);

int limber_cli_info(int argc, char** argv);
int limber_cli_sample(int argc, char** argv);
int limber_cli_apply(int argc, char** argv);
int limber_cli_batch(int argc, char** argv);
int limber_cli_bench(int argc, char** argv);
int limber_cli_dump(int argc, char** argv);
int limber_cli_convert(int argc, char** argv);
int limber_cli_exaggerate(int argc, char** argv);
int limber_cli_fit(int argc, char** argv);
int limber_cli_paint(int argc, char** argv);
int limber_cli_render(int argc, char** argv);
int limber_cli_studio(int argc, char** argv);

// --- budget ---
// What the work will come to, before it begins.

// Frames that a camera looks at to place itself, at most; films look at all of theirs.
enum { CLI_FRAMING_FRAMES = 2000 };

// CLI_FAILED, with a line that says so, when the frames that the options ask for are more work than --budget allows.
int cli_check_budget(const char* input, const limber_asset* asset, const cli_common* common);

// --- lists ---
// Lists for people: names made harmless, long ones cut short.

enum { CLI_MAX_LISTED = 12 };

// Names come from files; control characters must not reach the terminal.
void cli_print_name(const char* name);
// "12 rigid parts: Sword on handslot.r, Helmet on head, ..."; `parts` NULL: none.
const char* cli_rigid_class(limber_rigid_class kind);
void cli_print_rigid(const limber_model* model, const limber_rigid_parts* parts);

// --- repairs ---
// --repair, and what was repaired in words.

// "all", "none" or names with commas between; NULL: none.
int cli_parse_repairs(const char* text, uint32_t* repairs);

// One line each on stderr.
void cli_list_repairs(const char* output, const uint32_t* repaired);

// --- usd ---
// A bake as UsdSkel.

int cli_save_usd(const char* input, const limber_pipeline* pipeline, const limber_model* model,
                 const limber_bake_settings* settings, const limber_bake* bake, const char* output);

// --- what if ---
// What-if velocities, `--what-if Head.angular=0,2,0`: a frozen pose with the given velocity ramped in.

enum { CLI_WHAT_IF_STEPS = 17 }; // from no velocity to the given one

// Fills `motion` (world space) from the option's texts.
int cli_what_if_parse(const char* input, const limber_model* model, const cli_list* texts, limber_kinematics* motion);

// Writes a new .glb: the meshes of the first step, and the others as morph targets of a clip one second long.
int cli_what_if_save(const char* input, const limber_model* model, limber_cache_frame frame, void* user,
                     const char* output);

// --- windows ---
// What a program has to do on Windows before it can talk UTF-8.

// The command line in UTF-8, and a console that shows it; output keeps its line ends. NULL when memory is short.
char** cli_windows_start(int* argc);

// --- import ---
// .fbx and .dae files, read by the library Assimp in a process of its own.

// Prints the reason and returns CLI_FAILED when it cannot.
int cli_import(const char* path, limber_gltf** gltf);
unsigned cli_import_shield(void); // IMPORT_SHIELD_... (cli/import/shield.h) of the last one

#endif
