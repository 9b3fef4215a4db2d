! SPDX-License-Identifier: BSD-3-Clause
! Deliveries, all-to-all and broadcast: see quadrille/deliver.h and quadrille/collectives.h.
module quadrille_deliver
  use quadrille_base
  use quadrille_pending, only: qdr_pending
  implicit none
  private
  public :: qdr_arrivals, qdr_allocate_function, qdr_deliver, qdr_deliver_grouped, qdr_deliver_start, qdr_arrivals_free
  public :: qdr_arrivals_count, qdr_arrivals_data, qdr_arrivals_sources
  public :: qdr_alltoall, qdr_alltoall_start, qdr_broadcast, qdr_prepare

  abstract interface
    ! Memory for so many bytes, aligned to 16; c_null_ptr: there is none.
    function qdr_allocate_function(context, bytes) result(memory) bind(C)
      import
      type(c_ptr), value :: context
      integer(c_int64_t), value :: bytes
      type(c_ptr) :: memory
    end function qdr_allocate_function
  end interface

  ! What has come. It stays where it is while a delivery is under way, and is freed by qdr_arrivals_free.
  type :: qdr_arrivals
    type(c_arrivals) :: came
  end type qdr_arrivals

contains

  ! ---- deliveries -----------------------------------------------------------------------------------------

  ! Collective. Item i, of item_bytes bytes, goes to destination(i).
  subroutine qdr_deliver(comm, item_bytes, items, destination, arrivals, status)
    type(MPI_Comm), intent(in) :: comm
    integer, intent(in) :: item_bytes
    type(*), intent(in), target :: items(..)
    integer, intent(in), contiguous, target :: destination(:)
    type(qdr_arrivals), intent(inout), target :: arrivals
    integer, intent(out), optional :: status
    type(c_items), target :: c
    c = each(item_bytes, items, destination)
    call finish(c_deliver_sized(comm_in(comm), c_loc(c), c_sizeof(c), c_loc(arrivals%came), c_sizeof(arrivals%came)), &
                status)
  end subroutine qdr_deliver

  function each(item_bytes, items, destination) result(c)
    integer, intent(in) :: item_bytes
    type(*), intent(in), target :: items(..)
    integer, intent(in), contiguous, target :: destination(:)
    type(c_items) :: c
    c%item_bytes = item_bytes
    c%data = c_loc(items)
    c%count = merge(size(destination, kind=c_int64_t), -1_c_int64_t, is_contiguous(items))
    c%destination = c_loc(destination)
  end function each

  ! Collective. Groups of items, one after the other: count(i) of them go to rank(i).
  subroutine qdr_deliver_grouped(comm, item_bytes, items, rank, count, arrivals, status)
    type(MPI_Comm), intent(in) :: comm
    integer, intent(in) :: item_bytes
    type(*), intent(in), target :: items(..)
    integer, intent(in), contiguous, target :: rank(:)
    integer(int64), intent(in), contiguous, target :: count(:)
    type(qdr_arrivals), intent(inout), target :: arrivals
    integer, intent(out), optional :: status
    type(c_items), target :: c
    c%item_bytes = item_bytes
    c%data = c_loc(items)
    c%groups = common(size(rank), size(count))
    if (.not. is_contiguous(items)) c%groups = -1
    c%rank = c_loc(rank)
    c%items = c_loc(count)
    call finish(c_deliver_sized(comm_in(comm), c_loc(c), c_sizeof(c), c_loc(arrivals%came), c_sizeof(arrivals%came)), &
                status)
  end subroutine qdr_deliver_grouped

  ! Collective. The same without waiting for the data. Items, destinations and arrivals are borrowed until it has ended.
  subroutine qdr_deliver_start(comm, item_bytes, items, destination, arrivals, pending, status)
    type(MPI_Comm), intent(in) :: comm
    integer, intent(in) :: item_bytes
    type(*), intent(in), target, asynchronous :: items(..)
    integer, intent(in), contiguous, target, asynchronous :: destination(:)
    type(qdr_arrivals), intent(inout), target :: arrivals
    type(qdr_pending), intent(inout) :: pending
    integer, intent(out), optional :: status
    type(c_items), target :: c
    c = each(item_bytes, items, destination)
    call finish(c_deliver_start_sized(comm_in(comm), c_loc(c), c_sizeof(c), c_loc(arrivals%came), &
                                      c_sizeof(arrivals%came), pending%handle), status)
  end subroutine qdr_deliver_start

  ! Local. How many items have come.
  function qdr_arrivals_count(arrivals) result(count)
    type(qdr_arrivals), intent(in) :: arrivals
    integer(int64) :: count
    count = arrivals%came%count
  end function qdr_arrivals_count

  ! Local. Where they lie, for c_f_pointer.
  function qdr_arrivals_data(arrivals) result(address)
    type(qdr_arrivals), intent(in) :: arrivals
    type(c_ptr) :: address
    address = arrivals%came%data
  end function qdr_arrivals_data

  ! Local. From which ranks, rising, and how many from each; until the next delivery.
  subroutine qdr_arrivals_sources(arrivals, source, items)
    type(qdr_arrivals), intent(in) :: arrivals
    integer(c_int), pointer, intent(out) :: source(:)
    integer(c_int64_t), pointer, intent(out) :: items(:)
    call seen(arrivals%came%source, int(arrivals%came%sources, c_int64_t), source)
    call seen(arrivals%came%items, int(arrivals%came%sources, c_int64_t), items)
  end subroutine qdr_arrivals_sources

  ! Local.
  subroutine qdr_arrivals_free(arrivals)
    type(qdr_arrivals), intent(inout), target :: arrivals
    call c_arrivals_free_sized(c_loc(arrivals%came), c_sizeof(arrivals%came))
  end subroutine qdr_arrivals_free

  ! ---- all-to-all and broadcast -----------------------------------------------------------------------------

  ! Collective. The block of `bytes` bytes for each rank goes there.
  subroutine qdr_alltoall(comm, bytes, outgoing, incoming, algorithm, status)
    type(MPI_Comm), intent(in) :: comm
    integer(int64), intent(in) :: bytes
    type(*), intent(in), target :: outgoing(..)
    type(*), intent(inout), target :: incoming(..)
    character(*), intent(in), optional :: algorithm
    integer, intent(out), optional :: status
    character(:, c_char), allocatable, target :: text
    integer(c_int64_t) :: block
    block = merge(bytes, -1_c_int64_t, is_contiguous(outgoing) .and. is_contiguous(incoming))
    call finish(c_alltoall(comm_in(comm), optional_text(algorithm, text), block, c_loc(outgoing), c_loc(incoming)), &
                status)
  end subroutine qdr_alltoall

  ! Collective. The same without waiting for the end.
  subroutine qdr_alltoall_start(comm, bytes, outgoing, incoming, pending, algorithm, status)
    type(MPI_Comm), intent(in) :: comm
    integer(int64), intent(in) :: bytes
    type(*), intent(in), target, asynchronous :: outgoing(..)
    type(*), intent(inout), target, asynchronous :: incoming(..)
    type(qdr_pending), intent(inout) :: pending
    character(*), intent(in), optional :: algorithm
    integer, intent(out), optional :: status
    character(:, c_char), allocatable, target :: text
    integer(c_int64_t) :: block
    block = merge(bytes, -1_c_int64_t, is_contiguous(outgoing) .and. is_contiguous(incoming))
    call finish(c_alltoall_start(comm_in(comm), optional_text(algorithm, text), block, c_loc(outgoing), &
                                 c_loc(incoming), pending%handle), status)
  end subroutine qdr_alltoall_start

  ! Collective over the group alone. group(1) has the data, the others get it.
  subroutine qdr_broadcast(comm, group, data, bytes, algorithm, status)
    type(MPI_Comm), intent(in) :: comm
    integer, intent(in), contiguous, target :: group(:)
    type(*), intent(inout), target :: data(..)
    integer(int64), intent(in) :: bytes
    character(*), intent(in), optional :: algorithm
    integer, intent(out), optional :: status
    character(:, c_char), allocatable, target :: text
    integer(c_int64_t) :: length
    length = merge(bytes, -1_c_int64_t, is_contiguous(data))
    call finish(c_broadcast(comm_in(comm), optional_text(algorithm, text), size(group, kind=c_int), c_loc(group), &
                            c_loc(data), length), status)
  end subroutine qdr_broadcast

  ! Collective. Makes what the library keeps with a communicator.
  subroutine qdr_prepare(comm, status)
    type(MPI_Comm), intent(in) :: comm
    integer, intent(out), optional :: status
    call finish(c_prepare(comm_in(comm)), status)
  end subroutine qdr_prepare

end module quadrille_deliver
