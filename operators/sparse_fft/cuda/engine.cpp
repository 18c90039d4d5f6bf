#include <larmor/core/cuda/runtime.hpp>
#include <larmor/core/format_error.hpp>
#include <larmor/core/math/cuda/fft.hpp>
#include <larmor/operators/sparse_fft/cuda/engine.hpp>
#include <larmor/operators/sparse_fft/cuda/kernels.hpp>
#include <larmor/operators/sparse_fft/row_transform.hpp>

#include <algorithm>
#include <limits>
#include <numbers>
#include <numeric>

namespace larmor::sparse_fft::cuda {
namespace {

template <typename T>
Array<T> uploaded(const std::vector<T>& values, const Device& device) {
  const View<const T> view(values.data(), Shape{static_cast<Index>(values.size())});
  return copied_to(device, view);
}

template <typename T>
class CudaEngine final : public Engine<T> {
 public:
  using C = std::complex<T>;

  CudaEngine(const Columns& given, const SparseFftOptions& options, Context& ctx)
      : CudaEngine(with_most_columns(given, far_of(given.columns, options)), options, ctx, 0) {}

 private:
  static int far_of(Index columns, const SparseFftOptions& options) {
    const bool asked = options.longest_shared_row > 0 || options.batch_rows > 0;
    return sizeof(T) == 4 && !asked ? SplitRows::far_columns(columns) : 0;
  }
  // The kernel that sums columns writes zeros for columns without entries: if these are few, that is less
  // work than clearing everything beforehand.
  static Columns with_most_columns(const Columns& columns, int far) {
    if (far > 0) return together(columns, far);
    if (columns.active() == columns.columns || 2 * columns.active() < columns.columns) return columns;
    return arranged(columns, [&](std::uint32_t place) { return place; });
  }
  // Columns that are equal modulo `far` are adjacent, those with most entries first: threads that run
  // together then have equal work.
  static Columns together(const Columns& columns, int far) {
    std::vector<std::uint32_t> count(static_cast<std::size_t>(columns.columns)), order(count.size());
    for (std::size_t i = 0; i < columns.column.size(); ++i)
      count[columns.column[i]] = columns.start[i + 1] - columns.start[i];
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
      const auto class_a = a % static_cast<std::uint32_t>(far), class_b = b % static_cast<std::uint32_t>(far);
      return class_a != class_b ? class_a < class_b : count[a] > count[b];
    });
    return arranged(columns, [&](std::uint32_t place) { return order[place]; });
  }
  // All columns, in the order of column_at(0), column_at(1), …
  template <typename ColumnAt>
  static Columns arranged(const Columns& columns, const ColumnAt& column_at) {
    Columns result;
    result.rows = columns.rows;
    result.columns = columns.columns;
    result.real = columns.real;
    std::vector<std::uint32_t> begin(static_cast<std::size_t>(columns.columns)), end(begin.size());
    for (std::size_t i = 0; i < columns.column.size(); ++i) {
      begin[columns.column[i]] = columns.start[i];
      end[columns.column[i]] = columns.start[i + 1];
    }
    const auto append = [](auto& to, const auto& from, std::uint32_t first, std::uint32_t last) {
      if (!from.empty()) to.insert(to.end(), from.begin() + first, from.begin() + last);
    };
    std::uint32_t entries = 0;
    for (std::uint32_t place = 0; place < begin.size(); ++place) {
      const std::uint32_t c = column_at(place);
      result.column.push_back(c);
      result.start.push_back(entries);
      entries += end[c] - begin[c];
      append(result.narrow_rows, columns.narrow_rows, begin[c], end[c]);
      append(result.wide_rows, columns.wide_rows, begin[c], end[c]);
      append(result.values, columns.values, begin[c], end[c]);
    }
    result.start.push_back(entries);
    return result;
  }
  CudaEngine(const Columns& columns, const SparseFftOptions& options, Context& ctx, int)
      : real_(columns.real),
        split_(far_of(columns.columns, options) > 0),
        rows_(columns.rows),
        columns_(columns.columns),
        active_(columns.active()),
        column_(uploaded(columns.column, ctx.device())),
        start_(uploaded(columns.start, ctx.device())),
        narrow_rows_(uploaded(columns.narrow_rows, ctx.device())),
        wide_rows_(uploaded(columns.wide_rows, ctx.device())),
        steps_(copied_to(ctx.device(), half_step_table<T>(columns.rows))) {
    if (!columns.values.empty()) upload_values(columns, ctx);
    ctx.stream();  // makes the device current
    if (split_)
      prepare_split(options, ctx);
    else
      prepare_whole(options, ctx);
  }
  void prepare_whole(const SparseFftOptions& options, Context& ctx) {
    auto transform = make_row_transform<T>(columns_, convolution_length());
    length_ = transform.length;
    direct_ = transform.direct();
    if (length_ <= (options.longest_shared_row > 0 ? options.longest_shared_row : longest_shared)) {
      const auto tables = make_row_fft<T>(static_cast<int>(length_), !direct_);
      in_shared_ = static_cast<std::size_t>(tables.fft.places) * sizeof(C) <= most_shared_bytes();
      if (in_shared_) copy_tables(tables, transform, ctx);
    }
    if (!direct_) {
      chirp_ = copied_to(ctx.device(), transform.chirp);
      filter_ = copied_to(ctx.device(), transform.filter);
    }

    if (in_shared_)
      choose_tile(options);
    else
      choose_batch(options, ctx);
  }

