/* SPDX-License-Identifier: BSD-3-Clause */
/* What needs MPI, in C++: partners, plans, maps, deliveries, the directory, migration and coupling, on any number of ranks. */
#include <algorithm>
#include <numeric>

#include "testing.hpp"

namespace q = quadrille;

static int rank, ranks;
static const MPI_Comm comm = MPI_COMM_WORLD;

/* Everyone sends i + 1 numbers to the i-th after it, itself included. */
struct ring {
    std::vector<int> destination, source;
    std::vector<std::int64_t> items;
    std::int64_t all = 0;
    ring() {
        for (int i = 0; i < ranks; i++) {
            destination.push_back((rank + i) % ranks);
            source.push_back((rank - i + ranks) % ranks);
            items.push_back(i + 1);
            all += i + 1;
        }
    }
};

static void partners_are_found() {
    const ring of;
    q::partners sends = q::partners::from_sends(comm, of.destination, of.items);
    const q::partners_view view = sends.look();
    CHECK(view.rank == rank && view.ranks == ranks && view.source.size() == of.source.size());
    CHECK(std::accumulate(view.receive_items.begin(), view.receive_items.end(), std::int64_t{0}) == of.all);
    CHECK(q::partners::from_receives(comm, of.source, of.items).look().destination.size() ==
          of.source.size());
    CHECK(q::partners::from_both(comm, of.destination, of.items, of.source, of.items).look().source[0] ==
          rank);
    const q::pattern whole = sends.gather();
    CHECK(whole.look().ranks == ranks && whole.look().local[0] == 1);
    CHECK(q::partners::from_pattern(comm, whole).look().rank == rank);
    const int text = 42;
    const q::parcel out[] = {{(rank + 1) % ranks, sizeof text, const_cast<int *>(&text)}};
    const q::parcels came = q::discover(comm, out);
    CHECK(came.size() == 1 && came.begin()->rank == (rank - 1 + ranks) % ranks &&
          came.end() == came.begin() + 1);
    CHECK(*static_cast<int *>(came.list()[0].data) == 42 && q::discovery_methods().size() > 2);
}

static std::vector<double> numbered(std::int64_t count) {
    std::vector<double> numbers(static_cast<std::size_t>(count));
    std::iota(numbers.begin(), numbers.end(), 1000.0 * rank);
    return numbers;
}

static void plans_run() {
    const ring of;
    int events = 0;
    auto tell = [&](const q::event &) { events++; };
    q::partners both = q::partners::from_both(comm, of.destination, of.items, of.source, of.items);
    q::plan_options how("paced");
    how.set_deadline(std::chrono::seconds(60)).set_trace(tell).transport = "net";
    q::plan plan(both, how), usual(both);
    const std::vector<double> outgoing = numbered(of.all);
    std::vector<double> incoming(outgoing.size(), -1), other(outgoing.size(), -1);
    plan.exchange(q::buffers::of(outgoing, incoming));
    q::pending pending[2];
    pending[0] = usual.start(q::buffers::of(outgoing, other));
    CHECK(!pending[0].is_done() && pending[0].get());
    while (!pending[0].test()) q::progress();
    CHECK(pending[0].is_done() && incoming == other);
    for (int i = 0, at = 0; i < ranks; at += ++i)
        CHECK(incoming[static_cast<std::size_t>(at)] == 1000.0 * of.source[static_cast<std::size_t>(i)] + at);
    CHECK(events > 0 && plan.look().exchanges == 1 && plan.look().algorithm == std::string("paced"));
    pending[1] = plan.start(q::buffers::of(outgoing, incoming));
    q::wait_all(pending);
    pending[1] = plan.start(q::buffers::of(outgoing, incoming));
    CHECK(q::wait_any(pending) == 1 && q::wait_any(pending) == -1 && q::test_any(pending) == -1);
    CHECK(q::test_all(pending));
    pending[1] = plan.start(q::buffers::of(outgoing, incoming).with_items(of.items, of.items));
    pending[1].wait();
    { const q::pending unseen = plan.start(q::buffers::of(outgoing, incoming)); }
    q::pending moved(plan.start(q::buffers::of(outgoing, incoming)));
    moved = q::pending();
    CHECK(!q::pending(moved.release()).get() && plan.look().exchanges == 6);
    usual.tune();
    CHECK(!usual.candidates().empty() && q::plan::pacings().size() > 3 && !q::stall_report()[0]);
    plan.destroy();
    CHECK(!plan);
    const q::pattern whole = both.gather();
    q::plan scheduled(both, q::schedule(whole, "coloring"));
    scheduled.exchange(q::buffers::of(outgoing, other));
    CHECK(other == incoming && scheduled.runs());
}

