// A row of the table of style keys, as effects (src/deform/effects) and src/style describe theirs.
#ifndef LIMBERI_STYLE_ROW_H
#define LIMBERI_STYLE_ROW_H

#include <limber/stages/keys.h>

// What binding does with a value. `offset` of the row is where it goes.
typedef enum limberi_store {
    LIMBERI_STORE_NOTHING,
    LIMBERI_STORE_SIZE,     // float in limber_stage_settings
    LIMBERI_STORE_STEP,     // double in limber_stage_settings
    LIMBERI_STORE_STRENGTH, // of the whole style
    LIMBERI_STORE_MODE,     // enumeration in limber_stage_settings
    LIMBERI_STORE_NUMBER,   // limber_number in limber_effect_settings
    LIMBERI_STORE_DOUBLE,   // double in limber_effect_settings
    LIMBERI_STORE_VALUE,    // likewise, but no formula: the number, which word, or bit flags of words
    LIMBERI_STORE_LAYER,
    LIMBERI_STORE_JOINT_LAYER,
    LIMBERI_STORE_FILTER_TYPE, // enumeration in limber_filter; `part` says of which quantity
    LIMBERI_STORE_FILTER,      // double in limber_filter
    LIMBERI_STORE_CONE,        // `part` says which of the cone's keys
    LIMBERI_STORE_GAIN,        // of a joint, for the effects of the row; `part` is LIMBERI_GAIN_...
    LIMBERI_STORE_OFFSET,      // of a joint's centroid
    LIMBERI_STORE_AXIS,        // medial, of a joint
    LIMBERI_STORE_ABOUT,       // of a joint
    LIMBERI_STORE_SMEAR,       // in limber_smear_settings; `part` says as what
    LIMBERI_STORE_MESH_SMEAR,  // of a mesh; as LIMBERI_STORE_SMEAR
    LIMBERI_STORE_MESH_GAIN,   // of a mesh, for the effects of the row
    LIMBERI_STORE_SPIN,        // of a joint: whether smears ignore it
    LIMBERI_STORE_SMEAR_GAIN,  // of a joint and those below it
    LIMBERI_STORE_RIGID,
    LIMBERI_STORE_FLOAT,  // float in limber_stage_settings
    LIMBERI_STORE_IMPACT, // double in limber_stage_settings
    LIMBERI_STORE_MORPHS, // likewise
    LIMBERI_STORE_FLOOR,
    LIMBERI_STORE_CONTACT,  // of a joint
    LIMBERI_STORE_CONTACTS, // corrections
    LIMBERI_STORE_COLLIDERS,
    LIMBERI_STORE_WIND,
    LIMBERI_STORE_GRAVITY,
    LIMBERI_STORE_EXAGGERATE // in limber_exaggerate_settings; `part` says as what
} limberi_store;

enum { LIMBERI_GAIN_LINEAR = 1, LIMBERI_GAIN_ANGULAR = 2, LIMBERI_GAIN_BOTH = 3 };

typedef enum limberi_cone_key {
    LIMBERI_CONE_JOINT,
    LIMBERI_CONE_JOINTS,
    LIMBERI_CONE_FIT,
    LIMBERI_CONE_APEX,
    LIMBERI_CONE_AXIS,
    LIMBERI_CONE_HALF_ANGLE,
    LIMBERI_CONE_BASE_RADIUS,
    LIMBERI_CONE_KEY_COUNT
} limberi_cone_key;

// What only people read; the browser's light module does without it.
#ifdef LIMBERI_LIGHT
#define LIMBERI_TEXT(text) ""
#else
#define LIMBERI_TEXT(text) text
#endif

typedef struct limberi_row {
    limber_key key;
    limberi_store store;
    uint32_t effects; // bit i: limber_effect i has this key; filters: see limberi_row_effects
    uint32_t part;
    size_t offset;
} limberi_row;

// A group of rows: what the help and the documentation put under one heading. The path may hold a star.
typedef struct limberi_section {
    const char *path, *title, *text, *example;
} limberi_section;

#endif
