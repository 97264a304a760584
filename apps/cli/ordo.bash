# Completion of `ordo` for bash: the command itself says what may come next (`ordo complete`).
_ordo()
{
    local candidate
    COMPREPLY=()
    while IFS= read -r candidate; do
        case $candidate in
        '<files>') compopt -o default ;;
        *=) compopt -o nospace; COMPREPLY+=("$candidate") ;;
        *) COMPREPLY+=("$candidate") ;;
        esac
    done < <("${1/#\~/$HOME}" complete -- "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
}
complete -F _ordo ordo
