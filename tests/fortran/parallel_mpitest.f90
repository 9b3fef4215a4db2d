! SPDX-License-Identifier: BSD-3-Clause
! What needs MPI, in Fortran: partners, plans, maps, deliveries, the directory, migration and coupling, on any number of ranks.
module callbacks
  use, intrinsic :: iso_c_binding
  use quadrille
  implicit none
  integer :: events = 0, released = 0, calls = 0, keepers = 0
  integer(c_int), target :: shelf(4) = -1
  integer :: boxes = 2
contains
  subroutine trace(context, event) bind(C)
    type(c_ptr), value :: context
    type(qdr_event), intent(in) :: event
    if (event%bytes >= 0 .and. .not. c_associated(context)) events = events + 1
  end subroutine trace
  subroutine larger(context, into, from, count, bytes) bind(C)
    type(c_ptr), value :: context, into, from
    integer(c_int64_t), value :: count, bytes
    real(c_double), pointer :: there(:), came(:)
    call c_f_pointer(into, there, [count * bytes / 8])
    call c_f_pointer(from, came, [count * bytes / 8])
    if (.not. c_associated(context)) there = max(there, came)
  end subroutine larger
  function keeper(context, id) result(rank) bind(C)
    type(c_ptr), value :: context
    integer(c_int64_t), value :: id
    integer(c_int) :: rank
    rank = merge(0, int(mod(id, int(keepers, c_int64_t)), c_int), c_associated(context))
  end function keeper
  subroutine progress(context, phase, phases, moved, bytes) bind(C)
    type(c_ptr), value :: context
    integer(c_int64_t), value :: phase, phases, moved, bytes
    if (phase <= phases .and. moved <= bytes .and. .not. c_associated(context)) calls = calls + 1
  end subroutine progress
  function size_of(context, object) result(bytes) bind(C)
    type(c_ptr), value :: context
    integer(c_int64_t), value :: object
    integer(c_int64_t) :: bytes
    bytes = merge(0, 4, c_associated(context) .or. object < 0)
  end function size_of
  function packs(context, object, bytes) result(failed) bind(C)
    type(c_ptr), value :: context, bytes
    integer(c_int64_t), value :: object
    integer(c_int) :: failed
    integer(c_int), pointer :: there
    call c_f_pointer(bytes, there)
    there = shelf(object + 1)
    failed = merge(1, 0, c_associated(context))
  end function packs
  function release(context, object) result(failed) bind(C)
    type(c_ptr), value :: context
    integer(c_int64_t), value :: object
    integer(c_int) :: failed
    released = released + 1
    failed = merge(1, 0, c_associated(context) .or. object < 0)
  end function release
  function unpacks(context, from, bytes, length) result(failed) bind(C)
    type(c_ptr), value :: context, bytes
    integer(c_int), value :: from
    integer(c_int64_t), value :: length
    integer(c_int) :: failed
    integer(c_int), pointer :: there
    call c_f_pointer(bytes, there)
    boxes = boxes + 1
    shelf(boxes) = there
    failed = merge(1, 0, c_associated(context) .or. from < 0 .or. length /= 4)
  end function unpacks
end module callbacks

program parallel_mpitest
  use, intrinsic :: iso_c_binding
  use, intrinsic :: iso_fortran_env, only: int8, int32, int64, real64
  use mpi_f08
  use callbacks
  use checks
  implicit none
  integer :: rank, ranks, next, before
  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks)
  next = mod(rank + 1, ranks)
  before = mod(rank - 1 + ranks, ranks)
  call partners_are_found()
  call plans_run()
  call maps_run()
  call maps_have_many_forms()
  call items_are_delivered()
  call collectives_run()
  call the_directory_knows()
  call items_migrate()
  call programs_are_coupled()
  call MPI_Finalize()
  call verdict(rank, "parallel_mpitest")
