// A long animation is more than 2 GiB; realpath is in this part of POSIX.
#define _FILE_OFFSET_BITS 64
#define _XOPEN_SOURCE 700

#include "io/system.h"

#include "base/error.h"
#include "base/memory.h"
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#ifdef __APPLE__
#define st_mtim st_mtimespec
#endif

int limberi_system_open(const char* path) {
    return open(path, O_RDONLY | O_CLOEXEC);
}

// Looked at first: to open a device can already do something, and to open a pipe can wait.
static int open_plain(int folder, const char* name, bool follows) {
    struct stat status;
    if (fstatat(folder, name, &status, follows ? 0 : AT_SYMLINK_NOFOLLOW) != 0)
        return -1;
    errno = S_ISLNK(status.st_mode) ? ELOOP : EINVAL;
    if (!S_ISREG(status.st_mode))
        return -1;
    int file = openat(folder, name, O_RDONLY | O_CLOEXEC | O_NONBLOCK | (follows ? 0 : O_NOFOLLOW));
    if (file >= 0 && (fstat(file, &status) != 0 || !S_ISREG(status.st_mode))) {
        close(file);
        errno = EINVAL;
        return -1;
    }
    return file;
}

int limberi_system_open_plain(const char* path) {
    return open_plain(AT_FDCWD, path, true);
}

// Some systems say "not a folder" of a link.
static int open_folder(int at, const char* name) {
    struct stat status;
    int folder = openat(at, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_DIRECTORY);
    int number = errno;
    if (folder < 0 && fstatat(at, name, &status, AT_SYMLINK_NOFOLLOW) == 0 && S_ISLNK(status.st_mode))
        number = ELOOP;
    errno = number;
    return folder;
}

// Step by step: a link anywhere on the way, even one made just now, leads nowhere.
int limberi_system_open_below(const char* folder, const char* path) {
    int at = open(folder, O_RDONLY | O_CLOEXEC | O_DIRECTORY);
    for (const char* name = path; at >= 0;) {
        const char* slash = strchr(name, '/');
        size_t length = slash ? (size_t)(slash - name) : strlen(name);
        char step[256];
        int next = -1;
        errno = ENAMETOOLONG;
        if (length < sizeof step) {
            memcpy(step, name, length);
            step[length] = 0;
            next = slash ? open_folder(at, step) : open_plain(at, step, false);
        }
        int number = errno;
        close(at);
        errno = number;
        if (!slash)
            return next;
        at = next;
        name = slash + 1;
    }
    return -1;
}

// The owner, too, where the system allows; a group that cannot be kept gets no rights that the old one had.
static void copy_permissions(int file, const struct stat* like) {
    struct stat own;
    mode_t mode = like->st_mode & 0777;
    bool known = fstat(file, &own) == 0;
    if (known && (own.st_uid != like->st_uid || own.st_gid != like->st_gid) &&
        fchown(file, like->st_uid, like->st_gid) != 0 && own.st_gid != like->st_gid)
        mode &= ~(mode_t)S_IRWXG;
    fchmod(file, mode);
}

int limberi_system_create(const char* path, const char* like) {
    struct stat status;
    bool known = like && stat(like, &status) == 0;
    int file = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, known ? 0600 : 0666);
    if (file >= 0 && known)
        copy_permissions(file, &status);
    return file;
}

// A file that never has a name cannot stay behind, whenever a signal ends the program.
static int open_unnamed(const char* beside) {
#ifdef __O_TMPFILE // O_TMPFILE is declared by _GNU_SOURCE only, as syncfs
    char folder[4096];
    const char* slash = strrchr(beside, '/');
    size_t length = slash ? (size_t)(slash - beside) + 1 : 1;
    if (length >= sizeof folder)
        return -1;
    memcpy(folder, slash ? beside : ".", length);
    folder[length] = 0;
    return open(folder, __O_TMPFILE | O_RDWR | O_EXCL | O_CLOEXEC, 0600);
#else
    (void)beside;
    return -1;
#endif
}

int limberi_system_open_nameless(const char* beside) {
    static const char suffix[] = ".frames.XXXXXX";
    size_t size = strlen(beside) + sizeof suffix;
    int unnamed = open_unnamed(beside);
    if (unnamed >= 0)
        return unnamed;
    char* path = limberi_allocate(size);
    if (!path) {
        errno = ENOMEM;
        return -1;
    }
    limberi_format(path, size, "%s%s", beside, suffix);
    int descriptor = mkstemp(path);
    int number = errno;
    if (descriptor >= 0)
        unlink(path);
    limberi_release(path);
    errno = number;
    return descriptor;
}

