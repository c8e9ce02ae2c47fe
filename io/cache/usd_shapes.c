// Blend shapes: a mesh's own morph targets, then the targets of the bake.
#include "io/cache/usd_skel.h"

#include <math.h>
#include <string.h>

static const limber_bake_mesh* baked_mesh(const limberi_usd* usd, uint32_t mesh) {
    return usd->job->bake ? &usd->job->bake->meshes[mesh] : NULL;
}

static bool name_shapes(limberi_usd* usd, limberi_name_set* set, uint32_t m) {
    const limber_mesh* mesh = &usd->model->meshes[m];
    limberi_usd_shapes* shapes = &usd->shapes[m];
    shapes->names = LIMBERI_ALLOCATE(&usd->arena, const char*, shapes->count);
    if (!shapes->names)
        return false;
    for (uint32_t i = 0; i < shapes->count; i++) {
        char number[40];
        limberi_format(number, sizeof number, i < mesh->morph_count ? "morph_%u" : "limber_%u",
                       i < mesh->morph_count ? i : i - mesh->morph_count);
        const char* own = i < mesh->morph_count ? mesh->morphs[i].name : NULL;
        const char* wanted = limberi_cache_name(&usd->arena, own && *own ? own : number, LIMBERI_CACHE_IDENTIFIERS);
        shapes->names[i] = wanted ? limberi_name_claim(set, &usd->arena, wanted) : NULL;
        if (!shapes->names[i])
            return false;
    }
    return true;
}

limber_result limberi_usd_open_shapes(limberi_usd* usd, limber_error* error) {
    uint64_t total = 0;
    limberi_name_set set;
    usd->shapes = LIMBERI_ALLOCATE(&usd->arena, limberi_usd_shapes, usd->model->mesh_count);
    for (uint32_t m = 0; usd->shapes && m < usd->model->mesh_count; m++) {
        const limber_bake_mesh* baked = baked_mesh(usd, m);
        usd->shapes[m].count = usd->model->meshes[m].morph_count + (baked ? baked->target_count : 0);
        total += usd->shapes[m].count;
    }
    if (total >= UINT32_MAX / 4)
        return limberi_fail(error, LIMBER_ERROR_LIMIT, "there are too many blend shapes");
    usd->shape_count = (uint32_t)total;
    if (!usd->shapes || !limberi_name_set_open(&usd->arena, usd->shape_count, &set))
        return limberi_fail_memory(error);
    for (uint32_t m = 0; m < usd->model->mesh_count; m++)
        if (!name_shapes(usd, &set, m))
            return limberi_fail_memory(error);
    return LIMBER_OK;
}

static void baked_weights(const limberi_usd* usd, const limber_bake_mesh* baked, uint32_t frame, float* weights) {
    uint32_t track = usd->job->track;
    uint32_t at = usd->first_frame + frame;
    memset(weights, 0, baked->target_count * sizeof *weights);
    if (!usd->clip)
        return;
    if (baked->shown && baked->shown[track]) {
        if (baked->shown[track][at] >= 0)
            weights[baked->shown[track][at]] = 1;
    } else if (baked->weights && baked->weights[track]) {
        memcpy(weights, baked->weights[track] + (size_t)at * baked->target_count,
               baked->target_count * sizeof *weights);
    }
}

void limberi_usd_weights(const limberi_usd* usd, uint32_t frame, float* weights) {
    for (uint32_t m = 0; m < usd->model->mesh_count; m++) {
        const limber_mesh* mesh = &usd->model->meshes[m];
        const limber_bake_mesh* baked = baked_mesh(usd, m);
        if (mesh->morph_count)
            memcpy(weights, usd->pose.morph_weights + mesh->first_morph, mesh->morph_count * sizeof *weights);
        weights += mesh->morph_count;
        if (!baked)
            continue;
        baked_weights(usd, baked, frame, weights);
        weights += baked->target_count;
    }
}

// --- the shapes themselves ---

// Displacements of one target: 3 floats per vertex. `normals` may be NULL.
typedef struct displacements {
    const float *positions, *normals;
} displacements;

