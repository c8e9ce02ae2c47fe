// A batch on a cluster that runs Slurm: the jobs are shared out over the tasks of one job array, and the folder of the
// outputs, which all nodes see, holds all there is to know. No process of ours stays behind.
//
//     DIR/.limber/slurm.json     the jobs and which task runs which
//     DIR/.limber/slurm.sh       what a node runs
//     DIR/.limber/slurm.id       the number of the job array
//     DIR/.limber/task-N.json    what became of the jobs of a task
//     DIR/.limber/task-N.log     what Slurm and limber said about it
#ifndef LIMBER_CLI_BATCH_SLURM_H
#define LIMBER_CLI_BATCH_SLURM_H

#include "cli/batch/run.h"
#include "cli/cli.h"

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