 public:
  Index tile_rows() const override { return tile_rows_; }
  Index most_rows() const override { return std::max(tile_rows_, most_rows_); }
  Index transform_length() const override { return length_; }
  std::size_t scratch_bytes(Context&) const override {
    if (split_)
      return Scratch::bytes<C>({SplitRows::signal_rows(columns_), columns_}) +
             Scratch::bytes<unsigned>({SplitRows::counters(columns_, most_rows())});
    const std::size_t signal = Scratch::bytes<C>({tile_rows_, in_place_ ? length_ : columns_});
    if (in_shared_) return signal;
    const std::size_t buffer = in_place_ ? 0 : Scratch::bytes<C>({batch_, length_});
    return signal + buffer + Arena::rounded(transform_->work_bytes());
  }

  void run(const SpectrumRows<T>& where, RowSummary* summaries, Context& ctx) const override {
    Scratch scratch(ctx);
    RowTask<T> task;
    task.pitch = in_place_ ? length_ : columns_;
    task.chirp = direct_ ? nullptr : chirp_.data();
    task.filter = direct_ ? nullptr : filter_.data();
    task.first = where.first;
    task.count = where.count;
    task.where = where;
    task.summaries = summaries;
    if constexpr (sizeof(T) == 4)
      if (split_) return run_split(task, scratch, ctx);
    const auto signal = scratch.take<C>({tile_rows_, task.pitch});
    task.signal = signal.data();
    // A batch is transformed with all its rows.
    if (active_ < columns_ || (in_place_ && where.count % batch_ != 0))
      larmor::cuda::set_bytes(signal.data(), 0, signal.bytes(), ctx.device().ordinal);
    else if (task.pitch > columns_)
      clear_tails(signal.data(), task.pitch, columns_, where.count, ctx.stream());
    sum_columns(sums_of(signal, where), ctx.stream());
    if (in_shared_) {
      task.fft = fft_;
      return transform_rows(task, ctx.stream());
    }
    const auto work = scratch.take<std::byte>({static_cast<Index>(transform_->work_bytes())});
    const auto buffer = in_place_ ? View<C>() : scratch.take<C>({batch_, length_});
    task.pitch = length_;
    for (Index first = 0; first < where.count; first += batch_) {
      task.first = where.first + first;
      task.count = std::min(batch_, where.count - first);
      if (!in_place_)
        pad_rows(signal.slice(first).data(), columns_, columns_, task.count, buffer.data(), length_, batch_,
                 ctx.stream());
      const View<C> rows = in_place_ ? signal.slices(first, batch_) : buffer;
      task.signal = rows.data();
      transform_->execute(rows.data(), work.data(), -1, ctx.stream());
      if (!direct_) {
        multiply_rows(task.filter, rows.data(), length_, batch_, ctx.stream());
        transform_->execute(rows.data(), work.data(), +1, ctx.stream());
      }
      finish_rows(task, ctx.stream());
    }
  }

