// The names that rigs give to their joints: words, sides, and what they stand for.
#include "retarget/joint_names.h"
#include "text/text.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

enum { NAME_BYTES = 96, WORD_MAX = 24 };

// A name in lower case, as words: "mixamorig:LeftUpLeg" is "left up leg".
typedef struct name_words {
    char text[2 * NAME_BYTES];
    const char* words[WORD_MAX];
    int count;
    char joined[NAME_BYTES]; // without sides, numbers and blanks
} name_words;

static bool is_upper(char c) {
    return c >= 'A' && c <= 'Z';
}

static bool is_lower(char c) {
    return c >= 'a' && c <= 'z';
}

// Whether a new word begins at `at`: after a sign, at a digit's border, at a capital, and at the last capital of several
// ("LHipJoint" is "l hip joint").
static bool begins_word(const char* name, size_t at) {
    char c = name[at];
    char before = at ? name[at - 1] : ' ';
    if (limberi_is_digit(c) != limberi_is_digit(before))
        return true;
    if (!is_upper(c))
        return false;
    return !is_upper(before) || is_lower(name[at + 1]);
}

static const char* after_namespace(const char* name) {
    const char* colon = strrchr(name, ':');
    const char* bar = strrchr(name, '|');
    const char* last = colon > bar ? colon : bar;
    return last && last[1] ? last + 1 : name;
}

static void split(const char* name, name_words* w) {
    memset(w, 0, sizeof *w);
    name = after_namespace(name);
    size_t length = 0;
    bool open = false;
    for (size_t i = 0; name[i] && i < NAME_BYTES - 1; i++) {
        char c = name[i];
        bool counts = is_upper(c) || is_lower(c) || limberi_is_digit(c);
        if (open && (!counts || begins_word(name, i))) {
            w->text[length++] = 0;
            open = false;
        }
        if (!counts)
            continue;
        if (!open && w->count == WORD_MAX)
            return;
        if (!open)
            w->words[w->count++] = w->text + length;
        open = true;
        w->text[length++] = is_upper(c) ? (char)(c - 'A' + 'a') : c;
    }
}

static bool has_word(const name_words* w, const char* word) {
    for (int i = 0; i < w->count; i++)
        if (!strcmp(w->words[i], word))
            return true;
    return false;
}

static bool says(const name_words* w, const char* part) {
    return strstr(w->joined, part) != NULL;
}

// "left", "l"; a word that begins with "left" in names without capitals ("leftupleg") is cut.
static int side_of_word(const char** word) {
    static const char* const sides[2][3] = {{"left", "l", "lft"}, {"right", "r", "rgt"}};
    for (int side = 0; side < 2; side++) {
        for (int i = 0; i < 3; i++)
            if (!strcmp(*word, sides[side][i])) {
                *word = "";
                return side;
            }
        size_t length = strlen(sides[side][0]);
        if (!strncmp(*word, sides[side][0], length)) {
            *word += length;
            return side;
        }
    }
    return -1;
}

static int take_side(name_words* w) {
    int side = -1;
    for (int i = 0; i < w->count; i++) {
        int found = side_of_word(&w->words[i]);
        side = found >= 0 ? found : side;
    }
    return side;
}

static void join(name_words* w) {
    for (int i = 0; i < w->count; i++)
        if (!limberi_is_digit(w->words[i][0]))
            strcat(w->joined, w->words[i]);
}

