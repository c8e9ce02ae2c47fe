// What a batch did: a table for people, a file for programs, command lines for farms.
#ifndef LIMBER_CLI_BATCH_REPORT_H
#define LIMBER_CLI_BATCH_REPORT_H

#include "cli/batch/plan.h"

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

#endif
