// How far a mesh that moves with another one's bones (--like) is from where the style itself puts it: the file that was
// written is read again and played beside the style.
#include "cli/like.h"

#include <math.h>
#include <stdlib.h>

typedef struct played {
    limber_gltf* gltf;
    limber_pipeline* pipeline;
} played;

// Without its style, which is baked.
static bool open_played(const char* path, played* p) {
    limber_stage_settings plain = limber_stage_settings_default();
    limber_error error;
    if (cli_load(path, &p->gltf))
        return false;
    return limber_pipeline_create_from_settings(limber_gltf_asset(p->gltf), &plain, &p->pipeline, &error) == LIMBER_OK;
}

// Where the vertices of each mesh begin in the file; false: they are others.
static bool match_meshes(const limber_model* coarse, const limber_model* file, uint32_t* first) {
    for (uint32_t m = 0; m < coarse->mesh_count; m++) {
        uint32_t i = 0;
        bool before = true;
        while (i < file->mesh_count && before) {
            before = file->meshes[i].vertex_count != coarse->meshes[m].vertex_count;
            for (uint32_t k = 0; k < m && !before; k++)
                before = first[k] == file->meshes[i].first_vertex;
            i += before;
        }
        if (i == file->mesh_count)
            return false;
        first[m] = file->meshes[i].first_vertex;
    }
    return true;
}

static double farthest(const limber_model* coarse, const uint32_t* first, const float* wanted, const float* shown) {
    double max = 0;
    for (uint32_t m = 0; m < coarse->mesh_count; m++)
        for (uint32_t v = 0; v < coarse->meshes[m].vertex_count; v++) {
            const float* a = wanted + 3 * ((size_t)coarse->meshes[m].first_vertex + v);
            const float* b = shown + 3 * ((size_t)first[m] + v);
            double x = (double)a[0] - (double)b[0];
            double y = (double)a[1] - (double)b[1];
            double z = (double)a[2] - (double)b[2];
            max = fmax(max, sqrt(x * x + y * y + z * z));
        }
    return max;
}

// NaN: a frame cannot be evaluated.
static double compare(const cli_like_check* c, const limber_model* coarse, limber_pipeline* style, played* p,
                      const uint32_t* first) {
    double max = 0;
    for (uint32_t t = 0; t < c->bake->track_count; t++) {
        const limber_bake_track* track = &c->bake->tracks[t];
        for (uint32_t f = 0; f < track->frame_count; f++) {
            double time_s = (double)track->times[f];
            limber_smeared wanted;
            limber_frame shown;
            if (time_s < c->frames->range_start_s - 1e-6 || time_s > c->frames->range_end_s + 1e-6)
                continue; // plain
            if (limber_pipeline_evaluate_smeared(style, (int32_t)track->clip, time_s, c->frames->fps, &wanted) ||
                limber_pipeline_evaluate(p->pipeline, (int32_t)track->clip, time_s, &shown))
                return NAN;
            max = fmax(max, farthest(coarse, first, wanted.frame.positions, shown.positions));
        }
    }
    return max / (double)coarse->size;
}

double cli_like_error(const cli_like_check* c) {
    const limber_asset* asset = limber_gltf_asset(c->coarse);
    const limber_model* coarse = limber_asset_model(asset);
    limber_bound_style* bound = NULL;
    limber_pipeline* style = NULL;
    limber_error error;
    played p = {NULL, NULL};
    double off = NAN;
    uint32_t* first = calloc((size_t)coarse->mesh_count + 1, sizeof *first);
    if (first && limber_style_bind(c->look->style, asset, &bound, &error) == LIMBER_OK) {
        limber_stage_settings settings = *limber_bound_style_settings(bound);
        settings.skinning = c->look->settings.skinning;
        settings.exaggerate.limited = c->look->settings.exaggerate.limited;
        settings.exaggerate.range_start_s = c->look->settings.exaggerate.range_start_s;
        settings.exaggerate.range_end_s = c->look->settings.exaggerate.range_end_s;
        bool done = limber_pipeline_create_from_settings(asset, &settings, &style, &error) == LIMBER_OK;
        if (done && open_played(c->output, &p) &&
            match_meshes(coarse, limber_asset_model(limber_gltf_asset(p.gltf)), first))
            off = compare(c, coarse, style, &p, first);
    }
    limber_pipeline_destroy(p.pipeline);
    limber_gltf_destroy(p.gltf);
    limber_pipeline_destroy(style);
    limber_bound_style_destroy(bound);
    free(first);
    return off;
}
