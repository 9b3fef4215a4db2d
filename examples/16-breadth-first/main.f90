! SPDX-License-Identifier: BSD-3-Clause
!
! Breadth-first search, in Fortran: mpirun -n 4 16-breadth-first-fortran. The lesson is in main.c. Items are of any type: item_bytes says
! how large one is, and c_f_pointer makes an array of what has come, where it lies.
program breadth_first
  use, intrinsic :: iso_c_binding, only: c_f_pointer
  use, intrinsic :: iso_fortran_env, only: int64
  use mpi_f08
  use quadrille
  implicit none
  integer(int64), parameter :: vertices = 50000, edges = 4
  integer(int64), allocatable :: level(:), alone(:)
  integer :: rank, ranks
  integer(int64) :: different

  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks)
  call search()
  call search_alone()
  different = all_of(count(level /= alone(rank::ranks), kind=int64))
  if (rank == 0) print '(i0,a,i0,a)', different, " of ", vertices, " vertices differ from the search of one rank"
  call MPI_Finalize()
  if (different > 0) error stop "it differs"

contains

  ! Where an edge leads: nearby mostly, and now and then far away. Words are unsigned in C; so no step of this has its highest bit set
  ! where that would matter.
  function neighbour(vertex, edge) result(other)
    integer(int64), intent(in) :: vertex, edge
    integer(int64) :: other, word
    word = times(vertex * edges + edge + 1, -7046029254386353131_int64)
    word = times(ieor(word, shiftr(word, 31)), -4658895280553007687_int64)
    word = shiftr(ieor(word, shiftr(word, 29)), 33)
    other = mod(word, vertices)
    if (mod(word, 1000_int64) /= 0) other = mod(vertex + 1 + mod(word, 50_int64), vertices)
  end function neighbour

  ! The lower 64 bits of a product, from halves that do not overflow.
  pure function times(a, b) result(product)
    integer(int64), intent(in) :: a, b
    integer(int64), parameter :: half = 4294967295_int64
    integer(int64) :: product, low, middle
    low = lower_product(iand(a, half), iand(b, half))
    middle = iand(lower_product(shiftr(a, 32), iand(b, half)), half) + iand(lower_product(iand(a, half), shiftr(b, 32)), half)
    product = wrapped(low, shiftl(middle, 32))
  end function times

  ! Of two numbers below 2**32, by quarters.
  pure function lower_product(a, b) result(product)
    integer(int64), intent(in) :: a, b
    integer(int64), parameter :: quarter = 65535_int64
    integer(int64) :: product, middle
    middle = iand(a, quarter) * shiftr(b, 16) + shiftr(a, 16) * iand(b, quarter)
    product = wrapped(wrapped(iand(a, quarter) * iand(b, quarter), shiftl(middle, 16)), shiftl(shiftr(a, 16) * shiftr(b, 16), 32))
  end function lower_product

  ! The lower 64 bits of a sum.
  pure function wrapped(a, b) result(sum)
    integer(int64), intent(in) :: a, b
    integer(int64), parameter :: half = 4294967295_int64
    integer(int64) :: sum, low
    low = iand(a, half) + iand(b, half)
    sum = ior(shiftl(shiftr(a, 32) + shiftr(b, 32) + shiftr(low, 32), 32), iand(low, half))
  end function wrapped

  function all_of(number) result(sum)
    integer(int64), intent(in) :: number
    integer(int64) :: sum
    call MPI_Allreduce(number, sum, 1, MPI_INTEGER8, MPI_SUM, MPI_COMM_WORLD)
  end function all_of

  ! Own vertices are rank, rank + ranks ...; the level of those that were not reached is -1.
  subroutine search()
    type(qdr_arrivals) :: arrivals
    integer(int64), allocatable :: front(:)
    integer(int64), allocatable, target :: told(:)
    integer(int64), pointer :: came(:)
    integer(int64) :: now, reached
    allocate (level(0:(vertices - rank + ranks - 1) / ranks - 1))
    level = -1
    allocate (front(0))
    if (rank == 0) front = [0_int64]
    level(front / ranks) = 0
    now = 0
    do
      reached = all_of(size(front, kind=int64))
      if (reached == 0) exit
      if (rank == 0) print '(a,i0,a,i0,a)', "level ", now, ": ", reached, " vertices"
      told = tell(front)
      call qdr_deliver(MPI_COMM_WORLD, 8, told, int(mod(told, int(ranks, int64))), arrivals)
      call c_f_pointer(qdr_arrivals_data(arrivals), came, [qdr_arrivals_count(arrivals)])
      now = now + 1
      call take(came, now, front)
    end do
    call qdr_arrivals_free(arrivals)
  end subroutine search

  function tell(front) result(told)
    integer(int64), intent(in) :: front(:)
    integer(int64), allocatable :: told(:)
    integer(int64) :: i, e
    allocate (told(size(front) * edges))
    do i = 1, size(front)
      do e = 0, edges - 1
        told((i - 1) * edges + e + 1) = neighbour(front(i), e)
      end do
    end do
  end function tell

  ! Those that hear of it for the first time.
  subroutine take(came, now, front)
    integer(int64), intent(in) :: came(:), now
    integer(int64), allocatable, intent(inout) :: front(:)
    integer(int64) :: i, first
    deallocate (front)
    allocate (front(size(came)))
    first = 0
    do i = 1, size(came)
      if (level(came(i) / ranks) >= 0) cycle
      level(came(i) / ranks) = now
      first = first + 1
      front(first) = came(i)
    end do
    front = front(:first)
  end subroutine take

  subroutine search_alone()
    integer(int64), allocatable :: queue(:)
    integer(int64) :: next, last, other, e
    allocate (alone(0:vertices - 1), queue(vertices))
    alone = -1
    alone(0) = 0
    queue(1) = 0
    last = 1
    next = 1
    do while (next <= last)
      do e = 0, edges - 1
        other = neighbour(queue(next), e)
        if (alone(other) >= 0) cycle
        alone(other) = alone(queue(next)) + 1
        last = last + 1
        queue(last) = other
      end do
      next = next + 1
    end do
  end subroutine search_alone
end program breadth_first
