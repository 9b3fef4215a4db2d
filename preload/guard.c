/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A library is built for one MPI, and handles of another mean nothing to it: a program of the other would
 * fail in strange ways. So when it is loaded, before anything else happens, it looks whether the process has
 * an MPI of another kind, says which library to take, and ends. Processes without any MPI (shells, launchers)
 * go on.
 */
#include <link.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "preload.h"

#if defined(OPEN_MPI)
static const char own[] = "Open MPI", other[] = "MPICH or one of its kin",
                  remedy[] = "libquadrille-mpi-mpich.so";
static const char *const foreign[] = {"/libmpich.so", "/libmpi.so.12"};
#else
static const char own[] = "MPICH", other[] = "Open MPI", remedy[] = "libquadrille-mpi-openmpi.so";
static const char *const foreign[] = {"/libmpi.so.40", "/libmpi.so.20", "/libopen-pal.so"};
#endif

static int look(struct dl_phdr_info *object, size_t size, void *found) {
    (void)size;
    for (size_t i = 0; i < sizeof foreign / sizeof *foreign; i++)
        if (strstr(object->dlpi_name, foreign[i])) snprintf(found, 256, "%s", object->dlpi_name);
    return 0;
}

__attribute__((constructor)) static void guard(void) {
    char found[256] = "";
    dl_iterate_phdr(look, found);
    if (!found[0]) return;
    qdri_preload_say("the preloaded library is for %s, but this program runs on %s (%s); preload %s instead",
                     own, other, found, remedy);
    _exit(1);
}
