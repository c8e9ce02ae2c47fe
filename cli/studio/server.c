// The studio's web server: one address on this machine, for whoever knows its token.
#include "cli/cli.h"
#include "cli/studio/http.h"
#include "cli/studio/studio.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <unistd.h>

// A browser has six connections to a server. Cookies of other local servers come along: their ports do not count.
// Silent strangers are sent away soon; a page may well be busy for a while before it reads on. Those that drip bytes
// never fall silent: whoever has not said the token makes room for the next when fewer than SPARE_CONNECTIONS are left.
enum { MAX_CONNECTIONS = 128, SPARE_CONNECTIONS = 32, STRANGER_SILENCE_S = 5, PAGE_SILENCE_S = 120 };
enum { REQUEST_BYTES = 32768, BACKLOG = 64, PATH_ROOM = 1024 };

typedef struct guest {
    uint64_t turn; // which one it was to come; 0: nobody is here
    int socket;
    bool settled; // said the token, or was sent away
} guest;

struct studio_server {
    studio_order order;
    struct MHD_Daemon* daemon;
    unsigned port;
    char token[STUDIO_TOKEN_LENGTH + 1];
    char address[64 + STUDIO_TOKEN_LENGTH];
    guest guests[MAX_CONNECTIONS];
    uint64_t last_turn;
};

static const studio_http* http; // set before the first request

// --- answers ---

// The page may run its own scripts and compile WebAssembly, and reads pictures, buffers and workers it made itself;
// it can send nothing anywhere else. Inline styles are how sliders and panels are placed.
static const char* const common_headers[][2] = {
    {"Content-Security-Policy",
     "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self' 'unsafe-inline'; "
     "img-src 'self' blob: data:; media-src 'self' blob: data:; font-src 'self' data:; connect-src 'self' blob: data:; "
     "worker-src 'self' blob:; manifest-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"},
    {"X-Content-Type-Options", "nosniff"},
    {"Referrer-Policy", "no-referrer"}, // the address holds the token
    {"Cross-Origin-Resource-Policy", "same-origin"},
    {"Cache-Control", "no-store"}, // another studio may have this port tomorrow
    {"Connection", "close"},       // nothing of a strange request is taken for the next; on one machine it costs little
};

static enum MHD_Result reply(struct MHD_Connection* connection, unsigned status, const char* type,
                             struct MHD_Response* response) {
    if (!response)
        return MHD_NO;
    bool fine = http->add_response_header(response, "Content-Type", type) == MHD_YES;
    for (size_t i = 0; fine && i < sizeof common_headers / sizeof *common_headers; i++)
        fine = http->add_response_header(response, common_headers[i][0], common_headers[i][1]) == MHD_YES;
    enum MHD_Result result = fine ? http->queue_response(connection, status, response) : MHD_NO;
    http->destroy_response(response);
    return result;
}

static struct MHD_Response* lasting_text(const char* text) {
    return http->create_response_from_buffer(strlen(text), (void*)(uintptr_t)text, MHD_RESPMEM_PERSISTENT);
}

static enum MHD_Result refuse(struct MHD_Connection* connection, unsigned status, const char* text) {
    return reply(connection, status, "text/plain; charset=utf-8", lasting_text(text));
}

static enum MHD_Result not_found(struct MHD_Connection* connection) {
    return refuse(connection, MHD_HTTP_NOT_FOUND, "not found\n");
}

static enum MHD_Result reply_with(struct MHD_Connection* connection, unsigned status, const char* text,
                                  const char* header, const char* value) {
    struct MHD_Response* response = lasting_text(text);
    if (response && http->add_response_header(response, header, value) != MHD_YES) {
        http->destroy_response(response);
        return MHD_NO;
    }
    return reply(connection, status, "text/plain; charset=utf-8", response);
}

static enum MHD_Result send_file(struct MHD_Connection* connection, int file, uint64_t size, const char* type) {
    if (file < 0)
        return not_found(connection);
    struct MHD_Response* response = http->create_response_from_fd64(size, file);
    if (!response)
        close(file);
    return reply(connection, MHD_HTTP_OK, type, response);
}

static enum MHD_Result send_character(const studio_server* server, struct MHD_Connection* connection) {
    const studio_offer* offer = server->order.offer;
    const char* type = studio_media_type(offer->name);
    uint64_t size = 0;
    if (offer->path) {
        int file = studio_open_plain(offer->path, &size);
        return send_file(connection, file, size, type);
    }
    void* bytes = (void*)(uintptr_t)offer->bytes.data;
    return reply(connection, MHD_HTTP_OK, type,
                 http->create_response_from_buffer(offer->bytes.size, bytes, MHD_RESPMEM_PERSISTENT));
}

