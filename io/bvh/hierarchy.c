// The HIERARCHY part: blocks in blocks, read without recursion: a block only remembers the one around it.
#include "base/memory.h"
#include "io/bvh/load.h"

#include <stdlib.h>
#include <string.h>

typedef struct growing {
    limberi_bvh_node* nodes;
    uint32_t count, room;
    int32_t current; // the block we are in, -1: none
    uint8_t* seen;   // per node: SEEN_*
} growing;

enum { SEEN_OFFSET = 1, SEEN_CHANNELS = 2 };

static bool grow_nodes(growing* all) {
    uint32_t room = all->room ? 2 * all->room : 64;
    limberi_bvh_node* nodes = limberi_reallocate(all->nodes, all->room * sizeof *nodes, room * sizeof *nodes);
    if (!nodes)
        return false;
    all->nodes = nodes;
    uint8_t* seen = limberi_reallocate(all->seen, all->room, room);
    if (!seen)
        return false;
    all->seen = seen;
    all->room = room;
    return true;
}

// Old files hold names in Latin-1, whose letters are the first of Unicode.
static char* copy_name(limberi_arena* arena, limberi_bvh_word word) {
    bool utf8 = limberi_bvh_word_is_utf8(word);
    char* name = LIMBERI_ALLOCATE(arena, char, 2 * word.length + 1);
    char* out = name;
    for (size_t i = 0; name && i < word.length; i++) {
        unsigned char c = (unsigned char)word.text[i];
        if (utf8 || c < 0x80) {
            *out++ = c < 32 || c == 127 ? ' ' : (char)c;
        } else {
            *out++ = (char)(0xC0 | c >> 6);
            *out++ = (char)(0x80 | (c & 0x3F));
        }
    }
    return name;
}

static limber_result open_block(limberi_bvh_reader* reader, growing* all, limberi_bvh_word keyword, bool end_site) {
    limber_bvh* bvh = reader->bvh;
    limberi_bvh_word name = limberi_bvh_rest_of_line(&reader->scanner);
    if (!end_site && !name.length)
        return limberi_bvh_fail(&reader->scanner, keyword.text, LIMBER_ERROR_DATA, "%s has no name",
                                limberi_bvh_show(keyword).text);
    if (end_site ? all->count - bvh->joint_count >= reader->limits.joints : bvh->joint_count >= reader->limits.joints)
        return limberi_bvh_fail(&reader->scanner, keyword.text, LIMBER_ERROR_LIMIT, "too many joints (max %u)",
                                reader->limits.joints);
    if (all->count == all->room && !grow_nodes(all))
        return limberi_fail_memory(reader->error);
    limberi_bvh_node* node = &all->nodes[all->count];
    memset(node, 0, sizeof *node);
    node->parent = all->current;
    node->joint = end_site ? -1 : (int32_t)bvh->joint_count++;
    node->name = end_site ? "" : copy_name(&bvh->arena, name);
    if (!node->name)
        return limberi_fail_memory(reader->error);
    all->seen[all->count] = 0;
    all->current = (int32_t)all->count++;
    limberi_bvh_word brace = limberi_bvh_next(&reader->scanner);
    return limberi_bvh_word_is(brace, "{") ? LIMBER_OK : limberi_bvh_fail_word(reader, brace, "'{'");
}

static limber_result mark_once(limberi_bvh_reader* reader, growing* all, limberi_bvh_word keyword, uint8_t what) {
    if (all->seen[all->current] & what)
        return limberi_bvh_fail(&reader->scanner, keyword.text, LIMBER_ERROR_DATA, "a second %s in the same block",
                                limberi_bvh_show(keyword).text);
    all->seen[all->current] |= what;
    return LIMBER_OK;
}

static limber_result read_offset(limberi_bvh_reader* reader, growing* all, limberi_bvh_word keyword) {
    static const char* const what[3] = {"the x of the OFFSET", "the y of the OFFSET", "the z of the OFFSET"};
    limber_result result = mark_once(reader, all, keyword, SEEN_OFFSET);
    if (result)
        return result;
    for (int i = 0; i < 3; i++) {
        result = limberi_bvh_read_number(reader, what[i], &all->nodes[all->current].offset[i]);
        if (result)
            return result;
    }
    return LIMBER_OK;
}

// Each position once; up to three rotations, of which the first and the last may share an axis.
static bool is_one_too_many(const limberi_bvh_node* node, uint8_t channel) {
    int rotations = 0;
    int last = -1;
    for (uint8_t i = 0; i < node->channel_count; i++) {
        if (node->channels[i] < LIMBERI_BVH_ROTATION && node->channels[i] == channel)
            return true;
        if (node->channels[i] >= LIMBERI_BVH_ROTATION) {
            last = node->channels[i];
            rotations++;
        }
    }
    return channel >= LIMBERI_BVH_ROTATION && (rotations == LIMBERI_BVH_ROTATIONS_MAX || last == channel);
}

