// Fingerprints: of files with all they refer to, and of jobs.
#include "cli/batch/batch.h"
#include "cli/cli.h"
#include "io/inside.h"
#include "io/known.h"
#include "io/system.h"
#include "text/json.h"

#include <stdlib.h>
#include <string.h>

typedef struct batch_file {
    char hash[BATCH_HASH_CHARS];
    bool read; // false: it could not be
    uint64_t bytes;
    char path[];
} batch_file;

enum { PIECE = 1 << 16 };

static const uint64_t max_bytes = (uint64_t)8 << 30;
static const uint32_t glb_magic = 0x46546c67u;
static const uint32_t json_chunk = 0x4e4f534au;

// --- what a glTF refers to ---

// The JSON of a .glb or .gltf; nothing when it is neither.
static limberi_bytes json_of(limberi_bytes file) {
    limberi_bytes none = {NULL, 0};
    if (file.size < 4 || limberi_little_endian(file.data) != glb_magic)
        return file;
    uint32_t length = file.size >= 20 ? limberi_little_endian(file.data + 12) : 0;
    if (!length || length > file.size - 20 || limberi_little_endian(file.data + 16) != json_chunk)
        return none;
    none.data = file.data + 20;
    none.size = length;
    return none;
}

typedef struct reference_visit {
    const char* folder;
    limberi_arena* arena;
    limberi_known seen;
    batch_visit each;
    void* user;
} reference_visit;

// What leads out of the folder is not opened, as in the reader.
static bool visit_list(reference_visit* v, const limberi_json* list) {
    for (uint32_t i = 0; i < limberi_json_count(list); i++) {
        const char* uri = limberi_json_as_text(limberi_json_get(limberi_json_at(list, i), "uri"));
        if (!uri || strncmp(uri, "data:", 5) == 0)
            continue;
        char* path = limberi_arena_allocate(v->arena, strlen(uri) + 1, 1);
        if (!path)
            return false;
        if (!limberi_inside_path(uri, path) || limberi_known_get(&v->seen, path))
            continue;
        limberi_known_set(&v->seen, path, 1);
        const batch_part part = {v->folder, path, {NULL, 0}};
        if (!v->each(v->user, &part))
            return false;
    }
    return true;
}

// A glTF that cannot be parsed refers to nothing: whoever loads it says what is wrong.
static bool visit_references(reference_visit* v, limberi_bytes file) {
    limberi_json_document json;
    limberi_bytes text = json_of(file);
    limberi_json_rules rules = limberi_json_rules_exact();
    rules.byte_count = rules.byte_count > text.size ? rules.byte_count : text.size;
    if (!text.size || limberi_json_read((const char*)text.data, text.size, &rules, &json, NULL) != LIMBER_OK)
        return true;
    bool done =
        visit_list(v, limberi_json_get(json.root, "buffers")) && visit_list(v, limberi_json_get(json.root, "images"));
    limberi_json_free(&json);
    return limberi_known_free(&v->seen) && done;
}

bool batch_each_file(const char* path, batch_visit each, void* user) {
    limberi_arena arena = {NULL, false};
    batch_part whole = {NULL, path, {NULL, 0}};
    reference_visit visit = {.folder = limberi_file_folder(&arena, path), .arena = &arena, .each = each, .user = user};
    bool gltf = cli_has_ending(path, ".glb") || cli_has_ending(path, ".gltf") || cli_has_ending(path, ".vrm");
    if (gltf && limberi_file_read_plain(path, max_bytes, &arena, &whole.bytes, NULL) != LIMBER_OK)
        gltf = false;
    bool done = visit.folder && each(user, &whole) && (!gltf || visit_references(&visit, whole.bytes));
    limberi_arena_free(&arena);
    return done;
}

int batch_open(const batch_part* part) {
    return part->folder ? limberi_system_open_below(part->folder, part->path) : limberi_system_open_plain(part->path);
}

// --- fingerprints of files ---

static bool hash_bytes(batch_hash* hash, const batch_part* part, uint64_t* bytes) {
    static uint8_t piece[PIECE];
    int descriptor = part->bytes.data ? -1 : batch_open(part);
    if (part->bytes.data) {
        batch_hash_add(hash, part->bytes.data, part->bytes.size);
        *bytes = part->bytes.size;
        return true;
    }
    if (descriptor < 0)
        return false;
    int64_t got = 1;
    if (limberi_system_kind_of(descriptor, bytes) != LIMBERI_KIND_FILE)
        got = -1;
    while (got > 0) {
        got = limberi_system_read(descriptor, piece, sizeof piece);
        if (got > 0)
            batch_hash_add(hash, piece, (size_t)got);
    }
    limberi_system_close(descriptor);
    return got == 0;
}

typedef struct hash_visit {
    batch_hash hash;
    uint64_t bytes;
    uint32_t missing, count;
} hash_visit;

// A picture that is not there is part of the fingerprint, too: it may come back.
static bool hash_one(void* user, const batch_part* part) {
    hash_visit* visit = user;
    uint64_t bytes = 0;
    bool there = hash_bytes(&visit->hash, part, &bytes);
    batch_hash_text(&visit->hash, there ? "file" : "missing");
    visit->bytes += bytes;
    visit->missing += !there && !visit->count; // the first is the file itself
    visit->count++;
    return true;
}

