// A bone bake: nodes below the joints that carry the skin, their keys, and helpers. The joints themselves and their
// clips stay as they are, so that whatever else hangs on them stays, too.
#include "base/error.h"
#include "base/math.h"
#include "io/gltf/write.h"

#include <string.h>

enum { NAME_BYTES = 32, INPUT_BYTES = 4 };

static const char* const path_names[LIMBER_BONE_CURVES] = {"translation", "rotation", "scale", "rotation"};

typedef struct bone_writer {
    limberi_writer* writer;
    const limber_model* model;
    const limber_bake* bake;
    uint32_t* outer; // [bone] the node with translation, rotation and scale
    uint32_t* inner; // [bone] the node that carries the skin; the same where the turn back is constant
    uint32_t view;   // all keys
    uint64_t start;  // of the view
} bone_writer;

// --- nodes ---

// A mesh without a skin has no inverse bind matrix that could turn back.
static bool carries_mesh(const bone_writer* w, const limber_bake_bone* bone) {
    const limber_gltf* document = w->writer->document;
    for (uint32_t m = 0; m < w->model->mesh_count; m++)
        if (document->meshes[m].skin == UINT32_MAX && w->writer->carriers[m] == document->node_of_joint[bone->joint])
            return true;
    return false;
}

// "limber:Head", "limber:Head.piece2"; the node that turns back has a ".skin" at its end.
static const char* name_bone(const bone_writer* w, uint32_t index, const char* end) {
    const limber_bake_bone* bone = &w->bake->bones[index];
    const char* joint = w->model->rig.names[bone->joint];
    size_t room = strlen(joint) + NAME_BYTES;
    char* name = LIMBERI_ALLOCATE(&w->writer->arena, char, room);
    char piece[NAME_BYTES] = "";
    uint32_t number = 0;
    for (uint32_t i = 0; i <= index && bone->helper_mesh >= 0; i++)
        number += w->bake->bones[i].helper_mesh >= 0;
    if (number)
        limberi_format(piece, sizeof piece, ".piece%u", number);
    if (name)
        limberi_format(name, room, "limber:%s%s%s", joint, piece, end);
    return name ? name : "";
}

static uint32_t bone_of_joint(const bone_writer* w, uint32_t joint) {
    for (uint32_t i = 0; i < w->bake->bone_count; i++)
        if (w->bake->bones[i].helper_mesh < 0 && w->bake->bones[i].joint == joint)
            return i;
    return UINT32_MAX;
}

static void add_bone(bone_writer* w, uint32_t index) {
    const limber_bake_bone* bone = &w->bake->bones[index];
    uint32_t joint = w->writer->document->node_of_joint[bone->joint];
    bool mesh = bone->helper_mesh < 0 && carries_mesh(w, bone);
    w->outer[index] = w->inner[index] = limberi_add_below(w->writer, joint, name_bone(w, index, ""), bone->axes);
    if (bone->shears || mesh)
        w->inner[index] =
            limberi_add_below(w->writer, w->outer[index], name_bone(w, index, ".skin"), limberi_quat_conj(bone->axes));
    if (limberi_writer_status(w->writer, NULL) != LIMBER_OK)
        return;
    w->writer->roles[w->outer[index]] |= LIMBERI_ROLE_ANIMATED;
    w->writer->roles[w->inner[index]] |= LIMBERI_ROLE_JOINT;
    if (mesh)
        limberi_hang_meshes(w->writer, joint, w->inner[index]);
}

// --- skins ---

// What comes first when a vertex is moved by this bone: its inverse bind matrix, and the constant turn back.
static limber_mat4 bind_matrix(const bone_writer* w, uint32_t index, const limber_mat4* joint_from_mesh) {
    if (w->outer[index] != w->inner[index])
        return *joint_from_mesh;
    limber_transform back = limber_transform_identity();
    back.rotation = limberi_quat_conj(w->bake->bones[index].axes);
    limber_mat4 turn = limberi_mat4_from_transform(&back);
    return limberi_mat4_mul(&turn, joint_from_mesh);
}

static bool uses_skin(const bone_writer* w, uint32_t index, uint32_t skin) {
    int32_t mesh = w->bake->bones[index].helper_mesh;
    return mesh >= 0 && (uint32_t)mesh < w->model->mesh_count && w->model->meshes[mesh].skin == skin;
}

