// Windows keeps names in UTF-16; its "ANSI" functions would read ours in whatever code page the machine has.
#include "io/system.h"

#include "base/error.h"
#include "base/memory.h"
#include <errno.h>
#include <fcntl.h>
#include <io.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <wchar.h>

#define WIN32_LEAN_AND_MEAN
#include <windows.h>

enum { LARGEST_PIECE = 1 << 30, ATTEMPTS = 100 }; // _read counts in int

// To be freed; NULL with errno when the name is not UTF-8 or memory is short.
static wchar_t* wide(const char* text) {
    int count = MultiByteToWideChar(CP_UTF8, MB_ERR_INVALID_CHARS, text, -1, NULL, 0);
    if (count <= 0) {
        errno = EINVAL;
        return NULL;
    }
    wchar_t* out = limberi_allocate((size_t)count * sizeof *out);
    if (out)
        MultiByteToWideChar(CP_UTF8, MB_ERR_INVALID_CHARS, text, -1, out, count);
    else
        errno = ENOMEM;
    return out;
}

static char* narrow(const wchar_t* text) {
    int count = WideCharToMultiByte(CP_UTF8, 0, text, -1, NULL, 0, NULL, NULL);
    char* out = count > 0 ? limberi_allocate((size_t)count) : NULL;
    if (out)
        WideCharToMultiByte(CP_UTF8, 0, text, -1, out, count, NULL, NULL);
    return out;
}

static int open_with(const char* path, int flags) {
    wchar_t* name = wide(path);
    int descriptor = name ? _wopen(name, flags | _O_BINARY | _O_NOINHERIT, _S_IREAD | _S_IWRITE) : -1;
    int number = errno;
    limberi_release(name);
    errno = number;
    return descriptor;
}

// Windows says EACCES of a folder, which tells a person nothing.
int limberi_system_open(const char* path) {
    int descriptor = open_with(path, _O_RDONLY);
    if (descriptor < 0 && errno == EACCES && limberi_system_kind(path) == LIMBERI_KIND_FOLDER)
        errno = EISDIR;
    return descriptor;
}

int limberi_system_create(const char* path) {
    return open_with(path, _O_WRONLY | _O_CREAT | _O_EXCL);
}

int limberi_system_open_nameless(const char* beside) {
    size_t size = strlen(beside) + 48;
    char* path = limberi_allocate(size);
    int descriptor = -1;
    errno = path ? EEXIST : ENOMEM;
    for (unsigned attempt = 0; path && descriptor < 0 && errno == EEXIST && attempt < ATTEMPTS; attempt++) {
        limberi_format(path, size, "%s.frames.%u.%u", beside, limberi_system_process(), attempt);
        descriptor = open_with(path, _O_RDWR | _O_CREAT | _O_EXCL | _O_TEMPORARY);
    }
    int number = errno;
    limberi_release(path);
    errno = number;
    return descriptor;
}

void limberi_system_close(int descriptor) {
    _close(descriptor);
}

FILE* limberi_system_stream(int descriptor) {
    return _fdopen(descriptor, "wb");
}

int64_t limberi_system_read(int descriptor, void* bytes, size_t count) {
    return _read(descriptor, bytes, count < LARGEST_PIECE ? (unsigned)count : LARGEST_PIECE);
}

bool limberi_system_read_at(int descriptor, uint64_t offset, void* bytes, size_t count) {
    if (_lseeki64(descriptor, (int64_t)offset, SEEK_SET) < 0)
        return false;
    for (char* at = bytes; count;) {
        int64_t got = limberi_system_read(descriptor, at, count);
        if (got <= 0) {
            errno = got < 0 ? errno : EIO;
            return false;
        }
        at += got;
        count -= (size_t)got;
    }
    return true;
}

bool limberi_system_write_at(int descriptor, uint64_t offset, const void* bytes, size_t count) {
    if (_lseeki64(descriptor, (int64_t)offset, SEEK_SET) < 0)
        return false;
    for (const char* at = bytes; count;) {
        int written = _write(descriptor, at, count < LARGEST_PIECE ? (unsigned)count : LARGEST_PIECE);
        if (written <= 0) {
            errno = written < 0 ? errno : ENOSPC;
            return false;
        }
        at += written;
        count -= (size_t)written;
    }
    return true;
}

FILE* limberi_system_write_file(const char* path) {
    wchar_t* name = wide(path);
    FILE* file = name ? _wfopen(name, L"wb") : NULL;
    limberi_release(name);
    return file;
}

static limberi_kind kind_of(unsigned mode) {
    switch (mode & _S_IFMT) {
    case _S_IFREG:
        return LIMBERI_KIND_FILE;
    case _S_IFDIR:
        return LIMBERI_KIND_FOLDER;
    case _S_IFIFO:
        return LIMBERI_KIND_PIPE;
    default:
        return LIMBERI_KIND_OTHER;
    }
}

limberi_kind limberi_system_kind(const char* path) {
    struct _stat64 status;
    wchar_t* name = wide(path);
    bool there = name && _wstat64(name, &status) == 0;
    limberi_release(name);
    return there ? kind_of(status.st_mode) : LIMBERI_KIND_NONE;
}

limberi_kind limberi_system_kind_of(int descriptor, uint64_t* byte_count) {
    struct _stat64 status;
    *byte_count = 0;
    if (_fstat64(descriptor, &status) != 0)
        return LIMBERI_KIND_NONE;
    *byte_count = (uint64_t)status.st_size;
    return kind_of(status.st_mode);
}

bool limberi_system_rename(const char* from, const char* to) {
    wchar_t *a = wide(from), *b = wide(to);
    bool done = a && b && MoveFileExW(a, b, MOVEFILE_REPLACE_EXISTING);
    if (!done && a && b)
        errno = GetLastError() == ERROR_FILE_NOT_FOUND ? ENOENT : EACCES;
    limberi_release(a);
    limberi_release(b);
    return done;
}

typedef int (*path_call)(const wchar_t* path);

static bool call_with(path_call call, const char* path) {
    wchar_t* name = wide(path);
    bool done = name && call(name) == 0;
    int number = errno;
    limberi_release(name);
    errno = number;
    return done;
}

bool limberi_system_remove(const char* path) {
    return call_with(_wunlink, path);
}

bool limberi_system_make_folder(const char* path) {
    return call_with(_wmkdir, path);
}

bool limberi_system_remove_folder(const char* path) {
    return call_with(_wrmdir, path);
}

// Links are rare and not followed: a rename onto one replaces it.
char* limberi_system_real_path(const char* path) {
    wchar_t* name = wide(path);
    wchar_t* full = name ? _wfullpath(NULL, name, 0) : NULL;
    char* out = full ? narrow(full) : NULL;
    free(full); // the C library's memory
    limberi_release(name);
    return out;
}

bool limberi_system_is_separator(char c) {
    return c == '/' || c == '\\';
}

void limberi_system_reason(int number, char* out, size_t size) {
    if (strerror_s(out, size, number) != 0)
        limberi_format(out, size, "error %d", number);
}

uint32_t limberi_system_process(void) {
    return GetCurrentProcessId();
}

uint32_t limberi_system_core_count(void) {
    SYSTEM_INFO info;
    GetSystemInfo(&info);
    return info.dwNumberOfProcessors ? info.dwNumberOfProcessors : 1;
}
