// The built-in sample characters, modelled, rigged and animated by code. Tests, benchmarks and demos share them.
#ifndef LIMBER_CHARACTERS_H
#define LIMBER_CHARACTERS_H

#include <limber/asset.h>

typedef struct limber_character_info {
    const char* name;
    const char* summary; // one line for `limber sample --list`
} limber_character_info;

uint32_t limber_character_count(void);
const limber_character_info* limber_character_at(uint32_t index);

// `detail` multiplies the resolution along every edge (vertices grow with its square); 1 is the default.
// An unknown name is LIMBER_ERROR_ARGUMENT, more than LIMBER_CHARACTER_VERTEX_LIMIT vertices LIMBER_ERROR_LIMIT.
#define LIMBER_CHARACTER_VERTEX_LIMIT 1500000u
LIMBER_MUST_USE limber_result limber_character_create(const char* name, double detail, limber_asset** asset,
                                                      limber_error* error);

#endif
