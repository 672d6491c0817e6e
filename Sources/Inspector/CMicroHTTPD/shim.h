// Parts of libmicrohttpd that Swift cannot call. Some functions have a variable number of arguments, and the import of
// some enumerations depends on the version.

#include <arpa/inet.h>
#include <microhttpd.h>
#include <netinet/in.h>
#include <string.h>

/// Starts a server on the loopback interface alone, with a thread for each connection, so callbacks may block. Port 0
/// means any free port. If it returns null, errno has the error.
static inline struct MHD_Daemon *inspector_start(uint16_t port, MHD_AccessHandlerCallback answer, void *context) {
  struct sockaddr_in address;
  memset(&address, 0, sizeof address);
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  return MHD_start_daemon(MHD_USE_INTERNAL_POLLING_THREAD | MHD_USE_THREAD_PER_CONNECTION, port, NULL, NULL, answer,
                          context, MHD_OPTION_SOCK_ADDR, (struct sockaddr *)&address, MHD_OPTION_CONNECTION_LIMIT, 16u,
                          MHD_OPTION_CONNECTION_TIMEOUT, 60u, MHD_OPTION_END);
}

static inline uint16_t inspector_port(struct MHD_Daemon *daemon) {
  const union MHD_DaemonInfo *info = MHD_get_daemon_info(daemon, MHD_DAEMON_INFO_BIND_PORT);
  return info ? info->port : 0;
}

static inline const char *inspector_header(struct MHD_Connection *connection, const char *name) {
  return MHD_lookup_connection_value(connection, MHD_HEADER_KIND, name);
}

static inline const char *inspector_argument(struct MHD_Connection *connection, const char *name) {
  return MHD_lookup_connection_value(connection, MHD_GET_ARGUMENT_KIND, name);
}

/// A response with a copy of the body.
static inline struct MHD_Response *inspector_response(size_t size, const void *body) {
  return MHD_create_response_from_buffer(size, (void *)(uintptr_t)body, MHD_RESPMEM_MUST_COPY);
}
