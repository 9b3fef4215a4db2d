! SPDX-License-Identifier: BSD-3-Clause
!
! The exchange itself, in Fortran: mpirun -n 4 04-exchange-fortran.
!
! The lesson is that of main.c: the sources are found out, memory is taken by what comes, a plan is made once and runs as often as one
! likes. A pattern counts items; an item is a column of an array here, of one number, then of three, then of ten. Ranks
! count from 0, as in MPI.
program exchange
  use, intrinsic :: iso_fortran_env, only: int64, real64
  use mpi_f08
  use quadrille
  implicit none
  type(qdr_partners) :: partners
  type(qdr_partners_view) :: view
  type(qdr_plan) :: plan
  type(qdr_plan_info) :: info
  integer, allocatable :: destination(:)
  integer(int64), allocatable :: items(:)
  integer :: rank, ranks, other, i

  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks)

  ! Whom a rank sends to, and how much. Here it is a formula; in a program, it comes from the data.
  destination = pack([(other, other=0, ranks - 1)], [(sends_to(other), other=0, ranks - 1)])
  items = int(1 + mod(rank + 2 * destination, 5), int64)
  call qdr_partners_from_sends(MPI_COMM_WORLD, destination, items, partners)
  call qdr_plan_create(partners, plan)

  view = qdr_partners_look(partners)
  if (rank == 0) then
    do i = 1, view%sends
      print '(a,i0,a,i0)', "rank 0: ", view%send_items(i), " items to rank ", view%destination(i)
    end do
    do i = 1, view%receives ! nobody had told it
      print '(a,i0,a,i0)', "rank 0: ", view%receive_items(i), " items from rank ", view%source(i)
    end do
    call qdr_plan_look(plan, info)
    print '(7a)', "plan: ", info%algorithm, ", pacing ", info%pacing, " (", info%why, ")"
  end if
  call run(1)
  call run(3)
  call run(10)

  call qdr_plan_destroy(plan)
  call qdr_partners_destroy(partners)
  call MPI_Finalize()

contains

  logical function sends_to(to)
    integer, intent(in) :: to
    sends_to = to /= rank .and. mod(rank + 2 * to, 3) < 2
  end function sends_to

  ! Column `place` of a message, another one for every message: so that a mix-up shows.
  function content(origin, to, place, width) result(item)
    integer, intent(in) :: origin, to, width
    integer(int64), intent(in) :: place
    real(real64) :: item(width)
    integer :: k
    item = [(1000.0_real64 * origin + to + 0.001_real64 * real(place, real64) + 1e-6_real64 * k, k=1, width)]
  end function content

  ! One exchange of items of so many doubles; prints how many came wrong.
  subroutine run(width)
    integer, intent(in) :: width
    real(real64), allocatable :: outgoing(:, :), incoming(:, :)
    integer :: from, at, wrong, all_wrong
    integer(int64) :: k
    allocate (outgoing(width, sum(view%send_items)), incoming(width, sum(view%receive_items)))
    at = 0
    do from = 1, view%sends
      do k = 1, view%send_items(from)
        at = at + 1
        outgoing(:, at) = content(rank, view%destination(from), k, width)
      end do
    end do

    call qdr_plan_exchange(plan, 8 * width, outgoing, incoming)

    wrong = 0
    at = 0
    do from = 1, view%receives
      do k = 1, view%receive_items(from)
        at = at + 1
        wrong = wrong + count(abs(incoming(:, at) - content(view%source(from), rank, k, width)) > 0)
      end do
    end do
    call MPI_Allreduce(wrong, all_wrong, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD)
    if (rank == 0) print '(a,i0,a,i0,a)', "items of ", 8 * width, " bytes: ", all_wrong, " numbers wrong on all ranks"
    if (all_wrong > 0) error stop "an exchange went wrong"
  end subroutine run

end program exchange
