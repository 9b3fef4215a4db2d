/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The exchanges of two programs that move all they have: a sample sort of ten million keys, and the transposition of
 * a matrix of 2048 x 2048 complex numbers between the two halves of an FFT.
 *
 *     mpirun -n 4 kernels [--samples N] [--raw]
 *
 * sort: each rank has its keys sorted and knows where to cut them; measured is the way to having those of its range.
 *
 *     alltoallv     MPI_Alltoall of counts, MPI_Alltoallv
 *     ours          partners found, a plan made, run once and destroyed: nothing is known beforehand
 *     ours-kept     MPI_Alltoall of counts, and one plan with the sizes of each call
 *
 * transpose: rank r has rows r n / P and on, before and after.
 *
 *     alltoall, isend   blocks are packed, sent and transposed while they are unpacked, in tiles
 *     ours              the same with a plan; as with isend, the own block is transposed meanwhile
 *     ours-complete     the same with qdr_alltoall()
 *     ours-map          a map from elements to elements, its links in the order of tiles
 *
 * Exits with 1 when the best of MPI is faster than the best of ours by more than 3%.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "quadrille/collectives.h"
#include "quadrille/map.h"
#include "table.h"

enum { KEYS = 10000000, SIDE = 2048, TILE = 16, MOST_RANKS = 64 };

static int rank, ranks;

static void check(qdr_status status, const char *what) {
    if (status) give_up("%s: %s", what, qdr_error_message());
}

/* ---- sort ---------------------------------------------------------------------------------------------- */

typedef struct sorting {
    uint64_t *keys, *mine; /* what there is, sorted, and what comes */
    int64_t count, room, came;
    int64_t out[MOST_RANKS], in[MOST_RANKS];
    qdr_plan *plan;
} sorting;

/* Keys are even in the middle and rare at the ends, so that messages differ; a range is as large as its share. */
static void open_sort(sorting *s) {
    uint64_t seed = 11 + (uint64_t)rank;
    int64_t at = 0;
    s->count = KEYS / ranks;
    s->room = 2 * s->count + 1000;
    s->keys = room((size_t)s->count, sizeof *s->keys);
    s->mine = room((size_t)s->room, sizeof *s->mine);
    for (int r = 0; r < ranks; r++) {
        int64_t some = s->count / ranks, more = some / 4;
        s->out[r] = r == ranks - 1 ? s->count - at
                                   : some + (int64_t)(random_next(&seed) % (uint64_t)(2 * more + 1)) - more;
        for (int64_t k = 0; k < s->out[r]; k++)
            s->keys[at++] = ((uint64_t)r << 56) + ((uint64_t)rank << 40) + (uint64_t)k;
    }
}

static void places(const int64_t *count, int *counts, int *at) {
    int next = 0;
    for (int r = 0; r < ranks; r++) {
        at[r] = next;
        next += counts[r] = (int)count[r];
    }
}

static void sort_alltoallv(void *state) {
    sorting *s = state;
    int out[MOST_RANKS], out_at[MOST_RANKS], in[MOST_RANKS], in_at[MOST_RANKS];
    MPI_Alltoall(s->out, 1, MPI_INT64_T, s->in, 1, MPI_INT64_T, MPI_COMM_WORLD);
    places(s->out, out, out_at);
    places(s->in, in, in_at);
    MPI_Alltoallv(s->keys, out, out_at, MPI_UINT64_T, s->mine, in, in_at, MPI_UINT64_T, MPI_COMM_WORLD);
    s->came = in_at[ranks - 1] + in[ranks - 1];
}

static qdr_buffers buffers_of(sorting *s) {
    qdr_buffers buffers = {0};
    buffers.item_bytes = sizeof *s->keys;
    buffers.outgoing_base = s->keys;
    buffers.incoming_base = s->mine;
    return buffers;
}

