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
// A list that has room for one more than `count` items: `list`, or what it was moved to. On failure `list` is as it was.
void* limberi_list_with_room(void* list, uint32_t count, uint32_t* room, size_t item_size);

// --- arenas: allocated piece by piece, freed at once ---

typedef struct limberi_arena {
    struct limberi_arena_block* blocks;
    bool failed; // sticky: once an allocation failed, so do all later ones
} limberi_arena;

// Zeroed memory for `count` items of `size` bytes, aligned to 64; NULL when memory is short or the product overflows.
// A count of 0 gives a valid pointer.
void* limberi_arena_allocate(limberi_arena* arena, size_t count, size_t size);
void* limberi_arena_copy(limberi_arena* arena, const void* items, size_t count, size_t size);
char* limberi_arena_string(limberi_arena* arena, const char* text); // NULL becomes ""
// Takes over all that `other` has, which is empty afterwards.
void limberi_arena_adopt(limberi_arena* arena, limberi_arena* other);
void limberi_arena_free(limberi_arena* arena);
size_t limberi_arena_bytes(const limberi_arena* arena); // of all blocks

#define LIMBERI_ALLOCATE(arena, type, count) ((type*)limberi_arena_allocate((arena), (count), sizeof(type)))
#define LIMBERI_COPY(arena, type, items, count) ((type*)limberi_arena_copy((arena), (items), (count), sizeof(type)))

#endif
