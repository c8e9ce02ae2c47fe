// Shows an address in the browser of the local user.
#ifndef LIMBER_CLI_STUDIO_BROWSER_H
#define LIMBER_CLI_STUDIO_BROWSER_H

#include <sys/types.h>

// A page that leads to the address. Everyone on the machine can read the arguments of a process, and the address holds
// the token: the browser is given the name of this file instead, which only its user may read.
typedef struct studio_page {
    char folder[256], path[256 + 16]; // "": there is none
} studio_page;

// The process that opens it, to be waited for; 0 when there is no screen or nothing to open it with.
pid_t studio_browser_open(const char* address, studio_page* page);
void studio_page_remove(studio_page* page);

#endif
