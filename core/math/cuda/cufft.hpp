#pragma once

#include <cufft.h>

namespace larmor::cuda {

/// The functions of cuFFT that Larmor uses. The library is loaded on first use, so that a program without a
/// GPU does not need it and starts without it.
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

/// Throws Error (resource) if the library is not found.
const CuFftLibrary& cufft();

}  // namespace larmor::cuda
