! SPDX-License-Identifier: BSD-3-Clause
! The same as consumer.c for a program in Fortran: without a status, whatever fails stops with its sentence.
program consumer
  use, intrinsic :: iso_fortran_env, only: int64, real64
  use mpi_f08
  use quadrille
  implicit none
  type(qdr_pattern) :: pattern
  type(qdr_schedule) :: schedule
  type(qdr_partners) :: partners
  type(qdr_plan) :: plan
  real(real64) :: outgoing(1), incoming(1)
  integer :: rank

  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call qdr_pattern_from_spec("random:n=16,density=0.5,seed=1", pattern)
  call qdr_schedule_create(pattern, "coloring", schedule)
  call qdr_schedule_check(schedule)
  call qdr_schedule_destroy(schedule)
  call qdr_pattern_destroy(pattern)

  outgoing = 100 + rank
  call qdr_partners_from_sends(MPI_COMM_WORLD, [1 - rank], [1_int64], partners)
  call qdr_plan_create(partners, plan)
  call qdr_plan_exchange(plan, 8, outgoing, incoming)
  call qdr_plan_destroy(plan)
  call qdr_partners_destroy(partners)
  write (*, "(a,i0,a,i0)") "rank ", rank, " got ", nint(incoming(1))
  call MPI_Finalize()
end program consumer
