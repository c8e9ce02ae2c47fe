// `--motion` as a user meets it: clips of another file's skeleton in every command, the pairs of joints as a file, and one
// line where it cannot be.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "kit/program.h"
#include <limber/gltf.h>

static int make_files(void** state) {
    (void)state;
    return test_folder_enter() || test_limber("", "sample", "hero --detail 0.5 -o hero.glb").status ||
           test_limber("", "sample", "toon --detail 0.5 -o toon.glb").status ||
           test_limber("", "sample", "dog --detail 0.5 -o dog.glb").status ||
           test_limber("", "convert", "hero.glb --clip run -o run.bvh").status;
}

static int remove_files(void** state) {
    (void)state;
    static const char* const names[] = {"hero.glb", "toon.glb", "dog.glb", "run.bvh"};
    for (int i = 0; i < 4; i++)
        unlink(names[i]);
    return test_folder_leave();
}

static void clips_of(const char* path, char* names, size_t size) {
    limber_gltf* gltf;
    assert_int_equal(limber_gltf_load_file(path, NULL, &gltf, NULL), LIMBER_OK);
    const limber_model* model = limber_asset_model(limber_gltf_asset(gltf));
    names[0] = 0;
    for (uint32_t i = 0; i < model->clip_count; i++)
        snprintf(names + strlen(names), size - strlen(names), "%s;", model->clips[i].name);
    limber_gltf_destroy(gltf);
}

static void its_clips_come_after_those_that_are_there(void** state) {
    (void)state;
    char before[512];
    char after[512];
    char expected[1024];
    clips_of("toon.glb", before, sizeof before);
    test_succeeds("convert", "toon.glb --motion run.bvh --motion 'hero.glb#swing' -o out.glb", "matched by name");
    clips_of("out.glb", after, sizeof after);
    assert_non_null(strstr(before, "run;")); // it has clips of these names: the new ones get a number
    snprintf(expected, sizeof expected, "%srun 2;swing 2;", before);
    assert_string_equal(after, expected);
    unlink("out.glb");
}

static void commands_take_the_motion_by_themselves(void** state) {
    (void)state;
    test_succeeds("convert", "toon.glb --motion 'hero.glb#swing@0.5:1.5' --in-place -o out.bvh", "");
    answer a = test_limber("", "info", "out.bvh");
    assert_non_null(strstr(a.text, ": 1.000 s"));
    unlink("out.bvh");
    test_succeeds("apply", "toon.glb --motion 'hero.glb#swing' --style cartoon --clip 'swing 2' -o out.glb", "");
    char names[512];
    clips_of("out.glb", names, sizeof names);
    assert_non_null(strstr(names, "swing 2;"));
    unlink("out.glb");
}

static void info_says_which_joint_takes_what(void** state) {
    (void)state;
    answer a = test_limber("", "info", "toon.glb --motion run.bvh");
    assert_int_equal(a.status, 0);
    assert_non_null(strstr(a.text, "ArmUpperLeft: ArmUpperLeft (left upper arm, 95 % sure)"));
    assert_non_null(strstr(a.text, "Hat: keeps its rest pose"));
}

static void machines_get_the_matches_too(void** state) {
    (void)state;
    answer a = test_shell("\"$LIMBER_PROGRAM\" info toon.glb --motion run.bvh --json 2>/dev/null | tr -d ' \\n'");
    assert_non_null(strstr(a.text,
                           "\"motions\":[{\"file\":\"run.bvh\",\"matches\":[{\"joint\":\"Hips\",\"from\":\"Hips\","
                           "\"part\":\"hips\",\"sure\":0.95"));
    assert_non_null(strstr(a.text, "\"rest\":[\"Root\",\"Hat\"]"));
    a = test_shell("\"$LIMBER_PROGRAM\" info toon.glb --json 2>/dev/null");
    assert_null(strstr(a.text, "\"motions\""));
}

