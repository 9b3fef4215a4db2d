! SPDX-License-Identifier: BSD-3-Clause
! Maps: see quadrille/map.h.
!
! Places are numbers of elements of the program's arrays, and so the first is 1.
module quadrille_map
  use quadrille_base, qdr_field => c_field
  use quadrille_partners, only: qdr_partners_view, partners_seen
  use quadrille_pending, only: qdr_pending
  use quadrille_plan, only: qdr_plan, qdr_plan_options, c_options, plan_texts
  implicit none
  private
  public :: qdr_map, qdr_map_options, qdr_indices, qdr_boxes, qdr_field, qdr_combine_function
  public :: qdr_flat, qdr_grouped, qdr_box_list, qdr_map_create, qdr_map_from_boxes, qdr_map_relist, qdr_map_destroy
  public :: qdr_map_look, qdr_map_plan, qdr_map_reach, qdr_field_of, qdr_field_varying, qdr_map_exchange, qdr_map_start
  public :: qdr_map_incoming, qdr_map_ghost_places, qdr_map_ghosts, map_texts, c_how

  type :: qdr_map
    type(c_ptr) :: handle = c_null_ptr
  end type qdr_map

  abstract interface
    ! For each of `count` elements of `bytes` bytes, combines what came into what is there.
    subroutine qdr_combine_function(context, into, from, count, bytes) bind(C)
      import
      type(c_ptr), value :: context, into, from
      integer(c_int64_t), value :: count, bytes
    end subroutine qdr_combine_function
  end interface

  type :: qdr_map_options
    type(qdr_plan_options) :: plan
    character(:), allocatable :: discovery
    integer :: reverse = 0 ! QDR_REVERSE_COMBINE or QDR_REVERSE_REPLACE, if there will be exchanges in reverse
    logical :: unordered = .false., keeps_incoming = .false., trusted = .false.
  end type qdr_map_options

  ! Options as C has them, with what they point to.
  type :: map_texts
    type(c_plan_options) :: plan
    type(plan_texts) :: texts
    character(:, c_char), allocatable :: discovery
  end type map_texts

  ! One side of a map: made by qdr_flat or qdr_grouped.
  type :: qdr_indices
    logical :: is_grouped = .false.
    integer(c_int), allocatable :: rank(:)
    integer(c_int64_t), allocatable :: count(:), place(:), partner_place(:)
    logical :: is_wrong = .false.
  end type qdr_indices

  interface qdr_flat
    module procedure flat_32, flat_64
  end interface qdr_flat
  interface qdr_grouped
    module procedure grouped_32, grouped_64
  end interface qdr_grouped

  ! Boxes of this rank's array, each with one partner: made by qdr_box_list.
  type :: qdr_boxes
    integer(c_int), allocatable :: rank(:)
    integer(c_int64_t), allocatable :: extent(:), lower(:, :), count(:, :)
  end type qdr_boxes

  ! Of one field, or of several.
  interface qdr_map_exchange
    module procedure exchange_array, exchange_fields
  end interface qdr_map_exchange

