// Counts the wrapped allocations (--wrap) and fails the one that a test chose.
#include "kit/failing_memory.h"
#include "base/memory.h"
#include "text/json.h"

#include <stdatomic.h>

static atomic_long left = -1; // allocations until one fails; negative: none does
static atomic_size_t taken_count, taken_bytes;

void test_memory_allow(long count) {
    atomic_store(&left, count);
}

bool test_memory_end(void) {
    return atomic_exchange(&left, -1) < 0;
}

void test_memory_forget(void) {
    atomic_store(&taken_count, 0);
    atomic_store(&taken_bytes, 0);
}

size_t test_memory_taken_count(void) {
    return atomic_load(&taken_count);
}

size_t test_memory_taken_bytes(void) {
    return atomic_load(&taken_bytes);
}

static bool refuse(void) {
    return atomic_load(&left) >= 0 && atomic_fetch_sub(&left, 1) == 0;
}

static bool refuse_bytes(size_t size) {
    atomic_fetch_add(&taken_count, 1);
    atomic_fetch_add(&taken_bytes, size);
    return refuse();
}

// --- what the linker puts in the place of the functions ---

void* __real_malloc(size_t size);
void* __real_calloc(size_t count, size_t size);
void* __real_realloc(void* old, size_t size);
void* __real_aligned_alloc(size_t alignment, size_t size);
void* __real_limberi_arena_allocate(limberi_arena* arena, size_t count, size_t size);
void* __real_limberi_arena_copy(limberi_arena* arena, const void* items, size_t count, size_t size);
char* __real_limberi_arena_string(limberi_arena* arena, const char* text);
void* __real_limberi_json_allocate(limberi_json_document* json, size_t byte_count);
char* __real_limberi_json_allocate_text(limberi_json_document* json, size_t byte_count);

void* __wrap_malloc(size_t size);
void* __wrap_calloc(size_t count, size_t size);
void* __wrap_realloc(void* old, size_t size);
void* __wrap_aligned_alloc(size_t alignment, size_t size);
void* __wrap_limberi_arena_allocate(limberi_arena* arena, size_t count, size_t size);
void* __wrap_limberi_arena_copy(limberi_arena* arena, const void* items, size_t count, size_t size);
char* __wrap_limberi_arena_string(limberi_arena* arena, const char* text);
void* __wrap_limberi_json_allocate(limberi_json_document* json, size_t byte_count);
char* __wrap_limberi_json_allocate_text(limberi_json_document* json, size_t byte_count);

void* __wrap_malloc(size_t size) {
    return refuse_bytes(size) ? NULL : __real_malloc(size);
}

void* __wrap_calloc(size_t count, size_t size) {
    return refuse_bytes(count * size) ? NULL : __real_calloc(count, size);
}

void* __wrap_realloc(void* old, size_t size) {
    return refuse_bytes(size) ? NULL : __real_realloc(old, size);
}

void* __wrap_aligned_alloc(size_t alignment, size_t size) {
    return refuse_bytes(size) ? NULL : __real_aligned_alloc(alignment, size);
}

void* __wrap_limberi_arena_allocate(limberi_arena* arena, size_t count, size_t size) {
    arena->failed = arena->failed || refuse();
    return __real_limberi_arena_allocate(arena, count, size);
}

void* __wrap_limberi_arena_copy(limberi_arena* arena, const void* items, size_t count, size_t size) {
    arena->failed = arena->failed || refuse();
    return __real_limberi_arena_copy(arena, items, count, size);
}

char* __wrap_limberi_arena_string(limberi_arena* arena, const char* text) {
    arena->failed = arena->failed || refuse();
    return __real_limberi_arena_string(arena, text);
}

// Values and texts of a JSON tree are taken from pieces of its arena; each counts as one.
void* __wrap_limberi_json_allocate(limberi_json_document* json, size_t byte_count) {
    json->arena.failed = json->arena.failed || refuse();
    return json->arena.failed ? NULL : __real_limberi_json_allocate(json, byte_count);
}

char* __wrap_limberi_json_allocate_text(limberi_json_document* json, size_t byte_count) {
    json->arena.failed = json->arena.failed || refuse();
    return json->arena.failed ? NULL : __real_limberi_json_allocate_text(json, byte_count);
}
