// A character that live poses move, and the same one without a style.
#ifndef LIMBER_KIT_PUPPET_H
#define LIMBER_KIT_PUPPET_H

#include <limber/live.h>
#include <limber/stages/settings.h>

typedef struct puppet {
    const limber_model* model;
    limber_asset* asset; // NULL: of another one
    limber_pipeline *pipeline, *plainly;
    limber_live *live, *bare; // bare: without a style
    limber_pose pose;
    limber_frame frame;
    float* plain; // [vertex * 3] of the last pose
    float floor;
} puppet;

typedef struct puppet_box {
    double volume, low, high;
} puppet_box;

limber_stage_settings puppet_settings(double exaggerate, double squash, double bend);
void puppet_open_with(puppet* p, limber_asset* asset, const limber_stage_settings* settings);
void puppet_open(puppet* p, const char* name, limber_stage_settings settings);
void puppet_close(puppet* p);
void puppet_stand_at(puppet* p, float floor);
uint32_t puppet_clip(const puppet* p, const char* name);
// The pose in p->pose, which stays plain.
void puppet_push(puppet* p, double time_s);
void puppet_sample(puppet* p, uint32_t clip, double time_s);
void puppet_play(puppet* p, uint32_t clip, double time_s);
// The pose in p->pose without a style.
void puppet_skin_plainly(puppet* p);
double puppet_farthest(const puppet* p, const float* a, const float* b);
puppet_box puppet_box_of(const limber_model* model, const float* p);

#endif
