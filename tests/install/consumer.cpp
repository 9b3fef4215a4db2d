// SPDX-License-Identifier: BSD-3-Clause
//
// The same as consumer.c for a program in C++: owners, and errors that are thrown.
#include <quadrille.hpp>

static void schedule() {
    const quadrille::pattern pattern("random:n=16,density=0.5,seed=1");
    quadrille::schedule(pattern, "coloring").check();
}

static double exchange(int rank) {
    const std::vector<int> destination{1 - rank};
    const std::vector<std::int64_t> items{1};
    const std::vector<double> outgoing{100.0 + rank};
    std::vector<double> incoming(1);
    quadrille::partners partners = quadrille::partners::from_sends(MPI_COMM_WORLD, destination, items);
    quadrille::plan(partners).exchange(quadrille::buffers::of(outgoing, incoming));
    return incoming[0];
}

int main(int count, char **words) {
    int rank;
    MPI_Init(&count, &words);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    int failed = 0;
    try {
        schedule();
        std::printf("rank %d got %g\n", rank, exchange(rank));
    } catch (const quadrille::error &error) {
        std::fprintf(stderr, "consumer: %s\n", error.what());
        failed = 1;
    }
    MPI_Finalize();
    return failed;
}