static limber_result read_channel(limberi_bvh_reader* reader, limberi_bvh_node* node) {
    static const char* const names[LIMBERI_BVH_CHANNELS_MAX] = {"Xposition", "Yposition", "Zposition",
                                                                "Xrotation", "Yrotation", "Zrotation"};
    limberi_bvh_word word = limberi_bvh_next(&reader->scanner);
    uint8_t channel = 0;
    while (channel < LIMBERI_BVH_CHANNELS_MAX && !limberi_bvh_word_is(word, names[channel]))
        channel++;
    if (channel == LIMBERI_BVH_CHANNELS_MAX)
        return limberi_bvh_fail_word(reader, word, "a channel (Xposition ... Zrotation)");
    if (is_one_too_many(node, channel))
        return limberi_bvh_fail(&reader->scanner, word.text, LIMBER_ERROR_DATA, "%s is one too many for this joint",
                                names[channel]);
    node->channels[node->channel_count++] = channel;
    reader->bvh->channel_count++;
    return LIMBER_OK;
}

static limber_result read_channels(limberi_bvh_reader* reader, growing* all, limberi_bvh_word keyword) {
    limberi_bvh_node* node = &all->nodes[all->current];
    if (node->joint < 0)
        return limberi_bvh_fail(&reader->scanner, keyword.text, LIMBER_ERROR_DATA, "an End Site has no channels");
    limber_result result = mark_once(reader, all, keyword, SEEN_CHANNELS);
    limberi_bvh_word word = limberi_bvh_peek(&reader->scanner);
    double count = 0;
    if (!result)
        result = limberi_bvh_read_number(reader, "the number of channels", &count);
    if (result)
        return result;
    if (!(count >= 0 && count <= LIMBERI_BVH_CHANNELS_MAX && count == (double)(int)count))
        return limberi_bvh_fail(&reader->scanner, word.text, LIMBER_ERROR_DATA,
                                "a joint has 0 to %d channels, not '%s'", LIMBERI_BVH_CHANNELS_MAX,
                                limberi_bvh_show(word).text);
    for (int i = 0; i < (int)count; i++) {
        result = read_channel(reader, node);
        if (result)
            return result;
    }
    return LIMBER_OK;
}

static limber_result close_block(limberi_bvh_reader* reader, growing* all, limberi_bvh_word brace) {
    const limberi_bvh_node* node = &all->nodes[all->current];
    limberi_bvh_word name = {node->name, strlen(node->name)};
    if (!(all->seen[all->current] & SEEN_OFFSET))
        return limberi_bvh_fail(&reader->scanner, brace.text, LIMBER_ERROR_DATA, "%s%s%s has no OFFSET",
                                node->joint < 0 ? "an End Site" : "joint '", limberi_bvh_show(name).text,
                                node->joint < 0 ? "" : "'");
    all->current = node->parent;
    return LIMBER_OK;
}

static limber_result read_inside(limberi_bvh_reader* reader, growing* all, limberi_bvh_word word) {
    if (limberi_bvh_word_is(word, "OFFSET"))
        return read_offset(reader, all, word);
    if (limberi_bvh_word_is(word, "CHANNELS"))
        return read_channels(reader, all, word);
    if (limberi_bvh_word_is(word, "}"))
        return close_block(reader, all, word);
    bool end_site = all->nodes[all->current].joint < 0;
    if (!end_site && limberi_bvh_word_is(word, "JOINT"))
        return open_block(reader, all, word, false);
    if (!end_site && (limberi_bvh_word_is(word, "End") || limberi_bvh_word_is(word, "EndSite")))
        return open_block(reader, all, word, true);
    return limberi_bvh_fail_word(reader, word, end_site ? "OFFSET or '}'" : "OFFSET, CHANNELS, JOINT, End Site or '}'");
}

static limber_result read_blocks(limberi_bvh_reader* reader, growing* all) {
    limber_result result = LIMBER_OK;
    while (!result) {
        limberi_bvh_word word = limberi_bvh_next(&reader->scanner);
        if (all->current >= 0)
            result = read_inside(reader, all, word);
        else if (limberi_bvh_word_is(word, "ROOT"))
            result = open_block(reader, all, word, false);
        else if (limberi_bvh_word_is(word, "MOTION") && all->count)
            break;
        else
            result = limberi_bvh_fail_word(reader, word, all->count ? "ROOT or MOTION" : "ROOT");
    }
    return result;
}

limber_result limberi_bvh_read_hierarchy(limberi_bvh_reader* reader) {
    limberi_bvh_scanner* s = &reader->scanner;
    if (s->end - s->at >= 3 && memcmp(s->at, "\xEF\xBB\xBF", 3) == 0)
        s->at += 3; // a byte order mark
    limberi_bvh_word word = limberi_bvh_next(s);
    if (!limberi_bvh_word_is(word, "HIERARCHY"))
        return limberi_bvh_fail_word(reader, word, "HIERARCHY");
    growing all = {NULL, 0, 0, -1, NULL};
    limber_result result = read_blocks(reader, &all);
    if (!result) {
        reader->bvh->nodes = LIMBERI_COPY(&reader->bvh->arena, limberi_bvh_node, all.nodes, all.count);
        reader->bvh->node_count = all.count;
        if (!reader->bvh->nodes)
            result = limberi_fail_memory(reader->error);
    }
    limberi_release(all.nodes);
    limberi_release(all.seen);
    return result;
}
