#!/bin/sh
# The example plug-in builds against the installed headers alone, as its own
# comment says, and the installed program runs it.
. "$(dirname "$0")/lib.sh"

"$PARIO_CMAKE" --install "$PARIO_BUILD" --prefix "$work/there" >log 2>&1 ||
    fail "not installed: $(cat log)"
mv there moved # where it was installed does not matter
command -v pkg-config >/dev/null || exit 77
PKG_CONFIG_PATH=$(dirname "$(find "$work/moved" -name pario.pc)")
export PKG_CONFIG_PATH
cp moved/share/pario/examples/plugin/* .
command=$(sed -n 's/^ \*   cc /"$PARIO_CC" /p' metadata.c)
case $command in
*pkg-config*) eval "$command" || fail "it does not build: $command" ;;
*) fail "the example does not say how it is built" ;;
esac
PARIO=$work/moved/bin/pario
prio 2 metadata.prio target --plugin ./metadata.so -q -o out.json
check out.json "d['valid'] and len(of(test='metadata')) == 3"
