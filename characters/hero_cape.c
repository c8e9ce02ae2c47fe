// The hero's cape: a shell of cloth on three chains of four joints, gathered at the shoulders.
#include "characters/hero.h"

limber_vec3 hero_cape_point(float across, float down) {
    float wide = kit_mix(0.2f, 0.36f, powf(down, 0.8f));
    float edge = across * across;
    // It lies on the shoulders, stands off the back and falls free below.
    float y = 1.5f - 0.03f * edge - 1.08f * down - 0.02f * down * edge;
    float z = -0.125f - 0.06f * kit_smoothstep(0, 0.25f, down) - 0.04f * down + 0.085f * edge * (1 - 0.35f * down);
    return kit_at(wide * across, y, z);
}

// Folds grow towards the hem.
static void cape_point(void* user, float u, float v, limber_vec3* position) {
    (void)user;
    float across = 1 - 2 * u;
    float down = 1 - v;
    limber_vec3 at = hero_cape_point(across, down);
    float fold = cosf(5 * (float)LIMBERI_PI * across);
    at.z += 0.026f * fold * kit_smoothstep(0.08f, 0.9f, down);
    at.y -= 0.012f * fold * kit_smoothstep(0.6f, 1, down);
    *position = at;
}

static void cape_paint(void* user, kit_vertex* vertex) {
    const hero* rig = user;
    float across = 1 - 2 * vertex->u;
    float down = 1 - vertex->v;
    float fold = cosf(5 * (float)LIMBERI_PI * across);
    bool lining = vertex->normal.z > 0;
    limber_vec3 cloth =
        limberi_lerp(kit_hex(0xe23b2e), kit_hex(0xa81f26), 0.6f * kit_smoothstep(-0.4f, 1, fold) * down);
    vertex->color = lining ? kit_hex(0xf6b73c) : cloth;
    vertex->floppy = kit_mix(0.15f, 1, down);
    vertex->squash = 1;
    vertex->extra = down;
    vertex->weights.count = 0;
    // Columns left, middle, right at across 1, 0, -1; rows from their own joint on.
    float place = 1 - across;
    float row = down * HERO_ROWS;
    uint32_t a = place >= 1 ? 1 : 0;
    float t = kit_smoothstep(0, 1, place - (float)a);
    float own = kit_smoothstep(0.05f, 0.3f, row);
    kit_weights_add(&vertex->weights, rig->body.chest, 1 - own);
    for (uint32_t r = 0; r < HERO_ROWS; r++) {
        float from = r ? kit_smoothstep((float)r - 0.45f, (float)r + 0.45f, row) : 1;
        float to = r + 1 < HERO_ROWS ? kit_smoothstep((float)r + 0.55f, (float)r + 1.45f, row) : 0;
        float share = own * (from - to);
        if (share <= 0)
            continue;
        kit_weights_add(&vertex->weights, rig->cape[a][r], share * (1 - t));
        kit_weights_add(&vertex->weights, rig->cape[a + 1][r], share * t);
    }
}

void hero_model_cape(kit* k, const hero* rig) {
    kit_patch patch = {
        .point = cape_point, .paint = cape_paint, .user = (void*)(uintptr_t)rig, .columns = 34, .rows = 30};
    patch.thickness = 0.012f;
    patch.brush.bind = kit_rigid(k, rig->body.chest);
    kit_mesh_material(k, "Cape", 0, 0.7f, false);
    kit_mesh_patch(k, &patch);
    // The clasps that hold it.
    for (uint32_t side = 0; side < 2; side++) {
        kit_brush clasp = {.bind = kit_rigid(k, rig->body.chest), .color = kit_hex(0xf6b73c), .squash = 1};
        limber_vec3 at = kit_mirrored(kit_at(0.12f, 1.475f, 0.062f), BIPED_SIDES[side]);
        kit_mesh_eye(k, &clasp, at, kit_at(0.036f, 0.02f, 0.036f), kit_at(62, 18 * BIPED_SIDES[side], 0), NULL, 0, 12);
    }
}
