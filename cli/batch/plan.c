// What a batch does: a list of jobs, each one call of `limber apply` with an output of its own.
#include "cli/batch/batch.h"

#include "base/memory.h"
#include "cli/cli.h"
#include "io/file.h"
#include "io/system.h"

#include <string.h>

// Measured with the sample characters, by the bytes of the input; the second time it is known.
static const double memory_base = 32e6;
static const double memory_per_byte = 64;
static const double seconds_base = 0.02;
static const double seconds_per_byte = 2e-6;
static const uint32_t max_jobs = 10000000;

void batch_plan_free(batch_plan* plan) {
    batch_files_free(&plan->files);
    limberi_arena_free(&plan->arena);
    memset(plan, 0, sizeof *plan);
}

uint32_t batch_plan_tally(const batch_plan* plan, batch_state state) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < plan->count; i++)
        count += plan->jobs[i].state == state;
    return count;
}

const char* batch_absolute(limberi_arena* arena, const char* base, const char* path) {
    while (path[0] == '.' && path[1] == '/')
        path += 2;
    return *path == '/' ? limberi_arena_string(arena, path) : batch_join(arena, base, "/", path);
}

const char* batch_stamp_path(limberi_arena* arena, const char* folder, const char* output) {
    char name[BATCH_HASH_CHARS];
    batch_hash hash;
    batch_hash_start(&hash);
    batch_hash_text(&hash, output);
    batch_hash_end(&hash, name);
    char* below = batch_join(arena, "/.limber/", name, ".json");
    return below ? batch_join(arena, folder, below, "") : NULL;
}

// --- inputs ---

static bool is_character(const char* path) {
    static const char* const endings[] = {".glb", ".gltf", ".vrm", ".bvh", ".fbx", ".dae"};
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++)
        if (cli_has_ending(path, endings[i]))
            return true;
    return false;
}

// What an earlier batch put into the folder has a stamp there.
static bool is_own_output(batch_plan* plan, const char* path, const char* real_folder) {
    size_t length = real_folder ? strlen(real_folder) : 0;
    char* real = real_folder ? limberi_system_real_path(path) : NULL;
    bool inside = real && strncmp(real, real_folder, length) == 0 && real[length] == '/';
    const char* stamp = inside ? batch_stamp_path(&plan->arena, plan->folder, real + length + 1) : NULL;
    bool own = stamp && limberi_system_kind(stamp) == LIMBERI_KIND_FILE;
    limberi_release(real);
    return own;
}

static int expand(batch_plan* plan, const char* pattern, batch_words* out) {
    batch_words found = {NULL, 0, 0};
    limberi_kind kind = limberi_system_kind(pattern);
    if (kind == LIMBERI_KIND_FOLDER)
        return cli_fail(pattern, "is a folder; use a pattern, such as '%s/*.glb'", pattern);
    if (kind != LIMBERI_KIND_NONE) // a damaged one is a job that fails
        return batch_words_add(out, &plan->arena, pattern) ? CLI_DONE : cli_fail_memory(NULL);
    if (!batch_has_wildcards(pattern))
        return cli_fail(pattern, "does not exist");
    if (!batch_glob(pattern, &plan->arena, &found))
        return cli_fail_memory(NULL);
    uint32_t before = out->count;
    for (uint32_t i = 0; i < found.count; i++)
        if (is_character(found.items[i]) && !batch_words_keep(out, &plan->arena, found.items[i]))
            return cli_fail_memory(NULL);
    return out->count > before ? CLI_DONE : cli_fail(pattern, "matches no character");
}

static int find_inputs(batch_plan* plan, const batch_group* group, const char* base, batch_words* out) {
    batch_words found = {NULL, 0, 0};
    int status = CLI_DONE;
    for (uint32_t i = 0; i < group->inputs.count; i++) {
        const char* pattern = batch_absolute(&plan->arena, base, group->inputs.items[i]);
        status = pattern ? expand(plan, pattern, &found) : cli_fail_memory(NULL);
        if (status)
            return status;
    }
    batch_words_unique(&found);
    char* real_folder = limberi_system_real_path(plan->folder);
    for (uint32_t i = 0; i < found.count; i++) {
        if (is_own_output(plan, found.items[i], real_folder)) {
            plan->own_outputs++;
        } else if (!batch_words_keep(out, &plan->arena, found.items[i])) {
            status = cli_fail_memory(NULL);
            break;
        }
    }
    limberi_release(real_folder);
    return status;
}

// --- jobs ---

typedef struct planner {
    batch_plan* plan;
    const batch_group* group;
    const char* base;
    const char* pattern;
    const char** styles;  // [style] as apply takes it, NULL: none
    size_t common_length; // of the folder that all inputs are in
} planner;

