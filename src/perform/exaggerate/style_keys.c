// The style keys of skeleton exaggeration.
#include "perform/exaggerate/style_keys.h"

#include <stddef.h>

// Formulas may use what is the same for all vertices, and the joint's own speed.
#define SCOPE                                                                                                          \
    { ((1u << LIMBER_VARIABLE_FRAME_COUNT) - 1) | 1u << LIMBER_VARIABLE_SPEED, false }

static const limberi_reader constraint_scope = {.scope = SCOPE};

// They stand in a list and so have no address.
static const limberi_row constraint_rows[] = {
    LIMBERI_ROW("exaggerate.constraints[].joint", TEXT, "", 0, 0, false, NULL, NULL,
                "joint to pull; with a * all that match", NOTHING, 0, 0, 0, &constraint_scope),
    LIMBERI_ROW("exaggerate.constraints[].elongate", NUMBER, "L", -10, 10, false, NULL, NULL,
                "pull along the bone, away from the parent; formulas may use t, frame, phase and the joint's speed "
                "[L/s]",
                NOTHING, 0, 0, 0, &constraint_scope),
    LIMBERI_ROW("exaggerate.constraints[].keys", OTHER, "", 0, 0, false, NULL, NULL,
                "instead of elongate: [[seconds, [x, y, z]], ...], world positions", NOTHING, 0, 0, 0,
                &constraint_scope),
    LIMBERI_ROW("exaggerate.constraints[].relative", SWITCH, "", 0, 0, false, "false", NULL,
                "keys are offsets from the joint's position, in units of L", NOTHING, 0, 0, 0, &constraint_scope),
    LIMBERI_ROW("exaggerate.constraints[].window", CONSTANT, "s", 0, 1000, true, "0.5", NULL,
                "how long before and after its keys a pull acts", NOTHING, 0, 0, 0, &constraint_scope),
    LIMBERI_ROW("exaggerate.constraints[].weight", CONSTANT, "", 0, 1e6, false, "1", NULL,
                "weight of the pull against the shape of the skeleton, which has weight 1", NOTHING, 0, 0, 0,
                &constraint_scope),
};

static const limberi_reader filter_reader = {.bind = limberi_bind_filtered_joints};
static const limberi_reader constraints_reader = {.scope = SCOPE,
                                                  .check = limberi_constraints_check,
                                                  .bind_json = limberi_bind_constraints,
                                                  .items = constraint_rows,
                                                  .item_count = sizeof constraint_rows / sizeof *constraint_rows};

static const limberi_reader change_reader = {.scope = {(1u << LIMBER_VARIABLE_FRAME_COUNT) - 1, false},
                                             .bind = limberi_bind_exaggerate_change};
#define CHANGE (LIMBERI_HAS_CLIPS ? &change_reader : NULL)

