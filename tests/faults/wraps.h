// Faults that happen once: the n-th allocation, or the n-th call that changes a file, fails. The linker sends the calls
// of the whole program here (--wrap); those of other libraries stay as they are.
#ifndef LIMBER_TEST_WRAPS_H
#define LIMBER_TEST_WRAPS_H

typedef enum fault_kind { FAULT_MEMORY, FAULT_WRITES, FAULT_KINDS } fault_kind;

// `at` counts from 0; negative: none fails. Counting starts again.
void fault_set(fault_kind kind, long at);
long fault_count(fault_kind kind); // calls since then

// Of the files that got their names since fault_set: NULL when the bytes of each were on the disk before (fsync after
// the last write) and the folder after; otherwise what is wrong.
const char* fault_undurable(void);

#endif
