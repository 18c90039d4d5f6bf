#include <larmor/operators/nufft/toeplitz/normal_choice.hpp>

#include <algorithm>

namespace larmor::nufft {
namespace {

// Minimum number of applications for which a point-spread function pays off.
constexpr int worthwhile_applies = 4;

}  // namespace

bool wants_toeplitz(const NormalOptions& options) {
  using Mode = NormalOptions::Toeplitz;
  return options.toeplitz == Mode::on ||
         (options.toeplitz == Mode::automatic && options.expected_applies >= worthwhile_applies);
}

bool takes_toeplitz(const NormalOptions& options, std::size_t bytes) {
  return wants_toeplitz(options) && (options.toeplitz == NormalOptions::Toeplitz::on ||
                                     options.byte_limit == 0 || bytes <= options.byte_limit);
}

double psf_tolerance(double nufft_tolerance) {
  return std::clamp(0.1 * nufft_tolerance, 1e-13, 1e-4);
}

}  // namespace larmor::nufft
