#compdef pario
# zsh completion for pario, as completion.bash: all words come from `pario
# COMMAND --help`, which is printed from the tables of options.
_pario() {
    local cmd= word skip=0 at=0 i help
    local -a found
    for ((i = 2; i < CURRENT; i++)); do
        word=$words[i]
        if ((skip)); then skip=0; continue; fi
        case $word in
            -n) skip=1 ;;
            -*) ;;
            *) cmd=$word; at=$i; break ;;
        esac
    done
    if [[ -z $cmd ]]; then
        found=(-n --help --version ${(f)"$(pario list --commands 2>/dev/null)"})
        compadd -a found
        return
    fi
    help=$(pario $cmd --help 2>/dev/null)
    local -a names
    names=(${(f)"$(print -r -- $help | sed -nE '/^tests:$/,/^$/s/^  ([^ ]+) .*/\1/p')"})
    if [[ $words[CURRENT-1] == (--tests|--cases|--layouts) ]]; then
        compadd -a names
        return
    fi
    if [[ $words[CURRENT-1] == --* ]]; then
        found=(${(s:|:)"$(print -r -- $help | sed -nE "s/^  (-.,|   ) $words[CURRENT-1] ([^ ]*\|[^ ]*).*/\2/p")"})
        if (($#found)); then
            compadd -a found
            return
        fi
    fi
    if [[ $words[CURRENT] == -* ]]; then
        found=(${(f)"$(print -r -- $help | sed -nE 's/^  (-.,|   ) (--[a-z0-9-]+).*/\2/p')"})
        compadd -a found
        return
    fi
    if ((at + 1 == CURRENT)); then
        [[ $help == *' TEST '* ]] || names=()
        found=($names ${(f)"$(print -r -- $help | sed -nE 's/^usage: .* \| ([a-z-]+) .*/\1/p')"}
               ${(f)"$(print -r -- $help | sed -nE "s/^(usage:|      ) pario (\[-n N\] )?$cmd ([a-z][a-z-]*)( .*)?\$/\3/p")"})
        compadd -a found
    fi
    _files
}
_pario "$@"
