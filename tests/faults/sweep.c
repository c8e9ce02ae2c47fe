// Every allocation, every call that changes a file and every one that looks at one fails, once or from then on, in every
// command that writes: the command ends with status 1 and one line, leaves nothing behind but what was there, and loses
// no memory. A fault that does no harm (something optional was left out) may also end well, with the same files as ever.
// A signal comes after each call that changes a file: what was there stays, or all that is new is there; no temporary
// file is left, and no process. Without faults, files are on the disk before they have their names.
//
//     limber_sweep [--all] [CASE...]
//         --all: every fault, up to 1000 of a kind; otherwise a few of each case. Spread evenly
//
// The program's own main is called in a child process for each fault.
#define _GNU_SOURCE
#include "faults/wraps.h"
#include "kit/models.h"
#include "kit/program.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#include <sanitizer/allocator_interface.h>
#include <sanitizer/lsan_interface.h>
#define WITH_SANITIZER
#endif
#endif

int __real_main(int argc, char** argv);
int __wrap_main(int argc, char** argv);

enum { ARGUMENTS = 24, TEXT = 8192, FEW = 2, FEWER = 1, MANY = 1000 };

typedef struct fault_case {
    const char *name, *line; // the command without "limber"
    bool draws;              // with a driver, which must not be started before a fork
    const char* olds[3];     // files that are there, and stay when the command fails
    bool resumes;            // a run after a failure goes on where that one ended: what is there then is complete
} fault_case;

static const fault_case cases[] = {
    {.name = "corrective",
     .line = "apply in.glb --quiet --style cartoon --bake corrective --fps 8 --threads 2 -o out.glb"},
    {.name = "inside",
     .line = "apply in.ball.glb --quiet --style cartoon --bake corrective --fps 8 --threads 2 -o out.glb"},
    {.name = "tolerance",
     .line = "apply in.glb --quiet --style cartoon --bake corrective --tolerance 1 --fps 8 --threads 2 -o out.gltf"},
    {.name = "vertex", .line = "apply in.glb --quiet --style jelly --bake vertex --fps 8 --compress -o out.glb"},
    {.name = "bones", .line = "apply in.glb --quiet --style cartoon --bake bones --fps 8 -o out.glb"},
    {.name = "smears", .line = "apply in.glb --quiet --style smear --fps 8 -o out.glb"},
    {.name = "points", .line = "apply in.glb --quiet --style cartoon --fps 8 -o out.pc2"},
    {.name = "usd", .line = "apply in.glb --quiet --style cartoon --bake corrective --fps 8 -o out.usda"},
    {.name = "usdz", .line = "apply in.glb --quiet --style cartoon --bake corrective --fps 2 -o out.usdz"},
    {.name = "objects",
     .line = "apply in.glb --quiet --style cartoon --fps 4 -o out.%d.obj",
     .olds = {"out.1.obj", "out.3.obj"}},
    {.name = "textures", .line = "apply in.glb --quiet --style cartoon --fps 8 --vat vat"},
    {.name = "replaced",
     .line = "apply in.glb --quiet --style cartoon --fps 8 --vat vat",
     .olds = {"vat/in_vat.png", "vat/in-remap_info.json", "vat/in.glb"}},
    {.name = "pair", .line = "apply in.glb --quiet --style cartoon --fps 8 -o out.gltf", .olds = {"out.gltf"}},
    {.name = "exaggerate",
     .line = "exaggerate in.glb --quiet --style cartoon --set exaggerate.filter.amount=0.7 --fps 8 -o out.glb"},
    {.name = "mocap", .line = "exaggerate in.bvh --quiet --style mocap-toon -o out.bvh"},
    {.name = "motion", .line = "apply in.glb --quiet --motion in.bvh --fps 4 --bake bones -o out.glb"},
    {.name = "retarget",
     .line = "convert in.toon.glb --quiet --motion in.hero.glb#run --touch --match in.pairs.json -o out.glb"},
    {.name = "fit", .line = "fit in.glb in.wanted.glb --quiet --effects drag --fps 2 --threads 2 -o out.json"},
    {.name = "sample", .line = "sample ball -o out.glb"},
    {.name = "paint", .line = "paint in.glb --quiet --layer floppy --auto thickness --smooth 2 -o out.glb"},
    {.name = "convert", .line = "convert in.bvh --quiet -o out.glb"},
#ifdef LIMBER_WITH_ASSIMP
    {.name = "import", .line = "convert in.dae --quiet -o out.glb"},
#endif
    {.name = "repair", .line = "convert in.glb --quiet --repair all -o out.gltf"},
    {.name = "dump", .line = "dump in.glb --quiet --style cartoon --fps 4 -o dumped"},
    {.name = "dumped",
     .line = "dump in.glb --quiet --style cartoon --fps 4 -o dumped",
     .olds = {"dumped/rest.npy", "dumped/contact.npy", "dumped/manifest.json"}},
    {.name = "batch", .line = "batch in.glb --quiet --style cartoon --fps 8 --workers 1 -o batched", .resumes = true},
    {.name = "render",
     .line = "render in.glb --quiet --style cartoon --frame 1 --size 32x32 -o out.png",
     .draws = true},
    {.name = "film", .line = "render in.glb --quiet --style cartoon --fps 4 --size 32x32 -o out.gif", .draws = true},
};