/* Element j of everybody's array, from the rank after. */
static void maps_run() {
    const int next = (rank + 1) % ranks, before = (rank - 1 + ranks) % ranks;
    const std::vector<int> from(3, next);
    const std::vector<std::int64_t> here = {3, 4, 5}, there = {0, 1, 2};
    const std::vector<std::int32_t> here32 = {3, 4, 5}, there32 = {0, 1, 2};
    q::map_options back;
    back.reverse = QDR_REVERSE_COMBINE;
    q::map needs = q::map::from_receives(comm, q::indices::flat<std::int64_t>(from, here, there), back);
    q::map same = q::map::from_receives(comm, q::indices::flat<std::int32_t>(from, here32, there32));
    std::vector<double> array = {10.0 * rank, 10.0 * rank + 1, 10.0 * rank + 2, -1, -1, -1}, twin = array;
    needs.exchange(q::field(array.data()));
    same.exchange(q::field(twin.data()));
    CHECK(array == twin && array[3] == 10.0 * next && array[5] == 10.0 * next + 2);
    needs.exchange(q::field(array.data(), 1, QDR_SUM), QDR_REVERSE);
    CHECK(array[1] == 2 * (10.0 * rank + 1));
    auto larger = [](double one, double two) { return std::max(one, two); };
    std::vector<double> source = {0, 0, 0, 1, 2, 3}, target(6, 2);
    q::pending pending = needs.start(q::field::combined(source.data(), target.data(), larger), QDR_REVERSE);
    pending.wait();
    CHECK(target[0] == 2 && target[1] == 2 && target[2] == 3 && target[3] == 2);
    std::vector<int> whole = {7 * rank, 8, 9, 0, 0, 0};
    const q::field fields[] = {q::field(array.data()), q::field(whole.data())};
    needs.exchange(fields);
    pending = needs.start(fields);
    pending.wait();
    CHECK(needs.reach() == std::make_pair(std::int64_t(3), std::int64_t(6)));
    CHECK(whole[3] == 7 * next && needs.look().source[0] == next && needs.look().destination[0] == before);
    CHECK(needs.look_at_plan().algorithm && needs.look_at_plan(QDR_REVERSE).algorithm);
    CHECK(!needs.candidates().empty() && !needs.candidates(QDR_REVERSE).empty());
    CHECK(needs.runs() == nullptr || qdr_schedule_pattern(needs.runs()));
    struct cell {
        double x, y;
    };
    std::vector<cell> cells(6, {1.0 * rank, 2});
    same.exchange(q::field(&cells[0].x).with_strides(sizeof(cell), sizeof(cell)));
    same.exchange(q::field(cells.data()));
    CHECK(cells[4].x == next && cells[4].y == 2);
}

