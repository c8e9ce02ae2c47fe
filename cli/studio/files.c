// The built studio: where it is, and its files.
#include "cli/cli.h"
#include "cli/studio/studio.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

// Closes what is no plain file. Opening must not wait for the other end of a pipe.
enum { OPEN_FLAGS = O_RDONLY | O_CLOEXEC | O_NONBLOCK };

static int only_plain(int file, uint64_t* size) {
    struct stat status;
    if (file < 0)
        return -1;
    if (fstat(file, &status) != 0 || !S_ISREG(status.st_mode) || status.st_size < 0) {
        close(file);
        return -1;
    }
    *size = (uint64_t)status.st_size;
    return file;
}

int studio_open_plain(const char* path, uint64_t* size) {
    return only_plain(open(path, OPEN_FLAGS), size);
}

// Step by step: a link anywhere on the way, even one made just now, leads nowhere.
int studio_open_below(const char* folder, const char* path, uint64_t* size) {
    int at = open(folder, O_RDONLY | O_CLOEXEC | O_DIRECTORY);
    for (const char* name = path; at >= 0;) {
        const char* slash = strchr(name, '/');
        size_t length = slash ? (size_t)(slash - name) : strlen(name);
        char step[256];
        int next = -1;
        if (length < sizeof step) {
            memcpy(step, name, length);
            step[length] = 0;
            next = openat(at, step, OPEN_FLAGS | O_NOFOLLOW | (slash ? O_DIRECTORY : 0));
        }
        close(at);
        at = next;
        if (!slash)
            return only_plain(at, size);
        name = slash + 1;
    }
    return -1;
}

static bool holds_studio(const char* folder) {
    uint64_t size;
    int file = studio_open_below(folder, "index.html", &size);
    if (file < 0)
        return false;
    close(file);
    return true;
}

static bool program_folder(char* folder, size_t room) {
    ssize_t length = readlink("/proc/self/exe", folder, room - 1);
    if (length <= 0 || (size_t)length >= room - 1)
        return false;
    folder[length] = 0;
    char* slash = strrchr(folder, '/');
    if (!slash)
        return false;
    *slash = 0;
    return true;
}

static bool join(const char* folder, const char* name, char* out, size_t room) {
    int length = snprintf(out, room, "%s/%s", folder, name);
    return length > 0 && (size_t)length < room;
}

int studio_find_folder(const char* asked, char* folder, size_t room) {
    char program[4096], cache[4096 + 32];
    if (asked && strlen(asked) >= room)
        return cli_fail(NULL, "the folder name of --files is too long");
    if (asked) {
        memcpy(folder, asked, strlen(asked) + 1);
        return holds_studio(folder) ? CLI_DONE
                                    : cli_fail(asked, "has no readable index.html; --files must name a built studio");
    }
    if (program_folder(program, sizeof program)) {
        if (join(program, LIMBER_STUDIO_INSTALLED, folder, room) && holds_studio(folder))
            return CLI_DONE;
        // An installed program must not take what happens to lie where a build would have it.
        bool building = join(program, "CMakeCache.txt", cache, sizeof cache) && access(cache, F_OK) == 0;
        if (building && join(program, LIMBER_STUDIO_BUILT, folder, room) && holds_studio(folder))
            return CLI_DONE;
    }
    return cli_fail(
        "studio",
        "the studio's pages are not built; run `./dev web` in the source folder, or use --files DIR to name a "
        "folder that has them");
}
