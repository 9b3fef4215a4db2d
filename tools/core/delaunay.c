/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Qhull lifts the points onto a paraboloid and takes the lower side of the convex hull. It explains its failures at length on
 * a stream; one line must do, so the stream leads nowhere.
 */
#include "delaunay.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <libqhull_r/qhull_ra.h>

#include "complain.h"

static void collect(qhT *qh, int corners, int **corner, int *simplices) {
    facetT *facet;
    vertexT *vertex, **vertexp;
    int *made = ALLOCATE(int, corners *(int64_t)qh->num_facets), kept = 0;
    FORALLfacets {
        int *place = made + (int64_t)corners * kept, count = 0;
        if (facet->upperdelaunay || !facet->simplicial) continue;
        FOREACHvertex_(facet->vertices) {
            if (count < corners) place[count] = qh_pointid(qh, vertex->point);
            count++;
        }
        kept += count == corners;
    }
    *corner = made;
    *simplices = kept;
}

int delaunay(const char *family, int dimensions, int points, const double *coordinate, int **corner,
             int *simplices) {
    qhT state, *qh = &state;
    int curlong, totlong, failed;
    int64_t numbers = dimensions * (int64_t)points;
    char command[] = "qhull d Qt Qbb Qc Qz";
    coordT *copy = ALLOCATE(coordT, numbers); /* Qhull may write to it */
    FILE *silence = fopen("/dev/null", "w"), *errors = silence ? silence : stderr;
    for (int64_t i = 0; i < numbers; i++) copy[i] = coordinate[i];
    qh_zero(qh, errors);
    failed = qh_new_qhull(qh, dimensions, points, copy, False, command, silence, errors);
    if (!failed) collect(qh, dimensions + 1, corner, simplices);
    qh_freeqhull(qh, !qh_ALL);
    qh_memfreeshort(qh, &curlong, &totlong);
    if (silence) fclose(silence);
    free(copy);
    if (failed == qh_ERRmem) return complain("out of memory");
    return failed ? complain("%s: Qhull could not triangulate %d points", family, points) : EXIT_GOOD;
}
