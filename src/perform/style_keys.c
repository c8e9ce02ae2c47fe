// The style keys of the performance: timing and poses.
#include "perform/style_keys.h"

#include <stddef.h>

static const limberi_row rows[] = {
    LIMBERI_ROW("timing.snap", CONSTANT, "", 0, 3, false, "0", NULL,
                "hold key poses longer and pass faster between them; 0.75 is clearly visible", DOUBLE, 0, 0,
                offsetof(limber_perform_settings, snap), NULL),
    LIMBERI_ROW("timing.hang", CONSTANT, "", 0, 3, false, "0", NULL,
                "hang time at the top of leaps, which keep their length; 1 is clearly visible", DOUBLE, 0, 0,
                offsetof(limber_perform_settings, hang), NULL),
    LIMBERI_ROW("timing.step", CONSTANT, "frames of 1/24 s", 1, 24, false, "1", "auto",
                "how long each pose is held; 1: not at all, 2: on twos, \"auto\": ones, twos and threes by speed",
                COUNT, 0, 0, offsetof(limber_perform_settings, step), NULL),
    LIMBERI_ROW("pose.exaggerate", CONSTANT, "", 0, 5, false, "0", NULL,
                "make the character's own poses larger, with feet that stay in place; 0.8 is clearly visible", DOUBLE,
                0, 0, offsetof(limber_perform_settings, exaggerate), NULL),
    LIMBERI_ROW("pose.anticipate", CONSTANT, "", 0, 5, false, "0", NULL,
                "start each motion with a small one the other way, and end it with an overshoot", DOUBLE, 0, 0,
                offsetof(limber_perform_settings, anticipate), NULL),
    LIMBERI_ROW(
        "pose.trail", CONSTANT, "", 0, 1, false, "0", NULL,
        "the larger pose comes later by this part of the time that the body takes to swing there and back, most "
        "at the ends of limbs, so that it flows through them",
        DOUBLE, 0, 0, offsetof(limber_perform_settings, trail), NULL),
    LIMBERI_ROW("body.squash", CONSTANT, "", 0, 5, false, "0", NULL,
                "stretch the whole body along its way through the air and squash it where it lands or pushes off; "
                "1 is clearly visible",
                DOUBLE, 0, 0, offsetof(limber_perform_settings, squash), NULL),
    LIMBERI_ROW("body.bend", CONSTANT, "", 0, 5, false, "0", NULL,
                "bend the whole body against its acceleration; 1 is clearly visible", DOUBLE, 0, 0,
                offsetof(limber_perform_settings, bend), NULL),
};
static const limberi_row joint_rows[] = {
    LIMBERI_ROW("joints.*.pose", CONSTANT, "", -10, 10, false, "1", NULL,
                "multiplies what \"pose\" does to these joints; 0: their poses stay", LATER, 0, 0, 0, NULL),
};
static const limberi_section sections[] = {
    {"timing", "timing",
     LIMBERI_TEXT("Retimes whole poses of the clip before anything else. The clip keeps its length, key poses keep "
                  "their times, and loops stay loops. Steady walks, runs and swims, and idles are left alone. A step "
                  "holds whole frames of any clip, as drawn films do."),
     LIMBERI_TEXT("{\"timing\": {\"snap\": 0.75, \"hang\": 1, \"step\": \"auto\"}}")},
    {"pose", "pose",
     LIMBERI_TEXT("Makes the poses of the clip stronger: each goes farther from where the character dwells, the body "
                  "sinks deeper and rises higher, and legs are bent so that the feet stay where they were. Hips, "
                  "trunk, limbs, legs and head are found from the skin and the contacts, not from names."),
     LIMBERI_TEXT("{\"pose\": {\"exaggerate\": 0.8, \"anticipate\": 0.45}, \"joints\": {\"Head\": {\"pose\": 0}}}")},
    {"body", "body",
     LIMBERI_TEXT("Squashes and bends the whole figure after the effects, with its volume kept. It goes by how the "
                  "middle of the skin moves in the clip as it is played, and stands in for \"impact\" there. "
                  "Rigid parts that are round take their share."),
     LIMBERI_TEXT("{\"body\": {\"squash\": 1, \"bend\": 1}}")},
};

const limberi_keys limberi_perform_keys = LIMBERI_KEYS_OF(rows, sections);
const limberi_keys limberi_perform_joint_keys = LIMBERI_KEYS(joint_rows);

limber_result limberi_bind_perform_joints(limberi_binder* b, limber_perform_settings* settings) {
    return limberi_bind_joint_gains(b, "joints.*.pose", &settings->of_joint);
}
