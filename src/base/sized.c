#include "base/sized.h"
#include "base/error.h"

#include <string.h>

static uint32_t size_of(const void* given) {
    uint32_t size;
    memcpy(&size, given, sizeof size);
    return size;
}

static limber_result refuse(uint32_t given, size_t size, const char* name, limber_error* error) {
    if (given > size && given <= 2 * size)
        return limberi_fail(error, LIMBER_ERROR_ARGUMENT,
                            "%s has %u bytes, %u are known: the library is older than its headers", name, given,
                            (uint32_t)size);
    return limberi_fail(error, LIMBER_ERROR_ARGUMENT, "%s is not initialized: start from %s_default()", name, name);
}

limber_result limberi_sized_read(void* out, size_t size, const void* given, const char* name, limber_error* error) {
    uint32_t own = size_of(given), full = (uint32_t)size;
    if (own <= sizeof own || own > full || own % sizeof own)
        return refuse(own, size, name, error);
    memcpy(out, given, own);
    memcpy(out, &full, sizeof full);
    return LIMBER_OK;
}

limber_result limberi_sized_check(const void* given, size_t size, const char* name, limber_error* error) {
    uint32_t own = size_of(given);
    return own == size ? LIMBER_OK : refuse(own, size, name, error);
}
