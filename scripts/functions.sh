# shellcheck shell=bash
# What the scripts share; they source it.

started=$SECONDS
stage() { echo; echo "== $1 (after $((SECONDS - started)) s)"; }

# Options of CMake where there is a compiler cache. Precompiled headers, which CMake leaves out for a launcher, are cached
# as well once ccache takes them for what they are.
cache=()
if command -v ccache >/dev/null; then
  export CCACHE_SLOPPINESS=${CCACHE_SLOPPINESS:-pch_defines,time_macros}
  cache=(-DCMAKE_CXX_COMPILER_LAUNCHER=ccache -DCMAKE_CUDA_COMPILER_LAUNCHER=ccache -DLARMOR_PRECOMPILED_HEADERS=ON)
fi

# configure <preset> <options of CMake>: says nothing unless it fails.
configure() {
  local preset=$1 output
  shift
  output=$(cmake --preset "$preset" --no-warn-unused-cli -DLARMOR_WARNINGS_AS_ERRORS=ON "${cache[@]}" "$@" 2>&1) ||
    { echo "$output" >&2; return 1; }
}
