// Shares the jobs of a batch out over tasks, and saves and loads that plan.
#include "cli/batch/batch.h"

#include "cli/report.h"
#include "io/file.h"
#include "io/file_write.h"
#include "io/inside.h"
#include "text/json.h"
#include "text/text.h"

#include <stdlib.h>
#include <string.h>

static const double task_s = 300;     // long enough for starting it not to matter
static const uint32_t few_tasks = 16; // a short batch is still to be quick
static const uint64_t max_bytes = (uint64_t)1 << 31;

const char* batch_slurm_path(limberi_arena* arena, const char* folder, const char* name) {
    return batch_join(arena, folder, "/.limber/", name);
}

static uint32_t task_count(const batch_plan* plan, uint32_t waiting, uint32_t wanted) {
    double seconds = 0;
    for (uint32_t i = 0; i < plan->count; i++)
        seconds += plan->jobs[i].state == BATCH_WAITING ? plan->jobs[i].cost : 0;
    uint32_t max = waiting < BATCH_MAX_TASKS ? waiting : BATCH_MAX_TASKS;
    double usual = seconds / task_s;
    uint32_t count = usual > BATCH_MAX_TASKS ? BATCH_MAX_TASKS : (uint32_t)usual;
    if (wanted)
        count = wanted;
    count = !wanted && count < few_tasks ? few_tasks : count;
    return count < max ? count : max;
}

// The longest that is left goes to the task that has least to do.
uint32_t batch_slurm_share(batch_plan* plan, uint32_t tasks) {
    double costs[BATCH_MAX_TASKS] = {0};
    uint32_t waiting = 0;
    batch_job** order = malloc((plan->count + (size_t)1) * sizeof *order);
    if (!order)
        return 0;
    for (uint32_t i = 0; i < plan->count; i++)
        if (plan->jobs[i].state == BATCH_WAITING)
            order[waiting++] = &plan->jobs[i];
    qsort(order, waiting, sizeof *order, batch_longest_first);
    tasks = task_count(plan, waiting, tasks);
    for (uint32_t i = 0; i < waiting; i++) {
        uint32_t min = 0;
        for (uint32_t t = 1; t < tasks; t++)
            min = costs[t] < costs[min] ? t : min;
        order[i]->chunk = min;
        costs[min] += order[i]->cost;
    }
    free(order);
    return tasks;
}

int batch_save_text(const char* path, const char* text, size_t length) {
    limberi_file file;
    limber_error error;
    limber_result result = limberi_file_open(&file, path, &error);
    if (!result) {
        limberi_file_put(&file, text, length);
        result = limberi_file_commit(&file, &error);
    }
    return result ? cli_fail_error(path, &error) : CLI_DONE;
}

// --- slurm.json ---

static void write_job(limberi_json_writer* w, const batch_job* job) {
    cli_report_open(w, NULL, '{');
    limberi_json_flat(w, true);
    cli_report_integer(w, "task", job->state == BATCH_WAITING ? (int64_t)job->chunk : -1);
    cli_report_real(w, "cost", job->cost);
    cli_report_integer(w, "memory", (int64_t)job->memory_bytes);
    cli_report_text(w, "key", job->key);
    cli_report_text(w, "style", job->style);
    cli_report_text(w, "output", job->output);
    if (job->clip)
        cli_report_text(w, "clip", job->clip);
    cli_report_open(w, "words", '[');
    for (uint32_t i = 0; i < job->words.count; i++)
        cli_report_text(w, NULL, job->words.items[i]);
    limberi_json_close(w, ']');
    limberi_json_close(w, '}');
    limberi_json_flat(w, false);
}

static int check_names(const batch_job* job) {
    for (uint32_t i = 0; i < job->words.count; i++)
        if (!limberi_utf8_is_valid(job->words.items[i], strlen(job->words.items[i])))
            return cli_fail(job->words.items[i], "is not UTF-8, which --slurm needs; rename it");
    return CLI_DONE;
}

int batch_slurm_save(const batch_plan* plan, uint32_t tasks) {
    limberi_arena arena = {NULL, false};
    limberi_buffer text = {0};
    limberi_json_writer w = {.out = &text, .indent = 1};
    const char* path = batch_slurm_path(&arena, plan->folder, "slurm.json");
    int status = path ? CLI_DONE : cli_fail_memory(plan->folder);
    limberi_json_open(&w, '{');
    cli_report_text(&w, "limber", limber_version());
    cli_report_integer(&w, "tasks", tasks);
    cli_report_open(&w, "jobs", '[');
    for (uint32_t i = 0; !status && i < plan->count; i++) {
        status = check_names(&plan->jobs[i]);
        write_job(&w, &plan->jobs[i]);
    }
    limberi_json_close(&w, ']');
    limberi_json_close(&w, '}');
    if (!status)
        status = text.failed ? cli_fail_memory(path) : batch_save_text(path, text.data, text.length);
    limberi_buffer_free(&text);
    limberi_arena_free(&arena);
    return status;
}

