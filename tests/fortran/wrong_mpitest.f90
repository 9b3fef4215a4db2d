! SPDX-License-Identifier: BSD-3-Clause
! Wrong uses of what needs MPI, in Fortran: each gives its status and its sentence, on all ranks, and nothing crashes.
program wrong_mpitest
  use, intrinsic :: iso_c_binding
  use, intrinsic :: iso_fortran_env, only: int64, real64
  use mpi_f08
  use checks
  implicit none
  integer :: rank, ranks, status
  type(qdr_partners) :: late
  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks)
  call of_partners()
  call of_plans()
  call of_maps()
  call of_items()
  call of_the_directory()
  call of_programs()
  call MPI_Finalize()
  call qdr_partners_from_sends(MPI_COMM_WORLD, [0], [1_int64], late, status=status)
  call wrong(status, QDR_ERR_INVALID, "MPI is finalised", "after MPI has ended")
  call verdict(rank, "wrong_mpitest")
contains

  subroutine of_partners()
    type(qdr_partners) :: partners
    type(qdr_pattern) :: other
    type(qdr_parcel), allocatable :: came(:)
    call qdr_partners_from_sends(MPI_COMM_WORLD, [ranks], [1_int64], partners, status=status)
    call wrong(status, QDR_ERR_RANGE, "destination", "a rank that does not exist")
    if (ranks > 1) then
      call qdr_partners_from_sends(MPI_COMM_WORLD, [rank, rank], [1_int64, 1_int64], partners, status=status)
      call wrong(status, QDR_ERR_INVALID, "twice", "a destination twice")
    end if
    call qdr_partners_from_sends(MPI_COMM_WORLD, [rank], [-1_int64], partners, status=status)
    call wrong(status, QDR_ERR_RANGE, "-1", "items below zero")
    call qdr_partners_from_sends(MPI_COMM_WORLD, [rank], [1_int64, 1_int64], partners, status=status)
    call wrong(status, QDR_ERR_RANGE, "-1", "lists of different lengths")
    call qdr_partners_from_sends(MPI_COMM_WORLD, [rank], [1_int64], partners, "magic", status)
    call wrong(status, QDR_ERR_UNKNOWN, "magic", "an unknown method")
    call qdr_partners_from_receives(MPI_COMM_WORLD, [ranks], [1_int64], partners, status=status)
    call wrong(status, QDR_ERR_RANGE, "source", "a source that does not exist")
    call qdr_partners_from_both(MPI_COMM_WORLD, [rank], [1_int64], [integer ::], [integer(int64) ::], partners, &
                                status=status)
    call wrong(status, QDR_ERR_MISMATCH, "which expects 0", "two ends that disagree")
    call qdr_partners_from_sends(MPI_COMM_NULL, [rank], [1_int64], partners, status=status)
    call wrong(status, QDR_ERR_INVALID, "communicator", "no communicator")
    call qdr_pattern_from_spec("complete:n=50,bytes=1", other)
    call qdr_partners_from_pattern(MPI_COMM_WORLD, other, partners, status)
    call wrong(status, QDR_ERR_INVALID, "50", "a pattern of other ranks")
    call qdr_pattern_destroy(other)
    call qdr_discover(MPI_COMM_WORLD, [qdr_parcel(rank=ranks)], came, status=status)
    call wrong(status, QDR_ERR_RANGE, "parcel 0 is rank", "a parcel for nobody")
  end subroutine of_partners

  subroutine of_plans()
    type(qdr_partners) :: partners, none
    type(qdr_plan) :: plan, gone
    type(qdr_plan_info) :: info
    type(qdr_candidate) :: candidate
    type(qdr_pending) :: pending
    type(qdr_pattern) :: paper
    type(qdr_schedule) :: schedule
    real(real64), target :: out(4), in(4), grid(4, 2)
    call qdr_partners_from_both(MPI_COMM_WORLD, [mod(rank + 1, ranks)], [4_int64], [mod(rank - 1 + ranks, ranks)], &
                                [4_int64], partners)
    call qdr_plan_create(partners, plan, qdr_plan_options(algorithm="magic"), status)
    call wrong(status, QDR_ERR_UNKNOWN, "magic", "an unknown algorithm")
    call qdr_plan_create(partners, plan, qdr_plan_options(pacing="magic"), status)
    call wrong(status, QDR_ERR_UNKNOWN, "magic", "an unknown pacing")
    call qdr_plan_create(partners, plan, qdr_plan_options(transport="pigeon"), status)
    call wrong(status, QDR_ERR_UNKNOWN, "pigeon", "an unknown transport")
    call qdr_plan_create(partners, plan, qdr_plan_options(in_flight=100), status)
    call wrong(status, QDR_ERR_RANGE, "100", "too many in flight")
    call qdr_plan_create(partners, plan, qdr_plan_options(chunk=-1_int64), status)
    call wrong(status, QDR_ERR_RANGE, "-1", "a chunk below zero")
    call qdr_plan_create(none, plan, status=status)
    call wrong(status, QDR_ERR_INVALID, "the partners are NULL", "no partners")
    call qdr_pattern_from_spec("complete:n=50,bytes=1", paper)
    call qdr_schedule_create(paper, "pairwise", schedule)
    call qdr_plan_create_scheduled(partners, schedule, plan, status=status)
    call wrong(status, QDR_ERR_INVALID, "50 ranks", "a schedule of other ranks")
    call qdr_schedule_destroy(schedule)
    call qdr_pattern_destroy(paper)
    call qdr_plan_create(partners, plan)
    out = 1
    call qdr_plan_exchange(plan, -1, out, in, status=status)
    call wrong(status, QDR_ERR_RANGE, "item_bytes", "items of -1 bytes")
    call qdr_plan_exchange(plan, 8, grid(1, :), grid(2, :), status=status)
    call wrong(status, QDR_ERR_INVALID, "not contiguous", "a section with a stride")
    call qdr_plan_start(plan, 8, grid(1, :), in, pending, status=status)
    call wrong(status, QDR_ERR_INVALID, "not contiguous", "a section that is started")
    call qdr_plan_exchange(plan, 8, out(1:0), in, status=status)
    call wrong(status, QDR_ERR_INVALID, "no memory", "an empty array")
    call qdr_plan_exchange(gone, 8, out, in, status=status)
    call wrong(status, QDR_ERR_INVALID, "the plan is NULL", "no plan")
    call qdr_plan_look(gone, info, status)
    call wrong(status, QDR_ERR_INVALID, "an argument is NULL", "no plan to look at")
    call qdr_plan_tune(gone, status)
    call wrong(status, QDR_ERR_INVALID, "the plan is NULL", "no plan to tune")
    call qdr_plan_candidate(plan, 99, candidate, status)
    call wrong(status, QDR_ERR_RANGE, "there is no candidate 98", "a candidate past the last")
    call qdr_plan_start(plan, 8, out, in, pending)
    call qdr_plan_destroy(plan, status)
    call wrong(status, QDR_ERR_BUSY, "is under way", "a plan that is busy")
    call qdr_wait(pending)
    call qdr_plan_destroy(plan)
    call qdr_partners_destroy(partners)
  end subroutine of_plans

  subroutine of_maps()
    type(qdr_map) :: map, gone
    type(qdr_map_options) :: options
    real(real64), target :: x(4), grid(4, 2)
    integer, allocatable :: source(:)
    integer(int64), allocatable :: position(:)
    type(c_ptr), allocatable, target :: ghost(:)
    call qdr_map_create(MPI_COMM_WORLD, map, receives=qdr_flat([ranks], [1_int64], [1_int64]), status=status)
    call wrong(status, QDR_ERR_RANGE, "link_rank[0] is", "an owner that does not exist")
    call qdr_map_create(MPI_COMM_WORLD, map, receives=qdr_flat([rank], [0_int64], [1_int64]), status=status)
    call wrong(status, QDR_ERR_RANGE, "-1", "place 0, which is before the first")
    call qdr_map_create(MPI_COMM_WORLD, map, receives=qdr_flat([rank], [1_int64, 2_int64], [1_int64]), status=status)
    call wrong(status, QDR_ERR_RANGE, "-1", "lists of different lengths")
    call qdr_map_create(MPI_COMM_WORLD, map, sends=qdr_grouped([rank], [1_int64, 1_int64]), status=status)
    call wrong(status, QDR_ERR_RANGE, "-1", "groups of different lengths")
    options%reverse = 7
    call qdr_map_create(MPI_COMM_WORLD, map, receives=qdr_flat([rank], [1_int64], [1_int64]), options=options, &
                        status=status)
    call wrong(status, QDR_ERR_RANGE, "reverse", "a reverse that does not exist")
    call qdr_map_create(MPI_COMM_WORLD, map, status=status)
    call wrong(status, QDR_ERR_INVALID, "neither sends nor receives", "no side at all")
    call qdr_map_create(MPI_COMM_WORLD, map, receives=qdr_flat([rank], [1_int64], [2_int64]))
    x = 1
    call qdr_map_exchange(map, 0, x, status=status)
    call wrong(status, QDR_ERR_INVALID, "type", "no type")
    call qdr_map_exchange(map, QDR_DOUBLE, x, width=-1, status=status)
    call wrong(status, QDR_ERR_RANGE, "width", "a width of -1")
    call qdr_map_exchange(map, QDR_DOUBLE, x, operation=QDR_BITWISE_AND, status=status)
    call wrong(status, QDR_ERR_INVALID, "double", "an operation that does not suit")
    call qdr_map_exchange(map, QDR_DOUBLE, x, operation=QDR_COMBINE, status=status)
    call wrong(status, QDR_ERR_INVALID, "QDR_COMBINE", "no function")
    call qdr_map_exchange(map, QDR_DOUBLE, x, direction=QDR_REVERSE, status=status)
    call wrong(status, QDR_ERR_INVALID, "reverse", "an exchange in reverse")
    call qdr_map_exchange(map, QDR_DOUBLE, grid(1, :), status=status)
    call wrong(status, QDR_ERR_INVALID, "not contiguous", "a section with a stride")
    call qdr_map_exchange(map, QDR_DOUBLE, x, grid(1, :), status=status)
    call wrong(status, QDR_ERR_INVALID, "not contiguous", "a target with a stride")
    call qdr_map_exchange(map, [qdr_field_of(QDR_DOUBLE, grid(1, :))], status=status)
    call wrong(status, QDR_ERR_INVALID, "type", "a field with a stride")
    call qdr_map_exchange(gone, QDR_DOUBLE, x, status=status)
    call wrong(status, QDR_ERR_INVALID, "the map is NULL", "no map")
    call qdr_map_ghost_places(map, [rank], source, position, status=status)
    call wrong(status, QDR_ERR_INVALID, "keeps_incoming", "ghosts that are not kept")
    call qdr_map_ghosts(map, 1, [1, 2], [1_int64], ghost, status=status)
    call wrong(status, QDR_ERR_INVALID, "different lengths", "lists of ghosts")
    call qdr_map_destroy(map)
  end subroutine of_maps

  subroutine of_items()
    type(qdr_arrivals), target :: came
    type(qdr_migration_options) :: how
    integer, target :: items(4), destination(2), one(1)
    integer, allocatable, target :: out(:)
    integer(int64), target :: count
    items = 1
    destination = [0, ranks]
    one = 0
    allocate (out(2 * ranks))
    out = 0
    call qdr_deliver(MPI_COMM_WORLD, 4, items, destination, came, status)
    call wrong(status, QDR_ERR_RANGE, "item 1 goes to rank", "an item for nobody")
    call qdr_deliver(MPI_COMM_WORLD, 4, items(1:3:2), one, came, status)
    call wrong(status, QDR_ERR_RANGE, "-1", "items with a stride")
    call qdr_deliver_grouped(MPI_COMM_WORLD, 4, items, one, [1_int64, 1_int64], came, status)
    call wrong(status, QDR_ERR_RANGE, "-1", "groups of different lengths")
    call qdr_alltoall(MPI_COMM_WORLD, 4_int64, out, out, "magic", status)
    call wrong(status, QDR_ERR_UNKNOWN, "magic", "an unknown algorithm")
    call qdr_alltoall(MPI_COMM_WORLD, -4_int64, out, out, status=status)
    call wrong(status, QDR_ERR_RANGE, "-4", "blocks of -4 bytes")
    call qdr_broadcast(MPI_COMM_WORLD, [0], items, 4_int64, "round", status)
    call wrong(status, QDR_ERR_UNKNOWN, "round", "an unknown broadcast")
    call qdr_prepare(MPI_COMM_NULL, status)
    call wrong(status, QDR_ERR_INVALID, "communicator", "no communicator")
    count = 2
    call qdr_migrate_array(MPI_COMM_WORLD, count, 4_int64, items, 4, destination, status=status)
    call wrong(status, QDR_ERR_RANGE, "goes to rank", "a destination that does not exist")
    call qdr_migrate_array(MPI_COMM_WORLD, count, 4_int64, items, 4, one, status=status)
    call wrong(status, QDR_ERR_RANGE, "-1", "too few destinations")
    destination = rank
    how%method = "magic"
    call qdr_migrate_array(MPI_COMM_WORLD, count, 4_int64, items, 4, destination, how, status=status)
    call wrong(status, QDR_ERR_UNKNOWN, "magic", "an unknown method")
  end subroutine of_items

  subroutine of_the_directory()
    type(qdr_directory) :: directory
    type(qdr_directory_options) :: options
    type(qdr_resolve_options) :: how
    type(qdr_map) :: map
    integer(int64), target :: id(1), place(1)
    integer :: owner(1), two(2)
    id = rank
    two = 0
    options%payload_bytes = -1
    call qdr_directory_create(MPI_COMM_WORLD, directory, options, status)
    call wrong(status, QDR_ERR_RANGE, "payload", "payloads of -1 bytes")
    call qdr_directory_create(MPI_COMM_WORLD, directory)
    call qdr_directory_insert(directory, id, [ranks], status=status)
    call wrong(status, QDR_ERR_RANGE, "the owner of id 0", "an owner that does not exist")
    call qdr_directory_insert(directory, id, two, status=status)
    call wrong(status, QDR_ERR_RANGE, "-1", "two owners of one id")
    call qdr_directory_find(directory, id, two, status=status)
    call wrong(status, QDR_ERR_RANGE, "-1", "room for two owners")
    call qdr_directory_destroy(directory)
    call qdr_resolve_map(MPI_COMM_WORLD, id, [999_int64], map, status=status)
    call wrong(status, QDR_ERR_UNKNOWN, "999", "an id that nobody owns")
    how%method = "magic"
    call qdr_resolve(MPI_COMM_WORLD, id, id, owner, place, how, status=status)
    call wrong(status, QDR_ERR_UNKNOWN, "magic", "an unknown method")
    call qdr_resolve(MPI_COMM_WORLD, id, id, two, place, status=status)
    call wrong(status, QDR_ERR_RANGE, "-1", "lists of different lengths")
  end subroutine of_the_directory

  subroutine of_programs()
    type(qdr_program) :: program
    type(qdr_coupling) :: coupling
    type(qdr_stream) :: stream
    type(qdr_stream_places) :: places
    type(qdr_layout) :: layout, longer
    type(qdr_coupled) :: out(1), in(1)
    real(real64), target :: mine(8)
    mine = 0
    call qdr_program_create(MPI_COMM_WORLD, ".hidden", program, status=status)
    call wrong(status, QDR_ERR_INVALID, ".hidden", "a name with a dot")
    call qdr_program_create(MPI_COMM_WORLD, "alone", program)
    call qdr_coupling_create(program, "nobody", coupling, qdr_coupling_options(transport="pigeon"), status)
    call wrong(status, QDR_ERR_UNKNOWN, "pigeon", "an unknown transport")
    call qdr_coupling_create(program, "nobody", coupling, qdr_coupling_options(deadline=0.2_real64), status)
    call wrong(status, QDR_ERR_STALLED, "nobody", "a peer that does not come")
    call qdr_coupling_create(program, "alone", coupling)
    call qdr_program_destroy(program, status)
    call wrong(status, QDR_ERR_BUSY, "couplings are open", "a program with couplings")
    call qdr_layout_regular([qdr_axis(extent=8_int64, spread=QDR_BLOCK, parts=ranks)], layout)
    call qdr_layout_regular([qdr_axis(extent=9_int64, spread=QDR_BLOCK, parts=ranks)], longer)
    out(1)%name = "heat"
    out(1)%layout = layout
    out(1)%type = QDR_DOUBLE
    in = out
    in(1)%layout = longer
    call qdr_stream_create(coupling, "s", stream, out, in, status=status)
    call wrong(status, QDR_ERR_MISMATCH, "heat", "regions of different sizes")
    in = out
    in(1)%name = "cold"
    call qdr_stream_create(coupling, "s", stream, out, in, status=status)
    call wrong(status, QDR_ERR_MISMATCH, "cold", "other names")
    call qdr_stream_create(coupling, "heat", stream, out, out)
    call qdr_export(stream, 2.0_real64, mine)
    call qdr_export(stream, 1.0_real64, mine, status=status)
    call wrong(status, QDR_ERR_INVALID, "1", "an export in the past")
    call qdr_stream_schedule(stream, .true., 4, places, status)
    call wrong(status, QDR_ERR_RANGE, "field 3 of 1", "a field that does not exist")
    call qdr_stream_promise(stream, 9.0_real64)
    call qdr_import(stream, 5.0_real64, mine, status=status)
    call wrong(status, QDR_ERR_UNMATCHED, "no export matches EXACT 5", "a time that nothing matches")
    call qdr_stream_destroy(stream)
    call qdr_coupling_destroy(coupling)
    call qdr_program_destroy(program)
    call qdr_layout_destroy(layout)
    call qdr_layout_destroy(longer)
  end subroutine of_programs

end program wrong_mpitest
