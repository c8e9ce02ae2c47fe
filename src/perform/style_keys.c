// The style keys of the performance: timing and poses.
#include "perform/style_keys.h"

#include "base/error.h"
#include "keys/items.h"

#include <stddef.h>
#include <string.h>

// --- single holds ---

static const limberi_item_key hold_keys[] = {
    {"clip", true, false, 0, 0}, {"at", false, true, 0, 1e6}, {"length", false, true, 0, 10}};
static const limberi_items hold_items = {"hold", "{\"at\": ..., \"length\": ...}", hold_keys,
                                         sizeof hold_keys / sizeof *hold_keys, NULL};

static limber_result check_holds(const limberi_row* row, const limberi_json_document* json, const limberi_json* node,
                                 const limberi_json** fault, limber_error* error) {
    (void)row;
    return limberi_items_check(&hold_items, json, node, fault, error);
}

typedef struct hold_list {
    limber_hold* holds;
    limber_hold next; // what is added, for one clip after the other
    uint32_t count;
} hold_list;

static void add_hold(void* user, int32_t clip) {
    hold_list* list = user;
    list->next.clip = clip;
    list->holds[list->count++] = list->next;
}

static limber_result bind_holds(limberi_binder* b, const limberi_entry* entry, const limberi_json* root, void* out) {
    limber_perform_settings* settings = out;
    size_t max = (size_t)limberi_json_count(root) * (b->model->clip_count + 1);
    hold_list list = {.holds = LIMBERI_ALLOCATE(b->arena, limber_hold, max)};
    limber_result result = list.holds ? LIMBER_OK : limberi_fail_memory(b->error);
    for (uint32_t i = 0; !result && i < limberi_json_count(root); i++) {
        const limberi_json* item = limberi_json_at(root, i);
        list.next.at_s = limberi_item_number(item, "at", 0);
        list.next.length_s = limberi_item_number(item, "length", 0);
        result = limberi_bind_item_clips(b, entry, i, item, add_hold, &list);
    }
    settings->holds = list.holds;
    settings->hold_count = list.count;
    return result;
}

static const char* const holds_schema[] = {
    "type", "\"array\"", "items",
    LIMBERI_TEXT("{\"type\": \"object\", \"additionalProperties\": false, \"properties\": {\"clip\": "
                 "{\"description\": \"in which clip (default: all); with a * all that match\", \"type\": "
                 "\"string\", \"minLength\": 1}, \"at\": {\"description\": \"which moment of the plain clip (s)\", "
                 "\"type\": \"number\", \"minimum\": 0, \"maximum\": 1000000}, \"length\": {\"description\": "
                 "\"how long it stays (s); 0: not held at all\", \"type\": \"number\", \"minimum\": 0, "
                 "\"maximum\": 10}}, \"required\": [\"at\", \"length\"]}"),
    NULL};

static const limberi_reader holds_reader = {
    .check = check_holds, .bind_json = bind_holds, .schema = LIMBERI_TEXTS(holds_schema)};

// --- the keys ---

