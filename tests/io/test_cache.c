// Caches: .pc2, .mdd, .obj sequences and .usda, read back by readers that share nothing with the writers.
#include <dirent.h>
#include <locale.h>
#include <math.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "io/out.h"
#include "kit/cache_readers.h"
#include <limber/limber.h>

enum { MESHES = 4, VERTICES = 12, FRAMES = 5 };

static const char* const endings[] = {"pc2", "mdd", "obj", "usda"};

// Mesh 0 has texture coordinates and colours, 1 nothing, 2 texture coordinates and never moves, 3 is empty. The names
// of 0 and 1 differ only in characters that USD does not allow.
typedef struct scene {
    limber_model model;
    limber_mesh meshes[MESHES];
    float uvs[8], colors[16], positions[3 * VERTICES], normals[3 * VERTICES];
    uint32_t calls, fail_at, nan_at;
    bool without_normals;
    char folder[64];
} scene;

static const uint32_t square[] = {0, 1, 2, 0, 2, 3};

static float position(uint32_t frame, uint32_t i) {
    bool still = i / 3 >= 8;
    return sinf((float)(i * 7919 % 101) + (still ? 0 : 0.37f * (float)frame)) * (i % 2 ? 1e-3f : 12.5f);
}

static float normal(uint32_t frame, uint32_t i) {
    return i / 3 >= 8 ? (float)(i % 3 == 1) : cosf((float)(frame + i));
}

static limber_result give_frame(void* user, uint32_t index, const float** positions, const float** normals) {
    scene* s = user;
    assert_int_equal(index, s->calls++);
    if (index == s->fail_at)
        return LIMBER_ERROR_DATA;
    for (uint32_t i = 0; i < 3 * VERTICES; i++) {
        s->positions[i] = position(index, i);
        s->normals[i] = normal(index, i);
    }
    if (index == s->nan_at)
        s->positions[3 * 5 + 1] = NAN;
    *positions = s->positions;
    if (!s->without_normals)
        *normals = s->normals;
    return LIMBER_OK;
}

static int make_scene(void** state) {
    scene* s = calloc(1, sizeof *s);
    const char* names[MESHES] = {"Arm.001", "Arm-001", "2nd floor", ""};
    for (uint32_t m = 0; m < MESHES; m++) {
        limber_mesh* mesh = &s->meshes[m];
        mesh->name = "mesh name";
        mesh->node_name = names[m];
        mesh->first_vertex = 4 * m;
        mesh->vertex_count = m < 3 ? 4 : 0;
        mesh->triangle_count = m < 3 ? 2 : 0;
        mesh->triangles = square;
    }
    for (int i = 0; i < 8; i++)
        s->uvs[i] = 0.1f * (float)i;
    for (int i = 0; i < 16; i++)
        s->colors[i] = (float)i / 15;
    s->meshes[0].uvs = s->meshes[2].uvs = s->uvs;
    s->meshes[0].colors = s->colors;
    s->model = limber_model_default();
    s->model.mesh_count = MESHES;
    s->model.meshes = s->meshes;
    s->model.vertex_count = VERTICES;
    s->fail_at = s->nan_at = UINT32_MAX;
    strcpy(s->folder, "/tmp/limber-cache-XXXXXX");
    *state = s;
    return mkdtemp(s->folder) ? 0 : -1;
}

// Everything in the folder, hidden or not.
static int file_count(const scene* s, bool remove_them) {
    int count = 0;
    DIR* folder = opendir(s->folder);
    assert_non_null(folder);
    for (struct dirent* entry; (entry = readdir(folder));) {
        char path[512];
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
            continue;
        snprintf(path, sizeof path, "%s/%s", s->folder, entry->d_name);
        if (remove_them)
            remove(path);
        count++;
    }
    closedir(folder);
    return count;
}

static int remove_scene(void** state) {
    scene* s = *state;
    file_count(s, true);
    rmdir(s->folder);
    free(s);
    return 0;
}

static const char* in_folder(const scene* s, const char* name) {
    static char path[256];
    snprintf(path, sizeof path, "%s/%s", s->folder, name);
    return path;
}

static limber_cache_job job_of(scene* s) {
    limber_cache_job job = limber_cache_job_default();
    job.model = &s->model;
    job.fps = 24;
    job.start_s = 0.5f;
    job.frame_count = FRAMES;
    job.frame = give_frame;
    job.user = s;
    s->calls = 0;
    return job;
}

