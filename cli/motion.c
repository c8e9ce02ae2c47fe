// --motion FILE[#CLIP][@A:B]: clips of other files, put onto the character that a command works on.
#include "cli/cli.h"
#include "cli/match.h"
#include "cli/report.h"
#include "io/system.h"
#include "retarget/figure.h"

#include <limber/stages/retarget.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_CLIPS = 1024, NAME_BYTES = 256 };

// Where the clips of --motion begin in the character that was loaded last; a program loads one of these.
static uint32_t first_of_motion;

typedef struct motion_request {
    char path[4096];
    char clip[NAME_BYTES]; // "": all of the file's
    double start_s, end_s; // end 0: to the end
} motion_request;

typedef struct motion_work {
    const char* input;
    const cli_common* common;
    const limber_model* character;
    uint32_t source_count;
    limber_gltf* files[CLI_LIST_MAX];
    bool match_is_given; // the file of --match was there
    cli_match match;     // of the motion that is being added
    uint32_t clip_count;
    limber_retarget* retargets[MAX_CLIPS];
    limber_edited_clip clips[MAX_CLIPS];
    char names[MAX_CLIPS][NAME_BYTES];
} motion_work;

// --- the option's text ---

static bool file_exists(const char* path) {
    return limberi_system_kind(path) != LIMBERI_KIND_NONE;
}

// Cuts at the last `mark`, and gives back what follows it; NULL: there is none.
static char* cut_at(char* text, char mark) {
    char* at = strrchr(text, mark);
    if (at)
        *at++ = 0;
    return at;
}

static int parse_request(const char* text, motion_request* request) {
    memset(request, 0, sizeof *request);
    if (strlen(text) >= sizeof request->path)
        return cli_usage("--motion: the name of the file is too long");
    strcpy(request->path, text);
    if (file_exists(text)) // whatever signs its name has
        return CLI_DONE;
    char* range = cut_at(request->path, '@');
    if (range) {
        cli_be_silent(true);
        int status = cli_parse_range(range, &request->start_s, &request->end_s);
        cli_be_silent(false);
        if (status)
            return cli_usage("--motion '%s': after the @ must be START:END in seconds", text);
        request->end_s = isfinite(request->end_s) ? request->end_s : 0;
        request->start_s = request->start_s > 0 ? request->start_s : 0;
    }
    if (file_exists(request->path))
        return CLI_DONE;
    char* clip = cut_at(request->path, '#');
    if (clip && strlen(clip) >= sizeof request->clip)
        return cli_usage("--motion: the name of the clip is too long");
    if (clip)
        strcpy(request->clip, clip);
    if (!*request->path)
        return cli_usage("--motion '%s' names no file", text);
    return CLI_DONE;
}

size_t cli_motion_file(const char* text) {
    motion_request request;
    cli_be_silent(true);
    int status = parse_request(text, &request);
    cli_be_silent(false);
    return status ? strlen(text) : strlen(request.path);
}

// --- names ---

static bool is_taken(const motion_work* w, const char* name) {
    for (uint32_t i = 0; i < w->clip_count; i++)
        if (!strcmp(w->names[i], name))
            return true;
    return limber_model_find_clip(w->character, name) >= 0;
}

static const char* new_name(motion_work* w, const char* wanted) {
    char* name = w->names[w->clip_count];
    snprintf(name, NAME_BYTES, "%s", wanted);
    for (uint32_t number = 2; is_taken(w, name); number++)
        snprintf(name, NAME_BYTES, "%.*s %u", NAME_BYTES - 16, wanted, number);
    return name;
}

// --- one motion ---