static uint64_t place_of(const char* path, uint32_t slot_count) {
    batch_hash hash;
    batch_hash_start(&hash);
    batch_hash_text(&hash, path);
    return (hash.lanes[0] ^ hash.lanes[1] ^ hash.lanes[2] ^ hash.lanes[3] ^ limberi_little_endian(hash.waiting)) %
           (slot_count ? slot_count : 1);
}

static void put_slot(batch_files* files, batch_file* file) {
    uint64_t i = place_of(file->path, files->slot_count);
    while (files->slots[i])
        i = (i + 1) % files->slot_count;
    files->slots[i] = file;
}

static bool grow_slots(batch_files* files) {
    if (2 * (files->count + 1) <= files->slot_count)
        return true;
    batch_files old = *files;
    files->slot_count = old.slot_count ? 2 * old.slot_count : 64;
    files->slots = calloc(files->slot_count, sizeof(batch_file*));
    if (!files->slots) {
        *files = old;
        return false;
    }
    for (uint32_t i = 0; i < old.slot_count; i++)
        if (old.slots[i])
            put_slot(files, old.slots[i]);
    free(old.slots);
    return true;
}

static batch_file* find_file(const batch_files* files, const char* path) {
    for (uint64_t i = place_of(path, files->slot_count); files->slot_count && files->slots[i];
         i = (i + 1) % files->slot_count)
        if (strcmp(files->slots[i]->path, path) == 0)
            return files->slots[i];
    return NULL;
}

// Of a file and all that a glTF refers to; *bytes of all of them. False: it cannot be read.
static bool hash_files(batch_files* files, const char* path, char out[BATCH_HASH_CHARS], uint64_t* bytes) {
    batch_file* file = find_file(files, path);
    if (!file) {
        hash_visit visit = {.bytes = 0};
        file = limberi_arena_allocate(&files->arena, sizeof *file + strlen(path) + 1, 1);
        if (!file || !grow_slots(files))
            return false;
        memcpy(file->path, path, strlen(path) + 1);
        batch_hash_start(&visit.hash);
        file->read = batch_each_file(path, hash_one, &visit) && !visit.missing;
        file->bytes = visit.bytes;
        batch_hash_end(&visit.hash, file->hash);
        put_slot(files, file);
        files->count++;
    }
    memcpy(out, file->hash, BATCH_HASH_CHARS);
    *bytes = file->bytes;
    return file->read;
}

void batch_files_free(batch_files* files) {
    free(files->slots);
    limberi_arena_free(&files->arena);
    memset(files, 0, sizeof *files);
}

// --- fingerprints of jobs ---

static const char* ending_of(const char* path) {
    const char* dot = strrchr(path, '.');
    return dot ? dot : "";
}

static bool add_file(batch_files* files, batch_hash* hash, const char* path, uint64_t* bytes) {
    char text[BATCH_HASH_CHARS];
    bool read = hash_files(files, path, text, bytes);
    batch_hash_text(hash, read ? text : "unreadable");
    return read;
}

// A preset is known by its text, so that it counts as changed when a new version of limber changes it.
static bool add_style(batch_files* files, batch_hash* hash, const char* name) {
    const limber_preset* preset = limber_preset_find(name);
    uint64_t bytes;
    if (!preset)
        return add_file(files, hash, name, &bytes);
    batch_hash_text(hash, preset->text);
    return true;
}

// FILE#CLIP@A:B: the bytes of the file, and what follows its name.
static bool add_motion(batch_files* files, batch_hash* hash, const char* text) {
    size_t length = cli_motion_file(text);
    uint64_t bytes;
    char* path = malloc(length + 1);
    if (!path)
        return false;
    memcpy(path, text, length);
    path[length] = 0;
    bool read = add_file(files, hash, path, &bytes);
    batch_hash_text(hash, ending_of(path));
    batch_hash_text(hash, text + length);
    free(path);
    return read;
}

bool batch_key(batch_files* files, uint32_t count, const char* const* words, char out[BATCH_HASH_CHARS],
               uint64_t* input_bytes) {
    static const char* const elsewhere[] = {"--stamp", "--threads", NULL}; // with a value, of no influence
    batch_hash hash;
    batch_hash_start(&hash);
    batch_hash_text(&hash, limber_version());
    batch_hash_text(&hash, ending_of(words[1]));
    bool read = add_file(files, &hash, words[1], input_bytes);
    for (uint32_t i = 2; i < count; i++) {
        bool valued = i + 1 < count;
        if (valued && batch_is_among(words[i], elsewhere)) {
            i++;
        } else if (valued && strcmp(words[i], "-o") == 0) {
            batch_hash_text(&hash, ending_of(words[++i]));
        } else if (valued && strcmp(words[i], "--style") == 0) {
            batch_hash_text(&hash, words[i]);
            read = add_style(files, &hash, words[++i]) && read;
        } else if (valued && strcmp(words[i], "--motion") == 0) {
            batch_hash_text(&hash, words[i]);
            read = add_motion(files, &hash, words[++i]) && read;
        } else if (strcmp(words[i], "--quiet") != 0) {
            batch_hash_text(&hash, words[i]);
        }
    }
    batch_hash_end(&hash, out);
    return read;
}