static void maps_have_many_forms() {
    const int next = (rank + 1) % ranks, before = (rank - 1 + ranks) % ranks;
    const int to[] = {next}, from[] = {before};
    const std::int64_t two[] = {2}, places[] = {1, 0}, start[] = {0, 1, 3};
    q::map both(comm, q::indices::grouped<std::int64_t>(to, two, places),
                q::indices::grouped<std::int64_t>(from, two));
    std::vector<float> source = {1.0f * rank, 2.0f * rank}, target(2);
    both.exchange(q::field(source.data(), target.data()));
    CHECK(target[0] == 2.0f * before && target[1] == 1.0f * before);
    const std::int32_t two32[] = {2}, places32[] = {1, 0};
    q::map sends = q::map::from_sends(comm, q::indices::grouped<std::int32_t>(to, two32, places32));
    sends.exchange(q::field(source.data(), target.data()));
    CHECK(target[0] == 2.0f * before);
    const std::int64_t turned[] = {0, 1};
    const q::indices relisted = q::indices::grouped<std::int64_t>(to, two, turned);
    both.relist(&relisted, nullptr);
    both.exchange(q::field(source.data(), target.data()));
    CHECK(target[1] == 2.0f * before);
    const char text[] = {'a', 'b', 'c'};
    char came[3] = {0, 0, 0};
    const std::int64_t came_start[] = {0, 1, 3};
    both.exchange(q::field::varying(text, start, came, came_start));
    CHECK(std::memcmp(came, "abc", 3) == 0);

    const std::int64_t extent[] = {4, 3}, row[] = {1, 0}, ghost[] = {0, 0}, one_row[] = {1, 3};
    q::map halo =
        q::map::from_boxes(comm, q::boxes(extent, to, row, one_row), q::boxes(extent, from, ghost, one_row));
    std::vector<double> grid(12, rank);
    halo.exchange(q::field(grid.data()));
    CHECK(grid[0] == before && grid[2] == before && grid[3] == rank);

    q::map_options keeps;
    keeps.keeps_incoming = 1;
    const std::vector<int> owner(2, next);
    q::map kept = q::map::from_receives(comm, q::indices::flat<std::int64_t>(owner, {}, {places, 2}), keeps);
    kept.exchange(q::field(source.data(), static_cast<float *>(nullptr)));
    CHECK(kept.incoming<float>(0)[0] == 2.0f * next);
    const q::ghost_places where = kept.ghost_places(owner);
    const float *ghosts[2] = {nullptr, nullptr};
    kept.ghosts<float>(where, ghosts);
    CHECK(*ghosts[0] == 2.0f * next && *ghosts[1] == 1.0f * next);
}

static void items_are_delivered() {
    std::vector<int> data, destination;
    std::vector<std::int64_t> each(static_cast<std::size_t>(ranks), 2);
    for (int i = 0; i < 2 * ranks; i++) data.push_back(100 * rank + i), destination.push_back(i / 2);
    q::arrivals<int> came;
    q::deliver(comm, q::items<int>(data, destination), came);
    CHECK(came.size() == data.size() && came.source().size() == static_cast<std::size_t>(ranks));
    CHECK(came.data()[0] == 2 * rank && came.items()[0] == 2 && came.end() - came.begin() == 2 * ranks);
    std::vector<char> room;
    int asked = 0;
    auto allocate = [&](std::int64_t bytes) -> void * {
        asked++;
        room.resize(static_cast<std::size_t>(bytes) + 16);
        return room.data() + (16 - reinterpret_cast<std::uintptr_t>(room.data()) % 16) % 16;
    };
    q::arrivals<int> elsewhere(allocate);
    q::pending pending = q::deliver_start(comm, q::items<int>::grouped(data, {}, each), elsewhere);
    pending.wait();
    CHECK(asked == 1 && elsewhere.data()[1] == 2 * rank + 1);
    came.free();
    CHECK(came.size() == 0 && came.get()->data == nullptr);
}

static void collectives_run() {
    std::vector<short> out(static_cast<std::size_t>(3 * ranks)), in(out.size()), again(out.size());
    std::iota(out.begin(), out.end(), static_cast<short>(100 * rank));
    q::alltoall<short>(comm, out, in);
    q::pending pending = q::alltoall_start<short>(comm, out, again, "PEX");
    pending.wait();
    CHECK(in == again && in[3 * (static_cast<std::size_t>(ranks) - 1)] == 100 * (ranks - 1) + 3 * rank);
    q::prepare(comm);
    std::vector<int> group(static_cast<std::size_t>(ranks));
    std::iota(group.begin(), group.end(), 0);
    double value = rank == 0 ? 2.5 : 0;
    q::broadcast(comm, group, q::span<double>(&value, 1), "recursive");
    CHECK(value == 2.5);
}

