// What-if velocities, `--what-if Head.angular=0,2,0`: a frozen pose with the given velocity ramped in.
#ifndef LIMBER_CLI_WHAT_IF_H
#define LIMBER_CLI_WHAT_IF_H

#include "cli/cli.h"

enum { CLI_WHAT_IF_STEPS = 17 }; // from no velocity to the given one

// Fills `motion` (world space) from the option's texts.
int cli_what_if_parse(const char* input, const limber_model* model, const cli_list* texts, limber_kinematics* motion);

// Writes a new .glb: the meshes of the first step, and the others as morph targets of a clip one second long.
int cli_what_if_save(const char* input, const limber_model* model, limber_cache_frame frame, void* user,
                     const char* output);

#endif
