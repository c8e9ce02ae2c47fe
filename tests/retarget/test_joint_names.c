// What names of joints mean, in the conventions of the programs that make them.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "retarget/joint_names.h"

typedef struct known_name {
    const char* name;
    limberi_family family;
    limberi_piece piece;
    int side;
} known_name;

static void expect(const known_name* names, size_t count) {
    for (size_t i = 0; i < count; i++) {
        limberi_joint_meaning m = limberi_joint_meaning_of(names[i].name);
        if (m.family != names[i].family || m.side != names[i].side || m.piece != names[i].piece)
            fail_msg("%s: family %d, piece %d, side %d", names[i].name, (int)m.family, (int)m.piece, m.side);
    }
}

#define EXPECT(names) expect((names), sizeof(names) / sizeof *(names))

static void limbs_are_known_in_every_convention(void** state) {
    (void)state;
    static const known_name names[] = {
        {"mixamorig:LeftUpLeg", LIMBERI_FAMILY_LEG, LIMBERI_PIECE_UPPER, 0},
        {"mixamorig:LeftLeg", LIMBERI_FAMILY_LEG, LIMBERI_PIECE_ANY, 0},
        {"mixamorig:RightToeBase", LIMBERI_FAMILY_LEG, LIMBERI_PIECE_TIP, 1},
        {"mixamorig:RightForeArm", LIMBERI_FAMILY_ARM, LIMBERI_PIECE_LOWER, 1},
        {"leftUpperArm", LIMBERI_FAMILY_ARM, LIMBERI_PIECE_UPPER, 0}, // VRM
        {"leftLowerLeg", LIMBERI_FAMILY_LEG, LIMBERI_PIECE_LOWER, 0},
        {"LHipJoint", LIMBERI_FAMILY_LEG, LIMBERI_PIECE_ANY, 0}, // CMU
        {"RightFoot", LIMBERI_FAMILY_LEG, LIMBERI_PIECE_END, 1},
        {"thigh_l", LIMBERI_FAMILY_LEG, LIMBERI_PIECE_UPPER, 0}, // Unreal
        {"calf_r", LIMBERI_FAMILY_LEG, LIMBERI_PIECE_LOWER, 1},
        {"ball_l", LIMBERI_FAMILY_LEG, LIMBERI_PIECE_TIP, 0},
        {"clavicle_r", LIMBERI_FAMILY_ARM, LIMBERI_PIECE_STUB, 1},
        {"lowerarm_l", LIMBERI_FAMILY_ARM, LIMBERI_PIECE_LOWER, 0},
        {"DEF-upper_arm.L", LIMBERI_FAMILY_ARM, LIMBERI_PIECE_UPPER, 0}, // Rigify
        {"DEF-shin.R", LIMBERI_FAMILY_LEG, LIMBERI_PIECE_LOWER, 1},
        {"Bip01 R Thigh", LIMBERI_FAMILY_LEG, LIMBERI_PIECE_UPPER, 1}, // 3ds Max
        {"Bip01 L UpperArm", LIMBERI_FAMILY_ARM, LIMBERI_PIECE_UPPER, 0},
        {"upperleg.l", LIMBERI_FAMILY_LEG, LIMBERI_PIECE_UPPER, 0}, // KayKit
        {"wrist.r", LIMBERI_FAMILY_ARM, LIMBERI_PIECE_END, 1},
        {"Palm2.L", LIMBERI_FAMILY_ARM, LIMBERI_PIECE_END, 0}, // Quaternius
        {"FrontLowerLeg.R", LIMBERI_FAMILY_ARM, LIMBERI_PIECE_LOWER, 1},
        {"BackShoulder.L", LIMBERI_FAMILY_LEG, LIMBERI_PIECE_ANY, 0},
        {"RearUpperArm.R", LIMBERI_FAMILY_LEG, LIMBERI_PIECE_UPPER, 1},
        {"ForeHoof.L", LIMBERI_FAMILY_ARM, LIMBERI_PIECE_END, 0},
        {"LegHindPawLeft", LIMBERI_FAMILY_LEG, LIMBERI_PIECE_END, 0},
        {"ArmUpperRight", LIMBERI_FAMILY_ARM, LIMBERI_PIECE_UPPER, 1},
        {"leftupleg", LIMBERI_FAMILY_LEG, LIMBERI_PIECE_UPPER, 0},
        {"forearm1l", LIMBERI_FAMILY_ARM, LIMBERI_PIECE_LOWER, 0}, // a number parts words
        {"shin2r", LIMBERI_FAMILY_LEG, LIMBERI_PIECE_LOWER, 1},
    };
    EXPECT(names);
}

static void the_trunk_has_no_side(void** state) {
    (void)state;
    static const known_name names[] = {
        {"Hips", LIMBERI_FAMILY_HIPS, LIMBERI_PIECE_ANY, -1},
        {"pelvis", LIMBERI_FAMILY_HIPS, LIMBERI_PIECE_ANY, -1},
        {"spine_01", LIMBERI_FAMILY_SPINE, LIMBERI_PIECE_ANY, -1},
        {"LowerBack", LIMBERI_FAMILY_SPINE, LIMBERI_PIECE_ANY, -1},
        {"Neck1", LIMBERI_FAMILY_NECK, LIMBERI_PIECE_ANY, -1},
        {"J_Bip_C_Head", LIMBERI_FAMILY_HEAD, LIMBERI_PIECE_ANY, -1},
        {"Tail3", LIMBERI_FAMILY_TAIL, LIMBERI_PIECE_ANY, -1},
    };
    EXPECT(names);
}

static void controls_twists_and_strange_names_mean_nothing(void** state) {
    (void)state;
    static const char* const names[] = {"kneeIK.l",
                                        "IK-foot.l",
                                        "control-toe-roll.l",
                                        "LeftForeArmTwist",
                                        "PoleTarget.L",
                                        "handslot.r",
                                        "RobotArmature",
                                        "joint17",
                                        "",
                                        ":",
                                        "CapeLeft2",
                                        "1H_Wand"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (limberi_joint_meaning_of(names[i]).family != LIMBERI_FAMILY_NONE)
            fail_msg("%s", names[i]);
    char endless[4096];
    memset(endless, 'a', sizeof endless - 1);
    endless[sizeof endless - 1] = 0;
    assert_int_equal(limberi_joint_meaning_of(endless).family, LIMBERI_FAMILY_NONE);
    for (size_t i = 0; i + 2 < sizeof endless; i += 2)
        endless[i] = 'B';
    assert_int_equal(limberi_joint_meaning_of(endless).family, LIMBERI_FAMILY_NONE);
}

static void fingers_are_told_apart(void** state) {
    (void)state;
    static const char* const names[][2] = {{"LThumb", "f_thumb.01.L"},
                                           {"LeftHandIndex1", "index_02_l"},
                                           {"mixamorig:LeftHandMiddle2", "FingerMid1.L"},
                                           {"ring_01_l", "leftRingProximal"},
                                           {"HandLittleLeft", "LeftHandPinky3"}};
    for (int i = 0; i < 10; i++) {
        limberi_joint_meaning m = limberi_joint_meaning_of(names[i / 2][i % 2]);
        if (m.family != LIMBERI_FAMILY_FINGER || m.finger != i / 2 || m.side != 0)
            fail_msg("%s", names[i / 2][i % 2]);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(limbs_are_known_in_every_convention),
        cmocka_unit_test(the_trunk_has_no_side),
        cmocka_unit_test(controls_twists_and_strange_names_mean_nothing),
        cmocka_unit_test(fingers_are_told_apart),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
