// One frame of a cache job, checked.
#include "io/cache/writers.h"

#include <math.h>

double limberi_cache_first_frame(const limber_cache_job* job) {
    double number = job->start_s * job->fps;
    double whole = round(number);
    return fabs(number - whole) < 1e-3 ? whole + 0.0 : number;
}

static bool all_finite(const float* values, size_t count) {
    bool finite = true;
    for (size_t i = 0; i < count; i++)
        finite &= isfinite(values[i]) != 0;
    return finite;
}

static limber_result fail_not_finite(const limber_cache_job* job, uint32_t index, const float* values, const char* what,
                                     limber_error* error) {
    size_t vertex = 0;
    while (all_finite(values + 3 * vertex, 3))
        vertex++;
    uint32_t m = 0;
    while (m + 1 < job->model->mesh_count && vertex >= job->model->meshes[m + 1].first_vertex)
        m++;
    const limber_mesh* mesh = &job->model->meshes[m];
    limber_result result = limberi_fail(error, LIMBER_ERROR_DATA, "the %s of vertex %zu in frame %u is not a number",
                                        what, vertex - mesh->first_vertex, index + 1);
    return limberi_at(error, result, "mesh '%s'", mesh->name ? mesh->name : "");
}

limber_result limberi_cache_frame(const limber_cache_job* job, uint32_t index, limberi_cache_view* view,
                                  limber_error* error) {
    view->positions = view->normals = NULL;
    limber_result result = job->frame(job->user, index, &view->positions, &view->normals);
    if (result != LIMBER_OK)
        return limberi_fail(error, result, "cannot evaluate frame %u of %u", index + 1, job->frame_count);
    if (!view->positions)
        return limberi_fail(error, LIMBER_ERROR_ARGUMENT, "frame %u has no positions", index + 1);
    size_t count = 3 * (size_t)job->model->vertex_count;
    if (!all_finite(view->positions, count))
        return fail_not_finite(job, index, view->positions, "position", error);
    if (view->normals && !all_finite(view->normals, count))
        return fail_not_finite(job, index, view->normals, "normal", error);
    return LIMBER_OK;
}
