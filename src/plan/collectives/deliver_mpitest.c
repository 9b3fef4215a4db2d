/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Deliveries at random, held against what every rank can work out by itself: each item says where it comes from, where it
 * goes and which it is. Grouped and each by itself, of every width, at once and started; with the library's memory and
 * with the caller's.
 */
#include "quadrille/deliver.h"

#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "mpi_check.h"

enum { MOST_RANKS = 64, WIDTHS = 7 };
static const int64_t widths[WIDTHS] = {1, 4, 8, 16, 24, 32, 100};
static int rank, ranks;

/* ---- at random ----------------------------------------------------------------------------------------- */

/* Items from one rank to another in a round, known to all. */
static int64_t items_of(uint64_t round, int from, int to) {
    uint64_t word = qdri_mix(round * 7919 + (uint64_t)(from * MOST_RANKS + to));
    int64_t most = round % 5 == 0 ? 3000 : 5;
    return word % 3 ? 0 : (int64_t)(word / 3 % (uint64_t)(most + 1));
}

static unsigned char byte_of(uint64_t round, int from, int to, int64_t item, int64_t byte) {
    return (unsigned char)qdri_mix(round + (uint64_t)from * 1009 + (uint64_t)to * 9176 +
                                   (uint64_t)(item * 131 + byte));
}

typedef struct sending {
    qdr_items items;
    unsigned char *data;
    int *destination, *group_rank;
    int64_t *group_items;
} sending;

static void *room(int64_t bytes) {
    void *made = calloc((size_t)bytes + 1, 1);
    if (!made) MPI_Abort(MPI_COMM_WORLD, 1);
    return made;
}

static void write_item(const sending *one, uint64_t round, int to, int64_t item, int64_t at) {
    int64_t width = one->items.item_bytes;
    for (int64_t b = 0; b < width; b++) one->data[at * width + b] = byte_of(round, rank, to, item, b);
}

/* Items for each rank stay in their order, and ranks take turns. */
static sending make_sending(uint64_t round, int64_t width, int grouped) {
    int64_t total = 0, written[MOST_RANKS] = {0}, at = 0;
    for (int to = 0; to < ranks; to++) total += items_of(round, rank, to);
    sending one = {.data = room(total * width),
                   .destination = room(total * (int64_t)sizeof(int)),
                   .group_rank = room(ranks * (int64_t)sizeof(int)),
                   .group_items = room(ranks * (int64_t)sizeof(int64_t))};
    one.items = (qdr_items){.item_bytes = width, .data = one.data};
    for (int i = 0; grouped && i < ranks; i++) {
        int to = grouped == 2 ? i : ranks - 1 - i;
        one.group_rank[i] = to;
        one.group_items[i] = items_of(round, rank, to);
        for (int64_t item = 0; item < one.group_items[i]; item++) write_item(&one, round, to, item, at++);
    }
    while (!grouped && at < total)
        for (int to = 0; to < ranks; to++)
            if (written[to] < items_of(round, rank, to)) {
                one.destination[at] = to;
                write_item(&one, round, to, written[to]++, at);
                at++;
            }
    if (grouped) {
        one.items.groups = ranks;
        one.items.rank = grouped == 2 ? NULL : one.group_rank;
        one.items.items = one.group_items;
    } else {
        one.items.count = total;
        one.items.destination = one.destination;
    }
    return one;
}

static void close_sending(sending *one) {
    free(one->data);
    free(one->destination);
    free(one->group_rank);
    free(one->group_items);
}

static void inspect(const qdr_arrivals *came, uint64_t round, int64_t width) {
    int64_t at = 0;
    int source = 0;
    for (int from = 0; from < ranks; from++) {
        int64_t items = items_of(round, from, rank);
        if (!items) continue;
        CHECK(source < came->sources && came->source[source] == from && came->items[source] == items);
        for (int64_t i = 0; i < items; i++, at++)
            for (int64_t b = 0; b < width; b++)
                CHECK(((const unsigned char *)came->data)[at * width + b] ==
                      byte_of(round, from, rank, i, b));
        source++;
    }
    CHECK(came->count == at && came->sources == source);
}

/* The caller's memory: one block, which must suffice. */
typedef struct own_memory {
    char *block;
    int64_t bytes, asked;
} own_memory;

static void *give(void *context, int64_t bytes) {
    own_memory *own = context;
    own->asked = bytes;
    return bytes <= own->bytes ? own->block : NULL;
}

static void deliver_at_random(MPI_Comm comm, int rounds) {
    own_memory own = {room(1 << 22), 1 << 22, -1};
    qdr_arrivals kept = {0}, lent = {.allocate = give, .context = &own};
    for (int n = 0; n < rounds; n++) {
        uint64_t round = (uint64_t)n;
        int64_t width = widths[n % WIDTHS];
        sending one = make_sending(round, width, n % 3);
        qdr_arrivals *came = n % 4 == 3 ? &lent : &kept;
        qdr_status status;
        if (n % 2) {
            qdr_pending *pending = NULL;
            status = qdr_deliver_start(comm, &one.items, came, &pending);
            if (!status) status = qdr_wait(&pending);
            CHECK(!pending);
        } else {
            status = qdr_deliver(comm, &one.items, came);
        }
        CHECK_SAYING(status == QDR_OK, "delivery %d: %s", n, qdr_error_message());
        if (!status) inspect(came, round, width);
        if (came == &lent) CHECK(lent.data == (lent.count ? own.block : lent.data));
        close_sending(&one);
    }
    qdr_arrivals_free(&kept);
    CHECK(!kept.data && !kept.count && !kept.room);
    qdr_arrivals_free(&lent);
    CHECK(lent.allocate == give);
    free(own.block);
}

