# SPDX-License-Identifier: BSD-3-Clause
#
# Qhull, the library that triangulates, in its form for several threads. Gives Qhull::qhull_r, as Qhull's own file for
# CMake does where it is installed; older ones have none.
find_path(QHULL_INCLUDE_DIR libqhull_r/libqhull_r.h)
find_library(QHULL_LIBRARY qhull_r)
mark_as_advanced(QHULL_INCLUDE_DIR QHULL_LIBRARY)
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(Qhull REQUIRED_VARS QHULL_LIBRARY QHULL_INCLUDE_DIR)
if(Qhull_FOUND AND NOT TARGET Qhull::qhull_r)
  add_library(Qhull::qhull_r UNKNOWN IMPORTED)
  set_target_properties(Qhull::qhull_r PROPERTIES IMPORTED_LOCATION "${QHULL_LIBRARY}"
                        INTERFACE_INCLUDE_DIRECTORIES "${QHULL_INCLUDE_DIR}")
endif()
