! SPDX-License-Identifier: BSD-3-Clause
! Schedules and moves as JSON and SVG, and pictures of your own: see quadrille-io.h. Link with libquadrille-io, too.
module quadrille_io
  use quadrille_base
  use quadrille_machine, only: qdr_machine
  use quadrille_moves, only: qdr_moves
  use quadrille_pattern, only: qdr_pattern
  use quadrille_schedule, only: qdr_schedule, qdr_step
  implicit none
  private
  public :: qdr_schedule_write_json, qdr_schedule_read_json, qdr_schedule_write_svg
  public :: qdr_moves_write_json, qdr_moves_write_svg
  public :: qdr_picture, qdr_picture_create, qdr_picture_destroy, qdr_picture_rectangle, qdr_picture_circle
  public :: qdr_picture_line, qdr_picture_text, qdr_picture_path, qdr_picture_pen_move, qdr_picture_pen_line
  public :: qdr_picture_pen_close, qdr_picture_pen_box, qdr_picture_path_end, qdr_picture_group
  public :: qdr_picture_group_end, qdr_picture_window, qdr_picture_window_end, qdr_picture_colour, qdr_picture_tick

  ! A picture, and the file that it is drawn into.
  type :: qdr_picture
    private
    type(c_ptr) :: handle = c_null_ptr, file = c_null_ptr
  end type qdr_picture

