// The style keys of smears: of all, of single meshes and of joints.
#include "smear/style_keys.h"

#include <stddef.h>

enum {
    JOINT = LIMBERI_SMEAR_JOINT,
    PRUNE = LIMBERI_SMEAR_PRUNE,
    SPACE = LIMBERI_SMEAR_SPACE,
    AMOUNT = LIMBERI_SMEAR_AMOUNT,
    OPACITY = LIMBERI_SMEAR_OPACITY,
    LENGTH = LIMBERI_SMEAR_LENGTH,
    COLOR = LIMBERI_SMEAR_COLOR,
    CHANGE = LIMBERI_SMEAR_CHANGE
};

// Formulas of opacities also know the copies.
static const limberi_reader readers[3] = {
    {.scope = {((1u << LIMBER_VARIABLE_COUNT) - 1) & ~(1u << LIMBER_VARIABLE_COPY | 1u << LIMBER_VARIABLE_COPIES),
               true},
     .bind = limberi_bind_smear_value},
    {.scope = {(1u << LIMBER_VARIABLE_COUNT) - 1, true}, .bind = limberi_bind_smear_value},
    {.scope = {(1u << LIMBER_VARIABLE_FRAME_COUNT) - 1, false}, .bind = limberi_bind_smear_value},
};

#define READER_OF(part) (LIMBERI_HAS_SMEARS ? &readers[((part) == OPACITY) + 2 * ((part) == CHANGE)] : NULL)

#define SMEAR(name, type, unit, min, max, value, choices, help, store, part, member)                                   \
    LIMBERI_ROW("smear." name, type, unit, min, max, false, value, choices, help, store, 0, part,                      \
                offsetof(limber_smear_settings, member), READER_OF(part))

// The same for meshes by name; without a default, since it is that of all meshes.
#define MESH_SMEAR(name, unit, min, max, choices, help, store, part, member)                                           \
    LIMBERI_ROW("meshes.*.smear." name, NUMBER, unit, min, max, false, NULL, choices, help, store, 0, part,            \
                offsetof(limber_smear_settings, member), READER_OF(part))

