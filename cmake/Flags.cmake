# The warnings of CONTRIBUTING.md, as an interface target.
add_library(pario_flags INTERFACE)
target_compile_options(pario_flags INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wstrict-prototypes
  -Wmissing-prototypes -Wvla -Wformat=2 -Wundef -Wwrite-strings -Wcast-qual)
target_compile_definitions(pario_flags INTERFACE _GNU_SOURCE)
if(PARIO_WERROR)
  target_compile_options(pario_flags INTERFACE -Werror)
endif()
if(PARIO_SANITIZE)
  add_compile_options(-fsanitize=address,undefined -fno-sanitize-recover=all
                      -fno-omit-frame-pointer -g)
  add_link_options(-fsanitize=address,undefined)
endif()
