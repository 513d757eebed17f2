#!/usr/bin/env bash
# Sets up, builds and runs every test (the ci preset: the dev preset with several units compiled as one). usage: scripts/test.sh [--sanitizers]
# --sanitizers runs them once more with address and undefined-behaviour sanitizers (the asan preset, without LibTorch), which about
# doubles the time. What could not be tested here (no GPU, no real pictures, ...) is listed at the end.
set -euo pipefail
cd "$(dirname "$0")/.."
case "$*" in
  '') presets=(ci) ;;
  --sanitizers) presets=(ci asan) ;;
  *) echo "test.sh: unknown arguments '$*'; known: --sanitizers" >&2; exit 64 ;;
esac

scripts/setup.sh --tests
for preset in "${presets[@]}"; do cmake --workflow --preset "$preset"; done

# A case that skips says so in the log of its program, which counts as passed.
for preset in "${presets[@]}"; do
  { grep -ioE 'skipped: .*' "build/$preset/Testing/Temporary/LastTest.log" || true; } | sort | uniq -c | sed "s/^ */$preset: /"
done
