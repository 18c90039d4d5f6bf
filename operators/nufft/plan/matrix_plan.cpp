#include <larmor/core/cuda/runtime.hpp>
#include <larmor/core/format_error.hpp>
#include <larmor/core/math/cuda/line_fft.hpp>
#include <larmor/core/parallel.hpp>
#include <larmor/core/planner.hpp>
#include <larmor/operators/nufft/grid/grid_transform.hpp>
#include <larmor/operators/nufft/matrix/gridding_matrix.hpp>
#include <larmor/operators/nufft/matrix/matrix_kernels.hpp>
#include <larmor/operators/nufft/plan/cuda/matrix_plan.hpp>
#include <larmor/operators/nufft/plan/matrix_plan.hpp>
#include <larmor/operators/nufft/spread/spread.hpp>

#include <algorithm>
#include <cmath>

namespace larmor::nufft {
namespace {

constexpr Index row_chunk = 256, cell_chunk = 2048;

template <typename T>
class CpuMatrixPlan final : public Plan<T> {
 public:
  using C = std::complex<T>;

  CpuMatrixPlan(View<const double> trajectory, const Shape& image, const PlanOptions& options,
                const GridChoice<T>& choice, std::size_t byte_limit, const Context& ctx)
      : choice_(choice),
        options_(options),
        pixels_(image.size()),
        transform_(image, choice, options.batch, ctx) {
    const int dims = image.rank(), width = choice.kernel->kernel.width();
    const Index samples = trajectory.shape()[0];
    const std::size_t rows = GriddingMatrix<T>::bytes(samples, width, dims),
                      columns = TransposedMatrix<T>::bytes(samples, transform_.cells(), width, dims);
    if (byte_limit > 0 && rows > byte_limit) refuse_matrix(rows, byte_limit);
    matrix_ = make_gridding_matrix<T>(trajectory, choice.grid, *choice.kernel);
    const std::size_t kept = options.forward ? rows : 0;
    if (options.adjoint && (byte_limit == 0 || kept + columns <= byte_limit)) {
      transpose_ = transposed(matrix_);
      if (!options.forward) {  // its rows are not needed any more
        matrix_.columns = Array<std::int32_t>();
        matrix_.weights = Array<T>();
      }
    }
    for (const int lanes : {1, 4, 8})
      if (lanes_used<T>(lanes, options.batch)) kernels_[index_of(lanes)] = matrix_kernels<T>(lanes);
  }

  void forward(const C* images, C* samples, Index batch, const T* weights, double scale, Context& ctx,
               bool accumulate) const override {
    if (!options_.forward) throw internal_error("Nufft: this plan was made for the adjoint alone");
    for (Index first = 0; first < batch;) {
      const int lanes = next_lanes<T>(batch - first);
      const Index count = std::min<Index>(lanes, batch - first);
      Scratch scratch(ctx);
      const auto grid = scratch.take<C>({transform_.cells() * lanes});
      transform_.to_grid(images + first * pixels_, count, grid.data(), lanes, scale, ctx);
      interpolate(grid.data(), samples + first * matrix_.samples, count, weights, lanes, ctx, accumulate);
      first += count;
    }
  }

  void adjoint(const C* samples, C* images, Index batch, const T* weights, double scale, Context& ctx,
               bool accumulate) const override {
    if (!options_.adjoint) throw internal_error("Nufft: this plan was made for the forward transform alone");
    for (Index first = 0; first < batch;) {
      const int lanes = next_lanes<T>(batch - first);
      const Index count = std::min<Index>(lanes, batch - first);
      Scratch scratch(ctx);
      const auto grid = scratch.take<C>({transform_.cells() * lanes});
      spread(samples + first * matrix_.samples, count, weights, grid.data(), lanes, ctx);
      transform_.from_grid(grid.data(), images + first * pixels_, count, lanes, scale, ctx, accumulate);
      first += count;
    }
  }

