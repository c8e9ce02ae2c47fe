// "materials", and the pictures their base colours use. A picture that cannot be fetched is only worth a note.
#include "io/gltf/read.h"

#include <string.h>

static limber_result read_factors(limberi_gltf_reader* reader, const limberi_gltf_place* place,
                                  const limberi_json* object, limber_material* out) {
    const limberi_json* pbr = NULL;
    const char* alpha = "OPAQUE";
    limber_result result = limberi_gltf_object(reader, place, object, "pbrMetallicRoughness", &pbr);
    if (!result)
        result = limberi_gltf_floats(reader, place, pbr, "baseColorFactor", out->base_color, 4, NULL);
    if (!result)
        result = limberi_gltf_float(reader, place, pbr, "metallicFactor", &out->metallic);
    if (!result)
        result = limberi_gltf_float(reader, place, pbr, "roughnessFactor", &out->roughness);
    if (!result)
        result = limberi_gltf_boolean(reader, place, object, "doubleSided", &out->double_sided);
    if (!result)
        result = limberi_gltf_string(reader, place, object, "alphaMode", &alpha);
    out->blend = strcmp(alpha, "BLEND") == 0;
    return result;
}

// The entry of "images" behind the base colour, LIMBERI_NONE when there is none. PNG or JPEG is preferred over what
// an extension offers beside it.
static limber_result find_image(limberi_gltf_reader* reader, const limberi_gltf_place* place,
                                const limberi_json* object, uint32_t* image, bool* ends) {
    enum { REPEAT = 10497 }; // what glTF has from OpenGL
    const limberi_json* info = limberi_json_get(limberi_json_get(object, "pbrMetallicRoughness"), "baseColorTexture");
    uint32_t texture = LIMBERI_NONE;
    *image = LIMBERI_NONE;
    limber_result result = limberi_gltf_index(reader, place, info, "index", &reader->textures, &texture);
    if (result || texture == LIMBERI_NONE)
        return result;
    limberi_gltf_place at = limberi_gltf_place_of(&reader->textures, texture);
    const limberi_json* entry = limberi_gltf_entry(&reader->textures, texture);
    const limberi_json* extensions = limberi_json_get(entry, "extensions");
    int64_t sampler = limberi_json_as_integer(limberi_json_get(entry, "sampler"));
    const limberi_json* samplers = limberi_json_get(reader->gltf->json.root, "samplers");
    const limberi_json* wrap =
        limberi_json_get(limberi_json_at(samplers, (size_t)(sampler < 0 ? 0 : sampler)), "wrapS");
    *ends = limberi_json_get(entry, "sampler") && wrap && limberi_json_as_integer(wrap) != REPEAT;
    static const char* const others[] = {"EXT_texture_webp", "KHR_texture_basisu", "EXT_texture_avif"};
    result = limberi_gltf_index(reader, &at, entry, "source", &reader->images, image);
    if (result)
        return result;
    for (size_t i = 0; *image == LIMBERI_NONE && i < sizeof others / sizeof others[0]; i++) {
        const limberi_json* other = limberi_json_get(extensions, others[i]);
        result = limberi_gltf_index(reader, &at, other, "source", &reader->images, image);
        if (result)
            return result;
    }
    return LIMBER_OK;
}

static limber_result read_image(limberi_gltf_reader* reader, uint32_t index, limber_image* out) {
    const limberi_json* object = limberi_gltf_entry(&reader->images, index);
    limberi_gltf_place place = limberi_gltf_place_of(&reader->images, index);
    uint32_t view_index = LIMBERI_NONE;
    const char* uri = NULL;
    limberi_bytes bytes = {NULL, 0};
    limber_result result = limberi_gltf_index(reader, &place, object, "bufferView", &reader->buffer_views, &view_index);
    if (!result)
        result = limberi_gltf_string(reader, &place, object, "uri", &uri);
    if (!result && view_index != LIMBERI_NONE) {
        limberi_gltf_view view;
        result = limberi_gltf_buffer_view(reader, view_index, &view);
        bytes = view.bytes;
    } else if (!result && uri) {
        result = limberi_gltf_fetch(reader, &place, uri, &reader->scratch, &bytes);
        if (result && result != LIMBER_ERROR_MEMORY) {
            limberi_gltf_note(reader, NULL, "%s: the picture is left out: %s", reader->error->place,
                              reader->error->message);
            result = LIMBER_OK;
        }
    }
    out->name = limberi_gltf_name(reader, &reader->images, index, "image");
    out->bytes = bytes.data;
    out->byte_count = result ? 0 : bytes.size;
    if (!result && view_index == LIMBERI_NONE && uri && bytes.size)
        out->file = limberi_gltf_file_of(reader, uri);
    return result;
}