contains

  ! ---- lists ----------------------------------------------------------------------------------------------

  ! Link k is with link_rank(k): its element here, and the one there. Without `place` they are 1, 2, 3 ...; without
  ! `partner_place` the partner states its own.
  function flat_64(link_rank, place, partner_place) result(side)
    integer, intent(in) :: link_rank(:)
    integer(int64), intent(in), optional :: place(:), partner_place(:)
    type(qdr_indices) :: side
    allocate (side%rank, source=link_rank)
    if (present(place)) allocate (side%place, source=places(place))
    if (present(partner_place)) allocate (side%partner_place, source=places(partner_place))
    call judge(side, size(link_rank, kind=c_int64_t))
  end function flat_64

  function flat_32(link_rank, place, partner_place) result(side)
    integer, intent(in) :: link_rank(:)
    integer(int32), intent(in) :: place(:)
    integer(int32), intent(in), optional :: partner_place(:)
    type(qdr_indices) :: side
    allocate (side%rank, source=link_rank)
    allocate (side%place, source=places(place))
    if (present(partner_place)) allocate (side%partner_place, source=places(partner_place))
    call judge(side, size(link_rank, kind=c_int64_t))
  end function flat_32

  ! Partner i has count(i) links, one group after the other.
  function grouped_64(rank, count, place, partner_place) result(side)
    integer, intent(in) :: rank(:)
    integer(int64), intent(in) :: count(:)
    integer(int64), intent(in), optional :: place(:), partner_place(:)
    type(qdr_indices) :: side
    side%is_grouped = .true.
    allocate (side%rank, source=rank)
    allocate (side%count, source=int(count, c_int64_t))
    if (present(place)) allocate (side%place, source=places(place))
    if (present(partner_place)) allocate (side%partner_place, source=places(partner_place))
    call judge(side, sum(count))
    side%is_wrong = side%is_wrong .or. size(rank) /= size(count)
  end function grouped_64

  function grouped_32(rank, count, place, partner_place) result(side)
    integer, intent(in) :: rank(:)
    integer(int32), intent(in) :: count(:)
    integer(int32), intent(in), optional :: place(:), partner_place(:)
    type(qdr_indices) :: side
    side%is_grouped = .true.
    allocate (side%rank, source=rank)
    allocate (side%count, source=int(count, c_int64_t))
    if (present(place)) allocate (side%place, source=places(place))
    if (present(partner_place)) allocate (side%partner_place, source=places(partner_place))
    call judge(side, sum(int(count, c_int64_t)))
    side%is_wrong = side%is_wrong .or. size(rank) /= size(count)
  end function grouped_32

  ! Whether lists that belong together have one length.
  subroutine judge(side, links)
    type(qdr_indices), intent(inout) :: side
    integer(c_int64_t), intent(in) :: links
    if (allocated(side%place)) side%is_wrong = size(side%place, kind=c_int64_t) /= links
    if (allocated(side%partner_place)) &
      side%is_wrong = side%is_wrong .or. size(side%partner_place, kind=c_int64_t) /= links
  end subroutine judge

  function c_side(side) result(c)
    type(qdr_indices), intent(in), target :: side
    type(c_indices) :: c
    if (side%is_grouped) then
      c%partners = merge(-1, size(side%rank), side%is_wrong) ! which C refuses for all
      c%rank = c_loc(side%rank)
      c%count = c_loc(side%count)
    else
      c%links = merge(-1_c_int64_t, size(side%rank, kind=c_int64_t), side%is_wrong)
      c%link_rank = c_loc(side%rank)
    end if
    if (allocated(side%place)) c%place = c_loc(side%place)
    if (allocated(side%partner_place)) c%partner_place = c_loc(side%partner_place)
  end function c_side

  ! lower(:, i) and count(:, i) are of the i-th box, with the partner rank(i); the lowest index of an array is 1.
  function qdr_box_list(extent, rank, lower, count) result(side)
    integer(int64), intent(in) :: extent(:), lower(:, :), count(:, :)
    integer, intent(in) :: rank(:)
    type(qdr_boxes) :: side
    allocate (side%extent, source=extent)
    allocate (side%rank, source=rank)
    allocate (side%lower, source=lower - 1)
    allocate (side%count, source=int(count, c_int64_t))
  end function qdr_box_list

  function c_box_side(side) result(c)
    type(qdr_boxes), intent(in), target :: side
    type(c_boxes) :: c
    logical :: is_right
    is_right = all(shape(side%lower) == [size(side%extent), size(side%rank)]) .and. &
               all(shape(side%count) == shape(side%lower))
    c%dimensions = merge(size(side%extent), -1, is_right)
    c%extent = c_loc(side%extent)
    c%boxes = size(side%rank)
    c%rank = c_loc(side%rank)
    c%lower = c_loc(side%lower)
    c%count = c_loc(side%count)
    c%order = QDR_COLUMN_MAJOR
  end function c_box_side

  function c_how(options, texts) result(c)
    type(qdr_map_options), intent(in) :: options
    type(map_texts), intent(inout), target :: texts
    type(c_map_options) :: c
    texts%plan = c_options(options%plan, texts%texts)
    c%size = c_sizeof(c)
    c%plan = c_loc(texts%plan)
    if (allocated(options%discovery)) c%discovery = optional_text(options%discovery, texts%discovery)
    c%reverse = options%reverse
    c%unordered = flag(options%unordered)
    c%keeps_incoming = flag(options%keeps_incoming)
    c%trusted = flag(options%trusted)
  end function c_how

  ! ---- making one -----------------------------------------------------------------------------------------

  ! Collective. All ranks give the same sides; one that is left out is discovered.
  subroutine qdr_map_create(comm, map, sends, receives, options, status)
    type(MPI_Comm), intent(in) :: comm
    type(qdr_map), intent(inout) :: map
    type(qdr_indices), intent(in), target, optional :: sends, receives
    type(qdr_map_options), intent(in), optional :: options
    integer, intent(out), optional :: status
    type(c_indices), target :: out, in
    type(c_map_options), target :: how
    type(map_texts), target :: texts
    type(c_ptr) :: send_side, receive_side
    send_side = c_null_ptr
    receive_side = c_null_ptr
    how%size = c_sizeof(how)
    if (present(options)) how = c_how(options, texts)
    if (present(sends)) then
      out = c_side(sends)
      send_side = c_loc(out)
    end if
    if (present(receives)) then
      in = c_side(receives)
      receive_side = c_loc(in)
    end if
    call finish(c_map_create_sized(comm_in(comm), send_side, receive_side, c_sizeof(out), c_loc(how), map%handle), &
                status)
  end subroutine qdr_map_create

  ! Collective. Both sides as boxes of arrays whose first index varies fastest.
  subroutine qdr_map_from_boxes(comm, sends, receives, map, options, status)
    type(MPI_Comm), intent(in) :: comm
    type(qdr_boxes), intent(in), target :: sends, receives
    type(qdr_map), intent(inout) :: map
    type(qdr_map_options), intent(in), optional :: options
    integer, intent(out), optional :: status
    type(c_boxes), target :: out, in
    type(c_map_options), target :: how
    type(map_texts), target :: texts
    how%size = c_sizeof(how)
    if (present(options)) how = c_how(options, texts)
    out = c_box_side(sends)
    in = c_box_side(receives)
    call finish(c_map_from_boxes_sized(comm_in(comm), c_loc(out), c_loc(in), c_sizeof(out), c_loc(how), map%handle), &
                status)
  end subroutine qdr_map_from_boxes

  ! Local. Other lists for the same partners; a side that is left out stays as it is.
  subroutine qdr_map_relist(map, sends, receives, status)
    type(qdr_map), intent(in) :: map
    type(qdr_indices), intent(in), target, optional :: sends, receives
    integer, intent(out), optional :: status
    type(c_indices), target :: out, in
    type(c_ptr) :: send_side, receive_side
    send_side = c_null_ptr
    receive_side = c_null_ptr
    if (present(sends)) then
      out = c_side(sends)
      send_side = c_loc(out)
    end if
    if (present(receives)) then
      in = c_side(receives)
      receive_side = c_loc(in)
    end if
    call finish(c_map_relist_sized(map%handle, send_side, receive_side, c_sizeof(out)), status)
  end subroutine qdr_map_relist

  ! Local.
  subroutine qdr_map_destroy(map, status)
    type(qdr_map), intent(inout) :: map
    integer, intent(out), optional :: status
    call finish(c_map_destroy(map%handle), status)
  end subroutine qdr_map_destroy

  ! Local. Partners and counts, until the next relist.
  function qdr_map_look(map) result(view)
    type(qdr_map), intent(in) :: map
    type(qdr_partners_view) :: view
    type(c_partners_view), target :: c
    call c_map_look_sized(map%handle, c_loc(c), c_sizeof(c))
    view = partners_seen(c)
  end function qdr_map_look

  ! Local. How many elements arrays must have room for: those that are sent from, and those that are received into.
  subroutine qdr_map_reach(map, sends, receives)
    type(qdr_map), intent(in) :: map
    integer(int64), intent(out), target :: sends, receives
    call c_map_reach(map%handle, c_loc(sends), c_loc(receives))
  end subroutine qdr_map_reach

  ! Local. The plan behind it, to look at: not to be destroyed.
  function qdr_map_plan(map, direction) result(plan)
    type(qdr_map), intent(in) :: map
    integer, intent(in) :: direction
    type(qdr_plan) :: plan
    plan%handle = c_map_plan(map%handle, int(direction, c_int))
  end function qdr_map_plan

  ! ---- running it -----------------------------------------------------------------------------------------

  ! One array, or two, of `width` values per element, for an exchange of several fields or one that is started: they are
  ! borrowed, and have the attribute target.
  function qdr_field_of(type, source, target, width, operation, combine, context, source_stride, target_stride) result(field)
    integer, intent(in) :: type
    type(*), intent(in), target :: source(..)
    type(*), intent(inout), target, optional :: target(..)
    integer, intent(in), optional :: width, operation
    procedure(qdr_combine_function), optional :: combine
    type(c_ptr), intent(in), optional :: context
    integer(int64), intent(in), optional :: source_stride, target_stride ! bytes
    type(qdr_field) :: field
    field%type = type
    field%width = 1
    if (present(width)) field%width = width
    if (present(operation)) field%operation = operation
    field%source = c_loc(source)
    field%target = field%source
    if (present(target)) field%target = c_loc(target)
    if (.not. is_contiguous(source)) field%type = 0
    if (present(target)) then
      if (.not. is_contiguous(target)) field%type = 0
    end if
    if (present(combine)) then
      field%operation = QDR_COMBINE
      field%combine = c_funloc(combine)
    end if
    if (present(context)) field%context = context
    if (present(source_stride)) field%source_stride = source_stride
    if (present(target_stride)) field%target_stride = target_stride
  end function qdr_field_of

  ! Element e lies at the bytes start(e) to below start(e + 1), which count from 0.
  function qdr_field_varying(source, source_start, target, target_start) result(field)
    type(*), intent(in), target :: source(..)
    type(*), intent(inout), target :: target(..)
    integer(int64), intent(in), contiguous, target :: source_start(:), target_start(:)
    type(qdr_field) :: field
    field%source = c_loc(source)
    field%target = c_loc(target)
    field%type = QDR_BYTE
    field%source_start = c_loc(source_start)
    field%target_start = c_loc(target_start)
  end function qdr_field_varying

  ! Local. One array on both sides, or two. `type` is QDR_DOUBLE and so on; `direction` is QDR_FORWARD or QDR_REVERSE.
  subroutine exchange_array(map, type, source, target, width, operation, direction, status)
    type(qdr_map), intent(in) :: map
    integer, intent(in) :: type
    type(*), intent(inout), target :: source(..)
    type(*), intent(inout), target, optional :: target(..)
    integer, intent(in), optional :: width, operation, direction
    integer, intent(out), optional :: status
    type(qdr_field), target :: field
    integer(c_int) :: way
    if (.not. is_contiguous(source)) then
      call refuse("qdr_map_exchange: an array is not contiguous in memory", status)
      return
    end if
    field%source = c_loc(source)
    field%target = field%source
    if (present(target)) then
      if (.not. is_contiguous(target)) then
        call refuse("qdr_map_exchange: an array is not contiguous in memory", status)
        return
      end if
      field%target = c_loc(target)
    end if
    field%type = type
    field%width = 1
    if (present(width)) field%width = width
    if (present(operation)) field%operation = operation
    way = QDR_FORWARD
    if (present(direction)) way = direction
    call finish(c_map_exchange_sized(map%handle, way, 1_c_int, c_loc(field), c_sizeof(field)), status)
  end subroutine exchange_array

  ! Local. Several fields in one message per partner.
  subroutine exchange_fields(map, fields, direction, status)
    type(qdr_map), intent(in) :: map
    type(qdr_field), intent(in), contiguous, target :: fields(:)
    integer, intent(in), optional :: direction
    integer, intent(out), optional :: status
    integer(c_int) :: way
    way = QDR_FORWARD
    if (present(direction)) way = direction
    call finish(c_map_exchange_sized(map%handle, way, size(fields, kind=c_int), c_loc(fields), &
                                     c_sizeof(qdr_field())), status)
  end subroutine exchange_fields

  ! Local. The arrays of the fields are borrowed until it has ended.
  subroutine qdr_map_start(map, fields, pending, direction, status)
    type(qdr_map), intent(in) :: map
    type(qdr_field), intent(in), contiguous, target :: fields(:)
    type(qdr_pending), intent(inout) :: pending
    integer, intent(in), optional :: direction
    integer, intent(out), optional :: status
    integer(c_int) :: way
    way = QDR_FORWARD
    if (present(direction)) way = direction
    call finish(c_map_start_sized(map%handle, way, size(fields, kind=c_int), c_loc(fields), c_sizeof(qdr_field()), &
                                  pending%handle), status)
  end subroutine qdr_map_start

  ! ---- what is kept where it arrived ------------------------------------------------------------------------

  ! Local. What came of one field from a partner, both counted from 1, for c_f_pointer.
  function qdr_map_incoming(map, source, field, direction) result(address)
    type(qdr_map), intent(in) :: map
    integer, intent(in) :: source, field
    integer, intent(in), optional :: direction
    type(c_ptr) :: address
    integer(c_int) :: way
    way = QDR_FORWARD
    if (present(direction)) way = direction
    address = c_map_incoming(map%handle, way, int(source - 1, c_int), int(field - 1, c_int))
  end function qdr_map_incoming

  ! Local. Link k of a flat list is element position(k) of what comes from the source(k)-th partner, both from 1.
  subroutine qdr_map_ghost_places(map, link_rank, source, position, direction, status)
    type(qdr_map), intent(in) :: map
    integer, intent(in), contiguous, target :: link_rank(:)
    integer, allocatable, intent(out) :: source(:)
    integer(int64), allocatable, intent(out) :: position(:)
    integer, intent(in), optional :: direction
    integer, intent(out), optional :: status
    integer(c_int), allocatable, target :: from(:)
    integer(c_int64_t), allocatable, target :: at(:)
    integer(c_int) :: way, code
    allocate (from(size(link_rank)), at(size(link_rank)))
    from = 0
    at = 0
    way = QDR_FORWARD
    if (present(direction)) way = direction
    code = c_map_ghost_places(map%handle, way, size(link_rank, kind=c_int64_t), c_loc(link_rank), c_loc(from), c_loc(at))
    source = from + 1
    position = at + 1
    call finish(code, status)
  end subroutine qdr_map_ghost_places

  ! Local. After an exchange: where these elements of one field lie.
  subroutine qdr_map_ghosts(map, field, source, position, ghost, direction, status)
    type(qdr_map), intent(in) :: map
    integer, intent(in) :: field
    integer, intent(in) :: source(:)
    integer(int64), intent(in) :: position(:)
    type(c_ptr), allocatable, target, intent(out) :: ghost(:)
    integer, intent(in), optional :: direction
    integer, intent(out), optional :: status
    integer(c_int), allocatable, target :: from(:)
    integer(c_int64_t), allocatable, target :: at(:)
    integer(c_int) :: way
    allocate (ghost(size(source)))
    ghost = c_null_ptr
    if (size(position) /= size(source)) then
      call refuse("qdr_map_ghosts: source and position have different lengths", status)
      return
    end if
    from = source - 1
    at = position - 1
    way = QDR_FORWARD
    if (present(direction)) way = direction
    call finish(c_map_ghosts(map%handle, way, int(field - 1, c_int), size(source, kind=c_int64_t), c_loc(from), &
                             c_loc(at), c_loc(ghost)), status)
  end subroutine qdr_map_ghosts

end module quadrille_map
