// In-between copies and motion lines as morph targets: one for each frame that shows them, since their triangles never
// change.
#include "bake/bake_private.h"
#include "base/error.h"
#include "base/math.h"
#include "base/memory.h"

#include <string.h>

// All frames of all extras together. A viewer keeps every target in memory: past this few can open the file.
static const double largest_extras_bytes = 1e9;
static const double rounding = 1e-6; // of L: as for the character's own frames
// Opacities are kept in steps that a signed byte can add up exactly; the eye sees a few dozen at most.
static const float opacity_steps = 127;
// Frames of one extra that show something, without repeats.
struct limberi_smear_rows {
    const uint32_t* meshes; // [piece] which of the frame's meshes it is
    uint32_t* mesh_list;
    uint32_t count, capacity;
    int32_t* row_of_frame; // over all tracks, -1: nothing is seen
};

// --- what there is ---

static bool is_lines(const limber_smear_mesh* mesh) {
    return mesh->kind == LIMBER_SMEAR_KIND_LINES;
}

// The extra that a mesh of the frame goes to. Merged lines, which start on all meshes, go with the first.
static uint32_t extra_of(const limberi_smear_bake* e, const limberi_bake_frame* smeared, uint32_t k) {
    if (e->settings->smear_meshes == LIMBER_SMEAR_MESHES_SEPARATE)
        return k;
    uint32_t source = smeared->smear_meshes[is_lines(&smeared->smear_meshes[k]) ? 0 : k].source;
    uint32_t index = 0;
    while (index < k &&
           smeared->smear_meshes[index].source != source) // copies of one moment are in the order of the meshes
        index++;
    return index;
}

static limber_result open_piece(limberi_smear_bake* e, limber_bake_smear_mesh* extra, const limber_smear_mesh* mesh) {
    limber_bake_piece* piece = &extra->pieces[extra->piece_count++];
    piece->source = is_lines(mesh) ? -1 : (int32_t)mesh->source;
    piece->first_vertex = extra->vertex_count;
    piece->vertex_count = mesh->vertex_count;
    extra->vertex_count += mesh->vertex_count;
    if (!is_lines(mesh))
        return LIMBER_OK;
    size_t bytes = 3 * (size_t)mesh->triangle_count * sizeof(uint32_t);
    piece->triangle_count = mesh->triangle_count;
    piece->triangles = limberi_allocate(bytes + 1);
    if (!piece->triangles)
        return limberi_fail_memory(e->error);
    memcpy(piece->triangles, mesh->triangles, bytes);
    return LIMBER_OK;
}

static limber_result open_extra(limberi_smear_bake* e, const limberi_bake_frame* smeared, uint32_t index) {
    limber_bake_smear_mesh* extra = &e->bake->smear_meshes[index];
    struct limberi_smear_rows* rows = &e->rows[index];
    extra->pieces = limberi_allocate_zeroed((size_t)smeared->smear_mesh_count + 1, sizeof *extra->pieces);
    rows->mesh_list = limberi_allocate_zeroed((size_t)smeared->smear_mesh_count + 1, sizeof *rows->mesh_list);
    rows->row_of_frame = limberi_allocate(((size_t)e->frame_count + 1) * sizeof *rows->row_of_frame);
    limber_result result =
        extra->pieces && rows->mesh_list && rows->row_of_frame ? LIMBER_OK : limberi_fail_memory(e->error);
    rows->meshes = rows->mesh_list;
    for (uint32_t i = 0; !result && i < e->frame_count; i++)
        rows->row_of_frame[i] = -1;
    for (uint32_t k = 0; !result && k < smeared->smear_mesh_count; k++) {
        if (extra_of(e, smeared, k) != index)
            continue;
        const limber_smear_mesh* mesh = &smeared->smear_meshes[k];
        if (extra->piece_count == 0) {
            extra->source = is_lines(mesh) ? -1 : (int32_t)mesh->source;
            bool merged = e->settings->smear_meshes == LIMBER_SMEAR_MESHES_MERGED;
            limberi_format(extra->name, sizeof extra->name, "%s", merged ? "smears" : mesh->name);
        }
        rows->mesh_list[extra->piece_count] = k;
        result = open_piece(e, extra, mesh);
    }
    return result;
}

