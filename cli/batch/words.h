// Lists of texts, in memory of an arena.
#ifndef LIMBER_CLI_BATCH_WORDS_H
#define LIMBER_CLI_BATCH_WORDS_H

#include "base/arena.h"
#include "base/error.h"

typedef struct batch_words {
    const char** items;
    uint32_t count, capacity;
} batch_words;

// Keep a copy of the text; false when memory is short (arena->failed).
bool batch_words_add(batch_words* words, limberi_arena* arena, const char* text);
bool batch_words_keep(batch_words* words, limberi_arena* arena, const char* text); // the text itself
// Of two texts, "%s%s".
bool batch_words_join(batch_words* words, limberi_arena* arena, const char* first, const char* second);
void batch_words_sort(batch_words* words);   // by their bytes
void batch_words_unique(batch_words* words); // keeps the first of the same, in order
char* batch_join(limberi_arena* arena, const char* a, const char* b, const char* c); // NULL when memory is short

#endif
