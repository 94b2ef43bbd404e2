#!/bin/sh
# The program of examples/trace: built as its comment says and with CMake,
# against what is installed, it reads what a program did.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
fail() {
    echo "FAILED: $*" >&2
    exit 1
}

[ "$PARIO_SANITIZE" != ON ] || exit 77 # the library then needs the sanitizers
"$PARIO_CMAKE" --install "$PARIO_BUILD" --prefix "$work/there" >log 2>&1 ||
    fail "not installed: $(tail log)"
mv there moved # where it was installed does not matter
command -v pkg-config >/dev/null || exit 77
PKG_CONFIG_PATH=$(dirname "$(find "$work/moved" -name pariotrace.pc)")
export PKG_CONFIG_PATH
source=$work/moved/share/pario/examples/trace/calls.c
cp "$source" .
command=$(sed -n 's/^ \*   cc /"$PARIO_CC" /p' calls.c)
case $command in
*pkg-config*) eval "$command" || fail "it does not build: $command" ;;
*) fail "calls.c does not say how it is built" ;;
esac

# What dd and mkdir do is known: 8 reads of 4096 bytes, the end of the file,
# and 8 writes.
mkdir data
head -c 32768 /dev/zero >data/from
timeout -k 5 60 "$work/moved/bin/pario" record -o t --below data -- sh -c \
    'dd if=data/from of=data/to bs=4096 && mkdir data/d' >out 2>&1 ||
    fail "not recorded: $(cat out)"
found() { # PROGRAM
    timeout -k 5 60 "$1" t >lines 2>err || fail "$1: $(cat lines err)"
    [ ! -s err ] || fail "$1 has something to say: $(cat err)"
    awk -F '\t' '$2 ~ /^(read|write|mkdir)$/ { print $1, $2, $3, $4; if ($5 <= 0)
        print "no time" }' lines | sort >calls.txt
    printf '%s\n' '-1 mkdir 1 0' '-1 read 9 36864' '-1 write 8 32768' |
        diff - calls.txt || fail "$1 prints: $(cat lines)"
}
found ./calls

# What is no trace is said to be none; the end of one that is cut off is missed.
status=0
./calls data/from >out 2>err || status=$?
[ "$status" = 1 ] && grep -q '^calls: .*from' err || fail "no trace: $(cat err)"
head -c $(($(stat -c %s t) - 20)) t >cut
./calls cut >out 2>err || fail "cut off: $(cat err)"
[ -s err ] || fail "that the trace is cut off is not said: $(cat out)"

# CMake finds it, too.
mkdir project
cat >project/CMakeLists.txt <<'CMAKE'
cmake_minimum_required(VERSION 3.18)
project(calls C)
find_package(pario REQUIRED)
add_executable(calls ${SOURCE})
target_link_libraries(calls PRIVATE pario::trace)
CMAKE
{
    "$PARIO_CMAKE" -S project -B built -DCMAKE_PREFIX_PATH="$work/moved" \
        -DCMAKE_C_COMPILER="$PARIO_CC" -DSOURCE="$source" &&
        "$PARIO_CMAKE" --build built
} >log 2>&1 || fail "cmake: $(tail log)"
found built/calls
