! SPDX-License-Identifier: BSD-3-Clause
!
! A program in Fortran that a program in Python watches: mpirun -n 3 heat : -n 2 python3 watch.py
!
! Heat spreads on a plate. Every rank has some columns of it, with a column of ghosts on each side; a map brings them. What watch.py is
! to see is said once: the name of the field, and how the array lies on the ranks, ghosts and all. Then every step is exported: copied
! into a queue, which does not wait for anybody. How many ranks watch.py has, how it wants the array, and how often it looks is
! nothing that this program knows.
program heat
  use, intrinsic :: iso_fortran_env, only: int64, real64
  use mpi_f08
  use quadrille
  implicit none
  integer(int64), parameter :: rows = 48, columns = 60
  integer, parameter :: steps = 400
  type(qdr_program) :: program
  type(qdr_coupling) :: coupling
  type(qdr_stream) :: stream
  type(qdr_coupled) :: field(1)
  type(qdr_map) :: halo
  type(MPI_Comm) :: comm
  integer :: rank, ranks, step
  integer(int64) :: first, last
  real(real64), allocatable, target :: now(:, :), next(:, :)

  call MPI_Init()
  call qdr_program_create(MPI_COMM_WORLD, "heat", program)
  comm = qdr_program_comm(program)
  call MPI_Comm_rank(comm, rank)
  call MPI_Comm_size(comm, ranks)
  call qdr_coupling_create(program, "watch", coupling)
  field(1)%name = "temperature"
  field(1)%type = QDR_DOUBLE
  call qdr_layout_regular([qdr_axis(extent=rows), &
                           qdr_axis(extent=columns, spread=QDR_BLOCK, parts=ranks, ghost_below=1, ghost_above=1)], field(1)%layout)
  call qdr_stream_create(coupling, "plate", stream, exports=field)

  first = columns_before(rank)
  last = columns_before(rank + 1)
  allocate (now(rows, first:last + 1), source=0.0_real64) ! own columns are first + 1 to last
  call set_edges()
  call make_halo()
  next = now
  do step = 0, steps
    call qdr_export(stream, real(step, real64), now)
    call qdr_map_exchange(halo, QDR_DOUBLE, now)
    next(2:rows - 1, first + 1:last) = now(2:rows - 1, first + 1:last) + 0.2_real64 * &
                                       (now(1:rows - 2, first + 1:last) + now(3:rows, first + 1:last) + &
                                        now(2:rows - 1, first:last - 1) + now(2:rows - 1, first + 2:last + 1) - &
                                        4 * now(2:rows - 1, first + 1:last))
    now(:, first + 1:last) = next(:, first + 1:last)
    call set_edges()
  end do

  call qdr_stream_destroy(stream) ! waits until watch.py has seen what it wants
  call qdr_coupling_destroy(coupling)
  call qdr_map_destroy(halo)
  call qdr_layout_destroy(field(1)%layout)
  call qdr_program_destroy(program)
  call MPI_Finalize()

contains

  ! As blocks are dealt out.
  integer(int64) function columns_before(part)
    integer, intent(in) :: part
    columns_before = min(columns, part * ((columns + ranks - 1) / ranks))
  end function columns_before

  ! Two edges of the plate are hot, the others are cold.
  subroutine set_edges()
    integer(int64) :: column
    do column = first + 1, last
      now(1, column) = 100
      now(rows, column) = 0
      if (column == 1) now(:, column) = 100
      if (column == columns) now(:, column) = 0
    end do
  end subroutine set_edges

  ! The first own column goes to the left, the last one to the right. Boxes count from 1, ghosts included.
  subroutine make_halo()
    integer(int64) :: extent(2), out(2, 2), in(2, 2), size(2, 2)
    integer :: neighbour(2), partners, side
    extent = [rows, last - first + 2]
    partners = 0
    do side = 1, 2
      if (last == first .or. (side == 1 .and. first == 0) .or. (side == 2 .and. last == columns)) cycle
      partners = partners + 1
      neighbour(partners) = rank + 2 * side - 3
      out(:, partners) = [1_int64, merge(2_int64, extent(2) - 1, side == 1)]
      in(:, partners) = [1_int64, merge(1_int64, extent(2), side == 1)]
      size(:, partners) = [rows, 1_int64]
    end do
    call qdr_map_from_boxes(comm, qdr_box_list(extent, neighbour(:partners), out(:, :partners), size(:, :partners)), &
                            qdr_box_list(extent, neighbour(:partners), in(:, :partners), size(:, :partners)), halo)
  end subroutine make_halo
end program heat
