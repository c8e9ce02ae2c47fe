// Joints that are too few for what the style does to their vertices are split: helpers take shares of their weights, each
// around a place of the mesh. One bone says with a number per vertex what takes a dozen morph targets of three each.
// Where helpers rest, the vertices are where the joint alone would have them.
#include "asset/asset.h"
#include "bake/bones.h"
#include "base/math.h"
#include "base/memory.h"
#include "base/parallel.h"

#include <string.h>

// SAMPLES: frames whose rest tells how many targets it takes, in REST_BYTES. STEP: places that a round adds. PATIENCE:
// rounds without a gain before it ends. JOINT_LIMIT: what a byte can name in a file.
enum { SAMPLES = 64, REST_BYTES = 32 << 20, STEP = 4, PATIENCE = 2, JOINT_LIMIT = 256, ROWS_PER_TASK = 4 };

static const double off_share = 0.85; // of the tolerance: vertices that are never farther off need nothing
static const double mean_share = 0.1; // of the tolerance: the mean error where the worst is about the tolerance
// Bytes in a file. Rough: with these and SAMPLES, of the values tried, the dog, the hero, Snake, Wolf and Puffer came out
// smallest in sum; with other values some of them become up to a tenth larger.
static const double curve_bytes = 2.5 * 180;
static const double key_bytes = 20;
static const double vertex_bytes = 14;  // of a target
static const double region_share = 0.5; // of the vertices that a target moves

typedef struct split_search {
    limberi_bone_bake* bake;
    uint32_t first_helper;        // helpers before it carry pieces
    float* rest;                  // [sample][vertex * 3]
    uint32_t sample_count, every; // of the frames of a pass
    uint32_t packed_count;        // vertices of `rest` that count
    double *gram, *values;        // [sample]^2, [sample]
    float* best_off;              // [vertex] of the best so far
    float* score;                 // [mesh][bind] after each other
    size_t* first_score;          // [mesh]
    bool no_memory;               // sticky
} split_search;

// --- what the rest will take ---

void limberi_bones_split_look(const limberi_bone_frame* f) {
    const split_search* s = f->bake->split;
    size_t width = 3 * (size_t)f->bake->model->vertex_count;
    uint32_t seen = f->frame / limberi_bone_bake_every(f->bake);
    if (seen % s->every == 0 && seen / s->every < s->sample_count)
        memcpy(s->rest + seen / s->every * width, f->shape, width * sizeof(float));
}

static bool counts(const limberi_bone_bake* b, size_t vertex) {
    return (double)b->off[vertex] > off_share * b->tolerance;
}

static void pack_rows(void* user, uint32_t first, uint32_t end, uint32_t worker) {
    const split_search* s = user;
    size_t vertices = s->bake->model->vertex_count;
    (void)worker;
    for (uint32_t i = first; i < end; i++) {
        float* row = s->rest + 3 * vertices * i;
        float* out = row;
        for (size_t v = 0; v < vertices; v++) {
            if (!counts(s->bake, v))
                continue;
            memmove(out, row + 3 * v, 3 * sizeof *out);
            out += 3;
        }
    }
}

// Vertices that are close enough count for nothing: the others move together, and the rows with them.
static uint32_t pack_rest(const split_search* s) {
    const limberi_bone_bake* b = s->bake;
    size_t vertices = b->model->vertex_count;
    uint32_t count = 0;
    for (size_t v = 0; v < vertices; v++)
        count += counts(b, v);
    limberi_parallel_for(&b->source->parallel, s->sample_count, 1, pack_rows, (void*)(uintptr_t)s);
    for (uint32_t i = 1; i < s->sample_count; i++)
        memmove(s->rest + 3 * (size_t)count * i, s->rest + 3 * vertices * i, 3 * (size_t)count * sizeof *s->rest);
    return count;
}

static void multiply_rest(void* user, uint32_t first, uint32_t end, uint32_t worker) {
    const split_search* s = user;
    size_t width = 3 * (size_t)s->packed_count;
    (void)worker;
    for (uint32_t i = first; i < end; i++)
        limberi_rows_dots(s->rest + i * width, s->rest, i + 1, width, s->gram + (size_t)i * s->sample_count);
}

