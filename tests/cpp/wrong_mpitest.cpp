/* SPDX-License-Identifier: BSD-3-Clause */
/* Wrong uses of what needs MPI, in C++: each gives its status and its sentence, on all ranks, and nothing crashes. */
#include "testing.hpp"

namespace q = quadrille;

static int rank, ranks;
static const MPI_Comm comm = MPI_COMM_WORLD;

static void of_partners() {
    const int beyond[] = {ranks}, twice[] = {rank, rank}, one[] = {rank};
    const std::int64_t items[] = {1, 1}, negative[] = {-1};
    WRONG(QDR_ERR_RANGE, "destination", q::partners::from_sends(comm, beyond, {items, 1}, nullptr, report));
    if (ranks > 1)
        WRONG(QDR_ERR_INVALID, "twice", q::partners::from_sends(comm, twice, items, nullptr, report));
    WRONG(QDR_ERR_RANGE, "-1", q::partners::from_sends(comm, one, negative, nullptr, report));
    WRONG(QDR_ERR_RANGE, "-1", q::partners::from_sends(comm, one, items, nullptr, report));
    WRONG(QDR_ERR_UNKNOWN, "magic", q::partners::from_sends(comm, one, {items, 1}, "magic", report));
    WRONG(QDR_ERR_RANGE, "source", q::partners::from_receives(comm, beyond, {items, 1}, nullptr, report));
    WRONG(QDR_ERR_MISMATCH, "which expects 0",
          q::partners::from_both(comm, one, {items, 1}, {}, {}, false, report));
    WRONG(QDR_ERR_RANGE, "the number of destinations is -1",
          q::partners::from_both(comm, one, items, one, {items, 1}, false, report));
    const q::pattern other("complete:n=50,bytes=1");
    WRONG(QDR_ERR_INVALID, "50", q::partners::from_pattern(comm, other, report));
    const q::parcel out[] = {{ranks, 0, nullptr}};
    WRONG(QDR_ERR_RANGE, "parcel 0 is rank", q::discover(comm, out, nullptr, report));
    WRONG(QDR_ERR_INVALID, "communicator",
          q::partners::from_sends(MPI_COMM_NULL, one, {items, 1}, nullptr, report));
}

static void of_plans() {
    const int next[] = {(rank + 1) % ranks}, before[] = {(rank - 1 + ranks) % ranks};
    const std::int64_t items[] = {4};
    q::partners with = q::partners::from_both(comm, next, items, before, items);
    q::plan_options unknown("magic"), pacing, transport, many, small;
    pacing.pacing = "magic";
    transport.transport = "pigeon";
    many.in_flight = 100;
    small.chunk = -1;
    WRONG(QDR_ERR_UNKNOWN, "magic", q::plan(with, unknown, report));
    WRONG(QDR_ERR_UNKNOWN, "magic", q::plan(with, pacing, report));
    WRONG(QDR_ERR_UNKNOWN, "pigeon", q::plan(with, transport, report));
    WRONG(QDR_ERR_RANGE, "100", q::plan(with, many, report));
    WRONG(QDR_ERR_RANGE, "-1", q::plan(with, small, report));
    const q::pattern paper("paper:P");
    WRONG(QDR_ERR_INVALID, "8 ranks", q::plan(with, q::schedule(paper, "GS"), q::plan_options(), report));
    q::partners none;
    WRONG(QDR_ERR_INVALID, "the partners are NULL", q::plan(none, q::plan_options(), report));

    q::plan plan(with);
    std::vector<double> out(4), in(4);
    q::buffers no_bytes = q::buffers::of(out, in), no_place = no_bytes, stride = no_bytes, device = no_bytes,
               overlap = no_bytes;
    no_bytes.item_bytes = -1;
    no_place.outgoing_base = nullptr;
    stride.outgoing_stride = 3;
    device.memory = QDR_MEMORY_DEVICE;
    overlap.incoming_base = out.data() + 1;
    WRONG(QDR_ERR_RANGE, "item_bytes", plan.exchange(no_bytes, report));
    WRONG(QDR_ERR_INVALID, "no memory", plan.exchange(no_place, report));
    WRONG(QDR_ERR_INVALID, "stride", plan.exchange(stride, report));
    WRONG(QDR_ERR_INVALID, "device", plan.exchange(device, report));
    WRONG(QDR_ERR_INVALID, "overlap", plan.exchange(overlap, report));
    q::plan gone;
    WRONG(QDR_ERR_INVALID, "the plan is NULL", gone.exchange(q::buffers::of(out, in), report));
    WRONG(QDR_ERR_INVALID, "the plan is NULL", gone.start(q::buffers::of(out, in), report));
    WRONG(QDR_ERR_INVALID, "qdr_plan_tune: the plan is NULL", gone.tune(report));
    q::pending under_way = plan.start(q::buffers::of(out, in));
    WRONG(QDR_ERR_BUSY, "is under way", plan.destroy(report));
    under_way.wait();
}

