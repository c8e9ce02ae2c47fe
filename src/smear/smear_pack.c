// The pack: formulas as text, and the texture of a frame.
#include "smear/smear_pack_private.h"

#include "base/error.h"
#include "base/memory.h"
#include "text/expression_code.h"

#include <string.h>

// --- formulas ---

static void add_line(void* user, const char* line) {
    limberi_smear_pack* p = user;
    size_t used = strlen(p->text);
    size_t more = strlen(line);
    p->full = p->full || used + more + 2 > sizeof p->text;
    if (p->full)
        return;
    memcpy(p->text + used, line, more);
    memcpy(p->text + used + more, "\n", 2);
}

static uint32_t add_constant(void* user, float value) {
    limberi_smear_pack* p = user;
    p->full = p->full || p->constant_count == LIMBERI_PACK_CONSTANTS;
    if (p->full)
        return 0;
    p->constants[p->constant_count] = value;
    return p->constant_count++;
}

static uint32_t add_column(void* user, const limber_expression* expression, uint32_t instruction) {
    limberi_smear_pack* p = user;
    limberi_pack_columns* all = p->filling;
    uint32_t i = 0;
    while (i < all->count && (all->list[i].expression != expression || all->list[i].instruction != instruction))
        i++;
    p->full = p->full || i == LIMBERI_PACK_COLUMNS;
    if (p->full)
        return 0;
    all->list[i].expression = expression;
    all->list[i].instruction = instruction;
    all->count = i < all->count ? all->count : i + 1;
    return i;
}

typedef struct named_number {
    const char* name;
    limber_number number;
} named_number;

// NULL, or what a shader cannot compute.
static const char* write_numbers(limberi_smear_pack* p, limberi_pack_columns* columns, const named_number* numbers,
                                 size_t count) {
    limberi_code_sink sink = {p, add_line, add_constant, add_column};
    p->filling = columns;
    for (const named_number* n = numbers; n < numbers + count; n++) {
        char line[32];
        add_line(p, n->name);
        const char* wrong = n->number.expression ? limberi_expression_write(n->number.expression, &sink) : NULL;
        if (wrong)
            return wrong;
        if (n->number.expression)
            continue;
        limberi_format(line, sizeof line, "= c%u", add_constant(p, n->number.value));
        add_line(p, line);
    }
    return NULL;
}

static const char* write_formulas(limberi_smear_pack* p) {
    const limber_smear_settings* set = &p->smearer->settings;
    const limber_smear_line_settings* l = &set->lines;
    const limber_number none = {0, NULL};
    const named_number vertices[] = {{"amount", p->smearer->elongates ? set->elongate.amount : none},
                                     {"past", set->elongate.past},
                                     {"opacity", set->multiples.opacity}};
    const named_number seeds[] = {{"length", l->length}, {"radius", l->radius}, {"taper", l->taper},
                                  {"point", l->point},   {"dry", l->dry},       {"gap", l->gap},
                                  {"ink", l->opacity},   {"fade", l->fade}};
    const char* wrong = write_numbers(p, &p->of_vertices, vertices, 3);
    return wrong ? wrong : write_numbers(p, &p->of_seeds, seeds, 8);
}

// --- making one ---

static limber_result check(const limber_smearer* s, limber_error* error) {
    const limber_smear_settings* set = &s->settings;
    if (!set->offsets.skeleton)
        return limberi_fail(error, LIMBER_ERROR_UNSUPPORTED,
                            "smears of one object (smear.offsets.skeleton) are computed on the CPU");
    if (limberi_smear_draws(set))
        return limberi_fail(error, LIMBER_ERROR_UNSUPPORTED,
                            "smears as drawn (smear.stretch, ribbon, strokes) are computed on the CPU");
    if (set->changes.past || set->changes.spacing || set->changes.copy_min_speed || set->changes.line_count ||
        set->changes.line_min_speed || set->changes.smooth)
        return limberi_fail(error, LIMBER_ERROR_UNSUPPORTED,
                            "smears whose copies, lines or smoothing change with time are computed on the CPU");
    if (set->printed_sizes)
        return limberi_fail(error, LIMBER_ERROR_UNSUPPORTED, "offsets as printed are computed on the CPU");
    if (set->steady_offsets)
        return limberi_fail(error, LIMBER_ERROR_UNSUPPORTED, "steady offsets are computed on the CPU");
    if (set->line_tint.on)
        return limberi_fail(error, LIMBER_ERROR_UNSUPPORTED, "lines of two colors are computed on the CPU");
    if (set->motion.part)
        return limberi_fail(error, LIMBER_ERROR_UNSUPPORTED, "smears of a part of the motion are computed on the CPU");
    if (set->of_mesh)
        return limberi_fail(error, LIMBER_ERROR_UNSUPPORTED,
                            "smears with formulas for single meshes are computed on the CPU");
    return LIMBER_OK;
}

