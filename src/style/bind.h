// Inside src/style: a style on its way to the settings of one character.
#ifndef LIMBERI_STYLE_BIND_H
#define LIMBERI_STYLE_BIND_H

#include "asset/asset.h"
#include "style/style_private.h"

enum { LIMBERI_WARNING_LIMIT = 64 };

struct limber_bound_style {
    limberi_arena arena;
    limber_stage_settings settings;
    limber_expression** expressions;
    uint32_t expression_count;
    const char* warnings[LIMBERI_WARNING_LIMIT];
    uint32_t warning_count;
};

// Filters and the cone are put together from several keys.
typedef struct limberi_filter_plan {
    limber_filter filter;
    bool typed, given; // whether a type was given, and anything at all
} limberi_filter_plan;

typedef struct limberi_binder {
    const limber_style* style;
    const uint32_t* order; // of the style's entries
    const limber_asset* asset;
    const limber_model* model;
    limber_bound_style* bound;
    limber_error* error;
    const limberi_entry* strength;   // NULL: not given
    const limberi_entry* smear_part; // smear.motion.part, if it needs a joint
    limberi_filter_plan filters[LIMBER_EFFECT_COUNT][LIMBERI_QUANTITY_COUNT];
    const limberi_entry* cone[LIMBERI_CONE_KEY_COUNT]; // NULL: not given
} limberi_binder;

LIMBER_MUST_USE limber_result limberi_bind_cone(limberi_binder* binder);
LIMBER_MUST_USE limber_result limberi_bind_joints(limberi_binder* binder);
LIMBER_MUST_USE limber_result limberi_bind_exaggerate(limberi_binder* binder); // the whole section, after the others
LIMBER_MUST_USE limber_result limberi_bind_colliders(limberi_binder* binder, const limberi_entry* entry);
LIMBER_MUST_USE limber_result limberi_bind_air(limberi_binder* binder, const limberi_entry* entry);
LIMBER_MUST_USE limber_result limberi_bind_rigid(limberi_binder* binder, const limberi_entry* entry);
LIMBER_MUST_USE limber_result limberi_bind_contacts(limberi_binder* binder, const limberi_entry* entry);
// One key of the smear section; and what is known once all of them are.
LIMBER_MUST_USE limber_result limberi_bind_smear(limberi_binder* binder, const limberi_entry* entry);
LIMBER_MUST_USE limber_result limberi_bind_smear_joints(limberi_binder* binder);
LIMBER_MUST_USE limber_result limberi_bind_smear_meshes(limberi_binder* binder);
LIMBER_MUST_USE limber_result limberi_bind_mesh_gains(limberi_binder* binder);
// Takes over a formula that the style did not write itself; one for each entry at most.
LIMBER_MUST_USE limber_result limberi_bind_text(limberi_binder* binder, const limberi_entry* entry, const char* text,
                                                limber_number* out);
// A number or, once an entry, its formula, which the bound style then owns.
LIMBER_MUST_USE limber_result limberi_bind_number(limberi_binder* binder, const limberi_entry* entry,
                                                  limber_number* out);
// Layers that a formula needs, and layers that effects name.
LIMBER_MUST_USE limber_result limberi_bind_formula_layers(limberi_binder* binder, const limberi_entry* entry,
                                                          const limber_expression* expression);
void limberi_bind_layer(limberi_binder* binder, const limberi_entry* entry, const char* name);

// Says that no joint or mesh matches, and which comes nearest.
limber_result limberi_fail_joint(limberi_binder* binder, const char* pattern);
limber_result limberi_fail_mesh(limberi_binder* binder, const char* pattern);
// By its own name or that of its node.
bool limberi_mesh_matches(const limber_mesh* mesh, const char* pattern);

limber_result limberi_bind_at(limberi_binder* binder, limber_result result, const limberi_entry* entry);
void limberi_bind_warn(limberi_binder* binder, const limberi_entry* entry, const char* format, ...)
    LIMBERI_PRINTF(3, 4);

#endif
