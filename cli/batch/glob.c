// Names with wildcards: *, ?, [a-z], and ** for any number of folders.
#include "cli/batch/batch.h"
#include "io/system.h"

#include <dirent.h>
#include <string.h>
#include <sys/stat.h>

enum { DEEPEST = 64 };

typedef struct search {
    limberi_arena* arena;
    batch_words* out;
} search;

static bool walk(const search* s, const char* folder, const char* rest, int depth);

static bool is_folder(const char* path, bool through_links) {
    struct stat status;
    int found = through_links ? stat(path, &status) : lstat(path, &status);
    return found == 0 && S_ISDIR(status.st_mode);
}

static bool list_folder(const search* s, const char* folder, batch_words* names) {
    DIR* stream = opendir(*folder ? folder : ".");
    bool done = true;
    if (!stream)
        return true; // not there, or not for us: nothing matches
    for (struct dirent* entry; done && (entry = readdir(stream));)
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
            done = batch_words_add(names, s->arena, entry->d_name);
    closedir(stream);
    batch_words_sort(names);
    return done;
}

// `path` is complete, or a folder in which `rest` of the pattern goes on.
static bool step(const search* s, const char* path, const char* rest, int depth) {
    if (!*rest)
        return limberi_system_kind(path) != LIMBERI_KIND_FILE || batch_words_add(s->out, s->arena, path);
    char* folder = batch_join(s->arena, path, "/", "");
    return folder && (!is_folder(path, true) || walk(s, folder, rest, depth + 1));
}

static bool walk_all(const search* s, const char* folder, const char* pattern, const char* rest, int depth) {
    batch_words names = {NULL, 0, 0};
    bool any = strcmp(pattern, "**") == 0;
    bool done = list_folder(s, folder, &names);
    if (done && any && *rest)
        done = walk(s, folder, rest, depth); // ** also means no folder at all
    if (!done)
        return false;
    for (uint32_t i = 0; i < names.count; i++) {
        const char* name = names.items[i];
        char* path = batch_join(s->arena, folder, name, "");
        if (!path)
            return false;
        if (any && *name != '.' && is_folder(path, false)) {
            char* below = batch_join(s->arena, path, "/**/", *rest ? rest : "*");
            if (!below || !walk(s, batch_join(s->arena, path, "/", ""), below + strlen(path) + 1, depth + 1))
                return false;
        } else if (!any && (*name != '.' || *pattern == '.') && batch_matches(pattern, name)) {
            if (!step(s, path, rest, depth))
                return false;
        }
    }
    return true;
}

static bool walk(const search* s, const char* folder, const char* rest, int depth) {
    if (depth > DEEPEST || !folder)
        return folder != NULL;
    size_t length = strcspn(rest, "/");
    char* part = limberi_arena_copy(s->arena, rest, length + 1, 1);
    if (!part)
        return false;
    part[length] = 0;
    const char* next = rest + length;
    while (*next == '/')
        next++;
    if (strcmp(part, "**") == 0 && !*next)
        next = "*";
    if (batch_has_wildcards(part))
        return walk_all(s, folder, part, next, depth);
    char* path = batch_join(s->arena, folder, part, "");
    return path && step(s, path, next, depth);
}

bool batch_glob(const char* pattern, limberi_arena* arena, batch_words* out) {
    batch_words found = {NULL, 0, 0};
    search s = {arena, &found};
    const char* rest = pattern;
    while (*rest == '/')
        rest++;
    if (!walk(&s, *pattern == '/' ? "/" : "", rest, 0))
        return false;
    batch_words_sort(&found);
    for (uint32_t i = 0; i < found.count; i++)
        if (!batch_words_add(out, arena, found.items[i]))
            return false;
    return true;
}
