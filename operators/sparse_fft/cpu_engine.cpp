#include <larmor/core/math/fft.hpp>
#include <larmor/core/parallel.hpp>
#include <larmor/operators/sparse_fft/cpu_engine.hpp>
#include <larmor/operators/sparse_fft/row_transform.hpp>

#include <algorithm>

namespace larmor::sparse_fft {
namespace {

template <typename T>
class CpuEngine final : public Engine<T> {
 public:
  using C = std::complex<T>;

  CpuEngine(Columns columns, const SparseFftOptions& options, Context& ctx)
      : columns_(std::move(columns)),
        transform_(make_row_transform<T>(columns_.columns, fast_fft_size(2 * columns_.columns - 1))),
        steps_(half_step_table<T>(columns_.rows)),
        phases_(half_phase_table<T>(columns_.rows)),
        forward_(transform_.length, 1, FftSign::forward),
        backward_(transform_.length, 1, FftSign::backward),
        pitch_((transform_.length + 7) / 8 * 8) {
    // Four blocks per thread balance the work; more would cost memory without a gain.
    const Index wanted = options.tile_rows > 0 ? options.tile_rows : 4 * block_rows * ctx.threads();
    tile_rows_ = (wanted + block_rows - 1) / block_rows * block_rows;
  }

  Index tile_rows() const override { return tile_rows_; }
  Index transform_length() const override { return transform_.length; }
  std::size_t scratch_bytes(Context& ctx) const override {
    return Scratch::bytes<C>({ctx.threads(), block_rows + 2, pitch_});
  }

  void run(const SpectrumRows<T>& where, RowSummary* summaries, Context& ctx) const override {
    Scratch scratch(ctx);
    auto lines = scratch.take<C>({ctx.threads(), block_rows + 2, pitch_});
    // Values between the columns with entries, and beyond the last one, stay zero for all blocks.
    parallel_for(ctx, ctx.threads(), 1, [&](Index begin, Index end, int) {
      std::fill(lines.data() + begin * (block_rows + 2) * pitch_,
                lines.data() + end * (block_rows + 2) * pitch_, C(0));
    });
    const Index blocks = (where.count + block_rows - 1) / block_rows;
    parallel_for(ctx, blocks, 1, [&](Index begin, Index end, int thread) {
      C* signal = lines.slice(thread).data();
      for (Index block = begin; block < end; ++block) {
        const Index first = where.first + block * block_rows,
                    count = std::min<Index>(block_rows, where.first + where.count - first);
        if (columns_.narrow())
          sum_columns(columns_.narrow_rows.data(), first, signal);
        else
          sum_columns(columns_.wide_rows.data(), first, signal);
        for (Index k = 0; k < count; ++k) {
          C* out = signal + block_rows * pitch_;
          const RowSummary row = transform_row(signal + k * pitch_, out, out + pitch_, first + k, where);
          if (summaries != nullptr) summaries[first + k - where.first] = row;
        }
      }
    });
  }

 private:
  // Partial transforms of all columns with entries: block_rows frequencies from `first`, times the chirp.
  template <typename RowIndex>
  void sum_columns(const RowIndex* rows, Index first, C* signal) const {
    const Index period = 2 * columns_.rows, centre = 2 * first + block_rows - 1;
    const double inverse = 1 / static_cast<double>(period);
    for (Index i = 0; i < columns_.active(); ++i) {
      BlockSums<T> sums;
      for (std::uint32_t e = columns_.start[i]; e < columns_.start[i + 1]; ++e) {
        const Index r = rows[e];
        // centre · r modulo the period; the quotient is exact or one too large or small
        Index m = centre * r;
        m -= static_cast<Index>(static_cast<double>(m) * inverse) * period;
        if (m >= period) m -= period;
        if (m < 0) m += period;
        C phase = phases_[m];
        if (!columns_.values.empty()) phase *= C(columns_.values[e]);
        const T* steps = steps_.data() + r * block_rows;
        using Half = const T(&)[half_block];
        sums.add(phase.real(), phase.imag(), reinterpret_cast<Half>(*steps),
                 reinterpret_cast<Half>(steps[half_block]));
      }
      const Index c = columns_.column[i];
      const C factor = transform_.direct() ? C(1) : transform_.chirp[c];
      for (int k = 0; k < block_rows; ++k) signal[k * pitch_ + c] = C(sums.re(k), sums.im(k)) * factor;
    }
  }

  static void put(const SpectrumRows<T>& where, Index u, const C* spectrum) {
    const Index line = u - where.first;
    if (where.direct)
      std::copy_n(spectrum, where.width, reinterpret_cast<C*>(where.direct) + line * where.width);
    if (!where.mirrored || u == 0 || 2 * u == where.rows) return;
    C* out = reinterpret_cast<C*>(where.mirrored) + (where.count - 1 - line) * where.width;
    for (Index v = 0; v < where.width; ++v) out[v] = std::conj(spectrum[v == 0 ? 0 : where.columns - v]);
  }

  RowSummary transform_row(const C* signal, C* spectrum, C* other, Index u,
                           const SpectrumRows<T>& where) const {
    forward_.execute(signal, spectrum);
    if (!transform_.direct()) {
      for (Index k = 0; k < transform_.length; ++k) spectrum[k] *= transform_.filter[k];
      backward_.execute(spectrum, other);
      for (Index v = 0; v < columns_.columns; ++v) spectrum[v] = other[v] * transform_.chirp[v];
    }
    put(where, u, spectrum);
    RowSummary summary;
    for (Index v = 0; v < columns_.columns; ++v)
      summary.take(std::norm(std::complex<double>(spectrum[v])), v, u == 0 && v == 0);
    return summary;
  }

  Columns columns_;
  RowTransform<T> transform_;
  Array<T> steps_;
  Array<C> phases_;
  larmor::LineFft<T> forward_, backward_;
  Index pitch_, tile_rows_ = 0;
};

}  // namespace

template <typename T>
std::unique_ptr<const Engine<T>> make_cpu_engine(Columns columns, const SparseFftOptions& options,
                                                 Context& ctx) {
  return std::make_unique<const CpuEngine<T>>(std::move(columns), options, ctx);
}

template std::unique_ptr<const Engine<float>> make_cpu_engine(Columns, const SparseFftOptions&, Context&);
template std::unique_ptr<const Engine<double>> make_cpu_engine(Columns, const SparseFftOptions&, Context&);

}  // namespace larmor::sparse_fft
