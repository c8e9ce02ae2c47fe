// limber_gltf_save_memory: the .glb as bytes, for programs without files.
#include "base/error.h"
#include "base/memory.h"
#include "io/gltf/write.h"

#include <string.h>

// The size of a .glb is known before its first byte.
typedef struct block {
    uint8_t* bytes;
    size_t used;
} block;

static void put_bytes(void* user, const void* bytes, size_t count) {
    block* to = user;
    if (count)
        memcpy(to->bytes + to->used, bytes, count);
    to->used += count;
}

static limber_result save(limberi_writer* writer, block* to, limber_error* error) {
    const limberi_sink sink = {put_bytes, NULL, to};
    limberi_glb glb;
    limber_result result = limberi_glb_begin(writer, 0, &glb, error);
    if (result == LIMBER_OK) {
        to->bytes = limberi_allocate((size_t)glb.size);
        result = to->bytes ? limberi_glb_put(&glb, writer, &sink, error) : limberi_fail_memory(error);
    }
    limberi_buffer_free(&glb.text);
    return result;
}

// Packed views until they are put.
typedef struct memory_store {
    uint8_t* bytes;
    size_t used, room;
    bool failed; // memory ran out
} memory_store;

static bool store_reserve(memory_store* store, size_t size) {
    if (size <= store->room)
        return true;
    uint8_t* grown = limberi_reallocate(store->bytes, store->used, size + size / 2);
    if (!grown)
        return false;
    store->bytes = grown;
    store->room = size + size / 2;
    return true;
}

// Bytes come one after the other.
static bool store_put(void* user, uint64_t offset, const void* bytes, size_t count) {
    memory_store* store = user;
    bool too_large = offset > SIZE_MAX / 4 || count > SIZE_MAX / 4;
    if (too_large || !store_reserve(store, (size_t)offset + count)) {
        store->failed = true;
        return false;
    }
    memcpy(store->bytes + offset, bytes, count);
    store->used = (size_t)offset + count;
    return true;
}

static bool store_get(void* user, uint64_t offset, void* bytes, size_t count) {
    const memory_store* store = user;
    if (offset > store->used || count > store->used - offset)
        return false;
    memcpy(bytes, store->bytes + offset, count);
    return true;
}

static limber_result pack(limberi_writer* writer, const limber_gltf_edits* edits, limber_bake_store* store,
                          limber_error* error) {
    const memory_store* memory = store->user;
    limberi_embed_images(writer, true);
    limber_result result = limberi_writer_status(writer, error);
    if (result == LIMBER_OK)
        result = limberi_pack_views(writer, edits, store, error);
    return memory->failed ? limberi_fail_memory(error) : result;
}

limber_result limber_gltf_save_memory(const limber_gltf* gltf, const limber_gltf_edits* given, void** bytes,
                                      size_t* byte_count, limber_error* error) {
    *bytes = NULL;
    *byte_count = 0;
    limber_gltf_edits edits;
    limber_result result = limberi_edits_read(given, &edits, error);
    if (result != LIMBER_OK)
        return result;
    memory_store packed = {NULL, 0, 0, false};
    limber_bake_store store = {store_put, store_get, &packed};
    block to = {NULL, 0};
    limberi_writer writer;
    result = limberi_writer_begin(&writer, gltf, &edits, false, error);
    if (result == LIMBER_OK && edits.pack)
        result = pack(&writer, &edits, &store, error);
    if (result == LIMBER_OK)
        result = save(&writer, &to, error);
    limberi_writer_free(&writer);
    limberi_release(packed.bytes);
    if (result != LIMBER_OK) {
        limberi_release(to.bytes);
        return result;
    }
    *bytes = to.bytes;
    *byte_count = to.used;
    return LIMBER_OK;
}
