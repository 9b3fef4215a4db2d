! SPDX-License-Identifier: BSD-3-Clause
! Schedules: see quadrille/schedule.h.
module quadrille_schedule
  use quadrille_base, qdr_step => c_step, qdr_bounds => c_bounds, qdr_prediction => c_prediction, &
    qdr_piece => c_piece, qdr_transfer => c_transfer
  use quadrille_pattern, only: qdr_pattern
  use quadrille_machine, only: qdr_machine
  implicit none
  private
  public :: qdr_schedule, qdr_schedule_info, qdr_step, qdr_bounds, qdr_prediction, qdr_piece, qdr_transfer
  public :: qdr_row, qdr_row_reader, qdr_algorithm_info
  public :: qdr_algorithm, qdr_algorithm_find
  public :: qdr_schedule_create, qdr_schedule_destroy, qdr_schedule_look, qdr_schedule_pattern
  public :: qdr_row_reader_create, qdr_row_read, qdr_row_reader_destroy
  public :: qdr_schedule_steps, qdr_schedule_check, qdr_bounds_compute, qdr_schedule_predict, qdr_way_predict
  public :: qdr_auto_candidate, qdr_auto_reason
  public :: qdr_broadcast_steps, qdr_steps_predict, qdr_steps_write_text

  type :: qdr_schedule
    type(c_ptr) :: handle = c_null_ptr
  end type qdr_schedule

  type :: qdr_schedule_info
    character(:), allocatable :: algorithm, spec
    integer :: promises = 0, ranks = 0, stages = 0
    integer(int64) :: phases = 0, transfers = 0
    logical :: direct = .false.
  end type qdr_schedule_info

  type :: qdr_algorithm_info
    character(:), allocatable :: name, aliases, summary, source, options
    integer :: knowledge = 0, promises = 0
    logical :: direct = .false., at_run_time = .false., needs_machine = .false., by_nodes = .false.
  end type qdr_algorithm_info

  type :: qdr_row_reader
    type(c_ptr) :: handle = c_null_ptr
  end type qdr_row_reader

  ! What one rank does in one stage, until the next row is read. Pieces are numbered from 0, as `first` of a transfer is.
  type :: qdr_row
    type(qdr_transfer), pointer :: send(:) => null(), receive(:) => null()
    type(qdr_piece), pointer :: piece(:) => null()
  end type qdr_row

