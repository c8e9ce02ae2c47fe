// limber/base.h: what every stage shares: results, errors, and the few maths types that cross the API.
//
// Every function that data or memory can break returns a limber_result and can fill a limber_error:
//
//     limber_error error;
//     if (limber_gltf_load_file("fox.glb", NULL, &gltf, &error) != LIMBER_OK)
//         fprintf(stderr, "%s: %s\n", error.place, error.message);
//
// Conventions are glTF's: right-handed, Y up, metres, seconds, quaternions (x, y, z, w), column vectors,
// column-major matrices. A name such as `world_from_joint` says which space a matrix leads to and from.
#ifndef LIMBER_BASE_H
#define LIMBER_BASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// On Windows, programs that link the static library define LIMBER_STATIC. The CMake targets and pkg-config --static do.
#if defined(_WIN32) && defined(LIMBER_BUILDING_SHARED)
#define LIMBER_API __declspec(dllexport)
#elif defined(_WIN32) && !defined(LIMBER_STATIC)
#define LIMBER_API __declspec(dllimport)
#elif defined(__GNUC__) && !defined(_WIN32)
#define LIMBER_API __attribute__((visibility("default")))
#else
#define LIMBER_API
#endif

#if defined(__GNUC__)
#define LIMBER_MUST_USE __attribute__((warn_unused_result))
#else
#define LIMBER_MUST_USE
#endif

#define LIMBER_VERSION_MAJOR 0
#define LIMBER_VERSION_MINOR 1
#define LIMBER_VERSION_PATCH 0

typedef enum limber_result {
    LIMBER_OK = 0,
    LIMBER_ERROR_MEMORY,      // an allocation failed
    LIMBER_ERROR_ARGUMENT,    // the caller passed something that makes no sense
    LIMBER_ERROR_DATA,        // the data is malformed
    LIMBER_ERROR_UNSUPPORTED, // the data is fine but needs something limber cannot read
    LIMBER_ERROR_LIMIT,       // the data is larger than the limits allow
    LIMBER_ERROR_FILE         // a file could not be opened, read or written
} limber_result;

// Where it went wrong ("accessors[3]", "joint 'Head'"; may be empty) and a sentence saying what.
typedef struct limber_error {
    limber_result result;
    char place[128];
    char message[384];
    char detail[512]; // further lines for a person, such as an expression with a caret under the fault; often empty
} limber_error;

typedef struct limber_vec3 {
    float x, y, z;
} limber_vec3;

typedef struct limber_quat {
    float x, y, z, w;
} limber_quat;

// Column-major; element (row r, column c) is m[4 * c + r].
typedef struct limber_mat4 {
    float m[16];
} limber_mat4;

typedef struct limber_transform {
    limber_vec3 translation;
    limber_quat rotation;
    limber_vec3 scale;
} limber_transform;

LIMBER_API limber_transform limber_transform_identity(void);
LIMBER_API limber_mat4 limber_mat4_identity(void);

// "0.1.0"
LIMBER_API const char* limber_version(void);

#ifdef __cplusplus
}
#endif

#endif
