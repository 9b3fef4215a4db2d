/* SPDX-License-Identifier: BSD-3-Clause */
/* What needs no MPI, in C++: patterns, machines, schedules, moves, layouts, files and pictures. */
#include "quadrille-io.hpp"
#include "testing.hpp"

namespace q = quadrille;

static void says_what_it_is() {
    CHECK(std::strcmp(q::version(), QDR_VERSION) == 0);
    CHECK(q::environment().size() > 10);
    CHECK(std::strcmp(q::text_of(QDR_ERR_STALLED), "the deadline passed") == 0);
    CHECK(make_error_code(QDR_ERR_STALLED) == std::errc::timed_out);
    CHECK(make_error_code(QDR_ERR_INVALID) == std::errc::invalid_argument);
    CHECK(make_error_code(QDR_ERR_RANGE) == std::errc::result_out_of_range);
    CHECK(make_error_code(QDR_ERR_MEMORY) == std::errc::not_enough_memory);
    CHECK(make_error_code(QDR_ERR_FILE) == std::errc::io_error);
    CHECK(make_error_code(QDR_ERR_BUSY) == std::errc::device_or_resource_busy);
    CHECK(make_error_code(QDR_ERR_PEER) == std::errc::connection_aborted);
    CHECK(make_error_code(QDR_ERR_DEADLOCK) == std::errc::resource_deadlock_would_occur);
    CHECK(make_error_code(QDR_ERR_FULL) == std::errc::no_buffer_space);
    CHECK(make_error_code(QDR_ERR_LOST) != std::errc::timed_out);
    const std::error_code code = QDR_ERR_UNKNOWN;
    CHECK(code.category().name() == std::string("quadrille"));
    CHECK(code.message() == "unknown name");
    CHECK(q::error(QDR_ERR_FULL, "").what() == std::string("the queue is full"));
    const q::seconds ten = std::chrono::minutes(1);
    CHECK(ten == 60.0);
    auto say = [](const char *) {};
    q::set_log(say);
    q::set_log(nullptr);
}

static void owners_move() {
    q::pattern one("paper:P"), other;
    const qdr_pattern *handle = one.get();
    other = std::move(one);
    CHECK(!one && other.get() == handle);
    q::pattern third(std::move(other));
    CHECK(third.get() == handle && !other);
    third.destroy();
    CHECK(!third);
    q::pattern fourth(q::pattern("paper:P").release());
    CHECK(static_cast<bool>(fourth));
    std::error_code code;
    fourth.destroy(code);
    CHECK(!code);
    q::parcels came(static_cast<q::parcel *>(std::calloc(1, sizeof(q::parcel))), 1), none;
    none = std::move(came);
    CHECK(none.size() == 1 && came.size() == 0 && came.begin() == came.end());
    q::parcels last(std::move(none));
    CHECK(last.list().size() == 1 && none.size() == 0);
}

static void patterns_are_read_and_written() {
    const qdr_message messages[] = {{0, 1, 10}, {1, 2, 20}, {2, 0, 30}, {1, 1, 5}};
    const q::pattern ring(3, messages);
    const q::pattern_view view = ring.look();
    CHECK(view.ranks == 3 && view.items.size() == 3 && view.items[2] == 30 && view.origin[1] == 1);
    CHECK(view.destination[0] == 1 && view.row_start.size() == 4 && view.column_start.size() == 4);
    CHECK(view.column_message.size() == 3 && view.local[1] == 5);
    const q::pattern_statistics statistics = ring.measure();
    CHECK(statistics.messages == 3 && statistics.traffic == 30 && statistics.kind == QDR_CLASS_PERMUTATION);
    CHECK(std::strcmp(q::text_of(statistics.kind), "permutation") == 0);
    std::FILE *file = std::tmpfile();
    ring.write(file);
    std::rewind(file);
    CHECK(q::pattern::read(file, "ring").measure().items == 60);
    std::fclose(file);
    CHECK(q::pattern::families().size() > 10);
}