static const limberi_row rows[] = {
    LIMBERI_ROW("exaggerate.filter.amount", NUMBER, "", -100, 100, false, "0", NULL,
                "strength of anticipation before a motion and overshoot after it", OWN, 0, 0,
                offsetof(limber_exaggerate_settings, amount), CHANGE),
    LIMBERI_ROW("exaggerate.filter.sigma", NUMBER, "s", 0.001, 10, false, "0.12", NULL,
                "time scale of anticipation and overshoot; swings that last 4.4 sigma grow the most", OWN, 0, 0,
                offsetof(limber_exaggerate_settings, sigma_s), CHANGE),
    LIMBERI_ROW("exaggerate.filter.joints", TEXT, "", 0, 0, false, "\"*\"", NULL,
                "joints to filter; separate names with commas", OWN, 0, 0,
                offsetof(limber_exaggerate_settings, filter_joints), LIMBERI_HAS_CLIPS ? &filter_reader : NULL),
    LIMBERI_ROW("exaggerate.filter.delay", NUMBER, "s", -10, 10, false, "0", NULL,
                "delay of each joint relative to its parent", OWN, 0, 0, offsetof(limber_exaggerate_settings, delay_s),
                CHANGE),
    LIMBERI_ROW("exaggerate.constraints", OTHER, "", 0, 0, false, "[]", "auto",
                "joints to pull; \"auto\": fast, far-reaching joints in every beat of the motion", OWN, 0, 0,
                offsetof(limber_exaggerate_settings, constraints), LIMBERI_HAS_CLIPS ? &constraints_reader : NULL),
    LIMBERI_ROW("exaggerate.strength", NUMBER, "L", -10, 10, false, "0.1", NULL, "max pull of \"auto\" constraints",
                OWN, 0, 0, offsetof(limber_exaggerate_settings, strength), CHANGE),
    LIMBERI_ROW("exaggerate.limit", CONSTANT, "L", 0, 10, false, "0", NULL,
                "how far joints may get from where the clip has them, filter and pulls together; 0: no limit", DOUBLE,
                0, 0, offsetof(limber_exaggerate_settings, limit), NULL),
    LIMBERI_ROW(
        "exaggerate.pin_root", CHOICE, "", 0, 0, false, "true", "false true paper",
        "keep the joint where the bones meet in place; false: a pull may move the whole skeleton; \"paper\": its "
        "neighbors give way to pulls",
        CHOICE, 0, 0, offsetof(limber_exaggerate_settings, pin_root), NULL),
    LIMBERI_ROW("exaggerate.kinematic", CONSTANT, "", 0, 1, false, "0", NULL,
                "how much bones keep their length under a pull, and joints turn instead", DOUBLE, 0, 0,
                offsetof(limber_exaggerate_settings, kinematic), NULL),
    LIMBERI_ROW("exaggerate.spread", CHOICE, "", 0, 0, false, "\"bilaplace\"", "bilaplace laplace",
                "how pulls at single moments fade in and out: smoothly (bilaplace) or linearly (laplace)", CHOICE, 0, 0,
                offsetof(limber_exaggerate_settings, spread), NULL),
    LIMBERI_ROW("exaggerate.smooth", CONSTANT, "", 0, 100, false, "0", NULL,
                "smoothing passes over the pulls, each about 1/30 s wide", DOUBLE, 0, 0,
                offsetof(limber_exaggerate_settings, smooth), NULL),
    LIMBERI_ROW("exaggerate.stretch_skin", SWITCH, "", 0, 0, false, "true", NULL,
                "stretch the skin along bones that get longer", SWITCH, 0, 0,
                offsetof(limber_exaggerate_settings, stretch_skin), NULL),
};

static const limberi_section sections[] = {
    {"exaggerate", "exaggerate",
     LIMBERI_TEXT(
         "Edits the motion of the skeleton before anything else: joints are pulled, and the rest of the skeleton "
         "follows "
         "like rubber; bones get longer and shorter. A constraint has a joint and either elongate or keys. Where the "
         "windows of two keys meet, the pull changes linearly from one to the next; elsewhere it returns to zero."),
     LIMBERI_TEXT("{\"exaggerate\": {\"constraints\": [{\"joint\": \"RightHand\", \"elongate\": \"0.4 * speed\"},\n"
                  "                                {\"joint\": \"LeftFoot\", \"keys\": [[0.5, [0, 0.2, 0]]], "
                  "\"relative\": true, "
                  "\"window\": 0.4}],\n"
                  "                \"smooth\": 2}}")},
    {"exaggerate.filter", "exaggerate.filter",
     LIMBERI_TEXT("The cartoon filter, on the rotations and translations of all joints. Motions get anticipation when "
                  "they start, "
                  "and overshoot and settle when they stop; rest and uniform motion stay unchanged."),
     LIMBERI_TEXT(
         "{\"exaggerate\": {\"filter\": {\"amount\": 0.5, \"sigma\": 0.12, \"joints\": \"*Arm*, *Hand*\", \"delay\": "
         "0.02}}}")},
};

const limberi_keys limberi_exaggerate_keys = LIMBERI_KEYS_OF(rows, sections);