 private:
  void run_split(const RowTask<T>& rows, Scratch& scratch, Context& ctx) const {
    const auto signal = scratch.take<C>({SplitRows::signal_rows(columns_), columns_});
    const auto state = scratch.take<unsigned>({SplitRows::counters(columns_, rows.count)});
    transform_split_rows({sums_of(signal, rows.where), rows, twiddles_.data(), state.data()}, ctx.stream());
  }

  static constexpr Index longest_shared = Index{1} << 15;  // more than any device has
  static constexpr Index row_group = 512;  // best number of rows for the kernel that sums columns

  void prepare_split(const SparseFftOptions& options, Context& ctx) {
    constexpr Index roots = SplitRows::roots_count;
    length_ = columns_;
    Array<C> of_unity({roots});
    for (Index m = 0; m < roots; ++m)
      of_unity[m] = C(std::polar(1.0, -2 * std::numbers::pi * static_cast<double>(m) / roots));
    twiddles_ = copied_to(ctx.device(), of_unity);
    tile_rows_ = in_blocks(options.tile_rows > 0 ? options.tile_rows : row_group);
    if (options.tile_rows == 0) most_rows_ = real_ ? rows_ / 2 + 1 : rows_;
  }
  // The signal should stay in the second-level cache, but rows come in full groups.
  void choose_tile(const SparseFftOptions& options) {
    const Index row_bytes = columns_ * static_cast<Index>(sizeof(C));
    const Index most = std::max<Index>(row_group, (Index{48} << 20) / row_bytes / row_group * row_group);
    tile_rows_ = in_blocks(options.tile_rows > 0 ? options.tile_rows : std::min<Index>(most, 8 * row_group));
  }
  // Rows are transformed where they are summed: one batch in the L2 cache if that holds enough rows for
  // efficient sums, otherwise two in memory, because cuFFT works out of place. Only rows too long even for
  // that are copied from a tile, a few at a time.
  void choose_batch(const SparseFftOptions& options, Context& ctx) {
    constexpr Index fewest = row_group / 4, cache = Index{36} << 20, memory = Index{440} << 20;
    const Index row_bytes = length_ * static_cast<Index>(sizeof(C));
    const bool cached = cache / row_bytes >= fewest;
    const Index parts = cached ? 1 : 2;
    batch_ = options.batch_rows > 0 ? options.batch_rows
             : cached               ? std::min(cache / row_bytes, 8 * row_group)
                                    : std::min(memory / row_bytes, row_group) / parts;
    in_place_ = options.tile_rows == 0 && batch_ >= fewest;
    if (in_place_) {
      const Index wanted = real_ ? rows_ / 2 + 1 : rows_, tile = parts * batch_;
      const Index batches = parts * ((wanted + tile - 1) / tile);
      batch_ = in_blocks((wanted + batches - 1) / batches);
      tile_rows_ = parts * batch_;
    } else {
      tile_rows_ = in_blocks(options.tile_rows > 0 ? options.tile_rows : row_group);
      if (options.batch_rows == 0) batch_ = std::max<Index>(1, cache / row_bytes);
      batch_ = std::min(batch_, tile_rows_);
    }
    const long long n = length_;
    transform_ = larmor::cuda::Transform::get(&n, 1, batch_, sizeof(T) == 8, ctx.device().ordinal);
  }
  static Index in_blocks(Index rows) { return (rows + block_rows - 1) / block_rows * block_rows; }

