// Answers for machines: JSON, as it is written.
#include "cli/report.h"

#include "cli/cli.h"
#include "text/text.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static void put_key(limberi_json_writer* w, const char* key) {
    if (key)
        limberi_json_key(w, key);
}

void cli_report_open(limberi_json_writer* w, const char* key, char bracket) {
    put_key(w, key);
    limberi_json_open(w, bracket);
}

void cli_report_text(limberi_json_writer* w, const char* key, const char* text) {
    put_key(w, key);
    if (!text) {
        limberi_json_raw(w, "null");
        return;
    }
    limberi_json_string(w, limberi_utf8_is_valid(text, strlen(text)) ? text : "?");
}

void cli_report_integer(limberi_json_writer* w, const char* key, int64_t integer) {
    put_key(w, key);
    limberi_json_integer(w, integer);
}

void cli_report_real(limberi_json_writer* w, const char* key, double real) {
    put_key(w, key);
    if (isfinite(real))
        limberi_json_real(w, real);
    else
        limberi_json_raw(w, "null");
}

void cli_report_switch(limberi_json_writer* w, const char* key, bool truth) {
    put_key(w, key);
    limberi_json_switch(w, truth);
}

void cli_report_null(limberi_json_writer* w, const char* key) {
    put_key(w, key);
    limberi_json_raw(w, "null");
}

const char* cli_rigid_class(limber_rigid_class kind) {
    static const char* const names[] = {"mass", "prop", "appendage", "rider"};
    return names[kind];
}

void cli_report_rigid(limberi_json_writer* w, const limber_model* model, const limber_rigid_parts* parts) {
    cli_report_open(w, "rigid", '[');
    for (uint32_t i = 0; parts && i < limber_rigid_part_count(parts); i++) {
        limber_rigid_part part = limber_rigid_part_at(parts, i);
        cli_report_open(w, NULL, '{');
        cli_report_text(w, "name", part.name);
        cli_report_text(w, "joint", model->rig.names[part.joint]);
        cli_report_text(w, "class", cli_rigid_class(part.kind));
        cli_report_integer(w, "vertices", part.vertex_count);
        limberi_json_close(w, '}');
    }
    limberi_json_close(w, ']');
}

const char* cli_collider_shape(limber_collider_shape shape) {
    static const char* const names[] = {"capsule", "sphere", "plane"};
    return names[shape];
}

void cli_report_colliders(limberi_json_writer* w, const limber_model* model, const limber_colliders* colliders) {
    cli_report_open(w, "colliders", '[');
    for (uint32_t i = 0; i < limber_collider_count(colliders); i++) {
        limber_collider c = limber_collider_at(colliders, i);
        cli_report_open(w, NULL, '{');
        cli_report_text(w, "shape", cli_collider_shape(c.shape));
        cli_report_text(w, "joint", c.joint < 0 ? NULL : model->rig.names[c.joint]);
        cli_report_real(w, "radius", (double)c.radius);
        limberi_json_close(w, '}');
    }
    limberi_json_close(w, ']');
}

void cli_report_reals(limberi_json_writer* w, const char* key, const double* reals, int count) {
    cli_report_open(w, key, '[');
    for (int i = 0; i < count; i++)
        cli_report_real(w, NULL, reals[i]);
    limberi_json_close(w, ']');
}

void cli_report_json(limberi_json_writer* w, const char* key, const char* json) {
    limberi_json_document parsed;
    limberi_json_rules rules = limberi_json_rules_exact();
    put_key(w, key);
    limber_result result = json ? limberi_json_read(json, strlen(json), &rules, &parsed, NULL) : LIMBER_ERROR_DATA;
    if (result) {
        w->out->failed = w->out->failed || result == LIMBER_ERROR_MEMORY;
        limberi_json_raw(w, "null");
        return;
    }
    limberi_json_tree(w, parsed.root);
    limberi_json_free(&parsed);
}

int cli_report_print(limberi_json_writer* w, const char* subject) {
    bool failed = w->out->failed;
    if (!failed) {
        fwrite(w->out->data, 1, w->out->length, stdout);
        putchar('\n');
    }
    limberi_buffer_free(w->out);
    return failed ? cli_fail_memory(subject) : CLI_DONE;
}
