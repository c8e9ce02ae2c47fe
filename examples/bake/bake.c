// Bakes a style into a file: the result plays in every glTF viewer, which knows nothing of limber. Everything else in
// the file (materials, textures, cameras, lights) comes through unchanged.
//
//     cc bake.c $(pkg-config --cflags --libs limber) -o bake
//     limber sample cow -o cow.glb
//     ./bake cow.glb cartoon out.glb
//
// `limber apply cow.glb --style cartoon -o out.glb` does the same and more.
#include <limber/limber.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct work {
    limber_gltf* gltf;
    limber_style* style;
    limber_pipeline* pipeline;
    limber_bake* bake;
} work;

static bool show_progress(void* user, uint32_t done, uint32_t total) {
    (void)user;
    fprintf(stderr, "\rframe %u of %u", done + 1, total);
    return true; // false: stop
}

static limber_result bake(work* w, const char* path, const char* preset, limber_error* error) {
    limber_bake_settings settings = limber_bake_settings_default();
    settings.tolerance = 0.001; // of the character's size
    settings.packs_clips = 1;   // as limber apply does: smaller files
    settings.shares = true;     // this, too
    settings.progress = show_progress;
    limber_result result = limber_gltf_load_file(path, NULL, &w->gltf, error);
    if (result == LIMBER_OK)
        result = limber_style_create(&w->style, error);
    if (result == LIMBER_OK)
        result = limber_style_read_preset(w->style, preset, error);
    if (result == LIMBER_OK)
        result = limber_pipeline_create(limber_gltf_asset(w->gltf), w->style, &w->pipeline, error);
    if (result != LIMBER_OK)
        return result;
    result = limber_pipeline_bake(w->pipeline, &settings, &w->bake, error);
    fprintf(stderr, "\n");
    return result;
}

static limber_result save(work* w, const char* path, limber_error* error) {
    limber_gltf_edits edits = limber_gltf_edits_default();
    edits.bake = w->bake; // with the clips that the style edits
    // The style stays in the file, marked as baked, so that limber does not apply it a second time.
    limber_result result = limber_style_set(w->style, "baked", "true", error);
    edits.style = limber_style_text(w->style);
    return result == LIMBER_OK ? limber_gltf_save_file(w->gltf, &edits, path, error) : result;
}

static void tell(const work* w) {
    const limber_model* model = limber_asset_model(limber_gltf_asset(w->gltf));
    for (uint32_t m = 0; m < w->bake->mesh_count; m++)
        printf("mesh '%s': %u morph targets\n", model->meshes[m].name, w->bake->meshes[m].target_count);
}

int main(int argc, char** argv) {
    work w = {NULL, NULL, NULL, NULL};
    limber_error error;
    if (argc != 4) {
        fprintf(stderr, "usage: bake IN.glb PRESET OUT.glb\n");
        return 2;
    }
    limber_result result = bake(&w, argv[1], argv[2], &error);
    if (result == LIMBER_OK)
        result = save(&w, argv[3], &error);
    if (result == LIMBER_OK)
        tell(&w);
    else
        fprintf(stderr, "%s: %s\n", error.place, error.message);
    limber_bake_destroy(w.bake);
    limber_pipeline_destroy(w.pipeline);
    limber_style_destroy(w.style);
    limber_gltf_destroy(w.gltf);
    return result == LIMBER_OK ? EXIT_SUCCESS : EXIT_FAILURE;
}
