// The order of edits and repairs, and the text of the file.
#include "io/gltf/write.h"
#include "base/error.h"
#include "base/settings.h"
#include "text/json_write.h"

#include <string.h>

void limber_gltf_edits_init(limber_gltf_edits* given, size_t size) {
    limber_gltf_edits edits = {0};
    edits.struct_size = sizeof edits;
    limberi_settings_write(given, size, &edits, sizeof edits);
}

limber_result limberi_edits_read(const limber_gltf_edits* given, limber_gltf_edits* edits, limber_error* error) {
    *edits = limber_gltf_edits_default();
    return given ? limberi_settings_read(edits, sizeof *edits, given, "limber_gltf_edits", error) : LIMBER_OK;
}

static bool edits_clip(const limber_gltf_edits* edits, uint32_t clip) {
    for (uint32_t i = 0; i < edits->clip_count; i++)
        if (edits->clips[i].index == clip)
            return true;
    return false;
}

// With the clips of the bake that the caller does not replace.
static const limber_gltf_edits* with_baked_clips(limberi_writer* writer, const limber_gltf_edits* given) {
    const limber_bake* bake = given->bake;
    if (!bake || !bake->clip_count)
        return given;
    limber_gltf_edits* edits = LIMBERI_COPY(&writer->arena, limber_gltf_edits, given, 1);
    limber_edited_clip* clips =
        LIMBERI_ALLOCATE(&writer->arena, limber_edited_clip, (size_t)given->clip_count + bake->clip_count);
    if (!edits || !clips)
        return given; // writing fails for want of memory
    for (uint32_t i = 0; i < given->clip_count; i++)
        clips[i] = given->clips[i];
    for (uint32_t i = 0; i < bake->clip_count; i++)
        if (!edits_clip(given, bake->clips[i].index))
            clips[edits->clip_count++] = bake->clips[i];
    edits->clips = clips;
    return edits;
}

static limber_result apply_edits(limberi_writer* writer, const limber_gltf_edits* given, limber_error* error) {
    const limber_gltf_edits* edits = with_baked_clips(writer, given);
    writer->edits = edits;
    limber_result result = limberi_write_clips(writer, edits, error);
    if (result == LIMBER_OK && edits->bake)
        result = limberi_write_bones(writer, edits->bake, error);
    if (result == LIMBER_OK && edits->bake)
        result = limberi_write_bake(writer, edits->bake, error);
    if (result == LIMBER_OK && edits->bake)
        result = limberi_write_shifts(writer, edits->bake, error);
    if (result == LIMBER_OK && edits->bake)
        result = limberi_write_smears(writer, edits->bake, error);
    if (result)
        return result;
    for (uint32_t i = 0; i < edits->layer_count; i++) {
        result = limberi_write_layer(writer, &edits->layers[i], error);
        if (result)
            return result;
    }
    return edits->style ? limberi_write_style(writer, edits->style, error) : LIMBER_OK;
}

// Deformed shapes were computed from normalized weights and rotations, and must be played so. Players differ on skinned
// meshes below transforms: one that moves there is a third of its size off in three.js.
static void repair(limberi_writer* writer, const limber_gltf_edits* edits) {
    writer->repairs = edits->repairs;
    if (edits->bake)
        writer->repairs |= 1u << LIMBER_REPAIR_NODES | 1u << LIMBER_REPAIR_WEIGHTS | 1u << LIMBER_REPAIR_UNITS;
    limberi_repair_tangents(writer, edits->bake);
    if (limberi_repairs(writer, LIMBER_REPAIR_ROOT))
        limberi_repair_roots(writer);
    if (limberi_repairs(writer, LIMBER_REPAIR_NODES))
        limberi_repair_nodes(writer);
    if (edits->bake)
        limberi_write_shares(writer, edits->bake);
    if (limberi_repairs(writer, LIMBER_REPAIR_WEIGHTS))
        limberi_repair_weights(writer);
    if (edits->bake)
        limberi_write_helpers(writer, edits->bake);
    limberi_repair_values(writer);
    if (edits->repaired)
        memcpy(edits->repaired, writer->repaired, sizeof writer->repaired);
    if (edits->bone_count)
        *edits->bone_count = limberi_count_bones(writer);
}

limber_result limberi_writer_begin(limberi_writer* writer, const limber_gltf* gltf, const limber_gltf_edits* edits,
                                   bool inside, limber_error* error) {
    memset(writer, 0, sizeof *writer);
    writer->packs = edits->pack != NULL;
    writer->zeros_view = UINT32_MAX;
    writer->parallel = edits->parallel && edits->parallel->run ? edits->parallel : NULL;
    writer->document = gltf;
    writer->json.root = limberi_json_copy(&writer->json, gltf->json.root);
    if (!writer->json.root)
        return limberi_fail_memory(error);
    limberi_reader_over(writer);
    if (inside)
        limberi_writer_append_rows(writer, edits->bake);
    limberi_merge_buffers(writer);
    limberi_nodes_index(writer);
    limber_result result = limberi_writer_status(writer, error);
    if (result == LIMBER_OK)
        result = apply_edits(writer, edits, error);
    if (result != LIMBER_OK)
        return result;
    limberi_write_pointers(writer, edits->bake || edits->clip_count || edits->repairs);
    repair(writer, edits);
    if (edits->bake || edits->clip_count)
        limberi_drop_unused(writer);
    return limberi_writer_status(writer, error);
}

void limberi_describe_buffer(limberi_writer* writer, const char* uri) {
    if (!writer->byte_count) {
        limberi_json_remove(writer->json.root, "buffers");
        return;
    }
    limberi_json* buffers = limberi_child_array(writer, writer->json.root, "buffers");
    if (limberi_json_count(buffers) == 0)
        limberi_push(writer, buffers, limberi_new_object(writer));
    limberi_json* buffer = limberi_json_at(buffers, 0);
    limberi_put_integer(writer, buffer, "byteLength", (int64_t)writer->byte_count);
    limberi_json_remove(buffer, "uri");
    if (uri)
        limberi_put_string(writer, buffer, "uri", uri);
}

limber_result limberi_writer_text(const limberi_writer* writer, limberi_buffer* text, limber_error* error) {
    limber_result result = limberi_writer_status(writer, error);
    if (result != LIMBER_OK)
        return result;
    limberi_json_writer json = {.out = text};
    limberi_json_tree(&json, writer->json.root);
    return text->failed ? limberi_fail_memory(error) : LIMBER_OK;
}
