#!/usr/bin/env bash
# Installs what Letterpress is built with, on Debian 12: packages by apt, LibTorch (the PyPI wheel) into .deps/torch, OpenVINO (its
# wheel), which predict loads, into .deps/openvino, and with --tests the Python programs that tests are checked against into .deps/test.
# --sanitizers builds Debian's TBB once more, with the thread sanitizer, into .deps/tbb-tsan. --fuzz adds clang, for the
# presets fuzz and coverage; --packages adds what packages are checked and tried with: lintian, debootstrap, buildah. --wheel: only what
# the programs of a wheel run with, Python and LibTorch, and no compiler. What is there already stays.
set -euo pipefail
cd "$(dirname "$0")/.."

torch_version=2.11.0
openvino_version=2026.4.1
preprocess_only=false
tests=false
sanitizers=false
fuzz=false
packaging=false
wheel=false
for argument in "$@"; do
  case $argument in
    --preprocess-only) preprocess_only=true ;;
    --tests) tests=true ;;
    --sanitizers) sanitizers=true ;;
    --fuzz) fuzz=true ;;
    --packages) packaging=true ;;
    --wheel) wheel=true ;;
    --help) sed -n '2,6s/^# //p' "$0"; echo "usage: scripts/setup.sh [--preprocess-only] [--tests] [--sanitizers] [--fuzz] [--packages] | --wheel"; exit 0 ;;
    *) echo "setup.sh: unknown flag '$argument'; known: --preprocess-only, --tests, --sanitizers, --fuzz, --packages, --wheel" >&2; exit 64 ;;
  esac
done

packages=(build-essential cmake ninja-build ccache git ca-certificates pkg-config file
  libhdf5-dev libdeflate-dev libxxhash-dev nlohmann-json3-dev libcli11-dev libtomlplusplus-dev libpugixml-dev libsimdjson-dev libyaml-cpp-dev libprotozero-dev
  libfmt-dev libopencv-dev libtbb-dev libturbojpeg0-dev libjpeg-dev libtiff-dev libspng-dev libutf8proc-dev zlib1g-dev libbz2-dev liblzma-dev)
$preprocess_only || packages+=(python3 python3-venv libgloo-dev liburing-dev)
! $fuzz || packages+=(clang-16 libclang-rt-16-dev llvm-16)
! $tests || packages+=(python3 python3-venv python3-dev doctest-dev openmpi-bin strace man-db bsdextrautils)
! $wheel || packages=(python3 python3-venv)
! $packaging || packages+=(lintian debootstrap buildah)

install_packages() {
  local missing=() package
  for package in "${packages[@]}"; do
    dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null | grep -qx installed || missing+=("$package")
  done
  [ ${#missing[@]} -gt 0 ] || return 0
  local as_root=()
  if [ "$(id -u)" -ne 0 ]; then
    command -v sudo >/dev/null || {
      echo "setup.sh: packages are missing and this user is not root; as root run: apt-get update && apt-get install ${missing[*]}" >&2
      exit 73
    }
    as_root=(sudo)
  fi
  echo "setup: installing ${missing[*]}"
  "${as_root[@]}" apt-get update -qq
  "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
}

# venv FOLDER: a virtual environment whose pip is not the system's (which refuses to install outside one).
venv() {
  [ -x "$1/bin/pip" ] || /usr/bin/python3 -m venv "$1"
}

# The wheel's C++ side needs its nvidia libraries, but not triton, sympy and the like of its Python side. crt and cccl: headers that
# CUDA's own include and that nothing else of the wheel brings.
install_torch() {
  local marker=.deps/torch/.letterpress-$torch_version-headers
  [ ! -e "$marker" ] || return 0
  echo "setup: LibTorch $torch_version into .deps/torch (2.5 GB to download, 3.9 GB on disk)"
  rm -rf .deps/torch
  venv .deps/pip
  .deps/pip/bin/pip install --quiet --no-deps --target .deps/torch "torch==$torch_version"
  local needs
  needs=$(sed -n 's/^Requires-Dist: \(\(nvidia-\|cuda-toolkit\)[^;]*\).*/\1/p' ".deps/torch/torch-$torch_version.dist-info/METADATA" | tr -d ' ' |
    sed 's/^cuda-toolkit\[/&crt,cccl,/')
  # shellcheck disable=SC2086  # one word per requirement
  .deps/pip/bin/pip install --quiet --target .deps/torch $needs
  touch "$marker"
}

# LibTorch elsewhere: the same two places that cmake/FindLibTorch.cmake looks at.
torch_is_elsewhere() {
  local folder
  IFS=: read -ra folders <<<"${CMAKE_PREFIX_PATH:-}"
  for folder in "${folders[@]}"; do
    [ ! -e "$folder/include/torch/headeronly/version.h" ] && [ ! -e "$folder/torch/include/torch/headeronly/version.h" ] || return 0
  done
  return 1
}

# Its libraries: predict needs nothing of the Python side.
install_openvino() {
  local marker=.deps/openvino/.letterpress-$openvino_version
  [ ! -e "$marker" ] || return 0
  echo "setup: OpenVINO $openvino_version into .deps/openvino (59 MB to download, 190 MB on disk)"
  rm -rf .deps/openvino
  venv .deps/pip
  .deps/pip/bin/pip install --quiet --no-deps --target .deps/openvino "openvino==$openvino_version"
  touch "$marker"
}

install_test_programs() {
  local wanted=scripts/test-requirements.txt marker=.deps/test/.letterpress
  ! cmp -s "$wanted" "$marker" || return 0
  echo "setup: programs that tests are checked against into .deps/test"
  venv .deps/test
  .deps/test/bin/pip install --quiet -r "$wanted"
  cp "$wanted" "$marker"
}

# The sanitizer must see how TBB orders the threads that it hands work to, or it takes every hand-over for a race.
install_tbb_for_tsan() {
  local to=$PWD/.deps/tbb-tsan
  [ ! -e "$to/lib/cmake/TBB/TBBConfig.cmake" ] || return 0
  echo "setup: TBB with the thread sanitizer into .deps/tbb-tsan"
  rm -rf "$to"
  mkdir -p "$to/source/lists/partial" "$to/source/tree"
  echo 'deb-src http://deb.debian.org/debian bookworm main' >"$to/source/sources.list"
  local apt=(apt-get -qq -o "Dir::Etc::sourcelist=$to/source/sources.list" -o Dir::Etc::sourceparts=/dev/null -o "Dir::State::lists=$to/source/lists")
  "${apt[@]}" update
  (cd "$to/source" && "${apt[@]}" source --download-only onetbb)
  tar -xf "$to"/source/onetbb_*.orig.tar.xz -C "$to/source/tree" --strip-components=1
  cmake -S "$to/source/tree" -B "$to/source/build" -G Ninja -DCMAKE_BUILD_TYPE=RelWithDebInfo -DCMAKE_INSTALL_PREFIX="$to" \
    -DCMAKE_INSTALL_LIBDIR=lib -DTBB_SANITIZE=thread -DTBB_TEST=OFF -DTBB_STRICT=OFF -DTBBMALLOC_BUILD=OFF >/dev/null
  cmake --build "$to/source/build" >/dev/null
  cmake --install "$to/source/build" >/dev/null
  rm -rf "$to/source"
}

install_packages
! $sanitizers || install_tbb_for_tsan
$preprocess_only || { ! $wheel && torch_is_elsewhere; } || install_torch
$preprocess_only || $wheel || install_openvino
! $tests || install_test_programs