static const limberi_row rows[] = {
    SMEAR("step", CONSTANT, "frames", 1, 16, "1", NULL,
          "how long a pose is held; 2: animated on twos. Smears lengthen by the same factor", COUNT, 0, step),
    SMEAR("spin", CHOICE, "", 0, 0, "\"shape\"", "shape texture",
          "texture: round parts that spin stand still and their texture runs around them", SWITCH, 0, texture_spin),
    SMEAR("motion.part", CHOICE, "", 0, 0, "\"all\"", "all relative carried translation rotation",
          "motion that is smeared: all; relative to joint; that of joint alone; of which the translation or rotation",
          CHOICE, 0, motion.part),
    SMEAR("motion.joint", TEXT, "", 0, 0, "\"\"", NULL, "the joint that \"part\" is about; * matches any text", OWN,
          JOINT, motion.joint),
    SMEAR("motion.ignore_spin", CHOICE, "", 0, 0, "\"none\"", "none balls",
          "balls: paths ignore the rotation of round parts with the joint in their middle", SWITCH, 0, ignore_balls),
    SMEAR("offsets.skeleton", SWITCH, "", 0, 0, "true", NULL,
          "find front and back per bone; false: of the whole character", SWITCH, 0, offsets.skeleton),
    SMEAR("offsets.prune", LIST, "", 0, 1000, "[]", NULL,
          "joints that do not count as bones: their vertices belong to the parent bone; * matches any text", OWN, PRUNE,
          offsets.pruned),
    SMEAR("offsets.prune_below", CONSTANT, "L", 0, 10, "0", NULL,
          "prunes fingers, toes and strands: joints with less skin, descendants included, than a square of this side",
          FLOAT, 0, offsets.prune_below),
    SMEAR("offsets.normalize", CHOICE, "", 0, 0, "\"joints\"", "joints printed",
          "what offsets are divided by: alike on both sides of joints, or as equation 9 of the paper is printed",
          SWITCH, 0, printed_sizes),
    SMEAR("offsets.motion", CHOICE, "", 0, 0, "\"step\"", "step steady",
          "step: by the directions from one frame to the next, as in the paper; steady: by the velocities of the last "
          "1/24 s, so that offsets do not jump",
          SWITCH, 0, steady_offsets),
    SMEAR("offsets.smooth", NUMBER, "frames", 0, LIMBER_SMEAR_SMOOTH, "2", NULL,
          "frames on either side over which offsets are smoothed", OWN, CHANGE, offsets.smooth),
    SMEAR("offsets.space", TEXT, "", 0, 0, "\"world\"", NULL,
          "\"world\": motion in the world; a camera name (\"camera\": the first): motion as that camera sees it", OWN,
          SPACE, offsets.camera),
    SMEAR("elongate.amount", NUMBER, "frames", -1000, 1000, "0", "linear speed noise",
          "how far each vertex moves along its path; \"linear\": offset, \"speed\": offset * speed, \"noise\": "
          "ragged, backwards only",
          OWN, AMOUNT, elongate.amount),
    SMEAR("elongate.past", NUMBER, "", 0, 1000, "1", NULL, "multiplies movement back in time", NUMBER, 0,
          elongate.past),
    SMEAR("elongate.future", NUMBER, "", 0, 1000, "1", NULL, "multiplies movement ahead in time", NUMBER, 0,
          elongate.future),
    SMEAR("elongate.max", CONSTANT, "radii", 0, 1000, "0", NULL,
          "how many radii of its own part a vertex moves at most, approached smoothly; 0: no limit", FLOAT, 0,
          elongate.max),
    SMEAR("elongate.subdivide", CONSTANT, "", 0, LIMBER_SMEAR_LEVELS, "0", NULL,
          "how often an edge may be split where elongation would tear a coarse mesh; 0: never", COUNT, 0,
          elongate.subdivide),
    SMEAR("elongate.tear", CONSTANT, "L", 0.0001, 10, "0.02", NULL,
          "with subdivide: split an edge when its ends move apart by more than this in any frame", FLOAT, 0,
          elongate.tear),
    SMEAR("multiples.past", NUMBER, "", 0, LIMBER_SMEAR_COPIES, "0", NULL, "in-between copies behind", OWN, CHANGE,
          multiples.past),
    SMEAR("multiples.future", NUMBER, "", 0, LIMBER_SMEAR_COPIES, "0", NULL, "in-between copies ahead", OWN, CHANGE,
          multiples.future),
    SMEAR("multiples.overlap", CONSTANT, "", 0, 2 * LIMBER_SMEAR_COPIES, "1", NULL,
          "how many copies coincide with copies of the next frame; they are 1 / (past + future + 1 - overlap) frames "
          "apart",
          FLOAT, 0, multiples.overlap),
    SMEAR("multiples.spacing", NUMBER, "frames", 0.001, LIMBER_SMEAR_REACH, "\"auto\"", "auto",
          "time between copies; \"auto\": from overlap", OWN, CHANGE, multiples.spacing),
    SMEAR("multiples.opacity", NUMBER, "", 0, 1, "\"default\"", "default",
          "opacity of the copies; \"default\": by offset and distance. Formulas may use copy (-past ... future, "
          "never 0) and copies (on its side)",
          OWN, OPACITY, multiples.opacity),
    SMEAR("multiples.min_speed", NUMBER, "L per frame", 0, 1000, "0", NULL, "slower parts have no copies", OWN, CHANGE,
          multiples.min_speed),
    SMEAR("lines.count", NUMBER, "", 0, LIMBER_SMEAR_LINES, "0", NULL, "number of lines, spread over the surface", OWN,
          CHANGE, lines.count),
    SMEAR("lines.from", CHOICE, "", 0, 0, "\"surface\"", "surface silhouette",
          "where lines start: anywhere, or where the surface turns away from the motion", SWITCH, 0, lines.silhouette),
    SMEAR("lines.color", TEXT, "", 0, 0, "\"surface\"", NULL,
          "\"surface\": material, texture and vertex color where the line starts; or \"#rrggbb\"", OWN, COLOR,
          lines.color),
    SMEAR("lines.color_to", TEXT, "", 0, 0, "\"\"", NULL,
          "second color of lines, \"surface\" or \"#rrggbb\", mixed in by color_start and color_end; \"\": none", OWN,
          COLOR, line_tint.color),
    SMEAR("lines.color_start", NUMBER, "", 0, 1, "0", NULL, "how much of color_to there is where a line starts", NUMBER,
          0, line_tint.start),
    SMEAR("lines.color_end", NUMBER, "", 0, 1, "1", NULL, "how much of color_to there is where a line ends", NUMBER, 0,
          line_tint.end),
    SMEAR("lines.length", NUMBER, "frames", -1000, 1000, "\"8 * offset\"", NULL,
          "length along the path; negative: into the past", OWN, LENGTH, lines.length),
    SMEAR("lines.radius", NUMBER, "L", 0, 1, "0.004", NULL, "radius at the start", NUMBER, 0, lines.radius),
    SMEAR("lines.taper", NUMBER, "", 0, 1, "1", NULL, "0: constant thickness, 1: ends in a point", NUMBER, 0,
          lines.taper),
    SMEAR("lines.point", NUMBER, "", 0, 1, "0", NULL, "0: full thickness at the start, 1: starts in a point", NUMBER, 0,
          lines.point),
    SMEAR("lines.dry", NUMBER, "", 0, 1, "0", NULL,
          "breaks lines up like the strokes of a dry brush; 0: whole lines, 1: nothing is left", NUMBER, 0, lines.dry),
    SMEAR("lines.gap", NUMBER, "frames", 0, 1000, "0", NULL, "gap between the surface and the start of the line",
          NUMBER, 0, lines.gap),
    SMEAR("lines.opacity", NUMBER, "", 0, 1, "1", NULL, "opacity at the start", NUMBER, 0, lines.opacity),
    SMEAR("lines.fade", NUMBER, "", 0, 1, "0", NULL, "fraction of the opacity lost along the line", NUMBER, 0,
          lines.fade),
    SMEAR("lines.min_speed", NUMBER, "L per frame", 0, 1000, "0.02", NULL, "slower points have no line", OWN, CHANGE,
          lines.min_speed),
    SMEAR("lines.seed", CONSTANT, "", 0, 1e9, "1", NULL, "seed of the random placement", COUNT, 0, lines.seed),
};
static const limberi_row drawn_rows[] = {
    SMEAR("stretch.amount", CONSTANT, "", 0, 4, "0", NULL,
          "thick parts that travel about their own width in a frame are stretched back to where they were", FLOAT, 0,
          drawn.stretch),
    SMEAR("stretch.body", CONSTANT, "", 0, 4, "0", NULL, "the same for the whole character where it leaps", FLOAT, 0,
          drawn.body),
    SMEAR("ribbon.amount", CONSTANT, "", 0, 1, "0", NULL,
          "opacity of the ribbons that thin and rigid parts leave along their paths; 0: none", FLOAT, 0, drawn.ribbon),
    SMEAR("ribbon.age", CONSTANT, "frames", 0.1, 4, "1.35", NULL, "how far a ribbon reaches back", FLOAT, 0,
          drawn.ribbon_age),
    SMEAR("ribbon.streaks", CONSTANT, "", 0, LIMBER_SMEAR_STREAKS, "0", NULL,
          "a ribbon breaks up into so many, like the stroke of a dry brush; 0: it is whole", COUNT, 0, drawn.streaks),
    SMEAR("strokes.count", CONSTANT, "", 0, LIMBER_SMEAR_STROKES, "0", NULL,
          "ink lines behind each part that leaves a ribbon, at most", COUNT, 0, drawn.strokes),
    SMEAR("burst.width", CONSTANT, "", 0.05, 10, "0.45", NULL,
          "travel over width from which a part is stretched; ribbons begin at three times that", FLOAT, 0, drawn.width),
    SMEAR("burst.frames", CONSTANT, "frames", 0.5, 4, "1.6", NULL,
          "how long before and after its fastest moment a part is smeared", FLOAT, 0, drawn.frames),
};
static const limberi_row mesh_rows[] = {
    MESH_SMEAR("elongate.amount", "frames", -1000, 1000, "linear speed noise", "as smear.elongate.amount", OWN, AMOUNT,
               elongate.amount),
    MESH_SMEAR("elongate.past", "", 0, 1000, NULL, "as smear.elongate.past", NUMBER, 0, elongate.past),
    MESH_SMEAR("elongate.future", "", 0, 1000, NULL, "as smear.elongate.future", NUMBER, 0, elongate.future),
    MESH_SMEAR("multiples.opacity", "", 0, 1, "default", "as smear.multiples.opacity; 0: no copies", OWN, OPACITY,
               multiples.opacity),
    MESH_SMEAR("lines.length", "frames", -1000, 1000, NULL, "as smear.lines.length; 0: no lines", OWN, LENGTH,
               lines.length),
    MESH_SMEAR("lines.radius", "L", 0, 1, NULL, "as smear.lines.radius", NUMBER, 0, lines.radius),
    MESH_SMEAR("lines.taper", "", 0, 1, NULL, "as smear.lines.taper", NUMBER, 0, lines.taper),
    MESH_SMEAR("lines.point", "", 0, 1, NULL, "as smear.lines.point", NUMBER, 0, lines.point),
    MESH_SMEAR("lines.dry", "", 0, 1, NULL, "as smear.lines.dry", NUMBER, 0, lines.dry),
    MESH_SMEAR("lines.gap", "frames", 0, 1000, NULL, "as smear.lines.gap", NUMBER, 0, lines.gap),
    MESH_SMEAR("lines.opacity", "", 0, 1, NULL, "as smear.lines.opacity", NUMBER, 0, lines.opacity),
    MESH_SMEAR("lines.fade", "", 0, 1, NULL, "as smear.lines.fade", NUMBER, 0, lines.fade),
};
static const limberi_row gain_rows[] = {
    LIMBERI_ROW("joints.*.smear", CONSTANT, "", 0, 1, false, "1", NULL,
                "how far smears move the skin of these joints, and of those below that have no value of their own",
                LATER, 0, 0, 0, NULL),
};
static const limberi_row spin_rows[] = {
    LIMBERI_ROW("joints.*.ignore_spin", SWITCH, "", 0, 0, false, "false", NULL,
                "smears ignore the rotation of these joints around their bone: for wheels, balls and spinning tops",
                LATER, 0, 0, 0, NULL),
};

