// A zip file of uncompressed parts, each of which starts at a multiple of 64 bytes, as .usdz files have them
// (APPNOTE.TXT 4.3: local headers, central directory, end record).
#include "io/cache/zip.h"

#include <string.h>

enum {
    LOCAL_BYTES = 30,
    CENTRAL_BYTES = 46,
    END_BYTES = 22,
    CHECKED = 14,     // where a local header has checksum and sizes
    MIN_EXTRA = 4,    // a field of padding has a head
    VERSION = 10,     // 1.0: plain parts
    DAY = 1 << 5 | 1, // 1 January 1980: the same input gives the same bytes
};

static void put2(uint8_t* at, uint64_t value) {
    at[0] = (uint8_t)value;
    at[1] = (uint8_t)(value >> 8);
}

static void put4(uint8_t* at, uint64_t value) {
    put2(at, value);
    put2(at + 2, value >> 16);
}

static void count_bytes(void* user, const void* bytes, size_t count) {
    limberi_zip* zip = user;
    zip->at += count;
    zip->crc = limberi_crc_add(zip->table, zip->crc, bytes, count);
}

bool limberi_zip_begin(limberi_zip* zip, limberi_out* out, limberi_arena* arena, uint32_t max_parts) {
    memset(zip, 0, sizeof *zip);
    zip->out = out;
    zip->part_room = max_parts;
    zip->parts = LIMBERI_ALLOCATE(arena, limberi_zip_part, max_parts);
    limberi_crc_begin(zip->table);
    out->watch = count_bytes;
    out->watcher = zip;
    return zip->parts != NULL;
}

void limberi_zip_open(limberi_zip* zip, const char* name) {
    uint8_t header[LOCAL_BYTES] = {'P', 'K', 3, 4, VERSION};
    static const uint8_t zeros[LIMBERI_ZIP_ALIGNMENT + MIN_EXTRA] = {0};
    limberi_zip_part* part = &zip->parts[zip->part_count++];
    limberi_out_flush(zip->out);
    part->name = name;
    part->header = zip->at;
    size_t over = (size_t)((zip->at + LOCAL_BYTES + strlen(name)) % LIMBERI_ZIP_ALIGNMENT);
    size_t extra = (LIMBERI_ZIP_ALIGNMENT - over) % LIMBERI_ZIP_ALIGNMENT;
    if (extra > 0 && extra < MIN_EXTRA)
        extra += LIMBERI_ZIP_ALIGNMENT;
    uint8_t head[MIN_EXTRA] = {0x86, 0x19}; // a kind that readers pass over
    put2(head + 2, extra - MIN_EXTRA);
    put2(header + 12, DAY);
    put2(header + 26, strlen(name));
    put2(header + 28, extra);
    limberi_out_bytes(zip->out, header, sizeof header);
    limberi_out_string(zip->out, name);
    if (extra) {
        limberi_out_bytes(zip->out, head, sizeof head);
        limberi_out_bytes(zip->out, zeros, extra - MIN_EXTRA);
    }
    limberi_out_flush(zip->out);
    part->start = zip->at;
    zip->crc = UINT32_MAX;
}

void limberi_zip_close(limberi_zip* zip) {
    limberi_zip_part* part = &zip->parts[zip->part_count - 1];
    limberi_out_flush(zip->out);
    part->size = zip->at - part->start;
    part->crc = ~zip->crc;
}

static void put_central(const limberi_zip* zip, const limberi_zip_part* part) {
    uint8_t header[CENTRAL_BYTES] = {'P', 'K', 1, 2, VERSION, 0, VERSION};
    put2(header + 14, DAY);
    put4(header + 16, part->crc);
    put4(header + 20, part->size);
    put4(header + 24, part->size);
    put2(header + 28, strlen(part->name));
    put4(header + 42, part->header);
    limberi_out_bytes(zip->out, header, sizeof header);
    limberi_out_string(zip->out, part->name);
}

bool limberi_zip_end(limberi_zip* zip) {
    uint64_t start = zip->at;
    uint8_t end[END_BYTES] = {'P', 'K', 5, 6};
    for (uint32_t i = 0; i < zip->part_count; i++)
        put_central(zip, &zip->parts[i]);
    limberi_out_flush(zip->out);
    put2(end + 8, zip->part_count);
    put2(end + 10, zip->part_count);
    put4(end + 12, zip->at - start);
    put4(end + 16, start);
    limberi_out_bytes(zip->out, end, sizeof end);
    limberi_out_flush(zip->out);
    for (uint32_t i = 0; i < zip->part_count; i++) {
        uint8_t checked[12];
        put4(checked, zip->parts[i].crc);
        put4(checked + 4, zip->parts[i].size);
        put4(checked + 8, zip->parts[i].size);
        limberi_file_seek(&zip->out->file, zip->parts[i].header + CHECKED);
        limberi_file_put(&zip->out->file, checked, sizeof checked);
    }
    return zip->at <= UINT32_MAX && zip->part_count <= UINT16_MAX;
}
