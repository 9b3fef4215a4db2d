/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * From a map to a pattern in a file. A rank knows its own messages alone, in elements. Said again in bytes they are
 * partners, and partners can gather the whole matrix. Nothing is discovered twice: the map knows both sides.
 */
#include "pattern_file.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

static int64_t *in_bytes(int count, const int64_t *items, int64_t element_bytes) {
    int64_t *bytes = calloc((size_t)count + 1, sizeof *bytes);
    if (!bytes) abort();
    for (int i = 0; i < count; i++) bytes[i] = items[i] * element_bytes;
    return bytes;
}

static qdr_status gather(MPI_Comm comm, const qdr_map *map, int64_t element_bytes, qdr_pattern **pattern) {
    qdr_partners_view view = qdr_map_look(map);
    int64_t *out = in_bytes(view.sends, view.send_items, element_bytes);
    int64_t *in = in_bytes(view.receives, view.receive_items, element_bytes);
    qdr_partners *partners = NULL;
    qdr_status status = qdr_partners_from_both(comm, view.sends, view.destination, out, view.receives,
                                               view.source, in, 1, &partners);
    if (!status) status = qdr_partners_gather(partners, pattern);
    qdr_partners_destroy(&partners);
    free(out);
    free(in);
    return status;
}

static qdr_status write_file(const qdr_pattern *pattern, const char *path) {
    FILE *file = fopen(path, "w");
    qdr_status status = file ? qdr_pattern_write(pattern, file) : QDR_ERR_FILE;
    if (file && fclose(file) != 0) status = QDR_ERR_FILE;
    if (status) perror(path);
    return status;
}

qdr_status show_pattern(MPI_Comm comm, const qdr_map *map, int64_t element_bytes, const char *path) {
    qdr_pattern *pattern = NULL;
    int rank;
    MPI_Comm_rank(comm, &rank);
    qdr_status status = gather(comm, map, element_bytes, &pattern);
    if (!status && rank == 0) {
        qdr_pattern_statistics has;
        qdr_pattern_measure(pattern, &has);
        printf("%" PRId64 " messages, %.1f%% of a complete exchange, of %.0f bytes on average\n",
               has.messages, 100 * has.density, has.mean);
        if (path) status = write_file(pattern, path);
    }
    qdr_pattern_destroy(&pattern);
    int whole = status; /* whether the file is written, rank 0 alone knows */
    MPI_Bcast(&whole, 1, MPI_INT, 0, comm);
    return (qdr_status)whole;
}
