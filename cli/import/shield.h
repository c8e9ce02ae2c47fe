// What a process that reads a file of a stranger can still do: compute, and read what it must.
#ifndef LIMBER_CLI_IMPORT_SHIELD_H
#define LIMBER_CLI_IMPORT_SHIELD_H

#include <stdint.h>

enum {
    IMPORT_SHIELD_CALLS = 1, // seccomp: a short list of system calls; no network, no programs, no other processes
    IMPORT_SHIELD_FILES = 2  // Landlock: no file but this one and those in its folder and below, and none to write
};

// Limits of this process: seconds of processor time, five times as many on the clock, bytes of memory; no core file.
// Signals end it: SIGXCPU, SIGALRM.
void import_limit(uint64_t seconds, uint64_t bytes);

// For the rest of this process; what is open stays so. Returns what the system offers of these.
unsigned import_shield(const char* path, const char* folder);

#endif
