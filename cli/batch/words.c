// Lists of texts, in memory of an arena.
#include "cli/batch/batch.h"

#include <stdlib.h>
#include <string.h>

char* batch_join(limberi_arena* arena, const char* a, const char* b, const char* c) {
    size_t size = strlen(a) + strlen(b) + strlen(c) + 1;
    char* out = limberi_arena_allocate(arena, size, 1);
    if (out)
        limberi_format(out, size, "%s%s%s", a, b, c);
    return out;
}

bool batch_words_keep(batch_words* words, limberi_arena* arena, const char* text) {
    if (!text)
        return false;
    if (words->count == words->capacity) {
        uint32_t capacity = words->capacity ? 2 * words->capacity : 8;
        const char** items = LIMBERI_ALLOCATE(arena, const char*, capacity);
        if (!items)
            return false;
        if (words->count)
            memcpy(items, words->items, words->count * sizeof *items);
        words->items = items;
        words->capacity = capacity;
    }
    words->items[words->count++] = text;
    return true;
}

bool batch_words_add(batch_words* words, limberi_arena* arena, const char* text) {
    return batch_words_keep(words, arena, limberi_arena_string(arena, text));
}

int batch_compare_texts(const void* a, const void* b) {
    return strcmp(*(const char* const*)a, *(const char* const*)b);
}

void batch_words_sort(batch_words* words) {
    if (words->count)
        qsort(words->items, words->count, sizeof *words->items, batch_compare_texts);
}

typedef struct ranked {
    const char* text;
    uint32_t index;
} ranked;

static int compare_ranked(const void* a, const void* b) {
    const ranked* x = a;
    const ranked* y = b;
    int order = strcmp(x->text, y->text);
    if (order)
        return order;
    return x->index < y->index ? -1 : 1;
}

void batch_words_unique(batch_words* words) {
    ranked* order = malloc((words->count + (size_t)1) * sizeof *order);
    if (!order) // what stands twice is refused later
        return;
    for (uint32_t i = 0; i < words->count; i++) {
        ranked r = {words->items[i], i};
        order[i] = r;
    }
    qsort(order, words->count, sizeof *order, compare_ranked);
    for (uint32_t i = 1; i < words->count; i++)
        if (strcmp(order[i].text, order[i - 1].text) == 0)
            words->items[order[i].index] = NULL;
    free(order);
    uint32_t kept = 0;
    for (uint32_t i = 0; i < words->count; i++)
        if (words->items[i])
            words->items[kept++] = words->items[i];
    words->count = kept;
}

bool batch_is_among(const char* word, const char* const* words) {
    for (; *words; words++)
        if (strcmp(word, *words) == 0)
            return true;
    return false;
}
