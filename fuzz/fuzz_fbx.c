// Fuzzes the curves of .fbx files, which are made denser before Assimp sees them: binary files and readable ones.
#include "cli/import/fbx.h"
#include "fuzz/kit/bytes.h"

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    limberi_buffer out;
    if (fbx_sample_curves((limberi_bytes){data, size}, &out)) {
        FUZZ_CHECK(out.data && out.length);
        limberi_buffer_free(&out);
    }
    return 0;
}
