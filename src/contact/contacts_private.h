// What contacts are found from, shared by the files of src/contact.
#ifndef LIMBERI_CONTACTS_PRIVATE_H
#define LIMBERI_CONTACTS_PRIVATE_H

#include "base/math.h"
#include "base/memory.h"
#include "contact/contacts.h"
#include "contact/support.h"

#include <math.h>

// --- the grid ---

// Moments of a clip, evenly spaced. A loop has no last one: it is the first one again.
typedef struct limberi_grid {
    bool loops;
    double start_s, step_s;
    uint32_t count;
} limberi_grid;

// The grid that contacts of a clip are found on.
limberi_grid limberi_contact_grid(const limberi_support* support, const limber_clip* clip, bool loops);
// The moment that lies `by` later: wrapped, or held at the ends.
uint32_t limberi_grid_shift(const limberi_grid* grid, uint32_t at, int by);
// `seconds` in moments, at least one.
int limberi_grid_span(const limberi_grid* grid, double seconds);

typedef enum limberi_window { LIMBERI_WINDOW_MAX, LIMBERI_WINDOW_MIN, LIMBERI_WINDOW_HANN } limberi_window;

// Over `reach` moments on both sides; `scratch` and `values` have count numbers.
void limberi_grid_filter(const limberi_grid* grid, limberi_window window, int reach, double* values, double* scratch);

// --- support points over time ---

enum { LIMBERI_TRACK_PAD = 4 }; // moments before the first and after the last of a loop, as it goes on

typedef struct limberi_floor limberi_floor;

typedef struct limberi_point_tracks {
    const limberi_support* support;
    const limberi_floor* floor; // whose levels matter, NULL: none
    const uint8_t* always;      // [joint] fused: matters at any height; NULL: none does
    limberi_grid grid;
    uint32_t row;     // moments with the padding
    uint32_t* offset; // [owner * row + moment] of its points in `places`; UINT32_MAX: too high to matter
    float* places;    // 3 numbers each; of high ones only the height
    size_t place_count, capacity;
    double* low;       // [moment] of the lowest point
    float* spot;       // [moment * 2] where that is: x, z
    double* body;      // [row * 3] the middle of the body
    double* stir;      // [row] mean vertical speed of the skin, scales per second
    uint8_t* near_cut; // [moment]
    limberi_arena arena;
} limberi_point_tracks;

// Tracks the joints with the lowest points of the moment, those near a level of `floor` (NULL: none), and those marked
// in `always`.
LIMBER_MUST_USE limber_result limberi_point_tracks_make(const limberi_support* support, const limber_clip* clip,
                                                        const limberi_grid* grid, const limberi_floor* floor,
                                                        const uint8_t* always, limberi_point_tracks* tracks);
void limberi_point_tracks_free(limberi_point_tracks* tracks);

// Where a point of an owner is (x, y, z); NULL: not followed. Of points too high to touch anything x is NAN.
const float* limberi_point_tracks_place(const limberi_point_tracks* tracks, uint32_t owner, uint32_t point,
                                        uint32_t moment);

// How fast it is, in scales per second, smoothed over a few moments, and its vertical acceleration.
typedef struct limberi_point_motion {
    double velocity[3], rise;
} limberi_point_motion;

bool limberi_point_tracks_motion(const limberi_point_tracks* tracks, uint32_t owner, uint32_t point, uint32_t moment,
                                 limberi_point_motion* motion);
// Vertical velocity of the middle of the body, scales per second.
double limberi_point_tracks_fall(const limberi_point_tracks* tracks, uint32_t moment);

// --- the floor ---

enum { LIMBERI_LEVELS = 64 };

struct limberi_floor {
    double belt[2]; // velocity along the ground of feet that walk on the spot; 0: none
    // How far the skin goes up and down while the lowest point is low, in scales; and how much of that while that point
    // rests. Who never rests has no floor.
    double stirred, rested;
    double impact; // how fast the hardest fall ends, in scales per second; 0: none does
    uint32_t level_count;
    double levels[LIMBERI_LEVELS];  // rising
    float areas[LIMBERI_LEVELS][4]; // where something stands on a level: x from, to, z from, to
};

