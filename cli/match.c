// --match FILE: joint pairs in JSON, {"limber_match": 1, "joints": {"hand.l": "LeftHand", "hat": null}}, and what joints
// are where their names do not tell, "character": {"bone_7": "leftUpperLeg"}, "motion": {...}.
#include "cli/match.h"
#include "base/buffer.h"
#include "cli/report.h"
#include "io/file.h"
#include "io/file_write.h"
#include "retarget/joint_names.h"
#include "text/json.h"
#include "text/json_write.h"
#include "text/text.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// --- joints by name ---

typedef struct joint_names {
    const limber_rig* rig;
    const char* const** sorted; // into the rig's names; equal ones in its order
} joint_names;

static int compare_names(const void* a, const void* b) {
    const char* const* x = *(const char* const* const*)a;
    const char* const* y = *(const char* const* const*)b;
    int order = strcmp(*x, *y);
    return order ? order : (x > y) - (x < y);
}

static bool open_names(joint_names* names, const limber_model* model) {
    names->rig = &model->rig;
    names->sorted = malloc((model->rig.joint_count + 1u) * sizeof *names->sorted);
    if (!names->sorted)
        return false;
    for (uint32_t j = 0; j < model->rig.joint_count; j++)
        names->sorted[j] = &model->rig.names[j];
    qsort(names->sorted, model->rig.joint_count, sizeof *names->sorted, compare_names);
    return true;
}