static void write_skin(bone_writer* w, uint32_t s, uint32_t skin_in_file) {
    limberi_writer* writer = w->writer;
    const limber_skin* skin = &w->model->skins[s];
    limberi_json* object = limberi_item(writer->json.root, "skins", skin_in_file);
    limberi_json* joints = limberi_json_get(object, "joints");
    limber_mat4* matrices =
        LIMBERI_ALLOCATE(&writer->arena, limber_mat4, (size_t)skin->joint_count + w->bake->bone_count);
    uint32_t count = skin->joint_count;
    if (!matrices || limberi_json_count(joints) != count)
        return;
    for (uint32_t k = 0; k < count; k++) {
        uint32_t bone = bone_of_joint(w, skin->joints[k]);
        matrices[k] = skin->joint_from_mesh[k];
        if (bone == UINT32_MAX)
            continue;
        matrices[k] = bind_matrix(w, bone, &skin->joint_from_mesh[k]);
        limberi_json_replace(&writer->json, joints, k, limberi_json_new_integer(&writer->json, w->inner[bone]));
    }
    for (uint32_t i = 0; i < w->bake->bone_count; i++) {
        if (!uses_skin(w, i, s))
            continue;
        matrices[count++] = bind_matrix(w, i, &skin->joint_from_mesh[w->bake->bones[i].helper_bind]);
        limberi_push_integer(writer, joints, w->inner[i]);
    }
    limberi_put_integer(writer, object, "inverseBindMatrices",
                        limberi_floats_add(writer, matrices[0].m, count, "MAT4", 0, false));
}

static uint32_t bone_of_node(const bone_writer* w, int64_t node) {
    for (uint32_t i = 0; i < w->bake->bone_count; i++)
        if (w->bake->bones[i].helper_mesh < 0 &&
            (int64_t)w->writer->document->node_of_joint[w->bake->bones[i].joint] == node)
            return i;
    return UINT32_MAX;
}

// A skin of meshes that are not in the scene, such as levels of detail (MSFT_lod), hangs on the same bones. It has no
// helpers and no targets.
static void write_other_skin(bone_writer* w, limberi_json* object) {
    limberi_writer* writer = w->writer;
    limberi_json* joints = limberi_json_get(object, "joints");
    uint32_t count = limberi_json_count(joints);
    limber_mat4* matrices = LIMBERI_ALLOCATE(&writer->arena, limber_mat4, count);
    limberi_values old;
    bool has = limberi_json_get(object, "inverseBindMatrices") != NULL;
    if (has && (!limberi_read_values(writer, &writer->arena, limberi_index(object, "inverseBindMatrices"), &old) ||
                old.width != 16 || old.count < count))
        return;
    for (uint32_t k = 0; matrices && k < count; k++) {
        uint32_t bone = bone_of_node(w, limberi_json_as_integer(limberi_json_at(joints, k)));
        matrices[k] = limber_mat4_identity();
        if (has)
            memcpy(&matrices[k], old.values + 16 * (size_t)k, sizeof matrices[k]);
        if (bone == UINT32_MAX)
            continue;
        matrices[k] = bind_matrix(w, bone, &matrices[k]);
        limberi_json_replace(&writer->json, joints, k, limberi_json_new_integer(&writer->json, w->inner[bone]));
    }
    if (matrices && count)
        limberi_put_integer(writer, object, "inverseBindMatrices",
                            limberi_floats_add(writer, matrices[0].m, count, "MAT4", 0, false));
}

static void write_skins(bone_writer* w) {
    limberi_json* skins = limberi_json_get(w->writer->json.root, "skins");
    uint32_t count = limberi_json_count(skins);
    bool* done = LIMBERI_ALLOCATE(&w->writer->arena, bool, count);
    for (uint32_t m = 0; done && m < w->model->mesh_count; m++) {
        uint32_t in_file = w->writer->document->meshes[m].skin;
        if (in_file >= count || done[in_file])
            continue;
        write_skin(w, w->model->meshes[m].skin, in_file);
        done[in_file] = true;
    }
    for (uint32_t s = 0; done && s < count; s++)
        if (!done[s])
            write_other_skin(w, limberi_json_at(skins, s));
}

// --- keys ---

static uint32_t add_numbers(bone_writer* w, const void* bytes, size_t size, limberi_accessor accessor) {
    accessor.view = w->view;
    accessor.offset = (size_t)(w->writer->byte_count - w->start);
    limberi_writer_append(w->writer, bytes, size);
    return limberi_accessor_add(w->writer, &accessor);
}