// A skeleton whose names say nothing, in a pose in which no legs can be seen: every bone in one line.
static void write_line(void) {
    FILE* file = fopen("line.bvh", "w");
    assert_non_null(file);
    static const char text[] =
        "HIERARCHY\nROOT a\n{\nOFFSET 0 10 0\nCHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation Yrotation\n"
        "JOINT b\n{\nOFFSET 0 -1 0.2\nCHANNELS 3 Zrotation Xrotation Yrotation\n"
        "JOINT c\n{\nOFFSET 0 -4 0\nCHANNELS 3 Zrotation Xrotation Yrotation\n"
        "JOINT d\n{\nOFFSET 0 -4 0\nCHANNELS 3 Zrotation Xrotation Yrotation\nEnd Site\n{\nOFFSET 0 0 1\n}\n}\n}\n}\n"
        "JOINT e\n{\nOFFSET 0.5 -1 0\nCHANNELS 3 Zrotation Xrotation Yrotation\n"
        "JOINT f\n{\nOFFSET 0 -3 2\nCHANNELS 3 Zrotation Xrotation Yrotation\n"
        "JOINT g\n{\nOFFSET 0 -2 -1\nCHANNELS 3 Zrotation Xrotation Yrotation\nEnd Site\n{\nOFFSET 0 0 "
        "1\n}\n}\n}\n}\n}\n"
        "MOTION\nFrames: 2\nFrame Time: 0.1\n"
        "0 10 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0\n0 10 1 0 0 0 0 20 0 0 10 0 0 0 0 0 0 0 0 0 0 0 0 0\n";
    fputs(text, file);
    assert_int_equal(fclose(file), 0);
}

static void a_person_can_say_what_joints_are(void** state) {
    (void)state;
    write_line();
    test_fails("", "info", "toon.glb --motion line.bvh", 1, "say what its joints are with --match FILE", 1);
    test_fails("", "info", "toon.glb --motion line.bvh --match roles.json", 1, "in roles.json, which is written", 1);
    test_fails("", "info", "toon.glb --motion line.bvh --match roles.json", 1, "cannot find",
               1); // nothing was said yet
    static const char* const said[][2] = {{"b", "leftUpperLeg"},  {"c", "leftLowerLeg"},  {"d", "leftFoot"},
                                          {"e", "rightUpperLeg"}, {"f", "rightLowerLeg"}, {"g", "rightFoot"}};
    for (int i = 0; i < 6; i++) {
        char command[256];
        snprintf(command, sizeof command, "sed -i 's/\"%s\": null/\"%s\": \"%s\"/' roles.json", said[i][0], said[i][0],
                 said[i][1]);
        assert_int_equal(test_shell(command).status, 0);
    }
    answer a = test_limber("", "info", "toon.glb --motion line.bvh --match roles.json");
    assert_int_equal(a.status, 0);
    assert_non_null(strstr(a.text, "LegUpperLeft: b (left upper leg"));
    assert_int_equal(test_shell("sed -i 's/leftFoot/flipper/' roles.json").status, 0);
    test_fails("", "info", "toon.glb --motion line.bvh --match roles.json", 1, "as \"leftUpperLeg\"", 1);
    unlink("roles.json");
    unlink("line.bvh");
}

// As programs write motions without a character: the file of the hero with neither meshes nor skins.
static const char undress[] =
    "import json,struct;b=open('hero.glb','rb').read();n=struct.unpack('<I',b[12:16])[0];j=json.loads(b[20:20+n]);"
    "[(x.pop('mesh',0),x.pop('skin',0)) for x in j['nodes']];j.pop('meshes');j.pop('skins');j.pop('materials',0);"
    "t=json.dumps(j).encode();t+=b' '*(-len(t)%4);r=b[20+n:];open('bare.glb','wb').write(b'glTF'+struct.pack('<II',2,"
    "20+len(t)+len(r))+struct.pack('<I',len(t))+b'JSON'+t+r)";

