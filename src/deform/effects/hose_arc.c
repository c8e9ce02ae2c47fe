// Bones to an arc: the limb is straightened bone by bone, then bent along a circle.
//
// The arc of length l whose ends are c apart has the half angle x with sin x / x = c / l; at t along it the chord so far
// is t sinc(a) long and lies at the angle b to the whole chord, a = x t / l, b = x - a. The tangent there is at b - a.
#include "deform/effects/hose.h"

// Of the length, at either end: here the skin turns from the arc's direction to that of its bone, so that shoulders and
// hands stay as they are.
static const float fade = 0.15f;
// Area between bones and chord, of that between arc and chord: bones that zigzag have no side to bend to. Two equal
// bones have 0.87 where they are nearly straight, 0.8 at a right angle and 0.5 at 150 degrees.
static const double min_area = 0.1;
static const double full_area = 0.45;

// 1 - sin x / x of y = x^2, and how it grows with y.
static double missing_at(double y, double* slope) {
    double term = 1.0 / 6; // y^(n-1) / (2n + 1)!, with its sign
    double sum = 0;
    *slope = 0;
    for (int n = 1; n <= 14; n++) { // the rest is below 1e-15 for x up to pi
        sum += term * y;
        *slope += n * term;
        term *= -y / ((2 * n + 2) * (2 * n + 3));
    }
    return sum;
}

// Newton's method from below: the function is concave.
double limberi_hose_half_angle(double missing) {
    double y = 6 * missing;
    for (int i = 0; i < 10; i++) {
        double slope;
        double at = missing_at(y, &slope);
        y += (missing - at) / slope;
    }
    return sqrt(fmax(y, 0));
}

// --- the bones ---

typedef struct bones {
    limber_vec3 direction[LIMBERI_HOSE_BONES];
    float length[LIMBERI_HOSE_BONES];
    double whole;
    limber_vec3 area; // twice the area between bones and chord, along its normal
} bones;

static bones measure_bones(const limber_vec3* joints, uint32_t count) {
    bones b = {0};
    for (uint32_t i = 0; i < count; i++) {
        limber_vec3 along = limberi_sub(joints[i + 1], joints[i]);
        b.length[i] = limberi_length(along);
        b.direction[i] = limberi_normalize(along);
        b.whole += (double)b.length[i];
        limber_vec3 from = limberi_sub(joints[i], joints[0]);
        b.area = limberi_add(b.area, limberi_cross(along, from));
    }
    return b;
}

// l^2 - c^2, without a difference of nearly equal numbers where the limb is nearly straight.
static double missing_square(const bones* b, uint32_t count) {
    double sum = 0;
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t k = i + 1; k < count; k++) {
            limber_vec3 between = limberi_sub(b->direction[i], b->direction[k]);
            sum += (double)b->length[i] * (double)b->length[k] * (double)limberi_dot(between, between);
        }
    return sum;
}

// Of the arc and its chord.
static double arc_area(double length, double half_angle) {
    if (half_angle < 1e-3)
        return length * length * half_angle / 6;
    double radius = 0.5 * length / half_angle;
    return radius * radius * (half_angle - sin(half_angle) * cos(half_angle));
}

static void place_bone(limberi_hose_arc* arc, uint32_t bone, limber_vec3 direction, float* turn, float* tilt) {
    limber_vec3* rows = arc->bones[bone].rows;
    *turn = atan2f(limberi_dot(direction, arc->side), limberi_dot(direction, arc->chord));
    *tilt = asinf(fminf(fmaxf(limberi_dot(direction, arc->plane), -1), 1));
    limber_vec3 flat = limberi_add(limberi_scale(arc->chord, cosf(*turn)), limberi_scale(arc->side, sinf(*turn)));
    rows[0] = limberi_add(limberi_scale(flat, cosf(*tilt)), limberi_scale(arc->plane, sinf(*tilt)));
    rows[1] = limberi_sub(limberi_scale(arc->side, cosf(*turn)), limberi_scale(arc->chord, sinf(*turn)));
    rows[2] = limberi_sub(limberi_scale(arc->plane, cosf(*tilt)), limberi_scale(flat, sinf(*tilt)));
}

limberi_hose_arc limberi_hose_arc_of(const limber_vec3* joints, uint32_t count) {
    limberi_hose_arc arc = {0};
    bones b = measure_bones(joints, count);
    limber_vec3 chord = limberi_sub(joints[count], joints[0]);
    double square = missing_square(&b, count);
    double distance = sqrt(fmax(b.whole * b.whole - square, 0));
    arc.chord = limberi_normalize(chord);
    arc.plane = limberi_sub(b.area, limberi_scale(arc.chord, limberi_dot(b.area, arc.chord)));
    double area = 0.5 * (double)limberi_length(arc.plane);
    if (!(distance > 0) || !(area > 0) || !(b.whole < 1e15))
        return arc;
    double half_angle = limberi_hose_half_angle(square / (b.whole * (b.whole + distance)));
    arc.plane = limberi_normalize(arc.plane);
    arc.side = limberi_cross(arc.plane, arc.chord);
    arc.root = joints[0];
    arc.length = (float)b.whole;
    arc.half_angle = (float)half_angle;
    double whole = arc_area(b.whole, half_angle);
    arc.share = whole > 0 ? (float)limberi_smooth_step(min_area, full_area, area / whole) : 0;
    float x = 0;
    for (uint32_t i = 0; i < count; i++) {
        float turn, tilt;
        place_bone(&arc, i, b.direction[i], &turn, &tilt);
        limber_vec3 start = limberi_hose_to_limb(&arc.bones[i], limberi_sub(joints[i], joints[0]));
        arc.bones[i].offset = limberi_sub(limberi_vec3(x, 0, 0), start);
        x += b.length[i];
        for (int end = 0; end < 2; end++)
            if (i == (end ? count - 1 : 0)) {
                arc.turn[end] = turn;
                arc.tilt[end] = tilt;
            }
    }
    return arc;
}

