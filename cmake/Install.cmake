# SPDX-License-Identifier: BSD-3-Clause
#
# What is installed, and where. Nothing in it knows the prefix, so that `cmake --install build --prefix ANY` works, and
# what is installed can be moved. The components are the Debian packages of Package.cmake.
if(PROJECT_IS_TOP_LEVEL)
  set(CMAKE_INSTALL_DOCDIR share/doc/quadrille CACHE PATH "Documentation")
endif()
include(GNUInstallDirs)
set(doc_folder "${CMAKE_INSTALL_DOCDIR}")
if(NOT PROJECT_IS_TOP_LEVEL)
  set(doc_folder "${CMAKE_INSTALL_DATAROOTDIR}/doc/quadrille")
endif()
include(CMakePackageConfigHelpers)

# ---- the library -----------------------------------------------------------------------------------------------------
set(package_folder "${CMAKE_INSTALL_LIBDIR}/cmake/Quadrille")
set(libraries quadrille)
if(QDR_IO)
  list(APPEND libraries quadrille-io)
endif()
set(component_quadrille library)
set(component_quadrille-io files-and-pictures)
foreach(library IN LISTS libraries) # as a set of targets each, for what one needs may be missing
  string(REPLACE - _ name "${library}")
  set_target_properties(${library}-shared PROPERTIES EXPORT_NAME ${name})
  set_target_properties(${library} PROPERTIES EXPORT_NAME ${name}_static)
  install(TARGETS ${library}-shared EXPORT ${name}
          LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}" COMPONENT ${component_${library}} NAMELINK_COMPONENT development
          INCLUDES DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}")
  install(TARGETS ${library} EXPORT ${name}_static
          ARCHIVE DESTINATION "${CMAKE_INSTALL_LIBDIR}" COMPONENT development
          INCLUDES DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}")
  foreach(set IN ITEMS ${name} ${name}_static)
    install(EXPORT ${set} FILE ${set}.cmake NAMESPACE Quadrille:: DESTINATION "${package_folder}" COMPONENT development)
  endforeach()
endforeach()
install(DIRECTORY include/ DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}" COMPONENT development FILES_MATCHING PATTERN "*.h")
install(DIRECTORY bindings/cpp/ DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}" COMPONENT development FILES_MATCHING PATTERN "*.hpp")

# The Fortran modules, which only the compiler that made them can read, with a library of what is behind them.
if(TARGET quadrille-fortran)
  set(module_folder "${CMAKE_INSTALL_LIBDIR}/quadrille/modules")
  install(DIRECTORY "${PROJECT_BINARY_DIR}/modules/" DESTINATION "${module_folder}" COMPONENT development FILES_MATCHING PATTERN "*.mod")
  set(fortran_libraries quadrille-fortran)
  if(QDR_IO)
    list(APPEND fortran_libraries quadrille-io-fortran)
  endif()
  foreach(library IN LISTS fortran_libraries)
    string(REPLACE - _ name "${library}")
    set_target_properties(${library} PROPERTIES EXPORT_NAME ${name})
    install(TARGETS ${library} EXPORT quadrille_fortran
            ARCHIVE DESTINATION "${CMAKE_INSTALL_LIBDIR}" COMPONENT development
            INCLUDES DESTINATION "${module_folder}")
  endforeach()
  install(EXPORT quadrille_fortran FILE quadrille_fortran.cmake NAMESPACE Quadrille:: DESTINATION "${package_folder}" COMPONENT development)
endif()
if(TARGET quadrille-python)
  set(QDR_PYTHON_FOLDER lib/python3/dist-packages CACHE STRING "Where the Python package is installed, below the prefix")
  install(TARGETS quadrille-python LIBRARY DESTINATION "${QDR_PYTHON_FOLDER}/quadrille" COMPONENT python)
  install(DIRECTORY bindings/python/quadrille/ DESTINATION "${QDR_PYTHON_FOLDER}/quadrille" COMPONENT python
          FILES_MATCHING PATTERN "*.py" PATTERN "*.pyi" PATTERN py.typed PATTERN __pycache__ EXCLUDE)
endif()

configure_package_config_file(cmake/QuadrilleConfig.cmake.in "${PROJECT_BINARY_DIR}/QuadrilleConfig.cmake"
                              INSTALL_DESTINATION "${package_folder}" NO_SET_AND_CHECK_MACRO)
