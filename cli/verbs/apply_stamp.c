// --stamp FILE of apply: what its output was made from, for the next batch (cli/batch/batch.h).
#include "cli/verbs/apply.h"

#include "io/file.h"
#include "io/system.h"

#include <stdlib.h>
#include <string.h>

// Of a file, and those above it. What is wrong shows when the file is opened.
static void make_folders(const char* path) {
    limberi_arena arena = {NULL, false};
    char* folder = limberi_arena_string(&arena, path);
    for (char* at = folder ? strchr(folder + 1, '/') : NULL; at; at = strchr(at + 1, '/')) {
        *at = 0;
        (void)limberi_system_make_folder(folder);
        *at = '/';
    }
    limberi_arena_free(&arena);
}

int cli_stamp_begin(cli_stamp* stamp, const char* path, const char* output, int argc, char** argv) {
    batch_files files = {.count = 0};
    limber_error error;
    uint64_t bytes;
    memset(stamp, 0, sizeof *stamp);
    stamp->path = path;
    stamp->output = output;
    stamp->started_s = cli_now_s();
    if (!path)
        return CLI_DONE;
    const char** words = calloc((size_t)argc + 1, sizeof *words);
    if (!words)
        return cli_fail_memory(path);
    words[0] = "apply";
    for (int i = 0; i < argc; i++)
        words[i + 1] = argv[i];
    (void)batch_key(&files, (uint32_t)argc + 1, words, stamp->key, &bytes); // the work says what cannot be read
    free(words);
    batch_files_free(&files);
    make_folders(path);
    make_folders(output);
    return batch_stamp_begin(path, output, &error) == LIMBER_OK ? CLI_DONE : cli_fail_error(path, &error);
}

int cli_stamp_end(const cli_stamp* stamp) {
    limber_error error;
    double seconds = cli_now_s() - stamp->started_s;
    if (!stamp->path || batch_stamp_end(stamp->path, stamp->output, stamp->key, seconds, &error) == LIMBER_OK)
        return CLI_DONE;
    return cli_fail_error(stamp->path, &error);
}
