#include <larmor/core/format_error.hpp>
#include <larmor/core/math/cuda/line_fft.hpp>
#include <larmor/operators/nufft/grid/cuda/grid_passes.hpp>
#include <larmor/operators/nufft/matrix/cuda/matrix_product.hpp>
#include <larmor/operators/nufft/matrix/gridding_matrix.hpp>
#include <larmor/operators/nufft/plan/cuda/matrix_plan.hpp>
#include <larmor/operators/nufft/plan/matrix_plan.hpp>

#include <algorithm>

namespace larmor::nufft::cuda {
namespace {

template <typename T>
class CudaMatrixPlan final : public Plan<T> {
 public:
  using C = std::complex<T>;

  CudaMatrixPlan(View<const double> trajectory, const Shape& image, const PlanOptions& options,
                 GridChoice<T> choice, std::size_t byte_limit, Context& ctx)
      : choice_(std::move(choice)),
        options_(options),
        lanes_(options.batch <= 1                     ? 1
               : options.batch <= 4 || sizeof(T) == 8 ? 4
                                                      : 8),
        samples_(trajectory.shape()[0]),
        pixels_(image.size()),
        cells_(choice_.grid[0] * choice_.grid[1] * choice_.grid[2]) {
    const std::size_t bytes = matrix_bytes(samples_, choice_, image.rank(), options);
    if (byte_limit > 0 && bytes > byte_limit) refuse_matrix(bytes, byte_limit);
    const Device device = ctx.device();
    auto matrix = make_gridding_matrix<T>(trajectory, choice_.grid, *choice_.kernel);
    length_ = matrix.length;
    order_ = copied_to(device, matrix.order);
    if (options.adjoint) {
      auto transpose = transposed(matrix);
      transposed_start_ = moved_to(device, std::move(transpose.start));
      transposed_columns_ = moved_to(device, std::move(transpose.columns));
      transposed_weights_ = moved_to(device, std::move(transpose.weights));
    }
    if (options.forward) {
      columns_ = moved_to(device, std::move(matrix.columns));
      weights_ = moved_to(device, std::move(matrix.weights));
    }
    set_up_axes(image, ctx);
  }
  ~CudaMatrixPlan() override {
    for (const int plan : passes_.long_plan)
      if (plan != 0) destroy_long_line_plan(plan);
  }
  CudaMatrixPlan(const CudaMatrixPlan&) = delete;
  CudaMatrixPlan& operator=(const CudaMatrixPlan&) = delete;

  void forward(const C* images, C* samples, Index batch, const T* weights, double scale, Context& ctx,
               bool accumulate) const override {
    if (!options_.forward) throw internal_error("Nufft: this plan was made for the adjoint alone");
    Scratch scratch(ctx);
    const auto grid = scratch.take<C>({cells_ * lanes_});
    auto passes = passes_;
    passes.long_work = scratch.take<std::byte>({static_cast<Index>(long_work_bytes_)}).data();
    const DeviceMatrix<T> matrix{weights_.data(), columns_.data(), nullptr, length_, samples_};
    for (Index first = 0; first < batch; first += lanes_) {
      const Coils coils{std::min<Index>(lanes_, batch - first), lanes_};
      image_to_grid<T>(passes, images + first * pixels_, nullptr, grid.data(), coils, scale, ctx.stream());
      multiply_to_samples(matrix, grid.data(), order_.data(), weights, samples + first * samples_,
                          coils.count, lanes_, accumulate, ctx.stream());
    }
  }

  void adjoint(const C* samples, C* images, Index batch, const T* weights, double scale, Context& ctx,
               bool accumulate) const override {
    if (!options_.adjoint) throw internal_error("Nufft: this plan was made for the forward transform alone");
    Scratch scratch(ctx);
    const auto grid = scratch.take<C>({cells_ * lanes_});
    const auto sorted = scratch.take<C>({samples_, lanes_});
    auto passes = passes_;
    passes.long_work = scratch.take<std::byte>({static_cast<Index>(long_work_bytes_)}).data();
    const DeviceMatrix<T> matrix{transposed_weights_.data(), transposed_columns_.data(),
                                 transposed_start_.data(), 0, cells_};
    for (Index first = 0; first < batch; first += lanes_) {
      const Coils coils{std::min<Index>(lanes_, batch - first), lanes_};
      sort_samples(samples + first * samples_, coils.count, samples_, order_.data(), weights, sorted.data(),
                   lanes_, ctx.stream());
      multiply_to_grid(matrix, sorted.data(), grid.data(), lanes_, ctx.stream());
      grid_to_image<T>(passes, grid.data(), nullptr, images + first * pixels_, coils, scale, accumulate,
                       ctx.stream());
    }
  }

