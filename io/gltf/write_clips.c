// Clips that were edited, in the place of those the file has; and skins that stretch along their bones.
//
// A stretch of a joint's skin is W (I + (f - 1) a a^T), which the joint itself cannot carry: its children would inherit
// it, and an axis that is none of x, y, z has no scale in glTF. Two nodes below the joint can: one turns x onto the
// axis and scales x by f, the next turns back. The skin hangs on the second.
#include "asset/channel.h"
#include "base/error.h"
#include "base/math.h"
#include "io/gltf/write.h"

#include <string.h>

static const char* const path_names[] = {"translation", "rotation", "scale"};

// --- channels ---

// Key times that channels of a clip share.
typedef struct clip_input {
    struct clip_input* next;
    const float* times;
    uint32_t count, accessor;
} clip_input;

typedef struct clip_writer {
    limberi_writer* writer;
    const limber_model* model;
    uint32_t animation;
    const limber_bake_track* track; // of a bake of the clip, NULL: none
    clip_input* inputs;
} clip_writer;

static uint32_t input_of(clip_writer* c, const float* times, uint32_t count) {
    clip_input* input = c->inputs;
    while (input && (input->count != count || memcmp(input->times, times, count * sizeof *times) != 0))
        input = input->next;
    if (input)
        return input->accessor;
    input = LIMBERI_ALLOCATE(&c->writer->arena, clip_input, 1);
    uint32_t accessor = limberi_floats_add(c->writer, times, count, "SCALAR", 0, true);
    if (input) {
        *input = (clip_input){c->inputs, times, count, accessor};
        c->inputs = input;
    }
    return accessor;
}

// A node that is animated may not have a matrix.
static void split_matrix(clip_writer* c, uint32_t node, uint32_t joint) {
    limberi_json* object = limberi_item(c->writer->json.root, "nodes", node);
    const limber_transform* rest = &c->model->rig.rest_local[joint];
    if (!limberi_json_get(object, "matrix"))
        return;
    limberi_json_remove(object, "matrix");
    limberi_put(c->writer, object, "translation", limberi_reals(c->writer, &rest->translation.x, 3));
    limberi_put(c->writer, object, "rotation", limberi_reals(c->writer, &rest->rotation.x, 4));
    limberi_put(c->writer, object, "scale", limberi_reals(c->writer, &rest->scale.x, 3));
}

static bool is_new(const limber_model* model, const limber_clip* old, const limber_channel* channel) {
    int32_t index = channel->path == LIMBER_CHANNEL_WEIGHTS
                        ? old->weights_of_mesh[channel->target]
                        : old->channel_of_joint[3 * (size_t)channel->target + channel->path];
    return index < 0 || !limberi_channel_is_same(model, &old->channels[index], channel);
}

static void write_channel(clip_writer* c, const limber_channel* channel) {
    uint32_t node = c->writer->document->node_of_joint[channel->target];
    uint32_t input = input_of(c, channel->times, channel->key_count);
    const char* type = channel->path == LIMBER_CHANNEL_ROTATION ? "VEC4" : "VEC3";
    uint32_t output = limberi_values_add(c->writer, channel->values, channel->key_count, type);
    split_matrix(c, node, channel->target);
    limberi_set_channel(c->writer, c->animation, node, path_names[channel->path], "LINEAR", input, output);
    c->writer->roles[node] |= LIMBERI_ROLE_ANIMATED;
}

// Of a mesh; targets of a bake are added to it later.
static void write_weights(clip_writer* c, const limber_channel* channel) {
    size_t count = (size_t)channel->key_count * c->model->meshes[channel->target].morph_count;
    uint32_t input = input_of(c, channel->times, channel->key_count);
    uint32_t output = limberi_floats_add(c->writer, channel->values, count, "SCALAR", 0, false);
    limberi_set_channel(c->writer, c->animation, c->writer->carriers[channel->target], "weights", "LINEAR", input,
                        output);
}

// --- stretches ---

uint32_t limberi_add_below(limberi_writer* writer, uint32_t parent, const char* name, limber_quat rotation) {
    limberi_json* object = limberi_new_object(writer);
    limberi_name_node(writer, object, name, "");
    limberi_put(writer, object, "rotation", limberi_reals(writer, &rotation.x, 4));
    uint32_t index = limberi_push(writer, limberi_json_get(writer->json.root, "nodes"), object);
    limberi_json* above = limberi_item(writer->json.root, "nodes", parent);
    limberi_push_integer(writer, limberi_child_array(writer, above, "children"), index);
    if (index < writer->node_room)
        writer->parents[index] = (int32_t)parent;
    else
        writer->failed = true; // cannot happen: every joint is stretched at most once
    return index;
}

// Nodes that scale joints, for all clips.
typedef struct stretcher {
    uint32_t* made;  // [joint] the node; UINT32_MAX: none yet
    uint32_t* moved; // [node] what skins hang on instead
    bool* hung;      // [node] whether a skin does
} stretcher;