  std::size_t scratch_bytes(const Context& ctx, Index batch) const override {
    const Index expected = options_.samples > 0 ? options_.samples : matrix_.samples;
    std::size_t most = 0;
    for (Index first = 0; first < batch;) {
      const int lanes = next_lanes<T>(batch - first);
      most = std::max(most, Scratch::bytes<C>({transform_.cells() * lanes}) +
                                std::max({transform_.scratch_bytes(ctx),
                                          Scratch::bytes<C>({ctx.threads(), row_chunk, lanes}),
                                          Scratch::bytes<C>({expected, lanes})}));
      first += lanes;
    }
    return most;
  }
  std::size_t table_bytes() const override {
    return matrix_.order.view().bytes() + matrix_.columns.view().bytes() + matrix_.weights.view().bytes() +
           transpose_.start.view().bytes() + transpose_.columns.view().bytes() +
           transpose_.weights.view().bytes();
  }
  Index samples() const override { return matrix_.samples; }
  double oversampling() const override { return choice_.oversampling; }
  const Kernel& kernel() const override { return choice_.kernel->kernel; }

 private:
  static std::size_t index_of(int lanes) { return lanes == 1 ? 0 : lanes == 4 ? 1 : 2; }
  static T* reals(C* values) { return reinterpret_cast<T*>(values); }
  static const T* reals(const C* values) { return reinterpret_cast<const T*>(values); }

  void interpolate(const C* grid, C* samples, Index count, const T* weights, int lanes, Context& ctx,
                   bool accumulate) const {
    Scratch scratch(ctx);
    const auto buffers = scratch.take<C>({ctx.threads(), row_chunk, lanes});
    parallel_for(ctx, matrix_.samples, row_chunk, [&](Index begin, Index end, int thread) {
      C* found = buffers.slice(thread).data();
      for (Index first = begin; first < end; first += row_chunk) {
        const Index rows = std::min(row_chunk, end - first);
        kernels_[index_of(lanes)].gather({matrix_.weights.data() + first * matrix_.length,
                                          matrix_.columns.data() + first * matrix_.length, nullptr,
                                          matrix_.length, rows, reals(grid), reals(found)});
        for (Index lane = 0; lane < count; ++lane) {
          C* out = samples + lane * matrix_.samples;
          for (Index i = 0; i < rows; ++i) {
            const Index j = matrix_.order[first + i];
            const C value = found[i * lanes + lane] * (weights ? weights[j] : T(1));
            out[j] = accumulate ? out[j] + value : value;
          }
        }
      }
    });
  }

  void spread(const C* samples, Index count, const T* weights, C* grid, int lanes, Context& ctx) const {
    Scratch scratch(ctx);
    const auto sorted = scratch.take<C>({matrix_.samples, lanes});
    parallel_for(ctx, matrix_.samples, row_chunk, [&](Index begin, Index end, int) {
      for (Index i = begin; i < end; ++i) {
        const Index j = matrix_.order[i];
        const T weight = weights ? weights[j] : T(1);
        for (Index lane = 0; lane < lanes; ++lane)
          sorted[i * lanes + lane] = lane < count ? samples[lane * matrix_.samples + j] * weight : C(0);
      }
    });
    const auto& kernels = kernels_[index_of(lanes)];
    if (!transpose_.start.empty()) {
      parallel_for(ctx, transform_.cells(), cell_chunk, [&](Index begin, Index end, int) {
        kernels.gather({transpose_.weights.data(), transpose_.columns.data(), transpose_.start.data() + begin,
                        0, end - begin, reals(sorted.data()), reals(grid + begin * lanes)});
      });
      return;
    }
    // The rows of a slab meet those of its neighbours only: every other slab at a time.
    parallel_for(ctx, transform_.cells() * lanes, Index{1} << 16,
                 [&](Index begin, Index end, int) { std::fill(grid + begin, grid + end, C(0)); });
    const Index slabs = static_cast<Index>(matrix_.slab_start.size()) - 1;
    for (Index parity = 0; parity < std::min<Index>(2, slabs); ++parity)
      parallel_for(ctx, (slabs + 1 - parity) / 2, 1, [&](Index begin, Index end, int) {
        for (Index s = 2 * begin + parity; s < 2 * end + parity; s += 2) {
          const Index first = matrix_.slab_start[static_cast<std::size_t>(s)],
                      last = matrix_.slab_start[static_cast<std::size_t>(s + 1)];
          kernels.scatter({matrix_.weights.data() + first * matrix_.length,
                           matrix_.columns.data() + first * matrix_.length, nullptr, matrix_.length,
                           last - first, reals(sorted.data() + first * lanes), reals(grid)});
        }
      });
  }