static void sort_ours(void *state) {
    sorting *s = state;
    int everyone[MOST_RANKS];
    qdr_partners *partners = NULL;
    qdr_plan *plan = NULL;
    qdr_buffers buffers = buffers_of(s);
    for (int r = 0; r < ranks; r++) everyone[r] = r;
    check(qdr_partners_from_sends(MPI_COMM_WORLD, ranks, everyone, s->out, NULL, &partners),
          "qdr_partners_from_sends");
    qdr_partners_view view = qdr_partners_look(partners);
    s->came = 0;
    for (int i = 0; i < view.receives; i++) s->came += view.receive_items[i];
    check(qdr_plan_create(partners, NULL, &plan), "qdr_plan_create");
    check(qdr_plan_exchange(plan, &buffers), "qdr_plan_exchange");
    check(qdr_plan_destroy(&plan), "qdr_plan_destroy");
    qdr_partners_destroy(&partners);
}

static void sort_kept(void *state) {
    sorting *s = state;
    qdr_buffers buffers = buffers_of(s);
    MPI_Alltoall(s->out, 1, MPI_INT64_T, s->in, 1, MPI_INT64_T, MPI_COMM_WORLD);
    buffers.outgoing_items = s->out;
    buffers.incoming_items = s->in;
    s->came = 0;
    for (int r = 0; r < ranks; r++) s->came += s->in[r];
    check(qdr_plan_exchange(s->plan, &buffers), "qdr_plan_exchange");
}

/* One item to everyone, to this rank itself if `also_own`. */
static void make_plan(int also_own, qdr_plan **plan) {
    int rank_of[MOST_RANKS], count = 0;
    int64_t one[MOST_RANKS];
    qdr_partners *partners = NULL;
    for (int r = 0; r < ranks; r++)
        if (r != rank || also_own) {
            one[count] = 1;
            rank_of[count++] = r;
        }
    check(qdr_partners_from_both(MPI_COMM_WORLD, count, rank_of, one, count, rank_of, one, 1, &partners),
          "qdr_partners_from_both");
    check(qdr_plan_create(partners, NULL, plan), "qdr_plan_create");
    qdr_partners_destroy(&partners);
}

