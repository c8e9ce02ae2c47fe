// A store inside of the .glb that will be written: front, rows, and what limber_gltf_save_file puts after them.
#ifndef LIMBERI_GLTF_STORE_H
#define LIMBERI_GLTF_STORE_H

#include "io/file_write.h"
#include <limber/bake.h>

typedef struct limberi_inside {
    limberi_file file;
    int descriptor; // of the rows; -1 once the file has been taken over
    uint64_t front; // bytes before the rows
} limberi_inside;

// NULL: the store is another one, was opened for another file, or has been taken over.
limberi_inside* limberi_store_inside(const limber_bake_store* store, const char* path);
limberi_file limberi_inside_hand_over(limberi_inside* inside);

#endif
