// All memory of the library comes from here, and so from the allocator that the program chose (limber_set_allocator).
#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

static limber_allocator chosen; // allocate NULL: malloc and free

void limber_set_allocator(const limber_allocator* allocator) {
    const limber_allocator none = {NULL, NULL, NULL};
    chosen = allocator ? *allocator : none;
}

void* limberi_allocate(size_t byte_count) {
    byte_count = byte_count ? byte_count : 1;
    return chosen.allocate ? chosen.allocate(chosen.user, byte_count) : malloc(byte_count);
}

void* limberi_allocate_zeroed(size_t count, size_t size) {
    if (!chosen.allocate)
        return calloc(count ? count : 1, size ? size : 1);
    if (size && count > SIZE_MAX / size)
        return NULL;
    void* memory = limberi_allocate(count * size);
    return memory ? memset(memory, 0, count * size) : NULL;
}

void* limberi_reallocate(void* old, size_t old_bytes, size_t new_bytes) {
    if (!chosen.allocate)
        return realloc(old, new_bytes ? new_bytes : 1);
    void* memory = limberi_allocate(new_bytes);
    if (!memory)
        return NULL;
    if (old_bytes)
        memcpy(memory, old, old_bytes < new_bytes ? old_bytes : new_bytes);
    limberi_release(old);
    return memory;
}

void* limberi_list_with_room(void* list, uint32_t count, uint32_t* room, size_t item_size) {
    if (count < *room)
        return list;
    uint32_t more = *room ? 2 * *room : 64;
    bool fits = more > *room && more <= SIZE_MAX / 2 / item_size;
    void* grown = fits ? limberi_reallocate(list, *room * item_size, more * item_size) : NULL;
    *room = grown ? more : *room;
    return grown;
}

void limberi_release(void* memory) {
    if (!memory)
        return;
    if (chosen.allocate)
        chosen.release(chosen.user, memory);
    else
        free(memory);
}

void limber_release(void* memory) {
    limberi_release(memory);
}
