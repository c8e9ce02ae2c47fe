// Structs that programs fill can grow: they begin with struct_size, which their default function sets. A program built
// with older headers has smaller structs; what those lack takes its default.
#ifndef LIMBERI_SIZED_H
#define LIMBERI_SIZED_H

#include <limber/base.h>

// Reads `given` over `out`, which holds the defaults of the same type, `size` bytes. `name` is that of the type: a
// struct of no known size did not come from <name>_default.
LIMBER_MUST_USE limber_result limberi_sized_read(void* out, size_t size, const void* given, const char* name,
                                                 limber_error* error);

// The same for structs that hold other structs and so cannot grow by parts: they have to have just this size.
LIMBER_MUST_USE limber_result limberi_sized_check(const void* given, size_t size, const char* name,
                                                  limber_error* error);

#endif
