// What the text of a request to the studio means.
#include "cli/studio/studio.h"
#include "io/inside.h"
#include "text/text.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

const char* studio_after_token(const char* path, const char* token) {
    if (path[0] != '/' || strlen(path + 1) < STUDIO_TOKEN_LENGTH)
        return NULL;
    unsigned char different = 0; // all digits are looked at: the time taken tells nothing
    for (size_t i = 0; i < STUDIO_TOKEN_LENGTH; i++)
        different |= (unsigned char)(path[i + 1] ^ token[i]);
    const char* rest = path + 1 + STUDIO_TOKEN_LENGTH;
    return !different && (!*rest || *rest == '/') ? rest : NULL;
}

// One character of an address, advancing *raw; -1 for a broken escape.
static int next_byte(const char** raw) {
    const char* c = *raw;
    if (*c != '%') {
        *raw = c + 1;
        return (unsigned char)*c;
    }
    int high = limberi_hex_digit(c[1]);
    int low = high < 0 ? -1 : limberi_hex_digit(c[2]);
    *raw = c + 3;
    return low < 0 ? -1 : high * 16 + low;
}

// A slash in an escape would be a slash in a name.
static bool decode(const char* raw, char* out, size_t room) {
    size_t length = 0;
    while (*raw) {
        bool escaped = *raw == '%';
        int byte = next_byte(&raw);
        if (byte < 32 || byte == 127 || byte == '\\' || (escaped && byte == '/') || length + 1 >= room)
            return false;
        out[length++] = (char)byte;
    }
    out[length] = 0;
    return true;
}

bool studio_decode_path(const char* raw, char* out, size_t room) {
    if (!room || !decode(raw, out, room))
        return false;
    const char* name = out;
    while (name) {
        const char* slash = strchr(name, '/');
        if (name[0] == '.' || name[0] == '/' || !name[0]) // "..", hidden files, empty names
            return false;
        name = slash ? slash + 1 : NULL;
    }
    return true;
}

bool studio_encode_name(const char* name, char* out, size_t room) {
    static const char digits[] = "0123456789ABCDEF";
    size_t length = 0;
    for (const char* c = name; *c; c++) {
        unsigned char byte = (unsigned char)*c;
        bool plain = limberi_is_letter(*c) || limberi_is_digit(*c) || strchr("-._~", *c);
        if (length + 4 > room)
            return false;
        if (plain) {
            out[length++] = *c;
            continue;
        }
        out[length++] = '%';
        out[length++] = digits[byte >> 4];
        out[length++] = digits[byte & 15];
    }
    if (length >= room)
        return false;
    out[length] = 0;
    return true;
}

bool studio_is_our_host(const char* host, unsigned port) {
    static const char* const names[2] = {"127.0.0.1", "localhost"};
    char ours[32];
    for (int i = 0; i < 2; i++) {
        snprintf(ours, sizeof ours, "%s:%u", names[i], port);
        if (strcasecmp(host, ours) == 0 || (port == 80 && strcasecmp(host, names[i]) == 0))
            return true;
    }
    return false;
}

bool studio_is_our_origin(const char* origin, unsigned port) {
    return strncmp(origin, "http://", 7) == 0 && studio_is_our_host(origin + 7, port);
}

const char* studio_media_type(const char* path) {
    static const struct {
        const char *ending, *type;
    } types[] = {
        {".html", "text/html; charset=utf-8"},
        {".js", "text/javascript; charset=utf-8"},
        {".mjs", "text/javascript; charset=utf-8"},
        {".css", "text/css; charset=utf-8"},
        {".json", "application/json"},
        {".map", "application/json"},
        {".webmanifest", "application/manifest+json"},
        {".wasm", "application/wasm"},
        {".glb", "model/gltf-binary"},
        {".gltf", "model/gltf+json"},
        {".bvh", "text/plain; charset=utf-8"},
        {".txt", "text/plain; charset=utf-8"},
        {".svg", "image/svg+xml"},
        {".png", "image/png"},
        {".jpg", "image/jpeg"},
        {".webp", "image/webp"},
        {".ico", "image/x-icon"},
        {".woff2", "font/woff2"},
    };
    const char* dot = strrchr(path, '.');
    for (size_t i = 0; dot && i < sizeof types / sizeof *types; i++)
        if (strcasecmp(dot, types[i].ending) == 0)
            return types[i].type;
    return "application/octet-stream";
}
