// `limber studio` from outside, over plain sockets: who gets in, what is served, and how it ends.
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "kit/studio_kit.h"

enum { BIG_BYTES = 16000000 }; // more than sockets hold

static char folder[] = "studio-test-XXXXXX";
static studio shared; // most tests ask this one

static void write_file(const char* path, const char* text) {
    FILE* file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    assert_int_equal(fclose(file), 0);
}

static void write_big(const char* path) {
    FILE* file = fopen(path, "w");
    assert_non_null(file);
    for (uint32_t i = 0; i < BIG_BYTES / 4; i++)
        fwrite(&i, 4, 1, file);
    assert_int_equal(fclose(file), 0);
}

static int set_up(void** state) {
    (void)state;
    static const char* const names[] = {"a.js",  "a.css", "a.wasm",  "a.glb", "a.json",
                                        "a.svg", "a.png", "a.woff2", "a.odd"};
    if (!mkdtemp(folder) || chdir(folder) || mkdir("pages", 0700) || mkdir("pages/assets", 0700) || mkdir("out", 0700))
        return -1;
    write_file("secret.txt", "the secret");
    write_file("out/secret.txt", "the secret");
    write_file("pages/index.html", "<title>the studio</title>");
    write_file("pages/.hidden", "the secret");
    write_file("pages/empty.txt", "");
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char path[64];
        snprintf(path, sizeof path, "pages/assets/%s", names[i]);
        write_file(path, names[i]);
    }
    write_big("pages/big.wasm");
    if (symlink("../secret.txt", "pages/link.txt") || symlink("../out", "pages/linked") ||
        symlink("index.html", "pages/inner.html") || mkfifo("pages/pipe.txt", 0600))
        return -1;
    shared = studio_start(NULL, "--no-open --files pages");
    return 0;
}

static int tear_down(void** state) {
    (void)state;
    int status = studio_end(&shared, SIGTERM);
    return status || system("rm -rf pages out messages secret.txt") || chdir("..") || rmdir(folder);
}

static void expect_status(const studio* s, const char* path, int status) {
    reply r = studio_get(s, path);
    if (r.status != status || (status != 200 && (strstr(r.body, "secret") || strstr(r.body, "studio</title>"))))
        fail_msg("%s: %d, '%s'", path, r.status, r.body);
    reply_free(&r);
}

static void expect_refused(const char* method, const char* target, const char* headers) {
    reply r = studio_request(&shared, method, target, headers);
    if ((r.status != 403 && r.status != 404 && r.status != 400) || strstr(r.body, "the studio") ||
        strstr(r.body, "secret"))
        fail_msg("%s %s %s: %d, '%s'", method, target, headers, r.status, r.body ? r.body : "");
    reply_free(&r);
}

static const char* host_line(void) {
    static char line[64];
    snprintf(line, sizeof line, "Host: 127.0.0.1:%u\r\n", shared.port);
    return line;
}

static const char* page(void) {
    static char target[64];
    snprintf(target, sizeof target, "/%s/", shared.token);
    return target;
}

// --- who gets in ---

static void the_address_shows_the_page(void** state) {
    (void)state;
    reply r = studio_get(&shared, "");
    assert_int_equal(r.status, 200);
    assert_string_equal(r.body, "<title>the studio</title>");
    assert_true(reply_has(&r, "Content-Type", "text/html; charset=utf-8"));
    assert_true(reply_has(&r, "Content-Length", "25"));
    assert_true(reply_has(&r, "X-Content-Type-Options", "nosniff"));
    assert_true(reply_has(&r, "Referrer-Policy", "no-referrer"));
    assert_true(reply_has(&r, "Cache-Control", "no-store"));
    assert_non_null(strstr(r.head, "script-src 'self' 'wasm-unsafe-eval'"));
    assert_non_null(strstr(r.head, "frame-ancestors 'none'"));
    assert_null(strstr(r.head, "Access-Control"));
    reply_free(&r);
}

