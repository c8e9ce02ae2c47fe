// limber_bvh_save_file: which channels the file gets, and the text.
#include "io/bvh/save.h"
#include "base/settings.h"
#include "io/out.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    MAX_NUMBERS = 120000000, // an hour and a half of 31 joints at 120 fps
    DEEPEST_INDENT = 64      // a chain of thousands of joints would be mostly tabs
};
static const double default_fps = 30;

void limber_bvh_settings_init(limber_bvh_settings* given, size_t size) {
    limber_bvh_settings settings = {sizeof settings, NULL, 0, 0};
    limberi_settings_write(given, size, &settings, sizeof settings);
}

// --- what the file will hold ---

static limber_result check_settings(const limber_model* model, const limber_bvh_settings* settings,
                                    limber_error* error) {
    const limber_bvh* layout = settings->layout;
    if (!model->rig.joint_count)
        return limberi_fail(error, LIMBER_ERROR_ARGUMENT, "the model has no skeleton to write");
    if (model->clip_count && settings->clip >= model->clip_count)
        return limberi_fail(error, LIMBER_ERROR_ARGUMENT, "clip %u does not exist", settings->clip);
    bool same = !layout || layout->joint_count == model->rig.joint_count;
    for (uint32_t i = 0; layout && same && i < layout->node_count; i++) {
        const limberi_bvh_node* node = &layout->nodes[i];
        int32_t parent = node->parent < 0 ? LIMBER_NO_PARENT : layout->nodes[node->parent].joint;
        same = node->joint < 0 || model->rig.parents[node->joint] == parent;
    }
    if (!same)
        return limberi_fail(error, LIMBER_ERROR_ARGUMENT, "the layout belongs to another skeleton");
    if (!(settings->fps >= 0) || settings->fps > 1e6)
        return limberi_fail(error, LIMBER_ERROR_ARGUMENT, "a frame rate of %g is invalid; use 0 (the clip's) to 1e6",
                            settings->fps);
    return LIMBER_OK;
}

// Keys of a steady rate are met exactly: the rate of a clip is rounded to whole numbers, its keys are not.
static double own_frame_time(const limber_clip* clip) {
    double span_s = clip->end_s - clip->start_s;
    double steps = round(span_s / clip->key_step_s);
    double mean_s = steps >= 1 ? span_s / steps : 0;
    double difference = fabs(mean_s * clip->fps - 1); // the rate's keys are floats: up to 1e-6 is no difference
    return difference > 1e-6 && difference < 0.02 ? mean_s : 1 / clip->fps;
}

static limber_result choose_frames(limberi_bvh_sheet* sheet, const limber_bvh_settings* settings, limber_error* error) {
    const limber_clip* clip = sheet->clip;
    double fps = settings->fps > 0 ? settings->fps : default_fps;
    sheet->frame_time_s = 1 / fps;
    if (settings->fps == 0 && settings->layout)
        sheet->frame_time_s = settings->layout->frame_time_s;
    else if (settings->fps == 0 && clip)
        sheet->frame_time_s = own_frame_time(clip);
    double steps = clip ? floor((clip->end_s - clip->start_s) / sheet->frame_time_s + 0.01) : 0;
    double max = MAX_NUMBERS / (double)(LIMBERI_BVH_CHANNELS_MAX * (uint64_t)sheet->model->rig.joint_count);
    if (!(steps < max))
        return limberi_fail(error, LIMBER_ERROR_LIMIT, "%g frames of %u joints are too many for one file", steps + 1,
                            sheet->model->rig.joint_count);
    sheet->frame_count = (uint32_t)steps + 1;
    return LIMBER_OK;
}

// Rotations the joint lacks follow those it has, in the order of the axes.
static void complete_axes(limberi_bvh_column* column) {
    uint32_t count = column->kept_rotations;
    for (uint8_t axis = 0; axis < 3 && count < 3; axis++) {
        bool used = false;
        for (uint32_t i = 0; i < count; i++)
            used = used || column->axes[i] == axis;
        if (!used)
            column->axes[count++] = axis;
    }
}

static void store_channels(limberi_bvh_column* column, const uint8_t* channels, uint8_t count) {
    column->channel_count = count;
    memcpy(column->channels, channels, count);
    for (uint8_t i = 0; i < count; i++)
        if (channels[i] >= LIMBERI_BVH_ROTATION)
            column->axes[column->kept_rotations++] = (uint8_t)(channels[i] - LIMBERI_BVH_ROTATION);
    complete_axes(column);
}

