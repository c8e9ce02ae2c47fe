// Characters of every format that is read.
#include "cli/cli.h"
#include "cli/report.h"
#ifdef LIMBER_WITH_ASSIMP
#include "cli/import/shield.h"
#endif
#include "io/bvh/layout.h"
#include "io/gltf/document.h"

static void tell_frames(const char* path, const limber_bvh* bvh, limber_gltf* gltf) {
    char text[160];
    uint32_t frames = limber_bvh_frame_count(bvh);
    uint32_t declared = limber_bvh_declared_frame_count(bvh);
    if (frames == declared)
        return;
    limberi_format(text, sizeof text, "has %u frames, though it says %u; all are read", frames, declared);
    limberi_gltf_tell(gltf, text);
    cli_warn(path, "%s", text);
}

// Every verb works on glTF documents; a skeleton with its generated body becomes one.
static int load_bvh(const char* path, limber_gltf** gltf) {
    limber_error error;
    limber_bvh* bvh;
    if (limber_bvh_load_file(path, NULL, &bvh, &error) != LIMBER_OK)
        return cli_fail_error(path, &error);
    limber_result result = limber_gltf_from_asset(limber_bvh_asset(bvh), gltf, &error);
    if (result == LIMBER_OK)
        tell_frames(path, bvh, *gltf);
    limber_bvh_destroy(bvh);
    return result == LIMBER_OK ? CLI_DONE : cli_fail_error(path, &error);
}

static int load_foreign(const char* path, limber_gltf** gltf) {
#ifdef LIMBER_WITH_ASSIMP
    return cli_import(path, gltf);
#else
    (void)gltf;
    return cli_fail(path,
                    "this build of limber cannot read .fbx and .dae; install libassimp-dev and build limber again");
#endif
}

static bool is_foreign(const char* path) {
    return cli_has_ending(path, ".fbx") || cli_has_ending(path, ".dae");
}

void cli_report_import(limberi_json_writer* w, const char* path) {
#ifdef LIMBER_WITH_ASSIMP
    if (!is_foreign(path))
        return;
    cli_report_open(w, "import", '{');
    cli_report_switch(w, "seccomp", (cli_import_shield() & IMPORT_SHIELD_CALLS) != 0);
    cli_report_switch(w, "landlock", (cli_import_shield() & IMPORT_SHIELD_FILES) != 0);
    limberi_json_close(w, '}');
#else
    (void)w;
    (void)path;
#endif
}

enum { SKELETON_JOINTS = 5 }; // fewer that move are a camera on its crane, or a door

// A skeleton that moves and has no mesh, as downloads of motions do, gets the body that a .bvh gets.
static int add_body(const char* path, limber_gltf** gltf) {
    limberi_arena arena = {NULL, false};
    limber_model model = *limber_asset_model(limber_gltf_asset(*gltf));
    limber_asset* asset = NULL;
    limber_gltf* dressed = NULL;
    limber_error error = {.place = ""};
    limber_result result = limberi_skeleton_body(model.rig.world_from_joint_rest, &arena, &model);
    if (!result)
        result = limber_asset_create(&model, &asset, &error);
    if (!result)
        result = limber_gltf_from_asset(asset, &dressed, &error);
    for (uint32_t i = 0; !result && i < limber_gltf_warning_count(*gltf); i++)
        limberi_gltf_tell(dressed, limber_gltf_warning(*gltf, i));
    limber_asset_destroy(asset);
    limberi_arena_free(&arena);
    limber_gltf_destroy(*gltf);
    *gltf = dressed;
    if (result == LIMBER_ERROR_MEMORY)
        return cli_fail_memory(path);
    return result ? cli_fail_error(path, &error) : CLI_DONE;
}

static int load_gltf(const char* path, limber_gltf** gltf) {
    limber_error error;
    limber_gltf_limits limits = cli_gltf_limits();
    if (limber_gltf_load_file(path, &limits, gltf, &error) != LIMBER_OK)
        return cli_fail_error(path, &error);
    const limber_model* model = limber_asset_model(limber_gltf_asset(*gltf));
    bool bare = !model->mesh_count && model->clip_count && model->rig.joint_count >= SKELETON_JOINTS;
    return bare ? add_body(path, gltf) : CLI_DONE;
}

int cli_load(const char* path, limber_gltf** gltf) {
    if (cli_has_ending(path, ".bvh"))
        return load_bvh(path, gltf);
    return is_foreign(path) ? load_foreign(path, gltf) : load_gltf(path, gltf);
}