static void nothing_is_there_without_the_token(void** state) {
    (void)state;
    char target[128], wrong[33];
    const char* host = host_line();
    expect_refused("GET", "/", host);
    expect_refused("GET", "/index.html", host);
    expect_refused("GET", "/session.json", host);
    expect_refused("GET", "//", host);
    expect_refused("GET", "*", host);
    expect_refused("POST", "/", host);
    for (size_t i = 0; i < 32; i += 31) {
        memcpy(wrong, shared.token, sizeof wrong);
        wrong[i] = wrong[i] == '0' ? '1' : '0';
        snprintf(target, sizeof target, "/%s/", wrong);
        expect_refused("GET", target, host);
    }
    snprintf(target, sizeof target, "/%.31s/", shared.token);
    expect_refused("GET", target, host);
    snprintf(target, sizeof target, "/%s0/", shared.token);
    expect_refused("GET", target, host);
    snprintf(target, sizeof target, "/?%s/", shared.token);
    expect_refused("GET", target, host);
    snprintf(target, sizeof target, "http://127.0.0.1:%u/%s/", shared.port, shared.token);
    expect_refused("GET", target, host);
}

static void the_address_without_its_slash_leads_to_the_page(void** state) {
    (void)state;
    char target[64], address[128];
    snprintf(target, sizeof target, "/%s", shared.token);
    snprintf(address, sizeof address, "http://127.0.0.1:%u/%s/", shared.port, shared.token);
    reply r = studio_request(&shared, "GET", target, host_line());
    assert_int_equal(r.status, 302);
    assert_true(reply_has(&r, "Location", address));
    reply_free(&r);
}

static void other_hosts_are_refused(void** state) {
    (void)state;
    static const char* const hosts[] = {"evil.example",
                                        "127.0.0.1",
                                        "localhost",
                                        "127.0.0.1.evil.example:%u",
                                        "[::1]:%u",
                                        "evil.example:%u",
                                        "127.0.0.1:1%u",
                                        "127.0.0.1:%u, 127.0.0.1:%u",
                                        ""};
    char line[128], value[96];
    for (size_t i = 0; i < sizeof hosts / sizeof *hosts; i++) {
        const char* first = strstr(hosts[i], "%u");
        size_t before = first ? (size_t)(first - hosts[i]) : strlen(hosts[i]);
        snprintf(value, sizeof value, "%.*s", (int)before, hosts[i]);
        if (first)
            snprintf(value + before, sizeof value - before, "%u", shared.port);
        snprintf(line, sizeof line, "Host: %s\r\n", value);
        if (strcmp(hosts[i], "127.0.0.1:%u, 127.0.0.1:%u") == 0)
            snprintf(line, sizeof line, "Host: 127.0.0.1:%u, 127.0.0.1:%u\r\n", shared.port, shared.port);
        expect_refused("GET", page(), line);
    }
    expect_refused("GET", page(), "");
    snprintf(line, sizeof line, "%sHost: evil.example\r\n", host_line());
    expect_refused("GET", page(), line);
    snprintf(line, sizeof line, "%s%s", host_line(), host_line());
    expect_refused("GET", page(), line);
    snprintf(line, sizeof line, "Host: LOCALHOST:%u\r\n", shared.port);
    reply r = studio_request(&shared, "GET", page(), line);
    assert_int_equal(r.status, 200);
    reply_free(&r);
}

static void other_sites_are_refused(void** state) {
    (void)state;
    char lines[256];
    static const char* const origins[] = {"https://evil.example", "null", "http://127.0.0.1", "http://localhost:1",
                                          "file://"};
    for (size_t i = 0; i < sizeof origins / sizeof *origins; i++) {
        snprintf(lines, sizeof lines, "%sOrigin: %s\r\n", host_line(), origins[i]);
        expect_refused("GET", page(), lines);
    }
    snprintf(lines, sizeof lines, "%sOrigin: http://127.0.0.1:%u\r\n", host_line(), shared.port);
    reply r = studio_request(&shared, "GET", page(), lines);
    assert_int_equal(r.status, 200);
    reply_free(&r);
}