static void of_maps() {
    const int one[] = {rank}, beyond[] = {ranks};
    const std::int64_t here[] = {0}, negative[] = {-1}, two[] = {0, 1}, extent[] = {4};
    using wide = std::int64_t;
    const q::map_options usual;
    q::map_options reverse;
    reverse.reverse = static_cast<qdr_reverse>(7);
    WRONG(QDR_ERR_RANGE, "link_rank[0] is",
          q::map::from_receives(comm, q::indices::flat<wide>(beyond, here, here), usual, report));
    WRONG(QDR_ERR_RANGE, "elements count from 0",
          q::map::from_receives(comm, q::indices::flat<wide>(one, negative, here), usual, report));
    WRONG(QDR_ERR_RANGE, "-1",
          q::map::from_receives(comm, q::indices::flat<wide>(one, two, here), usual, report));
    WRONG(QDR_ERR_RANGE, "-1", q::map::from_sends(comm, q::indices::grouped<wide>(one, two), usual, report));
    WRONG(QDR_ERR_RANGE, "reverse",
          q::map::from_receives(comm, q::indices::flat<wide>(one, here, here), reverse, report));
    WRONG(QDR_ERR_MISMATCH, "which expects 0",
          q::map(comm, q::indices::flat<wide>(one, here), q::indices(), usual, report));
    WRONG(QDR_ERR_RANGE, "-1 dimensions",
          q::map::from_boxes(comm, q::boxes(extent, one, two, here), q::boxes(), usual, report));

    q::map map = q::map::from_receives(comm, q::indices::flat<wide>(one, here, here));
    double source = 1, target = 0;
    const q::field right(&source, &target);
    q::field no_type = right, no_source = right, device = right, width = right, operation = right,
             function = right;
    no_type.type = static_cast<qdr_type>(0);
    no_source.source = nullptr;
    device.memory = QDR_MEMORY_DEVICE;
    width.width = -1;
    operation.operation = QDR_BITWISE_AND;
    function.operation = QDR_COMBINE;
    WRONG(QDR_ERR_INVALID, "type", map.exchange(no_type, QDR_FORWARD, report));
    WRONG(QDR_ERR_INVALID, "source", map.exchange(no_source, QDR_FORWARD, report));
    WRONG(QDR_ERR_INVALID, "device", map.exchange(device, QDR_FORWARD, report));
    WRONG(QDR_ERR_RANGE, "width", map.exchange(width, QDR_FORWARD, report));
    WRONG(QDR_ERR_INVALID, "double", map.exchange(operation, QDR_FORWARD, report));
    WRONG(QDR_ERR_INVALID, "QDR_COMBINE", map.exchange(function, QDR_FORWARD, report));
    WRONG(QDR_ERR_INVALID, "reverse", map.exchange(right, QDR_REVERSE, report));
    WRONG(QDR_ERR_RANGE, "0 fields", map.exchange(q::span<const q::field>(&right, 0), QDR_FORWARD, report));
    const q::ghost_places nowhere{{0}, {0}};
    WRONG(QDR_ERR_INVALID, "as many pointers", map.ghosts<double>(nowhere, {}, 0, QDR_FORWARD, report));
    WRONG(QDR_ERR_INVALID, "keeps_incoming", map.ghost_places(one, QDR_FORWARD, report));
    q::map gone;
    WRONG(QDR_ERR_INVALID, "the map is NULL", gone.exchange(right, QDR_FORWARD, report));
}

static void of_items() {
    const std::vector<int> data(2);
    const int beyond[] = {0, ranks}, one[] = {0};
    const std::int64_t many[] = {5};
    q::arrivals<int> came;
    WRONG(QDR_ERR_RANGE, "item 1 goes to rank", q::deliver(comm, q::items<int>(data, beyond), came, report));
    WRONG(QDR_ERR_RANGE, "-1", q::deliver(comm, q::items<int>(data, one), came, report));
    WRONG(QDR_ERR_RANGE, "-1", q::deliver(comm, q::items<int>::grouped(data, one, many), came, report));
    std::vector<int> out(static_cast<std::size_t>(ranks)), in(out.size());
    WRONG(QDR_ERR_RANGE, "-1", q::alltoall<int>(comm, out, {in.data(), 0}, nullptr, report));
    WRONG(QDR_ERR_UNKNOWN, "magic", q::alltoall<int>(comm, out, in, "magic", report));
    WRONG(QDR_ERR_UNKNOWN, "magic", q::alltoall_start<int>(comm, out, in, "magic", report));
    WRONG(QDR_ERR_UNKNOWN, "round", q::broadcast<int>(comm, one, in, "round", report));
    WRONG(QDR_ERR_INVALID, "communicator", q::prepare(MPI_COMM_NULL, report));

    std::int64_t count = 2;
    std::vector<int> items(4), destination = {0, ranks}, right(2, rank);
    WRONG(QDR_ERR_RANGE, "goes to rank",
          q::migrate_array<int>(comm, count, items, destination, q::migration_options(), nullptr, report));
    WRONG(QDR_ERR_RANGE, "-1",
          q::migrate_array<int>(comm, count, items, {right.data(), 1}, q::migration_options(), nullptr,
                                report));
    q::migration_options method, memory(-1);
    method.method = "magic";
    WRONG(QDR_ERR_UNKNOWN, "magic",
          q::migrate_array<int>(comm, count, items, right, method, nullptr, report));
    WRONG(QDR_ERR_RANGE, "-1", q::migrate_array<int>(comm, count, items, right, memory, nullptr, report));
    count = 5;
    WRONG(QDR_ERR_RANGE, "expected 0 to its capacity",
          q::migrate_array<int>(comm, count, items, destination, q::migration_options(), nullptr, report));
}

