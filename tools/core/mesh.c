/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The two families of unstructured meshes: what their specs say, and how a spec becomes a mesh, parts and a pattern.
 *
 *     mesh     triangles around an airfoil (NICE, test set 2)
 *     mesh3d   tetrahedra around a sphere (CM-5 paper, table 12: Euler solver)
 *
 * They share all but the points: the triangulation is delaunay.h, the parts and their halo are parts.h. The one in space is cut
 * by bisection unless it is asked otherwise: k-way leaves parts of so few points, 17 with 545 on 32 ranks, in several pieces
 * each, with half as many neighbours again.
 */
#include "mesh.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "airfoil.h"
#include "complain.h"
#include "mesh_draw.h"
#include "parts.h"
#include "sphere.h"
#include "units.h"

typedef struct mesh_spec {
    int64_t ranks, points, bytes, seed;
    int recursive;
} mesh_spec;

/* ---- the families -------------------------------------------------------------------------------------- */

typedef struct mesh_kind {
    qdr_pattern_family_info info;
    mesh_spec standard;
    int fewest, most; /* points */
    int (*make)(const char *text, const mesh_spec *spec, FILE *drawing, qdr_pattern **pattern);
} mesh_kind;

static int make_plane(const char *text, const mesh_spec *spec, FILE *drawing, qdr_pattern **pattern);
static int make_space(const char *text, const mesh_spec *spec, FILE *drawing, qdr_pattern **pattern);

#define OPTIONS(points, bytes, partition)                                                                    \
    "n=32  ranks: parts of the mesh\n"                                                                       \
    "points=" points "  vertices of the mesh\n"                                                              \
    "bytes=" bytes "  size of the value sent per vertex\n"                                                   \
    "seed=1  of the random shifts of the points\n"                                                           \
    "partition=" partition "  kway or recursive\n"

static const mesh_kind kinds[] = {
    {.info = {.name = "mesh",
              .summary = "halo exchange of an unstructured airfoil mesh, partitioned with METIS",
              .source = "NICE, test set 2",
              .example = "mesh:n=32,points=2800,bytes=8,seed=1",
              .options = OPTIONS("2800", "8", "kway")},
     .standard = {32, 2800, 8, 1, 0},
     .fewest = AIRFOIL_FEWEST_POINTS,
     .most = AIRFOIL_MOST_POINTS,
     .make = make_plane},
    {.info = {.name = "mesh3d",
              .summary = "halo exchange of tetrahedra around a sphere, partitioned with METIS",
              .source = "CM-5 scheduling, table 12: Euler solver",
              .example = "mesh3d:n=32,points=2000,bytes=20,seed=1",
              .options = OPTIONS("2000", "20", "recursive")},
     .standard = {32, 2000, 20, 1, 1},
     .fewest = SPHERE_FEWEST_POINTS,
     .most = SPHERE_MOST_POINTS,
     .make = make_space},
};

enum { KINDS = sizeof kinds / sizeof *kinds };

const qdr_pattern_family_info *mesh_family(int index) {
    return index >= 0 && index < KINDS ? &kinds[index].info : NULL;
}

static const mesh_kind *kind_of(const char *text) {
    size_t length = strcspn(text, ":");
    for (int i = 0; i < KINDS; i++)
        if (strlen(kinds[i].info.name) == length && !strncmp(kinds[i].info.name, text, length))
            return &kinds[i];
    return NULL;
}

int mesh_is_spec(const char *text) {
    return kind_of(text) != NULL;
}

/* ---- the spec ------------------------------------------------------------------------------------------ */

static int read_pair(const mesh_kind *kind, const char *text, const char *pair, mesh_spec *spec,
                     unsigned *seen) {
    const struct {
        const char *key;
        int64_t lowest, highest, *value;
    } numbers[] = {{"n", 1, kind->most, &spec->ranks},
                   {"points", kind->fewest, kind->most, &spec->points},
                   {"bytes", 1, INT64_C(1) << 40, &spec->bytes},
                   {"seed", 0, INT64_C(1) << 62, &spec->seed},
                   {"partition", 0, 0, NULL}};
    size_t count = sizeof numbers / sizeof *numbers, length = strcspn(pair, "="), i = 0;
    const char *value = pair[length] ? pair + length + 1 : "";
    while (i < count && (strlen(numbers[i].key) != length || strncmp(pair, numbers[i].key, length))) i++;
    if (i == count)
        return complain("pattern '%.200s': '%.*s' is not a key; %s takes n, points, bytes, seed, partition",
                        text, (int)length, pair, kind->info.name);
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

static int read_spec(const mesh_kind *kind, const char *text, mesh_spec *spec) {
    const char *pairs = text + strlen(kind->info.name);
    unsigned seen = 0;
    int code = EXIT_GOOD;
    *spec = kind->standard;
    while (*pairs && !code) {
        size_t span = strcspn(++pairs, ",");
        if (!span) return complain("pattern '%.200s': expected KEY=VALUE, found nothing", text);
        char *pair = print_text("%.*s", (int)span, pairs);
        code = read_pair(kind, text, pair, spec, &seen);
        free(pair);
        pairs += span;
    }
    if (!code && spec->ranks > spec->points)
        return complain("pattern '%.200s': n=%" PRId64 " is more than the %" PRId64 " points", text,
                        spec->ranks, spec->points);
    return code;
}

/* ---- the pattern --------------------------------------------------------------------------------------- */

static int cut(const mesh_spec *spec, cells cells, int **part, qdr_pattern **pattern) {
    parts_request request = {(int)spec->ranks, spec->bytes, spec->recursive};
    *part = ALLOCATE(int, cells.points);
    return parts_pattern(&cells, &request, *part, pattern);
}

static int make_plane(const char *text, const mesh_spec *spec, FILE *drawing, qdr_pattern **pattern) {
    airfoil mesh;
    int *part, code = airfoil_create((int)spec->points, (uint64_t)spec->seed, &mesh);
    if (code) return code;
    code = cut(spec, (cells){"mesh", mesh.points, 3, mesh.triangles, mesh.corner}, &part, pattern);
    if (!code && drawing) code = mesh_draw(&mesh, part, (int)spec->ranks, text, drawing);
    free(part);
    airfoil_destroy(&mesh);
    return code;
}

static int make_space(const char *text, const mesh_spec *spec, FILE *drawing, qdr_pattern **pattern) {
    sphere mesh;
    int *part;
    if (drawing)
        return complain("'%.200s' has three dimensions and no picture; expected a mesh of two", text);
    int code = sphere_create((int)spec->points, (uint64_t)spec->seed, &mesh);
    if (code) return code;
    code = cut(spec, (cells){"mesh3d", mesh.points, 4, mesh.tetrahedra, mesh.corner}, &part, pattern);
    free(part);
    sphere_destroy(&mesh);
    return code;
}

int mesh_pattern(const char *text, FILE *drawing, qdr_pattern **pattern) {
    const mesh_kind *kind = kind_of(text);
    mesh_spec spec;
    int code = read_spec(kind, text, &spec);
    return code ? code : kind->make(text, &spec, drawing, pattern);
}
