// A camera with a fixed direction that steps back until everything it was shown fits.
#include "render/scene/viewpoint.h"
#include "base/math.h"

#include <float.h>
#include <string.h>

void limberi_camera_init(limberi_camera* c, float yaw_rad, float pitch_rad, float opening_rad, float aspect,
                         float margin) {
    memset(c, 0, sizeof *c);
    float sy = sinf(yaw_rad);
    float cy = cosf(yaw_rad);
    float sp = sinf(pitch_rad);
    float cp = cosf(pitch_rad);
    c->right = limberi_vec3(cy, 0, -sy);
    c->up = limberi_vec3(-sy * sp, cp, -cy * sp);
    c->back = limberi_vec3(sy * cp, sp, cy * cp);
    double tangent = tan(0.5 * (double)opening_rad);
    c->tangent_x = aspect > 1.0f ? tangent * (double)aspect : tangent;
    c->tangent_y = aspect > 1.0f ? tangent : tangent / (double)aspect;
    c->margin = (double)margin;
    limberi_camera_reset(c);
}

void limberi_camera_reset(limberi_camera* c) {
    c->empty = true;
    for (int i = 0; i < 6; i++)
        c->side[i] = -DBL_MAX;
    for (int i = 0; i < 3; i++) {
        c->min[i] = DBL_MAX;
        c->max[i] = -DBL_MAX;
    }
}

static double dot(limber_vec3 a, const double p[3]) {
    return (double)a.x * p[0] + (double)a.y * p[1] + (double)a.z * p[2];
}

static double larger(double a, double b) {
    return a > b ? a : b;
}

static void include_point(limberi_camera* c, const double p[3]) {
    double x = dot(c->right, p);
    double y = dot(c->up, p);
    double z = dot(c->back, p);
    double slope_x = c->tangent_x * (1.0 - c->margin);
    double slope_y = c->tangent_y * (1.0 - c->margin);
    c->side[0] = larger(c->side[0], x + slope_x * z);
    c->side[1] = larger(c->side[1], -x + slope_x * z);
    c->side[2] = larger(c->side[2], y + slope_y * z);
    c->side[3] = larger(c->side[3], -y + slope_y * z);
    c->side[4] = larger(c->side[4], z);
    c->side[5] = larger(c->side[5], -z);
    for (int i = 0; i < 3; i++) {
        c->min[i] = p[i] < c->min[i] ? p[i] : c->min[i];
        c->max[i] = larger(c->max[i], p[i]);
    }
    c->empty = false;
}

limberi_camera limberi_camera_moved(const limberi_camera* camera, limber_vec3 offset) {
    limberi_camera c = *camera;
    if (c.empty)
        return c;
    const double p[3] = {(double)offset.x, (double)offset.y, (double)offset.z};
    double x = dot(c.right, p);
    double y = dot(c.up, p);
    double z = dot(c.back, p);
    double slope_x = c.tangent_x * (1.0 - c.margin);
    double slope_y = c.tangent_y * (1.0 - c.margin);
    const double along[6] = {x + slope_x * z, -x + slope_x * z, y + slope_y * z, -y + slope_y * z, z, -z};
    for (int i = 0; i < 6; i++)
        c.side[i] += along[i];
    for (int i = 0; i < 3; i++) {
        c.min[i] += p[i];
        c.max[i] += p[i];
    }
    return c;
}

void limberi_camera_show(limberi_camera* c, const float* positions, size_t count) {
    for (size_t i = 0; i < count; i++) {
        const float* p = positions + 3 * i;
        const double point[3] = {(double)p[0], (double)p[1], (double)p[2]};
        if (isfinite(p[0]) && isfinite(p[1]) && isfinite(p[2]))
            include_point(c, point);
    }
}

static void range_along(limber_vec3 min, limber_vec3 max, limber_vec3 axis, float* low, float* high) {
    *low = FLT_MAX;
    *high = -FLT_MAX;
    for (int i = 0; i < 8; i++) {
        limber_vec3 corner = limberi_vec3(i & 1 ? max.x : min.x, i & 2 ? max.y : min.y, i & 4 ? max.z : min.z);
        float d = limberi_dot(axis, corner);
        *low = d < *low ? d : *low;
        *high = d > *high ? d : *high;
    }
}

