// What an animator wants to see besides the character: its skeleton, what drives the effects, motion offsets, layers,
// rigid parts, colliders, contacts, and the paths it takes.
#include "render/views/views.h"
#include "base/error.h"
#include "base/math.h"
#include "layer/layer.h"
#include "render/film/picture.h"
#include "render/views/views_private.h"
#include "rigid/rigid_parts.h"
#include "text/text.h"
#include <limber/stages/settings.h>

#include <stdlib.h>
#include <string.h>

static const char* const view_names[] = {"joints",       "velocity", "acceleration", "offsets", "layers",
                                         "trajectories", "rigid",    "colliders",    "contacts"};
enum { VIEW_COUNT = sizeof view_names / sizeof view_names[0] };

static const char* view_name_at(const void* user, size_t i) {
    (void)user;
    return view_names[i];
}

static limber_result unknown_view(const char* name, limber_error* error) {
    const char* near = limberi_suggest(name, view_name_at, NULL, VIEW_COUNT);
    if (near)
        return limberi_fail(error, LIMBER_ERROR_ARGUMENT, "unknown view '%s'; did you mean '%s'?", name, near);
    return limberi_fail(
        error, LIMBER_ERROR_ARGUMENT,
        "unknown view '%s'; known are joints, velocity, acceleration, offsets, layers, trajectories, rigid, "
        "colliders and contacts",
        name);
}

static limber_result parse_one(char* name, limberi_view_settings* settings, limber_error* error) {
    bool* const flags[VIEW_COUNT] = {&settings->joints,  &settings->velocity,  &settings->acceleration,
                                     &settings->offsets, &settings->layers,    &settings->trajectories,
                                     &settings->rigid,   &settings->colliders, &settings->contacts};
    char* colon = strchr(name, ':');
    if (colon)
        *colon++ = 0;
    for (int i = 0; i < VIEW_COUNT; i++) {
        if (strcmp(name, view_names[i]) != 0)
            continue;
        *flags[i] = true;
        if (!colon)
            return LIMBER_OK;
        if (flags[i] != &settings->layers)
            return limberi_fail(error, LIMBER_ERROR_ARGUMENT, "only layers:NAME takes a name, not '%s'", name);
        limberi_format(settings->layer, sizeof settings->layer, "%s", colon);
        return LIMBER_OK;
    }
    return unknown_view(name, error);
}

limber_result limberi_view_parse(const char* text, limberi_view_settings* settings, limber_error* error) {
    memset(settings, 0, sizeof *settings);
    for (const char* at = text;; at++) {
        size_t length = strcspn(at, ",");
        char name[96];
        size_t kept = length < sizeof name - 1 ? length : sizeof name - 1;
        memcpy(name, at, kept);
        name[kept] = 0;
        limber_result result = parse_one(name, settings, error);
        if (result != LIMBER_OK)
            return result;
        at += length;
        if (!*at)
            break;
    }
    if (settings->layers + settings->offsets + settings->rigid + settings->contacts > 1)
        return limberi_fail(error, LIMBER_ERROR_ARGUMENT,
                            "layers, offsets, rigid and contacts each color the surface; choose one");
    return LIMBER_OK;
}

static limber_result choose_layer(limberi_views* v, limber_error* error) {
    char* name = v->settings.layer;
    if (!limberi_layer_count(v->model))
        return limberi_fail(error, LIMBER_ERROR_DATA, "no mesh has a layer; `limber paint` adds one");
    if (!name[0])
        limberi_format(name, sizeof v->settings.layer, "%s", limberi_layer_name_at(v->model, 0));
    if (limberi_has_layer(v->model, name))
        return LIMBER_OK;
    const char* near = limberi_nearest_layer(v->model, name);
    if (near)
        return limberi_fail(error, LIMBER_ERROR_DATA, "no mesh has a layer '%s'; did you mean '%s'?", name, near);
    return limberi_fail(error, LIMBER_ERROR_DATA, "no mesh has a layer '%s'", name);
}

static void fill_layer(limberi_views* v) {
    size_t at = 0;
    for (uint32_t m = 0; m < v->model->mesh_count; m++) {
        const limber_mesh* mesh = &v->model->meshes[m];
        const limber_layer* layer = limber_mesh_find_layer(mesh, v->settings.layer);
        for (uint32_t i = 0; i < mesh->vertex_count; i++)
            v->layer[at++] = layer ? layer->values[i] : 1.0f;
    }
}

