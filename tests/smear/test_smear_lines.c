// Motion lines: where they start, how they run, their shape and color.
#include "kit/smear_stage.h"

enum { LINE_VERTICES = 80, FIRST_MIDDLE = 78, RINGS = 13, SIDES = 6 }; // of a tube; where its start is

static limber_vec3 start_of(const limber_smear_mesh* lines, uint32_t line) {
    return limberi_load3(lines->positions + 3 * ((size_t)line * LINE_VERTICES + FIRST_MIDDLE));
}

// From one corner of a tube to the next: around its ring, along it, or across one of its quads.
static bool are_neighbours(uint32_t a, uint32_t b) {
    int along = abs((int)(a / SIDES) - (int)(b / SIDES)), across = abs((int)(a % SIDES) - (int)(b % SIDES));
    across = across == SIDES - 1 ? 1 : across;
    return along <= 1 && across <= 1;
}

// No hole, and nothing inside out: each edge is that of two triangles, once in either direction.
static void check_triangles(const uint32_t* triangles, uint32_t count, uint32_t first) {
    static uint8_t edges[LINE_VERTICES][LINE_VERTICES];
    memset(edges, 0, sizeof edges);
    for (uint32_t i = 0; i < 3 * count; i++) {
        uint32_t a = triangles[i] - first, b = triangles[i % 3 == 2 ? i - 2 : i + 1] - first;
        assert_true(a < LINE_VERTICES && b < LINE_VERTICES);
        edges[a][b]++;
        if (a < FIRST_MIDDLE && b < FIRST_MIDDLE)
            assert_true(are_neighbours(a, b));
    }
    for (uint32_t a = 0; a < LINE_VERTICES; a++)
        for (uint32_t b = 0; b < LINE_VERTICES; b++)
            assert_true(edges[a][b] <= 1 && edges[a][b] == edges[b][a]);
}

static void check_tube(const limber_smear_mesh* lines) {
    uint32_t count = lines->vertex_count / LINE_VERTICES, each = lines->triangle_count / count;
    for (uint32_t i = 0; i < count; i++)
        check_triangles(lines->triangles + 3 * (size_t)i * each, each, i * LINE_VERTICES);
    for (size_t i = 0; i < lines->vertex_count; i++) {
        limber_vec3 n = limberi_load3(lines->normals + 3 * i);
        assert_float_equal(limberi_length(n), 1, 1e-3);
        assert_true(isfinite(lines->positions[3 * i] + lines->positions[3 * i + 1] + lines->positions[3 * i + 2]));
    }
    for (size_t i = 0; i < 3 * (size_t)lines->triangle_count; i++)
        assert_true(lines->triangles[i] < lines->vertex_count);
}

static void lines_start_at_the_same_points_whatever_else_changes(void** state) {
    (void)state;
    stage s;
    stage_open(&s, "cylinder", "stop");
    s.settings.smear.lines.count = 40;
    s.settings.smear.lines.min_speed = 0;
    stage_start(&s);
    limber_smeared now = smear(&s, 26);
    assert_int_equal(now.mesh_count, 1);
    assert_int_equal(now.meshes[0].vertex_count, 40 * LINE_VERTICES);
    check_tube(&now.meshes[0]);
    limber_vec3 starts[40];
    for (uint32_t i = 0; i < 40; i++)
        starts[i] = start_of(&now.meshes[0], i);
    s.settings.smear.lines.count = 60;
    s.settings.smear.lines.radius.value = 0.01f;
    s.settings.smear.lines.taper.value = 0.5f;
    s.settings.smear.offsets.smooth = 4;
    s.settings.smear.multiples.past = 1;
    s.settings.smear.elongate.amount = formula(&s, "offset");
    stage_start(&s);
    now = smear(&s, 26);
    const limber_smear_mesh* lines = &now.meshes[now.mesh_count - 1];
    assert_int_equal(lines->kind, LIMBER_SMEAR_KIND_LINES);
    for (uint32_t i = 0; i < 40; i++)
        assert_true(limberi_length(limberi_sub(starts[i], start_of(lines, i))) < 1e-6f);
    s.settings.smear.lines.seed = 2;
    stage_start(&s);
    now = smear(&s, 26);
    lines = &now.meshes[now.mesh_count - 1];
    uint32_t same = 0;
    for (uint32_t i = 0; i < 40; i++)
        same += limberi_length(limberi_sub(starts[i], start_of(lines, i))) < 1e-3f;
    assert_int_equal(same, 0);
    stage_close(&s);
}

