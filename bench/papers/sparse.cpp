#include <larmor/bench/measure.hpp>
#include <larmor/bench/papers/papers.hpp>
#include <larmor/bench/random_pattern.hpp>
#include <larmor/core/math/fft.hpp>
#include <larmor/core/memory.hpp>
#include <larmor/core/memory_limits.hpp>
#include <larmor/operators/sparse_fft/sparse_fft.hpp>

#include <fmt/format.h>

namespace larmor::bench {
namespace {

struct Matrix {
  const char* name;
  Index size;
  double density, claimed_ms;  // published on a GeForce RTX 4090
};

// Rows are the x of exact_sums: frequencies u / R and v / C at selected places in the half spectrum.
double error_of(const SparsePattern& pattern, const Shape& shape, View<const std::complex<float>> spectrum,
                const Context& ctx) {
  const auto list = chosen(shape.size(), affordable_targets(pattern.entries(), ctx));
  Array<double> from({pattern.entries(), 2}), to({list.size(), 2});
  for (Index i = 0; i < pattern.entries(); ++i) {
    from[2 * i] = static_cast<double>(pattern.row[i]);
    from[2 * i + 1] = static_cast<double>(pattern.column[i]);
  }
  for (Index i = 0; i < list.size(); ++i) {
    to[2 * i] = static_cast<double>(list[i] / shape[1]) / static_cast<double>(pattern.rows);
    to[2 * i + 1] = static_cast<double>(list[i] % shape[1]) / static_cast<double>(pattern.columns);
  }
  const auto ones = filled({pattern.entries()}, std::complex<double>(1));
  return difference(list, copied_to(Device::cpu(), spectrum), exact_sums(from, ones, to, -1, ctx));
}

void measure(const Matrix& matrix, const Sink& sink, Context& ctx) {
  const SparsePattern pattern = random_pattern(
      {.rows = matrix.size, .columns = matrix.size, .density = matrix.density, .symmetric = true});
  const std::string name = fmt::format("{}: {}^2, {:g} %", matrix.name, matrix.size, 100 * matrix.density);
  const auto bytes = [&] { return memory_use(ctx.device().kind).current_bytes; };
  const std::size_t before = bytes();
  const double begin = seconds_now();
  const SparseFft<float> fft(pattern, {}, ctx);
  ctx.synchronize();
  const double setup = 1e3 * (seconds_now() - begin);
  const Shape shape = fft.spectrum_shape();
  const int repeats = matrix.size > 5000 && !ctx.on_gpu() ? 1 : 5;

  SpectrumSummary summary;
  Measurement row{.problem = name, .method = "streamed to a summary", .setup_ms = setup};
  row.ms = time_of([&] { summary = fft.summary(ctx); }, repeats, ctx).median;
  row.note = fmt::format("{}; peak side lobe {:.4f}", format_bytes(bytes() - before), summary.side_lobe());
  sink(row);
  ctx.throw_if_cancelled();

  const std::size_t needed = static_cast<std::size_t>(shape.size()) * sizeof(std::complex<float>);
  if (needed < ctx.memory_limit() / 3) {
    Array<std::complex<float>> out(shape, ctx.device());
    row.method = "kept";
    row.ms = time_of([&] { fft.spectrum(out, ctx); }, repeats, ctx).median;
    row.claimed_ms = matrix.claimed_ms;
    row.note = format_bytes(bytes() - before);
    row.error = error_of(pattern, shape, out, ctx);
    sink(row);
  }
  ctx.arena().release();
  ctx.throw_if_cancelled();

  if (4 * needed < ctx.memory_limit() / 2) {
    auto dense = filled({matrix.size, matrix.size}, std::complex<float>(0));
    for (Index i = 0; i < pattern.entries(); ++i) dense[pattern.row[i] * matrix.size + pattern.column[i]] = 1;
    dense = moved_to(ctx.device(), std::move(dense));
    const FftPlan<float> plan(dense.shape(), 2);
    ctx.arena().reserve(plan.scratch_bytes(ctx));
    // In place, so that the values grow; a transform followed by its inverse would count twice.
    const double ms = time_of([&] { plan.execute(dense, FftSign::forward, ctx); }, 1, ctx).median;
    sink({.problem = name,
          .method = "dense transform of the whole, complex",
          .ms = ms,
          .note = format_bytes(bytes() - before)});
    ctx.arena().release();
  }
}

}  // namespace

void sparse_transforms(Size size, const Sink& sink, Context& ctx) {
  measure({"as sstmodel", 3345, 0.002, 1.39}, sink, ctx);
  if (size == Size::quick) return;
  measure({"as benzene", 8219, 0.0036, 9.6}, sink, ctx);
  if (size == Size::normal) return;
  measure({"as delaunay_n14", 16384, 0.000366, 68.56}, sink, ctx);
  measure({"as pct20stif", 52329, 0.001, 893}, sink, ctx);
}

}  // namespace larmor::bench
