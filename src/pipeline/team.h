// Inside src/pipeline: several frames of a bake at once. Each member is a pipeline with memory for a frame, which stays
// as it is until the member evaluates another one; so frames can be evaluated in any order and taken out in theirs.
#ifndef LIMBERI_PIPELINE_TEAM_H
#define LIMBERI_PIPELINE_TEAM_H

#include "pipeline/pipeline_private.h"

typedef struct limberi_team {
    limber_pipeline* pipeline;
    uint32_t count;            // members
    limber_pipeline** members; // twins; without threads the pipeline itself, alone
    limber_pipeline* alone[1];
} limberi_team;

// No more members than `max`, at least one. Closed by limberi_team_close also after an error.
LIMBER_MUST_USE limber_result limberi_team_open(limberi_team* team, limber_pipeline* pipeline, uint32_t max,
                                                limber_error* error);
void limberi_team_close(limberi_team* team);

// Before frames of a clip: what they share.
LIMBER_MUST_USE limber_result limberi_team_prepare(const limberi_team* team, uint32_t clip);
LIMBER_MUST_USE limber_result limberi_team_prepare_all(const limberi_team* team); // of every clip
// Calls `one` for 0 up to count; calls that run at the same time have different workers.
void limberi_team_run(const limberi_team* team, uint32_t count, void (*one)(void* user, uint32_t item, uint32_t worker),
                      void* user);
uint32_t limberi_team_workers(const limber_pipeline* pipeline); // how many there are

#endif