static void save(scene* s, const char* name) {
    limber_cache_job job = job_of(s);
    limber_error error = {0};
    if (limber_cache_save(&job, in_folder(s, name), &error) != LIMBER_OK)
        fail_msg("%s: %s", name, error.message);
    assert_int_equal(s->calls, FRAMES);
}

static limber_error save_fails(scene* s, const limber_cache_job* job, const char* name) {
    limber_error error = {0};
    s->calls = 0;
    limber_result result = limber_cache_save(job, in_folder(s, name), &error);
    if (result == LIMBER_OK)
        fail_msg("%s should have failed", name);
    assert_int_equal(result, error.result);
    assert_true(error.message[0]);
    return error;
}

static void pc2_reads_back(void** state) {
    scene* s = *state;
    size_t size;
    save(s, "run.pc2");
    char* bytes = read_text(in_folder(s, "run.pc2"), &size);
    assert_int_equal(size, 32 + 12 * VERTICES * FRAMES);
    assert_memory_equal(bytes, "POINTCACHE2\0", 12);
    assert_int_equal(little_endian_at(bytes, 12), 1);
    assert_int_equal(little_endian_at(bytes, 16), VERTICES);
    assert_true(float_of(little_endian_at(bytes, 20)) == 12);
    assert_true(float_of(little_endian_at(bytes, 24)) == 1);
    assert_int_equal(little_endian_at(bytes, 28), FRAMES);
    for (uint32_t f = 0; f < FRAMES; f++)
        for (uint32_t i = 0; i < 3 * VERTICES; i++)
            assert_true(float_of(little_endian_at(bytes, 32 + 4 * (3 * VERTICES * f + i))) == position(f, i));
    assert_int_equal(file_count(s, false), 1);
    free(bytes);
}

static void mdd_reads_back(void** state) {
    scene* s = *state;
    size_t size;
    save(s, "run.MDD");
    char* bytes = read_text(in_folder(s, "run.MDD"), &size);
    assert_int_equal(size, 8 + 4 * FRAMES + 12 * VERTICES * FRAMES);
    assert_int_equal(big_endian_at(bytes, 0), FRAMES);
    assert_int_equal(big_endian_at(bytes, 4), VERTICES);
    for (uint32_t f = 0; f < FRAMES; f++)
        assert_true(float_of(big_endian_at(bytes, 8 + 4 * f)) == (float)(0.5 + f / 24.0));
    for (uint32_t f = 0; f < FRAMES; f++)
        for (uint32_t i = 0; i < 3 * VERTICES; i++)
            assert_true(float_of(big_endian_at(bytes, 8 + 4 * FRAMES + 4 * (3 * VERTICES * f + i))) == position(f, i));
    free(bytes);
}

static void check_obj_corners(const obj_file* obj) {
    assert_int_equal(obj->corner_count, 18);
    for (uint32_t i = 0; i < 18; i++) {
        int mesh = (int)(i / 6), in_mesh = (int)square[i % 6];
        assert_int_equal(obj->corners[i][0], 1 + 4 * mesh + in_mesh);
        assert_int_equal(obj->corners[i][1], mesh == 1 ? 0 : 1 + (mesh ? 4 : 0) + in_mesh);
        assert_int_equal(obj->corners[i][2], 1 + 4 * mesh + in_mesh);
    }
}

// The colours are 0, 1/15, 2/15 ...: linear, of which the file holds the sRGB values.
static void check_obj_attributes(const obj_file* obj) {
    assert_int_equal(obj->color_count, 4);
    assert_true(obj->colors[0][0] == 0);
    for (int i = 1; i < 12; i++) {
        double srgb = obj->colors[i / 3][i % 3], linear = pow((srgb + 0.055) / 1.055, 2.4);
        assert_true(fabs(linear - (i + i / 3) / 15.0) < 1e-6);
    }
    assert_int_equal(obj->uv_count, 8);
    for (int i = 0; i < 8; i++) {
        assert_true(obj->uvs[i][0] == 0.1f * (float)(2 * (i % 4)));
        assert_true(obj->uvs[i][1] == 1 - 0.1f * (float)(2 * (i % 4) + 1));
    }
}