  std::size_t scratch_bytes(const Context&, Index) const override {
    const Index expected = options_.samples > 0 ? options_.samples : samples_;
    return Scratch::bytes<C>({cells_ * lanes_}) + Arena::rounded(long_work_bytes_) +
           (options_.adjoint ? Scratch::bytes<C>({expected, lanes_}) : 0);
  }
  std::size_t table_bytes() const override {
    return order_.view().bytes() + columns_.view().bytes() + weights_.view().bytes() +
           transposed_start_.view().bytes() + transposed_columns_.view().bytes() +
           transposed_weights_.view().bytes() + deapodisation_.view().bytes();
  }
  Index samples() const override { return samples_; }
  double oversampling() const override { return choice_.oversampling; }
  const Kernel& kernel() const override { return choice_.kernel->kernel; }

 private:
  void set_up_axes(const Shape& image, Context& ctx) {
    const Device device = ctx.device();
    passes_.dims = image.rank();
    std::vector<T> values;
    std::array<std::size_t, 3> start{};
    for (int a = 0; a < passes_.dims; ++a) {
      start[a] = values.size();
      const auto factors = choice_.deapodisation(image[passes_.dims - 1 - a], a, ctx);
      values.insert(values.end(), factors.begin(), factors.end());
    }
    deapodisation_ = copied_to(device, View<const T>(values.data(), {static_cast<Index>(values.size())}));
    Index inner = lanes_;
    for (int a = 0; a < passes_.dims; ++a) {
      const Index length = choice_.grid[a];
      passes_.grid[a] = static_cast<int>(length);
      passes_.image[a] = static_cast<int>(image[passes_.dims - 1 - a]);
      passes_.deapodise[a] = deapodisation_.data() + start[a];
      if (length > larmor::cuda::longest_line) {
        std::size_t work = 0;
        passes_.long_plan[a] = make_long_line_plan(length, inner, inner, sizeof(T) == 8, &work);
        long_work_bytes_ = std::max(long_work_bytes_, work);
      } else {
        Array<std::byte> tables(
            {static_cast<Index>(larmor::cuda::line_table_bytes<T>(static_cast<int>(length)))});
        larmor::cuda::fill_line_tables<T>(static_cast<int>(length), tables.data());
        line_tables_[a] = moved_to(device, std::move(tables));
        passes_.line[a] = larmor::cuda::line_fft<T>(static_cast<int>(length), line_tables_[a].data());
      }
      inner *= length;
    }
  }

  GridChoice<T> choice_;
  PlanOptions options_;
  int lanes_;
  Index samples_, pixels_, cells_, length_ = 1;
  Array<std::int32_t> order_, columns_, transposed_columns_;
  Array<std::int64_t> transposed_start_;
  Array<T> weights_, transposed_weights_, deapodisation_;
  std::array<Array<std::byte>, 3> line_tables_;
  GridPasses<T> passes_;
  std::size_t long_work_bytes_ = 0;
};

}  // namespace

template <typename T>
std::shared_ptr<const Plan<T>> make_matrix_plan(View<const double> trajectory, const Shape& image,
                                                const PlanOptions& options, GridChoice<T> choice,
                                                std::size_t byte_limit, Context& ctx) {
  return std::make_shared<const CudaMatrixPlan<T>>(trajectory, image, options, std::move(choice), byte_limit,
                                                   ctx);
}

#define LARMOR_INSTANTIATE(T)                                  \
  template std::shared_ptr<const Plan<T>> make_matrix_plan<T>( \
      View<const double>, const Shape&, const PlanOptions&, GridChoice<T>, std::size_t, Context&);
LARMOR_INSTANTIATE(float)
LARMOR_INSTANTIATE(double)
#undef LARMOR_INSTANTIATE

}  // namespace larmor::nufft::cuda
