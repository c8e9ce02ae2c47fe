// Many characters in one call (limber/crowd.h). Memory for the members is here, and for textures that hold the texels of
// all of them without gaps.
#include "base/error.h"
#include "web/wasm/web.h"
#include <limber/crowd.h>

#include <stdlib.h>
#include <string.h>

// What a member in `gather` may start at: all shaders know such numbers exactly as floats.
#define MAX_TEXELS (1u << 24)
// Of `every`: the member is not shown.
#define HIDDEN UINT32_MAX

typedef struct web_crowd {
    limber_crowd* crowd;
    uint32_t kind_count, limit, outputs;
    uint32_t evaluated; // members of the last call
    limber_crowd_member* members;
    limber_crowd_memory memory;
    float* gathered;
    uint32_t gathered_rows;
    uint32_t* first; // [limit] the first texel of a member in `gathered`
} web_crowd;

static limber_result fail_memory(void) {
    return limberi_fail_memory(&limberi_web_error);
}

static limber_result fail_argument(const char* sentence) {
    return limberi_fail(&limberi_web_error, LIMBER_ERROR_ARGUMENT, "%s", sentence);
}

void WEB_EXPORT(crowd_destroy)(web_crowd* c) {
    if (!c)
        return;
    limber_crowd_destroy(c->crowd);
    void* const all[] = {c->members,         c->gathered,         c->first,
                         c->memory.palettes, c->memory.texels,    c->memory.texel_counts,
                         c->memory.columns,  c->memory.positions, c->memory.normals,
                         c->memory.same_as,  c->memory.changed};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        free(all[i]);
    free(c);
}

static void measure_kind(web_crowd* c, const limber_model* model, uint32_t kind) {
    limber_crowd_memory* m = &c->memory;
    limber_pack_layout layout = limber_crowd_layout(c->crowd, kind);
    size_t palettes = 0;
    size_t texels = 4 * (size_t)layout.max_texels;
    size_t vertices = 3 * (size_t)model->vertex_count;
    size_t columns = layout.columns_change ? layout.column_bytes / 2 * (size_t)model->vertex_count : 0;
    for (uint32_t s = 0; s < model->skin_count; s++)
        palettes += 16 * (size_t)model->skins[s].joint_count;
    m->palette_stride = palettes > m->palette_stride ? palettes : m->palette_stride;
    m->texel_stride = texels > m->texel_stride ? texels : m->texel_stride;
    m->column_stride = columns > m->column_stride ? columns : m->column_stride;
    m->vertex_stride = vertices > m->vertex_stride ? vertices : m->vertex_stride;
}

// `wanted` false: none. calloc refuses products that overflow.
static bool allocate_rows(bool wanted, uint32_t count, size_t stride, size_t size, void* pointer) {
    void* memory = wanted && stride <= SIZE_MAX / size ? calloc(count, stride * size + !stride) : NULL;
    memcpy(pointer, &memory, sizeof memory);
    return !wanted || memory;
}

static limber_result allocate_memory(web_crowd* c) {
    limber_crowd_memory* m = &c->memory;
    uint32_t n = c->limit;
    bool texels = c->outputs & LIMBER_CROWD_TEXELS;
    bool vertices = c->outputs & LIMBER_CROWD_POSITIONS;
    bool all =
        allocate_rows(true, n, 1, sizeof *c->members, &c->members) &&
        allocate_rows(true, n, 1, sizeof *c->first, &c->first) &&
        allocate_rows(c->outputs & LIMBER_CROWD_PALETTES, n, m->palette_stride, sizeof(float), &m->palettes) &&
        allocate_rows(texels, n, m->texel_stride, sizeof(float), &m->texels) &&
        allocate_rows(texels, n, m->column_stride, sizeof(int16_t), &m->columns) &&
        allocate_rows(texels, n, 1, sizeof(uint32_t), &m->texel_counts) &&
        allocate_rows(vertices, n, m->vertex_stride, sizeof(float), &m->positions) &&
        allocate_rows(vertices && c->outputs & LIMBER_CROWD_NORMALS, n, m->vertex_stride, sizeof(float), &m->normals) &&
        allocate_rows(true, n, 1, sizeof *m->same_as, &m->same_as) &&
        allocate_rows(true, n, 1, sizeof *m->changed, &m->changed);
    return all ? LIMBER_OK : fail_memory();
}

