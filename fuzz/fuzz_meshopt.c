// Fuzzes the program's hooks for meshoptimizer: packed views of any kind and size, unpacked into exactly the room they
// were promised; and any plain view, packed and unpacked again.
#include "cli/cli.h"
#include "fuzz/kit/bytes.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

// Steps that the reader lets through (io/gltf): 4 to 256 in fours for attributes, 2 or 4 for indices.
static size_t pick_stride(fuzz_bytes* b, limber_packed_mode mode, limber_packed_filter filter) {
    if (mode != LIMBER_PACKED_ATTRIBUTES)
        return fuzz_chance(b, 128) ? 2 : 4;
    if (filter == LIMBER_PACKED_OCTAHEDRAL)
        return fuzz_chance(b, 128) ? 4 : 8;
    return filter == LIMBER_PACKED_QUATERNION ? 8 : 4 * (size_t)(1 + fuzz_below(b, 64));
}

static void unpack(fuzz_bytes* b, const limber_gltf_limits* limits) {
    limber_gltf_packed p = {0};
    p.mode = (limber_packed_mode)fuzz_below(b, 3);
    p.filter = p.mode == LIMBER_PACKED_ATTRIBUTES ? (limber_packed_filter)fuzz_below(b, 4) : LIMBER_PACKED_PLAIN;
    p.stride = pick_stride(b, p.mode, p.filter);
    p.count = fuzz_below(b, 200);
    if (p.mode == LIMBER_PACKED_TRIANGLES)
        p.count = p.count / 3 * 3;
    p.bytes = b->at;
    p.byte_count = b->left;
    p.out = malloc(p.count * p.stride + !p.count);
    FUZZ_CHECK(p.out != NULL);
    if (limits->unpack(&p)) {
        volatile uint8_t sum = 0;
        for (size_t i = 0; i < p.count * p.stride; i++)
            sum = (uint8_t)(sum ^ p.out[i]);
    }
    free(p.out);
}

static void pack_again(fuzz_bytes* b, const limber_gltf_edits* edits) {
    limber_gltf_unpacked v = {.mode = fuzz_chance(b, 128) ? LIMBER_PACKED_ATTRIBUTES : LIMBER_PACKED_INDICES};
    v.stride = pick_stride(b, v.mode, LIMBER_PACKED_PLAIN);
    v.count = b->left / v.stride;
    uint8_t* plain = malloc(v.count * v.stride + 1);
    FUZZ_CHECK(plain != NULL);
    memcpy(plain, b->at, v.count * v.stride);
    for (size_t i = 3; v.mode == LIMBER_PACKED_INDICES && v.stride == 4 && i < 4 * v.count; i += 4)
        plain[i] = 0; // the library's deltas have 31 bits; no mesh has as many vertices
    v.bytes = plain;
    v.room = edits->pack(&v);
    v.out = malloc(v.room + 1);
    uint8_t* again = malloc(v.count * v.stride + 1);
    FUZZ_CHECK(v.out && again);
    size_t size = edits->pack(&v);
    limber_gltf_packed p = {v.mode, LIMBER_PACKED_PLAIN, v.out, size, v.count, v.stride, again};
    FUZZ_CHECK(size <= v.room);
    if (size && v.count)
        FUZZ_CHECK(edits->unpack(&p) && memcmp(again, plain, v.count * v.stride) == 0);
    free(plain);
    free(again);
    free(v.out);
}

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    fuzz_bytes bytes = fuzz_bytes_of(data, size);
    limber_gltf_limits limits = cli_gltf_limits();
    limber_gltf_edits edits = limber_gltf_edits_default();
    if (size < 8)
        return 0;
    FUZZ_CHECK(cli_compress(&edits) == CLI_DONE);
    if (fuzz_chance(&bytes, 200))
        unpack(&bytes, &limits);
    else
        pack_again(&bytes, &edits);
    return 0;
}
