#!/usr/bin/env bash
# From nothing to a trained detector: draws a sample dataset, preprocesses it, trains, evaluates and predicts. The programs are those of the
# wheel in dist/, where scripts/package.sh has made one, in a virtual environment; otherwise they are built. Everything lands in
# out/quickstart. usage: scripts/quickstart.sh
# The times are those that this script prints at its end, on two cores without other work; scripts/proof/bare_root.sh runs it.
set -euo pipefail
cd "$(dirname "$0")/.."
started=$SECONDS
out=out/quickstart
epochs=8
steps=()

# step NAME COMMAND...: runs it and remembers how long it took.
step() {
  local began=$SECONDS
  printf '\n== %s (%d s so far)\n' "$1" $((began - started))
  "${@:2}"
  steps+=("$(printf '%-12s %4d s' "$1" $((SECONDS - began)))")
}

wheel=$(compgen -G "dist/letterpress-*-cp311-*.whl" | head -n 1 || true)  # for the Python of Debian 12
if [ -n "$wheel" ]; then
  first="  set-up       15 s    Python's packages, the wheel; and LibTorch (2.5 GB), where it is missing"
else
  first="  set-up       1 min   packages, and LibTorch (2.5 GB) where it is missing
  build        6 min   once; the next run builds nothing. scripts/package.sh wheel makes a package that other machines need not build"
fi
cat <<END
On two cores, downloads aside:
$first
  preprocess   1 s     200 pictures, four views each
  train       30 s     $epochs epochs on the CPU
  the rest    10 s     evaluate and predict
END

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

printf '\nDone in %d s:\n' $((SECONDS - started))
printf '  %s\n' "${steps[@]}"
cat <<END
Look at
  $out/preview.png          rows of the store with their boxes
  $out/run/results.csv      losses and metrics of every epoch
  $out/run/best.safetensors the best model
  $out/predictions/         pictures with what was found, and detections.json
END