/* ---- what came leaves again ------------------------------------------------------------------------------ */

static int step; /* of the walk */

static int next_of(uint64_t walker) {
    return (int)(qdri_mix(walker * 131 + (uint64_t)step) % (uint64_t)ranks);
}

static int by_next(const void *a, const void *b) {
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    int first = next_of(x), second = next_of(y);
    return first != second ? first - second : (x > y) - (x < y);
}

/* Numbers walk from rank to rank, grouped where they came; there is always the same number of each. */
static void walk(int64_t each, int steps) {
    int64_t *items = room((int64_t)sizeof *items * ranks);
    uint64_t *first = room((int64_t)sizeof *first * each), due = 0, sum[2];
    qdr_arrivals came = {0};
    for (int64_t i = 0; i < each; i++) due += first[i] = (uint64_t)(rank * each + i + 1);
    MPI_Allreduce(MPI_IN_PLACE, &due, 1, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD);
    uint64_t *at = first;
    int64_t count = each;
    for (step = 0; step < steps; step++) {
        memset(items, 0, sizeof *items * (size_t)ranks);
        qsort(at, (size_t)count, sizeof *at, by_next);
        for (int64_t i = 0; i < count; i++) items[next_of(at[i])]++;
        qdr_items leaving = {.item_bytes = 8, .data = at, .groups = ranks, .items = items};
        qdr_status status = qdr_deliver(MPI_COMM_WORLD, &leaving, &came);
        CHECK_SAYING(status == QDR_OK, "step %d: %s", step, qdr_error_message());
        at = came.data;
        count = came.count;
        sum[0] = sum[1] = 0;
        for (int64_t i = 0; i < count; i++) {
            sum[0] += at[i];
            sum[1] += next_of(at[i]) != rank;
        }
        MPI_Allreduce(MPI_IN_PLACE, sum, 2, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD);
        CHECK_SAYING(sum[0] == due && sum[1] == 0, "step %d of %lld each: a sum of %llu, not %llu", step,
                     (long long)each, (unsigned long long)sum[0], (unsigned long long)due);
    }
    qdr_arrivals_free(&came);
    free(items);
    free(first);
}

/* ---- refused ------------------------------------------------------------------------------------------- */

static void refuse(const qdr_items *leaving, qdr_arrivals *came, qdr_status expected, const char *words,
                   int line) {
    qdr_status status = qdr_deliver(MPI_COMM_WORLD, leaving, came);
    CHECK_SAYING(status == expected && strstr(qdr_error_message(), words), "line %d: %d, %s", line,
                 (int)status, qdr_error_message());
}

static void *nothing(void *context, int64_t bytes) {
    (void)context, (void)bytes;
    return NULL;
}

/* On the last rank alone; all hear of it. */
static void test_refusals(void) {
    int last = rank == ranks - 1, wrong[] = {last ? ranks : 0}, zero[] = {0};
    int64_t value[4] = {0}, one[] = {1}, negative[] = {last ? -1 : 1};
    qdr_arrivals came = {0}, poor = {.allocate = last ? nothing : NULL};
    const qdr_items good = {.item_bytes = 8, .data = value, .count = 1, .destination = zero};
    qdr_items bad = good;
    bad.destination = wrong;
    refuse(&bad, &came, QDR_ERR_RANGE, "item 0 goes to rank", __LINE__);
    bad = good;
    bad.item_bytes = last ? 0 : 8;
    refuse(&bad, &came, QDR_ERR_RANGE, "items of 0 bytes", __LINE__);
    bad = good;
    if (last) bad.data = NULL;
    refuse(&bad, &came, QDR_ERR_INVALID, "data is NULL", __LINE__);
    bad = (qdr_items){.item_bytes = 8, .data = value, .groups = 1, .items = negative};
    refuse(&bad, &came, QDR_ERR_RANGE, "-1 items in group 0", __LINE__);
    if (ranks > 1) {
        bad = (qdr_items){.item_bytes = last ? 4 : 8, .data = value, .groups = 1, .items = one};
        refuse(&bad, &came, QDR_ERR_MISMATCH, "bytes of an item", __LINE__);
    }
    refuse(last ? NULL : &good, &came, QDR_ERR_INVALID, "leaving is NULL", __LINE__);
    int64_t each[MOST_RANKS];
    for (int i = 0; i < ranks; i++) each[i] = i == ranks - 1;
    bad = (qdr_items){.item_bytes = 8, .data = value, .groups = ranks, .items = each};
    refuse(&bad, &poor, QDR_ERR_MEMORY, "memory", __LINE__);
    CHECK(qdr_deliver(MPI_COMM_WORLD, &good, &came) == QDR_OK);
    CHECK(came.count == (rank == 0 ? ranks : 0));
    qdr_arrivals_free(&came);
    qdr_arrivals_free(&poor);
}

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (ranks > MOST_RANKS) MPI_Abort(MPI_COMM_WORLD, 2);
    int rounds = argc > 1 ? atoi(argv[1]) : 200;
    MPI_Comm other;
    deliver_at_random(MPI_COMM_WORLD, rounds);
    MPI_Comm_dup(MPI_COMM_WORLD, &other);
    deliver_at_random(other, rounds / 4);
    MPI_Comm_free(&other);
    walk(5, 20);
    walk(1000, 20);
    walk(10000, 20);
    test_refusals();
    int verdict = mpi_check_verdict();
    MPI_Finalize();
    return verdict;
}
