// Frames set down on the disk and read back in another order: USD wants all samples of one attribute together, while
// frames come one at a time with all meshes. The file has no name while it is in use, so nothing can be left behind.
#ifndef LIMBERI_CACHE_SPOOL_H
#define LIMBERI_CACHE_SPOOL_H

#include <limber/base.h>

typedef struct limberi_cache_spool {
    int descriptor;
    const char* beside;
    uint64_t frame_floats;
} limberi_cache_spool;

// Records of `frame_floats` floats, in the folder of `beside` (which has to outlive the spool, for messages): the disk
// that the user chose, not a /tmp that may be memory.
LIMBER_MUST_USE limber_result limberi_cache_spool_open(limberi_cache_spool* spool, const char* beside,
                                                       uint64_t frame_floats, limber_error* error);
LIMBER_MUST_USE limber_result limberi_cache_spool_write(const limberi_cache_spool* spool, uint32_t frame,
                                                        uint64_t first, const float* values, size_t count,
                                                        limber_error* error);
LIMBER_MUST_USE limber_result limberi_cache_spool_read(const limberi_cache_spool* spool, uint32_t frame, uint64_t first,
                                                       float* values, size_t count, limber_error* error);
void limberi_cache_spool_close(limberi_cache_spool* spool); // only after a successful open

#endif
