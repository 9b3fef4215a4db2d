/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The points of a mesh are cut into parts with METIS; rank i then sends to j one value for each of its points that has a
 * neighbour in part j. Entries of a row differ in size and rows in number of entries, which is what makes the pattern irregular.
 * METIS gets a fixed seed, so that the same spec is the same pattern.
 */
#include "parts.h"

#include <metis.h>
#include <stdlib.h>
#include <string.h>

#include "complain.h"

/* ---- the graph ----------------------------------------------------------------------------------------- */

typedef struct graph {
    idx_t vertices;
    idx_t *start, *neighbour;
} graph;

static int compare_vertices(const void *first, const void *second) {
    idx_t a = *(const idx_t *)first, b = *(const idx_t *)second;
    return (a > b) - (a < b);
}

/* An edge belongs to several cells: rows are filled with repetitions, sorted and cleaned. */
static graph graph_of(const cells *mesh) {
    graph graph = {mesh->points, ALLOCATE(idx_t, (int64_t)mesh->points + 1), NULL};
    int others = mesh->corners - 1;
    int64_t corners = mesh->corners * (int64_t)mesh->count;
    idx_t *fill = ALLOCATE(idx_t, (int64_t)mesh->points + 1), kept = 0;
    for (int64_t i = 0; i < corners; i++) fill[mesh->corner[i] + 1] += others;
    for (int i = 0; i < mesh->points; i++) fill[i + 1] += fill[i];
    memcpy(graph.start, fill, ((size_t)mesh->points + 1) * sizeof *fill);
    graph.neighbour = ALLOCATE(idx_t, others * corners);
    for (int64_t i = 0; i < corners; i++) {
        int64_t cell = i - i % mesh->corners;
        for (int k = 1; k <= others; k++)
            graph.neighbour[fill[mesh->corner[i]]++] = mesh->corner[cell + (i + k) % mesh->corners];
    }
    for (int i = 0; i < mesh->points; i++) {
        idx_t *row = graph.neighbour + graph.start[i], length = graph.start[i + 1] - graph.start[i];
        qsort(row, (size_t)length, sizeof *row, compare_vertices);
        graph.start[i] = kept;
        for (idx_t j = 0; j < length; j++)
            if (j == 0 || row[j] != graph.neighbour[kept - 1]) graph.neighbour[kept++] = row[j];
    }
    graph.start[mesh->points] = kept;
    free(fill);
    return graph;
}

static void graph_free(graph *graph) {
    free(graph->start);
    free(graph->neighbour);
}

/* METIS counts in a type of its own, whose width is its builder's choice. */
static int partition(const char *family, graph *graph, const parts_request *request, int *part) {
    if (request->parts == 1) return EXIT_GOOD; /* all zero already */
    idx_t *metis_part = ALLOCATE(idx_t, graph->vertices), options[METIS_NOPTIONS], constraints = 1,
          parts = (idx_t)request->parts, cut;
    METIS_SetDefaultOptions(options);
    options[METIS_OPTION_SEED] = 1;
    options[METIS_OPTION_NUMBERING] = 0;
    int status = (request->recursive ? METIS_PartGraphRecursive : METIS_PartGraphKway)(
        &graph->vertices, &constraints, graph->start, graph->neighbour, NULL, NULL, NULL, &parts, NULL, NULL,
        options, &cut, metis_part);
    for (idx_t i = 0; i < graph->vertices; i++) part[i] = (int)metis_part[i];
    free(metis_part);
    if (status == METIS_ERROR_MEMORY) return complain("out of memory");
    return status == METIS_OK ? EXIT_GOOD : complain("%s: METIS could not make %d parts", family, (int)parts);
}

/* ---- the pattern --------------------------------------------------------------------------------------- */

/* One entry per vertex and neighbouring part; sorted, equal pairs are added up. */
static int compare_pairs(const void *first, const void *second) {
    const qdr_message *a = first, *b = second;
    if (a->origin != b->origin) return a->origin < b->origin ? -1 : 1;
    return (a->destination > b->destination) - (a->destination < b->destination);
}

static int64_t halo_pairs(const graph *graph, const int *part, qdr_message *message) {
    int64_t count = 0;
    for (idx_t vertex = 0; vertex < graph->vertices; vertex++) {
        int64_t first = count;
        for (idx_t i = graph->start[vertex]; i < graph->start[vertex + 1]; i++) {
            int other = part[graph->neighbour[i]];
            int known = other == part[vertex];
            for (int64_t j = first; j < count && !known; j++) known = message[j].destination == other;
            if (!known) message[count++] = (qdr_message){part[vertex], other, 1};
        }
    }
    return count;
}

static int halo_pattern(const graph *graph, const int *part, const parts_request *request,
                        qdr_pattern **pattern) {
    qdr_message *message = ALLOCATE(qdr_message, graph->start[graph->vertices]);
    int64_t count = halo_pairs(graph, part, message), kept = 0;
    qsort(message, (size_t)count, sizeof *message, compare_pairs);
    for (int64_t i = 0; i < count; i++) {
        if (kept && !compare_pairs(&message[kept - 1], &message[i]))
            message[kept - 1].items += request->bytes;
        else
            message[kept++] = (qdr_message){message[i].origin, message[i].destination, request->bytes};
    }
    qdr_status status = qdr_pattern_create(request->parts, kept, message, pattern);
    free(message);
    return status ? complain_library() : EXIT_GOOD;
}

int parts_pattern(const cells *cells, const parts_request *request, int *part, qdr_pattern **pattern) {
    graph graph = graph_of(cells);
    int code = partition(cells->family, &graph, request, part);
    if (!code) code = halo_pattern(&graph, part, request, pattern);
    graph_free(&graph);
    return code;
}
