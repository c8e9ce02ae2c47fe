// Under the address sanitizer: leaks are looked for at the end of a process only where memory is left. The search takes
// seconds for every process on arm64 whatever the program did, the count of bytes nothing.
#include <sanitizer/allocator_interface.h>
#include <stddef.h>
#include <stdio.h>

int __lsan_is_turned_off(void);

static char printed[BUFSIZ];
static size_t bytes_at_start;

__attribute__((constructor)) static void remember_bytes(void) {
    setvbuf(stdout, printed, _IOFBF, sizeof printed); // or its buffer would be what is left
    bytes_at_start = __sanitizer_get_current_allocated_bytes();
}

// The sanitizer asks this before it looks.
int __lsan_is_turned_off(void) {
    return __sanitizer_get_current_allocated_bytes() == bytes_at_start;
}
