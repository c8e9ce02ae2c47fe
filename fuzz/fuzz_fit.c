// Fuzzes the fit: a mutated character is the plain one, and it again, with another clip if it has two, the wanted one.
// The answer is an error with a line, or finite numbers and a style that binds.
#include "fit/fit.h"
#include "fuzz/kit/bytes.h"

#include <limber/limber.h>
#include <limber/stages/stages.h>
#include <math.h>

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

enum { FRAMES = 6 };

// Few frames, whatever the clip's length.
static void set_times(limberi_fit_job* job, const limber_clip* clip) {
    double length = clip->end_s - clip->start_s;
    double fps = length > 0 ? FRAMES / length : 10;
    job->fps = fmin(fmax(fps, 0.1), 1000);
    job->start_s = clip->start_s;
    job->end_s = fmin(clip->end_s, clip->start_s + FRAMES / job->fps);
}

static void check_fit(const limberi_fit* fit, const limber_asset* asset) {
    limber_bound_style* bound = NULL;
    limber_error error;
    FUZZ_CHECK(isfinite(fit->total.left) && isfinite(fit->total.wanted) && isfinite(fit->total.explained));
    for (uint32_t i = 0; i < fit->key_count; i++)
        FUZZ_CHECK(isfinite(fit->keys[i].value));
    FUZZ_CHECK(limber_style_text(fit->style) != NULL);
    FUZZ_CHECK(limber_style_bind(fit->style, asset, &bound, &error) == LIMBER_OK);
    limber_bound_style_destroy(bound);
}

static void fit_one(fuzz_bytes* bytes, const limber_asset* asset) {
    const limber_model* model = limber_asset_model(asset);
    limberi_fit_clip clip = {0, model->clip_count > 1 ? 1u : 0u};
    limberi_fit_job job = {.plain = asset, .wanted = asset, .clip_count = 1, .clips = &clip};
    limber_style* base = NULL;
    limberi_fit* fit = NULL;
    limber_error error;
    FUZZ_CHECK(limber_style_create(&base, &error) == LIMBER_OK);
    job.base = base;
    job.effects = fuzz_below(bytes, 65536) & limberi_fit_effects(false);
    job.effects = job.effects ? job.effects : limberi_fit_effects(true);
    set_times(&job, &model->clips[0]);
    limber_result result = limberi_fit_run(&job, &fit, &error);
    FUZZ_CHECK((result == LIMBER_OK) == (fit != NULL));
    if (result == LIMBER_OK)
        check_fit(fit, asset);
    else
        FUZZ_CHECK(error.message[0] != 0);
    limberi_fit_destroy(fit);
    limber_style_destroy(base);
}

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    const limber_gltf_limits limits = {sizeof limits, 1 << 20, 100, 600, 20000, NULL, NULL};
    fuzz_bytes bytes = fuzz_bytes_of(data, size);
    limber_gltf* gltf;
    limber_error error;
    if (limber_gltf_load_memory(data, size, NULL, &limits, &gltf, &error) != LIMBER_OK)
        return 0;
    const limber_model* model = limber_asset_model(limber_gltf_asset(gltf));
    if (model->clip_count && model->mesh_count)
        fit_one(&bytes, limber_gltf_asset(gltf));
    limber_gltf_destroy(gltf);
    return 0;
}
