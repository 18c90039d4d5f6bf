#include <larmor/core/format_error.hpp>
#include <larmor/operators/nufft/grid/grid_transform.hpp>
#include <larmor/operators/nufft/matrix/matrix_interpolator.hpp>
#include <larmor/operators/nufft/plan/cost_model.hpp>
#include <larmor/operators/nufft/plan/plan.hpp>
#include <larmor/operators/nufft/spread/gridding.hpp>

#include <algorithm>
#include <limits>

namespace LARMOR_API larmor {
namespace nufft {
namespace {

void check_sizes(const Shape& trajectory, const Shape& image, bool on_gpu) {
  const int dims = image.rank();
  if (dims < 1 || dims > 3)
    throw usage_error("Nufft: image of shape {}, expected 1 to 3 axes", image.to_string());
  if (trajectory.rank() != 2 || trajectory[1] != dims)
    throw usage_error("Nufft: trajectory of shape {} for an image of shape {}, expected [samples, {}]",
                      trajectory.to_string(), image.to_string(), dims);
  if (trajectory[0] > std::numeric_limits<std::int32_t>::max())
    throw usage_error("Nufft: {} samples are more than the {} that one plan can hold; split the trajectory",
                      trajectory[0], std::numeric_limits<std::int32_t>::max());
  if (image.size() < 1) throw usage_error("Nufft: image of shape {} is empty", image.to_string());
  for (int a = 0; on_gpu && a < dims; ++a)
    if (image[a] > std::numeric_limits<std::int32_t>::max() / 3)
      throw usage_error("Nufft: an axis of {} pixels is too long for the GPU kernels; use the CPU", image[a])
          .about("device");
}

}  // namespace

template <typename T>
struct Plan<T>::Parts {
  Index cells = 1;
  // Coils processed together: on a GPU, as many as fit into the grid; on a CPU, where they should stay in the
  // caches, one block of suitable size for the remaining coils.
  int lanes = 0;
  Index blocks = 1;
  std::unique_ptr<const Interpolator<T>> interpolator;
  std::unique_ptr<const GridTransform<T>> transform;

