// Answers for machines: JSON, as it is written. A key is NULL inside a list.
#ifndef LIMBER_CLI_REPORT_H
#define LIMBER_CLI_REPORT_H

#include "text/json_write.h"

#include <limber/stages/colliders.h>
#include <limber/stages/contacts.h>
#include <limber/stages/rigid.h>

void cli_report_open(limberi_json_writer* w, const char* key, char bracket);
void cli_report_text(limberi_json_writer* w, const char* key, const char* text); // "?" unless it is UTF-8
void cli_report_integer(limberi_json_writer* w, const char* key, int64_t integer);
void cli_report_real(limberi_json_writer* w, const char* key, double real); // null unless it is finite
void cli_report_switch(limberi_json_writer* w, const char* key, bool truth);
void cli_report_null(limberi_json_writer* w, const char* key);
void cli_report_reals(limberi_json_writer* w, const char* key, const double* reals, int count);

// "rigid": [{"name", "joint", "vertices"}, ...]; `parts` NULL: none.
void cli_report_rigid(limberi_json_writer* w, const limber_model* model, const limber_rigid_parts* parts);
// "colliders": [{"shape", "joint", "radius"}, ...], radii in the frame of the joint; a joint of null is the world.
void cli_report_colliders(limberi_json_writer* w, const limber_model* model, const limber_colliders* colliders);
const char* cli_collider_shape(limber_collider_shape shape);

// "import": {"seccomp", "landlock"}: what kept the process that read this file from doing harm; of .fbx and .dae only.
void cli_report_import(limberi_json_writer* w, const char* path);

// JSON that somebody else wrote, laid out like the rest; null when it is none.
void cli_report_json(limberi_json_writer* w, const char* key, const char* json);

// To stdout, with a line end. Frees the text and returns the exit status.
int cli_report_print(limberi_json_writer* w, const char* subject);

// --- ground ---
// What stands on the ground in a clip, for people and for machines.

// "on the ground: foot.l, foot.r; floor at 0.003; lands at 0.62 s (1.4 L/s)", without a line end.
void cli_ground_describe(const limber_model* model, const limber_contacts* contacts, char* text, size_t size);

// "ground": {"levels", "belt", "contacts", "landings"}; null without contacts.
void cli_ground_report(limberi_json_writer* w, const limber_model* model, const limber_contacts* contacts);

#endif
