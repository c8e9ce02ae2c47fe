// Joints by name: their own, or what they are in a human body.
#ifndef LIMBERI_JOINT_NAMES_H
#define LIMBERI_JOINT_NAMES_H

#include "text/names.h"
#include <limber/asset.h>

static inline bool limberi_joint_matches(const limber_rig* rig, uint32_t joint, const char* pattern) {
    return limberi_name_matches(rig->names[joint], pattern) ||
           (rig->bones && rig->bones[joint] && limberi_name_matches(rig->bones[joint], pattern));
}

#endif
