// What the command line hands to the studio: a character and a style, told to the page by session.json.
#include "cli/cli.h"
#include "cli/report.h"
#include "cli/studio/studio.h"
#include "text/text.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// --- a .gltf with its buffers and pictures, as one file ---

// Through a file, because that is how limber writes. A signal waits until it is gone.
static int convert(const char* character, const limber_gltf* gltf, studio_offer* offer) {
    const char* root = getenv("TMPDIR");
    char folder[4096], path[4096 + 16];
    sigset_t all, former;
    if (snprintf(folder, sizeof folder, "%s/limber-XXXXXX", root && *root ? root : "/tmp") >= (int)sizeof folder)
        return cli_fail(character, "the path in TMPDIR is too long");
    sigfillset(&all);
    sigprocmask(SIG_BLOCK, &all, &former);
    int status = mkdtemp(folder) ? CLI_DONE : cli_fail(folder, "cannot create the folder: %s", strerror(errno));
    if (!status) {
        limber_gltf_edits edits = limber_gltf_edits_default();
        limber_error error;
        snprintf(path, sizeof path, "%s/whole.glb", folder);
        if (limber_gltf_save_file(gltf, &edits, path, &error) != LIMBER_OK ||
            limberi_file_read(path, UINT32_MAX, &offer->arena, &offer->bytes, &error) != LIMBER_OK)
            status = cli_fail_error(character, &error);
        unlink(path);
        rmdir(folder);
    }
    sigprocmask(SIG_SETMASK, &former, NULL);
    return status;
}

// --- names ---

// A name that no text, address or rule about paths could trip over, else a plain one.
static char* visible_name(const char* path) {
    const char* slash = strrchr(path, '/');
    const char* name = slash ? slash + 1 : path;
    const char* ending = cli_has_ending(path, ".bvh") ? ".bvh" : ".glb";
    const char* dot = strrchr(name, '.');
    int stem = dot ? (int)(dot - name) : 0;
    char text[256], escaped[3 * sizeof text], decoded[sizeof text];
    int length = snprintf(text, sizeof text, "%.*s%s", stem, name, ending);
    bool fits = length < (int)sizeof text && limberi_utf8_is_valid(text, strlen(text)) &&
                studio_encode_name(text, escaped, sizeof escaped) &&
                studio_decode_path(escaped, decoded, sizeof decoded);
    if (!fits)
        snprintf(text, sizeof text, "character%s", ending);
    return strdup(text);
}

// --- session.json ---

// Addresses are relative to the page's.
static bool describe_file(limberi_json_writer* w, const char* name) {
    char address[8 + 3 * 256] = "file/";
    cli_report_text(w, "name", name);
    if (!studio_encode_name(name, address + 5, sizeof address - 5))
        return false;
    cli_report_text(w, "file", address);
    return true;
}

// To be freed; NULL when memory is short.
static char* write_session(const char* name, const char* style_name, const char* style) {
    limberi_buffer text = {NULL, 0, 0, false};
    limberi_json_writer w = {.out = &text, .indent = 2};
    cli_report_open(&w, NULL, '{');
    cli_report_text(&w, "version", limber_version());
    bool fine = !name || describe_file(&w, name);
    if (style) {
        cli_report_text(&w, "styleName", limberi_utf8_is_valid(style_name, strlen(style_name)) ? style_name : "style");
        cli_report_json(&w, "style", style);
    }
    limberi_json_close(&w, '}');
    if (fine && !text.failed)
        return text.data;
    limberi_buffer_free(&text);
    return NULL;
}

// --- checks ---

static int check_character(const char* path, limber_gltf** gltf, studio_offer* offer) {
    bool scattered = cli_has_ending(path, ".gltf");
    bool whole = cli_has_ending(path, ".glb") || cli_has_ending(path, ".vrm") || cli_has_ending(path, ".bvh");
    if (!scattered && !whole)
        return cli_usage("studio opens .glb, .gltf, .vrm and .bvh, not '%s'", path);
    int status = cli_load(path, gltf);
    if (!status && scattered)
        status = convert(path, *gltf, offer);
    else
        offer->path = path;
    if (status)
        return status;
    offer->name = visible_name(path);
    return offer->name ? CLI_DONE : cli_fail_memory(path);
}

// On a character its names of joints and layers are checked, too.
static int check_style(const char* name, const limber_gltf* gltf, limber_style** style) {
    limber_error error;
    limber_bound_style* bound = NULL;
    if (limber_style_create(style, &error) != LIMBER_OK)
        return cli_fail_error(name, &error);
    int status = cli_style_read(*style, NULL, NULL, name);
    if (!status && gltf && limber_style_bind(*style, limber_gltf_asset(gltf), &bound, &error) != LIMBER_OK)
        status = cli_fail_error(name, &error);
    limber_bound_style_destroy(bound);
    return status;
}

int studio_offer_open(const char* character, const char* style_name, studio_offer* offer) {
    limber_gltf* gltf = NULL;
    limber_style* style = NULL;
    memset(offer, 0, sizeof *offer);
    int status = character ? check_character(character, &gltf, offer) : CLI_DONE;
    if (!status && style_name)
        status = check_style(style_name, gltf, &style);
    if (!status) {
        const char* slash = style ? strrchr(style_name, '/') : NULL;
        offer->session =
            write_session(offer->name, slash ? slash + 1 : style_name, style ? limber_style_text(style) : NULL);
        if (!offer->session)
            status = cli_fail_memory("studio");
    }
    limber_style_destroy(style);
    limber_gltf_destroy(gltf);
    if (status)
        studio_offer_close(offer);
    return status;
}

void studio_offer_close(studio_offer* offer) {
    free(offer->session);
    free(offer->name);
    limberi_arena_free(&offer->arena);
    memset(offer, 0, sizeof *offer);
}
