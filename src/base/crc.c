// The checksum of PNG and zip files: CRC-32, a byte at a time.
#include "base/crc.h"

void limberi_crc_begin(uint32_t* table) {
    for (uint32_t i = 0; i < LIMBERI_CRC_TABLE; i++) {
        table[i] = i;
        for (int bit = 0; bit < 8; bit++)
            table[i] = table[i] >> 1 ^ (table[i] & 1 ? 0xEDB88320u : 0);
    }
}

uint32_t limberi_crc_add(const uint32_t* table, uint32_t crc, const uint8_t* bytes, size_t count) {
    for (size_t i = 0; i < count; i++)
        crc = crc >> 8 ^ table[(crc ^ bytes[i]) & 255];
    return crc;
}
