! SPDX-License-Identifier: BSD-3-Clause
! Partners, and discovery: see quadrille/discover.h.
module quadrille_partners
  use quadrille_base
  use quadrille_pattern, only: qdr_pattern
  implicit none
  private
  public :: qdr_partners, qdr_partners_view, qdr_parcel, qdr_discovery_info
  public :: qdr_partners_from_sends, qdr_partners_from_receives, qdr_partners_from_both, qdr_partners_from_pattern
  public :: qdr_partners_destroy, qdr_partners_look, qdr_partners_gather, qdr_discover, qdr_discovery
  public :: partners_seen

  type :: qdr_partners
    type(c_ptr) :: handle = c_null_ptr
  end type qdr_partners

  ! To read as long as the partners live. Ranks count from 0; the lists begin at 1.
  type :: qdr_partners_view
    integer :: rank = 0, ranks = 0, sends = 0, receives = 0
    integer(c_int), pointer :: destination(:) => null(), source(:) => null()
    integer(c_int64_t), pointer :: send_items(:) => null(), receive_items(:) => null()
  end type qdr_partners_view

  ! What goes to a rank, or came from it.
  type :: qdr_parcel
    integer :: rank = 0
    integer(int8), allocatable :: bytes(:)
  end type qdr_parcel

  type :: qdr_discovery_info
    character(:), allocatable :: name, summary
  end type qdr_discovery_info