static uint32_t steps_of(const limberi_smear_pack* p) {
    return p->smearer->settings.offsets.smooth + 1;
}

static uint32_t first_bone(const limberi_smear_pack* p) {
    return LIMBERI_PACK_HEAD + limberi_smear_live_history(p->live) + 1 + steps_of(p);
}

static uint32_t first_spin(const limberi_smear_pack* p) {
    return first_bone(p) + steps_of(p) * p->layout.joints * (LIMBERI_BONE_NUMBERS / 4);
}

static uint32_t first_constant(const limberi_smear_pack* p) {
    uint32_t frames = p->smearer->filters ? limberi_smear_live_history(p->live) + 1 : 0;
    return first_spin(p) + frames * p->layout.joints * (LIMBERI_SPIN_NUMBERS / 4);
}

static limber_result allocate_frame(limberi_smear_pack* p) {
    limberi_smear_pack_layout* l = &p->layout;
    const limber_smearer* s = p->smearer;
    l->frame_texels = first_constant(p) + (p->constant_count + 3) / 4;
    l->places = limberi_smear_live_capacity(p->live);
    l->place_texels = (2 * s->model->vertex_count + 1023) / 1024 * 1024;
    l->steps = steps_of(p);
    l->copies = s->settings.multiples.past;
    l->lines = s->seed_count;
    p->frame = LIMBERI_ALLOCATE(&p->arena, float, 4 * (size_t)l->frame_texels);
    p->mixes = LIMBERI_ALLOCATE(&p->arena, limberi_smear_mix, (size_t)limberi_smear_live_history(p->live) + 1);
    if (p->arena.failed)
        return LIMBER_ERROR_MEMORY;
    memset(p->frame, 0, 4 * (size_t)l->frame_texels * sizeof *p->frame);
    return LIMBER_OK;
}

static limber_result fill_texels(limberi_smear_pack* p, limber_error* error) {
    const char* wrong = write_formulas(p);
    if (wrong)
        return limberi_fail(error, LIMBER_ERROR_UNSUPPORTED,
                            "smear formulas with %s of what moves are computed on the CPU", wrong);
    if (p->full)
        return limberi_fail(error, LIMBER_ERROR_UNSUPPORTED, "smear formulas as long as these are computed on the CPU");
    limber_result result = limberi_smear_pack_fix(p);
    if (!result)
        result = allocate_frame(p);
    return result ? limberi_fail_memory(error) : LIMBER_OK;
}

limber_result limberi_smear_pack_create(limber_smear_live* live, limberi_smear_pack** pack, limber_error* error) {
    const limber_smearer* s = limberi_smear_live_smearer(live);
    *pack = NULL;
    limber_result result = check(s, error);
    if (result)
        return result;
    limberi_smear_pack* made = limberi_allocate_zeroed(1, sizeof *made);
    if (!made)
        return limberi_fail_memory(error);
    made->live = live;
    made->smearer = s;
    result = fill_texels(made, error);
    if (result)
        limberi_smear_pack_destroy(made);
    else
        *pack = made;
    return result;
}

void limberi_smear_pack_destroy(limberi_smear_pack* p) {
    if (!p)
        return;
    limberi_arena_free(&p->arena);
    limberi_release(p);
}

limberi_smear_pack_layout limberi_smear_pack_get_layout(const limberi_smear_pack* p) {
    return p->layout;
}

const char* limberi_smear_pack_formulas(const limberi_smear_pack* p) {
    return p->text;
}

const float* limberi_smear_pack_fixed(const limberi_smear_pack* p) {
    return p->fixed;
}

