# SPDX-License-Identifier: BSD-3-Clause
#
# What smpicc does and FindMPI does not see. A simulated program is a shared library, loaded once for each rank, so that
# each has variables of its own; without symbols, for each has a copy of the file. And the clock, the end and the number of
# a process are those of a simulated one.
add_compile_options(-fPIC) # of programs CMake has -fPIE, with which some processors cannot make a shared library
add_link_options(-shared $<$<CONFIG:Release>:-s>)
foreach(name IN ITEMS clock_gettime nanosleep usleep sleep exit getpid)
  add_compile_definitions(${name}=smpi_${name})
endforeach()
