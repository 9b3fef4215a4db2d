# SPDX-License-Identifier: BSD-3-Clause
#
# cmake -DOUTPUT=FILE.c -DFOLDER=page -P embed.cmake: the page's parts as arrays of bytes. Scripts are
# joined in the order of their names.
set(source "/* Made by tools/report/page/embed.cmake. */\n#include \"report/page_files.h\"\n")

function(embed name)
  set(all "")
  foreach(file IN LISTS ARGN)
    file(READ "${file}" bytes HEX)
    string(APPEND all "${bytes}")
  endforeach()
  string(LENGTH "${all}" size)
  math(EXPR size "${size} / 2")
  string(REGEX REPLACE "(..)" "0x\\1," all "${all}")
  string(REGEX REPLACE "((0x..,)(0x..,)?(0x..,)?(0x..,)?(0x..,)?(0x..,)?(0x..,)?(0x..,)?)" "\\1\n" all "${all}")
  string(APPEND source "\nconst size_t page_${name}_size = ${size};\n")
  string(APPEND source "const unsigned char page_${name}[] = {\n${all}};\n")
  set(source "${source}" PARENT_SCOPE)
endfunction()

file(GLOB scripts "${FOLDER}/*.js")
list(SORT scripts)
embed(html "${FOLDER}/page.html")
embed(css "${FOLDER}/page.css")
embed(js ${scripts})
file(WRITE "${OUTPUT}" "${source}")
