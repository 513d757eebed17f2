#!/usr/bin/env bash
# Installs what lies in dist/ into a bare Debian 12 and uses it there: a transcript of each command, what it prints and how long it takes.
# usage: scripts/proof/bare_root.sh deb | wheel | quickstart [--voc FOLDER] [--roots FOLDER]
#   deb         letterpress-preprocess by apt: build, verify, unpack
#   wheel       all three programs by pip in a virtual environment, with the LibTorch of .deps/torch: build, one epoch, predictions
#   quickstart  scripts/quickstart.sh in this commit's files, with the wheel, without a compiler
#   --voc       the first 20 pictures of this Pascal VOC dataset; otherwise drawn ones
#   --roots     where the bare system, made by debootstrap once, and its copy lie (out/bare-root)
# Run it as root: it mounts /proc, /dev/pts and LibTorch into the copy and runs in it by chroot. scripts/setup.sh --packages brings debootstrap.
set -euo pipefail
cd "$(dirname "$0")/../.."

kind=${1:-} voc='' roots=out/bare-root
[ $# -eq 0 ] || shift
while [ $# -gt 0 ]; do
  case $1 in
    --voc) voc=$2; shift 2 ;;
    --roots) roots=$2; shift 2 ;;
    *) echo "bare_root.sh: unknown flag '$1'; known: --voc, --roots" >&2; exit 64 ;;
  esac
done
mkdir -p "$roots"
roots=$(realpath "$roots")
base=$roots/base root=$roots/used
downloads=0 rest=0 processors=0

unmount() {
  local mounted
  for mounted in "$root"/opt/letterpress/.deps/torch "$root"/dev/pts "$root"/proc; do
    ! mountpoint -q "$mounted" || umount "$mounted"
  done
}
trap unmount EXIT

# The network of this machine: its name server, and its certificates where it has some of its own.
make_root() {
  [ -e "$base/etc/debian_version" ] || debootstrap --variant=minbase bookworm "$base" >/dev/null
  unmount
  rm -rf "$root"
  cp -a "$base" "$root"
  cp /etc/resolv.conf "$root/etc/resolv.conf"
  mkdir -p "$root/opt/letterpress/.deps/torch" "$root/opt/packages"
  cp /etc/ssl/certs/ca-certificates.crt "$root/opt/certificates.crt"
  mount -t proc proc "$root/proc"
  mount -t devpts devpts "$root/dev/pts"
  echo "a root of Debian $(cat "$root/etc/debian_version"): $(chroot "$root" dpkg-query -W | wc -l) packages, $(chroot "$root" sh -c 'command -v cc gcc c++ python3' | wc -l) of cc, gcc, c++ and python3; $(nproc) cores"
}

in_root() {
  chroot "$root" env -i PATH="/opt/venv/bin:/usr/sbin:/usr/bin:/sbin:/bin" HOME=/root LC_ALL=C.UTF-8 DEBIAN_FRONTEND=noninteractive \
    PIP_CERT=/opt/certificates.crt PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_ROOT_USER_ACTION=ignore bash -euo pipefail -c "cd /root; $1"
}

# timed "downloads" | "rest" COMMAND: prints it, runs it in the root, and adds its time to that sum. Processor time tells what it would take
# on a machine without other work.
timed() {
  local -n sum=$1
  local TIMEFORMAT='%R %U %S' taken
  printf '\n$ %s\n' "$2"
  { time in_root "$2" 2>&1; } 2>"$roots/time" || { cat "$roots/time"; exit 1; }
  read -r -a taken < <(tail -n 1 "$roots/time")
  printf '[%s s, of processors %.1f s%s]\n' "${taken[0]}" "$(awk "BEGIN {print ${taken[1]} + ${taken[2]}}")" "$([ "$1" = rest ] || echo ', a download')"
  sum=$(awk "BEGIN {print $sum + ${taken[0]}}")
  [ "$1" = downloads ] || processors=$(awk "BEGIN {print $processors + ${taken[1]} + ${taken[2]}}")
}

