// The shaders of render/shaders, embedded when the library is built.
#ifndef LIMBERI_SHADERS_H
#define LIMBERI_SHADERS_H

extern const char limberi_shader_prelude_glsl[];
extern const char limberi_shader_shadow_glsl[];
extern const char limberi_shader_limber_deform_glsl[];
extern const char limberi_shader_deform_attributes_glsl[];
extern const char limberi_shader_deform_compute_comp[];
extern const char limberi_shader_deform_draw_frag[];
extern const char limberi_shader_deform_draw_vert[];
extern const char limberi_shader_deform_feedback_vert[];
extern const char limberi_shader_deform_normals_comp[];
extern const char limberi_shader_deform_stored_glsl[];
extern const char limberi_shader_background_frag[];
extern const char limberi_shader_contact_frag[];
extern const char limberi_shader_depth_frag[];
extern const char limberi_shader_depth_vert[];
extern const char limberi_shader_fullscreen_vert[];
extern const char limberi_shader_ground_frag[];
extern const char limberi_shader_ground_vert[];
extern const char limberi_shader_heights_frag[];
extern const char limberi_shader_ghost_frag[];
extern const char limberi_shader_ink_blur_frag[];
extern const char limberi_shader_ink_edges_frag[];
extern const char limberi_shader_ink_line_frag[];
extern const char limberi_shader_ink_surface_frag[];
extern const char limberi_shader_overlay_frag[];
extern const char limberi_shader_overlay_vert[];
extern const char limberi_shader_meadow_frag[];
extern const char limberi_shader_meadow_shadow_frag[];
extern const char limberi_shader_meadow_shadow_vert[];
extern const char limberi_shader_scene_frag[];
extern const char limberi_shader_scene_vert[];

#endif