static void other_interfaces_do_not_answer(void** state) {
    (void)state;
    struct sockaddr_in place;
    memset(&place, 0, sizeof place);
    place.sin_family = AF_INET;
    place.sin_port = htons((uint16_t)shared.port);
    place.sin_addr.s_addr = htonl(0x7f000002); // 127.0.0.2 is this machine, too, but not our address
    int file = socket(AF_INET, SOCK_STREAM, 0);
    assert_int_not_equal(connect(file, (struct sockaddr*)&place, sizeof place), 0);
    assert_int_equal(errno, ECONNREFUSED);
    close(file);
}

// --- what is served ---

static void no_spelling_leads_out_of_the_folder(void** state) {
    (void)state;
    static const char* const paths[] = {"../secret.txt",
                                        "%2e%2e/secret.txt",
                                        "%2E%2E%2Fsecret.txt",
                                        "..%2fsecret.txt",
                                        "..%5csecret.txt",
                                        "..\\secret.txt",
                                        "assets/../../secret.txt",
                                        "assets/%2e%2e/%2e%2e/secret.txt",
                                        "%252e%252e/secret.txt",
                                        "..%252fsecret.txt",
                                        "%c0%ae%c0%ae/secret.txt",
                                        "..;/secret.txt",
                                        "....//secret.txt",
                                        "./index.html",
                                        "/index.html",
                                        "//etc/passwd",
                                        "/etc/passwd",
                                        "%2fetc%2fpasswd",
                                        "assets//a.js",
                                        "assets/./a.js",
                                        "assets/../index.html",
                                        "link.txt",
                                        "linked/secret.txt",
                                        "linked",
                                        "inner.html",
                                        ".hidden",
                                        "%2ehidden",
                                        "index.html%00",
                                        "index.html%00.js",
                                        "index.html/",
                                        "index.html/a",
                                        "assets",
                                        "assets/",
                                        "assets%2fa.js",
                                        "%",
                                        "%2",
                                        "%g0",
                                        "nothing.js",
                                        "pipe.txt",
                                        "file",
                                        "file/",
                                        "file/index.html",
                                        "INDEX.HTML",
                                        "index.html%20"};
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
        char target[256];
        snprintf(target, sizeof target, "%s%s", page(), paths[i]);
        expect_refused("GET", target, host_line());
    }
    expect_status(&shared, "index.html", 200); // so that the above says something
    expect_status(&shared, "assets/a.js", 200);
    expect_status(&shared, "assets/a%2ejs", 200);
    expect_status(&shared, "index.html?v=1&x=../..", 200);
}

static void files_come_with_their_media_types(void** state) {
    (void)state;
    static const char* const types[][2] = {{"a.js", "text/javascript; charset=utf-8"},
                                           {"a.css", "text/css; charset=utf-8"},
                                           {"a.wasm", "application/wasm"},
                                           {"a.glb", "model/gltf-binary"},
                                           {"a.json", "application/json"},
                                           {"a.svg", "image/svg+xml"},
                                           {"a.png", "image/png"},
                                           {"a.woff2", "font/woff2"},
                                           {"a.odd", "application/octet-stream"}};
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        char path[64];
        snprintf(path, sizeof path, "assets/%s", types[i][0]);
        reply r = studio_get(&shared, path);
        assert_int_equal(r.status, 200);
        assert_string_equal(r.body, types[i][0]);
        if (!reply_has(&r, "Content-Type", types[i][1]))
            fail_msg("%s: %s", path, r.head);
        reply_free(&r);
    }
    reply r = studio_get(&shared, "empty.txt");
    assert_int_equal(r.status, 200);
    assert_true(reply_has(&r, "Content-Length", "0"));
    assert_int_equal(r.body_size, 0);
    reply_free(&r);
}

