// The built-in characters: sizes, weights, closed surfaces, clips that loop, stop and stand on the floor, and
// refusals. (test_characters_detail.c builds large ones.)
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "asset/channel.h"
#include "base/math.h"
#include "characters/characters.h"
#include "kit/models.h"
#include <limber/stages/pose.h>
#include <limber/stages/skin.h>

// Every character at detail 1, built when first asked for and shared by the tests.
enum { CHARACTERS = 20 };
static limber_asset* standards[CHARACTERS];

static const limber_model* standard(const char* name) {
    for (uint32_t i = 0; i < limberi_character_count() && i < CHARACTERS; i++)
        if (strcmp(limberi_character_at(i)->name, name) == 0) {
            if (!standards[i])
                standards[i] = test_built_in(name, 1);
            return limber_asset_model(standards[i]);
        }
    fail_msg("there is no %s", name);
    return NULL;
}

static int destroy_standards(void** state) {
    (void)state;
    for (int i = 0; i < CHARACTERS; i++)
        limber_asset_destroy(standards[i]);
    return 0;
}

typedef void (*check)(const char* name, const limber_model* model);

static void for_each_character(check what) {
    for (uint32_t i = 0; i < limberi_character_count(); i++)
        what(limberi_character_at(i)->name, standard(limberi_character_at(i)->name));
}

// ---- counts ----

typedef struct expectation {
    const char* name;
    uint32_t vertices_min, vertices_max, joints_min, joints_max, clips_min;
} expectation;

static void characters_have_the_promised_sizes(void** state) {
    (void)state;
    static const expectation expected[] = {
        {"ball", 1000, 3000, 1, 3, 3},      {"dog", 3000, 4500, 29, 31, 4},      {"hero", 5000, 6500, 39, 41, 4},
        {"toon", 4000, 6000, 28, 30, 4},    {"cow", 3000, 3400, 24, 26, 4},      {"cylinder", 1000, 2500, 5, 5, 3},
        {"giraffe", 1850, 2150, 53, 57, 3}, {"dancer", 13500, 16500, 63, 67, 2}, {"flower", 500, 20000, 3, 128, 2},
        {"snail", 500, 20000, 3, 128, 2},   {"bird", 4000, 5500, 1, 1, 2},       {"dragon", 6000, 8000, 18, 18, 2},
        {"horse", 3500, 5000, 25, 25, 4},   {"pole", 1000, 1200, 4, 4, 3},       {"gymnast", 4000, 6000, 29, 30, 1},
        {"pusher", 4000, 6000, 29, 30, 1}};
    assert_int_equal(limberi_character_count(), sizeof expected / sizeof *expected);
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
        const expectation* e = &expected[i];
        const limber_model* model = standard(e->name);
        print_message("%-9s %6u vertices %3u joints %u clips\n", e->name, model->vertex_count, model->rig.joint_count,
                      model->clip_count);
        assert_in_range(model->vertex_count, e->vertices_min, e->vertices_max);
        assert_in_range(model->rig.joint_count, e->joints_min, e->joints_max);
        assert_true(model->clip_count >= e->clips_min);
    }
}

static void the_list_ends_where_the_count_says(void** state) {
    (void)state;
    assert_non_null(limberi_character_at(limberi_character_count() - 1));
    assert_null(limberi_character_at(limberi_character_count()));
    for (uint32_t i = 0; i < limberi_character_count(); i++)
        assert_true(strlen(limberi_character_at(i)->summary) > 10);
}

// ---- vertices ----

static void check_weights(const char* name, const limber_model* model) {
    for (uint32_t m = 0; m < model->mesh_count; m++) {
        const limber_mesh* mesh = &model->meshes[m];
        for (uint32_t u = 0; u < mesh->vertex_count; u++) {
            uint32_t first = mesh->influence_first[u], end = mesh->influence_first[u + 1];
            float sum = 0;
            assert_in_range(end - first, 1, 4);
            for (uint32_t i = first; i < end; i++) {
                assert_true(mesh->influence_weight[i] > 0);
                sum += mesh->influence_weight[i];
            }
            if (fabsf(sum - 1) > 1e-5f)
                fail_msg("%s: weights of vertex %u sum to %g", name, u, (double)sum);
        }
    }
}

