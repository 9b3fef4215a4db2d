! SPDX-License-Identifier: BSD-3-Clause
! Plans: see quadrille/plan.h.
module quadrille_plan
  use quadrille_base, qdr_event => c_event
  use quadrille_machine, only: qdr_machine
  use quadrille_partners, only: qdr_partners
  use quadrille_pending, only: qdr_pending
  use quadrille_schedule, only: qdr_schedule
  implicit none
  private
  public :: qdr_plan, qdr_plan_options, qdr_plan_info, qdr_candidate, qdr_event, qdr_trace_function, qdr_pacing_info
  public :: qdr_plan_create, qdr_plan_create_scheduled, qdr_plan_destroy, qdr_plan_look, qdr_plan_candidate
  public :: qdr_plan_tune, qdr_plan_schedule, qdr_plan_start, qdr_plan_exchange, qdr_pacing, qdr_stall_report
  public :: c_options, plan_texts, plan_seen

  type :: qdr_plan
    type(c_ptr) :: handle = c_null_ptr
  end type qdr_plan

  abstract interface
    ! Called for whatever happens in an exchange; `event` is a qdr_event.
    subroutine qdr_trace_function(context, event) bind(C)
      import
      type(c_ptr), value :: context
      type(qdr_event), intent(in) :: event
    end subroutine qdr_trace_function
  end interface

  ! What is left out is the default.
  type :: qdr_plan_options
    character(:), allocatable :: algorithm, pacing, transport
    type(qdr_machine) :: machine
    integer(int64) :: chunk = 0, window = 0, reuse = 0, item_bytes = 0
    integer :: in_flight = 0
    real(real64) :: deadline = 0 ! seconds
    logical :: barrier = .false.
    procedure(qdr_trace_function), pointer, nopass :: trace => null()
    type(c_ptr) :: trace_context = c_null_ptr
  end type qdr_plan_options

  ! The texts of options, as long as C looks at them.
  type :: plan_texts
    character(:, c_char), allocatable :: algorithm, pacing, transport
  end type plan_texts

  type :: qdr_plan_info
    character(:), allocatable :: algorithm, pacing, transport, why
    integer(int64) :: chunk = 0, window = 0, phases = 0, messages_out = 0, messages_in = 0
    integer(int64) :: items_out = 0, items_in = 0, exchanges = 0, staging_items = 0
    integer :: stages = 0, near_out = 0, near_in = 0, in_flight = 0
    real(real64) :: build_seconds = 0
  end type qdr_plan_info

  type :: qdr_candidate
    character(:), allocatable :: algorithm, pacing
    real(real64) :: seconds = 0
    integer(int64) :: tries = 0
    logical :: in_use = .false.
  end type qdr_candidate

  type :: qdr_pacing_info
    character(:), allocatable :: name, summary
  end type qdr_pacing_info

