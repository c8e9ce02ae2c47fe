// Primitives that Draco has compressed; in C++, as that library is.
#ifndef LIMBER_CLI_UNPACK_DRACO_H
#define LIMBER_CLI_UNPACK_DRACO_H

#include <limber/gltf.h>

#ifdef __cplusplus
extern "C" {
#endif

// For limber_gltf_limits.unpack_mesh.
bool cli_unpack_draco(const limber_gltf_packed_mesh* packed);

#ifdef __cplusplus
}
#endif

#endif
