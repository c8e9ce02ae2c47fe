// Smears as drawn: what is stretched, what leaves a ribbon, where and for how long.
#include "kit/smear_stage.h"
#include <limber/stages/smear_live.h>

static void draw_all(stage* s) {
    s->settings.smear.drawn.stretch = s->settings.smear.drawn.body = 1;
    s->settings.smear.drawn.ribbon = 1;
    s->settings.smear.drawn.strokes = 2;
    stage_start(s);
}

static const limber_smear_mesh* ribbons(const limber_smeared* smeared) {
    assert_int_equal(smeared->mesh_count, 1);
    assert_string_equal(smeared->meshes[0].name, "ribbons");
    return &smeared->meshes[0];
}

// Frames of the toon's swing in which its umbrella goes round, in 1/30 s.
enum { SWING = 30, HELD = 60 };

static void a_held_pose_is_clean(void** state) {
    (void)state;
    stage s;
    stage_open(&s, "toon", "swing");
    draw_all(&s);
    limber_smeared held = smear(&s, HELD);
    assert_false(ribbons(&held)->visible);
    float* found = kept(held.frame.positions, s.numbers);
    float* plain = plain_at(&s, HELD);
    assert_memory_equal(found, plain, s.numbers * sizeof *plain);
    free(found);
    free(plain);
    limber_smeared swung = smear(&s, SWING);
    assert_true(ribbons(&swung)->visible);
    stage_close(&s);
}

static void smears_last_for_few_frames(void** state) {
    (void)state;
    stage s;
    stage_open(&s, "toon", "swing");
    draw_all(&s);
    uint32_t run = 0, longest = 0, seen = 0;
    for (uint32_t f = 22; f < 45; f++) {
        limber_smeared now = smear(&s, f);
        run = ribbons(&now)->visible ? run + 1 : 0;
        seen += run > 0;
        longest = run > longest ? run : longest;
    }
    assert_true(seen >= 3);
    assert_true(longest <= 8); // a quarter of a second around the blow, the strokes after it included
    stage_close(&s);
}

// The nearest vertex of the character in the last 1.3 / 24 s to a point.
static double off_path(stage* s, const float* p, float* const* before, uint32_t count) {
    double least = HUGE_VAL;
    for (uint32_t i = 0; i < count; i++)
        for (size_t v = 0; v < s->numbers; v += 3) {
            double square = 0;
            for (size_t k = 0; k < 3; k++)
                square += pow((double)p[k] - (double)before[i][v + k], 2);
            least = fmin(least, square);
        }
    return sqrt(least);
}

static void ribbons_lie_where_the_part_was_between_the_frames(void** state) {
    (void)state;
    enum { MOMENTS = 24 };
    stage s;
    stage_open(&s, "toon", "swing");
    draw_all(&s);
    s.settings.smear.drawn.strokes = 0;
    stage_start(&s);
    limber_smeared now = smear(&s, SWING);
    const limber_smear_mesh* mesh = ribbons(&now);
    float* points = kept(mesh->positions, 3 * (size_t)mesh->vertex_count);
    float* colors = kept(mesh->colors, 4 * (size_t)mesh->vertex_count);
    float* before[MOMENTS];
    for (uint32_t i = 0; i < MOMENTS; i++) {
        limber_frame frame;
        double time_s = time_of(&s, SWING) - 1.3 / 24 * i / (MOMENTS - 1);
        assert_int_equal(limber_pipeline_evaluate(s.pipeline, s.clip, time_s, &frame), LIMBER_OK);
        before[i] = kept(frame.positions, s.numbers);
    }
    uint32_t seen = 0;
    for (uint32_t v = 0; v < mesh->vertex_count; v++) {
        if (!(colors[4 * v + 3] > 0.05f))
            continue;
        seen++;
        double off = off_path(&s, points + 3 * (size_t)v, before, MOMENTS);
        if (off > 0.04 * (double)s.model->size)
            fail_msg("vertex %u of the ribbons is %g L off every place that the toon passed", v,
                     off / (double)s.model->size);
    }
    assert_true(seen > 100);
    for (uint32_t i = 0; i < MOMENTS; i++)
        free(before[i]);
    free(points);
    free(colors);
    stage_close(&s);
}