static limber_result read_target(limberi_usd* usd, uint32_t m, uint32_t target, displacements* out,
                                 limber_error* error) {
    const limber_bake* bake = usd->job->bake;
    const limber_bake_mesh* baked = &bake->meshes[m];
    size_t numbers = 3 * (size_t)usd->model->meshes[m].vertex_count;
    size_t wanted = bake->stored_normals ? 2 * numbers : numbers;
    if (!baked->rows) {
        out->positions = baked->positions + target * numbers;
        out->normals = baked->normals ? baked->normals + target * numbers : NULL;
        return LIMBER_OK;
    }
    if (!bake->store.get(bake->store.user, baked->rows[target], usd->scratch, wanted * sizeof(float)))
        return limberi_fail(error, LIMBER_ERROR_FILE, "the targets of the bake cannot be read");
    out->positions = usd->scratch;
    out->normals = bake->stored_normals ? usd->scratch + numbers : NULL;
    return LIMBER_OK;
}

static bool is_zero(const float* vector) {
    return vector[0] == 0 && vector[1] == 0 && vector[2] == 0;
}

static void put_moved(limberi_usd* usd, const char* before, const float* values, const uint32_t* moved, size_t count) {
    limberi_out_string(&usd->out, before);
    for (size_t i = 0; i < count; i++) {
        const float* v = values + 3 * (size_t)moved[i];
        usd->not_finite = usd->not_finite || !isfinite(v[0]) || !isfinite(v[1]) || !isfinite(v[2]);
        if (!usd->not_finite)
            limberi_out_tuple(&usd->out, i ? ", (" : "(", v, 3, ", ", ")");
    }
    limberi_out_string(&usd->out, "]\n");
}

// A shape names its points unless it moves nearly all of them. Readers take an empty list for "all", so a shape that
// moves nothing names one.
static void put_shape(limberi_usd* usd, const limber_mesh* mesh, const char* name, const displacements* d,
                      uint32_t* moved) {
    size_t count = 0;
    for (uint32_t v = 0; v < mesh->vertex_count; v++)
        if (!is_zero(d->positions + 3 * (size_t)v) || (d->normals && !is_zero(d->normals + 3 * (size_t)v)))
            moved[count++] = v;
    if (!count && mesh->vertex_count)
        moved[count++] = 0;
    bool sparse = count < mesh->vertex_count - mesh->vertex_count / 8;
    for (uint32_t v = 0; !sparse && v < mesh->vertex_count; v++)
        moved[v] = v;
    count = sparse ? count : mesh->vertex_count;
    limberi_out_string(&usd->out, "\n        def BlendShape \"");
    limberi_out_string(&usd->out, name);
    limberi_out_string(&usd->out, "\"\n        {\n");
    if (d->normals)
        put_moved(usd, "            uniform vector3f[] normalOffsets = [", d->normals, moved, count);
    put_moved(usd, "            uniform vector3f[] offsets = [", d->positions, moved, count);
    if (sparse) {
        limberi_out_string(&usd->out, "            uniform int[] pointIndices = ");
        limberi_usd_indices(&usd->out, moved, count);
        limberi_out_string(&usd->out, "\n");
    }
    limberi_out_string(&usd->out, "        }\n");
}

limber_result limberi_usd_put_shapes(limberi_usd* usd, uint32_t m, limber_error* error) {
    const limber_mesh* mesh = &usd->model->meshes[m];
    limberi_arena scratch = {0};
    uint32_t* moved = LIMBERI_ALLOCATE(&scratch, uint32_t, mesh->vertex_count);
    limber_result result = moved ? LIMBER_OK : limberi_fail_memory(error);
    for (uint32_t i = 0; result == LIMBER_OK && i < usd->shapes[m].count; i++) {
        displacements d = {NULL, NULL};
        if (i < mesh->morph_count) {
            d.positions = mesh->morphs[i].positions;
            d.normals = mesh->morphs[i].normals;
        } else {
            result = read_target(usd, m, i - mesh->morph_count, &d, error);
        }
        if (result == LIMBER_OK)
            put_shape(usd, mesh, usd->shapes[m].names[i], &d, moved);
    }
    limberi_arena_free(&scratch);
    return result;
}
