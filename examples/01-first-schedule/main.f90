! SPDX-License-Identifier: BSD-3-Clause
! The shortest way from messages to a schedule, in Fortran: whoever does not ask for a status is stopped by a failure, with its sentence.
program first_schedule
  use, intrinsic :: iso_fortran_env, only: int64
  use quadrille
  implicit none
  type(qdr_pattern) :: pattern
  type(qdr_schedule) :: schedule
  type(qdr_step), allocatable :: steps(:)

  call qdr_pattern_create(4, origin=[0, 0, 0, 1, 1, 2, 3, 3], destination=[1, 2, 3, 0, 3, 3, 1, 2], &
                          items=[400_int64, 100_int64, 900_int64, 250_int64, 100_int64, 700_int64, 300_int64, 50_int64], &
                          pattern=pattern)
  call qdr_schedule_create(pattern, "coloring", schedule)
  call qdr_schedule_check(schedule) ! every item arrives once, no rank is hit twice
  call qdr_schedule_steps(schedule, steps)
  call qdr_steps_write_text(steps, "/dev/stdout")
  call qdr_schedule_destroy(schedule)
  call qdr_pattern_destroy(pattern)
end program first_schedule
