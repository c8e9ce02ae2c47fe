// `limber batch`: many characters, clips and styles at once.
#include "cli/batch/batch.h"
#include "cli/cli.h"
#include "io/file.h"
#include "io/system.h"

#include <limits.h>
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct batch_options {
    cli_words inputs; // first
    const char *output, *name, *range, *skinning, *bake, *fps, *tolerance, *targets, *smear_meshes;
    cli_list styles, clips, sets, motions, slurm_options;
    bool in_place, root_motion, cycle, mirror, touch, no_normals, compress, strict, list, json, quiet, slurm, status,
        collect;
    uint32_t workers, threads, tasks, task;
    double memory_gb;
} batch_options;

#define AT(member) offsetof(batch_options, member)
static const cli_option options[] = {
    {"-o", "DIR", CLI_TEXT, AT(output), "folder of the outputs; created if missing"},
    {"--style", "FILE|PRESET", CLI_LIST, AT(styles), "style to apply (repeatable: every input with each)"},
    {"--clip", "NAME", CLI_LIST, AT(clips), "one output per clip; may have wildcards (repeatable)"},
    {"--name", "PATTERN", CLI_TEXT, AT(name), "output names, from {name} {clip} {style} {folder}"},
    {"--set", "PATH=VALUE", CLI_LIST, AT(sets), "set one style key, overriding --style (repeatable)"},
    {"--motion", "FILE[#CLIP][@A:B]", CLI_LIST, AT(motions), "add clips of another file's skeleton (repeatable)"},
    CLI_MOTION_OPTIONS(AT),
    {"--fps", "N", CLI_TEXT, AT(fps), "frame rate [1/s], 0.1 to 1000 (default: the clip's)"},
    {"--range", "A:B", CLI_TEXT, AT(range), "use only this part of each clip [s]"},
    {"--skinning", "METHOD", CLI_TEXT, AT(skinning), "linear or dualquat (default: the style's, else linear)"},
    {"--bake", "KIND", CLI_TEXT, AT(bake), "as in apply"},
    {"--tolerance", "X", CLI_TEXT, AT(tolerance), "as in apply"},
    {"--targets", "N", CLI_TEXT, AT(targets), "as in apply"},
    {"--no-normals", NULL, CLI_FLAG, AT(no_normals), "as in apply"},
    {"--compress", NULL, CLI_FLAG, AT(compress), "as in apply"},
    {"--smear-meshes", "MODE", CLI_TEXT, AT(smear_meshes), "as in apply"},
    {"--workers", "N", CLI_COUNT, AT(workers), "jobs at once, max 256 (default: one per core)"},
    {"--threads", "N", CLI_COUNT, AT(threads), "threads of each job (default: cores / jobs at once)"},
    {"--memory", "GB", CLI_NUMBER, AT(memory_gb), "memory of all jobs at once [GB] (default: 80 % of free)"},
    {"--strict", NULL, CLI_FLAG, AT(strict), "start no more jobs after one failed"},
    {"--list", NULL, CLI_FLAG, AT(list), "print the commands of the jobs, run nothing"},
    {"--slurm", NULL, CLI_FLAG, AT(slurm), "submit the jobs to Slurm, as one job array"},
    {"--tasks", "N", CLI_COUNT, AT(tasks), "Slurm: tasks of the array, max 1000"},
    {"--slurm-option", "OPTION", CLI_LIST, AT(slurm_options), "Slurm: hand an option to sbatch (repeatable)"},
    {"--status", NULL, CLI_FLAG, AT(status), "Slurm: print how far the jobs in DIR are"},
    {"--collect", NULL, CLI_FLAG, AT(collect), "Slurm: check all outputs in DIR, write the report"},
    {"--task", "N", CLI_COUNT, AT(task), "Slurm: run one task of the array (nodes do that)"},
    {"--json", NULL, CLI_FLAG, AT(json), "print the report as JSON, not the table"},
    {"--quiet", NULL, CLI_FLAG, AT(quiet), "print errors only"},
};

static const cli_command command = {
    .usage = "limber batch (JOBS.json | INPUT...) -o DIR [options]",
    .summary = "Apply styles to many characters and clips, on all cores or on a farm.",
    .details =
        "INPUT is a file or a quoted pattern with *, ?, [a-z], or ** for any folders. Every input is combined with\n"
        "every --style and --clip; each combination is one job, one call of `limber apply`. Without --clip, all clips\n"
        "of a character go into one output. JOBS.json lists the same, and more than one set of options\n"
        "(docs/farms.md).\n"
        "\n"
        "Outputs are up to date, and skipped, while the bytes of the input, the style, the options and the version of\n"
        "limber are the same. So an interrupted batch goes on when it is started again. A job that fails does not\n"
        "stop the others; the exit status is 1 then. DIR/limber-batch.json tells what became of every job.\n"
        "\n"
        "--name is {name}.glb by default, with -{clip} and -{style} when there are several. {folder} is where the\n"
        "input is below the folder that holds all inputs.\n"
        "\n"
        "--list prints the commands that would run, one per line, quoted for a shell. What is run that way counts as\n"
        "up to date for the next batch.",
    .examples =
        "  limber batch 'characters/*.glb' --style cartoon -o out\n"
        "  limber batch 'in/**/*.glb' --style cartoon --style jelly --name '{style}/{folder}/{name}.glb' -o out\n"
        "  limber batch fox.glb --clip '*' --style mine.json --bake bones -o clips\n"
        "  limber batch 'characters/*.glb' --motion walk.bvh --style mocap-toon -o walks\n"
        "  limber batch jobs.json -o out --workers 4 --memory 8\n"
        "  limber batch jobs.json -o out --list | parallel\n"
        "  limber batch jobs.json -o /net/out --slurm --slurm-option=--partition=day\n"
        "  limber batch -o /net/out --status",
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .many = true,
};

