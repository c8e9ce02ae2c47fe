// A character as UsdSkel text (.usda): SkelRoot, Skeletons, SkelAnimation, skinned meshes with blend shapes, materials.
#include "io/cache/usd_skel.h"
#include "asset/asset.h"
#include "base/settings.h"
#include "io/cache/zip.h"
#include "io/file.h"

#include <math.h>
#include <string.h>

static const double fps_min = 1e-3; // as for caches
static const double fps_max = 1e6;
static const double code_max = 1e9;

void limber_usd_job_init(limber_usd_job* given, size_t size) {
    limber_usd_job job;
    memset(&job, 0, sizeof job);
    job.struct_size = sizeof job;
    job.fps = 30;
    job.range_start_s = -HUGE_VAL;
    job.range_end_s = HUGE_VAL;
    limberi_settings_write(given, size, &job, sizeof job);
}

// --- skeletons ---

static const char binds_skeleton[] = "\" (\n        prepend apiSchemas = [\"SkelBindingAPI\"]\n    )\n    {\n";

static void put_skeleton(limberi_usd* usd, uint32_t index) {
    limberi_out_string(&usd->out, index ? "\n    def Skeleton \"" : "    def Skeleton \"");
    limberi_out_string(&usd->out, usd->skeleton_names[index]);
    limberi_out_string(&usd->out, binds_skeleton);
    limberi_usd_tokens(usd, "        uniform token[] joints = ", usd->joint_paths, usd->joint_count);
    limberi_out_string(&usd->out, "        uniform matrix4d[] bindTransforms = [");
    for (uint32_t j = 0; j < usd->joint_count; j++) {
        limber_mat4 bind = limberi_usd_bound(usd, index, j);
        limberi_out_string(&usd->out, j ? ", " : "");
        limberi_usd_matrix(usd, &bind);
    }
    limberi_out_string(&usd->out, "]\n");
    limberi_out_string(&usd->out, "        uniform matrix4d[] restTransforms = [");
    for (uint32_t j = 0; j < usd->joint_count; j++) {
        limber_transform rest = limberi_usd_rest(usd, j);
        limber_mat4 matrix = limberi_mat4_from_transform(&rest);
        limberi_out_string(&usd->out, j ? ", " : "");
        limberi_usd_matrix(usd, &matrix);
    }
    limberi_out_string(&usd->out, "]\n");
    limberi_out_string(&usd->out, "        rel skel:animationSource = <");
    limberi_usd_path(usd, usd->animation, NULL, NULL);
    limberi_out_string(&usd->out, ">\n    }\n");
}

// --- meshes ---

static void put_influences(limberi_usd* usd, const limber_mesh* mesh) {
    const limber_skin* skin = &usd->model->skins[mesh->skin];
    uint32_t max = limberi_max_influences(mesh);
    for (int weights = 0; weights < 2; weights++) {
        limberi_out_string(&usd->out, weights ? "        float[] primvars:skel:jointWeights = ["
                                              : "        int[] primvars:skel:jointIndices = [");
        for (uint32_t v = 0; v < mesh->vertex_count; v++)
            for (uint32_t k = 0; k < max; k++) {
                uint32_t at = mesh->influence_first[v] + k;
                bool used = at < mesh->influence_first[v + 1];
                limberi_out_string(&usd->out, v || k ? ", " : "");
                if (weights)
                    limberi_out_tuple(&usd->out, "", used ? &mesh->influence_weight[at] : &(float){0}, 1, "", "");
                else
                    limberi_out_unsigned(&usd->out,
                                         used ? usd->skin_joints[skin->joints[mesh->influence_joint[at]]] : 0);
            }
        limberi_out_string(&usd->out, "] (\n            elementSize = ");
        limberi_out_unsigned(&usd->out, max);
        limberi_out_string(&usd->out, "\n            interpolation = \"vertex\"\n        )\n");
    }
}

static void put_skin(limberi_usd* usd, uint32_t m) {
    const limber_mesh* mesh = &usd->model->meshes[m];
    const limberi_usd_place* place = &usd->places[mesh->skin];
    const limberi_usd_shapes* shapes = &usd->shapes[m];
    limberi_out_string(&usd->out, "        matrix4d primvars:skel:geomBindTransform = ");
    limberi_usd_matrix(usd, &place->world_from_mesh);
    limberi_out_string(&usd->out, "\n");
    put_influences(usd, mesh);
    limberi_out_string(&usd->out, "        rel skel:skeleton = <");
    limberi_usd_path(usd, usd->skeleton_names[place->skeleton], NULL, NULL);
    limberi_out_string(&usd->out, ">\n");
    if (!shapes->count)
        return;
    limberi_usd_tokens(usd, "        uniform token[] skel:blendShapes = ", shapes->names, shapes->count);
    limberi_out_string(&usd->out, "        rel skel:blendShapeTargets = [");
    for (uint32_t i = 0; i < shapes->count; i++) {
        limberi_out_string(&usd->out, i ? ", <" : "<");
        limberi_usd_path(usd, usd->mesh_names[m], shapes->names[i], NULL);
        limberi_out_string(&usd->out, ">");
    }
    limberi_out_string(&usd->out, "]\n");
}

