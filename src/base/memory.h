// All memory of the library comes from here, and so from the allocator that the program chose (limber_set_allocator).
#ifndef LIMBERI_MEMORY_H
#define LIMBERI_MEMORY_H

#include <limber/base.h>

// NULL when memory is short.
void* limberi_allocate(size_t byte_count);
// Zeroed; also NULL when count * size overflows.
void* limberi_allocate_zeroed(size_t count, size_t size);
// The first bytes stay what they were. On failure `old` is as it was. `old` may be NULL, with old_bytes 0.
void* limberi_reallocate(void* old, size_t old_bytes, size_t new_bytes);
void limberi_release(void* memory); // NULL: nothing to do

#endif
