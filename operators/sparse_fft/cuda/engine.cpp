#include <larmor/core/cuda/fft.hpp>
#include <larmor/core/cuda/runtime.hpp>
#include <larmor/operators/sparse_fft/cuda/kernels.hpp>
#include <larmor/operators/sparse_fft/engine.hpp>
#include <larmor/operators/sparse_fft/row_transform.hpp>

#include <algorithm>

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

  CudaEngine(const Columns& columns, const SparseFftOptions& options, Context& ctx)
      : rows_(columns.rows),
        columns_(columns.columns),
        active_(columns.active()),
        column_(uploaded(columns.column, ctx.device())),
        start_(uploaded(columns.start, ctx.device())),
        narrow_rows_(uploaded(columns.narrow_rows, ctx.device())),
        wide_rows_(uploaded(columns.wide_rows, ctx.device())),
        steps_(copied_to(ctx.device(), half_step_table<T>(columns.rows))) {
    if (!columns.values.empty()) upload_values(columns, ctx);
    ctx.stream();  // makes the device current
    auto transform = make_row_transform<T>(columns_, convolution_length());
    length_ = transform.length;
    direct_ = transform.direct();
    in_shared_ = fits(length_);
    if (in_shared_) make_line_tables(transform, ctx);
    if (!direct_) {
      chirp_ = copied_to(ctx.device(), transform.chirp);
      filter_ = copied_to(ctx.device(), transform.filter);
    }

    // Full groups of the kernel that sums columns. Beyond that a tile should stay in the second-level cache,
    // or not take much memory where its rows are too long for that.
    constexpr Index group = 512;
    const Index row_bytes = columns_ * static_cast<Index>(sizeof(C));
    const Index most = std::max<Index>(group, (Index{48} << 20) / row_bytes / group * group);
    const Index wanted = options.tile_rows > 0 ? options.tile_rows : std::min<Index>(most, 8 * group);
    tile_rows_ = (wanted + block_rows - 1) / block_rows * block_rows;
    if (!in_shared_) {
      const Index fitting = (Index{24} << 20) / (length_ * static_cast<Index>(sizeof(C)));
      batch_ = options.batch_rows > 0 ? options.batch_rows : std::clamp<Index>(fitting, 1, 64);
      batch_ = std::min(batch_, tile_rows_);
      const long long n = length_;
      transform_ = larmor::cuda::Transform::get(&n, 1, batch_, sizeof(T) == 8, ctx.device().ordinal);
    }
  }

  Index tile_rows() const override { return tile_rows_; }
  Index transform_length() const override { return length_; }
  std::size_t scratch_bytes(Context&) const override {
    const std::size_t signal = Scratch::bytes<C>({tile_rows_, columns_});
    if (in_shared_) return signal;
    return signal + Scratch::bytes<C>({batch_, length_}) + Arena::rounded(transform_->work_bytes());
  }

  void run(const SpectrumRows<T>& where, RowSummary* summaries, Context& ctx) const override {
    Scratch scratch(ctx);
    const auto signal = scratch.take<C>({tile_rows_, columns_});
    if (active_ < columns_)
      larmor::cuda::set_bytes(signal.data(), 0, signal.slices(0, where.count).bytes(), ctx.device().ordinal);
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
    sums.pitch = columns_;
    sums.first = where.first;
    sums.count = where.count;
    sum_columns(sums, ctx.stream());

    RowTask<T> task;
    task.signal = signal.data();
    task.pitch = columns_;
    task.chirp = sums.factor;
    task.filter = direct_ ? nullptr : filter_.data();
    task.first = where.first;
    task.count = where.count;
    task.where = where;
    task.summaries = summaries;
    if (in_shared_) {
      task.fft = larmor::cuda::line_fft<T>(static_cast<int>(length_), line_tables_.data());
      return transform_rows(task, ctx.stream());
    }
    const auto buffer = scratch.take<C>({batch_, length_});
    const auto work = scratch.take<std::byte>({static_cast<Index>(transform_->work_bytes())});
    for (Index first = 0; first < where.count; first += batch_) {
      const Index count = std::min(batch_, where.count - first);
      pad_rows(signal.slice(first).data(), columns_, columns_, count, buffer.data(), length_, batch_,
               ctx.stream());
      transform_->execute(buffer.data(), work.data(), -1, ctx.stream());
      if (!direct_) {
        multiply_rows(task.filter, buffer.data(), length_, batch_, ctx.stream());
        transform_->execute(buffer.data(), work.data(), +1, ctx.stream());
      }
      task.signal = buffer.data();
      task.pitch = length_;
      task.first = where.first + first;
      task.count = count;
      finish_rows(task, ctx.stream());
    }
  }

 private:
  static bool fits(Index length) {
    return length <= (1 << 20) && shared_row_bytes<T>(length) <= most_shared_bytes();
  }
  Index convolution_length() const {
    const Index shortest = 2 * columns_ - 1;
    if (shortest >= (Index{1} << 30))
      throw usage_error("a row of {} columns is too long for this device; expected at most {}", columns_,
                        1 << 29);
    return larmor::cuda::fast_line_length(static_cast<int>(shortest));
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
  void make_line_tables(RowTransform<T>& transform, Context& ctx) {
    const int n = static_cast<int>(length_);
    Array<std::byte> tables({static_cast<Index>(larmor::cuda::line_table_bytes<T>(n))});
    larmor::cuda::fill_line_tables<T>(n, tables.data());
    if (!transform.direct()) {
      // The order in which the transform leaves frequencies, so that filtering looks nothing up.
      const auto line = larmor::cuda::line_fft<T>(n, tables.data());
      Array<C> permuted({length_});
      for (int k = 0; k < n; ++k) permuted[line.position[k]] = transform.filter[k];
      transform.filter = std::move(permuted);
    }
    line_tables_ = copied_to(ctx.device(), tables);
  }

  Index rows_, columns_, active_, length_ = 1, tile_rows_ = 0, batch_ = 0;
  bool direct_ = true, in_shared_ = true;
  Array<std::uint32_t> column_, start_;
  Array<std::uint16_t> narrow_rows_;
  Array<std::uint32_t> wide_rows_;
  Array<T> steps_, real_values_;
  Array<C> complex_values_, chirp_, filter_;
  Array<std::byte> line_tables_;
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