static limber_result put_mesh(limberi_usd* usd, uint32_t m, limber_error* error) {
    const limber_mesh* mesh = &usd->model->meshes[m];
    float extent[6];
    limberi_out_string(&usd->out, "\n    def Mesh \"");
    limberi_out_string(&usd->out, usd->mesh_names[m]);
    limberi_out_string(&usd->out, "\" (\n        prepend apiSchemas = [\"SkelBindingAPI\", \"MaterialBindingAPI\"]\n"
                                  "    )\n    {\n");
    limberi_usd_surface(&usd->out, usd->model, mesh, usd->scratch);
    limberi_usd_extent(mesh, mesh->positions, extent);
    limberi_out_string(&usd->out, "        float3[] extent = ");
    limberi_usd_floats(usd, extent, 2, 3);
    limberi_out_string(&usd->out, "\n        normal3f[] normals = ");
    limberi_usd_floats(usd, mesh->normals, mesh->vertex_count, 3);
    limberi_out_string(&usd->out, limberi_usd_per_vertex);
    limberi_out_string(&usd->out, "        point3f[] points = ");
    limberi_usd_floats(usd, mesh->positions, mesh->vertex_count, 3);
    limberi_out_string(&usd->out, "\n");
    put_skin(usd, m);
    limberi_usd_put_binding(usd, mesh);
    limber_result result = limberi_usd_put_shapes(usd, m, error);
    limberi_usd_put_subsets(usd, mesh);
    limberi_out_string(&usd->out, "    }\n");
    return result;
}

// --- the whole ---

static limber_result choose_frames(limberi_usd* usd, limber_error* error) {
    const limber_usd_job* job = usd->job;
    const double snap = 1e-6;
    usd->frame_count = 1;
    if (!job->bake || !job->bake->track_count)
        return LIMBER_OK;
    if (job->track >= job->bake->track_count)
        return limberi_fail(error, LIMBER_ERROR_ARGUMENT, "the bake has no track %u", job->track);
    const limber_bake_track* track = &job->bake->tracks[job->track];
    if (track->clip >= usd->model->clip_count)
        return limberi_fail(error, LIMBER_ERROR_ARGUMENT, "clip %u does not exist", track->clip);
    usd->clip = job->edited ? job->edited->clip : &usd->model->clips[track->clip];
    uint32_t end = track->frame_count;
    while (end && (double)track->times[end - 1] > job->range_end_s + snap)
        end--;
    while (usd->first_frame < end && (double)track->times[usd->first_frame] < job->range_start_s - snap)
        usd->first_frame++;
    usd->frame_count = end - usd->first_frame;
    if (!usd->frame_count)
        return limberi_fail(error, LIMBER_ERROR_ARGUMENT, "there are no frames to write");
    double last = fmax(fabs(limberi_usd_time_s(usd, 0)), fabs(limberi_usd_time_s(usd, usd->frame_count - 1)));
    if (!(last * job->fps <= code_max))
        return limberi_fail(error, LIMBER_ERROR_ARGUMENT, "time codes up to %g s are too large", last);
    return LIMBER_OK;
}

// Prims of our own come first: a mesh called "Skeleton" gets a number.
static limber_result name_prims(limberi_usd* usd, const char* path, limber_error* error) {
    const limber_model* model = usd->model;
    limberi_name_set set;
    usd->root = limberi_usd_root_name(&usd->arena, path);
    usd->mesh_names = LIMBERI_ALLOCATE(&usd->arena, const char*, model->mesh_count);
    usd->skeleton_names = LIMBERI_ALLOCATE(&usd->arena, const char*, usd->skeleton_count);
    limberi_name_set_open(&usd->arena, 2 + (size_t)model->mesh_count + usd->skeleton_count, &set);
    if (usd->arena.failed)
        return limberi_fail_memory(error);
    usd->animation = limberi_name_claim(&set, &usd->arena, "Animation");
    usd->materials = limberi_name_claim(&set, &usd->arena, "Materials");
    for (uint32_t i = 0; i < usd->skeleton_count; i++)
        usd->skeleton_names[i] = limberi_name_claim(&set, &usd->arena, "Skeleton");
    for (uint32_t m = 0; m < model->mesh_count; m++)
        usd->mesh_names[m] = limberi_cache_mesh_name(&set, &usd->arena, &model->meshes[m], LIMBERI_CACHE_IDENTIFIERS);
    bool good = !usd->arena.failed && limberi_usd_open_materials(usd);
    return good ? LIMBER_OK : limberi_fail_memory(error);
}

