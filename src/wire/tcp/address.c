/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Addresses and sockets.
 *
 * A host that is gone says nothing. While nothing is under way, keepalive asks every few seconds. While
 * something is, TCP itself asks, for a quarter of an hour; TCP_USER_TIMEOUT would shorten that, but also ends
 * a connection whose receiver is alive and has no room, which is the ordinary state of a program that
 * computes while the other sends. So the kernel is asked how many of its questions were not answered: a live
 * host answers them whatever its processes do.
 */
#include "wire/tcp/address.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <ifaddrs.h>
#include <linux/magic.h>
#include <net/if.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <string.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "base/decode.h"
#include "base/error.h"
#include "base/host.h"
#include "wire/tcp/numbers.h"

/* ---- hosts --------------------------------------------------------------------------------------------- */

int qdri_is_local_directory(const char *directory) {
    static const uint32_t local[] = {EXT4_SUPER_MAGIC,  TMPFS_MAGIC, RAMFS_MAGIC, OVERLAYFS_SUPER_MAGIC,
                                     BTRFS_SUPER_MAGIC, 0x58465342,  0x2fc12fc1,  REISERFS_SUPER_MAGIC,
                                     F2FS_SUPER_MAGIC,  0x3153464a}; /* also xfs, zfs, jfs */
    struct statfs system;
    if (statfs(directory, &system) != 0) return 0;
    for (size_t i = 0; i < sizeof local / sizeof local[0]; i++)
        if ((uint32_t)system.f_type == local[i]) return 1;
    return 0;
}

static int is_loopback(const struct sockaddr *socket) {
    if (socket->sa_family == AF_INET)
        return ntohl(((const struct sockaddr_in *)(const void *)socket)->sin_addr.s_addr) >> 24 == 127;
    return socket->sa_family == AF_INET6 &&
           IN6_IS_ADDR_LOOPBACK(&((const struct sockaddr_in6 *)(const void *)socket)->sin6_addr);
}

/* It is one only together with an interface, which contact files and endpoints do not tell. */
static int is_of_link(const struct sockaddr *socket) {
    return socket->sa_family == AF_INET6 &&
           IN6_IS_ADDR_LINKLOCAL(&((const struct sockaddr_in6 *)(const void *)socket)->sin6_addr);
}

int qdri_address_is_loopback(const qdri_address *address) {
    return is_loopback((const struct sockaddr *)&address->socket);
}

int qdri_address_shares_host(const qdri_address *address, const qdri_address *other) {
    const struct sockaddr *one = (const struct sockaddr *)&address->socket,
                          *two = (const struct sockaddr *)&other->socket;
    if (one->sa_family != two->sa_family) return 0;
    if (is_loopback(one) && is_loopback(two)) return 1;
    if (one->sa_family == AF_INET)
        return ((const struct sockaddr_in *)(const void *)one)->sin_addr.s_addr ==
               ((const struct sockaddr_in *)(const void *)two)->sin_addr.s_addr;
    return one->sa_family == AF_INET6 &&
           IN6_ARE_ADDR_EQUAL(&((const struct sockaddr_in6 *)(const void *)one)->sin6_addr,
                              &((const struct sockaddr_in6 *)(const void *)two)->sin6_addr);
}

static int is_any(const struct sockaddr *socket) {
    if (socket->sa_family == AF_INET)
        return ((const struct sockaddr_in *)(const void *)socket)->sin_addr.s_addr == htonl(INADDR_ANY);
    return socket->sa_family == AF_INET6 &&
           IN6_IS_ADDR_UNSPECIFIED(&((const struct sockaddr_in6 *)(const void *)socket)->sin6_addr);
}

static socklen_t length_of(int family) {
    return family == AF_INET    ? (socklen_t)sizeof(struct sockaddr_in)
           : family == AF_INET6 ? (socklen_t)sizeof(struct sockaddr_in6)
                                : 0;
}

static int adopt(qdri_address *address, const struct sockaddr *socket) {
    socklen_t length = socket ? length_of(socket->sa_family) : 0;
    if (!length) return 0;
    memset(address, 0, sizeof *address);
    memcpy(&address->socket, socket, length);
    address->length = length;
    return 1;
}

/* The address of an interface: of this name, or with NULL the first that is up and no loopback. Old ones
 * first. */