static void obj_sequence_reads_back(void** state) {
    scene* s = *state;
    save(s, "run.obj");
    assert_int_equal(file_count(s, false), FRAMES);
    for (uint32_t f = 0; f < FRAMES; f++) {
        char name[32];
        snprintf(name, sizeof name, "run.%04u.obj", f + 1);
        obj_file obj;
        read_obj(in_folder(s, name), &obj);
        assert_int_equal(obj.object_count, MESHES);
        assert_string_equal(obj.objects[0], "Arm.001");
        assert_string_equal(obj.objects[2], "2nd floor");
        assert_int_equal(obj.vertex_count, VERTICES);
        assert_int_equal(obj.normal_count, VERTICES);
        for (uint32_t i = 0; i < 3 * VERTICES; i++) {
            assert_true(obj.vertices[i / 3][i % 3] == position(f, i));
            assert_true(obj.normals[i / 3][i % 3] == normal(f, i));
        }
        check_obj_attributes(&obj);
        check_obj_corners(&obj);
    }
}

static void obj_without_normals_has_no_third_index(void** state) {
    scene* s = *state;
    obj_file obj;
    s->without_normals = true;
    save(s, "run.obj");
    read_obj(in_folder(s, "run.0002.obj"), &obj);
    assert_int_equal(obj.normal_count, 0);
    assert_int_equal(obj.corners[7][0], 6);
    assert_true(obj.corners[7][1] == 0 && obj.corners[7][2] == 0);
    assert_int_equal(obj.corners[1][1], 2);
}

static void obj_counter_goes_where_the_name_says(void** state) {
    scene* s = *state;
    const char* cases[][2] = {
        {"a_%03d.obj", "a_005.obj"},    {"%d.obj", "5.obj"},        {"b.%09d.x.OBJ", "b.000000005.x.OBJ"},
        {"100%%.obj", "100%.0005.obj"}, {"%%d%01d.obj", "%d5.obj"}, {"c.d.obj", "c.d.0005.obj"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        save(s, cases[i][0]);
        assert_int_equal(access(in_folder(s, cases[i][1]), F_OK), 0);
        assert_int_equal(file_count(s, true), FRAMES);
    }
}

static void obj_percent_in_a_folder_is_a_plain_character(void** state) {
    scene* s = *state;
    assert_int_equal(mkdir(in_folder(s, "50%s"), 0777), 0);
    save(s, "50%s/run.obj");
    assert_int_equal(access(in_folder(s, "50%s/run.0005.obj"), F_OK), 0);
    for (int f = 1; f <= FRAMES; f++) {
        char name[32];
        snprintf(name, sizeof name, "50%%s/run.%04d.obj", f);
        remove(in_folder(s, name));
    }
}

static void obj_refuses_every_other_pattern(void** state) {
    scene* s = *state;
    const char* cases[] = {"%s.obj",   "%n.obj",    "a%04d_%04d.obj", "%d%d.obj",   "%4d.obj",  "%0d.obj",
                           "%00d.obj", "%010d.obj", "%04x.obj",       "%04u.obj",   "%-4d.obj", "%.4d.obj",
                           "%ld.obj",  "%*d.obj",   "50%.obj",        "%1$04d.obj", "%%%.obj",  "%04d%n.obj"};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        limber_cache_job job = job_of(s);
        limber_error error = save_fails(s, &job, cases[i]);
        assert_int_equal(error.result, LIMBER_ERROR_ARGUMENT);
        assert_non_null(strstr(error.message, "%04d"));
        assert_int_equal(s->calls, 0);
        assert_int_equal(file_count(s, false), 0);
    }
}

static void check_header(usd_text all) {
    usd_text root;
    const struct {
        const char *name, *value;
    } fields[] = {{"defaultPrim", "\"run_1\""}, {"startTimeCode", "12"},      {"endTimeCode", "16"},
                  {"framesPerSecond", "24"},    {"timeCodesPerSecond", "24"}, {"metersPerUnit", "1"},
                  {"upAxis", "\"Y\""}};
    assert_memory_equal(all.begin, "#usda 1.0\n(\n", 12);
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++) {
        usd_text value = usd_value(all, fields[i].name);
        assert_non_null(value.begin);
        assert_int_equal(value.end - value.begin, strlen(fields[i].value));
        assert_memory_equal(value.begin, fields[i].value, strlen(fields[i].value));
    }
    assert_true(usd_find_prim(all, "Xform \"run_1\"", &root));
}

