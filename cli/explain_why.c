// Why a bound is broken, and which key of the style would help: the key of the effect that is at work.
#include "cli/explain.h"
#include "deform/effects/effect.h"
#include "text/text.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

void cli_explain_spot(const limber_model* model, limberi_spot spot, char* text, size_t size) {
    if (spot.joint < model->rig.joint_count)
        snprintf(text, size, "at %.2f s (%s)", spot.time_s, model->rig.names[spot.joint]);
    else
        snprintf(text, size, "at %.2f s", spot.time_s);
}

static limberi_spot spot_of(limberi_bound bound, const limberi_review* r) {
    const limberi_spot spots[LIMBERI_BOUND_COUNT] = {r->at_strength,
                                                     r->at_strength,
                                                     r->at_stretch,
                                                     r->at_rigid,
                                                     r->at_pop,
                                                     r->at_floor,
                                                     r->at_slide,
                                                     r->at_seam,
                                                     r->at_crack,
                                                     {UINT32_MAX, r->smears.bursts[0].start_s},
                                                     r->smears.at_stretch,
                                                     r->smears.at_rigid,
                                                     r->smears.at_idle,
                                                     r->smears.at_flicker};
    return spots[bound];
}

static bool is_on(const limber_stage_settings* s, limber_effect effect) {
    return limberi_is_on(s->deform.effects[effect].linear) || limberi_is_on(s->deform.effects[effect].angular);
}

// The effect that moves most, as far as its settings tell; LIMBER_EFFECT_COUNT: none is on.
static limber_effect main_effect(const limber_stage_settings* s) {
    for (uint32_t i = 0; i < LIMBER_EFFECT_COUNT; i++)
        if (is_on(s, limberi_effect_by_weight(i)))
            return limberi_effect_by_weight(i);
    return LIMBER_EFFECT_COUNT;
}

static const char* gain_of(const limber_stage_settings* s, limber_effect effect) {
    const char* key = limberi_effects[effect]->advice.strength;
    if (key)
        return key;
    return limberi_is_on(s->deform.effects[effect].angular) ? "angular" : "linear";
}

// The key that sets how strong the style is, besides `strength`.
static void strength_key(const limber_stage_settings* s, char* text, size_t size) {
    limber_effect effect = main_effect(s);
    if (effect < LIMBER_EFFECT_COUNT)
        snprintf(text, size, "effects.%s.%s", limber_effect_name(effect), gain_of(s, effect));
    else if (limber_exaggerate_is_on(&s->exaggerate))
        snprintf(text, size, "%s", s->exaggerate.strength > 0 ? "exaggerate.strength" : "exaggerate.filter.amount");
    else
        snprintf(text, size, "impact.gain");
}

// Adds "effects.EFFECT.KEY" to the keys that would help.
static void add_key(char* keys, size_t size, limber_effect effect, const char* key) {
    size_t used = strlen(keys);
    snprintf(keys + used, size - used, "%seffects.%s.%s", used ? " or " : "", limber_effect_name(effect), key);
}

// The best limit of each of two effects, or both limits of one.
static void stretch_remedy(const limber_stage_settings* s, char* text, size_t size) {
    char keys[160] = "";
    limber_effect found[2] = {LIMBER_EFFECT_COUNT, LIMBER_EFFECT_COUNT};
    uint32_t count = 0;
    for (uint32_t i = 0; i < LIMBER_EFFECT_COUNT && count < 2; i++) {
        limber_effect effect = limberi_effect_by_weight(i);
        if (is_on(s, effect) && limberi_effects[effect]->advice.stretch[0])
            found[count++] = effect;
    }
    for (uint32_t i = 0; i < count; i++)
        add_key(keys, sizeof keys, found[i], limberi_effects[found[i]]->advice.stretch[0]);
    if (count == 1 && limberi_effects[found[0]]->advice.stretch[1])
        add_key(keys, sizeof keys, found[0], limberi_effects[found[0]]->advice.stretch[1]);
    if (!count)
        strength_key(s, keys, sizeof keys);
    snprintf(text, size, "lower %s", keys);
}

static void pop_remedy(const limber_stage_settings* s, char* text, size_t size) {
    limber_effect effect = main_effect(s);
    const char* name = effect < LIMBER_EFFECT_COUNT ? limber_effect_name(effect) : NULL;
    if (name && limberi_effects[effect]->advice.pop)
        snprintf(text, size, "lower effects.%s.%s or raise effects.%s.%s", name, gain_of(s, effect), name,
                 limberi_effects[effect]->advice.pop);
    else if (name)
        snprintf(text, size, "lower effects.%s.%s or set effects.%s.filter.type=lowpass", name, gain_of(s, effect),
                 name);
    else if (limber_exaggerate_is_on(&s->exaggerate))
        snprintf(text, size, "raise exaggerate.smooth or lower exaggerate.strength");
    else
        snprintf(text, size, "lower impact.gain");
}

static const char* ground_remedy(const limber_stage_settings* s, limberi_bound bound) {
    if (s->contacts.strength < 1)
        return "set contact=1";
    if (s->contacts.floor == LIMBER_FLOOR_NONE)
        return "set floor=auto";
    return bound == LIMBERI_BOUND_FLOOR ? "set floor to the height of the ground"
                                        : "add the contact that was not found (docs/ground.md)";
}

