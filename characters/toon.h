// What the toon's model and its motions share.
#ifndef LIMBERI_CHARACTERS_TOON_H
#define LIMBERI_CHARACTERS_TOON_H

#include "characters/biped.h"

typedef struct toon {
    biped body;
    uint32_t hat;
} toon;

// His rig and mesh; with or without what he holds.
void limberi_model_toon(kit* k, toon* rig, bool umbrella);
void limberi_toon_clips(kit* k, const toon* rig);

#endif
