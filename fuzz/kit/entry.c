// The entrance of the fuzzers that make characters of bytes. Whatever one input took is given back: counting that costs
// nothing, while a search for leaks takes longer than most inputs.
#include "fuzz/kit/bytes.h"

#include <sanitizer/allocator_interface.h>

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    size_t held_before = __sanitizer_get_current_allocated_bytes();
    fuzz_bytes bytes = fuzz_bytes_of(data, size);
    fuzz_run(&bytes);
    FUZZ_CHECK(__sanitizer_get_current_allocated_bytes() <= held_before);
    return 0;
}