contains

  ! ---- algorithms -----------------------------------------------------------------------------------------

  ! Local. The index-th algorithm, from 1; a name of no letters past the last.
  function qdr_algorithm(index) result(info)
    integer, intent(in) :: index
    type(qdr_algorithm_info) :: info
    info = told(c_algorithm(int(index - 1, c_int)))
  end function qdr_algorithm

  ! Local. By its name, or by a name of the papers.
  subroutine qdr_algorithm_find(name, info, status)
    character(*), intent(in) :: name
    type(qdr_algorithm_info), intent(out) :: info
    integer, intent(out), optional :: status
    character(:, c_char), allocatable, target :: text
    type(c_ptr), target :: line
    integer(c_int) :: code
    text = c_text(name)
    line = c_null_ptr
    code = c_algorithm_find(c_loc(text), c_loc(line))
    info = told(line)
    call finish(code, status)
  end subroutine qdr_algorithm_find

  function told(line) result(info)
    type(c_ptr), intent(in) :: line
    type(qdr_algorithm_info) :: info
    type(c_algorithm_info), pointer :: c
    info%name = ""
    if (.not. c_associated(line)) return
    call c_f_pointer(line, c)
    info%name = text_of(c%name)
    info%aliases = text_of(c%aliases)
    info%summary = text_of(c%summary)
    info%source = text_of(c%source)
    info%options = text_of(c%options)
    info%knowledge = c%knowledge
    info%promises = c%promises
    info%direct = c%direct /= 0
    info%at_run_time = c%at_run_time /= 0
    info%needs_machine = c%needs_machine /= 0
    info%by_nodes = c%by_nodes /= 0
  end function told

  ! ---- making one -----------------------------------------------------------------------------------------

  ! Local and pure.
  subroutine qdr_schedule_create(pattern, algorithm, schedule, machine, status)
    type(qdr_pattern), intent(in) :: pattern
    character(*), intent(in) :: algorithm
    type(qdr_schedule), intent(inout) :: schedule
    type(qdr_machine), intent(in), optional :: machine
    integer, intent(out), optional :: status
    character(:, c_char), allocatable, target :: text
    text = c_text(algorithm)
    call finish(c_schedule_create(pattern%handle, c_loc(text), of(machine), schedule%handle), status)
  end subroutine qdr_schedule_create

  function of(machine) result(handle)
    type(qdr_machine), intent(in), optional :: machine
    type(c_ptr) :: handle
    handle = c_null_ptr
    if (present(machine)) handle = machine%handle
  end function of

  ! Local.
  subroutine qdr_schedule_destroy(schedule)
    type(qdr_schedule), intent(inout) :: schedule
    call c_schedule_destroy(schedule%handle)
  end subroutine qdr_schedule_destroy

  ! Local, free of cost.
  subroutine qdr_schedule_look(schedule, info, status)
    type(qdr_schedule), intent(in) :: schedule
    type(qdr_schedule_info), intent(out) :: info
    integer, intent(out), optional :: status
    type(c_schedule_info), target :: c
    integer(c_int) :: code
    code = c_schedule_look_sized(schedule%handle, c_loc(c), c_sizeof(c))
    info%algorithm = text_of(c%algorithm)
    info%spec = text_of(c%spec)
    info%promises = c%promises
    info%ranks = c%ranks
    info%stages = c%stages
    info%phases = c%phases
    info%transfers = c%transfers
    info%direct = c%direct /= 0
    call finish(code, status)
  end subroutine qdr_schedule_look

  ! Local, free of cost. Its pattern, as long as the schedule lives: not to be destroyed.
  function qdr_schedule_pattern(schedule) result(pattern)
    type(qdr_schedule), intent(in) :: schedule
    type(qdr_pattern) :: pattern
    pattern%handle = c_schedule_pattern(schedule%handle)
  end function qdr_schedule_pattern

  ! ---- reading it -----------------------------------------------------------------------------------------

  ! Local. It keeps the schedule alive.
  subroutine qdr_row_reader_create(schedule, reader, status)
    type(qdr_schedule), intent(in) :: schedule
    type(qdr_row_reader), intent(inout) :: reader
    integer, intent(out), optional :: status
    call finish(c_row_reader_create(schedule%handle, reader%handle), status)
  end subroutine qdr_row_reader_create

  ! Local. Ranks and stages count from 0.
  subroutine qdr_row_read(reader, rank, stage, row, status)
    type(qdr_row_reader), intent(inout) :: reader
    integer, intent(in) :: rank, stage
    type(qdr_row), intent(out) :: row
    integer, intent(out), optional :: status
    type(c_row), target :: c
    integer(c_int) :: code
    code = c_row_read_sized(reader%handle, int(rank, c_int), int(stage, c_int), c_loc(c), c_sizeof(c))
    if (code == QDR_OK) then
      call c_f_pointer(c%send, row%send, [c%sends])
      call c_f_pointer(c%receive, row%receive, [c%receives])
      call c_f_pointer(c%piece, row%piece, [max(last_of(row%send), last_of(row%receive))])
      row%piece(0:) => row%piece
    end if
    call finish(code, status)
  end subroutine qdr_row_read

  function last_of(transfer) result(pieces)
    type(qdr_transfer), intent(in) :: transfer(:)
    integer(c_int64_t) :: pieces
    integer :: i
    pieces = 0
    do i = 1, size(transfer)
      pieces = max(pieces, transfer(i)%first + transfer(i)%pieces)
    end do
  end function last_of

  ! Local.
  subroutine qdr_row_reader_destroy(reader)
    type(qdr_row_reader), intent(inout) :: reader
    call c_row_reader_destroy(reader%handle)
  end subroutine qdr_row_reader_destroy

  ! Local. All transfers, by rising stage and phase.
  subroutine qdr_schedule_steps(schedule, steps, status)
    type(qdr_schedule), intent(in) :: schedule
    type(qdr_step), allocatable, intent(out) :: steps(:)
    integer, intent(out), optional :: status
    integer(c_int64_t), target :: count
    type(c_ptr), target :: list
    integer(c_int) :: code
    count = 0
    list = c_null_ptr
    code = c_schedule_steps(schedule%handle, c_loc(count), list)
    call take_steps(list, count, steps)
    call finish(code, status)
  end subroutine qdr_schedule_steps

  subroutine take_steps(list, count, steps)
    type(c_ptr), intent(in) :: list
    integer(c_int64_t), intent(in) :: count
    type(qdr_step), allocatable, intent(out) :: steps(:)
    type(qdr_step), pointer :: c(:)
    allocate (steps(count))
    if (.not. c_associated(list)) return
    call c_f_pointer(list, c, [count])
    steps = c
    call c_free(list)
  end subroutine take_steps

  ! Local.
  subroutine qdr_schedule_check(schedule, status)
    type(qdr_schedule), intent(in) :: schedule
    integer, intent(out), optional :: status
    call finish(c_schedule_check(schedule%handle), status)
  end subroutine qdr_schedule_check

  ! ---- predicting it --------------------------------------------------------------------------------------

  ! Local. Lower bounds on the time of any exchange of the pattern, in seconds.
  subroutine qdr_bounds_compute(pattern, machine, item_bytes, bounds, status)
    type(qdr_pattern), intent(in) :: pattern
    type(qdr_machine), intent(in) :: machine
    integer(int64), intent(in) :: item_bytes
    type(qdr_bounds), intent(out), target :: bounds
    integer, intent(out), optional :: status
    call finish(c_bounds_compute_sized(pattern%handle, machine%handle, item_bytes, c_loc(bounds), c_sizeof(bounds)), &
                status)
  end subroutine qdr_bounds_compute

  ! Local. `steps`, if they are given, are the schedule's own, and learn when they begin and end.
  subroutine qdr_schedule_predict(schedule, machine, item_bytes, prediction, steps, status)
    type(qdr_schedule), intent(in) :: schedule
    type(qdr_machine), intent(in) :: machine
    integer(int64), intent(in) :: item_bytes
    type(qdr_prediction), intent(out), target :: prediction
    type(qdr_step), intent(inout), contiguous, target, optional :: steps(:)
    integer, intent(out), optional :: status
    type(c_ptr) :: list
    list = c_null_ptr
    if (present(steps)) list = c_loc(steps)
    call finish(c_schedule_predict_sized(schedule%handle, machine%handle, item_bytes, list, c_loc(prediction), &
                                         c_sizeof(prediction)), status)
  end subroutine qdr_schedule_predict

  ! Local. What an exchange takes in one way, in seconds.
  subroutine qdr_way_predict(pattern, algorithm, machine, item_bytes, seconds, pacing, barrier, window, status)
    type(qdr_pattern), intent(in) :: pattern
    character(*), intent(in) :: algorithm
    type(qdr_machine), intent(in) :: machine
    integer(int64), intent(in) :: item_bytes
    real(real64), intent(out) :: seconds
    character(*), intent(in), optional :: pacing
    logical, intent(in), optional :: barrier
    integer(int64), intent(in), optional :: window
    integer, intent(out), optional :: status
    character(:, c_char), allocatable, target :: name, pace
    type(c_way), target :: way
    real(c_double), target :: answer
    integer(c_int) :: code
    name = c_text(algorithm)
    way%algorithm = c_loc(name)
    if (present(pacing)) then
      pace = c_text(pacing)
      way%pacing = c_loc(pace)
    end if
    if (present(barrier)) way%barrier = merge(1, 0, barrier)
    if (present(window)) way%window = window
    answer = 0
    code = c_way_predict_sized(pattern%handle, c_loc(way), c_sizeof(way), machine%handle, item_bytes, c_loc(answer))
    seconds = answer
    call finish(code, status)
  end subroutine qdr_way_predict

  ! Local. The index-th algorithm that a plan of this pattern may choose, from 1; no letters past the last.
  function qdr_auto_candidate(pattern, reuse, index) result(name)
    type(qdr_pattern), intent(in) :: pattern
    integer(int64), intent(in) :: reuse
    integer, intent(in) :: index
    character(:), allocatable :: name
    name = text_of(c_auto_candidate(pattern%handle, reuse, int(index - 1, c_int)))
  end function qdr_auto_candidate

  ! Local.
  function qdr_auto_reason(pattern) result(text)
    type(qdr_pattern), intent(in) :: pattern
    character(:), allocatable :: text
    text = text_of(c_auto_reason(pattern%handle))
  end function qdr_auto_reason

  ! ---- steps alone ----------------------------------------------------------------------------------------

  ! Local. How group(1) brings something to the rest of the group: "linear" or "recursive".
  subroutine qdr_broadcast_steps(algorithm, group, items, steps, status)
    character(*), intent(in) :: algorithm
    integer, intent(in), contiguous, target :: group(:)
    integer(int64), intent(in) :: items
    type(qdr_step), allocatable, intent(out) :: steps(:)
    integer, intent(out), optional :: status
    character(:, c_char), allocatable, target :: text
    integer(c_int64_t), target :: count
    type(c_ptr) :: list
    integer(c_int) :: code
    text = c_text(algorithm)
    count = 0
    list = c_null_ptr
    code = c_broadcast_steps(c_loc(text), size(group, kind=c_int), c_loc(group), items, c_loc(count), list)
    call take_steps(list, count, steps)
    call finish(code, status)
  end subroutine qdr_broadcast_steps

  ! Local.
  subroutine qdr_steps_predict(steps, machine, item_bytes, prediction, status)
    type(qdr_step), intent(inout), contiguous, target :: steps(:)
    type(qdr_machine), intent(in) :: machine
    integer(int64), intent(in) :: item_bytes
    type(qdr_prediction), intent(out), target :: prediction
    integer, intent(out), optional :: status
    call finish(c_steps_predict_sized(size(steps, kind=c_int64_t), c_loc(steps), machine%handle, item_bytes, &
                                      c_loc(prediction), c_sizeof(prediction)), status)
  end subroutine qdr_steps_predict

  ! Local. One line per phase, at the end of a file.
  subroutine qdr_steps_write_text(steps, path, status)
    type(qdr_step), intent(in), contiguous, target :: steps(:)
    character(*), intent(in) :: path
    integer, intent(out), optional :: status
    type(c_ptr) :: file
    integer(c_int) :: code
    call open_file(path, "a", file, code)
    if (code /= QDR_OK) then
      call refuse("qdr_steps_write_text: "//trim(path)//" cannot be opened", status, code)
      return
    end if
    code = c_steps_write_text(size(steps, kind=c_int64_t), c_loc(steps), file)
    call close_file(file, code)
    call finish(code, status)
  end subroutine qdr_steps_write_text

end module quadrille_schedule