// Whether a vertex is of the umbrella in the toon's right hand: it hangs on the hand alone and is far from it.
static bool is_umbrella(const stage* s, uint32_t v, const float* rest, uint32_t hand) {
    const limber_mesh* mesh = &s->model->meshes[0];
    const uint32_t* joints = s->model->skins[mesh->skin].joints;
    limber_vec3 place = limberi_mat4_translation(&s->model->rig.world_from_joint_rest[hand]);
    uint32_t i = mesh->influence_first[v];
    return joints[mesh->influence_joint[i]] == hand && mesh->influence_weight[i] > 0.999f &&
           limberi_length(limberi_sub(limberi_load3(rest + 3 * (size_t)v), place)) > 0.15f * s->model->size;
}

static void rigid_parts_keep_their_shape(void** state) {
    (void)state;
    stage s;
    stage_open(&s, "toon", "swing");
    draw_all(&s);
    uint32_t hand = (uint32_t)limber_rig_find_joint(&s.model->rig, "HandRight");
    float* rest = malloc(s.numbers * sizeof *rest);
    limber_mesh_rest_positions(s.model, &s.model->meshes[0], rest);
    for (uint32_t f = 28; f < 34; f++) {
        float *found = smeared_at(&s, f), *plain = plain_at(&s, f);
        const float *first = NULL, *same = NULL;
        uint32_t count = 0;
        for (uint32_t v = 0; v < s.model->meshes[0].vertex_count; v++) {
            if (!is_umbrella(&s, v, rest, hand))
                continue;
            first = first ? first : found + 3 * (size_t)v;
            same = same ? same : plain + 3 * (size_t)v;
            float length = limberi_length(limberi_sub(limberi_load3(found + 3 * (size_t)v), limberi_load3(first)));
            float before = limberi_length(limberi_sub(limberi_load3(plain + 3 * (size_t)v), limberi_load3(same)));
            assert_true(fabsf(length - before) < 1e-4f * s.model->size);
            count++;
        }
        assert_true(count > 50);
        free(found);
        free(plain);
    }
    free(rest);
    stage_close(&s);
}

// Hair is a rigid piece on a soft head: what is under it goes along, so that no skin comes out of it.
static void skin_under_hair_goes_along(void** state) {
    (void)state;
    stage s;
    stage_open(&s, "hero", "stop");
    draw_all(&s);
    uint32_t head = (uint32_t)limber_rig_find_joint(&s.model->rig, "Head");
    float farthest = 0;
    uint32_t count = 0;
    for (uint32_t f = 8; f < 20; f++) {
        limber_smeared now = smear(&s, f);
        limber_vec3 first = limberi_vec3(0, 0, 0);
        bool any = false;
        for (uint32_t m = 0; m < s.model->mesh_count; m++) {
            const limber_mesh* mesh = &s.model->meshes[m];
            for (uint32_t u = 0; u < mesh->vertex_count; u++) {
                uint32_t i = mesh->influence_first[u];
                uint32_t joint = s.model->skins[mesh->skin].joints[mesh->influence_joint[i]];
                size_t v = 3 * ((size_t)mesh->first_vertex + u);
                if (joint != head || mesh->influence_weight[i] < 0.99f)
                    continue;
                limber_vec3 step = limberi_sub(limberi_load3(now.frame.positions + v), limberi_load3(now.deformed + v));
                first = any ? first : step;
                any = true;
                assert_true(limberi_distance(step, first) < 1e-3f * s.model->size);
                farthest = fmaxf(farthest, limberi_length(step));
                count++;
            }
        }
    }
    assert_true(count > 1000 && farthest > 0.01f * s.model->size);
    stage_close(&s);
}

static float ahead_most(const float* positions, size_t numbers, limber_vec3 way, float sign) {
    float most = -HUGE_VALF;
    for (size_t i = 0; i < numbers; i += 3)
        most = fmaxf(most, sign * limberi_dot(limberi_load3(positions + i), way));
    return most;
}

static limber_vec3 middle(const float* positions, size_t numbers) {
    limber_vec3 sum = limberi_vec3(0, 0, 0);
    for (size_t i = 0; i < numbers; i += 3)
        sum = limberi_add(sum, limberi_load3(positions + i));
    return limberi_scale(sum, 3 / (float)numbers);
}

