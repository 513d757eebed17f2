#!/usr/bin/env bash
# Sets up, builds and runs every test: the dev preset whole, then the asan preset (without LibTorch). usage: scripts/test.sh [--quick]
# --quick leaves the asan preset out.
set -euo pipefail
cd "$(dirname "$0")/.."
scripts/setup.sh --tests
cmake --workflow --preset dev
[ "${1:-}" = --quick ] || cmake --workflow --preset asan
