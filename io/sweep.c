// Temporary files and folders, which must not stay behind when a signal ends the program.
#include "io/sweep.h"

#include "base/memory.h"
#include "io/system.h"

#include <errno.h>
#include <stdatomic.h>
#include <string.h>

enum { FREE, CHANGING, USED };
enum { ROOM_STEP = 256 };

// Read by a signal handler, in any thread: entries are never released, only used again.
struct limberi_sweep {
    limberi_sweep* next;
    atomic_int state;
    size_t room;
    char path[];
};

static _Atomic(limberi_sweep*) newest;
static atomic_uint free_count;
static atomic_bool started;

static void sweep(void) {
    for (limberi_sweep* e = atomic_load(&newest); e; e = e->next)
        if (atomic_load(&e->state) == USED)
            limberi_system_remove(e->path);
    for (limberi_sweep* e = atomic_load(&newest); e; e = e->next) // folders are empty now
        if (atomic_load(&e->state) == USED)
            limberi_system_remove_folder(e->path);
}

void limberi_sweep_start(void) {
    if (!atomic_exchange(&started, true))
        limberi_system_before_end(sweep);
}

static limberi_sweep* reuse_free(size_t size) {
    if (!atomic_load(&free_count))
        return NULL;
    for (limberi_sweep* e = atomic_load(&newest); e; e = e->next) {
        int wanted = FREE;
        if (e->room >= size && atomic_compare_exchange_strong(&e->state, &wanted, CHANGING)) {
            atomic_fetch_sub(&free_count, 1);
            return e;
        }
    }
    return NULL;
}

static limberi_sweep* make_entry(size_t size) {
    size_t room = (size + ROOM_STEP) / ROOM_STEP * ROOM_STEP;
    limberi_sweep* entry = limberi_allocate(sizeof *entry + room);
    if (!entry)
        return NULL;
    entry->room = room;
    atomic_init(&entry->state, CHANGING);
    entry->next = atomic_load(&newest);
    while (!atomic_compare_exchange_weak(&newest, &entry->next, entry))
        continue;
    return entry;
}

limberi_sweep* limberi_sweep_add(const char* path) {
    size_t size = strlen(path) + 1;
    if (!atomic_load(&started))
        return NULL;
    limberi_sweep* entry = reuse_free(size);
    if (!entry)
        entry = make_entry(size);
    if (!entry) // it may stay behind, which is no reason to stop
        return NULL;
    memcpy(entry->path, path, size);
    atomic_store(&entry->state, USED);
    return entry;
}

void limberi_sweep_forget(limberi_sweep* entry) {
    if (!entry)
        return;
    atomic_store(&entry->state, FREE);
    atomic_fetch_add(&free_count, 1);
}

bool limberi_sweep_make_folder(const char* path, limberi_sweep** entry) {
    limberi_system_hold_end();
    bool made = limberi_system_make_folder(path);
    int number = errno;
    *entry = made ? limberi_sweep_add(path) : NULL;
    limberi_system_release_end();
    errno = number;
    return made;
}
