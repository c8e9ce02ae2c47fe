// The folder of a batch: made, locked for one run, and swept of what killed runs left.
#include "cli/batch/batch.h"
#include "cli/cli.h"
#include "io/file.h"
#include "io/system.h"
#include "text/text.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int fail_folder(const char* path, const char* what, int number) {
    char reason[128];
    limberi_system_reason(number, reason, sizeof reason);
    return cli_fail(path, "%s: %s", what, reason);
}

// And those above it. Prints what is wrong.
static int make_folder(const char* path) {
    limberi_arena arena = {NULL, false};
    char* copy = limberi_arena_string(&arena, path);
    int status = copy ? CLI_DONE : cli_fail_memory(path);
    for (char* at = copy; !status && at; at = *at ? at : NULL) {
        at += strspn(at, "/");
        at += strcspn(at, "/");
        char kept = *at;
        *at = 0;
        int number = limberi_system_make_folder(copy) ? 0 : errno;
        if (number && limberi_system_kind(copy) != LIMBERI_KIND_FOLDER)
            status = fail_folder(copy, "cannot make the folder", number);
        *at = kept;
    }
    limberi_arena_free(&arena);
    return status;
}

static int fail_locked(const char* folder, int descriptor) {
    struct flock holder = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    if (fcntl(descriptor, F_GETLK, &holder) == 0 && holder.l_type != F_UNLCK && holder.l_pid > 0)
        return cli_fail(folder, "another batch (process %ld) is writing here; wait for it or use another folder",
                        (long)holder.l_pid);
    return cli_fail(folder, "another batch is writing here; wait for it or use another folder");
}

// The system gives the lock back when the process ends, however it does.
int batch_folder_lock(const char* folder) {
    limberi_arena arena = {NULL, false};
    char* inside = batch_join(&arena, folder, "/.limber", "");
    char* path = inside ? batch_join(&arena, inside, "/lock", "") : NULL;
    int status = path ? make_folder(inside) : cli_fail_memory(folder);
    int descriptor = status ? -1 : open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    if (!status && descriptor < 0)
        status = fail_folder(path, "cannot be written", errno);
    if (!status && fcntl(descriptor, F_SETLK, &lock) != 0)
        status = errno == EACCES || errno == EAGAIN ? fail_locked(folder, descriptor)
                                                    : fail_folder(path, "cannot be locked", errno);
    limberi_arena_free(&arena);
    return status; // the descriptor stays open
}

// --- what killed processes leave: NAME.PROCESS.ATTEMPT.tmp (io/file_write.c) ---

// The process, and the length of NAME; 0: not such a file.
static long parse_temporary(const char* name, size_t* length) {
    static const char second[] = ".old"; // a second name of what was there before
    size_t at = strlen(name);
    if (at > 4 && strcmp(name + at - 4, second) == 0)
        at -= 4;
    if (at < 9 || strncmp(name + at - 4, ".tmp", 4) != 0)
        return 0;
    at -= 4;
    size_t dots[2];
    for (int i = 0; i < 2; i++) {
        size_t end = at;
        while (at > 0 && limberi_is_digit(name[at - 1]))
            at--;
        if (at == end || at < 2 || name[at - 1] != '.')
            return 0;
        dots[i] = --at;
    }
    *length = dots[1];
    return strtol(name + dots[1] + 1, NULL, 10);
}

typedef bool leftover_test(const void* user, const char* folder, const char* name);

static void clean_folder(const char* folder, leftover_test* test, const void* user) {
    limberi_arena arena = {NULL, false};
    DIR* stream = opendir(folder);
    for (struct dirent* entry; stream && (entry = readdir(stream));) {
        char* path = test(user, folder, entry->d_name) ? batch_join(&arena, folder, "/", entry->d_name) : NULL;
        if (path)
            (void)limberi_system_remove(path);
    }
    if (stream)
        closedir(stream);
    limberi_arena_free(&arena);
}

static bool is_of_process(const void* user, const char* folder, const char* name) {
    size_t length;
    (void)folder;
    return parse_temporary(name, &length) == *(const long*)user;
}

void batch_remove_temporaries(const char* output, long process) {
    limberi_arena arena = {NULL, false};
    char* folder = limberi_file_folder(&arena, output);
    if (folder)
        clean_folder(folder, is_of_process, &process);
    limberi_arena_free(&arena);
}

// One that has ended and that nobody has asked about is still listed, as a zombie.
static bool is_alive(long process) {
    char path[64];
    char text[512] = "";
    if (kill((pid_t)process, 0) != 0 && errno != EPERM)
        return false;
    limberi_format(path, sizeof path, "/proc/%llu/stat", (unsigned long long)process);
    FILE* file = fopen(path, "r");
    if (file) {
        text[fread(text, 1, sizeof text - 1, file)] = 0;
        fclose(file);
    }
    const char* state = strrchr(text, ')'); // "12 (name) Z ..."
    return !state || !state[1] || !strchr("ZX", state[2]);
}

// Of a planned output or, for the .bin of a .gltf, of one with the same stem; and nobody is writing it.
static bool is_leftover(const void* user, const char* folder, const char* name) {
    const batch_words* stems = user;
    limberi_arena arena = {NULL, false};
    size_t length = 0;
    long process = parse_temporary(name, &length);
    if (!process || is_alive(process))
        return false;
    char* whole = batch_join(&arena, folder, "/", name);
    char* dot = NULL;
    if (whole) {
        whole[strlen(folder) + 1 + length] = 0;
        dot = strrchr(whole, '.');
    }
    if (dot)
        *dot = 0;
    bool found = dot && bsearch(&whole, stems->items, stems->count, sizeof *stems->items, batch_compare_texts);
    limberi_arena_free(&arena);
    return found;
}

void batch_remove_leftovers(const batch_plan* plan) {
    limberi_arena arena = {NULL, false};
    batch_words stems = {NULL, 0, 0};
    batch_words folders = {NULL, 0, 0};
    bool done = true;
    for (uint32_t i = 0; done && i < 2 * plan->count; i++) {
        const batch_job* job = &plan->jobs[i / 2];
        const char* path = i % 2 ? job->stamp : job->path;
        char* stem = limberi_arena_string(&arena, path);
        char* dot = stem ? strrchr(stem, '.') : NULL;
        if (dot)
            *dot = 0;
        done = batch_words_keep(&stems, &arena, stem) &&
               batch_words_keep(&folders, &arena, limberi_file_folder(&arena, path));
    }
    batch_words_sort(&stems);
    batch_words_sort(&folders);
    batch_words_unique(&folders);
    for (uint32_t i = 0; done && i < folders.count; i++)
        clean_folder(folders.items[i], is_leftover, &stems);
    limberi_arena_free(&arena);
}
