! SPDX-License-Identifier: BSD-3-Clause
!
! Repartitioning while the load moves, in Fortran: mpirun -n 4 17-repartition-fortran. The lesson is in main.c. A cell is a column of two
! numbers, its own and its value; places in maps count from 1.
program repartition
  use, intrinsic :: iso_fortran_env, only: int64
  use mpi_f08
  use quadrille
  implicit none
  integer(int64), parameter :: cells = 20000, phases = 4, steps = 5, cost = 20, links = 3
  integer(int64), parameter :: away(links) = [cells - 1, 1_int64, 137_int64]
  integer(int64), target :: own(2, cells) ! one rank may have nearly all of the cheap cells
  integer(int64) :: count, first, phase, moved, before, after, different, i
  integer :: rank, ranks

  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks)
  first = cells * rank / ranks
  count = cells * (rank + 1) / ranks - first
  do i = 1, count
    own(:, i) = [first + i - 1, initial(first + i - 1)]
  end do
  do phase = 0, phases - 1
    before = busiest(phase)
    call deal_out(phase, moved)
    after = busiest(phase)
    if (rank == 0) print '(4(a,i0),a)', "phase ", phase, ": the busiest rank has ", before, "% of the mean; ", moved, &
      " cells move, and it has ", after, "%"
    call compute()
  end do
  different = differences()
  if (rank == 0) print '(i0,a,i0,a)', different, " of ", cells, " cells differ from those of one rank"
  call MPI_Finalize()
  if (different > 0) error stop "it differs"

contains

  pure integer(int64) function initial(id)
    integer(int64), intent(in) :: id
    initial = mod(id * 7919, 1000003_int64)
  end function initial

  elemental integer(int64) function work(id, phase)
    integer(int64), intent(in) :: id, phase
    work = merge(cost, 1_int64, mod(id + cells - phase * cells / phases, cells) < cells / 8)
  end function work

  integer(int64) function all_of(number, operation)
    integer(int64), intent(in) :: number
    type(MPI_Op), intent(in) :: operation
    call MPI_Allreduce(number, all_of, 1, MPI_INTEGER8, operation, MPI_COMM_WORLD)
  end function all_of

  ! In percent of the mean: what the busiest rank has to do.
  integer(int64) function busiest(phase)
    integer(int64), intent(in) :: phase
    integer(int64) :: mine
    mine = sum(work(own(1, :count), phase))
    busiest = 100 * all_of(mine, MPI_MAX) * ranks / all_of(mine, MPI_SUM)
  end function busiest

  ! Cells lie by rising number over the ranks, and each goes where the work before it says. So what comes is a run of numbers, and each
  ! finds its place by its number.
  subroutine deal_out(phase, moved)
    integer(int64), intent(in) :: phase
    integer(int64), intent(out) :: moved
    integer, allocatable :: destination(:)
    integer(int64), allocatable :: came(:, :)
    integer(int64) :: mine, before, all, i, lowest
    allocate (destination(cells))
    mine = sum(work(own(1, :count), phase))
    before = 0
    call MPI_Exscan(mine, before, 1, MPI_INTEGER8, MPI_SUM, MPI_COMM_WORLD)
    if (rank == 0) before = 0
    all = all_of(mine, MPI_SUM)
    moved = 0
    do i = 1, count
      destination(i) = int(before * ranks / all)
      if (destination(i) /= rank) moved = moved + 1
      before = before + work(own(1, i), phase)
    end do
    moved = all_of(moved, MPI_SUM)
    call qdr_migrate_array(MPI_COMM_WORLD, count, cells, own, 16, destination)
    came = own(:, :count)
    lowest = minval(came(1, :))
    do i = 1, count
      own(:, came(1, i) - lowest + 1) = came(:, i)
    end do
  end subroutine deal_out

  ! Values of own cells come first, then those that the links of each need, three by three.
  subroutine compute()
    type(qdr_map) :: bring
    integer(int64), allocatable :: need(:), value(:)
    integer(int64) :: i, k, step
    allocate (need(links * count), value((1 + links) * count))
    do i = 1, count
      do k = 1, links
        need(links * (i - 1) + k) = mod(own(1, i) + away(k), cells)
      end do
    end do
    call qdr_resolve_map(MPI_COMM_WORLD, own(1, :count), need, bring, target=[(count + i, i=1, links * count)])
    value(:count) = own(2, :count)
    do step = 1, steps
      call qdr_map_exchange(bring, QDR_INT64, value)
      do i = 1, count
        k = count + links * (i - 1)
        value(i) = (value(k + 1) + value(k + 2) + value(k + 3) + value(i)) / 4
      end do
    end do
    own(2, :count) = value(:count)
    call qdr_map_destroy(bring)
  end subroutine compute

  integer(int64) function differences()
    integer(int64), allocatable :: now(:)
    integer(int64) :: id, step
    allocate (now(0:cells - 1))
    now = [(initial(id), id=0, cells - 1)]
    do step = 1, phases * steps
      now(:) = (cshift(now, int(away(1))) + cshift(now, int(away(2))) + cshift(now, int(away(3))) + now) / 4
    end do
    differences = all_of(sum(merge(0_int64, 1_int64, own(2, :count) == now(own(1, :count)))), MPI_SUM)
  end function differences
end program repartition
