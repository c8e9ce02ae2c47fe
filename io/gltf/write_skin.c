// Skinning attributes that the validator refuses: weights that do not sum to 1, joints named twice, joints named with
// no weight. Only primitives that have such a vertex get new accessors, and in those only the vertices at fault change.
#include "io/gltf/write.h"

#include <math.h>
#include <string.h>

// SHARED_LIMIT: how many repairs are remembered for primitives that share vertices; past it they are made again.
enum { SET_LIMIT = 16, SLOT_LIMIT = 4 * SET_LIMIT, NAME_BYTES = 24, SHARED_LIMIT = 1024 };

typedef struct skin_sets {
    uint32_t set_count, vertex_count;
    uint32_t accessors[2 * SET_LIMIT]; // joints, then weights
    limberi_values joints[SET_LIMIT], weights[SET_LIMIT];
} skin_sets;

// What has been repaired, for primitives that share their vertices.
typedef struct repaired {
    uint32_t set_count;
    uint32_t before[2 * SET_LIMIT], after[2 * SET_LIMIT];
} repaired;

static bool load_set(limberi_writer* writer, limberi_arena* arena, skin_sets* sets, uint32_t s) {
    limberi_values* joints = &sets->joints[s];
    limberi_values* weights = &sets->weights[s];
    if (!limberi_read_values(writer, arena, sets->accessors[2 * s], joints) ||
        !limberi_read_values(writer, arena, sets->accessors[2 * s + 1], weights))
        return false;
    if (s == 0)
        sets->vertex_count = joints->count;
    // Nobody checked the attributes of a mesh that no scene shows: joints of another type are left as they are.
    if (joints->normalized || (joints->component != LIMBERI_GLTF_UINT8 && joints->component != LIMBERI_GLTF_UINT16))
        return false;
    return joints->width == 4 && weights->width == 4 && joints->count == sets->vertex_count &&
           weights->count == sets->vertex_count;
}

static void name_sets(const limberi_json* attributes, skin_sets* sets) {
    for (sets->set_count = 0; sets->set_count < SET_LIMIT; sets->set_count++) {
        char joints[NAME_BYTES], weights[NAME_BYTES];
        limberi_format(joints, sizeof joints, "JOINTS_%u", sets->set_count);
        limberi_format(weights, sizeof weights, "WEIGHTS_%u", sets->set_count);
        uint32_t* accessors = &sets->accessors[2 * sets->set_count];
        accessors[0] = limberi_index(attributes, joints);
        accessors[1] = limberi_index(attributes, weights);
        if (accessors[0] == UINT32_MAX || accessors[1] == UINT32_MAX)
            return;
    }
}

// Joints and weights of one vertex side by side.
typedef struct influences {
    uint32_t count;
    float joint[SLOT_LIMIT], weight[SLOT_LIMIT];
} influences;

// Negative weights count as 0, as they do when a file is read; returns whether there were any.
static bool gather(const skin_sets* sets, uint32_t vertex, influences* out) {
    bool negative = false;
    out->count = 4 * sets->set_count;
    for (uint32_t i = 0; i < out->count; i++) {
        float weight = sets->weights[i / 4].values[4 * (size_t)vertex + i % 4];
        out->joint[i] = sets->joints[i / 4].values[4 * (size_t)vertex + i % 4];
        out->weight[i] = fmaxf(weight, 0.0f);
        negative = negative || weight < 0;
    }
    return negative;
}

static void scatter(skin_sets* sets, uint32_t vertex, const influences* in) {
    for (uint32_t i = 0; i < in->count; i++) {
        sets->joints[i / 4].values[4 * (size_t)vertex + i % 4] = in->joint[i];
        sets->weights[i / 4].values[4 * (size_t)vertex + i % 4] = in->weight[i];
    }
}

// The validator sums in single precision and allows 2e-7 for every weight that counts.
static bool sum_is_off(const influences* in) {
    float sum = 0;
    float tolerance = 0;
    for (uint32_t i = 0; i < in->count; i++) {
        sum += in->weight[i];
        tolerance += in->weight[i] != 0 ? 1.5e-7f : 0.0f;
    }
    return !(fabsf(sum - 1.0f) <= tolerance);
}

static bool joints_are_off(const influences* in) {
    for (uint32_t i = 0; i < in->count; i++) {
        if (in->weight[i] == 0 && in->joint[i] != 0)
            return true;
        for (uint32_t k = 0; in->weight[i] != 0 && k < i; k++)
            if (in->weight[k] != 0 && in->joint[k] == in->joint[i])
                return true;
    }
    return false;
}

static void merge_joints(influences* in) {
    for (uint32_t i = 0; i < in->count; i++) {
        for (uint32_t k = 0; k < i && in->weight[i] != 0; k++) {
            if (in->weight[k] != 0 && in->joint[k] == in->joint[i]) {
                in->weight[k] += in->weight[i];
                in->weight[i] = 0;
            }
        }
        if (in->weight[i] == 0)
            in->joint[i] = 0;
    }
}

static double sum_of(const influences* in) {
    double sum = 0;
    for (uint32_t i = 0; i < in->count; i++)
        sum += (double)in->weight[i];
    return sum;
}

// The largest weight takes what rounding leaves, so that the sum is exact.
static void normalize(influences* in, double sum) {
    double rest = 1;
    uint32_t largest = 0;
    for (uint32_t i = 0; i < in->count; i++)
        largest = in->weight[i] > in->weight[largest] ? i : largest;
    for (uint32_t i = 0; i < in->count; i++) {
        in->weight[i] = (float)((double)in->weight[i] / sum);
        rest -= i == largest ? 0 : (double)in->weight[i];
    }
    in->weight[largest] = (float)rest;
}

