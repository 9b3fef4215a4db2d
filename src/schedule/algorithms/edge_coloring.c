/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Exact edge colouring by Euler splits.
 *
 * First the graph is made regular: vertices of one side are merged while their degrees together stay within
 * the largest degree D (edges that differ in a merged vertex differ in its parts), which leaves at most about
 * 2m/D vertices a side, and the free places are filled with edges that stand for nothing. The result is a
 * table of N rows with D places, place = right end; the left end of a place is its row.
 *
 * D even: the places are paired, in each row (0,1), (2,3), ... and for each right end in the order of its
 * places. Every place is then in one pair of its row and one pair of its right end, the pairs form cycles of
 * even length, and going round each cycle colouring places alternately splits the table into two of N rows
 * with D/2 places. The row's pair is a bit of the place number, so that one step of the walk is one load.
 *
 * D odd: a perfect matching becomes one colour, and D - 1 is even. It is found by random walks (Goel,
 * Kapralov and Khanna 2010): from a free row take random places until a free right end is met, and augment
 * along the walk without its loops, that is along the last place taken in each row. In a regular graph all
 * walks together take O(N log N) steps on average, wherever the graph comes from.
 *
 * The halves are solved depth first, in two buffers that change roles: soon all of it lies in cache.
 */
#include "schedule/algorithms/edge_coloring.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/random.h"

#define NOTHING UINT32_MAX /* the edge of a place that stands for none */

typedef struct place {
    int32_t right;
    uint32_t edge;
} place;

typedef struct work {
    int32_t rows;
    int32_t *colour;
    int32_t *mate; /* [places]: the other place of the right end's pair */
    int32_t
        *mark; /* [pairs]: 0 not visited, else 2 * (segment + 1) + the place that goes to the first half */
    int32_t
        *joined; /* [segments]: 2 * (another segment, or itself) + whether the two are coloured contrarily */
    int64_t segments, segment_capacity;
    int32_t *waiting; /* [rows]: a right end's place without mate, or -1; while matching: its row, or -1 */
    int32_t *tried;   /* [rows]: the place last tried in a row */
    int32_t *taken;   /* [rows]: the place matched */
    qdri_random random;
} work;

/* ---- even degree: split -------------------------------------------------------------------------------- */

static void pair_right_ends(work *w, const place *table, int32_t places) {
    memset(w->waiting, 0xff, (size_t)w->rows * sizeof *w->waiting);
    for (int32_t p = 0; p < places; p++) {
        int32_t *waiting = &w->waiting[table[p].right], other = *waiting;
        w->mate[p] = other;
        if (other >= 0) w->mate[other] = p;
        *waiting = other >= 0 ? -1 : p;
    }
}

/*
 * One walk is a chain of loads, each waiting for the one before; so several walk at the same time. Where one
 * comes to a pair that another has coloured, its segment of the cycle ends, and the two segments agree or one
 * of them has to be turned round; all such verdicts of a cycle are consistent, because its length is even. A
 * forest with parities keeps them. A walk that comes back to its own segment has closed a cycle, and its
 * segment may go on with the next one.
 */
enum { WALKERS = 8 };

static int32_t root_of(const work *w, int32_t segment, int32_t *contrary) {
    for (*contrary = 0; w->joined[segment] >> 1 != segment; segment = w->joined[segment] >> 1)
        *contrary ^= w->joined[segment] & 1;
    return segment;
}

static void join(work *w, int32_t one, int32_t other, int32_t contrary) {
    int32_t turn_one, turn_other, root = root_of(w, one, &turn_one), onto = root_of(w, other, &turn_other);
    if (root != onto) w->joined[root] = 2 * onto + (turn_one ^ turn_other ^ contrary);
}

static int open_segment(work *w) {
    if (w->segments >= INT32_MAX / 4 ||
        !qdri_grow(&w->joined, &w->segment_capacity, w->segments + 1, sizeof *w->joined))
        return 0;
    w->joined[w->segments] = (int32_t)(2 * w->segments);
    w->segments++;
    return 1;
}

typedef struct walker {
    int32_t place, segment;
} walker;

/* Colours until the walk meets a coloured pair; each call is one step. Returns 0 then. */
static inline int step(work *w, walker *walk) {
    int32_t pair = walk->place >> 1;
    if (w->mark[pair]) return 0;
    w->mark[pair] = 2 * (walk->segment + 1) + (walk->place & 1);
    walk->place = w->mate[walk->place ^ 1];
    return 1;
}

/* Begins a segment. Two that begin back to back walk apart, so the one that comes later looks behind itself.
 */
static void start(work *w, walker *walk, int32_t place) {
    int32_t behind = w->mate[place], mark = w->mark[behind >> 1];
    if (mark) join(w, walk->segment, (mark >> 1) - 1, !((mark ^ behind) & 1));
    walk->place = place;
    step(w, walk);
}

