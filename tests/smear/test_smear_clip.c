// Smears of clips: paths through the frames, ends and loops, held poses and copies.
#include "kit/smear_stage.h"

// --- paths ---

static void the_front_of_the_ball_touches_where_it_will_be(void** state) {
    (void)state;
    stage s;
    stage_open(&s, "ball", "dash-stop");
    s.settings.smear.elongate.amount = formula(&s, "offset");
    stage_start(&s);
    for (uint32_t f = 24; f < 34; f++) {
        limber_smeared now = smear(&s, f);
        uint32_t front = 0, back = 0;
        for (uint32_t u = 0; u < s.model->vertex_count; u++) {
            front = now.offsets[u] > now.offsets[front] ? u : front;
            back = now.offsets[u] < now.offsets[back] ? u : back;
        }
        float* positions = kept(now.frame.positions, s.numbers);
        float ahead = now.offsets[front], behind = now.offsets[back];
        float *next = plain_at(&s, f + 1), *before = plain_at(&s, f - 1);
        assert_true(ahead == 1 || behind == -1); // the farther one of the two defines the unit
        assert_true(ahead > 0.99f && behind < -0.99f);
        assert_true(distance(positions + 3 * front, next + 3 * front, 3) < 0.005);
        assert_true(distance(positions + 3 * back, before + 3 * back, 3) < 0.005);
        if (ahead == 1)
            assert_memory_equal(positions + 3 * front, next + 3 * front, 3 * sizeof(float));
        if (behind == -1)
            assert_memory_equal(positions + 3 * back, before + 3 * back, 3 * sizeof(float));
        free(positions);
        free(next);
        free(before);
    }
    stage_close(&s);
}

// Steady offsets look back over 1/24 s, whatever the frame rate; those of one step over one frame.
static void steady_offsets_are_the_same_at_every_rate(void** state) {
    (void)state;
    double worst[2] = {0, 0};
    for (int steady = 0; steady < 2; steady++) {
        stage s;
        stage_open(&s, "toon", "swing");
        s.settings.smear.steady_offsets = steady;
        s.settings.smear.offsets.smooth = 0;
        s.settings.smear.elongate.amount = formula(&s, "0.5 * offset");
        stage_start(&s);
        limber_smeared now;
        double time_s = s.moves->start_s + 0.5 * (s.moves->end_s - s.moves->start_s);
        assert_int_equal(limber_pipeline_evaluate_smeared(s.pipeline, s.clip, time_s, 30, &now), LIMBER_OK);
        float* slow = kept(now.offsets, s.model->vertex_count);
        assert_int_equal(limber_pipeline_evaluate_smeared(s.pipeline, s.clip, time_s, 120, &now), LIMBER_OK);
        for (uint32_t u = 0; u < s.model->vertex_count; u++)
            worst[steady] = fmax(worst[steady], fabs((double)(now.offsets[u] - slow[u])));
        free(slow);
        stage_close(&s);
    }
    assert_true(worst[0] > 0.01);
    assert_true(worst[1] < 1e-4);
}

// Catmull-Rom as textbooks write it.
static double spline(const float* const* p, size_t i, double t) {
    double a = (double)p[0][i], b = (double)p[1][i], c = (double)p[2][i], d = (double)p[3][i];
    return 0.5 * (2 * b + (c - a) * t + (2 * a - 5 * b + 4 * c - d) * t * t + (3 * b - a - 3 * c + d) * t * t * t);
}

// Frame numbers past an end stay there; in a loop that comes back to its place they go round.
static uint32_t resolved(const stage* s, int32_t frame) {
    int32_t last = (int32_t)limber_clip_frame_count(s->moves, fps) - 1;
    if (s->moves->loops && !s->moves->travels)
        return (uint32_t)((frame % last + last) % last);
    return (uint32_t)(frame < 0 ? 0 : frame > last ? last : frame);
}

static void check_path(const char* character, const char* clip, uint32_t frame, float amount) {
    stage s;
    stage_open(&s, character, clip);
    s.settings.deform.effects[LIMBER_EFFECT_SQUASH].linear.value = 0.2f; // smears come after effects
    s.settings.smear.elongate.amount.value = amount;
    stage_start(&s);
    float* found = smeared_at(&s, frame);
    const float* p[4];
    int32_t whole = (int32_t)floorf(amount);
    for (int32_t k = 0; k < 4; k++)
        p[k] = plain_at(&s, resolved(&s, (int32_t)frame + whole + k - 1));
    double worst = 0;
    for (size_t i = 0; i < s.numbers; i++)
        worst = fmax(worst, fabs((double)found[i] - spline(p, i, (double)amount - whole)));
    if (worst > 2e-6 * (double)s.model->size)
        fail_msg("%s %s frame %u amount %g: off by %g", character, clip, frame, (double)amount, worst);
    for (int k = 0; k < 4; k++)
        free((void*)(uintptr_t)p[k]);
    free(found);
    stage_close(&s);
}

