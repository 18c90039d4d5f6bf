#include <larmor/core/cuda/runtime.hpp>
#include <larmor/core/format_error.hpp>
#include <larmor/operators/sparse_fft/cpu_engine.hpp>
#include <larmor/operators/sparse_fft/cuda/engine.hpp>
#include <larmor/operators/sparse_fft/sparse_fft.hpp>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace larmor {

using sparse_fft::Engine;
using sparse_fft::RowSummary;
using sparse_fft::SpectrumRows;

template <typename T>
struct SparseFft<T>::State {
  Index rows = 0, columns = 0, width = 0, entries = 0;
  bool half_rows = false;  // real entries: rows beyond R / 2 follow by symmetry
  double origin = 0;
  std::unique_ptr<const Engine<T>> engine;

  Index computed_rows() const { return half_rows ? rows / 2 + 1 : rows; }
  bool has_opposite(Index u) const { return half_rows && u != 0 && 2 * u != rows; }

  // Calls visit(first, count) for tiles, all but the last of `size` rows.
  template <typename Visit>
  void for_tiles(Context& ctx, Index size, const Visit& visit) const {
    const Index total = computed_rows();
    for (Index first = 0; first < total; first += size) {
      ctx.throw_if_cancelled();
      visit(first, std::min(size, total - first));
    }
  }
  SpectrumRows<T> no_rows(Index first, Index count) const {
    return {nullptr, nullptr, rows, columns, width, first, count};
  }
  Index most_tile_rows() const { return std::min(engine->tile_rows(), computed_rows()); }
};

template <typename T>
SparseFft<T>::SparseFft(const SparsePattern& pattern, const SparseFftOptions& options, Context& ctx) {
  if (options.tile_rows < 0 || options.batch_rows < 0 || options.longest_shared_row < 0)
    throw usage_error(
        "rows of a tile, of a batch and in shared memory must not be negative, got {}, {} and {}",
        options.tile_rows, options.batch_rows, options.longest_shared_row);
  auto columns = sparse_fft::make_columns(pattern);
  auto state = std::make_shared<State>();
  state->rows = columns.rows;
  state->columns = columns.columns;
  state->half_rows = columns.real;
  state->width = columns.real && !options.full ? columns.columns / 2 + 1 : columns.columns;
  state->entries = columns.entries();
  state->origin =
      columns.values.empty()
          ? static_cast<double>(columns.entries())
          : std::abs(std::accumulate(columns.values.begin(), columns.values.end(), std::complex<double>(0)));
  if constexpr (cuda::built)
    if (ctx.on_gpu()) state->engine = sparse_fft::cuda::make_engine<T>(columns, options, ctx);
  if (!state->engine) state->engine = sparse_fft::make_cpu_engine<T>(std::move(columns), options, ctx);
  state_ = std::move(state);
}

template <typename T>
Shape SparseFft<T>::spectrum_shape() const {
  return {state_->rows, state_->width};
}

template <typename T>
Index SparseFft<T>::entries() const {
  return state_->entries;
}

template <typename T>
Index SparseFft<T>::transform_length() const {
  return state_->engine->transform_length();
}

template <typename T>
Array<std::complex<T>> SparseFft<T>::spectrum(Context& ctx) const {
  Array<std::complex<T>> out(spectrum_shape(), ctx.device());
  spectrum(out, ctx);
  return out;
}

template <typename T>
void SparseFft<T>::spectrum(View<std::complex<T>> out, Context& ctx) const {
  if (!(out.shape() == spectrum_shape()) || !(out.device() == ctx.device()))
    throw internal_error("SparseFft: a spectrum of shape {} on {} was given, expected {} on {}",
                         out.shape().to_string(), out.device().to_string(), spectrum_shape().to_string(),
                         ctx.device().to_string());
  const State& s = *state_;
  ctx.arena().reserve(s.engine->scratch_bytes(ctx));
  s.for_tiles(ctx, s.engine->most_rows(), [&](Index first, Index count) {
    auto where = s.no_rows(first, count);
    where.direct = reinterpret_cast<T*>(out.data() + first * s.width);
    // The opposite rows of a tile end one row later if it begins with row 0, which is its own opposite.
    if (s.half_rows)
      where.mirrored = reinterpret_cast<T*>(out.data() + (s.rows - first - count + 1) * s.width);
    s.engine->run(where, nullptr, ctx);
  });
}

template <typename T>
void SparseFft<T>::stream(const std::function<void(const SpectrumTile<T>&)>& receive, Context& ctx) const {
  using C = std::complex<T>;
  const State& s = *state_;
  const Shape tile_shape{s.half_rows ? 2 : 1, s.most_tile_rows(), s.width};
  ctx.arena().reserve(s.engine->scratch_bytes(ctx) + Scratch::bytes<C>(tile_shape));
  Scratch scratch(ctx);
  const auto tile = scratch.take<C>(tile_shape);
  Array<C> staging = ctx.on_gpu() ? Array<C>(tile_shape) : Array<C>();
  const auto hand_over = [&](Index part, Index skipped, Index first_row, Index count) {
    if (count <= 0) return;
    View<C> rows = tile.slice(part).slices(skipped, count);
    if (ctx.on_gpu()) {
      const View<C> host = staging.view().slice(part).slices(skipped, count);
      copy_bytes(host.data(), host.device(), rows.data(), rows.device(), rows.bytes());
      rows = host;
    }
    receive({first_row, rows});
  };
  s.for_tiles(ctx, s.engine->tile_rows(), [&](Index first, Index count) {
    auto where = s.no_rows(first, count);
    where.direct = reinterpret_cast<T*>(tile.slice(0).data());
    if (s.half_rows) where.mirrored = reinterpret_cast<T*>(tile.slice(1).data());
    s.engine->run(where, nullptr, ctx);
    hand_over(0, 0, first, count);
    if (!s.half_rows) return;
    const Index base = s.rows - first - count + 1;
    const Index begin = s.has_opposite(first + count - 1) ? base : base + 1;
    const Index end = s.has_opposite(first) ? base + count : base + count - 1;
    hand_over(1, begin - base, begin, end - begin);
  });
}

template <typename T>
SpectrumSummary SparseFft<T>::summary(Context& ctx) const {
  const State& s = *state_;
  Array<RowSummary> rows({s.computed_rows()}, ctx.device());
  ctx.arena().reserve(s.engine->scratch_bytes(ctx));
  s.for_tiles(ctx, s.engine->most_rows(), [&](Index first, Index count) {
    s.engine->run(s.no_rows(first, count), rows.data() + first, ctx);
  });
  const auto host = moved_to(Device::cpu(), std::move(rows));
  SpectrumSummary summary;
  summary.origin = s.origin;
  double square = 0;
  for (Index u = 0; u < host.size(); ++u) {
    summary.energy += host[u].energy * (s.has_opposite(u) ? 2 : 1);
    if (host[u].peak <= square) continue;
    square = host[u].peak;
    summary.peak_row = u;
    summary.peak_column = host[u].column;
  }
  summary.peak = std::sqrt(square);
  return summary;
}

template class SparseFft<float>;
template class SparseFft<double>;

}  // namespace larmor
