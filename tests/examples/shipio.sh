#!/bin/sh
# The programs of examples/shipio: linked as their comments say, against what
# is installed; preloaded; and byte-identical with the MPI library's own file.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
fail() {
    echo "FAILED: $*" >&2
    exit 1
}
mpi() { SHIPIO_STATS=$1 timeout -k 5 60 $PARIO_LAUNCH -n 2 "$2" "$3" >out 2>&1; }

"$PARIO_CMAKE" --install "$PARIO_BUILD" --prefix "$work/there" >log 2>&1 ||
    fail "not installed: $(tail "log")"
mv there moved # where it was installed does not matter
command -v pkg-config >/dev/null || exit 77
PKG_CONFIG_PATH=$(dirname "$(find "$work/moved" -name shipio.pc)")
LD_LIBRARY_PATH=$(dirname "$PKG_CONFIG_PATH")
export PKG_CONFIG_PATH

"$PARIO_MPICC" -o plain "$PARIO_EXAMPLES/shipio/planes.c"
mpi 0 ./plain plain.data || fail "without shipio: $(cat out)"
"$PARIO_MPICC" -o planes "$PARIO_EXAMPLES/shipio/planes.c" \
    $(pkg-config --libs shipio)
export LD_LIBRARY_PATH
mpi 1 ./planes c.data || fail "linked: $(cat out)"
grep -q '^512 rows of 2 processes, 0 wrong numbers' out || fail "$(cat out)"
grep -q shipio out || fail "shipio was not there: $(cat out)"
cmp plain.data c.data || fail "another file than without shipio"

fortran=$(echo "$PARIO_MPICC" | sed 's/mpicc/mpif90/')
if command -v "$fortran" >/dev/null && command -v gfortran >/dev/null; then
    "$fortran" -o planesf "$PARIO_EXAMPLES/shipio/planes.f90" \
        $(pkg-config --libs shipio)
    mpi 1 ./planesf f.data || fail "Fortran: $(cat out)"
    grep -q '512 rows of 2 processes, 0 wrong numbers' out || fail "$(cat out)"
    grep -q shipio out || fail "shipio was not there: $(cat out)"
fi

# CMake finds it, too.
mkdir project
cat >project/CMakeLists.txt <<'CMAKE'
cmake_minimum_required(VERSION 3.18)
project(planes C)
find_package(MPI REQUIRED COMPONENTS C)
find_package(shipio REQUIRED)
find_package(pario REQUIRED)
add_executable(planes ${SOURCE})
target_link_libraries(planes PRIVATE shipio::shipio MPI::MPI_C)
add_library(metadata MODULE ${PLUGIN})
target_link_libraries(metadata PRIVATE pario::plugin)
CMAKE
{
    "$PARIO_CMAKE" -S project -B built -DCMAKE_PREFIX_PATH="$work/moved" \
        -DMPI_C_COMPILER="$PARIO_MPICC" \
        -DSOURCE="$PARIO_EXAMPLES/shipio/planes.c" \
        -DPLUGIN="$PARIO_EXAMPLES/plugin/metadata.c" &&
        "$PARIO_CMAKE" --build built
} >log 2>&1 || fail "cmake: $(tail log)"
mpi 1 built/planes m.data || fail "cmake's: $(cat out)"
grep -q shipio out || fail "cmake's has no shipio: $(cat out)"
