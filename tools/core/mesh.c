/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The halo exchange of an airfoil mesh (NICE, test set 2). The vertices are cut into n parts with METIS; rank
 * i then sends to j one value for each of its vertices that has a neighbour in part j. Entries of a row
 * differ in size and rows in number of entries, which is what makes the pattern irregular. METIS gets a fixed
 * seed, so that the same spec is the same pattern.
 */
#include "mesh.h"

#include <inttypes.h>
#include <metis.h>
#include <stdlib.h>
#include <string.h>

#include "complain.h"
#include "units.h"

const qdr_pattern_family_info mesh_family = {
    .name = "mesh",
    .summary = "halo exchange of an unstructured airfoil mesh, partitioned with METIS",
    .source = "NICE, test set 2",
    .example = "mesh:n=32,points=2800,bytes=8,seed=1",
    .options = "n=32  ranks: parts of the mesh\n"
               "points=2800  vertices of the mesh\n"
               "bytes=8  size of the value sent per vertex\n"
               "seed=1  of the random shifts of the points\n"
               "partition=kway  kway or recursive\n",
};

/* ---- the spec ------------------------------------------------------------------------------------------ */

typedef struct mesh_spec {
    int64_t ranks, points, bytes, seed;
    int recursive;
} mesh_spec;

int mesh_is_spec(const char *text) {
    return !strncmp(text, "mesh", 4) && (text[4] == ':' || !text[4]);
}

static int read_pair(const char *text, const char *pair, mesh_spec *spec, unsigned *seen) {
    const struct {
        const char *key;
        int64_t lowest, highest, *value;
    } numbers[] = {{"n", 1, AIRFOIL_MOST_POINTS, &spec->ranks},
                   {"points", AIRFOIL_FEWEST_POINTS, AIRFOIL_MOST_POINTS, &spec->points},
                   {"bytes", 1, INT64_C(1) << 40, &spec->bytes},
                   {"seed", 0, INT64_C(1) << 62, &spec->seed},
                   {"partition", 0, 0, NULL}};
    size_t count = sizeof numbers / sizeof *numbers, length = strcspn(pair, "="), i = 0;
    const char *value = pair[length] ? pair + length + 1 : "";
    while (i < count && (strlen(numbers[i].key) != length || strncmp(pair, numbers[i].key, length))) i++;
    if (i == count)
        return complain("pattern '%.200s': '%.*s' is not a key; mesh takes n, points, bytes, seed, partition",
                        text, (int)length, pair);
    if (*seen & 1U << i) return complain("pattern '%.200s': '%s' is given twice", text, numbers[i].key);
    *seen |= 1U << i;
    if (!numbers[i].value) {
        spec->recursive = !strcmp(value, "recursive");
        if (spec->recursive || !strcmp(value, "kway")) return EXIT_GOOD;
        return complain("pattern '%.200s': '%s' is not valid; expected one of kway, recursive", text, pair);
    }
    if (!units_read_count(value, numbers[i].value) || *numbers[i].value < numbers[i].lowest ||
        *numbers[i].value > numbers[i].highest)
        return complain("pattern '%.200s': '%s' is not valid; expected %" PRId64 " to %" PRId64, text, pair,
                        numbers[i].lowest, numbers[i].highest);
    return EXIT_GOOD;
}

static int read_spec(const char *text, mesh_spec *spec) {
    const char *pairs = text + strlen(mesh_family.name);
    unsigned seen = 0;
    int code = EXIT_GOOD;
    *spec = (mesh_spec){32, 2800, 8, 1, 0};
    while (*pairs && !code) {
        size_t span = strcspn(++pairs, ",");
        if (!span) return complain("pattern '%.200s': expected KEY=VALUE, found nothing", text);
        char *pair = print_text("%.*s", (int)span, pairs);
        code = read_pair(text, pair, spec, &seen);
        free(pair);
        pairs += span;
    }
    if (!code && spec->ranks > spec->points)
        return complain("pattern '%.200s': n=%" PRId64 " is more than the %" PRId64 " points", text,
                        spec->ranks, spec->points);
    return code;
}

