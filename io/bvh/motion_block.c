// The MOTION part: rows of numbers into keys. A frame is turned into quaternions as soon as it is read, so that the
// numbers of the file never stand in memory as a whole.
#include "base/math.h"
#include "io/bvh/layout.h"
#include "io/bvh/load.h"

#include <stdlib.h>
#include <string.h>

static const double shortest_frame_s = 1e-6;
static const double longest_frame_s = 1e4;
static const double default_frame_s = 1 / 30.0;
enum { MAX_FRAMES = 1 << 24 }; // times are floats, which count no further without gaps

// Where the keys of a joint go, and which numbers of a row they come from.
typedef struct joint_plan {
    const limberi_bvh_node* node;
    uint32_t first; // its first number in a row
    float *translations, *rotations;
    double previous[4];
} joint_plan;

typedef struct motion {
    limberi_bvh_reader* reader;
    const char* data; // where the numbers start
    uint32_t frame_count, plan_count;
    joint_plan* plans;
    double* row;
    float* times;
} motion;

static limber_result expect_word(limberi_bvh_reader* reader, const char* expected) {
    limberi_bvh_word word = limberi_bvh_next(&reader->scanner);
    return limberi_bvh_word_is(word, expected) ? LIMBER_OK : limberi_bvh_fail_word(reader, word, expected);
}

static void skip_colon(limberi_bvh_reader* reader) {
    if (limberi_bvh_word_is(limberi_bvh_peek(&reader->scanner), ":"))
        limberi_bvh_next(&reader->scanner);
}

static limber_result read_frame_count(limberi_bvh_reader* reader) {
    limber_result result = expect_word(reader, "Frames");
    if (result)
        return result;
    skip_colon(reader);
    limberi_bvh_word word = limberi_bvh_peek(&reader->scanner);
    double count;
    result = limberi_bvh_read_number(reader, "the number of frames", &count);
    if (result)
        return result;
    if (!(count >= 0) || count != floor(count))
        return limberi_bvh_fail(&reader->scanner, word.text, LIMBER_ERROR_DATA, "'%s' is not a number of frames",
                                limberi_bvh_show(word).text);
    // A number takes a digit and a blank. What the file cannot hold is not worth asking memory for.
    size_t left = (size_t)(reader->scanner.end - reader->scanner.at);
    if (2 * count * reader->bvh->channel_count - 1 > (double)left)
        return limberi_bvh_fail(&reader->scanner, word.text, LIMBER_ERROR_DATA,
                                "%s frames of %u numbers do not fit into the rest of the file (%zu bytes)",
                                limberi_bvh_show(word).text, reader->bvh->channel_count, left);
    if (count > MAX_FRAMES)
        return limberi_bvh_fail(&reader->scanner, word.text, LIMBER_ERROR_LIMIT, "too many frames (max %d)",
                                MAX_FRAMES);
    reader->bvh->frame_count = (uint32_t)count;
    return LIMBER_OK;
}

static limber_result read_frame_time(limberi_bvh_reader* reader) {
    limber_result result = LIMBER_OK;
    if (limberi_bvh_word_is(limberi_bvh_peek(&reader->scanner), "FrameTime")) {
        limberi_bvh_next(&reader->scanner);
    } else {
        result = expect_word(reader, "Frame");
        if (!result)
            result = expect_word(reader, "Time");
    }
    if (result)
        return result;
    skip_colon(reader);
    limberi_bvh_word word = limberi_bvh_peek(&reader->scanner);
    double* time_s = &reader->bvh->frame_time_s;
    result = limberi_bvh_read_number(reader, "the frame time", time_s);
    if (result)
        return result;
    if (*time_s == 0 && reader->bvh->frame_count <= 1)
        *time_s = default_frame_s; // one pose needs no rate
    if (!(*time_s >= shortest_frame_s && *time_s <= longest_frame_s))
        return limberi_bvh_fail(&reader->scanner, word.text, LIMBER_ERROR_DATA, "'%s' is not a time between frames",
                                limberi_bvh_show(word).text);
    return LIMBER_OK;
}

static bool has_position(const limberi_bvh_node* node) {
    for (uint8_t i = 0; i < node->channel_count; i++)
        if (node->channels[i] < LIMBERI_BVH_ROTATION)
            return true;
    return false;
}

static bool has_rotation(const limberi_bvh_node* node) {
    for (uint8_t i = 0; i < node->channel_count; i++)
        if (node->channels[i] >= LIMBERI_BVH_ROTATION)
            return true;
    return false;
}

