! SPDX-License-Identifier: BSD-3-Clause
! The distributed directory, and resolving: see quadrille/directory.h.
!
! Ids are any numbers, and stay as they are. Places are numbers of elements of the program's arrays, and so the first is 1.
module quadrille_directory
  use quadrille_base, qdr_resolve_report => c_resolve_report
  use quadrille_map, only: qdr_map, qdr_map_options, c_how, map_texts
  use quadrille_pending, only: qdr_pending
  implicit none
  private
  public :: qdr_directory, qdr_directory_options, qdr_directory_view, qdr_directory_call, qdr_keeper
  public :: qdr_directory_create, qdr_directory_destroy, qdr_directory_look, qdr_directory_insert
  public :: qdr_directory_update, qdr_directory_remove, qdr_directory_find, qdr_directory_start
  public :: qdr_resolve_options, qdr_resolve_report, qdr_resolve_method_info
  public :: qdr_resolve, qdr_resolve_map, qdr_resolve_method

  type :: qdr_directory
    type(c_ptr) :: handle = c_null_ptr
  end type qdr_directory

  abstract interface
    ! The rank that keeps the entry of an id.
    function qdr_keeper(context, id) result(rank) bind(C)
      import
      type(c_ptr), value :: context
      integer(c_int64_t), value :: id
      integer(c_int) :: rank
    end function qdr_keeper
  end interface

  type :: qdr_directory_options
    integer :: placement = QDR_PLACE_HASH
    integer(int64) :: limit = 0, payload_bytes = 0
    procedure(qdr_keeper), pointer, nopass :: place => null() ! of QDR_PLACE_FUNCTION
    type(c_ptr) :: context = c_null_ptr
    logical :: caches = .false.
    real(real64) :: deadline = 0 ! seconds
  end type qdr_directory_options

  type :: qdr_directory_view
    integer(int64) :: entries = 0, bytes = 0, cached = 0, asked = 0, spared = 0
    logical :: shared = .false.
  end type qdr_directory_view

  ! A call that is started. What its pointers point to is borrowed until it ends; places in it are numbers of C, from 0.
  type :: qdr_directory_call
    integer :: verb = QDR_DIRECTORY_FIND_VERB
    integer(int64), pointer :: id(:) => null()
    integer(c_int), pointer :: owner(:) => null(), found_owner(:) => null()
    integer(int64), pointer :: place(:) => null(), found_place(:) => null()
    type(c_ptr) :: payload = c_null_ptr, found_payload = c_null_ptr
    integer(int64), pointer :: unknown => null()
  end type qdr_directory_call

  type :: qdr_resolve_options
    character(:), allocatable :: method
    logical :: symmetric = .false.
    integer(int64), allocatable :: boundary(:) ! positions in the list of own ids, from 1
    integer(int64) :: limit = 0
    type(qdr_map_options) :: map
  end type qdr_resolve_options

  type :: qdr_resolve_method_info
    character(:), allocatable :: name, summary, memory
  end type qdr_resolve_method_info

  ! With ids and targets of 64 or of 32 bits.
  interface qdr_resolve_map
    module procedure resolve_map_64, resolve_map_32
  end interface qdr_resolve_map

