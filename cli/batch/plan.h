// What a batch does: a list of jobs, each one call of `limber apply` with an output of its own.
#ifndef LIMBER_CLI_BATCH_PLAN_H
#define LIMBER_CLI_BATCH_PLAN_H

#include "cli/batch/jobs_file.h"
#include "cli/batch/stamp.h"

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

#endif
