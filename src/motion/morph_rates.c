// How fast the weights of morph targets change.
#include "motion/morph_rates.h"
#include "asset/channel.h"
#include "motion/kinematics.h"

#include <string.h>

void limberi_morph_rates(const limber_model* model, const limber_clip* clip, const limber_motion_settings* settings,
                         double time_s, float* scratch, float* rates) {
    double before, after, width = limberi_motion_around(clip, settings, time_s, &before, &after);
    memset(rates, 0, model->morph_count * sizeof *rates);
    for (uint32_t m = 0; width > 0 && m < model->mesh_count; m++) {
        const limber_mesh* mesh = &model->meshes[m];
        int32_t c = clip->weights_of_mesh[m];
        if (c < 0)
            continue;
        float *from = scratch, *to = scratch + mesh->morph_count;
        limberi_channel_sample_weights(&clip->channels[c], before, mesh->morph_count, from);
        limberi_channel_sample_weights(&clip->channels[c], after, mesh->morph_count, to);
        for (uint32_t i = 0; i < mesh->morph_count; i++)
            rates[mesh->first_morph + i] = (float)(((double)to[i] - (double)from[i]) / width);
    }
}
