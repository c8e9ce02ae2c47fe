#include "io/vat/deflate.h"

#include <string.h>

enum {
    SYMBOLS = 286, // 256 bytes, the end, 29 classes of lengths
    END = 256,
    LONGEST_CODE = 15,
    SHORTEST_RUN = 3,
    LONGEST_RUN = 258,
    LENGTH_CODES = 19,
    ADLER_BASE = 65521
};

typedef struct codes {
    uint32_t counts[SYMBOLS];
    uint8_t lengths[SYMBOLS];
    uint16_t words[SYMBOLS]; // in the order in which their bits are sent
} codes;

typedef struct token {
    uint32_t symbol;
    uint32_t extra, extra_bits; // of a run
    size_t count;               // bytes it stands for
} token;

static void put_bits(limberi_deflate* d, uint32_t value, uint32_t count) {
    d->bits |= (uint64_t)value << d->bit_count;
    for (d->bit_count += count; d->bit_count >= 8; d->bit_count -= 8, d->bits >>= 8)
        d->out[d->used++] = (uint8_t)d->bits;
}

static uint32_t reversed(uint32_t word, uint32_t length) {
    uint32_t out = 0;
    for (uint32_t i = 0; i < length; i++)
        out |= (word >> i & 1) << (length - 1 - i);
    return out;
}

// A run repeats the byte before it.
static token run_token(size_t count) {
    uint32_t over = (uint32_t)count - SHORTEST_RUN, bits = 0;
    if (count == LONGEST_RUN)
        return (token){SYMBOLS - 1, 0, 0, count};
    while (over >> bits >= 8)
        bits++;
    uint32_t first = bits ? 4 * bits + 4 + (over >> bits & 3) : over;
    return (token){END + 1 + first, over & ((1u << bits) - 1), bits, count};
}

static token next_token(const uint8_t* bytes, size_t at, size_t count) {
    size_t end = at;
    while (at && end < count && end - at < LONGEST_RUN && bytes[end] == bytes[at - 1])
        end++;
    return end - at >= SHORTEST_RUN ? run_token(end - at) : (token){bytes[at], 0, 0, 1};
}

// The lighter of the two nodes that are next: leaves by weight, or inner nodes in the order they were made.
static uint32_t take_lightest(const uint32_t* weights, uint32_t leaf_end, uint32_t* leaf, uint32_t* inner,
                              uint32_t inner_end) {
    if (*inner == inner_end || (*leaf < leaf_end && weights[*leaf] <= weights[*inner]))
        return (*leaf)++;
    return (*inner)++;
}

static uint32_t sort_used(const codes* c, uint32_t* weights, uint16_t* symbols) {
    uint32_t used = 0;
    for (uint32_t s = 0; s < SYMBOLS; s++) {
        if (!c->counts[s])
            continue;
        uint32_t at = used++;
        for (; at && weights[at - 1] > c->counts[s]; at--) {
            weights[at] = weights[at - 1];
            symbols[at] = symbols[at - 1];
        }
        weights[at] = c->counts[s];
        symbols[at] = (uint16_t)s;
    }
    return used;
}

// Huffman's lengths; returns the longest. At least two symbols are used: a byte and the end.
static uint32_t find_lengths(codes* c) {
    uint32_t weights[2 * SYMBOLS], parents[2 * SYMBOLS], depths[2 * SYMBOLS], longest = 0;
    uint16_t symbols[SYMBOLS];
    uint32_t used = sort_used(c, weights, symbols), leaf = 0, inner = used, end = used;
    while (end < 2 * used - 1) {
        uint32_t a = take_lightest(weights, used, &leaf, &inner, end);
        uint32_t b = take_lightest(weights, used, &leaf, &inner, end);
        weights[end] = weights[a] + weights[b];
        parents[a] = parents[b] = end++;
    }
    depths[end - 1] = 0;
    memset(c->lengths, 0, sizeof c->lengths);
    for (uint32_t n = end - 1; n-- > 0;) {
        depths[n] = depths[parents[n]] + 1;
        if (n >= used)
            continue;
        c->lengths[symbols[n]] = (uint8_t)depths[n];
        longest = depths[n] > longest ? depths[n] : longest;
    }
    return longest;
}

static void make_codes(codes* c) {
    while (find_lengths(c) > LONGEST_CODE)
        for (uint32_t s = 0; s < SYMBOLS; s++) // flatter, until it fits
            c->counts[s] = (c->counts[s] + 1) / 2;
    uint32_t word = 0;
    for (uint32_t length = 1; length <= LONGEST_CODE; length++, word <<= 1)
        for (uint32_t s = 0; s < SYMBOLS; s++)
            if (c->lengths[s] == length)
                c->words[s] = (uint16_t)reversed(word++, length);
}

// The lengths 0 to 15 get codes of four bits each, so that no table is needed for them.
static void put_header(limberi_deflate* d, const codes* c) {
    put_bits(d, 0, 1); // not the last block
    put_bits(d, 2, 2); // with its own codes
    put_bits(d, SYMBOLS - 257, 5);
    put_bits(d, 0, 5); // one distance
    put_bits(d, LENGTH_CODES - 4, 4);
    for (uint32_t i = 0; i < LENGTH_CODES; i++)
        put_bits(d, i < 3 ? 0 : 4, 3); // the first three are repetitions
    for (uint32_t s = 0; s < SYMBOLS; s++)
        put_bits(d, reversed(c->lengths[s], 4), 4);
    put_bits(d, reversed(1, 4), 4); // distance 1: one bit
}

static void add_to_sum(limberi_deflate* d, const uint8_t* bytes, size_t count) {
    for (size_t i = 0; i < count; i++) {
        d->sum_low = (d->sum_low + bytes[i]) % ADLER_BASE;
        d->sum_high = (d->sum_high + d->sum_low) % ADLER_BASE;
    }
}

void limberi_deflate_begin(limberi_deflate* d) {
    d->sum_low = 1;
    put_bits(d, 0x0178, 16); // deflate with a window of up to 32 KiB, no dictionary, packed the quick way
}

void limberi_deflate_block(limberi_deflate* d, const uint8_t* bytes, size_t count) {
    codes c;
    memset(&c, 0, sizeof c);
    if (!count)
        return;
    for (size_t at = 0; at < count;) {
        token t = next_token(bytes, at, count);
        c.counts[t.symbol]++;
        at += t.count;
    }
    c.counts[END] = 1;
    make_codes(&c);
    put_header(d, &c);
    for (size_t at = 0; at < count;) {
        token t = next_token(bytes, at, count);
        put_bits(d, c.words[t.symbol], c.lengths[t.symbol]);
        put_bits(d, t.extra, t.extra_bits);
        if (t.count > 1)
            put_bits(d, 0, 1); // distance 1
        at += t.count;
    }
    put_bits(d, c.words[END], c.lengths[END]);
    add_to_sum(d, bytes, count);
}

void limberi_deflate_end(limberi_deflate* d) {
    put_bits(d, 1, 1); // the last block,
    put_bits(d, 1, 2); // with the codes of the standard,
    put_bits(d, 0, 7); // which is empty
    put_bits(d, 0, (8 - d->bit_count) % 8);
    uint32_t sum = d->sum_high << 16 | d->sum_low;
    for (uint32_t i = 0; i < 4; i++)
        put_bits(d, sum >> (24 - 8 * i) & 255, 8);
}