// The first of that name, as limber_rig_find_joint has it, which looks for names of the human body as well; -1: none.
static int32_t joint_of(const joint_names* names, const char* name) {
    uint32_t low = 0;
    uint32_t high = names->rig->joint_count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (strcmp(*names->sorted[middle], name) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    if (low < names->rig->joint_count && !strcmp(*names->sorted[low], name))
        return (int32_t)(names->sorted[low] - names->rig->names);
    return limber_rig_find_joint(names->rig, name);
}

// The second joint of a name cannot be named.
static bool is_named(const joint_names* names, uint32_t joint) {
    return joint_of(names, names->rig->names[joint]) == (int32_t)joint;
}

// --- reading ---

typedef struct both_names {
    joint_names character, motion;
} both_names;

static void close_names(both_names* names) {
    free(names->character.sorted);
    free(names->motion.sorted);
}

static bool open_both(both_names* names, const limber_model* character, const limber_model* motion) {
    memset(names, 0, sizeof *names);
    if (open_names(&names->character, character) && open_names(&names->motion, motion))
        return true;
    close_names(names);
    return false;
}

static int find_joint(const char* path, const joint_names* names, const char* whose, const char* name,
                      uint32_t* joint) {
    int32_t found = joint_of(names, name);
    if (found < 0)
        return cli_fail(path, "the %s has no joint '%s'%s", whose, name,
                        cli_did_you_mean(name, limberi_name_at, names->rig->names, names->rig->joint_count));
    *joint = (uint32_t)found;
    return CLI_DONE;
}

static int read_pair(const char* path, const limberi_json* joints, uint32_t index, const both_names* names,
                     limber_joint_pair* pair) {
    const limberi_json* value = limberi_json_at(joints, index);
    const char* name = limberi_json_key_at(joints, index);
    int status = find_joint(path, &names->character, "character", name, &pair->joint);
    if (status)
        return status;
    pair->source = LIMBER_NO_SOURCE;
    if (limberi_json_is(value, LIMBERI_JSON_NULL))
        return CLI_DONE;
    if (!limberi_json_is(value, LIMBERI_JSON_STRING))
        return cli_fail(path, "'%s' must be a joint of the motion or null", name);
    return find_joint(path, &names->motion, "motion", limberi_json_as_text(value), &pair->source);
}

// {"joint": "leftUpperLeg", "other": null}
static int read_bones(const char* path, const limberi_json* list, const char* whose, const joint_names* names,
                      char*** bones, uint32_t* count) {
    uint32_t joint = 0;
    if (!list)
        return CLI_DONE;
    *bones = calloc((size_t)names->rig->joint_count + 1, sizeof **bones);
    if (!*bones)
        return cli_fail_memory(path);
    *count = names->rig->joint_count;
    for (uint32_t i = 0; i < limberi_json_count(list); i++) {
        const limberi_json* value = limberi_json_at(list, i);
        const char* name = limberi_json_key_at(list, i);
        int status = find_joint(path, names, whose, name, &joint);
        if (status)
            return status;
        if (limberi_json_is(value, LIMBERI_JSON_NULL))
            continue;
        const char* text = limberi_json_is(value, LIMBERI_JSON_STRING) ? limberi_json_as_text(value) : "";
        if (limberi_joint_meaning_of(text).family == LIMBERI_FAMILY_NONE)
            return cli_fail(path, "'%s' must be null or what the joint is in a body, as \"leftUpperLeg\"", name);
        free((*bones)[joint]); // named twice
        (*bones)[joint] = malloc(strlen(text) + 1);
        if (!(*bones)[joint])
            return cli_fail_memory(path);
        strcpy((*bones)[joint], text);
    }
    return CLI_DONE;
}

static int read_pairs(const char* path, const limberi_json* root, const both_names* names, cli_match* match) {
    const limberi_json* joints = limberi_json_get(root, "joints");
    const limberi_json* of_motion = limberi_json_get(root, "motion");
    const limberi_json* of_character = limberi_json_get(root, "character");
    bool lists = (!joints || limberi_json_is(joints, LIMBERI_JSON_OBJECT)) &&
                 (!of_motion || limberi_json_is(of_motion, LIMBERI_JSON_OBJECT)) &&
                 (!of_character || limberi_json_is(of_character, LIMBERI_JSON_OBJECT));
    if (limberi_json_as_integer(limberi_json_get(root, "limber_match")) != 1 || !lists ||
        !(joints || of_motion || of_character))
        return cli_fail(path, "is no list of joint pairs: \"limber_match\": 1 and \"joints\" are missing");
    int told = read_bones(path, of_motion, "motion", &names->motion, &match->motion_bones, &match->motion_joints);
    if (!told)
        told = read_bones(path, of_character, "character", &names->character, &match->character_bones,
                          &match->character_joints);
    if (told)
        return told;
    uint32_t count = joints ? limberi_json_count(joints) : 0;
    match->pairs = calloc((size_t)count + 1, sizeof *match->pairs);
    if (!match->pairs)
        return cli_fail_memory(path);
    for (uint32_t i = 0; i < count; i++) {
        int status = read_pair(path, joints, i, names, &match->pairs[i]);
        if (status)
            return status;
    }
    match->count = count;
    return CLI_DONE;
}

int cli_match_read(const char* path, const limber_model* character, const limber_model* motion, cli_match* match) {
    limberi_arena arena = {NULL, false};
    limberi_bytes bytes;
    limberi_json_document json;
    limber_error error;
    both_names names;
    int status = CLI_DONE;
    memset(match, 0, sizeof *match);
    if (!open_both(&names, character, motion))
        return cli_fail_memory(path);
    if (limberi_file_read(path, 16u << 20, &arena, &bytes, &error) != LIMBER_OK ||
        limberi_json_read((const char*)bytes.data, bytes.size, NULL, &json, &error) != LIMBER_OK) {
        status = cli_fail_error(path, &error);
    } else {
        status = read_pairs(path, json.root, &names, match);
        limberi_json_free(&json);
    }
    limberi_arena_free(&arena);
    close_names(&names);
    if (status)
        cli_match_free(match);
    return status;
}

static void free_bones(char** bones, uint32_t count) {
    for (uint32_t i = 0; bones && i < count; i++)
        free(bones[i]);
    free(bones);
}

void cli_match_free(cli_match* match) {
    free(match->pairs);
    free_bones(match->motion_bones, match->motion_joints);
    free_bones(match->character_bones, match->character_joints);
    memset(match, 0, sizeof *match);
}

// --- writing ---

// [joint of the character] the match that moves it, or -1.
static int32_t* matches_of_joints(const limber_model* character, const limber_retarget* retarget) {
    int32_t* list = malloc((character->rig.joint_count + 1u) * sizeof *list);
    for (uint32_t j = 0; list && j < character->rig.joint_count; j++)
        list[j] = -1;
    for (uint32_t i = 0; list && i < limber_retarget_match_count(retarget); i++)
        list[limber_retarget_match(retarget, i).joint] = (int32_t)i;
    return list;
}

static void write_joints(limberi_json_writer* w, const both_names* names, const limber_retarget* retarget,
                         const int32_t* matches) {
    const limber_rig* character = names->character.rig;
    cli_report_open(w, "joints", '{');
    for (uint32_t j = 0; j < character->joint_count; j++) {
        const char* name = character->names[j];
        uint32_t source =
            matches[j] < 0 ? LIMBER_NO_SOURCE : limber_retarget_match(retarget, (uint32_t)matches[j]).source;
        if (!is_named(&names->character, j) || (source != LIMBER_NO_SOURCE && !is_named(&names->motion, source)))
            continue; // found again without the list
        if (source == LIMBER_NO_SOURCE)
            cli_report_null(w, name);
        else
            cli_report_text(w, name, names->motion.rig->names[source]);
    }
    limberi_json_close(w, '}');
}

static int save(const char* path, const limberi_buffer* text) {
    limberi_file file;
    limber_error error;
    if (text->failed)
        return cli_fail_memory(path);
    if (limberi_file_open(&file, path, &error) != LIMBER_OK)
        return cli_fail_error(path, &error);
    limberi_file_put(&file, text->data, text->length);
    limberi_file_put(&file, "\n", 1);
    return limberi_file_commit(&file, &error) == LIMBER_OK ? CLI_DONE : cli_fail_error(path, &error);
}

int cli_match_write(const char* path, const limber_model* character, const limber_model* motion,
                    const limber_retarget* retarget) {
    limberi_buffer text = {NULL, 0, 0, false};
    limberi_json_writer writer = {.out = &text, .indent = 2};
    both_names names;
    if (!open_both(&names, character, motion))
        return cli_fail_memory(path);
    int32_t* matches = matches_of_joints(character, retarget);
    cli_report_open(&writer, NULL, '{');
    cli_report_integer(&writer, "limber_match", 1);
    if (matches)
        write_joints(&writer, &names, retarget, matches);
    text.failed = text.failed || !matches;
    close_names(&names);
    limberi_json_close(&writer, '}');
    int status = save(path, &text);
    if (!status)
        cli_tell(path, "written: change what is wrong and run again");
    limberi_buffer_free(&text);
    free(matches);
    return status;
}

static void write_names(limberi_json_writer* w, const char* key, const joint_names* names) {
    cli_report_open(w, key, '{');
    for (uint32_t j = 0; j < names->rig->joint_count; j++)
        if (is_named(names, j))
            cli_report_null(w, names->rig->names[j]);
    limberi_json_close(w, '}');
}

int cli_match_write_joints(const char* path, const limber_model* character, const limber_model* motion) {
    limberi_buffer text = {NULL, 0, 0, false};
    limberi_json_writer writer = {.out = &text, .indent = 2};
    both_names names;
    if (!open_both(&names, character, motion))
        return cli_fail_memory(path);
    cli_report_open(&writer, NULL, '{');
    cli_report_integer(&writer, "limber_match", 1);
    write_names(&writer, "character", &names.character);
    write_names(&writer, "motion", &names.motion);
    close_names(&names);
    limberi_json_close(&writer, '}');
    int status = save(path, &text);
    limberi_buffer_free(&text);
    return status;
}

void cli_match_report(limberi_json_writer* w, const limber_model* character, const limber_model* motion,
                      const limber_retarget* retarget) {
    int32_t* matches = matches_of_joints(character, retarget);
    cli_report_open(w, "matches", '[');
    for (uint32_t j = 0; matches && j < character->rig.joint_count; j++) {
        if (matches[j] < 0)
            continue;
        limber_joint_match match = limber_retarget_match(retarget, (uint32_t)matches[j]);
        cli_report_open(w, NULL, '{');
        cli_report_text(w, "joint", character->rig.names[j]);
        cli_report_text(w, "from", motion->rig.names[match.source]);
        cli_report_text(w, "part", match.part);
        cli_report_real(w, "sure", round(1000 * (double)match.sure) / 1000);
        limberi_json_close(w, '}');
    }
    limberi_json_close(w, ']');
    cli_report_open(w, "rest", '[');
    for (uint32_t j = 0; matches && j < character->rig.joint_count; j++)
        if (matches[j] < 0)
            cli_report_text(w, NULL, character->rig.names[j]);
    limberi_json_close(w, ']');
    w->out->failed = w->out->failed || !matches;
    free(matches);
}

void cli_match_print(const limber_model* character, const limber_model* motion, const limber_retarget* retarget) {
    int32_t* matches = matches_of_joints(character, retarget);
    for (uint32_t j = 0; matches && j < character->rig.joint_count; j++) {
        printf("  ");
        cli_print_name(character->rig.names[j]);
        if (matches[j] < 0) {
            printf(": keeps its rest pose\n");
            continue;
        }
        limber_joint_match match = limber_retarget_match(retarget, (uint32_t)matches[j]);
        printf(": ");
        cli_print_name(motion->rig.names[match.source]);
        printf(" (%s, %.0f %% sure)\n", match.part, 100 * (double)match.sure);
    }
    free(matches);
}