static void machines_are_described() {
    const q::machine cube("hypercube:tau=1us,mu=1ns", 8);
    CHECK(cube.look().ranks == 8 && cube.look().mu == 1e-9);
    CHECK(cube.topology() == std::string("hypercube") && std::strstr(cube.spec(), "tau=1us"));
    CHECK(cube.links() == 24 && cube.route_limit() == 3 && cube.route(0, 7).size() == 3);
    CHECK(cube.wire_bytes(100) == 100 && cube.link_streams(0) == 1 && cube.link_bandwidth(0) > 0);
    CHECK(cube.latency(0, 1) >= 0 && q::machine::known().size() > 5);
    std::FILE *file = std::tmpfile();
    cube.write_simgrid(file);
    CHECK(std::ftell(file) > 100);
    std::fclose(file);
}

static void schedules_are_made_and_checked() {
    const q::pattern paper("paper:P");
    const q::machine cm5("cm5", 8);
    const q::schedule greedy(paper, "GS");
    CHECK(greedy.look().phases == 6 && greedy.look().algorithm == std::string("greedy"));
    CHECK(greedy.of() == paper.get());
    greedy.check();
    std::vector<q::step> steps = greedy.steps();
    CHECK(steps.size() == 34);
    const q::prediction whole = greedy.predict(cm5, 256), same = greedy.predict(cm5, steps, 256);
    CHECK(whole.seconds > 0 && whole.seconds == same.seconds && steps.back().end > 0);
    CHECK(q::predict(q::span<q::step>(steps), cm5, 256).seconds == whole.seconds);
    CHECK(q::bounds_of(paper, cm5, 256).direct <= 1.0001 * whole.seconds);
    CHECK(q::predict(paper, q::way("async"), cm5, 256) > 0);
    CHECK(!q::auto_candidates(paper, 1000).empty() && q::auto_reason(paper)[0]);
    CHECK(q::schedule::find("LEX")->name == std::string("linear") && q::schedule::algorithms().size() > 12);
    q::row_reader reader(greedy);
    const q::row row = reader.read(3, 0);
    CHECK(row.send.size() + row.receive.size() > 0 && !row.pieces.empty());
    for (const q::transfer &one : row.send)
        CHECK(row.pieces[static_cast<std::size_t>(one.first)].origin == 3);
    const int group[] = {2, 0, 1};
    CHECK(q::broadcast_steps("recursive", group, 5).size() == 2);
    std::FILE *file = std::tmpfile();
    q::write_text(q::span<const q::step>(steps), file);
    q::write_json(greedy, file);
    q::write_svg(greedy, q::span<const q::step>(steps), 1, "greedy", file);
    CHECK(std::ftell(file) > 1000);
    std::rewind(file);
    std::fclose(file);
    file = std::tmpfile();
    q::write_json(greedy, file);
    std::rewind(file);
    CHECK(q::read_schedule(file, "greedy.json", paper).steps().size() == 34);
    std::fclose(file);
}

static void moves_are_found() {
    const q::pattern crossing("complete:n=3,bytes=4");
    const std::int64_t room[] = {8, 8, 8};
    const q::moves all(crossing, room);
    const q::moves_view view = all.look();
    CHECK(view.ranks == 3 && view.total == 24 && view.room == 24 && view.bound == 1);
    CHECK(view.phase_start.size() == static_cast<std::size_t>(view.phases) + 1);
    CHECK(view.move.size() >= 6 && view.method[0]);
    all.check(crossing, room);
    CHECK(q::moves::least_room(crossing).with_parking >= 1 && q::moves::methods().size() > 3);
    std::FILE *file = std::tmpfile();
    all.write_text(file);
    q::write_json(all, file);
    q::write_svg(crossing, room, all, file);
    CHECK(std::ftell(file) > 300);
    std::fclose(file);
}

