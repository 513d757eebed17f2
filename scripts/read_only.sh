#!/usr/bin/env bash
# Trains from a store on a read-only mount and reads it by every command that reads: each succeeds and the store stays byte for byte the same;
# what has to write there says so with 74. It mounts in a name space of its own, as root or where users may make one.
# usage: scripts/read_only.sh [BIN]
set -euo pipefail
cd "$(dirname "$0")/.."
bin=$(realpath "${1:-build/dev/bin}")
if [ "${READ_ONLY_INSIDE:-}" != yes ]; then
  for space in --mount "--user --map-root-user --mount"; do
    # shellcheck disable=SC2086
    unshare $space sh -c 'mount -t tmpfs -o size=64k none /mnt && mount -o remount,bind,ro /mnt' 2>/dev/null || continue
    # shellcheck disable=SC2086
    READ_ONLY_INSIDE=yes exec unshare $space "$0" "$bin"
  done
  echo "read_only: SKIPPED, this user cannot mount"
  exit 77
fi
work=$(mktemp -d)
trap 'umount "$work/store" 2>/dev/null || true; rm -rf "$work"' EXIT
python3 samples/draw.py "$work/sample" --pictures 20 >/dev/null
build=("$bin/letterpress-preprocess" build --store "$work/store" --input "$work/sample/train.txt" --val "$work/sample/val.txt"
  --classes "$work/sample/classes.txt" --size 64 --views 2)
state() { find "$work/store" -type f -exec sha256sum {} + | sort; }
fail() {
  echo "read_only: $1"
  exit 1
}
reads() { # PROGRAM WORD...
  "$bin/letterpress-$1" "${@:2}" >"$work/out" 2>"$work/err" || fail "$* ends with $?: $(cat "$work/err")"
}
refuses() { # CODE WORD...
  code=0
  "${@:2}" >"$work/out" 2>"$work/err" || code=$?
  if [ $code != "$1" ] || ! grep -q "$work/store.*ead-only" "$work/err"; then
    fail "${*:2} ends with $code, must be $1 with the store's name: $(cat "$work/err")"
  fi
}
"${build[@]}" >/dev/null 2>&1
before=$(state)
mount --bind "$work/store" "$work/store"
mount -o remount,bind,ro "$work/store"
for command in info "verify --deep" "verify --subset 1/2" ledger lint "report --out $work/report" "unpack --to coco --out $work/unpacked"; do
  # shellcheck disable=SC2086
  reads preprocess $command --store "$work/store"
done
if [ -x "$bin/letterpress-trainer" ]; then
  fit=(fit --store "$work/store" --out "$work/run" --model yolov3-tiny --batch 4 --device cpu --threads 1)
  reads trainer "${fit[@]}" --epochs 1
  grep -q "the snapshot is not pinned" "$work/err" || fail "fit does not say that it could not pin the snapshot: $(cat "$work/err")"
  reads trainer "${fit[@]}" --epochs 2 --resume
  reads trainer eval --store "$work/store" --checkpoint "$work/run" --device cpu
fi
refuses 74 "${build[@]}" --rebuild
refuses 74 "$bin/letterpress-preprocess" gc --store "$work/store"
[ "$before" = "$(state)" ] || fail "the store has changed"
echo "read_only: every command that reads succeeded, and nothing has changed"
