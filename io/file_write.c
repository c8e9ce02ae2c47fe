#include "io/file_write.h"

#include "base/error.h"
#include "base/memory.h"
#include "io/system.h"
#include <errno.h>
#include <string.h>

enum { ATTEMPTS = 100, SUFFIX_BYTES = 48 };

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
// followed to its end, the second refused.
static limber_result final_path(const char* path, char** out, limber_error* error) {
    limberi_kind kind = limberi_system_kind(path);
    *out = NULL;
    if (kind == LIMBERI_KIND_FOLDER)
        return limberi_fail(error, LIMBER_ERROR_FILE, "cannot write '%s': it is a folder", path);
    if (kind != LIMBERI_KIND_NONE && kind != LIMBERI_KIND_FILE)
        return limberi_fail(error, LIMBER_ERROR_FILE, "cannot write '%s': it is not a regular file", path);
    errno = ENOMEM;
    *out = kind == LIMBERI_KIND_FILE ? limberi_system_real_path(path) : copy_text(path);
    return *out ? LIMBER_OK : fail(error, "write", path, errno);
}

static int open_beside(limberi_file* file) {
    size_t size = strlen(file->path) + SUFFIX_BYTES;
    file->temporary = limberi_allocate(size);
    if (!file->temporary)
        return -1;
    for (unsigned attempt = 0; attempt < ATTEMPTS; attempt++) {
        limberi_format(file->temporary, size, "%s.%u.%u.tmp", file->path, limberi_system_process(), attempt);
        int descriptor = limberi_system_create(file->temporary);
        if (descriptor >= 0 || errno != EEXIST)
            return descriptor;
    }
    return -1;
}

static void forget(limberi_file* file) {
    limberi_release(file->path);
    limberi_release(file->temporary);
    memset(file, 0, sizeof *file);
}

limber_result limberi_file_open(limberi_file* file, const char* path, limber_error* error) {
    memset(file, 0, sizeof *file);
    limber_result result = final_path(path, &file->path, error);
    if (result != LIMBER_OK)
        return result;
    errno = ENOMEM;
    int descriptor = open_beside(file);
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

limber_result limberi_file_finish(limberi_file* file, limber_error* error) {
    if (file->stream) {
        int status = fclose(file->stream);
        file->stream = NULL;
        if (status != 0 && !file->failed) {
            file->failed = true;
            file->error_number = errno;
        }
    }
    return file->failed ? fail(error, "write", file->path, file->error_number) : LIMBER_OK;
}

limber_result limberi_file_commit(limberi_file* file, limber_error* error) {
    limber_result result = limberi_file_finish(file, error);
    if (result == LIMBER_OK && !limberi_system_rename(file->temporary, file->path))
        result = fail(error, "write", file->path, errno);
    if (result != LIMBER_OK)
        limberi_system_remove(file->temporary);
    forget(file);
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
