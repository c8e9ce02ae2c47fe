// `info --style`: what a style does, for people.
#include "cli/cli.h"
#include "cli/explain.h"
#include "contact/contacts.h"
#include "deform/effects/effect.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static const double min_share = 0.02; // of a clip that is worth a word

static void print_spot(const cli_explanation* all, limberi_spot spot) {
    char text[192];
    cli_explain_spot(all->model, spot, text, sizeof text);
    cli_print_name(text);
}

static void print_strength(const cli_explanation* all, const limberi_review* r) {
    printf("    strength: %.3f L", r->strength);
    if (r->strength > 0) {
        printf(" ");
        print_spot(all, r->at_strength);
    }
    printf("; the plain motion has %.3f L\n", r->motion);
}

static void print_stretch(const cli_explanation* all, const limberi_review* r) {
    printf("    stretch: edges get %.2f to %.2f of their length", r->shrink, r->stretch);
    if (r->stretch > 1.005) {
        printf(", most ");
        print_spot(all, r->at_stretch);
    }
    printf("\n");
}

// What cannot be seen is not worth a word.
static void print_depth(const cli_explanation* all, const limberi_review* r) {
    static const double visible = 0.004;
    if (r->depth < visible)
        return;
    printf("    depth: skin gets %.3f L deeper into ", r->depth);
    cli_print_name(r->into < all->model->rig.joint_count ? all->model->rig.names[r->into] : "the scene");
    printf(" than in the plain motion, ");
    print_spot(all, r->at_depth);
    if (r->depth_is_posed)
        printf("; by its larger pose: less \"exaggerate\" of \"pose\"");
    else if (!all->settings->colliders.automatic)
        printf("; \"colliders\": \"auto\" keeps it outside");
    printf("\n");
}

static void print_limit(const cli_explanation* all, limber_effect effect, const limberi_limited* l) {
    const limberi_effect* e = limberi_effects[effect];
    if (!l->has_limit)
        return;
    printf("    effects.%s.%s (%g%s): ", e->name, e->limit.key, l->max, e->limit.unit);
    if (l->joint == UINT32_MAX) {
        printf("never near it\n");
        return;
    }
    printf("within a tenth of it %.0f %% of the time, most by ", 100 * l->share);
    cli_print_name(l->joint < all->model->rig.joint_count ? all->model->rig.names[l->joint] : "");
    printf(" (%.0f %%)\n", 100 * l->max_share);
}

static void print_standing(const cli_explanation* all, const cli_explained* one) {
    double* shares = calloc((size_t)all->model->rig.joint_count + 1, sizeof *shares);
    uint32_t shown = 0;
    uint32_t left = 0;
    if (shares)
        cli_explain_standing(all, one, shares);
    printf("    stands on the ground: ");
    for (uint32_t j = 0; shares && j < all->model->rig.joint_count; j++) {
        if (shares[j] < min_share)
            continue;
        if (shown == CLI_MAX_LISTED) {
            left++;
            continue;
        }
        printf("%s", shown++ ? ", " : "");
        cli_print_name(all->model->rig.names[j]);
        printf(" %.0f %%", 100 * shares[j]);
    }
    if (left)
        printf(", and %u more", left);
    printf(shown ? " of the time" : "nothing");
    if (!limber_contacts_level_count(one->contacts))
        printf("; there is no floor");
    if (shown && !(all->settings->contacts.strength > 0))
        printf("; not held (contact is 0)");
    printf("\n");
    free(shares);
}

static void print_landings(const cli_explanation* all, const cli_explained* one) {
    uint32_t count = limber_landing_count(one->contacts);
    uint32_t shown = 0;
    for (uint32_t i = 0; i < count; i++) {
        limber_landing landing = limber_landing_at(one->contacts, i);
        if (landing.speed < all->settings->impact.min_speed || shown == CLI_MAX_LISTED)
            continue;
        printf("%s%.2f s", shown++ ? ", " : "    lands at: ", landing.time_s + all->model->clips[one->clip].start_s);
    }
    if (shown)
        printf("%s\n", all->settings->impact.gain > 0 ? "" : "; no squash (impact.gain is 0)");
}