static void check_moving_mesh(usd_text mesh, uint32_t first) {
    usd_text points = usd_value(mesh, "point3f[] points.timeSamples"), sample;
    usd_text normals = usd_value(mesh, "normal3f[] normals.timeSamples");
    usd_text extents = usd_value(mesh, "float3[] extent.timeSamples");
    assert_true(points.begin && normals.begin && extents.begin);
    float numbers[12];
    double code;
    for (uint32_t f = 0; f < FRAMES; f++) {
        float low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
        assert_true(usd_sample(points, f, &code, &sample) && code == 12 + f);
        assert_int_equal(usd_numbers(sample, numbers, 12), 12);
        for (uint32_t i = 0; i < 12; i++) {
            assert_true(numbers[i] == position(f, first + i));
            low[i % 3] = fminf(low[i % 3], numbers[i]);
            high[i % 3] = fmaxf(high[i % 3], numbers[i]);
        }
        assert_true(usd_sample(extents, f, &code, &sample) && code == 12 + f);
        assert_int_equal(usd_numbers(sample, numbers, 12), 6);
        for (int c = 0; c < 3; c++)
            assert_true(numbers[c] == low[c] && numbers[3 + c] == high[c]);
        assert_true(usd_sample(normals, f, &code, &sample) && code == 12 + f);
        assert_int_equal(usd_numbers(sample, numbers, 12), 12);
        for (uint32_t i = 0; i < 12; i++)
            assert_true(numbers[i] == normal(f, first + i));
    }
    assert_false(usd_sample(points, FRAMES, &code, &sample));
}

static void check_still_mesh(usd_text mesh) {
    float numbers[12];
    assert_null(usd_value(mesh, "point3f[] points.timeSamples").begin);
    assert_null(usd_value(mesh, "float3[] extent.timeSamples").begin);
    assert_int_equal(usd_numbers(usd_value(mesh, "point3f[] points"), numbers, 12), 12);
    for (uint32_t i = 0; i < 12; i++)
        assert_true(numbers[i] == position(3, 24 + i));
    assert_int_equal(usd_numbers(usd_value(mesh, "normal3f[] normals"), numbers, 12), 12);
    for (uint32_t i = 0; i < 12; i++)
        assert_true(numbers[i] == normal(3, 24 + i));
}

static void check_topology(const scene* s, usd_text mesh, bool uvs, bool colors) {
    float numbers[16];
    assert_int_equal(usd_numbers(usd_value(mesh, "int[] faceVertexCounts"), numbers, 16), 2);
    assert_true(numbers[0] == 3 && numbers[1] == 3);
    assert_int_equal(usd_numbers(usd_value(mesh, "int[] faceVertexIndices"), numbers, 16), 6);
    for (int i = 0; i < 6; i++)
        assert_true(numbers[i] == (float)square[i]);
    usd_text st = usd_value(mesh, "texCoord2f[] primvars:st");
    usd_text display = usd_value(mesh, "color3f[] primvars:displayColor");
    assert_true((st.begin != NULL) == uvs && (display.begin != NULL) == colors);
    if (uvs)
        assert_int_equal(usd_numbers(st, numbers, 16), 8);
    for (int i = 0; uvs && i < 8; i++)
        assert_true(numbers[i] == (i % 2 ? 1 - s->uvs[i] : s->uvs[i]));
    if (colors)
        assert_int_equal(usd_numbers(display, numbers, 16), 12);
    for (int i = 0; colors && i < 12; i++)
        assert_true(numbers[i] == s->colors[4 * (i / 3) + i % 3]);
}

static uint32_t occurrences(const char* text, const char* words) {
    uint32_t count = 0;
    while ((text = strstr(text, words))) {
        count++;
        text++;
    }
    return count;
}

static void usda_reads_back(void** state) {
    scene* s = *state;
    size_t size;
    usd_text mesh;
    save(s, "run-1.usda");
    assert_int_equal(file_count(s, false), 1);
    char* text = read_text(in_folder(s, "run-1.usda"), &size);
    usd_text all = usd_all(text);
    check_header(all);
    assert_int_equal(occurrences(text, "def Mesh "), MESHES);
    assert_true(usd_find_prim(all, "Mesh \"Arm_001\"", &mesh));
    check_moving_mesh(mesh, 0);
    check_topology(s, mesh, true, true);
    assert_true(usd_find_prim(all, "Mesh \"Arm_001_1\"", &mesh));
    check_moving_mesh(mesh, 12);
    check_topology(s, mesh, false, false);
    assert_true(usd_find_prim(all, "Mesh \"_2nd_floor\"", &mesh));
    check_still_mesh(mesh);
    check_topology(s, mesh, true, false);
    assert_true(usd_find_prim(all, "Mesh \"mesh_name\"", &mesh));
    assert_int_equal(occurrences(text, "interpolation = \"vertex\""), 3 + MESHES); // st, st, colours and all normals
    free(text);
}

