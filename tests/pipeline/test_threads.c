// Threads: the command line's pool, results that do not depend on how many there are, and frames that take no memory.
#include <dirent.h>
#include <math.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "characters/characters.h"
#include "cli/pool.h"
#include "kit/failing_memory.h"
#include "kit/random_rigs.h"
#include "kit/scene.h"

// --- what the linker puts in the place of the C library's function ---

static uint32_t threads_to_give = UINT32_MAX;

int __real_pthread_create(pthread_t* thread, const pthread_attr_t* attributes, void* (*start)(void*), void* user);
int __wrap_pthread_create(pthread_t* thread, const pthread_attr_t* attributes, void* (*start)(void*), void* user);

int __wrap_pthread_create(pthread_t* thread, const pthread_attr_t* attributes, void* (*start)(void*), void* user) {
    if (!threads_to_give)
        return 11; // EAGAIN
    threads_to_give--;
    return __real_pthread_create(thread, attributes, start, user);
}

// --- the pool ---

enum { MAX_ITEMS = 100003 };

typedef struct tally {
    uint32_t count, step, worker_count;
    atomic_uint calls;
    atomic_bool busy[CLI_POOL_MAX];
    atomic_bool bad;
    uint8_t* done; // [count]
} tally;

static void count_items(void* user, uint32_t first, uint32_t end, uint32_t worker) {
    tally* t = user;
    bool fits = first < end && end <= t->count && end - first <= t->step && worker < t->worker_count;
    if (!fits || atomic_exchange(&t->busy[worker], true)) // two at once share no worker
        atomic_store(&t->bad, true);
    for (uint32_t i = first; fits && i < end; i++)
        t->done[i]++;
    if (fits)
        atomic_store(&t->busy[worker], false);
    atomic_fetch_add(&t->calls, 1);
}

static void check_job(cli_pool* pool, uint32_t count, uint32_t step, uint8_t* done) {
    static tally t;
    limber_parallel parallel = cli_pool_parallel(pool);
    memset(&t, 0, sizeof t);
    memset(done, 0, count);
    t.count = count;
    t.step = step;
    t.worker_count = parallel.worker_count;
    t.done = done;
    parallel.run(parallel.pool, count, step, count_items, &t);
    assert_false(atomic_load(&t.bad));
    assert_int_equal(atomic_load(&t.calls), ((uint64_t)count + step - 1) / step);
    for (uint32_t i = 0; i < count; i++)
        assert_int_equal(done[i], 1);
}

static void every_item_is_done_once_by_any_number_of_threads(void** state) {
    (void)state;
    static const uint32_t threads[] = {1, 2, 3, 5, 8, 64}, counts[] = {0, 1, 2, 7, 64, 1000, MAX_ITEMS};
    uint8_t* done = malloc(MAX_ITEMS);
    for (int t = 0; t < 6; t++) {
        cli_pool* pool = cli_pool_create(threads[t]);
        assert_int_equal(cli_pool_threads(pool), threads[t]);
        for (int c = 0; c < 7; c++) {
            check_job(pool, counts[c], 64, done);
            check_job(pool, counts[c], 7, done);
            check_job(pool, counts[c], UINT32_MAX, done);
        }
        check_job(pool, 1000, 1, done);
        cli_pool_destroy(pool);
    }
    free(done);
}

static void jobs_that_follow_each_other_quickly_do_not_mix(void** state) {
    (void)state;
    uint8_t done[40];
    for (uint32_t threads = 2; threads <= 16; threads *= 2) {
        cli_pool* pool = cli_pool_create(threads);
        for (uint32_t i = 0; i < (TEST_SANITIZED ? 1000 : 5000); i++)
            check_job(pool, i % 40, 1 + i % 3, done);
        cli_pool_destroy(pool);
    }
}

