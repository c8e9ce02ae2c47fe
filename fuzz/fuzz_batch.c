// Fuzzes JOBS.json: any bytes in, an error in one line or groups of jobs out. What follows a zero byte is a pattern and,
// after the next one, a text that it may match.
#include "cli/batch/batch.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);
size_t LLVMFuzzerMutate(uint8_t* data, size_t size, size_t max_size);
size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t max_size, unsigned int seed);

static void check(bool holds) {
    if (!holds)
        abort();
}

static void check_words(const batch_words* words) {
    for (uint32_t i = 0; i < words->count; i++)
        check(words->items[i] != NULL);
}

static void check_group(const batch_group* group) {
    check(group->inputs.count > 0 && group->style_count > 0);
    check_words(&group->inputs);
    check_words(&group->clips);
    check_words(&group->options);
    for (uint32_t s = 0; s < group->style_count; s++)
        for (uint32_t i = 0; i < group->styles[s].sets.count; i++)
            check(strchr(group->styles[s].sets.items[i], '=') != NULL);
}

static void check_pattern(const uint8_t* data, size_t size) {
    char* pattern = malloc(size + 2);
    check(pattern != NULL);
    memcpy(pattern, data, size);
    pattern[size] = pattern[size + 1] = 0;
    const char* text = pattern + strlen(pattern) + (strlen(pattern) < size);
    bool matches = batch_matches(pattern, text);
    check(batch_has_wildcards(pattern) || matches == (strcmp(pattern, text) == 0));
    check(batch_matches("*", text));
    free(pattern);
}

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    limberi_arena arena = {NULL, false};
    batch_groups groups;
    limber_error error;
    const uint8_t* split = size ? memchr(data, 0, size) : NULL;
    size_t length = split ? (size_t)(split - data) : size;
    limber_result result = batch_jobs_read((const char*)data, length, &arena, &groups, &error);
    check((result == LIMBER_OK) == (groups.count > 0));
    if (result != LIMBER_OK)
        check(error.result == result && error.message[0] && !strpbrk(error.message, "\r\n") &&
              !strpbrk(error.place, "\r\n"));
    for (uint32_t g = 0; g < groups.count; g++)
        check_group(&groups.items[g]);
    if (split)
        check_pattern(split + 1, size - length - 1);
    limberi_arena_free(&arena);
    return 0;
}

// Plain mutation rarely spells a key.
size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t max_size, unsigned int seed) {
    static const char* const pieces[] = {"{",
                                         "}",
                                         "[",
                                         "]",
                                         ":",
                                         ",",
                                         "\"inputs\":",
                                         "\"styles\":",
                                         "\"clips\":",
                                         "\"jobs\":",
                                         "\"output\":",
                                         "\"options\":",
                                         "\"set\":",
                                         "\"fps\":",
                                         "\"range\":",
                                         "\"bake\":",
                                         "\"targets\":",
                                         "\"normals\":",
                                         "\"name\":",
                                         "\"style\":",
                                         "\"a/*.glb\"",
                                         "\"cartoon\"",
                                         "24",
                                         "false",
                                         "{\"inputs\":[\"a\"],",
                                         "[a-z]",
                                         "[!",
                                         "**",
                                         "{name}"};
    uint32_t random = seed * 2654435761u + 12345u;
    const char* piece = pieces[(random >> 3) % (sizeof pieces / sizeof *pieces)];
    size_t length = random >> 29 < 4 ? strlen(piece) : 0;
    if (!length || size + length > max_size)
        return LLVMFuzzerMutate(data, size, max_size);
    size_t at = size ? (random ^ random >> 16) % (size + 1) : 0;
    memmove(data + at + length, data + at, size - at);
    memcpy(data + at, piece, length);
    return size + length;
}
