// The modelling kit behind the built-in characters: a rig, soft implicit shapes, swept patches and procedural clips.
//
// A character is one function that fills a kit. The kit turns it into a limber_model and an asset:
//
//     void limberi_build_snowman(kit* k) {
//         uint32_t root = kit_joint(k, "Root", KIT_NO_PARENT, 0, 0, 0);               // world positions at rest
//         uint32_t head = kit_joint(k, "Head", (int32_t)root, 0, 1, 0);
//         kit_shape* shape = kit_shape_create(k);
//         kit_brush snow = {.bind = kit_rigid(k, root), .color = kit_hex(0xf4f8ff), .blend = 0.1f};
//         kit_add(shape, &snow, kit_ball(kit_at(0, 0.5f, 0), 0.5f));
//         snow.bind = kit_rigid(k, head);
//         kit_add(shape, &snow, kit_ball(kit_at(0, 1.2f, 0), 0.3f));
//         shape->edge = 0.05f;                                                        // metres, at detail 1
//         kit_mesh_begin(k, "Snowman");
//         kit_mesh_shape(k, shape);
//         kit_mesh_end(k);
//         kit_clip(k, "nod", 1.0, true, nod, NULL);                                   // nod() poses the rig at a time
//     }
//
// Then one line in the table of characters.c and one in CMakeLists.txt.
//
// Conventions. Metres, standing on y = 0, facing +Z; the character's left is +X. Every joint's axes are the world's at
// rest, so that for all of them +X turns forward and down (a nod), +Y to the left, +Z rolls the left side up.
// Mirrored joints end in "Left" and "Right", parts of one limb share a prefix ("LegFrontKneeLeft"): styles pick joints
// by wildcard. Clips turn and move joints but never scale them: squash and stretch is limber's own job.
//
// Everything here is called kit_: the words of one small language, linked into programs and tests but never into
// liblimber. Only the builders themselves are limberi_.
//
// Failure (memory, too many vertices) is sticky: after it every call does nothing and kit_finish reports it. A builder
// therefore needs no checks, except that what kit_shape_create returns may be NULL, which every kit call accepts.
#ifndef LIMBERI_CHARACTERS_KIT_H
#define LIMBERI_CHARACTERS_KIT_H

#include "base/math.h"

#include <limber/asset.h>

#define KIT_NO_PARENT LIMBER_NO_PARENT
#define KIT_CRISP 0.9f // edges over which colours change along a border that the mesh follows

enum {
    KIT_JOINT_LIMIT = 128,
    KIT_CHAIN_LIMIT = 128,
    KIT_CHAIN_LENGTH = 24,
    KIT_BLOB_LIMIT = 160,
    KIT_CLIP_LIMIT = 8,
    KIT_MESH_LIMIT = 4,
    KIT_MATERIAL_LIMIT = 8,
    KIT_PART_LIMIT = 16,
    KIT_WEIGHT_LIMIT = 24, // while a vertex is being worked on
    KIT_INFLUENCES = 4     // what it keeps
};

typedef struct kit kit;

static inline limber_vec3 kit_at(float x, float y, float z) {
    return limberi_vec3(x, y, z);
}

// ---- life cycle ----

kit* kit_create(double detail); // NULL when memory is short
void kit_destroy(kit* k);
LIMBER_MUST_USE limber_result kit_finish(kit* k, limber_asset** asset, limber_error* error);
bool kit_failed(const kit* k);

// ---- rig ----

// Parents first. The name is copied.
uint32_t kit_joint(kit* k, const char* name, int32_t parent, float x, float y, float z);
// `side` +1 left, -1 right: appends "Left" or "Right" to the name and multiplies x.
uint32_t kit_joint_side(kit* k, const char* name, float side, int32_t parent, float x, float y, float z);
// The same for a part of a limb: "LegFront" and "Upper" make "LegFrontUpperLeft".
uint32_t kit_joint_limb(kit* k, const char* limb, const char* part, float side, uint32_t parent, limber_vec3 at);
// `prefix` followed by `number`, for chains.
uint32_t kit_joint_numbered(kit* k, const char* prefix, uint32_t number, int32_t parent, limber_vec3 at);
limber_vec3 kit_joint_at(const kit* k, uint32_t joint);

// What a piece of surface hangs on. Along a chain each joint owns the stretch up to the next one, and hands over
// smoothly around it: `softness` is half the width of the hand-over, in metres, held below half of either neighbouring
// stretch. A chain may start with the parent of a limb, which then owns what lies before the limb's first joint.
// The last joint of a chain owns everything beyond it.
uint32_t kit_rigid(kit* k, uint32_t joint);
uint32_t kit_chain(kit* k, const uint32_t* joints, uint32_t count, float softness);

// ---- colour ----

