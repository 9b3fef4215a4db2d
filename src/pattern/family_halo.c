/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Halo exchange of a regular mesh: the ranks form a grid of two or three dimensions, each holds a square or a
 * cube of `points` points a side, and sends the `width` outermost layers to its neighbours.
 *
 * A neighbour is an offset in {-1, 0, 1}^dimensions; what goes there is a box with `width` points along every
 * dimension in which it differs and `points` along the others. Faces differ in one dimension; with `corners`
 * the others (in 3D edges too) exchange as well. On a periodic grid two offsets can name the same rank, or
 * the rank itself: their boxes are one message.
 *
 * Rank (x, y, z) has the number (z * rows + y) * columns + x. Sides that are not given are as equal as n
 * allows.
 *
 * Cost: O(n) with at most 26 neighbours a rank.
 */
#include "family.h"

#include <inttypes.h>

#include "base/error.h"

enum { DIMENSIONS = 3, NEIGHBOURS = 27, POINTS_LIMIT = 1 << 18 }; /* 27 boxes stay below 2^59 points */

typedef struct grid {
    int dimensions, side[DIMENSIONS]; /* columns, rows, layers */
} grid;

/* The largest divisor of n that is not above its square root. */
static int middle_divisor(int n) {
    int best = 1;
    for (int divisor = 1; (int64_t)divisor * divisor <= n; divisor++)
        if (n % divisor == 0) best = divisor;
    return best;
}

static void square(int ranks, int *columns, int *rows) {
    *rows = middle_divisor(ranks);
    *columns = ranks / *rows;
}

/* The box of least surface. */
static void cube(int ranks, int side[DIMENSIONS]) {
    int64_t least = INT64_MAX;
    for (int layers = 1; (int64_t)layers * layers * layers <= ranks; layers++) {
        int columns, rows;
        if (ranks % layers) continue;
        square(ranks / layers, &columns, &rows);
        int64_t surface = (int64_t)columns * rows + (int64_t)layers * (columns + rows);
        if (surface >= least) continue;
        least = surface;
        side[0] = columns, side[1] = rows, side[2] = layers;
    }
}

static qdr_status must_divide(const qdri_spec *spec, const char *key, int64_t side, int ranks) {
    if (ranks % side == 0) return QDR_OK;
    return qdri_spec_fail(spec, QDR_ERR_RANGE,
                          "%s=%" PRId64 " does not divide %d ranks; expected a divisor of %d", key, side,
                          ranks, ranks);
}

static qdr_status shape(const qdri_spec *spec, grid *grid) {
    int ranks = (int)qdri_spec_integer(spec, "n"),
        rows_given = grid->dimensions == 3 && qdri_spec_given(spec, "rows");
    grid->side[2] = 1;
    if (qdri_spec_given(spec, "columns")) {
        int64_t columns = qdri_spec_integer(spec, "columns"), rows = 0;
        QDRI_TRY(must_divide(spec, "columns", columns, ranks));
        int rest = ranks / (int)columns;
        if (rows_given) {
            rows = qdri_spec_integer(spec, "rows");
            QDRI_TRY(must_divide(spec, "rows", rows, rest));
        }
        grid->side[0] = (int)columns;
        grid->side[1] = rows_given ? (int)rows : grid->dimensions == 2 ? rest : rest / middle_divisor(rest);
        grid->side[2] = rest / grid->side[1];
    } else if (rows_given) {
        return qdri_spec_fail(spec, QDR_ERR_SYNTAX, "rows without columns; expected both, or columns alone");
    } else if (grid->dimensions == 2) {
        square(ranks, &grid->side[0], &grid->side[1]);
    } else {
        cube(ranks, grid->side);
    }
    return QDR_OK;
}

/* The rank at an offset from the one at `place`; -1 beyond the edge. */
static int neighbour(const grid *grid, const int *place, const int *offset, int periodic) {
    int rank = 0;
    for (int d = DIMENSIONS - 1; d >= 0; d--) {
        int at = place[d] + offset[d], side = grid->side[d];
        if (!periodic && (at < 0 || at >= side)) return -1;
        rank = rank * side + (at + side) % side;
    }
    return rank;
}

