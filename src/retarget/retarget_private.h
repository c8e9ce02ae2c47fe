// Inside of src/retarget: two figures, and what of one drives what of the other.
#ifndef LIMBERI_RETARGET_PRIVATE_H
#define LIMBERI_RETARGET_PRIVATE_H

#include "base/memory.h"
#include "retarget/figure.h"
#include <limber/stages/pose.h>
#include <limber/stages/retarget.h>

// A joint of the character that takes its turn from the motion: from one joint, or from between two.
typedef struct limberi_drive {
    uint32_t joint, a, b;
    double part;    // of the way from a to b
    double turn[4]; // of the joint in the world when the motion is in its rest pose
    const char* name;
    float sure;
} limberi_drive;

// The joint that it takes most of its turn from.
static inline uint32_t limberi_drive_source(const limberi_drive* drive) {
    return drive->part > 0.5 ? drive->b : drive->a;
}

// A foot that goes where the foot of the motion goes.
typedef struct limberi_foot {
    const limberi_figure_limb* from;
    const limberi_figure_limb* to;
    double wide[3];                            // how much farther out the leg begins than in the motion, rest pose
    double toes[3];                            // from the ankle to the toes, rest pose
    double from_toes[3];                       // the same in the motion, in the character's world and size; 0: no toes
    bool has_toes;                             // both have
    bool can_roll;                             // the motion has toes and the character something to roll over,
    double pivot[3];                           // which is this, from the ankle, rest pose
    double longer[3];                          // how much farther that is than the motion's toes
    bool has_sole;                             // the character's foot has skin
    double tip[3], heel[3], left[3], right[3]; // of its sole, from the ankle, rest pose
    double ball[3];                            // where toes that turn on their own begin, else the tip
    double nose[3];                            // what of the foot is farthest ahead, above the sole
    double from_length;                        // of the motion's leg
    double length;                             // of the character's
    double end_offset[3];                      // of a loose end, in the frame of the last bone
    double step;                               // now: height of its ground above the floor
    double low;                                // now: how near it is to that ground, 0 ... 1
    double ground;                             // now: how much it stands on it, 0 ... 1
    double move[3];                            // now: how far it stands from where the motion's foot does
} limberi_foot;

// A part of a body that hands touch: from a joint to another one or, when both are the same, to its tip.
typedef struct limberi_touch_part {
    uint32_t first, last;
    double tip[3]; // in the joint's frame
    double thick;  // mean distance of its skin
} limberi_touch_part;

enum { LIMBERI_TOUCH_PARTS = 5 };

// The same part of both.
typedef struct limberi_touch {
    bool is_there;
    limberi_touch_part from, to;
} limberi_touch;

struct limber_retarget {
    limberi_arena arena;
    const limber_model* motion;
    const limber_model* character;
    limber_retarget_settings settings;
    limberi_figure from, to;
    bool same;              // the skeletons agree joint for joint
    double turn[4];         // from the motion's world to the character's
    double scale;           // length of the character's legs over that of the motion's
    double floor_rest;      // height of the motion's ankles, rest pose, along its up
    double floor_goal;      // of the character's
    double sole;            // height of the character's soles, rest pose
    double (*from_rest)[4]; // [joint of the motion] its turn in the rest pose, inverse
    double (*rest)[4];      // [joint of the character] its turn in the rest pose
    double* size;           // [joint of the character] its scale in the world
    uint32_t drive_count;
    limberi_drive* drives;
    int32_t* drive_of; // [joint of the character] -1: none
    uint32_t foot_count;
    limberi_foot feet[LIMBERI_LIMBS];
    const limberi_foot* legs[2];                   // left and right
    double legs_apart[3];                          // from the right one's first joint to the left one's, rest pose
    bool stands;                                   // now: it is known where feet stand
    double wider;                                  // what of that is more than in the motion, 0 ... 1
    bool has_hands;                                // that are to touch what they touched
    limberi_touch touches[2][LIMBERI_TOUCH_PARTS]; // [left and right hand]
    uint32_t root;                                 // the topmost joint above the hips, for root motion
    double middle[3];                              // between the legs, from the hips, rest pose of the character
};

// One moment of the character while it is put together.
typedef struct limberi_moment {
    const limber_mat4* from; // [joint of the motion] world
    double (*from_turn)[4];  // [joint of the motion] turn since the rest pose, in the character's world
    double (*extra)[4];      // [joint of the character] what the feet add to its turn
    double (*turn)[4];       // [joint of the character] world
    double (*place)[3];
    double lift;     // along the character's up
    double belt[3];  // what is taken off every place
    double shift[3]; // of the hips, so that the legs can keep their directions with feet that stand
} limberi_moment;

// retarget.c
double limberi_leg_length_of(const limberi_figure* figure); // mean of both

// match.c
void limberi_turn_of_matrix(const limber_mat4* matrix, double* turn);
LIMBER_MUST_USE limber_result limberi_retarget_match(limber_retarget* r);