contains

  ! Whether there is such a file now; if not, it has been said.
  function opens(path, mode, file, status) result(answer)
    character(*), intent(in) :: path, mode
    type(c_ptr), intent(out) :: file
    integer, intent(out), optional :: status
    logical :: answer
    integer(c_int) :: code
    call open_file(path, mode, file, code)
    answer = code == QDR_OK
    if (.not. answer) call refuse(trim(path)//" cannot be opened", status, code)
  end function opens

  ! Local.
  subroutine qdr_schedule_write_json(schedule, path, status)
    type(qdr_schedule), intent(in) :: schedule
    character(*), intent(in) :: path
    integer, intent(out), optional :: status
    type(c_ptr) :: file
    integer(c_int) :: code
    if (.not. opens(path, "w", file, status)) return
    code = c_schedule_write_json(schedule%handle, file)
    call close_file(file, code)
    call finish(code, status)
  end subroutine qdr_schedule_write_json

  ! Local. A schedule of this pattern; nothing else is certain of it before qdr_schedule_check.
  subroutine qdr_schedule_read_json(path, pattern, schedule, machine, status)
    character(*), intent(in) :: path
    type(qdr_pattern), intent(in) :: pattern
    type(qdr_schedule), intent(inout) :: schedule
    type(qdr_machine), intent(in), optional :: machine
    integer, intent(out), optional :: status
    character(:, c_char), allocatable, target :: name
    type(c_ptr) :: file, on
    integer(c_int) :: code, closed
    if (.not. opens(path, "r", file, status)) return
    name = c_text(path)
    on = c_null_ptr
    if (present(machine)) on = machine%handle
    code = c_schedule_read_json(file, c_loc(name), pattern%handle, on, schedule%handle)
    closed = c_fclose(file)
    call finish(code, status)
  end subroutine qdr_schedule_read_json

  ! Local. `steps` have been predicted; `bound`, in seconds, is drawn as a line.
  subroutine qdr_schedule_write_svg(schedule, steps, bound, title, path, status)
    type(qdr_schedule), intent(in) :: schedule
    type(qdr_step), intent(in), contiguous, target :: steps(:)
    real(real64), intent(in) :: bound
    character(*), intent(in) :: title, path
    integer, intent(out), optional :: status
    character(:, c_char), allocatable, target :: text
    type(c_ptr) :: file
    integer(c_int) :: code
    if (.not. opens(path, "w", file, status)) return
    text = c_text(title)
    code = c_schedule_write_svg(schedule%handle, size(steps, kind=c_int64_t), c_loc(steps), bound, c_loc(text), file)
    call close_file(file, code)
    call finish(code, status)
  end subroutine qdr_schedule_write_svg

  ! Local.
  subroutine qdr_moves_write_json(moves, path, status)
    type(qdr_moves), intent(in) :: moves
    character(*), intent(in) :: path
    integer, intent(out), optional :: status
    type(c_ptr) :: file
    integer(c_int) :: code
    if (.not. opens(path, "w", file, status)) return
    code = c_moves_write_json(moves%handle, file)
    call close_file(file, code)
    call finish(code, status)
  end subroutine qdr_moves_write_json

  ! Local.
  subroutine qdr_moves_write_svg(pattern, room, moves, path, status)
    type(qdr_pattern), intent(in) :: pattern
    integer(int64), intent(in), contiguous, target :: room(:)
    type(qdr_moves), intent(in) :: moves
    character(*), intent(in) :: path
    integer, intent(out), optional :: status
    type(c_ptr) :: file
    integer(c_int) :: code
    if (.not. opens(path, "w", file, status)) return
    code = c_moves_write_svg(pattern%handle, c_loc(room), moves%handle, file)
    call close_file(file, code)
    call finish(code, status)
  end subroutine qdr_moves_write_svg

  ! ---- pictures of your own ---------------------------------------------------------------------------------

  ! Local. Begins a picture in a file. No shape fails; destroying says whether all of them were written.
  subroutine qdr_picture_create(path, width, height, font_size, picture, status)
    character(*), intent(in) :: path
    real(real64), intent(in) :: width, height, font_size
    type(qdr_picture), intent(inout) :: picture
    integer, intent(out), optional :: status
    integer(c_int) :: code
    if (.not. opens(path, "w", picture%file, status)) return
    code = c_picture_create(picture%file, width, height, font_size, picture%handle)
    if (code /= QDR_OK) call close_file(picture%file, code)
    call finish(code, status)
  end subroutine qdr_picture_create

  ! Local. Ends the picture, and closes its file.
  subroutine qdr_picture_destroy(picture, status)
    type(qdr_picture), intent(inout) :: picture
    integer, intent(out), optional :: status
    integer(c_int) :: code
    if (.not. c_associated(picture%handle)) then
      call finish(QDR_OK, status)
      return
    end if
    code = c_picture_destroy(picture%handle)
    call close_file(picture%file, code)
    picture%file = c_null_ptr
    call finish(code, status)
  end subroutine qdr_picture_destroy

  ! Local. Shapes. `style` is any SVG attributes; `title` is what a browser shows under the pointer.
  subroutine qdr_picture_rectangle(picture, x, y, width, height, style, title)
    type(qdr_picture), intent(in) :: picture
    real(real64), intent(in) :: x, y, width, height
    character(*), intent(in), optional :: style, title
    character(:, c_char), allocatable, target :: look, text
    call c_picture_rectangle(picture%handle, x, y, width, height, optional_text(style, look), optional_text(title, text))
  end subroutine qdr_picture_rectangle

  subroutine qdr_picture_circle(picture, x, y, radius, style)
    type(qdr_picture), intent(in) :: picture
    real(real64), intent(in) :: x, y, radius
    character(*), intent(in), optional :: style
    character(:, c_char), allocatable, target :: look
    call c_picture_circle(picture%handle, x, y, radius, optional_text(style, look))
  end subroutine qdr_picture_circle

  subroutine qdr_picture_line(picture, x1, y1, x2, y2, style)
    type(qdr_picture), intent(in) :: picture
    real(real64), intent(in) :: x1, y1, x2, y2
    character(*), intent(in), optional :: style
    character(:, c_char), allocatable, target :: look
    call c_picture_line(picture%handle, x1, y1, x2, y2, optional_text(style, look))
  end subroutine qdr_picture_line

  subroutine qdr_picture_text(picture, x, y, text, style)
    type(qdr_picture), intent(in) :: picture
    real(real64), intent(in) :: x, y
    character(*), intent(in) :: text
    character(*), intent(in), optional :: style
    character(:, c_char), allocatable, target :: look, words
    words = c_text(text)
    call c_picture_text(picture%handle, x, y, optional_text(style, look), c_loc(words))
  end subroutine qdr_picture_text

  ! Local. Many shapes of one style in one path: a pen moves, draws lines, closes a polygon, or draws a box.
  subroutine qdr_picture_path(picture, style)
    type(qdr_picture), intent(in) :: picture
    character(*), intent(in), optional :: style
    character(:, c_char), allocatable, target :: look
    call c_picture_path(picture%handle, optional_text(style, look))
  end subroutine qdr_picture_path

  subroutine qdr_picture_pen_move(picture, x, y)
    type(qdr_picture), intent(in) :: picture
    real(real64), intent(in) :: x, y
    call c_picture_pen_move(picture%handle, x, y)
  end subroutine qdr_picture_pen_move

  subroutine qdr_picture_pen_line(picture, x, y)
    type(qdr_picture), intent(in) :: picture
    real(real64), intent(in) :: x, y
    call c_picture_pen_line(picture%handle, x, y)
  end subroutine qdr_picture_pen_line

  subroutine qdr_picture_pen_close(picture)
    type(qdr_picture), intent(in) :: picture
    call c_picture_pen_close(picture%handle)
  end subroutine qdr_picture_pen_close

  subroutine qdr_picture_pen_box(picture, x, y, width, height)
    type(qdr_picture), intent(in) :: picture
    real(real64), intent(in) :: x, y, width, height
    call c_picture_pen_box(picture%handle, x, y, width, height)
  end subroutine qdr_picture_pen_box

  subroutine qdr_picture_path_end(picture, title)
    type(qdr_picture), intent(in) :: picture
    character(*), intent(in), optional :: title
    character(:, c_char), allocatable, target :: text
    call c_picture_path_end(picture%handle, optional_text(title, text))
  end subroutine qdr_picture_path_end

  ! Local. Shapes inside a group have its style; those inside a window are cut off at its edges.
  subroutine qdr_picture_group(picture, style)
    type(qdr_picture), intent(in) :: picture
    character(*), intent(in) :: style
    character(:, c_char), allocatable, target :: look
    look = c_text(style)
    call c_picture_group(picture%handle, c_loc(look))
  end subroutine qdr_picture_group

  subroutine qdr_picture_group_end(picture)
    type(qdr_picture), intent(in) :: picture
    call c_picture_group_end(picture%handle)
  end subroutine qdr_picture_group_end

  subroutine qdr_picture_window(picture, x, y, width, height)
    type(qdr_picture), intent(in) :: picture
    real(real64), intent(in) :: x, y, width, height
    call c_picture_window(picture%handle, x, y, width, height)
  end subroutine qdr_picture_window

  subroutine qdr_picture_window_end(picture)
    type(qdr_picture), intent(in) :: picture
    call c_picture_window_end(picture%handle)
  end subroutine qdr_picture_window_end

  ! Local. The colour of a rank, a part or a line by its number.
  function qdr_picture_colour(number) result(colour)
    integer, intent(in) :: number
    character(:), allocatable :: colour
    character(c_char), target :: room(QDR_COLOUR_TEXT)
    colour = text_of(c_picture_colour(int(number, c_int), c_loc(room)))
  end function qdr_picture_colour

  ! Local. The round number that cuts an axis of this length into 4 to 9 parts.
  function qdr_picture_tick(length) result(tick)
    real(real64), intent(in) :: length
    real(real64) :: tick
    tick = c_picture_tick(length)
  end function qdr_picture_tick

end module quadrille_io
