#pragma once

#include <larmor/core/export.hpp>

// CUDA's stream type, declared here so that host code needs no CUDA header.
struct CUstream_st;

namespace LARMOR_API larmor {
namespace cuda {

/// True if this library was built with the CUDA toolkit. Calls of functions that exist only then are inside
/// `if constexpr (cuda::built)`, so that a build without CUDA does not need them.
#ifdef LARMOR_HAVE_CUDA
inline constexpr bool built = true;
#else
inline constexpr bool built = false;
#endif

/// cudaStream_t
using Stream = CUstream_st*;

/// Throws Error (resource) with one line that states the operation and CUDA's answer, unless `status` (a
/// cudaError_t) is success.
void check(int status, const char* doing);
/// Call this after every kernel launch: throws if the launch failed.
void check_launch(const char* kernel);
/// The same for a given result of cudaGetLastError(): a program that uses a shared library has a CUDA runtime
/// of its own, whose errors the library does not see.
void check_launch(const char* kernel, int status);

}  // namespace cuda
}  // namespace larmor
