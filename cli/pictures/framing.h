// Where the camera of `limber render` stands, and where the floor lies.
#ifndef LIMBER_CLI_FRAMING_H
#define LIMBER_CLI_FRAMING_H

#include "cli/pictures/shot.h"

// Shows the camera everything that will be in a picture: the character, its copies and lines, with --compare also the
// plain character, in all frames of the range. The floor lies under the lowest point of the whole clip, so that a part
// of a jump is seen in the air; the plain and the styled character each have a floor.
int framing_look(shot* s);

#endif
