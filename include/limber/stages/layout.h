// limber/stages/layout.h: how structs lie in memory, for bindings in languages that cannot include the headers.
//
// A binding that writes the structs down once more compares them with this table when it loads the library, and says so
// where they differ instead of reading the wrong bytes:
//
//     for (uint32_t i = 0; i < limber_layout_count(); i++) {
//         const limber_layout* row = limber_layout_at(i);
//         printf("%s %s: byte %u, %u bytes\n", row->structure, row->field, row->offset, row->size);
//     }
#ifndef LIMBER_STAGES_LAYOUT_H
#define LIMBER_STAGES_LAYOUT_H

#include <limber/base.h>

#ifdef __cplusplus
extern "C" {
#endif

// One field, or, where `field` is "", a whole struct, whose fields follow.
typedef struct limber_layout {
    const char* structure; // "limber_mesh"
    const char* field;     // "positions", or ""
    uint32_t offset, size; // bytes
} limber_layout;

// All rows, struct by struct.
LIMBER_API uint32_t limber_layout_count(void);
LIMBER_API const limber_layout* limber_layout_at(uint32_t index);

#ifdef __cplusplus
}
#endif

#endif