static limber_result open_crowd(web_crowd* c, const web_character* const* characters, limber_style* const* styles,
                                double step_s) {
    limber_crowd_settings settings = limber_crowd_settings_default();
    limber_crowd_kind* kinds = calloc((size_t)c->kind_count + 1, sizeof *kinds);
    if (!kinds)
        return fail_memory();
    for (uint32_t k = 0; k < c->kind_count; k++)
        kinds[k] = (limber_crowd_kind){limberi_web_asset(characters[k]), styles[k]};
    settings.kinds = kinds;
    settings.kind_count = c->kind_count;
    settings.member_limit = c->limit;
    settings.outputs = c->outputs;
    settings.step_s = step_s;
    limber_result result = limber_crowd_create(&settings, &c->crowd, &limberi_web_error);
    free(kinds);
    for (uint32_t k = 0; !result && k < c->kind_count; k++)
        measure_kind(c, characters[k]->model, k);
    return result ? result : allocate_memory(c);
}

// `characters` and `styles`: [kind_count] pointers.
web_crowd* WEB_EXPORT(crowd_create)(const web_character* const* characters, limber_style* const* styles,
                                    uint32_t kind_count, uint32_t limit, uint32_t outputs, double step_s) {
    web_crowd* c = calloc(1, sizeof *c);
    if (!c) {
        fail_memory();
        return NULL;
    }
    c->kind_count = kind_count;
    c->limit = limit;
    c->outputs = outputs;
    if (!open_crowd(c, characters, styles, step_s))
        return c;
    crowd_destroy(c);
    return NULL;
}

// --- frames ---

// The caller has written the first `count` members.
int32_t WEB_EXPORT(crowd_evaluate)(web_crowd* c, uint32_t count, double now_s, uint32_t frame) {
    c->evaluated = 0;
    limber_result result =
        limber_crowd_evaluate(c->crowd, c->members, count, now_s, frame, &c->memory, &limberi_web_error);
    if (!result)
        c->evaluated = count;
    return (int32_t)result;
}

static uint32_t rows_for(uint32_t texels) {
    return (texels + LIMBER_PACK_WIDTH - 1) / LIMBER_PACK_WIDTH;
}

static limber_result make_room(web_crowd* c, uint32_t texels) {
    uint32_t rows = rows_for(texels);
    if (rows <= c->gathered_rows)
        return LIMBER_OK;
    rows += rows / 4; // so that it does not grow often
    rows = rows < rows_for(MAX_TEXELS) ? rows : rows_for(MAX_TEXELS);
    free(c->gathered);
    c->gathered = calloc((size_t)rows * LIMBER_PACK_WIDTH, 4 * sizeof(float));
    c->gathered_rows = c->gathered ? rows : 0;
    return c->gathered ? LIMBER_OK : fail_memory();
}

static limber_result place(web_crowd* c, uint32_t head, uint32_t* texels) {
    uint32_t at = head;
    for (uint32_t i = 0; i < c->evaluated; i++) {
        if (c->members[i].every == HIDDEN || c->memory.same_as[i] != i)
            continue;
        c->first[i] = at;
        at += c->memory.texel_counts[i];
        if (at > MAX_TEXELS)
            return limberi_fail(
                &limberi_web_error, LIMBER_ERROR_LIMIT,
                "the crowd does not fit into one texture; make several crowds, or share moments (step)");
    }
    *texels = at;
    return LIMBER_OK;
}

// The texels of all members that are shown, one after another, behind `head` texels that the caller fills. Members that
// share a moment have the same place. Returns how many there are, 0: it failed.
uint32_t WEB_EXPORT(crowd_gather)(web_crowd* c, uint32_t head) {
    uint32_t texels = 0;
    if (!c->memory.texels || !c->evaluated || head > MAX_TEXELS) {
        fail_argument("a crowd without texels, or without a frame, has nothing to gather");
        return 0;
    }
    if (place(c, head, &texels) || make_room(c, texels))
        return 0;
    for (uint32_t i = 0; i < c->evaluated; i++) {
        uint32_t source = c->memory.same_as[i];
        if (c->members[i].every == HIDDEN)
            continue;
        if (source != i)
            c->first[i] = c->first[source];
        else if (c->memory.texel_counts[i]) // without any there may be no room at all
            memcpy(c->gathered + 4 * (size_t)c->first[i], c->memory.texels + i * c->memory.texel_stride,
                   16 * (size_t)c->memory.texel_counts[i]);
    }
    return texels;
}

