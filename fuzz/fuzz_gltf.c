// Fuzzes the glTF reader: any bytes in, an error or a character out, and a character that loads can be posed and
// skinned.
//
// Plain mutation of bytes rarely gets past the container and the JSON parser. The mutator below knows both: it changes
// values of the tree, or bytes of either chunk, and writes a container with correct lengths.
#include "base/error.h"
#include "text/json_write.h"

#include <limber/limber.h>
#include <limber/stages/stages.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);
size_t LLVMFuzzerMutate(uint8_t* data, size_t size, size_t max_size);
size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t max_size, unsigned int seed);

static void check(bool holds) {
    if (!holds)
        abort();
}

static void skin_all(const limber_model* model, const limber_pose* pose) {
    for (uint32_t m = 0; m < model->mesh_count; m++) {
        const limber_mesh* mesh = &model->meshes[m];
        const limber_skin* skin = &model->skins[mesh->skin];
        limber_mat4* palette = calloc(skin->joint_count, sizeof *palette);
        float* positions = calloc(3 * (size_t)mesh->vertex_count, sizeof *positions);
        check(palette && positions);
        limber_skin_palette(skin, pose, palette);
        limber_skin_job job = limber_skin_job_default();
        job.mesh = mesh;
        job.palette = palette;
        job.palette_count = skin->joint_count;
        job.out_positions = positions;
        check(limber_skin_evaluate(&job) == LIMBER_OK);
        free(palette);
        free(positions);
    }
}

static void use(const limber_model* model) {
    limber_pose pose;
    check(limber_pose_create(model, &pose) == LIMBER_OK);
    limber_pose_rest(model, &pose);
    limber_pose_update_world(model, &pose);
    for (uint32_t c = 0; c < model->clip_count && c < 4; c++) {
        const limber_clip* clip = &model->clips[c];
        check(isfinite(clip->start_s) && isfinite(clip->end_s));
        for (int i = 0; i <= 4; i++) {
            limber_clip_sample(model, clip, clip->start_s + 0.25 * i * (clip->end_s - clip->start_s), &pose);
            limber_pose_update_world(model, &pose);
        }
    }
    skin_all(model, &pose);
    limber_pose_destroy(&pose);
}

static char folder[] = "/tmp/limber-fuzz-XXXXXX", path[sizeof folder + 8];

static void clean_up(void) {
    remove(path);
    remove(folder);
}

// The tree still holds whatever limber did not need and so did not check; the writer has to live with it.
static void write_back(const limber_gltf* gltf) {
    limber_gltf_edits edits = limber_gltf_edits_default();
    limber_error error;
    limber_gltf* again;
    if (!path[0]) {
        check(mkdtemp(folder) != NULL);
        limberi_format(path, sizeof path, "%s/o.glb", folder);
        atexit(clean_up);
    }
    edits.style = "{\"limber\": 1}";
    if (limber_gltf_save_file(gltf, &edits, path, &error) != LIMBER_OK) {
        check(error.message[0] != 0);
        return;
    }
    if (limber_gltf_load_file(path, NULL, &again, &error) == LIMBER_OK)
        limber_gltf_destroy(again);
}

// In place of a decoder: what matters is where the reader lets it write.
static bool unpack(const limber_gltf_packed* packed) {
    memset(packed->out, packed->byte_count ? packed->bytes[0] : 0, packed->count * packed->stride);
    return packed->byte_count % 2 == 0;
}

static bool unpack_mesh(const limber_gltf_packed_mesh* packed) {
    uint8_t byte = packed->byte_count ? packed->bytes[0] : 0;
    for (uint32_t i = 0; i < packed->index_count; i++)
        packed->indices[i] = i % (1u + byte);
    for (uint32_t i = 0; i < packed->attribute_count; i++)
        memset(packed->attributes[i].out, byte, (size_t)packed->vertex_count * packed->attributes[i].stride);
    return packed->byte_count % 2 == 0;
}

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    const limber_gltf_limits limits = {sizeof limits, 1 << 20, 500, 5000, 20000, unpack, unpack_mesh};
    limber_gltf* gltf;
    limber_error error;
    limber_result result = limber_gltf_load_memory(data, size, NULL, &limits, &gltf, &error);
    check((result == LIMBER_OK) == (gltf != NULL));
    if (result != LIMBER_OK) {
        check(error.result == result && error.message[0] && !strpbrk(error.message, "\r\n") &&
              !strpbrk(error.place, "\r\n"));
        return 0;
    }
    for (uint32_t i = 0; i < limber_gltf_warning_count(gltf); i++)
        check(limber_gltf_warning(gltf, i)[0] != 0);
    use(limber_asset_model(limber_gltf_asset(gltf)));
    write_back(gltf);
    limber_gltf_destroy(gltf);
    return 0;
}

