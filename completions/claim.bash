# Completions of claim for bash, 3.2 or newer. `claim completions bash` prints this file; claim itself says what may
# stand at the cursor.

_claim() {
    local line=${COMP_LINE:0:COMP_POINT} part word head reply candidate add=
    local -a words=()
    local -i i
    COMPREPLY=()
    # Bash splits words at `:` and `=` too, which targets and --option=value have: what no blank separates is one word.
    for ((i = 0; i <= COMP_CWORD; i++)); do
        if ((i == 0)) || [[ $line == [[:space:]]* ]]; then words+=(""); fi
        line=${line#"${line%%[![:space:]]*}"}
        part=${COMP_WORDS[i]}
        # The word at the cursor ends there.
        if ((i == COMP_CWORD)); then part=$line; fi
        words[${#words[@]} - 1]+=$part
        line=${line#"$part"}
    done
    word=${words[${#words[@]} - 1]}
    words=("${words[@]:1:${#words[@]}-2}")
    # What bash will keep in front of the answers.
    head=${word%"$2"}
    head=${head//[\"\'\\]/}

    while IFS= read -r reply; do
        if [[ -z $add ]]; then
            add=$reply
            continue
        fi
        candidate=${reply%%$'\t'*}
        [[ $candidate == "${word//[\"\'\\]/}"* ]] || continue
        [[ $candidate != */ ]] || compopt -o nospace 2>/dev/null
        candidate=${candidate#"$head"}
        # Within a quotation bash quotes by itself.
        if [[ $word != *[\"\']* ]]; then
            printf -v candidate %q "$candidate"
            [[ $candidate != '\~/'* ]] || candidate=${candidate#?}
        fi
        COMPREPLY+=("$candidate")
    done < <(command claim complete --word="${word//[\"\'\\]/}" -- "${words[@]//[\"\'\\]/}" 2>/dev/null)

    case $add in
        files) part=-f ;;
        directories) part=-d ;;
        commands) part=-c ;;
        *) return ;;
    esac
    compopt -o filenames 2>/dev/null
    while IFS= read -r candidate; do
        COMPREPLY+=("$candidate")
    done < <(compgen "$part" -- "$2")
}

complete -o nosort -F _claim claim 2>/dev/null || complete -F _claim claim