limber_vec3 kit_hex(uint32_t srgb); // 0xrrggbb to linear
// 1 well inside (distance < 0), 0 well outside, blending over `width`. Painters pass vertex->edge as the width.
float kit_inside(float distance, float width);
float kit_smoothstep(float from, float to, float x);
// From a ball that is squeezed along the axes, and the nearer of two borders: what painters draw by.
float kit_ball_distance(limber_vec3 at, limber_vec3 center, limber_vec3 squeezed, float radius);
float kit_nearer(float a, float b);
limber_vec3 kit_mirrored(limber_vec3 v, float side); // -1: on the other side of x = 0
float kit_mix(float a, float b, float t);

// ---- vertices ----

typedef struct kit_weights {
    uint32_t count;
    uint32_t joint[KIT_WEIGHT_LIMIT];
    float weight[KIT_WEIGHT_LIMIT];
} kit_weights;

// A vertex while it is being finished: painters may change everything but position and normal.
typedef struct kit_vertex {
    limber_vec3 position, normal;
    float u, v; // patches only
    float edge; // how far the next vertex is, metres: no colour can change in less
    limber_vec3 color;
    float floppy, squash; // layers, -1 to 1
    float extra;          // the layer that kit_mesh_layer named; 0 unless painted
    kit_weights weights;  // need not be normalised
} kit_vertex;

typedef void (*kit_paint)(void* user, kit_vertex* vertex);

void kit_weights_add(kit_weights* weights, uint32_t joint, float weight);
// Adds the weights that a chain gives at a point, times `amount`.
void kit_weights_add_chain(const kit* k, kit_weights* weights, uint32_t chain, limber_vec3 at, float amount);

// ---- implicit shapes ----

typedef enum kit_blob_kind { KIT_BLOB_BONE, KIT_BLOB_ELLIPSOID, KIT_BLOB_RING } kit_blob_kind;

// How the next blobs look and hang.
typedef struct kit_brush {
    uint32_t bind; // from kit_rigid or kit_chain
    limber_vec3 color;
    float blend; // metres over which it melts into what was added before
    float edge;  // wanted edge length at detail 1; 0: the shape's
    float reach; // how far its joints and layers fade into the neighbours, metres; 0: from blend and size
    float floppy, squash;
    bool carve; // takes away instead of adding; colours and weights stay those of what it cuts
} kit_brush;

typedef struct kit_blob {
    kit_blob_kind kind;
    limber_vec3 a, b;   // bone: ends; ellipsoid and ring: a is the centre
    float ra, rb;       // bone: radii at the ends; ring: radius of the circle and of the tube
    limber_vec3 radii;  // ellipsoid
    limber_quat turned; // ellipsoid and ring
    limber_vec3 center; // bounding sphere
    float radius;
    limber_vec3 axis;           // of a bone: unit; found when the blob is added, as are the next three
    float length, slope, level; // how the radius falls along it: sine and cosine
    bool joined; // continues the limb of the blob before: the two meet without melting, so that joints do not swell
    kit_brush brush;
} kit_blob;

// The bounding spheres of blobs, side by side: most of a shape's time goes into telling which blobs are near.
typedef struct kit_spheres {
    float x[KIT_BLOB_LIMIT], y[KIT_BLOB_LIMIT], z[KIT_BLOB_LIMIT], radius[KIT_BLOB_LIMIT];
} kit_spheres;

typedef struct kit_shape {
    float edge;      // wanted edge length at detail 1, metres
    float cell;      // extraction grid; 0: half of the smallest edge. Must be smaller than the thinnest part
    float occlusion; // 0 to 1: how much creases darken; 0.3 by default
    // Signed distance to the nearest border between colours, or NULL. Triangles line up with it: no vertex stays
    // close, so a border blended over 0.9 edges (KIT_CRISP) runs smoothly through a single strip of triangles.
    float (*border)(void* user, limber_vec3 at);
    kit_paint paint; // may be NULL; called for every vertex after colours, layers and weights of the blobs are in
    void* user;
    uint32_t blob_count;
    kit_blob blobs[KIT_BLOB_LIMIT];
    kit_spheres spheres; // theirs, filled when they are added
} kit_shape;

kit_shape* kit_shape_create(kit* k);
kit_blob kit_ball(limber_vec3 center, float radius);
kit_blob kit_ellipsoid(limber_vec3 center, limber_vec3 radii, limber_vec3 turned_deg);
kit_blob kit_bone(limber_vec3 a, float radius_a, limber_vec3 b, float radius_b); // round cone
// A torus whose axis is +Y before it is turned.
kit_blob kit_ring(limber_vec3 center, float circle, float tube, limber_vec3 turned_deg);
void kit_add(kit_shape* shape, const kit_brush* brush, kit_blob blob);
// A chain of bones through `count` points; bends between them are as smooth as the points are dense.
void kit_add_limb(kit_shape* shape, const kit_brush* brush, const limber_vec3* points, const float* radii,
                  uint32_t count);

