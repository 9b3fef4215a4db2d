/* SPDX-License-Identifier: BSD-3-Clause */
/* Which host this is: see host.h. */
#include "base/host.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/random.h"

void qdri_host_name(char *name, size_t size) {
    if (gethostname(name, size) != 0) snprintf(name, size, "unknown");
    name[size - 1] = '\0';
    for (char *c = name; *c; c++)
        if (!strchr("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.", *c)) *c = '.';
    if (!*name) snprintf(name, size, "unknown");
}

int64_t qdri_host_boot(void) {
    char text[64];
    FILE *file = fopen("/proc/sys/kernel/random/boot_id", "re");
    if (!file) return 0;
    size_t length = fread(text, 1, sizeof text, file);
    uint64_t digest = 0;
    fclose(file);
    for (size_t i = 0; i < length; i++) digest = qdri_mix(digest ^ (unsigned char)text[i]);
    return (int64_t)(digest >> 2);
}

int64_t qdri_host_space(void) {
    struct stat space;
    return stat("/proc/self/ns/pid", &space) == 0 ? (int64_t)space.st_ino : 0;
}

int64_t qdri_host_digest(int rank, int node_ranks) {
    char name[256];
    uint64_t digest = qdri_mix((uint64_t)qdri_host_boot());
    qdri_host_name(name, sizeof name);
    for (const char *at = name; *at; at++) digest = qdri_mix(digest ^ (unsigned char)*at);
    digest = qdri_mix(digest ^ (uint64_t)qdri_host_space());
    digest = qdri_mix(digest ^ (uint64_t)(node_ranks > 0 ? 1 + rank / node_ranks : 0));
    return (int64_t)(digest >> 1);
}