// What goes wrong in a run.
typedef struct fault {
    fault_kind kind;
    long at; // negative: nothing
    bool lasts;
    int signal; // instead of a failure
} fault;

static const fault no_fault = {FAULT_MEMORY, -1, false, 0};

static int fail(const char* name, fault f, const char* why, const char* said) {
    static const char* const kinds[] = {"allocation", "write", "look"};
    fprintf(stderr, "%s, %s %ld%s: %s\n%s", name, f.signal ? "signal" : kinds[f.kind], f.at,
            f.lasts ? " and those after it" : "", why, said);
    return 1;
}

// --- a command in a child process ---

typedef struct ending {
    int status;                   // of waitpid
    long counts[FAULT_KINDS + 1]; // and moments for signals
    bool over;                    // no process is left
    char said[TEXT];
} ending;

static int split(char* line, char** argv) {
    int argc = 0;
    argv[argc++] = "limber";
    for (char* word = strtok(line, " "); word && argc < ARGUMENTS - 1; word = strtok(NULL, " "))
        argv[argc++] = word;
    argv[argc] = NULL;
    return argc;
}

static int run_line(const char* text) {
    char line[512], *argv[ARGUMENTS];
    snprintf(line, sizeof line, "%s", text);
    int argc = split(line, argv);
    return __real_main(argc, argv);
}

static void send_counts(int pipe_end) {
    long counts[FAULT_KINDS + 1] = {fault_count(FAULT_MEMORY), fault_count(FAULT_WRITES), fault_count(FAULT_LOOKS),
                                    fault_signal_count()};
    fault_set(FAULT_WRITES, -1, false);
    fault_set(FAULT_LOOKS, -1, false);
    fault_signal(0, 0);
    ssize_t sent = write(pipe_end, counts, sizeof counts);
    (void)sent;
}

static _Noreturn void run_child(const fault_case* c, fault f, int pipe_end) {
    int said = open("said", O_WRONLY | O_CREAT | O_TRUNC, 0666);
    dup2(said, 1);
    dup2(said, 2);
    close(said);
#ifdef WITH_SANITIZER
    size_t before = __sanitizer_get_current_allocated_bytes();
#endif
    for (fault_kind kind = FAULT_MEMORY; kind < FAULT_KINDS; kind++)
        fault_set(kind, kind == f.kind && !f.signal ? f.at : -1, f.lasts);
    fault_signal(f.at, f.signal);
    int status = run_line(c->line);
    const char* why = status == 0 ? fault_undurable() : NULL;
    send_counts(pipe_end);
    if (why)
        status = fail(c->name, f, why, "");
    fflush(stdout);
#ifdef WITH_SANITIZER
    fault_set(FAULT_MEMORY, -1, false);
    if (__sanitizer_get_current_allocated_bytes() != before && !c->draws && __lsan_do_recoverable_leak_check())
        status = 99;
#endif
    _exit(status);
}

static void read_said(char* out) {
    int said = open("said", O_RDONLY);
    ssize_t got = said >= 0 ? read(said, out, TEXT - 1) : 0;
    out[got > 0 ? got : 0] = 0;
    if (said >= 0)
        close(said);
    unlink("said");
}

static void write_olds(const fault_case* c) {
    for (int i = 0; i < 3 && c->olds[i]; i++) {
        char folder[64];
        snprintf(folder, sizeof folder, "%s", c->olds[i]);
        char* slash = strchr(folder, '/');
        if (slash) {
            *slash = 0;
            mkdir(folder, 0777);
        }
        FILE* file = fopen(c->olds[i], "w");
        if (file) {
            fputs("old", file);
            fclose(file);
        }
    }
}

