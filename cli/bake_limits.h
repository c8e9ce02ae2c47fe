// What a baked file must keep to: the size that a person allows, and what a player can read.
#ifndef LIMBER_CLI_BAKE_LIMITS_H
#define LIMBER_CLI_BAKE_LIMITS_H

#include <limber/limber.h>

// A player, by the name that --profile takes.
typedef struct cli_profile {
    const char* name;
    uint32_t targets;    // on a mesh
    uint32_t influences; // of a vertex
    bool dense;          // it reads no sparse accessors, or some of its versions do not
    bool packed;         // it reads EXT_meshopt_compression
} cli_profile;

// CLI_USAGE where there is none of that name; `name` NULL: *profile is NULL.
int cli_find_profile(const char* name, const cli_profile** profile);

// "3x" (of the plain character), "2MB", "500kB", "1.5GB" or bytes. CLI_USAGE where it is none of them.
int cli_parse_size(const char* text, double plain_bytes, double* bytes);

// Says what the profile's player will not read of a character.
void cli_warn_of_profile(const char* output, const cli_profile* profile, const limber_model* model);

#endif
