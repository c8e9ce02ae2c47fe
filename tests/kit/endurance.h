// What tests that run for hours share: how long, what happens next, and how much memory a process has.
#ifndef LIMBER_TEST_ENDURANCE_H
#define LIMBER_TEST_ENDURANCE_H

#include <stdint.h>
#include <sys/types.h>

// A process may have so much more at the end than after its first actions. Memory that the address sanitizer keeps from
// being used again counts, too: CMake sets its limit.
enum { ENDURANCE_GROWTH_KB = 128 * 1024 };

long endurance_seconds(void);             // LIMBER_ENDURANCE_S
uint32_t endurance_below(uint32_t count); // random; LIMBER_ENDURANCE_SEED begins another series
long endurance_memory_kb(pid_t process);  // resident; 0: this process

#endif
