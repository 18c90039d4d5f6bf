#pragma once

// CUDA's stream type, declared here so that host code needs no CUDA header.
struct CUstream_st;

namespace larmor::cuda {

/// cudaStream_t
using Stream = CUstream_st*;

/// Throws Error (resource) with one line that says what was being done and what CUDA answered, unless
/// `status` (a cudaError_t) is success.
void check(int status, const char* doing);
/// To be called after every kernel launch: throws when the launch was refused.
void check_launch(const char* kernel);

}  // namespace larmor::cuda
