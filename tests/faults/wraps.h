// Faults: the n-th allocation, the n-th call that changes a file, or the n-th that looks at one, fails, once or from then
// on; or a signal comes right after the n-th call that changes a file. The linker sends the calls of the whole program
// here (--wrap); those of other libraries stay as they are.
#ifndef LIMBER_TEST_WRAPS_H
#define LIMBER_TEST_WRAPS_H

#include <stdbool.h>

typedef enum fault_kind { FAULT_MEMORY, FAULT_WRITES, FAULT_LOOKS, FAULT_KINDS } fault_kind;

// `at` counts from 0; negative: none fails. Counting starts again. `lasts`: all that follow fail, too.
void fault_set(fault_kind kind, long at, bool lasts);
void fault_signal(long at, int number); // counts calls that change a file, removals too; 0: none
long fault_signal_count(void);
long fault_count(fault_kind kind); // calls since then

// Of the files that got their names since fault_set: NULL when the bytes of each were on the disk before (fsync after
// the last write) and the folder after; otherwise what is wrong.
const char* fault_undurable(void);

#endif