static void the_directory_knows() {
    auto keeper = [](std::int64_t id) { return static_cast<int>(id % ranks); };
    q::directory_options how;
    how.set_place(keeper).set_deadline(60).payload_bytes = sizeof(double);
    q::directory directory(comm, how);
    const std::int64_t mine[] = {10 * rank, 10 * rank + 1}, needed[] = {10 * ((rank + 1) % ranks) + 1, 999};
    const double payload[] = {0.5 * rank, 1.5};
    directory.insert(mine, {}, {}, payload);
    double found_payload[2] = {0, 0};
    const q::found found = directory.find(needed, found_payload);
    CHECK(found.owner[0] == (rank + 1) % ranks && found.place[0] == 1 && found.unknown == 1);
    CHECK(found.owner[1] == QDR_NOBODY && found_payload[0] == 1.5);
    int owner[2] = {0, 0};
    directory.find_into(needed, owner, {});
    CHECK(owner[0] == found.owner[0] && directory.look().entries == 2);
    const int other[] = {0, 0};
    const std::int64_t place[] = {7, 8};
    CHECK(directory.update(mine, other, place) == 0 && directory.remove({needed + 1, 1}) == 1);
    q::directory_call call(QDR_DIRECTORY_FIND, mine);
    std::int64_t places[2] = {0, 0};
    call.found_place = places;
    q::pending pending = directory.start(call);
    pending.wait();
    CHECK(places[1] == 8);

    const q::resolved who = q::resolve(comm, mine, {needed, 1});
    CHECK(who.owner[0] == (rank + 1) % ranks && who.place[0] == 1 && q::resolve_methods().size() > 2);
    q::map map = q::resolve_map(comm, q::span<const std::int64_t>(mine),
                                q::span<const std::int64_t>(needed, 1), {}, q::resolve_options("directory"));
    const double source[] = {1.0 * rank, 2.0 * rank};
    double target = -1;
    map.exchange(q::field(source, &target));
    CHECK(target == 2.0 * ((rank + 1) % ranks));
    const std::int32_t mine32[] = {10 * rank, 10 * rank + 1}, needed32[] = {10 * ((rank + 1) % ranks) + 1};
    q::map same =
        q::resolve_map(comm, q::span<const std::int32_t>(mine32), q::span<const std::int32_t>(needed32));
    target = -1;
    same.exchange(q::field(source, &target));
    CHECK(target == 2.0 * ((rank + 1) % ranks));
}

/* Boxes that are numbers on the heap. */
struct shelf {
    std::vector<int> boxes;
    int left = 0;
    std::int64_t size(std::int64_t) { return sizeof(int); }
    bool pack(std::int64_t object, void *bytes) {
        std::memcpy(bytes, &boxes[static_cast<std::size_t>(object)], sizeof(int));
        return true;
    }
    bool release(std::int64_t) { return ++left > 0; }
    bool unpack(int, const void *bytes, std::int64_t size) {
        int box = 0;
        std::memcpy(&box, bytes, static_cast<std::size_t>(size));
        boxes.push_back(box);
        return true;
    }
};

static void items_migrate() {
    std::vector<std::int64_t> items(static_cast<std::size_t>(4 * ranks));
    std::vector<int> destination(items.size());
    std::int64_t count = 2 * ranks;
    const auto fill = [&] {
        for (int i = 0; i < 2 * ranks; i++)
            items[static_cast<std::size_t>(i)] = 1000 * rank + i,
            destination[static_cast<std::size_t>(i)] = i % ranks;
    };
    fill();
    int calls = 0;
    auto tell = [&](std::int64_t, std::int64_t, std::int64_t, std::int64_t) { calls++; };
    q::migration_options how(1 << 20);
    how.set_progress(tell).set_deadline(60);
    q::migration_report took = {};
    q::migrate_array<std::int64_t>(comm, count, items, destination, how, &took);
    CHECK(count == 2 * ranks && took.came == 2 * (ranks - 1) && took.memory == 1 << 20);
    for (std::int64_t i = 0; i < count; i++) CHECK(items[static_cast<std::size_t>(i)] % 1000 % ranks == rank);
    fill();
    q::pending pending = q::migrate_array_start<std::int64_t>(comm, count, items, destination);
    pending.wait();
    CHECK(count == 2 * ranks);

    shelf shelf;
    shelf.boxes = {rank, 100 + rank};
    const int to[] = {(rank + 1) % ranks, rank};
    q::migrate_objects(comm, q::objects(to, shelf));
    CHECK(ranks == 1 || (shelf.left == 1 && shelf.boxes.back() == (rank - 1 + ranks) % ranks));
    const q::objects all(to, shelf);
    q::pending objects = q::migrate_objects_start(comm, all);
    objects.wait();
    CHECK(ranks == 1 || shelf.left == 2);
}