static void a_skeleton_without_a_mesh_gets_a_body(void** state) {
    (void)state;
    char command[1024];
    snprintf(command, sizeof command, "python3 -c \"%s\"", undress);
    if (test_shell("python3 -c ''").status)
        skip();
    assert_int_equal(test_shell(command).status, 0);
    test_succeeds("convert", "bare.glb -o body.glb", "converted");
    limber_gltf* gltf;
    assert_int_equal(limber_gltf_load_file("body.glb", NULL, &gltf, NULL), LIMBER_OK);
    const limber_model* model = limber_asset_model(limber_gltf_asset(gltf));
    assert_int_equal(model->mesh_count, 1);
    assert_true(model->vertex_count > 100);
    assert_true(limber_model_find_clip(model, "run") >= 0);
    assert_true(model->rig.world_from_joint_rest[limber_rig_find_joint(&model->rig, "Head")].m[13] > 1);
    limber_gltf_destroy(gltf);
    test_succeeds("apply", "bare.glb --clip run --style cartoon -o body.glb", "");
    unlink("bare.glb");
    unlink("body.glb");
}

// --- an animal whose hind legs have a bone more ---

typedef struct bone {
    const char* name;
    int parent;
    double x, y, z; // from its parent
} bone;

static const bone wolf[] = {
    {"Back", -1, 0, 2, -0.6},
    {"Torso", 0, 0, 0, 0.8},
    {"Neck", 1, 0, 0.3, 1},
    {"Head", 2, 0, 0.3, 0.3},
    {"FrontUpperLeg.L", 1, 0.3, -0.5, 0.8},
    {"FrontLowerLeg.L", 4, 0, -0.4, -0.1},
    {"FrontFoot.L", 5, 0, -0.9, 0.2},
    {"FrontUpperLeg.R", 1, -0.3, -0.5, 0.8},
    {"FrontLowerLeg.R", 7, 0, -0.4, -0.1},
    {"FrontFoot.R", 8, 0, -0.9, 0.2},
    {"BackLeg.L", 0, 0.3, -0.25, 0},
    {"BackUpperLeg.L", 10, 0, -0.43, 0.25},
    {"BackLowerLeg.L", 11, 0, -0.5, -0.9},
    {"BackFoot.L", 12, 0, -0.6, 0.2},
    {"BackLeg.R", 0, -0.3, -0.25, 0},
    {"BackUpperLeg.R", 14, 0, -0.43, 0.25},
    {"BackLowerLeg.R", 15, 0, -0.5, -0.9},
    {"BackFoot.R", 16, 0, -0.6, 0.2},
};
enum { WOLF_BONES = sizeof wolf / sizeof *wolf };

static void write_bone(FILE* file, int index) {
    const bone* b = &wolf[index];
    bool is_last = true;
    fprintf(file, "%s %s\n{\nOFFSET %g %g %g\nCHANNELS 3 Zrotation Xrotation Yrotation\n", index ? "JOINT" : "ROOT",
            b->name, b->x, b->y, b->z);
    for (int i = 0; i < WOLF_BONES; i++)
        if (wolf[i].parent == index) {
            write_bone(file, i);
            is_last = false;
        }
    fputs(is_last ? "End Site\n{\nOFFSET 0 0 0.2\n}\n}\n" : "}\n", file);
}

