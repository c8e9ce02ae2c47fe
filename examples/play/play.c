// Plays a clip: loads a character, puts a preset on it and writes every frame as an .obj file.
//
//     cc play.c $(pkg-config --cflags --libs limber) -o play
//     limber sample cow -o cow.glb
//     ./play cow.glb cartoon frame          # frame-000.obj, frame-001.obj, ...
//
// A game hands the same arrays to its renderer instead.
#include <limber/limber.h>
#include <stdio.h>
#include <stdlib.h>

static const double fps = 24;

typedef struct player {
    limber_gltf* gltf;
    limber_style* style;
    limber_pipeline* pipeline;
} player;

static limber_result open_player(player* p, const char* path, const char* preset, limber_error* error) {
    limber_result result = limber_gltf_load_file(path, NULL, &p->gltf, error);
    if (result == LIMBER_OK)
        result = limber_style_create(&p->style, error);
    if (result == LIMBER_OK)
        result = limber_style_read_preset(p->style, preset, error);
    if (result == LIMBER_OK)
        result = limber_pipeline_create(limber_gltf_asset(p->gltf), p->style, &p->pipeline, error);
    return result;
}

static void close_player(player* p) {
    limber_pipeline_destroy(p->pipeline);
    limber_style_destroy(p->style);
    limber_gltf_destroy(p->gltf);
}

// A frame holds the vertices of all meshes, one mesh after the other. Triangles count from the first vertex of their
// mesh; .obj counts from 1 over the whole file.
static bool write_obj(const char* path, const limber_model* model, const limber_frame* frame) {
    FILE* file = fopen(path, "w");
    if (!file)
        return false;
    for (size_t v = 0; v < 3 * (size_t)model->vertex_count; v += 3) {
        const float* p = frame->positions + v;
        const float* n = frame->normals + v;
        fprintf(file, "v %.6g %.6g %.6g\n", (double)p[0], (double)p[1], (double)p[2]);
        fprintf(file, "vn %.6g %.6g %.6g\n", (double)n[0], (double)n[1], (double)n[2]);
    }
    for (uint32_t m = 0; m < model->mesh_count; m++) {
        const limber_mesh* mesh = &model->meshes[m];
        for (uint32_t t = 0; t < mesh->triangle_count; t++) {
            const uint32_t* corner = mesh->triangles + 3 * (size_t)t;
            uint32_t a = corner[0] + mesh->first_vertex + 1;
            uint32_t b = corner[1] + mesh->first_vertex + 1;
            uint32_t c = corner[2] + mesh->first_vertex + 1;
            fprintf(file, "f %u//%u %u//%u %u//%u\n", a, a, b, b, c, c);
        }
    }
    bool written = !ferror(file);
    return fclose(file) == 0 && written;
}

static bool play(const player* p, const char* name) {
    const limber_model* model = limber_asset_model(limber_gltf_asset(p->gltf));
    if (!model->clip_count) {
        fprintf(stderr, "the file has no clips\n");
        return false;
    }
    const limber_clip* clip = &model->clips[0];
    uint32_t count = 1 + (uint32_t)((clip->end_s - clip->start_s) * fps + 1e-6);
    for (uint32_t i = 0; i < count; i++) {
        char path[1024];
        limber_frame frame; // points into the pipeline; good until the next evaluation
        snprintf(path, sizeof path, "%s-%03u.obj", name, i);
        if (limber_pipeline_evaluate(p->pipeline, 0, clip->start_s + i / fps, &frame) != LIMBER_OK ||
            !write_obj(path, model, &frame)) {
            fprintf(stderr, "cannot write %s\n", path);
            return false;
        }
    }
    printf("%u frames of '%s', %u vertices each\n", count, clip->name, model->vertex_count);
    return true;
}

int main(int argc, char** argv) {
    player p = {NULL, NULL, NULL};
    limber_error error;
    if (argc != 4) {
        fprintf(stderr, "usage: play IN.glb PRESET NAME\n");
        return 2;
    }
    bool done = false;
    if (open_player(&p, argv[1], argv[2], &error) == LIMBER_OK)
        done = play(&p, argv[3]);
    else
        fprintf(stderr, "%s: %s\n", error.place, error.message);
    close_player(&p);
    return done ? EXIT_SUCCESS : EXIT_FAILURE;
}
