! SPDX-License-Identifier: BSD-3-Clause
! Moves when memory is short: see quadrille/moves.h.
module quadrille_moves
  use quadrille_base, qdr_move => c_move
  use quadrille_pattern, only: qdr_pattern, qdr_pattern_look, qdr_pattern_view
  implicit none
  private
  public :: qdr_moves, qdr_move, qdr_moves_view, qdr_moves_method_info
  public :: qdr_moves_create, qdr_moves_destroy, qdr_moves_look, qdr_moves_least_room, qdr_moves_check
  public :: qdr_moves_write_text, qdr_moves_method

  type :: qdr_moves
    type(c_ptr) :: handle = c_null_ptr
  end type qdr_moves

  ! Phases and moves are numbered from 0, as in C, and so are these lists.
  type :: qdr_moves_view
    character(:), allocatable :: method
    integer :: ranks = 0
    integer(int64) :: phases = 0, total = 0, room = 0, bound = 0, parked = 0
    integer(c_int64_t), pointer :: phase_start(:) => null() ! 0 to phases
    type(qdr_move), pointer :: move(:) => null()
  end type qdr_moves_view

  type :: qdr_moves_method_info
    character(:), allocatable :: name, summary, promise, options
    logical :: parks = .false.
  end type qdr_moves_method_info

contains

  ! Local. `room` has an entry for each rank of the pattern.
  subroutine qdr_moves_create(pattern, room, moves, method, status)
    type(qdr_pattern), intent(in) :: pattern
    integer(int64), intent(in), contiguous, target :: room(:)
    type(qdr_moves), intent(inout) :: moves
    character(*), intent(in), optional :: method
    integer, intent(out), optional :: status
    character(:, c_char), allocatable, target :: text
    if (.not. fits(pattern, room)) then
      call refuse("qdr_moves_create: `room` needs an entry for each rank of the pattern", status)
      return
    end if
    text = c_text("auto")
    if (present(method)) text = c_text(method)
    call finish(c_moves_create(pattern%handle, c_loc(room), c_loc(text), moves%handle), status)
  end subroutine qdr_moves_create

  function fits(pattern, room) result(answer)
    type(qdr_pattern), intent(in) :: pattern
    integer(int64), intent(in) :: room(:)
    logical :: answer
    type(qdr_pattern_view) :: view
    view = qdr_pattern_look(pattern)
    answer = size(room) == view%ranks
  end function fits

  ! Local.
  subroutine qdr_moves_destroy(moves)
    type(qdr_moves), intent(inout) :: moves
    call c_moves_destroy(moves%handle)
  end subroutine qdr_moves_destroy

  ! Local, free of cost. Valid as long as the moves.
  function qdr_moves_look(moves) result(view)
    type(qdr_moves), intent(in) :: moves
    type(qdr_moves_view) :: view
    type(c_moves_view), target :: c
    call c_moves_look_sized(moves%handle, c_loc(c), c_sizeof(c))
    view%method = text_of(c%method)
    view%ranks = c%ranks
    view%phases = c%phases
    view%total = c%total
    view%room = c%room
    view%bound = c%bound
    view%parked = c%parked
    call seen(c%phase_start, c%phases + 1, view%phase_start, 0)
    call c_f_pointer(c%move, view%move, [view%phase_start(c%phases)])
    view%move(0:) => view%move
  end function qdr_moves_look

  ! Local.
  subroutine qdr_moves_least_room(pattern, with_parking, without, status)
    type(qdr_pattern), intent(in) :: pattern
    integer(int64), intent(out), target :: with_parking, without
    integer, intent(out), optional :: status
    call finish(c_moves_least_room(pattern%handle, c_loc(with_parking), c_loc(without)), status)
  end subroutine qdr_moves_least_room

  ! Local.
  subroutine qdr_moves_check(pattern, room, moves, status)
    type(qdr_pattern), intent(in) :: pattern
    integer(int64), intent(in), contiguous, target :: room(:)
    type(qdr_moves), intent(in) :: moves
    integer, intent(out), optional :: status
    if (.not. fits(pattern, room)) then
      call refuse("qdr_moves_check: `room` needs an entry for each rank of the pattern", status)
      return
    end if
    call finish(c_moves_check(pattern%handle, c_loc(room), moves%handle), status)
  end subroutine qdr_moves_check

  ! Local. At the end of a file.
  subroutine qdr_moves_write_text(moves, path, status)
    type(qdr_moves), intent(in) :: moves
    character(*), intent(in) :: path
    integer, intent(out), optional :: status
    type(c_ptr) :: file
    integer(c_int) :: code
    call open_file(path, "a", file, code)
    if (code /= QDR_OK) then
      call refuse("qdr_moves_write_text: "//trim(path)//" cannot be opened", status, code)
      return
    end if
    code = c_moves_write_text(moves%handle, file)
    call close_file(file, code)
    call finish(code, status)
  end subroutine qdr_moves_write_text

  ! Local. The index-th method, from 1; a name of no letters past the last.
  function qdr_moves_method(index) result(info)
    integer, intent(in) :: index
    type(qdr_moves_method_info) :: info
    type(c_moves_method_info), pointer :: c
    type(c_ptr) :: line
    line = c_moves_method(int(index - 1, c_int))
    info%name = ""
    if (.not. c_associated(line)) return
    call c_f_pointer(line, c)
    info%name = text_of(c%name)
    info%summary = text_of(c%summary)
    info%promise = text_of(c%promise)
    info%options = text_of(c%options)
    info%parks = c%parks /= 0
  end function qdr_moves_method

end module quadrille_moves
