# shellcheck shell=bash
# Functions and settings that the scripts share by sourcing this file.

started=$SECONDS
stage() { echo; echo "== $1 (after $((SECONDS - started)) s)"; }

# CMake options for a compiler cache, if installed; clones in other folders share it.
cache=()
if command -v ccache >/dev/null; then
  export CCACHE_BASEDIR=$PWD CCACHE_NOHASHDIR=1 CCACHE_COMPILERCHECK=content
  cache=(-DCMAKE_CXX_COMPILER_LAUNCHER=ccache -DCMAKE_CUDA_COMPILER_LAUNCHER=ccache)
fi

# configure <preset> <options of CMake>: prints nothing unless it fails.
configure() {
  local preset=$1 output
  shift
  output=$(cmake --preset "$preset" --no-warn-unused-cli -DLARMOR_WARNINGS_AS_ERRORS=ON "${cache[@]}" "$@" 2>&1) ||
    { echo "$output" >&2; return 1; }
}
