// A new key is one row here. A new section is a block of rows and one entry of `sections` in sections.c.
#include "style/table.h"

#include <stddef.h>

#define BIT(effect) (1u << LIMBER_EFFECT_##effect)

enum {
    GAIN = 1000000, // gains beyond this are slips of the keyboard
    EVERY = BIT(FLOPPY) | BIT(SQUASH) | BIT(DRAG) | BIT(FOLLOWTHROUGH) | BIT(STRETCH) | BIT(LIFT),
    LINEAR = 1,
    ANGULAR = 2,
    BOTH = 3
};

// The columns: path, type, unit, range (and whether its lower end is left out), default, choices, help; then what
// binding does with the value, for which effects, and where it goes.
#define ROW(path, type, unit, least, most, above, standard, choices, help, store, effects, part, offset)               \
    {                                                                                                                  \
        {path, LIMBER_KEY_##type, unit, least, most, above, standard, choices, help}, LIMBERI_STORE_##store, effects,  \
            part, offset                                                                                               \
    }

// --- rows that several sections share the shape of ---

#define MODE(name, member, standard, choices, help)                                                                    \
    ROW(name, CHOICE, "", 0, 0, false, standard, choices, help, MODE, 0, 0, offsetof(limber_stage_settings, member))

#define FORMULA(effect, bit, name, member, unit, least, most, standard, help)                                          \
    ROW("effects." effect "." name, NUMBER, unit, least, most, false, standard, NULL, help, NUMBER, BIT(bit), 0,       \
        offsetof(limber_effect_settings, member))

#define LINEAR_GAIN(effect, bit, unit, help) FORMULA(effect, bit, "linear", linear, unit, -GAIN, GAIN, "0", help)
#define ANGULAR_GAIN(effect, bit, unit, help) FORMULA(effect, bit, "angular", angular, unit, -GAIN, GAIN, "0", help)

#define ONE_OF(effect, bit, name, standard, choices, help)                                                             \
    ROW("effects." effect "." #name, CHOICE, "", 0, 0, false, standard, choices, help, CHOICE, BIT(bit), 0,            \
        offsetof(limber_effect_settings, name))

#define LAYER(effect, bit)                                                                                             \
    ROW("effects." effect ".layer", TEXT, "", 0, 0, false, "\"\"", NULL,                                               \
        "painted layer that scales the effect, vertex by vertex; \"\" for none", LAYER, BIT(bit), 0, 0)

// The three effects that bend have the same knobs for it.
#define BENDING(effect, bit)                                                                                           \
    FORMULA(effect, bit, "max_bend", max_bend_deg, "degrees", 0, 180, "0",                                             \
            "largest angle; bends ease into it from three quarters on; 0: no limit"),                                  \
        FORMULA(effect, bit, "twist", twist, "", -1000, 1000, "1",                                                     \
                "multiplies the part of the turn about the bone itself"),                                              \
        FORMULA(effect, bit, "bend", bend, "", -1000, 1000, "1", "multiplies the part of the turn across the bone")

#define THRESHOLD(effect, bit)                                                                                         \
    FORMULA(effect, bit, "threshold", threshold, "", 0, GAIN, "0.5",                                                   \
            "how much braking counts as a stop: below it drag and follow-through share the motion; 0: a hard switch")

#define FILTER(where, uses, quantity)                                                                                  \
    ROW("effects.*.filter" where ".type", CHOICE, "", 0, 0, false, "\"none\"", "none lowpass spring",                  \
        "lowpass smooths and delays, spring overshoots and settles", FILTER_TYPE, uses, LIMBERI_QUANTITY_##quantity,   \
        0),                                                                                                            \
        ROW("effects.*.filter" where ".gamma", CONSTANT, "", 0, 1, true, "0.6", NULL,                                  \
            "lowpass: part of the way to the new value per 1/60 s; smaller is smoother", FILTER, uses,                 \
            LIMBERI_QUANTITY_##quantity, offsetof(limber_filter, gamma)),                                              \
        ROW("effects.*.filter" where ".frequency", CONSTANT, "Hz", 0, 1000, true, "3", NULL,                           \
            "spring: swings per second", FILTER, uses, LIMBERI_QUANTITY_##quantity,                                    \
            offsetof(limber_filter, frequency_hz)),                                                                    \
        ROW("effects.*.filter" where ".damping", CONSTANT, "", 0, 1000, false, "0.3", NULL,                            \
            "spring: 0 swings for ever, 1 comes to rest without swinging", FILTER, uses, LIMBERI_QUANTITY_##quantity,  \
            offsetof(limber_filter, damping))

#define CONE(name, key, type, unit, least, most, above, standard, choices, help)                                       \
    ROW("effects.lift.cone." name, type, unit, least, most, above, standard, choices, help, CONE, BIT(LIFT),           \
        LIMBERI_CONE_##key, 0)

#define JOINT_GAIN(name, effects, part, help)                                                                          \
    ROW("joints.*." name, NUMBER, "", -GAIN, GAIN, false, "1", NULL, help, GAIN, effects, part, 0)

#define SMEAR(name, type, unit, least, most, standard, choices, help, part, member)                                    \
    ROW("smear." name, type, unit, least, most, false, standard, choices, help, SMEAR, 0, LIMBERI_SMEAR_##part,        \
        offsetof(limber_smear_settings, member))

#define EXAGGERATE(name, type, unit, least, most, standard, choices, help, part, member)                               \
    ROW("exaggerate." name, type, unit, least, most, false, standard, choices, help, EXAGGERATE, 0,                    \
        LIMBERI_EXAGGERATE_##part, offsetof(limber_exaggerate_settings, member))

#define CONSTRAINT(name, type, unit, least, most, above, standard, help)                                               \
    ROW("exaggerate.constraints[]." name, type, unit, least, most, above, standard, NULL, help, EXAGGERATE, 0, 0, 0)

// --- the table ---

// The words of a choice stand in the order of the enumeration they are stored in.
static const limberi_row rows[] = {
    // the style as a whole
    ROW("limber", CONSTANT, "", 1, 1, false, "1", NULL, "version of the style format", NOTHING, 0, 0, 0),
    ROW("$schema", TEXT, "", 0, 0, false, NULL, NULL, "where an editor finds the JSON Schema; not used here", NOTHING,
        0, 0, 0),
    ROW("size", CONSTANT, "model units", 0, 1e9, true, "\"auto\"", "auto",
        "the length L that gains are relative to; \"auto\": the diagonal of the character's box at rest", SIZE, 0, 0,
        offsetof(limber_stage_settings, deform.size)),
    MODE("skinning", skinning, "\"linear\"", "linear dualquat", "how the mesh follows the joints before any effect"),
    ROW("derivative_step", CONSTANT, "s", 1e-4, 1, false, "\"auto\"", "auto",
        "time step of velocities and accelerations; \"auto\": the clip's key spacing within 1/120 ... 1/24 s", STEP, 0,
        0, offsetof(limber_stage_settings, motion.step_s)),
    MODE("loop", motion.loop, "\"auto\"", "auto false true",
         "whether clips repeat; \"auto\": those whose first and last pose are equal"),
    MODE("normals", deform.normals, "\"averaged\"", "averaged jacobian",
         "how normals follow the effects: averaged from the triangles, or turned with the deformation"),
    MODE("baked", baked, "false", "false true",
         "the effects are already in the file that carries this style, so nothing applies them a second time"),

    // effects
    LINEAR_GAIN("floppy", FLOPPY, "s", "how far parts trail behind a joint that travels"),
    ANGULAR_GAIN("floppy", FLOPPY, "s", "how far parts bend back behind a joint that turns"),
    BENDING("floppy", FLOPPY),
    LAYER("floppy", FLOPPY),

    LINEAR_GAIN("squash", SQUASH, "s", "stretch along the path of a joint, and thinning across it"),
    ANGULAR_GAIN("squash", SQUASH, "s", "flattening of a part that is swung about its joint"),
    ONE_OF("squash", SQUASH, about, "\"axis\"", "axis center",
           "what the angular part keeps in place: the medial axis of the part, or its centre"),
    LAYER("squash", SQUASH),

    LINEAR_GAIN("drag", DRAG, "s^2", "how far parts stay back while a joint speeds up"),
    ANGULAR_GAIN("drag", DRAG, "s^2", "how far parts bend back while a turn speeds up"),
    BENDING("drag", DRAG),
    THRESHOLD("drag", DRAG),
    LAYER("drag", DRAG),

    LINEAR_GAIN("followthrough", FOLLOWTHROUGH, "s^2", "how far parts go on while a joint slows down"),
    ANGULAR_GAIN("followthrough", FOLLOWTHROUGH, "s^2", "how far parts bend on while a turn slows down"),
    BENDING("followthrough", FOLLOWTHROUGH),
    THRESHOLD("followthrough", FOLLOWTHROUGH),
    LAYER("followthrough", FOLLOWTHROUGH),

    ANGULAR_GAIN("stretch", STRETCH, "s^2", "how far a spin pulls parts away from its axis"),
    ONE_OF("stretch", STRETCH, profile, "\"linear\"", "linear quadratic",
           "how the pull grows outwards: evenly, or mostly at the far end"),
    LAYER("stretch", STRETCH),

    ANGULAR_GAIN("lift", LIFT, "", "how far the sources push parts along the normals of a cone or of the mesh"),
    ROW("effects.lift.source", LIST, "", 1, LIMBER_EFFECT_COUNT, false, "[\"stretch\"]",
        "floppy squash drag followthrough stretch",
        "effects whose displacement lifts; \"stretch\" alone counts with gain 1, others with their own gains", SOURCES,
        BIT(LIFT), 0, 0),
    ONE_OF("lift", LIFT, normals, "\"cone\"", "cone mesh",
           "which way is up: off a cone fixed to a joint, or off the mesh"),
    LAYER("lift", LIFT),
    CONE("joint", JOINT, TEXT, "", 0, 0, false, "\"\"", NULL,
         "the joint that carries the cone; with a * the first joint that matches"),
    CONE(
        "fit", FIT, CHOICE, "", 0, 0, false, "\"auto\"", "auto none",
        "what stands in for a cone without apex, axis and half_angle: one fitted to the joint's vertices, or an error"),
    CONE("apex", APEX, VECTOR, "model units", -1e9, 1e9, false, NULL, NULL,
         "tip of the cone in the joint's rest frame"),
    CONE("axis", AXIS, VECTOR, "", -1e9, 1e9, false, NULL, NULL,
         "direction from the tip to the open end, in the joint's rest frame"),
    CONE("half_angle", HALF_ANGLE, CONSTANT, "degrees", 0, 89.9, true, NULL, NULL, "angle between axis and surface"),
    CONE("base_radius", BASE_RADIUS, CONSTANT, "model units", 0, 1e9, false, "0", NULL,
         "nearer to the axis of rotation than this nothing lifts; 0: the narrow end of a fitted cone, else nothing"),

    // filters: for all quantities of an effect, or for each quantity by itself
    FILTER("", EVERY, ALL),
    FILTER(".velocity", EVERY & ~BIT(STRETCH), VELOCITY),
    FILTER(".acceleration", BIT(DRAG) | BIT(FOLLOWTHROUGH) | BIT(LIFT), ACCELERATION),
    FILTER(".angular_velocity", EVERY, ANGULAR_VELOCITY),
    FILTER(".angular_acceleration", BIT(DRAG) | BIT(FOLLOWTHROUGH) | BIT(LIFT), ANGULAR_ACCELERATION),

    // the skeleton
    EXAGGERATE("filter.amount", CONSTANT, "", -100, 100, "0", NULL,
               "how much every motion winds up before it starts and overshoots when it stops", NUMBER, amount),
    EXAGGERATE("filter.sigma", CONSTANT, "s", 0.001, 10, "0.12", NULL,
               "how long that takes; swings of 4.4 sigma grow most", NUMBER, sigma_s),
    EXAGGERATE("filter.joints", TEXT, "", 0, 0, "\"*\"", NULL,
               "the joints it changes; several names with a comma between them", FILTERED, filter_joints),
    EXAGGERATE("filter.delay", CONSTANT, "s", -10, 10, "0", NULL,
               "how much later each joint moves than the one above it", NUMBER, delay_s),
    EXAGGERATE("constraints", OTHER, "", 0, 0, "[]", "auto",
               "joints that are pulled away; \"auto\": those that are fast and reach far, in every beat of the motion",
               CONSTRAINTS, constraints),
    EXAGGERATE("strength", CONSTANT, "L", -10, 10, "0.1", NULL, "how far constraints \"auto\" pull at most", NUMBER,
               strength),
    EXAGGERATE("pin_root", SWITCH, "", 0, 0, "true", NULL,
               "the joint where the bones come together stays in its place; false: one pull may carry all along",
               SWITCH, pin_root),
    EXAGGERATE("spread", CHOICE, "", 0, 0, "\"bilaplace\"", "bilaplace laplace",
               "how pulls at single moments come and go: softly, or in straight lines", CHOICE, spread),
    EXAGGERATE("smooth", CONSTANT, "", 0, 100, "0", NULL,
               "passes of smoothing over the pulls, each about a thirtieth of a second wide", NUMBER, smooth),
    EXAGGERATE("stretch_skin", SWITCH, "", 0, 0, "true", NULL, "skins stretch along the bones that become longer",
               SWITCH, stretch_skin),
    EXAGGERATE("plant", LIST, "", 0, 1000, "[]", NULL,
               "joints that stay where they stood still, and what hangs on them: [\"*Foot*\"]", PLANTED, plant),

    // smears
    SMEAR("step", CONSTANT, "frames", 1, 16, "1", NULL,
          "how long a pose is held; 2: animated on twos. Smears get longer by as much", COUNT, step),
    SMEAR("offsets.skeleton", SWITCH, "", 0, 0, "true", NULL,
          "front and back of every bone by itself; false: of the character as a whole", SWITCH, offsets.skeleton),
    SMEAR("offsets.prune", LIST, "", 0, 1000, "[]", NULL,
          "joints that are no bones of their own: their vertices go with the bone above. Names may hold stars", PRUNE,
          offsets.pruned),
    SMEAR("offsets.smooth", CONSTANT, "frames", 0, LIMBER_SMEAR_SMOOTH, "2", NULL,
          "frames on either side that offsets are smoothed over", COUNT, offsets.smooth),
    SMEAR("offsets.space", TEXT, "", 0, 0, "\"world\"", NULL,
          "whose motion counts: \"world\", or the name of a camera in the file (\"camera\": the first): as it sees it",
          SPACE, offsets.camera),
    SMEAR("elongate.amount", NUMBER, "frames", -1000, 1000, "0", "linear speed noise",
          "how far along its path each vertex goes; \"linear\": offset, \"speed\": offset * speed, \"noise\": ragged "
          "and behind only",
          AMOUNT, elongate.amount),
    SMEAR("elongate.past", NUMBER, "", 0, 1000, "1", NULL, "multiplies what goes back in time", NUMBER, elongate.past),
    SMEAR("elongate.future", NUMBER, "", 0, 1000, "1", NULL, "multiplies what goes ahead in time", NUMBER,
          elongate.future),
    SMEAR("elongate.subdivide", CONSTANT, "", 0, LIMBER_SMEAR_LEVELS, "0", NULL,
          "how many times edges may be split where elongation would tear a coarse mesh; 0: never", COUNT,
          elongate.subdivide),
    SMEAR("elongate.tear", CONSTANT, "L", 0.0001, 10, "0.02", NULL,
          "with subdivide: an edge is split when its ends move apart by more than this in any frame", FLOAT,
          elongate.tear),
    SMEAR("multiples.past", CONSTANT, "", 0, LIMBER_SMEAR_COPIES, "0", NULL, "copies behind", COUNT, multiples.past),
    SMEAR("multiples.future", CONSTANT, "", 0, LIMBER_SMEAR_COPIES, "0", NULL, "copies ahead", COUNT, multiples.future),
    SMEAR(
        "multiples.overlap", CONSTANT, "", 1, 2 * LIMBER_SMEAR_COPIES, "1", NULL,
        "how many copies of a frame lie on copies of the next; they are 1 / (past + future + 1 - overlap) frames apart",
        COUNT, multiples.overlap),
    SMEAR("multiples.opacity", NUMBER, "", 0, 1, "\"default\"", "default",
          "of the copies; \"default\": more where the offset is large, less the farther the copy is", OPACITY,
          multiples.opacity),
    SMEAR("multiples.min_speed", CONSTANT, "L per frame", 0, 1000, "0", NULL, "what is slower has no copies", FLOAT,
          multiples.min_speed),
    SMEAR("lines.count", CONSTANT, "", 0, LIMBER_SMEAR_LINES, "0", NULL, "how many lines, spread over the surface",
          COUNT, lines.count),
    SMEAR("lines.length", NUMBER, "frames", -1000, 1000, "\"8 * offset\"", NULL,
          "how far along the path; negative: into the past", LENGTH, lines.length),
    SMEAR("lines.radius", NUMBER, "L", 0, 1, "0.004", NULL, "half the thickness at the start", NUMBER, lines.radius),
    SMEAR("lines.taper", NUMBER, "", 0, 1, "1", NULL, "0: as thick at the end, 1: a point", NUMBER, lines.taper),
    SMEAR("lines.gap", NUMBER, "frames", 0, 1000, "0", NULL, "how far from the surface a line starts", NUMBER,
          lines.gap),
    SMEAR("lines.opacity", NUMBER, "", 0, 1, "1", NULL, "at the start", NUMBER, lines.opacity),
    SMEAR("lines.fade", NUMBER, "", 0, 1, "0", NULL, "part of the opacity that is lost along the line", NUMBER,
          lines.fade),
    SMEAR("lines.min_speed", CONSTANT, "L per frame", 0, 1000, "0.02", NULL, "points that are slower have no line",
          FLOAT, lines.min_speed),
    SMEAR("lines.seed", CONSTANT, "", 0, 1e9, "1", NULL, "another number spreads the lines in another way", COUNT,
          lines.seed),

    // joints; general keys come first, so that what is more particular is applied on top
    JOINT_GAIN("*", EVERY, BOTH, "gain of all effects of these joints"),
    JOINT_GAIN("floppy", BIT(FLOPPY), BOTH, "gain of this effect, both parts"),
    JOINT_GAIN("squash", BIT(SQUASH), BOTH, "gain of this effect, both parts"),
    JOINT_GAIN("drag", BIT(DRAG), BOTH, "gain of this effect, both parts"),
    JOINT_GAIN("followthrough", BIT(FOLLOWTHROUGH), BOTH, "gain of this effect, both parts"),
    JOINT_GAIN("stretch", BIT(STRETCH), BOTH, "gain of this effect"),
    JOINT_GAIN("lift", BIT(LIFT), BOTH, "gain of this effect"),
    JOINT_GAIN("floppy.linear", BIT(FLOPPY), LINEAR, "gain of the linear part"),
    JOINT_GAIN("floppy.angular", BIT(FLOPPY), ANGULAR, "gain of the angular part"),
    JOINT_GAIN("squash.linear", BIT(SQUASH), LINEAR, "gain of the linear part"),
    JOINT_GAIN("squash.angular", BIT(SQUASH), ANGULAR, "gain of the angular part"),
    JOINT_GAIN("drag.linear", BIT(DRAG), LINEAR, "gain of the linear part"),
    JOINT_GAIN("drag.angular", BIT(DRAG), ANGULAR, "gain of the angular part"),
    JOINT_GAIN("followthrough.linear", BIT(FOLLOWTHROUGH), LINEAR, "gain of the linear part"),
    JOINT_GAIN("followthrough.angular", BIT(FOLLOWTHROUGH), ANGULAR, "gain of the angular part"),
    JOINT_GAIN("stretch.angular", BIT(STRETCH), ANGULAR, "gain of the angular part"),
    JOINT_GAIN("lift.angular", BIT(LIFT), ANGULAR, "gain of the angular part"),
    ROW("joints.*.centroid_offset", VECTOR, "model units", -1e9, 1e9, false, "[0, 0, 0]", NULL,
        "moves the centre that squash keeps, in the joint's frame", OFFSET, 0, 0, 0),
    ROW("joints.*.about", CHOICE, "", 0, 0, false, NULL, "axis center",
        "what squash keeps in place for these joints, instead of effects.squash.about", ABOUT, BIT(SQUASH), 0, 0),
    ROW("joints.*.ignore_spin", SWITCH, "", 0, 0, false, "false", NULL,
        "smears leave out the rotation of these joints about their own bone: for wheels, balls and spinning tops", SPIN,
        0, 0, 0),
};

static const limberi_row constraint_rows[] = {
    CONSTRAINT("joint", TEXT, "", 0, 0, false, NULL, "the joint that is pulled; with a * all that match"),
    CONSTRAINT("elongate", NUMBER, "L", -10, 10, false, NULL,
               "how far, along the bone and away from the parent; formulas know t, frame, phase and the joint's speed "
               "in L per second"),
    CONSTRAINT("keys", OTHER, "", 0, 0, false, NULL,
               "instead of elongate: [[seconds, [x, y, z]], ...], places in the world"),
    CONSTRAINT("relative", SWITCH, "", 0, 0, false, "false",
               "the keys are offsets from where the joint is, in units of L"),
    CONSTRAINT("window", CONSTANT, "s", 0, 1000, true, "0.5", "how long before and after the keys the pull is felt"),
    CONSTRAINT("weight", CONSTANT, "", 0, 1e6, false, "1",
               "how strong it is against the shape of the skeleton, which counts 1"),
};

uint32_t limber_key_count(void) {
    return sizeof rows / sizeof rows[0];
}

const limber_key* limber_key_at(uint32_t index) {
    return index < limber_key_count() ? &rows[index].key : NULL;
}

const limberi_row* limberi_row_at(uint32_t index) {
    return &rows[index];
}

uint32_t limberi_constraint_row_count(void) {
    return sizeof constraint_rows / sizeof constraint_rows[0];
}

const limberi_row* limberi_constraint_row_at(uint32_t index) {
    return &constraint_rows[index];
}
