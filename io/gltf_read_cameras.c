// Nodes that carry a camera, and those above them that are no joints: smears can be made for what a camera sees.
#include "io/gltf_read.h"

#include <string.h>

static bool has_camera(const limberi_gltf_reader* reader, uint32_t node) {
    return reader->tree.shown[node] &&
           json_is_integer(json_object_get(limberi_gltf_entry(&reader->nodes, node), "camera"));
}

// The node and what it hangs on, up to a joint. Returns how many were new.
static uint32_t mark(limberi_gltf_reader* reader, uint32_t node) {
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

static limber_result fill(limberi_gltf_reader* reader, limber_camera_node* nodes, limber_camera* cameras) {
    uint32_t node_count = 0, camera_count = 0;
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
        cameras[camera_count].name = limberi_gltf_name(reader, &reader->nodes, node, "node");
        cameras[camera_count++].node = node_count - 1;
    }
    reader->model.camera_node_count = node_count;
    reader->model.camera_nodes = nodes;
    reader->model.camera_count = camera_count;
    reader->model.cameras = cameras;
    return LIMBER_OK;
}

limber_result limberi_gltf_read_cameras(limberi_gltf_reader* reader) {
    uint32_t count = 0, cameras = 0;
    reader->camera_of_node = LIMBERI_TAKE(&reader->scratch, uint32_t, reader->nodes.count);
    if (!reader->camera_of_node)
        return limberi_gltf_fail_memory(reader);
    memset(reader->camera_of_node, 0xff, sizeof(uint32_t) * reader->nodes.count); // LIMBERI_NONE
    for (uint32_t node = 0; node < reader->nodes.count; node++) {
        if (!has_camera(reader, node))
            continue;
        count += mark(reader, node);
        cameras++;
    }
    if (!cameras)
        return LIMBER_OK;
    limber_camera_node* nodes = LIMBERI_TAKE(&reader->scratch, limber_camera_node, (size_t)count + cameras);
    limber_camera* list = LIMBERI_TAKE(&reader->scratch, limber_camera, cameras);
    if (!nodes || !list)
        return limberi_gltf_fail_memory(reader);
    return fill(reader, nodes, list);
}