static void tell_match(const motion_request* request, const limber_retarget* retarget, const limber_model* character) {
    uint32_t count = limber_retarget_match_count(retarget);
    double sure = 1;
    for (uint32_t i = 0; i < count; i++)
        sure = fmin(sure, (double)limber_retarget_match(retarget, i).sure);
    const char* how = sure > 0.8 ? "matched by name" : "matched by shape";
    if (count && !strcmp(limber_retarget_match(retarget, 0).part, "same joint"))
        how = "the skeletons are the same";
    cli_tell(request->path, "%u of the character's %u joints take its motion (%s)", count, character->rig.joint_count,
             how);
}

static bool has_body(const limber_model* model, char** bones) {
    limberi_figure figure;
    const char* missing;
    return limberi_figure_find(model, (const char* const*)bones, &figure, &missing) == LIMBER_OK;
}

// Where no body is found, a person can still say what joints are.
static int fail_match(const motion_work* w, const motion_request* request, const limber_model* motion,
                      const limber_error* error) {
    const char* path = w->common->match;
    if (has_body(motion, w->match.motion_bones) && has_body(w->character, w->match.character_bones))
        return cli_fail_error(request->path, error);
    if (!path || w->match_is_given)
        return cli_fail(request->path, "%s; say what its joints are with --match FILE", error->message);
    if (cli_match_write_joints(path, w->character, motion))
        return CLI_FAILED;
    return cli_fail(request->path, "%s; say what its joints are in %s, which is written", error->message, path);
}

static int add_clip(motion_work* w, const motion_request* request, const limber_model* motion, uint32_t index) {
    limber_retarget_settings settings = limber_retarget_settings_default();
    limber_error error;
    settings.start_s = request->start_s;
    settings.end_s = request->end_s;
    settings.in_place = w->common->in_place;
    settings.root_motion = w->common->root_motion;
    settings.loop = w->common->cycle;
    settings.mirror = w->common->mirror;
    settings.touch = w->common->touch;
    settings.pairs = w->match.pairs;
    settings.pair_count = w->match.count;
    settings.motion_bones = (const char* const*)w->match.motion_bones;
    settings.character_bones = (const char* const*)w->match.character_bones;
    settings.name = new_name(w, motion->clips[index].name);
    limber_retarget** retarget = &w->retargets[w->clip_count];
    if (limber_retarget_create(motion, w->character, &settings, retarget, &error) != LIMBER_OK)
        return fail_match(w, request, motion, &error);
    limber_edited_clip* edit = &w->clips[w->clip_count++];
    memset(edit, 0, sizeof *edit);
    edit->index = LIMBER_NEW_CLIP;
    if (limber_retarget_clip(*retarget, &motion->clips[index], &edit->clip, &error) != LIMBER_OK)
        return cli_fail_error(request->path, &error);
    return CLI_DONE;
}

static void report_motion(const motion_work* w, const motion_request* request, const limber_model* motion,
                          const limber_retarget* retarget) {
    limberi_json_writer* out = w->common->matches;
    cli_report_open(out, NULL, '{');
    cli_report_text(out, "file", request->path);
    cli_match_report(out, w->character, motion, retarget);
    limberi_json_close(out, '}');
}

static int add_motion(motion_work* w, const char* text) {
    motion_request request;
    int status = parse_request(text, &request);
    limber_gltf** gltf = &w->files[w->source_count];
    if (!status)
        status = cli_load(request.path, gltf);
    if (status)
        return status;
    w->source_count++;
    const limber_model* motion = limber_asset_model(limber_gltf_asset(*gltf));
    uint32_t first = 0;
    uint32_t count = motion->clip_count;
    if (!count)
        return cli_fail(request.path, "has no clip to take the motion of");
    if (*request.clip) {
        status = cli_find_clip(request.path, motion, request.clip, &first);
        count = 1;
    }
    if (!status && w->clip_count + count > MAX_CLIPS)
        return cli_fail(request.path, "too many clips (max %d); choose one with #CLIP", MAX_CLIPS);
    if (!status && w->match_is_given)
        status = cli_match_read(w->common->match, w->character, motion, &w->match);
    for (uint32_t i = first; !status && i < first + count; i++)
        status = add_clip(w, &request, motion, i);
    cli_match_free(&w->match);
    if (status)
        return status;
    const limber_retarget* retarget = w->retargets[w->clip_count - 1];
    tell_match(&request, retarget, w->character);
    if (w->common->lists_matches)
        cli_match_print(w->character, motion, retarget);
    if (w->common->matches)
        report_motion(w, &request, motion, retarget);
    return CLI_DONE;
}

