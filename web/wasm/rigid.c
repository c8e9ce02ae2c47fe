// Rigid parts out of the module: all that there are, or those that a style leaves.
#include "web/wasm/web.h"

// `p`: a style that is not off; NULL: all parts.
limber_rigid_parts* WEB_EXPORT(rigid_create)(const web_character* c, const web_pipeline* p) {
    limber_rigid_parts* found = NULL;
    const limber_rigid_settings* settings = p ? &limber_pipeline_stage_settings(p->pipeline)->rigid : NULL;
    return limber_rigid_parts_find(limberi_web_asset(c), settings, &found, &limberi_web_error) ? NULL : found;
}

void WEB_EXPORT(rigid_destroy)(limber_rigid_parts* parts) {
    limber_rigid_parts_destroy(parts);
}

// Whether the style of a pipeline has rigid parts at all.
int32_t WEB_EXPORT(rigid_is_on)(const web_pipeline* p) {
    return limber_pipeline_stage_settings(p->pipeline)->rigid.mode != LIMBER_RIGID_OFF;
}

uint32_t WEB_EXPORT(rigid_count)(const limber_rigid_parts* parts) {
    return limber_rigid_part_count(parts);
}

const char* WEB_EXPORT(rigid_name)(const limber_rigid_parts* parts, uint32_t i) {
    return limber_rigid_part_at(parts, i).name;
}

// Its joint, how many vertices it has, and what it is.
uint32_t WEB_EXPORT(rigid_number)(const limber_rigid_parts* parts, uint32_t i, uint32_t which) {
    limber_rigid_part one = limber_rigid_part_at(parts, i);
    const uint32_t numbers[] = {one.joint, one.vertex_count, one.kind};
    return which < 3 ? numbers[which] : 0;
}

const int32_t* WEB_EXPORT(rigid_of_vertex)(const limber_rigid_parts* parts) {
    return limber_rigid_part_of_vertex(parts);
}
