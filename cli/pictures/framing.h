// Where the camera of `limber render` stands, and where the floor lies.
#ifndef LIMBER_CLI_FRAMING_H
#define LIMBER_CLI_FRAMING_H

#include "cli/pictures/shot.h"

// Shows the camera everything that will be in a picture: the character, its copies and lines, with --compare also the
// plain character, in all frames of the range. In sheets and films it goes along with a character that travels. The
// floor is the one that the plain motion of the whole clip rests on (floor.h), so that a part of a jump is seen in the
// air and a styled character is compared on the same floor.
// Also measures what the style does in each frame.
int framing_look(shot* s);

#endif