static limber_result allocate_memory(limberi_views* v, limber_error* error) {
    const limber_model* model = v->model;
    bool colored = v->settings.layers || v->settings.offsets || v->settings.rigid || v->settings.contacts;
    v->bears_skin = calloc((size_t)model->rig.joint_count + 1, sizeof *v->bears_skin);
    v->has_child = calloc((size_t)model->rig.joint_count + 1, sizeof *v->has_child);
    v->colors = colored ? malloc(4 * ((size_t)model->vertex_count + 1) * sizeof *v->colors) : NULL;
    v->layer = v->settings.layers ? malloc(((size_t)model->vertex_count + 1) * sizeof *v->layer) : NULL;
    v->holds = calloc((size_t)model->rig.joint_count + 1, sizeof *v->holds);
    v->grounds = calloc((size_t)model->rig.joint_count + 1, sizeof *v->grounds);
    if (!v->bears_skin || !v->has_child || !v->holds || !v->grounds || (colored && !v->colors) ||
        (v->settings.layers && !v->layer))
        return limberi_fail(error, LIMBER_ERROR_MEMORY, "not enough memory for the views of %u vertices",
                            model->vertex_count);
    for (uint32_t s = 0; s < model->skin_count; s++)
        for (uint32_t j = 0; j < model->skins[s].joint_count; j++)
            v->bears_skin[model->skins[s].joints[j]] = true;
    for (uint32_t j = 0; j < model->rig.joint_count; j++)
        if (model->rig.parents[j] >= 0)
            v->has_child[model->rig.parents[j]] = true;
    return LIMBER_OK;
}

limber_result limberi_views_create(const limber_model* model, const limberi_view_settings* settings,
                                   limberi_views** views, limber_error* error) {
    *views = NULL;
    limberi_views* v = calloc(1, sizeof *v);
    if (!v)
        return limberi_fail_memory(error);
    v->model = model;
    v->settings = *settings;
    limber_result result = settings->layers ? choose_layer(v, error) : LIMBER_OK;
    if (result == LIMBER_OK)
        result = allocate_memory(v, error);
    if (result != LIMBER_OK) {
        limberi_views_destroy(v);
        return result;
    }
    if (settings->layers)
        fill_layer(v);
    if (settings->trajectories)
        limberi_trails_choose(v);
    *views = v;
    return LIMBER_OK;
}

void limberi_views_destroy(limberi_views* v) {
    if (!v)
        return;
    free(v->bears_skin);
    free(v->has_child);
    free(v->layer);
    free(v->colors);
    free(v->holds);
    free(v->grounds);
    limber_contacts_destroy(v->found_contacts);
    limberi_shapes_destroy(&v->shapes);
    limber_colliders_destroy(v->found);
    free(v);
}

uint32_t limberi_views_outputs(const limberi_views* v) {
    return v->settings.offsets ? LIMBER_OUTPUT_OFFSETS : 0u;
}

// From one colour over the neutral one to the other, in even steps for the eye.
static void paint(const limberi_views* v, const float* values, const uint8_t low[3], const uint8_t high[3]) {
    for (uint32_t i = 0; i < v->model->vertex_count; i++) {
        const uint8_t* end = values[i] < 0.0f ? low : high;
        float t = fminf(fabsf(values[i]), 1.0f);
        for (int c = 0; c < 3; c++) {
            float neutral = (float)limberi_view_neutral[c];
            float mixed = (neutral + t * ((float)end[c] - neutral)) / 255.0f;
            v->colors[4 * (size_t)i + (size_t)c] = limberi_linear_from_srgb(mixed);
        }
        v->colors[4 * (size_t)i + 3] = 1.0f;
    }
}

// Hues of parts that follow each other lie far apart, however many there are.
static void paint_parts(const limberi_views* v) {
    for (uint32_t i = 0; i < v->model->vertex_count; i++) {
        uint8_t color[3];
        limberi_view_part_color(v->part ? v->part[i] : -1, color);
        for (size_t c = 0; c < 3; c++)
            v->colors[4 * (size_t)i + c] = limberi_linear_from_srgb((float)color[c] / 255.0f);
        v->colors[4 * (size_t)i + 3] = 1.0f;
    }
}

static void show_colors(limberi_views* v, limberi_renderer* renderer, const limber_smeared* smeared) {
    if (v->settings.rigid)
        paint_parts(v);
    else if (v->settings.contacts)
        limberi_view_paint_contacts(v, &smeared->frame);
    else if (v->settings.layers)
        paint(v, v->layer, limberi_view_less, limberi_view_more);
    else if (v->settings.offsets && smeared->offsets)
        paint(v, smeared->offsets, limberi_view_trailing, limberi_view_leading);
    else if (v->settings.offsets)
        for (size_t i = 0; i < 4 * (size_t)v->model->vertex_count; i++)
            v->colors[i] = 0.8f; // at rest: nothing leads or trails
    limberi_renderer_paint(renderer, v->colors);
}

