// Where a character looks, from the names of its left and right joints: with its left side to the left hand and its
// head up, there is one way to look. The studio finds it the same way.
#include "base/math.h"
#include "cli/pictures/pictures.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

enum { MAX_JOINTS = 1024 };      // pairs are sought by comparing all with all
static const double level = 0.3; // pairs that are this much apart along the ground, of all there is between them, count
static const double straight_deg = 5; // rest poses are not symmetric to the degree

typedef struct side_mark {
    size_t at, length; // 0: there is none
} side_mark;

static bool starts_with(const char* text, const char* lower) {
    for (; *lower; text++, lower++)
        if (tolower((unsigned char)*text) != *lower)
            return false;
    return true;
}

// "left" anywhere in a name, or a letter l that stands alone.
static side_mark find_mark(const char* name, const char* word) {
    for (size_t i = 0; name[i]; i++) {
        if (starts_with(name + i, word))
            return (side_mark){i, strlen(word)};
        bool alone = (i == 0 || !isalpha((unsigned char)name[i - 1])) && !isalpha((unsigned char)name[i + 1]);
        if (alone && tolower((unsigned char)name[i]) == word[0])
            return (side_mark){i, 1};
    }
    return (side_mark){0, 0};
}

static bool are_pair(const char* a, side_mark left, const char* b, side_mark right) {
    return left.length && right.length && left.at == right.at && strncmp(a, b, left.at) == 0 &&
           strcmp(a + left.at + left.length, b + right.at + right.length) == 0;
}

static uint32_t other_side(const limber_rig* rig, uint32_t joint) {
    side_mark left = find_mark(rig->names[joint], "left");
    for (uint32_t k = 0; left.length && k < rig->joint_count; k++)
        if (are_pair(rig->names[joint], left, rig->names[k], find_mark(rig->names[k], "right")))
            return k;
    return UINT32_MAX;
}

float front_of(const limber_model* model) {
    const limber_rig* rig = &model->rig;
    double across[2] = {0, 0}; // along x and z
    double apart = 0;
    for (uint32_t j = 0; rig->joint_count <= MAX_JOINTS && j < rig->joint_count; j++) {
        uint32_t other = other_side(rig, j);
        if (other == UINT32_MAX)
            continue;
        const float* a = rig->world_from_joint_rest[j].m + 12;
        const float* b = rig->world_from_joint_rest[other].m + 12;
        limber_vec3 way = limberi_vec3(a[0] - b[0], a[1] - b[1], a[2] - b[2]);
        across[0] += (double)way.x;
        across[1] += (double)way.z;
        apart += (double)limberi_length(way);
    }
    if (!(hypot(across[0], across[1]) > level * apart))
        return 0;
    double front_deg = atan2(-across[1], across[0]) * 180 / LIMBERI_PI;
    return fabs(front_deg) > straight_deg ? (float)front_deg : 0;
}
