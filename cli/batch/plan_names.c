// Names of outputs from a template with fields such as {stem} and {style}.
#include "cli/batch/batch.h"

#include "base/buffer.h"
#include "cli/cli.h"
#include "io/file.h"

#include <string.h>

static const char* const fields[] = {"name", "clip", "style", "folder"};
enum { FIELD_COUNT = sizeof fields / sizeof *fields, MAX_NAME = 64 };

static const char* field_at(const void* user, size_t i) {
    (void)user;
    return fields[i];
}

// -1: none.
static int find_field(const char* name, size_t length) {
    for (int i = 0; i < FIELD_COUNT; i++)
        if (strlen(fields[i]) == length && strncmp(fields[i], name, length) == 0)
            return i;
    return -1;
}

static bool leaves_folder(const char* path) {
    for (const char* part = path; part; part = strchr(part, '/') ? strchr(part, '/') + 1 : NULL)
        if (strncmp(part, "..", 2) == 0 && (part[2] == '/' || !part[2]))
            return true;
    return *path == '/';
}

int batch_name_check(const char* pattern) {
    static const char* const endings[] = {".glb", ".gltf", ".usda", ".usdz", ".pc2", ".mdd"};
    bool known = false;
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++)
        known = known || cli_has_ending(pattern, endings[i]);
    if (!known)
        return cli_usage("a batch writes .glb, .gltf, .usda, .usdz, .pc2 or .mdd, not '%s'", pattern);
    if (leaves_folder(pattern))
        return cli_usage("the name of an output must stay in the folder, not '%s'", pattern);
    for (const char* at = strchr(pattern, '{'); at; at = strchr(at + 1, '{')) {
        char field[MAX_NAME];
        size_t length = strcspn(at + 1, "}");
        if (!at[1 + length])
            return cli_usage("'%s' has a '{' without '}'", pattern);
        limberi_format(field, sizeof field, "%s", at + 1);
        field[length < sizeof field ? length : sizeof field - 1] = 0;
        if (find_field(at + 1, length) < 0)
            return cli_usage("'%s': unknown field '{%s}'%s", pattern, field,
                             cli_did_you_mean(field, field_at, NULL, FIELD_COUNT));
    }
    return CLI_DONE;
}

// A clip may have any name; in the name of a file there are no folders and no control characters.
static void add_part(limberi_buffer* out, const char* text, bool folders) {
    bool dots = strcmp(text, "") == 0 || strcmp(text, ".") == 0 || strcmp(text, "..") == 0;
    if (dots && !folders) {
        limberi_buffer_add(out, "_");
        return;
    }
    for (; *text; text++)
        limberi_buffer_fill(
            out, (unsigned char)*text < 32 || *text == 127 || *text == '\\' || (*text == '/' && !folders) ? '_' : *text,
            1);
}

// No two slashes after each other, none at the beginning: {folder} may be empty.
static void tidy_slashes(char* path) {
    char* out = path;
    for (const char* in = path; *in; in++)
        if (*in != '/' || (out != path && out[-1] != '/'))
            *out++ = *in;
    *out = 0;
}

const char* batch_name(limberi_arena* arena, const char* pattern, const batch_names* names) {
    const char* const values[] = {names->name, names->clip, names->style, names->folder};
    limberi_buffer text = {0};
    for (const char* at = pattern; *at;) {
        int field = *at == '{' ? find_field(at + 1, strcspn(at + 1, "}")) : -1;
        if (field < 0) {
            limberi_buffer_fill(&text, *at++, 1);
            continue;
        }
        add_part(&text, values[field], field == 3);
        at = strchr(at, '}') + 1;
    }
    if (!text.failed)
        tidy_slashes(text.data);
    const char* out = text.failed ? NULL : limberi_arena_string(arena, text.data);
    limberi_buffer_free(&text);
    return out;
}

const char* batch_stem(limberi_arena* arena, const char* path) {
    char* stem = limberi_arena_string(arena, limberi_file_name(path));
    char* dot = stem ? strrchr(stem, '.') : NULL;
    if (dot && dot != stem)
        *dot = 0;
    return stem;
}