static void pools_come_and_go(void** state) {
    (void)state;
    uint8_t done[40];
    cli_pool_destroy(NULL);
    for (uint32_t i = 0; i < 100; i++) {
        cli_pool* pool = cli_pool_create(i % 9);
        assert_true(cli_pool_threads(pool) >= 1 && cli_pool_threads(pool) <= CLI_POOL_MAX);
        if (i % 2)
            check_job(pool, 40, 1, done);
        cli_pool_destroy(pool);
    }
    cli_pool* pool = cli_pool_create(1000000);
    assert_int_equal(cli_pool_threads(pool), CLI_POOL_MAX);
    cli_pool_destroy(pool);
}

static void a_pool_makes_do_with_the_threads_it_gets(void** state) {
    (void)state;
    uint8_t* done = malloc(1000);
    for (uint32_t given = 0; given < 4; given++) {
        threads_to_give = given;
        cli_pool* pool = cli_pool_create(8);
        threads_to_give = UINT32_MAX;
        assert_int_equal(cli_pool_threads(pool), given + 1);
        check_job(pool, 1000, 3, done);
        cli_pool_destroy(pool);
    }
    free(done);
}

// The state of a thread of this program as Linux names it: S sleeps, R runs or would like to.
static char thread_state(const char* name) {
    char path[300], line[256] = "";
    snprintf(path, sizeof path, "/proc/self/task/%s/stat", name);
    FILE* file = fopen(path, "r");
    if (!file)
        return 'S'; // it has ended meanwhile
    const char* end = fgets(line, sizeof line, file) ? strrchr(line, ')') : NULL;
    fclose(file);
    return end && end[1] ? end[2] : '?';
}

static bool all_others_sleep(void) {
    char self[32];
    bool sleep = true;
    snprintf(self, sizeof self, "%d", (int)getpid());
    DIR* threads = opendir("/proc/self/task");
    assert_non_null(threads);
    for (struct dirent* one = readdir(threads); one; one = readdir(threads))
        if (one->d_name[0] != '.' && strcmp(one->d_name, self) != 0)
            sleep = sleep && thread_state(one->d_name) == 'S';
    closedir(threads);
    return sleep;
}

// Threads that wait by spinning are never all asleep, however long one waits for it.
static void a_pool_without_work_sleeps(void** state) {
    (void)state;
    uint8_t done[40];
    const struct timespec moment = {0, 10000000};
    for (uint32_t threads = 2; threads <= 8; threads += 6) {
        cli_pool* pool = cli_pool_create(threads);
        check_job(pool, 40, 1, done);
        int asleep = 0; // so many times in a row
        for (int i = 0; i < 30000 && asleep < 5; i++) {
            nanosleep(&moment, NULL);
            asleep = all_others_sleep() ? asleep + 1 : 0;
        }
        assert_int_equal(asleep, 5);
        cli_pool_destroy(pool);
    }
}

// --- pipelines ---

static limber_expression *gain, *twist;

// Every third character, with --long all, and random rigs with morphs and clips. Sanitizers look for races and slips, not
// for numbers: they get a few small ones.
enum { MAX_ASSETS = 64, RANDOM_RIGS = 2 };

static limber_asset* assets[MAX_ASSETS];
static limber_gltf* files[MAX_ASSETS];

static uint32_t load_characters(void) {
    static const char* const few[] = {"cylinder", "flower"};
    uint32_t step = test_character_step();
    uint32_t count = TEST_SANITIZED ? 2 : (test_character_count() + step - 1) / step;
    assert_true(count + RANDOM_RIGS <= MAX_ASSETS);
    for (uint32_t i = 0; i < count; i++) {
        if (!TEST_SANITIZED)
            assets[i] = test_character_load(step * i, &files[i]);
        else
            assert_int_equal(limberi_character_create(few[i], 0.5, &assets[i], NULL), LIMBER_OK);
    }
    return count;
}

static int open_all(void** state) {
    (void)state;
    uint32_t count = load_characters();
    for (uint32_t i = 0; i < RANDOM_RIGS; i++) {
        test_rig_recipe recipe = {i + 1, i ? TEST_BUSH : TEST_TREE, 40, 3, TEST_SANITIZED ? 1000 : 4000, 4, false, true,
                                  true};
        assets[count + i] = test_random_rig(&recipe);
    }
    return limber_expression_create("0.1 * height + 0.02 * min(speed, 2)", NULL, &gain, NULL) ||
           limber_expression_create("0.5 + 0.5 * rand", NULL, &twist, NULL);
}