limber_result limberi_views_show(limberi_views* v, limberi_renderer* renderer, const limber_smeared* smeared,
                                 limber_error* error) {
    const limber_frame* frame = &smeared->frame;
    limberi_shapes_clear(&v->shapes);
    if (v->settings.trajectories)
        limberi_view_trails(v);
    if (v->settings.joints)
        limberi_view_skeleton(v, frame->pose);
    if (v->settings.velocity)
        limberi_view_motion(v, frame->pose, frame->motion);
    if (v->settings.acceleration)
        limberi_view_accelerations(v, frame->pose, frame->motion);
    if (v->settings.colliders)
        limberi_view_colliders(v, frame->pose);
    if (v->settings.contacts)
        limberi_view_floor(v, frame);
    if (v->shapes.short_of_memory)
        return limberi_fail_memory(error);
    show_colors(v, renderer, smeared);
    bool inside = v->settings.joints || v->settings.velocity || v->settings.acceleration || v->settings.colliders;
    limberi_renderer_fade(renderer, inside ? 0.5f : 1.0f);
    return limberi_renderer_overlay(renderer, v->shapes.vertices, v->shapes.count, error);
}

static void keep_moment(limberi_trails* t, uint32_t slot, const limber_frame* frame) {
    for (uint32_t i = 0; i < t->count; i++) {
        t->styled[i][slot] = limberi_load3(frame->positions + 3 * (size_t)t->vertex[i]);
        t->plain[i][slot] =
            frame->skinned ? limberi_load3(frame->skinned + 3 * (size_t)t->vertex[i]) : t->styled[i][slot];
    }
}

// Those that the style keeps rigid, or those that "auto" would.
static limber_result look_at_parts(limberi_views* v, const limber_pipeline* pipeline, limber_error* error) {
    const limber_rigid_parts* parts = limber_pipeline_rigid_parts(pipeline);
    if (!parts)
        parts = limberi_asset_rigid_parts(limber_pipeline_asset(pipeline));
    if (!parts)
        return limberi_fail_memory(error);
    v->part = limber_rigid_part_of_vertex(parts);
    v->part_count = limber_rigid_part_count(parts);
    return LIMBER_OK;
}

// The same of colliders.
static limber_result look_at_colliders(limberi_views* v, const limber_pipeline* pipeline, limber_error* error) {
    limber_result result = LIMBER_OK;
    v->pipeline = pipeline;
    v->colliders = limber_pipeline_colliders(pipeline);
    if (!v->colliders && !v->found)
        result = limber_colliders_find(limber_pipeline_asset(pipeline), NULL, &v->found, error);
    if (!v->colliders)
        v->colliders = v->found;
    return result;
}

limber_result limberi_views_scout(limberi_views* v, limber_pipeline* pipeline, int32_t clip, double time_s, double fps,
                                  limber_error* error) {
    limber_result looked = v->settings.rigid ? look_at_parts(v, pipeline, error) : LIMBER_OK;
    if (looked == LIMBER_OK && v->settings.colliders)
        looked = look_at_colliders(v, pipeline, error);
    if (looked == LIMBER_OK && v->settings.contacts)
        looked = limberi_view_look_at_contacts(v, pipeline, clip, error);
    if (looked != LIMBER_OK)
        return looked;
    limberi_trails* t = &v->trails;
    t->first = t->last = LIMBERI_TRAIL_FRAMES;
    if (!v->settings.trajectories || clip < 0 || !(fps > 0))
        return LIMBER_OK;
    const limber_clip* shown = &v->model->clips[clip];
    bool wraps = shown->loops && !shown->travels;
    // Of captured motion at a high rate only every so many frames, or the paths would be too short to see.
    double step_s = fmax(1.0, floor(fps / 30.0 + 0.5)) / fps;
    t->span_s = LIMBERI_TRAIL_FRAMES * step_s;
    t->first = UINT32_MAX;
    for (int32_t i = -LIMBERI_TRAIL_FRAMES; i <= LIMBERI_TRAIL_FRAMES; i++) {
        limber_frame frame;
        double at = time_s + i * step_s;
        if (!wraps && (at < shown->start_s - 1e-6 || at > shown->end_s + 1e-6))
            continue;
        at = limber_clip_wrap(shown, wraps, at);
        if (limber_pipeline_evaluate(pipeline, clip, at, &frame) != LIMBER_OK)
            return limberi_fail(error, LIMBER_ERROR_DATA, "cannot evaluate the pose at %g s", at);
        t->last = (uint32_t)(i + LIMBERI_TRAIL_FRAMES);
        t->first = t->first == UINT32_MAX ? t->last : t->first;
        keep_moment(t, t->last, &frame);
    }
    t->first = t->first == UINT32_MAX ? t->last : t->first;
    return LIMBER_OK;
}
