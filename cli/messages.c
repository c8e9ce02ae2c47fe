// What the program says on stderr: errors, warnings, suggestions; names are made harmless first.
#include "cli/cli.h"
#include "io/file.h"
#include "io/system.h"
#include "text/json.h"
#include "text/text.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static bool is_quiet, is_silent;

const char* cli_harmless(const char* text, char part[4]) {
    int length = *text ? limberi_utf8_length(text, text + strnlen(text, 4)) : 0;
    if (!*text)
        return NULL;
    memset(part, 0, 4);
    if (length && !limberi_utf8_steers(limberi_utf8_number(text, length)))
        memcpy(part, text, (size_t)length);
    else
        part[0] = '?';
    return text + (length ? length : 1);
}

static void put_harmless(const char* text, bool lines) {
    char part[4];
    for (const char* next; (next = cli_harmless(text, part)) != NULL; text = next)
        if (lines && *text == '\n')
            fputc('\n', stderr);
        else
            fwrite(part, 1, strnlen(part, sizeof part), stderr);
}

void cli_be_quiet(bool quiet) {
    is_quiet = quiet;
}

void cli_be_silent(bool silent) {
    is_silent = silent;
}

// Whatever names hold, a message stays one line.
static void say(const char* subject, const char* kind, const char* format, va_list arguments) {
    char message[1024];
    char line[2048];
    if (is_silent)
        return;
    vsnprintf(message, sizeof message, format, arguments);
    snprintf(line, sizeof line, "limber: %s%s%s%s", subject ? subject : "", subject ? ": " : "", kind, message);
    put_harmless(line, false);
    fputc('\n', stderr);
}

int cli_usage(const char* format, ...) {
    va_list arguments;
    va_start(arguments, format);
    say(NULL, "", format, arguments);
    va_end(arguments);
    return CLI_USAGE;
}

int cli_fail(const char* subject, const char* format, ...) {
    va_list arguments;
    va_start(arguments, format);
    say(subject, "", format, arguments);
    va_end(arguments);
    return CLI_FAILED;
}

void cli_warn(const char* subject, const char* format, ...) {
    va_list arguments;
    va_start(arguments, format);
    if (!is_quiet)
        say(subject, "warning: ", format, arguments);
    va_end(arguments);
}

void cli_tell(const char* subject, const char* format, ...) {
    va_list arguments;
    va_start(arguments, format);
    if (!is_quiet)
        say(subject, "", format, arguments);
    va_end(arguments);
}

int cli_fail_memory(const char* subject) {
    return cli_fail(subject, "not enough memory");
}

// The place of an error in a file begins with the file, which is often the subject.
static const char* place_in(const char* subject, const char* place) {
    size_t length = subject ? strlen(subject) : 0;
    if (!length || strncmp(place, subject, length) != 0)
        return place;
    if (strncmp(place + length, ": ", 2) == 0)
        return place + length + 2;
    return place[length] ? place : "";
}

int cli_fail_error(const char* subject, const limber_error* error) {
    const char* place = place_in(subject, error->place);
    if (place[0])
        cli_fail(subject, "%s: %s", place, error->message);
    else
        cli_fail(subject, "%s", error->message);
    if (error->detail[0] && !is_silent) {
        put_harmless(error->detail, true);
        fputc('\n', stderr);
    }
    return CLI_FAILED;
}

const char* cli_did_you_mean(const char* wrong, const char* (*name_at)(const void* user, size_t i), const void* user,
                             size_t count) {
    static char text[160];
    const char* best = limberi_suggest(wrong, name_at, user, count);
    text[0] = 0;
    if (best)
        snprintf(text, sizeof text, "; did you mean '%s'?", best);
    return text;
}

static const char* clip_name_at(const void* user, size_t i) {
    const limber_model* model = user;
    return model->clips[i].name;
}

int cli_find_clip(const char* subject, const limber_model* model, const char* text, uint32_t* clip) {
    int32_t found = limber_model_find_clip(model, text);
    char* end;
    unsigned long index = strtoul(text, &end, 10);
    if (found < 0 && limberi_is_digit(*text) && !*end && index < model->clip_count)
        found = (int32_t)index;
    if (found < 0 && !model->clip_count)
        return cli_fail(subject, "has no clip '%s': it has no clips at all", text);
    if (found < 0)
        return cli_fail(subject, "has no clip '%s'%s", text,
                        cli_did_you_mean(text, clip_name_at, model, model->clip_count));
    *clip = (uint32_t)found;
    return CLI_DONE;
}

bool cli_has_ending(const char* path, const char* ending) {
    return limberi_file_has_ending(path, ending);
}

double cli_now_s(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

cli_progress cli_progress_start(const char* what, bool quiet) {
    return (cli_progress){what, quiet || !isatty(2), cli_now_s(), false};
}

bool cli_progress_step(void* user, uint32_t done, uint32_t total) {
    cli_progress* progress = user;
    if (progress->quiet || cli_now_s() - progress->started_s < 0.5)
        return true;
    progress->shown = true;
    fprintf(stderr, "\r%s %u of %u", progress->what, done + 1, total);
    return true;
}

void cli_progress_end(cli_progress* progress) {
    if (progress->shown)
        fprintf(stderr, "\r\033[K");
}

const char* cli_bytes(double bytes) {
    static char text[32];
    if (bytes < 1e3)
        snprintf(text, sizeof text, "%.0f bytes", bytes);
    else if (bytes < 1e6)
        snprintf(text, sizeof text, "%.0f kB", bytes / 1e3);
    else if (bytes < 1e9)
        snprintf(text, sizeof text, "%.1f MB", bytes / 1e6);
    else
        snprintf(text, sizeof text, "%.2f GB", bytes / 1e9);
    return text;
}

// 0 for a folder.
static double file_bytes(const char* path) {
    uint64_t bytes = 0;
    int descriptor = limberi_system_open(path);
    if (descriptor >= 0) {
        if (limberi_system_kind_of(descriptor, &bytes) != LIMBERI_KIND_FILE)
            bytes = 0;
        limberi_system_close(descriptor);
    }
    return (double)bytes;
}

// Of the bytes beside a .gltf, whatever their file is called.
static double binary_bytes(const char* path) {
    limberi_arena arena = {0};
    limberi_bytes text;
    limberi_json_document json;
    double bytes = 0;
    if (limberi_file_read(path, UINT32_MAX, &arena, &text, NULL) == LIMBER_OK &&
        limberi_json_read((const char*)text.data, text.size, NULL, &json, NULL) == LIMBER_OK) {
        const limberi_json* first = limberi_json_at(limberi_json_get(json.root, "buffers"), 0);
        bytes = first ? limberi_json_as_number(limberi_json_get(first, "byteLength")) : 0;
        limberi_json_free(&json);
    }
    limberi_arena_free(&arena);
    return bytes;
}

void cli_tell_written(const char* path, const char* what, double started_s) {
    if (is_quiet)
        return;
    double bytes = file_bytes(path) + (cli_has_ending(path, ".gltf") ? binary_bytes(path) : 0);
    if (bytes > 0)
        cli_tell(path, "%s%s%s, %.1f s", what, *what ? ", " : "", cli_bytes(bytes), cli_now_s() - started_s);
    else // several files
        cli_tell(path, "%s%s%.1f s", what, *what ? ", " : "", cli_now_s() - started_s);
}
