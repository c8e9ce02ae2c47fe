// What the text of a request to the studio means. Nothing here opens anything; requests may hold any bytes.
#ifndef LIMBER_CLI_STUDIO_ADDRESS_H
#define LIMBER_CLI_STUDIO_ADDRESS_H

#include <stdbool.h>
#include <stddef.h>

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

#endif