static void add_channel(motion* m, limber_channel* channels, limber_channel_path path, uint32_t joint, float* values) {
    channels[m->reader->clip.channel_count++] = (limber_channel){.path = path,
                                                                 .interpolation = LIMBER_INTERPOLATION_LINEAR,
                                                                 .target = joint,
                                                                 .key_count = m->frame_count,
                                                                 .times = m->times,
                                                                 .values = values};
}

static limber_result check_key_limit(motion* m) {
    const limber_bvh* bvh = m->reader->bvh;
    unsigned long long count = 0, limit = m->reader->limits.key_values;
    for (uint32_t i = 0; i < bvh->node_count; i++)
        count += (has_position(&bvh->nodes[i]) ? 3u : 0u) + (has_rotation(&bvh->nodes[i]) ? 4u : 0u);
    count *= m->frame_count;
    if (count > limit)
        return limberi_bvh_fail(&m->reader->scanner, m->data, LIMBER_ERROR_LIMIT,
                                "too many key values (%llu, max %llu)", count, limit);
    return LIMBER_OK;
}

static limber_result make_plans(motion* m) {
    limber_bvh* bvh = m->reader->bvh;
    limberi_arena* arena = &m->reader->scratch;
    m->plans = LIMBERI_ALLOCATE(arena, joint_plan, bvh->joint_count);
    m->row = LIMBERI_ALLOCATE(arena, double, (size_t)bvh->channel_count + 1);
    m->times = LIMBERI_ALLOCATE(arena, float, m->frame_count);
    limber_channel* channels = LIMBERI_ALLOCATE(arena, limber_channel, 2 * (size_t)bvh->joint_count);
    uint32_t first = 0;
    if (arena->failed)
        return limberi_fail_memory(m->reader->error);
    for (uint32_t i = 0; i < bvh->node_count; i++) {
        const limberi_bvh_node* node = &bvh->nodes[i];
        if (!node->channel_count)
            continue;
        joint_plan* plan = &m->plans[m->plan_count++];
        plan->node = node;
        plan->first = first;
        first += node->channel_count;
        if (has_position(node)) {
            plan->translations = LIMBERI_ALLOCATE(arena, float, 3 * (size_t)m->frame_count);
            add_channel(m, channels, LIMBER_CHANNEL_TRANSLATION, (uint32_t)node->joint, plan->translations);
        }
        if (has_rotation(node)) {
            plan->rotations = LIMBERI_ALLOCATE(arena, float, 4 * (size_t)m->frame_count);
            add_channel(m, channels, LIMBER_CHANNEL_ROTATION, (uint32_t)node->joint, plan->rotations);
        }
    }
    m->reader->clip.channels = channels;
    return arena->failed ? limberi_fail_memory(m->reader->error) : LIMBER_OK;
}

static void store_rotation(joint_plan* plan, uint32_t frame, const double* q) {
    double* previous = plan->previous;
    double dot = q[0] * previous[0] + q[1] * previous[1] + q[2] * previous[2] + q[3] * previous[3];
    double side = dot < 0 ? -1 : 1; // q and -q are the same rotation; neighbours stand on the same side
    for (int i = 0; i < 4; i++) {
        previous[i] = side * q[i];
        plan->rotations[4 * (size_t)frame + (size_t)i] = (float)previous[i];
    }
}

static void store_frame(motion* m, uint32_t frame) {
    for (uint32_t k = 0; k < m->plan_count; k++) {
        joint_plan* plan = &m->plans[k];
        const limberi_bvh_node* node = plan->node;
        double q[4] = {0, 0, 0, 1};
        double place[3] = {node->offset[0], node->offset[1], node->offset[2]};
        for (uint8_t i = 0; i < node->channel_count; i++) {
            double value = m->row[plan->first + i];
            if (node->channels[i] < LIMBERI_BVH_ROTATION)
                place[node->channels[i]] = value;
            else
                limberi_bvh_turn(q, node->channels[i] - LIMBERI_BVH_ROTATION, value);
        }
        for (int i = 0; plan->translations && i < 3; i++)
            plan->translations[3 * (size_t)frame + (size_t)i] = (float)place[i];
        if (plan->rotations)
            store_rotation(plan, frame, q);
    }
}

// How many words the line at `at` holds; *next is where the following one starts.
static uint32_t words_in_line(const limberi_bvh_scanner* s, const char* at, const char** next) {
    limberi_bvh_scanner line = *s;
    const char* end = at;
    while (end < s->end && *end != '\n' && *end != '\r')
        end++;
    line.at = at;
    line.end = end;
    uint32_t count = 0;
    while (limberi_bvh_next(&line).length)
        count++;
    *next = end < s->end ? end + 1 : end;
    return count;
}