// Controls, targets, twist bones and ends of chains: they stand beside the skeleton or inside of a bone.
static bool is_helper(const name_words* w) {
    static const char* const words[] = {"ik", "fk", "pole", "ctrl", "control", "nub", "end", "effector", "mch", "org"};
    static const char* const parts[] = {"twist", "roll", "slot", "target", "helper", "armature", "socket"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (has_word(w, words[i]))
            return true;
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (says(w, parts[i]))
            return true;
    return false;
}

typedef struct known_part {
    const char* part;
    limberi_family family;
    limberi_piece piece;
} known_part;

// The first row that fits counts. Names of limbs need a side.
static const known_part limb_parts[] = {
    {"toe", LIMBERI_FAMILY_LEG, LIMBERI_PIECE_TIP},        {"ball", LIMBERI_FAMILY_LEG, LIMBERI_PIECE_TIP},
    {"foot", LIMBERI_FAMILY_LEG, LIMBERI_PIECE_END},       {"ankle", LIMBERI_FAMILY_LEG, LIMBERI_PIECE_END},
    {"paw", LIMBERI_FAMILY_LEG, LIMBERI_PIECE_END},        {"hoof", LIMBERI_FAMILY_LEG, LIMBERI_PIECE_END},
    {"thigh", LIMBERI_FAMILY_LEG, LIMBERI_PIECE_UPPER},    {"upleg", LIMBERI_FAMILY_LEG, LIMBERI_PIECE_UPPER},
    {"upperleg", LIMBERI_FAMILY_LEG, LIMBERI_PIECE_UPPER}, {"legupper", LIMBERI_FAMILY_LEG, LIMBERI_PIECE_UPPER},
    {"calf", LIMBERI_FAMILY_LEG, LIMBERI_PIECE_LOWER},     {"shin", LIMBERI_FAMILY_LEG, LIMBERI_PIECE_LOWER},
    {"knee", LIMBERI_FAMILY_LEG, LIMBERI_PIECE_LOWER},     {"lowerleg", LIMBERI_FAMILY_LEG, LIMBERI_PIECE_LOWER},
    {"leglower", LIMBERI_FAMILY_LEG, LIMBERI_PIECE_LOWER}, {"lowleg", LIMBERI_FAMILY_LEG, LIMBERI_PIECE_LOWER},
    {"upper", LIMBERI_FAMILY_NONE, LIMBERI_PIECE_UPPER},   {"forearm", LIMBERI_FAMILY_ARM, LIMBERI_PIECE_LOWER},
    {"lower", LIMBERI_FAMILY_NONE, LIMBERI_PIECE_LOWER},   {"elbow", LIMBERI_FAMILY_ARM, LIMBERI_PIECE_LOWER},
    {"uparm", LIMBERI_FAMILY_ARM, LIMBERI_PIECE_UPPER},    {"clavicle", LIMBERI_FAMILY_ARM, LIMBERI_PIECE_STUB},
    {"collar", LIMBERI_FAMILY_ARM, LIMBERI_PIECE_STUB},    {"scapula", LIMBERI_FAMILY_ARM, LIMBERI_PIECE_STUB},
    {"shoulder", LIMBERI_FAMILY_ARM, LIMBERI_PIECE_ANY},   {"hand", LIMBERI_FAMILY_ARM, LIMBERI_PIECE_END},
    {"wrist", LIMBERI_FAMILY_ARM, LIMBERI_PIECE_END},      {"palm", LIMBERI_FAMILY_ARM, LIMBERI_PIECE_END},
    {"arm", LIMBERI_FAMILY_ARM, LIMBERI_PIECE_ANY},        {"leg", LIMBERI_FAMILY_LEG, LIMBERI_PIECE_ANY},
    {"hip", LIMBERI_FAMILY_LEG, LIMBERI_PIECE_ANY},
};

static const known_part trunk_parts[] = {
    {"hip", LIMBERI_FAMILY_HIPS, LIMBERI_PIECE_ANY},    {"pelvis", LIMBERI_FAMILY_HIPS, LIMBERI_PIECE_ANY},
    {"neck", LIMBERI_FAMILY_NECK, LIMBERI_PIECE_ANY},   {"head", LIMBERI_FAMILY_HEAD, LIMBERI_PIECE_ANY},
    {"spine", LIMBERI_FAMILY_SPINE, LIMBERI_PIECE_ANY}, {"chest", LIMBERI_FAMILY_SPINE, LIMBERI_PIECE_ANY},
    {"torso", LIMBERI_FAMILY_SPINE, LIMBERI_PIECE_ANY}, {"abdomen", LIMBERI_FAMILY_SPINE, LIMBERI_PIECE_ANY},
    {"waist", LIMBERI_FAMILY_SPINE, LIMBERI_PIECE_ANY}, {"back", LIMBERI_FAMILY_SPINE, LIMBERI_PIECE_ANY},
    {"tail", LIMBERI_FAMILY_TAIL, LIMBERI_PIECE_ANY},
};

static int finger_of(const name_words* w) {
    static const char* const fingers[5][2] = {
        {"thumb", "thumb"}, {"index", "index"}, {"middle", "mid"}, {"ring", "ring"}, {"pinky", "little"}};
    for (int i = 0; i < 5; i++)
        if (says(w, fingers[i][0]) || says(w, fingers[i][1]))
            return i;
    return -1;
}

static void find_limb(const name_words* w, limberi_joint_meaning* meaning) {
    for (size_t i = 0; i < sizeof limb_parts / sizeof *limb_parts; i++) {
        const known_part* row = &limb_parts[i];
        if (!says(w, row->part))
            continue;
        meaning->piece = meaning->piece ? meaning->piece : row->piece;
        if (row->family == LIMBERI_FAMILY_NONE)
            continue; // "upper": the family is in another word
        meaning->family = row->family;
        break;
    }
    if (meaning->family && (has_word(w, "front") || has_word(w, "fore")))
        meaning->family = LIMBERI_FAMILY_ARM;
    if (meaning->family && (has_word(w, "hind") || has_word(w, "rear") || has_word(w, "back")))
        meaning->family = LIMBERI_FAMILY_LEG;
}

limberi_joint_meaning limberi_joint_meaning_of(const char* name) {
    limberi_joint_meaning meaning = {LIMBERI_FAMILY_NONE, LIMBERI_PIECE_ANY, -1, -1};
    name_words w;
    split(name, &w);
    meaning.side = take_side(&w);
    join(&w);
    if (is_helper(&w))
        return meaning;
    meaning.finger = meaning.side >= 0 ? finger_of(&w) : -1;
    if (meaning.finger >= 0 && !says(&w, "toe") && !says(&w, "leg")) {
        meaning.family = LIMBERI_FAMILY_FINGER;
        return meaning;
    }
    if (meaning.side >= 0) {
        find_limb(&w, &meaning);
        return meaning;
    }
    for (size_t i = 0; i < sizeof trunk_parts / sizeof *trunk_parts; i++)
        if (says(&w, trunk_parts[i].part)) {
            meaning.family = trunk_parts[i].family;
            return meaning;
        }
    return meaning;
}
