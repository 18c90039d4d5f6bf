#include <larmor/core/cuda/runtime.hpp>
#include <larmor/core/format_error.hpp>
#include <larmor/core/math/cuda/cufft.hpp>
#include <larmor/core/math/cuda/fft.hpp>

#include <array>
#include <map>
#include <mutex>
#include <tuple>

namespace larmor::cuda {
namespace {

void check_fft(cufftResult status, const char* doing) {
  if (status != CUFFT_SUCCESS)
    throw resource_error("cuFFT failed while {}: error {}", doing, static_cast<int>(status));
}

class CuFft final : public Transform {
 public:
  CuFft(const long long* lengths, int rank, long long batch, bool double_precision)
      : double_precision_(double_precision) {
    check_fft(cufft().create(&plan_), "making a plan");
    check_fft(cufft().set_auto_allocation(plan_, 0), "making a plan");
    std::array<long long, 3> n{};
    for (int a = 0; a < rank; ++a) n[a] = lengths[a];
    check_fft(cufft().make_plan_many(plan_, rank, n.data(), nullptr, 1, 0, nullptr, 1, 0,
                                     double_precision ? CUFFT_Z2Z : CUFFT_C2C, batch, &work_bytes_),
              "making a plan");
  }
  ~CuFft() override { cufft().destroy(plan_); }
  CuFft(const CuFft&) = delete;
  CuFft& operator=(const CuFft&) = delete;

  std::size_t work_bytes() const override { return work_bytes_; }
  void execute(void* data, void* work, int sign, Stream stream) const override {
    const std::lock_guard lock(mutex_);  // stream and work area belong to the plan
    check_fft(cufft().set_stream(plan_, stream), "transforming");
    // An empty work area may start at the address of the data, which cuFFT refuses.
    if (work_bytes_ > 0) check_fft(cufft().set_work_area(plan_, work), "transforming");
    const int direction = sign < 0 ? CUFFT_FORWARD : CUFFT_INVERSE;
    if (double_precision_) {
      auto* values = static_cast<cufftDoubleComplex*>(data);
      check_fft(cufft().execute_double(plan_, values, values, direction), "transforming");
    } else {
      auto* values = static_cast<cufftComplex*>(data);
      check_fft(cufft().execute_single(plan_, values, values, direction), "transforming");
    }
  }

 private:
  bool double_precision_;
  cufftHandle plan_ = 0;
  std::size_t work_bytes_ = 0;
  mutable std::mutex mutex_;
};

}  // namespace

std::shared_ptr<const Transform> Transform::get(const long long* lengths, int rank, long long batch,
                                                bool double_precision, int ordinal) {
  using Key = std::tuple<std::array<long long, 3>, int, long long, bool, int>;
  static std::mutex mutex;
  static std::map<Key, std::shared_ptr<const Transform>> cache;
  if (rank < 1 || rank > 3) throw internal_error("cuFFT transforms 1 to 3 axes, got {}", rank);
  std::array<long long, 3> n{};
  for (int a = 0; a < rank; ++a) n[a] = lengths[a];
  const std::lock_guard lock(mutex);
  auto& entry = cache[Key{n, rank, batch, double_precision, ordinal}];
  if (!entry) {
    stream(ordinal);  // makes the device current
    entry = std::make_shared<const CuFft>(lengths, rank, batch, double_precision);
  }
  return entry;
}

}  // namespace larmor::cuda