// --- a frame ---

static void put_head(limberi_smear_pack* p, uint32_t first, uint32_t known, double time_s, double frame) {
    const limber_smear_settings* set = &p->smearer->settings;
    const limberi_pack_fixed_places* at = &p->at;
    uint32_t mixes = LIMBERI_PACK_HEAD;
    uint32_t shares = mixes + limberi_smear_live_history(p->live) + 1;
    const float head[4 * LIMBERI_PACK_HEAD] = {(float)time_s,
                                               (float)frame,
                                               0,
                                               (float)first,
                                               p->smearer->size,
                                               (float)known,
                                               (float)set->step,
                                               set->elongate.max,
                                               set->multiples.min_speed,
                                               limberi_smear_spacing(set),
                                               (float)set->multiples.past,
                                               set->multiples.standard_opacity,
                                               set->lines.min_speed,
                                               set->lines.silhouette,
                                               set->lines.standard_length,
                                               (float)p->layout.lines,
                                               (float)p->layout.place_texels,
                                               (float)p->layout.chunks,
                                               (float)p->layout.joints,
                                               (float)at->vertex_stride,
                                               (float)at->joints,
                                               (float)at->chunks,
                                               (float)at->seeds,
                                               (float)at->seed_stride,
                                               (float)mixes,
                                               (float)shares,
                                               (float)first_bone(p),
                                               (float)first_constant(p),
                                               (float)p->smearer->model->vertex_count,
                                               (float)(p->smearer->filters ? first_spin(p) : 0)};
    memcpy(p->frame, head, sizeof head);
}

// What the offsets of frames 0 to -known count in the smoothed one: those after frame 0 are taken to be as in it, and
// those before the last as in that.
static void put_shares(limberi_smear_pack* p, uint32_t known) {
    int32_t n = (int32_t)p->smearer->settings.offsets.smooth;
    float* shares = p->frame + 4 * (size_t)(LIMBERI_PACK_HEAD + limberi_smear_live_history(p->live) + 1);
    float sum = 0;
    memset(shares, 0, 4 * (size_t)steps_of(p) * sizeof *shares);
    for (int32_t i = -n; i <= n; i++) {
        float x = (float)i / (float)(n + 1);
        float weight = (1 - x * x) * (1 - x * x);
        uint32_t k = i < 0 ? (uint32_t)-i : 0;
        shares[4 * (size_t)(k < known ? k : known)] += weight;
        sum += weight;
    }
    for (uint32_t k = 0; k <= known; k++)
        shares[4 * (size_t)k] /= sum;
}

const float* limberi_smear_pack_frame(limberi_smear_pack* p) {
    double time_s, frame;
    uint32_t first = limberi_smear_live_look(p->live, p->mixes, &time_s, &frame);
    uint32_t smooth = p->smearer->settings.offsets.smooth;
    uint32_t known = smooth < first ? smooth : first;
    put_head(p, first, known, time_s, frame);
    for (uint32_t k = 0; k <= first; k++) {
        const float mix[4] = {(float)p->mixes[k].from, (float)p->mixes[k].to, p->mixes[k].share, 0};
        memcpy(p->frame + 4 * (size_t)(LIMBERI_PACK_HEAD + k), mix, sizeof mix);
    }
    put_shares(p, known);
    for (uint32_t k = 0; k <= known; k++)
        limberi_smear_bone_rows(
            p->smearer, limberi_smear_live_bones(p->live, k), limberi_smear_live_bones(p->live, k ? k : 1),
            limberi_smear_live_bones(p->live, k ? k - 1 : 0),
            p->frame + 4 * (size_t)first_bone(p) + (size_t)k * p->layout.joints * LIMBERI_BONE_NUMBERS);
    for (uint32_t k = 0; p->smearer->filters && k <= first; k++)
        limberi_smear_spin_rows(p->smearer, limberi_smear_live_bones(p->live, 0), limberi_smear_live_bones(p->live, k),
                                p->frame + 4 * (size_t)first_spin(p) +
                                    (size_t)k * p->layout.joints * LIMBERI_SPIN_NUMBERS);
    memcpy(p->frame + 4 * (size_t)first_constant(p), p->constants, p->constant_count * sizeof *p->constants);
    return p->frame;
}
