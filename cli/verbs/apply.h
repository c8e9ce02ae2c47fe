// `limber apply` in parts: the command line (apply.c), bakes (apply_bake.c), one clip frame by frame (apply_frames.c), and
// what they need: limits of size and of players (apply_limits.c), memory for targets (apply_store.c), the bones of another
// character's bake (cli/like.c), and stamps for batches (apply_stamp.c).
#ifndef LIMBER_CLI_APPLY_H
#define LIMBER_CLI_APPLY_H

#include "cli/batch/batch.h"
#include "cli/cli.h"
#include "cli/like.h"
#include "cli/pool.h"

// --- what a baked file must keep to: the size that a person allows, and what a player can read ---

// A player, by the name that --profile takes.
typedef struct cli_profile {
    const char* name;
    uint32_t targets;    // on a mesh
    uint32_t influences; // of a vertex
    bool dense;          // it reads no sparse accessors, or some of its versions do not
    bool packed;         // it reads EXT_meshopt_compression
} cli_profile;

// CLI_USAGE where there is none of that name; `name` NULL: *profile is NULL.
int cli_find_profile(const char* name, const cli_profile** profile);

// "3x" (of the plain character), "2MB", "500kB", "1.5GB" or bytes. CLI_USAGE where it is none of them.
int cli_parse_size(const char* text, double plain_bytes, double* bytes);

// Says what the profile's player will not read of a character.
void cli_warn_of_profile(const char* output, const cli_profile* profile, const limber_model* model);

// --- where the targets of a bake wait until the file is written ---

// *store is NULL for targets that memory holds, or that are reduced. `inside`: the file that targets may be put into
// while they are made, NULL: none.
LIMBER_MUST_USE limber_result cli_bake_store(const limber_model* model, const limber_gltf* inside,
                                             const limber_bake_settings* settings, const limber_bake_estimate* estimate,
                                             const char* output, limber_bake_store** store, limber_error* error);

// --- stamp FILE: what the output was made from, for the next batch (cli/batch/batch.h) ---

typedef struct cli_stamp {
    const char *path, *output; // path NULL: none is asked for
    char key[BATCH_HASH_CHARS];
    double started_s;
} cli_stamp;

// Looks at the inputs before the work does: what changes in between is noticed by the next batch. Also makes the
// folders of both files. Both print what is wrong.
int cli_stamp_begin(cli_stamp* stamp, const char* path, const char* output, int argc, char** argv);
int cli_stamp_end(const cli_stamp* stamp);

// --- the work ---

typedef struct apply_options {
    cli_common common;
    const char* bake;
    const char* vat; // a folder; also the output
    const char* smear_meshes;
    const char* stamp;
    double tolerance; // thousandths of L
    const char *max_size, *profile;
    const char* like; // a file
    uint32_t targets;
    bool no_normals;
    bool compress, json;
    cli_list what_ifs;
} apply_options;

typedef struct apply_work {
    const char* input;
    const apply_options* options;
    const limber_gltf* gltf;
    limber_gltf* coarse; // IN of --like, whose FILE is `input` and `gltf`; else NULL
    const char* coarse_input;
    limber_asset* subdivided; // with more triangles than the file, or NULL
    const limber_model* model;
    limber_pipeline* pipeline;
    cli_pool* pool;
    cli_look look;
    limber_bake_settings* settings;
    limber_bake_estimate estimate; // of these settings, where one was made
    limber_bake_store* store;      // of exact targets, or NULL
    const cli_profile* profile;    // or NULL
    double started_s;
} apply_work;

bool apply_is_usd(const char* output);
bool apply_bakes(const apply_options* options, const char* kind); // of --bake, whose usual one is corrective
bool apply_writes_frames(const apply_options* options);           // one clip, frame by frame
bool apply_writes_skeleton(const apply_options* options);         // a .usda that is no cache

// Of --tolerance; packing rounds, by far less than the rest.
#define APPLY_UNPACKED_SHARE 0.98

// Without `bake` the file carries the style only. `bones` may be NULL: how many the file has, as players see them.
int apply_save(const apply_work* work, const limber_bake* bake, uint32_t* bones);
int apply_bake(apply_work* work);
// With given velocities; a .usda with a skeleton; a vertex cache or textures.
int apply_what_if(const apply_work* work);
int apply_skeleton(apply_work* work);
int apply_cache(const apply_work* work);

#endif
