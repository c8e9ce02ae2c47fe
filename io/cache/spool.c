// A long animation is more than 2 GiB.
#define _FILE_OFFSET_BITS 64

#include "io/cache/spool.h"

#include "base/error.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static limber_result fail(const limberi_cache_spool* spool, int number, limber_error* error) {
    return limberi_fail(error, LIMBER_ERROR_FILE, "cannot write '%s': %s", spool->beside, strerror(number));
}

limber_result limberi_cache_spool_open(limberi_cache_spool* spool, const char* beside, uint64_t frame_floats,
                                       limber_error* error) {
    static const char suffix[] = ".frames.XXXXXX";
    spool->beside = beside;
    spool->frame_floats = frame_floats;
    size_t size = strlen(beside) + sizeof suffix;
    char* path = malloc(size);
    if (!path)
        return limberi_fail(error, LIMBER_ERROR_MEMORY, "not enough memory");
    limberi_format(path, size, "%s%s", beside, suffix);
    spool->descriptor = mkstemp(path);
    int number = errno;
    if (spool->descriptor >= 0)
        unlink(path);
    free(path);
    return spool->descriptor >= 0 ? LIMBER_OK : fail(spool, number, error);
}

static off_t offset_of(const limberi_cache_spool* spool, uint32_t frame, uint64_t first) {
    return (off_t)((frame * spool->frame_floats + first) * sizeof(float));
}

limber_result limberi_cache_spool_write(const limberi_cache_spool* spool, uint32_t frame, uint64_t first,
                                        const float* values, size_t count, limber_error* error) {
    const char* bytes = (const char*)values;
    size_t left = count * sizeof *values;
    off_t offset = offset_of(spool, frame, first);
    while (left) {
        ssize_t written = pwrite(spool->descriptor, bytes, left, offset);
        if (written < 0 && errno == EINTR)
            continue;
        if (written <= 0)
            return fail(spool, written < 0 ? errno : ENOSPC, error);
        bytes += written;
        offset += written;
        left -= (size_t)written;
    }
    return LIMBER_OK;
}

limber_result limberi_cache_spool_read(const limberi_cache_spool* spool, uint32_t frame, uint64_t first, float* values,
                                       size_t count, limber_error* error) {
    char* bytes = (char*)values;
    size_t left = count * sizeof *values;
    off_t offset = offset_of(spool, frame, first);
    while (left) {
        ssize_t got = pread(spool->descriptor, bytes, left, offset);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return fail(spool, got < 0 ? errno : EIO, error);
        bytes += got;
        offset += got;
        left -= (size_t)got;
    }
    return LIMBER_OK;
}

void limberi_cache_spool_close(limberi_cache_spool* spool) {
    close(spool->descriptor);
    spool->descriptor = -1;
}
