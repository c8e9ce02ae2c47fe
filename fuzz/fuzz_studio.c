// Fuzzes what the studio makes of the text of a request: no path leads anywhere but down, and a name comes back from
// its own address.
#include "cli/studio/studio.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

static void check(bool holds) {
    if (!holds)
        abort();
}

static void check_name(const char* name) {
    char encoded[3 * 256], again[256];
    if (!studio_encode_name(name, encoded, sizeof encoded))
        return;
    check(!strpbrk(encoded, "/\\?#\"<> "));
    bool decoded = studio_decode_path(encoded, again, sizeof again);
    check(!decoded || strcmp(name, again) == 0);
}

static void check_path(const char* raw) {
    char out[256];
    if (!studio_decode_path(raw, out, sizeof out))
        return;
    check(out[0] && strlen(out) <= strlen(raw));
    check(out[0] != '/' && out[0] != '.' && out[strlen(out) - 1] != '/');
    check(!strstr(out, "//") && !strstr(out, "/.") && !strchr(out, '\\'));
    for (const char* c = out; *c; c++)
        check((unsigned char)*c >= 32 && *c != 127);
    if (!strchr(out, '/'))
        check_name(out);
}

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    static const char token[] = "0123456789abcdef0123456789abcdef";
    char* text = malloc(size + 1); // a separate block, so that a read too far is detected
    check(text != NULL);
    memcpy(text, data, size);
    text[size] = 0;
    check_path(text);
    check_name(text);
    const char* rest = studio_after_token(text, token);
    check(!rest || (strncmp(text + 1, token, STUDIO_TOKEN_LENGTH) == 0 && (!*rest || *rest == '/')));
    check(!studio_is_our_host(text, 8080) || strlen(text) == strlen("127.0.0.1:8080"));
    check(!studio_is_our_origin(text, 8080) || studio_is_our_host(text + strlen("http://"), 8080));
    check(strchr(studio_media_type(text), '/') != NULL);
    free(text);
    return 0;
}