static void weights_are_positive_normalised_and_at_most_four(void** state) {
    (void)state;
    for_each_character(check_weights);
}

static void check_vertices(const char* name, const limber_model* model) {
    assert_true(model->rest_min.y > -0.003f * model->size);
    assert_true(model->rest_min.y < 0.02f * model->size);
    for (uint32_t m = 0; m < model->mesh_count; m++) {
        const limber_mesh* mesh = &model->meshes[m];
        assert_non_null(mesh->colors);
        for (uint32_t u = 0; u < mesh->vertex_count; u++) {
            limber_vec3 p = limberi_load3(mesh->positions + 3 * u), n = limberi_load3(mesh->normals + 3 * u);
            if (!isfinite(p.x + p.y + p.z) || fabsf(limberi_length(n) - 1) > 1e-4f)
                fail_msg("%s: vertex %u has no place or no normal", name, u);
            for (int c = 0; c < 4; c++)
                assert_true(mesh->colors[4 * u + (uint32_t)c] >= 0 && mesh->colors[4 * u + (uint32_t)c] <= 1);
            for (uint32_t l = 0; l < mesh->layer_count; l++)
                assert_true(fabsf(mesh->layers[l].values[u]) <= 1);
        }
        assert_non_null(limber_mesh_find_layer(mesh, "floppy"));
        assert_non_null(limber_mesh_find_layer(mesh, "squash"));
    }
}

static void vertices_are_finite_coloured_and_stand_on_the_floor(void** state) {
    (void)state;
    for_each_character(check_vertices);
}

static void check_facing(const char* name, const limber_model* model) {
    for (uint32_t m = 0; m < model->mesh_count; m++) {
        const limber_mesh* mesh = &model->meshes[m];
        uint32_t against = 0;
        for (uint32_t t = 0; t < mesh->triangle_count; t++) {
            const uint32_t* c = mesh->triangles + 3 * t;
            limber_vec3 a = limberi_load3(mesh->positions + 3 * c[0]);
            limber_vec3 ab = limberi_sub(limberi_load3(mesh->positions + 3 * c[1]), a);
            limber_vec3 ac = limberi_sub(limberi_load3(mesh->positions + 3 * c[2]), a);
            limber_vec3 sum = {0, 0, 0};
            for (int i = 0; i < 3; i++)
                sum = limberi_add(sum, limberi_load3(mesh->normals + 3 * c[i]));
            against += limberi_dot(limberi_cross(ab, ac), sum) <= 0;
        }
        // Around the rim of a thin shell (petals, cloth) triangles may stand square to the normals at their corners;
        // animals have no such rims.
        bool animal = strcmp(name, "cow") == 0 || strcmp(name, "giraffe") == 0;
        bool winged = strcmp(name, "bird") == 0; // all rims
        if (against > (animal ? 0 : mesh->triangle_count / (winged ? 25 : 50)))
            fail_msg("%s: %u of %u triangles face away from their normals", name, against, mesh->triangle_count);
    }
}

static void triangles_face_the_way_their_normals_do(void** state) {
    (void)state;
    for_each_character(check_facing);
}

// ---- closed surfaces ----

typedef struct place {
    float at[3];
    uint32_t vertex;
} place;

static int by_place(const void* a, const void* b) {
    return memcmp(((const place*)a)->at, ((const place*)b)->at, sizeof(float) * 3);
}

// Vertices that lie exactly on each other (a sharp border of colours, a sharp rim) count as one.
static uint32_t* weld(const limber_mesh* mesh) {
    place* places = malloc(sizeof *places * mesh->vertex_count);
    uint32_t* same = malloc(sizeof *same * mesh->vertex_count);
    assert_non_null(places);
    assert_non_null(same);
    for (uint32_t u = 0; u < mesh->vertex_count; u++) {
        for (uint32_t i = 0; i < 3; i++) {
            float x = mesh->positions[3 * u + i];
            // Around a full turn sin(2 pi) is not quite 0: places are compared to a hundredth of a millimetre.
            places[u].at[i] = roundf(x * 1e5f) + 0.0f;
        }
        places[u].vertex = u;
    }
    qsort(places, mesh->vertex_count, sizeof *places, by_place);
    uint32_t representative = 0;
    for (uint32_t i = 0; i < mesh->vertex_count; i++) {
        if (i == 0 || by_place(&places[i - 1], &places[i]) != 0)
            representative = places[i].vertex;
        same[places[i].vertex] = representative;
    }
    free(places);
    return same;
}

