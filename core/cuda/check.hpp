#pragma once

#include <larmor/core/export.hpp>

// CUDA's stream type, declared here so that host code needs no CUDA header.
struct CUstream_st;

namespace LARMOR_API larmor {
namespace cuda {

/// Whether this library was built with the CUDA toolkit. Calls of what exists only then stand behind
/// `if constexpr (cuda::built)`, so that a build without it needs none of them.
#ifdef LARMOR_HAVE_CUDA
inline constexpr bool built = true;
#else
inline constexpr bool built = false;
#endif

/// cudaStream_t
using Stream = CUstream_st*;

/// Throws Error (resource) with one line that says what was being done and what CUDA answered, unless
/// `status` (a cudaError_t) is success.
void check(int status, const char* doing);
/// To be called after every kernel launch: throws when the launch was refused.
void check_launch(const char* kernel);
/// The same, told what cudaGetLastError() answered: a program beside a shared library has a CUDA runtime of
/// its own, whose errors the library does not see.
void check_launch(const char* kernel, int status);

}  // namespace cuda
}  // namespace larmor
