// Assimp reads many formats, and damaged files have crashed it. So a child process does the reading, within limits of
// memory and time, and hands over a .glb that our own reader checks. Whatever happens to the child, this process tells
// it in one line.
#include "cli/cli.h"
#include "cli/import/scene.h"
#include "io/gltf/document.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { EXIT_TOLD = 3 };

typedef struct handover {
    char folder[256];
    char file[280];
    int message[2]; // a pipe
} handover;

static void lower(struct rlimit* now, uint64_t max) {
    if (now->rlim_max == RLIM_INFINITY || now->rlim_max > max)
        now->rlim_max = (rlim_t)max;
    now->rlim_cur = now->rlim_max;
}

static void set_limits(uint64_t file_bytes) {
    struct rlimit now;
    if (getrlimit(RLIMIT_CORE, &now) == 0) {
        lower(&now, 0);
        (void)setrlimit(RLIMIT_CORE, &now);
    }
    if (getrlimit(RLIMIT_CPU, &now) == 0) {
        lower(&now, 120 + file_bytes / 100000); // seconds; a file of 4 MB takes less than one
        (void)setrlimit(RLIMIT_CPU, &now);
    }
#ifndef LIMBERI_ONE_COPY // sanitizers reserve more than there is
    if (getrlimit(RLIMIT_AS, &now) == 0) {
        lower(&now, ((uint64_t)4 << 30) + 100 * file_bytes);
        (void)setrlimit(RLIMIT_AS, &now);
    }
#endif
}

// --- the child ---

static void send_line(const handover* h, const char* place, const char* message) {
    char line[640];
    limberi_format(line, sizeof line - 1, "%s%s%s", place, place[0] ? ": " : "", message);
    size_t length = strcspn(line, "\r\n");
    line[length++] = '\n';
    ssize_t written = write(h->message[1], line, length);
    (void)written; // nobody is left to tell
}

static void run_child(const char* path, const handover* h, uint64_t file_bytes) {
    limber_gltf* gltf = NULL;
    limber_error error;
    int nowhere = open("/dev/null", O_WRONLY);
    if (nowhere >= 0) // what a library says when it breaks is not our one line
        (void)dup2(nowhere, STDERR_FILENO);
    set_limits(file_bytes);
    limber_result result = import_file(path, &gltf, &error);
    if (result == LIMBER_OK)
        result = limber_gltf_save_file(gltf, NULL, h->file, &error);
    if (result != LIMBER_OK)
        send_line(h, error.place, error.message);
    for (uint32_t i = 0; result == LIMBER_OK && i < limber_gltf_warning_count(gltf); i++)
        send_line(h, "", limber_gltf_warning(gltf, i));
    _exit(result == LIMBER_OK ? 0 : EXIT_TOLD);
}

// --- the parent ---

static int wait_for(pid_t child) {
    int status = -1;
    while (waitpid(child, &status, 0) < 0)
        if (errno != EINTR)
            return -1;
    return status;
}

static void read_message(int descriptor, char* line, size_t size) {
    size_t length = 0;
    for (;;) {
        ssize_t got = read(descriptor, line + length, size - 1 - length);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            break;
        length += (size_t)got;
    }
    line[length] = 0;
}

static int fail_child(const char* path, int status, char* line) {
    line[strcspn(line, "\n")] = 0;
    if (WIFEXITED(status) && WEXITSTATUS(status) == EXIT_TOLD && line[0])
        return cli_fail(path, "%s", line);
    if (WIFSIGNALED(status) && (WTERMSIG(status) == SIGXCPU || WTERMSIG(status) == SIGKILL))
        return cli_fail(path, "cannot be read: it takes too much time or memory");
    return cli_fail(path, "cannot be read: it is damaged (the library that reads it broke down)");
}

// One line of the child each.
static void tell_problems(const char* path, char* lines, limber_gltf* gltf) {
    for (char* line = lines; *line;) {
        size_t length = strcspn(line, "\n");
        bool more = line[length] != 0;
        line[length] = 0;
        limberi_gltf_tell(gltf, line);
        cli_warn(path, "%s", line);
        line += length + more;
    }
}

static int run_import(const char* path, handover* h, uint64_t file_bytes, limber_gltf** gltf) {
    char lines[640 * IMPORT_PROBLEMS];
    limber_error error;
    if (pipe(h->message) != 0)
        return cli_fail(path, "cannot be read: no pipe is left");
    (void)fflush(NULL);
    pid_t child = fork();
    if (child == 0)
        run_child(path, h, file_bytes);
    (void)close(h->message[1]);
    read_message(h->message[0], lines, sizeof lines);
    (void)close(h->message[0]);
    int status = child > 0 ? wait_for(child) : -1;
    if (child < 0)
        return cli_fail(path, "cannot be read: no process can be started");
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
        return fail_child(path, status, lines);
    limber_gltf_limits limits = cli_gltf_limits();
    limber_result result = limber_gltf_load_file(h->file, &limits, gltf, &error);
    if (result != LIMBER_OK)
        return cli_fail(path, "%s", error.message);
    tell_problems(path, lines, *gltf);
    return CLI_DONE;
}

static bool make_folder(handover* h) {
    const char* base = getenv("TMPDIR");
    int length = snprintf(h->folder, sizeof h->folder, "%s/limber-XXXXXX", base && base[0] ? base : "/tmp");
    if (length < 0 || (size_t)length >= sizeof h->folder || !mkdtemp(h->folder))
        return false;
    limberi_format(h->file, sizeof h->file, "%s/character.glb", h->folder);
    return true;
}

int cli_import(const char* path, limber_gltf** gltf) {
    struct stat about;
    handover h;
    *gltf = NULL;
    if (stat(path, &about) != 0)
        return cli_fail(path, "%s", strerror(errno));
    if (!S_ISREG(about.st_mode))
        return cli_fail(path, "is not a file");
    uint64_t bytes = (uint64_t)about.st_size;
    uint64_t max = limber_gltf_limits_default().file_bytes;
    if (bytes > max)
        return cli_fail(path, "the file is too large (%llu bytes, max %llu)", (unsigned long long)bytes,
                        (unsigned long long)max);
    if (!make_folder(&h))
        return cli_fail(path, "cannot be read: no temporary folder can be made");
    int status = run_import(path, &h, bytes, gltf);
    (void)unlink(h.file);
    (void)rmdir(h.folder);
    return status;
}
