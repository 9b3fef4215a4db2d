! SPDX-License-Identifier: BSD-3-Clause
! What was started: see quadrille/pending.h.
module quadrille_pending
  use quadrille_base
  implicit none
  private
  public :: qdr_pending, qdr_wait, qdr_wait_all, qdr_wait_any, qdr_test, qdr_test_all, qdr_test_any, qdr_progress

  ! What was given to a start has to stay where it is until this has ended: variables with the attribute `asynchronous` or `target`, and no copies.
  type, bind(C) :: qdr_pending
    type(c_ptr) :: handle = c_null_ptr
  end type qdr_pending

contains

  ! Local. Waits until it has ended.
  subroutine qdr_wait(pending, status)
    type(qdr_pending), intent(inout) :: pending
    integer, intent(out), optional :: status
    call finish(c_wait(pending%handle), status)
  end subroutine qdr_wait

  ! Local. Waits until all have ended.
  subroutine qdr_wait_all(pending, status)
    type(qdr_pending), intent(inout), contiguous, target :: pending(:)
    integer, intent(out), optional :: status
    if (size(pending) == 0) then
      call finish(QDR_OK, status)
      return
    end if
    call finish(c_wait_all(size(pending, kind=c_int64_t), pending(1)%handle), status)
  end subroutine qdr_wait_all

  ! Local. Waits until one has ended; `which` counts from 1, and is 0 if there is none to wait for.
  subroutine qdr_wait_any(pending, which, status)
    type(qdr_pending), intent(inout), contiguous, target :: pending(:)
    integer, intent(out) :: which
    integer, intent(out), optional :: status
    integer(c_int64_t), target :: place
    integer(c_int) :: code
    place = -1
    code = QDR_OK
    if (size(pending) > 0) code = c_wait_any(size(pending, kind=c_int64_t), pending(1)%handle, c_loc(place))
    which = int(place) + 1
    call finish(code, status)
  end subroutine qdr_wait_any

  ! Local. Advances everything that is under way; `done` says whether this has ended.
  subroutine qdr_test(pending, done, status)
    type(qdr_pending), intent(inout) :: pending
    logical, intent(out) :: done
    integer, intent(out), optional :: status
    integer(c_int), target :: has_ended
    integer(c_int) :: code
    has_ended = 0
    code = c_test(pending%handle, c_loc(has_ended))
    done = has_ended /= 0
    call finish(code, status)
  end subroutine qdr_test

  ! Local.
  subroutine qdr_test_all(pending, done, status)
    type(qdr_pending), intent(inout), contiguous, target :: pending(:)
    logical, intent(out) :: done
    integer, intent(out), optional :: status
    integer(c_int), target :: has_ended
    integer(c_int) :: code
    has_ended = 1
    code = QDR_OK
    if (size(pending) > 0) code = c_test_all(size(pending, kind=c_int64_t), pending(1)%handle, c_loc(has_ended))
    done = has_ended /= 0
    call finish(code, status)
  end subroutine qdr_test_all

  ! Local. `which` has ended, from 1; 0: none has.
  subroutine qdr_test_any(pending, which, status)
    type(qdr_pending), intent(inout), contiguous, target :: pending(:)
    integer, intent(out) :: which
    integer, intent(out), optional :: status
    integer(c_int64_t), target :: place
    integer(c_int) :: code
    place = -1
    code = QDR_OK
    if (size(pending) > 0) code = c_test_any(size(pending, kind=c_int64_t), pending(1)%handle, c_loc(place))
    which = int(place) + 1
    call finish(code, status)
  end subroutine qdr_test_any

  ! Local.
  subroutine qdr_progress()
    call c_progress()
  end subroutine qdr_progress

end module quadrille_pending