static int end_segment(work *w, walker *walk) {
    int32_t mark = w->mark[walk->place >> 1], met = (mark >> 1) - 1;
    if (met == walk->segment) return 1;
    join(w, walk->segment, met, (mark ^ walk->place) & 1);
    walk->segment = (int32_t)w->segments;
    return open_segment(w);
}

static int walk_cycles(work *w, int32_t places) {
    walker walk[WALKERS];
    int walking = 0;
    int32_t next = 0;
    memset(w->mark, 0, (size_t)places / 2 * sizeof *w->mark);
    w->segments = 0;
    for (int i = 0; i < WALKERS; i++) {
        walk[i].segment = i;
        if (!open_segment(w)) return 0;
    }
    for (;;) {
        for (; walking < WALKERS; walking++) {
            while (next < places && w->mark[next >> 1]) next += 2;
            if (next == places) break;
            start(w, &walk[walking], next);
        }
        if (walking == 0) return 1;
        for (int i = 0; i < walking; i++) {
            if (step(w, &walk[i])) continue;
            if (!end_segment(w, &walk[i])) return 0;
            walker ended = walk[i]; /* the last one takes its seat; its segment waits there for a start */
            walk[i--] = walk[--walking];
            walk[walking] = ended;
        }
    }
}

/* Afterwards joined[] is 0 or 1: turned round or not. */
static void settle_segments(work *w) {
    for (int64_t segment = w->segments - 1; segment >= 0; segment--) {
        int32_t contrary, root = root_of(w, (int32_t)segment, &contrary);
        w->joined[segment] = 2 * root + contrary;
    }
    for (int64_t segment = 0; segment < w->segments; segment++) w->joined[segment] &= 1;
}

static void deal_out(work *w, const place *table, int32_t places, place *one, place *other) {
    settle_segments(w);
    for (int32_t pair = 0; pair < places / 2; pair++) {
        int chosen = (w->mark[pair] ^ w->joined[(w->mark[pair] >> 1) - 1]) & 1;
        one[pair] = table[2 * pair + chosen];
        other[pair] = table[2 * pair + 1 - chosen];
    }
}

/* ---- odd degree: one perfect matching ------------------------------------------------------------------ */

/* Along the last place tried in each row, each right end passes from the row it belonged to, to the row
 * before. */
static void augment(work *w, const place *table, int32_t degree, int32_t row) {
    while (row >= 0) {
        int32_t *owner = &w->waiting[table[(int64_t)row * degree + w->tried[row]].right], next = *owner;
        w->taken[row] = w->tried[row];
        *owner = row;
        row = next;
    }
}

/* The place to try in a row: the first of a few with a free right end, else a random one. Looking at a few at
 * once costs about as much as looking at one, and makes the walks that much shorter. */
static int32_t try_place(work *w, const place *row, int32_t degree) {
    enum { LOOK = 8 };
    int32_t first = (int32_t)qdri_random_below(&w->random, (uint64_t)degree), place = first;
    for (int look = 0; look < LOOK; look++) {
        if (w->waiting[row[place].right] < 0) return place;
        if (++place == degree) place = 0;
    }
    return first;
}

static void match(work *w, const place *table, int32_t degree) {
    memset(w->waiting, 0xff, (size_t)w->rows * sizeof *w->waiting);
    for (int32_t row = 0; row < w->rows; row++) {
        for (int32_t here = row; here >= 0;) {
            const place *places = table + (int64_t)here * degree;
            w->tried[here] = try_place(w, places, degree);
            here = w->waiting[places[w->tried[here]].right];
        }
        augment(w, table, degree, row);
    }
}

/* Colours the matching and takes it out: the last place of a row fills the gap, rows move together. */
static void peel(work *w, place *table, int32_t degree, int32_t colour) {
    match(w, table, degree);
    for (int32_t row = 0; row < w->rows; row++) {
        place *from = table + (int64_t)row * degree, *to = table + (int64_t)row * (degree - 1);
        place gone = from[w->taken[row]];
        if (gone.edge != NOTHING) w->colour[gone.edge] = colour;
        from[w->taken[row]] = from[degree - 1];
        memmove(to, from, (size_t)(degree - 1) * sizeof *to);
    }
}

/* ---- the recursion, as deep as the degree has bits ----------------------------------------------------- */

static int solve(work *w, place *table, place *spare, int32_t degree, int32_t colour) {
    if (degree == 1) {
        for (int32_t row = 0; row < w->rows; row++)
            if (table[row].edge != NOTHING) w->colour[table[row].edge] = colour;
        return 1;
    }
    if (degree % 2) peel(w, table, degree, colour + degree - 1);
    int32_t half = degree / 2, places = w->rows * 2 * half;
    pair_right_ends(w, table, places);
    if (!walk_cycles(w, places)) return 0;
    deal_out(w, table, places, spare, spare + places / 2);
    return solve(w, spare, table, half, colour) &&
           solve(w, spare + places / 2, table + places / 2, half, colour + half);
}