// Whoever still runs has the other end.
static bool has_ended(int pipe_end) {
    enum { PATIENCE_MS = 60000 };
    struct pollfd waits = {.fd = pipe_end, .events = POLLIN};
    char more;
    return poll(&waits, 1, PATIENCE_MS) == 1 && read(pipe_end, &more, 1) == 0;
}

static ending run_with(const fault_case* c, fault f) {
    ending e = {.status = -1};
    int ends[2];
    write_olds(c);
    if (pipe(ends) != 0)
        return e;
    fflush(NULL);
    pid_t child = fork();
    if (child == 0)
        run_child(c, f, ends[1]);
    close(ends[1]);
    ssize_t got = read(ends[0], e.counts, sizeof e.counts);
    (void)got; // a child that was killed says nothing
    if (child > 0)
        waitpid(child, &e.status, 0);
    e.over = has_ended(ends[0]);
    close(ends[0]);
    read_said(e.said);
    return e;
}

// --- what is in the folder ---

// What a batch says of itself is different each time.
static bool has_times(const char* path) {
    return strstr(path, "/.limber/") || strstr(path, "/limber-batch.json");
}

// Names and contents of everything that the command made, as one number; 0: nothing.
static uint64_t look_into(const char* folder, bool clear) {
    uint64_t sum = 0;
    DIR* list = opendir(folder);
    for (struct dirent* entry; list && (entry = readdir(list));) {
        char path[1024];
        struct stat status;
        const char* name = entry->d_name;
        bool input = !strcmp(folder, ".") && !strncmp(name, "in.", 3);
        if (!strcmp(name, ".") || !strcmp(name, "..") || input)
            continue;
        snprintf(path, sizeof path, "%s/%s", folder, name);
        if (stat(path, &status) == 0 && S_ISDIR(status.st_mode))
            sum += look_into(path, clear);
        uint64_t hash = 14695981039346656037u;
        for (const char* n = name; *n; n++)
            hash = (hash ^ (unsigned char)*n) * 1099511628211u;
        FILE* file = has_times(path) ? NULL : fopen(path, "rb");
        for (int byte; file && (byte = getc(file)) != EOF;)
            hash = (hash ^ (unsigned)byte) * 1099511628211u;
        if (file)
            fclose(file);
        sum += hash | 1;
        if (clear)
            remove(path);
    }
    if (list)
        closedir(list);
    return sum;
}

// What is there before a command. An empty folder is no output: it is made before the first file.
static uint64_t look_before(const fault_case* c) {
    write_olds(c);
    return look_into(".", true);
}

static bool nothing_left(const fault_case* c) {
    rmdir("vat");
    rmdir("dumped");
    uint64_t left = look_into(".", true);
    return left == look_before(c);
}

// Once more, without a fault.
static bool goes_on(const fault_case* c, uint64_t good) {
    return run_with(c, no_fault).status == 0 && look_into(".", true) == good;
}

static int line_count(const char* text) {
    int count = 0;
    for (const char* c = text; *c; c++)
        count += *c == '\n';
    return count;
}

// The same fault once more, with the calls that led to it.
static void show_place(const fault_case* c, fault f) {
    setenv("LIMBER_FAULT_TRACE", "1", 1);
    fprintf(stderr, "%s\n", run_with(c, f).said);
    unsetenv("LIMBER_FAULT_TRACE");
    look_into(".", true);
}

static int check_fault(const fault_case* c, fault f, uint64_t good) {
    ending e = run_with(c, f);
    int bad = 0;
    if (!WIFEXITED(e.status))
        bad = fail(c->name, f, "the program was killed", e.said);
    else if (WEXITSTATUS(e.status) == 0)
        bad = look_into(".", false) != good ? fail(c->name, f, "status 0, but other files", e.said) : 0;
    else if (WEXITSTATUS(e.status) != 1)
        bad = fail(c->name, f, WEXITSTATUS(e.status) == 99 ? "memory is lost" : "status is not 1", e.said);
    else if (c->resumes ? !goes_on(c, good) : !nothing_left(c))
        bad = fail(c->name, f, "something is left behind", e.said);
    else if (strncmp(e.said, "limber: ", 8) != 0 || line_count(e.said) != 1)
        bad = fail(c->name, f, "not one line", e.said);
    look_into(".", true);
    if (bad)
        show_place(c, f);
    return bad;
}

