! SPDX-License-Identifier: BSD-3-Clause
! Migration: see quadrille/migrate.h.
module quadrille_migrate
  use quadrille_base
  use quadrille_pending, only: qdr_pending
  implicit none
  private
  public :: qdr_migration_options, qdr_migration_report, qdr_migration_progress, qdr_objects
  public :: qdr_object_size, qdr_object_pack, qdr_object_release, qdr_object_unpack
  public :: qdr_migrate_array, qdr_migrate_array_start, qdr_migrate_objects, qdr_migrate_objects_start

  abstract interface
    subroutine qdr_migration_progress(context, phase, phases, moved, bytes) bind(C)
      import
      type(c_ptr), value :: context
      integer(c_int64_t), value :: phase, phases, moved, bytes
    end subroutine qdr_migration_progress
    ! Objects count from 0 in callbacks. What returns an integer returns 0 where it worked.
    function qdr_object_size(context, object) result(bytes) bind(C)
      import
      type(c_ptr), value :: context
      integer(c_int64_t), value :: object
      integer(c_int64_t) :: bytes
    end function qdr_object_size
    function qdr_object_pack(context, object, bytes) result(failed) bind(C)
      import
      type(c_ptr), value :: context, bytes
      integer(c_int64_t), value :: object
      integer(c_int) :: failed
    end function qdr_object_pack
    function qdr_object_release(context, object) result(failed) bind(C)
      import
      type(c_ptr), value :: context
      integer(c_int64_t), value :: object
      integer(c_int) :: failed
    end function qdr_object_release
    function qdr_object_unpack(context, from, bytes, length) result(failed) bind(C)
      import
      type(c_ptr), value :: context, bytes
      integer(c_int), value :: from
      integer(c_int64_t), value :: length
      integer(c_int) :: failed
    end function qdr_object_unpack
  end interface

  type :: qdr_migration_options
    character(:), allocatable :: method
    integer(int64) :: memory = 0 ! bytes
    procedure(qdr_migration_progress), pointer, nopass :: progress => null()
    type(c_ptr) :: context = c_null_ptr
    real(real64) :: deadline = 0 ! seconds
  end type qdr_migration_options

  type :: qdr_migration_report
    character(:), allocatable :: method
    integer(int64) :: phases = 0, bound = 0, left = 0, came = 0, bytes = 0, parked_bytes = 0, memory = 0, peak = 0
  end type qdr_migration_report

  ! Objects of any size, wherever they lie: where each goes, and how it is packed.
  type :: qdr_objects
    integer(c_int), pointer :: destination(:) => null()
    procedure(qdr_object_size), pointer, nopass :: size => null()
    procedure(qdr_object_pack), pointer, nopass :: pack => null()
    procedure(qdr_object_release), pointer, nopass :: release => null()
    procedure(qdr_object_unpack), pointer, nopass :: unpack => null()
    type(c_ptr) :: context = c_null_ptr
  end type qdr_objects

