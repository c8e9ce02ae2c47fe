// Targets of a bake on the disk until they are written.
#include "base/error.h"
#include "base/memory.h"
#include "io/system.h"
#include <errno.h>
#include <limber/bake.h>
#include <limber/gltf.h>

typedef struct disk_store {
    limber_bake_store store; // first: it stands for the whole
    int descriptor;
} disk_store;

static bool put(void* user, uint64_t offset, const void* bytes, size_t byte_count) {
    const disk_store* disk = user;
    return limberi_system_write_at(disk->descriptor, offset, bytes, byte_count);
}

static bool get(void* user, uint64_t offset, void* bytes, size_t byte_count) {
    const disk_store* disk = user;
    return limberi_system_read_at(disk->descriptor, offset, bytes, byte_count);
}

limber_result limber_gltf_store_open(const char* path, limber_bake_store** store, limber_error* error) {
    *store = NULL;
    disk_store* disk = limberi_allocate_zeroed(1, sizeof *disk);
    if (!disk)
        return limberi_fail(error, LIMBER_ERROR_MEMORY, "out of memory");
    disk->descriptor = limberi_system_open_nameless(path);
    if (disk->descriptor < 0) {
        char reason[128];
        limberi_system_reason(errno, reason, sizeof reason);
        limberi_release(disk);
        return limberi_fail(error, LIMBER_ERROR_FILE, "cannot write '%s': %s", path, reason);
    }
    disk->store.put = put;
    disk->store.get = get;
    disk->store.user = disk;
    *store = &disk->store;
    return LIMBER_OK;
}

void limber_gltf_store_close(limber_bake_store* store) {
    if (!store)
        return;
    disk_store* disk = store->user;
    limberi_system_close(disk->descriptor);
    limberi_release(disk);
}
