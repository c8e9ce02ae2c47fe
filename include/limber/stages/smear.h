// limber/stages/smear.h: smear frames: what moves fast is drawn over more than one moment, as animators do by hand.
//
// Everything starts from motion offsets: how far in front (+1) or behind (-1) a vertex lies in the motion of its body
// part. Three things are made from them: elongation (each vertex slides along its own path, the front into the future,
// the back into the past), in-between copies (fading copies at other moments) and motion lines (tubes along the paths).
// Durations are counted in frames of the output.
//
//     limber_smearer* smearer;
//     limber_error error;
//     if (limber_smearer_create(asset, &settings, &smearer, &error) != LIMBER_OK)
//         return 1;
//     // frames[f]: positions, normals, and bones from limber_smearer_bones, of every frame of the shot
//     float* offsets = malloc(model->vertex_count * sizeof *offsets);
//     limber_smearer_offsets(smearer, &frames[f], &frames[f], &frames[f + 1], offsets); // -1 ... 1 per vertex
//     limber_smear_job job = limber_smear_job_default();
//     job.offsets = offsets;
//     job.now = job.from = &frames[f];
//     job.to = &frames[f + 1];
//     limber_smear_reach reach; // which frames the paths run through
//     if (limber_smearer_plan(smearer, &job, &reach) == LIMBER_OK) {
//         job.first = reach.first;
//         job.frames = &frames[(int32_t)f + reach.first];
//         if (limber_smearer_evaluate(smearer, &job, positions) == LIMBER_OK)
//             draw(positions, NULL);
//     }
//     free(offsets);
//     limber_smearer_destroy(smearer);
//
// limber_pipeline_evaluate_smeared does all of this for a clip; these jobs are for programs with frames of their own. A
// smearer is used by one thread at a time; its memory is allocated by _create.
#ifndef LIMBER_STAGES_SMEAR_H
#define LIMBER_STAGES_SMEAR_H

#include <limber/stages/expression.h>
#include <limber/stages/pose.h>