static batch_job* add_job(batch_plan* plan) {
    if (plan->count == plan->capacity) {
        uint32_t capacity = plan->capacity ? 2 * plan->capacity : 64;
        batch_job* jobs = LIMBERI_ALLOCATE(&plan->arena, batch_job, capacity);
        if (!jobs || plan->count >= max_jobs)
            return NULL;
        if (plan->count)
            memcpy(jobs, plan->jobs, plan->count * sizeof *jobs);
        plan->jobs = jobs;
        plan->capacity = capacity;
    }
    return &plan->jobs[plan->count++];
}

static const char* style_name(const planner* p, uint32_t s) {
    const batch_style* style = &p->group->styles[s];
    if (style->name)
        return style->name;
    if (!style->style)
        return "own";
    return limber_preset_find(style->style) ? style->style : batch_stem(&p->plan->arena, style->style);
}

// {folder}: where an input is below the folder that holds all of them.
static const char* folder_below(const planner* p, const char* input) {
    char* folder = limberi_arena_string(&p->plan->arena, input + p->common_length);
    char* slash = folder ? strrchr(folder, '/') : NULL;
    if (slash)
        *slash = 0;
    else if (folder)
        *folder = 0;
    return folder;
}

// The options of all jobs; what names a file does so from the root.
static bool put_options(const planner* p, batch_words* w) {
    limberi_arena* arena = &p->plan->arena;
    const batch_words* options = &p->group->options;
    for (uint32_t i = 0; i < options->count; i++) {
        bool names_file = i && strcmp(options->items[i - 1], "--motion") == 0;
        const char* word = names_file ? batch_absolute(arena, p->base, options->items[i]) : options->items[i];
        if (!word || !batch_words_keep(w, arena, word))
            return false;
    }
    return true;
}

static bool put_words(const planner* p, uint32_t s, batch_job* job) {
    limberi_arena* arena = &p->plan->arena;
    batch_words* w = &job->words;
    const batch_style* style = &p->group->styles[s];
    bool done = batch_words_keep(w, arena, "apply") && batch_words_keep(w, arena, job->input) &&
                batch_words_keep(w, arena, "-o") && batch_words_keep(w, arena, job->path) &&
                batch_words_keep(w, arena, "--stamp") && batch_words_keep(w, arena, job->stamp);
    if (done && p->styles[s])
        done = batch_words_keep(w, arena, "--style") && batch_words_keep(w, arena, p->styles[s]);
    if (!done || !put_options(p, w))
        return false;
    for (uint32_t i = 0; i < style->sets.count; i++)
        if (!batch_words_keep(w, arena, "--set") || !batch_words_keep(w, arena, style->sets.items[i]))
            return false;
    if (job->clip && (!batch_words_keep(w, arena, "--clip") || !batch_words_keep(w, arena, job->clip)))
        return false;
    return batch_words_keep(w, arena, "--quiet");
}

static bool plan_job(const planner* p, const char* input, uint32_t s, const char* clip) {
    batch_plan* plan = p->plan;
    batch_job* job = add_job(plan);
    batch_names names = {batch_stem(&plan->arena, input), clip ? clip : "all", style_name(p, s),
                         folder_below(p, input)};
    if (!job || !names.name || !names.style || !names.folder)
        return false;
    job->input = input;
    job->clip = clip;
    job->style = names.style;
    job->output = batch_name(&plan->arena, p->pattern, &names);
    job->path = job->output ? batch_join(&plan->arena, plan->folder, "/", job->output) : NULL;
    job->stamp = job->output ? batch_stamp_path(&plan->arena, plan->folder, job->output) : NULL;
    return job->path && job->stamp && put_words(p, s, job);
}

// Clips that match, of a file that can be read. One that cannot gets a job all the same, which says why.
static bool find_clips(const planner* p, const char* input, const char* pattern, batch_words* out) {
    limber_gltf* gltf = NULL;
    limberi_arena* arena = &p->plan->arena;
    cli_be_silent(true);
    int status = cli_load(input, &gltf);
    cli_be_silent(false);
    const limber_model* model = status ? NULL : limber_asset_model(limber_gltf_asset(gltf));
    bool done = model || batch_words_add(out, arena, pattern);
    for (uint32_t i = 0; done && model && i < model->clip_count; i++)
        if (batch_matches(pattern, model->clips[i].name))
            done = batch_words_add(out, arena, model->clips[i].name);
    limber_gltf_destroy(gltf);
    return done;
}

static int plan_input(const planner* p, const char* input) {
    batch_words clips = {NULL, 0, 0};
    for (uint32_t c = 0; c < p->group->clips.count; c++) {
        const char* clip = p->group->clips.items[c];
        bool done = batch_has_wildcards(clip) ? find_clips(p, input, clip, &clips)
                                              : batch_words_keep(&clips, &p->plan->arena, clip);
        if (!done)
            return cli_fail_memory(NULL);
    }
    batch_words_unique(&clips);
    if (p->group->clips.count && !clips.count)
        cli_warn(input, "has no clip that is asked for, and is left out");
    for (uint32_t s = 0; s < p->group->style_count; s++) {
        for (uint32_t c = 0; c < clips.count; c++)
            if (!plan_job(p, input, s, clips.items[c]))
                return cli_fail_memory(NULL);
        if (!p->group->clips.count && !plan_job(p, input, s, NULL))
            return cli_fail_memory(NULL);
    }
    return CLI_DONE;
}

