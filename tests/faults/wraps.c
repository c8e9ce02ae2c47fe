// The wrapped calls (--wrap): they count, and fail when their turn comes.
#define _GNU_SOURCE
#include "faults/wraps.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdio_ext.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#include <sanitizer/common_interface_defs.h>
#define WITH_SANITIZER
#endif
#endif

// --- what happened to files, in order ---

typedef enum deed { WRITTEN, SYNCED, SYNCED_ALL, RENAMED } deed;

typedef struct event {
    deed deed;
    char path[512], to[512];
} event;

enum { EVENTS = 4096 };
static event events[EVENTS];
static int event_count;
static pthread_mutex_t events_lock = PTHREAD_MUTEX_INITIALIZER;

static void note(deed d, const char* path, const char* to) {
    pthread_mutex_lock(&events_lock);
    if (event_count < EVENTS) {
        event* e = &events[event_count++];
        e->deed = d;
        snprintf(e->path, sizeof e->path, "%s", path);
        snprintf(e->to, sizeof e->to, "%s", to);
    }
    pthread_mutex_unlock(&events_lock);
}

static void note_descriptor(deed d, int descriptor) {
    char link[64], path[512] = "";
    snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
    ssize_t length = readlink(link, path, sizeof path - 1);
    if (length > 0 && path[0] == '/')
        note(d, path, "");
}

static bool is_in(const char* path, const char* folder) {
    size_t length = strlen(folder);
    return strncmp(path, folder, length) == 0 && (path[length] == 0 || path[length] == '/');
}

static bool is_synced(const char* path, int from, int to) {
    for (int i = from; i < to; i++)
        if (events[i].deed == SYNCED_ALL || (events[i].deed == SYNCED && strcmp(events[i].path, path) == 0))
            return true;
    return false;
}

static const char* undurable(int renamed) {
    static char why[1200];
    const event* r = &events[renamed];
    char folder[512];
    for (int i = 0; i < renamed; i++)
        if (events[i].deed == WRITTEN && is_in(events[i].path, r->path) && !is_synced(events[i].path, i, renamed)) {
            snprintf(why, sizeof why, "%s got its name before its bytes were on the disk", r->to);
            return why;
        }
    snprintf(folder, sizeof folder, "%s", r->to);
    *strrchr(folder, '/') = 0;
    if (is_synced(folder, renamed, event_count))
        return NULL;
    snprintf(why, sizeof why, "the folder of %s was not synced after it got its name", r->to);
    return why;
}

const char* fault_undurable(void) {
    const char* why = event_count < EVENTS ? NULL : "too much happened";
    int names = 0;
    for (int i = 0; i < event_count && !why; i++) {
        names += events[i].deed == RENAMED;
        why = events[i].deed == RENAMED ? undurable(i) : NULL;
    }
    return why || names ? why : "no file got a name";
}

// --- faults ---

static atomic_long counts[FAULT_KINDS];
static long fails_at[FAULT_KINDS] = {-1, -1, -1};
static bool lasting[FAULT_KINDS];
static atomic_long deeds;
static long signal_at;
static int signal_number;

void fault_signal(long at, int number) {
    signal_at = at;
    signal_number = number;
    atomic_store(&deeds, 0);
}

long fault_signal_count(void) {
    return atomic_load(&deeds);
}

// Right after a call that changed something: the worst moment.
static void interrupt(void) {
    int number = errno;
    if (atomic_fetch_add(&deeds, 1) == signal_at && signal_number)
        raise(signal_number);
    errno = number;
}

void fault_set(fault_kind kind, long at, bool lasts) {
    fails_at[kind] = at;
    lasting[kind] = lasts;
    atomic_store(&counts[kind], 0);
    event_count = 0;
}

long fault_count(fault_kind kind) {
    return atomic_load(&counts[kind]);
}

// LIMBER_FAULT_TRACE=1 shows where the fault happened.
static bool fails(fault_kind kind) {
    long count = atomic_fetch_add(&counts[kind], 1);
    bool now = count == fails_at[kind] || (lasting[kind] && fails_at[kind] >= 0 && count > fails_at[kind]);
#ifdef WITH_SANITIZER
    if (now && getenv("LIMBER_FAULT_TRACE"))
        __sanitizer_print_stack_trace();
#endif
    return now;
}

// --- memory ---

