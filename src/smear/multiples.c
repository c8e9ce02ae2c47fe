// In-between copies (`multiples` in the style): transparent copies of the character at other moments of its paths
// (SMEAR, eq. 11 and 12).
#include "base/error.h"
#include "smear/smear_private.h"

#include <string.h>

// SMEAR, section 5.2: with a spacing of 1 / (copies + 1 - N), N copies of one frame lie on copies of the next.
float limberi_smear_spacing(const limber_smear_settings* settings) {
    const limber_smear_multiple_settings* set = &settings->multiples;
    float copies = (float)(set->past + set->future);
    float overlap = set->overlap < copies ? set->overlap : copies;
    float spacing = (float)settings->step * (set->spacing > 0 ? set->spacing : 1 / (copies + 1 - overlap));
    uint32_t furthest = set->past > set->future ? set->past : set->future;
    float max = (float)LIMBER_SMEAR_REACH / (float)(furthest ? furthest : 1);
    return spacing < max ? spacing : max;
}

static void open_copy(limber_smearer* s, int32_t number, uint32_t m, size_t* vertices) {
    const limber_mesh* mesh = &s->model->meshes[m];
    limber_smear_mesh* copy = &s->meshes[s->mesh_count++];
    copy->kind = LIMBER_SMEAR_KIND_COPY;
    limberi_format(copy->name, sizeof copy->name, "multiple %d", number);
    copy->number = number;
    copy->source = m;
    copy->vertex_count = mesh->vertex_count;
    copy->triangle_count = mesh->triangle_count;
    copy->triangles = mesh->triangles;
    copy->positions = s->copy_positions + 3 * *vertices;
    copy->normals = s->copy_normals + 3 * *vertices;
    copy->colors = s->copy_colors + 4 * *vertices;
    *vertices += mesh->vertex_count;
}

// Allocates two meshes more, for the lines and for what is drawn.
limber_result limberi_smear_prepare_multiples(limber_smearer* s) {
    const limber_smear_multiple_settings* set = &s->settings.multiples;
    size_t copies = set->past + set->future;
    size_t vertices = 0;
    uint32_t meshes = 0;
    for (uint32_t m = 0; m < s->model->mesh_count; m++) {
        bool skipped = limberi_smear_skips(s, &s->model->meshes[m]);
        meshes += !skipped;
        vertices += skipped ? 0 : s->model->meshes[m].vertex_count;
    }
    s->meshes = LIMBERI_ALLOCATE(&s->arena, limber_smear_mesh, copies * meshes + 2);
    s->copy_positions = LIMBERI_ALLOCATE(&s->arena, float, 3 * copies * vertices);
    s->copy_normals = LIMBERI_ALLOCATE(&s->arena, float, 3 * copies * vertices);
    s->copy_colors = LIMBERI_ALLOCATE(&s->arena, float, 4 * copies * vertices);
    if (s->arena.failed)
        return LIMBER_ERROR_MEMORY;
    size_t taken = 0;
    for (int32_t number = -(int32_t)set->past; number <= (int32_t)set->future; number++)
        for (uint32_t m = 0; number && m < s->model->mesh_count; m++)
            if (!limberi_smear_skips(s, &s->model->meshes[m]))
                open_copy(s, number, m, &taken);
    s->multiple_count = s->mesh_count;
    return s->multiple_count ? limberi_smear_find_hidden(s) : LIMBER_OK;
}

// SMEAR, eq. 12. The farther a copy is, the higher the offset at which it begins to be seen.
static float standard_opacity(float offset, int32_t number, float copies) {
    if (!(offset * (float)number > 0))
        return 0;
    float begin = ((float)(number < 0 ? -number : number) - 1) / copies;
    return limberi_smoothstep((fabsf(offset) - begin) / (1 - begin));
}

