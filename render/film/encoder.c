// Films out of raw frames: the program ffmpeg, fed through its standard input.
#include "render/film/encoder.h"
#include "base/error.h"
#include "io/file_write.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

extern char** environ;

enum { LEFT_SIGNAL_COUNT = 3, COMPLAINT_BYTES = 320 }; // the latter fit into a limber_error
static const int left_signals[LEFT_SIGNAL_COUNT] = {SIGINT, SIGTERM, SIGHUP};

struct limberi_encoder {
    size_t frame_bytes;
    limberi_file file; // ffmpeg writes to its temporary name
    pid_t process;
    int frames, complaints;          // our ends of the pipes
    char complaint[COMPLAINT_BYTES]; // the end of what ffmpeg said
    size_t complaint_length;
    bool broken; // ffmpeg reads no more
    struct sigaction former[LEFT_SIGNAL_COUNT], former_pipe;
};

// What a signal handler may look at. It may run in any thread, so masks would not keep it out while things change.
static volatile sig_atomic_t changing, asked_to_leave, running_process;
static char running_path[4096];

static void leave_nothing(int number) {
    asked_to_leave = number;
    if (changing)
        return;
    pid_t process = (pid_t)running_process;
    if (process > 0) {
        kill(process, SIGKILL);
        waitpid(process, NULL, 0);
    }
    unlink(running_path);
    signal(number, SIG_DFL);
    raise(number);
}

static void end_change(void) {
    changing = 0;
    if (asked_to_leave)
        leave_nothing(asked_to_leave);
}

static void watch_signals(limberi_encoder* e) {
    struct sigaction leave = {.sa_handler = leave_nothing};
    struct sigaction ignore = {.sa_handler = SIG_IGN};
    changing = 1;
    asked_to_leave = 0;
    sigaction(SIGPIPE, &ignore, &e->former_pipe);
    for (int i = 0; i < LEFT_SIGNAL_COUNT; i++) {
        sigaction(left_signals[i], NULL, &e->former[i]);
        if (e->former[i].sa_handler != SIG_IGN) // as under nohup
            sigaction(left_signals[i], &leave, NULL);
    }
}

// --- before anything is drawn ---

static bool is_program(const char* folder, size_t length) {
    char path[4096];
    struct stat status;
    // An empty entry of PATH is the working folder.
    int written = snprintf(path, sizeof path, "%.*s%sffmpeg", (int)length, folder, length ? "/" : "./");
    return written > 0 && (size_t)written < sizeof path && stat(path, &status) == 0 && S_ISREG(status.st_mode) &&
           access(path, X_OK) == 0;
}

static limber_result fail_missing(limber_error* error) {
    return limberi_fail(
        error, LIMBER_ERROR_UNSUPPORTED,
        "films need the program ffmpeg, which is not on the PATH; install it (Debian: apt install ffmpeg)");
}

limber_result limberi_encoder_check(limber_error* error) {
    const char* folders = getenv("PATH");
    while (folders) {
        size_t length = strcspn(folders, ":");
        if (is_program(folders, length))
            return LIMBER_OK;
        folders = folders[length] ? folders + length + 1 : NULL;
    }
    return fail_missing(error);
}

// --- the process ---

static bool open_pipe(int ends[2]) {
    if (pipe(ends) != 0)
        return false;
    for (int i = 0; i < 2; i++)
        fcntl(ends[i], F_SETFD, FD_CLOEXEC);
    return true;
}

// In its own process group: ^C in a terminal reaches only us, and we stop ffmpeg.
static int spawn(const int in[2], const int errors[2], const limberi_ffmpeg_arguments* a, pid_t* process) {
    posix_spawn_file_actions_t files;
    posix_spawnattr_t attributes;
    sigset_t defaults;
    sigemptyset(&defaults);
    sigaddset(&defaults, SIGPIPE);
    posix_spawn_file_actions_init(&files);
    posix_spawnattr_init(&attributes);
    posix_spawn_file_actions_adddup2(&files, in[0], 0);
    posix_spawn_file_actions_addopen(&files, 1, "/dev/null", O_WRONLY, 0);
    posix_spawn_file_actions_adddup2(&files, errors[1], 2);
    posix_spawnattr_setsigdefault(&attributes, &defaults);
    posix_spawnattr_setpgroup(&attributes, 0);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGDEF);
    int number = posix_spawnp(process, a->items[0], &files, &attributes, (char* const*)(uintptr_t)a->items, environ);
    posix_spawn_file_actions_destroy(&files);
    posix_spawnattr_destroy(&attributes);
    return number;
}

static int start(limberi_encoder* e, const limberi_ffmpeg_arguments* a) {
    int in[2], errors[2];
    if (!open_pipe(in))
        return errno;
    if (!open_pipe(errors)) {
        close(in[0]);
        close(in[1]);
        return EMFILE;
    }
    int number = spawn(in, errors, a, &e->process);
    close(in[0]);
    close(errors[1]);
    e->frames = in[1];
    e->complaints = errors[0];
    if (number)
        e->process = 0;
    fcntl(e->frames, F_SETFL, O_NONBLOCK);
    return number;
}

static void stop_writing(limberi_encoder* e) {
    if (e->frames >= 0)
        close(e->frames);
    e->frames = -1;
}

static void give_up(limberi_encoder* e) {
    if (e->complaints >= 0)
        close(e->complaints);
    if (e->process > 0) {
        kill(e->process, SIGKILL);
        running_process = 0;
        waitpid(e->process, NULL, 0);
    }
    limberi_file_discard(&e->file);
}