// They stay at their points of the surface: between the same three vertices in all frames.
static void lines_ride_on_the_surface(void** state) {
    (void)state;
    stage s;
    stage_open(&s, "ball", "dash-stop");
    s.settings.smear.lines.count = 30;
    s.settings.smear.lines.min_speed = 0;
    stage_start(&s);
    for (uint32_t f = 20; f < 30; f++) {
        limber_smeared now = smear(&s, f);
        limber_vec3 center = limberi_mat4_translation(&now.frame.pose->world_from_joint[1]);
        for (uint32_t i = 0; i < 30; i++)
            assert_float_equal(limberi_length(limberi_sub(start_of(&now.meshes[0], i), center)), 0.4f, 0.01);
    }
    // Evenly spread: no two closer than half of what a regular pattern of thirty would have.
    limber_smeared now = smear(&s, 0);
    double apart = sqrt(4 * LIMBERI_PI * 0.4 * 0.4 / 30);
    for (uint32_t i = 0; i < 30; i++)
        for (uint32_t j = 0; j < i; j++)
            assert_true((double)limberi_length(limberi_sub(start_of(&now.meshes[0], i), start_of(&now.meshes[0], j))) >
                        0.5 * apart);
    stage_close(&s);
}

static void lines_follow_the_path(void** state) {
    (void)state;
    stage s;
    stage_open(&s, "ball", "dash-stop");
    s.settings.smear.lines.count = 10;
    s.settings.smear.lines.standard_length = false;
    s.settings.smear.lines.length.value = -3; // into the past
    s.settings.smear.lines.gap.value = 1;
    stage_start(&s);
    uint8_t spins[2] = {0, 1};
    s.settings.smear.ignore_spin = spins;
    stage_start(&s);
    limber_smeared now = smear(&s, 30);
    const limber_smear_mesh* lines = &now.meshes[0];
    limber_vec3 centers[5];
    float* positions = kept(lines->positions, 3 * (size_t)lines->vertex_count);
    for (int k = 0; k < 5; k++) {
        limber_smeared at = smear(&s, 30 - (uint32_t)k);
        centers[k] = limberi_mat4_translation(&at.frame.pose->world_from_joint[1]);
    }
    for (uint32_t i = 0; i < 10; i++) { // without the spin, a point goes where the centre goes
        limber_vec3 start = limberi_load3(positions + 3 * ((size_t)i * LINE_VERTICES + FIRST_MIDDLE));
        limber_vec3 end = limberi_load3(positions + 3 * ((size_t)i * LINE_VERTICES + FIRST_MIDDLE + 1));
        limber_vec3 expected = limberi_sub(centers[4], centers[1]);
        assert_true(limberi_length(limberi_sub(limberi_sub(end, start), expected)) < 1e-3f);
    }
    free(positions);
    s.settings.smear.lines.min_speed = 10;
    stage_start(&s);
    assert_false(smear(&s, 30).meshes[0].visible);
    stage_close(&s);
}

// --- shape ---

static float radius_at(const limber_smear_mesh* lines, uint32_t line, uint32_t ring) {
    const float* first = lines->positions + 3 * ((size_t)line * LINE_VERTICES + (size_t)ring * SIDES);
    limber_vec3 center = limberi_vec3(0, 0, 0);
    for (int k = 0; k < SIDES; k++)
        center = limberi_add(center, limberi_scale(limberi_load3(first + 3 * k), 1.0f / SIDES));
    return limberi_length(limberi_sub(limberi_load3(first), center));
}

static void open_lines(stage* s) {
    stage_open(s, "ball", "dash-stop");
    s->settings.smear.lines.count = 30;
    s->settings.smear.lines.min_speed = 0;
    s->settings.smear.lines.standard_length = false;
    s->settings.smear.lines.length.value = -3;
    s->settings.smear.lines.radius.value = 0.02f;
}

static void lines_taper_at_both_ends(void** state) {
    (void)state;
    stage s;
    open_lines(&s);
    s.settings.smear.lines.taper.value = 0.5f;
    s.settings.smear.lines.point.value = 0.8f;
    stage_start(&s);
    limber_smeared now = smear(&s, 30);
    float whole = 0.02f * s.model->size;
    for (uint32_t r = 0; r < RINGS; r++) {
        float t = (float)r / (RINGS - 1), start = fmaxf(1 - 4 * t, 0);
        assert_float_equal(radius_at(&now.meshes[0], 3, r), whole * (1 - 0.5f * t) * (1 - 0.8f * start), 1e-5);
    }
    stage_close(&s);
}

