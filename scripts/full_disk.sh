#!/usr/bin/env bash
# Builds on disks that are too small for what is added (tmpfs of many sizes, the store's own file system; the pictures are on another): each
# build ends with 74, the snapshot that was there before reads as before, and with more room the next build publishes. At half of the
# sizes another program fills the disk while the build works. It mounts in a name space of its own, as root or where users may make one.
# usage: scripts/full_disk.sh [BIN [KIB...]]: without sizes, at least 20 of many must have been too small; with sizes, each of them
set -euo pipefail
cd "$(dirname "$0")/.."
bin=$(realpath "${1:-build/dev/bin}")
shift $(($# > 0 ? 1 : 0))
if [ "${FULL_DISK_INSIDE:-}" != yes ]; then
  mount_trial='mount -t tmpfs -o size=64k none /mnt'
  for space in --mount "--user --map-root-user --mount"; do
    # shellcheck disable=SC2086
    unshare $space sh -c "$mount_trial" 2>/dev/null || continue
    # shellcheck disable=SC2086
    FULL_DISK_INSIDE=yes exec unshare $space "$0" "$bin" "$@"
  done
  echo "full_disk: SKIPPED, this user cannot mount"
  exit 77
fi
sizes=("$@") wanted=$#
[ $# -gt 0 ] || { mapfile -t sizes < <(seq 224 32 1216) && wanted=20; }
work=$(mktemp -d)
trap 'umount "$work/disk" 2>/dev/null || true; rm -rf "$work"' EXIT
mkdir "$work/disk"
python3 samples/draw.py "$work/sample" --pictures 20 >/dev/null
head -4 "$work/sample/train.txt" >"$work/sample/few.txt"
build() {
  code=0
  "$bin/letterpress-preprocess" build --store "$work/disk/store" --input "$1" --classes "$work/sample/classes.txt" \
    --size 64 --views 2 --shard-bytes 100k --max-removed 100% >"$work/out" 2>"$work/err" || code=$?
}
info() { "$bin/letterpress-preprocess" info --json --store "$work/disk/store"; }
verify() { "$bin/letterpress-preprocess" verify --deep --store "$work/disk/store" >/dev/null; }
fail() {
  echo "full_disk: $kib KiB, filled meanwhile: $hog: $1"
  exit 1
}
# Fills the disk once the build has published a shard beside the first snapshot's two.
fill() {
  until [ -e "$work/stop" ] || [ "$(find "$work/disk/store/shards" -name '*.h5' | wc -l)" -ge 3 ]; do :; done
  cat /dev/zero >"$work/disk/hog" 2>/dev/null || true
}
too_small=0 built=0 no_first=0 hog=no
for kib in "${sizes[@]}"; do
  mount -t tmpfs -o "size=${kib}k" none "$work/disk"
  build "$work/sample/few.txt"
  [ $code = 0 ] || [ $code = 74 ] || fail "the first build's exit $code: $(cat "$work/err")"
  if [ $code = 0 ]; then
    before=$(info)
    filler=
    [ $hog = no ] || { fill & filler=$!; }
    build "$work/sample/train.txt"
    second=$code
    [ -z "$filler" ] || { touch "$work/stop" && wait "$filler"; rm -f "$work/stop" "$work/disk/hog"; }
    [ $second = 0 ] || [ $second = 74 ] || fail "exit $second: $(cat "$work/err")"
    verify || fail "the newest snapshot is not whole"
    if [ $second = 74 ]; then
      [ "$(info)" = "$before" ] || fail "the old snapshot is told otherwise: $(info), not $before"
      sed -n 1p "$work/err" | cut -c1-160
      mount -o remount,size=16m "$work/disk"
      build "$work/sample/train.txt"
      [ $code = 0 ] && verify || fail "with more room: exit $code: $(cat "$work/err")"
      too_small=$((too_small + 1))
    else
      built=$((built + 1))
    fi
  else
    no_first=$((no_first + 1))
  fi
  umount "$work/disk"
  [ $hog = no ] && hog=yes || hog=no
done
echo "full_disk: ${#sizes[@]} sizes: $too_small had a snapshot and were too small for the next (exit 74, it stands), $built had room for both," \
  "$no_first were too small for the first"
[ "$too_small" -ge "$wanted" ] || { echo "full_disk: $too_small sizes were too small for the second snapshot, must be $wanted or more"; exit 1; }
