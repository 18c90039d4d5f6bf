#pragma once

#include <cufft.h>

namespace larmor::cuda {

/// What Larmor calls of cuFFT. It is loaded when it is first asked for, so that a program without a GPU needs
/// none and starts without it.
struct CuFftLibrary {
  decltype(&::cufftCreate) create = nullptr;
  decltype(&::cufftDestroy) destroy = nullptr;
  decltype(&::cufftSetAutoAllocation) set_auto_allocation = nullptr;
  decltype(&::cufftMakePlanMany64) make_plan_many = nullptr;
  decltype(&::cufftSetStream) set_stream = nullptr;
  decltype(&::cufftSetWorkArea) set_work_area = nullptr;
  decltype(&::cufftExecC2C) execute_single = nullptr;
  decltype(&::cufftExecZ2Z) execute_double = nullptr;
};

/// Throws Error (resource) where the library is not found.
const CuFftLibrary& cufft();

}  // namespace larmor::cuda