// Times that are written once: those of all frames for all bones, others for the curves of one bone.
typedef struct shared_times {
    uint32_t whole, last;
    const limber_bake_curve* last_curve;
} shared_times;

static bool same_frames(const limber_bake_curve* a, const limber_bake_curve* b) {
    return a && a->key_count == b->key_count && memcmp(a->frames, b->frames, b->key_count * sizeof *b->frames) == 0;
}

static uint32_t add_times(bone_writer* w, const limber_bake_track* track, const limber_bake_curve* curve,
                          shared_times* shared) {
    bool all = curve->key_count == track->frame_count;
    if (all && shared->whole != UINT32_MAX)
        return shared->whole;
    if (same_frames(shared->last_curve, curve))
        return shared->last;
    float* times = LIMBERI_ALLOCATE(&w->writer->arena, float, curve->key_count);
    for (uint32_t i = 0; times && i < curve->key_count; i++)
        times[i] = track->times[curve->frames[i]];
    limberi_accessor accessor = {
        .component_type = LIMBERI_GLTF_FLOAT, .type = "SCALAR", .count = curve->key_count, .bounds = times};
    uint32_t input = times ? add_numbers(w, times, curve->key_count * sizeof *times, accessor) : 0;
    shared->last = input;
    shared->last_curve = curve;
    if (all)
        shared->whole = input;
    return input;
}

static uint32_t add_values(bone_writer* w, const limber_bake_curve* curve, uint32_t width, bool packed) {
    size_t numbers = (size_t)curve->key_count * width;
    limberi_accessor accessor = {.component_type = packed ? LIMBERI_GLTF_INT16 : LIMBERI_GLTF_FLOAT,
                                 .type = width == 4 ? "VEC4" : "VEC3",
                                 .count = curve->key_count,
                                 .normalized = packed};
    limberi_check_floats(w->writer, curve->values, numbers);
    if (!packed)
        return add_numbers(w, curve->values, numbers * sizeof(float), accessor);
    const uint8_t* bytes = limberi_int16_of(w->writer, curve->values, numbers);
    return bytes ? add_numbers(w, bytes, 2 * numbers, accessor) : 0;
}

static void write_curves(bone_writer* w, uint32_t index, uint32_t t, shared_times* shared) {
    const limber_bake_bone* bone = &w->bake->bones[index];
    const limber_bake_track* track = &w->bake->tracks[t];
    uint32_t animation = w->writer->document->animation_of_clip[track->clip];
    for (uint32_t part = 0; part < LIMBER_BONE_CURVES; part++) {
        const limber_bake_curve* curve = &bone->curves[t * LIMBER_BONE_CURVES + part];
        if (!curve->key_count)
            continue;
        bool turn = part == LIMBER_BONE_ROTATION || part == LIMBER_BONE_BACK;
        uint32_t input = add_times(w, track, curve, shared);
        uint32_t output = add_values(w, curve, turn ? 4 : 3, turn && bone->packed);
        uint32_t node = part == LIMBER_BONE_BACK ? w->inner[index] : w->outer[index];
        limberi_set_channel(w->writer, animation, node, path_names[part], "LINEAR", input, output);
    }
}

static void write_keys(bone_writer* w) {
    w->view = limberi_view_begin(w->writer, 0, 0);
    w->start = w->writer->byte_count;
    for (uint32_t t = 0; t < w->bake->track_count; t++) {
        shared_times shared = {UINT32_MAX, UINT32_MAX, NULL};
        for (uint32_t i = 0; i < w->bake->bone_count && w->bake->tracks[t].clip < w->model->clip_count; i++)
            write_curves(w, i, t, &shared);
    }
    if (w->writer->byte_count == w->start) // a view may not be empty
        limberi_writer_append(w->writer, NULL, INPUT_BYTES);
    limberi_view_end(w->writer, w->view);
}