static void paths_are_catmull_rom_splines(void** state) {
    (void)state;
    check_path("ball", "dash-stop", 28, 0.5f);
    check_path("ball", "dash-stop", 28, -2.3f);
    check_path("ball", "dash-stop", 28, 3);
    check_path("cylinder", "bend", 5, 1.7f);
}

// Root mean square of the distances from the middle, in L.
static double radius_of(const limber_model* model) {
    double sum[5] = {0, 0, 0, 0, 0};
    for (uint32_t m = 0; m < model->mesh_count; m++) {
        const limber_mesh* mesh = &model->meshes[m];
        float* rest = malloc((3 * (size_t)mesh->vertex_count + 1) * sizeof *rest);
        limber_mesh_rest_positions(model, mesh, rest);
        for (size_t u = 0; u < mesh->vertex_count; u++) {
            double area = (double)mesh->areas[u];
            for (size_t c = 0; c < 3; c++) {
                sum[c] += area * (double)rest[3 * u + c];
                sum[3] += area * (double)rest[3 * u + c] * (double)rest[3 * u + c];
            }
            sum[4] += area;
        }
        free(rest);
    }
    double square = sum[3] / sum[4];
    for (int c = 0; c < 3; c++)
        square -= sum[c] / sum[4] * (sum[c] / sum[4]);
    return sqrt(square) / (double)model->size;
}

// amount / sqrt(1 + (way / limit)^2), with way and limit in L: never farther than the limit.
static void check_limit(const char* clip, bool skeleton) {
    stage s;
    stage_open(&s, "ball", clip);
    s.settings.smear.offsets.skeleton = skeleton;
    s.settings.smear.elongate.amount = formula(&s, "6 * offset");
    s.settings.smear.elongate.max = 0.5f;
    stage_start(&s);
    float* plain[16]; // frames 13 to 28
    for (uint32_t f = 0; f < 16; f++)
        plain[f] = plain_at(&s, 13 + f);
    limber_smeared now = smear(&s, 20);
    double limit = 0.5 * radius_of(s.model), worst = 0, size = (double)s.model->size, farthest = 0;
    for (size_t u = 0; u < s.model->vertex_count; u++) {
        double step = 0, amount = 6 * (double)now.offsets[u], off = 0;
        for (size_t c = 0; c < 3; c++)
            step += pow((double)plain[8][3 * u + c] - (double)plain[7][3 * u + c], 2);
        double way = amount * sqrt(step) / size, beta = amount / sqrt(1 + way * way / (limit * limit));
        int whole = (int)floor(beta);
        for (size_t c = 0; c < 3; c++) {
            const float* const p[4] = {plain[6 + whole], plain[7 + whole], plain[8 + whole], plain[9 + whole]};
            double x = (double)now.frame.positions[3 * u + c];
            worst = fmax(worst, fabs(x - spline(p, 3 * u + c, beta - whole)));
            off += pow(x - (double)plain[7][3 * u + c], 2);
        }
        farthest = fmax(farthest, sqrt(off) / size);
    }
    assert_true(worst < 1e-4 * size);
    if (strcmp(clip, "bounce") == 0) // the other one rolls, so the way to other frames is no multiple of this step
        assert_true(farthest > 0.5 * limit && farthest < 1.1 * limit);
    for (int f = 0; f < 16; f++)
        free(plain[f]);
    stage_close(&s);
}

static void elongation_stays_within_a_multiple_of_the_radius(void** state) {
    (void)state;
    check_limit("bounce", true);
    check_limit("bounce", false);
    check_limit("dash-stop", true);
}

static void paths_end_where_the_clip_does(void** state) {
    (void)state;
    check_path("ball", "dash-stop", 0, -1.5f);
    check_path("ball", "dash-stop", 90, 4.25f);
    check_path("ball", "dash-stop", 89, 1.5f);
    check_path("ball", "dash-stop", 1, 0.5f);
    check_path("snail", "dash-stop", 0, -1.5f); // a loop that travels: nothing jumps back to its start
    check_path("snail", "dash-stop", 90, 4.25f);
}