// The folder may come from somebody else: a job writes its output and its stamp, below the folder, and nothing more.
static bool make_harmless(batch_job* job) {
    static const char* const valued[] = {"--style",   "--set",          "--clip",   "--fps",
                                         "--range",   "--skinning",     "--bake",   "--tolerance",
                                         "--targets", "--smear-meshes", "--motion", NULL};
    static const char* const flags[] = {
        "--no-normals", "--compress", "--in-place", "--root-motion", "--cycle", "--mirror", "--touch", "--quiet", NULL};
    const batch_words* w = &job->words;
    if (w->count < 6 || strcmp(w->items[0], "apply") != 0 || w->items[1][0] == '-' || strcmp(w->items[2], "-o") != 0 ||
        strcmp(w->items[4], "--stamp") != 0)
        return false;
    w->items[3] = job->path;
    w->items[5] = job->stamp;
    for (uint32_t i = 6; i < w->count; i++) {
        bool has_value = batch_is_among(w->items[i], valued);
        if (!has_value && !batch_is_among(w->items[i], flags))
            return false;
        i += has_value;
    }
    return true;
}

static bool is_inside(limberi_arena* arena, const char* output) {
    char* settled = limberi_arena_string(arena, output);
    return settled && limberi_inside_settle(settled) && strcmp(settled, output) == 0;
}

static bool read_job(batch_plan* plan, const limberi_json* json, batch_job* job) {
    const limberi_json* words = limberi_json_get(json, "words");
    const char* output = limberi_json_as_text(limberi_json_get(json, "output"));
    const char* style = limberi_json_as_text(limberi_json_get(json, "style"));
    const char* clip = limberi_json_as_text(limberi_json_get(json, "clip"));
    const char* key = limberi_json_as_text(limberi_json_get(json, "key"));
    if (!output || !style || !key || strlen(key) != BATCH_HASH_CHARS - 1 || limberi_json_count(words) <= 4)
        return false;
    for (uint32_t i = 0; i < limberi_json_count(words); i++) {
        const char* word = limberi_json_as_text(limberi_json_at(words, i));
        if (!word || !batch_words_add(&job->words, &plan->arena, word))
            return false;
    }
    if (!is_inside(&plan->arena, output))
        return false;
    job->input = job->words.items[1];
    job->output = limberi_arena_string(&plan->arena, output);
    job->style = limberi_arena_string(&plan->arena, style);
    job->clip = clip ? limberi_arena_string(&plan->arena, clip) : NULL;
    job->path = batch_join(&plan->arena, plan->folder, "/", output);
    job->stamp = batch_stamp_path(&plan->arena, plan->folder, output);
    memcpy(job->key, key, BATCH_HASH_CHARS);
    job->chunk = (uint32_t)limberi_json_as_integer(limberi_json_get(json, "task"));
    job->cost = limberi_json_as_number(limberi_json_get(json, "cost"));
    job->memory_bytes = (uint64_t)limberi_json_as_integer(limberi_json_get(json, "memory"));
    return !plan->arena.failed && make_harmless(job);
}

static bool read_jobs(batch_plan* plan, const limberi_json* jobs) {
    plan->count = plan->capacity = limberi_json_count(jobs);
    plan->jobs = LIMBERI_ALLOCATE(&plan->arena, batch_job, (size_t)plan->count + 1);
    for (uint32_t i = 0; plan->jobs && i < plan->count; i++)
        if (!read_job(plan, limberi_json_at(jobs, i), &plan->jobs[i]))
            return false;
    return plan->jobs && plan->count;
}

int batch_slurm_load(batch_plan* plan, const char* folder, uint32_t* tasks) {
    limberi_arena arena = {NULL, false};
    limberi_bytes bytes;
    limber_error error;
    limberi_json_document json;
    limberi_json_rules rules = limberi_json_rules_exact();
    const char* path = batch_slurm_path(&arena, folder, "slurm.json");
    int status = CLI_DONE;
    plan->folder = folder;
    if (!path || limberi_file_read_plain(path, max_bytes, &arena, &bytes, &error) != LIMBER_OK) {
        status = cli_fail(folder, "has no jobs of Slurm; submit them with limber batch ... --slurm");
    } else if (limberi_json_read((const char*)bytes.data, bytes.size, &rules, &json, &error) != LIMBER_OK) {
        status = cli_fail_error(path, &error);
    } else {
        *tasks = (uint32_t)limberi_json_as_integer(limberi_json_get(json.root, "tasks"));
        if (!read_jobs(plan, limberi_json_get(json.root, "jobs")))
            status = cli_fail(path, "is damaged; submit the jobs again");
        limberi_json_free(&json);
    }
    limberi_arena_free(&arena);
    return status;
}
