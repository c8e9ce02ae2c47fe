// `limber batch`: jobs from patterns or a file, the plan they become, and how it runs here or on a cluster.
#ifndef LIMBER_CLI_BATCH_H
#define LIMBER_CLI_BATCH_H

#include "base/error.h"
#include "base/memory.h"
#include "cli/cli.h"
#include "io/file.h"

#include <limber/base.h>
#include <stddef.h>
#include <stdint.h>

// --- words ---
// Lists of texts, in memory of an arena.

typedef struct batch_words {
    const char** items;
    uint32_t count, capacity;
} batch_words;

// Keep a copy of the text; false when memory is short (arena->failed).
bool batch_words_add(batch_words* words, limberi_arena* arena, const char* text);
bool batch_words_keep(batch_words* words, limberi_arena* arena, const char* text); // the text itself
void batch_words_sort(batch_words* words);                                         // by their bytes
int batch_compare_texts(const void* a, const void* b);                             // for qsort: pointers to texts
void batch_words_unique(batch_words* words); // keeps the first of the same, in order
char* batch_join(limberi_arena* arena, const char* a, const char* b, const char* c); // NULL when memory is short

bool batch_is_among(const char* word, const char* const* words); // which end with NULL

// --- glob ---
// Names with wildcards: *, ?, [a-z], and ** for any number of folders. Names that begin with a dot need to be asked for.

bool batch_has_wildcards(const char* text);
// The whole of `text`.
bool batch_matches(const char* pattern, const char* text);
// Adds the files that match, sorted by name. Folders that links lead to are entered when they are named, not by **.
// False when memory is short.
bool batch_glob(const char* pattern, limberi_arena* arena, batch_words* out);

// --- hash ---
// A fingerprint of bytes: what has the same one is taken to be the same. Not against attackers.

enum { BATCH_HASH_LANES = 4, BATCH_HASH_BLOCK = 8 * BATCH_HASH_LANES, BATCH_HASH_CHARS = 33 };

typedef struct batch_hash {
    uint64_t lanes[BATCH_HASH_LANES];
    uint64_t count; // bytes
    uint8_t waiting[BATCH_HASH_BLOCK];
    uint32_t waiting_count;
} batch_hash;

void batch_hash_start(batch_hash* hash);
void batch_hash_add(batch_hash* hash, const void* bytes, size_t count);
// The text and its end, so that "ab", "c" is not "a", "bc".
void batch_hash_text(batch_hash* hash, const char* text);
// 32 hexadecimal digits and the end.
void batch_hash_end(const batch_hash* hash, char out[BATCH_HASH_CHARS]);

// --- jobs file ---
// JOBS.json: what a batch is to do, written by hand or by a script (docs/farms.md has the keys, schema/ the schema).
//
//     {
//       "inputs": ["characters/*.glb"],
//       "styles": ["cartoon", {"name": "wild", "style": "jelly", "set": {"strength": 1.5}}],
//       "clips": ["Walk*"],
//       "options": {"fps": 24, "bake": "bones"},
//       "output": "{style}/{name}-{clip}.glb",
//       "jobs": [{"inputs": ["extra/fox.glb"], "options": {"tolerance": 2}}]
//     }
//
// Each of "jobs" has the same keys; what it leaves out is taken from above. Without "jobs" there is one.

typedef struct batch_style {
    const char* name;  // in names of outputs; NULL: after the style
    const char* style; // a file or a preset; NULL: what the input carries
    batch_words sets;  // "path=value"
} batch_style;

typedef struct batch_group {
    batch_words inputs;  // files and patterns
    batch_style* styles; // at least one
    uint32_t style_count;
    batch_words clips;   // names and patterns; none: all clips in one output
    batch_words options; // as on the command line: "--fps", "24"
    const char* output;  // pattern; NULL: the usual
} batch_group;

typedef struct batch_groups {
    batch_group* items;
    uint32_t count;
} batch_groups;

