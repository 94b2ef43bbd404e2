#!/bin/sh
# The example plug-ins build against the installed header alone, as their own
# comments say, and the installed program runs them.
. "$(dirname "$0")/lib.sh"

"$PARIO_CMAKE" --install "$PARIO_BUILD" --prefix "$work/there" >log 2>&1 ||
    fail "not installed: $(cat log)"
mv there moved # where it was installed does not matter
command -v pkg-config >/dev/null || exit 77
PKG_CONFIG_PATH=$(dirname "$(find "$work/moved" -name pario.pc)")
export PKG_CONFIG_PATH
cp moved/share/pario/examples/plugin/* .
PARIO=$work/moved/bin/pario
for example in metadata:3 journal:2; do # name, repetitions of its workload
    name=${example%:*}
    command=$(sed -n 's/^ \*   cc /"$PARIO_CC" /p' "$name.c")
    case $command in
    *pkg-config*) eval "$command" || fail "it does not build: $command" ;;
    *) fail "$name.c does not say how it is built" ;;
    esac
    prio 2 "$name.prio" target --plugin "./$name.so" -q -o "$name.json"
    check "$name.json" "d['valid'] and len(of(test='$name')) == ${example#*:}"
done