// --- the character with its new clips ---

static void folder_of(const char* path, char* folder, size_t size) {
    snprintf(folder, size, "%s", path);
    char* slash = strrchr(folder, '/');
    if (slash)
        *slash = 0;
    else
        snprintf(folder, size, ".");
}

static int rewrite(motion_work* w, limber_gltf** gltf) {
    limber_gltf_edits edits = limber_gltf_edits_default();
    limber_gltf_limits limits = cli_gltf_limits();
    limber_error error;
    void* bytes;
    size_t byte_count;
    char folder[4096];
    edits.clip_count = w->clip_count;
    edits.clips = w->clips;
    if (limber_gltf_save_memory(*gltf, &edits, &bytes, &byte_count, &error) != LIMBER_OK)
        return cli_fail_error(w->input, &error);
    first_of_motion = w->character->clip_count;
    limber_gltf_destroy(*gltf);
    folder_of(w->input, folder, sizeof folder);
    limber_result result = limber_gltf_load_memory(bytes, byte_count, folder, &limits, gltf, &error);
    limber_release(bytes);
    if (result == LIMBER_OK)
        return CLI_DONE;
    *gltf = NULL;
    return cli_fail_error(w->input, &error);
}

static int add_all(motion_work* w, limber_gltf** gltf) {
    int status = CLI_DONE;
    w->character = limber_asset_model(limber_gltf_asset(*gltf));
    for (uint32_t i = 0; !status && i < w->common->motions.count; i++)
        status = add_motion(w, w->common->motions.items[i]);
    if (!status && w->common->match && !w->match_is_given)
        status = cli_match_write(w->common->match, w->character, limber_asset_model(limber_gltf_asset(w->files[0])),
                                 w->retargets[0]);
    if (!status)
        status = rewrite(w, gltf);
    for (uint32_t i = 0; i < w->clip_count; i++)
        limber_retarget_destroy(w->retargets[i]);
    for (uint32_t i = 0; i < w->source_count; i++)
        limber_gltf_destroy(w->files[i]);
    return status;
}

static int check_options(const cli_common* common) {
    bool changes =
        common->in_place || common->root_motion || common->cycle || common->mirror || common->touch || common->match;
    if (!common->motions.count && changes)
        return cli_usage("--match, --in-place, --root-motion, --cycle, --mirror and --touch need --motion");
    if (common->in_place && common->root_motion)
        return cli_usage("--in-place takes the travel out that --root-motion would move: choose one");
    if (common->match && common->motions.count > 1)
        return cli_usage("--match goes with one --motion: the next one has other joints");
    if (common->match && common->output && !strcmp(common->match, common->output))
        return cli_usage("--match and -o name the same file");
    return CLI_DONE;
}

int cli_load_with_motion(const char* path, const cli_common* common, limber_gltf** gltf) {
    first_of_motion = 0;
    int status = check_options(common);
    if (!status)
        status = cli_load(path, gltf);
    if (status || !common->motions.count)
        return status;
    motion_work* work = calloc(1, sizeof *work);
    if (work) {
        work->input = path;
        work->common = common;
        work->match_is_given = common->match && file_exists(common->match);
        status = add_all(work, gltf);
        free(work);
    } else
        status = cli_fail_memory(path);
    if (status && *gltf) {
        limber_gltf_destroy(*gltf);
        *gltf = NULL;
    }
    return status;
}

uint32_t cli_first_clip(void) {
    return first_of_motion;
}
