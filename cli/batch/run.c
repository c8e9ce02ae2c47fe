// Runs the jobs of a plan, each in a process of its own: whatever happens to one, the others go on.
#ifdef __linux__
#define _GNU_SOURCE // prctl
#endif
#include "cli/batch/batch.h"
#include "cli/cli.h"
#include "io/system.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif

enum { MAX_WORKERS = 256, MAX_WORDS = 1024, SAID = 4096, TICK_NS = 200000000 };
static const double told_after_s = 0.5;

typedef struct slot {
    pid_t process; // 0: free
    batch_job* job;
    int said; // a pipe: what the job prints
    double started_s;
    size_t length;
    char text[SAID];
} slot;

typedef struct runner {
    batch_plan* plan;
    const batch_run_settings* settings;
    batch_job** order; // those that wait, the longest first
    uint32_t order_count, first;
    slot slots[MAX_WORKERS];
    uint32_t running, started, ended, failed;
    uint64_t memory_bytes; // of those that run, by estimate
    double started_s, told_s, cost_all, cost_ended;
    char threads[16];
    sigset_t signals, before;
    bool stop, interrupted;
} runner;

uint32_t batch_threads(const batch_plan* plan, const batch_run_settings* settings) {
    uint32_t jobs = batch_plan_tally(plan, BATCH_WAITING);
    uint32_t cores = limberi_system_core_count();
    uint32_t at_once = jobs < settings->workers ? jobs : settings->workers;
    if (settings->threads)
        return settings->threads;
    return at_once && cores / at_once > 1 ? cores / at_once : 1;
}

// --- the child ---

static void become_job(const runner* r, char** words, int said, pid_t parent) {
    int nothing = open("/dev/null", O_RDONLY);
    setpgid(0, 0); // with all it starts, and out of the way of Ctrl-C
#ifdef __linux__
    prctl(PR_SET_PDEATHSIG, SIGKILL);
#endif
    if (getppid() != parent) // it died before that
        _exit(1);
    sigprocmask(SIG_SETMASK, &r->before, NULL);
    dup2(nothing, 0);
    dup2(said, 1);
    dup2(said, 2);
    execv(cli_program_path(), words);
    _exit(127);
}

static bool start(runner* r, batch_job* job) {
    char* words[MAX_WORDS + 4];
    int ends[2];
    uint32_t count = 0;
    uint32_t i = 0;
    static char program[] = "limber";
    static char threads[] = "--threads";
    words[count++] = program;
    for (; i < job->words.count && count < MAX_WORDS; i++)
        words[count++] = (char*)(uintptr_t)job->words.items[i];
    words[count++] = threads;
    words[count++] = r->threads;
    words[count] = NULL;
    if (i < job->words.count || pipe(ends) != 0)
        return false;
    for (int e = 0; e < 2; e++)
        (void)fcntl(ends[e], F_SETFD, FD_CLOEXEC);
    (void)fcntl(ends[0], F_SETFL, O_NONBLOCK);
    pid_t parent = getpid();
    pid_t process = fork();
    if (process == 0)
        become_job(r, words, ends[1], parent);
    close(ends[1]);
    if (process < 0) {
        close(ends[0]);
        return false;
    }
    slot* s = r->slots;
    while (s->process)
        s++;
    s->process = process;
    s->job = job;
    s->said = ends[0];
    s->started_s = cli_now_s();
    s->length = 0;
    return true;
}

// --- jobs begin ---

static batch_job* next_job(runner* r) {
    while (r->first < r->order_count && r->order[r->first]->state != BATCH_WAITING)
        r->first++;
    for (uint32_t i = r->first; i < r->order_count; i++) {
        batch_job* job = r->order[i];
        // One that was killed, most likely for want of memory, has the machine for itself the second time.
        bool fits = !r->running || (!job->tries && r->memory_bytes + job->memory_bytes <= r->settings->memory_bytes);
        if (job->state == BATCH_WAITING && fits)
            return job;
    }
    return NULL;
}

static bool runs_alone(const runner* r) {
    for (const slot* s = r->slots; s < r->slots + MAX_WORKERS; s++)
        if (s->process && s->job->tries)
            return true;
    return false;
}

static void fail_job(runner* r, batch_job* job, const char* why) {
    job->state = BATCH_FAILED;
    job->message = limberi_arena_string(&r->plan->arena, why);
    r->failed++;
    r->stop = r->stop || r->settings->strict;
}

static void start_jobs(runner* r) {
    while (!r->stop && r->running < r->settings->workers && !runs_alone(r)) {
        batch_job* job = next_job(r);
        if (!job)
            return;
        if (!start(r, job)) {
            if (r->running && errno == EAGAIN) // no more processes now
                return;
            r->cost_ended += job->cost;
            r->ended++;
            fail_job(r, job, "cannot be started: too many processes, or too long a command line");
            continue;
        }
        job->state = BATCH_RUNNING;
        r->running++;
        r->memory_bytes += job->memory_bytes;
    }
}

// --- jobs end ---

// The beginning of what a job says is kept: errors come alone.
static void listen(slot* s) {
    char more[SAID];
    for (ssize_t got; (got = read(s->said, more, sizeof more)) > 0;) {
        size_t room = sizeof s->text - 1 - s->length;
        size_t taken = (size_t)got < room ? (size_t)got : room;
        memcpy(s->text + s->length, more, taken);
        s->length += taken;
    }
    s->text[s->length] = 0;
}

// Its error, without "limber: "; else its first line.
static const char* reason_of(slot* s) {
    static const char prefix[] = "limber: ";
    char* line = s->text;
    for (char* at = s->text; at; at = strchr(at, '\n') ? strchr(at, '\n') + 1 : NULL)
        if (strncmp(at, prefix, sizeof prefix - 1) == 0) {
            line = at + sizeof prefix - 1;
            break;
        }
    line[strcspn(line, "\n")] = 0;
    return line;
}

