// Vertex animation textures: whole or absent. What is in them tests/js/vat.mjs decodes.
#include <dirent.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "kit/failing_memory.h"
#include <limber/limber.h>

enum { FRAMES = 3, MANY = 9001 };

// Two meshes of one triangle each, one of them with colors; or one of MANY vertices.
typedef struct scene {
    limber_model model;
    limber_mesh meshes[2];
    float* positions;
    uint32_t fail_at, nan_at;
    char parent[64], folder[96];
} scene;

static const uint32_t triangle[] = {0, 1, 2};
static const float colors[12] = {1, 0, 0, 1, 0, 1, 0, 1, 0, 0, 1, 1};

static limber_result give_frame(void* user, uint32_t index, const float** positions, const float** normals) {
    scene* s = user;
    (void)normals;
    for (uint32_t i = 0; i < 3 * s->model.vertex_count; i++)
        s->positions[i] = sinf((float)(i * 31 % 17) + (float)index);
    if (index == s->nan_at)
        s->positions[4] = NAN;
    *positions = s->positions;
    return index == s->fail_at ? LIMBER_ERROR_DATA : LIMBER_OK;
}

static void set_meshes(scene* s, uint32_t count, uint32_t vertices) {
    for (uint32_t m = 0; m < count; m++)
        s->meshes[m] = (limber_mesh){.name = "mesh",
                                     .vertex_count = vertices,
                                     .first_vertex = m * vertices,
                                     .triangle_count = 1,
                                     .triangles = triangle,
                                     .colors = m ? colors : NULL};
    s->model = limber_model_default();
    s->model.mesh_count = count;
    s->model.meshes = s->meshes;
    s->model.vertex_count = count * vertices;
    s->fail_at = s->nan_at = UINT32_MAX;
}

static int make_scene(void** state) {
    scene* s = calloc(1, sizeof *s);
    s->positions = calloc((size_t)3 * MANY, sizeof *s->positions);
    set_meshes(s, 2, 3);
    strcpy(s->parent, "/tmp/limber-vat-XXXXXX");
    *state = s;
    if (!mkdtemp(s->parent))
        return -1;
    snprintf(s->folder, sizeof s->folder, "%s/out", s->parent);
    return 0;
}

// How many there are, hidden or not; -1: no such folder.
static int count_files(const char* path, bool remove_them) {
    int count = 0;
    DIR* folder = opendir(path);
    if (!folder)
        return -1;
    for (struct dirent* entry; (entry = readdir(folder));) {
        char file[512];
        snprintf(file, sizeof file, "%s/%s", path, entry->d_name);
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
            continue;
        if (remove_them)
            remove(file);
        count++;
    }
    closedir(folder);
    return count;
}

static int remove_scene(void** state) {
    scene* s = *state;
    count_files(s->folder, true);
    count_files(s->parent, true);
    rmdir(s->parent);
    free(s->positions);
    free(s);
    return 0;
}

static limber_result save(scene* s, uint32_t frames, limber_error* error) {
    limber_cache_job job = limber_cache_job_default();
    job.model = &s->model;
    job.frame_count = frames;
    job.frame = give_frame;
    job.user = s;
    return limber_vat_save(&job, NULL, s->folder, "thing", error);
}

static void test_a_failing_frame_leaves_nothing_behind(void** state) {
    scene* s = *state;
    limber_error error;
    s->fail_at = 1;
    assert_int_equal(save(s, FRAMES, &error), LIMBER_ERROR_DATA);
    assert_string_equal(error.message, "cannot evaluate frame 2 of 3");
    assert_int_equal(count_files(s->folder, false), -1);
    s->fail_at = UINT32_MAX;
    s->nan_at = 2;
    assert_int_equal(save(s, FRAMES, &error), LIMBER_ERROR_DATA);
    assert_int_equal(count_files(s->folder, false), -1);
    s->nan_at = UINT32_MAX;
    assert_int_equal(save(s, FRAMES, &error), LIMBER_OK);
    assert_int_equal(count_files(s->folder, false), 3);
}

