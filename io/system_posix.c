// A long animation is more than 2 GiB; realpath is in this part of POSIX.
#define _FILE_OFFSET_BITS 64
#define _XOPEN_SOURCE 700

#include "io/system.h"

#include "base/error.h"
#include "base/memory.h"
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

int limberi_system_open(const char* path) {
    return open(path, O_RDONLY | O_CLOEXEC);
}

int limberi_system_create(const char* path) {
    return open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
}

int limberi_system_open_nameless(const char* beside) {
    static const char suffix[] = ".frames.XXXXXX";
    size_t size = strlen(beside) + sizeof suffix;
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
    return stat(path, &status) == 0 ? kind_of(status.st_mode) : LIMBERI_KIND_NONE;
}

limberi_kind limberi_system_kind_of(int descriptor, uint64_t* byte_count) {
    struct stat status;
    *byte_count = 0;
    if (fstat(descriptor, &status) != 0)
        return LIMBERI_KIND_NONE;
    *byte_count = (uint64_t)status.st_size;
    return kind_of(status.st_mode);
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