static void head_has_no_body(void** state) {
    (void)state;
    reply r = studio_request(&shared, "HEAD", page(), host_line());
    assert_int_equal(r.status, 200);
    assert_true(reply_has(&r, "Content-Length", "25"));
    assert_true(reply_has(&r, "Content-Type", "text/html; charset=utf-8"));
    assert_int_equal(r.body_size, 0);
    reply_free(&r);
}

static void other_methods_are_refused(void** state) {
    (void)state;
    static const char* const methods[] = {"POST", "PUT", "DELETE", "OPTIONS", "PATCH", "PROPFIND", "get"};
    for (size_t i = 0; i < sizeof methods / sizeof *methods; i++) {
        reply r = studio_request(&shared, methods[i], page(), host_line());
        if (r.status != 405 || !reply_has(&r, "Allow", "GET, HEAD"))
            fail_msg("%s: %d", methods[i], r.status);
        reply_free(&r);
    }
    char lines[256];
    snprintf(lines, sizeof lines, "%sContent-Length: 1000000000\r\nExpect: 100-continue\r\n", host_line());
    reply r = studio_request(&shared, "POST", page(), lines);
    assert_true(r.status == 405);
    reply_free(&r);
}

// A body that holds a request is no request.
static void bodies_are_not_taken_for_requests(void** state) {
    (void)state;
    char request[512];
    snprintf(request, sizeof request, "GET %s HTTP/1.1\r\n%sContent-Length: 10\r\n\r\nGET / HTTP/1.1\r\n%s\r\n", page(),
             host_line(), host_line());
    reply r = studio_ask(&shared, request);
    assert_int_equal(r.status, 200);
    assert_int_equal(r.body_size, 25);
    reply_free(&r);
}

static void expect_big(reply* r) {
    assert_int_equal(r->status, 200);
    assert_int_equal(r->body_size, BIG_BYTES);
    for (uint32_t i = 0; i < BIG_BYTES / 4; i++)
        if (memcmp(r->body + 4 * i, &i, 4) != 0)
            fail_msg("word %u is wrong", i);
    reply_free(r);
}

static void big_files_come_whole(void** state) {
    (void)state;
    reply r = studio_get(&shared, "big.wasm");
    expect_big(&r);
}

// --- unfriendly clients ---

static void noise_is_refused(void** state) {
    (void)state;
    static const char* const requests[] = {"\r\n\r\n",
                                           "GET\r\n\r\n",
                                           "nonsense\r\n\r\n",
                                           "GET / HTTP/9.9\r\n\r\n",
                                           "\x16\x03\x01\x02\x01\x01\xfc\x03\x03\r\n\r\n",
                                           "GET / HTTP/1.1\r\n:\r\n\r\n",
                                           "GET  HTTP/1.1\r\n\r\n"};
    for (size_t i = 0; i < sizeof requests / sizeof *requests; i++) {
        int file = studio_connect(shared.port);
        studio_say(file, requests[i], strlen(requests[i]));
        shutdown(file, SHUT_WR);
        reply r = studio_hear(file);
        assert_int_not_equal(r.status, 200);
        reply_free(&r);
    }
    expect_status(&shared, "", 200);
}

static void big_requests_are_refused(void** state) {
    (void)state;
    char line[1200];
    for (int kind = 0; kind < 3; kind++) {
        int file = studio_connect(shared.port);
        const char* start = kind == 0 ? "GET /" : kind == 1 ? "GET / HTTP/1.1\r\nX: " : "GET / HTTP/1.1\r\n";
        studio_say(file, start, strlen(start));
        memset(line, 'a', sizeof line);
        if (kind == 2)
            memcpy(line + 590, ": b\r\n", 5), memcpy(line + sizeof line - 6, ": b\r\n", 5);
        bool open = true;
        for (int i = 0; open && i < 10000; i++)
            open = studio_say(file, line, sizeof line);
        assert_false(open); // it did not listen to twelve megabytes
        reply r = studio_hear(file);
        assert_true(r.status == 0 || r.status >= 400);
        reply_free(&r);
    }
    expect_status(&shared, "", 200);
}