static int close_all(void** state) {
    (void)state;
    for (uint32_t i = 0; i < MAX_ASSETS; i++)
        test_character_free(assets[i], files[i]);
    limber_expression_destroy(gain);
    limber_expression_destroy(twist);
    return 0;
}

typedef void (*asset_check)(const limber_asset* asset);

static void check_assets(asset_check check) {
    for (uint32_t i = 0; i < MAX_ASSETS && assets[i]; i++)
        check(assets[i]);
}

enum { LOOKS = 4 };

// Everything on: averaged normals; dual quaternions, Jacobian normals and formulas for the kernels; one that runs by the
// scalar functions; and a chain.
static limber_stage_settings look(const limber_model* model, int number) {
    limber_stage_settings settings = test_everything(model);
    limber_effect_settings* e = settings.deform.effects;
    settings.deform.compose = number == 3 ? LIMBER_COMPOSE_CHAIN : LIMBER_COMPOSE_SUM;
    if (number == 0 || number == 3)
        return settings;
    settings.skinning = LIMBER_SKINNING_DUALQUAT;
    settings.deform.normals = LIMBER_NORMALS_JACOBIAN;
    e[LIMBER_EFFECT_FLOPPY].angular.expression = e[LIMBER_EFFECT_SQUASH].linear.expression = gain;
    if (number == 1)
        memset(&e[LIMBER_EFFECT_LIFT].angular, 0, sizeof e[LIMBER_EFFECT_LIFT].angular);
    else
        limber_effect_number(&settings.deform, LIMBER_EFFECT_DRAG, "twist")->expression = twist;
    return settings;
}

static limber_frame evaluate(limber_pipeline* pipeline, const limber_model* model, double part) {
    limber_frame frame;
    const limber_clip* clip = model->clip_count ? &model->clips[0] : NULL;
    double time_s = clip ? (1 - part) * clip->start_s + part * clip->end_s : 0;
    assert_int_equal(limber_pipeline_evaluate(pipeline, clip ? 0 : -1, time_s, &frame), LIMBER_OK);
    return frame;
}

static void lend(limber_pipeline* pipeline, cli_pool* pool) {
    limber_parallel parallel = cli_pool_parallel(pool);
    assert_int_equal(limber_pipeline_set_parallel(pipeline, &parallel), LIMBER_OK);
}

enum { MOMENTS = 3 };

// A frame as it was: another one of the same pipeline overwrites it.
static float* copy_frame(const limber_frame* frame, size_t bytes) {
    float* copy = malloc(3 * bytes);
    assert_non_null(copy);
    memcpy(copy, frame->positions, bytes);
    memcpy(copy + bytes / sizeof *copy, frame->normals, bytes);
    memcpy(copy + 2 * bytes / sizeof *copy, frame->skinned, bytes);
    return copy;
}

static void compare_threads(const limber_asset* asset) {
    static const uint32_t threads[] = {2, 3, 8};
    const limber_model* model = limber_asset_model(asset);
    size_t bytes = 3 * (size_t)model->vertex_count * sizeof(float);
    for (int number = 0; number < LOOKS; number++) {
        limber_stage_settings settings = look(model, number);
        limber_pipeline *one = test_pipeline(asset, &settings), *several = test_pipeline(asset, &settings);
        float* wanted[MOMENTS];
        for (int f = 0; f < MOMENTS; f++) {
            limber_frame a = evaluate(one, model, 0.2 + 0.3 * f);
            wanted[f] = copy_frame(&a, bytes);
        }
        for (int t = 0; t < 3; t++) {
            cli_pool* pool = cli_pool_create(threads[t]);
            lend(several, pool);
            for (int f = 0; f < MOMENTS; f++) {
                limber_frame b = evaluate(several, model, 0.2 + 0.3 * f);
                float* found = copy_frame(&b, bytes);
                assert_memory_equal(wanted[f], found, 3 * bytes);
                free(found);
            }
            assert_int_equal(limber_pipeline_set_parallel(several, NULL), LIMBER_OK);
            cli_pool_destroy(pool);
        }
        for (int f = 0; f < MOMENTS; f++)
            free(wanted[f]);
        limber_pipeline_destroy(one);
        limber_pipeline_destroy(several);
    }
}

