// The studio's web server: one address on this machine, for whoever knows its token.
#ifndef LIMBER_CLI_STUDIO_SERVER_H
#define LIMBER_CLI_STUDIO_SERVER_H

#include "cli/studio/offer.h"

typedef struct studio_order {
    const char* folder;        // the built studio
    const studio_offer* offer; // outlives the server
    uint32_t port;             // 0: any that is free
} studio_order;

typedef struct studio_server studio_server;

// Serves from a separate thread, which inherits the caller's signal mask. Prints what is wrong and returns the exit
// status.
int studio_server_start(const studio_order* order, studio_server** server);
const char* studio_server_address(const studio_server* server); // "http://127.0.0.1:PORT/TOKEN/"
void studio_server_stop(studio_server* server);                 // breaks off what is being sent; NULL is fine

#endif
