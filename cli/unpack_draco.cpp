#include "cli/unpack_draco.h"

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wconversion"
#pragma GCC diagnostic ignored "-Wpedantic"
#pragma GCC diagnostic ignored "-Wshadow"
#include <draco/compression/decode.h>
#include <draco/core/varint_decoding.h>
#include <draco/metadata/metadata_decoder.h>
#pragma GCC diagnostic pop

#include <memory>

namespace {

// Whether there may be so many, though the file has `said` another number: a few bytes are not a large mesh.
bool may_be(uint64_t count, uint32_t said, const limber_gltf_packed_mesh* packed, int which) {
    enum { MAX_PER_BYTE = 64 };
    uint64_t max = packed->counts ? packed->counts[which] : 0;
    return count <= said || (count <= max && count <= MAX_PER_BYTE * static_cast<uint64_t>(packed->byte_count));
}

// What a mesh says of its size at its start, so that the decoder does not allocate memory for more than is expected.
// Section 6 of Draco's bitstream specification: header, metadata, then the connectivity.
bool announces(const limber_gltf_packed_mesh* packed) {
    enum { SEQUENTIAL = 0, METADATA = 0x8000 };
    draco::DecoderBuffer buffer;
    char magic[5];
    uint8_t major = 0, minor = 0, type = 0, method = 0, traversal = 0;
    uint16_t flags = 0;
    uint32_t first = 0, second = 0;
    buffer.Init(reinterpret_cast<const char*>(packed->bytes), packed->byte_count);
    if (!buffer.Decode(magic, sizeof magic) || !buffer.Decode(&major) || !buffer.Decode(&minor) ||
        !buffer.Decode(&type) || !buffer.Decode(&method) || !buffer.Decode(&flags))
        return false;
    if (major != 2 || minor != 2 || type != draco::TRIANGULAR_MESH)
        return false;
    draco::GeometryMetadata metadata;
    if (flags & METADATA && !draco::MetadataDecoder().DecodeGeometryMetadata(&buffer, &metadata))
        return false;
    if (method != SEQUENTIAL && !buffer.Decode(&traversal))
        return false;
    buffer.set_bitstream_version(DRACO_BITSTREAM_VERSION(major, minor));
    if (!draco::DecodeVarint(&first, &buffer) || !draco::DecodeVarint(&second, &buffer))
        return false;
    uint64_t faces = method == SEQUENTIAL ? first : second, vertices = method == SEQUENTIAL ? second : first;
    return may_be(vertices, packed->vertex_count, packed, 0) && may_be(3 * faces, packed->index_count, packed, 1);
}

template <typename T>
bool copy_values(const draco::PointAttribute& from, const limber_gltf_packed_attribute& to, uint32_t count) {
    for (uint32_t i = 0; i < count; i++) {
        T values[4] = {0, 0, 0, 0};
        draco::AttributeValueIndex index = from.mapped_index(draco::PointIndex(i));
        if (index.value() >= from.size() || !from.ConvertValue<T>(index, static_cast<int8_t>(to.width), values))
            return false;
        memcpy(to.out + static_cast<size_t>(i) * to.stride, values, to.width * sizeof(T));
    }
    return true;
}

bool copy_attribute(const draco::Mesh& mesh, const limber_gltf_packed_attribute& to, uint32_t count) {
    const draco::PointAttribute* from = mesh.GetAttributeByUniqueId(to.id);
    if (!from || to.width > 4 || static_cast<uint32_t>(from->num_components()) != to.width)
        return false;
    switch (to.component) {
    case 5120:
        return copy_values<int8_t>(*from, to, count);
    case 5121:
        return copy_values<uint8_t>(*from, to, count);
    case 5122:
        return copy_values<int16_t>(*from, to, count);
    case 5123:
        return copy_values<uint16_t>(*from, to, count);
    case 5125:
        return copy_values<uint32_t>(*from, to, count);
    default:
        return copy_values<float>(*from, to, count);
    }
}

// False: it differs from what the file says. The caller is told.
bool has_counts(const draco::Mesh& mesh, const limber_gltf_packed_mesh* packed) {
    uint64_t vertices = mesh.num_points();
    uint64_t indices = 3ull * mesh.num_faces();
    bool fit = packed->counts && vertices <= packed->counts[0] && indices <= packed->counts[1];
    if (fit) {
        packed->counts[0] = static_cast<uint32_t>(vertices);
        packed->counts[1] = static_cast<uint32_t>(indices);
    }
    return vertices == packed->vertex_count && indices == packed->index_count;
}

bool unpack(const limber_gltf_packed_mesh* packed) {
    if (!announces(packed))
        return false;
    draco::DecoderBuffer buffer;
    draco::Decoder decoder;
    buffer.Init(reinterpret_cast<const char*>(packed->bytes), packed->byte_count);
    auto decoded = decoder.DecodeMeshFromBuffer(&buffer);
    if (!decoded.ok())
        return false;
    const std::unique_ptr<draco::Mesh> mesh = std::move(decoded).value();
    if (!mesh || !has_counts(*mesh, packed))
        return false;
    for (uint32_t f = 0; f < mesh->num_faces(); f++)
        for (uint32_t c = 0; c < 3; c++)
            packed->indices[3 * static_cast<size_t>(f) + c] = mesh->face(draco::FaceIndex(f))[c].value();
    for (uint32_t i = 0; i < packed->attribute_count; i++)
        if (!copy_attribute(*mesh, packed->attributes[i], packed->vertex_count))
            return false;
    return true;
}

} // namespace

bool cli_unpack_draco(const limber_gltf_packed_mesh* packed) {
    try {
        return unpack(packed);
    } catch (...) { // memory ran short
        return false;
    }
}
