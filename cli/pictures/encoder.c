#include "cli/pictures/encoder.h"
#include "cli/cli.h"
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

enum { LEFT_SIGNAL_COUNT = 3, ARGUMENTS_MOST = 48, COMPLAINT_BYTES = 512 };
static const int left_signals[LEFT_SIGNAL_COUNT] = {SIGINT, SIGTERM, SIGHUP};

struct encoder {
    const char* path;
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

static void watch_signals(encoder* e) {
    struct sigaction leave = {.sa_handler = leave_nothing}, ignore = {.sa_handler = SIG_IGN};
    changing = 1;
    asked_to_leave = 0;
    sigaction(SIGPIPE, &ignore, &e->former_pipe);
    for (int i = 0; i < LEFT_SIGNAL_COUNT; i++) {
        sigaction(left_signals[i], NULL, &e->former[i]);
        if (e->former[i].sa_handler != SIG_IGN) // as under nohup
            sigaction(left_signals[i], &leave, NULL);
    }
}

static void unwatch_signals(const encoder* e) {
    for (int i = 0; i < LEFT_SIGNAL_COUNT; i++)
        sigaction(left_signals[i], &e->former[i], NULL);
    sigaction(SIGPIPE, &e->former_pipe, NULL);
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

static bool has_ffmpeg(void) {
    const char* folders = getenv("PATH");
    while (folders) {
        size_t length = strcspn(folders, ":");
        if (is_program(folders, length))
            return true;
        folders = folders[length] ? folders + length + 1 : NULL;
    }
    return false;
}

static int fail_missing(const char* path) {
    return cli_fail(path, "films need the program ffmpeg, which is not on the PATH; install it (Debian: apt install "
                          "ffmpeg)");
}

int encoder_check(const char* path) {
    return has_ffmpeg() ? CLI_DONE : fail_missing(path);
}

// --- what ffmpeg is asked to do ---

typedef struct arguments {
    const char* items[ARGUMENTS_MOST];
    size_t count;
    char size[32], rate[32], filter[512];
    char* output;
} arguments;

static void add(arguments* a, const char* const* items) {
    for (; *items && a->count + 1 < ARGUMENTS_MOST; items++)
        a->items[a->count++] = *items;
    a->items[a->count] = NULL;
}
#define ADD(arguments_, ...) add(arguments_, (const char* const[]){__VA_ARGS__, NULL})

// The samples make the palette; the other frames are painted with it. Ordered dither stays where it is from frame to
// frame: error diffusion would make still backgrounds crawl.
static void add_gif(arguments* a, const encoder_order* o) {
    snprintf(a->filter, sizeof a->filter,
             "split[samples][film];[samples]trim=end_frame=%u,palettegen=reserve_transparent=%u[palette];"
             "[film]trim=start_frame=%u,setpts=PTS-STARTPTS[shown];"
             "[shown][palette]paletteuse=dither=bayer:bayer_scale=4:alpha_threshold=128",
             o->sample_count, o->transparent ? 1u : 0u, o->sample_count);
    ADD(a, "-filter_complex", a->filter, "-f", "gif", "-loop", "0");
}

static void add_webp(arguments* a, const encoder_order* o) {
    ADD(a, "-pix_fmt", o->transparent ? "yuva420p" : "yuv420p", "-c:v", "libwebp_anim", "-quality", "85", "-f", "webp",
        "-loop", "0");
}

// Colour is stored for every second pixel, so sides must be even: where they are not, the last column or row is there
// twice. Players guess other colours than ours when nobody tells them that these are BT.709.
static void add_mp4(arguments* a, const encoder_order* o) {
    uint32_t right = o->width & 1, bottom = o->height & 1;
    snprintf(a->filter, sizeof a->filter,
             "pad=%u:%u,fillborders=right=%u:bottom=%u:mode=smear,scale=out_color_matrix=bt709:out_range=tv,"
             "format=yuv420p",
             o->width + right, o->height + bottom, right, bottom);
    ADD(a, "-vf", a->filter, "-c:v", "libx264", "-preset", "medium", "-crf", "18", "-colorspace", "bt709",
        "-color_primaries", "bt709", "-color_trc", "bt709", "-movflags", "+faststart", "-f", "mp4");
}

// `a->output` is NULL when memory is short.
static void make_arguments(const encoder_order* o, const char* output, arguments* a) {
    memset(a, 0, sizeof *a);
    snprintf(a->size, sizeof a->size, "%ux%u", o->width, o->height);
    snprintf(a->rate, sizeof a->rate, "%u/%u", o->rate_numerator, o->rate_denominator);
    // With the protocol in front a name may hold colons and begin with a dash.
    size_t length = strlen(output) + sizeof "file:";
    a->output = malloc(length);
    if (!a->output)
        return;
    snprintf(a->output, length, "file:%s", output);
    // -xerror: otherwise a full disk at the very end is no error.
    ADD(a, "ffmpeg", "-hide_banner", "-loglevel", "error", "-xerror", "-y", "-f", "rawvideo", "-pixel_format", "rgba",
        "-video_size", a->size, "-framerate", a->rate, "-i", "pipe:0", "-an");
    if (o->format == ENCODER_GIF)
        add_gif(a, o);
    else if (o->format == ENCODER_WEBP)
        add_webp(a, o);
    else
        add_mp4(a, o);
    ADD(a, a->output);
}

// --- the process ---

static bool open_pipe(int ends[2]) {
    if (pipe(ends) != 0)
        return false;
    for (int i = 0; i < 2; i++)
        fcntl(ends[i], F_SETFD, FD_CLOEXEC);
    return true;
}

static void close_pipe(const int ends[2]) {
    close(ends[0]);
    close(ends[1]);
}

// In a process group of its own: what a terminal sends when somebody presses ^C is for us, and we tell ffmpeg.
static int spawn(const int in[2], const int errors[2], const arguments* a, pid_t* process) {
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

static int start(encoder* e, const arguments* a) {
    int in[2], errors[2];
    if (!open_pipe(in))
        return errno;
    if (!open_pipe(errors)) {
        close_pipe(in);
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

static int open_output(encoder* e, const encoder_order* o) {
    limber_error error;
    arguments a;
    if (limberi_file_open(&e->file, o->path, &error) != LIMBER_OK)
        return cli_fail_error(o->path, &error);
    snprintf(running_path, sizeof running_path, "%s", e->file.temporary);
    make_arguments(o, e->file.temporary, &a);
    if (!a.output)
        return cli_fail(o->path, "not enough memory");
    int number = start(e, &a);
    free(a.output);
    running_process = (sig_atomic_t)e->process;
    if (number == ENOENT)
        return fail_missing(o->path);
    return number ? cli_fail(o->path, "cannot start ffmpeg: %s", strerror(number)) : CLI_DONE;
}

int encoder_open(const encoder_order* o, encoder** out) {
    encoder* e = calloc(1, sizeof *e);
    *out = e;
    if (!e)
        return cli_fail(o->path, "not enough memory");
    e->path = o->path;
    e->frame_bytes = (size_t)4 * o->width * o->height;
    e->frames = e->complaints = -1;
    watch_signals(e);
    int status = open_output(e, o);
    end_change();
    if (!status)
        return CLI_DONE;
    encoder_close(e, false);
    *out = NULL;
    return status;
}

// Only the end of what it says is kept: that is where the reason stands.
static void hear(encoder* e) {
    char text[COMPLAINT_BYTES / 2];
    ssize_t count = read(e->complaints, text, sizeof text);
    if (count < 0 && errno == EINTR)
        return;
    if (count <= 0) {
        close(e->complaints);
        e->complaints = -1;
        return;
    }
    size_t most = sizeof e->complaint - 1, added = (size_t)count;
    size_t kept = e->complaint_length + added > most ? most - added : e->complaint_length;
    memmove(e->complaint, e->complaint + e->complaint_length - kept, kept);
    memcpy(e->complaint + kept, text, added);
    e->complaint_length = kept + added;
    e->complaint[e->complaint_length] = 0;
}

static void stop_writing(encoder* e) {
    if (e->frames >= 0)
        close(e->frames);
    e->frames = -1;
}

static size_t write_some(encoder* e, const uint8_t* bytes, size_t count) {
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
int encoder_put(encoder* e, const uint8_t* pixels) {
    for (size_t done = 0; !e->broken && done < e->frame_bytes;) {
        struct pollfd ends[2] = {{e->frames, POLLOUT, 0}, {e->complaints, POLLIN, 0}}; // -1 is passed over
        if (poll(ends, 2, -1) < 0)
            continue;
        if (ends[1].revents)
            hear(e);
        if (ends[0].revents)
            done += write_some(e, pixels + done, e->frame_bytes - done);
    }
    return e->broken ? CLI_FAILED : CLI_DONE; // encoder_close knows the reason
}

static const char* last_line(char* text) {
    size_t length = strlen(text);
    while (length && (text[length - 1] == '\n' || text[length - 1] == '\r' || text[length - 1] == ' '))
        text[--length] = 0;
    char* end = strrchr(text, '\n');
    return end ? end + 1 : text;
}

// Waits for ffmpeg to end; says why when it did not end well.
static int wait_for_end(encoder* e) {
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
        return cli_fail(e->path, "ffmpeg was killed by signal %d (%s)", WTERMSIG(status), strsignal(WTERMSIG(status)));
    if (*reason && (status || e->broken))
        return cli_fail(e->path, "ffmpeg failed: %s", reason);
    if (status)
        return cli_fail(e->path, "ffmpeg failed with status %d", WEXITSTATUS(status));
    return e->broken ? cli_fail(e->path, "ffmpeg exited before the film was complete") : CLI_DONE;
}

static int finish(encoder* e) {
    struct stat status;
    limber_error error;
    int result = wait_for_end(e);
    if (!result && (stat(e->file.temporary, &status) != 0 || status.st_size == 0))
        result = cli_fail(e->path, "ffmpeg wrote nothing");
    if (result)
        limberi_file_discard(&e->file);
    else if (limberi_file_commit(&e->file, &error) != LIMBER_OK)
        result = cli_fail_error(e->path, &error);
    return result;
}

static void give_up(encoder* e) {
    if (e->complaints >= 0)
        close(e->complaints);
    if (e->process > 0) {
        kill(e->process, SIGKILL);
        running_process = 0;
        waitpid(e->process, NULL, 0);
    }
    limberi_file_discard(&e->file);
}

int encoder_close(encoder* e, bool keep) {
    int status = CLI_DONE;
    if (!e)
        return status;
    stop_writing(e);
    if (keep || e->broken)
        status = finish(e);
    else
        give_up(e);
    unwatch_signals(e);
    free(e);
    return status;
}
