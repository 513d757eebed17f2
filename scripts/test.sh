#!/usr/bin/env bash
# Sets up, builds and runs every test (the ci preset: the dev preset with several units compiled as one). usage: scripts/test.sh [--sanitizers]
# --sanitizers runs the tests of the asan and tsan presets, too, which takes about twice as long again. At the end stand what could not
# be tested here (no GPU, no real pictures, ...) and where the time went.
set -euo pipefail
cd "$(dirname "$0")/.."
case "$*" in
  '') presets=(ci) set_up=(--tests) ;;
  --sanitizers) presets=(ci asan tsan) set_up=(--tests --sanitizers) ;;
  *) echo "test.sh: unknown arguments '$*'; known: --sanitizers" >&2; exit 64 ;;
esac

stages=()
stage() {
  local begin=$SECONDS
  "$@"
  stages+=("$(printf '%6d s  %s' $((SECONDS - begin)) "$*")")
}

report() {
  local preset log
  for preset in "${presets[@]}"; do
    log=build/$preset/Testing/Temporary
    [ -e "$log/LastTest.log" ] || continue
    { grep -oE '(^|: )skipped: .*' "$log/LastTest.log" || true; } | sed 's/^: //' | sort | uniq -c | sed "s/^ */$preset: /"
    echo "$preset: the slowest tests"
    sed '/^---/,$d' "$log/CTestCostData.txt" | awk '$2 > 0' | sort -k3 -rn | awk 'NR <= 10 {printf "%6.0f s  %s\n", $3, $1}'
  done
  printf '%s\n' "${stages[@]}" "$(printf '%6d s  in all' $SECONDS)"
}
trap 'status=$?; report || true; exit $status' EXIT  # what the report meets is not what the tests said

stage scripts/setup.sh "${set_up[@]}"
for preset in "${presets[@]}"; do
  stage cmake --preset "$preset"
  stage cmake --build --preset "$preset"
  stage ctest --preset "$preset"
done
