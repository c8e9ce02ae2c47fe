// Lists of words: how the choices of a key are written in the table of the style.
#include "text/words.h"

#include "base/error.h"

#include <string.h>

static const char* word_start(const char* words, uint32_t index, size_t* length) {
    for (; words && *words; index--) {
        const char* end = strchr(words, ' ');
        *length = end ? (size_t)(end - words) : strlen(words);
        if (index == 0)
            return words;
        words = end ? end + 1 : NULL;
    }
    return NULL;
}

uint32_t limberi_word_count(const char* words) {
    uint32_t count = 0;
    size_t length;
    while (word_start(words, count, &length))
        count++;
    return count;
}

void limberi_word_at(const char* words, uint32_t index, char* out) {
    size_t length = 0;
    const char* start = word_start(words, index, &length);
    length = start && length < LIMBERI_WORD_BYTES ? length : 0;
    if (length)
        memcpy(out, start, length);
    out[length] = 0;
}

int32_t limberi_word_find(const char* words, const char* word) {
    for (uint32_t i = 0, count = limberi_word_count(words); i < count; i++) {
        char known[LIMBERI_WORD_BYTES];
        limberi_word_at(words, i, known);
        if (strcmp(known, word) == 0)
            return (int32_t)i;
    }
    return -1;
}

// "linear" or "dualquat"
void limberi_words_list(const char* choices, char* out, size_t size) {
    size_t length = 0;
    out[0] = 0;
    for (uint32_t i = 0, count = limberi_word_count(choices); i < count; i++) {
        const char* before = i + 1 < count ? ", " : " or ";
        char word[LIMBERI_WORD_BYTES];
        limberi_word_at(choices, i, word);
        bool bare = strcmp(word, "true") == 0 || strcmp(word, "false") == 0;
        limberi_format(out + length, size - length, bare ? "%s%s" : "%s\"%s\"", i ? before : "", word);
        length = strlen(out);
    }
}

void limberi_word_write(limberi_json_writer* writer, const char* words, uint32_t index) {
    char word[LIMBERI_WORD_BYTES];
    limberi_word_at(words, index, word);
    if (strcmp(word, "true") == 0 || strcmp(word, "false") == 0)
        limberi_json_raw(writer, word);
    else
        limberi_json_string(writer, word);
}

uint32_t limberi_words_in(const char* words, const char* json) {
    uint32_t bits = 0;
    for (uint32_t i = 0, count = limberi_word_count(words); i < count; i++) {
        char word[LIMBERI_WORD_BYTES];
        limberi_word_at(words, i, word);
        size_t length = strlen(word);
        for (const char* at = strstr(json, word); at; at = strstr(at + 1, word)) {
            bool starts = at == json || at[-1] == '"';
            bool ends = !at[length] || at[length] == '"';
            bits |= starts && ends ? 1u << i : 0;
        }
    }
    return bits;
}
