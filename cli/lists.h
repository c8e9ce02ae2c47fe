// Lists for people: names made harmless, long ones cut short.
#ifndef LIMBER_CLI_LISTS_H
#define LIMBER_CLI_LISTS_H

#include <limber/stages/rigid.h>

enum { CLI_MAX_LISTED = 12 };

// Names come from files; control characters must not reach the terminal.
void cli_print_name(const char* name);
// "12 rigid parts: Sword on handslot.r, Helmet on head, ..."; `parts` NULL: none.
void cli_print_rigid(const limber_model* model, const limber_rigid_parts* parts);

#endif
