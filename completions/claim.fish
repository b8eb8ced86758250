# Completions of claim for fish. `claim completions fish` prints this file; claim itself says what may stand at the
# cursor.

function __claim_complete
    set -l typed (commandline -ct)
    set -l word (string unescape -- $typed)
    set -l before (commandline -opc)
    set -l replies (command claim complete "--word=$word" -- $before[2..] 2>/dev/null)
    set -l lead (string match -r -- '^--[^=]*=' $word; or echo)
    set -l rest (string replace -r -- '^--[^=]*=' '' $word)
    switch "$replies[1]"
        case files
            set replies $replies $lead(__fish_complete_path "$rest")
        case directories
            set replies $replies $lead(__fish_complete_directories "$rest" '')
        case commands
            __fish_complete_command
    end
    if set -q replies[2]
        printf '%s\n' $replies[2..]
    end
end

complete -c claim -e
complete -c claim -f -k -a '(__claim_complete)'