contains

  function c_how(options, method) result(c)
    type(qdr_migration_options), intent(in), optional :: options
    character(:, c_char), allocatable, target, intent(inout) :: method
    type(c_migration_options) :: c
    c%size = c_sizeof(c)
    if (.not. present(options)) return
    if (allocated(options%method)) c%method = optional_text(options%method, method)
    c%memory = options%memory
    if (associated(options%progress)) c%progress = c_funloc(options%progress)
    c%context = options%context
    c%deadline = options%deadline
  end function c_how

  subroutine tell(c, report)
    type(c_migration_report), intent(in), target :: c
    type(qdr_migration_report), intent(out), optional :: report
    if (.not. present(report)) return
    report%method = text_of(c_loc(c%method))
    report%phases = c%phases
    report%bound = c%bound
    report%left = c%left
    report%came = c%came
    report%bytes = c%bytes
    report%parked_bytes = c%parked_bytes
    report%memory = c%memory
    report%peak = c%peak
  end subroutine tell

  ! Collective. Item i, of item_bytes bytes, of the first `count` in `items` goes to destination(i); `items` has room for `capacity`. At the end
  ! this rank's items are the first `count`, and `destination` has been permuted.
  subroutine qdr_migrate_array(comm, count, capacity, items, item_bytes, destination, options, report, status)
    type(MPI_Comm), intent(in) :: comm
    integer(int64), intent(inout), target :: count
    integer(int64), intent(in) :: capacity
    type(*), intent(inout), target :: items(..)
    integer, intent(in) :: item_bytes
    integer, intent(inout), contiguous, target :: destination(:)
    type(qdr_migration_options), intent(in), optional :: options
    type(qdr_migration_report), intent(out), optional :: report
    integer, intent(out), optional :: status
    character(:, c_char), allocatable, target :: method
    type(c_migration_options), target :: how
    type(c_migration_report), target :: took
    integer(c_int64_t), target :: wrong
    type(c_ptr) :: number
    integer(c_int) :: code
    how = c_how(options, method)
    wrong = -1 ! which C refuses for all
    number = c_loc(count)
    if (size(destination) < count .or. .not. is_contiguous(items)) number = c_loc(wrong)
    code = c_migrate_array_sized(comm_in(comm), number, capacity, c_loc(items), int(item_bytes, c_int64_t), &
                                 c_loc(destination), c_loc(how), c_loc(took), c_sizeof(took))
    call tell(took, report)
    call finish(code, status)
  end subroutine qdr_migrate_array

  ! Collective, but does not wait. Everything is borrowed until it has ended.
  subroutine qdr_migrate_array_start(comm, count, capacity, items, item_bytes, destination, pending, options, status)
    type(MPI_Comm), intent(in) :: comm
    integer(int64), intent(inout), target, asynchronous :: count
    integer(int64), intent(in) :: capacity
    type(*), intent(inout), target, asynchronous :: items(..)
    integer, intent(in) :: item_bytes
    integer, intent(inout), contiguous, target, asynchronous :: destination(:)
    type(qdr_pending), intent(inout) :: pending
    type(qdr_migration_options), intent(in), optional :: options
    integer, intent(out), optional :: status
    character(:, c_char), allocatable, target :: method
    type(c_migration_options), target :: how
    integer(c_int64_t), target :: wrong
    type(c_ptr) :: number
    how = c_how(options, method)
    wrong = -1
    number = c_loc(count)
    if (size(destination) < count .or. .not. is_contiguous(items)) number = c_loc(wrong)
    call finish(c_migrate_array_start_sized(comm_in(comm), number, capacity, c_loc(items), int(item_bytes, c_int64_t), &
                                            c_loc(destination), c_loc(how), c_null_ptr, &
                                            c_sizeof(c_migration_report()), pending%handle), status)
  end subroutine qdr_migrate_array_start

  function c_objects_of(objects) result(c)
    type(qdr_objects), intent(in) :: objects
    type(c_objects) :: c
    if (associated(objects%destination)) then
      c%count = size(objects%destination, kind=c_int64_t)
      if (c%count > 0) c%destination = c_loc(objects%destination)
    end if
    if (associated(objects%size)) c%size = c_funloc(objects%size)
    if (associated(objects%pack)) c%pack = c_funloc(objects%pack)
    if (associated(objects%release)) c%release = c_funloc(objects%release)
    if (associated(objects%unpack)) c%unpack = c_funloc(objects%unpack)
    c%context = objects%context
  end function c_objects_of

  ! Collective.
  subroutine qdr_migrate_objects(comm, objects, options, report, status)
    type(MPI_Comm), intent(in) :: comm
    type(qdr_objects), intent(in) :: objects
    type(qdr_migration_options), intent(in), optional :: options
    type(qdr_migration_report), intent(out), optional :: report
    integer, intent(out), optional :: status
    character(:, c_char), allocatable, target :: method
    type(c_migration_options), target :: how
    type(c_migration_report), target :: took
    type(c_objects), target :: all
    integer(c_int) :: code
    how = c_how(options, method)
    all = c_objects_of(objects)
    code = c_migrate_objects_sized(comm_in(comm), c_loc(all), c_sizeof(all), c_loc(how), c_loc(took), c_sizeof(took))
    call tell(took, report)
    call finish(code, status)
  end subroutine qdr_migrate_objects

  ! Collective, but does not wait.
  subroutine qdr_migrate_objects_start(comm, objects, pending, options, status)
    type(MPI_Comm), intent(in) :: comm
    type(qdr_objects), intent(in) :: objects
    type(qdr_pending), intent(inout) :: pending
    type(qdr_migration_options), intent(in), optional :: options
    integer, intent(out), optional :: status
    character(:, c_char), allocatable, target :: method
    type(c_migration_options), target :: how
    type(c_objects), target :: all
    how = c_how(options, method)
    all = c_objects_of(objects)
    call finish(c_migrate_objects_start_sized(comm_in(comm), c_loc(all), c_sizeof(all), c_loc(how), c_null_ptr, &
                                              c_sizeof(c_migration_report()), pending%handle), status)
  end subroutine qdr_migrate_objects_start

end module quadrille_migrate