contains

  ! Everyone sends i numbers to the i-th from it on, itself included.
  subroutine ring(destination, source, items)
    integer, allocatable, intent(out) :: destination(:), source(:)
    integer(int64), allocatable, intent(out) :: items(:)
    integer :: i
    destination = [(mod(rank + i, ranks), i=0, ranks - 1)]
    source = [(mod(rank - i + ranks, ranks), i=0, ranks - 1)]
    items = [(int(i, int64), i=1, ranks)]
  end subroutine ring

  subroutine partners_are_found()
    integer, allocatable :: destination(:), source(:)
    integer(int64), allocatable :: items(:)
    type(qdr_partners) :: partners, other
    type(qdr_partners_view) :: view
    type(qdr_pattern) :: whole
    type(qdr_pattern_view) :: matrix
    type(qdr_parcel) :: outgoing(1)
    type(qdr_parcel), allocatable :: incoming(:)
    type(qdr_discovery_info) :: method
    call ring(destination, source, items)
    call qdr_partners_from_sends(MPI_COMM_WORLD, destination, items, partners)
    view = qdr_partners_look(partners)
    call check(view%rank == rank .and. view%receives == ranks, "sources that were found")
    call check(sum(view%receive_items) == sum(items), "what comes")
    call qdr_partners_gather(partners, whole)
    matrix = qdr_pattern_look(whole)
    call check(matrix%ranks == ranks .and. matrix%local(0) == 1, "the whole matrix")
    call qdr_partners_from_pattern(MPI_COMM_WORLD, whole, other)
    call qdr_partners_destroy(other)
    call qdr_partners_from_receives(qdr_comm(MPI_COMM_WORLD%MPI_VAL), source, items, other)
    view = qdr_partners_look(other)
    call check(view%sends == ranks, "destinations that were found")
    call qdr_partners_destroy(other)
    call qdr_partners_destroy(partners)
    call qdr_pattern_destroy(whole)
    outgoing(1)%rank = next
    outgoing(1)%bytes = [1_int8, 2_int8, int(rank, int8)]
    call qdr_discover(MPI_COMM_WORLD, outgoing, incoming)
    call check(size(incoming) == 1, "a parcel")
    call check(incoming(1)%rank == before .and. incoming(1)%bytes(3) == before, "what is in it")
    method = qdr_discovery(1)
    call check(len(method%name) > 0, "a method")
  end subroutine partners_are_found

  subroutine plans_run()
    integer, allocatable :: destination(:), source(:)
    integer(int64), allocatable :: items(:)
    real(real64), allocatable, target :: outgoing(:), incoming(:), other(:)
    type(qdr_partners) :: partners
    type(qdr_plan) :: plan, usual, scheduled
    type(qdr_plan_options) :: options
    type(qdr_plan_info) :: info
    type(qdr_candidate) :: candidate
    type(qdr_pending), target :: pending(2)
    type(qdr_pattern) :: whole
    type(qdr_schedule) :: schedule
    type(qdr_pacing_info) :: pacing
    logical :: done
    integer :: i, which, at
    call ring(destination, source, items)
    call qdr_partners_from_both(MPI_COMM_WORLD, destination, items, source, items, partners)
    options = qdr_plan_options(algorithm="paced", transport="net", deadline=60.0_real64, trace=trace)
    call qdr_plan_create(partners, plan, options)
    call qdr_plan_create(partners, usual)
    outgoing = [(1000.0_real64 * rank + i, i=0, int(sum(items)) - 1)]
    incoming = 0 * outgoing - 1
    other = incoming
    call qdr_plan_exchange(plan, 8, outgoing, incoming)
    call qdr_plan_start(usual, 8, outgoing, other, pending(1))
    done = .false.
    do while (.not. done)
      call qdr_progress()
      call qdr_test(pending(1), done)
    end do
    call check(all(incoming == other), "two plans agree")
    at = 0
    do i = 1, ranks
      call check(abs(incoming(at + 1) - 1000 * source(i) - at) < 1e-9, "what came")
      at = at + i
    end do
    call check(events > 0, "a trace")
    call qdr_plan_look(plan, info)
    call check(info%algorithm == "paced" .and. info%exchanges == 1, "the plan")
    call qdr_plan_start(plan, 8, outgoing, incoming, pending(1), outgoing_items=items, incoming_items=items)
    call qdr_plan_start(usual, 8, outgoing, other, pending(2))
    call qdr_wait_all(pending)
    call qdr_plan_start(plan, 8, outgoing, incoming, pending(2))
    call qdr_wait_any(pending, which)
    call check(which == 2, "which has ended")
    call qdr_wait_any(pending, which)
    call check(which == 0, "none is left")
    call qdr_test_any(pending, which)
    call qdr_test_all(pending, done)
    call check(which == 0 .and. done, "all have ended")
    call qdr_wait(pending(1))
    call qdr_plan_tune(usual)
    call qdr_plan_candidate(usual, 1, candidate)
    call check(len(candidate%algorithm) > 0, "a candidate")
    pacing = qdr_pacing(1)
    call check(len(pacing%name) > 0 .and. qdr_stall_report() == "", "pacings")
    call qdr_partners_gather(partners, whole)
    call qdr_schedule_create(whole, "coloring", schedule)
    call qdr_plan_create_scheduled(partners, schedule, scheduled)
    other = -1
    call qdr_plan_exchange(scheduled, 8, outgoing, other)
    call check(all(other == incoming), "a schedule that was given")
    schedule = qdr_plan_schedule(scheduled)
    call check(c_associated(schedule%handle), "the schedule that runs")
    call qdr_plan_destroy(scheduled)
    call qdr_plan_destroy(usual)
    call qdr_plan_destroy(plan)
    call qdr_partners_destroy(partners)
    call qdr_pattern_destroy(whole)
  end subroutine plans_run

  ! Element j of everybody's array, from the rank after.
  subroutine maps_run()
    type(qdr_map) :: needs, same
    type(qdr_map_options) :: back
    type(qdr_partners_view) :: view
    type(qdr_pending) :: pending
    type(qdr_plan) :: plan
    real(real64), target :: array(6), twin(2, 3), source(6), target(6)
    integer, target :: whole(6)
    complex(real64) :: pair(6)
    integer(int64) :: most_sent, most_received
    integer :: from(3)
    from = next
    back%reverse = QDR_REVERSE_COMBINE
    call qdr_map_create(MPI_COMM_WORLD, needs, options=back, &
                        receives=qdr_flat(from, [4_int64, 5_int64, 6_int64], [1_int64, 2_int64, 3_int64]))
    call qdr_map_create(MPI_COMM_WORLD, same, receives=qdr_flat(from, [4, 5, 6], [1, 2, 3]))
    array = [10 * rank, 10 * rank + 1, 10 * rank + 2, -1, -1, -1]
    twin = reshape(array, [2, 3])
    call qdr_map_exchange(needs, QDR_DOUBLE, array)
    call qdr_map_exchange(same, QDR_DOUBLE, twin)
    call check(all(reshape(twin, [6]) == array), "any rank of arrays, and 32 bits")
    call check(array(4) == 10 * next .and. array(6) == 10 * next + 2, "ghosts")
    call qdr_map_exchange(needs, QDR_DOUBLE, array, operation=QDR_SUM, direction=QDR_REVERSE)
    call check(array(2) == 2 * (10 * rank + 1), "sums in reverse")
    source = [0, 0, 0, 1, 2, 3]
    target = 2
    call qdr_map_start(needs, [qdr_field_of(QDR_DOUBLE, source, target, combine=larger)], pending, QDR_REVERSE)
    call qdr_wait(pending)
    call check(all(target == [2, 2, 3, 2, 2, 2]), "a function of the program's")
    whole = [7 * rank, 8, 9, 0, 0, 0]
    call qdr_map_exchange(needs, [qdr_field_of(QDR_DOUBLE, array), qdr_field_of(QDR_INT32, whole)])
    call check(whole(4) == 7 * next .and. whole(6) == 9, "two fields")
    pair = cmplx(rank, 1, real64)
    call qdr_map_exchange(same, QDR_DOUBLE_COMPLEX, pair)
    call check(nint(real(pair(4))) == next, "complex numbers")
    view = qdr_map_look(needs)
    call check(view%source(1) == next .and. view%destination(1) == before, "partners")
    call qdr_map_reach(needs, most_sent, most_received)
    call check(most_sent == 3 .and. most_received == 6, "what arrays must have room for")
    plan = qdr_map_plan(needs, QDR_REVERSE)
    call check(c_associated(plan%handle), "the plan in reverse")
    call qdr_map_destroy(needs)
    call qdr_map_destroy(same)
  end subroutine maps_run

  subroutine maps_have_many_forms()
    type(qdr_map) :: both, halo, kept
    type(qdr_map_options) :: keeps
    real(real64), target :: source(2), target(2), grid(3, 4)
    character(3) :: text, came
    integer, allocatable :: which(:)
    integer(int64), allocatable :: position(:)
    type(c_ptr), allocatable, target :: ghost(:)
    real(c_double), pointer :: one, list(:)
    integer(int64), target :: start(3), came_start(3)
    call qdr_map_create(MPI_COMM_WORLD, both, qdr_grouped([next], [2_int64], [2_int64, 1_int64]), &
                        qdr_grouped([before], [2]))
    source = [1.0_real64 * rank, 2.0_real64 * rank]
    call qdr_map_exchange(both, QDR_DOUBLE, source, target)
    call check(all(target == [2 * before, before]), "groups")
    call qdr_map_relist(both, sends=qdr_grouped([next], [2_int64], [1_int64, 2_int64]))
    call qdr_map_exchange(both, QDR_DOUBLE, source, target)
    call check(all(target == [before, 2 * before]), "other lists")
    text = "abc"
    start = [0, 1, 3]
    came_start = [0, 1, 3]
    call qdr_map_exchange(both, [qdr_field_varying(text, start, came, came_start)])
    call check(came == "abc", "elements of varying size")
    grid = rank
    call qdr_map_from_boxes(MPI_COMM_WORLD, &
                            qdr_box_list([3_int64, 4_int64], [next], reshape([1_int64, 2_int64], [2, 1]), &
                                         reshape([3_int64, 1_int64], [2, 1])), &
                            qdr_box_list([3_int64, 4_int64], [before], reshape([1_int64, 1_int64], [2, 1]), &
                                         reshape([3_int64, 1_int64], [2, 1])), halo)
    call qdr_map_exchange(halo, QDR_DOUBLE, grid)
    call check(all(grid(:, 1) == before) .and. all(grid(:, 2:) == rank), "boxes")
    keeps%keeps_incoming = .true.
    call qdr_map_create(MPI_COMM_WORLD, kept, options=keeps, &
                        receives=qdr_flat([next, next], partner_place=[2_int64, 1_int64]))
    call qdr_map_exchange(kept, QDR_DOUBLE, source, target)
    call c_f_pointer(qdr_map_incoming(kept, 1, 1), list, [2])
    call check(list(1) == 2 * next, "what is kept")
    call qdr_map_ghost_places(kept, [next, next], which, position)
    call qdr_map_ghosts(kept, 1, which, position, ghost)
    call c_f_pointer(ghost(2), one)
    call check(one == next .and. which(1) == 1 .and. position(2) == 2, "ghosts where they lie")
    call qdr_map_destroy(both)
    call qdr_map_destroy(halo)
    call qdr_map_destroy(kept)
  end subroutine maps_have_many_forms

  subroutine items_are_delivered()
    integer, allocatable, target :: items(:), destination(:)
    integer, pointer :: data(:)
    integer(c_int), pointer :: source(:)
    integer(c_int64_t), pointer :: counts(:)
    type(qdr_arrivals), target :: came, grouped
    type(qdr_pending) :: pending
    integer :: i
    items = [(100 * rank + i, i=0, 2 * ranks - 1)]
    destination = [(i / 2, i=0, 2 * ranks - 1)]
    call qdr_deliver(MPI_COMM_WORLD, 4, items, destination, came)
    call c_f_pointer(qdr_arrivals_data(came), data, [qdr_arrivals_count(came)])
    call qdr_arrivals_sources(came, source, counts)
    call check(size(data) == 2 * ranks .and. data(1) == 2 * rank, "what was delivered")
    call check(size(source) == ranks .and. all(counts == 2), "from whom")
    call qdr_deliver_grouped(MPI_COMM_WORLD, 4, items, [(i, i=0, ranks - 1)], [(2_int64, i=1, ranks)], grouped)
    call check(qdr_arrivals_count(grouped) == 2 * ranks, "groups")
    call qdr_deliver_start(MPI_COMM_WORLD, 4, items, destination, came, pending)
    call qdr_wait(pending)
    call c_f_pointer(qdr_arrivals_data(came), data, [qdr_arrivals_count(came)])
    call check(data(2) == 2 * rank + 1, "what was started")
    call qdr_arrivals_free(came)
    call qdr_arrivals_free(grouped)
    call check(qdr_arrivals_count(came) == 0, "nothing")
  end subroutine items_are_delivered

  subroutine collectives_run()
    integer, allocatable, target :: outgoing(:), incoming(:), again(:)
    real(real64) :: value
    type(qdr_pending) :: pending
    integer :: i
    outgoing = [(100 * rank + i, i=0, 3 * ranks - 1)]
    incoming = 0 * outgoing
    again = incoming
    call qdr_alltoall(MPI_COMM_WORLD, 12_int64, outgoing, incoming)
    call qdr_alltoall_start(MPI_COMM_WORLD, 12_int64, outgoing, again, pending, "PEX")
    call qdr_wait(pending)
    call check(all(incoming == again) .and. incoming(3 * ranks) == 100 * (ranks - 1) + 3 * rank + 2, "all to all")
    call qdr_prepare(MPI_COMM_WORLD)
    value = merge(2.5_real64, 0.0_real64, rank == 0)
    call qdr_broadcast(MPI_COMM_WORLD, [(i, i=0, ranks - 1)], value, 8_int64, "recursive")
    call check(value == 2.5_real64, "a broadcast")
  end subroutine collectives_run

  subroutine the_directory_knows()
    type(qdr_directory) :: directory
    type(qdr_directory_options) :: options
    type(qdr_directory_view) :: view
    type(qdr_directory_call) :: what
    type(qdr_pending) :: pending
    type(qdr_map) :: map
    type(qdr_resolve_report) :: report
    type(qdr_resolve_method_info) :: method
    type(qdr_resolve_options) :: how
    integer(int64), target :: mine(2), needed(2), place(2), unknown
    real(real64), target :: payload(2), found(2), source(2), target(1)
    integer :: owner(2)
    keepers = ranks
    options%placement = QDR_PLACE_FUNCTION
    options%place => keeper
    options%payload_bytes = 8
    options%deadline = 60
    call qdr_directory_create(MPI_COMM_WORLD, directory, options)
    mine = [10 * rank, 10 * rank + 1]
    needed = [10 * next + 1, 999]
    payload = [0.5_real64 * rank, 1.5_real64]
    call qdr_directory_insert(directory, mine, payload=payload)
    call qdr_directory_find(directory, needed, owner, place, found, unknown)
    call check(owner(1) == next .and. place(1) == 2 .and. unknown == 1 .and. found(1) == 1.5_real64, "who has it")
    call check(owner(2) == QDR_NOBODY .and. place(2) == 0, "nobody has it")
    view = qdr_directory_look(directory)
    call check(view%entries == 2, "entries")
    call qdr_directory_update(directory, mine, [0, 0], [7_int64, 8_int64], unknown=unknown)
    call check(unknown == 0, "an update")
    call qdr_directory_remove(directory, needed(2:2), unknown)
    call check(unknown == 1, "nothing to remove")
    what%verb = QDR_DIRECTORY_FIND_VERB
    what%id => mine
    what%found_place => place
    call qdr_directory_start(directory, what, pending)
    call qdr_wait(pending)
    call check(place(2) == 7, "a call that was started, from 0")
    call qdr_directory_destroy(directory)
    call qdr_resolve(MPI_COMM_WORLD, mine, needed(:1), owner(:1), place(:1), report=report)
    call check(owner(1) == next .and. place(1) == 2 .and. report%memory >= 0, "resolved")
    how%method = "directory"
    call qdr_resolve_map(MPI_COMM_WORLD, mine, needed(:1), map, options=how)
    source = [1.0_real64 * rank, 2.0_real64 * rank]
    call qdr_map_exchange(map, QDR_DOUBLE, source, target)
    call check(target(1) == 2 * next, "a map from numbers alone")
    call qdr_map_destroy(map)
    call qdr_resolve_map(MPI_COMM_WORLD, int(mine, int32), int(needed(:1), int32), map, [1])
    target = -1
    call qdr_map_exchange(map, QDR_DOUBLE, source, target)
    call check(target(1) == 2 * next, "numbers of 32 bits")
    call qdr_map_destroy(map)
    method = qdr_resolve_method(1)
    call check(len(method%name) > 0, "a method")
  end subroutine the_directory_knows

  subroutine items_migrate()
    integer(int64), allocatable, target :: items(:)
    integer, allocatable, target :: destination(:)
    integer(int64), target :: count
    integer(c_int), target :: to(2)
    type(qdr_migration_options) :: how
    type(qdr_migration_report) :: report
    type(qdr_objects) :: objects
    type(qdr_pending) :: pending
    integer :: i
    allocate (items(4 * ranks))
    count = 2 * ranks
    items = [(int(1000 * rank + i, int64), i=0, 4 * ranks - 1)]
    destination = [(mod(i, ranks), i=0, 2 * ranks - 1)]
    how%memory = 2**20
    how%deadline = 60
    how%progress => progress
    call qdr_migrate_array(MPI_COMM_WORLD, count, 4_int64 * ranks, items, 8, destination, how, report)
    call check(count == 2 * ranks .and. report%came == 2 * (ranks - 1) .and. report%memory == 2**20, "migrated")
    call check(all(mod(mod(items(:count), 1000_int64), int(ranks, int64)) == rank) .and. len(report%method) > 0, "where it belongs")
    destination = rank
    call qdr_migrate_array_start(MPI_COMM_WORLD, count, 4_int64 * ranks, items, 8, destination, pending)
    call qdr_wait(pending)
    call check(count == 2 * ranks, "what was started")
    shelf(:2) = [rank, 100 + rank]
    to = [next, rank]
    objects%destination => to
    objects%size => size_of
    objects%pack => packs
    objects%release => release
    objects%unpack => unpacks
    call qdr_migrate_objects(MPI_COMM_WORLD, objects, report=report)
    call check(ranks == 1 .or. (released == 1 .and. shelf(3) == before), "objects")
    call qdr_migrate_objects_start(MPI_COMM_WORLD, objects, pending)
    call qdr_wait(pending)
    call check(ranks == 1 .or. released == 2, "objects that were started")
  end subroutine items_migrate

  ! A program that is coupled with itself turns a distributed array around.
  subroutine programs_are_coupled()
    type(qdr_program) :: program
    type(qdr_coupling) :: coupling
    type(qdr_coupling_view) :: seen
    type(qdr_stream) :: stream
    type(qdr_stream_view) :: view
    type(qdr_stream_places) :: places
    type(qdr_layout) :: blocks, cycles
    type(qdr_coupled) :: out(1), in(1)
    type(qdr_pending) :: pending
    type(MPI_Comm) :: own
    real(real64), allocatable, target :: mine(:), theirs(:)
    real(real64), target :: matched
    integer(int64) :: elements, room, place, i
    integer :: who
    call qdr_program_create(MPI_COMM_WORLD, "turner", program, 60.0_real64)
    own = qdr_program_comm(program)
    call MPI_Comm_rank(own, who)
    call check(who == rank, "the program's own communicator")
    call qdr_coupling_create(program, "turner", coupling, qdr_coupling_options(deadline=60.0_real64))
    seen = qdr_coupling_look(coupling)
    call check(seen%ranks == ranks .and. seen%transport == "self", "the coupling")
    call qdr_layout_regular([qdr_axis(extent=12_int64, spread=QDR_BLOCK, parts=ranks)], blocks)
    call qdr_layout_regular([qdr_axis(extent=12_int64, spread=QDR_CYCLIC, parts=ranks)], cycles)
    out(1)%name = "heat"
    out(1)%layout = blocks
    out(1)%type = QDR_DOUBLE
    in(1) = out(1)
    in(1)%layout = cycles
    in(1)%operation = QDR_SUM
    call qdr_stream_create(coupling, "turn", stream, out, in, qdr_stream_options(deadline=60.0_real64))
    view = qdr_stream_look(stream)
    call check(view%elements == 12 .and. view%fields == 1, "the stream")
    call qdr_layout_share(blocks, rank, elements, room)
    call qdr_stream_schedule(stream, .true., 1, places)
    call check(size(places%place) == elements .and. size(places%start) == size(places%rank) + 1, "its places")
    allocate (mine(room + 1))
    call qdr_layout_share(cycles, rank, elements, room)
    allocate (theirs(room + 1))
    mine = 0
    theirs = 1
    do i = 1, 12
      call qdr_layout_locate(blocks, [i], who, place)
      if (who == rank) mine(place) = real(i, real64)
    end do
    call qdr_export(stream, 1.0_real64, mine)
    call qdr_import(stream, 1.0_real64, theirs, matched=matched)
    call check(matched == 1, "the time that matched")
    call qdr_export(stream, 2.0_real64, arrays=[c_loc(mine)])
    call qdr_import_start(stream, 2.5_real64, [c_loc(theirs)], pending, QDR_BEFORE, 1.0_real64, matched)
    call qdr_stream_promise(stream, 3.0_real64)
    call qdr_wait(pending)
    call check(matched == 2, "the last before")
    do i = 1, 12
      call qdr_layout_locate(cycles, [i], who, place)
      if (who == rank) call check(abs(theirs(place) - 1 - 2 * i) < 1e-12, "what came")
    end do
    call qdr_stream_destroy(stream)
    call qdr_coupling_destroy(coupling)
    call qdr_program_destroy(program)
    call qdr_layout_destroy(blocks)
    call qdr_layout_destroy(cycles)
  end subroutine programs_are_coupled

end program parallel_mpitest
