// `info --style --json`: what a style does, for machines.
#include "cli/explain.h"
#include "cli/report.h"
#include "contact/contacts.h"
#include "deform/effects/effect.h"

#include <stdio.h>
#include <stdlib.h>

static void report_joint(limberi_json_writer* w, const cli_explanation* all, uint32_t joint) {
    if (joint < all->model->rig.joint_count)
        cli_report_text(w, "joint", all->model->rig.names[joint]);
    else
        cli_report_null(w, "joint");
}

// One number with where it is largest.
static void report_measure(limberi_json_writer* w, const cli_explanation* all, const char* key, double value,
                           limberi_spot spot) {
    cli_report_open(w, key, '{');
    cli_report_real(w, "value", value);
    cli_report_real(w, "time", spot.time_s);
    report_joint(w, all, spot.joint);
    limberi_json_close(w, '}');
}

static void report_measures(limberi_json_writer* w, const cli_explanation* all, const limberi_review* r) {
    cli_report_real(w, "motion", r->motion);
    cli_report_real(w, "speed", r->speed);
    report_measure(w, all, "strength", r->strength, r->at_strength);
    report_measure(w, all, "stretch", r->stretch, r->at_stretch);
    cli_report_real(w, "shrink", r->shrink);
    report_measure(w, all, "floor", r->floor, r->at_floor);
    report_measure(w, all, "slide", r->slide, r->at_slide);
    report_measure(w, all, "pop", r->pop, r->at_pop);
    cli_report_switch(w, "closes", r->closes);
    report_measure(w, all, "seam", r->seam, r->at_seam);
    cli_report_integer(w, "rigid_islands", r->rigid_count);
    report_measure(w, all, "rigid", r->rigid, r->at_rigid);
    report_measure(w, all, "crack", r->crack, r->at_crack);
    report_measure(w, all, "depth", r->depth, r->at_depth);
    if (r->into < all->model->rig.joint_count)
        cli_report_text(w, "into", all->model->rig.names[r->into]);
    else
        cli_report_null(w, "into");
    cli_report_switch(w, "depth_is_posed", r->depth_is_posed);
}

static void report_limit(limberi_json_writer* w, const cli_explanation* all, limber_effect effect,
                         const limberi_limited* l) {
    char key[64];
    snprintf(key, sizeof key, "effects.%s.%s", limber_effect_name(effect), limberi_effects[effect]->limit.key);
    if (!l->has_limit) {
        cli_report_null(w, key);
        return;
    }
    cli_report_open(w, key, '{');
    cli_report_real(w, "max", l->max);
    cli_report_real(w, "share", l->share);
    report_joint(w, all, l->joint);
    cli_report_real(w, "joint_share", l->max_share);
    limberi_json_close(w, '}');
}

static void report_ground(limberi_json_writer* w, const cli_explanation* all, const cli_explained* one) {
    double* shares = calloc((size_t)all->model->rig.joint_count + 1, sizeof *shares);
    if (shares)
        cli_explain_standing(all, one, shares);
    cli_report_open(w, "stands", '[');
    for (uint32_t j = 0; shares && j < all->model->rig.joint_count; j++) {
        if (!(shares[j] > 0))
            continue;
        cli_report_open(w, NULL, '{');
        report_joint(w, all, j);
        cli_report_real(w, "share", shares[j]);
        limberi_json_close(w, '}');
    }
    limberi_json_close(w, ']');
    free(shares);
    cli_report_open(w, "landings", '[');
    for (uint32_t i = 0; i < limber_landing_count(one->contacts); i++) {
        limber_landing landing = limber_landing_at(one->contacts, i);
        cli_report_open(w, NULL, '{');
        cli_report_real(w, "time", landing.time_s + all->model->clips[one->clip].start_s);
        cli_report_real(w, "speed", landing.speed);
        limberi_json_close(w, '}');
    }
    limberi_json_close(w, ']');
}

static void report_broken(limberi_json_writer* w, const cli_explanation* all, const cli_explained* one) {
    cli_report_open(w, "broken", '[');
    for (int i = 0; i < LIMBERI_BOUND_COUNT; i++) {
        limberi_bound bound = (limberi_bound)i;
        char text[640], more[64];
        if (!(one->broken >> i & 1))
            continue;
        cli_explain_why(all, one, bound, text, sizeof text);
        snprintf(more, sizeof more, CLI_MORE "#%s", limberi_bound_name(bound));
        cli_report_open(w, NULL, '{');
        cli_report_text(w, "bound", limberi_bound_name(bound));
        cli_report_real(w, "value", limberi_bound_value(bound, &one->review));
        cli_report_real(w, "limit", limberi_bound_limit(bound, &all->bounds, &one->review));
        cli_report_text(w, "why", text);
        cli_report_text(w, "more", more);
        limberi_json_close(w, '}');
    }
    limberi_json_close(w, ']');
}

static void report_performance(limberi_json_writer* w, const cli_explained* one) {
    const limber_performance* a = &one->act;
    if (!one->performs) {
        cli_report_null(w, "performance");
        return;
    }
    cli_report_open(w, "performance", '{');
    cli_report_switch(w, "gait", a->gait);
    cli_report_reals(w, "key_poses", a->key_times, (int)a->key_count);
    cli_report_integer(w, "flights", a->flight_count);
    cli_report_integer(w, "holds", a->hold_count);
    cli_report_switch(w, "retimed", a->retimed);
    cli_report_real(w, "max_shift", a->max_shift_s);
    cli_report_real(w, "slowest", a->slowest);
    cli_report_real(w, "fastest", a->fastest);
    cli_report_real(w, "lingers", a->lingers);
    cli_report_switch(w, "posed", a->posed);
    cli_report_real(w, "pose_gain", a->pose_gain);
    cli_report_real(w, "amplitude", a->amplitude);
    cli_report_real(w, "new_amplitude", a->new_amplitude);
    cli_report_real(w, "shortest", a->shortest);
    cli_report_real(w, "tallest", a->tallest);
    cli_report_integer(w, "frames_on_ones", a->held_frames[0]);
    cli_report_integer(w, "frames_on_twos", a->held_frames[1]);
    cli_report_integer(w, "frames_on_threes", a->held_frames[2]);
    limberi_json_close(w, '}');
}

