// Linear algebra for bone bakes.
#ifndef CLI_ALGEBRA_H
#define CLI_ALGEBRA_H

#include <limber/bake.h>

const limber_algebra* cli_algebra(void); // NULL: this build has none

#endif
