! SPDX-License-Identifier: BSD-3-Clause
! Layouts and regions: see quadrille/layout.h.
!
! Indices, places, numbers of elements and of regions count from 1; ranks from 0. In memory the first index varies fastest, unless `order` says
! otherwise. In regions, which say which element of another program's array belongs to which of this one's, it is the last one, as in
! all languages: so elements of the same index correspond.
module quadrille_layout
  use quadrille_base
  implicit none
  private
  public :: qdr_layout, qdr_region, qdr_axis, qdr_box, qdr_dereference_function
  public :: qdr_layout_regular, qdr_layout_boxes, qdr_layout_runs, qdr_layout_entries, qdr_layout_dereferenced
  public :: qdr_layout_destroy, qdr_layout_locate, qdr_layout_index, qdr_layout_share
  public :: qdr_region_create, qdr_region_add_box, qdr_region_add_list, qdr_region_all, qdr_region_destroy
  public :: qdr_region_elements, qdr_region_number, qdr_region_index

  type :: qdr_layout
    type(c_ptr) :: handle = c_null_ptr
  end type qdr_layout

  type :: qdr_region
    type(c_ptr) :: handle = c_null_ptr
  end type qdr_region

  ! One dimension, and how it is dealt out: QDR_WHOLE, QDR_BLOCK, QDR_CYCLIC or QDR_CUTS.
  type :: qdr_axis
    integer(int64) :: extent = 0
    integer :: spread = QDR_WHOLE, parts = 0
    integer(int64) :: block = 0, ghost_below = 0, ghost_above = 0
    integer(int64), allocatable :: cut(:) ! how many elements come before each part, and before the end
  end type qdr_axis

  ! One box of an array, and where it lies in the memory of the rank that states it: element `lower` at place `offset`.
  type :: qdr_box
    integer(int64), allocatable :: lower(:), upper(:), stride(:) ! upper is the last index
    integer(int64) :: offset = 1
  end type qdr_box

  abstract interface
    ! Writes owner and place, both from 0, of each element, which count from 0; returns 0 if it knows all of them.
    function qdr_dereference_function(context, count, element, owner, place) result(failed) bind(C)
      import
      type(c_ptr), value :: context
      integer(c_int64_t), value :: count
      integer(c_int64_t), intent(in) :: element(*)
      integer(c_int), intent(out) :: owner(*)
      integer(c_int64_t), intent(out) :: place(*)
      integer(c_int) :: failed
    end function qdr_dereference_function
  end interface