// Everything in memory of the arena. On failure error->place is "line 3, column 7".
LIMBER_MUST_USE limber_result batch_jobs_read(const char* text, size_t length, limberi_arena* arena,
                                              batch_groups* groups, limber_error* error);

// --- stamp ---
// What makes an output up to date. `limber apply ... --stamp FILE` leaves a small file behind that says which input,
// style, options and version of limber its output was made from; a batch compares it with what it would do today.
//
// While a job runs, its stamp says "begun"; so a job that was killed never counts as done.

// Fingerprints of files that many jobs share. Zero it; freed by batch_files_free.
typedef struct batch_files {
    limberi_arena arena;
    struct batch_file** slots; // by path
    uint32_t count, slot_count;
} batch_files;

void batch_files_free(batch_files* files);

// The fingerprint of everything that the output of `limber WORDS...` depends on: not of the names of files, nor of the
// number of threads. `words` begins with "apply" and its input. False: an input cannot be read.
bool batch_key(batch_files* files, uint32_t count, const char* const* words, char out[BATCH_HASH_CHARS],
               uint64_t* input_bytes);

// A file, or one that it refers to.
typedef struct batch_part {
    const char* folder;  // NULL: the file itself
    const char* path;    // below the folder, without "." and ".."
    limberi_bytes bytes; // where they were read already
} batch_part;

// The file itself and all that a glTF refers to, each once. False: memory is short or `each` said so.
typedef bool (*batch_visit)(void* user, const batch_part* part);
bool batch_each_file(const char* path, batch_visit each, void* user);
// Never waits and leaves devices alone; one that is named by another is a plain file in its folder or below. -1: none.
int batch_open(const batch_part* part);

typedef struct batch_stamp {
    bool found, whole;          // whole: written, and all files are there, as large as they were
    char key[BATCH_HASH_CHARS]; // "" until the job is done
    double seconds;
    uint64_t bytes, peak_bytes; // of the output; of memory
} batch_stamp;

batch_stamp batch_stamp_read(const char* path, const char* output);

// By apply: before its work, and after it.
LIMBER_MUST_USE limber_result batch_stamp_begin(const char* path, const char* output, limber_error* error);
LIMBER_MUST_USE limber_result batch_stamp_end(const char* path, const char* output, const char* key, double seconds,
                                              limber_error* error);

// --- plan ---
// What a batch does: a list of jobs, each one call of `limber apply` with an output of its own.

typedef enum batch_state { BATCH_WAITING, BATCH_RUNNING, BATCH_DONE, BATCH_CURRENT, BATCH_FAILED } batch_state;

typedef struct batch_job {
    const char *input, *clip, *style; // clip NULL: all of them
    const char* output;               // below the folder
    const char *path, *stamp;         // the same from the root, and its stamp
    batch_words words;                // of the command line, from "apply" on, without the number of threads
    char key[BATCH_HASH_CHARS];
    batch_state state;
    double cost;           // seconds, roughly: how long it took the last time, or a guess
    uint64_t memory_bytes; // the same of memory
    double seconds;
    uint64_t bytes, peak_bytes;
    const char* message; // of what failed
    uint32_t tries, chunk;
} batch_job;

typedef struct batch_plan {
    limberi_arena arena;
    batch_files files;
    const char* folder; // from the root, without a slash at its end
    batch_job* jobs;
    uint32_t count, capacity;
    uint32_t own_outputs; // inputs that were left out
} batch_plan;

// `base` is the folder that relative names start from. Prints what is wrong and returns the exit status.
int batch_plan_make(batch_plan* plan, const batch_groups* groups, const char* base, const char* folder);
// Finds out what is up to date; estimates the rest.
void batch_plan_compare(batch_plan* plan);
void batch_plan_free(batch_plan* plan);

uint32_t batch_plan_tally(const batch_plan* plan, batch_state state);
// From the root, of a name that may be relative to `base`.
const char* batch_absolute(limberi_arena* arena, const char* base, const char* path);
const char* batch_stamp_path(limberi_arena* arena, const char* folder, const char* output);