// The longest edge of a frame, smeared over plain.
static double longest_edge(stage* s, uint32_t f) {
    limber_smeared now = smear(s, f);
    float* found = kept(now.frame.positions, s->numbers);
    float* plain = plain_at(s, f);
    double most = 0;
    for (uint32_t m = 0; m < s->model->mesh_count; m++) {
        const limber_mesh* mesh = &s->model->meshes[m];
        for (size_t t = 0; t < 3 * (size_t)mesh->triangle_count; t++) {
            size_t a = 3 * ((size_t)mesh->first_vertex + mesh->triangles[t]);
            size_t b = 3 * ((size_t)mesh->first_vertex + mesh->triangles[t % 3 == 2 ? t - 2 : t + 1]);
            float before = limberi_length(limberi_sub(limberi_load3(plain + a), limberi_load3(plain + b)));
            float after = limberi_length(limberi_sub(limberi_load3(found + a), limberi_load3(found + b)));
            most = fmax(most, (double)(after / fmaxf(before, 0.002f * s->model->size)));
        }
    }
    free(found);
    free(plain);
    return most;
}

// At elbows and knees the skin of a stretched limb would tear: four times as long without holding together.
static void a_stretched_limb_stays_in_one_piece(void** state) {
    (void)state;
    const struct {
        const char *character, *clip;
        uint32_t first, last;
    } cases[] = {{"hero", "swing", 24, 32},
                 {"cow", "charge-and-stop", 44, 56},
                 {"hero", "stop", 8, 20},
                 {"dog", "jump", 16, 30}};
    double stretched = 1;
    for (size_t i = 0; i < 4; i++) {
        stage s;
        stage_open(&s, cases[i].character, cases[i].clip);
        draw_all(&s);
        for (uint32_t f = cases[i].first; f < cases[i].last; f++) {
            double longest = longest_edge(&s, f);
            if (longest > 2)
                fail_msg("%s frame %u: an edge is %g times as long", cases[i].character, f, longest);
            stretched = fmax(stretched, longest);
        }
        stage_close(&s);
    }
    assert_true(stretched > 1.5);
}

static void a_dashing_ball_trails(void** state) {
    (void)state;
    stage s;
    stage_open(&s, "ball", "dash-stop");
    draw_all(&s);
    float longest = 0;
    for (uint32_t f = 24; f < 40; f++) {
        float *found = smeared_at(&s, f), *plain = plain_at(&s, f), *before = plain_at(&s, f - 1);
        limber_vec3 step = limberi_sub(middle(plain, s.numbers), middle(before, s.numbers));
        limber_vec3 way = limberi_normalize(step);
        float size = s.model->size;
        float front = ahead_most(found, s.numbers, way, 1) - ahead_most(plain, s.numbers, way, 1);
        float back = ahead_most(found, s.numbers, way, -1) - ahead_most(plain, s.numbers, way, -1);
        assert_true(front < 1e-5f * size);
        assert_true(back > -1e-5f * size);
        assert_true(back < 1.5f * limberi_length(step) + 1e-3f * size);
        longest = fmaxf(longest, back / size);
        free(found);
        free(plain);
        free(before);
    }
    assert_true(longest > 0.1f);
    stage_close(&s);
}

static void the_order_of_frames_does_not_matter(void** state) {
    (void)state;
    stage s;
    stage_open(&s, "toon", "swing");
    draw_all(&s);
    for (uint32_t f = 20; f < SWING; f++)
        (void)smear(&s, f);
    limber_smeared in_order = smear(&s, SWING);
    size_t numbers = 3 * (size_t)ribbons(&in_order)->vertex_count;
    float* ribbon = kept(ribbons(&in_order)->positions, numbers);
    float* found = kept(in_order.frame.positions, s.numbers);
    stage_start(&s);
    limber_smeared alone = smear(&s, SWING);
    assert_memory_equal(alone.frame.positions, found, s.numbers * sizeof *found);
    assert_memory_equal(ribbons(&alone)->positions, ribbon, numbers * sizeof *ribbon);
    free(ribbon);
    free(found);
    stage_close(&s);
}

