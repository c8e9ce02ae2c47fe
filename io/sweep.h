// Temporary files and folders, which must not stay behind when a signal ends the program. Programs ask for it; a library
// leaves the signals of its caller alone, and then all of this does nothing.
#ifndef LIMBERI_SWEEP_H
#define LIMBERI_SWEEP_H

#include <stdbool.h>

typedef struct limberi_sweep limberi_sweep;

void limberi_sweep_start(void);

// What to hand to limberi_sweep_forget when it has gone, or has its final name. NULL is fine there.
limberi_sweep* limberi_sweep_add(const char* path);
void limberi_sweep_forget(limberi_sweep* entry);

// Makes a folder that goes when a signal ends the program, if it is empty then. False: it was not made, see errno.
bool limberi_sweep_make_folder(const char* path, limberi_sweep** entry);

#endif
