// A crowd: hundreds of characters, each with its own clip and time, posed in one call into memory of your own. What is
// far away moves in every fourth frame only, and members in the same moment of the same clip are computed once.
//
//     cc crowd.c $(pkg-config --cflags --libs limber) -o crowd
//     limber sample cow -o cow.glb
//     ./crowd cow.glb cartoon 500
//
// It asks for texels, which limber's shader (../own_engine) turns into vertices. Lend your threads by settings.parallel,
// as ../threads does for one character.
#include <limber/limber.h>

#include <stdio.h>
#include <stdlib.h>

typedef struct herd {
    limber_gltf* gltf;
    limber_style* style;
    limber_crowd* crowd;
    limber_crowd_member* members;
    limber_crowd_memory memory;
    uint32_t count;
} herd;

static limber_result open_herd(herd* h, const char* path, const char* preset, limber_error* error) {
    limber_result result = limber_gltf_load_file(path, NULL, &h->gltf, error);
    if (result == LIMBER_OK)
        result = limber_style_create(&h->style, error);
    if (result == LIMBER_OK)
        result = limber_style_read_preset(h->style, preset, error);
    if (result != LIMBER_OK)
        return result;
    limber_crowd_kind kind = {limber_gltf_asset(h->gltf), h->style};
    limber_crowd_settings settings = limber_crowd_settings_default();
    settings.kind_count = 1;
    settings.kinds = &kind;
    settings.member_limit = h->count;
    settings.outputs = LIMBER_CROWD_TEXELS;
    settings.step_s = 1.0 / 60;
    result = limber_crowd_create(&settings, &h->crowd, error);
    for (uint32_t c = 0; result == LIMBER_OK && c < limber_asset_model(kind.asset)->clip_count; c++)
        result = limber_crowd_prepare(h->crowd, 0, c, error); // while the level loads: frames are faster from then on
    return result;
}

static bool place_members(herd* h) {
    const limber_model* model = limber_asset_model(limber_gltf_asset(h->gltf));
    h->members = calloc(h->count, sizeof *h->members);
    h->memory.texel_stride = 4 * (size_t)limber_crowd_layout(h->crowd, 0).max_texels;
    h->memory.texels = calloc(h->count, h->memory.texel_stride * sizeof *h->memory.texels);
    h->memory.same_as = calloc(h->count, sizeof *h->memory.same_as);
    h->memory.changed = calloc(h->count, sizeof *h->memory.changed);
    for (uint32_t i = 0; h->members && i < h->count; i++) {
        h->members[i].clip = model->clip_count ? (int32_t)(i % model->clip_count) : -1;
        h->members[i].start_s = 0.37 * i;
        h->members[i].speed = 1;
        h->members[i].every = i % 10 < 7 ? 1 : 4; // the last three of ten are far away
    }
    return h->members && h->memory.texels && h->memory.same_as && h->memory.changed;
}

static limber_result play(herd* h, limber_error* error) {
    for (uint32_t frame = 0; frame < 4; frame++) {
        limber_result result =
            limber_crowd_evaluate(h->crowd, h->members, h->count, frame / 60.0, frame, &h->memory, error);
        if (result != LIMBER_OK)
            return result;
        uint32_t uploads = 0; // draw member i with the texels of member same_as[i]
        for (uint32_t i = 0; i < h->count; i++)
            uploads += h->memory.changed[i];
        printf("frame %u: %u members, %u computed, %u uploads of at most %zu bytes\n", frame, h->count,
               limber_crowd_computed(h->crowd), uploads, 4 * h->memory.texel_stride);
    }
    return LIMBER_OK;
}

int main(int argc, char** argv) {
    herd h = {.count = argc == 4 ? (uint32_t)strtoul(argv[3], NULL, 10) : 0};
    limber_error error;
    bool done = false;
    if (!h.count || h.count > 100000) {
        fprintf(stderr, "usage: crowd IN.glb PRESET COUNT (1 to 100000)\n");
        return 2;
    }
    if (open_herd(&h, argv[1], argv[2], &error) != LIMBER_OK)
        fprintf(stderr, "%s: %s\n", error.place, error.message);
    else if (!place_members(&h))
        fprintf(stderr, "not enough memory\n");
    else if (play(&h, &error) != LIMBER_OK)
        fprintf(stderr, "%s: %s\n", error.place, error.message);
    else
        done = true;
    free(h.members);
    free(h.memory.texels);
    free(h.memory.same_as);
    free(h.memory.changed);
    limber_crowd_destroy(h.crowd);
    limber_style_destroy(h.style);
    limber_gltf_destroy(h.gltf);
    return done ? EXIT_SUCCESS : EXIT_FAILURE;
}
