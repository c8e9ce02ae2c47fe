// Walking over the bits of a word.
#ifndef LIMBERI_BITS_H
#define LIMBERI_BITS_H

#include <stdint.h>

// Number of the lowest bit that is set; there must be one.
static inline uint32_t limberi_lowest_bit(uint32_t word) {
#if defined(__GNUC__)
    return (uint32_t)__builtin_ctz(word);
#else
    uint32_t bit = 0;
    while (!(word >> bit & 1))
        bit++;
    return bit;
#endif
}

#endif