/* ---- the graph ----------------------------------------------------------------------------------------- */

typedef struct graph {
    idx_t vertices;
    idx_t *start, *neighbour;
} graph;

static int compare_vertices(const void *first, const void *second) {
    idx_t a = *(const idx_t *)first, b = *(const idx_t *)second;
    return (a > b) - (a < b);
}

/* Each inner edge belongs to two triangles: rows are filled with repetitions, sorted and cleaned. */
static graph graph_of(const airfoil *mesh) {
    graph graph = {mesh->points, ALLOCATE(idx_t, (int64_t)mesh->points + 1), NULL};
    int64_t corners = 3 * (int64_t)mesh->triangles;
    idx_t *fill = ALLOCATE(idx_t, (int64_t)mesh->points + 1), kept = 0;
    for (int64_t i = 0; i < corners; i++) fill[mesh->corner[i] + 1] += 2;
    for (int i = 0; i < mesh->points; i++) fill[i + 1] += fill[i];
    memcpy(graph.start, fill, ((size_t)mesh->points + 1) * sizeof *fill);
    graph.neighbour = ALLOCATE(idx_t, 2 * corners);
    for (int64_t i = 0; i < corners; i++) {
        int64_t triangle = i - i % 3;
        graph.neighbour[fill[mesh->corner[i]]++] = mesh->corner[triangle + (i + 1) % 3];
        graph.neighbour[fill[mesh->corner[i]]++] = mesh->corner[triangle + (i + 2) % 3];
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
static int partition(graph *graph, const mesh_spec *spec, int *part) {
    if (spec->ranks == 1) return EXIT_GOOD; /* all zero already */
    idx_t *metis_part = ALLOCATE(idx_t, graph->vertices), options[METIS_NOPTIONS], constraints = 1,
          parts = (idx_t)spec->ranks, cut;
    METIS_SetDefaultOptions(options);
    options[METIS_OPTION_SEED] = 1;
    options[METIS_OPTION_NUMBERING] = 0;
    int status = (spec->recursive ? METIS_PartGraphRecursive : METIS_PartGraphKway)(
        &graph->vertices, &constraints, graph->start, graph->neighbour, NULL, NULL, NULL, &parts, NULL, NULL,
        options, &cut, metis_part);
    for (idx_t i = 0; i < graph->vertices; i++) part[i] = (int)metis_part[i];
    free(metis_part);
    if (status == METIS_ERROR_MEMORY) return complain("out of memory");
    return status == METIS_OK ? EXIT_GOOD : complain("mesh: METIS could not make %d parts", (int)parts);
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

static int halo_pattern(const graph *graph, const int *part, const mesh_spec *spec, qdr_pattern **pattern) {
    qdr_message *message = ALLOCATE(qdr_message, graph->start[graph->vertices]);
    int64_t count = halo_pairs(graph, part, message), kept = 0;
    qsort(message, (size_t)count, sizeof *message, compare_pairs);
    for (int64_t i = 0; i < count; i++) {
        if (kept && !compare_pairs(&message[kept - 1], &message[i]))
            message[kept - 1].items += spec->bytes;
        else
            message[kept++] = (qdr_message){message[i].origin, message[i].destination, spec->bytes};
    }
    qdr_status status = qdr_pattern_create((int)spec->ranks, kept, message, pattern);
    free(message);
    return status ? complain_library() : EXIT_GOOD;
}

int mesh_pattern(const char *text, FILE *drawing, qdr_pattern **pattern) {
    mesh_spec spec;
    airfoil mesh;
    int code = read_spec(text, &spec);
    if (!code) code = airfoil_create((int)spec.points, (uint64_t)spec.seed, &mesh);
    if (code) return code;
    graph graph = graph_of(&mesh);
    int *part = ALLOCATE(int, mesh.points);
    code = partition(&graph, &spec, part);
    if (!code) code = halo_pattern(&graph, part, &spec, pattern);
    if (!code && drawing) code = mesh_draw(&mesh, part, (int)spec.ranks, text, drawing);
    free(part);
    graph_free(&graph);
    airfoil_destroy(&mesh);
    return code;
}