static void report_joints(limberi_json_writer* w, const limber_model* model, const char* key, const uint32_t* joints,
                          uint32_t count) {
    cli_report_open(w, key, '[');
    for (uint32_t i = 0; i < count; i++)
        cli_report_text(w, NULL, model->rig.names[joints[i]]);
    limberi_json_close(w, ']');
}

static void report_body(limberi_json_writer* w, const cli_explanation* all) {
    if (!all->count || !all->clips[0].performs) {
        cli_report_null(w, "body");
        return;
    }
    const limber_performance* a = &all->clips[0].act;
    const uint32_t ends[2] = {(uint32_t)a->hips, (uint32_t)a->head};
    cli_report_open(w, "body", '{');
    report_joints(w, all->model, "hips", ends, a->hips >= 0);
    report_joints(w, all->model, "trunk", a->trunk, a->trunk_count);
    report_joints(w, all->model, "legs", a->limbs, a->leg_count);
    report_joints(w, all->model, "limbs", a->limbs + a->leg_count, a->limb_count - a->leg_count);
    report_joints(w, all->model, "head", ends + 1, a->head >= 0);
    limberi_json_close(w, '}');
}

static void report_smears(limberi_json_writer* w, const cli_explanation* all, const limberi_smear_review* s) {
    if (!s->frame_count) {
        cli_report_null(w, "smears");
        return;
    }
    cli_report_open(w, "smears", '{');
    cli_report_integer(w, "frames", s->frame_count);
    cli_report_integer(w, "smeared", s->smeared);
    cli_report_integer(w, "longest", s->longest);
    report_measure(w, all, "stretch", s->stretch, s->at_stretch);
    report_measure(w, all, "rigid", s->rigid, s->at_rigid);
    report_measure(w, all, "idle", s->idle, s->at_idle);
    report_measure(w, all, "flicker", s->flicker, s->at_flicker);
    cli_report_open(w, "bursts", '[');
    for (uint32_t i = 0; i < s->burst_count && i < LIMBERI_SMEAR_BURSTS; i++) {
        cli_report_open(w, NULL, '{');
        cli_report_real(w, "start", s->bursts[i].start_s);
        cli_report_real(w, "end", s->bursts[i].end_s);
        report_joint(w, all, s->bursts[i].joint);
        limberi_json_close(w, '}');
    }
    limberi_json_close(w, ']');
    limberi_json_close(w, '}');
}

// What the motion consists of: how far joints travel, in L, and how often they turn.
static void report_motions(limberi_json_writer* w, const cli_explanation* all, const cli_explained* one) {
    limberi_motion_part parts[CLI_MAX_LISTED];
    uint32_t count = 0;
    limber_result result =
        limberi_review_motions(all->model, &all->model->clips[one->clip], parts, CLI_MAX_LISTED, &count);
    cli_report_open(w, "motions", '[');
    for (uint32_t i = 0; result == LIMBER_OK && i < count; i++) {
        cli_report_open(w, NULL, '{');
        report_joint(w, all, parts[i].joint);
        cli_report_real(w, parts[i].spin ? "turns" : "travel", parts[i].amount);
        limberi_json_close(w, '}');
    }
    limberi_json_close(w, ']');
}

static void report_clip(limberi_json_writer* w, const cli_explanation* all, const cli_explained* one) {
    const double measured[2] = {one->review.start_s, one->review.end_s};
    cli_report_open(w, NULL, '{');
    cli_report_text(w, "name", all->model->clips[one->clip].name);
    cli_report_reals(w, "measured", measured, 2);
    cli_report_integer(w, "frames", one->review.frame_count);
    report_performance(w, one);
    report_measures(w, all, &one->review);
    report_motions(w, all, one);
    cli_report_open(w, "limits", '{');
    for (uint32_t i = 0; i < LIMBER_EFFECT_COUNT; i++) {
        limber_effect effect = limberi_effect_by_weight(i);
        if (limberi_effects[effect]->limit.key)
            report_limit(w, all, effect, &one->review.limits[effect]);
    }
    limberi_json_close(w, '}');
    report_ground(w, all, one);
    report_smears(w, all, &one->review.smears);
    report_measure(w, all, "distortion", one->distorted, one->at_distorted);
    report_broken(w, all, one);
    limberi_json_close(w, '}');
}

int cli_explain_json(const cli_explanation* all) {
    limberi_buffer text = {NULL, 0, 0, false};
    limberi_json_writer writer = {.out = &text, .indent = 2, .digits = 9};
    limberi_json_writer* w = &writer;
    cli_report_open(w, NULL, '{');
    cli_report_text(w, "file", all->input);
    if (all->style)
        cli_report_text(w, "style", all->style);
    else
        cli_report_null(w, "style");
    cli_report_real(w, "size", all->count ? all->clips[0].review.size : 0);
    cli_report_rigid(w, all->model, all->parts);
    report_body(w, all);
    if (all->step)
        cli_report_integer(w, "step", all->step);
    else
        cli_report_text(w, "step", "auto");
    cli_report_open(w, "clips", '[');
    for (uint32_t i = 0; i < all->count; i++)
        report_clip(w, all, &all->clips[i]);
    limberi_json_close(w, ']');
    limberi_json_close(w, '}');
    return cli_report_print(w, all->input);
}