static enum MHD_Result send_path(const studio_server* server, struct MHD_Connection* connection, const char* raw) {
    const studio_offer* offer = server->order.offer;
    char path[PATH_ROOM];
    uint64_t size = 0;
    if (!studio_decode_path(*raw ? raw : "index.html", path, sizeof path))
        return not_found(connection);
    if (strcmp(path, "session.json") == 0)
        return reply(connection, MHD_HTTP_OK, "application/json", lasting_text(offer->session));
    if (offer->name && strncmp(path, "file/", 5) == 0 && strcmp(path + 5, offer->name) == 0)
        return send_character(server, connection);
    int file = studio_open_below(server->order.folder, path, &size);
    return send_file(connection, file, size, studio_media_type(path));
}

// --- guests ---
// The library calls from one thread: nothing is locked.

static void send_oldest_stranger_away(studio_server* server) {
    guest* oldest = NULL;
    for (size_t i = 0; i < MAX_CONNECTIONS; i++) {
        guest* g = &server->guests[i];
        if (g->turn && !g->settled && (!oldest || g->turn < oldest->turn))
            oldest = g;
    }
    if (!oldest)
        return;
    oldest->settled = true;
    shutdown(oldest->socket, SHUT_RDWR); // the library reads its end, and closes it
}

static guest* let_in(studio_server* server, struct MHD_Connection* connection) {
    const union MHD_ConnectionInfo* info = http->get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
    guest* place = NULL;
    size_t count = 0;
    for (size_t i = 0; i < MAX_CONNECTIONS; i++) {
        count += server->guests[i].turn != 0;
        place = server->guests[i].turn ? place : &server->guests[i];
    }
    if (count >= MAX_CONNECTIONS - SPARE_CONNECTIONS)
        send_oldest_stranger_away(server);
    if (place && info)
        *place = (guest){++server->last_turn, info->connect_fd, false};
    return info ? place : NULL;
}

static void come_and_go(void* user, struct MHD_Connection* connection, void** context,
                        enum MHD_ConnectionNotificationCode code) {
    guest* g = *context;
    if (code == MHD_CONNECTION_NOTIFY_STARTED)
        *context = let_in(user, connection);
    else if (g)
        g->turn = 0;
}

static void welcome(struct MHD_Connection* connection) {
    const union MHD_ConnectionInfo* info = http->get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
    guest* g = info ? info->socket_context : NULL;
    if (g)
        g->settled = true;
    http->set_connection_option(connection, MHD_CONNECTION_OPTION_TIMEOUT, (unsigned)PAGE_SILENCE_S);
}

// --- requests ---

typedef struct caller {
    unsigned port;
    unsigned host_count;
    bool foreign;
} caller;

static enum MHD_Result look_at_header(void* user, enum MHD_ValueKind kind, const char* key, const char* value) {
    caller* c = user;
    (void)kind;
    if (strcasecmp(key, "Host") == 0) {
        c->host_count++;
        c->foreign = c->foreign || !value || !studio_is_our_host(value, c->port);
    }
    if (strcasecmp(key, "Origin") == 0)
        c->foreign = c->foreign || !value || !studio_is_our_origin(value, c->port);
    return MHD_YES;
}

static enum MHD_Result answer(void* user, struct MHD_Connection* connection, const char* url, const char* method,
                              const char* version, const char* upload, size_t* upload_size, void** state) {
    const studio_server* server = user;
    caller c = {server->port, 0, false};
    (void)version, (void)upload, (void)upload_size, (void)state;
    http->get_connection_values(connection, MHD_HEADER_KIND, look_at_header, &c);
    if (c.foreign || c.host_count != 1)
        return refuse(connection, MHD_HTTP_FORBIDDEN, "this address is for the limber studio on this machine only\n");
    const char* rest = studio_after_token(url, server->token);
    if (!rest)
        return not_found(connection);
    if (strcmp(method, "GET") != 0 && strcmp(method, "HEAD") != 0)
        return reply_with(connection, MHD_HTTP_METHOD_NOT_ALLOWED, "only GET and HEAD\n", "Allow", "GET, HEAD");
    if (!*rest) // without its last slash the address would make the page look for its files in the wrong place
        return reply_with(connection, MHD_HTTP_FOUND, "", "Location", server->address);
    welcome(connection);
    return send_path(server, connection, rest + 1);
}

