// What stands on the ground: skin that is held, the levels of the floor, and a ring where a joint touches.
#include "contact/contacts.h"
#include "base/error.h"
#include "base/math.h"
#include "render/film/picture.h"
#include "render/views/views_private.h"
#include <limber/stages/settings.h>

#include <math.h>
#include <stdlib.h>

enum { LINES = 13, MIDDLE_LINE = LINES / 2, PIECES = 12, MIDDLE_PIECE = PIECES / 2, RING = 40 };

// Those of the style, or those that "contact": 1 would find.
limber_result limberi_view_look_at_contacts(limberi_views* v, limber_pipeline* pipeline, int32_t clip,
                                            limber_error* error) {
    v->contacts = NULL;
    if (clip < 0)
        return LIMBER_OK;
    if (limber_pipeline_contacts(pipeline, (uint32_t)clip, &v->contacts) != LIMBER_OK)
        return limberi_fail_memory(error);
    if (v->contacts)
        return LIMBER_OK;
    if (v->found_contacts && v->found_clip != clip) {
        limber_contacts_destroy(v->found_contacts);
        v->found_contacts = NULL;
    }
    v->found_clip = clip;
    limber_result result = LIMBER_OK;
    if (!v->found_contacts)
        result = limber_contacts_find(limber_pipeline_asset(pipeline), (uint32_t)clip, NULL, &v->found_contacts, error);
    v->contacts = v->found_contacts;
    return result;
}

// --- skin ---

static float held(const limberi_views* v, const limber_mesh* mesh, uint32_t u, float height) {
    const uint32_t* joints = v->model->skins[mesh->skin].joints;
    float hold = 0;
    float ground = 0;
    for (uint32_t i = mesh->influence_first[u]; i < mesh->influence_first[u + 1]; i++) {
        uint32_t joint = joints[mesh->influence_joint[i]];
        hold += mesh->influence_weight[i] * v->holds[joint];
        ground += mesh->influence_weight[i] * v->grounds[joint];
    }
    return hold * limberi_contact_reach((height - ground) / (float)limber_contacts_scale(v->contacts));
}

static void paint_vertex(const limberi_views* v, size_t vertex, float t) {
    for (size_t c = 0; c < 3; c++) {
        float neutral = (float)limberi_view_neutral[c];
        float mixed = (neutral + t * ((float)limberi_view_held[c] - neutral)) / 255.0f;
        v->colors[4 * vertex + c] = limberi_linear_from_srgb(mixed);
    }
    v->colors[4 * vertex + 3] = 1.0f;
}

void limberi_view_paint_contacts(limberi_views* v, const limber_frame* frame) {
    bool any =
        v->contacts && frame->skinned && limber_contacts_evaluate(v->contacts, frame->time_s, v->holds, v->grounds);
    for (uint32_t m = 0; m < v->model->mesh_count; m++) {
        const limber_mesh* mesh = &v->model->meshes[m];
        for (uint32_t u = 0; u < mesh->vertex_count; u++) {
            size_t vertex = (size_t)mesh->first_vertex + u;
            paint_vertex(v, vertex, any ? held(v, mesh, u, frame->skinned[3 * vertex + 1]) : 0);
        }
    }
}

// --- the floor ---

static void add_line(limberi_views* v, limber_vec3 from, limber_vec3 to, float opacity) {
    const limber_vec3 ends[2] = {from, to};
    const float radius = 0.0016f * v->model->size;
    const float radii[2] = {radius, radius};
    limberi_shapes_pen(&v->shapes, limberi_view_level, opacity, 0.15f);
    limberi_shapes_path(&v->shapes, ends, radii, 2);
}

// Lines stay where they are in the world, so that one sees the character travel; they fade out around it.
static void add_sheet(limberi_views* v, limber_vec3 middle, float height, float reach) {
    float step = 2 * reach / (LINES - 1);
    float piece = 2 * reach / PIECES;
    for (int along = 0; along < 2; along++)
        for (int i = 0; i < LINES; i++) {
            float center = along ? middle.z : middle.x;
            float across = along ? middle.x : middle.z;
            float at = step * (roundf(center / step) + (float)(i - MIDDLE_LINE));
            for (int k = 0; k < PIECES; k++) {
                float from = across + piece * (float)(k - MIDDLE_PIECE);
                float to = from + piece;
                float away = hypotf(at - center, from + 0.5f * piece - across) / reach;
                float opacity = 0.75f * (1 - away * away);
                if (opacity > 0.02f && along)
                    add_line(v, limberi_vec3(from, height, at), limberi_vec3(to, height, at), opacity);
                else if (opacity > 0.02f)
                    add_line(v, limberi_vec3(at, height, from), limberi_vec3(at, height, to), opacity);
            }
        }
}

static void add_ring(limberi_views* v, limber_vec3 middle, float radius, float opacity) {
    limber_vec3 points[RING + 1];
    float radii[RING + 1];
    for (int i = 0; i <= RING; i++) {
        float angle = 2 * (float)LIMBERI_PI * (float)i / RING;
        points[i] = limberi_add(middle, limberi_vec3(radius * cosf(angle), 0, radius * sinf(angle)));
        radii[i] = 0.0035f * v->model->size;
    }
    limberi_shapes_pen(&v->shapes, limberi_view_held, opacity, 0.12f);
    limberi_shapes_path(&v->shapes, points, radii, RING + 1);
}

static void add_rings(limberi_views* v, const limber_frame* frame) {
    limberi_contacts_touching(v->contacts, frame->time_s, v->holds);
    (void)limber_contacts_evaluate(v->contacts, frame->time_s, NULL, v->grounds);
    for (uint32_t j = 0; j < v->model->rig.joint_count; j++) {
        if (!v->bears_skin[j] || v->holds[j] < 0.05f)
            continue;
        limber_vec3 at = limberi_mat4_point(&frame->pose->world_from_joint[j], v->model->rig.centroid[j]);
        at.y = v->grounds[j] + 0.003f * v->model->size;
        add_ring(v, at, 0.055f * v->model->size, v->holds[j]);
    }
}

// Of the body, from a few vertices.
static limber_vec3 middle_of(const limberi_views* v, const float* positions) {
    limber_vec3 sum = {0, 0, 0};
    uint32_t count = 0;
    uint32_t step = v->model->vertex_count / 2000 + 1;
    for (uint32_t i = 0; i < v->model->vertex_count; i += step, count++)
        sum = limberi_add(sum, limberi_load3(positions + 3 * (size_t)i));
    return count ? limberi_scale(sum, 1 / (float)count) : sum;
}

void limberi_view_floor(limberi_views* v, const limber_frame* frame) {
    if (!v->contacts)
        return;
    limber_vec3 middle = middle_of(v, frame->positions);
    float size = v->model->size;
    float raised = 0.002f * size; // lines lie on the floor, not half in it
    for (uint32_t i = 0; i < limber_contacts_level_count(v->contacts); i++)
        add_sheet(v, middle, (float)limber_contacts_level(v->contacts, i) + raised, (i ? 0.4f : 0.9f) * size);
    add_rings(v, frame);
}