// How many principal axes bring the mean error below what is allowed.
static uint32_t count_axes(split_search* s, uint32_t vertices) {
    const limberi_bone_bake* b = s->bake;
    size_t n = s->sample_count;
    double left = 0;
    limberi_parallel_for(&b->source->parallel, s->sample_count, ROWS_PER_TASK, multiply_rest, s);
    for (size_t i = 0; i < n; i++) {
        for (size_t k = 0; k < i; k++)
            s->gram[k * n + i] = s->gram[i * n + k];
        left += s->gram[i * n + i];
    }
    s->no_memory = s->no_memory || limberi_eigen(s->gram, (uint32_t)n, s->values, &b->source->parallel) != LIMBER_OK;
    double allowed = mean_share * b->tolerance;
    uint32_t axes = 0;
    while (!s->no_memory && axes < n && left > allowed * allowed * (double)vertices * (double)n)
        left -= s->values[axes++];
    return axes;
}

static double estimate_bytes(split_search* s) {
    const limberi_bone_bake* b = s->bake;
    uint32_t vertices = s->packed_count = pack_rest(s);
    double targets = vertices ? (double)count_axes(s, vertices) : 0;
    double helper = curve_bytes * b->bake->track_count + key_bytes * b->frame_count;
    return targets * (region_share * vertex_bytes * vertices + 4.0 * b->frame_count) +
           helper * (double)(b->helper_count - s->first_helper);
}

// --- places ---

static void score_joints(split_search* s) {
    const limberi_bone_bake* b = s->bake;
    for (uint32_t m = 0; m < b->model->mesh_count; m++) {
        const limber_mesh* mesh = &b->model->meshes[m];
        float* score = s->score + s->first_score[m];
        memset(score, 0, b->model->skins[mesh->skin].joint_count * sizeof *score);
        for (uint32_t v = 0; v < mesh->vertex_count; v++) {
            double off = (double)b->off[mesh->first_vertex + v] / b->tolerance - off_share;
            bool counts = off > 0 && b->helper_of_vertex[mesh->first_vertex + v] < 0;
            for (uint32_t i = mesh->influence_first[v]; counts && i < mesh->influence_first[v + 1]; i++)
                score[mesh->influence_joint[i]] += mesh->influence_weight[i] * (float)off;
        }
    }
}

static bool find_joint(const split_search* s, uint32_t* mesh, uint32_t* bind) {
    const limber_model* model = s->bake->model;
    float best = 0;
    for (uint32_t m = 0; m < model->mesh_count; m++) {
        uint32_t count = model->skins[model->meshes[m].skin].joint_count;
        if (count < 2 || count + s->bake->helper_count >= JOINT_LIMIT)
            continue; // a mesh on one joint may be none that the file skins
        for (uint32_t k = 0; k < count; k++)
            if (s->score[s->first_score[m] + k] > best) {
                best = s->score[s->first_score[m] + k];
                *mesh = m;
                *bind = k;
            }
    }
    return best > 0;
}

static float nearest_place(const limberi_bone_bake* b, uint32_t m, uint32_t bind, limber_vec3 at) {
    float best = HUGE_VALF;
    for (uint32_t i = 0; i < b->places.count; i++) {
        const limberi_bone_place* p = &b->places.places[i];
        if (p->mesh == m && p->bind == bind)
            best = fminf(best, limberi_distance(at, p->at));
    }
    return best;
}

