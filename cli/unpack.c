// Compressed glTF files, with the libraries meshoptimizer and Draco.
#include "cli/cli.h"
#ifdef LIMBER_WITH_DRACO
#include "cli/unpack_draco.h"
#endif

#ifdef LIMBER_WITH_MESHOPT
#include <math.h>
#include <meshoptimizer.h>
#include <stdlib.h>
#include <string.h>

static bool unpack(const limber_gltf_packed* p) {
    int failed;
    if (p->mode == LIMBER_PACKED_ATTRIBUTES)
        failed = meshopt_decodeVertexBuffer(p->out, p->count, p->stride, p->bytes, p->byte_count);
    else if (p->mode == LIMBER_PACKED_TRIANGLES)
        failed = meshopt_decodeIndexBuffer(p->out, p->count, p->stride, p->bytes, p->byte_count);
    else
        failed = meshopt_decodeIndexSequence(p->out, p->count, p->stride, p->bytes, p->byte_count);
    if (failed)
        return false;
    if (p->filter == LIMBER_PACKED_OCTAHEDRAL)
        meshopt_decodeFilterOct(p->out, p->count, p->stride);
    else if (p->filter == LIMBER_PACKED_QUATERNION)
        meshopt_decodeFilterQuat(p->out, p->count, p->stride);
    else if (p->filter == LIMBER_PACKED_EXPONENTIAL)
        meshopt_decodeFilterExp(p->out, p->count, p->stride);
    return true;
}

static size_t pack_indices(const limber_gltf_unpacked* v) {
    unsigned int* wide = malloc((v->count + 1) * sizeof *wide);
    for (size_t i = 0; wide && i < v->count; i++) {
        uint16_t narrow;
        memcpy(v->stride == 2 ? (void*)&narrow : (void*)&wide[i], v->bytes + i * v->stride, v->stride);
        if (v->stride == 2)
            wide[i] = narrow;
    }
    size_t size = wide ? meshopt_encodeIndexSequence(v->out, v->room, wide, v->count) : SIZE_MAX;
    free(wide);
    return size;
}

// Numbers that share an exponent become multiples of one step: 8 bits of exponent, 24 of mantissa, as the extension has
// it. The library's own filter takes the exponent of 0 for that of 1.
static void filter_group(const float* values, size_t count, int bits, uint32_t* out) {
    float max = 0;
    int exponent = 0;
    for (size_t i = 0; i < count; i++)
        max = fmaxf(max, fabsf(values[i]));
    if (max > 0)
        frexpf(max, &exponent);
    exponent = exponent - bits + 1 > -100 ? exponent - bits + 1 : -100;
    for (size_t i = 0; i < count; i++) {
        int32_t mantissa = (int32_t)lrintf(ldexpf(values[i], -exponent));
        out[i] = ((uint32_t)mantissa & 0xffffff) | (uint32_t)exponent << 24;
    }
}

static size_t pack_floats(const limber_gltf_unpacked* v) {
    size_t width = v->stride / sizeof(float);
    size_t group = v->group ? v->group : 1;
    uint32_t* filtered = malloc(v->count * v->stride + 1);
    const float* values = (const float*)(const void*)v->bytes;
    if (!filtered)
        return SIZE_MAX;
    for (size_t first = 0; first < v->count; first += group) {
        size_t count = v->count - first < group ? v->count - first : group;
        filter_group(values + first * width, count * width, (int)v->bits, filtered + first * width);
    }
    size_t size = meshopt_encodeVertexBuffer(v->out, v->room, filtered, v->count, v->stride);
    free(filtered);
    return size;
}

static size_t pack(const limber_gltf_unpacked* v) {
    bool attributes = v->mode == LIMBER_PACKED_ATTRIBUTES;
    if (!v->out)
        return attributes ? meshopt_encodeVertexBufferBound(v->count, v->stride)
                          : meshopt_encodeIndexSequenceBound(v->count, UINT32_MAX);
    meshopt_encodeVertexVersion(0); // what the extension asks for
    if (!attributes) {
        meshopt_encodeIndexVersion(1);
        return pack_indices(v);
    }
    return v->filter == LIMBER_PACKED_EXPONENTIAL
               ? pack_floats(v)
               : meshopt_encodeVertexBuffer(v->out, v->room, v->bytes, v->count, v->stride);
}
#endif

int cli_compress(limber_gltf_edits* edits) {
#ifdef LIMBER_WITH_MESHOPT
    edits->pack = pack;
    edits->unpack = unpack;
    return CLI_DONE;
#else
    (void)edits;
    return cli_usage("--compress needs the library meshoptimizer, without which this program was built");
#endif
}

limber_gltf_limits cli_gltf_limits(void) {
    limber_gltf_limits limits = limber_gltf_limits_default();
#ifdef LIMBER_WITH_MESHOPT
    limits.unpack = unpack;
#endif
#ifdef LIMBER_WITH_DRACO
    limits.unpack_mesh = cli_unpack_draco;
#endif
    return limits;
}
