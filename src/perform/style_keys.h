// Style keys of the performance: timing and poses.
#ifndef LIMBERI_PERFORM_STYLE_KEYS_H
#define LIMBERI_PERFORM_STYLE_KEYS_H

#include "keys/bind.h"
#include <limber/stages/perform.h>

extern const limberi_keys limberi_perform_keys, limberi_perform_joint_keys; // of limber_perform_settings

// What the keys of joints say, once all are known.
limber_result limberi_bind_perform_joints(limberi_binder* binder, limber_perform_settings* settings);

#endif
