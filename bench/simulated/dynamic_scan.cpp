// A radial scan of an object that changes from frame to frame, in closed form: an ISMRMRD file with
// golden-angle spokes in temporal order and a noise readout, the true image of each frame and the true coil
// maps (.npy). The object is at rest during each frame. See weights_against_best.py.

#include <larmor/io/formats.hpp>
#include <larmor/io/ismrmrd/writer.hpp>
#include <larmor/mri/simulation/simulate.hpp>

#include <CLI/CLI.hpp>

#include <cmath>
#include <cstdio>
#include <map>
#include <numbers>
#include <utility>

namespace {

using namespace larmor;
using Parts = std::vector<PhantomPart>;

PhantomPart ellipse(double intensity, double x, double y, double width, double height, double angle = 0) {
  return {.intensity = intensity, .centre = {x, y, 0}, .radii = {width, height, 0.1}, .angle = angle};
}

// A contrast agent reaches one region after the other; time is 0 to 1.
Parts uptake(double time) {
  const auto arrived = [time](double start, double rate) {
    return time > start ? 1 - std::exp(-rate * (time - start)) : 0.0;
  };
  Parts parts = object_parts(SimulatedObject::head, 2);
  parts.push_back(ellipse(0.8 * arrived(0.2, 8), 0.12, 0.1, 0.1, 0.1));
  parts.push_back(ellipse(0.6 * arrived(0.4, 4), -0.15, 0, 0.08, 0.08));
  return parts;
}

// Two chambers that beat twice, an organ below them that moves up and down once, and a static body.
Parts motion(double time) {
  const double beat = 0.5 - 0.5 * std::cos(4 * std::numbers::pi * time);
  const double breath = 0.03 * std::sin(2 * std::numbers::pi * time);
  return {ellipse(0.5, 0, 0, 0.42, 0.34),
          ellipse(-0.25, -0.2, 0.08, 0.13, 0.17),
          ellipse(0.3, 0.12, 0.1, 0.15, 0.12, 0.4),
          ellipse(0.2, 0.08, 0.1, 0.045 + 0.03 * beat, 0.06 + 0.02 * beat, 0.4),
          ellipse(0.15, 0.18, 0.12, 0.03 + 0.02 * beat, 0.05 + 0.015 * beat, 0.4),
          ellipse(0.35, 0, -0.16 + breath, 0.24, 0.08),
          ellipse(0.15, 0.1, -0.15 + breath, 0.03, 0.03),
          ellipse(-0.2, -0.1, -0.17 + breath, 0.02, 0.03),
          {.kind = PhantomPart::Kind::gaussian,
           .intensity = 0.2,
           .centre = {0, 0.28, 0},
           .radii = {0.1, 0.02, 0.1}}};
}

struct Options {
  std::string scan, truth, maps, object = "uptake";
  Index matrix = 64, coils = 6, frames = 16, spokes = 8;
  double noise = 0.01;
  std::uint64_t seed = 1;
};

void write_scan(const Options& options) {
  const std::map<std::string, Parts (*)(double)> objects{{"uptake", uptake}, {"motion", motion}};
  const auto parts_at = objects.at(options.object);
  Context ctx;
  Simulation simulated = simulate_scan({.matrix = {options.matrix, options.matrix, 1},
                                        .coils = options.coils,
                                        .readouts = options.frames * options.spokes,
                                        .noise = options.noise,
                                        .seed = options.seed},
                                       ctx);
  const Shape shape{options.matrix, options.matrix};
  const auto ring = coil_ring(2, options.coils);
  const Phantom still(2, object_parts(SimulatedObject::head, 2), ring);
  Array<std::complex<float>> truth(shape.prepend(options.frames));
  Index imaging = 0;
  std::vector<Phantom> frames;
  for (Index f = 0; f < options.frames; ++f) {
    frames.emplace_back(2, parts_at(static_cast<double>(f) / static_cast<double>(options.frames)), ring);
    const auto image = frames.back().truth(shape, ctx);
    std::copy(image.begin(), image.end(), truth.data() + f * shape.size());
  }
  Scan& scan = simulated.scan;
  for (const Readout& readout : scan.readouts) {
    if (readout.header.has(AcquisitionFlag::noise)) continue;
    const Phantom& now = frames[static_cast<std::size_t>(imaging++ / options.spokes)];
    const auto length = Index{readout.header.samples};
    Array<double> k(Shape{length, 2});
    std::copy_n(scan.trajectory.data() + readout.trajectory_offset, k.size(), k.data());
    const auto seen = now.kspace(k, shape, ctx), at_rest = still.kspace(k, shape, ctx);
    for (Index i = 0; i < seen.size(); ++i)
      scan.data[readout.data_offset + static_cast<std::size_t>(i)] +=
          std::complex<float>(seen[i] - at_rest[i]);
  }
  write_ismrmrd_raw(options.scan, scan, true);
  write_array<std::complex<float>>(options.truth, truth.view(), true);
  write_array<std::complex<float>>(options.maps, simulated.maps.view(), true);
}

}  // namespace

int main(int argc, char** argv) {
  Options options;
  CLI::App app("A radial scan of an object that changes");
  app.add_option("SCAN", options.scan)->required();
  app.add_option("--truth", options.truth)->required();
  app.add_option("--maps", options.maps)->required();
  app.add_option("--object", options.object)->check(CLI::IsMember({"uptake", "motion"}));
  app.add_option("--matrix", options.matrix);
  app.add_option("--coils", options.coils);
  app.add_option("--frames", options.frames);
  app.add_option("--spokes", options.spokes, "of a frame");
  app.add_option("--noise", options.noise);
  app.add_option("--seed", options.seed);
  CLI11_PARSE(app, argc, argv);
  try {
    write_scan(options);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "dynamic_scan: %s\n", error.what());
    return 1;
  }
  return 0;
}
