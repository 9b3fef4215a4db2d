# SPDX-License-Identifier: BSD-3-Clause
#
# Debian packages, one for each component of Install.cmake; scripts/package makes them. What a binary links with is
# found out by dpkg-shlibdeps; the rest of what it needs is said here.
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME quadrille)
set(CPACK_PACKAGE_CONTACT "Quadrille developers")
set(CPACK_RESOURCE_FILE_LICENSE "${PROJECT_SOURCE_DIR}/LICENSE")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS
    OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS "${PROJECT_BINARY_DIR}") # libquadrille-io needs libquadrille, which is here
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(CPACK_PRE_BUILD_SCRIPTS "${PROJECT_SOURCE_DIR}/cmake/debian.cmake")
set(CPACK_QDR_CHANGES "${PROJECT_SOURCE_DIR}/CHANGES.md") # for debian.cmake

set(CPACK_COMPONENTS_ALL library development)
if(QDR_IO)
  list(APPEND CPACK_COMPONENTS_ALL files-and-pictures)
endif()
if(QDR_COMMAND)
  list(APPEND CPACK_COMPONENTS_ALL command)
endif()
if(QDR_DROP_IN)
  list(APPEND CPACK_COMPONENTS_ALL drop-in-${QDR_MPI_NAME})
endif()
if(TARGET quadrille-python)
  list(APPEND CPACK_COMPONENTS_ALL python)
endif()
set(CPACK_COMPONENTS_MPICH drop-in-mpich) # what a second tree, built with MPICH, adds

# debian_package(COMPONENT NAME SECTION DESCRIPTION [DEPENDS ...] [RECOMMENDS ...] [SUGGESTS ...]). A macro, for what
# CPack reads is variables.
macro(debian_package component name section description)
  cmake_parse_arguments(package "" "" "DEPENDS;RECOMMENDS;SUGGESTS" ${ARGN})
  string(TOUPPER "${component}" upper)
  set(CPACK_DEBIAN_${upper}_PACKAGE_NAME ${name})
  set(CPACK_DEBIAN_${upper}_PACKAGE_SECTION ${section})
  set(CPACK_DEBIAN_${upper}_DESCRIPTION "${description}\n") # else CPack takes the indent from the last line
  foreach(kind IN ITEMS DEPENDS RECOMMENDS SUGGESTS)
    list(JOIN package_${kind} ", " CPACK_DEBIAN_${upper}_PACKAGE_${kind})
  endforeach()
endmacro()

set(mpi_development libmpich-dev)
set(mpi_programs mpich)
if(QDR_HAS_OPEN_MPI)
  set(mpi_development libopenmpi-dev)
  set(mpi_programs openmpi-bin)
endif()
set(what_it_is "Each process of a program has messages of different sizes for some of
the others, and the pattern comes from the data: a mesh, a sparse
matrix, a load balancer, a router of tokens. Quadrille learns the
pattern, turns it into phases in which nobody is in anybody's way, and
runs them on MPI as often as needed, paced by the receivers so that no
port of a switch overflows.
")

debian_package(library libquadrille${QDR_SONAME} libs
"irregular communication on MPI, scheduled - shared library
${what_it_is}
This package holds the library that programs run with."
)
debian_package(files-and-pictures libquadrille-io${QDR_SONAME} libs
"irregular communication on MPI, scheduled - files and pictures
${what_it_is}
This package holds the library that writes schedules and migrations as
JSON and draws them."
DEPENDS "libquadrille${QDR_SONAME} (= ${PROJECT_VERSION})")
set(io_package)
if(QDR_IO)
  set(io_package "libquadrille-io${QDR_SONAME} (= ${PROJECT_VERSION})" libjansson-dev)
endif()
debian_package(development libquadrille-dev libdevel
"irregular communication on MPI, scheduled - development files
${what_it_is}
This package holds the headers, the static library, the files for CMake
and pkg-config, the header for C++, Fortran modules where they were
built, and examples."
DEPENDS "libquadrille${QDR_SONAME} (= ${PROJECT_VERSION})" ${mpi_development} ${io_package}
SUGGESTS quadrille pkg-config cmake)

debian_package(command quadrille science
"shows, compares, checks, draws and measures communication schedules
${what_it_is}
This package holds the command. It generates patterns or reads them from
Matrix Market files, schedules them with a dozen algorithms, predicts
what they cost on a machine, checks that each keeps its promises, draws
them, and measures real exchanges side by side with those of MPI. The
documentation of the library is here too."
RECOMMENDS ${mpi_programs} SUGGESTS libquadrille-dev)

debian_package(python python3-quadrille python
"irregular communication on MPI, scheduled - Python package
${what_it_is}
This package holds the module quadrille, for programs with mpi4py and
NumPy: whatever the library can do, on arrays as they lie in memory."
DEPENDS python3 python3-mpi4py python3-numpy python3-cffi-backend "libquadrille-io${QDR_SONAME} (= ${PROJECT_VERSION})" SUGGESTS python3-scipy python3-pandas)

# ---- the drop-ins ----------------------------------------------------------------------------------------------------
set(drop_in "A library to preload into a program that was never changed, nor compiled
again. Its calls of MPI_Alltoallv, MPI_Alltoallw and their neighborhood
forms then run paced by the receivers, so that no port of a switch
overflows, where messages cross a network, and as before where they do
not. The results are the same.
")
debian_package(drop-in-openmpi libquadrille-mpi-openmpi libs
"faster irregular exchanges for unchanged programs - Open MPI
${drop_in}
This one is for programs of Open MPI:
  mpirun -x LD_PRELOAD=libquadrille-mpi-openmpi.so ./program"
RECOMMENDS openmpi-bin SUGGESTS quadrille)
debian_package(drop-in-mpich libquadrille-mpi-mpich libs
"faster irregular exchanges for unchanged programs - MPICH
${drop_in}
This one is for programs of MPICH:
  mpiexec -genv LD_PRELOAD libquadrille-mpi-mpich.so ./program"
RECOMMENDS mpich SUGGESTS quadrille)

# Packages that are linked with a library will depend on this version or a later one.
macro(debian_shlibs component library)
  string(TOUPPER "${component}" upper)
  set(file "${PROJECT_BINARY_DIR}/debian/${library}/shlibs")
  file(WRITE "${file}" "${library} ${QDR_SONAME} ${CPACK_DEBIAN_${upper}_PACKAGE_NAME} (>= ${PROJECT_VERSION})\n")
  set(CPACK_DEBIAN_${upper}_PACKAGE_CONTROL_EXTRA "${file}")
endmacro()
debian_shlibs(library libquadrille)
debian_shlibs(files-and-pictures libquadrille-io)

include(CPack)
