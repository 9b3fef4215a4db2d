! SPDX-License-Identifier: BSD-3-Clause
! What needs no MPI, in Fortran: patterns, machines, schedules, moves, layouts, files and pictures.
program pure_test
  use, intrinsic :: iso_c_binding
  use, intrinsic :: iso_fortran_env, only: int64, real64
  use checks
  use quadrille_io
  implicit none
  call texts_are_told()
  call patterns_are_read_and_written()
  call machines_are_described()
  call schedules_are_made()
  call moves_are_found()
  call layouts_find_elements()
  call pictures_are_drawn()
  call wrong_uses_have_sentences()
  call verdict(0, "pure_test")
contains

  subroutine texts_are_told()
    type(qdr_environment_info) :: variable
    call check(qdr_version() == "0.2.0", "the version")
    call check(qdr_status_text(QDR_ERR_STALLED) == "the deadline passed", "the text of a status")
    variable = qdr_environment(1)
    call check(variable%name(1:4) == "QDR_", "a variable")
    variable = qdr_environment(1000)
    call check(variable%name == "", "past the last variable")
    call check(qdr_type_bytes(QDR_DOUBLE) == 8 .and. qdr_type_name(QDR_DOUBLE) == "double", "types")
    call check(qdr_operation_name(QDR_SUM) == "sum", "operations")
    call check(qdr_operation_suits(QDR_SUM, QDR_DOUBLE), "what suits")
    call check(.not. qdr_operation_suits(QDR_BITWISE_AND, QDR_DOUBLE), "what does not")
    call qdr_set_log()
  end subroutine texts_are_told

  subroutine patterns_are_read_and_written()
    type(qdr_pattern) :: ring, copy
    type(qdr_pattern_view) :: view
    type(qdr_pattern_statistics) :: statistics
    type(qdr_pattern_family_info) :: family
    call qdr_pattern_create(3, [0, 1, 2, 1], [1, 2, 0, 1], [10_int64, 20_int64, 30_int64, 5_int64], ring)
    view = qdr_pattern_look(ring)
    call check(view%ranks == 3 .and. view%messages == 3, "the size of a pattern")
    call check(all(view%items == [10, 20, 30]) .and. view%items(0) == 10, "items, from 0")
    call check(view%origin(2) == 2 .and. view%destination(2) == 0, "the last message")
    call check(all(view%row_start == [0, 1, 2, 3]) .and. view%local(1) == 5, "rows")
    call check(size(view%column_start) == 4 .and. size(view%column_message) == 3, "columns")
    statistics = qdr_pattern_measure(ring)
    call check(statistics%traffic == 30 .and. statistics%kind == QDR_CLASS_PERMUTATION, "statistics")
    call check(qdr_pattern_class_text(statistics%kind) == "permutation", "the class")
    call qdr_pattern_write(ring, "pure_test.mtx")
    call qdr_pattern_read("pure_test.mtx", copy)
    statistics = qdr_pattern_measure(copy)
    call check(statistics%items == 60, "a pattern that was read")
    family = qdr_pattern_family(1)
    call check(len(family%name) > 0 .and. len(family%summary) > 0, "a family")
    call qdr_pattern_destroy(ring)
    call qdr_pattern_destroy(ring)
    call qdr_pattern_destroy(copy)
    call check(.not. c_associated(ring%handle), "a pattern that is gone")
  end subroutine patterns_are_read_and_written

  subroutine machines_are_described()
    type(qdr_machine) :: cube
    type(qdr_machine_parameters) :: parameters
    type(qdr_machine_info) :: info
    call qdr_machine_create("hypercube:tau=1us,mu=1ns", 8, cube)
    parameters = qdr_machine_look(cube)
    call check(parameters%ranks == 8 .and. parameters%mu > 0.9e-9_real64, "parameters")
    call check(qdr_machine_topology(cube) == "hypercube", "the topology")
    call check(index(qdr_machine_spec(cube), "tau=1us") > 0, "the spec")
    call check(qdr_machine_links(cube) == 24 .and. qdr_machine_route_limit(cube) == 3, "links")
    call check(size(qdr_machine_route(cube, 0, 7)) == 3, "a route")
    call check(qdr_machine_wire_bytes(cube, 100_int64) == 100, "bytes on the wire")
    call check(qdr_machine_link_streams(cube, 0_int64) == 1, "streams")
    call check(qdr_machine_link_bandwidth(cube, 0_int64) > 0, "the bandwidth")
    call check(qdr_machine_latency(cube, 0, 1) >= 0, "the latency")
    call qdr_machine_write_simgrid(cube, "pure_test.xml")
    info = qdr_machine_known(1)
    call check(len(info%name) > 0, "a machine that is known")
    call qdr_machine_destroy(cube)
  end subroutine machines_are_described

  subroutine schedules_are_made()
    type(qdr_pattern) :: paper
    type(qdr_machine) :: cm5
    type(qdr_schedule) :: greedy, read
    type(qdr_schedule_info) :: info
    type(qdr_step), allocatable :: steps(:)
    type(qdr_prediction) :: whole, same
    type(qdr_bounds) :: bounds
    type(qdr_row_reader) :: reader
    type(qdr_row) :: row
    type(qdr_algorithm_info) :: algorithm
    type(qdr_pattern_view) :: view
    real(real64) :: seconds
    call qdr_pattern_from_spec("paper:P", paper)
    call qdr_machine_create("cm5", 8, cm5)
    call qdr_schedule_create(paper, "GS", greedy)
    call qdr_schedule_check(greedy)
    call qdr_schedule_look(greedy, info)
    call check(info%algorithm == "greedy" .and. info%phases == 6 .and. info%transfers == 34, "the schedule")
    view = qdr_pattern_look(qdr_schedule_pattern(greedy))
    call check(view%ranks == 8, "its pattern")
    call qdr_schedule_steps(greedy, steps)
    call check(size(steps) == 34, "steps")
    call qdr_schedule_predict(greedy, cm5, 256_int64, whole)
    call qdr_schedule_predict(greedy, cm5, 256_int64, same, steps)
    call check(whole%seconds > 0 .and. whole%seconds <= same%seconds .and. steps(34)%end > 0, "predictions")
    call qdr_steps_predict(steps, cm5, 256_int64, same)
    call qdr_bounds_compute(paper, cm5, 256_int64, bounds)
    call check(bounds%direct <= 1.001 * whole%seconds, "bounds")
    call qdr_way_predict(paper, "async", cm5, 256_int64, seconds, window=65536_int64)
    call check(seconds > 0, "a way")
    call check(len(qdr_auto_candidate(paper, 1000_int64, 1)) > 0 .and. len(qdr_auto_reason(paper)) > 0, "auto")
    algorithm = qdr_algorithm(1)
    call check(len(algorithm%name) > 0, "an algorithm")
    call qdr_algorithm_find("LEX", algorithm)
    call check(algorithm%name == "linear", "an algorithm of the papers")
    call qdr_row_reader_create(greedy, reader)
    call qdr_row_read(reader, 3, 0, row)
    call check(size(row%send) > 0 .and. row%piece(row%send(1)%first)%origin == 3, "a row")
    call qdr_row_reader_destroy(reader)
    call qdr_steps_write_text(steps, "/dev/null")
    call qdr_schedule_write_svg(greedy, steps, 1.0_real64, "greedy", "pure_test.svg")
    call qdr_schedule_write_json(greedy, "pure_test.json")
    call qdr_schedule_read_json("pure_test.json", paper, read)
    call qdr_schedule_check(read)
    call qdr_broadcast_steps("recursive", [2, 0, 1], 5_int64, steps)
    call check(size(steps) == 2, "a broadcast")
    call qdr_schedule_destroy(read)
    call qdr_schedule_destroy(greedy)
    call qdr_machine_destroy(cm5)
    call qdr_pattern_destroy(paper)
  end subroutine schedules_are_made

  subroutine moves_are_found()
    type(qdr_pattern) :: crossing
    type(qdr_moves) :: moves
    type(qdr_moves_view) :: view
    type(qdr_moves_method_info) :: method
    integer(int64) :: room(3), with_parking, without
    room = 8
    call qdr_pattern_from_spec("complete:n=3,bytes=4", crossing)
    call qdr_moves_create(crossing, room, moves)
    view = qdr_moves_look(moves)
    call check(view%ranks == 3 .and. view%total == 24 .and. view%bound == 1, "moves")
    call check(view%phase_start(0) == 0 .and. view%phase_start(view%phases) == size(view%move), "phases")
    call qdr_moves_check(crossing, room, moves)
    call qdr_moves_least_room(crossing, with_parking, without)
    call check(with_parking >= 1 .and. without >= with_parking, "the least room")
    call qdr_moves_write_text(moves, "/dev/null")
    call qdr_moves_write_json(moves, "/dev/null")
    call qdr_moves_write_svg(crossing, room, moves, "/dev/null")
    method = qdr_moves_method(1)
    call check(len(method%name) > 0, "a method")
    call qdr_moves_destroy(moves)
    call qdr_pattern_destroy(crossing)
  end subroutine moves_are_found

  function ask(context, count, element, owner, place) result(failed) bind(C)
    type(c_ptr), value :: context
    integer(c_int64_t), value :: count
    integer(c_int64_t), intent(in) :: element(*)
    integer(c_int), intent(out) :: owner(*)
    integer(c_int64_t), intent(out) :: place(*)
    integer(c_int) :: failed
    owner(:count) = 0
    place(:count) = element(:count)
    failed = merge(1, 0, c_associated(context))
  end function ask

  subroutine layouts_find_elements()
    type(qdr_layout) :: regular, other
    type(qdr_region) :: region
    integer(int64) :: place, index(2), elements, room, number
    integer :: rank
    call qdr_layout_regular([qdr_axis(extent=10_int64, spread=QDR_BLOCK, parts=2), qdr_axis(extent=6_int64)], regular)
    call qdr_layout_locate(regular, [7_int64, 3_int64], rank, place)
    call check(rank == 1 .and. place == 2 + 5 * 2, "the first index varies fastest")
    call qdr_layout_index(regular, rank, place, index)
    call check(all(index == [7, 3]), "and back")
    call qdr_layout_share(regular, 0, elements, room)
    call check(elements == 30 .and. room == 30, "shares")
    call qdr_layout_destroy(regular)
    call qdr_layout_regular([qdr_axis(extent=8_int64, spread=QDR_CUTS, parts=2, cut=[0_int64, 3_int64, 8_int64])], regular)
    call qdr_layout_share(regular, 1, elements, room)
    call check(elements == 5, "cuts")
    call qdr_layout_runs([10_int64], [1_int64, 6_int64], other, [2_int64, 3_int64])
    call qdr_layout_locate(other, [7_int64], rank, place)
    call check(rank == QDR_HERE .and. place == 4, "runs")
    call qdr_layout_destroy(other)
    call qdr_layout_entries([10_int64], [4_int64, 5_int64], [0, 1], [1_int64, 9_int64], other)
    call qdr_layout_locate(other, [5_int64], rank, place)
    call check(rank == 1 .and. place == 9, "entries")
    call qdr_layout_destroy(other)
    call qdr_layout_boxes([10_int64], [qdr_box([3_int64], [7_int64], null(), 1_int64)], other)
    call qdr_layout_locate(other, [4_int64], rank, place)
    call check(place == 2, "boxes")
    call qdr_layout_destroy(other)
    call qdr_layout_dereferenced([10_int64], 1_int64, 10_int64, ask, other)
    call qdr_layout_locate(other, [4_int64], rank, place)
    call check(rank == 0 .and. place == 4, "dereferenced")
    call qdr_layout_destroy(other)
    call qdr_region_create(1, region)
    call qdr_region_add_box(region, [1_int64], [6_int64], [2_int64])
    call qdr_region_add_list(region, reshape([8_int64], [1, 1]))
    call check(qdr_region_elements(region) == 4, "a region")
    call qdr_region_number(region, [8_int64], number)
    call check(number == 4, "a number")
    call qdr_region_index(region, 2_int64, index(:1))
    call check(index(1) == 3, "an index")
    call qdr_region_destroy(region)
    call qdr_region_all(regular, region)
    call check(qdr_region_elements(region) == 8, "all of it")
    call qdr_region_destroy(region)
    call qdr_layout_destroy(regular)
  end subroutine layouts_find_elements

  subroutine pictures_are_drawn()
    type(qdr_picture) :: picture
    call qdr_picture_create("pure_test.svg", 100.0_real64, 50.0_real64, 10.0_real64, picture)
    call qdr_picture_rectangle(picture, 0.0_real64, 0.0_real64, 10.0_real64, 10.0_real64, 'fill="#c00"', "a box")
    call qdr_picture_circle(picture, 20.0_real64, 20.0_real64, 5.0_real64)
    call qdr_picture_line(picture, 0.0_real64, 0.0_real64, 5.0_real64, 5.0_real64)
    call qdr_picture_text(picture, 1.0_real64, 2.0_real64, "a & b")
    call qdr_picture_path(picture)
    call qdr_picture_pen_move(picture, 0.0_real64, 0.0_real64)
    call qdr_picture_pen_line(picture, 1.0_real64, 1.0_real64)
    call qdr_picture_pen_close(picture)
    call qdr_picture_pen_box(picture, 2.0_real64, 2.0_real64, 3.0_real64, 3.0_real64)
    call qdr_picture_path_end(picture)
    call qdr_picture_group(picture, 'stroke="black"')
    call qdr_picture_window(picture, 0.0_real64, 0.0_real64, 5.0_real64, 5.0_real64)
    call qdr_picture_window_end(picture)
    call qdr_picture_group_end(picture)
    call qdr_picture_destroy(picture)
    call qdr_picture_destroy(picture)
    call check(index(qdr_picture_colour(3), "hsl(") == 1 .and. abs(qdr_picture_tick(100.0_real64) - 20) < 1e-9, "colours")
  end subroutine pictures_are_drawn

  subroutine wrong_uses_have_sentences()
    type(qdr_pattern) :: paper, none
    type(qdr_machine) :: machine
    type(qdr_schedule) :: schedule
    type(qdr_moves) :: moves
    type(qdr_layout) :: layout
    type(qdr_region) :: region
    type(qdr_step), allocatable :: steps(:)
    type(qdr_algorithm_info) :: algorithm
    type(qdr_picture) :: picture
    integer(int64) :: number, full(8)
    integer :: status
    full = 0
    call qdr_pattern_from_spec("paper:P", paper)
    call qdr_pattern_from_spec("nowhere:n=3", none, status)
    call wrong(status, QDR_ERR_UNKNOWN, "nowhere", "an unknown family")
    call qdr_pattern_from_spec("random:n=3,colour=red", none, status)
    call wrong(status, QDR_ERR_SYNTAX, "colour", "an unknown key")
    call qdr_pattern_from_spec("random:n=3,density=2", none, status)
    call wrong(status, QDR_ERR_RANGE, "density", "a density of 2")
    call qdr_pattern_create(3, [0], [5], [1_int64], none, status)
    call wrong(status, QDR_ERR_RANGE, "5", "a rank that does not exist")
    call qdr_pattern_create(3, [0, 0], [1, 1], [1_int64, 2_int64], none, status)
    call wrong(status, QDR_ERR_INVALID, "twice", "a message given twice")
    call qdr_pattern_create(3, [0, 1], [1], [1_int64], none, status)
    call wrong(status, QDR_ERR_INVALID, "different lengths", "lists of different lengths")
    call qdr_pattern_read("/nowhere/at/all", none, status=status)
    call wrong(status, QDR_ERR_FILE, "cannot be opened", "a file that does not exist")
    call qdr_pattern_write(paper, "/dev/full", status)
    call wrong(status, QDR_ERR_FILE, "cannot be written", "a full disk")
    call qdr_machine_create("abacus", 8, machine, status)
    call wrong(status, QDR_ERR_UNKNOWN, "abacus", "an unknown machine")
    call qdr_machine_create("cm5", 0, machine, status)
    call wrong(status, QDR_ERR_RANGE, "ranks", "no ranks")
    call qdr_schedule_create(paper, "magic", schedule, status=status)
    call wrong(status, QDR_ERR_UNKNOWN, "magic", "an unknown algorithm")
    call qdr_schedule_create(paper, "random-link", schedule, status=status)
    call wrong(status, QDR_ERR_INVALID, "machine", "an algorithm without its machine")
    call qdr_algorithm_find("magic", algorithm, status)
    call wrong(status, QDR_ERR_UNKNOWN, "magic", "an algorithm to be found")
    call qdr_moves_create(paper, full(:2), moves, status=status)
    call wrong(status, QDR_ERR_INVALID, "entry for each rank", "too few rooms")
    call qdr_moves_create(paper, full, moves, status=status)
    call wrong(status, QDR_ERR_RANGE, "room", "no room")
    call qdr_layout_regular([qdr_axis ::], layout, status=status)
    call wrong(status, QDR_ERR_INVALID, "1 to 16 dimensions", "no axes")
    call qdr_layout_runs([10_int64], [13_int64], layout, status=status)
    call wrong(status, QDR_ERR_RANGE, "12", "an element that does not exist")
    call qdr_layout_runs([10_int64], [1_int64], layout, [1_int64, 1_int64], status)
    call wrong(status, QDR_ERR_INVALID, "different lengths", "runs of different lengths")
    call qdr_layout_entries([10_int64], [1_int64], [0, 1], [1_int64], layout, status)
    call wrong(status, QDR_ERR_INVALID, "different lengths", "entries of different lengths")
    call qdr_layout_boxes([10_int64], [qdr_box([1_int64, 2_int64], [7_int64], null(), 1_int64)], layout, status=status)
    call wrong(status, QDR_ERR_INVALID, "dimensions", "a box of two dimensions")
    call qdr_region_create(0, region, status=status)
    call wrong(status, QDR_ERR_INVALID, "dimensions", "no dimensions")
    call qdr_region_create(1, region)
    call qdr_region_add_box(region, [1_int64], [2_int64, 3_int64], status=status)
    call wrong(status, QDR_ERR_INVALID, "dimensions", "corners of different dimensions")
    call qdr_region_add_box(region, [1_int64], [4_int64])
    call qdr_region_add_box(region, [4_int64], [5_int64], status=status)
    call wrong(status, QDR_ERR_INVALID, "has element (3) already", "an element twice")
    call qdr_region_number(region, [9_int64], number, status)
    call wrong(status, QDR_ERR_UNKNOWN, "is not in the region", "an element that is not in it")
    call qdr_schedule_read_json("/dev/null", paper, schedule, status=status)
    call wrong(status, QDR_ERR_SYNTAX, "expected a schedule", "an empty file")
    call qdr_broadcast_steps("round", [0, 1], 1_int64, steps, status)
    call wrong(status, QDR_ERR_UNKNOWN, "round", "an unknown broadcast")
    call qdr_picture_create("/nowhere/at/all", 1.0_real64, 1.0_real64, 1.0_real64, picture, status)
    call wrong(status, QDR_ERR_FILE, "cannot be opened", "a picture without a file")
    call qdr_region_destroy(region)
    call qdr_pattern_destroy(paper)
  end subroutine wrong_uses_have_sentences

end program pure_test