// --- points ---

static float smooth(float x) {
    x = fminf(fmaxf(x, 0), 1);
    return x * x * (3 - 2 * x);
}

// A turn in the plane after a tilt out of it.
typedef struct rotation {
    float turn_cosine, turn_sine, tilt_cosine, tilt_sine;
} rotation;

static rotation rotation_of(float turn, float tilt) {
    bool flat = tilt == 0; // everywhere but at the ends of limbs with more than two bones
    return (rotation){cosf(turn), sinf(turn), flat ? 1 : cosf(tilt), flat ? 0 : sinf(tilt)};
}

static limber_vec3 turned(limber_vec3 v, const rotation* r) {
    float x = v.x * r->tilt_cosine - v.z * r->tilt_sine;
    float z = v.x * r->tilt_sine + v.z * r->tilt_cosine;
    return limberi_vec3(x * r->turn_cosine - v.y * r->turn_sine, x * r->turn_sine + v.y * r->turn_cosine, z);
}

static limber_vec3 to_world(const limberi_hose_arc* arc, limber_vec3 v) {
    return limberi_add(limberi_scale(arc->chord, v.x),
                       limberi_add(limberi_scale(arc->side, v.y), limberi_scale(arc->plane, v.z)));
}

// How fast the smooth step of part / fade grows with part.
static float smooth_slope(float x) {
    x = fminf(fmaxf(x, 0), 1);
    return 6 * x * (1 - x) / fade;
}

// The arc at t along it: where it is, and how it turns cross-sections there.
typedef struct section {
    float t, tangent;
    limber_vec3 place;
    rotation turn;
    float turned, turn_slope, tilt_slope; // the slopes: per length
} section;

static section section_at(const limberi_hose_arc* arc, float x) {
    section s;
    s.t = fminf(fmaxf(x, 0), arc->length);
    float part = s.t / arc->length;
    float a = arc->half_angle * part;
    float b = arc->half_angle - a;
    float chord = a > 1e-3f ? s.t * sinf(a) / a : s.t * (1 - a * a / 6);
    s.tangent = b - a;
    s.place = limberi_vec3(chord * cosf(b), chord * sinf(b), 0);
    float share[2] = {1 - smooth(part / fade), 1 - smooth((1 - part) / fade)}; // of the first and the last bone
    float slope[2] = {-smooth_slope(part / fade), smooth_slope((1 - part) / fade)};
    float tilt = 0;
    s.turned = s.tangent;
    s.turn_slope = -2 * arc->half_angle * (1 - share[0] - share[1]);
    s.tilt_slope = 0;
    for (int end = 0; end < 2; end++) {
        s.turned += share[end] * (arc->turn[end] - s.tangent);
        s.turn_slope += slope[end] * (arc->turn[end] - s.tangent);
        tilt += share[end] * arc->tilt[end];
        s.tilt_slope += slope[end] * arc->tilt[end];
    }
    s.turn_slope /= arc->length;
    s.tilt_slope /= arc->length;
    s.turn = rotation_of(s.turned, tilt);
    return s;
}

// How the bent point moves as the straight one moves along the limb, before the turn of its cross-section.
static limber_vec3 along_section(const section* s, limber_vec3 p) {
    if (p.x != s->t) // beyond an end: the cross-section there goes on
        return limberi_vec3(1, 0, 0);
    float away = s->tangent - s->turned;
    float cosine = s->turn.tilt_cosine;
    float sine = s->turn.tilt_sine;
    float ahead = cosf(away) - s->turn_slope * p.y;
    return limberi_vec3(ahead * cosine - s->tilt_slope * p.z, sinf(away) - s->turn_slope * p.z * sine, -ahead * sine);
}

limber_vec3 limberi_hose_bend(const limberi_hose_arc* arc, limber_vec3 p, limber_vec3* carried) {
    section s = section_at(arc, p.x);
    limber_vec3 along = carried ? along_section(&s, p) : limberi_vec3(1, 0, 0);
    for (int i = 0; carried && i < 3; i++) {
        limber_vec3 v = limberi_vec3(0, carried[i].y, carried[i].z);
        v = limberi_add(v, limberi_scale(along, carried[i].x));
        carried[i] = to_world(arc, turned(v, &s.turn));
    }
    limber_vec3 across = turned(limberi_vec3(p.x - s.t, p.y, p.z), &s.turn);
    return to_world(arc, limberi_add(s.place, across));
}