static void layouts_find_elements() {
    const std::int64_t cut[] = {0, 2, 8};
    const q::axis axes[] = {q::axis::block(10, 2).with_ghosts(1, 1), q::axis::cyclic(6, 1, 2),
                            q::axis::whole(2)};
    const q::layout regular = q::layout::regular(axes);
    const std::int64_t at[] = {7, 3, 1};
    const q::layout::where where = regular.locate(at);
    std::int64_t back[3] = {0, 0, 0};
    regular.index(where.rank, where.place, back);
    CHECK(where.rank == 1 && std::memcmp(at, back, sizeof at) == 0);
    CHECK(regular.of(0).elements == 60 && regular.of(0).room == 84);
    const q::axis parts[] = {q::axis::cuts(cut)};
    CHECK(q::layout::regular(parts).of(1).elements == 6);
    const std::int64_t extent[] = {10}, first[] = {0, 5}, count[] = {2, 3}, element[] = {3, 4},
                       place[] = {0, 1};
    const int owners[] = {0, 1};
    CHECK(q::layout::runs(extent, first, count).of(QDR_HERE).elements == 5);
    CHECK(q::layout::runs(extent, first).of(QDR_HERE).elements == 2);
    CHECK(q::layout::entries(extent, element, owners, place)
              .locate(q::span<const std::int64_t>(element, 1))
              .rank == 0);
    const qdr_box box[] = {{first, extent, nullptr, 0}};
    CHECK(q::layout::boxes(extent, box).of(QDR_HERE).elements == 10);
    int asked = 0;
    auto ask = [&](q::span<const std::int64_t> elements, q::span<int> owner, q::span<std::int64_t> there) {
        for (std::size_t i = 0; i < elements.size(); i++) owner[i] = 0, there[i] = elements[i];
        asked++;
        return true;
    };
    CHECK(q::layout::dereferenced(extent, 0, 10, ask) && asked > 0);
    q::region some(1);
    const std::int64_t lower[] = {0}, upper[] = {6}, stride[] = {2}, single[] = {7};
    some.add_box(lower, upper, stride).add_list(1, single);
    CHECK(some.elements() == 4 && some.number(single) == 3);
    some.index(1, back);
    CHECK(back[0] == 2 && q::region::all(regular).elements() == 120);
}

static void types_are_found() {
    CHECK(q::type_of<double>() == QDR_DOUBLE && q::type_of<const float>() == QDR_FLOAT);
    CHECK(q::type_of<std::complex<float>>() == QDR_FLOAT_COMPLEX);
    CHECK(q::type_of<std::complex<double>>() == QDR_DOUBLE_COMPLEX);
    CHECK(q::type_of<std::int8_t>() == QDR_INT8 && q::type_of<std::uint8_t>() == QDR_UINT8);
    CHECK(q::type_of<short>() == QDR_INT16 && q::type_of<unsigned short>() == QDR_UINT16);
    CHECK(q::type_of<int>() == QDR_INT32 && q::type_of<unsigned>() == QDR_UINT32);
    CHECK(q::type_of<long>() == QDR_INT64 && q::type_of<unsigned long long>() == QDR_UINT64);
    struct particle {
        double x[3];
    };
    CHECK(q::type_of<particle>() == QDR_BYTE && q::width_of<particle>() == 24 && q::width_of<int>() == 1);
    CHECK(q::bytes_of(QDR_DOUBLE) == 8 && q::name_of(QDR_DOUBLE) == std::string("double"));
    CHECK(q::name_of(QDR_SUM) == std::string("sum") && !q::suits(QDR_BITWISE_AND, QDR_DOUBLE));
}

static void pictures_are_drawn() {
    std::FILE *file = std::tmpfile();
    q::picture drawing(file, 100, 50, 10);
    drawing.rectangle(0, 0, 10, 10, "fill=\"#c00\"", "a box");
    drawing.circle(20, 20, 5);
    drawing.line(0, 0, 5, 5);
    drawing.text(1, 2, "a & b");
    drawing.path();
    drawing.pen_move(0, 0);
    drawing.pen_line(1, 1);
    drawing.pen_close();
    drawing.pen_box(2, 2, 3, 3);
    drawing.path_end();
    drawing.group("stroke=\"black\"");
    drawing.window(0, 0, 5, 5);
    drawing.window_end();
    drawing.group_end();
    drawing.finish();
    CHECK(std::ftell(file) > 300 && q::colour(3).substr(0, 4) == "hsl(" && q::tick(100) == 20);
    std::fclose(file);
}