static void print_timing(const cli_explained* one) {
    const limber_performance* a = &one->act;
    printf("    timing: %u key pose%s, %u flight%s", a->key_count, a->key_count == 1 ? "" : "s", a->flight_count,
           a->flight_count == 1 ? "" : "s");
    if (a->gait)
        printf(", a gait");
    if (a->hold_count)
        printf(", %u hold%s", a->hold_count, a->hold_count == 1 ? "" : "s");
    if (a->retimed)
        printf("; shifted by up to %.0f ms, %.2f to %.2f of the plain speed, %.0f %% of the time below 0.8 of it\n",
               1000 * a->max_shift_s, a->slowest, a->fastest, 100 * a->lingers);
    else
        printf("; not changed\n");
}

static void print_step(const cli_explanation* all, const cli_explained* one) {
    const limber_clip* clip = &all->model->clips[one->clip];
    const uint32_t* held = one->act.held_frames;
    if (all->step > 1)
        printf("    step: a new pose every %u of %.0f frames\n", all->step, round(24 * (clip->end_s - clip->start_s)));
    else if (all->step == 0 && one->performs)
        printf("    step: %u frames on ones, %u on twos, %u on threes\n", held[0], held[1], held[2]);
}

static void print_performance(const cli_explanation* all, const cli_explained* one) {
    const limber_performance* a = &one->act;
    if (one->performs)
        print_timing(one);
    print_step(all, one);
    if (one->performs && a->posed)
        printf("    pose: gain %.2f; amplitude %.3f body heights, %.2f of the plain clip's\n", a->pose_gain,
               a->new_amplitude, a->amplitude > 0 ? a->new_amplitude / a->amplitude : 1);
    else if (one->performs)
        printf("    pose: not changed\n");
    if (one->performs && a->shaped)
        printf("    body: %.2f to %.2f of its height\n", a->shortest, a->tallest);
}

static void print_smears(const cli_explanation* all, const limberi_smear_review* s) {
    if (!s->frame_count)
        return;
    printf("    smears: %u of %u frames", s->smeared, s->frame_count);
    for (uint32_t i = 0; i < s->burst_count && i < LIMBERI_SMEAR_BURSTS; i++) {
        printf("%s", i ? ", " : ": ");
        cli_print_name(all->model->rig.names[s->bursts[i].joint]);
        printf(" at %.2f", s->bursts[i].start_s);
        if (s->bursts[i].end_s > s->bursts[i].start_s)
            printf(" to %.2f", s->bursts[i].end_s);
        printf(" s");
    }
    if (s->burst_count > LIMBERI_SMEAR_BURSTS)
        printf(", and %u more", s->burst_count - LIMBERI_SMEAR_BURSTS);
    printf("%s\n", s->stretch > 1.005 ? "" : "; nothing is stretched");
    if (s->stretch > 1.005)
        printf("    smears stretch edges to %.2f of their length at most\n", s->stretch);
}

static void print_distorted(const cli_explanation* all, const cli_explained* one) {
    char at[192];
    if (one->distorted < CLI_DISTORTED)
        return;
    cli_explain_spot(all->model, one->at_distorted, at, sizeof at);
    printf("    joints that turn one after another distort it by %.3f L ", one->distorted);
    cli_print_name(at);
    printf("; set compose=chain\n");
}

static void print_broken(const cli_explanation* all, const cli_explained* one) {
    for (int i = 0; i < LIMBERI_BOUND_COUNT; i++) {
        char text[640];
        if (!(one->broken >> i & 1))
            continue;
        cli_explain_why(all, one, (limberi_bound)i, text, sizeof text);
        printf("    ! ");
        cli_print_name(text);
        printf("\n");
    }
    if (!one->broken)
        printf("    within all bounds\n");
}

