// The C++ library's results for the arrays in a folder; the Python package and the Octave classes must
// reproduce their bits, with two threads and the same bits for any number of them, or with a default context.
//     larmor_reference FOLDER [default]
#include <larmor/larmor.hpp>

#include <cstdio>
#include <string>
#include <string_view>

namespace {

using namespace larmor;

template <typename T>
void run(const std::string& folder, const std::string& suffix, Context& ctx) {
  using C = std::complex<T>;
  const auto path = [&](const std::string& name) { return folder + "/" + name + ".npy"; };
  const auto trajectory = read_array<double>(path("trajectory"));
  const auto maps = converted<C>(read_array(path("maps")).view());
  const auto image = converted<C>(read_array(path("image")).view());
  const auto A = Nufft<T>(trajectory, image.shape(), {.tolerance = 1e-5, .batch = maps.shape()[0]}, ctx) *
                 CoilMaps<T>(maps.view());
  // Results are written in single precision; for double precision a second file holds the rounding remainder.
  const auto write = [&](const std::string& name, const Array<C>& values) {
    const auto high = converted<std::complex<float>>(values.view());
    write_array<std::complex<float>>(path(name + suffix), high, true);
    Array<std::complex<float>> low(values.shape());
    for (Index i = 0; i < values.size(); ++i) low[i] = std::complex<float>(values[i] - C(high[i]));
    write_array<std::complex<float>>(path(name + suffix + "_low"), low, true);
  };
  const auto y = A.apply(image, ctx);
  write("samples", y);
  write("gridded", A.adjoint(y, ctx));
  write("normal", A.normal(ctx).apply(image, ctx));
  write("cg", conjugate_gradient<T>(A, y, {l2<T>(1e-2)}, {.iterations = 8}, ctx).x);
  const auto sparse = make_regularizer<T>(parse_regularizer("wavelet:1e-2"), {.image = {image.shape(), 2}});
  write("fista", fista<T>(A, y, {sparse}, {.iterations = 6}, ctx).x);
}

}  // namespace

int main(int argc, char** argv) {
  const bool defaults = argc == 3 && std::string_view(argv[2]) == "default";
  if (argc != 2 && !defaults) return std::fprintf(stderr, "usage: %s FOLDER [default]\n", argv[0]), 2;
  Context ctx(Device::cpu(),
              defaults ? ContextOptions{} : ContextOptions{.threads = 2, .deterministic = true});
  run<float>(argv[1], "_single", ctx);
  run<double>(argv[1], "_double", ctx);
}