contains

  ! ---- options --------------------------------------------------------------------------------------------

  function c_options(options, texts) result(c)
    type(qdr_plan_options), intent(in) :: options
    type(plan_texts), intent(inout), target :: texts
    type(c_plan_options) :: c
    c%size = c_sizeof(c)
    if (allocated(options%algorithm)) c%algorithm = optional_text(options%algorithm, texts%algorithm)
    if (allocated(options%pacing)) c%pacing = optional_text(options%pacing, texts%pacing)
    if (allocated(options%transport)) c%transport = optional_text(options%transport, texts%transport)
    c%machine = options%machine%handle
    c%chunk = options%chunk
    c%window = options%window
    c%reuse = options%reuse
    c%item_bytes = options%item_bytes
    c%in_flight = options%in_flight
    c%deadline = options%deadline
    c%barrier = flag(options%barrier)
    if (associated(options%trace)) c%trace = c_funloc(options%trace)
    c%trace_context = options%trace_context
  end function c_options

  ! ---- making one -----------------------------------------------------------------------------------------

  ! Collective.
  subroutine qdr_plan_create(partners, plan, options, status)
    type(qdr_partners), intent(in) :: partners
    type(qdr_plan), intent(inout) :: plan
    type(qdr_plan_options), intent(in), optional :: options
    integer, intent(out), optional :: status
    type(c_plan_options), target :: c
    type(plan_texts), target :: texts
    if (present(options)) then
      c = c_options(options, texts)
      call finish(c_plan_create(partners%handle, c_loc(c), plan%handle), status)
    else
      call finish(c_plan_create(partners%handle, c_null_ptr, plan%handle), status)
    end if
  end subroutine qdr_plan_create

  ! Collective. With a schedule that exists.
  subroutine qdr_plan_create_scheduled(partners, schedule, plan, options, status)
    type(qdr_partners), intent(in) :: partners
    type(qdr_schedule), intent(in) :: schedule
    type(qdr_plan), intent(inout) :: plan
    type(qdr_plan_options), intent(in), optional :: options
    integer, intent(out), optional :: status
    type(c_plan_options), target :: c
    type(plan_texts), target :: texts
    c%size = c_sizeof(c)
    if (present(options)) c = c_options(options, texts)
    call finish(c_plan_create_scheduled(partners%handle, schedule%handle, c_loc(c), plan%handle), status)
  end subroutine qdr_plan_create_scheduled

  ! Local. QDR_ERR_BUSY while an exchange is under way.
  subroutine qdr_plan_destroy(plan, status)
    type(qdr_plan), intent(inout) :: plan
    integer, intent(out), optional :: status
    call finish(c_plan_destroy(plan%handle), status)
  end subroutine qdr_plan_destroy

  ! ---- looking at it --------------------------------------------------------------------------------------

  ! Local.
  subroutine qdr_plan_look(plan, info, status)
    type(qdr_plan), intent(in) :: plan
    type(qdr_plan_info), intent(out) :: info
    integer, intent(out), optional :: status
    type(c_plan_info), target :: c
    integer(c_int) :: code
    code = c_plan_look_sized(plan%handle, c_loc(c), c_sizeof(c))
    info = plan_seen(c)
    call finish(code, status)
  end subroutine qdr_plan_look

  function plan_seen(c) result(info)
    type(c_plan_info), intent(in) :: c
    type(qdr_plan_info) :: info
    info%algorithm = text_of(c%algorithm)
    info%pacing = text_of(c%pacing)
    info%transport = text_of(c%transport)
    info%why = text_of(c%why)
    info%chunk = c%chunk
    info%window = c%window
    info%phases = c%phases
    info%messages_out = c%messages_out
    info%messages_in = c%messages_in
    info%items_out = c%items_out
    info%items_in = c%items_in
    info%exchanges = c%exchanges
    info%staging_items = c%staging_items
    info%stages = c%stages
    info%near_out = c%near_out
    info%near_in = c%near_in
    info%in_flight = c%in_flight
    info%build_seconds = c%build_seconds
  end function plan_seen

  ! Local. The index-th way in which it can run, from 1; QDR_ERR_RANGE past the last.
  subroutine qdr_plan_candidate(plan, index, candidate, status)
    type(qdr_plan), intent(in) :: plan
    integer, intent(in) :: index
    type(qdr_candidate), intent(out) :: candidate
    integer, intent(out), optional :: status
    type(c_candidate), target :: c
    integer(c_int) :: code
    code = c_plan_candidate_sized(plan%handle, int(index - 1, c_int), c_loc(c), c_sizeof(c))
    candidate%algorithm = text_of(c%algorithm)
    candidate%pacing = text_of(c%pacing)
    candidate%seconds = c%seconds
    candidate%tries = c%tries
    candidate%in_use = c%in_use /= 0
    call finish(code, status)
  end subroutine qdr_plan_candidate

  ! Collective in that all ranks call it between the same two exchanges.
  subroutine qdr_plan_tune(plan, status)
    type(qdr_plan), intent(in) :: plan
    integer, intent(out), optional :: status
    call finish(c_plan_tune(plan%handle), status)
  end subroutine qdr_plan_tune

  ! Local. What it runs, as long as the plan lives: not to be destroyed. No handle: it is scheduled at run time.
  function qdr_plan_schedule(plan) result(schedule)
    type(qdr_plan), intent(in) :: plan
    type(qdr_schedule) :: schedule
    schedule%handle = c_plan_schedule(plan%handle)
  end function qdr_plan_schedule

  ! Local. The index-th way of pacing, from 1; a name of no letters past the last.
  function qdr_pacing(index) result(info)
    integer, intent(in) :: index
    type(qdr_pacing_info) :: info
    type(c_pacing_info), pointer :: c
    type(c_ptr) :: line
    line = c_pacing(int(index - 1, c_int))
    info%name = ""
    if (.not. c_associated(line)) return
    call c_f_pointer(line, c)
    info%name = text_of(c%name)
    info%summary = text_of(c%summary)
  end function qdr_pacing

  ! Local. This thread's most recent stall, in several lines.
  function qdr_stall_report() result(text)
    character(:), allocatable :: text
    text = text_of(c_stall_report())
  end function qdr_stall_report

  ! ---- running it -----------------------------------------------------------------------------------------

  ! Offsets count items from 0, as displacements of MPI do; sizes are of this exchange alone.
  function c_buffers_of(item_bytes, outgoing, incoming, outgoing_offset, incoming_offset, outgoing_items, &
                        incoming_items) result(c)
    integer, intent(in) :: item_bytes
    type(*), intent(in), target :: outgoing(..)
    type(*), intent(inout), target :: incoming(..)
    integer(int64), intent(in), contiguous, target, optional :: outgoing_offset(:), incoming_offset(:)
    integer(int64), intent(in), contiguous, target, optional :: outgoing_items(:), incoming_items(:)
    type(c_buffers) :: c
    c%item_bytes = item_bytes
    if (size(outgoing) > 0) c%outgoing_base = c_loc(outgoing)
    if (size(incoming) > 0) c%incoming_base = c_loc(incoming)
    if (present(outgoing_offset)) c%outgoing_offset = c_loc(outgoing_offset)
    if (present(incoming_offset)) c%incoming_offset = c_loc(incoming_offset)
    if (present(outgoing_items)) c%outgoing_items = c_loc(outgoing_items)
    if (present(incoming_items)) c%incoming_items = c_loc(incoming_items)
  end function c_buffers_of

  ! Local. Items lie one after the other, or where the offsets say, in the order of qdr_partners_look.
  subroutine qdr_plan_exchange(plan, item_bytes, outgoing, incoming, outgoing_offset, incoming_offset, &
                               outgoing_items, incoming_items, status)
    type(qdr_plan), intent(in) :: plan
    integer, intent(in) :: item_bytes
    type(*), intent(in), target :: outgoing(..)
    type(*), intent(inout), target :: incoming(..)
    integer(int64), intent(in), contiguous, target, optional :: outgoing_offset(:), incoming_offset(:)
    integer(int64), intent(in), contiguous, target, optional :: outgoing_items(:), incoming_items(:)
    integer, intent(out), optional :: status
    type(c_buffers), target :: c
    if (.not. (is_contiguous(outgoing) .and. is_contiguous(incoming))) then
      call refuse("qdr_plan_exchange: an array is not contiguous in memory", status)
      return
    end if
    c = c_buffers_of(item_bytes, outgoing, incoming, outgoing_offset, incoming_offset, outgoing_items, incoming_items)
    call finish(c_plan_exchange_sized(plan%handle, c_loc(c), c_sizeof(c)), status)
  end subroutine qdr_plan_exchange

  ! Local. The arrays and lists are borrowed until it has ended: they have the attribute target, or asynchronous.
  subroutine qdr_plan_start(plan, item_bytes, outgoing, incoming, pending, outgoing_offset, incoming_offset, &
                            outgoing_items, incoming_items, status)
    type(qdr_plan), intent(in) :: plan
    integer, intent(in) :: item_bytes
    type(*), intent(in), target, asynchronous :: outgoing(..)
    type(*), intent(inout), target, asynchronous :: incoming(..)
    type(qdr_pending), intent(inout) :: pending
    integer(int64), intent(in), contiguous, target, optional :: outgoing_offset(:), incoming_offset(:)
    integer(int64), intent(in), contiguous, target, optional :: outgoing_items(:), incoming_items(:)
    integer, intent(out), optional :: status
    type(c_buffers), target :: c
    if (.not. (is_contiguous(outgoing) .and. is_contiguous(incoming))) then
      call refuse("qdr_plan_start: an array is not contiguous in memory", status)
      return
    end if
    c = c_buffers_of(item_bytes, outgoing, incoming, outgoing_offset, incoming_offset, outgoing_items, incoming_items)
    call finish(c_plan_start_sized(plan%handle, c_loc(c), c_sizeof(c), pending%handle), status)
  end subroutine qdr_plan_start

end module quadrille_plan