/* A program that is coupled with itself turns a distributed array around. */
static void programs_are_coupled() {
    q::program program(comm, "turner", 60);
    int same = 0;
    MPI_Comm_compare(program.comm(), comm, &same);
    CHECK(same == MPI_CONGRUENT || same == MPI_IDENT);
    q::coupling_options how;
    how.set_deadline(std::chrono::seconds(60));
    q::coupling coupling(program, "turner", how);
    CHECK(coupling.look().ranks == ranks && coupling.look().transport == std::string("self"));
    const q::axis blocks[] = {q::axis::block(12, ranks)}, cycles[] = {q::axis::cyclic(12, ranks)};
    const q::layout one = q::layout::regular(blocks), other = q::layout::regular(cycles);
    const q::region every = q::region::all(one);
    const q::coupled out[] = {{"heat", one, every, QDR_DOUBLE}},
                     in[] = {q::coupled("heat", other, QDR_DOUBLE).with_operation(QDR_SUM)};
    q::stream_options streams;
    streams.set_deadline(60);
    q::stream stream = q::stream::within(coupling, "turn", out, in, streams);
    CHECK(stream.look().elements == 12 && stream.look().fields == 1);
    const q::stream_schedule sends = stream.schedule(true);
    CHECK(sends.start.size() == sends.rank.size() + 1 &&
          static_cast<std::int64_t>(sends.place.size()) == one.of(rank).elements);
    std::vector<double> mine(static_cast<std::size_t>(one.of(rank).room) + 1),
        theirs(static_cast<std::size_t>(other.of(rank).room) + 1, 1);
    for (std::int64_t i = 0; i < 12; i++) {
        const q::layout::where where = one.locate({&i, 1});
        if (where.rank == rank) mine[static_cast<std::size_t>(where.place)] = static_cast<double>(i);
    }
    stream.export_at(1, mine.data());
    CHECK(stream.import_at(1, theirs.data()) == 1);
    const void *const arrays[] = {mine.data()};
    void *const targets[] = {theirs.data()};
    stream.export_at(2, q::span<const void *const>(arrays));
    double matched = 0;
    q::pending pending = stream.import_start(2.5, targets, &matched, QDR_BEFORE, 1);
    stream.promise(3);
    pending.wait();
    CHECK(matched == 2);
    for (std::int64_t i = 0; i < 12; i++) {
        const q::layout::where where = other.locate({&i, 1});
        if (where.rank == rank)
            CHECK(theirs[static_cast<std::size_t>(where.place)] == 1 + 2 * static_cast<double>(i));
    }
    stream.destroy();
    coupling.destroy();
    program.destroy();
    CHECK(!stream && !coupling && !program);
}

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &ranks);
    try {
        partners_are_found();
        plans_run();
        maps_run();
        maps_have_many_forms();
        items_are_delivered();
        collectives_run();
        the_directory_knows();
        items_migrate();
        programs_are_coupled();
    } catch (const q::error &error) {
        std::fprintf(stderr, "rank %d: %s: %s\n", rank, qdr_status_text(error.status()), error.what());
        MPI_Abort(comm, EXIT_FAILURE);
    }
    MPI_Finalize();
    return testing::verdict(rank, "parallel_mpitest");
}