// Nothing follows the last frame: where a clip is cut off amid a dash, it is as fast as the frame before.
static void the_last_frame_is_smeared_by_the_step_before(void** state) {
    (void)state;
    enum { CHANNELS = 8 };
    stage s;
    stage_open(&s, "ball", "dash-stop");
    limber_channel channels[CHANNELS];
    limber_clip clip = *s.moves;
    assert_true(clip.channel_count <= CHANNELS);
    for (uint32_t i = 0; i < clip.channel_count; i++)
        for (channels[i] = clip.channels[i]; channels[i].times[channels[i].key_count - 1] > 1;)
            channels[i].key_count--;
    clip.channels = channels;
    limber_model model = *s.model;
    model.clips = &clip;
    model.clip_count = 1;
    s.clip = 0;
    stage_use(&s, &model);
    s.settings.smear.elongate.amount = formula(&s, "-30 * speed");
    stage_start(&s);
    uint32_t last = limber_clip_frame_count(s.moves, fps) - 1;
    float *end = smeared_at(&s, last), *plain = plain_at(&s, last);
    assert_true(distance(end, plain, s.numbers) > 0.1 * (double)s.model->size);
    free(end);
    free(plain);
    stage_close(&s);
}

static void paths_go_round_in_loops(void** state) {
    (void)state;
    check_path("ball", "bounce", 0, -0.5f);
    check_path("ball", "bounce", 59, 2.5f);
    check_path("ball", "bounce", 0, -7);
    stage s;
    stage_open(&s, "ball", "bounce");
    s.settings.smear.elongate.amount = formula(&s, "offset");
    s.settings.smear.offsets.smooth = 2;
    stage_start(&s);
    float *first = smeared_at(&s, 0), *last = smeared_at(&s, 60); // the same moment
    assert_true(distance(first, last, s.numbers) < 1e-5);
    free(first);
    free(last);
    stage_close(&s);
}

// At rest, then at rest elsewhere: an edit. The same jump amid fast motion is motion.
static void check_jump(bool cut) {
    enum { KEYS = 21 };
    stage s;
    stage_open(&s, "ball", "dash-stop");
    float times[KEYS], places[3 * KEYS] = {0};
    for (int k = 0; k < KEYS; k++) {
        times[k] = (float)k / 30;
        places[3 * k] = k < 10 ? 0.0f : 5.0f;
        if (!cut)
            places[3 * k] += 4 * (float)(k - 10) * (float)(k >= 10);
    }
    limber_channel channel = {LIMBER_CHANNEL_TRANSLATION, LIMBER_INTERPOLATION_LINEAR, 0, KEYS, times, places};
    limber_clip clip = {.name = "edit", .channel_count = 1, .channels = &channel};
    limber_model model = *s.model;
    model.clip_count = 1;
    model.clips = &clip;
    limber_asset* asset;
    limber_error error;
    if (limber_asset_create(&model, &asset, &error) != LIMBER_OK)
        fail_msg("%s", error.message);
    limber_asset* ball = s.asset;
    s.asset = asset;
    s.model = limber_asset_model(asset);
    s.clip = 0;
    s.moves = &s.model->clips[0];
    assert_int_equal(s.moves->cut_count, cut);
    s.settings.smear.elongate.amount.value = 1;
    stage_start(&s);
    float *last = smeared_at(&s, 9), *here = plain_at(&s, 9), *there = plain_at(&s, 10);
    assert_true(distance(last, cut ? here : there, s.numbers) < 1e-6);
    free(last);
    s.settings.smear.elongate.amount.value = 0;
    s.settings.smear.drawn.stretch = s.settings.smear.drawn.ribbon = 1;
    stage_start(&s);
    last = smeared_at(&s, 10); // as drawn, it trails from there only where it came from there
    assert_true(cut == (distance(last, there, s.numbers) < 1e-6));
    free(last);
    free(here);
    free(there);
    stage_close(&s);
    limber_asset_destroy(ball);
}

static void paths_end_at_jump_cuts(void** state) {
    (void)state;
    check_jump(true);
    check_jump(false);
}

static void the_order_of_frames_does_not_matter(void** state) {
    (void)state;
    stage s;
    stage_open(&s, "cylinder", "bend");
    s.settings.smear.offsets.smooth = 3;
    s.settings.smear.elongate.amount = formula(&s, "60 * offset * speed");
    stage_start(&s);
    float* played = NULL;
    for (uint32_t f = 0; f <= 20; f++) {
        free(played);
        played = smeared_at(&s, f);
    }
    stage_start(&s);
    free(smeared_at(&s, 3));
    float* sought = smeared_at(&s, 20);
    assert_memory_equal(played, sought, s.numbers * sizeof(float));
    limber_smeared between; // and a time between two frames is no frame
    assert_int_equal(limber_pipeline_evaluate_smeared(s.pipeline, s.clip, time_of(&s, 20) + 0.4 / fps, fps, &between),
                     LIMBER_OK);
    assert_true(distance(between.frame.positions, sought, s.numbers) > 1e-4);
    float* again = smeared_at(&s, 20);
    assert_memory_equal(again, sought, s.numbers * sizeof(float));
    free(again);
    free(played);
    free(sought);
    stage_close(&s);
}

