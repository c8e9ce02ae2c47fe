// realpath is in this part of POSIX.
#define _XOPEN_SOURCE 700

#include "io/file_write.h"

#include "base/error.h"
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { ATTEMPTS = 100, SUFFIX_BYTES = 48 };

static limber_result fail(limber_error* error, const char* what, const char* path, int number) {
    return limberi_fail(error, LIMBER_ERROR_FILE, "cannot %s '%s': %s", what, path, strerror(number));
}

// Renaming onto a link would replace the link, and onto a device or pipe would replace the device: the first is
// followed to its end, the second refused.
static limber_result final_path(const char* path, char** out, limber_error* error) {
    struct stat status;
    *out = NULL;
    if (stat(path, &status) != 0) {
        *out = strdup(path);
    } else {
        if (S_ISDIR(status.st_mode))
            return limberi_fail(error, LIMBER_ERROR_FILE, "cannot write '%s': it is a folder", path);
        if (!S_ISREG(status.st_mode))
            return limberi_fail(error, LIMBER_ERROR_FILE, "cannot write '%s': it is not a regular file", path);
        *out = realpath(path, NULL);
    }
    return *out ? LIMBER_OK : fail(error, "write", path, errno);
}

static int open_beside(limberi_file* file) {
    size_t size = strlen(file->path) + SUFFIX_BYTES;
    file->temporary = malloc(size);
    if (!file->temporary)
        return -1;
    for (unsigned attempt = 0; attempt < ATTEMPTS; attempt++) {
        limberi_format(file->temporary, size, "%s.%u.%u.tmp", file->path, (unsigned)getpid(), attempt);
        int descriptor = open(file->temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (descriptor >= 0 || errno != EEXIST)
            return descriptor;
    }
    return -1;
}

static void forget(limberi_file* file) {
    free(file->path);
    free(file->temporary);
    memset(file, 0, sizeof *file);
}

limber_result limberi_file_open(limberi_file* file, const char* path, limber_error* error) {
    memset(file, 0, sizeof *file);
    limber_result result = final_path(path, &file->path, error);
    if (result != LIMBER_OK)
        return result;
    errno = ENOMEM;
    int descriptor = open_beside(file);
    file->stream = descriptor >= 0 ? fdopen(descriptor, "wb") : NULL;
    if (file->stream)
        return LIMBER_OK;
    int number = errno;
    if (descriptor >= 0) {
        close(descriptor);
        unlink(file->temporary);
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
    if (result == LIMBER_OK && rename(file->temporary, file->path) != 0)
        result = fail(error, "write", file->path, errno);
    if (result != LIMBER_OK)
        unlink(file->temporary);
    forget(file);
    return result;
}

void limberi_file_discard(limberi_file* file) {
    if (!file->path)
        return;
    if (file->stream)
        fclose(file->stream);
    unlink(file->temporary);
    forget(file);
}