// Faster frames show the same smears, which are as long as 1/24 s.
static void the_frame_rate_does_not_matter(void** state) {
    (void)state;
    stage s;
    stage_open(&s, "toon", "swing");
    draw_all(&s);
    double time_s = limber_clip_frame_time(s.moves, 24, 24);
    limber_smeared now;
    assert_int_equal(limber_pipeline_evaluate_smeared(s.pipeline, s.clip, time_s, 24, &now), LIMBER_OK);
    size_t numbers = 3 * (size_t)ribbons(&now)->vertex_count;
    assert_true(ribbons(&now)->visible);
    float* ribbon = kept(ribbons(&now)->positions, numbers);
    assert_int_equal(limber_pipeline_evaluate_smeared(s.pipeline, s.clip, time_s, 96, &now), LIMBER_OK);
    assert_true(ribbons(&now)->visible);
    assert_true(distance(ribbons(&now)->positions, ribbon, numbers) < 1e-3 * (double)s.model->size);
    free(ribbon);
    stage_close(&s);
}

static void live_smears_know_the_past_only(void** state) {
    (void)state;
    stage s;
    stage_open(&s, "toon", "swing");
    draw_all(&s);
    limber_smear_live* live;
    limber_error error;
    assert_int_equal(limber_smear_live_create(s.asset, &s.settings.smear, NULL, &live, &error), LIMBER_OK);
    float* found = malloc(s.numbers * sizeof *found);
    uint32_t swung = 0;
    for (uint32_t f = 0; f <= HELD; f++) {
        limber_frame frame;
        assert_int_equal(limber_pipeline_evaluate(s.pipeline, s.clip, time_of(&s, f), &frame), LIMBER_OK);
        limber_smear_live_push(live, frame.positions, NULL, frame.pose, time_of(&s, f));
        assert_int_equal(limber_smear_live_evaluate(live, found, NULL), LIMBER_OK);
        assert_int_equal(limber_smear_live_mesh_count(live), 1);
        swung += f >= 28 && f < 34 && limber_smear_live_mesh(live, 0)->visible;
        if (f == HELD)
            assert_memory_equal(found, frame.positions, s.numbers * sizeof *found);
    }
    assert_true(swung >= 2);
    assert_false(limber_smear_live_mesh(live, 0)->visible);
    free(found);
    limber_smear_live_destroy(live);
    stage_close(&s);
}

static void joints_without_smears_leave_no_ribbon(void** state) {
    (void)state;
    stage s;
    stage_open(&s, "toon", "swing");
    float* gains = calloc(s.model->rig.joint_count, sizeof *gains);
    s.settings.smear.joint_gains = gains;
    draw_all(&s);
    limber_smeared now = smear(&s, SWING);
    assert_false(ribbons(&now)->visible);
    float* plain = plain_at(&s, SWING);
    now = smear(&s, SWING);
    assert_true(distance(now.frame.positions, plain, s.numbers) < 1e-6 * (double)s.model->size);
    free(plain);
    free(gains);
    stage_close(&s);
}

static float lowest_of(const float* positions, size_t numbers) {
    float low = HUGE_VALF;
    for (size_t i = 1; i < numbers; i += 3)
        low = fminf(low, positions[i]);
    return low;
}

// The lowest point that shows of all ribbons in a clip, under the lowest of the character, in L.
static double depth_under_ground(const char* character, const char* clip) {
    stage s;
    stage_open(&s, character, clip);
    draw_all(&s);
    float ground = HUGE_VALF;
    float low = HUGE_VALF;
    for (uint32_t f = 0; f < limber_clip_frame_count(s.moves, fps); f++) {
        for (int i = 0; i < 8; i++) { // the lowest moment may lie between frames
            limber_frame frame;
            double time_s = time_of(&s, f) + i / 8.0 / fps;
            assert_int_equal(limber_pipeline_evaluate(s.pipeline, s.clip, time_s, &frame), LIMBER_OK);
            ground = fminf(ground, lowest_of(frame.positions, s.numbers));
        }
        limber_smeared now = smear(&s, f);
        const limber_smear_mesh* mesh = ribbons(&now);
        for (uint32_t v = 0; mesh->visible && v < mesh->vertex_count; v++)
            if (mesh->colors[4 * (size_t)v + 3] > 0.05f)
                low = fminf(low, mesh->positions[3 * (size_t)v + 1]);
        low = fminf(low, lowest_of(now.frame.positions, s.numbers));
    }
    double depth = (double)((ground - low) / s.model->size);
    stage_close(&s);
    return depth;
}

