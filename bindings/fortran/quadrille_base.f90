! SPDX-License-Identifier: BSD-3-Clause
! Errors, texts and lists: what the other modules are made of.
module quadrille_base
  use, intrinsic :: iso_c_binding
  use, intrinsic :: iso_fortran_env, only: int8, int16, int32, int64, real32, real64
  use quadrille_c
  use quadrille_comm
  implicit none
  public

  ! What was refused here, before C saw it; no letters: C has the sentence.
  character(:), allocatable, save :: own_sentence

  abstract interface
    ! Receives a line that the library says beside its results, and that ends with a zero.
    subroutine qdr_log_function(context, line) bind(C)
      import
      type(c_ptr), value :: context, line
    end subroutine qdr_log_function
  end interface

  ! A variable of the environment.
  type :: qdr_environment_info
    character(:), allocatable :: name, kind, expected, standard, reader, meaning
  end type qdr_environment_info

  ! Numbers of places: in Fortran the first is 1, in C it is 0. A list becomes one of C, of 64 bits.
  interface places
    module procedure places_32, places_64
  end interface places

  ! Numbers of a list of C, to be read as long as what has it.
  interface seen
    module procedure seen_int, seen_int64
  end interface seen

  interface
    function c_fopen(path, mode) result(answer) bind(C, name="fopen")
      import
      character(c_char), intent(in) :: path(*), mode(*)
      type(c_ptr) :: answer
    end function c_fopen
    function c_fclose(file) result(answer) bind(C, name="fclose")
      import
      type(c_ptr), value :: file
      integer(c_int) :: answer
    end function c_fclose
    subroutine c_free(memory) bind(C, name="free")
      import
      type(c_ptr), value :: memory
    end subroutine c_free
  end interface

