// What the cache writers share: one frame of the job, checked, and names for its meshes.
#ifndef LIMBERI_CACHE_WRITERS_H
#define LIMBERI_CACHE_WRITERS_H

#include "base/error.h"
#include "base/memory.h"

#include <limber/base.h>
#include <limber/cache.h>

typedef struct limberi_cache_view {
    const float* positions;
    const float* normals; // NULL: the job has none
} limberi_cache_view;

// A copy of a program's job, checked.
LIMBER_MUST_USE limber_result limberi_cache_job_read(const limber_cache_job* given, limber_cache_job* job,
                                                     limber_error* error);

// Asks the job for a frame; numbers that are not finite are an error, since none of the formats can hold them.
LIMBER_MUST_USE limber_result limberi_cache_frame(const limber_cache_job* job, uint32_t index, limberi_cache_view* view,
                                                  limber_error* error);

// The first frame's number: start_s * fps, without the dust that times stored as float32 leave on whole numbers.
double limberi_cache_first_frame(const limber_cache_job* job);

// Identifiers fit USD prim names (letters, digits, _); lines fit the rest of a line of text.
typedef enum limberi_cache_naming { LIMBERI_CACHE_IDENTIFIERS, LIMBERI_CACHE_LINES } limberi_cache_naming;

// A set of names in use. `next` is where the search for a free number starts, so that 10,000 meshes called "Cube" do
// not ask 10,000 times each.
typedef struct limberi_name_entry {
    const char* name;
    uint32_t next;
} limberi_name_entry;

typedef struct limberi_name_set {
    limberi_name_entry* entries;
    size_t mask;
} limberi_name_set;

// Room for `max` names; false when memory is short.
bool limberi_name_set_open(limberi_arena* arena, size_t max, limberi_name_set* set);

// `wanted`, which must live as long as the set, or a numbered one when it is in use; NULL when memory is short.
const char* limberi_name_claim(limberi_name_set* set, limberi_arena* arena, const char* wanted);
const char* limberi_cache_mesh_name(limberi_name_set* set, limberi_arena* arena, const limber_mesh* mesh,
                                    limberi_cache_naming naming);

// One name per mesh, no two alike; NULL when memory is short.
const char* const* limberi_cache_names(limberi_arena* arena, const limber_model* model, limberi_cache_naming naming);

// One name made fit; "mesh" when nothing of it is left.
char* limberi_cache_name(limberi_arena* arena, const char* text, limberi_cache_naming naming);

LIMBER_MUST_USE limber_result limberi_cache_save_pc2(const limber_cache_job* job, const char* path,
                                                     limber_error* error);
LIMBER_MUST_USE limber_result limberi_cache_save_mdd(const limber_cache_job* job, const char* path,
                                                     limber_error* error);
LIMBER_MUST_USE limber_result limberi_cache_save_obj(const limber_cache_job* job, const char* path,
                                                     limber_error* error);
LIMBER_MUST_USE limber_result limberi_cache_save_usda(const limber_cache_job* job, const char* path,
                                                      limber_error* error);

// --- pattern ---
// Numbered file names: "run.obj" and "run_%03d.obj" to run.0001.obj and run_001.obj. The user's text is only ever
// copied, never used as a format.

typedef struct limberi_cache_pattern {
    char* before; // with %% already turned into %
    char* after;
    uint32_t width; // at least so many digits
    char* path;     // room for limberi_cache_pattern_path
} limberi_cache_pattern;

// A percent sign in the folder's part of the path is an ordinary character. A path without a counter gets ".%04d" in
// front of its ending.
LIMBER_MUST_USE limber_result limberi_cache_pattern_parse(limberi_arena* arena, const char* path,
                                                          limberi_cache_pattern* pattern, limber_error* error);

// The path of one number, in pattern->path.
const char* limberi_cache_pattern_path(limberi_cache_pattern* pattern, uint32_t number);

// --- spool ---
// Frames set down on the disk and read back in another order: USD wants all samples of one attribute together, while
// frames come one at a time with all meshes. The file has no name while it is in use, so nothing can be left behind.

typedef struct limberi_cache_spool {
    int descriptor;
    const char* beside;
    uint64_t frame_floats;
} limberi_cache_spool;

// Records of `frame_floats` floats, in the folder of `beside` (which has to outlive the spool, for messages): the disk
// that the user chose, not a /tmp that may be memory.
LIMBER_MUST_USE limber_result limberi_cache_spool_open(limberi_cache_spool* spool, const char* beside,
                                                       uint64_t frame_floats, limber_error* error);
LIMBER_MUST_USE limber_result limberi_cache_spool_write(const limberi_cache_spool* spool, uint32_t frame,
                                                        uint64_t first, const float* values, size_t count,
                                                        limber_error* error);
LIMBER_MUST_USE limber_result limberi_cache_spool_read(const limberi_cache_spool* spool, uint32_t frame, uint64_t first,
                                                       float* values, size_t count, limber_error* error);
void limberi_cache_spool_close(limberi_cache_spool* spool); // only after a successful open

#endif