static void nothing_goes_through_the_ground(void** state) {
    (void)state;
    assert_true(depth_under_ground("dog", "run") < 0.003);
    assert_true(depth_under_ground("toon", "run") < 0.003);
    assert_true(depth_under_ground("hero", "jump") < 0.003);
}

// All of a loop is drawn as if it went on and on: the first frame trails what the last one did.
static void loops_go_round(void** state) {
    (void)state;
    stage s;
    stage_open(&s, "toon", "run");
    assert_true(s.moves->loops);
    draw_all(&s);
    uint32_t last = limber_clip_frame_count(s.moves, fps) - 1;
    limber_smeared first = smear(&s, 0);
    size_t numbers = 3 * (size_t)ribbons(&first)->vertex_count;
    assert_true(ribbons(&first)->visible);
    float* ribbon = kept(ribbons(&first)->positions, numbers);
    float* found = kept(first.frame.positions, s.numbers);
    limber_smeared end = smear(&s, last);
    assert_true(distance(ribbons(&end)->positions, ribbon, numbers) < 1e-3 * (double)s.model->size);
    assert_true(distance(end.frame.positions, found, s.numbers) < 1e-3 * (double)s.model->size);
    free(ribbon);
    free(found);
    stage_close(&s);
}

enum { COLUMNS = 16, SIDE_VERTICES = 9 * COLUMNS, PART_VERTICES = 2 * SIDE_VERTICES + 2 * 36 }; // with two strokes

// How long the outer edge of the longest ribbon is.
static float reach_of(const limber_smear_mesh* mesh) {
    float longest = 0;
    assert_int_equal(mesh->vertex_count % PART_VERTICES, 0);
    for (size_t first = 0; first < mesh->vertex_count; first += PART_VERTICES) {
        float way = 0;
        for (size_t v = first + 2 * COLUMNS - 1; v < first + SIDE_VERTICES; v += COLUMNS)
            way += limberi_distance(limberi_load3(mesh->positions + 3 * v),
                                    limberi_load3(mesh->positions + 3 * (v - COLUMNS)));
        longest = fmaxf(longest, way);
    }
    return longest;
}

// Held for two frames, a pose has the ribbons of the way from the pose before.
static void on_twos_ribbons_are_held_and_longer(void** state) {
    (void)state;
    stage s;
    stage_open(&s, "toon", "swing");
    draw_all(&s);
    limber_smeared once = smear(&s, 30);
    float alone = reach_of(ribbons(&once));
    s.settings.smear.step = 2;
    stage_start(&s);
    limber_smeared now = smear(&s, 30);
    size_t numbers = 3 * (size_t)ribbons(&now)->vertex_count;
    float twice = reach_of(ribbons(&now));
    float* held = kept(ribbons(&now)->positions, numbers);
    limber_smeared next = smear(&s, 31);
    assert_memory_equal(ribbons(&next)->positions, held, numbers * sizeof *held);
    if (!(twice > 1.1f * alone))
        fail_msg("%g is not longer than %g", (double)twice, (double)alone);
    free(held);
    stage_close(&s);
}

// A ribbon has two sides that lie apart: seen along its surface, it is a line that can be seen.
static void ribbons_seen_from_the_side_have_a_width(void** state) {
    (void)state;
    stage s;
    stage_open(&s, "toon", "swing");
    draw_all(&s);
    uint32_t seen = 0;
    for (uint32_t f = 27; f < 33; f++) {
        limber_smeared now = smear(&s, f);
        const limber_smear_mesh* mesh = ribbons(&now);
        for (size_t first = 0; mesh->visible && first < mesh->vertex_count; first += PART_VERTICES) {
            float most = 0;
            bool shown = false;
            for (size_t v = first; v < first + SIDE_VERTICES; v++) {
                limber_vec3 a = limberi_load3(mesh->positions + 3 * v);
                limber_vec3 b = limberi_load3(mesh->positions + 3 * (v + SIDE_VERTICES));
                most = fmaxf(most, limberi_length(limberi_sub(a, b)));
                shown = shown || mesh->colors[4 * v + 3] > 0.5f;
            }
            seen += shown;
            assert_true(!shown || most > 0.006f * s.model->size);
        }
    }
    assert_true(seen > 3);
    stage_close(&s);
}

