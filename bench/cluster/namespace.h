/* SPDX-License-Identifier: BSD-3-Clause */
/* Network namespaces, by name, for the programs of scripts/cluster. */
#ifndef NAMESPACE_H
#define NAMESPACE_H

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static inline void give_up(const char *what) {
    fprintf(stderr, "%s: %s: %s\n", program_invocation_short_name, what, strerror(errno));
    exit(1);
}

/* What is made from then on belongs to it. */
static inline void enter_namespace(const char *name) {
    char path[200];
    snprintf(path, sizeof path, "/run/netns/%s", name);
    int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0 || setns(file, CLONE_NEWNET) != 0) give_up(path);
    close(file);
}

#endif
