// What stands on the ground in a clip, for people and for machines.
#ifndef LIMBER_CLI_GROUND_H
#define LIMBER_CLI_GROUND_H

#include "text/json_write.h"
#include <limber/stages/contacts.h>

// "on the ground: foot.l, foot.r; floor at 0.003; lands at 0.62 s (1.4 L/s)", without a line end.
void cli_ground_describe(const limber_model* model, const limber_contacts* contacts, char* text, size_t size);

// "ground": {"levels", "belt", "contacts", "landings"}; null without contacts.
void cli_ground_report(limberi_json_writer* w, const limber_model* model, const limber_contacts* contacts);

#endif
