// The files of a dump, which appear together or not at all: a new folder gets its name when everything is in it, and
// in a folder that is there already the files replace those of an earlier dump in one go.
#include "cli/verbs/dump_files.h"

#include "cli/cli.h"

#include <errno.h>
#include <string.h>

static bool path_in(const char* folder, const char* name, char* path) {
    return snprintf(path, PATH_MAX, "%s/%s", folder, name) < PATH_MAX;
}

// Beside the target, so that it can be moved there.
static bool make_folder(cli_dump_files* d) {
    size_t length = strlen(d->folder);
    while (length > 1 && limberi_system_is_separator(d->folder[length - 1]))
        length--;
    for (unsigned attempt = 0; attempt < 100 && length < PATH_MAX; attempt++) {
        int written = snprintf(d->made_in, sizeof d->made_in, "%.*s.%u.%u.tmp", (int)length, d->folder,
                               limberi_system_process(), attempt);
        if (written >= (int)sizeof d->made_in)
            break;
        if (limberi_sweep_make_folder(d->made_in, &d->sweep))
            return true;
        if (errno != EEXIST)
            return false;
    }
    errno = ENAMETOOLONG;
    return false;
}

bool cli_dump_files_open(cli_dump_files* d, const char* folder) {
    memset(d, 0, sizeof *d);
    d->folder = folder;
    limberi_kind kind = limberi_system_kind(folder);
    d->is_new = kind == LIMBERI_KIND_NONE;
    if (d->is_new)
        return make_folder(d);
    if (kind != LIMBERI_KIND_UNKNOWN)
        errno = kind == LIMBERI_KIND_FOLDER ? ENAMETOOLONG : ENOTDIR;
    return kind == LIMBERI_KIND_FOLDER &&
           snprintf(d->made_in, sizeof d->made_in, "%s", folder) < (int)sizeof d->made_in;
}

void cli_dump_file_fails(cli_dump_files* d, const char* name, const char* reason) {
    if (d->failed)
        return;
    d->failed = name;
    snprintf(d->reason, sizeof d->reason, "%s", reason ? reason : "not enough memory");
}

limberi_file* cli_dump_file(cli_dump_files* d, const char* name) {
    char path[PATH_MAX];
    limber_error error = {.message = "the path is too long"};
    limberi_file* file = &d->files[d->count];
    if (d->failed || d->count == CLI_DUMP_FILES)
        return NULL;
    if (!path_in(d->made_in, name, path) || limberi_file_open(file, path, &error) != LIMBER_OK) {
        cli_dump_file_fails(d, name, d->is_new && errno ? strerror(errno) : error.message);
        return NULL;
    }
    d->names[d->count++] = name;
    return file;
}

void cli_dump_file_end(cli_dump_files* d, limberi_file* file) {
    limber_error error;
    if (!file || limberi_file_finish(file, &error) == LIMBER_OK || d->failed)
        return;
    d->not_finite = file->not_finite;
    cli_dump_file_fails(d, d->names[file - d->files], file->error_number ? strerror(file->error_number) : NULL);
}

// A new folder is not theirs any more once it has its name.
static void end(cli_dump_files* d) {
    limberi_sweep_forget(d->sweep);
    d->sweep = NULL;
    d->count = 0;
}

static void remove_new(const cli_dump_files* d) {
    char path[PATH_MAX];
    for (uint32_t i = 0; i < d->count; i++)
        if (path_in(d->made_in, d->names[i], path))
            limberi_system_remove(path);
    limberi_system_remove_folder(d->made_in);
}

int cli_dump_files_discard(cli_dump_files* d) {
    for (uint32_t i = 0; i < d->count; i++)
        limberi_file_discard(&d->files[i]);
    if (d->is_new)
        remove_new(d);
    end(d);
    if (d->not_finite)
        return cli_fail(d->folder, "the motion or the style is too extreme: a number of %s is not finite", d->failed);
    return cli_fail(d->folder, "cannot write %s: %s", d->failed, d->reason);
}

// Of an earlier dump with another style: they would say something else than the rest.
static void remove_earlier(const cli_dump_files* d, const char* const* sometimes, uint32_t sometimes_count) {
    char path[PATH_MAX];
    for (uint32_t i = 0; i < sometimes_count; i++) {
        bool written = false;
        for (uint32_t k = 0; k < d->count; k++)
            written = written || strcmp(sometimes[i], d->names[k]) == 0;
        if (!written && path_in(d->folder, sometimes[i], path) && limberi_system_kind(path) == LIMBERI_KIND_FILE)
            limberi_system_remove(path);
    }
}

static int name_folder(cli_dump_files* d) {
    if (limberi_system_rename(d->made_in, d->folder)) {
        limberi_system_sync_folder(d->made_in); // the folder of both
        return CLI_DONE;
    }
    int number = errno;
    remove_new(d);
    if (number == EEXIST || number == ENOTEMPTY)
        return cli_fail(d->folder, "another program has made the folder since this run began; it was left as it is");
    return cli_fail(d->folder, "cannot create the folder: %s", strerror(number));
}

int cli_dump_files_commit(cli_dump_files* d, const char* const* sometimes, uint32_t sometimes_count) {
    limber_error error;
    limberi_sweep* sweeps[CLI_DUMP_FILES] = {NULL};
    int status = CLI_DONE;
    // The names within the folder, so that a signal before it has its own leaves nothing.
    for (uint32_t i = 0; d->is_new && i < d->count; i++) {
        char path[PATH_MAX];
        sweeps[i] = path_in(d->made_in, d->names[i], path) ? limberi_sweep_add(path) : NULL;
    }
    if (!d->is_new) // earlier files go with the same step
        limberi_system_hold_end();
    if (limberi_files_commit(d->files, d->count, &error) != LIMBER_OK) {
        status = cli_fail_error(d->folder, &error);
        if (d->is_new)
            remove_new(d);
    } else if (d->is_new)
        status = name_folder(d);
    else
        remove_earlier(d, sometimes, sometimes_count);
    if (!d->is_new)
        limberi_system_release_end();
    for (uint32_t i = 0; i < d->count; i++)
        limberi_sweep_forget(sweeps[i]);
    end(d);
    return status;
}
