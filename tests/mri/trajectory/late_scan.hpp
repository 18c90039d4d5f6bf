#pragma once

#include <larmor/mri/reconstruct/reconstruct.hpp>
#include <larmor/mri/simulation/simulate.hpp>
#include <larmor/mri/trajectory/gradient_delay.hpp>

#include <vector>

#include "random_arrays.hpp"

namespace larmor::test {

/// A simulated scan with delayed gradients that its file does not mention.
struct LateScan {
  SimulationOptions simulation;
  GradientDelay delay;
  int iterations = 10;

  /// Difference between its image and that of the true trajectory, relative to the latter.
  double error(bool correct, Context& ctx) const {
    const auto expected = image(false, false, ctx), other = image(true, correct, ctx);
    return relative_difference(other, expected);
  }

 private:
  Array<std::complex<float>> image(bool late, bool correct, Context& ctx) const {
    auto simulated = simulate_scan(simulation, ctx);
    for (const Readout& readout : simulated.scan.readouts) {
      const Index samples = readout.header.samples, dims = readout.header.trajectory_dimensions;
      if (!late || dims == 0) continue;
      float* k = simulated.scan.trajectory.data() + readout.trajectory_offset;
      std::vector<double> nominal(k, k + dims * samples);
      const GradientDelay back{-delay.x, -delay.y, -delay.xy, -delay.z};
      apply_gradient_delay(nominal.data(), samples, dims, back);
      std::copy(nominal.begin(), nominal.end(), k);
    }
    ReconstructOptions options;
    options.coils.maps = simulated.maps;
    options.solve.iterations = iterations;
    options.output.kind = ImageKind::complex;
    options.prepare.estimate_delay = correct;
    return std::move(reconstruct(std::move(simulated.scan), options, ctx).series.images[0].pixels);
  }
};

}  // namespace larmor::test