static void the_thigh_of_an_animal_is_its_first_long_bone(void** state) {
    (void)state;
    FILE* file = fopen("wolf.bvh", "w");
    assert_non_null(file);
    fputs("HIERARCHY\n", file);
    write_bone(file, 0);
    fputs("MOTION\nFrames: 1\nFrame Time: 0.1\n", file);
    for (int i = 0; i < WOLF_BONES; i++)
        fputs("0 0 0 ", file);
    fputs("\n", file);
    assert_int_equal(fclose(file), 0);
    answer a = test_limber("", "info", "wolf.bvh --motion 'dog.glb#run'");
    assert_int_equal(a.status, 0);
    assert_non_null(strstr(a.text, "BackLeg.L: LegHindUpperLeft (left upper leg"));
    assert_non_null(strstr(a.text, "BackUpperLeg.L: LegHindLowerLeft (left lower leg"));
    assert_non_null(strstr(a.text, "BackFoot.L: LegHindPawLeft (left foot"));
    assert_non_null(strstr(a.text, "FrontUpperLeg.R: LegFrontUpperRight (right upper arm"));
    unlink("wolf.bvh");
}

static void pairs_are_written_and_read(void** state) {
    (void)state;
    test_succeeds("convert", "toon.glb --motion run.bvh --match pairs.json -o out.glb", "change what is wrong");
    test_succeeds("convert", "toon.glb --motion run.bvh --match pairs.json -o out2.glb", "");
    assert_int_equal(test_shell("cmp out.glb out2.glb").status, 0); // what was found stays as it was found
    assert_int_equal(test_shell("sed -i 's/\"HandLeft\": \"HandLeft\"/\"HandLeft\": null/' pairs.json").status, 0);
    answer a = test_limber("", "info", "toon.glb --motion run.bvh --match pairs.json");
    assert_non_null(strstr(a.text, "HandLeft: keeps its rest pose"));
    assert_non_null(strstr(a.text, "100 % sure"));
    assert_int_equal(test_shell("sed -i 's/\"Head\": \"Head\"/\"Head\": \"Haed\"/' pairs.json").status, 0);
    test_fails("", "info", "toon.glb --motion run.bvh --match pairs.json", 1, "did you mean 'Head'", 1);
    assert_int_equal(test_shell("echo '{}' > pairs.json").status, 0);
    test_fails("", "info", "toon.glb --motion run.bvh --match pairs.json", 1, "is no list of joint pairs", 1);
    unlink("pairs.json");
    unlink("out.glb");
    unlink("out2.glb");
}

// With and without the list that was written, also for one skeleton, whose keys are passed on.
static void a_list_as_it_was_written_changes_nothing(void** state) {
    (void)state;
    static const char* const motions[] = {"toon.glb --motion 'toon.glb#run'", "dog.glb --motion 'dog.glb#run'",
                                          "toon.glb --motion 'toon.glb#run' --mirror",
                                          "toon.glb --motion 'hero.glb#swing' --touch --in-place"};
    for (size_t i = 0; i < sizeof motions / sizeof *motions; i++) {
        char text[256];
        snprintf(text, sizeof text, "%s -o out.glb", motions[i]);
        test_succeeds("convert", text, "joints take its motion");
        for (int times = 0; times < 2; times++) {
            snprintf(text, sizeof text, "%s --match pairs.json -o out2.glb", motions[i]);
            test_succeeds("convert", text, times ? "" : "change what is wrong");
            assert_int_equal(test_shell("cmp out.glb out2.glb").status, 0);
        }
        unlink("pairs.json");
    }
    unlink("out.glb");
    unlink("out2.glb");
}

static void cycles_and_root_motion_are_options(void** state) {
    (void)state;
    test_succeeds("convert", "toon.glb --motion run.bvh --cycle --root-motion -o out.glb", "joints take its motion");
    answer a = test_limber("", "info", "out.glb");
    assert_non_null(strstr(a.text, "run 2: 0.600 s at 60 fps (37 frames), loops"));
    test_shell(
        "sed -e '/ROOT Root/,/CHANNELS/d' -e 's/JOINT Hips/ROOT Hips/' run.bvh | sed -n '/ROOT Hips/,/^MOTION/p' "
        "> hips.txt; (echo HIERARCHY; sed '/^MOTION/d' hips.txt | sed '$d'; printf "
        "'MOTION\\nFrames: 0\\nFrame Time: 0.1\\n') > hips.bvh");
    test_fails("", "info", "hips.bvh --motion 'hero.glb#run' --root-motion", 1, "no joint above 'Hips'", 1);
    unlink("hips.txt");
    unlink("hips.bvh");
    test_fails("", "convert", "toon.glb --motion run.bvh --in-place --root-motion -o no.glb", 2, "choose one", 1);
    unlink("out.glb");
}

