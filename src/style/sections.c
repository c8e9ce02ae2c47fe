// The headings of the help and the documentation.
#include "style/table.h"

#include <string.h>

static const limberi_section sections[] = {
    {"", "The style as a whole", "What holds for all effects.",
     "{\"limber\": 1, \"size\": \"auto\", \"skinning\": \"dualquat\", \"normals\": \"jacobian\"}"},
    {"effects.floppy", "floppy", "Loose parts trail behind: they bend and lag against the velocity of their joints.",
     "{\"effects\": {\"floppy\": {\"linear\": 0.05, \"angular\": \"0.4 * smoothstep(0.2, 1, height)\", \"max_bend\": "
     "60}}}"},
    {"effects.squash", "squash",
     "Fast parts stretch along their path and get thin across it; swung parts flatten. The volume stays.",
     "{\"effects\": {\"squash\": {\"linear\": 0.1, \"angular\": 0.1, \"about\": \"axis\"}}}"},
    {"effects.drag", "drag",
     "Parts are left behind while a motion starts: the accelerating half of the acceleration effect.",
     "{\"effects\": {\"drag\": {\"angular\": 0.02, \"max_bend\": 45, \"threshold\": 0.5}}}"},
    {"effects.followthrough", "followthrough",
     "Parts go on while a motion stops: the braking half of the acceleration effect. With a spring they settle.",
     "{\"effects\": {\"followthrough\": {\"angular\": 0.03, \"filter\": {\"type\": \"spring\", \"frequency\": 3, "
     "\"damping\": 0.3}}}}"},
    {"effects.stretch", "stretch", "A spin pulls parts outwards, like a centrifuge.",
     "{\"effects\": {\"stretch\": {\"angular\": 0.008, \"profile\": \"quadratic\"}}}"},
    {"effects.lift", "lift",
     "A spin lifts a skirt: the displacement of other effects, turned along the normals of a cone.",
     "{\"effects\": {\"lift\": {\"angular\": 0.1, \"source\": [\"stretch\"], \"normals\": \"mesh\", \"layer\": "
     "\"skirt\"}}}"},
    {"effects.lift.cone", "lift.cone",
     "The cone whose normals the lift follows, fixed to a joint. Give its apex, axis and half_angle, or have it fitted "
     "to "
     "the joint's vertices.",
     "{\"effects\": {\"lift\": {\"angular\": 0.1, \"cone\": {\"joint\": \"Skirt\", \"fit\": \"auto\"}}}}"},
    {"effects.*.filter", "filter",
     "What an effect does to the joints' motion before it uses it. One filter for all, or one for each quantity, which "
     "then takes nothing from the one for all. A filter that is read replaces the filter that was there.",
     "{\"effects\": {\"floppy\": {\"angular\": 0.4, \"filter\": {\"type\": \"lowpass\", \"gamma\": 0.8}},\n"
     "             \"drag\": {\"angular\": 0.02, \"filter\": {\"angular_acceleration\": {\"type\": \"spring\", "
     "\"frequency\": 2}}}}}"},
    {"exaggerate", "exaggerate",
     "The skeleton's own motion, before anything else: joints are pulled, and the rest of the skeleton follows like "
     "rubber, bones becoming longer and shorter. A constraint has a joint and either elongate or keys. Where the "
     "windows of two keys meet, the pull goes straight from one to the next; elsewhere it comes back to nothing.",
     "{\"exaggerate\": {\"constraints\": [{\"joint\": \"RightHand\", \"elongate\": \"0.4 * speed\"},\n"
     "                                {\"joint\": \"LeftFoot\", \"keys\": [[0.5, [0, 0.2, 0]]], \"relative\": true, "
     "\"window\": 0.4}],\n"
     "                \"smooth\": 2, \"plant\": [\"*Foot*\"]}}"},
    {"exaggerate.filter", "exaggerate.filter",
     "The cartoon filter, on the rotations and translations of all joints: what starts winds up first, what stops "
     "overshoots and settles; what rests or moves evenly stays as it is.",
     "{\"exaggerate\": {\"filter\": {\"amount\": 0.5, \"sigma\": 0.12, \"joints\": \"*Arm*, *Hand*\", \"delay\": "
     "0.02}}}"},
    {"smear", "smear",
     "Fast parts are drawn over more than one moment: stretched along their paths, as fading copies, with motion "
     "lines. "
     "Times are counted in frames of the output, so that a smear is as long as what the eye misses. Formulas also know "
     "offset, from -1 (trails) over 0 (still, or in the middle) to 1 (leads), and speed is in L per frame.",
     "{\"smear\": {\"elongate\": {\"amount\": \"speed\", \"past\": 30, \"future\": 10}, \"step\": 2}}"},
    {"smear.offsets", "smear.offsets", "What leads and what trails.",
     "{\"smear\": {\"offsets\": {\"skeleton\": true, \"prune\": [\"Hand*\"], \"smooth\": 2, \"space\": \"world\"}}}"},
    {"smear.elongate", "smear.elongate",
     "The character itself is stretched: each vertex goes along its own path, the front ahead and the back behind. A "
     "formula without offset moves all of it.",
     "{\"smear\": {\"elongate\": {\"amount\": \"20 * warp(offset, 0.5, 0.8) * speed\", \"past\": 1, \"future\": "
     "0.5}}}"},
    {"smear.multiples", "smear.multiples", "Copies of the character at moments just past and to come, seen through.",
     "{\"smear\": {\"multiples\": {\"past\": 2, \"future\": 1, \"overlap\": 1, \"opacity\": \"default\", "
     "\"min_speed\": 0.01}}}"},
    {"smear.lines", "smear.lines",
     "Thin tubes along the paths of points of the surface. The points stay the same in all frames.",
     "{\"smear\": {\"lines\": {\"count\": 60, \"length\": \"8 * min(offset, 0)\", \"radius\": 0.004, \"taper\": 1, "
     "\"gap\": 0.5, \"min_speed\": 0.02, \"seed\": 1}}}"},
    {"joints.*", "joints",
     "What single joints change. The name may hold stars, each standing for any run of characters. Where several "
     "patterns match a joint, later ones win; within one pattern an effect wins over \"*\" and a part over its effect. "
     "A gain changes what the joint itself adds, never what it inherits. Its formulas know t, frame and phase only, "
     "because a joint has no vertex of its own.",
     "{\"joints\": {\"Leg*\": {\"*\": 0}, \"Head\": {\"floppy\": \"1.5 * step(0.5, t)\", \"squash.angular\": 0, "
     "\"centroid_offset\": [0, 0.1, 0]}}}"},
};

uint32_t limberi_section_count(void) {
    return sizeof sections / sizeof sections[0];
}

const limberi_section* limberi_section_at(uint32_t index) {
    return &sections[index];
}

uint32_t limberi_section_of(const limberi_row* row) {
    uint32_t best = 0;
    for (uint32_t i = 1; i < limberi_section_count(); i++) {
        size_t length = strlen(sections[i].path);
        if (length > strlen(sections[best].path) && strncmp(row->key.path, sections[i].path, length) == 0 &&
            row->key.path[length] == '.')
            best = i;
    }
    return best;
}