#ifdef __cplusplus
extern "C" {
#endif

#define LIMBER_SMEAR_REACH 32u   // max frames that a path is followed, to either side
#define LIMBER_SMEAR_SMOOTH 16u  // max frames on either side that offsets are smoothed over
#define LIMBER_SMEAR_COPIES 16u  // max copies to either side
#define LIMBER_SMEAR_LINES 4096u // max motion lines
#define LIMBER_SMEAR_LEVELS 3u   // max times that an edge is split
#define LIMBER_SMEAR_STROKES 8u  // max strokes of a part
#define LIMBER_SMEAR_STREAKS 40u // max streaks of a ribbon

// Motion offsets: which parts of the character lead and which trail.
typedef struct limber_smear_offset_settings {
    bool skeleton;         // false: the whole character is one body part (SMEAR, equation 1)
    const uint8_t* pruned; // [joint] 1: its vertices go to the nearest kept ancestor; NULL: none
    float prune_below;     // in L: joints with less skin, together with their descendants, than a square of this side
                           // are pruned, too; 0: none
    uint32_t smooth;       // frames on either side (SMEAR, equation 2)
    int32_t camera;        // index in model.cameras: motion as the camera sees it; -1: motion in the world
} limber_smear_offset_settings;

// Which motion is smeared (SMEAR, section 6). All but the first are about one joint, `joint` below.
typedef enum limber_smear_motion {
    LIMBER_SMEAR_MOTION_ALL,
    LIMBER_SMEAR_MOTION_RELATIVE,    // what is left when the joint is held in place
    LIMBER_SMEAR_MOTION_CARRIED,     // that of the joint, which carries the whole character along
    LIMBER_SMEAR_MOTION_TRANSLATION, // the same without its rotation
    LIMBER_SMEAR_MOTION_ROTATION     // the same without its translation
} limber_smear_motion;

// The part of the motion that is smeared, and the joint that it is about.
typedef struct limber_smear_motion_settings {
    limber_smear_motion part;
    int32_t joint; // -1: none; then `part` must be ALL
} limber_smear_motion_settings;

// How far a vertex slides along its path, in frames: `amount` (the formula may use `offset` and `speed`, L per frame)
// times `future` where it is positive and `past` where it is negative.
typedef struct limber_smear_elongate_settings {
    limber_number amount, past, future;
    float max;          // radii of its own part that a vertex moves at most, approached smoothly; 0: no limit
    uint32_t subdivide; // times that edges may be split before anything is smeared (limber/stages/subdivide.h)
    float tear;         // in L: an edge is split when the displacement of its ends differs by more than this
} limber_smear_elongate_settings;

// In-between copies of the character.
typedef struct limber_smear_multiple_settings {
    uint32_t past, future; // copies
    float overlap;         // N: this many copies of one frame coincide with copies of the next
    float spacing;         // frames between copies; 0: 1 / (past + future + 1 - overlap)
    bool standard_opacity; // SMEAR, equation 12
    limber_number opacity; // otherwise: 0 ... 1; the formula may also use `copy` and `copies`
    float min_speed;       // L per frame; slower vertices of copies are hidden
} limber_smear_multiple_settings;

// Linear RGBA of an image (index in model.images) at texture coordinates. Pictures are decoded by the program. A bake on
// several threads calls it from all of them.
typedef struct limber_texel_reader {
    void (*read)(void* user, uint32_t image, float u, float v, float* rgba); // NULL: textures count as white
    void* user;                                                              // passed to `read`
} limber_texel_reader;

// Motion lines: thin tubes along the paths of points of the surface.
typedef struct limber_smear_line_settings {
    uint32_t count;
    bool silhouette;       // lines only where the surface turns away from the motion
    bool standard_length;  // eight frames times the offset
    limber_number length;  // otherwise: frames; negative: into the past
    limber_number radius;  // in L
    limber_number taper;   // 0: as thick at the end as at the start, 1: pointed
    limber_number point;   // the same for the start, over the first quarter of the length
    limber_number dry;     // 0: all of the line is there, 1: nothing; between them it breaks up like a dry brush stroke
    limber_number gap;     // frames between the surface and the start
    limber_number opacity; // at the start
    limber_number fade;    // fraction of the opacity that is lost along the length
    float min_speed;       // L per frame; slower points have no line
    uint32_t seed;         // of the places where lines start
    bool colored;          // all lines have `color`; false: the color of the surface they start from
    float color[3];        // linear
    limber_texel_reader texels; // called by limber_smearer_create only
} limber_smear_line_settings;

// Smears as an animator draws them: they cover the gap between two drawings and nothing else. How far a part went in the
// last T0 (a frame, or 1/24 s where frames are shorter) over its own width along the motion decides: parts that overlap
// themselves stay as they are, thick ones are stretched back to where they were, thin and rigid ones leave a ribbon
// along their path. All of it trails, around the fastest moments; a ribbon also where two drawings do not touch. They
// look at the motion between the frames of a clip or stream: of the functions below only
// limber_pipeline_evaluate_smeared and limber/stages/smear_live.h draw them.
typedef struct limber_smear_drawn_settings {
    float stretch;    // 0: thick parts keep their shape, 1: they reach back to the last drawing
    float body;       // the same of the whole character, where it leaps
    float ribbon;     // opacity of ribbons, 0 ... 1; 0: none
    float ribbon_age; // T0 that a ribbon reaches back
    uint32_t streaks; // a ribbon breaks up into so many, like the stroke of a dry brush; 0: one whole
    uint32_t strokes; // ink lines behind each fast part, at most
    float width;      // travel over width from which parts are stretched; ribbons begin at three times that
    float frames;     // T0 around the fastest moment of a part in which it is smeared
} limber_smear_drawn_settings;

// Numbers of the settings below that change with time: formulas of `t`, `frame` and `phase`. Counts are rounded, and the
// counts of the settings are their max. NULL: the number itself.
typedef struct limber_smear_changes {
    const limber_expression *past, *future, *spacing, *copy_min_speed;
    const limber_expression *line_count, *line_min_speed, *smooth;
} limber_smear_changes;

// Lines of two colors: from lines.color towards `color`, by `start` where a line begins and by `end` where it ends, 0 ... 1.
typedef struct limber_smear_line_tint {
    bool on;        // false: lines have one color
    bool surface;   // `color` is that of the surface
    float color[3]; // linear
    limber_number start, end;
} limber_smear_line_tint;

// Formulas may use every limber_variable; `copy` and `copies` are 0 but for the opacity of copies.
typedef struct limber_smear_settings {
    uint32_t struct_size; // set by limber_smear_settings_default
    float size;           // L; 0: the model's
    limber_smear_motion_settings motion;
    limber_smear_offset_settings offsets;
    limber_smear_elongate_settings elongate;
    limber_smear_multiple_settings multiples;
    limber_smear_line_settings lines;
    const uint8_t* ignore_spin; // [joint] 1: paths ignore its rotation about its own bone; NULL: none
    bool ignore_balls;          // the same for every joint in the middle of a ball
    const float* joint_gains;   // [joint] how far its vertices are smeared, 0 ... 1; NULL: 1
    uint32_t step;              // n: each pose is held for n frames and smears are n times as long
    // [mesh] the formulas of elongation, opacity of copies and lines for each mesh; everything else in them is ignored.
    // NULL: those above for all.
    const struct limber_smear_settings* of_mesh;
    uint32_t of_mesh_count;
    // Of the pipeline, before anything is smeared: round parts that spin stand still and their textures run around them
    // (limber_pipeline_texture_shifts).
    bool texture_spin;
    limber_smear_drawn_settings drawn;
    limber_smear_changes changes;
    bool printed_sizes; // offsets are divided by what SMEAR, equation 9, says as printed, and may pass 1
    // Offsets by the velocities over the last 1/24 s, blended along bones, so that they do not jump between frames;
    // false: by the directions of one frame's step, as in the paper.
    bool steady_offsets;
    limber_smear_line_tint line_tint;
} limber_smear_settings;

// Everything off; offsets by the skeleton, smoothed over two frames on either side.
LIMBER_DEFAULT(limber_smear_settings)
// Whether the settings smear anything.
LIMBER_API bool limber_smear_is_on(const limber_smear_settings* settings);
// Whether they add meshes to the character: copies, lines or ribbons.
LIMBER_API bool limber_smear_adds_meshes(const limber_smear_settings* settings);

// The bone of a joint at one moment: from the joint to the mean of its children, or, without children, to the point
// twice as far away as the centroid of its vertices.
typedef struct limber_smear_bone {
    limber_vec3 root, tip; // where it starts and ends
    limber_vec3 centroid;  // of the joint's vertices
    limber_quat turn;      // rotation of the joint, where the settings need it
} limber_smear_bone;

// One moment. Everything in one space, which may be a camera's.
typedef struct limber_smear_frame {
    const float* positions;         // all meshes one after the other, 3 per vertex
    const float* normals;           // may be NULL unless there are copies
    const limber_smear_bone* bones; // [joint]
} limber_smear_frame;

// One frame to smear. Frames are numbered from this one, which is number 0; frames[i] has number first + i. At the ends
// of a clip the caller repeats the last frame or wraps.
typedef struct limber_smear_job {
    uint32_t struct_size;                // set by limber_smear_job_default
    double time_s, frame, phase;         // for formulas
    const limber_smear_frame* now;       // number 0
    const limber_smear_frame *from, *to; // the step for velocities: now and next, or previous and now
    const float* offsets;                // [vertex]
    int32_t first;                       // limber_smearer_evaluate needs the frames that limber_smearer_plan returned
    const limber_smear_frame* frames;
    const limber_mat4* world_from_space; // of number 0; transforms the results. NULL: the space is the world
} limber_smear_job;

// The frames from `first` to `last`, both included.
typedef struct limber_smear_reach {
    int32_t first, last;
} limber_smear_reach;

// Smears that are ready to run on one character.
typedef struct limber_smearer limber_smearer;

// Copies the settings; formulas and arrays in them must stay valid.
LIMBER_API LIMBER_MUST_USE limber_result limber_smearer_create(const limber_asset* asset,
                                                               const limber_smear_settings* settings,
                                                               limber_smearer** smearer, limber_error* error);
LIMBER_API void limber_smearer_destroy(limber_smearer* smearer);

// bones[joint_count] of a pose whose world matrices are up to date, transformed by `to_space` unless that is NULL.
LIMBER_API void limber_smearer_bones(const limber_smearer* smearer, const limber_pose* pose,
                                     const limber_mat4* to_space, limber_smear_bone* bones);

// The motion offsets of frame `at`, -1 ... 1 per vertex, for the motion from one frame to another: from `at` to the
// next one, or at the end of a clip from the previous one to `at`.
LIMBER_API void limber_smearer_offsets(limber_smearer* smearer, const limber_smear_frame* at,
                                       const limber_smear_frame* from, const limber_smear_frame* to, float* offsets);

LIMBER_DEFAULT(limber_smear_job)

// Computes how far everything goes along its path, and which frames limber_smearer_evaluate needs for that.
LIMBER_API LIMBER_MUST_USE limber_result limber_smearer_plan(limber_smearer* smearer, const limber_smear_job* job,
                                                             limber_smear_reach* reach);
// Writes the elongated character (3 per vertex) and updates the meshes below. The job must be the one that was planned.
LIMBER_API LIMBER_MUST_USE limber_result limber_smearer_evaluate(limber_smearer* smearer, const limber_smear_job* job,
                                                                 float* positions);
// Whether limber_smearer_evaluate moved any vertex of the character.
LIMBER_API bool limber_smearer_moved(const limber_smearer* smearer);

// Copies, then lines, then ribbons with their strokes.
LIMBER_API uint32_t limber_smearer_mesh_count(const limber_smearer* smearer);
LIMBER_API const limber_smear_mesh* limber_smearer_mesh(const limber_smearer* smearer, uint32_t index);

#ifdef __cplusplus
}
#endif

#endif
