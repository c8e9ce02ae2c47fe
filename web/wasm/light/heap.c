// Memory of the light module: a list of free pieces in the order of their addresses. Slower than the C library's with
// thousands of pieces, and a tenth of its code.
#include <stddef.h>
#include <stdint.h>
#include <string.h>

typedef struct piece {
    size_t bytes; // this header included
    struct piece* next;
    size_t unused[2]; // what follows is aligned to 16 bytes
} piece;

_Static_assert(sizeof(piece) == 16, "vectors need it");

enum { PAGE = 65536, GRANULE = 16 };

static const size_t max_bytes = 0xffff0000u - PAGE;

static piece* first;

static piece* after(piece* p) {
    return (piece*)(void*)((char*)p + p->bytes);
}

static void join_next(piece* p) {
    if (p->next && after(p) == p->next) {
        p->bytes += p->next->bytes;
        p->next = p->next->next;
    }
}

static void put_back(piece* p) {
    piece* before = NULL;
    piece* next = first;
    while (next && next < p) {
        before = next;
        next = next->next;
    }
    p->next = next;
    if (before)
        before->next = p;
    else
        first = p;
    join_next(p);
    if (before)
        join_next(before);
}

// More memory at the end. False: there is none.
static int grow(size_t bytes) {
    size_t pages = bytes / PAGE + 1;
    size_t at = __builtin_wasm_memory_grow(0, pages);
    if (at == (size_t)-1)
        return 0;
    piece* p = (piece*)(uintptr_t)(at * PAGE);
    p->bytes = pages * PAGE;
    put_back(p);
    return 1;
}

static void* carve(size_t bytes) {
    for (piece **link = &first, *p = first; p; link = &p->next, p = p->next) {
        if (p->bytes < bytes)
            continue;
        if (p->bytes - bytes >= 2 * sizeof *p) { // the rest stays
            piece* rest = (piece*)(void*)((char*)p + bytes);
            rest->bytes = p->bytes - bytes;
            rest->next = p->next;
            *link = rest;
            p->bytes = bytes;
        } else {
            *link = p->next;
        }
        return p + 1;
    }
    return NULL;
}

void* malloc(size_t bytes) {
    if (bytes > max_bytes)
        return NULL;
    size_t whole = (bytes + sizeof(piece) + GRANULE - 1) / GRANULE * GRANULE;
    void* memory = carve(whole);
    return memory || !grow(whole) ? memory : carve(whole);
}

void free(void* memory) {
    if (memory)
        put_back((piece*)memory - 1);
}

void* calloc(size_t count, size_t size) {
    size_t bytes;
    void* memory = __builtin_mul_overflow(count, size, &bytes) ? NULL : malloc(bytes);
    return memory ? memset(memory, 0, bytes) : NULL;
}

void* realloc(void* memory, size_t bytes) {
    size_t has = memory ? ((piece*)memory - 1)->bytes - sizeof(piece) : 0;
    if (bytes <= has && memory)
        return memory;
    void* other = malloc(bytes);
    if (other && memory)
        memcpy(other, memory, has);
    if (other)
        free(memory);
    return other;
}