void limberi_system_close(int descriptor) {
    close(descriptor);
}

FILE* limberi_system_stream(int descriptor) {
    return fdopen(descriptor, "wb");
}

bool limberi_system_seek(FILE* stream, uint64_t offset) {
    return fseeko(stream, (off_t)offset, SEEK_SET) == 0;
}

int64_t limberi_system_read(int descriptor, void* bytes, size_t count) {
    ssize_t got;
    do
        got = read(descriptor, bytes, count);
    while (got < 0 && errno == EINTR);
    return got;
}

bool limberi_system_read_at(int descriptor, uint64_t offset, void* bytes, size_t count) {
    for (char* at = bytes; count;) {
        ssize_t got = pread(descriptor, at, count, (off_t)offset);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0) {
            errno = got < 0 ? errno : EIO;
            return false;
        }
        at += got;
        offset += (uint64_t)got;
        count -= (size_t)got;
    }
    return true;
}

bool limberi_system_write_at(int descriptor, uint64_t offset, const void* bytes, size_t count) {
    for (const char* at = bytes; count;) {
        ssize_t written = pwrite(descriptor, at, count, (off_t)offset);
        if (written < 0 && errno == EINTR)
            continue;
        if (written <= 0) {
            errno = written < 0 ? errno : ENOSPC;
            return false;
        }
        at += written;
        offset += (uint64_t)written;
        count -= (size_t)written;
    }
    return true;
}

FILE* limberi_system_write_file(const char* path) {
    return fopen(path, "wb");
}

static limberi_kind kind_of(mode_t mode) {
    if (S_ISREG(mode))
        return LIMBERI_KIND_FILE;
    if (S_ISDIR(mode))
        return LIMBERI_KIND_FOLDER;
    return S_ISFIFO(mode) ? LIMBERI_KIND_PIPE : LIMBERI_KIND_OTHER;
}

limberi_kind limberi_system_kind(const char* path) {
    struct stat status;
    if (stat(path, &status) == 0)
        return kind_of(status.st_mode);
    return errno == ENOENT || errno == ENOTDIR ? LIMBERI_KIND_NONE : LIMBERI_KIND_UNKNOWN;
}

limberi_kind limberi_system_kind_of(int descriptor, uint64_t* byte_count) {
    struct stat status;
    *byte_count = 0;
    if (fstat(descriptor, &status) != 0)
        return LIMBERI_KIND_NONE;
    *byte_count = (uint64_t)status.st_size;
    return kind_of(status.st_mode);
}

bool limberi_system_is_link(const char* path) {
    struct stat status;
    return lstat(path, &status) == 0 && S_ISLNK(status.st_mode);
}

// Also for those who may write anything: the mark is there because someone wants to keep the file.
bool limberi_system_is_locked(const char* path) {
    struct stat status;
    return stat(path, &status) == 0 && (!(status.st_mode & 0222) || access(path, W_OK) != 0);
}

bool limberi_system_identity(const char* path, limberi_identity* out) {
    struct stat status;
    memset(out, 0, sizeof *out);
    if (stat(path, &status) != 0)
        return errno == ENOENT || errno == ENOTDIR;
    limberi_identity found = {(uint64_t)status.st_dev, (uint64_t)status.st_ino, (uint64_t)status.st_size,
                              (uint64_t)status.st_mtim.tv_sec, (uint64_t)status.st_mtim.tv_nsec};
    *out = found;
    return true;
}

// Some file systems have nothing to sync, and say so.
static bool sync_with(const char* path, int (*call)(int descriptor)) {
    int file = open(path, O_RDONLY | O_CLOEXEC);
    bool done = file >= 0 && (call(file) == 0 || errno == EINVAL || errno == ENOTSUP);
    int number = errno;
    if (file >= 0)
        close(file);
    errno = number;
    return done;
}

bool limberi_system_sync(const char* path) {
    return sync_with(path, fsync);
}

#ifdef __linux__
// Declared by _GNU_SOURCE only, which changes other functions.
int syncfs(int descriptor);
int sync_file_range(int descriptor, off_t offset, off_t count, unsigned flags);

void limberi_system_start_sync(int descriptor, uint64_t offset, uint64_t count) {
    const unsigned start_writing = 2; // SYNC_FILE_RANGE_WRITE
    sync_file_range(descriptor, (off_t)offset, (off_t)count, start_writing);
}

