// Hours of `limber studio`: pages, strangers, noise and clients that hang up or fall silent, in random order, for
// LIMBER_ENDURANCE_S seconds (2 unless told otherwise). The page is served throughout; memory and open files are bounded,
// printed at the start and at the end, and nothing is lost when it ends.
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "kit/endurance.h"
#include "kit/program.h"
#include "kit/studio_kit.h"

enum { OPEN_COUNT = 40, WARM_ACTIONS = 2000, BIG_BYTES = 2000000 };

typedef struct visitors {
    studio s;
    int open[OPEN_COUNT]; // -1: nobody
    uint64_t actions;
} visitors;

static void write_pages(void) {
    assert_int_equal(system("mkdir -p pages && echo '<title>the studio</title>' >pages/index.html"), 0);
    FILE* file = fopen("pages/big.wasm", "w");
    assert_non_null(file);
    for (int i = 0; i < BIG_BYTES; i++)
        fputc(i & 255, file);
    assert_int_equal(fclose(file), 0);
}

static void ask(visitors* v, const char* path, int status) {
    reply r = studio_get(&v->s, path);
    if (r.status != status)
        fail_msg("after %llu actions, %s: %d", (unsigned long long)v->actions, path, r.status);
    reply_free(&r);
}

static void make_noise(visitors* v) {
    char bytes[600];
    size_t size = 1 + endurance_below(sizeof bytes);
    for (size_t i = 0; i < size; i++)
        bytes[i] = (char)endurance_below(256);
    int file = studio_connect(v->s.port);
    studio_say(file, bytes, size);
    close(file);
}

static void ask_without_token(visitors* v) {
    static const char* const requests[] = {
        "GET / HTTP/1.1\r\n\r\n",
        "GET /index.html HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n",
        "POST / HTTP/1.1\r\nHost: elsewhere\r\nContent-Length: 5\r\n\r\nhello",
        "GET /../../etc/passwd HTTP/1.0\r\n\r\n",
    };
    reply r = studio_ask(&v->s, requests[endurance_below(4)]);
    assert_true(r.status != 200);
    reply_free(&r);
}

// Someone stays: with half a request, with nothing, or with an answer that is not read.
static void come_and_stay(visitors* v, int place) {
    char request[256];
    int length = snprintf(request, sizeof request, "GET /%s/big.wasm HTTP/1.1\r\nHost: 127.0.0.1:%u\r\n\r\n",
                          v->s.token, v->s.port);
    v->open[place] = studio_connect(v->s.port);
    studio_say(v->open[place], request, endurance_below((uint32_t)length + 1));
}

static void leave(visitors* v, int place) {
    struct linger reset = {1, 0};
    if (endurance_below(2))
        setsockopt(v->open[place], SOL_SOCKET, SO_LINGER, &reset, sizeof reset);
    close(v->open[place]);
    v->open[place] = -1;
}

static void act(visitors* v) {
    int place = (int)endurance_below(OPEN_COUNT);
    v->actions++;
    switch (endurance_below(8)) {
    case 0:
        ask(v, "", 200);
        break;
    case 1:
        ask(v, "big.wasm", 200);
        break;
    case 2:
        ask(v, "nothing", 404);
        break;
    case 3:
        make_noise(v);
        break;
    case 4:
        ask_without_token(v);
        break;
    case 5:
        if (v->open[place] >= 0)
            studio_say(v->open[place], "A", 1);
        break;
    default:
        if (v->open[place] < 0)
            come_and_stay(v, place);
        else
            leave(v, place);
    }
}

static void an_hour_of_the_studio_is_bounded(void** state) {
    (void)state;
    visitors v = {studio_start(NULL, "--no-open --files pages"), {0}, 0};
    for (int i = 0; i < OPEN_COUNT; i++)
        v.open[i] = -1;
    while (v.actions < WARM_ACTIONS)
        act(&v);
    long start_kb = endurance_memory_kb(v.s.process);
    int start_files = (int)studio_open_files(&v.s);
    for (time_t end = time(NULL) + endurance_seconds(); time(NULL) < end;)
        act(&v);
    ask(&v, "", 200);
    long end_kb = endurance_memory_kb(v.s.process);
    int end_files = (int)studio_open_files(&v.s);
    print_message("%llu actions: the studio had %ld kB and %d files open, has %ld kB and %d\n",
                  (unsigned long long)v.actions, start_kb, start_files, end_kb, end_files);
    for (int i = 0; i < OPEN_COUNT; i++)
        if (v.open[i] >= 0)
            close(v.open[i]);
    assert_true(end_kb <= start_kb + ENDURANCE_GROWTH_KB);
    assert_true(end_files <= start_files + 2 * OPEN_COUNT); // a connection, and the file that it is sent
    assert_int_equal(studio_end(&v.s, SIGTERM), 0);         // the sanitizer has found nothing lost
}

static int set_up(void** state) {
    (void)state;
    int status = test_folder_enter();
    if (!status)
        write_pages();
    return status;
}

static int tear_down(void** state) {
    (void)state;
    return system("rm -rf pages messages") || test_folder_leave();
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(an_hour_of_the_studio_is_bounded)};
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
