// Settings of the public headers start with their size, so that they can grow: a program that was compiled against an
// older header passes a smaller struct, and what it does not know takes its default.
#ifndef LIMBERI_SETTINGS_H
#define LIMBERI_SETTINGS_H

#include <limber/base.h>

// For TYPE_init: as much of `own` as a struct of `size` bytes has, which begins with that size. Fields that only a later
// version knows are 0.
void limberi_settings_write(void* given, size_t size, const void* own, size_t own_size);

// `own` holds the defaults, of `size` bytes; those that `given` knows are replaced by its values. `name` is the type's.
LIMBER_MUST_USE limber_result limberi_settings_read(void* own, size_t size, const void* given, const char* name,
                                                    limber_error* error);

// For structs inside of others or in arrays: only the size of this version is accepted.
LIMBER_MUST_USE limber_result limberi_settings_check(uint32_t struct_size, size_t size, const char* name,
                                                     limber_error* error);

#endif
