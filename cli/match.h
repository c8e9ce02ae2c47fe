// --match FILE: which joint of the character takes its motion from which, as a file to read or to begin with.
#ifndef LIMBER_CLI_MATCH_H
#define LIMBER_CLI_MATCH_H

#include "cli/cli.h"
#include <limber/stages/retarget.h>

typedef struct cli_match {
    uint32_t count;
    limber_joint_pair* pairs;
    char** motion_bones; // [joint] what it is in a body, or NULL; NULL: no joint is told
    char** character_bones;
    uint32_t motion_joints, character_joints; // how many of both
} cli_match;

int cli_match_read(const char* path, const limber_model* character, const limber_model* motion, cli_match* match);
int cli_match_write(const char* path, const limber_model* character, const limber_model* motion,
                    const limber_retarget* retarget);
// Every joint of both, for somebody to say what it is: the start where no body was found.
int cli_match_write_joints(const char* path, const limber_model* character, const limber_model* motion);
void cli_match_free(cli_match* match);

// A line for every joint of the character, for `info`.
void cli_match_print(const limber_model* character, const limber_model* motion, const limber_retarget* retarget);
// The same for machines: "matches": [{"joint", "from", "part", "sure"}], "rest": [joints that keep their rest pose].
void cli_match_report(struct limberi_json_writer* w, const limber_model* character, const limber_model* motion,
                      const limber_retarget* retarget);

#endif
