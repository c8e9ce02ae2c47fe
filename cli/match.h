// --match FILE: which joint of the character takes its motion from which, as a file to read or to begin with.
#ifndef LIMBER_CLI_MATCH_H
#define LIMBER_CLI_MATCH_H

#include "cli/cli.h"
#include <limber/stages/retarget.h>

typedef struct cli_match {
    uint32_t count;
    limber_joint_pair* pairs;
} cli_match;

int cli_match_read(const char* path, const limber_model* character, const limber_model* motion, cli_match* match);
int cli_match_write(const char* path, const limber_model* character, const limber_model* motion,
                    const limber_retarget* retarget);
void cli_match_free(cli_match* match);

// A line for every joint of the character, for `info`.
void cli_match_print(const limber_model* character, const limber_model* motion, const limber_retarget* retarget);

#endif
