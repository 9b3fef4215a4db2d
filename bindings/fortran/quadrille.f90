! SPDX-License-Identifier: BSD-3-Clause
! Quadrille in Fortran: all of quadrille-mpi.h, by the names of C.
!
!     use mpi_f08
!     use quadrille
!     call qdr_partners_from_sends(MPI_COMM_WORLD, destination, items, partners)
!     call qdr_plan_create(partners, plan)
!     call qdr_plan_exchange(plan, 8, outgoing, incoming)       ! items of 8 bytes
!     call qdr_plan_destroy(plan)
!
! The rules, for all modules:
!
! - *Numbers.* Places, indices and numbers of things in lists count from 1. Ranks count from 0, as in MPI, and so do phases, messages and what
!   else the library numbers: pointers to its own lists begin at 0 where they are indexed by such numbers. Ids are any numbers.
! - *Errors.* Every routine that can fail has a last argument `status`, which may be left out: then a failure stops the program, with
!   the library's sentence. With it, qdr_error_message() is that sentence.
! - *Arrays* of any rank and kind are taken as they lie, without copies: they have to be contiguous. What is started borrows
!   them, so they need the attribute target (or asynchronous) in the caller, and must not be passed as sections with a stride.
! - *Communicators* are those of mpi_f08. A program that has those of mpi says qdr_comm(MPI_COMM_WORLD).
! - *Options* are optional arguments, or a derived type whose constructor takes what differs from the defaults:
!   qdr_plan_options(algorithm="paced", reuse=1000_int64).
! - *Objects* are derived types that hold a handle. Nothing destroys them but the routine that is called so.
module quadrille
  use quadrille_comm, only: qdr_comm
  use quadrille_base, only: qdr_error_message, qdr_status_text, qdr_version, qdr_environment, qdr_environment_info, &
    qdr_set_log, qdr_log_function, qdr_type_bytes, qdr_type_name, qdr_operation_name, qdr_operation_suits
  use quadrille_constants
  use quadrille_couple
  use quadrille_deliver
  use quadrille_directory
  use quadrille_layout
  use quadrille_machine
  use quadrille_map
  use quadrille_migrate
  use quadrille_moves
  use quadrille_partners
  use quadrille_pattern
  use quadrille_pending
  use quadrille_plan
  use quadrille_schedule
  implicit none
  public
end module quadrille
