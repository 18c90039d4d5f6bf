#include <larmor/core/format_error.hpp>
#include <larmor/mri/automatic/automatic.hpp>
#include <larmor/mri/quality/probable_image.hpp>
#include <larmor/mri/quality/replicas.hpp>
#include <larmor/operators/basic.hpp>
#include <larmor/operators/fft.hpp>
#include <larmor/solvers/risk/krylov_space.hpp>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace LARMOR_API larmor {
namespace {

// Of the random image and of its noise: every scan of one geometry is judged by the same ones.
constexpr std::uint64_t image_seed = 20180229, noise_seed = 20200102;
// Iterations that tell the variance of noise: what they leave of the data is hardly image.
constexpr Index noise_iterations = 20;
// The signal's energy relative to the spread of the noise's, below which there is none.
constexpr double significance = 5;
// So many iterations rely on maps and trajectory: what is wrong with those costs more than the choice knows.
// Maps of undersampled spirals led to 1.21 times the least error, instead of 1.06 with density weights.
constexpr Index many_iterations = 60;
constexpr double worth_many = 1.5;
// So few iterations of slices rounding does not slow down.
constexpr Index exact_in_slices = 24;
// How often an image that has been cut off gets its power spectrum back. More often what remains of its edges
// is less than the data's own, and iterations stop too early.
constexpr int spectra_restored = 3;
// So many probable images of slices are made at most, as long as the choice for the one before has so many
// times the least error for the next; or so many times, where that one was a probable image by other density
// weights.
constexpr int most_probable = 3;
constexpr double wrong_choice = 1.01, wrong_choice_again = 1.02;
// A part of a volume, judged by its random image alone, keeps what asks for more iterations: these edges, and
// a power that falls no faster than this. Then carry_over() gives what smooth objects are best with.
constexpr double steepest_of_part = -6;
// What is safe for noise alone: the image stays small and smooth.
constexpr double safe_lambda = 1;

// Over the samples of all ranks.
template <typename T>
double added_up(const SeriesProblem<T>& model, double own) {
  return model.ranks ? model.ranks->all_reduce(own) : own;
}

}  // namespace

template <typename T>
void AutomaticSearch<T>::judge_within(View<const float> region) {
  if (std::find(region.begin(), region.end(), 0.0F) == region.end()) return;
  Array<C> weights(unknown_);
  for (Index i = 0; i < weights.size(); ++i) weights[i] = static_cast<T>(region[i % region.size()]);
  reached_ = Diagonal<T>(moved_to(ctx_.device(), std::move(weights))) * Fft<T>(unknown_, dims_);
}

// Noise of unit variance on the samples as the model has them, times √density; the same for any division.
template <typename T>
Array<std::complex<T>> AutomaticSearch<T>::weighted_noise(const SeriesProblem<T>& model) const {
  Context host = ctx_.host();
  Array<std::complex<float>> unit(model.samples.shape());
  Index own = 0;
  for (const SampleRun& run : model.runs) {
    unit_noise(View<std::complex<float>>(unit.data() + own, {run.count}), noise_seed, 0, host, run.first);
    own += run.count;
  }
  auto noise = converted<C>(unit.view());
  if (!model.root_density.empty())
    for (Index i = 0, all = noise.size(); i < all; ++i) noise[i] *= model.root_density[i];
  return moved_to(ctx_.device(), std::move(noise), model.samples.placement());
}

// Conjugate gradients leave of signal and noise what they leave of noise alone, once the image is there.
template <typename T>
void AutomaticSearch<T>::measure_noise(const SeriesProblem<T>& model, const LinearOperator<T>& normal,
                                       View<const C> b, View<const C> g, double noise_energy) {
  const auto left = [&](View<const C> rhs, double energy) {
    KrylovSpace<T> space(normal, rhs, ctx_);
    for (Index i = 0; i < noise_iterations && space.extend(); ++i) continue;
    return std::max(0.0, energy - space.freedom(0));
  };
  const double of_noise = left(g, noise_energy),
               of_data = left(b, added_up(model, squared_norm<T>(model.samples, ctx_)));
  noise_ = of_noise > 0 ? of_data / of_noise : 0;
}

// No image is expected where no coil sees it: there even noise has left nothing. Whether there was any.
template <typename T>
bool AutomaticSearch<T>::confine_image(View<const C> g) {
  const Array<C> seen = copied_to(Device::cpu(), g);
  Array<C> image = moved_to(Device::cpu(), std::move(image_));
  bool cut = false;
  const Index all = image.size();
  for (Index i = 0; i < all; ++i) {
    if (seen[i] != C(0)) continue;
    cut = cut || image[i] != C(0);
    image[i] = 0;
  }
  image_ = moved_to(ctx_.device(), std::move(image));
  return cut;
}

