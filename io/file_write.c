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
    if (kind == LIMBERI_KIND_UNKNOWN)
        return fail(error, "write", path, errno);
    if (kind == LIMBERI_KIND_NONE && limberi_system_is_link(path))
        return limberi_fail(error, LIMBER_ERROR_FILE, "cannot write '%s': it is a link to a file that is not there",
                            path);
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

// Where the system does not tell, the time begins with limberi_file_open.
void limberi_file_watch(const char* path) {
    watched_path = limberi_system_identity(path, &watched) ? path : NULL;
}

static bool is_there(const limberi_identity* i) {
    return i->volume || i->number || i->seconds;
}

static bool is_same(const limberi_identity* a, const limberi_identity* b) {
    return a->volume == b->volume && a->number == b->number && a->byte_count == b->byte_count &&
           a->seconds == b->seconds && a->nanoseconds == b->nanoseconds;
}

// A signal does not come between a file and the note that it has to go.
static int create_swept(limberi_file* file) {
    limberi_system_hold_end();
    int descriptor = limberi_system_create(file->temporary, file->path);
    int number = errno;
    if (descriptor >= 0)
        file->sweep = limberi_sweep_add(file->temporary);
    limberi_system_release_end();
    errno = number;
    return descriptor;
}

static int open_beside(limberi_file* file) {
    size_t size = strlen(file->path) + SUFFIX_BYTES;
    file->temporary = limberi_allocate(size);
    if (!file->temporary)
        return -1;
    for (unsigned attempt = 0; attempt < ATTEMPTS; attempt++) {
        limberi_format(file->temporary, size, "%s.%u.%u.tmp", file->path, limberi_system_process(), attempt);
        int descriptor = create_swept(file);
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
    bool known = watched_path && strcmp(watched_path, path) == 0;
    file->before = watched;
    if (!known && !limberi_system_identity(path, &file->before)) {
        int reason = errno;
        forget(file);
        return fail(error, "write", path, reason);
    }
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

// --- names ---
// Files get their names while this process has their folder for itself and no signal ends it. So what is found there does
// not change between the look and the rename, not even by another limber, and nothing is left half done.

static limber_result begin_names(const limberi_file* file, int* lock, limber_error* error) {
    if (!limberi_system_lock_folder(file->path, lock))
        return limberi_fail(error, LIMBER_ERROR_FILE,
                            "cannot write '%s': another program has been writing in its folder for a minute",
                            file->path);
    limberi_system_hold_end();
    return LIMBER_OK;
}

static void end_names(int lock) {
    limberi_system_unlock_folder(lock);
    limberi_system_release_end();
}

static limber_result check_unchanged(const limberi_file* file, limber_error* error) {
    limberi_identity now;
    if (!limberi_system_identity(file->path, &now))
        return fail(error, "write", file->path, errno);
    if (is_same(&now, &file->before))
        return LIMBER_OK;
    return limberi_fail(error, LIMBER_ERROR_FILE,
                        "cannot write '%s': another program has written it since this run began; it was left as it is",
                        file->path);
}

static limber_result rename_into_place(limberi_file* file, limber_error* error) {
    if (!limberi_system_rename(file->temporary, file->path))
        return fail(error, "write", file->path, errno);
    limberi_sweep_forget(file->sweep);
    file->sweep = NULL;
    return LIMBER_OK;
}

// What this run wrote is no change by others.
static void watch_again(void) {
    if (watched_path)
        limberi_file_watch(watched_path);
}

static limber_result name_one(limberi_file* file, limber_error* error) {
    int lock;
    limber_result result = begin_names(file, &lock, error);
    if (result != LIMBER_OK)
        return result;
    result = check_unchanged(file, error);
    if (result == LIMBER_OK)
        result = rename_into_place(file, error);
    watch_again();
    end_names(lock);
    return result;
}

limber_result limberi_file_commit(limberi_file* file, limber_error* error) {
    limber_result result = limberi_file_finish(file, error);
    if (result == LIMBER_OK)
        result = wait_for_disk(file, limberi_system_sync, error);
    if (result == LIMBER_OK)
        result = name_one(file, error);
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
    if (limberi_system_link(file->path, file->former))
        return LIMBER_OK;
    int number = errno;
    limberi_release(file->former);
    file->former = NULL;
    bool has_none = number != EIO && number != ENOSPC && number != EROFS;
    return has_none ? LIMBER_OK : fail(error, "write", file->path, number);
}

// Where the rename fails that should bring it back, another way may still work. What cannot come back stays beside it.
static void undo(limberi_file* file) {
    if (!file->former) {
        if (!is_there(&file->before))
            limberi_system_remove(file->path);
        return;
    }
    bool back = limberi_system_rename(file->former, file->path) ||
                (limberi_system_remove(file->path) && limberi_system_link(file->former, file->path) &&
                 limberi_system_remove(file->former));
    if (back)
        return;
    limberi_release(file->former);
    file->former = NULL;
}

static limber_result rename_all(limberi_file* files, size_t count, size_t* done, limber_error* error) {
    limber_result result = LIMBER_OK;
    for (size_t i = 0; i < count && result == LIMBER_OK; i++)
        result = check_unchanged(&files[i], error);
    for (size_t i = 0; i < count && result == LIMBER_OK; i++)
        result = keep_former(&files[i], error);
    for (*done = 0; *done < count && result == LIMBER_OK; *done += result == LIMBER_OK)
        result = rename_into_place(&files[*done], error);
    for (size_t i = *done; result != LIMBER_OK && i-- > 0;)
        undo(&files[i]);
    for (size_t i = 0; i < count; i++)
        if (files[i].former)
            limberi_system_remove(files[i].former);
    return result;
}

static limber_result name_all(limberi_file* files, size_t count, size_t* done, limber_error* error) {
    int lock;
    limber_result result = begin_names(&files[count - 1], &lock, error);
    if (result != LIMBER_OK)
        return result;
    result = rename_all(files, count, done, error);
    watch_again();
    end_names(lock);
    return result;
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
    if (count && result == LIMBER_OK)
        result = name_all(files, count, &done, error);
    for (size_t i = done; i < count; i++)
        limberi_system_remove(files[i].temporary);
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
