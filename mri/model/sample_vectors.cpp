#include <larmor/mri/model/sample_vectors.hpp>

#include <random>

namespace larmor {

template <typename T>
Array<std::complex<T>> random_signs(const SeriesProblem<T>& model) {
  Array<std::complex<T>> signs(model.samples.shape());
  std::complex<T>* next = signs.data();
  std::mt19937 generator(20180229);
  Index drawn = 0;
  for (const SampleRun& run : model.runs) {
    generator.discard(static_cast<unsigned long long>(run.first - drawn));
    for (Index i = 0; i < run.count; ++i) *next++ = generator() & 1u ? T(1) : T(-1);
    drawn = run.first + run.count;
  }
  return signs;
}

template Array<std::complex<float>> random_signs<float>(const SeriesProblem<float>&);
template Array<std::complex<double>> random_signs<double>(const SeriesProblem<double>&);

}  // namespace larmor
