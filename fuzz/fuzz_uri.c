// Fuzzes the addresses of buffers in glTF text: data URIs in base64 or percent signs, and names of files. There is no
// folder, so that nothing is opened.
#include "fuzz/kit/bytes.h"
#include "text/json_write.h"

#include <limber/gltf.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

static const char before[] = "{\"asset\":{\"version\":\"2.0\"},\"nodes\":[{\"mesh\":0}],\"scenes\":[{\"nodes\":[0]}],"
                             "\"meshes\":[{\"primitives\":[{\"attributes\":{\"POSITION\":0}}]}],\"accessors\":[{"
                             "\"bufferView\":0,\"componentType\":5126,\"count\":1,\"type\":\"VEC3\"}],\"bufferViews\":"
                             "[{\"buffer\":0,\"byteLength\":12}],\"buffers\":[{\"byteLength\":12,\"uri\":";

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    limberi_buffer text = {NULL, 0, 0, false};
    limber_gltf* gltf;
    limber_error error;
    char* uri = malloc(size + 64);
    FUZZ_CHECK(uri != NULL);
    strcpy(uri, size && data[0] & 1 ? "data:application/octet-stream;base64," : size && data[0] & 2 ? "data:," : "");
    size_t start = strlen(uri);
    memcpy(uri + start, data, size);
    uri[start + size] = 0;
    limberi_buffer_add(&text, before);
    limberi_json_quote(&text, uri);
    limberi_buffer_add(&text, "}]}");
    FUZZ_CHECK(!text.failed);
    limber_result result = limber_gltf_load_memory(text.data, text.length, NULL, NULL, &gltf, &error);
    FUZZ_CHECK((result == LIMBER_OK) == (gltf != NULL));
    FUZZ_CHECK(result == LIMBER_OK || error.message[0]);
    limber_gltf_destroy(gltf);
    limberi_buffer_free(&text);
    free(uri);
    return 0;
}
