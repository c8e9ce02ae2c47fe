// What the hero's model and its motions share.
#ifndef LIMBERI_CHARACTERS_HERO_H
#define LIMBERI_CHARACTERS_HERO_H

#include "characters/biped.h"

enum { HERO_COLUMNS = 3, HERO_ROWS = 4 }; // of the cape: left, middle, right; from the shoulders down

typedef struct hero {
    biped body;
    uint32_t cape[HERO_COLUMNS][HERO_ROWS];
} hero;

// Where the cape is at rest: `across` from -1 (right) to 1 (left), `down` from 0 (shoulders) to 1 (hem).
limber_vec3 hero_cape_point(float across, float down);

void hero_model_cape(kit* k, const hero* rig);
void limberi_hero_clips(kit* k, const hero* rig);

#endif
