// Textures that are shifted over time (smear.spin): KHR_texture_transform says by how much, KHR_animation_pointer lets
// the file's animations change that.
#include "base/error.h"
#include "io/gltf/write.h"

#include <math.h>
#include <string.h>

enum { POINTER_BYTES = 160 };
static const char transform_name[] = "KHR_texture_transform";
static const char pointer_name[] = "KHR_animation_pointer";

// --- channels ---

static limberi_json* pointer_channel(limberi_writer* writer, const char* pointer, uint32_t sampler) {
    limberi_json* channel = limberi_new_object(writer);
    limberi_json* target = limberi_child_object(writer, channel, "target");
    limberi_put_integer(writer, channel, "sampler", sampler);
    limberi_put_string(writer, target, "path", "pointer");
    limberi_json* extensions = limberi_child_object(writer, target, "extensions");
    limberi_put_string(writer, limberi_child_object(writer, extensions, pointer_name), "pointer", pointer);
    return channel;
}

// Where the offset of one texture is, and what the file's own transform makes of a shift along u.
typedef struct offset_place {
    char pointer[POINTER_BYTES];
    double start[2], per_shift[2];
} offset_place;

static void write_offsets(limberi_writer* writer, const offset_place* place, const limber_bake_track* track,
                          const float* shifts, uint32_t* input) {
    limberi_json* animation =
        limberi_item(writer->json.root, "animations", writer->document->animation_of_clip[track->clip]);
    float* offsets = LIMBERI_ALLOCATE(&writer->arena, float, 2 * (size_t)track->shift_count);
    for (size_t i = 0; offsets && i < 2 * (size_t)track->shift_count; i++)
        offsets[i] = (float)(place->start[i % 2] + place->per_shift[i % 2] * (double)shifts[i / 2]);
    if (!offsets || !animation)
        return;
    if (*input == UINT32_MAX)
        *input = limberi_floats_add(writer, track->shift_times, track->shift_count, "SCALAR", 0, true);
    limberi_json* sampler = limberi_new_object(writer);
    limberi_put_integer(writer, sampler, "input", *input);
    limberi_put_integer(writer, sampler, "output",
                        limberi_floats_add(writer, offsets, track->shift_count, "VEC2", 0, false));
    limberi_put_string(writer, sampler, "interpolation", "LINEAR");
    uint32_t index = limberi_push(writer, limberi_child_array(writer, animation, "samplers"), sampler);
    limberi_push(writer, limberi_child_array(writer, animation, "channels"),
                 pointer_channel(writer, place->pointer, index));
}

// The copies of a material turn with it.
static void repeat_channels(limberi_writer* writer, limberi_json* animation, const char* from, const char* to) {
    limberi_json* channels = limberi_json_get(animation, "channels");
    size_t count = limberi_json_count(channels);
    size_t length = strlen(from);
    for (size_t i = 0; i < count; i++) {
        const limberi_json* channel = limberi_json_at(channels, i);
        const limberi_json* extensions = limberi_json_get(limberi_json_get(channel, "target"), "extensions");
        const char* old = limberi_json_as_text(limberi_json_get(limberi_json_get(extensions, pointer_name), "pointer"));
        char pointer[POINTER_BYTES];
        if (!old || strncmp(old, from, length) != 0)
            continue;
        limberi_format(pointer, sizeof pointer, "%s%s", to, old + length);
        limberi_push(writer, channels, pointer_channel(writer, pointer, limberi_index(channel, "sampler")));
    }
}

void limberi_repeat_shifts(limberi_writer* writer, uint32_t material, uint32_t copy) {
    char from[POINTER_BYTES], to[POINTER_BYTES];
    limberi_format(from, sizeof from, "/materials/%u/", material);
    limberi_format(to, sizeof to, "/materials/%u/", copy);
    limberi_json* animation;
    for (size_t i = 0; (animation = limberi_json_at(limberi_json_get(writer->json.root, "animations"), i)) != NULL; i++)
        repeat_channels(writer, animation, from, to);
}

// --- textures ---

static double number_in(const limberi_json* transform, const char* key, size_t index, double standard) {
    const limberi_json* value = limberi_json_get(transform, key);
    if (limberi_json_is(value, LIMBERI_JSON_ARRAY))
        value = limberi_json_at(value, index);
    return value ? limberi_json_as_number(value) : standard;
}

// uv -> offset + rotation scale uv, so that a shift along u moves the offset by rotation scale (1, 0).
static void open_place(limberi_writer* writer, limberi_json* info, const char* path, uint32_t material,
                       offset_place* place) {
    limberi_json* extensions = limberi_child_object(writer, info, "extensions");
    limberi_json* transform = limberi_child_object(writer, extensions, transform_name);
    double turn = number_in(transform, "rotation", 0, 0);
    double scale = number_in(transform, "scale", 0, 1);
    place->start[0] = number_in(transform, "offset", 0, 0);
    place->start[1] = number_in(transform, "offset", 1, 0);
    place->per_shift[0] = scale * cos(turn);
    place->per_shift[1] = -scale * sin(turn);
    const float start[2] = {(float)place->start[0], (float)place->start[1]};
    limberi_put(writer, transform, "offset", limberi_reals(writer, start, 2));
    limberi_format(place->pointer, sizeof place->pointer, "/materials/%u/%s/extensions/%s/offset", material, path,
                   transform_name);
}

