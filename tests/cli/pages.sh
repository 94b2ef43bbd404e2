#!/bin/bash
# Man pages and completion say what the tables of options say: pages.sh PARIO
# SOURCE.
set -u
pario=$1
source=$2
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
status=0

fail()
{
    echo "FAILED: $*"
    status=1
}

"$source/script/man-pages" "$pario" "$source/man" "$dir" || fail "man pages"
for command in $("$pario" list --commands); do
    page=$dir/pario-$command.1
    [ -s "$page" ] || { fail "no page of $command"; continue; }
    grep -q "^\.Sh SEE ALSO" "$page" || fail "$command: the page is not whole"
    for option in $("$pario" "$command" --help | sed -nE 's/^  (-.,|   ) --([a-z0-9-]+).*/\2/p'); do
        grep -qE "^\.It Fl (. , )?-$option( |$)" "$page" || fail "$command: --$option has no entry"
    done
    if command -v mandoc > /dev/null; then
        mandoc -T lint -W warning "$page" || fail "$command: mandoc"
    fi
done

mkdir "$dir/bin"
ln -s "$pario" "$dir/bin/pario"
PATH=$dir/bin:$PATH
. "$source/script/completion.bash"
complete_words() # WORD... -> what the last one may become
{
    COMP_WORDS=("$@")
    COMP_CWORD=$(($# - 1))
    COMPREPLY=()
    _pario
    echo " ${COMPREPLY[*]} "
}
cd "$dir" || exit 1
[[ $(complete_words pario qu) == *" quick "* ]] || fail "a command"
[[ $(complete_words pario -n 4 qu) == *" quick "* ]] || fail "a command after -n 4"
if "$pario" list --commands | grep -qx nht; then
    [[ $(complete_words pario nht a) == *" app "* ]] || fail "a test: $(complete_words pario nht a)"
fi
[[ $(complete_words pario quick --veri) == *" --verify "* ]] || fail "an option"
[[ $(complete_words pario quick --verify f) == " full " ]] || fail "a value: $(complete_words pario quick --verify f)"
[[ $(complete_words pario report --format m) == " md " ]] || fail "a value of report"
for shell in zsh fish; do
    if command -v $shell > /dev/null; then
        $shell -n "$source/script/completion.$shell" || fail "$shell"
    fi
done
exit $status
