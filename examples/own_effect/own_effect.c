// An effect of your own beside the built-in ones: moving parts shiver along their normals, the faster the more. Effects
// in code need the stages' settings, so this program fills them itself instead of reading a style.
//
//     cc own_effect.c $(pkg-config --cflags --libs limber) -lm -o own_effect
//     limber sample cow -o cow.glb
//     ./own_effect cow.glb out.obj          # out.0001.obj, out.0002.obj, ...
#include <limber/limber.h>
#include <limber/stages/settings.h>
#include <math.h>
#include <stdio.h>

// Called for every joint that moves and every block of up to 64 vertices. b->linear is the gain, already multiplied by
// the layer; b->weight is the joint's upward weight.
static void shiver(const limber_effect_block* b) {
    float ripples = *(const float*)b->user;
    float speed = hypotf(hypotf(b->velocity.x, b->velocity.y), b->velocity.z) / b->size;
    for (uint32_t i = 0; i < b->count; i++) {
        float along = (b->y[i] - b->position.y) / b->size;
        float d = b->weight[i] * b->linear[i] * speed * b->size * sinf(ripples * along);
        b->dx[i] += d * b->nx[i];
        b->dy[i] += d * b->ny[i];
        b->dz[i] += d * b->nz[i];
    }
}

static void choose_effects(limber_stage_settings* settings, const float* ripples) {
    *settings = limber_stage_settings_default();
    settings->deform.effects[LIMBER_EFFECT_FLOPPY].linear.value = 0.05f; // a built-in one
    limber_custom_effect* own = &settings->deform.custom[settings->deform.custom_count++];
    own->name = "shiver";
    own->function = shiver;
    own->user = ripples;
    own->settings = limber_effect_settings_default(LIMBER_EFFECT_FLOPPY);
    own->settings.linear.value = 0.01f;
}

static limber_result next_frame(void* user, uint32_t index, const float** positions, const float** normals) {
    limber_frame frame;
    limber_result result = limber_pipeline_evaluate(user, 0, index / 24.0, &frame);
    *positions = frame.positions;
    *normals = frame.normals;
    return result;
}

static limber_result save(const limber_asset* asset, limber_pipeline* pipeline, const char* path, limber_error* error) {
    limber_cache_job job = limber_cache_job_default();
    job.model = limber_asset_model(asset);
    job.fps = 24;
    job.frame_count = 24;
    job.frame = next_frame;
    job.user = pipeline;
    return limber_cache_save(&job, path, error);
}

int main(int argc, char** argv) {
    const float ripples = 90; // must outlive the pipeline
    limber_gltf* gltf = NULL;
    limber_pipeline* pipeline = NULL;
    limber_stage_settings settings;
    limber_error error;
    if (argc != 3) {
        fprintf(stderr, "usage: own_effect IN.glb OUT.obj\n");
        return 2;
    }
    choose_effects(&settings, &ripples);
    limber_result result = limber_gltf_load_file(argv[1], NULL, &gltf, &error);
    if (result == LIMBER_OK)
        result = limber_pipeline_create_from_settings(limber_gltf_asset(gltf), &settings, &pipeline, &error);
    if (result == LIMBER_OK)
        result = save(limber_gltf_asset(gltf), pipeline, argv[2], &error);
    if (result != LIMBER_OK)
        fprintf(stderr, "%s: %s\n", error.place, error.message);
    limber_pipeline_destroy(pipeline);
    limber_gltf_destroy(gltf);
    return result != LIMBER_OK;
}
