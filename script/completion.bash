# bash completion for pario: commands, then each command's own options.
_pario()
{
    local cur=${COMP_WORDS[COMP_CWORD]} cmd= word skip=0
    for word in "${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
        if [ "$skip" = 1 ]; then skip=0; continue; fi
        case $word in
            -n) skip=1 ;;
            -*) ;;
            *) cmd=$word; break ;;
        esac
    done
    if [ -z "$cmd" ]; then
        COMPREPLY=($(compgen -W "-n --help --version $(pario list --commands 2>/dev/null)" -- "$cur"))
    elif [[ $cur == -* ]]; then
        COMPREPLY=($(compgen -W "$(pario "$cmd" --help 2>/dev/null | grep -o -- '--[a-z0-9-]*' | sort -u)" -- "$cur"))
    else
        COMPREPLY=($(compgen -f -- "$cur"))
    fi
}
complete -F _pario pario