// The unit is the character, so that shadows are as soft for a long walk as for a nod. A file whose
// rest pose and clips disagree about units must not blow it up, hence the bounds.
static double stage_unit(const limberi_camera* c, float character_size) {
    double diagonal = 0;
    double magnitude = 0;
    for (int i = 0; i < 3; i++) {
        diagonal += (c->max[i] - c->min[i]) * (c->max[i] - c->min[i]);
        magnitude = larger(magnitude, larger(fabs(c->max[i]), fabs(c->min[i])));
    }
    diagonal = larger(sqrt(diagonal), larger(1e-6 * magnitude, 1e-12));
    if (!(character_size > 0.0f) || (double)character_size > diagonal)
        return diagonal;
    return larger((double)character_size, 0.05 * diagonal);
}

limber_vec3 limberi_stage_point(const limberi_stage* stage, limber_vec3 world) {
    return limberi_scale(limberi_sub(world, stage->origin), stage->scale);
}

// A point (x, y, z) in camera axes is left of the right side plane when x + slope z <= eye_x + slope eye_z, and so on
// for the other three: both bounds of x touch when eye_x is half their difference and eye_z half their sum over the
// slope. The farther of the two distances shows all of it.
static void place_eye(const limberi_camera* c, const double origin[3], double unit, double eye[3]) {
    double slope_x = c->tangent_x * (1.0 - c->margin);
    double slope_y = c->tangent_y * (1.0 - c->margin);
    double z_for_x = 0.5 * (c->side[0] + c->side[1]) / slope_x;
    double z_for_y = 0.5 * (c->side[2] + c->side[3]) / slope_y;
    eye[0] = (0.5 * (c->side[0] - c->side[1]) - dot(c->right, origin)) / unit;
    eye[1] = (0.5 * (c->side[2] - c->side[3]) - dot(c->up, origin)) / unit;
    eye[2] = (larger(z_for_x, z_for_y) - dot(c->back, origin)) / unit;
}

limberi_view limberi_camera_view(const limberi_camera* camera, float character_size) {
    static const float unit_cube[6] = {-0.5f, -0.5f, -0.5f, 0.5f, 0.5f, 0.5f};
    limberi_camera c = *camera;
    if (c.empty)
        limberi_camera_show(&c, unit_cube, 2);
    double origin[3];
    double eye[3];
    double unit = stage_unit(&c, character_size);
    for (int i = 0; i < 3; i++)
        origin[i] = (double)(float)(0.5 * (c.min[i] + c.max[i]));
    place_eye(&c, origin, unit, eye);

    limberi_view view = {0};
    view.right = c.right;
    view.up = c.up;
    view.back = c.back;
    view.half_x = (float)c.tangent_x;
    view.half_y = (float)c.tangent_y;
    view.stage.origin = limberi_vec3((float)origin[0], (float)origin[1], (float)origin[2]);
    view.stage.scale = (float)(1.0 / unit);
    view.min = limberi_vec3((float)((c.min[0] - origin[0]) / unit), (float)((c.min[1] - origin[1]) / unit),
                            (float)((c.min[2] - origin[2]) / unit));
    view.max = limberi_vec3((float)((c.max[0] - origin[0]) / unit), (float)((c.max[1] - origin[1]) / unit),
                            (float)((c.max[2] - origin[2]) / unit));
    view.ground = view.min.y;
    double front = (c.side[4] - dot(c.back, origin)) / unit;
    double rear = (-c.side[5] - dot(c.back, origin)) / unit;
    float z = (float)larger(eye[2], front + 0.05); // never inside a flat or tiny thing
    view.eye = limberi_add(limberi_add(limberi_scale(c.right, (float)eye[0]), limberi_scale(c.up, (float)eye[1])),
                           limberi_scale(c.back, z));
    view.near = 0.25f * (z - (float)front);
    view.far = 3.0f * (z - (float)rear); // room for the ground behind
    return view;
}

// What both pictures have in common, the file's and ours, is at least the file's.
static void fit_lens(limberi_view* view, const limber_camera* lens, float aspect) {
    float half_y = lens->orthographic ? lens->half_height * view->stage.scale : tanf(0.5f * lens->field_of_view_rad);
    float own_aspect = lens->aspect > 0.0f ? lens->aspect : aspect;
    if (lens->orthographic)
        own_aspect = lens->half_height > 0.0f ? lens->half_width / lens->half_height : 0.0f;
    if (!(half_y > 1e-6f && half_y < 1e6f && own_aspect > 1e-6f && own_aspect < 1e6f))
        return;
    view->orthographic = lens->orthographic;
    view->half_y = aspect >= own_aspect ? half_y : half_y * own_aspect / aspect;
    view->half_x = view->half_y * aspect;
}

