#include "cli/cli.h"

#ifdef LIMBER_WITH_STUDIO
#include "cli/studio/browser.h"
#include "cli/studio/files.h"
#include "cli/studio/server.h"

#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>
#endif

typedef struct studio_options {
    const char *character, *style, *files;
    uint32_t port;
    bool no_open;
} studio_options;

#ifdef LIMBER_WITH_STUDIO

// What ends the studio, and the end of the process that opens the browser. Signals that were ignored stay so (nohup).
static void take_signals(sigset_t* awaited) {
    static const int numbers[] = {SIGINT, SIGTERM, SIGHUP};
    struct sigaction former, ignore = {.sa_handler = SIG_IGN};
    sigemptyset(awaited);
    sigaddset(awaited, SIGCHLD);
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        if (sigaction(numbers[i], NULL, &former) == 0 && former.sa_handler != SIG_IGN)
            sigaddset(awaited, numbers[i]);
    sigprocmask(SIG_BLOCK, awaited, NULL); // before the server's thread, which inherits this
    sigaction(SIGPIPE, &ignore, NULL);     // an address that nobody reads is an error to tell
}

static void wait_for_end(const sigset_t* awaited, pid_t browser) {
    int number, status;
    while (sigwait(awaited, &number) == 0 && number == SIGCHLD)
        if (browser > 0 && waitpid(browser, &status, WNOHANG) == browser) {
            browser = 0;
            if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
                cli_warn("studio", "xdg-open could not open a browser; open the address above");
        }
}

static int serve(const studio_options* o, const studio_order* order) {
    sigset_t awaited;
    studio_server* server;
    take_signals(&awaited);
    int status = studio_server_start(order, &server);
    if (status)
        return status;
    printf("studio: %s\n", studio_server_address(server));
    if (fflush(stdout) != 0) {
        status = cli_fail("studio", "the address cannot be written");
    } else {
        if (isatty(2))
            fprintf(stderr, "Ctrl-C ends it.\n");
        wait_for_end(&awaited, o->no_open ? 0 : studio_browser_open(studio_server_address(server)));
    }
    studio_server_stop(server);
    return status;
}

static int run(const studio_options* o) {
    char folder[4096 + 64];
    studio_offer offer;
    int status = studio_find_folder(o->files, folder, sizeof folder);
    if (!status)
        status = studio_offer_open(o->character, o->style, &offer);
    if (status)
        return status;
    studio_order order = {folder, &offer, o->port};
    status = serve(o, &order);
    studio_offer_close(&offer);
    return status;
}

#else

static int run(const studio_options* o) {
    (void)o;
    return cli_fail("studio", "this limber was built without it: the package libmicrohttpd-dev was missing or "
                              "LIMBER_STUDIO was off; install the package and build again");
}

#endif

int limber_cli_studio(int argc, char** argv) {
    studio_options o = {NULL, NULL, NULL, 0, false};
    const cli_option options[] = {
        {"--style", "FILE|PRESET", CLI_TEXT, &o.style, "the style to begin with (default: the one the file carries)"},
        {"--port", "N", CLI_COUNT, &o.port, "the port to listen to (default: any that is free)"},
        {"--no-open", NULL, CLI_FLAG, &o.no_open, "print the address, and open no browser"},
        {"--files", "DIR", CLI_TEXT, &o.files, "serve the studio's pages from this folder (for those who work on it)"},
    };
    const cli_verb_help help = {
        "limber studio [IN] [options]",
        "Serves the browser studio on a local port and opens it.",
        "IN is a .glb, .gltf or .bvh file to begin with; others can be dropped onto the page. The address is printed, "
        "and\n"
        "opened in the browser where there is one. It holds a secret token and works on this machine only; the studio\n"
        "reads IN and writes nothing: results are saved from the browser. A page that is loaded again reads IN again\n"
        "(a .gltf is read once). Runs until Ctrl-C.",
        "  limber studio\n"
        "  limber studio cow.glb --style cartoon\n"
        "  limber studio walk.bvh --no-open --port 8080",
        options,
        4,
        1};
    size_t count;
    bool over;
    int status = cli_parse(&help, argc, argv, &o.character, &count, &over);
    if (status || over)
        return status;
    if (o.port > 65535)
        return cli_usage("--port goes up to 65535");
    return run(&o);
}
