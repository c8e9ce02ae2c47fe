// The .png pictures of `limber render`: one moment, a pair, a contact sheet.
#ifndef LIMBER_CLI_STILLS_H
#define LIMBER_CLI_STILLS_H

#include "cli/pictures/shot.h"

// What the options ask for, into options.common.output.
int stills_save(const shot* s);

#endif