static void results_are_the_same_to_the_bit_for_1_2_3_and_8_threads(void** state) {
    (void)state;
    check_assets(compare_threads);
}

static void count_allocations(const limber_asset* asset) {
    const limber_model* model = limber_asset_model(asset);
    cli_pool* pool = cli_pool_create(3);
    for (int number = 0; number < 2 * LOOKS; number++) {
        limber_stage_settings settings = look(model, number % LOOKS);
        test_memory_forget();
        limber_pipeline* pipeline = test_pipeline(asset, &settings);
        assert_true(test_memory_taken_count() > 0); // they are counted
        if (number >= LOOKS)
            lend(pipeline, pool);
        evaluate(pipeline, model, 0); // the clip's filters are run once
        test_memory_forget();
        for (int f = 1; f < 3; f++)
            evaluate(pipeline, model, 0.3 * f);
        assert_int_equal(test_memory_taken_count(), 0);
        limber_pipeline_destroy(pipeline);
    }
    cli_pool_destroy(pool);
}

static void frames_take_no_memory(void** state) {
    (void)state;
    check_assets(count_allocations);
}

static void compare_still(const limber_asset* asset) {
    const limber_model* model = limber_asset_model(asset);
    size_t bytes = 3 * (size_t)model->vertex_count * sizeof(float);
    for (int number = 0; number < LOOKS; number++) {
        limber_stage_settings settings = look(model, number), plain;
        settings.deform.effects[LIMBER_EFFECT_HOSE].linear.value = 0; // bends poses, still or not
        plain = limber_stage_settings_default();
        plain.skinning = settings.skinning;
        limber_pipeline *a = test_pipeline(asset, &plain), *b = test_pipeline(asset, &settings);
        limber_frame skinned, deformed;
        assert_int_equal(limber_pipeline_evaluate(a, -1, 0, &skinned), LIMBER_OK);
        assert_int_equal(limber_pipeline_evaluate(b, -1, 0, &deformed), LIMBER_OK);
        assert_memory_equal(skinned.positions, deformed.positions, bytes);
        assert_memory_equal(skinned.normals, deformed.normals, bytes);
        limber_pipeline_destroy(a);
        limber_pipeline_destroy(b);
    }
}

static void a_character_at_rest_is_plainly_skinned(void** state) {
    (void)state;
    check_assets(compare_still);
}

static void a_pool_of_no_workers_is_refused(void** state) {
    (void)state;
    limber_asset* asset = test_tube_create(3, 1, 30, true);
    limber_pipeline* pipeline = test_pipeline(asset, NULL);
    cli_pool* pool = cli_pool_create(2);
    limber_parallel parallel = cli_pool_parallel(pool);
    parallel.worker_count = 0;
    assert_int_equal(limber_pipeline_set_parallel(pipeline, &parallel), LIMBER_ERROR_ARGUMENT);
    limber_pipeline_destroy(pipeline);
    cli_pool_destroy(pool);
    limber_asset_destroy(asset);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_item_is_done_once_by_any_number_of_threads),
        cmocka_unit_test(jobs_that_follow_each_other_quickly_do_not_mix),
        cmocka_unit_test(pools_come_and_go),
        cmocka_unit_test(a_pool_makes_do_with_the_threads_it_gets),
        cmocka_unit_test(a_pool_without_work_sleeps),
        cmocka_unit_test(results_are_the_same_to_the_bit_for_1_2_3_and_8_threads),
        cmocka_unit_test(frames_take_no_memory),
        cmocka_unit_test(a_character_at_rest_is_plainly_skinned),
        cmocka_unit_test(a_pool_of_no_workers_is_refused),
    };
    return cmocka_run_group_tests_name("threads", tests, open_all, close_all);
}