void* __real_malloc(size_t size);
void* __real_calloc(size_t count, size_t size);
void* __real_realloc(void* old, size_t size);
void* __real_aligned_alloc(size_t alignment, size_t size);
char* __real_strdup(const char* text);
void* __wrap_malloc(size_t size);
void* __wrap_calloc(size_t count, size_t size);
void* __wrap_realloc(void* old, size_t size);
void* __wrap_aligned_alloc(size_t alignment, size_t size);
char* __wrap_strdup(const char* text);

void* __wrap_malloc(size_t size) {
    return fails(FAULT_MEMORY) ? NULL : __real_malloc(size);
}

void* __wrap_calloc(size_t count, size_t size) {
    return fails(FAULT_MEMORY) ? NULL : __real_calloc(count, size);
}

void* __wrap_realloc(void* old, size_t size) {
    return fails(FAULT_MEMORY) ? NULL : __real_realloc(old, size);
}

void* __wrap_aligned_alloc(size_t alignment, size_t size) {
    return fails(FAULT_MEMORY) ? NULL : __real_aligned_alloc(alignment, size);
}

char* __wrap_strdup(const char* text) {
    return fails(FAULT_MEMORY) ? NULL : __real_strdup(text);
}

// --- files ---

static bool refuses(int number) {
    bool refused = fails(FAULT_WRITES);
    if (refused)
        errno = number;
    return refused;
}

// From now on the disk is full for this file: what is buffered is lost when it is written, as it would be.
static void fill_disk(FILE* stream) {
    int full = open("/dev/full", O_WRONLY | O_CLOEXEC);
    if (full >= 0) {
        dup2(full, fileno(stream));
        close(full);
    }
}

static bool is_ours(FILE* stream) {
    return fileno(stream) > 2;
}

size_t __real_fwrite(const void* bytes, size_t size, size_t count, FILE* stream);
int __real_fflush(FILE* stream);
int __real_fclose(FILE* stream);
FILE* __real_fopen(const char* path, const char* mode);
FILE* __real_fopen64(const char* path, const char* mode);
FILE* __real_fdopen(int descriptor, const char* mode);
ssize_t __real_write(int descriptor, const void* bytes, size_t count);
ssize_t __real_pwrite64(int descriptor, const void* bytes, size_t count, off64_t offset);
int __real_fsync(int descriptor);
int __real_syncfs(int descriptor);
int __real_rename(const char* from, const char* to);
int __real_mkstemp64(char* path);
int __real_mkdir(const char* path, mode_t mode);
int __real_open64(const char* path, int flags, ...);
size_t __wrap_fwrite(const void* bytes, size_t size, size_t count, FILE* stream);
int __wrap_fflush(FILE* stream);
int __wrap_fclose(FILE* stream);
FILE* __wrap_fopen(const char* path, const char* mode);
FILE* __wrap_fopen64(const char* path, const char* mode);
FILE* __wrap_fdopen(int descriptor, const char* mode);
ssize_t __wrap_write(int descriptor, const void* bytes, size_t count);
ssize_t __wrap_pwrite64(int descriptor, const void* bytes, size_t count, off64_t offset);
int __wrap_fsync(int descriptor);
int __wrap_syncfs(int descriptor);
int __wrap_rename(const char* from, const char* to);
int __wrap_mkstemp64(char* path);
int __wrap_mkdir(const char* path, mode_t mode);
int __wrap_open64(const char* path, int flags, ...);

int __real_unlink(const char* path);
int __real_rmdir(const char* path);
int __real_link(const char* from, const char* to);
pid_t __real_fork(void);
int __wrap_unlink(const char* path);
int __wrap_rmdir(const char* path);
int __wrap_link(const char* from, const char* to);
pid_t __wrap_fork(void);

// These do not fail here: something has to work, to clean up with.
int __wrap_unlink(const char* path) {
    int result = __real_unlink(path);
    interrupt();
    return result;
}

int __wrap_rmdir(const char* path) {
    int result = __real_rmdir(path);
    interrupt();
    return result;
}

int __wrap_link(const char* from, const char* to) {
    int result = __real_link(from, to);
    interrupt();
    return result;
}

// A signal to the parent only: the child has to end by itself.
pid_t __wrap_fork(void) {
    pid_t child = __real_fork();
    if (child == 0)
        signal_number = 0;
    else
        interrupt();
    return child;
}