// --- the mutator ---

static uint64_t random_state;

static uint32_t random_below(size_t end) {
    random_state = random_state * 6364136223846793005u + 1442695040888963407u;
    return end ? (uint32_t)((random_state >> 33) % end) : 0;
}

static limberi_json* random_value(limberi_json_document* json, const limberi_json* old) {
    static const double numbers[] = {-1,  0,   1,    2,     3,       4,          5,      7,     8,    16,
                                     255, 256, 5120, 65535, 65536,   4294967295, 5121,   5123,  5125, 5126,
                                     0.5, -8,  1e38, 1e-38, 1000000, 2147483648, 9.2e18, 1e300, 12.0, 36};
    static const char* const words[] = {
        "SCALAR",      "VEC2",     "VEC3",  "VEC4",    "MAT4",      "LINEAR", "STEP",    "CUBICSPLINE",
        "translation", "rotation", "scale", "weights", "data:,%00", "",       "POSITION"};
    uint32_t kind = random_below(10);
    if (limberi_json_is(old, LIMBERI_JSON_INTEGER) && kind < 4 && limberi_json_as_integer(old) < 1000000000)
        return limberi_json_new_integer(json, limberi_json_as_integer(old) + (int64_t)random_below(5) - 2);
    double number = numbers[random_below(sizeof numbers / sizeof numbers[0])];
    if (kind < 6)
        return number == floor(number) && fabs(number) < 1e18 ? limberi_json_new_integer(json, (int64_t)number)
                                                              : limberi_json_new_real(json, number);
    if (kind < 8)
        return limberi_json_new_string(json, words[random_below(sizeof words / sizeof words[0])]);
    return limberi_json_new(json, kind == 8 ? LIMBERI_JSON_ARRAY : LIMBERI_JSON_OBJECT);
}

static void mutate_array(limberi_json_document* json, limberi_json* array) {
    uint32_t count = limberi_json_count(array), at = random_below(count);
    const limberi_json* entry = limberi_json_at(array, at);
    switch (random_below(5)) {
    case 0:
        limberi_json_remove_at(array, at);
        break;
    case 1:
        limberi_json_append(json, array, limberi_json_copy(json, entry));
        break;
    case 2:
        limberi_json_append(json, array, random_value(json, NULL));
        break;
    case 3:
        limberi_json_replace(json, array, at, limberi_json_copy(json, limberi_json_at(array, random_below(count))));
        break;
    default:
        limberi_json_replace(json, array, at, random_value(json, entry));
        break;
    }
}

static void mutate_object(limberi_json_document* json, limberi_json* object) {
    static const char* const keys[] = {"sparse",  "byteStride", "byteOffset", "bufferView", "normalized", "indices",
                                       "targets", "matrix",     "children",   "skin",       "mesh",       "mode",
                                       "weights", "JOINTS_1",   "WEIGHTS_1",  "COLOR_0",    "_LIMBER_A",  "count"};
    uint32_t at = random_below(limberi_json_count(object)), kind = random_below(4);
    const char* key = limberi_json_key_at(object, at);
    if (kind == 0 || !key)
        limberi_json_set(json, object, keys[random_below(sizeof keys / sizeof keys[0])], random_value(json, NULL));
    else if (kind == 1)
        limberi_json_remove(object, key);
    else
        limberi_json_set(json, object, key, random_value(json, limberi_json_at(object, at)));
}

