// What was met before, by its name or by where its bytes lie.
#ifndef LIMBERI_KNOWN_H
#define LIMBERI_KNOWN_H

#include "text/json.h"

// Numbers by a text, or by an address; 0: it is not known. When memory is short, what is set stays unknown, and false is
// what comes back at the end.
typedef struct limberi_known {
    limberi_json_document json;
} limberi_known;

int64_t limberi_known_get(const limberi_known* known, const char* key);
void limberi_known_set(limberi_known* known, const char* key, int64_t value);
int64_t limberi_known_at(const limberi_known* known, const void* bytes);
void limberi_known_put(limberi_known* known, const void* bytes, int64_t value);
bool limberi_known_free(limberi_known* known);

#endif
