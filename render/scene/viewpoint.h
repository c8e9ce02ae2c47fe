// A camera with a fixed direction that steps back until everything it was shown fits.
#ifndef LIMBERI_CAMERA_H
#define LIMBERI_CAMERA_H

#include <limber/asset.h>

// A 4x4 projection, column-major like limber_mat4, whose last row is not 0 0 0 1.
typedef struct limberi_projection {
    float m[16];
} limberi_projection;

typedef struct limberi_camera {
    limber_vec3 right, up, back; // orthonormal; `back` points from the scene to the camera
    double tangent_x, tangent_y; // of half the opening angles
    double margin;

    // What was shown so far. For each plane of the view pyramid: how far out the outermost point lies.
    bool empty;
    double side[6]; // right, left, top, bottom, towards the camera, away from it
    double min[3], max[3];
} limberi_camera;

// Everything is drawn in stage space: the middle of what was shown is the origin and the character about one unit
// large, so that shaders need no other sizes and floats keep their digits far from the world's origin.
typedef struct limberi_stage {
    limber_vec3 origin; // world
    float scale;        // stage = (world - origin) * scale
} limberi_stage;

// Where a camera stands, what it looks at and how, in stage space.
typedef struct limberi_view {
    limberi_stage stage;
    limber_vec3 eye;
    limber_vec3 right, up, back; // orthonormal; `back` points from the scene to the camera
    bool orthographic;
    float half_x, half_y; // of the picture: tangents of half the opening angles, or stage units when orthographic
    limber_vec3 min, max; // of what was shown
    float ground;         // height of the floor: the bottom of that box
    float near, far;      // distances along the view direction
} limberi_view;

void limberi_camera_init(limberi_camera* camera, float yaw_rad, float pitch_rad, float opening_rad, float aspect,
                         float margin);
void limberi_camera_reset(limberi_camera* camera);

// The same camera after everything that was shown, and itself, has moved by `offset`.
limberi_camera limberi_camera_moved(const limberi_camera* camera, limber_vec3 offset);

// Points that are not finite are ignored.
void limberi_camera_show(limberi_camera* camera, const float* positions, size_t count);

// `character_size` sets the unit of the stage (0: what was shown does). A camera that was shown nothing looks at a unit
// cube.
limberi_view limberi_camera_view(const limberi_camera* camera, float character_size);

// The same stage seen through a camera of the file instead. Whatever the aspect of the picture (width over height), all
// that the lens shows is in it; a lens that is unknown is the automatic one.
limberi_view limberi_camera_through(const limberi_camera* camera, float character_size, float aspect,
                                    const limber_mat4* world_from_camera, const limber_camera* lens);

limber_vec3 limberi_stage_point(const limberi_stage* stage, limber_vec3 world);

// Clip coordinates of stage points.
limberi_projection limberi_view_projection(const limberi_view* view);

// Orthographic, looking along -`back` at the box min ... max, `padding` wider on all sides.
limberi_projection limberi_orthographic(limber_vec3 right, limber_vec3 up, limber_vec3 back, limber_vec3 min,
                                        limber_vec3 max, float padding);

// x, y, z, w
void limberi_project(const limberi_projection* projection, limber_vec3 point, float out[4]);

#endif
