// Frames set down on the disk and read back in another order: USD wants all samples of one attribute together, while
// frames come one at a time with all meshes.
#include "io/cache/writers.h"

#include "base/error.h"
#include "io/system.h"
#include <errno.h>

static limber_result fail(const limberi_cache_spool* spool, limber_error* error) {
    char reason[128];
    limberi_system_reason(errno, reason, sizeof reason);
    return limberi_fail(error, LIMBER_ERROR_FILE, "cannot write '%s': %s", spool->beside, reason);
}

limber_result limberi_cache_spool_open(limberi_cache_spool* spool, const char* beside, uint64_t frame_floats,
                                       limber_error* error) {
    spool->beside = beside;
    spool->frame_floats = frame_floats;
    spool->descriptor = limberi_system_open_nameless(beside);
    return spool->descriptor >= 0 ? LIMBER_OK : fail(spool, error);
}

static uint64_t offset_of(const limberi_cache_spool* spool, uint32_t frame, uint64_t first) {
    return (frame * spool->frame_floats + first) * sizeof(float);
}

limber_result limberi_cache_spool_write(const limberi_cache_spool* spool, uint32_t frame, uint64_t first,
                                        const float* values, size_t count, limber_error* error) {
    uint64_t offset = offset_of(spool, frame, first);
    bool done = limberi_system_write_at(spool->descriptor, offset, values, count * sizeof *values);
    return done ? LIMBER_OK : fail(spool, error);
}

limber_result limberi_cache_spool_read(const limberi_cache_spool* spool, uint32_t frame, uint64_t first, float* values,
                                       size_t count, limber_error* error) {
    uint64_t offset = offset_of(spool, frame, first);
    bool done = limberi_system_read_at(spool->descriptor, offset, values, count * sizeof *values);
    return done ? LIMBER_OK : fail(spool, error);
}

void limberi_cache_spool_close(limberi_cache_spool* spool) {
    limberi_system_close(spool->descriptor);
    spool->descriptor = -1;
}