enum { SPAN = 8, KEPT = SPAN + 4 }; // of 1/192 s: 1/24 s

// One frame: where the vertices are, and their offsets.
typedef struct moment {
    float *positions, *offsets;
} moment;

// How far the offset of a vertex changed in the last step.
static float step_of(const moment* kept, uint32_t f, size_t v) {
    return fabsf(kept[f % KEPT].offsets[v] - kept[(f - 1) % KEPT].offsets[v]);
}

static float travel_of(const moment* kept, uint32_t f, size_t v) {
    return limberi_distance(limberi_load3(kept[f % KEPT].positions + 3 * v),
                            limberi_load3(kept[(f - SPAN) % KEPT].positions + 3 * v));
}

// The largest step beyond three times those before and after it, of vertices that go at least 0.03 L in 1/24 s.
static float lone_jump(stage* s, uint32_t frames) {
    moment kept[KEPT];
    float largest = 0;
    for (uint32_t i = 0; i < KEPT; i++)
        kept[i] = (moment){malloc(s->numbers * sizeof(float)), malloc(s->numbers / 3 * sizeof(float))};
    limber_pipeline_set_outputs(s->pipeline, LIMBER_OUTPUT_OFFSETS);
    for (uint32_t f = 0; f < frames; f++) {
        limber_smeared now;
        double time_s = s->moves->start_s + f / 192.0;
        assert_int_equal(limber_pipeline_evaluate_smeared(s->pipeline, s->clip, time_s, 192, &now), LIMBER_OK);
        memcpy(kept[f % KEPT].positions, now.deformed, s->numbers * sizeof(float));
        memcpy(kept[f % KEPT].offsets, now.offsets, s->numbers / 3 * sizeof(float));
        for (size_t v = 0; f >= KEPT && v < s->numbers / 3; v++) {
            float beyond = step_of(kept, f - 1, v) - 3 * fmaxf(step_of(kept, f, v), step_of(kept, f - 2, v));
            float travel = fminf(travel_of(kept, f - 1, v), travel_of(kept, f - 2, v));
            largest = travel > 0.03f * s->model->size ? fmaxf(largest, beyond) : largest;
        }
    }
    for (uint32_t i = 0; i < KEPT; i++) {
        free(kept[i].positions);
        free(kept[i].offsets);
    }
    return largest;
}

// As the presets have them. Clips are keyed at 24 to 30 frames per second; at 192 one sees their corners.
static void offsets_do_not_jump_between_frames(void** state) {
    (void)state;
    const char* const files[] = {"more/Puffer.glb", "RobotExpressive.glb"};
    const char* const clips[] = {"Fish_Armature|Out_Of_Water", "Punch"};
    if (!test_assets())
        skip();
    for (size_t i = 0; i < 2; i++) {
        stage s;
        limber_gltf* gltf = stage_open_file(&s, files[i], clips[i]);
        s.settings.smear = limber_smear_settings_default();
        s.settings.smear.steady_offsets = true;
        stage_start(&s);
        float jump = lone_jump(&s, 150);
        printf("%s %s: %.3f\n", files[i], clips[i], (double)jump);
        assert_true(jump < 0.03f);
        stage_close(&s);
        limber_gltf_destroy(gltf);
    }
}

