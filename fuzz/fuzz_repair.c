// Fuzzes --repair and --compress: a mutated file is loaded, repaired, packed, saved and loaded again. What is saved loads,
// with as many meshes, vertices and clips. (Joints may come and go: a repair takes a skin away that nothing hangs on, and
// puts a root above several.)
#include "cli/cli.h"
#include "fuzz/kit/bytes.h"

#include <stdio.h>

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

int cli_fail(const char* subject, const char* format, ...) {
    (void)subject;
    (void)format;
    return CLI_FAILED;
}

static void same_counts(const limber_model* a, const limber_model* b) {
    FUZZ_CHECK(a->mesh_count == b->mesh_count);
    FUZZ_CHECK(a->clip_count == b->clip_count);
    FUZZ_CHECK(a->vertex_count == b->vertex_count);
}

static void save_and_reload(const limber_gltf* gltf, const limber_gltf_edits* edits) {
    limber_gltf_limits limits = cli_gltf_limits();
    limber_gltf* again;
    limber_error error;
    const char* path = fuzz_path("a.glb");
    if (limber_gltf_save_file(gltf, edits, path, &error) != LIMBER_OK) {
        FUZZ_CHECK(error.message[0] != 0);
        return;
    }
    limber_result result = limber_gltf_load_file(path, &limits, &again, &error);
    if (result != LIMBER_OK)
        fprintf(stderr, "%s: %s\n", error.place, error.message);
    FUZZ_CHECK(result == LIMBER_OK);
    same_counts(limber_asset_model(limber_gltf_asset(gltf)), limber_asset_model(limber_gltf_asset(again)));
    limber_gltf_destroy(again);
    fuzz_remove(path);
}

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    limber_gltf_limits limits = cli_gltf_limits();
    fuzz_bytes bytes = fuzz_bytes_of(data + size / 2, size - size / 2);
    limber_gltf_edits edits = limber_gltf_edits_default();
    uint32_t done[LIMBER_REPAIR_COUNT] = {0};
    limber_gltf* gltf;
    limber_error error;
    limits.file_bytes = 1 << 20;
    limits.nodes = 500;
    limits.vertices = 5000;
    limits.key_values = 20000;
    if (limber_gltf_load_memory(data, size, NULL, &limits, &gltf, &error) != LIMBER_OK)
        return 0;
    edits.repairs = fuzz_chance(&bytes, 192) ? LIMBER_REPAIR_ALL : fuzz_below(&bytes, LIMBER_REPAIR_ALL + 1);
    edits.repaired = done;
    if (fuzz_chance(&bytes, 128))
        (void)cli_compress(&edits);
    save_and_reload(gltf, &edits);
    limber_gltf_destroy(gltf);
    return 0;
}
