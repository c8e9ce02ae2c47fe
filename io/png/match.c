// Finds what repeats in a block of bytes (Lempel and Ziv's way, with a table of where three bytes stood last).
#include "io/png/deflate.h"

#include "base/memory.h"
#include <string.h>

enum {
    HASH_BITS = 15,
    WINDOW = 32768,
    TRIES = 16,       // places that are compared
    LONG_ENOUGH = 96, // no need to look further
    FAR = 4096,       // so far away three bytes cost more than they save
};

typedef struct match {
    size_t length, distance;
} match;

bool limberi_matcher_begin(limberi_matcher* m) {
    m->tokens = limberi_allocate(LIMBERI_MATCH_BYTES * sizeof *m->tokens);
    m->newest = limberi_allocate((1u << HASH_BITS) * sizeof *m->newest);
    m->before = limberi_allocate(LIMBERI_MATCH_BYTES * sizeof *m->before);
    return m->tokens && m->newest && m->before;
}

static uint32_t hash(const uint8_t* bytes) {
    return ((uint32_t)bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16) * 2654435761u >> (32 - HASH_BITS);
}

static void enter(limberi_matcher* m, const uint8_t* bytes, size_t at, size_t count) {
    if (count - at < LIMBERI_MATCH_SHORTEST)
        return;
    int32_t* newest = &m->newest[hash(bytes + at)];
    m->before[at] = *newest;
    *newest = (int32_t)at;
}

static size_t same(const uint8_t* a, const uint8_t* b, size_t max) {
    size_t count = 0;
    while (count < max && a[count] == b[count])
        count++;
    return count;
}

static match find_match(const limberi_matcher* m, const uint8_t* bytes, size_t at, size_t count) {
    match best = {LIMBERI_MATCH_SHORTEST - 1, 0};
    size_t max = count - at < LIMBERI_MATCH_LONGEST ? count - at : LIMBERI_MATCH_LONGEST;
    if (max < LIMBERI_MATCH_SHORTEST)
        return best;
    int32_t from = m->newest[hash(bytes + at)];
    for (int tries = TRIES; tries && from >= 0 && at - (size_t)from <= WINDOW; tries--, from = m->before[from]) {
        if (bytes[(size_t)from + best.length] != bytes[at + best.length])
            continue;
        size_t length = same(bytes + from, bytes + at, max);
        size_t distance = at - (size_t)from;
        if (length > best.length && (length > LIMBERI_MATCH_SHORTEST || distance <= FAR))
            best = (match){length, distance};
        if (best.length >= LONG_ENOUGH || best.length == max)
            break;
    }
    return best;
}

static void put_match(limberi_matcher* m, size_t length, size_t distance) {
    m->tokens[m->count++] = (limberi_token){(uint16_t)length, (uint16_t)distance};
}

// A match waits for the next place: where a longer one begins there, this one's first byte stands for itself.
void limberi_matcher_block(limberi_matcher* m, const uint8_t* bytes, size_t count) {
    match now = {0, 0};
    m->count = 0;
    memset(m->newest, 0xff, (1u << HASH_BITS) * sizeof *m->newest);
    for (size_t at = 0; at < count;) {
        if (!now.length)
            now = find_match(m, bytes, at, count);
        enter(m, bytes, at, count);
        match next = {0, 0};
        bool repeats = now.length >= LIMBERI_MATCH_SHORTEST;
        if (repeats && now.length < LONG_ENOUGH)
            next = find_match(m, bytes, at + 1, count);
        if (!repeats || next.length > now.length) {
            put_match(m, 1, bytes[at++]);
            now = next;
            continue;
        }
        put_match(m, now.length, now.distance);
        for (size_t end = at + now.length; ++at < end;)
            enter(m, bytes, at, count);
        now = (match){0, 0};
    }
}

void limberi_matcher_free(limberi_matcher* m) {
    limberi_release(m->tokens);
    limberi_release(m->newest);
    limberi_release(m->before);
    memset(m, 0, sizeof *m);
}