static void wrong_uses_have_sentences() {
    const q::pattern paper("paper:P");
    const q::machine cm5("cm5", 8);
    const qdr_message outside[] = {{0, 5, 1}}, twice[] = {{0, 1, 1}, {0, 1, 2}}, negative[] = {{0, 1, -1}};
    const std::int64_t two[] = {1, 1}, eight[] = {0, 0, 0, 0, 0, 0, 0, 0}, extent[] = {10}, beyond[] = {12};
    const int one_owner[] = {0};
    WRONG(QDR_ERR_UNKNOWN, "nowhere", q::pattern("nowhere:n=3", report));
    WRONG(QDR_ERR_SYNTAX, "colour", q::pattern("random:n=3,colour=red", report));
    WRONG(QDR_ERR_RANGE, "density", q::pattern("random:n=3,density=2", report));
    WRONG(QDR_ERR_RANGE, "5", q::pattern(3, outside, report));
    WRONG(QDR_ERR_INVALID, "twice", q::pattern(3, twice, report));
    WRONG(QDR_ERR_RANGE, "-1", q::pattern(3, negative, report));
    WRONG(QDR_ERR_UNKNOWN, "abacus", q::machine("abacus", 8, report));
    WRONG(QDR_ERR_RANGE, "ranks", q::machine("cm5", 0, report));
    WRONG(QDR_ERR_UNKNOWN, "magic", q::schedule(paper, "magic", q::machine(), report));
    WRONG(QDR_ERR_INVALID, "machine", q::schedule(paper, "random-link", q::machine(), report));
    WRONG(QDR_ERR_UNKNOWN, "magic", q::schedule::find("magic", report));
    WRONG(QDR_ERR_INVALID, "entry for each rank", q::moves(paper, two, "auto", report));
    WRONG(QDR_ERR_RANGE, "room", q::moves(paper, eight, "auto", report));
    WRONG(QDR_ERR_INVALID, "axes", q::layout::regular({}, q::storage(), report));
    WRONG(QDR_ERR_RANGE, "12", q::layout::runs(extent, beyond, {}, report));
    WRONG(QDR_ERR_INVALID, "different lengths", q::layout::runs(extent, two, extent, report));
    WRONG(QDR_ERR_INVALID, "different lengths", q::layout::entries(extent, two, one_owner, two, report));
    WRONG(QDR_ERR_INVALID, "dimensions", q::region(0, QDR_ROW_MAJOR, report));
    q::region line(1);
    WRONG(QDR_ERR_INVALID, "dimensions", line.add_box(extent, two, {}, report));
    line.add_box({eight, 1}, extent);
    WRONG(QDR_ERR_INVALID, "has element (0) already", line.add_box({eight, 1}, extent, {}, report));
    WRONG(QDR_ERR_UNKNOWN, "is not in the region", line.number(beyond, report));
    WRONG(QDR_ERR_SYNTAX, "expected a schedule",
          q::read_schedule(std::fopen("/dev/null", "r"), "nothing", paper, q::machine(), report));
    WRONG(QDR_ERR_FILE, "cannot be written", paper.write(std::fopen("/dev/full", "w"), report));
    WRONG(QDR_ERR_UNKNOWN, "round", q::broadcast_steps("round", one_owner, 1, report));
    WRONG(QDR_ERR_INVALID, "is not predicted", q::predict(paper, q::way("distributed"), cm5, 1, report));
    q::row_reader reader(q::schedule(paper, "GS"));
    WRONG(QDR_ERR_RANGE, "rank", reader.read(8, 0, report));
}

int main() {
    says_what_it_is();
    owners_move();
    patterns_are_read_and_written();
    machines_are_described();
    schedules_are_made_and_checked();
    moves_are_found();
    layouts_find_elements();
    types_are_found();
    pictures_are_drawn();
    wrong_uses_have_sentences();
    return testing::verdict(0, "pure_test");
}