// --- what must stay as it is ---

static void what_stands_still_is_unchanged_to_the_bit(void** state) {
    (void)state;
    stage s;
    stage_open(&s, "ball", "dash-stop");
    s.settings.smear.elongate.amount = formula(&s, "5.3 * offset + 0.7");
    stage_start(&s);
    for (uint32_t f = 76; f <= 84; f++) { // long at rest, and for longer than any path reaches
        limber_smeared smeared = smear(&s, f);
        assert_memory_equal(smeared.frame.positions, smeared.deformed, s.numbers * sizeof(float));
        for (uint32_t u = 0; u < s.model->vertex_count; u++)
            assert_true(smeared.offsets[u] == 0);
        float* positions = kept(smeared.frame.positions, s.numbers);
        float* normals = kept(smeared.frame.normals, s.numbers);
        limber_frame plain;
        assert_int_equal(limber_pipeline_evaluate(s.pipeline, s.clip, time_of(&s, f), &plain), LIMBER_OK);
        assert_memory_equal(positions, plain.positions, s.numbers * sizeof(float));
        assert_memory_equal(normals, plain.normals, s.numbers * sizeof(float));
        free(positions);
        free(normals);
    }
    limber_smeared rest;
    assert_int_equal(limber_pipeline_evaluate_smeared(s.pipeline, -1, 0, fps, &rest), LIMBER_OK);
    assert_memory_equal(rest.frame.positions, rest.deformed, s.numbers * sizeof(float));
    stage_close(&s);
}

// Counts how often the vertices are worked out.
static void count_runs(const limber_effect_block* block) {
    if (block->joint == 1)
        ++*(uint32_t*)(uintptr_t)block->user;
}

static uint32_t runs_of_walk(stage* s, uint32_t frames) {
    static uint32_t runs;
    s->settings.deform.custom_count = 1;
    s->settings.deform.custom[0].name = "count";
    s->settings.deform.custom[0].function = count_runs;
    s->settings.deform.custom[0].user = &runs;
    s->settings.deform.custom[0].settings = limber_effect_settings_default(LIMBER_EFFECT_FLOPPY);
    s->settings.deform.custom[0].settings.linear.value = 1;
    stage_start(s);
    runs = 0;
    limber_frame frame;
    assert_int_equal(limber_pipeline_evaluate(s->pipeline, s->clip, time_of(s, 30), &frame), LIMBER_OK);
    uint32_t once = runs;
    assert_true(once > 0);
    runs = 0;
    for (uint32_t f = 0; f < frames; f++)
        (void)smear(s, f + 25);
    return runs / once;
}

static void walking_through_a_clip_evaluates_each_frame_once(void** state) {
    (void)state;
    stage s;
    stage_open(&s, "ball", "roll");
    s.settings.smear.offsets.smooth = 2;
    s.settings.smear.elongate.amount = formula(&s, "1.5 * offset");
    uint32_t runs = runs_of_walk(&s, 20);
    assert_true(runs <= 20 + 8); // and those before the first and after the last
    stage_close(&s);
}

static void smears_that_are_off_cost_nothing(void** state) {
    (void)state;
    stage s;
    stage_open(&s, "ball", "roll");
    s.settings.smear.offsets.smooth = 2;
    assert_false(limber_smear_is_on(&s.settings.smear));
    s.settings.smear.elongate.amount.value = 0;
    s.settings.smear.multiples.past = s.settings.smear.lines.count = 0;
    assert_int_equal(runs_of_walk(&s, 20), 20);
    limber_smeared smeared = smear(&s, 9);
    assert_null(smeared.offsets);
    assert_int_equal(smeared.mesh_count, 0);
    assert_ptr_equal(smeared.frame.positions, smeared.deformed);
    stage_close(&s);
}

// --- held poses ---

