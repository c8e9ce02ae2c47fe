// The one table behind the style: all keys, their types and ranges, their help, and where binding puts their values.
#ifndef LIMBERI_STYLE_TABLE_H
#define LIMBERI_STYLE_TABLE_H

#include "deform/style_keys.h"
#include "keys/address.h"
#include <limber/stages/settings.h>

const limberi_row* limberi_row_at(uint32_t index);
// The settings that the offset of a row is in.
void* limberi_row_settings(uint32_t index, limber_stage_settings* settings);

// Stages that a build may do without (base/build.h).
typedef struct limberi_optional {
    bool present;
    bool needed; // a style that asks for it is refused; else it is warned of
    const char* name;
} limberi_optional;
// Whose keys the row is one of; NULL: this build has it.
const limberi_optional* limberi_row_absent(uint32_t index);

uint32_t limberi_section_count(void);
const limberi_section* limberi_section_at(uint32_t index);
// The section a row belongs to: the one with the longest path that leads to it.
uint32_t limberi_section_of(const limberi_row* row);

// -1: no effect of that name.
int32_t limberi_effect_find(const char* name);
// Whether the first `count` keys of the address lead towards this row.
bool limberi_row_accepts(const limberi_row* row, const limberi_address* address, uint32_t count);
// The row of exactly this address, -1: none.
int32_t limberi_row_find(const limberi_address* address);

// Forgets all keys of a section of a style, for instance when a file already shows what it says.
void limberi_style_drop_section(limber_style* style, const char* section);

#endif
