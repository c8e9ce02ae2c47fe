// Shows an address in the browser of the local user.
#include "cli/studio/studio.h"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

extern char** environ;

static bool has_screen(void) {
    const char* x = getenv("DISPLAY");
    const char* wayland = getenv("WAYLAND_DISPLAY");
    return (x && *x) || (wayland && *wayland);
}

// Some desktops start the browser as a child of xdg-open: it gets none of our signals, neither those we block nor the
// Ctrl-C that ends us, and what it says does not land in our terminal.
static bool set_apart(posix_spawn_file_actions_t* actions, posix_spawnattr_t* attributes) {
    sigset_t none, all;
    sigemptyset(&none);
    sigfillset(&all);
    short flags = POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP;
    return posix_spawn_file_actions_addopen(actions, 0, "/dev/null", O_RDONLY, 0) == 0 &&
           posix_spawn_file_actions_addopen(actions, 1, "/dev/null", O_WRONLY, 0) == 0 &&
           posix_spawn_file_actions_addopen(actions, 2, "/dev/null", O_WRONLY, 0) == 0 &&
           posix_spawnattr_setsigmask(attributes, &none) == 0 && posix_spawnattr_setsigdefault(attributes, &all) == 0 &&
           posix_spawnattr_setpgroup(attributes, 0) == 0 && posix_spawnattr_setflags(attributes, flags) == 0;
}

// In a folder of its own: nobody else can put anything there.
static bool make_folder(studio_page* page) {
    const char* places[] = {getenv("XDG_RUNTIME_DIR"), getenv("TMPDIR"), "/tmp"};
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        int length = places[i] && places[i][0] == '/'
                         ? snprintf(page->folder, sizeof page->folder, "%s/limber-studio-XXXXXX", places[i])
                         : 0;
        if (length > 0 && (size_t)length < sizeof page->folder && mkdtemp(page->folder))
            return true;
    }
    page->folder[0] = 0;
    return false;
}

static bool make_page(const char* address, studio_page* page) {
    char text[512];
    int length = snprintf(text, sizeof text,
                          "<!doctype html><meta charset=\"utf-8\"><meta name=\"referrer\" content=\"no-referrer\">"
                          "<meta http-equiv=\"refresh\" content=\"0;url=%s\"><title>limber</title>"
                          "<a href=\"%s\">Open the studio</a>\n",
                          address, address);
    if (!make_folder(page))
        return false;
    snprintf(page->path, sizeof page->path, "%s/open.html", page->folder);
    int file = open(page->path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    bool written = file >= 0 && write(file, text, (size_t)length) == length;
    if (file >= 0 && close(file) != 0)
        written = false;
    if (!written)
        studio_page_remove(page);
    return written;
}

void studio_page_remove(studio_page* page) {
    if (page->path[0])
        unlink(page->path);
    if (page->folder[0])
        rmdir(page->folder);
    memset(page, 0, sizeof *page);
}

pid_t studio_browser_open(const char* address, studio_page* page) {
    char* arguments[] = {(char[]){"xdg-open"}, page->path, NULL};
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    pid_t process = 0;
    memset(page, 0, sizeof *page);
    if (!has_screen() || !make_page(address, page) || posix_spawn_file_actions_init(&actions) != 0)
        return 0;
    if (posix_spawnattr_init(&attributes) == 0) {
        if (!set_apart(&actions, &attributes) ||
            posix_spawnp(&process, arguments[0], &actions, &attributes, arguments, environ) != 0)
            process = 0;
        posix_spawnattr_destroy(&attributes);
    }
    posix_spawn_file_actions_destroy(&actions);
    return process;
}
