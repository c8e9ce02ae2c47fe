// A fingerprint of bytes: what has the same one is taken to be the same.
#include "cli/batch/batch.h"

#include <string.h>

// Odd numbers without a pattern: the fractional parts of the square roots of 2, 3, 5 and 7.
static const uint64_t odd[BATCH_HASH_LANES] = {0x6a09e667f3bcc909u, 0xbb67ae8584caa73bu, 0x3c6ef372fe94f82bu,
                                               0xa54ff53a5f1d36f1u};

static uint64_t turn(uint64_t x, unsigned bits) {
    return x << bits | x >> (64 - bits);
}

void batch_hash_start(batch_hash* hash) {
    memset(hash, 0, sizeof *hash);
    memcpy(hash->lanes, odd, sizeof odd);
}

// Each step can be undone, by the word or by the lane: one changed word always changes the lane.
static void mix(batch_hash* hash, const uint8_t* block) {
    for (int i = 0; i < BATCH_HASH_LANES; i++) {
        uint64_t word = 0;
        for (unsigned b = 0; b < 8; b++)
            word |= (uint64_t)block[8 * i + (int)b] << (8 * b);
        hash->lanes[i] = turn((hash->lanes[i] ^ word) * odd[i], 29);
    }
}

void batch_hash_add(batch_hash* hash, const void* bytes, size_t count) {
    const uint8_t* at = bytes;
    hash->count += count;
    while (count) {
        if (!hash->waiting_count && count >= BATCH_HASH_BLOCK) {
            mix(hash, at);
            at += BATCH_HASH_BLOCK;
            count -= BATCH_HASH_BLOCK;
            continue;
        }
        size_t room = BATCH_HASH_BLOCK - hash->waiting_count;
        size_t taken = count < room ? count : room;
        memcpy(hash->waiting + hash->waiting_count, at, taken);
        hash->waiting_count += (uint32_t)taken;
        at += taken;
        count -= taken;
        if (hash->waiting_count == BATCH_HASH_BLOCK) {
            mix(hash, hash->waiting);
            hash->waiting_count = 0;
        }
    }
}

void batch_hash_text(batch_hash* hash, const char* text) {
    batch_hash_add(hash, text, strlen(text) + 1);
}

static uint64_t scatter(uint64_t x) {
    for (int i = 0; i < 3; i++) {
        x ^= x >> 31;
        x *= odd[i];
    }
    return x ^ x >> 32;
}

void batch_hash_end(const batch_hash* hash, char out[BATCH_HASH_CHARS]) {
    static const char digits[] = "0123456789abcdef";
    batch_hash last = *hash;
    memset(last.waiting + last.waiting_count, 0, BATCH_HASH_BLOCK - last.waiting_count);
    mix(&last, last.waiting);
    uint64_t halves[2] = {last.count, ~last.count};
    for (int i = 0; i < BATCH_HASH_LANES; i++)
        for (int h = 0; h < 2; h++)
            halves[h] = scatter(halves[h] + turn(last.lanes[i], h ? 32 : 1));
    for (int i = 0; i < 32; i++)
        out[i] = digits[halves[i / 16] >> (4 * (i % 16)) & 15];
    out[32] = 0;
}
