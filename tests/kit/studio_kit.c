// Starts `limber studio`, and talks to it in whatever bytes a test chooses.
#include "kit/studio_kit.h"
#include "kit/program.h"

#include <arpa/inet.h>
#include <dirent.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

enum { PATIENCE_S = 300 }; // whatever takes longer hangs, on any machine

static double now_s(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void become(const char* program, const char* arguments, int output) {
    char text[1024];
    char* words[18] = {(char[]){"limber"}, (char[]){"studio"}};
    int count = 2;
    snprintf(text, sizeof text, "%s", arguments);
    for (char* word = strtok(text, " "); word && count < 17; word = strtok(NULL, " "))
        words[count++] = word;
    setpgid(0, 0);                    // a separate group, as in a terminal
    prctl(PR_SET_PDEATHSIG, SIGKILL); // a test that fails leaves no server behind
    int messages = open("messages", O_WRONLY | O_CREAT | O_TRUNC, 0600);
    dup2(output, 1);
    dup2(messages, 2);
    execv(program, words);
    _exit(127);
}

static pid_t spawn(const char* program, const char* arguments, int* output) {
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    for (int i = 0; i < 2; i++)
        fcntl(ends[i], F_SETFD, FD_CLOEXEC);
    const char* path = program ? program : test_program();
    pid_t process = fork();
    assert_true(process >= 0);
    if (process == 0)
        become(path, arguments, ends[1]);
    close(ends[1]);
    *output = ends[0];
    return process;
}

static void read_text(const char* path, char* text, size_t room) {
    FILE* file = fopen(path, "r");
    size_t length = file ? fread(text, 1, room - 1, file) : 0;
    text[length] = 0;
    if (file)
        fclose(file);
}

studio studio_start(const char* program, const char* arguments) {
    studio s = {0};
    char line[256], messages[1024];
    size_t length = 0;
    s.process = spawn(program, arguments, &s.output);
    while (length + 1 < sizeof line && read(s.output, line + length, 1) == 1 && line[length] != '\n')
        length++;
    line[length] = 0;
    char slash = 0;
    if (sscanf(line, "studio: http://127.0.0.1:%u/%32[0-9a-f]%c", &s.port, s.token, &slash) != 3 || slash != '/' ||
        strlen(s.token) != 32 || line[length - 1] != '/') {
        read_text("messages", messages, sizeof messages);
        kill(s.process, SIGKILL);
        waitpid(s.process, NULL, 0);
        fail_msg("limber studio %s: '%s' '%s'", arguments, line, messages);
    }
    return s;
}

static int wait_for(pid_t process) {
    double end_s = now_s() + PATIENCE_S;
    int status;
    while (waitpid(process, &status, WNOHANG) == 0) {
        if (now_s() > end_s) {
            kill(process, SIGKILL);
            waitpid(process, &status, 0);
            fail_msg("it still runs after %d s", PATIENCE_S);
        }
        nanosleep(&(struct timespec){0, 5000000}, NULL);
    }
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

int studio_end(studio* s, int signal_number) {
    char rest;
    assert_int_equal(kill(-s->process, signal_number), 0);
    int status = wait_for(s->process);
    assert_int_equal(read(s->output, &rest, 1), 0);
    close(s->output);
    return status;
}

void studio_expect_failure(const char* program, const char* arguments, int status, const char* words) {
    char text[2048], rest;
    int output;
    int got = wait_for(spawn(program, arguments, &output));
    bool silent = read(output, &rest, 1) == 0;
    close(output);
    read_text("messages", text, sizeof text);
    const char* end = strchr(text, '\n');
    if (got != status || !silent || strncmp(text, "limber: ", 8) != 0 || !strstr(text, words) || !end || end[1])
        fail_msg("limber studio %s: status %d, '%s'", arguments, got, text);
}

int studio_connect(unsigned port) {
    struct sockaddr_in place;
    struct timeval limit = {PATIENCE_S, 0};
    memset(&place, 0, sizeof place);
    place.sin_family = AF_INET;
    place.sin_port = htons((uint16_t)port);
    place.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    int file = socket(AF_INET, SOCK_STREAM, 0);
    assert_true(file >= 0);
    setsockopt(file, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
    setsockopt(file, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit);
    assert_int_equal(connect(file, (struct sockaddr*)&place, sizeof place), 0);
    return file;
}

bool studio_say(int file, const void* bytes, size_t size) {
    const char* at = bytes;
    while (size) {
        ssize_t count = send(file, at, size, MSG_NOSIGNAL);
        if (count <= 0)
            return false;
        at += count;
        size -= (size_t)count;
    }
    return true;
}

reply studio_hear(int file) {
    reply r = {0};
    size_t size = 0, room = 65536;
    r.memory = malloc(room);
    double end_s = now_s() + PATIENCE_S;
    for (ssize_t count = 1; count > 0; size += count > 0 ? (size_t)count : 0) {
        if (room - size < 4096)
            r.memory = realloc(r.memory, room *= 2);
        assert_non_null(r.memory);
        count = recv(file, r.memory + size, room - size - 1, 0);
        if (now_s() > end_s)
            fail_msg("no end of the answer after %d s", PATIENCE_S);
    }
    close(file);
    r.memory[size] = 0;
    char* blank = strstr(r.memory, "\r\n\r\n");
    if (!blank)
        return r;
    sscanf(r.memory, "HTTP/1.1 %d", &r.status);
    blank[2] = 0;
    r.head = r.memory;
    r.body = blank + 4;
    r.body_size = size - (size_t)(r.body - r.memory);
    return r;
}

reply studio_ask(const studio* s, const char* request) {
    int file = studio_connect(s->port);
    studio_say(file, request, strlen(request));
    return studio_hear(file);
}

reply studio_request(const studio* s, const char* method, const char* target, const char* headers) {
    char request[4096];
    assert_true(snprintf(request, sizeof request, "%s %s HTTP/1.1\r\n%s\r\n", method, target, headers) <
                (int)sizeof request);
    return studio_ask(s, request);
}

reply studio_get(const studio* s, const char* path) {
    char target[2048], headers[64];
    assert_true(snprintf(target, sizeof target, "/%s/%s", s->token, path) < (int)sizeof target);
    snprintf(headers, sizeof headers, "Host: 127.0.0.1:%u\r\n", s->port);
    return studio_request(s, "GET", target, headers);
}

bool reply_has(const reply* r, const char* header, const char* value) {
    size_t length = strlen(header);
    for (const char* line = r->head; line && *line; line = strstr(line, "\r\n") + 2)
        if (strncasecmp(line, header, length) == 0 && line[length] == ':') {
            const char* start = line + length + 1 + strspn(line + length + 1, " ");
            return strlen(value) == strcspn(start, "\r") && strncmp(start, value, strlen(value)) == 0;
        }
    return false;
}

void reply_free(reply* r) {
    free(r->memory);
    memset(r, 0, sizeof *r);
}

bool studio_wait(bool (*done)(void* data), void* data) {
    double end_s = now_s() + PATIENCE_S;
    while (!done(data)) {
        if (now_s() > end_s)
            return false;
        nanosleep(&(struct timespec){0, 10000000}, NULL);
    }
    return true;
}

size_t studio_open_files(const studio* s) {
    char path[64];
    size_t count = 0;
    snprintf(path, sizeof path, "/proc/%d/fd", (int)s->process);
    DIR* listing = opendir(path);
    assert_non_null(listing);
    while (readdir(listing))
        count++;
    closedir(listing);
    return count;
}
