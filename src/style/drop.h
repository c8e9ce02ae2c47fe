// Forgetting a part of a style.
#ifndef LIMBERI_STYLE_DROP_H
#define LIMBERI_STYLE_DROP_H

#include <limber/style.h>

// Forgets all keys of a section, for instance when a file already shows what it says.
void limberi_style_drop_section(limber_style* style, const char* section);

#endif