static void block_opacity(const limber_smearer* s, const limber_smear_job* job, const limber_smear_mesh* copy,
                          uint32_t first, uint32_t count, float* out) {
    const limber_smear_multiple_settings* set = &s->settings.multiples;
    size_t at = s->model->meshes[copy->source].first_vertex + first;
    const limber_smear_multiple_settings* own = &limberi_smear_of_mesh(s, copy->source)->multiples;
    float copies = (float)(copy->number < 0 ? set->past : set->future);
    if (own->standard_opacity)
        for (uint32_t i = 0; i < count; i++)
            out[i] = standard_opacity(job->offsets[at + i], copy->number, copies);
    else
        limberi_smear_evaluate(s, job, copy->source, own->opacity, copy->number, first, count, out);
    for (uint32_t i = 0; i < count; i++)
        if (s->speeds[at + i] >= set->min_speed)
            out[i] = limberi_clamp(out[i], 0, 1) * s->outside[at + i] * (s->gains ? s->gains[at + i] : 1);
        else
            out[i] = 0;
}

static bool fill_colors(const limber_smearer* s, const limber_smear_job* job, const limber_smear_mesh* copy,
                        float* colors) {
    const limber_mesh* mesh = &s->model->meshes[copy->source];
    bool visible = false;
    float opacity[LIMBER_BLOCK];
    for (uint32_t first = 0; first < copy->vertex_count; first += LIMBER_BLOCK) {
        uint32_t left = copy->vertex_count - first;
        uint32_t count = left < LIMBER_BLOCK ? left : LIMBER_BLOCK;
        block_opacity(s, job, copy, first, count, opacity);
        for (size_t i = 0; i < count; i++) {
            float* color = colors + 4 * (first + i);
            for (size_t c = 0; c < 4; c++)
                color[c] = mesh->colors ? mesh->colors[4 * (first + i) + c] : 1;
            color[3] *= opacity[i];
            visible = visible || opacity[i] > 0;
        }
    }
    return visible;
}

// Between the normals of the two frames around the moment.
static void fill_normals(const limber_smear_frame* frames, int32_t first, float amount, size_t from, size_t count,
                         float* out) {
    float whole = floorf(amount);
    float t = amount - whole;
    const limber_smear_frame* at = frames + ((int32_t)whole - first);
    const float* a = at->normals + from;
    const float* b = t > 0 ? at[1].normals + from : a;
    for (size_t i = 0; i < count; i += 3) {
        limber_vec3 n = limberi_normalize(limberi_lerp(limberi_load3(a + i), limberi_load3(b + i), t));
        limberi_store3(out + i, limberi_dot(n, n) > 0.5f ? n : limberi_load3(a + i));
    }
}

void limberi_smear_multiples(limber_smearer* s, const limber_smear_job* job, const limber_smear_frame* frames,
                             int32_t first) {
    float spacing = limberi_smear_spacing(&s->settings);
    size_t vertices = 0;
    for (uint32_t k = 0; k < s->multiple_count; k++) {
        limber_smear_mesh* copy = &s->meshes[k];
        float* positions = s->copy_positions + 3 * vertices;
        float* normals = s->copy_normals + 3 * vertices;
        size_t from = 3 * (size_t)s->model->meshes[copy->source].first_vertex;
        size_t count = 3 * (size_t)copy->vertex_count;
        bool shown = copy->number < 0 ? -copy->number <= (int32_t)s->settings.multiples.past
                                      : copy->number <= (int32_t)s->settings.multiples.future;
        copy->visible = shown && fill_colors(s, job, copy, s->copy_colors + 4 * vertices);
        if (!shown)
            memset(s->copy_colors + 4 * vertices, 0, 4 * (size_t)copy->vertex_count * sizeof *s->copy_colors);
        if (copy->visible) {
            float amount = (float)copy->number * spacing;
            limberi_smear_copy(frames, first, amount, from, count, positions);
            fill_normals(frames, first, amount, from, count, normals);
        } else { // all on one point, with unit normals
            for (size_t i = 0; i < count; i += 3) {
                memcpy(positions + i, job->now->positions + from, 3 * sizeof *positions);
                limberi_store3(normals + i, limberi_vec3(0, 1, 0));
            }
        }
        vertices += copy->vertex_count;
    }
}