// Nobody looks in between the two sides of a ribbon.
static void the_sides_of_a_ribbon_meet_at_its_edges(void** state) {
    (void)state;
    stage s;
    stage_open(&s, "toon", "swing");
    draw_all(&s);
    limber_smeared now = smear(&s, SWING);
    const limber_smear_mesh* mesh = ribbons(&now);
    float edges = 0;
    float thickest = 0;
    for (size_t first = 0; first < mesh->vertex_count; first += PART_VERTICES)
        for (size_t v = 0; v < SIDE_VERTICES; v++) {
            const float* p = mesh->positions + 3 * (first + v);
            float apart = limberi_distance(limberi_load3(p), limberi_load3(p + 3 * SIDE_VERTICES));
            bool edge = v % COLUMNS == 0 || v % COLUMNS == COLUMNS - 1;
            edges = edge ? fmaxf(edges, apart) : edges;
            thickest = fmaxf(thickest, apart);
        }
    assert_true(edges < 1e-4f * s.model->size);
    assert_true(thickest > 0.02f * s.model->size);
    stage_close(&s);
}

// All the way back the ink of a ribbon is as opaque as in front: a faint one of something dark would be a grey smudge, and
// one would see its far side through it.
static void ribbons_are_opaque(void** state) {
    (void)state;
    stage s;
    stage_open(&s, "toon", "swing");
    draw_all(&s);
    limber_smeared now = smear(&s, SWING);
    const limber_smear_mesh* mesh = ribbons(&now);
    float start = 0;
    float late_row = 0;
    for (size_t first = 0; first < mesh->vertex_count; first += PART_VERTICES)
        for (size_t c = 0; c < COLUMNS; c++) {
            start = fmaxf(start, mesh->colors[4 * (first + c) + 3]);
            late_row = fmaxf(late_row, mesh->colors[4 * (first + 7 * COLUMNS + c) + 3]);
        }
    assert_true(start == 1);
    assert_true(late_row == 1);
    stage_close(&s);
}

// What a ribbon encloses: more than nothing where its triangles face outwards.
static double volume_of(const limber_smear_mesh* mesh, size_t first) {
    double sum = 0;
    limber_vec3 o = limberi_load3(mesh->positions + 3 * first);
    for (size_t t = 0; t < 3 * (size_t)mesh->triangle_count; t += 3) {
        const uint32_t* corners = mesh->triangles + t;
        if (corners[0] < first || corners[0] >= first + 2 * SIDE_VERTICES)
            continue;
        limber_vec3 p[3];
        for (int i = 0; i < 3; i++)
            p[i] = limberi_sub(limberi_load3(mesh->positions + 3 * (size_t)corners[i]), o);
        sum += (double)limberi_dot(limberi_cross(p[0], p[1]), p[2]) / 6;
    }
    return sum;
}

// Viewers draw the outside only, and do not sort what is seen through: the inside of a ribbon would be in patches.
static void ribbons_face_outwards(void** state) {
    (void)state;
    stage s;
    stage_open(&s, "toon", "swing");
    draw_all(&s);
    uint32_t seen = 0;
    for (uint32_t f = 27; f < 33; f++) {
        limber_smeared now = smear(&s, f);
        const limber_smear_mesh* mesh = ribbons(&now);
        for (size_t first = 0; mesh->visible && first < mesh->vertex_count; first += PART_VERTICES) {
            double volume = volume_of(mesh, first);
            assert_true(volume >= 0);
            seen += volume > 1e-5 * pow((double)s.model->size, 3);
        }
    }
    assert_true(seen > 3);
    stage_close(&s);
}

// A robot's arm has rings and screws of another colour, which have most of its vertices.
static void a_ribbon_has_the_colors_that_most_of_a_part_has(void** state) {
    (void)state;
    if (!test_assets())
        skip();
    stage s;
    limber_gltf* gltf = stage_open_file(&s, "RobotExpressive.glb", "Jump");
    draw_all(&s);
    uint32_t seen = 0;
    for (uint32_t f = 3; f < 18; f++) {
        limber_smeared now = smear(&s, f);
        const limber_smear_mesh* mesh = ribbons(&now);
        for (size_t first = 0; mesh->visible && first < mesh->vertex_count; first += PART_VERTICES) {
            const float* colors = mesh->colors + 4 * first;
            uint32_t changes = 0;
            for (size_t c = 2; c < COLUMNS; c++) {
                float before = colors[4 * (c - 1)] - colors[4 * (c - 2)];
                float after = colors[4 * c] - colors[4 * (c - 1)];
                changes += before * after < -1e-6f;
            }
            assert_int_equal(changes, 0); // from one colour to another once, and not back
            seen += colors[4 * (COLUMNS / 2) + 3] > 0.5f;
        }
    }
    assert_true(seen > 10);
    stage_close(&s);
    limber_gltf_destroy(gltf);
}

