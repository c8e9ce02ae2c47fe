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

// Whether every step is there and none of them is a link (or another kind of reparse point).
static bool is_free_of_links(wchar_t* path, size_t folder_length) {
    for (size_t i = folder_length + 1;; i++) {
        if (path[i] && path[i] != L'/')
            continue;
        wchar_t end = path[i];
        path[i] = 0;
        DWORD attributes = GetFileAttributesW(path);
        path[i] = end;
        errno = attributes == INVALID_FILE_ATTRIBUTES ? ENOENT : ELOOP;
        if (attributes == INVALID_FILE_ATTRIBUTES || (attributes & FILE_ATTRIBUTE_REPARSE_POINT))
            return false;
        if (!end)
            return true;
    }
}

// A colon would name a stream behind a file.
int limberi_system_open_plain(const char* path) {
    if (limberi_system_kind(path) != LIMBERI_KIND_FILE) {
        errno = EINVAL;
        return -1;
    }
    return open_with(path, _O_RDONLY);
}

int limberi_system_open_below(const char* folder, const char* path) {
    size_t size = strlen(folder) + strlen(path) + 2;
    char* full = limberi_allocate(size);
    wchar_t* start = wide(folder);
    wchar_t* name = NULL;
    int descriptor = -1;
    errno = full ? EINVAL : ENOMEM;
    if (full && start && !strchr(path, ':')) {
        limberi_format(full, size, "%s/%s", folder, path);
        name = wide(full);
        if (name && is_free_of_links(name, wcslen(start)))
            descriptor = open_with(full, _O_RDONLY);
    }
    uint64_t byte_count;
    if (descriptor >= 0 && limberi_system_kind_of(descriptor, &byte_count) != LIMBERI_KIND_FILE) {
        _close(descriptor);
        descriptor = -1;
        errno = EINVAL;
    }
    int number = errno;
    limberi_release(name);
    limberi_release(start);
    limberi_release(full);
    errno = number;
    return descriptor;
}

