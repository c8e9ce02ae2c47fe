// --stamp FILE of apply: what its output was made from, for the next batch (cli/batch/batch.h).
#ifndef LIMBER_CLI_STAMP_H
#define LIMBER_CLI_STAMP_H

#include "cli/batch/batch.h"
#include "cli/cli.h"

typedef struct cli_stamp {
    const char *path, *output; // path NULL: none is asked for
    char key[BATCH_HASH_CHARS];
    double started_s;
} cli_stamp;

// Looks at the inputs before the work does: what changes in between is noticed by the next batch. Also makes the
// folders of both files. Both print what is wrong.
int cli_stamp_begin(cli_stamp* stamp, const char* path, const char* output, int argc, char** argv);
int cli_stamp_end(const cli_stamp* stamp);

#endif
