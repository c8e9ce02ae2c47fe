// What the name of a joint says about its place in the body.
#ifndef LIMBERI_RETARGET_JOINT_NAMES_H
#define LIMBERI_RETARGET_JOINT_NAMES_H

typedef enum limberi_family {
    LIMBERI_FAMILY_NONE,
    LIMBERI_FAMILY_HIPS,
    LIMBERI_FAMILY_SPINE,
    LIMBERI_FAMILY_NECK,
    LIMBERI_FAMILY_HEAD,
    LIMBERI_FAMILY_ARM,
    LIMBERI_FAMILY_LEG,
    LIMBERI_FAMILY_FINGER,
    LIMBERI_FAMILY_TAIL
} limberi_family;

// Which piece of a limb, where the name tells.
typedef enum limberi_piece {
    LIMBERI_PIECE_ANY,
    LIMBERI_PIECE_STUB,
    LIMBERI_PIECE_UPPER,
    LIMBERI_PIECE_LOWER,
    LIMBERI_PIECE_END,
    LIMBERI_PIECE_TIP
} limberi_piece;

typedef struct limberi_joint_meaning {
    limberi_family family;
    limberi_piece piece;
    int side;   // 0: left, 1: right, -1: neither
    int finger; // of LIMBERI_FAMILY_FINGER: 0 thumb ... 4 little
} limberi_joint_meaning;

// Conventions of Mixamo, VRM, CMU, Unreal, Rigify, 3ds Max, Quaternius, KayKit and others; NONE when it knows none.
limberi_joint_meaning limberi_joint_meaning_of(const char* name);

#endif
