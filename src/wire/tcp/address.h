/* SPDX-License-Identifier: BSD-3-Clause */
/* Addresses to listen on and to call, and sockets as bridges want them. */
#ifndef QDRI_ADDRESS_H
#define QDRI_ADDRESS_H

#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>

#include "quadrille/base.h"

typedef struct qdri_address {
    struct sockaddr_storage socket;
    socklen_t length;
} qdri_address;

/* Where a rank listens, and who it is; as it travels, QDRI_ENDPOINT bytes. */
enum { QDRI_ENDPOINT = 64, QDRI_ENDPOINT_HOST = 36 };
typedef struct qdri_endpoint {
    qdri_address address;
    int64_t pid;
    char host[QDRI_ENDPOINT_HOST];
} qdri_endpoint;

/* Whether the file system of a directory is this host's alone. */
int qdri_is_local_directory(const char *directory);

/* `wanted` is an address, a host's name or an interface's; NULL: loopback or the address of this host's
 * name. Never an address that means another host on each link. */
qdr_status qdri_address_choose(const char *wanted, int loopback, qdri_address *address);

/* Of numbers alone: no name is looked up. */
qdr_status qdri_address_read(const char *text, int port, qdri_address *address);
/* "127.0.0.1", and the port. */
void qdri_address_text(const qdri_address *address, char *text, size_t size);
int qdri_address_port(const qdri_address *address);
/* Only processes of the same host reach it. */
int qdri_address_is_loopback(const qdri_address *address);
/* Whether two ranks that can reach each other, and listen there, are on one host: they have one address, whatever their
 * ports. A host with several may be two. */
int qdri_address_shares_host(const qdri_address *address, const qdri_address *other);

/* Listens; the address then has its port, and stands for this host where it was that of all interfaces. */
qdr_status qdri_address_listen(qdri_address *address, int *file);

void qdri_endpoint_write(const qdri_endpoint *endpoint, unsigned char bytes[QDRI_ENDPOINT]);
/* False: it is none. */
int qdri_endpoint_read(const unsigned char bytes[QDRI_ENDPOINT], qdri_endpoint *endpoint);

/* Does not block, is not inherited, sends at once, notices a host that is gone. */
void qdri_socket_prepare(int file);
/* Whether the other host has been silent for too long although it owes an answer. */
int qdri_socket_is_lost(int file);

#endif