  GridChoice<T> choice_;
  PlanOptions options_;
  Index pixels_;
  GridTransform<T> transform_;
  GriddingMatrix<T> matrix_;
  TransposedMatrix<T> transpose_;  // empty: the rows serve both directions
  std::array<MatrixKernels<T>, 3> kernels_;
};

}  // namespace

void refuse_matrix(std::size_t bytes, std::size_t limit) {
  throw resource_error(
      "the interpolation as a sparse matrix takes {}, and {} are allowed; use another method "
      "or less accuracy",
      format_bytes(bytes), format_bytes(limit));
}

template <typename T>
GridChoice<T> choose_matrix_grid(const Shape& image, Index samples, const PlanOptions& options,
                                 const Context& ctx) {
  // Costs of a coil for each entry of the matrix and each cell of the grid; only ratios count.
  const double entry = ctx.on_gpu() ? 0.15 : 0.075;
  const auto points = static_cast<double>(options.samples > 0 ? options.samples : samples);
  GridCosts costs{fast_fft_size, [&](const std::array<Index, 3>& grid, int width) {
                    return entry * points * std::pow(width, image.rank()) +
                           static_cast<double>(grid[0] * grid[1] * grid[2]);
                  }};
  if constexpr (larmor::cuda::built)
    if (ctx.on_gpu())
      costs.fast_length = [](Index n) { return Index{larmor::cuda::fast_line_length(static_cast<int>(n))}; };
  return choose_grid<T>(image, options, costs);
}

template <typename T>
std::size_t matrix_bytes(Index samples, const GridChoice<T>& choice, int dims, const PlanOptions& options) {
  const int width = choice.kernel->kernel.width();
  const Index cells = choice.grid[0] * choice.grid[1] * choice.grid[2];
  return (options.forward ? GriddingMatrix<T>::bytes(samples, width, dims) : 0) +
         (options.adjoint ? TransposedMatrix<T>::bytes(samples, cells, width, dims) : 0);
}

template <typename T>
std::shared_ptr<const Plan<T>> make_matrix_plan(View<const double> trajectory, const Shape& image,
                                                const PlanOptions& options, std::size_t byte_limit,
                                                Context& ctx) {
  const int dims = image.rank();
  if (dims < 1 || dims > 3)
    throw internal_error("Nufft: image of shape {}, expected 1 to 3 axes", image.to_string());
  if (trajectory.shape().rank() != 2 || trajectory.shape()[1] != dims)
    throw internal_error("Nufft: trajectory of shape {} for an image of shape {}, expected [samples, {}]",
                         trajectory.shape().to_string(), image.to_string(), dims);
  if (image.size() < 1) throw internal_error("Nufft: image of shape {} is empty", image.to_string());
  // The matrix is made on the CPU.
  if (trajectory.device().on_gpu())
    return make_matrix_plan<T>(copied_to(Device::cpu(), trajectory), image, options, byte_limit, ctx);
  auto choice = choose_matrix_grid<T>(image, trajectory.shape()[0], options, ctx);
  if constexpr (larmor::cuda::built)
    if (ctx.on_gpu())
      return cuda::make_matrix_plan<T>(trajectory, image, options, std::move(choice), byte_limit, ctx);
  return std::make_shared<const CpuMatrixPlan<T>>(trajectory, image, options, choice, byte_limit, ctx);
}

#define LARMOR_INSTANTIATE(T)                                                                            \
  template GridChoice<T> choose_matrix_grid<T>(const Shape&, Index, const PlanOptions&, const Context&); \
  template std::size_t matrix_bytes<T>(Index, const GridChoice<T>&, int, const PlanOptions&);            \
  template std::shared_ptr<const Plan<T>> make_matrix_plan<T>(View<const double>, const Shape&,          \
                                                              const PlanOptions&, std::size_t, Context&);
LARMOR_INSTANTIATE(float)
LARMOR_INSTANTIATE(double)
#undef LARMOR_INSTANTIATE

}  // namespace larmor::nufft
