# fish completion for pario, as completion.bash: all words come from `pario
# COMMAND --help`, which is printed from the tables of options.
function __pario_command
    set -l skip 0
    for word in (commandline -opc)[2..-1]
        if test $skip = 1
            set skip 0
            continue
        end
        switch $word
            case -n
                set skip 1
            case '-*'
            case '*'
                echo $word
                return 0
        end
    end
    return 1
end

function __pario_options
    set -l command (__pario_command); or return
    pario $command --help 2>/dev/null | string replace -rf '^  (?:-.,|   ) (--[a-z0-9-]+).*' '$1'
end

function __pario_names # COMMAND
    pario $argv[1] --help 2>/dev/null | sed -nE '/^tests:$/,/^$/s/^  ([^ ]+) .*/\1/p'
end

function __pario_values
    set -l command (__pario_command); or return
    set -l last (commandline -opc)[-1]
    if contains -- $last --tests --cases --layouts
        __pario_names $command
        return
    end
    string match -q -- '--*' $last; or return
    pario $command --help 2>/dev/null | string replace -rf "^  (?:-.,|   ) $last ([^ ]*\|[^ ]*).*" '$1' | string split '|'
end

function __pario_tests
    set -l command (__pario_command); or return
    pario $command --help 2>/dev/null | grep -q '^usage: .* TEST '; and __pario_names $command
    pario $command --help 2>/dev/null | sed -nE 's/^usage: .* \| ([a-z-]+) .*/\1/p'
    pario $command --help 2>/dev/null | sed -nE "s/^(usage:|      ) pario (\[-n N\] )?$command ([a-z][a-z-]*)( .*)?\$/\3/p"
end

complete -c pario -n 'not __pario_command >/dev/null' -f -a '(pario list --commands 2>/dev/null) -n --help --version'
complete -c pario -n '__pario_command >/dev/null' -a '(__pario_values)'
complete -c pario -n '__pario_command >/dev/null' -a '(__pario_tests)'
complete -c pario -n '__pario_command >/dev/null; and string match -q -- "-*" (commandline -ct)' -f -a '(__pario_options)'