// Of rings with a random number each, the fraction below `dry` is bare, about.
static double ink_of(stage* s, float dry) {
    s->settings.smear.lines.dry.value = dry;
    stage_start(s);
    limber_smeared now = smear(s, 30);
    double sum = 0;
    for (uint32_t i = 0; i < 30; i++)
        for (uint32_t r = 0; r < RINGS; r++)
            sum += (double)radius_at(&now.meshes[0], i, r) / (30 * RINGS * 0.02 * (double)s->model->size);
    return sum;
}

static void dry_lines_break_up(void** state) {
    (void)state;
    stage s;
    open_lines(&s);
    s.settings.smear.lines.taper.value = 0;
    assert_float_equal(ink_of(&s, 0), 1, 1e-4);
    assert_float_equal(ink_of(&s, 0.5f), 0.5,
                       0.06); // the cut is 0.3 wide and ends at 1.3 dry: half is left, on average
    assert_float_equal(ink_of(&s, 1), 0, 1e-4);
    ink_of(&s, 0.5f);
    limber_smeared now = smear(&s, 30);
    float first[RINGS];
    for (uint32_t r = 0; r < RINGS; r++)
        first[r] = radius_at(&now.meshes[0], 7, r);
    now = smear(&s, 27); // the same breaks in every frame
    for (uint32_t r = 0; r < RINGS; r++)
        assert_float_equal(radius_at(&now.meshes[0], 7, r), first[r], 1e-5);
    stage_close(&s);
}

// On a ball the normal is the direction from the middle, and without spin everything moves alike.
static void silhouette_lines_start_where_the_surface_turns_away(void** state) {
    (void)state;
    stage s;
    open_lines(&s);
    uint8_t spins[2] = {0, 1};
    s.settings.smear.lines.count = 200;
    s.settings.smear.ignore_spin = spins;
    s.settings.smear.lines.silhouette = true;
    stage_start(&s);
    limber_smeared now = smear(&s, 24), next;
    limber_vec3 center = limberi_mat4_translation(&now.frame.pose->world_from_joint[1]);
    float* positions = kept(now.meshes[0].positions, 3 * (size_t)now.meshes[0].vertex_count);
    limber_smear_mesh lines = now.meshes[0];
    next = smear(&s, 25);
    limber_vec3 way =
        limberi_normalize(limberi_sub(limberi_mat4_translation(&next.frame.pose->world_from_joint[1]), center));
    lines.positions = positions;
    int shown = 0, hidden = 0, wrong = 0;
    for (uint32_t i = 0; i < 200; i++) {
        limber_vec3 out = limberi_normalize(limberi_sub(start_of(&lines, i), center));
        float c = limberi_dot(out, way), radius = radius_at(&lines, i, 0) / (0.02f * s.model->size);
        bool front = c > 0.35f || c<-0.85f, back = c> - 0.45f && c < 0; // faces are flat: their normals are a bit off
        hidden += front;
        shown += back;
        wrong += (front && radius > 1e-4f) || (back && radius < 0.99f);
    }
    assert_true(hidden > 60 && shown > 30);
    if (wrong > 6) // on the rims of eyes and dots, which stand out
        fail_msg("%d of %d", wrong, hidden + shown);
    free(positions);
    stage_close(&s);
}

// --- color ---

static void read_texel(void* user, uint32_t image, float u, float v, float* rgba) {
    *(uint32_t*)user += 1;
    assert_int_equal(image, 0);
    rgba[0] = u;
    rgba[1] = v;
    rgba[2] = 0.25f;
}