// A hundred that begin and do not go on; everyone else is served meanwhile.
static void slow_clients_hold_nobody_up(void** state) {
    (void)state;
    enum { SLOW_COUNT = 100 };
    studio s = studio_start(NULL, "--no-open --files pages");
    int slow[SLOW_COUNT];
    char start[256];
    snprintf(start, sizeof start, "GET /%s/big.wasm HTTP/1.1\r\nHost: 127.0.0.1:%u\r\n\r\n", s.token, s.port);
    for (int i = 0; i < SLOW_COUNT; i++) {
        slow[i] = studio_connect(s.port);
        size_t size = i % 3 == 0 ? strlen(start) : (size_t)(i % 3 == 1 ? 20 : 0); // some ask, and do not read
        assert_true(studio_say(slow[i], start, size));
    }
    for (int i = 0; i < 20; i++)
        expect_status(&s, "", 200);
    assert_int_equal(studio_end(&s, SIGTERM), 0); // nor does it wait for them in the end
    for (int i = 0; i < SLOW_COUNT; i++)
        close(slow[i]);
}

// More than are let in: silent ones are sent away. A page that is slow to read is not.
static void silent_strangers_are_sent_away(void** state) {
    (void)state;
    enum { SILENT_COUNT = 150 };
    studio s = studio_start(NULL, "--no-open --files pages");
    int silent[SILENT_COUNT], busy = studio_connect(s.port);
    char request[256], nothing;
    snprintf(request, sizeof request, "GET /%s/big.wasm HTTP/1.1\r\nHost: 127.0.0.1:%u\r\n\r\n", s.token, s.port);
    assert_true(studio_say(busy, request, strlen(request)));
    for (int i = 0; i < SILENT_COUNT; i++)
        silent[i] = studio_connect(s.port);
    expect_status(&s, "", 200);
    assert_int_equal(recv(silent[0], &nothing, 1, 0), 0); // the first one had to go
    nanosleep(&(struct timespec){2, 0}, NULL);
    reply r = studio_hear(busy);
    expect_big(&r);
    for (int i = 0; i < SILENT_COUNT; i++)
        close(silent[i]);
    assert_int_equal(studio_end(&s, SIGTERM), 0);
}

// In a process of its own, one byte each again and again: none of them ever falls silent.
static pid_t start_dripping(const int* files, int count) {
    pid_t process = fork();
    assert_true(process >= 0);
    if (process)
        return process;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    for (;;) {
        for (int i = 0; i < count; i++)
            studio_say(files[i], "A", 1);
        nanosleep(&(struct timespec){0, 50000000}, NULL);
    }
}

static void strangers_that_drip_make_room(void** state) {
    (void)state;
    enum { DRIPPING_COUNT = 200 };
    static const char start[] = "GET / HTTP/1.1\r\nX: ";
    studio s = studio_start(NULL, "--no-open --files pages");
    int dripping[DRIPPING_COUNT], busy = studio_connect(s.port);
    char request[256];
    snprintf(request, sizeof request, "GET /%s/big.wasm HTTP/1.1\r\nHost: 127.0.0.1:%u\r\n\r\n", s.token, s.port);
    assert_true(studio_say(busy, request, strlen(request)));
    assert_true(recv(busy, request, 1, MSG_PEEK) == 1); // the page's own, which keeps its place
    for (int i = 0; i < DRIPPING_COUNT; i++) {
        dripping[i] = studio_connect(s.port);
        studio_say(dripping[i], start, sizeof start - 1);
    }
    pid_t drips = start_dripping(dripping, DRIPPING_COUNT);
    for (int i = 0; i < 20; i++)
        expect_status(&s, "", 200);
    reply r = studio_hear(busy);
    expect_big(&r);
    kill(drips, SIGKILL);
    waitpid(drips, NULL, 0);
    for (int i = 0; i < DRIPPING_COUNT; i++)
        close(dripping[i]);
    assert_int_equal(studio_end(&s, SIGTERM), 0);
}