static void usda_prim_names_are_unique_identifiers(void** state) {
    scene* s = *state;
    const char* names[MESHES] = {"a_1", "a", "a", "\xC3\xA9t\xC3\xA9\"\n{"};
    const char* expected[MESHES] = {"a_1", "a", "a_2", "_t____"};
    size_t size;
    for (int m = 0; m < MESHES; m++)
        s->meshes[m].node_name = names[m];
    save(s, "run.usda");
    char* text = read_text(in_folder(s, "run.usda"), &size);
    for (int m = 0; m < MESHES; m++) {
        char words[64];
        snprintf(words, sizeof words, "def Mesh \"%s\"\n", expected[m]);
        assert_int_equal(occurrences(text, words), 1);
    }
    free(text);
}

static void usda_names_of_many_equal_meshes_stay_quick(void** state) {
    scene* s = *state;
    enum { MANY = 20000 };
    limber_mesh* meshes = calloc(MANY, sizeof *meshes);
    assert_non_null(meshes);
    meshes[0] = s->meshes[0];
    for (int m = 1; m < MANY; m++) {
        meshes[m].node_name = "Cube";
        meshes[m].first_vertex = VERTICES;
    }
    s->model.meshes = meshes;
    s->model.mesh_count = MANY;
    save(s, "run.usda");
    size_t size;
    char* text = read_text(in_folder(s, "run.usda"), &size);
    assert_int_equal(occurrences(text, "\"Cube_19998\"\n"), 1);
    free(text);
    free(meshes);
}

// Times that a file stores as float32 do not make frame numbers such as 1000.99997.
static void frame_numbers_are_free_of_dust(void** state) {
    scene* s = *state;
    size_t size;
    limber_cache_job job = job_of(s);
    job.start_s = (float)(1001.0 / 24); // 1000.99997 frames
    assert_int_equal(limber_cache_save(&job, in_folder(s, "run.usda"), NULL), LIMBER_OK);
    char* text = read_text(in_folder(s, "run.usda"), &size);
    assert_int_equal(occurrences(text, "startTimeCode = 1001\n"), 1);
    assert_int_equal(occurrences(text, " 1005: ["), 6); // three attributes of two moving meshes
    free(text);
    job = job_of(s);
    job.fps = 24000.0 / 1001;
    job.start_s = -0.1;
    assert_int_equal(limber_cache_save(&job, in_folder(s, "run.usda"), NULL), LIMBER_OK);
    text = read_text(in_folder(s, "run.usda"), &size);
    assert_int_equal(occurrences(text, "startTimeCode = -2.397602\n"), 1);
    assert_int_equal(occurrences(text, "timeCodesPerSecond = 23.976024\n"), 1);
    free(text);
}

static void failing_frame_leaves_nothing(void** state) {
    scene* s = *state;
    for (int e = 0; e < 4; e++) {
        char name[32];
        snprintf(name, sizeof name, "run.%s", endings[e]);
        limber_cache_job job = job_of(s);
        s->fail_at = 3;
        limber_error error = save_fails(s, &job, name);
        assert_int_equal(error.result, LIMBER_ERROR_DATA);
        assert_int_equal(s->calls, 4);
        assert_int_equal(file_count(s, false), 0);
    }
}

static void failing_frame_keeps_the_old_file(void** state) {
    scene* s = *state;
    const char* names[] = {"run.pc2", "run.mdd", "run.0001.obj", "run.usda"};
    for (int e = 0; e < 4; e++) {
        char name[32];
        size_t size;
        FILE* old = fopen(in_folder(s, names[e]), "w");
        assert_non_null(old);
        fputs("old", old);
        fclose(old);
        snprintf(name, sizeof name, "run.%s", endings[e]);
        limber_cache_job job = job_of(s);
        s->fail_at = FRAMES - 1;
        save_fails(s, &job, name);
        char* text = read_text(in_folder(s, names[e]), &size);
        assert_string_equal(text, "old");
        free(text);
        assert_int_equal(file_count(s, true), 1);
    }
}