// Paths come as they were sent: what an escape may hide is decided in one place, studio_decode_path.
static size_t leave_escapes(void* user, struct MHD_Connection* connection, char* text) {
    (void)user, (void)connection;
    return strlen(text);
}

// --- start and end ---

static bool make_token(char* token) {
    unsigned char bytes[STUDIO_TOKEN_LENGTH / 2];
    size_t got = 0;
    while (got < sizeof bytes) {
        ssize_t count = getrandom(bytes + got, sizeof bytes - got, 0);
        if (count < 0 && errno != EINTR)
            return false;
        got += count > 0 ? (size_t)count : 0;
    }
    for (size_t i = 0; i < sizeof bytes; i++)
        snprintf(token + 2 * i, 3, "%02x", bytes[i]);
    return true;
}

static int fail_port(uint32_t port, int number) {
    char subject[32] = "studio";
    if (port)
        snprintf(subject, sizeof subject, "port %u", port);
    if (number == EADDRINUSE && port)
        return cli_fail(subject, "is in use by another program; leave out --port to use a free one");
    if (number == EACCES)
        return cli_fail(subject, "needs administrator rights; use a port above 1023");
    return cli_fail(subject, "cannot listen on %s: %s", port ? "this port" : "a local port", strerror(number));
}

// Bound here and not by the library, which would not say what went wrong.
static int listen_locally(uint32_t wanted, int* listener, unsigned* port) {
    struct sockaddr_in place;
    socklen_t length = sizeof place;
    int on = 1;
    int file = socket(AF_INET, SOCK_STREAM, 0);
    memset(&place, 0, sizeof place);
    place.sin_family = AF_INET;
    place.sin_port = htons((uint16_t)wanted);
    place.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (file < 0)
        return fail_port(wanted, errno);
    fcntl(file, F_SETFD, FD_CLOEXEC);
    setsockopt(file, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on); // after an end, the port is free again at once
    if (bind(file, (struct sockaddr*)&place, sizeof place) != 0 || listen(file, BACKLOG) != 0 ||
        getsockname(file, (struct sockaddr*)&place, &length) != 0) {
        int number = errno;
        close(file);
        return fail_port(wanted, number);
    }
    *listener = file;
    *port = ntohs(place.sin_port);
    return CLI_DONE;
}

static struct MHD_Daemon* start_daemon(studio_server* server, int listener) {
    unsigned flags = MHD_USE_AUTO | MHD_USE_INTERNAL_POLLING_THREAD;
    return http->start_daemon(flags, 0, NULL, NULL, answer, server,                        //
                              MHD_OPTION_LISTEN_SOCKET, (MHD_socket)listener,              //
                              MHD_OPTION_CONNECTION_LIMIT, (unsigned)MAX_CONNECTIONS,      //
                              MHD_OPTION_CONNECTION_TIMEOUT, (unsigned)STRANGER_SILENCE_S, //
                              MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)REQUEST_BYTES,   //
                              MHD_OPTION_STRICT_FOR_CLIENT, 1,                             //
                              MHD_OPTION_UNESCAPE_CALLBACK, leave_escapes, NULL,           //
                              MHD_OPTION_NOTIFY_CONNECTION, come_and_go, server,           //
                              MHD_OPTION_END);
}

int studio_server_start(const studio_order* order, studio_server** out) {
    studio_server* server = calloc(1, sizeof *server);
    int listener = -1;
    *out = NULL;
    if (!server)
        return cli_fail_memory("studio");
    http = studio_http_load();
    if (!http) {
        free(server);
        return CLI_FAILED;
    }
    server->order = *order;
    int status = make_token(server->token) ? CLI_DONE : cli_fail("studio", "cannot get random numbers from the system");
    if (!status)
        status = listen_locally(order->port, &listener, &server->port);
    if (!status) {
        snprintf(server->address, sizeof server->address, "http://127.0.0.1:%u/%s/", server->port, server->token);
        server->daemon = start_daemon(server, listener);
        if (!server->daemon) {
            close(listener);
            status = cli_fail("studio", "cannot start the web server");
        }
    }
    if (status)
        free(server);
    else
        *out = server;
    return status;
}

const char* studio_server_address(const studio_server* server) {
    return server->address;
}

void studio_server_stop(studio_server* server) {
    if (!server)
        return;
    http->stop_daemon(server->daemon);
    free(server);
}
