// A zip file of uncompressed parts, each of which starts at a multiple of 64 bytes, as .usdz files have them.
//
//     limberi_zip zip;
//     limberi_zip_begin(&zip, &out, arena);
//     limberi_zip_open(&zip, "a.usda"); // write to `out`
//     limberi_zip_close(&zip);
//     limberi_zip_end(&zip);            // then commit `out`
#ifndef LIMBERI_CACHE_ZIP_H
#define LIMBERI_CACHE_ZIP_H

#include "base/crc.h"
#include "base/memory.h"
#include "io/out.h"

enum { LIMBERI_ZIP_ALIGNMENT = 64 };

typedef struct limberi_zip_part {
    const char* name;
    uint64_t header, start; // of the part and of its bytes, in the file
    uint64_t size;
    uint32_t crc;
} limberi_zip_part;

typedef struct limberi_zip {
    limberi_out* out;
    uint32_t part_count, part_room;
    limberi_zip_part* parts;
    uint64_t at; // bytes handed on
    uint32_t crc;
    uint32_t table[LIMBERI_CRC_TABLE];
} limberi_zip;

bool limberi_zip_begin(limberi_zip* zip, limberi_out* out, limberi_arena* arena,
                       uint32_t max_parts);                // false: no memory
void limberi_zip_open(limberi_zip* zip, const char* name); // which lives on
void limberi_zip_close(limberi_zip* zip);
bool limberi_zip_end(limberi_zip* zip); // false: more than zip files can hold

#endif