static void unwritable_path_leaves_nothing(void** state) {
    scene* s = *state;
    assert_int_equal(mkdir(in_folder(s, "busy"), 0777), 0);
    for (int e = 0; e < 4; e++) {
        char name[64];
        limber_cache_job job = job_of(s);
        snprintf(name, sizeof name, "absent/run.%s", endings[e]);
        assert_int_equal(save_fails(s, &job, name).result, LIMBER_ERROR_FILE);
        assert_int_equal(file_count(s, false), 1);
        assert_int_equal(file_count(s, true), 1);
        snprintf(name, sizeof name, e == 2 ? "run.0003.%s" : "run.%s", endings[e]);
        assert_int_equal(mkdir(in_folder(s, name), 0777), 0);
        snprintf(name, sizeof name, "run.%s", endings[e]);
        assert_int_equal(save_fails(s, &job, name).result, LIMBER_ERROR_FILE);
        assert_int_equal(file_count(s, false), 1);
    }
}

// A limit on the size of files stands in for a full disk.
static void full_disk_leaves_nothing(void** state) {
    scene* s = *state;
    struct rlimit before, small;
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    signal(SIGXFSZ, SIG_IGN);
    small = before;
    small.rlim_cur = 400;
    limber_error errors[4];
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
    for (int e = 0; e < 4; e++) {
        char name[32];
        snprintf(name, sizeof name, "run.%s", endings[e]);
        limber_cache_job job = job_of(s);
        errors[e].result = limber_cache_save(&job, in_folder(s, name), &errors[e]);
    }
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
    signal(SIGXFSZ, SIG_DFL);
    for (int e = 0; e < 4; e++)
        assert_int_equal(errors[e].result, LIMBER_ERROR_FILE);
    assert_int_equal(file_count(s, false), 0);
}

static void numbers_that_are_none_are_refused(void** state) {
    scene* s = *state;
    for (int e = 0; e < 4; e++) {
        char name[32];
        snprintf(name, sizeof name, "run.%s", endings[e]);
        limber_cache_job job = job_of(s);
        s->nan_at = 2;
        limber_error error = save_fails(s, &job, name);
        assert_int_equal(error.result, LIMBER_ERROR_DATA);
        assert_non_null(strstr(error.message, "vertex 1 in frame 3"));
        assert_int_equal(file_count(s, false), 0);
    }
}

static void senseless_jobs_are_refused(void** state) {
    scene* s = *state;
    limber_model empty = limber_model_default();
    const double rates[] = {0, -24, NAN, INFINITY, 1e7, 1e-9}, starts[] = {NAN, INFINITY, 1e12};
    for (int e = 0; e < 4; e++) {
        char name[32];
        snprintf(name, sizeof name, "run.%s", endings[e]);
        limber_cache_job job = job_of(s);
        job.frame_count = 0;
        assert_int_equal(save_fails(s, &job, name).result, LIMBER_ERROR_ARGUMENT);
        job = job_of(s);
        job.model = &empty;
        assert_int_equal(save_fails(s, &job, name).result, LIMBER_ERROR_ARGUMENT);
        for (size_t i = 0; i < sizeof rates / sizeof *rates; i++) {
            job = job_of(s);
            job.fps = rates[i];
            assert_int_equal(save_fails(s, &job, name).result, LIMBER_ERROR_ARGUMENT);
        }
        for (size_t i = 0; i < sizeof starts / sizeof *starts; i++) {
            job = job_of(s);
            job.start_s = starts[i];
            assert_int_equal(save_fails(s, &job, name).result, LIMBER_ERROR_ARGUMENT);
        }
    }
    limber_cache_job job = job_of(s);
    assert_int_equal(save_fails(s, &job, "run.abc").result, LIMBER_ERROR_ARGUMENT);
    assert_int_equal(save_fails(s, NULL, "run.pc2").result, LIMBER_ERROR_ARGUMENT);
    assert_int_equal(limber_cache_save(&job, NULL, NULL), LIMBER_ERROR_ARGUMENT);
    assert_int_equal(file_count(s, false), 0);
}

