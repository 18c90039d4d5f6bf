#include <larmor/operators/nufft/toeplitz/normal_choice.hpp>

#include <algorithm>
#include <iterator>

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

std::optional<ToeplitzForm> choose_toeplitz_form(const NormalOptions& options,
                                                 std::initializer_list<ToeplitzForm> forms,
                                                 const std::function<std::size_t(ToeplitzForm)>& bytes_of) {
  if (!wants_toeplitz(options)) return {};
  for (const ToeplitzForm form : forms)
    if (options.byte_limit == 0 || bytes_of(form) <= options.byte_limit) return form;
  if (options.toeplitz == NormalOptions::Toeplitz::on) return *std::prev(forms.end());
  return {};
}

double psf_tolerance(double nufft_tolerance) {
  return std::clamp(0.1 * nufft_tolerance, 1e-13, 1e-4);
}

}  // namespace larmor::nufft
