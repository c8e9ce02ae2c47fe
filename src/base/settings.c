// Settings of the public headers start with their size, so that they can grow: a program that was compiled against an
// older header passes a smaller struct, and what it does not know takes its default.
#include "base/settings.h"
#include "base/error.h"

#include <string.h>

static limber_result fail(const char* name, limber_error* error) {
    return limberi_fail(error, LIMBER_ERROR_ARGUMENT,
                        "%s is not initialized or belongs to another version: start from %s_default", name, name);
}

void limberi_settings_write(void* given, size_t size, const void* own, size_t own_size) {
    uint32_t struct_size = (uint32_t)size;
    memset(given, 0, size);
    memcpy(given, own, size < own_size ? size : own_size);
    memcpy(given, &struct_size, size < sizeof struct_size ? size : sizeof struct_size);
}

limber_result limberi_settings_read(void* own, size_t size, const void* given, const char* name, limber_error* error) {
    uint32_t struct_size = 0;
    uint32_t own_size = (uint32_t)size;
    if (given)
        memcpy(&struct_size, given, sizeof struct_size);
    if (struct_size <= sizeof struct_size || struct_size > size)
        return fail(name, error);
    memcpy(own, given, struct_size);
    memcpy(own, &own_size, sizeof own_size);
    return LIMBER_OK;
}

limber_result limberi_settings_check(uint32_t struct_size, size_t size, const char* name, limber_error* error) {
    return struct_size == size ? LIMBER_OK : fail(name, error);
}
