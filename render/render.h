// Pictures of a moving character, without a window.
//
// The renderer draws vertices that are already where they belong: world space, all meshes after each other, as
// limber_pipeline_evaluate hands them out. It knows nothing of clips or skins. The camera looks from a fixed direction
// and stands just far enough away for everything it was told about with limberi_renderer_frame, so show it every frame
// of a clip first, then draw.
//
//     limberi_render_settings settings = limberi_render_settings_default();
//     limberi_renderer* renderer;
//     if (limberi_renderer_create(&settings, &renderer, &error) != LIMBER_OK) ...
//     if (limberi_renderer_load(renderer, model, &error) != LIMBER_OK) ...
//     for (every frame) limberi_renderer_frame(renderer, frame.positions);
//     limberi_picture picture = {0};
//     if (limberi_picture_create(settings.width, settings.height, &picture, &error) != LIMBER_OK) ...
//     if (limberi_renderer_draw(renderer, frame.positions, frame.normals, picture.pixels, &error) != LIMBER_OK) ...
//     limberi_picture_destroy(&picture);
//     limberi_renderer_destroy(renderer);
//
// A renderer belongs to one thread at a time. The model must stay alive while it is loaded.
#ifndef LIMBERI_RENDER_H
#define LIMBERI_RENDER_H

#include "render/film/picture.h"
#include <limber/asset.h>
#include <limber/stages/smear.h>

#define LIMBERI_RENDER_SIDE_LIMIT 8192u
#define LIMBERI_RENDER_SUPERSAMPLE_LIMIT 4u
#define LIMBERI_RENDER_INK_LIMIT 12.0f

typedef struct limberi_render_settings {
    uint32_t width, height;  // pixels, 1 ... LIMBERI_RENDER_SIDE_LIMIT
    float yaw_deg;           // 0: the camera looks at the front (+Z side); positive walks round to its left (+X)
    float pitch_deg;         // positive: from above
    float field_of_view_deg; // across the shorter side
    float margin;            // share of each half of the picture that stays free around the framed points
    bool ground;             // floor, or only the shadow on it when the background is transparent
    bool transparent;
    float background_top[3], background_bottom[3]; // sRGB, 0 ... 1
    // Drawn this many times larger per side, on top of multisampling. 0: twice, or once for very large pictures.
    uint32_t supersample;
    float ink; // width of the outlines in pixels; 0: none
} limberi_render_settings;

typedef struct limberi_renderer limberi_renderer;

limberi_render_settings limberi_render_settings_default(void);

// The width of outlines that suits a picture of this size.
float limberi_render_ink_width(uint32_t width, uint32_t height);

// Fails when there is no EGL, no OpenGL ES 3, or the settings are invalid.
LIMBER_MUST_USE limber_result limberi_renderer_create(const limberi_render_settings* settings,
                                                      limberi_renderer** renderer, limber_error* error);
void limberi_renderer_destroy(limberi_renderer* renderer);

// The graphics driver's name for itself.
const char* limberi_renderer_device(const limberi_renderer* renderer);

// Uploads what does not move: triangles, texture coordinates, colours, pictures. Replaces a model loaded before and
// forgets what was framed. A picture that cannot be decoded is left out; limberi_renderer_warning says so.
LIMBER_MUST_USE limber_result limberi_renderer_load(limberi_renderer* renderer, const limber_model* model,
                                                    limber_error* error);

// NULL when all is well; valid until the next load.
const char* limberi_renderer_warning(const limberi_renderer* renderer);

// Adds the loaded model's vertices (3 floats each) to what the camera must keep in the picture. Scenery counts only
// when there is nothing else.
void limberi_renderer_frame(limberi_renderer* renderer, const float* positions);

// The same for a box; also works without a model.
void limberi_renderer_frame_box(limberi_renderer* renderer, limber_vec3 min, limber_vec3 max);
// The same for loose points, such as those of copies and lines.
void limberi_renderer_frame_points(limberi_renderer* renderer, const float* positions, size_t count);
void limberi_renderer_frame_reset(limberi_renderer* renderer);

// Moves the camera along: what is framed and drawn from now on is seen from this much further (world). Frame and draw
// every moment with its own offset. 0, as after loading: it stands still.
void limberi_renderer_follow(limberi_renderer* renderer, limber_vec3 offset);

// Where the floor of the pictures drawn from now on lies, in the world. NAN, as after loading: under everything framed.
void limberi_renderer_ground(limberi_renderer* renderer, float height);

// Looks through a camera of the file (limber_camera_world) from now on; NULL: the automatic one, as after loading. What
// was framed still says where the floor is.
void limberi_renderer_look(limberi_renderer* renderer, const limber_mat4* world_from_camera, const limber_camera* lens);

// Where a world point lands, in pixels from the top left corner.
void limberi_renderer_project(const limberi_renderer* renderer, limber_vec3 point, float* x, float* y);

// In-between copies and lines that belong to the frames drawn from now on (limber_pipeline_evaluate_smeared); they are
// transparent and cast no shadow. None: count 0. What a frame has must be given again for the next.
LIMBER_MUST_USE limber_result limberi_renderer_copies(limberi_renderer* renderer, const limber_smear_mesh* meshes,
                                                      uint32_t count, limber_error* error);

// Colours in place of the materials' own, linear, 4 floats per vertex of the model; NULL: the materials'.
void limberi_renderer_paint(limberi_renderer* renderer, const float* colors);

// How far the textures of the character and its copies are shifted along u in the frames drawn from now on
// (limber_pipeline_texture_shifts), one number per mesh of the model; NULL, as after loading: not at all.
LIMBER_MUST_USE limber_result limberi_renderer_shift(limberi_renderer* renderer, const float* shifts,
                                                     limber_error* error);

// How much of the character there is: below 1 what lies behind shows through, but not its own other side.
void limberi_renderer_fade(limberi_renderer* renderer, float opacity);

// The character at other moments, behind itself, the first farthest back. They cast no shadow. The arrays must stay
// alive until the next drawing is done. None: count 0.
typedef struct limberi_ghost {
    const float* positions; // as for limberi_renderer_draw
    const float* normals;   // or NULL
    float color[4];         // linear; the last is the opacity
} limberi_ghost;
void limberi_renderer_ghosts(limberi_renderer* renderer, const limberi_ghost* ghosts, uint32_t count);

// Triangles drawn over the character, three vertices each, that face outwards counter-clockwise.
typedef struct limberi_overlay_vertex {
    float position[3], normal[3]; // world
    float color[4];               // linear, straight alpha
    float hidden;                 // opacity where the character is before it, as a share of the colour's
} limberi_overlay_vertex;
LIMBER_MUST_USE limber_result limberi_renderer_overlay(limberi_renderer* renderer,
                                                       const limberi_overlay_vertex* vertices, uint32_t count,
                                                       limber_error* error);

// Draws one frame into width * height RGBA pixels, sRGB with straight alpha, top row first. `normals` may be NULL:
// flat facets. Nothing framed: this frame alone is.
LIMBER_MUST_USE limber_result limberi_renderer_draw(limberi_renderer* renderer, const float* positions,
                                                    const float* normals, uint8_t* pixels, limber_error* error);

#endif
