# SPDX-License-Identifier: BSD-3-Clause
#
# CPack runs this when the files of all packages lie in their folders, before they are packed: what Debian wants of a
# package, and other systems do not.
find_program(gzip gzip REQUIRED)
find_program(strip strip REQUIRED)
foreach(component IN LISTS CPACK_COMPONENTS_ALL CPACK_COMPONENTS_MPICH)
  set(folder "${CPACK_TEMPORARY_DIRECTORY}/${component}")
  if(NOT IS_DIRECTORY "${folder}")
    continue()
  endif()
  string(TOUPPER "${component}" upper)
  set(documents "${folder}/usr/share/doc/${CPACK_DEBIAN_${upper}_PACKAGE_NAME}")
  configure_file("${CPACK_RESOURCE_FILE_LICENSE}" "${documents}/copyright" COPYONLY)
  configure_file("${CPACK_QDR_CHANGES}" "${documents}/changelog" COPYONLY)
  file(REMOVE "${documents}/LICENSE" "${documents}/CHANGES.md") # the same by other names
  file(GLOB pages "${folder}/usr/share/man/man*/*.[0-9]")
  execute_process(COMMAND "${gzip}" -9nf "${documents}/changelog" ${pages} COMMAND_ERROR_IS_FATAL ANY)
  file(GLOB_RECURSE archives "${folder}/usr/lib/*.a")
  if(archives)
    execute_process(COMMAND "${strip}" --strip-debug --enable-deterministic-archives ${archives}
                    COMMAND_ERROR_IS_FATAL ANY)
  endif()
endforeach()
