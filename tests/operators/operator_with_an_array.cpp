// Does not compile; the compiler's message must say what to do: see CMakeLists.txt.
#include <larmor/operators/linear_operator.hpp>

using namespace larmor;

class Weights final : public OperatorBase<Weights, float> {
 public:
  using Scalar = std::complex<float>;
  explicit Weights(Array<Scalar> w) : OperatorBase<Weights, float>(w.shape(), w.shape()), w_(std::move(w)) {}
  std::string name() const override { return "Weights"; }
  std::size_t scratch_bytes(const Context&) const override { return 0; }

 protected:
  void do_apply(View<const Scalar>, View<Scalar>, Context&, Write) const override {}
  void do_adjoint(View<const Scalar>, View<Scalar>, Context&, Write) const override {}

 private:
  Array<Scalar> w_;
};

OperatorPtr<float> shared(const Weights& weights) {
  return weights.share();
}