static void choose_layout(limberi_bvh_sheet* sheet, const limber_bvh* layout) {
    static const uint8_t usual[6] = {0, 1, 2, 5, 3, 4}; // X Y Z position, Z X Y rotation
    for (uint32_t i = 0; layout && i < layout->node_count; i++)
        if (layout->nodes[i].joint >= 0)
            store_channels(&sheet->columns[layout->nodes[i].joint], layout->nodes[i].channels,
                           layout->nodes[i].channel_count);
    for (uint32_t j = 0; !layout && j < sheet->model->rig.joint_count; j++) {
        bool root = sheet->model->rig.parents[j] < 0;
        store_channels(&sheet->columns[j], root ? usual : usual + 3, root ? 6 : 3);
    }
}

static bool has_channel(const limberi_bvh_column* column, uint8_t channel) {
    for (uint8_t i = 0; i < column->channel_count; i++)
        if (column->channels[i] == channel)
            return true;
    return false;
}

// Translations go before what is there, all three together: a reader that expects triples gets them. Rotations go
// behind.
static bool add_needed(limberi_bvh_column* column) {
    bool move = false;
    for (uint8_t axis = 0; axis < 3; axis++)
        move = move || (column->needs[axis] && !has_channel(column, axis));
    for (uint8_t axis = 3; move && axis-- > 0;) {
        if (has_channel(column, axis))
            continue;
        memmove(column->channels + 1, column->channels, column->channel_count++);
        column->channels[0] = axis;
    }
    uint8_t rotations = column->kept_rotations;
    for (uint8_t i = rotations; i < 3; i++)
        rotations = column->needs[LIMBERI_BVH_ROTATION + i] ? (uint8_t)(i + 1) : rotations;
    for (uint8_t i = column->kept_rotations; i < rotations; i++)
        column->channels[column->channel_count++] = (uint8_t)(LIMBERI_BVH_ROTATION + column->axes[i]);
    return move;
}

// --- the text ---

static void put_tabs(limberi_out* out, uint32_t count) {
    for (count = count < DEEPEST_INDENT ? count : DEEPEST_INDENT; count > 0; count--)
        limberi_out_bytes(out, "\t", 1);
}

static void put_line(limberi_out* out, uint32_t depth, const char* text) {
    put_tabs(out, depth);
    limberi_out_string(out, text);
    limberi_out_bytes(out, "\n", 1);
}

// What would end the name or start a comment is written as an underscore.
static void put_name(limberi_out* out, const char* name, uint32_t joint) {
    bool start = true;
    bool any = false;
    for (const char* c = name; *c; c++) {
        bool bad = (unsigned char)*c < 32 || *c == 127 || *c == '{' || *c == '}' ||
                   (start && (*c == '#' || (*c == '/' && c[1] == '/')));
        bool edge = *c == ' ' && (c == name || c[1] == 0);
        limberi_out_bytes(out, bad || edge ? "_" : c, 1);
        start = *c == ' ';
        any = true;
    }
    if (!any) {
        limberi_out_string(out, "joint_");
        limberi_out_unsigned(out, joint);
    }
}

static void put_offset(limberi_out* out, uint32_t depth, const float* offset) {
    put_tabs(out, depth);
    limberi_out_tuple(out, "OFFSET ", offset, 3, " ", "\n");
}

static void put_joint(limberi_out* out, const limberi_bvh_sheet* sheet, uint32_t joint, uint32_t depth) {
    static const char* const names[LIMBERI_BVH_CHANNELS_MAX] = {" Xposition", " Yposition", " Zposition",
                                                                " Xrotation", " Yrotation", " Zrotation"};
    const limberi_bvh_column* column = &sheet->columns[joint];
    put_tabs(out, depth);
    limberi_out_string(out, depth ? "JOINT " : "ROOT ");
    put_name(out, sheet->model->rig.names[joint], joint);
    limberi_out_bytes(out, "\n", 1);
    put_line(out, depth, "{");
    put_offset(out, depth + 1, column->offset);
    put_tabs(out, depth + 1);
    limberi_out_string(out, "CHANNELS ");
    limberi_out_unsigned(out, column->channel_count);
    for (uint8_t i = 0; i < column->channel_count; i++)
        limberi_out_string(out, names[column->channels[i]]);
    limberi_out_bytes(out, "\n", 1);
}