static void on_twos_each_pose_is_held_and_smears_are_twice_as_long(void** state) {
    (void)state;
    stage s;
    stage_open(&s, "cylinder", "bend");
    s.settings.smear.elongate.amount = formula(&s, "0.75 * offset");
    s.settings.smear.step = 2;
    stage_start(&s);
    float *even = smeared_at(&s, 6), *odd = smeared_at(&s, 7);
    assert_memory_equal(even, odd, s.numbers * sizeof(float));
    limber_smeared seven = smear(&s, 7);
    float *deformed = kept(seven.deformed, s.numbers), *plain = plain_at(&s, 7);
    assert_memory_equal(deformed, plain, s.numbers * sizeof(float)); // what it would have been
    s.settings.smear.elongate.amount = formula(&s, "1.5 * offset");
    s.settings.smear.step = 1;
    stage_start(&s);
    float* longer = smeared_at(&s, 6);
    assert_true(distance(even, longer, s.numbers) < 1e-6);
    free(even);
    free(odd);
    free(deformed);
    free(plain);
    free(longer);
    stage_close(&s);
}

// --- spin ---

static void ignored_spin_leaves_the_path_of_the_whole(void** state) {
    (void)state;
    stage s;
    stage_open(&s, "ball", "dash-stop");
    uint8_t spins[2] = {0, 1};
    s.settings.smear.elongate.amount = formula(&s, "2 * offset");
    for (int ignored = 0; ignored < 2; ignored++) {
        s.settings.smear.ignore_spin = ignored ? spins : NULL;
        stage_start(&s);
        limber_smeared smeared = smear(&s, 29); // rolls along z
        double astray = 0, along = 0;
        for (size_t u = 0; u < s.model->vertex_count; u++) {
            const float *p = smeared.frame.positions + 3 * u, *q = smeared.deformed + 3 * u;
            astray = fmax(astray, fmax(fabs((double)p[0] - (double)q[0]), fabs((double)p[1] - (double)q[1])));
            along = fmax(along, fabs((double)p[2] - (double)q[2]));
        }
        assert_true(along > 0.1);
        assert_true(ignored ? astray < 1e-4 : astray > 0.1);
    }
    stage_close(&s);
}

// --- bakes ---

// What a player shows at a frame of a bake.
static void play(const stage* s, const limber_bake* bake, uint32_t frame, float* out) {
    const limber_bake_mesh* mesh = &bake->meshes[0];
    bool vertex = bake->kind == LIMBER_BAKE_VERTEX;
    float* morphed = kept(vertex ? mesh->base_positions : s->model->meshes[0].positions, s->numbers);
    for (uint32_t t = 0; t < mesh->target_count; t++)
        for (size_t i = 0; i < s->numbers; i++)
            morphed[i] += mesh->weights[0][frame * mesh->target_count + t] * mesh->positions[t * s->numbers + i];
    limber_pose pose;
    assert_int_equal(limber_pose_create(s->model, &pose), LIMBER_OK);
    limber_clip_sample(s->model, s->moves, (double)bake->tracks[0].times[frame], &pose);
    limber_pose_update_world(s->model, &pose);
    limber_mat4 palette[128];
    limber_skin_palette(&s->model->skins[0], &pose, palette);
    limber_skin_job job = limber_skin_job_default();
    job.mesh = &s->model->meshes[0];
    job.palette = palette;
    job.palette_count = s->model->skins[0].joint_count;
    job.positions = morphed;
    job.out_positions = out;
    if (vertex)
        memcpy(out, morphed, s->numbers * sizeof *out);
    else
        assert_int_equal(limber_skin_evaluate(&job), LIMBER_OK);
    limber_pose_destroy(&pose);
    free(morphed);
}

static void bakes_land_on_the_smeared_frames(void** state) {
    (void)state;
    stage s;
    stage_open(&s, "cylinder", "bend");
    s.settings.smear.elongate.amount = formula(&s, "1.2 * offset");
    s.settings.smear.offsets.smooth = 1;
    for (int kind = 0; kind < 4; kind++) {
        s.settings.smear.step = kind < 2 ? 1 : 2;
        stage_start(&s);
        uint32_t clip = (uint32_t)s.clip;
        limber_bake_settings settings = limber_bake_settings_default();
        settings.kind = kind % 2 ? LIMBER_BAKE_VERTEX : LIMBER_BAKE_CORRECTIVE;
        settings.clip_count = 1;
        settings.clips = &clip;
        settings.fps = fps;
        settings.range_end_s = 8 / fps;
        limber_bake* bake;
        limber_error error;
        if (limber_pipeline_bake(s.pipeline, &settings, &bake, &error) != LIMBER_OK)
            fail_msg("%s", error.message);
        float* shown = malloc((s.numbers + 1) * sizeof *shown);
        for (uint32_t f = 0; f <= 8; f++) {
            play(&s, bake, f, shown);
            float *smeared = smeared_at(&s, f), *plain = plain_at(&s, f);
            assert_true(distance(smeared, plain, s.numbers) > 1e-3);
            assert_true(distance(shown, smeared, s.numbers) < 2e-6 * (double)s.model->size);
            free(smeared);
            free(plain);
        }
        free(shown);
        limber_bake_destroy(bake);
    }
    stage_close(&s);
}

