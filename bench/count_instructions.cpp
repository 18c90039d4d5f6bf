// One spreading or interpolation of random points, whose instructions callgrind counts; see
// scripts/count-instructions.
//     count_instructions spread|interpolate DIMS COILS     prints the number of points
#include "problems.hpp"

#include <larmor/operators/nufft/spread/cpu_gridding.hpp>

#include <cstdio>
#include <cstdlib>
#include <string_view>

namespace {

using namespace larmor;
using C = std::complex<float>;

constexpr Index points = 20000;

struct Case {
  const nufft::CpuGridding<float>& gridding;
  Array<C>& values;
  Array<C>& grid;
  int lanes;
  bool spread;
};

}  // namespace

// The function whose instructions are counted: callgrind searches for its name.
extern "C" __attribute__((noinline)) void counted_work(const void* work, void* context) {
  const auto& c = *static_cast<const Case*>(work);
  auto& ctx = *static_cast<Context*>(context);
  if (c.spread)
    c.gridding.spread(c.values.data(), nullptr, c.grid.data(), {c.lanes, c.lanes}, ctx);
  else
    c.gridding.interpolate(c.grid.data(), c.values.data(), nullptr, {c.lanes, c.lanes}, ctx, false);
}

int main(int argc, char** argv) {
  if (argc != 4) {
    std::fputs("usage: count_instructions spread|interpolate DIMS COILS\n", stderr);
    return 2;
  }
  const int dims = std::atoi(argv[2]), lanes = std::atoi(argv[3]);
  Context ctx(Device::cpu(), {.threads = 1});
  // Dense points, so that the work for points dominates, not that for the grid: widths and oversampling for a
  // tolerance of 1e-3.
  const int width = 5;
  const double oversampling = 1.5;
  const Index length = dims == 2 ? 96 : 24;
  const nufft::Kernel kernel(width, oversampling);
  const auto fitted = std::make_shared<const nufft::FittedKernel<float>>(
      nufft::FittedKernel<float>{kernel, nufft::fit<float>(kernel, 0.1 * kernel.error(oversampling).mean)});
  const nufft::CpuGridding<float> gridding(bench::random_points(points, dims, 1),
                                           {length, length, dims == 3 ? length : 1}, fitted, lanes, 0, ctx);
  auto values = bench::noise<float>({lanes, points});
  auto grid = bench::noise<float>({gridding.cells(), lanes});
  ctx.arena().reserve(gridding.scratch_bytes(ctx, {lanes, lanes}));
  const Case work{gridding, values, grid, lanes, std::string_view(argv[1]) == "spread"};
  counted_work(&work, &ctx);
  std::printf("%lld\n", static_cast<long long>(points));
}