static void dismiss(limberi_encoder* e) {
    for (int i = 0; i < LEFT_SIGNAL_COUNT; i++)
        sigaction(left_signals[i], &e->former[i], NULL);
    sigaction(SIGPIPE, &e->former_pipe, NULL);
    free(e);
}

static limber_result open_output(limberi_encoder* e, const limberi_encoder_order* o, limber_error* error) {
    limberi_ffmpeg_arguments a;
    limber_result result = limberi_file_open(&e->file, o->path, error);
    if (result != LIMBER_OK)
        return result;
    snprintf(running_path, sizeof running_path, "%s", e->file.temporary);
    result = limberi_ffmpeg_arguments_make(o, e->file.temporary, &a);
    if (result != LIMBER_OK)
        return limberi_fail_memory(error);
    int number = start(e, &a);
    limberi_ffmpeg_arguments_free(&a);
    running_process = (sig_atomic_t)e->process;
    if (number == ENOENT)
        return fail_missing(error);
    return number ? limberi_fail(error, LIMBER_ERROR_FILE, "cannot start ffmpeg: %s", strerror(number)) : LIMBER_OK;
}

limber_result limberi_encoder_open(const limberi_encoder_order* o, limberi_encoder** out, limber_error* error) {
    limberi_encoder* e = calloc(1, sizeof *e);
    *out = e;
    if (!e)
        return limberi_fail_memory(error);
    e->frame_bytes = (size_t)4 * o->width * o->height;
    e->frames = e->complaints = -1;
    watch_signals(e);
    limber_result result = open_output(e, o, error);
    end_change();
    if (result == LIMBER_OK)
        return LIMBER_OK;
    stop_writing(e);
    give_up(e);
    dismiss(e);
    *out = NULL;
    return result;
}

// Only the end of what it says is kept: that is where the reason stands.
static void hear(limberi_encoder* e) {
    char text[COMPLAINT_BYTES / 2];
    ssize_t count = read(e->complaints, text, sizeof text);
    if (count < 0 && errno == EINTR)
        return;
    if (count <= 0) {
        close(e->complaints);
        e->complaints = -1;
        return;
    }
    size_t max = sizeof e->complaint - 1;
    size_t added = (size_t)count;
    size_t kept = e->complaint_length + added > max ? max - added : e->complaint_length;
    memmove(e->complaint, e->complaint + e->complaint_length - kept, kept);
    memcpy(e->complaint + kept, text, added);
    e->complaint_length = kept + added;
    e->complaint[e->complaint_length] = 0;
}

static size_t write_some(limberi_encoder* e, const uint8_t* bytes, size_t count) {
    ssize_t written = write(e->frames, bytes, count);
    if (written >= 0)
        return (size_t)written;
    if (errno != EAGAIN && errno != EINTR) {
        e->broken = true;
        stop_writing(e);
    }
    return 0;
}

// Listens, too: a program whose complaints nobody reads stops working.
bool limberi_encoder_put(limberi_encoder* e, const uint8_t* pixels) {
    for (size_t done = 0; !e->broken && done < e->frame_bytes;) {
        struct pollfd ends[2] = {{e->frames, POLLOUT, 0}, {e->complaints, POLLIN, 0}}; // -1 is passed over
        if (poll(ends, 2, -1) < 0)
            continue;
        if (ends[1].revents)
            hear(e);
        if (ends[0].revents)
            done += write_some(e, pixels + done, e->frame_bytes - done);
    }
    return !e->broken;
}

static const char* last_line(char* text) {
    size_t length = strlen(text);
    while (length && (text[length - 1] == '\n' || text[length - 1] == '\r' || text[length - 1] == ' '))
        text[--length] = 0;
    char* end = strrchr(text, '\n');
    return end ? end + 1 : text;
}

// Waits for ffmpeg to end; says why when it did not end well.
static limber_result wait_for_end(limberi_encoder* e, limber_error* error) {
    const limber_result failed = LIMBER_ERROR_FILE;
    siginfo_t information;
    int status = 0;
    while (e->complaints >= 0)
        hear(e);
    // Until it is fetched its number belongs to nobody else, and a signal may still end it.
    while (waitid(P_PID, (id_t)e->process, &information, WEXITED | WNOWAIT) < 0 && errno == EINTR)
        continue;
    running_process = 0;
    waitpid(e->process, &status, 0);
    const char* reason = last_line(e->complaint);
    if (WIFSIGNALED(status))
        return limberi_fail(error, failed, "ffmpeg was killed by signal %d (%s)", WTERMSIG(status),
                            strsignal(WTERMSIG(status)));
    if (*reason && (status || e->broken))
        return limberi_fail(error, failed, "ffmpeg failed: %s", reason);
    if (status)
        return limberi_fail(error, failed, "ffmpeg failed with status %d", WEXITSTATUS(status));
    return e->broken ? limberi_fail(error, failed, "ffmpeg exited before the film was complete") : LIMBER_OK;
}

static limber_result finish(limberi_encoder* e, limber_error* error) {
    struct stat status;
    limber_result result = wait_for_end(e, error);
    if (!result && (stat(e->file.temporary, &status) != 0 || status.st_size == 0))
        result = limberi_fail(error, LIMBER_ERROR_FILE, "ffmpeg wrote nothing");
    if (!result)
        return limberi_file_commit(&e->file, error);
    limberi_file_discard(&e->file);
    return result;
}

limber_result limberi_encoder_close(limberi_encoder* e, bool keep, limber_error* error) {
    limber_result result = LIMBER_OK;
    if (!e)
        return result;
    stop_writing(e);
    if (keep || e->broken)
        result = finish(e, error);
    else
        give_up(e);
    dismiss(e);
    return result;
}
