// Style keys of the motion stage.
#ifndef LIMBERI_MOTION_STYLE_KEYS_H
#define LIMBERI_MOTION_STYLE_KEYS_H

#include "keys/bind.h"
#include <limber/stages/motion.h>

extern const limberi_keys limberi_derivative_keys, limberi_loop_keys; // of limber_motion_settings
extern const limberi_keys limberi_air_keys;                           // of limber_air_settings

#endif
