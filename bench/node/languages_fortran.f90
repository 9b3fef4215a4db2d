! SPDX-License-Identifier: BSD-3-Clause
! The exchange of languages.c in Fortran, on C's map.
subroutine exchange_in_fortran(state) bind(C)
  use, intrinsic :: iso_c_binding
  use quadrille
  implicit none
  type(c_ptr), value :: state
  type, bind(C) :: language_halo
    type(c_ptr) :: map, x
  end type language_halo
  type(language_halo), pointer, save :: halo
  type(qdr_map), save :: map
  real(c_double), pointer, contiguous, save :: x(:)
  logical, save :: is_known = .false.
  if (.not. is_known) then
    call c_f_pointer(state, halo)
    call c_f_pointer(halo%x, x, [2500])
    map%handle = halo%map
    is_known = .true.
  end if
  call qdr_map_exchange(map, QDR_DOUBLE, x)
end subroutine exchange_in_fortran
