#!/usr/bin/env bash
# Runs tools/skipped_tests at the end of a small suite. The reasons must come before CTest's summary, which
# must be last.
#
#     skipped_tests.sh TOOL CTEST FOLDER
set -euo pipefail
tool=$1
ctest=$2
folder=$3

rm -rf "$folder"
mkdir -p "$folder"
cd "$folder"
cat >CTestTestfile.cmake <<'END'
add_test(by_code /bin/sh -c "echo SKIPPED: no gizmo >&2; exit 77")
set_tests_properties(by_code PROPERTIES SKIP_RETURN_CODE 77)
add_test(in_part /bin/sh -c "echo other words; echo -- SKIPPED: no gadget")
add_test(good true)
END
echo "-- clgemm: no Python module, because there is no Python" >configure.log
echo "-- Found others" >>configure.log

fail() {
  echo "$1, in this output:"
  sed 's/SKIPPED/skipped/' output  # so that it is not a reason of this suite
  exit 1
}

check_order() {
  local last=0 number text
  for text in "$@"; do
    number=$(grep -nF -- "$text" output | head -1 | cut -d: -f1)
    [ -n "$number" ] || fail "no '$text'"
    [ "$number" -gt $last ] || fail "'$text' comes too early"
    last=$number
  done
}

"$ctest" 2>&1 | "$tool" . >output
check_order "Start 3: good" "  no Python module, because there is no Python" "  by_code: SKIPPED: no gizmo" \
  "  in_part: SKIPPED: no gadget" "100% tests passed" "by_code (Skipped)"
! grep -q "other words\|Found others" output || fail "words that are no reasons"

# If nothing was skipped, it prints nothing. ctest reports a failure, also by its status.
echo 'add_test(bad false)' >CTestTestfile.cmake
rm configure.log
if "$ctest" 2>&1 | "$tool" . >output; then fail "the status of ctest is lost"; fi
check_order "0% tests passed" "1 - bad (Failed)"
! grep -q "not part of this build" output || fail "reasons of nothing"