static int of_interface(const char *name, qdri_address *address) {
    struct ifaddrs *all = NULL;
    int found = 0;
    if (getifaddrs(&all) != 0) return 0;
    for (int family = AF_INET; !found; family = AF_INET6) {
        for (struct ifaddrs *one = all; one && !found; one = one->ifa_next) {
            if (!one->ifa_addr || one->ifa_addr->sa_family != family || !(one->ifa_flags & IFF_UP)) continue;
            if (is_of_link(one->ifa_addr)) continue;
            if (name ? strcmp(name, one->ifa_name) == 0 : !is_loopback(one->ifa_addr))
                found = adopt(address, one->ifa_addr);
        }
        if (family == AF_INET6) break;
    }
    freeifaddrs(all);
    return found;
}

static int look_up(const char *name, int flags, qdri_address *address) {
    struct addrinfo *all = NULL, hints = {.ai_socktype = SOCK_STREAM, .ai_flags = flags};
    int code = getaddrinfo(name, NULL, &hints, &all);
    if (code != 0) return code;
    for (int family = AF_INET;; family = AF_INET6) {
        for (struct addrinfo *one = all; one; one = one->ai_next)
            if (one->ai_family == family && adopt(address, one->ai_addr)) {
                freeaddrinfo(all);
                return 0;
            }
        if (family == AF_INET6) break;
    }
    freeaddrinfo(all);
    return EAI_NONAME;
}

/* Many systems give their own name a loopback address, which is of no use to others. */
static qdr_status of_this_host(qdri_address *address) {
    char name[256];
    qdri_host_name(name, sizeof name);
    int code = look_up(name, 0, address);
    int is_none = code == 0 && is_of_link((struct sockaddr *)&address->socket);
    if (code == 0 && !is_none && !qdri_address_is_loopback(address)) return QDR_OK;
    if (of_interface(NULL, address) || (code == 0 && !is_none)) return QDR_OK;
    if (is_none) code = EAI_NONAME;
    return qdri_fail(QDR_ERR_INVALID, "the name of this host, %s, has no address (%s)", name,
                     gai_strerror(code));
}

qdr_status qdri_address_choose(const char *wanted, int loopback, qdri_address *address) {
    if (!wanted) return loopback ? qdri_address_read("127.0.0.1", 0, address) : of_this_host(address);
    if (of_interface(wanted, address)) return QDR_OK;
    int code = look_up(wanted, 0, address);
    if (code == 0 && is_of_link((struct sockaddr *)&address->socket))
        return qdri_fail(QDR_ERR_INVALID,
                         "'%.200s' is an address of one link only; expected one that is the same everywhere",
                         wanted);
    if (code == 0) return QDR_OK;
    return qdri_fail(QDR_ERR_INVALID,
                     "'%.200s' is no address, host or interface (%s); expected where to listen, such as "
                     "127.0.0.1 or eth0",
                     wanted, gai_strerror(code));
}

/* ---- addresses ----------------------------------------------------------------------------------------- */

/* Where the port and the bytes of an address are. */
static in_port_t *port_of(qdri_address *address) {
    return address->socket.ss_family == AF_INET6
               ? &((struct sockaddr_in6 *)(void *)&address->socket)->sin6_port
               : &((struct sockaddr_in *)(void *)&address->socket)->sin_port;
}

static void *bytes_of(qdri_address *address) {
    return address->socket.ss_family == AF_INET6
               ? (void *)&((struct sockaddr_in6 *)(void *)&address->socket)->sin6_addr
               : (void *)&((struct sockaddr_in *)(void *)&address->socket)->sin_addr;
}

static size_t size_of(int family) {
    return family == AF_INET6 ? 16 : 4;
}

qdr_status qdri_address_read(const char *text, int port, qdri_address *address) {
    if (look_up(text, AI_NUMERICHOST, address) != 0)
        return qdri_fail(QDR_ERR_SYNTAX, "'%.80s' is no address; expected numbers", text);
    *port_of(address) = htons((uint16_t)port);
    return QDR_OK;
}

void qdri_address_text(const qdri_address *address, char *text, size_t size) {
    qdri_address copy = *address;
    if (!inet_ntop(copy.socket.ss_family, bytes_of(&copy), text, (socklen_t)size))
        snprintf(text, size, "unknown");
}

