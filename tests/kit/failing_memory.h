// Memory that runs out when a test says so. Programs that are linked with limber_fail_memory() in their list of tests
// send every allocation of the library and of the test here (--wrap); those of other libraries stay as they are.
//
//     for (long allowed = 0; memory_ran_out; allowed++) {
//         test_memory_allow(allowed);
//         result = limber_...;
//         memory_ran_out = test_memory_end();   // expect LIMBER_ERROR_MEMORY if so, and success otherwise
//     }
#ifndef LIMBER_TEST_FAILING_MEMORY_H
#define LIMBER_TEST_FAILING_MEMORY_H

#include <stdbool.h>
#include <stddef.h>

// `count` allocations succeed, the next one fails, and those after it succeed again. Whatever an arena hands out counts
// as one, not only the blocks it takes from the system.
void test_memory_allow(long count);

// Ends that; true when one failed.
bool test_memory_end(void);

// What was taken from the system since test_memory_forget, by all threads.
void test_memory_forget(void);
size_t test_memory_taken_count(void);
size_t test_memory_taken_bytes(void);

#endif
