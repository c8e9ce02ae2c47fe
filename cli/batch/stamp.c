// What makes an output up to date.
#include "cli/batch/batch.h"

#include "cli/report.h"
#include "io/file.h"
#include "io/file_write.h"
#include "io/inside.h"
#include "io/system.h"
#include "text/json_write.h"

#include <limber/limber.h>
#include <stdlib.h>
#include <string.h>
#ifndef _WIN32
#include <sys/resource.h>
#endif

enum { MAX_STAMP_BYTES = 1 << 20 };

static uint64_t peak_bytes(void) {
    uint64_t peak = 0;
#ifndef _WIN32
    struct rusage self, children;
    if (getrusage(RUSAGE_SELF, &self) == 0 && getrusage(RUSAGE_CHILDREN, &children) == 0)
        peak = (uint64_t)(self.ru_maxrss > children.ru_maxrss ? self.ru_maxrss : children.ru_maxrss);
#endif
    return 1024 * peak;
}

static uint64_t bytes_of(const batch_part* part) {
    uint64_t bytes = 0;
    int descriptor = batch_open(part);
    if (descriptor < 0)
        return 0;
    (void)limberi_system_kind_of(descriptor, &bytes);
    limberi_system_close(descriptor);
    return bytes;
}

typedef struct size_visit {
    limberi_json_writer* writer;
    uint64_t bytes;
} size_visit;

// Names in the stamp are those below the folder of the output.
static bool write_size(void* user, const batch_part* part) {
    size_visit* visit = user;
    uint64_t bytes = bytes_of(part);
    visit->bytes += bytes;
    limberi_json_open(visit->writer, '{');
    cli_report_text(visit->writer, "name", part->folder ? part->path : limberi_file_name(part->path));
    cli_report_integer(visit->writer, "bytes", (int64_t)bytes);
    limberi_json_close(visit->writer, '}');
    return true;
}

static limber_result save(const char* path, limberi_buffer* text, limber_error* error) {
    limberi_file file;
    limber_result result = text->failed ? limberi_fail_memory(error) : limberi_file_open(&file, path, error);
    if (!result) {
        limberi_file_put(&file, text->data, text->length);
        result = limberi_file_commit(&file, error);
    }
    limberi_buffer_free(text);
    return result;
}

limber_result batch_stamp_begin(const char* path, const char* output, limber_error* error) {
    limberi_buffer text = {0};
    limberi_json_writer w = {.out = &text, .indent = 2};
    limberi_json_open(&w, '{');
    cli_report_text(&w, "limber", limber_version());
    cli_report_text(&w, "output", limberi_file_name(output));
    cli_report_switch(&w, "begun", true);
    limberi_json_close(&w, '}');
    return save(path, &text, error);
}

limber_result batch_stamp_end(const char* path, const char* output, const char* key, double seconds,
                              limber_error* error) {
    limberi_buffer text = {0};
    limberi_json_writer w = {.out = &text, .indent = 2};
    size_visit visit = {&w, 0};
    const batch_part whole = {NULL, output, {NULL, 0}};
    limberi_json_open(&w, '{');
    cli_report_text(&w, "limber", limber_version());
    cli_report_text(&w, "output", limberi_file_name(output));
    cli_report_text(&w, "key", key);
    cli_report_open(&w, "files", '[');
    if (limberi_file_has_ending(output, ".gltf"))
        (void)batch_each_file(output, write_size, &visit);
    else
        (void)write_size(&visit, &whole);
    limberi_json_close(&w, ']');
    cli_report_integer(&w, "bytes", (int64_t)visit.bytes);
    cli_report_real(&w, "seconds", seconds);
    cli_report_integer(&w, "peak_bytes", (int64_t)peak_bytes());
    limberi_json_close(&w, '}');
    return save(path, &text, error);
}

// Files lie beside the output or below its folder; a glTF cannot refer to others, and a stamp is a file like any other.
static bool are_there(const limberi_json* files, const char* output, limberi_arena* arena) {
    const char* folder = limberi_file_folder(arena, output);
    for (uint32_t i = 0; folder && i < limberi_json_count(files); i++) {
        const limberi_json* file = limberi_json_at(files, i);
        const char* name = limberi_json_as_text(limberi_json_get(file, "name"));
        char* path = name ? limberi_arena_string(arena, name) : NULL;
        batch_part part = {i ? folder : NULL, i ? path : output, {NULL, 0}};
        if (i && (!path || !limberi_inside_settle(path)))
            return false;
        int descriptor = batch_open(&part);
        uint64_t bytes = 0;
        bool plain = descriptor >= 0 && limberi_system_kind_of(descriptor, &bytes) == LIMBERI_KIND_FILE;
        if (descriptor >= 0)
            limberi_system_close(descriptor);
        if (!plain || (int64_t)bytes != limberi_json_as_integer(limberi_json_get(file, "bytes")))
            return false;
    }
    return folder && limberi_json_count(files) > 0;
}

batch_stamp batch_stamp_read(const char* path, const char* output) {
    batch_stamp stamp = {.found = false};
    limberi_arena arena = {NULL, false};
    limberi_bytes bytes;
    limberi_json_document json;
    if (limberi_file_read_plain(path, MAX_STAMP_BYTES, &arena, &bytes, NULL) == LIMBER_OK) {
        stamp.found = true;
        if (limberi_json_read((const char*)bytes.data, bytes.size, NULL, &json, NULL) == LIMBER_OK) {
            const char* key = limberi_json_as_text(limberi_json_get(json.root, "key"));
            if (key && strlen(key) == BATCH_HASH_CHARS - 1)
                memcpy(stamp.key, key, BATCH_HASH_CHARS);
            stamp.seconds = limberi_json_as_number(limberi_json_get(json.root, "seconds"));
            stamp.bytes = (uint64_t)limberi_json_as_integer(limberi_json_get(json.root, "bytes"));
            stamp.peak_bytes = (uint64_t)limberi_json_as_integer(limberi_json_get(json.root, "peak_bytes"));
            stamp.whole = stamp.key[0] && are_there(limberi_json_get(json.root, "files"), output, &arena);
            limberi_json_free(&json);
        }
    }
    limberi_arena_free(&arena);
    return stamp;
}
