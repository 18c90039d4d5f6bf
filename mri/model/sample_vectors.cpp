#include <larmor/mri/model/sample_vectors.hpp>

#include <algorithm>
#include <numeric>
#include <random>

namespace larmor {

template <typename T>
Array<std::complex<T>> weights_of_samples(const std::vector<Array<double>>& cells, const Shape& shape,
                                          bool by_coil, Communicator* ranks) {
  double sum = 0, count = 0;
  for (const auto& frame : cells) {
    sum = std::accumulate(frame.begin(), frame.end(), sum);
    count += static_cast<double>(frame.size());
  }
  const Index coils = shape.size() / std::max<Index>(static_cast<Index>(count), 1);
  if (ranks) {
    sum = ranks->all_reduce(sum);
    count = ranks->all_reduce(count);
  }
  Array<std::complex<T>> result(shape);
  std::complex<T>* out = result.data();
  const auto append = [&](const Array<double>& frame) {
    out = std::transform(frame.begin(), frame.end(), out,
                         [&](double weight) { return static_cast<T>(sum > 0 ? weight * count / sum : 1); });
  };
  for (Index outer = 0; outer < (by_coil ? coils : 1); ++outer)
    for (const auto& frame : cells)
      for (Index inner = 0; inner < (by_coil ? 1 : coils); ++inner) append(frame);
  return result;
}

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

template Array<std::complex<float>> weights_of_samples<float>(const std::vector<Array<double>>&, const Shape&,
                                                              bool, Communicator*);
template Array<std::complex<float>> random_signs<float>(const SeriesProblem<float>&);
template Array<std::complex<double>> weights_of_samples<double>(const std::vector<Array<double>>&,
                                                                const Shape&, bool, Communicator*);
template Array<std::complex<double>> random_signs<double>(const SeriesProblem<double>&);

}  // namespace larmor