contains

  ! Local. `rank` says who has which part, in the order of the last index of the grid of parts varying fastest.
  subroutine qdr_layout_regular(axes, layout, order, stride, offset, rank, status)
    type(qdr_axis), intent(in), target :: axes(:)
    type(qdr_layout), intent(inout) :: layout
    integer, intent(in), optional :: order
    integer(int64), intent(in), contiguous, target, optional :: stride(:)
    integer(int64), intent(in), optional :: offset
    integer, intent(in), contiguous, target, optional :: rank(:)
    integer, intent(out), optional :: status
    type(c_axis), allocatable, target :: axis(:)
    type(c_storage), target :: storage
    integer :: i
    allocate (axis(size(axes)))
    do i = 1, size(axes)
      axis(i)%extent = axes(i)%extent
      axis(i)%spread = axes(i)%spread
      axis(i)%parts = axes(i)%parts
      axis(i)%block = axes(i)%block
      axis(i)%ghost_below = axes(i)%ghost_below
      axis(i)%ghost_above = axes(i)%ghost_above
      if (allocated(axes(i)%cut)) axis(i)%cut = c_loc(axes(i)%cut)
    end do
    storage%size = c_sizeof(storage)
    storage%order = QDR_COLUMN_MAJOR
    if (present(order)) storage%order = order
    if (present(stride)) storage%stride = c_loc(stride)
    if (present(offset)) storage%offset = offset
    if (present(rank)) storage%rank = c_loc(rank)
    call finish(c_layout_regular_sized(size(axes, kind=c_int), c_loc(axis), c_sizeof(c_axis()), c_loc(storage), &
                                       layout%handle), status)
  end subroutine qdr_layout_regular

  ! Local. This rank's boxes of an array of this extent.
  subroutine qdr_layout_boxes(extent, boxes, layout, order, status)
    integer(int64), intent(in), contiguous, target :: extent(:)
    type(qdr_box), intent(in) :: boxes(:)
    type(qdr_layout), intent(inout) :: layout
    integer, intent(in), optional :: order
    integer, intent(out), optional :: status
    type(c_box), allocatable, target :: box(:)
    integer(c_int64_t), allocatable, target :: corner(:, :, :)
    integer(c_int) :: way
    integer :: i, n
    n = size(extent)
    allocate (box(size(boxes)), corner(n, 3, size(boxes)))
    do i = 1, size(boxes)
      if (.not. is_of(boxes(i), n)) then
        call refuse("qdr_layout_boxes: a corner has another number of dimensions than the array", status)
        return
      end if
      corner(:, 1, i) = boxes(i)%lower - 1
      corner(:, 2, i) = boxes(i)%upper
      if (allocated(boxes(i)%stride)) corner(:, 3, i) = boxes(i)%stride
      box(i)%lower = c_loc(corner(1, 1, i))
      box(i)%upper = c_loc(corner(1, 2, i))
      if (allocated(boxes(i)%stride)) box(i)%stride = c_loc(corner(1, 3, i))
      box(i)%offset = boxes(i)%offset - 1
    end do
    way = QDR_COLUMN_MAJOR
    if (present(order)) way = order
    call finish(c_layout_boxes_sized(int(n, c_int), c_loc(extent), way, size(boxes, kind=c_int), c_loc(box), &
                                     c_sizeof(c_box()), layout%handle), status)
  end subroutine qdr_layout_boxes

  function is_of(box, dimensions) result(answer)
    type(qdr_box), intent(in) :: box
    integer, intent(in) :: dimensions
    logical :: answer
    answer = allocated(box%lower) .and. allocated(box%upper)
    if (answer) answer = size(box%lower) == dimensions .and. size(box%upper) == dimensions
    if (answer .and. allocated(box%stride)) answer = size(box%stride) == dimensions
  end function is_of

  ! Local. This rank owns the elements first(i), first(i) + 1 ..., count(i) of them, or one each. Elements are numbered with
  ! the last index varying fastest.
  subroutine qdr_layout_runs(extent, first, layout, count, status)
    integer(int64), intent(in), contiguous, target :: extent(:)
    integer(int64), intent(in) :: first(:)
    type(qdr_layout), intent(inout) :: layout
    integer(int64), intent(in), contiguous, target, optional :: count(:)
    integer, intent(out), optional :: status
    integer(c_int64_t), allocatable, target :: from(:)
    type(c_ptr) :: counts
    counts = c_null_ptr
    if (present(count)) then
      if (size(count) /= size(first)) then
        call refuse("qdr_layout_runs: first and count have different lengths", status)
        return
      end if
      counts = c_loc(count)
    end if
    allocate (from, source=places(first))
    call finish(c_layout_runs(size(extent, kind=c_int), c_loc(extent), size(first, kind=c_int64_t), c_loc(from), &
                              counts, layout%handle), status)
  end subroutine qdr_layout_runs

  ! Local. This rank states that element(i) is owned by owner(i), and lies at place(i) there.
  subroutine qdr_layout_entries(extent, element, owner, place, layout, status)
    integer(int64), intent(in), contiguous, target :: extent(:)
    integer(int64), intent(in) :: element(:), place(:)
    integer, intent(in), contiguous, target :: owner(:)
    type(qdr_layout), intent(inout) :: layout
    integer, intent(out), optional :: status
    integer(c_int64_t), allocatable, target :: what(:), at(:)
    if (size(owner) /= size(element) .or. size(place) /= size(element)) then
      call refuse("qdr_layout_entries: element, owner and place have different lengths", status)
      return
    end if
    allocate (what, source=places(element))
    allocate (at, source=places(place))
    call finish(c_layout_entries(size(extent, kind=c_int), c_loc(extent), size(element, kind=c_int64_t), &
                                 c_loc(what), c_loc(owner), c_loc(at), layout%handle), status)
  end subroutine qdr_layout_entries

  ! Local. This rank states what the function says of `count` elements from `first` on.
  subroutine qdr_layout_dereferenced(extent, first, count, ask, layout, context, status)
    integer(int64), intent(in), contiguous, target :: extent(:)
    integer(int64), intent(in) :: first, count
    procedure(qdr_dereference_function) :: ask
    type(qdr_layout), intent(inout) :: layout
    type(c_ptr), intent(in), optional :: context
    integer, intent(out), optional :: status
    type(c_ptr) :: given
    given = c_null_ptr
    if (present(context)) given = context
    call finish(c_layout_dereferenced(size(extent, kind=c_int), c_loc(extent), first - 1, count, c_funloc(ask), given, &
                                      layout%handle), status)
  end subroutine qdr_layout_dereferenced

  ! Local.
  subroutine qdr_layout_destroy(layout)
    type(qdr_layout), intent(inout) :: layout
    call c_layout_destroy(layout%handle)
  end subroutine qdr_layout_destroy

  ! Local. The owner of an element, and its place there.
  subroutine qdr_layout_locate(layout, index, rank, place, status)
    type(qdr_layout), intent(in) :: layout
    integer(int64), intent(in) :: index(:)
    integer, intent(out) :: rank
    integer(int64), intent(out) :: place
    integer, intent(out), optional :: status
    integer(c_int64_t), allocatable, target :: from_zero(:)
    integer(c_int), target :: who
    integer(c_int64_t), target :: at
    integer(c_int) :: code
    allocate (from_zero, source=places(index))
    who = QDR_HERE
    at = -1
    code = c_layout_locate(layout%handle, c_loc(from_zero), c_loc(who), c_loc(at))
    rank = who
    place = at + 1
    call finish(code, status)
  end subroutine qdr_layout_locate

  ! Local. Which element lies there.
  subroutine qdr_layout_index(layout, rank, place, index, status)
    type(qdr_layout), intent(in) :: layout
    integer, intent(in) :: rank
    integer(int64), intent(in) :: place
    integer(int64), intent(out), contiguous, target :: index(:)
    integer, intent(out), optional :: status
    integer(c_int) :: code
    index = 0
    code = c_layout_index(layout%handle, int(rank, c_int), place - 1, c_loc(index))
    if (code == QDR_OK) index = index + 1
    call finish(code, status)
  end subroutine qdr_layout_index

  ! Local. How many elements a rank owns, and how many its memory must have room for.
  subroutine qdr_layout_share(layout, rank, elements, room, status)
    type(qdr_layout), intent(in) :: layout
    integer, intent(in) :: rank
    integer(int64), intent(out), target :: elements, room
    integer, intent(out), optional :: status
    elements = 0
    room = 0
    call finish(c_layout_share(layout%handle, int(rank, c_int), c_loc(elements), c_loc(room)), status)
  end subroutine qdr_layout_share

  ! ---- regions --------------------------------------------------------------------------------------------

  ! Local.
  subroutine qdr_region_create(dimensions, region, order, status)
    integer, intent(in) :: dimensions
    type(qdr_region), intent(inout) :: region
    integer, intent(in), optional :: order
    integer, intent(out), optional :: status
    integer(c_int) :: way
    way = QDR_ROW_MAJOR
    if (present(order)) way = order
    call finish(c_region_create(int(dimensions, c_int), way, region%handle), status)
  end subroutine qdr_region_create

  ! Local. The elements lower:upper:stride of each dimension.
  subroutine qdr_region_add_box(region, lower, upper, stride, status)
    type(qdr_region), intent(in) :: region
    integer(int64), intent(in) :: lower(:)
    integer(int64), intent(in), contiguous, target :: upper(:)
    integer(int64), intent(in), contiguous, target, optional :: stride(:)
    integer, intent(out), optional :: status
    integer(c_int64_t), allocatable, target :: from(:)
    type(c_ptr) :: steps
    logical :: is_right
    is_right = size(lower) == size(upper)
    steps = c_null_ptr
    if (present(stride)) then
      is_right = is_right .and. size(stride) == size(lower)
      steps = c_loc(stride)
    end if
    if (.not. is_right) then
      call refuse("qdr_region_add_box: the corners have different numbers of dimensions", status)
      return
    end if
    allocate (from, source=places(lower))
    call finish(c_region_add_box(region%handle, c_loc(from), c_loc(upper), steps), status)
  end subroutine qdr_region_add_box

  ! Local. index(:, i) is the i-th element.
  subroutine qdr_region_add_list(region, index, status)
    type(qdr_region), intent(in) :: region
    integer(int64), intent(in) :: index(:, :)
    integer, intent(out), optional :: status
    integer(c_int64_t), allocatable, target :: from_zero(:, :)
    allocate (from_zero, source=index - 1)
    call finish(c_region_add_list(region%handle, size(index, 2, kind=c_int64_t), c_loc(from_zero)), status)
  end subroutine qdr_region_add_list

  ! Local. The whole array.
  subroutine qdr_region_all(layout, region, order, status)
    type(qdr_layout), intent(in) :: layout
    type(qdr_region), intent(inout) :: region
    integer, intent(in), optional :: order
    integer, intent(out), optional :: status
    integer(c_int) :: way
    way = QDR_ROW_MAJOR
    if (present(order)) way = order
    call finish(c_region_all(layout%handle, way, region%handle), status)
  end subroutine qdr_region_all

  ! Local.
  subroutine qdr_region_destroy(region)
    type(qdr_region), intent(inout) :: region
    call c_region_destroy(region%handle)
  end subroutine qdr_region_destroy

  ! Local, free of cost.
  function qdr_region_elements(region) result(elements)
    type(qdr_region), intent(in) :: region
    integer(int64) :: elements
    elements = c_region_elements(region%handle)
  end function qdr_region_elements

  ! Local. The number of an element in a region.
  subroutine qdr_region_number(region, index, number, status)
    type(qdr_region), intent(in) :: region
    integer(int64), intent(in) :: index(:)
    integer(int64), intent(out) :: number
    integer, intent(out), optional :: status
    integer(c_int64_t), allocatable, target :: from_zero(:)
    integer(c_int64_t), target :: found
    integer(c_int) :: code
    allocate (from_zero, source=places(index))
    found = -1
    code = c_region_number(region%handle, c_loc(from_zero), c_loc(found))
    number = found + 1
    call finish(code, status)
  end subroutine qdr_region_number

  ! Local. Which element has that number.
  subroutine qdr_region_index(region, number, index, status)
    type(qdr_region), intent(in) :: region
    integer(int64), intent(in) :: number
    integer(int64), intent(out), contiguous, target :: index(:)
    integer, intent(out), optional :: status
    integer(c_int) :: code
    index = 0
    code = c_region_index(region%handle, number - 1, c_loc(index))
    if (code == QDR_OK) index = index + 1
    call finish(code, status)
  end subroutine qdr_region_index

end module quadrille_layout
