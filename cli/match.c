// --match FILE: joint pairs in JSON, {"limber_match": 1, "joints": {"hand.l": "LeftHand", "hat": null}}.
#include "cli/match.h"
#include "base/buffer.h"
#include "cli/report.h"
#include "io/file.h"
#include "io/file_write.h"
#include "text/json.h"
#include "text/json_write.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// --- reading ---

static const char* joint_name_at(const void* user, size_t i) {
    return ((const limber_rig*)user)->names[i];
}

static int find_joint(const char* path, const limber_model* model, const char* whose, const char* name,
                      uint32_t* joint) {
    int32_t found = limber_rig_find_joint(&model->rig, name);
    if (found < 0)
        return cli_fail(path, "the %s has no joint '%s'%s", whose, name,
                        cli_did_you_mean(name, joint_name_at, &model->rig, model->rig.joint_count));
    *joint = (uint32_t)found;
    return CLI_DONE;
}

static int read_pair(const char* path, const limberi_json* joints, uint32_t index, const limber_model* character,
                     const limber_model* motion, limber_joint_pair* pair) {
    const limberi_json* value = limberi_json_at(joints, index);
    const char* name = limberi_json_key_at(joints, index);
    int status = find_joint(path, character, "character", name, &pair->joint);
    if (status)
        return status;
    pair->source = LIMBER_NO_SOURCE;
    if (limberi_json_is(value, LIMBERI_JSON_NULL))
        return CLI_DONE;
    if (!limberi_json_is(value, LIMBERI_JSON_STRING))
        return cli_fail(path, "'%s' must be a joint of the motion or null", name);
    return find_joint(path, motion, "motion", limberi_json_as_text(value), &pair->source);
}

static int read_pairs(const char* path, const limberi_json* root, const limber_model* character,
                      const limber_model* motion, cli_match* match) {
    const limberi_json* joints = limberi_json_get(root, "joints");
    if (limberi_json_as_integer(limberi_json_get(root, "limber_match")) != 1 ||
        !limberi_json_is(joints, LIMBERI_JSON_OBJECT))
        return cli_fail(path, "is no list of joint pairs: \"limber_match\": 1 and \"joints\" are missing");
    uint32_t count = limberi_json_count(joints);
    match->pairs = calloc((size_t)count + 1, sizeof *match->pairs);
    if (!match->pairs)
        return cli_fail_memory(path);
    for (uint32_t i = 0; i < count; i++) {
        int status = read_pair(path, joints, i, character, motion, &match->pairs[i]);
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
    int status = CLI_DONE;
    memset(match, 0, sizeof *match);
    if (limberi_file_read(path, 16u << 20, &arena, &bytes, &error) != LIMBER_OK ||
        limberi_json_read((const char*)bytes.data, bytes.size, NULL, &json, &error) != LIMBER_OK) {
        status = cli_fail_error(path, &error);
    } else {
        status = read_pairs(path, json.root, character, motion, match);
        limberi_json_free(&json);
    }
    limberi_arena_free(&arena);
    if (status)
        cli_match_free(match);
    return status;
}

void cli_match_free(cli_match* match) {
    free(match->pairs);
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

static void write_joints(limberi_json_writer* w, const limber_model* character, const limber_model* motion,
                         const limber_retarget* retarget, const int32_t* matches) {
    cli_report_open(w, "joints", '{');
    for (uint32_t j = 0; j < character->rig.joint_count; j++) {
        const char* name = character->rig.names[j];
        if (limber_rig_find_joint(&character->rig, name) != (int32_t)j)
            continue; // the second of that name cannot be named
        if (matches[j] < 0)
            cli_report_null(w, name);
        else
            cli_report_text(w, name, motion->rig.names[limber_retarget_match(retarget, (uint32_t)matches[j]).source]);
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
    int32_t* matches = matches_of_joints(character, retarget);
    if (!matches)
        return cli_fail_memory(path);
    cli_report_open(&writer, NULL, '{');
    cli_report_integer(&writer, "limber_match", 1);
    write_joints(&writer, character, motion, retarget, matches);
    limberi_json_close(&writer, '}');
    int status = save(path, &text);
    if (!status)
        cli_tell(path, "written: change what is wrong and run again");
    limberi_buffer_free(&text);
    free(matches);
    return status;
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