// Calls `at` for each joint of each skin.
static void each_skin_joint(limberi_writer* writer, const stretcher* st,
                            void (*at)(limberi_writer*, const stretcher*, limberi_json* joints, size_t i,
                                       uint32_t node)) {
    size_t s;
    limberi_json* skin;
    for (s = 0; (skin = limberi_json_at(limberi_json_get(writer->json.root, "skins"), s)) != NULL; s++) {
        limberi_json* joints = limberi_json_get(skin, "joints");
        for (size_t i = 0; i < limberi_json_count(joints); i++) {
            int64_t node = limberi_json_as_integer(limberi_json_at(joints, i));
            if (node >= 0 && node < writer->node_count)
                at(writer, st, joints, i, (uint32_t)node);
        }
    }
}

static void note_hung(limberi_writer* writer, const stretcher* st, limberi_json* joints, size_t i, uint32_t node) {
    (void)writer;
    (void)joints;
    (void)i;
    st->hung[node] = true;
}

static void hang_anew(limberi_writer* writer, const stretcher* st, limberi_json* joints, size_t i, uint32_t node) {
    if (st->moved[node] != UINT32_MAX)
        limberi_json_replace(&writer->json, joints, i, limberi_json_new_integer(&writer->json, st->moved[node]));
}

static bool begin_stretching(limberi_writer* writer, stretcher* st) {
    uint32_t joints = limber_asset_model(writer->document->asset)->rig.joint_count;
    st->made = LIMBERI_ALLOCATE(&writer->arena, uint32_t, joints);
    st->moved = LIMBERI_ALLOCATE(&writer->arena, uint32_t, writer->node_count);
    st->hung = LIMBERI_ALLOCATE(&writer->arena, bool, writer->node_count);
    if (!st->made || !st->moved || !st->hung)
        return false;
    memset(st->made, 0xff, joints * sizeof *st->made);
    memset(st->moved, 0xff, writer->node_count * sizeof *st->moved);
    each_skin_joint(writer, st, note_hung);
    return true;
}

static void move_child(limberi_writer* writer, uint32_t child, uint32_t from, uint32_t to) {
    limberi_json* children = limberi_json_get(limberi_item(writer->json.root, "nodes", from), "children");
    for (size_t i = limberi_json_count(children); i-- > 0;)
        if (limberi_json_as_integer(limberi_json_at(children, i)) == (int64_t)child)
            limberi_json_remove_at(children, i);
    limberi_push_integer(writer, limberi_child_array(writer, limberi_item(writer->json.root, "nodes", to), "children"),
                         child);
    writer->parents[child] = (int32_t)to;
}

// A rigid mesh that the joint's node carries itself stretches too, as a separate node.
void limberi_hang_meshes(limberi_writer* writer, uint32_t from, uint32_t to) {
    const limber_model* model = limber_asset_model(writer->document->asset);
    for (uint32_t m = 0; m < model->mesh_count; m++) {
        if (writer->document->meshes[m].skin != UINT32_MAX || writer->carriers[m] != from)
            continue;
        uint32_t leaf = limberi_node_to_leaf(writer, from); // the node has children by now, so it is a new one
        if (leaf == from)
            continue;
        move_child(writer, leaf, from, to);
        writer->carriers[m] = leaf;
    }
}

static bool carries_mesh(const limberi_writer* writer, uint32_t node) {
    const limber_model* model = limber_asset_model(writer->document->asset);
    for (uint32_t m = 0; m < model->mesh_count; m++)
        if (writer->document->meshes[m].skin == UINT32_MAX && writer->carriers[m] == node)
            return true;
    return false;
}

// The node that scales, UINT32_MAX when nothing hangs on the joint. Made once for all clips.
static uint32_t stretch_node(limberi_writer* writer, const limber_stretch* stretch, const stretcher* st) {
    uint32_t node = writer->document->node_of_joint[stretch->joint];
    if (st->made[stretch->joint] != UINT32_MAX)
        return st->made[stretch->joint];
    if (!st->hung[node] && !carries_mesh(writer, node))
        return UINT32_MAX;
    char name[160];
    const char* joint = limber_asset_model(writer->document->asset)->rig.names[stretch->joint];
    limber_quat turn = limberi_quat_x_onto(stretch->axis);
    limberi_format(name, sizeof name, "%s.along", joint);
    uint32_t along = limberi_add_below(writer, node, name, turn);
    limberi_format(name, sizeof name, "%s.skin", joint);
    uint32_t skin = limberi_add_below(writer, along, name, limberi_quat_conj(turn));
    if (limberi_writer_status(writer, NULL) != LIMBER_OK)
        return UINT32_MAX;
    st->moved[node] = skin;
    limberi_hang_meshes(writer, node, skin);
    writer->roles[skin] |= LIMBERI_ROLE_JOINT;
    writer->roles[along] |= LIMBERI_ROLE_ANIMATED;
    st->made[stretch->joint] = along;
    return along;
}

