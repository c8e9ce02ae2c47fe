// Lists of words such as "linear dualquat".
#ifndef LIMBERI_WORDS_H
#define LIMBERI_WORDS_H

#include "text/json_write.h"

#include <stdint.h>

enum { LIMBERI_WORD_BYTES = 24 };

uint32_t limberi_word_count(const char* words);
void limberi_word_at(const char* words, uint32_t index, char* out);
void limberi_word_write(limberi_json_writer* writer, const char* words, uint32_t index); // true and false bare
void limberi_words_list(const char* words, char* out, size_t size);                      // "linear" or "dualquat"
int32_t limberi_word_find(const char* words, const char* word);                          // -1: not there
// Which of the words stand, in quotes or bare, in a JSON value: bit flags.
uint32_t limberi_words_in(const char* words, const char* json);

#endif
