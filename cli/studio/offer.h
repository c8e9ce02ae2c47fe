// What the command line hands to the studio: a character and a style, told to the page by session.json.
#ifndef LIMBER_CLI_STUDIO_OFFER_H
#define LIMBER_CLI_STUDIO_OFFER_H

#include "io/file.h"

typedef struct studio_offer {
    char* session;       // the text of session.json
    char* name;          // of the character's file as the page sees it; NULL: none
    const char* path;    // read again for every request; NULL: the bytes below
    limberi_bytes bytes; // a .gltf with everything it names, as .glb
    limberi_arena arena;
} studio_offer;

// Checks the character and the style, each of which may be NULL. Prints what is wrong and returns the exit status.
int studio_offer_open(const char* character, const char* style, studio_offer* offer);
void studio_offer_close(studio_offer* offer);

#endif
