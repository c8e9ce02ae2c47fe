// What an import can still do behind its shield. Where the kernel offers none of it, nothing is tested.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "cli/import/shield.h"
#include "kit/program.h"

enum { FREE = 64 }; // the deed was done although the shield is up

static int make_files(void** state) {
    (void)state;
    return test_folder_enter() ||
           test_shell("mkdir in out && echo a >in/a.dae && echo b >in/b.png && echo c >out/c.png").status;
}

static int remove_files(void** state) {
    (void)state;
    return test_shell("rm -r in out").status || test_folder_leave();
}

// In a process behind the shield: its bits, and FREE where the deed worked.
static int try_behind(bool (*deed)(void)) {
    int status = -1;
    pid_t child = fork();
    if (child == 0) {
        unsigned active = import_shield("in/a.dae", "in");
        _exit((int)active | (deed() ? FREE : 0));
    }
    assert_true(child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status));
    return WEXITSTATUS(status);
}

static bool opens(const char* path, int flags) {
    return open(path, flags, 0600) >= 0;
}

static bool reads_its_files(void) {
    return opens("in/a.dae", O_RDONLY) && opens("in/b.png", O_RDONLY);
}

static bool reads_others(void) {
    return opens("out/c.png", O_RDONLY) || opens("/etc/passwd", O_RDONLY);
}

static bool writes(void) {
    return opens("in/a.dae", O_WRONLY) || opens("in/new", O_WRONLY | O_CREAT) || opens("out/new", O_WRONLY | O_CREAT);
}

static bool connects(void) {
    return socket(AF_INET, SOCK_STREAM, 0) >= 0 || socket(AF_UNIX, SOCK_STREAM, 0) >= 0;
}

static bool starts_programs(void) {
    char* const words[] = {(char*)(uintptr_t) "true", NULL};
    // NOLINTNEXTLINE(clang-analyzer-unix.Vfork): where a child begins, the test has failed
    return vfork() >= 0 || execv("/bin/true", words) == 0;
}

static bool signals_others(void) {
    return kill(getppid(), 0) == 0 || tgkill(getppid(), getppid(), 0) == 0;
}

static bool uses_memory(void) {
    char* bytes = malloc(8 << 20);
    bool done = bytes && memset(bytes, 1, 8 << 20);
    free(bytes);
    return done;
}

static void an_import_reads_its_own_folder_and_computes(void** state) {
    (void)state;
    assert_true(try_behind(reads_its_files) & FREE);
    assert_true(try_behind(uses_memory) & FREE);
}

static void an_import_reaches_no_other_files(void** state) {
    (void)state;
    if (!(try_behind(reads_its_files) & IMPORT_SHIELD_FILES))
        skip();
    assert_false(try_behind(reads_others) & FREE);
    assert_false(try_behind(writes) & FREE);
    assert_int_equal(test_shell("test ! -e in/new && test ! -e out/new").status, 0);
}

static void an_import_has_no_network_programs_or_signals(void** state) {
    (void)state;
    if (!(try_behind(reads_its_files) & IMPORT_SHIELD_CALLS))
        skip();
    assert_false(try_behind(connects) & FREE);
    assert_false(try_behind(starts_programs) & FREE);
    assert_false(try_behind(signals_others) & FREE);
}

static int signal_of(void (*deed)(void)) {
    int status = 0;
    pid_t child = fork();
    if (child == 0) {
        import_limit(1, (uint64_t)1 << 40);
        deed();
        _exit(0);
    }
    assert_true(child > 0 && waitpid(child, &status, 0) == child);
    return WIFSIGNALED(status) ? WTERMSIG(status) : 0;
}

static void wait_for_nothing(void) {
    for (;;)
        pause();
}

static void compute_on(void) {
    for (volatile uint64_t i = 0;; i++)
        continue;
}

static void an_import_ends_when_its_time_is_over(void** state) {
    (void)state;
    int cpu = signal_of(compute_on);
    assert_true(cpu == SIGXCPU || cpu == SIGKILL || cpu == SIGALRM); // the last on a machine that is busy
    assert_int_equal(signal_of(wait_for_nothing), SIGALRM);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_import_reads_its_own_folder_and_computes),
        cmocka_unit_test(an_import_reaches_no_other_files),
        cmocka_unit_test(an_import_ends_when_its_time_is_over),
        cmocka_unit_test(an_import_has_no_network_programs_or_signals),
    };
    return cmocka_run_group_tests(tests, make_files, remove_files);
}