limber_result limberi_write_bones(limberi_writer* writer, const limber_bake* bake, limber_error* error) {
    bone_writer w = {.writer = writer, .model = limber_asset_model(writer->document->asset), .bake = bake};
    if (!bake->bone_count)
        return LIMBER_OK;
    w.outer = LIMBERI_ALLOCATE(&writer->arena, uint32_t, bake->bone_count);
    w.inner = LIMBERI_ALLOCATE(&writer->arena, uint32_t, bake->bone_count);
    for (uint32_t i = 0; w.inner && i < bake->bone_count; i++) {
        if (bake->bones[i].joint >= w.model->rig.joint_count)
            return limberi_fail(error, LIMBER_ERROR_ARGUMENT, "bone %u does not match the file it came from", i);
        add_bone(&w, i);
    }
    if (limberi_writer_status(writer, error) == LIMBER_OK) {
        write_skins(&w);
        write_keys(&w);
    }
    return limberi_writer_status(writer, error);
}

// --- helpers ---

// A copy of an accessor that differs in some elements, as a sparse accessor over the same bytes.
static uint32_t overlay(limberi_writer* writer, uint32_t accessor, const uint32_t* elements, uint32_t count,
                        const uint8_t* values, size_t value_bytes) {
    const limberi_json* old = limberi_item(writer->json.root, "accessors", accessor);
    limberi_json* copy = limberi_json_copy(&writer->json, old);
    limberi_json* sparse = limberi_new_object(writer);
    limberi_json* indices = limberi_new_object(writer);
    limberi_json* changed = limberi_new_object(writer);
    limberi_json_remove(copy, "min");
    limberi_json_remove(copy, "max");
    limberi_put_integer(writer, sparse, "count", count);
    uint32_t view = limberi_view_begin(writer, 0, 0);
    limberi_writer_append(writer, elements, count * sizeof *elements);
    limberi_view_end(writer, view);
    limberi_put_integer(writer, indices, "bufferView", view);
    limberi_put_integer(writer, indices, "componentType", LIMBERI_GLTF_UINT32);
    view = limberi_view_begin(writer, 0, 0);
    limberi_writer_append(writer, values, value_bytes);
    limberi_view_end(writer, view);
    limberi_put_integer(writer, changed, "bufferView", view);
    limberi_put(writer, sparse, "indices", indices);
    limberi_put(writer, sparse, "values", changed);
    limberi_put(writer, copy, "sparse", sparse);
    return limberi_push(writer, limberi_json_get(writer->json.root, "accessors"), copy);
}

// The first of four numbers is `first`, the others 0, as the accessor stores them.
static size_t put_four(uint8_t* out, int component, uint32_t first, bool weight) {
    static const uint8_t one[4] = {0, 0, 0x80, 0x3f}; // 1.0f, little-endian as the file
    size_t size = component == LIMBERI_GLTF_UINT8 ? 1 : 2;
    if (component == LIMBERI_GLTF_FLOAT)
        size = 4;
    memset(out, 0, 4 * size);
    if (weight)
        first = component == LIMBERI_GLTF_UINT8 ? 255 : 65535;
    out[0] = (uint8_t)first;
    if (size == 2)
        out[1] = (uint8_t)(first >> 8);
    if (size == 4 && first)
        memcpy(out, one, sizeof one);
    return 4 * size;
}

typedef struct helper_part {
    limberi_writer* writer;
    uint32_t count;
    uint32_t* elements; // of the primitive
    uint32_t* joints;   // what they hang on, in the skin
} helper_part;

// Players exist that cannot lay a sparse accessor over vertices that share a view with others.
// Both are written again: joints in 16 bits, weights as floats.
static uint32_t replace(const helper_part* part, uint32_t accessor, bool weight, bool set) {
    limberi_writer* writer = part->writer;
    limberi_values old;
    if (!limberi_read_values(writer, &writer->arena, accessor, &old) || old.width != 4)
        return accessor;
    for (uint32_t i = 0; i < part->count; i++) {
        float* four = old.values + 4 * (size_t)part->elements[i];
        memset(four, 0, 4 * sizeof *four);
        four[0] = 0;
        if (set)
            four[0] = weight ? 1 : (float)part->joints[i];
    }
    if (weight)
        return limberi_floats_add(writer, old.values, old.count, "VEC4", LIMBERI_GLTF_VERTICES, false);
    size_t numbers = 4 * (size_t)old.count;
    uint8_t* bytes = LIMBERI_ALLOCATE(&writer->arena, uint8_t, 2 * numbers);
    for (size_t i = 0; bytes && i < numbers; i++) {
        bytes[2 * i] = (uint8_t)((uint32_t)old.values[i] & 255);
        bytes[2 * i + 1] = (uint8_t)((uint32_t)old.values[i] >> 8);
    }
    uint32_t view = limberi_view_begin(writer, LIMBERI_GLTF_VERTICES, 0);
    limberi_writer_append(writer, bytes, 2 * numbers);
    limberi_view_end(writer, view);
    limberi_accessor fresh = {.view = view, .component_type = LIMBERI_GLTF_UINT16, .type = "VEC4", .count = old.count};
    return limberi_accessor_add(writer, &fresh);
}