static void test_a_folder_keeps_what_is_in_it(void** state) {
    scene* s = *state;
    limber_error error;
    char other[128];
    assert_int_equal(mkdir(s->folder, 0755), 0);
    snprintf(other, sizeof other, "%s/other", s->folder);
    FILE* file = fopen(other, "w");
    assert_non_null(file);
    fclose(file);
    s->fail_at = 2;
    assert_int_equal(save(s, FRAMES, &error), LIMBER_ERROR_DATA);
    assert_int_equal(count_files(s->folder, false), 1);
    s->fail_at = UINT32_MAX;
    for (int again = 0; again < 2; again++) {
        assert_int_equal(save(s, FRAMES, &error), LIMBER_OK);
        assert_int_equal(count_files(s->folder, false), 4);
    }
}

static void test_more_than_a_texture_holds_is_refused(void** state) {
    scene* s = *state;
    limber_error error;
    set_meshes(s, 1, MANY);
    assert_int_equal(save(s, LIMBER_VAT_SIDE / 2 + 1, &error), LIMBER_ERROR_LIMIT);
    assert_string_equal(error.message, "4097 frames of 9001 vertices need a texture 4501 wide and 8194 high; the limit "
                                       "is 8192, so write fewer frames");
    assert_int_equal(count_files(s->folder, false), -1);
    assert_int_equal(save(s, FRAMES, &error), LIMBER_OK);
}

// The mesh can be read again, with the colors of the one and white for the other.
static void test_the_mesh_is_one(void** state) {
    scene* s = *state;
    limber_error error;
    limber_gltf* gltf;
    char path[128];
    assert_int_equal(save(s, FRAMES, &error), LIMBER_OK);
    snprintf(path, sizeof path, "%s/thing.glb", s->folder);
    assert_int_equal(limber_gltf_load_file(path, NULL, &gltf, &error), LIMBER_OK);
    const limber_model* model = limber_asset_model(limber_gltf_asset(gltf));
    assert_int_equal(model->mesh_count, 1);
    assert_int_equal(model->vertex_count, 6);
    const limber_mesh* mesh = &model->meshes[0];
    assert_int_equal(mesh->part_count, 2);
    assert_int_equal(mesh->triangles[3], 3);
    assert_memory_equal(mesh->colors + 12, colors, sizeof colors);
    for (int i = 0; i < 12; i++)
        assert_float_equal(mesh->colors[i], 1, 0);
    for (uint32_t i = 0; i < 18; i++)
        assert_float_equal(mesh->positions[i], sinf((float)(i * 31 % 17)), 0);
    limber_gltf_destroy(gltf);
}

static void test_short_memory_leaves_nothing_behind(void** state) {
    scene* s = *state;
    limber_error error;
    bool ran_out = true;
    long allowed = 0;
    for (; ran_out; allowed++) {
        test_memory_allow(allowed);
        limber_result result = save(s, FRAMES, &error);
        ran_out = test_memory_end();
        if (ran_out && result == LIMBER_ERROR_FILE) // the name of a temporary file
            assert_non_null(strstr(error.message, "memory"));
        else
            assert_int_equal(result, ran_out ? LIMBER_ERROR_MEMORY : LIMBER_OK);
        assert_int_equal(count_files(s->folder, false), ran_out ? -1 : 3);
    }
    assert_true(allowed > 20);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_a_failing_frame_leaves_nothing_behind, make_scene, remove_scene),
        cmocka_unit_test_setup_teardown(test_a_folder_keeps_what_is_in_it, make_scene, remove_scene),
        cmocka_unit_test_setup_teardown(test_more_than_a_texture_holds_is_refused, make_scene, remove_scene),
        cmocka_unit_test_setup_teardown(test_the_mesh_is_one, make_scene, remove_scene),
        cmocka_unit_test_setup_teardown(test_short_memory_leaves_nothing_behind, make_scene, remove_scene),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
