#!/usr/bin/env bash
# Sets up, builds and runs every test: the dev preset whole, then the asan preset (without LibTorch). usage: scripts/test.sh [--quick]
# --quick leaves the asan preset out. What could not be tested here (no GPU, no real pictures, ...) is listed at the end.
set -euo pipefail
cd "$(dirname "$0")/.."
case "$*" in '' | --quick) ;; *) echo "test.sh: unknown arguments '$*'; known: --quick" >&2; exit 64 ;; esac
presets=(dev)
[ "${1:-}" = --quick ] || presets+=(asan)

scripts/setup.sh --tests
for preset in "${presets[@]}"; do cmake --workflow --preset "$preset"; done

# A case that skips says so in the log of its program, which counts as passed.
for preset in "${presets[@]}"; do
  { grep -ioE 'skipped: .*' "build/$preset/Testing/Temporary/LastTest.log" || true; } | sort | uniq -c | sed "s/^ */$preset: /"
done