// Two accessors of one view would need a stride. Those of other primitives stay as they are.
static bool is_shared(const limberi_writer* writer, uint32_t accessor, const char* name) {
    const limberi_json* meshes = limberi_json_get(writer->json.root, "meshes");
    uint32_t users = 0;
    for (uint32_t m = 0; m < limberi_json_count(meshes); m++) {
        const limberi_json* primitives = limberi_json_get(limberi_json_at(meshes, m), "primitives");
        for (uint32_t p = 0; p < limberi_json_count(primitives); p++)
            users += limberi_index(limberi_json_get(limberi_json_at(primitives, p), "attributes"), name) == accessor;
    }
    return users > 1;
}

static void hang_attribute(const helper_part* part, limberi_json* attributes, const char* name, bool weight, bool set) {
    limberi_writer* writer = part->writer;
    uint32_t accessor = limberi_index(attributes, name);
    const limberi_json* object = limberi_item(writer->json.root, "accessors", accessor);
    const limberi_json* view = limberi_item(writer->json.root, "bufferViews", limberi_index(object, "bufferView"));
    if (writer->edits->dense || limberi_json_get(view, "byteStride") || is_shared(writer, accessor, name)) {
        limberi_put_integer(writer, attributes, name, replace(part, accessor, weight, set));
        return;
    }
    int component = (int)limberi_json_as_integer(limberi_json_get(object, "componentType"));
    uint8_t* values = LIMBERI_ALLOCATE(&writer->arena, uint8_t, 16 * (size_t)part->count);
    size_t bytes = 0;
    for (uint32_t i = 0; values && i < part->count; i++) {
        size_t size = put_four(values + bytes, component, part->joints[i], weight);
        if (!set)
            memset(values + bytes, 0, size);
        bytes += size;
    }
    if (values && object)
        limberi_put_integer(writer, attributes, name,
                            overlay(writer, accessor, part->elements, part->count, values, bytes));
}

static void hang_primitive(const helper_part* part, limberi_json* primitive) {
    limberi_json* attributes = limberi_json_get(primitive, "attributes");
    limberi_primitive_touch(primitive);
    for (uint32_t set = 0;; set++) {
        char joints[NAME_BYTES], weights[NAME_BYTES];
        limberi_format(joints, sizeof joints, "JOINTS_%u", set);
        limberi_format(weights, sizeof weights, "WEIGHTS_%u", set);
        if (!limberi_json_get(attributes, joints) || !limberi_json_get(attributes, weights))
            return;
        hang_attribute(part, attributes, joints, false, set == 0);
        hang_attribute(part, attributes, weights, true, set == 0);
    }
}

// Where a helper is in its skin: after the joints, in the order of the bones.
static uint32_t index_in_skin(const limber_model* model, const limber_bake* bake, uint32_t bone) {
    uint32_t skin = model->meshes[bake->bones[bone].helper_mesh].skin;
    uint32_t index = model->skins[skin].joint_count;
    for (uint32_t i = 0; i < bone; i++)
        index += bake->bones[i].helper_mesh >= 0 && model->meshes[bake->bones[i].helper_mesh].skin == skin;
    return index;
}

static void hang_mesh(limberi_writer* writer, const limber_bake* bake, uint32_t m) {
    const limber_model* model = limber_asset_model(writer->document->asset);
    const limber_mesh* mesh = &model->meshes[m];
    const int32_t* helper = bake->meshes[m].helper;
    uint32_t own = limberi_mesh_own(writer, writer->carriers[m]);
    limberi_json* primitives = limberi_json_get(limberi_item(writer->json.root, "meshes", own), "primitives");
    for (uint32_t p = 0; p < limberi_part_count(mesh); p++) {
        limber_part run = limberi_part_at(mesh, p);
        helper_part part = {.writer = writer};
        part.elements = LIMBERI_ALLOCATE(&writer->arena, uint32_t, run.vertex_count);
        part.joints = LIMBERI_ALLOCATE(&writer->arena, uint32_t, run.vertex_count);
        for (uint32_t v = 0; part.joints && v < run.vertex_count; v++) {
            int32_t bone = helper[run.first_vertex + v];
            if (bone < 0 || (uint32_t)bone >= bake->bone_count)
                continue;
            part.elements[part.count] = v;
            part.joints[part.count++] = index_in_skin(model, bake, (uint32_t)bone);
        }
        if (part.count)
            hang_primitive(&part, limberi_json_at(primitives, p));
    }
}

