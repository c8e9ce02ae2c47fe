// render/render.h: pictures of a moving character, without a window.
//
// The renderer draws vertices that are already where they belong: world space, all meshes after each other, as
// limber_pipeline_evaluate hands them out. It knows nothing of clips or skins. The camera looks from a fixed direction
// and stands just far enough away for everything it was told about with limber_renderer_frame, so show it every frame
// of a clip first, then draw.
//
//     limber_render_settings settings = limber_render_settings_default();
//     limber_renderer* renderer;
//     if (limber_renderer_create(&settings, &renderer, &error) != LIMBER_OK) ...
//     if (limber_renderer_load(renderer, model, &error) != LIMBER_OK) ...
//     for (every frame) limber_renderer_frame(renderer, frame.positions);
//     limber_picture picture = {0};
//     if (limber_picture_create(settings.width, settings.height, &picture, &error) != LIMBER_OK) ...
//     if (limber_renderer_draw(renderer, frame.positions, frame.normals, picture.pixels, &error) != LIMBER_OK) ...
//     limber_picture_destroy(&picture);
//     limber_renderer_destroy(renderer);
//
// A renderer belongs to one thread at a time. The model must stay alive while it is loaded.
#ifndef LIMBER_RENDER_H
#define LIMBER_RENDER_H

#include "render/film/picture.h"
#include <limber/asset.h>
#include <limber/smear.h>

#define LIMBER_RENDER_SIDE_LIMIT 8192u
#define LIMBER_RENDER_SUPERSAMPLE_LIMIT 4u
#define LIMBER_RENDER_INK_LIMIT 12.0f

typedef struct limber_render_settings {
    uint32_t width, height;  // pixels, 1 ... LIMBER_RENDER_SIDE_LIMIT
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
} limber_render_settings;

typedef struct limber_renderer limber_renderer;

limber_render_settings limber_render_settings_default(void);

// The width of outlines that suits a picture of this size.
float limber_render_ink_width(uint32_t width, uint32_t height);

// Fails when there is no EGL, no OpenGL ES 3, or the settings are invalid.
LIMBER_MUST_USE limber_result limber_renderer_create(const limber_render_settings* settings, limber_renderer** renderer,
                                                     limber_error* error);
void limber_renderer_destroy(limber_renderer* renderer);

// The graphics driver's name for itself.
const char* limber_renderer_device(const limber_renderer* renderer);

// Uploads what does not move: triangles, texture coordinates, colours, pictures. Replaces a model loaded before and
// forgets what was framed. A picture that cannot be decoded is left out; limber_renderer_warning says so.
LIMBER_MUST_USE limber_result limber_renderer_load(limber_renderer* renderer, const limber_model* model,
                                                   limber_error* error);

// NULL when all is well; valid until the next load.
const char* limber_renderer_warning(const limber_renderer* renderer);

// Adds the loaded model's vertices (3 floats each) to what the camera must keep in the picture. Scenery counts only
// when there is nothing else.
void limber_renderer_frame(limber_renderer* renderer, const float* positions);

// The same for a box; also works without a model.
void limber_renderer_frame_box(limber_renderer* renderer, limber_vec3 min, limber_vec3 max);
// The same for loose points, such as those of copies and lines.
void limber_renderer_frame_points(limber_renderer* renderer, const float* positions, size_t count);
void limber_renderer_frame_reset(limber_renderer* renderer);

// Where the floor of the pictures drawn from now on lies, in the world. NAN, as after loading: under everything framed.
void limber_renderer_ground(limber_renderer* renderer, float height);

// Looks through a camera of the file (limber_camera_world) from now on; NULL: the automatic one, as after loading. What
// was framed still says where the floor is.
void limber_renderer_look(limber_renderer* renderer, const limber_mat4* world_from_camera, const limber_camera* lens);

// Where a world point lands, in pixels from the top left corner.
void limber_renderer_project(const limber_renderer* renderer, limber_vec3 point, float* x, float* y);

// Copies and lines that belong to the frames drawn from now on (limber_pipeline_smear); they are seen through and cast
// no shadow. None: count 0. What a frame has must be given again for the next.
LIMBER_MUST_USE limber_result limber_renderer_copies(limber_renderer* renderer, const limber_smear_mesh* meshes,
                                                     uint32_t count, limber_error* error);

// Colours in place of the materials' own, linear, 4 floats per vertex of the model; NULL: the materials'.
void limber_renderer_paint(limber_renderer* renderer, const float* colors);

// How much of the character there is: below 1 what lies behind shows through, but not its own other side.
void limber_renderer_fade(limber_renderer* renderer, float opacity);

// The character at other moments, behind itself, the first farthest back. They cast no shadow. The arrays must stay
// alive until the next drawing is done. None: count 0.
typedef struct limber_ghost {
    const float* positions; // as for limber_renderer_draw
    const float* normals;   // or NULL
    float color[4];         // linear; the last is the opacity
} limber_ghost;
void limber_renderer_ghosts(limber_renderer* renderer, const limber_ghost* ghosts, uint32_t count);

// Triangles drawn over the character, three vertices each, that face outwards counter-clockwise.
typedef struct limber_overlay_vertex {
    float position[3], normal[3]; // world
    float color[4];               // linear, straight alpha
    float hidden;                 // opacity where the character is before it, as a share of the colour's
} limber_overlay_vertex;
LIMBER_MUST_USE limber_result limber_renderer_overlay(limber_renderer* renderer, const limber_overlay_vertex* vertices,
                                                      uint32_t count, limber_error* error);

// Draws one frame into width * height RGBA pixels, sRGB with straight alpha, top row first. `normals` may be NULL:
// flat facets. Nothing framed: this frame alone is.
LIMBER_MUST_USE limber_result limber_renderer_draw(limber_renderer* renderer, const float* positions,
                                                   const float* normals, uint8_t* pixels, limber_error* error);

#endif
