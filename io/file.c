#include "io/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static limber_result fail_errno(limber_error* error, const char* what, int number) {
    char reason[128];
    if (strerror_r(number, reason, sizeof reason) != 0)
        limberi_format(reason, sizeof reason, "error %d", number);
    return limberi_fail(error, LIMBER_ERROR_FILE, "%s: %s", what, reason);
}

static limber_result fail_size(limber_error* error, uint64_t limit) {
    return limberi_fail(error, LIMBER_ERROR_LIMIT, "the file is too large (max %llu bytes)", (unsigned long long)limit);
}

// Reads until `size` bytes or the end; *got says how many came.
static limber_result read_some(int file, uint8_t* out, size_t size, size_t* got, limber_error* error) {
    *got = 0;
    while (*got < size) {
        ssize_t count = read(file, out + *got, size - *got);
        if (count < 0 && errno == EINTR)
            continue;
        if (count < 0)
            return fail_errno(error, "cannot be read", errno);
        if (count == 0)
            return LIMBER_OK;
        *got += (size_t)count;
    }
    return LIMBER_OK;
}

static limber_result read_known(int file, size_t size, limberi_arena* arena, limberi_bytes* out, limber_error* error) {
    uint8_t* data = LIMBERI_ALLOCATE(arena, uint8_t, size);
    if (!data)
        return limberi_fail(error, LIMBER_ERROR_MEMORY, "not enough memory for a file of %zu bytes", size);
    size_t got;
    limber_result result = read_some(file, data, size, &got, error);
    if (result)
        return result;
    out->data = data;
    out->size = got;
    return LIMBER_OK;
}

// A pipe does not say how long it is.
static limber_result read_pipe(int file, uint64_t limit, limberi_arena* arena, limberi_bytes* out,
                               limber_error* error) {
    size_t size = 0, room = 0;
    uint8_t* data = NULL;
    limber_result result = LIMBER_OK;
    for (size_t got = 1; !result && got > 0;) {
        if (size == room) {
            room = room ? 2 * room : 65536;
            uint8_t* grown = realloc(data, room);
            if (!grown) {
                result = limberi_fail(error, LIMBER_ERROR_MEMORY, "not enough memory for the file");
                break;
            }
            data = grown;
        }
        result = read_some(file, data + size, room - size, &got, error);
        size += got;
        if (!result && size > limit)
            result = fail_size(error, limit);
    }
    if (!result) {
        out->data = LIMBERI_COPY(arena, uint8_t, data, size);
        out->size = size;
        if (!out->data)
            result = limberi_fail(error, LIMBER_ERROR_MEMORY, "not enough memory for the file");
    }
    free(data);
    return result;
}

static limber_result read_open(int file, uint64_t limit, limberi_arena* arena, limberi_bytes* out,
                               limber_error* error) {
    struct stat status;
    if (fstat(file, &status) != 0)
        return fail_errno(error, "cannot be read", errno);
    if (S_ISDIR(status.st_mode))
        return limberi_fail(error, LIMBER_ERROR_FILE, "is a folder, not a file");
    if (S_ISFIFO(status.st_mode))
        return read_pipe(file, limit, arena, out, error);
    if (!S_ISREG(status.st_mode))
        return limberi_fail(error, LIMBER_ERROR_FILE, "is not a plain file");
    if ((uint64_t)status.st_size > limit)
        return fail_size(error, limit);
    return read_known(file, (size_t)status.st_size, arena, out, error);
}

limber_result limberi_file_read(const char* path, uint64_t limit, limberi_arena* arena, limberi_bytes* out,
                                limber_error* error) {
    out->data = NULL;
    out->size = 0;
    // The arena's sizes are size_t; on a small machine the limit may be more than it can count.
    limit = limit < SIZE_MAX / 4 ? limit : SIZE_MAX / 4;
    int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0)
        return fail_errno(error, "cannot be opened", errno);
    limber_result result = read_open(file, limit, arena, out, error);
    close(file);
    return result;
}

char* limberi_file_folder(limberi_arena* arena, const char* path) {
    const char* slash = strrchr(path, '/');
    if (!slash)
        return limberi_arena_string(arena, ".");
    size_t length = slash == path ? 1 : (size_t)(slash - path);
    char* folder = LIMBERI_ALLOCATE(arena, char, length + 1);
    if (folder)
        memcpy(folder, path, length);
    return folder;
}