static limber_result open_bases(limberi_smear_bake* e, limber_bake_smear_mesh* extra) {
    const limber_model* model = e->source->model;
    size_t vertices = (size_t)extra->vertex_count + 1;
    extra->base_positions = limberi_allocate_zeroed(3 * vertices, sizeof(float));
    extra->base_normals = limberi_allocate_zeroed(3 * vertices, sizeof(float));
    extra->base_colors = limberi_allocate_zeroed(4 * vertices, sizeof(float));
    extra->weights = limberi_allocate_zeroed((size_t)e->bake->track_count + 1, sizeof *extra->weights);
    extra->visible = limberi_allocate_zeroed((size_t)e->bake->track_count + 1, sizeof *extra->visible);
    if (!extra->base_positions || !extra->base_normals || !extra->base_colors || !extra->weights || !extra->visible)
        return limberi_fail_memory(e->error);
    // A player shrinks a hidden extra to this point, which is best where the character is.
    extra->center = limberi_scale(limberi_add(model->rest_min, model->rest_max), 0.5f);
    for (size_t v = 0; v < extra->vertex_count; v++)
        extra->base_colors[4 * v + 3] = -1; // not seen yet
    return LIMBER_OK;
}

static limber_result open_extras(limberi_smear_bake* e, const limberi_bake_frame* smeared) {
    uint32_t count = 0;
    uint32_t vertices = 0;
    for (uint32_t k = 0; k < smeared->smear_mesh_count; k++) {
        uint32_t index = extra_of(e, smeared, k);
        count = index < count ? count : index + 1;
    }
    e->bake->smear_meshes = limberi_allocate_zeroed(count, sizeof *e->bake->smear_meshes);
    e->rows = limberi_allocate_zeroed(count, sizeof *e->rows);
    if (!e->bake->smear_meshes || !e->rows)
        return limberi_fail_memory(e->error);
    e->bake->smear_mesh_count = count;
    limber_result result = LIMBER_OK;
    for (uint32_t i = 0; !result && i < count; i++) {
        result = open_extra(e, smeared, i);
        if (!result)
            result = open_bases(e, &e->bake->smear_meshes[i]);
        uint32_t own = e->bake->smear_meshes[i].vertex_count;
        vertices = own > vertices ? own : vertices;
    }
    e->scratch_positions = limberi_allocate((3 * (size_t)vertices + 1) * sizeof(float));
    e->scratch_normals = limberi_allocate((3 * (size_t)vertices + 1) * sizeof(float));
    e->scratch_opacities = limberi_allocate(((size_t)vertices + 1) * sizeof(float));
    if (!e->scratch_positions || !e->scratch_normals || !e->scratch_opacities)
        return limberi_fail_memory(e->error);
    return result;
}

// --- frames ---

// A line or copy that is not seen has no area, and then its opacity is of no account.
static void store_opacities(limberi_smear_bake* e, const limber_bake_piece* piece, const limber_smear_mesh* mesh) {
    float* opacities = e->scratch_opacities + piece->first_vertex;
    for (size_t v = 0; v < piece->vertex_count; v++) {
        float opacity = mesh->colors[4 * v + 3];
        opacities[v] = mesh->visible && (opacity > 0 || !is_lines(mesh)) ? opacity : -1;
    }
    for (size_t t = 0; is_lines(mesh) && t < 3 * (size_t)piece->triangle_count; t += 3) {
        const uint32_t* v = piece->triangles + t;
        const float* a = mesh->positions + 3 * (size_t)v[0];
        const float* b = mesh->positions + 3 * (size_t)v[1];
        const float* c = mesh->positions + 3 * (size_t)v[2];
        if (memcmp(a, b, 3 * sizeof *a) == 0 && memcmp(a, c, 3 * sizeof *a) == 0)
            continue;
        for (int i = 0; i < 3; i++)
            opacities[v[i]] = mesh->colors[4 * (size_t)v[i] + 3];
    }
}

// A vertex has the color with which it is first seen: while it is hidden, its color is that of any frame before.
static void keep_colors(const limberi_smear_bake* e, const limber_bake_smear_mesh* extra,
                        const limber_bake_piece* piece, const limber_smear_mesh* mesh) {
    for (size_t v = 0; v < piece->vertex_count; v++) {
        float* color = extra->base_colors + 4 * (piece->first_vertex + v);
        if (color[3] < 0 && e->scratch_opacities[piece->first_vertex + v] >= 0)
            memcpy(color, mesh->colors + 4 * v, 4 * sizeof *color);
    }
}