// Where vertices are far off and far from the places there are. The first place of a joint is its own.
static void add_place(split_search* s, uint32_t m, uint32_t bind) {
    limberi_bone_bake* b = s->bake;
    const limber_mesh* mesh = &b->model->meshes[m];
    float best = -1;
    limber_vec3 found = {0, 0, 0};
    bool any = nearest_place(b, m, bind, found) < HUGE_VALF;
    for (uint32_t v = 0; v < mesh->vertex_count; v++) {
        limber_vec3 at = limberi_load3(mesh->positions + 3 * (size_t)v);
        float value = limberi_weight_on(mesh, v, bind);
        if (b->helper_of_vertex[mesh->first_vertex + v] >= 0)
            value = 0;
        if (any && value > 0)
            value *= b->off[mesh->first_vertex + v] * nearest_place(b, m, bind, at);
        if (value > best) {
            best = value;
            found = at;
        }
    }
    limberi_bone_place place = {m, bind, -1, found};
    if (any) {
        place.helper = (int32_t)b->helper_count;
        b->helpers[b->helper_count++] = (limberi_bone_helper){m, b->model->skins[mesh->skin].joints[bind], bind, 0};
    }
    b->places.places[b->places.count++] = place;
}

static bool add_places(split_search* s) {
    limberi_bone_bake* b = s->bake;
    uint32_t m = 0;
    uint32_t bind = 0;
    bool any = false;
    score_joints(s);
    for (uint32_t i = 0; i < STEP && b->helper_count < LIMBER_BONE_HELPERS && find_joint(s, &m, &bind); i++) {
        if (nearest_place(b, m, bind, limberi_vec3(0, 0, 0)) == HUGE_VALF)
            add_place(s, m, bind);
        add_place(s, m, bind);
        s->score[s->first_score[m] + bind] *= 0.4f;
        any = true;
    }
    return any;
}

// --- rounds ---

// The first so many, and the places up to the last of them.
static void keep_helpers(limberi_bone_bake* b, uint32_t count) {
    const limberi_bone_place* places = b->places.places;
    b->helper_count = count;
    while (b->places.count &&
           (places[b->places.count - 1].helper < 0 || places[b->places.count - 1].helper >= (int32_t)count))
        b->places.count--;
}

static limber_result run_rounds(split_search* s, limberi_bone_refit* refit) {
    limberi_bone_bake* b = s->bake;
    size_t off_bytes = b->model->vertex_count * sizeof *b->off;
    double min = estimate_bytes(s);
    uint32_t best = b->helper_count;
    limber_result result = LIMBER_OK;
    memcpy(s->best_off, b->off, off_bytes);
    for (int idle = 0; !result && !s->no_memory && idle < PATIENCE && add_places(s); idle++) {
        result = refit(b);
        double bytes = result ? 0 : estimate_bytes(s);
        if (!result && bytes < min) {
            min = bytes;
            best = b->helper_count;
            memcpy(s->best_off, b->off, off_bytes);
            idle = -1;
        }
    }
    keep_helpers(b, best);
    memcpy(b->off, s->best_off, off_bytes);
    return s->no_memory ? LIMBER_ERROR_MEMORY : result;
}

bool limberi_bones_split_open(limberi_bone_bake* b) {
    const limber_model* model = b->model;
    limberi_arena* arena = &b->arena;
    split_search* s = LIMBERI_ALLOCATE(arena, split_search, 1);
    if (!s)
        return false;
    size_t scores = 0;
    s->bake = b;
    s->first_score = LIMBERI_ALLOCATE(arena, size_t, model->mesh_count);
    for (uint32_t m = 0; s->first_score && m < model->mesh_count; m++) {
        s->first_score[m] = scores;
        scores += model->skins[model->meshes[m].skin].joint_count;
    }
    s->score = LIMBERI_ALLOCATE(arena, float, scores);
    s->best_off = LIMBERI_ALLOCATE(arena, float, model->vertex_count);
    size_t width = 3 * (size_t)model->vertex_count + 1;
    uint32_t step = limberi_bone_bake_every(b);
    uint32_t seen = (b->frame_count + step - 1) / step;
    size_t fit = 2 + REST_BYTES / (width * sizeof(float));
    uint32_t room = fit < SAMPLES ? (uint32_t)fit : SAMPLES;
    s->every = (b->frame_count / step + room) / room;
    s->sample_count = (seen + s->every - 1) / s->every;
    s->rest = limberi_allocate((width * s->sample_count + 1) * sizeof *s->rest);
    s->gram = LIMBERI_ALLOCATE(arena, double, SAMPLES* SAMPLES);
    s->values = LIMBERI_ALLOCATE(arena, double, SAMPLES);
    b->split = s;
    return s->rest && !arena->failed;
}