// --- multiples ---

static const limber_smear_mesh* copy_of(const limber_smeared* smeared, int32_t number) {
    for (uint32_t i = 0; i < smeared->mesh_count; i++)
        if (smeared->meshes[i].kind == LIMBER_SMEAR_KIND_COPY && smeared->meshes[i].number == number)
            return &smeared->meshes[i];
    fail_msg("no copy %d", number);
    return NULL;
}

// Two copies behind and one ahead, a third of a frame apart: the one ahead is the next frame's farthest.
static void copies_of_one_frame_lie_on_copies_of_the_next(void** state) {
    (void)state;
    stage s;
    stage_open(&s, "ball", "dash-stop");
    s.settings.smear.multiples.past = 2;
    s.settings.smear.multiples.future = 1;
    stage_start(&s);
    for (uint32_t f = 24; f < 34; f++) {
        limber_smeared now = smear(&s, f);
        assert_int_equal(now.mesh_count, 3);
        assert_memory_equal(now.frame.positions, now.deformed, s.numbers * sizeof(float));
        const limber_smear_mesh* ahead = copy_of(&now, 1);
        assert_true(ahead->visible);
        assert_int_equal(ahead->vertex_count, s.model->vertex_count);
        float* positions = kept(ahead->positions, s.numbers);
        limber_smeared next = smear(&s, f + 1);
        assert_true(copy_of(&next, -2)->visible);
        assert_true(distance(positions, copy_of(&next, -2)->positions, s.numbers) < 2e-6);
        free(positions);
    }
    stage_close(&s);
}

static double smooth(double x) {
    x = fmin(fmax(x, 0), 1);
    return x * x * (3 - 2 * x);
}

static void opacity_of_copies_follows_the_offset(void** state) {
    (void)state;
    stage s;
    stage_open(&s, "ball", "dash-stop");
    s.settings.smear.multiples.past = s.settings.smear.multiples.future = 2;
    stage_start(&s);
    limber_smeared now = smear(&s, 29);
    const limber_mesh* mesh = &s.model->meshes[0];
    for (int32_t number = -2; number <= 2; number++) {
        if (number == 0)
            continue;
        const limber_smear_mesh* copy = copy_of(&now, number);
        double begin = (abs(number) - 1) / 2.0;
        for (size_t u = 0; u < s.model->vertex_count; u++) {
            double offset = (double)now.offsets[u];
            double expected = offset * number > 0 ? smooth((fabs(offset) - begin) / (1 - begin)) : 0;
            double own = mesh->colors ? (double)mesh->colors[4 * u + 3] : 1;
            assert_true(fabs((double)copy->colors[4 * u + 3] - own * expected) < 1e-6);
        }
    }
    s.settings.smear.multiples.min_speed = 100;
    stage_start(&s);
    now = smear(&s, 29);
    for (uint32_t i = 0; i < now.mesh_count; i++) {
        assert_false(now.meshes[i].visible);
        for (uint32_t u = 1; u < now.meshes[i].vertex_count; u++) // nothing to see: no area
            assert_memory_equal(now.meshes[i].positions, now.meshes[i].positions + 3 * u, 3 * sizeof(float));
    }
    stage_close(&s);
}

// SMEAR, eq. 12, written as a formula; and the free spacing of Fig. 10.
static void formulas_know_which_copy_they_are_for(void** state) {
    (void)state;
    stage s;
    stage_open(&s, "ball", "dash-stop");
    s.settings.smear.multiples.past = 3;
    s.settings.smear.multiples.future = 2;
    stage_start(&s);
    limber_smeared now = smear(&s, 29);
    float* standard[6];
    for (uint32_t i = 0; i < 5; i++)
        standard[i] = kept(now.meshes[i].colors, 4 * (size_t)s.model->vertex_count);
    s.settings.smear.multiples.standard_opacity = false;
    s.settings.smear.multiples.opacity =
        formula(&s, "offset * copy > 0 ? smoothstep((abs(copy) - 1) / copies, 1, abs(offset)) : 0");
    stage_start(&s);
    now = smear(&s, 29);
    assert_int_equal(now.mesh_count, 5);
    for (uint32_t i = 0; i < 5; i++) {
        assert_true(distance(now.meshes[i].colors, standard[i], 4 * (size_t)s.model->vertex_count) < 1e-5);
        free(standard[i]);
    }
    s.settings.smear.multiples.opacity = formula(&s, "0.1 * copy + 0.01 * copies");
    stage_start(&s);
    now = smear(&s, 29);
    assert_float_equal(copy_of(&now, 1)->colors[3], 0.12, 1e-6);
    assert_float_equal(copy_of(&now, 2)->colors[3], 0.22, 1e-6);
    assert_false(copy_of(&now, -1)->visible); // -0.07
    stage_close(&s);
}

