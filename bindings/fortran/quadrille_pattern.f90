! SPDX-License-Identifier: BSD-3-Clause
! Patterns: see quadrille/pattern.h.
module quadrille_pattern
  use quadrille_base, qdr_pattern_statistics => c_pattern_statistics
  implicit none
  private
  public :: qdr_pattern, qdr_pattern_view, qdr_pattern_statistics, qdr_pattern_family_info
  public :: qdr_pattern_create, qdr_pattern_from_spec, qdr_pattern_read, qdr_pattern_write, qdr_pattern_destroy
  public :: qdr_pattern_look, qdr_pattern_measure, qdr_pattern_class_text, qdr_pattern_family

  type :: qdr_pattern
    type(c_ptr) :: handle = c_null_ptr
  end type qdr_pattern

  ! The matrix itself, to read as long as the pattern lives. Messages are numbered from 0, as in C, and so are these lists.
  type :: qdr_pattern_view
    integer :: ranks = 0
    integer(c_int64_t) :: messages = 0
    integer(c_int), pointer :: origin(:) => null(), destination(:) => null()
    integer(c_int64_t), pointer :: items(:) => null()
    integer(c_int64_t), pointer :: row_start(:) => null(), column_start(:) => null() ! 0 to ranks
    integer(c_int64_t), pointer :: column_message(:) => null()
    integer(c_int64_t), pointer :: local(:) => null() ! 0 to ranks - 1
  end type qdr_pattern_view

  type :: qdr_pattern_family_info
    character(:), allocatable :: name, summary, source, example, options
  end type qdr_pattern_family_info

contains

  ! Local. origin(i) sends items(i) items to destination(i); ranks count from 0.
  subroutine qdr_pattern_create(ranks, origin, destination, items, pattern, status)
    integer, intent(in) :: ranks
    integer, intent(in) :: origin(:), destination(:)
    integer(int64), intent(in) :: items(:)
    type(qdr_pattern), intent(inout) :: pattern
    integer, intent(out), optional :: status
    type(c_message), allocatable, target :: message(:)
    integer :: i
    if (size(destination) /= size(origin) .or. size(items) /= size(origin)) then
      call refuse("qdr_pattern_create: origin, destination and items have different lengths", status)
      return
    end if
    allocate (message(size(origin)))
    do i = 1, size(origin)
      message(i) = c_message(origin(i), destination(i), items(i))
    end do
    call finish(c_pattern_create_sized(int(ranks, c_int), size(origin, kind=c_int64_t), c_loc(message), &
                                       c_sizeof(c_message()), pattern%handle), status)
  end subroutine qdr_pattern_create

  ! Local.
  subroutine qdr_pattern_from_spec(spec, pattern, status)
    character(*), intent(in) :: spec
    type(qdr_pattern), intent(inout) :: pattern
    integer, intent(out), optional :: status
    character(:, c_char), allocatable, target :: text
    text = c_text(spec)
    call finish(c_pattern_from_spec(c_loc(text), pattern%handle), status)
  end subroutine qdr_pattern_from_spec

  ! Local. A Matrix Market file; `pattern_items` is what an entry counts where the file has no values.
  subroutine qdr_pattern_read(path, pattern, pattern_items, status)
    character(*), intent(in) :: path
    type(qdr_pattern), intent(inout) :: pattern
    integer(int64), intent(in), optional :: pattern_items
    integer, intent(out), optional :: status
    character(:, c_char), allocatable, target :: text
    integer(c_int64_t) :: items
    integer(c_int) :: code, closed
    type(c_ptr) :: file
    items = 0
    if (present(pattern_items)) items = pattern_items
    text = c_text(path)
    call open_file(path, "r", file, code)
    if (code /= QDR_OK) then
      call refuse("qdr_pattern_read: "//trim(path)//" cannot be opened", status, QDR_ERR_FILE)
      return
    end if
    code = c_pattern_read(file, c_loc(text), items, pattern%handle)
    closed = c_fclose(file)
    call finish(code, status)
  end subroutine qdr_pattern_read

  ! Local.
  subroutine qdr_pattern_write(pattern, path, status)
    type(qdr_pattern), intent(in) :: pattern
    character(*), intent(in) :: path
    integer, intent(out), optional :: status
    integer(c_int) :: code
    type(c_ptr) :: file
    call open_file(path, "w", file, code)
    if (code /= QDR_OK) then
      call refuse("qdr_pattern_write: "//trim(path)//" cannot be opened", status, QDR_ERR_FILE)
      return
    end if
    code = c_pattern_write(pattern%handle, file)
    call close_file(file, code)
    call finish(code, status)
  end subroutine qdr_pattern_write

  ! Local.
  subroutine qdr_pattern_destroy(pattern)
    type(qdr_pattern), intent(inout) :: pattern
    call c_pattern_destroy(pattern%handle)
  end subroutine qdr_pattern_destroy

  ! Local, free of cost.
  function qdr_pattern_look(pattern) result(view)
    type(qdr_pattern), intent(in) :: pattern
    type(qdr_pattern_view) :: view
    type(c_pattern_view), target :: c
    call c_pattern_look_sized(pattern%handle, c_loc(c), c_sizeof(c))
    view%ranks = c%ranks
    view%messages = c%messages
    call seen(c%origin, c%messages, view%origin, 0)
    call seen(c%destination, c%messages, view%destination, 0)
    call seen(c%items, c%messages, view%items, 0)
    call seen(c%row_start, c%ranks + 1_c_int64_t, view%row_start, 0)
    call seen(c%column_start, c%ranks + 1_c_int64_t, view%column_start, 0)
    call seen(c%column_message, c%messages, view%column_message, 0)
    call seen(c%local, int(c%ranks, c_int64_t), view%local, 0)
  end function qdr_pattern_look

  ! Local.
  function qdr_pattern_measure(pattern) result(statistics)
    type(qdr_pattern), intent(in) :: pattern
    type(qdr_pattern_statistics), target :: statistics
    call c_pattern_measure_sized(pattern%handle, c_loc(statistics), c_sizeof(statistics))
  end function qdr_pattern_measure

  ! Local.
  function qdr_pattern_class_text(kind) result(text)
    integer, intent(in) :: kind
    character(:), allocatable :: text
    text = text_of(c_pattern_class_text(int(kind, c_int)))
  end function qdr_pattern_class_text

  ! Local. The index-th family, from 1; a name of no letters past the last.
  function qdr_pattern_family(index) result(info)
    integer, intent(in) :: index
    type(qdr_pattern_family_info) :: info
    type(c_pattern_family_info), pointer :: c
    type(c_ptr) :: line
    line = c_pattern_family(int(index - 1, c_int))
    info%name = ""
    if (.not. c_associated(line)) return
    call c_f_pointer(line, c)
    info%name = text_of(c%name)
    info%summary = text_of(c%summary)
    info%source = text_of(c%source)
    info%example = text_of(c%example)
    info%options = text_of(c%options)
  end function qdr_pattern_family

end module quadrille_pattern
