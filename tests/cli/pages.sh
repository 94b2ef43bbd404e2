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

# zsh has its words from the function that takes them, before it chooses.
zsh_words()
{
    zsh -fc 'compadd() { print -r -- ${(P)2} }
        _files() { }
        completion=$1; shift
        words=("$@") CURRENT=$#
        source $completion' zsh "$source/script/completion.zsh" "$@" | tr '\n' ' '
}
fish_words()
{
    local line="$*"
    fish --no-config -c "source $source/script/completion.fish; complete -C '$line'" | cut -f1 | tr '\n' ' '
}

# try SHELL WANTED WORD...: is it among what the last word may become?
try()
{
    local shell=$1 wanted=$2 found
    shift 2
    found=" $("${shell}_words" "$@") "
    [[ $found == *" $wanted "* ]] || fail "$shell: $* -> $wanted: $found"
}
# The opposite: a name that would be taken for a directory.
refuse()
{
    local shell=$1 unwanted=$2 found
    shift 2
    found=" $("${shell}_words" "$@") "
    [[ $found != *" $unwanted "* ]] || fail "$shell: $* -> $unwanted"
}
complete_with() # SHELL
{
    try "$1" quick pario qu
    try "$1" quick pario -n 4 qu
    if "$pario" list --commands | grep -qx nht; then
        try "$1" app pario nht a
    fi
    if "$pario" list --commands | grep -qx meta; then
        try "$1" shared pario meta --layouts s
        refuse "$1" shared pario meta s
    fi
    if "$pario" list --commands | grep -qx beffio; then
        try "$1" compare-hints pario beffio c
    fi
    try "$1" --verify pario quick --veri
    try "$1" full pario quick --verify f
    try "$1" md pario report --format m
}
bash_words() { complete_words "$@"; }
complete_with bash
[[ $(complete_words pario quick --verify f) == " full " ]] || fail "bash chooses: $(complete_words pario quick --verify f)"
for shell in zsh fish; do
    if command -v $shell > /dev/null; then
        $shell -n "$source/script/completion.$shell" || fail "$shell"
        complete_with $shell
    else
        echo "$shell is not installed: its completion is not tried"
    fi
done
exit $status