// How far copy -1 lies behind the ball, in its steps per frame.
static double spacing_of(stage* s) {
    stage_start(s);
    float *before = plain_at(s, 28), *plain = plain_at(s, 29);
    limber_smeared now = smear(s, 29);
    const float* copy = copy_of(&now, -1)->positions;
    double back = 0, step = 0;
    for (size_t i = 0; i < s->numbers; i += 3) {
        back += (double)plain[i + 2] - (double)copy[i + 2];
        step += (double)plain[i + 2] - (double)before[i + 2];
    }
    free(before);
    free(plain);
    return back / step;
}

static void copies_have_the_given_spacing(void** state) {
    (void)state;
    stage s;
    stage_open(&s, "ball", "dash-stop");
    limber_smear_multiple_settings* set = &s.settings.smear.multiples;
    set->standard_opacity = false;
    set->opacity.value = 1;
    set->past = set->future = 1;
    set->spacing = 1;
    set->overlap = 2;
    double whole = spacing_of(&s);
    assert_float_equal(whole, 1, 1e-5);
    set->spacing = 0; // 1 / (1 + 1 + 1 - 2)
    assert_float_equal(spacing_of(&s), 1, 1e-5);
    set->overlap = 1.5f; // 1 / 1.5; between two frames the path is a spline
    double two_thirds = spacing_of(&s);
    assert_float_equal(two_thirds, 0.6667, 0.05);
    set->spacing = 2 / 3.0f;
    assert_float_equal(spacing_of(&s), two_thirds, 1e-5);
    set->overlap = 0; // spacing wins
    assert_float_equal(spacing_of(&s), two_thirds, 1e-5);
    stage_close(&s);
}

// --- numbers that change with time ---

static limber_pipeline* with_style(const stage* s, const char* text) {
    limber_style* style;
    limber_error error;
    limber_pipeline* made;
    assert_int_equal(limber_style_create(&style, NULL), LIMBER_OK);
    assert_int_equal(limber_style_read(style, text, strlen(text), &error), LIMBER_OK);
    assert_int_equal(limber_pipeline_create(s->asset, style, &made, &error), LIMBER_OK);
    limber_style_destroy(style);
    return made;
}

static double visible_part(const limber_smeared* a) {
    double sum = 0;
    for (uint32_t m = 0; m < a->mesh_count; m++)
        for (size_t v = 0; a->meshes[m].visible && v < a->meshes[m].vertex_count; v++)
            sum += (double)a->meshes[m].colors[4 * v + 3];
    return sum;
}

// Every mesh of `b` is in `a`, the same to the bit, and `a` shows no more.
static void check_same_meshes(const limber_smeared* a, const limber_smeared* b) {
    for (uint32_t m = 0; m < b->mesh_count; m++) {
        const limber_smear_mesh *wanted = &b->meshes[m], *found = NULL;
        for (uint32_t k = 0; wanted->visible && k < a->mesh_count; k++)
            if (strcmp(a->meshes[k].name, wanted->name) == 0 && a->meshes[k].source == wanted->source)
                found = &a->meshes[k];
        if (!wanted->visible)
            continue;
        assert_non_null(found);
        assert_true(found->visible && found->vertex_count >= wanted->vertex_count);
        assert_memory_equal(found->positions, wanted->positions, 3 * wanted->vertex_count * sizeof(float));
        assert_memory_equal(found->colors, wanted->colors, 4 * wanted->vertex_count * sizeof(float));
    }
    assert_true(visible_part(a) == visible_part(b));
}

