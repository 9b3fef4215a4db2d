! SPDX-License-Identifier: BSD-3-Clause
! Two programs exchange parts of distributed arrays: see quadrille/couple.h.
module quadrille_couple
  use quadrille_base
  use quadrille_layout, only: qdr_layout, qdr_region
  use quadrille_pending, only: qdr_pending
  use quadrille_plan, only: qdr_plan_options, c_options, plan_texts
  implicit none
  private
  public :: qdr_program, qdr_coupling, qdr_stream, qdr_coupled
  public :: qdr_coupling_options, qdr_coupling_view, qdr_stream_options, qdr_stream_view, qdr_stream_places
  public :: qdr_program_create, qdr_program_comm, qdr_program_destroy
  public :: qdr_coupling_create, qdr_coupling_look, qdr_coupling_destroy
  public :: qdr_stream_create, qdr_stream_look, qdr_stream_schedule, qdr_stream_destroy, qdr_stream_promise
  public :: qdr_export, qdr_import, qdr_import_start

  type :: qdr_program
    type(c_ptr) :: handle = c_null_ptr
  end type qdr_program

  type :: qdr_coupling
    type(c_ptr) :: handle = c_null_ptr
  end type qdr_coupling

  type :: qdr_stream
    type(c_ptr) :: handle = c_null_ptr
  end type qdr_stream

  type :: qdr_coupling_options
    character(:), allocatable :: directory, address, transport
    real(real64) :: deadline = 0 ! seconds
  end type qdr_coupling_options

  type :: qdr_coupling_view
    character(:), allocatable :: name, peer, transport, how
    integer :: ranks = 0, peer_ranks = 0
    real(real64) :: latency = 0
    integer(int64) :: refused = 0
  end type qdr_coupling_view

  ! One array as one program has it. Without a region: all of it.
  type :: qdr_coupled
    character(:), allocatable :: name
    type(qdr_layout) :: layout
    type(qdr_region) :: region
    integer :: type = 0, operation = QDR_REPLACE
    integer(int64) :: width = 1
  end type qdr_coupled

  type :: qdr_stream_options
    character(:), allocatable :: computes, back, descriptors
    integer :: queue = 0
    logical :: fails_when_full = .false., converts = .false., checksums = .false.
    type(qdr_plan_options) :: plan
    real(real64) :: deadline = 0 ! seconds
  end type qdr_stream_options

  type :: qdr_stream_view
    character(:), allocatable :: name, computed, back, descriptors, why
    integer :: fields = 0
    integer(int64) :: elements = 0, messages_out = 0, messages_in = 0, bytes_out = 0, bytes_in = 0
    integer(int64) :: runs_out = 0, runs_in = 0
    real(real64) :: seconds_most(2) = 0, seconds_mean(2) = 0, build_seconds = 0 ! of the exporting program, of the importing one
    integer(int64) :: computed_most(2) = 0, computed_all(2) = 0
    integer(int64) :: inside_messages = 0, inside_bytes = 0, across_messages = 0, across_bytes = 0
    integer(int64) :: peak_bytes = 0, exports = 0, imports = 0, queued = 0, queue_bytes = 0
  end type qdr_stream_view

  ! What this rank sends or receives of a field: for rank(i) of the other program, place(start(i):start(i + 1) - 1).
  type :: qdr_stream_places
    integer, allocatable :: rank(:)
    integer(int64), allocatable :: start(:), place(:)
  end type qdr_stream_places