/* ---- making the graph regular -------------------------------------------------------------------------- */

/* Merges vertices in order while they fit: home[v] is v's merged vertex; used[] its degree. Returns how many.
 */
static int32_t merge(const int32_t *degree_of, int vertices, int32_t degree, int32_t *home, int32_t *used) {
    int32_t last = 0;
    used[0] = 0;
    for (int v = 0; v < vertices; v++) {
        if (used[last] + degree_of[v] > degree) used[++last] = 0;
        used[last] += degree_of[v];
        home[v] = last;
    }
    return last + 1;
}

typedef struct sides {
    int32_t *degree[2], *home[2], *used[2]; /* [vertices] */
    int32_t largest, rows;
} sides;

static int open_sides(sides *s, int vertices, int64_t edges, const int *left, const int *right) {
    for (int side = 0; side < 2; side++) {
        s->degree[side] = QDRI_ZERO_ARRAY(int32_t, vertices);
        s->home[side] = QDRI_ARRAY(int32_t, vertices);
        s->used[side] = QDRI_ZERO_ARRAY(int32_t, vertices);
        if (!s->degree[side] || !s->home[side] || !s->used[side]) return 0;
        const int *end = side ? right : left;
        for (int64_t e = 0; e < edges; e++)
            if (++s->degree[side][end[e]] > s->largest) s->largest = s->degree[side][end[e]];
    }
    for (int side = 0; side < 2; side++) {
        int32_t merged = merge(s->degree[side], vertices, s->largest, s->home[side], s->used[side]);
        for (int32_t v = merged; v < vertices; v++) s->used[side][v] = 0;
        if (merged > s->rows) s->rows = merged;
    }
    return 1;
}

static void close_sides(sides *s) {
    for (int side = 0; side < 2; side++) {
        free(s->degree[side]);
        free(s->home[side]);
        free(s->used[side]);
    }
}

/* Edges lie by rising left end, and so by rising row. Gaps take the right ends that have places to spare. */
static void fill(const sides *s, int64_t edges, const int *left, const int *right, place *table) {
    int64_t e = 0;
    int32_t spare = 0, given = s->used[1][0];
    for (int32_t row = 0; row < s->rows; row++) {
        place *here = table + (int64_t)row * s->largest;
        int32_t k = 0;
        for (; e < edges && s->home[0][left[e]] == row; e++)
            here[k++] = (place){s->home[1][right[e]], (uint32_t)e};
        for (; k < s->largest; k++, given++) {
            while (given == s->largest) given = s->used[1][++spare];
            here[k] = (place){spare, NOTHING};
        }
    }
}

static qdr_status colour_sides(const sides *s, int64_t edges, const int *left, const int *right,
                               int32_t *colour) {
    int64_t places = (int64_t)s->rows * s->largest;
    if (places > INT32_MAX / 2)
        return qdri_fail(QDR_ERR_RANGE, "exact colouring takes at most %d messages", INT32_MAX / 4);
    work w = {.rows = s->rows, .colour = colour, .random = qdri_random_seed(1)};
    place *table = QDRI_ARRAY(place, places), *spare = QDRI_ARRAY(place, places);
    w.mate = QDRI_ARRAY(int32_t, places);
    w.mark = QDRI_ARRAY(int32_t, places / 2);
    w.waiting = QDRI_ARRAY(int32_t, s->rows);
    w.tried = QDRI_ARRAY(int32_t, s->rows);
    w.taken = QDRI_ARRAY(int32_t, s->rows);
    int good = table && spare && w.mate && w.mark && w.waiting && w.tried && w.taken;
    if (good) {
        fill(s, edges, left, right, table);
        good = solve(&w, table, spare, s->largest, 0);
    }
    free(table);
    free(spare);
    free(w.mate);
    free(w.mark);
    free(w.joined);
    free(w.waiting);
    free(w.tried);
    free(w.taken);
    return good ? QDR_OK : qdri_fail_memory();
}

qdr_status qdri_edge_coloring(int vertices, int64_t edges, const int *left, const int *right, int32_t *colour,
                              int32_t *colours) {
    sides s = {.rows = 0};
    qdr_status status = QDR_OK;
    if (edges > 0) {
        status = open_sides(&s, vertices, edges, left, right) ? colour_sides(&s, edges, left, right, colour)
                                                              : qdri_fail_memory();
        close_sides(&s);
    }
    if (status == QDR_OK) *colours = s.largest;
    return status;
}
