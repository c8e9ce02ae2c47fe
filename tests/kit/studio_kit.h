// A running `limber studio` and a client that says exactly what it is told to say.
#ifndef STUDIO_KIT_H
#define STUDIO_KIT_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

typedef struct studio {
    pid_t process;
    unsigned port;
    char token[33];
    int output; // the rest of its standard output
} studio;

// Runs `limber studio ARGUMENTS` (words between blanks, at most 15) with messages going to the file "messages".
// `program` NULL: the one under test. Fails the test unless an address is printed.
studio studio_start(const char* program, const char* arguments);
// Sends the signal to its process group, as a terminal does, and returns the exit status; fails when it does not end or
// anything else is printed.
int studio_end(studio* s, int signal_number);

// Runs `limber studio ARGUMENTS` that is expected to say no, in one line that holds `words`.
void studio_expect_failure(const char* program, const char* arguments, int status, const char* words);

typedef struct reply {
    int status; // 0: the connection was closed without an answer
    char* head;
    char* body;
    size_t body_size;
    char* memory;
} reply;

size_t studio_open_files(const studio* s);                   // that the process has
int studio_connect(unsigned port);                           // a socket with a time limit
bool studio_say(int socket, const void* bytes, size_t size); // false when the other end is closed
reply studio_hear(int socket);                               // until the end; closes the socket
reply studio_ask(const studio* s, const char* request);      // all of it
reply studio_get(const studio* s, const char* path);         // behind /TOKEN/, as a browser asks
reply studio_request(const studio* s, const char* method, const char* target, const char* headers); // lines with \r\n
bool reply_has(const reply* r, const char* header, const char* value); // exactly this value
void reply_free(reply* r);

// Asks again and again until `done` says yes, for minutes where that must be; false when it never does.
bool studio_wait(bool (*done)(void* data), void* data);

#endif
