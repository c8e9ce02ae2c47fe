// Blocks of a zlib stream (RFC 1950, RFC 1951): repetitions within a block, and Huffman codes made for each block.
#include "io/png/deflate.h"

#include "base/memory.h"
#include <string.h>

enum {
    BYTES = 286, // 256 bytes, the end, 29 classes of lengths
    END = 256,
    DISTANCES = 30,
    LONGEST_CODE = 15,
    LENGTH_CODES = 19,
    ADLER_BASE = 65521,
    ADLER_BYTES = 5552 // so many before a sum overflows
};

// Of bytes and lengths, or of distances.
typedef struct codes {
    uint32_t symbols;
    uint32_t counts[BYTES];
    uint8_t lengths[BYTES];
    uint16_t words[BYTES]; // in the order in which their bits are sent
} codes;

// A class of lengths or distances, and which of the class.
typedef struct symbol {
    uint32_t code, extra, extra_bits;
} symbol;

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

static symbol length_symbol(uint32_t length) {
    uint32_t over = length - LIMBERI_MATCH_SHORTEST;
    uint32_t bits = 0;
    if (length == LIMBERI_MATCH_LONGEST)
        return (symbol){BYTES - 1, 0, 0};
    while (over >> bits >= 8)
        bits++;
    return (symbol){END + 1 + 4 * bits + (over >> bits), over & ((1u << bits) - 1), bits};
}

static symbol distance_symbol(uint32_t distance) {
    uint32_t over = distance - 1;
    uint32_t bits = 0;
    while (over >> bits >= 4)
        bits++;
    return (symbol){2 * bits + (over >> bits), over & ((1u << bits) - 1), bits};
}

// The lighter of the two nodes that are next: leaves by weight, or inner nodes in the order they were made.
static uint32_t pop_lightest(const uint32_t* weights, uint32_t leaf_end, uint32_t* leaf, uint32_t* inner,
                             uint32_t inner_end) {
    if (*inner == inner_end || (*leaf < leaf_end && weights[*leaf] <= weights[*inner]))
        return (*leaf)++;
    return (*inner)++;
}

static uint32_t sort_used(const codes* c, uint32_t* weights, uint16_t* symbols) {
    uint32_t used = 0;
    for (uint32_t s = 0; s < c->symbols; s++) {
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

// Huffman's lengths; returns the longest. At least two symbols are used.
static uint32_t find_lengths(codes* c) {
    uint32_t weights[2 * BYTES];
    uint32_t parents[2 * BYTES];
    uint32_t depths[2 * BYTES];
    uint32_t longest = 0;
    uint16_t symbols[BYTES];
    uint32_t used = sort_used(c, weights, symbols);
    uint32_t leaf = 0;
    uint32_t inner = used;
    uint32_t end = used;
    while (end < 2 * used - 1) {
        uint32_t a = pop_lightest(weights, used, &leaf, &inner, end);
        uint32_t b = pop_lightest(weights, used, &leaf, &inner, end);
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
        for (uint32_t s = 0; s < c->symbols; s++) // flatter, until it fits
            c->counts[s] = (c->counts[s] + 1) / 2;
    uint32_t word = 0;
    for (uint32_t length = 1; length <= LONGEST_CODE; length++, word <<= 1)
        for (uint32_t s = 0; s < c->symbols; s++)
            if (c->lengths[s] == length)
                c->words[s] = (uint16_t)reversed(word++, length);
}

static void put_lengths(limberi_deflate* d, const codes* c) {
    for (uint32_t s = 0; s < c->symbols; s++)
        put_bits(d, reversed(c->lengths[s], 4), 4);
}

// The lengths 0 to 15 get codes of four bits each, so that no table is needed for them.
static void put_header(limberi_deflate* d, const codes* bytes, const codes* distances) {
    put_bits(d, 0, 1); // not the last block
    put_bits(d, 2, 2); // with its own codes
    put_bits(d, BYTES - 257, 5);
    put_bits(d, DISTANCES - 1, 5);
    put_bits(d, LENGTH_CODES - 4, 4);
    for (uint32_t i = 0; i < LENGTH_CODES; i++)
        put_bits(d, i < 3 ? 0 : 4, 3); // the first three are repetitions
    put_lengths(d, bytes);
    put_lengths(d, distances);
}

static void add_to_sum(limberi_deflate* d, const uint8_t* bytes, size_t count) {
    for (size_t i = 0; i < count;) {
        for (size_t end = count - i < ADLER_BYTES ? count : i + ADLER_BYTES; i < end; i++) {
            d->sum_low += bytes[i];
            d->sum_high += d->sum_low;
        }
        d->sum_low %= ADLER_BASE;
        d->sum_high %= ADLER_BASE;
    }
}

bool limberi_deflate_begin(limberi_deflate* d) {
    d->out = limberi_allocate(LIMBERI_DEFLATE_PACKED);
    if (!limberi_matcher_begin(&d->matcher) || !d->out)
        return false;
    d->sum_low = 1;
    put_bits(d, 0x0178, 16); // deflate with a window of up to 32 KiB, no dictionary, packed the quick way
    return true;
}

static void count_symbols(const limberi_matcher* m, codes* bytes, codes* distances) {
    bytes->counts[END] = 1;
    distances->counts[0] = distances->counts[1] = 1; // a code needs two
    for (uint32_t i = 0; i < m->count; i++) {
        limberi_token t = m->tokens[i];
        bytes->counts[t.length == 1 ? t.distance : length_symbol(t.length).code]++;
        if (t.length > 1)
            distances->counts[distance_symbol(t.distance).code]++;
    }
    make_codes(bytes);
    make_codes(distances);
}

static void put_symbol(limberi_deflate* d, const codes* c, symbol s) {
    put_bits(d, c->words[s.code], c->lengths[s.code]);
    put_bits(d, s.extra, s.extra_bits);
}

void limberi_deflate_block(limberi_deflate* d, const uint8_t* bytes, size_t count) {
    const limberi_matcher* m = &d->matcher;
    codes of_bytes = {.symbols = BYTES};
    codes of_distances = {.symbols = DISTANCES};
    if (!count)
        return;
    limberi_matcher_block(&d->matcher, bytes, count);
    count_symbols(m, &of_bytes, &of_distances);
    put_header(d, &of_bytes, &of_distances);
    for (uint32_t i = 0; i < m->count; i++) {
        limberi_token t = m->tokens[i];
        put_symbol(d, &of_bytes, t.length == 1 ? (symbol){t.distance, 0, 0} : length_symbol(t.length));
        if (t.length > 1)
            put_symbol(d, &of_distances, distance_symbol(t.distance));
    }
    put_symbol(d, &of_bytes, (symbol){END, 0, 0});
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

void limberi_deflate_free(limberi_deflate* d) {
    limberi_release(d->out);
    limberi_matcher_free(&d->matcher);
    memset(d, 0, sizeof *d);
}