static const limberi_row rows[] = {
    LIMBERI_ROW("timing.snap", CONSTANT, "", 0, 3, false, "0", NULL,
                "hold key poses longer and pass faster between them; 0.75 is clearly visible", DOUBLE, 0, 0,
                offsetof(limber_perform_settings, snap), NULL),
    LIMBERI_ROW("timing.hang", CONSTANT, "", 0, 3, false, "0", NULL,
                "hang time at the top of leaps, which keep their length; 1 is clearly visible", DOUBLE, 0, 0,
                offsetof(limber_perform_settings, hang), NULL),
    LIMBERI_ROW("timing.step", CONSTANT, "frames of 1/24 s", 1, 24, false, "1", "auto",
                "how long each pose is held; 1: not at all, 2: on twos, \"auto\": ones, twos and threes by speed",
                COUNT, 0, 0, offsetof(limber_perform_settings, step), NULL),
    LIMBERI_ROW("timing.holds", OTHER, "", 0, 0, false, "[]", NULL,
                "single poses that stay longer or shorter: a list of {\"clip\", \"at\", \"length\"} in seconds; see "
                "docs/acting.md",
                OWN, 0, 0, 0, LIMBERI_HAS_CLIPS ? &holds_reader : NULL),
    LIMBERI_ROW("pose.exaggerate", CONSTANT, "", 0, 5, false, "0", NULL,
                "make the character's own poses larger, with feet that stay in place; 0.8 is clearly visible", DOUBLE,
                0, 0, offsetof(limber_perform_settings, exaggerate), NULL),
    LIMBERI_ROW("pose.anticipate", CONSTANT, "", 0, 5, false, "0", NULL,
                "start each motion with a small one the other way, and end it with an overshoot", DOUBLE, 0, 0,
                offsetof(limber_perform_settings, anticipate), NULL),
    LIMBERI_ROW(
        "pose.trail", CONSTANT, "", 0, 1, false, "0", NULL,
        "the larger pose comes later by this part of the time that the body takes to swing there and back, most "
        "at the ends of limbs, so that it flows through them",
        DOUBLE, 0, 0, offsetof(limber_perform_settings, trail), NULL),
    LIMBERI_ROW("body.squash", CONSTANT, "", 0, 5, false, "0", NULL,
                "stretch the whole body along its way through the air and squash it where it lands or pushes off; "
                "1 is clearly visible",
                DOUBLE, 0, 0, offsetof(limber_perform_settings, squash), NULL),
    LIMBERI_ROW("body.bend", CONSTANT, "", 0, 5, false, "0", NULL,
                "bend the whole body against its acceleration; 1 is clearly visible", DOUBLE, 0, 0,
                offsetof(limber_perform_settings, bend), NULL),
};
static const limberi_row joint_rows[] = {
    LIMBERI_ROW("joints.*.pose", CONSTANT, "", -10, 10, false, "1", NULL,
                "multiplies what \"pose\" does to these joints; 0: their poses stay", LATER, 0, 0, 0, NULL),
};
static const limberi_section sections[] = {
    {"timing", "timing",
     LIMBERI_TEXT("Retimes whole poses of the clip before anything else. The clip keeps its length, key poses keep "
                  "their times, and loops stay loops. Steady walks, runs and swims, and idles are left alone, but for "
                  "single holds. A step holds whole frames of any clip, as drawn films do."),
     LIMBERI_TEXT("{\"timing\": {\"snap\": 0.75, \"hang\": 1, \"step\": \"auto\", \"holds\": [{\"at\": 0.42, "
                  "\"length\": 0.2}]}}")},
    {"pose", "pose",
     LIMBERI_TEXT("Makes the poses of the clip stronger: each goes farther from where the character dwells, the body "
                  "sinks deeper and rises higher, and legs are bent so that the feet stay where they were. Hips, "
                  "trunk, limbs, legs and head are found from the skin and the contacts, not from names."),
     LIMBERI_TEXT("{\"pose\": {\"exaggerate\": 0.8, \"anticipate\": 0.45}, \"joints\": {\"Head\": {\"pose\": 0}}}")},
    {"body", "body",
     LIMBERI_TEXT("Squashes and bends the whole figure after the effects, with its volume kept. It goes by how the "
                  "middle of the skin moves in the clip as it is played, and stands in for \"impact\" there. "
                  "Rigid parts that are round take their share."),
     LIMBERI_TEXT("{\"body\": {\"squash\": 1, \"bend\": 1}}")},
};

const limberi_keys limberi_perform_keys = LIMBERI_KEYS_OF(rows, sections);
const limberi_keys limberi_perform_joint_keys = LIMBERI_KEYS(joint_rows);

limber_result limberi_bind_perform_joints(limberi_binder* b, limber_perform_settings* settings) {
    return limberi_bind_joint_gains(b, "joints.*.pose", &settings->of_joint);
}
