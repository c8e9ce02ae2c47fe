// Characters from files and from other characters.
#include "base/error.h"
#include "web/wasm/web.h"

#include <stdlib.h>
#include <string.h>

web_character* WEB_EXPORT(character_from_bvh)(const void* bytes, size_t count, const char* clip_name) {
    web_character* c = calloc(1, sizeof *c);
    if (!c) {
        limberi_fail_memory(&limberi_web_error);
        return NULL;
    }
    if (limber_bvh_load_memory(bytes, count, clip_name, NULL, &c->bvh, &limberi_web_error) != LIMBER_OK) {
        free(c);
        return NULL;
    }
    c->model = limber_asset_model(limber_bvh_asset(c->bvh));
    return c;
}

// Whether all that a style names is there. A pipeline also looks at the meshes and the motion, and takes much longer.
int32_t WEB_EXPORT(character_fits)(const web_character* c, const limber_style* style) {
    limber_bound_style* bound;
    limber_result result = limber_style_bind(style, limberi_web_asset(c), &bound, &limberi_web_error);
    if (!result)
        limber_bound_style_destroy(bound);
    return (int32_t)result;
}

// The character with finer meshes where the style's elongation tears them; 0 without an error: nothing does.
web_character* WEB_EXPORT(character_subdivide)(const web_character* from, const limber_style* style, double fps) {
    limber_pipeline* pipeline = NULL;
    web_character* c = calloc(1, sizeof *c);
    limber_bake_settings frames = limber_bake_settings_default();
    frames.fps = fps;
    memset(&limberi_web_error, 0, sizeof limberi_web_error);
    limber_result result = c ? limber_pipeline_create(limberi_web_asset(from), style, &pipeline, &limberi_web_error)
                             : limberi_fail_memory(&limberi_web_error);
    if (!result)
        result = limber_pipeline_subdivide(pipeline, &frames, &c->asset, &limberi_web_error);
    limber_pipeline_destroy(pipeline);
    if (result || !c->asset) {
        free(c);
        return NULL;
    }
    c->model = limber_asset_model(c->asset);
    limberi_web_share_textures(from, c);
    return c;
}
