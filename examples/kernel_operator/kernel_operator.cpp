// An operator with its own kernel: one loop body, which runs as a CUDA kernel on a GPU and as a threaded loop
// on the CPU. Compiled as CUDA if Larmor was built with CUDA (see CMakeLists.txt), otherwise as C++.
//   kernel_operator [device]     auto, cpu, cuda, cuda:1
// Recovers an image from radial samples with a linear phase, that is, shifted in k-space; fails if it does
// not.
#include <larmor/larmor.hpp>

#include <cmath>
#include <complex>
#include <cstdio>
#include <numbers>

namespace {

using larmor::Index;

/// out = e^{±2πi (a y + b x)} in at element i of an image; added to `out` if `accumulate` is set.
/// The whole struct is the kernel's argument, so it contains only pointers and numbers.
template <typename T>
struct Ramp {
  static constexpr const char* name = "phase ramp";
  const T* in;  ///< re and im alternate, as in std::complex
  T* out;
  Index width;
  T cycles_y, cycles_x;
  bool accumulate;

  LARMOR_HOST_DEVICE void operator()(Index i) const {
    const T angle = 2 * std::numbers::pi_v<T> * (cycles_y * T(i / width) + cycles_x * T(i % width));
    const T c = std::cos(angle), s = std::sin(angle);
    const T re = c * in[2 * i] - s * in[2 * i + 1], im = s * in[2 * i] + c * in[2 * i + 1];
    out[2 * i] = accumulate ? out[2 * i] + re : re;
    out[2 * i + 1] = accumulate ? out[2 * i + 1] + im : im;
  }
};

/// Multiplies an image [y, x] by a linear phase of the given cycles per pixel. Its adjoint removes the phase.
template <typename T>
class PhaseRamp final : public larmor::OperatorBase<PhaseRamp<T>, T> {
 public:
  using Scalar = std::complex<T>;
  PhaseRamp(const larmor::Shape& image, T cycles_y, T cycles_x)
      : larmor::OperatorBase<PhaseRamp<T>, T>(image, image), cycles_y_(cycles_y), cycles_x_(cycles_x) {}
  std::string name() const override { return "PhaseRamp"; }
  std::size_t scratch_bytes(const larmor::Context&) const override { return 0; }

 protected:
  void do_apply(larmor::View<const Scalar> x, larmor::View<Scalar> y, larmor::Context& ctx,
                larmor::Write write) const override {
    multiply(x, y, ctx, write, 1);
  }
  void do_adjoint(larmor::View<const Scalar> y, larmor::View<Scalar> x, larmor::Context& ctx,
                  larmor::Write write) const override {
    multiply(y, x, ctx, write, -1);
  }

 private:
  void multiply(larmor::View<const Scalar> in, larmor::View<Scalar> out, larmor::Context& ctx,
                larmor::Write write, T sign) const {
    const Ramp<T> ramp{reinterpret_cast<const T*>(in.data()),
                       reinterpret_cast<T*>(out.data()),
                       in.shape()[1],
                       sign * cycles_y_,
                       sign * cycles_x_,
                       write == larmor::Write::accumulate};
    larmor::for_each(ctx, in.size(), ramp);
  }

  T cycles_y_, cycles_x_;
};

}  // namespace

int main(int argc, char** argv) {
  using namespace larmor;
  Context ctx(Device::parse(argc > 1 ? argv[1] : "auto"));
  const Shape shape{32, 32};
  const RadialOptions spokes{.spokes = 64, .samples = 64, .order = SpokeOrder::golden};
  const Nufft<float> F(radial_2d(spokes).k, shape, {.tolerance = 1e-5}, ctx);
  const PhaseRamp<float> ramp(shape, 0.01f, -0.02f);
  const auto A = F * ramp;

  // A spot whose spectrum is inside the disc of k-space covered by the spokes.
  auto image = filled<std::complex<float>>(shape, 0);
  for (Index y = 0; y < 32; ++y) {
    for (Index x = 0; x < 32; ++x) {
      const auto dy = static_cast<float>(y - 14), dx = static_cast<float>(x - 18);
      image[y * 32 + x] = {std::exp(-(dy * dy + dx * dx) / 32),
                           0.1f * dx * std::exp(-(dy * dy + dx * dx) / 32)};
    }
  }
  const auto samples = A.apply(copied_to(ctx.device(), image), ctx);
  const auto result = conjugate_gradient(A, samples, {}, {.iterations = 30}, ctx);
  const auto found = copied_to(Device::cpu(), result.x);

  double difference = 0, size = 0;
  for (Index i = 0; i < found.size(); ++i) {
    difference += std::norm(found[i] - image[i]);
    size += std::norm(image[i]);
  }
  const double error = std::sqrt(difference / size);
  std::printf("%s on %s: relative error %.1e\n", A.name().c_str(), ctx.device().to_string().c_str(), error);
  return error < 1e-3 ? 0 : 1;
}