// The pieces of an extra after each other; returns whether anything of it is seen.
static bool gather(limberi_smear_bake* e, uint32_t index, const limberi_bake_frame* smeared) {
    const limber_bake_smear_mesh* extra = &e->bake->smear_meshes[index];
    bool visible = false;
    for (uint32_t i = 0; i < extra->piece_count; i++) {
        const limber_bake_piece* piece = &extra->pieces[i];
        const limber_smear_mesh* mesh = &smeared->smear_meshes[e->rows[index].meshes[i]];
        visible = visible || mesh->visible;
        for (size_t v = 0; v < piece->vertex_count; v++) {
            size_t at = piece->first_vertex + v;
            limber_vec3 n = limberi_normalize(limberi_load3(mesh->normals + 3 * v));
            limberi_store3(e->scratch_positions + 3 * at,
                           limberi_sub(limberi_load3(mesh->positions + 3 * v), extra->center));
            limberi_store3(e->scratch_normals + 3 * at, limberi_dot(n, n) > 0.5f ? n : limberi_vec3(0, 1, 0));
        }
        store_opacities(e, piece, mesh);
        keep_colors(e, extra, piece, mesh);
    }
    return visible;
}

static bool near(const float* a, const float* b, size_t count, float limit) {
    for (size_t i = 0; i < count; i++)
        if (!(fabsf(a[i] - b[i]) <= limit))
            return false;
    return true;
}

// Whether a row shows the same as the current frame.
static bool is_row(const limberi_smear_bake* e, uint32_t index, int32_t row) {
    const limber_bake_smear_mesh* extra = &e->bake->smear_meshes[index];
    size_t vertices = extra->vertex_count;
    size_t r = (size_t)row;
    float limit = (float)(rounding * (double)e->source->model->size);
    return row >= 0 && near(extra->positions + 3 * r * vertices, e->scratch_positions, 3 * vertices, limit) &&
           near(extra->opacities + r * vertices, e->scratch_opacities, vertices, 0.5f / opacity_steps);
}

// Frames of a held pose show the same, as do the ends of a loop.
static int32_t find_row(const limberi_smear_bake* e, uint32_t index, uint32_t frame) {
    const int32_t* rows = e->rows[index].row_of_frame;
    uint32_t first = 0;
    for (uint32_t t = 0; frame - first >= e->bake->tracks[t].frame_count; t++)
        first += e->bake->tracks[t].frame_count;
    if (frame == first)
        return -1;
    if (is_row(e, index, rows[frame - 1]))
        return rows[frame - 1];
    return is_row(e, index, rows[first]) ? rows[first] : -1;
}

static bool grow(float** array, size_t before, size_t after) {
    float* grown = limberi_reallocate(*array, before * sizeof **array, after * sizeof **array);
    *array = grown ? grown : *array;
    return grown != NULL;
}

static limber_result grow_rows(limberi_smear_bake* e, uint32_t index) {
    limber_bake_smear_mesh* extra = &e->bake->smear_meshes[index];
    struct limberi_smear_rows* rows = &e->rows[index];
    size_t vertices = (size_t)extra->vertex_count + 1;
    e->byte_count += (e->settings->normals ? 7.0 : 4.0) * sizeof(float) * (double)vertices;
    if (e->byte_count > largest_extras_bytes)
        return limberi_fail(e->error, LIMBER_ERROR_LIMIT,
                            "in-between copies and motion lines need more than %g GB; use --clip, a shorter --range, a "
                            "lower --fps, fewer copies, or --smear-meshes none",
                            largest_extras_bytes / 1e9);
    if (rows->count < rows->capacity)
        return LIMBER_OK;
    uint32_t capacity = rows->capacity ? 2 * rows->capacity : 8;
    size_t before = rows->capacity * vertices;
    size_t after = capacity * vertices;
    if (!grow(&extra->positions, 3 * before, 3 * after) ||
        (e->settings->normals && !grow(&extra->normals, 3 * before, 3 * after)) ||
        !grow(&extra->opacities, before, after))
        return limberi_fail_memory(e->error);
    rows->capacity = capacity;
    return LIMBER_OK;
}

