// The built-in sample characters, modelled, rigged and animated by code. Tests, benchmarks and demos share them.
#ifndef LIMBERI_CHARACTERS_H
#define LIMBERI_CHARACTERS_H

#include <limber/asset.h>

typedef struct limberi_character_info {
    const char* name;
    const char* summary; // one line for `limber sample --list`
} limberi_character_info;

uint32_t limberi_character_count(void);
// The first of them: characters for everything. The others were made for single figures of the papers, and what goes
// through all kinds of characters leaves them out.
uint32_t limberi_character_common_count(void);
const limberi_character_info* limberi_character_at(uint32_t index);

// `detail` multiplies the resolution along every edge (vertices grow with its square); 1 is the default.
// An unknown name is LIMBER_ERROR_ARGUMENT, more than LIMBERI_CHARACTER_VERTEX_LIMIT vertices LIMBER_ERROR_LIMIT.
#define LIMBERI_CHARACTER_VERTEX_LIMIT 1500000u
LIMBER_MUST_USE limber_result limberi_character_create(const char* name, double detail, limber_asset** asset,
                                                       limber_error* error);

#endif