static void what_cannot_be_is_said_in_one_line(void** state) {
    (void)state;
    test_fails("", "convert", "toon.glb --motion dog.glb -o out.glb", 1,
               "dog.glb: the motion goes on all fours, the character on two legs", 1);
    test_fails("", "convert", "toon.glb --motion missing.bvh -o out.glb", 1, "missing.bvh", 1);
    test_fails("", "convert", "toon.glb --motion 'hero.glb#swimm' -o out.glb", 1, "swimm", 1);
    test_fails("", "convert", "toon.glb --motion 'hero.glb@9:10' -o out.glb", 1, "before that part of it begins", 1);
    test_fails("", "convert", "toon.glb --motion 'hero.glb@x' -o out.glb", 2, "after the @", 1);
    test_fails("", "convert", "toon.glb --motion '#run' -o out.glb", 2, "names no file", 1);
    test_fails("", "convert", "toon.glb --mirror -o out.glb", 2, "need --motion", 1);
    test_fails("", "convert", "toon.glb --motion run.bvh --motion hero.glb --match new.json -o out.glb", 2,
               "goes with one --motion", 1);
    test_fails("", "apply", "toon.glb --motion run.bvh --match out.glb -o out.glb", 2, "name the same file", 1);
    assert_int_not_equal(access("new.json", F_OK), 0);
    assert_int_not_equal(access("out.glb", F_OK), 0);
}

// A chain of joints, one below the other.
static void write_chain(const char* path, int count) {
    FILE* file = fopen(path, "w");
    assert_non_null(file);
    fputs("HIERARCHY\n", file);
    for (int j = 0; j < count; j++)
        fprintf(file, "%s j%d\n{\nOFFSET 0 1 0\nCHANNELS 3 Zrotation Xrotation Yrotation\n", j ? "JOINT" : "ROOT", j);
    fputs("End Site\n{\nOFFSET 0 1 0\n}\n", file);
    for (int j = 0; j < count; j++)
        fputs("}\n", file);
    fputs("MOTION\nFrames: 2\nFrame Time: 0.1\n", file);
    for (int j = 0; j < 2 * count; j++)
        fprintf(file, "0 %d 0%s", j >= count, j == count - 1 ? "\n" : " ");
    fputs("\n", file);
    assert_int_equal(fclose(file), 0);
}

static const char channels[] = "CHANNELS 3 Zrotation Xrotation Yrotation";

// A body with pairs of legs all around, without names.
static void write_insect(const char* path, int pairs) {
    FILE* file = fopen(path, "w");
    assert_non_null(file);
    fprintf(file, "HIERARCHY\nROOT j\n{\nOFFSET 0 1 0\n%s\n", channels);
    for (int leg = 0; leg < 2 * pairs; leg++) {
        double side = leg % 2 ? -1 : 1;
        fprintf(file, "JOINT a%d\n{\nOFFSET %g 0 %g\n%s\n", leg, 0.2 * side, 0.5 * (leg / 2), channels);
        fprintf(file, "JOINT b%d\n{\nOFFSET %g 0.2 0\n%s\n", leg, 0.6 * side, channels);
        fprintf(file, "JOINT c%d\n{\nOFFSET %g -0.7 0\n%s\n", leg, 0.3 * side, channels);
        fputs("End Site\n{\nOFFSET 0 -0.4 0\n}\n}\n}\n}\n", file);
    }
    fputs("}\nMOTION\nFrames: 2\nFrame Time: 0.1\n", file);
    for (int i = 0; i < 2 * (3 + 18 * pairs); i++)
        fputs(i == 2 + 18 * pairs ? "0\n" : "0 ", file);
    assert_int_equal(fclose(file), 0);
}

