// Characters from formats that Assimp reads: from its scene to limber's model, one step per file.
#include "cli/import/scene.h"
#include "cli/import/fbx.h"
#include "io/bvh/layout.h"
#include "io/gltf/document.h"

#include <assimp/cimport.h>
#include <assimp/config.h>
#include <assimp/postprocess.h>
#include <string.h>

// A skeleton that moves and has no mesh, as downloads of motions do, gets the body that a .bvh gets.
static limber_result add_body(import_scene* s) {
    limber_mat4* world = LIMBERI_ALLOCATE(&s->arena, limber_mat4, s->model.rig.joint_count);
    if (!world)
        return LIMBER_ERROR_MEMORY;
    import_find_world(&s->model.rig, s->model.rig.rest_local, world);
    return limberi_skeleton_body(world, &s->arena, &s->model);
}

static limber_result build(import_scene* s, limber_gltf** gltf) {
    static limber_result (*const steps[])(import_scene*) = {import_rig, import_materials, import_meshes,
                                                            import_bind_pose, import_clips};
    limber_asset* asset = NULL;
    s->model = limber_model_default();
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
        limber_result failed = steps[i](s);
        if (failed)
            return failed;
    }
    if (!s->model.mesh_count && s->model.clip_count && add_body(s))
        return limberi_fail_memory(s->error);
    if (!s->model.mesh_count)
        return limberi_fail(s->error, LIMBER_ERROR_DATA, "has no mesh");
    uint32_t* order = LIMBERI_ALLOCATE(&s->arena, uint32_t, s->model.rig.joint_count);
    if (!order)
        return limberi_fail_memory(s->error);
    limber_result result = limber_asset_create_ordered(&s->model, order, &asset, s->error);
    if (!result)
        result = import_check(s, limber_asset_model(asset)->size);
    if (!result)
        result = limber_gltf_from_asset(asset, gltf, s->error);
    for (uint32_t i = 0; !result && i < s->problem_count; i++)
        limberi_gltf_tell(*gltf, s->problems[i]);
    limber_asset_destroy(asset);
    return result;
}

static limberi_bytes read_all(const char* path, limberi_arena* arena) {
    limberi_bytes file = {NULL, 0};
    limber_result result =
        limberi_file_read(path, limber_gltf_limits_default().file_bytes, arena, &file, &(limber_error){.place = ""});
    return result ? (limberi_bytes){NULL, 0} : file;
}

static const struct aiScene* open_bytes(limberi_bytes bytes, const char* format, unsigned steps,
                                        const struct aiPropertyStore* properties) {
    return aiImportFileFromMemoryWithProperties((const char*)bytes.data, (unsigned)bytes.size, steps, format,
                                                properties);
}

// A file of two bytes per letter is left to Assimp.
static const struct aiScene* open_collada(limberi_bytes file, unsigned steps,
                                          const struct aiPropertyStore* properties) {
    if (memchr(file.data, 0, file.size < 64 ? file.size : 64))
        return NULL;
    file.size = import_trim_collada((char*)file.data, file.size);
    return open_bytes(file, "dae", steps, properties);
}

static const struct aiScene* open_fbx(limberi_bytes file, unsigned steps, const struct aiPropertyStore* properties) {
    limberi_buffer denser;
    if (!fbx_sample_curves(file, &denser))
        return NULL;
    const struct aiScene* scene =
        open_bytes((limberi_bytes){(const uint8_t*)denser.data, denser.length}, "fbx", steps, properties);
    limberi_buffer_free(&denser);
    return scene;
}

static const struct aiScene* open_scene(const char* path) {
    struct aiPropertyStore* properties = aiCreatePropertyStore();
    const unsigned steps = aiProcess_Triangulate | aiProcess_JoinIdenticalVertices | aiProcess_SortByPType |
                           aiProcess_FlipUVs | aiProcess_ValidateDataStructure;
    if (!properties)
        return NULL;
    aiSetImportPropertyInteger(properties, AI_CONFIG_IMPORT_FBX_PRESERVE_PIVOTS, 1);
    aiSetImportPropertyInteger(properties, "IMPORT_FBX_IGNORE_UP_DIRECTION", 1); // versions differ; rig.c does it
    limberi_arena arena = {NULL, false};
    limberi_bytes file = read_all(path, &arena);
    const struct aiScene* scene = NULL;
    if (file.size && file.size <= UINT32_MAX / 2)
        scene = limberi_file_has_ending(path, ".dae") ? open_collada(file, steps, properties)
                                                      : open_fbx(file, steps, properties);
    limberi_arena_free(&arena);
    if (!scene) // as it is
        scene = aiImportFileExWithProperties(path, steps, NULL, properties);
    aiReleasePropertyStore(properties);
    return scene;
}

limber_result import_scene_read(const struct aiScene* scene, const char* folder, limber_gltf** gltf,
                                limber_error* error) {
    import_scene s = {0};
    s.error = error;
    s.source = scene;
    s.folder = folder;
    limber_result result = build(&s, gltf);
    limberi_arena_free(&s.arena);
    if (result) {
        import_tidy(error->place);
        import_tidy(error->message);
    }
    return result;
}

limber_result import_file(const char* path, limber_gltf** gltf, limber_error* error) {
    limberi_arena names = {NULL, false};
    const char* folder = limberi_file_folder(&names, path);
    const struct aiScene* scene = open_scene(path);
    limber_result result = LIMBER_OK;
    if (!scene || !scene->mRootNode) {
        result = limberi_fail(error, LIMBER_ERROR_DATA, "cannot be read: %s", aiGetErrorString());
        import_tidy(error->message);
    } else if (!folder) {
        result = limberi_fail_memory(error);
    } else {
        result = import_scene_read(scene, folder, gltf, error);
    }
    limberi_arena_free(&names);
    if (scene)
        aiReleaseImport(scene);
    return result;
}