static void put_end_site(limberi_out* out, uint32_t depth, const float* offset) {
    put_line(out, depth, "End Site");
    put_line(out, depth, "{");
    put_offset(out, depth + 1, offset);
    put_line(out, depth, "}");
}

static void close_down_to(limberi_out* out, uint32_t* open, uint32_t depth) {
    while (*open > depth)
        put_line(out, --*open, "}");
}

static void put_kept_hierarchy(limberi_out* out, const limberi_bvh_sheet* sheet, const limber_bvh* layout,
                               uint32_t* depths) {
    uint32_t open = 0; // blocks
    for (uint32_t i = 0; i < layout->node_count; i++) {
        const limberi_bvh_node* node = &layout->nodes[i];
        depths[i] = node->parent < 0 ? 0 : depths[node->parent] + 1;
        close_down_to(out, &open, depths[i]);
        if (node->joint < 0) {
            float offset[3] = {(float)node->offset[0], (float)node->offset[1], (float)node->offset[2]};
            put_end_site(out, depths[i], offset);
        } else {
            put_joint(out, sheet, (uint32_t)node->joint, depths[i]);
            open++;
        }
    }
    close_down_to(out, &open, 0);
}

// Children of a rig need not follow their parents at once, in a BVH file they do: first child and next sibling, -1:
// none.
typedef struct family {
    int32_t child, sibling;
} family;

// A leaf's bone ends where the part of the body that it moves does: twice as far as that part's middle. Where that is too
// far away to be read again, it ends at once.
static void put_leaf_end(limberi_out* out, const limberi_bvh_sheet* sheet, uint32_t joint, uint32_t depth) {
    const limber_rig* rig = &sheet->model->rig;
    const limber_mat4* world = &rig->world_from_joint_rest[joint];
    limber_vec3 c = rig->centroid[joint];
    float end[3];
    float none[3] = {0, 0, 0};
    bool sound = true;
    for (int i = 0; i < 3; i++) {
        end[i] = 2 * (world->m[i] * c.x + world->m[4 + i] * c.y + world->m[8 + i] * c.z);
        sound = sound && fabsf(end[i]) < LIMBERI_BVH_FARTHEST;
    }
    put_end_site(out, depth, sound ? end : none);
}

static void put_rig_hierarchy(limberi_out* out, const limberi_bvh_sheet* sheet, const family* families, int32_t joint,
                              uint32_t* order) {
    const limber_rig* rig = &sheet->model->rig;
    uint32_t depth = 0;
    uint32_t count = 0;
    while (joint >= 0) {
        put_joint(out, sheet, (uint32_t)joint, depth);
        order[count++] = (uint32_t)joint;
        if (families[joint].child >= 0) {
            joint = families[joint].child;
            depth++;
            continue;
        }
        put_leaf_end(out, sheet, (uint32_t)joint, depth + 1);
        put_line(out, depth, "}");
        while (joint >= 0 && families[joint].sibling < 0) {
            joint = rig->parents[joint];
            if (joint >= 0)
                put_line(out, --depth, "}");
        }
        joint = joint < 0 ? -1 : families[joint].sibling;
    }
}

// Roots are each other's siblings. Returns the first.
static int32_t find_families(const limber_rig* rig, family* families) {
    int32_t first = -1;
    for (uint32_t j = rig->joint_count; j-- > 0;) {
        int32_t* head = rig->parents[j] < 0 ? &first : &families[rig->parents[j]].child;
        families[j].sibling = *head;
        *head = (int32_t)j;
    }
    return first;
}

static void put_frames(limberi_out* out, const limberi_bvh_sheet* sheet, const uint32_t* order) {
    uint32_t joints = sheet->model->rig.joint_count;
    for (uint32_t i = 0; i < sheet->frame_count; i++) {
        bool first = true;
        for (uint32_t k = 0; k < joints; k++) {
            const limberi_bvh_column* column = &sheet->columns[order[k]];
            const float* numbers = sheet->numbers + LIMBERI_BVH_CHANNELS_MAX * ((size_t)i * joints + order[k]);
            float row[LIMBERI_BVH_CHANNELS_MAX];
            uint32_t rotation = LIMBERI_BVH_ROTATION;
            for (uint8_t c = 0; c < column->channel_count; c++)
                row[c] = numbers[column->channels[c] < LIMBERI_BVH_ROTATION ? column->channels[c] : rotation++];
            if (column->channel_count)
                limberi_out_tuple(out, first ? "" : " ", row, column->channel_count, " ", "");
            first = first && !column->channel_count;
        }
        limberi_out_bytes(out, "\n", 1);
    }
}

