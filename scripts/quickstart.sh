#!/usr/bin/env bash
# From nothing to a trained detector: sets up, builds the programs, draws a sample dataset, preprocesses it, trains, evaluates and
# predicts. Everything lands in out/quickstart. usage: scripts/quickstart.sh
# How long each step takes is of a machine with two cores.
set -euo pipefail
cd "$(dirname "$0")/.."
started=$SECONDS

step() { printf '\n== %s (%d s so far)\n' "$*" $((SECONDS - started)); }

cat <<END
On two cores, downloads aside:
  set-up       1 min   packages, and LibTorch (2.5 GB) where it is missing
  build        6 min   once; the next run builds nothing
  preprocess   1 s     200 pictures, four views each
  train        2 min   30 epochs on the CPU
  the rest    10 s     evaluate and predict
END

step "Set-up"
scripts/setup.sh

step "Build"
cmake --workflow --preset release
bin=build/release/bin
out=out/quickstart
rm -rf "$out"
mkdir -p "$out"

step "Draw 200 sample pictures of three kinds of shapes"
python3 samples/draw.py "$out/sample" --pictures 200

step "Preprocess: decode, augment and letterbox once"
"$bin/letterpress-preprocess" build --store "$out/store" --input "$out/sample/train.txt" --val "$out/sample/val.txt" \
  --classes "$out/sample/classes.txt" --size 160 --views 4
"$bin/letterpress-preprocess" preview --store "$out/store" --out "$out/preview.png"

step "Train"
"$bin/letterpress-trainer" fit --store "$out/store" --model yolov3-tiny --out "$out/run" --epochs 30 --batch 8 --device cpu

step "Evaluate"
"$bin/letterpress-trainer" eval --store "$out/store" --checkpoint "$out/run/best.safetensors" --device cpu

step "Predict"
"$bin/letterpress-predict" --checkpoint "$out/run/best.safetensors" --input "$out/sample/yolo/images/val" --out "$out/predictions" --device cpu

cat <<END

Done in $((SECONDS - started)) s. Look at
  $out/preview.png          rows of the store with their boxes
  $out/run/results.csv      losses and metrics of every epoch
  $out/run/best.safetensors the best model
  $out/predictions/         pictures with what was found, and detections.json
END