template <typename T>
void AutomaticSearch<T>::set_image(const PowerSpectrumEstimate& power, const SeriesProblem<T>& model,
                                   View<const C> b, View<const C> g, bool whole) {
  const bool part_of_volume = !whole && dims_ == 3;
  const PowerSpectrum spectrum =
      part_of_volume ? power.spectrum(noise_, steepest_of_part) : power.spectrum(noise_);
  double weight = 0, squared_weight = 0;
  for (const T root : model.root_density) {
    const double density = static_cast<double>(root) * static_cast<double>(root);
    weight += density;
    squared_weight += density * density;
  }
  if (model.root_density.empty()) weight = squared_weight = static_cast<double>(model.samples.size());
  weight = added_up(model, weight);
  squared_weight = added_up(model, squared_weight);
  signal_ = added_up(model, squared_norm<T>(model.samples, ctx_)) - noise_ * weight;
  // The noise's variance is known to some percent only, which many samples can tell from 1.
  noise_alone_ = spectrum.measured == 0 || !(signal_ > significance * noise_ * std::sqrt(squared_weight)) ||
                 (noise_ > 0 && power.noise_alone(noise_));
  if (noise_alone_) return;
  image_ = random_image<T>(spectrum, unknown_, dims_, image_seed, ctx_);
  // Where the maps end the image would have edges, with more power at high frequencies than the data have.
  bool cut = confine_image(g);
  for (int i = 0; i < spectra_restored && cut && !part_of_volume; ++i) {
    image_ = with_spectrum<T>(image_, spectrum, dims_, ctx_);
    cut = confine_image(g);
  }
  // Frames, coefficients and coils are as bright as those of the data.
  const Shape pixels = unknown_.drop_front(unknown_.rank() - dims_);
  const Index outer = unknown_.size() / pixels.size();
  if (outer == 1) return;
  for (Index i = 0; i < outer; ++i) {
    const auto part = [&](View<const C> all) {
      return View<const C>(all.data() + i * pixels.size(), pixels, all.device());
    };
    const double noise = noise_ * squared_norm<T>(part(g), ctx_);
    const double energy = std::max(squared_norm<T>(part(b), ctx_) - noise, 0.01 * noise);
    scale<T>(std::sqrt(energy), View<C>(image_.data() + i * pixels.size(), pixels, image_.device()), ctx_);
  }
}

// Aᴴ(A image + noise), of Aᴴ A image.
template <typename T>
Array<std::complex<T>> AutomaticSearch<T>::with_noise(Array<C> data, View<const C> g) const {
  axpy<T>(std::sqrt(noise_), g, data, ctx_);
  return data;
}

// The same of the image times what gives it the energy that the data have.
template <typename T>
Array<std::complex<T>> AutomaticSearch<T>::data_of_image(const LinearOperator<T>& normal, View<const C> g) {
  Array<C> rhs = normal.apply(image_, ctx_);
  // The first model scales the image, so that it is the same one for all.
  if (candidates_.empty()) {
    const double seen = dot<T>(image_, rhs, ctx_).real();
    if (!(seen > 0)) throw input_error("the coil maps are zero everywhere that the data are");
    const double factor = std::sqrt(signal_ / seen);
    scale<T>(factor, image_, ctx_);
    scale<T>(factor, rhs, ctx_);
  }
  return with_noise(std::move(rhs), g);
}

// A probable image is made with the choice for the one before it, at first for the random image, which may be
// far from what is best for the data. The first is better than none; a further one, or one by other density
// weights, is believed where the choice before has too large an error for it. `solution` is that of image_.
template <typename T>
void AutomaticSearch<T>::choose_by_probable(TikhonovChoice& choice, const LinearOperator<T>& normal,
                                            TikhonovSearch<T> search, View<const C> b, View<const C> g,
                                            Array<C>& solution) {
  const auto solved = [&](View<const C> rhs) {
    const TikhonovTrial& best = choice.best;
    KrylovSpace<T> space(normal, rhs, ctx_);
    while (space.size() < best.iterations && space.extend()) continue;
    return space.combined(space.solution(best.iterations, best.lambda * choice.largest_eigenvalue));
  };
  const bool first = random_.empty();
  if (first) random_ = copied_to(ctx_.device(), image_);
  const int most = dims_ == 2 ? most_probable : 1;
  for (int made = 1; made <= most; ++made) {
    const bool after_random = first && made == 1;
    const Array<C> of_random =
        after_random ? std::move(solution) : solved(with_noise(normal.apply(random_, ctx_), g));
    Array<C> before = probable_image<T>(solved(b), {random_, of_random}, dims_, ctx_);
    std::swap(image_, before);
    confine_image(g);
    search.compared = &choice.best;
    Array<C> of_image;
    TikhonovChoice next =
        choose_tikhonov<T>(normal, data_of_image(normal, g), image_, search, ctx_, &of_image);
    const bool wrong = next.compared > (first ? wrong_choice : wrong_choice_again);
    if (after_random || wrong) {
      choice = std::move(next);
      solution = std::move(of_image);
    } else {
      image_ = std::move(before);
    }
    if (!wrong) return;
  }
}