// More legs than two pairs: which ones are meant is for somebody to say.
static void what_is_not_sure_is_asked_for(void** state) {
    (void)state;
    write_insect("four.bvh", 2);
    test_fails("", "convert", "toon.glb --motion four.bvh -o out.glb", 1, "the motion goes on all fours", 1);
    for (int pairs = 3; pairs < 5; pairs++) {
        write_insect("insect.bvh", pairs);
        test_fails("", "convert", "toon.glb --motion insect.bvh -o out.glb", 1, "others are like them; say what", 1);
        test_fails("", "convert", "insect.bvh --motion run.bvh -o out.glb", 1, "others are like them; say what", 1);
    }
    test_fails("", "convert", "toon.glb --motion insect.bvh --match roles.json -o out.glb", 1, "which is written", 1);
    test_shell("printf '{\"limber_match\": 1, \"motion\": {\"a0\": \"leftUpperLeg\", \"b0\": \"leftLowerLeg\", "
               "\"c0\": \"leftFoot\", \"a1\": \"rightUpperLeg\", \"b1\": \"rightLowerLeg\", \"c1\": "
               "\"rightFoot\"}}' > roles.json");
    test_succeeds("convert", "toon.glb --motion insect.bvh --match roles.json -o out.glb", "joints take its motion");
    unlink("four.bvh");
    unlink("insect.bvh");
    unlink("roles.json");
    unlink("out.glb");
}

static void what_is_no_body_is_said_in_one_line(void** state) {
    (void)state;
    static const char* const wrong[][2] = {{"two.bvh", "cannot find two legs"},
                                           {"many.bvh", "cannot find two legs"},
                                           {"flower.glb", "cannot find two legs"},
                                           {"swapped.bvh", "left and right seem to be swapped"}};
    write_chain("two.bvh", 2);
    write_chain("many.bvh", 500);
    assert_int_equal(test_limber("", "sample", "flower --detail 0.5 -o flower.glb").status, 0);
    test_shell("sed 's/Left/LRight/g; s/\\([^L]\\)Right/\\1Left/g; s/LRight/Right/g' run.bvh > swapped.bvh");
    for (int i = 0; i < 4; i++) {
        char arguments[128];
        snprintf(arguments, sizeof arguments, "toon.glb --motion %s -o out.glb", wrong[i][0]);
        test_fails("", "convert", arguments, 1, wrong[i][1], 1);
        snprintf(arguments, sizeof arguments, "%s --motion run.bvh -o out.glb", wrong[i][0]);
        test_fails("", "convert", arguments, 1, wrong[i][1], 1);
        unlink(wrong[i][0]);
    }
    assert_int_not_equal(access("out.glb", F_OK), 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(its_clips_come_after_those_that_are_there),
        cmocka_unit_test(commands_take_the_motion_by_themselves),
        cmocka_unit_test(info_says_which_joint_takes_what),
        cmocka_unit_test(machines_get_the_matches_too),
        cmocka_unit_test(a_person_can_say_what_joints_are),
        cmocka_unit_test(a_skeleton_without_a_mesh_gets_a_body),
        cmocka_unit_test(the_thigh_of_an_animal_is_its_first_long_bone),
        cmocka_unit_test(pairs_are_written_and_read),
        cmocka_unit_test(a_list_as_it_was_written_changes_nothing),
        cmocka_unit_test(cycles_and_root_motion_are_options),
        cmocka_unit_test(what_cannot_be_is_said_in_one_line),
        cmocka_unit_test(what_is_not_sure_is_asked_for),
        cmocka_unit_test(what_is_no_body_is_said_in_one_line),
    };
    return cmocka_run_group_tests(tests, make_files, remove_files);
}
