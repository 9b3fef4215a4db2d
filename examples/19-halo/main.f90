! SPDX-License-Identifier: BSD-3-Clause
!
! The halo of a regular grid, in Fortran: mpirun -n 4 19-halo-fortran.
!
! The lesson is that of main.c. Indices of boxes count from 1, and the first one varies fastest: so blocks are columns by rows here.
program halo_of_a_grid
  use, intrinsic :: iso_fortran_env, only: int64, error_unit
  use mpi_f08
  use quadrille
  implicit none
  integer, parameter :: rows = 120, columns = 180, steps = 200
  integer(int64), allocatable :: own(:, :), all_of_it(:, :)
  type(qdr_map) :: halo
  integer :: rank, ranks, side(2), p, q, i, j, step, first_row, end_row, first_column, end_column, different, sum_of_them

  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks)
  side = 0
  call MPI_Dims_create(ranks, 2, side)
  p = side(1)
  q = side(2)
  i = rank / q
  j = mod(rank, q)
  first_row = rows * i / p
  end_row = rows * (i + 1) / p
  first_column = columns * j / q
  end_column = columns * (j + 1) / q

  call begin(own, first_row, end_row, first_column, end_column)
  call make_map(end_row - first_row, end_column - first_column)
  do step = 1, steps
    call qdr_map_exchange(halo, QDR_INT64, own)
    call smooth(own)
  end do
  if (rank == 0) call say_what_it_settled_on()
  call qdr_map_destroy(halo)

  call begin(all_of_it, 0, rows, 0, columns)
  do step = 1, steps
    all_of_it(:, 0) = all_of_it(:, rows)
    all_of_it(:, rows + 1) = all_of_it(:, 1)
    all_of_it(0, :) = all_of_it(columns, :)
    all_of_it(columns + 1, :) = all_of_it(1, :)
    call smooth(all_of_it)
  end do
  different = count(own(1:end_column - first_column, 1:end_row - first_row) /= &
                    all_of_it(first_column + 1:end_column, first_row + 1:end_row))
  call MPI_Allreduce(different, sum_of_them, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD)
  if (rank == 0) print '(4(i0,a),i0,a,i0,a)', p, " x ", q, " blocks of ", rows, " x ", columns, " cells, ", steps, " steps: ", &
    sum_of_them, " differ from the grid of one rank"
  call MPI_Finalize()
  if (sum_of_them > 0) error stop "it differs"

contains

  ! A part of the grid, between ghosts.
  subroutine begin(grid, above, below, left, right)
    integer(int64), allocatable, intent(out) :: grid(:, :)
    integer, intent(in) :: above, below, left, right
    integer :: r, c
    allocate (grid(0:right - left + 1, 0:below - above + 1))
    grid = 0
    do r = 1, below - above
      do c = 1, right - left
        grid(c, r) = mod((above + r) * 7919_int64 + (left + c) * 104729_int64, 1000003_int64)
      end do
    end do
  end subroutine begin

  subroutine smooth(x)
    integer(int64), allocatable, intent(inout) :: x(:, :)
    integer :: n, m
    n = ubound(x, 1) - 1
    m = ubound(x, 2) - 1
    x(1:n, 1:m) = (x(1:n, 0:m - 1) + x(1:n, 2:m + 1) + x(0:n - 1, 1:m) + x(2:n + 1, 1:m) + 4 * x(1:n, 1:m)) / 8
  end subroutine smooth

  ! The last row touches the first, and the last column too. Where two sides have the same neighbour, what goes north from here
  ! arrives there in the south: so the ghosts are named in the order south, north, east, west.
  subroutine make_map(high, wide)
    integer, intent(in) :: high, wide
    integer :: north, south, west, east
    integer(int64) :: extent(2), edge(2, 4), ghost(2, 4), cells(2, 4)
    type(qdr_map_options) :: options
    north = mod(i + p - 1, p) * q + j
    south = mod(i + 1, p) * q + j
    west = i * q + mod(j + q - 1, q)
    east = i * q + mod(j + 1, q)
    extent = [wide + 2, high + 2]
    edge = reshape([2, 2, 2, high + 1, 2, 2, wide + 1, 2], [2, 4])
    ghost = reshape([2, high + 2, 2, 1, wide + 2, 2, 1, 2], [2, 4])
    cells = reshape([wide, 1, wide, 1, 1, high, 1, high], [2, 4])
    options%plan%reuse = steps
    call qdr_map_from_boxes(MPI_COMM_WORLD, qdr_box_list(extent, [north, south, west, east], edge, cells), &
                            qdr_box_list(extent, [south, north, east, west], ghost, cells), halo, options)
  end subroutine make_map

  subroutine say_what_it_settled_on()
    type(qdr_candidate) :: candidate
    integer :: k, status
    k = 1
    do
      call qdr_plan_candidate(qdr_map_plan(halo, QDR_FORWARD), k, candidate, status)
      if (status /= QDR_OK) exit
      if (candidate%in_use) write (error_unit, '(5a)') "settled on ", candidate%algorithm, ", with pacing by '", &
        candidate%pacing, "'"
      k = k + 1
    end do
  end subroutine say_what_it_settled_on
end program halo_of_a_grid
