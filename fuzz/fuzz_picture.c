// Fuzzes the pictures that characters bring along: any bytes in, an error or pixels out. Pixels become a PNG that gives
// them back.
#include "fuzz/kit/bytes.h"
#include "render/film/picture.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

static void write_back(const limberi_picture* picture) {
    limberi_picture again;
    limber_error error;
    uint8_t* bytes;
    size_t count;
    FUZZ_CHECK(limberi_picture_encode_png(picture, &bytes, &count, &error) == LIMBER_OK);
    FUZZ_CHECK(limberi_picture_decode(bytes, count, &again, &error) == LIMBER_OK);
    FUZZ_CHECK(again.width == picture->width && again.height == picture->height);
    FUZZ_CHECK(memcmp(again.pixels, picture->pixels, 4 * (size_t)picture->width * picture->height) == 0);
    limberi_picture_destroy(&again);
    free(bytes);
}

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    limberi_picture picture;
    limber_error error;
    limber_result result = limberi_picture_decode(data, size, &picture, &error);
    if (result != LIMBER_OK) {
        FUZZ_CHECK(error.message[0] && error.result == result);
        return 0;
    }
    FUZZ_CHECK(picture.width && picture.height);
    if ((uint64_t)picture.width * picture.height < 4096)
        write_back(&picture);
    limberi_picture_destroy(&picture);
    return 0;
}
