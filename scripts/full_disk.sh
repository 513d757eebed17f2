#!/usr/bin/env bash
# Builds on small disks (tmpfs of many sizes, the store's own file system; the pictures lie on another): whatever the size, the exit code is 0
# or 74, and the snapshot that was there before stays whole. Needs root, for the mounts. usage: scripts/full_disk.sh [BIN]
set -euo pipefail
cd "$(dirname "$0")/.."
bin=$(realpath "${1:-build/dev/bin}")
if [ "${FULL_DISK_INSIDE:-}" != yes ]; then
  unshare --mount true 2>/dev/null || { echo "full_disk: SKIPPED, this user cannot mount"; exit 77; }
  FULL_DISK_INSIDE=yes exec unshare --mount "$0" "$bin"
fi
work=$(mktemp -d)
trap 'umount "$work/disk" 2>/dev/null || true; rm -rf "$work"' EXIT
mkdir "$work/disk"
python3 samples/draw.py "$work/sample" --pictures 20 >/dev/null
head -4 "$work/sample/train.txt" >"$work/sample/few.txt"
build() {
  "$bin/letterpress-preprocess" build --store "$work/disk/store" --input "$1" --classes "$work/sample/classes.txt" \
    --size 64 --views 2 --shard-bytes 100k --max-removed 100% >"$work/out" 2>"$work/err"
}
sizes=0 full=0 built=0
for kib in 24 64 128 192 256 288 320 352 384 416 448 480 512 544 576 608 640 704 768 832 896 1024 1152 1280 1536 2048; do
  for hog in no yes; do
    mount -t tmpfs -o "size=${kib}k" none "$work/disk"
    had=no
    build "$work/sample/few.txt" && had=yes || code=$?
    [ $had = yes ] || [ "$code" = 74 ] || { echo "full_disk: $kib KiB: exit $code: $(cat "$work/err")"; exit 1; }
    if [ $had = yes ]; then
      # Another program fills the disk while the build works.
      if [ $hog = yes ]; then
        while [ ! -e "$work/stop" ] && [ "$(find "$work/disk/store/shards" -name '*.h5' | wc -l)" -lt 4 ]; do :; done && cat /dev/zero >"$work/disk/hog" 2>/dev/null &
        filler=$!
      fi
      code=0
      build "$work/sample/train.txt" || code=$?
      touch "$work/stop"
      [ $hog = no ] || wait $filler || true
      rm -f "$work/stop"
      [ "$code" = 0 ] || [ "$code" = 74 ] || { echo "full_disk: $kib KiB: exit $code: $(cat "$work/err")"; exit 1; }
      [ "$code" = 0 ] && built=$((built + 1)) || { full=$((full + 1)); sed -n 1p "$work/err" | cut -c1-160; }
      rm -f "$work/disk/hog"
      "$bin/letterpress-preprocess" verify --deep --store "$work/disk/store" >/dev/null
    else
      full=$((full + 1))
    fi
    umount "$work/disk"
  done
  sizes=$((sizes + 1))
done
echo "full_disk: $sizes sizes: $full builds found no space (exit 74), $built were published; every snapshot is whole"
