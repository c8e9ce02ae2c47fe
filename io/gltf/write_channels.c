// The channels of the animations by what they move. A file may have thousands of each, and every mesh asks.
#include "asset/channel.h"
#include "io/gltf/write.h"

#include <string.h>

enum { PATHS = 4, MIN_ROOM = 16 };

typedef struct entry {
    uint64_t key; // 0: free
    limberi_json* channel;
} entry;

// Of one animation.
struct limberi_channels {
    entry* entries; // a hash table, at most half full
    uint32_t room, count;
    uint32_t* users; // [sampler]
    uint32_t sampler_room;
};

// 0 for what is not looked for.
static uint64_t key_of(uint32_t node, const char* path) {
    static const char* const paths[PATHS] = {"translation", "rotation", "scale", "weights"};
    for (uint32_t i = 0; path && node != UINT32_MAX && i < PATHS; i++)
        if (strcmp(path, paths[i]) == 0)
            return (uint64_t)node * PATHS + i + 1;
    return 0;
}

static uint64_t key_of_target(const limberi_json* target) {
    return key_of(limberi_index(target, "node"), limberi_json_as_text(limberi_json_get(target, "path")));
}

// Where a key is, or would be. Multiplied as Knuth does (The Art of Computer Programming 3, 6.4).
static entry* find_entry(const limberi_channels* c, uint64_t key) {
    uint32_t at = (uint32_t)(key * 0x9E3779B97F4A7C15u >> 32) & (c->room - 1);
    while (c->entries[at].key && c->entries[at].key != key)
        at = (at + 1) & (c->room - 1);
    return &c->entries[at];
}

static bool grow_table(limberi_writer* writer, limberi_channels* c) {
    if (2 * c->count < c->room)
        return true;
    limberi_channels larger = *c;
    larger.room = c->room ? 2 * c->room : MIN_ROOM;
    larger.entries = LIMBERI_ALLOCATE(&writer->arena, entry, larger.room);
    if (!larger.entries)
        return false;
    for (uint32_t i = 0; i < c->room; i++)
        if (c->entries[i].key)
            *find_entry(&larger, c->entries[i].key) = c->entries[i];
    *c = larger;
    return true;
}

// The first channel of a kind is the one that counts.
static void insert(limberi_writer* writer, limberi_channels* c, uint64_t key, limberi_json* channel) {
    if (!key || !grow_table(writer, c))
        return;
    entry* e = find_entry(c, key);
    c->count += !e->key;
    e->channel = e->key && e->channel ? e->channel : channel;
    e->key = key;
}

static bool sampler_room(limberi_writer* writer, limberi_channels* c, uint32_t sampler) {
    if (sampler < c->sampler_room)
        return true;
    uint32_t room = sampler < MIN_ROOM ? 2 * MIN_ROOM : 2 * sampler;
    uint32_t* users = LIMBERI_ALLOCATE(&writer->arena, uint32_t, room);
    if (!users)
        return false;
    if (c->sampler_room)
        memcpy(users, c->users, c->sampler_room * sizeof *users);
    c->users = users;
    c->sampler_room = room;
    return true;
}

static void count_user(limberi_writer* writer, limberi_channels* c, uint32_t sampler, int change, uint32_t max) {
    if (sampler < max && sampler_room(writer, c, sampler))
        c->users[sampler] += (uint32_t)change;
}

static limberi_channels* make_channels(limberi_writer* writer, const limberi_json* animation) {
    limberi_channels* c = LIMBERI_ALLOCATE(&writer->arena, limberi_channels, 1);
    const limberi_json* list = limberi_json_get(animation, "channels");
    uint32_t samplers = limberi_json_count(limberi_json_get(animation, "samplers"));
    if (!c || !grow_table(writer, c))
        return NULL;
    for (uint32_t i = 0; i < limberi_json_count(list); i++) {
        limberi_json* channel = limberi_json_at(list, i);
        insert(writer, c, key_of_target(limberi_json_get(channel, "target")), channel);
        count_user(writer, c, limberi_index(channel, "sampler"), 1, samplers);
    }
    return c;
}

// NULL when memory is short.
static limberi_channels* channels_of(limberi_writer* writer, uint32_t animation) {
    const limberi_json* animations = limberi_json_get(writer->json.root, "animations");
    uint32_t count = limberi_json_count(animations);
    if (!writer->channels)
        writer->channels = LIMBERI_ALLOCATE(&writer->arena, limberi_channels*, count);
    if (!writer->channels || animation >= count)
        return NULL;
    if (!writer->channels[animation])
        writer->channels[animation] = make_channels(writer, limberi_json_at(animations, animation));
    return writer->channels[animation];
}

void limberi_channels_forget(limberi_writer* writer) {
    writer->channels = NULL;
}

