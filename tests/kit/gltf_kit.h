// glTF files made in memory, for the tests of the reader and as seeds for fuzzing.
#ifndef LIMBER_TEST_GLTF_KIT_H
#define LIMBER_TEST_GLTF_KIT_H

#include "text/json.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { KIT_INT8 = 5120, KIT_UINT8 = 5121, KIT_INT16 = 5122, KIT_UINT16 = 5123, KIT_UINT32 = 5125, KIT_FLOAT = 5126 };

// The tree of a file and the bytes of its one buffer.
typedef struct gltf_kit {
    limberi_json_document json;
    uint8_t* bytes;
    size_t size, room;
} gltf_kit;

void kit_begin(gltf_kit* kit);
void kit_end(gltf_kit* kit);

// JSON in these functions is written with 'single' quotes.
// Appends an entry to a top-level list and returns its index.
uint32_t kit_push(gltf_kit* kit, const char* list, const char* json);

// Sets what is at "accessors/3/count"; NULL removes it. An index one past the end of an array appends.
void kit_set(gltf_kit* kit, const char* path, const char* json);

// Appends bytes to the buffer and returns the index of a new buffer view; a stride of 0 is left out.
uint32_t kit_view(gltf_kit* kit, const void* data, size_t size, uint32_t stride);

// A separate view and an accessor over it.
uint32_t kit_array(gltf_kit* kit, const void* data, uint32_t component, bool normalized, const char* type,
                   uint32_t count);
uint32_t kit_floats(gltf_kit* kit, const float* data, const char* type, uint32_t count);

// Overwrites bytes of a buffer view.
void kit_poke(gltf_kit* kit, uint32_t view, size_t offset, const void* data, size_t size);

// The file, to be freed: as a GLB, or as JSON with the buffer in a data URI.
uint8_t* kit_glb(gltf_kit* kit, size_t* size);
uint8_t* kit_gltf(gltf_kit* kit, size_t* size);
char* kit_base64(const uint8_t* bytes, size_t size, const char* prefix);

// A small character that uses most of the format. Accessor i lies in buffer view i.
enum {
    KIT_POSITION,
    KIT_NORMAL,
    KIT_UV,
    KIT_JOINTS,
    KIT_WEIGHTS,
    KIT_INDICES,
    KIT_TARGET_0,
    KIT_TARGET_1,
    KIT_LAYER,
    KIT_BIND,
    KIT_PROP_POSITION,
    KIT_TIMES,
    KIT_TRANSLATIONS,
    KIT_ROTATIONS,
    KIT_SCALES,
    KIT_MORPH_WEIGHTS
};
// Nodes: 0 armature (1 root (2 spine (3 head (5 prop, mesh 1))), 4 body, mesh 0, skin 0 with joints 1 2 3).
void kit_character(gltf_kit* kit);

#endif