// --- shares ---

// SHARE_STEPS: what shares that make up all of a weight may miss of it by rounding.
enum { SHARE_SETS = 4, WHOLE = 65535, SHARE_STEPS = 5, JOINT_LIMIT = 256 };

// What the vertices of a primitive hang on, in sets of four; written again.
typedef struct share_part {
    limberi_writer* writer;
    const limber_bake* bake;
    const limber_mesh* mesh;
    uint32_t m, first_vertex, vertex_count;
    uint32_t set_count;
    uint8_t* joints;   // [set][vertex][4]
    uint16_t* weights; // [set][vertex][4] in 65535ths
} share_part;

static size_t share_at(const share_part* p, uint32_t v, uint32_t number) {
    return 4 * ((size_t)(number / 4) * p->vertex_count + v) + number % 4;
}

static void hang_on(share_part* p, uint32_t v, uint32_t* at, uint32_t joint, float weight) {
    long steps = lrintf(weight * WHOLE);
    if (steps <= 0 || *at >= 4 * SHARE_SETS)
        return;
    p->joints[share_at(p, v, *at)] = (uint8_t)joint;
    p->weights[share_at(p, v, *at)] = (uint16_t)(steps < WHOLE ? steps : WHOLE);
    p->set_count = *at / 4 + 1 > p->set_count ? *at / 4 + 1 : p->set_count;
    ++*at;
}

// Weights of a vertex sum to 1: the largest takes what rounding leaves.
static void mend_sum(const share_part* p, uint32_t v, uint32_t count) {
    uint16_t* largest = NULL;
    int32_t rest = WHOLE;
    for (uint32_t i = 0; i < count; i++) {
        uint16_t* weight = &p->weights[share_at(p, v, i)];
        largest = !largest || *weight > *largest ? weight : largest;
        rest -= *weight;
    }
    if (largest)
        *largest = (uint16_t)(*largest + rest);
}

// `shares` are those of the vertex. Joints keep what helpers do not take.
static void hang_vertex(share_part* p, uint32_t v, const limber_bake_share* shares, uint32_t count) {
    const limber_model* model = limber_asset_model(p->writer->document->asset);
    uint32_t source = p->first_vertex + v;
    const int32_t* alone = p->bake->meshes[p->m].helper;
    uint32_t at = 0;
    if (alone && alone[source] >= 0) {
        hang_on(p, v, &at, index_in_skin(model, p->bake, (uint32_t)alone[source]), 1);
        return;
    }
    for (uint32_t i = p->mesh->influence_first[source]; i < p->mesh->influence_first[source + 1]; i++) {
        float left = p->mesh->influence_weight[i];
        bool all = false;
        for (uint32_t k = 0; k < count; k++)
            if (p->bake->bones[shares[k].bone].helper_bind == p->mesh->influence_joint[i]) {
                hang_on(p, v, &at, index_in_skin(model, p->bake, shares[k].bone), shares[k].weight);
                left -= shares[k].weight;
                all = left * WHOLE < SHARE_STEPS;
            }
        hang_on(p, v, &at, p->mesh->influence_joint[i], all ? 0 : left);
    }
    mend_sum(p, v, at);
}

static uint32_t add_fours(const share_part* p, const void* fours, int component, size_t size, bool normalized) {
    limberi_accessor accessor = {.view = limberi_view_begin(p->writer, LIMBERI_GLTF_VERTICES, 0),
                                 .component_type = component,
                                 .type = "VEC4",
                                 .count = p->vertex_count,
                                 .normalized = normalized};
    limberi_writer_append(p->writer, fours, 4 * size * p->vertex_count);
    limberi_view_end(p->writer, accessor.view);
    return limberi_accessor_add(p->writer, &accessor);
}

