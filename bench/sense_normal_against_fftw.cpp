// The SENSE normal operator (240 × 240 pixels, 8 coils, 96 spokes of 480 samples) compared with sixteen FFTW
// transforms on the padded grid of 480 × 480, one in each direction for each coil, alternately.
//     sense_normal_against_fftw THREADS      one line of JSON: medians in ms, their ratio, processor times
#include "problems.hpp"

#include <larmor/core/parallel.hpp>
#include <larmor/operators/nufft/toeplitz/toeplitz.hpp>

#include <fftw3.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <chrono>
#include <ctime>
#include <iostream>
#include <vector>

namespace {

using namespace larmor;

struct Times {
  std::vector<double> wall, processor;

  template <typename Body>
  void add(const Body& body) {
    const auto start = std::chrono::steady_clock::now();
    const std::clock_t processor_start = std::clock();
    body();
    processor.push_back(1e3 * static_cast<double>(std::clock() - processor_start) / CLOCKS_PER_SEC);
    wall.push_back(
        std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count());
  }
};

double median(std::vector<double> values) {
  std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2),
                   values.end());
  return values[values.size() / 2];
}

}  // namespace

int main(int argc, char** argv) {
  constexpr Index pixels = 240, coils = 8, padded = 2 * pixels;
  const int threads = argc > 1 ? std::atoi(argv[1]) : 1;
  Context ctx(Device::cpu(), {.threads = threads});
  const Shape image{pixels, pixels};
  const auto k = bench::radial(96, padded);
  const Toeplitz<float> toeplitz(k, {}, image, coils, 1e-4, true, ctx);
  const SenseToeplitz<float> normal(toeplitz, CoilMaps<float>(bench::noise<float>(image.prepend(coils))));
  const auto x = bench::noise<float>(image);
  auto y = bench::noise<float>(image);
  normal.reserve(ctx);

  // Measured plans; each transform by one thread, which is the fastest for several.
  auto grids = bench::noise<float>({coils, padded, padded});
  const auto grid = [&](Index coil) {
    return reinterpret_cast<fftwf_complex*>(grids.data() + coil * padded * padded);
  };
  const int side = padded;
  const fftwf_plan forward = fftwf_plan_dft_2d(side, side, grid(0), grid(0), FFTW_FORWARD, FFTW_MEASURE);
  const fftwf_plan backward = fftwf_plan_dft_2d(side, side, grid(0), grid(0), FFTW_BACKWARD, FFTW_MEASURE);
  std::fill(grids.begin(), grids.end(), std::complex<float>(0));  // in place, repeatedly
  const auto transforms = [&] {
    parallel_for(ctx, coils, 1, [&](Index coil, Index, int) {
      fftwf_execute_dft(forward, grid(coil), grid(coil));
      fftwf_execute_dft(backward, grid(coil), grid(coil));
    });
  };

  Times ours, theirs;
  normal.apply(x, y, ctx);
  transforms();
  for (int run = 0; run < 41; ++run) {
    theirs.add(transforms);
    ours.add([&] { normal.apply(x, y, ctx); });
  }
  const nlohmann::json result = {{"problem", "sense_normal_240_8coils"},
                                 {"threads", threads},
                                 {"larmor_ms", median(ours.wall)},
                                 {"fftw_ms", median(theirs.wall)},
                                 {"over_fftw", median(ours.wall) / median(theirs.wall)},
                                 {"larmor_cpu_ms", median(ours.processor)},
                                 {"fftw_cpu_ms", median(theirs.processor)}};
  std::cout << result.dump() << std::endl;
}