static int by_key(const void* a, const void* b) {
    uint64_t x = *(const uint64_t*)a, y = *(const uint64_t*)b;
    return x < y ? -1 : x > y;
}

// Every edge must be run through as often in one direction as in the other.
static uint32_t open_edges(const limber_mesh* mesh) {
    uint32_t* same = weld(mesh);
    uint64_t* edges = malloc(sizeof *edges * 3 * mesh->triangle_count);
    size_t count = 0;
    assert_non_null(edges);
    for (uint32_t t = 0; t < mesh->triangle_count; t++)
        for (uint32_t i = 0; i < 3; i++) {
            uint64_t a = same[mesh->triangles[3 * t + i]], b = same[mesh->triangles[3 * t + (i + 1) % 3]];
            if (a != b)
                edges[count++] = a < b ? a << 33 | b << 1 : b << 33 | a << 1 | 1;
        }
    qsort(edges, count, sizeof *edges, by_key);
    uint32_t open = 0;
    for (size_t i = 0; i < count;) {
        size_t forth = 0, back = 0, j = i;
        for (; j < count && edges[j] >> 1 == edges[i] >> 1; j++)
            *(edges[j] & 1 ? &back : &forth) += 1;
        open += forth != back;
        i = j;
    }
    free(edges);
    free(same);
    return open;
}

static void check_closed(const char* name, const limber_model* model) {
    for (uint32_t m = 0; m < model->mesh_count; m++) {
        uint32_t open = open_edges(&model->meshes[m]);
        // The dancer's skirt is cloth: its waist, one ring inside the body, may stay open.
        if (open > (strcmp(name, "dancer") == 0 ? 100u : 0u))
            fail_msg("%s: mesh '%s' has %u open edges", name, model->meshes[m].name, open);
    }
}

static void surfaces_are_closed(void** state) {
    (void)state;
    for_each_character(check_closed);
}

// ---- clips ----

static void sample(const limber_model* model, const limber_clip* clip, double t, limber_pose* pose) {
    limber_clip_sample(model, clip, t, pose);
    limber_pose_update_world(model, pose);
}

static float joint_way(const limber_pose* a, const limber_pose* b, uint32_t j) {
    limber_vec3 p = limberi_mat4_translation(&a->world_from_joint[j]);
    return limberi_length(limberi_sub(p, limberi_mat4_translation(&b->world_from_joint[j])));
}

static limber_vec3 joint_velocity(const limber_model* model, const limber_clip* clip, uint32_t j, double t, double step,
                                  limber_pose* pose) {
    sample(model, clip, t, pose);
    limber_vec3 a = limberi_mat4_point(&pose->world_from_joint[j], limberi_vec3(0.1f, 0.1f, 0.1f));
    sample(model, clip, t + step, pose);
    limber_vec3 b = limberi_mat4_point(&pose->world_from_joint[j], limberi_vec3(0.1f, 0.1f, 0.1f));
    return limberi_scale(limberi_sub(b, a), (float)(1 / step));
}

