! SPDX-License-Identifier: BSD-3-Clause
! What the tests of the Fortran modules have in common: checks with a name, and wrong uses with their status and a part of their sentence.
module checks
  use quadrille
  implicit none
  integer :: failures = 0, uses = 0
contains
  subroutine check(is_right, what)
    logical, intent(in) :: is_right
    character(*), intent(in) :: what
    if (is_right) return
    print '(a)', what//" does not hold"
    failures = failures + 1
  end subroutine check

  ! `status` is what a wrong use returned; its sentence has a part that is named.
  subroutine wrong(status, expected, part, what)
    integer, intent(in) :: status, expected
    character(*), intent(in) :: part, what
    uses = uses + 1
    if (status == expected .and. len(part) > 0 .and. index(qdr_error_message(), part) > 0) return
    print '(a,i0,4a)', what//": ", status, " ", qdr_status_text(status), ": ", qdr_error_message()
    failures = failures + 1
  end subroutine wrong

  subroutine verdict(rank, name)
    integer, intent(in) :: rank
    character(*), intent(in) :: name
    if (failures > 0) error stop name//" failed"
    if (rank == 0) print '(a,i0,a)', name//": all well, ", uses, " wrong uses"
  end subroutine verdict
end module checks
