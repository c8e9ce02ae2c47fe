// cli/budget.h: what the work will come to, before it begins.
#ifndef LIMBER_CLI_BUDGET_H
#define LIMBER_CLI_BUDGET_H

#include "cli/cli.h"

// Frames that a camera looks at to place itself, at most; films look at all of theirs.
enum { CLI_FRAMING_FRAMES = 2000 };

// CLI_FAILED, with a line that says so, when the frames that the options ask for are more work than --budget allows.
int cli_check_budget(const char* input, const limber_asset* asset, const cli_common* common);

#endif
