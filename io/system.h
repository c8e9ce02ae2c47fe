// What operating systems differ in: files by their UTF-8 names, always binary, and a few numbers. Either
// system_posix.c or system_windows.c is built. Functions that fail leave the reason in errno.
#ifndef LIMBERI_SYSTEM_H
#define LIMBERI_SYSTEM_H

#include <limber/base.h>
#include <stdio.h>

typedef enum limberi_kind {
    LIMBERI_KIND_NONE, // not there, for sure
    LIMBERI_KIND_FILE,
    LIMBERI_KIND_FOLDER,
    LIMBERI_KIND_PIPE,
    LIMBERI_KIND_OTHER,  // a device, a socket
    LIMBERI_KIND_UNKNOWN // the system does not tell; errno says why
} limberi_kind;

// Descriptors, -1: failed.
int limberi_system_open(const char* path); // to read
// To read a plain file, or what a link to one leads to; EINVAL for anything else. Never waits, and does nothing to a device.
int limberi_system_open_plain(const char* path);
// To read what a document refers to: `path` leads down from the folder, "a/b.bin", without "." and "..". Nothing but a
// plain file is opened, and ELOOP when it, or a folder on the way, is a link.
int limberi_system_open_below(const char* folder, const char* path);
// To write and read; EEXIST when something is there. With the permissions of the file `like`, if there is one.
int limberi_system_create(const char* path, const char* like);
int limberi_system_open_nameless(const char* beside); // to read and write; vanishes when it is closed
void limberi_system_close(int descriptor);
FILE* limberi_system_stream(int descriptor); // to write; takes the descriptor over
bool limberi_system_seek(FILE* stream, uint64_t offset);

// How many bytes came, 0 at the end, -1: failed. An interrupted call goes on.
int64_t limberi_system_read(int descriptor, void* bytes, size_t count);
// All of them, from an offset on. Several threads may do that at once.
bool limberi_system_read_at(int descriptor, uint64_t offset, void* bytes, size_t count);
bool limberi_system_write_at(int descriptor, uint64_t offset, const void* bytes, size_t count);

FILE* limberi_system_write_file(const char* path); // fopen(path, "wb")

limberi_kind limberi_system_kind(const char* path); // of what a link leads to
limberi_kind limberi_system_kind_of(int descriptor, uint64_t* byte_count);
bool limberi_system_is_link(const char* path);
bool limberi_system_is_locked(const char* path);              // a file that may not be written
bool limberi_system_rename(const char* from, const char* to); // a file that is there is replaced
bool limberi_system_link(const char* from, const char* to);   // a second name
bool limberi_system_remove(const char* path);
// On the disk, not only on its way there: a file, and all files where this one is, for whoever has written many.
bool limberi_system_sync(const char* path);
bool limberi_system_sync_all(const char* path);
// The bytes from an offset on may go to the disk from now on, so that there is less to wait for later.
void limberi_system_start_sync(int descriptor, uint64_t offset, uint64_t count);
void limberi_system_sync_folder(const char* of);   // the names in the folder of this file
bool limberi_system_make_folder(const char* path); // EEXIST when something is there
bool limberi_system_remove_folder(const char* path);
char* limberi_system_real_path(const char* path); // links followed; to be released, NULL: failed

// Which file a name leads to, and when it was last written; all zero: none.
typedef struct limberi_identity {
    uint64_t volume, number, byte_count, seconds, nanoseconds;
} limberi_identity;

bool limberi_system_identity(const char* path, limberi_identity* out); // false: the system does not tell

// Nobody else who asks for the same folder, that of this file, gets it until it is given back. Waits a while for others.
// False: they did not give it back; true with a *lock of -1: this file system has no locks.
bool limberi_system_lock_folder(const char* of, int* lock);
void limberi_system_unlock_folder(int lock);

// Before a signal ends the program, call this. It may use limberi_system_remove and limberi_system_remove_folder. A file
// that grows too large is an error of write() from then on, not the end. Windows has no such signals.
void limberi_system_before_end(void (*call)(void));
// Between these two, in any thread, such a signal waits: steps that leave something behind when they are half done. They
// are short, and may be inside each other.
void limberi_system_hold_end(void);
void limberi_system_release_end(void);

bool limberi_system_is_separator(char c);                       // between the parts of a path
void limberi_system_reason(int number, char* out, size_t size); // an errno in words
uint32_t limberi_system_process(void);
uint32_t limberi_system_core_count(void); // at least 1

#endif