// The numbers do not add up. Usually one line per frame was meant: name the first line that has too few or too many.
static limber_result fail_count(motion* m, const char* at, uint32_t frame, uint32_t got) {
    const limberi_bvh_scanner* s = &m->reader->scanner;
    uint32_t wanted = m->reader->bvh->channel_count;
    uint32_t lines = 0;
    for (const char *p = m->data, *next; p < s->end; p = next) {
        uint32_t count = words_in_line(s, p, &next);
        if (count == 0)
            continue;
        if (lines == m->frame_count)
            return limberi_bvh_fail(s, p, LIMBER_ERROR_DATA, "the file continues after its %u frames", lines);
        if (count != wanted)
            return limberi_bvh_fail(s, p, LIMBER_ERROR_DATA, "frame %u has %u numbers; the CHANNELS add up to %u",
                                    lines, count, wanted);
        lines++;
    }
    if (frame < m->frame_count)
        return limberi_bvh_fail(s, at, LIMBER_ERROR_DATA, "the file ends in frame %u of %u, after %u of %u numbers",
                                frame, m->frame_count, got, wanted);
    return limberi_bvh_fail(s, at, LIMBER_ERROR_DATA, "the file continues after its %u frames", m->frame_count);
}

static limber_result fail_number(motion* m, uint32_t frame, uint32_t index, limberi_number_result why) {
    limberi_bvh_scanner* s = &m->reader->scanner;
    limberi_bvh_word word = limberi_bvh_peek(s);
    if (!word.length)
        return fail_count(m, word.text, frame, index);
    return limberi_bvh_fail(s, word.text, LIMBER_ERROR_DATA, "number %u of frame %u is '%s', which is not %s", index,
                            frame, limberi_bvh_show(word).text,
                            why == LIMBERI_NUMBER_ENDLESS ? "finite or too large" : "a number");
}

static limber_result read_row(motion* m, uint32_t frame) {
    limberi_bvh_scanner* s = &m->reader->scanner;
    uint32_t count = m->reader->bvh->channel_count;
    for (uint32_t i = 0; i < count; i++) {
        limberi_bvh_skip_space(s);
        limberi_number_result result = limberi_bvh_number(s, &m->row[i]);
        if (result != LIMBERI_NUMBER_OK)
            return fail_number(m, frame, i, result);
    }
    return LIMBER_OK;
}

// Frames after the last one that the file announces: whole ones count. 0: something else follows.
static uint32_t count_more(const motion* m) {
    limberi_bvh_scanner rest = m->reader->scanner;
    uint64_t numbers = 0;
    double number;
    for (limberi_bvh_skip_space(&rest); rest.at < rest.end; limberi_bvh_skip_space(&rest), numbers++)
        if (limberi_bvh_number(&rest, &number) != LIMBERI_NUMBER_OK)
            return 0;
    uint64_t frames = numbers / m->reader->bvh->channel_count;
    return numbers % m->reader->bvh->channel_count || frames > MAX_FRAMES - m->frame_count ? 0 : (uint32_t)frames;
}

static limber_result read_rows(motion* m) {
    for (uint32_t frame = 0; frame < m->frame_count; frame++) {
        limber_result result = read_row(m, frame);
        if (result)
            return result;
        m->times[frame] = (float)(frame * m->reader->bvh->frame_time_s);
        store_frame(m, frame);
    }
    limberi_bvh_skip_space(&m->reader->scanner);
    return LIMBER_OK;
}

static limber_result read_frames(motion* m) {
    limber_result result = check_key_limit(m);
    if (!result)
        result = make_plans(m);
    return result ? result : read_rows(m);
}

// Captures are appended to, and the number of frames at their start forgotten: then all is read again with room for them.
static limber_result read_more(motion* m, uint32_t more) {
    limberi_bvh_reader* reader = m->reader;
    motion all = {.reader = reader, .data = m->data, .frame_count = m->frame_count + more};
    reader->bvh->frame_count = all.frame_count;
    reader->clip.channel_count = 0;
    reader->scanner.at = all.data;
    return read_frames(&all);
}

limber_result limberi_bvh_read_motion(limberi_bvh_reader* reader) {
    skip_colon(reader);
    limber_result result = read_frame_count(reader);
    if (!result)
        result = read_frame_time(reader);
    if (result)
        return result;
    reader->bvh->declared_frame_count = reader->bvh->frame_count;
    motion m = {.reader = reader, .data = reader->scanner.at};
    m.frame_count = reader->bvh->channel_count ? reader->bvh->frame_count : 0;
    result = read_frames(&m);
    if (result || reader->scanner.at == reader->scanner.end)
        return result;
    uint32_t more = reader->bvh->channel_count ? count_more(&m) : 0;
    return more ? read_more(&m, more) : fail_count(&m, reader->scanner.at, m.frame_count, 0);
}
