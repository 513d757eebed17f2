#!/usr/bin/env bash
# From nothing to a trained detector: draws a sample dataset, preprocesses it, trains, evaluates and predicts. The programs are those of the
# wheel in dist/, where scripts/package.sh has made one, in a virtual environment; otherwise they are built. Everything lands in
# out/quickstart. usage: scripts/quickstart.sh [--record]
# The times that it prints first are those of its last run with --record, of each way: scripts/bench/results/quickstart-*.txt.
# scripts/proof/bare_root.sh runs it.
set -euo pipefail
cd "$(dirname "$0")/.."
started=$SECONDS
out=out/quickstart
epochs=8
steps=()
case "${1:-}" in
  '' | --record) ;;
  *) echo "quickstart.sh: unknown flag '$1'; known: --record" >&2; exit 64 ;;
esac

# Of all that this script has run, in hundredths of a second. `times` must not run in a subshell, which has used none.
used() {
  times >"$out/times"
  awk 'NR == 2 {split($1 "m" $2, t, "[ms]"); printf "%d", 100 * (60 * t[1] + t[2] + 60 * t[4] + t[5])}' "$out/times"
}

# step NAME COMMAND...: runs it and remembers how long it took.
step() {
  local began=$SECONDS used_before used_now
  used >"$out/used"
  used_before=$(cat "$out/used")
  printf '\n== %s (%d s so far)\n' "$1" $((began - started))
  "${@:2}"
  used >"$out/used"
  used_now=$(cat "$out/used")
  steps+=("$(printf '  %-12s %4d s %7.1f s' "$1" $((SECONDS - began)) "$(((used_now - used_before) / 10))e-1")")
}

wheel=$(compgen -G "dist/letterpress-*-cp311-*.whl" | head -n 1 || true)  # for the Python of Debian 12
recorded=scripts/bench/results/quickstart-$([ -n "$wheel" ] && echo wheel || echo build).txt
[ -e "$recorded" ] || recorded_too=scripts/bench/results/quickstart-wheel.txt  # its steps are the same, but for the build
cat "${recorded_too:-$recorded}"
[ -n "$wheel" ] || echo "${recorded_too:+The build is not among these. }It is made once. scripts/package.sh wheel makes a package that other machines need not build."
[ -e .deps/torch ] || echo "LibTorch is missing and comes first: a download of 2.5 GB."

rm -rf "$out"
mkdir -p "$out"
set_up_wheel() {
  scripts/setup.sh --wheel
  /usr/bin/python3 -m venv "$out/venv"
  "$out/venv/bin/pip" install --quiet "$wheel"
  # The LibTorch of scripts/setup.sh; `pip install 'letterpress[train]'` would bring PyTorch itself.
  local site
  site=$(echo "$out"/venv/lib/python3*/site-packages)
  echo "$PWD/.deps/torch" >"$site/letterpress-torch.pth"
}
if [ -n "$wheel" ]; then
  step "set-up" set_up_wheel
  bin=$out/venv/bin
else
  step "set-up" scripts/setup.sh
  step "build" cmake --workflow --preset release
  bin=build/release/bin
fi

preprocess() {
  python3 samples/draw.py "$out/sample" --pictures 200
  "$bin/letterpress-preprocess" build --store "$out/store" --input "$out/sample/train.txt" --val "$out/sample/val.txt" \
    --classes "$out/sample/classes.txt" --size 160 --views 4
  "$bin/letterpress-preprocess" preview --store "$out/store" --out "$out/preview.png"
}

trainer() { "$bin/letterpress-trainer" "$@" --store "$out/store" --device cpu; }

step "preprocess" preprocess
step "train" trainer fit --model yolov3-tiny --out "$out/run" --epochs $epochs --batch 8
step "evaluate" trainer eval --checkpoint "$out/run/best.safetensors"
step "predict" "$bin/letterpress-predict" --checkpoint "$out/run/best.safetensors" --input "$out/sample/yolo/images/val" --out "$out/predictions" --device cpu

table() {
  echo "What it took on $(date +%F), $(nproc) cores, other work beside it: $(cut -d ' ' -f 1 /proc/loadavg) processes:"
  echo "  step           waited   processors"
  printf '%s\n' "${steps[@]}"
}
printf '\nDone in %d s\n' $((SECONDS - started))
table
[ "${1:-}" != --record ] || table >"$recorded"
cat <<END
Look at
  $out/preview.png          rows of the store with their boxes
  $out/run/results.csv      losses and metrics of every epoch
  $out/run/best.safetensors the best model
  $out/predictions/         pictures with what was found, and detections.json
END
