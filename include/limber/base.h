// limber/base.h: results, errors, memory, and the few maths types that every other header uses.
//
// A function that data or memory can make fail returns a limber_result and fills a limber_error:
//
//     limber_gltf* gltf;
//     limber_error error;
//     if (limber_gltf_load_file("fox.glb", NULL, &gltf, &error) != LIMBER_OK) {
//         fprintf(stderr, "%s: %s\n", error.place, error.message); // "fox.glb: cannot be opened: ..."
//         return 1;
//     }
//     limber_gltf_destroy(gltf);
//
// Conventions are those of glTF: right-handed, Y up, meters, seconds, quaternions (x, y, z, w), column vectors,
// column-major matrices. A name such as `world_from_joint` says which space a matrix leads to and from. The comment of
// an array may begin with what its index counts: "[joint]" means one entry per joint.
//
// L is the size of a character: the diameter of the smallest ball around its rest pose (limber_model.size). Lengths "in
// L" are fractions of it, so the same settings suit a character at any scale.
//
// A program built with these headers works with every later library of the same minor version (0.1.x), because structs
// grow in two ways only:
//   - One that begins with struct_size comes from its function, such as limber_bake_settings_default(), which sets that
//     size. Later fields go to its end, and a program that does not know them gets their defaults. A struct that did not
//     come from its function is refused.
//   - One with `reserved` words keeps its size: later fields take their place. Programs leave them 0 (limber_mesh) or do
//     not look at them (limber_frame).
// All other structs stay as they are. Arrays by effect have LIMBER_EFFECT_LIMIT entries, whatever the number of effects.
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

// Marks functions whose result must be looked at: compilers warn of calls that ignore it.
#if defined(__GNUC__)
#define LIMBER_MUST_USE __attribute__((warn_unused_result))
#else
#define LIMBER_MUST_USE
#endif

// The version of these headers; limber_version() is that of the library.
#define LIMBER_VERSION_MAJOR 0
#define LIMBER_VERSION_MINOR 1
#define LIMBER_VERSION_PATCH 0

// Declares the two functions of a struct that begins with its size: TYPE TYPE_default(void), which programs in C and C++
// call, and TYPE_init, which other languages call with the size of the struct as they know it.
#define LIMBER_DEFAULT(type)                                                                                           \
    LIMBER_API void type##_init(type* given, size_t size);                                                             \
    static inline type type##_default(void) {                                                                          \
        type made;                                                                                                     \
        type##_init(&made, sizeof made);                                                                               \
        return made;                                                                                                   \
    }

// Where a struct holds a first index and a count: everything from the first one on.
#define LIMBER_TO_END UINT32_MAX

// What a function returns that can fail.
typedef enum limber_result {
    LIMBER_OK = 0,
    LIMBER_ERROR_MEMORY,      // an allocation failed
    LIMBER_ERROR_ARGUMENT,    // an argument is invalid
    LIMBER_ERROR_DATA,        // the data is malformed
    LIMBER_ERROR_UNSUPPORTED, // the data is valid but needs a feature that limber does not have
    LIMBER_ERROR_LIMIT,       // the data exceeds a limit
    LIMBER_ERROR_FILE         // a file could not be opened, read or written
} limber_result;

// What went wrong, in words for a person. Only filled when the result is not LIMBER_OK.
typedef struct limber_error {
    limber_result result;
    char place[256];   // where: "fox.glb: accessors[3]", "joint 'Head'"; may be empty
    char message[384]; // what is wrong, as a sentence
    char detail[512];  // more lines for a person, such as a formula with a caret under the mistake; often empty
} limber_error;

// A point, a direction, or a scale.
typedef struct limber_vec3 {
    float x, y, z;
} limber_vec3;

// A rotation: a unit quaternion.
typedef struct limber_quat {
    float x, y, z, w;
} limber_quat;

// Column-major: the element in row r and column c is m[4 * c + r].
typedef struct limber_mat4 {
    float m[16];
} limber_mat4;

// A translation, rotation and scale, in the frame of a parent. The scale comes first.
typedef struct limber_transform {
    limber_vec3 translation; // in the frame of the parent
    limber_quat rotation;    // after the scale
    limber_vec3 scale;       // along the axes of the joint
} limber_transform;

// What moves nothing: no translation, no rotation, scale 1.
LIMBER_API limber_transform limber_transform_identity(void);
LIMBER_API limber_mat4 limber_mat4_identity(void);

// The version of the library: "0.1.0".
LIMBER_API const char* limber_version(void);

// Where the library gets its memory. `allocate` returns memory aligned for any type, or NULL; `release` gets what
// `allocate` returned, never NULL. Both may be called from several threads at once.
typedef struct limber_allocator {
    void* (*allocate)(void* user, size_t byte_count);
    void (*release)(void* user, void* memory);
    void* user; // passed to both
} limber_allocator;

// Copies `allocator`. Call it before any other function of the library, or when everything has been destroyed. NULL:
// malloc and free, which is the default. The texts of limber/stages/keys.h are never released.
LIMBER_API void limber_set_allocator(const limber_allocator* allocator);

// Releases memory that a function has allocated for its caller, such as limber_gltf_save_memory. NULL is fine.
LIMBER_API void limber_release(void* memory);

// A piece of work: everything from `first` up to, but not including, `end`.
typedef void (*limber_task)(void* user, uint32_t first, uint32_t end, uint32_t worker);

// How a program lends its threads: `run` calls `task` for pieces [first, end) of [0, count), each about `step` long,
// from any threads, and returns when all are done; `pool` is passed to it. `worker` is below worker_count; calls that run
// at the same time have different workers. The result is the same to the bit however the work is divided.
typedef struct limber_parallel {
    uint32_t worker_count;
    void (*run)(void* pool, uint32_t count, uint32_t step, limber_task task, void* user);
    void* pool;
} limber_parallel;

#ifdef __cplusplus
}
#endif

#endif