contains

  ! ---- having one -----------------------------------------------------------------------------------------

  ! Collective.
  subroutine qdr_directory_create(comm, directory, options, status)
    type(MPI_Comm), intent(in) :: comm
    type(qdr_directory), intent(inout) :: directory
    type(qdr_directory_options), intent(in), optional :: options
    integer, intent(out), optional :: status
    type(c_directory_options), target :: c
    c%size = c_sizeof(c)
    if (present(options)) then
      c%placement = options%placement
      c%limit = options%limit
      if (associated(options%place)) c%place = c_funloc(options%place)
      c%context = options%context
      c%payload_bytes = options%payload_bytes
      c%caches = flag(options%caches)
      c%deadline = options%deadline
    end if
    call finish(c_directory_create(comm_in(comm), c_loc(c), directory%handle), status)
  end subroutine qdr_directory_create

  ! Local. QDR_ERR_BUSY while a call is under way.
  subroutine qdr_directory_destroy(directory, status)
    type(qdr_directory), intent(inout) :: directory
    integer, intent(out), optional :: status
    call finish(c_directory_destroy(directory%handle), status)
  end subroutine qdr_directory_destroy

  ! Local, free of cost.
  function qdr_directory_look(directory) result(view)
    type(qdr_directory), intent(in) :: directory
    type(qdr_directory_view) :: view
    type(c_directory_view), target :: c
    call c_directory_look_sized(directory%handle, c_loc(c), c_sizeof(c))
    view = qdr_directory_view(c%entries, c%bytes, c%cached, c%asked, c%spared, c%shared /= 0)
  end function qdr_directory_look

  ! ---- using it -------------------------------------------------------------------------------------------

  ! The lists that say where ids are, as C has them.
  subroutine prepare(id, owner, place, count, owners, c_place, from_zero)
    integer(int64), intent(in) :: id(:)
    integer, intent(in), contiguous, target, optional :: owner(:)
    integer(int64), intent(in), optional :: place(:)
    integer(c_int64_t), intent(out) :: count
    type(c_ptr), intent(out) :: owners, c_place
    integer(c_int64_t), allocatable, target, intent(inout) :: from_zero(:)
    count = size(id, kind=c_int64_t)
    owners = c_null_ptr
    c_place = c_null_ptr
    if (present(owner)) then
      if (size(owner) /= size(id)) count = -1 ! which C refuses for all
      owners = c_loc(owner)
    end if
    if (present(place)) then
      if (size(place) /= size(id)) count = -1
      allocate (from_zero, source=places(place))
      c_place = c_loc(from_zero)
    end if
  end subroutine prepare

  ! Collective. Without `owner` it is this rank; without `place` the places are 1, 2, 3 ...
  subroutine qdr_directory_insert(directory, id, owner, place, payload, status)
    type(qdr_directory), intent(in) :: directory
    integer(int64), intent(in), contiguous, target :: id(:)
    integer, intent(in), contiguous, target, optional :: owner(:)
    integer(int64), intent(in), optional :: place(:)
    type(*), intent(in), target, contiguous, optional :: payload(..)
    integer, intent(out), optional :: status
    integer(c_int64_t), allocatable, target :: from_zero(:)
    integer(c_int64_t) :: count
    type(c_ptr) :: owners, c_place, bytes
    bytes = c_null_ptr
    if (present(payload)) bytes = c_loc(payload)
    call prepare(id, owner, place, count, owners, c_place, from_zero)
    call finish(c_directory_insert(directory%handle, count, c_loc(id), owners, c_place, bytes), status)
  end subroutine qdr_directory_insert

  ! Collective. `unknown` is how many of this rank's ids were not there.
  subroutine qdr_directory_update(directory, id, owner, place, payload, unknown, status)
    type(qdr_directory), intent(in) :: directory
    integer(int64), intent(in), contiguous, target :: id(:)
    integer, intent(in), contiguous, target, optional :: owner(:)
    integer(int64), intent(in), optional :: place(:)
    type(*), intent(in), target, contiguous, optional :: payload(..)
    integer(int64), intent(out), optional :: unknown
    integer, intent(out), optional :: status
    integer(c_int64_t), allocatable, target :: from_zero(:)
    integer(c_int64_t) :: count
    integer(c_int64_t), target :: not_there
    integer(c_int) :: code
    type(c_ptr) :: owners, c_place, bytes
    bytes = c_null_ptr
    if (present(payload)) bytes = c_loc(payload)
    not_there = 0
    call prepare(id, owner, place, count, owners, c_place, from_zero)
    code = c_directory_update(directory%handle, count, c_loc(id), owners, c_place, bytes, c_loc(not_there))
    if (present(unknown)) unknown = not_there
    call finish(code, status)
  end subroutine qdr_directory_update

  ! Collective.
  subroutine qdr_directory_remove(directory, id, unknown, status)
    type(qdr_directory), intent(in) :: directory
    integer(int64), intent(in), contiguous, target :: id(:)
    integer(int64), intent(out), optional :: unknown
    integer, intent(out), optional :: status
    integer(c_int64_t), target :: not_there
    integer(c_int) :: code
    not_there = 0
    code = c_directory_remove(directory%handle, size(id, kind=c_int64_t), c_loc(id), c_loc(not_there))
    if (present(unknown)) unknown = not_there
    call finish(code, status)
  end subroutine qdr_directory_remove

  ! Collective. The owner of an id that is not there is QDR_NOBODY, and its place 0.
  subroutine qdr_directory_find(directory, id, owner, place, payload, unknown, status)
    type(qdr_directory), intent(in) :: directory
    integer(int64), intent(in), contiguous, target :: id(:)
    integer, intent(out), contiguous, target, optional :: owner(:)
    integer(int64), intent(out), contiguous, target, optional :: place(:)
    type(*), intent(inout), target, contiguous, optional :: payload(..)
    integer(int64), intent(out), optional :: unknown
    integer, intent(out), optional :: status
    integer(c_int64_t), target :: not_there
    integer(c_int64_t) :: count
    integer(c_int) :: code
    type(c_ptr) :: owners, c_place, bytes
    count = size(id, kind=c_int64_t)
    owners = c_null_ptr
    c_place = c_null_ptr
    bytes = c_null_ptr
    if (present(owner)) then
      if (size(owner) /= size(id)) count = -1
      owners = c_loc(owner)
    end if
    if (present(place)) then
      if (size(place) /= size(id)) count = -1
      c_place = c_loc(place)
    end if
    if (present(payload)) bytes = c_loc(payload)
    not_there = 0
    code = c_directory_find(directory%handle, count, c_loc(id), owners, c_place, bytes, c_loc(not_there))
    if (present(place) .and. code == QDR_OK) place = place + 1
    if (present(unknown)) unknown = not_there
    call finish(code, status)
  end subroutine qdr_directory_find

  ! Collective, but does not wait.
  subroutine qdr_directory_start(directory, call_, pending, status)
    type(qdr_directory), intent(in) :: directory
    type(qdr_directory_call), intent(in) :: call_
    type(qdr_pending), intent(inout) :: pending
    integer, intent(out), optional :: status
    type(c_directory_call), target :: c
    c%verb = call_%verb
    if (associated(call_%id)) then
      c%count = size(call_%id, kind=c_int64_t)
      c%id = c_loc(call_%id)
    end if
    if (associated(call_%owner)) c%owner = c_loc(call_%owner)
    if (associated(call_%place)) c%place = c_loc(call_%place)
    if (associated(call_%found_owner)) c%found_owner = c_loc(call_%found_owner)
    if (associated(call_%found_place)) c%found_place = c_loc(call_%found_place)
    if (associated(call_%unknown)) c%unknown = c_loc(call_%unknown)
    c%payload = call_%payload
    c%found_payload = call_%found_payload
    call finish(c_directory_start_sized(directory%handle, c_loc(c), c_sizeof(c), pending%handle), status)
  end subroutine qdr_directory_start

  ! ---- resolving ------------------------------------------------------------------------------------------

  subroutine fill(options, c, method, boundary, how, texts)
    type(qdr_resolve_options), intent(in) :: options
    type(c_resolve_options), intent(inout) :: c
    character(:, c_char), allocatable, target, intent(inout) :: method
    integer(c_int64_t), allocatable, target, intent(inout) :: boundary(:)
    type(c_map_options), target, intent(inout) :: how
    type(map_texts), target, intent(inout) :: texts
    if (allocated(options%method)) c%method = optional_text(options%method, method)
    c%symmetric = flag(options%symmetric)
    if (allocated(options%boundary)) then
      allocate (boundary, source=places(options%boundary))
      c%boundaries = size(boundary, kind=c_int64_t)
      c%boundary = c_loc(boundary)
    end if
    c%limit = options%limit
    how = c_how(options%map, texts)
    c%map = c_loc(how)
  end subroutine fill

  ! Collective. Who owns what this rank needs (QDR_NOBODY: nobody), and where it lies there (0: nowhere).
  subroutine qdr_resolve(comm, own_id, need_id, owner, place, options, report, status)
    type(MPI_Comm), intent(in) :: comm
    integer(int64), intent(in), contiguous, target :: own_id(:), need_id(:)
    integer, intent(out), contiguous, target :: owner(:)
    integer(int64), intent(out), contiguous, target :: place(:)
    type(qdr_resolve_options), intent(in), optional :: options
    type(qdr_resolve_report), intent(out), target, optional :: report
    integer, intent(out), optional :: status
    type(c_resolve_options), target :: c
    type(c_map_options), target :: how
    type(map_texts), target :: texts
    character(:, c_char), allocatable, target :: method
    integer(c_int64_t), allocatable, target :: boundary(:)
    integer(c_int64_t) :: needed
    type(c_ptr) :: said
    integer(c_int) :: code
    c%size = c_sizeof(c)
    if (present(options)) call fill(options, c, method, boundary, how, texts)
    said = c_null_ptr
    if (present(report)) said = c_loc(report)
    needed = size(need_id, kind=c_int64_t)
    if (size(owner) /= size(need_id) .or. size(place) /= size(need_id)) needed = -1
    code = c_resolve_sized(comm_in(comm), size(own_id, kind=c_int64_t), c_loc(own_id), needed, c_loc(need_id), &
                           c_loc(c), c_loc(owner), c_loc(place), said, c_sizeof(qdr_resolve_report()))
    if (code == QDR_OK) place = place + 1
    call finish(code, status)
  end subroutine qdr_resolve

  ! Collective. The map that brings what is needed to element target(k), or k, of this rank's arrays.
  subroutine resolve_map_64(comm, own_id, need_id, map, target, options, status)
    type(MPI_Comm), intent(in) :: comm
    integer(int64), intent(in), contiguous, target :: own_id(:), need_id(:)
    type(qdr_map), intent(inout) :: map
    integer(int64), intent(in), optional :: target(:)
    type(qdr_resolve_options), intent(in), optional :: options
    integer, intent(out), optional :: status
    type(c_resolve_options), target :: c
    type(c_map_options), target :: how
    type(map_texts), target :: texts
    character(:, c_char), allocatable, target :: method
    integer(c_int64_t), allocatable, target :: boundary(:), to(:)
    integer(c_int64_t) :: needed
    type(c_ptr) :: there
    c%size = c_sizeof(c)
    if (present(options)) call fill(options, c, method, boundary, how, texts)
    needed = size(need_id, kind=c_int64_t)
    there = c_null_ptr
    if (present(target)) then
      if (size(target) /= size(need_id)) needed = -1
      allocate (to, source=places(target))
      there = c_loc(to)
    end if
    call finish(c_resolve_map(comm_in(comm), size(own_id, kind=c_int64_t), c_loc(own_id), needed, c_loc(need_id), &
                              there, c_loc(c), map%handle), status)
  end subroutine resolve_map_64

  subroutine resolve_map_32(comm, own_id, need_id, map, target, options, status)
    type(MPI_Comm), intent(in) :: comm
    integer(int32), intent(in) :: own_id(:), need_id(:)
    type(qdr_map), intent(inout) :: map
    integer(int32), intent(in), optional :: target(:)
    type(qdr_resolve_options), intent(in), optional :: options
    integer, intent(out), optional :: status
    if (present(target)) then
      call resolve_map_64(comm, int(own_id, int64), int(need_id, int64), map, int(target, int64), options, status)
    else
      call resolve_map_64(comm, int(own_id, int64), int(need_id, int64), map, options=options, status=status)
    end if
  end subroutine resolve_map_32

  ! Local. The index-th method, from 1; a name of no letters past the last.
  function qdr_resolve_method(index) result(info)
    integer, intent(in) :: index
    type(qdr_resolve_method_info) :: info
    type(c_resolve_method_info), pointer :: c
    type(c_ptr) :: line
    line = c_resolve_method(int(index - 1, c_int))
    info%name = ""
    if (.not. c_associated(line)) return
    call c_f_pointer(line, c)
    info%name = text_of(c%name)
    info%summary = text_of(c%summary)
    info%memory = text_of(c%memory)
  end function qdr_resolve_method

end module quadrille_directory
