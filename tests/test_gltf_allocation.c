// Memory may run out at any of the allocations of the reader: it then says so, and leaks nothing (the sanitizer build
// sees to that).
#include "gltf_load.h"

static long left = -1; // allocations until one fails; negative: none does

static bool refuse(void) {
    return left >= 0 && left-- == 0;
}

// The linker sends the library's calls here (--wrap). Whatever the arena hands out may be what is missing, not only the
// blocks it takes from the system.
void* __real_calloc(size_t count, size_t size);
void* __real_limberi_json_take(limberi_json_document* json, size_t byte_count);
char* __real_limberi_json_take_text(limberi_json_document* json, size_t byte_count);
void* __real_limberi_arena_take(limberi_arena* arena, size_t count, size_t size);
void* __real_limberi_arena_copy(limberi_arena* arena, const void* items, size_t count, size_t size);
char* __real_limberi_arena_string(limberi_arena* arena, const char* text);
void* __wrap_calloc(size_t count, size_t size);
void* __wrap_limberi_json_take(limberi_json_document* json, size_t byte_count);
char* __wrap_limberi_json_take_text(limberi_json_document* json, size_t byte_count);
void* __wrap_limberi_arena_take(limberi_arena* arena, size_t count, size_t size);
void* __wrap_limberi_arena_copy(limberi_arena* arena, const void* items, size_t count, size_t size);
char* __wrap_limberi_arena_string(limberi_arena* arena, const char* text);

void* __real_realloc(void* memory, size_t size);
void* __wrap_realloc(void* memory, size_t size);
void* __wrap_realloc(void* memory, size_t size) {
    return refuse() ? NULL : __real_realloc(memory, size);
}

void* __wrap_calloc(size_t count, size_t size) {
    return refuse() ? NULL : __real_calloc(count, size);
}

void* __wrap_limberi_json_take(limberi_json_document* json, size_t byte_count) {
    json->arena.failed = json->arena.failed || refuse();
    return json->arena.failed ? NULL : __real_limberi_json_take(json, byte_count);
}

char* __wrap_limberi_json_take_text(limberi_json_document* json, size_t byte_count) {
    json->arena.failed = json->arena.failed || refuse();
    return json->arena.failed ? NULL : __real_limberi_json_take_text(json, byte_count);
}

void* __wrap_limberi_arena_take(limberi_arena* arena, size_t count, size_t size) {
    arena->failed = arena->failed || refuse();
    return __real_limberi_arena_take(arena, count, size);
}

void* __wrap_limberi_arena_copy(limberi_arena* arena, const void* items, size_t count, size_t size) {
    arena->failed = arena->failed || refuse();
    return __real_limberi_arena_copy(arena, items, count, size);
}

char* __wrap_limberi_arena_string(limberi_arena* arena, const char* text) {
    arena->failed = arena->failed || refuse();
    return __real_limberi_arena_string(arena, text);
}

static void each_failing_allocation_is_reported(void** state) {
    (void)state;
    gltf_kit kit;
    size_t size;
    kit_character(&kit);
    kit_set(&kit, "scenes/0/extensions", "{'LIMBER_style': {'limber': 1}}");
    kit_set(&kit, "nodes/1/rotation", "[0, 0, 0, 2]"); // worth a note
    uint8_t* bytes = kit_glb(&kit, &size);
    kit_end(&kit);
    long failures = 0;
    for (;; failures++) {
        limber_gltf* gltf;
        limber_error error;
        left = failures;
        limber_result result = limber_gltf_load_memory(bytes, size, ".", NULL, &gltf, &error);
        bool done = left >= 0;
        left = -1;
        if (result == LIMBER_OK)
            limber_gltf_destroy(gltf);
        if (done)
            break;
        if (result != LIMBER_ERROR_MEMORY)
            fail_msg("allocation %ld failed and the answer is %d: %s", failures, result, error.message);
    }
    assert_true(failures > 100);
    free(bytes);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_failing_allocation_is_reported),
    };
    return cmocka_run_group_tests_name("gltf allocation", tests, NULL, NULL);
}