// Permissions are those of the folder.
int limberi_system_create(const char* path, const char* like) {
    (void)like;
    return open_with(path, _O_RDWR | _O_CREAT | _O_EXCL);
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

bool limberi_system_seek(FILE* stream, uint64_t offset) {
    return _fseeki64(stream, (int64_t)offset, SEEK_SET) == 0;
}

int64_t limberi_system_read(int descriptor, void* bytes, size_t count) {
    return _read(descriptor, bytes, count < LARGEST_PIECE ? (unsigned)count : LARGEST_PIECE);
}

static OVERLAPPED place_of(uint64_t offset) {
    OVERLAPPED place = {0};
    place.Offset = (DWORD)offset;
    place.OffsetHigh = (DWORD)(offset >> 32);
    return place;
}

bool limberi_system_read_at(int descriptor, uint64_t offset, void* bytes, size_t count) {
    HANDLE file = (HANDLE)_get_osfhandle(descriptor);
    for (char* at = bytes; count;) {
        OVERLAPPED place = place_of(offset);
        DWORD got = 0;
        DWORD piece = count < LARGEST_PIECE ? (DWORD)count : LARGEST_PIECE;
        if (!ReadFile(file, at, piece, &got, &place) || !got) {
            errno = EIO;
            return false;
        }
        at += got;
        offset += got;
        count -= got;
    }
    return true;
}

bool limberi_system_write_at(int descriptor, uint64_t offset, const void* bytes, size_t count) {
    HANDLE file = (HANDLE)_get_osfhandle(descriptor);
    for (const char* at = bytes; count;) {
        OVERLAPPED place = place_of(offset);
        DWORD written = 0;
        DWORD piece = count < LARGEST_PIECE ? (DWORD)count : LARGEST_PIECE;
        if (!WriteFile(file, at, piece, &written, &place) || !written) {
            bool full = GetLastError() == ERROR_DISK_FULL || GetLastError() == ERROR_HANDLE_DISK_FULL;
            errno = full ? ENOSPC : EIO;
            return false;
        }
        at += written;
        offset += written;
        count -= written;
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
    int number = errno;
    limberi_release(name);
    errno = number;
    if (there)
        return kind_of(status.st_mode);
    return name && errno == ENOENT ? LIMBERI_KIND_NONE : LIMBERI_KIND_UNKNOWN;
}

limberi_kind limberi_system_kind_of(int descriptor, uint64_t* byte_count) {
    struct _stat64 status;
    *byte_count = 0;
    if (_fstat64(descriptor, &status) != 0)
        return LIMBERI_KIND_NONE;
    *byte_count = (uint64_t)status.st_size;
    return kind_of(status.st_mode);
}

bool limberi_system_is_link(const char* path) {
    wchar_t* name = wide(path);
    DWORD about = name ? GetFileAttributesW(name) : INVALID_FILE_ATTRIBUTES;
    limberi_release(name);
    return about != INVALID_FILE_ATTRIBUTES && about & FILE_ATTRIBUTE_REPARSE_POINT;
}

bool limberi_system_is_locked(const char* path) {
    wchar_t* name = wide(path);
    bool locked = name && _waccess(name, 0) == 0 && _waccess(name, 2) != 0;
    limberi_release(name);
    return locked;
}

bool limberi_system_identity(const char* path, limberi_identity* out) {
    BY_HANDLE_FILE_INFORMATION about;
    memset(out, 0, sizeof *out);
    wchar_t* name = wide(path);
    HANDLE file = name ? CreateFileW(name, 0, FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE, NULL,
                                     OPEN_EXISTING, FILE_FLAG_BACKUP_SEMANTICS, NULL)
                       : INVALID_HANDLE_VALUE;
    limberi_release(name);
    if (file == INVALID_HANDLE_VALUE)
        return GetLastError() == ERROR_FILE_NOT_FOUND || GetLastError() == ERROR_PATH_NOT_FOUND;
    if (GetFileInformationByHandle(file, &about)) {
        out->volume = (uint64_t)about.dwVolumeSerialNumber + 1;
        out->number = (uint64_t)about.nFileIndexHigh << 32 | about.nFileIndexLow;
        out->byte_count = (uint64_t)about.nFileSizeHigh << 32 | about.nFileSizeLow;
        out->seconds = about.ftLastWriteTime.dwHighDateTime;
        out->nanoseconds = about.ftLastWriteTime.dwLowDateTime;
    }
    CloseHandle(file);
    return true;
}

bool limberi_system_sync(const char* path) {
    int descriptor = open_with(path, _O_RDWR);
    bool done = descriptor >= 0 && _commit(descriptor) == 0;
    if (descriptor >= 0)
        _close(descriptor);
    return done;
}

void limberi_system_start_sync(int descriptor, uint64_t offset, uint64_t count) {
    (void)descriptor;
    (void)offset;
    (void)count;
}

bool limberi_system_sync_all(const char* path) {
    return limberi_system_sync(path);
}

// NTFS keeps its names in a journal.
void limberi_system_sync_folder(const char* of) {
    (void)of;
}

// Renames are refused while another program has the file open.
bool limberi_system_lock_folder(const char* of, int* lock) {
    (void)of;
    *lock = -1;
    return true;
}

void limberi_system_unlock_folder(int lock) {
    (void)lock;
}

void limberi_system_hold_end(void) {
}

void limberi_system_release_end(void) {
}

void limberi_system_before_end(void (*call)(void)) {
    (void)call;
}

bool limberi_system_link(const char* from, const char* to) {
    wchar_t* a = wide(from);
    wchar_t* b = wide(to);
    bool done = a && b && CreateHardLinkW(b, a, NULL);
    limberi_release(a);
    limberi_release(b);
    return done;
}

bool limberi_system_rename(const char* from, const char* to) {
    wchar_t* a = wide(from);
    wchar_t* b = wide(to);
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