/* The messages of one rank, those to the same neighbour added up. */
static void add_rank(qdri_draft *draft, const grid *grid, int origin) {
    const qdri_spec *spec = draft->spec;
    int64_t points = qdri_spec_integer(spec, "points"), width = qdri_spec_integer(spec, "width");
    int corners = qdri_spec_flag(spec, "corners"), periodic = qdri_spec_flag(spec, "periodic");
    int place[DIMENSIONS] = {origin % grid->side[0], origin / grid->side[0] % grid->side[1],
                             origin / grid->side[0] / grid->side[1]};
    int target[NEIGHBOURS], targets = 0;
    int64_t box[NEIGHBOURS];
    for (int code = 0; code < (grid->dimensions == 2 ? 9 : 27); code++) {
        int offset[DIMENSIONS] = {code % 3 - 1, code / 3 % 3 - 1, grid->dimensions == 2 ? 0 : code / 9 - 1};
        int differing = 0, at = 0;
        int64_t size = 1;
        for (int d = 0; d < grid->dimensions; d++) {
            differing += offset[d] != 0;
            size *= offset[d] ? width : points;
        }
        int rank = neighbour(grid, place, offset, periodic);
        if (differing == 0 || rank < 0 || (differing > 1 && !corners)) continue;
        while (at < targets && target[at] != rank) at++;
        if (at == targets) {
            target[targets] = rank;
            box[targets++] = 0;
        }
        box[at] += size;
    }
    for (int at = 0; at < targets; at++)
        if (box[at]) qdri_draft_add(draft, origin, target[at], box[at]);
}

static qdr_status halo(const qdri_spec *spec, int dimensions, qdr_pattern **pattern) {
    qdri_draft draft;
    grid grid = {.dimensions = dimensions};
    int64_t points = qdri_spec_integer(spec, "points"), width = qdri_spec_integer(spec, "width");
    int neighbours = !qdri_spec_flag(spec, "corners") ? 2 * dimensions : dimensions == 2 ? 8 : 26;
    if (width > points)
        return qdri_spec_fail(spec, QDR_ERR_RANGE,
                              "width=%" PRId64 " of %" PRId64 " points; expected 0 to %" PRId64, width,
                              points, points);
    QDRI_TRY(shape(spec, &grid));
    QDRI_TRY(qdri_draft_open(&draft, spec, qdri_spec_integer(spec, "n") * neighbours));
    for (int rank = 0; rank < draft.ranks; rank++) add_rank(&draft, &grid, rank);
    return qdri_draft_close(&draft, QDR_OK, pattern);
}

static qdr_status halo2d(const qdri_spec *spec, qdr_pattern **pattern) {
    return halo(spec, 2, pattern);
}

static qdr_status halo3d(const qdri_spec *spec, qdr_pattern **pattern) {
    return halo(spec, 3, pattern);
}

#define SIDE(key, meaning)                                                                                   \
    { key, QDRI_INTEGER, "", 1, QDRI_RANKS_LIMIT, NULL, meaning, 0 }
#define MESH(standard)                                                                                       \
    {"points", QDRI_INTEGER, standard, 1, POINTS_LIMIT, NULL, "points along each side of a rank's part", 0}, \
        {"width", QDRI_INTEGER, "1", 0, POINTS_LIMIT, NULL, "layers of points that are exchanged", 0},       \
        {"corners", QDRI_FLAG, "no", 0, 0, NULL, "neighbours that share no face exchange too", 0},           \
        {"periodic", QDRI_FLAG, "no", 0, 0, NULL, "the grid is closed in every dimension", 0}, {             \
        "bytes", QDRI_INTEGER, "8", 0, QDRI_BYTES_LIMIT, NULL, "bytes of a point", 0                         \
    }

static const qdri_option halo2d_options[] = {
    QDRI_OPTION_RANKS,
    SIDE("columns", "ranks along x; as square as n allows if absent"),
    MESH("256"),
};

const qdri_family qdri_family_halo2d = {
    .name = "halo2d",
    .summary = "halo exchange of a square mesh on a grid of ranks",
    .source = "",
    .example = "halo2d:n=16,points=256,width=1,corners,bytes=8",
    QDRI_OPTIONS(halo2d_options),
    .generate = halo2d,
};

static const qdri_option halo3d_options[] = {
    QDRI_OPTION_RANKS,
    SIDE("columns", "ranks along x; as cubic as n allows if absent"),
    SIDE("rows", "ranks along y, beside columns"),
    MESH("64"),
};

const qdri_family qdri_family_halo3d = {
    .name = "halo3d",
    .summary = "halo exchange of a cubic mesh on a grid of ranks",
    .source = "",
    .example = "halo3d:n=27,points=64,width=2,periodic,bytes=8",
    QDRI_OPTIONS(halo3d_options),
    .generate = halo3d,
};