// A character with texture coordinates and one image whose color is the coordinates themselves.
static void lines_have_the_color_of_the_surface(void** state) {
    (void)state;
    stage s;
    open_lines(&s);
    limber_image image = {"map", (const uint8_t*)"x", 1, NULL};
    limber_model model = *s.model;
    limber_material* materials = malloc((model.material_count + 1) * sizeof *materials);
    memcpy(materials, model.materials, model.material_count * sizeof *materials);
    for (uint32_t i = 0; i < model.material_count; i++) {
        materials[i].image = 0;
        for (int c = 0; c < 3; c++)
            materials[i].base_color[c] = 0.5f;
    }
    limber_mesh* meshes = malloc(model.mesh_count * sizeof *meshes);
    memcpy(meshes, model.meshes, model.mesh_count * sizeof *meshes);
    float* uvs = malloc(2 * (size_t)meshes[0].vertex_count * sizeof *uvs);
    for (uint32_t i = 0; i < 2 * meshes[0].vertex_count; i++)
        uvs[i] = i % 2 ? 0.75f : 0.5f;
    assert_true(model.mesh_count == 1 && model.material_count > 0);
    meshes[0].uvs = uvs;
    meshes[0].colors = NULL;
    model.materials = materials;
    model.meshes = meshes;
    model.images = &image;
    model.image_count = 1;
    stage_use(&s, &model);
    uint32_t reads = 0;
    s.settings.smear.lines.texels.read = read_texel;
    s.settings.smear.lines.texels.user = &reads;
    stage_start(&s);
    limber_smeared now = smear(&s, 30);
    assert_int_equal(reads, 30);
    const float surface[3] = {0.25f, 0.375f, 0.125f};
    for (uint32_t i = 0; i < now.meshes[0].vertex_count; i++)
        assert_true(distance(now.meshes[0].colors + 4 * (size_t)i, surface, 3) < 1e-6);
    s.settings.smear.lines.colored = true;
    s.settings.smear.lines.color[1] = 0.625f;
    stage_start(&s);
    now = smear(&s, 30);
    const float given[3] = {0, 0.625f, 0};
    for (uint32_t i = 0; i < now.meshes[0].vertex_count; i++)
        assert_true(distance(now.meshes[0].colors + 4 * (size_t)i, given, 3) < 1e-6);
    free(materials);
    free(meshes);
    free(uvs);
    stage_close(&s);
}

// SMEAR, section 4.3: the color of lines varies with the motion offset and along their length.
static void lines_go_from_one_color_to_another(void** state) {
    (void)state;
    stage s;
    open_lines(&s);
    limber_smear_settings* set = &s.settings.smear;
    const limber_expression_scope all = {(1u << LIMBER_VARIABLE_COUNT) - 1, true};
    limber_expression *start, *length;
    assert_int_equal(limber_expression_create("0.5 + 0.5 * offset", &all, &start, NULL), LIMBER_OK);
    assert_int_equal(limber_expression_create("8 * offset", &all, &length, NULL), LIMBER_OK);
    set->lines.colored = true;
    set->line_tint.on = true;
    set->line_tint.color[0] = 1;
    set->line_tint.end.value = 0.75f;
    set->line_tint.start.expression = start;
    set->lines.standard_length = false;
    set->lines.length.expression = length; // so that its sign is that of the offset
    stage_start(&s);
    limber_smeared now = smear(&s, 30);
    const limber_smear_mesh* mesh = &now.meshes[0];
    uint32_t per_line = mesh->vertex_count / set->lines.count;
    float least = 1;
    float most = 0;
    for (uint32_t i = 0; i < set->lines.count; i++) {
        const float* first = mesh->colors + 4 * (size_t)i * per_line;
        const float* ends = first + 4 * (size_t)(per_line - 2); // the middles of the two ends
        if (ends[3] == 0)
            continue;
        assert_true(first[0] == ends[0] && fabsf(ends[4] - 0.75f) < 1e-6f && first[1] == 0 && first[2] == 0);
        for (uint32_t v = 0; v + 2 < per_line; v++) { // straight from the one to the other
            float along = (float)(v / SIDES) / (RINGS - 1);
            assert_true(fabsf(first[4 * v] - (first[0] + along * (0.75f - first[0]))) < 1e-5f);
        }
        least = fminf(least, first[0]);
        most = fmaxf(most, first[0]);
    }
    assert_true(least >= 0 && least < 0.3f && most > 0.7f && most <= 1); // lines that trail, and lines that lead
    set->line_tint.on = false;
    stage_start(&s);
    now = smear(&s, 30);
    for (uint32_t v = 0; v < now.meshes[0].vertex_count; v++)
        assert_true(now.meshes[0].colors[4 * (size_t)v] == 0);
    limber_expression_destroy(start);
    limber_expression_destroy(length);
    stage_close(&s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lines_start_at_the_same_points_whatever_else_changes),
        cmocka_unit_test(lines_ride_on_the_surface),
        cmocka_unit_test(lines_follow_the_path),
        cmocka_unit_test(lines_taper_at_both_ends),
        cmocka_unit_test(dry_lines_break_up),
        cmocka_unit_test(silhouette_lines_start_where_the_surface_turns_away),
        cmocka_unit_test(lines_have_the_color_of_the_surface),
        cmocka_unit_test(lines_go_from_one_color_to_another),
    };
    return cmocka_run_group_tests_name("smear lines", tests, NULL, NULL);
}
