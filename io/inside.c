// The names by which a character refers to other files.
#include "io/inside.h"

#include <string.h>

int limberi_hex_digit(char c) {
    if (c >= '0' && c <= '9')
        return c - '0';
    if (c >= 'a' && c <= 'f')
        return c - 'a' + 10;
    return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

size_t limberi_percent_decode(const char* text, uint8_t* out) {
    size_t count = 0;
    for (size_t i = 0; text[i]; i++) {
        int high = text[i] == '%' ? limberi_hex_digit(text[i + 1]) : -1;
        int low = high >= 0 ? limberi_hex_digit(text[i + 2]) : -1;
        out[count++] = low >= 0 ? (uint8_t)(high * 16 + low) : (uint8_t)text[i];
        i += low >= 0 ? 2 : 0;
    }
    return count;
}

bool limberi_inside_settle(char* path) {
    size_t kept = 0;
    if (path[0] == '/')
        return false;
    for (const char* segment = path; segment;) {
        const char* slash = strchr(segment, '/');
        size_t length = slash ? (size_t)(slash - segment) : strlen(segment);
        bool up = length == 2 && memcmp(segment, "..", 2) == 0;
        bool stay = length == 0 || (length == 1 && segment[0] == '.');
        if ((up && !kept) || (!up && !stay && segment[0] == '.'))
            return false;
        while (up && kept && path[--kept] != '/')
            continue;
        if (!up && !stay) {
            kept += kept > 0; // the slash
            memmove(path + kept, segment, length);
            kept += length;
        }
        segment = slash ? slash + 1 : NULL;
        if (kept)
            path[kept] = segment ? '/' : 0;
    }
    return kept > 0;
}

bool limberi_inside_path(const char* uri, char* out) {
    size_t length = limberi_percent_decode(uri, (uint8_t*)out);
    out[length] = 0;
    bool whole = strlen(out) == length; // no character 0
    for (size_t i = 0; i < length; i++)
        out[i] = out[i] == '\\' ? '/' : out[i];
    bool has_scheme = uri[strcspn(uri, ":/?#")] == ':';
    return whole && !has_scheme && limberi_inside_settle(out);
}
