// Runs the jobs of a plan, each in a process of its own: whatever happens to one, the others go on.
#ifndef LIMBER_CLI_BATCH_RUN_H
#define LIMBER_CLI_BATCH_RUN_H

#include "cli/batch/plan.h"

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
int batch_folder_make(const char* path);                         // and those above it; prints what is wrong
int batch_folder_lock(const char* folder);                       // until the process ends; prints who else is there
void batch_remove_leftovers(const batch_plan* plan);             // of a batch that was killed
void batch_remove_temporaries(const char* output, long process); // of one job

#endif
