// --repair, and what was repaired in words.
#ifndef LIMBER_CLI_REPAIRS_H
#define LIMBER_CLI_REPAIRS_H

#include <limber/gltf.h>

// "all", "none" or names with commas between; NULL: none.
int cli_parse_repairs(const char* text, uint32_t* repairs);

// One line each on stderr.
void cli_list_repairs(const char* output, const uint32_t* repaired);

#endif
