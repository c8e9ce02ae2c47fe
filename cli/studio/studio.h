// The studio's web server: what it offers, to whom, and how the page is shown.
#ifndef LIMBER_CLI_STUDIO_H
#define LIMBER_CLI_STUDIO_H

#include "io/file.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

// --- address ---
// What the text of a request to the studio means. Nothing here opens anything; requests may hold any bytes.

enum { STUDIO_TOKEN_LENGTH = 32 }; // 128 bits as hexadecimal digits

// What follows "/TOKEN" in the path of a request, which begins with a slash or is empty; NULL when the token is
// another.
const char* studio_after_token(const char* path, const char* token);

// The part of a path behind "/TOKEN/" without its percent escapes. False unless it is a plain way down: names between
// single slashes, none of them empty, hidden or "..", without backslashes and control characters.
bool studio_decode_path(const char* raw, char* out, size_t room);

// A name as it stands in an address; false when `room` is too small.
bool studio_encode_name(const char* name, char* out, size_t room);

// "127.0.0.1:PORT" or "localhost:PORT". Any other name is a page that had itself pointed at this machine.
bool studio_is_our_host(const char* host, unsigned port);
bool studio_is_our_origin(const char* origin, unsigned port);

const char* studio_media_type(const char* path);

// --- files ---
// The built studio: where it is, and its files.

// The folder with the studio's index.html: `asked` when that is not NULL, else the one installed with this program,
// else the one of the build this program belongs to. Prints what is wrong and returns the exit status.
int studio_find_folder(const char* asked, char* folder, size_t room);

// A plain file for reading, or -1. `path` has been through studio_decode_path; symbolic links are not followed.
int studio_open_below(const char* folder, const char* path, uint64_t* size);

// A plain file wherever it lies, or -1.
int studio_open_plain(const char* path, uint64_t* size);

// --- offer ---
// What the command line hands to the studio: a character and a style, told to the page by session.json.

typedef struct studio_offer {
    char* session;       // the text of session.json
    char* name;          // of the character's file as the page sees it; NULL: none
    const char* path;    // read again for every request; NULL: the bytes below
    limberi_bytes bytes; // a .gltf with everything it names, as .glb
    limberi_arena arena;
} studio_offer;

// Checks the character and the style, each of which may be NULL. Prints what is wrong and returns the exit status.
int studio_offer_open(const char* character, const char* style, studio_offer* offer);
void studio_offer_close(studio_offer* offer);

// --- server ---
// The studio's web server: one address on this machine, for whoever knows its token.

typedef struct studio_order {
    const char* folder;        // the built studio
    const studio_offer* offer; // outlives the server
    uint32_t port;             // 0: any that is free
} studio_order;

typedef struct studio_server studio_server;

// Serves from a separate thread, which inherits the caller's signal mask. Prints what is wrong and returns the exit
// status.
int studio_server_start(const studio_order* order, studio_server** server);
const char* studio_server_address(const studio_server* server); // "http://127.0.0.1:PORT/TOKEN/"
void studio_server_stop(studio_server* server);                 // breaks off what is being sent; NULL is fine

// --- browser ---
// Shows an address in the browser of the local user.

// A page that leads to the address. Everyone on the machine can read the arguments of a process, and the address holds
// the token: the browser is given the name of this file instead, which only its user may read.
typedef struct studio_page {
    char folder[256], path[256 + 16]; // "": there is none
} studio_page;

// The process that opens it, to be waited for; 0 when there is no screen or nothing to open it with.
pid_t studio_browser_open(const char* address, studio_page* page);
void studio_page_remove(studio_page* page);

#endif