void limberi_bones_split_close(limberi_bone_bake* b) {
    if (b->split)
        limberi_release(b->split->rest);
    b->split = NULL;
}

limber_result limberi_bones_split(limberi_bone_bake* b, limberi_bone_refit* refit) {
    b->split->first_helper = b->helper_count;
    return run_rounds(b->split, refit);
}

// --- shares ---

enum { PARTS = LIMBERI_BONE_PARTS };

typedef struct part {
    float distance;
    int32_t helper;
} part;

// The nearest places of a joint, by distance; one more than a vertex can hang on.
static uint32_t sort_places(const limberi_bone_places* all, uint32_t m, uint32_t bind, limber_vec3 at, part* out) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < all->count; i++) {
        const limberi_bone_place* place = &all->places[i];
        if (place->mesh != m || place->bind != bind)
            continue;
        part one = {limberi_distance(at, place->at), place->helper};
        if (count > PARTS && !(one.distance < out[count - 1].distance))
            continue;
        uint32_t k = count <= PARTS ? count++ : count - 1;
        for (; k > 0 && out[k - 1].distance > one.distance; k--)
            out[k] = out[k - 1];
        out[k] = one;
    }
    return count;
}

// Shares of the nearest places: those of Franke and Little's weights, (1 / d - 1 / r)^2, which are smooth and end where
// the next place would come in.
static uint32_t weigh_places(const part* parts, uint32_t count, uint32_t room, float weight, limberi_bone_share* out) {
    double values[PARTS];
    double sum = 0;
    uint32_t used = count < room ? count : room;
    double nearest = (double)parts[0].distance;
    double last = count > used ? nearest / (double)parts[used].distance : 0;
    for (uint32_t i = 0; i < used; i++) {
        double x = 1;
        if (parts[i].distance > 0)
            x = nearest / (double)parts[i].distance;
        values[i] = (x - last) * (x - last);
        sum += values[i];
    }
    if (!(sum > 0)) {
        values[0] = sum = 1;
        used = 1;
    }
    for (uint32_t i = 0; i < used; i++) {
        out[i].helper = parts[i].helper;
        out[i].weight = (float)((double)weight * values[i] / sum);
    }
    return used;
}

// How many parts each joint of a vertex may have: the heaviest get what is free.
static void give_room(const limber_mesh* mesh, uint32_t v, uint32_t* room) {
    uint32_t first = mesh->influence_first[v];
    uint32_t count = mesh->influence_first[v + 1] - first;
    for (uint32_t i = 0; i < count && i < PARTS; i++)
        room[i] = 1;
    for (uint32_t used = count; used < PARTS && count; used++) {
        uint32_t best = 0;
        for (uint32_t i = 1; i < count; i++)
            if (mesh->influence_weight[first + i] / (float)room[i] >
                mesh->influence_weight[first + best] / (float)room[best])
                best = i;
        room[best]++;
    }
}

uint32_t limberi_bone_shares(const limberi_bone_places* all, const limber_mesh* mesh, uint32_t m, uint32_t v,
                             limberi_bone_share* out) {
    uint32_t first = mesh->influence_first[v];
    uint32_t count = mesh->influence_first[v + 1] - first;
    uint32_t room[PARTS];
    uint32_t filled = 0;
    limber_vec3 at = limberi_load3(mesh->positions + 3 * (size_t)v);
    give_room(mesh, v, room);
    for (uint32_t i = 0; i < count; i++) {
        part parts[PARTS + 1];
        uint32_t bind = mesh->influence_joint[first + i];
        float weight = mesh->influence_weight[first + i];
        uint32_t found = sort_places(all, m, bind, at, parts);
        uint32_t used = 1;
        if (found)
            used = weigh_places(parts, found, i < PARTS ? room[i] : 1, weight, out + filled);
        else
            out[filled] = (limberi_bone_share){.helper = -1, .weight = weight};
        for (uint32_t k = 0; k < used; k++)
            out[filled + k].bind = bind;
        filled += used;
    }
    return filled;
}