add_pictures() {
  if [ -z "$voc" ]; then
    python3 samples/draw.py "$root/root/pictures" --pictures 20 >/dev/null
    input='--input pictures/voc/ImageSets/Main/train.txt --val pictures/voc/ImageSets/Main/val.txt'
    return
  fi
  local to=$root/root/pictures name
  mkdir -p "$to/JPEGImages" "$to/Annotations" "$to/ImageSets/Main"
  head -n 20 "$voc/ImageSets/Main/train.txt" | tr -d '\r' >"$to/ImageSets/Main/train.txt"
  while read -r name; do
    cp "$voc/JPEGImages/$name".* "$to/JPEGImages/"
    cp "$voc/Annotations/$name.xml" "$to/Annotations/"
  done <"$to/ImageSets/Main/train.txt"
  input='--input pictures/ImageSets/Main/train.txt --val 20% --group none'
}

preprocess() {
  timed rest 'letterpress-preprocess --help | head -n 12'
  timed rest "letterpress-preprocess build --store store $input --size 160 --views 2"
  timed rest 'letterpress-preprocess verify --store store --deep'
}

deb() {
  cp dist/letterpress-*.deb "$root/opt/packages/"
  timed downloads 'apt-get update -qq'
  timed downloads 'apt-get install -qq --no-install-recommends --download-only /opt/packages/letterpress-preprocess_*.deb >/dev/null'
  timed rest 'apt-get install -qq --no-install-recommends /opt/packages/letterpress-preprocess_*.deb >/dev/null; dpkg-query -W letterpress-preprocess'
  preprocess
  timed rest 'letterpress-preprocess unpack --store store --to yolo --out unpacked && find unpacked -type f | wc -l'
  timed rest '! ldd /usr/bin/letterpress-preprocess | grep -E "torch|not found"'
}

python() {
  timed downloads 'apt-get update -qq && apt-get install -qq --no-install-recommends --download-only python3-venv >/dev/null'
  timed rest 'apt-get install -qq --no-install-recommends python3-venv >/dev/null'
}

mount_torch() { mount --bind .deps/torch "$root/opt/letterpress/.deps/torch"; }

wheel() {
  cp dist/letterpress-*.whl "$root/opt/packages/"
  mount_torch
  python
  timed rest 'python3 -m venv /opt/venv'
  timed downloads 'pip download --quiet --dest wheels /opt/packages/letterpress-*.whl'
  timed rest 'pip install --quiet --no-index --find-links wheels letterpress && pip list'
  preprocess
  timed rest 'python -c "import letterpress; row = letterpress.open(\"store\")[\"train\"][0]; print(row.image.shape, len(row.boxes))"'
  timed rest 'letterpress-trainer --version || echo "exit $?"'
  timed rest 'echo /opt/letterpress/.deps/torch >/opt/venv/lib/python3.11/site-packages/torch.pth; letterpress-trainer --version'
  timed rest 'letterpress-trainer fit --store store --model yolov3-tiny --out run --epochs 1 --batch 4 --device cpu'
  timed rest 'letterpress-predict --checkpoint run/last.safetensors --input pictures --out predictions --device cpu && ls predictions | tail -n 3'
}

quickstart() {
  git archive HEAD | tar -x -C "$root/opt/letterpress"
  mkdir "$root/opt/letterpress/dist"
  cp dist/letterpress-*.whl "$root/opt/letterpress/dist/"
  mount_torch
  python
  timed rest '/opt/letterpress/scripts/quickstart.sh'
}

summary() {
  local kind=$1 file
  printf '\n%s: %.0f s of downloads, %.0f s for everything else (%.0f s of processors); compilers in the root: %s\n' "$kind" "$downloads" "$rest" "$processors" \
    "$(chroot "$root" sh -c 'command -v cc gcc c++ clang' | wc -l)"
  for file in "$root"/opt/packages/* "$root"/opt/letterpress/dist/*; do
    [ -e "$file" ] || continue
    printf '%s: %.1f MB\n' "$(basename "$file")" "$(stat -c %s "$file" | awk '{print $1 / 1e6}')"
  done
}

case $kind in
  deb | wheel | quickstart)
    make_root
    add_pictures
    $kind
    summary "$kind"
    ;;
  *) echo "bare_root.sh: unknown package '$kind'; known: deb, wheel, quickstart" >&2; exit 64 ;;
esac