// Of styles that smear: what the motion consists of, and how to take a part of it.
static void print_motions(const cli_explanation* all, const cli_explained* one) {
    limberi_motion_part parts[CLI_MAX_LISTED];
    uint32_t count = 0;
    const limber_clip* clip = &all->model->clips[one->clip];
    if (!limber_smear_is_on(&all->settings->smear) ||
        limberi_review_motions(all->model, clip, parts, CLI_MAX_LISTED, &count) != LIMBER_OK)
        return;
    for (uint32_t i = 0; i < count; i++) {
        printf("    motion: ");
        cli_print_name(all->model->rig.names[parts[i].joint]);
        if (parts[i].spin)
            printf(" spins %.1f times; ignore_spin of that joint leaves it out\n", parts[i].amount);
        else
            printf(" travels %.1f L; smear.motion.part=carried smears that alone, relative the rest\n",
                   parts[i].amount);
    }
}

static void print_clip(const cli_explanation* all, const cli_explained* one) {
    const limber_clip* clip = &all->model->clips[one->clip];
    const limberi_review* r = &one->review;
    printf("  ");
    cli_print_name(clip->name);
    printf(": %.2f s", clip->end_s - clip->start_s);
    if (clip->end_s - clip->start_s > LIMBERI_REVIEW_SECONDS)
        printf(", measured from %.2f to %.2f s", r->start_s, r->end_s);
    printf("\n");
    print_performance(all, one);
    print_strength(all, r);
    print_stretch(all, r);
    print_smears(all, &r->smears);
    print_depth(all, r);
    print_motions(all, one);
    for (uint32_t i = 0; i < LIMBER_EFFECT_COUNT; i++) {
        limber_effect effect = limberi_effect_by_weight(i);
        if (limberi_effects[effect]->limit.key)
            print_limit(all, effect, &r->limits[effect]);
    }
    print_standing(all, one);
    print_landings(all, one);
    print_distorted(all, one);
    print_broken(all, one);
}

static void print_joints(const limber_model* model, const char* what, const uint32_t* joints, uint32_t count) {
    printf("  %s:", what);
    for (uint32_t i = 0; i < count && i < CLI_MAX_LISTED; i++) {
        printf("%s ", i ? "," : "");
        cli_print_name(model->rig.names[joints[i]]);
    }
    if (count > CLI_MAX_LISTED)
        printf(", and %u more", count - CLI_MAX_LISTED);
    printf(count ? "\n" : " none\n");
}

// The parts of the body, as the performance sees them.
static void print_body(const cli_explanation* all) {
    if (!all->count || !all->clips[0].performs)
        return;
    const limber_performance* a = &all->clips[0].act;
    const uint32_t ends[2] = {(uint32_t)a->hips, (uint32_t)a->head};
    printf("body:\n");
    print_joints(all->model, "hips", ends, a->hips >= 0);
    print_joints(all->model, "trunk", a->trunk, a->trunk_count);
    print_joints(all->model, "legs", a->limbs, a->leg_count);
    print_joints(all->model, "other limbs", a->limbs + a->leg_count, a->limb_count - a->leg_count);
    print_joints(all->model, "head", ends + 1, a->head >= 0);
}

static void print_totals(const cli_explanation* all) {
    uint32_t good = 0;
    uint32_t shown = 0;
    for (uint32_t i = 0; i < all->count; i++)
        good += !all->clips[i].broken;
    printf("%u of %u clip%s within all bounds", good, all->count, all->count == 1 ? "" : "s");
    for (int b = 0; b < LIMBERI_BOUND_COUNT; b++) {
        uint32_t count = 0;
        for (uint32_t i = 0; i < all->count; i++)
            count += all->clips[i].broken >> b & 1;
        if (count)
            printf("%s%s %u", shown++ ? ", " : "; broken: ", limberi_bound_name((limberi_bound)b), count);
    }
    printf(shown ? "\nwhat they mean: " CLI_MORE "\n" : "\n");
}

void cli_explain_text(const cli_explanation* all) {
    cli_print_name(all->input);
    printf(" with ");
    cli_print_name(all->style ? all->style : "the style of the command line");
    printf(" (lengths in L = %.4g, the diagonal of the rest pose's box)\n", all->count ? all->clips[0].review.size : 0);
    if (all->parts)
        cli_print_rigid(all->model, all->parts);
    else
        printf("no part is kept rigid\n");
    print_body(all);
    printf("clips: %u\n", all->count);
    for (uint32_t i = 0; i < all->count; i++)
        print_clip(all, &all->clips[i]);
    print_totals(all);
}