static void check_loop(const limber_model* model, const limber_clip* clip) {
    limber_pose first, last;
    assert_int_equal(limber_pose_create(model, &first), LIMBER_OK);
    assert_int_equal(limber_pose_create(model, &last), LIMBER_OK);
    sample(model, clip, clip->start_s, &first);
    sample(model, clip, clip->end_s, &last);
    for (uint32_t j = 0; j < model->rig.joint_count; j++) {
        if (!(joint_way(&first, &last, j) < 1e-5f * model->size))
            fail_msg("'%s' does not close", clip->name);
        limber_vec3 out = joint_velocity(model, clip, j, clip->start_s, 2e-4, &first);
        limber_vec3 in = joint_velocity(model, clip, j, clip->end_s, -2e-4, &first);
        float jump = limberi_length(limberi_sub(out, in));
        if (jump > 0.2f * model->size)
            fail_msg("clip '%s': %s changes speed by %g m/s where the loop closes", clip->name, model->rig.names[j],
                     (double)jump);
        sample(model, clip, clip->start_s, &first);
    }
    limber_pose_destroy(&first);
    limber_pose_destroy(&last);
}

static void check_loops(const char* name, const limber_model* model) {
    (void)name;
    uint32_t loops = 0;
    for (uint32_t c = 0; c < model->clip_count; c++)
        if (model->clips[c].loops && !model->clips[c].travels) {
            check_loop(model, &model->clips[c]);
            loops++;
        }
    assert_true(loops >= 1);
}

static void loops_close_in_place_and_in_speed(void** state) {
    (void)state;
    for_each_character(check_loops);
}

static void check_clip_shape(const char* name, const limber_model* model) {
    for (uint32_t c = 0; c < model->clip_count; c++) {
        const limber_clip* clip = &model->clips[c];
        assert_true(clip->end_s > 0.5 && clip->end_s < 12);
        assert_true(fabs(clip->fps - 30) < 0.01);
        if (clip->cut_count)
            fail_msg("%s: clip '%s' jumps at %g s", name, clip->name, clip->cuts[0].before_s);
        for (uint32_t i = 0; i < clip->channel_count; i++)
            assert_int_not_equal(clip->channels[i].path, LIMBER_CHANNEL_SCALE);
    }
}

static void clips_have_thirty_keys_a_second_no_cuts_and_no_scale(void** state) {
    (void)state;
    for_each_character(check_clip_shape);
}

static void check_turns(const char* name, const limber_model* model) {
    for (uint32_t c = 0; c < model->clip_count; c++) {
        const limber_clip* clip = &model->clips[c];
        for (uint32_t i = 0; i < clip->channel_count; i++) {
            const limber_channel* channel = &clip->channels[i];
            for (uint32_t k = 1; channel->path == LIMBER_CHANNEL_ROTATION && k < channel->key_count; k++) {
                const float *a = limberi_channel_key(channel, k - 1), *b = limberi_channel_key(channel, k);
                double cosine = fabs((double)(a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3]));
                if (cosine < 0.7071) // of half the angle: the fastest legs turn by 78 degrees
                    fail_msg("%s: joint '%s' turns inside out at %g s of '%s'", name, model->rig.names[channel->target],
                             (double)channel->times[k], clip->name);
            }
        }
    }
}

static void no_joint_turns_inside_out_from_key_to_key(void** state) {
    (void)state;
    for_each_character(check_turns);
}

// A clip that stops must move fast and then stand.
static void check_stops(const char* name, const limber_model* model) {
    limber_pose a, b;
    uint32_t stops = 0;
    assert_int_equal(limber_pose_create(model, &a), LIMBER_OK);
    assert_int_equal(limber_pose_create(model, &b), LIMBER_OK);
    for (uint32_t c = 0; c < model->clip_count; c++) {
        const limber_clip* clip = &model->clips[c];
        if (!strstr(clip->name, "stop"))
            continue;
        stops++;
        float fastest = 0;
        for (double t = clip->start_s; t + 1.0 / 30 < clip->end_s; t += 1.0 / 30) {
            sample(model, clip, t, &a);
            sample(model, clip, t + 1.0 / 30, &b);
            for (uint32_t j = 0; j < model->rig.joint_count; j++)
                fastest = fmaxf(fastest, 30 * joint_way(&a, &b, j));
        }
        sample(model, clip, clip->end_s - 0.2, &a);
        sample(model, clip, clip->end_s, &b);
        for (uint32_t j = 0; j < model->rig.joint_count; j++)
            assert_true(joint_way(&a, &b, j) < 0.004f * model->size);
        if (fastest < 0.8f * model->size)
            fail_msg("%s: '%s' never gets faster than %g m/s", name, clip->name, (double)fastest);
    }
    limber_pose_destroy(&a);
    limber_pose_destroy(&b);
    // A dancer comes to rest gracefully; everyone else has a clip that stops dead.
    bool holds_on = strcmp(name, "gymnast") == 0 || strcmp(name, "pusher") == 0;
    if (!stops && !holds_on && strcmp(name, "dancer") != 0)
        fail_msg("%s has no clip that stops", name);
}