static size_t common_folder(const batch_words* inputs) {
    size_t length = inputs->count ? strlen(inputs->items[0]) : 0;
    for (uint32_t i = 1; i < inputs->count; i++) {
        size_t same = 0;
        while (same < length && inputs->items[0][same] == inputs->items[i][same])
            same++;
        length = same;
    }
    while (length && inputs->items[0][length - 1] != '/')
        length--;
    return length;
}

static int open_styles(planner* p) {
    const batch_group* group = p->group;
    limberi_arena* arena = &p->plan->arena;
    p->styles = LIMBERI_ALLOCATE(arena, const char*, group->style_count);
    if (!p->styles)
        return cli_fail_memory(NULL);
    for (uint32_t s = 0; s < group->style_count; s++) {
        const char* name = group->styles[s].style;
        if (name && !limber_preset_find(name)) {
            const char* path = batch_absolute(arena, p->base, name);
            bool file = path && (strchr(name, '/') || strchr(name, '.') || limberi_system_kind(path));
            name = path && file ? path : name;
        }
        p->styles[s] = name;
        int status = batch_check_style(&group->styles[s], name);
        if (status)
            return status;
    }
    return CLI_DONE;
}

static const char* usual_pattern(const batch_group* group) {
    bool styles = group->style_count > 1;
    bool clips = group->clips.count > 0;
    if (styles)
        return clips ? "{name}-{clip}-{style}.glb" : "{name}-{style}.glb";
    return clips ? "{name}-{clip}.glb" : "{name}.glb";
}

// The options of a group are checked once, by the parser of apply.
static int check_group(const planner* p) {
    batch_words words = {NULL, 0, 0};
    limberi_arena* arena = &p->plan->arena;
    bool done = batch_words_keep(&words, arena, "in.glb") && batch_words_keep(&words, arena, "-o") &&
                batch_words_keep(&words, arena, p->pattern);
    if (!done)
        return cli_fail_memory(NULL);
    for (uint32_t i = 0; i < p->group->options.count; i++)
        if (!batch_words_keep(&words, arena, p->group->options.items[i]))
            return cli_fail_memory(NULL);
    return cli_apply_check((int)words.count, (char**)words.items);
}

static int plan_group(batch_plan* plan, const batch_group* group, const char* base) {
    batch_words inputs = {NULL, 0, 0};
    planner p = {.plan = plan, .group = group, .base = base};
    p.pattern = group->output ? group->output : usual_pattern(group);
    int status = batch_name_check(p.pattern);
    if (!status)
        status = check_group(&p);
    if (!status)
        status = open_styles(&p);
    if (!status)
        status = find_inputs(plan, group, base, &inputs);
    if (status)
        return status;
    p.common_length = common_folder(&inputs);
    for (uint32_t i = 0; i < inputs.count; i++) {
        status = plan_input(&p, inputs.items[i]);
        if (status)
            return status;
    }
    return CLI_DONE;
}

int batch_plan_make(batch_plan* plan, const batch_groups* groups, const char* base, const char* folder) {
    plan->folder = folder;
    for (uint32_t g = 0; g < groups->count; g++) {
        int status = plan_group(plan, &groups->items[g], base);
        if (status)
            return status;
    }
    if (!plan->count)
        return cli_fail(folder, "there is nothing to do%s",
                        plan->own_outputs ? ": all inputs are outputs of an earlier batch" : "");
    if (plan->own_outputs)
        cli_tell(folder, "%u files that an earlier batch wrote are no inputs", plan->own_outputs);
    return batch_check_outputs(plan);
}

void batch_plan_compare(batch_plan* plan) {
    for (uint32_t i = 0; i < plan->count; i++) {
        batch_job* job = &plan->jobs[i];
        uint64_t bytes = 0;
        bool read = batch_key(&plan->files, job->words.count, job->words.items, job->key, &bytes);
        batch_stamp stamp = batch_stamp_read(job->stamp, job->path);
        job->cost = stamp.seconds > 0 ? stamp.seconds : seconds_base + seconds_per_byte * (double)bytes;
        job->memory_bytes = stamp.peak_bytes ? stamp.peak_bytes + stamp.peak_bytes / 4
                                             : (uint64_t)(memory_base + memory_per_byte * (double)bytes);
        if (!read || !stamp.whole || strcmp(stamp.key, job->key) != 0)
            continue;
        job->state = BATCH_CURRENT;
        job->bytes = stamp.bytes;
        job->peak_bytes = stamp.peak_bytes;
    }
}

int batch_longest_first(const void* a, const void* b) {
    const batch_job* x = *(batch_job* const*)a;
    const batch_job* y = *(batch_job* const*)b;
    if (x->cost != y->cost)
        return x->cost > y->cost ? -1 : 1;
    return x < y ? -1 : x > y;
}
