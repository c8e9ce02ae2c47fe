// Compressed glTF files, with the libraries meshoptimizer and Draco.
#include "cli/cli.h"
#ifdef LIMBER_WITH_DRACO
#include "cli/unpack_draco.h"
#endif

#ifdef LIMBER_WITH_MESHOPT
#include <meshoptimizer.h>

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
#endif

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