# Before 1.0 a minor version may change what exists.
write_basic_package_version_file("${PROJECT_BINARY_DIR}/QuadrilleConfigVersion.cmake" COMPATIBILITY SameMinorVersion)
install(FILES "${PROJECT_BINARY_DIR}/QuadrilleConfig.cmake" "${PROJECT_BINARY_DIR}/QuadrilleConfigVersion.cmake"
        DESTINATION "${package_folder}" COMPONENT development)

# ---- pkg-config ------------------------------------------------------------------------------------------------------
# The public headers include mpi.h, so MPI is for all to see: by its own module where that is the MPI of this build, and
# by its paths otherwise. So mpicc and a plain compiler both work. Without the classes for C++ that mpi.h still has, for
# they would want a library of their own.
set(module mpich)
if(QDR_HAS_OPEN_MPI)
  set(module ompi-c)
endif()
pkg_check_modules(QDR_MPI_MODULE QUIET ${module})
set(QDR_PC_REQUIRES)
set(QDR_PC_CFLAGS "-DOMPI_SKIP_MPICXX -DMPICH_SKIP_MPICXX")
set(mpi_libraries)
if(QDR_MPI_MODULE_FOUND AND MPI_C_HEADER_DIR IN_LIST QDR_MPI_MODULE_INCLUDE_DIRS)
  set(QDR_PC_REQUIRES ${module})
else()
  foreach(folder IN LISTS MPI_C_INCLUDE_DIRS)
    string(APPEND QDR_PC_CFLAGS " -I${folder}")
  endforeach()
  list(JOIN MPI_C_LIBRARIES " " mpi_libraries)
endif()

foreach(kind IN ITEMS LIBDIR INCLUDEDIR)
  set(QDR_PC_${kind} "\${prefix}/${CMAKE_INSTALL_${kind}}")
  if(IS_ABSOLUTE "${CMAKE_INSTALL_${kind}}")
    set(QDR_PC_${kind} "${CMAKE_INSTALL_${kind}}")
  endif()
endforeach()
file(RELATIVE_PATH QDR_UP "${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig" "${CMAKE_INSTALL_PREFIX}")
string(REGEX REPLACE "/$" "" QDR_UP "${QDR_UP}")
set(own_libraries "-lm -pthread")
if(QDR_RT_LIBRARY)
  string(PREPEND own_libraries "-lrt ")
endif()

function(write_module file)
  configure_file("${PROJECT_SOURCE_DIR}/cmake/quadrille.pc.in" ${file}.pc @ONLY)
  install(FILES "${PROJECT_BINARY_DIR}/${file}.pc" DESTINATION "${CMAKE_INSTALL_LIBDIR}/pkgconfig" COMPONENT development)
endfunction()
set(QDR_PC_NAME "Quadrille")
set(QDR_PC_REQUIRES_PRIVATE)
set(QDR_PC_LIBS "-L\${libdir} -lquadrille ${mpi_libraries}")
set(QDR_PC_LIBS_PRIVATE "${own_libraries}")
write_module(quadrille)

# Beside a shared library `pkg-config --static` cannot make a linker take the archive. These name it.
set(QDR_PC_NAME "Quadrille, static")
set(QDR_PC_LIBS "\${libdir}/libquadrille.a ${mpi_libraries} ${own_libraries}")
set(QDR_PC_LIBS_PRIVATE)
write_module(quadrille-static)

if(QDR_IO)
  set(QDR_PC_NAME "Quadrille, files and pictures")
  set(QDR_PC_REQUIRES quadrille)
  set(QDR_PC_REQUIRES_PRIVATE jansson)
  set(QDR_PC_CFLAGS)
  set(QDR_PC_LIBS "-L\${libdir} -lquadrille-io")
  set(QDR_PC_LIBS_PRIVATE -lm)
  write_module(quadrille-io)
  set(QDR_PC_NAME "Quadrille, files and pictures, static")
  set(QDR_PC_REQUIRES "quadrille-static jansson")
  set(QDR_PC_REQUIRES_PRIVATE)
  set(QDR_PC_LIBS "\${libdir}/libquadrille-io.a")
  set(QDR_PC_LIBS_PRIVATE)
  write_module(quadrille-io-static)
