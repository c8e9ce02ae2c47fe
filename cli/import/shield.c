// The sandbox of imports, where the kernel has one: seccomp and Landlock, by hand, as they need no library.
#define _GNU_SOURCE
#include "cli/import/shield.h"

#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>

// --- limits ---

static struct rlimit lower(struct rlimit now, uint64_t max) {
    if (now.rlim_max == RLIM_INFINITY || now.rlim_max > max)
        now.rlim_max = (rlim_t)max;
    now.rlim_cur = now.rlim_max;
    return now;
}

// The clock, too: a file system may keep a reader waiting. But others may be using the machine.
void import_limit(uint64_t seconds, uint64_t bytes) {
    const uint64_t patience = 5;
    struct rlimit now;
    if (getrlimit(RLIMIT_CORE, &now) == 0) {
        now = lower(now, 0);
        (void)setrlimit(RLIMIT_CORE, &now);
    }
    if (getrlimit(RLIMIT_CPU, &now) == 0) {
        now = lower(now, seconds);
        (void)setrlimit(RLIMIT_CPU, &now);
    }
#ifdef LIMBERI_ONE_COPY // sanitizers reserve more than there is
    (void)bytes;
#else
    if (getrlimit(RLIMIT_AS, &now) == 0) {
        now = lower(now, bytes);
        (void)setrlimit(RLIMIT_AS, &now);
    }
#endif
    (void)signal(SIGALRM, SIG_DFL);
    (void)alarm((unsigned)(patience * seconds));
}

#if defined(__linux__) && (defined(__x86_64__) || defined(__aarch64__))
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

// --- system calls ---

#ifdef __x86_64__
static const uint32_t architecture = AUDIT_ARCH_X86_64;
#else
static const uint32_t architecture = AUDIT_ARCH_AARCH64;
#endif

// Memory, time, reading, and writing to what is open; whatever opens files is up to Landlock.
static const int allowed[] = {
    SYS_read,
    SYS_pread64,
    SYS_readv,
    SYS_write,
    SYS_pwrite64,
    SYS_writev,
    SYS_lseek,
    SYS_openat,
    SYS_close,
    SYS_fstat,
    SYS_newfstatat,
    SYS_statx,
    SYS_readlinkat,
    SYS_faccessat,
    SYS_getcwd,
    SYS_getdents64,
    SYS_fcntl,
    SYS_ioctl,
    SYS_mmap,
    SYS_munmap,
    SYS_mremap,
    SYS_mprotect,
    SYS_madvise,
    SYS_brk,
    SYS_futex,
    SYS_sched_yield,
    SYS_clock_gettime,
    SYS_nanosleep,
    SYS_clock_nanosleep,
    SYS_gettimeofday,
    SYS_getpid,
    SYS_gettid,
    SYS_getrandom,
    SYS_sysinfo,
    SYS_uname,
    SYS_prlimit64,
    SYS_getrusage,
    SYS_rt_sigaction,
    SYS_rt_sigprocmask,
    SYS_sigaltstack,
    SYS_rt_sigreturn,
    SYS_restart_syscall,
    SYS_sched_getaffinity,
    SYS_exit,
    SYS_exit_group,
#ifdef SYS_open
    SYS_open,
    SYS_stat,
    SYS_lstat,
    SYS_readlink,
    SYS_access,
    SYS_time,
#endif
#ifdef SYS_faccessat2
    SYS_faccessat2,
#endif
};

enum { LIST = sizeof allowed / sizeof *allowed, MAX_STEPS = 2 * LIST + 16 };

typedef struct program {
    struct sock_filter steps[MAX_STEPS];
    unsigned short count;
} program;

static void add(program* p, uint16_t code, uint32_t value, uint8_t when, uint8_t otherwise) {
    const struct sock_filter step = {code, when, otherwise, value};
    p->steps[p->count++] = step;
}

static void load(program* p, size_t offset) {
    add(p, BPF_LD | BPF_W | BPF_ABS, (uint32_t)offset, 0, 0);
}

static void answer(program* p, uint32_t action) {
    add(p, BPF_RET | BPF_K, action, 0, 0);
}

// Anything else fails as if the kernel did not know it. A signal may go to this process only: abort() sends one.
static bool limit_calls(void) {
    program p = {.count = 0};
    load(&p, offsetof(struct seccomp_data, arch));
    add(&p, BPF_JMP | BPF_JEQ | BPF_K, architecture, 1, 0);
    answer(&p, SECCOMP_RET_KILL_PROCESS);
    load(&p, offsetof(struct seccomp_data, nr));
    for (size_t i = 0; i < LIST; i++) {
        add(&p, BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)allowed[i], 0, 1);
        answer(&p, SECCOMP_RET_ALLOW);
    }
    add(&p, BPF_JMP | BPF_JEQ | BPF_K, SYS_tgkill, 0, 3);
    load(&p, offsetof(struct seccomp_data, args));
    add(&p, BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)getpid(), 0, 1);
    answer(&p, SECCOMP_RET_ALLOW);
    answer(&p, SECCOMP_RET_ERRNO | 38); // ENOSYS
    struct sock_fprog all = {p.count, p.steps};
    return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &all, 0, 0) == 0;
}

// --- files ---

#if defined(__has_include)
#if __has_include(<linux/landlock.h>) && defined(SYS_landlock_create_ruleset)
#include <linux/landlock.h>
#define HAS_LANDLOCK
#endif
#endif

#ifdef HAS_LANDLOCK
enum { ALL_OF_1 = 0x1fff, ALL_OF_2 = 0x3fff, ALL_OF_3 = 0x7fff }; // what versions of the interface know

static bool permit(int rules, const char* path, uint64_t access) {
    struct landlock_path_beneath_attr rule = {.allowed_access = access, .parent_fd = open(path, O_PATH | O_CLOEXEC)};
    if (rule.parent_fd < 0)
        return false;
    bool done = syscall(SYS_landlock_add_rule, rules, LANDLOCK_RULE_PATH_BENEATH, &rule, 0) == 0;
    close(rule.parent_fd);
    return done;
}

static bool limit_files(const char* path, const char* folder) {
    long version = syscall(SYS_landlock_create_ruleset, NULL, 0, LANDLOCK_CREATE_RULESET_VERSION);
    struct landlock_ruleset_attr attr;
    memset(&attr, 0, sizeof attr);
    attr.handled_access_fs = version < 2 ? ALL_OF_1 : ALL_OF_2;
    if (version >= 3)
        attr.handled_access_fs = ALL_OF_3;
    int rules = version > 0 ? (int)syscall(SYS_landlock_create_ruleset, &attr, sizeof attr, 0) : -1;
    if (rules < 0)
        return false;
    bool done = permit(rules, folder, LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_READ_DIR) &&
                permit(rules, path, LANDLOCK_ACCESS_FS_READ_FILE) && syscall(SYS_landlock_restrict_self, rules, 0) == 0;
    close(rules);
    return done;
}
#else
static bool limit_files(const char* path, const char* folder) {
    (void)path;
    (void)folder;
    return false;
}
#endif

unsigned import_shield(const char* path, const char* folder) {
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0)
        return 0;
    unsigned active = limit_files(path, folder) ? IMPORT_SHIELD_FILES : 0;
    return active | (limit_calls() ? IMPORT_SHIELD_CALLS : 0);
}
#else
unsigned import_shield(const char* path, const char* folder) {
    (void)path;
    (void)folder;
    return 0;
}
#endif