static void endings_pick_the_format(void** state) {
    (void)state;
    const char* known[] = {"a.pc2", "a.mdd", "a.obj", "a.usda", "/x/a.b.PC2", "a.%04d.obj", "A.UsdA"};
    const char* unknown[] = {"a.usd", "a.glb", "pc2", ".pc2", "/x/.obj", "a.obj/", "a.obj.gz", "", "a.pc2/b"};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        assert_true(limber_cache_knows(known[i]));
    for (size_t i = 0; i < sizeof unknown / sizeof *unknown; i++)
        assert_false(limber_cache_knows(unknown[i]));
    assert_false(limber_cache_knows(NULL));
}

static void float_text_reads_back_exactly(void** state) {
    (void)state;
    for (uint32_t word = 1; word < 0x7f800000u; word += 20011) {
        char text[LIMBERI_FLOAT_CHARS + 1];
        float value = float_of(word);
        text[limberi_float_format(word % 2 ? value : -value, text)] = 0;
        assert_true(strtof(text, NULL) == (word % 2 ? value : -value));
        assert_true(strlen(text) <= 16);
    }
}

static void float_text_is_short(void** state) {
    (void)state;
    const struct {
        float value;
        const char* text;
    } cases[] = {{0, "0"},
                 {-0.0f, "0"},
                 {1, "1"},
                 {-0.1f, "-0.1"},
                 {0.3f, "0.3"},
                 {16777216, "16777216"},
                 {1e9f, "1e+9"},
                 {1e8f, "100000000"},
                 {1.5e-5f, "0.000015"},
                 {2e-6f, "2e-6"},
                 {3.4028235e38f, "3.4028235e+38"},
                 {0.99999994f, "0.99999994"},
                 {1.25e-30f, "1.25e-30"},
                 {100, "100"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[LIMBERI_FLOAT_CHARS + 1];
        text[limberi_float_format(cases[i].value, text)] = 0;
        assert_string_equal(text, cases[i].text);
    }
}

static void text_does_not_follow_the_locale(void** state) {
    scene* s = *state;
    size_t size, other_size;
    save(s, "run.usda");
    char* text = read_text(in_folder(s, "run.usda"), &size);
    const char* names[] = {"de_DE.UTF-8", "de_DE.utf8", "fr_FR.UTF-8", "fr_FR.utf8", "de_DE"};
    const char* chosen = NULL;
    for (size_t i = 0; !chosen && i < sizeof names / sizeof *names; i++)
        chosen = setlocale(LC_ALL, names[i]);
    if (chosen)
        save(s, "run.usda");
    setlocale(LC_ALL, "C");
    char* other = read_text(in_folder(s, "run.usda"), &other_size);
    bool same = size == other_size && memcmp(text, other, size) == 0;
    free(text);
    free(other);
    if (!chosen)
        skip(); // no locale with a decimal comma on this machine
    assert_true(same);
}

#define SCENE_TEST(name) cmocka_unit_test_setup_teardown(name, make_scene, remove_scene)

int main(void) {
    const struct CMUnitTest tests[] = {
        SCENE_TEST(pc2_reads_back),
        SCENE_TEST(mdd_reads_back),
        SCENE_TEST(obj_sequence_reads_back),
        SCENE_TEST(obj_without_normals_has_no_third_index),
        SCENE_TEST(obj_counter_goes_where_the_name_says),
        SCENE_TEST(obj_percent_in_a_folder_is_a_plain_character),
        SCENE_TEST(obj_refuses_every_other_pattern),
        SCENE_TEST(usda_reads_back),
        SCENE_TEST(usda_prim_names_are_unique_identifiers),
        SCENE_TEST(usda_names_of_many_equal_meshes_stay_quick),
        SCENE_TEST(frame_numbers_are_free_of_dust),
        SCENE_TEST(failing_frame_leaves_nothing),
        SCENE_TEST(failing_frame_keeps_the_old_file),
        SCENE_TEST(unwritable_path_leaves_nothing),
        SCENE_TEST(full_disk_leaves_nothing),
        SCENE_TEST(numbers_that_are_none_are_refused),
        SCENE_TEST(senseless_jobs_are_refused),
        SCENE_TEST(endings_pick_the_format),
        cmocka_unit_test(float_text_reads_back_exactly),
        cmocka_unit_test(float_text_is_short),
        SCENE_TEST(text_does_not_follow_the_locale),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
