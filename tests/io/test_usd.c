// UsdSkel: what is refused, and that nothing is left behind then. (What files say is read by tests/js/usd.mjs.)
#include <dirent.h>
#include <math.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cmocka.h>

#include "kit/failing_memory.h"
#include "kit/models.h"
#include <limber/limber.h>

typedef struct scene {
    limber_asset* asset;
    limber_style* style;
    limber_pipeline* pipeline;
    limber_bake* bake;
    limber_usd_job job;
    char folder[64], path[96];
} scene;

static int make_scene(void** state) {
    scene* s = calloc(1, sizeof *s);
    limber_error error;
    limber_bake_settings settings = limber_bake_settings_default();
    settings.kind = LIMBER_BAKE_CORRECTIVE;
    s->asset = test_tube_create(3, 1, 30, false);
    assert_int_equal(limber_style_create(&s->style, &error), LIMBER_OK);
    assert_int_equal(limber_style_set(s->style, "skinning", "dualquat", &error), LIMBER_OK);
    assert_int_equal(limber_pipeline_create(s->asset, s->style, &s->pipeline, &error), LIMBER_OK);
    assert_int_equal(limber_pipeline_bake(s->pipeline, &settings, &s->bake, &error), LIMBER_OK);
    assert_true(s->bake->meshes[0].target_count > 2);
    s->job = limber_usd_job_default();
    s->job.model = limber_asset_model(s->asset);
    s->job.bake = s->bake;
    strcpy(s->folder, "/tmp/limber-usd-XXXXXX");
    *state = s;
    if (!mkdtemp(s->folder))
        return -1;
    snprintf(s->path, sizeof s->path, "%s/out.usda", s->folder);
    return 0;
}

static int remove_scene(void** state) {
    scene* s = *state;
    remove(s->path);
    rmdir(s->folder);
    limber_bake_destroy(s->bake);
    limber_pipeline_destroy(s->pipeline);
    limber_style_destroy(s->style);
    limber_asset_destroy(s->asset);
    free(s);
    return 0;
}

static int file_count(const scene* s) {
    int count = 0;
    DIR* folder = opendir(s->folder);
    assert_non_null(folder);
    for (struct dirent* entry; (entry = readdir(folder));)
        count += strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0;
    closedir(folder);
    return count;
}

static void refuses(const scene* s, const char* path, limber_result wanted, const char* words) {
    limber_error error = {0};
    assert_int_equal(limber_usd_save(&s->job, path, &error), wanted);
    if (!strstr(error.message, words))
        fail_msg("'%s' does not say '%s'", error.message, words);
    assert_int_equal(file_count(s), 0);
}

static void impossible_jobs_are_refused(void** state) {
    scene* s = *state;
    limber_usd_job good = s->job;
    refuses(s, "out.usd", LIMBER_ERROR_ARGUMENT, "does not end in .usda");
    s->job.fps = 0;
    refuses(s, s->path, LIMBER_ERROR_ARGUMENT, "frame rate");
    s->job = good;
    s->job.track = 7;
    refuses(s, s->path, LIMBER_ERROR_ARGUMENT, "no track 7");
    s->job = good;
    s->job.range_start_s = 5;
    refuses(s, s->path, LIMBER_ERROR_ARGUMENT, "no frames");
    s->job = good;
    s->job.model = NULL;
    refuses(s, s->path, LIMBER_ERROR_ARGUMENT, "no mesh");
    s->job = good;
    s->bake->kind = LIMBER_BAKE_VERTEX;
    refuses(s, s->path, LIMBER_ERROR_ARGUMENT, "corrective");
    s->bake->kind = LIMBER_BAKE_CORRECTIVE;
}

static void values_that_are_no_numbers_leave_no_file(void** state) {
    scene* s = *state;
    float* wrong[] = {&s->bake->meshes[0].positions[7], &s->bake->meshes[0].normals[2],
                      &s->bake->meshes[0].weights[0][1]};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        float kept = *wrong[i];
        *wrong[i] = i ? NAN : INFINITY;
        refuses(s, s->path, LIMBER_ERROR_DATA, "not a number");
        *wrong[i] = kept;
    }
    limber_error error;
    assert_int_equal(limber_usd_save(&s->job, s->path, &error), LIMBER_OK);
}

static bool get_nothing(void* user, uint64_t offset, void* bytes, size_t byte_count) {
    (void)user;
    (void)offset;
    (void)bytes;
    (void)byte_count;
    return false;
}

static void lost_targets_leave_no_file(void** state) {
    scene* s = *state;
    uint64_t rows[64] = {0};
    assert_true(s->bake->meshes[0].target_count <= 64);
    s->bake->store.get = get_nothing;
    s->bake->meshes[0].rows = rows;
    refuses(s, s->path, LIMBER_ERROR_FILE, "cannot be read");
    s->bake->meshes[0].rows = NULL;
}

static void full_disk_leaves_no_file(void** state) {
    scene* s = *state;
    struct rlimit before, small;
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    signal(SIGXFSZ, SIG_IGN);
    small = before;
    small.rlim_cur = 4096;
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
    limber_error error = {0};
    limber_result result = limber_usd_save(&s->job, s->path, &error);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
    signal(SIGXFSZ, SIG_DFL);
    assert_int_equal(result, LIMBER_ERROR_FILE);
    assert_int_equal(file_count(s), 0);
}

static void flat_bind_matrix_is_refused(void** state) {
    scene* s = *state;
    limber_model model = *s->job.model;
    limber_skin skin = model.skins[0];
    limber_mat4 binds[3];
    memcpy(binds, skin.joint_from_mesh, sizeof binds);
    memset(binds[1].m, 0, 12 * sizeof(float));
    skin.joint_from_mesh = binds;
    model.skins = &skin;
    s->job.model = &model;
    refuses(s, s->path, LIMBER_ERROR_DATA, "has no inverse");
}

static void each_failing_allocation_leaves_no_file(void** state) {
    scene* s = *state;
    const float times[] = {0, 1}, factors[] = {1, 1.5f};
    limber_stretch stretch = {1, {0, 1, 0}, 2, times, factors};
    limber_edited_clip edited = {0, &s->job.model->clips[0], 1, &stretch};
    s->job.edited = &edited;
    long allowed = 0;
    for (;; allowed++) {
        limber_error error;
        test_memory_allow(allowed);
        limber_result result = limber_usd_save(&s->job, s->path, &error);
        if (!test_memory_end()) {
            assert_int_equal(result, LIMBER_OK);
            break;
        }
        assert_int_not_equal(result, LIMBER_OK);
        assert_int_equal(file_count(s), 0);
    }
    assert_true(allowed > 30);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(impossible_jobs_are_refused, make_scene, remove_scene),
        cmocka_unit_test_setup_teardown(values_that_are_no_numbers_leave_no_file, make_scene, remove_scene),
        cmocka_unit_test_setup_teardown(lost_targets_leave_no_file, make_scene, remove_scene),
        cmocka_unit_test_setup_teardown(full_disk_leaves_no_file, make_scene, remove_scene),
        cmocka_unit_test_setup_teardown(flat_bind_matrix_is_refused, make_scene, remove_scene),
        cmocka_unit_test_setup_teardown(each_failing_allocation_leaves_no_file, make_scene, remove_scene),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
