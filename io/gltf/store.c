// Targets of a bake on the disk until they are written, or where they will stay.
#include "base/error.h"
#include "base/memory.h"
#include "io/gltf/write.h"
#include "io/system.h"
#include "text/json_write.h"
#include <errno.h>
#include <limber/gltf.h>
#include <string.h>

// Of text: a target of a part (two accessors and its entry), and what else a bake adds. More text than there is room
// for only means that the rows are copied.
enum { TARGET_TEXT = 560, OTHER_TEXT = 1 << 14, MAX_TEXT_READ = 1 << 22, PAGE = 1 << 12, SYNCED_AT_ONCE = 1 << 23 };

typedef struct disk_store {
    limber_bake_store store; // first: it stands for the whole
    limberi_inside inside;   // without a file and a front where the store is not inside of one
    char* path;              // of the .glb; NULL: not inside
} disk_store;

// Rows that stay begin their way to the disk, some at a time, while others are made.
static bool store_bytes(void* user, uint64_t offset, const void* bytes, size_t byte_count) {
    const disk_store* disk = user;
    uint64_t at = disk->inside.front + offset;
    uint64_t piece = at / SYNCED_AT_ONCE;
    bool done = limberi_system_write_at(disk->inside.descriptor, at, bytes, byte_count);
    if (done && disk->path && (at + byte_count) / SYNCED_AT_ONCE != piece)
        limberi_system_start_sync(disk->inside.descriptor, piece * SYNCED_AT_ONCE, SYNCED_AT_ONCE);
    return done;
}

static bool get(void* user, uint64_t offset, void* bytes, size_t byte_count) {
    const disk_store* disk = user;
    return limberi_system_read_at(disk->inside.descriptor, disk->inside.front + offset, bytes, byte_count);
}

static disk_store* new_store(void) {
    disk_store* disk = limberi_allocate_zeroed(1, sizeof *disk);
    if (disk) {
        disk->store.put = store_bytes;
        disk->store.get = get;
        disk->store.user = disk;
    }
    return disk;
}

limber_result limber_gltf_store_open(const char* path, limber_bake_store** store, limber_error* error) {
    *store = NULL;
    disk_store* disk = new_store();
    if (!disk)
        return limberi_fail_memory(error);
    disk->inside.descriptor = limberi_system_open_nameless(path);
    if (disk->inside.descriptor < 0) {
        char reason[128];
        limberi_system_reason(errno, reason, sizeof reason);
        limberi_release(disk);
        return limberi_fail(error, LIMBER_ERROR_FILE, "cannot write '%s': %s", path, reason);
    }
    *store = &disk->store;
    return LIMBER_OK;
}

// Normals of targets are left out where a primitive has none: rows would keep them.
static bool all_have_normals(const limber_gltf* gltf) {
    size_t m, i;
    const limberi_json *mesh, *primitive;
    for (m = 0; (mesh = limberi_json_at(limberi_json_get(gltf->json.root, "meshes"), m)) != NULL; m++)
        for (i = 0; (primitive = limberi_json_at(limberi_json_get(mesh, "primitives"), i)) != NULL; i++)
            if (!limberi_json_get(limberi_json_get(primitive, "attributes"), "NORMAL"))
                return false;
    return true;
}

static size_t text_size(const limber_gltf* gltf) {
    limberi_buffer text = {NULL, 0, 0, false};
    limberi_json_writer json = {.out = &text};
    if (gltf->text_size)
        return gltf->text_size;
    limberi_json_tree(&json, gltf->json.root);
    size_t size = text.length;
    limberi_buffer_free(&text);
    return size;
}

static uint64_t room_for_text(const limber_gltf* gltf, uint32_t frame_count) {
    const limber_model* model = limber_asset_model(gltf->asset);
    uint64_t parts = 0;
    uint64_t text = text_size(gltf);
    text = text < MAX_TEXT_READ ? text : MAX_TEXT_READ;
    for (uint32_t m = 0; m < model->mesh_count; m++)
        parts += limberi_part_count(&model->meshes[m]);
    return text + text / 4 + OTHER_TEXT + TARGET_TEXT * parts * frame_count;
}

limber_result limber_gltf_store_open_inside(const limber_gltf* gltf, uint32_t frame_count, const char* path,
                                            limber_bake_store** store, limber_error* error) {
    *store = NULL;
    if (!limberi_file_has_ending(path, ".glb") || !all_have_normals(gltf))
        return limber_gltf_store_open(path, store, error);
    size_t size = strlen(path) + 1;
    disk_store* disk = new_store();
    char* copy = limberi_allocate(size);
    limber_result result = disk && copy ? LIMBER_OK : limberi_fail_memory(error);
    if (!result)
        result = limberi_file_open(&disk->inside.file, path, error);
    if (result) {
        limberi_release(disk);
        limberi_release(copy);
        return result;
    }
    disk->path = memcpy(copy, path, size);
    disk->inside.descriptor = disk->inside.file.descriptor;
    disk->inside.front = (LIMBERI_GLB_FRONT + room_for_text(gltf, frame_count) + PAGE - 1) & ~(uint64_t)(PAGE - 1);
    *store = &disk->store;
    return LIMBER_OK;
}

limberi_inside* limberi_store_inside(const limber_bake_store* store, const char* path) {
    if (store->put != store_bytes)
        return NULL;
    disk_store* disk = store->user;
    bool there = disk->path && disk->inside.descriptor >= 0;
    return there && strcmp(disk->path, path) == 0 ? &disk->inside : NULL;
}

limberi_file limberi_inside_hand_over(limberi_inside* inside) {
    limberi_file file = inside->file;
    memset(&inside->file, 0, sizeof inside->file);
    inside->descriptor = -1;
    return file;
}

void limber_gltf_store_close(limber_bake_store* store) {
    if (!store)
        return;
    disk_store* disk = store->user;
    if (disk->path)
        limberi_file_discard(&disk->inside.file);
    else
        limberi_system_close(disk->inside.descriptor);
    limberi_release(disk->path);
    limberi_release(disk);
}
