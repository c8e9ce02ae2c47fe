// Runs the program as a user would, in a folder that is removed afterwards.
#include "kit/program.h"
#include "kit/models.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

const char* test_program(void) {
    const char* program = getenv("LIMBER_PROGRAM");
    assert_non_null(program);
    return program;
}

answer test_shell(const char* command) {
    answer a;
    memset(&a, 0, sizeof a);
    FILE* stream = popen(command, "r");
    assert_non_null(stream);
    size_t length = fread(a.text, 1, sizeof a.text - 1, stream);
    a.text[length] = 0;
    int status = pclose(stream);
    assert_true(WIFEXITED(status));
    a.status = WEXITSTATUS(status);
    return a;
}

answer test_limber(const char* prefix, const char* verb, const char* arguments) {
    char command[2048];
    assert_true(snprintf(command, sizeof command, "%s \"%s\" %s %s 2>&1", prefix, test_program(), verb, arguments) <
                (int)sizeof command);
    return test_shell(command);
}

void test_succeeds(const char* verb, const char* arguments, const char* words) {
    answer a = test_limber("", verb, arguments);
    if (a.status != 0 || !strstr(a.text, words))
        fail_msg("limber %s %s: status %d, '%s'", verb, arguments, a.status, a.text);
}

void test_fails(const char* prefix, const char* verb, const char* arguments, int status, const char* words, int lines) {
    answer a = test_limber(prefix, verb, arguments);
    int count = 0;
    for (const char* c = a.text; *c; c++)
        count += *c == '\n';
    size_t length = strlen(a.text);
    int whole = length > 0 && a.text[length - 1] == '\n';
    if (a.status != status || !strstr(a.text, words) || strncmp(a.text, "limber: ", 8) != 0 || !whole || count != lines)
        fail_msg("%s limber %s %s: status %d, '%s'", prefix, verb, arguments, a.status, a.text);
}

int test_sample(const char* name, const char* file) {
    char line[512];
    if (!getenv("LIMBER_MODELS")) {
        snprintf(line, sizeof line, "%s -o %s", name, file);
        return test_limber("", "sample", line).status;
    }
    snprintf(
        line, sizeof line,
        "cd \"$LIMBER_MODELS\" && { [ %s.glb -nt \"$LIMBER_PROGRAM\" ] || { \"$LIMBER_PROGRAM\" sample %s -o $$-%s.glb "
        "&& mv $$-%s.glb %s.glb; }; } && cp %s.glb \"$OLDPWD\"/%s",
        name, name, name, name, name, name, file);
    return system(line);
}

static char folder[32];

int test_folder_enter(void) {
    snprintf(folder, sizeof folder, "limber-test-XXXXXX");
    return !mkdtemp(folder) || chdir(folder) ? -1 : 0;
}

int test_folder_leave(void) {
    return chdir("..") || rmdir(folder) ? -1 : 0;
}

const char* test_folder_name(void) {
    return folder;
}

int test_tube_write(const char* path, uint32_t joint_count, float angle_rad, uint32_t fps, bool back_again) {
    limber_gltf* gltf;
    limber_asset* asset = test_tube_create(joint_count, angle_rad, fps, back_again);
    limber_result result = limber_gltf_from_asset(asset, &gltf, NULL);
    if (!result)
        result = limber_gltf_save_file(gltf, NULL, path, NULL);
    limber_gltf_destroy(gltf);
    limber_asset_destroy(asset);
    return result ? -1 : 0;
}

static const char triangle[] =
    "<?xml version='1.0'?><COLLADA xmlns='http://www.collada.org/2005/11/COLLADASchema' version='1.4.1'>"
    "<library_images><image id='i'><init_from>pipe.png</init_from></image></library_images><library_effects><effect "
    "id='e'><profile_COMMON><newparam sid='s'><surface "
    "type='2D'><init_from>i</init_from></surface></newparam><newparam "
    "sid='t'><sampler2D><source>s</source></sampler2D></newparam><technique sid='c'><lambert><diffuse><texture "
    "texture='t' texcoord='u'/></diffuse></lambert></technique></profile_COMMON></effect></library_effects>"
    "<library_materials><material id='m'><instance_effect url='#e'/></material></library_materials><library_geometries>"
    "<geometry id='g'><mesh><source id='p'><float_array id='a' count='9'>0 0 0 1 0 0 0 1 0</float_array>"
    "<technique_common><accessor source='#a' count='3' stride='3'><param name='X' type='float'/><param name='Y' "
    "type='float'/><param name='Z' type='float'/></accessor></technique_common></source><vertices id='v'><input "
    "semantic='POSITION' source='#p'/></vertices><triangles count='1' material='k'><input semantic='VERTEX' "
    "source='#v' "
    "offset='0'/><p>0 1 2</p></triangles></mesh></geometry></library_geometries><library_visual_scenes><visual_scene "
    "id='w'><node id='n'><instance_geometry url='#g'><bind_material><technique_common><instance_material symbol='k' "
    "target='#m'/></technique_common></bind_material></instance_geometry></node></visual_scene></library_visual_scenes>"
    "<scene><instance_visual_scene url='#w'/></scene></COLLADA>";

int test_dae_write(const char* path) {
    FILE* file = fopen(path, "w");
    return !file || fputs(triangle, file) < 0 || fclose(file) != 0;
}
