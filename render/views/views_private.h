// Shared by views.c, figures.c and legend.c.
#ifndef LIMBERI_VIEWS_PRIVATE_H
#define LIMBERI_VIEWS_PRIVATE_H

#include "render/views/shapes.h"
#include "render/views/views.h"

#include <limber/stages/colliders.h>
#include <limber/stages/contacts.h>
#include <stdint.h>

enum { LIMBERI_TRAILS = 8, LIMBERI_TRAIL_FRAMES = 10 }; // paths, and frames to either side

// Where a few points of the surface are at the moments around the current one.
typedef struct limberi_trails {
    uint32_t count;
    uint32_t vertex[LIMBERI_TRAILS];
    limber_vec3 styled[LIMBERI_TRAILS][2 * LIMBERI_TRAIL_FRAMES + 1];
    limber_vec3 plain[LIMBERI_TRAILS][2 * LIMBERI_TRAIL_FRAMES + 1]; // before any effect
    uint32_t first, last;                                            // those that exist
    double span_s;                                                   // to either side
    bool styled_differs;                                             // somewhere in the current frame
} limberi_trails;

struct limberi_views {
    const limber_model* model;
    limberi_view_settings settings;
    bool* bears_skin;    // [joint] in some mesh's skin, not merely above one
    bool* has_child;     // [joint]
    float* layer;        // [vertex] values of the layer, or NULL
    const int32_t* part; // [vertex] its rigid part, -1: none; NULL until a pipeline was looked at
    uint32_t part_count;
    const limber_pipeline* pipeline;   // whose colliders are drawn; NULL until one was looked at
    const limber_colliders* colliders; // of that pipeline, or `found`
    limber_colliders* found;           // those that "auto" would use, where the style has none
    const limber_contacts* contacts;   // of the clip that was looked at: the style's, or `found_contacts`; NULL: none
    limber_contacts* found_contacts;   // those that "contact": 1 would use, where the style has none
    int32_t found_clip;
    float *holds, *grounds; // [joint] scratch, or NULL
    float* colors;          // [vertex * 4], or NULL
    limberi_shapes shapes;
    limberi_trails trails;
};

#define LIMBERI_VELOCITY_SPAN_S 0.1f // what an arrow shows is travelled in this time

void limberi_view_skeleton(limberi_views* views, const limber_pose* pose);
void limberi_view_motion(limberi_views* views, const limber_pose* pose, const limber_kinematics* motion);
void limberi_view_accelerations(limberi_views* views, const limber_pose* pose, const limber_kinematics* motion);
void limberi_view_trails(limberi_views* views);
void limberi_view_colliders(limberi_views* views, const limber_pose* pose);
LIMBER_MUST_USE limber_result limberi_view_look_at_contacts(limberi_views* views, limber_pipeline* pipeline,
                                                            int32_t clip, limber_error* error);
void limberi_view_paint_contacts(limberi_views* views, const limber_frame* frame);
void limberi_view_floor(limberi_views* views, const limber_frame* frame);
// Points far out, as far from each other as can be.
void limberi_trails_choose(limberi_views* views);

// --- colors ---
// The colors of views and ghosts, and of the legend that names them: sRGB.

extern const uint8_t limberi_view_bone[3], limberi_view_joint[3], limberi_view_velocity[3], limberi_view_spin[3];
extern const uint8_t limberi_view_acceleration[3], limberi_view_spin_up[3];
extern const uint8_t limberi_view_past[3], limberi_view_future[3], limberi_view_plain[3];
extern const uint8_t limberi_view_leading[3], limberi_view_trailing[3], limberi_view_more[3], limberi_view_less[3];
extern const uint8_t limberi_view_held[3], limberi_view_level[3];
extern const uint8_t limberi_view_neutral[3], limberi_view_part[3], limberi_view_skin[3];
extern const uint8_t limberi_view_collider[3];

// Of a rigid part; -1: skin.
void limberi_view_part_color(int32_t part, uint8_t color[3]);

#endif