// Walks down at random and changes what it ends at.
static void mutate_tree(limberi_json_document* json) {
    limberi_json* value = json->root;
    for (int depth = 0; depth < 12; depth++) {
        limberi_json* child = limberi_json_at(value, random_below(limberi_json_count(value)));
        bool leaf = !limberi_json_is(child, LIMBERI_JSON_ARRAY) && !limberi_json_is(child, LIMBERI_JSON_OBJECT);
        if (leaf || random_below(6) == 0)
            break;
        value = child;
    }
    if (limberi_json_is(value, LIMBERI_JSON_OBJECT))
        mutate_object(json, value);
    else if (limberi_json_count(value))
        mutate_array(json, value);
}

typedef struct container {
    const uint8_t *json, *binary;
    size_t json_size, binary_size;
} container;

static uint32_t word(const uint8_t* p) {
    return (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

static void put_word(uint8_t* p, size_t value) {
    for (int i = 0; i < 4; i++)
        p[i] = (uint8_t)(value >> (8 * i));
}

static bool open_container(const uint8_t* data, size_t size, container* out) {
    memset(out, 0, sizeof *out);
    if (size < 20 || memcmp(data, "glTF", 4) != 0 || word(data + 12) > size - 20)
        return false;
    out->json = data + 20;
    out->json_size = word(data + 12);
    size_t next = 20 + out->json_size;
    if (size - next >= 8) {
        out->binary = data + next + 8;
        out->binary_size = size - next - 8;
    }
    return true;
}

static size_t write_container(const container* from, uint8_t* out, size_t max_size) {
    size_t json = (from->json_size + 3) / 4 * 4, total = 28 + json + from->binary_size;
    if (total > max_size)
        return 0;
    if (from->binary_size)
        memcpy(out + 28 + json, from->binary, from->binary_size);
    memset(out + 20, ' ', json);
    memcpy(out + 20, from->json, from->json_size);
    memcpy(out, "glTF\2\0\0\0", 8);
    put_word(out + 8, total);
    put_word(out + 12, json);
    memcpy(out + 16, "JSON", 4);
    put_word(out + 20 + json, from->binary_size);
    memcpy(out + 24 + json, "BIN\0", 4);
    return total;
}

static size_t mutate_json(container* file, uint8_t* out, size_t max_size) {
    limberi_json_rules rules = limberi_json_rules_exact();
    limberi_json_document json;
    if (limberi_json_read((const char*)file->json, file->json_size, &rules, &json, NULL) != LIMBER_OK)
        return 0;
    for (uint32_t i = 0; i <= random_below(3); i++)
        mutate_tree(&json);
    limberi_buffer text = {NULL, 0, 0, false};
    limberi_json_writer writer = {.out = &text};
    limberi_json_tree(&writer, json.root);
    limberi_json_free(&json);
    check(!text.failed);
    file->json = (const uint8_t*)text.data;
    file->json_size = text.length;
    size_t size = write_container(file, out, max_size);
    limberi_buffer_free(&text);
    return size;
}

static size_t mutate_bytes(container* file, bool binary, uint8_t* out, size_t max_size) {
    size_t old = binary ? file->binary_size : file->json_size, room = old + 64;
    uint8_t* part = calloc(1, room);
    if (!part)
        return 0;
    if (old)
        memcpy(part, binary ? file->binary : file->json, old);
    size_t size = LLVMFuzzerMutate(part, old, room);
    *(binary ? &file->binary : &file->json) = part;
    *(binary ? &file->binary_size : &file->json_size) = size;
    size_t total = write_container(file, out, max_size);
    free(part);
    return total;
}

size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t max_size, unsigned int seed) {
    random_state = seed;
    container file;
    uint8_t* copy = malloc(size ? size : 1);
    size_t result = 0;
    if (copy)
        memcpy(copy, data, size);
    uint32_t kind = random_below(10);
    if (copy && kind < 9 && open_container(copy, size, &file))
        result = kind < 6 ? mutate_json(&file, data, max_size) : mutate_bytes(&file, kind < 8, data, max_size);
    free(copy);
    return result ? result : LLVMFuzzerMutate(data, size, max_size);
}