static uint32_t texture_set(const limberi_json* info) {
    const limberi_json* extensions = limberi_json_get(info, "extensions");
    uint32_t own = limberi_index(limberi_json_get(extensions, transform_name), "texCoord");
    own = own == UINT32_MAX ? limberi_index(info, "texCoord") : own;
    return own == UINT32_MAX ? 0 : own;
}

static void shift_material(limberi_writer* writer, uint32_t index, const limber_bake* bake,
                           const limber_bake_mesh* mesh, uint32_t* inputs) {
    static const char* const surface[] = {"baseColorTexture", "metallicRoughnessTexture"};
    static const char* const others[] = {"normalTexture", "occlusionTexture", "emissiveTexture"};
    limberi_json* material = limberi_item(writer->json.root, "materials", index);
    for (size_t i = 0; i < 5; i++) {
        limberi_json* owner = i < 2 ? limberi_json_get(material, "pbrMetallicRoughness") : material;
        const char* name = i < 2 ? surface[i] : others[i - 2];
        limberi_json* info = limberi_json_get(owner, name);
        if (!info || texture_set(info) != 0)
            continue;
        char path[POINTER_BYTES];
        offset_place place;
        limberi_format(path, sizeof path, "%s%s", i < 2 ? "pbrMetallicRoughness/" : "", name);
        open_place(writer, info, path, index, &place);
        for (uint32_t t = 0; t < bake->track_count; t++)
            if (mesh->shifts[t])
                write_offsets(writer, &place, &bake->tracks[t], mesh->shifts[t], &inputs[t]);
    }
}

// --- meshes ---

// Whether another mesh of the file has the material, too.
static bool is_shared(const limberi_writer* writer, const limberi_json* own, uint32_t material) {
    const limberi_json *mesh, *primitive;
    for (size_t m = 0; (mesh = limberi_json_at(limberi_json_get(writer->json.root, "meshes"), m)) != NULL; m++)
        for (size_t p = 0; (primitive = limberi_json_at(limberi_json_get(mesh, "primitives"), p)) != NULL; p++)
            if (mesh != own && limberi_index(primitive, "material") == material)
                return true;
    return false;
}

static uint32_t own_material(limberi_writer* writer, const limberi_json* mesh, uint32_t material) {
    if (!is_shared(writer, mesh, material))
        return material;
    limberi_json* copy = limberi_json_copy(&writer->json, limberi_item(writer->json.root, "materials", material));
    uint32_t index = limberi_push(writer, limberi_child_array(writer, writer->json.root, "materials"), copy);
    limberi_json* primitive;
    for (size_t p = 0; (primitive = limberi_json_at(limberi_json_get(mesh, "primitives"), p)) != NULL; p++)
        if (limberi_index(primitive, "material") == material)
            limberi_put_integer(writer, primitive, "material", index);
    return index;
}

static void shift_mesh(limberi_writer* writer, const limber_bake* bake, uint32_t m, uint32_t* inputs) {
    limberi_json* mesh = limberi_item(writer->json.root, "meshes", limberi_mesh_own(writer, writer->carriers[m]));
    limberi_json* primitives = limberi_json_get(mesh, "primitives");
    for (size_t p = 0; p < limberi_json_count(primitives); p++) {
        uint32_t material = limberi_index(limberi_json_at(primitives, p), "material");
        bool again = material == UINT32_MAX;
        for (size_t k = 0; k < p; k++)
            again = again || limberi_index(limberi_json_at(primitives, k), "material") == material;
        if (!again)
            shift_material(writer, own_material(writer, mesh, material), bake, &bake->meshes[m], inputs);
    }
}

limber_result limberi_write_shifts(limberi_writer* writer, const limber_bake* bake, limber_error* error) {
    uint32_t* inputs = LIMBERI_ALLOCATE(&writer->arena, uint32_t, bake->track_count);
    bool any = false;
    if (!inputs)
        return limberi_writer_status(writer, error);
    memset(inputs, 0xff, bake->track_count * sizeof *inputs);
    for (uint32_t m = 0; m < bake->mesh_count; m++) {
        if (!bake->meshes[m].shifts)
            continue;
        any = true;
        shift_mesh(writer, bake, m, inputs);
    }
    if (any) {
        limberi_declare(writer, transform_name);
        limberi_declare(writer, pointer_name);
    }
    return limberi_writer_status(writer, error);
}
