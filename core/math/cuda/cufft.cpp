#include <larmor/core/format_error.hpp>
#include <larmor/core/math/cuda/cufft.hpp>
#include <larmor/core/symbol.hpp>

#include <dlfcn.h>

namespace larmor::cuda {
namespace {

CuFftLibrary load() {
  const std::string file = fmt::format("libcufft.so.{}", CUFFT_VER_MAJOR);
  void* library = nullptr;
  // Takes a library that is loaded already or known to the system, then looks where toolkits are installed.
  for (const std::string& path :
       {file, std::string(LARMOR_CUDA_LIBRARIES "/") + file, "/usr/local/cuda/lib64/" + file})
    if (library == nullptr) library = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr)
    throw resource_error(
        "cuFFT was not found: install the CUDA toolkit with {}, or add its folder to LD_LIBRARY_PATH", file);
  CuFftLibrary functions;
  const bool found = find_symbols(
      library, "cufftCreate", functions.create, "cufftDestroy", functions.destroy, "cufftSetAutoAllocation",
      functions.set_auto_allocation, "cufftMakePlanMany64", functions.make_plan_many, "cufftSetStream",
      functions.set_stream, "cufftSetWorkArea", functions.set_work_area, "cufftExecC2C",
      functions.execute_single, "cufftExecZ2Z", functions.execute_double);
  if (!found) throw resource_error("{} lacks a function of cuFFT", file);
  return functions;
}

}  // namespace

const CuFftLibrary& cufft() {
  static const CuFftLibrary library = load();
  return library;
}

}  // namespace larmor::cuda
