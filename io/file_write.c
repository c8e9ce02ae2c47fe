// Files that appear complete or not at all: written under a temporary name beside the final one, then renamed.
#include "io/file_write.h"

#include "base/error.h"
#include "base/memory.h"
#include <errno.h>
#include <math.h>
#include <string.h>

enum { ATTEMPTS = 100, SUFFIX_BYTES = 48, MANY = 8 };

static limber_result fail(limber_error* error, const char* what, const char* path, int number) {
    char reason[128];
    limberi_system_reason(number, reason, sizeof reason);
    return limberi_fail(error, number == ENOMEM ? LIMBER_ERROR_MEMORY : LIMBER_ERROR_FILE, "cannot %s '%s': %s", what,
                        path, reason);
}

static char* copy_text(const char* text) {
    size_t size = strlen(text) + 1;
    char* copy = limberi_allocate(size);
    return copy ? memcpy(copy, text, size) : NULL;
}

// Renaming onto a link would replace the link, and onto a device or pipe would replace the device: the first is
// followed to its end, the second refused. So is a file that is read-only: a rename would not care.
static limber_result final_path(const char* path, char** out, limber_error* error) {
    limberi_kind kind = limberi_system_kind(path);
    *out = NULL;
    if (kind == LIMBERI_KIND_FOLDER)
        return limberi_fail(error, LIMBER_ERROR_FILE, "cannot write '%s': it is a folder", path);
    if (kind != LIMBERI_KIND_NONE && kind != LIMBERI_KIND_FILE)
        return limberi_fail(error, LIMBER_ERROR_FILE, "cannot write '%s': it is not a regular file", path);
    if (kind == LIMBERI_KIND_FILE && limberi_system_is_locked(path))
        return limberi_fail(error, LIMBER_ERROR_FILE, "cannot write '%s': it is read-only", path);
    errno = ENOMEM;
    *out = kind == LIMBERI_KIND_FILE ? limberi_system_real_path(path) : copy_text(path);
    return *out ? LIMBER_OK : fail(error, "write", path, errno);
}

static const char* watched_path;
static limberi_identity watched;

void limberi_file_watch(const char* path) {
    watched_path = path;
    watched = limberi_system_identity(path);
}

static bool is_there(const limberi_identity* i) {
    return i->volume || i->number || i->seconds;
}

static bool is_same(const limberi_identity* a, const limberi_identity* b) {
    return a->volume == b->volume && a->number == b->number && a->byte_count == b->byte_count &&
           a->seconds == b->seconds && a->nanoseconds == b->nanoseconds;
}

static int open_beside(limberi_file* file) {
    size_t size = strlen(file->path) + SUFFIX_BYTES;
    file->temporary = limberi_allocate(size);
    if (!file->temporary)
        return -1;
    for (unsigned attempt = 0; attempt < ATTEMPTS; attempt++) {
        limberi_format(file->temporary, size, "%s.%u.%u.tmp", file->path, limberi_system_process(), attempt);
        int descriptor = limberi_system_create(file->temporary, file->path);
        if (descriptor >= 0)
            file->sweep = limberi_sweep_add(file->temporary);
        if (descriptor >= 0 || errno != EEXIST)
            return descriptor;
    }
    return -1;
}

static void forget(limberi_file* file) {
    limberi_sweep_forget(file->sweep);
    limberi_release(file->path);
    limberi_release(file->temporary);
    limberi_release(file->former);
    memset(file, 0, sizeof *file);
}

limber_result limberi_file_open(limberi_file* file, const char* path, limber_error* error) {
    memset(file, 0, sizeof *file);
    limber_result result = final_path(path, &file->path, error);
    if (result != LIMBER_OK)
        return result;
    file->before = watched_path && strcmp(watched_path, path) == 0 ? watched : limberi_system_identity(path);
    errno = ENOMEM;
    int descriptor = open_beside(file);
    file->descriptor = descriptor;
    file->stream = descriptor >= 0 ? limberi_system_stream(descriptor) : NULL;
    if (file->stream)
        return LIMBER_OK;
    int number = errno;
    if (descriptor >= 0) {
        limberi_system_close(descriptor);
        limberi_system_remove(file->temporary);
    }
    forget(file);
    return fail(error, "write", path, number);
}

void limberi_file_put(limberi_file* file, const void* bytes, size_t byte_count) {
    if (file->failed || !byte_count)
        return;
    if (fwrite(bytes, 1, byte_count, file->stream) != byte_count) {
        file->failed = true;
        file->error_number = errno;
    }
}

void limberi_file_seek(limberi_file* file, uint64_t offset) {
    if (file->failed || limberi_system_seek(file->stream, offset))
        return;
    file->failed = true;
    file->error_number = errno;
}