endif()

if(TARGET quadrille-fortran)
  pkg_check_modules(QDR_MPI_FORTRAN_MODULE QUIET ompi-fort)
  set(QDR_PC_NAME "Quadrille, Fortran (${QDR_FORTRAN_COMPILER})")
  set(QDR_PC_REQUIRES quadrille)
  set(QDR_PC_REQUIRES_PRIVATE)
  set(QDR_PC_CFLAGS "-I\${libdir}/quadrille/modules")
  foreach(folder IN LISTS MPI_Fortran_INCLUDE_DIRS) # ompi-fort does not know where Debian has its modules
    string(APPEND QDR_PC_CFLAGS " -I${folder}")
  endforeach()
  set(mpi_fortran)
  if(QDR_HAS_OPEN_MPI AND QDR_MPI_FORTRAN_MODULE_FOUND)
    string(APPEND QDR_PC_REQUIRES " ompi-fort")
  else()
    list(JOIN MPI_Fortran_LIBRARIES " " mpi_fortran)
  endif()
  set(QDR_PC_LIBS "-L\${libdir} -lquadrille-fortran ${mpi_fortran}")
  set(QDR_PC_LIBS_PRIVATE)
  write_module(quadrille-fortran)
endif()

# ---- the drop-in, the command, the documentation ---------------------------------------------------------------------
if(QDR_DROP_IN)
  install(TARGETS quadrille-preload LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}" COMPONENT drop-in-${QDR_MPI_NAME})
endif()
if(QDR_DROP_IN AND QDR_HAS_OPEN_MPI)
  set(short_name "${PROJECT_BINARY_DIR}/preload/libquadrille-mpi.so")
  file(CREATE_LINK libquadrille-mpi-openmpi.so "${short_name}" SYMBOLIC)
  install(FILES "${short_name}" DESTINATION "${CMAKE_INSTALL_LIBDIR}" COMPONENT drop-in-openmpi)
endif()

if(QDR_COMMAND)
  install(TARGETS quadrille-command RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}" COMPONENT command)
  install(DIRECTORY "${PROJECT_BINARY_DIR}/man/man1/" DESTINATION "${CMAKE_INSTALL_MANDIR}/man1" COMPONENT command
          FILES_MATCHING PATTERN "*.1")
  install(FILES "${PROJECT_BINARY_DIR}/man/completion" DESTINATION "${CMAKE_INSTALL_DATADIR}/bash-completion/completions"
          RENAME quadrille COMPONENT command)
endif()
# A man page for every header, and for every function in it.
file(GLOB documented CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/include/quadrille/*.h")
if(QDR_IO)
  list(APPEND documented "${PROJECT_SOURCE_DIR}/include/quadrille-io.h")
endif()
set(man3_folder "${PROJECT_BINARY_DIR}/man/man3")
add_custom_command(
  OUTPUT "${man3_folder}/quadrille-base.3"
  COMMAND "${PROJECT_SOURCE_DIR}/docs/man/make3" "${PROJECT_VERSION}" "${man3_folder}" ${documented}
  DEPENDS ${documented} "${PROJECT_SOURCE_DIR}/docs/man/make3" "${PROJECT_SOURCE_DIR}/docs/man/functions.awk"
  COMMENT "Writing the man pages of the functions"
  VERBATIM)
add_custom_target(quadrille-man3 ALL DEPENDS "${man3_folder}/quadrille-base.3")
add_dependencies(quadrille-libraries quadrille-man3)
install(DIRECTORY "${man3_folder}/" DESTINATION "${CMAKE_INSTALL_MANDIR}/man3" COMPONENT development FILES_MATCHING PATTERN "*.3")
install(FILES README.md CHANGES.md LICENSE DESTINATION "${doc_folder}" COMPONENT command)
install(DIRECTORY docs/ DESTINATION "${doc_folder}/docs" COMPONENT command
        FILES_MATCHING PATTERN "*.md" PATTERN "*.svg" PATTERN man EXCLUDE)
install(DIRECTORY examples/ DESTINATION "${doc_folder}/examples" COMPONENT development
        USE_SOURCE_PERMISSIONS
        FILES_MATCHING PATTERN "*.c" PATTERN "*.h" PATTERN "*.mtx" PATTERN laplacian PATTERN "expected*.txt")