// Speed of a point, in the world or against the belt.
double limberi_floor_speed(const limberi_floor* floor, const limberi_point_motion* motion);

// The highest level that a point is not clearly below and whose area it is over: on stairs, a body passes the heights of
// steps that are still ahead. `low`: height of the lowest point of the moment.
double limberi_floor_below(const limberi_floor* floor, const float* place, double low, double scale);

// Finds the floors of all clips in parallel; limberi_floor_choose would find them one after the other.
LIMBER_MUST_USE limber_result limberi_floors_find(const limber_asset* asset, const limberi_support* support,
                                                  const limber_parallel* parallel);

// The floor of a clip by the settings. `index` -1: not a clip of the asset.
LIMBER_MUST_USE limber_result limberi_floor_choose(const limber_asset* asset, const limberi_support* support,
                                                   const limber_clip* clip, int32_t index, bool loops,
                                                   const limber_contact_settings* settings, limberi_floor* floor);

// --- corrections ---

// Those of one clip; joints are fused.
typedef struct limberi_edits {
    uint32_t count, joint_count;
    limber_contact_edit* list;
    uint8_t* marks; // [edit * joint_count + joint]
    uint8_t* any;   // [joint] some edit is about it; NULL: there is none
} limberi_edits;

LIMBER_MUST_USE bool limberi_contact_edits_collect(const limberi_support* support,
                                                   const limber_contact_settings* settings, int32_t clip,
                                                   limberi_arena* arena, limberi_edits* edits);
// Whether some may add contacts.
bool limberi_edits_add(const limberi_edits* edits);
// Changes the contacts of a joint over time; `added` (zeros before) is 1 where it touches because an edit says so. False:
// no edit is about it.
bool limberi_edits_apply(const limberi_edits* edits, const limberi_grid* grid, uint32_t joint, double* values,
                         double* scratch, uint8_t* added);

// --- grips ---

// An owner that stays in its place while the body goes on. In a loop, one that lasts beyond the end may begin below 0 or
// end after the length.
typedef struct limberi_grip {
    uint32_t owner;
    double from_s, to_s; // from the start of the clip
    bool counts;
} limberi_grip;

typedef struct limberi_grips {
    uint32_t count, capacity;
    limberi_grip* list; // to be released
} limberi_grips;

// False: not enough memory.
LIMBER_MUST_USE bool limberi_grips_find(const limberi_support* support, const limber_clip* clip,
                                        const limberi_grid* grid, const limberi_floor* floor, limberi_grips* grips);

// --- impacts ---

typedef struct limberi_hit {
    double time_s, speed, lasts_s; // from the start of the clip; scales per second
} limberi_hit;

// By time. `touching`: [moment] how many joints touch the floor.
LIMBER_MUST_USE limber_result limberi_find_hits(const limberi_point_tracks* tracks, const limberi_floor* floor,
                                                const double* touching, limberi_arena* arena, limberi_hit** hits,
                                                uint32_t* count);

// How much they, by time, squash (below 0) or stretch the body at a time. `period_s` 0: no loop; `foreseen`: with the stretch before
// the landing.
double limberi_hits_squash(const limberi_hit* hits, uint32_t count, double time_s, double period_s, bool foreseen,
                           double gain, double min_speed);

// --- along the bones ---

// From a joint to every other, [joint_count].
void limberi_tree_distances(const limber_rig* rig, uint32_t from, double* distance);
// How much of a contact is felt at a distance, in scales.
double limberi_contact_spread(double distance);

// --- the rule, 0 to 1 each: a point touches that is near the ground and slow ---

double limberi_contact_near(double above); // scales
double limberi_contact_slow(double speed); // scales per second

#endif
