// `limber info --style`: what a style does to each clip, in words and as JSON.
#ifndef LIMBER_CLI_EXPLAIN_H
#define LIMBER_CLI_EXPLAIN_H

#include "cli/cli.h"
#include "review/bounds.h"

// One clip.
typedef struct cli_explained {
    uint32_t clip;
    limberi_review review;
    uint32_t broken;           // bit per limberi_bound
    limber_contacts* contacts; // of the plain clip
    bool performs;             // the style retimes clips, poses or shapes them: ...
    limber_performance act;    // ... what it found out and did
    double distorted;          // L: how far a sum of joints is off a chain of them; 0: it is one
    limberi_spot at_distorted;
} cli_explained;

typedef struct cli_explanation {
    const char* input;
    const char* style; // as the command line names it; NULL: the file's own
    const limber_model* model;
    const limber_stage_settings* settings;
    uint32_t step;                   // timing.step, which measures leave out: a new pose is no pop
    const limber_rigid_parts* parts; // that keep their shape; NULL: none
    limberi_bounds bounds;
    uint32_t count;
    cli_explained* clips;
} cli_explanation;

// Measures the clips that the command line asks for and prints what it found. Returns the exit status.
int cli_explain(const char* input, const limber_gltf* gltf, const cli_common* common, bool json);

void cli_explain_text(const cli_explanation* all);
int cli_explain_json(const cli_explanation* all);

// One sentence: why a bound is broken, and what to set.
void cli_explain_why(const cli_explanation* all, const cli_explained* clip, limberi_bound bound, char* text,
                     size_t size);
// Where something is: "at 0.43 s (HandRight)".
void cli_explain_spot(const limber_model* model, limberi_spot spot, char* text, size_t size);

// What each bound means and what to set: a heading per bound.
#define CLI_MORE "docs/why.md"

// Less than this nobody sees.
#define CLI_DISTORTED 0.03

// How much of the clip each joint stands, 0 ... 1. [joint_count]
void cli_explain_standing(const cli_explanation* all, const cli_explained* clip, double* shares);

#endif
