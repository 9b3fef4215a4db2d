! SPDX-License-Identifier: BSD-3-Clause
! Machines: see quadrille/machine.h.
module quadrille_machine
  use quadrille_base, qdr_machine_parameters => c_machine_parameters
  implicit none
  private
  public :: qdr_machine, qdr_machine_parameters, qdr_machine_info
  public :: qdr_machine_create, qdr_machine_destroy, qdr_machine_look, qdr_machine_spec, qdr_machine_topology
  public :: qdr_machine_wire_bytes, qdr_machine_links, qdr_machine_route_limit, qdr_machine_route
  public :: qdr_machine_link_bandwidth, qdr_machine_link_streams, qdr_machine_latency
  public :: qdr_machine_write_simgrid, qdr_machine_known

  type :: qdr_machine
    type(c_ptr) :: handle = c_null_ptr
  end type qdr_machine

  type :: qdr_machine_info
    character(:), allocatable :: name, summary, spec, source, options
    logical :: is_preset = .false.
  end type qdr_machine_info

contains

  ! Local. The machine of a spec, or a preset, for so many ranks.
  subroutine qdr_machine_create(spec, ranks, machine, status)
    character(*), intent(in) :: spec
    integer, intent(in) :: ranks
    type(qdr_machine), intent(inout) :: machine
    integer, intent(out), optional :: status
    character(:, c_char), allocatable, target :: text
    text = c_text(spec)
    call finish(c_machine_create(c_loc(text), int(ranks, c_int), machine%handle), status)
  end subroutine qdr_machine_create

  ! Local.
  subroutine qdr_machine_destroy(machine)
    type(qdr_machine), intent(inout) :: machine
    call c_machine_destroy(machine%handle)
  end subroutine qdr_machine_destroy

  ! Local, free of cost.
  function qdr_machine_look(machine) result(parameters)
    type(qdr_machine), intent(in) :: machine
    type(qdr_machine_parameters) :: parameters
    type(qdr_machine_parameters), pointer :: c
    call c_f_pointer(c_machine_look(machine%handle), c)
    parameters = c
  end function qdr_machine_look

  function qdr_machine_spec(machine) result(text)
    type(qdr_machine), intent(in) :: machine
    character(:), allocatable :: text
    text = text_of(c_machine_spec(machine%handle))
  end function qdr_machine_spec

  function qdr_machine_topology(machine) result(text)
    type(qdr_machine), intent(in) :: machine
    character(:), allocatable :: text
    text = text_of(c_machine_topology(machine%handle))
  end function qdr_machine_topology

  ! Local. Bytes on the wire for so many of data.
  function qdr_machine_wire_bytes(machine, bytes) result(answer)
    type(qdr_machine), intent(in) :: machine
    integer(int64), intent(in) :: bytes
    integer(int64) :: answer
    answer = c_machine_wire_bytes(machine%handle, bytes)
  end function qdr_machine_wire_bytes

  ! Local. Links are numbered from 0, as ranks are.
  function qdr_machine_links(machine) result(answer)
    type(qdr_machine), intent(in) :: machine
    integer(int64) :: answer
    answer = c_machine_links(machine%handle)
  end function qdr_machine_links

  function qdr_machine_route_limit(machine) result(answer)
    type(qdr_machine), intent(in) :: machine
    integer :: answer
    answer = c_machine_route_limit(machine%handle)
  end function qdr_machine_route_limit

  ! Local. The links from one rank to another, in order.
  function qdr_machine_route(machine, from, to) result(route)
    type(qdr_machine), intent(in) :: machine
    integer, intent(in) :: from, to
    integer(int64), allocatable :: route(:)
    integer(c_int64_t), allocatable, target :: link(:)
    integer :: links
    allocate (link(qdr_machine_route_limit(machine) + 1))
    links = c_machine_route(machine%handle, int(from, c_int), int(to, c_int), c_loc(link))
    route = link(:links)
  end function qdr_machine_route

  function qdr_machine_link_bandwidth(machine, link) result(answer)
    type(qdr_machine), intent(in) :: machine
    integer(int64), intent(in) :: link
    real(real64) :: answer
    answer = c_machine_link_bandwidth(machine%handle, link)
  end function qdr_machine_link_bandwidth

  function qdr_machine_link_streams(machine, link) result(answer)
    type(qdr_machine), intent(in) :: machine
    integer(int64), intent(in) :: link
    integer(int64) :: answer
    answer = c_machine_link_streams(machine%handle, link)
  end function qdr_machine_link_streams

  function qdr_machine_latency(machine, from, to) result(answer)
    type(qdr_machine), intent(in) :: machine
    integer, intent(in) :: from, to
    real(real64) :: answer
    answer = c_machine_latency(machine%handle, int(from, c_int), int(to, c_int))
  end function qdr_machine_latency

  ! Local. A platform of SimGrid.
  subroutine qdr_machine_write_simgrid(machine, path, status)
    type(qdr_machine), intent(in) :: machine
    character(*), intent(in) :: path
    integer, intent(out), optional :: status
    type(c_ptr) :: file
    integer(c_int) :: code
    call open_file(path, "w", file, code)
    if (code /= QDR_OK) then
      call refuse("qdr_machine_write_simgrid: "//trim(path)//" cannot be opened", status, code)
      return
    end if
    code = c_machine_write_simgrid(machine%handle, file)
    call close_file(file, code)
    call finish(code, status)
  end subroutine qdr_machine_write_simgrid

  ! Local. The index-th topology or preset, from 1; a name of no letters past the last.
  function qdr_machine_known(index) result(info)
    integer, intent(in) :: index
    type(qdr_machine_info) :: info
    type(c_machine_info), pointer :: c
    type(c_ptr) :: line
    line = c_machine_known(int(index - 1, c_int))
    info%name = ""
    if (.not. c_associated(line)) return
    call c_f_pointer(line, c)
    info%name = text_of(c%name)
    info%summary = text_of(c%summary)
    info%spec = text_of(c%spec)
    info%source = text_of(c%source)
    info%options = text_of(c%options)
    info%is_preset = c%is_preset /= 0
  end function qdr_machine_known

end module quadrille_machine
