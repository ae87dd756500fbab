#!/usr/bin/env bash
# Checks bash's completions for the command lines of the programs: options, their values, kernels, files.
#
#     completion.sh COMPLETION_FILE      with clgemm-bench and clgemm-tune in PATH
set -u
source "$1"
cd "$(mktemp -d)" && touch mine.cl other.txt || exit 1
failed=0

# demand WANTED WORD...: checks that WANTED is a completion of the last word.
demand() {
  local wanted=$1
  shift
  COMP_WORDS=("$@")
  COMP_CWORD=$(($# - 1))
  _clgemm "$1"
  for found in "${COMPREPLY[@]}"; do
    [ "$found" = "$wanted" ] && return
  done
  echo "$*<Tab> gives '${COMPREPLY[*]}' instead of '$wanted'"
  failed=1
}

demand --transpose-a clgemm-bench --tr
demand --kernel-folder clgemm-tune --ker
demand tiled_vector clgemm-bench --kernel til
demand float8 clgemm-bench -k fl
demand mine.cl clgemm-bench --kernel mi
demand column clgemm-bench --layout c
demand json clgemm-bench --size 3 -f j
demand --samples clgemm-tune --sam
demand openblas clgemm-bench --peer o
demand other.txt clgemm-bench --compare o
COMP_WORDS=(clgemm-bench --size "")
COMP_CWORD=2
_clgemm clgemm-bench
[ ${#COMPREPLY[@]} -eq 0 ] || { echo "--size <Tab> gives '${COMPREPLY[*]}'"; failed=1; }
exit $failed