// Up to twelve decimals: over thousands of frames the rounding of a float would add up.
static void put_seconds(limberi_out* out, double seconds) {
    char decimals[16];
    double whole = floor(seconds);
    double part = round((seconds - whole) * 1e12);
    limberi_out_unsigned(out, (uint32_t)(part < 1e12 ? whole : whole + 1));
    limberi_format(decimals, sizeof decimals, "%llu", (unsigned long long)(1e12 + (part < 1e12 ? part : 0)));
    size_t length = strlen(decimals);
    while (length > 1 && decimals[length - 1] == '0')
        length--;
    decimals[length] = 0;
    decimals[0] = '.'; // in place of the 1 that keeps the zeros in front
    limberi_out_string(out, length > 1 ? decimals : "");
    limberi_out_bytes(out, "\n", 1);
}

static limber_result put_file(limberi_out* out, const limberi_bvh_sheet* sheet, const limber_bvh* layout) {
    const limber_rig* rig = &sheet->model->rig;
    uint32_t* order = LIMBERI_ALLOCATE(sheet->arena, uint32_t, rig->joint_count); // of the joints in the file
    uint32_t* depths = LIMBERI_ALLOCATE(sheet->arena, uint32_t, layout ? layout->node_count : 0);
    family* families = LIMBERI_ALLOCATE(sheet->arena, family, rig->joint_count);
    if (sheet->arena->failed)
        return LIMBER_ERROR_MEMORY;
    limberi_out_string(out, "HIERARCHY\n");
    for (uint32_t j = 0; j < rig->joint_count; j++) {
        order[j] = j;
        families[j].child = families[j].sibling = -1;
    }
    if (layout)
        put_kept_hierarchy(out, sheet, layout, depths);
    else
        put_rig_hierarchy(out, sheet, families, find_families(rig, families), order);
    limberi_out_string(out, "MOTION\nFrames: ");
    limberi_out_unsigned(out, sheet->frame_count);
    limberi_out_string(out, "\nFrame Time: ");
    put_seconds(out, sheet->frame_time_s);
    put_frames(out, sheet, order);
    return LIMBER_OK;
}

static limber_result write_sheet(const limberi_bvh_sheet* sheet, const limber_bvh* layout, const char* path,
                                 limber_error* error) {
    limberi_out out = {0};
    limber_result result = limberi_out_open(&out, path, error);
    if (!result && put_file(&out, sheet, layout) != LIMBER_OK)
        result = limberi_fail_memory(error);
    if (!result)
        result = limberi_out_commit(&out, error);
    limberi_out_close(&out);
    return result;
}

limber_result limber_bvh_save_file(const limber_model* model, const limber_bvh_settings* given, const char* path,
                                   limber_bvh_report* report, limber_error* error) {
    limber_bvh_settings settings = limber_bvh_settings_default();
    limberi_arena arena = {NULL, false};
    limberi_bvh_sheet sheet = {.arena = &arena, .model = model};
    limber_result result =
        given ? limberi_settings_read(&settings, sizeof settings, given, "limber_bvh_settings", error) : LIMBER_OK;
    if (!result)
        result = check_settings(model, &settings, error);
    if (result)
        return result;
    sheet.clip = model->clip_count ? &model->clips[settings.clip] : NULL;
    result = choose_frames(&sheet, &settings, error);
    sheet.columns = LIMBERI_ALLOCATE(&arena, limberi_bvh_column, model->rig.joint_count);
    if (!result && !sheet.columns)
        result = limberi_fail_memory(error);
    if (!result) {
        choose_layout(&sheet, settings.layout);
        result = limberi_bvh_fill_sheet(&sheet, error);
    }
    uint32_t stretched = 0;
    for (uint32_t j = 0; !result && j < model->rig.joint_count; j++)
        stretched += add_needed(&sheet.columns[j]);
    if (!result)
        result = write_sheet(&sheet, settings.layout, path, error);
    if (!result && report) {
        report->frame_count = sheet.frame_count;
        report->stretched_joint_count = stretched;
        report->dropped_mesh_count = sheet.model->mesh_count;
        report->dropped_scale = sheet.scales;
    }
    limberi_arena_free(&arena);
    return result;
}