// plan_names.c: the name of an output, by its pattern. NULL when memory is short.
typedef struct batch_names {
    const char *name, *clip, *style, *folder;
} batch_names;
const char* batch_name(limberi_arena* arena, const char* pattern, const batch_names* names);
int batch_name_check(const char* pattern); // prints what is wrong
const char* batch_stem(limberi_arena* arena, const char* path);

// plan_check.c: what must not happen, looked for before the first job. Print what is wrong.
int batch_check_outputs(const batch_plan* plan);
int batch_check_style(const batch_style* style, const char* path);

// For qsort of pointers to jobs.
int batch_longest_first(const void* a, const void* b);

// --- run ---
// Runs the jobs of a plan, each in a process of its own: whatever happens to one, the others go on.

typedef struct batch_run_settings {
    uint32_t workers; // jobs at once
    uint32_t threads; // of each; 0: what the cores allow
    uint64_t memory_bytes;
    bool strict, quiet;
} batch_run_settings;

// Only jobs that wait. Afterwards none is BATCH_RUNNING; those that wait were not reached. True unless a signal came.
bool batch_run(batch_plan* plan, const batch_run_settings* settings);
uint32_t batch_threads(const batch_plan* plan, const batch_run_settings* settings);

// memory.c: what this process may take, of the machine or of its group.
uint64_t batch_memory_available(void);

// folder.c: the folder of outputs.
int batch_folder_lock(const char* folder);                       // until the process ends; prints who else is there
void batch_remove_leftovers(const batch_plan* plan);             // of a batch that was killed
void batch_remove_temporaries(const char* output, long process); // of one job

// --- report ---
// What a batch did: a table for people, a file for programs, command lines for farms.

typedef struct batch_outcome {
    double seconds;
    bool interrupted;
} batch_outcome;

// A table by style, then what failed.
void batch_print_table(const batch_plan* plan, const batch_outcome* outcome);
// FOLDER/limber-batch.json, and on stdout when asked for. Prints what is wrong.
int batch_write_report(const batch_plan* plan, const batch_outcome* outcome, const char* path, bool print);

// A text as one word of a shell command, on one line. False when memory is short or the text cannot be written so.
bool batch_quote(limberi_arena* arena, const char* text, const char** out);
// One line per job that waits.
int batch_print_list(const batch_plan* plan, uint32_t threads);

// --- slurm ---
// A batch on a cluster that runs Slurm: the jobs are shared out over the tasks of one job array, and the folder of the
// outputs, which all nodes see, holds all there is to know. No process of ours stays behind.
//
//     DIR/.limber/slurm.json     the jobs and which task runs which
//     DIR/.limber/slurm.sh       what a node runs
//     DIR/.limber/slurm.id       the number of the job array
//     DIR/.limber/task-N.json    what became of the jobs of a task
//     DIR/.limber/task-N.log     what Slurm and limber said about it

enum { BATCH_MAX_TASKS = 1000 }; // Slurm's MaxArraySize is 1001 unless somebody changed it

typedef struct batch_slurm_settings {
    uint32_t tasks; // 0: by the estimated cost
    const cli_list* options;
    const char* working;
} batch_slurm_settings;

// All return the exit status.
int batch_slurm_submit(batch_plan* plan, const batch_slurm_settings* settings);
int batch_slurm_task(const char* folder, uint32_t task, const batch_run_settings* settings);
int batch_slurm_status(const char* folder, bool json);
int batch_slurm_collect(const char* folder, bool json, bool quiet);

// slurm_plan.c. Both print what is wrong. `plan` zeroed.
int batch_slurm_save(const batch_plan* plan, uint32_t task_count);
int batch_slurm_load(batch_plan* plan, const char* folder, uint32_t* task_count);
const char* batch_slurm_path(limberi_arena* arena, const char* folder, const char* name);
// Which task runs which job: equal work for all, by the estimated cost. Only those that wait.
uint32_t batch_slurm_share(batch_plan* plan, uint32_t tasks);
int batch_save_text(const char* path, const char* text, size_t length);

#endif