// Signed distance (about; never more than 1.3 times the true one) and, unless NULL, its gradient.
float kit_shape_distance(const kit_shape* shape, limber_vec3 at, limber_vec3* gradient);
// Adds the weights that the surface has at a point near it, so that what is sewn on moves with it.
void kit_weights_add_shape(const kit* k, kit_weights* weights, const kit_shape* shape, limber_vec3 at);
// Walks `at` to the surface.
limber_vec3 kit_shape_project(const kit_shape* shape, limber_vec3 at, uint32_t steps, float max_step);

// ---- patches ----

// A surface over (u, v) in [0, 1]^2: u goes around, v along. Seen from outside, v points up when u points right.
typedef struct kit_patch {
    void (*point)(void* user, float u, float v, limber_vec3* position);
    void (*normal)(void* user, float u, float v, limber_vec3* normal); // NULL: averaged from the triangles
    kit_paint paint;                                                   // may be NULL; vertex->u and v are set
    void* user;                                                        // passed to all three
    uint32_t columns, rows;                                            // quads at detail 1
    uint32_t fold;             // columns stay a multiple of this at every detail, where patches meet; 0: any number
    bool closed;               // u = 1 is u = 0
    bool pole_start, pole_end; // the row v = 0 (v = 1) is a single point
    bool flat_start, flat_end; // close the row v = 0 (v = 1) of a closed patch with a flat lid of its own vertices
    bool slanted;              // every quad is cut along its rising diagonal; otherwise they alternate
    float thickness;           // > 0: a closed shell, this much thicker towards the inside; for cloth and petals
    kit_brush brush;           // bind, color, floppy and squash before paint
} kit_patch;

// ---- ready-made patches ----

// A ball (or ellipsoid): pole v = 1 towards the turned +Y. With `bands` it is painted in rings around that pole.
typedef struct kit_band {
    float until_deg; // angle from the pole; bands in increasing order, each with a crisp edge
    limber_vec3 color;
} kit_band;

// Profile turned around the turned +Y axis, from bottom to top; points are (radius, height), corners stay round enough
// when they are doubled. Ends with radius 0 close in a pole, others in a flat lid.
typedef struct kit_profile_point {
    float radius, height;
} kit_profile_point;

void kit_mesh_begin(kit* k, const char* name);
// A third layer beside floppy and squash, for the mesh that was just begun.
void kit_mesh_layer(kit* k, const char* name);
void kit_mesh_shape(kit* k, const kit_shape* shape);
void kit_mesh_patch(kit* k, const kit_patch* patch);
void kit_round_normal(void* user, float u, float v, limber_vec3* normal); // for patches around an upright axis
void kit_mesh_eye(kit* k, const kit_brush* brush, limber_vec3 center, limber_vec3 radii, limber_vec3 turned_deg,
                  const kit_band* bands, uint32_t band_count, uint32_t columns);
// A point on such a ball, e.g. for a glint: `from_pole_deg` from the pole, turned around it by `around_deg` (0: where
// the turned +Z points).
limber_vec3 kit_eye_at(limber_vec3 center, limber_vec3 radii, limber_vec3 turned_deg, float from_pole_deg,
                       float around_deg);
void kit_mesh_lathe(kit* k, const kit_brush* brush, kit_paint paint, void* user, limber_vec3 base,
                    limber_vec3 turned_deg, const kit_profile_point* profile, uint32_t count, uint32_t columns,
                    uint32_t rows);
// A tube along a smooth curve through the points, closed with round ends.
void kit_mesh_tube(kit* k, const kit_brush* brush, kit_paint paint, void* user, const limber_vec3* points,
                   const float* radii, uint32_t count, uint32_t columns, uint32_t rows);
// Pieces added after this use the material; without it all share one (white times the vertex colours, roughness 0.6).
void kit_mesh_material(kit* k, const char* name, float metallic, float roughness, bool double_sided);
void kit_mesh_end(kit* k);

// ---- clips ----

typedef struct kit_pose {
    const kit* k;
    limber_transform local[KIT_JOINT_LIMIT];
} kit_pose;

// Poses the rig at time t (0 .. duration). Starts from the rest pose each time: a pure function of t.
typedef void (*kit_motion)(const void* user, double t, kit_pose* pose);

// Bakes to CUBICSPLINE keys at 30 per second with the motion's own derivatives as tangents: velocities stay continuous
// at every playback rate (dense LINEAR keys would make accelerations a comb), and the key rate still tells readers
// the natural frame rate. Joints that never move get no channel. A looping clip ends on exactly its first key, tangents
// included; its motion must have the period `duration_s`, which should be a multiple of 1/30.
void kit_clip(kit* k, const char* name, double duration_s, bool loops, kit_motion motion, const void* user);

