#include <larmor/core/parallel.hpp>
#include <larmor/operators/nufft/cpu_plan.hpp>

#include <cmath>
#include <limits>

namespace larmor::nufft {
namespace {

constexpr Index tile_cells[3] = {128, 16, 8};  // per axis, by number of dimensions

// Nanoseconds of one core for spreading (per lane) and transforming, as measured with 8 float lanes; only the
// ratio of the two decides.
double cost(Index samples, const std::array<Index, 3>& grid, int dims, int width) {
  double cells = 1;
  for (int a = 0; a < dims; ++a) cells *= static_cast<double>(grid[a]);
  const double touched = std::pow(width, dims);
  const double fft = cells * (0.5 + 0.12 * std::log2(cells)) * (dims == 3 ? 1.5 : 1);
  return static_cast<double>(samples) * (4 + 0.25 * touched) + fft;
}

}  // namespace

template <typename T>
CpuPlan<T>::CpuPlan(View<const double> trajectory, const Shape& image, const PlanOptions& options,
                    Context& ctx) {
  dims_ = image.rank();
  samples_ = trajectory.shape()[0];
  for (int a = 0; a < dims_; ++a) {
    axis_[a].image = image[dims_ - 1 - a];
    pixels_ *= axis_[a].image;
  }
  choose_parameters(image, options, options.samples > 0 ? options.samples : samples_);
  for (int a = 0; a < dims_; ++a) cells_ *= axis_[a].grid;

  for (int i = 0; i < 3; ++i) {
    const int lanes = i == 0 ? 1 : i == 1 ? 4 : 8;
    if (lanes > widest_lanes<T>) continue;
    const bool used =
        next_lanes<T>(options.batch) == lanes ||
        (options.batch > widest_lanes<T> && next_lanes<T>(options.batch % widest_lanes<T>) == lanes);
    if (!used && lanes > 1) continue;  // one lane is always there, for probes
    auto& p = passes_[i];
    const auto line = [](const Axis& axis, Index inner) {
      return LinePass<T>(axis.grid, axis.image - axis.image / 2, axis.image / 2, inner);
    };
    p.kernels = spread_kernels<T>(dims_, kernel().width(), lanes);
    p.x = line(axis_[0], lanes);
    if (dims_ > 1) p.y = line(axis_[1], axis_[0].grid * lanes);
    if (dims_ > 2) p.z = line(axis_[2], axis_[1].grid * axis_[0].grid * lanes);
  }
  sort_points(trajectory, ctx);
  make_chunks();
}

template <typename T>
void CpuPlan<T>::choose_parameters(const Shape& image, const PlanOptions& options, Index samples) {
  const int dims = dims_;
  const auto choice =
      choose_grid<T>(image, options, {fast_fft_size, [=](const std::array<Index, 3>& grid, int width) {
                                        return cost(samples, grid, dims, width);
                                      }});
  oversampling_ = choice.oversampling;
  kernel_ = choice.kernel;
  for (int a = 0; a < dims_; ++a) {
    Axis& axis = axis_[a];
    axis.grid = choice.grid[a];
    axis.deapodise = choice.deapodisation(axis.image, a);
    const Index target = std::max<Index>(tile_cells[dims_ - 1], kernel().width());
    const Index pairs = axis.grid / (2 * target);
    axis.tiles = pairs > 0 ? 2 * pairs : 1;  // even, so that neighbours around the edge differ in colour
  }
}

template <typename T>
void CpuPlan<T>::sort_points(View<const double> trajectory, Context& ctx) {
  const int width = kernel().width();
  const Index tiles = axis_[0].tiles * axis_[1].tiles * axis_[2].tiles;
  if (tiles > std::numeric_limits<std::int32_t>::max())
    throw usage_error("Nufft: an image of {} pixels is larger than one plan can hold", pixels_);

  // The first cell that a point touches along an axis, and where between cells it lies.
  const auto place = [&](Index j, int a, Index& cell, double& fraction) {
    const double k = trajectory[j * dims_ + a];
    const double position = (k - std::floor(k)) * static_cast<double>(axis_[a].grid) - 0.5 * width;
    const double first = std::ceil(position);
    fraction = first - position;
    cell = static_cast<Index>(first);
    if (cell < 0) cell += axis_[a].grid;
    if (cell >= axis_[a].grid) cell -= axis_[a].grid;
  };

  Array<std::int32_t> tile_of_point({samples_});
  std::atomic<Index> bad{-1};
  constexpr Index grain = 1 << 14;
  parallel_for(ctx, samples_, grain, [&](Index begin, Index end, int) {
    for (Index j = begin; j < end; ++j) {
      Index tile = 0;
      for (int a = dims_ - 1; a >= 0; --a) {
        if (!std::isfinite(trajectory[j * dims_ + a])) {
          bad = j;
          return;
        }
        Index cell;
        double fraction;
        place(j, a, cell, fraction);
        tile = tile * axis_[a].tiles + axis_[a].tile_of(cell);
      }
      tile_of_point[j] = static_cast<std::int32_t>(tile);
    }
  });
  if (bad >= 0) throw input_error("Nufft: the trajectory is not finite at sample {}", bad.load());

  // Stable counting sort by tile.
  tile_start_.assign(static_cast<std::size_t>(tiles + 1), 0);
  for (Index j = 0; j < samples_; ++j) ++tile_start_[tile_of_point[j] + 1];
  for (Index t = 0; t < tiles; ++t) tile_start_[t + 1] += tile_start_[t];
  order_ = Array<std::int32_t>({samples_});
  {
    std::vector<Index> next(tile_start_.begin(), tile_start_.end() - 1);
    for (Index j = 0; j < samples_; ++j) order_[next[tile_of_point[j]]++] = static_cast<std::int32_t>(j);
  }
  cell_ = Array<std::uint8_t>({samples_, 4});
  fraction_ = Array<T>({samples_, dims_});
  parallel_for(ctx, samples_, grain, [&](Index begin, Index end, int) {
    for (Index p = begin; p < end; ++p) {
      const Index j = order_[p];
      Index tile = tile_of_point[j];
      for (int a = 0; a < 4; ++a) cell_[4 * p + a] = 0;
      for (int a = 0; a < dims_; ++a) {
        Index cell;
        double fraction;
        place(j, a, cell, fraction);
        cell_[4 * p + a] = static_cast<std::uint8_t>(cell - axis_[a].tile_begin(tile % axis_[a].tiles));
        fraction_[dims_ * p + a] = static_cast<T>(fraction);
        tile /= axis_[a].tiles;
      }
    }
  });
}

template <typename T>
void CpuPlan<T>::make_chunks() {
  constexpr Index chunk_points = 2048;
  // A tile with more points than this would keep one thread busy while others wait.
  const Index crowd = std::max<Index>(8192, samples_ / 32);
  const Index tiles = static_cast<Index>(tile_start_.size()) - 1;
  colours_.resize(8);
  for (Index t = 0; t < tiles; ++t) {
    const Index begin = tile_start_[t], end = tile_start_[t + 1];
    if (begin == end) continue;
    for (Index first = begin; first < end; first += chunk_points)
      chunks_.push_back({t, first, std::min(end, first + chunk_points)});
    if (end - begin > crowd) {
      crowded_.push_back(t);
      continue;
    }
    const Index x = t % axis_[0].tiles, y = t / axis_[0].tiles % axis_[1].tiles,
                z = t / (axis_[0].tiles * axis_[1].tiles);
    colours_[(z % 2) * 4 + (y % 2) * 2 + x % 2].push_back(t);
  }
  std::erase_if(colours_, [](const auto& list) { return list.empty(); });
  // Full tiles first, so that no thread is left alone with a long one.
  for (auto& list : colours_)
    std::stable_sort(list.begin(), list.end(), [&](Index a, Index b) {
      return tile_start_[a + 1] - tile_start_[a] > tile_start_[b + 1] - tile_start_[b];
    });
}

template <typename T>
std::size_t CpuPlan<T>::table_bytes() const {
  return order_.view().bytes() + cell_.view().bytes() + fraction_.view().bytes() +
         tile_start_.size() * sizeof(Index) + chunks_.size() * sizeof(Chunk);
}

#define LARMOR_INSTANTIATE(T)                                                                   \
  template CpuPlan<T>::CpuPlan(View<const double>, const Shape&, const PlanOptions&, Context&); \
  template std::size_t CpuPlan<T>::table_bytes() const;
LARMOR_INSTANTIATE(float)
LARMOR_INSTANTIATE(double)
#undef LARMOR_INSTANTIATE

}  // namespace larmor::nufft
