# The warnings of CONTRIBUTING.md, as an interface target.
add_library(pario_flags INTERFACE)
target_compile_options(pario_flags INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wstrict-prototypes
  -Wmissing-prototypes -Wvla -Wformat=2 -Wundef -Wwrite-strings -Wcast-qual)
target_compile_definitions(pario_flags INTERFACE _GNU_SOURCE)
if(PARIO_WERROR)
  target_compile_options(pario_flags INTERFACE -Werror)
endif()
# What the compiler and the loader can do against a fault that is still there:
# canaries, checked copies, addresses that nobody can guess, tables of
# functions that nobody can overwrite. Sanitizers have checks of their own, and
# checked copies need an optimising build.
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
include(CheckPIESupported)
check_pie_supported()
add_compile_options(-fstack-protector-strong)
add_link_options(LINKER:-z,relro,-z,now,-z,noexecstack)
if(NOT PARIO_SANITIZE AND CMAKE_BUILD_TYPE MATCHES "Rel")
  include(CheckCSourceCompiles)
  set(CMAKE_REQUIRED_FLAGS "-O2 -Werror -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=3")
  check_c_source_compiles("#include <string.h>\nint main(void) { return 0; }"
                          PARIO_FORTIFY_3)
  unset(CMAKE_REQUIRED_FLAGS)
  if(PARIO_FORTIFY_3)
    add_compile_options(-U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=3)
  else()
    add_compile_options(-U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=2)
  endif()
endif()
if(PARIO_SANITIZE)
  add_compile_options(-fsanitize=address,undefined -fno-sanitize-recover=all
                      -fno-omit-frame-pointer -g)
  add_link_options(-fsanitize=address,undefined)
endif()
