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
#ifndef LIMBER_CLI_BATCH_JOBS_FILE_H
#define LIMBER_CLI_BATCH_JOBS_FILE_H

#include "cli/batch/words.h"

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

#endif