// How far a vertex is stretched at a frame of 1/24 s.
static limber_vec3 step_at(const limber_smeared* at, uint32_t v) {
    return limberi_sub(limberi_load3(at->frame.positions + 3 * (size_t)v), limberi_load3(at->deformed + 3 * (size_t)v));
}

// What is as high is stretched as far, but for how the head turns: slices that each have a front and a back would be bumps.
static void a_head_is_stretched_as_one(void** state) {
    (void)state;
    enum { BINS = 12 };
    if (!test_assets())
        skip();
    stage s;
    limber_gltf* gltf = stage_open_file(&s, "RobotExpressive.glb", "Jump");
    draw_all(&s);
    limber_smeared now;
    assert_int_equal(limber_pipeline_evaluate_smeared(s.pipeline, s.clip, 5 / 24.0, 24, &now), LIMBER_OK);
    float low[BINS], high[BINS], range[2] = {HUGE_VALF, -HUGE_VALF}, farthest = 0;
    for (int i = 0; i < BINS; i++) {
        low[i] = HUGE_VALF;
        high[i] = -HUGE_VALF;
    }
    const limber_mesh* head = NULL;
    for (uint32_t m = 0; m < s.model->mesh_count; m++)
        if (strcmp(s.model->meshes[m].name, "Head") == 0)
            head = &s.model->meshes[m];
    assert_non_null(head);
    for (int pass = 0; pass < 2; pass++)
        for (uint32_t v = head->first_vertex; v < head->first_vertex + head->vertex_count; v++) {
            float y = now.deformed[3 * (size_t)v + 1];
            if (pass == 0) {
                range[0] = fminf(range[0], y);
                range[1] = fmaxf(range[1], y);
                continue;
            }
            int bin = (int)fminf(BINS * (y - range[0]) / (range[1] - range[0]), BINS - 1);
            float far = limberi_length(step_at(&now, v)) / s.model->size;
            low[bin] = fminf(low[bin], far);
            high[bin] = fmaxf(high[bin], far);
            farthest = fmaxf(farthest, far);
        }
    float uneven = 0;
    for (int i = 0; i < BINS; i++)
        uneven = fmaxf(uneven, high[i] - low[i]);
    printf("head: %.3f L, uneven by %.3f L\n", (double)farthest, (double)uneven);
    assert_true(farthest > 0.1f);
    assert_true(uneven < 0.08f);
    stage_close(&s);
    limber_gltf_destroy(gltf);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_held_pose_is_clean),
        cmocka_unit_test(smears_last_for_few_frames),
        cmocka_unit_test(ribbons_lie_where_the_part_was_between_the_frames),
        cmocka_unit_test(rigid_parts_keep_their_shape),
        cmocka_unit_test(skin_under_hair_goes_along),
        cmocka_unit_test(a_stretched_limb_stays_in_one_piece),
        cmocka_unit_test(a_dashing_ball_trails),
        cmocka_unit_test(the_order_of_frames_does_not_matter),
        cmocka_unit_test(the_frame_rate_does_not_matter),
        cmocka_unit_test(live_smears_know_the_past_only),
        cmocka_unit_test(joints_without_smears_leave_no_ribbon),
        cmocka_unit_test(nothing_goes_through_the_ground),
        cmocka_unit_test(loops_go_round),
        cmocka_unit_test(on_twos_ribbons_are_held_and_longer),
        cmocka_unit_test(ribbons_seen_from_the_side_have_a_width),
        cmocka_unit_test(offsets_do_not_jump_between_frames),
        cmocka_unit_test(the_sides_of_a_ribbon_meet_at_its_edges),
        cmocka_unit_test(ribbons_are_opaque),
        cmocka_unit_test(ribbons_face_outwards),
        cmocka_unit_test(a_ribbon_has_the_colors_that_most_of_a_part_has),
        cmocka_unit_test(a_head_is_stretched_as_one),
    };
    return cmocka_run_group_tests_name("smears as drawn", tests, NULL, NULL);
}
