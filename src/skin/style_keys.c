// The style keys of skinning: how joints blend, and what moving morph targets do.
#include "skin/style_keys.h"

#include <stddef.h>
#include <string.h>

static limber_result bind_morphs(limberi_binder* b, const limberi_entry* entry, void* settings) {
    if (!b->model->morph_count && entry->value.numbers[0] != 0)
        limberi_bind_warn(b, entry, "does nothing: this character has no morph targets");
    memcpy((char*)settings + entry->row->offset, &entry->value.numbers[0], sizeof(double));
    return LIMBER_OK;
}

static const limberi_reader morph_reader = {.bind = bind_morphs};
#define MORPH_READER (LIMBERI_HAS_MORPHS ? &morph_reader : NULL)

static const limberi_row skinning_rows[] = {
    LIMBERI_ROW("skinning", CHOICE, "", 0, 0, false, "\"linear\"", "linear dualquat",
                "how joint transforms blend, before any effect", CHOICE, 0, 0, 0, NULL),
};
static const limberi_row morph_rows[] = {
    LIMBERI_ROW("morphs.drag", CONSTANT, "s", -1000, 1000, false, "0", NULL,
                "how far vertices lag behind the motion of morph targets", OWN, 0, 0,
                offsetof(limber_morph_settings, drag), MORPH_READER),
    LIMBERI_ROW("morphs.squash", CONSTANT, "s", -1000, 1000, false, "0", NULL,
                "stretch along the motion of morph targets, with thinning across it", OWN, 0, 0,
                offsetof(limber_morph_settings, squash), MORPH_READER),
    LIMBERI_ROW("morphs.max", CONSTANT, "L", 0, 1000, false, "0", NULL, "max displacement of both; 0: no limit", OWN, 0,
                0, offsetof(limber_morph_settings, max), MORPH_READER),
};
static const limberi_section morph_sections[] = {
    {"morphs", "morphs",
     LIMBERI_TEXT(
         "Morph targets that move fast drag and squash the vertices they move, like joints do with their skin."),
     LIMBERI_TEXT("{\"morphs\": {\"drag\": 0.05, \"squash\": 0.2, \"max\": 0.05}}")},
};

const limberi_keys limberi_skinning_keys = LIMBERI_KEYS(skinning_rows);
const limberi_keys limberi_morph_keys = LIMBERI_KEYS_OF(morph_rows, morph_sections);