static void stops_are_fast_before_and_still_after(void** state) {
    (void)state;
    for_each_character(check_stops);
}

static float lowest_point(const limber_model* model, const limber_pose* pose, limber_mat4* palette, float* positions) {
    float lowest = INFINITY;
    for (uint32_t m = 0; m < model->mesh_count; m++) {
        const limber_mesh* mesh = &model->meshes[m];
        const limber_skin* skin = &model->skins[mesh->skin];
        limber_skin_palette(skin, pose, palette);
        limber_skin_job job = limber_skin_job_default();
        job.mesh = mesh;
        job.palette = palette;
        job.palette_count = skin->joint_count;
        job.out_positions = positions;
        assert_int_equal(limber_skin_evaluate(&job), LIMBER_OK);
        for (uint32_t u = 0; u < mesh->vertex_count; u++)
            lowest = fminf(lowest, positions[3 * u + 1]);
    }
    return lowest;
}

static void check_floor(const char* name, const limber_model* model) {
    limber_pose pose;
    float* positions = malloc(sizeof(float) * 3 * model->vertex_count);
    limber_mat4* palette = malloc(sizeof *palette * model->rig.joint_count);
    assert_int_equal(limber_pose_create(model, &pose), LIMBER_OK);
    for (uint32_t c = 0; c < model->clip_count; c++) {
        const limber_clip* clip = &model->clips[c];
        for (double t = clip->start_s; t <= clip->end_s; t += 1.0 / 15) {
            sample(model, clip, t, &pose);
            float lowest = lowest_point(model, &pose, palette, positions);
            // A hoof that rolls off or a foot that skids may dip by a few millimetres.
            if (lowest < -0.01f * model->size)
                fail_msg("%s: '%s' sinks to %g m at %g s", name, clip->name, (double)lowest, t);
        }
    }
    limber_pose_destroy(&pose);
    free(positions);
    free(palette);
}

static void nothing_sinks_into_the_floor(void** state) {
    (void)state;
    for_each_character(check_floor);
}

typedef struct gait {
    const char *character, *feet[4];
    double speed; // stride / period, metres per second
} gait;

// The walks are on the spot: a foot on the floor must glide back exactly as fast as the body would go.
static void check_gait(const gait* g) {
    const limber_model* model = standard(g->character);
    const limber_clip* clip = &model->clips[limber_model_find_clip(model, "walk")];
    const double step = 1.0 / 60;
    limber_pose a, b;
    assert_int_equal(limber_pose_create(model, &a), LIMBER_OK);
    assert_int_equal(limber_pose_create(model, &b), LIMBER_OK);
    for (double t = 0; t + step < clip->end_s; t += step) {
        uint32_t standing = 0;
        sample(model, clip, t, &a);
        sample(model, clip, t + step, &b);
        for (int f = 0; f < 4; f++) {
            int32_t j = limber_rig_find_joint(&model->rig, g->feet[f]);
            assert_true(j >= 0);
            limber_vec3 p = limberi_mat4_translation(&a.world_from_joint[j]);
            limber_vec3 q = limberi_mat4_translation(&b.world_from_joint[j]);
            float rest = model->rig.world_from_joint_rest[j].m[13];
            if (fabsf(p.y - rest) > 0.0021f || fabsf(q.y - rest) > 0.0021f)
                continue;
            standing++;
            double slip = (double)(q.z - p.z) + g->speed * step;
            if (fabs(slip) > 0.002)
                fail_msg("%s: %s slips %g m at %g s", g->character, g->feet[f], slip, t);
        }
        assert_true(standing >= 2);
    }
    limber_pose_destroy(&a);
    limber_pose_destroy(&b);
}