// SMEAR 4.2, 4.3 and equation 2: what the authors set keys on may be a formula of time.
static void formulas_of_time_stand_for_numbers(void** state) {
    (void)state;
    static const struct {
        const char *formula, *before, *after; // 0.9 s
    } pairs[] = {
        {"{\"smear\": {\"multiples\": {\"past\": \"1 + 2 * step(0.9, t)\", \"future\": \"step(0.9, t)\"}}}",
         "{\"smear\": {\"multiples\": {\"past\": 1}}}", "{\"smear\": {\"multiples\": {\"past\": 3, \"future\": 1}}}"},
        {"{\"smear\": {\"multiples\": {\"past\": 2, \"spacing\": \"0.5 + step(0.9, t)\"}}}",
         "{\"smear\": {\"multiples\": {\"past\": 2, \"spacing\": 0.5}}}",
         "{\"smear\": {\"multiples\": {\"past\": 2, \"spacing\": 1.5}}}"},
        {"{\"smear\": {\"multiples\": {\"past\": 2, \"min_speed\": \"9 * step(0.9, t)\"}}}",
         "{\"smear\": {\"multiples\": {\"past\": 2}}}",
         "{\"smear\": {\"multiples\": {\"past\": 2, \"min_speed\": 9}}}"},
        {"{\"smear\": {\"lines\": {\"count\": \"10 + 30 * step(0.9, t)\"}}}",
         "{\"smear\": {\"lines\": {\"count\": 10}}}", "{\"smear\": {\"lines\": {\"count\": 40}}}"},
        {"{\"smear\": {\"lines\": {\"count\": 20, \"min_speed\": \"9 * step(0.9, t)\"}}}",
         "{\"smear\": {\"lines\": {\"count\": 20, \"min_speed\": 0}}}",
         "{\"smear\": {\"lines\": {\"count\": 20, \"min_speed\": 9}}}"},
        {"{\"smear\": {\"offsets\": {\"smooth\": \"4 * step(0.9, t)\"}, \"lines\": {\"count\": 20}}}",
         "{\"smear\": {\"offsets\": {\"smooth\": 0}, \"lines\": {\"count\": 20}}}",
         "{\"smear\": {\"offsets\": {\"smooth\": 4}, \"lines\": {\"count\": 20}}}"},
    };
    stage s;
    stage_open(&s, "ball", "dash-stop");
    int32_t clip = (int32_t)(s.moves - s.model->clips);
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        limber_pipeline* changing = with_style(&s, pairs[i].formula);
        limber_pipeline* still[2] = {with_style(&s, pairs[i].before), with_style(&s, pairs[i].after)};
        limber_smeared now, wanted;
        double parts[2];
        for (int k = 0; k < 4; k++) {
            static const double times[] = {0.8, 0.85, 0.95, 1};
            assert_int_equal(limber_pipeline_evaluate_smeared(changing, clip, times[k], 24, &now), LIMBER_OK);
            assert_int_equal(limber_pipeline_evaluate_smeared(still[k / 2], clip, times[k], 24, &wanted), LIMBER_OK);
            assert_true(k >= 2 || visible_part(&wanted) > 0);
            check_same_meshes(&now, &wanted);
        }
        // and the two differ
        for (int k = 0; k < 2; k++) {
            assert_int_equal(limber_pipeline_evaluate_smeared(still[k], clip, 0.95, 24, &wanted), LIMBER_OK);
            parts[k] = visible_part(&wanted);
            for (uint32_t m = 0; m < wanted.mesh_count; m++)
                for (size_t v = 0; v < 3 * (size_t)wanted.meshes[m].vertex_count; v++)
                    parts[k] += 1e-3 * (double)wanted.meshes[m].positions[v];
        }
        assert_true(parts[0] != parts[1]);
        limber_pipeline_destroy(changing);
        limber_pipeline_destroy(still[0]);
        limber_pipeline_destroy(still[1]);
    }
    stage_close(&s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_front_of_the_ball_touches_where_it_will_be),
        cmocka_unit_test(steady_offsets_are_the_same_at_every_rate),
        cmocka_unit_test(paths_are_catmull_rom_splines),
        cmocka_unit_test(elongation_stays_within_a_multiple_of_the_radius),
        cmocka_unit_test(paths_end_where_the_clip_does),
        cmocka_unit_test(the_last_frame_is_smeared_by_the_step_before),
        cmocka_unit_test(paths_go_round_in_loops),
        cmocka_unit_test(paths_end_at_jump_cuts),
        cmocka_unit_test(the_order_of_frames_does_not_matter),
        cmocka_unit_test(what_stands_still_is_unchanged_to_the_bit),
        cmocka_unit_test(walking_through_a_clip_evaluates_each_frame_once),
        cmocka_unit_test(smears_that_are_off_cost_nothing),
        cmocka_unit_test(on_twos_each_pose_is_held_and_smears_are_twice_as_long),
        cmocka_unit_test(ignored_spin_leaves_the_path_of_the_whole),
        cmocka_unit_test(bakes_land_on_the_smeared_frames),
        cmocka_unit_test(copies_of_one_frame_lie_on_copies_of_the_next),
        cmocka_unit_test(opacity_of_copies_follows_the_offset),
        cmocka_unit_test(formulas_know_which_copy_they_are_for),
        cmocka_unit_test(copies_have_the_given_spacing),
        cmocka_unit_test(formulas_of_time_stand_for_numbers),
    };
    return cmocka_run_group_tests_name("smear_clip", tests, NULL, NULL);
}