static limber_result collect_extra(limberi_smear_bake* e, uint32_t index, uint32_t frame,
                                   const limberi_bake_frame* smeared) {
    limber_bake_smear_mesh* extra = &e->bake->smear_meshes[index];
    struct limberi_smear_rows* rows = &e->rows[index];
    size_t vertices = extra->vertex_count;
    size_t r = rows->count;
    if (!gather(e, index, smeared))
        return LIMBER_OK;
    int32_t known = find_row(e, index, frame);
    rows->row_of_frame[frame] = known >= 0 ? known : (int32_t)r;
    if (known >= 0)
        return LIMBER_OK;
    limber_result result = grow_rows(e, index);
    if (result)
        return result;
    memcpy(extra->positions + 3 * r * vertices, e->scratch_positions, 3 * vertices * sizeof(float));
    memcpy(extra->opacities + r * vertices, e->scratch_opacities, vertices * sizeof(float));
    if (extra->normals)
        memcpy(extra->normals + 3 * r * vertices, e->scratch_normals, 3 * vertices * sizeof(float));
    if (r == 0)
        memcpy(extra->base_normals, e->scratch_normals, 3 * vertices * sizeof(float));
    rows->count++;
    return LIMBER_OK;
}

limber_result limberi_smear_bake_collect(limberi_smear_bake* e, uint32_t frame_index, const limberi_bake_frame* smeared,
                                         bool shown) {
    if (e->settings->smear_meshes == LIMBER_SMEAR_MESHES_NONE || !smeared->smear_mesh_count)
        return LIMBER_OK;
    limber_result result = e->rows ? LIMBER_OK : open_extras(e, smeared);
    for (uint32_t i = 0; shown && !result && i < e->bake->smear_mesh_count; i++)
        result = collect_extra(e, i, frame_index, smeared);
    return result;
}

// --- targets ---

static void subtract_base(float* rows, const float* base, uint32_t row_count, size_t width) {
    for (size_t r = 0; r < row_count; r++)
        for (size_t i = 0; i < width; i++)
            rows[r * width + i] -= base[i];
}

// The opacity of the base is what players without morphing colours show: the mean. Negative ones are of no account.
static void split_opacity(limber_bake_smear_mesh* extra, uint32_t row_count, size_t v, bool* changes) {
    size_t vertices = extra->vertex_count;
    float* base = &extra->base_colors[4 * v + 3];
    float min = 1;
    float max = 0;
    double sum = 0;
    double count = 0;
    for (size_t r = 0; r < row_count; r++) {
        float opacity = extra->opacities[r * vertices + v];
        if (opacity < 0)
            continue;
        sum += (double)opacity;
        count++;
        min = fminf(min, opacity);
        max = fmaxf(max, opacity);
    }
    bool same = !(max > min);
    *base = same ? max : roundf((float)(sum / count) * opacity_steps) / opacity_steps;
    *changes = *changes || !same;
    for (size_t r = 0; r < row_count; r++) {
        float* opacity = &extra->opacities[r * vertices + v];
        *opacity = same || *opacity < 0 ? 0 : roundf(*opacity * opacity_steps) / opacity_steps - *base;
    }
}

static void split_base(limber_bake_smear_mesh* extra, uint32_t row_count) {
    size_t width = 3 * (size_t)extra->vertex_count;
    bool changes = false;
    memcpy(extra->base_positions, extra->positions, width * sizeof(float));
    subtract_base(extra->positions, extra->base_positions, row_count, width);
    if (extra->normals)
        subtract_base(extra->normals, extra->base_normals, row_count, width);
    for (size_t v = 0; v < extra->vertex_count; v++)
        split_opacity(extra, row_count, v, &changes);
    if (changes)
        return;
    limberi_release(extra->opacities);
    extra->opacities = NULL;
}

// Fewer shapes. Opacities wander over the surface and cannot be put together from a few: they keep a target for each
// row, which takes a sixth of the bytes.
static limber_result reduce(limberi_smear_bake* e, limber_bake_smear_mesh* extra, uint32_t rows,
                            limberi_reduction* out) {
    size_t width = 3 * (size_t)extra->vertex_count;
    double tolerance = e->settings->tolerance * (double)e->source->model->size;
    limberi_reducer* reducer = limberi_reducer_create(width, tolerance, extra->normals != NULL, &e->source->parallel);
    limber_result result = reducer ? LIMBER_OK : LIMBER_ERROR_MEMORY;
    for (uint32_t r = 0; !result && r < rows; r++)
        result = limberi_reducer_add(reducer, extra->positions + r * width,
                                     extra->normals ? extra->normals + r * width : NULL);
    if (!result)
        result = limberi_reducer_finish(reducer, out);
    limberi_reducer_destroy(reducer);
    if (result)
        return limberi_fail_memory(e->error);
    if (out->count > rows) // of numbers too large to be put together from others; the rows stay
        return LIMBER_OK;
    if (extra->normals && out->count)
        memcpy(extra->normals, out->followers, out->count * width * sizeof(float));
    if (out->count)
        memcpy(extra->positions, out->basis, out->count * width * sizeof(float));
    return LIMBER_OK;
}

