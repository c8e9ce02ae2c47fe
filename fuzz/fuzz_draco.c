// Fuzzes the unpacking of Draco's primitives: two bytes say what the file announces, the rest is what is packed.
#include "cli/unpack_draco.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

enum { STRIDE = 16 };

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    static const uint32_t components[] = {5120, 5121, 5122, 5123, 5125, 5126};
    if (size < 2)
        return 0;
    limber_gltf_packed_mesh mesh = {.bytes = data + 2, .byte_count = size - 2};
    mesh.vertex_count = data[0];
    mesh.index_count = 3u * data[1];
    uint32_t counts[2] = {1000, 3000};
    mesh.counts = data[0] % 2 ? counts : NULL;
    limber_gltf_packed_attribute attributes[3];
    mesh.attributes = attributes;
    mesh.attribute_count = 3;
    mesh.indices = calloc(mesh.index_count + 1u, sizeof *mesh.indices);
    uint8_t* room = calloc(mesh.vertex_count + 1u, 3 * STRIDE);
    if (!mesh.indices || !room)
        abort();
    for (uint32_t i = 0; i < 3; i++) { // a position, and two of any kind
        limber_gltf_packed_attribute a = {i, i ? components[(data[0] + i) % 6] : 5126, i ? 1 + data[1] % 4u : 3, STRIDE,
                                          room + (size_t)i * STRIDE * mesh.vertex_count};
        attributes[i] = a;
    }
    mesh.attribute_count = 1 + data[0] % 3u;
    if (cli_unpack_draco(&mesh))
        for (uint32_t i = 0; i < mesh.index_count; i++)
            room[0] = (uint8_t)(room[0] ^ mesh.indices[i]); // they are all there
    free(room);
    free(mesh.indices);
    return 0;
}