// All or nothing. A program that has done its work may also end well, when the last thing it does is to clean up.
static int check_signal(const fault_case* c, fault f, uint64_t good) {
    ending e = run_with(c, f);
    bool ended = WIFSIGNALED(e.status) ? WTERMSIG(e.status) == f.signal : WIFEXITED(e.status);
    rmdir("vat");
    rmdir("dumped");
    uint64_t left = look_into(".", !c->resumes);
    int bad = 0;
    if (!ended || !e.over)
        bad = fail(c->name, f, ended ? "a process is left" : "the program ends otherwise", e.said);
    else if (c->resumes ? !goes_on(c, good) : left != good && left != look_before(c))
        bad = fail(c->name, f, "something is left behind", e.said);
    look_into(".", true);
    return bad;
}

static int sweep_kind(const fault_case* c, fault f, long count, bool all, uint64_t good) {
    long few = f.lasts || f.kind == FAULT_LOOKS ? FEWER : FEW;
    long most = all ? MANY : few;
    long step = count <= most ? 1 : count / most;
    int bad = 0;
    for (f.at = 0; f.at < count && bad < 5; f.at += step)
        bad += f.signal ? check_signal(c, f, good) : check_fault(c, f, good);
    return bad;
}

static int sweep(const fault_case* c, bool all) {
    static const int numbers[] = {SIGTERM, SIGINT, SIGHUP};
    int bad = 0;
    if (!c->draws && run_line(c->line) != 0) // once in this process, so that what is made once is there
        return fail(c->name, no_fault, "the command fails without a fault", "");
    look_into(".", true);
    ending plain = run_with(c, no_fault);
    uint64_t good = look_into(".", true);
    if (plain.status != 0 || !good)
        return fail(c->name, no_fault, "the command fails without a fault", plain.said);
    for (int i = 0; i < 2 * FAULT_KINDS; i++) {
        fault f = {.kind = (fault_kind)(i / 2), .lasts = i % 2 != 0};
        if (f.kind != FAULT_MEMORY || !f.lasts)
            bad += sweep_kind(c, f, plain.counts[f.kind], all, good);
    }
    for (int i = 0; i < (all ? 3 : 1); i++)
        bad += sweep_kind(c, (fault){.signal = numbers[i]}, plain.counts[FAULT_KINDS], all, good);
    printf("%s: %ld allocations, %ld writes, %ld looks, %ld moments\n", c->name, plain.counts[FAULT_MEMORY],
           plain.counts[FAULT_WRITES], plain.counts[FAULT_LOOKS], plain.counts[FAULT_KINDS]);
    return bad;
}

static bool is_named(int argc, char** argv, const char* name) {
    int names = 0;
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], name) == 0)
            return true;
        names += argv[i][0] != '-';
    }
    return names == 0;
}

int __wrap_main(int argc, char** argv) {
    bool all = false;
    if (getenv("LIMBER_SWEEP_WITHIN")) // a job of a batch
        return __real_main(argc, argv);
    setenv("LIMBER_SWEEP_WITHIN", "1", 1);
    setenv("ASAN_OPTIONS", "detect_leaks=0", 1); // jobs look for none at their end, which takes seconds
    int elsewhere = chdir("/dev/shm");           // where there is one: writes that reach a disk take long
    (void)elsewhere;
    int bad =
        test_folder_enter() != 0 || test_tube_write("in.glb", 3, 1, 8, true) != 0 || test_dae_write("in.dae") != 0;
    for (int i = 1; i < argc; i++)
        all = all || strcmp(argv[i], "--all") == 0;
    bad = bad || run_line("sample ball -o in.ball.glb") != 0;
    bad = bad || run_line("convert in.glb --quiet -o in.bvh") != 0;
    bad = bad || run_line("apply in.glb --quiet --style jelly --bake vertex --fps 4 -o in.wanted.glb") != 0;
    bad = bad || run_line("sample toon -o in.toon.glb") != 0 || run_line("sample hero -o in.hero.glb") != 0;
    bad = bad ||
          run_line("convert in.toon.glb --quiet --motion in.hero.glb#run --match in.pairs.json -o in.ran.glb") != 0;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        if (is_named(argc, argv, cases[i].name))
            bad += sweep(&cases[i], all);
    look_into(".", true);
    unlink("in.glb");
    unlink("in.ball.glb");
    unlink("in.toon.glb");
    unlink("in.hero.glb");
    unlink("in.pairs.json");
    unlink("in.ran.glb");
    unlink("in.bvh");
    unlink("in.wanted.glb");
    unlink("in.dae");
    bad = bad || test_folder_leave() != 0;
    fflush(stdout);
    _exit(bad); // the children looked for leaks; a search here would take seconds
}
