# Files as C arrays: cmake -DOUT=x.c -DHEADER=report/embedded.h
#   "-DFILES=name=path;name=path" -P Embed.cmake
# A path that does not exist becomes an empty array of length 0.
set(text "/* Made by cmake/Embed.cmake. */\n#include \"${HEADER}\"\n\n")
foreach(pair IN LISTS FILES)
  string(REGEX MATCH "^([^=]+)=(.*)$" match "${pair}")
  set(name ${CMAKE_MATCH_1})
  set(path ${CMAKE_MATCH_2})
  set(bytes "")
  if(EXISTS "${path}")
    file(READ "${path}" bytes HEX)
  endif()
  string(LENGTH "${bytes}" length)
  math(EXPR length "${length} / 2")
  string(REGEX REPLACE "(..)" "0x\\1," bytes "${bytes}")
  string(REGEX REPLACE "((0x..,){16})" "\\1\n" bytes "${bytes}")
  string(APPEND text "const unsigned char ${name}[] = {${bytes}0x00};\n"
                     "const size_t ${name}_len = ${length};\n\n")
endforeach()
file(WRITE "${OUT}" "${text}")
