// What pictures show besides the character (--ink, --view, --onion) and from where (--camera).
#ifndef LIMBER_CLI_SIGHT_H
#define LIMBER_CLI_SIGHT_H

#include "cli/cli.h"
#include "render/views/onion.h"
#include "render/views/views.h"

struct shot;

// As given, then checked by sight_check.
typedef struct sight_options {
    bool ink;
    double ink_width; // NAN: fitting the size of the picture
    const char* view;
    limberi_view_settings views;
    uint32_t onion, onion_step;
    const char* camera;
} sight_options;

typedef struct sight {
    limberi_views* views; // or NULL
    limberi_onion* onion; // or NULL
    int32_t camera;       // -1: the automatic one
} sight;

sight_options sight_options_default(void);
// The size of the picture must be known.
int sight_check(sight_options* options, limberi_render_settings* settings);

// Once the shot has its model, pipelines and renderer. Close it in any case.
int sight_open(struct shot* s);
void sight_close(struct shot* s);
// Makes room in the picture for what is shown of moments outside the range.
int sight_frame(const struct shot* s);

// In this order, around the evaluation of a frame and its drawing.
int sight_scout(const struct shot* s, bool plain, double time_s);
int sight_show(const struct shot* s, double time_s, const limber_smeared* smeared);
void sight_finish(const struct shot* s, limberi_picture* picture);

#endif
