// Where the targets of a bake wait until the file is written.
//
// What did not help: several threads that write the same file. Linux lets one of them in at a time: 137 MB take 40 ms by
// one thread and 43 by 16; through a mapped file 62 by one, 37 by four and 107 by 16. Huge pages save page faults, but no
// processor time that could be measured.
#include "cli/verbs/apply.h"

// Exact targets up to this wait in memory for the file, more of them on the disk.
static const double kept_bytes = 256e6;
// From here on, most vertices moving, they are put into the file itself.
static const double min_inside = 1e6;
static const double moving_share = 0.8;
static const double max_inside = 3e9; // a .glb ends at 4 GiB, with its text

// Of all targets of an exact bake and their weights, in memory.
static bool fits_memory(const limber_model* model, const limber_bake_estimate* e) {
    double frames = e->frame_count;
    double vertices = model->vertex_count;
    double bytes = frames * (vertices * 6 + frames * model->mesh_count) * sizeof(float);
    return bytes <= kept_bytes;
}

// Every target has all its vertices there.
static bool fits_inside(const limber_model* model, bool normals, const limber_bake_estimate* e) {
    double bytes = (double)e->frame_count * model->vertex_count * (normals ? 6 : 3) * sizeof(float);
    return bytes >= min_inside && bytes <= max_inside && (double)e->byte_count >= moving_share * bytes;
}

limber_result cli_bake_store(const limber_model* model, const limber_gltf* inside, const limber_bake_settings* settings,
                             const limber_bake_estimate* e, const char* output, limber_bake_store** store,
                             limber_error* error) {
    *store = NULL;
    if (e->tolerance > 0)
        return LIMBER_OK;
    if (inside && cli_has_ending(output, ".glb") && fits_inside(model, settings->normals, e))
        return limber_gltf_store_open_inside(inside, e->frame_count, output, store, error);
    return fits_memory(model, e) ? LIMBER_OK : limber_gltf_store_open(output, store, error);
}