// Unless the shapes are reduced, target r is all of row r.
static void fill_frame(const limber_bake_smear_mesh* extra, uint32_t row, const limberi_reduction* reduction,
                       float* weights) {
    uint32_t first = extra->target_count - extra->opacity_count;
    if (reduction)
        memcpy(weights, reduction->coefficients + (size_t)row * extra->shape_count,
               extra->shape_count * sizeof *weights);
    else
        weights[row] = 1;
    if (reduction && extra->opacity_count)
        weights[first + row] = 1;
}

// An extra that is not seen keeps its shape: a player that goes straight from one frame to the next would melt it away
// in the last frame that shows it.
static limber_result fill_track(limberi_smear_bake* e, uint32_t index, uint32_t t, uint32_t first_frame,
                                const limberi_reduction* reduction) {
    limber_bake_smear_mesh* extra = &e->bake->smear_meshes[index];
    size_t targets = extra->target_count;
    size_t frames = e->bake->tracks[t].frame_count;
    float* weights = extra->weights[t] = limberi_allocate_zeroed(frames * targets + 1, sizeof *weights);
    uint8_t* visible = extra->visible[t] = limberi_allocate_zeroed(frames + 1, sizeof *visible);
    if (!weights || !visible)
        return limberi_fail_memory(e->error);
    for (size_t i = 0; i < frames; i++) {
        int32_t row = e->rows[index].row_of_frame[first_frame + i];
        visible[i] = row >= 0;
        if (row < 0 && i > 0)
            memcpy(weights + i * targets, weights + (i - 1) * targets, targets * sizeof *weights);
        else if (row >= 0)
            fill_frame(extra, (uint32_t)row, reduction, weights + i * targets);
    }
    for (size_t i = 0; i < frames && !visible[i]; i++) // a loop closes
        memmove(weights + i * targets, weights + (frames - 1) * targets, targets * sizeof *weights);
    return LIMBER_OK;
}

static limber_result finish_extra(limberi_smear_bake* e, uint32_t index) {
    limber_bake_smear_mesh* extra = &e->bake->smear_meshes[index];
    uint32_t rows = e->rows[index].count;
    uint32_t frame = 0;
    limberi_reduction reduction;
    memset(&reduction, 0, sizeof reduction);
    bool reduced = e->settings->tolerance > 0 && rows > 0;
    if (rows)
        split_base(extra, rows);
    for (size_t v = 0; !rows && v < extra->vertex_count; v++)
        extra->base_colors[4 * v + 3] = 0;
    limber_result result = reduced ? reduce(e, extra, rows, &reduction) : LIMBER_OK;
    reduced = reduced && reduction.count <= rows;
    extra->shape_count = reduced ? reduction.count : rows;
    extra->opacity_count = extra->opacities ? rows : 0;
    extra->target_count = reduced ? extra->shape_count + extra->opacity_count : rows;
    for (uint32_t t = 0; !result && t < e->bake->track_count; t++) {
        result = fill_track(e, index, t, frame, reduced ? &reduction : NULL);
        frame += e->bake->tracks[t].frame_count;
    }
    limberi_reduction_free(&reduction);
    return result;
}

limber_result limberi_smear_bake_finish(limberi_smear_bake* e) {
    limber_result result = LIMBER_OK;
    for (uint32_t i = 0; !result && i < e->bake->smear_mesh_count; i++)
        result = finish_extra(e, i);
    return result;
}

void limberi_smear_bake_close(limberi_smear_bake* e) {
    for (uint32_t i = 0; e->rows && i < e->bake->smear_mesh_count; i++) {
        limberi_release(e->rows[i].mesh_list);
        limberi_release(e->rows[i].row_of_frame);
    }
    limberi_release(e->rows);
    limberi_release(e->scratch_positions);
    limberi_release(e->scratch_normals);
    limberi_release(e->scratch_opacities);
    memset(e, 0, sizeof *e);
}