enum { UNREAD = 0, ABSENT = -1 }; // otherwise: index into the model's images, plus 1

// A picture without bytes stays out of the model, and those that share their bytes are one.
static limber_result add_image(limberi_gltf_reader* reader, uint32_t index, const limber_image* image,
                               limber_image* images, limberi_known* shared, int32_t* slot) {
    int64_t same = image->byte_count ? limberi_known_at(shared, image->bytes) : ABSENT;
    *slot = (int32_t)same;
    if (same == ABSENT || (same && images[same - 1].byte_count == image->byte_count))
        return LIMBER_OK;
    limberi_gltf_place place = limberi_gltf_place_of(&reader->images, index);
    bool in_view = limberi_json_get(limberi_gltf_entry(&reader->images, index), "bufferView") != NULL;
    uint64_t count = in_view ? image->byte_count : 0; // others were counted when they were fetched
    limber_result result = limberi_gltf_charge(reader, &place, &reader->budget.image_bytes, count, "bytes of pictures");
    if (result)
        return result;
    images[reader->model.image_count++] = *image;
    *slot = (int32_t)reader->model.image_count;
    limberi_known_put(shared, image->bytes, *slot);
    return LIMBER_OK;
}

// Reads each picture once.
static limber_result use_image(limberi_gltf_reader* reader, uint32_t index, int32_t* slots, limber_image* images,
                               limberi_known* shared, int32_t* out) {
    limber_result result = LIMBER_OK;
    if (slots[index] == UNREAD) {
        limber_image image = {NULL, NULL, 0, NULL};
        slots[index] = ABSENT;
        result = read_image(reader, index, &image);
        if (!result)
            result = add_image(reader, index, &image, images, shared, &slots[index]);
    }
    *out = slots[index] == ABSENT ? -1 : slots[index] - 1;
    return result;
}

static limber_result read_materials(limberi_gltf_reader* reader, limberi_known* shared) {
    uint32_t count = reader->materials.count;
    limber_material* materials = LIMBERI_ALLOCATE(&reader->scratch, limber_material, count);
    limber_image* images = LIMBERI_ALLOCATE(&reader->scratch, limber_image, reader->images.count);
    int32_t* slots = LIMBERI_ALLOCATE(&reader->scratch, int32_t, reader->images.count);
    if (!materials || !images || !slots)
        return limberi_fail_memory(reader->error);
    for (uint32_t i = 0; i < count; i++) {
        const limberi_json* object = limberi_gltf_entry(&reader->materials, i);
        limberi_gltf_place place = limberi_gltf_place_of(&reader->materials, i);
        limber_material plain = {
            limberi_gltf_name(reader, &reader->materials, i, "material"), {1, 1, 1, 1}, 1, 1, false, false, -1, false};
        materials[i] = plain;
        limber_result result = read_factors(reader, &place, object, &materials[i]);
        uint32_t image = LIMBERI_NONE;
        if (!result)
            result = find_image(reader, &place, object, &image, &materials[i].ends);
        if (!result && image != LIMBERI_NONE)
            result = use_image(reader, image, slots, images, shared, &materials[i].image);
        if (result)
            return result;
    }
    reader->model.material_count = count;
    reader->model.materials = materials;
    reader->model.images = images;
    return LIMBER_OK;
}

limber_result limberi_gltf_read_materials(limberi_gltf_reader* reader) {
    limberi_known shared = {{0}};
    limber_result result = read_materials(reader, &shared);
    bool kept = limberi_known_free(&shared);
    return result || kept ? result : limberi_fail_memory(reader->error);
}
