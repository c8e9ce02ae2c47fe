// `limber studio`: serves the studio to a browser on this machine.
#include "cli/cli.h"

#include <stddef.h>

#ifdef LIMBER_WITH_STUDIO
#include "cli/studio/studio.h"

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

static const cli_option options[] = {
    {"--style", "FILE|PRESET", CLI_TEXT, offsetof(studio_options, style), "initial style (default: embedded style)"},
    {"--port", "N", CLI_COUNT, offsetof(studio_options, port), "port to listen on (default: any free port)"},
    {"--no-open", NULL, CLI_FLAG, offsetof(studio_options, no_open), "print the address without opening a browser"},
    {"--files", "DIR", CLI_TEXT, offsetof(studio_options, files), "serve the studio's pages from this folder"},
};

static const cli_command command = {
    .usage = "limber studio [IN] [options]",
    .summary = "Open the browser studio on a local port.",
    .details =
        "IN is a .glb, .gltf, .vrm or .bvh file to open first; others can be dropped onto the page. The address is\n"
        "printed, and opened in the browser if there is one. It contains a secret token and works on this machine\n"
        "only. The studio reads IN and writes nothing; you save results from the browser. Reloading the page\n"
        "reads IN again (a .gltf is read once). Press Ctrl-C to stop.",
    .examples = "  limber studio\n"
                "  limber studio cow.glb --style cartoon\n"
                "  limber studio walk.bvh --no-open --port 8080",
    .options = options,
    .option_count = sizeof options / sizeof *options,
};

#ifdef LIMBER_WITH_STUDIO

// What ends the studio, and the end of the process that opens the browser. Signals that were ignored stay so (nohup).
static void block_signals(sigset_t* awaited) {
    static const int numbers[] = {SIGINT, SIGTERM, SIGHUP};
    struct sigaction former;
    struct sigaction ignore = {.sa_handler = SIG_IGN};
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
                cli_warn("studio", "xdg-open could not open a browser; open the address above yourself");
        }
}

static int serve(const studio_options* o, const studio_order* order) {
    sigset_t awaited;
    studio_server* server;
    studio_page page = {0};
    block_signals(&awaited);
    int status = studio_server_start(order, &server);
    if (status)
        return status;
    printf("studio: %s\n", studio_server_address(server));
    if (fflush(stdout) != 0) {
        status = cli_fail("studio", "cannot print the address: stdout is closed or full");
    } else {
        if (isatty(2))
            fprintf(stderr, "Press Ctrl-C to stop.\n");
        wait_for_end(&awaited, o->no_open ? 0 : studio_browser_open(studio_server_address(server), &page));
    }
    studio_page_remove(&page);
    studio_server_stop(server);
    return status;
}

static int run_studio(const studio_options* o) {
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

static int run_studio(const studio_options* o) {
    (void)o;
    return cli_fail("studio",
                    "this limber was built without the studio; install the package libmicrohttpd-dev and build "
                    "again with LIMBER_STUDIO=ON");
}

#endif

int limber_cli_studio(int argc, char** argv) {
    studio_options o = {NULL, NULL, NULL, 0, false};
    bool over;
    int status = cli_parse(&command, argc, argv, &o, &o.character, &over);
    if (status || over)
        return status;
    if (o.port > 65535)
        return cli_usage("--port must be between 0 and 65535");
    return run_studio(&o);
}
