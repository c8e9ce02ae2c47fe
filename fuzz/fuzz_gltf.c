// Fuzzes the glTF reader: any bytes in, an error or a character out, and a character that loads can be posed and
// skinned.
#include "base/error.h"

#include <limber/limber.h>
#include <limber/stages/stages.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

static void check(bool holds) {
    if (!holds)
        abort();
}

static void skin_all(const limber_model* model, const limber_pose* pose) {
    for (uint32_t m = 0; m < model->mesh_count; m++) {
        const limber_mesh* mesh = &model->meshes[m];
        const limber_skin* skin = &model->skins[mesh->skin];
        limber_mat4* palette = calloc(skin->joint_count, sizeof *palette);
        float* positions = calloc(3 * (size_t)mesh->vertex_count, sizeof *positions);
        check(palette && positions);
        limber_skin_palette(skin, pose, palette);
        limber_skin_job job = limber_skin_job_default();
        job.mesh = mesh;
        job.palette = palette;
        job.palette_count = skin->joint_count;
        job.out_positions = positions;
        check(limber_skin_evaluate(&job) == LIMBER_OK);
        free(palette);
        free(positions);
    }
}

static void use(const limber_model* model) {
    limber_pose pose;
    check(limber_pose_create(model, &pose) == LIMBER_OK);
    limber_pose_rest(model, &pose);
    limber_pose_update_world(model, &pose);
    for (uint32_t c = 0; c < model->clip_count && c < 4; c++) {
        const limber_clip* clip = &model->clips[c];
        check(isfinite(clip->start_s) && isfinite(clip->end_s));
        for (int i = 0; i <= 4; i++) {
            limber_clip_sample(model, clip, clip->start_s + 0.25 * i * (clip->end_s - clip->start_s), &pose);
            limber_pose_update_world(model, &pose);
        }
    }
    skin_all(model, &pose);
    limber_pose_destroy(&pose);
}

static char folder[] = "/tmp/limber-fuzz-XXXXXX", path[sizeof folder + 8];

static void clean_up(void) {
    remove(path);
    remove(folder);
}

// The tree still holds whatever limber did not need and so did not check; the writer has to live with it.
static void write_back(const limber_gltf* gltf) {
    limber_gltf_edits edits = limber_gltf_edits_default();
    limber_error error;
    limber_gltf* again;
    if (!path[0]) {
        check(mkdtemp(folder) != NULL);
        limberi_format(path, sizeof path, "%s/o.glb", folder);
        atexit(clean_up);
    }
    edits.style = "{\"limber\": 1}";
    if (limber_gltf_save_file(gltf, &edits, path, &error) != LIMBER_OK) {
        check(error.message[0] != 0);
        return;
    }
    if (limber_gltf_load_file(path, NULL, &again, &error) == LIMBER_OK)
        limber_gltf_destroy(again);
}

// In place of a decoder: what matters is where the reader lets it write.
static bool unpack(const limber_gltf_packed* packed) {
    memset(packed->out, packed->byte_count ? packed->bytes[0] : 0, packed->count * packed->stride);
    return packed->byte_count % 2 == 0;
}

static bool unpack_mesh(const limber_gltf_packed_mesh* packed) {
    uint8_t byte = packed->byte_count ? packed->bytes[0] : 0;
    for (uint32_t i = 0; i < packed->index_count; i++)
        packed->indices[i] = i % (1u + byte);
    for (uint32_t i = 0; i < packed->attribute_count; i++)
        memset(packed->attributes[i].out, byte, (size_t)packed->vertex_count * packed->attributes[i].stride);
    return packed->byte_count % 2 == 0;
}

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    const limber_gltf_limits limits = {sizeof limits, 1 << 20, 500, 5000, 20000, unpack, unpack_mesh};
    limber_gltf* gltf;
    limber_error error;
    limber_result result = limber_gltf_load_memory(data, size, NULL, &limits, &gltf, &error);
    check((result == LIMBER_OK) == (gltf != NULL));
    if (result != LIMBER_OK) {
        check(error.result == result && error.message[0] && !strpbrk(error.message, "\r\n") &&
              !strpbrk(error.place, "\r\n"));
        return 0;
    }
    for (uint32_t i = 0; i < limber_gltf_warning_count(gltf); i++)
        check(limber_gltf_warning(gltf, i)[0] != 0);
    use(limber_asset_model(limber_gltf_asset(gltf)));
    write_back(gltf);
    limber_gltf_destroy(gltf);
    return 0;
}
