// smear_reference FILE CLIP FOLDER PATH=VALUE...: multiples and lines of a clip as limber_pipeline_evaluate_smeared
// computes them, for the tests that look at written files with other programs. Writes raw little-endian floats
// FOLDER/N.positions and FOLDER/N.opacities for mesh N, frame after frame, and prints a JSON description.
#include <limber/limber.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int fail(const char* what, const limber_error* error) {
    fprintf(stderr, "smear_reference: %s: %s\n", what, error ? error->message : "failed");
    return 1;
}

static FILE* open_file(const char* folder, uint32_t mesh, const char* what) {
    char path[1024];
    snprintf(path, sizeof path, "%s/%u.%s", folder, mesh, what);
    return fopen(path, "ab");
}

static int append(const char* folder, uint32_t m, const limber_smear_mesh* mesh) {
    FILE *positions = open_file(folder, m, "positions"), *opacities = open_file(folder, m, "opacities");
    if (!positions || !opacities)
        return fail(folder, NULL);
    fwrite(mesh->positions, sizeof(float), 3 * (size_t)mesh->vertex_count, positions);
    for (size_t v = 0; v < mesh->vertex_count; v++)
        fwrite(&mesh->colors[4 * v + 3], sizeof(float), 1, opacities);
    fclose(positions);
    fclose(opacities);
    return 0;
}

static void describe(const limber_model* model, const limber_smeared* smeared) {
    printf("\"size\": %.9g, \"meshes\": [", (double)model->size);
    for (uint32_t m = 0; m < smeared->mesh_count; m++) {
        const limber_smear_mesh* mesh = &smeared->meshes[m];
        bool lines = mesh->kind == LIMBER_SMEAR_KIND_LINES;
        const char* of = lines ? "" : model->meshes[mesh->source].node_name;
        printf("%s{\"name\": \"%s%s%s\", \"source\": %d, \"number\": %d, \"vertices\": %u}", m ? ", " : "", of,
               lines ? "" : " ", mesh->name, lines ? -1 : (int)mesh->source, (int)mesh->number, mesh->vertex_count);
    }
    printf("], \"frames\": [");
}

static int write_frames(limber_pipeline* pipeline, const limber_model* model, uint32_t clip_index, const char* folder) {
    const limber_clip* clip = &model->clips[clip_index];
    uint32_t count = limber_clip_frame_count(clip, clip->fps);
    int status = 0;
    printf("{");
    for (uint32_t i = 0; !status && i < count; i++) {
        limber_smeared smeared;
        double time_s = limber_clip_frame_time(clip, clip->fps, i);
        if (limber_pipeline_evaluate_smeared(pipeline, (int32_t)clip_index, time_s, clip->fps, &smeared) != LIMBER_OK)
            return fail("frame", NULL);
        if (i == 0)
            describe(model, &smeared);
        printf("%s{\"time\": %.9g, \"visible\": [", i ? ", " : "", time_s);
        for (uint32_t m = 0; !status && m < smeared.mesh_count; m++) {
            printf("%s%d", m ? ", " : "", smeared.meshes[m].visible);
            status = append(folder, m, &smeared.meshes[m]);
        }
        printf("]}");
    }
    printf("]}\n");
    return status;
}

static int run(const limber_gltf* gltf, char** argv, int set_count, char** sets) {
    limber_error error;
    limber_style* style;
    limber_pipeline* pipeline = NULL;
    const limber_asset* asset = limber_gltf_asset(gltf);
    limber_result result = limber_style_create(&style, &error);
    for (int i = 0; !result && i < set_count; i++) {
        char* value = strchr(sets[i], '=');
        *value = 0;
        result = limber_style_set(style, sets[i], value + 1, &error);
    }
    if (!result)
        result = limber_pipeline_create(asset, style, &pipeline, &error);
    int status = result ? fail(argv[1], &error)
                        : write_frames(pipeline, limber_asset_model(asset), (uint32_t)atoi(argv[2]), argv[3]);
    limber_pipeline_destroy(pipeline);
    limber_style_destroy(style);
    return status;
}

int main(int argc, char** argv) {
    limber_gltf* gltf;
    limber_error error;
    if (argc < 4)
        return 2;
    if (limber_gltf_load_file(argv[1], NULL, &gltf, &error) != LIMBER_OK)
        return fail(argv[1], &error);
    int status = run(gltf, argv, argc - 4, argv + 4);
    limber_gltf_destroy(gltf);
    return status;
}
