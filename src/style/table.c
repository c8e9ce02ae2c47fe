// A new key is one row here; those of an effect stand with the effect (deform/effects). A new section is a block of rows
// and one entry of `sections` in sections.c.
#include "style/table.h"
#include "deform/effects/keys.h"
#include "style/colliders_value.h"
#include "style/rigid_value.h"

// The columns: path, type, unit, range (and whether its lower end is left out), default, choices, help; then what
// binding does with the value, for which effects, and where it goes.
#define ROW(path, type, unit, min, max, above, standard, choices, help, store, effects, part, offset)                  \
    {                                                                                                                  \
        {path, LIMBER_KEY_##type, unit, min, max, above, standard, choices, LIMBERI_TEXT(help)},                       \
            LIMBERI_STORE_##store, effects, part, offset                                                               \
    }

// --- rows that several sections share the shape of ---

#define MODE(name, member, standard, choices, help)                                                                    \
    ROW(name, CHOICE, "", 0, 0, false, standard, choices, help, MODE, 0, 0, offsetof(limber_stage_settings, member))

#define FILTER(where, quantity)                                                                                        \
    ROW("effects.*.filter" where ".type", CHOICE, "", 0, 0, false, "\"none\"", "none lowpass spring",                  \
        "lowpass smooths and delays; spring overshoots and settles", FILTER_TYPE, 0, LIMBERI_QUANTITY_##quantity, 0),  \
        ROW("effects.*.filter" where ".gamma", CONSTANT, "", 0, 1, true, "0.6", NULL,                                  \
            "lowpass: fraction of the way to the new value per 1/60 s; smaller is smoother", FILTER, 0,                \
            LIMBERI_QUANTITY_##quantity, offsetof(limber_filter, gamma)),                                              \
        ROW("effects.*.filter" where ".frequency", CONSTANT, "Hz", 0, 1000, true, "3", NULL,                           \
            "spring: oscillations per second", FILTER, 0, LIMBERI_QUANTITY_##quantity,                                 \
            offsetof(limber_filter, frequency_hz)),                                                                    \
        ROW("effects.*.filter" where ".damping", CONSTANT, "", 0, 1000, false, "0.3", NULL,                            \
            "spring: damping ratio; 0 never settles, 1 settles without overshoot", FILTER, 0,                          \
            LIMBERI_QUANTITY_##quantity, offsetof(limber_filter, damping))

#define JOINT_GAIN(name, effects, part, help)                                                                          \
    ROW("joints.*." name, NUMBER, "", -LIMBERI_MAX_GAIN, LIMBERI_MAX_GAIN, false, "1", NULL, help, GAIN, effects,      \
        part, 0)

#define SMEAR(name, type, unit, min, max, standard, choices, help, part, member)                                       \
    ROW("smear." name, type, unit, min, max, false, standard, choices, help, SMEAR, 0, LIMBERI_SMEAR_##part,           \
        offsetof(limber_smear_settings, member))

// The same for meshes by name; without a default, since it is that of all meshes.
#define MESH_SMEAR(name, unit, min, max, choices, help, part, member)                                                  \
    ROW("meshes.*.smear." name, NUMBER, unit, min, max, false, NULL, choices, help, MESH_SMEAR, 0,                     \
        LIMBERI_SMEAR_##part, offsetof(limber_smear_settings, member))

#define EXAGGERATE(name, type, unit, min, max, standard, choices, help, part, member)                                  \
    ROW("exaggerate." name, type, unit, min, max, false, standard, choices, help, EXAGGERATE, 0,                       \
        LIMBERI_EXAGGERATE_##part, offsetof(limber_exaggerate_settings, member))

#define CONSTRAINT(name, type, unit, min, max, above, standard, help)                                                  \
    ROW("exaggerate.constraints[]." name, type, unit, min, max, above, standard, NULL, help, EXAGGERATE, 0, 0, 0)

// --- the table ---

// The words of a choice stand in the order of the enumeration they are stored in.
static const limberi_row first_rows[] = {
    // the style as a whole
    ROW("limber", CONSTANT, "", 1, 1, false, "1", NULL, "version of the style format", NOTHING, 0, 0, 0),
    ROW("$schema", TEXT, "", 0, 0, false, NULL, NULL, "location of the JSON Schema, for editors; limber ignores it",
        NOTHING, 0, 0, 0),
    ROW("size", CONSTANT, "model units", 0, 1e9, true, "\"auto\"", "auto",
        "length L that gains are relative to; \"auto\": diameter of the smallest ball around the rest pose", SIZE, 0, 0,
        offsetof(limber_stage_settings, deform.size)),
    MODE("skinning", skinning, "\"linear\"", "linear dualquat", "how joint transforms blend, before any effect"),
    ROW("derivative_step", CONSTANT, "s", 1e-4, 1, false, "\"auto\"", "auto",
        "time step of velocities and accelerations; \"auto\": 1/24 s, whatever the clip's rate", STEP, 0, 0,
        offsetof(limber_stage_settings, motion.step_s)),
    MODE("derivatives", motion.derivatives, "\"differences\"", "differences analytic",
         "velocities by differences, or from the curves of the clip (and accelerations of cubic splines)"),
    ROW("strength", NUMBER, "", 0, 2, false, "1", NULL,
        "multiplies the whole style; formulas may use t, frame and phase: \"key(1, 1, 1.2, 2, 1.5, 1)\"", STRENGTH, 0,
        0, 0),
    MODE("loop", motion.loop, "\"auto\"", "auto false true",
         "whether clips loop; \"auto\": clips whose first and last pose agree within 8 degrees and 0.02 L, travel "
         "aside"),
    MODE("normals", deform.normals, "\"averaged\"", "averaged jacobian",
         "how normals follow the effects: averaged from the triangles, or by the Jacobian of the deformation"),
    MODE("compose", deform.compose, "\"sum\"", "sum chain",
         "how joints work together: displacements are summed, or applied one after another up the hierarchy, which "
         "keeps "
         "lengths"),
    ROW("rigid", OTHER, "", 0, 0, false, "\"off\"", LIMBERI_RIGID_WORDS,
        "which props, helmets and robot parts keep their shape: all, or {\"only\": [names], \"except\": [names]}; see "
        "docs/rigid.md",
        RIGID, 0, 0, 0),
    ROW("contact", CONSTANT, "", 0, 1, false, "0", NULL,
        "how firmly what stands on the ground stays there, and how firmly the floor holds", FLOAT, 0, 0,
        offsetof(limber_stage_settings, contacts.strength)),
    ROW("floor", CONSTANT, "model units", -1e9, 1e9, false, "\"auto\"", "auto none",
        "height of the floor; \"auto\": where the clips stand, on several levels if need be", FLOOR, 0, 0, 0),
    ROW("contacts", OTHER, "", 0, 0, false, "[]", NULL,
        "corrections of contacts: a list of {\"joint\", \"clip\", \"from\", \"to\" and \"amount\" or \"shift\"}; see "
        "docs/ground.md",
        CONTACTS, 0, 0, 0),
    ROW("impact.gain", CONSTANT, "", 0, 10, false, "0", NULL,
        "how much a landing squashes the whole body, which then swings back", IMPACT, 0, 0,
        offsetof(limber_stage_settings, impact.gain)),
    ROW("impact.min_speed", CONSTANT, "L/s", 0, 1000, false, "0.9", NULL, "slower falls have no impact", IMPACT, 0, 0,
        offsetof(limber_stage_settings, impact.min_speed)),
    ROW("morphs.drag", CONSTANT, "s", -1000, 1000, false, "0", NULL,
        "how far vertices lag behind the motion of morph targets", MORPHS, 0, 0,
        offsetof(limber_stage_settings, morphs.drag)),
    ROW("morphs.squash", CONSTANT, "s", -1000, 1000, false, "0", NULL,
        "stretch along the motion of morph targets, with thinning across it", MORPHS, 0, 0,
        offsetof(limber_stage_settings, morphs.squash)),
    ROW("morphs.max", CONSTANT, "L", 0, 1000, false, "0", NULL, "max displacement of both; 0: no limit", MORPHS, 0, 0,
        offsetof(limber_stage_settings, morphs.max)),
    ROW("colliders", OTHER, "", 0, 0, false, "\"none\"", LIMBERI_COLLIDER_WORDS,
        "bodies that effects do not push skin into: \"auto\" finds them, or a list of capsules, spheres and planes; "
        "see "
        "docs/ground.md",
        COLLIDERS, 0, 0, 0),
    ROW("wind", OTHER, "L/s", 0, 0, false, "[0, 0, 0]", NULL,
        "velocity [x, y, z] of the air that floppy and overlap feel; formulas may use t, frame, phase and the joint's "
        "position x, y, z [L]",
        WIND, 0, 0, 0),
    ROW("gravity", OTHER, "L/s^2", 0, 0, false, "0", NULL,
        "pulls at what hangs otherwise than in the rest pose: down, or along [x, y, z]; overlap, drag and "
        "followthrough feel "
        "it",
        GRAVITY, 0, 0, 0),
    MODE("baked", baked, "false", "false true",
         "the effects are already baked into the file that carries this style and are not applied again"),
};

// Between these come the keys of each effect.
static const limberi_row filter_to_smear_rows[] = {
    // filters: for all quantities of an effect, or for each quantity by itself
    FILTER("", ALL),
    FILTER(".velocity", VELOCITY),
    FILTER(".acceleration", ACCELERATION),
    FILTER(".angular_velocity", ANGULAR_VELOCITY),
    FILTER(".angular_acceleration", ANGULAR_ACCELERATION),

    // the skeleton
    EXAGGERATE("filter.amount", CONSTANT, "", -100, 100, "0", NULL,
               "strength of anticipation before a motion and overshoot after it", NUMBER, amount),
    EXAGGERATE("filter.sigma", CONSTANT, "s", 0.001, 10, "0.12", NULL,
               "time scale of anticipation and overshoot; swings that last 4.4 sigma grow the most", NUMBER, sigma_s),
    EXAGGERATE("filter.joints", TEXT, "", 0, 0, "\"*\"", NULL, "joints to filter; separate names with commas", FILTERED,
               filter_joints),
    EXAGGERATE("filter.delay", CONSTANT, "s", -10, 10, "0", NULL, "delay of each joint relative to its parent", NUMBER,
               delay_s),
    EXAGGERATE("constraints", OTHER, "", 0, 0, "[]", "auto",
               "joints to pull; \"auto\": fast, far-reaching joints in every beat of the motion", CONSTRAINTS,
               constraints),
    EXAGGERATE("strength", CONSTANT, "L", -10, 10, "0.1", NULL, "max pull of \"auto\" constraints", NUMBER, strength),
    EXAGGERATE("limit", CONSTANT, "L", 0, 10, "0", NULL,
               "how far joints may get from where the clip has them, filter and pulls together; 0: no limit", NUMBER,
               limit),
    EXAGGERATE(
        "pin_root", CHOICE, "", 0, 0, "true", "false true paper",
        "keep the joint where the bones meet in place; false: a pull may move the whole skeleton; \"paper\": its "
        "neighbors give way to pulls",
        CHOICE, pin_root),
    EXAGGERATE("kinematic", CONSTANT, "", 0, 1, "0", NULL,
               "how much bones keep their length under a pull, and joints turn instead", NUMBER, kinematic),
    EXAGGERATE("spread", CHOICE, "", 0, 0, "\"bilaplace\"", "bilaplace laplace",
               "how pulls at single moments fade in and out: smoothly (bilaplace) or linearly (laplace)", CHOICE,
               spread),
    EXAGGERATE("smooth", CONSTANT, "", 0, 100, "0", NULL, "smoothing passes over the pulls, each about 1/30 s wide",
               NUMBER, smooth),
    EXAGGERATE("stretch_skin", SWITCH, "", 0, 0, "true", NULL, "stretch the skin along bones that get longer", SWITCH,
               stretch_skin),

    // smears
    SMEAR("step", CONSTANT, "frames", 1, 16, "1", NULL,
          "how long a pose is held; 2: animated on twos. Smears lengthen by the same factor", COUNT, step),
    SMEAR("spin", CHOICE, "", 0, 0, "\"shape\"", "shape texture",
          "texture: round parts that spin stand still and their texture runs around them", SWITCH, texture_spin),
    SMEAR("motion.part", CHOICE, "", 0, 0, "\"all\"", "all relative carried translation rotation",
          "motion that is smeared: all; relative to joint; that of joint alone; of which the translation or rotation",
          CHOICE, motion.part),
    SMEAR("motion.joint", TEXT, "", 0, 0, "\"\"", NULL, "the joint that \"part\" is about; * matches any text", JOINT,
          motion.joint),
    SMEAR("motion.ignore_spin", CHOICE, "", 0, 0, "\"none\"", "none balls",
          "balls: paths ignore the rotation of round parts with the joint in their middle", SWITCH, ignore_balls),
    SMEAR("offsets.skeleton", SWITCH, "", 0, 0, "true", NULL,
          "find front and back per bone; false: of the whole character", SWITCH, offsets.skeleton),
    SMEAR("offsets.prune", LIST, "", 0, 1000, "[]", NULL,
          "joints that do not count as bones: their vertices belong to the parent bone; * matches any text", PRUNE,
          offsets.pruned),
    SMEAR("offsets.prune_below", CONSTANT, "L", 0, 10, "0", NULL,
          "prunes fingers, toes and strands: joints with less skin, descendants included, than a square of this side",
          FLOAT, offsets.prune_below),
    SMEAR("offsets.smooth", CONSTANT, "frames", 0, LIMBER_SMEAR_SMOOTH, "2", NULL,
          "frames on either side over which offsets are smoothed", COUNT, offsets.smooth),
    SMEAR("offsets.space", TEXT, "", 0, 0, "\"world\"", NULL,
          "\"world\": motion in the world; a camera name (\"camera\": the first): motion as that camera sees it", SPACE,
          offsets.camera),
    SMEAR("elongate.amount", NUMBER, "frames", -1000, 1000, "0", "linear speed noise",
          "how far each vertex moves along its path; \"linear\": offset, \"speed\": offset * speed, \"noise\": "
          "ragged, backwards only",
          AMOUNT, elongate.amount),
    SMEAR("elongate.past", NUMBER, "", 0, 1000, "1", NULL, "multiplies movement back in time", NUMBER, elongate.past),
    SMEAR("elongate.future", NUMBER, "", 0, 1000, "1", NULL, "multiplies movement ahead in time", NUMBER,
          elongate.future),
    SMEAR("elongate.max", CONSTANT, "radii", 0, 1000, "0", NULL,
          "how many radii of its own part a vertex moves at most, approached smoothly; 0: no limit", FLOAT,
          elongate.max),
    SMEAR("elongate.subdivide", CONSTANT, "", 0, LIMBER_SMEAR_LEVELS, "0", NULL,
          "how often an edge may be split where elongation would tear a coarse mesh; 0: never", COUNT,
          elongate.subdivide),
    SMEAR("elongate.tear", CONSTANT, "L", 0.0001, 10, "0.02", NULL,
          "with subdivide: split an edge when its ends move apart by more than this in any frame", FLOAT,
          elongate.tear),
    SMEAR("multiples.past", CONSTANT, "", 0, LIMBER_SMEAR_COPIES, "0", NULL, "in-between copies behind", COUNT,
          multiples.past),
    SMEAR("multiples.future", CONSTANT, "", 0, LIMBER_SMEAR_COPIES, "0", NULL, "in-between copies ahead", COUNT,
          multiples.future),
    SMEAR("multiples.overlap", CONSTANT, "", 0, 2 * LIMBER_SMEAR_COPIES, "1", NULL,
          "how many copies coincide with copies of the next frame; they are 1 / (past + future + 1 - overlap) frames "
          "apart",
          FLOAT, multiples.overlap),
    SMEAR("multiples.spacing", CONSTANT, "frames", 0.001, LIMBER_SMEAR_REACH, "\"auto\"", "auto",
          "time between copies; \"auto\": from overlap", FLOAT, multiples.spacing),
    SMEAR("multiples.opacity", NUMBER, "", 0, 1, "\"default\"", "default",
          "opacity of the copies; \"default\": by offset and distance. Formulas may use copy (-past ... future, "
          "never 0) and copies (on its side)",
          OPACITY, multiples.opacity),
    SMEAR("multiples.min_speed", CONSTANT, "L per frame", 0, 1000, "0", NULL, "slower parts have no copies", FLOAT,
          multiples.min_speed),
    SMEAR("lines.count", CONSTANT, "", 0, LIMBER_SMEAR_LINES, "0", NULL, "number of lines, spread over the surface",
          COUNT, lines.count),
    SMEAR("lines.from", CHOICE, "", 0, 0, "\"surface\"", "surface silhouette",
          "where lines start: anywhere, or where the surface turns away from the motion", SWITCH, lines.silhouette),
    SMEAR("lines.color", TEXT, "", 0, 0, "\"surface\"", NULL,
          "\"surface\": material, texture and vertex color where the line starts; or \"#rrggbb\"", COLOR, lines.color),
    SMEAR("lines.length", NUMBER, "frames", -1000, 1000, "\"8 * offset\"", NULL,
          "length along the path; negative: into the past", LENGTH, lines.length),
    SMEAR("lines.radius", NUMBER, "L", 0, 1, "0.004", NULL, "radius at the start", NUMBER, lines.radius),
    SMEAR("lines.taper", NUMBER, "", 0, 1, "1", NULL, "0: constant thickness, 1: ends in a point", NUMBER, lines.taper),
    SMEAR("lines.point", NUMBER, "", 0, 1, "0", NULL, "0: full thickness at the start, 1: starts in a point", NUMBER,
          lines.point),
    SMEAR("lines.dry", NUMBER, "", 0, 1, "0", NULL,
          "breaks lines up like the strokes of a dry brush; 0: whole lines, 1: nothing is left", NUMBER, lines.dry),
    SMEAR("lines.gap", NUMBER, "frames", 0, 1000, "0", NULL, "gap between the surface and the start of the line",
          NUMBER, lines.gap),
    SMEAR("lines.opacity", NUMBER, "", 0, 1, "1", NULL, "opacity at the start", NUMBER, lines.opacity),
    SMEAR("lines.fade", NUMBER, "", 0, 1, "0", NULL, "fraction of the opacity lost along the line", NUMBER, lines.fade),
    SMEAR("lines.min_speed", CONSTANT, "L per frame", 0, 1000, "0.02", NULL, "slower points have no line", FLOAT,
          lines.min_speed),
    SMEAR("lines.seed", CONSTANT, "", 0, 1e9, "1", NULL, "seed of the random placement", COUNT, lines.seed),

};

// Here the gains of meshes.
static const limberi_row mesh_smear_and_later_rows[] = {
    MESH_SMEAR("elongate.amount", "frames", -1000, 1000, "linear speed noise", "as smear.elongate.amount", AMOUNT,
               elongate.amount),
    MESH_SMEAR("elongate.past", "", 0, 1000, NULL, "as smear.elongate.past", NUMBER, elongate.past),
    MESH_SMEAR("elongate.future", "", 0, 1000, NULL, "as smear.elongate.future", NUMBER, elongate.future),
    MESH_SMEAR("multiples.opacity", "", 0, 1, "default", "as smear.multiples.opacity; 0: no copies", OPACITY,
               multiples.opacity),
    MESH_SMEAR("lines.length", "frames", -1000, 1000, NULL, "as smear.lines.length; 0: no lines", LENGTH, lines.length),
    MESH_SMEAR("lines.radius", "L", 0, 1, NULL, "as smear.lines.radius", NUMBER, lines.radius),
    MESH_SMEAR("lines.taper", "", 0, 1, NULL, "as smear.lines.taper", NUMBER, lines.taper),
    MESH_SMEAR("lines.point", "", 0, 1, NULL, "as smear.lines.point", NUMBER, lines.point),
    MESH_SMEAR("lines.dry", "", 0, 1, NULL, "as smear.lines.dry", NUMBER, lines.dry),
    MESH_SMEAR("lines.gap", "frames", 0, 1000, NULL, "as smear.lines.gap", NUMBER, lines.gap),
    MESH_SMEAR("lines.opacity", "", 0, 1, NULL, "as smear.lines.opacity", NUMBER, lines.opacity),
    MESH_SMEAR("lines.fade", "", 0, 1, NULL, "as smear.lines.fade", NUMBER, lines.fade),

    // joints; general keys come first, so that more specific ones override them
    ROW("joints.*.contact", CONSTANT, "", 0, 1, false, "1", NULL,
        "how much of \"contact\" these joints get; 0: not even the floor holds them", CONTACT, 0, 0, 0),
    ROW("joints.*.smear", CONSTANT, "", 0, 1, false, "1", NULL,
        "how far smears move the skin of these joints, and of those below that have no value of their own", SMEAR_GAIN,
        0, 0, 0),
    JOINT_GAIN("*", LIMBERI_EVERY_EFFECT, LIMBERI_GAIN_BOTH, "gain of all effects for these joints"),
};

// Here, too, come those of each effect.
static const limberi_row last_rows[] = {
    ROW("joints.*.centroid_offset", VECTOR, "model units", -1e9, 1e9, false, "[0, 0, 0]", NULL,
        "moves the center that squash keeps in place, in the joint's frame", OFFSET, 0, 0, 0),
    ROW("joints.*.axis", VECTOR, "", -1e9, 1e9, false, "[0, 0, 0]", NULL,
        "direction of the medial axis that squash flattens across, in the joint's frame; [0, 0, 0]: to the center",
        AXIS, 0, 0, 0),
    ROW("joints.*.about", CHOICE, "", 0, 0, false, NULL, "axis center",
        "what squash keeps in place for these joints, overriding effects.squash.about", ABOUT, 0, 0, 0),
    ROW("joints.*.ignore_spin", SWITCH, "", 0, 0, false, "false", NULL,
        "smears ignore the rotation of these joints around their bone: for wheels, balls and spinning tops", SPIN, 0, 0,
        0),
};

static const limberi_row constraint_rows[] = {
    CONSTRAINT("joint", TEXT, "", 0, 0, false, NULL, "joint to pull; with a * all that match"),
    CONSTRAINT("elongate", NUMBER, "L", -10, 10, false, NULL,
               "pull along the bone, away from the parent; formulas may use t, frame, phase and the joint's speed "
               "[L/s]"),
    CONSTRAINT("keys", OTHER, "", 0, 0, false, NULL,
               "instead of elongate: [[seconds, [x, y, z]], ...], world positions"),
    CONSTRAINT("relative", SWITCH, "", 0, 0, false, "false",
               "keys are offsets from the joint's position, in units of L"),
    CONSTRAINT("window", CONSTANT, "s", 0, 1000, true, "0.5", "how long before and after its keys a pull acts"),
    CONSTRAINT("weight", CONSTANT, "", 0, 1e6, false, "1",
               "weight of the pull against the shape of the skeleton, which has weight 1"),
};

// --- all of it ---

typedef struct part {
    const limberi_row* rows;
    uint32_t count;
} part;

#define PART(array)                                                                                                    \
    { array, sizeof array / sizeof *array }

enum {
    EFFECT_KEYS = 1,
    JOINT_KEYS = EFFECT_KEYS + LIMBER_EFFECT_COUNT + 3,
    PARTS = JOINT_KEYS + LIMBER_EFFECT_COUNT + 1
};

static part part_at(uint32_t index) {
    static const part between[3] = {
        PART(filter_to_smear_rows), {limberi_mesh_gain_keys, LIMBERI_MESH_GAIN_KEYS}, PART(mesh_smear_and_later_rows)};
    static const part first = PART(first_rows), last = PART(last_rows);
    if (index == 0 || index + 1 == PARTS)
        return index ? last : first;
    if (index >= EFFECT_KEYS + LIMBER_EFFECT_COUNT && index < JOINT_KEYS)
        return between[index - EFFECT_KEYS - LIMBER_EFFECT_COUNT];
    const limberi_effect* e = limberi_effects[index < JOINT_KEYS ? index - EFFECT_KEYS : index - JOINT_KEYS];
    part keys = {index < JOINT_KEYS ? e->keys : e->joint_keys, index < JOINT_KEYS ? e->key_count : e->joint_key_count};
    return keys;
}

uint32_t limber_key_count(void) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < PARTS; i++)
        count += part_at(i).count;
    return count;
}

const limber_key* limber_key_at(uint32_t index) {
    return index < limber_key_count() ? &limberi_row_at(index)->key : NULL;
}

const limberi_row* limberi_row_at(uint32_t index) {
    uint32_t i = 0;
    for (; index >= part_at(i).count; i++)
        index -= part_at(i).count;
    return &part_at(i).rows[index];
}

// Filters are for the quantities that an effect reads.
uint32_t limberi_row_effects(const limberi_row* row) {
    static const uint32_t quantities[LIMBERI_QUANTITY_COUNT] = {
        [LIMBERI_QUANTITY_ALL] = UINT32_MAX,
        [LIMBERI_QUANTITY_VELOCITY] = LIMBERI_VELOCITY,
        [LIMBERI_QUANTITY_ACCELERATION] = LIMBERI_ACCELERATION,
        [LIMBERI_QUANTITY_ANGULAR_VELOCITY] = LIMBERI_ANGULAR_VELOCITY,
        [LIMBERI_QUANTITY_ANGULAR_ACCELERATION] = LIMBERI_ANGULAR_ACCELERATION};
    uint32_t effects = 0;
    if (row->store != LIMBERI_STORE_FILTER && row->store != LIMBERI_STORE_FILTER_TYPE)
        return row->effects;
    for (uint32_t e = 0; e < LIMBER_EFFECT_COUNT; e++)
        effects |= limberi_effects[e]->reads & quantities[row->part] ? 1u << e : 0;
    return effects;
}

uint32_t limberi_constraint_row_count(void) {
    return sizeof constraint_rows / sizeof constraint_rows[0];
}

const limberi_row* limberi_constraint_row_at(uint32_t index) {
    return &constraint_rows[index];
}