static void follow_first_joint(influences* in) {
    uint32_t count = in->count;
    memset(in, 0, sizeof *in);
    in->count = count;
    in->weight[0] = 1;
}

// Returns what changed: 1 joints, 2 weights.
static int repair_vertex(skin_sets* sets, uint32_t v) {
    influences vertex;
    bool negative = gather(sets, v, &vertex);
    int changed = negative ? 2 : 0;
    double sum = sum_of(&vertex);
    if (!(sum > 1e-20 && sum < 3e38)) { // hangs on nothing
        follow_first_joint(&vertex);
        changed = 3;
    }
    // A tiny weight may become nothing when it is normalised, and its joint must go with it.
    for (int pass = 0; pass < 2; pass++) {
        if (joints_are_off(&vertex)) {
            merge_joints(&vertex);
            changed = 3;
        }
        if (sum_is_off(&vertex)) {
            normalize(&vertex, sum_of(&vertex));
            changed |= 2;
        }
    }
    if (changed)
        scatter(sets, v, &vertex);
    return changed;
}

static uint32_t write_joints(limberi_writer* writer, const limberi_values* joints) {
    bool wide = joints->component != LIMBERI_GLTF_UINT8;
    size_t count = 4 * (size_t)joints->count;
    uint8_t* bytes = LIMBERI_ALLOCATE(&writer->arena, uint8_t, wide ? 2 * count : count);
    for (size_t i = 0; bytes && i < count; i++) {
        uint32_t joint = (uint32_t)joints->values[i];
        bytes[wide ? 2 * i : i] = (uint8_t)joint;
        if (wide)
            bytes[2 * i + 1] = (uint8_t)(joint >> 8);
    }
    uint32_t view = limberi_view_begin(writer, LIMBERI_GLTF_VERTICES, 0);
    limberi_writer_append(writer, bytes, wide ? 2 * count : count);
    limberi_view_end(writer, view);
    limberi_accessor accessor = {.view = view,
                                 .component_type = wide ? LIMBERI_GLTF_UINT16 : LIMBERI_GLTF_UINT8,
                                 .type = "VEC4",
                                 .count = joints->count};
    return limberi_accessor_add(writer, &accessor);
}

// Floats whatever the old type was: rounding a normalised byte would move the vertex.
static uint32_t write_weights(limberi_writer* writer, const limberi_values* weights) {
    float* kept = LIMBERI_COPY(&writer->arena, float, weights->values, 4 * (size_t)weights->count);
    return kept ? limberi_floats_add(writer, kept, weights->count, "VEC4", LIMBERI_GLTF_VERTICES, false) : 0;
}

static void point_to(limberi_writer* writer, limberi_json* attributes, const repaired* done) {
    for (uint32_t i = 0; i < 2 * done->set_count; i++) {
        if (done->after[i] == done->before[i])
            continue;
        char name[NAME_BYTES];
        limberi_format(name, sizeof name, i % 2 ? "WEIGHTS_%u" : "JOINTS_%u", i / 2);
        limberi_put_integer(writer, attributes, name, done->after[i]);
    }
}

static void repair_sets(limberi_writer* writer, skin_sets* sets, repaired* done) {
    limberi_arena scratch = {0};
    bool readable = true;
    done->set_count = sets->set_count;
    memcpy(done->before, sets->accessors, sizeof done->before);
    memcpy(done->after, sets->accessors, sizeof done->after);
    for (uint32_t s = 0; readable && s < sets->set_count; s++)
        readable = load_set(writer, &scratch, sets, s);
    int changed = 0;
    for (uint32_t v = 0; readable && v < sets->vertex_count; v++)
        changed |= repair_vertex(sets, v);
    for (uint32_t s = 0; s < sets->set_count; s++) {
        if (changed & 1)
            done->after[2 * s] = write_joints(writer, &sets->joints[s]);
        if (changed & 2)
            done->after[2 * s + 1] = write_weights(writer, &sets->weights[s]);
    }
    limberi_scratch_free(writer, &scratch);
}

static repaired* find_repaired(repaired* list, uint32_t count, const skin_sets* sets) {
    for (uint32_t i = 0; i < count; i++)
        if (list[i].set_count == sets->set_count &&
            memcmp(list[i].before, sets->accessors, 2 * sets->set_count * sizeof(uint32_t)) == 0)
            return &list[i];
    return NULL;
}

static void repair_primitive(limberi_writer* writer, limberi_json* primitive, repaired* list, uint32_t* count) {
    limberi_json* attributes = limberi_json_get(primitive, "attributes");
    skin_sets sets = {0};
    name_sets(attributes, &sets);
    if (!sets.set_count)
        return;
    repaired* done = find_repaired(list, *count, &sets);
    if (!done) {
        done = &list[*count];
        *count = *count + 1 < SHARED_LIMIT ? *count + 1 : *count;
        repair_sets(writer, &sets, done);
    }
    if (memcmp(done->before, done->after, 2 * done->set_count * sizeof(uint32_t)) != 0) {
        limberi_primitive_touch(primitive);
        writer->repaired[LIMBER_REPAIR_WEIGHTS]++;
    }
    point_to(writer, attributes, done);
}

void limberi_repair_weights(limberi_writer* writer) {
    repaired* list = LIMBERI_ALLOCATE(&writer->arena, repaired, SHARED_LIMIT);
    uint32_t count = 0;
    size_t m, p;
    limberi_json *mesh, *primitive;
    for (m = 0; (mesh = limberi_json_at(limberi_json_get(writer->json.root, "meshes"), m)) != NULL; m++) {
        for (p = 0; (primitive = limberi_json_at(limberi_json_get(mesh, "primitives"), p)) != NULL; p++) {
            if (list)
                repair_primitive(writer, primitive, list, &count);
        }
    }
}
