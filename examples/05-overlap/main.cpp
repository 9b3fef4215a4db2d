/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Computing while an exchange is under way, in C++: mpirun -n 4 05-overlap-cpp.
 *
 * The lesson is that of main.c, with a map instead of two plans: both halos of a slab are boxes of its memory, so they
 * come in one exchange, and nothing is packed by hand. What was started is an object. It is waited for at the latest when it goes out
 * of scope, so a row that is under way never outlives its memory.
 */
#include "quadrille.hpp"

static const MPI_Comm comm = MPI_COMM_WORLD;
static const int rows = 12, columns = 20000, steps = 6;

/* Rows of numbers, one after the other. */
struct slab {
    std::vector<std::int64_t> number;
    explicit slab(int lines) : number(static_cast<std::size_t>(lines) * columns) {}
    std::int64_t *row(int line) { return &number[static_cast<std::size_t>(line) * columns]; }
};

static std::int64_t initial(std::int64_t line, int column) {
    return (line * 7919 + column * 104729) % 1000003;
}

/* A row becomes a mean of itself and its two neighbours. */
static void smooth(const std::int64_t *above, const std::int64_t *here, const std::int64_t *below,
                   std::int64_t *result) {
    for (int c = 0; c < columns; c++) result[c] = (above[c] + 2 * here[c] + below[c]) / 4;
}

/* Rows 0 and rows + 1 are what the neighbours have. */
static void advance(quadrille::map &halo, slab &now, slab &next) {
    const auto smooth_row = [&](int r) { smooth(now.row(r - 1), now.row(r), now.row(r + 1), next.row(r)); };
    quadrille::pending exchange = halo.start(quadrille::field(now.row(0)));
    for (int r = 2; r < rows; r++) {
        smooth_row(r);
        quadrille::progress(); /* messages move while somebody looks after them */
    }
    exchange.wait();
    smooth_row(1);
    smooth_row(rows);
    std::swap(now.number, next.number);
}

/* The last row goes down, the first goes up. A rank that has the same neighbour above and below names its boxes in the
 * order of the other's. */
static quadrille::map make_halo(int rank, int ranks) {
    const int below = (rank + 1) % ranks, above = (rank + ranks - 1) % ranks;
    const std::int64_t extent[] = {rows + 2, columns}, count[] = {1, columns, 1, columns};
    const std::int64_t edges[] = {rows, 0, 1, 0}, ghosts[] = {0, 0, rows + 1, 0};
    const int to[] = {below, above}, from[] = {above, below};
    return quadrille::map::from_boxes(comm, quadrille::boxes(extent, to, edges, count),
                                      quadrille::boxes(extent, from, ghosts, count));
}

/* The same by one rank alone. */
static slab alone(int lines) {
    slab now(lines), next(lines);
    for (int l = 0; l < lines; l++)
        for (int c = 0; c < columns; c++) now.row(l)[c] = initial(l, c);
    for (int step = 0; step < steps; step++) {
        for (int l = 0; l < lines; l++)
            smooth(now.row((l + lines - 1) % lines), now.row(l), now.row((l + 1) % lines), next.row(l));
        std::swap(now.number, next.number);
    }
    return now;
}

static bool run(int rank, int ranks) {
    slab now(rows + 2), next(rows + 2), whole = alone(rows * ranks);
    for (int r = 0; r < rows; r++)
        for (int c = 0; c < columns; c++) now.row(1 + r)[c] = initial(rank * rows + r, c);
    quadrille::map halo = make_halo(rank, ranks);
    for (int step = 0; step < steps; step++) advance(halo, now, next);

    long long different = 0, all = 0;
    for (int r = 0; r < rows; r++)
        for (int c = 0; c < columns; c++) different += now.row(1 + r)[c] != whole.row(rank * rows + r)[c];
    MPI_Allreduce(&different, &all, 1, MPI_LONG_LONG, MPI_SUM, comm);
    if (rank == 0)
        std::printf("%d ranks, %d rows of %d each, %d steps: %lld numbers differ from the run of one rank\n",
                    ranks, rows, columns, steps, all);
    return all == 0;
}

int main(int count, char **words) {
    int rank, ranks;
    bool is_right = false;
    MPI_Init(&count, &words);
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &ranks);
    try {
        is_right = run(rank, ranks);
    } catch (const quadrille::error &error) {
        std::fprintf(stderr, "%s: %s\n", quadrille::text_of(error.status()), error.what());
    }
    MPI_Finalize();
    return is_right ? EXIT_SUCCESS : EXIT_FAILURE;
}