// From the motion's world to the character's.
void limberi_carry_vector(const limber_retarget* r, const double* v, double* out);
void limberi_carry_turn(const limber_retarget* r, const double* q, double* out);
void limberi_carry_place(const limber_retarget* r, const limberi_moment* m, uint32_t joint, double* out);

// soles.c: where the skin of each foot begins and ends, and how high it stands.
LIMBER_MUST_USE limber_result limberi_find_soles(limber_retarget* r);

// What a foot counts for the hips: one that stands firmly decides, beside one that is about to go.
static inline double limberi_foot_weight(double ground) {
    return ground / (1.1 - ground);
}

// feet.c
void limberi_feet_prepare(limber_retarget* r);
// How high a foot of the motion is above where it stands on the floor, by its ankle or by its toes; `places` become
// those of both.
double limberi_foot_height(const limber_retarget* r, const limberi_moment* m, const limberi_foot* foot, double* places);
// From where a foot stands to where its leg ends, along the ground, in a moment that is posed.
void limberi_foot_miss(const limber_retarget* r, const limberi_moment* m, const limberi_foot* foot, double* miss);
// Set m->extra of the hips: before the character is posed, and again after that.
void limberi_feet_level_hips(const limber_retarget* r, limberi_moment* m);
void limberi_feet_tilt_hips(const limber_retarget* r, limberi_moment* m);
// Sets m->shift, and m->extra of the legs and feet, so that the feet come to their goals.
void limberi_feet_solve(const limber_retarget* r, limberi_moment* m);

// Turns both halves of a limb in m->extra so that it ends at `goal` instead of `end`; where it is straight, it bends to
// the front.
void limberi_bend_limb(limberi_moment* m, const limberi_figure_limb* limb, const double* end, const double* goal,
                       const double* front);

// touch.c
LIMBER_MUST_USE limber_result limberi_touch_prepare(limber_retarget* r);
void limberi_touch_solve(const limber_retarget* r, limberi_moment* m); // sets m->extra of the arms

// steps.c: the ground of stairs and slopes. Open it, fill places and heights of every foot in every frame, find.
typedef struct limberi_steps {
    uint32_t foot_count, frame_count;
    double (
        *places)[6]; // [foot * frame_count + frame] of the motion's ankles and toes, in the character's world and size
    double* heights; // the same: of limberi_foot_height
    double* steps;   // what is found
    bool found;      // some ground is not the floor
} limberi_steps;

bool limberi_steps_open(limberi_steps* s, uint32_t foot_count, uint32_t frame_count); // false: memory is short
void limberi_steps_find(limberi_steps* s, const limber_retarget* r, double fps);
double limberi_step_at(const limberi_steps* s, uint32_t foot, uint32_t frame);
void limberi_steps_close(limberi_steps* s);

// stances.c: when and where feet stand. Open it, find the grounds, fill the misses, find the moves.
typedef struct limberi_stances {
    uint32_t foot_count, frame_count;
    bool loops;          // the last frame is the first one again
    double* ways;        // [foot * frame_count + frame] how far a foot goes from the frame before
    double* lows;        // how near a foot is to the ground, 0 ... 1
    double* grounds;     // how much it stands on it: low and slow
    double (*misses)[3]; // of limberi_foot_miss
    double (*moves)[3];  // how far a foot stands from where the motion's foot does
} limberi_stances;

bool limberi_stances_open(limberi_stances* s, uint32_t foot_count, uint32_t frame_count); // false: memory is short
bool limberi_stances_find_grounds(limberi_stances* s, const limber_retarget* r, const limberi_steps* steps, double fps);
bool limberi_stances_find_moves(limberi_stances* s, const limber_retarget* r);
void limberi_stances_close(limberi_stances* s);

// loop.c: the part of a motion that is a cycle. LIMBER_ERROR_ARGUMENT: there is none between both times.
LIMBER_MUST_USE limber_result limberi_cycle_find(const limber_retarget* r, const limber_clip* motion, limber_pose* pose,
                                                 double* first_s, double* last_s);

// What is left between the ends of a cycle, spread over all of it. Ways along the ground stay as they are.
typedef struct limberi_closing {
    double first_s, last_s;
    double (*turns)[3]; // [joint of the motion] NULL: nothing is closed
    double rise;        // along the motion's up
} limberi_closing;

bool limberi_closing_open(limberi_closing* c, limber_retarget* r, const limber_clip* motion, limber_pose* pose);
void limberi_closing_apply(const limberi_closing* c, const limber_retarget* r, double time_s, limber_pose* pose);

// moment.c: the character at a moment of the motion, whose joints are in m->from.
void limberi_moment_pose(const limber_retarget* r, limberi_moment* m); // before its feet reach the ground
void limberi_moment_solve(const limber_retarget* r, limberi_moment* m);

#endif
