// Inside src/style: texts made from the table.
#ifndef LIMBERI_STYLE_TEXTS_H
#define LIMBERI_STYLE_TEXTS_H

#include "base/buffer.h"
#include "style/table.h"

void limberi_write_schema(limberi_buffer* out);
void limberi_write_help(limberi_buffer* out);
void limberi_write_markdown(limberi_buffer* out);

#endif