// As much depth as the lens allows and the scene needs: wider ranges would only cost precision.
static void fit_depth(limberi_view* view, const limber_camera* lens) {
    float low;
    float high;
    float away = limberi_dot(view->back, view->eye);
    range_along(view->min, view->max, view->back, &low, &high);
    float nearest = lens->nearest * view->stage.scale;
    float farthest = lens->farthest * view->stage.scale;
    view->far = 3.0f * (away - low > 1.0f ? away - low : 1.0f);
    view->far = farthest > 0.0f && farthest < view->far ? farthest : view->far;
    view->near = 0.25f * (away - high);
    view->near = view->near > nearest ? view->near : nearest;
    view->near = view->near > 1e-4f * view->far ? view->near : 1e-4f * view->far;
    view->far = view->far > 1.001f * view->near ? view->far : 1.001f * view->near;
}

limberi_view limberi_camera_through(const limberi_camera* camera, float character_size, float aspect,
                                    const limber_mat4* world_from_camera, const limber_camera* lens) {
    limberi_view view = limberi_camera_view(camera, character_size);
    limber_vec3 back = limberi_normalize(limberi_mat4_column(world_from_camera, 2));
    limber_vec3 right = limberi_normalize(limberi_cross(limberi_mat4_column(world_from_camera, 1), back));
    if (!limberi_mat4_is_finite(world_from_camera) || !(limberi_dot(right, right) > 0.5f))
        return view;
    view.back = back;
    view.right = right;
    view.up = limberi_cross(back, right);
    view.eye = limberi_stage_point(&view.stage, limberi_mat4_translation(world_from_camera));
    fit_lens(&view, lens, aspect);
    fit_depth(&view, lens);
    return view;
}

static void set_depth_rows(const limberi_view* view, limberi_projection* p) {
    float depth = view->far - view->near;
    float eye_z = limberi_dot(view->back, view->eye);
    const float back[4] = {view->back.x, view->back.y, view->back.z, -eye_z};
    bool flat = view->orthographic;
    float a = flat ? -2.0f / depth : -(view->far + view->near) / depth;
    float b = flat ? -(view->far + view->near) / depth : -2.0f * view->far * view->near / depth;
    for (int column = 0; column < 4; column++) {
        p->m[4 * column + 2] = a * back[column];
        p->m[4 * column + 3] = flat ? 0.0f : -back[column];
    }
    p->m[14] += b;
    p->m[15] = flat ? 1.0f : p->m[15];
}

limberi_projection limberi_view_projection(const limberi_view* view) {
    const limber_vec3 axes[2] = {view->right, view->up};
    const float scale[2] = {1.0f / view->half_x, 1.0f / view->half_y};
    limberi_projection p = {{0}};
    for (int row = 0; row < 2; row++) {
        p.m[row] = scale[row] * axes[row].x;
        p.m[4 + row] = scale[row] * axes[row].y;
        p.m[8 + row] = scale[row] * axes[row].z;
        p.m[12 + row] = -scale[row] * limberi_dot(axes[row], view->eye);
    }
    set_depth_rows(view, &p);
    return p;
}

limberi_projection limberi_orthographic(limber_vec3 right, limber_vec3 up, limber_vec3 back, limber_vec3 min,
                                        limber_vec3 max, float padding) {
    const limber_vec3 axes[3] = {right, up, limberi_scale(back, -1.0f)};
    limberi_projection p = {{0}};
    for (int row = 0; row < 3; row++) {
        float low, high;
        range_along(min, max, axes[row], &low, &high);
        low -= padding;
        high += padding;
        float scale = high - low > 1e-20f ? 2.0f / (high - low) : 1.0f;
        p.m[row] = scale * axes[row].x;
        p.m[4 + row] = scale * axes[row].y;
        p.m[8 + row] = scale * axes[row].z;
        p.m[12 + row] = -scale * 0.5f * (low + high);
    }
    p.m[15] = 1.0f;
    return p;
}

void limberi_project(const limberi_projection* p, limber_vec3 point, float out[4]) {
    for (int row = 0; row < 4; row++)
        out[row] = p->m[row] * point.x + p->m[4 + row] * point.y + p->m[8 + row] * point.z + p->m[12 + row];
}