static void walking_feet_do_not_slide(void** state) {
    (void)state;
    const gait cow = {
        "cow", {"LegFrontHoofLeft", "LegFrontHoofRight", "LegHindHoofLeft", "LegHindHoofRight"}, 0.46 / 1.2};
    const gait giraffe = {"giraffe",
                          {"LegFrontAnkleLeft", "LegFrontAnkleRight", "LegHindAnkleLeft", "LegHindAnkleRight"},
                          0.72 / (50 / 30.0)};
    check_gait(&cow);
    check_gait(&giraffe);
}

typedef struct sole {
    const char *character, *clip;
    double speed; // stride / period of a run on the spot; 0: the clip travels
} sole;

static void skin_at(const limber_model* model, const limber_clip* clip, double t, limber_pose* pose,
                    limber_mat4* palette, float* positions) {
    sample(model, clip, t, pose);
    (void)lowest_point(model, pose, palette, positions);
}

// Whatever touches the floor now and a moment later must have moved with it. Feet roll, so this looks at vertices.
static void check_sole(const sole* s) {
    const limber_model* model = standard(s->character);
    const limber_clip* clip = &model->clips[limber_model_find_clip(model, s->clip)];
    const double step = 1.0 / 60;
    const float touching = model->rest_min.y + 0.004f;
    size_t size = sizeof(float) * 3 * model->vertex_count;
    float *a = malloc(size), *b = malloc(size);
    limber_mat4* palette = malloc(sizeof *palette * model->rig.joint_count);
    limber_pose pose;
    uint32_t seen = 0;
    assert_int_equal(limber_pose_create(model, &pose), LIMBER_OK);
    for (double t = 0; t + step < clip->end_s; t += step) {
        skin_at(model, clip, t, &pose, palette, a);
        skin_at(model, clip, t + step, &pose, palette, b);
        for (uint32_t u = 0; u < model->vertex_count; u++) {
            if (a[3 * u + 1] > touching || b[3 * u + 1] > touching)
                continue;
            double x = (double)(b[3 * u] - a[3 * u]), z = (double)(b[3 * u + 2] - a[3 * u + 2]) + s->speed * step;
            if (hypot(x, z) > 0.005)
                fail_msg("%s: vertex %u slides %g m at %g s of %s", s->character, u, hypot(x, z), t, s->clip);
            seen++;
        }
    }
    assert_true(seen > 20);
    limber_pose_destroy(&pose);
    free(a);
    free(b);
    free(palette);
}

static void runners_do_not_slide_neither_running_nor_braking(void** state) {
    (void)state;
    const sole soles[] = {{"toon", "run", 1.62 / (16 / 30.0)}, {"toon", "stop", 0},
                          {"hero", "run", 2.5 / (18 / 30.0)},  {"hero", "stop", 0},
                          {"dog", "run", 1.35 / (16 / 30.0)},  {"dog", "stop", 0}};
    for (size_t i = 0; i < sizeof soles / sizeof *soles; i++)
        check_sole(&soles[i]);
}

// ---- rigging ----

static bool ends_with(const char* text, const char* end) {
    size_t n = strlen(text), m = strlen(end);
    return n >= m && strcmp(text + n - m, end) == 0;
}

// Between the legs both may have a say, but not on a leg itself.
static void legs_do_not_pull_on_each_other(void** state) {
    (void)state;
    static const char* const names[] = {"cow", "giraffe"};
    for (int n = 0; n < 2; n++) {
        const limber_model* model = standard(names[n]);
        const limber_mesh* mesh = &model->meshes[0];
        for (uint32_t u = 0; u < mesh->vertex_count; u++) {
            float left = 0, right = 0;
            for (uint32_t i = mesh->influence_first[u]; i < mesh->influence_first[u + 1]; i++) {
                const char* joint = model->rig.names[model->skins[0].joints[mesh->influence_joint[i]]];
                if (strncmp(joint, "Leg", 3) == 0)
                    *(ends_with(joint, "Left") ? &left : &right) += mesh->influence_weight[i];
            }
            if (fmaxf(left, right) > 0.5f)
                assert_true(fminf(left, right) < 0.1f);
        }
    }
}

