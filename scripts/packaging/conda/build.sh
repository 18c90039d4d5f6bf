#!/usr/bin/env bash
# Called by conda build, in the folder that holds larmor and nifti. CMAKE_ARGS has conda's prefix and compilers.
set -euo pipefail
read -ra settings <<<"${CMAKE_ARGS:-}"
cmake -S nifti -B nifti/build -G Ninja "${settings[@]}" -DCMAKE_BUILD_TYPE=Release -DCMAKE_INSTALL_PREFIX="$PWD/nifti/installed" \
  -DCMAKE_POSITION_INDEPENDENT_CODE=ON -DBUILD_SHARED_LIBS=OFF -DBUILD_TESTING=OFF \
  -DUSE_NIFTI2_CODE=OFF -DUSE_NIFTICDF_CODE=OFF -DNIFTI_BUILD_APPLICATIONS=OFF
cmake --build nifti/build --target install
cmake -S larmor -B larmor/build -G Ninja "${settings[@]}" -DCMAKE_BUILD_TYPE=Release -DCMAKE_INSTALL_PREFIX="$PREFIX" \
  -DCMAKE_INSTALL_LIBDIR=lib -DCMAKE_PREFIX_PATH="$PWD/nifti/installed;$PREFIX" -DBUILD_SHARED_LIBS=ON -DLARMOR_BUILD_TESTS=OFF \
  -DLARMOR_CUDA=OFF -DCMAKE_UNITY_BUILD=ON
cmake --build larmor/build --target install
