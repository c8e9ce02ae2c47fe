// The style keys of the deform stage that are not of one effect: size, normals, filters and gains.
#include "deform/style_keys.h"

#include "deform/effects/keys.h"

#define FILTER(where, quantity)                                                                                        \
    LIMBERI_ROW("effects.*.filter" where ".type", CHOICE, "", 0, 0, false, "\"none\"", "none lowpass spring",          \
                "lowpass smooths and delays; spring overshoots and settles", LATER, 0, LIMBERI_QUANTITY_##quantity,    \
                offsetof(limber_filter, type), NULL),                                                                  \
        LIMBERI_ROW("effects.*.filter" where ".gamma", NUMBER, "", 0, 1, true, "0.6", NULL,                            \
                    "lowpass: fraction of the way to the new value per 1/60 s; smaller is smoother", LATER, 0,         \
                    LIMBERI_QUANTITY_##quantity, offsetof(limber_filter, gamma), &limberi_frame_reader),               \
        LIMBERI_ROW("effects.*.filter" where ".frequency", NUMBER, "Hz", 0, 1000, true, "3", NULL,                     \
                    "spring: oscillations per second", LATER, 0, LIMBERI_QUANTITY_##quantity,                          \
                    offsetof(limber_filter, frequency_hz), &limberi_frame_reader),                                     \
        LIMBERI_ROW("effects.*.filter" where ".damping", NUMBER, "", 0, 1000, false, "0.3", NULL,                      \
                    "spring: damping ratio; 0 never settles, 1 settles without overshoot", LATER, 0,                   \
                    LIMBERI_QUANTITY_##quantity, offsetof(limber_filter, damping), &limberi_frame_reader)

static const limberi_row size_rows[] = {
    LIMBERI_ROW("size", CONSTANT, "model units", 0, 1e9, true, "\"auto\"", "auto",
                "length L that gains are relative to; \"auto\": diameter of the smallest ball around the rest pose",
                FLOAT, 0, 0, offsetof(limber_deform_settings, size), NULL),
};
static const limberi_row deform_rows[] = {
    LIMBERI_ROW("normals", CHOICE, "", 0, 0, false, "\"averaged\"", "averaged jacobian",
                "how normals follow the effects: averaged from the triangles, or by the Jacobian of the deformation",
                CHOICE, 0, 0, offsetof(limber_deform_settings, normals), NULL),
    LIMBERI_ROW(
        "compose", CHOICE, "", 0, 0, false, "\"sum\"", "sum chain",
        "how joints work together: displacements are summed, or applied one after another up the hierarchy, which "
        "keeps "
        "lengths",
        CHOICE, 0, 0, offsetof(limber_deform_settings, compose), NULL),
};
static const limberi_row root_rows[] = {
    LIMBERI_ROW("root", CHOICE, "", 0, 0, false, "\"rig\"", "rig contacts",
                "where effects start: the root of the rig, or hands and feet that stay in place while the body moves",
                CHOICE, 0, 0, offsetof(limber_deform_settings, root), NULL),
};

// Filters are for all quantities of an effect, or for each quantity by itself.
static const limberi_row filter_rows[] = {
    FILTER("", ALL),
    FILTER(".velocity", VELOCITY),
    FILTER(".acceleration", ACCELERATION),
    FILTER(".angular_velocity", ANGULAR_VELOCITY),
    FILTER(".angular_acceleration", ANGULAR_ACCELERATION),
};
static const limberi_section filter_sections[] = {
    {"effects.*.filter", "filter",
     LIMBERI_TEXT(
         "Filters the motion of the joints before an effect uses it. Set one filter for all quantities, or one per "
         "quantity; a quantity with its own filter ignores the common one. A filter replaces an earlier one as a "
         "whole. Formulas may use t, frame and phase; filters go on from where they are."),
     LIMBERI_TEXT(
         "{\"effects\": {\"floppy\": {\"angular\": 0.4, \"filter\": {\"type\": \"lowpass\", \"gamma\": 0.8}},\n"
         "             \"drag\": {\"angular\": 0.02, \"filter\": {\"angular_acceleration\": {\"type\": \"spring\", "
         "\"frequency\": 2}}}}}")},
};

static const limberi_section mesh_sections[] = {
    {"meshes.*", "meshes",
     LIMBERI_TEXT(
         "Gains of effects and smears per mesh, by the name of the mesh or of its node. A name may contain stars; each "
         "matches any text. Where several patterns match a mesh, later ones win; within a pattern an effect overrides "
         "\"*\". Keys of smears that are left out are those of all meshes."),
     LIMBERI_TEXT("{\"meshes\": {\"Sword*\": {\"effects\": {\"*\": 0, \"squash\": 0.5},\n"
                  "                       \"smear\": {\"elongate\": {\"amount\": \"3 * min(offset, 0)\"}}},\n"
                  "            \"Cape\": {\"smear\": {\"multiples\": {\"opacity\": 0}}}}}")},
};

// General keys come first, so that more specific ones override them.
static const limberi_row gain_rows[] = {
    LIMBERI_JOINT_GAIN("*", LIMBERI_EVERY_EFFECT, LIMBERI_GAIN_BOTH, "gain of all effects for these joints"),
};
static const limberi_section joint_sections[] = {
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

static const limberi_row joint_rows[] = {
    LIMBERI_ROW("joints.*.centroid_offset", VECTOR, "model units", -1e9, 1e9, false, "[0, 0, 0]", NULL,
                "moves the center that squash keeps in place, in the joint's frame", LATER, 0, LIMBERI_JOINT_OFFSET, 0,
                NULL),
    LIMBERI_ROW(
        "joints.*.axis", VECTOR, "", -1e9, 1e9, false, "[0, 0, 0]", NULL,
        "direction of the medial axis that squash flattens across, in the joint's frame; [0, 0, 0]: to the center",
        LATER, 0, LIMBERI_JOINT_AXIS, 0, NULL),
    LIMBERI_ROW("joints.*.about", CHOICE, "", 0, 0, false, NULL, "axis center",
                "what squash keeps in place for these joints, overriding effects.squash.about", LATER, 0,
                LIMBERI_JOINT_ABOUT, 0, NULL),
};

const limberi_keys limberi_size_keys = LIMBERI_KEYS(size_rows);
const limberi_keys limberi_deform_keys = LIMBERI_KEYS(deform_rows);
const limberi_keys limberi_root_keys = LIMBERI_KEYS(root_rows);
const limberi_keys limberi_filter_keys = LIMBERI_KEYS_OF(filter_rows, filter_sections);
const limberi_keys limberi_mesh_gain_keys = LIMBERI_KEYS_OF(limberi_mesh_gain_rows, mesh_sections);
const limberi_keys limberi_joint_gain_keys = LIMBERI_KEYS_OF(gain_rows, joint_sections);
const limberi_keys limberi_joint_keys = LIMBERI_KEYS(joint_rows);