contains

  ! Collective. This rank sends items(i) items to destination(i); the sources are discovered.
  subroutine qdr_partners_from_sends(comm, destination, items, partners, method, status)
    type(MPI_Comm), intent(in) :: comm
    integer, intent(in), contiguous, target :: destination(:)
    integer(int64), intent(in), contiguous, target :: items(:)
    type(qdr_partners), intent(inout) :: partners
    character(*), intent(in), optional :: method
    integer, intent(out), optional :: status
    character(:, c_char), allocatable, target :: text
    call finish(c_partners_from_sends(comm_in(comm), common(size(destination), size(items)), c_loc(destination), &
                                      c_loc(items), optional_text(method, text), partners%handle), status)
  end subroutine qdr_partners_from_sends

  ! Collective. This rank needs items(i) items from source(i).
  subroutine qdr_partners_from_receives(comm, source, items, partners, method, status)
    type(MPI_Comm), intent(in) :: comm
    integer, intent(in), contiguous, target :: source(:)
    integer(int64), intent(in), contiguous, target :: items(:)
    type(qdr_partners), intent(inout) :: partners
    character(*), intent(in), optional :: method
    integer, intent(out), optional :: status
    character(:, c_char), allocatable, target :: text
    call finish(c_partners_from_receives(comm_in(comm), common(size(source), size(items)), c_loc(source), &
                                         c_loc(items), optional_text(method, text), partners%handle), status)
  end subroutine qdr_partners_from_receives

  ! Collective. Both sides are known, and are compared unless they are `trusted`.
  subroutine qdr_partners_from_both(comm, destination, send_items, source, receive_items, partners, trusted, status)
    type(MPI_Comm), intent(in) :: comm
    integer, intent(in), contiguous, target :: destination(:), source(:)
    integer(int64), intent(in), contiguous, target :: send_items(:), receive_items(:)
    type(qdr_partners), intent(inout) :: partners
    logical, intent(in), optional :: trusted
    integer, intent(out), optional :: status
    call finish(c_partners_from_both(comm_in(comm), common(size(destination), size(send_items)), &
                                     c_loc(destination), c_loc(send_items), &
                                     common(size(source), size(receive_items)), c_loc(source), &
                                     c_loc(receive_items), flag(trusted), partners%handle), status)
  end subroutine qdr_partners_from_both

  ! Collective. This rank's share of a pattern that every rank has.
  subroutine qdr_partners_from_pattern(comm, pattern, partners, status)
    type(MPI_Comm), intent(in) :: comm
    type(qdr_pattern), intent(in) :: pattern
    type(qdr_partners), intent(inout) :: partners
    integer, intent(out), optional :: status
    call finish(c_partners_from_pattern(comm_in(comm), pattern%handle, partners%handle), status)
  end subroutine qdr_partners_from_pattern

  ! Local.
  subroutine qdr_partners_destroy(partners)
    type(qdr_partners), intent(inout) :: partners
    call c_partners_destroy(partners%handle)
  end subroutine qdr_partners_destroy

  ! Local, free of cost. Valid as long as the partners.
  function qdr_partners_look(partners) result(view)
    type(qdr_partners), intent(in) :: partners
    type(qdr_partners_view) :: view
    type(c_partners_view), target :: c
    call c_partners_look_sized(partners%handle, c_loc(c), c_sizeof(c))
    view = partners_seen(c)
  end function qdr_partners_look

  function partners_seen(c) result(view)
    type(c_partners_view), intent(in) :: c
    type(qdr_partners_view) :: view
    view%rank = c%rank
    view%ranks = c%ranks
    view%sends = c%sends
    view%receives = c%receives
    call seen(c%destination, int(c%sends, c_int64_t), view%destination)
    call seen(c%send_items, int(c%sends, c_int64_t), view%send_items)
    call seen(c%source, int(c%receives, c_int64_t), view%source)
    call seen(c%receive_items, int(c%receives, c_int64_t), view%receive_items)
  end function partners_seen

  ! Collective. The whole matrix.
  subroutine qdr_partners_gather(partners, pattern, status)
    type(qdr_partners), intent(in) :: partners
    type(qdr_pattern), intent(inout) :: pattern
    integer, intent(out), optional :: status
    call finish(c_partners_gather(partners%handle, pattern%handle), status)
  end subroutine qdr_partners_gather

  ! Collective. Sends one parcel to each rank that is named, and learns who sent one to this rank.
  subroutine qdr_discover(comm, outgoing, incoming, method, status)
    type(MPI_Comm), intent(in) :: comm
    type(qdr_parcel), intent(in), target :: outgoing(:)
    type(qdr_parcel), allocatable, intent(out) :: incoming(:)
    character(*), intent(in), optional :: method
    integer, intent(out), optional :: status
    character(:, c_char), allocatable, target :: text
    type(c_parcel), allocatable, target :: out(:)
    type(c_parcel), pointer :: came(:)
    integer(int8), pointer :: bytes(:)
    integer(c_int), target :: arrived
    integer(c_int) :: code
    type(c_ptr) :: list
    integer :: i
    allocate (out(size(outgoing)))
    do i = 1, size(outgoing)
      out(i)%rank = outgoing(i)%rank
      if (.not. allocated(outgoing(i)%bytes)) cycle
      out(i)%bytes = size(outgoing(i)%bytes, kind=c_int64_t)
      if (out(i)%bytes > 0) out(i)%data = c_loc(outgoing(i)%bytes)
    end do
    arrived = 0
    list = c_null_ptr
    code = c_discover_sized(comm_in(comm), optional_text(method, text), size(out, kind=c_int), c_loc(out), &
                            c_loc(arrived), list, c_sizeof(c_parcel()))
    allocate (incoming(arrived))
    if (arrived > 0) then
      call c_f_pointer(list, came, [arrived])
      do i = 1, arrived
        incoming(i)%rank = came(i)%rank
        call c_f_pointer(came(i)%data, bytes, [came(i)%bytes])
        incoming(i)%bytes = bytes
      end do
    end if
    if (c_associated(list)) call c_free(list)
    call finish(code, status)
  end subroutine qdr_discover

  ! Local. The index-th method, from 1; a name of no letters past the last.
  function qdr_discovery(index) result(info)
    integer, intent(in) :: index
    type(qdr_discovery_info) :: info
    type(c_discovery_info), pointer :: c
    type(c_ptr) :: line
    line = c_discovery(int(index - 1, c_int))
    info%name = ""
    if (.not. c_associated(line)) return
    call c_f_pointer(line, c)
    info%name = text_of(c%name)
    info%summary = text_of(c%summary)
  end function qdr_discovery

end module quadrille_partners