static void clients_that_hang_up_do_no_harm(void** state) {
    (void)state;
    char request[256], bytes[4096];
    snprintf(request, sizeof request, "GET %sbig.wasm HTTP/1.1\r\n%s\r\n", page(), host_line());
    struct linger reset = {1, 0};
    for (int i = 0; i < 20; i++) {
        int file = studio_connect(shared.port);
        assert_true(studio_say(file, request, strlen(request)));
        assert_true(recv(file, bytes, sizeof bytes, 0) > 0);
        if (i & 1)
            setsockopt(file, SOL_SOCKET, SO_LINGER, &reset, sizeof reset);
        close(file);
    }
    expect_status(&shared, "", 200);
}

static bool no_more_files_than(void* count) {
    return studio_open_files(&shared) <= *(size_t*)count;
}

static void many_requests_leave_nothing_open(void** state) {
    (void)state;
    expect_status(&shared, "", 200);
    size_t before = studio_open_files(&shared);
    for (int i = 0; i < 400; i++)
        expect_status(&shared, i % 4 == 3 ? "nothing" : i % 4 == 2 ? "assets" : "assets/a.js", i % 4 > 1 ? 404 : 200);
    assert_true(studio_wait(no_more_files_than, &before)); // the last connections may still be closing
}

// --- several, and the end ---

static void two_studios_keep_apart(void** state) {
    (void)state;
    studio other = studio_start(NULL, "--no-open --files pages");
    char target[64];
    assert_int_not_equal(other.port, shared.port);
    assert_string_not_equal(other.token, shared.token);
    snprintf(target, sizeof target, "/%s/", other.token);
    expect_refused("GET", target, host_line());
    expect_status(&other, "", 200);
    expect_status(&shared, "", 200);
    assert_int_equal(studio_end(&other, SIGTERM), 0);
}

static void signals_end_it_and_free_the_port(void** state) {
    (void)state;
    static const int signals[3] = {SIGTERM, SIGINT, SIGHUP};
    char arguments[64];
    studio s = studio_start(NULL, "--no-open --files pages");
    unsigned port = s.port;
    for (int i = 0; i < 3; i++) {
        expect_status(&s, "", 200);
        int open = studio_connect(s.port);
        assert_int_equal(studio_end(&s, signals[i]), 0);
        close(open);
        snprintf(arguments, sizeof arguments, "--no-open --files pages --port %u", port);
        s = studio_start(NULL, arguments);
        assert_int_equal(s.port, port);
    }
    studio_expect_failure(NULL, arguments, 1, "is in use by another program");
    expect_status(&s, "", 200);
    assert_int_equal(studio_end(&s, SIGTERM), 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_address_shows_the_page),
        cmocka_unit_test(nothing_is_there_without_the_token),
        cmocka_unit_test(the_address_without_its_slash_leads_to_the_page),
        cmocka_unit_test(other_hosts_are_refused),
        cmocka_unit_test(other_sites_are_refused),
        cmocka_unit_test(other_interfaces_do_not_answer),
        cmocka_unit_test(no_spelling_leads_out_of_the_folder),
        cmocka_unit_test(files_come_with_their_media_types),
        cmocka_unit_test(head_has_no_body),
        cmocka_unit_test(other_methods_are_refused),
        cmocka_unit_test(bodies_are_not_taken_for_requests),
        cmocka_unit_test(big_files_come_whole),
        cmocka_unit_test(noise_is_refused),
        cmocka_unit_test(big_requests_are_refused),
        cmocka_unit_test(slow_clients_hold_nobody_up),
        cmocka_unit_test(silent_strangers_are_sent_away),
        cmocka_unit_test(strangers_that_drip_make_room),
        cmocka_unit_test(clients_that_hang_up_do_no_harm),
        cmocka_unit_test(many_requests_leave_nothing_open),
        cmocka_unit_test(two_studios_keep_apart),
        cmocka_unit_test(signals_end_it_and_free_the_port),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