double WEB_EXPORT(crowd_time)(const web_crowd* c, uint32_t kind, int32_t clip, double start_s, double speed,
                              double now_s) {
    limber_crowd_member member = {.kind = kind, .clip = clip, .start_s = start_s, .speed = speed};
    return limber_crowd_time(c->crowd, &member, now_s);
}

int32_t WEB_EXPORT(crowd_prepare)(web_crowd* c, uint32_t kind, uint32_t clip) {
    return (int32_t)limber_crowd_prepare(c->crowd, kind, clip, &limberi_web_error);
}

// --- what there is ---

// Strides count floats, of columns int16.
uint32_t WEB_EXPORT(crowd_number)(const web_crowd* c, uint32_t which) {
    const limber_crowd_memory* m = &c->memory;
    const uint32_t numbers[] = {limber_crowd_computed(c->crowd),
                                (uint32_t)m->palette_stride,
                                (uint32_t)m->texel_stride,
                                (uint32_t)m->column_stride,
                                (uint32_t)m->vertex_stride,
                                c->gathered_rows,
                                LIMBER_PACK_WIDTH};
    return which < sizeof numbers / sizeof *numbers ? numbers[which] : 0;
}

void* WEB_EXPORT(crowd_array)(const web_crowd* c, uint32_t which) {
    const limber_crowd_memory* m = &c->memory;
    void* const arrays[] = {c->members, m->palettes, m->texels,  m->texel_counts, m->columns, m->positions,
                            m->normals, m->same_as,  m->changed, c->gathered,     c->first};
    return which < sizeof arrays / sizeof *arrays ? arrays[which] : NULL;
}

uint32_t WEB_EXPORT(crowd_kind_number)(const web_crowd* c, uint32_t kind, uint32_t which) {
    limber_pack_layout layout = limber_crowd_layout(c->crowd, kind);
    const limber_pipeline* pipeline = limber_crowd_pipeline(c->crowd, kind);
    if (!pipeline)
        return 0;
    const uint32_t numbers[] = {layout.influences,
                                layout.joint_bytes,
                                layout.column_count,
                                layout.column_bytes,
                                layout.columns_change,
                                layout.max_texels,
                                layout.obeyed_texels,
                                limber_pipeline_warning_count(pipeline),
                                limber_smear_is_on(&limber_pipeline_stage_settings(pipeline)->smear)};
    return which < sizeof numbers / sizeof *numbers ? numbers[which] : 0;
}

const char* WEB_EXPORT(crowd_warning)(const web_crowd* c, uint32_t kind, uint32_t i) {
    const limber_pipeline* pipeline = limber_crowd_pipeline(c->crowd, kind);
    return pipeline && i < limber_pipeline_warning_count(pipeline) ? limber_pipeline_warning(pipeline, i) : NULL;
}

const char* WEB_EXPORT(crowd_defines)(const web_crowd* c, uint32_t kind) {
    const limber_pack* pack = limber_crowd_pack(c->crowd, kind);
    return pack ? limber_pack_defines(pack) : NULL;
}

// Of a kind, into memory of the caller: 0 settings, 1 joints, 2 obeyed, 3 columns, as the pack_... functions have them.
int32_t WEB_EXPORT(crowd_write)(web_crowd* c, uint32_t kind, uint32_t which, void* out) {
    const limber_pack* pack = limber_crowd_pack(c->crowd, kind);
    if (!pack || which > 3)
        return (int32_t)fail_argument("there is no such kind, or it has no texels");
    if (which == 0)
        limber_pack_write_settings(pack, out);
    else if (which == 1)
        limber_pack_write_joints(pack, out);
    else if (which == 2)
        limber_pack_write_obeyed(pack, out);
    return which == 3 ? (int32_t)limber_crowd_write_columns(c->crowd, kind, out, &limberi_web_error) : LIMBER_OK;
}