static float mean_layer(const limber_model* model, const char* layer, const char* joint) {
    const limber_mesh* mesh = &model->meshes[0];
    const limber_layer* values = limber_mesh_find_layer(mesh, layer);
    int32_t j = limber_rig_find_joint(&model->rig, joint);
    float sum = 0, total = 0;
    for (uint32_t u = 0; u < mesh->vertex_count; u++)
        for (uint32_t i = mesh->influence_first[u]; i < mesh->influence_first[u + 1]; i++)
            if ((int32_t)model->skins[0].joints[mesh->influence_joint[i]] == j) {
                sum += mesh->influence_weight[i] * values->values[u];
                total += mesh->influence_weight[i];
            }
    assert_true(total > 0);
    return sum / total;
}

static void ears_and_tail_of_the_cow_are_floppier_than_its_body(void** state) {
    (void)state;
    const limber_model* model = standard("cow");
    assert_true(mean_layer(model, "floppy", "EarLeft") > 0.8f);
    assert_true(mean_layer(model, "floppy", "Tail3") > 0.8f);
    assert_true(mean_layer(model, "floppy", "Hips") < 0.25f);
    assert_true(mean_layer(model, "squash", "Udder") > mean_layer(model, "squash", "LegHindLowerLeft"));
}

static void cylinder_is_exact(void** state) {
    (void)state;
    const limber_model* model = standard("cylinder");
    const limber_mesh* mesh = &model->meshes[0];
    assert_true(fabsf(model->rest_max.y - 2) < 1e-6f && fabsf(model->rest_min.y) < 1e-6f);
    for (uint32_t u = 0; u < mesh->vertex_count; u++) {
        limber_vec3 p = limberi_load3(mesh->positions + 3 * u);
        float radius = sqrtf(p.x * p.x + p.z * p.z);
        assert_true(fabsf(radius - 0.25f) < 1e-6f || radius < 1e-6f);
        assert_in_range(mesh->influence_first[u + 1] - mesh->influence_first[u], 1, 2);
        // Halfway between joints one of them owns the ring, at a joint's height two share it evenly.
        float phase = fmodf(p.y, 0.4f) / 0.4f;
        float weight = mesh->influence_weight[mesh->influence_first[u]];
        if (fabsf(phase - 0.5f) < 1e-4f)
            assert_true(weight > 0.999f);
        if (p.y > 0.1f && p.y < 1.9f && (phase < 1e-4f || phase > 0.9999f))
            assert_true(fabsf(weight - 0.5f) < 1e-3f);
    }
}

// ---- detail ----

static void check_closed_at(const char* name, double detail) {
    limber_asset* asset = test_built_in(name, detail);
    check_weights(name, limber_asset_model(asset));
    check_closed(name, limber_asset_model(asset));
    check_facing(name, limber_asset_model(asset));
    limber_asset_destroy(asset);
}

static void other_details_are_as_sound_as_the_standard(void** state) {
    (void)state;
    check_closed_at("cow", 0.5);
    check_closed_at("cow", 2.7);
    check_closed_at("giraffe", 0.6);
    check_closed_at("giraffe", 1.3);
    check_closed_at("ball", 0.5);
    check_closed_at("cylinder", 0.5);
}

static void assert_same_floats(const float* a, const float* b, size_t count) {
    assert_memory_equal(a, b, sizeof(float) * count);
}

