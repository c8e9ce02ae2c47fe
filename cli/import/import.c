// Assimp reads many formats, and damaged files have crashed it. So a child process does the reading, in a sandbox and
// within limits of memory and time, and hands over a .glb, in a file without a name, that our own reader checks. Whatever
// happens to the child, this process tells it in one line; whatever happens to this process, the child ends with it.
#define _GNU_SOURCE
#include "cli/cli.h"
#include "cli/import/scene.h"
#include "cli/import/shield.h"
#include "io/file.h"
#include "io/gltf/document.h"
#include "io/system.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif

enum { EXIT_TOLD = 3 };

typedef struct handover {
    int file;       // what is handed over
    int message[2]; // a pipe: '0' and the bits of the shield, then a line if the child fails
} handover;

static unsigned shield; // of the last import

unsigned cli_import_shield(void) {
    return shield;
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

// Signals end it at once, and so does the end of its parent.
static void stay_with(pid_t parent) {
    static const int numbers[] = {SIGINT, SIGTERM, SIGHUP};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        (void)signal(numbers[i], SIG_DFL);
#ifdef __linux__
    (void)prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
#endif
    if (getppid() != parent)
        _exit(EXIT_TOLD);
}

static limber_result hand_over(const limber_gltf* gltf, const handover* h, limber_error* error) {
    void* bytes;
    size_t size;
    limber_result result = limber_gltf_save_memory(gltf, NULL, &bytes, &size, error);
    if (result == LIMBER_OK && !limberi_system_write_at(h->file, 0, bytes, size))
        result = limberi_fail(error, LIMBER_ERROR_FILE, "cannot be read: no room for temporary files");
    return result;
}

static limber_result read_shielded(const char* path, const handover* h, limber_error* error) {
    limberi_arena names = {NULL, false};
    limber_gltf* gltf = NULL;
    const char* folder = limberi_file_folder(&names, path);
    if (!folder)
        return limberi_fail_memory(error);
    const char state[2] = {(char)('0' + import_shield(path, folder)), 0};
    ssize_t written = write(h->message[1], state, strlen(state));
    (void)written; // nobody is left to tell
    limber_result result = import_file(path, &gltf, error);
    for (uint32_t i = 0; result == LIMBER_OK && i < limber_gltf_warning_count(gltf); i++)
        send_line(h, "", limber_gltf_warning(gltf, i));
    return result == LIMBER_OK ? hand_over(gltf, h, error) : result;
}

static void run_child(const char* path, const handover* h, uint64_t file_bytes, pid_t parent) {
    limber_error error;
    int nowhere = open("/dev/null", O_WRONLY);
    if (nowhere >= 0) // what a library says when it breaks is not our one line
        (void)dup2(nowhere, STDERR_FILENO);
    stay_with(parent);
    import_limit(120 + file_bytes / 100000, ((uint64_t)4 << 30) + 100 * file_bytes); // 4 MB take less than a second
    limber_result result = read_shielded(path, h, &error);
    if (result != LIMBER_OK)
        send_line(h, error.place, error.message);
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
    int number = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
    if (number == SIGXCPU || number == SIGKILL || number == SIGALRM)
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

static int load_handover(const char* path, const handover* h, limber_gltf** gltf) {
    limber_gltf_limits limits = cli_gltf_limits();
    limber_error error;
    struct stat about;
    void* bytes = MAP_FAILED;
    if (fstat(h->file, &about) == 0 && about.st_size > 0)
        bytes = mmap(NULL, (size_t)about.st_size, PROT_READ, MAP_PRIVATE, h->file, 0);
    if (bytes == MAP_FAILED)
        return cli_fail_memory(path);
    limber_result result = limber_gltf_load_memory(bytes, (size_t)about.st_size, NULL, &limits, gltf, &error);
    (void)munmap(bytes, (size_t)about.st_size);
    return result == LIMBER_OK ? CLI_DONE : cli_fail(path, "%s", error.message);
}

static int run_import(const char* path, handover* h, uint64_t file_bytes, limber_gltf** gltf) {
    char text[640 * IMPORT_PROBLEMS + 2];
    if (pipe(h->message) != 0)
        return cli_fail(path, "cannot be read: no pipe is left");
    (void)fflush(NULL);
    pid_t parent = getpid();
    pid_t child = fork();
    if (child == 0)
        run_child(path, h, file_bytes, parent);
    (void)close(h->message[1]);
    read_message(h->message[0], text, sizeof text);
    (void)close(h->message[0]);
    int status = child > 0 ? wait_for(child) : -1;
    if (child < 0)
        return cli_fail(path, "cannot be read: no process can be started");
    bool stated = text[0] >= '0' && text[0] <= '3';
    shield = stated ? (unsigned)(text[0] - '0') : 0;
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
        return fail_child(path, status, text + stated);
    int loaded = load_handover(path, h, gltf);
    if (!loaded)
        tell_problems(path, text + stated, *gltf);
    return loaded;
}

static int open_handover(void) {
    char beside[256];
    const char* base = getenv("TMPDIR");
    int length = snprintf(beside, sizeof beside, "%s/limber", base && base[0] ? base : "/tmp");
    return length < 0 || (size_t)length >= sizeof beside ? -1 : limberi_system_open_nameless(beside);
}

int cli_import(const char* path, limber_gltf** gltf) {
    struct stat about;
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
    handover h = {.file = open_handover()};
    if (h.file < 0)
        return cli_fail(path, "cannot be read: no temporary file can be made");
    int status = run_import(path, &h, bytes, gltf);
    limberi_system_close(h.file);
    return status;
}
