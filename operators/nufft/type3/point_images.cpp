#include <larmor/core/cuda/runtime.hpp>
#include <larmor/core/parallel.hpp>
#include <larmor/operators/nufft/spread/cpu_gridding.hpp>
#include <larmor/operators/nufft/type3/cuda/point_images.hpp>
#include <larmor/operators/nufft/type3/point_images.hpp>

#include <utility>

namespace larmor::nufft {
namespace {

constexpr Index grain = 1 << 13;

// Between a grid with the lanes fastest and images one after another.
template <typename T, bool to_images>
void transpose(std::complex<T>* grid, int lanes, std::complex<T>* images, Index count, Index cells,
               Context& ctx) {
  parallel_for(ctx, cells, grain, [&](Index begin, Index end, int) {
    for (Index i = begin; i < end; ++i)
      for (Index lane = 0; lane < lanes; ++lane) {
        if constexpr (to_images) {
          if (lane < count) images[lane * cells + i] = grid[i * lanes + lane];
        } else {
          grid[i * lanes + lane] = lane < count ? images[lane * cells + i] : std::complex<T>(0);
        }
      }
  });
}

template <typename T>
class CpuPointImages final : public PointImages<T> {
 public:
  using C = std::complex<T>;
  explicit CpuPointImages(CpuGridding<T> gridding) : gridding_(std::move(gridding)) {}

  void spread(const C* values, C* images, Index coils, Context& ctx) const override {
    const Index cells = gridding_.cells();
    for_coil_blocks<T>(coils, [&](Index first, Index count, int lanes) {
      const C* in = values + first * gridding_.samples();
      C* out = images + first * cells;
      if (lanes == 1) return gridding_.spread(in, 1, nullptr, out, 1, ctx);
      Scratch scratch(ctx);
      const auto grid = scratch.take<C>({cells, lanes});
      gridding_.spread(in, count, nullptr, grid.data(), lanes, ctx);
      transpose<T, true>(grid.data(), lanes, out, count, cells, ctx);
    });
  }

  void interpolate(const C* images, C* values, Index coils, Context& ctx, bool accumulate) const override {
    const Index cells = gridding_.cells();
    for_coil_blocks<T>(coils, [&](Index first, Index count, int lanes) {
      C* in = const_cast<C*>(images) + first * cells;  // only read
      C* out = values + first * gridding_.samples();
      if (lanes == 1) return gridding_.interpolate(in, out, 1, nullptr, 1, ctx, accumulate);
      Scratch scratch(ctx);
      const auto grid = scratch.take<C>({cells, lanes});
      transpose<T, false>(grid.data(), lanes, in, count, cells, ctx);
      gridding_.interpolate(grid.data(), out, count, nullptr, lanes, ctx, accumulate);
    });
  }

  std::size_t scratch_bytes(const Context& ctx, Index count) const override {
    std::size_t most = 0;
    for_coil_blocks<T>(count, [&](Index, Index, int lanes) {
      const std::size_t grid = lanes > 1 ? Scratch::bytes<C>({gridding_.cells(), lanes}) : 0;
      most = std::max(most, grid + gridding_.scratch_bytes(ctx, lanes));
    });
    return most;
  }
  std::size_t table_bytes() const override { return gridding_.table_bytes(); }

 private:
  CpuGridding<T> gridding_;
};

}  // namespace

template <typename T>
std::shared_ptr<const PointImages<T>> make_point_images(View<const double> points,
                                                        const std::array<Index, 3>& cells,
                                                        std::shared_ptr<const FittedKernel<T>> kernel,
                                                        const PointImagesOptions& options, Context& ctx) {
  if constexpr (larmor::cuda::built)
    if (ctx.on_gpu())
      return std::make_shared<const CudaPointImages<T>>(points, cells, std::move(kernel), options, ctx);
  return std::make_shared<const CpuPointImages<T>>(
      CpuGridding<T>(points, cells, std::move(kernel), options.batch, ctx));
}

#define LARMOR_INSTANTIATE(T)                                                                  \
  template std::shared_ptr<const PointImages<T>> make_point_images(                            \
      View<const double>, const std::array<Index, 3>&, std::shared_ptr<const FittedKernel<T>>, \
      const PointImagesOptions&, Context&);
LARMOR_INSTANTIATE(float)
LARMOR_INSTANTIATE(double)
#undef LARMOR_INSTANTIATE

}  // namespace larmor::nufft