int qdri_address_port(const qdri_address *address) {
    qdri_address copy = *address;
    return ntohs(*port_of(&copy));
}

static qdr_status listen_on(int file, qdri_address *address) {
    enum { QUEUE = 512 }; /* of those who knock: all ranks of a large program may come at once */
    socklen_t length = sizeof address->socket;
    char text[64];
    qdri_address_text(address, text, sizeof text);
    if (file < 0 || bind(file, (struct sockaddr *)&address->socket, address->length) != 0 ||
        listen(file, QUEUE) != 0 || getsockname(file, (struct sockaddr *)&address->socket, &length) != 0)
        return qdri_fail(QDR_ERR_FILE, "cannot listen on %s: %s", text, strerror(errno));
    int port = qdri_address_port(address);
    if (is_any((struct sockaddr *)&address->socket)) {
        QDRI_TRY(of_this_host(address));
        *port_of(address) = htons((uint16_t)port);
    }
    return QDR_OK;
}

qdr_status qdri_address_listen(qdri_address *address, int *file) {
    int made = socket(address->socket.ss_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    qdr_status status = listen_on(made, address);
    if (status) {
        if (made >= 0) close(made);
        return status;
    }
    *file = made;
    return QDR_OK;
}

/* ---- endpoints ----------------------------------------------------------------------------------------- */

void qdri_endpoint_write(const qdri_endpoint *endpoint, unsigned char bytes[QDRI_ENDPOINT]) {
    qdri_address copy = endpoint->address;
    int family = copy.socket.ss_family;
    memset(bytes, 0, QDRI_ENDPOINT);
    qdri_number_write(bytes, family == AF_INET6 ? 6 : 4, 2);
    qdri_number_write(bytes + 2, (uint64_t)qdri_address_port(&copy), 2);
    qdri_number_write(bytes + 4, (uint64_t)endpoint->pid, 4);
    memcpy(bytes + 8, bytes_of(&copy), size_of(family));
    snprintf((char *)bytes + 24, QDRI_ENDPOINT_HOST, "%s", endpoint->host);
}

int qdri_endpoint_read(const unsigned char bytes[QDRI_ENDPOINT], qdri_endpoint *endpoint) {
    int kind = (int)qdri_number_read(bytes, 2), family = kind == 6 ? AF_INET6 : AF_INET;
    uint64_t port = qdri_number_read(bytes + 2, 2);
    if ((kind != 4 && kind != 6) || port == 0) return 0;
    memset(endpoint, 0, sizeof *endpoint);
    endpoint->address.socket.ss_family = (sa_family_t)family;
    endpoint->address.length = length_of(family);
    *port_of(&endpoint->address) = htons((uint16_t)port);
    memcpy(bytes_of(&endpoint->address), bytes + 8, size_of(family));
    endpoint->pid = (int64_t)qdri_number_read(bytes + 4, 4);
    memcpy(endpoint->host, bytes + 24, QDRI_ENDPOINT_HOST);
    qdri_decode_text(endpoint->host, sizeof endpoint->host);
    return 1;
}

/* ---- sockets ------------------------------------------------------------------------------------------- */

void qdri_socket_prepare(int file) {
    const int on = 1, idle = 4, interval = 2, times = 3; /* ten seconds in all */
    fcntl(file, F_SETFL, fcntl(file, F_GETFL) | O_NONBLOCK);
    fcntl(file, F_SETFD, FD_CLOEXEC);
    setsockopt(file, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    setsockopt(file, SOL_SOCKET, SO_KEEPALIVE, &on, sizeof on);
    setsockopt(file, IPPROTO_TCP, TCP_KEEPIDLE, &idle, sizeof idle);
    setsockopt(file, IPPROTO_TCP, TCP_KEEPINTVL, &interval, sizeof interval);
    setsockopt(file, IPPROTO_TCP, TCP_KEEPCNT, &times, sizeof times);
}

int qdri_socket_is_lost(int file) {
    enum { QUESTIONS = 5, SILENCE = 10000 /* milliseconds */ };
    struct tcp_info info;
    socklen_t length = sizeof info;
    if (getsockopt(file, IPPROTO_TCP, TCP_INFO, &info, &length) != 0) return 0;
    return (info.tcpi_retransmits >= QUESTIONS || info.tcpi_probes >= QUESTIONS) &&
           info.tcpi_last_ack_recv >= SILENCE;
}
