#!/usr/bin/env bash
# Makes the images of the Containerfile with buildah on a bare Debian 12 of debootstrap, and uses them: their sizes, and what the programs print.
# usage: scripts/proof/container.sh preprocess | everything [--roots FOLDER]
#   preprocess  build, verify and unpack of drawn pictures, by letterpress-preprocess of dist/letterpress-preprocess_*.deb
#   everything  a build, one epoch and predictions, by the wheel in dist/ and the PyTorch that it names
#   --roots     where bare_root.sh keeps its bare system (out/bare-root)
# Run it as root; scripts/setup.sh --packages brings buildah and debootstrap.
set -euo pipefail
cd "$(dirname "$0")/../.."

target=${1:-} roots=out/bare-root
[ $# -eq 0 ] || shift
while [ $# -gt 0 ]; do
  case $1 in
    --roots) roots=$2; shift 2 ;;
    *) echo "container.sh: unknown flag '$1'; known: --roots" >&2; exit 64 ;;
  esac
done
case $target in
  preprocess | everything) ;;
  *) echo "container.sh: unknown target '$target'; known: preprocess, everything" >&2; exit 64 ;;
esac
mkdir -p "$roots"
roots=$(realpath "$roots")
base=$roots/base work=$(mktemp -d "$roots/container.XXXX")
trap 'rm -rf "$work"' EXIT
# What a machine without user namespaces or an overlay file system can do too.
export BUILDAH_ISOLATION=chroot STORAGE_DRIVER=${STORAGE_DRIVER:-overlay}

image_size() { buildah images --format "{{.Size}}" "$1"; }

make_base() {
  [ -e "$base/etc/debian_version" ] || debootstrap --variant=minbase bookworm "$base" >/dev/null
  # What debian:12-slim leaves out of it too.
  rm -rf "$base"/var/cache/apt/* "$base"/var/lib/apt/lists/* "$base"/usr/share/{doc,info,locale,man}/*
  local container
  container=$(buildah from scratch)
  buildah add --quiet "$container" "$base" / >/dev/null
  buildah commit --quiet --rm "$container" letterpress-base >/dev/null
  echo "base: Debian $(cat "$base/etc/debian_version"), $(image_size letterpress-base)"
}

# This machine's certificates, where it has some of its own, are lent to pip while the image is made.
make_image() {
  printf '[global]\ncert = /etc/lent.crt\n' >"$work/pip.conf"
  local began=$SECONDS
  printf '\n$ buildah bud --target %s -t letterpress-%s .\n' "$target" "$target"
  buildah bud --quiet --target "$target" --build-arg BASE=letterpress-base -t "letterpress-$target" -f Containerfile \
    -v "$work/pip.conf:/etc/pip.conf:ro" -v /etc/ssl/certs/ca-certificates.crt:/etc/lent.crt:ro . >/dev/null
  printf '[%d s] letterpress-%s: %s\n' $((SECONDS - began)) "$target" "$(image_size "letterpress-$target")"
}

# in_image COMMAND...: as whoever runs a container, with the work folder mounted as its data.
in_image() {
  printf '\n$ buildah run -v "$PWD:/data" letterpress-%s -- %s\n' "$target" "$*"
  buildah run --user 65534:65534 -v "$work/data:/data" "$container" -- "$@" 2>&1
}

use_image() {
  python3 samples/draw.py "$work/data" --pictures 20 >/dev/null
  chmod -R a+rwX "$work"
  container=$(buildah from --pull-never "letterpress-$target")
  in_image letterpress-preprocess build --store store --input voc/ImageSets/Main/train.txt --val voc/ImageSets/Main/val.txt --size 160 --views 2
  in_image letterpress-preprocess verify --store store --deep
  if [ "$target" = preprocess ]; then
    in_image letterpress-preprocess unpack --store store --to yolo --out unpacked
  else
    in_image letterpress-trainer fit --store store --model yolov3-tiny --out run --epochs 1 --batch 4 --device cpu
    in_image letterpress-predict --checkpoint run/last.safetensors --input voc/JPEGImages --out predictions --device cpu
    in_image python -c 'import letterpress; print(letterpress.open("store").splits)'
  fi
  buildah rm "$container" >/dev/null
}

make_base
make_image
use_image
