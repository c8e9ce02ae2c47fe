// One block list for everything an owner allocates: allocated piece by piece, freed at once.
#ifndef LIMBERI_ARENA_H
#define LIMBERI_ARENA_H

#include <limber/base.h>

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