// --- what the command line asks for ---

typedef struct request {
    limberi_arena arena;
    batch_groups groups;
    const char *working, *base, *folder;
} request;

static bool add_value(request* r, batch_words* words, const char* option, const char* value) {
    return !value || (batch_words_keep(words, &r->arena, option) && batch_words_keep(words, &r->arena, value));
}

static bool add_options(request* r, const batch_options* o, batch_words* words) {
    bool done = add_value(r, words, "--fps", o->fps) && add_value(r, words, "--range", o->range) &&
                add_value(r, words, "--skinning", o->skinning) && add_value(r, words, "--bake", o->bake) &&
                add_value(r, words, "--tolerance", o->tolerance) && add_value(r, words, "--targets", o->targets) &&
                add_value(r, words, "--smear-meshes", o->smear_meshes);
    if (done && o->no_normals)
        done = batch_words_keep(words, &r->arena, "--no-normals");
    if (done && o->compress)
        done = batch_words_keep(words, &r->arena, "--compress");
    for (uint32_t i = 0; done && i < o->motions.count; i++)
        done = add_value(r, words, "--motion", o->motions.items[i]);
    if (done && o->in_place)
        done = batch_words_keep(words, &r->arena, "--in-place");
    if (done && o->root_motion)
        done = batch_words_keep(words, &r->arena, "--root-motion");
    if (done && o->cycle)
        done = batch_words_keep(words, &r->arena, "--cycle");
    if (done && o->mirror)
        done = batch_words_keep(words, &r->arena, "--mirror");
    if (done && o->touch)
        done = batch_words_keep(words, &r->arena, "--touch");
    return done;
}

static int read_command_line(request* r, const batch_options* o) {
    batch_group* group = LIMBERI_ALLOCATE(&r->arena, batch_group, 1);
    uint32_t styles = o->styles.count ? o->styles.count : 1;
    batch_style* style = LIMBERI_ALLOCATE(&r->arena, batch_style, styles);
    if (!group || !style)
        return cli_fail_memory(NULL);
    if (!add_options(r, o, &group->options))
        return cli_fail_memory(NULL);
    for (uint32_t i = 0; i < o->inputs.count; i++)
        if (!batch_words_keep(&group->inputs, &r->arena, o->inputs.items[i]))
            return cli_fail_memory(NULL);
    for (uint32_t i = 0; i < o->clips.count; i++)
        if (!batch_words_keep(&group->clips, &r->arena, o->clips.items[i]))
            return cli_fail_memory(NULL);
    for (uint32_t s = 0; s < styles; s++) {
        style[s].style = o->styles.count ? o->styles.items[s] : NULL;
        for (uint32_t i = 0; i < o->sets.count; i++)
            if (!batch_words_keep(&style[s].sets, &r->arena, o->sets.items[i]))
                return cli_fail_memory(NULL);
    }
    group->styles = style;
    group->style_count = styles;
    group->output = o->name;
    r->groups.items = group;
    r->groups.count = 1;
    r->base = r->working;
    return CLI_DONE;
}

static int read_jobs(request* r, const batch_options* o) {
    static const uint64_t max = (uint64_t)256 << 20;
    const char* path = o->inputs.items[0];
    limberi_bytes bytes;
    limber_error error;
    batch_words given = {NULL, 0, 0};
    if (!add_options(r, o, &given))
        return cli_fail_memory(NULL);
    if (o->inputs.count > 1)
        return cli_usage("batch takes either one JOBS.json or inputs");
    if (given.count || o->styles.count || o->clips.count || o->sets.count || o->name)
        return cli_usage("styles, clips, names and options of the jobs belong into '%s'", path);
    if (limberi_file_read(path, max, &r->arena, &bytes, &error) != LIMBER_OK ||
        batch_jobs_read((const char*)bytes.data, bytes.size, &r->arena, &r->groups, &error) != LIMBER_OK)
        return cli_fail_error(path, &error);
    const char* folder = limberi_file_folder(&r->arena, path);
    if (!folder)
        return cli_fail_memory(NULL);
    r->base = strcmp(folder, ".") == 0 ? r->working : batch_absolute(&r->arena, r->working, folder);
    return r->base ? CLI_DONE : cli_fail_memory(NULL);
}