bool limberi_system_sync_all(const char* path) {
    return sync_with(path, syncfs);
}
#else
void limberi_system_start_sync(int descriptor, uint64_t offset, uint64_t count) {
    (void)descriptor;
    (void)offset;
    (void)count;
}

bool limberi_system_sync_all(const char* path) {
    return sync_with(path, fsync);
}
#endif

static int open_folder_of(const char* of) {
    const char* slash = strrchr(of, '/');
    size_t length = slash && slash > of ? (size_t)(slash - of) : 1;
    char folder[4096];
    if (length >= sizeof folder) {
        errno = ENAMETOOLONG;
        return -1;
    }
    memcpy(folder, slash ? of : ".", length);
    folder[length] = 0;
    return open(folder, O_RDONLY | O_CLOEXEC | O_DIRECTORY);
}

// Nothing to do about one that fails: the file has its name.
void limberi_system_sync_folder(const char* of) {
    int descriptor = open_folder_of(of);
    if (descriptor < 0)
        return;
    fsync(descriptor);
    close(descriptor);
}

// On the folder itself: nothing is left behind, and the system gives it back when a process ends, however it does.
bool limberi_system_lock_folder(const char* of, int* lock) {
    enum { TRIES = 6000 };
    const struct timespec moment = {0, 10 * 1000 * 1000};
    *lock = open_folder_of(of);
    for (int i = 0; *lock >= 0 && i < TRIES; i++) {
        if (flock(*lock, LOCK_EX | LOCK_NB) == 0)
            return true;
        if (errno == EWOULDBLOCK)
            nanosleep(&moment, NULL);
        else if (errno != EINTR)
            break;
    }
    bool busy = *lock >= 0 && errno == EWOULDBLOCK;
    if (*lock >= 0)
        close(*lock);
    *lock = -1;
    errno = EWOULDBLOCK;
    return !busy;
}

void limberi_system_unlock_folder(int lock) {
    if (lock >= 0)
        close(lock);
}

bool limberi_system_link(const char* from, const char* to) {
    return link(from, to) == 0;
}

bool limberi_system_rename(const char* from, const char* to) {
    return rename(from, to) == 0;
}

bool limberi_system_remove(const char* path) {
    return unlink(path) == 0;
}

bool limberi_system_make_folder(const char* path) {
    return mkdir(path, 0777) == 0;
}

bool limberi_system_remove_folder(const char* path) {
    return rmdir(path) == 0;
}

static void (*before_end)(void);
static atomic_int holds;
static atomic_int waiting; // a signal

static void end_by(int number) {
    struct sigaction standard = {.sa_handler = SIG_DFL};
    atomic_store(&waiting, number);
    if (atomic_load(&holds)) // whoever releases the last one sees it
        return;
    before_end();
    sigaction(number, &standard, NULL);
    raise(number); // delivered on return, where this is a handler
}

void limberi_system_hold_end(void) {
    atomic_fetch_add(&holds, 1);
}

void limberi_system_release_end(void) {
    bool last = atomic_fetch_sub(&holds, 1) == 1;
    int number = last ? atomic_load(&waiting) : 0;
    if (number)
        end_by(number);
}

void limberi_system_before_end(void (*call)(void)) {
    static const int numbers[] = {SIGINT, SIGTERM, SIGHUP};
    struct sigaction former;
    struct sigaction action = {.sa_flags = SA_RESTART};
    struct sigaction ignore = {.sa_handler = SIG_IGN};
    before_end = call;
    action.sa_handler = end_by;
    sigemptyset(&action.sa_mask);
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        if (sigaction(numbers[i], NULL, &former) == 0 && former.sa_handler == SIG_DFL) // not under nohup
            sigaction(numbers[i], &action, NULL);
    sigaction(SIGXFSZ, &ignore, NULL);
}

char* limberi_system_real_path(const char* path) {
    char* system = realpath(path, NULL); // the C library's memory
    size_t size = system ? strlen(system) + 1 : 0;
    char* out = system ? limberi_allocate(size) : NULL;
    if (out)
        memcpy(out, system, size);
    free(system);
    return out;
}

bool limberi_system_is_separator(char c) {
    return c == '/';
}

void limberi_system_reason(int number, char* out, size_t size) {
    if (strerror_r(number, out, size) != 0)
        limberi_format(out, size, "error %d", number);
}

uint32_t limberi_system_process(void) {
    return (uint32_t)getpid();
}

uint32_t limberi_system_core_count(void) {
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    return cores < 1 ? 1 : (uint32_t)cores;
}