size_t __wrap_fwrite(const void* bytes, size_t size, size_t count, FILE* stream) {
    if (is_ours(stream) && fails(FAULT_WRITES))
        fill_disk(stream);
    return __real_fwrite(bytes, size, count, stream);
}

int __wrap_fflush(FILE* stream) {
    if (stream && is_ours(stream) && fails(FAULT_WRITES))
        fill_disk(stream);
    return __real_fflush(stream);
}

int __wrap_fclose(FILE* stream) {
    bool refused = is_ours(stream) && fails(FAULT_WRITES);
    if (is_ours(stream) && __fwriting(stream))
        note_descriptor(WRITTEN, fileno(stream)); // what is buffered is written now
    int result = __real_fclose(stream);
    interrupt();
    if (!refused)
        return result;
    errno = EIO;
    return EOF;
}

FILE* __wrap_fopen(const char* path, const char* mode) {
    return mode[0] != 'r' && refuses(EACCES) ? NULL : __real_fopen(path, mode);
}

FILE* __wrap_fopen64(const char* path, const char* mode) {
    return mode[0] != 'r' && refuses(EACCES) ? NULL : __real_fopen64(path, mode);
}

FILE* __wrap_fdopen(int descriptor, const char* mode) {
    return refuses(ENOMEM) ? NULL : __real_fdopen(descriptor, mode);
}

ssize_t __wrap_write(int descriptor, const void* bytes, size_t count) {
    return descriptor > 2 && refuses(ENOSPC) ? -1 : __real_write(descriptor, bytes, count);
}

ssize_t __wrap_pwrite64(int descriptor, const void* bytes, size_t count, off64_t offset) {
    note_descriptor(WRITTEN, descriptor);
    return refuses(ENOSPC) ? -1 : __real_pwrite64(descriptor, bytes, count, offset);
}

int __wrap_fsync(int descriptor) {
    note_descriptor(SYNCED, descriptor);
    return refuses(EIO) ? -1 : __real_fsync(descriptor);
}

int __wrap_syncfs(int descriptor) {
    note(SYNCED_ALL, "", "");
    return refuses(EIO) ? -1 : __real_syncfs(descriptor);
}

int __wrap_rename(const char* from, const char* to) {
    char before[PATH_MAX] = "", after[PATH_MAX] = "";
    if (refuses(EACCES) || !realpath(from, before))
        return -1;
    int result = __real_rename(from, to);
    if (result == 0 && realpath(to, after))
        note(RENAMED, before, after);
    interrupt();
    return result;
}

int __wrap_mkstemp64(char* path) {
    int result = refuses(ENOSPC) ? -1 : __real_mkstemp64(path);
    interrupt();
    return result;
}

int __wrap_mkdir(const char* path, mode_t mode) {
    int result = refuses(ENOSPC) ? -1 : __real_mkdir(path, mode);
    interrupt();
    return result;
}

int __wrap_open64(const char* path, int flags, ...) {
    va_list list;
    va_start(list, flags);
    bool makes = flags & O_CREAT || (flags & O_TMPFILE) == O_TMPFILE;
    mode_t mode = makes ? (mode_t)va_arg(list, int) : 0;
    va_end(list);
    int result = flags & O_CREAT && refuses(ENOSPC) ? -1 : __real_open64(path, flags, mode);
    if (makes)
        interrupt();
    return result;
}

// --- looks ---

#define LOOK(call, parameters, arguments)                                                                              \
    int __real_##call parameters;                                                                                      \
    int __wrap_##call parameters;                                                                                      \
    int __wrap_##call parameters {                                                                                     \
        if (!fails(FAULT_LOOKS))                                                                                       \
            return __real_##call arguments;                                                                            \
        errno = EIO;                                                                                                   \
        return -1;                                                                                                     \
    }

LOOK(stat, (const char* path, struct stat* out), (path, out))
LOOK(stat64, (const char* path, struct stat64* out), (path, out))
LOOK(fstatat, (int at, const char* path, struct stat* out, int flags), (at, path, out, flags))
LOOK(fstatat64, (int at, const char* path, struct stat64* out, int flags), (at, path, out, flags))
LOOK(fstat, (int descriptor, struct stat* out), (descriptor, out))
LOOK(fstat64, (int descriptor, struct stat64* out), (descriptor, out))
LOOK(access, (const char* path, int mode), (path, mode))
