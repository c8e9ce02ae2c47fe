// Spaces around numbers and words of a Collada file, which XML allows and Assimp stumbles over: a unit of " 0.01 " or an
// axis of " Z_UP " is not understood there, without an error.
#include "cli/import/scene.h"

#include <string.h>

typedef struct trimmer {
    const char *at, *end;
    char* out;
} trimmer;

static bool is_space(char c) {
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

static bool starts(const trimmer* t, const char* word) {
    size_t length = strlen(word);
    return (size_t)(t->end - t->at) >= length && memcmp(t->at, word, length) == 0;
}

// Up to a character (which stays for the next call), without spaces at both ends.
static void copy_trimmed(trimmer* t, char until) {
    while (t->at < t->end && is_space(*t->at))
        t->at++;
    char* first = t->out;
    while (t->at < t->end && *t->at != until)
        *t->out++ = *t->at++;
    while (t->out > first && is_space(t->out[-1]))
        t->out--;
}

static void copy_one(trimmer* t) {
    if (t->at < t->end)
        *t->out++ = *t->at++;
}

// To the end of a word, or of the file.
static void pass(trimmer* t, const char* word, bool copies) {
    while (t->at < t->end && !starts(t, word)) {
        if (copies)
            *t->out++ = *t->at;
        t->at++;
    }
    for (size_t i = 0; word[i] && t->at < t->end; i++, t->at++)
        if (copies)
            *t->out++ = *t->at;
}

static void copy_tag(trimmer* t) {
    while (t->at < t->end && *t->at != '>') {
        char quote = *t->at;
        copy_one(t);
        if (quote != '"' && quote != '\'')
            continue;
        copy_trimmed(t, quote);
        copy_one(t);
    }
    copy_one(t);
}

size_t import_trim_collada(char* text, size_t size) {
    trimmer t = {text, text + size, text};
    while (t.at < t.end) {
        copy_trimmed(&t, '<');
        if (starts(&t, "<!--"))
            pass(&t, "-->", false);
        else if (starts(&t, "<![CDATA["))
            pass(&t, "]]>", true);
        else
            copy_tag(&t);
    }
    return (size_t)(t.out - text);
}
