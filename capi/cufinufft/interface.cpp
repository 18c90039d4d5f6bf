#include <larmor/capi/cufinufft/cufinufft.h>
#include <larmor/capi/finufft/plan.hpp>
#include <larmor/core/cuda/amid_others.hpp>

using namespace larmor;
using finufft::guarded;

// The names of cuFINUFFT's C interface, once for each precision.

namespace {

constexpr int last_method = 4;

/// A plan whose work is ordered with that of the program's stream.
template <typename T>
class DevicePlan : finufft::Plan<T> {
 public:
  using C = typename finufft::Plan<T>::C;
  DevicePlan(const finufft::PlanSetting& setting, finufft::Workshop& workshop, cuda::Stream stream)
      : finufft::Plan<T>(setting, workshop), stream_(stream) {}
  using finufft::Plan<T>::code;

  int set_points(std::int64_t points, const T* const* x, std::int64_t frequencies, const T* const* s) {
    return after_the_program([&] { return finufft::Plan<T>::set_points(points, x, frequencies, s); });
  }
  int execute(C* c, C* f) {
    return after_the_program([&] { return finufft::Plan<T>::execute(c, f, false); });
  }
  Device device() const { return this->workshop_.ctx.device(); }

 private:
  template <typename Work>
  int after_the_program(const Work& work) {
    const KeptDevice kept(device());
    const cuda::Stream own = this->workshop_.ctx.stream();
    cuda::wait_for(own, stream_);
    int result = 0;
    try {
      result = work();
    } catch (...) {  // work that has started uses the caller's arrays even after an error
      cuda::wait_for(stream_, own);
      throw;
    }
    cuda::wait_for(stream_, own);
    return result;
  }

  cuda::Stream stream_;
};

cufinufft_opts default_options() {
  cufinufft_opts options{};
  options.gpu_sort = 1;
  options.gpu_kerevalmeth = 1;
  options.gpu_maxsubprobsize = 1024;
  return options;
}

void check(const cufinufft_opts& options, int type, int dim, const int64_t* modes) {
  if (dim < 1 || dim > 3) throw finufft::bad_dimension;
  if (options.gpu_spreadinterponly != 0) throw finufft::bad_argument;
  if (options.modeord != 0 && options.modeord != 1) throw finufft::bad_argument;
  if (options.gpu_method < 0 || options.gpu_method > last_method) throw finufft::bad_method;
  double all_modes = 1;
  for (int axis = 0; axis < dim && (type == 1 || type == 2) && modes != nullptr; ++axis) {
    if (modes[axis] < 1) throw finufft::bad_modes;
    all_modes *= static_cast<double>(modes[axis]);
    if (all_modes > INT32_MAX) throw finufft::bad_modes;
  }
  if (options.upsampfac != 0 && !(options.upsampfac > 1))
    throw options.gpu_kerevalmeth == 1 ? finufft::no_kernel : finufft::bad_upsampling;
}

finufft::Workshop& workshop(int ordinal) {
  const Device device = Device::cuda(ordinal);
  try {
    require_available(device);
  } catch (const Error&) {
    throw finufft::cuda_failure;
  }
  return finufft::workshop(device, 0);
}

template <typename Handle, typename T>
int make_plan(int type, int dim, const int64_t* modes, int iflag, int count, T tolerance, Handle** plan,
              const cufinufft_opts* given) {
  return guarded([&] {
    if (plan == nullptr) return int{finufft::bad_argument};
    *plan = nullptr;
    const cufinufft_opts options = given == nullptr ? default_options() : *given;
    check(options, type, dim, modes);
    const KeptDevice kept(Device::cuda(options.gpu_device_id));
    *plan = new Handle(
        {type, dim, modes, iflag, count, tolerance, options.modeord == 1, options.upsampfac, false},
        workshop(options.gpu_device_id), static_cast<cuda::Stream>(options.gpu_stream));
    return (*plan)->code();
  });
}

template <typename Handle, typename T>
int set_points(Handle* plan, int64_t points, const T* x, const T* y, const T* z, int frequencies, const T* s,
               const T* t, const T* u) {
  return guarded([&] {
    if (plan == nullptr) return int{finufft::no_plan};
    const T* const at[] = {x, y, z};
    const T* const to[] = {s, t, u};
    return plan->set_points(points, at, frequencies, to);
  });
}

template <typename Handle, typename Value>
int execute(Handle* plan, Value* c, Value* f) {
  using C = typename Handle::C;
  return guarded([&] {
    return plan == nullptr ? int{finufft::no_plan}
                           : plan->execute(reinterpret_cast<C*>(c), reinterpret_cast<C*>(f));
  });
}

template <typename Handle>
int destroy(Handle* plan) {
  if (plan == nullptr) return finufft::no_plan;
  return guarded([&] {
    const KeptDevice kept(plan->device());
    delete plan;
    return int{finufft::done};
  });
}

}  // namespace

struct cufinufft_plan_s : DevicePlan<double> {
  using DevicePlan::DevicePlan;
};
struct cufinufft_fplan_s : DevicePlan<float> {
  using DevicePlan::DevicePlan;
};

void cufinufft_default_opts(cufinufft_opts* opts) {
  if (opts != nullptr) *opts = default_options();
}

int cufinufft_makeplan(int type, int dim, const int64_t* n_modes, int iflag, int ntr, double eps,
                       cufinufft_plan* plan, cufinufft_opts* opts) {
  return make_plan(type, dim, n_modes, iflag, ntr, eps, plan, opts);
}
int cufinufftf_makeplan(int type, int dim, const int64_t* n_modes, int iflag, int ntr, float eps,
                        cufinufftf_plan* plan, cufinufft_opts* opts) {
  return make_plan(type, dim, n_modes, iflag, ntr, eps, plan, opts);
}
int cufinufft_setpts(cufinufft_plan plan, int64_t M, double* x, double* y, double* z, int N, double* s,
                     double* t, double* u) {
  return set_points<cufinufft_plan_s, double>(plan, M, x, y, z, N, s, t, u);
}
int cufinufftf_setpts(cufinufftf_plan plan, int64_t M, float* x, float* y, float* z, int N, float* s,
                      float* t, float* u) {
  return set_points<cufinufft_fplan_s, float>(plan, M, x, y, z, N, s, t, u);
}
int cufinufft_execute(cufinufft_plan plan, cuDoubleComplex* c, cuDoubleComplex* f) {
  return execute(plan, c, f);
}
int cufinufftf_execute(cufinufftf_plan plan, cuFloatComplex* c, cuFloatComplex* f) {
  return execute(plan, c, f);
}
int cufinufft_destroy(cufinufft_plan plan) {
  return destroy(plan);
}
int cufinufftf_destroy(cufinufftf_plan plan) {
  return destroy(plan);
}
