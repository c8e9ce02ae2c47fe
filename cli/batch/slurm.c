// A batch on a cluster that runs Slurm: the jobs are shared out over the tasks of one job array, and the folder of the
// outputs, which all nodes see, holds all there is to know.
#include "cli/batch/batch.h"

#include "base/buffer.h"
#include "io/file.h"
#include "io/system.h"
#include "text/json.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { ID_CHARS = 32, ANSWER = 1 << 16, NAME = 32, WORDS = CLI_LIST_MAX + 16 };

// --- Slurm's programs ---

// What a program prints, cut. False: it is not there, or failed.
static bool ask(const char* const* words, bool quiet, char* answer, size_t size) {
    int ends[2], status;
    size_t length = 0;
    if (pipe(ends) != 0)
        return false;
    pid_t process = fork();
    if (process == 0) {
        int nothing = open("/dev/null", O_RDWR);
        dup2(nothing, 0);
        dup2(ends[1], 1);
        if (quiet)
            dup2(nothing, 2);
        close(ends[0]);
        execvp(words[0], (char* const*)(uintptr_t)words);
        _exit(127);
    }
    close(ends[1]);
    char piece[1024];
    for (int64_t got; process > 0 && (got = limberi_system_read(ends[0], piece, sizeof piece)) > 0;) {
        size_t room = size - 1 - length;
        size_t taken = (size_t)got < room ? (size_t)got : room;
        memcpy(answer + length, piece, taken);
        length += taken;
    }
    close(ends[0]);
    answer[length] = 0;
    while (process > 0 && waitpid(process, &status, 0) < 0 && errno == EINTR)
        ;
    return process > 0 && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

// Of the array that was submitted last; "" when there is none.
static void read_id(const char* folder, char id[ID_CHARS]) {
    limberi_arena arena = {NULL, false};
    limberi_bytes bytes;
    const char* path = batch_slurm_path(&arena, folder, "slurm.id");
    id[0] = 0;
    if (path && limberi_file_read_plain(path, ID_CHARS - 1, &arena, &bytes, NULL) == LIMBER_OK) {
        memcpy(id, bytes.data, bytes.size);
        id[bytes.size] = 0;
        id[strspn(id, "0123456789")] = 0;
    }
    limberi_arena_free(&arena);
}

typedef struct queue {
    char id[ID_CHARS];
    uint32_t running, pending; // tasks
} queue;

// A job that Slurm has forgotten has ended.
static queue ask_queue(const char* folder) {
    queue q = {.running = 0};
    char* answer = malloc(ANSWER);
    read_id(folder, q.id);
    const char* const words[] = {"squeue", "-h", "-r", "-o", "%t", "-j", q.id, NULL};
    if (q.id[0] && answer && ask(words, true, answer, ANSWER))
        for (char* line = answer; *line;) {
            size_t length = strcspn(line, "\n");
            bool pending = strncmp(line, "PD", 2) == 0 || strncmp(line, "RQ", 2) == 0 || strncmp(line, "RF", 2) == 0;
            q.pending += pending;
            q.running += !pending && length > 0;
            line += length + (line[length] == '\n');
        }
    free(answer);
    return q;
}

// --- submitting ---

static int write_script(const batch_plan* plan) {
    limberi_arena arena = {NULL, false};
    limberi_buffer text = {0};
    const char* program;
    const char* folder;
    const char* path = batch_slurm_path(&arena, plan->folder, "slurm.sh");
    int status = CLI_DONE;
    if (!path || !batch_quote(&arena, cli_program_name(), &program) || !batch_quote(&arena, plan->folder, &folder)) {
        status = cli_fail(plan->folder, "cannot be written into a script");
    } else {
        limberi_buffer_add(&text,
                           "#!/bin/sh\n# One task of a batch; what is up to date is skipped, so it may run again.\n");
        limberi_buffer_format(&text, "exec %s batch --task \"$SLURM_ARRAY_TASK_ID\" -o %s", program, folder);
        limberi_buffer_add(&text, " --workers \"${SLURM_CPUS_PER_TASK:-1}\" --threads 1 --quiet\n");
        status = text.failed ? cli_fail_memory(path) : batch_save_text(path, text.data, text.length);
    }
    limberi_buffer_free(&text);
    limberi_arena_free(&arena);
    return status;
}

static void remove_old(const char* folder) {
    limberi_arena arena = {NULL, false};
    char name[NAME];
    for (unsigned t = 0; t < BATCH_MAX_TASKS; t++) {
        limberi_format(name, sizeof name, "task-%u.json", t);
        const char* path = batch_slurm_path(&arena, folder, name);
        if (path)
            (void)limberi_system_remove(path);
    }
    limberi_arena_free(&arena);
}

static int call_sbatch(const batch_plan* plan, const batch_slurm_settings* settings, uint32_t tasks, char* id) {
    limberi_arena arena = {NULL, false};
    const char* words[WORDS] = {"sbatch", "--parsable", "--requeue", "--job-name=limber", "--open-mode=append"};
    uint32_t count = 5;
    char range[NAME], answer[256];
    limberi_format(range, sizeof range, "--array=0-%u", tasks - 1);
    const char* log = batch_slurm_path(&arena, plan->folder, "task-%a.log");
    words[count++] = range;
    words[count++] = log ? batch_join(&arena, "--output=", log, "") : NULL;
    words[count++] = batch_join(&arena, "--chdir=", settings->working, "");
    for (uint32_t i = 0; i < settings->options->count; i++)
        words[count++] = settings->options->items[i];
    words[count++] = batch_slurm_path(&arena, plan->folder, "slurm.sh");
    int status = arena.failed ? cli_fail_memory(NULL) : CLI_DONE;
    if (!status && !ask(words, false, answer, sizeof answer))
        status = cli_fail(plan->folder, "sbatch did not take the jobs; is Slurm there (sinfo)?");
    if (!status) {
        answer[strspn(answer, "0123456789")] = 0; // "12;cluster"
        limberi_format(id, ID_CHARS, "%s", answer);
    }
    limberi_arena_free(&arena);
    return status;
}

static int save_id(const batch_plan* plan, const char* id) {
    limberi_arena arena = {NULL, false};
    const char* path = batch_slurm_path(&arena, plan->folder, "slurm.id");
    int status = path ? batch_save_text(path, id, strlen(id)) : cli_fail_memory(NULL);
    limberi_arena_free(&arena);
    return status;
}

int batch_slurm_submit(batch_plan* plan, const batch_slurm_settings* settings) {
    char id[ID_CHARS] = "";
    int status = batch_folder_lock(plan->folder);
    if (status)
        return status;
    queue q = ask_queue(plan->folder);
    if (q.running + q.pending)
        return cli_fail(plan->folder, "Slurm still works on job %s; see --status, or stop it with scancel %s", q.id,
                        q.id);
    batch_plan_compare(plan);
    uint32_t waiting = batch_plan_tally(plan, BATCH_WAITING);
    uint32_t tasks = waiting ? batch_slurm_share(plan, settings->tasks) : 0;
    status = batch_slurm_save(plan, tasks);
    if (!status && !waiting) {
        cli_tell(plan->folder, "all %u outputs are up to date", plan->count);
        return CLI_DONE;
    }
    remove_old(plan->folder);
    if (!status)
        status = write_script(plan);
    if (!status)
        status = call_sbatch(plan, settings, tasks, id);
    if (!status)
        status = save_id(plan, id);
    if (!status)
        cli_tell(plan->folder, "%u of %u jobs are Slurm's job %s, %u tasks; see limber batch -o ... --status", waiting,
                 plan->count, id, tasks);
    return status;
}

// --- on a node ---

static int run_task(batch_plan* plan, uint32_t task, const batch_run_settings* settings) {
    char name[NAME];
    uint32_t kept = 0;
    for (uint32_t i = 0; i < plan->count; i++)
        if (plan->jobs[i].chunk == task)
            plan->jobs[kept++] = plan->jobs[i];
    plan->count = kept;
    limberi_format(name, sizeof name, "task-%u.json", task);
    const char* path = batch_slurm_path(&plan->arena, plan->folder, name);
    batch_outcome outcome = {cli_now_s(), false};
    if (!path)
        return cli_fail_memory(plan->folder);
    batch_plan_compare(plan);
    outcome.interrupted = !batch_run(plan, settings);
    outcome.seconds = cli_now_s() - outcome.seconds;
    int status = batch_write_report(plan, &outcome, path, false);
    for (uint32_t i = 0; i < plan->count; i++)
        if (plan->jobs[i].state == BATCH_FAILED)
            status = cli_fail(plan->jobs[i].output, "%s", plan->jobs[i].message ? plan->jobs[i].message : "failed");
    return outcome.interrupted ? CLI_FAILED : status;
}

int batch_slurm_task(const char* folder, uint32_t task, const batch_run_settings* settings) {
    batch_plan plan;
    uint32_t tasks = 0;
    memset(&plan, 0, sizeof plan);
    int status = batch_slurm_load(&plan, folder, &tasks);
    if (!status)
        status = task < tasks ? run_task(&plan, task, settings) : cli_usage("--task must be below %u", tasks);
    batch_plan_free(&plan);
    return status;
}

// --- afterwards ---

static int by_output(const void* a, const void* b) {
    return strcmp((*(batch_job* const*)a)->output, (*(batch_job* const*)b)->output);
}

static void read_failures(batch_plan* plan, batch_job** order, const limberi_json* jobs) {
    for (uint32_t i = 0; i < limberi_json_count(jobs); i++) {
        const limberi_json* json = limberi_json_at(jobs, i);
        const char* state = limberi_json_as_text(limberi_json_get(json, "state"));
        const char* why = limberi_json_as_text(limberi_json_get(json, "error"));
        batch_job key = {.output = limberi_json_as_text(limberi_json_get(json, "output"))};
        batch_job* at = &key;
        batch_job** found = key.output ? bsearch(&at, order, plan->count, sizeof at, by_output) : NULL;
        if (!found || (*found)->state != BATCH_WAITING || !state || strcmp(state, "failed") != 0)
            continue;
        (*found)->state = BATCH_FAILED;
        (*found)->message = limberi_arena_string(&plan->arena, why);
    }
}

static void read_tasks(batch_plan* plan, uint32_t tasks) {
    batch_job** order = malloc((plan->count + (size_t)1) * sizeof(batch_job*));
    limberi_json_rules rules = limberi_json_rules_exact();
    for (uint32_t i = 0; order && i < plan->count; i++)
        order[i] = &plan->jobs[i];
    if (order)
        qsort(order, plan->count, sizeof *order, by_output);
    for (uint32_t t = 0; order && t < tasks; t++) {
        limberi_arena arena = {NULL, false};
        limberi_bytes bytes;
        limberi_json_document json;
        char name[NAME];
        limberi_format(name, sizeof name, "task-%u.json", t);
        const char* path = batch_slurm_path(&arena, plan->folder, name);
        if (path && limberi_file_read_plain(path, UINT32_MAX, &arena, &bytes, NULL) == LIMBER_OK &&
            limberi_json_read((const char*)bytes.data, bytes.size, &rules, &json, NULL) == LIMBER_OK) {
            read_failures(plan, order, limberi_json_get(json.root, "jobs"));
            limberi_json_free(&json);
        }
        limberi_arena_free(&arena);
    }
    free(order);
}

// By the stamps alone: quick enough to look every minute.
static void read_stamps(batch_plan* plan) {
    for (uint32_t i = 0; i < plan->count; i++) {
        batch_job* job = &plan->jobs[i];
        batch_stamp stamp = batch_stamp_read(job->stamp, job->path);
        bool done = stamp.whole && strcmp(stamp.key, job->key) == 0;
        job->state = stamp.found && !stamp.key[0] ? BATCH_RUNNING : BATCH_WAITING;
        if (done)
            job->state = BATCH_DONE;
    }
}

static void print_status(const batch_plan* plan, const queue* q, bool json) {
    uint32_t begun = batch_plan_tally(plan, BATCH_RUNNING);
    uint32_t done = batch_plan_tally(plan, BATCH_DONE);
    uint32_t failed = batch_plan_tally(plan, BATCH_FAILED);
    uint32_t running = q->running ? begun : 0;
    uint32_t left = plan->count - done - failed - running;
    printf(json ? "{\"slurm_job\": \"%s\", \"tasks_running\": %u, \"tasks_pending\": %u, \"jobs\": %u, \"done\": %u, "
                  "\"failed\": %u, \"running\": %u, \"waiting\": %u}\n"
                : "Slurm job %s: %u tasks running, %u pending\n%u jobs: %u done, %u failed, %u running, %u waiting\n",
           q->id[0] ? q->id : "none", q->running, q->pending, plan->count, done, failed, running, left);
}

int batch_slurm_status(const char* folder, bool json) {
    batch_plan plan;
    uint32_t tasks = 0;
    memset(&plan, 0, sizeof plan);
    int status = batch_slurm_load(&plan, folder, &tasks);
    if (!status) {
        queue q = ask_queue(folder); // before the stamps: what ends in between is done
        read_stamps(&plan);
        for (uint32_t i = 0; i < plan.count && !q.running; i++)
            plan.jobs[i].state = plan.jobs[i].state == BATCH_RUNNING ? BATCH_WAITING : plan.jobs[i].state;
        read_tasks(&plan, tasks);
        print_status(&plan, &q, json);
    }
    batch_plan_free(&plan);
    return status;
}

static int collect(batch_plan* plan, uint32_t tasks, bool json, bool quiet) {
    batch_outcome outcome = {0, false};
    const char* path = batch_join(&plan->arena, plan->folder, "/limber-batch.json", "");
    if (!path)
        return cli_fail_memory(plan->folder);
    batch_plan_compare(plan); // the inputs may have changed since
    read_tasks(plan, tasks);
    batch_remove_leftovers(plan);
    for (uint32_t i = 0; i < plan->count; i++)
        if (plan->jobs[i].state == BATCH_CURRENT) {
            plan->jobs[i].state = BATCH_DONE;
            plan->jobs[i].seconds = plan->jobs[i].cost; // as measured
        }
    int status = batch_write_report(plan, &outcome, path, json);
    if (!json && !quiet)
        batch_print_table(plan, &outcome);
    if (status) // one line is enough
        return status;
    uint32_t failed = batch_plan_tally(plan, BATCH_FAILED);
    uint32_t missing = batch_plan_tally(plan, BATCH_WAITING);
    if (failed + missing)
        return cli_fail(plan->folder, "%u jobs failed, %u have no output; --slurm again submits those", failed,
                        missing);
    return CLI_DONE;
}

int batch_slurm_collect(const char* folder, bool json, bool quiet) {
    batch_plan plan;
    uint32_t tasks = 0;
    memset(&plan, 0, sizeof plan);
    int status = batch_slurm_load(&plan, folder, &tasks);
    queue q = ask_queue(folder);
    if (!status && q.running + q.pending)
        status =
            cli_fail(folder, "Slurm still works on job %s: %u tasks running, %u pending", q.id, q.running, q.pending);
    if (!status)
        status = batch_folder_lock(folder);
    if (!status)
        status = collect(&plan, tasks, json, quiet);
    batch_plan_free(&plan);
    return status;
}