static const limberi_section sections[] = {
    {"smear", "smear",
     LIMBERI_TEXT("Fast parts are drawn over more than one moment: stretched along their paths, as fading in-between "
                  "copies, and "
                  "with motion lines. Times are in output frames. Formulas may also use offset, from -1 (trailing) "
                  "through 0 (still "
                  "or in the middle) to 1 (leading); speed is in L per frame."),
     LIMBERI_TEXT("{\"smear\": {\"elongate\": {\"amount\": \"speed\", \"past\": 30, \"future\": 10}, \"step\": 2}}")},
    {"smear.motion", "smear.motion",
     LIMBERI_TEXT(
         "Which part of the motion is smeared. \"relative\" takes the motion of a joint out of that of everything; "
         "\"carried\" keeps only that, as if the joint carried the character along as it is, and \"translation\" and "
         "\"rotation\" keep one half of it."),
     LIMBERI_TEXT(
         "{\"smear\": {\"motion\": {\"part\": \"relative\", \"joint\": \"Hips\", \"ignore_spin\": \"balls\"}}}")},
    {"smear.offsets", "smear.offsets",
     LIMBERI_TEXT("Motion offsets: which parts of the character lead and which trail."),
     LIMBERI_TEXT("{\"smear\": {\"offsets\": {\"skeleton\": true, \"prune\": [\"Hand*\"], \"smooth\": 2, \"space\": "
                  "\"world\"}}}")},
    {"smear.elongate", "smear.elongate",
     LIMBERI_TEXT(
         "Stretches the character itself: each vertex moves along its own path, the front ahead and the back behind. A "
         "formula without offset moves all vertices the same way."),
     LIMBERI_TEXT(
         "{\"smear\": {\"elongate\": {\"amount\": \"20 * warp(offset, 0.5, 0.8) * speed\", \"past\": 1, \"future\": "
         "0.5}}}")},
    {"smear.multiples", "smear.multiples",
     LIMBERI_TEXT("Transparent in-between copies of the character, just before and after the current frame."),
     LIMBERI_TEXT("{\"smear\": {\"multiples\": {\"past\": 2, \"future\": 1, \"overlap\": 1, \"opacity\": \"default\", "
                  "\"min_speed\": 0.01}}}")},
    {"smear.lines", "smear.lines",
     LIMBERI_TEXT("Motion lines: thin tubes along the paths of surface points, the same points in all frames."),
     LIMBERI_TEXT("{\"smear\": {\"lines\": {\"count\": 60, \"length\": \"8 * min(offset, 0)\", \"radius\": 0.004, "
                  "\"taper\": 1,\n"
                  "                     \"gap\": 0.5, \"min_speed\": 0.02, \"seed\": 1}}}")},
};

