// Velocities given by hand, `--fake Head.angular=0,2,0`, and what becomes of them.
#ifndef LIMBER_CLI_FAKE_H
#define LIMBER_CLI_FAKE_H

#include "cli/cli.h"

enum { CLI_FAKE_STEPS = 17 }; // of growing velocity, from 0 to the whole

// Fills `motion` (world space) from the option's texts.
int cli_fake_parse(const char* input, const limber_model* model, const cli_list* fakes, limber_kinematics* motion);

// A new .glb of the meshes as they are in the first step, with the steps as morph targets of a clip one second long.
int cli_fake_save(const char* input, const limber_model* model, limber_cache_frame frame, void* user,
                  const char* output);

#endif
