// What a batch did: a table for people, a file for programs, command lines for farms.
#include "cli/batch/batch.h"

#include "cli/cli.h"
#include "cli/report.h"
#include "io/file_write.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_FAILED = 20, STATES = 5 };
static const char* const state_names[STATES] = {"not run", "running", "done", "up to date", "failed"};

typedef struct row {
    const char* style;
    uint32_t jobs, states[STATES];
    double seconds;
    uint64_t bytes;
} row;

static void add_to(row* r, const batch_job* job) {
    r->jobs++;
    r->states[job->state]++;
    r->seconds += job->seconds;
    r->bytes += job->bytes;
}

static void print_row(const row* r) {
    char name[32];
    size_t length = 0;
    for (const char* c = r->style; *c && length < 24; c++)
        name[length++] = (unsigned char)*c < 32 || *c == 127 ? '?' : *c;
    name[length] = 0;
    printf("%-24s %8u %8u %11u %8u %8u %10.1f  %s\n", name, r->jobs, r->states[BATCH_DONE], r->states[BATCH_CURRENT],
           r->states[BATCH_FAILED], r->states[BATCH_WAITING], r->seconds, cli_bytes((double)r->bytes));
}

static int by_style(const void* a, const void* b) {
    return strcmp((*(const batch_job* const*)a)->style, (*(const batch_job* const*)b)->style);
}

static void print_styles(const batch_plan* plan) {
    const batch_job** order = malloc((plan->count + (size_t)1) * sizeof *order);
    row all = {.style = "all"};
    row one = {.style = NULL};
    uint32_t rows = 0;
    for (uint32_t i = 0; order && i < plan->count; i++)
        order[i] = &plan->jobs[i];
    if (order)
        qsort(order, plan->count, sizeof *order, by_style);
    for (uint32_t i = 0; order && i < plan->count; i++) {
        if (one.style && strcmp(one.style, order[i]->style) != 0) {
            print_row(&one);
            memset(&one, 0, sizeof one);
            rows++;
        }
        one.style = order[i]->style;
        add_to(&one, order[i]);
        add_to(&all, order[i]);
    }
    if (one.style)
        print_row(&one);
    if (rows)
        print_row(&all);
    free(order);
}

void batch_print_table(const batch_plan* plan, const batch_outcome* outcome) {
    uint32_t shown = 0;
    uint32_t failed = batch_plan_tally(plan, BATCH_FAILED);
    printf("%-24s %8s %8s %11s %8s %8s %10s  %s\n", "style", "jobs", "done", "up to date", "failed", "not run",
           "job time s", "written");
    print_styles(plan);
    for (uint32_t i = 0; i < plan->count && shown < MAX_FAILED; i++) {
        const batch_job* job = &plan->jobs[i];
        if (job->state != BATCH_FAILED)
            continue;
        printf("failed: ");
        cli_print_name(job->output);
        printf(": ");
        cli_print_name(job->message ? job->message : "not enough memory");
        printf("\n");
        shown++;
    }
    if (failed > shown)
        printf("failed: and %u more\n", failed - shown);
    printf("%.1f s\n", outcome->seconds);
}

static void write_job(limberi_json_writer* w, const batch_job* job) {
    cli_report_open(w, NULL, '{');
    cli_report_text(w, "output", job->output);
    cli_report_text(w, "input", job->input);
    if (job->clip)
        cli_report_text(w, "clip", job->clip);
    else
        cli_report_null(w, "clip");
    cli_report_text(w, "style", job->style);
    cli_report_text(w, "state", state_names[job->state]);
    cli_report_real(w, "seconds", job->seconds);
    cli_report_integer(w, "bytes", (int64_t)job->bytes);
    cli_report_integer(w, "peak_bytes", (int64_t)job->peak_bytes);
    if (job->message)
        cli_report_text(w, "error", job->message);
    limberi_json_close(w, '}');
}

static void write_all(limberi_json_writer* w, const batch_plan* plan, const batch_outcome* outcome) {
    static const char* const keys[STATES] = {"not_run", "running", "done", "up_to_date", "failed"};
    limberi_json_open(w, '{');
    cli_report_text(w, "limber", limber_version());
    cli_report_switch(w, "interrupted", outcome->interrupted);
    cli_report_real(w, "seconds", outcome->seconds);
    cli_report_open(w, "counts", '{');
    cli_report_integer(w, "jobs", plan->count);
    for (int s = 0; s < STATES; s++)
        if (s != BATCH_RUNNING)
            cli_report_integer(w, keys[s], batch_plan_tally(plan, (batch_state)s));
    limberi_json_close(w, '}');
    cli_report_open(w, "jobs", '[');
    for (uint32_t i = 0; i < plan->count; i++)
        write_job(w, &plan->jobs[i]);
    limberi_json_close(w, ']');
    limberi_json_close(w, '}');
}

int batch_write_report(const batch_plan* plan, const batch_outcome* outcome, const char* path, bool print) {
    limberi_buffer text = {0};
    limberi_json_writer w = {.out = &text, .indent = 2};
    limberi_file file;
    limber_error error;
    write_all(&w, plan, outcome);
    if (text.failed) {
        limberi_buffer_free(&text);
        return cli_fail_memory(path);
    }
    limber_result result = limberi_file_open(&file, path, &error);
    if (!result) {
        limberi_file_put(&file, text.data, text.length);
        limberi_file_put(&file, "\n", 1);
        result = limberi_file_commit(&file, &error);
    }
    int status = result ? cli_fail_error(path, &error) : CLI_DONE;
    if (print)
        return cli_report_print(&w, path) | status;
    limberi_buffer_free(&text);
    return status;
}