static limber_result prepare(limberi_usd* usd, const char* path, limber_error* error) {
    size_t max = 0;
    for (uint32_t m = 0; m < usd->model->mesh_count; m++)
        max = usd->model->meshes[m].vertex_count > max ? usd->model->meshes[m].vertex_count : max;
    usd->scratch = LIMBERI_ALLOCATE(&usd->arena, float, 6 * max);
    if (!usd->scratch)
        return limberi_fail_memory(error);
    limber_result result = choose_frames(usd, error);
    if (result == LIMBER_OK)
        result = limberi_usd_open_joints(usd, error);
    if (result == LIMBER_OK)
        result = limberi_usd_bind(usd, error);
    if (result == LIMBER_OK)
        result = limberi_usd_open_shapes(usd, error);
    return result == LIMBER_OK ? name_prims(usd, path, error) : result;
}

static limber_result put_all(limberi_usd* usd, limber_error* error) {
    limberi_usd_head head = {.type = "SkelRoot",
                             .root = usd->root,
                             .metadata = "    prepend apiSchemas = [\"SkelBindingAPI\"]\n    kind = \"component\"\n",
                             .fps = usd->job->fps,
                             .first_code = limberi_usd_code(usd, 0),
                             .last_code = limberi_usd_code(usd, usd->frame_count - 1)};
    limberi_usd_header(&usd->out, &head);
    for (uint32_t i = 0; i < usd->skeleton_count; i++)
        put_skeleton(usd, i);
    limberi_usd_put_animation(usd);
    for (uint32_t m = 0; m < usd->model->mesh_count; m++) {
        limber_result result = put_mesh(usd, m, error);
        if (result)
            return result;
    }
    limberi_usd_put_materials(usd);
    limberi_out_string(&usd->out, "}\n");
    if (usd->arena.failed)
        return limberi_fail_memory(error);
    if (usd->not_finite)
        return limberi_fail(error, LIMBER_ERROR_DATA, "a joint or a blend shape has a value that is not a number");
    return LIMBER_OK;
}

static limber_result check_job(const limber_usd_job* job, const char* path, limber_error* error) {
    if (!job->model || !job->model->vertex_count)
        return limberi_fail(error, LIMBER_ERROR_ARGUMENT, "the character has no mesh to write");
    if (job->bake && (job->bake->kind != LIMBER_BAKE_CORRECTIVE || job->bake->mesh_count != job->model->mesh_count))
        return limberi_fail(error, LIMBER_ERROR_ARGUMENT, "UsdSkel needs a corrective bake of the same character");
    if (!(job->fps >= fps_min && job->fps <= fps_max))
        return limberi_fail(error, LIMBER_ERROR_ARGUMENT, "a frame rate of %g is not between %g and %g", job->fps,
                            fps_min, fps_max);
    const char* name = path ? limberi_file_name(path) : "";
    if (!limberi_file_has_ending(name, ".usda") && !limberi_file_has_ending(name, ".usdz"))
        return limberi_fail(error, LIMBER_ERROR_ARGUMENT, "'%s' does not end in .usda or .usdz", path ? path : "");
    return LIMBER_OK;
}

// The text and the pictures in one file.
static limber_result put_packed(limberi_usd* usd, limber_error* error) {
    limberi_zip zip;
    if (!limberi_zip_begin(&zip, &usd->out, &usd->arena, usd->model->image_count + 1))
        return limberi_fail_memory(error);
    limberi_zip_open(&zip, "character.usda");
    limber_result result = put_all(usd, error);
    limberi_zip_close(&zip);
    for (uint32_t i = 0; i < usd->model->image_count; i++) {
        if (!usd->packed[i])
            continue;
        limberi_zip_open(&zip, usd->packed[i]);
        limberi_out_bytes(&usd->out, usd->model->images[i].bytes, usd->model->images[i].byte_count);
        limberi_zip_close(&zip);
    }
    bool fits = limberi_zip_end(&zip);
    usd->out.watch = NULL;
    if (result == LIMBER_OK && !fits)
        result = limberi_fail(error, LIMBER_ERROR_LIMIT, "a .usdz can hold 4 GiB, and this needs more");
    return result;
}

limber_result limber_usd_save(const limber_usd_job* given, const char* path, limber_error* error) {
    limber_usd_job job = limber_usd_job_default();
    limber_result result = limberi_settings_read(&job, sizeof job, given, "limber_usd_job", error);
    if (result == LIMBER_OK)
        result = check_job(&job, path, error);
    if (result != LIMBER_OK)
        return result;
    limberi_usd usd = {0};
    usd.job = &job;
    usd.model = job.model;
    bool packs = limberi_file_has_ending(limberi_file_name(path), ".usdz");
    result = prepare(&usd, path, error);
    if (result == LIMBER_OK && packs && !limberi_usd_open_pictures(&usd))
        result = limberi_fail_memory(error);
    if (result == LIMBER_OK)
        result = limberi_out_open(&usd.out, path, error);
    if (result == LIMBER_OK)
        result = packs ? put_packed(&usd, error) : put_all(&usd, error);
    if (result == LIMBER_OK)
        result = limberi_out_commit(&usd.out, error);
    limberi_out_close(&usd.out);
    limber_pose_destroy(&usd.pose);
    limberi_arena_free(&usd.arena);
    return result;
}
