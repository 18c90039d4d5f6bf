#include <larmor/solvers/regularizers/l2.hpp>

#include <larmor/core/format_error.hpp>

namespace LARMOR_API larmor {

template <typename T>
Regularizer<T> l2(const ImageLayout& image, const L2Options<T>& options) {
  if (options.prior && !(options.prior->shape() == image.shape))
    throw usage_error(
        "regularizer l2: the prior has shape {}, the image {}; give a prior of the image's shape",
        options.prior->shape().to_string(), image.shape.to_string());
  Regularizer<T> term;
  term.name = "l2";
  term.lambda = options.lambda;
  term.quadratic = true;
  term.prior = options.prior;
  return term;
}

template Regularizer<float> l2(const ImageLayout&, const L2Options<float>&);
template Regularizer<double> l2(const ImageLayout&, const L2Options<double>&);

}  // namespace larmor
