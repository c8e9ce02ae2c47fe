// Nodes that carry a camera, and those above them that are no joints: smears can be made for what a camera sees, and
// pictures taken through it.
#include "io/gltf/read.h"

#include <math.h>
#include <string.h>

static bool has_camera(const limberi_gltf_reader* reader, uint32_t node) {
    return reader->tree.shown[node] &&
           limberi_json_is(limberi_json_get(limberi_gltf_entry(&reader->nodes, node), "camera"), LIMBERI_JSON_INTEGER);
}

// The node and what it hangs on, up to a joint. Returns how many were new.
static uint32_t mark_camera(limberi_gltf_reader* reader, uint32_t node) {
    uint32_t count = 0;
    for (;
         node != LIMBERI_NONE && reader->gltf->joint_of_node[node] < 0 && reader->camera_of_node[node] == LIMBERI_NONE;
         node = reader->tree.parent[node]) {
        reader->camera_of_node[node] = 0;
        count++;
    }
    return count;
}

static limber_result fill_node(limberi_gltf_reader* reader, uint32_t node, limber_camera_node* out) {
    uint32_t parent = reader->tree.parent[node];
    out->parent = out->joint = -1;
    if (parent != LIMBERI_NONE && reader->gltf->joint_of_node[parent] >= 0)
        out->joint = reader->gltf->joint_of_node[parent];
    else if (parent != LIMBERI_NONE)
        out->parent = (int32_t)reader->camera_of_node[parent];
    return limberi_gltf_read_transform(reader, node, &out->rest_local);
}

static limber_result read_numbers(limberi_gltf_reader* reader, const limberi_gltf_place* place,
                                  const limberi_json* lens, limber_camera* out) {
    static const char* const keys[] = {"yfov", "aspectRatio", "xmag", "ymag", "znear", "zfar"};
    float* const targets[] = {&out->field_of_view_rad, &out->aspect,  &out->half_width,
                              &out->half_height,       &out->nearest, &out->farthest};
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
        limber_result result = limberi_gltf_float(reader, place, lens, keys[i], targets[i]);
        if (result)
            return result;
    }
    out->half_width = fabsf(out->half_width); // negative ones mirror the picture, which nobody means
    out->half_height = fabsf(out->half_height);
    bool seen = out->orthographic ? out->half_width > 0 && out->half_height > 0
                                  : out->field_of_view_rad > 0 && out->field_of_view_rad < 3.14159f && out->aspect >= 0;
    if (!seen || out->nearest < 0 || out->farthest < 0 || (out->farthest > 0 && out->farthest <= out->nearest))
        return limberi_gltf_fail(reader, place, LIMBER_ERROR_DATA, "its numbers are out of range");
    return LIMBER_OK;
}

static limber_result read_lens(limberi_gltf_reader* reader, uint32_t node, limber_camera* out) {
    limberi_gltf_place place = limberi_gltf_place_of(&reader->nodes, node);
    const char* type = "perspective";
    const limberi_json* lens = NULL;
    uint32_t index = LIMBERI_NONE;
    limber_result result = limberi_gltf_index(reader, &place, place.object, "camera", &reader->cameras, &index);
    if (result)
        return result;
    place = limberi_gltf_place_of(&reader->cameras, index);
    result = limberi_gltf_string(reader, &place, place.object, "type", &type);
    out->orthographic = !result && strcmp(type, "orthographic") == 0;
    if (!result)
        result = limberi_gltf_object(reader, &place, place.object, out->orthographic ? "orthographic" : "perspective",
                                     &lens);
    return result ? result : read_numbers(reader, &place, lens, out);
}

// A camera with a broken lens still stands somewhere, and the character is as good as without it.
static limber_result fill_camera(limberi_gltf_reader* reader, uint32_t node, uint32_t camera_node, limber_camera* out) {
    limber_camera camera = {0};
    limber_result result = read_lens(reader, node, &camera);
    if (result && result != LIMBER_ERROR_MEMORY) {
        memset(&camera, 0, sizeof camera);
        limberi_gltf_note(reader, NULL, "%s: the camera's lens is not used: %s", reader->error->place,
                          reader->error->message);
        result = LIMBER_OK;
    }
    camera.name = limberi_gltf_name(reader, &reader->nodes, node, "node");
    camera.node = camera_node;
    *out = camera;
    return result;
}

static limber_result fill(limberi_gltf_reader* reader, limber_camera_node* nodes, limber_camera* cameras) {
    uint32_t node_count = 0;
    uint32_t camera_count = 0;
    for (uint32_t i = 0; i < reader->nodes.count; i++) { // parents come first
        uint32_t node = reader->tree.order[i];
        int32_t joint = reader->gltf->joint_of_node[node];
        bool camera = has_camera(reader, node);
        if (reader->camera_of_node[node] != LIMBERI_NONE) {
            limber_result result = fill_node(reader, node, &nodes[node_count]);
            if (result)
                return result;
            reader->camera_of_node[node] = node_count++;
        } else if (camera) { // on a joint itself
            limber_camera_node here = {-1, joint, limber_transform_identity()};
            nodes[node_count++] = here;
        }
        if (!camera)
            continue;
        limber_result result = fill_camera(reader, node, node_count - 1, &cameras[camera_count++]);
        if (result)
            return result;
    }
    reader->model.camera_node_count = node_count;
    reader->model.camera_nodes = nodes;
    reader->model.camera_count = camera_count;
    reader->model.cameras = cameras;
    return LIMBER_OK;
}

limber_result limberi_gltf_read_cameras(limberi_gltf_reader* reader) {
    uint32_t count = 0;
    uint32_t cameras = 0;
    reader->camera_of_node = LIMBERI_ALLOCATE(&reader->scratch, uint32_t, reader->nodes.count);
    if (!reader->camera_of_node)
        return limberi_fail_memory(reader->error);
    memset(reader->camera_of_node, 0xff, sizeof(uint32_t) * reader->nodes.count); // LIMBERI_NONE
    for (uint32_t node = 0; node < reader->nodes.count; node++) {
        if (!has_camera(reader, node))
            continue;
        count += mark_camera(reader, node);
        cameras++;
    }
    if (!cameras)
        return LIMBER_OK;
    limber_camera_node* nodes = LIMBERI_ALLOCATE(&reader->scratch, limber_camera_node, (size_t)count + cameras);
    limber_camera* list = LIMBERI_ALLOCATE(&reader->scratch, limber_camera, cameras);
    if (!nodes || !list)
        return limberi_fail_memory(reader->error);
    return fill(reader, nodes, list);
}