contains

  ! What every routine ends with: whoever does not ask for the status wants none but QDR_OK.
  subroutine finish(code, status)
    integer(c_int), intent(in) :: code
    integer, intent(out), optional :: status
    if (code /= QDR_OK) own_sentence = ""
    if (present(status)) then
      status = code
    else if (code /= QDR_OK) then
      call stop_with(qdr_error_message())
    end if
  end subroutine finish

  ! What C cannot know of: said here, in a sentence.
  subroutine refuse(sentence, status, code)
    character(*), intent(in) :: sentence
    integer, intent(out), optional :: status
    integer(c_int), intent(in), optional :: code
    integer(c_int) :: kind
    kind = QDR_ERR_INVALID
    if (present(code)) kind = code
    own_sentence = sentence
    if (present(status)) then
      status = kind
    else
      call stop_with(sentence)
    end if
  end subroutine refuse

  subroutine stop_with(sentence)
    character(*), intent(in) :: sentence
    error stop sentence
  end subroutine stop_with

  ! Local. The sentence of this thread's most recent failure.
  function qdr_error_message() result(text)
    character(:), allocatable :: text
    text = ""
    if (allocated(own_sentence)) text = own_sentence
    if (text == "") text = text_of(c_error_message())
  end function qdr_error_message

  ! Local. The fixed text of a status.
  function qdr_status_text(status) result(text)
    integer, intent(in) :: status
    character(:), allocatable :: text
    text = text_of(c_status_text(int(status, c_int)))
  end function qdr_status_text

  ! Local. The version of the library that runs.
  function qdr_version() result(text)
    character(:), allocatable :: text
    text = text_of(c_version())
  end function qdr_version

  ! Local. Lines of this rank go to `function`; without one they are dropped.
  subroutine qdr_set_log(function, context)
    procedure(qdr_log_function), optional :: function
    type(c_ptr), intent(in), optional :: context
    type(c_ptr) :: given
    given = c_null_ptr
    if (present(context)) given = context
    if (present(function)) then
      call c_set_log(c_funloc(function), given)
    else
      call c_set_log(c_null_funptr, given)
    end if
  end subroutine qdr_set_log

  ! Local. The index-th variable that the library reads, from 1; a name of no letters past the last.
  function qdr_environment(index) result(info)
    integer, intent(in) :: index
    type(qdr_environment_info) :: info
    type(c_environment_info), pointer :: c
    type(c_ptr) :: line
    line = c_environment(int(index - 1, c_int))
    info%name = ""
    if (.not. c_associated(line)) return
    call c_f_pointer(line, c)
    info%name = text_of(c%name)
    info%kind = text_of(c%kind)
    info%expected = text_of(c%expected)
    info%standard = text_of(c%standard)
    info%reader = text_of(c%reader)
    info%meaning = text_of(c%meaning)
  end function qdr_environment

  ! ---- types and operations ---------------------------------------------------------------------------------

  ! Local. The bytes of one value; 0 for a type that does not exist.
  function qdr_type_bytes(type) result(bytes)
    integer, intent(in) :: type
    integer(int64) :: bytes
    bytes = c_type_bytes(int(type, c_int))
  end function qdr_type_bytes

  ! Local. Names, of no letters for what does not exist.
  function qdr_type_name(type) result(name)
    integer, intent(in) :: type
    character(:), allocatable :: name
    name = text_of(c_type_name(int(type, c_int)))
  end function qdr_type_name

  function qdr_operation_name(operation) result(name)
    integer, intent(in) :: operation
    character(:), allocatable :: name
    name = text_of(c_operation_name(int(operation, c_int)))
  end function qdr_operation_name

  ! Local. Whether the operation is defined for the type.
  function qdr_operation_suits(operation, type) result(answer)
    integer, intent(in) :: operation, type
    logical :: answer
    answer = c_operation_suits(int(operation, c_int), int(type, c_int)) /= 0
  end function qdr_operation_suits

  ! ---- texts ----------------------------------------------------------------------------------------------

  function text_of(address) result(text)
    type(c_ptr), intent(in) :: address
    character(:), allocatable :: text
    character(c_char), pointer :: letter(:)
    integer :: length, i
    text = ""
    if (.not. c_associated(address)) return
    call c_f_pointer(address, letter, [huge(0)])
    length = 0
    do while (letter(length + 1) /= c_null_char)
      length = length + 1
    end do
    text = repeat(" ", length)
    do i = 1, length
      text(i:i) = letter(i)
    end do
  end function text_of

  ! A text of C, to be kept as long as C looks at it; blanks at the end do not count.
  function c_text(text) result(copy)
    character(*), intent(in) :: text
    character(:, c_char), allocatable :: copy
    copy = trim(text)//c_null_char
  end function c_text

  ! NULL where there is none. `copy` keeps the text as long as C looks at it.
  function optional_text(text, copy) result(address)
    character(*), intent(in), optional :: text
    character(:, c_char), allocatable, target, intent(inout) :: copy
    type(c_ptr) :: address
    address = c_null_ptr
    if (.not. present(text)) return
    copy = c_text(text)
    address = c_loc(copy)
  end function optional_text

  ! What C has for a logical that may be left out.
  pure function flag(is_set) result(answer)
    logical, intent(in), optional :: is_set
    integer(c_int) :: answer
    answer = 0
    if (present(is_set)) answer = merge(1, 0, is_set)
  end function flag

  ! ---- lists ----------------------------------------------------------------------------------------------

  ! The length of two lists that belong together. Where they differ, C refuses the number, on all ranks: if this rank alone
  ! did, the others would wait for it.
  pure function common(one, other) result(count)
    integer, intent(in) :: one, other
    integer(c_int) :: count
    count = merge(one, -1, one == other)
  end function common

  function places_32(list) result(from_zero)
    integer(int32), intent(in) :: list(:)
    integer(c_int64_t), allocatable :: from_zero(:)
    from_zero = int(list, c_int64_t) - 1
  end function places_32

  function places_64(list) result(from_zero)
    integer(int64), intent(in) :: list(:)
    integer(c_int64_t), allocatable :: from_zero(:)
    from_zero = int(list, c_int64_t) - 1
  end function places_64

  ! `first` is the number of the first: 1 for a list, 0 where the library counts what is in it.
  subroutine seen_int(address, count, list, first)
    type(c_ptr), intent(in) :: address
    integer(c_int64_t), intent(in) :: count
    integer(c_int), pointer, intent(out) :: list(:)
    integer, intent(in), optional :: first
    call c_f_pointer(address, list, [count])
    if (present(first)) list(first:) => list
  end subroutine seen_int

  subroutine seen_int64(address, count, list, first)
    type(c_ptr), intent(in) :: address
    integer(c_int64_t), intent(in) :: count
    integer(c_int64_t), pointer, intent(out) :: list(:)
    integer, intent(in), optional :: first
    call c_f_pointer(address, list, [count])
    if (present(first)) list(first:) => list
  end subroutine seen_int64

  ! ---- files ----------------------------------------------------------------------------------------------

  ! `code` is QDR_ERR_FILE where there is no such file.
  subroutine open_file(path, mode, file, code)
    character(*), intent(in) :: path, mode
    type(c_ptr), intent(out) :: file
    integer(c_int), intent(out) :: code
    file = c_fopen(c_text(path), c_text(mode))
    code = merge(QDR_OK, QDR_ERR_FILE, c_associated(file))
  end subroutine open_file

  ! What was written last may find no room.
  subroutine close_file(file, code)
    type(c_ptr), intent(in) :: file
    integer(c_int), intent(inout) :: code
    if (.not. c_associated(file)) return
    if (c_fclose(file) /= 0 .and. code == QDR_OK) code = QDR_ERR_FILE
  end subroutine close_file

end module quadrille_base
