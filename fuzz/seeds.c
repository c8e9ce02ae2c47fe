// Writes the corpus the fuzzer starts from: fuzz_seeds FOLDER. Valid small files and every malformed one that is not
// large.
#include "kit/gltf_kit.h"
#include "kit/malformed.h"

#include <stdio.h>
#include <stdlib.h>

static int write_seed(const char* folder, const char* name, const char* ending, const uint8_t* bytes, size_t size) {
    char path[1024];
    snprintf(path, sizeof path, "%s/%s%s", folder, name, ending);
    FILE* file = fopen(path, "wb");
    if (!file || fwrite(bytes, 1, size, file) != size || fclose(file) != 0) {
        fprintf(stderr, "cannot write %s\n", path);
        return 1;
    }
    return 0;
}

static int write_kit(const char* folder, const char* name, gltf_kit* kit) {
    size_t size;
    uint8_t* bytes = kit_glb(kit, &size);
    int bad = write_seed(folder, name, ".glb", bytes, size);
    free(bytes);
    kit_end(kit);
    return bad;
}

static int write_valid(const char* folder) {
    static const uint16_t at[2] = {1, 3};
    static const float values[6] = {1, 2, 3, 4, 5, 6};
    gltf_kit kit;
    size_t size;
    kit_character(&kit);
    uint8_t* text = kit_gltf(&kit, &size);
    int bad = write_seed(folder, "valid_text", ".gltf", text, size);
    free(text);
    kit_end(&kit);
    kit_character(&kit);
    bad |= write_kit(folder, "valid", &kit);
    kit_character(&kit);
    kit_view(&kit, at, sizeof at, 0);
    kit_view(&kit, values, sizeof values, 0);
    kit_set(&kit, "accessors/0/sparse",
            "{'count': 2, 'indices': {'bufferView': 16, 'componentType': 5123}, 'values': {'bufferView': 17}}");
    kit_set(&kit, "meshes/0/primitives/0/attributes/JOINTS_1", "3");
    kit_set(&kit, "meshes/0/primitives/0/attributes/WEIGHTS_1", "4");
    kit_set(&kit, "meshes/0/primitives/0/mode", "5");
    kit_set(&kit, "meshes/0/primitives/1",
            "{'attributes': {'POSITION': 10, 'COLOR_0': 10}, 'mode': 6, 'targets': "
            "[{'POSITION': 10, 'NORMAL': 10}, {}]}");
    kit_set(&kit, "scenes/0/extensions", "{'LIMBER_style': {'limber': 1}}");
    kit_push(&kit, "images", "{'bufferView': 3}");
    kit_push(&kit, "textures", "{'source': 0}");
    kit_set(&kit, "materials/0/pbrMetallicRoughness/baseColorTexture", "{'index': 0}");
    return bad | write_kit(folder, "valid_rich", &kit);
}

// Both kinds of compression; the fuzzer's decoders take any bytes.
static int write_packed(const char* folder) {
    static const uint8_t bytes[8] = {2, 2, 2, 2};
    gltf_kit kit;
    kit_character(&kit);
    kit_push(&kit, "buffers", "{'byteLength': 4096, 'extensions': {'EXT_meshopt_compression': {'fallback': true}}}");
    kit_set(&kit, "bufferViews/0/buffer", "1");
    kit_set(&kit, "bufferViews/0/extensions",
            "{'EXT_meshopt_compression': {'buffer': 0, 'byteLength': 8, 'byteStride': 12, 'count': 4, 'mode': "
            "'ATTRIBUTES'}}");
    int bad = write_kit(folder, "packed_views", &kit);
    kit_character(&kit);
    kit_view(&kit, bytes, sizeof bytes, 0);
    kit_set(&kit, "accessors/0/bufferView", NULL);
    kit_set(&kit, "accessors/1/bufferView", NULL);
    kit_set(&kit, "accessors/5/bufferView", NULL);
    kit_set(&kit, "meshes/0/primitives/0/extensions",
            "{'KHR_draco_mesh_compression': {'bufferView': 16, 'attributes': {'POSITION': 0, 'NORMAL': 1}}}");
    kit_set(&kit, "extensionsRequired", "['KHR_draco_mesh_compression']");
    return bad | write_kit(folder, "packed_mesh", &kit);
}

int main(int argc, char** argv) {
    if (argc != 2) {
        fprintf(stderr, "usage: fuzz_seeds FOLDER\n");
        return 2;
    }
    int bad = write_valid(argv[1]) | write_packed(argv[1]);
    for (uint32_t i = 0; !bad && i < malformed_count(); i++) {
        malformed_file file = malformed_make(i);
        if (file.size < 65536)
            bad = write_seed(argv[1], file.name, file.ending, file.bytes, file.size);
        malformed_free(&file);
    }
    return bad;
}
