! SPDX-License-Identifier: BSD-3-Clause
!
! Computing while an exchange is under way, in Fortran: mpirun -n 4 05-overlap-fortran.
!
! The lesson is that of main.c, with a map instead of two plans: both halos of a slab are boxes of its array, so they come in one
! exchange, and nothing is packed by hand. Rows are columns here, for the first index of an array varies fastest. What is
! started borrows the array, which therefore has the attribute target.
program overlap
  use, intrinsic :: iso_fortran_env, only: int64
  use mpi_f08
  use quadrille
  implicit none
  integer, parameter :: rows = 12, columns = 20000, steps = 6
  integer(int64), allocatable, target :: now(:, :), next(:, :)
  type(qdr_map) :: halo
  type(qdr_pending) :: exchange
  integer :: rank, ranks, step, r, different, all_of_them

  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks)
  call make_halo(mod(rank + 1, ranks), mod(rank + ranks - 1, ranks))
  allocate (now(columns, 0:rows + 1), next(columns, 0:rows + 1))
  now(:, 1:rows) = initial(rank * rows, rows)
  do step = 1, steps
    call qdr_map_start(halo, [qdr_field_of(QDR_INT64, now)], exchange)
    do r = 2, rows - 1
      next(:, r) = smooth(now(:, r - 1), now(:, r), now(:, r + 1))
      call qdr_progress() ! messages move while somebody looks after them
    end do
    call qdr_wait(exchange)
    next(:, 1) = smooth(now(:, 0), now(:, 1), now(:, 2))
    next(:, rows) = smooth(now(:, rows - 1), now(:, rows), now(:, rows + 1))
    now = next
  end do

  different = count(now(:, 1:rows) /= alone(rows * ranks))
  call MPI_Allreduce(different, all_of_them, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD)
  if (rank == 0) print '(4(i0,a),i0,a)', ranks, " ranks, ", rows, " rows of ", columns, " each, ", steps, " steps: ", &
    all_of_them, " numbers differ from the run of one rank"
  call qdr_map_destroy(halo)
  call MPI_Finalize()
  if (all_of_them > 0) error stop "it differs"

contains

  elemental function smooth(above, here, below) result(mean)
    integer(int64), intent(in) :: above, here, below
    integer(int64) :: mean
    mean = (above + 2 * here + below) / 4
  end function smooth

  function initial(first, lines) result(field)
    integer, intent(in) :: first, lines
    integer(int64), allocatable :: field(:, :)
    integer :: l, c
    allocate (field(columns, lines))
    do l = 1, lines
      do c = 1, columns
        field(c, l) = mod((first + l - 1) * 7919_int64 + (c - 1) * 104729_int64, 1000003_int64)
      end do
    end do
  end function initial

  ! The last row goes down, the first goes up. Boxes begin at 1, so the halo from above is line 1 of the array, and the slab's own
  ! rows are lines 2 to rows + 1.
  subroutine make_halo(below, above)
    integer, intent(in) :: below, above
    integer(int64), parameter :: extent(2) = [columns, rows + 2], whole_line(2) = [columns, 1]
    call qdr_map_from_boxes(MPI_COMM_WORLD, &
                            qdr_box_list(extent, [below, above], lines([rows + 1, 2]), spread(whole_line, 2, 2)), &
                            qdr_box_list(extent, [above, below], lines([1, rows + 2]), spread(whole_line, 2, 2)), halo)
  end subroutine make_halo

  function lines(number) result(lower)
    integer, intent(in) :: number(2)
    integer(int64) :: lower(2, 2)
    lower(1, :) = 1
    lower(2, :) = number
  end function lines

  ! The same by one rank alone; its own part of it.
  function alone(all_lines) result(part)
    integer, intent(in) :: all_lines
    integer(int64), allocatable :: part(:, :), field(:, :), after(:, :)
    integer :: turn, l
    field = initial(0, all_lines)
    after = field
    do turn = 1, steps
      do l = 1, all_lines
        after(:, l) = smooth(field(:, 1 + modulo(l - 2, all_lines)), field(:, l), field(:, 1 + mod(l, all_lines)))
      end do
      field = after
    end do
    part = field(:, rank * rows + 1:rank * rows + rows)
  end function alone

end program overlap