static void smear_remedy(const limber_stage_settings* s, limberi_bound bound, char* text, size_t size) {
    bool drawn = !limberi_is_on(s->smear.elongate.amount) && !s->smear.multiples.past && !s->smear.multiples.future &&
                 !s->smear.lines.count;
    const char* key = drawn ? "smear.stretch.amount" : "smear.elongate.amount";
    if (bound == LIMBERI_BOUND_SMEARED && drawn)
        snprintf(text, size, "raise smear.burst.width or lower smear.burst.frames");
    else if (bound == LIMBERI_BOUND_SMEARED)
        snprintf(text, size, "raise min_speed of copies and lines, or multiply amounts with speed");
    else if (bound == LIMBERI_BOUND_SMEAR_FLICKER)
        snprintf(text, size, "%s",
                 drawn ? "raise smear.burst.frames" : "raise smear.offsets.smooth or lower min_speed");
    else if (bound == LIMBERI_BOUND_SMEAR_STRETCH && !drawn)
        snprintf(text, size, "lower %s or set smear.elongate.max", key);
    else
        snprintf(text, size, "lower %s, or joints.*.smear there", key);
}

// What is wrong, without what to do.
static void describe(const cli_explanation* all, const cli_explained* one, limberi_bound bound, char* text,
                     size_t size) {
    char at[192];
    double value = limberi_bound_value(bound, &one->review);
    double limit = limberi_bound_limit(bound, &all->bounds, &one->review);
    cli_explain_spot(all->model, spot_of(bound, &one->review), at, sizeof at);
    if (bound == LIMBERI_BOUND_WEAK)
        snprintf(text, size, "weak: %.3f L at its strongest, %s; less than %.3f", value, at, limit);
    else if (bound == LIMBERI_BOUND_STRONG)
        snprintf(text, size, "strong: %.3f L %s; more than %.2f", value, at, limit);
    else if (bound == LIMBERI_BOUND_STRETCH)
        snprintf(text, size, "stretches %s to %.2f of its length; more than %.1f", at, value, limit);
    else if (bound == LIMBERI_BOUND_RIGID)
        snprintf(text, size, "a rigid part changes its length by %.1f %% %s", 100 * value, at);
    else if (bound == LIMBERI_BOUND_POP)
        snprintf(text, size, "pops %s: %.1f times the plain motion", at, value);
    else if (bound == LIMBERI_BOUND_FLOOR)
        snprintf(text, size, "goes %.3f L through the floor %s", value, at);
    else if (bound == LIMBERI_BOUND_SLIDE)
        snprintf(text, size, "slides on the ground by %.3f L %s", value, at);
    else if (bound == LIMBERI_BOUND_SEAM)
        snprintf(text, size, "does not close: a seam of %.3f L %s", value, at);
    else if (bound == LIMBERI_BOUND_CRACK)
        snprintf(text, size, "cracks open by %.4f L %s", value, at);
    else if (bound == LIMBERI_BOUND_SMEARED)
        snprintf(text, size, "smears %.0f %% of the frames; more than %.0f %%", 100 * value, 100 * limit);
    else if (bound == LIMBERI_BOUND_SMEAR_STRETCH)
        snprintf(text, size, "smears tear: edges get %.1f of their length %s", value, at);
    else if (bound == LIMBERI_BOUND_SMEAR_RIGID)
        snprintf(text, size, "smears change the length of a rigid part by %.0f %% %s", 100 * value, at);
    else if (bound == LIMBERI_BOUND_SMEAR_IDLE)
        snprintf(text, size, "smears what hardly moves by %.3f L %s", value, at);
    else
        snprintf(text, size, "smears flicker: %.0f %% is missing for a frame, most %s", 100 * value, at);
}

static void remedy(const cli_explanation* all, const cli_explained* one, limberi_bound bound, char* text, size_t size) {
    const limber_stage_settings* s = all->settings;
    char key[64];
    strength_key(s, key, sizeof key);
    if (bound == LIMBERI_BOUND_WEAK)
        snprintf(text, size, "raise strength or %s", key);
    else if (bound == LIMBERI_BOUND_STRONG)
        snprintf(text, size, "lower strength or %s", key);
    else if (bound == LIMBERI_BOUND_STRETCH)
        stretch_remedy(s, text, size);
    else if (bound == LIMBERI_BOUND_RIGID)
        snprintf(text, size, "%s",
                 s->rigid.mode == LIMBER_RIGID_OFF ? "set rigid=auto"
                                                   : "if it is a prop, paint the layer rigid (docs/rigid.md)");
    else if (bound == LIMBERI_BOUND_POP)
        pop_remedy(s, text, size);
    else if (bound == LIMBERI_BOUND_SEAM)
        snprintf(text, size, "%s",
                 all->model->clips[one->clip].loops ? "use formulas that end where they begin" : "set loop=true");
    else if (bound >= LIMBERI_BOUND_SMEARED)
        smear_remedy(s, bound, text, size);
    else if (bound == LIMBERI_BOUND_CRACK)
        snprintf(text, size, "paint both sides of it alike, or weld its vertices");
    else
        snprintf(text, size, "%s", ground_remedy(s, bound));
}

void cli_explain_why(const cli_explanation* all, const cli_explained* one, limberi_bound bound, char* text,
                     size_t size) {
    char what[384], help[192];
    describe(all, one, bound, what, sizeof what);
    remedy(all, one, bound, help, sizeof help);
    snprintf(text, size, "%s; %s", what, help);
}

void cli_explain_standing(const cli_explanation* all, const cli_explained* one, double* shares) {
    const limber_clip* clip = &all->model->clips[one->clip];
    double length_s = clip->end_s - clip->start_s;
    for (uint32_t j = 0; j < all->model->rig.joint_count; j++)
        shares[j] = 0;
    for (uint32_t i = 0; length_s > 0 && i < limber_contact_count(one->contacts); i++) {
        limber_contact contact = limber_contact_at(one->contacts, i);
        double* share = &shares[contact.joint];
        double lasts_s = contact.to_s - contact.from_s;
        *share = fmin(1, *share + fmax(0, lasts_s) / length_s);
    }
}