  ColumnSums<T> sums_of(View<C> signal, const SpectrumRows<T>& where) const {
    ColumnSums<T> sums;
    sums.columns = {column_.data(),
                    start_.data(),
                    narrow_rows_.empty() ? nullptr : narrow_rows_.data(),
                    wide_rows_.empty() ? nullptr : wide_rows_.data(),
                    real_values_.empty() ? nullptr : real_values_.data(),
                    complex_values_.empty() ? nullptr : complex_values_.data(),
                    active_,
                    rows_};
    sums.steps = steps_.data();
    sums.factor = direct_ ? nullptr : chirp_.data();
    sums.signal = signal.data();
    sums.pitch = signal.shape()[1];
    sums.first = where.first;
    sums.count = where.count;
    return sums;
  }
  Index convolution_length() const {
    const Index shortest = 2 * columns_ - 1;
    if (shortest >= (Index{1} << 30))
      throw usage_error("a row of {} columns is too long for this device; expected at most {}", columns_,
                        1 << 29);
    // In shared memory few stages matter most; other rows use cuFFT's own choice.
    if (shortest > longest_shared) return larmor::cuda::fast_line_length(static_cast<int>(shortest));
    Index best = 0, fewest = std::numeric_limits<Index>::max();
    for (Index n = shortest; best == 0 || n <= shortest + shortest / 8; ++n) {
      if (!is_smooth(n)) continue;
      const Index cost = n * larmor::cuda::line_radices(static_cast<int>(n)).stages;
      if (cost < fewest) fewest = cost, best = n;
    }
    return best;
  }
  void upload_values(const Columns& columns, Context& ctx) {
    const Index n = columns.entries();
    if (columns.real) {
      Array<T> values({n});
      for (Index i = 0; i < n; ++i) values[i] = static_cast<T>(columns.values[i].real());
      real_values_ = copied_to(ctx.device(), values);
    } else {
      Array<C> values({n});
      for (Index i = 0; i < n; ++i) values[i] = C(columns.values[i]);
      complex_values_ = copied_to(ctx.device(), values);
    }
  }
  void copy_tables(const RowFftTables<T>& tables, RowTransform<T>& transform, Context& ctx) {
    fft_ = tables.fft;
    twiddles_ = uploaded(tables.twiddles, ctx.device());
    begin_ = uploaded(tables.begin, ctx.device());
    fft_.twiddles = twiddles_.data();
    fft_.begin = begin_.data();
    if (transform.direct()) return;
    // The order in which the kernel processes butterflies.
    const Index butterflies = static_cast<Index>(tables.butterfly.size());
    Array<C> ordered({length_});
    for (Index f = 0; f < butterflies; ++f)
      for (Index k = 0; k < length_ / butterflies; ++k)
        ordered[k * butterflies + tables.butterfly[static_cast<std::size_t>(f)]] =
            transform.filter[f + k * butterflies];
    transform.filter = std::move(ordered);
  }

  bool real_, split_;
  Index rows_, columns_, active_, length_ = 1, tile_rows_ = 0, most_rows_ = 0, batch_ = 0;
  bool direct_ = true, in_shared_ = false, in_place_ = false;
  Array<std::uint32_t> column_, start_;
  Array<std::uint16_t> narrow_rows_;
  Array<std::uint32_t> wide_rows_;
  Array<T> steps_, real_values_;
  Array<C> complex_values_, chirp_, filter_;
  Array<C> twiddles_;
  Array<int> begin_;
  RowFft<T> fft_;
  std::shared_ptr<const larmor::cuda::Transform> transform_;
};

}  // namespace

template <typename T>
std::unique_ptr<const Engine<T>> make_engine(const Columns& columns, const SparseFftOptions& options,
                                             Context& ctx) {
  return std::make_unique<const CudaEngine<T>>(columns, options, ctx);
}

template std::unique_ptr<const Engine<float>> make_engine(const Columns&, const SparseFftOptions&, Context&);
template std::unique_ptr<const Engine<double>> make_engine(const Columns&, const SparseFftOptions&, Context&);

}  // namespace larmor::sparse_fft::cuda
