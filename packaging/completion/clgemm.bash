# Bash completion for clgemm-bench and clgemm-tune. The options and their values come from --help; kernels, devices
# and files are searched.

# Prints the words of --help after this option: "row|column", "FILE".
_clgemm_value_of() {
  "$1" --help 2>/dev/null | sed -nE "s/^ +(-[a-z],)?$2 ([^ ]+).*/\2/p" | head -n 1
}

_clgemm() {
  local program=$1 word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]} value=""
  case $before in
    -k) before=--kernel ;;
    -d) before=--device ;;
    -f) before=--format ;;
    -o) before=--output ;;
  esac
  COMPREPLY=()
  case $before in
    --kernel | --show-kernel)
      value="all auto $(clgemm-bench --list-kernels 2>/dev/null | sed -nE 's/^([a-z_0-9]+):.*/\1/p; s/^ +variant ([^:]+):.*/\1/p')"
      mapfile -t COMPREPLY < <(compgen -W "$value" -- "$word"; compgen -f -X '!*.cl' -- "$word")
      return ;;
    --peer)
      mapfile -t COMPREPLY < <(compgen -W "none clblast clblast-tuned= openblas cblas= cublas" -- "$word")
      return ;;
    --device)
      value=$(clgemm-bench --list-devices 2>/dev/null | sed -nE 's/^ *([0-9]+) .*/\1/p')
      mapfile -t COMPREPLY < <(compgen -W "$value" -- "$word")
      return ;;
    --*)
      value=$(_clgemm_value_of "$program" "$before") ;;
  esac
  case $value in
    *DIR* | *FOLDER*) mapfile -t COMPREPLY < <(compgen -d -- "$word") ;;
    *FILE* | *OLD*) mapfile -t COMPREPLY < <(compgen -f -- "$word") ;;
    [A-Z]*) ;;  # a number, or a name that only the user knows
    *'|'*) mapfile -t COMPREPLY < <(compgen -W "${value//|/ }" -- "$word") ;;
    *)
      value=$("$program" --help 2>/dev/null | grep -oE '^ +(-[a-z],)?--[a-z-]+' | grep -oE '\-\-[a-z-]+')
      mapfile -t COMPREPLY < <(compgen -W "$value" -- "$word") ;;
  esac
}

complete -F _clgemm clgemm-bench clgemm-tune
