// One block list for everything an owner allocates: allocated piece by piece, freed at once.
#include "base/memory.h"

#include <string.h>

enum { ALIGNMENT = 64, SMALL_BLOCK = 16 * 1024 };

typedef struct limberi_arena_block {
    struct limberi_arena_block* next;
    void* memory; // what was allocated; the block starts at the first multiple of ALIGNMENT in it
    size_t used, size;
} block;

static size_t aligned(size_t value) {
    return (value + ALIGNMENT - 1) & ~(size_t)(ALIGNMENT - 1);
}

static block* block_create(size_t bytes) {
    size_t header = aligned(sizeof(block));
    if (bytes > SIZE_MAX - header - 2 * ALIGNMENT)
        return NULL;
    void* memory = limberi_allocate_zeroed(1, header + aligned(bytes) + ALIGNMENT - 1);
    if (!memory)
        return NULL;
    block* b = (block*)aligned((uintptr_t)memory);
    b->next = NULL;
    b->memory = memory;
    b->used = header;
    b->size = header + aligned(bytes);
    return b;
}

void* limberi_arena_allocate(limberi_arena* arena, size_t count, size_t size) {
    if (arena->failed || (size && count > (SIZE_MAX / 2) / size)) {
        arena->failed = true;
        return NULL;
    }
    size_t bytes = aligned(count && size ? count * size : 1);
    block* b = arena->blocks;
    if (!b || b->size - b->used < bytes) {
        block* fresh = block_create(bytes > SMALL_BLOCK / 4 ? bytes : SMALL_BLOCK);
        if (!fresh) {
            arena->failed = true;
            return NULL;
        }
        // A large block that is full from the start goes behind the current one, which still has room.
        if (b && bytes > SMALL_BLOCK / 4) {
            fresh->next = b->next;
            b->next = fresh;
        } else {
            fresh->next = b;
            arena->blocks = fresh;
        }
        b = fresh;
    }
    void* memory = (char*)b + b->used;
    b->used += bytes;
    return memory;
}

void* limberi_arena_copy(limberi_arena* arena, const void* items, size_t count, size_t size) {
    void* memory = limberi_arena_allocate(arena, count, size);
    if (memory && count && items)
        memcpy(memory, items, count * size);
    return memory;
}

char* limberi_arena_string(limberi_arena* arena, const char* text) {
    text = text ? text : "";
    return limberi_arena_copy(arena, text, strlen(text) + 1, 1);
}

void limberi_arena_adopt(limberi_arena* arena, limberi_arena* other) {
    block** end = &arena->blocks; // the first block stays first: it may have room
    if (arena->blocks)
        end = &arena->blocks->next;
    block* rest = *end;
    for (*end = other->blocks; *end;)
        end = &(*end)->next;
    *end = rest;
    arena->failed = arena->failed || other->failed;
    other->blocks = NULL;
    other->failed = false;
}

void limberi_arena_free(limberi_arena* arena) {
    for (block* b = arena->blocks; b;) {
        block* next = b->next;
        limberi_release(b->memory);
        b = next;
    }
    arena->blocks = NULL;
    arena->failed = false;
}

size_t limberi_arena_bytes(const limberi_arena* arena) {
    size_t bytes = 0;
    for (const block* b = arena->blocks; b; b = b->next)
        bytes += b->size;
    return bytes;
}