static void the_same_character_is_built_from_the_same_bytes(void** state) {
    (void)state;
    for (uint32_t n = 0; n < limberi_character_count(); n++) {
        const char* name = limberi_character_at(n)->name;
        limber_asset* again = test_built_in(name, 1);
        const limber_model *a = standard(name), *b = limber_asset_model(again);
        assert_int_equal(a->vertex_count, b->vertex_count);
        for (uint32_t m = 0; m < a->mesh_count; m++) {
            const limber_mesh *p = &a->meshes[m], *q = &b->meshes[m];
            size_t influences = p->influence_first[p->vertex_count];
            assert_same_floats(p->positions, q->positions, 3 * (size_t)p->vertex_count);
            assert_same_floats(p->normals, q->normals, 3 * (size_t)p->vertex_count);
            assert_same_floats(p->colors, q->colors, 4 * (size_t)p->vertex_count);
            assert_same_floats(p->influence_weight, q->influence_weight, influences);
            assert_memory_equal(p->influence_joint, q->influence_joint, sizeof(uint16_t) * influences);
            assert_memory_equal(p->triangles, q->triangles, sizeof(uint32_t) * 3 * p->triangle_count);
        }
        for (uint32_t c = 0; c < a->clip_count; c++)
            for (uint32_t i = 0; i < a->clips[c].channel_count; i++) {
                const limber_channel *p = &a->clips[c].channels[i], *q = &b->clips[c].channels[i];
                assert_same_floats(p->values, q->values, 9 * (size_t)p->key_count);
            }
        limber_asset_destroy(again);
    }
}

// ---- refusals ----

static void refused(const char* name, double detail, limber_result expected) {
    limber_asset* asset = (limber_asset*)&detail;
    limber_error error = {.result = LIMBER_OK};
    assert_int_equal(limberi_character_create(name, detail, &asset, &error), expected);
    assert_null(asset);
    assert_int_equal(error.result, expected);
    assert_true(strlen(error.message) > 10);
}

static void unknown_names_and_impossible_details_are_refused(void** state) {
    (void)state;
    refused("unicorn", 1, LIMBER_ERROR_ARGUMENT);
    refused("", 1, LIMBER_ERROR_ARGUMENT);
    refused(NULL, 1, LIMBER_ERROR_ARGUMENT);
    limber_asset* asset;
    assert_int_equal(limberi_character_create("cow", 900, &asset, NULL), LIMBER_ERROR_LIMIT);
    assert_null(asset);
    for (uint32_t i = 0; i < limberi_character_count(); i++) {
        const char* name = limberi_character_at(i)->name;
        refused(name, (double)NAN, LIMBER_ERROR_ARGUMENT);
        refused(name, 0, LIMBER_ERROR_ARGUMENT);
        refused(name, 0.49, LIMBER_ERROR_ARGUMENT);
        refused(name, -1, LIMBER_ERROR_ARGUMENT);
        refused(name, (double)-INFINITY, LIMBER_ERROR_ARGUMENT);
        refused(name, (double)INFINITY, LIMBER_ERROR_LIMIT);
        refused(name, 1e300, LIMBER_ERROR_LIMIT);
        if (i % test_character_step() == 1 || test_character_step() == 1) // builds up to the limit
            refused(name, 900, LIMBER_ERROR_LIMIT);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(characters_have_the_promised_sizes),
        cmocka_unit_test(the_list_ends_where_the_count_says),
        cmocka_unit_test(weights_are_positive_normalised_and_at_most_four),
        cmocka_unit_test(vertices_are_finite_coloured_and_stand_on_the_floor),
        cmocka_unit_test(triangles_face_the_way_their_normals_do),
        cmocka_unit_test(surfaces_are_closed),
        cmocka_unit_test(loops_close_in_place_and_in_speed),
        cmocka_unit_test(clips_have_thirty_keys_a_second_no_cuts_and_no_scale),
        cmocka_unit_test(no_joint_turns_inside_out_from_key_to_key),
        cmocka_unit_test(stops_are_fast_before_and_still_after),
        cmocka_unit_test(nothing_sinks_into_the_floor),
        cmocka_unit_test(walking_feet_do_not_slide),
        cmocka_unit_test(runners_do_not_slide_neither_running_nor_braking),
        cmocka_unit_test(legs_do_not_pull_on_each_other),
        cmocka_unit_test(ears_and_tail_of_the_cow_are_floppier_than_its_body),
        cmocka_unit_test(cylinder_is_exact),
        cmocka_unit_test(other_details_are_as_sound_as_the_standard),
        cmocka_unit_test(the_same_character_is_built_from_the_same_bytes),
        cmocka_unit_test(unknown_names_and_impossible_details_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, destroy_standards);
}