static int find_folders(request* r, const batch_options* o) {
    char working[PATH_MAX];
    if (!getcwd(working, sizeof working))
        return cli_fail(NULL, "the working folder is gone");
    r->working = limberi_arena_string(&r->arena, working);
    char* folder = r->working ? (char*)(uintptr_t)batch_absolute(&r->arena, r->working, o->output) : NULL;
    for (size_t length = folder ? strlen(folder) : 0; length > 1 && folder[length - 1] == '/'; length--)
        folder[length - 1] = 0;
    r->folder = folder;
    return folder ? CLI_DONE : cli_fail_memory(NULL);
}

static int check(const batch_options* o) {
    int modes = o->list + o->slurm + o->status + o->collect + (o->task != LIMBER_TO_END);
    bool follows = o->status || o->collect || o->task != LIMBER_TO_END; // up on --slurm
    if (!o->output || !*o->output)
        return cli_usage("batch needs -o DIR; see limber batch --help");
    if (modes > 1)
        return cli_usage("--list, --slurm, --status, --collect and --task exclude each other");
    if (follows && o->inputs.count)
        return cli_usage("--status, --collect and --task need -o DIR and no inputs: DIR knows them");
    if (!follows && !o->inputs.count)
        return cli_usage("batch needs JOBS.json or inputs; see limber batch --help");
    if (o->tasks > BATCH_MAX_TASKS)
        return cli_usage("--tasks must be at most %d", BATCH_MAX_TASKS);
    if (!isnan(o->memory_gb) && !(o->memory_gb > 0))
        return cli_usage("--memory must be more than 0");
    return CLI_DONE;
}

// --- the work ---

static batch_run_settings run_settings(const batch_options* o) {
    batch_run_settings settings = {
        .workers = o->workers, .threads = o->threads, .strict = o->strict, .quiet = o->quiet};
    settings.workers = settings.workers ? settings.workers : limberi_system_core_count();
    settings.memory_bytes =
        isnan(o->memory_gb) ? batch_memory_available() / 5 * 4 : (uint64_t)fmin(o->memory_gb * 1e9, 1e18);
    return settings;
}

static int run_plan(batch_plan* plan, const batch_options* o) {
    batch_run_settings settings = run_settings(o);
    batch_outcome outcome = {cli_now_s(), false};
    int status = batch_folder_lock(plan->folder);
    const char* report = batch_join(&plan->arena, plan->folder, "/limber-batch.json", "");
    if (status || !report)
        return status ? status : cli_fail_memory(NULL);
    batch_plan_compare(plan); // with the lock: nobody else changes it now
    batch_remove_leftovers(plan);
    outcome.interrupted = !batch_run(plan, &settings);
    outcome.seconds = cli_now_s() - outcome.seconds;
    status = batch_write_report(plan, &outcome, report, o->json);
    if (!o->json && !o->quiet)
        batch_print_table(plan, &outcome);
    if (status) // one line is enough
        return status;
    if (outcome.interrupted)
        return cli_fail(plan->folder, "the batch was interrupted; start it again to go on");
    uint32_t failed = batch_plan_tally(plan, BATCH_FAILED);
    if (failed)
        return cli_fail(plan->folder, "%u of %u jobs failed", failed, plan->count);
    return CLI_DONE;
}

static int plan_and_run(const request* r, const batch_options* o) {
    batch_plan plan;
    batch_run_settings settings = run_settings(o);
    memset(&plan, 0, sizeof plan);
    int status = batch_plan_make(&plan, &r->groups, r->base, r->folder);
    if (!status && o->list) {
        batch_plan_compare(&plan);
        status = batch_print_list(&plan, batch_threads(&plan, &settings));
    } else if (!status && o->slurm) {
        batch_slurm_settings slurm = {o->tasks, &o->slurm_options, r->working};
        status = batch_slurm_submit(&plan, &slurm);
    } else if (!status) {
        status = run_plan(&plan, o);
    }
    batch_plan_free(&plan);
    return status;
}

static int follow_up(const request* r, const batch_options* o) {
    batch_run_settings settings = run_settings(o);
    if (o->status)
        return batch_slurm_status(r->folder, o->json);
    return o->collect ? batch_slurm_collect(r->folder, o->json, o->quiet)
                      : batch_slurm_task(r->folder, o->task, &settings);
}

int limber_cli_batch(int argc, char** argv) {
    batch_options o = {0};
    o.memory_gb = NAN;
    o.task = LIMBER_TO_END;
    const char* input;
    bool over;
    int status = cli_parse(&command, argc, argv, &o, &input, &over);
    if (!status && !over)
        status = check(&o);
    if (status || over)
        return status;
    cli_be_quiet(o.quiet);
    request r = {0};
    status = find_folders(&r, &o);
    if (!status && !o.inputs.count)
        status = follow_up(&r, &o);
    else if (!status) {
        status = cli_has_ending(o.inputs.items[0], ".json") ? read_jobs(&r, &o) : read_command_line(&r, &o);
        if (!status)
            status = plan_and_run(&r, &o);
    }
    limberi_arena_free(&r.arena);
    return status;
}