static const limberi_section drawn_sections[] = {
    {"smear.stretch", "smear.stretch",
     LIMBERI_TEXT(
         "Smears as drawn: they cover the gap between two drawings and nothing else. How far a part travels in a "
         "frame over its own width decides, and everything trails. Frames are here those of 24 per second, or "
         "of the output where those are longer."),
     LIMBERI_TEXT("{\"smear\": {\"stretch\": {\"amount\": 1, \"body\": 1}}}")},
    {"smear.ribbon", "smear.ribbon",
     LIMBERI_TEXT("The surface that a thin or rigid part swept on its true path between the frames, as a crescent."),
     LIMBERI_TEXT("{\"smear\": {\"ribbon\": {\"amount\": 0.9, \"age\": 1.1, \"streaks\": 0}}}")},
    {"smear.strokes", "smear.strokes", LIMBERI_TEXT("A few tapered ink lines behind parts that leave a ribbon."),
     LIMBERI_TEXT("{\"smear\": {\"ribbon\": {\"amount\": 0.9}, \"strokes\": {\"count\": 5}}}")},
    {"smear.burst", "smear.burst",
     LIMBERI_TEXT("When stretch, ribbons and strokes are drawn at all: around the fastest moments of a part."),
     LIMBERI_TEXT("{\"smear\": {\"stretch\": {\"amount\": 1}, \"burst\": {\"width\": 0.45, \"frames\": 1.6}}}")},
};

const limberi_keys limberi_smear_keys = LIMBERI_KEYS_OF(rows, sections);
const limberi_keys limberi_drawn_keys = LIMBERI_KEYS_OF(drawn_rows, drawn_sections);
const limberi_keys limberi_smear_mesh_keys = LIMBERI_KEYS(mesh_rows);
const limberi_keys limberi_smear_gain_keys = LIMBERI_KEYS(gain_rows);
const limberi_keys limberi_spin_keys = LIMBERI_KEYS(spin_rows);