static void add_share_sets(const share_part* p, limberi_json* attributes) {
    limberi_writer* writer = p->writer;
    for (uint32_t set = 0; set < SHARE_SETS; set++) {
        char joints[NAME_BYTES], weights[NAME_BYTES];
        size_t first = 4 * (size_t)set * p->vertex_count;
        limberi_format(joints, sizeof joints, "JOINTS_%u", set);
        limberi_format(weights, sizeof weights, "WEIGHTS_%u", set);
        if (set >= p->set_count) {
            limberi_json_remove(attributes, joints);
            limberi_json_remove(attributes, weights);
            continue;
        }
        limberi_put_integer(writer, attributes, joints,
                            add_fours(p, p->joints + first, LIMBERI_GLTF_UINT8, sizeof *p->joints, false));
        limberi_put_integer(writer, attributes, weights,
                            add_fours(p, p->weights + first, LIMBERI_GLTF_UINT16, sizeof *p->weights, true));
    }
}

static void share_primitive(share_part* p, limberi_json* primitive, const limber_bake_share* shares, uint32_t count) {
    limberi_json* attributes = limberi_json_get(primitive, "attributes");
    size_t room = 4 * (size_t)SHARE_SETS * p->vertex_count;
    p->joints = LIMBERI_ALLOCATE(&p->writer->arena, uint8_t, room);
    p->weights = LIMBERI_ALLOCATE(&p->writer->arena, uint16_t, room);
    if (!p->joints || !p->weights || !attributes)
        return;
    uint32_t i = 0;
    for (uint32_t v = 0; v < p->vertex_count; v++) {
        while (i < count && shares[i].vertex < p->first_vertex + v)
            i++;
        uint32_t end = i;
        while (end < count && shares[end].vertex == p->first_vertex + v)
            end++;
        hang_vertex(p, v, shares + i, end - i);
        i = end;
    }
    limberi_primitive_touch(primitive);
    add_share_sets(p, attributes);
}

// The shares of a mesh are next to each other, by vertex.
static uint32_t find_shares(const limber_bake* bake, uint32_t m, uint32_t* first) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < bake->share_count; i++) {
        bool own =
            bake->shares[i].bone < bake->bone_count && bake->bones[bake->shares[i].bone].helper_mesh == (int32_t)m;
        if (own && !count)
            *first = i;
        count += own;
    }
    return count;
}

static void share_mesh(limberi_writer* writer, const limber_bake* bake, uint32_t m, uint32_t first, uint32_t count) {
    static const limber_bake_share none = {0};
    const limber_mesh* mesh = &limber_asset_model(writer->document->asset)->meshes[m];
    uint32_t own = limberi_mesh_own(writer, writer->carriers[m]);
    limberi_json* primitives = limberi_json_get(limberi_item(writer->json.root, "meshes", own), "primitives");
    for (uint32_t p = 0; p < limberi_part_count(mesh); p++) {
        limber_part run = limberi_part_at(mesh, p);
        share_part part = {.writer = writer,
                           .bake = bake,
                           .mesh = mesh,
                           .m = m,
                           .first_vertex = run.first_vertex,
                           .vertex_count = run.vertex_count};
        share_primitive(&part, limberi_json_at(primitives, p), count ? bake->shares + first : &none, count);
    }
}

// Whether a byte says what each vertex of a mesh with helpers hangs on.
static bool fits_bytes(const limberi_writer* writer, const limber_bake* bake, uint32_t m) {
    const limber_model* model = limber_asset_model(writer->document->asset);
    uint32_t joints = model->skins[model->meshes[m].skin].joint_count;
    for (uint32_t i = 0; i < bake->bone_count; i++)
        joints +=
            bake->bones[i].helper_mesh >= 0 && model->meshes[bake->bones[i].helper_mesh].skin == model->meshes[m].skin;
    return bake->meshes[m].helper && writer->document->meshes[m].skin != UINT32_MAX && joints <= JOINT_LIMIT;
}

void limberi_write_shares(limberi_writer* writer, const limber_bake* bake) {
    for (uint32_t m = 0; m < bake->mesh_count; m++) {
        uint32_t first = 0;
        uint32_t count = find_shares(bake, m, &first);
        if (count || fits_bytes(writer, bake, m))
            share_mesh(writer, bake, m, first, count);
    }
}

void limberi_write_helpers(limberi_writer* writer, const limber_bake* bake) {
    for (uint32_t m = 0; m < bake->mesh_count; m++) {
        uint32_t first = 0;
        if (bake->meshes[m].helper && !find_shares(bake, m, &first) && !fits_bytes(writer, bake, m))
            hang_mesh(writer, bake, m);
    }
}
