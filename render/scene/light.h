// The three lights, and the two maps that make their shadows: what the key light sees, and what the ground sees above
// itself.
#ifndef LIMBERI_LIGHT_H
#define LIMBERI_LIGHT_H

#include "render/gl/gl.h"
#include "render/scene/geometry.h"
#include "render/scene/viewpoint.h"

typedef struct limberi_light {
    const limberi_gl* gl;
    limberi_program depth_program, heights_program, contact_program;
    GLuint shadow_map, shadow_framebuffer;
    GLuint lowest_map, lowest_framebuffer;   // depth from below the ground
    GLuint heights_map, heights_framebuffer; // the same with mip levels: cover and height of the lowest surface
    GLuint contact_map, contact_framebuffer; // how dark the ground is
    GLuint compare_sampler; // reads the shadow map as a comparison; without it the same map reads as depth

    // Of the current frame, in stage space.
    limber_vec3 key_direction, fill_direction, rim_direction; // towards the lights
    limberi_projection shadow_projection;
    limber_vec3 shadow_extent;
    float contact_region[4]; // corner x and z, width and depth
    float ground_height;
} limberi_light;

LIMBER_MUST_USE limber_result limberi_light_create(const limberi_gl* gl, limberi_light* light, limber_error* error);
void limberi_light_destroy(limberi_light* light);

// Lights stand still relative to the camera's heading, so every view is lit from its own left. Draws both maps for the
// geometry as moved; `min` and `max` are its box in stage space. The ground's map is left out when no `ground` will be
// drawn.
void limberi_light_update(limberi_light* light, const limberi_geometry* geometry, const limberi_view* view,
                          float yaw_rad, limber_vec3 min, limber_vec3 max, bool ground);

// Sets the uniforms of shadow.glsl in the program in use; takes texture units 1 and 2.
void limberi_light_bind_shadow(const limberi_light* light, const limberi_program* program);

#endif
