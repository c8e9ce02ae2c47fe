// Libmicrohttpd, which is opened when a studio starts: no other command loads a web server.
#ifndef STUDIO_HTTP_H
#define STUDIO_HTTP_H

#include <microhttpd.h>
#include <stdbool.h>

#define STUDIO_HTTP_FUNCTIONS(FUNCTION)                                                                                \
    FUNCTION(add_response_header)                                                                                      \
    FUNCTION(create_response_from_buffer)                                                                              \
    FUNCTION(create_response_from_fd64)                                                                                \
    FUNCTION(destroy_response)                                                                                         \
    FUNCTION(get_connection_info)                                                                                      \
    FUNCTION(get_connection_values)                                                                                    \
    FUNCTION(queue_response)                                                                                           \
    FUNCTION(set_connection_option)                                                                                    \
    FUNCTION(start_daemon)                                                                                             \
    FUNCTION(stop_daemon)

typedef struct studio_http {
#define MEMBER(name) __typeof__(&MHD_##name) name;
    STUDIO_HTTP_FUNCTIONS(MEMBER)
#undef MEMBER
} studio_http;

// NULL after one line on stderr.
const studio_http* studio_http_load(void);

#endif