static void write_stretch(clip_writer* c, const limber_stretch* stretch, const stretcher* st) {
    uint32_t node = stretch_node(c->writer, stretch, st);
    float* scales = LIMBERI_ALLOCATE(&c->writer->arena, float, 3 * (size_t)stretch->key_count);
    if (node == UINT32_MAX || !scales)
        return;
    for (uint32_t k = 0; k < stretch->key_count; k++) {
        scales[3 * (size_t)k] = stretch->factors[k];
        scales[3 * (size_t)k + 1] = scales[3 * (size_t)k + 2] = 1;
    }
    uint32_t input = input_of(c, stretch->times, stretch->key_count);
    uint32_t output = limberi_floats_add(c->writer, scales, stretch->key_count, "VEC3", 0, false);
    limberi_set_channel(c->writer, c->animation, node, "scale", "LINEAR", input, output);
}

// --- new clips ---

static void push_channel(clip_writer* c, limberi_json* animation, const limber_channel* channel) {
    limberi_writer* w = c->writer;
    uint32_t node = w->document->node_of_joint[channel->target];
    const char* type = channel->path == LIMBER_CHANNEL_ROTATION ? "VEC4" : "VEC3";
    limberi_json* sampler = limberi_new_object(w);
    limberi_put_integer(w, sampler, "input", input_of(c, channel->times, channel->key_count));
    limberi_put_integer(w, sampler, "output", limberi_values_add(w, channel->values, channel->key_count, type));
    limberi_json* target = limberi_new_object(w);
    limberi_put_integer(w, target, "node", node);
    limberi_put_string(w, target, "path", path_names[channel->path]);
    limberi_json* object = limberi_new_object(w);
    limberi_put_integer(w, object, "sampler", limberi_push(w, limberi_child_array(w, animation, "samplers"), sampler));
    limberi_put(w, object, "target", target);
    limberi_push(w, limberi_child_array(w, animation, "channels"), object);
    split_matrix(c, node, channel->target);
    w->roles[node] |= LIMBERI_ROLE_ANIMATED;
}

// A clip without channels would not be valid and is left out.
static limber_result add_clip(limberi_writer* writer, const limber_clip* clip, limber_error* error) {
    clip_writer c = {.writer = writer, .model = limber_asset_model(writer->document->asset)};
    limberi_json* animation = limberi_new_object(writer);
    if (clip->name && clip->name[0])
        limberi_put_string(writer, animation, "name", clip->name);
    for (uint32_t i = 0; i < clip->channel_count; i++) {
        const limber_channel* channel = &clip->channels[i];
        if (channel->path == LIMBER_CHANNEL_WEIGHTS || !channel->key_count)
            continue;
        if (channel->target >= c.model->rig.joint_count || channel->interpolation != LIMBER_INTERPOLATION_LINEAR)
            return limberi_fail(error, LIMBER_ERROR_ARGUMENT, "channel %u of a new clip is not linear, or of no joint",
                                i);
        push_channel(&c, animation, channel);
    }
    if (limberi_json_get(animation, "channels"))
        limberi_push(writer, limberi_child_array(writer, writer->json.root, "animations"), animation);
    return LIMBER_OK;
}

// --- all clips ---

static limber_result write_clip(limberi_writer* writer, const limber_edited_clip* edit, bool stretch,
                                const stretcher* st, limber_error* error) {
    const limber_model* model = limber_asset_model(writer->document->asset);
    if (edit->index == LIMBER_NEW_CLIP)
        return add_clip(writer, edit->clip, error);
    if (edit->index >= model->clip_count)
        return limberi_fail(error, LIMBER_ERROR_ARGUMENT, "clip %u to write does not exist", edit->index);
    const limber_clip* old = &model->clips[edit->index];
    clip_writer c = {.writer = writer, .model = model};
    c.animation = writer->document->animation_of_clip[edit->index];
    for (uint32_t t = 0; writer->edits->bake && t < writer->edits->bake->track_count; t++)
        if (writer->edits->bake->tracks[t].clip == edit->index)
            c.track = &writer->edits->bake->tracks[t];
    for (uint32_t i = 0; i < edit->clip->channel_count; i++) {
        const limber_channel* channel = &edit->clip->channels[i];
        if (!is_new(model, old, channel))
            continue;
        const limber_channel* fewer = limberi_baked_keys(writer, c.track, channel);
        if (writer->arena.failed)
            return limberi_writer_status(writer, error);
        if (fewer->path == LIMBER_CHANNEL_WEIGHTS)
            write_weights(&c, fewer);
        else
            write_channel(&c, fewer);
    }
    for (uint32_t i = 0; stretch && i < edit->stretch_count; i++)
        write_stretch(&c, &edit->stretches[i], st);
    return LIMBER_OK;
}

limber_result limberi_write_clips(limberi_writer* writer, const limber_gltf_edits* edits, limber_error* error) {
    stretcher st;
    bool stretch =
        !edits->bake || edits->bake->kind == LIMBER_BAKE_CORRECTIVE; // others have no skins, or bones that stretch
    if (!edits->clip_count)
        return LIMBER_OK;
    if (!begin_stretching(writer, &st))
        return limberi_writer_status(writer, error);
    for (uint32_t i = 0; i < edits->clip_count; i++) {
        limber_result result = write_clip(writer, &edits->clips[i], stretch, &st, error);
        if (result)
            return result;
    }
    each_skin_joint(writer, &st, hang_anew);
    return LIMBER_OK;
}
