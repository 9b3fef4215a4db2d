// SPDX-License-Identifier: BSD-3-Clause
//
// The same as consumer.c for a program in C++: owners, and errors that are thrown.
#include <quadrille-mpi.h>

#include <cstdio>
#include <memory>
#include <stdexcept>
#include <vector>

static void expect(qdr_status status) {
    if (status) throw std::runtime_error(qdr_error_message());
}

static void schedule() {
    qdr_pattern *pattern = nullptr;
    expect(qdr_pattern_from_spec("random:n=16,density=0.5,seed=1", &pattern));
    auto drop = [](qdr_pattern *it) { qdr_pattern_destroy(&it); };
    std::unique_ptr<qdr_pattern, decltype(drop)> owner(pattern, drop);
    qdr_schedule *schedule = nullptr;
    expect(qdr_schedule_create(pattern, "coloring", nullptr, &schedule));
    qdr_status status = qdr_schedule_check(schedule);
    qdr_schedule_destroy(&schedule);
    expect(status);
}

static double exchange(int rank) {
    std::vector<int> destination{1 - rank};
    std::vector<int64_t> items{1};
    std::vector<double> outgoing{100.0 + rank}, incoming(1);
    qdr_partners *partners = nullptr;
    qdr_plan *plan = nullptr;
    expect(qdr_partners_from_sends(MPI_COMM_WORLD, 1, destination.data(), items.data(), nullptr, &partners));
    expect(qdr_plan_create(partners, nullptr, &plan));
    qdr_buffers buffers = {};
    buffers.item_bytes = sizeof outgoing[0];
    buffers.outgoing_base = outgoing.data();
    buffers.incoming_base = incoming.data();
    expect(qdr_plan_exchange(plan, &buffers));
    expect(qdr_plan_destroy(&plan));
    qdr_partners_destroy(&partners);
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
    } catch (const std::exception &error) {
        std::fprintf(stderr, "consumer: %s\n", error.what());
        failed = 1;
    }
    MPI_Finalize();
    return failed;
}