  // Number of coils in the next part of a batch.
  Coils next_part(Index remaining) const {
    const int block_lanes = lanes > 0 ? lanes : next_lanes<T>(remaining);
    return {std::min<Index>(remaining, blocks * block_lanes), block_lanes};
  }
  // Calls body(first coil, coils, grid values) for each part.
  template <typename Body>
  void for_each(Index batch, const Body& body) const {
    for (Index first = 0; first < batch;) {
      const Coils coils = next_part(batch - first);
      body(first, coils, cells * coils.lanes * coils.blocks());
      first += coils.count;
    }
  }
};

template <typename T>
Plan<T>::Plan(const Points<T>& trajectory, const Shape& image, const PlanOptions& options, Context& ctx)
    : pixels_(image.size()) {
  check_sizes(trajectory.shape(), image, ctx.on_gpu());
  const bool as_matrix = options.method == NufftMethod::matrix;
  // Matrices are assembled on the CPU.
  const Device device = as_matrix ? Device::cpu() : ctx.device();
  const Index samples = options.samples > 0 ? options.samples : trajectory.count();
  choice_ = choose_plan_grid<T>(image, samples, options, ctx);
  auto parts = std::make_unique<Parts>();
  for (const Index length : choice_.grid) parts->cells *= length;
  const int lanes = parts->lanes = choice_.lanes;
  // Sorting on the CPU reads coordinates in the caller's layout; all other methods need rows.
  Array<double> made, there;
  View<const double> rows;
  if (as_matrix || ctx.on_gpu()) {
    rows = trajectory.in_rows(made, ctx);
    if (!(rows.device() == device)) rows = there = copied_to(device, rows);
  }
  if (as_matrix)
    parts->interpolator = make_matrix_interpolator<T>(rows, choice_, options, ctx);
  else
    parts->interpolator =
        make_gridding<T>(ctx.on_gpu() ? Points<T>(rows) : trajectory, choice_.grid, choice_.kernel,
                         {.batch = options.batch,
                          .lanes = lanes,
                          .spread = options.adjoint,
                          .interpolate = options.forward,
                          .sorted_once = options.small_grid,
                          .expected_samples = options.samples},
                         ctx);
  if (ctx.on_gpu() && !as_matrix) {
    // As many blocks of coils at a time as fit into a quarter of the memory.
    const std::size_t block_bytes = static_cast<std::size_t>(parts->cells * lanes) * sizeof(C);
    const Index needed = (std::max<Index>(1, options.batch) + lanes - 1) / lanes;
    if (needed > 1)
      parts->blocks = std::clamp<Index>(static_cast<Index>(ctx.memory_limit() / 4 / block_bytes), 1,
                                        std::min(needed, most_blocks));
  }
  parts->transform = make_grid_transform<T>(
      image, choice_,
      {.batch = options.batch, .lanes = lanes, .blocks = parts->blocks, .real_samples = options.real_samples},
      ctx);
  parts->interpolator->require_finite(ctx);
  parts_ = std::move(parts);
}

template <typename T>
Plan<T>::~Plan() = default;

template <typename T>
std::size_t Plan<T>::scratch_bytes(const Context& ctx, Index batch) const {
  std::size_t most = 0;
  parts_->for_each(batch, [&](Index, const Coils& coils, Index values) {
    most = std::max(most,
                    Scratch::bytes<C>({values}) + std::max(parts_->transform->scratch_bytes(ctx, coils),
                                                           parts_->interpolator->scratch_bytes(ctx, coils)));
  });
  return most;
}

template <typename T>
void Plan<T>::forward(const C* images, C* samples, Index batch, const T* weights, double scale, Context& ctx,
                      bool accumulate) const {
  const Parts& p = *parts_;
  if (!p.interpolator->interpolates()) throw usage_error("Nufft: this plan was made for the adjoint only");
  p.for_each(batch, [&](Index first, const Coils& coils, Index values) {
    Scratch scratch(ctx);
    const auto grid = scratch.take<C>({values});
    p.transform->to_grid(images + first * pixels_, grid.data(), coils, scale, ctx);
    p.interpolator->interpolate(grid.data(), samples + first * this->samples(), weights, coils, ctx,
                                accumulate);
  });
}

template <typename T>
void Plan<T>::adjoint(const C* samples, C* images, Index batch, const T* weights, double scale, Context& ctx,
                      bool accumulate) const {
  const Parts& p = *parts_;
  if (!p.interpolator->spreads())
    throw usage_error("Nufft: this plan was made for the forward transform only");
  p.for_each(batch, [&](Index first, const Coils& coils, Index values) {
    Scratch scratch(ctx);
    const auto grid = scratch.take<C>({values});
    p.interpolator->spread(samples + first * this->samples(), weights, grid.data(), coils, ctx);
    p.transform->from_grid(grid.data(), images + first * pixels_, coils, scale, ctx, accumulate);
  });
}

template <typename T>
std::size_t Plan<T>::table_bytes() const {
  return parts_->transform->table_bytes() + parts_->interpolator->table_bytes();
}
template <typename T>
std::size_t Plan<T>::bytes_per_sample() const {
  return parts_->interpolator->bytes_per_sample();
}
template <typename T>
Index Plan<T>::samples() const {
  return parts_->interpolator->samples();
}

template <typename T>
PlannedBytes planned_bytes(const Shape& image, const PlanOptions& options, Context& ctx) {
  PlanOptions unlimited = options;
  unlimited.matrix_byte_limit = 0;
  const Array<double> none({0, image.rank()}, ctx.device());
  const Plan<T> empty(none, image, unlimited, ctx);
  const std::size_t rounding = 16 * Arena::rounded(1);  // of the arrays with an entry per sample
  return {
      empty.table_bytes() + static_cast<std::size_t>(options.samples) * empty.bytes_per_sample() + rounding,
      empty.scratch_bytes(ctx, options.batch)};
}

template class Plan<float>;
template class Plan<double>;
template PlannedBytes planned_bytes<float>(const Shape&, const PlanOptions&, Context&);
template PlannedBytes planned_bytes<double>(const Shape&, const PlanOptions&, Context&);

}  // namespace nufft
}  // namespace larmor