static void end_failed(runner* r, slot* s, int status) {
    batch_job* job = s->job;
    char why[SAID + 64];
    if (WIFSIGNALED(status)) {
        batch_remove_temporaries(job->path, (long)s->process);
        batch_remove_temporaries(job->stamp, (long)s->process);
        if (r->interrupted || (WTERMSIG(status) == SIGKILL && !job->tries && !r->stop)) {
            job->tries += !r->interrupted;
            job->state = BATCH_WAITING;
            r->first = 0;
            return;
        }
        limberi_format(why, sizeof why, "was ended by signal %d (%s)", WTERMSIG(status),
                       WTERMSIG(status) == SIGKILL ? "most likely there was not enough memory" : "a crash");
    } else {
        limberi_format(why, sizeof why, "%s", s->length ? reason_of(s) : "failed without a word");
    }
    r->ended++;
    r->cost_ended += job->cost;
    fail_job(r, job, why);
}

static void end(runner* r, slot* s, int status) {
    batch_job* job = s->job;
    listen(s);
    close(s->said);
    r->running--;
    r->memory_bytes -= job->memory_bytes;
    job->seconds = cli_now_s() - s->started_s;
    batch_stamp stamp = batch_stamp_read(job->stamp, job->path);
    // One that somebody else did at the same time, on another node, is done as well.
    bool elsewhere = WIFEXITED(status) && stamp.whole && strcmp(stamp.key, job->key) == 0;
    if ((WIFEXITED(status) && WEXITSTATUS(status) == 0) || elsewhere) {
        job->state = BATCH_DONE;
        job->bytes = stamp.bytes;
        job->peak_bytes = stamp.peak_bytes;
        r->ended++;
        r->cost_ended += job->cost;
    } else {
        end_failed(r, s, status);
    }
    s->process = 0;
}

static void end_jobs(runner* r) {
    for (slot* s = r->slots; s < r->slots + MAX_WORKERS; s++) {
        int status;
        if (!s->process)
            continue;
        listen(s);
        if (waitpid(s->process, &status, WNOHANG) == s->process)
            end(r, s, status);
    }
}

// --- in the meantime ---

static void format_left(double seconds, char* out, size_t size) {
    if (seconds < 90)
        limberi_format(out, size, "%u s", (unsigned)(seconds + 0.5));
    else if (seconds < 5400)
        limberi_format(out, size, "%u min", (unsigned)(seconds / 60 + 0.5));
    else
        limberi_format(out, size, "%u h %u min", (unsigned)(seconds / 3600), (unsigned)(seconds / 60) % 60);
}

static void tell_progress(runner* r) {
    double now = cli_now_s();
    double elapsed = now - r->started_s;
    char left[32] = "";
    char failed[32] = "";
    if (r->settings->quiet || elapsed < told_after_s)
        return;
    if (r->cost_ended > 0)
        format_left(elapsed * (r->cost_all - r->cost_ended) / r->cost_ended, left, sizeof left);
    if (r->failed)
        limberi_format(failed, sizeof failed, ", %u failed", r->failed);
    fprintf(stderr, "\r\033[K%u of %u done%s, %u running%s%s%s", r->ended, r->order_count, failed, r->running,
            *left ? ", about " : "", left, *left ? " left" : "");
    r->told_s = now;
}

static void wait_a_moment(runner* r) {
    struct timespec tick = {0, TICK_NS};
    int signal = sigtimedwait(&r->signals, NULL, &tick);
    if (signal < 0 || signal == SIGCHLD || r->interrupted)
        return;
    r->stop = r->interrupted = true;
    for (const slot* s = r->slots; s < r->slots + MAX_WORKERS; s++)
        if (s->process) {
            (void)kill(-s->process, SIGKILL); // the group, once it is one
            (void)kill(s->process, SIGKILL);
        }
}

static bool open_runner(runner* r, batch_plan* plan, const batch_run_settings* settings) {
    static const int signals[] = {SIGCHLD, SIGINT, SIGTERM, SIGHUP};
    r->plan = plan;
    r->settings = settings;
    r->order = malloc((plan->count + (size_t)1) * sizeof *r->order);
    r->started_s = cli_now_s();
    limberi_format(r->threads, sizeof r->threads, "%u", batch_threads(plan, settings));
    for (uint32_t i = 0; r->order && i < plan->count; i++)
        if (plan->jobs[i].state == BATCH_WAITING) {
            r->order[r->order_count++] = &plan->jobs[i];
            r->cost_all += plan->jobs[i].cost;
        }
    if (r->order)
        qsort(r->order, r->order_count, sizeof *r->order, batch_longest_first);
    sigemptyset(&r->signals);
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
        sigaddset(&r->signals, signals[i]);
    sigprocmask(SIG_BLOCK, &r->signals, &r->before);
    return r->order != NULL;
}

bool batch_run(batch_plan* plan, const batch_run_settings* settings) {
    batch_run_settings own = *settings;
    runner* r = calloc(1, sizeof *r);
    own.workers = own.workers < MAX_WORKERS ? own.workers : MAX_WORKERS;
    own.quiet = own.quiet || !isatty(2);
    bool done = r && open_runner(r, plan, &own);
    while (done) {
        start_jobs(r);
        if (!r->running)
            break;
        wait_a_moment(r);
        end_jobs(r);
        tell_progress(r);
    }
    if (r && r->told_s > 0)
        fprintf(stderr, "\r\033[K");
    if (done)
        sigprocmask(SIG_SETMASK, &r->before, NULL);
    done = done && !r->interrupted;
    free(r ? r->order : NULL);
    free(r);
    return done;
}