contains

  ! ---- programs -------------------------------------------------------------------------------------------

  ! Collective over `comm`.
  subroutine qdr_program_create(comm, name, program, deadline, status)
    type(MPI_Comm), intent(in) :: comm
    character(*), intent(in) :: name
    type(qdr_program), intent(inout) :: program
    real(real64), intent(in), optional :: deadline
    integer, intent(out), optional :: status
    character(:, c_char), allocatable, target :: text
    real(c_double) :: most
    text = c_text(name)
    most = 0
    if (present(deadline)) most = deadline
    call finish(c_program_create(comm_in(comm), c_loc(text), most, program%handle), status)
  end subroutine qdr_program_create

  ! Local. Of this program's ranks alone.
  function qdr_program_comm(program) result(comm)
    type(qdr_program), intent(in) :: program
    type(MPI_Comm) :: comm
    comm = comm_out(c_program_comm(program%handle))
  end function qdr_program_comm

  ! Collective. QDR_ERR_BUSY while couplings of it are open.
  subroutine qdr_program_destroy(program, status)
    type(qdr_program), intent(inout) :: program
    integer, intent(out), optional :: status
    call finish(c_program_destroy(program%handle), status)
  end subroutine qdr_program_destroy

  ! ---- couplings ------------------------------------------------------------------------------------------

  ! Both. Connects this program with that one.
  subroutine qdr_coupling_create(program, peer, coupling, options, status)
    type(qdr_program), intent(in) :: program
    character(*), intent(in) :: peer
    type(qdr_coupling), intent(inout) :: coupling
    type(qdr_coupling_options), intent(in), optional :: options
    integer, intent(out), optional :: status
    character(:, c_char), allocatable, target :: text, directory, address, transport
    type(c_coupling_options), target :: c
    text = c_text(peer)
    c%size = c_sizeof(c)
    if (present(options)) then
      if (allocated(options%directory)) c%directory = optional_text(options%directory, directory)
      if (allocated(options%address)) c%address = optional_text(options%address, address)
      if (allocated(options%transport)) c%transport = optional_text(options%transport, transport)
      c%deadline = options%deadline
    end if
    call finish(c_coupling_create(program%handle, c_loc(text), c_loc(c), coupling%handle), status)
  end subroutine qdr_coupling_create

  ! Local.
  function qdr_coupling_look(coupling) result(view)
    type(qdr_coupling), intent(in) :: coupling
    type(qdr_coupling_view) :: view
    type(c_coupling_view), target :: c
    call c_coupling_look_sized(coupling%handle, c_loc(c), c_sizeof(c))
    view%name = text_of(c%name)
    view%peer = text_of(c%peer)
    view%transport = text_of(c%transport)
    view%how = text_of(c%how)
    view%ranks = c%ranks
    view%peer_ranks = c%peer_ranks
    view%latency = c%latency
    view%refused = c%refused
  end function qdr_coupling_look

  ! Collective. QDR_ERR_BUSY while streams of it are open.
  subroutine qdr_coupling_destroy(coupling, status)
    type(qdr_coupling), intent(inout) :: coupling
    integer, intent(out), optional :: status
    call finish(c_coupling_destroy(coupling%handle), status)
  end subroutine qdr_coupling_destroy

  ! ---- streams --------------------------------------------------------------------------------------------

  ! Names of fields, one after the other in one text that C can look at.
  function c_coupled_of(fields, names) result(list)
    type(qdr_coupled), intent(in) :: fields(:)
    character(:, c_char), allocatable, target, intent(inout) :: names
    type(c_coupled), allocatable :: list(:)
    integer :: i, at
    names = ""
    allocate (list(size(fields)))
    do i = 1, size(fields)
      if (allocated(fields(i)%name)) names = names//fields(i)%name
      names = names//c_null_char
    end do
    at = 1
    do i = 1, size(fields)
      list(i)%name = c_loc(names(at:at))
      at = at + 1
      if (allocated(fields(i)%name)) at = at + len(fields(i)%name)
      list(i)%layout = fields(i)%layout%handle
      list(i)%region = fields(i)%region%handle
      list(i)%type = fields(i)%type
      list(i)%operation = fields(i)%operation
      list(i)%width = fields(i)%width
    end do
  end function c_coupled_of

  ! Both, in the same order in both programs. One names what it exports, the other what it imports; a program that is coupled with itself
  ! gives both.
  subroutine qdr_stream_create(coupling, name, stream, exports, imports, options, status)
    type(qdr_coupling), intent(in) :: coupling
    character(*), intent(in) :: name
    type(qdr_stream), intent(inout) :: stream
    type(qdr_coupled), intent(in), optional :: exports(:), imports(:)
    type(qdr_stream_options), intent(in), optional :: options
    integer, intent(out), optional :: status
    character(:, c_char), allocatable, target :: text, out_names, in_names, computes, back, descriptors
    type(c_coupled), allocatable, target :: out(:), in(:)
    type(c_stream_options), target :: c
    type(c_plan_options), target :: plan
    type(plan_texts), target :: texts
    integer(c_int) :: exported, imported
    type(c_ptr) :: out_list, in_list
    text = c_text(name)
    exported = 0
    imported = 0
    out_list = c_null_ptr
    in_list = c_null_ptr
    if (present(exports)) then
      allocate (out, source=c_coupled_of(exports, out_names))
      exported = size(out)
      out_list = c_loc(out)
    end if
    if (present(imports)) then
      allocate (in, source=c_coupled_of(imports, in_names))
      imported = size(in)
      in_list = c_loc(in)
    end if
    c%size = c_sizeof(c)
    if (present(options)) then
      if (allocated(options%computes)) c%computes = optional_text(options%computes, computes)
      if (allocated(options%back)) c%back = optional_text(options%back, back)
      if (allocated(options%descriptors)) c%descriptors = optional_text(options%descriptors, descriptors)
      c%queue = options%queue
      c%fails_when_full = flag(options%fails_when_full)
      c%converts = flag(options%converts)
      c%checksums = flag(options%checksums)
      c%deadline = options%deadline
      plan = c_options(options%plan, texts)
      c%plan = c_loc(plan)
    end if
    call finish(c_stream_create_sized(coupling%handle, c_loc(text), exported, out_list, imported, in_list, &
                                      c_sizeof(c_coupled()), c_loc(c), stream%handle), status)
  end subroutine qdr_stream_create

  ! Local.
  function qdr_stream_look(stream) result(view)
    type(qdr_stream), intent(in) :: stream
    type(qdr_stream_view) :: view
    type(c_stream_view), target :: c
    call c_stream_look_sized(stream%handle, c_loc(c), c_sizeof(c))
    view%name = text_of(c%name)
    view%computed = text_of(c%computed)
    view%back = text_of(c%back)
    view%descriptors = text_of(c%descriptors)
    view%why = text_of(c%why)
    view%fields = c%fields
    view%elements = c%elements
    view%messages_out = c%messages_out
    view%messages_in = c%messages_in
    view%bytes_out = c%bytes_out
    view%bytes_in = c%bytes_in
    view%runs_out = c%runs_out
    view%runs_in = c%runs_in
    view%seconds_most = c%seconds_most
    view%seconds_mean = c%seconds_mean
    view%build_seconds = c%build_seconds
    view%computed_most = c%computed_most
    view%computed_all = c%computed_all
    view%inside_messages = c%inside_messages
    view%inside_bytes = c%inside_bytes
    view%across_messages = c%across_messages
    view%across_bytes = c%across_bytes
    view%peak_bytes = c%peak_bytes
    view%exports = c%exports
    view%imports = c%imports
    view%queued = c%queued
    view%queue_bytes = c%queue_bytes
  end function qdr_stream_look

  ! Local. Of the field with that number, from 1.
  subroutine qdr_stream_schedule(stream, outgoing, field, places, status)
    type(qdr_stream), intent(in) :: stream
    logical, intent(in) :: outgoing
    integer, intent(in) :: field
    type(qdr_stream_places), intent(out) :: places
    integer, intent(out), optional :: status
    integer(c_int), target :: partners
    type(c_ptr), target :: rank, start, place
    integer(c_int), pointer :: ranks(:)
    integer(c_int64_t), pointer :: starts(:), all(:)
    integer(c_int) :: code
    partners = 0
    rank = c_null_ptr
    start = c_null_ptr
    place = c_null_ptr
    code = c_stream_schedule(stream%handle, flag(outgoing), int(field - 1, c_int), c_loc(partners), &
                             c_loc(rank), c_loc(start), c_loc(place))
    if (code == QDR_OK) then
      call c_f_pointer(rank, ranks, [partners])
      call c_f_pointer(start, starts, [partners + 1])
      call c_f_pointer(place, all, [starts(partners + 1)])
      allocate (places%rank, source=ranks)
      allocate (places%start, source=starts + 1)
      allocate (places%place, source=all + 1)
      call c_free(rank)
      call c_free(start)
      call c_free(place)
    end if
    call finish(code, status)
  end subroutine qdr_stream_schedule

  ! Collective. QDR_ERR_BUSY while imports are started and not waited for.
  subroutine qdr_stream_destroy(stream, status)
    type(qdr_stream), intent(inout) :: stream
    integer, intent(out), optional :: status
    call finish(c_stream_destroy(stream%handle), status)
  end subroutine qdr_stream_destroy

  ! Collective. No export, or no import, before that time.
  subroutine qdr_stream_promise(stream, time, status)
    type(qdr_stream), intent(in) :: stream
    real(real64), intent(in) :: time
    integer, intent(out), optional :: status
    call finish(c_stream_promise(stream%handle, time), status)
  end subroutine qdr_stream_promise

  ! ---- exporting and importing ------------------------------------------------------------------------------

  ! Collective. `array` is this rank's of the field; where there are several fields, `arrays` are their addresses, by c_loc.
  subroutine qdr_export(stream, time, array, arrays, status)
    type(qdr_stream), intent(in) :: stream
    real(real64), intent(in) :: time
    type(*), intent(in), target, contiguous, optional :: array(..)
    type(c_ptr), intent(in), contiguous, target, optional :: arrays(:)
    integer, intent(out), optional :: status
    type(c_ptr), target :: one
    type(c_ptr) :: list
    one = c_null_ptr
    if (present(array)) one = c_loc(array)
    list = c_loc(one)
    if (present(arrays)) list = c_loc(arrays)
    call finish(c_export(stream%handle, time, list), status)
  end subroutine qdr_export

  ! Collective. `matched` is the time of the export that came.
  subroutine qdr_import(stream, time, array, arrays, match, tolerance, matched, status)
    type(qdr_stream), intent(in) :: stream
    real(real64), intent(in) :: time
    type(*), intent(inout), target, contiguous, optional :: array(..)
    type(c_ptr), intent(in), contiguous, target, optional :: arrays(:)
    integer, intent(in), optional :: match
    real(real64), intent(in), optional :: tolerance
    real(real64), intent(out), optional :: matched
    integer, intent(out), optional :: status
    type(c_ptr), target :: one
    type(c_ptr) :: list
    real(c_double), target :: found
    integer(c_int) :: code
    one = c_null_ptr
    if (present(array)) one = c_loc(array)
    list = c_loc(one)
    if (present(arrays)) list = c_loc(arrays)
    found = 0
    code = c_import(stream%handle, time, kind_of(match), least(tolerance), list, c_loc(found))
    if (present(matched)) matched = found
    call finish(code, status)
  end subroutine qdr_import

  function kind_of(match) result(answer)
    integer, intent(in), optional :: match
    integer(c_int) :: answer
    answer = QDR_EXACT
    if (present(match)) answer = match
  end function kind_of

  function least(tolerance) result(answer)
    real(real64), intent(in), optional :: tolerance
    real(c_double) :: answer
    answer = 0
    if (present(tolerance)) answer = tolerance
  end function least

  ! Collective, but does not wait. `arrays` are addresses, by c_loc; what they point to is borrowed until the import ends, and so is `matched`.
  subroutine qdr_import_start(stream, time, arrays, pending, match, tolerance, matched, status)
    type(qdr_stream), intent(in) :: stream
    real(real64), intent(in) :: time
    type(c_ptr), intent(in), contiguous, target :: arrays(:)
    type(qdr_pending), intent(inout) :: pending
    integer, intent(in), optional :: match
    real(real64), intent(in), optional :: tolerance
    real(real64), intent(inout), target, asynchronous, optional :: matched
    integer, intent(out), optional :: status
    type(c_ptr) :: found
    found = c_null_ptr
    if (present(matched)) found = c_loc(matched)
    call finish(c_import_start(stream%handle, time, kind_of(match), least(tolerance), c_loc(arrays), found, &
                               pending%handle), status)
  end subroutine qdr_import_start

end module quadrille_couple