limberi_json* limberi_channels_find(limberi_writer* writer, uint32_t animation, uint32_t node, const char* path) {
    limberi_channels* c = channels_of(writer, animation);
    uint64_t key = key_of(node, path);
    return c && key ? find_entry(c, key)->channel : NULL;
}

limberi_json* limberi_channels_add(limberi_writer* writer, uint32_t animation, uint32_t node, const char* path) {
    limberi_json* target = limberi_new_object(writer);
    limberi_put_integer(writer, target, "node", node);
    limberi_put_string(writer, target, "path", path);
    limberi_json* channel = limberi_new_object(writer);
    limberi_put(writer, channel, "target", target);
    limberi_channels* c = channels_of(writer, animation);
    limberi_json* object = limberi_item(writer->json.root, "animations", animation);
    limberi_push(writer, limberi_child_array(writer, object, "channels"), channel);
    if (c)
        insert(writer, c, key_of(node, path), channel);
    return channel;
}

void limberi_channels_move(limberi_writer* writer, uint32_t animation, uint32_t from, uint32_t to, const char* path) {
    limberi_json* channel = limberi_channels_find(writer, animation, from, path);
    if (!channel)
        return;
    limberi_channels* c = channels_of(writer, animation);
    find_entry(c, key_of(from, path))->channel = NULL; // the key stays: others may lie behind it
    limberi_put_integer(writer, limberi_json_get(channel, "target"), "node", to);
    insert(writer, c, key_of(to, path), channel);
}

void limberi_channels_remove(limberi_writer* writer, uint32_t animation, limberi_json* channel) {
    limberi_channels* c = channels_of(writer, animation);
    limberi_json* object = limberi_item(writer->json.root, "animations", animation);
    limberi_json* list = limberi_json_get(object, "channels");
    uint64_t key = key_of_target(limberi_json_get(channel, "target"));
    if (c && key && find_entry(c, key)->channel == channel)
        find_entry(c, key)->channel = NULL;
    if (c)
        count_user(writer, c, limberi_index(channel, "sampler"), -1,
                   limberi_json_count(limberi_json_get(object, "samplers")));
    for (size_t i = limberi_json_count(list); i-- > 0;)
        if (limberi_json_at(list, i) == channel)
            limberi_json_remove_at(list, i);
}

void limberi_channels_sample(limberi_writer* writer, uint32_t animation, limberi_json* channel, limberi_json* sampler) {
    limberi_channels* c = channels_of(writer, animation);
    limberi_json* object = limberi_item(writer->json.root, "animations", animation);
    limberi_json* samplers = limberi_child_array(writer, object, "samplers");
    uint32_t old = limberi_index(channel, "sampler");
    uint32_t count = limberi_json_count(samplers);
    if (!c)
        return;
    if (old < count && old < c->sampler_room && c->users[old] == 1) {
        limberi_json_replace(&writer->json, samplers, old, sampler);
        return;
    }
    count_user(writer, c, old, -1, count);
    limberi_put_integer(writer, channel, "sampler", limberi_push(writer, samplers, sampler));
    count_user(writer, c, count, 1, count + 1);
}

// --- keys of edited channels ---

// A bake is right in its frames, and so are the joints: keys between them would only make the file larger. A range leaves
// frames out, and then all keys stay.
static bool has_too_many_keys(const limber_bake_track* track, const limber_channel* channel) {
    return track && track->frame_count && track->frame_count < channel->key_count &&
           channel->interpolation == LIMBER_INTERPOLATION_LINEAR && track->times[0] <= channel->times[0] &&
           track->times[track->frame_count - 1] >= channel->times[channel->key_count - 1];
}

const limber_channel* limberi_baked_keys(limberi_writer* writer, const limber_bake_track* track,
                                         const limber_channel* channel) {
    const limber_model* model = limber_asset_model(writer->document->asset);
    bool weights = channel->path == LIMBER_CHANNEL_WEIGHTS;
    size_t width = weights ? model->meshes[channel->target].morph_count : limberi_channel_width(channel);
    if (!has_too_many_keys(track, channel))
        return channel;
    limber_channel* fewer = LIMBERI_COPY(&writer->arena, limber_channel, channel, 1);
    float* values = LIMBERI_ALLOCATE(&writer->arena, float, width * track->frame_count);
    uint32_t near = 0;
    if (!fewer || !values)
        return channel; // writing fails for want of memory
    for (uint32_t f = 0; f < track->frame_count; f++) {
        double time_s = (double)track->times[f];
        double value[4];
        if (weights) {
            limberi_channel_sample_weights(channel, time_s, (uint32_t)width, values + f * width);
            continue;
        }
        limberi_channel_sample(channel, time_s, &near, value);
        for (size_t i = 0; i < width; i++)
            values[f * width + i] = (float)value[i];
    }
    fewer->key_count = track->frame_count;
    fewer->times = track->times;
    fewer->values = values;
    return fewer;
}
