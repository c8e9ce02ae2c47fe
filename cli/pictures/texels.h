// The colors of a character's textures, for motion lines.
#ifndef LIMBER_CLI_TEXELS_H
#define LIMBER_CLI_TEXELS_H

#include <limber/stages/stages.h>

typedef struct cli_texels cli_texels;

// Decodes the pictures and fills `reader`, which works until cli_texels_close. Pictures that cannot be read count as
// white. NULL: no memory, and the reader stays as it is.
cli_texels* cli_texels_open(const limber_model* model, limber_texel_reader* reader);
void cli_texels_close(cli_texels* texels);

#endif