// Angles in degrees. kit_turn multiplies onto the joint's local rotation: roll (z) first, then pitch (x), then yaw (y).
void kit_turn(kit_pose* pose, uint32_t joint, double x_deg, double y_deg, double z_deg);
void kit_move(kit_pose* pose, uint32_t joint, double x, double y, double z); // in the parent's frame
limber_vec3 kit_pose_at(const kit_pose* pose, uint32_t joint);               // world position
limber_quat kit_pose_turned(const kit_pose* pose, uint32_t joint);           // world rotation
// Bends a two-bone limb so that `end` arrives at `target` (world); `pole`, fixed to the limb's parent, is where the
// middle joint points. A target out of reach is approached smoothly. The end's own world rotation becomes `turned`.
void kit_reach(kit_pose* pose, uint32_t upper, uint32_t lower, uint32_t end, limber_vec3 target, limber_vec3 pole,
               limber_quat turned);
// The same with the axis of the middle joint at rest and now (world) instead of a pole, for limbs that swing past every
// pole. The middle joint points to the way along the limb crossed with the axis.
void kit_reach_hinge(kit_pose* pose, uint32_t upper, uint32_t lower, uint32_t end, limber_vec3 target,
                     limber_vec3 rest_hinge, limber_vec3 hinge, limber_quat turned);
limber_quat kit_euler(double x_deg, double y_deg, double z_deg);

// Where a foot is when the body has gone `way` metres: it stands still for the part `stance` of each stride and swings
// ahead in the rest. `phase` (0 to 1) shifts it against the other feet. Stands below its hip in the middle of a stance.
typedef struct kit_step {
    double way;   // along the ground, in the same world as the body's way
    double lift;  // 0 on the ground, 1 at the top of the swing
    double swing; // 0 to 1 through the swing, 0 while standing
} kit_step;
kit_step kit_step_at(double way, double stride, double phase, double stance);

// Curves for motions. All are C1 or better in t.
typedef struct kit_key {
    double t, value;
} kit_key;

// Smooth through the keys, level at extremes (never overshoots them), constant outside.
double kit_keys(double t, const kit_key* keys, uint32_t count);
// The same around a period; the last key is not the first one repeated.
double kit_keys_loop(double t, double period, const kit_key* keys, uint32_t count);
#define KIT_KEYS(t, ...)                                                                                               \
    kit_keys(t, (const kit_key[]){__VA_ARGS__}, sizeof((const kit_key[]){__VA_ARGS__}) / sizeof(kit_key))
#define KIT_LOOP(t, period, ...)                                                                                       \
    kit_keys_loop(t, period, (const kit_key[]){__VA_ARGS__}, sizeof((const kit_key[]){__VA_ARGS__}) / sizeof(kit_key))

// A pose as a struct of nothing but doubles, over time: each number is smooth through its keys. Numbers from `first_late`
// to `end_late` [bytes] come a little later than the others.
typedef struct kit_figure {
    size_t size, first_late, end_late;
    double late_s;
} kit_figure;
enum { KIT_FIGURE_KEYS = 16 }; // at most
// A key is its time and then the struct.
void kit_figure_at(const kit_figure* figure, const void* keys, uint32_t count, double t, void* out);

double kit_wave(double t, double period, double phase);         // sin(2 pi (t / period + phase))
double kit_ease(double t, double from, double to);              // 0 before, 1 after, C2 in between
double kit_bump(double t, double from, double peak, double to); // 0, up to 1 at the peak, and back
// Damped ringing after a stop at `from`: starts at 0 with full speed, e.g. added to a pose that stops dead.
double kit_ring_down(double t, double from, double frequency, double decay);
// Wind-up before a move from 0 to 1: dips to -amount, shoots over by `over`, settles. For moves from one pose to
// another.
double kit_wind_up(double t, double from, double to, double amount, double over);

// ---- the characters, one per file ----

void limberi_build_ball(kit* k);
void limberi_build_cow(kit* k);
void limberi_build_cylinder(kit* k);
void limberi_build_dancer(kit* k);
void limberi_build_dog(kit* k);
void limberi_build_flower(kit* k);
void limberi_build_giraffe(kit* k);
void limberi_build_hero(kit* k);
void limberi_build_snail(kit* k);
void limberi_build_toon(kit* k);
// Of single figures of the papers.
void limberi_build_bird(kit* k);
void limberi_build_dragon(kit* k);
void limberi_build_horse(kit* k);
void limberi_build_gymnast(kit* k);
void limberi_build_pole(kit* k);
void limberi_build_pusher(kit* k);

#endif
