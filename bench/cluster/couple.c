/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Coupling over TCP when many send to few: the wires of the few are the bound.
 *
 *     scripts/cluster with 12 -- build/bench/cluster/couple IMPORTERS MBIT
 *
 * All ranks but the last IMPORTERS export an array of which every importer needs something from every exporter; the two
 * programs are coupled over TCP, with sockets on the first interface that is not the loopback. One import follows the
 * other. Prints the time of an import and its ratio to the bound of the wire, that of the importer that takes the most;
 * exits with 1 when it is above the bar.
 */
#include <arpa/inet.h>
#include <ifaddrs.h>
#include <math.h>
#include <mpi.h>
#include <net/if.h>
#include <stdio.h>
#include <stdlib.h>

#include "quadrille/couple.h"

static const double bar = 1.25;
enum {
    EACH = 2500000,
    TIMES = 9,
    BEFORE = 3
}; /* bytes that come to an importer; imports; those that do not count */

static void must(qdr_status status) {
    if (!status) return;
    fprintf(stderr, "couple: %s: %s\n", qdr_status_text(status), qdr_error_message());
    MPI_Abort(MPI_COMM_WORLD, 2);
}

static int compare(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* NULL: there is none. */
static const char *own_address(void) {
    static char text[INET_ADDRSTRLEN];
    struct ifaddrs *all = NULL;
    const char *found = NULL;
    if (getifaddrs(&all)) return NULL;
    for (const struct ifaddrs *one = all; one && !found; one = one->ifa_next)
        if (one->ifa_addr && one->ifa_addr->sa_family == AF_INET && !(one->ifa_flags & IFF_LOOPBACK))
            found = inet_ntop(AF_INET, &((const struct sockaddr_in *)(const void *)one->ifa_addr)->sin_addr,
                              text, sizeof text);
    freeifaddrs(all);
    return found;
}

/* Each export waits for room in the queue, and each import for its export. The median of an import. */
static double transfer(qdr_stream *stream, int exports, int64_t elements) {
    double *data = calloc((size_t)elements + 1, sizeof *data), taken[TIMES];
    const void *out[1] = {data};
    void *in[1] = {data};
    for (int i = 0; i < TIMES; i++) {
        double begin = MPI_Wtime();
        for (int64_t k = 0; k < elements && exports; k++) data[k] = i;
        must(exports ? qdr_export(stream, i, out) : qdr_import(stream, i, QDR_EXACT, 0, in, NULL));
        taken[i] = MPI_Wtime() - begin;
        if (!exports && (data[0] != i || data[elements - 1] != i)) must(QDR_ERR_MISMATCH);
    }
    must(qdr_stream_destroy(&stream));
    free(data);
    qsort(taken + BEFORE, TIMES - BEFORE, sizeof *taken, compare);
    return taken[(BEFORE + TIMES) / 2];
}

int main(int count, char **word) {
    int rank, ranks, importers = count > 1 ? atoi(word[1]) : 0;
    double rate = (count > 2 ? atof(word[2]) : 0) * 1e6 / 8;
    MPI_Init(&count, &word);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (importers < 1 || importers >= ranks || !(rate > 0)) {
        if (rank == 0) fprintf(stderr, "usage: couple IMPORTERS MBIT, on more ranks than these\n");
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    int exports = rank < ranks - importers, parts = exports ? ranks - importers : importers;
    int64_t extent =
        (int64_t)importers * EACH / (int64_t)sizeof(double) / (ranks - importers) * (ranks - importers);
    qdr_program *program;
    qdr_coupling *coupling;
    qdr_stream *stream;
    qdr_layout *layout;
    qdr_coupling_options how = QDR_COUPLING_OPTIONS;
    how.transport = "tcp";
    how.directory = "/tmp";
    how.address = own_address();
    must(qdr_program_create(MPI_COMM_WORLD, exports ? "many" : "few", 0, &program));
    must(qdr_coupling_create(program, exports ? "few" : "many", &how, &coupling));
    /* Exporters have every so-many-th element, importers blocks: all send to all. */
    qdr_axis axis = {.extent = extent, .spread = exports ? QDR_CYCLIC : QDR_BLOCK, .parts = parts};
    must(qdr_layout_regular(1, &axis, NULL, &layout));
    qdr_coupled field = {.name = "f", .layout = layout, .type = QDR_DOUBLE};
    must(qdr_stream_create(coupling, "s", exports, exports ? &field : NULL, !exports, exports ? NULL : &field,
                           NULL, &stream));
    double bytes = (double)qdr_stream_look(stream).bytes_in, most_bytes, most;
    double seconds = transfer(stream, exports, extent / parts);
    if (exports) seconds = 0;
    MPI_Allreduce(&bytes, &most_bytes, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    MPI_Allreduce(&seconds, &most, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    double bound = most_bytes * 1514 / 1448 / rate, ratio = most / bound;
    if (rank == 0)
        printf("%d ranks export to %d over TCP: %.1f ms, %.2f of the bound of %.1f ms (at most %.2f: %s)\n",
               ranks - importers, importers, 1e3 * most, ratio, 1e3 * bound, bar,
               ratio <= bar ? "reached" : "MISSED");
    qdr_layout_destroy(&layout);
    must(qdr_coupling_destroy(&coupling));
    must(qdr_program_destroy(&program));
    MPI_Finalize();
    return ratio > bar;
}
