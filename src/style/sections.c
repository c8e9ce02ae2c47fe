// The headings of the help and the documentation.
#include "deform/effects/effect.h"
#include "style/table.h"

#include <string.h>

static const limberi_section sections[] = {
    {"", "Global settings", LIMBERI_TEXT("Settings that apply to all effects."),
     LIMBERI_TEXT("{\"limber\": 1, \"size\": \"auto\", \"skinning\": \"dualquat\", \"normals\": \"jacobian\"}")},
    {"morphs", "morphs",
     LIMBERI_TEXT(
         "Morph targets that move fast drag and squash the vertices they move, like joints do with their skin."),
     LIMBERI_TEXT("{\"morphs\": {\"drag\": 0.05, \"squash\": 0.2, \"max\": 0.05}}")},
    {"effects.*.filter", "filter",
     LIMBERI_TEXT(
         "Filters the motion of the joints before an effect uses it. Set one filter for all quantities, or one per "
         "quantity; a quantity with its own filter ignores the common one. A filter replaces an earlier one as a "
         "whole."),
     LIMBERI_TEXT(
         "{\"effects\": {\"floppy\": {\"angular\": 0.4, \"filter\": {\"type\": \"lowpass\", \"gamma\": 0.8}},\n"
         "             \"drag\": {\"angular\": 0.02, \"filter\": {\"angular_acceleration\": {\"type\": \"spring\", "
         "\"frequency\": 2}}}}}")},
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
    {"meshes.*", "meshes",
     LIMBERI_TEXT(
         "Gains of effects and smears per mesh, by the name of the mesh or of its node. A name may contain stars; each "
         "matches any text. Where several patterns match a mesh, later ones win; within a pattern an effect overrides "
         "\"*\". Keys of smears that are left out are those of all meshes."),
     LIMBERI_TEXT("{\"meshes\": {\"Sword*\": {\"effects\": {\"*\": 0, \"squash\": 0.5},\n"
                  "                       \"smear\": {\"elongate\": {\"amount\": \"3 * min(offset, 0)\"}}},\n"
                  "            \"Cape\": {\"smear\": {\"multiples\": {\"opacity\": 0}}}}}")},
    {"joints.*", "joints",
     LIMBERI_TEXT("Gains and settings per joint. A name may contain stars; each matches any text. Where several "
                  "patterns match a "
                  "joint, later ones win; within a pattern an effect overrides \"*\" and a part overrides its effect. "
                  "A gain scales "
                  "what the joint itself adds, not what it inherits. Formulas may use only t, frame and phase, because "
                  "a joint has "
                  "no vertex."),
     LIMBERI_TEXT(
         "{\"joints\": {\"Leg*\": {\"*\": 0}, \"Head\": {\"floppy\": \"1.5 * step(0.5, t)\", \"squash.angular\": 0,\n"
         "                                      \"centroid_offset\": [0, 0.1, 0]}}}")},
};

// After the first come those of each effect.
static uint32_t effect_sections(void) {
    uint32_t count = 0;
    for (uint32_t e = 0; e < LIMBER_EFFECT_COUNT; e++)
        count += limberi_effects[e]->section_count;
    return count;
}

uint32_t limberi_section_count(void) {
    return (uint32_t)(sizeof sections / sizeof sections[0]) + effect_sections();
}

const limberi_section* limberi_section_at(uint32_t index) {
    uint32_t of_effects = effect_sections();
    if (index == 0 || index > of_effects)
        return &sections[index == 0 ? 0 : index - of_effects];
    uint32_t e = 0;
    for (index--; index >= limberi_effects[e]->section_count; e++)
        index -= limberi_effects[e]->section_count;
    return &limberi_effects[e]->sections[index];
}

uint32_t limberi_section_of(const limberi_row* row) {
    uint32_t best = 0;
    for (uint32_t i = 1; i < limberi_section_count(); i++) {
        const char* path = limberi_section_at(i)->path;
        size_t length = strlen(path);
        if (length > strlen(limberi_section_at(best)->path) && strncmp(row->key.path, path, length) == 0 &&
            row->key.path[length] == '.')
            best = i;
    }
    return best;
}
