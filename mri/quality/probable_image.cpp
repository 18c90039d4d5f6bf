#include <larmor/core/format_error.hpp>
#include <larmor/mri/quality/probable_image.hpp>
#include <larmor/mri/quality/shells.hpp>
#include <larmor/operators/fft.hpp>

#include <algorithm>
#include <vector>

namespace LARMOR_API larmor {
namespace {

struct Powers {
  double object = 0, common = 0, image = 0, found = 0;  // ‖S‖², Re⟨S, X⟩, ‖X‖² and that of the data's image

  // What is in an image and does not follow the object.
  double noise() const { return object > 0 ? std::max(0.0, image - common * common / object) : image; }
  double filter() const { return found > 0 ? std::max(0.0, found - noise()) / found : 0; }
};

}  // namespace

template <typename T>
Array<std::complex<T>> probable_image(View<const std::complex<T>> found, const KnownReconstruction<T>& known,
                                      int dims, Context& ctx) {
  using C = std::complex<T>;
  const Shape shape = found.shape();
  if (known.object.shape() != shape || known.image.shape() != shape)
    throw usage_error("probable_image: images of shapes {}, {} and {}", shape.to_string(),
                      known.object.shape().to_string(), known.image.shape().to_string());
  const Fft<T> fft(shape, dims);
  const auto spectrum = [&](View<const C> image) { return moved_to(Device::cpu(), fft.apply(image, ctx)); };
  const Array<C> object = spectrum(known.object), image = spectrum(known.image);
  Array<C> result = spectrum(found);
  const Shells shells(shape, dims);
  std::vector<Powers> powers(static_cast<std::size_t>(shells.count()));
  const Index all = result.size();
  const auto shell_of = shells.of_all(ctx);
  for (Index i = 0; i < all; ++i) {
    const std::complex<double> s(object[i]), x(image[i]);
    Powers& sums = powers[static_cast<std::size_t>(shell_of[static_cast<std::size_t>(i)])];
    sums.object += std::norm(s);
    sums.common += (std::conj(s) * x).real();
    sums.image += std::norm(x);
    sums.found += std::norm(std::complex<double>(result[i]));
  }
  std::vector<T> filters;
  for (const Powers& sums : powers) filters.push_back(static_cast<T>(sums.filter()));
  for (Index i = 0; i < all; ++i) {
    const auto shell = static_cast<std::size_t>(shell_of[static_cast<std::size_t>(i)]);
    result[i] = filters[shell] * (result[i] - image[i]) + object[i];
  }
  return fft.adjoint(moved_to(ctx.device(), std::move(result)), ctx);
}

template Array<std::complex<float>> probable_image<float>(View<const std::complex<float>>,
                                                          const KnownReconstruction<float>&, int, Context&);
template Array<std::complex<double>> probable_image<double>(View<const std::complex<double>>,
                                                            const KnownReconstruction<double>&, int,
                                                            Context&);

}  // namespace larmor
