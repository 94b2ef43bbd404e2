# bash completion for pario: commands, their tests, options and the values of
# these, all as `pario COMMAND --help` prints them from the tables of options.
_pario_help() # COMMAND
{
    pario "$1" --help 2>/dev/null
}

# The names of its tests.
_pario_names()
{
    _pario_help "$1" | sed -nE '/^tests:$/,/^$/s/^  ([^ ]+) .*/\1/p'
}

# The values of option $2 of command $1 where they are a choice or its tests.
_pario_values()
{
    if [[ $2 == --tests || $2 == --cases || $2 == --layouts ]]; then
        _pario_names "$1"
    elif [[ $2 == --* ]]; then
        _pario_help "$1" | sed -nE "s/^  (-.,|   ) $2 ([^ ]*\|[^ ]*).*/\2/p" | tr '|' ' '
    else
        _pario_help "$1" | sed -nE "s/^  $2, --[a-z0-9-]+ ([^ ]*\|[^ ]*).*/\1/p" | tr '|' ' '
    fi
}

# What may stand first: a test where the usage says so, or its words.
_pario_tests()
{
    _pario_help "$1" | grep -q '^usage: .* TEST ' && _pario_names "$1"
    _pario_help "$1" | sed -nE 's/^usage: .* \| ([a-z-]+) .*/\1/p'
    _pario_help "$1" | sed -nE "s/^(usage:|      ) pario (\[-n N\] )?$1 ([a-z][a-z-]*)( .*)?$/\3/p"
}

_pario()
{
    local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]}
    local cmd= word skip=0 at=0 i values
    for ((i = 1; i < COMP_CWORD; i++)); do
        word=${COMP_WORDS[i]}
        if [ "$skip" = 1 ]; then skip=0; continue; fi
        case $word in
            -n) skip=1 ;;
            -*) ;;
            *) cmd=$word; at=$i; break ;;
        esac
    done
    if [ -z "$cmd" ]; then
        [ "$prev" = -n ] && return
        COMPREPLY=($(compgen -W "-n --help --version $(pario list --commands 2>/dev/null)" -- "$cur"))
        return
    fi
    if [[ $prev == -* ]]; then
        values=$(_pario_values "$cmd" "$prev")
        if [ -n "$values" ]; then
            COMPREPLY=($(compgen -W "$values" -- "$cur"))
            return
        fi
    fi
    if [[ $cur == -* ]]; then
        COMPREPLY=($(compgen -W "$(_pario_help "$cmd" | sed -nE 's/^  (-.,|   ) (--[a-z0-9-]+).*/\2/p')" -- "$cur"))
        return
    fi
    COMPREPLY=($(compgen -f -- "$cur"))
    if [ $((at + 1)) = "$COMP_CWORD" ]; then
        COMPREPLY+=($(compgen -W "$(_pario_tests "$cmd")" -- "$cur"))
    fi
}
complete -o filenames -F _pario pario
