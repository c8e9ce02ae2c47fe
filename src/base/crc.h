// The checksum of PNG and zip files: CRC-32.
#ifndef LIMBERI_CRC_H
#define LIMBERI_CRC_H

#include <stddef.h>
#include <stdint.h>

enum { LIMBERI_CRC_TABLE = 256 };

void limberi_crc_begin(uint32_t* table);
// Starts at UINT32_MAX; the checksum is the complement of the last one.
uint32_t limberi_crc_add(const uint32_t* table, uint32_t crc, const uint8_t* bytes, size_t count);

#endif
