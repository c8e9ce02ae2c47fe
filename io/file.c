// Whole files in.
#include "io/file.h"

#include "base/memory.h"
#include "io/system.h"
#include "text/text.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

static limber_result fail_errno(limber_error* error, const char* what, int number) {
    char reason[128];
    limberi_system_reason(number, reason, sizeof reason);
    return limberi_fail(error, LIMBER_ERROR_FILE, "%s: %s", what, reason);
}

static limber_result fail_size(limber_error* error, uint64_t limit) {
    return limberi_fail(error, LIMBER_ERROR_LIMIT, "the file is too large (max %llu bytes)", (unsigned long long)limit);
}

// Reads until `size` bytes or the end; *got says how many came.
static limber_result read_some(int file, uint8_t* out, size_t size, size_t* got, limber_error* error) {
    *got = 0;
    while (*got < size) {
        int64_t count = limberi_system_read(file, out + *got, size - *got);
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
    size_t size = 0;
    size_t room = 0;
    uint8_t* data = NULL;
    limber_result result = LIMBER_OK;
    for (size_t got = 1; got > 0;) {
        if (size == room) {
            room = room ? 2 * room : 65536;
            uint8_t* grown = limberi_reallocate(data, size, room);
            if (!grown) {
                result = limberi_fail_memory(error);
                break;
            }
            data = grown;
        }
        result = read_some(file, data + size, room - size, &got, error);
        size += got;
        if (!result && size > limit)
            result = fail_size(error, limit);
        if (result)
            break;
    }
    if (!result) {
        out->data = LIMBERI_COPY(arena, uint8_t, data, size);
        out->size = size;
        if (!out->data)
            result = limberi_fail_memory(error);
    }
    limberi_release(data);
    return result;
}

static limber_result read_open(int file, uint64_t limit, limberi_arena* arena, limberi_bytes* out,
                               limber_error* error) {
    uint64_t size;
    switch (limberi_system_kind_of(file, &size)) {
    case LIMBERI_KIND_NONE:
        return fail_errno(error, "cannot be read", errno);
    case LIMBERI_KIND_FOLDER:
        return limberi_fail(error, LIMBER_ERROR_FILE, "is a folder, not a file");
    case LIMBERI_KIND_PIPE:
        return read_pipe(file, limit, arena, out, error);
    case LIMBERI_KIND_OTHER:
        return limberi_fail(error, LIMBER_ERROR_FILE, "is not a plain file");
    default:
        return size > limit ? fail_size(error, limit) : read_known(file, (size_t)size, arena, out, error);
    }
}

// The arena's sizes are size_t; on a small machine the limit may be more than it can count.
static limber_result read_and_close(int file, uint64_t limit, limberi_arena* arena, limberi_bytes* out,
                                    limber_error* error) {
    limit = limit < SIZE_MAX / 4 ? limit : SIZE_MAX / 4;
    limber_result result = read_open(file, limit, arena, out, error);
    limberi_system_close(file);
    return result;
}

limber_result limberi_file_read(const char* path, uint64_t limit, limberi_arena* arena, limberi_bytes* out,
                                limber_error* error) {
    out->data = NULL;
    out->size = 0;
    int file = limberi_system_open(path);
    if (file < 0)
        return fail_errno(error, "cannot be opened", errno);
    return read_and_close(file, limit, arena, out, error);
}

static limber_result fail_plain(limber_error* error) {
    return limberi_fail(error, LIMBER_ERROR_FILE, "is not a plain file");
}

limber_result limberi_file_read_plain(const char* path, uint64_t limit, limberi_arena* arena, limberi_bytes* out,
                                      limber_error* error) {
    out->data = NULL;
    out->size = 0;
    int file = limberi_system_open_plain(path);
    if (file < 0 && errno == EINVAL)
        return fail_plain(error);
    if (file < 0)
        return fail_errno(error, "cannot be opened", errno);
    return read_and_close(file, limit, arena, out, error);
}

limber_result limberi_file_read_below(const char* folder, const char* path, uint64_t limit, limberi_arena* arena,
                                      limberi_bytes* out, limber_error* error) {
    out->data = NULL;
    out->size = 0;
    int file = limberi_system_open_below(folder, path);
    if (file < 0 && errno == ELOOP)
        return limberi_fail(error, LIMBER_ERROR_FILE, "is a link or behind one, which is not followed");
    if (file < 0 && errno == EINVAL)
        return fail_plain(error);
    if (file < 0)
        return fail_errno(error, "cannot be opened", errno);
    return read_and_close(file, limit, arena, out, error);
}

// Of a path that is too long the end is shown.
limber_result limberi_file_blame(const char* path, limber_result result, limber_error* error) {
    char place[sizeof error->place];
    if (result == LIMBER_OK || !error)
        return result;
    memcpy(place, error->place, sizeof place);
    size_t length = strlen(path);
    size_t used = strlen(place) + (place[0] ? 2 : 0);
    size_t max = sizeof place - 1;
    size_t room = used < max ? max - used : 0;
    size_t skipped = length > room ? length - room : 0;
    limberi_format(error->place, sizeof error->place, place[0] ? "%s: %s" : "%s%s", path + skipped, place);
    return result;
}

const char* limberi_file_name(const char* path) {
    const char* name = path;
    for (; *path; path++)
        if (limberi_system_is_separator(*path))
            name = path + 1;
    return name;
}

bool limberi_file_has_ending(const char* path, const char* ending) {
    size_t length = strlen(path);
    size_t tail = strlen(ending);
    for (size_t i = 0; length > tail && i < tail; i++)
        if (limberi_lowercase(path[length - tail + i]) != ending[i])
            return false;
    return length > tail;
}

char* limberi_file_folder(limberi_arena* arena, const char* path) {
    size_t length = (size_t)(limberi_file_name(path) - path);
    if (!length)
        return limberi_arena_string(arena, ".");
    length -= length > 1; // without the slash, unless that is all
    char* folder = LIMBERI_ALLOCATE(arena, char, length + 1);
    if (folder)
        memcpy(folder, path, length);
    return folder;
}
