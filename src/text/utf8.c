// UTF-8: which bytes are characters.
#include "text/text.h"

int limberi_utf8_length(const char* p, const char* end) {
    const unsigned char* c = (const unsigned char*)p;
    int length = 2 + (c[0] >= 0xE0) + (c[0] >= 0xF0);
    if (c[0] < 0x80)
        return 1;
    if (c[0] < 0xC2 || c[0] > 0xF4 || end - p < length)
        return 0;
    for (int i = 1; i < length; i++)
        if ((c[i] & 0xC0) != 0x80)
            return 0;
    bool too_long = (c[0] == 0xE0 && c[1] < 0xA0) || (c[0] == 0xF0 && c[1] < 0x90);
    bool beyond = (c[0] == 0xED && c[1] > 0x9F) || (c[0] == 0xF4 && c[1] > 0x8F);
    return too_long || beyond ? 0 : length;
}

uint32_t limberi_utf8_number(const char* p, int length) {
    const unsigned char* c = (const unsigned char*)p;
    uint32_t number = length == 1 ? c[0] : c[0] & (0x7Fu >> length);
    for (int i = 1; i < length; i++)
        number = number << 6 | (c[i] & 0x3Fu);
    return number;
}

// Control characters of both kinds, marks and isolates of the bidirectional algorithm (UAX #9), line separators.
bool limberi_utf8_steers(uint32_t n) {
    return n < 0x20 || (n >= 0x7F && n < 0xA0) || n == 0x61C || n == 0x200E || n == 0x200F ||
           (n >= 0x2028 && n <= 0x202E) || (n >= 0x2066 && n <= 0x2069);
}

bool limberi_utf8_is_valid(const char* text, size_t length) {
    const char* end = text + length;
    for (int step; text < end; text += step) {
        step = limberi_utf8_length(text, end);
        if (!step)
            return false;
    }
    return true;
}
