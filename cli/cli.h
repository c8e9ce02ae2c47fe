// The command `limber`: options, messages and the verbs. No algorithms here.
#ifndef LIMBER_CLI_H
#define LIMBER_CLI_H

#include "base/error.h"
#include <limber/limber.h>

enum { CLI_DONE = 0, CLI_FAILED = 1, CLI_USAGE = 2 };

typedef enum cli_kind {
    CLI_TEXT,   // const char**
    CLI_NUMBER, // double*
    CLI_COUNT,  // uint32_t*
    CLI_FLAG,   // bool*
    CLI_LIST    // cli_list*; the option may be repeated
} cli_kind;

#define CLI_LIST_MOST 256u
typedef struct cli_list {
    uint32_t count;
    const char* items[CLI_LIST_MOST];
} cli_list;

typedef struct cli_option {
    const char* name; // "--fps", or "-o" (also answers to --output)
    const char* value_name;
    cli_kind kind;
    void* target;
    const char* help;
} cli_option;

// What a verb's --help says and what its command line may hold.
typedef struct cli_verb_help {
    const char* usage;    // "limber info FILE [--json]"
    const char* summary;  // one line
    const char* details;  // a paragraph, may be NULL
    const char* examples; // lines, each indented by two blanks
    const cli_option* options;
    size_t option_count;
    size_t most_inputs; // positional arguments
} cli_verb_help;

// CLI_DONE to go on; otherwise the verb is over with that status (--help gives *over = true and CLI_DONE).
int cli_parse(const cli_verb_help* help, int argc, char** argv, const char** inputs, size_t* input_count, bool* over);
void cli_print_help(const cli_verb_help* help);

// Options that mean the same in every verb that deforms something.
typedef struct cli_common {
    const char *output, *clip, *range, *skinning, *style;
    double fps;
    uint32_t threads;
    bool quiet;
    cli_list sets;
} cli_common;

#define CLI_COMMON_OPTION_COUNT 9
void cli_common_options(cli_common* common, cli_option* options); // fills CLI_COMMON_OPTION_COUNT entries

// One line on stderr, `limber: SUBJECT: ...`, with control characters made harmless. Return the exit status.
int cli_usage(const char* format, ...) LIMBERI_PRINTF(1, 2);
int cli_fail(const char* subject, const char* format, ...) LIMBERI_PRINTF(2, 3);
int cli_fail_error(const char* subject, const limber_error* error);
void cli_warn(const char* subject, const char* format, ...) LIMBERI_PRINTF(2, 3);

// "; did you mean 'x'?" or "". The answer lives until the next call.
const char* cli_did_you_mean(const char* wrong, const char* (*name_at)(const void* user, size_t i), const void* user,
                             size_t count);

// Name or index. CLI_DONE and *clip set, or an error that suggests the nearest name.
int cli_find_clip(const char* subject, const limber_model* model, const char* text, uint32_t* clip);
// "a:b" in seconds, either side may be empty.
int cli_parse_range(const char* text, double* start_s, double* end_s);
int cli_parse_skinning(const char* text, limber_skinning* skinning);
int cli_check_rate(double fps);

bool cli_has_ending(const char* path, const char* ending); // ignoring case

// Loads a character; prints the reason and returns CLI_FAILED when it cannot.
int cli_load(const char* path, limber_gltf** gltf);

// The style a command line asks for, bound to a character: --style (a file or a preset), else the one the file carries,
// then every --set, then --skinning. Prints what is wrong, and warnings.
typedef struct cli_look {
    limber_style* style;
    limber_bound_style* bound;
    limber_pipeline_settings settings;
} cli_look;

// What --style names, else what the file carries; both may be NULL.
int cli_style_read(limber_style* style, const char* input, const limber_gltf* gltf, const char* name);
int cli_look_open(const char* input, const limber_gltf* gltf, const cli_common* common, cli_look* look);
void cli_look_close(cli_look* look);

// A character with finer meshes, when the style asks for them and the frames need them; else *refined is NULL. The
// second looks at one clip, at the rate and in the range of the command line.
int cli_refine(const char* input, const limber_asset* asset, const limber_pipeline_settings* settings,
               const limber_bake_settings* frames, bool quiet, limber_asset** refined);
int cli_refine_clip(const char* input, const limber_asset* asset, const limber_pipeline_settings* settings,
                    int32_t clip_index, const cli_common* common, limber_asset** refined);

// How an edited clip is written.
limber_gltf_clip cli_edited_clip(uint32_t index, const limber_exaggerated* edited);

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

int limber_cli_info(int argc, char** argv);
int limber_cli_sample(int argc, char** argv);
int limber_cli_apply(int argc, char** argv);
int limber_cli_bench(int argc, char** argv);
int limber_cli_dump(int argc, char** argv);
int limber_cli_convert(int argc, char** argv);
int limber_cli_exaggerate(int argc, char** argv);
int limber_cli_paint(int argc, char** argv);
int limber_cli_render(int argc, char** argv);
int limber_cli_studio(int argc, char** argv);

#endif
