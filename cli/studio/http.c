// Libmicrohttpd, which is opened when a studio starts: no other command loads a web server.
#include "cli/studio/http.h"
#include "cli/cli.h"

#include <dlfcn.h>
#include <string.h>

// ISO C has no conversion from void* to a function.
static bool find_function(void* library, const char* name, void* function, size_t size) {
    void* symbol = dlsym(library, name);
    memcpy(function, &symbol, size);
    return symbol != NULL;
}

const studio_http* studio_http_load(void) {
    static studio_http http;
    void* library = dlopen(LIMBER_MICROHTTPD, RTLD_NOW | RTLD_LOCAL);
    if (!library) {
        cli_fail("studio", "needs %s; install the package libmicrohttpd12", LIMBER_MICROHTTPD);
        return NULL;
    }
    bool whole = true;
#define FIND(name) whole = find_function(library, "MHD_" #name, &http.name, sizeof http.name) && whole;
    STUDIO_HTTP_FUNCTIONS(FIND)
#undef FIND
    if (!whole)
        cli_fail("studio", "%s lacks functions that the studio needs", LIMBER_MICROHTTPD);
    return whole ? &http : NULL;
}