template <typename T>
void AutomaticSearch<T>::add(DensityKind density, const PowerSpectrumEstimate& power,
                             const SeriesProblem<T>& model, const LinearOperator<T>& normal, Index most,
                             bool whole) {
  const bool weights = whole || dims_ == 2;
  Array<C> noise = weighted_noise(model);
  const double noise_energy = added_up(model, squared_norm<T>(noise, ctx_));
  const Array<C> g = model.model->adjoint(noise, ctx_);
  noise = {};
  Array<C> b;
  if (candidates_.empty()) {
    b = model.model->adjoint(model.samples, ctx_);
    if (!(noise_ > 0)) measure_noise(model, normal, b, g, noise_energy);
    set_image(power, model, b, g, whole);
  }
  AutomaticCandidate candidate{density, {}, {}};
  TikhonovSearch<T> search{.most = most, .weights = weights, .judged = reached_ ? &reached_.held() : nullptr};
  // What is so far behind after many iterations will not become better by as much.
  if (!candidates_.empty()) {
    search.patience = many_iterations;
    search.expected = worth_many * candidates_.front().choice.best.error;
  }
  if (!noise_alone_) {
    Array<C> solution;
    candidate.choice = choose_tikhonov<T>(normal, data_of_image(normal, g), image_, search, ctx_, &solution);
    // Of volumes the iterations are many, and end where rounding tells.
    if (whole && (candidates_.empty() ||
                  (dims_ == 2 && candidate.choice.best.error < candidates_.front().choice.best.error))) {
      if (b.empty()) b = model.model->adjoint(model.samples, ctx_);
      choose_by_probable(candidate.choice, normal, search, b, g, solution);
    }
    if (weights && !candidate.choice.settled && !candidate.choice.given_up &&
        (dims_ == 3 || candidate.choice.best.iterations > exact_in_slices)) {
      TikhonovTrial& best = candidate.choice.best;
      const Rehearsal found = rehearse<T>(normal, data_of_image(normal, g), image_,
                                          best.lambda * candidate.choice.largest_eigenvalue, best.iterations,
                                          most, ctx_, search.judged);
      best.iterations = found.iterations;
      best.error = found.error;
    }
    candidate.transfer = transfer_of<T>(solution, image_, dims_, ctx_);
  }
  if (noise_alone_) {
    candidate.choice.best = {safe_lambda, 1, 1};
    candidate.choice.converged = true;
  }
  candidates_.push_back(std::move(candidate));
}

template <typename T>
AutomaticChoice AutomaticSearch<T>::choice() const {
  if (candidates_.empty()) throw internal_error("nothing was tried");
  AutomaticChoice result;
  const auto reached = [](const AutomaticCandidate& candidate) {
    const bool many = !candidate.choice.settled && candidate.choice.best.iterations > many_iterations;
    return candidate.choice.best.error * (many ? worth_many : 1);
  };
  result.chosen = static_cast<std::size_t>(
      std::min_element(candidates_.begin(), candidates_.end(),
                       [&](const auto& a, const auto& b) { return reached(a) < reached(b); }) -
      candidates_.begin());
  result.candidates = candidates_;
  result.noise_variance = noise_;
  result.noise_alone = noise_alone_;
  return result;
}

void tell(const AutomaticChoice& choice, Context& ctx) {
  const auto described = [](const AutomaticCandidate& candidate) {
    const TikhonovTrial& best = candidate.choice.best;
    return fmt::format(
        "density {}, {}, {}", to_string(candidate.density),
        best.lambda > 0 ? fmt::format("l2:{:.3g}", best.lambda) : "no regularizer",
        candidate.choice.settled ? "until it converges" : fmt::format("{} iterations", best.iterations));
  };
  const AutomaticCandidate& best = choice.best();
  if (choice.noise_alone) {
    ctx.reporter().warning(
        "the data hold nothing that stands out of their noise: the image is one of noise, kept smooth");
    return;
  }
  std::string text =
      fmt::format("least error expected: {:.3g} with {}", best.choice.best.error, described(best));
  for (std::size_t i = 0; i < choice.candidates.size(); ++i)
    if (i != choice.chosen)
      text += fmt::format("; {:.3g} with {}", choice.candidates[i].choice.best.error,
                          described(choice.candidates[i]));
  ctx.reporter().note(text);
  ctx.reporter().note(fmt::format("resolution expected: {:.3g} pixels, {:.2g} % of the object smoothed away",
                                  best.transfer.resolution, 100 * best.transfer.bias));
  if (!best.choice.converged)
    ctx.reporter().warning(
        fmt::format("not converged: the error expected still falls after {} iterations; allow more",
                    best.choice.best.iterations));
}

template class AutomaticSearch<float>;
template class AutomaticSearch<double>;

}  // namespace larmor
