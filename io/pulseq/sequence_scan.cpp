#include <larmor/core/data/imaging_flags.hpp>
#include <larmor/core/format_error.hpp>
#include <larmor/io/ismrmrd/xml.hpp>
#include <larmor/io/pulseq/sequence_file.hpp>
#include <larmor/io/pulseq/sequence_scan.hpp>
#include <larmor/io/pulseq/sequence_trajectory.hpp>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

namespace LARMOR_API larmor {
namespace {

using namespace pulseq;

// The scan's readouts that the sequence acquired: all, or those of an image.
std::vector<std::size_t> acquired(const Scan& scan, std::size_t acquisitions, const std::string& path) {
  std::vector<std::size_t> readouts(scan.readouts.size());
  std::iota(readouts.begin(), readouts.end(), std::size_t{0});
  if (readouts.size() == acquisitions) return readouts;
  const std::size_t all = readouts.size();
  std::erase_if(readouts, [&](std::size_t r) { return never_imaging(scan.readouts[r].header) != nullptr; });
  if (readouts.size() != acquisitions)
    throw input_error("{} has {} acquisitions, but {} has {} readouts, {} of them image data", path,
                      acquisitions, scan.source, all, readouts.size())
        .about("trajectory");
  return readouts;
}

void label(const Labels& labels, ReadoutHeader& header) {
  const auto of = [&](Label one) { return labels[static_cast<std::size_t>(one)]; };
  header.encode_step_1 = of(Label::LIN);
  header.encode_step_2 = of(Label::PAR);
  header.average = of(Label::AVG);
  header.segment = of(Label::SEG);
  header.counters.slice = of(Label::SLC);
  header.counters.contrast = of(Label::ECO);
  header.counters.repetition = of(Label::REP);
  header.counters.set = of(Label::SET);
  header.counters.phase = of(Label::PHS);
  const bool reference = of(Label::REF) != 0, image_too = of(Label::IMA) != 0;
  const std::pair<AcquisitionFlag, bool> flags[] = {
      {AcquisitionFlag::reverse, of(Label::REV) != 0},
      {AcquisitionFlag::navigation, of(Label::NAV) != 0},
      {AcquisitionFlag::noise, of(Label::NOISE) != 0},
      {AcquisitionFlag::calibration, reference && !image_too},
      {AcquisitionFlag::calibration_and_imaging, reference && image_too}};
  for (const auto& [flag, set] : flags)
    if (set) header.set(flag);
}

// A converter writes the field of view of the scanner's protocol, which the sequence may ignore.
void compare_fov(const Sequence& sequence, const std::string& path, Scan& scan) {
  if (scan.encodings.empty() || !(sequence.fov[0] > 0)) return;
  const Encoding& encoding = scan.encodings.front();
  if (!encoding.has_recon_space) return;
  const auto& fov = encoding.recon_fov_mm;
  const auto pixels_apart = [&](std::size_t axis) {
    return std::abs(1e3 * sequence.fov[axis] / fov[axis] - 1) *
           static_cast<double>(encoding.recon_matrix[axis]);
  };
  if (pixels_apart(0) > 1 || pixels_apart(1) > 1)
    scan.warnings.push_back(fmt::format(
        "{} is for a field of view of {:.4g} × {:.4g} mm, but the header says {:.4g} × {:.4g} mm, "
        "which is used unless another is given",
        path, 1e3 * sequence.fov[0], 1e3 * sequence.fov[1], fov[0], fov[1]));
}

}  // namespace

void take_sequence(const std::string& path, Scan& scan, bool labels_alone) {
  const Sequence sequence = parse_sequence(pulseq_text(path), path);
  std::vector<std::int64_t> samples;
  for (const Block& block : sequence.blocks)
    if (block.adc != 0) samples.push_back(sequence.adc.at(block.adc).samples);
  if (labels_alone && sequence.labels.empty()) return;
  const std::vector<std::size_t> readouts = acquired(scan, samples.size(), path);
  for (std::size_t i = 0; i < readouts.size(); ++i)
    if (Index{scan.readouts[readouts[i]].header.samples} != samples[i])
      throw input_error("acquisition {} of {} has {} samples, but readout {} of {} has {}", i, path,
                        samples[i], readouts[i], scan.source, scan.readouts[readouts[i]].header.samples)
          .about("trajectory");
  if (!sequence.labels.empty()) {
    for (std::size_t i = 0; i < readouts.size(); ++i)
      label(sequence.labels[i], scan.readouts[readouts[i]].header);
    scan.notes.push_back("counters and flags of the readouts are the labels of " + path);
  }
  if (labels_alone) return;
  compare_fov(sequence, path, scan);
  const Array<double> k = pulseq_trajectory(sequence, path);
  const Index dims = k.shape()[k.shape().rank() - 1];
  scan.trajectory = {};
  scan.trajectory.reserve(static_cast<std::size_t>(k.size()));
  for (Readout& readout : scan.readouts) readout.header.trajectory_dimensions = 0;
  for (const double value : k) scan.trajectory.push_back(static_cast<float>(value));
  std::size_t offset = 0;
  for (std::size_t i = 0; i < readouts.size(); ++i) {
    Readout& readout = scan.readouts[readouts[i]];
    readout.header.trajectory_dimensions = static_cast<std::uint16_t>(dims);
    readout.trajectory_offset = offset;
    offset += static_cast<std::size_t>(samples[i] * dims);
  }
}

void add_sequence_times(const std::string& path, Scan& scan) {
  const Sequence sequence = parse_sequence(pulseq_text(path), path);
  SequenceTimes times;
  if (sequence.repetition_time > 0) times.tr = {1e3 * sequence.repetition_time};
  if (sequence.echo_time > 0) times.te = {1e3 * sequence.echo_time};
  if (!scan.xml_header.empty() || (times.tr.empty() && times.te.empty())) return;
  scan.xml_header = make_ismrmrd_xml(scan, scan.readouts.front().header.active_channels, times);
}

}  // namespace larmor
