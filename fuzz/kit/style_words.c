// The mutator of fuzzers that read styles: keys and words of the table, dropped in anywhere.
#include <limber/stages/keys.h>
#include <stdint.h>
#include <string.h>

size_t LLVMFuzzerMutate(uint8_t* data, size_t size, size_t max_size);
size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t max_size, unsigned int seed);

// Last keys of paths, quoted, and pieces of JSON.
static size_t pick_token(uint32_t random, char* out, size_t size) {
    static const char* const pieces[] = {"{",
                                         "}",
                                         "[0,1,0]",
                                         ":",
                                         ",",
                                         "0.5",
                                         "-1",
                                         "\"auto\"",
                                         "true",
                                         "\"*\":",
                                         "\"Head\":",
                                         "\"Leg*\":",
                                         "\"Skirt\"",
                                         "\"0.4 * height\"",
                                         "\"paint.ears\"",
                                         "\"effects\":{",
                                         "\"joints\":{",
                                         "\"floppy\":{",
                                         "\"lift\":{",
                                         "\"filter\":{",
                                         "\"cone\":{",
                                         "\"spring\"",
                                         "[\"stretch\"]",
                                         "//\n",
                                         "/**/",
                                         "\"velocity\":{",
                                         "1e9"};
    uint32_t count = sizeof pieces / sizeof pieces[0], keys = limber_key_count(), at = random % (count + keys);
    const char* text = at < count ? pieces[at] : limber_key_at(at - count)->path;
    const char* dot = at < count || random >> 30 == 0 ? NULL : strrchr(text, '.');
    text = dot ? dot + 1 : text;
    size_t length = strlen(text);
    bool quoted = at >= count;
    if (length + 4 > size)
        return 0;
    memcpy(out + quoted, text, length);
    if (!quoted)
        return length;
    out[0] = '"';
    memcpy(out + 1 + length, "\":", 2);
    return length + 3;
}

size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t max_size, unsigned int seed) {
    uint32_t random = seed * 2654435761u + 12345u;
    char token[96];
    size_t length = random >> 29 < 4 ? pick_token(random >> 3, token, sizeof token) : 0;
    if (!length || size + length > max_size)
        return LLVMFuzzerMutate(data, size, max_size);
    size_t at = size ? (random ^ random >> 16) % (size + 1) : 0;
    memmove(data + at + length, data + at, size - at);
    memcpy(data + at, token, length);
    return size + length;
}