static void of_services() {
    const std::int64_t id[] = {rank}, two[] = {0, 1}, nobody[] = {999};
    const int beyond[] = {ranks};
    q::directory_options how;
    how.payload_bytes = -1;
    WRONG(QDR_ERR_RANGE, "payload", q::directory(comm, how, report));
    q::directory directory(comm);
    WRONG(QDR_ERR_RANGE, "the owner of id 0", directory.insert(id, beyond, {}, nullptr, report));
    WRONG(QDR_ERR_RANGE, "-1", directory.insert(id, {}, two, nullptr, report));
    if (ranks > 1)
        WRONG(QDR_ERR_MISMATCH, "owned twice", directory.insert({two, 1}, {}, {}, nullptr, report));
    WRONG(QDR_ERR_UNKNOWN, "999",
          q::resolve_map(comm, q::span<const std::int64_t>(id), q::span<const std::int64_t>(nobody), {},
                         q::resolve_options(), report));
    WRONG(QDR_ERR_UNKNOWN, "magic", q::resolve(comm, id, id, q::resolve_options("magic"), report));
    WRONG(QDR_ERR_RANGE, "-1",
          q::resolve_map(comm, q::span<const std::int64_t>(id), q::span<const std::int64_t>(id), two,
                         q::resolve_options(), report));

    WRONG(QDR_ERR_INVALID, "name", q::program(comm, "", 0, report));
    WRONG(QDR_ERR_INVALID, ".hidden", q::program(comm, ".hidden", 0, report));
    q::program program(comm, "alone");
    q::coupling_options pigeon, soon;
    pigeon.transport = "pigeon";
    soon.set_deadline(0.2);
    WRONG(QDR_ERR_UNKNOWN, "pigeon", q::coupling(program, "nobody", pigeon, report));
    WRONG(QDR_ERR_STALLED, "nobody", q::coupling(program, "nobody", soon, report));
    q::coupling coupling(program, "alone");
    WRONG(QDR_ERR_BUSY, "couplings are open", program.destroy(report));
    const q::axis axes[] = {q::axis::block(8, ranks)}, longer[] = {q::axis::block(9, ranks)};
    const q::layout one = q::layout::regular(axes), other = q::layout::regular(longer);
    const q::coupled out[] = {{"heat", one, QDR_DOUBLE}}, in[] = {{"heat", other, QDR_DOUBLE}},
                     named[] = {{"cold", one, QDR_DOUBLE}}, floats[] = {{"heat", one, QDR_FLOAT}},
                     wider[] = {{"heat", one, QDR_DOUBLE, 2}};
    const q::stream_options usual;
    WRONG(QDR_ERR_MISMATCH, "heat", q::stream::within(coupling, "s", out, in, usual, report));
    WRONG(QDR_ERR_MISMATCH, "cold", q::stream::within(coupling, "s", out, named, usual, report));
    WRONG(QDR_ERR_MISMATCH, "float", q::stream::within(coupling, "s", out, floats, usual, report));
    WRONG(QDR_ERR_MISMATCH, "2", q::stream::within(coupling, "s", out, wider, usual, report));
    q::stream_options magic;
    magic.computes = "magic";
    WRONG(QDR_ERR_UNKNOWN, "magic", q::stream::within(coupling, "s", out, out, magic, report));
    q::stream stream = q::stream::within(coupling, "heat", out, out);
    std::vector<double> mine(static_cast<std::size_t>(one.of(rank).room) + 1);
    stream.export_at(2, mine.data());
    WRONG(QDR_ERR_INVALID, "1", stream.export_at(1, mine.data(), report));
    WRONG(QDR_ERR_RANGE, "field 3 of 1", stream.schedule(true, 3, report));
    stream.promise(9);
    WRONG(QDR_ERR_UNMATCHED, "no export matches EXACT 5",
          stream.import_at(5.0, mine.data(), QDR_EXACT, 0, report));
}

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &ranks);
    of_partners();
    of_plans();
    of_maps();
    of_items();
    of_services();
    MPI_Finalize();
    /* Used after MPI has ended. */
    const int one[] = {0};
    const std::int64_t items[] = {1};
    WRONG(QDR_ERR_INVALID, "MPI is finalised", q::partners::from_sends(comm, one, items, nullptr, report));
    return testing::verdict(rank, "wrong_mpitest");
}