bool limberi_file_check(limberi_file* file, const float* values, size_t count) {
    if (file->failed)
        return false;
    for (size_t i = 0; i < count; i++)
        if (!isfinite(values[i])) {
            file->failed = file->not_finite = true;
            return false;
        }
    return true;
}

static limber_result fail_written(const limberi_file* file, limber_error* error) {
    if (file->not_finite)
        return limberi_fail(error, LIMBER_ERROR_DATA,
                            "cannot write '%s': the motion is too extreme, a number is not finite", file->path);
    return fail(error, "write", file->path, file->error_number);
}

limber_result limberi_file_finish(limberi_file* file, limber_error* error) {
    if (file->stream) {
        int status = fclose(file->stream);
        file->stream = NULL;
        if (status != 0 && !file->failed) {
            file->failed = true;
            file->error_number = errno;
        }
    }
    return file->failed ? fail_written(file, error) : LIMBER_OK;
}

static limber_result wait_for_disk(const limberi_file* file, bool (*sync)(const char* path), limber_error* error) {
    return sync(file->temporary) ? LIMBER_OK : fail(error, "write", file->path, errno);
}

static limber_result rename_into_place(limberi_file* file, limber_error* error) {
    limberi_identity now = limberi_system_identity(file->path);
    if (!is_same(&now, &file->before))
        return limberi_fail(error, LIMBER_ERROR_FILE,
                            "cannot write '%s': another program has written it since this run began; it was left as "
                            "it is",
                            file->path);
    if (!limberi_system_rename(file->temporary, file->path))
        return fail(error, "write", file->path, errno);
    limberi_sweep_forget(file->sweep);
    file->sweep = NULL;
    if (watched_path)
        watched = limberi_system_identity(watched_path);
    return LIMBER_OK;
}

limber_result limberi_file_commit(limberi_file* file, limber_error* error) {
    limber_result result = limberi_file_finish(file, error);
    if (result == LIMBER_OK)
        result = wait_for_disk(file, limberi_system_sync, error);
    if (result == LIMBER_OK)
        result = rename_into_place(file, error);
    if (result != LIMBER_OK)
        limberi_system_remove(file->temporary);
    else
        limberi_system_sync_folder(file->path);
    forget(file);
    return result;
}

// Where a file system has no second names, what was there cannot come back.
static limber_result keep_former(limberi_file* file, limber_error* error) {
    size_t size = strlen(file->temporary) + SUFFIX_BYTES;
    if (!is_there(&file->before))
        return LIMBER_OK;
    file->former = limberi_allocate(size);
    if (!file->former)
        return fail(error, "write", file->path, ENOMEM);
    limberi_format(file->former, size, "%s.old", file->temporary);
    if (!limberi_system_link(file->path, file->former)) {
        limberi_release(file->former);
        file->former = NULL;
    }
    return LIMBER_OK;
}

static void undo(limberi_file* file) {
    if (file->former)
        limberi_system_rename(file->former, file->path);
    else if (!is_there(&file->before))
        limberi_system_remove(file->path);
}

limber_result limberi_files_commit(limberi_file* files, size_t count, limber_error* error) {
    limber_result result = LIMBER_OK;
    size_t done = 0;
    for (size_t i = 0; i < count && result == LIMBER_OK; i++)
        result = limberi_file_finish(&files[i], error);
    for (size_t i = 0; i < count && count <= MANY && result == LIMBER_OK; i++)
        result = wait_for_disk(&files[i], limberi_system_sync, error);
    if (count > MANY && result == LIMBER_OK)
        result = wait_for_disk(&files[0], limberi_system_sync_all, error);
    for (; done < count && result == LIMBER_OK; done += result == LIMBER_OK) {
        result = keep_former(&files[done], error);
        if (result == LIMBER_OK)
            result = rename_into_place(&files[done], error);
    }
    for (size_t i = done; result != LIMBER_OK && i-- > 0;)
        undo(&files[i]);
    for (size_t i = 0; i < count; i++) {
        if (files[i].former)
            limberi_system_remove(files[i].former);
        if (i >= done)
            limberi_system_remove(files[i].temporary);
    }
    if (result == LIMBER_OK && count) {
        limberi_system_sync_folder(files[0].path);
        limberi_system_sync_folder(files[count - 1].path);
    }
    for (size_t i = 0; i < count; i++)
        forget(&files[i]);
    return result;
}

void limberi_file_discard(limberi_file* file) {
    if (!file->path)
        return;
    if (file->stream)
        fclose(file->stream);
    limberi_system_remove(file->temporary);
    forget(file);
}