static void check_sort(sorting *s, const char *name) {
    int64_t all = s->came;
    for (int64_t k = 0; k < s->came; k++)
        if (s->mine[k] >> 56 != (uint64_t)rank || (k > 0 && s->mine[k] <= s->mine[k - 1]))
            give_up("%s: key %lld is wrong", name, (long long)k);
    MPI_Allreduce(MPI_IN_PLACE, &all, 1, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
    if (all != s->count * ranks) give_up("%s: %lld keys", name, (long long)all);
    memset(s->mine, 0, (size_t)s->room * sizeof *s->mine);
}

/* ---- transpose ----------------------------------------------------------------------------------------- */

typedef struct number {
    double real, imaginary;
} number;

typedef struct matrix {
    number *from, *to; /* rows of this rank, and rows of the transposed matrix */
    number *packed, *came;
    int64_t rows; /* of a rank */
    qdr_map *map;
    qdr_plan *plan; /* with all others */
    MPI_Request request[2 * MOST_RANKS];
} matrix;

static void pack_blocks(const matrix *m) {
    for (int r = 0; r < ranks; r++)
        for (int64_t i = 0; i < m->rows; i++)
            memcpy(m->packed + (r * m->rows + i) * m->rows, m->from + i * SIDE + r * m->rows,
                   (size_t)m->rows * sizeof(number));
}

/* Block r holds columns of this rank's rows: element (i, j) of it is (j, i) here. */
static void unpack_block(const matrix *m, const number *block, int r) {
    for (int64_t a = 0; a < m->rows; a += TILE)
        for (int64_t b = 0; b < m->rows; b += TILE)
            for (int64_t j = b; j < b + TILE && j < m->rows; j++)
                for (int64_t i = a; i < a + TILE && i < m->rows; i++)
                    m->to[j * SIDE + r * m->rows + i] = block[i * m->rows + j];
}

static void unpack_blocks(const matrix *m) {
    for (int r = 0; r < ranks; r++) unpack_block(m, m->came + r * m->rows * m->rows, r);
}

static void transpose_alltoall(void *state) {
    matrix *m = state;
    int bytes = (int)(m->rows * m->rows * (int64_t)sizeof(number));
    pack_blocks(m);
    MPI_Alltoall(m->packed, bytes, MPI_BYTE, m->came, bytes, MPI_BYTE, MPI_COMM_WORLD);
    unpack_blocks(m);
}

static void transpose_isend(void *state) {
    matrix *m = state;
    int64_t block = m->rows * m->rows;
    int bytes = (int)(block * (int64_t)sizeof(number)), requests = 0;
    pack_blocks(m);
    for (int d = 1; d < ranks; d++) {
        int r = (rank + d) % ranks;
        MPI_Irecv(m->came + r * block, bytes, MPI_BYTE, r, 0, MPI_COMM_WORLD, &m->request[requests++]);
    }
    for (int d = 1; d < ranks; d++) {
        int r = (rank + d) % ranks;
        MPI_Isend(m->packed + r * block, bytes, MPI_BYTE, r, 0, MPI_COMM_WORLD, &m->request[requests++]);
    }
    unpack_block(m, m->packed + rank * block, rank);
    MPI_Waitall(requests, m->request, MPI_STATUSES_IGNORE);
    for (int r = 0; r < ranks; r++)
        if (r != rank) unpack_block(m, m->came + r * block, r);
}

static void transpose_ours(void *state) {
    matrix *m = state;
    int64_t block = m->rows * m->rows, place[MOST_RANKS];
    int others = 0;
    qdr_buffers buffers = {0};
    qdr_pending *exchange = NULL;
    for (int r = 0; r < ranks; r++)
        if (r != rank) place[others++] = r;
    buffers.item_bytes = block * (int64_t)sizeof(number);
    buffers.outgoing_base = m->packed;
    buffers.incoming_base = m->came;
    buffers.outgoing_offset = buffers.incoming_offset = place;
    pack_blocks(m);
    check(qdr_plan_start(m->plan, &buffers, &exchange), "qdr_plan_start");
    unpack_block(m, m->packed + rank * block, rank);
    check(qdr_wait(&exchange), "qdr_wait");
    for (int r = 0; r < ranks; r++)
        if (r != rank) unpack_block(m, m->came + r * block, r);
}

static void transpose_complete(void *state) {
    matrix *m = state;
    pack_blocks(m);
    check(qdr_alltoall(MPI_COMM_WORLD, NULL, m->rows * m->rows * (int64_t)sizeof(number), m->packed, m->came),
          "qdr_alltoall");
    unpack_blocks(m);
}

static void transpose_map(void *state) {
    matrix *m = state;
    qdr_field field = {.source = m->from, .target = m->to, .type = QDR_DOUBLE_COMPLEX, .width = 1};
    check(qdr_map_exchange(m->map, QDR_FORWARD, 1, &field), "qdr_map_exchange");
}

/* The links of one side with one rank, in the order of tiles, as both ends see them. */
static int64_t list_links(const matrix *m, int r, int sends, int64_t *local) {
    int64_t count = 0;
    for (int64_t a = 0; a < m->rows; a += TILE)
        for (int64_t b = 0; b < m->rows; b += TILE)
            for (int64_t j = b; j < b + TILE && j < m->rows; j++)
                for (int64_t i = a; i < a + TILE && i < m->rows; i++)
                    local[count++] = sends ? i * SIDE + r * m->rows + j : j * SIDE + r * m->rows + i;
    return count;
}

static void open_matrix(matrix *m) {
    int64_t cells = SIDE / ranks * SIDE, block = cells / ranks, count[MOST_RANKS];
    int everyone[MOST_RANKS];
    m->rows = SIDE / ranks;
    m->from = room((size_t)cells, sizeof(number));
    m->to = room((size_t)cells, sizeof(number));
    m->packed = room((size_t)cells, sizeof(number));
    m->came = room((size_t)cells, sizeof(number));
    int64_t *out = room((size_t)cells, sizeof *out), *in = room((size_t)cells, sizeof *in);
    for (int r = 0; r < ranks; r++) {
        everyone[r] = r;
        count[r] = list_links(m, r, 1, out + r * block);
        list_links(m, r, 0, in + r * block);
    }
    for (int64_t i = 0; i < m->rows; i++)
        for (int64_t j = 0; j < SIDE; j++)
            m->from[i * SIDE + j] = (number){(double)(rank * m->rows + i), (double)j};
    qdr_indices sends = {.partners = ranks, .rank = everyone, .count = count, .place = out};
    qdr_indices receives = {.partners = ranks, .rank = everyone, .count = count, .place = in};
    check(qdr_map_create(MPI_COMM_WORLD, &sends, &receives, NULL, &m->map), "qdr_map_create");
    free(out), free(in);
}

static void check_matrix(matrix *m, const char *name) {
    for (int64_t j = 0; j < m->rows; j++)
        for (int64_t i = 0; i < SIDE; i++) {
            number found = m->to[j * SIDE + i];
            if (found.real != (double)i || found.imaginary != (double)(rank * m->rows + j))
                give_up("%s: element (%lld, %lld) is wrong", name, (long long)j, (long long)i);
        }
    memset(m->to, 0, (size_t)(m->rows * SIDE) * sizeof(number));
}

/* ---- the program --------------------------------------------------------------------------------------- */

static void nothing(void *state) {
    (void)state;
}

static double best(const subject *s, int count, subject_kind kind) {
    double found = 0;
    for (int i = 0; i < count; i++)
        if (s[i].kind == kind && (found == 0 || s[i].median < found)) found = s[i].median;
    return found;
}

/* Measures and prints; true when ours is behind. */
static int compare(const char *mode, subject *s, int count, int samples, int raw) {
    table t = {.mode = mode, .raw = raw, .ranks = ranks};
    for (int i = 0; i < count; i++) s[i].before = nothing;
    measure(&(measuring){MPI_COMM_WORLD, samples}, s, count);
    if (rank == 0) {
        table_add(&t, "all", s, count);
        table_print(&t);
        table_ratio(&t, "best opponent", "ours");
    }
    return best(s, count, OURS) > 1.03 * best(s, count, OPPONENT);
}

int main(int words, char **word) {
    int samples = 21, raw = 0, missed = 0;
    MPI_Init(&words, &word);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    for (int i = 1; i < words; i++)
        if (!strcmp(word[i], "--raw"))
            raw = 1;
        else if (!strcmp(word[i], "--samples") && i + 1 < words && atoi(word[i + 1]) > 0)
            samples = atoi(word[++i]);
        else
            give_up("'%s': expected --samples N or --raw", word[i]);
    if (ranks > MOST_RANKS || SIDE % ranks)
        give_up("%d ranks; expected a divisor of %d, at most %d", ranks, SIDE, MOST_RANKS);
    sorting s = {.count = 0};
    open_sort(&s);
    make_plan(1, &s.plan);
    subject sorts[] = {{.name = "alltoallv", .kind = OPPONENT, .run = sort_alltoallv, .state = &s},
                       {.name = "ours", .kind = OURS, .run = sort_ours, .state = &s},
                       {.name = "ours-kept", .kind = OURS, .run = sort_kept, .state = &s}};
    for (int i = 0; i < COUNT(sorts); i++) sorts[i].run(&s), check_sort(&s, sorts[i].name);
    missed |= compare("sort", sorts, COUNT(sorts), samples, raw);
    check(qdr_plan_destroy(&s.plan), "qdr_plan_destroy");
    free(s.keys), free(s.mine);
    matrix m = {.rows = 0};
    open_matrix(&m);
    make_plan(0, &m.plan);
    subject turns[] = {{.name = "alltoall", .kind = OPPONENT, .run = transpose_alltoall, .state = &m},
                       {.name = "isend", .kind = OPPONENT, .run = transpose_isend, .state = &m},
                       {.name = "ours", .kind = OURS, .run = transpose_ours, .state = &m},
                       {.name = "ours-complete", .kind = OURS, .run = transpose_complete, .state = &m},
                       {.name = "ours-map", .kind = OURS, .run = transpose_map, .state = &m}};
    for (int i = 0; i < COUNT(turns); i++) turns[i].run(&m), check_matrix(&m, turns[i].name);
    missed |= compare("transpose", turns, COUNT(turns), samples, raw);
    check(qdr_map_destroy(&m.map), "qdr_map_destroy");
    check(qdr_plan_destroy(&m.plan), "qdr_plan_destroy");
    free(m.from), free(m.to), free(m.packed), free(m.came);
    MPI_Finalize();
    return missed;
}
