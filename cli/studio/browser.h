// Shows an address in the browser of the local user.
#ifndef LIMBER_CLI_STUDIO_BROWSER_H
#define LIMBER_CLI_STUDIO_BROWSER_H

#include <sys/types.h>

// The process that opens it, to be waited for; 0 when there is no screen or nothing to open it with.
pid_t studio_browser_open(const char* address);

#endif
